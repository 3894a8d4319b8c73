//! Pointers that advance alike share one step.
//!
//! Two variables of a loop of which one advances by 1, 2, 4 or 8 times what the other does differ by a multiple of the other and a
//! distance, which is the same in every round. Where an operand of memory adds two registers, one of them scaled, the accesses at the
//! one are at the other and the distance instead: the distance is computed in front of the loop and has the register of the variable
//! that is gone, with its step.
//!
//! | before | after |
//! |---|---|
//! | `p = p0`, `q = q0`; each round `*p`, `*q`, `p += 1`, `q += 1` | `p = p0`, `d = q0 - p0`; each round `*p`, `p[d]`, `p += 1` |
//! | `i = i0`, `q = q0`; each round `i` for something, `*q`, `i += 1`, `q += 4` | `i = i0`, `d = q0 - 4 * i0`; each round `i`, `d[4 * i]`, `i += 1` |
//!
//! That holds wherever control goes in the loop and whatever ends it. A variable goes away if accesses of its own loop, sums with
//! numbers and its own step are all that uses it, and its next value. Where an access adds two registers, of which one may be scaled by
//! its size, and nothing else, it goes if accesses that can do so are all; and it stays if one of them stands beside its step, which is
//! none then (of loops of several blocks these are few). Of variables that could all go one stays, that with the shortest
//! step. Values are those of before modulo two to the width of addresses.
//!
//! Where addresses have 64 bits, a counter of 32 is the lower half of one of 64 that pointers can be sums of; it is made so if its
//! start is a number, or two pointers go.
//!
//! Requires: a verified function and its graphs, exact use counts. Preserves: all but such variables; adds pre-headers. What is no
//! longer used is left for [`Uses`] to find dead. Cost: linear in the instructions, if a loop has two such variables.

use crate::insert::insert;
use crate::loop_counters::{Variable, make, make_scaled, redefine};
use crate::preheader::{Graphs, Preheaders};
use alloc::vec::Vec;
use cranelift_entity::EntityRef;
use ice_ir::{BinaryOp, Block, CastOp, Function, Inst, InstData, Type, Uses, Value};

/// Most phis of a header that are looked at.
const MAX_PHIS: usize = 16;

/// A variable of a loop.
#[derive(Clone, Copy)]
struct Shared {
    of: Variable,
    header: Block,
    latch: Block,
    /// Whether it is narrower than an address, and only others can be sums of it.
    is_narrow: bool,
    /// How many uses of it and of its next value were not found to be accesses, sums with numbers, its step or the phi.
    others: [u32; 2],
    /// How many bytes its accesses have: none if there are none, and [`MIXED`] if they differ.
    size: u8,
}

/// The size of accesses that differ.
const MIXED: u8 = u8::MAX;

impl Shared {
    /// Whether another variable can take its place.
    fn may_go(&self) -> bool {
        !self.is_narrow && self.others == [0; 2]
    }

    /// The power of two by which it advances farther than `other`, if an operand of memory has that scale.
    fn scale(&self, other: &Shared) -> Option<u32> {
        let (by, base) = (self.of.by, other.of.by);
        let factor = by / base;
        let is_scale = !self.is_narrow && by % base == 0 && matches!(factor, 1 | 2 | 4 | 8);
        is_scale.then(|| factor.trailing_zeros())
    }

    /// Whether its accesses add to its distance what `base` is shifted by.
    fn is_index(&self, accesses: Accesses, base: &Shared) -> bool {
        let scale = self.scale(base).map(|scale| 1 << scale);
        scale.is_some_and(|scale| accesses == Accesses::Sums || scale == 1 || scale == self.size)
    }
}

/// What accesses add to a register.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Accesses {
    /// Another register, scaled, and a number.
    #[default]
    Sums,
    /// Another register, which may be scaled by their size. They step the register where they add nothing.
    Steps,
}

impl Accesses {
    /// Whether an access of this type adds another register.
    fn adds(self, ty: Type, pointer: Type) -> bool {
        // Machines of 32 bits have that for words and bytes.
        self == Accesses::Sums || pointer == Type::I64 || matches!(ty, Type::I8 | Type::I32)
    }
}

/// Memory of this. Reused from function to function.
#[derive(Default)]
pub(crate) struct SharedSteps {
    /// Those of one loop stand together.
    variables: Vec<Shared>,
    /// By value: its number among the variables and their next values, in turns, counted from 1.
    numbers: Vec<u32>,
    accesses: Accesses,
}

impl SharedSteps {
    /// Finds the variables of the loop of `header`, whose next round begins from `latch` alone.
    pub(crate) fn note(
        &mut self,
        func: &Function,
        pointer: Type,
        (header, latch): (Block, Block),
        uses: &Uses,
    ) {
        let start = self.variables.len();
        let phis =
            func.block_insts(header).take_while(|&inst| matches!(func.inst(inst), InstData::Phi { .. }));
        self.variables
            .extend(phis.take(MAX_PHIS).filter_map(|phi| shared(func, pointer, (header, latch), phi, uses)));
        let own = &self.variables[start..];
        if own.len() < 2 {
            self.variables.truncate(start);
            return;
        }
        let is_scaled = |(n, variable): (usize, &Shared)| {
            own.iter().enumerate().any(|(m, other)| n != m && variable.scale(other).is_some())
        };
        if !own.iter().enumerate().any(is_scaled) {
            self.variables.truncate(start);
        }
    }

    /// Forgets the variables of the function before, on a machine whose accesses are such.
    pub(crate) fn begin(&mut self, accesses: Accesses) {
        self.accesses = accesses;
        self.variables.clear();
    }

    /// Lets variables go whose place others can take. Whether there were any.
    pub(crate) fn share(
        &mut self,
        func: &mut Function,
        pointer: Type,
        graphs: Graphs<'_>,
        preheaders: &mut Preheaders,
    ) -> bool {
        if self.variables.is_empty() {
            return false;
        }
        self.find_uses(func, pointer, graphs);
        let accesses = self.accesses;
        let mut any = false;
        let mut rest = &self.variables[..];
        while let Some(&Shared { header, .. }) = rest.first() {
            let own = rest.iter().take_while(|variable| variable.header == header).count();
            let (variables, behind) = rest.split_at(own);
            rest = behind;
            // Those that others can be sums of, and how many.
            let goes = |base: &Shared, variable: &Shared| {
                variable.of.phi != base.of.phi && variable.may_go() && variable.is_index(accesses, base)
            };
            let reaches = |base: &Shared| {
                let count = variables.iter().filter(|variable| goes(base, variable)).count();
                let is_dear = base.is_narrow && func.int_value(base.of.first).is_none();
                if is_dear && count == 1 { 0 } else { count }
            };
            let rank = |base: &&Shared| (reaches(base), !base.may_go(), -base.of.by.abs());
            let Some(&base) = variables.iter().max_by_key(rank).filter(|base| reaches(base) > 0) else {
                continue;
            };
            let Some(preheader) = preheaders.of(func, graphs, header) else { continue };
            let Some(place) = Place::of(func, header, preheader) else { continue };
            let wide = if base.is_narrow { place.widen(func, &base) } else { base.of };
            for variable in variables.iter().filter(|variable| goes(&base, variable)) {
                let scale = variable.scale(&base).unwrap_or(0);
                place.replace(func, &variable.of, &wide, scale);
                any = true;
            }
        }
        any
    }

    /// Counts the uses of the variables that stand in the way.
    fn find_uses(&mut self, func: &Function, pointer: Type, (_, _, loops): Graphs<'_>) {
        let SharedSteps { variables, numbers, accesses } = self;
        let accesses = *accesses;
        numbers.clear();
        numbers.resize(func.num_values(), 0);
        for (n, variable) in variables.iter().enumerate() {
            numbers[variable.of.value.index()] = 2 * n as u32 + 1;
            numbers[variable.of.next.index()] = 2 * n as u32 + 2;
        }
        let mut found = |value: Value, (inst, block): (Inst, Block), accessed: Option<Type>| {
            if let number @ 1.. = numbers[value.index()]
                && let Some(variable) = variables.get_mut((number as usize - 1) / 2)
                && loops.innermost(block) == Some(variable.header)
            {
                let is_step = accesses == Accesses::Steps && block == variable.latch;
                let left = &mut variable.others[usize::from(value == variable.of.next)];
                match accessed {
                    Some(ty) if is_step || !accesses.adds(ty, pointer) => return,
                    Some(ty) => {
                        let size = ty.bytes() as u8;
                        variable.size = if [0, size].contains(&variable.size) { size } else { MIXED };
                    }
                    None if accesses == Accesses::Steps && inst != variable.of.step => return,
                    None => {}
                }
                *left = left.saturating_sub(1);
            }
        };
        for block in func.blocks().filter(|&block| loops.innermost(block).is_some()) {
            for inst in func.block_insts(block) {
                let place = (inst, block);
                match *func.inst(inst) {
                    InstData::Load { address, .. } => {
                        found(address, place, func.result(inst).map(|loaded| func.value_type(loaded)));
                    }
                    InstData::Store { address, value, .. } if address != value => {
                        found(address, place, Some(func.value_type(value)));
                    }
                    InstData::Binary { op: BinaryOp::Add, args: [a, b] } if func.int_value(b).is_some() => {
                        found(a, place, None);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The variable that `phi` is, if it advances by a number and others may be sums of it, or it of others.
fn shared(
    func: &Function,
    pointer: Type,
    (header, latch): (Block, Block),
    phi: Inst,
    uses: &Uses,
) -> Option<Shared> {
    let ty = func.value_type(func.result(phi)?);
    let is_narrow = ty == Type::I32 && pointer == Type::I64;
    if ty != pointer && !is_narrow {
        return None;
    }
    let of = Variable::of(func, latch, phi)?;
    // The phi is the one other use of the next value.
    let others = [uses.count_if_known(of.value), uses.count_if_known(of.next).saturating_sub(1)];
    Some(Shared { of, header, latch, is_narrow, others, size: 0 })
}

/// Where what is new goes: to the end of the pre-header, and in front of and behind the phis.
#[derive(Clone, Copy)]
struct Place {
    preheader: Block,
    before_loop: Inst,
    before_phis: Inst,
    after_phis: Inst,
}

impl Place {
    fn of(func: &Function, header: Block, preheader: Block) -> Option<Place> {
        let is_phi = |&inst: &Inst| matches!(func.inst(inst), InstData::Phi { .. });
        Some(Place {
            preheader,
            before_loop: func.layout.last_inst(preheader)?,
            before_phis: func.layout.first_inst(header)?,
            after_phis: func.block_insts(header).find(|inst| !is_phi(inst))?,
        })
    }

    /// Makes `narrow` the lower half of a variable as wide as addresses, which is returned.
    fn widen(&self, func: &mut Function, narrow: &Shared) -> Variable {
        let &Shared { of: narrow, latch, .. } = narrow;
        let first = match func.int_value(narrow.first) {
            Some(number) => func.make_int(Type::I64, number),
            None => {
                let data = InstData::Cast { op: CastOp::Zext, arg: narrow.first };
                let extension = insert(func, self.before_loop, narrow.phi, data, Type::I64);
                func.result(extension).expect("the type is not void")
            }
        };
        let value = func.make_forward(Type::I64);
        let by = func.make_int(Type::I64, narrow.by);
        let next = make(func, narrow.step, narrow.step, BinaryOp::Add, [value, by]);
        let incoming = func.make_incoming(&[(first, self.preheader), (next, latch)]);
        let phi = func.make_inst_defining(InstData::Phi { incoming }, value);
        func.layout.insert_before(self.before_phis, phi);
        *func.inst_mut(narrow.step) = InstData::Cast { op: CastOp::Trunc, arg: next };
        redefine(func, narrow.phi, self.after_phis, InstData::Cast { op: CastOp::Trunc, arg: value });
        Variable { phi, value, first, next, ..narrow }
    }

    /// Lets `variable` be `base` shifted by `scale` and a distance.
    fn replace(&self, func: &mut Function, variable: &Variable, base: &Variable, scale: u32) {
        let distance = match func.int_value(base.first) {
            Some(0) => variable.first,
            Some(number) => {
                let number = func.make_int(func.value_type(base.first), (number << scale).wrapping_neg());
                make(func, self.before_loop, variable.phi, BinaryOp::Add, [variable.first, number])
            }
            None => {
                let first = make_scaled(func, self.before_loop, variable.phi, base.first, scale);
                make(func, self.before_loop, variable.phi, BinaryOp::Sub, [variable.first, first])
            }
        };
        let offset = make_scaled(func, self.after_phis, variable.phi, base.value, scale);
        let args = [distance, offset];
        redefine(func, variable.phi, self.after_phis, InstData::Binary { op: BinaryOp::Add, args });
    }
}

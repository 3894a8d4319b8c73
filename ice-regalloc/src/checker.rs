//! A symbolic checker: proves that an allocation keeps the meaning of the function.
//!
//! Idea (after the checker of regalloc2, and Rideau and Leroy, *Validating Register Allocation and
//! Spilling*, 2010): interpret the allocated code abstractly. The abstract value of a place is the
//! set of virtual registers whose present value it holds. Every use must then find its virtual
//! register in the set of its place. The checker shares no code with the allocator.
//!
//! Rules. A state is a map `S` from places (registers, slots) to sets of virtual registers and the
//! set `D` of those defined on some path so far. One that is not in `D` has no value, so every
//! place holds it.
//!
//! * entry: every `S[p]` and `D` are empty;
//! * edit `p -> q`: `S[q] := {v in S[p] | size(v) <= size of the edit}`; `S[r] := {}` for other
//!   registers `r` that alias `q`; `p` and `q` are not both slots;
//! * use of `v` at `p`: requires `v in S[p]` or `v not in D`;
//! * clobber of `u`: `S[r] := {}` for registers `r` with a unit in `u`; no Late Use nor Early Def
//!   may be there;
//! * definition of `v` at `p`: `v` leaves all sets; `S[p] := {v}`, and `S[r] := {}` for aliases;
//!   `D` gains `v`;
//! * an Early Def overlaps no use and no other definition; a Late Def or UseDef overlaps no Late
//!   Use and no other definition;
//! * edge with arguments `a` for parameters `x`: `S'[p] := {v in S[p] | v not in x} + {x_i | a_i in
//!   S[p]}`, all at once;
//! * meet of `(S, D)` and `(T, E)`: a place holds `v` if both hold it, where a side that has not
//!   defined `v` holds it everywhere; the defined set is the union.
//!
//! States only fall, so the fixed point over the blocks exists. Beside that each operand's
//! constraint, class, slot size and membership in `used_regs` are checked.
//!
//! Cost: places times block states; meant for tests and debug builds.

use crate::function::Function;
use crate::operand::{Block, Constraint, Inst, Operand, OperandKind, OperandPos, VReg};
use crate::output::{Allocation, AllocationKind, Edit, Output, ProgPoint};
use crate::registers::{RegUnits, RegisterFile};
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// One fault of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Violation {
    /// The lists of the output do not fit the function, or the edits are not sorted.
    Shape,
    /// The place of an operand is missing, does not exist or is too small.
    BadPlace {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
        /// Its place.
        place: Allocation,
    },
    /// The place of an operand does not obey its constraint or class.
    Constraint {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
        /// Its place.
        place: Allocation,
    },
    /// The place of a use does not hold the value on some path.
    WrongValue {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
        /// The virtual register that should be there.
        vreg: VReg,
        /// Its place.
        place: Allocation,
    },
    /// Two operands that are busy at the same time overlap.
    Overlap {
        /// The instruction.
        inst: Inst,
        /// Index of the first operand.
        first: usize,
        /// Index of the second operand.
        second: usize,
    },
    /// An operand that must outlive the clobbers is in a clobbered register.
    Clobbered {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
    },
    /// An edit goes from slot to slot, or one of its places does not exist or is too small.
    BadEdit {
        /// Index of the edit.
        edit: usize,
    },
    /// A register is written that is not in `used_regs`.
    UnreportedRegister {
        /// Where it is written.
        inst: Inst,
        /// The register.
        place: Allocation,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Violation::Shape => f.write_str("the output does not fit the function"),
            Violation::BadPlace { inst, operand, place } => {
                write!(f, "{inst}, operand {operand}: {place} is no place for it")
            }
            Violation::Constraint { inst, operand, place } => {
                write!(f, "{inst}, operand {operand}: {place} breaks the constraint")
            }
            Violation::WrongValue { inst, operand, vreg, place } => {
                write!(f, "{inst}, operand {operand}: {place} does not hold {vreg}")
            }
            Violation::Overlap { inst, first, second } => {
                write!(f, "{inst}: operands {first} and {second} overlap")
            }
            Violation::Clobbered { inst, operand } => {
                write!(f, "{inst}, operand {operand}: in a clobbered register")
            }
            Violation::BadEdit { edit } => write!(f, "edit {edit}: impossible copy"),
            Violation::UnreportedRegister { inst, place } => {
                write!(f, "{inst}: {place} is written but not reported as used")
            }
        }
    }
}

/// Abstract machine state: contents of the registers, then of the slots; and what is defined.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    places: Vec<BTreeSet<VReg>>,
    defined: Vec<u64>,
}

impl State {
    fn is_defined(&self, v: VReg) -> bool {
        let v = v.as_u32() as usize;
        self.defined[v / 64] >> (v % 64) & 1 != 0
    }

    fn set_defined(&mut self, v: VReg) {
        let v = v.as_u32() as usize;
        self.defined[v / 64] |= 1 << (v % 64);
    }

    fn unset_defined(&mut self, v: VReg) {
        let v = v.as_u32() as usize;
        self.defined[v / 64] &= !(1 << (v % 64));
    }

    /// Lowers `self` to the meet with `other`; whether it changed.
    fn meet(&mut self, other: &State) -> bool {
        let mut result = State {
            places: Vec::with_capacity(self.places.len()),
            defined: self.defined.iter().zip(&other.defined).map(|(a, b)| a | b).collect(),
        };
        for (a, b) in self.places.iter().zip(&other.places) {
            let here = a.iter().filter(|&v| b.contains(v) || !other.is_defined(*v));
            let there = b.iter().filter(|&v| !self.is_defined(*v));
            result.places.push(here.chain(there).copied().collect());
        }
        let changed = result != *self;
        *self = result;
        changed
    }
}

struct Checker<'a, F: Function> {
    func: &'a F,
    file: &'a RegisterFile,
    output: &'a Output,
    /// For each register, the registers that alias it, itself included.
    aliases: Vec<Vec<usize>>,
    violations: Vec<Violation>,
}

/// Checks `output` against `func`, which must have been accepted by the allocator.
///
/// # Errors
///
/// All faults found, in instruction order within each block.
pub fn check<F: Function>(func: &F, file: &RegisterFile, output: &Output) -> Result<(), Vec<Violation>> {
    let total: usize = (0..func.num_insts() as u32).map(|i| func.operands(Inst::from_u32(i)).len()).sum();
    let mut starts = 0;
    let shape = output.operand_starts.len() == func.num_insts() + 1
        && output.allocs.len() == total
        && output.edits.is_sorted_by_key(|e| e.point)
        && output.edits.iter().all(|e| (e.point.inst().as_u32() as usize) < func.num_insts())
        && output.operand_starts.iter().enumerate().all(|(i, &start)| {
            let ok = start as usize == starts;
            if i < func.num_insts() {
                starts += func.operands(Inst::from_u32(i as u32)).len();
            }
            ok
        });
    if !shape {
        return Err(vec![Violation::Shape]);
    }
    let regs = file.regs.len();
    let alias = |r: usize| {
        let units = file.regs[r].units;
        (0..regs).filter(move |&s| file.regs[s].units.intersects(units)).collect()
    };
    let mut checker =
        Checker { func, file, output, aliases: (0..regs).map(alias).collect(), violations: Vec::new() };
    checker.constraints();
    if !checker.violations.is_empty() {
        return Err(checker.violations);
    }
    checker.values();
    if checker.violations.is_empty() { Ok(()) } else { Err(checker.violations) }
}

/// Whether the operand's place is busy at the start and at the end of the instruction.
fn busy(op: Operand) -> (bool, bool) {
    match (op.kind(), op.pos()) {
        (OperandKind::Use, OperandPos::Early) => (true, false),
        (OperandKind::Def, OperandPos::Late) => (false, true),
        _ => (true, true),
    }
}

impl<F: Function> Checker<'_, F> {
    fn size(&self, v: VReg) -> u32 {
        match self.func.vreg_size(v) {
            0 => self.file.class(self.func.vreg_class(v)).spill_size,
            size => size,
        }
    }

    /// Index of a place in a state, if it exists.
    fn index(&self, place: Allocation) -> Option<usize> {
        match place.kind() {
            AllocationKind::None => None,
            AllocationKind::Reg(reg) => (reg.index() < self.file.regs.len()).then_some(reg.index()),
            AllocationKind::Slot(slot) => ((slot.as_u32() as usize) < self.output.slots.len())
                .then_some(self.file.regs.len() + slot.as_u32() as usize),
        }
    }

    fn fits(&self, place: Allocation, size: u32) -> bool {
        self.index(place).is_some()
            && place.as_slot().is_none_or(|s| self.output.slots[s.as_u32() as usize].size >= size)
    }

    fn units(&self, place: Allocation) -> RegUnits {
        place.as_reg().map_or(RegUnits::EMPTY, |reg| self.file.units(reg))
    }

    /// Everything that can be seen without following values.
    fn constraints(&mut self) {
        for i in 0..self.func.num_insts() as u32 {
            self.inst_constraints(Inst::from_u32(i));
        }
        for (index, edit) in self.output.edits.iter().enumerate() {
            let ok = !(edit.from.is_slot() && edit.to.is_slot())
                && edit.class.index() < self.file.classes.len()
                && self.fits(edit.from, edit.size)
                && self.fits(edit.to, edit.size);
            if !ok {
                self.violations.push(Violation::BadEdit { edit: index });
            } else if !self.output.used_regs.contains(self.units(edit.to)) {
                let (inst, place) = (edit.point.inst(), edit.to);
                self.violations.push(Violation::UnreportedRegister { inst, place });
            }
        }
    }

    fn inst_constraints(&mut self, inst: Inst) {
        let ops = self.func.operands(inst);
        let places = self.output.allocs_of(inst);
        let clobbers = self.func.clobbers(inst);
        for (operand, (&op, &place)) in ops.iter().zip(places).enumerate() {
            if !self.fits(place, self.size(op.vreg())) {
                self.violations.push(Violation::BadPlace { inst, operand, place });
                continue;
            }
            let in_class = place.as_reg().is_some_and(|r| self.file.class(op.class()).order.contains(&r));
            let ok = match op.constraint() {
                Constraint::Any => in_class || place.is_slot(),
                Constraint::Reg => in_class,
                Constraint::Stack => place.is_slot(),
                Constraint::Fixed(reg) => place.as_reg() == Some(reg),
            };
            if !ok {
                self.violations.push(Violation::Constraint { inst, operand, place });
            }
            let units = self.units(place);
            if op.kind() != OperandKind::UseDef && busy(op) == (true, true) && units.intersects(clobbers) {
                self.violations.push(Violation::Clobbered { inst, operand });
            }
            if op.is_def() && !self.output.used_regs.contains(units) {
                self.violations.push(Violation::UnreportedRegister { inst, place });
            }
        }
        for second in 0..ops.len() {
            for first in 0..second {
                let (a, b) = (ops[first], ops[second]);
                let overlap = places[first] == places[second]
                    || self.units(places[first]).intersects(self.units(places[second]));
                if !overlap || !a.is_def() && !b.is_def() {
                    continue;
                }
                let early_def = |op: Operand| op.kind() == OperandKind::Def && op.pos() == OperandPos::Early;
                let at_start = busy(a).0 && busy(b).0 && (early_def(a) || early_def(b));
                let at_end = busy(a).1 && busy(b).1;
                if at_start || at_end {
                    self.violations.push(Violation::Overlap { inst, first, second });
                }
            }
        }
    }

    /// Follows values to the fixed point, then reports uses that do not find theirs.
    fn values(&mut self) {
        let num_blocks = self.func.num_blocks();
        let fresh = State {
            places: vec![BTreeSet::new(); self.file.regs.len() + self.output.slots.len()],
            defined: vec![0; self.func.num_vregs().div_ceil(64)],
        };
        let mut inputs: Vec<Option<State>> = vec![None; num_blocks];
        let entry = self.func.entry();
        inputs[entry.as_u32() as usize] = Some(fresh.clone());
        let mut work = vec![entry];
        while let Some(block) = work.pop() {
            let Some(mut state) = inputs[block.as_u32() as usize].clone() else { continue };
            self.run_block(block, &mut state, None);
            for (k, &succ) in self.func.block_succs(block).iter().enumerate() {
                let arriving = self.cross_edge(block, k, &state);
                let input = &mut inputs[succ.as_u32() as usize];
                let changed = match input {
                    Some(old) => old.meet(&arriving),
                    None => {
                        *input = Some(arriving);
                        true
                    }
                };
                if changed && !work.contains(&succ) {
                    work.push(succ);
                }
            }
        }
        let mut found = Vec::new();
        for (b, input) in inputs.into_iter().enumerate() {
            let mut state = input.unwrap_or_else(|| fresh.clone());
            self.run_block(Block::from_u32(b as u32), &mut state, Some(&mut found));
        }
        self.violations.append(&mut found);
    }

    fn run_block(&self, block: Block, state: &mut State, mut found: Option<&mut Vec<Violation>>) {
        let range = self.func.block_insts(block);
        let edits = &self.output.edits;
        let mut next = edits.partition_point(|e| e.point < ProgPoint::before(range.start));
        for i in range.start.as_u32()..range.end.as_u32() {
            let inst = Inst::from_u32(i);
            while let Some(edit) = edits.get(next).filter(|e| e.point == ProgPoint::before(inst)) {
                self.apply_edit(edit, state);
                next += 1;
            }
            self.apply_inst(inst, state, found.as_deref_mut());
            while let Some(edit) = edits.get(next).filter(|e| e.point == ProgPoint::after(inst)) {
                self.apply_edit(edit, state);
                next += 1;
            }
        }
    }

    /// Sets the contents of a place, and forgets what aliases it.
    fn write(&self, state: &mut State, place: Allocation, values: BTreeSet<VReg>) {
        let Some(index) = self.index(place) else { return };
        if let Some(aliases) = self.aliases.get(index) {
            aliases.iter().for_each(|&r| state.places[r].clear());
        }
        state.places[index] = values;
    }

    fn apply_edit(&self, edit: &Edit, state: &mut State) {
        let Some(from) = self.index(edit.from) else { return };
        let mut values = state.places[from].clone();
        values.retain(|&v| self.size(v) <= edit.size);
        self.write(state, edit.to, values);
    }

    fn apply_inst(&self, inst: Inst, state: &mut State, found: Option<&mut Vec<Violation>>) {
        let ops = self.func.operands(inst);
        let places = self.output.allocs_of(inst);
        if let Some(found) = found {
            for (operand, (&op, &place)) in ops.iter().zip(places).enumerate() {
                let vreg = op.vreg();
                let holds = self.index(place).is_some_and(|p| state.places[p].contains(&vreg));
                if op.is_use() && !holds && state.is_defined(vreg) {
                    found.push(Violation::WrongValue { inst, operand, vreg, place });
                }
            }
        }
        let clobbers = self.func.clobbers(inst);
        for (r, info) in self.file.regs.iter().enumerate() {
            if info.units.intersects(clobbers) {
                state.places[r].clear();
            }
        }
        for op in ops.iter().filter(|op| op.is_def()) {
            for values in &mut state.places {
                values.remove(&op.vreg());
            }
            state.set_defined(op.vreg());
        }
        for (op, &place) in ops.iter().zip(places).filter(|(op, _)| op.is_def()) {
            self.write(state, place, BTreeSet::from([op.vreg()]));
        }
    }

    /// The state that arrives at successor `k` of `block`.
    fn cross_edge(&self, block: Block, k: usize, state: &State) -> State {
        let mut arriving = state.clone();
        let args = self.func.edge_args(block, k);
        if args.is_empty() {
            return arriving;
        }
        let params = self.func.block_params(self.func.block_succs(block)[k]);
        for (old, new) in state.places.iter().zip(&mut arriving.places) {
            params.iter().for_each(|param| {
                new.remove(param);
            });
            let pairs = args.iter().zip(params).filter(|(arg, _)| old.contains(arg));
            new.extend(pairs.map(|(_, param)| *param));
        }
        for (arg, &param) in args.iter().zip(params) {
            if state.is_defined(*arg) {
                arriving.set_defined(param);
            } else {
                arriving.unset_defined(param);
            }
        }
        arriving
    }
}

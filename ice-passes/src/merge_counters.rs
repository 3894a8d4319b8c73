//! Pointers that advance beside a counter become sums of one counter.
//!
//! `while (n--) *to++ = *from++` has three variables and a step for each. Where an operand of memory adds two registers, one of
//! them scaled, all of them are given by one: a counter goes up from the opposite of the distance to zero, and each pointer is where
//! it will be at the end, and a multiple of the counter. That leaves one step, whose flags end the loop.
//!
//! | before | after |
//! |---|---|
//! | `p = p0`, `n = n0`; each round `*p`, `p += 4`, `n -= 1`, until `n == 0` | `i = -n0`, `e = p0 + 4 * n0`; each round `e[4 * i]`, `i += 1`, until `i == 0` |
//! | `p = p0`, `q = q0`; each round `*p`, `*q`, `p += 1`, `q += 1`, until `p == e` | `i = p0 - e`, `f = q0 - i`; each round `e[i]`, `f[i]`, `i += 1`, until `i == 0` |
//!
//! Only in loops of one block, of variables that nothing but accesses, sums with numbers and their own steps use; the next values may
//! be needed behind the loop. Values are those of before modulo two to the width of addresses, also where a loop has more rounds
//! than that.
//!
//! Requires: a verified function and its graphs, exact use counts. Preserves: all but the counters of such loops; adds pre-headers.
//! Cost: linear in the block, times the pointers of it, at most [`MAX_POINTERS`].

use crate::insert::insert;
use crate::loop_counters::{Variable, make, make_scaled, redefine};
use crate::preheader::{Graphs, Preheaders};
use arrayvec::ArrayVec;
use ice_ir::{BinaryOp, Block, CastOp, Function, Inst, InstData, IntCond, Type, Uses, Value};

/// Most variables that one counter takes the place of.
const MAX_POINTERS: usize = 8;

/// A variable, and how often it is used.
#[derive(Clone, Copy)]
struct Used {
    of: Variable,
    /// How many accesses, and sums with numbers, use it, and how many instructions of the loop the next value.
    uses: u32,
    next_uses: u32,
}

/// The variables that one counter takes the place of.
type Variables = ArrayVec<Used, MAX_POINTERS>;

/// What ends the loop.
struct End {
    comparison: Inst,
    cond: IntCond,
    bound: Value,
    /// The variable that is compared, once it has stepped.
    variable: Used,
}

/// Lets one counter take the place of the pointers of the loop that `block` alone is. Whether it did.
pub(crate) fn merge_counters(
    func: &mut Function,
    pointer: Type,
    graphs: Graphs<'_>,
    uses: &Uses,
    (preheaders, block): (&mut Preheaders, Block),
) -> bool {
    let mut variables = Variables::new();
    let Some(end) = find(func, pointer, uses, block, &mut variables) else { return false };
    // The counter that is compared goes away, and a new one comes; what is in front of the loop is longer for a narrow one.
    let is_narrow = func.value_type(end.variable.of.value) != pointer;
    if variables.len() < 1 + usize::from(end.variable.uses > 0 || is_narrow) {
        return false;
    }
    let Some(preheader) = preheaders.of(func, graphs, block) else { return false };
    rewrite(func, pointer, (block, preheader), &end, &variables)
}

/// Finds the variables that a new counter can take the place of, the one that is compared among them, and what ends the loop.
fn find(func: &Function, pointer: Type, uses: &Uses, block: Block, variables: &mut Variables) -> Option<End> {
    let &InstData::CondBr { cond, .. } = func.terminator(block)? else { return None };
    let comparison = func.defining_inst(cond).filter(|_| uses.count_if_known(cond) == 1)?;
    let InstData::Icmp { cond: cond @ (IntCond::Eq | IntCond::Ne), args: [next, bound] } =
        *func.inst(comparison)
    else {
        return None;
    };
    // Most comparisons are of something else.
    if !matches!(
        *func.inst(func.defining_inst(next)?),
        InstData::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. }
    ) {
        return None;
    }
    let is_inside = func.defining_inst(bound).is_some_and(|def| func.layout.block_of(def) == Some(block));
    if is_inside || func.layout.block_of(comparison) != Some(block) {
        return None;
    }
    let mut compared = None;
    for phi in func.block_insts(block).take_while(|&inst| matches!(func.inst(inst), InstData::Phi { .. })) {
        let of = Variable::of(func, block, phi).filter(|of| func.layout.block_of(of.step) == Some(block));
        let Some(of) = of else { continue };
        let variable = Used { of, uses: 0, next_uses: 0 };
        if of.next == next {
            compared = Some(variable);
        }
        if func.value_type(of.value) == pointer && !variables.is_full() {
            variables.push(variable);
        }
    }
    let mut end = compared?;
    let mut end_uses = 0;
    for inst in func.block_insts(block).filter(|&inst| !uses.is_dead_if_known(inst)) {
        func.for_each_operand(inst, |operand| {
            end_uses += u32::from(operand == next);
            if let Some(variable) = variables.iter_mut().find(|variable| variable.of.next == operand) {
                variable.next_uses += 1;
            }
        });
        let user = match *func.inst(inst) {
            InstData::Load { address, .. } => address,
            InstData::Store { address, value, .. } if address != value => address,
            InstData::Binary { op: BinaryOp::Add, args: [a, b] } if func.int_value(b).is_some() => a,
            _ => continue,
        };
        let is_user = |variable: &&mut Used| variable.of.value == user && variable.of.step != inst;
        if let Some(variable) = variables.iter_mut().find(is_user) {
            variable.uses += 1;
        }
    }
    // The phi and the comparison.
    if end_uses != 2 {
        return None;
    }
    let is_pointer = variables.iter().find(|variable| variable.of.phi == end.of.phi);
    if let Some(variable) = is_pointer {
        end.uses = variable.uses;
    }
    let is_narrow =
        func.value_type(end.of.value) == Type::I32 && pointer == Type::I64 && end.of.by.abs() == 1;
    // What counts alone is needed nowhere else.
    let is_counter =
        uses.count_if_known(next) == 2 && (func.value_type(end.of.value) == pointer || is_narrow);
    if uses.count_if_known(end.of.value) != end.uses + 1 || end.uses == 0 && !is_counter {
        return None;
    }
    // How far a pointer goes for one step of what is compared, in bytes of the scale.
    let is_multiple = |variable: &Used| {
        let scale = variable.of.by.checked_div(end.of.by.abs());
        variable.of.by % end.of.by == 0 && matches!(scale, Some(1 | 2 | 4 | 8))
    };
    variables.retain(|variable| {
        variable.uses > 0
            && uses.count_if_known(variable.of.value) == variable.uses + 1
            && variable.next_uses == 1 + u32::from(variable.of.next == next)
            && is_multiple(variable)
    });
    // Its own accesses need it.
    if end.uses > 0 && !variables.iter().any(|variable| variable.of.phi == end.of.phi) {
        return None;
    }
    Some(End { comparison, cond, bound, variable: end })
}

/// Makes the counter, and pointers of it.
fn rewrite(
    func: &mut Function,
    pointer: Type,
    (block, preheader): (Block, Block),
    end: &End,
    variables: &[Used],
) -> bool {
    let compared = end.variable.of;
    let goes = |&inst: &Inst| {
        let is_step =
            variables.iter().map(|variable| variable.of).chain([compared]).any(|of| of.step == inst);
        is_step || matches!(func.inst(inst), InstData::Phi { .. })
    };
    let after_phis = func.block_insts(block).find(|inst| !goes(inst));
    let ends = (func.layout.last_inst(preheader), func.layout.first_inst(block), after_phis);
    let (Some(before_loop), Some(before_phis), Some(after_phis)) = ends else { return false };
    let origin = compared.step;
    // The first value: less than zero by the distance.
    let args = if compared.by > 0 { [compared.first, end.bound] } else { [end.bound, compared.first] };
    let ty = func.value_type(compared.value);
    let difference = match args.map(|arg| func.int_value(arg)) {
        [Some(a), Some(b)] => func.make_int(ty, a.wrapping_sub(b)),
        _ => make(func, before_loop, origin, BinaryOp::Sub, args),
    };
    let start = match ty == pointer {
        true => difference,
        false => widen(func, pointer, before_loop, origin, difference),
    };
    let counter = func.make_forward(pointer);
    let by = func.make_int(pointer, compared.by.abs());
    let next = make(func, end.comparison, origin, BinaryOp::Add, [counter, by]);
    let incoming = func.make_incoming(&[(start, preheader), (next, block)]);
    let phi = func.make_inst_defining(InstData::Phi { incoming }, counter);
    func.layout.insert_before(before_phis, phi);
    let zero = func.make_int(pointer, 0);
    *func.inst_mut(end.comparison) = InstData::Icmp { cond: end.cond, args: [next, zero] };
    for variable in variables.iter().map(|variable| variable.of) {
        let power = (variable.by / compared.by.abs()).trailing_zeros();
        let distance = make_scaled(func, before_loop, origin, start, power);
        // Behind the loop the next value is the last one.
        redefine(
            func,
            variable.step,
            before_loop,
            InstData::Binary { op: BinaryOp::Sub, args: [variable.first, distance] },
        );
        let offset = make_scaled(func, after_phis, origin, counter, power);
        let args = [variable.next, offset];
        redefine(func, variable.phi, after_phis, InstData::Binary { op: BinaryOp::Add, args });
    }
    if end.variable.uses == 0 {
        // Nobody needs it and its step any more.
        let data = match ty == pointer {
            true => InstData::Binary { op: BinaryOp::Add, args: [counter, by] },
            false => InstData::Cast { op: CastOp::Trunc, arg: counter },
        };
        redefine(func, compared.phi, after_phis, data);
        redefine(func, compared.step, after_phis, *func.inst(compared.step));
    }
    true
}

/// The opposite of the rounds of a loop that counts words by one, from 1 to 2^32, whose low word is `difference`: the complement of
/// one round less, which has zeros above the low word.
fn widen(func: &mut Function, pointer: Type, before: Inst, origin: Inst, difference: Value) -> Value {
    if let Some(number) = func.int_value(difference) {
        return func.make_int(pointer, !i64::from(!number as u32));
    }
    let [ones, wide_ones] = [func.value_type(difference), pointer].map(|ty| func.make_int(ty, -1));
    let arg = make(func, before, origin, BinaryOp::Xor, [difference, ones]);
    let extension = insert(func, before, origin, InstData::Cast { op: CastOp::Zext, arg }, pointer);
    let rounds = func.result(extension).expect("the type is not void");
    make(func, before, origin, BinaryOp::Xor, [rounds, wide_ones])
}

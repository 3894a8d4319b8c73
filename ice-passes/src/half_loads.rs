//! Halves of vectors of 256 bits that are loaded and never used whole are loaded by themselves: what takes one of them may then
//! read it from memory, and nobody takes the vector apart. Halves that are shuffled stay: two alike shuffles may be one.
//!
//! The halves stand behind the load, with nothing between that changes memory, as readers leave them.
//!
//! Requires: what [`simplify`](crate::simplify) requires, which asks for one instruction at a time. Preserves: the value of
//! the instruction, and what is read at all if both halves are used. Constant cost.

use crate::insert;
use ice_ir::{BinaryOp, Function, Inst, InstData, Uses};

/// Most instructions between a load and its half.
const MAX_DISTANCE: usize = 4;

/// What the half `inst` of a vector becomes, of which nobody uses the whole.
#[cold]
#[inline(never)]
pub(crate) fn half_load(func: &mut Function, uses: &Uses, inst: Inst) -> Option<InstData> {
    let &InstData::Half { vector, half } = func.inst(inst) else { return None };
    let load = func.defining_inst(vector)?;
    let &InstData::Load { address, align_log2 } = func.inst(load) else { return None };
    let is_half = |other: Option<Inst>| {
        other.is_some_and(
            |other| matches!(*func.inst(other), InstData::Half { vector: of, .. } if of == vector),
        )
    };
    let is_alone = match uses.count_if_known(vector) {
        1 => true,
        2 => is_half(func.layout.prev_inst(inst)) || is_half(func.layout.next_inst(inst)),
        _ => false,
    };
    let before = core::iter::successors(func.layout.prev_inst(inst), |&inst| func.layout.prev_inst(inst));
    let mut near = before.take(MAX_DISTANCE).take_while(|&inst| !func.inst(inst).changes_memory());
    let is_near = near.any(|inst| inst == load);
    if !is_alone || !is_near || func.result(inst).is_none_or(|result| uses.is_taken_apart(result)) {
        return None;
    }
    if half == 0 {
        return Some(InstData::Load { address, align_log2 });
    }
    let bytes = func.value_type(vector).bytes() / 2;
    let ty = func.value_type(address);
    let offset = func.make_int(ty, bytes.into());
    let sum = InstData::Binary { op: BinaryOp::Add, args: [address, offset] };
    let address = insert::before(func, inst, sum, ty);
    Some(InstData::Load { address, align_log2: align_log2.min(bytes.trailing_zeros() as u8) })
}

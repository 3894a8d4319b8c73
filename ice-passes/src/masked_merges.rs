//! Bits of one number under a mask, and those of another one beside it, where no instruction complements an operand.
//!
//! `(x & m) | (y & ~m)` is `((x ^ y) & m) ^ y`: one operation less, and no complement beside the mask ("Hacker's Delight" 2nd edition,
//! chapter 2-20, exchanges fields so). Hashes choose bits in this way.
//!
//! Requires: what [`number_values`](crate::number_values()) requires, which asks for one disjunction at a time. Preserves: its value. Constant cost.

use crate::insert;
use ice_ir::{BinaryOp, Function, Inst, InstData, Uses, Value};

/// What the disjunction `inst` becomes, if it is such a merge and its parts have no other uses.
pub(crate) fn masked_merge(func: &mut Function, uses: &Uses, inst: Inst) -> Option<InstData> {
    let &InstData::Binary { op: BinaryOp::Or, args } = func.inst(inst) else { return None };
    let ty = func.value_type(args[0]);
    if !ty.is_scalar_int() || args.iter().any(|&arg| uses.count_if_known(arg) != 1) {
        return None;
    }
    let [a, b] = [conjunction(func, args[0])?, conjunction(func, args[1])?];
    let (x, y, mask) = split(func, a, b).or_else(|| split(func, b, a))?;
    let binary = |op, a, b| InstData::Binary { op, args: [a, b] };
    let differing = insert::before(func, inst, binary(BinaryOp::Xor, x, y), ty);
    let chosen = insert::before(func, inst, binary(BinaryOp::And, differing, mask), ty);
    Some(binary(BinaryOp::Xor, chosen, y))
}

/// The operands of a conjunction.
fn conjunction(func: &Function, value: Value) -> Option<[Value; 2]> {
    match *func.inst(func.defining_inst(value)?) {
        InstData::Binary { op: BinaryOp::And, args } => Some(args),
        _ => None,
    }
}

/// What `masked` has beside a mask, what `other` has beside its complement, and the mask.
fn split(func: &Function, masked: [Value; 2], other: [Value; 2]) -> Option<(Value, Value, Value)> {
    let complemented = |value: Value| match *func.inst(func.defining_inst(value)?) {
        InstData::Binary { op: BinaryOp::Xor, args: [x, ones] } => {
            (func.int_value(ones) == Some(-1)).then_some(x)
        }
        _ => None,
    };
    [(other[0], other[1]), (other[1], other[0])].into_iter().find_map(|(not_mask, y)| {
        let mask = complemented(not_mask)?;
        let n = masked.iter().position(|&arg| arg == mask)?;
        Some((masked[1 - n], y, mask))
    })
}

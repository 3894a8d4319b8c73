//! Which values are not computed where they are defined, but by their only user, in one instruction.
//!
//! | definition | user | becomes |
//! |---|---|---|
//! | comparison, truncation to `i1`, logic on `i1` | branch, select | the condition of the branch or move |
//! | shifts by a constant to the left and the right | their sum | `rotr` |
//! | shift by a constant to the right | and with low bits | `ext` |
//! | load of 8 or 16 bits | sign extension | `lb`, `lh` |
//! | product of 64 bits of extended words | sum, subtrahend | `madd`, `msub` and those of numbers without sign |
//! | insertion of a lane | another, a shift | a constant, a shuffle ([`ice_codegen::lanes`]) |
//! | lane of a vector | insertions only | a shuffle |
//! | addition | address | an operand ([`address`](crate::address)) |
//!
//! Maximal munch (Appel, *Modern Compiler Implementation*, 9.1), decided forwards: when the definition is reached, by
//! looking at its only user. A load is then later than it stood: no instruction between the two has a side effect. A
//! rule that finds no use for a folded definition asks for its register, and it is lowered then and there.

use crate::inst::Inst;
use crate::target::{Cx, Mips32};
use ice_codegen::extension::long_factors;
use ice_codegen::mach::Sink;
use ice_codegen::words::folds_insertion;
use ice_ir::{BinaryOp, CastOp, InstData, Type, Value};

/// A shift by a constant: the operator, the value and the amount.
fn constant_shift(func: &ice_ir::Function, value: Value) -> Option<(BinaryOp, Value, i64)> {
    let &InstData::Binary { op: op @ (BinaryOp::Shl | BinaryOp::Lshr), args: [value, amount] } =
        func.inst(func.defining_inst(value)?)
    else {
        return None;
    };
    let amount = func.int_value(amount).filter(|amount| (1..32).contains(amount))?;
    Some((op, value, amount))
}

/// The value and the amount of a rotation to the right: the sum of a shift to the left and one to the right.
pub(super) fn rotation<S: Sink<Inst>>(
    cx: &Cx<'_, S>,
    op: BinaryOp,
    args: [Value; 2],
    ty: Type,
) -> Option<(Value, u8)> {
    if ty != Type::I32 || !matches!(op, BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor) {
        return None;
    }
    let [a, b] = args.map(|arg| constant_shift(cx.func, arg));
    match (a?, b?) {
        ((BinaryOp::Shl, x, left), (BinaryOp::Lshr, y, right))
        | ((BinaryOp::Lshr, y, right), (BinaryOp::Shl, x, left)) => {
            (x == y && left + right == 32).then_some((x, right as u8))
        }
        _ => None,
    }
}

/// The value, the lowest bit and the size of the field that `value` and `mask` make of a shift that was folded.
pub(super) fn field<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, mask: u32) -> Option<(Value, u8, u8)> {
    cx.folded(value)?;
    field_of(cx.func, value, mask)
}

fn field_of(func: &ice_ir::Function, value: Value, mask: u32) -> Option<(Value, u8, u8)> {
    let (BinaryOp::Lshr, shifted, amount) = constant_shift(func, value)? else { return None };
    let is_low = mask != 0 && mask & mask.wrapping_add(1) == 0 && func.value_type(value) == Type::I32;
    let size = mask.trailing_ones();
    (is_low && amount as u32 + size <= 32).then_some((shifted, amount as u8, size as u8))
}

impl Mips32 {
    /// Whether `user` computes `def`, its operand in its block that nothing else uses, itself.
    pub(crate) fn folds_into<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let func = cx.func;
        let Some(result) = func.result(def) else { return false };
        let ty = func.value_type(result);
        match *func.inst(def) {
            InstData::Icmp { args, .. } | InstData::Fcmp { args, .. } => {
                !func.value_type(args[0]).is_vector() && cx.decides(result, user)
            }
            InstData::Cast { op: CastOp::Trunc, arg } => {
                ty == Type::I1 && func.value_type(arg) != Type::I64 && cx.decides(result, user)
            }
            InstData::Load { .. } => {
                matches!(ty, Type::I8 | Type::I16)
                    && matches!(func.inst(user), InstData::Cast { op: CastOp::Sext, .. })
                    && cx.may_delay(def, user)
            }
            InstData::InsertElement { .. } => folds_insertion(cx, def, user),
            InstData::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, .. } if ty == Type::I1 => {
                cx.decides(result, user)
            }
            InstData::Binary { op: BinaryOp::Mul, args } => match *func.inst(user) {
                InstData::Binary { op: BinaryOp::Add, args: [a, b] } => {
                    ty == Type::I64 && a != b && long_factors(func, args).is_some()
                }
                InstData::Binary { op: BinaryOp::Sub, args: [a, b] } => {
                    ty == Type::I64 && b == result && a != b && long_factors(func, args).is_some()
                }
                _ => false,
            },
            InstData::Binary { op: BinaryOp::Shl | BinaryOp::Lshr, .. } => match *func.inst(user) {
                InstData::Binary { op: BinaryOp::And, args: [value, mask] } => {
                    value == result
                        && func.int_value(mask).is_some_and(|n| field_of(func, result, n as u32).is_some())
                }
                InstData::Binary { op, args } => rotation(cx, op, args, ty).is_some(),
                _ => false,
            },
            _ => false,
        }
    }
}

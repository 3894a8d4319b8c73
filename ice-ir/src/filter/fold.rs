//! Constant folding and identities of single instructions on scalar integers.
//!
//! Only what is exact on every target: a division by zero or of the minimum by -1, a shift past the width,
//! and all floating-point arithmetic stay instructions.

use crate::entities::Value;
use crate::function::Function;
use crate::instruction::{BinaryOp, CastOp, InstData};
use crate::types::Type;

/// A value equal to `data`, if one is known without a new instruction. Most instructions have no operand that it could
/// come from, which is found in line.
#[inline(always)]
pub fn fold(func: &mut Function, data: &InstData, ty: Type) -> Option<Value> {
    let may_fold = match *data {
        InstData::Binary { args: [a, b], .. } if ty.is_scalar_int() => match func.int_value(b) {
            // Beside another constant, or with one of those that have an identity.
            Some(-1..=1) => true,
            _ => func.int_value(a).is_some(),
        },
        InstData::Cast { arg, .. } => func.int_value(arg).is_some(),
        InstData::Icmp { args: [a, _], .. } => func.int_value(a).is_some(),
        InstData::Select { .. } => true,
        _ => false,
    };
    if may_fold { fold_constants(func, data, ty) } else { None }
}

#[inline(never)]
fn fold_constants(func: &mut Function, data: &InstData, ty: Type) -> Option<Value> {
    match *data {
        InstData::Binary { op, args } => binary(func, op, args, ty),
        InstData::Cast { op, arg } => {
            let number = func.int_value(arg)?;
            let from = func.value_type(arg);
            let result = match op {
                CastOp::Trunc | CastOp::Sext => number,
                CastOp::Zext => (number as u64 & from.int_mask()) as i64,
                _ => return None,
            };
            Some(func.make_int(ty, result))
        }
        InstData::Icmp { cond, args: [a, b] } => {
            // Only scalars are integer constants: the mask comes after.
            let (x, y) = (func.int_value(a)?, func.int_value(b)?);
            let mask = func.value_type(a).int_mask();
            let holds = cond.holds((x, x as u64 & mask), (y, y as u64 & mask));
            Some(func.make_int(Type::I1, i64::from(holds)))
        }
        InstData::Select { cond, if_true, if_false } => {
            if if_true == if_false {
                return Some(if_true);
            }
            func.int_value(cond).map(|c| if c == 0 { if_false } else { if_true })
        }
        _ => None,
    }
}

fn binary(func: &mut Function, op: BinaryOp, [a, b]: [Value; 2], ty: Type) -> Option<Value> {
    match (func.int_value(a), func.int_value(b)) {
        (Some(x), Some(y)) => constant(op, x, y, ty).map(|n| func.make_int(ty, n)),
        (None, Some(y)) => right_identity(func, op, a, y, ty),
        (Some(x), None) if op.is_commutative() => right_identity(func, op, b, x, ty),
        _ => None,
    }
}

/// `x op y` where that is defined; the result is cut to `ty` by the caller.
fn constant(op: BinaryOp, x: i64, y: i64, ty: Type) -> Option<i64> {
    let mask = ty.int_mask();
    let (ux, uy) = (x as u64 & mask, y as u64 & mask);
    let shift = (uy < u64::from(ty.bits())).then_some(uy as u32);
    Some(match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x << shift?,
        BinaryOp::Lshr => (ux >> shift?) as i64,
        BinaryOp::Ashr => x >> shift?,
        BinaryOp::Udiv => ux.checked_div(uy)? as i64,
        BinaryOp::Urem => ux.checked_rem(uy)? as i64,
        BinaryOp::Sdiv | BinaryOp::Srem if y == 0 || y == -1 => return None,
        BinaryOp::Sdiv => x / y,
        BinaryOp::Srem => x % y,
        _ => return None,
    })
}

/// `a op y` where it is `a` or a constant.
fn right_identity(func: &mut Function, op: BinaryOp, a: Value, y: i64, ty: Type) -> Option<Value> {
    use BinaryOp::*;
    match (op, y) {
        (Add | Sub | Or | Xor | Shl | Lshr | Ashr, 0) | (And, -1) => Some(a),
        (Mul | Udiv | Sdiv, 1) if ty != Type::I1 => Some(a),
        (And | Mul, 0) => Some(func.make_int(ty, 0)),
        (Or, -1) => Some(func.make_int(ty, -1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Filtered, FuncId, FunctionBuilder, IntCond, Signature};
    use alloc::vec;

    fn build(test: impl FnOnce(&mut FunctionBuilder<'_>, Value)) {
        let mut func = Function::new();
        let mut filter = Filtered::new();
        let mut b = FunctionBuilder::filtered(&mut func, &mut filter);
        b.begin(FuncId::from_u32(0), &Signature::new(vec![Type::I32], Type::Void));
        let block = b.create_block();
        b.switch_to_block(block);
        let x = b.func.params()[0];
        test(&mut b, x);
    }

    #[test]
    fn folds_what_is_defined_and_nothing_else() {
        build(|b, _| {
            let c = |b: &mut FunctionBuilder<'_>, ty, n| b.int_const(ty, n);
            for (op, ty, x, y, want) in [
                (BinaryOp::Add, Type::I8, 127, 1, Some(-128)),
                (BinaryOp::Lshr, Type::I8, -1, 1, Some(127)),
                (BinaryOp::Ashr, Type::I16, -4, 1, Some(-2)),
                (BinaryOp::Shl, Type::I32, 1, 32, None),
                (BinaryOp::Udiv, Type::I32, -1, 2, Some(i32::MAX as i64)),
                (BinaryOp::Sdiv, Type::I32, 1, 0, None),
                (BinaryOp::Sdiv, Type::I64, i64::MIN, -1, None),
                (BinaryOp::Srem, Type::I32, -7, 2, Some(-1)),
                (BinaryOp::Urem, Type::I8, -1, 0, None),
                (BinaryOp::Xor, Type::I1, -1, -1, Some(0)),
                (BinaryOp::Mul, Type::I64, i64::MAX, 2, Some(-2)),
            ] {
                let (x, y) = (c(b, ty, x), c(b, ty, y));
                let got = b.binary(op, x, y);
                assert_eq!(b.func.int_value(got), want, "{op} {ty}");
            }
            let (x, y) = (c(b, Type::I8, -1), c(b, Type::I8, 1));
            let unsigned = b.icmp(IntCond::Ugt, x, y);
            let signed = b.icmp(IntCond::Sgt, x, y);
            assert_eq!(b.func.int_value(unsigned), Some(-1));
            assert_eq!(b.func.int_value(signed), Some(0));
            let wide = b.cast(CastOp::Zext, x, Type::I64);
            assert_eq!(b.func.int_value(wide), Some(255));
        });
    }

    #[test]
    fn vectors_are_left_alone() {
        build(|b, _| {
            let v = b.func.make_undef(Type::V4I32);
            let compared = b.icmp(IntCond::Ult, v, v);
            assert_eq!(b.func.value_type(compared), Type::V4I1);
            assert!(b.func.defining_inst(compared).is_some());
            let sum = b.binary(BinaryOp::Add, v, v);
            assert!(b.func.defining_inst(sum).is_some());
        });
    }

    #[test]
    fn identities_and_common_subexpressions() {
        build(|b, x| {
            let zero = b.int_const(Type::I32, 0);
            let one = b.int_const(Type::I32, 1);
            assert_eq!(b.binary(BinaryOp::Add, zero, x), x);
            assert_eq!(b.binary(BinaryOp::Mul, x, one), x);
            assert_eq!(b.binary(BinaryOp::Shl, x, zero), x);
            assert_ne!(b.binary(BinaryOp::Sub, zero, x), x);
            let first = b.binary(BinaryOp::Add, x, one);
            assert_eq!(b.binary(BinaryOp::Add, one, x), first);
            assert_ne!(b.binary(BinaryOp::Sub, x, one), first);
            let next = b.create_block();
            b.br(next);
            b.switch_to_block(next);
            assert_ne!(b.binary(BinaryOp::Add, x, one), first);
        });
    }
}

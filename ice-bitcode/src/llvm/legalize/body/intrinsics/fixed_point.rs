//! Products and quotients of fixed-point numbers (`llvm.smul.fix` and its like): integers that stand for themselves divided by a
//! power of two, the scale. They are exact in twice the width, then rounded down, as LLVM's expansions are.

use ice_ir::{BinaryOp, CastOp, IntCond};

use super::Call;
use crate::llvm::legalize::body::arithmetic::Cond;
use crate::llvm::legalize::body::integer::Sign;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, unsupported};
use crate::llvm::legalize::shape::Scalar;

/// What becomes of a result that the type does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Excess {
    /// It wraps round.
    Wraps,
    /// It stops at the ends of the range.
    Saturates,
}

impl Body<'_, '_> {
    /// A product.
    pub(super) fn fixed_product(&mut self, call: &Call, sign: Sign, excess: Excess) -> Checked<Operand> {
        let down = if sign == Sign::Signed { BinaryOp::Ashr } else { BinaryOp::Lshr };
        self.fixed_point(call, sign, excess, |cx, wide, [a, b], scale| {
            let product = cx.scalar_binary(BinaryOp::Mul, wide, a, b)?;
            cx.scalar_binary(down, wide, product, scale)
        })
    }

    /// A quotient.
    pub(super) fn fixed_quotient(&mut self, call: &Call, sign: Sign, excess: Excess) -> Checked<Operand> {
        self.fixed_point(call, sign, excess, |cx, wide, [a, b], scale| {
            let scaled = cx.scalar_binary(BinaryOp::Shl, wide, a, scale)?;
            if sign == Sign::Unsigned {
                return cx.scalar_binary(BinaryOp::Udiv, wide, scaled, b);
            }
            let quotient = cx.scalar_binary(BinaryOp::Sdiv, wide, scaled, b)?;
            let back = cx.scalar_binary(BinaryOp::Mul, wide, quotient, b)?;
            // Division rounds to zero: one less where something is left and the signs differ.
            let is_inexact = cx.scalar_compare(Cond::Int(IntCond::Ne), wide, back, scaled)?;
            let signs = cx.scalar_binary(BinaryOp::Xor, wide, scaled, b)?;
            let zero = cx.scalar_int(wide, 0)?;
            let differ = cx.scalar_compare(Cond::Int(IntCond::Slt), wide, signs, zero)?;
            let is_above = cx.bin(BinaryOp::And, is_inexact, differ);
            let one = cx.scalar_int(wide, 1)?;
            let below = cx.scalar_binary(BinaryOp::Sub, wide, quotient, one)?;
            Ok(cx.run_choose(is_above, below, quotient))
        })
    }

    /// What `exact` gives of two numbers in a type of twice the width and the scale, in their own type.
    fn fixed_point(
        &mut self,
        call: &Call,
        sign: Sign,
        excess: Excess,
        exact: impl Fn(&mut Self, Scalar, [Run; 2], Run) -> Checked<Run>,
    ) -> Checked<Operand> {
        let [a, b, scale, ..] = call.args;
        let Some(scale) = self.constant_number(scale) else {
            return unsupported("a scale of fixed-point numbers that varies");
        };
        self.map_lanes(call.ret, &[a, b], |cx, scalar, runs| {
            let Scalar::Int(bits) = scalar else { return unsupported("fixed-point numbers that are floats") };
            if !(0..=i64::from(bits)).contains(&scale) {
                return unsupported("a scale of fixed-point numbers beyond their width");
            }
            let wide = Scalar::Int(2 * bits);
            let extend = if sign == Sign::Signed { CastOp::Sext } else { CastOp::Zext };
            let operands = [
                cx.scalar_cast(extend, scalar, wide, runs[0])?,
                cx.scalar_cast(extend, scalar, wide, runs[1])?,
            ];
            let scale = cx.scalar_int(wide, scale)?;
            let mut result = exact(cx, wide, operands, scale)?;
            if excess == Excess::Saturates {
                // The greatest number is the lowest bits set, one less for numbers with a sign; the least its complement or 0.
                let ones = cx.scalar_int(wide, -1)?;
                let room = if sign == Sign::Signed { bits + 1 } else { bits };
                let room = cx.scalar_int(wide, room.into())?;
                let most = cx.scalar_binary(BinaryOp::Lshr, wide, ones, room)?;
                if sign == Sign::Unsigned {
                    result = cx.pick(IntCond::Ult, wide, result, most)?;
                } else {
                    let least = cx.scalar_binary(BinaryOp::Xor, wide, most, ones)?;
                    result = cx.pick(IntCond::Slt, wide, result, most)?;
                    result = cx.pick(IntCond::Sgt, wide, result, least)?;
                }
            }
            cx.scalar_cast(CastOp::Trunc, wide, scalar, result)
        })
    }
}

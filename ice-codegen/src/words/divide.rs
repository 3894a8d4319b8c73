//! Division and remainder of integers of up to 32 bits.
//!
//! By a constant no division is left: shifts for powers of two, the high half of a product for the others
//! ([`division`](crate::division)); the remainder is the dividend less the quotient times the divisor. A signed division
//! by 2^k rounds toward zero: 2^k - 1 is added to a negative dividend. Narrow operands are divided in 32 bits. By a
//! variable the machine divides, or a helper; once for a quotient and a remainder of the same numbers that are near each
//! other.
//!
//! The minimum divided by -1 wraps.

use super::{Cx, Word, Words};
use crate::division::{Adjust, Plan, divisor, plan};
use crate::mach::{Sink, VReg};
use crate::magic::{Part, Signedness, parts};
use crate::shared_division::{Partner, partner};
use ice_ir::{BinaryOp, Type, Value};

/// Any division of integers of up to 32 bits.
pub fn divide<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: BinaryOp,
    [a, b]: [Value; 2],
    ty: Type,
    dst: VReg,
) {
    let (sign, part) = parts(op);
    let constant = cx.func.int_value(b).map(|n| divisor(sign, ty, n)).filter(|&n| n != 0);
    let partner = match constant {
        None => partner(cx.func, cx.uses, cx.current_inst(), (op, [a, b])),
        Some(_) => Partner::None,
    };
    if let Partner::Before = partner {
        return;
    }
    let x = target.extended(cx, sign, a);
    if let Some(n) = constant
        && ty != Type::I1
        && by_constant(target, cx, op, ty, [x, dst], n)
    {
        return;
    }
    let rhs = target.extended(cx, sign, b);
    if constant.is_none() {
        target.trap_if_zero(cx, rhs, None);
    }
    let Partner::Behind(other) = partner else { return target.divide_words(cx, op, [x, rhs], dst) };
    let other = cx.regs(other).lo();
    let results = if part == Part::Quotient { [dst, other] } else { [other, dst] };
    let op = if sign == Signedness::Signed { BinaryOp::Sdiv } else { BinaryOp::Udiv };
    target.divide_both(cx, op, [x, rhs], results);
}

/// A division by a constant that takes none; says whether there is a way.
pub(super) fn by_constant<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: BinaryOp,
    ty: Type,
    [x, dst]: [VReg; 2],
    n: i64,
) -> bool {
    let (sign, part) = parts(op);
    if n.unsigned_abs().is_power_of_two() {
        match sign {
            Signedness::Unsigned => unsigned_power(target, cx, part, [x, dst], n.trailing_zeros() as u8),
            Signedness::Signed => signed_power(target, cx, part, [x, dst], n),
        }
        return true;
    }
    let Some(plan) = plan(sign, ty, n) else { return false };
    let factor = target.number_reg(cx, plan.multiplier());
    let quotient = if part == Part::Quotient { dst } else { target.temp(cx) };
    by_product(target, cx, plan, [x, factor], quotient);
    if part == Part::Remainder {
        let number = target.number_reg(cx, n as u32);
        target.multiply_add(cx, BinaryOp::Sub, dst, x, [quotient, number]);
    }
    true
}

/// By 2^k.
fn unsigned_power<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    part: Part,
    [x, dst]: [VReg; 2],
    k: u8,
) {
    match (part, k) {
        (Part::Quotient, _) => target.mov_word(cx, dst, Word::shifted(x, BinaryOp::Lshr, k)),
        (Part::Remainder, 0) => target.mov_word(cx, dst, Word::Number(0)),
        (Part::Remainder, size) => target.extract(cx, Signedness::Unsigned, dst, x, 0, size),
    }
}

/// By 2^k or -2^k.
fn signed_power<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    part: Part,
    [x, dst]: [VReg; 2],
    n: i64,
) {
    let k = n.trailing_zeros() as u8;
    if (part, k) == (Part::Remainder, 0) {
        return target.mov_word(cx, dst, Word::Number(0));
    }
    let quotient = match k {
        0 => x,
        _ => {
            let sign = if k == 1 { Word::Reg(x) } else { Word::shifted(x, BinaryOp::Ashr, 31) };
            let sign = target.word_reg(cx, sign);
            let sum = target.word(cx, BinaryOp::Add, x, Word::shifted(sign, BinaryOp::Lshr, 32 - k));
            target.word_reg(cx, Word::shifted(sum, BinaryOp::Ashr, k))
        }
    };
    match part {
        Part::Remainder => {
            let product = Word::shifted(quotient, BinaryOp::Shl, k);
            target.word_op(cx, BinaryOp::Sub, dst, x.into(), product);
        }
        Part::Quotient if n < 0 => {
            target.word_op(cx, BinaryOp::Sub, dst, Word::Number(0), quotient.into());
        }
        Part::Quotient => target.mov_word(cx, dst, quotient.into()),
    }
}

/// `dst` = the quotient of `x`, by the multiplier in `factor`.
fn by_product<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    plan: Plan,
    [x, factor]: [VReg; 2],
    dst: VReg,
) {
    use BinaryOp::{Add, Ashr, Lshr, Sub};
    let (sign, x) = match plan {
        Plan::Signed { .. } => (Signedness::Signed, x),
        Plan::Unsigned { before: 0, .. } => (Signedness::Unsigned, x),
        Plan::Unsigned { before, .. } => {
            (Signedness::Unsigned, target.word_reg(cx, Word::shifted(x, Lshr, before)))
        }
    };
    if let Plan::Unsigned { shift, add: false, .. } = plan {
        return target.multiply_high_shifted(cx, dst, [x, factor], shift);
    }
    let high = target.multiply_high(cx, sign, [x, factor]);
    match plan {
        Plan::Unsigned { shift, .. } => {
            // ((x - high) / 2 + high) >> (s - 1): the sum in one bit more.
            let rest = target.word(cx, Sub, x, high);
            let sum = target.word(cx, Add, high, Word::shifted(rest, Lshr, 1));
            target.mov_word(cx, dst, Word::shifted(sum, Lshr, shift.saturating_sub(1)));
        }
        Plan::Signed { shift, adjust, .. } => {
            let high = match adjust {
                None => high,
                Some(Adjust::Add) => target.word(cx, Add, high, x),
                Some(Adjust::Subtract) => target.word(cx, Sub, high, x),
            };
            let shifted = target.word_reg(cx, Word::shifted(high, Ashr, shift));
            target.word_op(cx, Add, dst, shifted.into(), Word::shifted(high, Lshr, 31));
        }
    }
}

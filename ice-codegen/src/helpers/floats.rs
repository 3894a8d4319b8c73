//! Numbers of 64 bits as floats, floats as such numbers, and remainders of floats.
//!
//! Remainders are exact: the largest multiple of the divisor by a power of two that is not above the rest is taken away, as
//! long as the rest is not below the divisor. Each difference is exact, for the rest is less than twice what is taken (Sterbenz
//! 1974). Such a multiple has the digits of the divisor and the exponent of the rest, or one less. A divisor without an
//! exponent is scaled by 2^54 first, which leaves a rest that can be scaled as well.

use super::build::Build;
use super::words::TWO_32;
use crate::magic::Signedness;
use ice_ir::{BinaryOp, CastOp, FloatCond, IntCond, Type, Value};

/// Bits of digits in a double.
const DIGITS: i64 = 52;
/// The bits of a double without its sign.
const MAGNITUDE: i64 = i64::MAX;
const TWO_54: f64 = (1_u64 << 54) as f64;

impl Build<'_> {
    fn bits(&mut self, double: Value) -> Value {
        self.cast(CastOp::Bitcast, double, Type::I64)
    }

    fn of_bits(&mut self, bits: Value) -> Value {
        self.cast(CastOp::Bitcast, bits, Type::F64)
    }

    fn magnitude(&mut self, double: Value) -> Value {
        let bits = self.bits(double);
        let bits = self.op_int(BinaryOp::And, bits, MAGNITUDE);
        self.of_bits(bits)
    }

    /// A double of a number of any width.
    fn widened(&mut self, float: Value) -> Value {
        match self.ty(float) {
            Type::F32 => self.cast(CastOp::Fpext, float, Type::F64),
            _ => float,
        }
    }

    /// `__ice_f64_to_i64` and so on, toward zero: the upper word first, and the lower one from what is left.
    pub(super) fn fix(&mut self, sign: Signedness) {
        let [float] = self.params();
        let float = self.widened(float);
        let size = if sign == Signedness::Signed { self.magnitude(float) } else { float };
        let per_word = self.double(1.0 / TWO_32);
        let words = self.op(BinaryOp::Fmul, size, per_word);
        let high = self.cast(CastOp::Fptoui, words, Type::I32);
        let words = self.cast(CastOp::Uitofp, high, Type::F64);
        let two_32 = self.double(TWO_32);
        let above = self.op(BinaryOp::Fmul, words, two_32);
        let rest = self.op(BinaryOp::Fsub, size, above);
        let low = self.cast(CastOp::Fptoui, rest, Type::I32);
        let mut number = self.pair([low, high]);
        if sign == Signedness::Signed {
            let bits = self.bits(float);
            let sign = self.op_int(BinaryOp::Ashr, bits, 63);
            let other = self.op(BinaryOp::Xor, number, sign);
            number = self.op(BinaryOp::Sub, other, sign);
        }
        self.ret(Some(number));
    }

    /// `__ice_i64_to_f64` and so on, rounded once: a number that no double holds has lost eleven bits before it becomes a
    /// single, but for whether one of them was set.
    pub(super) fn float(&mut self, sign: Signedness, to: Type) {
        const LOST: i64 = 0x7ff;
        let [number] = self.params();
        if to == Type::F64 {
            let double = self.double_of(number, sign);
            return self.ret(Some(double));
        }
        let (distance, range) = match sign {
            Signedness::Unsigned => (number, 1 << 53),
            Signedness::Signed => (self.op_int(BinaryOp::Add, number, 1 << 53), 1 << 54),
        };
        let is_exact = self.compare_int(IntCond::Ult, distance, range);
        let lost = self.op_int(BinaryOp::And, number, LOST);
        let is_lost = self.compare_int(IntCond::Ne, lost, 0);
        let one = self.cast(CastOp::Zext, is_lost, Type::I64);
        let one = self.op_int(BinaryOp::Shl, one, 11);
        let kept = self.op_int(BinaryOp::And, number, !LOST);
        let kept = self.op(BinaryOp::Or, kept, one);
        let number = self.select(is_exact, number, kept);
        let double = self.double_of(number, sign);
        let single = self.cast(CastOp::Fptrunc, double, Type::F32);
        self.ret(Some(single));
    }

    /// `fmod`, `fmodf`: doubles have the remainders of singles.
    pub(super) fn remainder(&mut self) {
        let [dividend, divisor] = self.params();
        let ty = self.ty(dividend);
        let [x, y] = [dividend, divisor].map(|float| self.widened(float));
        // There is none by 0 and of infinity, and none with a NaN.
        let zero = self.double(0.0);
        let by_something = self.compare_floats(FloatCond::One, y, zero);
        let itself = self.op(BinaryOp::Fsub, x, x);
        let is_finite = self.compare_floats(FloatCond::Ord, itself, itself);
        let is_one = self.op(BinaryOp::And, by_something, is_finite);
        let [result] = self.choose(
            is_one,
            |this| {
                let [rest, size] = [x, y].map(|double| this.magnitude(double));
                let rest =
                    if ty == Type::F32 { this.reduce(rest, size) } else { this.reduce_any(rest, size) };
                let [rest, sign] = [rest, x].map(|double| this.bits(double));
                let sign = this.op_int(BinaryOp::And, sign, !MAGNITUDE);
                let bits = this.op(BinaryOp::Or, rest, sign);
                [this.of_bits(bits)]
            },
            |this| {
                let product = this.op(BinaryOp::Fmul, x, y);
                [this.op(BinaryOp::Fdiv, product, product)]
            },
        );
        let result = if ty == Type::F32 { self.cast(CastOp::Fptrunc, result, ty) } else { result };
        self.ret(Some(result));
    }

    /// The rest below a divisor, neither of which is negative.
    fn reduce_any(&mut self, rest: Value, divisor: Value) -> Value {
        let bits = self.bits(divisor);
        let exponent = self.op_int(BinaryOp::Lshr, bits, DIGITS);
        let has_exponent = self.compare_int(IntCond::Ne, exponent, 0);
        let [rest] = self.choose(
            has_exponent,
            |this| [this.reduce(rest, divisor)],
            |this| {
                let scale = this.double(TWO_54);
                let scaled = this.op(BinaryOp::Fmul, divisor, scale);
                let rest = this.reduce(rest, scaled);
                let rest = this.op(BinaryOp::Fmul, rest, scale);
                let rest = this.reduce(rest, scaled);
                let scale = this.double(1.0 / TWO_54);
                [this.op(BinaryOp::Fmul, rest, scale)]
            },
        );
        rest
    }

    /// The same by a divisor that has an exponent.
    fn reduce(&mut self, rest: Value, divisor: Value) -> Value {
        let is_below = self.compare_floats(FloatCond::Olt, rest, divisor);
        let digits = self.bits(divisor);
        let digits = self.op_int(BinaryOp::And, digits, (1 << DIGITS) - 1);
        let [rest] = self.choose(
            is_below,
            |_| [rest],
            |this| {
                this.repeat([rest], |this, [rest]| {
                    let bits = this.bits(rest);
                    let exponent = this.op_int(BinaryOp::And, bits, !((1 << DIGITS) - 1));
                    let bits = this.op(BinaryOp::Or, exponent, digits);
                    let taken = this.of_bits(bits);
                    let is_above = this.compare_floats(FloatCond::Ogt, taken, rest);
                    let one = this.cast(CastOp::Zext, is_above, Type::I64);
                    let one = this.op_int(BinaryOp::Shl, one, DIGITS);
                    let bits = this.op(BinaryOp::Sub, bits, one);
                    let taken = this.of_bits(bits);
                    let rest = this.op(BinaryOp::Fsub, rest, taken);
                    (this.compare_floats(FloatCond::Oge, rest, divisor), [rest])
                })
            },
        );
        rest
    }
}

//! Bits, quotients and remainders of 64 bits.
//!
//! A quotient below 2^32 is found by doubles: that of the two numbers, each of which is off by 2^-53 of it at most, less 2^-40
//! of it, is below the true one and not by one, so that its integer part is the wanted one or one less. The upper word of a
//! quotient by a word is one of words.

use super::build::Build;
use crate::magic::{Part, Signedness};
use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

/// 2^32.
pub(super) const TWO_32: f64 = 4_294_967_296.0;
/// More than the errors of a quotient, and less than 2^-32.
const ERROR: f64 = 1.0 / (1_u64 << 40) as f64;

impl Build<'_> {
    /// `__popcountsi2`, `__popcountdi2`: sums of neighbours, in fields of 2, 4 and 8 bits (Warren, *Hacker's Delight*, 5-1).
    pub(super) fn count_ones(&mut self) {
        let [value] = self.params();
        let of_two = self.op_int(BinaryOp::Lshr, value, 1);
        let of_two = self.op_int(BinaryOp::And, of_two, 0x5555_5555_5555_5555);
        let twos = self.op(BinaryOp::Sub, value, of_two);
        let fours = self.sum_of_neighbours(twos, 2, 0x3333_3333_3333_3333);
        let eights = self.sum_of_neighbours(fours, 4, 0x0f0f_0f0f_0f0f_0f0f);
        let eights = match self.ty(eights) {
            Type::I64 => {
                let [low, high] = self.halves(eights);
                self.op(BinaryOp::Add, low, high)
            }
            _ => eights,
        };
        let sum = self.op_int(BinaryOp::Mul, eights, 0x0101_0101);
        let sum = self.op_int(BinaryOp::Lshr, sum, 24);
        self.ret(Some(sum));
    }

    fn sum_of_neighbours(&mut self, fields: Value, bits: i64, mask: i64) -> Value {
        let other = self.op_int(BinaryOp::Lshr, fields, bits);
        let [one, other] = [fields, other].map(|fields| self.op_int(BinaryOp::And, fields, mask));
        self.op(BinaryOp::Add, one, other)
    }

    /// The lower and the upper word.
    pub(super) fn halves(&mut self, pair: Value) -> [Value; 2] {
        let high = self.op_int(BinaryOp::Lshr, pair, 32);
        [pair, high].map(|half| self.cast(CastOp::Trunc, half, Type::I32))
    }

    pub(super) fn pair(&mut self, [low, high]: [Value; 2]) -> Value {
        let [low, high] = [low, high].map(|half| self.cast(CastOp::Zext, half, Type::I64));
        let high = self.op_int(BinaryOp::Shl, high, 32);
        self.op(BinaryOp::Or, low, high)
    }

    /// The double of a pair, rounded once.
    pub(super) fn double_of(&mut self, pair: Value, sign: Signedness) -> Value {
        let [low, high] = self.halves(pair);
        let of_high = match sign {
            Signedness::Signed => CastOp::Sitofp,
            Signedness::Unsigned => CastOp::Uitofp,
        };
        let low = self.cast(CastOp::Uitofp, low, Type::F64);
        let high = self.cast(of_high, high, Type::F64);
        let two_32 = self.double(TWO_32);
        let high = self.op(BinaryOp::Fmul, high, two_32);
        self.op(BinaryOp::Fadd, high, low)
    }

    /// All bits of a pair that are its sign.
    fn sign_of(&mut self, pair: Value) -> Value {
        self.op_int(BinaryOp::Ashr, pair, 63)
    }

    /// Negates a value if a sign is set.
    fn negate_if(&mut self, sign: Value, value: Value) -> Value {
        let other = self.op(BinaryOp::Xor, value, sign);
        self.op(BinaryOp::Sub, other, sign)
    }

    /// `__udivdi3` and so on.
    pub(super) fn divide(&mut self, sign: Signedness, wanted: Part) {
        let [dividend, divisor] = self.params();
        if sign == Signedness::Unsigned {
            let result = self.divide_unsigned(dividend, divisor, wanted);
            return self.ret(Some(result));
        }
        let signs = [dividend, divisor].map(|value| self.sign_of(value));
        let [a, b] = [(signs[0], dividend), (signs[1], divisor)];
        let (a, b) = (self.negate_if(a.0, a.1), self.negate_if(b.0, b.1));
        let result = self.divide_unsigned(a, b, wanted);
        let sign = match wanted {
            Part::Quotient => self.op(BinaryOp::Xor, signs[0], signs[1]),
            Part::Remainder => signs[0],
        };
        let result = self.negate_if(sign, result);
        self.ret(Some(result));
    }

    fn divide_unsigned(&mut self, dividend: Value, divisor: Value, wanted: Part) -> Value {
        let [low, high] = self.halves(dividend);
        let [word, above] = self.halves(divisor);
        let is_word = self.compare_int(IntCond::Eq, above, 0);
        let zero = self.int(Type::I32, 0);
        // The upper word of the quotient, and a rest of which the lower one is.
        let [upper, rest] = self.choose(
            is_word,
            |this| {
                let upper = this.op(BinaryOp::Udiv, high, word);
                let product = this.op(BinaryOp::Mul, upper, word);
                [upper, this.op(BinaryOp::Sub, high, product)]
            },
            |_| [zero, high],
        );
        let both = self.op(BinaryOp::Or, above, rest);
        let are_words = self.compare_int(IntCond::Eq, both, 0);
        let [lower, remainder] = self.choose(
            are_words,
            |this| {
                let quotient = this.op(BinaryOp::Udiv, low, word);
                let product = this.op(BinaryOp::Mul, quotient, word);
                let rest = this.op(BinaryOp::Sub, low, product);
                [quotient, this.cast(CastOp::Zext, rest, Type::I64)]
            },
            |this| {
                let rest = this.pair([low, rest]);
                this.divide_by_doubles(rest, divisor)
            },
        );
        match wanted {
            Part::Quotient => self.pair([lower, upper]),
            Part::Remainder => remainder,
        }
    }

    /// A quotient below 2^32, and the remainder.
    fn divide_by_doubles(&mut self, dividend: Value, divisor: Value) -> [Value; 2] {
        let [a, b] = [dividend, divisor].map(|value| self.double_of(value, Signedness::Unsigned));
        let quotient = self.op(BinaryOp::Fdiv, a, b);
        let error = self.double(ERROR);
        let error = self.op(BinaryOp::Fmul, quotient, error);
        let quotient = self.op(BinaryOp::Fsub, quotient, error);
        let quotient = self.cast(CastOp::Fptoui, quotient, Type::I32);
        let wide = self.cast(CastOp::Zext, quotient, Type::I64);
        let product = self.op(BinaryOp::Mul, wide, divisor);
        let rest = self.op(BinaryOp::Sub, dividend, product);
        let is_more = self.compare(IntCond::Uge, rest, divisor);
        let next = self.op_int(BinaryOp::Add, quotient, 1);
        let less = self.op(BinaryOp::Sub, rest, divisor);
        [self.select(is_more, next, quotient), self.select(is_more, less, rest)]
    }
}

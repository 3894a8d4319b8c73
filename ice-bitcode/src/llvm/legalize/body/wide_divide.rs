//! Division of integers of more than 64 bits: the functions of the compiler's library, which exist for 128 bits on some
//! machines, else a loop of long division in base 2, or short division in base 2^32 by a number of one such digit (Knuth, The Art of
//! Computer Programming 2, 4.3.1, and exercise 16 there).

use ice_ir::{BinaryOp, CastOp, InstData, IntCond, Type, Value};

use super::integer::BitOp;
use super::values::Run;
use super::{Body, Checked};

impl Body<'_, '_> {
    /// A quotient or remainder of integers of `bits` bits.
    pub(super) fn wide_divide(&mut self, op: BinaryOp, bits: u32, a: Run, b: Run) -> Checked<Run> {
        let is_signed = matches!(op, BinaryOp::Sdiv | BinaryOp::Srem);
        let [a, b] = [a, b].map(|number| match is_signed {
            true => self.wide_sign_above(bits, number),
            false => self.wide_zero_above(bits, number),
        });
        let name = match op {
            BinaryOp::Udiv => "__udivti3",
            BinaryOp::Urem => "__umodti3",
            BinaryOp::Sdiv => "__divti3",
            _ => "__modti3",
        };
        if self.has_wide_function(name, bits) {
            let args = [self.get(a, 0), self.get(a, 1), self.get(b, 0), self.get(b, 1)];
            return self.library_pair(name, &args);
        }
        let wants_quotient = matches!(op, BinaryOp::Udiv | BinaryOp::Sdiv);
        let pick = |(quotient, rest)| if wants_quotient { quotient } else { rest };
        if !is_signed {
            return Ok(pick(self.wide_quotient_and_rest(a, b)?));
        }
        let signs = [a, b].map(|number| self.wide_sign(number));
        let (a, b) = (self.wide_negate_if(signs[0], a), self.wide_negate_if(signs[1], b));
        let result = pick(self.wide_quotient_and_rest(a, b)?);
        let sign = match wants_quotient {
            true => self.bin(BinaryOp::Xor, signs[0], signs[1]),
            false => signs[0],
        };
        Ok(self.wide_negate_if(sign, result))
    }

    /// A limb with all bits those of the sign.
    pub(super) fn wide_sign(&mut self, number: Run) -> Value {
        self.bin_int(BinaryOp::Ashr, self.get(number, number.len - 1), 63)
    }

    /// The number, negated where the bits of `sign` are set.
    pub(super) fn wide_negate_if(&mut self, sign: Value, number: Run) -> Run {
        let signs = self.reserve(number.len);
        (0..number.len).for_each(|i| self.set(signs, i, sign));
        let other = self.wide_each(BinaryOp::Xor, number, signs);
        self.wide_add_sub(BinaryOp::Sub, other, signs).0
    }

    /// Quotient and remainder of unsigned numbers.
    fn wide_quotient_and_rest(&mut self, a: Run, b: Run) -> Checked<(Run, Run)> {
        match self.digit(b) {
            Some(divisor) => Ok(self.wide_short_division(a, divisor)),
            None => self.wide_long_division(a, b),
        }
    }

    /// The number that `b` is, if it is a constant of one digit in base 2^32, and not zero.
    fn digit(&self, b: Run) -> Option<i64> {
        let limb = |i| self.b.func.int_value(self.get(b, i));
        let is_short = (1..b.len).all(|i| limb(i) == Some(0));
        limb(0).filter(|number| is_short && (1..1 << 32).contains(number))
    }

    /// Quotient and remainder by a number of one digit: digit by digit, each with the rest of those above.
    fn wide_short_division(&mut self, a: Run, divisor: i64) -> (Run, Run) {
        let divisor = self.i64(divisor);
        let (quotient, rest) = (self.reserve(a.len), self.wide_int(0, a.len));
        let mut left = self.i64(0);
        for i in (0..a.len).rev() {
            let limb = self.get(a, i);
            let digits =
                [self.bin_int(BinaryOp::Lshr, limb, 32), self.bin_int(BinaryOp::And, limb, u32::MAX.into())];
            let [upper, lower] = digits.map(|digit| {
                let above = self.bin_int(BinaryOp::Shl, left, 32);
                let both = self.bin(BinaryOp::Or, above, digit);
                let part = self.bin(BinaryOp::Udiv, both, divisor);
                left = self.bin(BinaryOp::Urem, both, divisor);
                part
            });
            let upper = self.bin_int(BinaryOp::Shl, upper, 32);
            let limb = self.bin(BinaryOp::Or, upper, lower);
            self.set(quotient, i, limb);
        }
        self.set(rest, 0, left);
        (quotient, rest)
    }

    /// Quotient and remainder of unsigned numbers. Each round moves the highest bit of the dividend into the rest, takes the
    /// divisor from it where it fits, and the bit that says so into the dividend, which is the quotient in the end. The zeros that
    /// the dividend begins with take no rounds, but there is one.
    fn wide_long_division(&mut self, a: Run, b: Run) -> Checked<(Run, Run)> {
        let bits = a.len * 64;
        let zeros = self.wide_bits(BitOp::Ctlz, bits, a)?;
        let (zeros, most) = (self.get(zeros, 0), self.i64(i64::from(bits) - 1));
        let is_less = self.b.icmp(IntCond::Ult, zeros, most);
        let zeros = self.choose(is_less, zeros, most);
        let a = self.wide_shift(BinaryOp::Shl, a, zeros);
        let (zero, all) = (self.wide_int(0, a.len), self.i64(bits.into()));
        let rounds = self.bin(BinaryOp::Sub, all, zeros);
        let rounds = self.cast(CastOp::Trunc, rounds, Type::I32);
        let before = self.ice_block();
        let (again, done) = (self.b.create_block(), self.b.create_block());
        self.b.br(again);
        self.continue_in(again);
        let left = self.b.phi(Type::I32, &[(rounds, before), (rounds, again)]);
        let [dividend, rest] = [a, zero].map(|start| {
            let run = self.reserve(start.len);
            for i in 0..start.len {
                let limb = self.get(start, i);
                let phi = self.b.phi(Type::I64, &[(limb, before), (limb, again)]);
                self.set(run, i, phi);
            }
            run
        });
        let nothing = self.i64(0);
        let (shifted, bit) = self.wide_double(dividend, nothing);
        let (more, above) = self.wide_double(rest, bit);
        let (less, borrow) = self.wide_add_sub(BinaryOp::Sub, more, b);
        let borrow = self.cast(CastOp::Zext, borrow, Type::I64);
        let fits = self.bin_int(BinaryOp::Xor, borrow, 1);
        let fits = self.bin(BinaryOp::Or, fits, above);
        let takes = self.icmp_int(IntCond::Ne, fits, 0);
        let next_rest = self.run_choose(takes, less, more);
        let low = self.bin(BinaryOp::Or, self.get(shifted, 0), fits);
        self.set(shifted, 0, low);
        let next_left = self.bin_int(BinaryOp::Sub, left, 1);
        let goes_on = self.icmp_int(IntCond::Ne, next_left, 0);
        self.b.cond_br(goes_on, again, done);
        self.come_again(left, next_left);
        for i in 0..a.len {
            self.come_again(self.get(dividend, i), self.get(shifted, i));
            self.come_again(self.get(rest, i), self.get(next_rest, i));
        }
        self.continue_in(done);
        Ok((shifted, next_rest))
    }

    /// The number times two plus `bit`, and the bit above.
    fn wide_double(&mut self, number: Run, mut bit: Value) -> (Run, Value) {
        let out = self.reserve(number.len);
        for i in 0..number.len {
            let limb = self.get(number, i);
            let double = self.bin_int(BinaryOp::Shl, limb, 1);
            let double = self.bin(BinaryOp::Or, double, bit);
            self.set(out, i, double);
            bit = self.bin_int(BinaryOp::Lshr, limb, 63);
        }
        (out, bit)
    }

    /// Says what comes to a phi of two edges over the second one.
    pub(super) fn come_again(&mut self, phi: Value, next: Value) {
        if let Some(inst) = self.b.func.defining_inst(phi)
            && let InstData::Phi { incoming } = *self.b.func.inst(inst)
        {
            self.b.func.incoming_mut(incoming)[1].0 = next;
        }
    }
}

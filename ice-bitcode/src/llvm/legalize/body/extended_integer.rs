//! Conversions between `x86_fp80` and integers of more than 64 bits, by the fields of the format.

use ice_ir::{BinaryOp, CastOp, IntCond, Type};

use super::extended::{EXPONENT, INTEGER_EXPONENT, LEADING, SIGN};
use super::integer::Sign;
use super::values::Run;
use super::wide_float::Normalized;
use super::{Body, Checked};

impl Body<'_, '_> {
    /// The whole part of a number in `bits` bits. Of what has no place there it is any number.
    pub(super) fn extended_to_wide(&mut self, sign: Sign, a: Run, bits: u32) -> Run {
        let (significand, upper) = (self.get(a, 0), self.get(a, 1));
        let exponent = self.bin_int(BinaryOp::And, upper, EXPONENT);
        let up = self.bin_int(BinaryOp::Sub, exponent, INTEGER_EXPONENT);
        let [up, down] = self.up_and_down(up);
        let number = self.extended_whole(significand, down);
        let number = self.push(number);
        let number = self.wide_resize(number, bits.div_ceil(64), Sign::Unsigned);
        let number = self.wide_shift(BinaryOp::Shl, number, up);
        match sign {
            Sign::Signed => {
                let signs = self.bin_int(BinaryOp::Shl, upper, 48);
                let signs = self.bin_int(BinaryOp::Ashr, signs, 63);
                self.wide_negate_if(signs, number)
            }
            Sign::Unsigned => number,
        }
    }

    /// The number next to an integer whose last limb is extended; to the even one of two.
    pub(super) fn wide_to_extended(&mut self, sign: Sign, a: Run) -> Checked<Run> {
        let Normalized { signs, zeros, high, low } = self.normalized(sign, a)?;
        let is_zero = self.icmp_int(IntCond::Eq, high, 0);
        let [zero, leading] = [0, LEADING].map(|number| self.i64(number));
        // Up from more than a half, and from a half where the last bit is one.
        let odd = self.bin_int(BinaryOp::And, high, 1);
        let limit = self.bin(BinaryOp::Sub, leading, odd);
        let is_up = self.icmp(IntCond::Ugt, low, limit);
        let carry = self.cast(CastOp::Zext, is_up, Type::I64);
        let rounded = self.bin(BinaryOp::Add, high, carry);
        // All ones become the next power of two.
        let is_power = self.icmp_int(IntCond::Eq, rounded, 0);
        let significand = self.choose(is_power, leading, rounded);
        let carry = self.cast(CastOp::Zext, is_power, Type::I64);
        let most = self.i64(INTEGER_EXPONENT + 64 * i64::from(a.len - 1));
        let exponent = self.bin(BinaryOp::Sub, most, zeros);
        let exponent = self.bin(BinaryOp::Add, exponent, carry);
        let infinite = self.i64(EXPONENT);
        let is_infinite = self.icmp(IntCond::Sge, exponent, infinite);
        let [significand, exponent] =
            [(leading, significand), (infinite, exponent)].map(|(of_infinity, other)| {
                let other = self.choose(is_infinite, of_infinity, other);
                self.choose(is_zero, zero, other)
            });
        let sign = self.bin_int(BinaryOp::And, signs, SIGN);
        let upper = self.bin(BinaryOp::Or, exponent, sign);
        let out = self.reserve(2);
        self.set(out, 0, significand);
        self.set(out, 1, upper);
        Ok(out)
    }
}

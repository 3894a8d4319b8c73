//! Conversions between binary128 and integers that the compiler's library does not know: by the fields of the format.

use ice_ir::{BinaryOp, CastOp, IntCond, Type};

use super::integer::Sign;
use super::quad::{BIAS, FRACTION};
use super::values::Run;
use super::wide_float::Normalized;
use super::{Body, Checked};

/// Bits of a fraction.
const FRACTION_BITS: i64 = 112;
/// Bits of two limbs that are below those of a number.
const BELOW: i64 = 128 - (FRACTION_BITS + 1);

impl Body<'_, '_> {
    /// The whole part of a number in `bits` bits. Of what has no place there it is any number.
    pub(super) fn quad_to_wide(&mut self, sign: Sign, a: Run, bits: u32) -> Checked<Run> {
        let halves = self.quad_halves(a);
        let high = self.get(halves, 1);
        let field = self.bin_int(BinaryOp::Lshr, high, FRACTION);
        let field = self.bin_int(BinaryOp::And, field, 0x7fff);
        let fraction = self.bin_int(BinaryOp::And, high, (1 << FRACTION) - 1);
        let fraction = self.bin_int(BinaryOp::Or, fraction, 1 << FRACTION);
        let number = self.reserve(2);
        self.copy(number, 0, halves.part(0, 1));
        self.set(number, 1, fraction);
        let up = self.bin_int(BinaryOp::Sub, field, BIAS + FRACTION_BITS);
        // Less than 1 leaves nothing.
        let [up, down] = self.up_and_down(up);
        let most = self.i64(127);
        let down = self.int_pick(IntCond::Slt, 64, down, most);
        let number = self.wide_shift(BinaryOp::Lshr, number, down);
        let number = self.wide_resize(number, bits.div_ceil(64), Sign::Unsigned);
        let number = self.wide_shift(BinaryOp::Shl, number, up);
        Ok(match sign {
            Sign::Signed => {
                let signs = self.bin_int(BinaryOp::Ashr, high, 63);
                self.wide_negate_if(signs, number)
            }
            Sign::Unsigned => number,
        })
    }

    /// The number next to an integer whose last limb is extended; to the even one of two.
    pub(super) fn wide_to_quad(&mut self, sign: Sign, a: Run) -> Checked<Run> {
        let bits = 64 * a.len;
        let Normalized { signs, zeros, high, low } = self.normalized(sign, a)?;
        let is_zero = self.icmp_int(IntCond::Eq, high, 0);
        // Adding just under half of the last place, and the last bit, carries into it where it is to be rounded up.
        let rest = self.bin_int(BinaryOp::And, low, (1 << BELOW) - 1);
        let kept = self.bin_int(BinaryOp::Lshr, low, BELOW);
        let odd = self.bin_int(BinaryOp::And, kept, 1);
        let rest = self.bin_int(BinaryOp::Add, rest, (1 << (BELOW - 1)) - 1);
        let rest = self.bin(BinaryOp::Add, rest, odd);
        let carry = self.bin_int(BinaryOp::Lshr, rest, BELOW);
        let middle = self.bin_int(BinaryOp::Shl, high, 64 - BELOW);
        let low = self.bin(BinaryOp::Or, kept, middle);
        let low = self.bin(BinaryOp::Add, low, carry);
        let carries = self.icmp(IntCond::Ult, low, carry);
        let carry = self.cast(CastOp::Zext, carries, Type::I64);
        let high = self.bin_int(BinaryOp::Lshr, high, BELOW);
        let high = self.bin(BinaryOp::Add, high, carry);
        // The leading one adds 1 to the exponent.
        let most = self.i64(BIAS + i64::from(bits) - 2);
        let exponent = self.bin(BinaryOp::Sub, most, zeros);
        let limit = self.i64(0x7ffe);
        let is_infinite = self.icmp(IntCond::Sge, exponent, limit);
        let exponent = self.bin_int(BinaryOp::Shl, exponent, FRACTION);
        let high = self.bin(BinaryOp::Add, high, exponent);
        let [zero, infinity] = [0, 0x7fff << FRACTION].map(|half| self.i64(half));
        let low = self.choose(is_infinite, zero, low);
        let low = self.choose(is_zero, zero, low);
        let high = self.choose(is_infinite, infinity, high);
        let high = self.choose(is_zero, zero, high);
        let sign = self.bin_int(BinaryOp::And, signs, i64::MIN);
        let high = self.bin(BinaryOp::Or, high, sign);
        let halves = self.reserve(2);
        self.set(halves, 0, low);
        self.set(halves, 1, high);
        Ok(self.quads_of(halves))
    }
}

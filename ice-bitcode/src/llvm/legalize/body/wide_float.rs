//! Conversions between floats and integers of more than 64 bits: the functions of the compiler's library, which exist for 128
//! bits on some machines, else by the fields of the formats of IEEE 754.

use ice_ir::{BinaryOp, CastOp, IntCond, Type, Value};

use super::integer::{BitOp, Sign};
use super::values::Run;
use super::{Body, Checked, unsupported};

/// The exponent field of 1 in an `f64`.
const BIAS: i64 = 1023;
/// Bits of the fraction of an `f64`.
const FRACTION: i64 = 52;

/// A number of two limbs or more, shifted until its first one leads.
pub(super) struct Normalized {
    /// All bits the sign of the number.
    pub signs: Value,
    /// By how much it was shifted.
    pub zeros: Value,
    /// The two highest limbs, with one bit for whatever is below them. The first is 0 if the number is.
    pub high: Value,
    pub low: Value,
}

impl Body<'_, '_> {
    /// The magnitude of a number whose last limb is extended.
    pub(super) fn normalized(&mut self, sign: Sign, a: Run) -> Checked<Normalized> {
        let (signs, magnitude) = match sign {
            Sign::Signed => {
                let signs = self.wide_sign(a);
                (signs, self.wide_negate_if(signs, a))
            }
            Sign::Unsigned => (self.i64(0), a),
        };
        let zeros = self.wide_bits(BitOp::Ctlz, 64 * a.len, magnitude)?;
        let zeros = self.get(zeros, 0);
        let shifted = self.wide_shift(BinaryOp::Shl, magnitude, zeros);
        let high = self.get(shifted, a.len - 1);
        let mut low = self.get(shifted, a.len - 2);
        if a.len > 2 {
            let below = self.wide_any(shifted.part(0, a.len - 2));
            let is_inexact = self.icmp_int(IntCond::Ne, below, 0);
            let is_inexact = self.cast(CastOp::Zext, is_inexact, Type::I64);
            low = self.bin(BinaryOp::Or, low, is_inexact);
        }
        Ok(Normalized { signs, zeros, high, low })
    }

    /// By how many bits to shift up and down for a shift up by a number with a sign: one of both is nothing.
    pub(super) fn up_and_down(&mut self, up: Value) -> [Value; 2] {
        let zero = self.i64(0);
        let down = self.bin(BinaryOp::Sub, zero, up);
        [up, down].map(|by| self.int_pick(IntCond::Sgt, 64, by, zero))
    }

    /// The `ty`, `f32` or `f64`, next to a number of `bits` bits whose last limb is extended; to the even one of two.
    pub(super) fn wide_to_float(&mut self, sign: Sign, bits: u32, a: Run, ty: Type) -> Checked<Value> {
        let name = match (sign, ty) {
            (Sign::Signed, Type::F64) => "__floattidf",
            (Sign::Signed, _) => "__floattisf",
            (Sign::Unsigned, Type::F64) => "__floatuntidf",
            (Sign::Unsigned, _) => "__floatuntisf",
        };
        if self.has_wide_function(name, bits) {
            let value = self.library(name, &[self.get(a, 0), self.get(a, 1)], ty)?;
            return value.map_or_else(|| unsupported(name), Ok);
        }
        // The highest limb, with one bit for whatever is below it.
        let Normalized { signs, zeros, high, low } = self.normalized(sign, a)?;
        let is_inexact = self.icmp_int(IntCond::Ne, low, 0);
        let is_inexact = self.cast(CastOp::Zext, is_inexact, Type::I64);
        let top = self.bin(BinaryOp::Or, high, is_inexact);
        let rounded = self.cast(CastOp::Uitofp, top, ty);
        let rounded = if ty == Type::F32 { self.cast(CastOp::Fpext, rounded, Type::F64) } else { rounded };
        // Times a power of two, which is exact or infinite; of all that are infinite the same one will do.
        let most = self.i64(64 * i64::from(a.len - 1));
        let exponent = self.bin(BinaryOp::Sub, most, zeros);
        let limit = self.i64(BIAS);
        let exponent = self.int_pick(IntCond::Slt, 64, exponent, limit);
        let field = self.bin_int(BinaryOp::Add, exponent, BIAS);
        let field = self.bin_int(BinaryOp::Shl, field, FRACTION);
        let power = self.bits_as(field, Type::F64);
        let size = self.bin(BinaryOp::Fmul, rounded, power);
        let size = self.bits_as(size, Type::I64);
        let sign = self.bin_int(BinaryOp::And, signs, i64::MIN);
        let bits = self.bin(BinaryOp::Or, size, sign);
        let value = self.bits_as(bits, Type::F64);
        Ok(if ty == Type::F32 { self.cast(CastOp::Fptrunc, value, Type::F32) } else { value })
    }

    /// The whole part of an `f32` or `f64` as a number of `bits` bits. Of what has no place there it is any number.
    pub(super) fn float_to_wide(&mut self, sign: Sign, value: Value, bits: u32) -> Checked<Run> {
        let name = match (sign, self.ty_of(value)) {
            (Sign::Signed, Type::F64) => "__fixdfti",
            (Sign::Signed, _) => "__fixsfti",
            (Sign::Unsigned, Type::F64) => "__fixunsdfti",
            (Sign::Unsigned, _) => "__fixunssfti",
        };
        if self.has_wide_function(name, bits) {
            return self.library_pair(name, &[value]);
        }
        let len = bits.div_ceil(64);
        let value = match self.ty_of(value) {
            Type::F32 => self.cast(CastOp::Fpext, value, Type::F64),
            _ => value,
        };
        let bits = self.bits_as(value, Type::I64);
        let field = self.bin_int(BinaryOp::Lshr, bits, FRACTION);
        let field = self.bin_int(BinaryOp::And, field, 0x7ff);
        let fraction = self.bin_int(BinaryOp::And, bits, (1 << FRACTION) - 1);
        let number = self.bin_int(BinaryOp::Or, fraction, 1 << FRACTION);
        let up = self.bin_int(BinaryOp::Sub, field, BIAS + FRACTION);
        // Less than 1 leaves nothing.
        let [up, down] = self.up_and_down(up);
        let most = self.i64(63);
        let down = self.int_pick(IntCond::Slt, 64, down, most);
        let number = self.bin(BinaryOp::Lshr, number, down);
        let number = self.push(number);
        let number = self.wide_resize(number, len, Sign::Unsigned);
        let number = self.wide_shift(BinaryOp::Shl, number, up);
        Ok(match sign {
            Sign::Signed => {
                let signs = self.bin_int(BinaryOp::Ashr, bits, 63);
                self.wide_negate_if(signs, number)
            }
            Sign::Unsigned => number,
        })
    }
}

//! Floating-point numbers: what ICE lacks becomes operations on their bits.
//!
//! `half` and `bfloat` are kept as `i16`; they are widened to `f32`, computed with, and rounded to nearest even after
//! each operation. The conversions are the branch-free ones of Giesen ("Float to half conversion, final fix"):
//! a multiplication by a power of two gives subnormal numbers their value, an addition rounds them.

use ice_ir::vectors::{constant_vector, lane_bits};
use ice_ir::{BinaryOp, CastOp, FloatCond, InstData, IntCond, Intrinsic, Type, Value, ValueDef};

use super::values::Run;
use super::{Body, Checked};
use crate::llvm::legalize::shape::Scalar;

impl Body<'_, '_> {
    fn f32_bits(&mut self, bits: u32) -> Value {
        self.b.func.make_float(Type::F32, bits.into())
    }

    /// A constant of `f32` or `f64`.
    pub(super) fn float(&mut self, ty: Type, number: f64) -> Value {
        match ty {
            Type::F32 => self.b.f32_const(number as f32),
            _ => self.b.f64_const(number),
        }
    }

    /// The bits of an `f32`, an `f64`, or lanes of them.
    pub(super) fn float_bits(&mut self, value: Value) -> Value {
        match self.ty_of(value) {
            Type::F32 => self.cast(CastOp::Bitcast, value, Type::I32),
            Type::F64 => self.cast(CastOp::Bitcast, value, Type::I64),
            Type::V4F32 => self.cast(CastOp::Bitcast, value, Type::V4I32),
            Type::V2F64 => self.cast(CastOp::Bitcast, value, Type::V2I64),
            _ => value,
        }
    }

    // ---- formats of 16 bits

    /// An `f32` or `f64` from a float of any format.
    pub(super) fn float_extend(&mut self, scalar: Scalar, value: Value) -> Value {
        match scalar {
            Scalar::Half => self.half_to_float(value),
            Scalar::BFloat => {
                let bits = self.cast(CastOp::Zext, value, Type::I32);
                let bits = self.bin_int(BinaryOp::Shl, bits, 16);
                self.bits_as(bits, Type::F32)
            }
            _ => value,
        }
    }

    /// An `f32` rounded to a format of 16 bits; others as they are.
    pub(super) fn float_round(&mut self, scalar: Scalar, value: Value) -> Value {
        match scalar {
            Scalar::Half => self.float_to_half(value),
            Scalar::BFloat => self.float_to_bfloat(value),
            _ => value,
        }
    }

    fn half_to_float(&mut self, value: Value) -> Value {
        let bits = self.cast(CastOp::Zext, value, Type::I32);
        let magnitude = self.bin_int(BinaryOp::And, bits, 0x7fff);
        let sign = self.bin_int(BinaryOp::And, bits, 0x8000);
        let sign = self.bin_int(BinaryOp::Shl, sign, 16);
        let shifted = self.bin_int(BinaryOp::Shl, magnitude, 13);
        let number = self.bits_as(shifted, Type::F32);
        // 2^112 moves the exponent from its bias of 15 to one of 127.
        let scale = self.f32_bits(0x7780_0000);
        let number = self.bin(BinaryOp::Fmul, number, scale);
        let number = self.bits_as(number, Type::I32);
        let special = self.bin_int(BinaryOp::Or, number, 0x7f80_0000);
        let is_special = self.icmp_int(IntCond::Uge, magnitude, 0x7c00);
        let number = self.choose(is_special, special, number);
        let number = self.bin(BinaryOp::Or, number, sign);
        self.bits_as(number, Type::F32)
    }

    fn float_to_half(&mut self, value: Value) -> Value {
        let bits = self.bits_as(value, Type::I32);
        let sign = self.bin_int(BinaryOp::And, bits, -0x8000_0000);
        let magnitude = self.bin(BinaryOp::Xor, bits, sign);
        // Normal results: rebias, and round by carry.
        let odd = self.bin_int(BinaryOp::Lshr, magnitude, 13);
        let odd = self.bin_int(BinaryOp::And, odd, 1);
        let normal = self.bin_int(BinaryOp::Add, magnitude, 0xc800_0fff_u32 as i32 as i64);
        let normal = self.bin(BinaryOp::Add, normal, odd);
        let normal = self.bin_int(BinaryOp::Lshr, normal, 13);
        // Subnormal results: adding 0.5 puts the last bit in its place and rounds.
        let number = self.bits_as(magnitude, Type::F32);
        let half = self.f32_bits(0x3f00_0000);
        let sum = self.bin(BinaryOp::Fadd, number, half);
        let sum = self.bits_as(sum, Type::I32);
        let subnormal = self.bin_int(BinaryOp::Sub, sum, 0x3f00_0000);
        let is_subnormal = self.icmp_int(IntCond::Ult, magnitude, 0x3880_0000);
        let finite = self.choose(is_subnormal, subnormal, normal);
        // Infinities, and quiet NaNs with the top of their payload.
        let payload = self.bin_int(BinaryOp::Lshr, magnitude, 13);
        let payload = self.bin_int(BinaryOp::And, payload, 0x3ff);
        let nan = self.bin_int(BinaryOp::Or, payload, 0x7e00);
        let infinity = self.i32(0x7c00);
        let is_nan = self.icmp_int(IntCond::Ugt, magnitude, 0x7f80_0000);
        let special = self.choose(is_nan, nan, infinity);
        let is_special = self.icmp_int(IntCond::Uge, magnitude, 0x4780_0000);
        let result = self.choose(is_special, special, finite);
        let sign = self.bin_int(BinaryOp::Lshr, sign, 16);
        let result = self.bin(BinaryOp::Or, result, sign);
        self.cast(CastOp::Trunc, result, Type::I16)
    }

    fn float_to_bfloat(&mut self, value: Value) -> Value {
        let bits = self.bits_as(value, Type::I32);
        let high = self.bin_int(BinaryOp::Lshr, bits, 16);
        let odd = self.bin_int(BinaryOp::And, high, 1);
        let rounded = self.bin_int(BinaryOp::Add, bits, 0x7fff);
        let rounded = self.bin(BinaryOp::Add, rounded, odd);
        let rounded = self.bin_int(BinaryOp::Lshr, rounded, 16);
        let quiet = self.bin_int(BinaryOp::Or, high, 0x40);
        let is_nan = self.fcmp(FloatCond::Uno, value, value);
        let result = self.choose(is_nan, quiet, rounded);
        self.cast(CastOp::Trunc, result, Type::I16)
    }

    /// An `f64` as `f32`, rounded so that a second rounding to fewer bits is exact (round to odd; Boldo and
    /// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
    pub(super) fn double_to_float_odd(&mut self, value: Value) -> Value {
        let near = self.cast(CastOp::Fptrunc, value, Type::F32);
        let back = self.cast(CastOp::Fpext, near, Type::F64);
        let [size, back_size] = [value, back].map(|v| self.float_abs(v));
        let too_large = self.fcmp(FloatCond::Ogt, back_size, size);
        let inexact = self.fcmp(FloatCond::One, back_size, size);
        let bits = self.bits_as(near, Type::I32);
        let less = self.cast(CastOp::Zext, too_large, Type::I32);
        let bits = self.bin(BinaryOp::Sub, bits, less);
        let odd = self.cast(CastOp::Zext, inexact, Type::I32);
        let bits = self.bin(BinaryOp::Or, bits, odd);
        self.bits_as(bits, Type::F32)
    }

    // ---- the sign

    /// The value without its sign, of `f32`, `f64` or lanes of them.
    pub(super) fn float_abs(&mut self, value: Value) -> Value {
        let ty = self.ty_of(value);
        match self.intrinsic(Intrinsic::Fabs, ty, &[value]) {
            Ok(result) => result,
            Err(_) => value,
        }
    }

    /// The value with the other sign; `bits` are those of a format of 16 bits.
    pub(super) fn float_neg(&mut self, scalar: Scalar, value: Value) -> Value {
        match scalar {
            Scalar::Half | Scalar::BFloat => self.bin_int(BinaryOp::Xor, value, -0x8000),
            _ => {
                let ty = self.ty_of(value);
                if let Ok(result) = self.intrinsic(Intrinsic::Fneg, ty, &[value]) {
                    return result;
                }
                let bits = self.float_bits(value);
                let sign = i64::MIN >> (64 - self.ty_of(bits).element().bits());
                let flipped = self.bin_int(BinaryOp::Xor, bits, sign);
                self.bits_as(flipped, ty)
            }
        }
    }

    /// `value` with the sign of `sign`.
    pub(super) fn float_copysign(&mut self, scalar: Scalar, value: Value, sign: Value) -> Value {
        let (size, sign) = (self.float_bits(value), self.float_bits(sign));
        let mask = i64::MIN >> (64 - self.ty_of(size).bits());
        let size = self.bin_int(BinaryOp::And, size, !mask);
        let sign = self.bin_int(BinaryOp::And, sign, mask);
        let bits = self.bin(BinaryOp::Or, size, sign);
        self.bits_as(bits, scalar.part())
    }

    // ---- extremes

    /// Whether a float or the lanes of a vector are constants, none of which is NaN.
    fn is_number(&self, value: Value) -> bool {
        let (func, ty) = (&self.b.func, self.ty_of(value));
        let is_number = |bits: u64| match ty.element() {
            Type::F32 => !f32::from_bits(bits as u32).is_nan(),
            _ => !f64::from_bits(bits).is_nan(),
        };
        if let Some(InstData::Join { halves }) = func.defining_inst(value).map(|inst| func.inst(inst)) {
            return halves.iter().all(|&half| self.is_number(half));
        }
        match func.value_def(value) {
            ValueDef::Float(bits) => is_number(bits),
            _ => constant_vector(func, value)
                .is_some_and(|bits| (0..ty.lanes()).all(|n| is_number((bits >> (n * lane_bits(ty))) as u64))),
        }
    }

    /// The lesser or the greater number. `cond` is `olt` or `ogt`.
    pub(super) fn float_extreme(
        &mut self,
        cond: FloatCond,
        nans: Nans,
        zeros: Zeros,
        a: Value,
        b: Value,
    ) -> Value {
        let ty = self.ty_of(a);
        let op = match (cond, nans, zeros) {
            (FloatCond::Olt, Nans::Ignored, Zeros::Any) => Some(Intrinsic::MinNum),
            (_, Nans::Ignored, Zeros::Any) => Some(Intrinsic::MaxNum),
            (FloatCond::Olt, Nans::Win, Zeros::Ordered) => Some(Intrinsic::Minimum),
            (_, Nans::Win, Zeros::Ordered) => Some(Intrinsic::Maximum),
            _ => None,
        };
        if let Some(op) = op
            && self.p.runtime.intrinsic(op, ty).is_some()
            && let Ok(extreme) = self.intrinsic(op, ty, &[a, b])
        {
            return extreme;
        }
        let [a, b] = if nans == Nans::Ignored && self.is_number(a) { [b, a] } else { [a, b] };
        let first = self.fcmp(cond, a, b);
        let mut result = match nans {
            Nans::Ignored if self.is_number(b) => self.choose(first, a, b),
            // Wide masks are not kept: each comparison has a choice of its own.
            Nans::Ignored if ty.is_wide() => {
                let chosen = self.choose(first, a, b);
                let other_is_nan = self.fcmp(FloatCond::Uno, b, b);
                self.choose(other_is_nan, a, chosen)
            }
            Nans::Ignored => {
                let other_is_nan = self.fcmp(FloatCond::Uno, b, b);
                let first = self.bin(BinaryOp::Or, first, other_is_nan);
                self.choose(first, a, b)
            }
            Nans::Win => self.choose(first, a, b),
        };
        if zeros == Zeros::Ordered {
            // Equal numbers differ in the sign of zero at most.
            let (x, y) = (self.float_bits(a), self.float_bits(b));
            let op = if cond == FloatCond::Olt { BinaryOp::Or } else { BinaryOp::And };
            let merged = self.bin(op, x, y);
            let merged = self.bits_as(merged, ty);
            let equal = self.fcmp(FloatCond::Oeq, a, b);
            result = self.choose(equal, merged, result);
        }
        if nans == Nans::Win {
            let nan = self.bin(BinaryOp::Fadd, a, b);
            let any_nan = self.fcmp(FloatCond::Uno, a, b);
            result = self.choose(any_nan, nan, result);
        }
        result
    }

    // ---- conversion to integers, with limits

    /// Toward zero, at most and at least what `bits` bits hold; 0 for a NaN.
    pub(super) fn float_to_int_saturated(
        &mut self,
        is_signed: super::integer::Sign,
        from: Scalar,
        bits: u32,
        value: Value,
    ) -> Checked<Run> {
        use super::integer::Sign;
        let value = self.float_extend(from, value);
        let float = self.ty_of(value);
        // An `f64` has none beyond 2 to the 1023rd but infinity.
        let power = |n: u32| f64::from_bits(u64::from(n.min(1024) + 1023) << 52);
        // Below the least number minus one all is cut; the first that is too large is a power of two.
        let (low, high) = match is_signed {
            Sign::Signed => (-power(bits - 1), power(bits - 1)),
            Sign::Unsigned => (0.0, power(bits)),
        };
        let (low, high) = (self.float(float, low), self.float(float, high));
        let too_low = self.fcmp(FloatCond::Olt, value, low);
        let too_high = self.fcmp(FloatCond::Oge, value, high);
        let is_nan = self.fcmp(FloatCond::Uno, value, value);
        let op = if is_signed == Sign::Signed { CastOp::Fptosi } else { CastOp::Fptoui };
        let extended = if float == Type::F64 { Scalar::Double } else { Scalar::Float };
        let value = self.push(value);
        let number = self.scalar_cast(op, extended, Scalar::Int(bits), value)?;
        Ok(self.saturated(is_signed, bits, number, [too_low, too_high, is_nan]))
    }

    /// `number`, of `bits` bits, or what stands in its place if it would be too low, too high or a NaN.
    pub(super) fn saturated(
        &mut self,
        is_signed: super::integer::Sign,
        bits: u32,
        number: Run,
        [too_low, too_high, is_nan]: [Value; 3],
    ) -> Run {
        use super::integer::Sign;
        let top_bits = (bits - 1) % 64 + 1;
        let (least, most) = match is_signed {
            Sign::Signed => (-1i64 << (top_bits - 1), !(-1i64 << (top_bits - 1))),
            Sign::Unsigned => (0, (u64::MAX >> (64 - top_bits)) as i64),
        };
        let (least, most) = (self.limbs_like(number, 0, least), self.limbs_like(number, -1, most));
        let zero = self.limbs_like(number, 0, 0);
        let number = self.run_choose(too_low, least, number);
        let number = self.run_choose(too_high, most, number);
        self.run_choose(is_nan, zero, number)
    }

    /// A constant in limbs of the types of those of `like`: `below` in all but the last.
    fn limbs_like(&mut self, like: Run, below: i64, last: i64) -> Run {
        let out = self.reserve(like.len);
        for i in 0..like.len {
            let ty = self.ty_of(self.get(like, i));
            let limb = self.int(ty, if i + 1 == like.len { last } else { below });
            self.set(out, i, limb);
        }
        out
    }

    // ---- classes

    /// Whether the number belongs to one of the classes of `mask` (LLVM language reference, `llvm.is.fpclass`).
    pub(super) fn float_class(&mut self, scalar: Scalar, value: Value, mask: i64) -> Value {
        let bits = self.float_bits(value);
        let (width, fraction) = match scalar {
            Scalar::Double => (64, 52),
            Scalar::Float => (32, 23),
            Scalar::Half => (16, 10),
            _ => (16, 7),
        };
        let sign = i64::MIN >> (64 - width);
        let infinity = ((1i64 << (width - 1 - fraction)) - 1) << fraction;
        let quiet = 1i64 << (fraction - 1);
        let least_normal = 1i64 << fraction;
        let size = self.bin_int(BinaryOp::And, bits, !sign);
        let negative = self.icmp_int(IntCond::Slt, bits, 0);
        let positive = self.bool_not(negative);
        let zero = self.icmp_int(IntCond::Eq, size, 0);
        let subnormal = {
            let less = self.bin_int(BinaryOp::Sub, size, 1);
            self.icmp_int(IntCond::Ult, less, least_normal - 1)
        };
        let normal = {
            let less = self.bin_int(BinaryOp::Sub, size, least_normal);
            self.icmp_int(IntCond::Ult, less, infinity - least_normal)
        };
        let infinite = self.icmp_int(IntCond::Eq, size, infinity);
        let is_nan = self.icmp_int(IntCond::Ugt, size, infinity);
        let is_quiet = self.icmp_int(IntCond::Uge, size, infinity | quiet);
        let signalling = {
            let not = self.bool_not(is_quiet);
            self.bin(BinaryOp::And, is_nan, not)
        };
        let classes = [zero, subnormal, normal, infinite, signalling, is_quiet];
        self.class_union(mask, [negative, positive], classes)
    }

    /// Whether a class of `mask` holds, by the tests for a zero, a subnormal and a normal number, infinity, a signalling
    /// and a quiet NaN.
    pub(super) fn class_union(
        &mut self,
        mask: i64,
        [negative, positive]: [Value; 2],
        tests: [Value; 6],
    ) -> Value {
        /// The bits of each class for negative and positive numbers.
        const BITS: [(i64, i64); 6] = [(32, 64), (16, 128), (8, 256), (4, 512), (1, 1), (2, 2)];
        let mut result = self.int(Type::I1, 0);
        for (test, (minus, plus)) in tests.into_iter().zip(BITS) {
            let test = match (mask & minus != 0, mask & plus != 0) {
                (true, true) => test,
                (true, false) => self.bin(BinaryOp::And, test, negative),
                (false, true) => self.bin(BinaryOp::And, test, positive),
                (false, false) => continue,
            };
            result = self.bin(BinaryOp::Or, result, test);
        }
        result
    }
}

/// What an extreme does with NaNs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nans {
    /// The other number is the result.
    Ignored,
    /// The result is a NaN.
    Win,
}

/// What an extreme does with zeros of both signs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Zeros {
    /// Either is the result.
    Any,
    /// -0 is less than +0.
    Ordered,
}

//! `fp128`, the format binary128 of IEEE 754: a sign, 15 bits of exponent and 112 of fraction, the high half in the high lane of a
//! vector.
//!
//! What only moves bits (signs, classes, integers that the library does not know) is done on the bits; all else are calls of
//! [functions](crate::llvm::legalize::quad_library), the same that LLVM calls.

use alloc::vec::Vec;

use ice_ir::{BinaryOp, CastOp, FloatCond, IntCond, TailHint, Type, Value};

use super::extended::Argument;
use super::float::{Nans, Zeros};
use super::integer::Sign;
use super::values::Run;
use super::{Body, Checked, fail, unsupported};
use crate::error::Error;
use crate::llvm::legalize::legal::int_type;
use crate::llvm::legalize::machine::QuadPassing;
use crate::llvm::legalize::shape::Scalar;

/// The parts of the high half.
const SIGN: i64 = i64::MIN;
const INFINITY: i64 = 0x7fff << FRACTION;
const QUIET: i64 = 1 << (FRACTION - 1);
/// Bits of the fraction that are in the high half.
pub(super) const FRACTION: i64 = 48;
/// The exponent field of 1.
pub(super) const BIAS: i64 = 16383;

impl Body<'_, '_> {
    // ---- halves

    /// The low and the high half of each number, as `i64`.
    pub(super) fn quad_halves(&mut self, numbers: Run) -> Run {
        let out = self.reserve(2 * numbers.len);
        for i in 0..out.len {
            let half = self.lane(self.get(numbers, i / 2), i % 2);
            self.set(out, i, half);
        }
        out
    }

    /// The numbers of these halves.
    pub(super) fn quads_of(&mut self, halves: Run) -> Run {
        let out = self.reserve(halves.len / 2);
        for at in 0..out.len {
            let number = self.lanes_from(Type::V2I64, |cx, i| cx.get(halves, 2 * at + i));
            self.set(out, at, number);
        }
        out
    }

    /// A constant, by its halves.
    fn quad_constant(&mut self, low: i64, high: i64) -> Run {
        let halves = [low, high].map(|half| self.i64(half));
        let vector = self.lanes_from(Type::V2I64, |_, i| halves[i as usize]);
        self.push(vector)
    }

    // ---- calls

    /// A call of a function of the compiler's library or, by its name for `double`, of libm; numbers are vectors, and
    /// those of `x86_fp80` are two parts.
    fn quad_call(&mut self, name: &'static str, args: &[Run], ret: Scalar) -> Checked<Run> {
        self.quad_call_if(name, args, Some(ret))
    }

    /// The same of a function that perhaps has no result.
    fn quad_call_if(&mut self, name: &'static str, args: &[Run], ret: Option<Scalar>) -> Checked<Run> {
        let Some(callee) = self.p.runtime.quad_function(name) else { return unsupported(name) };
        // Those of a call that is being built stay what they are.
        let others = self.s.memory_arguments;
        let in_memory = self.m.legal.machine().quad == QuadPassing::Memory;
        let mut values = Vec::new();
        let result = match ret {
            Some(Scalar::Quad) if in_memory => Some(self.argument_place()?),
            _ => None,
        };
        values.extend(result);
        for &arg in args {
            let first = self.get(arg, 0);
            match (self.ty_of(first), arg.len) {
                (Type::V2I64, _) if in_memory => {
                    let place = self.in_memory(Argument::Fixed, first)?;
                    values.push(place);
                }
                (Type::I64, 2) if name == "__extendxftf2" => {
                    self.pass_extended(arg, Argument::Fixed, &mut values)?;
                }
                _ => values.extend((0..arg.len).map(|i| self.get(arg, i))),
            }
        }
        self.s.memory_arguments = others;
        let signature = self.m.module.signature(callee);
        let types = values.iter().map(|&value| self.ty_of(value));
        if !types.eq(signature.params.iter().copied()) {
            return fail(Error::ArgumentCount { passed: args.len(), expected: signature.params.len() });
        }
        let (first_type, second_type) = (signature.ret, signature.second);
        let first = self.b.call(callee, &values, first_type, TailHint::None);
        match (result, first) {
            (Some(place), _) => {
                let value = self.b.load(Type::V2I64, place, 4);
                Ok(self.push(value))
            }
            (None, None) if ret.is_none() => Ok(self.reserve(0)),
            (None, None) => self.extended_results(2),
            (None, Some(first)) if second_type == Type::Void => Ok(self.push(first)),
            (None, Some(first)) => {
                let second = self.b.second_result(first, second_type);
                let out = self.reserve(2);
                self.set(out, 0, first);
                self.set(out, 1, second);
                Ok(out)
            }
        }
    }

    /// A function of libm, by its name for `double`.
    pub(super) fn quad_library(&mut self, name: &'static str, args: &[Run]) -> Checked<Run> {
        self.quad_call(name, args, Scalar::Quad)
    }

    /// The same of one that leaves its results in memory.
    pub(super) fn quad_procedure(&mut self, name: &'static str, args: &[Run]) -> Checked<()> {
        self.quad_call_if(name, args, None).map(drop)
    }

    // ---- arithmetic

    /// `a op b`.
    pub(super) fn quad_binary(&mut self, op: BinaryOp, a: Run, b: Run) -> Checked<Run> {
        let name = match op {
            BinaryOp::Fadd => "__addtf3",
            BinaryOp::Fsub => "__subtf3",
            BinaryOp::Fmul => "__multf3",
            BinaryOp::Fdiv => "__divtf3",
            _ => "fmod",
        };
        self.quad_call(name, &[a, b], Scalar::Quad)
    }

    /// A comparison. What the functions give stands to 0 as the numbers stand to each other, and is what makes their condition
    /// false where one is a NaN.
    pub(super) fn quad_compare(&mut self, cond: FloatCond, a: Run, b: Run) -> Checked<Value> {
        use FloatCond::*;
        use IntCond::{Eq, Ne, Sge, Sgt, Sle, Slt};
        let (name, cond) = match cond {
            False => return Ok(self.int(Type::I1, 0)),
            True => return Ok(self.int(Type::I1, 1)),
            Oeq => ("__eqtf2", Eq),
            Une => ("__netf2", Ne),
            Olt => ("__lttf2", Slt),
            Uge => ("__lttf2", Sge),
            Ole => ("__letf2", Sle),
            Ugt => ("__letf2", Sgt),
            Ogt => ("__gttf2", Sgt),
            Ule => ("__gttf2", Sle),
            Oge => ("__getf2", Sge),
            Ult => ("__getf2", Slt),
            Uno => ("__unordtf2", Ne),
            Ord => ("__unordtf2", Eq),
            One => {
                let [differ, ordered] = [self.quad_compare(Une, a, b)?, self.quad_compare(Ord, a, b)?];
                return Ok(self.bin(BinaryOp::And, differ, ordered));
            }
            Ueq => {
                let [equal, unordered] = [self.quad_compare(Oeq, a, b)?, self.quad_compare(Uno, a, b)?];
                return Ok(self.bin(BinaryOp::Or, equal, unordered));
            }
        };
        let order = self.quad_call(name, &[a, b], Scalar::Int(32))?;
        Ok(self.icmp_int(cond, self.get(order, 0), 0))
    }

    /// The lesser or the greater number. `cond` is `olt` or `ogt`.
    pub(super) fn quad_extreme(
        &mut self,
        cond: FloatCond,
        nans: Nans,
        zeros: Zeros,
        a: Run,
        b: Run,
    ) -> Checked<Run> {
        let first = self.quad_compare(cond, a, b)?;
        let first = match nans {
            Nans::Ignored => {
                let other_is_nan = self.quad_compare(FloatCond::Uno, b, b)?;
                self.bin(BinaryOp::Or, first, other_is_nan)
            }
            Nans::Win => first,
        };
        let mut result = self.run_choose(first, a, b);
        if zeros == Zeros::Ordered {
            // Equal numbers differ in the sign of zero at most.
            let op = if cond == FloatCond::Olt { BinaryOp::Or } else { BinaryOp::And };
            let merged = self.bin(op, self.get(a, 0), self.get(b, 0));
            let merged = self.push(merged);
            let equal = self.quad_compare(FloatCond::Oeq, a, b)?;
            result = self.run_choose(equal, merged, result);
        }
        if nans == Nans::Win {
            let nan = self.quad_binary(BinaryOp::Fadd, a, b)?;
            let any_nan = self.quad_compare(FloatCond::Uno, a, b)?;
            result = self.run_choose(any_nan, nan, result);
        }
        Ok(result)
    }

    // ---- signs

    /// All numbers of a run with the other sign.
    pub(super) fn quad_neg(&mut self, a: Run) -> Run {
        let sign = self.quad_constant(0, SIGN);
        let out = self.reserve(a.len);
        for i in 0..a.len {
            let value = self.bin(BinaryOp::Xor, self.get(a, i), self.get(sign, 0));
            self.set(out, i, value);
        }
        out
    }

    pub(super) fn quad_abs(&mut self, a: Run) -> Run {
        let mask = self.quad_constant(-1, !SIGN);
        let value = self.bin(BinaryOp::And, self.get(a, 0), self.get(mask, 0));
        self.push(value)
    }

    pub(super) fn quad_copysign(&mut self, a: Run, sign: Run) -> Run {
        let mask = self.quad_constant(0, SIGN);
        let differ = self.bin(BinaryOp::Xor, self.get(a, 0), self.get(sign, 0));
        let differ = self.bin(BinaryOp::And, differ, self.get(mask, 0));
        let value = self.bin(BinaryOp::Xor, self.get(a, 0), differ);
        self.push(value)
    }

    /// Whether the number belongs to one of the classes of `mask` (LLVM language reference, `llvm.is.fpclass`).
    pub(super) fn quad_class(&mut self, a: Run, mask: i64) -> Value {
        let halves = self.quad_halves(a);
        let (low, high) = (self.get(halves, 0), self.get(halves, 1));
        let and = |cx: &mut Self, x, y| cx.bin(BinaryOp::And, x, y);
        let size = self.bin_int(BinaryOp::And, high, !SIGN);
        let is_negative = self.icmp_int(IntCond::Slt, high, 0);
        let is_positive = self.bool_not(is_negative);
        let any = self.bin(BinaryOp::Or, size, low);
        let is_zero = self.icmp_int(IntCond::Eq, any, 0);
        let is_something = self.bool_not(is_zero);
        let is_small = self.icmp_int(IntCond::Slt, size, 1 << FRACTION);
        let is_subnormal = and(self, is_small, is_something);
        let is_large = self.icmp_int(IntCond::Sge, size, INFINITY);
        let is_extreme = self.bin(BinaryOp::Or, is_small, is_large);
        let is_normal = self.bool_not(is_extreme);
        let rest = self.bin_int(BinaryOp::Xor, size, INFINITY);
        let rest = self.bin(BinaryOp::Or, rest, low);
        let is_infinite = self.icmp_int(IntCond::Eq, rest, 0);
        let is_finite = self.bool_not(is_infinite);
        let is_quiet = self.icmp_int(IntCond::Sge, size, INFINITY | QUIET);
        let is_loud = self.bool_not(is_quiet);
        let is_nan = and(self, is_large, is_finite);
        let is_signalling = and(self, is_nan, is_loud);
        let classes = [is_zero, is_subnormal, is_normal, is_infinite, is_signalling, is_quiet];
        self.class_union(mask, [is_negative, is_positive], classes)
    }

    // ---- conversions

    /// A conversion from or to the format.
    pub(super) fn quad_cast(&mut self, op: CastOp, from: Scalar, to: Scalar, a: Run) -> Checked<Run> {
        let signed = |cond: bool| if cond { Sign::Signed } else { Sign::Unsigned };
        match (from, to) {
            (Scalar::Int(bits), _) => self.int_to_quad(signed(op == CastOp::Sitofp), bits, a),
            (_, Scalar::Int(bits)) => self.quad_to_int(signed(op == CastOp::Fptosi), a, bits),
            (Scalar::Extended, _) => self.quad_call("__extendxftf2", &[a], to),
            (_, Scalar::Extended) => self.quad_call("__trunctfxf2", &[a], to),
            (_, Scalar::Float) => self.quad_call("__trunctfsf2", &[a], to),
            (_, Scalar::Double) => self.quad_call("__trunctfdf2", &[a], to),
            (_, Scalar::Half | Scalar::BFloat) => {
                let value = self.quad_to_float_odd(a)?;
                let value = self.float_round(to, value);
                Ok(self.push(value))
            }
            (from, Scalar::Quad) => {
                let value = self.float_extend(from, self.get(a, 0));
                let name = if from == Scalar::Double { "__extenddftf2" } else { "__extendsftf2" };
                let value = self.push(value);
                self.quad_call(name, &[value], to)
            }
        }
    }

    /// A number as `f32`, rounded so that a second rounding to fewer bits is exact (see
    /// [`double_to_float_odd`](Self::double_to_float_odd)).
    fn quad_to_float_odd(&mut self, a: Run) -> Checked<Value> {
        let near = self.quad_call("__trunctfsf2", &[a], Scalar::Float)?;
        let back = self.quad_call("__extendsftf2", &[near], Scalar::Quad)?;
        let [size, back] = [a, back].map(|number| self.quad_abs(number));
        let too_large = self.quad_compare(FloatCond::Ogt, back, size)?;
        let too_small = self.quad_compare(FloatCond::Olt, back, size)?;
        let bits = self.bits_as(self.get(near, 0), Type::I32);
        let less = self.cast(CastOp::Zext, too_large, Type::I32);
        let bits = self.bin(BinaryOp::Sub, bits, less);
        let inexact = self.bin(BinaryOp::Or, too_large, too_small);
        let odd = self.cast(CastOp::Zext, inexact, Type::I32);
        let bits = self.bin(BinaryOp::Or, bits, odd);
        Ok(self.bits_as(bits, Type::F32))
    }

    fn int_to_quad(&mut self, sign: Sign, bits: u32, a: Run) -> Checked<Run> {
        // With a spare bit the number is positive as a signed one too.
        let (name, ty) = match (sign, bits) {
            (Sign::Signed, ..=32) | (Sign::Unsigned, ..=31) => ("__floatsitf", Type::I32),
            (Sign::Unsigned, ..=32) => ("__floatunsitf", Type::I32),
            (Sign::Signed, ..=64) | (Sign::Unsigned, ..=63) => ("__floatditf", Type::I64),
            (Sign::Unsigned, ..=64) => ("__floatunditf", Type::I64),
            (sign, _) => {
                let limbs = self.limbs_of_int(bits, a, sign);
                let name = if sign == Sign::Signed { "__floattitf" } else { "__floatuntitf" };
                return match self.has_wide_quad(name, bits) {
                    true => self.quad_call(name, &[limbs], Scalar::Quad),
                    false => self.wide_to_quad(sign, limbs),
                };
            }
        };
        let value = self.extended(bits, self.get(a, 0), sign, ty);
        let value = self.push(value);
        self.quad_call(name, &[value], Scalar::Quad)
    }

    fn quad_to_int(&mut self, sign: Sign, a: Run, bits: u32) -> Checked<Run> {
        let name = match (sign, bits) {
            (Sign::Signed, ..=32) | (Sign::Unsigned, ..=31) => "__fixtfsi",
            (Sign::Unsigned, ..=32) => "__fixunstfsi",
            (Sign::Signed, ..=64) | (Sign::Unsigned, ..=63) => "__fixtfdi",
            (Sign::Unsigned, ..=64) => "__fixunstfdi",
            (sign, _) => {
                let name = if sign == Sign::Signed { "__fixtfti" } else { "__fixunstfti" };
                return match self.has_wide_quad(name, bits) {
                    true => self.quad_call(name, &[a], Scalar::Int(128)),
                    false => self.quad_to_wide(sign, a, bits),
                };
            }
        };
        let value = self.quad_call(name, &[a], Scalar::Int(bits))?;
        let value = self.resize_zero(self.get(value, 0), int_type(bits));
        Ok(self.push(value))
    }

    /// Whether the library has this function for integers of `bits` bits.
    fn has_wide_quad(&self, name: &str, bits: u32) -> bool {
        bits <= 128 && self.p.runtime.quad_function(name).is_some()
    }

    /// Toward zero, at most and at least what `bits` bits hold; 0 for a NaN.
    pub(super) fn quad_to_int_saturated(&mut self, sign: Sign, bits: u32, a: Run) -> Checked<Run> {
        // There is none beyond 2 to the 16383rd but infinity.
        let power = |n: u32| (i64::from(n).min(BIAS + 1) + BIAS) << FRACTION;
        let (low, high) = match sign {
            Sign::Signed => (power(bits - 1) | SIGN, power(bits - 1)),
            Sign::Unsigned => (0, power(bits)),
        };
        let (low, high) = (self.quad_constant(0, low), self.quad_constant(0, high));
        let too_low = self.quad_compare(FloatCond::Olt, a, low)?;
        let too_high = self.quad_compare(FloatCond::Oge, a, high)?;
        let is_nan = self.quad_compare(FloatCond::Uno, a, a)?;
        let number = self.quad_to_int(sign, a, bits)?;
        Ok(self.saturated(sign, bits, number, [too_low, too_high, is_nan]))
    }
}

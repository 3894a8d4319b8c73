//! `llvm.experimental.constrained.…`: operations on floating-point numbers of programs that look at the direction of rounding
//! or at exceptions («Constrained Floating-Point Intrinsics»).
//!
//! They are the operations without the prefix. What they begin with and what they give is pinned
//! ([`Intrinsic::Pin`]), so that each is done once, where it stands: after the calls before it, and before those behind it.
//! The strings of the metadata say what a program may rely on, which is nothing more then; only the predicate of a
//! comparison is one of them.

use ice_ir::{BinaryOp, CastOp, FloatCond, Intrinsic, Type};

use super::table::value;
use super::{Call, Compute, Row};
use crate::error::Error;
use crate::llvm::legalize::body::arithmetic::Cond;
use crate::llvm::legalize::body::values::{Operand, Run};
use crate::llvm::legalize::body::{Body, Checked, fail, unsupported};
use crate::llvm::legalize::shape::{Kind, Scalar};

/// What the names begin with.
pub(in crate::llvm::legalize) const PREFIX: &[u8] = b"llvm.experimental.constrained.";

/// What those begin with that name a predicate in metadata.
pub(in crate::llvm::legalize) const COMPARISON: &[u8] = b"llvm.experimental.constrained.fcmp";

/// Operations that are instructions without the prefix.
pub(super) static TABLE: &[Row] = &[
    binary("fadd", |cx, call| cx.constrained_binary(call, 0)),
    binary("fsub", |cx, call| cx.constrained_binary(call, 1)),
    binary("fmul", |cx, call| cx.constrained_binary(call, 2)),
    binary("fdiv", |cx, call| cx.constrained_binary(call, 4)),
    binary("frem", |cx, call| cx.constrained_binary(call, 6)),
    conversion("fptoui", |cx, call| cx.constrained_unsigned(call)),
    conversion("fptosi", |cx, call| cx.constrained_conversion(call, 4)),
    conversion("uitofp", |cx, call| cx.constrained_from_unsigned(call)),
    conversion("sitofp", |cx, call| cx.constrained_conversion(call, 6)),
    conversion("fptrunc", |cx, call| cx.constrained_conversion(call, 7)),
    conversion("fpext", |cx, call| cx.constrained_conversion(call, 8)),
    binary("fcmp", |cx, call| cx.constrained_comparison(call, Nan::Quiet)),
    binary("fcmps", |cx, call| cx.constrained_comparison(call, Nan::Signals)),
];

/// Names that are intrinsics without the prefix as well.
pub(super) const SHARED: &[&str] = &[
    "fma",
    "fmuladd",
    "sqrt",
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "ceil",
    "floor",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "lrint",
    "llrint",
    "lround",
    "llround",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "exp2",
    "log",
    "log2",
    "log10",
    "pow",
    "powi",
    "ldexp",
];

/// What a comparison does with a quiet NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nan {
    Quiet,
    /// It raises the exception for invalid operations.
    Signals,
}

const fn binary(name: &'static str, rule: Compute) -> Row {
    value(name, 2, rule).extended(rule)
}

const fn conversion(name: &'static str, rule: Compute) -> Row {
    value(name, 1, rule).extended(rule)
}

impl Body<'_, '_> {
    /// The value of a call by a rule for what is not constrained.
    pub(super) fn constrained(&mut self, rule: Compute, call: &Call) -> Checked<Operand> {
        if matches!(self.lane_scalar(call.ret)?, Scalar::Half | Scalar::BFloat) {
            // It would be rounded to the nearest.
            return unsupported("constrained floating point that gives half or bfloat");
        }
        let mut call = *call;
        for arg in &mut call.args[..call.count] {
            *arg = self.pinned(*arg)?;
        }
        // The lanes that a short vector has to spare raise no exceptions.
        let is_short = |ty| matches!(self.kind(ty), Kind::Vector(vector) if vector.is_short());
        let result = match is_short(call.ret) || call.args[..call.count].iter().any(|arg| is_short(arg.ty)) {
            true => self.lane_by_lane(rule, &call)?,
            false => self.by_rule(rule, &call)?,
        };
        self.pinned(result)
    }

    /// The same value, which is known from here on.
    fn pinned(&mut self, value: Operand) -> Checked<Operand> {
        let run = self.run(value);
        let out = self.reserve(run.len);
        for i in 0..run.len {
            let part = self.get(run, i);
            let ty = self.ty_of(part);
            let part = self.intrinsic(Intrinsic::Pin, ty, &[part])?;
            self.set(out, i, part);
        }
        Ok(self.operand(value.ty, out))
    }

    fn constrained_binary(&mut self, call: &Call, opcode: u64) -> Checked<Operand> {
        let [a, b, ..] = call.args;
        match self.lane_scalar(a.ty)?.is_float() && a.ty == b.ty {
            true => self.binary(opcode, a, b),
            false => fail(self.type_class(a.ty, "floating-point numbers")),
        }
    }

    fn constrained_conversion(&mut self, call: &Call, opcode: u64) -> Checked<Operand> {
        self.convert(opcode, call.args[0], call.ret)
    }

    /// To integers without sign as wide as an address by those with one: the usual conversion of these computes more than
    /// it needs, and may so raise exceptions.
    fn constrained_unsigned(&mut self, call: &Call) -> Checked<Operand> {
        let [a, ..] = call.args;
        let Scalar::Int(bits) = self.lane_scalar(call.ret)? else {
            return fail(self.type_class(call.ret, "integers"));
        };
        let word = self.m.module.pointer_type;
        self.map_lanes(call.ret, &[a], |cx, from, runs| {
            let is_usual = !matches!(from, Scalar::Float | Scalar::Double)
                || !(word.bits() / 2 + 1..=word.bits()).contains(&bits);
            if is_usual {
                return cx.scalar_cast(CastOp::Fptoui, from, Scalar::Int(bits), runs[0]);
            }
            let number = cx.get(runs[0], 0);
            let ty = cx.ty_of(number);
            let half = cx.float(ty, (1u64 << (word.bits() - 1)) as f64);
            let zero = cx.float(ty, 0.0);
            let is_large = cx.fcmp(FloatCond::Oge, number, half);
            let less = cx.choose(is_large, half, zero);
            let rest = cx.bin(BinaryOp::Fsub, number, less);
            let rest = cx.cast(CastOp::Fptosi, rest, word);
            let top = cx.cast(CastOp::Zext, is_large, word);
            let top = cx.bin_int(BinaryOp::Shl, top, i64::from(word.bits()) - 1);
            let value = cx.bin(BinaryOp::Xor, rest, top);
            Ok(cx.push(value))
        })
    }

    /// Where zero becomes a difference of equal numbers, it is -0 when results are rounded down.
    fn constrained_from_unsigned(&mut self, call: &Call) -> Checked<Operand> {
        let result = self.convert(5, call.args[0], call.ret)?;
        match self.lane_scalar(call.ret)? {
            Scalar::Float | Scalar::Double => self.map_floats(result, |cx, _, value| Ok(cx.float_abs(value))),
            _ => Ok(result),
        }
    }

    /// Lane by lane: comparisons of packed floats differ in what they do with a quiet NaN.
    fn constrained_comparison(&mut self, call: &Call, nan: Nan) -> Checked<Operand> {
        let [a, b, ..] = call.args;
        if a.ty != b.ty || !self.lane_scalar(a.ty)?.is_float() {
            return fail(self.type_class(b.ty, "floating-point numbers"));
        }
        let cond = self.predicate_of(call)?;
        self.map_lanes(call.ret, &[a, b], |cx, scalar, runs| {
            let value = cx.scalar_compare(Cond::Float(cond), scalar, runs[0], runs[1])?;
            if nan == Nan::Signals {
                cx.raise_if_unordered(scalar, runs[0], runs[1])?;
            }
            Ok(cx.push(value))
        })
    }

    /// Raises the exception for invalid operations if one of the numbers is a NaN, by the product of infinity and zero.
    fn raise_if_unordered(&mut self, scalar: Scalar, a: Run, b: Run) -> Checked<()> {
        let is_unordered = self.scalar_compare(Cond::Float(FloatCond::Uno), scalar, a, b)?;
        let [infinity, zero] = [f64::INFINITY, 0.0].map(|number| self.b.f64_const(number));
        let factor = self.choose(is_unordered, infinity, zero);
        let product = self.bin(BinaryOp::Fmul, factor, zero);
        self.intrinsic(Intrinsic::Pin, Type::F64, &[product])?;
        Ok(())
    }

    /// The predicate that the first metadata of a call names.
    fn predicate_of(&self, call: &Call) -> Checked<FloatCond> {
        let id = u64::from(call.metadata);
        let module = self.m.predicates.as_ref();
        match module.and_then(|module| module.get(id)).or_else(|| self.s.predicates.get(id)) {
            Some(cond) => Ok(cond),
            None => fail(Error::NoSuch { what: "predicate of a comparison in the metadata", index: id }),
        }
    }
}

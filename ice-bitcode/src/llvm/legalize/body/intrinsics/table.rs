//! The names that start with `llvm.` and are understood, each with the rule that gives its value or effect.
//!
//! A row is looked up once for each declaration of a module. A name may have suffixes for its types (`.i32`,
//! `.p0.v4f32`): the longest name of the table that it begins with, up to a dot, is the one that is meant.

use ice_ir::{BinaryOp, FloatCond, IntCond, Intrinsic, Type};

use super::fixed_point::Excess;
use super::{Compute, Effect, Row, Rule, Special, aarch64, arm32, constrained, x86};
use crate::llvm::legalize::body::float::{Nans, Zeros};
use crate::llvm::legalize::body::integer::{BitOp, Sign};
use crate::llvm::legalize::runtime::CLEAR_CACHE;

const fn row(name: &'static str, least: usize, rule: Rule) -> Row {
    Row { name, least, rule, extended: None, library: "" }
}

/// A hint, or a fact for optimisers.
pub(super) const fn nothing(name: &'static str) -> Row {
    row(name, 0, Rule::Nothing)
}

const fn operands(name: &'static str, rule: super::Operands) -> Row {
    row(name, 0, Rule::Operands(rule))
}

pub(super) const fn effect(name: &'static str, least: usize, rule: Effect) -> Row {
    row(name, least, Rule::Effect(rule))
}

pub(super) const fn value(name: &'static str, least: usize, rule: Compute) -> Row {
    row(name, least, Rule::Value(rule))
}

/// A function of libm, by its name for `double`.
const fn libm(name: &'static str, least: usize, library: &'static str) -> Row {
    value(name, least, |cx, call| cx.libm_call(call))
        .extended(|cx, call| cx.extended_library_call(call))
        .library(library)
}

/// An integer next to a float, for which libm has a function of the same name.
const fn rounded(name: &'static str, rule: Compute) -> Row {
    value(name, 1, rule).extended(|cx, call| cx.extended_library_call(call)).library(name)
}

impl Row {
    pub(super) const fn extended(self, rule: Compute) -> Row {
        Row { extended: Some(rule), ..self }
    }

    const fn library(self, library: &'static str) -> Row {
        Row { library, ..self }
    }
}

/// What a whole name stands for.
pub(in crate::llvm::legalize::body) fn find(name: &[u8]) -> Option<Special> {
    let Some(operation) = name.strip_prefix(constrained::PREFIX) else {
        let name = name.strip_prefix(b"llvm.")?;
        let tables: &[&[Row]] = match () {
            () if name.starts_with(b"x86.") => x86::table::ALL,
            () if name.starts_with(b"aarch64.") => aarch64::table::ALL,
            () if name.starts_with(b"arm.") => arm32::table::ALL,
            () => &[TABLE],
        };
        return row_of(tables, name).map(|row| Special { row, is_constrained: false });
    };
    let shared = || row_of(&[TABLE], operation).filter(|row| constrained::SHARED.contains(&row.name));
    let row = row_of(&[constrained::TABLE], operation).or_else(shared)?;
    Some(Special { row, is_constrained: true })
}

/// The row of a name without prefixes.
fn row_of(tables: &[&'static [Row]], name: &[u8]) -> Option<&'static Row> {
    let fits = |row: &&Row| {
        let rest = name.strip_prefix(row.name.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
    };
    tables.iter().copied().flatten().filter(fits).max_by_key(|row| row.name.len())
}

/// Every name that is understood, with the fewest arguments that it has.
static TABLE: &[Row] = &[
    nothing("lifetime.start"),
    nothing("lifetime.end"),
    nothing("assume"),
    nothing("experimental.noalias.scope.decl"),
    nothing("sideeffect"),
    nothing("donothing"),
    nothing("pseudoprobe"),
    nothing("dbg.declare"),
    nothing("dbg.value"),
    nothing("dbg.label"),
    nothing("dbg.assign"),
    nothing("var.annotation"),
    nothing("invariant.end"),
    value("invariant.start", 0, |cx, call| cx.undefined(call.ret)),
    nothing("fake.use"),
    nothing("prefetch"),
    nothing("va_end"),
    effect("clear_cache", 2, |cx, call| cx.clear_cache(call)).library(CLEAR_CACHE),
    value("launder.invariant.group", 1, |cx, call| cx.first_argument(call))
        .extended(|cx, call| cx.first_argument(call)),
    value("strip.invariant.group", 1, |cx, call| cx.first_argument(call))
        .extended(|cx, call| cx.first_argument(call)),
    value("annotation", 1, |cx, call| cx.first_argument(call)).extended(|cx, call| cx.first_argument(call)),
    value("ptr.annotation", 1, |cx, call| cx.first_argument(call))
        .extended(|cx, call| cx.first_argument(call)),
    value("ssa.copy", 1, |cx, call| cx.first_argument(call)).extended(|cx, call| cx.first_argument(call)),
    value("expect", 1, |cx, call| cx.first_argument(call)).extended(|cx, call| cx.first_argument(call)),
    value("expect.with.probability", 1, |cx, call| cx.first_argument(call))
        .extended(|cx, call| cx.first_argument(call)),
    value("arithmetic.fence", 1, |cx, call| cx.first_argument(call))
        .extended(|cx, call| cx.first_argument(call)),
    operands("eh.typeid.for", |cx, prototype| cx.type_id(prototype)),
    value("eh.sjlj.setjmp", 1, |cx, call| cx.set_jump(call)),
    effect("eh.sjlj.longjmp", 1, |cx, call| cx.jump(call)),
    value("get.rounding", 0, |cx, call| cx.rounding(call)),
    value("flt.rounds", 0, |cx, call| cx.rounding(call)),
    effect("set.rounding", 1, |cx, call| cx.set_rounding(call)),
    value("readcyclecounter", 0, |cx, call| cx.cycles(call)),
    effect("memcpy", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memcpy)),
    effect("memcpy.inline", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memcpy)),
    effect("memmove", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memmove)),
    effect("memset", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memset)),
    effect("memset.inline", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memset)),
    value("ctpop", 1, |cx, call| cx.bit_operation(call, BitOp::Ctpop)),
    value("ctlz", 2, |cx, call| cx.zero_count(call, BitOp::Ctlz, Intrinsic::Ctlz)),
    value("cttz", 2, |cx, call| cx.zero_count(call, BitOp::Cttz, Intrinsic::Cttz)),
    value("bswap", 1, |cx, call| cx.bit_operation(call, BitOp::Bswap)),
    value("bitreverse", 1, |cx, call| cx.bit_operation(call, BitOp::Bitreverse)),
    value("smax", 2, |cx, call| cx.integer_extreme(call, IntCond::Sgt)),
    value("smin", 2, |cx, call| cx.integer_extreme(call, IntCond::Slt)),
    value("umax", 2, |cx, call| cx.integer_extreme(call, IntCond::Ugt)),
    value("umin", 2, |cx, call| cx.integer_extreme(call, IntCond::Ult)),
    value("abs", 1, |cx, call| cx.absolute(call)),
    value("scmp", 2, |cx, call| cx.three_way(call, Sign::Signed)),
    value("ucmp", 2, |cx, call| cx.three_way(call, Sign::Unsigned)),
    value("sadd.with.overflow", 2, |cx, call| cx.overflow(call, BinaryOp::Add, Sign::Signed)),
    value("uadd.with.overflow", 2, |cx, call| cx.overflow(call, BinaryOp::Add, Sign::Unsigned)),
    value("ssub.with.overflow", 2, |cx, call| cx.overflow(call, BinaryOp::Sub, Sign::Signed)),
    value("usub.with.overflow", 2, |cx, call| cx.overflow(call, BinaryOp::Sub, Sign::Unsigned)),
    value("smul.with.overflow", 2, |cx, call| cx.overflow(call, BinaryOp::Mul, Sign::Signed)),
    value("umul.with.overflow", 2, |cx, call| cx.overflow(call, BinaryOp::Mul, Sign::Unsigned)),
    value("sadd.sat", 2, |cx, call| cx.saturate(call, BinaryOp::Add, Sign::Signed)),
    value("uadd.sat", 2, |cx, call| cx.saturate(call, BinaryOp::Add, Sign::Unsigned)),
    value("ssub.sat", 2, |cx, call| cx.saturate(call, BinaryOp::Sub, Sign::Signed)),
    value("usub.sat", 2, |cx, call| cx.saturate(call, BinaryOp::Sub, Sign::Unsigned)),
    value("sshl.sat", 2, |cx, call| cx.saturate_shl(call, Sign::Signed)),
    value("ushl.sat", 2, |cx, call| cx.saturate_shl(call, Sign::Unsigned)),
    value("smul.fix", 3, |cx, call| cx.fixed_product(call, Sign::Signed, Excess::Wraps)),
    value("smul.fix.sat", 3, |cx, call| cx.fixed_product(call, Sign::Signed, Excess::Saturates)),
    value("sdiv.fix", 3, |cx, call| cx.fixed_quotient(call, Sign::Signed, Excess::Wraps)),
    value("sdiv.fix.sat", 3, |cx, call| cx.fixed_quotient(call, Sign::Signed, Excess::Saturates)),
    value("umul.fix", 3, |cx, call| cx.fixed_product(call, Sign::Unsigned, Excess::Wraps)),
    value("umul.fix.sat", 3, |cx, call| cx.fixed_product(call, Sign::Unsigned, Excess::Saturates)),
    value("udiv.fix", 3, |cx, call| cx.fixed_quotient(call, Sign::Unsigned, Excess::Wraps)),
    value("udiv.fix.sat", 3, |cx, call| cx.fixed_quotient(call, Sign::Unsigned, Excess::Saturates)),
    value("fshl", 3, |cx, call| cx.funnel(call, BinaryOp::Shl)),
    value("fshr", 3, |cx, call| cx.funnel(call, BinaryOp::Lshr)),
    value("fabs", 1, |cx, call| cx.floats_abs(call)).extended(|cx, call| cx.extended_abs_call(call)),
    value("sqrt", 1, |cx, call| cx.floats_sqrt(call)).extended(|cx, call| cx.extended_sqrt_call(call)),
    value("copysign", 2, |cx, call| cx.floats_copysign(call))
        .extended(|cx, call| cx.extended_copysign_call(call)),
    value("minnum", 2, |cx, call| cx.float_extremes(call, FloatCond::Olt, Nans::Ignored, Zeros::Any))
        .extended(|cx, call| cx.extended_library_call(call))
        .library("fmin"),
    value("maxnum", 2, |cx, call| cx.float_extremes(call, FloatCond::Ogt, Nans::Ignored, Zeros::Any))
        .extended(|cx, call| cx.extended_library_call(call))
        .library("fmax"),
    value("minimumnum", 2, |cx, call| cx.float_extremes(call, FloatCond::Olt, Nans::Ignored, Zeros::Ordered))
        .extended(|cx, call| cx.quad_extremes(call, FloatCond::Olt, Nans::Ignored, Zeros::Ordered)),
    value("maximumnum", 2, |cx, call| cx.float_extremes(call, FloatCond::Ogt, Nans::Ignored, Zeros::Ordered))
        .extended(|cx, call| cx.quad_extremes(call, FloatCond::Ogt, Nans::Ignored, Zeros::Ordered)),
    value("minimum", 2, |cx, call| cx.float_extremes(call, FloatCond::Olt, Nans::Win, Zeros::Ordered))
        .extended(|cx, call| cx.quad_extremes(call, FloatCond::Olt, Nans::Win, Zeros::Ordered)),
    value("maximum", 2, |cx, call| cx.float_extremes(call, FloatCond::Ogt, Nans::Win, Zeros::Ordered))
        .extended(|cx, call| cx.quad_extremes(call, FloatCond::Ogt, Nans::Win, Zeros::Ordered)),
    rounded("floor", |cx, call| cx.floats_rounded(call, Intrinsic::Floor)),
    rounded("ceil", |cx, call| cx.floats_rounded(call, Intrinsic::Ceil)),
    rounded("trunc", |cx, call| cx.floats_rounded(call, Intrinsic::TruncFloat)),
    rounded("rint", |cx, call| cx.floats_rounded(call, Intrinsic::Rint)),
    rounded("nearbyint", |cx, call| cx.floats_rounded(call, Intrinsic::NearbyInt)),
    rounded("round", |cx, call| cx.floats_rounded(call, Intrinsic::Round)),
    rounded("roundeven", |cx, call| cx.floats_rounded(call, Intrinsic::RoundEven)),
    value("fma", 3, |cx, call| cx.fused_multiply_add(call, |cx, call| cx.libm_call(call)))
        .extended(|cx, call| cx.extended_library_call(call))
        .library("fma"),
    libm("pow", 2, "pow"),
    libm("powi", 2, "__powidf2"),
    libm("ldexp", 2, "ldexp"),
    value("frexp", 1, |cx, call| cx.libm_pair(call))
        .extended(|cx, call| cx.extended_pair(call))
        .library("frexp"),
    value("modf", 1, |cx, call| cx.libm_pair(call))
        .extended(|cx, call| cx.extended_pair(call))
        .library("modf"),
    libm("sin", 1, "sin"),
    libm("cos", 1, "cos"),
    value("sincos", 1, |cx, call| cx.sine_and_cosine(call))
        .extended(|cx, call| cx.extended_sine_and_cosine(call))
        .library("sincos"),
    libm("tan", 1, "tan"),
    libm("asin", 1, "asin"),
    libm("acos", 1, "acos"),
    libm("atan", 1, "atan"),
    libm("atan2", 2, "atan2"),
    libm("sinh", 1, "sinh"),
    libm("cosh", 1, "cosh"),
    libm("tanh", 1, "tanh"),
    libm("exp", 1, "exp"),
    libm("exp2", 1, "exp2"),
    libm("exp10", 1, "exp10"),
    libm("log", 1, "log"),
    libm("log2", 1, "log2"),
    libm("log10", 1, "log10"),
    value("lrint", 1, |cx, call| cx.rounded_to_int(call, Intrinsic::Rint))
        .extended(|cx, call| cx.extended_rounded_to_int(call))
        .library("rint"),
    value("llrint", 1, |cx, call| cx.rounded_to_int(call, Intrinsic::Rint))
        .extended(|cx, call| cx.extended_rounded_to_int(call))
        .library("rint"),
    value("lround", 1, |cx, call| cx.rounded_to_int(call, Intrinsic::Round))
        .extended(|cx, call| cx.extended_rounded_to_int(call))
        .library("round"),
    value("llround", 1, |cx, call| cx.rounded_to_int(call, Intrinsic::Round))
        .extended(|cx, call| cx.extended_rounded_to_int(call))
        .library("round"),
    value("fmuladd", 3, |cx, call| cx.fused_multiply_add(call, |cx, call| cx.multiply_add(call)))
        .extended(|cx, call| cx.extended_multiply_add(call)),
    value("canonicalize", 1, |cx, call| cx.first_argument(call)).extended(|cx, call| cx.first_argument(call)),
    value("is.fpclass", 2, |cx, call| cx.float_classes(call))
        .extended(|cx, call| cx.extended_class_call(call)),
    value("fptosi.sat", 1, |cx, call| cx.saturated_integers(call, Sign::Signed))
        .extended(|cx, call| cx.quad_saturated(call, Sign::Signed)),
    value("fptoui.sat", 1, |cx, call| cx.saturated_integers(call, Sign::Unsigned))
        .extended(|cx, call| cx.quad_saturated(call, Sign::Unsigned)),
    value("convert.from.fp16", 1, |cx, call| cx.widened_half(call)),
    value("convert.to.fp16", 1, |cx, call| cx.rounded_half(call)),
    value("vector.reduce.add", 1, |cx, call| cx.reduce_numbers(call, BinaryOp::Add)),
    value("vector.reduce.mul", 1, |cx, call| cx.reduce_numbers(call, BinaryOp::Mul)),
    value("vector.reduce.and", 1, |cx, call| cx.reduce_numbers(call, BinaryOp::And)),
    value("vector.reduce.or", 1, |cx, call| cx.reduce_numbers(call, BinaryOp::Or)),
    value("vector.reduce.xor", 1, |cx, call| cx.reduce_numbers(call, BinaryOp::Xor)),
    value("vector.reduce.smax", 1, |cx, call| cx.reduce_extreme(call, IntCond::Sgt)),
    value("vector.reduce.smin", 1, |cx, call| cx.reduce_extreme(call, IntCond::Slt)),
    value("vector.reduce.umax", 1, |cx, call| cx.reduce_extreme(call, IntCond::Ugt)),
    value("vector.reduce.umin", 1, |cx, call| cx.reduce_extreme(call, IntCond::Ult)),
    value("vector.reduce.fadd", 2, |cx, call| cx.reduce_in_order(call, BinaryOp::Fadd))
        .extended(|cx, call| cx.reduce_in_order(call, BinaryOp::Fadd)),
    value("vector.reduce.fmul", 2, |cx, call| cx.reduce_in_order(call, BinaryOp::Fmul))
        .extended(|cx, call| cx.reduce_in_order(call, BinaryOp::Fmul)),
    value("vector.reduce.fmax", 1, |cx, call| {
        cx.reduce_float_extreme(call, FloatCond::Ogt, Nans::Ignored, Zeros::Any)
    }),
    value("vector.reduce.fmin", 1, |cx, call| {
        cx.reduce_float_extreme(call, FloatCond::Olt, Nans::Ignored, Zeros::Any)
    }),
    value("vector.reduce.fmaximum", 1, |cx, call| {
        cx.reduce_float_extreme(call, FloatCond::Ogt, Nans::Win, Zeros::Ordered)
    }),
    value("vector.reduce.fminimum", 1, |cx, call| {
        cx.reduce_float_extreme(call, FloatCond::Olt, Nans::Win, Zeros::Ordered)
    }),
    value("experimental.cttz.elts", 1, |cx, call| cx.zero_lanes(call)),
    value("masked.load", 3, |cx, call| cx.masked_load(call)),
    effect("masked.store", 3, |cx, call| cx.masked_store(call)),
    value("masked.gather", 3, |cx, call| cx.gather(call)),
    effect("masked.scatter", 3, |cx, call| cx.scatter(call)),
    effect("va_start", 1, |cx, call| cx.va_start(call)),
    effect("va_copy", 2, |cx, call| cx.va_copy(call)),
    value("frameaddress", 1, |cx, call| cx.frame_or_return(call, Intrinsic::FrameAddress)),
    value("returnaddress", 1, |cx, call| cx.frame_or_return(call, Intrinsic::ReturnAddress)),
    value("stacksave", 0, |cx, call| cx.stack_save(call)),
    effect("stackrestore", 1, |cx, call| cx.stack_restore(call)),
    effect("trap", 0, |cx, _| cx.intrinsic_void(Intrinsic::Trap, Type::Void, &[])),
    effect("debugtrap", 0, |cx, _| cx.intrinsic_void(Intrinsic::Trap, Type::Void, &[])),
    effect("ubsantrap", 0, |cx, _| cx.intrinsic_void(Intrinsic::Trap, Type::Void, &[])),
    value("thread.pointer", 0, |cx, call| cx.thread_pointer(call)),
    operands("threadlocal.address", |cx, call| cx.thread_local(call)),
    // What a linker that saw the whole program would know; without it, any type may be meant.
    value("public.type.test", 1, |cx, call| {
        let holds = cx.int(Type::I1, 1);
        cx.one_of(call.ret, holds)
    }),
    value("is.constant", 1, |cx, call| cx.is_constant(call)).extended(|cx, call| cx.is_no_constant(call)),
    value("objectsize", 2, |cx, call| cx.object_size(call)),
    value("ptrmask", 2, |cx, call| cx.pointer_mask(call)),
    value("load.relative", 2, |cx, call| cx.load_relative(call)),
];

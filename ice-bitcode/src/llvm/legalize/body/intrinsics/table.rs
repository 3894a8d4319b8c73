//! The names that start with `llvm.` and are understood, each with the rule that gives its value or effect.
//!
//! A row is looked up once for each declaration of a module. A name may have suffixes for its types (`.i32`,
//! `.p0.v4f32`): the longest name of the table that it begins with, up to a dot, is the one that is meant.

use ice_ir::{BinaryOp, FloatCond, IntCond, Intrinsic, Type};

use super::sse::{Lanes, Rounding};
use super::{Compute, Effect, Row, Rule};
use crate::llvm::legalize::body::float::{Nans, Zeros};
use crate::llvm::legalize::body::integer::{BitOp, Sign};

const fn row(name: &'static str, least: usize, rule: Rule) -> Row {
    Row { name, least, rule, extended: None, library: "" }
}

/// A hint, or a fact for optimisers.
const fn nothing(name: &'static str) -> Row {
    row(name, 0, Rule::Nothing)
}

const fn operands(name: &'static str, rule: super::Operands) -> Row {
    row(name, 0, Rule::Operands(rule))
}

const fn effect(name: &'static str, least: usize, rule: Effect) -> Row {
    row(name, least, Rule::Effect(rule))
}

const fn value(name: &'static str, least: usize, rule: Compute) -> Row {
    row(name, least, Rule::Value(rule))
}

/// A function of libm, by its name for `double`.
const fn libm(name: &'static str, least: usize, library: &'static str) -> Row {
    value(name, least, |cx, call| cx.libm_call(call))
        .extended(|cx, call| cx.extended_library_call(call))
        .library(library)
}

impl Row {
    const fn extended(self, rule: Compute) -> Row {
        Row { extended: Some(rule), ..self }
    }

    const fn library(self, library: &'static str) -> Row {
        Row { library, ..self }
    }
}

/// The row of a whole name.
pub(in crate::llvm::legalize::body) fn find(name: &[u8]) -> Option<&'static Row> {
    let name = name.strip_prefix(b"llvm.")?;
    let fits = |row: &&Row| {
        let rest = name.strip_prefix(row.name.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
    };
    TABLE.iter().filter(fits).max_by_key(|row| row.name.len())
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
    nothing("x86.sse2.pause"),
    nothing("arm.hint"),
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
    effect("memcpy", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memcpy)),
    effect("memcpy.inline", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memcpy)),
    effect("memmove", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memmove)),
    effect("memset", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memset)),
    effect("memset.inline", 4, |cx, call| cx.memory_operation(call, Intrinsic::Memset)),
    value("ctpop", 1, |cx, call| cx.bit_operation(call, BitOp::Ctpop)),
    value("ctlz", 1, |cx, call| cx.bit_operation(call, BitOp::Ctlz)),
    value("cttz", 1, |cx, call| cx.bit_operation(call, BitOp::Cttz)),
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
    value("minimumnum", 2, |cx, call| cx.float_extremes(call, FloatCond::Olt, Nans::Ignored, Zeros::Ordered)),
    value("maximumnum", 2, |cx, call| cx.float_extremes(call, FloatCond::Ogt, Nans::Ignored, Zeros::Ordered)),
    value("minimum", 2, |cx, call| cx.float_extremes(call, FloatCond::Olt, Nans::Win, Zeros::Ordered)),
    value("maximum", 2, |cx, call| cx.float_extremes(call, FloatCond::Ogt, Nans::Win, Zeros::Ordered)),
    libm("floor", 1, "floor"),
    libm("ceil", 1, "ceil"),
    libm("trunc", 1, "trunc"),
    libm("rint", 1, "rint"),
    libm("nearbyint", 1, "nearbyint"),
    libm("round", 1, "round"),
    libm("roundeven", 1, "roundeven"),
    libm("fma", 3, "fma"),
    libm("pow", 2, "pow"),
    libm("powi", 2, "__powidf2"),
    libm("ldexp", 2, "ldexp"),
    libm("sin", 1, "sin"),
    libm("cos", 1, "cos"),
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
    value("lrint", 1, |cx, call| cx.rounded_to_int(call))
        .extended(|cx, call| cx.extended_rounded_to_int(call))
        .library("rint"),
    value("llrint", 1, |cx, call| cx.rounded_to_int(call))
        .extended(|cx, call| cx.extended_rounded_to_int(call))
        .library("rint"),
    value("lround", 1, |cx, call| cx.rounded_to_int(call))
        .extended(|cx, call| cx.extended_rounded_to_int(call))
        .library("round"),
    value("llround", 1, |cx, call| cx.rounded_to_int(call))
        .extended(|cx, call| cx.extended_rounded_to_int(call))
        .library("round"),
    value("fmuladd", 3, |cx, call| cx.multiply_add(call)).extended(|cx, call| cx.extended_multiply_add(call)),
    value("canonicalize", 1, |cx, call| cx.first_argument(call)).extended(|cx, call| cx.first_argument(call)),
    value("is.fpclass", 2, |cx, call| cx.float_classes(call))
        .extended(|cx, call| cx.extended_class_call(call)),
    value("fptosi.sat", 1, |cx, call| cx.saturated_integers(call, Sign::Signed)),
    value("fptoui.sat", 1, |cx, call| cx.saturated_integers(call, Sign::Unsigned)),
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
    value("vector.reduce.fadd", 2, |cx, call| cx.reduce_in_order(call, BinaryOp::Fadd)),
    value("vector.reduce.fmul", 2, |cx, call| cx.reduce_in_order(call, BinaryOp::Fmul)),
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
    operands("threadlocal.address", |cx, call| cx.thread_local(call)),
    value("is.constant", 1, |cx, call| cx.is_constant(call)).extended(|cx, call| cx.is_no_constant(call)),
    value("objectsize", 2, |cx, call| cx.object_size(call)),
    value("ptrmask", 2, |cx, call| cx.pointer_mask(call)),
    value("load.relative", 2, |cx, call| cx.load_relative(call)),
    value("x86.sse.min.ps", 2, |cx, call| cx.sse_extreme(call, FloatCond::Olt, Lanes::All)),
    value("x86.sse.min.ss", 2, |cx, call| cx.sse_extreme(call, FloatCond::Olt, Lanes::First)),
    value("x86.sse.max.ps", 2, |cx, call| cx.sse_extreme(call, FloatCond::Ogt, Lanes::All)),
    value("x86.sse.max.ss", 2, |cx, call| cx.sse_extreme(call, FloatCond::Ogt, Lanes::First)),
    value("x86.sse.cmp.ps", 3, |cx, call| cx.sse_compare(call, Lanes::All)),
    value("x86.sse.cmp.ss", 3, |cx, call| cx.sse_compare(call, Lanes::First)),
    value("x86.sse.comieq.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Oeq)),
    value("x86.sse.comilt.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Olt)),
    value("x86.sse.comile.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Ole)),
    value("x86.sse.comigt.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Ogt)),
    value("x86.sse.comige.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Oge)),
    value("x86.sse.comineq.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Une)),
    value("x86.sse.ucomieq.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Oeq)),
    value("x86.sse.ucomilt.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Olt)),
    value("x86.sse.ucomile.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Ole)),
    value("x86.sse.ucomigt.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Ogt)),
    value("x86.sse.ucomige.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Oge)),
    value("x86.sse.ucomineq.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Une)),
    value("x86.sse.cvtss2si", 1, |cx, call| cx.sse_to_integer(call, Rounding::Environment)),
    value("x86.sse.cvttss2si", 1, |cx, call| cx.sse_to_integer(call, Rounding::Zero)),
    value("x86.sse.cvtss2si64", 1, |cx, call| cx.sse_to_integer(call, Rounding::Environment)),
    value("x86.sse.cvttss2si64", 1, |cx, call| cx.sse_to_integer(call, Rounding::Zero)),
    value("x86.sse2.min.pd", 2, |cx, call| cx.sse_extreme(call, FloatCond::Olt, Lanes::All)),
    value("x86.sse2.min.sd", 2, |cx, call| cx.sse_extreme(call, FloatCond::Olt, Lanes::First)),
    value("x86.sse2.max.pd", 2, |cx, call| cx.sse_extreme(call, FloatCond::Ogt, Lanes::All)),
    value("x86.sse2.max.sd", 2, |cx, call| cx.sse_extreme(call, FloatCond::Ogt, Lanes::First)),
    value("x86.sse2.cmp.pd", 3, |cx, call| cx.sse_compare(call, Lanes::All)),
    value("x86.sse2.cmp.sd", 3, |cx, call| cx.sse_compare(call, Lanes::First)),
    value("x86.sse2.comieq.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Oeq)),
    value("x86.sse2.comilt.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Olt)),
    value("x86.sse2.comile.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Ole)),
    value("x86.sse2.comigt.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Ogt)),
    value("x86.sse2.comige.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Oge)),
    value("x86.sse2.comineq.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Une)),
    value("x86.sse2.ucomieq.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Oeq)),
    value("x86.sse2.ucomilt.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Olt)),
    value("x86.sse2.ucomile.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Ole)),
    value("x86.sse2.ucomigt.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Ogt)),
    value("x86.sse2.ucomige.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Oge)),
    value("x86.sse2.ucomineq.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Une)),
    value("x86.sse2.cvtsd2si", 1, |cx, call| cx.sse_to_integer(call, Rounding::Environment)),
    value("x86.sse2.cvttsd2si", 1, |cx, call| cx.sse_to_integer(call, Rounding::Zero)),
    value("x86.sse2.cvtsd2si64", 1, |cx, call| cx.sse_to_integer(call, Rounding::Environment)),
    value("x86.sse2.cvttsd2si64", 1, |cx, call| cx.sse_to_integer(call, Rounding::Zero)),
    value("x86.sse2.cvtps2dq", 1, |cx, call| cx.sse_to_integers(call, Rounding::Environment)),
    value("x86.sse2.cvttps2dq", 1, |cx, call| cx.sse_to_integers(call, Rounding::Zero)),
    value("x86.sse2.cvtpd2dq", 1, |cx, call| cx.sse_to_integers(call, Rounding::Environment)),
    value("x86.sse2.cvttpd2dq", 1, |cx, call| cx.sse_to_integers(call, Rounding::Zero)),
    value("x86.sse2.cvtpd2ps", 1, |cx, call| cx.sse_to_singles(call)),
    value("x86.sse2.cvtsd2ss", 2, |cx, call| cx.sse_to_single(call)),
    value("x86.sse.movmsk.ps", 1, |cx, call| cx.sse_signs(call)),
    value("x86.sse2.movmsk.pd", 1, |cx, call| cx.sse_signs(call)),
    value("x86.sse2.pmovmskb.128", 1, |cx, call| cx.sse_signs(call)),
    value("x86.sse2.psll.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.psll.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.psll.q", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.pslli.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.pslli.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.pslli.q", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.psrl.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psrl.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psrl.q", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psrli.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psrli.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psrli.q", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psra.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Ashr)),
    value("x86.sse2.psra.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Ashr)),
    value("x86.sse2.psrai.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Ashr)),
    value("x86.sse2.psrai.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Ashr)),
    value("x86.sse2.pavg.b", 2, |cx, call| cx.sse_average(call)),
    value("x86.sse2.pavg.w", 2, |cx, call| cx.sse_average(call)),
    value("x86.sse2.pmulh.w", 2, |cx, call| cx.sse_high_product(call, Sign::Signed)),
    value("x86.sse2.pmulhu.w", 2, |cx, call| cx.sse_high_product(call, Sign::Unsigned)),
    value("x86.sse2.pmadd.wd", 2, |cx, call| cx.sse_multiply_add(call)),
    value("x86.sse2.psad.bw", 2, |cx, call| cx.sse_distance(call)),
    value("x86.sse2.packssdw.128", 2, |cx, call| cx.sse_pack(call, Sign::Signed)),
    value("x86.sse2.packsswb.128", 2, |cx, call| cx.sse_pack(call, Sign::Signed)),
    value("x86.sse2.packuswb.128", 2, |cx, call| cx.sse_pack(call, Sign::Unsigned)),
    effect("x86.sse.sfence", 0, |cx, _| cx.sse_fence()),
    effect("x86.sse2.lfence", 0, |cx, _| cx.sse_fence()),
    effect("x86.sse2.mfence", 0, |cx, _| cx.sse_fence()),
    effect("x86.sse2.maskmov.dqu", 3, |cx, call| cx.sse_masked_store(call)),
];

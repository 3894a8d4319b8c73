//! Steps on floats and on vectors of them.
//!
//! Every result is exact or rounded once, so all compilers have the same bits, but for the sign and the payload of a NaN:
//! nothing here looks at them. `fptosi` and `fptoui` have no result for a number that does not fit; their saturating forms
//! are among the steps on integers.

use super::body::{Body, TypedStep};
use super::types::{Type, Value, number, splat};
use super::{integers, memory};

const STEPS: [(usize, TypedStep); 8] = [
    (4, arithmetic),
    (1, negation),
    (1, rounding),
    (1, sign_or_extreme),
    (1, other_width),
    (2, comparison),
    (1, integers::select),
    (1, class),
];
const ARITHMETIC: [&str; 4] = ["fadd", "fsub", "fmul", "fdiv"];
const PREDICATES: [&str; 14] =
    ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"];
/// Both kinds of NaN: which of them a NaN is, is not defined either.
const NANS: usize = 3;

pub fn step(body: &mut Body, ty: Type) {
    body.weighted(&STEPS)(body, ty);
}

fn scalar(body: &mut Body) -> Type {
    Type::float(body.one_of(&[32, 64]))
}

fn arithmetic(body: &mut Body, ty: Type) {
    let op = body.one_of(&ARITHMETIC);
    let (a, b) = body.pair(ty);
    body.add(ty, format!("{op} {a}, {}", b.text));
}

fn negation(body: &mut Body, ty: Type) {
    let a = body.operand(ty, 15);
    body.add(ty, format!("fneg {a}"));
}

fn rounding(body: &mut Body, ty: Type) {
    let all = ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"];
    let op = body.one_of(if body.module.limits.is_x86 { &all } else { &all[..8] });
    let a = body.operand(ty, 15);
    let call = body.intrinsic(ty, &format!("{op}.{}", ty.suffix()), &[&a]);
    body.add(ty, call);
}

/// The second operand gives its sign, so it is no NaN.
fn sign_or_extreme(body: &mut Body, ty: Type) {
    let all = ["copysign", "minimum", "maximum"];
    let op = body.one_of(if body.module.limits.is_x86 { &all } else { &all[..1] });
    let (a, b) = body.pair(ty);
    let b = body.without_nan(b);
    let call = body.intrinsic(ty, &format!("{op}.{}", ty.suffix()), &[&a, &b]);
    body.add(ty, call);
}

fn other_width(body: &mut Body, ty: Type) {
    let (op, width) = if ty.width == 32 { ("fpext", 64) } else { ("fptrunc", 32) };
    let (a, result) = (body.operand(ty, 15), ty.with_lane(Type::float(width)));
    body.add(result, format!("{op} {a} to {result}"));
}

fn comparison(body: &mut Body, ty: Type) {
    let predicate = body.one_of(&PREDICATES);
    let (a, b) = body.pair(ty);
    body.add(ty.truth(), format!("fcmp {predicate} {a}, {}", b.text));
}

/// Whether a number is in one of some classes, which have a bit each. No test is for one kind of NaN alone.
fn class(body: &mut Body, ty: Type) {
    let any = body.below(0x400) & !NANS | body.one_of(&[0, NANS]);
    let classes = body.one_of(&[NANS, 0x3fc, 0x204, 0x60, 0x90, 0x108, any]);
    let (a, classes) = (body.operand(ty, 15), number(Type::I32, classes as u128));
    let call = body.intrinsic(ty.truth(), &format!("is.fpclass.{}", ty.suffix()), &[&a, &classes]);
    body.add(ty.truth(), call);
}

/// A product and a sum that are rounded once. It may not be seen where it comes from: on AArch64 LLVM 19 negates the operands
/// in place of the result, which is another zero.
pub fn fused(body: &mut Body) {
    let ty = scalar(body);
    let (a, b, c) = (body.operand(ty, 15), body.operand(ty, 15), body.operand(ty, 15));
    let call = body.intrinsic(ty, &format!("fma.{}", ty.suffix()), &[&a, &b, &c]);
    let result = body.define(ty, call);
    let result = memory::hidden(body, result);
    body.values.push(result);
}

/// Fraction and exponent put together and taken apart. The exponent of a NaN or an infinity is not defined, and LLVM 19 is
/// wrong about that of another fraction, whose exponent it takes: it may not see what the number is.
pub fn exponent(body: &mut Body) {
    let ty = scalar(body);
    let a = body.operand(ty, 15);
    let suffix = format!("{}.i32", ty.suffix());
    if body.chance(50) {
        let (any, shift) = (body.operand(Type::I32, 15), body.one_of(&[20, 23, 25]));
        let exponent = body.define(Type::I32, format!("ashr {any}, {shift}"));
        let call = body.intrinsic(ty, &format!("ldexp.{suffix}"), &[&a, &exponent]);
        body.add(ty, call);
        return;
    }
    let zero = body.define(ty, format!("fsub {a}, {}", a.text));
    let is_finite = body.define(Type::BIT, format!("fcmp oeq {zero}, 0.0"));
    let finite = body.define(ty, format!("select {is_finite}, {a}, {}", splat(ty, "1.0")));
    let finite = memory::hidden(body, finite);
    let both = format!("{{ {ty}, i32 }}");
    let call = body.intrinsic(&both, &format!("frexp.{suffix}"), &[&finite]);
    body.add_members(&[ty, Type::I32], &both, call);
}

/// The sum of all lanes, in their order.
pub fn sum(body: &mut Body) {
    let Some(vector) = body.recent(|ty| ty == Type::float(32).vector(4)) else { return };
    let lane = vector.ty.lane();
    let start = body.operand(lane, 15);
    let call =
        body.intrinsic(lane, &format!("vector.reduce.fadd.{}", vector.ty.suffix()), &[&start, &vector]);
    body.add(lane, call);
}

/// A number of one of the usual formats in another one.
fn in_format(body: &mut Body, from: Type, op: &str, format: &str) -> String {
    let a = body.operand(from, 10);
    body.name(format!("{op} {a} to {format}"))
}

/// Through `half`.
pub fn half(body: &mut Body) {
    if !body.module.limits.has_half {
        return;
    }
    let ty = scalar(body);
    let mut a = in_format(body, ty, "fptrunc", "half");
    let b = in_format(body, ty, "fptrunc", "half");
    if body.chance(70) {
        let op = body.one_of(&ARITHMETIC);
        a = body.name(format!("{op} half {a}, {b}"));
    }
    body.add(ty, format!("fpext half {a} to {ty}"));
}

/// Through `x86_fp80`.
pub fn extended(body: &mut Body) {
    if !body.module.limits.is_x86 {
        return;
    }
    let ty = scalar(body);
    let mut a = in_format(body, ty, "fpext", "x86_fp80");
    let b = in_format(body, ty, "fpext", "x86_fp80");
    for _ in 0..1 + body.below(3) {
        let op = body.one_of(&ARITHMETIC);
        a = body.name(format!("{op} x86_fp80 {a}, {b}"));
    }
    if body.chance(50) {
        let predicate = body.one_of(&PREDICATES);
        body.add(Type::BIT, format!("fcmp {predicate} x86_fp80 {a}, {b}"));
    }
    if body.chance(30) {
        let condition: Value = body.operand(Type::BIT, 0);
        a = body.name(format!("select {condition}, x86_fp80 {a}, x86_fp80 {b}"));
    }
    body.add(ty, format!("fptrunc x86_fp80 {a} to {ty}"));
}

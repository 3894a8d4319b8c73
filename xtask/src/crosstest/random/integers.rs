//! Steps on integers and on vectors of them, with defined results.
//!
//! A shift by the width or more and a division by zero have no result, so the amounts and divisors are made to fit. So has
//! the division of the least number by -1: divisors of signed divisions are positive.

use super::body::{Body, TypedStep};
use super::types::{self, Type, Value, number};
use super::{memory, vectors};

const STEPS: [(usize, TypedStep); 15] = [
    (7, arithmetic),
    (3, shift),
    (1, division),
    (3, comparison),
    (2, select),
    (1, minimum_or_maximum),
    (1, saturating),
    (1, funnel_shift),
    (1, bits),
    (1, overflow),
    (1, reinterpret),
    (1, |body, ty| if ty.is_vector() { vectors::lane_or_shuffle(body, ty) } else { three_way(body, ty) }),
    (1, |body, ty| {
        if ty.is_vector() && body.chance(60) { vectors::reduction(body, ty) } else { memory::slot(body, ty) }
    }),
    (1, freeze),
    (1, through_float),
];
const PREDICATES: [&str; 10] = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];

pub fn step(body: &mut Body, ty: Type) {
    body.weighted(&STEPS)(body, ty);
}

/// An intrinsic of two operands and a result of one type.
fn binary_intrinsic(body: &mut Body, ty: Type, names: &[&str]) {
    let (a, b) = body.pair(ty);
    let name = format!("{}.{}", body.one_of(names), ty.suffix());
    let call = body.intrinsic(ty, &name, &[&a, &b]);
    body.add(ty, call);
}

fn arithmetic(body: &mut Body, ty: Type) {
    let op = body.one_of(&["add", "add", "sub", "sub", "mul", "and", "and", "or", "or", "xor", "xor"]);
    let (a, b) = body.pair(ty);
    body.add(ty, format!("{op} {a}, {}", b.text));
}

/// An amount that is less than the width.
fn amount(body: &mut Body, ty: Type) -> Value {
    let width = ty.width as usize;
    if width == 1 {
        return number(ty, 0);
    }
    if body.chance(45) {
        return match ty.lanes {
            Some(lanes) if body.chance(40) => {
                let lanes: Vec<String> = (0..lanes).map(|_| body.below(width).to_string()).collect();
                types::each_lane(ty, lanes.into_iter())
            }
            _ => number(ty, body.below(width) as u128),
        };
    }
    let any = body.operand(ty, 0);
    // Targets of 32 bits have no function for a remainder of more than 64 bits.
    if width > 64 || width.is_power_of_two() {
        let mask = number(ty, (1u128 << width.ilog2()) - 1);
        return body.define(ty, format!("and {any}, {}", mask.text));
    }
    body.define(ty, format!("urem {any}, {}", number(ty, width as u128).text))
}

fn shift(body: &mut Body, ty: Type) {
    let op = body.one_of(&["shl", "lshr", "ashr"]);
    let (a, amount) = (body.operand(ty, 15), amount(body, ty));
    body.add(ty, format!("{op} {a}, {}", amount.text));
}

/// By an odd number; by a positive one if the numbers have signs. The libraries of 32-bit targets do not divide more than
/// 64 bits.
fn division(body: &mut Body, ty: Type) {
    if !(3..=64).contains(&ty.width) {
        return;
    }
    let one = number(ty, 1).text;
    let (a, mut divisor) = (body.operand(ty, 15), body.operand(ty, 50));
    let op = if body.chance(50) {
        body.one_of(&["udiv", "urem"])
    } else {
        divisor = body.define(ty, format!("lshr {divisor}, {one}"));
        body.one_of(&["sdiv", "srem"])
    };
    let odd = body.define(ty, format!("or {divisor}, {one}"));
    body.add(ty, format!("{op} {a}, {}", odd.text));
}

fn comparison(body: &mut Body, ty: Type) {
    let predicate = body.one_of(&PREDICATES);
    let (a, b) = body.pair(ty);
    body.add(ty.truth(), format!("icmp {predicate} {a}, {}", b.text));
}

/// Also of floats.
pub fn select(body: &mut Body, ty: Type) {
    let condition = body.condition(ty);
    let (a, b) = body.pair(ty);
    body.add(ty, format!("select {condition}, {a}, {b}"));
}

fn minimum_or_maximum(body: &mut Body, ty: Type) {
    binary_intrinsic(body, ty, &["umin", "umax", "smin", "smax"]);
}

fn saturating(body: &mut Body, ty: Type) {
    binary_intrinsic(body, ty, &["sadd.sat", "ssub.sat", "uadd.sat", "usub.sat"]);
}

/// By any amount. Over 64 bits only by powers of two: else the amount needs a remainder that 32-bit targets have no
/// function for. LLVM has wrong code for an odd number of lanes on i686 and MIPS, and on x86 for vectors whose lower half it
/// finds to be constant, shifted by constants that are multiples of the width.
fn funnel_shift(body: &mut Body, ty: Type) {
    let is_wide = ty.width > 64 && !ty.width.is_power_of_two();
    if is_wide || ty.lanes.is_some_and(|lanes| lanes % 2 == 1) {
        return;
    }
    let name = format!("{}.{}", body.one_of(&["fshl", "fshr"]), ty.suffix());
    let (high, mut low, amount) = (body.operand(ty, 15), body.operand(ty, 10), body.operand(ty, 40));
    if ty.is_vector() {
        low = memory::hidden(body, low);
    }
    let call = body.intrinsic(ty, &name, &[&high, &low, &amount]);
    body.add(ty, call);
}

fn bits(body: &mut Body, ty: Type) {
    let op = body.one_of(&["ctpop", "ctlz", "cttz", "bitreverse", "abs", "bswap"]);
    let op = if op == "bswap" && !ty.width.is_multiple_of(16) { "ctpop" } else { op };
    let a = body.operand(ty, 15);
    // Zero has a number of leading zeros, and the least number an absolute value.
    let is_poison = number(Type::BIT, 0);
    let arguments = [&a, &is_poison];
    let used = if matches!(op, "ctlz" | "cttz" | "abs") { 2 } else { 1 };
    let call = body.intrinsic(ty, &format!("{op}.{}", ty.suffix()), &arguments[..used]);
    body.add(ty, call);
}

/// The result and whether it overflows. LLVM (19 and 22) has wrong code for vectors with a constant operand, also with
/// one that it finds to be constant, so both come from memory there. Products of more than 64 bits need functions that
/// 32-bit targets lack. On MIPS LLVM is wrong about single bits.
fn overflow(body: &mut Body, ty: Type) {
    if ty.width == 1 && !body.module.limits.is_x86 {
        return;
    }
    let all = ["sadd", "uadd", "ssub", "usub", "smul", "umul"];
    let op = body.one_of(if ty.width > 64 { &all[..4] } else { &all });
    let (mut a, mut b) = body.pair(ty);
    if ty.is_vector() {
        if !ty.is_whole_bytes() || !body.module.limits.has_vector_overflow {
            return;
        }
        (a, b) = (memory::hidden(body, a), memory::hidden(body, b));
    }
    let both = format!("{{ {ty}, {} }}", ty.truth());
    let call = body.intrinsic(&both, &format!("{op}.with.overflow.{}", ty.suffix()), &[&a, &b]);
    body.add_members(&[ty, ty.truth()], &both, call);
}

/// All bits of something else.
fn reinterpret(body: &mut Body, ty: Type) {
    match body.recent(|other| other.casts_to(ty)) {
        Some(source) => {
            let source = body.without_nan(source);
            body.add(ty, format!("bitcast {source} to {ty}"));
        }
        None => _ = body.convert(ty),
    }
}

/// -1, 0 or 1.
fn three_way(body: &mut Body, ty: Type) {
    let result = Type::int(body.one_of(&[2, 8, 32]));
    let op = body.one_of(&["scmp", "ucmp"]);
    let (a, b) = body.pair(ty);
    let call = body.intrinsic(result, &format!("{op}.{}.{}", result.suffix(), ty.suffix()), &[&a, &b]);
    body.add(result, call);
}

/// What has a value stays as it is.
fn freeze(body: &mut Body, ty: Type) {
    let a = body.operand(ty, 15);
    body.add(ty, format!("freeze {a}"));
}

/// To a float, or from one in the form that gives the nearest integer where there is none: the plain form has no result
/// there.
fn through_float(body: &mut Body, ty: Type) {
    if ty.width > 64 || ty.is_vector() && !body.module.limits.is_x86 {
        return;
    }
    let float = ty.with_lane(Type::float(body.one_of(&[32, 64])));
    if body.chance(50) {
        let (op, a) = (body.one_of(&["uitofp", "sitofp"]), body.operand(ty, 15));
        body.add(float, format!("{op} {a} to {float}"));
    } else {
        let op = body.one_of(&["fptosi.sat", "fptoui.sat"]);
        let a = body.operand(float, 10);
        let call = body.intrinsic(ty, &format!("{op}.{}.{}", ty.suffix(), float.suffix()), &[&a]);
        body.add(ty, call);
    }
}

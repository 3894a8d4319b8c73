//! Steps on vectors as such: lanes, shuffles, reductions, loads and stores of some lanes.

use super::body::Body;
use super::memory;
use super::types::{Type, Value, number};

/// The lanes of two vectors of `lanes` lanes, in any order and number.
fn order(body: &mut Body, lanes: u32, count: u32) -> String {
    let numbers: Vec<String> =
        (0..count).map(|_| format!("i32 {}", body.below(2 * lanes as usize))).collect();
    format!("<{count} x i32> <{}>", numbers.join(", "))
}

/// One lane, or a shuffle of two vectors.
pub fn lane_or_shuffle(body: &mut Body, ty: Type) {
    let Some(lanes) = ty.lanes else { return };
    let a = body.operand(ty, 15);
    if body.chance(50) {
        let at = body.below(lanes as usize);
        body.add(ty.lane(), format!("extractelement {a}, i32 {at}"));
    } else {
        let (b, order) = (body.operand(ty, 20), order(body, lanes, lanes));
        body.add(ty, format!("shufflevector {a}, {b}, {order}"));
    }
}

/// A shuffle to another number of lanes.
pub fn resizing_shuffle(body: &mut Body) {
    let Some(a) = body.recent(Type::is_vector) else { return };
    let (count, lanes) = (body.one_of(&[2, 3, 4, 8, 16]), a.ty.lanes.unwrap_or(1));
    let (b, order) = (body.operand(a.ty, 15), order(body, lanes, count));
    body.add(a.ty.vector(count), format!("shufflevector {a}, {b}, {order}"));
}

/// A shuffle as programs have them: lanes by turns, every second one, halves, backwards, moved along, one for all.
pub fn regular_shuffle(body: &mut Body) {
    let Some(a) = body.recent(|ty| ty.lanes.is_some_and(|lanes| lanes.is_power_of_two())) else { return };
    let lanes = a.ty.lanes.unwrap_or(1);
    let b = body.operand(a.ty, 15);
    let by = body.below(lanes as usize) as u32;
    let half = lanes / 2;
    let (count, lane): (u32, &dyn Fn(u32) -> u32) = match body.below(11) {
        0 => (lanes, &|n| n / 2 + n % 2 * lanes),
        1 => (lanes, &|n| half + n / 2 + n % 2 * lanes),
        2 => (2 * lanes, &|n| n / 2 + n % 2 * lanes),
        3 => (lanes, &|n| 2 * n + by % 2),
        4 => (half, &|n| 2 * n + by % 2),
        5 => (lanes, &|n| lanes - 1 - n),
        6 => (lanes, &|n| n + by),
        7 => (lanes, &|_| by),
        8 => (lanes, &|n| n ^ half),
        9 => (half, &|n| n),
        _ => (2 * lanes, &|n| n),
    };
    // LLVM has wrong code where few lanes of one bit become an integer.
    if !(2..=32).contains(&count) || a.ty.width == 1 && count > 16 {
        return;
    }
    let numbers: Vec<String> = (0..count).map(|n| format!("i32 {}", lane(n))).collect();
    let order = format!("<{count} x i32> <{}>", numbers.join(", "));
    body.add(a.ty.vector(count), format!("shufflevector {a}, {b}, {order}"));
}

/// Arithmetic on extended lanes, which are cut again or not: averages, upper halves of products, distances, limits.
pub fn widened(body: &mut Body) {
    let is_wanted = |ty: Type| ty.is_vector() && ty.is_int() && matches!(ty.width, 8 | 16 | 32);
    let Some(a) = body.recent(is_wanted) else { return };
    let narrow = a.ty;
    let times = if narrow.width < 32 { body.one_of(&[2, 2, 4]) } else { 2 };
    let wide = narrow.with_lane(Type::int(times * narrow.width));
    let extend = body.one_of(&["zext", "sext"]);
    let extended = |body: &mut Body, value: &Value| {
        let extend = if body.chance(90) { extend } else { "zext" };
        body.define(wide, format!("{extend} {value} to {wide}"))
    };
    let mut result = extended(body, &a);
    for _ in 0..1 + body.below(4) {
        let other = match body.below(3) {
            0 => {
                let top = 1u128 << narrow.width;
                let constants = [1, 2, 3, top - 1, top / 2 - 1, top / 2, 128 % top, 0];
                number(wide, body.one_of(&constants))
            }
            _ => {
                let other = body.operand(narrow, 15);
                extended(body, &other)
            }
        };
        result = match body.below(9) {
            kind @ 0..5 => {
                let op = ["add", "sub", "mul", "add", "sub"][kind];
                body.define(wide, format!("{op} {result}, {}", other.text))
            }
            5 => {
                let by = number(wide, body.one_of(&[1, 1, u128::from(narrow.width), 3]));
                let shift = body.one_of(&["lshr", "ashr"]);
                body.define(wide, format!("{shift} {result}, {}", by.text))
            }
            6 => {
                let is_poison = number(Type::BIT, 0);
                let call = body.intrinsic(wide, &format!("abs.{}", wide.suffix()), &[&result, &is_poison]);
                body.define(wide, call)
            }
            _ => {
                let op = body.one_of(&["smin", "smax", "umin", "umax"]);
                let call = body.intrinsic(wide, &format!("{op}.{}", wide.suffix()), &[&result, &other]);
                body.define(wide, call)
            }
        };
    }
    if body.chance(70) {
        body.add(narrow, format!("trunc {result} to {narrow}"));
    } else {
        body.values.push(result);
    }
}

/// Lanes that are brought between two limits, and then cut.
pub fn clamped(body: &mut Body) {
    let is_wanted = |ty: Type| ty.is_vector() && ty.is_int() && matches!(ty.width, 16 | 32 | 64);
    let Some(a) = body.recent(is_wanted) else { return };
    let narrow = a.ty.with_lane(Type::int(a.ty.width / 2));
    let top = 1u128 << (narrow.width - 1);
    let (least, most) = match body.below(3) {
        0 => (0, 2 * top - 1),
        1 => ((1u128 << a.ty.width) - top, top - 1),
        _ => (0, top - 1),
    };
    let mut value = a;
    for (name, limit) in [("smax", least), ("smin", most)] {
        let limit = number(value.ty, limit);
        let call = body.intrinsic(value.ty, &format!("{name}.{}", value.ty.suffix()), &[&value, &limit]);
        value = body.define(value.ty, call);
    }
    body.add(narrow, format!("trunc {value} to {narrow}"));
}

/// A lane whose number is computed. It is masked: there must be such a lane.
pub fn variable_lane(body: &mut Body) {
    let is_wanted = |ty: Type| ty.lanes.is_some_and(|lanes| lanes.is_power_of_two());
    let Some(a) = body.recent(is_wanted) else { return };
    let mask = a.ty.lanes.unwrap_or(1) - 1;
    let any = body.operand(Type::I32, 0);
    let at = body.define(Type::I32, format!("and {any}, {mask}"));
    if body.chance(50) {
        body.add(a.ty.lane(), format!("extractelement {a}, {at}"));
    } else {
        let lane = body.operand(a.ty.lane(), 15);
        body.add(a.ty, format!("insertelement {a}, {lane}, {at}"));
    }
}

/// All lanes in one.
pub fn reduction(body: &mut Body, ty: Type) {
    let op = body.one_of(&["add", "and", "or", "xor", "smax", "umin", "umax", "smin"]);
    let a = body.operand(ty, 15);
    let call = body.intrinsic(ty.lane(), &format!("vector.reduce.{op}.{}", ty.suffix()), &[&a]);
    body.add(ty.lane(), call);
}

/// Some lanes to memory, and some back.
pub fn masked(body: &mut Body) {
    let (width, lanes) = body.one_of(&[(32, 4), (64, 2), (8, 16), (16, 8), (32, 8)]);
    let ty = Type::int(width).vector(lanes);
    let (mask, suffix) = (ty.truth(), ty.suffix());
    body.declare(format!("void @llvm.masked.store.{suffix}.p0({ty}, ptr, i32, {mask})"));
    body.declare(format!("{ty} @llvm.masked.load.{suffix}.p0(ptr, i32, {mask}, {ty})"));
    let fill = number(Type::I8, body.below(256) as u128);
    let place = memory::filled(body, &fill);
    let (value, chosen) = (body.operand(ty, 15), body.operand(mask, 30));
    body.line(format!("call void @llvm.masked.store.{suffix}.p0({value}, ptr {place}, i32 1, {chosen})"));
    let (other, chosen) = (body.operand(ty, 15), body.operand(mask, 30));
    body.add(ty, format!("call {ty} @llvm.masked.load.{suffix}.p0(ptr {place}, i32 1, {chosen}, {other})"));
}

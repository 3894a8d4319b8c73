//! Steps on vectors as such: lanes, shuffles, reductions, loads and stores of some lanes.

use super::body::Body;
use super::memory;
use super::types::{Type, number};

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

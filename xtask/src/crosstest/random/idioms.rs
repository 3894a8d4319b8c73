//! Steps that are several operations: what programs write for what machines have one instruction for.

use super::body::Body;
use super::types::{Type, Value, number};

type Idiom = fn(&mut Body, Value, Type);

const IDIOMS: [Idiom; 6] = [rotation, magnitude, saturating_sum, clamped_difference, field, single_bit];

/// One of them, for an integer of the size of a register.
pub fn step(body: &mut Body) {
    let ty = Type::int(body.one_of(&[8, 16, 32, 64]));
    let a = body.operand(ty, 15);
    body.one_of(&IDIOMS)(body, a, ty);
}

/// A number of bits, less than the width.
fn count(body: &mut Body, ty: Type, constants: usize) -> Value {
    let any = body.operand(ty, constants);
    body.define(ty, format!("and {any}, {}", ty.width - 1))
}

fn rotation(body: &mut Body, a: Value, ty: Type) {
    let left = count(body, ty, 30);
    let negative = body.define(ty, format!("sub {ty} 0, {}", left.text));
    let right = body.define(ty, format!("and {negative}, {}", ty.width - 1));
    let high = body.define(ty, format!("shl {a}, {}", left.text));
    let low = body.define(ty, format!("lshr {a}, {}", right.text));
    body.add(ty, format!("or {high}, {}", low.text));
}

fn magnitude(body: &mut Body, a: Value, ty: Type) {
    let sign = body.define(ty, format!("ashr {a}, {}", ty.width - 1));
    let flipped = body.define(ty, format!("xor {a}, {}", sign.text));
    body.add(ty, format!("sub {flipped}, {}", sign.text));
}

fn saturating_sum(body: &mut Body, a: Value, ty: Type) {
    let b = body.operand(ty, 30);
    let sum = body.define(ty, format!("add {a}, {}", b.text));
    let has_wrapped = body.add(Type::BIT, format!("icmp ult {sum}, {}", a.text));
    body.add(ty, format!("select {has_wrapped}, {ty} -1, {sum}"));
}

fn clamped_difference(body: &mut Body, a: Value, ty: Type) {
    let b = body.operand(ty, 20);
    let predicate = body.one_of(&["ult", "slt", "ugt", "sge", "eq"]);
    let difference = body.define(ty, format!("sub {a}, {}", b.text));
    let is_clamped = body.define(Type::BIT, format!("icmp {predicate} {a}, {}", b.text));
    body.add(ty, format!("select {is_clamped}, {ty} 0, {difference}"));
}

/// Some bits, moved to another place.
fn field(body: &mut Body, a: Value, ty: Type) {
    let width = ty.width as usize;
    let (from, to, bits) = (body.below(width), body.below(width), 1 + body.below(width - 1));
    let moved = body.define(ty, format!("lshr {a}, {from}"));
    let masked = body.define(ty, format!("and {moved}, {}", number(ty, (1 << bits) - 1).text));
    body.add(ty, format!("shl {masked}, {to}"));
}

/// One bit that is tested, set, cleared or flipped.
fn single_bit(body: &mut Body, a: Value, ty: Type) {
    let at = count(body, ty, 0);
    let mut bit = body.define(ty, format!("shl {ty} 1, {}", at.text));
    let mut op = body.one_of(&["and", "or", "xor", "clear"]);
    if op == "clear" {
        bit = body.define(ty, format!("xor {bit}, -1"));
        op = "and";
    }
    let result = body.add(ty, format!("{op} {a}, {}", bit.text));
    let predicate = body.one_of(&["eq", "ne"]);
    body.add(Type::BIT, format!("icmp {predicate} {result}, 0"));
}

/// The upper half of a product of 64 bits.
pub fn high_product(body: &mut Body) {
    let wide = Type::int(128);
    let (extend, shift) = (body.one_of(&["zext", "sext"]), body.one_of(&["lshr", "ashr"]));
    let (a, b) = (body.operand(Type::I64, 15), body.operand(Type::I64, 15));
    let a = body.define(wide, format!("{extend} {a} to {wide}"));
    let b = body.define(wide, format!("{extend} {b} to {wide}"));
    let product = body.define(wide, format!("mul {a}, {}", b.text));
    let high = body.define(wide, format!("{shift} {product}, 64"));
    body.add(Type::I64, format!("trunc {high} to i64"));
}

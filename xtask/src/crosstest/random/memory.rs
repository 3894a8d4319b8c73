//! Steps through memory: slots of the frame, tables, blocks of bytes, atomic operations, aggregates, addresses.
//!
//! Every byte is written before it is read, and every address lies in its object. Slots are taken wherever a step
//! stands, in loops too, so that frames grow while a function runs.

use super::body::Body;
use super::types::{Limits, Type, Value, number};

/// Bytes of a slot.
const SLOT: u32 = 64;
/// Elements of a table. An index is at most 15, and has at most 15 added.
pub const TABLE: u32 = 32;
/// Widths of the elements of the tables, one each.
pub const TABLES: [u32; 4] = [8, 16, 32, 64];
/// Numbers of bytes that blocks are copied by, beside those that are computed.
const LENGTHS: [u32; 19] = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 48, 64];
/// Atomic operations; at the end four that are not on every target for every width, and two that are on x86 alone.
#[rustfmt::skip]
const ATOMIC: [&str; 13] = [
    "add", "sub", "and", "or", "xor", "nand", "xchg", "max", "min", "umax", "umin", "uinc_wrap", "udec_wrap",
];

fn new_slot(body: &mut Body) -> String {
    body.name(format!("alloca [{SLOT} x i8], align 16"))
}

/// A slot whose bytes all are `fill`.
pub fn filled(body: &mut Body, fill: &Value) -> String {
    let slot = new_slot(body);
    body.declare("void @llvm.memset.p0.i32(ptr, i8, i32, i1)".to_owned());
    body.line(format!("call void @llvm.memset.p0.i32(ptr {slot}, {fill}, i32 {SLOT}, i1 false)"));
    slot
}

/// A number from 0 to `mask`, computed or constant.
fn small(body: &mut Body, mask: u32, constants: usize) -> Value {
    let any = body.operand(Type::I32, constants);
    body.define(Type::I32, format!("and {any}, {mask}"))
}

/// Stores a value and loads it again. How vectors lie in memory whose lanes are no whole bytes, LLVM's pieces do not agree.
pub fn slot(body: &mut Body, ty: Type) {
    if ty.bytes() > SLOT / 2 || ty.is_vector() && !ty.is_whole_bytes() {
        return;
    }
    let value = body.operand(ty, 15);
    let slot = new_slot(body);
    let (place, alignment) = if body.chance(50) {
        (slot, body.one_of(&[1, 2, 4]))
    } else {
        let offset = small(body, 7, 30);
        (body.name(format!("getelementptr i8, ptr {slot}, {offset}")), 1)
    };
    body.line(format!("store {value}, ptr {place}, align {alignment}"));
    body.add(ty, format!("load {ty}, ptr {place}, align {alignment}"));
}

/// The same value, of which no compiler knows more than its type.
pub fn hidden(body: &mut Body, value: Value) -> Value {
    let ty = value.ty;
    let slot = body.name(format!("alloca {ty}, align 16"));
    body.line(format!("store {value}, ptr {slot}, align 1"));
    body.define(ty, format!("load volatile {ty}, ptr {slot}, align 1"))
}

/// An element of a table, at an index in one of the usual forms.
pub fn table(body: &mut Body) {
    let ty = Type::int(body.one_of(&TABLES));
    let mask = body.one_of(&[3, 7, 15]);
    let mut index = small(body, mask, 10);
    if body.chance(50) {
        let op = body.one_of(&["zext", "sext"]);
        index = body.define(Type::I64, format!("{op} {index} to i64"));
    }
    if body.chance(50) {
        let (op, offset) = (body.one_of(&["add", "xor"]), body.below(16));
        index = body.define(index.ty, format!("{op} {index}, {offset}"));
    }
    let place = body.name(format!("getelementptr [{TABLE} x {ty}], ptr @t{}, i32 0, {index}", ty.width));
    body.add(ty, format!("load {ty}, ptr {place}"));
    if body.chance(40) {
        let value = body.operand(ty, 15);
        body.line(format!("store {value}, ptr {place}"));
    }
}

/// What an operation on memory finds there and leaves.
pub fn atomic(body: &mut Body) {
    let Limits { is_x86, has_narrow_extremes, has_narrow_exchanges, .. } = body.module.limits;
    let ty = Type::int(body.one_of(if is_x86 { &[8, 16, 32, 64] } else { &[8, 16, 32] }));
    let count = match (is_x86, has_narrow_extremes || ty.width == 32) {
        (true, _) => ATOMIC.len(),
        (false, true) => ATOMIC.len() - 2,
        (false, false) => ATOMIC.len() - 6,
    };
    let op = body.one_of(&ATOMIC[..count]);
    let place = body.name(format!("alloca {ty}, align 8"));
    let (first, second) = (body.operand(ty, 15), body.operand(ty, 40));
    body.line(format!("store {first}, ptr {place}, align 8"));
    let old = body.define(ty, format!("atomicrmw {op} ptr {place}, {second} seq_cst"));
    if body.chance(70) {
        body.values.push(old);
    }
    if (has_narrow_exchanges || ty.width == 32) && body.chance(50) {
        let (expected, new) = (body.operand(ty, 30), body.operand(ty, 30));
        let exchange = format!("cmpxchg ptr {place}, {expected}, {new} seq_cst monotonic");
        body.add_members(&[ty, Type::BIT], &format!("{{ {ty}, i1 }}"), exchange);
    }
    if body.chance(50) {
        body.add(ty, format!("load atomic {ty}, ptr {place} seq_cst, align 8"));
    } else {
        body.add(ty, format!("load {ty}, ptr {place}"));
    }
}

/// Fills two slots, copies some bytes of one to the other or within it, and loads from there.
pub fn blocks(body: &mut Body) {
    let fill = body.operand(Type::I8, 50);
    let source = filled(body, &fill);
    let is_stored = |ty: Type| ty.bytes() <= 32 && ty.is_whole_bytes();
    if let Some(value) = body.recent(is_stored) {
        let value = body.without_nan(value);
        body.line(format!("store {value}, ptr {source}, align 1"));
    }
    let length = match body.chance(30) {
        true => small(body, 63, 0),
        false => number(Type::I32, body.one_of(&LENGTHS).into()),
    };
    body.declare("void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)".to_owned());
    body.declare("void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)".to_owned());
    let (op, place) = match body.below(3) {
        0 => {
            // The halves of a slot may overlap by all but a few bytes.
            let (half, offset) = (SLOT / 2, small(body, 7, 50));
            let to = body.name(format!("getelementptr i8, ptr {source}, {offset}"));
            let short = body.define(Type::I32, format!("and {length}, {}", half - 1));
            body.line(format!(
                "call void @llvm.memmove.p0.p0.i32(ptr {to}, ptr {source}, {short}, i1 false)"
            ));
            ("memmove", source.clone())
        }
        choice => (if choice == 1 { "memcpy" } else { "memmove" }, filled(body, &number(Type::I8, 7))),
    };
    if place != source {
        body.line(format!("call void @llvm.{op}.p0.p0.i32(ptr {place}, ptr {source}, {length}, i1 false)"));
    }
    let loaded = body.one_of(&[Type::I8, Type::int(16), Type::I32, Type::I64, Type::I32.vector(4)]);
    let offset = body.below((SLOT - 16) as usize);
    let at = body.name(format!("getelementptr i8, ptr {place}, i32 {offset}"));
    body.add(loaded, format!("load {loaded}, ptr {at}, align 1"));
}

/// A structure, as a value and through memory.
pub fn aggregate(body: &mut Body) {
    let mut members = Vec::new();
    for _ in 0..1 + body.below(4) {
        let member = body.recent(|ty| !ty.is_vector() || ty.is_whole_bytes());
        members.push(member.map_or(Type::I32, |value| value.ty));
    }
    let types: Vec<String> = members.iter().map(Type::to_string).collect();
    let ty = format!("{{ {} }}", types.join(", "));
    let mut whole = String::from("zeroinitializer");
    for (at, &member) in members.iter().enumerate() {
        let value = body.operand(member, 15);
        whole = body.name(format!("insertvalue {ty} {whole}, {value}, {at}"));
    }
    let at = body.below(members.len());
    if body.chance(50) {
        let (condition, value) = (body.operand(Type::BIT, 0), body.operand(members[at], 15));
        let other = body.name(format!("insertvalue {ty} {whole}, {value}, {at}"));
        whole = body.name(format!("select {condition}, {ty} {whole}, {ty} {other}"));
    }
    if body.chance(30) {
        let place = body.name(format!("alloca {ty}"));
        body.line(format!("store {ty} {whole}, ptr {place}"));
        whole = body.name(format!("load {ty}, ptr {place}"));
    }
    body.add(members[at], format!("extractvalue {ty} {whole}, {at}"));
}

/// The distance and the order of two addresses in one slot: where it lies is not the same in all programs.
pub fn addresses(body: &mut Body) {
    let pointer = body.module.limits.pointer;
    let slot = new_slot(body);
    let offset = small(body, 31, 0);
    let place = body.name(format!("getelementptr i8, ptr {slot}, {offset}"));
    let high = body.define(pointer, format!("ptrtoint ptr {place} to {pointer}"));
    let low = body.define(pointer, format!("ptrtoint ptr {slot} to {pointer}"));
    body.add(pointer, format!("sub {high}, {}", low.text));
    let predicate = body.one_of(&["eq", "ne", "ult", "ugt", "uge"]);
    body.add(Type::BIT, format!("icmp {predicate} ptr {place}, {slot}"));
}

//! What becomes part of an operation, and what stands too near to it not to be told apart.

use super::{NUMBERS, check};
use alloc::format;

#[test]
fn shifts_that_are_no_operands() {
    // Needed twice; by 32 or more bits; of the first operand of what does not commute, but for a subtraction.
    check(
        NUMBERS,
        "v30: i32 = shl v0, v21\nv31: i32 = sub v1, v30\nv32: i32 = xor v31, v30\nret v32",
        "MovSrc.Mov Alu.Sub Alu.Eor",
    );
    check(NUMBERS, "v30: i32 = shl v0, v21\nv31: i32 = add v30, v30\nret v31", "MovSrc.Mov Alu.Add");
    check(NUMBERS, "v30: i32 = shl v0, v21\nv31: i32 = mul v30, v1\nret v31", "MovSrc.Mov Mul");
    check(NUMBERS, "v30: i32 = shl v0, v21\nv31: i32 = add v30, v24\nret v31", "MovSrc.Mov Alu.Add");
    check(NUMBERS, "v30: i32 = shl v0, v21\nv31: i32 = sub v24, v30\nret v31", "MovSrc.Mov Alu.Rsb");
    check(NUMBERS, "v30: i32 = shl v0, v1\nv31: i32 = add v30, v1\nret v31", "MovSrc.Mov Alu.Add");
    // Of two the second is.
    check(
        NUMBERS,
        "v30: i32 = shl v0, v21\nv31: i32 = ashr v1, v24\nv32: i32 = or v30, v31\nret v32",
        "MovSrc.Mov Alu.Orr",
    );
}

#[test]
fn rotations_need_both_shifts_of_one_value() {
    let rotation = |left: &str, right: &str, op: &str| {
        format!("v30: i32 = {left}\nv31: i32 = {right}\nv32: i32 = {op} v30, v31\nret v32")
    };
    for op in ["or", "add", "xor"] {
        check(NUMBERS, &rotation("shl v0, v24", "lshr v0, v23", op), "MovSrc.Mov");
        check(NUMBERS, &rotation("lshr v0, v23", "shl v0, v24", op), "MovSrc.Mov");
    }
    check(NUMBERS, &rotation("shl v0, v24", "lshr v1, v23", "or"), "MovSrc.Mov Alu.Orr");
    check(NUMBERS, &rotation("shl v0, v24", "ashr v0, v23", "or"), "MovSrc.Mov Alu.Orr");
    check(NUMBERS, &rotation("shl v0, v24", "lshr v0, v20", "or"), "MovSrc.Mov Alu.Orr");
    check(NUMBERS, &rotation("shl v0, v24", "lshr v0, v23", "and"), "MovSrc.Mov Alu.And");
}

#[test]
fn products_that_are_not_added() {
    check("", "v30: i32 = mul v0, v1\nv31: i32 = add v30, v30\nret v31", "Mul Alu.Add");
    check(
        "",
        "v30: i32 = mul v0, v1\nv31: i32 = add v30, v1\nv32: i32 = xor v31, v30\nret v32",
        "Mul Alu.Add Alu.Eor",
    );
    check(NUMBERS, "v30: i32 = mul v0, v1\nv31: i32 = add v30, v20\nret v31", "Mul Alu.Add");
    check(NUMBERS, "v30: i32 = mul v0, v1\nv31: i32 = sub v20, v30\nret v31", "Mul Alu.Rsb");
    // Of two products one.
    check(
        "",
        "v30: i32 = mul v0, v1\nv31: i32 = mul v1, v1\nv32: i32 = add v30, v31\nret v32",
        "Mul MultiplyAdd.Mla",
    );
    check(
        "",
        "v30: i16 = trunc v0\nv31: i16 = mul v30, v30\nv32: i16 = add v31, v30\nv33: i32 = zext v32\nret v33",
        "Mul Alu.Add Extend.Uxth",
    );
}

#[test]
fn products_of_floats_are_rounded_before_they_are_added() {
    let of = |first: &str, second: &str| {
        format!("v30: f64 = fmul {first}\nv31: f64 = {second}\nstore v31 to v1, align 8\nret v0")
    };
    check("", &of("v2, v3", "fadd v30, v30"), "Float3.Vmul Float3.Vadd StoreFloat");
    check("", &of("v2, v3", "fdiv v30, v2"), "Float3.Vmul Float3.Vdiv StoreFloat");
    check("", &of("v2, v3", "fmul v30, v2"), "Float3.Vmul Float3.Vmul StoreFloat");
}

#[test]
fn complements_that_stay() {
    check(NUMBERS, "v30: i32 = xor v0, v22\nv31: i32 = or v30, v1\nret v31", "MovSrc.Mvn Alu.Orr");
    check(NUMBERS, "v30: i32 = xor v0, v22\nv31: i32 = and v30, v24\nret v31", "MovSrc.Mvn Alu.And");
    check(
        NUMBERS,
        "v30: i32 = xor v0, v22\nv31: i32 = and v30, v1\nv32: i32 = add v31, v30\nret v32",
        "MovSrc.Mvn Alu.And Alu.Add",
    );
    // Of two complements one is taken.
    check(
        NUMBERS,
        "v30: i32 = xor v0, v22\nv31: i32 = xor v1, v22\nv32: i32 = and v30, v31\nret v32",
        "MovSrc.Mvn Alu.Bic",
    );
}

#[test]
fn loads_that_do_not_extend() {
    // Of the other kind, used twice, or of words.
    let load = |ty: &str, rest: &str| format!("v30: {ty} = load v0, align 1\n{rest}");
    check("", &load("i16", "v31: i32 = sext v30\nret v31"), "Load.Ldrsh");
    check(
        "",
        &load("i8", "v31: i32 = sext v30\nv32: i32 = zext v30\nv33: i32 = add v31, v32\nret v33"),
        "Load.Ldrb Extend.Sxtb Alu.Add",
    );
    check(
        "",
        &load("i8", "v31: i64 = sext v30\nstore v31 to v1, align 1\nret v0"),
        "Load.Ldrsb MovSrc.Mov Store.Str Store.Str",
    );
    check(
        "",
        &load("i32", "v31: i64 = sext v30\nstore v31 to v1, align 1\nret v0"),
        "Load.Ldr MovSrc.Mov Store.Str Store.Str",
    );
}

#[test]
fn immediates_are_rotated_bytes_of_the_operation_or_its_opposite() {
    let with = |n: i64| format!("  v20: i32 = {n}");
    let each = [
        ("add", 255, "Alu.Add"),
        ("add", -255, "Alu.Sub"),
        ("sub", 1020, "Alu.Sub"),
        ("sub", -4, "Alu.Add"),
        ("and", 255, "Alu.And"),
        ("and", -256, "Alu.Bic"),
        ("or", 0xff00, "Alu.Orr"),
        ("xor", -1, "MovSrc.Mvn"),
        ("add", 257, "MovImm Alu.Add"),
        ("or", -256, "MovImm Alu.Orr"),
        ("and", 0x12345, "MovImm Alu.And"),
        ("xor", 258, "MovImm Alu.Eor"),
    ];
    for (op, number, expected) in each {
        check(&with(number), &format!("v30: i32 = {op} v0, v20\nret v30"), expected);
    }
}

//! Comparisons, divisions, pairs, calls, constants of loops and lanes.

use super::{NUMBERS, PROGRAM, check, lowered, lowered_for};
use crate::target::{Arm32, Division};
use alloc::format;

fn branch(test: &str) -> alloc::string::String {
    format!("{test}\nbr v40, block1, block2\nblock1:\nret v0\nblock2:\nret v1")
}

#[test]
fn comparisons_that_are_not_with_zero_or_not_for_flags() {
    check(NUMBERS, &branch("v40: i1 = icmp ugt v0, v20"), "Compare.Cmp Branch");
    check(NUMBERS, &branch("v40: i1 = icmp eq v0, v22"), "Compare.Cmn Branch");
    check("  v20: i32 = 74565", &branch("v40: i1 = icmp eq v0, v20"), "MovImm Compare.Cmp Branch");
    // Order by zero is sign for two predicates, and a comparison for the others.
    check("", &branch("v40: i1 = icmp sge v0, v11"), "TestZero Branch");
    check("", &branch("v40: i1 = icmp sgt v0, v11"), "Compare.Cmp Branch");
    check("", &branch("v40: i1 = icmp ult v0, v11"), "Compare.Cmp Branch");
    // A mask is tested for equality alone.
    check("", &branch("v30: i32 = and v0, v1\nv40: i1 = icmp slt v30, v11"), "Alu.And TestZero Branch");
    check("", &branch("v30: i32 = and v0, v1\nv40: i1 = icmp ne v30, v1"), "Alu.And Compare.Cmp Branch");
    // A comparison that is also a number is made one.
    check("", "v30: i1 = icmp ult v0, v1\nv31: i32 = zext v30\nret v31", "Compare.Cmp SetCond");
}

#[test]
fn floats_compare_with_zero_without_a_register() {
    let zero = "  v20: f64 = 0x0\n  v21: f64 = 0x8000000000000000";
    check(zero, &branch("v40: i1 = fcmp olt v2, v20"), "CompareFloat Branch");
    check(zero, &branch("v40: i1 = fcmp olt v2, v21"), "LoadConstant CompareFloat Branch");
    check(zero, &branch("v40: i1 = fcmp one v2, v3"), "CompareFloat Branch");
}

#[test]
fn divisions_by_instructions_where_there_are_some() {
    let divide = |op: &str| format!("block0:\nv30: i32 = {op} v0, v1\nret v30");
    let with = |op: &str| {
        lowered_for(Arm32 { division: Division::Hardware, ..PROGRAM }, "v0: i32, v1: i32", "", &divide(op))
            .join(" ")
    };
    assert_eq!(with("udiv"), "TrapIfZero Divide.Udiv");
    assert_eq!(with("srem"), "TrapIfZero Divide.Sdiv MultiplyAdd.Mls");
}

#[test]
fn pairs_are_carried_and_shifted_by_halves() {
    let pair = |body: &str| {
        lowered(
            "v0: i32, v1: i32, v6: i64, v7: i64",
            "  v20: i64 = 32\n  v21: i64 = 1\n  v22: i64 = 0",
            &format!("block0:\n{body}\nv98: i64 = xor v99, v7\nstore v98 to v0, align 1\nret v0"),
        )
        .join(" ")
    };
    // The second pair is an argument on the stack.
    let start = "Load.Ldr Load.Ldr";
    let end = "Alu.Eor Alu.Eor Store.Str Store.Str";
    assert_eq!(pair("v99: i64 = add v6, v7"), format!("{start} Alu.Add Alu.Adc {end}"));
    assert_eq!(pair("v99: i64 = sub v6, v21"), format!("{start} Alu.Sub Alu.Sbc {end}"));
    assert_eq!(
        pair("v99: i64 = mul v6, v7"),
        format!("{start} MultiplyLong.Umull MultiplyAdd.Mla MultiplyAdd.Mla {end}")
    );
}

#[test]
fn thread_local_and_called_symbols_are_not_held() {
    let header = "target pointer i32 native\nglobal internal thread_local @t align 4 = zero 4\n\
        intrinsic external @llvm.ice.threadlocal.address(i32) -> i32 as threadlocal.address\n";
    let body = "define internal @f(v0: i32) -> i32 {\n  v10: i32 = @t\n  v11: i32 = 1\nblock0:\nbr block1\nblock1:\n\
        v30: i32 = phi [v0, block0], [v33, block1]\nv31: i32 = call @llvm.ice.threadlocal.address(v10)\n\
        v32: i32 = load v31, align 4\nv33: i32 = add v30, v32\nv34: i1 = icmp eq v33, v11\nbr v34, block2, block1\n\
        block2:\nret v33\n}\n";
    let forms = ice_codegen::testing::lowered(&PROGRAM, &format!("{header}\n{body}"));
    assert!(!forms.iter().any(|form| form.starts_with("MovSymbol")), "{forms:?}");
    assert!(forms.iter().any(|form| form.starts_with("ThreadPointer")), "{forms:?}");
}

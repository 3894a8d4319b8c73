//! Which sums become addresses, and which must not.

use super::{NUMBERS, check, lowered};
use alloc::format;
use alloc::string::String;

/// Blocks: `sum` computes v40, at which a conditional block stores `first` and the one behind it `second`.
fn shared(sum: &str, first: &str, second: &str) -> String {
    format!(
        "block0:\n{sum}\nv41: i1 = icmp eq v1, v11\nbr v41, block1, block2\nblock1:\nstore {first} to v40, align 1\n\
         br block2\nblock2:\nstore {second} to v40, align 1\nret v0"
    )
}

#[track_caller]
fn check_shared(constants: &str, sum: &str, users: [&str; 2], expected: &str) {
    let params = "v0: i32, v1: i32, v2: f64, v3: f64, v4: i16, v5: i8, v6: i64, v7: v4i32";
    let names = lowered(params, constants, &shared(sum, users[0], users[1]));
    let names: alloc::vec::Vec<_> = names.iter().map(String::as_str).filter(|n| *n != "Branch").collect();
    assert_eq!(names.join(" "), expected, "{sum} {users:?}");
}

const WORDS: [&str; 2] = ["v0", "v1"];

#[test]
fn sums_of_registers_are_addresses_in_several_blocks() {
    check_shared(NUMBERS, "v40: i32 = add v0, v1", WORDS, "TestZero Store.Str Store.Str");
    check_shared(
        NUMBERS,
        "v30: i32 = shl v1, v21\nv40: i32 = add v0, v30",
        WORDS,
        "TestZero Store.Str Store.Str",
    );
    check_shared(
        NUMBERS,
        "v30: i32 = mul v1, v20\nv40: i32 = add v0, v30",
        ["v0", "v5"],
        "TestZero Store.Str Store.Strb",
    );
}

#[test]
fn a_scale_that_one_access_cannot_have_is_computed_before_both() {
    let scaled = "v30: i32 = shl v1, v21\nv40: i32 = add v0, v30";
    check_shared(NUMBERS, scaled, ["v0", "v4"], "Alu.Add TestZero Store.Str Store.Strh");
    check_shared(NUMBERS, scaled, ["v4", "v0"], "Alu.Add TestZero Store.Strh Store.Str");
    check_shared(NUMBERS, scaled, ["v0", "v2"], "Alu.Add TestZero Store.Str StoreDouble");
}

#[test]
fn what_was_folded_into_a_sum_is_computed_with_it() {
    let two = |sum: &str, expected: &str| check_shared(NUMBERS, sum, WORDS, expected);
    two("v30: i32 = mul v0, v1\nv40: i32 = add v0, v30", "MultiplyAdd.Mla TestZero Store.Str Store.Str");
    two(
        "v30: i32 = shl v1, v24\nv31: i32 = lshr v1, v23\nv40: i32 = add v30, v31",
        "MovSrc.Mov TestZero Store.Str Store.Str",
    );
    two("v30: i32 = lshr v1, v21\nv40: i32 = add v0, v30", "Alu.Add TestZero Store.Str Store.Str");
    two(
        "v30: i32 = shl v0, v21\nv31: i32 = shl v1, v24\nv40: i32 = add v30, v31",
        "MovSrc.Mov TestZero Store.Str Store.Str",
    );
    check_shared(
        "  v20: i32 = 12",
        "v30: i32 = mul v1, v20\nv40: i32 = add v0, v30",
        WORDS,
        "Alu.Add Alu.Add TestZero Store.Str Store.Str",
    );
}

#[test]
fn constants_are_in_reach_of_every_access() {
    let sum = |n: i32| (format!("  v20: i32 = {n}"), "v40: i32 = add v0, v20");
    let try_one = |n: i32, users: [&str; 2], expected: &str| {
        let (constants, sum) = sum(n);
        check_shared(&constants, sum, users, expected);
    };
    try_one(4095, WORDS, "TestZero Store.Str Store.Str");
    try_one(-4095, WORDS, "TestZero Store.Str Store.Str");
    try_one(4096, WORDS, "Alu.Add TestZero Store.Str Store.Str");
    try_one(255, ["v0", "v4"], "TestZero Store.Str Store.Strh");
    try_one(256, ["v0", "v4"], "Alu.Add TestZero Store.Str Store.Strh");
    try_one(256, ["v5", "v0"], "TestZero Store.Strb Store.Str");
    // The pair is an argument on the stack.
    try_one(4091, ["v6", "v6"], "Load.Ldr Load.Ldr TestZero Store.Str Store.Str Store.Str Store.Str");
    try_one(4092, ["v6", "v0"], "Load.Ldr Load.Ldr MovImm Alu.Add TestZero Store.Str Store.Str Store.Str");
}

const STORE: &str = "store v0 to v30, align 1\n";

#[test]
fn a_sum_that_is_also_a_number_or_has_many_users_is_computed_once() {
    check(
        NUMBERS,
        "v30: i32 = add v0, v1\nv31: i32 = load v30, align 1\nstore v30 to v10, align 1\nret v31",
        "Alu.Add Load.Ldr MovSymbol Store.Str",
    );
    check(NUMBERS, "v30: i32 = add v0, v1\nstore v30 to v30, align 1\nret v0", "Alu.Add Store.Str");
    check(
        NUMBERS,
        &format!("v30: i32 = add v0, v1\nv31: i32 = load v30, align 1\n{}ret v31", STORE.repeat(4)),
        "Alu.Add Load.Ldr Store.Str Store.Str Store.Str Store.Str",
    );
    check(
        NUMBERS,
        &format!("v30: i32 = add v0, v1\nv31: i32 = load v30, align 1\n{}ret v31", STORE.repeat(3)),
        "Load.Ldr Store.Str Store.Str Store.Str",
    );
    // A constant may have any number of users.
    check(
        NUMBERS,
        "v30: i32 = add v0, v20\nv31: i32 = load v30, align 1\nstore v0 to v30, align 1\nstore v1 to v30, align 1\nret v31",
        "Load.Ldr Store.Str Store.Str",
    );
}

#[test]
fn an_index_is_one_of_the_terms() {
    // Of two shifts the second is the index.
    check(
        NUMBERS,
        "v30: i32 = shl v0, v21\nv31: i32 = shl v1, v21\nv32: i32 = add v30, v31\nv33: i32 = load v32, align 1\nret v33",
        "MovSrc.Mov Load.Ldr",
    );
    // A product next to it is computed for itself.
    check(
        NUMBERS,
        "v30: i32 = shl v0, v21\nv31: i32 = mul v0, v1\nv32: i32 = add v30, v31\nv33: i32 = load v32, align 1\nret v33",
        "Mul Load.Ldr",
    );
    check(
        NUMBERS,
        "v30: i32 = shl v0, v21\nv31: i32 = add v1, v30\nv32: i16 = load v31, align 1\nv33: i32 = zext v32\nret v33",
        "Alu.Add Load.Ldrh",
    );
    check(
        NUMBERS,
        "v30: i32 = lshr v0, v21\nv31: i32 = add v1, v30\nv32: i32 = load v31, align 1\nret v32",
        "Alu.Add Load.Ldr",
    );
}

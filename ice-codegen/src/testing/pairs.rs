//! Arithmetic on integers of 64 bits in pairs of registers: what the code of an operation computes, beside the operation.
//!
//! A target lowers a program and executes it by a small machine of its own.

use alloc::format;

/// Numbers with something special about one of their halves, or both.
const NUMBERS: [u64; 12] = [
    0,
    1,
    2,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x1234_5678_9abc_def0,
    0xffff_ffff_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Amounts of shifts on both sides of a word, and at it.
const AMOUNTS: [u64; 11] = [0, 1, 2, 15, 30, 31, 32, 33, 47, 62, 63];

/// An operation by its name in the IR, its second operands, and what it computes.
type Operation = (&'static str, &'static [u64], fn(u64, u64) -> u64);

const OPERATIONS: [Operation; 9] = [
    ("add", &NUMBERS, u64::wrapping_add),
    ("sub", &NUMBERS, u64::wrapping_sub),
    ("and", &NUMBERS, |a, b| a & b),
    ("or", &NUMBERS, |a, b| a | b),
    ("xor", &NUMBERS, |a, b| a ^ b),
    ("mul", &NUMBERS, u64::wrapping_mul),
    ("shl", &AMOUNTS, |a, b| a << b),
    ("lshr", &AMOUNTS, |a, b| a >> b),
    ("ashr", &AMOUNTS, |a, b| ((a as i64) >> b) as u64),
];

/// Compares each operation on pairs with what it must compute, with its second operand as a parameter and as a
/// constant. `compile` lowers the first function of a program; what it gives executes that.
///
/// # Panics
/// If a result differs.
pub fn check_pairs<F: Fn(u64, u64) -> u64>(compile: impl Fn(&str) -> F) {
    for (name, numbers, expected) in OPERATIONS {
        let program = |constant: &str, b: &str| {
            compile(&format!(
                "define internal @f(v0: i64, v1: i64) -> i64 {{\n{constant}block0:\n  v3: i64 = {name} v0, {b}\n  ret v3\n}}\n"
            ))
        };
        let general = program("", "v1");
        for &b in numbers {
            let special = program(&format!("  v2: i64 = {}\n", b as i64), "v2");
            for a in NUMBERS {
                assert_eq!(general(a, b), expected(a, b), "{name} {a:#x}, {b:#x}");
                assert_eq!(special(a, b), expected(a, b), "{name} {a:#x}, the constant {b:#x}");
            }
        }
    }
}

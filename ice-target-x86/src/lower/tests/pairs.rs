//! 64-bit integers in pairs: what the instructions of an operation compute, beside the operation itself.

use super::machine::run_with_memory;
use alloc::format;
use ice_asm::x86::Mode;

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

/// Compares `op` on pairs with `expected`; `b` is a parameter, and then each number as a constant.
fn check(op: &str, numbers: &[u64], expected: impl Fn(u64, u64) -> u64) {
    for &b in numbers {
        for (constant, rhs) in [(format!(""), "v1"), (format!("  v2: i64 = {}\n", b as i64), "v2")] {
            let text = format!(
                "define internal @f(v0: i64, v1: i64) -> i64 {{\n{constant}block0:\n  v3: i64 = {op} v0, {rhs}\n  ret v3\n}}\n"
            );
            for a in NUMBERS {
                let args = [a, b].map(|number| ("i64", u128::from(number)));
                let (words, _) = run_with_memory(Mode::Bits32, &text, &args, 0);
                let result = (words[1] as u64) << 32 | u64::from(words[0] as u32);
                assert_eq!(result, expected(a, b), "{op} {a:#x}, {b:#x} as {rhs}");
            }
        }
    }
}

#[test]
fn carries_reach_the_upper_half() {
    check("add", &NUMBERS, u64::wrapping_add);
    check("sub", &NUMBERS, u64::wrapping_sub);
}

#[test]
fn halves_that_a_constant_decides_are_left_out() {
    check("and", &NUMBERS, |a, b| a & b);
    check("or", &NUMBERS, |a, b| a | b);
    check("xor", &NUMBERS, |a, b| a ^ b);
}

#[test]
fn products_have_both_cross_products() {
    check("mul", &NUMBERS, u64::wrapping_mul);
}

#[test]
fn shifts_pass_bits_between_the_halves() {
    let amounts = [0, 1, 2, 15, 30, 31, 32, 33, 47, 62, 63];
    check("shl", &amounts, |a, b| a << b);
    check("lshr", &amounts, |a, b| a >> b);
    check("ashr", &amounts, |a, b| ((a as i64) >> b) as u64);
}

//! 64-bit integers in pairs: what the instructions of an operation compute, beside the operation itself.

use super::machine::run_with_memory;
use alloc::string::String;
use ice_asm::x86::Mode;
use ice_codegen::testing::check_pairs;

/// Executes the first function of a program on two numbers.
fn compile(text: &str) -> impl Fn(u64, u64) -> u64 + use<> {
    let text = String::from(text);
    move |a, b| {
        let args = [a, b].map(|number| ("i64", u128::from(number)));
        let (words, _) = run_with_memory(Mode::Bits32, &text, &args, 0);
        (words[1] as u64) << 32 | u64::from(words[0] as u32)
    }
}

#[test]
fn carries_reach_the_upper_half() {
    check_pairs(&["add", "sub"], compile);
}

#[test]
fn halves_that_a_constant_decides_are_left_out() {
    check_pairs(&["and", "or", "xor"], compile);
}

#[test]
fn products_have_both_cross_products() {
    check_pairs(&["mul"], compile);
}

#[test]
fn shifts_pass_bits_between_the_halves() {
    check_pairs(&["shl", "lshr", "ashr"], compile);
}

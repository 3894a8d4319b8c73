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
fn pairs_compute_what_their_operations_say() {
    check_pairs(compile);
}

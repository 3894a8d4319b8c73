//! Random changes of confined code: what is still accepted keeps the rules as the slow checker states them.

use crate::common::mutants::{PARTS_32, PARTS_64, Random, function, mutate};
use crate::common::{bytes, slow::Slow, verdict};
use ice_validator::Target;

/// Mutates `count` functions, and gives how many were accepted and what is wrong with one of them.
fn run(target: Target, parts: &[&str], count: usize) -> (usize, Option<String>) {
    let parts: Vec<_> = parts.iter().map(|part| bytes(part)).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut slow = Slow::new(target);
    let mut accepted = 0;
    for _ in 0..count {
        let mut code = function(&mut random, &parts, 2);
        mutate(&mut random, &mut code, &parts);
        if verdict(target, &code).is_ok() {
            accepted += 1;
            if let Some(why) = slow.unsafe_text(&code) {
                return (accepted, Some(format!("{why}\n{code:02x?}")));
            }
        }
    }
    (accepted, None)
}

fn count() -> usize {
    let wanted = std::env::var("ICE_MUTATIONS").ok().and_then(|count| count.parse().ok());
    wanted.unwrap_or(100_000)
}

#[test]
fn mutated_functions_of_x86_64() {
    let (accepted, wrong) = run(Target::X86_64, PARTS_64, count());
    assert_eq!(wrong, None);
    assert!(accepted > count() / 50, "{accepted}");
}

#[test]
fn mutated_functions_of_x86_32() {
    let (accepted, wrong) = run(Target::X86_32, PARTS_32, count());
    assert_eq!(wrong, None);
    assert!(accepted > count() / 20, "{accepted}");
}

/// The checker itself sees what is wrong: without it the tests above could not fail.
#[test]
fn the_slow_checker_refuses() {
    for text in [
        "8B 00",
        "89 C0 90 8B 00",
        "48 01 D8 41 8B 04 07",
        "83 EC 10",
        "FF E0",
        "83 E1 E0 FF E1",
        "C3",
        "0F 05",
        "49 FF C7",
        "A4",
        "5C",
        "0F A3 0C 24",
        "64 8B 04 24",
        "EB 01 0F 1F 00",
        "89 C0 41 8B 04 07 EB FB",
    ] {
        let mut code = bytes(text);
        code.resize(32, 0x90);
        assert!(Slow::new(Target::X86_64).unsafe_text(&code).is_some(), "{text}");
    }
    for text in
        ["FF E0", "83 E0 E0 FF E1", "C3", "CD 80", "8E D8", "65 8B 00", "EA 00 00 00 00 00 00", "66 E9 00 00"]
    {
        let mut code = bytes(text);
        code.resize(32, 0x90);
        assert!(Slow::new(Target::X86_32).unsafe_text(&code).is_some(), "{text}");
    }
    for text in PARTS_64 {
        let mut code = bytes(text);
        code.resize(32, 0x90);
        assert_eq!(Slow::new(Target::X86_64).unsafe_text(&code), None, "{text}");
    }
}

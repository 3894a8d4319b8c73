//! Random changes of confined code: what is still accepted keeps the rules as the slow checker states them.

use crate::common::mutants::{PARTS_32, PARTS_64, Random, function, mutate};
use crate::common::mutants_arm::{ARM, PARTS_ARM};
use crate::common::mutants_mips::{MIPS, PARTS_MIPS};
use crate::common::mutants_words::{Words, function_of_words, mutate_words};
use crate::common::{bytes, slow::Slow, slow_arm::SlowArm, slow_mips::SlowMips, verdict, words};
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

/// The same with a machine of words, by what a slow checker says.
fn run_words(target: Target, words_of: Words, parts: &[&str], unsafe_text: impl Fn(&[u8]) -> Option<String>) {
    let parts: Vec<_> = parts.iter().map(|part| words(part)).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut accepted = 0;
    for _ in 0..count() {
        let mut code = function_of_words(&mut random, words_of, &parts, 3);
        mutate_words(&mut random, words_of, &mut code, &parts);
        if verdict(target, &code).is_ok() {
            accepted += 1;
            let why = unsafe_text(&code);
            let text: Vec<_> = code
                .chunks(4)
                .map(|word| format!("{:08X}", u32::from_le_bytes(word.try_into().unwrap())))
                .collect();
            assert_eq!(why, None, "{}", text.join(" "));
        }
    }
    assert!(accepted > count() / 20, "{accepted}");
}

#[test]
fn mutated_functions_of_arm() {
    let slow = SlowArm::new();
    run_words(Target::Arm32, ARM, PARTS_ARM, |code| slow.unsafe_text(code));
}

#[test]
fn mutated_functions_of_mips() {
    let slow = SlowMips::new();
    run_words(Target::Mips32, MIPS, PARTS_MIPS, |code| slow.unsafe_text(code));
}

/// What the checker of MIPS sees, and what it lets pass.
#[test]
fn the_slow_checker_of_mips_refuses() {
    let slow = SlowMips::new();
    let judge = |text: &str| {
        let mut code = words(text);
        code.resize(80, 0);
        slow.unsafe_text(&code)
    };
    for text in [
        "8C430000",
        "006F1824 8C430000",
        "004F1024 00801025 8C430000",
        "0 0 0 004F1024 8C430000",
        "54400001 004F1024 8C430000",
        "10000001 0 004F1024 8C430000 1000FFFE",
        "03E00008 0",
        "03EFF824 03E00008 0",
        "27BDFFE0",
        "27BDFFE0 0 03AFE824",
        "10000001 27BDFFE0 03AFE824",
        "10000001 10000001",
        "0C008000 0",
        "032EC824 0320F809 0",
        "04110003 0",
        "240F0001",
        "8F020008",
        "AF020000",
        "8FB80000",
        "0000000C",
        "7C03E83B",
        "4442F800",
        "0C004001 0",
    ] {
        assert!(judge(text).is_some(), "{text}");
    }
    for part in PARTS_MIPS {
        let length = words(part).len();
        let before = if (MIPS.ends_bundle)(&words(part)) {
            "0 ".repeat(4 - length / 4)
        } else {
            "0 0 0 0 ".to_owned()
        };
        assert_eq!(judge(&format!("{before}{part}")), None, "{part}");
    }
}

/// What the checker of ARM sees, and what it lets pass.
#[test]
fn the_slow_checker_of_arm_refuses() {
    let slow = SlowArm::new();
    let judge = |text: &str| {
        // Branches of a few words lead to places that are there.
        let nop = [0x00, 0xf0, 0x20, 0xe3];
        let mut code = [&nop.repeat(4)[..], &words(text)].concat();
        while code.len() < 80 {
            code.extend(nop);
        }
        slow.unsafe_text(&code)
    };
    for text in [
        "E5901000",
        "E3C00103 E1A00001 E5801000",
        "E3D00103 05801000",
        "03C00103 E5801000",
        "03C00103 E1510002 05801000",
        "E3C00103 E7901002",
        "E320F000 E320F000 E3C00103 E320F000 E5901000",
        "EA000000 E3C00103 E5801000",
        "E3CEE103 E12FFF1E",
        "E12FFF1E",
        "E24DD010",
        "E24DD010 E320F000 E3CDD103",
        "E8BD8010",
        "E1A0F00E",
        "E1A00009",
        "E5890000",
        "E3C99103",
        "E8B09000",
        "EF000000",
        "EE1D0F70",
        "EB000000",
        "E68D1002",
        "E1C420D0",
        "F460020D",
        "E8B001F0",
    ] {
        assert!(judge(text).is_some(), "{text}");
    }
    for text in PARTS_ARM {
        let before = match *text {
            "EB000002" => "E320F000 E320F000 E320F000 ",
            "E3CCC13F E12FFF3C" => "E320F000 E320F000 ",
            _ => "",
        };
        assert_eq!(judge(&format!("{before}{text}")), None, "{text}");
    }
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

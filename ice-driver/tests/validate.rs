//! `ice validate`: executables of the sandbox, whole, damaged, and with code that breaks a rule.

use crate::common::{Scratch, errors, ice};

/// An executable for x86-32 with this code.
fn executable(code: &[u8], machine: u16) -> Vec<u8> {
    let mut file = b"\x7fELF\x01\x01\x01\x7b\x07\0\0\0\0\0\0\0".to_vec();
    file.extend(2u16.to_le_bytes());
    file.extend(machine.to_le_bytes());
    for word in [1u32, 0x20000, 52, 0, 0] {
        file.extend(word.to_le_bytes());
    }
    for half in [52u16, 32, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    // PT_LOAD, readable and executable
    for word in [1u32, 84, 0x20000, 0x20000, code.len() as u32, code.len() as u32, 5, 0x1_0000] {
        file.extend(word.to_le_bytes());
    }
    file.extend(code);
    file
}

/// The exit code and the report.
fn validate(file: &[u8]) -> (Option<i32>, String) {
    let scratch = Scratch::new();
    let input = scratch.write("program.nexe", file);
    let output = ice().arg("validate").arg(&input).output().unwrap();
    let directory = input.display().to_string();
    (output.status.code(), errors(&output).replace(&directory, "program.nexe"))
}

#[test]
fn code_that_keeps_the_rules_is_accepted() {
    // and $-32,%eax ; jmp *%eax, and no whole bundle
    let jump = [0x83, 0xe0, 0xe0, 0xff, 0xe0];
    assert_eq!(validate(&executable(&jump, 3)), (Some(0), String::new()));
    assert_eq!(validate(&executable(&[0; 4], 8)), (Some(0), String::new()));
    assert_eq!(validate(&executable(&0xe320_f000u32.to_le_bytes(), 40)), (Some(0), String::new()));
}

#[test]
fn code_that_breaks_a_rule_is_named_with_its_place() {
    let (code, text) = validate(&executable(&[0x90, 0x83, 0xe0, 0xe0, 0xff, 0xe1], 3));
    assert_eq!(code, Some(1));
    assert_eq!(
        text,
        "ice: program.nexe: offset 0x4: an indirect branch whose target is not masked just before; at address 0x20004 \
         stand ff e1 f4 f4 f4 f4 f4 f4\n"
    );
    let (code, text) = validate(&executable(&[0x0f, 0x05], 62));
    assert!(code == Some(1) && text.contains("no instruction that the sandbox allows"), "{text}");
}

#[test]
fn files_that_are_none_for_the_sandbox_are_refused() {
    let good = executable(&[0x90; 32], 3);
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        validate(&file)
    };
    for (found, why) in [
        (validate(b"PEXE"), "no little-endian ELF file"),
        (validate(&good[..70]), "ends in its headers"),
        (with(18, &[183]), "no sandbox for its machine"),
        (with(16, &[1]), "no executable"),
        (with(24, &[1]), "the entry is no bundle"),
        (with(24, &[0, 1]), "the entry is no bundle"),
        (with(60, &[0, 0, 3]), "segment 0: code that does not stand at 0x20000"),
        (with(68, &[64]), "segment 0: code that goes beyond the file"),
        (with(76, &[7]), "segment 0: writable and executable"),
        (with(76, &[4]), "there is no code"),
        (with(44, &[200]), "the table of segments"),
    ] {
        assert_eq!(found.0, Some(1), "{why}: {}", found.1);
        assert!(found.1.contains(why), "{why}: {}", found.1);
    }
    // Every cut file is refused, with a line.
    for length in 0..good.len() {
        let (code, text) = validate(&good[..length]);
        assert!(code == Some(1) && text.starts_with("ice: program.nexe: "), "{length}: {text}");
    }
}

//! Every opening of one, two and three bytes: what is accepted is one instruction of the length that `iced-x86` finds, and
//! keeps the rules alone.
//!
//! Behind the opening stand `hlt`s, which are instructions as well as immediates. Where the disassembler says that the
//! instruction ends stands a byte that is refused: the verdict must name exactly this place.

use crate::common::{ADDRESS, slow::Slow, verdict};
use ice_validator::{Refusal, Rule, Target};

const RET: u8 = 0xc3;
const HLT: u8 = 0xf4;

/// How many openings were accepted, and those that should not have been.
fn enumerate(target: Target) -> (usize, String) {
    let mut slow = Slow::new(target);
    let (mut accepted, mut wrong) = (0, String::new());
    for first in 0..=255 {
        for second in 0..=255 {
            for third in 0..=255 {
                let mut bytes = [HLT; 32];
                bytes[..3].copy_from_slice(&[first, second, third]);
                let instruction = slow.decode(&bytes, ADDRESS.into());
                let length = if instruction.is_invalid() { 31 } else { instruction.len() };
                bytes[length] = RET;
                let found = verdict(target, &bytes);
                let Err(Refusal { offset, rule }) = found else {
                    wrong += &format!("{bytes:02x?}: accepted\n");
                    continue;
                };
                if offset == 0 {
                    continue;
                }
                accepted += 1;
                let is_there = offset == length && rule == Rule::UnknownInstruction;
                let why = slow.unsafe_alone(&instruction);
                if instruction.is_invalid() || !is_there || why.is_some() {
                    wrong += &format!("{:02x?} {instruction}: {found:?} {why:?}\n", &bytes[..length]);
                }
            }
        }
    }
    (accepted, wrong)
}

#[test]
fn openings_of_x86_64() {
    let (accepted, wrong) = enumerate(Target::X86_64);
    assert!(wrong.is_empty(), "{}", &wrong[..wrong.len().min(4000)]);
    assert!(accepted > 100_000, "{accepted}");
}

#[test]
fn openings_of_x86_32() {
    let (accepted, wrong) = enumerate(Target::X86_32);
    assert!(wrong.is_empty(), "{}", &wrong[..wrong.len().min(4000)]);
    assert!(accepted > 100_000, "{accepted}");
}

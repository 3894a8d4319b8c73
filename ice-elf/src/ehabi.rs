//! Tables for unwinding in the form of ARM: the sections `.ARM.exidx` and `.ARM.extab` (Exception handling ABI for the ARM
//! architecture, IHI 0038C).
//!
//! Problem: from an address in a function, find what its caller's registers were at a call, and who decides about its
//! exceptions. Method: an *index*, a section beside each section of code and in its order, with two words for a function:
//! the distance to it, and how it is unwound. That is a number which says that it is not, a few [instructions](instructions)
//! of a byte each, or the distance to an entry of a table with more of them, and with a personality routine and its data.
//! Input is plain numbers; registers have the numbers of DWARF.
//!
//! Distances are of 31 bits and relocated by `R_ARM_PREL31`. An entry without a personality of its own refers to a
//! routine of the library, [`ROUTINES`], by name alone (`R_ARM_NONE`), so that linkers bring it.
//!
//! What is between the functions of an index belongs to the one before. Cost: linear; 8 bytes a function, and 4 to 16
//! where there is a table entry.

use alloc::vec::Vec;
use object::elf;

/// The name of the section of the index, to which that of the code is added unless it is `.text`.
pub const INDEX: &[u8] = b".ARM.exidx";
/// The name of the section of table entries, likewise.
pub const TABLE: &[u8] = b".ARM.extab";
/// `sh_type` of an index.
pub const INDEX_TYPE: u32 = elf::SHT_ARM_EXIDX;
/// `sh_flags` of an index, which has a link to the section of code.
pub const INDEX_FLAGS: u32 = elf::SHF_ALLOC | elf::SHF_LINK_ORDER;
/// The alignment of both.
pub const ALIGNMENT: u64 = 4;

/// The second word of a function that cannot be unwound (`EXIDX_CANTUNWIND`).
pub const CANNOT_UNWIND: u32 = 1;

/// The routines of the library for functions without a personality: for up to three instructions, and for more.
pub const ROUTINES: [&str; 2] = ["__aeabi_unwind_cpp_pr0", "__aeabi_unwind_cpp_pr1"];

/// The second word of an index is the first of what a routine of the library reads.
const SHORT: u32 = 0x80 << 24;
const LONG: u32 = 0x81 << 24;

// Instructions (table 4).
const RAISE: u8 = 0x00;
const LOWER: u8 = 0x40;
const POP_MASK: u8 = 0x80;
const SET_FROM: u8 = 0x90;
const POP_FROM_R4: u8 = 0xa0;
const POP_FROM_R4_AND_LR: u8 = 0xa8;
const FINISH: u8 = 0xb0;
const RAISE_FAR: u8 = 0xb2;
const POP_DOUBLES_FROM_D8: u8 = 0xd0;
const POP_DOUBLES: u8 = 0xc9;

/// The DWARF numbers of the stack pointer, the link register and d0.
const SP: u16 = 13;
const LR: u16 = 14;
const D0: u16 = 256;

/// A frame that no instructions describe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misfit;

/// Appends the instructions that undo a frame to `out`: the *canonical frame address* is `offset` bytes above what
/// `register` holds; each of the `saved` registers is so many bytes from it, by ascending places below it.
///
/// # Errors
/// Other registers are saved than r4 to r11, r14 and d8 to d15, or in another order than pushes have.
pub fn instructions(
    (register, offset): (u16, i32),
    saved: &[(u16, i32)],
    out: &mut Vec<u8>,
) -> Result<(), Misfit> {
    // The virtual stack pointer, from the canonical frame address.
    let mut at = -offset;
    if register != SP {
        let number = u8::try_from(register).ok().filter(|&number| number < 12).ok_or(Misfit)?;
        out.push(SET_FROM | number);
    }
    let mut left = saved;
    while let &[(first, place), ..] = left {
        raise(place - at, out)?;
        let (count, end) = match first {
            D0.. => doubles(left, out)?,
            _ => words(left, out)?,
        };
        at = place + end;
        left = &left[count..];
    }
    raise(-at, out)
}

/// Moves the virtual stack pointer up, or down by what one instruction can.
fn raise(bytes: i32, out: &mut Vec<u8>) -> Result<(), Misfit> {
    if bytes % 4 != 0 || bytes < -0x100 {
        return Err(Misfit);
    }
    match bytes {
        0 => {}
        ..0 => out.push(LOWER | (-bytes / 4 - 1) as u8),
        4..=0x200 => {
            let short = bytes.min(0x100);
            out.push(RAISE | (short / 4 - 1) as u8);
            raise(bytes - short, out)?;
        }
        _ => {
            out.push(RAISE_FAR);
            crate::leb::uleb((bytes as u32 - 0x204) / 4, out);
        }
    }
    Ok(())
}

/// Pops the doubleword registers that follow each other, and gives their number and how many bytes that are.
fn doubles(saved: &[(u16, i32)], out: &mut Vec<u8>) -> Result<(usize, i32), Misfit> {
    let (first, place) = saved[0];
    let follows =
        |&(n, &(register, at)): &(u16, &(u16, i32))| register == first + n && at == place + 8 * i32::from(n);
    let count = (0..).zip(saved).take_while(follows).count();
    if first < D0 + 8 || usize::from(first - D0) + count > 16 {
        return Err(Misfit);
    }
    let (first, further) = ((first - D0) as u8, (count - 1) as u8);
    match first {
        8 => out.push(POP_DOUBLES_FROM_D8 | further),
        _ => out.extend_from_slice(&[POP_DOUBLES, first << 4 | further]),
    }
    Ok((count, 8 * count as i32))
}

/// Pops the core registers that follow each other, and gives their number and how many bytes that are. A word
/// between r11 and r14 that is nobody's goes to r12.
fn words(saved: &[(u16, i32)], out: &mut Vec<u8>) -> Result<(usize, i32), Misfit> {
    let place = saved[0].1;
    let (mut mask, mut count, mut end) = (0u16, 0, 0);
    for &(register, at) in saved {
        let is_padded = register == LR && mask >> 12 == 0 && mask != 0 && at == place + end + 4;
        if register >= D0 || !is_padded && at != place + end {
            break;
        }
        if !matches!(register, 4..=11 | LR) || mask >> register != 0 {
            return Err(Misfit);
        }
        mask |= 1 << register | u16::from(is_padded) << 12;
        (count, end) = (count + 1, at - place + 4);
    }
    let from_r4 = mask >> 4 & 0xff;
    let is_run = from_r4 & 1 != 0 && (from_r4 + 1).is_power_of_two();
    let run = || from_r4.count_ones() as u8 - 1;
    match mask >> 12 {
        0 if is_run => out.push(POP_FROM_R4 | run()),
        0b100 if is_run => out.push(POP_FROM_R4_AND_LR | run()),
        _ => out.extend_from_slice(&[POP_MASK | (mask >> 12) as u8, from_r4 as u8]),
    }
    Ok((count, end))
}

/// The second word of the index for a function without a personality, if its instructions fit there.
pub fn short_entry(instructions: &[u8]) -> Option<u32> {
    let bytes = padded(instructions, 3);
    (instructions.len() <= 3).then(|| SHORT | u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]))
}

/// Appends the table entry of a function without a personality, whose instructions do not fit into the index.
pub fn write_long_entry(instructions: &[u8], out: &mut Vec<u8>) {
    write_words(LONG, 2, instructions, out);
    // No descriptors: it catches nothing, and nothing is to be done for it.
    out.extend_from_slice(&[0; 4]);
}

/// Appends the table entry of a function with a personality: a word for the distance to the routine, and the
/// instructions. The data of the routine follows.
pub fn write_entry(instructions: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&[0; 4]);
    write_words(0, 3, instructions, out);
}

/// Appends words with instructions, the first of which holds `room` of them behind the number of further words.
fn write_words(kind: u32, room: usize, instructions: &[u8], out: &mut Vec<u8>) {
    let further = instructions.len().saturating_sub(room).div_ceil(4);
    let bytes = padded(instructions, room + 4 * further);
    let (first, rest) = bytes.split_at(room);
    let first = first.iter().fold(further as u32, |word, &byte| word << 8 | u32::from(byte));
    out.extend_from_slice(&(kind | first).to_le_bytes());
    for word in rest.chunks_exact(4) {
        out.extend(word.iter().rev());
    }
}

/// Instructions, and behind them what says that there is no further one.
fn padded(instructions: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = Vec::from(instructions);
    bytes.resize(length.max(bytes.len()), FINISH);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(base: (u16, i32), saved: &[(u16, i32)]) -> Vec<u8> {
        let mut out = Vec::new();
        instructions(base, saved, &mut out).unwrap();
        out
    }

    #[test]
    fn frames_are_undone_as_assemblers_do_it() {
        // .save {r4, lr}
        assert_eq!(of((SP, 8), &[(4, -8), (14, -4)]), [0xa8]);
        // .save {r4-r7}, .pad #24
        assert_eq!(of((SP, 40), &[(4, -16), (5, -12), (6, -8), (7, -4)]), [0x05, 0xa3]);
        // .save {r5, r11, lr}, .vsave {d8-d10}, .pad #0x408
        let saved = [(264, -36), (265, -28), (266, -20), (5, -12), (11, -8), (14, -4)];
        assert_eq!(of((SP, 36 + 0x408), &saved), [0xb2, 0x81, 0x01, 0xd2, 0x84, 0x82]);
        // .save {r4, lr}, .vsave {d9-d11}
        let saved = [(265, -32), (266, -24), (267, -16), (4, -8), (14, -4)];
        assert_eq!(of((SP, 32), &saved), [0xc9, 0x92, 0xa8]);
        // .save {r11, lr}, .setfp r11, sp
        assert_eq!(of((11, 8), &[(11, -8), (14, -4)]), [0x9b, 0x84, 0x80]);
        // .pad #16, .save {r4, r5, r11, lr}, .setfp r11, sp, #8, .vsave {d8}
        let saved = [(264, -40), (4, -32), (5, -28), (11, -24), (14, -20)];
        assert_eq!(of((11, 24), &saved), [0x9b, 0x43, 0xd0, 0x84, 0x83, 0x03]);
        assert_eq!(of((SP, 0), &[]), []);
        assert_eq!(of((SP, 0x1fc), &[]), [0x3f, 0x3e]);
    }

    #[test]
    fn padding_below_lr_is_popped_with_it() {
        // push {r4, r12, lr} takes 12 bytes, of which the second word is nobody's.
        assert_eq!(of((SP, 12), &[(4, -12), (14, -4)]), [0x85, 0x01]);
        assert_eq!(of((SP, 16), &[(4, -16), (14, -4)]), [0xa0, 0x01, 0x84, 0x00]);
    }

    #[test]
    fn other_frames_are_refused() {
        for saved in [
            &[(3, -8)][..],
            &[(5, -8), (4, -4)],
            &[(263, -8)],
            &[(271, -16), (272, -8)],
            &[(12, -4)],
            &[(4, -6)],
        ] {
            assert_eq!(instructions((SP, 8), saved, &mut Vec::new()), Err(Misfit), "{saved:?}");
        }
        assert_eq!(instructions((264, 8), &[], &mut Vec::new()), Err(Misfit));
    }

    #[test]
    fn entries_hold_instructions_from_the_high_byte_down() {
        assert_eq!(short_entry(&[0xa8]), Some(0x80a8_b0b0));
        assert_eq!(short_entry(&[1, 2, 3, 4]), None);
        let mut out = Vec::new();
        write_long_entry(&[1, 2, 3, 4], &mut out);
        assert_eq!(out, [2, 1, 1, 0x81, 0xb0, 0xb0, 4, 3, 0, 0, 0, 0]);
        out.clear();
        write_entry(&[1, 2, 3], &mut out);
        assert_eq!(out, [0, 0, 0, 0, 3, 2, 1, 0]);
    }
}

//! One instruction: its length, its row, its registers.
//!
//! The formats are those of Intel's manual, volume 2, chapter 2, with fewer prefixes: each at most once, no segments, no
//! change of the address size, REX just before the opcode.

use super::BUNDLE;
use super::op::Op;
use super::tables::{
    CRC32, FLOAT_REGISTERS, GROUPS, MOVBE, ONE, THREE_3A, THREE_38, TWO, TWO_66, TWO_F2, TWO_F3,
};
use crate::verdict::Rule;

/// No register.
pub const NONE: u8 = 0xff;
/// The instruction pointer, where a base is asked for.
pub const RIP: u8 = 0xfe;

/// Prefixes as bits.
pub mod prefix {
    pub const WORD: u8 = 1;
    pub const LOCK: u8 = 2;
    pub const REPNE: u8 = 4;
    pub const REP: u8 = 8;
}

const REX_W: u8 = 8;
const REX_R: u8 = 4;
const REX_X: u8 = 2;
const REX_B: u8 = 1;

/// An instruction as the rules see it.
#[derive(Clone, Copy)]
pub struct Instruction {
    /// Its row.
    pub op: Op,
    /// Its length in bytes.
    pub length: usize,
    /// The last byte of its opcode.
    pub opcode: u8,
    /// The REX prefix, or 0.
    pub rex: u8,
    /// The prefixes that are not part of the opcode.
    prefixes: u8,
    /// Whether ModRM names memory.
    pub has_memory: bool,
    /// The register in ModRM.rm, or that of a memory operand which is its base; [`NONE`] or [`RIP`].
    pub base: u8,
    /// The index of the memory operand.
    pub index: u8,
    /// The register in ModRM.reg.
    pub reg: u8,
    /// Bytes of the immediate at the end.
    pub immediate: usize,
}

impl Instruction {
    /// Whether the register that it writes is confined by that: it has 32 bits, and the rest becomes zero.
    #[inline]
    pub fn extends(&self) -> bool {
        self.op.has(Op::EXTENDS) && self.rex & REX_W == 0 && self.prefixes & prefix::WORD == 0
    }

    /// The full register of a register field; without REX the second four of eight bits are halves of the first four.
    pub fn full(&self, register: u8) -> u8 {
        if self.op.has(Op::BYTE) && self.rex == 0 { register & 3 } else { register }
    }

    /// The register in the opcode.
    pub fn opcode_register(&self) -> u8 {
        self.opcode & 7 | (self.rex & REX_B) << 3
    }
}

/// A bundle with zeros behind it, so that an instruction can be read before it is known to end in the bundle: from
/// any place of the bundle on it has no more than 31 bytes before its length is looked at.
pub type Window = [u8; 64];

/// Bytes from some place of a window on.
struct Reader<'a> {
    window: &'a Window,
    at: usize,
}

impl Reader<'_> {
    #[inline]
    fn next(&mut self) -> u8 {
        let byte = self.window[self.at % 64];
        self.at += 1;
        byte
    }
}

/// The row of an opcode that begins with `0F`, its last byte, and the prefixes that are part of the opcode.
fn find_long_row(reader: &mut Reader<'_>, prefixes: u8) -> (Op, u8, u8) {
    let second = reader.next();
    let repeat = prefixes & (prefix::REP | prefix::REPNE);
    let is_word = prefixes & prefix::WORD != 0;
    match second {
        0x38 => {
            let third = reader.next();
            let row = match (third, repeat, is_word) {
                (0xf0 | 0xf1, 0, _) => (MOVBE[usize::from(third & 1)], 0),
                (0xf0 | 0xf1, prefix::REPNE, _) => (CRC32[usize::from(third & 1)], prefix::REPNE),
                (_, 0, true) => (THREE_38[usize::from(third)], prefix::WORD),
                _ => (Op::NONE, 0),
            };
            (row.0, third, row.1)
        }
        0x3a => {
            let third = reader.next();
            let op = if repeat == 0 && is_word { THREE_3A[usize::from(third)] } else { Op::NONE };
            (op, third, prefix::WORD)
        }
        _ => {
            let at = usize::from(second);
            let (op, mandatory) = match repeat {
                0 if is_word && TWO_66[at] != Op::NONE => (TWO_66[at], prefix::WORD),
                0 => (TWO[at], 0),
                prefix::REP => (TWO_F3[at], prefix::REP),
                prefix::REPNE => (TWO_F2[at], prefix::REPNE),
                _ => (Op::NONE, 0),
            };
            (op, second, mandatory)
        }
    }
}

/// The row that ModRM.reg selects.
fn find_in_group(op: Op, opcode: u8, modrm: u8) -> Op {
    let row = GROUPS[op.group_index()][usize::from(modrm >> 3 & 7)];
    if modrm < 0xc0 {
        return row;
    }
    match opcode {
        0xd8..=0xdf => {
            let is_there = FLOAT_REGISTERS[usize::from(opcode & 7)] >> (modrm - 0xc0) & 1 != 0;
            if is_there { Op::PLAIN.and(Op::MODRM) } else { Op::NONE }
        }
        // lfence, mfence, sfence
        0xae if modrm & 7 != 0 => Op::NONE,
        _ => row,
    }
}

/// Whether a row allows the prefixes that are not part of its opcode.
#[cold]
fn allows(op: Op, rest: u8, rex: u8, has_memory: bool) -> bool {
    // A repeated string of 16 bits has no order of its prefixes that the historical validators accept.
    let is_alone = rest & (prefix::REP | prefix::REPNE) == 0 || rest & prefix::WORD == 0;
    is_alone
        && (rest & prefix::WORD == 0 || op.has(Op::WORD) && rex & REX_W == 0)
        && (rest & prefix::REP == 0 || op.has(Op::REP))
        && (rest & prefix::REPNE == 0 || op.has(Op::REPNE) && rest & prefix::REP == 0)
        && (rest & prefix::LOCK == 0 || op.has(Op::LOCK) && has_memory)
}

/// What no row may say that is to be allowed in this mode, with these prefixes and operands.
#[inline]
const fn excluded<const LONG: bool>(rex: u8, has_memory: bool) -> Op {
    let of_mode = if LONG { Op::ONLY_32 } else { Op::ONLY_64 };
    let of_operand = if has_memory { Op::REGISTER } else { Op::MEMORY };
    let of_rex = if rex != 0 { Op::NO_REX } else { Op::NONE };
    of_mode.and(of_operand).and(of_rex)
}

/// Reads what follows a ModRM byte that names memory: SIB and displacement. Gives base and index.
#[inline]
fn memory<const LONG: bool>(reader: &mut Reader<'_>, modrm: u8, rex: u8) -> (u8, u8) {
    let mode = modrm >> 6;
    let mut base = modrm & 7;
    let mut index = NONE;
    let mut displacement = usize::from(mode * mode);
    let has_sib = base == 4;
    if has_sib {
        let sib = reader.next();
        index = sib >> 3 & 7 | (rex & REX_X) << 2;
        if index == 4 {
            index = NONE;
        }
        base = sib & 7;
    }
    if mode == 0 && base == 5 {
        displacement = 4;
        base = if LONG && !has_sib { RIP } else { NONE };
    } else {
        base |= (rex & REX_B) << 3;
    }
    reader.at += displacement;
    (base, index)
}

/// Reads prefixes up to the first byte that is none; gives this byte.
#[cold]
fn read_prefixes(reader: &mut Reader<'_>, first: u8, prefixes: &mut u8) -> Result<u8, Rule> {
    let mut byte = first;
    loop {
        let bit = match byte {
            0x66 => prefix::WORD,
            0xf0 => prefix::LOCK,
            0xf2 => prefix::REPNE,
            0xf3 => prefix::REP,
            _ => return Ok(byte),
        };
        // Twice, or the lock before the width.
        if *prefixes & (bit | bit << 1 & prefix::LOCK) != 0 {
            return Err(Rule::UnknownInstruction);
        }
        *prefixes |= bit;
        byte = reader.next();
    }
}

/// Decodes the instruction at a place of a bundle.
///
/// # Errors
/// No allowed instruction begins here, or it does not end in the bundle.
#[inline]
pub fn decode<const LONG: bool>(window: &Window, start: usize) -> Result<Instruction, Rule> {
    let mut reader = Reader { window, at: start };
    let (mut prefixes, mut rex) = (0, 0);
    let mut byte = reader.next();
    if matches!(byte, 0x66 | 0xf0 | 0xf2 | 0xf3) {
        byte = read_prefixes(&mut reader, byte, &mut prefixes)?;
    }
    if LONG && byte & 0xf0 == 0x40 {
        rex = byte;
        byte = reader.next();
    }
    let (mut op, opcode, mandatory) = match byte {
        0x0f => find_long_row(&mut reader, prefixes),
        _ => (ONE[usize::from(byte)], byte, 0),
    };
    let (mut has_memory, mut base, mut index, mut reg) = (false, NONE, NONE, NONE);
    if op.has(Op::MODRM) {
        let modrm = reader.next();
        if op.has(Op::GROUP) {
            op = find_in_group(op, opcode, modrm);
        }
        reg = modrm >> 3 & 7 | (rex & REX_R) << 1;
        has_memory = modrm < 0xc0;
        (base, index) = match has_memory {
            true => memory::<LONG>(&mut reader, modrm, rex),
            false => (modrm & 7 | (rex & REX_B) << 3, NONE),
        };
    }
    let rest = prefixes & !mandatory;
    let is_allowed = op.has(Op::PLAIN)
        && !op.has_any(excluded::<LONG>(rex, has_memory))
        && (rest == 0 || allows(op, rest, rex, has_memory));
    let is_word = rest & prefix::WORD != 0;
    let immediate = match op.immediate() {
        Op::NONE => 0,
        Op::IMM8 => 1,
        Op::IMM_Z | Op::IMM_V if is_word => 2,
        Op::IMM_V if rex & REX_W != 0 => 8,
        _ => 4,
    };
    let length = reader.at + immediate - start;
    if !is_allowed {
        // What is cut off may be an instruction in the next bundle.
        return Err(if reader.at > BUNDLE { Rule::CrossesBundle } else { Rule::UnknownInstruction });
    }
    if start + length > BUNDLE {
        return Err(Rule::CrossesBundle);
    }
    Ok(Instruction { op, length, opcode, rex, prefixes: rest, has_memory, base, index, reg, immediate })
}

//! One instruction: its length, its row, its registers.
//!
//! The formats are those of Intel's manual, volume 2, chapter 2, with fewer prefixes: each at most once, no segments, no
//! change of the address size, REX just before the opcode.

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
    /// The width of the general registers that it writes, in bits.
    pub fn width(&self) -> u32 {
        if self.op.has(Op::BYTE) {
            8
        } else if self.rex & REX_W != 0 {
            64
        } else if self.prefixes & prefix::WORD != 0 && self.op.has(Op::WORD) {
            16
        } else {
            32
        }
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

/// Bytes up to the end of a bundle.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    #[inline]
    fn next(&mut self) -> Result<u8, Rule> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.ok_or(Rule::CrossesBundle)
    }
}

/// The row of an opcode, its last byte, and the prefixes that are part of the opcode.
#[inline]
fn find_row(reader: &mut Reader<'_>, first: u8, prefixes: u8) -> Result<(Op, u8, u8), Rule> {
    if first != 0x0f {
        return Ok((ONE[usize::from(first)], first, 0));
    }
    let second = reader.next()?;
    let repeat = prefixes & (prefix::REP | prefix::REPNE);
    let is_word = prefixes & prefix::WORD != 0;
    match second {
        0x38 => {
            let third = reader.next()?;
            let row = match (third, repeat, is_word) {
                (0xf0 | 0xf1, 0, _) => (MOVBE[usize::from(third & 1)], 0),
                (0xf0 | 0xf1, prefix::REPNE, _) => (CRC32[usize::from(third & 1)], prefix::REPNE),
                (_, 0, true) => (THREE_38[usize::from(third)], prefix::WORD),
                _ => (Op::NONE, 0),
            };
            Ok((row.0, third, row.1))
        }
        0x3a => {
            let third = reader.next()?;
            let op = if repeat == 0 && is_word { THREE_3A[usize::from(third)] } else { Op::NONE };
            Ok((op, third, prefix::WORD))
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
            Ok((op, second, mandatory))
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

/// Whether the prefixes that are not part of the opcode, and the mode, are allowed.
fn is_allowed<const LONG: bool>(op: Op, rest: u8, rex: u8, has_memory: bool) -> bool {
    let word_of_quad = rest & prefix::WORD != 0 && rex & REX_W != 0;
    op.has(Op::PLAIN)
        && (rest == 0
            || (rest & prefix::WORD == 0 || op.has(Op::WORD))
                && (rest & prefix::REP == 0 || op.has(Op::REP))
                && (rest & prefix::REPNE == 0 || op.has(Op::REPNE))
                && (rest & prefix::LOCK == 0 || op.has(Op::LOCK) && has_memory)
                && rest & (prefix::REP | prefix::REPNE) != prefix::REP | prefix::REPNE)
        && !word_of_quad
        && !(rex != 0 && op.has(Op::NO_REX))
        && !op.has(if LONG { Op::ONLY_32 } else { Op::ONLY_64 })
        && !(op.has(Op::MEMORY) && !has_memory)
        && !(op.has(Op::REGISTER) && has_memory)
}

/// Reads what follows a ModRM byte that names memory: SIB and displacement. Gives base and index.
#[inline]
fn memory<const LONG: bool>(reader: &mut Reader<'_>, modrm: u8, rex: u8) -> Result<(u8, u8), Rule> {
    let mode = modrm >> 6;
    let mut base = modrm & 7;
    let mut index = NONE;
    let mut displacement = [0, 1, 4][usize::from(mode)];
    let has_sib = base == 4;
    if has_sib {
        let sib = reader.next()?;
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
    Ok((base, index))
}

/// Decodes the instruction at the start of `bytes`, which end where the bundle ends.
///
/// # Errors
/// No allowed instruction begins here, or it does not end in the bundle.
#[inline]
pub fn decode<const LONG: bool>(bytes: &[u8]) -> Result<Instruction, Rule> {
    let mut reader = Reader { bytes, at: 0 };
    let mut prefixes = 0;
    let mut byte = reader.next()?;
    loop {
        let bit = match byte {
            0x66 => prefix::WORD,
            0xf0 => prefix::LOCK,
            0xf2 => prefix::REPNE,
            0xf3 => prefix::REP,
            _ => break,
        };
        if prefixes & bit != 0 {
            return Err(Rule::UnknownInstruction);
        }
        prefixes |= bit;
        byte = reader.next()?;
    }
    let mut rex = 0;
    if LONG && byte & 0xf0 == 0x40 {
        rex = byte;
        byte = reader.next()?;
    }
    let (mut op, opcode, mandatory) = find_row(&mut reader, byte, prefixes)?;
    let (mut has_memory, mut base, mut index, mut reg) = (false, NONE, NONE, NONE);
    if op.has(Op::MODRM) {
        let modrm = reader.next()?;
        if op.has(Op::GROUP) {
            op = find_in_group(op, opcode, modrm);
        }
        reg = modrm >> 3 & 7 | (rex & REX_R) << 1;
        has_memory = modrm < 0xc0;
        (base, index) = match has_memory {
            true => memory::<LONG>(&mut reader, modrm, rex)?,
            false => (modrm & 7 | (rex & REX_B) << 3, NONE),
        };
    }
    if !is_allowed::<LONG>(op, prefixes & !mandatory, rex, has_memory) {
        return Err(Rule::UnknownInstruction);
    }
    let is_word = prefixes & !mandatory & prefix::WORD != 0;
    let immediate = match op.immediate() {
        Op::IMM8 => 1,
        Op::IMM_Z | Op::IMM_V if is_word => 2,
        Op::IMM_V if rex & REX_W != 0 => 8,
        Op::IMM_Z | Op::IMM_V | Op::OFFSET => 4,
        _ => 0,
    };
    let length = reader.at + immediate;
    if length > bytes.len() {
        return Err(Rule::CrossesBundle);
    }
    Ok(Instruction { op, length, opcode, rex, prefixes, has_memory, base, index, reg, immediate })
}

//! Other bytes for an instruction: as many, with the same effect.
//!
//! | kind | instruction | other bytes |
//! |---|---|---|
//! | encoding | arithmetic and `mov` between registers | the opcode of the other direction |
//! | encoding | `test` of two registers | operands the other way round |
//! | encoding | `[base + index]` | `[index + base]` |
//! | selection | `xor r, r`, `sub r, r` | the other one |
//! | selection | `mov r, s` | `lea r, [s]` |
//! | selection | `test r, r` | `or r, r`, `and r, r` |
//! | selection | `shl r, 1`, `add r, r` | the other one |
//!
//! Flags are the same but for the auxiliary carry, which nothing reads. `or` and `and` write their register, so in 64-bit
//! mode they are not taken for 32 bits: the upper half may be in use.
//!
//! What is not in the table stays as it is: `movaps` between registers has two codes as well, but Valgrind knows one. Cost: one look at the opcode.

use super::operand::Mode;
use crate::buffer::Vary;
use crate::random::Random;

/// Which other bytes are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// Other encodings of the same instruction.
    pub encodings: bool,
    /// Other instructions.
    pub selection: bool,
}

impl Variation {
    /// What gives instructions of this mode other bytes, if any are wanted.
    #[must_use]
    pub fn of_mode(self, mode: Mode) -> Option<Vary> {
        match (mode, self.encodings, self.selection) {
            (_, false, false) => None,
            (Mode::Bits32, true, false) => Some(vary::<false, true, false>),
            (Mode::Bits32, false, true) => Some(vary::<false, false, true>),
            (Mode::Bits32, true, true) => Some(vary::<false, true, true>),
            (Mode::Bits64, true, false) => Some(vary::<true, true, false>),
            (Mode::Bits64, false, true) => Some(vary::<true, false, true>),
            (Mode::Bits64, true, true) => Some(vary::<true, true, true>),
        }
    }
}

/// REX.W, and the bits that make a register operand, an index, and r/m or a base one of the upper eight.
const W: u8 = 8;
const R: u8 = 4;
const X: u8 = 2;
const B: u8 = 1;

/// An instruction without prefixes other than REX.
struct Code<'c> {
    /// 0 without one.
    rex: u8,
    /// From the opcode on.
    code: &'c mut [u8],
}

impl Code<'_> {
    /// Two registers behind an opcode of one byte, with their upper bits: the register operand first.
    fn registers(&self) -> Option<[u8; 2]> {
        let &[_, modrm] = &*self.code else { return None };
        let upper = |bit: u8| if self.rex & bit != 0 { 8 } else { 0 };
        (modrm >> 6 == 3).then_some([modrm >> 3 & 7 | upper(R), modrm & 7 | upper(B)])
    }

    /// Writes a ModRM of a mode.
    fn set_registers(&mut self, mode: u8, [reg, rm]: [u8; 2]) {
        self.code[1] = mode << 6 | (reg & 7) << 3 | rm & 7;
        self.rex = self.rex & !(R | B) | (reg & 8) >> 1 | (rm & 8) >> 3;
    }

    /// The other way round, with another opcode.
    fn swap(&mut self, [reg, rm]: [u8; 2], flip: u8) -> bool {
        self.code[0] ^= flip;
        self.set_registers(3, [rm, reg]);
        true
    }

    /// Another encoding.
    fn encode(&mut self) -> bool {
        match *self.code {
            // Two of the four codes of an operation are for r/m.
            [0..0x40, ..] if self.code[0] & 7 < 4 => self.registers().map(|regs| self.swap(regs, 2)),
            [0x88..=0x8b, _] => self.registers().map(|regs| self.swap(regs, 2)),
            [0x84 | 0x85, _] => self.registers().map(|regs| self.swap(regs, 0)),
            _ => None,
        }
        .unwrap_or_else(|| self.swap_index())
    }

    /// Base and index the other way round, where both are registers of the sum without a factor.
    fn swap_index(&mut self) -> bool {
        let at = match *self.code {
            [0..0x40, ..] if self.code[0] & 7 < 4 => 1,
            [0x88..=0x8b | 0x8d, ..] => 1,
            [0x0f, 0xb6 | 0xb7 | 0xbe | 0xbf | 0xaf, ..] => 2,
            _ => return false,
        };
        let &[modrm, sib, ..] = &self.code[at..] else { return false };
        let (base, index) = (sib & 7, sib >> 3 & 7);
        let has_base = base != 5 || modrm >> 6 != 0;
        let takes_base = index != 5 || modrm >> 6 != 0;
        let is_stack = base == 4 && self.rex & B == 0;
        let has_index = index != 4 || self.rex & X != 0;
        // Confined code has its window in r15, which must be the base.
        let is_window = base == 7 && self.rex & B != 0;
        let is_sum = modrm & 7 == 4 && modrm >> 6 != 3 && sib >> 6 == 0;
        if !(is_sum && has_base && takes_base && has_index) || is_stack || is_window {
            return false;
        }
        self.code[at + 1] = base << 3 | index;
        self.rex = self.rex & !(X | B) | (self.rex & B) << 1 | (self.rex & X) >> 1;
        true
    }

    /// Another instruction.
    fn select(&mut self, is_wide: bool, random: &mut Random) -> bool {
        let Some(regs @ [reg, rm]) = self.registers() else { return false };
        let is_same = reg == rm;
        let opcode = self.code[0];
        match opcode {
            0x31 | 0x33 if is_same => self.code[0] = opcode ^ 0x31 ^ 0x29,
            0x29 | 0x2b if is_same => self.code[0] = opcode ^ 0x31 ^ 0x29,
            0x89 | 0x8b => {
                let [to, from] = if opcode == 0x89 { [rm, reg] } else { regs };
                if matches!(from & 7, 4 | 5) {
                    return false;
                }
                self.code[0] = 0x8d;
                self.set_registers(0, [to, from]);
            }
            0x84 if is_same => self.code[0] = [0x08, 0x20][random.flip() as usize],
            0x85 if is_same && (!is_wide || self.rex & W != 0) => {
                self.code[0] = [0x09, 0x21][random.flip() as usize];
            }
            0x01 | 0x03 if is_same => {
                self.code[0] = 0xd1;
                self.set_registers(3, [4, rm]);
            }
            // shl r, 1
            0xd1 if reg & 7 == 4 => {
                self.code[0] = 0x01;
                self.set_registers(3, [rm, rm]);
            }
            _ => return false,
        }
        true
    }
}

/// Tosses a coin for each way in which the instruction may differ; says whether it does.
fn vary<const WIDE: bool, const ENCODINGS: bool, const SELECTION: bool>(
    inst: &mut [u8],
    random: &mut Random,
) -> bool {
    // Addresses of 32 bits.
    let start = usize::from(WIDE && inst.first() == Some(&0x67));
    let (rex, code) = match &mut inst[start..] {
        [rex, code @ ..] if WIDE && *rex >> 4 == 4 => (Some(rex), code),
        code => (None, code),
    };
    let mut inst = Code { rex: rex.as_ref().map_or(0, |rex| **rex), code };
    let has_other = SELECTION && random.flip() && inst.select(WIDE, random);
    let has_encoding = ENCODINGS && random.flip() && inst.encode();
    if let Some(rex) = rex {
        *rex = inst.rex;
    }
    has_other || has_encoding
}

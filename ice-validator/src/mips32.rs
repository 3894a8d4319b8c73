//! MIPS32 release 2, little-endian: bundles of four words.
//!
//! `t6`, `t7` and `t8` hold the mask of code, the mask of data and the thread pointer, and are never written. Every access
//! but those through `sp` and `t8` stands behind the mask of its base, every branch through a register behind the mask of
//! its target, every write to `sp` before its mask. A pair does not cross a bundle, but for that of `sp`, and no
//! branch leads to its second word. The last word counts as followed by a nop, the first as preceded by nothing.
//!
//! In three points this is stricter than the historical validator: a mask in the slot of a branch `likely` is none, because
//! it is left out where the branch is not taken; hints of `jr` and `jalr` that release 2 leaves open are refused, and so are `clz`
//! and `clo` that name two results.

use crate::marks::Marks;
use crate::verdict::{Refusal, Rule, Text};
use crate::words::{BUNDLE, Row, Table, bits, row};

const T6: u32 = 14;
const T7: u32 = 15;
const T8: u32 = 24;
const SP: u32 = 29;
const NO_REGISTER: u32 = 32;
const NOP: u32 = 0;

/// The window of code, in bytes: bits above are cleared by the mask.
const CODE_END: u32 = 0x1000_0000;

/// What an instruction does, as far as the rules go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Writes no general register.
    Plain,
    /// Writes rd.
    WritesRd,
    /// Writes rd, which rt names as well: else processors may write either.
    WritesBoth,
    /// Writes rt.
    WritesRt,
    /// Loads rt through rs.
    Load,
    /// Accesses memory through rs and writes no general register.
    Access,
    /// Stores rt through rs and writes rt: `sc`.
    StoreConditional,
    /// A branch with a distance.
    Branch,
    /// The same, with a link.
    BranchAndLink,
    /// `j`.
    Jump,
    /// `jal`.
    Call,
    /// `jr`.
    JumpRegister,
    /// `jalr`.
    CallRegister,
}

use Class::*;

/// Every allowed instruction, by the order of the manual's opcode tables (MIPS32 Architecture, volume II, appendix A).
#[rustfmt::skip]
const ROWS: &[Row<Class>] = &[
    // Loads and stores, arithmetic with a number: most of all code.
    row("100 000 ..... ..... ................", Load),                  // lb
    row("100 001 ..... ..... ................", Load),                  // lh
    row("100 010 ..... ..... ................", Load),                  // lwl
    row("100 011 ..... ..... ................", Load),                  // lw
    row("100 10. ..... ..... ................", Load),                  // lbu, lhu
    row("100 110 ..... ..... ................", Load),                  // lwr
    row("101 00. ..... ..... ................", Access),                // sb, sh
    row("101 010 ..... ..... ................", Access),                // swl
    row("101 011 ..... ..... ................", Access),                // sw
    row("101 110 ..... ..... ................", Access),                // swr
    row("110 000 ..... ..... ................", Load),                  // ll
    row("111 000 ..... ..... ................", StoreConditional),      // sc
    row("110 001 ..... ..... ................", Access),                // lwc1
    row("110 101 ..... ..... ................", Access),                // ldc1
    row("111 001 ..... ..... ................", Access),                // swc1
    row("111 101 ..... ..... ................", Access),                // sdc1
    row("001 0.. ..... ..... ................", WritesRt),              // addi, addiu, slti, sltiu
    row("001 10. ..... ..... ................", WritesRt),              // andi, ori
    row("001 110 ..... ..... ................", WritesRt),              // xori
    row("001 111 00000 ..... ................", WritesRt),              // lui
    // Branches.
    row("000 10. ..... ..... ................", Branch),                // beq, bne
    row("000 11. ..... 00000 ................", Branch),                // blez, bgtz
    row("010 10. ..... ..... ................", Branch),                // beql, bnel
    row("010 11. ..... 00000 ................", Branch),                // blezl, bgtzl
    row("000 001 ..... 000.. ................", Branch),                // bltz, bgez, bltzl, bgezl
    row("000 001 ..... 100.. ................", BranchAndLink),         // bltzal, bgezal, bltzall, bgezall
    row("000 010 ..........................", Jump),                    // j
    row("000 011 ..........................", Call),                    // jal
    row("000 001 ..... 0100. ................", Plain),                 // tgei, tgeiu
    row("000 001 ..... 0101. ................", Plain),                 // tlti, tltiu
    row("000 001 ..... 01100 ................", Plain),                 // teqi
    row("000 001 ..... 01110 ................", Plain),                 // tnei
    // SPECIAL.
    row("000 000 00000 ..... ..... ..... 000000", WritesRd),            // sll, nop
    row("000 000 ..... ..... ..... 00000 10000.", WritesRd),            // add, addu
    row("000 000 ..... ..... ..... 00000 10001.", WritesRd),            // sub, subu
    row("000 000 ..... ..... ..... 00000 1001..", WritesRd),            // and, or, xor, nor
    row("000 000 ..... ..... ..... 00000 10101.", WritesRd),            // slt, sltu
    row("000 000 0000. ..... ..... ..... 000010", WritesRd),            // srl, rotr
    row("000 000 00000 ..... ..... ..... 000011", WritesRd),            // sra
    row("000 000 ..... ..... ..... 00000 000100", WritesRd),            // sllv
    row("000 000 ..... ..... ..... 0000. 000110", WritesRd),            // srlv, rotrv
    row("000 000 ..... ..... ..... 00000 000111", WritesRd),            // srav
    row("000 000 ..... 00000 00000 .0000 001000", JumpRegister),        // jr, jr.hb
    row("000 000 ..... 00000 ..... .0000 001001", CallRegister),        // jalr, jalr.hb
    row("000 000 ..... ..... ..... 00000 00101.", WritesRd),            // movz, movn
    row("000 000 ..... ...0. ..... 00000 000001", WritesRd),            // movf, movt
    row("000 000 .................... 001101", Plain),                  // break
    row("000 000 00000 00000 00000 ..... 001111", Plain),               // sync
    row("000 000 00000 00000 ..... 00000 0100.0", WritesRd),            // mfhi, mflo
    row("000 000 ..... 00000 00000 00000 0100.1", Plain),               // mthi, mtlo
    row("000 000 ..... ..... 00000 00000 0110..", Plain),               // mult, multu, div, divu
    row("000 000 ..... ..... .......... 11000.", Plain),                // tge, tgeu
    row("000 000 ..... ..... .......... 11001.", Plain),                // tlt, tltu
    row("000 000 ..... ..... .......... 110100", Plain),                // teq
    row("000 000 ..... ..... .......... 110110", Plain),                // tne
    // SPECIAL2, SPECIAL3.
    row("011 100 ..... ..... 00000 00000 00000.", Plain),               // madd, maddu
    row("011 100 ..... ..... ..... 00000 000010", WritesRd),            // mul
    row("011 100 ..... ..... 00000 00000 00010.", Plain),               // msub, msubu
    row("011 100 ..... ..... ..... 00000 10000.", WritesBoth),          // clz, clo
    row("011 111 ..... ..... ..... ..... 000000", WritesRt),            // ext
    row("011 111 ..... ..... ..... ..... 000100", WritesRt),            // ins
    row("011 111 00000 ..... ..... 00010 100000", WritesRd),            // wsbh
    row("011 111 00000 ..... ..... 10000 100000", WritesRd),            // seb
    row("011 111 00000 ..... ..... 11000 100000", WritesRd),            // seh
    // COP1: moves, branches, arithmetic on s, d and w.
    row("010 001 00000 ..... ..... 000 0000 0000", WritesRt),           // mfc1
    row("010 001 00011 ..... ..... 000 0000 0000", WritesRt),           // mfhc1
    row("010 001 00100 ..... ..... 000 0000 0000", Plain),              // mtc1
    row("010 001 00111 ..... ..... 000 0000 0000", Plain),              // mthc1
    row("010 001 01000 ..... ................", Branch),                // bc1f, bc1t, bc1fl, bc1tl
    row("010 001 1000. ..... ..... ..... 0000..", Plain),               // add, sub, mul, div
    row("010 001 1000. 00000 ..... ..... 0001..", Plain),               // sqrt, abs, mov, neg
    row("010 001 1000. 00000 ..... ..... 0011..", Plain),               // round.w, trunc.w, ceil.w, floor.w
    row("010 001 1000. ..... ..... ..... 01001.", Plain),               // movz, movn
    row("010 001 1000. ...0. ..... ..... 010001", Plain),               // movf, movt
    row("010 001 1000. 00000 ..... ..... 10000.", Plain),               // cvt.s, cvt.d
    row("010 001 1000. 00000 ..... ..... 100100", Plain),               // cvt.w
    row("010 001 1000. ..... ..... ...00 11....", Plain),               // c.cond
    row("010 001 10100 00000 ..... ..... 10000.", Plain),               // cvt.s.w, cvt.d.w
];

static TABLE: Table<Class> = Table::new(ROWS, 24);

const fn rs(word: u32) -> u32 {
    bits(word, 25, 21)
}

const fn rt(word: u32) -> u32 {
    bits(word, 20, 16)
}

const fn rd(word: u32) -> u32 {
    bits(word, 15, 11)
}

/// `and R,R,mask`.
const fn mask(register: u32, mask: u32) -> u32 {
    register << 21 | mask << 16 | register << 11 | 0x24
}

/// An instruction and its class.
#[derive(Clone, Copy)]
struct Instruction {
    word: u32,
    class: Class,
}

impl Instruction {
    fn new(word: u32) -> Result<Instruction, Rule> {
        let class = TABLE.find(word).filter(|&class| class != WritesBoth || rt(word) == rd(word));
        let class = class.ok_or(Rule::UnknownInstruction)?;
        Ok(Instruction { word, class })
    }

    /// The general register that it writes.
    fn written(self) -> u32 {
        match self.class {
            WritesRd | WritesBoth | CallRegister => rd(self.word),
            WritesRt | Load | StoreConditional => rt(self.word),
            BranchAndLink | Call => 31,
            Plain | Access | Branch | Jump | JumpRegister => NO_REGISTER,
        }
    }

    fn has_slot(self) -> bool {
        matches!(self.class, Branch | BranchAndLink | Jump | Call | JumpRegister | CallRegister)
    }

    /// A branch whose slot is executed only if it is taken.
    fn is_likely(self) -> bool {
        let opcode = self.word >> 26;
        let is_of_flag = opcode == 1 || opcode == 17 && self.class == Branch;
        matches!(opcode, 20..24) || is_of_flag && self.has_slot() && rt(self.word) & 2 != 0
    }

    fn links(self) -> bool {
        matches!(self.class, BranchAndLink | Call | CallRegister)
    }

    /// The register by which it accesses memory, unless that needs no mask.
    fn base(self) -> Option<u32> {
        let base = rs(self.word);
        matches!(self.class, Load | Access | StoreConditional)
            .then_some(base)
            .filter(|&base| base != SP && base != T8)
    }

    /// The mask that must stand before it.
    fn wanted_mask(self) -> Option<(u32, Rule)> {
        match self.class {
            JumpRegister | CallRegister => Some((mask(rs(self.word), T6), Rule::UnmaskedBranch)),
            _ => self.base().map(|base| (mask(base, T7), Rule::UnmaskedAccess)),
        }
    }
}

/// Judges MIPS code.
///
/// # Errors
/// The first broken rule.
pub fn validate(text: Text<'_>, marks: &mut Marks<'_>) -> Result<(), Refusal> {
    let mut before = Instruction { word: 0xffff_ffff, class: Plain };
    let mut is_maybe_left_out = false;
    for (number, bytes) in text.bytes.chunks_exact(BUNDLE).enumerate() {
        let mut entries = 0;
        for (slot, bytes) in bytes.chunks_exact(4).enumerate() {
            let offset = number * BUNDLE + slot * 4;
            let refuse = |rule| Refusal { offset, rule };
            let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let instruction = Instruction::new(word).map_err(refuse)?;
            alone(instruction, slot).map_err(refuse)?;
            let is_second = pair(before, instruction).map_err(refuse)?;
            match is_second {
                Second::None => entries |= 1 << (slot * 4),
                Second::InBundle if slot == 0 => return Err(refuse(Rule::CrossesBundle)),
                Second::InBundle if is_maybe_left_out => return Err(refuse(Rule::UnmaskedAccess)),
                Second::InBundle | Second::Anywhere => {}
            }
            branch(instruction, text, offset, marks).map_err(refuse)?;
            is_maybe_left_out = before.is_likely();
            before = instruction;
        }
        marks.enter(number, BUNDLE, entries);
    }
    if !text.bytes.is_empty() {
        let end = Instruction { word: NOP, class: WritesRd };
        pair(before, end).map_err(|rule| Refusal { offset: text.bytes.len() - 4, rule })?;
    }
    marks.check()
}

/// What one instruction must keep by itself.
fn alone(instruction: Instruction, slot: usize) -> Result<(), Rule> {
    if matches!(instruction.written(), T6 | T7 | T8) {
        return Err(Rule::ReservedRegister);
    }
    if instruction.links() && slot != 2 {
        return Err(Rule::MisplacedCall);
    }
    let is_access = matches!(instruction.class, Load | Access | StoreConditional);
    if is_access && rs(instruction.word) == T8 {
        let is_thread_pointer = instruction.word >> 26 == 0x23 && matches!(instruction.word & 0xffff, 0 | 4);
        return if is_thread_pointer { Ok(()) } else { Err(Rule::UnmaskedAccess) };
    }
    Ok(())
}

/// Whether an instruction is the second of a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Second {
    None,
    /// And must be in the bundle of the first.
    InBundle,
    /// And may begin a bundle.
    Anywhere,
}

const STACK_MASK: u32 = mask(SP, T7);

/// What two neighbours must keep.
fn pair(first: Instruction, second: Instruction) -> Result<Second, Rule> {
    let mut place = Second::None;
    if first.written() == SP && first.word != STACK_MASK {
        if second.word != STACK_MASK {
            return Err(Rule::UnconfinedStackPointer);
        }
        place = Second::Anywhere;
    }
    if first.has_slot() {
        if second.has_slot() {
            return Err(Rule::BranchInSlot);
        }
        if second.written() == SP && second.word != STACK_MASK {
            return Err(Rule::UnconfinedStackPointer);
        }
    }
    if let Some((mask, rule)) = second.wanted_mask() {
        if first.word != mask {
            return Err(rule);
        }
        place = Second::InBundle;
    }
    Ok(place)
}

/// Enters the target of a branch that is said in the instruction.
fn branch(
    instruction: Instruction,
    text: Text<'_>,
    offset: usize,
    marks: &mut Marks<'_>,
) -> Result<(), Rule> {
    let next = text.address.wrapping_add(offset as u32).wrapping_add(4);
    let target = match instruction.class {
        Branch | BranchAndLink => next.wrapping_add((i32::from(instruction.word as u16 as i16) << 2) as u32),
        Jump | Call => next & 0xf000_0000 | (instruction.word & 0x03ff_ffff) << 2,
        _ => return Ok(()),
    };
    let place = i64::from(target) - i64::from(text.address);
    if (0..text.bytes.len() as i64).contains(&place) {
        return marks.branch(place, text.bytes.len(), BUNDLE);
    }
    match target {
        // The guard below the trampolines.
        0..0x1_0000 => Ok(()),
        0x1_0000..0x2_0000 if target % BUNDLE as u32 != 0 => Err(Rule::BranchOutside),
        _ if target >= CODE_END || target % BUNDLE as u32 != 0 => Err(Rule::BranchOutside),
        _ => Ok(()),
    }
}

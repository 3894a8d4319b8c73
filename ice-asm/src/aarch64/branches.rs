//! The branches of AArch64 (DDI 0487, C4.1, "Branches, Exception Generating and System instructions"):
//!
//! | form | of | reach |
//! |---|---|---|
//! | `tbz`, `tbnz` | one bit | ±32 KiB |
//! | `b.<cond>`, `cbz`, `cbnz` | flags, a register | ±1 MiB |
//! | `b`; any opposite branch over a `b` | all | ±128 MiB |

use super::bits;
use super::control::{NOP, branch_field};
use super::operand::Cond;
use super::register::{Gpr, Width};
use crate::buffer::{BranchIsa, Form, Label, Span};
use crate::reloc::Reloc;
use core::fmt;

/// When a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchCond {
    /// If the flags are so; not [`Cond::Al`], with which a branch is a jump.
    Flags(Cond),
    /// If the register is zero.
    Zero(Width, Gpr),
    /// If the register is not zero.
    NonZero(Width, Gpr),
    /// If this bit of the register is 0.
    BitZero(Gpr, u8),
    /// If this bit of the register is 1.
    BitOne(Gpr, u8),
}

impl BranchCond {
    /// The opposite condition.
    #[must_use]
    #[inline]
    pub const fn invert(self) -> BranchCond {
        match self {
            BranchCond::Flags(cond) => BranchCond::Flags(cond.invert()),
            BranchCond::Zero(width, reg) => BranchCond::NonZero(width, reg),
            BranchCond::NonZero(width, reg) => BranchCond::Zero(width, reg),
            BranchCond::BitZero(reg, bit) => BranchCond::BitOne(reg, bit),
            BranchCond::BitOne(reg, bit) => BranchCond::BitZero(reg, bit),
        }
    }

    /// Whether there is such a branch.
    pub(super) const fn is_encodable(self) -> bool {
        match self {
            BranchCond::Flags(_) => true,
            BranchCond::Zero(_, reg) | BranchCond::NonZero(_, reg) => reg.is_plain(),
            BranchCond::BitZero(reg, bit) | BranchCond::BitOne(reg, bit) => reg.is_plain() && bit < 64,
        }
    }

    /// Its smallest form.
    const fn form(self) -> Form {
        match self {
            BranchCond::BitZero(..) | BranchCond::BitOne(..) => BIT,
            _ => COND,
        }
    }

    /// The one instruction over `distance` bytes, which it reaches.
    pub(super) const fn word(self, distance: i64) -> u32 {
        let words = (distance >> 2) as u32;
        match self {
            // "Conditional branch (immediate)"
            BranchCond::Flags(cond) => {
                bits!("0101010 0 iiiiiiiiiiiiiiiiiii 0 cccc") | (words & 0x7_ffff) << 5 | cond.bits()
            }
            // "Compare and branch (immediate)"
            BranchCond::Zero(width, t) => {
                bits!("f 011010 0 iiiiiiiiiiiiiiiiiii ttttt") | width.sf() | (words & 0x7_ffff) << 5 | t.d()
            }
            BranchCond::NonZero(width, t) => {
                bits!("f 011010 1 iiiiiiiiiiiiiiiiiii ttttt") | width.sf() | (words & 0x7_ffff) << 5 | t.d()
            }
            // "Test and branch (immediate)"
            BranchCond::BitZero(t, bit) => {
                bits!("b 011011 0 bbbbb iiiiiiiiiiiiii ttttt")
                    | bit_field(bit)
                    | (words & 0x3fff) << 5
                    | t.d()
            }
            BranchCond::BitOne(t, bit) => {
                bits!("b 011011 1 bbbbb iiiiiiiiiiiiii ttttt")
                    | bit_field(bit)
                    | (words & 0x3fff) << 5
                    | t.d()
            }
        }
    }
}

/// The fields `b5` and `b40`.
const fn bit_field(bit: u8) -> u32 {
    (bit as u32 & 31) << 19 | (bit as u32 >> 5 & 1) << 31
}

/// The mnemonic and the operands before the target.
impl fmt::Display for BranchCond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |bit| if bit < 32 { Width::W } else { Width::X };
        match *self {
            BranchCond::Flags(cond) => write!(f, "b.{cond} "),
            BranchCond::Zero(width, t) => write!(f, "cbz {}, ", t.of(width)),
            BranchCond::NonZero(width, t) => write!(f, "cbnz {}, ", t.of(width)),
            BranchCond::BitZero(t, bit) => write!(f, "tbz {}, #{bit}, ", t.of(width(bit))),
            BranchCond::BitOne(t, bit) => write!(f, "tbnz {}, #{bit}, ", t.of(width(bit))),
        }
    }
}

/// The branches of AArch64, for [`CodeBuffer`](crate::CodeBuffer). They destroy no register.
#[derive(Clone, Copy, Debug)]
pub enum Branches {}

/// A branch by one bit.
const BIT: Form = Form(0);
/// A branch by flags or a whole register.
const COND: Form = Form(1);
/// A jump; with a condition a branch on the opposite over it.
const JUMP: Form = Form(2);

const fn jump_word(distance: i64) -> u32 {
    bits!("0 00101 iiiiiiiiiiiiiiiiiiiiiiiiii") | branch_field(distance)
}

impl BranchIsa for Branches {
    type Cond = BranchCond;
    type Slot = ();
    const FORMS: u8 = 3;
    const TABLE: Form = JUMP;
    const ISLANDS: bool = true;
    const STEP: u32 = 512;
    const SMALLEST: u32 = 4;
    const GRAIN: u32 = 4;
    const COMMENT: &'static str = "//";

    #[inline]
    fn invert(cond: BranchCond) -> BranchCond {
        cond.invert()
    }

    #[inline]
    fn size(cond: Option<BranchCond>, form: Form) -> u32 {
        match (cond, form) {
            (None, JUMP) => 4,
            (Some(_), JUMP) => 8,
            (Some(cond), form) if cond.form() == form => 4,
            _ => 0,
        }
    }

    #[inline]
    fn span(form: Form) -> Span {
        match form {
            BIT => Span { back: 1 << 15, ahead: (1 << 15) - 4 },
            COND => Span { back: 1 << 20, ahead: (1 << 20) - 4 },
            // The jump may be behind a branch.
            _ => Span { back: (1 << 27) - 4, ahead: (1 << 27) - 4 },
        }
    }

    fn veneer(_: Form) -> Form {
        JUMP
    }

    #[inline(always)]
    fn encode(cond: Option<BranchCond>, (): (), form: Form, distance: i64, out: &mut [u8]) {
        match cond {
            None => out.copy_from_slice(&jump_word(distance).to_le_bytes()),
            Some(cond) if form == JUMP => {
                let [over, jump] = [cond.invert().word(8), jump_word(distance - 4)];
                out.copy_from_slice(&(u64::from(jump) << 32 | u64::from(over)).to_le_bytes());
            }
            Some(cond) => out.copy_from_slice(&cond.word(distance).to_le_bytes()),
        }
    }

    fn fill_nops(out: &mut [u8]) {
        // Whole words follow a part of one, which only data leaves.
        let (part, words) = out.split_at_mut(out.len() % 4);
        part.fill(0);
        words.chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&NOP.to_le_bytes()));
    }

    fn write(
        out: &mut dyn fmt::Write,
        cond: Option<BranchCond>,
        _: ((), Option<Reloc>),
        form: Form,
        _: i64,
        target: Label,
    ) -> fmt::Result {
        match cond {
            None => write!(out, "b {target}"),
            Some(cond) if form == JUMP => write!(out, "{}.+8\n\tb {target}", cond.invert()),
            Some(cond) => write!(out, "{cond}{target}"),
        }
    }
}

//! The branches of MIPS32, each with the instruction in its slot: 16 bits of words, ±128 KiB (MD00086, `BEQ`), and
//! beyond that a distance made in `$at` and added to the address that `bal` gives.
//!
//! The far form works at any address and without the global pointer: `j` has neither quality. It keeps `$ra` on the
//! stack and destroys `$at`:
//!
//! ```text
//!         slot                    or: branch on the opposite over all this; slot
//!         addiu $sp, $sp, -8
//!         sw    $ra, 0($sp)
//!         lui   $at, high
//!         bal   next
//!         addiu $at, $at, low
//!   next: addu  $at, $ra, $at
//!         lw    $ra, 0($sp)
//!         jr    $at
//!         addiu $sp, $sp, 8
//! ```
//!
//! Where code lies in bundles it is at a place that the linker knows, and no address that is computed may lead into a
//! bundle: there the far form is `j`, with words behind it that nobody comes to.

use super::control::{J_WORD, bal_word, branch_word, jr_word, likely_word};
use super::int::{Alu, AluSigned};
use super::memory::Transfer;
use super::operand::{Cond, Gpr};
use super::text::{self, Operand};
use super::{Encoder, dead, effects, int};
use crate::buffer::{BranchIsa, Form, Label, Span};
use crate::listing::Listing;
use crate::reloc::{Reloc, RelocKind};
use core::fmt;

/// The branches of MIPS32, for [`CodeBuffer`](crate::CodeBuffer). Where one does not reach, it or its veneer destroys
/// `$at`, and uses 8 bytes below the stack pointer.
#[derive(Clone, Copy, Debug)]
pub enum Branches {}

/// The word of the instruction in the slot of a branch: of one that does nothing, or of one that [`Encoder::slot`] was
/// given or [`Encoder::fill_branch`] has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Executed in any case.
    Always(u32),
    /// Executed if the branch, a conditional one to a near place behind, is taken.
    IfTaken(u32),
}

impl Default for Slot {
    fn default() -> Slot {
        Slot::Always(0)
    }
}

impl Slot {
    const fn word(self) -> u32 {
        match self {
            Slot::Always(word) | Slot::IfTaken(word) => word,
        }
    }
}

/// One instruction and its slot.
const NEAR: Form = Form(0);
/// The far form of code in bundles.
const LINKED: Form = Form(2);
/// The words of the far form without the slot.
const FAR_WORDS: usize = 9;
/// Where in them `next` is.
const NEXT: i64 = 5;

/// The words of a jump that starts `distance` bytes before its target.
fn far_words(distance: i64) -> [u32; FAR_WORDS] {
    let (at, sp, ra) = (Gpr::AT, Gpr::SP, Gpr::RA);
    let way = (distance - 4 * NEXT) as u32;
    let (high, low) = (way.wrapping_add(0x8000) >> 16, way & 0xffff);
    let moved_stack = |by: i16| AluSigned::Addiu.word(sp, sp, by as u16);
    [
        moved_stack(-8),
        Transfer::Sw.word(ra, sp, 0),
        int::lui_word(at, high as u16),
        bal_word(8),
        AluSigned::Addiu.word(at, at, low as u16),
        Alu::Addu.word(at, ra, at),
        Transfer::Lw.word(ra, sp, 0),
        jr_word(at),
        moved_stack(8),
    ]
}

/// All words of a branch; of those in the near form there are two.
fn words(cond: Option<Cond>, slot: Slot, form: Form, distance: i64) -> ([u32; FAR_WORDS + 2], usize) {
    let mut words = [slot.word(); FAR_WORDS + 2];
    if form == NEAR {
        let word = branch_word(cond, distance);
        words[0] = if let Slot::IfTaken(_) = slot { likely_word(word) } else { word };
        return (words, 2);
    }
    if form == LINKED {
        // Both words are there already: that of the slot.
        words[2..].fill(0);
        let at = (linked_field(cond) / 4) as usize;
        if let Some(cond) = cond {
            words[0] = branch_word(Some(cond.invert()), Branches::size(Some(cond), LINKED).into());
        }
        words[at] = J_WORD;
        return (words, FAR_WORDS + 1 + at / 2);
    }
    let start = match cond {
        Some(cond) => {
            words[0] = branch_word(Some(cond.invert()), 4 * (FAR_WORDS as i64 + 2));
            2
        }
        None => 1,
    };
    words[start..start + FAR_WORDS].copy_from_slice(&far_words(distance - 4 * start as i64));
    (words, start + FAR_WORDS)
}

/// Where `j` is in the linked form.
const fn linked_field(cond: Option<Cond>) -> u32 {
    if cond.is_some() { 8 } else { 0 }
}

impl BranchIsa for Branches {
    type Cond = Cond;
    type Slot = Slot;
    const FORMS: u8 = 2;
    const TABLE: Form = NEAR;
    const ISLANDS: bool = true;
    const STEP: u32 = 512;
    const SMALLEST: u32 = 8;
    const GRAIN: u32 = 4;
    const SLOT_SIZE: u32 = 4;
    const COMMENT: &'static str = "#";

    #[inline]
    fn invert(cond: Cond) -> Cond {
        cond.invert()
    }

    #[inline]
    fn size(cond: Option<Cond>, form: Form) -> u32 {
        match (form, cond) {
            (NEAR, _) => 8,
            (_, None) => 4 * (FAR_WORDS as u32 + 1),
            (_, Some(_)) => 4 * (FAR_WORDS as u32 + 2),
        }
    }

    #[inline]
    fn span(form: Form) -> Span {
        match form {
            NEAR => Span { back: (1 << 17) - 4, ahead: 1 << 17 },
            _ => Span::ALL,
        }
    }

    #[inline(always)]
    fn encode(cond: Option<Cond>, slot: Slot, form: Form, distance: i64, out: &mut [u8]) {
        let (words, _) = words(cond, slot, form, distance);
        out.chunks_exact_mut(4).zip(words).for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
    }

    fn in_bundles(form: Form) -> Form {
        if form == NEAR { NEAR } else { LINKED }
    }

    fn begins_group(inst: &[u8]) -> bool {
        inst.first_chunk().is_some_and(|&word| effects::begins_group(u32::from_le_bytes(word)))
    }

    fn reloc(cond: Option<Cond>, form: Form) -> Option<(u32, RelocKind)> {
        (form == LINKED).then(|| (linked_field(cond), RelocKind::Mips26))
    }

    fn slot_from_target(
        cond: Option<Cond>,
        code: &[u8],
        (start, target): (u32, u32),
        kind: Option<RelocKind>,
    ) -> Option<Slot> {
        dead::slot_from_target(cond.is_some(), code, (start, target), kind)
    }

    fn slot_from_next(
        code: &[u8],
        target: u32,
        between: (u32, u32),
        kind: impl Fn(u32) -> Option<RelocKind>,
    ) -> Option<(Slot, u32)> {
        dead::slot_from_next(code, target, between, kind)
    }

    fn encode_slot(slot: Slot, out: &mut [u8]) {
        out.copy_from_slice(&slot.word().to_le_bytes());
    }

    fn fill_nops(out: &mut [u8]) {
        out.fill(0);
    }

    fn write(
        out: &mut dyn fmt::Write,
        cond: Option<Cond>,
        (slot, reloc): (Slot, Option<Reloc>),
        form: Form,
        distance: i64,
        target: Label,
    ) -> fmt::Result {
        let (words, count) = words(cond, slot, form, distance);
        for (i, &word) in words[..count].iter().enumerate() {
            if i != 0 {
                out.write_str("\n\t")?;
            }
            let operand = match (form, i, reloc) {
                (NEAR, 0, _) => Operand::Label(target),
                (LINKED, _, _) if word == J_WORD => Operand::Label(target),
                (NEAR, _, Some(reloc)) => Operand::Symbol(reloc.into()),
                _ => Operand::Number,
            };
            text::write_word(out, word, operand)?;
            if form != NEAR && form != LINKED && word == jr_word(Gpr::AT) {
                write!(out, " # {target}")?;
            }
        }
        Ok(())
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// The one instruction that `emit` appends, for the slot of a branch to a label: it is taken off again. It has no
    /// relocation, and does not write `$at`.
    pub fn slot(&mut self, emit: impl FnOnce(&mut Self)) -> Slot {
        let (start, relocs) = (self.buf.offset(), self.buf.relocs().len());
        emit(self);
        // What does nothing may stand before it.
        let inst = self.buf.inst_start(start);
        let word = self.buf.bytes().get(inst as usize..).and_then(|rest| <[u8; 4]>::try_from(rest).ok());
        let has_reloc = self.buf.relocs().len() != relocs;
        self.buf.take_back(start);
        match word {
            Some(word) if !has_reloc => Slot::Always(u32::from_le_bytes(word)),
            _ => {
                self.invalid();
                Slot::default()
            }
        }
    }
}

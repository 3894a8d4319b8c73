//! What the buffer knows of a machine: the forms of its branches, how far each reaches, and its padding.

use super::Label;
use crate::reloc::{Reloc, RelocKind};
use core::fmt;

/// A form of a branch, by number: the longer the reach, the greater the number. The last form of an instruction
/// set reaches everywhere, as far as it reaches anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form(pub u8);

/// How far a form reaches, in bytes from the start of the branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Towards lower offsets.
    pub back: u32,
    /// Towards higher offsets.
    pub ahead: u32,
}

impl Span {
    /// Everywhere in the code of a function.
    pub const ALL: Span = Span { back: 1 << 31, ahead: 1 << 31 };

    /// Whether the distance is within reach.
    #[must_use]
    #[inline(always)]
    pub const fn contains(self, distance: i64) -> bool {
        -(self.back as i64) <= distance && distance <= self.ahead as i64
    }
}

/// What the caller knows of the way from a branch to a label that is not bound yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The labels' longest offsets tell, if they were given; the branch counts with its last form in them.
    FromLabels,
    /// The labels' longest offsets tell, if they were given, and so many bytes were counted for the branch: more than its
    /// last form, because a jump to the next block was counted as well and is left out.
    Counted(u32),
    /// At most this many bytes will lie between the end of the branch and the label.
    Within(u32),
}

/// The branches of an instruction set. Distances are from the start of the branch to its target.
///
/// A conditional branch in form `f` is at most as large as one in its smallest form and a jump in form `f`
/// together: so no edit makes code longer.
pub trait BranchIsa {
    /// A condition, with the registers that it looks at.
    type Cond: Copy + fmt::Debug;
    /// The instruction in the slot behind a branch, executed whether or not the branch is taken; the default is
    /// one that does nothing. `()` where branches have no slot.
    type Slot: Copy + Default + PartialEq + fmt::Debug + Send;
    /// How many forms there are, at most four.
    const FORMS: u8;
    /// The form of the entries of a table that code jumps into. It has one size.
    const TABLE: Form;
    /// Whether branches that would not reach go by a veneer on an *island* in the code. If so, forms are chosen in
    /// the hope that they will reach; otherwise, because they are known to.
    const ISLANDS: bool = false;
    /// At most so many bytes of code come between two calls of [`room_for`](super::CodeBuffer::room_for), beyond
    /// what they say.
    const STEP: u32 = 0;
    /// The smallest size of a branch in a form that is not the last.
    const SMALLEST: u32 = 1;
    /// Sizes and offsets of instructions are multiples of this number of bytes.
    const GRAIN: u32 = 1;
    /// How many bytes the instruction in a slot has.
    const SLOT_SIZE: u32 = 0;
    /// How far ahead the program counter is of the instruction that adds it to a constant.
    const PC_AHEAD: u32 = 0;
    /// What begins a comment in its assembler text.
    const COMMENT: &'static str;
    /// The opposite condition.
    fn invert(cond: Self::Cond) -> Self::Cond;
    /// The size in bytes of a conditional or (`None`) unconditional branch, with its slot: at most 64, and 0 if
    /// the branch does not come in this form. Every branch comes in the last one.
    fn size(cond: Option<Self::Cond>, form: Form) -> u32;
    /// The reach of a form, the same for all branches that come in it.
    fn span(form: Form) -> Span;
    /// The form, a later one, of the jump on an island that a branch of this form goes by. Not for the last one.
    fn veneer(form: Form) -> Form {
        Form(form.0 + 1)
    }
    /// What stands for a form where code lies in bundles: another form of the same size and reach, behind all others, where
    /// those who judge confined code take that alone.
    fn in_bundles(form: Form) -> Form {
        form
    }
    /// Whether an instruction, in which control is at its start, is one of a group with the next: no branch goes behind it.
    /// Asked where code lies in bundles.
    fn begins_group(_inst: &[u8]) -> bool {
        false
    }
    /// Where in the branch is a field that the linker fills with the target's address, if it is so in this form.
    fn reloc(_cond: Option<Self::Cond>, _form: Form) -> Option<(u32, RelocKind)> {
        None
    }
    /// Writes the branch and its slot; `out` has its size, the distance is one that it reaches.
    fn encode(cond: Option<Self::Cond>, slot: Self::Slot, form: Form, distance: i64, out: &mut [u8]);
    /// What the slot of a branch at `start`, which does nothing so far, may have if the branch, in its smallest form,
    /// goes behind the first instruction at `target`, which has the size of a slot and a relocation of this kind, if any:
    /// all code is written.
    fn slot_from_target(
        _cond: Option<Self::Cond>,
        _code: &[u8],
        (_start, _target): (u32, u32),
        _kind: Option<RelocKind>,
    ) -> Option<Self::Slot> {
        None
    }
    /// What the slot of a conditional branch to `target`, which does nothing so far, may take out of the code between `next`,
    /// right behind it, and `end`, where control comes from the branch alone; and where that is. `kind` tells the
    /// relocation of an instruction. All code is written.
    fn slot_from_next(
        _code: &[u8],
        _target: u32,
        (_next, _end): (u32, u32),
        _kind: impl Fn(u32) -> Option<RelocKind>,
    ) -> Option<(Self::Slot, u32)> {
        None
    }
    /// Writes the instruction of a slot by itself; `out` has [`Self::SLOT_SIZE`] bytes.
    fn encode_slot(_slot: Self::Slot, _out: &mut [u8]) {}
    /// Fills the whole of `out` with instructions that do nothing.
    fn fill_nops(out: &mut [u8]);
    /// Writes the assembler text such that an assembler makes the same bytes. The relocation is that of the slot.
    ///
    /// # Errors
    /// Those of `out`.
    fn write(
        out: &mut dyn fmt::Write,
        cond: Option<Self::Cond>,
        slot: (Self::Slot, Option<Reloc>),
        form: Form,
        distance: i64,
        target: Label,
    ) -> fmt::Result;
    /// What follows a symbol in the text of a word of this kind.
    fn operator(_kind: RelocKind) -> &'static str {
        ""
    }
}

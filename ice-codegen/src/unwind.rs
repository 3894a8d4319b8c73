//! What unwinding must know of a function: where its caller's registers are, as plain numbers.
//!
//! Offsets count from the *canonical frame address*: what the stack pointer was before the call (DWARF 5, 6.4).
//! [`UnwindFacts`] hold from the end of the prologue to the start of an epilogue. [`FrameStep`]s are the changes from
//! instruction to instruction, as emission makes them, from what holds at the entry on: the caller's registers are in
//! registers, the frame address is the stack pointer and what the call has pushed. Registers have their DWARF numbers: those of
//! the System V ABI on x86-32 and x86-64, those of the DWARF standard for ARM (IHI 0040) on ARM, and on MIPS those of the general
//! registers with the floating-point registers behind them.

use alloc::vec::Vec;
#[cfg(feature = "text")]
use core::fmt;
#[cfg(feature = "text")]
use ice_asm::ListingMark;
use ice_ir::native::UnwindTables;

/// Where a register of the caller is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SavedRegister {
    /// Its DWARF number.
    pub register: u16,
    /// The offset of its place from the canonical frame address, in bytes.
    pub offset: i32,
}

/// The frame of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnwindFacts {
    /// Bytes from the stack pointer behind the prologue to the canonical frame address.
    pub frame_size: u32,
    /// The DWARF number of the register that the frame hangs off, and the offset of where it points: the stack pointer,
    /// or a frame pointer where the stack pointer moves.
    pub base: (u16, i32),
    /// Whether the return address in the frame is signed.
    pub signs_return: bool,
    /// The registers that are saved, and the return address where a call puts it on the stack.
    pub saved: Vec<SavedRegister>,
}

impl UnwindFacts {
    /// Starts the facts of a frame of this size; keeps the memory.
    pub fn begin(&mut self, frame_size: u32, base: (u16, i32)) {
        self.frame_size = frame_size;
        self.base = base;
        self.signs_return = false;
        self.saved.clear();
    }

    /// Adds a register.
    pub fn save(&mut self, register: u16, offset: i32) {
        self.saved.push(SavedRegister { register, offset });
    }
}

/// What changes, in the terms of call frame instructions (DWARF 5, 6.4.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameChange {
    /// The canonical frame address is so many bytes above what a register holds.
    Address {
        /// The register.
        register: u16,
        /// Bytes.
        offset: i32,
    },
    /// It is so many bytes above what the register holds that it was counted from before.
    AddressOffset(i32),
    /// It is counted from this register; the number of bytes stays.
    AddressRegister(u16),
    /// A register of the caller is in memory.
    Saved(SavedRegister),
    /// A register of the caller is in its place again.
    Restored(u16),
    /// The return address is signed from here on (DWARF for the Arm 64-bit Architecture, 2023Q3, 5.2).
    Signed,
    /// What holds now will hold again.
    Remember,
    /// What was remembered last holds again.
    Recall,
}

/// A change from an offset of the code on, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameStep {
    /// The end of the instruction that makes it.
    pub offset: u32,
    /// The change.
    pub change: FrameChange,
}

/// Collects the steps of a function while it is emitted, by ascending offsets.
#[derive(Debug, Default)]
pub struct FrameSteps {
    wanted: UnwindTables,
    steps: Vec<FrameStep>,
}

impl FrameSteps {
    /// Starts a function; keeps the memory.
    pub fn begin(&mut self, wanted: UnwindTables) {
        self.wanted = wanted;
        self.steps.clear();
    }

    /// Whether anybody wants steps.
    #[inline]
    pub fn are_wanted(&self) -> bool {
        self.wanted != UnwindTables::None
    }

    /// Whether also those that matter between calls only.
    #[inline]
    pub fn are_exact(&self) -> bool {
        self.wanted == UnwindTables::Async
    }

    /// Notes a change.
    pub fn note(&mut self, offset: u32, change: FrameChange) {
        debug_assert!(self.steps.last().is_none_or(|last| last.offset <= offset), "steps ascend");
        self.steps.push(FrameStep { offset, change });
    }

    /// Notes the frame of the body at once, from the end of the prologue on: what there is to say where nobody looks into
    /// prologues and epilogues.
    pub fn note_body(&mut self, offset: u32, facts: &UnwindFacts) {
        let (register, at) = facts.base;
        self.note(offset, FrameChange::Address { register, offset: -at });
        if facts.signs_return {
            self.note(offset, FrameChange::Signed);
        }
        facts.saved.iter().for_each(|&saved| self.note(offset, FrameChange::Saved(saved)));
    }

    /// The steps of a function of `size` bytes: no state is recalled behind its end.
    pub fn finish(&mut self, size: u32) -> &[FrameStep] {
        let is_behind = |step: &mut FrameStep| step.change == FrameChange::Recall && step.offset >= size;
        if self.steps.pop_if(is_behind).is_some()
            && let Some(at) = self.steps.iter().rposition(|step| step.change == FrameChange::Remember)
        {
            self.steps.remove(at);
        }
        &self.steps
    }
}

/// The steps of a function as directives of assemblers, each before the line of the first instruction that it is for.
#[cfg(feature = "text")]
pub(crate) struct FrameDirectives<'a> {
    left: &'a [FrameStep],
}

#[cfg(feature = "text")]
impl<'a> FrameDirectives<'a> {
    pub(crate) fn new(steps: &'a [FrameStep]) -> FrameDirectives<'a> {
        FrameDirectives { left: steps }
    }

    /// Writes what belongs before a line.
    pub(crate) fn write(&mut self, mark: ListingMark, out: &mut dyn fmt::Write) -> fmt::Result {
        let ListingMark::Line(offset) = mark else { return Ok(()) };
        while let [step, rest @ ..] = self.left
            && step.offset <= offset
        {
            self.left = rest;
            out.write_str("\t.cfi_")?;
            match step.change {
                FrameChange::Address { register, offset } => writeln!(out, "def_cfa {register}, {offset}"),
                FrameChange::AddressOffset(offset) => writeln!(out, "def_cfa_offset {offset}"),
                FrameChange::AddressRegister(register) => writeln!(out, "def_cfa_register {register}"),
                FrameChange::Saved(SavedRegister { register, offset }) => {
                    writeln!(out, "offset {register}, {offset}")
                }
                FrameChange::Restored(register) => writeln!(out, "restore {register}"),
                FrameChange::Signed => writeln!(out, "negate_ra_state"),
                FrameChange::Remember => writeln!(out, "remember_state"),
                FrameChange::Recall => writeln!(out, "restore_state"),
            }?;
        }
        Ok(())
    }
}

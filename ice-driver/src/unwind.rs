//! Tables for unwinding: which functions have an entry, and what is in it.
//!
//! Emission says how the frame changes from instruction to instruction, in offsets of the function; `ice-elf` knows the
//! bytes. A function has an entry if it asks for one, or as [`Options::unwind`] says for all. Objects and code in
//! memory have the same section.

use crate::options::Options;
use ice_codegen::{FrameChange, FrameStep, FunctionCode, SavedRegister};
use ice_elf::{EhFrame, EntryFrame};
use ice_ir::native::UnwindTables;
use ice_ir::{FuncId, Module};

/// Which functions have an entry, where any may have one.
#[derive(Clone, Copy, Debug)]
pub struct Entries {
    frame: EntryFrame,
    wanted: Option<UnwindTables>,
}

impl Entries {
    /// Those that these options want; `None` if there will be none.
    pub fn of(options: &Options) -> Option<Entries> {
        let wanted = options.unwind;
        let frame = options.arch.machine().entry_frame().filter(|_| wanted != Some(UnwindTables::None))?;
        Some(Entries { frame, wanted })
    }

    /// Whether a function has one.
    pub fn include(self, module: &Module, function: FuncId) -> bool {
        self.wanted.unwrap_or(module.functions[function].traits.unwind) != UnwindTables::None
    }
}

/// The entries of a module.
pub struct Frames {
    entries: Entries,
    section: EhFrame,
}

impl Frames {
    /// None yet.
    pub fn new(entries: Entries) -> Frames {
        Frames { entries, section: EhFrame::new(entries.frame) }
    }

    /// Adds a function if it has an entry, and gives the offset of the field that must hold the distance from itself to
    /// the function.
    pub fn add(&mut self, module: &Module, function: FuncId, code: &FunctionCode<'_>) -> Option<u64> {
        if !self.entries.include(module, function) {
            return None;
        }
        let field = self.section.begin_function(code.code.len() as u32);
        code.frames.iter().for_each(|step| self.step(step));
        self.section.end();
        Some(field)
    }

    fn step(&mut self, step: &FrameStep) {
        let section = &mut self.section;
        section.advance(step.offset);
        match step.change {
            FrameChange::Address { register, offset } => section.address(register, offset as u32),
            FrameChange::AddressOffset(offset) => section.address_offset(offset as u32),
            FrameChange::AddressRegister(register) => section.address_register(register),
            FrameChange::Saved(SavedRegister { register, offset }) => section.saved(register, offset),
            FrameChange::Restored(register) => section.restored(register),
            FrameChange::Remember => section.remember(),
            FrameChange::Recall => section.recall(),
        }
    }

    /// The section; `None` if no function has an entry.
    pub fn bytes(&self) -> Option<&[u8]> {
        (!self.section.is_empty()).then(|| self.section.bytes())
    }
}

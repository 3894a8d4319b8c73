//! Tables for unwinding: which functions have an entry, and what is in it.
//!
//! Emission says how the frame changes from instruction to instruction, in offsets of the function; `ice-elf` knows the
//! bytes. A function has an entry if it asks for one, or as [`Options::unwind`] says for all. Objects and code in
//! memory have the same section.

use crate::machine::Machine;
use crate::options::Options;
use ice_codegen::{FrameChange, FrameStep, FunctionCode, SavedRegister};
use ice_elf::EhFrame;
use ice_ir::native::UnwindTables;
use ice_ir::{FuncId, Module};

/// The entries of a module.
pub struct Frames {
    wanted: Option<UnwindTables>,
    section: EhFrame,
}

/// Whether a function has an entry on machines that have such tables.
pub fn has_entry(wanted: Option<UnwindTables>, module: &Module, function: FuncId) -> bool {
    wanted.unwrap_or(module.functions[function].traits.unwind) != UnwindTables::None
}

/// Whether functions of a machine can have entries as these options want it.
pub fn are_possible(options: &Options) -> bool {
    options.arch.machine().entry_frame().is_some() && options.unwind != Some(UnwindTables::None)
}

impl Frames {
    /// No entries yet; `None` if there will be none.
    pub fn new(machine: &dyn Machine, wanted: Option<UnwindTables>) -> Option<Frames> {
        let entry = machine.entry_frame().filter(|_| wanted != Some(UnwindTables::None))?;
        Some(Frames { wanted, section: EhFrame::new(entry) })
    }

    /// Adds a function if it has an entry, and gives the offset of the field that must hold the distance from itself to
    /// the function.
    pub fn add(&mut self, module: &Module, function: FuncId, code: &FunctionCode<'_>) -> Option<u64> {
        if !has_entry(self.wanted, module, function) {
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

//! What references in code and data become in an object, whatever the machine.

use crate::machine::Machine;
use crate::options::RelocationModel;
use ice_asm::RelocKind;
use ice_ir::Module;
use ice_ir::native::Environment;

/// Whether a reference needs a symbol at its very target, not a section and an offset: the linker may merge
/// what is referred to, or the field has few bits for the offset.
pub fn needs_symbol(machine: &dyn Machine, kind: RelocKind) -> bool {
    machine.is_pc_relative(kind) || machine.is_instruction_field(kind)
}

/// What the entries of jump tables are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableEntries {
    /// Addresses.
    Absolute,
    /// Distances from the start of the table.
    FromTable,
    /// Distances from the global offset table.
    FromGlobalBase,
}

impl TableEntries {
    /// What they are in the code of a module.
    pub fn of(machine: &dyn Machine, module: &Module, relocation: RelocationModel) -> TableEntries {
        match module.environment {
            Environment::Native => machine.table_entries(relocation),
            Environment::Pnacl => TableEntries::Absolute,
        }
    }

    /// The kind of reference that an entry is.
    pub const fn kind(self) -> RelocKind {
        match self {
            TableEntries::Absolute => RelocKind::Abs32,
            TableEntries::FromTable => RelocKind::PcRel32,
            TableEntries::FromGlobalBase => RelocKind::GotOff32,
        }
    }
}

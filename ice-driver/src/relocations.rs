//! What references in code and data become in an object, whatever the machine.

use crate::machine::Machine;
use crate::options::RelocationModel;
use ice_asm::RelocKind;
use ice_ir::native::{ComdatKind, Environment, Preemption, Visibility};
use ice_ir::{Linkage, Module, Symbol};

/// Whether a reference needs a symbol at its very target, not a section and an offset: the linker may merge
/// what is referred to, or the field has few bits for the offset.
pub fn needs_symbol(machine: &dyn Machine, kind: RelocKind) -> bool {
    machine.is_pc_relative(kind) || machine.is_instruction_field(kind)
}

/// Whether any symbol of `module` has a [local twin](has_local_twin).
pub fn may_have_twins(machine: &dyn Machine, module: &Module, relocation: RelocationModel) -> bool {
    let is_shared = relocation.of(module) == RelocationModel::PositionIndependent && !module.is_executable;
    is_shared && machine.reaches_by_distance()
}

/// Whether code reaches `symbol` by a second, local symbol at the same place: linkers take a visible one for what another
/// module may replace, and refuse its distance in a shared library, though the compiler was told that nothing does (`dso_local`,
/// `-fno-semantic-interposition`). In a group of which one copy is kept, the local symbol would go away with the others.
#[inline]
pub fn has_local_twin(
    machine: &dyn Machine,
    module: &Module,
    relocation: RelocationModel,
    symbol: Symbol,
) -> bool {
    if !may_have_twins(machine, module, relocation) || module.is_declared(symbol) {
        return false;
    }
    let (linkage, traits) = module.linkage(symbol);
    let is_one_of_many = traits.comdat.is_some_and(|comdat| module.comdats[comdat].kind == ComdatKind::Any);
    linkage == Linkage::External
        && traits.visibility == Visibility::Default
        && traits.preemption == Preemption::Excluded
        && !is_one_of_many
}

/// What the entries of jump tables are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableEntries {
    /// Addresses of 4 bytes.
    Absolute,
    /// Addresses of 8 bytes.
    WideAbsolute,
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
            Environment::Pnacl => machine.pnacl_table_entries(),
        }
    }

    /// The kind of reference that an entry is.
    pub const fn kind(self) -> RelocKind {
        match self {
            TableEntries::Absolute => RelocKind::Abs32,
            TableEntries::WideAbsolute => RelocKind::Abs64,
            TableEntries::FromTable => RelocKind::PcRel32,
            TableEntries::FromGlobalBase => RelocKind::GotOff32,
        }
    }

    /// Bytes of an entry.
    pub const fn bytes(self) -> u32 {
        match self {
            TableEntries::WideAbsolute => 8,
            _ => 4,
        }
    }
}

//! Relocation types of each machine, for code and for data.

use crate::arch::Arch;
use crate::arm32;
use crate::options::RelocationModel;
use ice_asm::RelocKind;
use ice_ir::Module;
use ice_ir::native::Environment;
use object::elf;

/// The relocation type that ELF has for `kind` on a machine, if it has one.
#[rustfmt::skip]
pub fn relocation_type(arch: Arch, kind: RelocKind) -> Option<u32> {
    let (x86_32, x86_64) = match kind {
        RelocKind::Abs32          => (Some(elf::R_386_32),         Some(elf::R_X86_64_32)),
        RelocKind::Abs32S         => (Some(elf::R_386_32),         Some(elf::R_X86_64_32S)),
        RelocKind::Abs64          => (None,                        Some(elf::R_X86_64_64)),
        RelocKind::PcRel32        => (Some(elf::R_386_PC32),       Some(elf::R_X86_64_PC32)),
        RelocKind::Plt32          => (Some(elf::R_386_PLT32),      Some(elf::R_X86_64_PLT32)),
        // Loads of addresses only, of which the linker may make a plain `lea`.
        RelocKind::GotPcRel32     => (None,                        Some(elf::R_X86_64_REX_GOTPCRELX)),
        RelocKind::Got32          => (Some(elf::R_386_GOT32X),     None),
        RelocKind::GotOff32       => (Some(elf::R_386_GOTOFF),     None),
        RelocKind::GotPc32        => (Some(elf::R_386_GOTPC),      Some(elf::R_X86_64_GOTPC32)),
        RelocKind::TpOff32        => (Some(elf::R_386_TLS_LE),     Some(elf::R_X86_64_TPOFF32)),
        RelocKind::GotTpOff32     => (Some(elf::R_386_TLS_IE),     Some(elf::R_X86_64_GOTTPOFF)),
        RelocKind::GotTpOffBase32 => (Some(elf::R_386_TLS_GOTIE),  None),
        RelocKind::TlsGd32        => (Some(elf::R_386_TLS_GD),     Some(elf::R_X86_64_TLSGD)),
        _                         => (None,                        None),
    };
    let arm = match kind {
        RelocKind::Abs32      => Some(elf::R_ARM_ABS32),
        RelocKind::PcRel32    => Some(elf::R_ARM_REL32),
        RelocKind::GotPcRel32 => Some(elf::R_ARM_GOT_PREL),
        RelocKind::TpOff32    => Some(elf::R_ARM_TLS_LE32),
        RelocKind::GotTpOff32 => Some(elf::R_ARM_TLS_IE32),
        RelocKind::TlsGd32    => Some(elf::R_ARM_TLS_GD32),
        RelocKind::ArmCall    => Some(elf::R_ARM_CALL),
        RelocKind::ArmJump24  => Some(elf::R_ARM_JUMP24),
        RelocKind::ArmMovwAbs => Some(elf::R_ARM_MOVW_ABS_NC),
        RelocKind::ArmMovtAbs => Some(elf::R_ARM_MOVT_ABS),
        RelocKind::ArmMovwPcRel => Some(elf::R_ARM_MOVW_PREL_NC),
        RelocKind::ArmMovtPcRel => Some(elf::R_ARM_MOVT_PREL),
        _                     => None,
    };
    match arch {
        Arch::X86_32 => x86_32,
        Arch::X86_64 => x86_64,
        Arch::Arm32 => arm,
        Arch::Mips32 => None,
    }
}

/// The relocation of a 4-byte distance in data.
pub fn relative_type(arch: Arch) -> u32 {
    match arch {
        Arch::X86_32 => elf::R_386_PC32,
        Arch::X86_64 => elf::R_X86_64_PC32,
        Arch::Arm32 => elf::R_ARM_REL32,
        // R_MIPS_PC32 of the GNU tools.
        Arch::Mips32 => 248,
    }
}

/// The relocation of an address of 4 bytes in data or a jump table.
pub fn address_type(arch: Arch) -> u32 {
    match arch {
        Arch::X86_32 => elf::R_386_32,
        Arch::X86_64 => elf::R_X86_64_32,
        Arch::Arm32 => elf::R_ARM_ABS32,
        Arch::Mips32 => elf::R_MIPS_32,
    }
}

/// Whether the whole value, counted from the place of the field, is in the field.
pub const fn is_pc_relative(kind: RelocKind) -> bool {
    matches!(kind, RelocKind::PcRel32 | RelocKind::Plt32 | RelocKind::ArmCall | RelocKind::ArmJump24)
}

/// Whether a reference needs a symbol at its very target, not a section and an offset: the linker may merge
/// what is referred to, or the field has few bits for the offset.
pub const fn needs_symbol(kind: RelocKind) -> bool {
    is_pc_relative(kind) || arm32::is_instruction_field(kind)
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
    pub fn of(arch: Arch, module: &Module, relocation: RelocationModel) -> TableEntries {
        match (module.environment, arch, relocation) {
            (Environment::Native, Arch::X86_64, _)
            | (Environment::Native, Arch::Arm32, RelocationModel::PositionIndependent) => {
                TableEntries::FromTable
            }
            (Environment::Native, Arch::X86_32, RelocationModel::PositionIndependent) => {
                TableEntries::FromGlobalBase
            }
            _ => TableEntries::Absolute,
        }
    }

    /// The relocation of an entry.
    pub fn relocation_type(self, arch: Arch) -> u32 {
        match self {
            TableEntries::Absolute => address_type(arch),
            TableEntries::FromTable => relative_type(arch),
            TableEntries::FromGlobalBase => elf::R_386_GOTOFF,
        }
    }
}

//! MIPS32 revision 2, little-endian, o32: its names, its objects, its tools. There is no back end.

#[cfg(feature = "text")]
use super::Assembly;
#[cfg(feature = "cli")]
use super::Tools;
use super::{Arch, Machine};
use ice_asm::RelocKind;
#[cfg(feature = "llvm")]
use ice_bitcode::llvm::MachineDescription;
use object::elf;
use target_lexicon::{Architecture, Endianness};

/// The machine.
pub struct Mips32;

/// `R_MIPS_PC32` of the GNU tools.
const R_MIPS_PC32: u32 = 248;

impl Machine for Mips32 {
    fn arch(&self) -> Arch {
        Arch::Mips32
    }

    fn name(&self) -> &'static str {
        "mipsel"
    }

    fn is_named(&self, architecture: Architecture) -> bool {
        let is_little = architecture.endianness() == Ok(Endianness::Little);
        matches!(architecture, Architecture::Mips32(_)) && is_little
    }

    #[cfg(feature = "llvm")]
    fn legalization(&self, _: super::Features) -> &'static MachineDescription {
        &MachineDescription::PORTABLE
    }

    fn format(&self) -> ice_elf::Format {
        ice_elf::Format::mips(elf::EF_MIPS_ARCH_32R2 | elf::EF_MIPS_ABI_O32)
    }

    fn relocation_type(&self, kind: RelocKind) -> Option<u32> {
        match kind {
            RelocKind::Abs32 => Some(elf::R_MIPS_32),
            RelocKind::PcRel32 => Some(R_MIPS_PC32),
            _ => None,
        }
    }

    #[cfg(feature = "text")]
    fn assembly(&self, _: super::Features) -> Assembly {
        Assembly { head: String::new(), align: ".p2align", fill: "0" }
    }

    #[cfg(feature = "cli")]
    fn tools(&self, _: super::Features, _: Option<Arch>) -> Tools {
        Tools {
            compilers: &["mipsel-linux-gnu-gcc"],
            compiler_options: &[],
            runtime_name: "mips",
            runtime_source: include_str!("../../runtime/mips.S"),
            emulator: "qemu-mipsel",
        }
    }
}

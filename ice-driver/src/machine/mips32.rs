//! MIPS32 revision 2, little-endian, o32 with floating-point registers of 32 bits in pairs.
//!
//! ELF for MIPS keeps addends in the fields that are relocated (System V ABI, MIPS RISC Processor Supplement, 3rd
//! edition, 4-18 f.): 16 bits of one half of an address, where the high half counts the carry of the low one; words in
//! `j` and `jal`.

#[cfg(feature = "text")]
use super::Assembly;
use super::{Arch, Attributes, Bundles, Features, Machine};
#[cfg(feature = "cli")]
use super::{Tools, runtime_source};
#[cfg(feature = "mips32")]
use crate::error::Error;
use crate::options::RelocationModel;
use crate::relocations::TableEntries;
use crate::unwind::UnwindForm;
#[cfg(feature = "assembly")]
use ice_asm::{Assembled, AssemblyError, DataSyntax, assemble_data};
use ice_asm::{RelocKind, SlotCount};
#[cfg(feature = "llvm")]
use ice_bitcode::llvm::{BlockAddresses, FloatRegisters, MachineDescription, ResultRegisters, Rounding};
use ice_elf::{EntryFrame, Relocation};
use object::elf;
use target_lexicon::{Architecture, Endianness};
#[cfg(feature = "mips32")]
use {
    ice_codegen::{BackEnd, Confinement, NativeModel},
    ice_ir::Module,
};

/// The machine.
pub struct Mips32;

/// `R_MIPS_PC32` of the GNU tools.
const R_MIPS_PC32: u32 = 248;
/// The type of `.MIPS.abiflags`.
const SHT_MIPS_ABIFLAGS: u32 = 0x7000_002a;
/// Floating point in hardware, with numbers of 64 bits in pairs of registers: `Val_GNU_MIPS_ABI_FP_DOUBLE`.
const FP_DOUBLE: u8 = 1;

/// `.MIPS.abiflags`, version 0: what the code needs of the processor (MIPS O32 ABI: FR0 and FR1 interlinking, 9).
#[rustfmt::skip]
const ABI_FLAGS: [u8; 24] = [
    0, 0,        // version
    32, 2,       // isa_level, isa_rev: MIPS32 release 2
    1, 1, 0,     // gpr_size, cpr1_size, cpr2_size: 32 bits, 32 bits, none
    FP_DOUBLE,   // fp_abi
    0, 0, 0, 0,  // isa_ext
    0, 0, 0, 0,  // ases
    1, 0, 0, 0,  // flags1: odd-numbered registers hold numbers of 32 bits
    0, 0, 0, 0,  // flags2
];

/// `.gnu.attributes`: the length of the whole, the vendor, the length of the list for the file, and in it
/// `Tag_GNU_MIPS_ABI_FP`.
const GNU_ATTRIBUTES: [u8; 16] = *b"A\x0f\0\0\0gnu\0\x01\x07\0\0\0\x04\x01";

/// `.reginfo`: the general registers that the code may use, those of four coprocessors, and the value of the global
/// pointer in objects.
fn register_info() -> Vec<u8> {
    // All but $zero, and $k0 and $k1 of the system.
    const GENERAL: u32 = !(1 | 3 << 26);
    const FLOAT: u32 = !0;
    [GENERAL, 0, FLOAT, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// What an assembler must know: which instructions and registers there are, how addresses are made, and that the text says
/// all.
#[cfg(feature = "text")]
fn assembly_head(relocation: RelocationModel) -> String {
    let model = match relocation {
        RelocationModel::Static => 0,
        RelocationModel::PositionIndependent => 2,
    };
    format!(
        "\t.module fp=32\n\t.module oddspreg\n\t.set mips32r2\n\t.abicalls\n\t.option pic{model}\n\t.set noreorder\n\t.set nomacro\n\t.set noat\n"
    )
}

/// Puts an addend into the field of an instruction; `None` if it does not fit or the kind is not one of these.
fn set_field(kind: RelocKind, word: u32, value: i64) -> Option<u32> {
    let half = |bits: i64| Some(word & 0xffff_0000 | bits as u32 & 0xffff);
    match kind {
        RelocKind::MipsHi16 | RelocKind::MipsGot16 => half((value + 0x8000) >> 16),
        RelocKind::MipsLo16 => half(value),
        RelocKind::Mips26 => {
            let fits = value % 4 == 0 && (0..1 << 28).contains(&value);
            fits.then_some(word & 0xfc00_0000 | (value >> 2) as u32)
        }
        RelocKind::MipsCall16
        | RelocKind::MipsTlsGd
        | RelocKind::MipsGotTpRel
        | RelocKind::MipsTpRelHi16
        | RelocKind::MipsTpRelLo16 => (value == 0).then_some(word),
        _ => None,
    }
}

#[rustfmt::skip]
const fn relocation_type(kind: RelocKind) -> Option<u32> {
    Some(match kind {
        RelocKind::Abs32         => elf::R_MIPS_32,
        RelocKind::PcRel32       => R_MIPS_PC32,
        RelocKind::MipsHi16      => elf::R_MIPS_HI16,
        RelocKind::MipsLo16      => elf::R_MIPS_LO16,
        RelocKind::Mips26        => elf::R_MIPS_26,
        RelocKind::MipsGot16     => elf::R_MIPS_GOT16,
        RelocKind::MipsCall16    => elf::R_MIPS_CALL16,
        RelocKind::MipsTlsGd     => elf::R_MIPS_TLS_GD,
        RelocKind::MipsGotTpRel  => elf::R_MIPS_TLS_GOTTPREL,
        RelocKind::MipsTpRelHi16 => elf::R_MIPS_TLS_TPREL_HI16,
        RelocKind::MipsTpRelLo16 => elf::R_MIPS_TLS_TPREL_LO16,
        _                        => return None,
    })
}

/// The machine as legalisation sees it. Clang passes objects as the words of their arguments, and returns complex
/// numbers in `$f0` and `$f2` and vectors as words, which are where a vector is: in `$v0`, `$v1`, `$a0` and `$a1`.
#[cfg(feature = "llvm")]
const O32: MachineDescription = MachineDescription {
    block_addresses: BlockAddresses::Code,
    joined_words: 4,
    result_registers: Some(ResultRegisters {
        general: 4,
        float: FloatRegisters::Separate { floats: 2, vectors: 0 },
    }),
    has_assembler: true,
    usual_features: &[],
    clears_cache: true,
    rounding: Some(Rounding { words: &[], directions: [1; 4] }),
    stack_pointer: &["sp", "$sp", "$29"],
    ..MachineDescription::PORTABLE
};

impl Machine for Mips32 {
    fn arch(&self) -> Arch {
        Arch::Mips32
    }

    fn name(&self) -> &'static str {
        "mipsel"
    }

    #[cfg(feature = "assembly")]
    fn assemble(&self, text: &str) -> Result<Assembled, AssemblyError> {
        assemble_data(text, DataSyntax::Mips)
    }

    fn is_named(&self, architecture: Architecture) -> bool {
        let is_little = architecture.endianness() == Ok(Endianness::Little);
        // Release 6 has other codes.
        matches!(architecture, Architecture::Mips32(_))
            && is_little
            && !architecture.to_string().contains("r6")
    }

    #[cfg(feature = "llvm")]
    fn legalization(&self, _: Features) -> &'static MachineDescription {
        &O32
    }

    /// Code at fixed addresses calls what is position-independent by stubs of the linker (`CPIC`).
    fn format(&self, relocation: RelocationModel) -> ice_elf::Format {
        let flags =
            elf::EF_MIPS_ARCH_32R2 | elf::EF_MIPS_ABI_O32 | elf::EF_MIPS_NOREORDER | elf::EF_MIPS_CPIC;
        ice_elf::Format::mips(match relocation {
            RelocationModel::Static => flags,
            RelocationModel::PositionIndependent => flags | elf::EF_MIPS_PIC,
        })
    }

    fn code_alignment(&self) -> u64 {
        4
    }

    /// A call leaves the return address in `$ra` (System V ABI, MIPS RISC Processor Supplement, 3rd edition, 3-11).
    fn unwind_form(&self) -> Option<UnwindForm> {
        Some(UnwindForm::Frames(EntryFrame { word: 4, stack_pointer: 29, return_address: 31, pushed: 0 }))
    }

    fn debug_section_type(&self) -> u32 {
        elf::SHT_MIPS_DWARF
    }

    fn relocation_type(&self, kind: RelocKind) -> Option<u32> {
        relocation_type(kind)
    }

    fn is_instruction_field(&self, kind: RelocKind) -> bool {
        !matches!(kind, RelocKind::Abs32 | RelocKind::PcRel32)
    }

    fn set_field(&self, kind: RelocKind, word: u32, value: i64) -> Option<u32> {
        match kind {
            RelocKind::PcRel32 => Some(value as u32),
            _ => set_field(kind, word, value),
        }
    }

    fn reaches_by_distance(&self) -> bool {
        false
    }

    fn order_relocations(&self, relocations: &mut [Relocation]) -> Option<()> {
        ice_elf::mips::pair_halves(relocations)
    }

    fn count_slots(&self, code: &[u8]) -> SlotCount {
        ice_asm::mips32::count_slots(code)
    }

    fn bundles(&self) -> Option<Bundles> {
        Some(Bundles { bytes: 16, halt: 0xd_u32.to_le_bytes(), halt_text: "0x0000000d" })
    }

    #[cfg(feature = "mips32")]
    fn confined_helper(&self, helper: ice_codegen::Libcall) -> Option<Vec<u8>> {
        ice_target_mips32::confined_helper(helper)
    }

    fn table_entries(&self, relocation: RelocationModel) -> TableEntries {
        match relocation {
            RelocationModel::PositionIndependent => TableEntries::FromTable,
            RelocationModel::Static => TableEntries::Absolute,
        }
    }

    fn attributes(&self, _: Features) -> Vec<Attributes> {
        let loaded = |name, sh_type, alignment, contents| Attributes {
            name,
            sh_type,
            sh_flags: elf::SHF_ALLOC,
            alignment,
            contents,
        };
        vec![
            loaded(b".reginfo", elf::SHT_MIPS_REGINFO, 4, register_info()),
            loaded(b".MIPS.abiflags", SHT_MIPS_ABIFLAGS, 8, ABI_FLAGS.to_vec()),
            Attributes {
                name: b".gnu.attributes",
                sh_type: elf::SHT_GNU_ATTRIBUTES,
                sh_flags: 0,
                alignment: 1,
                contents: GNU_ATTRIBUTES.to_vec(),
            },
        ]
    }

    #[cfg(feature = "text")]
    fn assembly(&self, _: Features, relocation: RelocationModel) -> Assembly {
        Assembly {
            head: assembly_head(relocation),
            align: ".p2alignl",
            fill: "0x0000000d",
            // `DW_EH_PE_indirect | DW_EH_PE_absptr`: linkers make it a distance.
            personality: "0x80",
        }
    }

    #[cfg(feature = "cli")]
    fn tools(&self, _: Features, _: Option<Arch>) -> Tools {
        Tools {
            compilers: &["mipsel-linux-gnu-gcc"],
            compiler_options: &[],
            runtime_name: "mips",
            runtime_source: runtime_source!("mips.S"),
            emulator: "qemu-mipsel",
            // Above the window; with the pairs of registers that programs have for numbers of 64 bits.
            loader_options: &["-Wl,-Ttext-segment=0x50000000", "-mfp32", "-modd-spreg"],
        }
    }

    fn is_built_in(&self) -> bool {
        cfg!(feature = "mips32")
    }

    #[cfg(feature = "mips32")]
    fn back_end(
        &self,
        module: &Module,
        native: NativeModel,
        _: Features,
        confinement: Confinement,
    ) -> Result<Box<dyn BackEnd>, Error> {
        let target = ice_target_mips32::Mips32::new(module, native).map_err(super::foreign(Arch::Mips32))?;
        Ok(Box::new(target.confined(confinement)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_hold_halves_with_their_carry() {
        let lui = 0x3c01_0000;
        assert_eq!(set_field(RelocKind::MipsHi16, lui, 0x1_7fff), Some(lui | 1));
        assert_eq!(set_field(RelocKind::MipsHi16, lui, 0x1_8000), Some(lui | 2));
        assert_eq!(set_field(RelocKind::MipsHi16, lui, -1), Some(lui));
        assert_eq!(set_field(RelocKind::MipsLo16, lui, -4), Some(lui | 0xfffc));
        assert_eq!(set_field(RelocKind::Mips26, 0x0c00_0000, 8), Some(0x0c00_0002));
        assert_eq!(set_field(RelocKind::Mips26, 0x0c00_0000, 6), None);
        assert_eq!(set_field(RelocKind::MipsCall16, lui, 4), None);
        assert_eq!(set_field(RelocKind::Abs32, 0, 0), None);
    }

    #[test]
    fn attributes_count_their_own_bytes() {
        assert_eq!(usize::from(GNU_ATTRIBUTES[1]), GNU_ATTRIBUTES.len() - 1);
        assert_eq!(usize::from(GNU_ATTRIBUTES[10]), GNU_ATTRIBUTES.len() - 9);
        assert_eq!(register_info().len(), 24);
    }
}

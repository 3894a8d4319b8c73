//! Machines: everything that the driver must know of one stands in one file, behind the trait [`Machine`].
//!
//! | file | machines |
//! |---|---|
//! | `x86` | i686 and x86-64 |
//! | `aarch64` | AArch64, little-endian |
//! | `arm32` | ARMv7-A |
//! | `mips32` | MIPS32 release 2, little-endian |
//!
//! Other files ask the [`Machine`] of an [`Arch`] and name none. Whether a back end is there is decided by the cargo
//! feature of the machine; what is known of names, triples and calls is always there, because bitcode is read for
//! machines that nothing is translated for.

mod aarch64;
mod arm32;
mod features;
#[cfg(feature = "cli")]
pub(crate) mod host;
mod mips32;
#[cfg(feature = "cli")]
pub(crate) mod sandbox;
mod x86;

pub use features::{FeatureId, Features, Switch, with_switch};

use crate::error::Error;
use crate::options::RelocationModel;
use crate::relocations::TableEntries;
use crate::unwind::UnwindForm;
use core::fmt;
#[cfg(feature = "assembly")]
use ice_asm::{Assembled, AssemblyError};
use ice_asm::{RelocKind, SlotCount};
#[cfg(feature = "llvm")]
use ice_bitcode::llvm::{LlvmModule, MachineDescription};
use ice_codegen::{BackEnd, Confinement, Libcall, NativeModel};
use ice_elf::Relocation;
use ice_ir::native::FunctionTraits;
use ice_ir::{Hardening, Module, Type};
use object::elf;
use std::borrow::Cow;
use target_lexicon::{Architecture, OperatingSystem, Triple};

/// A source of the runtime without its comments, which the build script has taken out.
#[cfg(feature = "cli")]
macro_rules! runtime_source {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/runtime/", $name))
    };
}
#[cfg(feature = "cli")]
pub(crate) use runtime_source;

/// The section of a note about the code of an object (Linux Extensions to gABI, 2.1).
pub const PROPERTY_NOTE: &str = ".note.gnu.property";

/// A note with one property, the features that all code has, filled up to the size of an address; nothing without features.
fn features_of_code(property: u32, features: u32, address: u32) -> Vec<u8> {
    if features == 0 {
        return Vec::new();
    }
    let fill = address - 4;
    let header = [4, 12 + fill, elf::NT_GNU_PROPERTY_TYPE_0, u32::from_le_bytes(*b"GNU\0")];
    let words = header.into_iter().chain([property, 4, features]).chain((fill > 0).then_some(0));
    words.flat_map(u32::to_le_bytes).collect()
}

/// A machine that `ice` knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arch {
    /// i686: x86-32 with SSE2.
    X86_32,
    /// x86-64.
    X86_64,
    /// ARMv7, 32 bits, hard-float.
    Arm32,
    /// MIPS32 revision 2, little-endian, o32.
    Mips32,
    /// AArch64: ARMv8-A, 64 bits, little-endian.
    Aarch64,
}

/// A section that says in what an object's code differs from that of other processors of its machine.
pub struct Attributes {
    /// The name of the section.
    pub name: &'static [u8],
    /// `sh_type`.
    pub sh_type: u32,
    /// `sh_flags`.
    pub sh_flags: u32,
    /// Its alignment in bytes, and that of its one entry where it has flags.
    pub alignment: u64,
    /// What is in it.
    pub contents: Vec<u8>,
}

/// What functions are aligned to where instructions have any length, in bytes, and everywhere those with their type in front
/// of them.
pub(crate) const FUNCTION_ALIGNMENT: u64 = 16;

/// How confined code of a machine lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bundles {
    /// Bytes of a bundle: functions begin one.
    pub bytes: u64,
    /// An instruction that ends the program, between functions and behind the last.
    pub halt: [u8; 4],
    /// The same in assembler text.
    pub halt_text: &'static str,
}

/// Symbols that say of what kind the bytes behind them are.
pub struct MappingSymbols {
    /// Instructions.
    pub code: &'static [u8],
    /// Data between instructions.
    pub data: &'static [u8],
}

/// How assembler text begins and what it writes where the machine decides.
#[cfg(feature = "text")]
pub struct Assembly {
    /// What an assembler must know before the first line.
    pub head: String,
    /// The directive for the alignment of code, up to the exponent.
    pub align: &'static str,
    /// What fills the space between functions.
    pub fill: &'static str,
    /// How tables refer to a word with the address of a personality routine: by its distance, or where assemblers do not know
    /// that (GNU as for MIPS) by its address.
    pub personality: &'static str,
}

/// A distance of four bytes (`DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_sdata4`).
#[cfg(feature = "text")]
const PERSONALITY_BY_DISTANCE: &str = "0x9b";

/// What C compilers and emulators there are for a machine, and what the runtime has for it.
#[derive(Clone, Debug)]
#[cfg(feature = "cli")]
pub struct Tools {
    /// Compilers on other hosts in order of preference, each perhaps with options behind blanks.
    pub compilers: &'static [&'static str],
    /// What the compiler is always told.
    pub compiler_options: &'static [&'static str],
    /// The name of the runtime's assembly file without its extension.
    pub runtime_name: &'static str,
    /// The text of this file.
    pub runtime_source: &'static str,
    /// The emulator for its programs.
    pub emulator: &'static str,
    /// With what the loader of the sandbox is linked.
    pub loader_options: &'static [&'static str],
}

/// Everything that the driver must know of a machine.
pub trait Machine: Sync {
    /// Which machine it is.
    fn arch(&self) -> Arch;

    /// The short name, as printed and accepted.
    fn name(&self) -> &'static str;

    /// Whether triples with this architecture name the machine.
    fn is_named(&self, architecture: Architecture) -> bool;

    /// The integer type of an address in native programs.
    fn address_type(&self) -> Type {
        Type::I32
    }

    /// Features that have a name on the command line.
    fn switches(&self) -> &'static [Switch] {
        &[]
    }

    /// What a triple of the machine says of features.
    fn features_of_triple(&self, _triple: &str) -> Features {
        Features::default()
    }

    /// What a module of LLVM for the machine says of features.
    #[cfg(feature = "llvm")]
    fn features_of_module(&self, _module: &LlvmModule) -> Features {
        Features::default()
    }

    /// The machine as legalisation of LLVM bitcode sees it.
    #[cfg(feature = "llvm")]
    fn legalization(&self, features: Features) -> &'static MachineDescription;

    /// The format of its objects with code of this model.
    fn format(&self, relocation: RelocationModel) -> ice_elf::Format;

    /// Makes code and data of assembly that stands beside functions.
    ///
    /// # Errors
    /// The first statement in doubt.
    #[cfg(feature = "assembly")]
    fn assemble(&self, text: &str) -> Result<Assembled, AssemblyError>;

    /// The type of sections for debuggers.
    fn debug_section_type(&self) -> u32 {
        elf::SHT_PROGBITS
    }

    /// What tables for unwinding look like, if objects of it have any.
    fn unwind_form(&self) -> Option<UnwindForm> {
        None
    }

    /// The type of the relocation that ELF has for this kind, if it has one.
    fn relocation_type(&self, kind: RelocKind) -> Option<u32>;

    /// Whether the field of a relocation of this kind is bits of an instruction, which have the addend in objects.
    fn is_instruction_field(&self, _kind: RelocKind) -> bool {
        false
    }

    /// Puts a value, counted from the place of the field where the kind [says so](Self::is_pc_relative), into the
    /// word that has the field; `None` if it does not fit or the kind is none of the machine's.
    fn set_field(&self, _kind: RelocKind, _word: u32, value: i64) -> Option<u32> {
        Some(value as u32)
    }

    /// Whether the whole value, counted from the place of the field, is in the field.
    fn is_pc_relative(&self, kind: RelocKind) -> bool {
        matches!(kind, RelocKind::PcRel32 | RelocKind::Plt32)
    }

    /// Whether position-independent code reaches what nothing can take the place of by its distance, not by the
    /// linker's table.
    fn reaches_by_distance(&self) -> bool {
        true
    }

    /// Puts the relocations of a function into the order in which a linker understands them; `None` if there is none.
    fn order_relocations(&self, _relocations: &mut [Relocation]) -> Option<()> {
        Some(())
    }

    /// How many slots behind branches, jumps and calls finished code has, and how many of them are filled.
    fn count_slots(&self, _code: &[u8]) -> SlotCount {
        SlotCount::default()
    }

    /// What its instructions are aligned to, in bytes.
    fn code_alignment(&self) -> u64 {
        1
    }

    /// What functions that ask for no alignment are aligned to, in bytes. Where instructions are words, padding is a
    /// thirtieth of the code of small functions and buys nothing.
    fn function_alignment(&self) -> u64 {
        match self.code_alignment() {
            1 => FUNCTION_ALIGNMENT,
            word => word,
        }
    }

    /// How its code lies if it is confined, where it can be.
    fn bundles(&self) -> Option<Bundles> {
        None
    }

    /// The code of a function that confined code calls, if there is one.
    fn confined_helper(&self, _helper: Libcall) -> Option<Vec<u8>> {
        None
    }

    /// What jump tables of native programs hold.
    fn table_entries(&self, _relocation: RelocationModel) -> TableEntries {
        TableEntries::Absolute
    }

    /// What jump tables of PNaCl programs hold.
    fn pnacl_table_entries(&self) -> TableEntries {
        TableEntries::Absolute
    }

    /// The sections of an object that say what its code needs.
    fn attributes(&self, _features: Features) -> Vec<Attributes> {
        Vec::new()
    }

    /// What the object says of its code to those who run programs, in [`PROPERTY_NOTE`]; nothing if empty.
    fn property_note(&self, _hardening: &Hardening) -> Vec<u8> {
        Vec::new()
    }

    /// What stands in front of a function with this type word, as many bytes as it is aligned to, 16 at least.
    fn type_prefix(&self, word: u32, alignment: u64) -> Vec<u8> {
        let mut prefix = vec![0; alignment as usize - 4];
        prefix.extend(word.to_le_bytes());
        prefix
    }

    /// What stands in front of a function that is aligned to so many bytes: as many bytes as it is aligned to with them, 16 at
    /// least. Nothing if no call looks for its type.
    fn function_prefix(&self, traits: &FunctionTraits, alignment: u64) -> Option<Vec<u8>> {
        let alignment = alignment.max(FUNCTION_ALIGNMENT);
        match (traits.type_word, traits.signature_words) {
            (None, None) => None,
            (Some(word), _) => Some(self.type_prefix(word, alignment)),
            (None, Some(words)) => {
                let mut prefix = vec![0; alignment as usize - 8];
                words.iter().for_each(|word| prefix.extend(word.to_le_bytes()));
                Some(prefix)
            }
        }
    }

    /// The symbols by which its objects tell code from data.
    fn mapping_symbols(&self) -> Option<MappingSymbols> {
        None
    }

    /// What assembler text for the machine has of its own.
    #[cfg(feature = "text")]
    fn assembly(&self, features: Features, relocation: RelocationModel) -> Assembly;

    /// What programs of the machine are linked and run with; `host` is the machine that does it.
    #[cfg(feature = "cli")]
    fn tools(&self, features: Features, host: Option<Arch>) -> Tools;

    /// Whether the processor and the kernel of this host run its programs without help.
    #[cfg(feature = "cli")]
    fn is_native_on(&self, host: Arch) -> bool {
        host == self.arch()
    }

    /// Whether this build has a back end for the machine.
    fn is_built_in(&self) -> bool {
        false
    }

    /// The back end for the functions of a module. Code is confined only where the machine has [bundles](Self::bundles).
    ///
    /// # Errors
    /// The build has none, or the module is for another machine.
    fn back_end(
        &self,
        _module: &Module,
        _native: NativeModel,
        _features: Features,
        _confinement: Confinement,
    ) -> Result<Box<dyn BackEnd>, Error> {
        Err(Error::TargetNotBuiltIn(self.arch()))
    }
}

/// Why a `--target` was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownTarget(pub String);

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Arch::built_in_names();
        write!(f, "unknown target '{}'; there are {names} and Linux target triples of these", self.0)
    }
}

impl std::error::Error for UnknownTarget {}

impl Arch {
    /// Every machine.
    pub const ALL: [Arch; 5] = [Arch::X86_32, Arch::X86_64, Arch::Arm32, Arch::Mips32, Arch::Aarch64];

    /// What is known of it.
    pub fn machine(self) -> &'static dyn Machine {
        match self {
            Arch::X86_32 => &x86::I686,
            Arch::X86_64 => &x86::X86_64,
            Arch::Arm32 => &arm32::Arm32,
            Arch::Mips32 => &mips32::Mips32,
            Arch::Aarch64 => &aarch64::Aarch64,
        }
    }

    /// The short name, as printed and accepted.
    pub fn name(self) -> &'static str {
        self.machine().name()
    }

    /// A short name or a triple such as `i686-unknown-linux-gnu`.
    ///
    /// # Errors
    /// Anything that is not one of the machines under Linux.
    pub fn parse(text: &str) -> Result<Arch, UnknownTarget> {
        let unknown = || UnknownTarget(text.to_owned());
        if let Some(arch) = Arch::ALL.into_iter().find(|arch| arch.name() == text) {
            return Ok(arch);
        }
        let triple: Triple = in_arm_state(text).parse().map_err(|_| unknown())?;
        match triple.operating_system {
            OperatingSystem::Linux | OperatingSystem::Unknown | OperatingSystem::None_ => {}
            _ => return Err(unknown()),
        }
        Arch::from_architecture(triple.architecture).ok_or_else(unknown)
    }

    /// The machine of a triple, whatever is behind its name. Thumb is a state of the machine that ARM is.
    pub fn of_any_system(triple: &str) -> Option<Arch> {
        let name = triple.split('-').next().unwrap_or_default();
        Arch::from_architecture(in_arm_state(name).parse().ok()?)
    }

    fn from_architecture(architecture: Architecture) -> Option<Arch> {
        Arch::ALL.into_iter().find(|arch| arch.machine().is_named(architecture))
    }

    /// The machine that this program was built for, if it is one of them.
    pub fn host() -> Option<Arch> {
        Arch::from_architecture(Triple::host().architecture)
    }

    /// Those that this build has a back end for.
    pub fn built_in() -> impl Iterator<Item = Arch> {
        Arch::ALL.into_iter().filter(|arch| arch.machine().is_built_in())
    }

    /// Their names, for messages.
    pub fn built_in_names() -> String {
        Arch::built_in().map(Arch::name).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A triple, or the first part of one, with ARM in place of Thumb.
fn in_arm_state(triple: &str) -> Cow<'_, str> {
    match triple.strip_prefix("thumb") {
        Some(behind) => Cow::Owned(format!("arm{behind}")),
        None => Cow::Borrowed(triple),
    }
}

/// How LLVM bitcode with this triple is legalised to be looked at: as its machine has it, or as any machine that is
/// not known.
#[cfg(feature = "llvm")]
pub fn legalization_of_triple(triple: &str) -> &'static MachineDescription {
    match Arch::of_any_system(triple).map(Arch::machine) {
        Some(machine) => machine.legalization(machine.features_of_triple(triple)),
        None => &MachineDescription::PORTABLE,
    }
}

/// The error of a back end for a module with addresses of another width.
#[cfg_attr(
    not(any(feature = "x86", feature = "aarch64", feature = "arm32", feature = "mips32")),
    expect(dead_code, reason = "there is no back end")
)]
fn foreign(arch: Arch) -> impl Fn(ice_codegen::ForeignModule) -> Error {
    move |ice_codegen::ForeignModule { pointer }| Error::PointerWidth { arch, pointer }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_and_triples() {
        for (text, arch) in [
            ("i686", Arch::X86_32),
            ("i386-unknown-linux-gnu", Arch::X86_32),
            ("i686-linux-gnu", Arch::X86_32),
            ("x86_64", Arch::X86_64),
            ("x86_64-unknown-linux-musl", Arch::X86_64),
            ("armv7", Arch::Arm32),
            ("armv7-unknown-linux-gnueabihf", Arch::Arm32),
            ("arm-linux-gnueabihf", Arch::Arm32),
            ("armv8-linux-gnueabihf", Arch::Arm32),
            ("thumbv7-unknown-linux-gnueabihf", Arch::Arm32),
            ("thumbv7a-linux-gnueabihf", Arch::Arm32),
            ("mipsel", Arch::Mips32),
            ("mipsel-linux-gnu", Arch::Mips32),
            ("aarch64", Arch::Aarch64),
            ("arm64", Arch::Aarch64),
            ("aarch64-linux-gnu", Arch::Aarch64),
            ("aarch64-unknown-linux-musl", Arch::Aarch64),
            ("arm64-unknown-linux-gnu", Arch::Aarch64),
        ] {
            assert_eq!(Arch::parse(text), Ok(arch), "{text}");
        }
        for text in [
            "armv6-linux-gnueabihf",
            "armv4t-linux-gnueabi",
            "thumbv7m-linux-gnueabi",
            "thumbv7em-linux-gnueabihf",
        ] {
            assert!(Arch::parse(text).is_err() && Arch::of_any_system(text).is_none(), "{text}");
        }
        assert!(Arch::parse("mipsisa32r6el-linux-gnu").is_err());
        for text in [
            "",
            "i687x",
            "mips-linux-gnu",
            "x86_64-pc-windows-msvc",
            "aarch64_be-linux-gnu",
            "arm64-apple-macosx",
        ] {
            assert!(Arch::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_unknown_target_names_the_known_ones() {
        let message = Arch::parse("vax").unwrap_err().to_string();
        assert!(
            message.contains("'vax'")
                && message.contains(&format!("there are {} and", Arch::built_in_names())),
            "{message}"
        );
    }

    #[test]
    fn a_machine_knows_which_it_is() {
        for arch in Arch::ALL {
            assert_eq!(arch.machine().arch(), arch);
            assert!(arch.machine().switches().iter().all(|switch| !switch.names.is_empty()));
        }
    }
}

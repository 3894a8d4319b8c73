//! Sections and groups: what a client asks for, and the state kept until the section headers are written.
//!
//! A section is either *streamed*, when its bytes went to the sink as they came (code), or *kept*, when they
//! wait in memory for the end of the file (everything else), or it has no bytes (`.bss`).
use alloc::vec::Vec;
use core::fmt;

use object::elf;

use crate::format::Format;
use crate::relocation::Records;
use crate::{Error, SymbolId};

/// The largest alignment accepted, in bytes: what PNaCl bitcode and earlier LLVM bitcode can express.
pub const MAX_ALIGNMENT: u64 = 1 << 29;

/// Number of a section in one writer, in order of creation. Not its index in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionId(u32);

/// Number of a section group in one writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(u32);

macro_rules! section_number {
    ($name:ident, $prefix:literal) => {
        impl $name {
            /// The number.
            pub const fn as_u32(self) -> u32 {
                self.0
            }

            pub(crate) const fn from_u32(number: u32) -> $name {
                $name(number)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}
section_number!(SectionId, "section");
section_number!(GroupId, "group");

/// What a linker does with groups of the same signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Keep one of them (COMDAT).
    Comdat,
    /// Keep all; the members of each live and die together.
    Plain,
}

/// A section to create.
#[derive(Clone, Copy, Debug)]
pub struct SectionSpec<'a> {
    /// Name. Names may repeat.
    pub name: &'a [u8],
    /// `sh_type`, one of [`elf`]`::SHT_*`.
    pub sh_type: u32,
    /// `sh_flags`, of [`elf`]`::SHF_*`. The writer adds `SHF_GROUP`.
    pub sh_flags: u64,
    /// `sh_entsize` in bytes, 0 if there is none.
    pub entry_size: u64,
    /// Smallest alignment in bytes, a power of two; contents may raise it.
    pub alignment: u64,
    /// The group it belongs to.
    pub group: Option<GroupId>,
    /// The section it describes, with `SHF_LINK_ORDER` (ARM `.ARM.exidx`).
    pub link: Option<SectionId>,
    /// `sh_addr`: where its bytes are in a process already, for debuggers; 0 for linkers.
    pub address: u64,
}

impl<'a> SectionSpec<'a> {
    /// A section of alignment 1 with no entries, group or link.
    pub const fn new(name: &'a [u8], sh_type: u32, sh_flags: u64) -> SectionSpec<'a> {
        SectionSpec {
            name,
            sh_type,
            sh_flags,
            entry_size: 0,
            alignment: 1,
            group: None,
            link: None,
            address: 0,
        }
    }
}

/// The sections that compilers use all the time. Each exists at most once and only when asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardSection {
    /// `.text`, code.
    Text,
    /// `.rodata`, constants and jump tables.
    Rodata,
    /// `.rodata.cst4`, constants of 4 bytes that the linker may merge.
    RodataCst4,
    /// `.rodata.cst8`, of 8 bytes.
    RodataCst8,
    /// `.rodata.cst16`, of 16 bytes.
    RodataCst16,
    /// `.data`, initialised data.
    Data,
    /// `.data.rel.ro`, constants that need relocation when a position-independent program starts.
    DataRelRo,
    /// `.bss`, zeros.
    Bss,
    /// `.tdata`, initialised thread-local data.
    Tdata,
    /// `.tbss`, thread-local zeros.
    Tbss,
    /// `.init_array`, addresses of functions to call at start.
    InitArray,
    /// `.fini_array`, addresses of functions to call at exit.
    FiniArray,
}

impl StandardSection {
    pub(crate) const COUNT: usize = 12;

    pub(crate) fn spec(self, format: Format) -> SectionSpec<'static> {
        use elf::{SHT_FINI_ARRAY, SHT_INIT_ARRAY, SHT_NOBITS, SHT_PROGBITS};
        const A: u64 = elf::SHF_ALLOC as u64;
        const W: u64 = elf::SHF_WRITE as u64;
        const X: u64 = elf::SHF_EXECINSTR as u64;
        const M: u64 = elf::SHF_MERGE as u64;
        const T: u64 = elf::SHF_TLS as u64;
        let pointer = format.word_size();
        let (name, sh_type, sh_flags, entry_size, alignment): (&[u8], _, _, _, _) = match self {
            StandardSection::Text => (b".text", SHT_PROGBITS, A | X, 0, 1),
            StandardSection::Rodata => (b".rodata", SHT_PROGBITS, A, 0, 1),
            StandardSection::RodataCst4 => (b".rodata.cst4", SHT_PROGBITS, A | M, 4, 4),
            StandardSection::RodataCst8 => (b".rodata.cst8", SHT_PROGBITS, A | M, 8, 8),
            StandardSection::RodataCst16 => (b".rodata.cst16", SHT_PROGBITS, A | M, 16, 16),
            StandardSection::Data => (b".data", SHT_PROGBITS, A | W, 0, 1),
            StandardSection::DataRelRo => (b".data.rel.ro", SHT_PROGBITS, A | W, 0, 1),
            StandardSection::Bss => (b".bss", SHT_NOBITS, A | W, 0, 1),
            StandardSection::Tdata => (b".tdata", SHT_PROGBITS, A | W | T, 0, 1),
            StandardSection::Tbss => (b".tbss", SHT_NOBITS, A | W | T, 0, 1),
            StandardSection::InitArray => (b".init_array", SHT_INIT_ARRAY, A | W, pointer, pointer),
            StandardSection::FiniArray => (b".fini_array", SHT_FINI_ARRAY, A | W, pointer, pointer),
        };
        SectionSpec { entry_size, alignment, ..SectionSpec::new(name, sh_type, sh_flags) }
    }
}

/// Where the bytes of a section are.
pub(crate) enum Contents {
    /// In the file, from this offset on; 0 before the first byte.
    Streamed(u64),
    /// Here until the end.
    Kept(Vec<u8>),
    /// Nowhere.
    None,
}

/// A section as the writer keeps it.
pub(crate) struct Section {
    /// Range of its name in the arena of section names.
    pub(crate) name: (u32, u32),
    pub(crate) sh_type: u32,
    pub(crate) sh_flags: u64,
    pub(crate) entry_size: u64,
    /// The largest alignment of its contents so far.
    pub(crate) alignment: u64,
    pub(crate) size: u64,
    pub(crate) contents: Contents,
    pub(crate) relocations: Records,
    /// Its section symbol; 0 if none was needed so far.
    pub(crate) symbol: u32,
    pub(crate) group: Option<GroupId>,
    pub(crate) link: Option<SectionId>,
    pub(crate) address: u64,
    /// Index in the section header table, set at the end.
    pub(crate) index: u32,
}

/// A group as the writer keeps it.
pub(crate) struct Group {
    pub(crate) signature: SymbolId,
    pub(crate) kind: GroupKind,
    pub(crate) members: Vec<SectionId>,
}

/// `alignment` if it is a power of two not above [`MAX_ALIGNMENT`].
pub(crate) fn check_alignment(alignment: u64) -> Result<u64, Error> {
    if alignment.is_power_of_two() && alignment <= MAX_ALIGNMENT {
        Ok(alignment)
    } else {
        Err(Error::BadAlignment { alignment })
    }
}

/// Bytes from `offset` to the next multiple of `alignment`, a power of two.
pub(crate) fn padding(offset: u64, alignment: u64) -> u64 {
    offset.wrapping_neg() & (alignment - 1)
}

//! The ELF records, in the two classes, from the raw definitions of `object::elf`.
//!
//! A [`Format`] says which class, machine and relocation records an object has. The functions here turn plain
//! numbers, already checked against [`Format::max_offset`], into the bytes of one record. Layouts: System V
//! ABI, chapter 4 "Object Files". Everything is little-endian.
use alloc::vec::Vec;

use object::LittleEndian as LE;
use object::elf::{
    self, FileHeader32, FileHeader64, Ident, ProgramHeader32, ProgramHeader64, SectionHeader32,
    SectionHeader64, Sym32, Sym64,
};
use object::endian::{U16, U32, U64};
use object::pod::bytes_of;

/// Width of addresses and offsets in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 32-bit fields.
    Elf32,
    /// 64-bit fields.
    Elf64,
}

/// Where relocation records have their addends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// In the relocated field; sections are called `.rel…`.
    Rel,
    /// In the record; sections are called `.rela…`.
    Rela,
}

/// The kind of object: class, machine, flags and relocation records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Width of the file's fields.
    pub class: Class,
    /// Where addends are.
    pub records: RecordKind,
    /// `e_machine`, one of `object::elf::EM_*`.
    pub machine: u16,
    /// `e_flags`, defined by the machine's supplement of the ABI.
    pub flags: u32,
}

impl Format {
    /// i386: ELF32, REL.
    pub const X86_32: Format =
        Format { class: Class::Elf32, records: RecordKind::Rel, machine: elf::EM_386, flags: 0 };
    /// x86-64: ELF64, RELA.
    pub const X86_64: Format =
        Format { class: Class::Elf64, records: RecordKind::Rela, machine: elf::EM_X86_64, flags: 0 };
    /// x86-64 with 32-bit pointers (x32 ABI): ELF32, RELA.
    pub const X32: Format =
        Format { class: Class::Elf32, records: RecordKind::Rela, machine: elf::EM_X86_64, flags: 0 };

    /// AArch64: ELF64, RELA.
    pub const AARCH64: Format =
        Format { class: Class::Elf64, records: RecordKind::Rela, machine: elf::EM_AARCH64, flags: 0 };

    /// 32-bit ARM: ELF32, REL; `flags` such as `EF_ARM_EABI_VER5`.
    pub const fn arm(flags: u32) -> Format {
        Format { class: Class::Elf32, records: RecordKind::Rel, machine: elf::EM_ARM, flags }
    }

    /// 32-bit MIPS, little-endian: ELF32, REL; `flags` such as `EF_MIPS_ARCH_32R2 | EF_MIPS_ABI_O32`.
    pub const fn mips(flags: u32) -> Format {
        Format { class: Class::Elf32, records: RecordKind::Rel, machine: elf::EM_MIPS, flags }
    }

    /// 64-bit MIPS splits `r_info` in its own way, which nothing here knows.
    pub(crate) fn is_supported(self) -> bool {
        !(self.machine == elf::EM_MIPS && self.class == Class::Elf64)
    }

    /// The largest offset or size that a field holds. ELF64 keeps the sign bit free so that sums cannot wrap.
    pub(crate) const fn max_offset(self) -> u64 {
        match self.class {
            Class::Elf32 => u32::MAX as u64,
            Class::Elf64 => i64::MAX as u64,
        }
    }

    /// The largest number of a symbol in a relocation record.
    pub(crate) const fn max_symbol(self) -> u32 {
        match self.class {
            Class::Elf32 => 0xff_ffff,
            Class::Elf64 => u32::MAX - 1,
        }
    }

    /// Alignment in bytes of tables made of the class's words.
    pub(crate) const fn word_size(self) -> u64 {
        match self.class {
            Class::Elf32 => 4,
            Class::Elf64 => 8,
        }
    }

    /// Bytes of the file header.
    pub(crate) const fn header_size(self) -> usize {
        match self.class {
            Class::Elf32 => size_of::<FileHeader32<LE>>(),
            Class::Elf64 => size_of::<FileHeader64<LE>>(),
        }
    }

    /// Bytes of a section header.
    pub(crate) const fn section_header_size(self) -> usize {
        match self.class {
            Class::Elf32 => size_of::<SectionHeader32<LE>>(),
            Class::Elf64 => size_of::<SectionHeader64<LE>>(),
        }
    }

    /// Bytes of a symbol.
    pub(crate) const fn symbol_size(self) -> usize {
        match self.class {
            Class::Elf32 => size_of::<Sym32<LE>>(),
            Class::Elf64 => size_of::<Sym64<LE>>(),
        }
    }

    /// Bytes of a relocation record.
    pub(crate) const fn relocation_size(self) -> usize {
        match (self.class, self.records) {
            (Class::Elf32, RecordKind::Rel) => size_of::<elf::Rel32<LE>>(),
            (Class::Elf32, RecordKind::Rela) => size_of::<elf::Rela32<LE>>(),
            (Class::Elf64, RecordKind::Rel) => size_of::<elf::Rel64<LE>>(),
            (Class::Elf64, RecordKind::Rela) => size_of::<elf::Rela64<LE>>(),
        }
    }
}

/// What varies in the file header of a relocatable object.
pub(crate) struct FileHeader {
    /// File offset of the section headers.
    pub(crate) section_headers: u64,
    /// Number of section headers.
    pub(crate) section_count: u32,
    /// Number of the section with the section names.
    pub(crate) names_section: u32,
    /// `EI_OSABI` and `EI_ABIVERSION`.
    pub(crate) abi: (u8, u8),
    /// What executables have beside.
    pub(crate) program: Option<ProgramFields>,
}

/// What the file header of an executable says of it.
#[derive(Clone, Copy)]
pub(crate) struct ProgramFields {
    /// Where execution begins.
    pub(crate) entry: u64,
    /// Number of program headers, which stand right behind the file header.
    pub(crate) header_count: u16,
}

/// A program header, with fields wide enough for both classes.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProgramHeader {
    pub(crate) p_type: u32,
    pub(crate) flags: u32,
    pub(crate) offset: u64,
    pub(crate) address: u64,
    pub(crate) in_file: u64,
    pub(crate) in_memory: u64,
    pub(crate) alignment: u64,
}

/// A section header, with fields wide enough for both classes.
#[derive(Clone, Copy, Default)]
pub(crate) struct SectionHeader {
    pub(crate) name: u32,
    pub(crate) sh_type: u32,
    pub(crate) flags: u64,
    pub(crate) address: u64,
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) link: u32,
    pub(crate) info: u32,
    pub(crate) alignment: u64,
    pub(crate) entry_size: u64,
}

/// A symbol, with fields wide enough for both classes.
#[derive(Clone, Copy, Default)]
pub(crate) struct SymbolRecord {
    pub(crate) name: u32,
    pub(crate) info: u8,
    pub(crate) other: u8,
    pub(crate) shndx: u16,
    pub(crate) value: u64,
    pub(crate) size: u64,
}

fn u16le(value: u16) -> U16<LE> {
    U16::new(LE, value)
}

/// Values were checked against [`Format::max_offset`] before; in ELF32 they are below 2^32.
fn word(value: u64) -> U32<LE> {
    debug_assert!(value <= u64::from(u32::MAX));
    U32::new(LE, value as u32)
}

fn u64le(value: u64) -> U64<LE> {
    U64::new(LE, value)
}

impl FileHeader {
    /// Append the header to `out`. Numbers past the 16-bit fields stand in section header 0 instead.
    pub(crate) fn write(&self, format: Format, out: &mut Vec<u8>) {
        let small = |number: u32, escape: u16| match u16::try_from(number) {
            Ok(number) if number < elf::SHN_LORESERVE => number,
            _ => escape,
        };
        let (e_type, e_phoff, e_phentsize) = match self.program {
            Some(_) => (elf::ET_EXEC, format.header_size(), ProgramHeader::size(format.class)),
            None => (elf::ET_REL, 0, 0),
        };
        let none = ProgramFields { entry: 0, header_count: 0 };
        let ProgramFields { entry, header_count } = self.program.unwrap_or(none);
        let (os_abi, abi_version) = self.abi;
        let e_ident = Ident {
            magic: elf::ELFMAG,
            class: match format.class {
                Class::Elf32 => elf::ELFCLASS32,
                Class::Elf64 => elf::ELFCLASS64,
            },
            data: elf::ELFDATA2LSB,
            version: elf::EV_CURRENT,
            os_abi,
            abi_version,
            padding: [0; 7],
        };
        let e_type = u16le(e_type);
        let (e_phentsize, e_phnum) = (u16le(e_phentsize as u16), u16le(header_count));
        let e_machine = u16le(format.machine);
        let e_version = word(u64::from(elf::EV_CURRENT));
        let e_flags = word(u64::from(format.flags));
        let e_ehsize = u16le(format.header_size() as u16);
        let e_shentsize = u16le(format.section_header_size() as u16);
        let e_shnum = u16le(small(self.section_count, 0));
        let e_shstrndx = u16le(small(self.names_section, elf::SHN_XINDEX));
        match format.class {
            Class::Elf32 => out.extend_from_slice(bytes_of(&FileHeader32 {
                e_ident,
                e_type,
                e_machine,
                e_version,
                e_entry: word(entry),
                e_phoff: word(e_phoff as u64),
                e_shoff: word(self.section_headers),
                e_flags,
                e_ehsize,
                e_phentsize,
                e_phnum,
                e_shentsize,
                e_shnum,
                e_shstrndx,
            })),
            Class::Elf64 => out.extend_from_slice(bytes_of(&FileHeader64 {
                e_ident,
                e_type,
                e_machine,
                e_version,
                e_entry: u64le(entry),
                e_phoff: u64le(e_phoff as u64),
                e_shoff: u64le(self.section_headers),
                e_flags,
                e_ehsize,
                e_phentsize,
                e_phnum,
                e_shentsize,
                e_shnum,
                e_shstrndx,
            })),
        }
    }

    /// Section header 0: zero, but for the numbers that do not fit the file header.
    pub(crate) fn null_section(&self) -> SectionHeader {
        let reserve = u32::from(elf::SHN_LORESERVE);
        SectionHeader {
            size: if self.section_count >= reserve { u64::from(self.section_count) } else { 0 },
            link: if self.names_section >= reserve { self.names_section } else { 0 },
            ..SectionHeader::default()
        }
    }
}

impl ProgramHeader {
    /// Bytes of one in a file.
    pub(crate) const fn size(class: Class) -> usize {
        match class {
            Class::Elf32 => size_of::<ProgramHeader32<LE>>(),
            Class::Elf64 => size_of::<ProgramHeader64<LE>>(),
        }
    }

    /// Append the header to `out`.
    pub(crate) fn write(&self, class: Class, out: &mut Vec<u8>) {
        let (p_type, p_flags) = (word(self.p_type.into()), word(self.flags.into()));
        match class {
            Class::Elf32 => out.extend_from_slice(bytes_of(&ProgramHeader32 {
                p_type,
                p_offset: word(self.offset),
                p_vaddr: word(self.address),
                p_paddr: word(self.address),
                p_filesz: word(self.in_file),
                p_memsz: word(self.in_memory),
                p_flags,
                p_align: word(self.alignment),
            })),
            Class::Elf64 => out.extend_from_slice(bytes_of(&ProgramHeader64 {
                p_type,
                p_flags,
                p_offset: u64le(self.offset),
                p_vaddr: u64le(self.address),
                p_paddr: u64le(self.address),
                p_filesz: u64le(self.in_file),
                p_memsz: u64le(self.in_memory),
                p_align: u64le(self.alignment),
            })),
        }
    }
}

impl SectionHeader {
    /// Append the header to `out`.
    pub(crate) fn write(&self, format: Format, out: &mut Vec<u8>) {
        let sh_name = word(u64::from(self.name));
        let sh_type = word(u64::from(self.sh_type));
        let sh_link = word(u64::from(self.link));
        let sh_info = word(u64::from(self.info));
        match format.class {
            Class::Elf32 => out.extend_from_slice(bytes_of(&SectionHeader32 {
                sh_name,
                sh_type,
                sh_flags: word(self.flags),
                sh_addr: word(self.address),
                sh_offset: word(self.offset),
                sh_size: word(self.size),
                sh_link,
                sh_info,
                sh_addralign: word(self.alignment),
                sh_entsize: word(self.entry_size),
            })),
            Class::Elf64 => out.extend_from_slice(bytes_of(&SectionHeader64 {
                sh_name,
                sh_type,
                sh_flags: u64le(self.flags),
                sh_addr: u64le(self.address),
                sh_offset: u64le(self.offset),
                sh_size: u64le(self.size),
                sh_link,
                sh_info,
                sh_addralign: u64le(self.alignment),
                sh_entsize: u64le(self.entry_size),
            })),
        }
    }
}

impl SymbolRecord {
    /// Append the symbol to `out`.
    pub(crate) fn write(&self, format: Format, out: &mut Vec<u8>) {
        let st_name = word(u64::from(self.name));
        let st_shndx = u16le(self.shndx);
        match format.class {
            Class::Elf32 => out.extend_from_slice(bytes_of(&Sym32 {
                st_name,
                st_value: word(self.value),
                st_size: word(self.size),
                st_info: self.info,
                st_other: self.other,
                st_shndx,
            })),
            Class::Elf64 => out.extend_from_slice(bytes_of(&Sym64 {
                st_name,
                st_info: self.info,
                st_other: self.other,
                st_shndx,
                st_value: u64le(self.value),
                st_size: u64le(self.size),
            })),
        }
    }
}

//! The file of an executable: header, program headers, segments, and section headers for tools.

use crate::format::{Class, Format, RecordKind, SectionHeader};
use crate::link::Layout;
use alloc::vec::Vec;
use object::LittleEndian as LE;
use object::elf;

/// A program header, with fields wide enough for both classes.
struct ProgramHeader {
    p_type: u32,
    flags: u32,
    offset: u64,
    address: u64,
    in_file: u64,
    in_memory: u64,
    alignment: u64,
}

/// The names of the sections, in the order of segments; the last is that of their names.
const NAMES: &[u8] = b"\0.text\0.rodata\0.data\0.bss\0.shstrtab\0";
/// Where each name is.
const NAME_OFFSETS: [u32; 5] = [1, 7, 15, 21, 26];

/// The file with three segments: address, bytes, and zeros behind them. `None` if it is too large for its class. The
/// text is there even if it is empty.
pub(crate) fn write(
    class: Class,
    machine: u16,
    layout: &Layout,
    entry: u64,
    segments: &[(u64, &[u8], u64); 3],
) -> Option<Vec<u8>> {
    const RIGHTS: [u32; 3] = [elf::PF_R | elf::PF_X, elf::PF_R, elf::PF_R | elf::PF_W];
    let format = Format { class, records: RecordKind::Rela, machine, flags: 0 };
    let mut headers = Vec::new();
    let mut loads = Vec::new();
    let mut sections = Vec::new();
    sections.push(SectionHeader::default());
    let mut end = layout.page;
    for (n, &(address, bytes, zeros)) in segments.iter().enumerate() {
        let (in_file, in_memory) = (bytes.len() as u64, bytes.len() as u64 + zeros);
        if in_memory == 0 && n != 0 {
            continue;
        }
        let offset = end.next_multiple_of(layout.page);
        end = offset + in_file;
        let (p_type, flags, alignment) = (elf::PT_LOAD, RIGHTS[n], layout.page);
        headers.push(ProgramHeader { p_type, flags, offset, address, in_file, in_memory, alignment });
        loads.push((offset, bytes));
        let flags = [elf::SHF_EXECINSTR, 0, elf::SHF_WRITE][n] | elf::SHF_ALLOC;
        let section =
            SectionHeader { flags: flags.into(), address, alignment: 32, ..SectionHeader::default() };
        let (name, sh_type) = (NAME_OFFSETS[n], elf::SHT_PROGBITS);
        sections.push(SectionHeader { name, sh_type, offset, size: in_file, ..section });
        if zeros != 0 {
            let (name, sh_type, address) = (NAME_OFFSETS[3], elf::SHT_NOBITS, address + in_file);
            sections.push(SectionHeader {
                name,
                sh_type,
                offset: end,
                size: zeros,
                address,
                alignment: 1,
                ..section
            });
        }
    }
    let stack =
        ProgramHeader { p_type: elf::PT_GNU_STACK, flags: elf::PF_R | elf::PF_W, ..ProgramHeader::NONE };
    headers.push(stack);
    let (names, size) = (end, NAMES.len() as u64);
    let (name, sh_type) = (NAME_OFFSETS[4], elf::SHT_STRTAB);
    sections.push(SectionHeader {
        name,
        sh_type,
        offset: names,
        size,
        alignment: 1,
        ..SectionHeader::default()
    });
    let table = (names + size).next_multiple_of(8);
    let mut out = Vec::new();
    write_header(format, layout, entry, &headers, (table, sections.len() as u16), &mut out);
    headers.iter().for_each(|header| header.write(class, &mut out));
    for (offset, bytes) in loads {
        out.resize(usize::try_from(offset).ok()?, 0);
        out.extend_from_slice(bytes);
    }
    out.extend_from_slice(NAMES);
    out.resize(usize::try_from(table).ok()?, 0);
    sections.iter().for_each(|section| section.write(format, &mut out));
    (out.len() as u64 <= format.max_offset()).then_some(out)
}

fn u16le(value: u16) -> object::endian::U16<LE> {
    object::endian::U16::new(LE, value)
}

fn u32le(value: u64) -> object::endian::U32<LE> {
    object::endian::U32::new(LE, value as u32)
}

fn u64le(value: u64) -> object::endian::U64<LE> {
    object::endian::U64::new(LE, value)
}

fn write_header(
    format: Format,
    layout: &Layout,
    entry: u64,
    headers: &[ProgramHeader],
    (sections, count): (u64, u16),
    out: &mut Vec<u8>,
) {
    let header = elf::FileHeader64 {
        e_ident: elf::Ident {
            magic: elf::ELFMAG,
            class: match format.class {
                Class::Elf32 => elf::ELFCLASS32,
                Class::Elf64 => elf::ELFCLASS64,
            },
            data: elf::ELFDATA2LSB,
            version: elf::EV_CURRENT,
            os_abi: layout.abi.0,
            abi_version: layout.abi.1,
            padding: [0; 7],
        },
        e_type: u16le(elf::ET_EXEC),
        e_machine: u16le(format.machine),
        e_version: u32le(elf::EV_CURRENT.into()),
        e_entry: u64le(entry),
        e_phoff: u64le(format.header_size() as u64),
        e_shoff: u64le(sections),
        e_flags: u32le(format.flags.into()),
        e_ehsize: u16le(format.header_size() as u16),
        e_phentsize: u16le(ProgramHeader::size(format.class) as u16),
        e_phnum: u16le(headers.len() as u16),
        e_shentsize: u16le(format.section_header_size() as u16),
        e_shnum: u16le(count),
        e_shstrndx: u16le(count - 1),
    };
    match format.class {
        Class::Elf64 => out.extend_from_slice(object::pod::bytes_of(&header)),
        Class::Elf32 => out.extend_from_slice(object::pod::bytes_of(&elf::FileHeader32 {
            e_ident: header.e_ident,
            e_type: header.e_type,
            e_machine: header.e_machine,
            e_version: header.e_version,
            e_entry: u32le(entry),
            e_phoff: u32le(format.header_size() as u64),
            e_shoff: u32le(sections),
            e_flags: header.e_flags,
            e_ehsize: header.e_ehsize,
            e_phentsize: header.e_phentsize,
            e_phnum: header.e_phnum,
            e_shentsize: header.e_shentsize,
            e_shnum: header.e_shnum,
            e_shstrndx: header.e_shstrndx,
        })),
    }
}

impl ProgramHeader {
    const NONE: ProgramHeader =
        ProgramHeader { p_type: 0, flags: 0, offset: 0, address: 0, in_file: 0, in_memory: 0, alignment: 0 };

    const fn size(class: Class) -> usize {
        match class {
            Class::Elf32 => size_of::<elf::ProgramHeader32<LE>>(),
            Class::Elf64 => size_of::<elf::ProgramHeader64<LE>>(),
        }
    }

    fn write(&self, class: Class, out: &mut Vec<u8>) {
        let (p_type, p_flags) = (u32le(self.p_type.into()), u32le(self.flags.into()));
        match class {
            Class::Elf32 => out.extend_from_slice(object::pod::bytes_of(&elf::ProgramHeader32 {
                p_type,
                p_offset: u32le(self.offset),
                p_vaddr: u32le(self.address),
                p_paddr: u32le(self.address),
                p_filesz: u32le(self.in_file),
                p_memsz: u32le(self.in_memory),
                p_flags,
                p_align: u32le(self.alignment),
            })),
            Class::Elf64 => out.extend_from_slice(object::pod::bytes_of(&elf::ProgramHeader64 {
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

//! The file of an executable: header, program headers, segments, and section headers for tools.

use crate::format::{Class, FileHeader, Format, ProgramFields, ProgramHeader, RecordKind, SectionHeader};
use crate::link::Layout;
use alloc::vec::Vec;
use object::elf;

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
    let flags = match machine {
        elf::EM_ARM => elf::EF_ARM_EABI_VER5,
        elf::EM_MIPS => elf::EF_MIPS_ARCH_32R2 | elf::EF_MIPS_ABI_O32 | elf::EF_MIPS_NOREORDER,
        _ => 0,
    };
    let format = Format { class, records: RecordKind::Rela, machine, flags };
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
        ProgramHeader { p_type: elf::PT_GNU_STACK, flags: elf::PF_R | elf::PF_W, ..ProgramHeader::default() };
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
    let bytes = table + (sections.len() * format.section_header_size()) as u64;
    if bytes > format.max_offset() {
        return None;
    }
    let mut out = Vec::new();
    let count = sections.len() as u32;
    let program = ProgramFields { entry, header_count: headers.len() as u16 };
    let header = FileHeader {
        section_headers: table,
        section_count: count,
        names_section: count - 1,
        abi: layout.abi,
        program: Some(program),
    };
    header.write(format, &mut out);
    headers.iter().for_each(|header| header.write(class, &mut out));
    for (offset, bytes) in loads {
        out.resize(usize::try_from(offset).ok()?, 0);
        out.extend_from_slice(bytes);
    }
    out.extend_from_slice(NAMES);
    out.resize(usize::try_from(table).ok()?, 0);
    sections.iter().for_each(|section| section.write(format, &mut out));
    Some(out)
}

//! What is written reads back, with the reader of the `object` crate, as what was said.
use crate::common;

use std::collections::BTreeMap;

use common::{Assembly, Scratch, have, readelf, relocation, run};
use ice_elf::{
    AddendPlacement, Binding, Class, Code, CodeSection, Format, GroupKind, ObjectWriter, Options, RecordKind,
    SectionSpec, StackNote, StandardSection, SymbolKind, Target, TextLayout, Visibility,
};
use object::elf;
use object::read::elf::{ElfFile, FileHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationFlags, SymbolFlags};

const PLAIN: Visibility = Visibility::Default;

/// An object with something of everything, for any format.
fn everything(format: Format) -> Vec<u8> {
    let options = Options { code_fill: [1, 2, 3, 4], ..Options::new(format) };
    let mut w = ObjectWriter::new(Vec::new(), options).unwrap();
    let global = w.declare_symbol(b"global", Binding::Global, SymbolKind::Func, PLAIN).unwrap();
    let local = w.declare_symbol(b"local \xff\x01", Binding::Local, SymbolKind::Func, PLAIN).unwrap();
    let undefined = w.declare_symbol(b"undefined", Binding::Global, SymbolKind::Func, PLAIN).unwrap();
    let hidden = w.declare_symbol(b"hidden", Binding::Weak, SymbolKind::Object, Visibility::Hidden).unwrap();
    w.declare_symbol(b"unused", Binding::Global, SymbolKind::Func, PLAIN).unwrap();
    w.declare_symbol(b"unused local", Binding::Local, SymbolKind::NoType, PLAIN).unwrap();

    let rodata = w.standard_section(StandardSection::Rodata).unwrap();
    let mut a = Assembly::default();
    a.emit(&[9]).field(2, Target::Symbol(undefined), -4);
    a.field(1, Target::Section(rodata), 0x1234).field(1, Target::Symbol(local), 0);
    w.append_code(Code::new(global, &mut a.bytes), a.relocations).unwrap();
    assert_eq!(w.append_code(Code::new(local, &mut [7; 5]), []).unwrap().offset, 16);
    // Sections named here are kept, aligned with fill, and may have any name, even an empty or repeated one.
    let flags = u64::from(elf::SHF_ALLOC | elf::SHF_EXECINSTR);
    let cold = w.create_section(&SectionSpec::new(b".text", elf::SHT_PROGBITS, flags)).unwrap();
    for _ in 0..2 {
        let code = Code { symbol: None, bytes: &mut [8; 3], alignment: 8, section: CodeSection::In(cold) };
        w.append_code(code, []).unwrap();
    }
    w.append_data(rodata, 4, b"abc", []).unwrap();
    let at = w
        .append_data(
            rodata,
            64,
            &[5; 4],
            [relocation(0, 1, Target::Symbol(global), 3, AddendPlacement::Width4)],
        )
        .unwrap();
    w.define(hidden, rodata, at, 4).unwrap();
    w.append_zeros(rodata, 1, 2).unwrap();
    let bss = w.standard_section(StandardSection::Bss).unwrap();
    w.append_zeros(bss, 4096, 5000).unwrap();
    w.create_section(&SectionSpec::new(b"", elf::SHT_PROGBITS, 0)).unwrap();
    w.finish().unwrap()
}

/// Name, `st_info`, `st_other`, section, value, size.
type SymbolFields<'a> = (&'a [u8], u8, u8, usize, u64, u64);
type Records = Vec<(String, u64, u32, String, i64)>;

/// `(section, offset, type, symbol name or section number, addend in the record)` of every relocation.
fn relocations<H: FileHeader<Endian = LittleEndian>>(file: &ElfFile<'_, H>) -> Records {
    let mut records = Vec::new();
    for section in file.sections() {
        for (offset, relocation) in section.relocations() {
            let object::RelocationTarget::Symbol(index) = relocation.target() else {
                panic!("{relocation:?}")
            };
            let symbol = file.symbol_by_index(index).unwrap();
            let name = match symbol.section_index() {
                Some(section) if symbol.kind() == object::SymbolKind::Section => format!("section {section}"),
                _ => String::from_utf8_lossy(symbol.name_bytes().unwrap()).into_owned(),
            };
            let RelocationFlags::Elf { r_type } = relocation.flags() else { panic!("{relocation:?}") };
            records.push((section.name().unwrap().into(), offset, r_type, name, relocation.addend()));
        }
    }
    records
}

fn check<H: FileHeader<Endian = LittleEndian>>(format: Format) {
    let bytes = everything(format);
    assert_eq!(bytes, everything(format), "the same calls give the same bytes");
    let header = H::parse(&*bytes).unwrap();
    assert_eq!(header.e_flags(LittleEndian), format.flags);
    assert_eq!(header.e_machine(LittleEndian), format.machine);
    assert_eq!(header.e_type(LittleEndian), elf::ET_REL);
    let file = ElfFile::<H>::parse(&*bytes).unwrap();

    let mut sections = BTreeMap::new();
    for section in file.sections() {
        sections.insert((section.name().unwrap().to_string(), section.index().0), section);
    }
    let data = |name: &str, index: usize| sections[&(name.to_string(), index)].data().unwrap().to_vec();
    let rela = format.records == RecordKind::Rela;
    let field = |addend: u32| if rela { [0; 4] } else { addend.to_le_bytes() };
    // Header numbers: 1 .rodata, 2 its relocations, 3 .text, 4 its relocations, 5 the second .text, 6 .bss.
    let text = [&[9][..], &field(-4_i32 as u32), &field(0x1234), &field(0), &[2, 3, 4], &[7; 5]].concat();
    assert_eq!(data(".text", 3), text);
    assert_eq!(data(".text", 5), [8, 8, 8, 4, 1, 2, 3, 4, 8, 8, 8]);
    let mut rodata = b"abc".to_vec();
    rodata.resize(64, 0);
    rodata.extend_from_slice(&if rela { [5; 4] } else { field(3) });
    rodata.extend_from_slice(&[0; 2]);
    assert_eq!(data(".rodata", 1), rodata);
    assert_eq!(sections[&(".text".into(), 3)].align(), 16);
    assert_eq!(sections[&(".rodata".into(), 1)].align(), 64);
    let bss = &sections[&(".bss".into(), 6)];
    assert_eq!((bss.size(), bss.align(), bss.data().unwrap().len()), (5000, 4096, 0));
    assert_eq!(sections[&(".note.GNU-stack".into(), 8)].size(), 0);

    let addend = |value: i64| if rela { value } else { 0 };
    let expected: Records = [
        (".rodata", 64, 1, "global", addend(3)),
        (".text", 1, 2, "undefined", addend(-4)),
        (".text", 5, 1, "section 1", addend(0x1234)),
        (".text", 9, 1, "local \u{fffd}\u{1}", 0),
    ]
    .map(|(section, offset, r_type, symbol, addend)| (section.into(), offset, r_type, symbol.into(), addend))
    .into();
    assert_eq!(relocations(&file), expected);

    let mut symbols = Vec::new();
    for symbol in file.symbols() {
        let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else { panic!() };
        let place = symbol.section_index().map_or(0, |index| index.0);
        symbols.push((
            symbol.name_bytes().unwrap(),
            st_info,
            st_other,
            place,
            symbol.address(),
            symbol.size(),
        ));
    }
    let info = |bind: u8, kind: u8| bind << 4 | kind;
    // The section symbol has the name of its section, or none; the reader gives what the file has: none.
    let expected: [SymbolFields<'_>; 5] = [
        (b"local \xff\x01", info(elf::STB_LOCAL, elf::STT_FUNC), elf::STV_DEFAULT, 3, 16, 5),
        (b"", info(elf::STB_LOCAL, elf::STT_SECTION), elf::STV_DEFAULT, 1, 0, 0),
        (b"global", info(elf::STB_GLOBAL, elf::STT_FUNC), elf::STV_DEFAULT, 3, 0, 13),
        (b"undefined", info(elf::STB_GLOBAL, elf::STT_NOTYPE), elf::STV_DEFAULT, 0, 0, 0),
        (b"hidden", info(elf::STB_WEAK, elf::STT_OBJECT), elf::STV_HIDDEN, 1, 64, 4),
    ];
    assert_eq!(symbols, expected);

    if have(&["readelf"]) {
        let scratch =
            Scratch::new(&format!("everything-{:?}-{:?}-{}", format.class, format.records, format.machine));
        readelf(&scratch.write("everything.o", &bytes));
    }
}

#[test]
fn every_format_reads_back() {
    check::<elf::FileHeader32<LittleEndian>>(Format::X86_32);
    check::<elf::FileHeader32<LittleEndian>>(Format::X32);
    check::<elf::FileHeader64<LittleEndian>>(Format::X86_64);
    check::<elf::FileHeader32<LittleEndian>>(Format::arm(elf::EF_ARM_EABI_VER5));
    check::<elf::FileHeader32<LittleEndian>>(Format::mips(elf::EF_MIPS_ARCH_32R2 | elf::EF_MIPS_ABI_O32));
}

#[test]
fn an_object_of_nothing_is_valid() {
    for stack_note in [StackNote::NonExecutable, StackNote::Omit] {
        for format in [Format::X86_32, Format::X86_64] {
            let options = Options { stack_note, ..Options::new(format) };
            let bytes = ObjectWriter::new(Vec::new(), options).unwrap().finish().unwrap();
            let file = object::File::parse(&*bytes).unwrap();
            assert_eq!(file.symbols().count(), 0);
            assert_eq!(
                file.section_by_name(".note.GNU-stack").is_some(),
                stack_note == StackNote::NonExecutable
            );
        }
    }
}

#[test]
fn section_numbers_around_the_reserved_ones() {
    // With null, text sections, .symtab, .strtab and .shstrtab the counts are 0xfeff to 0xff02, and, with
    // .symtab_shndx, 0x10001.
    for functions in [0xfefb_u16, 0xfefc, 0xfefd, 0xfefe, 0xfffc] {
        let options = Options {
            text: TextLayout::PerFunction,
            stack_note: StackNote::Omit,
            ..Options::new(Format::X86_32)
        };
        let mut w = ObjectWriter::new(Vec::new(), options).unwrap();
        for number in 0..functions {
            let symbol = w
                .declare_symbol(format!("f{number}").as_bytes(), Binding::Local, SymbolKind::Func, PLAIN)
                .unwrap();
            w.append_code(Code::new(symbol, &mut [0xc3]), []).unwrap();
        }
        let bytes = w.finish().unwrap();
        let header = elf::FileHeader32::<LittleEndian>::parse(&*bytes).unwrap();
        let (count, names) = (u32::from(functions) + 4, functions.saturating_add(3));
        assert_eq!(u32::from(header.e_shnum(LittleEndian)), if count < 0xff00 { count } else { 0 });
        assert_eq!(header.e_shstrndx(LittleEndian), if names < 0xff00 { names } else { elf::SHN_XINDEX });
        let file = ElfFile::<elf::FileHeader32<LittleEndian>>::parse(&*bytes).unwrap();
        // Past the reserved numbers .symtab_shndx is needed only if a symbol lies there.
        assert_eq!(file.section_by_name(".symtab_shndx").is_some(), functions >= 0xff00);
        let last = file.symbols().last().unwrap();
        assert_eq!(last.section_index().unwrap().0, usize::from(functions));
        assert_eq!(file.section_by_index(last.section_index().unwrap()).unwrap().size(), 1);
    }
}

/// 70,000 functions in sections of their own, every tenth with a relocation to the next; a group at the end.
fn many_sections(format: Format) -> Vec<u8> {
    let options = Options { text: TextLayout::PerFunction, ..Options::new(format) };
    let mut w = ObjectWriter::new(Vec::new(), options).unwrap();
    let symbols: Vec<_> = (0..70_000)
        .map(|number| {
            let binding = if number % 2 == 0 { Binding::Local } else { Binding::Global };
            w.declare_symbol(format!("f{number}").as_bytes(), binding, SymbolKind::Func, PLAIN).unwrap()
        })
        .collect();
    let r_type = if format.class == Class::Elf64 { elf::R_X86_64_PC32 } else { elf::R_386_PC32 };
    for (number, &symbol) in symbols.iter().enumerate() {
        let next = symbols[(number + 1) % symbols.len()];
        let mut bytes = [0xe9, 0, 0, 0, 0];
        let jump = relocation(1, r_type, Target::Symbol(next), -4, AddendPlacement::Width4);
        // Nine of ten functions are a return without relocations: readelf reads all symbols anew for each
        // relocation section.
        if number % 10 != 0 {
            bytes[0] = 0xc3;
            w.append_code(Code::new(symbol, &mut bytes[..1]), []).unwrap();
        } else {
            w.append_code(Code::new(symbol, &mut bytes), [jump]).unwrap();
        }
    }
    let group = w.create_group(symbols[69_999], GroupKind::Plain).unwrap();
    let spec = SectionSpec::new(b".data.late", elf::SHT_PROGBITS, u64::from(elf::SHF_ALLOC | elf::SHF_WRITE));
    let late = w.create_section(&SectionSpec { group: Some(group), ..spec }).unwrap();
    let word = if format.class == Class::Elf64 { elf::R_X86_64_32 } else { elf::R_386_32 };
    let own = relocation(0, word, Target::Section(late), 0, AddendPlacement::Width4);
    w.append_data(late, 4, &[0; 4], [own]).unwrap();
    w.finish().unwrap()
}

fn check_many<H: FileHeader<Endian = LittleEndian>>(format: Format, test: &str, emulation: &str) {
    let bytes = many_sections(format);
    let header = H::parse(&*bytes).unwrap();
    assert_eq!(header.e_shnum(LittleEndian), 0);
    assert_eq!(header.e_shstrndx(LittleEndian), elf::SHN_XINDEX);
    let file = ElfFile::<H>::parse(&*bytes).unwrap();
    // Null, group, 70,000 sections, 7,000 with relocations, data with relocations, note, four tables.
    assert_eq!(file.elf_section_table().len(), 1 + 1 + 70_000 + 7_000 + 2 + 1 + 4);
    let mut seen = 0;
    for symbol in file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text) {
        let section = file.section_by_index(symbol.section_index().unwrap()).unwrap();
        assert_eq!(section.name().unwrap(), format!(".text.{}", symbol.name().unwrap()));
        assert_eq!(symbol.size(), section.size());
        seen += 1;
    }
    assert_eq!(seen, 70_000);
    let records = relocations(&file);
    assert_eq!(records.len(), 7_001);
    for (section, _, _, target, _) in &records[..7_000] {
        let number: u32 = section[".text.f".len()..].parse().unwrap();
        assert_eq!(*target, format!("f{}", (number + 1) % 70_000));
    }
    if have(&["readelf", "ld"]) {
        let scratch = Scratch::new(test);
        let object = scratch.write("many.o", &bytes);
        readelf(&object);
        let again = scratch.path("again.o");
        run("ld", &["-r", "-m", emulation, "-o", again.to_str().unwrap()], &[&object]);
        let again = std::fs::read(again).unwrap();
        assert_eq!(relocations(&ElfFile::<H>::parse(&*again).unwrap()).len(), 7_001);
    }
}

#[test]
fn seventy_thousand_sections_32() {
    check_many::<elf::FileHeader32<LittleEndian>>(Format::X86_32, "many-32", "elf_i386");
}

#[test]
fn seventy_thousand_sections_64() {
    check_many::<elf::FileHeader64<LittleEndian>>(Format::X86_64, "many-64", "elf_x86_64");
}

#[test]
fn unique_names_stand_beside_shared_ones() {
    let mut w = ObjectWriter::new(Vec::new(), Options::new(Format::X86_32)).unwrap();
    w.reserve_symbols(3, 1);
    let shared = w.declare_symbol(b"name", Binding::Global, SymbolKind::Func, PLAIN).unwrap();
    let own: Vec<_> = (0..2).map(|_| w.declare_unique_local(b"name", SymbolKind::Object).unwrap()).collect();
    let data = w.standard_section(StandardSection::Data).unwrap();
    assert_eq!(w.symbol_place(own[1]), Ok(None));
    w.append_data(data, 1, &[0; 9], []).unwrap();
    w.define(own[0], data, 1, 3).unwrap();
    w.define(own[1], data, 4, 5).unwrap();
    w.define_absolute(shared, 7).unwrap();
    let (place, size) = w.symbol_place(own[1]).unwrap().unwrap();
    assert_eq!((place.section, place.offset, size), (data, 4, 5));
    assert_eq!(w.symbol_place(shared), Ok(None));
    let bytes = w.finish().unwrap();
    let file = ElfFile::<elf::FileHeader32<LittleEndian>>::parse(&*bytes).unwrap();
    let symbols: Vec<_> =
        file.symbols().map(|s| (s.name().unwrap().to_owned(), s.address(), s.size())).collect();
    assert_eq!(symbols, [("name".into(), 1, 3), ("name".into(), 4, 5), ("name".into(), 7, 0)]);
}

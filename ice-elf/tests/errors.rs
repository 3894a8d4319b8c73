//! Everything that cannot be written is an error, found where it arises, and nothing wraps around.
use crate::common;

use common::relocation;
use ice_elf::{
    AddendPlacement, Binding, Code, CodeSection, Error, Format, ObjectWriter, Options, SectionSpec, Sink,
    SinkError, StandardSection, SymbolId, SymbolKind, Target, TextLayout, Visibility,
};
use object::elf;

const PLAIN: Visibility = Visibility::Default;
const WIDTH4: AddendPlacement = AddendPlacement::Width4;

fn writer(format: Format) -> ObjectWriter<Vec<u8>> {
    ObjectWriter::new(Vec::new(), Options::new(format)).unwrap()
}

fn local<S: Sink>(w: &mut ObjectWriter<S>) -> SymbolId {
    w.declare_symbol(b"local", Binding::Local, SymbolKind::Func, PLAIN).unwrap()
}

/// Counts bytes and refuses them past a limit.
struct Counter {
    count: u64,
    limit: u64,
}

impl Sink for Counter {
    fn append(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.count += bytes.len() as u64;
        if self.count > self.limit { Err(SinkError::Io { os_code: Some(28) }) } else { Ok(()) }
    }

    fn patch(&mut self, _: u64, _: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }
}

#[test]
fn unsupported_formats() {
    let mips64 = Format { machine: elf::EM_MIPS, ..Format::X86_64 };
    let result = ObjectWriter::new(Vec::new(), Options::new(mips64));
    assert_eq!(result.err(), Some(Error::UnsupportedFormat));
}

#[test]
fn names_and_numbers() {
    let mut w = writer(Format::X86_64);
    let symbol = local(&mut w);
    let nul = w.declare_symbol(b"ab\0", Binding::Local, SymbolKind::Func, PLAIN);
    assert_eq!(nul, Err(Error::NulInName { position: 2 }));
    let nul = w.create_section(&SectionSpec::new(b"\0", elf::SHT_PROGBITS, 0));
    assert_eq!(nul, Err(Error::NulInName { position: 0 }));

    // Numbers of another writer.
    let mut other = writer(Format::X86_64);
    let group = other.create_group(symbol, ice_elf::GroupKind::Comdat);
    assert_eq!(group, Err(Error::UnknownSymbol { symbol }));
    let foreign = other.declare_symbol(b"x", Binding::Global, SymbolKind::Func, PLAIN).unwrap();
    let group = other.create_group(foreign, ice_elf::GroupKind::Comdat).unwrap();
    let section = other.standard_section(StandardSection::Data).unwrap();
    let unknown = Error::UnknownSection { section };
    assert_eq!(w.define(symbol, section, 0, 0), Err(unknown));
    assert_eq!(w.append_data(section, 1, b"", []), Err(unknown));
    assert_eq!(w.append_zeros(section, 1, 1), Err(unknown));
    assert_eq!(w.section_size(section), Err(unknown));
    let code = Code { section: CodeSection::In(section), ..Code::new(symbol, &mut []) };
    assert_eq!(w.append_code(code, []), Err(unknown));
    let spec = SectionSpec::new(b".x", elf::SHT_PROGBITS, 0);
    assert_eq!(w.create_section(&SectionSpec { link: Some(section), ..spec }), Err(unknown));
    let in_group = SectionSpec { group: Some(group), ..spec };
    assert_eq!(w.create_section(&in_group), Err(Error::UnknownGroup { group }));
    let foreign = other.declare_symbol(b"y", Binding::Global, SymbolKind::Func, PLAIN).unwrap();
    let call = relocation(0, 1, Target::Symbol(foreign), 0, WIDTH4);
    let result = w.append_code(Code::new(symbol, &mut [0; 4]), [call]);
    assert_eq!(result, Err(Error::UnknownSymbol { symbol: foreign }));
}

#[test]
fn alignments_and_flags() {
    let mut w = writer(Format::X86_32);
    let data = w.standard_section(StandardSection::Data).unwrap();
    for alignment in [0, 3, 1 << 30, u64::MAX] {
        let bad = Error::BadAlignment { alignment };
        assert_eq!(w.append_data(data, alignment, b"x", []), Err(bad));
        assert_eq!(w.append_zeros(data, alignment, 1), Err(bad));
        let code = Code { symbol: None, bytes: &mut [], alignment, section: CodeSection::Default };
        assert_eq!(w.append_code(code, []), Err(bad));
        let spec = SectionSpec { alignment, ..SectionSpec::new(b".x", elf::SHT_PROGBITS, 0) };
        assert_eq!(w.create_section(&spec), Err(bad));
    }
    let spec = SectionSpec::new(b".x", elf::SHT_PROGBITS, 1 << 32);
    assert_eq!(w.create_section(&spec), Err(Error::BadSection));
}

#[test]
fn relocations_out_of_range() {
    type Case = (Format, u64, u32, i64, AddendPlacement, fn(&Error) -> bool);
    let cases: [Case; 12] = [
        (Format::X86_32, 5, 1, 0, WIDTH4, |e| matches!(e, Error::RelocationOutOfBounds { offset: 5, .. })),
        (Format::X86_64, 5, 1, 0, WIDTH4, |e| matches!(e, Error::RelocationOutOfBounds { offset: 5, .. })),
        (Format::X86_64, u64::MAX, 1, 0, WIDTH4, |e| matches!(e, Error::RelocationOutOfBounds { .. })),
        (Format::X86_32, 1, 1, 0, AddendPlacement::Width8, |e| {
            matches!(e, Error::RelocationOutOfBounds { .. })
        }),
        (Format::X86_32, 8, 1, 0, AddendPlacement::CallerDone, |e| {
            matches!(e, Error::RelocationOutOfBounds { .. })
        }),
        (Format::X86_32, 0, 256, 0, WIDTH4, |e| {
            matches!(e, Error::RelocationTypeOutOfRange { r_type: 256, .. })
        }),
        (Format::X86_32, 0, 1, 1 << 32, WIDTH4, |e| matches!(e, Error::AddendOutOfRange { .. })),
        (Format::X86_32, 0, 1, -(1 << 31) - 1, WIDTH4, |e| matches!(e, Error::AddendOutOfRange { .. })),
        (Format::X32, 0, 1, 1 << 32, WIDTH4, |e| matches!(e, Error::AddendOutOfRange { .. })),
        (Format::X86_32, 4, 255, (1 << 32) - 1, WIDTH4, |_| false),
        (Format::X86_32, 4, 255, -(1 << 31), WIDTH4, |_| false),
        (Format::X86_64, 4, 256, i64::MIN, WIDTH4, |_| false),
    ];
    for (number, (format, offset, r_type, addend, placement, is_expected)) in cases.into_iter().enumerate() {
        let one = relocation(offset, r_type, Target::Absolute, addend, placement);
        let mut w = writer(format);
        let symbol = local(&mut w);
        let code = w.append_code(Code::new(symbol, &mut [0; 8]), [one]);
        let data = w.standard_section(StandardSection::Data).unwrap();
        let data = w.append_data(data, 1, &[0; 8], [one]);
        match (code, data) {
            (Ok(_), Ok(_)) => assert!(number >= 9, "case {number} passed"),
            (Err(code), Err(data)) => {
                assert!(is_expected(&code) && is_expected(&data), "case {number}: {code} {data}")
            }
            other => panic!("case {number}: {other:?}"),
        }
    }
}

#[test]
fn an_object_with_a_lost_part_is_not_finished() {
    let mut w = writer(Format::X86_32);
    let data = w.standard_section(StandardSection::Data).unwrap();
    let outside = relocation(1, 1, Target::Absolute, 0, WIDTH4);
    let error = w.append_data(data, 1, &[0; 4], [outside]).unwrap_err();
    let _ = w.append_data(data, 1, &[0; 4], []);
    assert_eq!(w.finish().err(), Some(error));
}

#[test]
fn symbols() {
    let mut w = writer(Format::X86_32);
    let symbol = local(&mut w);
    let data = w.standard_section(StandardSection::Data).unwrap();
    assert_eq!(w.define(symbol, data, 1 << 32, 0), Err(Error::SymbolOutOfRange { symbol }));
    assert_eq!(w.define(symbol, data, 0, 1 << 32), Err(Error::SymbolOutOfRange { symbol }));
    assert_eq!(w.define_absolute(symbol, 1 << 32), Err(Error::SymbolOutOfRange { symbol }));
    w.define(symbol, data, 1, 0).unwrap();
    assert_eq!(w.define(symbol, data, 1, 0), Err(Error::SymbolRedefined { symbol }));
    assert_eq!(w.finish().err(), Some(Error::SymbolOutsideSection { symbol }));

    let mut w = writer(Format::X86_32);
    let symbol = local(&mut w);
    let data = w.standard_section(StandardSection::Data).unwrap();
    w.append_data(data, 1, &[0; 4], [relocation(0, 1, Target::Symbol(symbol), 0, WIDTH4)]).unwrap();
    assert_eq!(w.finish().err(), Some(Error::UndefinedLocal { symbol }));

    let mut w = writer(Format::X86_32);
    for _ in 0..2 {
        let twin = w.declare_symbol(b"twin", Binding::Global, SymbolKind::Func, PLAIN).unwrap();
        w.define_absolute(twin, 1).unwrap();
    }
    assert!(matches!(w.finish(), Err(Error::DuplicateGlobal { .. })));
}

#[test]
fn sections() {
    let mut w = writer(Format::X86_32);
    let text = w.standard_section(StandardSection::Text).unwrap();
    assert_eq!(w.append_data(text, 1, b"x", []), Err(Error::SectionIsStreamed { section: text }));
    let bss = w.standard_section(StandardSection::Bss).unwrap();
    assert_eq!(w.append_data(bss, 1, b"x", []), Err(Error::SectionHasNoBytes { section: bss }));

    // A streamed section that is no longer the last one cannot grow.
    let options = Options { text: TextLayout::PerFunction, ..Options::new(Format::X86_32) };
    let mut w = ObjectWriter::new(Vec::new(), options).unwrap();
    let code = |section| Code { symbol: None, bytes: &mut [], alignment: 1, section };
    let first = w.append_code(code(CodeSection::Default), []).unwrap().section;
    w.append_code(code(CodeSection::In(first)), []).unwrap();
    w.append_code(code(CodeSection::Default), []).unwrap();
    let closed = w.append_code(code(CodeSection::In(first)), []);
    assert_eq!(closed, Err(Error::SectionIsStreamed { section: first }));

    let mut w = writer(Format::X86_32);
    let constants = w.standard_section(StandardSection::RodataCst8).unwrap();
    w.append_data(constants, 4, &[0; 12], []).unwrap();
    assert_eq!(w.finish().err(), Some(Error::BrokenMergeSection { section: constants }));
}

#[test]
fn sizes_past_32_bits() {
    let mut w = writer(Format::X86_32);
    let bss = w.standard_section(StandardSection::Bss).unwrap();
    w.append_zeros(bss, 1, u64::from(u32::MAX)).unwrap();
    assert_eq!(w.append_zeros(bss, 1, 1), Err(Error::SectionTooLarge { section: bss }));
    assert_eq!(w.append_zeros(bss, 1, u64::MAX), Err(Error::SectionTooLarge { section: bss }));
    let mut w = writer(Format::X86_64);
    let bss = w.standard_section(StandardSection::Bss).unwrap();
    w.append_zeros(bss, 1, i64::MAX as u64).unwrap();
    for size in [0, 1, u64::MAX] {
        assert_eq!(w.append_zeros(bss, 16, size), Err(Error::SectionTooLarge { section: bss }));
    }

    // Code of 4 GiB, counted and not kept.
    for (format, fits) in [(Format::X86_32, false), (Format::X86_64, true)] {
        let mut w = ObjectWriter::new(Counter { count: 0, limit: u64::MAX }, Options::new(format)).unwrap();
        let mut bytes = vec![0; 1 << 26];
        let mut append = || {
            let code = Code { symbol: None, bytes: &mut bytes, alignment: 1, section: CodeSection::Default };
            w.append_code(code, [])
        };
        for _ in 0..63 {
            append().unwrap();
        }
        let last = append();
        assert_eq!(last.is_ok(), fits, "{last:?}");
        if fits {
            assert!(w.finish().unwrap().count > 1 << 32);
        }
    }

    // Each part fits, the whole does not.
    let mut w =
        ObjectWriter::new(Counter { count: 0, limit: u64::MAX }, Options::new(Format::X86_32)).unwrap();
    let mut bytes = vec![0; (1 << 26) - 2];
    for _ in 0..64 {
        let code = Code { symbol: None, bytes: &mut bytes, alignment: 1, section: CodeSection::Default };
        w.append_code(code, []).unwrap();
    }
    let data = w.standard_section(StandardSection::Data).unwrap();
    w.append_data(data, 1, &[0; 100], []).unwrap();
    assert_eq!(w.finish().err(), Some(Error::FileTooLarge));
}

#[test]
fn a_failing_sink_ends_the_object_at_any_byte() {
    let build = |limit| -> Result<u64, Error> {
        let mut w = ObjectWriter::new(Counter { count: 0, limit }, Options::new(Format::X86_32))?;
        let symbol = w.declare_symbol(b"f", Binding::Global, SymbolKind::Func, PLAIN)?;
        w.append_code(Code::new(symbol, &mut [0; 9]), [])?;
        let data = w.standard_section(StandardSection::Data)?;
        w.append_data(data, 8, &[0; 8], [relocation(0, 1, Target::Symbol(symbol), 0, WIDTH4)])?;
        Ok(w.finish()?.count)
    };
    let size = build(u64::MAX).unwrap();
    for limit in 0..size {
        assert_eq!(build(limit), Err(Error::Sink(SinkError::Io { os_code: Some(28) })), "limit {limit}");
    }
    assert_eq!(build(size), Ok(size));
}

#[test]
fn too_many_symbols_for_elf32() {
    let mut w = writer(Format::X86_32);
    for _ in 1..1 << 24 {
        w.declare_symbol(b"", Binding::Local, SymbolKind::NoType, PLAIN).unwrap();
    }
    let last = w.declare_symbol(b"", Binding::Local, SymbolKind::NoType, PLAIN);
    assert_eq!(last, Err(Error::TooManySymbols));
    let data = w.standard_section(StandardSection::Data).unwrap();
    let own = relocation(0, 1, Target::Section(data), 0, WIDTH4);
    assert_eq!(w.append_data(data, 1, &[0; 4], [own]), Err(Error::TooManySymbols));
}

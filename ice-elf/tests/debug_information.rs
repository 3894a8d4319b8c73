//! Debug information, read back by a reader of DWARF.

use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf as Read, EndianSlice, LittleEndian, Unit};
use ice_elf::{
    DebugCall, DebugFunction, DebugRow, DebugSection, DebugTarget, DebugUnit, Dwarf, FileNumber, UnitNumber,
};

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Where functions lie, by number.
const ADDRESSES: [u64; 3] = [0x1000, 0x5000, 0x2000];

/// The sections with their fields filled in, by name.
fn placed(sections: Vec<DebugSection>) -> Vec<(&'static str, Vec<u8>)> {
    let place = |DebugSection { name, mut bytes, fields }| {
        for field in fields {
            let start = match field.target {
                DebugTarget::Function(number) => ADDRESSES[number as usize],
                DebugTarget::Section(_) => 0,
            };
            let value = (start + u64::from(field.addend)).to_le_bytes();
            let place = &mut bytes[field.offset as usize..][..usize::from(field.bytes)];
            assert!(place.iter().all(|&byte| byte == 0), "{name}");
            place.copy_from_slice(&value[..place.len()]);
        }
        (name, bytes)
    };
    sections.into_iter().map(place).collect()
}

fn unit(dwarf: &mut Dwarf, name: &str) -> UnitNumber {
    let (name, directory) = (name.as_bytes(), b"/src");
    dwarf.add_unit(&DebugUnit { name, directory, producer: b"test", language: 12 })
}

fn function(name: &str, file: FileNumber, line: u32) -> DebugFunction<'_> {
    DebugFunction { name: name.as_bytes(), linkage_name: b"", file, line, is_external: true }
}

fn row(offset: u32, file: FileNumber, line: u32, column: u32) -> DebugRow {
    DebugRow { offset, file, line, column, is_body: false }
}

fn read(sections: &[(&'static str, Vec<u8>)], check: impl FnOnce(&Read<Slice<'_>>, Vec<Unit<Slice<'_>>>)) {
    let load = |id: gimli::SectionId| {
        let bytes = sections.iter().find(|(name, _)| *name == id.name()).map_or(&[][..], |(_, bytes)| bytes);
        Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
    };
    let dwarf = Read::load(load).unwrap();
    let mut headers = dwarf.units();
    let mut units = Vec::new();
    while let Some(header) = headers.next().unwrap() {
        units.push(dwarf.unit(header).unwrap());
    }
    check(&dwarf, units);
}

/// Address, file name, line, column, statement, end of a prologue, end of a sequence.
type Line = (u64, String, u64, u64, bool, bool, bool);

fn lines(unit: &Unit<Slice<'_>>) -> Vec<Line> {
    let mut rows = unit.line_program.clone().unwrap().rows();
    let mut lines = Vec::new();
    while let Some((header, row)) = rows.next_row().unwrap() {
        let file = row.file(header).unwrap();
        let AttributeValue::String(name) = file.path_name() else { panic!("a name") };
        let column = match row.column() {
            gimli::ColumnType::LeftEdge => 0,
            gimli::ColumnType::Column(column) => column.get(),
        };
        let line = row.line().map_or(0, u64::from);
        let ends = (row.is_stmt(), row.prologue_end(), row.end_sequence());
        let name = name.to_string().unwrap().to_owned();
        lines.push((row.address(), name, line, column, ends.0, ends.1, ends.2));
    }
    lines
}

#[test]
fn rows_are_read_back_for_short_and_long_steps() {
    let mut dwarf = Dwarf::new(8);
    let number = unit(&mut dwarf, "a.c");
    let own = dwarf.file(number, b"/src", b"a.c");
    let header = dwarf.file(number, b"/usr/include", b"b.h");
    assert_eq!(dwarf.file(number, b"", b"a.c"), own);
    let f = function("f", own, 3);
    let rows = [
        row(0, own, 3, 0),
        DebugRow { is_body: true, ..row(4, own, 3, 7) },
        row(5, own, 3, 9),
        row(6, own, 0, 0),
        row(9, own, 3, 1),
        row(300, header, 70_000, 2),
        row(70_000, own, 1, 2),
        row(70_017, own, u32::MAX, 0),
    ];
    dwarf.add_function(number, &f, 70_020, &rows, &[]);
    dwarf.add_function(number, &function("g", own, 9), 4, &[row(0, own, 9, 0)], &[]);
    let sections = placed(dwarf.finish());
    read(&sections, |_, units| {
        let all = lines(&units[0]);
        let line = |address, name: &str, line, column, ends: (bool, bool, bool)| {
            (address, name.to_owned(), line, column, ends.0, ends.1, ends.2)
        };
        let (yes, no) = ((true, false, false), (false, false, false));
        let expected = [
            line(0x1000, "a.c", 3, 0, yes),
            line(0x1004, "a.c", 3, 7, (true, true, false)),
            line(0x1005, "a.c", 3, 9, no),
            line(0x1006, "a.c", 0, 0, no),
            line(0x1009, "a.c", 3, 1, no),
            line(0x1000 + 300, "b.h", 70_000, 2, yes),
            line(0x1000 + 70_000, "a.c", 1, 2, yes),
            line(0x1000 + 70_017, "a.c", u32::MAX.into(), 0, yes),
            line(0x1000 + 70_020, "a.c", u32::MAX.into(), 0, (true, false, true)),
            line(0x5000, "a.c", 9, 0, yes),
            line(0x5004, "a.c", 9, 0, (true, false, true)),
        ];
        assert_eq!(all, expected);
    });
}

fn name_of<'a>(entry: &DebuggingInformationEntry<Slice<'a>>) -> String {
    match entry.attr_value(gimli::DW_AT_name) {
        Some(AttributeValue::String(name)) => name.to_string().unwrap().to_owned(),
        _ => String::from("-"),
    }
}

/// An entry: its depth, its name or that of its origin, its ranges.
type Entry = (isize, String, Vec<(u64, u64)>);

fn entries(dwarf: &Read<Slice<'_>>, unit: &Unit<Slice<'_>>) -> Vec<Entry> {
    let mut cursor = unit.entries();
    let mut list = Vec::new();
    while let Some(entry) = cursor.next_dfs().unwrap() {
        let name = match entry.attr_value(gimli::DW_AT_abstract_origin) {
            Some(AttributeValue::UnitRef(origin)) => format!("in {}", name_of(&unit.entry(origin).unwrap())),
            _ => name_of(entry),
        };
        let mut ranges = dwarf.die_ranges(unit, entry).unwrap();
        let mut all = Vec::new();
        while let Some(range) = ranges.next().unwrap() {
            all.push((range.begin, range.end));
        }
        list.push((entry.depth(), name, all));
    }
    list
}

#[test]
fn entries_of_functions_hold_what_was_inlined() {
    for address_bytes in [4, 8] {
        let mut dwarf = Dwarf::new(address_bytes);
        let [first, second, _unused] = ["a.c", "b.c", "c.c"].map(|name| unit(&mut dwarf, name));
        let files = [first, second].map(|number| dwarf.file(number, b"/src", b"x.h"));
        let inner = dwarf.origin(second, &function("inner", files[1], 4));
        let outer = dwarf
            .origin(second, &DebugFunction { linkage_name: b"_Z5outer", ..function("outer", files[1], 5) });
        assert_eq!(dwarf.origin(second, &function("inner", files[1], 4)), inner);
        let call = |origin, depth, ranges: &[(u32, u32)]| DebugCall {
            origin,
            file: files[1],
            line: 6,
            column: 1,
            ranges: ranges.to_vec(),
            depth,
        };
        let calls = [
            call(outer, 0, &[(4, 40), (50, 60)]),
            call(inner, 1, &[(8, 12)]),
            call(inner, 1, &[(20, 24), (52, 54)]),
            call(outer, 0, &[(60, 64)]),
            call(inner, 1, &[(60, 61)]),
        ];
        dwarf.add_function(second, &function("f", files[1], 1), 64, &[row(0, files[1], 1, 0)], &calls);
        dwarf.add_function(first, &function("g", files[0], 1), 8, &[row(0, files[0], 1, 0)], &[]);
        dwarf.add_function(second, &function("h", files[1], 9), 8, &[row(0, files[1], 9, 0)], &[]);
        let sections = placed(dwarf.finish());
        read(&sections, |dwarf, units| {
            let own = |depth, name: &str, ranges: &[(u64, u64)]| (depth, name.to_owned(), ranges.to_vec());
            assert_eq!(
                entries(dwarf, &units[0]),
                [own(0, "a.c", &[(0x5000, 0x5008)]), own(1, "g", &[(0x5000, 0x5008)]),]
            );
            assert_eq!(
                entries(dwarf, &units[1]),
                [
                    own(0, "b.c", &[(0x1000, 0x1040), (0x2000, 0x2008)]),
                    own(1, "inner", &[]),
                    own(1, "outer", &[]),
                    own(1, "f", &[(0x1000, 0x1040)]),
                    own(2, "in outer", &[(0x1004, 0x1028), (0x1032, 0x103c)]),
                    own(3, "in inner", &[(0x1008, 0x100c)]),
                    own(3, "in inner", &[(0x1014, 0x1018), (0x1034, 0x1036)]),
                    own(2, "in outer", &[(0x103c, 0x1040)]),
                    own(3, "in inner", &[(0x103c, 0x103d)]),
                    own(1, "h", &[(0x2000, 0x2008)]),
                ]
            );
            assert_eq!(units.len(), 2);
        });
    }
}

#[test]
fn without_functions_there_is_nothing() {
    let mut dwarf = Dwarf::new(8);
    unit(&mut dwarf, "a.c");
    assert!(dwarf.finish().is_empty());
}

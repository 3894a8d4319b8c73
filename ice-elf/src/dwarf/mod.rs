//! Debug information: which line of the source code is of, and which functions were inlined (DWARF, version 5).
//!
//! Problem: debuggers, profilers and backtraces want the file and line of an address, and the functions that it is in,
//! those that were inlined among them. Method: for each unit an entry with entries for its functions (`.debug_info`) and
//! a program that makes the table of lines (`.debug_line`), both appended to as functions come; ranges of addresses
//! (`.debug_rnglists`). That is what compilers call line tables: there are no variables and no types. Input is plain
//! numbers.
//!
//! Paths and names stand where they are used, so that no section of strings and no reference to one is needed. Each
//! function has a sequence of lines of its own, so linkers may leave functions out.
//!
//! Fields that refer to code or to other sections are left to who places the sections ([`DebugField`]). Sizes and
//! distances are of 4 bytes: sections are smaller than 4 GiB.
//!
//! Cost: linear in rows and inlined calls; about 4 bytes a row.

mod entries;
mod lines;

use crate::leb::uleb;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use entries::{Abbreviation, Entries};
use lines::{Files, Lines};

/// The version of all sections.
const VERSION: u16 = 5;
/// `DW_UT_compile`.
const UNIT_OF_COMPILATION: u8 = 1;
// Entries of lists of ranges (table 7.30).
const END_OF_LIST: u8 = 0;
const OFFSET_PAIR: u8 = 4;
const BASE_ADDRESS: u8 = 5;
const START_LENGTH: u8 = 7;
/// Bytes in front of the lists of ranges: the header of their table.
const LISTS_HEADER: usize = 12;

/// What was compiled at once.
#[derive(Clone, Copy, Debug)]
pub struct DebugUnit<'a> {
    /// Its file.
    pub name: &'a [u8],
    /// The directory in which the compiler ran.
    pub directory: &'a [u8],
    /// The compiler.
    pub producer: &'a [u8],
    /// The language, `DW_LANG_…`.
    pub language: u16,
}

/// A function as the source has it.
#[derive(Clone, Copy, Debug)]
pub struct DebugFunction<'a> {
    /// As the source calls it.
    pub name: &'a [u8],
    /// As its symbol is called; empty if the same.
    pub linkage_name: &'a [u8],
    /// Its file and line.
    pub file: FileNumber,
    /// The line of its name, 0 if unknown.
    pub line: u32,
    /// Whether other units see it.
    pub is_external: bool,
}

/// Code from an offset in its function on, up to the next row, is of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebugRow {
    /// Bytes from the start of the function; they do not fall.
    pub offset: u32,
    /// The file.
    pub file: FileNumber,
    /// The line, 0 for code of none.
    pub line: u32,
    /// The column, 0 if unknown.
    pub column: u32,
    /// Whether a function is stopped at here when it is to be stopped at: what is in front prepares its frame.
    pub is_body: bool,
}

/// Code that stands in place of a call.
#[derive(Clone, Debug)]
pub struct DebugCall {
    /// The function that is called.
    pub origin: Origin,
    /// The place of the call.
    pub file: FileNumber,
    /// Its line.
    pub line: u32,
    /// Its column, 0 if unknown.
    pub column: u32,
    /// Starts and ends of the code in the function, in bytes, in ascending order; at least one.
    pub ranges: Vec<(u32, u32)>,
    /// How many calls it is in: each call follows the one that it is in and others in that.
    pub depth: u32,
}

/// A unit, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnitNumber(u32);

/// A file of a unit, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileNumber(u32);

/// The entry of a function that is inlined, by its offset in the entries of its unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin(u32);

/// What a field of a section refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugTarget {
    /// The address of the function that was added with this number, counted from 0.
    Function(u32),
    /// The offset of a place from the start of the section with this number among those of [`Dwarf::finish`].
    Section(usize),
}

/// A field that is left to who places the sections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DebugField {
    /// Bytes from the start of the section.
    pub offset: u64,
    /// Its size: that of an address for a function, 4 for a section.
    pub bytes: u8,
    /// What it refers to.
    pub target: DebugTarget,
    /// Bytes behind that.
    pub addend: u32,
}

/// A section, whose contents no process loads.
#[derive(Clone, Debug, Default)]
pub struct DebugSection {
    /// `.debug_…`.
    pub name: &'static str,
    /// Its bytes; zeros where fields are.
    pub bytes: Vec<u8>,
    /// The fields, by their offsets.
    pub fields: Vec<DebugField>,
}

/// The numbers of sections that others refer to; `.debug_info` is the second one.
const ABBREVIATIONS: usize = 0;
const LINE: usize = 2;
const RANGES: usize = 3;

/// Bytes with fields that refer to other places.
#[derive(Debug, Default)]
struct Part {
    bytes: Vec<u8>,
    fields: Vec<DebugField>,
}

impl Part {
    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn half(&mut self, number: u16) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn word(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn uleb(&mut self, number: u32) {
        uleb(number, &mut self.bytes);
    }

    /// Bytes up to a zero, which a string has none of.
    fn string(&mut self, text: &[u8]) {
        self.bytes.extend(text.iter().copied().take_while(|&byte| byte != 0));
        self.bytes.push(0);
    }

    fn field(&mut self, bytes: u8, target: DebugTarget, addend: u32) {
        self.fields.push(DebugField { offset: self.bytes.len() as u64, bytes, target, addend });
        self.bytes.extend(core::iter::repeat_n(0, bytes.into()));
    }

    fn offset_in(&mut self, section: usize, addend: u32) {
        self.field(4, DebugTarget::Section(section), addend);
    }

    /// Appends another part, and gives its offset.
    fn append(&mut self, other: &Part) -> usize {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        let moved = other.fields.iter();
        self.fields.extend(moved.map(|&field| DebugField { offset: field.offset + start as u64, ..field }));
        start
    }

    /// Appends another part behind the length of it.
    fn append_with_length(&mut self, other: &Part) {
        self.word(other.bytes.len() as u32);
        self.append(other);
    }
}

/// The names of a function, its file and line.
type OriginKey = (Box<[u8]>, Box<[u8]>, u32, u32);

#[derive(Debug)]
struct Unit {
    name: Box<[u8]>,
    directory: Box<[u8]>,
    producer: Box<[u8]>,
    language: u16,
    entries: Entries,
    lines: Lines,
    files: Files,
    /// The functions that are inlined somewhere, by all that is said of them.
    origins: BTreeMap<OriginKey, Origin>,
    /// The numbers and sizes of the functions that are there.
    functions: Vec<(u32, u32)>,
}

/// The sections, function by function.
#[derive(Debug)]
pub struct Dwarf {
    address_bytes: u8,
    units: Vec<Unit>,
    functions: u32,
    /// The lists of ranges, behind their header.
    ranges: Part,
}

impl Dwarf {
    /// No unit yet, for a machine with addresses of so many bytes.
    #[must_use]
    pub fn new(address_bytes: u8) -> Dwarf {
        let mut ranges = Part::default();
        ranges.bytes.resize(LISTS_HEADER, 0);
        Dwarf { address_bytes, units: Vec::new(), functions: 0, ranges }
    }

    /// Adds a unit.
    pub fn add_unit(&mut self, unit: &DebugUnit<'_>) -> UnitNumber {
        self.units.push(Unit {
            name: unit.name.into(),
            directory: unit.directory.into(),
            producer: unit.producer.into(),
            language: unit.language,
            entries: Entries::default(),
            lines: Lines::default(),
            files: Files::new(unit.directory, unit.name),
            origins: BTreeMap::new(),
            functions: Vec::new(),
        });
        UnitNumber(self.units.len() as u32 - 1)
    }

    /// A file of a unit.
    pub fn file(&mut self, unit: UnitNumber, directory: &[u8], name: &[u8]) -> FileNumber {
        FileNumber(self.units[unit.0 as usize].files.number(directory, name))
    }

    /// A function of a unit that is inlined somewhere.
    pub fn origin(&mut self, unit: UnitNumber, function: &DebugFunction<'_>) -> Origin {
        let Unit { origins, entries, .. } = &mut self.units[unit.0 as usize];
        let key = (function.name.into(), function.linkage_name.into(), function.file.0, function.line);
        *origins.entry(key).or_insert_with(|| entries.origin(function))
    }

    /// Adds the next function, of `size` bytes, with the places of its code and the calls that were inlined.
    pub fn add_function(
        &mut self,
        unit: UnitNumber,
        function: &DebugFunction<'_>,
        size: u32,
        rows: &[DebugRow],
        calls: &[DebugCall],
    ) {
        let number = self.functions;
        self.functions += 1;
        let (target, address) = (DebugTarget::Function(number), self.address_bytes);
        let Unit { entries, lines, functions, .. } = &mut self.units[unit.0 as usize];
        functions.push((number, size));
        lines.sequence(target, address, size, rows);
        entries.begin_function(function, (target, address, size), !calls.is_empty());
        for (index, call) in calls.iter().enumerate() {
            let next = calls.get(index + 1).map_or(0, |next| next.depth);
            let list = match call.ranges[..] {
                [_] => None,
                _ => Some(self.ranges.bytes.len() as u32),
            };
            if list.is_some() {
                self.ranges.byte(BASE_ADDRESS);
                self.ranges.field(address, target, 0);
                for &(start, end) in &call.ranges {
                    self.ranges.byte(OFFSET_PAIR);
                    self.ranges.uleb(start);
                    self.ranges.uleb(end);
                }
                self.ranges.byte(END_OF_LIST);
            }
            entries.begin_call(call, list, (target, address), next > call.depth);
            for _ in next..call.depth {
                entries.end();
            }
        }
        if !calls.is_empty() {
            entries.end();
        }
    }

    /// The sections; none if there is no function.
    #[must_use]
    pub fn finish(mut self) -> Vec<DebugSection> {
        if self.functions == 0 {
            return Vec::new();
        }
        let address = self.address_bytes;
        let (mut info, mut line) = (Part::default(), Part::default());
        for unit in self.units.iter().filter(|unit| !unit.functions.is_empty()) {
            let mut head = Part::default();
            head.half(VERSION);
            head.byte(UNIT_OF_COMPILATION);
            head.byte(address);
            head.offset_in(ABBREVIATIONS, 0);
            head.uleb(Abbreviation::UNIT);
            head.string(&unit.producer);
            head.half(unit.language);
            head.string(&unit.name);
            head.string(&unit.directory);
            head.offset_in(LINE, line.bytes.len() as u32);
            head.bytes.extend(core::iter::repeat_n(0, address.into()));
            head.offset_in(RANGES, self.ranges.bytes.len() as u32);
            for &(number, size) in &unit.functions {
                self.ranges.byte(START_LENGTH);
                self.ranges.field(address, DebugTarget::Function(number), 0);
                self.ranges.uleb(size);
            }
            self.ranges.byte(END_OF_LIST);
            unit.entries.append_to(&mut head);
            info.append_with_length(&head);
            line.append_with_length(&unit.lines.program(&unit.files, address));
        }
        let length = self.ranges.bytes.len() as u32 - 4;
        let mut header = Part::default();
        header.word(length);
        header.half(VERSION);
        header.byte(address);
        // No segments, and no table of offsets.
        header.byte(0);
        header.word(0);
        self.ranges.bytes[..LISTS_HEADER].copy_from_slice(&header.bytes);
        let section = |name, Part { bytes, fields }| DebugSection { name, bytes, fields };
        let abbreviations = Part { bytes: Abbreviation::table(), fields: Vec::new() };
        [
            section(".debug_abbrev", abbreviations),
            section(".debug_info", info),
            section(".debug_line", line),
            section(".debug_rnglists", self.ranges),
        ]
        .into()
    }
}

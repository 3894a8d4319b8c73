//! The table of lines of a unit, as the program that makes it (DWARF 5, 6.2).

use super::{DebugRow, DebugTarget, Part, VERSION};
use crate::leb::{sleb, uleb};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

// Standard opcodes (table 7.25).
const ADVANCE_PC: u8 = 2;
const ADVANCE_LINE: u8 = 3;
const SET_FILE: u8 = 4;
const SET_COLUMN: u8 = 5;
const NEGATE_STMT: u8 = 6;
const SET_PROLOGUE_END: u8 = 10;
/// How many operands each of them has.
const OPERANDS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
/// The first special opcode: one that advances line and address.
const FIRST_SPECIAL: u32 = OPERANDS.len() as u32 + 1;
/// The lines that special opcodes advance by: so many from the least on.
const LEAST_LINES: i8 = -5;
const LINES: u32 = 14;

// Extended opcodes (table 7.26).
const EXTENDED: u8 = 0;
const END_SEQUENCE: u8 = 1;
const SET_ADDRESS: u8 = 2;

// What is said of files (table 7.27), with forms.
const PATH_STRING: [u8; 2] = [1, 0x08];
const DIRECTORY_UDATA: [u8; 2] = [2, 0x0f];

/// Names by number, and numbers by name.
#[derive(Debug, Default)]
struct Names<K> {
    list: Vec<K>,
    numbers: BTreeMap<K, u32>,
}

impl<K: Ord + Clone> Names<K> {
    fn number(&mut self, name: K) -> u32 {
        let Names { list, numbers } = self;
        *numbers.entry(name).or_insert_with_key(|name| {
            list.push(name.clone());
            list.len() as u32 - 1
        })
    }
}

/// The files of a unit and their directories; the first of each are those of the unit.
#[derive(Debug, Default)]
pub(super) struct Files {
    directories: Names<Box<[u8]>>,
    files: Names<(u32, Box<[u8]>)>,
}

impl Files {
    pub(super) fn new(directory: &[u8], name: &[u8]) -> Files {
        let mut files = Files::default();
        files.number(directory, name);
        files
    }

    /// The number of a file. Without a directory it is in that of the unit, without a name it is that of the unit.
    pub(super) fn number(&mut self, directory: &[u8], name: &[u8]) -> u32 {
        if name.is_empty() && !self.files.list.is_empty() {
            return 0;
        }
        let directory = match directory {
            [] if !self.directories.list.is_empty() => 0,
            _ => self.directories.number(directory.into()),
        };
        self.files.number((directory, name.into()))
    }
}

/// The instructions of the program.
#[derive(Debug, Default)]
pub(super) struct Lines {
    part: Part,
}

impl Lines {
    /// The rows of a function at this address. They begin with its first byte.
    pub(super) fn sequence(&mut self, address: DebugTarget, address_bytes: u8, size: u32, rows: &[DebugRow]) {
        let Part { bytes, .. } = &mut self.part;
        bytes.push(EXTENDED);
        uleb(u32::from(address_bytes) + 1, bytes);
        bytes.push(SET_ADDRESS);
        self.part.field(address_bytes, address, 0);
        let bytes = &mut self.part.bytes;
        // The state of the machine that executes the program.
        let (mut at, mut file, mut line, mut column, mut is_statement) = (0, 1, 1, 0, true);
        // The last line that was one.
        let mut statement = None;
        for row in rows {
            if row.file.0 != file {
                file = row.file.0;
                bytes.push(SET_FILE);
                uleb(file, bytes);
            }
            if row.column != column {
                column = row.column;
                bytes.push(SET_COLUMN);
                uleb(column, bytes);
            }
            // Stops are where another line begins, and not where code of none ends.
            let begins = row.line != 0 && statement != Some((file, row.line)) || row.is_body;
            if row.line != 0 {
                statement = Some((file, row.line));
            }
            if begins != is_statement {
                is_statement = begins;
                bytes.push(NEGATE_STMT);
            }
            if row.is_body {
                bytes.push(SET_PROLOGUE_END);
            }
            append_row(bytes, row.offset - at, i64::from(row.line) - i64::from(line));
            (at, line) = (row.offset, row.line);
        }
        bytes.push(ADVANCE_PC);
        uleb(size - at, bytes);
        bytes.extend_from_slice(&[EXTENDED, 1, END_SEQUENCE]);
    }

    /// The program with its header, behind the length of all.
    pub(super) fn program(&self, files: &Files, address_bytes: u8) -> Part {
        let mut header = Part::default();
        // Instructions are counted in bytes, one operation each; rows are statements at first.
        header.bytes.extend_from_slice(&[1, 1, 1, LEAST_LINES as u8, LINES as u8, FIRST_SPECIAL as u8]);
        header.bytes.extend_from_slice(&OPERANDS);
        header.byte(1);
        header.bytes.extend_from_slice(&PATH_STRING);
        header.uleb(files.directories.list.len() as u32);
        files.directories.list.iter().for_each(|directory| header.string(directory));
        header.byte(2);
        header.bytes.extend_from_slice(&PATH_STRING);
        header.bytes.extend_from_slice(&DIRECTORY_UDATA);
        header.uleb(files.files.list.len() as u32);
        for (directory, name) in &files.files.list {
            header.string(name);
            header.uleb(*directory);
        }
        let mut program = Part::default();
        program.half(VERSION);
        program.byte(address_bytes);
        program.byte(0);
        program.append_with_length(&header);
        program.append(&self.part);
        program
    }
}

/// Advances address and line, and appends a row: by a special opcode, which does all of that, behind others for what it has
/// no room for.
fn append_row(bytes: &mut Vec<u8>, mut address: u32, mut lines: i64) {
    let short = lines - i64::from(LEAST_LINES);
    if !(0..i64::from(LINES)).contains(&short) {
        bytes.push(ADVANCE_LINE);
        sleb(lines, bytes);
        lines = 0;
    }
    let first = FIRST_SPECIAL + (lines - i64::from(LEAST_LINES)) as u32;
    if address > (u32::from(u8::MAX) - first) / LINES {
        bytes.push(ADVANCE_PC);
        uleb(address, bytes);
        address = 0;
    }
    bytes.push((first + LINES * address) as u8);
}

//! The entries of a unit (DWARF 5, 7.5), and the abbreviations that say what they are made of.

use super::{DebugCall, DebugFunction, DebugTarget, Origin, Part};
use alloc::vec::Vec;

// Tags (table 7.3).
const TAG_COMPILE_UNIT: u8 = 0x11;
const TAG_INLINED_SUBROUTINE: u8 = 0x1d;
const TAG_SUBPROGRAM: u8 = 0x2e;

// Attributes (table 7.5) with their forms (table 7.6).
const NAME: [u8; 2] = [0x03, STRING];
const STMT_LIST: [u8; 2] = [0x10, SEC_OFFSET];
const LOW_PC: [u8; 2] = [0x11, ADDR];
const HIGH_PC: [u8; 2] = [0x12, DATA4];
const LANGUAGE: [u8; 2] = [0x13, DATA2];
const COMP_DIR: [u8; 2] = [0x1b, STRING];
const INLINE: [u8; 2] = [0x20, DATA1];
const PRODUCER: [u8; 2] = [0x25, STRING];
const ABSTRACT_ORIGIN: [u8; 2] = [0x31, REF4];
const DECL_FILE: [u8; 2] = [0x3a, UDATA];
const DECL_LINE: [u8; 2] = [0x3b, UDATA];
const EXTERNAL: [u8; 2] = [0x3f, FLAG_PRESENT];
const FRAME_BASE: [u8; 2] = [0x40, EXPRLOC];
const RANGES: [u8; 2] = [0x55, SEC_OFFSET];
const CALL_COLUMN: [u8; 2] = [0x57, UDATA];
const CALL_FILE: [u8; 2] = [0x58, UDATA];
const CALL_LINE: [u8; 2] = [0x59, UDATA];
const LINKAGE_NAME: [u8; 2] = [0x6e, STRING];

const ADDR: u8 = 0x01;
const DATA2: u8 = 0x05;
const DATA4: u8 = 0x06;
const STRING: u8 = 0x08;
const DATA1: u8 = 0x0b;
const UDATA: u8 = 0x0f;
const REF4: u8 = 0x13;
const SEC_OFFSET: u8 = 0x17;
const EXPRLOC: u8 = 0x18;
const FLAG_PRESENT: u8 = 0x19;

/// `DW_INL_inlined`.
const INLINED: u8 = 1;
/// `DW_OP_call_frame_cfa`.
const CALL_FRAME_CFA: u8 = 0x9c;

/// Numbers of abbreviations: a kind with a bit for each choice.
pub(super) struct Abbreviation;

impl Abbreviation {
    pub(super) const UNIT: u32 = 1;
    /// A function with code: with a linkage name, visible, with entries in it.
    const FUNCTION: u32 = 2;
    const HAS_LINKAGE_NAME: u32 = 1;
    const IS_EXTERNAL: u32 = 2;
    const HAS_CALLS: u32 = 4;
    /// One that is inlined: with a linkage name.
    const ORIGIN: u32 = 10;
    /// Code in place of a call: with several ranges, with entries in it.
    const CALL: u32 = 12;
    const HAS_LIST: u32 = 1;
    const HAS_INNER: u32 = 2;

    /// The section.
    pub(super) fn table() -> Vec<u8> {
        let mut table = Vec::new();
        let mut add = |number: u32, tag: u8, has_children: bool, attributes: &[(bool, [u8; 2])]| {
            table.extend_from_slice(&[number as u8, tag, has_children.into()]);
            let present = attributes.iter().filter(|(is_present, _)| *is_present);
            table.extend(present.flat_map(|(_, attribute)| *attribute));
            table.extend_from_slice(&[0, 0]);
        };
        let unit = [PRODUCER, LANGUAGE, NAME, COMP_DIR, STMT_LIST, LOW_PC, RANGES];
        add(Self::UNIT, TAG_COMPILE_UNIT, true, &unit.map(|attribute| (true, attribute)));
        for bits in 0..8 {
            let has = |bit: u32| bits & bit != 0;
            let attributes = [
                (true, LOW_PC),
                (true, HIGH_PC),
                (true, FRAME_BASE),
                (true, NAME),
                (has(Self::HAS_LINKAGE_NAME), LINKAGE_NAME),
                (true, DECL_FILE),
                (true, DECL_LINE),
                (has(Self::IS_EXTERNAL), EXTERNAL),
            ];
            add(Self::FUNCTION + bits, TAG_SUBPROGRAM, has(Self::HAS_CALLS), &attributes);
        }
        for bits in 0..2 {
            let attributes = [
                (true, NAME),
                (bits & Self::HAS_LINKAGE_NAME != 0, LINKAGE_NAME),
                (true, DECL_FILE),
                (true, DECL_LINE),
                (true, INLINE),
            ];
            add(Self::ORIGIN + bits, TAG_SUBPROGRAM, false, &attributes);
        }
        for bits in 0..4 {
            let has_list = bits & Self::HAS_LIST != 0;
            let attributes = [
                (true, ABSTRACT_ORIGIN),
                (has_list, RANGES),
                (!has_list, LOW_PC),
                (!has_list, HIGH_PC),
                (true, CALL_FILE),
                (true, CALL_LINE),
                (true, CALL_COLUMN),
            ];
            add(Self::CALL + bits, TAG_INLINED_SUBROUTINE, bits & Self::HAS_INNER != 0, &attributes);
        }
        table.push(0);
        table
    }
}

/// The bit of a choice if it is made.
fn bit(is_made: bool, bit: u32) -> u32 {
    if is_made { bit } else { 0 }
}

/// The entries in a unit.
#[derive(Debug, Default)]
pub(super) struct Entries {
    part: Part,
    /// References to origins: where they are, and to which.
    references: Vec<(usize, Origin)>,
}

impl Entries {
    fn names(&mut self, function: &DebugFunction<'_>) {
        self.part.string(function.name);
        if !function.linkage_name.is_empty() {
            self.part.string(function.linkage_name);
        }
        self.part.uleb(function.file.0);
        self.part.uleb(function.line);
    }

    /// A function that is inlined.
    pub(super) fn origin(&mut self, function: &DebugFunction<'_>) -> Origin {
        let origin = Origin(self.part.bytes.len() as u32);
        self.part.uleb(
            Abbreviation::ORIGIN + bit(!function.linkage_name.is_empty(), Abbreviation::HAS_LINKAGE_NAME),
        );
        self.names(function);
        self.part.byte(INLINED);
        origin
    }

    /// A function at this address, of so many bytes.
    pub(super) fn begin_function(
        &mut self,
        function: &DebugFunction<'_>,
        (address, address_bytes, size): (DebugTarget, u8, u32),
        has_calls: bool,
    ) {
        let number = Abbreviation::FUNCTION
            + bit(!function.linkage_name.is_empty(), Abbreviation::HAS_LINKAGE_NAME)
            + bit(function.is_external, Abbreviation::IS_EXTERNAL)
            + bit(has_calls, Abbreviation::HAS_CALLS);
        self.part.uleb(number);
        self.part.field(address_bytes, address, 0);
        self.part.word(size);
        self.part.bytes.extend_from_slice(&[1, CALL_FRAME_CFA]);
        self.names(function);
    }

    /// Code of a function at this address in place of a call; `list` are its ranges if it has several.
    pub(super) fn begin_call(
        &mut self,
        call: &DebugCall,
        list: Option<u32>,
        (address, address_bytes): (DebugTarget, u8),
        has_inner: bool,
    ) {
        let number = Abbreviation::CALL
            + bit(list.is_some(), Abbreviation::HAS_LIST)
            + bit(has_inner, Abbreviation::HAS_INNER);
        let part = &mut self.part;
        part.uleb(number);
        self.references.push((part.bytes.len(), call.origin));
        part.word(0);
        match (list, call.ranges.first()) {
            (Some(list), _) => part.offset_in(super::RANGES, list),
            (None, range) => {
                let (start, end) = range.copied().unwrap_or_default();
                part.field(address_bytes, address, start);
                part.word(end - start);
            }
        }
        part.uleb(call.file.0);
        part.uleb(call.line);
        part.uleb(call.column);
    }

    /// Ends the entries in one.
    pub(super) fn end(&mut self) {
        self.part.byte(0);
    }

    /// Appends the entries to the one of the unit, which begins behind its length, and ends them.
    pub(super) fn append_to(&self, unit: &mut Part) {
        let start = unit.append(&self.part);
        for &(at, Origin(offset)) in &self.references {
            // References count from the length on, which has 4 bytes.
            let place = offset + start as u32 + 4;
            unit.bytes[start + at..][..4].copy_from_slice(&place.to_le_bytes());
        }
        unit.byte(0);
    }
}

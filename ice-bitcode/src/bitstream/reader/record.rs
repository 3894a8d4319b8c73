//! One record of a block.
//!
//! The fast paths are in line with the loops that read records: those without abbreviation, and those whose
//! abbreviation has a plan. All else, memory that is too small and errors are out of line and begin again at the start
//! of the record. Invariant: the reader's position is behind a record only when that was checked.
//!
//! The cursor is made anew for each record, so that window and count are in registers while it is read and nothing but
//! the position is kept. Cost: one operand takes 10 to 20 machine instructions, a record about 40 more.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::super::abbrev::{Abbrev, Element, Op};
use super::super::{Cursor, FIRST_ABBREV, UNABBREV_RECORD};
use super::{Reader, Record, RecordRef, Selectors};
use crate::error::{Error, LocatedError, Result};

/// Operands that there is room for when a record needs more than there was.
const OPERANDS: usize = 64;

/// Longest array whose elements take no bits.
const MAX_FREE_ELEMENTS: u32 = 1 << 16;

impl Reader<'_> {
    /// Reads the next entry if it is a record, in line with the loops that read most of a module; none before any
    /// other entry, at the top level and in BLOCKINFO.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Self::next).
    #[inline(always)]
    pub fn next_record<'r>(&mut self, record: &'r mut Record) -> Result<Option<RecordRef<'r>>> {
        let selectors = self.records;
        self.read_record(record, selectors)
    }

    /// [`next_record`](Self::next_record) in any block, whose selectors are these.
    #[inline(always)]
    pub(super) fn read_record<'r>(
        &mut self,
        record: &'r mut Record,
        selectors: Selectors,
    ) -> Result<Option<RecordRef<'r>>> {
        self.entry = self.position;
        let mut cursor = Cursor::at(self.bytes, self.position);
        let abbrev = cursor.peek(selectors.mask);
        if abbrev < UNABBREV_RECORD {
            return Ok(None);
        }
        cursor.consume(selectors.width);
        let words = &mut record.ops.words;
        let (code, length);
        if abbrev == UNABBREV_RECORD {
            let (number, count) = cursor.read_vbr6_pair();
            if number | count >= 64 && self.is_too_long(number, count, &cursor) {
                return Err(self.length_error(number | count, &cursor));
            }
            (code, length) = (number as u32, count as u32 as usize);
            for place in room(words, length) {
                *place = cursor.read_vbr6();
            }
        } else if let Some(plan) = self.abbrev(abbrev).and_then(|abbrev| abbrev.plan.as_ref()) {
            (code, length) = (plan.code, plan.fields.len());
            if cursor.bits() < plan.bits {
                cursor.refill();
            }
            let places = room(words, length);
            if !cursor.read_short(plan, places) {
                for (place, field) in places.iter_mut().zip(&plan.fields) {
                    *place = cursor.read_field(field);
                }
            }
        } else {
            (cursor, code, length) = self.read_open_record(words, &mut record.blob, abbrev, cursor)?;
        }
        let position = cursor.position();
        if position > self.limit {
            return Err(self.failed(past_limit(&cursor)));
        }
        self.position = position;
        Ok(Some(RecordRef { code, abbrev, ops: &words[..length] }))
    }

    /// Whether a record without abbreviation has too large a code or more operands than there can be. The rough bound is
    /// enough to keep memory small; the exact one is checked at the end.
    #[inline(always)]
    fn is_too_long(&self, code: u64, length: u64, cursor: &Cursor<'_>) -> bool {
        (code | length) >> 32 != 0 || length > self.limit.saturating_sub(cursor.position()) >> 2
    }

    /// The abbreviation with this number in the innermost block.
    #[inline(always)]
    fn abbrev(&self, selector: u32) -> Option<&Abbrev> {
        let number = (selector - FIRST_ABBREV) as usize;
        let abbrev = match number.checked_sub(self.open.scope.inherited) {
            None => self.open.inherited.get(number),
            Some(own) => self.open.abbrevs.get(self.open.scope.abbrevs + own),
        };
        abbrev.map(|abbrev| &**abbrev)
    }

    /// An error of the current entry.
    #[cold]
    #[inline(never)]
    fn failed(&self, error: Error) -> Box<LocatedError> {
        self.entry_error(self.error(error))
    }

    /// The code of a record, or the number of its operands, is too large.
    #[cold]
    #[inline(never)]
    fn length_error(&self, larger: u64, cursor: &Cursor<'_>) -> Box<LocatedError> {
        self.failed(if larger >> 32 != 0 { Error::NumberTooLarge } else { past_limit(cursor) })
    }

    /// Reads a record whose abbreviation has no plan, behind its selector. Says its code and how many operands it has.
    #[inline(never)]
    fn read_open_record<'b>(
        &self,
        words: &mut Vec<u64>,
        blob: &mut Option<Range<usize>>,
        selector: u32,
        cursor: Cursor<'b>,
    ) -> Result<(Cursor<'b>, u32, usize)> {
        let Some(abbrev) = self.abbrev(selector) else {
            let unknown = Error::UnknownAbbrev { abbrev: selector, block: self.open.scope.id };
            return Err(self.failed(if cursor.position() > self.limit { Error::Truncated } else { unknown }));
        };
        read_open(cursor, abbrev, self.limit, words, blob).map_err(|error| self.failed(error))
    }
}

/// Reads the fields, array or blob of a record. Says its code and how many operands it has.
fn read_open<'b>(
    mut cursor: Cursor<'b>,
    abbrev: &Abbrev,
    limit: u64,
    words: &mut Vec<u64>,
    blob: &mut Option<Range<usize>>,
) -> core::result::Result<(Cursor<'b>, u32, usize), Error> {
    let mut length = abbrev.ops().len();
    let fields = room(words, length).iter_mut().zip(abbrev.ops());
    fields.for_each(|(place, &op)| *place = read_op(&mut cursor, op));
    match abbrev.tail() {
        Element::None => {}
        Element::Array(op) => {
            let elements = read_length(&mut cursor, op, limit)? as usize;
            let fields = length;
            length += elements;
            let places = room(words, length)[fields..].iter_mut();
            match op {
                Op::Fixed(8) => places.for_each(|place| *place = cursor.read_fixed(8)),
                Op::Char6 => places.for_each(|place| *place = cursor.read_char6()),
                // The operands of LLVM's addresses.
                Op::Vbr(6) => places.for_each(|place| *place = cursor.read_vbr6()),
                _ => places.for_each(|place| *place = read_op(&mut cursor, op)),
            }
        }
        Element::Blob => *blob = Some(read_blob(&mut cursor, limit)?),
    }
    check_limit(&cursor, limit)?;
    let Some(&code) = words[..length].first() else { return Err(Error::NoRecordCode) };
    let code = u32::try_from(code).map_err(|_| Error::NumberTooLarge)?;
    words.copy_within(1..length, 0);
    Ok((cursor, code, length - 1))
}

/// The places of so many operands.
#[inline(always)]
fn room(words: &mut Vec<u64>, length: usize) -> &mut [u64] {
    if words.len() < length {
        grow(words, length);
    }
    &mut words[..length]
}

#[cold]
#[inline(never)]
fn grow(words: &mut Vec<u64>, length: usize) {
    words.resize(length.max(OPERANDS), 0);
}

/// The error of an entry that went behind the limit.
#[cold]
pub(super) fn past_limit(cursor: &Cursor<'_>) -> Error {
    if cursor.has_overflow() { Error::NumberTooLarge } else { Error::Truncated }
}

/// Refuses what went too far or held too large a number.
#[inline(always)]
pub(super) fn check_limit(cursor: &Cursor<'_>, limit: u64) -> core::result::Result<(), Error> {
    if cursor.position() > limit { Err(past_limit(cursor)) } else { Ok(()) }
}

/// A blob: a count and that many aligned bytes, whose place in the slice this is.
#[cold]
fn read_blob(cursor: &mut Cursor<'_>, limit: u64) -> core::result::Result<Range<usize>, Error> {
    let length = cursor.read_vbr32(6);
    check_limit(cursor, limit)?;
    cursor.align32();
    let start = cursor.position();
    let end = start + u64::from(length) * 8;
    if end > limit {
        return Err(Error::Truncated);
    }
    cursor.seek(end);
    cursor.align32();
    Ok(start as usize / 8..end as usize / 8)
}

/// One operand of an abbreviated record.
#[inline(always)]
fn read_op(cursor: &mut Cursor<'_>, op: Op) -> u64 {
    match op {
        Op::Literal(value) => value,
        Op::Fixed(width) => cursor.read_fixed(width),
        Op::Vbr(0) => 0,
        Op::Vbr(width) => cursor.read_vbr(width),
        Op::Char6 => cursor.read_char6(),
    }
}

/// The number of elements of an array.
#[inline(always)]
fn read_length(cursor: &mut Cursor<'_>, op: Op, limit: u64) -> core::result::Result<u32, Error> {
    let length = cursor.read_vbr32(6);
    let bits = match op {
        Op::Literal(_) | Op::Fixed(0) | Op::Vbr(0) if length > MAX_FREE_ELEMENTS => {
            return Err(Error::Truncated);
        }
        Op::Literal(_) => 0,
        Op::Fixed(width) | Op::Vbr(width) => width,
        Op::Char6 => 6,
    };
    if u64::from(length) * u64::from(bits) > limit.saturating_sub(cursor.position()) {
        return Err(past_limit(cursor));
    }
    Ok(length)
}

//! The records of an ordinary block: a run of them, read in one loop.
//!
//! The loop has the fast paths alone: records without abbreviation, and those of scalar fields behind a literal code.
//! Arrays, blobs and unusual abbreviations are read out of line. Invariant: what a run holds is checked; the first
//! record that is not whole or wrong ends it, and is looked at again when it is the first of the next one.
//!
//! Cost: one operand takes 8 to 16 machine instructions, a record about 60 more.

use alloc::vec::Vec;
use core::ops::Range;

use super::super::abbrev::{Abbrev, Element, Field, Layout, Op};
use super::super::records::HEAD;
use super::super::{Cursor, FIRST_ABBREV, UNABBREV_RECORD};
use super::Reader;
use crate::error::{Error, Result};

/// Words that a run may have, unless its first record has more.
const RUN_WORDS: usize = 1024;

/// Longest array whose elements take no bits.
const MAX_FREE_ELEMENTS: u32 = 1 << 16;

impl Reader<'_> {
    /// Reads records into `words` until one ends at bit `last` or behind it, there is no more room, or what follows is
    /// no record. Says how many words they take. An error of the first record is reported; a later one that has an
    /// error is left for the next time.
    ///
    /// The cursor is a copy, to be in registers.
    #[inline(never)]
    pub(super) fn read_run(&mut self, words: &mut Vec<u64>, last: u64) -> Result<usize> {
        let (abbrevs, own) = (self.info.get(self.scope.inherited), &self.abbrevs[self.scope.abbrevs..]);
        let (width, limit, mut cursor) = (self.scope.width, self.limit, self.cursor);
        let (mut entry, mut used, mut blob) = (cursor.position(), 0, None);
        self.entry = entry;
        let mut room = &mut words[..];
        let stop = loop {
            let selector = cursor.peek(width) as u32;
            if selector < UNABBREV_RECORD {
                break Stop::Other;
            }
            cursor.consume(width);
            let (taken, end);
            if selector == UNABBREV_RECORD {
                let (code, length) = cursor.read_vbr6_pair();
                // The rough bound is enough to keep memory small; the exact one is checked at the end.
                let larger = code | length;
                if larger >= 64
                    && (larger >> 32 != 0 || length > limit.saturating_sub(cursor.position()) >> 2)
                {
                    let large = larger >> 32 != 0;
                    break Stop::Failed(if large { Error::NumberTooLarge } else { past_limit(&cursor) });
                }
                taken = HEAD + length as u32 as usize;
                let Some((head, ops)) = split_record(&mut room, taken) else {
                    break Stop::Room(used + taken);
                };
                for place in ops {
                    *place = cursor.read_vbr6();
                }
                end = cursor.position();
                *head = [length << 32 | code, end];
            } else {
                let number = (selector - FIRST_ABBREV) as usize;
                let Some(abbrev) = abbrevs.get(number).or_else(|| own.get(number - abbrevs.len())) else {
                    let unknown = Error::UnknownAbbrev { abbrev: selector, block: self.scope.id };
                    break Stop::Failed(if cursor.position() > limit { Error::Truncated } else { unknown });
                };
                if matches!(abbrev.layout, Layout::Short | Layout::Scalars) {
                    let length = abbrev.fields.len() as u32;
                    taken = HEAD + length as usize;
                    let Some((head, ops)) = split_record(&mut room, taken) else {
                        break Stop::Room(used + taken);
                    };
                    if abbrev.layout != Layout::Short || !cursor.read_short(abbrev, ops) {
                        read_fields(&mut cursor, &abbrev.fields, ops);
                    }
                    end = cursor.position();
                    *head = [u64::from(length) << 32 | u64::from(abbrev.code), end];
                } else {
                    let mut copy = cursor;
                    match read_open(&mut copy, abbrev, limit, room, &mut blob) {
                        Ok(length) => taken = length,
                        Err(Stop::Room(length)) => break Stop::Room(used + length),
                        Err(stop) => break stop,
                    }
                    split_record(&mut room, taken);
                    cursor = copy;
                    end = cursor.position();
                }
            }
            if end >= last {
                if end > limit {
                    break Stop::Failed(past_limit(&cursor));
                }
                used += taken;
                break Stop::Enough;
            }
            (used, entry) = (used + taken, end);
        };
        self.blob = blob;
        match stop {
            Stop::Enough => self.cursor.advance_to(&cursor),
            Stop::Other => {
                self.cursor.advance_to(&cursor);
                self.other = entry;
            }
            Stop::Failed(error) if used == 0 => return Err(self.entry_error(self.error(error))),
            Stop::Room(length) if used == 0 => {
                words.resize(length.max(RUN_WORDS), 0);
                return self.read_run(words, last);
            }
            Stop::Failed(_) | Stop::Room(_) => self.cursor.seek(entry),
        }
        Ok(used)
    }
}

/// Why a run of records ends.
enum Stop {
    /// So many were wanted.
    Enough,
    /// What follows is no record.
    Other,
    /// The record that follows has an error.
    Failed(Error),
    /// The record that follows needs so many words.
    Room(usize),
}

/// Takes a record of so many words from the front of `room`: its head, and the places of its operands.
#[inline(always)]
fn split_record<'w>(room: &mut &'w mut [u64], length: usize) -> Option<(&'w mut [u64; HEAD], &'w mut [u64])> {
    room.split_off_mut(..length)?.split_first_chunk_mut()
}

/// The scalar fields of a record.
#[inline(always)]
fn read_fields(cursor: &mut Cursor<'_>, fields: &[Field], places: &mut [u64]) {
    for (place, field) in places.iter_mut().zip(fields) {
        *place = cursor.read_field(field);
    }
}

/// Reads a record whose abbreviation does not say how many operands it has, or is unusual, to the start of `words`.
/// Says how many words it takes.
#[inline(never)]
fn read_open(
    position: &mut Cursor<'_>,
    abbrev: &Abbrev,
    limit: u64,
    words: &mut [u64],
    blob: &mut Option<Range<usize>>,
) -> core::result::Result<usize, Stop> {
    let mut cursor = *position;
    let is_unusual = abbrev.layout == Layout::Unusual;
    let mut behind = HEAD + if is_unusual { abbrev.ops().len() } else { abbrev.fields.len() };
    let places = words.get_mut(HEAD..behind).ok_or(Stop::Room(behind))?;
    match is_unusual {
        true => {
            places.iter_mut().zip(abbrev.ops()).for_each(|(place, &op)| *place = read_op(&mut cursor, op))
        }
        false => read_fields(&mut cursor, &abbrev.fields, places),
    }
    match abbrev.tail() {
        Element::None => {}
        Element::Array(op) => {
            let length = read_length(&mut cursor, op, limit).map_err(Stop::Failed)?;
            let start = behind;
            behind += length as usize;
            let places = words.get_mut(start..behind).ok_or(Stop::Room(behind))?.iter_mut();
            match op {
                Op::Fixed(8) => places.for_each(|place| *place = cursor.read_fixed(8)),
                Op::Char6 => places.for_each(|place| *place = cursor.read_char6()),
                _ => places.for_each(|place| *place = read_op(&mut cursor, op)),
            }
        }
        Element::Blob => *blob = Some(read_blob(&mut cursor, limit).map_err(Stop::Failed)?),
    }
    let mut code = abbrev.code;
    if is_unusual {
        check_limit(&cursor, limit).map_err(Stop::Failed)?;
        let number = words[HEAD..behind].first().ok_or(Stop::Failed(Error::NoRecordCode))?;
        code = u32::try_from(*number).map_err(|_| Stop::Failed(Error::NumberTooLarge))?;
        words.copy_within(HEAD + 1..behind, HEAD);
        behind -= 1;
    }
    (words[0], words[1]) = (((behind - HEAD) as u64) << 32 | u64::from(code), cursor.position());
    *position = cursor;
    Ok(behind)
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

//! Reads a bitstream entry by entry.
//!
//! [`Reader::next`] gives one entry of the innermost open block, [`Reader::next_run`] many records where they follow
//! each other. A nested block is *passed over* when its entry is met, which takes constant time thanks to its length;
//! [`Reader::enter`] goes back to its start. There is no recursion, so nesting needs no limit.
//!
//! Invariants: the position is never trusted beyond `limit` (the end of the block or of the available bytes):
//! an entry that goes past it is an error before anybody sees it. A record needs at most one operand for each
//! bit it occupies, or a fixed number where the elements of an array take no bits.

mod run;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::UNABBREV_RECORD;
use super::abbrev::{Abbrev, BlockInfo, Inherited};
use super::records::{Operands, RecordRef, Records};
use super::{BLOCKINFO, Cursor, DEFINE_ABBREV, Dialect, END_BLOCK, ENTER_SUBBLOCK};
use crate::error::{Error, LocatedError, Location, OpenBlock, RecordSummary, Result};
use run::{check_limit, past_limit};

/// A record. Reused from record to record.
#[derive(Clone, Default, Debug)]
pub struct Record {
    /// Record code.
    pub code: u32,
    /// The selector it was written with: [`UNABBREV_RECORD`], or an abbreviation from [`FIRST_ABBREV`](super::FIRST_ABBREV) on.
    pub abbrev: u32,
    /// Operands.
    pub ops: Operands,
    /// Where the bytes of a blob are in the reader's slice. LLVM only.
    pub blob: Option<Range<usize>>,
}

/// The entry of a nested block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockHeader {
    /// Block id.
    pub id: u32,
    /// Width of the selectors inside.
    pub width: u32,
    /// Length of the body in 32-bit words.
    pub words: u32,
    /// First bit of the entry, counted from the start of the file.
    pub at: u64,
    /// First bit of the body.
    pub body: u64,
}

impl BlockHeader {
    /// The bit behind the body.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.body + self.words as u64 * 32
    }
}

/// What [`Reader::next`] met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The end of the innermost block, which is now closed.
    EndBlock,
    /// A nested block, which is already passed over; [`Reader::enter`] opens it.
    Block(BlockHeader),
    /// An abbreviation definition, see [`Reader::defined`].
    DefineAbbrev,
    /// A record, now in the caller's [`Record`].
    Record,
}

/// An open block.
#[derive(Clone, Copy, Debug)]
struct Scope {
    id: u32,
    width: u32,
    /// Bit behind the body, counted from the start of the file.
    end: u64,
    at: u64,
    body: u64,
    /// Whether records mean something to the reader, or are illegal: BLOCKINFO and top level.
    is_special: bool,
    /// The abbreviations that it inherits.
    inherited: Inherited,
    /// Where the list of the abbreviations that it defines itself starts.
    abbrevs: usize,
}

/// A position in a bitstream, with the blocks that are open there.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    cursor: Cursor<'a>,
    dialect: Dialect,
    /// Bit offset of the slice in the file.
    base: u64,
    scope: Scope,
    /// The blocks around the innermost one.
    outer: Vec<Scope>,
    /// Abbreviations that the open blocks define themselves, which come behind those that they inherit.
    abbrevs: Vec<Arc<Abbrev>>,
    info: Arc<BlockInfo>,
    /// Inside BLOCKINFO: the block that the next definitions are for.
    target: Option<u32>,
    /// First bit of the current entry, in the slice.
    entry: u64,
    /// What may be read, in bits of the slice: the end of the block or of the slice.
    limit: u64,
    /// The bytes of the blob that was read last.
    blob: Option<Range<usize>>,
    /// The bit in the slice where a run ended because the next entry is no record.
    other: u64,
}

/// No place in a slice.
const NOWHERE: u64 = u64::MAX;

const TOP_LEVEL: u32 = u32::MAX;

impl<'a> Reader<'a> {
    /// A reader at the top level of `bytes`, which start at byte `offset` of the file. `offset` is a multiple of 4.
    #[must_use]
    pub fn new(bytes: &'a [u8], offset: u64, dialect: Dialect) -> Reader<'a> {
        let end = (offset + bytes.len() as u64) * 8;
        Reader::at_scope(bytes, offset, dialect, end, Arc::default())
    }

    /// A reader without bytes, at the top level and at byte `offset` of a file whose end is not known. It is to be
    /// given bytes by [`rebind`](Self::rebind).
    #[must_use]
    pub fn open_ended(dialect: Dialect, offset: u64) -> Reader<'static> {
        Reader::at_scope(&[], offset, dialect, u64::MAX, Arc::default())
    }

    /// A new reader for the body of one block, see [`reopen`](Self::reopen).
    #[must_use]
    pub fn for_block(
        bytes: &'a [u8],
        header: &BlockHeader,
        outer: &[OpenBlock],
        info: Arc<BlockInfo>,
        dialect: Dialect,
    ) -> Reader<'a> {
        Reader::open_ended(dialect, 0).reopen(bytes, header, outer, &info)
    }

    /// Reuses the reader's memory for a reader of the body of one block: `bytes` are the body, `header` and `info`
    /// what the reader of the enclosing blocks said. The block is already open; `outer` are the blocks around
    /// it, for locations.
    #[must_use]
    pub fn reopen<'b>(
        mut self,
        bytes: &'b [u8],
        header: &BlockHeader,
        outer: &[OpenBlock],
        info: &Arc<BlockInfo>,
    ) -> Reader<'b> {
        self.outer.clear();
        self.abbrevs.clear();
        self.scope = Scope { id: TOP_LEVEL, abbrevs: 0, ..self.scope };
        for block in outer {
            self.outer.push(Scope { id: block.id, at: block.byte * 8, ..self.scope });
        }
        if !Arc::ptr_eq(&self.info, info) {
            self.info = Arc::clone(info);
        }
        let Reader { dialect, scope, outer, abbrevs, info, target, .. } = self;
        let base = header.body;
        let (entry, limit, blob, other) = (0, 0, None, NOWHERE);
        let cursor = Cursor::new(bytes);
        let mut reader =
            Reader { cursor, dialect, base, scope, outer, abbrevs, info, target, entry, limit, blob, other };
        reader.enter(header);
        reader
    }

    /// The reader without input, to be kept for [`reopen`](Self::reopen) or [`rebind`](Self::rebind).
    #[must_use]
    pub fn detach(self) -> Reader<'static> {
        let at = self.position();
        let Reader { dialect, scope, outer, abbrevs, info, target, entry, base, .. } = self;
        Reader {
            cursor: Cursor::new(&[]),
            dialect,
            base: at,
            scope,
            outer,
            abbrevs,
            info,
            target,
            entry: (entry + base).saturating_sub(at),
            limit: 0,
            blob: None,
            other: NOWHERE,
        }
    }

    /// Goes back to the start of the current entry, which must not have opened or closed a block.
    pub fn rewind(&mut self) {
        self.cursor.seek(self.entry);
    }

    /// The bit behind the available bytes, counted from the start of the file.
    #[must_use]
    pub fn available_end(&self) -> u64 {
        self.base + self.cursor.bytes().len() as u64 * 8
    }

    fn at_scope(
        bytes: &'a [u8],
        offset: u64,
        dialect: Dialect,
        end: u64,
        info: Arc<BlockInfo>,
    ) -> Reader<'a> {
        debug_assert!(offset.is_multiple_of(4));
        let scope = Scope {
            id: TOP_LEVEL,
            width: 2,
            end,
            at: offset * 8,
            body: offset * 8,
            is_special: true,
            inherited: Inherited::default(),
            abbrevs: 0,
        };
        Reader {
            cursor: Cursor::new(bytes),
            dialect,
            base: offset * 8,
            scope,
            outer: Vec::new(),
            abbrevs: Vec::new(),
            info,
            target: None,
            entry: 0,
            limit: bytes.len() as u64 * 8,
            blob: None,
            other: NOWHERE,
        }
    }

    /// The reader at its position and in its open blocks, but over another slice of the file, which starts at byte `offset`.
    #[must_use]
    pub fn rebind(self, bytes: &[u8], offset: u64) -> Reader<'_> {
        let at = self.position();
        let entry = self.entry + self.base;
        let base = offset * 8;
        let mut cursor = Cursor::new(bytes);
        cursor.seek(at - base);
        let limit = (self.scope.end - base).min(bytes.len() as u64 * 8);
        // All fields but the cursor move, because the lifetime of the slice is part of the type.
        let Reader { dialect, scope, outer, abbrevs, info, target, .. } = self;
        Reader {
            cursor,
            dialect,
            base,
            scope,
            outer,
            abbrevs,
            info,
            target,
            entry: entry.saturating_sub(base),
            limit,
            blob: None,
            other: NOWHERE,
        }
    }

    /// The next bit, counted from the start of the file.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.base + self.cursor.position()
    }

    /// First bit of the current entry, counted from the start of the file.
    #[must_use]
    pub fn entry_position(&self) -> u64 {
        self.base + self.entry
    }

    /// True if nothing is left in the innermost block or at the top level.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.cursor.position() >= self.limit
    }

    /// How many blocks are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Id of the innermost open block; `None` at top level.
    #[must_use]
    pub fn block(&self) -> Option<u32> {
        (self.scope.id != TOP_LEVEL).then_some(self.scope.id)
    }

    /// Bits that are left in the innermost block.
    #[must_use]
    pub fn remaining_bits(&self) -> u64 {
        self.limit.saturating_sub(self.cursor.position())
    }

    /// Bits that are left in the innermost block behind `record`, which the last run has.
    #[must_use]
    pub fn bits_behind(&self, record: &RecordRef<'_>) -> u64 {
        self.limit.saturating_sub(record.end())
    }

    /// The bytes that are read.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.cursor.bytes()
    }

    /// The abbreviations that blocks inherit, as far as BLOCKINFO was read.
    #[must_use]
    pub const fn block_info(&self) -> &Arc<BlockInfo> {
        &self.info
    }

    /// The block that BLOCKINFO definitions are for at the moment.
    #[must_use]
    pub const fn block_info_target(&self) -> Option<u32> {
        self.target
    }

    /// The abbreviation that was just defined.
    #[must_use]
    pub fn defined(&self) -> Option<&Abbrev> {
        let last = match (self.scope.id, self.target) {
            (BLOCKINFO, Some(target)) => self.info.abbrevs(target).last(),
            _ => self.abbrevs[self.scope.abbrevs..].last(),
        };
        last.map(|abbrev| &**abbrev)
    }

    /// The place of the current entry.
    #[must_use]
    pub fn location(&self, record: Option<&Record>) -> Location {
        let open = self.outer.iter().chain([&self.scope]).filter(|scope| scope.id != TOP_LEVEL);
        Location {
            bit: self.entry_position(),
            path: open.map(|scope| OpenBlock { id: scope.id, byte: scope.at / 8 }).collect(),
            record: record.map(|r| RecordSummary { code: r.code, operands: r.ops.len() }),
            function: None,
        }
    }

    /// `error`, with the place of `record`, one of the `records` that were read last.
    #[cold]
    #[must_use]
    pub fn error_in_run(&self, error: Error, records: &Records, record: &RecordRef<'_>) -> Box<LocatedError> {
        let mut location = self.location(None);
        location.bit = self.base + records.start_of(record);
        location.record = Some(RecordSummary { code: record.code(), operands: record.ops.len() });
        Box::new(LocatedError { error, location })
    }

    /// `error`, with the place of the current entry.
    #[cold]
    #[must_use]
    pub fn error(&self, error: Error) -> Box<LocatedError> {
        Box::new(LocatedError { error, location: self.location(None) })
    }

    /// `error`, with the place of the current entry, which is `record`.
    #[cold]
    #[must_use]
    pub fn record_error(&self, error: Error, record: &Record) -> Box<LocatedError> {
        Box::new(LocatedError { error, location: self.location(Some(record)) })
    }

    /// Opens a block that [`next`](Self::next) has just passed over.
    pub fn enter(&mut self, header: &BlockHeader) {
        self.outer.push(self.scope);
        self.scope = Scope {
            id: header.id,
            width: header.width,
            end: header.end(),
            at: header.at,
            body: header.body,
            is_special: header.id == BLOCKINFO,
            inherited: self.info.inherited(header.id),
            abbrevs: self.abbrevs.len(),
        };
        self.target = None;
        self.cursor.seek(header.body - self.base);
        self.update_limit();
    }

    fn update_limit(&mut self) {
        let available = self.cursor.bytes().len() as u64 * 8;
        self.limit = available.min(self.scope.end.saturating_sub(self.base));
    }

    /// Reads the next entry of the innermost block.
    ///
    /// # Errors
    ///
    /// `B01` to `B14` and `B18`. After an error the reader's position means nothing.
    #[inline(always)]
    pub fn next(&mut self, record: &mut Record) -> Result<Entry> {
        if !self.scope.is_special && self.next_record(record)? {
            return Ok(Entry::Record);
        }
        self.next_slow(record).map_err(|error| self.entry_error(error))
    }

    /// As [`next`](Self::next), but reads the records that follow each other into `records`, of which there is at
    /// least one then, and whose places [`error_in_run`](Self::error_in_run) knows. Not for the top level and
    /// BLOCKINFO, whose records are checked one by one.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Self::next), for the first entry of the run.
    #[inline(always)]
    pub fn next_run(&mut self, records: &mut Records) -> Result<Entry> {
        records.start = self.cursor.position();
        if self.other != records.start {
            records.used = self.read_run(&mut records.words, self.limit)?;
            if records.used != 0 {
                return Ok(Entry::Record);
            }
        }
        self.next_slow(&mut Record::default()).map_err(|error| self.entry_error(error))
    }

    /// Reads the next record of a block that holds no blocks; false at its end.
    ///
    /// # Errors
    ///
    /// Those of [`Self::next`], and `M01` for a block inside.
    #[inline(always)]
    pub fn next_in_leaf(&mut self, record: &mut Record) -> Result<bool> {
        self.in_leaf(|reader| reader.next(record))
    }

    /// As [`next_in_leaf`](Self::next_in_leaf), for the next records that follow each other.
    ///
    /// # Errors
    ///
    /// Those of [`next_in_leaf`](Self::next_in_leaf).
    #[inline(always)]
    pub fn next_run_in_leaf(&mut self, records: &mut Records) -> Result<bool> {
        self.in_leaf(|reader| reader.next_run(records))
    }

    /// Calls `next` up to a record, or to the end of a block that holds no blocks: then false.
    #[inline(always)]
    fn in_leaf(&mut self, mut next: impl FnMut(&mut Self) -> Result<Entry>) -> Result<bool> {
        loop {
            match next(self)? {
                Entry::Record => return Ok(true),
                Entry::EndBlock => return Ok(false),
                Entry::DefineAbbrev => {}
                Entry::Block(inner) => {
                    return Err(self.error(Error::UnexpectedBlock { block: inner.id, outer: self.scope.id }));
                }
            }
        }
    }

    /// An entry that starts behind the end is none, whatever it looks like.
    #[cold]
    fn entry_error(&self, mut error: Box<LocatedError>) -> Box<LocatedError> {
        if self.entry >= self.limit {
            error.error = Error::Truncated;
        }
        error
    }

    /// Everything but a record of an ordinary block.
    #[inline(never)]
    fn next_slow(&mut self, record: &mut Record) -> Result<Entry> {
        self.entry = self.cursor.position();
        let selector = self.cursor.peek(self.scope.width) as u32;
        if self.entry + u64::from(self.scope.width) > self.limit {
            return Err(self.error(Error::Truncated));
        }
        if self.scope.id == TOP_LEVEL && selector != ENTER_SUBBLOCK {
            return Err(self.error(Error::TopLevelEntry));
        }
        let in_block_info = self.scope.id == BLOCKINFO;
        if selector < UNABBREV_RECORD {
            self.cursor.consume(self.scope.width);
        }
        match selector {
            END_BLOCK => self.end_block(),
            ENTER_SUBBLOCK if in_block_info && self.dialect == Dialect::Pnacl => {
                Err(self.error(Error::BadBlockInfo))
            }
            ENTER_SUBBLOCK => self.block_header(),
            DEFINE_ABBREV => {
                let abbrev = Abbrev::read(&mut self.cursor, self.dialect).map_err(|error| {
                    // Zero bits behind the end look like a bad definition.
                    match self.cursor.position() > self.limit {
                        true => self.error(past_limit(&self.cursor)),
                        false => self.error(error),
                    }
                })?;
                self.check(&self.cursor)?;
                let abbrev = Arc::new(abbrev);
                match self.target {
                    Some(block) if in_block_info => Arc::make_mut(&mut self.info).define(block, abbrev),
                    _ if in_block_info => return Err(self.error(Error::BadBlockInfo)),
                    _ => {
                        self.abbrevs.push(abbrev);
                    }
                }
                Ok(Entry::DefineAbbrev)
            }
            _ => {
                if !self.next_record(record)? {
                    return Err(self.error(Error::Truncated));
                }
                if in_block_info {
                    match (record.code, &record.ops[..], self.dialect) {
                        (1, &[block], _) if u32::try_from(block).is_ok() => self.target = Some(block as u32),
                        (2.., _, Dialect::Llvm) => {}
                        _ => return Err(self.record_error(Error::BadBlockInfo, record)),
                    }
                }
                Ok(Entry::Record)
            }
        }
    }

    /// Refuses an entry that went too far or held too large a number.
    #[inline(always)]
    fn check(&self, cursor: &Cursor<'_>) -> Result<()> {
        check_limit(cursor, self.limit).map_err(|error| self.error(error))
    }

    /// Skips to the next word; PNaCl wants the bits in between to be zero.
    #[inline(always)]
    fn align32(&self, cursor: &mut Cursor<'_>) -> Result<()> {
        let padding = cursor.align32();
        if padding != 0 && self.dialect == Dialect::Pnacl && !cursor.is_past_end() {
            return Err(self.error(Error::NonzeroPadding));
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<Entry> {
        let mut cursor = self.cursor;
        self.align32(&mut cursor)?;
        self.cursor.advance_to(&cursor);
        let position = self.position();
        if position != self.scope.end {
            return Err(self.error(self.bad_end(position)));
        }
        self.abbrevs.truncate(self.scope.abbrevs);
        if let Some(outer) = self.outer.pop() {
            self.scope = outer;
        }
        self.target = None;
        self.update_limit();
        Ok(Entry::EndBlock)
    }

    #[cold]
    fn bad_end(&self, position: u64) -> Error {
        let Scope { id, body, end, .. } = self.scope;
        let (declared, used) = ((end - body) / 32, (position - body) / 32);
        match self.cursor.is_past_end() {
            true => Error::Truncated,
            false => Error::BlockLength { block: id, declared, used },
        }
    }

    fn block_header(&mut self) -> Result<Entry> {
        let mut cursor = self.cursor;
        let id = cursor.read_vbr32(8);
        let width = cursor.read_vbr32(4);
        self.check(&cursor)?;
        self.align32(&mut cursor)?;
        let words = cursor.read_fixed(32) as u32;
        self.check(&cursor)?;
        if !(2..=32).contains(&width) {
            return Err(self.error(Error::BadWidth { block: id, width }));
        }
        let body = self.base + cursor.position();
        let header = BlockHeader { id, width, words, at: self.entry_position(), body };
        if header.end() > self.scope.end {
            return Err(self.error(Error::BlockTooLong { block: id }));
        }
        self.cursor.seek(header.end() - self.base);
        Ok(Entry::Block(header))
    }

    /// Reads the next entry if it is a record.
    #[inline(always)]
    fn next_record(&mut self, record: &mut Record) -> Result<bool> {
        let abbrev = self.cursor.peek(self.scope.width) as u32;
        if abbrev < UNABBREV_RECORD {
            return Ok(false);
        }
        let used = self.read_run(&mut record.ops.words, 0)?;
        if let Some(&head) = record.ops.words[..used].first() {
            (record.code, record.abbrev, record.blob) = (head as u32, abbrev, self.blob.take());
            record.ops.len = (head >> 32) as usize;
        }
        Ok(used != 0)
    }
}

//! Reads a bitstream entry by entry.
//!
//! [`Reader::next`] gives one entry of the innermost open block. A nested block is *passed over* when its entry is met, which takes constant time thanks to its length;
//! [`Reader::enter`] goes back to its start. There is no recursion, so nesting needs no limit.
//!
//! Invariants: the position is never trusted beyond `limit` (the end of the block or of the available bytes):
//! an entry that goes past it is an error before anybody sees it. A record needs at most one operand for each
//! bit it occupies, or a fixed number where the elements of an array take no bits.

mod record;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, Range};

use super::abbrev::{Abbrev, AbbrevList, BlockInfo};
use super::{BLOCKINFO, Cursor, DEFINE_ABBREV, Dialect, END_BLOCK, ENTER_SUBBLOCK};
use crate::error::{Error, LocatedError, Location, OpenBlock, RecordSummary, Result};
use record::{check_limit, past_limit};

/// A record. Reused from record to record.
#[derive(Clone, Default, Debug)]
pub struct Record {
    /// Record code.
    pub code: u32,
    /// The selector it was written with: [`UNABBREV_RECORD`](super::UNABBREV_RECORD), or an abbreviation from [`FIRST_ABBREV`](super::FIRST_ABBREV) on.
    pub abbrev: u32,
    /// Operands.
    pub ops: Operands,
    /// Where the bytes of a blob are in the reader's slice. LLVM only.
    pub blob: Option<Range<usize>>,
}

/// The operands of a record: a list like a vector, which keeps its memory from record to record.
#[derive(Clone, Default)]
pub struct Operands {
    /// The operands, and what is left from earlier records, so that nothing is zeroed again.
    words: Vec<u64>,
    len: usize,
}

impl Deref for Operands {
    type Target = [u64];

    #[inline(always)]
    fn deref(&self) -> &[u64] {
        self.words.get(..self.len).unwrap_or(&[])
    }
}

impl fmt::Debug for Operands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A record of ordinary blocks, where it was read.
#[derive(Clone, Copy, Debug)]
pub struct RecordRef<'a> {
    /// Record code.
    pub code: u32,
    /// The selector it was written with.
    pub abbrev: u32,
    /// Operands.
    pub ops: &'a [u64],
}

/// How the selectors of a block are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selectors {
    /// Their bits.
    pub(super) width: u32,
    /// The mask of them, or of none.
    pub(super) mask: u32,
}

impl Selectors {
    fn of(width: u32) -> Selectors {
        Selectors { width, mask: u32::MAX >> (32 - width) }
    }
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
    selectors: Selectors,
    /// Bit behind the body, counted from the start of the file.
    end: u64,
    at: u64,
    body: u64,
    /// How many abbreviations it inherits.
    inherited: usize,
    /// Where the list of the abbreviations that it defines itself starts.
    abbrevs: usize,
}

/// A position in a bitstream, with the blocks that are open there.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    /// The next bit, in the slice.
    position: u64,
    /// Bit offset of the slice in the file.
    base: u64,
    /// First bit of the current entry, in the slice.
    entry: u64,
    /// What may be read, in bits of the slice: the end of the block or of the slice.
    limit: u64,
    /// How to find records: at the top level and in BLOCKINFO, where they are illegal or mean something to the reader,
    /// with a mask that finds none.
    records: Selectors,
    /// What does not depend on the slice: it moves from slice to slice.
    open: Box<OpenBlocks>,
}

/// The blocks that are open at a position.
#[derive(Clone, Debug)]
struct OpenBlocks {
    dialect: Dialect,
    scope: Scope,
    /// The blocks around the innermost one.
    outer: Vec<Scope>,
    /// Abbreviations that the open blocks define themselves, which come behind those that they inherit.
    abbrevs: Vec<Arc<Abbrev>>,
    /// The list that the innermost block inherits, which may have become longer since it was opened.
    inherited: AbbrevList,
    info: Arc<BlockInfo>,
    /// Inside BLOCKINFO: the block that the next definitions are for.
    target: Option<u32>,
}

const TOP_LEVEL: u32 = u32::MAX;

/// Selectors of places where records are not read one after another: whatever stands there looks like the end.
const NO_RECORDS: Selectors = Selectors { width: 2, mask: 0 };

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

    /// The reader at the top level, of a file that ends at this byte.
    #[must_use]
    pub fn with_end(mut self, byte: u64) -> Reader<'a> {
        self.open.scope.end = byte.saturating_mul(8);
        self
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
        let open = &mut *self.open;
        open.outer.clear();
        open.abbrevs.clear();
        open.scope = Scope { id: TOP_LEVEL, abbrevs: 0, ..open.scope };
        for block in outer {
            open.outer.push(Scope { id: block.id, at: block.byte * 8, ..open.scope });
        }
        if !Arc::ptr_eq(&open.info, info) {
            open.info = Arc::clone(info);
        }
        let (base, records) = (header.body, self.records);
        let mut reader = Reader { bytes, position: 0, base, entry: 0, limit: 0, records, open: self.open };
        reader.enter(header);
        reader
    }

    /// The reader without input, to be kept for [`reopen`](Self::reopen) or [`rebind`](Self::rebind).
    #[must_use]
    pub fn detach(self) -> Reader<'static> {
        let base = self.position();
        let entry = self.entry_position().saturating_sub(base);
        Reader { bytes: &[], position: 0, base, entry, limit: 0, records: self.records, open: self.open }
    }

    /// Goes back to the start of the current entry, which must not have opened or closed a block.
    pub fn rewind(&mut self) {
        self.position = self.entry;
    }

    /// The bit behind the available bytes, counted from the start of the file.
    #[must_use]
    pub fn available_end(&self) -> u64 {
        self.base + self.bytes.len() as u64 * 8
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
            selectors: Selectors::of(2),
            end,
            at: offset * 8,
            body: offset * 8,
            inherited: 0,
            abbrevs: 0,
        };
        let open = OpenBlocks {
            dialect,
            scope,
            outer: Vec::new(),
            abbrevs: Vec::new(),
            inherited: AbbrevList::default(),
            info,
            target: None,
        };
        Reader {
            bytes,
            position: 0,
            base: offset * 8,
            entry: 0,
            limit: bytes.len() as u64 * 8,
            records: NO_RECORDS,
            open: Box::new(open),
        }
    }

    /// The reader at its position and in its open blocks, but over another slice of the file, which starts at byte `offset`.
    #[must_use]
    pub fn rebind(self, bytes: &[u8], offset: u64) -> Reader<'_> {
        let base = offset * 8;
        let position = self.position() - base;
        let limit = self.open.scope.end.saturating_sub(base).min(bytes.len() as u64 * 8);
        let entry = self.entry_position().saturating_sub(base);
        Reader { bytes, position, base, entry, limit, records: self.records, open: self.open }
    }

    /// The next bit, counted from the start of the file.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.base + self.position
    }

    /// First bit of the current entry, counted from the start of the file.
    #[must_use]
    pub fn entry_position(&self) -> u64 {
        self.base + self.entry
    }

    /// True if nothing is left in the innermost block or at the top level.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.position >= self.limit
    }

    /// How many blocks are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.outer.len()
    }

    /// Id of the innermost open block; `None` at top level.
    #[must_use]
    pub fn block(&self) -> Option<u32> {
        (self.open.scope.id != TOP_LEVEL).then_some(self.open.scope.id)
    }

    /// Bits that are left in the innermost block.
    #[must_use]
    pub fn remaining_bits(&self) -> u64 {
        self.limit.saturating_sub(self.position)
    }

    /// The bytes that are read.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The abbreviations that blocks inherit, as far as BLOCKINFO was read.
    #[must_use]
    pub const fn block_info(&self) -> &Arc<BlockInfo> {
        &self.open.info
    }

    /// The block that BLOCKINFO definitions are for at the moment.
    #[must_use]
    pub const fn block_info_target(&self) -> Option<u32> {
        self.open.target
    }

    /// The abbreviation that was just defined.
    #[must_use]
    pub fn defined(&self) -> Option<&Abbrev> {
        let last = match (self.open.scope.id, self.open.target) {
            (BLOCKINFO, Some(target)) => self.open.info.abbrevs(target).last(),
            _ => self.open.abbrevs[self.open.scope.abbrevs..].last(),
        };
        last.map(|abbrev| &**abbrev)
    }

    /// The place of the current entry, which is this record or none.
    #[must_use]
    pub fn location(&self, record: Option<RecordSummary>) -> Location {
        let open = self.open.outer.iter().chain([&self.open.scope]).filter(|scope| scope.id != TOP_LEVEL);
        Location {
            bit: self.entry_position(),
            path: open.map(|scope| OpenBlock { id: scope.id, byte: scope.at / 8 }).collect(),
            record,
            function: None,
        }
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
        self.error_of(error, &RecordRef { code: record.code, abbrev: record.abbrev, ops: &record.ops })
    }

    /// `error`, with the place of the current entry, which is `record`.
    #[cold]
    #[must_use]
    pub fn error_of(&self, error: Error, record: &RecordRef<'_>) -> Box<LocatedError> {
        let record = RecordSummary { code: record.code, operands: record.ops.len() };
        Box::new(LocatedError { error, location: self.location(Some(record)) })
    }

    /// Opens a block that [`next`](Self::next) has just passed over.
    pub fn enter(&mut self, header: &BlockHeader) {
        self.inherit(header.id);
        let open = &mut *self.open;
        open.outer.push(open.scope);
        open.scope = Scope {
            id: header.id,
            selectors: Selectors::of(header.width),
            end: header.end(),
            at: header.at,
            body: header.body,
            inherited: open.inherited.len(),
            abbrevs: open.abbrevs.len(),
        };
        open.target = None;
        self.position = header.body - self.base;
        self.update_scope();
    }

    /// Goes on at a bit of the innermost block, counted from the start of the file: where a record begins, in front of which
    /// all abbreviations of the block are defined.
    ///
    /// # Errors
    ///
    /// `B01`: the bit is not in the block.
    pub fn seek(&mut self, bit: u64) -> Result<()> {
        let position =
            bit.checked_sub(self.base).filter(|&at| bit >= self.open.scope.body && at < self.limit);
        match position {
            Some(position) => {
                self.position = position;
                Ok(())
            }
            None => Err(self.error(Error::Truncated)),
        }
    }

    /// Makes the list that blocks with this id inherit the current one.
    fn inherit(&mut self, block: u32) {
        let OpenBlocks { inherited, info, .. } = &mut *self.open;
        let list = info.list(block);
        if !Arc::ptr_eq(list, inherited) {
            *inherited = Arc::clone(list);
        }
    }

    /// What changes with the innermost block.
    fn update_scope(&mut self) {
        let scope = &self.open.scope;
        self.records = if matches!(scope.id, TOP_LEVEL | BLOCKINFO) { NO_RECORDS } else { scope.selectors };
        let available = self.bytes.len() as u64 * 8;
        self.limit = available.min(scope.end.saturating_sub(self.base));
    }

    /// Reads the next entry of the innermost block.
    ///
    /// # Errors
    ///
    /// `B01` to `B14` and `B18`. After an error the reader's position means nothing.
    pub fn next(&mut self, record: &mut Record) -> Result<Entry> {
        if self.take_record(record, self.records)? {
            return Ok(Entry::Record);
        }
        self.next_other(record)
    }

    /// Reads the next entry into `record` if it is a record.
    fn take_record(&mut self, record: &mut Record, selectors: Selectors) -> Result<bool> {
        record.blob = None;
        let Some(found) = self.read_record(record, selectors)? else { return Ok(false) };
        let (code, abbrev, length) = (found.code, found.abbrev, found.ops.len());
        (record.code, record.abbrev, record.ops.len) = (code, abbrev, length);
        Ok(true)
    }

    /// Reads the entry before which [`next_record`](Self::next_record) stopped. It is a record at the top level and in
    /// BLOCKINFO alone.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Self::next).
    pub fn next_other(&mut self, record: &mut Record) -> Result<Entry> {
        self.next_slow(record).map_err(|error| self.entry_error(error))
    }

    /// Reads the next record of a block that holds no blocks; false at its end.
    ///
    /// # Errors
    ///
    /// Those of [`Self::next`], and `M01` for a block inside.
    pub fn next_in_leaf(&mut self, record: &mut Record) -> Result<bool> {
        loop {
            if self.take_record(record, self.records)? {
                return Ok(true);
            }
            if self.end_of_leaf()? {
                return Ok(false);
            }
        }
    }

    /// Reads the entry before which [`next_record`](Self::next_record) stopped in a block that holds no blocks. Says
    /// whether it is the end of the block, or else a definition.
    ///
    /// # Errors
    ///
    /// Those of [`Self::next`], and `M01` for a block inside.
    pub fn end_of_leaf(&mut self) -> Result<bool> {
        match self.next_other(&mut Record::default())? {
            Entry::EndBlock => Ok(true),
            Entry::DefineAbbrev | Entry::Record => Ok(false),
            Entry::Block(inner) => {
                Err(self.error(Error::UnexpectedBlock { block: inner.id, outer: self.open.scope.id }))
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
    fn next_slow(&mut self, record: &mut Record) -> Result<Entry> {
        self.entry = self.position;
        let Scope { id, selectors, .. } = self.open.scope;
        let mut cursor = Cursor::at(self.bytes, self.position);
        let selector = cursor.peek(selectors.mask);
        cursor.consume(selectors.width);
        if cursor.position() > self.limit {
            return Err(self.error(Error::Truncated));
        }
        match (selector, id) {
            (END_BLOCK, _) if id != TOP_LEVEL => self.end_block(cursor),
            (ENTER_SUBBLOCK, _) if id != BLOCKINFO => self.block_header(cursor),
            _ => self.rare_entry(selector, cursor, record),
        }
    }

    /// What stands in few places: definitions of abbreviations, and all of the top level and of BLOCKINFO that is
    /// neither the start of a block nor its end.
    #[inline(never)]
    fn rare_entry(&mut self, selector: u32, cursor: Cursor<'a>, record: &mut Record) -> Result<Entry> {
        let Scope { id, selectors, .. } = self.open.scope;
        match (selector, id) {
            (_, TOP_LEVEL) => Err(self.error(Error::TopLevelEntry)),
            (ENTER_SUBBLOCK, _) if self.open.dialect == Dialect::Pnacl => {
                Err(self.error(Error::BadBlockInfo))
            }
            (ENTER_SUBBLOCK, _) => self.block_header(cursor),
            (DEFINE_ABBREV, _) => self.definition(cursor),
            _ if !self.take_record(record, selectors)? => Err(self.error(Error::Truncated)),
            (_, BLOCKINFO) => self.block_info_record(record),
            _ => Ok(Entry::Record),
        }
    }

    fn definition(&mut self, mut cursor: Cursor<'a>) -> Result<Entry> {
        let abbrev = Abbrev::read(&mut cursor, self.open.dialect).map_err(|error| {
            // Zero bits behind the end look like a bad definition.
            match cursor.position() > self.limit {
                true => self.error(past_limit(&cursor)),
                false => self.error(error),
            }
        })?;
        self.check(&cursor)?;
        let abbrev = Arc::new(abbrev);
        match (self.open.scope.id, self.open.target) {
            (BLOCKINFO, Some(block)) => Arc::make_mut(&mut self.open.info).define(block, abbrev),
            (BLOCKINFO, None) => return Err(self.error(Error::BadBlockInfo)),
            _ => self.open.abbrevs.push(abbrev),
        }
        self.position = cursor.position();
        Ok(Entry::DefineAbbrev)
    }

    fn block_info_record(&mut self, record: &Record) -> Result<Entry> {
        match (record.code, &record.ops[..], self.open.dialect) {
            (1, &[block], _) if u32::try_from(block).is_ok() => self.open.target = Some(block as u32),
            (2.., _, Dialect::Llvm) => {}
            _ => return Err(self.record_error(Error::BadBlockInfo, record)),
        }
        Ok(Entry::Record)
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
        if padding != 0 && self.open.dialect == Dialect::Pnacl && !cursor.is_past_end() {
            return Err(self.error(Error::NonzeroPadding));
        }
        Ok(())
    }

    #[inline(always)]
    fn end_block(&mut self, mut cursor: Cursor<'a>) -> Result<Entry> {
        self.align32(&mut cursor)?;
        let position = self.base + cursor.position();
        if position != self.open.scope.end {
            return Err(self.error(self.bad_end(&cursor)));
        }
        self.position = cursor.position();
        let open = &mut *self.open;
        if open.abbrevs.len() > open.scope.abbrevs {
            open.abbrevs.truncate(open.scope.abbrevs);
        }
        open.target = None;
        if let Some(outer) = open.outer.pop() {
            open.scope = outer;
            self.inherit(outer.id);
        }
        self.update_scope();
        Ok(Entry::EndBlock)
    }

    #[cold]
    fn bad_end(&self, cursor: &Cursor<'_>) -> Error {
        let Scope { id, body, end, .. } = self.open.scope;
        let (declared, used) = ((end - body) / 32, (self.base + cursor.position() - body) / 32);
        match cursor.is_past_end() {
            true => Error::Truncated,
            false => Error::BlockLength { block: id, declared, used },
        }
    }

    #[inline(always)]
    fn block_header(&mut self, mut cursor: Cursor<'a>) -> Result<Entry> {
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
        if header.end() > self.open.scope.end {
            return Err(self.error(Error::BlockTooLong { block: id }));
        }
        self.position = header.end() - self.base;
        Ok(Entry::Block(header))
    }
}

//! Writes a bitstream: the inverse of the reader, record by record.
//!
//! Bits collect in a 64-bit window that is flushed a word at a time. A block's length is written as zero first
//! and patched when the block ends. The writer follows BLOCKINFO like the reader, so that the abbreviations
//! of a block can be used by number. Its raw fields are public, because tests build damaged inputs with them.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::abbrev::{Abbrev, BlockInfo, Element, Op};
use super::cursor::CHAR6;
use super::{BLOCKINFO, DEFINE_ABBREV, END_BLOCK, ENTER_SUBBLOCK, FIRST_ABBREV, UNABBREV_RECORD};
use crate::error::Error;

#[derive(Debug)]
struct Scope {
    id: u32,
    width: u32,
    /// Byte offset of the length word.
    length_at: usize,
    locals: Vec<Abbrev>,
}

/// Collects a bitstream.
#[derive(Default, Debug)]
pub struct Writer {
    bytes: Vec<u8>,
    window: u64,
    bits: u32,
    scopes: Vec<Scope>,
    info: BlockInfo,
    target: Option<u32>,
}

impl Writer {
    /// A writer at top level, behind the bytes of `header` (a multiple of 4).
    #[must_use]
    pub fn new(header: &[u8]) -> Writer {
        debug_assert!(header.len().is_multiple_of(4));
        Writer { bytes: header.to_vec(), ..Writer::default() }
    }

    // ---- raw fields

    /// A field of `width` bits, 0..=32, cut off above.
    #[inline]
    pub fn fixed(&mut self, value: u64, width: u32) {
        self.window |= (value & ((1 << width) - 1)) << self.bits;
        self.bits += width;
        if self.bits >= 32 {
            self.bytes.extend_from_slice(&(self.window as u32).to_le_bytes());
            self.window >>= 32;
            self.bits -= 32;
        }
    }

    /// A number in chunks of `width` bits, 2..=32.
    #[inline]
    pub fn vbr(&mut self, mut value: u64, width: u32) {
        let more = 1u64 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    /// Zero bits up to the next word.
    pub fn align32(&mut self) {
        if self.bits != 0 {
            self.fixed(0, 32 - self.bits);
        }
    }

    /// The selector of an entry in the current block.
    pub fn selector(&mut self, selector: u32) {
        self.fixed(u64::from(selector), self.scopes.last().map_or(2, |scope| scope.width));
    }

    /// The next bit, counted from the start of the file.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.bytes.len() as u64 * 8 + u64::from(self.bits)
    }

    // ---- entries

    /// Opens a block with selectors of `width` bits, 2..=32.
    pub fn enter(&mut self, id: u32, width: u32) {
        self.selector(ENTER_SUBBLOCK);
        self.vbr(u64::from(id), 8);
        self.vbr(u64::from(width), 4);
        self.align32();
        let length_at = self.bytes.len();
        self.fixed(0, 32);
        self.scopes.push(Scope { id, width, length_at, locals: Vec::new() });
        self.target = None;
    }

    /// Closes the innermost block.
    ///
    /// # Panics
    ///
    /// If no block is open.
    pub fn end(&mut self) {
        self.selector(END_BLOCK);
        self.align32();
        let scope = self.scopes.pop().expect("a block is open");
        let body = scope.length_at + 4;
        let words = ((self.bytes.len() - body) / 4) as u32;
        self.bytes[scope.length_at..body].copy_from_slice(&words.to_le_bytes());
        self.target = None;
    }

    /// Defines an abbreviation: for the innermost block, or inside BLOCKINFO for the block of the last SETBID.
    pub fn define(&mut self, abbrev: &Abbrev) {
        self.selector(DEFINE_ABBREV);
        let (element, tail_ops) = match abbrev.tail() {
            Element::None => (None, 0),
            Element::Array(op) => (Some(op), 2),
            Element::Blob => (None, 1),
        };
        self.vbr(abbrev.ops().len() as u64 + tail_ops, 5);
        abbrev.ops().iter().for_each(|&op| self.define_op(op));
        if let Some(op) = element {
            self.fixed(3 << 1, 4);
            self.define_op(op);
        } else if tail_ops == 1 {
            self.fixed(5 << 1, 4);
        }
        match (self.scopes.last_mut(), self.target) {
            (Some(Scope { id: BLOCKINFO, .. }), Some(block)) => {
                self.info.define(block, Arc::new(abbrev.clone()))
            }
            (Some(scope), _) => scope.locals.push(abbrev.clone()),
            (None, _) => {}
        }
    }

    fn define_op(&mut self, op: Op) {
        match op {
            Op::Literal(value) => {
                self.fixed(1, 1);
                self.vbr(value, 8);
            }
            Op::Fixed(width) => {
                self.fixed(1 << 1, 4);
                self.vbr(u64::from(width), 5);
            }
            Op::Vbr(width) => {
                self.fixed(2 << 1, 4);
                self.vbr(u64::from(width), 5);
            }
            Op::Char6 => self.fixed(4 << 1, 4),
        }
    }

    /// A record without abbreviation.
    pub fn record(&mut self, code: u32, ops: &[u64]) {
        self.selector(UNABBREV_RECORD);
        self.vbr(u64::from(code), 6);
        self.vbr(ops.len() as u64, 6);
        ops.iter().for_each(|&op| self.vbr(op, 6));
        if let (Some(Scope { id: BLOCKINFO, .. }), 1, &[block]) = (self.scopes.last(), code, ops) {
            self.target = Some(block as u32);
        }
    }

    /// A record through the abbreviation with this selector; [`UNABBREV_RECORD`] for none.
    ///
    /// # Errors
    ///
    /// `W01` if there is no such abbreviation or it cannot express the record. Nothing is written then.
    pub fn abbreviated(&mut self, abbrev: u32, code: u32, ops: &[u64]) -> Result<(), Error> {
        if abbrev == UNABBREV_RECORD {
            self.record(code, ops);
            return Ok(());
        }
        let error = Error::DoesNotFit { abbrev };
        let (fields, tail) = match self.find(abbrev) {
            Some(found) => (found.ops().len(), found.tail()),
            None => return Err(error),
        };
        if !self.find(abbrev).is_some_and(|found| fits(found, code, ops)) {
            return Err(error);
        }
        self.selector(abbrev);
        let value = |i: usize| if i == 0 { u64::from(code) } else { ops[i - 1] };
        for i in 0..fields {
            let op = self.find(abbrev).map_or(Op::Literal(0), |found| found.ops()[i]);
            self.field(op, value(i));
        }
        if let Element::Array(op) = tail {
            let count = ops.len() + 1 - fields;
            self.vbr(count as u64, 6);
            (fields..fields + count).for_each(|i| self.field(op, value(i)));
        }
        Ok(())
    }

    /// A record through an abbreviation that ends in a blob. LLVM only.
    ///
    /// # Errors
    ///
    /// `W01`, see [`abbreviated`](Self::abbreviated).
    pub fn blob(&mut self, abbrev: u32, code: u32, ops: &[u64], blob: &[u8]) -> Result<(), Error> {
        let found = self.find(abbrev).filter(|found| found.tail() == Element::Blob);
        let Some(scalars) = found.and_then(|found| Abbrev::new(found.ops(), Element::None).ok()) else {
            return Err(Error::DoesNotFit { abbrev });
        };
        if !fits(&scalars, code, ops) {
            return Err(Error::DoesNotFit { abbrev });
        }
        self.selector(abbrev);
        let values = core::iter::once(u64::from(code)).chain(ops.iter().copied());
        scalars.ops().iter().zip(values).for_each(|(&op, value)| self.field(op, value));
        self.vbr(blob.len() as u64, 6);
        self.align32();
        blob.iter().for_each(|&byte| self.fixed(u64::from(byte), 8));
        self.align32();
        Ok(())
    }

    fn find(&self, abbrev: u32) -> Option<&Abbrev> {
        let scope = self.scopes.last()?;
        let inherited = self.info.abbrevs(scope.id);
        let index = abbrev.checked_sub(FIRST_ABBREV)? as usize;
        inherited
            .get(index)
            .map(|abbrev| &**abbrev)
            .or_else(|| scope.locals.get(index.checked_sub(inherited.len())?))
    }

    #[inline]
    fn field(&mut self, op: Op, value: u64) {
        match op {
            Op::Literal(_) | Op::Vbr(0) => {}
            Op::Fixed(width) => self.fixed(value, width),
            Op::Vbr(width) => self.vbr(value, width),
            Op::Char6 => self.fixed(char6(value).unwrap_or(0), 6),
        }
    }

    /// The file. Open blocks are closed first.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        while !self.scopes.is_empty() {
            self.end();
        }
        self.align32();
        self.bytes
    }
}

/// The code of an ASCII character in the 64-letter alphabet.
fn char6(value: u64) -> Option<u64> {
    CHAR6.iter().position(|&c| u64::from(c) == value).map(|i| i as u64)
}

/// Whether `abbrev`, which has no blob, can express a record.
fn fits(abbrev: &Abbrev, code: u32, ops: &[u64]) -> bool {
    let fields = abbrev.ops();
    let element = match abbrev.tail() {
        Element::Array(op) => Some(op),
        Element::None if fields.len() == ops.len() + 1 => None,
        _ => return false,
    };
    let values = core::iter::once(u64::from(code)).chain(ops.iter().copied());
    let layout = fields.iter().copied().chain(element.into_iter().cycle());
    ops.len() + 1 >= fields.len()
        && layout.zip(values).all(|(op, value)| match op {
            Op::Literal(literal) => literal == value,
            Op::Fixed(width) => value >> width == 0,
            Op::Vbr(width) => width != 0 || value == 0,
            Op::Char6 => char6(value).is_some(),
        })
}

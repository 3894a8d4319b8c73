//! Abbreviations: templates for records, and the lists of them that BLOCKINFO gives to blocks.
//!
//! An abbreviation is kept as it is executed: a run of scalar fields, then at most one array or blob. Widths
//! of zero are legal, take no bits and give 0; they stay as they are so that a rewritten file is the same.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Cursor, Dialect};
use crate::error::Error;

/// How one operand is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// No bits; the operand is this number.
    Literal(u64),
    /// That many bits, 0..=32.
    Fixed(u32),
    /// Variable width in chunks of that many bits, 0 or 2..=32.
    Vbr(u32),
    /// A character in 6 bits.
    Char6,
}

/// What follows the scalar fields of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// Nothing.
    None,
    /// A count and that many operands.
    Array(Op),
    /// A count and that many aligned bytes. LLVM only.
    Blob,
}

/// A scalar field, made ready for reading: each kind is a case of a number in chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field {
    /// The number of a field without bits, otherwise 0.
    pub(super) literal: u64,
    /// The bits of a chunk.
    pub(super) mask: u32,
    /// The bit that says that another chunk follows; 0 where there is only one.
    pub(super) more: u32,
    /// Bits of a chunk, 0..=32.
    pub(super) width: u8,
    /// Bits of two chunks, or of the only one; at most 56.
    pub(super) two: u8,
    /// Bits of the fields before this one, if each has one chunk.
    pub(super) shift: u8,
}

/// Bits that a window has at least after it was filled.
const MAX_SHORT: u32 = 56;

/// Chunks of so many bits are not read two at once.
const WIDE: u32 = 29;

impl Field {
    /// The field of an `op` that is no character and has no [`WIDE`] chunks.
    fn new(op: Op) -> Field {
        let chunk = |width: u32, more: u32, chunks: u32| {
            let (mask, two) = (u32::MAX.checked_shr(32 - width).unwrap_or(0), (width * chunks) as u8);
            Field { literal: 0, mask, more, width: width as u8, two, shift: 0 }
        };
        match op {
            Op::Literal(literal) => Field { literal, ..chunk(0, 0, 1) },
            Op::Fixed(width) => chunk(width, 0, 1),
            Op::Vbr(0) => chunk(0, 0, 1),
            Op::Vbr(width) => chunk(width, 1 << (width - 1), 2),
            Op::Char6 => chunk(6, 0, 1),
        }
    }
}

/// An abbreviation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abbrev {
    ops: Box<[Op]>,
    tail: Element,
    /// The fields behind a literal code, ready for reading.
    pub(super) fields: Box<[Field]>,
    /// The code, if `layout` is not [`Layout::Unusual`].
    pub(super) code: u32,
    pub(super) layout: Layout,
    /// Bits of the fields, if each has one chunk. Of these bits, those that say that another chunk follows. For
    /// [`Layout::Short`] alone.
    pub(super) bits: u32,
    pub(super) more: u64,
}

/// Which way a record is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// A literal code and fields that are in one window, if each has one chunk.
    Short,
    /// A literal code and the fields.
    Scalars,
    /// As `Scalars`, and an array or blob.
    Tail,
    /// The code is no literal, or a scalar field is a character or has very wide chunks: a slower way.
    Unusual,
}

impl Abbrev {
    /// An abbreviation of scalar fields, the first of which is the record code, and a tail.
    ///
    /// # Errors
    ///
    /// `B07` if there is nothing at all, `B09` for a width out of range, `B10` for a blob as the record code.
    pub fn new(ops: &[Op], tail: Element) -> Result<Abbrev, Error> {
        match tail {
            Element::None if ops.is_empty() => return Err(Error::EmptyAbbrev),
            Element::Blob if ops.is_empty() => return Err(Error::MisplacedArray),
            _ => {}
        }
        let element = match tail {
            Element::Array(op) => Some(op),
            _ => None,
        };
        for op in ops.iter().copied().chain(element) {
            match op {
                Op::Fixed(width @ 33..) | Op::Vbr(width @ (1 | 33..)) => {
                    return Err(Error::AbbrevWidth { width });
                }
                _ => {}
            }
        }
        let is_unusual = |op: &Op| matches!(op, Op::Char6 | Op::Vbr(WIDE..));
        let (code, layout) = match ops.first() {
            Some(&Op::Literal(code)) if code <= u64::from(u32::MAX) && !ops.iter().any(is_unusual) => {
                (code as u32, if tail == Element::None { Layout::Scalars } else { Layout::Tail })
            }
            _ => (0, Layout::Unusual),
        };
        let mut fields: Box<[Field]> = ops.iter().skip(1).map(|&op| Field::new(op)).collect();
        let (mut bits, mut more) = (0, 0);
        for field in &mut fields {
            field.shift = bits.min(MAX_SHORT) as u8;
            more |= u64::from(field.more).checked_shl(bits).unwrap_or(0);
            bits += u32::from(field.width);
        }
        let layout = if layout == Layout::Scalars && bits <= MAX_SHORT { Layout::Short } else { layout };
        Ok(Abbrev { ops: ops.into(), tail, fields, code, layout, bits, more })
    }

    /// The scalar fields; the first is the record code, unless there are none.
    #[inline]
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// What follows them.
    #[inline]
    #[must_use]
    pub const fn tail(&self) -> Element {
        self.tail
    }

    /// Reads a definition, behind the selector. Overflow and the end of the input are the caller's to ask for.
    pub(super) fn read(cursor: &mut Cursor<'_>, dialect: Dialect) -> Result<Abbrev, Error> {
        let count = cursor.read_vbr32(5);
        let (mut ops, mut tail) = (Vec::new(), Element::None);
        for index in 0..count {
            if cursor.is_past_end() {
                return Err(Error::Truncated);
            }
            let op = if cursor.read_fixed(1) == 1 {
                Op::Literal(cursor.read_vbr(8))
            } else {
                match (cursor.read_fixed(3) as u32, dialect) {
                    (1, _) => Op::Fixed(cursor.read_vbr32(5)),
                    (2, _) => Op::Vbr(cursor.read_vbr32(5)),
                    (3, _) => {
                        if tail != Element::None || u64::from(index) + 2 != u64::from(count) {
                            return Err(Error::MisplacedArray);
                        }
                        tail = Element::Array(Op::Char6);
                        continue;
                    }
                    (4, _) => Op::Char6,
                    (5, Dialect::Llvm) => {
                        if tail != Element::None || index + 1 != count {
                            return Err(Error::MisplacedArray);
                        }
                        tail = Element::Blob;
                        continue;
                    }
                    (encoding, _) => return Err(Error::AbbrevEncoding { encoding }),
                }
            };
            match &mut tail {
                Element::Array(element) => *element = op,
                _ => ops.push(op),
            }
        }
        Abbrev::new(&ops, tail)
    }
}

/// The abbreviations that blocks inherit, by block id.
#[derive(Clone, Default, Debug)]
pub struct BlockInfo {
    lists: Vec<(u32, Vec<Arc<Abbrev>>)>,
}

impl BlockInfo {
    /// Appends `abbrev` to the list of blocks with this id.
    pub fn define(&mut self, block: u32, abbrev: Arc<Abbrev>) {
        match self.lists.iter_mut().find(|(id, _)| *id == block) {
            Some((_, list)) => list.push(abbrev),
            None => self.lists.push((block, alloc::vec![abbrev])),
        }
    }

    /// The list of blocks with this id.
    #[must_use]
    pub fn abbrevs(&self, block: u32) -> &[Arc<Abbrev>] {
        self.get(self.inherited(block))
    }

    /// What a block with this id inherits when it is entered now.
    pub(super) fn inherited(&self, block: u32) -> Inherited {
        match self.lists.iter().position(|(id, _)| *id == block) {
            Some(list) => Inherited { list, count: self.lists[list].1.len() },
            None => Inherited::default(),
        }
    }

    /// The abbreviations that a block inherits.
    #[inline]
    pub(super) fn get(&self, inherited: Inherited) -> &[Arc<Abbrev>] {
        self.lists.get(inherited.list).map_or(&[], |(_, list)| &list[..inherited.count])
    }
}

/// The start of one of the lists, which only grow.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Inherited {
    list: usize,
    count: usize,
}

//! Abbreviations: templates for records, and the lists of them that BLOCKINFO gives to blocks.
//!
//! An abbreviation is kept as it is written, a list of scalar fields, then at most one array or blob, and, where it is
//! simple enough, as a flat plan by which its records are read. Widths of zero are legal, take no bits and give 0;
//! they stay as they are so that a rewritten file is the same.

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
    pub(super) width: u32,
    /// Bits of the fields before this one, if each has one chunk.
    pub(super) shift: u32,
}

/// Bits that a window has at least after it was filled.
const WINDOW: u32 = 56;

impl Field {
    /// The field of an `op`, and the bits of two chunks of it, or of the only one. None for a character.
    fn new(op: Op) -> Option<(Field, u32)> {
        let chunk = |width: u32, more: u32| Field {
            literal: 0,
            mask: u32::MAX.checked_shr(32 - width).unwrap_or(0),
            more,
            width,
            shift: 0,
        };
        match op {
            Op::Literal(literal) => Some((Field { literal, ..chunk(0, 0) }, 0)),
            Op::Fixed(width) => Some((chunk(width, 0), width)),
            Op::Vbr(0) => Some((chunk(0, 0), 0)),
            Op::Vbr(width) => Some((chunk(width, 1 << (width - 1)), 2 * width)),
            Op::Char6 => None,
        }
    }
}

/// How the records of an abbreviation are read at one go: a literal code, and fields that are all in one window unless
/// one of them has more than two chunks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    pub(super) code: u32,
    /// The operands.
    pub(super) fields: Box<[Field]>,
    /// Bits of the fields, if each has two chunks where it may.
    pub(super) bits: u32,
    /// Bits of the fields, if each has one chunk. Of these bits, those that say that another chunk follows.
    pub(super) short: u32,
    pub(super) more: u64,
}

impl Plan {
    /// The plan for records of these fields without a tail, if there is one.
    fn new(ops: &[Op]) -> Option<Plan> {
        let (&Op::Literal(code), operands) = ops.split_first()? else { return None };
        let code = u32::try_from(code).ok()?;
        let (mut bits, mut short, mut more) = (0, 0, 0);
        let fields: Option<Box<[Field]>> = operands
            .iter()
            .map(|&op| {
                let (mut field, most) = Field::new(op)?;
                bits += most;
                if bits > WINDOW {
                    return None;
                }
                field.shift = short;
                more |= u64::from(field.more) << short;
                short += field.width;
                Some(field)
            })
            .collect();
        Some(Plan { code, fields: fields?, bits, short, more })
    }
}

/// An abbreviation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abbrev {
    ops: Box<[Op]>,
    tail: Element,
    /// How its records are read at one go, if they can.
    pub(super) plan: Option<Plan>,
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
        let plan = if tail == Element::None { Plan::new(ops) } else { None };
        Ok(Abbrev { ops: ops.into(), tail, plan })
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

/// A list of abbreviations, which blocks that inherit it share.
pub(super) type AbbrevList = Arc<Vec<Arc<Abbrev>>>;

/// The abbreviations that blocks inherit, by block id.
#[derive(Clone, Default, Debug)]
pub struct BlockInfo {
    lists: Vec<(u32, AbbrevList)>,
    /// The list of the other blocks.
    none: AbbrevList,
}

impl BlockInfo {
    /// Appends `abbrev` to the list of blocks with this id that are entered from now on.
    pub fn define(&mut self, block: u32, abbrev: Arc<Abbrev>) {
        match self.lists.iter_mut().find(|(id, _)| *id == block) {
            Some((_, list)) => Arc::make_mut(list).push(abbrev),
            None => self.lists.push((block, Arc::new(alloc::vec![abbrev]))),
        }
    }

    /// The list of blocks with this id.
    #[must_use]
    pub fn abbrevs(&self, block: u32) -> &[Arc<Abbrev>] {
        self.list(block)
    }

    /// What a block with this id inherits when it is entered now.
    pub(super) fn list(&self, block: u32) -> &AbbrevList {
        self.lists.iter().find(|(id, _)| *id == block).map_or(&self.none, |(_, list)| list)
    }
}

//! The bitstream container: nested blocks of records, laid out by abbreviations.
//!
//! Problem: LLVM and PNaCl bitcode store a program as a sequence of bit fields. A *block* has an id, its own
//! selector width and a length; inside are *records* (a code and 64-bit operands), nested blocks and
//! *abbreviations*, templates that say how later records are packed.
//!
//! | file | content |
//! |---|---|
//! | `cursor`  | bit fields over a byte slice: fixed, variable-width (VBR), char6, alignment |
//! | `abbrev`  | abbreviations, and the BLOCKINFO lists that blocks inherit |
//! | `reader`  | entries, one at a time, with a stack of open blocks; blocks are skipped by their length |
//! | `writer`  | the inverse |
//!
//! Nothing here knows what a record means, except for BLOCKINFO (block 0), which is part of the container.
//! The container is described in the LLVM manual, "LLVM Bitcode File Format", and in the bitcode
//! specification, section 3.

mod abbrev;
mod cursor;
mod reader;
mod writer;

pub use abbrev::{Abbrev, BlockInfo, Element, Op};
pub use cursor::Cursor;
pub use reader::{BlockHeader, Entry, Operands, Reader, Record, RecordRef};
pub use writer::Writer;

/// Which producer's container is read: the two differ in what is legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// PNaCl: no blobs, one kind of BLOCKINFO record, zero padding.
    Pnacl,
    /// LLVM: blobs, names in BLOCKINFO, padding not looked at.
    Llvm,
}

/// The block id of BLOCKINFO, the only block that the container itself gives a meaning to.
pub const BLOCKINFO: u32 = 0;

/// Selector of the entry that ends a block.
pub(crate) const END_BLOCK: u32 = 0;
/// Selector of the entry that starts a nested block.
pub(crate) const ENTER_SUBBLOCK: u32 = 1;
/// Selector of an abbreviation definition.
pub(crate) const DEFINE_ABBREV: u32 = 2;
/// Selector of a record without abbreviation.
pub const UNABBREV_RECORD: u32 = 3;
/// Selector of the first abbreviation of a block.
pub const FIRST_ABBREV: u32 = 4;

/// Maps a signed number to the rotated-sign form: magnitude shifted left, sign in bit 0, and 1 for the minimum.
///
/// ```
/// use ice_bitcode::bitstream::{rotate_sign, unrotate_sign};
/// assert_eq!(rotate_sign(-2147483648), 4294967297);
/// assert_eq!(unrotate_sign(1), i64::MIN);
/// ```
#[must_use]
pub const fn rotate_sign(value: i64) -> u64 {
    if value >= 0 { (value as u64) << 1 } else { (value.unsigned_abs() << 1) | 1 }
}

/// The inverse of [`rotate_sign`].
#[must_use]
pub const fn unrotate_sign(bits: u64) -> i64 {
    if bits & 1 == 0 {
        (bits >> 1) as i64
    } else if bits == 1 {
        i64::MIN
    } else {
        -((bits >> 1) as i64)
    }
}

//! Records in a row, read at one go.
//!
//! Most of a block is records, and reading one is short: what a call costs, and bringing the position into registers
//! and back, would be half of it. So a run of records is read before the first is looked at. A run ends before the
//! first entry that is no record, when its memory is full, and before a record with an error, which is reported when
//! everything before it was looked at: nobody sees that reading went ahead.
//!
//! Data: one list of words. A record is a head of two words, then its operands. What is behind the last record is
//! left from earlier runs, so that nothing is zeroed again.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// Words before the operands of a record: its code with their number above bit 32, and the bit of the reader's slice
/// that is behind it.
pub(super) const HEAD: usize = 2;

/// A run of records. Reused from run to run.
#[derive(Clone, Default, Debug)]
pub struct Records {
    pub(super) words: Vec<u64>,
    /// How many of the words are records.
    pub(super) used: usize,
    /// The first bit of the first record, in the reader's slice.
    pub(super) start: u64,
}

impl Records {
    /// The records in order.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = RecordRef<'_>> {
        let mut words = &self.words[..self.used];
        core::iter::from_fn(move || {
            let (head, rest) = words.split_first_chunk()?;
            let (ops, rest) = rest.split_at_checked((head[0] >> 32) as usize)?;
            words = rest;
            Some(RecordRef { head, ops })
        })
    }

    /// The first bit of `record`, which is one of these, in the reader's slice.
    #[cold]
    pub(super) fn start_of(&self, record: &RecordRef<'_>) -> u64 {
        let before = self.iter().take_while(|other| !core::ptr::eq(other.head, record.head));
        before.last().map_or(self.start, |last| last.end())
    }
}

/// One record of a run.
#[derive(Clone, Copy, Debug)]
pub struct RecordRef<'a> {
    head: &'a [u64; HEAD],
    /// Operands.
    pub ops: &'a [u64],
}

impl RecordRef<'_> {
    /// Record code.
    #[inline(always)]
    #[must_use]
    pub const fn code(&self) -> u32 {
        self.head[0] as u32
    }

    /// The bit behind it, in the reader's slice.
    pub(super) const fn end(&self) -> u64 {
        self.head[1]
    }
}

/// The operands of a record that is read alone: a list like a vector.
#[derive(Clone, Default)]
pub struct Operands {
    /// The record, and what is left from earlier ones.
    pub(super) words: Vec<u64>,
    pub(super) len: usize,
}

impl Deref for Operands {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        self.words.get(HEAD..HEAD + self.len).unwrap_or(&[])
    }
}

impl fmt::Debug for Operands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

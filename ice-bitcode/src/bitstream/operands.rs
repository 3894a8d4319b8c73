//! The operands of a record.
//!
//! A list like a vector, but one whose places stay when it is emptied: a record is read into them without asking
//! for room at every operand, and nothing is zeroed again.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// Operands of one record after the other.
#[derive(Clone, Default)]
pub struct Operands {
    /// What is behind the length is left from earlier records.
    places: Vec<u64>,
    len: usize,
}

impl Operands {
    /// Forgets all operands.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends an operand.
    pub fn push(&mut self, operand: u64) {
        self.grow(1)[0] = operand;
    }

    /// Appends `count` operands, which are to be written: they are anything before.
    #[inline(always)]
    pub(super) fn grow(&mut self, count: usize) -> &mut [u64] {
        let start = self.len;
        self.len = start + count;
        if self.places.len() < self.len {
            self.enlarge();
        }
        &mut self.places[start..self.len]
    }

    #[cold]
    #[inline(never)]
    fn enlarge(&mut self) {
        self.places.resize(self.len.next_power_of_two().max(64), 0);
    }

    /// Takes out the first operand.
    pub(super) fn remove_first(&mut self) -> Option<u64> {
        let first = self.first().copied()?;
        self.places.copy_within(1..self.len, 0);
        self.len -= 1;
        Some(first)
    }
}

impl Deref for Operands {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.places[..self.len]
    }
}

impl fmt::Debug for Operands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again() {
        let mut operands = Operands::default();
        operands.grow(3).copy_from_slice(&[1, 2, 3]);
        operands.push(4);
        assert_eq!(*operands, [1, 2, 3, 4]);
        assert_eq!(operands.remove_first(), Some(1));
        assert_eq!(*operands, [2, 3, 4]);
        operands.clear();
        assert_eq!((operands.len(), operands.remove_first()), (0, None));
        operands.grow(100).fill(5);
        assert_eq!(operands.iter().sum::<u64>(), 500);
    }
}

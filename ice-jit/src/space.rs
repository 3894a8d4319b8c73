//! Which bytes of an area are free.
//!
//! First fit over an ordered map of free ranges that never touch: what is released grows together with its neighbours, so
//! an area whose parts are all released is one range again. Cost: linear in free ranges to allocate, logarithmic to
//! release.

use std::collections::BTreeMap;
use std::ops::Range;

/// The free ranges of `0..size`.
pub(crate) struct Space {
    /// Ends by starts.
    free: BTreeMap<usize, usize>,
    /// The end of what has ever been taken.
    touched: usize,
}

impl Space {
    /// All is free.
    pub(crate) fn new(size: usize) -> Space {
        let free = if size > 0 { BTreeMap::from([(0, size)]) } else { BTreeMap::new() };
        Space { free, touched: 0 }
    }

    /// Takes `size` bytes; `None` if no free range has as many. No bytes are at the start of the area.
    pub(crate) fn take(&mut self, size: usize, alignment: usize) -> Option<Range<usize>> {
        if size == 0 {
            return Some(0..0);
        }
        let (start, end, at) = self.free.iter().find_map(|(&start, &end)| {
            let at = start.checked_next_multiple_of(alignment)?;
            (at.checked_add(size)? <= end).then_some((start, end, at))
        })?;
        self.free.remove(&start);
        if start < at {
            self.free.insert(start, at);
        }
        if at + size < end {
            self.free.insert(at + size, end);
        }
        self.touched = self.touched.max(at + size);
        Some(at..at + size)
    }

    /// Gives back what was taken.
    pub(crate) fn release(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let Range { mut start, mut end } = range;
        if let Some((&before, &before_end)) = self.free.range(..start).next_back()
            && before_end == start
        {
            start = before;
        }
        if let Some(&behind) = self.free.get(&end) {
            self.free.remove(&end);
            end = behind;
        }
        self.free.insert(start, end);
    }

    /// The end of what has ever been taken: bytes from there on are as the system gave them.
    pub(crate) fn touched(&self) -> usize {
        self.touched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_grow_together_again() {
        let mut space = Space::new(100);
        let first = space.take(10, 1).expect("there is room");
        let second = space.take(10, 16).expect("there is room");
        let third = space.take(50, 1).expect("there is room");
        assert_eq!([&first, &second, &third], [&(0..10), &(16..26), &(26..76)]);
        assert_eq!(space.take(25, 1), None);
        assert_eq!(space.take(6, 2), Some(10..16));
        assert_eq!(space.touched(), 76);
        for range in [second, 10..16, third, first] {
            space.release(range);
        }
        assert_eq!(space.free, BTreeMap::from([(0, 100)]));
        assert_eq!(space.take(100, 8), Some(0..100));
        assert_eq!(space.take(1, 1), None);
        assert_eq!(space.take(0, 1), Some(0..0));
    }

    /// Against a bit for each byte.
    #[test]
    fn nothing_is_given_twice() {
        const SIZE: usize = 512;
        let mut space = Space::new(SIZE);
        let mut owner = [0u32; SIZE];
        let mut held: Vec<(u32, Range<usize>)> = Vec::new();
        let mut random = 12345u32;
        for step in 1..4000 {
            random = random.wrapping_mul(1664525).wrapping_add(1013904223);
            let bits = (random >> 8) as usize;
            if bits & 1 == 0 && !held.is_empty() {
                let (number, range) = held.swap_remove((bits >> 1) % held.len());
                assert!(owner[range.clone()].iter().all(|&o| o == number));
                owner[range.clone()].fill(0);
                space.release(range);
            } else if let Some(range) = space.take(1 + (bits >> 1) % 60, 1 << ((bits >> 8) % 5)) {
                assert!(owner[range.clone()].iter().all(|&o| o == 0));
                owner[range.clone()].fill(step);
                held.push((step, range));
            }
            let free: usize = space.free.iter().map(|(start, end)| end - start).sum();
            assert_eq!(free, owner.iter().filter(|&&o| o == 0).count());
        }
    }
}

//! Where code comes from: sorted pairs of an offset and a location of the caller's.
//!
//! A pair holds for the code from its offset to that of the next pair. The list is as long as the caller makes it:
//! who states no location pays for none. It follows the edits at the tail of the buffer: what is cut off loses
//! its pairs, a group that moves takes its pairs along, and veneers and constants of an island come from nowhere.

use super::{BranchIsa, CodeBuffer};
use crate::listing::Listing;
use alloc::vec::Vec;

/// A place in the source of the code: a number that means something to the caller alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location(pub u32);

/// The pairs so far. Offsets ascend strictly; neighbours differ in their locations.
#[derive(Clone, Debug, Default)]
pub(super) struct Locations {
    starts: Vec<(u32, Option<Location>)>,
}

impl Locations {
    pub fn clear(&mut self) {
        self.starts.clear();
    }

    pub fn as_slice(&self) -> &[(u32, Option<Location>)] {
        &self.starts
    }

    /// The location of what is appended next.
    pub fn current(&self) -> Option<Location> {
        self.starts.last().and_then(|&(_, location)| location)
    }

    /// What is appended from `offset`, the end of the code, on comes from `location`.
    #[inline]
    pub fn set(&mut self, offset: u32, location: Option<Location>) {
        self.cut(offset);
        self.starts.pop_if(|&mut (at, _)| at == offset);
        if self.current() != location {
            self.starts.push((offset, location));
        }
    }

    /// The code ends at `offset` now.
    pub fn cut(&mut self, offset: u32) {
        while self.starts.pop_if(|&mut (at, _)| at > offset).is_some() {}
    }

    /// What was behind `offset` is `by` bytes nearer, as many of which are cut out there.
    pub fn close(&mut self, offset: u32, by: u32) {
        if self.starts.is_empty() {
            return;
        }
        let first = self.starts.partition_point(|&(at, _)| at <= offset);
        for (at, _) in &mut self.starts[first..] {
            *at = offset.max(*at - by);
        }
        // Of two that begin at one place the first has no code.
        if let [.., (before, _)] = self.starts[..first]
            && let Some(&(at, location)) = self.starts.get(first)
            && before == at
        {
            self.starts.remove(first - 1);
            if first >= 2 && self.starts[first - 2].1 == location {
                self.starts.remove(first - 1);
            }
        }
    }

    /// Offsets become others, which are in the same order and may be equal: of those that begin at one place the last has
    /// the code.
    pub fn close_all(&mut self, closed: impl Fn(u32) -> u32) {
        let mut kept = 0;
        for i in 0..self.starts.len() {
            let (at, location) = self.starts[i];
            let at = closed(at);
            if kept > 0 && self.starts[kept - 1].0 == at {
                kept -= 1;
            }
            if self.starts[..kept].last().and_then(|last| last.1) != location {
                self.starts[kept] = (at, location);
                kept += 1;
            }
        }
        self.starts.truncate(kept);
    }

    /// What was behind `offset` is `by` bytes farther. What begins there begins with the padding.
    pub fn shift(&mut self, offset: u32, by: u32) {
        for (at, _) in self.starts.iter_mut().rev().take_while(|(at, _)| *at > offset) {
            *at += by;
        }
    }
}

impl<L: Listing, B: BranchIsa> CodeBuffer<L, B> {
    /// What is appended from here on comes from `location`, or from nowhere in the source.
    pub fn set_location(&mut self, location: Option<Location>) {
        self.locations.set(self.offset(), location);
    }

    /// Where the code comes from: each pair holds from its offset, in bytes, up to that of the next one. Offsets ascend.
    /// Before the first pair no location is known. Final after [`CodeBuffer::finish`], when the last pair says where the
    /// code with locations ends.
    #[must_use]
    pub fn locations(&self) -> &[(u32, Option<Location>)] {
        self.locations.as_slice()
    }
}

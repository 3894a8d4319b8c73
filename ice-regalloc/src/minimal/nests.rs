//! The loops in a loop.
//!
//! A region may have loops in it as long as they are a small part of it. Control goes back there, so what is needed in
//! such a loop and was defined in front of it is needed to its end; and what is referred to there counts more.
//!
//! Loops are ranges of blocks, from a header to the last block that goes back to it. Two that overlap without one in the
//! other are entered in two places, which regions are not.

use crate::memory::refill;
use crate::scan::NONE;
use alloc::vec::Vec;

/// How often a loop is guessed to go around.
pub(super) const TURNS: u32 = 8;

/// Loops as deep as this one after the other count the same.
const COUNTED: usize = 4;

/// With more loops around a block, a loop is no region: the work for a value would be more than a few steps.
const DEEPEST: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Nest {
    first: u32,
    last: u32,
    /// The loop around it.
    outer: u32,
    depth: usize,
}

/// The loops in one loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Nests {
    /// The first block of the loop.
    start: u32,
    /// The loops in it, by their headers.
    list: Vec<Nest>,
    /// For each block the innermost of these, or [`NONE`]; empty if there are none.
    innermost: Vec<u32>,
}

impl Nests {
    /// Forgets the loops of another one.
    pub fn clear(&mut self) {
        self.list.clear();
        self.innermost.clear();
    }

    /// Notes the loops in the loop of the blocks `start..=end`: headers in ascending order with their last blocks, of which
    /// the latest counts. Whether they are not too deep.
    pub fn compute(&mut self, start: u32, end: u32, loops: impl Iterator<Item = (u32, u32)>) -> bool {
        self.clear();
        self.start = start;
        for (first, last) in loops {
            match self.list.last_mut().filter(|nest| nest.first == first) {
                Some(nest) => nest.last = nest.last.max(last),
                None => self.list.push(Nest { first, last, outer: NONE, depth: 1 }),
            }
        }
        if self.list.is_empty() {
            return true;
        }
        refill(&mut self.innermost, (end - start + 1) as usize, NONE);
        for index in 0..self.list.len() {
            let Nest { first, last, .. } = self.list[index];
            let outer = self.innermost[(first - start) as usize];
            let depth = self.list.get(outer as usize).map_or(1, |nest| nest.depth + 1);
            if depth > DEEPEST {
                return false;
            }
            (self.list[index].outer, self.list[index].depth) = (outer, depth);
            self.innermost[(first - start) as usize..=(last - start) as usize].fill(index as u32);
        }
        true
    }

    /// How often control comes to `block` in one turn of the loop, guessed.
    pub fn turns(&self, block: u32) -> u32 {
        let nest = self.innermost.get((block - self.start) as usize);
        let nest = nest.and_then(|&nest| self.list.get(nest as usize));
        nest.map_or(1, |nest| TURNS.pow(nest.depth.min(COUNTED) as u32))
    }

    /// The last block of the outermost loop that has `user`, where a value is read, but not `definer`, where it was defined
    /// before.
    pub fn end_of_need(&self, definer: u32, user: u32) -> Option<u32> {
        let mut end = None;
        let mut at = self.innermost.get(user.checked_sub(self.start)? as usize);
        while let Some(nest) = at.and_then(|&nest| self.list.get(nest as usize))
            && nest.first > definer
        {
            end = Some(nest.last);
            at = Some(&nest.outer);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_in_loops() {
        let mut nests = Nests::default();
        // Block 10 goes back to from two blocks, the later of which counts.
        assert!(nests.compute(5, 30, [(10, 12), (10, 20), (11, 11), (15, 18), (25, 25)].into_iter()));
        let turns = [5, 9, 10, 11, 12, 14, 15, 18, 19, 21, 25, 30].map(|block| nests.turns(block));
        assert_eq!(turns, [1, 1, 8, 64, 8, 8, 64, 64, 8, 1, 8, 1]);
        let needs =
            [(7, 11), (7, 9), (7, 19), (10, 11), (10, 19), (11, 11), (15, 18), (10, 16), (25, 25), (7, 0)];
        let ends = needs.map(|(definer, user)| nests.end_of_need(definer, user));
        let expected = [Some(20), None, Some(20), Some(11), None, None, None, Some(18), None, None];
        assert_eq!(ends, expected);
        assert!(nests.compute(2, 3, core::iter::empty()));
        assert_eq!((nests.turns(3), nests.end_of_need(2, 3)), (1, None));
    }

    #[test]
    fn loops_may_be_too_deep() {
        let mut nests = Nests::default();
        let deepest = DEEPEST as u32;
        assert!(nests.compute(0, 99, (1..=deepest).map(|first| (first, 99 - first))));
        assert_eq!(nests.turns(deepest), 8 * 8 * 8 * 8);
        assert!(!nests.compute(0, 99, (0..=deepest).map(|first| (first, 99 - first))));
    }
}

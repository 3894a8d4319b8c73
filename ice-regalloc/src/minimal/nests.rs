//! The loops in a loop.
//!
//! A region may have loops in it as long as they are a small part of it. Control goes back there, so what is needed in
//! such a loop and was defined in front of it is needed to its end; and what is referred to there counts more.
//!
//! Loops are ranges of blocks, from a header to the last block that goes back to it or to the header of a loop that begins in
//! the range: the end of an inner loop may stand behind that of the outer one. So two of them are apart, or one is in the
//! other.
//!
//! A loop must be entered at its header only. Then that dominates the loop, and no value that is defined behind the header
//! is needed where control goes back: there is a way from the header to whoever would read it around its definition.

use crate::function::Function;
use crate::memory::refill;
use crate::operand::Block;
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
    /// Notes the loops in the loop of the blocks `start..=end`: headers in ascending order with blocks that go back to them.
    /// Whether each is entered at its header only, and they are not too deep.
    pub fn compute(
        &mut self,
        func: &Function,
        (start, end): (u32, u32),
        loops: impl Iterator<Item = (u32, u32)>,
    ) -> bool {
        self.note(start, end, loops)
            && (start..).zip(&self.innermost).all(|(block, &nest)| self.is_entered_right(func, block, nest))
    }

    /// Notes the loops, if they are not too deep.
    fn note(&mut self, start: u32, end: u32, loops: impl Iterator<Item = (u32, u32)>) -> bool {
        self.list.clear();
        self.innermost.clear();
        self.start = start;
        for (first, last) in loops {
            match self.list.last_mut().filter(|nest| nest.first == first) {
                Some(nest) => nest.last = nest.last.max(last),
                None => self.list.push(Nest { first, last, outer: NONE, depth: 1 }),
            }
        }
        for index in 0..self.list.len() {
            let Nest { first, last, .. } = self.list[index];
            let mut outer = (index as u32).wrapping_sub(1);
            while let Some(nest) = self.list.get(outer as usize)
                && nest.last < first
            {
                outer = nest.outer;
            }
            let depth = self.list.get(outer as usize).map_or(1, |nest| nest.depth + 1);
            if depth > DEEPEST {
                return false;
            }
            (self.list[index].outer, self.list[index].depth) = (outer, depth);
            while let Some(nest) = self.list.get_mut(outer as usize)
                && nest.last < last
            {
                nest.last = last;
                outer = nest.outer;
            }
        }
        if !self.list.is_empty() {
            refill(&mut self.innermost, (end - start + 1) as usize, NONE);
        }
        for (index, nest) in (0..).zip(&self.list) {
            self.innermost[(nest.first - start) as usize..=(nest.last - start) as usize].fill(index);
        }
        true
    }

    /// Whether control comes to `block` from within the loop that it is in, or into the loop by its header. The loop is the
    /// innermost one, or [`NONE`].
    fn is_entered_right(&self, func: &Function, block: u32, nest: u32) -> bool {
        let Some(mut nest) = self.list.get(nest as usize) else { return true };
        if nest.first == block {
            let Some(outer) = self.list.get(nest.outer as usize) else { return true };
            nest = outer;
        }
        let mut preds = func.block_preds(Block::from_u32(block)).iter();
        preds.all(|pred| (nest.first..=nest.last).contains(&pred.as_u32()))
    }

    /// The innermost of the loops that `block` is in.
    fn innermost_at(&self, block: u32) -> Option<&Nest> {
        let index = self.innermost.get(block.checked_sub(self.start)? as usize)?;
        self.list.get(*index as usize)
    }

    /// How often control comes to `block` in one turn of the loop, guessed.
    pub fn turns(&self, block: u32) -> u32 {
        self.innermost_at(block).map_or(1, |nest| TURNS.pow(nest.depth.min(COUNTED) as u32))
    }

    /// The last block of the outermost loop that has `user`, where a value is read, but not `definer`, where it was defined
    /// before.
    pub fn end_of_need(&self, definer: u32, user: u32) -> Option<u32> {
        let mut end = None;
        let mut at = self.innermost_at(user);
        while let Some(nest) = at
            && nest.first > definer
        {
            end = Some(nest.last);
            at = self.list.get(nest.outer as usize);
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
        assert!(nests.note(5, 30, [(10, 12), (10, 20), (11, 11), (15, 18), (25, 25)].into_iter()));
        let turns = [5, 9, 10, 11, 12, 14, 15, 18, 19, 21, 25, 30].map(|block| nests.turns(block));
        assert_eq!(turns, [1, 1, 8, 64, 8, 8, 64, 64, 8, 1, 8, 1]);
        let needs =
            [(7, 11), (7, 9), (7, 19), (10, 11), (10, 19), (11, 11), (15, 18), (10, 16), (25, 25), (7, 0)];
        let ends = needs.map(|(definer, user)| nests.end_of_need(definer, user));
        let expected = [Some(20), None, Some(20), Some(11), None, None, None, Some(18), None, None];
        assert_eq!(ends, expected);
        assert!(nests.note(2, 3, core::iter::empty()));
        assert_eq!((nests.turns(3), nests.end_of_need(2, 3)), (1, None));
    }

    #[test]
    fn loops_reach_to_the_end_of_those_that_begin_in_them() {
        let mut nests = Nests::default();
        assert!(nests.note(0, 30, [(1, 10), (2, 8), (5, 12), (11, 20), (21, 22)].into_iter()));
        let ends = [1, 2, 5, 11, 21].map(|user| nests.end_of_need(0, user));
        assert_eq!(ends, [Some(20), Some(20), Some(20), Some(20), Some(22)]);
        assert_eq!([1, 2, 5, 11, 21].map(|block| nests.turns(block)), [8, 64, 512, 4096, 8]);
    }

    #[test]
    fn loops_may_be_too_deep() {
        let mut nests = Nests::default();
        let deepest = DEEPEST as u32;
        assert!(nests.note(0, 99, (1..=deepest).map(|first| (first, 99 - first))));
        assert_eq!(nests.turns(deepest), 8 * 8 * 8 * 8);
        assert!(!nests.note(0, 99, (0..=deepest).map(|first| (first, 99 - first))));
    }
}

//! The pairs of a block.
//!
//! In a plan each instruction is part of one pair at most, whatever stands between the two of a pair, other pairs included.
//! Cost: for each instruction that can begin a pair the search for the other; nothing for blocks without one.

use super::{AllocatedCode, later};
use crate::mach::{MachInst, MachInstId};
use alloc::vec::Vec;

/// Which instruction of a pair does the work of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doer {
    /// The first.
    First,
    /// The second.
    Second,
}

/// The other of a pair that begins with an instruction, and what becomes of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair<F> {
    /// How many instructions stand between the two: below 32.
    pub between: usize,
    /// Where the work is done.
    pub doer: Doer,
    /// What is done.
    pub fusion: F,
}

/// What becomes of an instruction of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate<F> {
    /// It also does the work of `other`.
    Does {
        /// How.
        fusion: F,
        /// The other of the pair.
        other: MachInstId,
    },
    /// The other does its work.
    InOther,
}

/// The pairs of the block that is written.
#[derive(Debug)]
pub struct Plan<F> {
    /// Instructions that are part of a pair, in order.
    fates: Vec<(MachInstId, Fate<F>)>,
    /// The first of them that the walk has not come to.
    next: usize,
    is_made: bool,
}

impl<F> Default for Plan<F> {
    fn default() -> Self {
        Plan { fates: Vec::new(), next: 0, is_made: false }
    }
}

impl<F: Copy> Plan<F> {
    /// Forgets the pairs of another block.
    #[inline]
    pub fn clear(&mut self) {
        (self.next, self.is_made) = (0, false);
        self.fates.clear();
    }

    /// Whether the pairs of the block are known from here on.
    #[inline(always)]
    pub fn is_made(&self) -> bool {
        self.is_made
    }

    /// The next instruction that is part of a pair.
    #[inline]
    pub fn upcoming(&self) -> Option<MachInstId> {
        self.fates.get(self.next).map(|&(inst, _)| inst)
    }

    /// What becomes of that instruction; the one behind it is then the next.
    pub fn take(&mut self) -> Option<Fate<F>> {
        let &(_, fate) = self.fates.get(self.next)?;
        self.next += 1;
        Some(fate)
    }

    /// Plans the pairs of the block that ends before the index `end`, from the instruction `at` on. `pair` finds the pair that
    /// an instruction begins, given which of those behind it are part of another: bit n is the n-th.
    pub fn make<I: MachInst>(
        &mut self,
        code: AllocatedCode<'_, I>,
        at: MachInstId,
        end: usize,
        mut pair: impl FnMut(MachInstId, &I, u32) -> Option<Pair<F>>,
    ) {
        self.is_made = true;
        // Bit n: whether the n-th instruction behind the present one is part of a pair.
        let mut taken = 0_u32;
        let mut id = at;
        while let Some(inst) = code.mach.insts()[..end].get(id.as_u32() as usize) {
            let is_taken = taken & 1 != 0;
            taken >>= 1;
            if !is_taken && let Some(Pair { between, doer, fusion }) = pair(id, inst, taken) {
                taken |= 1 << between;
                let other = later(id, between + 1);
                let (doer, done) = if doer == Doer::First { (id, other) } else { (other, id) };
                self.fates.push((doer, Fate::Does { fusion, other: done }));
                self.fates.push((done, Fate::InOther));
            }
            id = later(id, 1);
        }
        self.fates.sort_unstable_by_key(|&(inst, _)| inst);
    }
}

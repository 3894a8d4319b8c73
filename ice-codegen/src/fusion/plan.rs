//! The pairs of a block.
//!
//! In a plan each instruction is part of one pair at most, whatever stands between the two of a pair, other pairs included.
//! Pairs are found at their second instruction, among the [`Recent`] ones that could be the first.
//!
//! Cost: for each instruction that can be part of a pair a look at the few recent ones; nothing for blocks without one.

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

/// The first of a pair that ends with an instruction, and what becomes of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair<F> {
    /// The first.
    pub first: MachInstId,
    /// Where the work is done.
    pub doer: Doer,
    /// What is done.
    pub fusion: F,
}

/// How many are remembered.
const ROOM: usize = 4;

/// The latest instructions that could be the first of a pair, and what is known of each.
#[derive(Clone, Copy, Debug)]
pub struct Recent<T> {
    slots: [Option<(MachInstId, T)>; ROOM],
    next: usize,
}

impl<T: Copy> Default for Recent<T> {
    fn default() -> Self {
        Recent { slots: [None; ROOM], next: 0 }
    }
}

impl<T: Copy> Recent<T> {
    /// Adds the instruction `id`, the latest.
    #[inline]
    pub fn push(&mut self, id: MachInstId, known: T) {
        self.slots[self.next % ROOM] = Some((id, known));
        self.next += 1;
    }

    /// The latest instruction at most `window` in front of `id` of which `wanted` holds.
    #[inline]
    pub fn latest(
        &self,
        id: MachInstId,
        window: u32,
        wanted: impl Fn(&T) -> bool,
    ) -> Option<(MachInstId, T)> {
        for back in 1..=ROOM {
            let (at, known) = self.slots[self.next.wrapping_sub(back) % ROOM]?;
            if id.as_u32() - at.as_u32() > window {
                return None;
            }
            if wanted(&known) {
                return Some((at, known));
            }
        }
        None
    }

    /// Takes an instruction out, which is part of a pair now.
    pub fn forget(&mut self, id: MachInstId) {
        let mut kept = Recent::default();
        for back in (1..=ROOM).rev() {
            if let Some((at, known)) = self.slots[self.next.wrapping_sub(back) % ROOM]
                && at != id
            {
                kept.push(at, known);
            }
        }
        *self = kept;
    }
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
    /// How many of them the walk has come to, and the instruction that is the next.
    next: usize,
    upcoming: Option<MachInstId>,
    is_made: bool,
}

impl<F> Default for Plan<F> {
    fn default() -> Self {
        Plan { fates: Vec::new(), next: 0, upcoming: None, is_made: false }
    }
}

impl<F: Copy> Plan<F> {
    /// Forgets the pairs of another block.
    #[inline]
    pub fn clear(&mut self) {
        (self.next, self.upcoming, self.is_made) = (0, None, false);
        self.fates.clear();
    }

    /// Whether the pairs of the block are known from here on.
    #[inline(always)]
    pub fn is_made(&self) -> bool {
        self.is_made
    }

    /// The next instruction that is part of a pair.
    #[inline(always)]
    pub fn upcoming(&self) -> Option<MachInstId> {
        self.upcoming
    }

    /// What becomes of that instruction; the one behind it is then the next.
    pub fn take(&mut self) -> Option<Fate<F>> {
        let &(_, fate) = self.fates.get(self.next)?;
        self.next += 1;
        self.find_upcoming();
        Some(fate)
    }

    fn find_upcoming(&mut self) {
        self.upcoming = self.fates.get(self.next).map(|&(inst, _)| inst);
    }

    /// Plans the pairs of the block that ends before the index `end`, from the instruction `at` on. `pair` is asked for each of
    /// them in order and finds the pair that it ends, if neither of the two is part of another.
    pub fn make<I: MachInst>(
        &mut self,
        code: AllocatedCode<'_, I>,
        at: MachInstId,
        end: usize,
        mut pair: impl FnMut(MachInstId, &I) -> Option<Pair<F>>,
    ) {
        self.is_made = true;
        let mut id = at;
        while let Some(inst) = code.mach.insts()[..end].get(id.as_u32() as usize) {
            if let Some(Pair { first, doer, fusion }) = pair(id, inst) {
                let (doer, done) = if doer == Doer::First { (first, id) } else { (id, first) };
                self.fates.push((doer, Fate::Does { fusion, other: done }));
                self.fates.push((done, Fate::InOther));
            }
            id = later(id, 1);
        }
        if self.fates.len() > 1 {
            self.fates.sort_unstable_by_key(|&(inst, _)| inst);
        }
        self.find_upcoming();
    }
}

//! One live interval, and how it grows while the pass goes from the last instruction to the first.
//!
//! A segment is open from its last position up to where the pass is, and closed by a definition or the start of a block.
//! Closed segments stand in the order in which they are found, each with a link to the next one of its interval.

use crate::function::Remat;
use crate::memory::make_room;
use crate::operand::{Constraint, Inst, Operand, OperandKind};
use crate::output::Allocation;
use crate::registers::PReg;
use crate::scan::{NO_REG, NONE};
use alloc::vec::Vec;

/// A half-open range of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    pub from: u32,
    pub to: u32,
}

/// One virtual register as linear scan sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    /// First segment in the list of all; during the pass, the link of the earliest one so far.
    pub first: u32,
    /// Number of segments.
    pub count: u32,
    /// First segment that the scan has not passed; during the pass, the end of the segment that is open, or 0.
    pub cursor: u32,
    /// Sum of the frequencies of the operands.
    pub weight: f32,
    /// What of it is copies on edges.
    pub copies: f32,
    /// Weight over length.
    pub density: f32,
    /// Virtual registers that copies connect it with, and the weights of the copies, the heavier first.
    pub near: [u32; 2],
    pub near_weight: [f32; 2],
    pub hint_weight: f32,
    /// A register that a fixed operand wants it in.
    pub hint: u8,
    /// Class of values, and the narrowest class of an operand.
    pub class: u8,
    pub narrow: u8,
    /// The register it lives in.
    pub reg: u8,
    /// It is a parameter whose old value is read by a terminator, behind the edge moves.
    pub old_read: bool,
    /// Its parts that have registers, if it was split.
    pub split: u32,
    /// Its one definition, if it can be executed again, or `SEVERAL`.
    pub(super) maker: Allocation,
    pub remat: Option<Remat>,
    /// What the weight loses if that is so.
    pub(super) discount: f32,
}

impl Interval {
    /// The place "its definition again", or none.
    pub fn again(&self) -> Allocation {
        if self.maker.is_remat() { self.maker } else { Allocation::NONE }
    }

    /// Counts the operand, and narrows the class.
    #[inline(always)]
    pub(super) fn refer(&mut self, op: Operand, frequency: f32, narrower: &impl Fn(u8, u8) -> bool) {
        if op.constraint() == Constraint::Stack {
            self.maker = SEVERAL;
            return;
        }
        self.weight += if op.kind() == OperandKind::UseDef { 2.0 * frequency } else { frequency };
        if op.class().0 != self.narrow && narrower(op.class().0, self.narrow) {
            self.narrow = op.class().0;
        }
    }

    /// Its definition so far is `inst`, which can be executed again. It has one operand.
    pub(super) fn make_again(&mut self, inst: Inst, remat: Remat, frequency: f32) {
        self.maker = Allocation::remat(inst);
        self.remat = Some(remat);
        self.discount = 2.0 * frequency;
    }

    /// Counts a copy on an edge.
    #[inline(always)]
    pub(super) fn refer_on_edge(&mut self, frequency: f32) {
        self.weight += frequency;
        self.copies += frequency;
    }

    /// Notes a copy to or from `other`: those that weigh most are kept, the heaviest first.
    pub(super) fn approach(&mut self, other: u32, weight: f32) {
        let [first, second] = &mut self.near;
        let [most, less] = &mut self.near_weight;
        if *first == other {
            *most += weight;
            return;
        }
        if *second == other {
            *less += weight;
        } else if weight >= *less {
            (*second, *less) = (other, weight);
        }
        if *less > *most {
            core::mem::swap(first, second);
            core::mem::swap(most, less);
        }
    }

    /// The value is needed up to position `to`.
    #[inline(always)]
    pub(super) fn open(&mut self, to: u32) {
        self.cursor = self.cursor.max(to);
    }

    /// Ends the open segment of `v`, this interval, at its front.
    #[inline(always)]
    pub(super) fn close(&mut self, v: u32, from: u32, links: &mut Links) {
        let to = core::mem::replace(&mut self.cursor, 0);
        if to > from {
            self.push(v, Segment { from, to }, links);
        }
    }

    /// Adds a segment of `v`, this interval, that starts no later than those so far.
    #[inline(always)]
    fn push(&mut self, v: u32, mut segment: Segment, links: &mut Links) {
        let mut next = self.first;
        if let Some(later) = links.segments.get(next as usize)
            && later.from <= segment.to
        {
            segment = Segment { from: segment.from.min(later.from), to: segment.to.max(later.to) };
            let joined = &mut links.of[next as usize];
            next = core::mem::replace(joined, Link { vreg: NONE, next: NONE }).next;
        } else {
            self.count += 1;
        }
        self.first = links.of.len() as u32;
        links.segments.push(segment);
        links.of.push(Link { vreg: v, next });
    }
}

/// Stands for several definitions, or one that cannot be executed again.
pub(super) const SEVERAL: Allocation = Allocation::reg(PReg(0));

pub(super) const NEW: Interval = Interval {
    first: NONE,
    count: 0,
    cursor: 0,
    weight: 0.0,
    copies: 0.0,
    density: 0.0,
    near: [NONE; 2],
    near_weight: [0.0; 2],
    hint_weight: 0.0,
    hint: NO_REG,
    class: 0,
    narrow: 0,
    reg: NO_REG,
    old_read: false,
    split: NONE,
    maker: Allocation::NONE,
    remat: None,
    discount: 0.0,
};

/// Whose a segment is, or `NONE` for one that has become part of another, and the next one of its interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub vreg: u32,
    pub next: u32,
}

/// Segments in the order in which they are found, last position first.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    pub segments: Vec<Segment>,
    pub of: Vec<Link>,
}

impl Links {
    /// Forgets all, and makes room for a segment of each interval. Not inlined, so that the values of who builds the intervals
    /// have the registers.
    #[inline(never)]
    pub fn clear(&mut self, intervals: usize) {
        self.segments.clear();
        make_room(&mut self.segments, intervals);
        self.of.clear();
        make_room(&mut self.of, intervals);
    }
}

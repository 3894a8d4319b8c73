//! Spill slots: who has which, and which may be one.
//!
//! Problem: the walk gives every value that needs memory a slot of its own; frames should be
//! small, and a parameter in a slot should not be copied there from another slot.
//!
//! Method: before the walk, `webs` joins parameters and arguments without registers into groups
//! with one slot, if no two members live at the same time (coalescing by union-find with
//! interference test). After it, groups are coloured: linear scan over the hulls of their
//! intervals, which is optimal for hulls (a slot of the same size whose last holder has ended is
//! taken again), and the places in the output are rewritten. The moves at one point were put in
//! order under the belief that different slots are different places, so a hull includes every
//! point where a move names the slot, and hulls that meet at a point do not share. Where that takes
//! many slots, as in the loops of interpreters, whose hulls are all of the loop, groups are coloured by
//! their segments instead: what is named most first, and each takes the first slot that is free where it
//! lives. So short offsets reach what is named most.
//!
//! Cost: n log n in the slots in use; a test of interference and a join are linear in the segments of two groups, or a search
//! for each segment of a small one, and are given up for large ones.

use crate::context::SlotSharing;
use crate::function::Function;
use crate::keys::{highest_first, lowest_first, number};
use crate::memory::{refill, refill_from};
use crate::operand::{Slot, VReg};
use crate::output::{Allocation, Edit, Output, SlotInfo};
use crate::ranges::{Interval, Ranges, Segment};
use crate::scan::NONE;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Owner of a slot that lives for one instruction or until the end of a block.
pub(super) const TEMPORARY: u32 = NONE;
/// Segments that a group may have, and all groups that were ever joined.
const MAX_SEGMENTS: usize = 1 << 12;
const MAX_JOINED: usize = 1 << 18;
/// Slots of so many bytes, which short offsets of x86 reach, are coloured by hulls; beyond that segments are looked at.
const SHORT: u32 = 128;
/// Segments that may be looked at then.
const MAX_STEPS: usize = 1 << 18;

#[derive(Clone, Copy, Debug)]
struct SlotUse {
    info: SlotInfo,
    /// Leader of the group, or `TEMPORARY`.
    owner: u32,
    color: u32,
    /// First and last position of a move that reads or writes it.
    touched: (u32, u32),
}

const UNTOUCHED: (u32, u32) = (u32::MAX, 0);

/// Slots of one function by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    slots: Vec<SlotUse>,
    /// Leader and next member (circular) of the group of each virtual register. Empty, as is `joined_at`, if none are joined:
    /// then each is its own leader.
    leader: Vec<u32>,
    member: Vec<u32>,
    /// Where the members of groups live, sorted, and which of these segments are of the group of each leader; none of a group
    /// that has one member.
    joined: Vec<Segment>,
    joined_at: Vec<(u32, u32)>,
    joined_next: Vec<Segment>,
    /// Slot of the group of a leader, up to the last leader that has one.
    group_slot: Vec<u32>,
    free: Vec<u32>,
    in_use: Vec<u32>,
    kept: Vec<u32>,
    order: Vec<(u32, u32, u32)>,
    expiring: BinaryHeap<Reverse<(u32, u32)>>,
    /// Colours without a holder, by size.
    unused: Vec<u32>,
    by_segments: BySegments,
}

/// What colouring by segments works on.
#[derive(Clone, Debug, Default)]
struct BySegments {
    /// How often operands and moves name each slot.
    named: Vec<u32>,
    /// Slots and the positions of moves that name them, as keys.
    touches: Vec<u64>,
    /// The slots by how often they are named, as keys.
    order: Vec<u64>,
    /// The colour of each slot.
    colors: Vec<u32>,
    /// What each colour is, and where it is taken: a range of the list behind them.
    infos: Vec<SlotInfo>,
    taken: Vec<(u32, u32)>,
    segments: Vec<Segment>,
    /// Where the slot at work lives, and with it all that has its colour.
    places: Vec<Segment>,
    both: Vec<Segment>,
}

impl Slots {
    pub fn reset(&mut self) {
        self.slots.clear();
        self.leader.clear();
        self.member.clear();
        self.joined.clear();
        self.joined_at.clear();
        self.group_slot.clear();
        self.free.clear();
        self.in_use.clear();
        self.kept.clear();
    }

    /// The value that stands for the group of `v`.
    pub fn leader(&self, v: u32) -> u32 {
        self.leader.get(v as usize).copied().unwrap_or(v)
    }

    /// Lets each virtual register be a group of its own.
    fn begin_groups(&mut self, vregs: usize) {
        for each in [&mut self.leader, &mut self.member] {
            refill_from(each, 0..vregs as u32);
        }
        refill(&mut self.joined_at, vregs, (0, 0));
    }

    /// Whether two values of different groups may share a slot.
    pub fn may_join(&self, func: &Function, ranges: &Ranges, a: u32, b: u32) -> bool {
        let [size_of_a, size_of_b] = [a, b].map(|v| func.vreg_size(VReg::from_u32(v)));
        let [x, y] = [a, b].map(|v| &ranges.intervals[v as usize]);
        let has_slot = |interval: &Interval| interval.again().is_none() && interval.count > 0;
        if size_of_a != size_of_b || x.class != y.class || !has_slot(x) || !has_slot(y) {
            return false;
        }
        let [x, y] = [a, b].map(|v| self.leader(v));
        if x == y {
            return false;
        }
        let [x, y] = [x, y].map(|leader| self.segments(ranges, leader));
        x.len() + y.len() <= MAX_SEGMENTS && self.joined.len() < MAX_JOINED && !overlap(x, y)
    }

    /// Where a member of the group of `leader` lives.
    fn segments<'a>(&'a self, ranges: &'a Ranges, leader: u32) -> &'a [Segment] {
        match self.joined_at.get(leader as usize) {
            Some(&(start, end)) if start < end => &self.joined[start as usize..end as usize],
            _ => ranges.segments_of(leader),
        }
    }

    /// Makes one group of those of `a` and `b`, which [may be one](Self::may_join).
    pub fn join(&mut self, ranges: &Ranges, a: u32, b: u32) {
        if self.leader.is_empty() {
            self.begin_groups(ranges.intervals.len());
        }
        let (x, y) = (self.leader(a), self.leader(b));
        let start = self.joined.len();
        let mut joined = core::mem::take(&mut self.joined_next);
        joined.clear();
        merge(self.segments(ranges, x), self.segments(ranges, y), &mut joined);
        self.joined.extend_from_slice(&joined);
        self.joined_next = joined;
        self.joined_at[x as usize] = (start as u32, self.joined.len() as u32);
        let mut j = y;
        loop {
            self.leader[j as usize] = x;
            j = self.member[j as usize];
            if j == y {
                break;
            }
        }
        self.member.swap(x as usize, y as usize);
    }

    /// The slot of the group of `v`.
    pub fn of_value(&mut self, v: u32, info: SlotInfo) -> u32 {
        let owner = self.leader(v);
        if self.group_slot.len() <= owner as usize {
            self.group_slot.resize(owner as usize + 1, NONE);
        }
        if self.group_slot[owner as usize] == NONE {
            self.group_slot[owner as usize] = self.slots.len() as u32;
            self.slots.push(SlotUse { info, owner, color: NONE, touched: UNTOUCHED });
        }
        self.group_slot[owner as usize]
    }

    /// A slot until the next `release_temporaries`.
    pub fn temporary(&mut self, info: SlotInfo) -> u32 {
        let slots = &mut self.slots;
        let slot = match self.free.iter().position(|&s| slots[s as usize].info == info) {
            Some(k) => self.free.swap_remove(k),
            None => {
                slots.push(SlotUse { info, owner: TEMPORARY, color: NONE, touched: UNTOUCHED });
                slots.len() as u32 - 1
            }
        };
        self.in_use.push(slot);
        slot
    }

    /// Notes that a move at `position` names `place`.
    pub fn touch(&mut self, place: Allocation, position: u32) {
        if let Some(slot) = place.as_slot() {
            let touched = &mut self.slots[slot.as_u32() as usize].touched;
            *touched = (touched.0.min(position), touched.1.max(position));
        }
    }

    pub fn owner(&self, slot: u32) -> u32 {
        self.slots[slot as usize].owner
    }

    /// Keeps a temporary slot until `release_all`.
    pub fn keep(&mut self, slot: u32) {
        self.in_use.retain(|&s| s != slot);
        self.kept.push(slot);
    }

    #[inline]
    pub fn release_temporaries(&mut self) {
        if !self.in_use.is_empty() {
            self.free.append(&mut self.in_use);
        }
    }

    #[inline]
    pub fn release_all(&mut self) {
        self.release_temporaries();
        if !self.kept.is_empty() {
            self.free.append(&mut self.kept);
        }
    }

    /// Gives the slots their final numbers and rewrites the output.
    pub fn color(&mut self, ranges: &Ranges, sharing: SlotSharing, out: &mut Output) {
        if self.slots.is_empty() {
            return;
        }
        self.order.clear();
        self.expiring.clear();
        self.unused.clear();
        for s in 0..self.slots.len() {
            let owner = self.slots[s].owner;
            let hull = match owner {
                TEMPORARY => None,
                owner => hull(self.segments(ranges, owner)),
            };
            let slot = &mut self.slots[s];
            if slot.owner == TEMPORARY || sharing == SlotSharing::Distinct {
                slot.color = out.slots.len() as u32;
                out.slots.push(slot.info);
                continue;
            }
            let (mut from, mut to) = slot.touched;
            if let Some((first, last)) = hull {
                from = from.min(first);
                to = to.max(last - 1);
            }
            self.order.push((from, to, s as u32));
        }
        self.order = BinaryHeap::from(core::mem::take(&mut self.order)).into_sorted_vec();
        for &(from, to, s) in &self.order {
            while let Some(&Reverse((end, color))) = self.expiring.peek()
                && end < from
            {
                self.expiring.pop();
                self.unused.push(color);
            }
            let info = self.slots[s as usize].info;
            // Sizes are few: the last free colour fits nearly always.
            let color = match self.unused.iter().rev().take(64).position(|&c| out.slots[c as usize] == info) {
                Some(k) => self.unused.remove(self.unused.len() - 1 - k),
                None => {
                    out.slots.push(info);
                    out.slots.len() as u32 - 1
                }
            };
            self.slots[s as usize].color = color;
            self.expiring.push(Reverse((to, color)));
        }
        let bytes = out.slots.iter().fold(0u32, |sum, slot| sum.saturating_add(slot.size));
        if bytes > SHORT && sharing == SlotSharing::Shared {
            self.color_by_segments(ranges, out);
        }
        if self.slots.iter().zip(0..).all(|(slot, number)| slot.color == number) {
            return;
        }
        let rewrite = |place: &mut Allocation| {
            if let Some(slot) = place.as_slot() {
                *place = Allocation::slot(Slot::from_u32(self.slots[slot.as_u32() as usize].color));
            }
        };
        out.allocs.iter_mut().for_each(rewrite);
        for edit in &mut out.edits {
            rewrite(&mut edit.from);
            rewrite(&mut edit.to);
        }
    }

    /// Gives the slots other numbers: the lower the more they are named, and the same to those of groups that live at different
    /// times. The numbers stay what they are if that would take more of them, or too long.
    #[cold]
    #[inline(never)]
    fn color_by_segments(&mut self, ranges: &Ranges, out: &mut Output) {
        let mut by_segments = core::mem::take(&mut self.by_segments);
        if by_segments.compute(self, ranges, out).is_some() {
            out.slots.clear();
            out.slots.extend_from_slice(&by_segments.infos);
            self.slots.iter_mut().zip(&by_segments.colors).for_each(|(slot, &color)| slot.color = color);
        }
        self.by_segments = by_segments;
    }
}

impl BySegments {
    /// Finds colours, or none if that is not worth it.
    fn compute(&mut self, slots: &Slots, ranges: &Ranges, out: &Output) -> Option<()> {
        let BySegments { named, touches, order, colors, infos, taken, segments, places, both } = self;
        refill(named, slots.slots.len(), 0);
        refill(colors, slots.slots.len(), 0);
        touches.clear();
        let mut name = |place: Allocation| {
            let slot = place.as_slot()?.as_u32();
            named[slot as usize] += 1;
            Some(slot)
        };
        for &place in &out.allocs {
            name(place);
        }
        for edit in &out.edits {
            let moved = [edit.from, edit.to].into_iter().filter_map(&mut name);
            touches.extend(moved.map(|slot| lowest_first(slot, position_of(edit))));
        }
        touches.sort_unstable();
        order.clear();
        order.extend(named.iter().zip(0..).map(|(&named, s)| highest_first(named, s)));
        order.sort_unstable();
        infos.clear();
        taken.clear();
        segments.clear();
        let mut steps = MAX_STEPS;
        for s in order.iter().map(|&key| number(key)) {
            let SlotUse { info, owner, .. } = slots.slots[s as usize];
            places.clear();
            if owner != TEMPORARY {
                let first = touches.partition_point(|&touch| touch < lowest_first(s, 0));
                let moves = touches[first..].iter().take_while(|&&touch| touch <= lowest_first(s, u32::MAX));
                add_points(slots.segments(ranges, owner), moves.map(|&touch| number(touch)), places);
            }
            // One that lives nowhere, as for one instruction, has it alone.
            let mut color = infos.len();
            for (c, &(start, end)) in taken.iter().enumerate().filter(|_| !places.is_empty()) {
                let taken = &segments[start as usize..end as usize];
                steps = steps.checked_sub(1 + places.len().min(taken.len()))?;
                if infos[c] == info && !taken.is_empty() && !overlap(taken, places) {
                    color = c;
                    break;
                }
            }
            colors[s as usize] = color as u32;
            if color == infos.len() {
                infos.push(info);
                taken.push((0, 0));
            }
            if infos.len() > out.slots.len() {
                return None;
            }
            let (start, end) = taken[color];
            both.clear();
            merge(&segments[start as usize..end as usize], places, both);
            steps = steps.checked_sub(both.len())?;
            let start = segments.len();
            segments.extend_from_slice(both);
            taken[color] = (start as u32, segments.len() as u32);
        }
        Some(())
    }
}

/// Writes segments and points, both sorted, as one sorted list of segments that do not meet.
fn add_points(segments: &[Segment], points: impl Iterator<Item = u32>, out: &mut Vec<Segment>) {
    let mut add = |s: Segment| match out.last_mut() {
        Some(last) if s.from <= last.to => last.to = last.to.max(s.to),
        _ => out.push(s),
    };
    let mut rest = segments;
    for from in points {
        while let [s, behind @ ..] = rest
            && s.from <= from
        {
            add(*s);
            rest = behind;
        }
        add(Segment { from, to: from + 1 });
    }
    rest.iter().for_each(|&s| add(s));
}

/// Where a move stands.
pub(super) fn position_of(edit: &Edit) -> u32 {
    4 * edit.point.inst().as_u32() + if edit.point.is_before() { 0 } else { 3 }
}

/// The first position of the segments and the one behind the last.
fn hull(segments: &[Segment]) -> Option<(u32, u32)> {
    Some((segments.first()?.from, segments.last()?.to))
}

/// How many times as many segments make a search for each of the others less work than a walk.
const MANY: usize = 8;

/// Whether two lists of segments have a position in common.
fn overlap(a: &[Segment], b: &[Segment]) -> bool {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if few.len() * MANY > many.len() {
        return super::assign::overlap(few, many);
    }
    few.iter().any(|s| {
        let next = many.partition_point(|t| t.to <= s.from);
        many.get(next).is_some_and(|t| t.from < s.to)
    })
}

/// Writes two sorted lists of segments that do not overlap as one, in runs of the longer one; what is adjacent becomes one
/// segment.
fn merge(a: &[Segment], b: &[Segment], out: &mut Vec<Segment>) {
    let (few, mut many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    for &s in few {
        let (before, behind) = many.split_at(many.partition_point(|t| t.to <= s.from));
        out.extend_from_slice(before);
        many = behind;
        match out.last_mut() {
            Some(last) if last.to == s.from => last.to = s.to,
            _ => out.push(s),
        }
        if let (Some(last), [next, rest @ ..]) = (out.last_mut(), many)
            && last.to == next.from
        {
            last.to = next.to;
            many = rest;
        }
    }
    out.extend_from_slice(many);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(list: &[(u32, u32)]) -> Vec<Segment> {
        list.iter().map(|&(from, to)| Segment { from, to }).collect()
    }

    #[test]
    fn groups_live_where_their_members_do() {
        let (a, b) = (segments(&[(0, 4), (10, 14), (40, 50)]), segments(&[(4, 8), (20, 30)]));
        let mut both = Vec::new();
        merge(&a, &b, &mut both);
        assert_eq!(both, segments(&[(0, 8), (10, 14), (20, 30), (40, 50)]));
        assert_eq!((hull(&both), hull(&[])), (Some((0, 50)), None));
        assert!(!overlap(&a, &b) && overlap(&both, &a));
        let many: Vec<Segment> = (0..100).map(|n| Segment { from: 10 * n, to: 10 * n + 5 }).collect();
        for (few, overlaps) in [((5, 10), false), ((5, 11), true), ((994, 995), true), ((995, 2000), false)] {
            assert_eq!(overlap(&many, &segments(&[few])), overlaps);
        }
    }
}

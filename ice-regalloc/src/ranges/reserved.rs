//! The ranges in which instructions reserve registers.
//!
//! Data: a sorted list of positions and unit masks, one for each half of an instruction with fixed operands or clobbers, under
//! a segment tree of unions, so that the question what is reserved anywhere in a segment costs a logarithm. For every few
//! instructions an index says where their entries begin, from which what is looked for is a few steps.

use super::{Ranges, Segment};
use crate::fixed::{is_early, is_late};
use crate::function::Function;
use crate::memory::make_room;
use crate::operand::{Constraint, Inst, Operand, VReg};
use crate::registers::{RegUnits, RegisterFile};

/// Logarithm of the positions that one number in the index is for: eight instructions.
const INDEXED: u32 = 5;

/// Less often than this is rare.
const RARE: f32 = 1.0 / 24.0;

/// Most of what is destroyed in one segment that is looked at: the rest is put away.
const MAX_RARE: usize = 64;

/// An interval that weighs less is rarely needed.
const LIGHT: f32 = 0.25;

/// Whether instructions to which control comes so often reserve nothing that they destroy, but for intervals that are rarely needed
/// themselves: what lives on in such registers is put away there and brought back. Not by terminators, behind which nothing can be.
pub(crate) fn keeps_nothing_free(frequency: f32) -> bool {
    frequency < RARE
}

impl Ranges {
    /// Puts what is reserved into the order of positions, and builds the tree.
    pub(super) fn order_reserved(&mut self) {
        self.reserved.reverse();
        self.rarely_destroyed.reverse();
        let n = self.reserved.len();
        self.tree.clear();
        make_room(&mut self.tree, 2 * n);
        self.tree.resize(n, RegUnits::EMPTY);
        self.tree.extend(self.reserved.iter().map(|r| r.1));
        for k in (1..n).rev() {
            self.tree[k] = self.tree[2 * k].union(self.tree[2 * k + 1]);
        }
        self.reserved_index.clear();
        for (entry, &(position, _)) in self.reserved.iter().enumerate() {
            let known = (position >> INDEXED) as usize + 1;
            if known > self.reserved_index.len() {
                self.reserved_index.resize(known, entry as u32);
            }
        }
    }

    /// Notes what the fixed operands and clobbers of `inst` occupy.
    pub(super) fn reserve(&mut self, func: &Function, file: &RegisterFile, inst: Inst, frequency: f32) {
        let i = inst.as_u32();
        let (mut early, mut late) = (RegUnits::EMPTY, RegUnits::EMPTY);
        for op in func.operands(inst) {
            if let Constraint::Fixed(reg) = op.constraint() {
                if is_early(*op) {
                    early.insert(file.units(reg));
                }
                if is_late(*op) {
                    late.insert(file.units(reg));
                }
                let interval = &mut self.intervals[op.index()];
                if frequency >= interval.hint_weight {
                    (interval.hint, interval.hint_weight) = (reg.0, frequency);
                }
            }
        }
        let mut clobbers = func.clobbers(inst);
        if keeps_nothing_free(frequency) && !clobbers.is_empty() && !func.is_terminator(inst) {
            self.rarely_destroyed.push((4 * i + 2, clobbers));
            clobbers = RegUnits::EMPTY;
        }
        for (position, units) in [(4 * i + 3, late), (4 * i + 2, clobbers), (4 * i + 1, early)] {
            if !units.is_empty() {
                self.reserved.push((position, units));
            }
        }
    }

    /// Index of the first reserved entry at or after `position`, which is `from` or behind it.
    fn entry(&self, from: usize, position: u32) -> usize {
        match self.reserved_index.get((position >> INDEXED) as usize) {
            Some(&known) => self.next_reserved(from.max(known as usize), position),
            None => self.reserved.len(),
        }
    }

    /// The same, one by one from `from` on: for positions that rise.
    pub fn next_reserved(&self, from: usize, position: u32) -> usize {
        from + self.reserved[from..].iter().take_while(|r| r.0 < position).count()
    }

    /// Units that are reserved somewhere in the segments of an interval: by entry `from` or those behind it.
    pub fn reserved_in(&self, segments: &[Segment], from: usize) -> RegUnits {
        let mut units = RegUnits::EMPTY;
        // Nothing is reserved in most: they are short.
        if let Some(last) = segments.last()
            && self.reserved.get(from).is_some_and(|next| next.0 < last.to)
        {
            for segment in segments {
                units.insert(self.reserved_within(*segment, from));
            }
        }
        units
    }

    /// What instructions that reserve nothing destroy in the segments of `v`, by entry `from` of those or behind it, if `v` is rarely
    /// needed.
    #[inline]
    pub fn rarely_destroyed_in(&self, v: u32, from: usize) -> RegUnits {
        let is_met = self.rarely_destroyed.get(from).is_some_and(|next| next.0 < self.end(v));
        match is_met && self.intervals[v as usize].weight < LIGHT {
            true => self.destroyed_in(self.segments_of(v), from),
            false => RegUnits::EMPTY,
        }
    }

    #[inline(never)]
    fn destroyed_in(&self, segments: &[Segment], from: usize) -> RegUnits {
        let mut units = RegUnits::EMPTY;
        let mut rest = &self.rarely_destroyed[from..];
        for segment in segments {
            rest = &rest[rest.partition_point(|entry| entry.0 < segment.from)..];
            let own = rest.iter().take_while(|entry| entry.0 < segment.to);
            own.take(MAX_RARE).for_each(|entry| units.insert(entry.1));
        }
        units
    }

    /// Index of the first entry of what is rarely destroyed at or after `position`, which is `from` or behind it.
    #[inline]
    pub fn next_rarely_destroyed(&self, from: usize, position: u32) -> usize {
        from + self.rarely_destroyed[from..].iter().take_while(|entry| entry.0 < position).count()
    }

    /// Units that are reserved somewhere in `segment`: by entry `from` or those behind it.
    pub fn reserved_within(&self, segment: Segment, from: usize) -> RegUnits {
        let n = self.reserved.len();
        let mut units = RegUnits::EMPTY;
        // Most segments have few entries or none.
        let first = self.entry(from, segment.from);
        for &(position, mask) in self.reserved[first..].iter().take(8) {
            if position >= segment.to {
                return units;
            }
            units.insert(mask);
        }
        let (mut low, mut high) = (first + n, self.entry(first, segment.to) + n);
        while low < high {
            if low & 1 == 1 {
                units.insert(self.tree[low]);
                low += 1;
            }
            if high & 1 == 1 {
                high -= 1;
                units.insert(self.tree[high]);
            }
            low /= 2;
            high /= 2;
        }
        units
    }

    /// Whether `units` are reserved in the segments of `v` by anything but its own fixed operands.
    /// A long search is given up with yes.
    pub fn reserved_by_others(&self, func: &Function, file: &RegisterFile, v: u32, units: RegUnits) -> bool {
        let mut budget = 32;
        for segment in self.segments_of(v) {
            let first = self.entry(0, segment.from);
            for &(position, mask) in self.reserved[first..].iter().take_while(|r| r.0 < segment.to) {
                budget -= 1;
                if budget == 0 {
                    return true;
                }
                if !mask.intersects(units) {
                    continue;
                }
                let half = position & 3;
                let inst = Inst::from_u32(position / 4);
                let old_read = self.intervals[v as usize].old_read && func.is_terminator(inst);
                let by_other = |op: &Operand| match op.constraint() {
                    Constraint::Fixed(reg) => {
                        (op.vreg() != VReg::from_u32(v) || old_read)
                            && (half == 1 && is_early(*op) || half == 3 && is_late(*op))
                            && file.units(reg).intersects(units)
                    }
                    _ => false,
                };
                if half == 2 || func.operands(inst).iter().any(by_other) {
                    return true;
                }
            }
        }
        false
    }
}

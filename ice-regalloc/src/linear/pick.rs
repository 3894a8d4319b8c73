//! Choice of a register for one operand among those that linear scan left over.
//!
//! A register costs what its occupants cost to put away: nothing for values that are not read any
//! more; a store or reload, dearer the nearer the next use, for values without a home (Belady:
//! the furthest next use goes first); far more for a value that has this register for its whole
//! interval. Among free registers the one is best that no interval and no instruction claims
//! before the last use in the block.

use super::{Allocator, SENTINEL};
use crate::registers::{PReg, RegClass, RegUnits};
use crate::scan::{DEAD, LIVE_OUT, NO_REG};

/// Costs from here on mean that a value with a home has to leave it.
const HOME_COST: u64 = 1 << 40;

/// When the register has to be free.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// At the start of the instruction, and perhaps later.
    Early,
    /// After the uses are read.
    Late,
}

/// What may be done to free a register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// Nothing.
    Free,
    /// Values without a home that are used later than this one may leave.
    Evict,
    /// Anything.
    Force,
}

impl Allocator<'_> {
    /// Cost of an occupant that is next used at `next`.
    fn distance_cost(next: u32) -> u64 {
        2 + u64::from(u32::MAX - next) * 2
    }

    fn cost(&self, units: RegUnits, v: u32, need: Need) -> u64 {
        let i = self.point.inst().as_u32();
        let mut cost = 0;
        let mut rest = self.occupied.intersection(units);
        while let Some(o) = self.take_owner(&mut rest) {
            if o == SENTINEL {
                return u64::MAX;
            }
            let value = &self.cx.values[o as usize];
            let after = value.next != DEAD && value.def_inst != i;
            let wanted = after || need == Need::Early && value.pending > 0 && o != v;
            if !wanted {
                continue;
            }
            let one = if value.home != NO_REG {
                HOME_COST + (self.ranges.intervals[o as usize].weight * 16.0) as u64
            } else if value.pending > 0 {
                Self::distance_cost(i)
            } else {
                Self::distance_cost(value.next) + u64::from(!self.is_valid(o))
            };
            cost = one.max(cost);
        }
        cost
    }

    /// The position at which `units` are next claimed, looked for a little ahead.
    fn free_until(&mut self, units: RegUnits) -> u32 {
        let position = 4 * self.point.inst().as_u32();
        let mut until = u32::MAX;
        if self.parts.intersects(units) {
            return position;
        }
        for u in units.iter() {
            let busy = &self.assign.busy[usize::from(u)];
            let cursor = &mut self.cx.cursors[usize::from(u)];
            while busy.get(*cursor as usize).is_some_and(|s| s.from <= position) {
                *cursor += 1;
            }
            until = busy.get(*cursor as usize).map_or(until, |s| s.from.min(until));
        }
        let reserved = &self.ranges.reserved;
        while reserved.get(self.reserved).is_some_and(|r| r.0 <= position + 3) {
            self.reserved += 1;
        }
        let ahead = reserved[self.reserved.min(reserved.len())..].iter().take(8);
        let next = ahead.map(|r| (r.0, r.1)).find(|r| r.1.intersects(units));
        next.map_or(until, |r| r.0.min(until))
    }

    /// A register of `class` outside `avoid` for `v`. The occupants are put away later.
    pub(super) fn pick(
        &mut self,
        class: RegClass,
        v: u32,
        avoid: RegUnits,
        need: Need,
        effort: Effort,
        hint: u8,
    ) -> Option<u8> {
        let value = *self.value(v);
        // A value with a home is elsewhere for this instruction only.
        let last = if value.home == NO_REG && value.next < LIVE_OUT { 4 * value.last } else { 0 };
        let limit = match effort {
            Effort::Free => 1,
            Effort::Evict => Self::distance_cost(value.next).min(HOME_COST - 1),
            Effort::Force => u64::MAX - 1,
        };
        let mut best = None;
        let mut best_cost = limit + 1;
        let mut best_until = 0;
        let order = self.tables.order(class);
        let hinted = self.tables.in_class(class, hint.min(NO_REG - 1)) && hint != NO_REG;
        let first = hinted.then_some(PReg(hint));
        for &reg in first.iter().chain(order) {
            let units = self.file.units(reg);
            if units.intersects(avoid) {
                continue;
            }
            let mut cost = self.cost(units, v, need);
            let saved = self.file.callee_saved.intersects(units);
            if cost == 0 && saved && !self.out.used_regs.contains(units) {
                cost = 1;
            }
            if cost > best_cost || cost == best_cost && cost > 1 {
                continue;
            }
            let until = if cost <= 1 { self.free_until(units) } else { 0 };
            if cost == 0 && until >= last {
                return Some(reg.0);
            }
            if cost < best_cost || until > best_until {
                (best, best_cost, best_until) = (Some(reg.0), cost, until);
            }
        }
        best
    }

    /// Whether nothing claims `reg` before the next use of `v`.
    pub(super) fn reaches_next_use(&mut self, reg: u8, v: u32) -> bool {
        let next = self.value(v).next;
        let units = self.units(reg);
        next >= DEAD - 1 || self.free_until(units) > 4 * next
    }

    /// A free register outside everything that the instruction names or destroys, and none that
    /// would have to be saved for this.
    pub(super) fn pick_safe(&mut self, class: RegClass, v: u32) -> Option<u8> {
        let p = self.pins;
        let pinned = p.early.union(p.late).union(p.stay_early).union(p.stay_late);
        let fresh = self.file.callee_saved.difference(self.out.used_regs);
        let avoid = pinned.union(p.clobbers).union(p.claim).union(self.occupied).union(fresh);
        self.pick(class, v, avoid, Need::Early, Effort::Free, NO_REG)
    }
}

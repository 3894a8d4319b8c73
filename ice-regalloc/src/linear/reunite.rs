//! Reunion: the two ends of a copy in a loop share a register after all, where one of them can go to that of the other.
//!
//! Problem: an interval gets its register when its turn comes. A neighbour that comes later may find its register among those of
//! intervals that it evicts, and then the two are in different registers, though that of the evicted is free for both now.
//!
//! Method: once all registers are given out, each interval whose heaviest copy is in a loop looks at what is at the other end.
//! If the other's register is free in all its segments it goes there, or the other comes to it, where that saves more copies
//! than it makes.
//!
//! Cost: one look at each such interval; for each copy that is left, a search among the holders for each segment, bounded in all.

use super::assign::{Scanner, is_busy};
use crate::registers::{PReg, RegClass};
use crate::scan::NO_REG;

/// Elements that may be moved, for each interval with copies.
const WORK: usize = 256;

impl Scanner<'_> {
    /// Brings neighbours into one register.
    pub(super) fn reunite(&mut self) {
        let mut work = WORK * self.assign.copied.len();
        for n in 0..self.assign.copied.len() {
            let v = self.assign.copied[n];
            let interval = &self.ranges.intervals[v as usize];
            let (reg, near, [weight, _]) = (interval.reg, interval.near[0], interval.near_weight);
            let other = &self.ranges.intervals[near as usize];
            // Each two of which one is nearest to the other are looked at once.
            if other.reg == reg || [reg, other.reg].contains(&NO_REG) || other.near[0] == v && near < v {
                continue;
            }
            let other = other.reg;
            for (v, to) in [(v, PReg(other)), (near, PReg(reg))] {
                if self.saves(v, weight) && self.is_free_for(v, to) {
                    let Some(left) = work.checked_sub(self.work_to_settle(v, to)) else { return };
                    work = left;
                    self.go(v, to);
                    break;
                }
            }
        }
    }

    /// Whether the copies that `v` would need if it left its register weigh less than `weight`.
    fn saves(&self, v: u32, weight: f32) -> bool {
        let interval = &self.ranges.intervals[v as usize];
        let near = interval.near.iter().zip(interval.near_weight);
        let stays = near.filter(|&(&n, _)| {
            self.ranges.intervals.get(n as usize).is_some_and(|other| other.reg == interval.reg)
        });
        let hint = if interval.hint == interval.reg { interval.hint_weight } else { 0.0 };
        stays.map(|(_, weight)| weight).sum::<f32>() + hint < weight
    }

    /// Whether nothing else is in `reg` while `v` lives, and all operands of `v` take it.
    fn is_free_for(&self, v: u32, reg: PReg) -> bool {
        let interval = &self.ranges.intervals[v as usize];
        let (segments, units) = (self.ranges.segments_of(v), self.tables.units(reg));
        self.tables.in_class(RegClass(interval.narrow), reg.0)
            && !units.iter().any(|u| is_busy(&self.assign.busy[usize::from(u)], segments))
            && (!self.ranges.reserved_in(segments, 0).intersects(units)
                || !self.ranges.reserved_by_others(self.func, self.file, v, units))
    }

    /// Takes `v` from its register to `reg`.
    fn go(&mut self, v: u32, reg: PReg) {
        self.leave(v);
        self.settle(v, reg);
    }
}

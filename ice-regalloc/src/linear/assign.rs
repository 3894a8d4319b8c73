//! Linear scan: gives registers to whole intervals.
//!
//! Method: Mössenböck and Pfeiffer, *Linear Scan Register Allocation in the Context of SSA Form and
//! Register Constraints* (2002): intervals with holes in the order of their starts. An interval
//! takes a register in which neither a reserved range nor an earlier interval overlaps it. When
//! there is none, the register whose overlapping holders weigh least is taken from them if they
//! weigh less than the newcomer. Corrected: a holder that is in a hole is evicted only if it
//! overlaps. Weights are densities (operands over length), so a long interval with few uses
//! yields to short ones.
//!
//! Second chance: intervals without a register are offered, in the same order, what is free beside
//! everything that kept its register. Nothing is evicted then, so one round converges.
//!
//! Data: for each unit the intervals that hold it and are not over. An interval is active when its
//! current segment has begun and inactive in a hole; both stand in one list, and the overlap test
//! tells them apart. Aliasing needs nothing more: a register is tested on all its units.
//!
//! Cost: intervals times registers of a class times holders of a unit, which are few.

use super::Tables;
use crate::function::Function;
use crate::ranges::{Ranges, Segment};
use crate::registers::{PReg, RegClass, RegUnits, RegisterFile};
use crate::scan::{NO_REG, NONE};
use alloc::vec::Vec;

/// Lists of the scan, kept for their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Assign {
    order: Vec<u32>,
    losers: Vec<u32>,
    /// For each unit, holders that are not over.
    holders: Vec<Vec<u32>>,
    /// For each unit, the segments of its holders, sorted.
    pub busy: Vec<Vec<Held>>,
    /// Units of registers given out.
    pub used: RegUnits,
    pub evictions: u32,
}

/// Whether two intervals have a position in common, from the given segments on.
pub(super) fn overlap(a: &[Segment], b: &[Segment]) -> bool {
    let (mut x, mut y) = (0, 0);
    while let (Some(s), Some(t)) = (a.get(x), b.get(y)) {
        if s.to <= t.from {
            x += 1;
        } else if t.to <= s.from {
            y += 1;
        } else {
            return true;
        }
    }
    false
}

/// A segment and the virtual register that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub from: u32,
    pub to: u32,
    pub vreg: u32,
}

/// Whether one of the sorted disjoint segments `busy` overlaps one of `segments`.
fn is_busy(busy: &[Held], segments: &[Segment]) -> bool {
    segments.iter().any(|s| {
        let next = busy.partition_point(|b| b.to <= s.from);
        busy.get(next).is_some_and(|b| b.from < s.to)
    })
}

/// What the scan works on.
pub(super) struct Scanner<'a, F: Function> {
    pub func: &'a F,
    pub file: &'a RegisterFile,
    pub tables: &'a Tables,
    pub ranges: &'a mut Ranges,
    pub assign: &'a mut Assign,
}

impl<F: Function> Scanner<'_, F> {
    /// Assigns registers to the intervals.
    pub fn run(&mut self) {
        let Assign { order, holders, busy, losers, used, evictions } = &mut *self.assign;
        *used = RegUnits::EMPTY;
        holders.resize(128, Vec::new());
        busy.resize(128, Vec::new());
        order.clear();
        losers.clear();
        *evictions = 0;
        let ranges = &*self.ranges;
        let wanted = |v: &u32| {
            let interval = &ranges.intervals[*v as usize];
            interval.count > 0 && interval.weight > 0.0
        };
        order.extend((0..ranges.intervals.len() as u32).filter(wanted));
        order.sort_unstable_by_key(|&v| (ranges.start(v), v));
        holders.iter_mut().for_each(Vec::clear);
        for n in 0..self.assign.order.len() {
            self.place(self.assign.order[n]);
        }
        self.collect();
        self.second_chance();
    }

    fn units(&self, v: u32) -> RegUnits {
        self.file.units(PReg(self.ranges.intervals[v as usize].reg))
    }

    /// The segments of `v` that the scan has not passed at `position`.
    fn rest(&mut self, v: u32, position: u32) -> &[Segment] {
        let interval = &mut self.ranges.intervals[v as usize];
        let end = interval.first + interval.count;
        while interval.cursor < end && self.ranges.segments[interval.cursor as usize].to <= position {
            interval.cursor += 1;
        }
        &self.ranges.segments[interval.cursor as usize..end as usize]
    }

    /// Sum of the densities of the holders of `units` that overlap `v`; none if there is no one.
    fn holders_weight(&mut self, v: u32, units: RegUnits, limit: f32) -> Option<f32> {
        let position = self.ranges.start(v);
        let mut weight = None;
        for u in units.iter() {
            let mut k = 0;
            while let Some(&holder) = self.assign.holders[usize::from(u)].get(k) {
                if self.rest(holder, position).is_empty() {
                    self.assign.holders[usize::from(u)].swap_remove(k);
                    continue;
                }
                k += 1;
                let common = self.units(holder).intersection(units);
                if common.0.trailing_zeros() != u32::from(u) {
                    continue;
                }
                let cursor = self.ranges.intervals[holder as usize].cursor;
                let interval = &self.ranges.intervals[holder as usize];
                let end = interval.first + interval.count;
                let rest = &self.ranges.segments[cursor as usize..end as usize];
                if overlap(rest, self.ranges.segments_of(v)) {
                    let sum = weight.unwrap_or(0.0) + interval.density;
                    weight = Some(sum);
                    if sum >= limit {
                        return weight;
                    }
                }
            }
        }
        weight
    }

    /// Units that `v` cannot have because instructions reserve them; its own fixed register is
    /// looked at more closely.
    fn is_reserved(&self, v: u32, units: RegUnits, reserved: RegUnits) -> bool {
        reserved.intersects(units) && self.ranges.reserved_by_others(self.func, self.file, v, units)
    }

    /// A register for `v` that `free` accepts: hints first, then the class in order.
    fn find(&mut self, v: u32, mut free: impl FnMut(&mut Self, RegUnits) -> bool) -> Option<PReg> {
        let interval = self.ranges.intervals[v as usize];
        let reserved = self.ranges.reserved_in(v);
        let class = RegClass(interval.class);
        let near = interval.near.map(|n| match self.ranges.intervals.get(n as usize) {
            Some(other) if n != NONE => [other.reg, other.hint],
            _ => [NO_REG; 2],
        });
        let hints = [near[0][0], near[1][0], interval.hint, near[0][1], near[1][1]];
        let narrow = RegClass(interval.narrow);
        for (k, hint) in hints.into_iter().enumerate() {
            if hint == NO_REG || hints[..k].contains(&hint) || !self.tables.in_class(narrow, hint) {
                continue;
            }
            let units = self.file.units(PReg(hint));
            if !self.is_reserved(v, units, reserved) && free(self, units) {
                return Some(PReg(hint));
            }
        }
        // A register to be saved costs a store and a load at least.
        let cheap = interval.weight <= 2.0;
        for class in [narrow, class] {
            for &reg in self.file.class(class).order {
                let units = self.file.units(reg);
                let fresh = self.file.callee_saved.intersects(units) && !self.assign.used.contains(units);
                if (cheap && fresh) || reserved.intersects(units) {
                    continue;
                }
                if free(self, units) {
                    return Some(reg);
                }
            }
            if narrow == class {
                break;
            }
        }
        None
    }

    fn take(&mut self, v: u32, reg: PReg) {
        let units = self.file.units(reg);
        self.ranges.intervals[v as usize].reg = reg.0;
        self.assign.used.insert(units);
        for u in units.iter() {
            self.assign.holders[usize::from(u)].push(v);
        }
    }

    /// One step of the scan.
    fn place(&mut self, v: u32) {
        if let Some(reg) = self.find(v, |s, units| s.holders_weight(v, units, 0.0).is_none()) {
            return self.take(v, reg);
        }
        let reserved = self.ranges.reserved_in(v);
        let interval = self.ranges.intervals[v as usize];
        let mut limit = interval.density;
        let mut best = None;
        for &reg in self.file.class(RegClass(interval.class)).order {
            let units = self.file.units(reg);
            if reserved.intersects(units) {
                continue;
            }
            match self.holders_weight(v, units, limit) {
                Some(weight) if weight < limit => (best, limit) = (Some(reg), weight),
                _ => {}
            }
        }
        let Some(reg) = best else {
            self.assign.losers.push(v);
            return;
        };
        let units = self.file.units(reg);
        for u in units.iter() {
            let mut k = 0;
            while let Some(&holder) = self.assign.holders[usize::from(u)].get(k) {
                k += 1;
                if self.ranges.intervals[holder as usize].reg != NO_REG
                    && overlap(self.ranges.segments_of(holder), self.ranges.segments_of(v))
                {
                    self.evict(holder);
                    k = 0;
                }
            }
        }
        self.take(v, reg);
    }

    fn evict(&mut self, v: u32) {
        for u in self.units(v).iter() {
            self.assign.holders[usize::from(u)].retain(|&h| h != v);
        }
        self.ranges.intervals[v as usize].reg = NO_REG;
        self.assign.losers.push(v);
        self.assign.evictions += 1;
    }

    /// Lists the segments in which each unit is held.
    fn collect(&mut self) {
        let Assign { order, busy, .. } = &mut *self.assign;
        busy.iter_mut().for_each(Vec::clear);
        for &v in &*order {
            let reg = self.ranges.intervals[v as usize].reg;
            if reg != NO_REG {
                for u in self.file.units(PReg(reg)).iter() {
                    let segments = self.ranges.segments_of(v).iter();
                    busy[usize::from(u)].extend(segments.map(|s| Held { from: s.from, to: s.to, vreg: v }));
                }
            }
        }
        busy.iter_mut().for_each(|list| list.sort_unstable_by_key(|s| s.from));
    }

    /// Offers the registers that are free all the way to those that have none.
    fn second_chance(&mut self) {
        let mut losers = core::mem::take(&mut self.assign.losers);
        losers.sort_unstable_by_key(|&v| (self.ranges.start(v), v));
        self.assign.holders.iter_mut().for_each(Vec::clear);
        for &v in &losers {
            let interval = &mut self.ranges.intervals[v as usize];
            interval.cursor = interval.first;
        }
        let mut changed = false;
        for &v in &losers {
            let found = self.find(v, |s, units| {
                let free =
                    units.iter().all(|u| !is_busy(&s.assign.busy[usize::from(u)], s.ranges.segments_of(v)));
                free && s.holders_weight(v, units, 0.0).is_none()
            });
            if let Some(reg) = found {
                self.take(v, reg);
                changed = true;
            }
        }
        self.assign.losers = losers;
        if changed {
            self.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(list: &[(u32, u32)]) -> Vec<Segment> {
        list.iter().map(|&(from, to)| Segment { from, to }).collect()
    }

    #[test]
    fn holes_do_not_overlap() {
        let a = segments(&[(0, 4), (10, 14), (20, 30)]);
        assert!(!overlap(&a, &segments(&[(4, 10), (14, 20)])));
        assert!(overlap(&a, &segments(&[(4, 10), (14, 21)])));
        let held: Vec<Held> = a.iter().map(|s| Held { from: s.from, to: s.to, vreg: 0 }).collect();
        assert!(!is_busy(&held, &segments(&[(4, 10), (14, 20), (30, 31)])));
        assert!(is_busy(&held, &segments(&[(9, 11)])) && is_busy(&held, &segments(&[(0, 1)])));
        assert!(!overlap(&a, &[]) && !is_busy(&[], &a));
    }
}

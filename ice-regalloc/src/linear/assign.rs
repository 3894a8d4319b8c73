//! Linear scan: gives registers to whole intervals.
//!
//! Method: Mössenböck and Pfeiffer, *Linear Scan Register Allocation in the Context of SSA Form and
//! Register Constraints* (2002): intervals with holes in the order of their starts. An interval
//! takes a register in which neither a reserved range nor an earlier interval overlaps it. When
//! there is none, the register whose overlapping holders weigh least is taken from them if they
//! weigh less than the newcomer. Corrected: a holder that is in a hole is evicted only if it
//! overlaps. Weights are densities (operands over length), so a long interval with few uses
//! yields to short ones; where it has many, the exchange (`exchange`) gives it a register after all.
//!
//! Second chance: intervals without a register are offered, in the same order, what is free beside
//! everything that kept its register. Nothing is evicted then, so one round converges.
//!
//! Data: the active intervals, whose current segment has begun, with the union of their units, and
//! the inactive ones, which are in a hole. Aliasing needs nothing more: what is taken is a set of units.
//!
//! Cost: for each interval a walk over the inactive ones and the registers of its class; over the
//! active ones when their segments change. At most `MAX_INACTIVE` are inactive: a hole that one more
//! would have is not used.

use super::exchange::Exchange;
use crate::function::Function;
use crate::keys::{self, heaviest_first};
use crate::ranges::{Interval, Ranges, Segment};
use crate::registers::{PReg, RegClass, RegUnits, RegisterFile};
use crate::scan::NO_REG;
use crate::tables::Tables;
use alloc::vec::Vec;

/// Lists of the scan, kept for their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Assign {
    pub losers: Vec<u32>,
    pub exchange: Exchange,
    by_weight: Vec<u64>,
    /// Intervals that have a register and are not over: those at their present segment, and those in
    /// a hole.
    active: Vec<Holder>,
    inactive: Vec<Holder>,
    /// Which of the inactive the present interval meets, by their numbers in the list, from low to high.
    met: Vec<u32>,
    /// For each unit, the segments of its holders, sorted.
    pub busy: Vec<Vec<Held>>,
    /// Units of registers given out.
    pub used: RegUnits,
    /// Registers that intervals to come would share with a neighbour that has one.
    wanted: Vec<Wanted>,
    /// Intervals that have got registers and have copies in loops.
    pub copied: Vec<u32>,
    pub evictions: u32,
    /// Intervals in holes that were looked at.
    pub steps: u64,
}

/// An interval that has a register.
#[derive(Clone, Copy, Debug)]
struct Holder {
    vreg: u32,
    /// End of the present segment when active, start of the next one when inactive.
    until: u32,
    /// End of the last segment.
    end: u32,
    units: RegUnits,
}

/// The next value of a loop's variable begins at `from`, and the variable, which is over by then, has these units.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    from: u32,
    units: RegUnits,
}

/// Most such values that are kept in mind.
const MAX_WANTED: usize = 32;

/// Most intervals in holes that are kept apart; others hold their registers through their holes.
const MAX_INACTIVE: usize = 256;

/// The weight of a copy in a loop.
const LOOP: f32 = 8.0;

/// That of one in a loop that control comes to in one of four cases.
const RARE_LOOP: f32 = LOOP / 4.0;

/// What weighs no more is not worth a register that has to be saved.
const LIGHT: f32 = 2.0;

/// Elements that the second chance may move.
const SECOND_CHANCE_WORK: usize = 1 << 22;

/// Units of all these.
fn units_of(holders: &[Holder]) -> RegUnits {
    holders.iter().fold(RegUnits::EMPTY, |all, holder| all.union(holder.units))
}

/// Takes out the holders that are over at `position`, and asks `stays` of each whose time is up. Gives the time of the next
/// and the units of those that are left.
#[inline(always)]
fn sweep(
    holders: &mut Vec<Holder>,
    position: u32,
    mut stays: impl FnMut(&mut Holder) -> bool,
) -> (u32, RegUnits) {
    let (mut next, mut units, mut k) = (u32::MAX, RegUnits::EMPTY, 0);
    while let Some(holder) = holders.get_mut(k) {
        if holder.until <= position && (holder.end <= position || !stays(holder)) {
            holders.swap_remove(k);
            continue;
        }
        next = next.min(holder.until);
        units.insert(holder.units);
        k += 1;
    }
    (next, units)
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
pub(super) fn is_busy(busy: &[Held], segments: &[Segment]) -> bool {
    segments.iter().any(|s| {
        let next = busy.partition_point(|b| b.to <= s.from);
        busy.get(next).is_some_and(|b| b.from < s.to)
    })
}

/// Puts the segments of `vreg` into the sorted list `busy`, from the last one on.
fn merge(busy: &mut Vec<Held>, segments: &[Segment], vreg: u32) {
    let mut old = busy.len();
    busy.resize(old + segments.len(), Held { from: 0, to: 0, vreg });
    for (new, &Segment { from, to }) in segments.iter().enumerate().rev() {
        while old > 0 && busy[old - 1].from > from {
            old -= 1;
            busy[old + new + 1] = busy[old];
        }
        busy[old + new] = Held { from, to, vreg };
    }
}

/// Takes the segments of `vreg` out of the sorted list `busy`.
fn take_out(busy: &mut Vec<Held>, segments: &[Segment], vreg: u32) {
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return };
    let start = busy.partition_point(|held| held.from < first.from);
    let end = start + busy[start..].partition_point(|held| held.from <= last.from);
    let mut kept = start;
    for k in start..end {
        if busy[k].vreg != vreg {
            busy[kept] = busy[k];
            kept += 1;
        }
    }
    busy.drain(kept..end);
}

/// What the scan works on.
pub(super) struct Scanner<'a> {
    pub func: &'a Function,
    pub file: &'a RegisterFile<'a>,
    pub tables: &'a Tables<'a>,
    pub ranges: &'a mut Ranges,
    pub assign: &'a mut Assign,
    /// Units of the active intervals.
    pub active_units: RegUnits,
    /// The next position where the present segment of an active interval ends, and where an inactive one begins again.
    pub next_end: u32,
    pub next_begin: u32,
    /// The first entry of what is reserved that is not before the present interval.
    pub next_reserved: usize,
    /// The same of what is rarely destroyed.
    pub next_rare: usize,
}

impl Assign {
    /// Lists the inactive that an interval with these segments, up to `end`, meets. Gives their units.
    fn meet(&mut self, ranges: &Ranges, segments: &[Segment], end: u32) -> RegUnits {
        let mut units = RegUnits::EMPTY;
        for (k, holder) in self.inactive.iter().enumerate() {
            if holder.until < end && overlap(ranges.rest(holder.vreg), segments) {
                units.insert(holder.units);
                self.met.push(k as u32);
            }
        }
        units
    }

    /// Keeps in mind that the first neighbour of `v`, whose turn comes later, wants these units as well.
    fn want(&mut self, ranges: &Ranges, v: u32, units: RegUnits) {
        let interval = &ranges.intervals[v as usize];
        if interval.near_weight[0] < LOOP || self.wanted.len() == MAX_WANTED {
            return;
        }
        let next = &ranges.intervals[interval.near[0] as usize];
        if next.reg == NO_REG && next.count > 0 {
            self.wanted.push(Wanted { from: ranges.start(interval.near[0]), units });
        }
    }

    /// The units that are wanted while `v` lives.
    fn wanted_in(&mut self, ranges: &Ranges, v: u32) -> RegUnits {
        if self.wanted.is_empty() {
            return RegUnits::EMPTY;
        }
        let (start, end) = (ranges.start(v), ranges.end(v));
        self.wanted.retain(|wanted| wanted.from > start);
        let meant = self.wanted.iter().filter(|wanted| wanted.from < end);
        meant.fold(RegUnits::EMPTY, |all, wanted| all.union(wanted.units))
    }

    /// Segments in which these units are held.
    pub fn num_held(&self, units: RegUnits) -> usize {
        units.iter().map(|u| self.busy[usize::from(u)].len()).sum()
    }

    /// Takes intervals whose registers were taken away after the scan off the lists of the holders.
    pub fn release(&mut self, ranges: &Ranges) {
        for u in self.used.iter() {
            self.busy[usize::from(u)].retain(|held| ranges.has_register(held.vreg));
        }
    }
}

impl Scanner<'_> {
    /// Assigns registers to the intervals. Not inlined, so that its values have the registers.
    #[inline(never)]
    pub fn run(&mut self) {
        let Assign { losers, active, inactive, busy, used, wanted, copied, evictions, steps, .. } =
            &mut *self.assign;
        busy.resize(RegUnits::CAPACITY, Vec::new());
        used.iter().for_each(|u| busy[usize::from(u)].clear());
        *used = RegUnits::EMPTY;
        losers.clear();
        active.clear();
        inactive.clear();
        wanted.clear();
        copied.clear();
        *evictions = 0;
        *steps = 0;
        self.active_units = RegUnits::EMPTY;
        (self.next_end, self.next_begin) = (u32::MAX, u32::MAX);
        (self.next_reserved, self.next_rare) = (0, 0);
        let order = core::mem::take(&mut self.ranges.order);
        for &v in &order {
            self.place(v);
        }
        self.ranges.order = order;
        self.collect();
        self.exchange();
        self.second_chance();
        self.reunite();
    }

    /// Brings the lists up to `position`.
    fn advance(&mut self, position: u32) {
        let Scanner { ranges, assign, active_units, next_end, next_begin, .. } = self;
        let Assign { active, inactive, .. } = &mut **assign;
        if position >= *next_end {
            (*next_end, *active_units) =
                sweep(active, position, |holder| match ranges.pass(holder.vreg, position) {
                    Some(segment) if segment.from > position && inactive.len() < MAX_INACTIVE => {
                        holder.until = segment.from;
                        *next_begin = segment.from.min(*next_begin);
                        inactive.push(*holder);
                        false
                    }
                    Some(segment) => {
                        holder.until = segment.to;
                        true
                    }
                    None => false,
                });
        }
        if position >= *next_begin {
            (*next_begin, _) = sweep(inactive, position, |holder| match ranges.pass(holder.vreg, position) {
                Some(segment) if segment.from > position => {
                    holder.until = segment.from;
                    true
                }
                Some(segment) => {
                    holder.until = segment.to;
                    *next_end = segment.to.min(*next_end);
                    active_units.insert(holder.units);
                    active.push(*holder);
                    false
                }
                None => false,
            });
        }
    }

    /// A register for `v` outside `taken`: hints first, then the class in order, best one that its neighbour can share.
    fn find(&mut self, v: u32, taken: RegUnits, reserved: RegUnits) -> Option<PReg> {
        let interval = &self.ranges.intervals[v as usize];
        let (class, narrow) = (RegClass(interval.class), RegClass(interval.narrow));
        let [a, b] = interval.near.map(|n| match self.ranges.intervals.get(n as usize) {
            Some(other) => [other.reg, other.hint],
            None => [NO_REG; 2],
        });
        let is_ahead = interval.near_weight[0] >= LOOP && a[0] == NO_REG;
        let hints = [a[0], b[0], interval.hint, a[1], b[1]];
        let (hints, unfit) = if is_ahead { self.look_ahead(v, hints) } else { (hints, RegUnits::EMPTY) };
        for hint in hints {
            if hint == NO_REG || !self.tables.in_class(narrow, hint) {
                continue;
            }
            let units = self.tables.units(PReg(hint));
            if units.intersects(taken) {
                continue;
            }
            // What instructions reserve may be for this very value.
            if !reserved.intersects(units) || !self.ranges.reserved_by_others(self.func, self.file, v, units)
            {
                return Some(PReg(hint));
            }
        }
        let avoid = taken.union(reserved).union(self.too_dear(v));
        let unfit = unfit.union(self.assign.wanted_in(self.ranges, v));
        if !unfit.is_empty()
            && let Some(shared) = self.tables.first_free(narrow, avoid.union(unfit))
        {
            return Some(shared);
        }
        let found = self.tables.first_free(narrow, avoid);
        if found.is_none() && narrow != class {
            return self.tables.first_free(class, avoid);
        }
        found
    }

    /// The hints of `v`, whose first neighbour's turn comes later, and the units that the neighbour will hardly get. If both never
    /// live at once and the second neighbour has no register, what the first is near to is a hint; none is that the first will
    /// hardly share and that weighs less.
    #[inline(never)]
    fn look_ahead(&self, v: u32, mut hints: [u8; 5]) -> ([u8; 5], RegUnits) {
        let interval = &self.ranges.intervals[v as usize];
        let unfit = self.unfit(interval.near[0]);
        let next = self.ranges.segments_of(interval.near[0]);
        if hints[1] == NO_REG && !overlap(self.ranges.segments_of(v), next) {
            let beyond = &self.ranges.intervals[interval.near[0] as usize];
            let known = beyond.near.iter().filter_map(|&n| self.ranges.intervals.get(n as usize));
            hints[0] = known.map(|other| other.reg).find(|&reg| reg != NO_REG).unwrap_or(NO_REG);
        }
        let [first, second] = interval.near_weight;
        for (hint, rival) in hints.iter_mut().zip([0.0, second, interval.hint_weight, 0.0, 0.0]) {
            if *hint != NO_REG && first > rival && self.tables.units(PReg(*hint)).intersects(unfit) {
                *hint = NO_REG;
            }
        }
        (hints, unfit)
    }

    /// Units that `v`, whose turn comes later, will hardly get: what others reserve in it, and hold where it begins.
    fn unfit(&self, v: u32) -> RegUnits {
        let mut unfit = self.ranges.reserved_in(self.ranges.segments_of(v), self.next_reserved);
        let own = self.ranges.intervals[v as usize].hint;
        if own != NO_REG {
            let units = self.tables.units(PReg(own));
            if unfit.intersects(units) && !self.ranges.reserved_by_others(self.func, self.file, v, units) {
                unfit = unfit.difference(units);
            }
        }
        let start = self.ranges.start(v);
        let held = self.assign.active.iter().filter(|holder| holder.until > start);
        held.fold(unfit, |all, holder| all.union(holder.units))
    }

    /// Registers that cost more to save than `v` does in memory.
    fn too_dear(&self, v: u32) -> RegUnits {
        match self.ranges.intervals[v as usize].weight {
            ..=LIGHT => self.file.callee_saved.difference(self.assign.used),
            _ => RegUnits::EMPTY,
        }
    }

    /// Elements that `settle` may move.
    pub(super) fn work_to_settle(&self, v: u32, reg: PReg) -> usize {
        let units = self.tables.units(reg);
        self.assign.num_held(units) + units.len() as usize * self.ranges.segments_of(v).len()
    }

    /// Gives `v` the register `reg`, which is free in all its segments, and lists it among the holders.
    pub(super) fn settle(&mut self, v: u32, reg: PReg) {
        for u in self.tables.units(reg).iter() {
            merge(&mut self.assign.busy[usize::from(u)], self.ranges.segments_of(v), v);
        }
        self.take(v, reg);
    }

    /// Takes `v`, which has a register, off the lists of the holders.
    pub(super) fn leave(&mut self, v: u32) {
        for u in self.tables.units(PReg(self.ranges.intervals[v as usize].reg)).iter() {
            take_out(&mut self.assign.busy[usize::from(u)], self.ranges.segments_of(v), v);
        }
    }

    fn take(&mut self, v: u32, reg: PReg) {
        let interval = &mut self.ranges.intervals[v as usize];
        interval.reg = reg.0;
        if interval.near_weight[0] >= RARE_LOOP {
            self.assign.copied.push(v);
        }
        self.assign.used.insert(self.tables.units(reg));
    }

    /// One step of the scan.
    fn place(&mut self, v: u32) {
        let start = self.ranges.start(v);
        self.advance(start);
        self.assign.steps += self.assign.inactive.len() as u64;
        self.next_reserved = self.ranges.next_reserved(self.next_reserved, start);
        self.next_rare = self.ranges.next_rarely_destroyed(self.next_rare, start);
        let segments = self.ranges.segments_of(v);
        let (until, end) = (segments[0].to, segments[segments.len() - 1].to);
        let reserved = self.ranges.reserved_in(segments, self.next_reserved);
        let reserved = reserved.union(self.ranges.rarely_destroyed_in(v, self.next_rare));
        self.assign.met.clear();
        let mut taken = self.active_units;
        if self.next_begin < end {
            taken.insert(self.assign.meet(self.ranges, segments, end));
        }
        let found = self.find(v, taken, reserved).or_else(|| self.make_room(v, taken, reserved));
        let Some(reg) = found else {
            self.assign.losers.push(v);
            return;
        };
        self.take(v, reg);
        let units = self.tables.units(reg);
        self.assign.want(self.ranges, v, units);
        self.pass_on(v, reg);
        self.assign.active.push(Holder { vreg: v, until, end, units });
        self.active_units.insert(units);
        self.next_end = self.next_end.min(until);
    }

    /// Lets the neighbours of `v` whose turn comes later know where it is, if they have two that are nearer: the parameters of a
    /// loop are nearer to their next values than to their first ones, which have registers before.
    fn pass_on(&mut self, v: u32, reg: PReg) {
        let Interval { near, near_weight, .. } = self.ranges.intervals[v as usize];
        for (n, weight) in near.into_iter().zip(near_weight) {
            if let Some(next) = self.ranges.intervals.get_mut(n as usize)
                && next.reg == NO_REG
                && (next.hint == NO_REG || 0.0 < next.hint_weight && next.hint_weight < weight)
                && !next.near.contains(&v)
            {
                (next.hint, next.hint_weight) = (reg.0, weight);
            }
        }
    }

    /// Throws the holders of a register out that weigh less than `v` and overlap it. A light one takes a register that has to be
    /// saved if one of these holders would, which cannot have all of its life in another one.
    fn make_room(&mut self, v: u32, taken: RegUnits, reserved: RegUnits) -> Option<PReg> {
        let interval = self.ranges.intervals[v as usize];
        let order = self.tables.order(RegClass(interval.class));
        let mut weights = [0.0_f32; RegUnits::CAPACITY];
        let Assign { active, inactive, met, .. } = &*self.assign;
        for holder in active.iter().chain(met.iter().map(|&k| &inactive[k as usize])) {
            let density = self.ranges.intervals[holder.vreg as usize].density;
            for u in holder.units.iter() {
                weights[usize::from(u)] += density;
            }
        }
        let dear = self.too_dear(v);
        let avoid = reserved.union(dear);
        let mut limit = interval.density;
        let mut best = None;
        for &reg in order {
            let units = self.tables.units(reg);
            if avoid.intersects(units) {
                continue;
            }
            let weight = units.iter().map(|u| weights[usize::from(u)]).fold(0.0, f32::max);
            if weight < limit {
                (best, limit) = (Some(reg), weight);
            }
        }
        let units = self.tables.units(best?);
        if !dear.is_empty()
            && let Some(free) = self.tables.first_free(RegClass(interval.class), taken.union(reserved))
            && self.has_heavy_holder(units)
        {
            return Some(free);
        }
        let mut active = core::mem::take(&mut self.assign.active);
        active.retain(|h| !h.units.intersects(units) || self.evict(h.vreg));
        self.active_units = units_of(&active);
        self.assign.active = active;
        // From high to low: what takes the place of one that goes has been looked at.
        while let Some(k) = self.assign.met.pop() {
            let holder = self.assign.inactive[k as usize];
            if holder.units.intersects(units) {
                self.assign.inactive.swap_remove(k as usize);
                self.evict(holder.vreg);
            }
        }
        best
    }

    /// Whether one of those that hold some of these units, and meet the present interval, is worth a register that has to be saved.
    fn has_heavy_holder(&self, units: RegUnits) -> bool {
        let Assign { active, inactive, met, .. } = &*self.assign;
        let mut holders = active.iter().chain(met.iter().map(|&k| &inactive[k as usize]));
        holders.any(|holder| {
            holder.units.intersects(units) && self.ranges.intervals[holder.vreg as usize].weight > LIGHT
        })
    }

    /// Takes the register of `v` away. Gives false.
    pub(super) fn evict(&mut self, v: u32) -> bool {
        self.ranges.intervals[v as usize].reg = NO_REG;
        self.assign.losers.push(v);
        self.assign.evictions += 1;
        false
    }

    /// Lists the segments in which each unit is held.
    fn collect(&mut self) {
        let Assign { busy, used, .. } = &mut *self.assign;
        for (vreg, Segment { from, to }) in self.ranges.all_segments() {
            let reg = self.ranges.intervals[vreg as usize].reg;
            if reg == NO_REG {
                continue;
            }
            for u in self.tables.units(PReg(reg)).iter() {
                let list = &mut busy[usize::from(u)];
                let mut at = list.len();
                list.push(Held { from, to, vreg });
                // What begins with one instruction has been found in any order.
                while at > 0 && list[at - 1].from > from {
                    list.swap(at - 1, at);
                    at -= 1;
                }
            }
        }
        debug_assert!(used.iter().all(|u| busy[usize::from(u)].windows(2).all(|w| w[0].to <= w[1].from)));
    }

    /// Offers the registers that are free all the way to those that have none.
    fn second_chance(&mut self) {
        if self.assign.losers.is_empty() {
            return;
        }
        let mut losers = core::mem::take(&mut self.assign.losers);
        let mut by_weight = core::mem::take(&mut self.assign.by_weight);
        by_weight.clear();
        let intervals = &self.ranges.intervals;
        by_weight.extend(losers.iter().map(|&v| heaviest_first(intervals[v as usize].density, v)));
        by_weight.sort_unstable();
        losers.clear();
        losers.extend(by_weight.iter().map(|&key| keys::number(key)));
        self.assign.by_weight = by_weight;
        let mut work = SECOND_CHANCE_WORK;
        losers.retain(|&v| {
            let segments = self.ranges.segments_of(v);
            let mut taken = RegUnits::EMPTY;
            let class = RegClass(self.ranges.intervals[v as usize].class);
            for u in self.assign.used.intersection(self.tables.all_units(class)).iter() {
                if is_busy(&self.assign.busy[usize::from(u)], segments) {
                    taken.insert(RegUnits::of(u));
                }
            }
            if self.tables.first_free(class, taken).is_none() {
                return true;
            }
            let reserved = self.ranges.reserved_in(segments, 0);
            let reserved = reserved.union(self.ranges.rarely_destroyed_in(v, 0));
            let Some(reg) = self.find(v, taken, reserved) else { return true };
            let Some(left) = work.checked_sub(self.work_to_settle(v, reg)) else { return true };
            work = left;
            self.settle(v, reg);
            false
        });
        self.assign.losers = losers;
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

    #[test]
    fn segments_are_merged_in_order_and_taken_out() {
        let of = |held: &[Held]| held.iter().map(|h| (h.from, h.to, h.vreg)).collect::<Vec<_>>();
        let mut busy = Vec::new();
        merge(&mut busy, &segments(&[(8, 9), (20, 22)]), 1);
        merge(&mut busy, &segments(&[(0, 4), (9, 20), (30, 31)]), 2);
        merge(&mut busy, &[], 3);
        merge(&mut busy, &segments(&[(4, 8)]), 4);
        let all = [(0, 4, 2), (4, 8, 4), (8, 9, 1), (9, 20, 2), (20, 22, 1), (30, 31, 2)];
        assert_eq!(of(&busy), all);
        take_out(&mut busy, &segments(&[(8, 9), (20, 22)]), 1);
        take_out(&mut busy, &[], 3);
        assert_eq!(of(&busy), [(0, 4, 2), (4, 8, 4), (9, 20, 2), (30, 31, 2)]);
        take_out(&mut busy, &segments(&[(0, 4), (9, 20), (30, 31)]), 2);
        assert_eq!(of(&busy), [(4, 8, 4)]);
    }
}

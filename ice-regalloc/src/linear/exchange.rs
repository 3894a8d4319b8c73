//! Exchange: heavy intervals without a register take one from holders that weigh less together.
//!
//! Problem: the scan weighs by density, so an interval as long as a loop around many ways yields to each short one that it meets,
//! though all of these together need registers less often. The program counter of an interpreter was in a slot for that, while
//! registers were held by values of single cases.
//!
//! Method: after the scan, the intervals without a register that have many operands in loops have their turn, the heaviest
//! first. For each register of the class that nothing reserves in the interval, the weights of the holders that overlap
//! it are summed; the register with the least sum is taken if that is below what the interval needs. Its holders give it up:
//! the heavy ones have their turn among the rest, and the second chance offers all of them what is free. What an interval
//! needs does not count copies on edges: between values in slots these are none, as `webs` sees to.
//!
//! Each exchange raises the sum of the weights in registers. Who gives a register up weighs less than who gets it, so turns come in the
//! order of weights, and what got a register in its turn keeps it: an interval has one turn, and there is an end.
//!
//! Cost: for each turn and register, a search among the holders for each segment, up to the first that weighs too much; bounded
//! in all.

use super::assign::Scanner;
use crate::keys::{self, heaviest_first};
use crate::memory::refill;
use crate::registers::{PReg, RegClass, RegUnits};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Lists of the exchange, kept for their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    /// Who has a turn, the heaviest first.
    turns: BinaryHeap<Reverse<u64>>,
    /// Holders of the register that is looked at, and of the one that would be taken.
    met: Vec<u32>,
    lightest: Vec<u32>,
    /// For each virtual register, the last look at a register that has met it; and the number of looks.
    seen: Vec<u32>,
    stamp: u32,
    /// Segments and holders that may still be looked at or moved.
    work: usize,
}

/// Lighter intervals are left to the second chance and to splitting.
const HEAVY: f32 = 16.0;

/// Segments and holders that may be looked at or moved, for each segment that holds a unit.
const WORK: usize = 64;

impl Scanner<'_> {
    /// Gives registers to heavy intervals that have none, at the cost of lighter ones.
    pub(super) fn exchange(&mut self) {
        let mut exchange = core::mem::take(&mut self.assign.exchange);
        exchange.turns.clear();
        exchange.turns.extend(self.assign.losers.iter().filter_map(|&v| self.turn(v)));
        if exchange.turns.is_empty() {
            self.assign.exchange = exchange;
            return;
        }
        refill(&mut exchange.seen, self.ranges.intervals.len(), 0);
        exchange.stamp = 0;
        exchange.work = WORK * self.assign.num_held(self.assign.used);
        while let Some(Reverse(key)) = exchange.turns.pop() {
            let v = keys::number(key);
            let Some(reg) = self.lightest(v, &mut exchange) else { continue };
            let Some(left) = exchange.work.checked_sub(self.work_to_settle(v, reg)) else { break };
            exchange.work = left;
            self.displace(&mut exchange);
            self.settle(v, reg);
            exchange.turns.extend(exchange.lightest.iter().filter_map(|&v| self.turn(v)));
        }
        self.assign.losers.retain(|&v| !self.ranges.has_register(v));
        self.assign.exchange = exchange;
    }

    /// The turn of `v`, if it is heavy.
    fn turn(&self, v: u32) -> Option<Reverse<u64>> {
        let need = self.need(v);
        (need >= HEAVY).then_some(Reverse(heaviest_first(need, v)))
    }

    /// How often the operands of `v` need it, without copies on edges.
    fn need(&self, v: u32) -> f32 {
        let interval = &self.ranges.intervals[v as usize];
        interval.weight - interval.copies
    }

    /// The register whose holders weigh least of all together where they overlap `v`, if that is less than the need of `v`.
    /// Leaves them in `Exchange::lightest`.
    fn lightest(&self, v: u32, exchange: &mut Exchange) -> Option<PReg> {
        let class = RegClass(self.ranges.intervals[v as usize].class);
        let reserved = self.ranges.reserved_in(self.ranges.segments_of(v), 0);
        let (mut best, mut limit) = (None, self.need(v));
        for &reg in self.tables.order(class) {
            let units = self.tables.units(reg);
            if units.intersects(reserved) {
                continue;
            }
            if let Some(weight) = self.weigh(v, units, limit, exchange) {
                (best, limit) = (Some(reg), weight);
                // Copied and not swapped, so that each list gets no larger when the function is allocated again.
                exchange.lightest.clone_from(&exchange.met);
            }
        }
        best
    }

    /// The sum of the weights of what holds `units` somewhere in `v`, if that is below `limit`, and its holders in
    /// `Exchange::met`. None too if the work is used up.
    fn weigh(&self, v: u32, units: RegUnits, limit: f32, exchange: &mut Exchange) -> Option<f32> {
        let Exchange { met, seen, stamp, work, .. } = exchange;
        met.clear();
        *stamp += 1;
        let mut sum = 0.0;
        for u in units.iter() {
            let mut rest = &self.assign.busy[usize::from(u)][..];
            for s in self.ranges.segments_of(v) {
                *work = work.checked_sub(1)?;
                rest = &rest[rest.partition_point(|held| held.to <= s.from)..];
                for held in rest.iter().take_while(|held| held.from < s.to) {
                    *work = work.checked_sub(1)?;
                    let seen = &mut seen[held.vreg as usize];
                    if *seen != *stamp {
                        *seen = *stamp;
                        // What is made again more cheaply than kept weighs below zero, and pays for no other holder.
                        sum += self.ranges.intervals[held.vreg as usize].weight.max(0.0);
                        if sum >= limit {
                            return None;
                        }
                        met.push(held.vreg);
                    }
                }
            }
        }
        Some(sum)
    }

    /// Takes their registers from the holders in `Exchange::lightest`.
    fn displace(&mut self, exchange: &mut Exchange) {
        let mut units = RegUnits::EMPTY;
        for &holder in &exchange.lightest {
            units.insert(self.tables.units(PReg(self.ranges.intervals[holder as usize].reg)));
            self.leave(holder);
            self.evict(holder);
        }
        exchange.work = exchange.work.saturating_sub(self.assign.num_held(units));
    }
}

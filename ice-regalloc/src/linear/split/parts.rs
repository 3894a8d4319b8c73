//! Growing parts: which blocks share a register, and what that saves.
//!
//! From a block in a loop a part takes in the neighbours, hottest first, while a register is left that is free in all of them.
//! It is weighed against the moves at its border, and refused if those cost more.

use super::super::assign::Assign;
use super::{HOT, Input, Live, Part, REFUSED, Splits};
use crate::function::Function;
use crate::keys::{self, heaviest_first};
use crate::operand::{Block, Inst};
use crate::ranges::Ranges;
use crate::registers::{PReg, RegClass};
use crate::rows::Shape;
use crate::scan::{NO_REG, NONE, params_at_start};
use core::cmp::Reverse;

impl Splits {
    /// Finds parts of `v` and registers for them.
    pub(super) fn split(&mut self, input: &Input, ranges: &mut Ranges, assign: &mut Assign, v: u32) {
        let Input { func, file, tables, .. } = *input;
        let order = tables.order(RegClass(ranges.intervals[v as usize].class));
        self.parts.clear();
        self.seeds.clear();
        let seeds = self.live.iter().enumerate();
        let seeds = seeds
            .filter(|(_, l)| l.cost > 0.0 && l.frequency >= HOT && l.range.from < l.range.to && l.free != 0);
        self.seeds.extend(seeds.map(|(k, l)| heaviest_first(l.cost, k as u32)));
        self.seeds.sort_unstable();
        for n in 0..self.seeds.len() {
            let seed = keys::number(self.seeds[n]);
            if self.live[seed as usize].part != NONE {
                continue;
            }
            let part = self.parts.len() as u32;
            let free = self.grow(func, seed, part);
            let again = ranges.intervals[v as usize].remat.is_some();
            let weighed = self.weigh(func, part, again);
            let near = ranges.intervals[v as usize].near;
            let hints = near.map(|n| ranges.intervals.get(n as usize).map_or(NO_REG, |i| i.reg));
            let fresh = file.callee_saved.difference(assign.used);
            let is_cheap = |k: &usize| !tables.units(order[*k]).intersects(fresh);
            let candidates = || (0..order.len().min(64)).filter(|k| free >> k & 1 != 0);
            let hinted =
                hints.iter().find_map(|&h| candidates().filter(is_cheap).find(|&k| order[k] == PReg(h)));
            let cheap = hinted.or_else(|| candidates().find(is_cheap));
            let reg = match (cheap, weighed) {
                (_, Gain::None) => None,
                (Some(k), _) => Some(order[k]),
                (None, Gain::Some { saved, .. }) if saved > 2.0 => candidates().next().map(|k| order[k]),
                _ => None,
            };
            let (Some(reg), Gain::Some { store_at_definition, .. }) = (reg, weighed) else {
                // Later parts look at these blocks again.
                for &k in &self.members {
                    (self.live[k as usize].part, self.live[k as usize].seen) = (REFUSED, NONE);
                }
                for live in self.live.iter_mut().filter(|l| l.seen == part) {
                    live.seen = NONE;
                }
                continue;
            };
            let defines = !again && self.members.iter().any(|&k| self.live[k as usize].writes);
            self.parts.push(Part { reg: reg.0, dirty: defines && !store_at_definition });
            if store_at_definition && defines {
                self.stored.push(v);
            }
            assign.used.insert(tables.units(reg));
        }
        if self.parts.is_empty() {
            return;
        }
        ranges.intervals[v as usize].split = self.of_value.len() as u32;
        self.commit(func, tables, v);
    }

    /// Grows a part from the block `seed` and lists its members. Gives the registers that are free in
    /// all of them.
    fn grow(&mut self, func: &Function, seed: u32, part: u32) -> u64 {
        let mut free = self.live[seed as usize].free;
        self.members.clear();
        self.frontier.clear();
        let mut next = seed;
        loop {
            self.live[next as usize].part = part;
            self.members.push(next);
            free &= self.live[next as usize].free;
            let Splits { live, index_of, frontier, adjacent, .. } = self;
            adjacent.clear();
            neighbours(func, live, index_of, next, |other, _| adjacent.push(other));
            for &other in &*adjacent {
                let live = &mut live[other as usize];
                // What has no place there may have to wait for all its predecessors.
                let again = live.seen != part || live.range.from == live.range.to;
                if again && (live.part == NONE || live.part == REFUSED) {
                    live.seen = part;
                    frontier.push((live.frequency.to_bits(), Reverse(other)));
                }
            }
            next = loop {
                let Some((_, Reverse(other))) = self.frontier.pop() else { return free };
                let live = &self.live[other as usize];
                if live.part != part
                    && live.free & free != 0
                    && (live.range.from < live.range.to || self.all_preds_in(func, other, part))
                {
                    break other;
                }
            };
        }
    }

    /// Whether all predecessors of live block `next` are in `part`.
    fn all_preds_in(&self, func: &Function, next: u32, part: u32) -> bool {
        let live = &self.live[next as usize];
        let part_of = |pred: &Block| self.live[self.index_of[pred.as_u32() as usize] as usize].part;
        !live.live_in
            || func.block_preds(Block::from_u32(live.block)).iter().all(|pred| part_of(pred) == part)
    }

    /// What `part`, made of `members`, saves. A value made `again` where it is needed is never stored.
    fn weigh(&self, func: &Function, part: u32, again: bool) -> Gain {
        let inside = self.members.iter().map(|&k| &self.live[k as usize]);
        // Paths through a function without loops meet only some of the references: half.
        let mut saved: f32 = 0.5 * inside.clone().map(|l| l.cost).sum::<f32>();
        let stores = inside.clone().filter(|l| l.writes && !again);
        let definitions: f32 = stores.map(|l| l.frequency).sum();
        let has_param = inside.clone().any(|l| l.param);
        let mut exits = 0.0;
        let mut closed = true;
        for &member in &self.members {
            neighbours(func, &self.live, &self.index_of, member, |other, leaves| {
                let (inner, outer) = (&self.live[member as usize], &self.live[other as usize]);
                if outer.part == part {
                    return;
                }
                let (p, s) = if leaves { (inner, outer) } else { (outer, inner) };
                let frequency = p.frequency.min(s.frequency);
                if leaves {
                    exits += frequency;
                } else {
                    saved -= frequency;
                }
                closed = closed && !func.seals_edges(Block::from_u32(p.block));
                closed &= if func.block_succs(Block::from_u32(p.block)).len() == 1 {
                    ends_in_plain_jump(func, p.block)
                } else {
                    func.block_preds(Block::from_u32(s.block)).len() == 1
                };
            });
        }
        if !closed {
            return Gain::None;
        }
        // Predecessors set parameters in the register, which may be another value's there.
        for live in inside.filter(|l| l.param) {
            let block = Block::from_u32(live.block);
            if params_at_start(func, block) {
                continue;
            }
            for pred in func.block_preds(block) {
                let index = self.index_of[pred.as_u32() as usize];
                let within = self.live.get(index as usize).is_some_and(|l| l.part == part);
                if !within && !ends_in_plain_jump(func, pred.as_u32()) {
                    return Gain::None;
                }
            }
        }
        let store_at_definition = !has_param && definitions > 0.0 && definitions <= exits;
        if definitions > 0.0 {
            saved -= if store_at_definition { definitions } else { exits };
        }
        if saved > 0.0 { Gain::Some { saved, store_at_definition } } else { Gain::None }
    }
}

/// Visits the live blocks that the value at work comes from or goes to at the borders of live block
/// `index`, once an edge, and whether the edge leaves the block.
#[inline]
fn neighbours(
    func: &Function,
    live: &[Live],
    index_of: &[u32],
    index: u32,
    mut visit: impl FnMut(u32, bool),
) {
    let here = &live[index as usize];
    let block = Block::from_u32(here.block);
    if here.live_in {
        func.block_preds(block).iter().for_each(|pred| visit(index_of[pred.as_u32() as usize], false));
    }
    for succ in func.block_succs(block) {
        let other = index_of[succ.as_u32() as usize];
        if live.get(other as usize).is_some_and(|l| l.live_in) {
            visit(other, true);
        }
    }
}

/// Whether nothing uses registers behind the moves at the end of `block`.
fn ends_in_plain_jump(func: &Function, block: u32) -> bool {
    let range = func.block_insts(Block::from_u32(block));
    let (start, last) = (range.start.as_u32(), range.end.as_u32() - 1);
    let alone = last == start || !func.references.rows.shape(last as usize - 1).has(Shape::TERMINATOR);
    alone
        && !func.references.rows.shape(last as usize).has(Shape::GENERAL)
        && func.operands(Inst::from_u32(last)).is_empty()
}

/// What comes of giving a part a register.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Gain {
    /// Nothing, or it cannot be.
    None,
    Some {
        saved: f32,
        store_at_definition: bool,
    },
}

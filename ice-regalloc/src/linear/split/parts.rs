//! Growing parts: which blocks share a register, and what that saves.
//!
//! From a block in a loop a part takes in the neighbours, hottest first, while a register is left that is free in all of them.
//! It is weighed against the moves at its border, and refused if those cost more.

use super::super::assign::Assign;
use super::{HOT, Input, Live, Part, REFUSED, Splits, Value};
use crate::function::Function;
use crate::keys::{self, heaviest_first};
use crate::operand::{Block, Inst};
use crate::ranges::Ranges;
use crate::registers::{PReg, RegClass};
use crate::rows::Shape;
use crate::scan::{NO_REG, NONE, params_at_start};
use core::cmp::Reverse;

impl Splits {
    /// Finds parts of `v`, which may live in `most` blocks, and registers for them.
    pub(super) fn split(
        &mut self,
        input: &Input,
        ranges: &mut Ranges,
        assign: &mut Assign,
        v: u32,
        most: usize,
    ) {
        let Input { func, file, tables, .. } = *input;
        let class = RegClass(ranges.intervals[v as usize].class);
        let order = tables.order(class);
        let all = tables.all_units(class);
        self.parts.clear();
        self.live.clear();
        let value = Value { vreg: v, func, ranges, assign, tables, class, order, all, most };
        if !self.has_promise(&value) || self.is_too_long(&value) {
            return;
        }
        self.list_references(&value);
        self.keys.clear();
        let seeds = self.live.iter().enumerate();
        let seeds = seeds.filter(|(_, l)| {
            l.cost > 0.0 && ranges.levels[l.block as usize] >= HOT && l.range.from < l.range.to && l.free != 0
        });
        self.keys.extend(seeds.map(|(k, l)| heaviest_first(l.cost, k as u32)));
        self.keys.sort_unstable();
        for n in 0..self.keys.len() {
            let seed = keys::number(self.keys[n]);
            let value = Value { vreg: v, func, ranges, assign, tables, class, order, all, most };
            let Live { part, block, .. } = self.live[seed as usize];
            if part != NONE || !self.is_promising(&value, block) {
                continue;
            }
            let part = self.parts.len() as u32;
            let Some(free) = self.grow(func, &value, seed, part) else {
                self.refuse(part);
                continue;
            };
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
                self.refuse(part);
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

    /// Undoes what growing `part` has noted. Later parts look at its blocks again, and begin elsewhere.
    fn refuse(&mut self, part: u32) {
        for &k in &self.members {
            (self.live[k as usize].part, self.live[k as usize].seen) = (REFUSED, NONE);
        }
        for live in self.live.iter_mut().filter(|l| l.seen == part) {
            live.seen = NONE;
        }
    }

    /// Grows a part from the block `seed` and lists its members. Gives the registers that are free in all of them, or
    /// nothing if ways into the part cost more than it can save.
    fn grow(&mut self, func: &Function, value: &Value, seed: u32, part: u32) -> Option<u64> {
        let mut free = self.live[seed as usize].free;
        // All that a part may save, less what ways into it cost for sure.
        let members = self.live.iter().filter(|l| l.free & free != 0);
        let mut left: f32 = 0.5 * members.map(|l| l.cost).sum::<f32>();
        self.members.clear();
        self.frontier.clear();
        let mut next = seed;
        loop {
            let member = &mut self.live[next as usize];
            member.part = part;
            free &= member.free;
            let (block, live_in, frequency) =
                (Block::from_u32(member.block), member.live_in, member.frequency);
            self.members.push(next);
            let preds = if live_in { func.block_preds(block) } else { &[] };
            let succs = func.block_succs(block);
            self.steps = self.steps.checked_sub(1 + preds.len() + succs.len())?;
            for &pred in preds {
                // A predecessor where this value does not live cannot be.
                let other = self.find_live(value, pred)?;
                let live = &self.live[other as usize];
                if live.part != part && live.free & free == 0 {
                    left -= frequency.min(live.frequency);
                }
            }
            if left <= 0.0 {
                return None;
            }
            for &pred in preds {
                self.meet(self.index_of[pred.as_u32() as usize], part);
            }
            for &succ in succs {
                if let Some(other) = self.find_live(value, succ)
                    && self.live[other as usize].live_in
                {
                    self.meet(other, part);
                }
            }
            next = loop {
                let Some((_, Reverse(other))) = self.frontier.pop() else { return Some(free) };
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

    /// Notes that live block `other` is next to `part`.
    fn meet(&mut self, other: u32, part: u32) {
        let live = &mut self.live[other as usize];
        // What has no place there may have to wait for all its predecessors.
        let again = live.seen != part || live.range.from == live.range.to;
        if again && (live.part == NONE || live.part == REFUSED) {
            live.seen = part;
            self.frontier.push((live.frequency.to_bits(), Reverse(other)));
        }
    }

    /// Whether all predecessors of live block `next` are in `part`.
    fn all_preds_in(&self, func: &Function, next: u32, part: u32) -> bool {
        let live = &self.live[next as usize];
        let is_in = |pred: &Block| {
            let index = self.index_of[pred.as_u32() as usize];
            self.live.get(index as usize).is_some_and(|live| live.part == part)
        };
        !live.live_in || func.block_preds(Block::from_u32(live.block)).iter().all(is_in)
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
/// `index`, a member of a part, once an edge, and whether the edge leaves the block.
#[inline]
pub(super) fn neighbours(
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

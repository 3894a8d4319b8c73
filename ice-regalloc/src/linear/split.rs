//! Splitting at block borders: registers for parts of the intervals that have none.
//!
//! Problem: a value that loses its register because of a call or a hot loop somewhere should still be
//! in a register elsewhere, above all in the loops that use it.
//!
//! Method: the live range of such a value is a graph of blocks. From its most used block on, a part
//! grows over neighbours, hottest first, as long as one register is left that nothing holds where the
//! value lives (second chance by region; compare the region splitting of Olesen, *Greedy Register
//! Allocation in LLVM 3.0*, 2011). So parts end at calls that destroy the last register and at the
//! borders of loops that need all of them. A part is taken if it saves more reloads and stores than
//! its border costs. On an edge into a part the value is loaded; on an edge out of it it is stored,
//! if the part defines it, or else right behind the definitions, whichever is cheaper.
//!
//! Data: the register of a value in a block, listed by block and by value; the moves on edges, listed
//! by the block end or start where they stand. Invariants: a part has no critical edge at its border;
//! within a block two parts never overlap in units. Outside of parts the slot holds the value.
//!
//! Cost: live blocks and their edges for each value without a register; their number is bounded.

use super::assign::{Assign, is_busy};
use crate::function::Function;
use crate::operand::{Block, Inst};
use crate::ranges::{Ranges, Segment};
use crate::registers::{PReg, RegClass, RegUnits, RegisterFile};
use crate::scan::{NO_REG, NONE, Scan, Shape, params_at_start};
use crate::tables::Tables;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Head of the references to a value that needs no parts.
const UNWANTED: u32 = NONE - 1;
/// A block that was refused to a part.
const REFUSED: u32 = NONE - 1;
/// A value whose references cost less cannot pay for a move on the border of a part, which has one
/// unless it is the whole interval.
const LEAST_COST: f32 = 2.0;
/// Blocks of one value that are looked at: in proportion to what there is to gain, and at most.
const BLOCKS_PER_COST: f32 = 8.0;
const MAX_BLOCKS: usize = 128;

/// References to a value in one block.
#[derive(Clone, Copy, Debug)]
struct Reference {
    block: u32,
    next: u32,
    reads: bool,
    writes: bool,
    /// Set by moves in the predecessors or at the start of the block.
    param: bool,
    /// An argument in a block that has nothing but terminators.
    passes: bool,
}

/// A block where the value at work lives.
#[derive(Clone, Copy, Debug)]
struct Live {
    block: u32,
    /// Where it lives there; nowhere if it is only passed on.
    range: Segment,
    /// The registers that it can have there: a bit for each in the order of its class.
    free: u64,
    frequency: f32,
    /// What it costs there without a register.
    cost: f32,
    /// It comes in from the predecessors.
    live_in: bool,
    writes: bool,
    param: bool,
    part: u32,
    /// The last part that has looked at it.
    seen: u32,
}

/// The register of a value in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartHome {
    pub block: u32,
    pub vreg: u32,
    pub reg: u8,
    /// It is there when the block starts.
    pub bound: bool,
}

/// A move on an edge: from a register or the slot to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fix {
    /// Twice the block, and 1 for its end.
    place: u32,
    pub vreg: u32,
    pub from: u8,
    pub to: u8,
}

/// One part of the value at work.
#[derive(Clone, Copy, Debug)]
struct Part {
    reg: u8,
    /// It defines the value and does not store it at once.
    dirty: bool,
}

/// Parts of values that live in registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Splits {
    references: Vec<Reference>,
    heads: Vec<u32>,
    block_starts: Vec<u32>,
    index_of: Vec<u32>,
    /// Units that parts hold, by block, and those that intervals hold or instructions reserve.
    held: Vec<RegUnits>,
    busy: Vec<RegUnits>,
    live: Vec<Live>,
    edges: Vec<(u32, u32)>,
    seeds: Vec<u32>,
    /// Blocks next to the part at work, hottest first, then in layout order.
    frontier: BinaryHeap<(u32, Reverse<u32>)>,
    members: Vec<u32>,
    adjacent: Vec<u32>,
    parts: Vec<Part>,
    /// By value, and in it by block.
    homes: Vec<PartHome>,
    of_value: Vec<(u32, u32)>,
    /// The homes by block.
    by_block: Vec<PartHome>,
    starts: Vec<u32>,
    fixes: Vec<Fix>,
    /// Values that are stored where they are defined.
    pub stored: Vec<u32>,
}

/// What is known about the function.
pub(super) struct Input<'a> {
    pub func: &'a Function,
    pub file: &'a RegisterFile<'a>,
    pub tables: &'a Tables<'a>,
    pub scan: &'a Scan,
}

impl Splits {
    /// Whether there are no parts.
    pub fn is_empty(&self) -> bool {
        self.homes.is_empty()
    }

    /// Splits the values in `assign.losers`.
    pub fn compute(&mut self, input: &Input, ranges: &mut Ranges, assign: &mut Assign) {
        self.homes.clear();
        self.of_value.clear();
        self.fixes.clear();
        self.stored.clear();
        let func = input.func;
        if !assign.losers.iter().any(|&v| is_worth_it(ranges, input.scan, v)) {
            return;
        }
        let blocks = func.num_blocks();
        self.block_starts.clear();
        self.block_starts
            .extend((0..blocks as u32).map(|b| func.block_insts(Block::from_u32(b)).start.as_u32()));
        self.index_of.clear();
        self.index_of.resize(blocks, NONE);
        self.held.clear();
        self.held.resize(blocks, RegUnits::EMPTY);
        self.collect_references(input, ranges);
        self.collect_busy(func, ranges, assign);
        self.collect_passed(input, ranges);
        let mut work = (1 << 16) + 8 * blocks;
        for n in 0..assign.losers.len() {
            let v = assign.losers[n];
            if !is_worth_it(ranges, input.scan, v) {
                continue;
            }
            let cost = self.cost_of_references(ranges, v);
            if cost <= LEAST_COST {
                continue;
            }
            let most = MAX_BLOCKS.min((BLOCKS_PER_COST * cost) as usize);
            let listed = self.list_blocks(input, ranges, v, most);
            let left = work.checked_sub(self.live.len());
            if listed && left.is_some() {
                self.find_free(input, ranges, assign, v);
                self.split(input, ranges, assign, v);
            }
            for live in &self.live {
                self.index_of[live.block as usize] = NONE;
            }
            let Some(left) = left else { break };
            work = left;
        }
        self.sort(blocks);
    }

    fn refer(&mut self, v: u32, block: u32) -> &mut Reference {
        let head = self.heads[v as usize];
        if self.references.get(head as usize).is_none_or(|r| r.block != block) {
            self.heads[v as usize] = self.references.len() as u32;
            self.references.push(Reference {
                block,
                next: head,
                reads: false,
                writes: false,
                param: false,
                passes: false,
            });
        }
        let head = self.heads[v as usize] as usize;
        &mut self.references[head]
    }

    /// Lists for each value without a register the blocks that refer to it.
    fn collect_references(&mut self, input: &Input, ranges: &Ranges) {
        let Input { func, scan, .. } = *input;
        self.references.clear();
        self.heads.clear();
        self.heads.extend(ranges.intervals.iter().enumerate().map(|(v, interval)| {
            let wanted = interval.reg == NO_REG && is_worth_it(ranges, scan, v as u32);
            if wanted { NONE } else { UNWANTED }
        }));
        for b in (0..func.num_blocks() as u32).rev() {
            let block = Block::from_u32(b);
            let range = func.block_insts(block);
            let first_terminates =
                func.references.shapes[range.start.as_u32() as usize].has(Shape::TERMINATOR);
            for k in 0..func.block_succs(block).len() {
                for arg in func.edge_args(block, k) {
                    if self.heads[arg.index()] == UNWANTED {
                        continue;
                    }
                    let reference = self.refer(arg.as_u32(), b);
                    reference.reads = true;
                    reference.passes |= first_terminates;
                }
            }
            for i in range.start.as_u32()..range.end.as_u32() {
                for op in func.operands(Inst::from_u32(i)) {
                    if self.heads[op.index()] == UNWANTED {
                        continue;
                    }
                    let reference = self.refer(op.vreg().as_u32(), b);
                    reference.reads |= op.is_use();
                    reference.writes |= op.is_def();
                }
            }
            for param in func.block_params(block) {
                if self.heads[param.index()] == UNWANTED {
                    continue;
                }
                let reference = self.refer(param.as_u32(), b);
                (reference.writes, reference.param) = (true, true);
            }
        }
    }

    /// What all references to `v` cost without a register.
    fn cost_of_references(&self, ranges: &Ranges, v: u32) -> f32 {
        let mut cost = 0.0;
        let mut reference = self.heads[v as usize];
        while let Some(r) = self.references.get(reference as usize) {
            cost += ranges.frequency[r.block as usize] * reference_cost(r.reads, r.writes);
            reference = r.next;
        }
        cost
    }

    /// Lists the blocks where `v` lives, and the edges between them; false if it is not worth it.
    fn list_blocks(&mut self, input: &Input, ranges: &Ranges, v: u32, most: usize) -> bool {
        let func = input.func;
        let block_at = |starts: &[u32], position: u32| starts.partition_point(|&s| 4 * s <= position) - 1;
        let segments = ranges.segments_of(v);
        self.live.clear();
        let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return false };
        if block_at(&self.block_starts, first.from) == block_at(&self.block_starts, last.to - 1) {
            return false;
        }
        let new = |block: u32, range: Segment| Live {
            block,
            range,
            free: 0,
            frequency: ranges.frequency[block as usize],
            cost: 0.0,
            live_in: false,
            writes: false,
            param: false,
            part: NONE,
            seen: NONE,
        };
        for segment in segments {
            let mut b = block_at(&self.block_starts, segment.from);
            while let Some(&start) = self.block_starts.get(b)
                && 4 * start < segment.to
            {
                let end = self.block_starts.get(b + 1).map_or(u32::MAX, |s| 4 * s);
                let range = Segment { from: segment.from.max(4 * start), to: segment.to.min(end) };
                match self.live.last_mut() {
                    Some(live) if live.block == b as u32 => live.range.to = range.to,
                    _ => self.live.push(new(b as u32, range)),
                }
                let live_in = range.from == 4 * start;
                if let Some(live) = self.live.last_mut() {
                    live.live_in |= live_in;
                }
                b += 1;
                if self.live.len() > most {
                    return false;
                }
            }
        }
        for (k, live) in self.live.iter().enumerate() {
            self.index_of[live.block as usize] = k as u32;
        }
        let mut reference = self.heads[v as usize];
        while let Some(&r) = self.references.get(reference as usize) {
            reference = r.next;
            let mut k = self.index_of[r.block as usize] as usize;
            if k == NONE as usize {
                let start = 4 * self.block_starts[r.block as usize];
                k = self.live.len();
                self.index_of[r.block as usize] = k as u32;
                self.live
                    .push(Live { live_in: r.passes, ..new(r.block, Segment { from: start, to: start }) });
            }
            let live = &mut self.live[k];
            live.live_in |= r.passes && !r.param;
            live.live_in &= !r.param;
            (live.writes, live.param) = (r.writes, r.param);
            let stores = r.writes && ranges.intervals[v as usize].remat.is_none();
            live.cost = live.frequency * reference_cost(r.reads && live.live_in, stores);
        }
        self.edges.clear();
        for (to, live) in self.live.iter().enumerate().filter(|l| l.1.live_in) {
            for pred in func.block_preds(Block::from_u32(live.block)) {
                self.edges.push((self.index_of[pred.as_u32() as usize], to as u32));
            }
        }
        // A predecessor that is no live block of this value cannot be.
        self.edges.iter().all(|e| e.0 != NONE)
    }

    /// Finds what is taken somewhere in each block.
    fn collect_busy(&mut self, func: &Function, ranges: &Ranges, assign: &Assign) {
        let blocks = func.num_blocks();
        self.busy.clear();
        self.busy.resize(blocks, RegUnits::EMPTY);
        let end_of = |b: usize| self.block_starts.get(b + 1).map_or(u32::MAX, |s| 4 * s);
        for u in assign.used.iter() {
            let mut b = 0;
            for held in &assign.busy[usize::from(u)] {
                while end_of(b) <= held.from {
                    b += 1;
                }
                self.busy[b].insert(RegUnits::of(u));
                while end_of(b) < held.to {
                    b += 1;
                    self.busy[b].insert(RegUnits::of(u));
                }
            }
        }
        let mut b = 0;
        for &(position, units) in &ranges.reserved {
            while end_of(b) <= position {
                b += 1;
            }
            self.busy[b].insert(units);
        }
    }

    /// Finds what is held in the blocks of terminators for the values that they only pass on: no segment shows it.
    fn collect_passed(&mut self, input: &Input, ranges: &Ranges) {
        let Input { func, tables, .. } = *input;
        for (b, held) in self.held.iter_mut().enumerate() {
            let block = Block::from_u32(b as u32);
            let first = self.block_starts[b] as usize;
            if func.references.shapes[first].has(Shape::TERMINATOR) && func.block_succs(block).len() == 1 {
                for arg in func.edge_args(block, 0) {
                    held.insert(tables.units(PReg(ranges.intervals[arg.index()].reg)));
                }
            }
        }
    }

    /// Finds the registers that `v` can have in each block.
    fn find_free(&mut self, input: &Input, ranges: &Ranges, assign: &Assign, v: u32) {
        let tables = input.tables;
        let class = RegClass(ranges.intervals[v as usize].class);
        let order = tables.class(class).order;
        let all = order.iter().fold(RegUnits::EMPTY, |all, &reg| all.union(tables.units(reg)));
        let mut last: Option<(RegUnits, u64)> = None;
        for live in &mut self.live {
            let b = live.block as usize;
            let mut blocked = self.held[b];
            let start = self.block_starts[b];
            let Segment { from, to } = live.range;
            if from < to {
                let busy = self.busy[b].intersection(all).difference(blocked);
                let end = self.block_starts.get(b + 1).map_or(u32::MAX, |s| 4 * s);
                if from == 4 * start && to == end {
                    blocked.insert(busy);
                } else if !busy.is_empty() {
                    blocked.insert(ranges.reserved_within(live.range));
                    for u in busy.difference(blocked).iter() {
                        if is_busy(&assign.busy[usize::from(u)], &[live.range]) {
                            blocked.insert(RegUnits::of(u));
                        }
                    }
                }
            }
            // Often the same is blocked as in the block before.
            let blocked = blocked.intersection(all);
            if last.is_none_or(|(units, _)| units != blocked) {
                let free = order.iter().take(64).map(|&reg| !tables.units(reg).intersects(blocked));
                last = Some((blocked, free.rev().fold(0, |mask, free| mask << 1 | u64::from(free))));
            }
            live.free = last.map_or(0, |(_, free)| free);
        }
    }

    /// Finds parts of `v` and registers for them.
    fn split(&mut self, input: &Input, ranges: &mut Ranges, assign: &mut Assign, v: u32) {
        let Input { func, file, tables, .. } = *input;
        let order = tables.class(RegClass(ranges.intervals[v as usize].class)).order;
        self.parts.clear();
        self.seeds.clear();
        let seeds = self.live.iter().enumerate();
        let seeds = seeds.filter(|(_, l)| l.cost > 0.0 && l.range.from < l.range.to && l.free != 0);
        self.seeds.extend(seeds.map(|(k, _)| k as u32));
        let live = &self.live;
        let cost = |k: u32| live[k as usize].cost;
        self.seeds.sort_unstable_by(|&a, &b| cost(b).total_cmp(&cost(a)).then(a.cmp(&b)));
        for n in 0..self.seeds.len() {
            let seed = self.seeds[n];
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

    /// Lists homes and edge moves of `v`.
    fn commit(&mut self, func: &Function, tables: &Tables, v: u32) {
        let first = self.homes.len();
        for live in &self.live {
            if let Some(part) = self.parts.get(live.part as usize) {
                self.held[live.block as usize].insert(tables.units(PReg(part.reg)));
                let start = 4 * self.block_starts[live.block as usize];
                let set_here = live.param && params_at_start(func, Block::from_u32(live.block));
                self.homes.push(PartHome {
                    block: live.block,
                    vreg: v,
                    reg: part.reg,
                    bound: live.range.from == start && live.range.to > start + 1 && !set_here,
                });
            }
        }
        self.homes[first..].sort_unstable_by_key(|h| h.block);
        self.of_value.push((first as u32, self.homes.len() as u32));
        for &(from, to) in &self.edges {
            let (p, s) = (&self.live[from as usize], &self.live[to as usize]);
            if p.part == s.part {
                continue;
            }
            let part_of = |live: &Live| self.parts.get(live.part as usize).copied();
            let (source, target) = (part_of(p), part_of(s));
            let single_succ = func.block_succs(Block::from_u32(p.block)).len() == 1;
            let place = if single_succ { 2 * p.block + 1 } else { 2 * s.block };
            if let Some(target) = target {
                let from = source.map_or(NO_REG, |part| part.reg);
                if from != target.reg {
                    self.fixes.push(Fix { place, vreg: v, from, to: target.reg });
                }
            }
            if let Some(source) = source
                && source.dirty
            {
                self.fixes.push(Fix { place, vreg: v, from: source.reg, to: NO_REG });
            }
        }
    }

    /// Puts homes and moves in the order of blocks.
    fn sort(&mut self, blocks: usize) {
        if self.homes.is_empty() {
            return;
        }
        self.fixes.sort_unstable_by_key(|f| (f.place, f.vreg, f.to));
        self.starts.clear();
        self.starts.resize(blocks + 1, 0);
        for home in &self.homes {
            self.starts[home.block as usize] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.by_block.clear();
        self.by_block.extend_from_slice(&self.homes);
        for home in &self.homes {
            let start = &mut self.starts[home.block as usize];
            *start -= 1;
            self.by_block[*start as usize] = *home;
        }
    }

    /// The registers of values in `block`.
    pub fn homes_in(&self, block: u32) -> &[PartHome] {
        if self.homes.is_empty() {
            return &[];
        }
        let b = block as usize;
        &self.by_block[self.starts[b] as usize..self.starts[b + 1] as usize]
    }

    /// The register in `block` of the value whose interval says `split`.
    pub fn home(&self, split: u32, block: u32) -> u8 {
        let Some(&(first, end)) = self.of_value.get(split as usize) else { return NO_REG };
        let homes = &self.homes[first as usize..end as usize];
        homes.binary_search_by_key(&block, |h| h.block).map_or(NO_REG, |k| homes[k].reg)
    }

    fn fixes(&self, place: u32) -> &[Fix] {
        let first = self.fixes.partition_point(|f| f.place < place);
        let count = self.fixes[first..].iter().take_while(|f| f.place == place).count();
        &self.fixes[first..first + count]
    }

    /// The moves at the start of `block`.
    pub fn fixes_at_start(&self, block: u32) -> &[Fix] {
        self.fixes(2 * block)
    }

    /// The moves before the terminators of `block`.
    pub fn fixes_at_end(&self, block: u32) -> &[Fix] {
        self.fixes(2 * block + 1)
    }
}

/// What the references in one block cost without a register. Many reads can be operands in memory.
fn reference_cost(reads: bool, writes: bool) -> f32 {
    0.5 * f32::from(u8::from(reads)) + 0.8 * f32::from(u8::from(writes))
}

/// Whether a value without a register may gain from parts, told from its weight.
fn is_worth_it(ranges: &Ranges, scan: &Scan, v: u32) -> bool {
    ranges.intervals[v as usize].weight > LEAST_COST && scan.vregs[v as usize].is_cross()
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
    let alone = last == start || !func.references.shapes[last as usize - 1].has(Shape::TERMINATOR);
    alone
        && !func.references.shapes[last as usize].has(Shape::GENERAL)
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

//! Where a value without a register lives, what it costs there, and which registers are free for it.
//!
//! References are collected in one pass over the function, for all such values, as a list of blocks for each. The blocks of a
//! value are those of its segments. What is taken in a block is what intervals hold or instructions reserve anywhere in it, and,
//! where the value lives in a part of the block only, what meets it there.

use super::super::assign::{Assign, is_busy};
use super::{Input, Live, Reference, Splits, UNWANTED, is_worth_it};
use crate::function::Function;
use crate::operand::{Block, Inst};
use crate::ranges::{Ranges, Segment};
use crate::registers::{PReg, RegClass, RegUnits};
use crate::rows::Shape;
use crate::scan::{NO_REG, NONE};

impl Splits {
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
    pub(super) fn collect_references(&mut self, input: &Input, ranges: &Ranges) {
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
                func.references.rows.shape(range.start.as_u32() as usize).has(Shape::TERMINATOR);
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

    /// What all references to `v` cost without a register, and the frequency of the most frequent one.
    pub(super) fn cost_of_references(&self, ranges: &Ranges, v: u32) -> (f32, f32) {
        let (mut cost, mut hottest) = (0.0, 0.0_f32);
        let mut reference = self.heads[v as usize];
        while let Some(r) = self.references.get(reference as usize) {
            let frequency = ranges.frequency[r.block as usize];
            cost += frequency * reference_cost(r.reads, r.writes);
            hottest = hottest.max(frequency);
            reference = r.next;
        }
        (cost, hottest)
    }

    /// Lists the blocks where `v` lives, and the edges between them; false if it is not worth it.
    pub(super) fn list_blocks(&mut self, input: &Input, ranges: &Ranges, v: u32, most: usize) -> bool {
        let func = input.func;
        let block_at = |starts: &[u32], position: u32| starts.partition_point(|&s| s <= position) - 1;
        let segments = ranges.segments_of(v);
        self.live.clear();
        let (mut count, mut counted, mut reached) = (0, 0, 0);
        for segment in segments {
            // Blocks from here on are not counted yet.
            let first = reached + block_at(&self.block_starts[reached..], segment.from);
            let last = first + block_at(&self.block_starts[first..], segment.to - 1);
            count += last + 1 - first.max(counted);
            (counted, reached) = (last + 1, last);
            if count > most {
                return false;
            }
        }
        if count <= 1 {
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
                && start < segment.to
            {
                let end = self.block_starts[b + 1];
                let range = Segment { from: segment.from.max(start), to: segment.to.min(end) };
                match self.live.last_mut() {
                    Some(live) if live.block == b as u32 => live.range.to = range.to,
                    _ => self.live.push(new(b as u32, range)),
                }
                let live_in = range.from == start;
                if let Some(live) = self.live.last_mut() {
                    live.live_in |= live_in;
                }
                b += 1;
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
                let start = self.block_starts[r.block as usize];
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
    pub(super) fn collect_busy(&mut self, func: &Function, ranges: &Ranges, assign: &Assign) {
        let blocks = func.num_blocks();
        self.busy.clear();
        self.busy.resize(blocks, RegUnits::EMPTY);
        let end_of = |b: usize| self.block_starts[b + 1];
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
    pub(super) fn collect_passed(&mut self, input: &Input, ranges: &Ranges) {
        let Input { func, tables, .. } = *input;
        for (b, held) in self.held.iter_mut().enumerate() {
            let block = Block::from_u32(b as u32);
            let first = self.block_starts[b] as usize / 4;
            if func.references.rows.shape(first).has(Shape::TERMINATOR) && func.block_succs(block).len() == 1
            {
                for arg in func.edge_args(block, 0) {
                    held.insert(tables.units(PReg(ranges.intervals[arg.index()].reg)));
                }
            }
        }
    }

    /// Finds the registers that `v` can have in each block.
    pub(super) fn find_free(&mut self, input: &Input, ranges: &Ranges, assign: &Assign, v: u32) {
        let tables = input.tables;
        let class = RegClass(ranges.intervals[v as usize].class);
        let order = tables.order(class);
        let all = order.iter().fold(RegUnits::EMPTY, |all, &reg| all.union(tables.units(reg)));
        let mut last: Option<(RegUnits, u64)> = None;
        for live in &mut self.live {
            let b = live.block as usize;
            let mut blocked = self.held[b];
            let start = self.block_starts[b];
            let Segment { from, to } = live.range;
            if from < to {
                let busy = self.busy[b].intersection(all).difference(blocked);
                if from == start && to == self.block_starts[b + 1] {
                    blocked.insert(busy);
                } else if !busy.is_empty() {
                    blocked.insert(ranges.reserved_within(live.range, 0));
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
}

/// What the references in one block cost without a register. Many reads can be operands in memory.
fn reference_cost(reads: bool, writes: bool) -> f32 {
    0.5 * f32::from(u8::from(reads)) + 0.8 * f32::from(u8::from(writes))
}

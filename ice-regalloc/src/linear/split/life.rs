//! Where a value without a register lives, what it costs there, and which registers are free for it.
//!
//! Which blocks refer to a value was noted while the function was written, and is listed for each value. Other blocks where
//! it lives are listed when a part comes to them. What is taken in a block is what intervals hold or instructions reserve
//! anywhere in it, and, where the value lives in a part of the block only, what meets it there.

use super::super::assign::{Assign, is_busy};
use super::{Input, Live, Loop, Reference, Splits, UNWANTED, Value};
use crate::function::Function;
use crate::memory::refill;
use crate::operand::{Block, VReg};
use crate::ranges::{Ranges, Segment};
use crate::references::Mention;
use crate::registers::{PReg, RegUnits};
use crate::rows::Shape;
use crate::scan::NONE;
use alloc::vec::Vec;

impl Splits {
    /// Lists for each wanted value the blocks that refer to it, as was noted while the function was written.
    pub(super) fn collect_references(&mut self, func: &Function) {
        let Splits { wanted, references, heads, .. } = self;
        references.clear();
        refill(heads, func.num_vregs(), UNWANTED);
        for &v in &*wanted {
            heads[v as usize] = NONE;
        }
        let noted = &func.references;
        let last = wanted.iter().filter_map(|&v| noted.threads[v as usize].mention(v));
        for mention in noted.mentions.iter().copied().chain(last) {
            let head = &mut heads[mention.vreg as usize];
            if *head != UNWANTED {
                let next = core::mem::replace(head, references.len() as u32);
                let Mention { block, exposed: reads, writes, .. } = mention;
                references.push(Reference { block, next, reads, writes });
            }
        }
    }

    /// What all references to `v` cost without a register, and in how many blocks they are.
    pub(super) fn cost_of_references(&self, ranges: &Ranges, v: u32) -> (f32, usize) {
        let (mut cost, mut blocks) = (0.0, 0);
        for r in self.references_to(v) {
            let frequency = ranges.frequency[r.block as usize];
            cost += frequency * reference_cost(r.reads, r.writes);
            blocks += 1;
        }
        (cost, blocks)
    }

    /// The blocks that refer to `v`; one may come twice.
    fn references_to(&self, v: u32) -> impl Iterator<Item = &Reference> {
        let mut next = self.heads[v as usize];
        core::iter::from_fn(move || {
            let reference = self.references.get(next as usize)?;
            next = reference.next;
            Some(reference)
        })
    }

    /// Finds for each block the loop around it: what is next to it in the order of blocks and as frequent or more.
    pub(super) fn collect_loops(&mut self, ranges: &Ranges) {
        let Splits { loops, loop_of, open_loops, busy, held, .. } = self;
        loops.clear();
        loop_of.clear();
        open_loops.clear();
        let close = |loops: &mut [Loop], open_loops: &mut Vec<u32>, frequency: f32| {
            let mut inner = RegUnits::EMPTY;
            while let Some(&last) = open_loops.last()
                && let ending = &mut loops[last as usize]
                && ending.frequency > frequency
            {
                ending.busy.insert(inner);
                inner = ending.busy;
                open_loops.pop();
            }
            inner
        };
        for (b, &frequency) in ranges.levels.iter().enumerate() {
            let inner = close(loops, open_loops, frequency);
            let around = match open_loops.last() {
                Some(&last) if loops[last as usize].frequency == frequency => last,
                _ => {
                    let new = loops.len() as u32;
                    loops.push(Loop { frequency, busy: RegUnits::EMPTY });
                    open_loops.push(new);
                    new
                }
            };
            loops[around as usize].busy.insert(inner.union(busy[b]).union(held[b]));
            loop_of.push(around);
        }
        close(loops, open_loops, 0.0);
    }

    /// Whether one of the blocks that refer to the value at work is in a loop all through which a register is free.
    pub(super) fn has_promise(&self, value: &Value) -> bool {
        let mut last = NONE;
        self.references_to(value.vreg).any(|r| {
            let around = self.loop_of[r.block as usize];
            core::mem::replace(&mut last, around) != around && self.is_promising(value, r.block)
        })
    }

    /// Whether `block` is in a loop all through which a register is free. In others a part hardly ever pays, for it would have
    /// borders within the loop.
    pub(super) fn is_promising(&self, value: &Value, block: u32) -> bool {
        self.loops[self.loop_of[block as usize] as usize].has_room(value.tables, value.class)
    }

    /// Whether the value at work lives in more blocks than it may.
    pub(super) fn is_too_long(&self, value: &Value) -> bool {
        let block_at = |position: u32| self.block_starts.partition_point(|&start| start <= position);
        let segments = value.ranges.segments_of(value.vreg);
        // A block with two segments counts twice.
        segments.iter().map(|s| 1 + block_at(s.to - 1) - block_at(s.from)).sum::<usize>() > value.most
    }

    /// Lists the blocks that refer to the value at work.
    pub(super) fn list_references(&mut self, value: &Value) {
        let func = value.func;
        let has_stores = value.ranges.intervals[value.vreg as usize].remat.is_none();
        self.live.clear();
        let mut reference = self.heads[value.vreg as usize];
        while let Some(&r) = self.references.get(reference as usize) {
            reference = r.next;
            if self.index_of[r.block as usize] != NONE {
                // What edges pass on, behind everything else in a block, may be noted once more.
                continue;
            }
            let block = Block::from_u32(r.block);
            let start = self.block_starts[r.block as usize];
            let mut live = self
                .live_in(value, r.block)
                .unwrap_or_else(|| self.live_within(value, r.block, Segment { from: start, to: start }));
            let vreg = VReg::from_u32(value.vreg);
            live.writes = r.writes;
            live.param = r.writes && func.block_params(block).contains(&vreg);
            let passes = func.references.rows.shape(start as usize / 4).has(Shape::TERMINATOR)
                && (0..func.block_succs(block).len()).any(|k| func.edge_args(block, k).contains(&vreg));
            live.live_in = (live.live_in || passes) && !live.param;
            live.cost = live.frequency * reference_cost(r.reads && live.live_in, r.writes && has_stores);
            self.index_of[r.block as usize] = self.live.len() as u32;
            self.live.push(live);
        }
    }

    /// The number in `live` of a block, which is listed now if it was not and the value at work lives in it.
    pub(super) fn find_live(&mut self, value: &Value, block: Block) -> Option<u32> {
        let known = self.index_of[block.as_u32() as usize];
        if known != NONE {
            return Some(known);
        }
        let live = self.live_in(value, block.as_u32())?;
        let index = self.live.len() as u32;
        self.index_of[live.block as usize] = index;
        self.live.push(live);
        Some(index)
    }

    /// The value at work in a block, as far as its segments tell.
    fn live_in(&self, value: &Value, block: u32) -> Option<Live> {
        let (start, end) = (self.block_starts[block as usize], self.block_starts[block as usize + 1]);
        let segments = value.ranges.segments_of(value.vreg);
        let first = match segments {
            [_] => 0,
            _ => segments.partition_point(|s| s.to <= start),
        };
        let last = segments[first..].iter().take_while(|s| s.from < end).last()?;
        let range = Segment { from: segments[first].from.max(start), to: last.to.min(end) };
        (range.from < range.to).then(|| self.live_within(value, block, range))
    }

    /// The value at work in a block, in a range of positions, without the references.
    fn live_within(&self, value: &Value, block: u32, range: Segment) -> Live {
        Live {
            block,
            range,
            free: self.free_within(value, block, range),
            frequency: value.ranges.frequency[block as usize],
            cost: 0.0,
            live_in: range.from < range.to && range.from == self.block_starts[block as usize],
            writes: false,
            param: false,
            part: NONE,
            seen: NONE,
        }
    }

    /// The registers that the value at work can have in a range of positions of a block.
    fn free_within(&self, value: &Value, block: u32, range: Segment) -> u64 {
        let Value { ranges, assign, tables, order, all, .. } = *value;
        let mut blocked = self.held[block as usize];
        let Segment { from, to } = range;
        if from < to {
            let busy = self.busy[block as usize].intersection(all).difference(blocked);
            if from == self.block_starts[block as usize] && to == self.block_starts[block as usize + 1] {
                blocked.insert(busy);
            } else if !busy.is_empty() {
                blocked.insert(ranges.reserved_within(range, 0));
                for u in busy.difference(blocked).iter() {
                    if is_busy(&assign.busy[usize::from(u)], &[range]) {
                        blocked.insert(RegUnits::of(u));
                    }
                }
            }
        }
        if all.difference(blocked).is_empty() {
            return 0;
        }
        let free = order.iter().take(64).map(|&reg| !tables.units(reg).intersects(blocked));
        free.rev().fold(0, |mask, free| mask << 1 | u64::from(free))
    }

    /// Finds what is taken somewhere in each block.
    pub(super) fn collect_busy(&mut self, func: &Function, ranges: &Ranges, assign: &Assign) {
        let blocks = func.num_blocks();
        refill(&mut self.busy, blocks, RegUnits::EMPTY);
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
}

/// What the references in one block cost without a register. Many reads can be operands in memory.
fn reference_cost(reads: bool, writes: bool) -> f32 {
    0.5 * f32::from(u8::from(reads)) + 0.8 * f32::from(u8::from(writes))
}

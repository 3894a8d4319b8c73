//! Live intervals with holes, use weights, hints, and the ranges in which registers are reserved.
//!
//! Problem: linear scan wants, for each virtual register, the set of program positions where its
//! value is needed, and for each machine register the positions where an instruction needs it.
//!
//! Method: one backward pass over the blocks and their instructions (Wimmer and Mössenböck,
//! *Optimized Interval Splitting in a Linear Scan Register Allocator*, 2005, BuildIntervals). An
//! instruction `i` has four positions:
//!
//! | position | what happens |
//! |---|---|
//! | 4i | edits before the instruction |
//! | 4i + 1 | early operands are read or written |
//! | 4i + 2 | clobbers |
//! | 4i + 3 | late definitions are written |
//!
//! A segment is half open. An Early Use ends at 4i + 2, a Late Use at 4i + 4; a Late Def starts at
//! 4i + 3, so the three may share a register in the ways of the table in `operand`. Arguments that
//! are copied before the terminators of a block end at 4t, t the first terminator, and the
//! parameters start there.
//!
//! The pass knows what lives on behind each operand, and completes the lists of `scan` with it.
//!
//! A value whose only definition can be executed again ([`Remat`]) is worth a register only as far as that
//! saves executions: its weight is that of its uses less that of its definition.
//!
//! Weight of an interval: its operands, each 8^depth, where the loop depth of a block is the
//! number of back edges (to a block at or before the source, in layout order) that enclose it.
//!
//! Invariants: segments of an interval are sorted, disjoint and not adjacent. Cost: linear in
//! operands and segments.

mod interval;
mod reserved;

pub(crate) use interval::{Interval, Segment};
pub(crate) use reserved::keeps_nothing_free;

use crate::function::Function;
use crate::keys::{lowest_first, number};
use crate::liveness::Liveness;
use crate::memory::{make_room, refill, refill_from};
use crate::operand::{Block, Inst, Operand, OperandPos};
use crate::registers::{RegUnits, RegisterFile};
use crate::rows::Shape;
use crate::scan::{DEAD, LIVE_OUT, NO_REG, NONE, Scan, params_at_start};
use alloc::vec::Vec;
use interval::{Link, Links, NEW, SEVERAL};

/// How much more a copy on an edge weighs than one in a block: those of an edge may form cycles, which take more.
const EDGE: f32 = 1.0625;

/// How far the pass has come in the lists of the scan, from their ends.
struct Lists {
    operands: usize,
    args: usize,
    params: usize,
}

/// Intervals of all virtual registers of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges {
    pub intervals: Vec<Interval>,
    links: Links,
    /// The intervals that need registers, by their first positions.
    pub order: Vec<u32>,
    /// How often control comes to each block, and how often it would if it came to each block of a loop.
    pub frequency: Vec<f32>,
    pub levels: Vec<f32>,
    /// Reserved units by position.
    pub reserved: Vec<(u32, RegUnits)>,
    /// What instructions destroy that [reserve nothing for it](keeps_nothing_free).
    rarely_destroyed: Vec<(u32, RegUnits)>,
    /// Segment tree of unions over `reserved`: leaves from the middle on.
    tree: Vec<RegUnits>,
    /// The first of `reserved` at or behind each position that is a multiple of a few instructions, up to the last.
    reserved_index: Vec<u32>,
    depth: Vec<i32>,
    old_params: Vec<u32>,
    keys: Vec<u64>,
}

impl Ranges {
    /// Builds everything; the intervals have no registers yet. Not inlined, so that its values have the registers.
    #[inline(never)]
    pub fn build(
        &mut self,
        func: &Function,
        file: &RegisterFile,
        scan: &mut Scan,
        live: &Liveness,
        narrower: impl Fn(u8, u8) -> bool,
    ) {
        self.links.clear(func.num_vregs());
        let intervals = func.references.threads.iter().map(|thread| {
            let class = thread.class.0;
            Interval { class, narrow: class, ..NEW }
        });
        refill_from(&mut self.intervals, intervals);
        self.reserved.clear();
        self.rarely_destroyed.clear();
        self.frequencies(func);
        let mut lists = Lists {
            operands: scan.aheads.operands.len(),
            args: scan.aheads.args.len(),
            params: scan.aheads.params.len(),
        };
        for b in (0..func.num_blocks() as u32).rev() {
            self.block(func, file, Block::from_u32(b), scan, &mut lists, live, &narrower);
        }
        self.finish();
        self.order_reserved();
    }

    fn frequencies(&mut self, func: &Function) {
        let blocks = func.num_blocks();
        refill(&mut self.depth, blocks + 1, 0);
        let unknown = (0..blocks as u32).rev().find(|&b| func.loop_depth(Block::from_u32(b)).is_none());
        for head in 0..unknown.map_or(0, |last| last + 1) {
            // All back edges to one block make one loop.
            let back = func.block_preds(Block::from_u32(head)).iter().map(|p| p.as_u32());
            if let Some(last) = back.filter(|&p| p >= head).max() {
                self.depth[head as usize] += 1;
                self.depth[last as usize + 1] -= 1;
            }
        }
        self.frequency.clear();
        self.levels.clear();
        let mut depth = 0;
        for b in 0..blocks {
            depth += self.depth[b];
            let depth = func.loop_depth(Block::from_u32(b as u32)).unwrap_or(depth as u32);
            let level = (1u32 << (3 * depth.min(8))) as f32;
            self.levels.push(level);
            self.frequency.push(level * func.chances().get(b).copied().unwrap_or(1.0));
        }
    }

    #[expect(clippy::too_many_arguments)]
    fn block(
        &mut self,
        func: &Function,
        file: &RegisterFile,
        block: Block,
        scan: &mut Scan,
        lists: &mut Lists,
        live: &Liveness,
        narrower: &impl Fn(u8, u8) -> bool,
    ) {
        let range = func.block_insts(block);
        let (start, end) = (range.start.as_u32(), range.end.as_u32());
        let frequency = self.frequency[block.as_u32() as usize];
        for &v in live.ending_before(block.as_u32() + 1) {
            self.intervals[v as usize].cursor = 4 * end;
        }
        let mut terminates = true;
        let rows = &func.references.rows.all()[start as usize..=end as usize];
        for (i, rows) in (start..end).zip(rows.windows(2)).rev() {
            let (first, shape) = (rows[0].end as usize, rows[1].shape);
            if terminates && !shape.has(Shape::TERMINATOR) {
                terminates = false;
                self.edge(func, block, i + 1..end, scan, lists, frequency);
            }
            self.inst(func, file, i, first, shape, scan, lists, frequency, narrower);
        }
        if terminates {
            self.edge(func, block, start..end, scan, lists, frequency);
        }
        let params = func.block_params(block);
        if !params.is_empty() {
            let at_start = params_at_start(func, block);
            lists.params -= params.len();
            if at_start {
                for (param, ahead) in params.iter().zip(&mut scan.aheads.params[lists.params..]) {
                    if self.intervals[param.index()].cursor == 0 {
                        ahead.next = DEAD;
                    }
                }
            }
            for param in params {
                let interval = &mut self.intervals[param.index()];
                interval.maker = SEVERAL;
                interval.cursor = interval.cursor.max(4 * start + 1);
                if at_start {
                    self.close(param.as_u32(), 4 * start);
                }
            }
            if at_start {
                let pred = func.block_preds(block)[0];
                let edge = scan.edge_index[block.as_u32() as usize] as usize;
                for (arg, param) in func.edge_args(pred, edge).iter().zip(params) {
                    self.intervals[arg.index()].refer_on_edge(frequency);
                    self.intervals[param.index()].refer_on_edge(frequency);
                    self.connect(arg.as_u32(), param.as_u32(), frequency * EDGE);
                }
            }
        }
        for &v in live.beginning_with(block.as_u32()) {
            self.close(v, 4 * start);
        }
    }

    /// The copies of arguments to parameters before the terminators.
    fn edge(
        &mut self,
        func: &Function,
        block: Block,
        terminators: core::ops::Range<u32>,
        scan: &mut Scan,
        lists: &mut Lists,
        frequency: f32,
    ) {
        let &[succ] = func.block_succs(block) else { return };
        if func.block_params(succ).is_empty() {
            return;
        }
        let position = 4 * terminators.start;
        let (params, args) = (func.block_params(succ), func.edge_args(block, 0));
        // In a block of terminators the parameters of the block are set in front of these copies,
        // at the same position: arguments must outlive that, and be told from parameters that nothing
        // reads, which end with the next position.
        let first = func.block_insts(block).start.as_u32() == terminators.start;
        let after_own = first && params_at_start(func, block) && !func.block_params(block).is_empty();
        let args_end = position + if after_own { 2 } else { 0 };
        // A terminator may read the value that the parameter had before.
        self.old_params.clear();
        for i in terminators {
            let read = func.operands(Inst::from_u32(i)).iter().map(|op| op.vreg());
            self.old_params.extend(read.filter(|v| params.contains(v)).map(|v| v.as_u32()));
        }
        for param in params {
            self.close(param.as_u32(), position);
        }
        while let Some(v) = self.old_params.pop() {
            let interval = &mut self.intervals[v as usize];
            interval.cursor = interval.cursor.max(args_end.max(position + 1));
            interval.old_read = true;
        }
        lists.args -= args.len();
        for (arg, ahead) in args.iter().zip(&mut scan.aheads.args[lists.args..]) {
            if ahead.next == LIVE_OUT && self.intervals[arg.index()].cursor == 0 {
                ahead.next = DEAD;
            }
        }
        for (arg, param) in args.iter().zip(params) {
            let interval = &mut self.intervals[arg.index()];
            interval.cursor = interval.cursor.max(args_end);
            interval.refer_on_edge(frequency);
            self.intervals[param.index()].refer_on_edge(frequency);
            self.connect(arg.as_u32(), param.as_u32(), frequency * EDGE);
        }
    }

    /// Ends the open segment of `v` at its front.
    fn close(&mut self, v: u32, from: u32) {
        self.intervals[v as usize].close(v, from, &mut self.links);
    }

    /// Instruction `i`, whose first operand is operand `first` of the function.
    #[expect(clippy::too_many_arguments)]
    #[inline(always)]
    fn inst(
        &mut self,
        func: &Function,
        file: &RegisterFile,
        i: u32,
        first: usize,
        shape: Shape,
        scan: &mut Scan,
        lists: &mut Lists,
        frequency: f32,
        narrower: &impl Fn(u8, u8) -> bool,
    ) {
        let range = first..core::mem::replace(&mut lists.operands, first);
        let operands = &func.all_operands()[range.clone()];
        let general = shape.has(Shape::GENERAL);
        for (op, ahead) in operands.iter().zip(&mut scan.aheads.operands[range]) {
            let interval = &mut self.intervals[op.index()];
            // What an operand of this very instruction opens is no later use.
            if ahead.next == LIVE_OUT && (interval.cursor == 0 || interval.cursor == 4 * i + 2) {
                ahead.next = DEAD;
            }
            interval.refer(*op, frequency, narrower);
            if general {
                continue;
            }
            // No operand names what another one defines.
            if !op.is_def() {
                interval.open(4 * i + 2);
            } else if op.is_use() {
                interval.maker = SEVERAL;
                interval.open(4 * i + 4);
            } else {
                if let Some(remat) = shape.remat()
                    && interval.maker.is_none()
                {
                    interval.make_again(Inst::from_u32(i), remat, frequency);
                } else {
                    interval.maker = SEVERAL;
                }
                interval.open(4 * i + 4);
                interval.close(op.vreg().as_u32(), 4 * i + 3, &mut self.links);
            }
        }
        if general {
            self.general(operands, i);
            self.reserve(func, file, Inst::from_u32(i), frequency);
        }
        if shape.has(Shape::COPY)
            && let Some((from, to)) = func.is_move(Inst::from_u32(i))
        {
            self.connect(from.as_u32(), to.as_u32(), frequency);
        }
    }

    /// What the operands of instruction `i` end and begin, whatever they are.
    #[inline(never)]
    fn general(&mut self, operands: &[Operand], i: u32) {
        operands.iter().filter(|op| op.is_def()).for_each(|op| self.intervals[op.index()].maker = SEVERAL);
        for op in operands.iter().filter(|op| op.is_def() && !op.is_use()) {
            let interval = &mut self.intervals[op.index()];
            interval.open(4 * i + 4);
            let from = 4 * i + if op.pos() == OperandPos::Early { 1 } else { 3 };
            interval.close(op.vreg().as_u32(), from, &mut self.links);
        }
        for op in operands.iter().filter(|op| op.is_use()) {
            let early = !op.is_def() && op.pos() == OperandPos::Early;
            self.intervals[op.index()].open(4 * i + if early { 2 } else { 4 });
        }
    }

    /// Notes that `a` and `b` should share a register.
    fn connect(&mut self, a: u32, b: u32, weight: f32) {
        for (v, other) in [(a, b), (b, a)] {
            let hint = self.intervals[other as usize].hint;
            let interval = &mut self.intervals[v as usize];
            if interval.hint == NO_REG {
                interval.hint = hint;
            }
            interval.approach(other, weight);
        }
    }

    /// Completes the intervals, and lists them in their order. An interval with one segment, as nearly all have, leaves it
    /// where it was found; the segments of others are put next to one another.
    #[inline(never)]
    fn finish(&mut self) {
        let Ranges { intervals, links, order, keys, .. } = self;
        order.clear();
        make_room(order, intervals.len());
        for k in (0..links.of.len()).rev() {
            let Link { vreg, mut next } = links.of[k];
            let Some(interval) = intervals.get_mut(vreg as usize).filter(|i| i.first == k as u32) else {
                continue;
            };
            let Segment { from, to } = links.segments[k];
            let mut length = to - from;
            if interval.count > 1 {
                interval.first = links.segments.len() as u32;
                links.segments.push(Segment { from, to });
                while let Some(link) = links.of.get(next as usize) {
                    let segment = links.segments[next as usize];
                    length += segment.to - segment.from;
                    links.segments.push(segment);
                    next = link.next;
                }
            }
            interval.cursor = interval.first;
            if interval.maker.is_remat() {
                interval.weight -= interval.discount;
            } else {
                interval.remat = None;
            }
            interval.density = interval.weight / (length + 4) as f32;
            if interval.weight > 0.0 {
                order.push(vreg);
            }
        }
        let start = |v: u32| links.segments[intervals[v as usize].first as usize].from;
        // What begins with one instruction has been found in any order.
        for together in order.chunk_by_mut(|&a, &b| start(a) / 4 == start(b) / 4) {
            if together.len() > 1 {
                keys.clear();
                keys.extend(together.iter().map(|&v| lowest_first(start(v), v)));
                keys.sort_unstable();
                together.iter_mut().zip(keys.iter()).for_each(|(v, &key)| *v = number(key));
            }
        }
    }

    /// All segments, each with its virtual register, by the instructions that they begin with.
    pub fn all_segments(&self) -> impl Iterator<Item = (u32, Segment)> + '_ {
        let found = self.links.of.iter().zip(&self.links.segments[..self.links.of.len()]).rev();
        found.filter(|(link, _)| link.vreg != NONE).map(|(link, segment)| (link.vreg, *segment))
    }

    /// Whether `v` has a register for all of its life.
    #[inline]
    pub fn has_register(&self, v: u32) -> bool {
        self.intervals[v as usize].reg != NO_REG
    }

    /// The segments of `v`.
    pub fn segments_of(&self, v: u32) -> &[Segment] {
        let interval = &self.intervals[v as usize];
        &self.links.segments[interval.first as usize..(interval.first + interval.count) as usize]
    }

    /// Passes the segments of `v` that end up to `position`. Gives the next one.
    pub fn pass(&mut self, v: u32, position: u32) -> Option<Segment> {
        let interval = &mut self.intervals[v as usize];
        let end = (interval.first + interval.count) as usize;
        let rest = &self.links.segments[interval.cursor as usize..end];
        let passed = rest.iter().take_while(|s| s.to <= position).count();
        interval.cursor += passed as u32;
        rest.get(passed).copied()
    }

    /// First position of `v`, which must have a segment.
    pub fn start(&self, v: u32) -> u32 {
        self.links.segments[self.intervals[v as usize].first as usize].from
    }

    /// Where the last segment of `v` ends.
    pub fn end(&self, v: u32) -> u32 {
        self.segments_of(v).last().map_or(0, |segment| segment.to)
    }

    /// The segments of `v` that the scan has not passed.
    pub fn rest(&self, v: u32) -> &[Segment] {
        let interval = &self.intervals[v as usize];
        &self.links.segments[interval.cursor as usize..(interval.first + interval.count) as usize]
    }
}

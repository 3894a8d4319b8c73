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
//! Reserved masks: a sorted list of positions and unit masks, one for each half of an instruction
//! with fixed operands or clobbers, under a segment tree of unions, so that the question what is
//! reserved anywhere in a segment costs a logarithm.
//!
//! Invariants: segments of an interval are sorted, disjoint and not adjacent. Cost: linear in
//! operands and segments.

use crate::fixed::{is_early, is_late};
use crate::function::{Function, Remat};
use crate::liveness::Liveness;
use crate::operand::{Block, Constraint, Inst, Operand, OperandKind, OperandPos, VReg};
use crate::output::Allocation;
use crate::registers::{PReg, RegUnits, RegisterFile};
use crate::scan::{DEAD, LIVE_OUT, NO_REG, NONE, Scan, Shape, params_at_start};
use alloc::vec::Vec;

/// How much more a copy on an edge weighs than one in a block: those of an edge may form cycles, which take more.
const EDGE: f32 = 1.0625;

/// A half-open range of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    pub from: u32,
    pub to: u32,
}

/// One virtual register as linear scan sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    /// First segment in the list of all; during the pass, the link of the earliest one so far.
    pub first: u32,
    /// Number of segments.
    pub count: u32,
    /// First segment that the scan has not passed; during the pass, the end of the segment that is open, or 0.
    pub cursor: u32,
    /// Sum of the frequencies of the operands.
    pub weight: f32,
    /// Weight over length.
    pub density: f32,
    /// Virtual registers that copies connect it with, and the weights of the copies.
    pub near: [u32; 2],
    near_weight: [f32; 2],
    hint_weight: f32,
    /// A register that a fixed operand wants it in.
    pub hint: u8,
    /// Class of values, and the narrowest class of an operand.
    pub class: u8,
    pub narrow: u8,
    /// The register it lives in.
    pub reg: u8,
    /// It is a parameter whose old value is read by a terminator, behind the edge moves.
    old_read: bool,
    /// Its parts that have registers, if it was split.
    pub split: u32,
    /// Its one definition, if it can be executed again, or `SEVERAL`.
    maker: Allocation,
    pub remat: Option<Remat>,
    /// What the weight loses if that is so.
    discount: f32,
}

impl Interval {
    /// The place "its definition again", or none.
    pub fn again(&self) -> Allocation {
        if self.maker.is_remat() { self.maker } else { Allocation::NONE }
    }

    /// Counts the operand, and narrows the class.
    #[inline(always)]
    fn refer(&mut self, op: Operand, frequency: f32, narrower: &impl Fn(u8, u8) -> bool) {
        if op.constraint() == Constraint::Stack {
            self.maker = SEVERAL;
            return;
        }
        self.weight += if op.kind() == OperandKind::UseDef { 2.0 * frequency } else { frequency };
        if op.class().0 != self.narrow && narrower(op.class().0, self.narrow) {
            self.narrow = op.class().0;
        }
    }

    /// The value is needed up to position `to`.
    #[inline(always)]
    fn open(&mut self, to: u32) {
        self.cursor = self.cursor.max(to);
    }

    /// Ends the open segment at its front.
    #[inline(always)]
    fn close(&mut self, from: u32, links: &mut Vec<Link>) {
        let to = core::mem::replace(&mut self.cursor, 0);
        if to > from {
            self.push(Segment { from, to }, links);
        }
    }

    /// Adds a segment that starts no later than those so far.
    #[inline(always)]
    fn push(&mut self, segment: Segment, links: &mut Vec<Link>) {
        if let Some(link) = links.get_mut(self.first as usize)
            && link.segment.from <= segment.to
        {
            link.segment.from = link.segment.from.min(segment.from);
            link.segment.to = link.segment.to.max(segment.to);
            return;
        }
        links.push(Link { segment, next: self.first });
        self.first = links.len() as u32 - 1;
    }
}

/// Stands for several definitions, or one that cannot be executed again.
const SEVERAL: Allocation = Allocation::reg(PReg(0));

const NEW: Interval = Interval {
    first: NONE,
    count: 0,
    cursor: 0,
    weight: 0.0,
    density: 0.0,
    near: [NONE; 2],
    near_weight: [0.0; 2],
    hint_weight: 0.0,
    hint: NO_REG,
    class: 0,
    narrow: 0,
    reg: NO_REG,
    old_read: false,
    split: NONE,
    maker: Allocation::NONE,
    remat: None,
    discount: 0.0,
};

/// Segment in the order in which they are found, last position first.
#[derive(Clone, Copy, Debug)]
struct Link {
    segment: Segment,
    next: u32,
}

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
    pub segments: Vec<Segment>,
    /// Frequency of each block.
    pub frequency: Vec<f32>,
    /// Reserved units by position.
    pub reserved: Vec<(u32, RegUnits)>,
    /// Segment tree of unions over `reserved`: leaves from the middle on.
    tree: Vec<RegUnits>,
    links: Vec<Link>,
    /// For each instruction the first interval that begins there, and for each interval the next one.
    first_at: Vec<u32>,
    next: Vec<u32>,
    /// For each instruction, the first entry of `reserved` at it or behind it.
    reserved_from: Vec<u32>,
    insts: usize,
    depth: Vec<i32>,
    old_params: Vec<u32>,
}

impl Ranges {
    /// Builds everything; the intervals have no registers yet.
    pub fn build(
        &mut self,
        func: &Function,
        file: &RegisterFile,
        scan: &mut Scan,
        live: &Liveness,
        narrower: impl Fn(u8, u8) -> bool,
    ) {
        let vregs = func.num_vregs();
        self.intervals.clear();
        // No more than the largest function needs.
        self.intervals.reserve_exact(vregs);
        self.intervals.extend(scan.vregs.iter().map(|s| Interval { class: s.class, narrow: s.class, ..NEW }));
        self.links.clear();
        self.reserved.clear();
        self.frequencies(func);
        let mut lists = Lists {
            operands: scan.aheads.operands.len(),
            args: scan.aheads.args.len(),
            params: scan.aheads.params.len(),
        };
        for b in (0..func.num_blocks() as u32).rev() {
            self.block(func, file, Block::from_u32(b), scan, &mut lists, live, &narrower);
        }
        self.flatten();
        self.insts = func.num_insts();
        self.reserved.reverse();
        let n = self.reserved.len();
        self.reserved_from.clear();
        if n > 0 {
            let mut next = 0;
            for i in 0..self.insts as u32 {
                while self.reserved.get(next).is_some_and(|r| r.0 < 4 * i) {
                    next += 1;
                }
                self.reserved_from.push(next as u32);
            }
        }
        self.tree.clear();
        self.tree.resize(n, RegUnits::EMPTY);
        self.tree.extend(self.reserved.iter().map(|r| r.1));
        for k in (1..n).rev() {
            self.tree[k] = self.tree[2 * k].union(self.tree[2 * k + 1]);
        }
    }

    fn frequencies(&mut self, func: &Function) {
        let blocks = func.num_blocks();
        self.depth.clear();
        self.depth.resize(blocks + 1, 0);
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
        let mut depth = 0;
        for b in 0..blocks {
            depth += self.depth[b];
            let depth = func.loop_depth(Block::from_u32(b as u32)).unwrap_or(depth as u32);
            self.frequency.push((1u32 << (3 * depth.min(8))) as f32);
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
        let mut i = end;
        while i > start && func.references.shapes[i as usize - 1].has(Shape::TERMINATOR) {
            i -= 1;
            self.inst(func, file, i, scan, lists, frequency, narrower);
        }
        if let &[succ] = func.block_succs(block)
            && !func.block_params(succ).is_empty()
        {
            self.edge(func, block, succ, i..end, scan, lists, frequency);
        }
        while i > start {
            i -= 1;
            self.inst(func, file, i, scan, lists, frequency, narrower);
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
                    self.intervals[arg.index()].weight += frequency;
                    self.intervals[param.index()].weight += frequency;
                    self.connect(arg.as_u32(), param.as_u32(), frequency * EDGE);
                }
            }
        }
        for &v in live.beginning_with(block.as_u32()) {
            self.close(v, 4 * start);
        }
    }

    /// The copies of arguments to parameters before the terminators.
    #[expect(clippy::too_many_arguments)]
    fn edge(
        &mut self,
        func: &Function,
        block: Block,
        succ: Block,
        terminators: core::ops::Range<u32>,
        scan: &mut Scan,
        lists: &mut Lists,
        frequency: f32,
    ) {
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
            interval.weight += frequency;
            self.intervals[param.index()].weight += frequency;
            self.connect(arg.as_u32(), param.as_u32(), frequency * EDGE);
        }
    }

    /// Ends the open segment of `v` at its front.
    fn close(&mut self, v: u32, from: u32) {
        self.intervals[v as usize].close(from, &mut self.links);
    }

    /// One instruction.
    #[expect(clippy::too_many_arguments)]
    fn inst(
        &mut self,
        func: &Function,
        file: &RegisterFile,
        i: u32,
        scan: &mut Scan,
        lists: &mut Lists,
        frequency: f32,
        narrower: &impl Fn(u8, u8) -> bool,
    ) {
        let inst = Inst::from_u32(i);
        let operands = func.operands(inst);
        let shape = func.references.shapes[i as usize];
        lists.operands -= operands.len();
        let aheads = &mut scan.aheads.operands[lists.operands..][..operands.len()];
        let mut makes = false;
        for (op, ahead) in operands.iter().zip(aheads) {
            let interval = &mut self.intervals[op.index()];
            // What an operand of this very instruction opens is no later use.
            if ahead.next == LIVE_OUT && (interval.cursor == 0 || interval.cursor == 4 * i + 2) {
                ahead.next = DEAD;
            }
            interval.refer(*op, frequency, narrower);
            if op.is_def() {
                makes |= operands.len() == 1 && op.is_plain() && !op.is_use() && interval.maker.is_none();
                interval.maker = SEVERAL;
            }
            if !shape.has(Shape::GENERAL) {
                // No operand names what another one defines.
                if op.is_use() {
                    interval.open(4 * i + if op.is_def() { 4 } else { 2 });
                } else {
                    interval.open(4 * i + 4);
                    interval.close(4 * i + 3, &mut self.links);
                }
            }
        }
        if makes
            && let [op] = operands
            && let Some(remat) = shape.remat()
        {
            let interval = &mut self.intervals[op.index()];
            (interval.maker, interval.remat) = (Allocation::remat(inst), Some(remat));
            interval.discount = 2.0 * frequency;
        }
        if shape.has(Shape::GENERAL) {
            self.general(operands, i);
            self.reserve(func, file, inst, frequency);
        }
        if shape.has(Shape::COPY)
            && let Some((from, to)) = func.is_move(inst)
        {
            self.connect(from.as_u32(), to.as_u32(), frequency);
        }
    }

    /// What the operands of instruction `i` end and begin, whatever they are.
    #[inline(never)]
    fn general(&mut self, operands: &[Operand], i: u32) {
        for op in operands.iter().filter(|op| op.is_def() && !op.is_use()) {
            let interval = &mut self.intervals[op.index()];
            interval.open(4 * i + 4);
            interval.close(4 * i + if op.pos() == OperandPos::Early { 1 } else { 3 }, &mut self.links);
        }
        for op in operands.iter().filter(|op| op.is_use()) {
            let early = !op.is_def() && op.pos() == OperandPos::Early;
            self.intervals[op.index()].open(4 * i + if early { 2 } else { 4 });
        }
    }

    /// Notes what the fixed operands and clobbers of `inst` occupy.
    fn reserve(&mut self, func: &Function, file: &RegisterFile, inst: Inst, frequency: f32) {
        let i = inst.as_u32();
        let (mut early, mut late) = (RegUnits::EMPTY, RegUnits::EMPTY);
        for op in func.operands(inst) {
            if let Constraint::Fixed(reg) = op.constraint() {
                if is_early(*op) {
                    early.insert(file.units(reg));
                }
                if is_late(*op) {
                    late.insert(file.units(reg));
                }
                let interval = &mut self.intervals[op.index()];
                if frequency >= interval.hint_weight {
                    (interval.hint, interval.hint_weight) = (reg.0, frequency);
                }
            }
        }
        for (position, units) in [(4 * i + 3, late), (4 * i + 2, func.clobbers(inst)), (4 * i + 1, early)] {
            if !units.is_empty() {
                self.reserved.push((position, units));
            }
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
            let worse = usize::from(interval.near_weight[1] < interval.near_weight[0]);
            if !interval.near.contains(&other) && weight >= interval.near_weight[worse] {
                interval.near[worse] = other;
                interval.near_weight[worse] = weight;
            }
        }
    }

    /// Puts the segments of each interval next to one another.
    fn flatten(&mut self) {
        self.segments.clear();
        for interval in &mut self.intervals {
            let mut link = core::mem::replace(&mut interval.first, self.segments.len() as u32);
            interval.cursor = interval.first;
            let mut length = 0;
            while let Some(&Link { segment, next }) = self.links.get(link as usize) {
                length += segment.to - segment.from;
                self.segments.push(segment);
                link = next;
            }
            interval.count = self.segments.len() as u32 - interval.first;
            if interval.maker.is_remat() {
                interval.weight -= interval.discount;
            } else {
                interval.remat = None;
            }
            interval.density = interval.weight / (length + 4) as f32;
        }
    }

    /// The segments of `v`.
    pub fn segments_of(&self, v: u32) -> &[Segment] {
        let interval = &self.intervals[v as usize];
        &self.segments[interval.first as usize..(interval.first + interval.count) as usize]
    }

    /// Passes the segments of `v` that end up to `position`. Gives the next one.
    pub fn pass(&mut self, v: u32, position: u32) -> Option<Segment> {
        let interval = &mut self.intervals[v as usize];
        let end = (interval.first + interval.count) as usize;
        let rest = &self.segments[interval.cursor as usize..end];
        let passed = rest.iter().take_while(|s| s.to <= position).count();
        interval.cursor += passed as u32;
        rest.get(passed).copied()
    }

    /// First position of `v`, which must have a segment.
    pub fn start(&self, v: u32) -> u32 {
        self.segments[self.intervals[v as usize].first as usize].from
    }

    /// Position after the last one of `v`, which must have a segment.
    pub fn end(&self, v: u32) -> u32 {
        let interval = &self.intervals[v as usize];
        self.segments[(interval.first + interval.count) as usize - 1].to
    }

    /// Index of the first reserved entry at or after `position`.
    fn entry(&self, position: u32) -> usize {
        let n = self.reserved.len();
        let mut at = self.reserved_from.get(position as usize / 4).map_or(n, |&at| at as usize);
        while at < n && self.reserved[at].0 < position {
            at += 1;
        }
        at
    }

    /// Lists the intervals that need registers by their first positions, in linear time: a chain of
    /// intervals for each instruction.
    pub fn order_by_start(&mut self, order: &mut Vec<u32>) {
        let Ranges { intervals, segments, first_at, next, .. } = self;
        first_at.clear();
        first_at.resize(self.insts, NONE);
        next.resize(next.len().max(intervals.len()), NONE);
        let start = |v: u32| segments[intervals[v as usize].first as usize].from;
        for v in (0..intervals.len() as u32).rev() {
            let interval = &intervals[v as usize];
            if interval.count == 0 || interval.weight <= 0.0 {
                continue;
            }
            let from = start(v);
            let mut link = &mut first_at[from as usize / 4];
            // Rarely is there more than one.
            let mut before = NONE;
            let mut at = *link;
            while at != NONE && start(at) < from {
                (before, at) = (at, next[at as usize]);
            }
            next[v as usize] = at;
            if before != NONE {
                link = &mut next[before as usize];
            }
            *link = v;
        }
        order.clear();
        for &first in first_at.iter() {
            let mut at = first;
            while at != NONE {
                order.push(at);
                at = next[at as usize];
            }
        }
    }

    /// Units that are reserved somewhere in the segments of `v`.
    pub fn reserved_in(&self, v: u32) -> RegUnits {
        let mut units = RegUnits::EMPTY;
        if !self.reserved.is_empty() {
            for segment in self.segments_of(v) {
                units.insert(self.reserved_within(*segment));
            }
        }
        units
    }

    /// Units that are reserved somewhere in `segment`.
    pub fn reserved_within(&self, segment: Segment) -> RegUnits {
        let n = self.reserved.len();
        let mut units = RegUnits::EMPTY;
        if n == 0 {
            return units;
        }
        // Most segments have few entries or none.
        let first = self.entry(segment.from);
        for &(position, mask) in self.reserved[first..].iter().take(8) {
            if position >= segment.to {
                return units;
            }
            units.insert(mask);
        }
        let (mut low, mut high) = (first + n, self.entry(segment.to) + n);
        while low < high {
            if low & 1 == 1 {
                units.insert(self.tree[low]);
                low += 1;
            }
            if high & 1 == 1 {
                high -= 1;
                units.insert(self.tree[high]);
            }
            low /= 2;
            high /= 2;
        }
        units
    }

    /// Whether `units` are reserved in the segments of `v` by anything but its own fixed operands.
    /// A long search is given up with yes.
    pub fn reserved_by_others(&self, func: &Function, file: &RegisterFile, v: u32, units: RegUnits) -> bool {
        let mut budget = 32;
        for segment in self.segments_of(v) {
            let first = self.entry(segment.from);
            for &(position, mask) in self.reserved[first..].iter().take_while(|r| r.0 < segment.to) {
                budget -= 1;
                if budget == 0 {
                    return true;
                }
                if !mask.intersects(units) {
                    continue;
                }
                let half = position & 3;
                let inst = Inst::from_u32(position / 4);
                let old_read = self.intervals[v as usize].old_read && func.is_terminator(inst);
                let by_other = |op: &Operand| match op.constraint() {
                    Constraint::Fixed(reg) => {
                        (op.vreg() != VReg::from_u32(v) || old_read)
                            && (half == 1 && is_early(*op) || half == 3 && is_late(*op))
                            && file.units(reg).intersects(units)
                    }
                    _ => false,
                };
                if half == 2 || func.operands(inst).iter().any(by_other) {
                    return true;
                }
            }
        }
        false
    }
}

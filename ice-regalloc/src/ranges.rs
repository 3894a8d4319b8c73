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
//! | 4i | early operands are read or written; edits before `i` stand in front of it |
//! | 4i + 1 | clobbers |
//! | 4i + 2 | late definitions are written |
//! | 4i + 3 | nothing |
//!
//! A segment is half open. An Early Use ends at 4i + 1, a Late Use at 4i + 4; a Late Def starts at
//! 4i + 2, so the three may share a register in the ways of the table in `operand`. Arguments that
//! are copied before the terminators of a block end at 4t, t the first terminator, and the
//! parameters start there.
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

use crate::function::Function;
use crate::linear::move_pair;
use crate::liveness::Liveness;
use crate::operand::{Block, Constraint, Inst, Operand, OperandKind, OperandPos, VReg};
use crate::registers::{RegUnits, RegisterFile};
use crate::scan::{NO_REG, NONE, Scan, params_at_start};
use alloc::vec::Vec;

/// A half-open range of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    pub from: u32,
    pub to: u32,
}

/// One virtual register as linear scan sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    /// First segment in the list of all.
    pub first: u32,
    /// Number of segments.
    pub count: u32,
    /// First segment that the scan has not passed.
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
}

const NEW: Interval = Interval {
    first: 0,
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
};

/// Segment in the order in which they are found, last position first.
#[derive(Clone, Copy, Debug)]
struct Link {
    segment: Segment,
    next: u32,
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
    heads: Vec<u32>,
    /// End of the segment that is open, or 0.
    open: Vec<u32>,
    depth: Vec<i32>,
    old_params: Vec<u32>,
}

/// Whether the operand's place is busy at the end of the instruction.
pub(crate) fn is_late(op: Operand) -> bool {
    op.is_def() || op.pos() == OperandPos::Late
}

/// Whether it is busy at the start.
pub(crate) fn is_early(op: Operand) -> bool {
    op.is_use() || op.pos() == OperandPos::Early
}

impl Ranges {
    /// Builds everything; the intervals have no registers yet.
    pub fn build<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        scan: &Scan,
        live: &mut Liveness,
        narrower: impl Fn(u8, u8) -> bool,
    ) {
        let vregs = func.num_vregs();
        self.intervals.clear();
        self.intervals.extend(scan.vregs.iter().map(|s| Interval { class: s.class, narrow: s.class, ..NEW }));
        self.heads.clear();
        self.heads.resize(vregs, NONE);
        self.open.clear();
        self.open.resize(vregs, 0);
        self.links.clear();
        self.reserved.clear();
        self.frequencies(func);
        for b in (0..func.num_blocks() as u32).rev() {
            self.block(func, file, Block::from_u32(b), live, &narrower);
        }
        self.flatten();
        self.reserved.reverse();
        let n = self.reserved.len();
        self.tree.clear();
        self.tree.resize(n, RegUnits::EMPTY);
        self.tree.extend(self.reserved.iter().map(|r| r.1));
        for k in (1..n).rev() {
            self.tree[k] = self.tree[2 * k].union(self.tree[2 * k + 1]);
        }
    }

    fn frequencies<F: Function>(&mut self, func: &F) {
        let blocks = func.num_blocks();
        self.depth.clear();
        self.depth.resize(blocks + 1, 0);
        for head in 0..blocks as u32 {
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
            self.frequency.push((1u32 << (3 * depth.clamp(0, 8))) as f32);
        }
    }

    fn block<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        block: Block,
        live: &mut Liveness,
        narrower: &impl Fn(u8, u8) -> bool,
    ) {
        let range = func.block_insts(block);
        let (start, end) = (range.start.as_u32(), range.end.as_u32());
        let frequency = self.frequency[block.as_u32() as usize];
        live.load_out(func, block);
        live.for_each_out(|v| self.open[v as usize] = 4 * end);
        let mut i = end;
        while i > start && func.is_terminator(Inst::from_u32(i - 1)) {
            i -= 1;
            self.inst(func, file, i, frequency, narrower);
        }
        if let &[succ] = func.block_succs(block)
            && !func.block_params(succ).is_empty()
        {
            self.edge(func, block, succ, i..end, live, frequency);
        }
        while i > start {
            i -= 1;
            self.inst(func, file, i, frequency, narrower);
        }
        live.for_each_in(block, |v| self.close(v, 4 * start));
        if params_at_start(func, block) && !func.block_params(block).is_empty() {
            let pred = func.block_preds(block)[0];
            let edge = func.block_succs(pred).iter().position(|&s| s == block).unwrap_or(0);
            for (arg, param) in func.edge_args(pred, edge).iter().zip(func.block_params(block)) {
                self.connect(arg.as_u32(), param.as_u32(), frequency);
            }
        }
    }

    /// The copies of arguments to parameters before the terminators.
    fn edge<F: Function>(
        &mut self,
        func: &F,
        block: Block,
        succ: Block,
        terminators: core::ops::Range<u32>,
        live: &Liveness,
        frequency: f32,
    ) {
        let position = 4 * terminators.start;
        let params = func.block_params(succ);
        // A terminator may read the value that the parameter had before.
        self.old_params.clear();
        for i in terminators {
            let read = func.operands(Inst::from_u32(i)).iter().map(|op| op.vreg());
            self.old_params.extend(read.filter(|v| params.contains(v)).map(|v| v.as_u32()));
        }
        for param in params.iter().filter(|p| live.is_out(**p)) {
            self.close(param.as_u32(), position);
        }
        while let Some(v) = self.old_params.pop() {
            self.open[v as usize] = self.open[v as usize].max(position);
        }
        for (arg, param) in func.edge_args(block, 0).iter().zip(params) {
            if live.is_out(*param) {
                let open = &mut self.open[arg.as_u32() as usize];
                *open = (*open).max(position);
                self.intervals[arg.as_u32() as usize].weight += frequency;
                self.intervals[param.as_u32() as usize].weight += frequency;
                self.connect(arg.as_u32(), param.as_u32(), frequency);
            }
        }
    }

    /// Ends the open segment of `v` at its front.
    fn close(&mut self, v: u32, from: u32) {
        let to = core::mem::replace(&mut self.open[v as usize], 0);
        if to > from {
            self.push(v, Segment { from, to });
        }
    }

    /// Adds a segment that starts no later than those of `v` so far.
    fn push(&mut self, v: u32, segment: Segment) {
        let head = &mut self.heads[v as usize];
        if let Some(link) = self.links.get_mut(*head as usize)
            && link.segment.from <= segment.to
        {
            link.segment.from = link.segment.from.min(segment.from);
            link.segment.to = link.segment.to.max(segment.to);
            return;
        }
        self.links.push(Link { segment, next: *head });
        *head = self.links.len() as u32 - 1;
    }

    fn inst<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        i: u32,
        frequency: f32,
        narrower: &impl Fn(u8, u8) -> bool,
    ) {
        let inst = Inst::from_u32(i);
        let operands = func.operands(inst);
        let (mut early, mut late) = (RegUnits::EMPTY, RegUnits::EMPTY);
        for op in operands {
            let v = op.vreg().as_u32() as usize;
            if op.constraint() != Constraint::Stack {
                let interval = &mut self.intervals[v];
                interval.weight += if op.kind() == OperandKind::UseDef { 2.0 * frequency } else { frequency };
                if narrower(op.class().0, interval.narrow) {
                    interval.narrow = op.class().0;
                }
                if let Constraint::Fixed(reg) = op.constraint() {
                    if is_early(*op) {
                        early.insert(file.units(reg));
                    }
                    if is_late(*op) {
                        late.insert(file.units(reg));
                    }
                    if frequency >= interval.hint_weight {
                        (interval.hint, interval.hint_weight) = (reg.0, frequency);
                    }
                }
            }
            if op.kind() == OperandKind::Def {
                let from = if op.pos() == OperandPos::Early { 4 * i } else { 4 * i + 2 };
                self.open[v] = self.open[v].max(4 * i + 4);
                self.close(v as u32, from);
            }
        }
        for op in operands {
            let to = match (op.kind(), op.pos()) {
                (OperandKind::Def, _) => continue,
                (OperandKind::Use, OperandPos::Early) => 4 * i + 1,
                _ => 4 * i + 4,
            };
            let open = &mut self.open[op.vreg().as_u32() as usize];
            *open = (*open).max(to);
        }
        if let Some((from, to)) = move_pair(func, inst) {
            self.connect(from, to, frequency);
        }
        let clobbers = func.clobbers(inst);
        for (position, units) in [(4 * i + 2, late), (4 * i + 1, clobbers), (4 * i, early)] {
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
        for (interval, &head) in self.intervals.iter_mut().zip(&self.heads) {
            interval.first = self.segments.len() as u32;
            interval.cursor = interval.first;
            let mut length = 0;
            let mut link = head;
            while let Some(&Link { segment, next }) = self.links.get(link as usize) {
                length += segment.to - segment.from;
                self.segments.push(segment);
                link = next;
            }
            interval.count = self.segments.len() as u32 - interval.first;
            interval.density = interval.weight / (length + 4) as f32;
        }
    }

    /// The segments of `v`.
    pub fn segments_of(&self, v: u32) -> &[Segment] {
        let interval = &self.intervals[v as usize];
        &self.segments[interval.first as usize..(interval.first + interval.count) as usize]
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
        self.reserved.partition_point(|r| r.0 < position)
    }

    /// Units that are reserved somewhere in the segments of `v`.
    pub fn reserved_in(&self, v: u32) -> RegUnits {
        let n = self.reserved.len();
        let mut units = RegUnits::EMPTY;
        for segment in self.segments_of(v) {
            let (mut low, mut high) = (self.entry(segment.from) + n, self.entry(segment.to) + n);
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
        }
        units
    }

    /// Whether `units` are reserved in the segments of `v` by anything but its own fixed operands.
    /// A long search is given up with yes.
    pub fn reserved_by_others<F: Function>(
        &self,
        func: &F,
        file: &RegisterFile,
        v: u32,
        units: RegUnits,
    ) -> bool {
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
                let by_other = |op: &Operand| match op.constraint() {
                    Constraint::Fixed(reg) => {
                        op.vreg() != VReg::from_u32(v)
                            && (half == 0 && is_early(*op) || half == 2 && is_late(*op))
                            && file.units(reg).intersects(units)
                    }
                    _ => false,
                };
                if half == 1 || func.operands(Inst::from_u32(position / 4)).iter().any(by_other) {
                    return true;
                }
            }
        }
        false
    }
}

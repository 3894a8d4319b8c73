//! The full mode: linear scan over the whole function, then a walk that places every operand.
//!
//! Problem, method, invariants and cost are said at [`Mode::Linear`](crate::Mode::Linear).
//!
//! Files: `liveness` and `ranges`, beside this folder, find the intervals; `assign` gives them registers, with `exchange` for what
//! it left without one and needs it more than those that hold one; `webs` takes back those
//! that only carry values between slots, and `split` divides what got none; `plain` finds places for the operands of the
//! usual instruction, `inst`, with `pick` for the choice of a register, for those of any, `edges` does block borders, and
//! `held` knows what is in registers; `shuffle` puts the copies of one point in order, and `slots` gives values that never
//! live together one slot.
//!
//! A value whose definition can be executed
//! again and that has no home has no place at its definition, which is left out. The walk is repeated a bounded number of
//! times, and seldom at all.

mod assign;
mod edges;
mod exchange;
mod held;
mod inst;
mod pick;
mod plain;
mod reunite;
mod shuffle;
mod slots;
mod split;
mod webs;

use crate::context::{Mode, Options, SlotSharing};
use crate::error::Error;
use crate::function::{Function, Remat};
use crate::liveness::Liveness;
use crate::memory::{refill, refill_from};
use crate::moves::{MoveSolver, ParallelMove};
use crate::operand::{Block, Inst, Slot, VReg};
use crate::output::{Allocation, Edit, Output, ProgPoint, SlotInfo, Stats};
use crate::ranges::Ranges;
use crate::registers::{PReg, RegClass, RegUnits, RegisterFile};
use crate::rows::{Row, Shape};
use crate::scan::{Ahead, DEAD, NO_REG, NONE, Scan};
use crate::tables::Tables;
use alloc::boxed::Box;
use alloc::vec::Vec;
use assign::{Assign, Scanner};
use core::ops::Range;
use held::Hold;
use slots::{Slots, TEMPORARY};
use split::Splits;
use webs::Webs;

/// Walks over a function before it is given up.
const MAX_WALKS: u32 = 12;
/// How many of them are begun for better code alone.
const MAX_BETTER_WALKS: u32 = 2;
/// Owner of the register of a parameter whose old value is still read; not a value that can move.
const SENTINEL: u32 = NONE;

/// What the walk knows about one virtual register.
#[derive(Clone, Copy, Debug)]
struct Value {
    /// Instruction of the next use, or `LIVE_OUT` or `DEAD`.
    next: u32,
    /// Last instruction of the block that uses it.
    last: u32,
    /// Its slot, or `NONE` so far.
    slot: u32,
    /// The instruction at work defines it.
    def_inst: u32,
    /// Uses in the present instruction that have no place yet.
    pending: u32,
    /// The register that holds the value.
    reg: u8,
    /// The register of its interval.
    home: u8,
    /// A second register that holds it in the present instruction.
    copy: u8,
    class: u8,
    /// Definitions in a register are stored at once.
    stored: bool,
    /// In this block the slot holds the value if that has a home, and does not if it has none; in
    /// other blocks it is the other way round.
    stamp: u32,
    /// Its definition, if that can be executed again, and whether that is a load.
    again: Allocation,
    in_memory: bool,
}

impl Value {
    #[inline]
    fn set_ahead(&mut self, ahead: Ahead) {
        self.next = ahead.next;
        if ahead.last != 0 {
            self.last = ahead.last;
        }
    }
}

/// Memory that is kept from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<'f> {
    scan: Scan,
    live: Liveness,
    ranges: Ranges,
    assign: Assign,
    webs: Webs,
    splits: Splits,
    pub(crate) tables: Box<Tables<'f>>,
    walk: Walk,
}

/// Lists of the walk.
#[derive(Clone, Debug, Default)]
struct Walk {
    values: Vec<Value>,
    /// For each virtual register, where it is for the whole of its life.
    homes: Vec<u8>,
    /// The virtual register in each occupied unit.
    owner: Vec<u32>,
    /// For each unit, the next segment in which an interval holds it.
    cursors: Vec<u32>,
    /// For each unit in use, the interval that holds it.
    holds: Vec<Hold>,
    slots: Slots,
    solver: MoveSolver,
    moves: Vec<ParallelMove>,
    after: Vec<ParallelMove>,
    prefix: Vec<Edit>,
    suffix: Vec<Edit>,
    /// Parameters whose old value the terminators read, with its slot and first reader, which become
    /// slot and home of the new value.
    old_params: Vec<(u32, u32, u32)>,
    /// Operands of an instruction that need a register, behind the number of registers that each may have.
    by_class: Vec<u64>,
    leaving: Vec<u32>,
    list: Vec<u32>,
    /// Displaced values with a home, to be brought back.
    away: Vec<(u32, Allocation)>,
    /// Values that had to leave their homes for an instruction, and how many memory operands that was, weighed by how often
    /// they are executed.
    left: Vec<(u32, f32)>,
    /// Whether one of them cannot be brought back, so that the walk has to be repeated.
    must_repeat: bool,
}

/// The allocator at work on one function.
struct Allocator<'a> {
    func: &'a Function,
    file: &'a RegisterFile<'a>,
    /// What is known of each instruction, one before the first.
    rows: &'a [Row],
    scan: &'a Scan,
    ranges: &'a Ranges,
    assign: &'a Assign,
    splits: &'a Splits,
    tables: &'a Tables<'a>,
    cx: &'a mut Walk,
    out: &'a mut Output,
    /// Units that belong to a value, as `held` says.
    occupied: RegUnits,
    /// Those among them that belong to it against the intervals.
    strangers: RegUnits,
    point: ProgPoint,
    frequency: f32,
    /// Next entry of the reserved ranges.
    reserved: usize,
    pins: inst::Pins,
    /// Units that parts of values hold in the block at work.
    parts: RegUnits,
    /// The block at work.
    block: u32,
    /// The next entries of the scan's lists of arguments and parameters.
    next_arg: usize,
    next_param: usize,
    /// The next entry of the moves of split values.
    next_fix: usize,
}

#[cfg(feature = "testing")]
impl Scratch<'_> {
    /// Number of segments of all intervals.
    pub fn num_segments(&self) -> usize {
        self.ranges.intervals.iter().map(|interval| interval.count as usize).sum()
    }
}

/// Liveness and live intervals.
pub(crate) fn analyze<'f>(
    func: &Function,
    file: &RegisterFile<'f>,
    options: &Options,
    scratch: &mut Scratch<'f>,
) -> Result<(), Error> {
    if func.is_brief() {
        return Err(Error::WrittenForMinimal);
    }
    let Scratch { scan, live, ranges, tables, .. } = scratch;
    tables.set(file);
    scan.compute(func, Mode::Linear)?;
    scan.aheads.copy_from(&func.references.aheads);
    if func.num_insts() >= 1 << 29 {
        return Err(Error::TooLarge);
    }
    live.compute(func, scan, options.steps).ok_or(Error::NoScratch { block: func.entry() })?;
    ranges.build(func, file, scan, live, |a, b| tables.is_narrower(a, b));
    Ok(())
}

/// Allocates in the full mode. The output is empty before.
pub(crate) fn allocate<'f>(
    func: &Function,
    file: &RegisterFile<'f>,
    options: &Options,
    scratch: &mut Scratch<'f>,
    out: &mut Output,
) -> Result<(), Error> {
    analyze(func, file, options, scratch)?;
    let Scratch { scan, live, ranges, assign, webs, splits, tables, walk, .. } = scratch;
    let operands = func.all_operands().len();
    Scanner {
        func,
        file,
        tables,
        ranges,
        assign,
        active_units: RegUnits::EMPTY,
        next_end: 0,
        next_begin: 0,
        next_reserved: 0,
        next_rare: 0,
    }
    .run();
    walk.slots.reset();
    if options.slots == SlotSharing::Shared && !assign.losers.is_empty() {
        webs.join(func, ranges, assign, &mut walk.slots);
    }
    splits.compute(&split::Input { func, file, tables }, ranges, assign);
    for round in 0..MAX_WALKS {
        refill(&mut out.allocs, operands, Allocation::NONE);
        out.edits.clear();
        out.used_regs = RegUnits::EMPTY;
        out.stats = Stats {
            evictions: assign.evictions,
            cross_block_vregs: scan.crossing,
            walks: round + 1,
            steps: live.steps + assign.steps,
            ..Stats::default()
        };
        walk.reset(ranges, assign);
        for &v in &splits.stored {
            walk.values[v as usize].stored = true;
        }
        let mut allocator = Allocator {
            func,
            file,
            rows: func.references.rows.all(),
            scan,
            ranges,
            assign,
            splits,
            tables,
            cx: walk,
            out,
            occupied: RegUnits::EMPTY,
            strangers: RegUnits::EMPTY,
            point: ProgPoint::before(Inst::from_u32(0)),
            frequency: 1.0,
            reserved: 0,
            pins: inst::Pins::default(),
            parts: RegUnits::EMPTY,
            block: 0,
            next_arg: 0,
            next_param: 0,
            next_fix: 0,
        };
        for b in 0..func.num_blocks() as u32 {
            allocator.block(Block::from_u32(b))?;
        }
        // A walk more has to save as many memory operands as it places instructions.
        let saved = walk.gather_left(ranges);
        let pays = round < MAX_BETTER_WALKS && saved >= func.num_insts() as f32;
        if !walk.must_repeat && !pays {
            walk.slots.color(ranges, options.slots, out);
            return Ok(());
        }
        for &(v, _) in &walk.left {
            ranges.intervals[v as usize].reg = NO_REG;
            ranges.intervals[v as usize].split = NONE;
        }
        assign.evictions += walk.left.len() as u32;
        walk.slots.reset();
        if options.slots == SlotSharing::Shared {
            webs.join(func, ranges, assign, &mut walk.slots);
        }
    }
    // The caller falls back to the minimal mode.
    Err(Error::NoScratch { block: func.entry() })
}

impl Walk {
    /// Keeps of those that had to leave their homes each that costs less in a slot, once: one memory operand for each use. Gives what
    /// that saves of all of them together.
    fn gather_left(&mut self, ranges: &Ranges) -> f32 {
        if self.left.is_empty() {
            return 0.0;
        }
        self.left.sort_unstable_by_key(|&(v, _)| v);
        self.left.dedup_by(|(v, cost), (first, sum)| {
            let is_same = v == first;
            *sum += if is_same { *cost } else { 0.0 };
            is_same
        });
        let mut saved = 0.0;
        self.left.retain(|&(v, cost)| {
            let gain = cost - ranges.intervals[v as usize].weight;
            saved += gain.max(0.0);
            gain > 0.0
        });
        saved
    }

    fn reset(&mut self, ranges: &Ranges, assign: &Assign) {
        let values = ranges.intervals.iter().map(|interval| Value {
            next: DEAD,
            last: 0,
            slot: NONE,
            def_inst: NONE,
            pending: 0,
            reg: NO_REG,
            home: interval.reg,
            copy: NO_REG,
            class: interval.class,
            stored: false,
            stamp: NONE,
            again: interval.again(),
            in_memory: interval.remat == Some(Remat::Memory),
        });
        refill_from(&mut self.values, values);
        refill_from(&mut self.homes, ranges.intervals.iter().map(|interval| interval.reg));
        refill(&mut self.owner, RegUnits::CAPACITY, NONE);
        refill(&mut self.cursors, RegUnits::CAPACITY, 0);
        self.holds.clear();
        self.holds.extend(assign.used.iter().map(Hold::unknown));
        self.left.clear();
        self.must_repeat = false;
        self.moves.clear();
        self.after.clear();
        self.away.clear();
        self.old_params.clear();
    }
}

impl<'a> Allocator<'a> {
    fn value(&mut self, v: u32) -> &mut Value {
        &mut self.cx.values[v as usize]
    }

    fn block(&mut self, block: Block) -> Result<(), Error> {
        let range = self.func.block_insts(block);
        let (start, end) = (range.start.as_u32(), range.end.as_u32());
        let b = block.as_u32();
        self.block = b;
        self.frequency = self.ranges.frequency[b as usize];
        let mut terminator = end;
        while terminator > start && self.rows[terminator as usize].shape.has(Shape::TERMINATOR) {
            terminator -= 1;
        }
        self.point = ProgPoint::before(range.start);
        self.enter_block(block)?;
        let mut next = self.rows[start as usize].end as usize;
        for i in start..end {
            let inst = Inst::from_u32(i);
            if i == terminator {
                self.point = ProgPoint::before(inst);
                self.leave_block(block, terminator)?;
            }
            let Row { end, shape } = self.rows[i as usize + 1];
            let range = next..end as usize;
            next = range.end;
            if !self.plain(inst, range.clone(), shape) {
                self.point = ProgPoint::before(inst);
                self.any(range, inst, i >= terminator)?;
            }
        }
        self.end_block();
        Ok(())
    }

    /// Allocates any instruction: its operands are in `range`.
    #[inline(never)]
    fn any(&mut self, range: Range<usize>, inst: Inst, terminates: bool) -> Result<(), Error> {
        let base = range.start;
        self.out.allocs[range.clone()].fill(Allocation::NONE);
        let copies = self.rows[inst.as_u32() as usize + 1].shape.has(Shape::COPY);
        let ops = &self.func.all_operands()[range];
        self.inst(inst::Work { inst, ops, base, copies, terminates })?;
        self.cx.slots.release_temporaries();
        Ok(())
    }

    /// What is ahead of the `count` operands of an instruction whose first one is operand `base` of
    /// the function.
    #[inline]
    fn aheads(&self, base: usize, count: usize) -> &[Ahead] {
        &self.scan.aheads.operands[base..base + count]
    }

    /// Whether the value of `v` can be had from `backing`.
    #[inline]
    fn is_valid(&self, v: u32) -> bool {
        let value = &self.cx.values[v as usize];
        (value.stamp == self.block) == (value.home != NO_REG) || !value.again.is_none()
    }

    #[inline]
    fn set_valid(&mut self, v: u32, valid: bool) {
        let value = &mut self.cx.values[v as usize];
        value.stamp = if valid == (value.home != NO_REG) { self.block } else { NONE };
    }

    /// Forgets all registers.
    fn end_block(&mut self) {
        while let Some((v, slot, home)) = self.cx.old_params.pop() {
            self.unbind(v);
            let value = self.value(v);
            (value.slot, value.home) = (slot, home as u8);
            self.cx.homes[v as usize] = self.ranges.intervals[v as usize].reg;
        }
        for part in self.splits.homes_in(self.block) {
            self.value(part.vreg).home = NO_REG;
        }
        self.release_strangers();
        self.cx.slots.release_all();
    }

    /// Bytes and alignment of a slot for `v`.
    fn size_of(&self, v: u32) -> (u32, u32) {
        self.func.slot_of(self.file, VReg::from_u32(v))
    }

    /// The slot of `v`.
    fn slot(&mut self, v: u32) -> Allocation {
        if self.value(v).slot == NONE {
            let (size, align) = self.size_of(v);
            let slot = self.cx.slots.of_value(v, SlotInfo { size, align });
            self.value(v).slot = slot;
        }
        Allocation::slot(Slot::from_u32(self.value(v).slot))
    }

    /// Where the value of `v` is when no register holds it.
    fn backing(&mut self, v: u32) -> Allocation {
        match self.value(v).again {
            Allocation::NONE => self.slot(v),
            again => again,
        }
    }

    /// A slot for the present instruction.
    fn temporary(&mut self, size: u32, align: u32) -> Allocation {
        let slot = self.cx.slots.temporary(SlotInfo { size, align });
        debug_assert!(self.cx.slots.owner(slot) == TEMPORARY);
        Allocation::slot(Slot::from_u32(slot))
    }

    /// Where the value of `v` is: its register or else its backing. An argument that is only copied, in
    /// a block of terminators, has a home and is not bound to it.
    fn location(&mut self, v: u32) -> Allocation {
        let value = self.value(v);
        let reg = if value.reg == NO_REG { value.home } else { value.reg };
        match reg {
            NO_REG => self.backing(v),
            reg => Allocation::reg(PReg(reg)),
        }
    }

    fn move_of(&self, v: u32, from: Allocation, to: Allocation) -> ParallelMove {
        let class = RegClass(self.cx.values[v as usize].class);
        ParallelMove { from, to, class, size: self.size_of(v).0 }
    }

    /// Makes the backing of `v` hold its value from the present point on.
    fn store(&mut self, v: u32) {
        let value = *self.value(v);
        if !self.is_valid(v) && value.reg != NO_REG {
            let to = self.slot(v);
            let store = self.move_of(v, Allocation::reg(PReg(value.reg)), to);
            self.cx.moves.push(store);
        }
        self.set_valid(v, true);
    }

    fn push_edit(&mut self, edit: Edit) {
        self.out.stats.count(&edit);
        if let Some(reg) = edit.to.as_reg() {
            self.out.used_regs.insert(self.file.units(reg));
        }
        let position = slots::position_of(&edit);
        self.cx.slots.touch(edit.from, position);
        self.cx.slots.touch(edit.to, position);
        self.out.edits.push(edit);
    }
}

//! The full mode: linear scan over the whole function, then a walk that places every operand.
//!
//! Problem, method, invariants and cost are said at [`Mode::Linear`](crate::Mode::Linear).
//!
//! Files: `liveness` and `ranges`, beside this folder, find the intervals; `assign` gives them registers and `split`
//! divides what got none; `inst`, with `plain` for the usual instruction and `pick` for the choice of a register, finds
//! places for the operands of one instruction, and `edges` does block borders; `shuffle` puts the copies of one point
//! in order, and `slots` gives values that never live together one slot.
//!
//! In the walk `owner`, `occupied` and `Value::reg` agree between two instructions. A value whose definition can be executed
//! again and that has no home has no place at its definition, which is left out. The walk is repeated a bounded number of
//! times, and seldom at all.

mod assign;
mod edges;
mod inst;
mod pick;
mod plain;
mod shuffle;
mod slots;
mod split;

use crate::context::{Options, SlotSharing};
use crate::error::Error;
use crate::function::{Function, Remat};
use crate::liveness::Liveness;
use crate::moves::{MoveSolver, ParallelMove};
use crate::operand::{Block, Inst, Slot, VReg};
use crate::output::{Allocation, Edit, EditKind, Output, ProgPoint, SlotInfo, Stats};
use crate::ranges::Ranges;
use crate::registers::{PReg, RegClass, RegUnits, RegisterFile};
use crate::scan::{Ahead, DEAD, NO_REG, NONE, Scan, Shape};
use crate::tables::Tables;
use alloc::boxed::Box;
use alloc::vec::Vec;
use assign::{Assign, Scanner};
use slots::{Slots, TEMPORARY};
use split::Splits;

/// Walks over a function before it is given up.
const MAX_WALKS: u32 = 12;
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

/// Which interval, or none, holds a unit at the start of a block: where that is before `until`, it is still true.
#[derive(Clone, Copy, Debug)]
struct Hold {
    vreg: u32,
    until: u32,
}

/// Memory that is kept from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<'f> {
    scan: Scan,
    live: Liveness,
    ranges: Ranges,
    assign: Assign,
    splits: Splits,
    tables: Box<Tables<'f>>,
    walk: Walk,
}

/// Lists of the walk.
#[derive(Clone, Debug, Default)]
struct Walk {
    values: Vec<Value>,
    /// The virtual register in each occupied unit.
    owner: Vec<u32>,
    /// For each unit, the next segment in which an interval holds it.
    cursors: Vec<u32>,
    /// For each unit, the interval that holds it.
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
    by_class: Vec<(u32, u32)>,
    leaving: Vec<u32>,
    list: Vec<u32>,
    /// Displaced values with a home, to be brought back.
    away: Vec<(u32, Allocation)>,
    /// Values that lose their register in the next walk.
    evicted: Vec<u32>,
}

/// The allocator at work on one function.
struct Allocator<'a> {
    func: &'a Function,
    file: &'a RegisterFile<'a>,
    shapes: &'a [Shape],
    scan: &'a Scan,
    ranges: &'a Ranges,
    assign: &'a Assign,
    splits: &'a Splits,
    tables: &'a Tables<'a>,
    cx: &'a mut Walk,
    out: &'a mut Output,
    /// Units that belong to a value.
    occupied: RegUnits,
    point: ProgPoint,
    /// Number of walks before this one.
    round: u32,
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
}

/// Liveness and live intervals. Gives the number of segments of all intervals.
pub(crate) fn analyze<'f>(
    func: &Function,
    file: &RegisterFile<'f>,
    options: &Options,
    scratch: &mut Scratch<'f>,
) -> Result<usize, Error> {
    if func.is_brief() {
        return Err(Error::WrittenForMinimal);
    }
    let Scratch { scan, live, ranges, tables, .. } = scratch;
    tables.set(file);
    scan.compute(func)?;
    scan.aheads.copy_from(&func.references.aheads);
    if func.num_insts() >= 1 << 29 {
        return Err(Error::TooLarge);
    }
    live.compute(func, scan, options.steps).ok_or(Error::NoScratch { block: func.entry() })?;
    ranges.build(func, file, scan, live, |a, b| tables.is_narrower(a, b));
    Ok(ranges.segments.len())
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
    let Scratch { scan, live, ranges, assign, splits, tables, walk, .. } = scratch;
    let operands = func.all_operands().len();
    out.operand_starts.extend_from_slice(func.operand_starts());
    Scanner { func, file, tables, ranges, assign, active_units: RegUnits::EMPTY, next_change: 0 }.run();
    splits.compute(&split::Input { func, file, tables, scan }, ranges, assign);
    for round in 0..MAX_WALKS {
        out.allocs.clear();
        out.allocs.resize(operands, Allocation::NONE);
        out.edits.clear();
        out.used_regs = RegUnits::EMPTY;
        out.stats = Stats {
            evictions: assign.evictions,
            cross_block_vregs: scan.crossing,
            walks: round + 1,
            steps: live.steps + assign.steps,
            ..Stats::default()
        };
        walk.reset(ranges);
        for &v in &splits.stored {
            walk.values[v as usize].stored = true;
        }
        if options.slots == SlotSharing::Shared && !(assign.losers.is_empty() && round == 0) {
            walk.slots.join_params(func, ranges);
        }
        let mut allocator = Allocator {
            func,
            file,
            shapes: &func.references.shapes,
            scan,
            ranges,
            assign,
            splits,
            tables,
            cx: walk,
            out,
            occupied: RegUnits::EMPTY,
            point: ProgPoint::before(Inst::from_u32(0)),
            round,
            frequency: 1.0,
            reserved: 0,
            pins: inst::Pins::default(),
            parts: RegUnits::EMPTY,
            block: 0,
            next_arg: 0,
            next_param: 0,
        };
        for b in 0..func.num_blocks() as u32 {
            allocator.block(Block::from_u32(b))?;
        }
        if walk.evicted.is_empty() {
            walk.slots.color(ranges, options.slots, out);
            return Ok(());
        }
        for &v in &walk.evicted {
            ranges.intervals[v as usize].reg = NO_REG;
            ranges.intervals[v as usize].split = NONE;
        }
        assign.evictions += walk.evicted.len() as u32;
    }
    // The caller falls back to the minimal mode.
    Err(Error::NoScratch { block: func.entry() })
}

impl Walk {
    fn reset(&mut self, ranges: &Ranges) {
        self.values.clear();
        self.values.reserve_exact(ranges.intervals.len());
        self.values.extend(ranges.intervals.iter().map(|interval| Value {
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
        }));
        self.owner.clear();
        self.owner.resize(128, NONE);
        self.cursors.clear();
        self.cursors.resize(128, 0);
        self.holds.clear();
        self.holds.resize(128, Hold { vreg: NONE, until: 0 });
        self.slots.reset(ranges.intervals.len());
        self.evicted.clear();
        self.moves.clear();
        self.after.clear();
        self.away.clear();
        self.old_params.clear();
    }
}

impl Allocator<'_> {
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
        while terminator > start && self.shapes[terminator as usize - 1].has(Shape::TERMINATOR) {
            terminator -= 1;
        }
        self.point = ProgPoint::before(range.start);
        self.enter_block(block)?;
        for i in start..end {
            self.point = ProgPoint::before(Inst::from_u32(i));
            if i == terminator {
                self.leave_block(block, terminator)?;
            }
            let inst = Inst::from_u32(i);
            let ops = self.func.operands(inst);
            let shape = self.shapes[i as usize];
            let general = shape.has(Shape::GENERAL);
            if ops.is_empty() && !general {
                continue;
            }
            let base = self.out.operand_starts[i as usize] as usize;
            let work =
                inst::Work { inst, ops, base, copies: shape.has(Shape::COPY), terminates: i >= terminator };
            if general || !self.plain(work) {
                self.inst(work)?;
                self.cx.slots.release_temporaries();
            }
        }
        self.end_block();
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
        }
        for part in self.splits.homes_in(self.block) {
            self.value(part.vreg).home = NO_REG;
        }
        let mut rest = self.occupied;
        while let Some(v) = self.take_owner(&mut rest) {
            if v != SENTINEL {
                self.value(v).reg = NO_REG;
            }
        }
        self.occupied = RegUnits::EMPTY;
        self.cx.slots.release_all();
    }

    /// Takes one owner out of the set `rest` of units.
    fn take_owner(&self, rest: &mut RegUnits) -> Option<u32> {
        if rest.is_empty() {
            return None;
        }
        let unit = rest.0.trailing_zeros() as u8;
        let v = self.cx.owner[usize::from(unit)];
        rest.remove(if v == SENTINEL { RegUnits::of(unit) } else { self.units_of(v) });
        Some(v)
    }

    /// Units of the register that holds `v`, if any.
    fn units_of(&self, v: u32) -> RegUnits {
        self.units(self.cx.values[v as usize].reg)
    }

    fn units(&self, reg: u8) -> RegUnits {
        // No register has the number `NO_REG`, and the table has no units for it.
        self.tables.units(PReg(reg))
    }

    fn bind(&mut self, v: u32, reg: u8) {
        let units = self.units(reg);
        self.own(units, v);
        self.occupied.insert(units);
        self.value(v).reg = reg;
    }

    /// Writes `v` down as the owner of `units`. Most registers are one unit.
    #[inline]
    fn own(&mut self, units: RegUnits, v: u32) {
        let mut rest = units.0;
        while rest != 0 {
            self.cx.owner[rest.trailing_zeros() as usize] = v;
            rest &= rest - 1;
        }
    }

    fn unbind(&mut self, v: u32) {
        if self.cx.values[v as usize].reg == NO_REG {
            return;
        }
        let units = self.units_of(v);
        // Another value may have been put there already.
        let mut rest = units.0;
        while rest != 0 {
            let low = rest & rest.wrapping_neg();
            if self.cx.owner[low.trailing_zeros() as usize] == v {
                self.occupied.remove(RegUnits(low));
            }
            rest ^= low;
        }
        self.value(v).reg = NO_REG;
    }

    /// Bytes and alignment of a slot for `v`.
    fn size_of(&self, v: u32) -> (u32, u32) {
        let class = &self.file.classes[usize::from(self.cx.values[v as usize].class)];
        match self.func.vreg_size(VReg::from_u32(v)) {
            0 => (class.spill_size, class.spill_align),
            size => (size, class.spill_align),
        }
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
        let stats = &mut self.out.stats;
        match edit.kind() {
            EditKind::Move => stats.moves += 1,
            EditKind::Spill => stats.spills += 1,
            EditKind::Reload => stats.reloads += 1,
            EditKind::Rematerialize => stats.rematerialized += 1,
        }
        if let Some(reg) = edit.to.as_reg() {
            self.out.used_regs.insert(self.file.units(reg));
        }
        let position = 4 * edit.point.inst().as_u32() + if edit.point.is_before() { 0 } else { 3 };
        self.cx.slots.touch(edit.from, position);
        self.cx.slots.touch(edit.to, position);
        self.out.edits.push(edit);
    }
}

//! The minimal mode: block-local allocation in one forward pass over each block.
//!
//! Problem: assign registers at a cost of about a hundred machine instructions an operand, without
//! liveness analysis, and still keep values in registers inside a block.
//!
//! Method: local allocation with furthest-next-use eviction (Belady 1966; Horwitz et al., *Index
//! Register Allocation*, 1966). A value referenced in several blocks is in its home slot at every
//! block border; a value of one block has a slot only while it is evicted.
//!
//! Invariants between two instructions:
//! * a virtual register is in at most one physical register, and `owner` and `reg` agree;
//! * a needed value is in its register, or its slot is `VALID`, or both;
//! * at a block's start no register is bound and every crossing value is in its slot.
//!
//! Files: `state` binds registers and evicts; `plain` finds places for the usual instruction and
//! `inst` for any; `edges` does block borders; `tables` holds the register file; this file drives.
//!
//! Cost: linear in operands; eviction looks at each register of one class.

mod edges;
mod inst;
mod plain;
mod state;
mod tables;

use self::inst::Work;
use crate::context::{Mode, Options};
use crate::error::Error;
use crate::function::Function;
use crate::moves::MoveSolver;
use crate::operand::{Block, Inst, Slot};
use crate::output::{Allocation, Output, ProgPoint};
use crate::registers::{RegUnits, RegisterFile};
use crate::scan::{DEAD, LIVE_OUT, NO_REG, NONE, Scan, Shape};
use alloc::vec::Vec;
use tables::Tables;

/// Freed slots of one size and alignment.
#[derive(Clone, Debug)]
struct FreeSlots {
    size: u32,
    align: u32,
    slots: Vec<u32>,
}

/// Memory that is kept from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    tables: Tables,
    buffers: Buffers,
}

/// Lists of one function, kept for their memory.
#[derive(Clone, Debug, Default)]
struct Buffers {
    scan: Scan,
    /// Number of the virtual register that an occupied unit belongs to.
    owner: Vec<u32>,
    free_slots: Vec<FreeSlots>,
    /// Slots to free when the present instruction is done.
    dying_slots: Vec<u32>,
    solver: MoveSolver,
    /// Home slots of parameters that a terminator still reads after the edge moves.
    moved_homes: Vec<(u32, u32)>,
    /// Registers saved around one slot to slot copy.
    saved: Vec<(u32, Slot)>,
    /// Order of constrained operands in the careful attempt.
    by_class: Vec<u32>,
}

/// The allocator at work on one function.
struct Allocator<'a, F: Function> {
    func: &'a F,
    file: &'a RegisterFile,
    options: Options,
    tables: &'a Tables,
    cx: &'a mut Buffers,
    out: &'a mut Output,
    /// Units that belong to a bound virtual register.
    occupied: RegUnits,
    /// Where edits go at present.
    point: ProgPoint,
    /// Nothing is live after this block.
    exits: bool,
    /// Next uses below this are needed.
    live_end: u32,
    /// The next clobbering instruction.
    next_clobber: u32,
    clobber_units: RegUnits,
    pins: Pins,
}

/// Units spoken for in the present instruction.
#[derive(Clone, Copy, Default)]
struct Pins {
    /// Wanted by fixed operands at the start and at the end of the instruction.
    fixed_early: RegUnits,
    fixed_late: RegUnits,
    /// Given to operands at the start and at the end.
    early: RegUnits,
    late: RegUnits,
    clobbers: RegUnits,
    /// The instruction has an Early Def.
    early_def: bool,
}

/// Allocates in minimal mode. The output is empty before.
pub(crate) fn allocate<F: Function>(
    func: &F,
    file: &RegisterFile,
    options: &Options,
    scratch: &mut Scratch,
    out: &mut Output,
) -> Result<(), Error> {
    scratch.tables.set(file);
    let (tables, cx) = (&scratch.tables, &mut scratch.buffers);
    cx.scan.classify(func, file, &mut out.operand_starts)?;
    let operands = out.operand_starts.last().map_or(0, |&n| n as usize);
    out.allocs.resize(operands, Allocation::NONE);
    cx.owner.resize(128, NONE);
    cx.free_slots.iter_mut().for_each(|f| f.slots.clear());
    cx.dying_slots.clear();
    cx.moved_homes.clear();
    cx.saved.clear();
    cx.solver.clear();
    let mut allocator = Allocator {
        func,
        file,
        options: *options,
        tables,
        cx,
        out,
        occupied: RegUnits::EMPTY,
        point: ProgPoint::before(Inst::from_u32(0)),
        exits: false,
        live_end: LIVE_OUT,
        next_clobber: NONE,
        clobber_units: RegUnits::EMPTY,
        pins: Pins::default(),
    };
    for b in 0..func.num_blocks() as u32 {
        allocator.block(Block::from_u32(b))?;
    }
    allocator.out.stats.cross_block_vregs = allocator.cx.scan.crossing;
    Ok(())
}

impl<F: Function> Allocator<'_, F> {
    fn block(&mut self, block: Block) -> Result<(), Error> {
        let range = self.func.block_insts(block);
        let (start, end) = (range.start.as_u32(), range.end.as_u32());
        let starts = &self.out.operand_starts;
        let base = starts[start as usize] as usize;
        let terminator = self.cx.scan.next_uses(self.func, block, starts);
        self.exits = self.func.block_succs(block).is_empty();
        self.live_end = if self.exits { LIVE_OUT } else { DEAD };
        self.point = ProgPoint::before(range.start);
        self.advance_clobber(start);
        self.enter_block(block)?;
        for i in start..end {
            self.point = ProgPoint::before(Inst::from_u32(i));
            if i == terminator {
                self.leave_block(block, terminator)?;
            }
            self.inst(Inst::from_u32(i), base)?;
        }
        self.end_block();
        Ok(())
    }

    /// Allocates one instruction; `block_base` is the index of the first operand of its block.
    fn inst(&mut self, inst: Inst, block_base: usize) -> Result<(), Error> {
        let i = inst.as_u32() as usize;
        let shape = self.cx.scan.shapes[i];
        let base = self.out.operand_starts[i] as usize;
        let work = Work { inst, ops: self.func.operands(inst), base, copies: shape.has(Shape::COPY) };
        if shape.has(Shape::GENERAL) || self.options.mode == Mode::MinimalReference {
            if shape.has(Shape::CLOBBERS) {
                self.advance_clobber(inst.as_u32() + 1);
            }
            return self.general(work, block_base);
        }
        if work.ops.is_empty() || self.plain(work, block_base)? {
            return Ok(());
        }
        self.general(work, block_base)
    }

    /// Makes the first clobbering instruction at or after `i` the next one.
    fn advance_clobber(&mut self, i: u32) {
        while let Some(&(at, units)) = self.cx.scan.clobbers.last() {
            (self.next_clobber, self.clobber_units) = (at, units);
            if at >= i {
                return;
            }
            self.cx.scan.clobbers.pop();
        }
        (self.next_clobber, self.clobber_units) = (NONE, RegUnits::EMPTY);
    }

    /// Forgets all registers.
    fn end_block(&mut self) {
        let mut rest = self.occupied;
        while let Some(v) = self.take_owner(&mut rest) {
            self.cx.scan.vregs[v as usize].reg = NO_REG;
        }
        self.occupied = RegUnits::EMPTY;
        while let Some((v, home)) = self.cx.moved_homes.pop() {
            let state = &mut self.cx.scan.vregs[v as usize];
            let temporary = core::mem::replace(&mut state.slot, home);
            self.cx.dying_slots.push(temporary);
        }
        self.free_dying_slots();
    }

    /// Whether a value with this next use is needed.
    fn is_live(&self, next: u32) -> bool {
        next < self.live_end
    }
}

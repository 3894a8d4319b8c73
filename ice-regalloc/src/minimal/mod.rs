//! The minimal mode: block-local allocation in one forward pass over each block.
//!
//! Problem: assign registers in two passes over the instructions, without liveness analysis, and
//! still keep values in registers inside a block.
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
//! Cost: linear in operands; eviction looks at each register of one class. The parts that are called
//! most state what was measured.

mod edges;
mod inst;
mod plain;
mod state;

use self::inst::Work;
use crate::context::{Mode, Options};
use crate::error::Error;
use crate::function::Function;
use crate::moves::MoveSolver;
use crate::operand::{Block, Inst, Slot};
use crate::output::{Allocation, Output, ProgPoint};
use crate::registers::{RegUnits, RegisterFile};
use crate::scan::{Ahead, DEAD, LIVE_OUT, NO_REG, NONE, Scan, Shape, VRegState, references};
use crate::tables::Tables;
use alloc::vec::Vec;

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
    scan: Scan,
    buffers: Buffers,
}

/// Number of bits in a set of units.
const UNITS: usize = 128;

/// One number a unit; an array, so that an index modulo its length needs no check.
#[derive(Clone, Debug)]
struct Owners([u32; UNITS]);

impl Default for Owners {
    fn default() -> Owners {
        Owners([NONE; UNITS])
    }
}

/// Lists of one function, kept for their memory.
#[derive(Clone, Debug, Default)]
struct Buffers {
    /// Number of the virtual register that an occupied unit belongs to.
    owner: Owners,
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
    /// Results of the scan, as slices: a field of a borrowed struct is loaded again after every store.
    vregs: &'a mut [VRegState],
    shapes: &'a [Shape],
    aheads: &'a [Ahead],
    arg_aheads: &'a [Ahead],
    param_aheads: &'a [Ahead],
    edge_index: &'a [u32],
    clobber_list: &'a [(u32, RegUnits)],
    cx: &'a mut Buffers,
    /// `out.allocs`.
    allocs: &'a mut [Allocation],
    /// `out.operand_starts`.
    starts: &'a mut [u32],
    /// `out.used_regs`.
    used_regs: RegUnits,
    out: &'a mut Output,
    /// What makes an instruction take the general path.
    slow: Shape,
    /// Units that belong to a bound virtual register.
    occupied: RegUnits,
    /// Where edits go at present.
    point: ProgPoint,
    /// Nothing is live after this block.
    exits: bool,
    /// Next uses below this are needed.
    live_end: u32,
    /// Index in the list of clobbering instructions of the next one, its number and its units.
    clobbers: usize,
    next_clobber: u32,
    clobber_units: RegUnits,
    /// Edge arguments and parameters met so far.
    args: usize,
    params: usize,
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
    let (tables, scan, cx) = (&scratch.tables, &mut scratch.scan, &mut scratch.buffers);
    scan.compute(func, file)?;
    let refs = references(func, &scan.refs);
    let mut allocs = core::mem::take(&mut out.allocs);
    allocs.resize(refs.aheads.operands.len(), Allocation::NONE);
    let mut starts = core::mem::take(&mut out.operand_starts);
    starts.resize(func.num_insts() + 1, 0);
    let slow = match options.mode {
        Mode::MinimalReference => Shape::ANY,
        _ => Shape::GENERAL,
    };
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
        vregs: &mut scan.vregs,
        shapes: &refs.shapes,
        aheads: &refs.aheads.operands,
        arg_aheads: &refs.aheads.args,
        param_aheads: &refs.aheads.params,
        edge_index: &scan.edge_index,
        clobber_list: &refs.clobbers,
        cx,
        allocs: &mut allocs,
        starts: &mut starts,
        used_regs: RegUnits::EMPTY,
        out,
        slow,
        occupied: RegUnits::EMPTY,
        point: ProgPoint::before(Inst::from_u32(0)),
        exits: false,
        live_end: LIVE_OUT,
        clobbers: 0,
        next_clobber: NONE,
        clobber_units: RegUnits::EMPTY,
        args: 0,
        params: 0,
        pins: Pins::default(),
    };
    allocator.set_clobber(0);
    let result = (0..func.num_blocks() as u32).try_for_each(|b| allocator.block(Block::from_u32(b)));
    out.used_regs = allocator.used_regs;
    out.stats.cross_block_vregs = scan.crossing;
    (out.allocs, out.operand_starts) = (allocs, starts);
    result
}

impl<F: Function> Allocator<'_, F> {
    /// Allocates one block. Not inlined, so that its values have the registers.
    #[inline(never)]
    fn block(&mut self, block: Block) -> Result<(), Error> {
        let (func, shapes) = (self.func, self.shapes);
        let range = func.block_insts(block);
        let mut base = self.starts[range.start.as_u32() as usize] as usize;
        self.exits = func.block_succs(block).is_empty();
        self.live_end = if self.exits { LIVE_OUT } else { DEAD };
        self.point = ProgPoint::before(range.start);
        self.enter_block(block)?;
        let mut inside = true;
        let (start, end) = (range.start.as_u32(), range.end.as_u32());
        for (i, &shape) in (start..end).zip(&shapes[start as usize..end as usize]) {
            let inst = Inst::from_u32(i);
            let ops = func.operands(inst);
            let (at, copies) = (base, shape.has(Shape::COPY));
            base += ops.len();
            self.starts[i as usize + 1] = base as u32;
            if shape.has(Shape::TERMINATOR) && inside {
                inside = false;
                self.point = ProgPoint::before(inst);
                self.leave_block(block, i)?;
            }
            if shape.has(self.slow) {
                self.point = ProgPoint::before(inst);
                if shape.has(Shape::CLOBBERS) {
                    self.set_clobber(self.clobbers + 1);
                }
                self.general(Work { inst, ops, base: at, copies })?;
            } else if !ops.is_empty() {
                self.point = ProgPoint::before(inst);
                if !self.plain(inst, ops, at, copies) {
                    self.general(Work { inst, ops, base: at, copies })?;
                }
            }
        }
        self.end_block();
        Ok(())
    }

    /// Makes entry `index` of the list the next clobbering instruction.
    fn set_clobber(&mut self, index: usize) {
        self.clobbers = index;
        let next = self.clobber_list.get(index);
        (self.next_clobber, self.clobber_units) = next.map_or((NONE, RegUnits::EMPTY), |&next| next);
    }

    /// Forgets all registers.
    fn end_block(&mut self) {
        let mut rest = self.occupied;
        while let Some(v) = self.take_owner(&mut rest) {
            self.vregs[v as usize].reg = NO_REG;
        }
        self.occupied = RegUnits::EMPTY;
        while let Some((v, home)) = self.cx.moved_homes.pop() {
            let state = &mut self.vregs[v as usize];
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

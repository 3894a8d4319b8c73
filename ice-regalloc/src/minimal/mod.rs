//! The minimal mode: block-local allocation in one forward pass over each block.
//!
//! Problem, method, invariants and cost are said at [`Mode::Minimal`](crate::Mode::Minimal). Beside these, `owner` and
//! `reg` agree between two instructions, for units that are occupied and for those that are remembered: the first belong
//! to a value, the second are free and only still hold one, whose slot holds it too. A use of it takes the register back
//! (`recall`); whatever writes the register makes it forgotten (`overwrite`).
//!
//! Files: `state` binds registers and evicts; `plain` finds places for the usual instruction, `fixed` for
//! the usual call and return, and `inst` for any; `made` has values that are made again in place of a reload; `edges` does
//! block borders; `regions` finds values that loops keep in registers, and `resident` gives them those; `tables` holds the
//! register file; this file drives.
//!
//! The parts that are called most state what was measured.

mod edges;
mod fixed;
mod inst;
mod made;
mod nests;
mod plain;
mod regions;
mod resident;
mod state;

use self::inst::Work;
use self::regions::{Input, Regions};
use crate::context::{Mode, Options, SlotSharing, reset};
use crate::error::Error;
use crate::function::Function;
use crate::memory::refill;
use crate::moves::MoveSolver;
use crate::operand::{Block, Inst, Operand, Slot};
use crate::output::{Allocation, Output, ProgPoint};
use crate::registers::{RegUnits, RegisterFile};
use crate::rows::{Row, Shape};
use crate::scan::{Ahead, DEAD, LIVE_OUT, NONE, Scan, VRegState};
use crate::tables::Tables;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::Cell;

/// Freed slots of one size and alignment.
#[derive(Clone, Debug)]
struct FreeSlots {
    size: u32,
    align: u32,
    slots: Vec<Slot>,
}

/// Memory that is kept from function to function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<'f> {
    pub(crate) tables: Box<Tables<'f>>,
    scan: Scan,
    regions: Regions,
    buffers: Buffers,
}

const UNITS: usize = RegUnits::CAPACITY;

/// One number a unit; an array, so that an index modulo its length needs no check.
#[derive(Clone, Debug)]
struct Owners([u32; UNITS]);

impl Default for Owners {
    fn default() -> Owners {
        Owners([NONE; UNITS])
    }
}

impl Owners {
    /// Writes `v` down for each of `units`, which are not none.
    #[inline(always)]
    fn set(&mut self, units: RegUnits, v: u32) {
        self.0[units.first() % UNITS] = v;
        let mut rest = units.rest();
        while !rest.is_empty() {
            self.0[rest.first() % UNITS] = v;
            rest = rest.rest();
        }
    }
}

/// Lists of one function, kept for their memory.
#[derive(Clone, Debug, Default)]
struct Buffers {
    /// Number of the virtual register that an occupied unit belongs to.
    owner: Owners,
    free_slots: Vec<FreeSlots>,
    /// Slots to free when the present instruction is done.
    dying_slots: Vec<Slot>,
    solver: MoveSolver,
    /// Home slots of parameters that a terminator still reads after the edge moves.
    moved_homes: Vec<(u32, Allocation)>,
    /// Registers saved around one slot to slot copy.
    saved: Vec<(u32, Slot)>,
    /// Order of constrained operands in the careful attempt, behind the number of registers that each may have.
    by_class: Vec<u64>,
}

impl Buffers {
    /// Empties what an error may have left.
    fn clear(&mut self) {
        self.free_slots.iter_mut().for_each(|f| f.slots.clear());
        self.dying_slots.clear();
        self.moved_homes.clear();
        self.saved.clear();
        self.solver.clear();
    }
}

/// The allocator at work on one function.
struct Allocator<'a> {
    func: &'a Function,
    file: &'a RegisterFile<'a>,
    options: Options,
    tables: &'a Tables<'a>,
    /// The operands of all instructions, and what is known of each instruction, one before the first.
    operands: &'a [Operand],
    rows: &'a [Row],
    /// Results of the scan, as slices: a field of a borrowed struct is loaded again after every store.
    vregs: &'a mut [VRegState],
    aheads: &'a [Ahead],
    arg_aheads: &'a [Ahead],
    param_aheads: &'a [Ahead],
    edge_index: &'a [u32],
    clobber_list: &'a [(u32, RegUnits)],
    cx: &'a mut Buffers,
    regions: &'a mut Regions,
    /// The region that the present block is in, or the next one.
    region: usize,
    inside: bool,
    /// Of the region that the present block is in, the last block, else no number of one.
    region_end: u32,
    /// From this block on, a block may begin a region or get what leaves one. No number of a block in a region.
    watch: u32,
    /// The last block that gets what leaves a region before the present block, or 0.
    last_receiver: u32,
    /// Units of residents: nothing else is put there. They are occupied in their region.
    reserved: RegUnits,
    /// `out.allocs`.
    allocs: &'a [Cell<Allocation>],
    /// `out.used_regs`.
    used_regs: RegUnits,
    out: &'a mut Output,
    /// What makes an instruction take the general path.
    slow: Shape,
    /// Units that belong to a bound virtual register, or are reserved in the present region.
    occupied: RegUnits,
    /// Units that nothing owns, and that still hold what the home slot of their last owner holds: it counts as being
    /// there as long as nothing else is written to them.
    remembered: RegUnits,
    /// The register file's.
    callee_saved: RegUnits,
    /// Control goes to the next block from this one only, so that what is remembered here holds there.
    continues: bool,
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
#[derive(Clone, Copy)]
struct Pins {
    /// Wanted by fixed operands at the start and at the end of the instruction.
    fixed_early: RegUnits,
    fixed_late: RegUnits,
    /// Given to operands at the start and at the end.
    early: RegUnits,
    late: RegUnits,
    clobbers: RegUnits,
}

impl Pins {
    const NONE: Pins = Pins {
        fixed_early: RegUnits::EMPTY,
        fixed_late: RegUnits::EMPTY,
        early: RegUnits::EMPTY,
        late: RegUnits::EMPTY,
        clobbers: RegUnits::EMPTY,
    };
}

/// Allocates in minimal mode. The output is empty before.
pub(crate) fn allocate<'f>(
    func: &Function,
    file: &RegisterFile<'f>,
    options: &Options,
    scratch: &mut Scratch<'f>,
    out: &mut Output,
) -> Result<(), Error> {
    scratch.tables.set(file);
    scratch.scan.compute(func, Mode::Minimal)?;
    scratch.regions.clear();
    // Where control comes back to a call that has returned, registers have what they had at the call.
    if options.slots == SlotSharing::Shared {
        let Scratch { tables, scan, regions, .. } = scratch;
        let Scan { vregs, edge_index, .. } = scan;
        regions.compute(Input { func, file, tables, vregs, edge_index });
    }
    match allocate_blocks(func, file, options, scratch, out) {
        // Without the registers of residents there may be too few.
        Err(Error::Unsatisfiable { .. } | Error::NoScratch { .. }) if !scratch.regions.list.is_empty() => {
            reset(out);
            scratch.scan.compute(func, Mode::Minimal)?;
            scratch.regions.clear();
            allocate_blocks(func, file, options, scratch, out)
        }
        result => result,
    }
}

/// Allocates one block after another. Known already: the tables, what is to come of each value, and the regions.
fn allocate_blocks<'f>(
    func: &Function,
    file: &RegisterFile<'f>,
    options: &Options,
    scratch: &mut Scratch<'f>,
    out: &mut Output,
) -> Result<(), Error> {
    let Scratch { tables, scan, regions, buffers: cx } = scratch;
    let refs = &func.references;
    let operands = func.all_operands();
    let mut allocs = core::mem::take(&mut out.allocs);
    refill(&mut allocs, operands.len(), Allocation::NONE);
    cx.clear();
    let mut allocator = Allocator {
        func,
        file,
        options: *options,
        tables,
        operands,
        vregs: &mut scan.vregs,
        rows: refs.rows.all(),
        aheads: &refs.aheads.operands,
        arg_aheads: &refs.aheads.args,
        param_aheads: &refs.aheads.params,
        edge_index: &scan.edge_index,
        clobber_list: &refs.clobbers,
        cx,
        region: 0,
        inside: false,
        region_end: NONE,
        watch: regions.list.first().map_or(NONE, |region| region.first),
        last_receiver: 0,
        regions,
        reserved: RegUnits::EMPTY,
        allocs: Cell::from_mut(&mut *allocs).as_slice_of_cells(),
        used_regs: RegUnits::EMPTY,
        out,
        slow: if options.mode.is_reference() { Shape::ANY } else { Shape::GENERAL },
        occupied: RegUnits::EMPTY,
        remembered: RegUnits::EMPTY,
        callee_saved: file.callee_saved,
        continues: false,
        point: ProgPoint::before(Inst::from_u32(0)),
        exits: false,
        live_end: LIVE_OUT,
        clobbers: 0,
        next_clobber: NONE,
        clobber_units: RegUnits::EMPTY,
        args: 0,
        params: 0,
        pins: Pins::NONE,
    };
    allocator.set_clobber(0);
    let result = (0..func.num_blocks() as u32).try_for_each(|b| allocator.block(Block::from_u32(b)));
    out.used_regs = allocator.used_regs;
    out.stats.cross_block_vregs = scan.crossing;
    out.allocs = allocs;
    result
}

impl<'a> Allocator<'a> {
    /// Allocates one block. Not inlined, so that its values have the registers.
    #[inline(never)]
    fn block(&mut self, block: Block) -> Result<(), Error> {
        let func = self.func;
        let insts = func.block_insts(block);
        let (start, end) = (insts.start.as_u32(), insts.end.as_u32());
        let (succs, params) = (func.block_succs(block), func.block_params(block));
        self.exits = succs.is_empty();
        self.live_end = if self.exits { LIVE_OUT } else { DEAD };
        self.continues = self.is_continued(block);
        if block.as_u32() >= self.watch {
            self.point = ProgPoint::before(insts.start);
            self.begin_block(block);
        }
        if !params.is_empty() {
            self.point = ProgPoint::before(insts.start);
            self.enter_block(block, params)?;
        }
        let rows = &self.rows[start as usize..end as usize + 1];
        let mut base = rows[0].end as usize;
        // Next uses from here on are not by instructions, but by edges and other blocks.
        let border = if self.reads(end - 1) { LIVE_OUT } else { end - 1 };
        let mut stop = self.slow.or(Shape::TERMINATOR).or(Shape::REMADE);
        for (i, &Row { end: next, shape }) in (start..).zip(&rows[1..]) {
            let (inst, from, copies) = (Inst::from_u32(i), base, shape.has(Shape::COPY));
            base = next as usize;
            self.point = ProgPoint::before(inst);
            if shape.has(stop) {
                if shape.has(Shape::TERMINATOR) && stop.has(Shape::TERMINATOR) {
                    stop = self.slow;
                    self.leave_block(block, succs, inst)?;
                }
                if let Some(remat) = shape.remat()
                    && self.is_used_elsewhere(from, border)
                    && self.make(inst, from, border, remat)
                {
                    continue;
                }
                if shape.has(self.slow) {
                    let mut clobbers = RegUnits::EMPTY;
                    if shape.has(Shape::CLOBBERS) {
                        clobbers = self.clobber_units;
                        self.set_clobber(self.clobbers + 1);
                    }
                    if self.slow == Shape::ANY || !self.fixed(inst, from, base, clobbers) {
                        self.general(self.work(inst, from, base, copies), clobbers)?;
                    }
                    self.overwrite(clobbers);
                    continue;
                }
            }
            if from < base && !self.plain(inst, from, base, copies) {
                self.general(self.work(inst, from, base, copies), RegUnits::EMPTY)?;
            }
        }
        self.end_block();
        if block.as_u32() == self.region_end {
            self.leave_region();
        }
        Ok(())
    }

    /// Whether instruction `i` has operands.
    #[inline(always)]
    fn reads(&self, i: u32) -> bool {
        self.rows[i as usize].end < self.rows[i as usize + 1].end
    }

    /// The instruction with the operands `from..to`.
    #[inline(always)]
    fn work(&self, inst: Inst, from: usize, to: usize, copies: bool) -> Work<'a> {
        let (ops, aheads) = (&self.operands[from..to], &self.aheads[from..to]);
        Work { inst, ops, aheads, places: &self.allocs[from..to], copies }
    }

    /// Makes entry `index` of the list the next clobbering instruction.
    fn set_clobber(&mut self, index: usize) {
        self.clobbers = index;
        let next = self.clobber_list.get(index);
        (self.next_clobber, self.clobber_units) =
            next.map_or((NONE, RegUnits::EMPTY), |&(i, units)| (i, units));
    }

    /// Whether the next block in order has `block` as its only predecessor, and no parameters.
    fn is_continued(&self, block: Block) -> bool {
        let next = Block::from_u32(block.as_u32() + 1);
        self.func.block_preds(next) == [block] && self.func.block_params(next).is_empty()
    }

    /// Frees all registers, and forgets what they hold unless the next block may remember it.
    fn end_block(&mut self) {
        let mut rest = self.occupied.difference(self.reserved);
        while let Some(v) = self.take_owner(&mut rest) {
            self.leave_register(v);
        }
        if !self.continues {
            self.overwrite(self.remembered);
        }
        while let Some((v, home)) = self.cx.moved_homes.pop() {
            let state = &mut self.vregs[v as usize];
            let temporary = core::mem::replace(&mut state.home, home);
            self.cx.dying_slots.extend(temporary.as_slot());
        }
        self.free_dying_slots();
    }

    /// Whether a value with this next use is needed.
    fn is_live(&self, next: u32) -> bool {
        next < self.live_end
    }
}

//! The state of every virtual register before the allocation.
//!
//! Next uses and which values cross block borders are in the function's [`References`](crate::references::References).
//!
//! Cost: a few machine instructions for each virtual register and block parameter.

use crate::context::Mode;
use crate::error::Error;
use crate::function::Function;
use crate::memory::{refill, refill_from};
use crate::operand::{Block, Inst, VReg};
use crate::output::Allocation;
pub(crate) use crate::references::{Ahead, CROSS, DEAD, LIVE_OUT, NO_REG, NONE, SEVERAL};
use crate::references::{Aheads, Thread};
use alloc::vec::Vec;

/// `def_inst`: this bit and a block number mark the parameters of that block.
pub(crate) const PARAM_MARK: u32 = 1 << 31;

/// An entry of [`Scan::edge_index`]: see there.
pub(crate) const REGION_MARK: u32 = 1 << 31;

/// What the allocator knows about one virtual register. The alignment makes it 32 bytes, so that
/// indexing is a shift.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct VRegState {
    /// Instruction of the next use of the current value, or `LIVE_OUT` or `DEAD`.
    pub next: u32,
    /// Last instruction of the block that uses the value.
    pub last: u32,
    /// The home, once it has one: a slot, or the instruction that makes the value again; in a loop that keeps it in a
    /// register, that.
    pub home: Allocation,
    /// The last instruction looked at that defines the register.
    pub def_inst: u32,
    /// Uses in the present instruction that have no place yet.
    pub pending: u32,
    /// The register that holds the current value.
    pub reg: u8,
    /// A register that a near instruction wants the value in.
    pub hint: u8,
    /// The register class.
    pub class: u8,
    /// `CROSS | VALID | MADE | SEVERAL`.
    pub flags: u8,
}

/// The home holds the current value.
pub(crate) const VALID: u8 = 2;
/// The home is the instruction that makes the value again.
pub(crate) const MADE: u8 = 4;

impl VRegState {
    /// A register before the first block.
    fn new(thread: &Thread) -> VRegState {
        let facts = thread.facts();
        // What crosses is in its home at first.
        let valid = (facts & CROSS) * VALID;
        VRegState {
            next: LIVE_OUT,
            last: 0,
            home: Allocation::NONE,
            def_inst: NONE,
            pending: 0,
            reg: NO_REG,
            hint: NO_REG,
            class: thread.class.0,
            flags: facts | valid,
        }
    }

    #[inline]
    pub fn is_cross(&self) -> bool {
        self.flags & CROSS != 0
    }

    /// Takes over what was recorded for the present place.
    #[inline]
    pub fn advance(&mut self, ahead: Ahead) {
        self.next = self.next_of(ahead);
        if ahead.last != 0 {
            self.last = ahead.last;
        }
        if ahead.hint != NO_REG {
            self.hint = ahead.hint;
        }
    }

    /// The next use that was recorded.
    #[inline]
    pub fn next_of(&self, ahead: Ahead) -> u32 {
        if ahead.next == LIVE_OUT && !self.is_cross() { DEAD } else { ahead.next }
    }

    /// Whether its home has its value.
    #[inline]
    pub fn is_valid(&self) -> bool {
        self.flags & (VALID | MADE) != 0
    }
}

/// Results of the pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// The state of every virtual register, in the minimal mode.
    pub vregs: Vec<VRegState>,
    /// A copy of what the function has, for the full mode, which completes it.
    pub aheads: Aheads,
    /// Number of crossing virtual registers.
    pub crossing: u32,
    /// For a block whose parameters are set at its start: which successor it is. For others 0, but in the minimal mode
    /// [`REGION_MARK`] with the number of a region, for the first block of one.
    pub edge_index: Vec<u32>,
}

/// Whether the parameters of `block` are set at its own start, not at the end of predecessors.
pub(crate) fn params_at_start(func: &Function, block: Block) -> bool {
    let preds = func.block_preds(block);
    preds.len() == 1 && func.block_succs(preds[0]).len() > 1
}

impl Scan {
    /// Fills the lists for an allocation of `func` in `mode`.
    pub fn compute(&mut self, func: &Function, mode: Mode) -> Result<(), Error> {
        let (num_blocks, entry) = (func.num_blocks(), func.entry());
        if func.num_insts().max(num_blocks) >= PARAM_MARK as usize || func.num_vregs() >= NONE as usize {
            return Err(Error::TooLarge);
        }
        if num_blocks == 0 || !func.block_params(entry).is_empty() {
            return Err(Error::BadEntry { block: entry });
        }
        let refs = &func.references;
        if !refs.fits() {
            return Err(Error::TooLarge);
        }
        let (mut crossing, mut undefined) = (0, false);
        let states = refs.threads.iter().map(|thread| {
            crossing += u32::from(thread.crosses());
            undefined |= thread.is_undefined();
            VRegState::new(thread)
        });
        match mode {
            Mode::Linear => states.for_each(drop),
            _ => refill_from(&mut self.vregs, states),
        }
        if undefined {
            let v = refs.threads.iter().position(Thread::is_undefined).unwrap_or(0);
            return Err(locate_undefined(func, VReg::from_u32(v as u32)));
        }
        self.crossing = crossing;
        refill(&mut self.edge_index, num_blocks, 0);
        let with_params = if refs.aheads.params.is_empty() { 0 } else { num_blocks as u32 };
        (0..with_params).for_each(|b| self.params(func, Block::from_u32(b)));
        Ok(())
    }

    /// Notes where the parameters of `block` are set.
    fn params(&mut self, func: &Function, block: Block) {
        if !func.block_params(block).is_empty() && params_at_start(func, block) {
            let succs = func.block_succs(func.block_preds(block)[0]);
            let index = succs.iter().position(|&succ| succ == block);
            self.edge_index[block.as_u32() as usize] = index.unwrap_or(0) as u32;
        }
    }
}

/// Finds the first use of an undefined register, for the error message.
fn locate_undefined(func: &Function, vreg: VReg) -> Error {
    for b in 0..func.num_blocks() as u32 {
        let block = Block::from_u32(b);
        let range = func.block_insts(block);
        for i in range.start.as_u32()..range.end.as_u32() {
            let inst = Inst::from_u32(i);
            if func.operands(inst).iter().any(|op| op.vreg() == vreg) {
                let inst = Some(inst);
                return Error::UndefinedVReg { block, inst, vreg };
            }
        }
        let edges = func.block_succs(block).len();
        if (0..edges).any(|e| func.edge_args(block, e).contains(&vreg)) {
            let inst = None;
            return Error::UndefinedVReg { block, inst, vreg };
        }
    }
    Error::BadEntry { block: func.entry() }
}

//! Validation of the input, and the state of every virtual register before the allocation.
//!
//! Next uses and which values cross block borders are in [`References`]. A client that has kept these while
//! it wrote its function gives them; for any other this pass walks over the function and checks its shape.
//! Debug builds do both and compare.
//!
//! Cost: a few machine instructions for each virtual register and block parameter; about 200 for each
//! instruction where the function is walked.

use crate::error::Error;
use crate::function::Function;
use crate::operand::{Block, Constraint, Inst, Operand, VReg};
pub(crate) use crate::references::{Ahead, DEAD, LIVE_OUT, NO_REG, NONE, Shape};
use crate::references::{Leaving, References, Thread};
use crate::registers::RegisterFile;
use alloc::vec::Vec;

/// `def_inst`: this bit and a block number mark the parameters of that block.
pub(crate) const PARAM_MARK: u32 = 1 << 31;

/// What the allocator knows about one virtual register. The alignment makes it 32 bytes, so that
/// indexing is a shift.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct VRegState {
    /// Instruction of the next use of the current value, or `LIVE_OUT` or `DEAD`.
    pub next: u32,
    /// Last instruction of the block that uses the value.
    pub last: u32,
    /// The home slot.
    pub slot: u32,
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
    /// `CROSS | VALID`.
    pub flags: u8,
}

/// The register is referenced in several blocks, or live around a back edge.
pub(crate) const CROSS: u8 = 1;
/// The home slot holds the current value.
pub(crate) const VALID: u8 = 2;

impl VRegState {
    /// A register before the first block.
    fn new(thread: &Thread) -> VRegState {
        let flags = if thread.crosses() { CROSS | VALID } else { 0 };
        VRegState {
            next: LIVE_OUT,
            last: 0,
            slot: NONE,
            def_inst: NONE,
            pending: 0,
            reg: NO_REG,
            hint: NO_REG,
            class: thread.class.0,
            flags,
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

    #[inline]
    pub fn is_valid(&self) -> bool {
        self.flags & VALID != 0
    }
}

/// Results of the pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    pub vregs: Vec<VRegState>,
    /// What the walk has found, or a copy of what the function has kept: see [`references`].
    pub refs: References,
    /// Number of crossing virtual registers.
    pub crossing: u32,
    /// For a block whose parameters are set at its start: which successor it is.
    pub edge_index: Vec<u32>,
    incoming: Vec<u32>,
}

/// Whether the parameters of `block` are set at its own start, not at the end of predecessors.
pub(crate) fn params_at_start<F: Function>(func: &F, block: Block) -> bool {
    let preds = func.block_preds(block);
    preds.len() == 1
        && (preds[0].as_u32() as usize) < func.num_blocks()
        && func.block_succs(preds[0]).len() > 1
}

/// The references of `func`: those that it has kept, if they are ready for use, or else those of the scan.
pub(crate) fn references<'a, F: Function>(func: &'a F, scanned: &'a References) -> &'a References {
    func.references().filter(|known| known.is_finished()).unwrap_or(scanned)
}

impl Scan {
    /// Checks the shape of `func` and fills the lists.
    pub fn compute<F: Function>(&mut self, func: &F, file: &RegisterFile) -> Result<(), Error> {
        let num_blocks = func.num_blocks();
        let num_vregs = func.num_vregs();
        if func.num_insts().max(num_blocks) >= PARAM_MARK as usize || num_vregs >= NONE as usize {
            return Err(Error::TooLarge);
        }
        let entry = func.entry();
        if entry.as_u32() as usize >= num_blocks || !func.block_params(entry).is_empty() {
            return Err(Error::BadEntry { block: entry });
        }
        let known = func.references();
        if known.is_none() || cfg!(debug_assertions) {
            self.walk(func, file)?;
        }
        if let Some(known) = known {
            debug_assert!(known.is_same(&self.refs), "the references are those of another function");
        }
        let refs = known.unwrap_or(&self.refs);
        if !refs.fits() {
            return Err(Error::TooLarge);
        }
        let threads = &refs.threads;
        let (mut crossing, mut undefined) = (0, false);
        self.vregs.clear();
        self.vregs.reserve_exact(threads.len());
        self.vregs.extend(threads.iter().map(|thread| {
            crossing += u32::from(thread.crosses());
            undefined |= thread.is_undefined();
            VRegState::new(thread)
        }));
        if undefined {
            let v = threads.iter().position(Thread::is_undefined).unwrap_or(0);
            return Err(locate_undefined(func, VReg::from_u32(v as u32)));
        }
        self.edge_index.clear();
        self.edge_index.resize(num_blocks, 0);
        let with_params = if refs.aheads.params.is_empty() { 0 } else { num_blocks as u32 };
        for b in 0..with_params {
            let block = Block::from_u32(b);
            let params = func.block_params(block);
            if params.is_empty() {
                continue;
            }
            if params_at_start(func, block) {
                let succs = func.block_succs(func.block_preds(block)[0]);
                let index = succs.iter().position(|&succ| succ == block);
                self.edge_index[b as usize] = index.unwrap_or(0) as u32;
            } else {
                for param in params {
                    let state = &mut self.vregs[param.index()];
                    crossing += u32::from(!state.is_cross());
                    state.flags |= CROSS | VALID;
                }
            }
        }
        self.crossing = crossing;
        match known {
            Some(known) if !known.is_finished() => self.copy_references(func),
            _ => self.refs.finish(),
        }
        Ok(())
    }

    /// Makes `refs` the references of `func` where it has kept them itself, for a client that changes them.
    pub fn copy_references<F: Function>(&mut self, func: &F) {
        if let Some(known) = func.references() {
            self.refs.copy_from(known);
            self.refs.finish();
        }
    }

    /// Checks the shape of `func` and collects its references.
    fn walk<F: Function>(&mut self, func: &F, file: &RegisterFile) -> Result<(), Error> {
        let (num_blocks, num_insts) = (func.num_blocks(), func.num_insts());
        self.refs.clear();
        for v in 0..func.num_vregs() as u32 {
            self.refs.vreg(func.vreg_class(VReg::from_u32(v)));
        }
        self.incoming.clear();
        self.incoming.resize(num_blocks, 0);
        let mut expected = 0;
        for b in 0..num_blocks as u32 {
            let block = Block::from_u32(b);
            let range = func.block_insts(block);
            let (start, end) = (range.start.as_u32(), range.end.as_u32());
            if start != expected || end <= start || end as usize > num_insts {
                return Err(Error::BadBlockRange { block });
            }
            expected = end;
            self.block(func, file, block, start, end)?;
        }
        if expected as usize != num_insts {
            return Err(Error::BadBlockRange { block: Block::from_u32(num_blocks as u32 - 1) });
        }
        for (b, &incoming) in self.incoming.iter().enumerate() {
            let block = Block::from_u32(b as u32);
            if incoming as usize != func.block_preds(block).len() {
                return Err(Error::BadEdge { block });
            }
        }
        Ok(())
    }

    /// Looks at one block.
    fn block<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        block: Block,
        start: u32,
        end: u32,
    ) -> Result<(), Error> {
        for &vreg in func.block_params(block) {
            if !self.is_vreg(file, vreg) {
                return Err(Error::BadVReg { block, vreg });
            }
            if self.refs.is_met(vreg) {
                return Err(Error::DuplicateParam { block, vreg });
            }
            self.refs.param(vreg);
        }
        let mut has_left = false;
        for i in start..end {
            let inst = Inst::from_u32(i);
            let ops = func.operands(inst);
            if func.is_terminator(inst) {
                if !has_left {
                    has_left = true;
                    self.edges(func, file, block)?;
                }
                if let Some(operand) = ops.iter().position(|op| op.is_def()) {
                    return Err(Error::TerminatorDefines { inst, operand });
                }
            } else if has_left || i + 1 == end {
                return Err(Error::BadTerminator { block, inst });
            }
            if let Some(operand) = ops.iter().position(|op| !self.is_operand(file, *op)) {
                return Err(Error::BadOperand { inst, operand });
            }
            self.refs.inst(ops);
            if has_left {
                self.refs.leave(ops);
            }
            if let Some((from, to)) = func.is_move(inst) {
                self.refs.copy(from, to);
            }
            self.refs.clobber(func.clobbers(inst));
            if self.refs.duplicate {
                let again = |k: usize| ops[..k].iter().any(|op| op.is_def() && op.vreg() == ops[k].vreg());
                let operand = (0..ops.len()).find(|&k| ops[k].is_def() && again(k)).unwrap_or(0);
                return Err(Error::DuplicateDef { inst, operand });
            }
        }
        self.refs.end_block();
        Ok(())
    }

    fn is_vreg(&self, file: &RegisterFile, vreg: VReg) -> bool {
        let thread = self.refs.threads.get(vreg.index());
        thread.is_some_and(|thread| thread.class.index() < file.classes.len())
    }

    fn is_operand(&self, file: &RegisterFile, op: Operand) -> bool {
        let fixed = match op.constraint() {
            Constraint::Fixed(reg) => reg.index() < file.regs.len(),
            _ => true,
        };
        fixed && op.class().index() < file.classes.len() && self.is_vreg(file, op.vreg())
    }

    /// Checks the edges that leave `block`.
    fn edges<F: Function>(&mut self, func: &F, file: &RegisterFile, block: Block) -> Result<(), Error> {
        let succs = func.block_succs(block);
        let leaving = if succs.len() > 1 { Leaving::WithOthers } else { Leaving::Alone };
        for (succ_index, &succ) in succs.iter().enumerate() {
            let Some(incoming) = self.incoming.get_mut(succ.as_u32() as usize) else {
                return Err(Error::BadEdge { block });
            };
            *incoming += 1;
            let args = func.edge_args(block, succ_index);
            if args.len() != func.block_params(succ).len() {
                return Err(Error::BadEdgeArgs { block, succ_index });
            }
            if leaving == Leaving::WithOthers && !args.is_empty() {
                match func.block_preds(succ) {
                    &[pred] if pred == block => {}
                    [_] => return Err(Error::BadEdge { block: succ }),
                    _ => return Err(Error::CriticalEdge { block, succ_index }),
                }
            }
            if let Some(&vreg) = args.iter().find(|&&vreg| !self.is_vreg(file, vreg)) {
                return Err(Error::BadVReg { block, vreg });
            }
            self.refs.edge(args, leaving);
        }
        Ok(())
    }
}

/// Finds the first use of an undefined register, for the error message.
fn locate_undefined<F: Function>(func: &F, vreg: VReg) -> Error {
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

//! Validation and classification of the input, and next-use distances of one block.
//!
//! Method: one pass over all operands finds what is wrong with the input and which virtual
//! registers are referenced in one block only. The others *cross* block borders. A value that is
//! used in a block before any definition there crosses as well (it comes around a back edge).
//! Then, block by block, a backward pass notes for every operand where its value is used next.
//!
//! Data: one [`VRegState`] for each virtual register and one byte of facts, [`Shape`], for each
//! instruction, so that later passes ask the client only about what is there. The `next` field is the running result of
//! the backward pass; the forward pass sets it to the recorded value at each operand and so
//! brings it back to its initial value, so nothing has to be reset between blocks.
//!
//! Cost: two visits to each operand.

use crate::error::Error;
use crate::function::Function;
use crate::operand::{Block, Constraint, Inst, Operand, VReg};
use crate::registers::{RegUnits, RegisterFile};
use alloc::vec::Vec;

/// `next`: the value is not used again.
pub(crate) const DEAD: u32 = u32::MAX;
/// `next`: the value is not used again in this block but may be after it.
pub(crate) const LIVE_OUT: u32 = u32::MAX - 1;
/// `block`, `slot`, `def_inst`: none. `last` while classifying: defined at the block's start.
pub(crate) const NONE: u32 = u32::MAX;
/// `reg`, `hint`: no register.
pub(crate) const NO_REG: u8 = u8::MAX;
/// `def_inst`: this bit and a block number mark the parameters of that block.
pub(crate) const PARAM_MARK: u32 = 1 << 31;

/// What the allocator knows about one virtual register. The alignment makes it 32 bytes, so that
/// indexing is a shift.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct VRegState {
    /// Instruction of the next use of the current value, or `LIVE_OUT` or `DEAD`.
    pub next: u32,
    /// Last instruction of this block that uses the value.
    pub last: u32,
    /// The home slot.
    pub slot: u32,
    /// The last instruction looked at that defines the register. Numbers left by the pass before
    /// do no harm: they are those of the last definition.
    pub def_inst: u32,
    /// Uses in the present instruction that have no place yet.
    pub pending: u32,
    /// The block of the first reference.
    pub block: u32,
    /// The register that holds the current value.
    pub reg: u8,
    /// A register that a near instruction wants the value in.
    pub hint: u8,
    /// The register class.
    pub class: u8,
    /// `CROSS | VALID | DEFINED | USED`.
    pub flags: u8,
}

/// The register is referenced in several blocks, or live around a back edge.
pub(crate) const CROSS: u8 = 1;
/// The home slot holds the current value.
pub(crate) const VALID: u8 = 2;
const DEFINED: u8 = 4;
const USED: u8 = 8;

impl VRegState {
    const NEW: VRegState = VRegState {
        next: DEAD,
        last: 0,
        slot: NONE,
        def_inst: NONE,
        pending: 0,
        block: NONE,
        reg: NO_REG,
        hint: NO_REG,
        class: 0,
        flags: 0,
    };

    pub fn is_cross(&self) -> bool {
        self.flags & CROSS != 0
    }

    pub fn is_valid(&self) -> bool {
        self.flags & VALID != 0
    }
}

/// Facts about one instruction: a set of the constants below.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Shape(u8);

impl Shape {
    pub const TERMINATOR: Shape = Shape(1);
    pub const CLOBBERS: Shape = Shape(2);
    /// `Function::is_move` has an answer.
    pub const COPY: Shape = Shape(4);
    /// An operand is not plain, or there are several definitions, or clobbers.
    pub const GENERAL: Shape = Shape(8);

    #[inline]
    pub fn has(self, fact: Shape) -> bool {
        self.0 & fact.0 != 0
    }

    #[inline]
    fn add(&mut self, fact: Shape) {
        self.0 |= fact.0;
    }
}

/// Results of the two passes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    pub vregs: Vec<VRegState>,
    pub shapes: Vec<Shape>,
    /// Number of crossing virtual registers.
    pub crossing: u32,
    /// For a block whose parameters are set at its start: which successor it is.
    pub edge_index: Vec<u32>,
    incoming: Vec<u32>,
    /// For each operand of the block: `next` after the instruction.
    pub next_of: Vec<u32>,
    /// For each argument of the edge at the block's end: `next` after the edge moves.
    pub arg_next: Vec<u32>,
    /// Clobbering instructions of the block, last one first.
    pub clobbers: Vec<(u32, RegUnits)>,
}

/// Whether the parameters of `block` are set at its own start, not at the end of predecessors.
pub(crate) fn params_at_start<F: Function>(func: &F, block: Block) -> bool {
    let preds = func.block_preds(block);
    preds.len() == 1
        && (preds[0].as_u32() as usize) < func.num_blocks()
        && func.block_succs(preds[0]).len() > 1
}

impl Scan {
    /// Checks the shape of `func` and finds the crossing virtual registers. Fills
    /// `operand_starts`.
    pub fn classify<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        operand_starts: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let num_blocks = func.num_blocks();
        let num_insts = func.num_insts();
        let num_vregs = func.num_vregs();
        if num_insts >= PARAM_MARK as usize || num_blocks >= PARAM_MARK as usize || num_vregs >= NONE as usize
        {
            return Err(Error::TooLarge);
        }
        let entry = func.entry();
        if entry.as_u32() as usize >= num_blocks || !func.block_params(entry).is_empty() {
            return Err(Error::BadEntry { block: entry });
        }
        self.vregs.clear();
        self.vregs.resize(num_vregs, VRegState::NEW);
        self.edge_index.clear();
        self.edge_index.resize(num_blocks, 0);
        self.incoming.clear();
        self.incoming.resize(num_blocks, 0);
        self.shapes.clear();
        self.shapes.reserve(num_insts);
        operand_starts.clear();
        operand_starts.reserve(num_insts + 1);
        operand_starts.push(0);

        let mut expected = 0;
        let mut total = 0;
        for b in 0..num_blocks as u32 {
            let block = Block::from_u32(b);
            let range = func.block_insts(block);
            let (start, end) = (range.start.as_u32(), range.end.as_u32());
            if start != expected || end <= start || end as usize > num_insts {
                return Err(Error::BadBlockRange { block });
            }
            expected = end;
            self.params(func, file, block)?;
            let mut seen_terminator = false;
            for i in start..end {
                let inst = Inst::from_u32(i);
                let terminates = func.is_terminator(inst);
                if !terminates && (seen_terminator || i + 1 == end) {
                    return Err(Error::BadTerminator { block, inst });
                }
                seen_terminator = terminates;
                let ops = func.operands(inst);
                let mut shape = self.operands(func, file, b, inst, ops, terminates)?;
                if terminates {
                    shape.add(Shape::TERMINATOR);
                }
                if func.is_move(inst).is_some() {
                    shape.add(Shape::COPY);
                }
                if !func.clobbers(inst).is_empty() {
                    shape.add(Shape::CLOBBERS);
                    shape.add(Shape::GENERAL);
                }
                self.shapes.push(shape);
                total += ops.len();
                operand_starts.push(u32::try_from(total).map_err(|_| Error::TooLarge)?);
            }
            self.edges(func, file, block)?;
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
        self.crossing = 0;
        let mut undefined = false;
        for state in &mut self.vregs {
            undefined |= state.flags & (USED | DEFINED) == USED;
            if state.is_cross() {
                self.crossing += 1;
                state.next = LIVE_OUT;
                state.flags |= VALID;
            }
        }
        if undefined {
            let undefined = |s: &VRegState| s.flags & (USED | DEFINED) == USED;
            let v = self.vregs.iter().position(undefined).unwrap_or_default();
            return Err(locate_undefined(func, VReg::from_u32(v as u32)));
        }
        Ok(())
    }

    /// The state of `vreg` after its first reference in `block` is noted.
    #[inline]
    fn touch<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        block: u32,
        vreg: VReg,
    ) -> Option<(&mut VRegState, bool)> {
        let state = self.vregs.get_mut(vreg.as_u32() as usize)?;
        if state.block == block {
            return Some((state, false));
        }
        let first = state.block == NONE;
        if first {
            let class = func.vreg_class(vreg);
            if class.index() >= file.classes.len() {
                return None;
            }
            state.block = block;
            state.class = class.0;
        } else {
            state.flags |= CROSS;
        }
        Some((state, first))
    }

    fn params<F: Function>(&mut self, func: &F, file: &RegisterFile, block: Block) -> Result<(), Error> {
        let params = func.block_params(block);
        if params.is_empty() {
            return Ok(());
        }
        let b = block.as_u32();
        let at_start = params_at_start(func, block);
        for &vreg in params {
            let (state, first) = self.touch(func, file, b, vreg).ok_or(Error::BadVReg { block, vreg })?;
            if state.def_inst == PARAM_MARK | b {
                return Err(Error::DuplicateParam { block, vreg });
            }
            state.def_inst = PARAM_MARK | b;
            state.flags |= DEFINED;
            if first {
                state.last = NONE;
            }
            if !at_start {
                state.flags |= CROSS;
            }
        }
        Ok(())
    }

    #[inline]
    fn operands<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        block: u32,
        inst: Inst,
        ops: &[Operand],
        terminates: bool,
    ) -> Result<Shape, Error> {
        let i = inst.as_u32();
        let mut shape = Shape::default();
        let mut defs = 0;
        for (operand, op) in ops.iter().enumerate() {
            let bad = || Error::BadOperand { inst, operand };
            if op.class().index() >= file.classes.len() {
                return Err(bad());
            }
            if !op.is_plain() {
                shape.add(Shape::GENERAL);
                if let Constraint::Fixed(reg) = op.constraint()
                    && reg.index() >= file.regs.len()
                {
                    return Err(bad());
                }
            }
            let (state, first) = self.touch(func, file, block, op.vreg()).ok_or_else(bad)?;
            if op.is_use() {
                state.flags |= USED;
                // Read before the first definition of the block is complete.
                if first || state.last == i && !op.is_def() {
                    state.flags |= CROSS;
                }
            }
            if op.is_def() {
                if terminates {
                    return Err(Error::TerminatorDefines { inst, operand });
                }
                if state.def_inst == i {
                    return Err(Error::DuplicateDef { inst, operand });
                }
                state.def_inst = i;
                state.flags |= DEFINED;
                defs += 1;
            }
            if first {
                state.last = i;
            }
        }
        if defs > 1 {
            shape.add(Shape::GENERAL);
        }
        Ok(shape)
    }

    fn edges<F: Function>(&mut self, func: &F, file: &RegisterFile, block: Block) -> Result<(), Error> {
        let succs = func.block_succs(block);
        for (succ_index, &succ) in succs.iter().enumerate() {
            let Some(incoming) = self.incoming.get_mut(succ.as_u32() as usize) else {
                return Err(Error::BadEdge { block });
            };
            *incoming += 1;
            let args = func.edge_args(block, succ_index);
            if args.len() != func.block_params(succ).len() {
                return Err(Error::BadEdgeArgs { block, succ_index });
            }
            let at_start = succs.len() > 1;
            if at_start && !args.is_empty() {
                let preds = func.block_preds(succ);
                if preds.len() != 1 {
                    return Err(Error::CriticalEdge { block, succ_index });
                }
                if preds[0] != block {
                    return Err(Error::BadEdge { block: succ });
                }
                self.edge_index[succ.as_u32() as usize] = succ_index as u32;
            }
            for &vreg in args {
                let (state, first) =
                    self.touch(func, file, block.as_u32(), vreg).ok_or(Error::BadVReg { block, vreg })?;
                state.flags |= USED;
                if at_start || first {
                    state.flags |= CROSS;
                }
            }
        }
        Ok(())
    }

    /// Notes the next uses of everything in `block`, whose operands start at `base` in the list
    /// of all operands. Gives the first terminator.
    pub fn next_uses<F: Function>(&mut self, func: &F, block: Block, starts: &[u32]) -> u32 {
        let range = func.block_insts(block);
        let (start, end) = (range.start.as_u32(), range.end.as_u32());
        let base = starts[start as usize] as usize;
        let count = starts[end as usize] as usize - base;
        if self.next_of.len() < count {
            self.next_of.resize(count, 0);
        }
        self.clobbers.clear();
        self.arg_next.clear();
        let mut terminator = end;
        while terminator > start && self.shapes[terminator as usize - 1].has(Shape::TERMINATOR) {
            terminator -= 1;
        }
        for i in (terminator..end).rev() {
            self.next_uses_of(func, i, starts[i as usize] as usize - base);
        }
        if func.block_succs(block).len() == 1 {
            for &vreg in func.edge_args(block, 0) {
                let state = &mut self.vregs[vreg.as_u32() as usize];
                self.arg_next.push(state.next);
                if state.next >= LIVE_OUT {
                    state.last = terminator;
                }
                state.next = terminator;
            }
        }
        for i in (start..terminator).rev() {
            self.next_uses_of(func, i, starts[i as usize] as usize - base);
        }
        terminator
    }

    #[inline]
    fn next_uses_of<F: Function>(&mut self, func: &F, i: u32, base: usize) {
        let inst = Inst::from_u32(i);
        let operands = func.operands(inst);
        for (slot, op) in self.next_of[base..].iter_mut().zip(operands) {
            *slot = self.vregs[op.index()].next;
        }
        for op in operands {
            let state = &mut self.vregs[op.index()];
            if op.is_use() {
                if state.next >= LIVE_OUT {
                    state.last = i;
                }
                state.next = i;
            } else if state.next != i {
                state.next = DEAD;
            }
        }
        let shape = self.shapes[i as usize];
        if shape != Shape::default() {
            self.special(func, inst, operands, shape);
        }
    }

    /// Notes hints and clobbers.
    fn special<F: Function>(&mut self, func: &F, inst: Inst, operands: &[Operand], shape: Shape) {
        if shape.has(Shape::GENERAL) {
            for op in operands {
                if let Constraint::Fixed(reg) = op.constraint() {
                    self.vregs[op.index()].hint = reg.0;
                }
            }
        }
        if shape.has(Shape::COPY)
            && let Some((from, to)) = func.is_move(inst)
            && let (Some(to), Some(from)) = (
                self.vregs.get(to.as_u32() as usize).map(|s| s.hint),
                self.vregs.get_mut(from.as_u32() as usize),
            )
            && to != NO_REG
        {
            from.hint = to;
        }
        if shape.has(Shape::CLOBBERS) {
            self.clobbers.push((inst.as_u32(), func.clobbers(inst)));
        }
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

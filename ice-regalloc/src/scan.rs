//! Validation of the input, next-use distances, and which values cross block borders.
//!
//! Method: one forward pass threads the references to each virtual register within a block: a use
//! is noted with the reference before it, and with the definition that it reads or the first use in
//! the block. A virtual register referenced in several blocks *crosses* block borders. One that is
//! used in a block before any definition there crosses as well (it comes around a back edge).
//!
//! Data: one [`Thread`] for each virtual register during the pass and one [`VRegState`] after it;
//! one [`Ahead`] for each operand, edge argument and parameter, in the order of the function; one byte
//! of facts, [`Shape`], for each instruction, so that later passes ask the client only about what is
//! there. Whether a value that has no further use in its block is dead is known at the end only, so
//! `LIVE_OUT` is recorded for both; [`VRegState::advance`] tells them apart.
//!
//! Cost: one visit to each instruction and each operand. Measured on a program of 263,888
//! instructions with 253,226 operands in 50,645 blocks: about COST machine instructions for each
//! instruction, a third of it for the blocks and their edges.

use crate::error::Error;
use crate::function::Function;
use crate::operand::{Block, Constraint, Inst, Operand, VReg};
use crate::registers::{RegUnits, RegisterFile};
use alloc::vec::Vec;

/// `next`: the value is not used again.
pub(crate) const DEAD: u32 = u32::MAX;
/// `next`: the value is not used again in this block but may be after it.
pub(crate) const LIVE_OUT: u32 = u32::MAX - 1;
/// `block`, `slot`, `def_inst`: none.
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
        let cross = thread.flags & CROSS;
        let flags = if cross != 0 { CROSS | VALID } else { 0 };
        VRegState {
            next: LIVE_OUT,
            last: 0,
            slot: NONE,
            def_inst: NONE,
            pending: 0,
            reg: NO_REG,
            hint: NO_REG,
            class: thread.class,
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

/// What the rest of the block does with a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// The instruction that uses it next, `DEAD`, or `LIVE_OUT`, which means dead as well for a
    /// register that does not cross.
    pub next: u32,
    /// At the definition, or the first use in the block: the last instruction that uses the value,
    /// or 0 if none does.
    pub last: u32,
    /// At a definition by a copy: the reference that begins the value copied.
    source: u32,
    /// A register that the next use wants it in, or at the definition the first one of those that want
    /// one.
    hint: u8,
}

impl Ahead {
    const NEW: Ahead = Ahead { next: LIVE_OUT, last: 0, source: NONE, hint: NO_REG };
}

/// The references to one virtual register, during the pass. Other references than operands are
/// numbered from `ARGS` and `PARAMS` on; `NONE` is a parameter that is set before the block.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Thread {
    /// The last block looked at that refers to the register.
    block: u32,
    /// The last instruction that does.
    inst: u32,
    /// The last reference, and the one before it in the same block.
    latest: u32,
    before: u32,
    /// The reference that begins the present value: its definition or else the first use in the block.
    head: u32,
    /// The register class.
    class: u8,
    /// `CROSS | DEFINED`.
    flags: u8,
}

/// Something defines the register.
const DEFINED: u8 = 4;
/// Numbers of references that are edge arguments and parameters.
const ARGS: u32 = 1 << 30;
const PARAMS: u32 = 1 << 31;

impl Thread {
    const NEW: Thread =
        Thread { block: NONE, inst: NONE, latest: NONE, before: NONE, head: NONE, class: 0, flags: 0 };
}

/// Facts about one instruction: a set of the constants below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape(u8);

impl Default for Shape {
    fn default() -> Shape {
        Shape::ANY
    }
}

impl Shape {
    pub const TERMINATOR: Shape = Shape(1);
    pub const CLOBBERS: Shape = Shape(2);
    /// `Function::is_move` has an answer.
    pub const COPY: Shape = Shape(4);
    /// An operand is not plain, or there are several definitions, or clobbers.
    pub const GENERAL: Shape = Shape(8);
    /// Every instruction has this one.
    pub const ANY: Shape = Shape(16);

    #[inline]
    pub fn has(self, fact: Shape) -> bool {
        self.0 & fact.0 != 0
    }

    #[inline]
    fn add(&mut self, fact: Shape) {
        self.0 |= fact.0;
    }
}

/// What is ahead of the references of a function, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aheads {
    /// Of each operand after the instruction.
    pub operands: Vec<Ahead>,
    /// Of each argument of an edge from a block with one successor, after it is read.
    pub args: Vec<Ahead>,
    /// Of each parameter set at its block's start, after that.
    pub params: Vec<Ahead>,
}

impl Aheads {
    fn clear(&mut self) {
        self.operands.clear();
        self.args.clear();
        self.params.clear();
    }

    /// What is ahead of a reference; nothing asks that of the last kind.
    #[inline(always)]
    fn of(&mut self, reference: u32) -> Option<&mut Ahead> {
        if reference < ARGS {
            return self.operands.get_mut(reference as usize);
        }
        self.at_border(reference)
    }

    #[inline(never)]
    fn at_border(&mut self, reference: u32) -> Option<&mut Ahead> {
        match reference < PARAMS {
            true => self.args.get_mut((reference - ARGS) as usize),
            false => self.params.get_mut((reference - PARAMS) as usize),
        }
    }
}

/// Results of the pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    pub vregs: Vec<VRegState>,
    pub shapes: Vec<Shape>,
    /// Number of crossing virtual registers.
    pub crossing: u32,
    /// For a block whose parameters are set at its start: which successor it is.
    pub edge_index: Vec<u32>,
    incoming: Vec<u32>,
    threads: Vec<Thread>,
    /// What is ahead of each reference.
    pub aheads: Aheads,
    /// Pairs of operands of one instruction that name the same virtual register.
    repeats: Vec<(u32, u32)>,
    /// Clobbering instructions in order.
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
    /// Checks the shape of `func` and fills the lists.
    pub fn compute<F: Function>(&mut self, func: &F, file: &RegisterFile) -> Result<(), Error> {
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
        self.threads.clear();
        self.threads.resize(num_vregs, Thread::NEW);
        self.edge_index.clear();
        self.edge_index.resize(num_blocks, 0);
        self.incoming.clear();
        self.incoming.resize(num_blocks, 0);
        self.shapes.clear();
        self.aheads.clear();
        self.repeats.clear();
        self.clobbers.clear();

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
        let Aheads { operands, args, params } = &mut self.aheads;
        if operands.len().max(args.len()).max(params.len()) >= ARGS as usize {
            return Err(Error::TooLarge);
        }
        for (b, &incoming) in self.incoming.iter().enumerate() {
            let block = Block::from_u32(b as u32);
            if incoming as usize != func.block_preds(block).len() {
                return Err(Error::BadEdge { block });
            }
        }
        while let Some((first, second)) = self.repeats.pop() {
            operands[first as usize] = operands[second as usize];
        }
        self.crossing = 0;
        for (v, thread) in self.threads.iter().enumerate() {
            if thread.flags & CROSS != 0 {
                self.crossing += 1;
                if thread.flags & DEFINED == 0 {
                    return Err(locate_undefined(func, VReg::from_u32(v as u32)));
                }
            }
        }
        self.vregs.clear();
        self.vregs.extend(self.threads.iter().map(VRegState::new));
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
        let params = func.block_params(block);
        if !params.is_empty() {
            self.params(func, file, block, params)?;
        }
        let mut shape = Shape::ANY;
        for i in start..end {
            let inst = Inst::from_u32(i);
            let ops = func.operands(inst);
            if func.is_terminator(inst) {
                if shape == Shape::ANY {
                    shape.add(Shape::TERMINATOR);
                    self.edges(func, file, block, i)?;
                }
                if let Some(operand) = ops.iter().position(|op| op.is_def()) {
                    return Err(Error::TerminatorDefines { inst, operand });
                }
            } else if shape != Shape::ANY || i + 1 == end {
                return Err(Error::BadTerminator { block, inst });
            }
            self.inst(func, file, block, inst, ops, shape)?;
        }
        Ok(())
    }

    /// Notes that instruction `i` of `block` reads the register in the reference `here`, or defines it.
    #[inline(always)]
    fn refer<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        (block, i): (Block, u32),
        (vreg, here): (VReg, u32),
        reads: bool,
    ) -> Option<&mut Thread> {
        let thread = self.threads.get_mut(vreg.index())?;
        if thread.block == block.as_u32() {
            if let Some(ahead) = self.aheads.of(thread.latest) {
                ahead.next = if reads { i } else { DEAD };
            }
            if !reads {
                thread.head = here;
            } else if let Some(ahead) = self.aheads.of(thread.head) {
                ahead.last = i;
            }
            (thread.latest, thread.before) = (here, thread.latest);
            return Some(thread);
        }
        if thread.block == NONE {
            thread.class = func.vreg_class(vreg).0;
            if usize::from(thread.class) >= file.classes.len() {
                return None;
            }
            thread.flags |= if reads { CROSS } else { 0 };
        } else {
            thread.flags |= CROSS;
        }
        (thread.block, thread.latest, thread.before, thread.head) = (block.as_u32(), here, NONE, here);
        Some(thread)
    }

    /// Looks at one instruction. Inlined into its one caller: there are ten arguments and results.
    #[inline(always)]
    fn inst<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        block: Block,
        inst: Inst,
        ops: &[Operand],
        mut shape: Shape,
    ) -> Result<(), Error> {
        let i = inst.as_u32();
        let mut defs = 0;
        let mut plain = true;
        for (operand, op) in ops.iter().enumerate() {
            if op.class().index() >= file.classes.len() {
                return Err(Error::BadOperand { inst, operand });
            }
            plain &= op.is_plain();
            defs += u32::from(op.is_def());
            if self.threads.get(op.index()).is_some_and(|thread| thread.inst == i) {
                self.repeated(inst, ops, operand)?;
                continue;
            }
            let here = self.aheads.operands.len() as u32;
            let Some(thread) = self.refer(func, file, (block, i), (op.vreg(), here), op.is_use()) else {
                return Err(Error::BadOperand { inst, operand });
            };
            thread.inst = i;
            if op.is_def() {
                thread.flags |= DEFINED;
            }
            self.aheads.operands.push(Ahead::NEW);
        }
        if !plain {
            for (operand, op) in ops.iter().enumerate() {
                if let Constraint::Fixed(reg) = op.constraint() {
                    if reg.index() >= file.regs.len() {
                        return Err(Error::BadOperand { inst, operand });
                    }
                    if op.is_use() {
                        self.hint(op.vreg(), reg.0);
                    }
                }
            }
        }
        if !plain || defs > 1 {
            shape.add(Shape::GENERAL);
        }
        if let Some((from, to)) = func.is_move(inst) {
            shape.add(Shape::COPY);
            if let Some(&Thread { head: source, .. }) = self.threads.get(from.index())
                && let Some(&Thread { head, .. }) = self.threads.get(to.index())
                && let Some(ahead) = self.aheads.of(head)
            {
                ahead.source = source;
            }
        }
        let clobbers = func.clobbers(inst);
        if !clobbers.is_empty() {
            shape.add(Shape::CLOBBERS);
            shape.add(Shape::GENERAL);
            self.clobbers.push((i, clobbers));
        }
        self.shapes.push(shape);
        Ok(())
    }

    /// Notes that the latest reference wants the value in `reg`.
    fn hint(&mut self, vreg: VReg, reg: u8) {
        let Thread { before, mut head, .. } = self.threads[vreg.index()];
        // A hint is given once: this ends, and is linear on the whole.
        while let Some(ahead) = self.aheads.of(head)
            && ahead.hint == NO_REG
        {
            ahead.hint = reg;
            head = ahead.source;
        }
        if let Some(ahead) = self.aheads.of(before) {
            ahead.hint = reg;
        }
    }

    /// Looks at an operand whose virtual register an earlier operand of the instruction names as
    /// well: the same is ahead of both.
    #[cold]
    fn repeated(&mut self, inst: Inst, ops: &[Operand], operand: usize) -> Result<(), Error> {
        let op = ops[operand];
        let here = self.aheads.operands.len() as u32;
        let mut same = ops[..operand].iter().filter(|other| other.vreg() == op.vreg());
        if op.is_def() && same.clone().any(|other| other.is_def()) {
            return Err(Error::DuplicateDef { inst, operand });
        }
        let thread = &mut self.threads[op.index()];
        let (latest, before) = (thread.latest, thread.before);
        self.repeats.push((latest, here));
        thread.latest = here;
        if thread.head == latest || !op.is_use() {
            thread.head = here;
        }
        if op.is_def() {
            thread.flags |= DEFINED;
        }
        if op.is_use() && !same.any(|other| other.is_use()) {
            // What was noted was the definition.
            if before == NONE {
                thread.flags |= CROSS;
            }
            if let Some(ahead) = self.aheads.of(before) {
                (ahead.next, ahead.last) = (inst.as_u32(), inst.as_u32());
            }
        }
        self.aheads.operands.push(Ahead::NEW);
        Ok(())
    }

    fn params<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        block: Block,
        params: &[VReg],
    ) -> Result<(), Error> {
        let at_start = params_at_start(func, block);
        for &vreg in params {
            if self.threads.get(vreg.index()).is_some_and(|thread| thread.block == block.as_u32()) {
                return Err(Error::DuplicateParam { block, vreg });
            }
            let here = if at_start { PARAMS + self.aheads.params.len() as u32 } else { NONE };
            let Some(thread) = self.refer(func, file, (block, NONE), (vreg, here), false) else {
                return Err(Error::BadVReg { block, vreg });
            };
            thread.flags |= DEFINED;
            if at_start {
                self.aheads.params.push(Ahead::NEW);
            } else {
                thread.flags |= CROSS;
            }
        }
        Ok(())
    }

    /// Checks the edges that leave `block`, whose first terminator is `terminator`.
    fn edges<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile,
        block: Block,
        terminator: u32,
    ) -> Result<(), Error> {
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
            if args.is_empty() {
                continue;
            }
            let at_start = succs.len() > 1;
            if at_start {
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
                let thread = if at_start {
                    self.threads.get_mut(vreg.index())
                } else {
                    let here = ARGS + self.aheads.args.len() as u32;
                    self.aheads.args.push(Ahead::NEW);
                    self.refer(func, file, (block, terminator), (vreg, here), true)
                };
                let Some(thread) = thread else { return Err(Error::BadVReg { block, vreg }) };
                if at_start {
                    thread.flags |= CROSS;
                } else {
                    thread.inst = NONE;
                }
            }
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

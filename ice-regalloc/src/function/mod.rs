//! The allocator's input: a [`Function`], written block by block.
//!
//! Problem: an allocator that asks its client through a trait is compiled once for each kind of client, and pays a call
//! or a match for each question.
//!
//! Method: the client writes down what the allocator has to know, in one pass and in layout order: virtual registers,
//! and for each block its parameters, the operands of its instructions and what these do beside, its edges. Where each
//! reference to a virtual register is used next is threaded meanwhile (`references`), while operands are at hand.
//!
//! Data: one flat list each of operands, parameters, successors, predecessors and arguments, with the start of each run.
//! All numbers are dense, in the order in which things are added. The memory is kept from function to function.
//!
//! Cost: linear; on a program of 256,220 instructions with 250,400 operands about 150 machine instructions for each
//! instruction and its operands.

mod write;

use crate::operand::{Block, Inst, Operand, VReg};
use crate::output::Allocation;
use crate::references::References;
use crate::registers::{RegClass, RegUnits, RegisterFile};
use crate::rows::Shape;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// How the value of an instruction can be made again: see [`Function::remat`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Remat {
    /// By executing the instruction again, into a register of the class of the value.
    Register,
    /// By executing the instruction again, into a register of the class of the value or straight into a spill slot: a
    /// constant that can be stored as it is.
    Anywhere,
    /// The instruction loads from memory that keeps the value as long as the function runs: a constant in
    /// memory, an argument that came on the stack. It can be executed again into a register, and a use that
    /// says Any may be in that memory as it may be in a slot: it is the value's home, which costs no store.
    Memory,
}

/// Where the runs of a block start; a run ends where that of the next block starts.
#[derive(Clone, Copy, Debug, Default)]
struct Runs {
    insts: u32,
    params: u32,
    succs: u32,
    preds: u32,
}

/// A function to allocate registers for.
///
/// Add the virtual registers with [`vreg`](Self::vreg), at any time before they are named. Then for each block, in
/// layout order, the entry first: [`begin_block`](Self::begin_block); for each instruction its
/// [`operand`](Self::operand)s, then [`inst`](Self::inst), then what else is to be said of it ([`terminator`](Self::terminator),
/// [`clobber`](Self::clobber), [`copy`](Self::copy), [`remat`](Self::remat)); an [`edge`](Self::edge) for each successor;
/// [`end_block`](Self::end_block). At last [`finish`](Self::finish).
///
/// Shape that [`Context::allocate`](crate::Context::allocate) checks, and answers with
/// [`Error`](crate::Error) when it does not hold:
/// * there is a block, and each block has instructions;
/// * the last instruction of a block is a terminator; after the first terminator of a block only
///   terminators follow (a conditional jump and a jump, say);
/// * an edge has as many arguments as its target has parameters, and none is smaller than its parameter, which gets
///   the low bytes of a larger one;
/// * an edge with arguments leaves a block with one successor or enters a block with one
///   predecessor (critical edges are split by the client);
/// * the entry block has no parameters: incoming values are Fixed definitions of its first
///   instruction;
/// * terminators define nothing;
/// * behind a terminator that destroys registers, the last of its block, a call that control may leave in two ways say,
///   stand blocks without another predecessor and without parameters. Nothing is moved on these edges, and what comes
///   out of the call is defined by the first instruction of such a block, as Fixed.
#[derive(Clone, Debug)]
pub struct Function {
    operands: Vec<Operand>,
    /// One for each block that has ended, and one for what is added next.
    blocks: Vec<Runs>,
    params: Vec<VReg>,
    succs: Vec<Block>,
    /// For each entry of `succs` and the end: where its arguments start.
    arg_starts: Vec<u32>,
    args: Vec<VReg>,
    preds: Vec<Block>,
    depths: Vec<u32>,
    chances: Vec<f32>,
    /// The edges to the same or an earlier block, the last first: source and target.
    back_edges: Vec<(Block, Block)>,
    pub(crate) references: References,
}

impl Default for Function {
    fn default() -> Self {
        Function {
            operands: Vec::new(),
            blocks: vec![Runs::default()],
            params: Vec::new(),
            succs: Vec::new(),
            arg_starts: vec![0],
            args: Vec::new(),
            preds: Vec::new(),
            depths: Vec::new(),
            chances: Vec::new(),
            back_edges: Vec::new(),
            references: References::default(),
        }
    }
}

/// The run of entry `index`, given the starts of all runs and of one more; empty for an entry behind the last, which
/// the block after the last one is.
#[inline(always)]
fn run<T: Copy>(starts: &[T], index: usize, start: impl Fn(T) -> u32) -> Range<usize> {
    match starts.get(index..index + 2) {
        Some(&[this, next]) => start(this) as usize..start(next) as usize,
        _ => 0..0,
    }
}

/// What a copy with these operands reads and writes.
fn move_pair(ops: &[Operand]) -> Option<(VReg, VReg)> {
    let from = ops.iter().find(|op| op.is_use())?;
    let to = ops.iter().find(|op| op.is_def())?;
    Some((from.vreg(), to.vreg()))
}

/// Reading it. A number that is not there is a fault of the caller, and panics.
impl Function {
    /// Whether it was written for the minimal mode alone.
    pub(crate) fn is_brief(&self) -> bool {
        self.references.is_brief
    }

    /// Whether every edge has its predecessor.
    pub(crate) fn is_finished(&self) -> bool {
        self.preds.len() == self.succs.len() && self.references.is_finished()
    }

    /// Number of blocks.
    #[inline]
    pub fn num_blocks(&self) -> usize {
        self.blocks.len() - 1
    }

    /// Number of instructions.
    #[inline]
    pub fn num_insts(&self) -> usize {
        self.references.rows.len()
    }

    /// Number of virtual registers.
    #[inline]
    pub fn num_vregs(&self) -> usize {
        self.references.threads.len()
    }

    /// The block where execution starts: the first one.
    #[inline]
    pub fn entry(&self) -> Block {
        Block::from_u32(0)
    }

    /// The instructions of `block`, first included, last excluded.
    #[inline]
    pub fn block_insts(&self, block: Block) -> Range<Inst> {
        let range = run(&self.blocks, block.as_u32() as usize, |b| b.insts);
        Inst::from_u32(range.start as u32)..Inst::from_u32(range.end as u32)
    }

    /// The blocks that control may go to from the end of `block`; one entry an edge.
    #[inline]
    pub fn block_succs(&self, block: Block) -> &[Block] {
        &self.succs[run(&self.blocks, block.as_u32() as usize, |b| b.succs)]
    }

    /// The blocks that control may come from, in layout order; one entry an edge. Known when the function is finished.
    #[inline]
    pub fn block_preds(&self, block: Block) -> &[Block] {
        &self.preds[run(&self.blocks, block.as_u32() as usize, |b| b.preds)]
    }

    /// The virtual registers that get a value on entry of `block` (phis).
    #[inline]
    pub fn block_params(&self, block: Block) -> &[VReg] {
        &self.params[run(&self.blocks, block.as_u32() as usize, |b| b.params)]
    }

    /// The values that the edge `block_succs(block)[succ_index]` gives to the parameters of the successor, in order.
    #[inline]
    pub fn edge_args(&self, block: Block, succ_index: usize) -> &[VReg] {
        let edge = run(&self.blocks, block.as_u32() as usize, |b| b.succs).start + succ_index;
        &self.args[run(&self.arg_starts, edge, |start| start)]
    }

    /// The edges that give values to parameters, in order: source, target and these values.
    pub(crate) fn edges_with_args(&self) -> impl Iterator<Item = (Block, Block, &[VReg])> {
        let mut block = 0;
        let edges = self.succs.iter().zip(self.arg_starts.windows(2)).zip(0..);
        edges.filter(|((_, starts), _)| starts[0] != starts[1]).map(move |((&succ, starts), edge)| {
            while self.blocks[block + 1].succs <= edge {
                block += 1;
            }
            (Block::from_u32(block as u32), succ, &self.args[starts[0] as usize..starts[1] as usize])
        })
    }

    /// The operands of `inst`.
    #[inline]
    pub fn operands(&self, inst: Inst) -> &[Operand] {
        &self.operands[run(self.references.rows.all(), inst.as_u32() as usize, |row| row.end)]
    }

    /// The operands of all instructions after one another.
    #[inline]
    pub fn all_operands(&self) -> &[Operand] {
        &self.operands
    }

    /// Where the operands of these instructions are among [all](Self::all_operands), and their places among those of an
    /// [`Output`](crate::Output).
    #[inline]
    pub fn operand_range(&self, insts: Range<u32>) -> Range<usize> {
        let rows = self.references.rows.all();
        rows[insts.start as usize].end as usize..rows[insts.end as usize].end as usize
    }

    /// Units that `inst` destroys beside its definitions. Logarithmic in the number of instructions that destroy some.
    pub fn clobbers(&self, inst: Inst) -> RegUnits {
        self.references.clobbers(inst)
    }

    /// Units that any instruction destroys beside its definitions. Linear in the number of those that destroy some.
    pub fn all_clobbers(&self) -> RegUnits {
        self.references.all_clobbers()
    }

    /// If `inst` only copies one virtual register: source and destination.
    pub fn is_move(&self, inst: Inst) -> Option<(VReg, VReg)> {
        let copies = self.references.rows.shape(inst.as_u32() as usize).has(Shape::COPY);
        if copies { move_pair(self.operands(inst)) } else { None }
    }

    /// How the value that `inst` defines can be made again, if it can.
    #[inline]
    pub fn rematerialize(&self, inst: Inst) -> Option<Remat> {
        self.references.remat_of(inst)
    }

    /// Whether a copy between these places takes two edits, through a register: to a slot, from one or from an instruction
    /// that can only be executed again into a register.
    pub(crate) fn takes_two(&self, from: Allocation, to: Allocation) -> bool {
        let in_register = match from.as_remat() {
            Some(inst) => self.rematerialize(inst) != Some(Remat::Anywhere),
            None => from.is_slot(),
        };
        in_register && to.is_slot()
    }

    /// Whether control may leave the block at `inst`.
    #[inline]
    pub fn is_terminator(&self, inst: Inst) -> bool {
        self.references.rows.shape(inst.as_u32() as usize).has(Shape::TERMINATOR)
    }

    /// The number of loops around `block`, if that was said.
    #[inline]
    pub fn loop_depth(&self, block: Block) -> Option<u32> {
        self.depths.get(block.as_u32() as usize).copied()
    }

    /// How often control comes to each block when it goes once through the loops around it; empty if that was not said.
    #[inline]
    pub fn chances(&self) -> &[f32] {
        &self.chances
    }

    /// The edges to the same or an earlier block, the one from the last block first: source and target. Known when the
    /// function is finished.
    #[inline]
    pub(crate) fn back_edges(&self) -> &[(Block, Block)] {
        &self.back_edges
    }

    /// Whether nothing can be moved on the edges that leave `block`, since its terminator destroys registers.
    #[inline]
    pub(crate) fn seals_edges(&self, block: Block) -> bool {
        let end = run(&self.blocks, block.as_u32() as usize, |b| b.insts).end;
        let last = end.checked_sub(1).map(|last| self.references.rows.shape(last));
        last.is_some_and(|shape| shape.has(Shape::CLOBBERS) && shape.has(Shape::TERMINATOR))
    }

    /// The first instruction of `block`, if it does nothing but to define what comes in, in Fixed registers: arguments of the
    /// function, or what comes out of a call that ends the block before.
    pub(crate) fn receiver(&self, block: Block) -> Option<Inst> {
        let first = self.block_insts(block).start;
        let operands = self.operands(first);
        let comes_in = |op: &Operand| op.is_def() && !op.is_use() && op.fixed_reg().is_some();
        let is_border =
            block == self.entry() || self.block_preds(block).iter().any(|&pred| self.seals_edges(pred));
        (is_border && !operands.is_empty() && operands.iter().all(comes_in)).then_some(first)
    }

    /// The class of registers that hold `vreg`.
    #[inline]
    pub fn vreg_class(&self, vreg: VReg) -> RegClass {
        self.references.threads[vreg.index()].class
    }

    /// Bytes of a spill slot for `vreg`; 0 means `spill_size` of its class.
    #[inline]
    pub fn vreg_size(&self, vreg: VReg) -> u32 {
        self.references.threads[vreg.index()].size
    }

    /// Bytes and alignment of a slot for `vreg`, whose class is one of `file`.
    #[inline]
    pub(crate) fn slot_of(&self, file: &RegisterFile<'_>, vreg: VReg) -> (u32, u32) {
        let class = file.class(self.vreg_class(vreg));
        match self.vreg_size(vreg) {
            0 => (class.spill_size, class.spill_align),
            size => (size, class.spill_align),
        }
    }
}

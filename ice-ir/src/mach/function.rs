//! The sequence itself, and the view of it that the register allocator asks for.

use super::{FrameInfo, MachBlock, MachInst, MachInstId, Operand, RegClass, RegUnits, Sink, VReg};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use cranelift_entity::EntityRef;

#[derive(Clone, Copy, Default)]
struct BlockData {
    /// Ends of the runs in the vectors below; a run starts where that of the block before ends.
    insts: u32,
    params: u32,
    succs: u32,
    preds: u32,
}

#[derive(Clone, Copy)]
struct VRegData {
    class: RegClass,
    size: u32,
}

/// A function in machine instructions. Reused from function to function.
#[derive(Clone)]
pub struct MachFunction<I> {
    /// Frame facts gathered by lowering.
    pub frame: FrameInfo,
    insts: Vec<I>,
    operands: Vec<Operand>,
    operand_ends: Vec<u32>,
    blocks: Vec<BlockData>,
    params: Vec<VReg>,
    succs: Vec<MachBlock>,
    /// End of the arguments of each entry of `succs`.
    arg_ends: Vec<u32>,
    args: Vec<VReg>,
    preds: Vec<MachBlock>,
    vregs: Vec<VRegData>,
    depths: Vec<u32>,
}

impl<I> Default for MachFunction<I> {
    fn default() -> Self {
        MachFunction {
            frame: FrameInfo::default(),
            insts: Vec::new(),
            operands: Vec::new(),
            operand_ends: Vec::new(),
            blocks: Vec::new(),
            params: Vec::new(),
            succs: Vec::new(),
            arg_ends: Vec::new(),
            args: Vec::new(),
            preds: Vec::new(),
            vregs: Vec::new(),
            depths: Vec::new(),
        }
    }
}

/// The run of entry `index`, given the ends of all runs.
#[inline]
fn run(index: usize, end: impl Fn(usize) -> u32) -> Range<usize> {
    let start = if index == 0 { 0 } else { end(index - 1) };
    start as usize..end(index) as usize
}

impl<I: MachInst> MachFunction<I> {
    /// An empty function.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.frame.clear();
        self.insts.clear();
        self.operands.clear();
        self.operand_ends.clear();
        self.blocks.clear();
        self.params.clear();
        self.succs.clear();
        self.arg_ends.clear();
        self.args.clear();
        self.preds.clear();
        self.vregs.clear();
        self.depths.clear();
    }

    /// Computes the predecessors once every block has ended. Linear in blocks and edges.
    pub fn finish(&mut self) {
        let blocks = self.blocks.len();
        for block in &mut self.blocks {
            block.preds = 0;
        }
        for succ in &self.succs {
            self.blocks[succ.index()].preds += 1;
        }
        let mut total = 0;
        for block in &mut self.blocks {
            // Start of the run; moved to its end while the run is filled.
            total += core::mem::replace(&mut block.preds, total);
        }
        self.preds.clear();
        self.preds.resize(total as usize, MachBlock::new(0));
        for index in 0..blocks {
            for edge in run(index, |i| self.blocks[i].succs) {
                let slot = &mut self.blocks[self.succs[edge].index()].preds;
                self.preds[*slot as usize] = MachBlock::new(index);
                *slot += 1;
            }
        }
    }

    /// The instructions of the whole function.
    pub fn insts(&self) -> &[I] {
        &self.insts
    }

    /// Blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = MachBlock> + use<I> {
        (0..self.blocks.len()).map(MachBlock::new)
    }

    /// Indices of the instructions of `block`.
    #[inline]
    pub fn inst_range(&self, block: MachBlock) -> Range<usize> {
        run(block.index(), |i| self.blocks[i].insts)
    }

    /// The n-th block exists and is the entry when n is 0.
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Notes in how many loops every block is; an empty list stands for "none".
    pub fn set_loop_depths(&mut self, depths: &[u32]) {
        debug_assert!(depths.is_empty() || depths.len() == self.blocks.len());
        self.depths.clear();
        self.depths.extend_from_slice(depths);
    }

    /// In how many loops `block` is, as far as that is known.
    pub fn loop_depth(&self, block: MachBlock) -> u32 {
        self.depths.get(block.index()).copied().unwrap_or(0)
    }

    /// Writes the function with virtual registers as operands.
    pub fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        use ice_regalloc::Function;
        for block in self.blocks() {
            write!(out, "{block}")?;
            for (i, param) in self.block_params(block).iter().enumerate() {
                write!(out, "{}{param}", if i == 0 { "(" } else { ", " })?;
            }
            writeln!(out, "{}:", if self.block_params(block).is_empty() { "" } else { ")" })?;
            for i in self.inst_range(block) {
                write!(out, "    {:?}", self.insts[i])?;
                for (n, operand) in self.operands(MachInstId::new(i)).iter().enumerate() {
                    write!(out, "{}{operand}", if n == 0 { "  ; " } else { ", " })?;
                }
                writeln!(out)?;
            }
            for (n, succ) in self.block_succs(block).iter().enumerate() {
                write!(out, "    -> {succ}")?;
                for arg in self.edge_args(block, n) {
                    write!(out, " {arg}")?;
                }
                writeln!(out)?;
            }
        }
        Ok(())
    }
}

impl<I: MachInst> Sink<I> for MachFunction<I> {
    #[inline]
    fn new_vreg(&mut self, class: RegClass, size: u32) -> VReg {
        let vreg = VReg::new(self.vregs.len());
        self.vregs.push(VRegData { class, size });
        vreg
    }

    fn begin_block(&mut self, params: &[VReg]) {
        self.params.extend_from_slice(params);
    }

    #[inline]
    fn push(&mut self, inst: I) {
        inst.visit_operands(|operand| self.operands.push(operand));
        self.operand_ends.push(self.operands.len() as u32);
        self.insts.push(inst);
    }

    fn push_with(&mut self, inst: I, operands: &[Operand]) {
        inst.visit_operands(|operand| self.operands.push(operand));
        self.operands.extend_from_slice(operands);
        self.operand_ends.push(self.operands.len() as u32);
        self.insts.push(inst);
    }

    fn add_successor(&mut self, target: MachBlock, args: &[VReg]) {
        self.succs.push(target);
        self.args.extend_from_slice(args);
        self.arg_ends.push(self.args.len() as u32);
    }

    fn end_block(&mut self) {
        self.blocks.push(BlockData {
            insts: self.insts.len() as u32,
            params: self.params.len() as u32,
            succs: self.succs.len() as u32,
            preds: 0,
        });
    }

    fn frame(&mut self) -> &mut FrameInfo {
        &mut self.frame
    }
}

impl<I: MachInst> ice_regalloc::Function for MachFunction<I> {
    #[inline]
    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    #[inline]
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    #[inline]
    fn num_vregs(&self) -> usize {
        self.vregs.len()
    }

    #[inline]
    fn entry(&self) -> MachBlock {
        MachBlock::new(0)
    }

    #[inline]
    fn block_insts(&self, block: MachBlock) -> Range<MachInstId> {
        let range = self.inst_range(block);
        MachInstId::new(range.start)..MachInstId::new(range.end)
    }

    #[inline]
    fn block_succs(&self, block: MachBlock) -> &[MachBlock] {
        &self.succs[run(block.index(), |i| self.blocks[i].succs)]
    }

    #[inline]
    fn block_preds(&self, block: MachBlock) -> &[MachBlock] {
        &self.preds[run(block.index(), |i| self.blocks[i].preds)]
    }

    #[inline]
    fn block_params(&self, block: MachBlock) -> &[VReg] {
        &self.params[run(block.index(), |i| self.blocks[i].params)]
    }

    #[inline]
    fn edge_args(&self, block: MachBlock, succ_index: usize) -> &[VReg] {
        let edge = run(block.index(), |i| self.blocks[i].succs).start + succ_index;
        &self.args[run(edge, |i| self.arg_ends[i])]
    }

    #[inline]
    fn operands(&self, inst: MachInstId) -> &[Operand] {
        &self.operands[run(inst.index(), |i| self.operand_ends[i])]
    }

    #[inline]
    fn clobbers(&self, inst: MachInstId) -> RegUnits {
        self.insts[inst.index()].clobbers()
    }

    #[inline]
    fn is_move(&self, inst: MachInstId) -> Option<(VReg, VReg)> {
        self.insts[inst.index()].is_move()
    }

    #[inline]
    fn is_terminator(&self, inst: MachInstId) -> bool {
        self.insts[inst.index()].is_terminator()
    }

    #[inline]
    fn vreg_class(&self, vreg: VReg) -> RegClass {
        self.vregs[vreg.index()].class
    }

    #[inline]
    fn vreg_size(&self, vreg: VReg) -> u32 {
        self.vregs[vreg.index()].size
    }
}

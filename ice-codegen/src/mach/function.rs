//! The sequence itself, and the view of it that the register allocator asks for.

use super::origins::Origins;
use super::{
    FrameInfo, KeepOrigins, MachBlock, MachInst, MachInstId, Operand, RegClass, RegUnits, Remat, Role, Sink,
    Tables, VReg,
};
use crate::internal::{CodegenStep, Faults, Internal};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use cranelift_entity::EntityRef;
use ice_ir::Inst;
use ice_regalloc::{Leaving, References};

#[derive(Clone, Copy, Default)]
struct BlockData {
    /// Starts of the block's runs in the vectors below; a run ends where that of the next block starts.
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
    /// Constants and switches that instructions refer to by number.
    pub tables: Tables,
    insts: Vec<I>,
    operands: Vec<Operand>,
    /// For each instruction and the end: where its operands start.
    operand_starts: Vec<u32>,
    /// One for each block that has begun, and one for the end.
    blocks: Vec<BlockData>,
    params: Vec<VReg>,
    succs: Vec<MachBlock>,
    /// For each entry of `succs` and the end: where its arguments start.
    arg_starts: Vec<u32>,
    args: Vec<VReg>,
    preds: Vec<MachBlock>,
    vregs: Vec<VRegData>,
    depths: Vec<u32>,
    references: References,
    origins: Origins,
}

impl<I> Default for MachFunction<I> {
    fn default() -> Self {
        MachFunction {
            frame: FrameInfo::default(),
            tables: Tables::default(),
            insts: Vec::new(),
            operands: Vec::new(),
            operand_starts: vec![0],
            blocks: vec![BlockData::default()],
            params: Vec::new(),
            succs: Vec::new(),
            arg_starts: vec![0],
            args: Vec::new(),
            preds: Vec::new(),
            vregs: Vec::new(),
            depths: Vec::new(),
            references: References::default(),
            origins: Origins::default(),
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

/// Instructions for which there is room when a block begins: more than most blocks have.
const BLOCK_ROOM: usize = 256;

impl<I: MachInst> MachFunction<I> {
    /// An empty function.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything but whether origins are kept; keeps the memory.
    pub fn clear(&mut self) {
        self.frame.clear();
        self.tables.clear();
        self.insts.clear();
        self.operands.clear();
        self.operand_starts.truncate(1);
        self.blocks.clear();
        self.blocks.push(BlockData::default());
        self.params.clear();
        self.succs.clear();
        self.arg_starts.truncate(1);
        self.args.clear();
        self.preds.clear();
        self.vregs.clear();
        self.depths.clear();
        self.references.clear();
        self.origins.clear();
    }

    /// Computes the predecessors, once, when every block has ended. Linear in blocks and edges.
    ///
    /// # Errors
    /// A block has a successor that is not there.
    pub fn finish(&mut self) -> Result<(), Box<Internal>> {
        let count = self.num_blocks();
        let blocks = &mut self.blocks[..];
        let mut faults = Faults::default();
        for &succ in &self.succs {
            match blocks[..count].get_mut(succ.index()) {
                Some(block) => block.preds += 1,
                None => faults.note(succ, "a block has this successor, and there is no such block"),
            }
        }
        faults.check(CodegenStep::Lowering, |block| format!("{block}"))?;
        let mut total = 0;
        for block in &mut *blocks {
            // End of the run; moved to its start while the run is filled.
            total += block.preds;
            block.preds = total;
        }
        self.preds.clear();
        self.preds.resize(total as usize, MachBlock::new(0));
        let preds = &mut self.preds[..];
        let mut end = self.succs.len();
        for index in (0..blocks.len() - 1).rev() {
            let start = blocks[index].succs as usize;
            for succ in self.succs[start..end].iter().rev() {
                let slot = &mut blocks[succ.index()].preds;
                *slot -= 1;
                preds[*slot as usize] = MachBlock::new(index);
            }
            end = start;
        }
        Ok(())
    }

    /// For each instruction and the end: where its operands start among all.
    pub(crate) fn operand_starts(&self) -> &[u32] {
        &self.operand_starts
    }

    /// From now on functions lowered into this memory note what their instructions come from, or do not.
    pub fn keep_origins(&mut self, keep: KeepOrigins) {
        self.origins.keep = keep;
    }

    /// What instructions come from, where it was [kept](Self::keep_origins): each pair holds for the machine instructions
    /// from its first up to that of the next pair. The first ones ascend strictly.
    pub fn origins(&self) -> &[(MachInstId, Option<Inst>)] {
        self.origins.as_slice()
    }

    /// What a machine instruction is for, where that was kept. Logarithmic in the number of pairs.
    pub fn origin(&self, inst: MachInstId) -> Option<Inst> {
        self.origins.of(inst)
    }

    /// The instructions of the whole function.
    pub fn insts(&self) -> &[I] {
        &self.insts
    }

    /// Blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = MachBlock> + use<I> {
        (0..self.num_blocks()).map(MachBlock::new)
    }

    /// Indices of the instructions of `block`.
    #[inline]
    pub fn inst_range(&self, block: MachBlock) -> Range<usize> {
        run(&self.blocks, block.index(), |b| b.insts)
    }

    /// The n-th block exists and is the entry when n is 0.
    pub fn num_blocks(&self) -> usize {
        self.blocks.len() - 1
    }

    /// Notes in how many loops every block is; an empty list stands for "none".
    pub fn set_loop_depths(&mut self, depths: &[u32]) {
        debug_assert!(depths.is_empty() || depths.len() == self.num_blocks());
        self.depths.clear();
        self.depths.extend_from_slice(depths);
    }

    /// In how many loops `block` is, as far as that is known.
    pub fn loop_depth(&self, block: MachBlock) -> u32 {
        self.depths.get(block.index()).copied().unwrap_or(0)
    }

    /// Makes room for the instructions of a block. They are the largest list, so a long one grows by a quarter, not to
    /// twice its length.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.insts.reserve_exact(BLOCK_ROOM.max(self.insts.capacity() / 4));
    }

    /// Notes what the allocator wants to know of the instruction pushed last, which has the operands that it tells
    /// and `more`.
    #[inline(never)]
    fn note(&mut self, more: &[Operand]) {
        let Some(inst) = self.insts.last() else { return };
        let start = self.operands.len();
        inst.visit_operands(|operand| self.operands.push(operand));
        if !more.is_empty() {
            self.operands.extend_from_slice(more);
        }
        let operands = &self.operands[start..];
        self.references.inst(operands);
        let role = inst.role();
        if role == Role::Terminator {
            self.references.leave(operands);
        } else if role != Role::Usual {
            self.references.clobber(inst.clobbers());
            inst.is_move().into_iter().for_each(|(from, to)| self.references.copy(from, to));
        }
        self.operand_starts.push(self.operands.len() as u32);
    }
}

impl<I: MachInst> Sink<I> for MachFunction<I> {
    #[inline]
    fn new_vreg(&mut self, class: RegClass, size: u32) -> VReg {
        let vreg = VReg::new(self.vregs.len());
        self.vregs.push(VRegData { class, size });
        self.references.vreg(class);
        vreg
    }

    fn begin_block(&mut self, params: &[VReg]) {
        if self.insts.capacity() - self.insts.len() < BLOCK_ROOM {
            self.make_room();
        }
        self.params.extend_from_slice(params);
        params.iter().for_each(|&param| self.references.param(param));
    }

    /// Inlined, so that the instruction is made where it stays.
    #[inline(always)]
    fn push(&mut self, inst: I) {
        self.insts.push(inst);
        self.note(&[]);
    }

    #[inline(always)]
    fn push_with(&mut self, inst: I, operands: &[Operand]) {
        self.insts.push(inst);
        self.note(operands);
    }

    fn add_successor(&mut self, target: MachBlock, args: &[VReg]) {
        self.succs.push(target);
        self.args.extend_from_slice(args);
        self.arg_starts.push(self.args.len() as u32);
    }

    fn set_origin(&mut self, origin: Option<Inst>) {
        self.origins.begin(MachInstId::new(self.insts.len()), origin);
    }

    fn keeps_origins(&self) -> bool {
        self.origins.keep == KeepOrigins::Yes
    }

    fn end_block(&mut self) {
        let first = self.blocks.last().map_or(0, |block| block.succs as usize);
        let edges = first..self.succs.len();
        let leaving = if edges.len() > 1 { Leaving::WithOthers } else { Leaving::Alone };
        if self.args.len() > self.arg_starts[edges.start] as usize {
            for edge in edges {
                self.references.edge(&self.args[run(&self.arg_starts, edge, |start| start)], leaving);
            }
        }
        self.references.end_block();
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

    fn tables(&mut self) -> &mut Tables {
        &mut self.tables
    }
}

impl<I: MachInst> ice_regalloc::Function for MachFunction<I> {
    #[inline]
    fn num_blocks(&self) -> usize {
        self.blocks.len() - 1
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
        &self.succs[run(&self.blocks, block.index(), |b| b.succs)]
    }

    #[inline]
    fn block_preds(&self, block: MachBlock) -> &[MachBlock] {
        &self.preds[run(&self.blocks, block.index(), |b| b.preds)]
    }

    #[inline]
    fn block_params(&self, block: MachBlock) -> &[VReg] {
        &self.params[run(&self.blocks, block.index(), |b| b.params)]
    }

    #[inline]
    fn edge_args(&self, block: MachBlock, succ_index: usize) -> &[VReg] {
        let edge = run(&self.blocks, block.index(), |b| b.succs).start + succ_index;
        &self.args[run(&self.arg_starts, edge, |start| start)]
    }

    #[inline]
    fn operands(&self, inst: MachInstId) -> &[Operand] {
        &self.operands[run(&self.operand_starts, inst.index(), |start| start)]
    }

    #[inline]
    fn operand_lists(&self) -> Option<(&[Operand], &[u32])> {
        Some((&self.operands, &self.operand_starts))
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
    fn rematerialize(&self, inst: MachInstId) -> Option<Remat> {
        self.insts[inst.index()].rematerialize()
    }

    #[inline]
    fn references(&self) -> Option<&References> {
        self.references.is_usable().then_some(&self.references)
    }

    #[inline]
    fn loop_depth(&self, block: MachBlock) -> Option<u32> {
        self.depths.get(block.index()).copied()
    }

    #[inline]
    fn is_terminator(&self, inst: MachInstId) -> bool {
        self.insts[inst.index()].role() == Role::Terminator
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

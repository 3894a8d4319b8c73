//! The sequence itself, with what the register allocator is told of it.

use super::origins::Origins;
use super::{
    FrameInfo, KeepOrigins, MachBlock, MachInst, MachInstId, Operand, RegClass, Role, Sink, Tables, VReg,
};
use crate::internal::{CodegenStep, Faults, Internal};
use crate::live::{LiveOperands, LoweredCall};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;
use cranelift_entity::EntityRef;
use ice_ir::{Exceptions, Inst};
use ice_regalloc::{Error, Function, Mode};

/// A function in machine instructions. Reused from function to function.
#[derive(Clone)]
pub struct MachFunction<I> {
    /// Frame facts gathered by lowering.
    pub frame: FrameInfo,
    /// Constants and switches that instructions refer to by number.
    pub tables: Tables,
    /// What its pads want of exceptions, if it has some.
    pub exceptions: Option<Box<Exceptions>>,
    insts: Vec<I>,
    /// Its blocks, edges and operands.
    body: Function,
    pub(super) origins: Origins,
    mode: Mode,
    /// What the next call gets.
    expected_live: Option<Box<LiveOperands>>,
    pub(super) live: Vec<LoweredCall>,
}

impl<I> Default for MachFunction<I> {
    fn default() -> Self {
        MachFunction {
            frame: FrameInfo::default(),
            tables: Tables::default(),
            exceptions: None,
            insts: Vec::new(),
            body: Function::new(),
            origins: Origins::default(),
            mode: Mode::default(),
            expected_live: None,
            live: Vec::new(),
        }
    }
}

/// Instructions for which there is room when a block begins: more than most blocks have.
const BLOCK_ROOM: usize = 256;

impl<I: MachInst> MachFunction<I> {
    /// An empty function.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything but whether origins are kept and the mode that it is for; keeps the memory.
    pub fn clear(&mut self) {
        self.clear_for(0);
    }

    /// Forgets as [`clear`](Self::clear) does, before a function of about `insts` instructions, for which there is room then.
    pub fn clear_for(&mut self, insts: usize) {
        self.frame.clear();
        self.tables.clear();
        if self.exceptions.is_some() {
            self.exceptions = None;
        }
        self.body.clear_for(insts);
        self.insts.clear();
        let room = insts + BLOCK_ROOM;
        if self.insts.capacity() < room {
            self.insts = Vec::with_capacity(room);
        }
        self.origins.clear();
        self.expected_live = None;
        self.live.clear();
    }

    /// From now on functions lowered into this memory are for an allocation in `mode`, and need not be fit for others.
    pub fn write_for(&mut self, mode: Mode) {
        self.mode = mode;
        self.body.write_for(mode);
    }

    /// The mode of the allocation that functions in this memory are for.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Computes the predecessors, once, when every block has ended. Linear in blocks and edges.
    ///
    /// # Errors
    /// A block has a successor that is not there.
    pub fn finish(&mut self) -> Result<(), Box<Internal>> {
        let mut faults = Faults::default();
        if let Err(Error::BadEdge { block }) = self.body.finish() {
            faults.note(block, "it has a successor that is not there");
        }
        faults.check(CodegenStep::Lowering, |block| format!("{block}"))
    }

    /// What the register allocator sees: blocks, edges and operands.
    #[inline]
    pub fn body(&self) -> &Function {
        &self.body
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

    /// The calls with live values, in order.
    pub(crate) fn live_calls(&self) -> &[LoweredCall] {
        &self.live
    }

    /// Blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = MachBlock> + use<I> {
        (0..self.num_blocks()).map(MachBlock::new)
    }

    /// Indices of the instructions of `block`.
    #[inline]
    pub fn inst_range(&self, block: MachBlock) -> Range<usize> {
        let range = self.body.block_insts(block);
        range.start.index()..range.end.index()
    }

    /// The n-th block exists and is the entry when n is 0.
    pub fn num_blocks(&self) -> usize {
        self.body.num_blocks()
    }

    /// Notes in how many loops every block is; an empty list stands for "none".
    pub fn set_loop_depths(&mut self, depths: &[u32]) {
        debug_assert!(depths.is_empty() || depths.len() == self.num_blocks());
        self.body.set_loop_depths(depths);
    }

    /// In how many loops `block` is, as far as that is known.
    pub fn loop_depth(&self, block: MachBlock) -> u32 {
        self.body.loop_depth(block).unwrap_or(0)
    }

    /// Notes how often control comes to every block when it goes once through the loops around it; an empty list stands for
    /// "once".
    pub fn set_chances(&mut self, chances: &[f32]) {
        debug_assert!(chances.is_empty() || chances.len() == self.num_blocks());
        self.body.set_chances(chances);
    }

    /// Makes room for the instructions of a block. They are the largest list, so a long one grows by a quarter, not to
    /// twice its length.
    #[cold]
    #[inline(never)]
    fn make_block_room(&mut self) {
        self.insts.reserve_exact(BLOCK_ROOM.max(self.insts.capacity() / 4));
    }

    /// Appends a call with its live values, behind its other operands.
    #[cold]
    #[inline(never)]
    fn push_with_live(&mut self, call: I, operands: &[Operand]) {
        let LiveOperands { values, operands: live } = *self.expected_live.take().unwrap_or_default();
        self.live.push(LoweredCall { inst: MachInstId::new(self.insts.len()), values });
        self.insts.push(call);
        self.note(&[operands, &live].concat());
    }

    /// Notes what the allocator wants to know of the instruction pushed last, which has the operands that it tells
    /// and `more`.
    #[inline(never)]
    fn note(&mut self, more: &[Operand]) {
        let Some(inst) = self.insts.last() else { return };
        let role = inst.visit_operands(|operand| self.body.operand(operand));
        if !more.is_empty() {
            self.body.add_operands(more);
        }
        self.body.inst();
        if role == Role::Usual {
            debug_assert!(inst.rematerialize().is_none(), "{inst:?}");
            return;
        }
        match role {
            Role::Usual => {}
            Role::Remade => self.body.remat(|| inst.rematerialize()),
            Role::Terminator => self.body.terminator(),
            Role::Move => self.body.copy(),
            Role::Clobbers => self.body.clobber(inst.clobbers()),
            Role::Invokes => {
                self.body.clobber(inst.clobbers());
                self.body.terminator();
            }
        }
    }
}

impl<I: MachInst> Sink<I> for MachFunction<I> {
    #[inline]
    fn new_vreg(&mut self, class: RegClass, size: u32) -> VReg {
        self.body.vreg(class, size)
    }

    #[inline]
    fn vreg_size(&self, vreg: VReg) -> u32 {
        self.body.vreg_size(vreg)
    }

    fn begin_block(&mut self, params: &[VReg]) {
        if self.insts.capacity() - self.insts.len() < BLOCK_ROOM {
            self.make_block_room();
        }
        self.body.begin_block(params);
    }

    /// Inlined, so that the instruction is made where it stays.
    #[inline(always)]
    fn push(&mut self, inst: I) {
        self.insts.push(inst);
        self.note(&[]);
    }

    #[inline(always)]
    fn push_with(&mut self, inst: I, operands: &[Operand]) {
        if self.expected_live.is_some() && inst.is_call() {
            return self.push_with_live(inst, operands);
        }
        self.insts.push(inst);
        self.note(operands);
    }

    fn add_successor(&mut self, target: MachBlock, args: &[VReg]) {
        self.body.edge(target, args);
    }

    fn expect_live(&mut self, live: LiveOperands) {
        debug_assert!(self.expected_live.is_none(), "every call takes what is for it");
        self.expected_live = Some(Box::new(live));
    }

    fn set_origin(&mut self, origin: Option<Inst>) {
        self.origins.begin(MachInstId::new(self.insts.len()), origin);
    }

    fn keeps_origins(&self) -> bool {
        self.origins.keep == KeepOrigins::Yes
    }

    fn end_block(&mut self) {
        self.body.end_block();
    }

    fn frame(&mut self) -> &mut FrameInfo {
        &mut self.frame
    }

    fn tables(&mut self) -> &mut Tables {
        &mut self.tables
    }
}

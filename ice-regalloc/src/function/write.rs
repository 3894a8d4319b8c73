//! Writing a function down.

use super::{Function, Remat, Runs, move_pair, run};
use crate::context::Mode;
use crate::error::Error;
use crate::memory::{make_room, refill};
use crate::operand::{Block, Inst, Operand, VReg};
use crate::references::Leaving;
use crate::registers::{RegClass, RegUnits};
use crate::rows::Shape;
use crate::scan::params_at_start;
use core::ops::Range;

impl Function {
    /// An empty function.
    pub fn new() -> Function {
        Function::default()
    }

    /// Forgets everything but the mode that it is written for, keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.clear_for(0);
    }

    /// Forgets as [`clear`](Self::clear) does, before a function of about `insts` instructions, for which there is room then.
    pub fn clear_for(&mut self, insts: usize) {
        self.operands.clear();
        make_room(&mut self.operands, 2 * insts);
        self.blocks.clear();
        self.blocks.push(Runs::default());
        self.params.clear();
        self.succs.clear();
        self.arg_starts.truncate(1);
        self.args.clear();
        self.preds.clear();
        self.depths.clear();
        self.chances.clear();
        self.back_edges.clear();
        self.references.clear();
        self.references.make_room(insts);
    }

    /// From now on functions are written for `mode`: what it does not ask is not noted. At first they are written for every
    /// mode.
    pub fn write_for(&mut self, mode: Mode) {
        self.references.is_brief = mode != Mode::Linear;
    }

    /// Adds a virtual register: the class of registers that hold it, and of the moves and slots made for it; and the
    /// bytes of a slot for it, 0 for `spill_size` of the class. The alignment is always that of the class.
    #[inline]
    pub fn vreg(&mut self, class: RegClass, size: u32) -> VReg {
        let vreg = VReg::from_u32(self.references.threads.len() as u32);
        self.references.vreg(class, size);
        vreg
    }

    /// Begins the next block. `params` get a value on entry (phis).
    #[inline]
    pub fn begin_block(&mut self, params: &[VReg]) {
        if !params.is_empty() {
            self.add_params(params);
        }
    }

    fn add_params(&mut self, params: &[VReg]) {
        self.params.extend_from_slice(params);
        params.iter().for_each(|&param| self.references.param(param));
    }

    /// Adds an operand of the instruction that the next [`inst`](Self::inst) adds.
    #[inline(always)]
    pub fn operand(&mut self, operand: Operand) {
        self.operands.push(operand);
    }

    /// Adds operands of the instruction that the next [`inst`](Self::inst) adds.
    #[inline(always)]
    pub fn add_operands(&mut self, operands: &[Operand]) {
        self.operands.extend_from_slice(operands);
    }

    /// Adds an instruction: its operands are those added since the one before.
    #[inline(always)]
    pub fn inst(&mut self) -> Inst {
        let inst = self.num_insts();
        if let Some(operands) = self.operands.get(self.references.rows.start(inst)..) {
            self.references.inst(operands);
        }
        Inst::from_u32(inst as u32)
    }

    /// Where the operands of the latest instruction start.
    #[inline]
    fn latest_start(&self) -> usize {
        self.references.rows.start(self.num_insts().saturating_sub(1))
    }

    /// The operands of the latest instruction.
    #[inline]
    fn latest(&self) -> &[Operand] {
        self.operands.get(self.latest_start()..).unwrap_or_default()
    }

    /// Control may leave the block at the latest instruction.
    #[inline]
    pub fn terminator(&mut self) {
        self.references.leave(self.operands.len() > self.latest_start());
    }

    /// The latest instruction destroys `units` beside its definitions, after its uses are read. A Late Def may be in a
    /// clobbered register (the result of a call).
    #[inline]
    pub fn clobber(&mut self, units: RegUnits) {
        self.references.clobber(units);
    }

    /// The latest instruction only copies what it uses to what it defines. A hint; the operands are still what counts,
    /// and a copy whose places come out equal may be left out by the client.
    #[inline(never)]
    pub fn copy(&mut self) {
        if let Some((from, to)) = move_pair(self.latest()) {
            self.references.copy(from, to);
        }
    }

    /// The value that the latest instruction defines can be made again, if `remat` says how: a constant, an address, an argument on the
    /// stack. Such an instruction has one operand, a Late Def that says Reg or Any, gives the same value whenever it is
    /// executed in this function, and changes nothing else; of any other instruction this is ignored. A value without a
    /// register is then made again at its uses, in place of a reload, and never stored; constants as edge arguments are
    /// made on the edge.
    #[inline]
    pub fn remat(&mut self, remat: impl FnOnce() -> Option<Remat>) {
        if let [op] = self.latest()
            && op.is_plain()
            && !op.is_use()
            && let Some(remat) = remat()
        {
            self.references.remat(remat);
        }
    }

    /// Adds an edge from the block to `target`, which gives `args` to its parameters in order.
    #[inline]
    pub fn edge(&mut self, target: Block, args: &[VReg]) {
        self.succs.push(target);
        if !args.is_empty() {
            self.args.extend_from_slice(args);
        }
        self.arg_starts.push(self.args.len() as u32);
    }

    /// Ends the block.
    pub fn end_block(&mut self) {
        let first = self.blocks.last().map_or(0, |block| block.succs as usize);
        if self.args.len() > self.arg_starts[first] as usize {
            self.refer_to_args(first..self.succs.len());
        }
        self.references.end_block();
        self.blocks.push(Runs {
            insts: self.num_insts() as u32,
            params: self.params.len() as u32,
            succs: self.succs.len() as u32,
            preds: 0,
        });
    }

    /// Notes the references of the arguments of `edges`, which leave the block at work.
    fn refer_to_args(&mut self, edges: Range<usize>) {
        let leaving = if edges.len() > 1 { Leaving::WithOthers } else { Leaving::Alone };
        let args = self.arg_starts[edges.start] as usize..self.arg_starts[edges.end] as usize;
        self.references.edge(&self.args[args], leaving);
    }

    /// Notes in how many loops every block is, so that values are kept in registers in the innermost loops first. Without
    /// that, branches back in layout order are taken for loops.
    pub fn set_loop_depths(&mut self, depths: &[u32]) {
        self.depths.clear();
        self.depths.extend_from_slice(depths);
    }

    /// Notes how often control comes to every block when it goes once through the loops around it, from 0 to 1. Without that,
    /// once.
    pub fn set_chances(&mut self, chances: &[f32]) {
        self.chances.clear();
        self.chances.extend_from_slice(chances);
    }

    /// Computes the predecessors, when every block has ended. Linear in blocks and edges.
    ///
    /// # Errors
    /// [`Error::BadEdge`]: a block has a successor that is not there.
    pub fn finish(&mut self) -> Result<(), Error> {
        let count = self.num_blocks();
        let known = &mut self.blocks[..count];
        for succ in &self.succs {
            match known.get_mut(succ.as_u32() as usize) {
                Some(block) => block.preds += 1,
                None => return Err(self.bad_edge()),
            }
        }
        let mut total = 0;
        for block in &mut self.blocks {
            // End of the run; moved to its start while the run is filled.
            total += block.preds;
            block.preds = total;
        }
        self.back_edges.clear();
        refill(&mut self.preds, total as usize, Block::from_u32(0));
        let (blocks, preds) = (&mut self.blocks[..], &mut self.preds[..]);
        let mut end = self.succs.len();
        for index in (0..count).rev() {
            let start = blocks[index].succs as usize;
            for succ in self.succs[start..end].iter().rev() {
                let slot = &mut blocks[succ.as_u32() as usize].preds;
                *slot -= 1;
                preds[*slot as usize] = Block::from_u32(index as u32);
                if succ.as_u32() <= index as u32 {
                    self.back_edges.push((Block::from_u32(index as u32), *succ));
                }
            }
            end = start;
        }
        if self.references.is_disordered() {
            self.refer_again();
        }
        self.references.finish();
        if !self.params.is_empty() {
            (0..count as u32).for_each(|b| self.cross_params(Block::from_u32(b)));
        }
        Ok(())
    }

    /// Notes which parameters of `block` are set in the blocks in front of it.
    fn cross_params(&mut self, block: Block) {
        if !self.block_params(block).is_empty() && !params_at_start(self, block) {
            let params = run(&self.blocks, block.as_u32() as usize, |block| block.params);
            self.params[params].iter().for_each(|&param| self.references.cross(param));
        }
    }

    /// The error for the first block with a successor that is not there.
    #[cold]
    fn bad_edge(&self) -> Error {
        let is_bad = |&block: &Block| {
            self.block_succs(block).iter().any(|succ| succ.as_u32() as usize >= self.num_blocks())
        };
        let block = (0..self.num_blocks() as u32).map(Block::from_u32).find(is_bad);
        Error::BadEdge { block: block.unwrap_or(self.entry()) }
    }

    /// Threads the references again, with the arguments of edges in front of the terminators.
    fn refer_again(&mut self) {
        let known = core::mem::take(&mut self.references);
        self.references.is_brief = known.is_brief;
        known.threads.iter().for_each(|thread| self.references.vreg(thread.class, thread.size));
        for block in (0..self.num_blocks() as u32).map(Block::from_u32) {
            for n in run(&self.blocks, block.as_u32() as usize, |b| b.params) {
                self.references.param(self.params[n]);
            }
            let (edges, mut left) = (run(&self.blocks, block.as_u32() as usize, |b| b.succs), false);
            for i in run(&self.blocks, block.as_u32() as usize, |b| b.insts) {
                let facts = known.rows.shape(i);
                if facts.has(Shape::TERMINATOR) && !core::mem::replace(&mut left, true) {
                    self.refer_to_args(edges.clone());
                }
                let inst = Inst::from_u32(i as u32);
                let ops = &self.operands[known.rows.start(i)..known.rows.start(i + 1)];
                self.references.inst(ops);
                if facts.has(Shape::TERMINATOR) {
                    self.references.leave(!ops.is_empty());
                }
                if facts.has(Shape::COPY)
                    && let Some((from, to)) = move_pair(ops)
                {
                    self.references.copy(from, to);
                }
                self.references.clobber(known.clobbers(inst));
                known.remat_of(inst).into_iter().for_each(|remat| self.references.remat(remat));
            }
            self.references.end_block();
        }
    }
}

//! What the emission walk asks: instructions, ends of blocks, and edits.

use super::Emitter;
use super::frame::LANDING_OF_JUMPS;
use crate::inst::Inst;
use crate::regs;
use ice_asm::aarch64::{Branches, FloatWidth, Mem, Transfer, Width};
use ice_asm::{CodeBuffer, Listing};
use ice_codegen::emission::{BranchEmitter as _, Cursor, FrameEmitter as _, InstEmitter, label};
use ice_codegen::fusion::Ledger;
use ice_codegen::mach::MachBlock;
use ice_regalloc::Edit;

/// The largest offset of a word that one instruction reaches.
const REACH: i32 = 4 * 4096;

impl<'a, L: Listing> InstEmitter<'a> for Emitter<'a, L> {
    type Inst = Inst;
    type Listing = L;
    type Branches = Branches;

    #[inline(always)]
    fn is_written(&mut self, block: MachBlock) -> bool {
        let is_passed = self.cursor.take_passed();
        if is_passed {
            self.ledger.passed(self.cursor.mach, block);
        }
        is_passed
    }

    #[inline(always)]
    fn bind_block(&mut self, block: MachBlock) {
        self.e.buf.bind(label(block));
        if self.landings.has(block) {
            self.e.hint(LANDING_OF_JUMPS);
        }
    }

    #[inline(always)]
    fn begin_block(&mut self, block: MachBlock) {
        if self.state.late.place().is_some() {
            self.enter_block(block);
        }
        self.plan.clear();
        self.end = self.cursor.mach.inst_range(block).end;
    }

    fn last(&mut self, inst: &'a Inst) {
        self.end_plan();
        match *inst {
            Inst::Jump { target } => self.jump_to(target),
            Inst::Ret => self.epilogue(),
            _ => {
                self.cursor.take_operands();
                self.inst(inst);
            }
        }
    }

    /// No instruction has a way of its own.
    #[inline(always)]
    fn usual(&mut self, _: &'a Inst) -> bool {
        false
    }

    #[inline(always)]
    fn fused(&mut self, inst: &'a Inst) -> bool {
        self.plan_accesses(inst);
        let has_plan = self.plan.upcoming() == Some(self.cursor.at);
        if has_plan {
            self.planned(inst);
        }
        has_plan
    }

    #[inline(always)]
    fn ledger(&mut self) -> Option<&mut Ledger> {
        Some(self.ledger)
    }

    #[inline(always)]
    fn cursor(&mut self) -> &mut Cursor<'a, Inst> {
        &mut self.cursor
    }

    #[inline(always)]
    fn inst(&mut self, inst: &'a Inst) {
        self.dispatch(inst);
    }

    #[inline(always)]
    fn buffer(&mut self) -> &mut CodeBuffer<L, Branches> {
        self.e.buf
    }

    /// Nearly all are between a register and a slot that is near.
    #[inline(always)]
    fn edit(&mut self, edit: &'a Edit) {
        let &Edit { from, to, class, size, .. } = edit;
        if class == regs::GPR && size == 4 {
            if let (Some(to), Some(offset @ 0..REACH)) = (regs::as_gpr(to), self.frame.layout.slot(from)) {
                return self.e.transfer(Transfer::LdrW, to, Mem::new(self.base(), offset));
            }
            if let (Some(from), Some(offset @ 0..REACH)) = (regs::as_gpr(from), self.frame.layout.slot(to)) {
                return self.e.transfer(Transfer::StrW, from, Mem::new(self.base(), offset));
            }
        }
        self.any_edit(edit);
    }

    fn copy_place(&mut self, edit: &'a Edit) {
        let &Edit { from, to, class, size, .. } = edit;
        match (class, size) {
            (regs::GPR, 4) => self.move_word(Width::W, to, from),
            (regs::GPR, _) => self.move_word(Width::X, to, from),
            (regs::FLOAT, 4) => self.move_vector(FloatWidth::S, to, from),
            (regs::FLOAT, _) => self.move_vector(FloatWidth::D, to, from),
            (regs::QUAD, _) => self.move_vector(FloatWidth::Q, to, from),
            _ => self.fault("an edit has a class of no registers"),
        }
    }
}

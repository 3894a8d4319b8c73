//! What the emission walk asks: instructions, ends of blocks, and edits.

use super::{AL, Emitter};
use crate::inst::Inst;
use crate::regs;
use ice_asm::arm32::{Branches, Mem, Transfer};
use ice_asm::{CodeBuffer, Listing};
use ice_codegen::emission::{BranchEmitter as _, Cursor, FrameEmitter as _, InstEmitter, NO_REGISTER, label};
use ice_codegen::fusion::Ledger;
use ice_codegen::mach::MachBlock;
use ice_regalloc::Edit;

impl<'a, L: Listing> InstEmitter<'a> for Emitter<'a, L> {
    type Inst = Inst;
    type Listing = L;
    type Branches = Branches;

    #[inline(always)]
    fn cursor(&mut self) -> &mut Cursor<'a, Inst> {
        &mut self.cursor
    }

    #[inline(always)]
    fn buffer(&mut self) -> &mut CodeBuffer<L, Branches> {
        self.e.buf
    }

    #[inline(always)]
    fn is_written(&mut self, block: MachBlock) -> bool {
        self.written[block.as_u32() as usize]
    }

    #[inline(always)]
    fn bind_block(&mut self, block: MachBlock) {
        match self.landings.has(block) {
            false => self.e.buf.bind(label(block)),
            true => self.e.buf.bind_aligned(label(block), self.target.bundle()),
        }
    }

    #[inline(always)]
    fn begin_block(&mut self, block: MachBlock) {
        if self.state.late.place().is_some() {
            self.enter_block(block);
        }
        self.tested = None;
        self.plan.clear();
        self.end = self.cursor.mach.inst_range(block).end;
    }

    /// Only what has no condition and no part in a plan is usual.
    #[inline(always)]
    fn usual(&mut self, inst: &'a Inst) -> bool {
        self.plan.upcoming() != Some(self.cursor.at) && self.cond == AL && self.usual_inst(inst)
    }

    #[inline(always)]
    fn fused(&mut self, inst: &'a Inst) -> bool {
        self.plan_steps(inst);
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
    fn inst(&mut self, inst: &'a Inst) {
        self.dispatch(inst);
    }

    fn last(&mut self, inst: &'a Inst) {
        self.end_plan();
        match *inst {
            Inst::Jump { target } => self.jump_to(target),
            Inst::Branch { cond, or, if_true, if_false } => self.branch_on(cond, or, if_true, if_false),
            Inst::Ret => self.epilogue(),
            _ => {
                self.cursor.take_operands();
                self.inst(inst);
            }
        }
    }

    /// Nearly all are between a register and a slot, without a condition.
    #[inline(always)]
    fn edit(&mut self, edit: &'a Edit) {
        let &Edit { from, to, class, .. } = edit;
        if class == regs::GPR && self.has_plain_slots {
            if let (Some(to), Some(offset @ 0..4096)) = (regs::as_gpr(to), self.frame.layout.slot(from)) {
                return self.e.transfer(AL, Transfer::Ldr, to, Mem::new(self.base(), offset));
            }
            if let (Some(from), Some(offset @ 0..4096)) = (regs::as_gpr(from), self.frame.layout.slot(to)) {
                return self.e.transfer(AL, Transfer::Str, from, Mem::new(self.base(), offset));
            }
        }
        self.any_edit(edit);
    }

    fn copy_place(&mut self, edit: &'a Edit) {
        if edit.class != regs::GPR {
            return self.move_float(Self::size_of(edit.class), edit.to, edit.from);
        }
        match (regs::as_gpr(edit.to), regs::as_gpr(edit.from)) {
            (Some(to), _) => self.copy_to(to, edit.from),
            (None, Some(from)) => {
                let (base, offset) = self.slot(edit.to);
                self.transfer_at(Transfer::Str, from, base, offset);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// At the end of a block all that was planned has come.
    pub(super) fn end_plan(&mut self) {
        if self.tested.is_some() || self.plan.upcoming().is_some() {
            self.fault("a comparison or an access that was planned has not come before it");
        }
    }
}

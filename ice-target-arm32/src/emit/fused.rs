//! Fused instructions, written as the plans of [`fuse`](crate::fuse) say.

use super::{AL, Emitter};
use crate::fuse::AllocatedCode;
use crate::fuse::predicate::{Predication, Then, edits_of, may_be_body, predication};
use crate::inst::Inst;
use crate::regs;
use ice_asm::Listing;
use ice_asm::arm32::{Cond, Index, Mem};
use ice_codegen::emission::{InstEmitter as _, NO_REGISTER};
use ice_codegen::fusion::{
    Fate, NOT_PLANNED, SteppingAccess, SteppingInst as _, When, Writeback, Writebacks,
};
use ice_codegen::mach::MachBlock;

impl<'a, L: Listing> Emitter<'a, L> {
    /// The function and its allocation.
    #[inline(always)]
    pub(super) fn code(&self) -> AllocatedCode<'a> {
        AllocatedCode { mach: self.cursor.mach, allocation: self.cursor.allocation }
    }

    // ---- addresses that step

    /// Plans the pairs of the block from the current instruction on, if it can begin one and there is no plan yet.
    #[inline(always)]
    pub(super) fn plan_steps(&mut self, inst: &Inst) {
        if !self.plan.is_made() && (inst.access_at_register().is_some() || inst.step().is_some()) {
            self.make_plan();
        }
    }

    #[inline(never)]
    fn make_plan(&mut self) {
        let (code, end) = (self.code(), self.end);
        let mut writebacks = Writebacks::default();
        self.plan.make(code, self.cursor.at, end, |id, inst| writebacks.find(code, id, inst, end));
    }

    /// Does what the plan says of the current instruction.
    pub(super) fn planned(&mut self, inst: &Inst) {
        let Some(fate) = self.plan.take() else { return self.fault(NOT_PLANNED) };
        let Fate::Does { fusion: Writeback { when, amount }, other: step } = fate else { return };
        let access = self.code().stepping_access(self.cursor.at, inst);
        let (
            Some(SteppingAccess { place, data: Some(data), .. }),
            Inst::Load { op, .. } | Inst::Store { op, .. },
        ) = (access, *inst)
        else {
            return self.fault(NOT_PLANNED);
        };
        let (Some(base), Some(data)) = (regs::as_gpr(place), regs::as_gpr(data)) else {
            return self.fault(NO_REGISTER);
        };
        let index = match when {
            When::Before => Index::Pre,
            When::Behind => Index::Post,
        };
        let mem = Mem { index, ..Mem::new(base, amount) };
        self.confine(base);
        self.e.transfer(self.cond, op, data, mem);
        self.ledger.itself(self.cursor.mach, self.cursor.at);
        self.ledger.part_of(self.cursor.mach, step, self.cursor.at);
    }

    // ---- conditional execution

    /// Writes a branch with one of its successors, or both, if that is shorter. False if it has written nothing.
    pub(super) fn predicate(&mut self, cond: Cond, if_true: MachBlock, if_false: MachBlock) -> bool {
        let (code, block) = (self.code(), self.cursor.block);
        // The prologue has no condition.
        if self.state.late.place().is_some_and(|place| [if_true, if_false].contains(&place)) {
            return false;
        }
        if ![if_true, if_false].into_iter().any(|body| may_be_body(code, block, body, self.written)) {
            return false;
        }
        let plan = predication(code, block, [if_true, if_false], cond, self.cursor.edits, self.written);
        let Some(Predication { bodies, then }) = plan else { return false };
        for (body, cond) in bodies.into_iter().flatten() {
            self.write_body(body, cond);
        }
        match then {
            Then::Jump(target) => {
                let target = self.target_label(target);
                self.e.jump(target);
            }
            Then::Back { cond, header, other } => {
                let header = self.target_label(header);
                self.e.jump_if(cond, header);
                if let Some(other) = other {
                    let other = self.target_label(other);
                    self.e.jump(other);
                }
            }
        }
        true
    }

    /// Writes a block in place of the branch to it, under a condition.
    fn write_body(&mut self, block: MachBlock, cond: Cond) {
        let had_plain_slots = core::mem::replace(&mut self.has_plain_slots, false);
        self.cond = cond;
        let (left, branch) = (self.cursor.edits, self.cursor.at);
        self.cursor.edits = edits_of(self.code(), block, self.cursor.block, left);
        self.insts_to_last(block);
        self.end_plan();
        self.ledger.part_of(self.cursor.mach, self.cursor.at, branch);
        self.cursor.edits = left;
        self.cursor.at = branch;
        self.cond = AL;
        self.has_plain_slots = had_plain_slots;
        self.written[block.as_u32() as usize] = true;
    }
}

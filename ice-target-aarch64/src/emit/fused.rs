//! Fused accesses, written as the plans of [`fuse`](crate::fuse) say.

use super::Emitter;
use crate::fuse::{AllocatedCode, Finder, Fusion, Kind, may_be_fused, neighbour};
use crate::inst::{Base, Inst};
use crate::regs;
use ice_asm::Listing;
use ice_asm::aarch64::{Gpr, Mem, Offset};
use ice_codegen::emission::{InstEmitter as _, NO_REGISTER};
use ice_codegen::fusion::{Fate, NOT_PLANNED, SteppingAccess, When, Writeback};
use ice_codegen::mach::MachInstId;
use ice_regalloc::{Allocation, Mode};

impl<'a, L: Listing> Emitter<'a, L> {
    /// The function and its allocation.
    fn code(&self) -> AllocatedCode<'a> {
        AllocatedCode { mach: self.cursor.mach, allocation: self.cursor.allocation }
    }

    /// Plans the pairs of the block from the current instruction on, if it can begin one and there is no plan yet: at O2 alone,
    /// for at Om1 that is 4 % of the translation, and code executes 1 % fewer instructions with it.
    #[inline(always)]
    pub(super) fn plan_accesses(&mut self, inst: &Inst) {
        if self.cursor.mach.mode() == Mode::Linear && !self.plan.is_made() && may_be_fused(inst) {
            self.make_plan();
        }
    }

    #[inline(never)]
    fn make_plan(&mut self) {
        let (code, frame, end) = (self.code(), self.frame, self.end);
        let mut finder = Finder::default();
        let find = |id, inst: &Inst| match may_be_fused(inst) {
            true => finder.find(code, frame, id, inst, end),
            false => None,
        };
        self.plan.make(code, self.cursor.at, end, find);
    }

    /// Does what the plan says of the current instruction.
    pub(super) fn planned(&mut self, inst: &Inst) {
        let Some(fate) = self.plan.take() else { return self.fault(NOT_PLANNED) };
        let Fate::Does { fusion, other } = fate else { return };
        let (mach, at) = (self.cursor.mach, self.cursor.at);
        self.ledger.itself(mach, at);
        self.ledger.part_of(mach, other, at);
        match fusion {
            Fusion::Step(step) => self.stepping_access(inst, step),
            Fusion::Pair => self.access_pair(inst, other),
        }
    }

    /// A general register; one of zeros where there is no operand.
    fn gpr_or_zero(&mut self, place: Option<Allocation>) -> Gpr {
        match place.map(regs::as_gpr) {
            None => Gpr::ZERO,
            Some(Some(reg)) => reg,
            Some(None) => {
                self.fault(NO_REGISTER);
                Gpr::ZERO
            }
        }
    }

    /// An access that moves its base.
    fn stepping_access(&mut self, inst: &Inst, Writeback { when, amount }: Writeback) {
        let access = self.code().stepping_access(self.cursor.at, inst);
        let Some(SteppingAccess { place, data, .. }) = access else { return self.fault(NOT_PLANNED) };
        let offset = match when {
            When::Before => Offset::Pre(amount),
            When::Behind => Offset::Post(amount),
        };
        let mem = Mem { base: self.gpr_or_zero(Some(place)), offset };
        match (inst, data.and_then(regs::as_vector)) {
            (&Inst::Load { op, .. } | &Inst::Store { op, .. }, None) => {
                let data = self.gpr_or_zero(data);
                self.e.transfer(op, data, mem);
            }
            (&Inst::LoadFloat { width, .. }, Some(data)) => self.e.load_float(width, data, mem),
            (&Inst::StoreFloat { width, .. }, Some(data)) => self.e.store_float(width, data, mem),
            _ => self.fault(NO_REGISTER),
        }
    }

    /// An access to two registers: that of the current instruction and that of `other`.
    fn access_pair(&mut self, inst: &Inst, other: MachInstId) {
        let at = self.cursor.at;
        let Some((one, two)) = neighbour(inst).zip(self.cursor.inst(other).and_then(neighbour)) else {
            return self.fault(NOT_PLANNED);
        };
        let places = one.places(self.code(), at).zip(two.places(self.code(), other));
        let Some((first, second)) = places else { return self.fault(NO_REGISTER) };
        let data = if one.disp < two.disp { [first.data, second.data] } else { [second.data, first.data] };
        let (base, start) = match one.base {
            Base::Reg(_) => (self.gpr_or_zero(first.base), 0),
            base => self.in_frame(base).unwrap_or((Gpr::SP, 0)),
        };
        let mem = Mem::new(base, start.wrapping_add(one.disp.min(two.disp)));
        match (one.kind, data.map(|data| data.and_then(regs::as_vector))) {
            (Kind::General(op), [None, None]) => {
                let [low, high] = data.map(|data| self.gpr_or_zero(data));
                self.e.transfer_pair(op, low, high, mem);
            }
            (Kind::LoadFloat(width), [Some(low), Some(high)]) => {
                self.e.load_float_pair(width, low, high, mem);
            }
            (Kind::StoreFloat(width), [Some(low), Some(high)]) => {
                self.e.store_float_pair(width, low, high, mem);
            }
            _ => self.fault(NO_REGISTER),
        }
    }

    /// At the end of a block all that was planned has come.
    pub(super) fn end_plan(&mut self) {
        if self.plan.upcoming().is_some() {
            self.fault("an access that was planned has not come before it");
        }
    }
}

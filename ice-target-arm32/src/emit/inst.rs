//! Single instructions: their rows as the one `match`, the short way for the frequent ones, and encodings of core
//! registers of more than one call.

use super::kinds::Tested;
use super::{AL, Emitter, TRAP, imm};
use crate::fuse::compare::is_tested;
use crate::inst::{Callee, FloatSize, Inst, instructions};
use crate::regs::*;
use ice_asm::Listing;
use ice_asm::arm32::*;
use ice_codegen::emission::{BranchEmitter as _, InstEmitter as _, StackSteps as _};
use ice_codegen::mach::VReg;
use ice_regalloc::Allocation;

impl<L: Listing> Emitter<'_, L> {
    /// The flags that an operation sets which gives `dst`: also those that the next comparison with zero wants.
    fn flags_for_test(&mut self, flags: Flags, dst: VReg) -> Flags {
        let following = self.code().behind(self.cursor.at, self.end);
        if is_tested(following, dst) {
            self.tested = Some(dst);
            return Flags::Set;
        }
        flags
    }

    /// `dst = place` unless they are the same register.
    pub(super) fn copy_to(&mut self, dst: Gpr, place: Allocation) {
        match as_gpr(place) {
            Some(reg) => self.copy(dst, reg),
            None => {
                let (base, offset) = self.slot(place);
                self.transfer_at(Transfer::Ldr, dst, base, offset);
            }
        }
    }

    pub(super) fn copy(&mut self, dst: Gpr, src: Gpr) {
        if src != dst {
            self.e.mov(self.cond, Move::Mov, Flags::Keep, dst, src);
        }
    }

    /// Emits the most frequent instructions, without a condition, where their operands are those that they have
    /// most often; says whether it did. Inlined into the walk: a call of [`dispatch`](Self::dispatch) takes as long as
    /// they do.
    #[inline(always)]
    pub(super) fn usual_inst(&mut self, inst: &Inst) -> bool {
        match inst {
            Inst::Params => {}
            Inst::MovImm { imm, .. } => {
                let [dst] = self.cursor.places() else { return false };
                let Some((dst, imm)) = as_gpr(*dst).zip(u8::try_from(*imm).ok()) else { return false };
                self.e.mov(AL, Move::Mov, Flags::Keep, dst, ModImm::small(imm));
            }
            Inst::Load { op, mem, .. } => {
                if mem.is_register() && !self.plan.is_made() {
                    return false;
                }
                let Some((base, offset, [dst])) = self.near(mem, self.cursor.places()) else { return false };
                let Some(dst) = as_gpr(*dst) else { return false };
                return self.usual_transfer(*op, dst, base, offset);
            }
            Inst::Store { op, mem, .. } => {
                if mem.is_register() && !self.plan.is_made() {
                    return false;
                }
                let [src, places @ ..] = self.cursor.places() else { return false };
                let Some((base, offset, _)) = self.near(mem, places) else { return false };
                let Some(src) = as_gpr(*src) else { return false };
                return self.usual_transfer(*op, src, base, offset);
            }
            Inst::Lea { mem, .. } => {
                let Some((base, offset, [dst])) = self.near(mem, self.cursor.places()) else { return false };
                let Some(dst) = as_gpr(*dst) else { return false };
                self.add_offset(dst, base, offset);
            }
            Inst::TestZero { lhs } => {
                let [reg] = self.cursor.places() else { return false };
                let Some(reg) = as_gpr(*reg) else { return false };
                if self.tested.take() != Some(*lhs) {
                    self.e.compare(AL, Compare::Cmp, reg, ModImm::small(0));
                }
            }
            Inst::Call { callee: Callee::Symbol(symbol) } => {
                self.begin_call(1);
                self.e.bl_symbol(*symbol);
            }
            _ => return false,
        }
        true
    }

    /// A load or store of one register at an offset that it can have.
    #[inline(always)]
    fn usual_transfer(&mut self, op: Transfer, data: Gpr, base: Gpr, offset: i32) -> bool {
        let fits = offset.unsigned_abs() & !(op.max_offset() as u32) == 0 && !op.is_dual();
        if fits {
            self.confine(base);
            self.e.transfer(AL, op, data, Mem::new(base, offset));
        }
        fits
    }

    instructions!(ice_codegen::encode_insts!);

    // ---- encodings of more than one call

    fn mov_src(&mut self, op: Move, flags: Flags, dst: Tested, src: Operand2) {
        let flags = self.flags_for_test(flags, dst.vreg);
        self.e.mov(self.cond, op, flags, dst.reg, src);
    }

    fn alu(&mut self, op: Alu, flags: Flags, dst: Tested, lhs: Gpr, rhs: Operand2) {
        let flags = self.flags_for_test(flags, dst.vreg);
        self.e.alu(self.cond, op, flags, dst.reg, lhs, rhs);
    }

    fn test_zero(&mut self, lhs: Tested) {
        if self.tested.take() != Some(lhs.vreg) {
            self.e.compare(self.cond, Compare::Cmp, lhs.reg, imm(0));
        }
    }

    fn set_cond(&mut self, cond: Cond, or: Option<Cond>, dst: Gpr) {
        self.e.mov_u32(self.cond, dst, 0);
        self.e.mov_u32(cond, dst, 1);
        if let Some(cond) = or {
            self.e.mov_u32(cond, dst, 1);
        }
    }

    fn trap_if_zero(&mut self, lo: Gpr, hi: Option<Gpr>) {
        match hi {
            None => self.e.compare(self.cond, Compare::Cmp, lo, imm(0)),
            Some(hi) => self.e.alu(self.cond, Alu::Orr, Flags::Set, Gpr::IP, lo, hi),
        }
        let valid = self.e.buf.new_label();
        self.e.jump_if(Cond::Ne, valid);
        self.e.udf(TRAP);
        self.e.bind(valid);
    }

    pub(super) fn call(&mut self, callee: Callee) {
        match callee {
            Callee::Symbol(symbol) => {
                self.begin_call(1);
                self.e.bl_symbol(symbol);
            }
            Callee::Value(_) => {
                let place = self.next();
                let callee = match as_gpr(place) {
                    Some(reg) => reg,
                    None => {
                        self.copy_to(Gpr::IP, place);
                        Gpr::IP
                    }
                };
                self.call_register(callee);
            }
        }
    }
}

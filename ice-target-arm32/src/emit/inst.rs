//! Single instructions: the one match over all kinds, and the short way for the frequent ones.
//!
//! Operands arrive in the order in which [`Inst::visit_operands`](ice_codegen::mach::MachInst::visit_operands) names
//! them; kinds with a file of their own are handed on.

use super::{AL, Emitter, TRAP, imm};
use crate::inst::{Callee, Inst};
use crate::regs;
use ice_asm::Listing;
use ice_asm::arm32::{Barrier, Compare, Cond, Flags, Gpr, Mem, ModImm, Move, Transfer};
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::mach::VReg;
use ice_regalloc::Allocation;

/// How far ahead of an instruction the comparison of its result with zero may be.
const MAX_TEST_DISTANCE: usize = 12;

/// Whether `dst` is compared with zero among the next instructions, and nothing before that writes flags or `dst`.
pub(super) fn tested(following: &[Inst], dst: VReg) -> bool {
    for inst in following.iter().take(MAX_TEST_DISTANCE) {
        let written = match *inst {
            Inst::TestZero { lhs } => return lhs == dst,
            Inst::Mov { dst, .. }
            | Inst::MovImm { dst, .. }
            | Inst::MovSymbol { dst, .. }
            | Inst::MovSrc { flags: Flags::Keep, dst, .. }
            | Inst::Extend { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Lea { dst, .. }
            | Inst::Alu { flags: Flags::Keep, dst, .. }
            | Inst::Mul { dst, .. }
            | Inst::MultiplyAdd { dst, .. }
            | Inst::BitField { dst, .. } => Some(dst),
            Inst::Store { .. }
            | Inst::StoreFloat { .. }
            | Inst::LoadFloat { .. }
            | Inst::MovFloat { .. }
            | Inst::Float3 { .. }
            | Inst::Float3Acc { .. } => None,
            _ => return false,
        };
        if written == Some(dst) {
            return false;
        }
    }
    false
}

impl<L: Listing> Emitter<'_, L> {
    /// The flags that an operation sets which gives `dst`: also those that the next comparison with zero wants.
    fn flags_for_test(&mut self, flags: Flags, dst: VReg) -> Flags {
        if tested(self.following(), dst) {
            self.tested = Some(dst);
            return Flags::Set;
        }
        flags
    }

    /// `dst = place` unless they are the same register.
    pub(super) fn copy_to(&mut self, dst: Gpr, place: Allocation) {
        match regs::as_gpr(place) {
            Some(reg) => self.copy(dst, reg),
            None => {
                let (base, offset) = self.slot(place);
                self.transfer(Transfer::Ldr, dst, base, offset);
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
                let [dst] = self.places() else { return false };
                let Some((dst, imm)) = regs::as_gpr(*dst).zip(u8::try_from(*imm).ok()) else { return false };
                self.e.mov(AL, Move::Mov, Flags::Keep, dst, ModImm::small(imm));
            }
            Inst::Load { op, mem, .. } => {
                if mem.is_register() && !self.plan.is_made() {
                    return false;
                }
                let Some((base, offset, [dst])) = self.near(mem, self.places()) else { return false };
                let Some(dst) = regs::as_gpr(*dst) else { return false };
                return self.usual_transfer(*op, dst, base, offset);
            }
            Inst::Store { op, mem, .. } => {
                if mem.is_register() && !self.plan.is_made() {
                    return false;
                }
                let [src, places @ ..] = self.places() else { return false };
                let Some((base, offset, _)) = self.near(mem, places) else { return false };
                let Some(src) = regs::as_gpr(*src) else { return false };
                return self.usual_transfer(*op, src, base, offset);
            }
            Inst::Lea { mem, .. } => {
                let Some((base, offset, [dst])) = self.near(mem, self.places()) else { return false };
                let Some(dst) = regs::as_gpr(*dst) else { return false };
                self.add_offset(dst, base, offset);
            }
            Inst::TestZero { lhs } => {
                let [reg] = self.places() else { return false };
                let Some(reg) = regs::as_gpr(*reg) else { return false };
                if self.tested.take() != Some(*lhs) {
                    self.e.compare(AL, Compare::Cmp, reg, ModImm::small(0));
                }
            }
            Inst::Call { callee: Callee::Symbol(symbol) } => self.e.bl_symbol(*symbol),
            _ => return false,
        }
        true
    }

    /// A load or store of one register at an offset that it can have.
    #[inline(always)]
    fn usual_transfer(&mut self, op: Transfer, data: Gpr, base: Gpr, offset: i32) -> bool {
        let fits = offset.unsigned_abs() & !(op.max_offset() as u32) == 0 && !op.is_dual();
        if fits {
            self.e.transfer(AL, op, data, Mem::new(base, offset));
        }
        fits
    }

    /// Emits any instruction.
    pub(super) fn dispatch(&mut self, inst: &Inst) {
        match *inst {
            Inst::Params => self.cursor.operands = &[],
            Inst::Mov { .. } => {
                let src = self.next();
                let dst = self.gpr();
                self.copy_to(dst, src);
            }
            Inst::MovImm { imm, .. } => {
                let dst = self.gpr();
                self.e.mov_u32(self.cond, dst, imm);
            }
            Inst::MovSymbol { symbol, addend, .. } => {
                let dst = self.gpr();
                self.mov_symbol(dst, symbol, addend);
            }
            Inst::LoadTableEntry { .. }
            | Inst::ThreadPointer { .. }
            | Inst::AddThreadOffset { .. }
            | Inst::AddTableThreadOffset { .. }
            | Inst::ThreadLocalCall { .. }
            | Inst::CopyWords { .. } => self.native(inst),
            Inst::MovSrc { op, flags, dst, src } => {
                let flags = self.flags_for_test(flags, dst);
                let src = self.src(src);
                let dst = self.gpr();
                self.e.mov(self.cond, op, flags, dst, src);
            }
            Inst::Extend { op, .. } => {
                let src = self.gpr();
                let dst = self.gpr();
                self.e.extend(self.cond, op, dst, src, 0);
            }
            Inst::Load { .. } | Inst::Store { .. } | Inst::Lea { .. } => self.memory(inst),
            Inst::Alu { op, flags, dst, rhs, .. } => {
                let flags = self.flags_for_test(flags, dst);
                let lhs = self.gpr();
                let rhs = self.src(rhs);
                let dst = self.gpr();
                self.e.alu(self.cond, op, flags, dst, lhs, rhs);
            }
            Inst::Compare { op, rhs, .. } => {
                let lhs = self.gpr();
                let rhs = self.src(rhs);
                self.e.compare(self.cond, op, lhs, rhs);
            }
            Inst::TestZero { lhs } => {
                let reg = self.gpr();
                if self.tested.take() != Some(lhs) {
                    self.e.compare(self.cond, Compare::Cmp, reg, imm(0));
                }
            }
            Inst::CondCompare { cond, op, rhs, .. } => {
                let lhs = self.gpr();
                let rhs = self.src(rhs);
                self.e.compare(cond, op, lhs, rhs);
            }
            Inst::CondMov { cond, src, .. } => {
                let src = self.src(src);
                let dst = self.gpr();
                self.e.mov(cond, Move::Mov, Flags::Keep, dst, src);
            }
            Inst::SetCond { cond, or, .. } => {
                let dst = self.gpr();
                self.e.mov_u32(self.cond, dst, 0);
                self.e.mov_u32(cond, dst, 1);
                if let Some(cond) = or {
                    self.e.mov_u32(cond, dst, 1);
                }
            }
            Inst::Mul { .. } => {
                let (lhs, rhs) = (self.gpr(), self.gpr());
                let dst = self.gpr();
                self.e.mul(self.cond, Flags::Keep, dst, lhs, rhs);
            }
            Inst::MultiplyAdd { op, .. } => {
                let (lhs, rhs, acc) = (self.gpr(), self.gpr(), self.gpr());
                let dst = self.gpr();
                self.e.multiply_add(self.cond, op, Flags::Keep, [dst, lhs, rhs, acc]);
            }
            Inst::MultiplyLong { op, .. } => {
                let (lhs, rhs) = (self.gpr(), self.gpr());
                let (lo, hi) = (self.gpr(), self.gpr());
                self.e.multiply_long(self.cond, op, Flags::Keep, [lo, hi, lhs, rhs]);
            }
            Inst::Divide { op, .. } => {
                let (lhs, rhs) = (self.gpr(), self.gpr());
                let dst = self.gpr();
                self.e.divide(self.cond, op, dst, lhs, rhs);
            }
            Inst::BitField { op, lsb, width, .. } => {
                let src = self.gpr();
                let dst = self.gpr();
                self.e.bit_field(self.cond, op, dst, src, lsb, width);
            }
            Inst::Unary { op, .. } => {
                let src = self.gpr();
                let dst = self.gpr();
                self.e.unary(self.cond, op, dst, src);
            }
            Inst::TrapIfZero { hi, .. } => {
                let lo = self.gpr();
                match hi {
                    None => self.e.compare(self.cond, Compare::Cmp, lo, imm(0)),
                    Some(_) => {
                        let hi = self.gpr();
                        self.e.alu(self.cond, ice_asm::arm32::Alu::Orr, Flags::Set, Gpr::IP, lo, hi);
                    }
                }
                let valid = self.e.buf.new_label();
                self.e.jump_if(Cond::Ne, valid);
                self.e.udf(TRAP);
                self.e.bind(valid);
            }
            Inst::Fence => self.e.barrier(Barrier::Dmb),
            Inst::AtomicRmw { .. }
            | Inst::AtomicRmwPair { .. }
            | Inst::AtomicCmpxchg { .. }
            | Inst::AtomicCmpxchgPair { .. }
            | Inst::AtomicLoadPair { .. } => self.atomic(inst),
            Inst::StackTake { bytes } => self.take_stack(bytes),
            Inst::StackSub { .. } => {
                let amount = self.gpr();
                self.take_stack_by_pages(amount);
            }
            Inst::StackSave { .. } => {
                let dst = self.gpr();
                self.copy(dst, Gpr::SP);
            }
            Inst::StackRestore { .. } => {
                let src = self.gpr();
                self.copy(Gpr::SP, src);
            }
            Inst::Call { callee } => match callee {
                Callee::Symbol(symbol) => self.e.bl_symbol(symbol),
                Callee::Value(_) => {
                    let place = self.next();
                    let callee = match regs::as_gpr(place) {
                        Some(reg) => reg,
                        None => {
                            self.copy_to(Gpr::IP, place);
                            Gpr::IP
                        }
                    };
                    self.e.blx(self.cond, callee);
                }
            },
            Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::SwitchPair { .. }
            | Inst::Ret
            | Inst::Trap
            | Inst::Unreachable => self.control(inst),
            _ => self.float(inst),
        }
    }
}

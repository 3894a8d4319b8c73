//! Vector, floating-point and x87 instructions.

use super::Emitter;
use crate::inst::Inst;
use crate::regs;
use ice_asm::x86::{Gpr, Mem, Rm, SseOp, X87Mem};
use ice_asm::{Listing, Reach};
use ice_codegen::emission::{InstEmitter as _, NO_REGISTER, WRONG_KIND};
use ice_regalloc::Allocation;

/// The move of a scalar or vector of this many bytes between a register and memory.
fn load_store(size: u8) -> SseOp {
    match size {
        4 => SseOp::Movss,
        8 => SseOp::Movsd,
        _ => SseOp::Movups,
    }
}

impl<L: Listing> Emitter<'_, L> {
    /// Between registers and slots; whole registers are copied whatever the size.
    pub(super) fn move_vector(&mut self, size: u8, to: Allocation, from: Allocation) {
        match (regs::as_vector(to), regs::as_vector(from)) {
            (Some(to), Some(from)) => {
                if to != from {
                    self.e.sse_x_xm(SseOp::Movaps, to, Rm::Reg(from));
                }
            }
            (Some(to), None) => {
                let from = self.slot(from);
                self.e.sse_x_xm(load_store(size), to, Rm::Mem(from));
            }
            (None, Some(from)) => {
                let to = self.slot(to);
                self.e.sse_m_x(load_store(size), to, from);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }

    pub(super) fn vector(&mut self, inst: &Inst) {
        match *inst {
            Inst::MovXmm { size, .. } => {
                let (src, dst) = (self.next(), self.next());
                self.move_vector(size, dst, src);
            }
            Inst::LoadXmm { size, mem, .. } => {
                let mem = self.mem(&mem);
                let dst = self.xmm();
                self.e.sse_x_xm(load_store(size), dst, Rm::Mem(mem));
            }
            Inst::StoreXmm { size, mem, .. } => {
                let src = self.xmm();
                let mem = self.mem(&mem);
                self.e.sse_m_x(load_store(size), mem, src);
            }
            Inst::ZeroXmm { .. } => {
                let dst = self.xmm();
                self.e.sse_x_xm(SseOp::Xorps, dst, Rm::Reg(dst));
            }
            Inst::OnesXmm { .. } => {
                let dst = self.xmm();
                self.e.sse_x_xm(SseOp::Pcmpeqd, dst, Rm::Reg(dst));
            }
            Inst::Sse { op, src, .. } | Inst::SseUnary { op, src, .. } => {
                let src = self.src_xm(&src);
                let dst = self.xmm();
                self.e.sse_x_xm(op, dst, src);
            }
            Inst::SseImm { op, src, imm, .. } | Inst::SseUnaryImm { op, src, imm, .. } => {
                let src = self.src_xm(&src);
                let dst = self.xmm();
                self.e.sse_x_xm_i(op, dst, src, imm);
            }
            Inst::SseShift { op, imm, .. } => {
                let dst = self.xmm();
                self.e.sse_x_i(op, dst, imm);
            }
            Inst::CompareXmm { op, rhs, .. } => {
                let lhs = self.xmm();
                let rhs = self.src_xm(&rhs);
                self.e.sse_x_xm(op, lhs, rhs);
            }
            Inst::GprToXmm { op, width, src, .. } => {
                let src = self.src_rm(&src);
                let dst = self.xmm();
                if matches!(op, SseOp::Cvtsi2ss | SseOp::Cvtsi2sd) {
                    // They keep the upper part of the register, and would wait for whatever was in it.
                    self.e.sse_x_xm(SseOp::Xorps, dst, Rm::Reg(dst));
                }
                self.e.sse_x_rm(op, width, dst, src);
            }
            Inst::XmmToGpr { op: SseOp::MovGpr, width, .. } => {
                let src = self.xmm();
                let dst = self.gpr();
                self.e.sse_rm_x(SseOp::MovGpr, width, Rm::Reg(dst), src);
            }
            Inst::XmmToGpr { op, width, .. } => {
                let src = self.xmm();
                let dst = self.gpr();
                self.e.sse_r_xm(op, width, dst, Rm::Reg(src));
            }
            Inst::Pinsrw { lane, .. } => {
                let src = self.gpr();
                let dst = self.xmm();
                self.e.sse_x_rm_i(SseOp::Pinsrw, dst, Rm::Reg(src), lane);
            }
            Inst::Pextrw { lane, .. } => {
                let src = self.xmm();
                let dst = self.gpr();
                self.e.sse_rm_x_i(SseOp::Pextrw, Rm::Reg(dst), src, lane);
            }
            Inst::SelectXmm { cond, size, .. } => {
                let src = self.xm();
                let dst = self.xmm();
                let keep = self.e.buf.new_label();
                self.e.jump_if_within(cond.invert(), keep, Reach::Within(16));
                match src {
                    Rm::Reg(_) => self.e.sse_x_xm(SseOp::Movaps, dst, src),
                    Rm::Mem(_) => self.e.sse_x_xm(load_store(size), dst, src),
                }
                self.e.bind(keep);
            }
            Inst::PopFpu { size, .. } => {
                let dst = self.xmm();
                let transfer = Mem::base(Gpr::RSP, 0);
                self.e.x87_m(store_pop(size), transfer);
                self.e.sse_x_xm(load_store(size), dst, Rm::Mem(transfer));
            }
            Inst::PushFpu { size, .. } => {
                let mem = match self.xm() {
                    Rm::Mem(mem) => mem,
                    Rm::Reg(src) => {
                        let transfer = Mem::base(Gpr::RSP, 0);
                        self.e.sse_m_x(load_store(size), transfer, src);
                        transfer
                    }
                };
                let op = if size == 4 { X87Mem::Fld32 } else { X87Mem::Fld64 };
                self.e.x87_m(op, mem);
            }
            Inst::FpuMem { op, mem } => {
                let mem = self.mem(&mem);
                self.e.x87_m(op, mem);
            }
            Inst::FpuPair { op } => self.e.x87_st(op, 1),
            Inst::FpuTop { op } => self.e.x87_op(op),
            _ => self.fault(WRONG_KIND),
        }
    }
}

fn store_pop(size: u8) -> X87Mem {
    if size == 4 { X87Mem::Fstp32 } else { X87Mem::Fstp64 }
}

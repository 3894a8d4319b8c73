//! Vector, floating-point and x87 instructions.

use super::Emitter;
use crate::regs;
use ice_asm::x86::{Cond, Gpr, Mem, Rm, SseOp, Target, Width, X87Mem, Xmm};
use ice_asm::{Listing, Reach};
use ice_codegen::CodeSymbol;
use ice_codegen::emission::{InstEmitter as _, NO_REGISTER};
use ice_regalloc::Allocation;

/// The move of a scalar or vector of this many bytes between a register and memory.
pub(super) fn load_store(size: u8) -> SseOp {
    match size {
        4 => SseOp::Movss,
        8 => SseOp::Movsd,
        _ => SseOp::Movups,
    }
}

/// The move between a register and memory that is known to be aligned to its size: places of operands are, since
/// instructions on vectors read them, too.
fn aligned_load_store(size: u8) -> SseOp {
    if size == 16 { SseOp::Movaps } else { load_store(size) }
}

/// Whether the operand is a constant in memory, which lies at a multiple of its size.
fn is_whole_constant(mem: &Mem) -> bool {
    let is_constant = |symbol| matches!(CodeSymbol::unpack(symbol), CodeSymbol::Constant(_));
    matches!(mem.target, Target::Symbol(symbol, _) if is_constant(symbol))
        && mem.index.is_none()
        && mem.disp == 0
}

impl<L: Listing> Emitter<'_, L> {
    /// A scalar or vector from memory.
    pub(super) fn load_xmm(&mut self, size: u8, dst: Xmm, mem: Mem) {
        let op = if is_whole_constant(&mem) { aligned_load_store(size) } else { load_store(size) };
        self.e.sse_x_xm(op, dst, Rm::Mem(mem));
    }

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
                self.e.sse_x_xm(aligned_load_store(size), to, Rm::Mem(from));
            }
            (None, Some(from)) => {
                let to = self.slot(to);
                self.e.sse_m_x(aligned_load_store(size), to, from);
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }

    /// `dst = src` unless they are the same register.
    pub(super) fn copy_xmm(&mut self, size: u8, dst: Xmm, src: Rm<Xmm>) {
        match src {
            Rm::Reg(reg) if reg == dst => {}
            Rm::Reg(_) => self.e.sse_x_xm(SseOp::Movaps, dst, src),
            Rm::Mem(_) => self.e.sse_x_xm(aligned_load_store(size), dst, src),
        }
    }

    pub(super) fn gpr_to_xmm(&mut self, op: SseOp, width: Width, dst: Xmm, src: Rm<Gpr>) {
        if matches!(op, SseOp::Cvtsi2ss | SseOp::Cvtsi2sd) {
            // They keep the upper part of the register, and would wait for whatever was in it.
            self.e.sse_x_xm(SseOp::Xorps, dst, Rm::Reg(dst));
            if let Rm::Mem(mem) = src {
                self.confine_again(mem);
            }
        }
        self.e.sse_x_rm(op, width, dst, src);
    }

    pub(super) fn xmm_to_gpr(&mut self, op: SseOp, width: Width, dst: Gpr, src: Xmm) {
        match op {
            SseOp::MovGpr => self.e.sse_rm_x(SseOp::MovGpr, width, Rm::Reg(dst), src),
            _ => self.e.sse_r_xm(op, width, dst, Rm::Reg(src)),
        }
    }

    pub(super) fn select_xmm(&mut self, cond: Cond, size: u8, dst: Xmm, src: Rm<Xmm>) {
        let keep = self.e.buf.new_label();
        self.e.jump_if_within(cond.invert(), keep, Reach::Within(16));
        match src {
            Rm::Reg(_) => self.e.sse_x_xm(SseOp::Movaps, dst, src),
            Rm::Mem(_) => self.e.sse_x_xm(aligned_load_store(size), dst, src),
        }
        self.e.bind(keep);
    }

    pub(super) fn pop_fpu(&mut self, size: u8, dst: Xmm) {
        let transfer = Mem::base(Gpr::RSP, 0);
        self.e.x87_m(store_pop(size), transfer);
        self.e.sse_x_xm(load_store(size), dst, Rm::Mem(transfer));
    }

    pub(super) fn push_fpu(&mut self, size: u8, src: Rm<Xmm>) {
        let mem = match src {
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
}

fn store_pop(size: u8) -> X87Mem {
    if size == 4 { X87Mem::Fstp32 } else { X87Mem::Fstp64 }
}

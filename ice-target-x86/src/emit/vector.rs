//! Vector, floating-point and x87 instructions.

use super::Emitter;
use crate::inst::Inst;
use crate::regs::{self, YMM};
use ice_asm::x86::{Cond, Gpr, Length, Mem, Rm, SseOp, Target, Width, X87Mem, Xmm};
use ice_asm::{Listing, Reach};
use ice_codegen::CodeSymbol;
use ice_codegen::emission::{InstEmitter as _, NO_REGISTER};
use ice_codegen::mach::{MachFunction, VReg};
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

/// The length of vectors of this many bytes.
pub(super) fn length(size: u8) -> Length {
    if size == 32 { Length::B256 } else { Length::B128 }
}

/// Whether the function has values of 256 bits.
pub(super) fn has_wide_values(mach: &MachFunction<Inst>) -> bool {
    let body = mach.body();
    (0..body.num_vregs() as u32).any(|vreg| body.vreg_class(VReg::from_u32(vreg)) == YMM)
}

impl<L: Listing> Emitter<'_, L> {
    /// Sets the upper halves of the vector registers to zero, unless the current instruction, which goes to code of others, hands
    /// over a value of 256 bits: code in the form of SSE waits for what is in them.
    pub(super) fn clear_uppers(&mut self) {
        if self.leaves_uppers {
            let operands = self.cursor.mach.body().operands(self.cursor.at);
            if !operands.iter().any(|operand| operand.class() == YMM && operand.is_use()) {
                self.e.clear_uppers();
            }
        }
    }

    /// A scalar or vector from memory.
    pub(super) fn load_xmm(&mut self, size: u8, dst: Xmm, mem: Mem) {
        if size == 32 {
            return self.e.avx_one(SseOp::Movups, Length::B256, dst, Rm::Mem(mem));
        }
        let op = if is_whole_constant(&mem) { aligned_load_store(size) } else { load_store(size) };
        self.e.sse_x_xm(op, dst, Rm::Mem(mem));
    }

    /// A scalar or vector to memory.
    pub(super) fn store_xmm(&mut self, size: u8, mem: Mem, src: Xmm) {
        match size {
            32 => self.e.avx_store(SseOp::Movups, Length::B256, mem, src),
            _ => self.e.sse_m_x(load_store(size), mem, src),
        }
    }

    /// Between registers and slots; whole registers are copied whatever the size.
    pub(super) fn move_vector(&mut self, size: u8, to: Allocation, from: Allocation) {
        match (regs::as_vector(to), regs::as_vector(from)) {
            (Some(to), Some(from)) => self.copy_xmm(size, to, Rm::Reg(from)),
            (Some(to), None) => {
                let from = self.slot(from);
                self.copy_xmm(size, to, Rm::Mem(from));
            }
            (None, Some(from)) => {
                let to = self.slot(to);
                match size {
                    32 => self.store_xmm(size, to, from),
                    _ => self.e.sse_m_x(aligned_load_store(size), to, from),
                }
            }
            (None, None) => self.fault(NO_REGISTER),
        }
    }

    /// `dst = src` unless they are the same register.
    pub(super) fn copy_xmm(&mut self, size: u8, dst: Xmm, src: Rm<Xmm>) {
        match (src, size) {
            (Rm::Reg(reg), _) if reg == dst => {}
            (Rm::Reg(_), 32) => self.e.avx_one(SseOp::Movaps, Length::B256, dst, src),
            (Rm::Mem(mem), 32) => self.load_xmm(size, dst, mem),
            (Rm::Reg(_), _) => self.e.sse_x_xm(SseOp::Movaps, dst, src),
            (Rm::Mem(_), _) => self.e.sse_x_xm(aligned_load_store(size), dst, src),
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
        self.only_if(cond, |em| em.copy_xmm(size, dst, src));
    }

    pub(super) fn sse_if(&mut self, cond: Cond, op: SseOp, dst: Xmm, src: Rm<Xmm>) {
        self.only_if(cond, |em| em.e.sse_x_xm(op, dst, src));
    }

    /// Emits one instruction, which a jump passes by unless `cond` holds.
    fn only_if(&mut self, cond: Cond, emit: impl FnOnce(&mut Self)) {
        let behind = self.e.buf.new_label();
        self.e.jump_if_within(cond.invert(), behind, Reach::Within(16));
        emit(self);
        self.e.bind(behind);
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

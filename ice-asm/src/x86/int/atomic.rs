//! Locked operations and fences.

use super::{Alu, Fence, Unary, imm_op, wide};
use crate::listing::Listing;
use crate::x86::Encoder;
use crate::x86::code::{Attrs, Code, Immediate};
use crate::x86::operand::{Gpr, Imm, Mem, Rm, Width};
use crate::x86::text::Op;

const LOCK: &str = "lock ";

impl<L: Listing> Encoder<'_, L> {
    /// `pause`: F3 90.
    pub fn pause(&mut self) {
        self.plain("pause", code!("F3 90"));
    }

    /// `lfence`, `mfence`, `sfence`: 0F AE E8/F0/F8.
    pub fn fence(&mut self, op: Fence) {
        self.plain(op.mnemonic(), op.code());
    }

    /// `lock add m, r` and its like, not `cmp`.
    pub fn lock_alu_m_r(&mut self, op: Alu, width: Width, dst: Mem, src: Gpr) {
        if op == Alu::Cmp {
            return self.invalid();
        }
        self.line(&[LOCK, op.mnemonic(), width.suffix()], &[Op::Reg(src, width), Op::Mem(&dst)]);
        let attrs = Attrs::width(width).locked();
        self.inst_rm(op.code().plus(wide(width)), attrs, src.number(), &dst, Immediate::NONE);
    }

    /// `lock add m, imm` and its like, not `cmp`.
    pub fn lock_alu_m_i(&mut self, op: Alu, width: Width, dst: Mem, imm: Imm) {
        if op == Alu::Cmp {
            return self.invalid();
        }
        self.line(&[LOCK, op.mnemonic(), width.suffix()], &[imm_op(imm, width), Op::Mem(&dst)]);
        self.alu_imm(op, width, &Rm::Mem(dst), imm, Attrs::width(width).locked());
    }

    /// `lock inc`, `lock dec`, `lock neg`, `lock not` m.
    pub fn lock_unary_m(&mut self, op: Unary, width: Width, dst: Mem) {
        if !matches!(op, Unary::Inc | Unary::Dec | Unary::Neg | Unary::Not) {
            return self.invalid();
        }
        self.line(&[LOCK, op.mnemonic(), width.suffix()], &[Op::Mem(&dst)]);
        let (code, attrs) = (op.code(), Attrs::width(width).no_reg().locked());
        self.inst_rm(code.plus(wide(width)), attrs, code.ext, &dst, Immediate::NONE);
    }

    /// `lock xadd m, r`: F0 0F C0/C1 /r. The old value of memory goes to the register.
    pub fn lock_xadd(&mut self, width: Width, dst: Mem, src: Gpr) {
        self.lock_m_r("xadd", code!("0F C0 /r"), width, dst, src);
    }

    /// `lock cmpxchg m, r`: F0 0F B0/B1 /r. The accumulator is compared and gets the old value.
    pub fn lock_cmpxchg(&mut self, width: Width, dst: Mem, src: Gpr) {
        self.lock_m_r("cmpxchg", code!("0F B0 /r"), width, dst, src);
    }

    fn lock_m_r(&mut self, mnemonic: &str, code: Code, width: Width, dst: Mem, src: Gpr) {
        self.line(&[LOCK, mnemonic, width.suffix()], &[Op::Reg(src, width), Op::Mem(&dst)]);
        let attrs = Attrs::width(width).locked();
        self.inst_rm(code.plus(wide(width)), attrs, src.number(), &dst, Immediate::NONE);
    }

    /// `lock cmpxchg8b m64`: F0 0F C7 /1. Compares edx:eax, stores ecx:ebx.
    pub fn lock_cmpxchg8b(&mut self, dst: Mem) {
        self.line(&[LOCK, "cmpxchg8b"], &[Op::Mem(&dst)]);
        self.inst_rm(code!("0F C7"), Attrs::NONE.locked(), 1, &dst, Immediate::NONE);
    }

    /// `lock cmpxchg16b m128`: F0 REX.W 0F C7 /1, 64-bit mode. Compares rdx:rax, stores rcx:rbx.
    pub fn lock_cmpxchg16b(&mut self, dst: Mem) {
        self.line(&[LOCK, "cmpxchg16b"], &[Op::Mem(&dst)]);
        self.inst_rm(code!("REX.W 0F C7"), Attrs::NONE.locked(), 1, &dst, Immediate::NONE);
    }
}

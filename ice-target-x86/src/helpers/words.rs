//! Numbers of 64 bits on x86-32: quotients, remainders and conversions. They do what the functions of these names do in
//! libgcc and compiler-rt.
//!
//! A quotient by a divisor of 32 bits takes two divisions. By a larger one it has 32 bits: an estimate from the upper 32 bits
//! of the divisor, shifted until the first is set, is right or one too large, and so one is taken away and given back
//! where the remainder says so (Warren, *Hacker's Delight*, 9-5). Conversions go through the x87, whose numbers have 64
//! bits.

use super::{Helpers, W};
use ice_asm::Label;
use ice_asm::x86::{Alu, BitOp, Cond, DoubleShift, Gpr, Imm, Mem, Rm, Shift, Unary, Width, X87Mem};
use ice_codegen::Libcall;
use ice_codegen::magic::Signedness;

/// What is kept for the caller of a division.
const SAVED: [Gpr; 4] = [Gpr::RBX, Gpr::RSI, Gpr::RDI, Gpr::RBP];

/// Places of the arguments behind the return address and what is saved: dividend and divisor, the low halves first.
const DIVIDEND: [i32; 2] = [20, 24];
const DIVISOR: [i32; 2] = [28, 32];

/// 2^63 and 2^64 as `f32`, and 2^63 as the upper half of an `f64`.
const HALF_F32: i32 = 0x5f00_0000;
const WHOLE_F32: i32 = 0x5f80_0000;
const HALF_F64: i32 = 0x43e0_0000;

/// Which of the results of a division is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Quotient,
    Remainder,
}

fn stack(offset: i32) -> Rm<Gpr> {
    Rm::Mem(Mem::base(Gpr::RSP, offset))
}

impl Helpers<'_> {
    /// The helper, if it is one of these.
    pub(super) fn of_words(&mut self, helper: Libcall) -> Option<()> {
        use Signedness::{Signed, Unsigned};
        use Wanted::{Quotient, Remainder};
        match helper {
            Libcall::Udivdi3 => self.divide(Unsigned, Quotient),
            Libcall::Divdi3 => self.divide(Signed, Quotient),
            Libcall::Umoddi3 => self.divide(Unsigned, Remainder),
            Libcall::Moddi3 => self.divide(Signed, Remainder),
            Libcall::Fixdfdi => self.fix(8, Signed),
            Libcall::Fixsfdi => self.fix(4, Signed),
            Libcall::Fixunsdfdi => self.fix(8, Unsigned),
            Libcall::Fixunssfdi => self.fix(4, Unsigned),
            // The caller rounds to its width when it takes the result from the x87.
            Libcall::Floatdidf | Libcall::Floatdisf => self.float(Signed),
            Libcall::Floatundidf | Libcall::Floatundisf => self.float(Unsigned),
            _ => None,
        }
    }

    fn load(&mut self, reg: Gpr, offset: i32) {
        self.e.mov_r_rm(W, reg, stack(offset));
    }

    fn store(&mut self, offset: i32, reg: Gpr) {
        self.e.mov_rm_r(W, stack(offset), reg);
    }

    fn label(&mut self) -> Label {
        self.e.buf.new_label()
    }

    /// edx:eax = -edx:eax
    fn negate(&mut self) {
        self.e.unary_rm(Unary::Neg, W, Rm::Reg(Gpr::RAX));
        self.e.alu_r_i(Alu::Adc, W, Gpr::RDX, 0);
        self.e.unary_rm(Unary::Neg, W, Rm::Reg(Gpr::RDX));
    }

    /// Makes the number at these places its magnitude.
    fn take_magnitude(&mut self, [low, high]: [i32; 2]) {
        let positive = self.label();
        self.load(Gpr::RAX, low);
        self.load(Gpr::RDX, high);
        self.e.test_rm_r(W, Rm::Reg(Gpr::RDX), Gpr::RDX);
        self.e.jump_if(Cond::Ns, positive);
        self.negate();
        self.store(low, Gpr::RAX);
        self.store(high, Gpr::RDX);
        self.e.bind(positive);
    }

    /// `__udivdi3` and so on: edx:eax of two numbers on the stack.
    fn divide(&mut self, sign: Signedness, wanted: Wanted) -> Option<()> {
        SAVED.iter().for_each(|&reg| self.e.push_r(reg));
        if sign == Signedness::Signed {
            // ebp has the sign of the result.
            self.load(Gpr::RBP, DIVIDEND[1]);
            if wanted == Wanted::Quotient {
                self.e.alu_r_rm(Alu::Xor, W, Gpr::RBP, stack(DIVISOR[1]));
            }
            self.take_magnitude(DIVIDEND);
            self.take_magnitude(DIVISOR);
        }
        let [wide, end] = [0; 2].map(|_| self.label());
        self.load(Gpr::RBX, DIVISOR[1]);
        self.e.test_rm_r(W, Rm::Reg(Gpr::RBX), Gpr::RBX);
        self.e.jump_if(Cond::Ne, wide);
        self.divide_by_word(wanted);
        self.e.jump(end);
        self.e.bind(wide);
        self.divide_by_pair(wanted);
        self.e.bind(end);
        if sign == Signedness::Signed {
            let positive = self.label();
            self.e.test_rm_r(W, Rm::Reg(Gpr::RBP), Gpr::RBP);
            self.e.jump_if(Cond::Ns, positive);
            self.negate();
            self.e.bind(positive);
        }
        SAVED.iter().rev().for_each(|&reg| self.e.pop_r(reg));
        self.ret()
    }

    /// By a divisor of 32 bits, 0 among them, which traps.
    fn divide_by_word(&mut self, wanted: Wanted) {
        self.load(Gpr::RCX, DIVISOR[0]);
        self.load(Gpr::RAX, DIVIDEND[1]);
        self.e.alu_r_r(Alu::Xor, W, Gpr::RDX, Gpr::RDX);
        self.e.unary_rm(Unary::Div, W, Rm::Reg(Gpr::RCX));
        self.e.mov_r_rm(W, Gpr::RSI, Rm::Reg(Gpr::RAX));
        self.load(Gpr::RAX, DIVIDEND[0]);
        self.e.unary_rm(Unary::Div, W, Rm::Reg(Gpr::RCX));
        match wanted {
            Wanted::Quotient => self.e.mov_r_rm(W, Gpr::RDX, Rm::Reg(Gpr::RSI)),
            Wanted::Remainder => {
                self.e.mov_r_rm(W, Gpr::RAX, Rm::Reg(Gpr::RDX));
                self.e.alu_r_r(Alu::Xor, W, Gpr::RDX, Gpr::RDX);
            }
        }
    }

    /// By a larger divisor, whose upper half is in ebx.
    fn divide_by_pair(&mut self, wanted: Wanted) {
        let (quotient, rest) = (Gpr::RSI, [Gpr::RBX, Gpr::RCX]);
        // ebx = the divisor's first 32 bits; ecx = how far it was shifted.
        self.e.bit_op(BitOp::Bsr, W, Gpr::RCX, Rm::Reg(Gpr::RBX));
        self.e.alu_r_i(Alu::Xor, W, Gpr::RCX, 31);
        self.load(Gpr::RDI, DIVISOR[0]);
        self.e.double_shift_cl(DoubleShift::Shld, W, Rm::Reg(Gpr::RBX), Gpr::RDI);
        // Half of the dividend, so that the quotient has 32 bits.
        self.load(Gpr::RDX, DIVIDEND[1]);
        self.load(Gpr::RAX, DIVIDEND[0]);
        self.e.double_shift_i(DoubleShift::Shrd, W, Rm::Reg(Gpr::RAX), Gpr::RDX, 1);
        self.e.shift_rm_i(Shift::Shr, W, Rm::Reg(Gpr::RDX), 1);
        self.e.unary_rm(Unary::Div, W, Rm::Reg(Gpr::RBX));
        // By 31 less what the divisor was shifted.
        self.e.unary_rm(Unary::Not, W, Rm::Reg(Gpr::RCX));
        self.e.shift_rm_cl(Shift::Shr, W, Rm::Reg(Gpr::RAX));
        // One less, but not below 0.
        self.e.alu_r_i(Alu::Sub, W, Gpr::RAX, 1);
        self.e.alu_r_i(Alu::Adc, W, Gpr::RAX, 0);
        self.e.mov_r_rm(W, quotient, Rm::Reg(Gpr::RAX));
        // What is left: less than twice the divisor.
        self.e.unary_rm(Unary::Mul, W, stack(DIVISOR[0]));
        self.load(Gpr::RCX, DIVISOR[1]);
        self.e.imul_r_rm(W, Gpr::RCX, Rm::Reg(quotient));
        self.e.alu_r_r(Alu::Add, W, Gpr::RDX, Gpr::RCX);
        for (reg, offset) in rest.into_iter().zip(DIVIDEND) {
            self.load(reg, offset);
        }
        self.e.alu_r_r(Alu::Sub, W, rest[0], Gpr::RAX);
        self.e.alu_r_r(Alu::Sbb, W, rest[1], Gpr::RDX);
        self.e.mov_r_rm(W, Gpr::RAX, Rm::Reg(rest[0]));
        self.e.mov_r_rm(W, Gpr::RDX, Rm::Reg(rest[1]));
        self.e.alu_r_rm(Alu::Sub, W, Gpr::RAX, stack(DIVISOR[0]));
        self.e.alu_r_rm(Alu::Sbb, W, Gpr::RDX, stack(DIVISOR[1]));
        let is_less = self.label();
        match wanted {
            Wanted::Quotient => {
                // The carry says whether it was less.
                self.e.mov_r_rm(W, Gpr::RAX, Rm::Reg(quotient));
                self.e.alu_r_i(Alu::Sbb, W, Gpr::RAX, -1);
                self.e.mov_r_i(W, Gpr::RDX, 0);
            }
            Wanted::Remainder => {
                self.e.jump_if(Cond::Ae, is_less);
                self.e.mov_r_rm(W, Gpr::RAX, Rm::Reg(rest[0]));
                self.e.mov_r_rm(W, Gpr::RDX, Rm::Reg(rest[1]));
            }
        }
        self.e.bind(is_less);
    }

    /// `__fixdfdi` and so on: edx:eax of a float of so many bytes, toward zero.
    fn fix(&mut self, size: i32, sign: Signedness) -> Option<()> {
        let load = if size == 8 { X87Mem::Fld64 } else { X87Mem::Fld32 };
        self.e.x87_m(load, Mem::base(Gpr::RSP, 4));
        if sign == Signedness::Unsigned {
            // ecx: 2^31 where the float is 2^63 or more, and is taken less that.
            let (top, half) = if size == 8 { (8, HALF_F64) } else { (4, HALF_F32) };
            let is_small = self.label();
            self.e.alu_r_r(Alu::Xor, W, Gpr::RCX, Gpr::RCX);
            self.e.alu_rm_i(Alu::Cmp, W, stack(top), Imm::from(half));
            self.e.jump_if(Cond::L, is_small);
            self.e.mov_r_i(W, Gpr::RCX, i64::from(i32::MIN));
            self.e.push_i(Imm::from(HALF_F32));
            self.e.x87_m(X87Mem::Fsub32, Mem::base(Gpr::RSP, 0));
            self.e.pop_r(Gpr::RAX);
            self.e.bind(is_small);
        }
        // With the control word for truncation.
        self.e.alu_r_i(Alu::Sub, W, Gpr::RSP, 16);
        self.e.x87_m(X87Mem::Fnstcw, Mem::base(Gpr::RSP, 0));
        self.e.movzx(Gpr::RAX, W, stack(0), Width::B16);
        self.e.alu_r_i(Alu::Or, W, Gpr::RAX, 0xc00);
        self.store(4, Gpr::RAX);
        self.e.x87_m(X87Mem::Fldcw, Mem::base(Gpr::RSP, 4));
        self.e.x87_m(X87Mem::Fistp64, Mem::base(Gpr::RSP, 8));
        self.e.x87_m(X87Mem::Fldcw, Mem::base(Gpr::RSP, 0));
        self.load(Gpr::RAX, 8);
        self.load(Gpr::RDX, 12);
        self.e.alu_r_i(Alu::Add, W, Gpr::RSP, 16);
        if sign == Signedness::Unsigned {
            self.e.alu_r_r(Alu::Xor, W, Gpr::RDX, Gpr::RCX);
        }
        self.ret()
    }

    /// `__floatdidf` and so on: the number on the stack, in the x87.
    fn float(&mut self, sign: Signedness) -> Option<()> {
        self.e.x87_m(X87Mem::Fild64, Mem::base(Gpr::RSP, 4));
        if sign == Signedness::Unsigned {
            let is_positive = self.label();
            self.e.alu_rm_i(Alu::Cmp, W, stack(8), Imm::from(0));
            self.e.jump_if(Cond::Ge, is_positive);
            self.e.push_i(Imm::from(WHOLE_F32));
            self.e.x87_m(X87Mem::Fadd32, Mem::base(Gpr::RSP, 0));
            self.e.pop_r(Gpr::RAX);
            self.e.bind(is_positive);
        }
        self.ret()
    }
}

//! Quotients and remainders, and numbers of 64 bits as floats. They do what the functions of these names do in libgcc
//! and compiler-rt.
//!
//! A quotient of numbers whose doubles are exact is the double's, rounded towards zero: between a quotient that is no
//! integer and the next integer lies at least the reciprocal of the divisor, which is more than a rounding error as long
//! as dividend and divisor have 48 and 32 bits. So words are divided by `vdiv`, and a number of 64 bits by a word in
//! digits of 16 bits. By more than a word the quotient has 32 bits at most, and comes bit by bit.

use super::{Helpers, R0, R1, R2, R3, imm};
use crate::emit::AL;
use crate::inst::FloatSize;
use ice_asm::arm32::{
    Alu, BitField, Cond, Dreg, Flags, Float2, Float3, FloatToInt, Gpr, IntToFloat, ModImm, Move, Multiply,
    Operand2, RegList, Shift, Sreg, Unary,
};
use ice_codegen::Libcall;
use ice_codegen::magic::{Part, Signedness};

const R4: Gpr = Gpr::new(4);
const R5: Gpr = Gpr::new(5);
const R6: Gpr = Gpr::new(6);
const R7: Gpr = Gpr::new(7);
const R8: Gpr = Gpr::new(8);

/// What is kept for the caller of a division.
const SAVED: RegList = RegList(0x41f0);

/// The upper halves of doubles: 2^32 and its reciprocal.
const WORD: u32 = 0x41f0_0000;
const PER_WORD: u32 = 0x3df0_0000;

const D0: Dreg = Dreg::new(0);
const D1: Dreg = Dreg::new(1);
const D2: Dreg = Dreg::new(2);
const D3: Dreg = Dreg::new(3);
/// The single-precision registers at the start of these.
const S0: Sreg = Sreg::new(0);
const S8: Sreg = Sreg::new(8);

impl Helpers<'_> {
    /// The helper, if it is one of these.
    pub(super) fn of_words(&mut self, helper: Libcall) -> Option<()> {
        use FloatSize::{Double, Single};
        use Part::{Quotient, Remainder};
        use Signedness::{Signed, Unsigned};
        match helper {
            Libcall::AeabiUidiv | Libcall::AeabiUidivmod => self.divide_words(Unsigned),
            Libcall::AeabiIdiv | Libcall::AeabiIdivmod => self.divide_words(Signed),
            Libcall::Udivdi3 => self.divide(Unsigned, Quotient),
            Libcall::Divdi3 => self.divide(Signed, Quotient),
            Libcall::Umoddi3 => self.divide(Unsigned, Remainder),
            Libcall::Moddi3 => self.divide(Signed, Remainder),
            Libcall::F32ToI64 => self.fix(Single, Signed),
            Libcall::F64ToI64 => self.fix(Double, Signed),
            Libcall::F32ToU64 => self.fix(Single, Unsigned),
            Libcall::F64ToU64 => self.fix(Double, Unsigned),
            Libcall::I64ToF32 => self.float(Single, Signed),
            Libcall::I64ToF64 => self.float(Double, Signed),
            Libcall::U64ToF32 => self.float(Single, Unsigned),
            Libcall::U64ToF64 => self.float(Double, Unsigned),
            _ => return None,
        }
        Some(())
    }

    /// The double of a word.
    fn double_of(&mut self, op: IntToFloat, d: Dreg, word: Gpr) {
        self.e.vmov_s_r(AL, S8, word);
        self.e.int_to_float(AL, op, d, S8);
    }

    /// The integer part of a double, which is not negative and has 32 bits.
    fn word_of(&mut self, word: Gpr, d: Dreg) {
        self.e.float_to_int(AL, FloatToInt::Unsigned, S8, d);
        self.e.vmov_r_s(AL, word, S8);
    }

    /// The double whose upper half is this and whose lower half is 0; `scratch` is destroyed.
    pub(super) fn double(&mut self, d: Dreg, high: u32, [zero, scratch]: [Gpr; 2]) {
        self.number(zero, 0);
        self.number(scratch, high);
        self.e.vmov_d_rr(AL, d, zero, scratch);
    }

    /// Negates a pair if a number is negative: all its bits, and one more. ip is destroyed.
    fn negate_if_negative(&mut self, number: Gpr, [low, high]: [Gpr; 2]) {
        self.mov(Gpr::IP, Operand2::Shift(number, Shift::Asr, 31));
        self.alu(Alu::Eor, low, low, Gpr::IP);
        self.alu(Alu::Eor, high, high, Gpr::IP);
        self.alu_flags(Alu::Sub, low, low, Gpr::IP);
        self.alu(Alu::Sbc, high, high, Gpr::IP);
    }

    /// `__aeabi_idivmod` and so on: the quotient in r0 and the remainder in r1.
    fn divide_words(&mut self, sign: Signedness) {
        let of_sign = conversion(sign);
        self.double_of(of_sign, D0, R0);
        self.double_of(of_sign, D1, R1);
        self.e.float3(AL, Float3::Vdiv, D0, D0, D1);
        if sign == Signedness::Signed {
            self.e.float2(AL, Float2::Vabs, D0, D0);
        }
        self.word_of(R2, D0);
        if sign == Signedness::Signed {
            self.alu_flags(Alu::Eor, R3, R0, R1);
            self.e.alu(Cond::Mi, Alu::Rsb, Flags::Keep, R2, R2, imm(0));
        }
        self.e.multiply_add(AL, Multiply::Mls, Flags::Keep, [R1, R2, R1, R0]);
        self.mov(R0, R2);
        self.ret();
    }

    /// `__udivdi3` and so on: of r0:r1 by r2:r3, in r0:r1.
    fn divide(&mut self, sign: Signedness, wanted: Part) {
        let [wide, end] = [0; 2].map(|_| self.label());
        self.e.push(AL, SAVED);
        if sign == Signedness::Signed {
            match wanted {
                Part::Quotient => self.alu(Alu::Eor, R8, R1, R3),
                Part::Remainder => self.mov(R8, R1),
            }
            self.negate_if_negative(R3, [R2, R3]);
            self.negate_if_negative(R1, [R0, R1]);
        }
        self.compare(R3, imm(0));
        self.e.jump_if(Cond::Ne, wide);
        self.divide_by_word();
        self.e.jump(end);
        self.e.bind(wide);
        self.divide_by_pair();
        self.e.bind(end);
        if wanted == Part::Quotient {
            self.mov(R0, R4);
            self.mov(R1, R5);
        }
        if sign == Signedness::Signed {
            self.negate_if_negative(R8, [R0, R1]);
        }
        self.e.pop(AL, SAVED);
        self.ret();
    }

    /// The next digit of a quotient by r2, whose double is d2, to `digit`: of 2^16 (in d3) times the rest in r6, and r7.
    fn divide_digit(&mut self, digit: Gpr) {
        self.double_of(IntToFloat::Unsigned, D0, R6);
        self.double_of(IntToFloat::Unsigned, D1, R7);
        self.e.float3(AL, Float3::Vmla, D1, D0, D3);
        self.e.float3(AL, Float3::Vdiv, D0, D1, D2);
        self.word_of(digit, D0);
        self.alu(Alu::Add, R6, R7, Operand2::Shift(R6, Shift::Lsl, 16));
        self.e.multiply_add(AL, Multiply::Mls, Flags::Keep, [R6, digit, R2, R6]);
    }

    /// By a word in r2: the quotient in r4:r5, the remainder in r0:r1.
    fn divide_by_word(&mut self) {
        let [word, end] = [0; 2].map(|_| self.label());
        self.double_of(IntToFloat::Unsigned, D2, R2);
        self.number(R6, 1 << 16);
        self.double_of(IntToFloat::Unsigned, D3, R6);
        self.number(R6, 0);
        self.number(R5, 0);
        self.compare(R1, imm(0));
        self.e.jump_if(Cond::Eq, word);
        self.mov(R7, R1);
        self.divide_digit(R5);
        self.mov(R7, Operand2::Shift(R0, Shift::Lsr, 16));
        self.divide_digit(R4);
        self.e.bit_field(AL, BitField::Ubfx, R7, R0, 0, 16);
        self.divide_digit(R0);
        self.alu(Alu::Add, R4, R0, Operand2::Shift(R4, Shift::Lsl, 16));
        self.e.jump(end);
        self.e.bind(word);
        self.mov(R7, R0);
        self.divide_digit(R4);
        self.e.bind(end);
        self.mov(R0, R6);
        self.number(R1, 0);
    }

    /// Leading zeros of a pair.
    fn leading_zeros(&mut self, count: Gpr, [low, high]: [Gpr; 2]) {
        self.e.unary(AL, Unary::Clz, count, high);
        self.compare(high, imm(0));
        self.e.unary(Cond::Eq, Unary::Clz, count, low);
        self.e.alu(Cond::Eq, Alu::Add, Flags::Keep, count, count, imm(32));
    }

    /// By r2:r3: the quotient in r4:r5, the remainder in r0:r1. Shifts by 32 and more, and by less than 0, give 0.
    fn divide_by_pair(&mut self) {
        let (left, other) = (Gpr::IP, Gpr::LR);
        let end = self.label();
        self.number(R4, 0);
        self.number(R5, 0);
        self.leading_zeros(left, [R0, R1]);
        self.leading_zeros(other, [R2, R3]);
        self.alu_flags(Alu::Sub, left, other, left);
        self.e.jump_if(Cond::Mi, end);
        // The divisor below the first bit of the dividend.
        self.alu(Alu::Sub, other, left, imm(32));
        self.alu(Alu::Rsb, R6, left, imm(32));
        self.mov(R3, Operand2::ShiftReg(R3, Shift::Lsl, left));
        self.alu(Alu::Orr, R3, R3, Operand2::ShiftReg(R2, Shift::Lsl, other));
        self.alu(Alu::Orr, R3, R3, Operand2::ShiftReg(R2, Shift::Lsr, R6));
        self.mov(R2, Operand2::ShiftReg(R2, Shift::Lsl, left));
        let again = self.here();
        self.alu_flags(Alu::Sub, R6, R0, R2);
        self.alu_flags(Alu::Sbc, R7, R1, R3);
        self.mov_if(Cond::Hs, R0, R6);
        self.mov_if(Cond::Hs, R1, R7);
        // The carry is the next bit.
        self.alu(Alu::Adc, R4, R4, R4);
        self.e.mov(AL, Move::Mov, Flags::Set, R3, Operand2::Shift(R3, Shift::Lsr, 1));
        self.mov(R2, Operand2::Rrx(R2));
        self.alu_flags(Alu::Sub, left, left, imm(1));
        self.e.jump_if(Cond::Pl, again);
        self.e.bind(end);
    }

    /// `__ice_f64_to_i64` and so on, toward zero: the upper word first, and the lower one from what is left.
    fn fix(&mut self, size: FloatSize, sign: Signedness) {
        if size == FloatSize::Single {
            self.e.float_widen(AL, D0, S0);
        }
        self.double(D1, PER_WORD, [R0, R1]);
        self.double(D2, WORD, [R0, R1]);
        if sign == Signedness::Signed {
            self.e.vmov_rr_d(AL, R2, R3, D0);
            self.e.float2(AL, Float2::Vabs, D0, D0);
        }
        self.e.float3(AL, Float3::Vmul, D1, D0, D1);
        self.word_of(R1, D1);
        self.double_of(IntToFloat::Unsigned, D1, R1);
        self.e.float3(AL, Float3::Vmls, D0, D1, D2);
        self.word_of(R0, D0);
        if sign == Signedness::Signed {
            self.negate_if_negative(R3, [R0, R1]);
        }
        self.ret();
    }

    /// `__ice_i64_to_f64` and so on, rounded once: a number that no double holds has lost eleven bits before it becomes a
    /// single, but for whether one of them was set.
    fn float(&mut self, size: FloatSize, sign: Signedness) {
        const DOUBLES: ModImm = ModImm::new(1 << 21).expect("a bit can be encoded");
        const BOTH_SIGNS: ModImm = ModImm::new(1 << 22).expect("a bit can be encoded");
        const STICKY: ModImm = ModImm::new(1 << 11).expect("a bit can be encoded");
        if size == FloatSize::Single {
            let exact = self.label();
            match sign {
                Signedness::Unsigned => self.compare(R1, DOUBLES),
                Signedness::Signed => {
                    self.alu(Alu::Add, R2, R1, DOUBLES);
                    self.compare(R2, BOTH_SIGNS);
                }
            }
            self.e.jump_if(Cond::Lo, exact);
            self.number(R2, 0x7ff);
            self.alu_flags(Alu::And, R3, R0, R2);
            self.alu(Alu::Bic, R0, R0, R2);
            self.e.alu(Cond::Ne, Alu::Orr, Flags::Keep, R0, R0, STICKY);
            self.e.bind(exact);
        }
        self.double_of(IntToFloat::Unsigned, D0, R0);
        self.double_of(conversion(sign), D1, R1);
        self.double(D2, WORD, [R0, R1]);
        self.e.float3(AL, Float3::Vmla, D0, D1, D2);
        if size == FloatSize::Single {
            self.e.float_narrow(AL, S0, D0);
        }
        self.ret();
    }
}

/// How a word becomes a float.
const fn conversion(sign: Signedness) -> IntToFloat {
    match sign {
        Signedness::Signed => IntToFloat::Signed,
        Signedness::Unsigned => IntToFloat::Unsigned,
    }
}

//! Remainders of floats, which are exact: the largest multiple of the divisor by a power of two that is not above the rest
//! is taken away, as long as the rest is not below the divisor. Each difference is exact, for the rest is less than twice what
//! is taken (Sterbenz 1974).
//!
//! Such a multiple has the digits of the divisor and the exponent of the rest, or one less. A divisor without an exponent
//! is scaled by 2^54 first, which leaves a rest that can be scaled as well.

use super::{Helpers, R0, R1, R2, R3, imm};
use crate::emit::AL;
use crate::inst::FloatSize;
use ice_asm::arm32::{
    Alu, BitField, Cond, Dreg, Flags, Float2, Float3, FloatCompare, Gpr, ModImm, Operand2, Shift, Sreg,
};

/// The rest, the divisor, and what is taken.
const REST: Dreg = Dreg::new(0);
const DIVISOR: Dreg = Dreg::new(1);
const TAKEN: Dreg = Dreg::new(2);
const SCALE: Dreg = Dreg::new(3);

/// The upper halves of doubles: 2^54 and its reciprocal.
const UP: u32 = 0x4350_0000;
const DOWN: u32 = 0x3c90_0000;

/// Bits of digits in the upper half of a double.
const DIGITS: u8 = 20;
const ONE_EXPONENT: ModImm = ModImm::new(1 << DIGITS).expect("a bit can be encoded");

impl Helpers<'_> {
    fn compare_doubles(&mut self, lhs: Dreg, rhs: Dreg) {
        self.e.float_compare(AL, FloatCompare::Vcmp, lhs, rhs);
        self.e.vmrs_flags(AL);
    }

    /// `fmod`, `fmodf`: doubles have the remainders of singles.
    pub(super) fn remainder(&mut self, size: FloatSize) {
        let sign = Gpr::IP;
        let [none, end] = [0; 2].map(|_| self.label());
        if size == FloatSize::Single {
            // The first two singles are in the first double.
            self.e.float_widen(AL, DIVISOR, Sreg::new(1));
            self.e.float_widen(AL, REST, Sreg::new(0));
        }
        // There is none by 0 and of infinity, and none with a NaN.
        self.e.float_compare_zero(AL, FloatCompare::Vcmp, DIVISOR);
        self.e.vmrs_flags(AL);
        self.e.jump_if(Cond::Eq, none);
        self.e.jump_if(Cond::Vs, none);
        self.e.float3(AL, Float3::Vsub, TAKEN, REST, REST);
        self.compare_doubles(TAKEN, TAKEN);
        self.e.jump_if(Cond::Vs, none);
        self.e.vmov_rr_d(AL, R0, sign, REST);
        self.e.float2(AL, Float2::Vabs, REST, REST);
        self.e.float2(AL, Float2::Vabs, DIVISOR, DIVISOR);
        if size == FloatSize::Double {
            let has_exponent = self.label();
            self.e.vmov_rr_d(AL, R2, R3, DIVISOR);
            self.mov(R3, Operand2::Shift(R3, Shift::Lsr, DIGITS));
            self.compare(R3, imm(0));
            self.e.jump_if(Cond::Ne, has_exponent);
            self.double(SCALE, UP, [R0, R1]);
            self.e.float3(AL, Float3::Vmul, DIVISOR, DIVISOR, SCALE);
            self.reduce();
            self.e.float3(AL, Float3::Vmul, REST, REST, SCALE);
            self.reduce();
            self.double(SCALE, DOWN, [R0, R1]);
            self.e.float3(AL, Float3::Vmul, REST, REST, SCALE);
            self.e.jump(end);
            self.e.bind(has_exponent);
        }
        self.reduce();
        self.e.bind(end);
        self.compare(sign, imm(0));
        self.e.float2(Cond::Mi, Float2::Vneg, REST, REST);
        self.end_remainder(size);
        self.e.bind(none);
        self.e.float3(AL, Float3::Vmul, REST, REST, DIVISOR);
        self.e.float3(AL, Float3::Vdiv, REST, REST, REST);
        self.end_remainder(size);
    }

    fn end_remainder(&mut self, size: FloatSize) {
        if size == FloatSize::Single {
            self.e.float_narrow(AL, Sreg::new(0), REST);
        }
        self.ret();
    }

    /// Makes the rest less than the divisor, which has an exponent; neither is negative.
    fn reduce(&mut self) {
        let end = self.label();
        let again = self.here();
        self.compare_doubles(REST, DIVISOR);
        self.e.jump_if(Cond::Mi, end);
        self.e.vmov_rr_d(AL, R0, R1, REST);
        self.e.vmov_rr_d(AL, R2, R3, DIVISOR);
        self.mov(R1, Operand2::Shift(R1, Shift::Lsr, DIGITS));
        self.e.bit_field(AL, BitField::Ubfx, R3, R3, 0, DIGITS);
        self.alu(Alu::Orr, R3, R3, Operand2::Shift(R1, Shift::Lsl, DIGITS));
        self.e.vmov_d_rr(AL, TAKEN, R2, R3);
        self.compare_doubles(TAKEN, REST);
        self.e.alu(Cond::Gt, Alu::Sub, Flags::Keep, R3, R3, ONE_EXPONENT);
        self.e.vmov_d_rr(Cond::Gt, TAKEN, R2, R3);
        self.e.float3(AL, Float3::Vsub, REST, REST, TAKEN);
        self.e.jump(again);
        self.e.bind(end);
    }
}

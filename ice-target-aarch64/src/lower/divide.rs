//! Division and remainder of integers of 64 bits. Those of less are [`ice_codegen::words`]'s.
//!
//! By a constant no division is left: shifts for powers of two, the upper half of a product for the others
//! ([`ice_codegen::magic`]); the remainder is the dividend less the quotient times the divisor. A signed division by 2^k rounds
//! toward zero: 2^k - 1 is added to a negative dividend. By a variable the machine divides, once for a quotient and a
//! remainder of the same numbers that are near each other.
//!
//! The minimum divided by -1 wraps; what is divided by zero is zero, but PNaCl programs end.

use super::bits;
use crate::inst::{Inst, Rhs, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Multiply, MultiplyHigh, Shift, Two, Width};
use ice_codegen::Operands as _;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::{self, Part, Signedness, parts};
use ice_codegen::shared_division::{Partner, partner};
use ice_ir::{BinaryOp, Value};

const WIDTH: Width = Width::X;

/// The numbers that a division by the constant `n` has in registers: none for powers of two, and for 0.
pub(super) fn wide_numbers(op: BinaryOp, n: i64) -> impl Iterator<Item = u64> {
    let (sign, part) = parts(op);
    let multiplier = match sign {
        Signedness::Unsigned => magic::unsigned(64, n as u64).map(|magic| magic.multiplier),
        Signedness::Signed => magic::signed(64, n).map(|magic| magic.multiplier as u64),
    };
    let divisor = multiplier.filter(|_| part == Part::Remainder).map(|_| n as u64);
    multiplier.into_iter().chain(divisor)
}

impl Aarch64 {
    /// Any division of 64 bits.
    pub(super) fn divide_wide<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        dst: VReg,
    ) {
        let (sign, part) = parts(op);
        let constant = cx.func.int_value(b).filter(|&n| n != 0);
        let partner = match constant {
            None => partner(cx.func, cx.uses, cx.current_inst(), (op, [a, b])),
            Some(_) => Partner::None,
        };
        if partner == Partner::Before {
            return;
        }
        let x = self.reg(cx, a);
        if let Some(n) = constant {
            let done = match sign {
                Signedness::Unsigned => self.unsigned_by(cx, part, [x, dst], n as u64),
                Signedness::Signed => self.signed_by(cx, part, [x, dst], n),
            };
            if done {
                return;
            }
        }
        let rhs = self.reg(cx, b);
        if constant.is_none() {
            self.trap_if_zero_of(cx, WIDTH, rhs);
        }
        let (quotient, remainder) = match (partner, part) {
            (Partner::Behind(other), Part::Quotient) => (dst, Some(cx.regs(other).lo())),
            (Partner::Behind(other), Part::Remainder) => (cx.regs(other).lo(), Some(dst)),
            (_, Part::Quotient) => (dst, None),
            (_, Part::Remainder) => (self.wide_temp(cx, WIDTH), Some(dst)),
        };
        let op = if sign == Signedness::Signed { Two::Sdiv } else { Two::Udiv };
        cx.sink.push(Inst::Two { op, width: WIDTH, dst: quotient, lhs: x, rhs });
        if let Some(dst) = remainder {
            self.less_product(cx, dst, x, [quotient, rhs]);
        }
    }

    /// `dst = acc - a * b`.
    fn less_product<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, acc: VReg, [lhs, rhs]: [VReg; 2]) {
        let (op, acc) = (Multiply::Msub, Src::Reg(acc));
        cx.sink.push(Inst::Multiply { op, width: WIDTH, dst, lhs, rhs, acc });
    }

    fn unsigned_by<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: Part, [x, dst]: [VReg; 2], n: u64) -> bool {
        if n.is_power_of_two() {
            match part {
                Part::Quotient => self.shift(cx, (Shift::Lsr, WIDTH), dst, x, n.trailing_zeros() as u8),
                Part::Remainder if n == 1 => self.mov(cx, WIDTH, dst, Src::Zero),
                Part::Remainder => self.alu_number(cx, (Alu::And, WIDTH), dst, x, n - 1),
            }
            return true;
        }
        let Some(magic) = magic::unsigned(64, n) else { return false };
        let dividend = self.shift_temp(cx, (Shift::Lsr, WIDTH), x, magic.before as u8);
        let high = self.multiply_high_by(cx, MultiplyHigh::Umulh, dividend, magic.multiplier);
        let quotient = if part == Part::Quotient { dst } else { self.wide_temp(cx, WIDTH) };
        if magic.add {
            // ((x - high) / 2 + high) >> (s - 1): the sum in one bit more.
            let rest = self.alu_temp(cx, (Alu::Sub, WIDTH), x, high);
            let sum = self.alu_temp(cx, (Alu::Add, WIDTH), high, Rhs::Shift(rest, Shift::Lsr, 1));
            self.shift(cx, (Shift::Lsr, WIDTH), quotient, sum, magic.shift.saturating_sub(1) as u8);
        } else {
            self.shift(cx, (Shift::Lsr, WIDTH), quotient, high, magic.shift as u8);
        }
        self.finish_by(cx, part, [x, dst], quotient, n);
        true
    }

    fn signed_by<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: Part, [x, dst]: [VReg; 2], n: i64) -> bool {
        if n.unsigned_abs().is_power_of_two() {
            self.signed_power(cx, part, [x, dst], n);
            return true;
        }
        let Some(magic) = magic::signed(64, n) else { return false };
        let mut high = self.multiply_high_by(cx, MultiplyHigh::Smulh, x, magic.multiplier as u64);
        match (n > 0, magic.multiplier > 0) {
            (true, false) => high = self.alu_temp(cx, (Alu::Add, WIDTH), high, x),
            (false, true) => high = self.alu_temp(cx, (Alu::Sub, WIDTH), high, x),
            _ => {}
        }
        let shifted = self.shift_temp(cx, (Shift::Asr, WIDTH), high, magic.shift as u8);
        let quotient = if part == Part::Quotient { dst } else { self.wide_temp(cx, WIDTH) };
        // Plus one if it is negative.
        self.alu(cx, (Alu::Add, WIDTH), quotient, shifted, Rhs::Shift(high, Shift::Lsr, 63));
        self.finish_by(cx, part, [x, dst], quotient, n as u64);
        true
    }

    /// By 2^k or -2^k.
    fn signed_power<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: Part, [x, dst]: [VReg; 2], n: i64) {
        let k = n.trailing_zeros() as u8;
        if (part, k) == (Part::Remainder, 0) {
            return self.mov(cx, WIDTH, dst, Src::Zero);
        }
        let quotient = match k {
            0 => x,
            _ => {
                let sign = self.shift_temp(cx, (Shift::Asr, WIDTH), x, if k == 1 { 0 } else { 63 });
                let bias = Rhs::Shift(sign, Shift::Lsr, bits(WIDTH) - k);
                let sum = self.alu_temp(cx, (Alu::Add, WIDTH), x, bias);
                self.shift_temp(cx, (Shift::Asr, WIDTH), sum, k)
            }
        };
        match part {
            Part::Remainder => self.alu(cx, (Alu::Sub, WIDTH), dst, x, Rhs::Shift(quotient, Shift::Lsl, k)),
            Part::Quotient if n < 0 => self.alu(cx, (Alu::Sub, WIDTH), dst, Src::Zero, quotient),
            Part::Quotient => self.mov(cx, WIDTH, dst, quotient.into()),
        }
    }

    fn multiply_high_by<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: MultiplyHigh,
        lhs: VReg,
        number: u64,
    ) -> VReg {
        let (rhs, dst) = (self.wide_number(cx, WIDTH, number), self.wide_temp(cx, WIDTH));
        cx.sink.push(Inst::MultiplyHigh { op, dst, lhs, rhs });
        dst
    }

    /// Makes the remainder of a quotient where that is wanted.
    fn finish_by<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        part: Part,
        [x, dst]: [VReg; 2],
        quotient: VReg,
        n: u64,
    ) {
        if part == Part::Remainder {
            let divisor = self.wide_number(cx, WIDTH, n);
            self.less_product(cx, dst, x, [quotient, divisor]);
        }
    }
}

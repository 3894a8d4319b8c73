//! Division and remainder of integers of up to 32 bits, by variables and by constants.
//!
//! By a variable: `sdiv` or `udiv` where the processor has them, else the helpers of the run-time ABI; a zero
//! divisor traps in PNaCl programs. By a constant no division is left: shifts for powers of two, the high half of a product for
//! the others ([`ice_codegen::division`]); the remainder is the dividend less the quotient times the divisor. A
//! signed division by 2^k rounds toward zero: 2^k - 1 is added to a negative dividend. Narrow operands are
//! divided in 32 bits.
//!
//! The minimum divided by -1 wraps.

use crate::inst::{Inst, Src};
use crate::regs::{GPR, r};
use crate::target::{Arm32, Cx, Division};
use ice_asm::arm32::{Alu, BitField, Divide, Flags, ModImm, Multiply, MultiplyLong, Shift};
use ice_codegen::Libcall;
use ice_codegen::division::{Adjust, Plan, divisor, plan};
use ice_codegen::mach::{Operand, Sink, VReg};
use ice_codegen::magic::{Part, Signedness, parts};
use ice_ir::{BinaryOp, Type, Value};

impl Arm32 {
    /// Any division of integers of up to 32 bits.
    pub(super) fn divide<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let (sign, part) = parts(op);
        let x = self.extended(cx, sign, a);
        let constant = cx.func.int_value(b).map(|n| divisor(sign, ty, n)).filter(|&n| n != 0);
        if let Some(n) = constant
            && ty != Type::I1
        {
            if n.unsigned_abs().is_power_of_two() {
                return match sign {
                    Signedness::Unsigned => self.shift_unsigned(cx, part, x, n.trailing_zeros() as u8, dst),
                    Signedness::Signed => self.shift_signed(cx, part, x, n, dst),
                };
            }
            if let Some(plan) = plan(sign, ty, n) {
                let factor = self.number_reg(cx, plan.multiplier());
                let quotient = if part == Part::Quotient { dst } else { self.temp(cx) };
                self.divide_by_product(cx, plan, x, factor, quotient);
                if part == Part::Remainder {
                    let rhs = self.number_reg(cx, n as u32);
                    let op = Multiply::Mls;
                    cx.sink.push(Inst::MultiplyAdd { op, dst, lhs: quotient, rhs, acc: x });
                }
                return;
            }
        }
        let rhs = self.extended(cx, sign, b);
        if constant.is_none() && !self.is_native() {
            cx.sink.push(Inst::TrapIfZero { lo: rhs, hi: None });
        }
        self.divide_words(cx, op, [x, rhs], dst);
    }

    /// By 2^k.
    fn shift_unsigned<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: Part, src: VReg, k: u8, dst: VReg) {
        match (part, k) {
            (Part::Quotient, 0) => cx.sink.push(Inst::Mov { dst, src }),
            (Part::Quotient, _) => self.mov(cx, dst, Src::Shift(src, Shift::Lsr, k)),
            (Part::Remainder, 0) => cx.sink.push(Inst::MovImm { dst, imm: 0 }),
            (Part::Remainder, width) => {
                cx.sink.push(Inst::BitField { op: BitField::Ubfx, dst, src, lsb: 0, width });
            }
        }
    }

    /// By 2^k or -2^k.
    fn shift_signed<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: Part, x: VReg, n: i64, dst: VReg) {
        let (k, flags) = (n.trailing_zeros() as u8, Flags::Keep);
        let quotient = if k == 0 {
            x
        } else {
            let sum = self.temp(cx);
            let mut sign = x;
            if k > 1 {
                sign = self.temp(cx);
                self.mov(cx, sign, Src::Shift(x, Shift::Asr, 31));
            }
            let rhs = Src::Shift(sign, Shift::Lsr, 32 - k);
            cx.sink.push(Inst::Alu { op: Alu::Add, flags, dst: sum, lhs: x, rhs });
            let quotient = self.temp(cx);
            self.mov(cx, quotient, Src::Shift(sum, Shift::Asr, k));
            quotient
        };
        let (zero, scaled) = (Src::Imm(ModImm::small(0)), Src::Shift(quotient, Shift::Lsl, k));
        match part {
            Part::Remainder if k == 0 => cx.sink.push(Inst::MovImm { dst, imm: 0 }),
            Part::Remainder => cx.sink.push(Inst::Alu { op: Alu::Sub, flags, dst, lhs: x, rhs: scaled }),
            Part::Quotient if n < 0 => {
                cx.sink.push(Inst::Alu { op: Alu::Rsb, flags, dst, lhs: quotient, rhs: zero });
            }
            Part::Quotient => cx.sink.push(Inst::Mov { dst, src: quotient }),
        }
    }

    /// `dst` = the quotient of `x`, by the multiplier in `factor`.
    fn divide_by_product<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        plan: Plan,
        x: VReg,
        factor: VReg,
        dst: VReg,
    ) {
        let flags = Flags::Keep;
        let (lo, mut high) = (self.temp(cx), self.temp(cx));
        let op = if matches!(plan, Plan::Signed { .. }) { MultiplyLong::Smull } else { MultiplyLong::Umull };
        cx.sink.push(Inst::MultiplyLong { op, lo, hi: high, lhs: x, rhs: factor });
        let right = |src, op, n| if n == 0 { Src::Reg(src) } else { Src::Shift(src, op, n) };
        match plan {
            Plan::Unsigned { shift, add: false, .. } => self.mov(cx, dst, right(high, Shift::Lsr, shift)),
            Plan::Unsigned { shift, add: true, .. } => {
                // ((x - high) / 2 + high) >> (s - 1): the sum in one bit more. The shift is not zero here.
                let (rest, sum) = (self.temp(cx), self.temp(cx));
                cx.sink.push(Inst::Alu { op: Alu::Sub, flags, dst: rest, lhs: x, rhs: Src::Reg(high) });
                let half = Src::Shift(rest, Shift::Lsr, 1);
                cx.sink.push(Inst::Alu { op: Alu::Add, flags, dst: sum, lhs: high, rhs: half });
                self.mov(cx, dst, right(sum, Shift::Lsr, shift.saturating_sub(1)));
            }
            Plan::Signed { shift, adjust, .. } => {
                if let Some(adjust) = adjust {
                    let op = if adjust == Adjust::Add { Alu::Add } else { Alu::Sub };
                    let sum = self.temp(cx);
                    cx.sink.push(Inst::Alu { op, flags, dst: sum, lhs: high, rhs: Src::Reg(x) });
                    high = sum;
                }
                let mut lhs = high;
                if shift > 0 {
                    lhs = self.temp(cx);
                    self.mov(cx, lhs, Src::Shift(high, Shift::Asr, shift));
                }
                let sign = Src::Shift(high, Shift::Lsr, 31);
                cx.sink.push(Inst::Alu { op: Alu::Add, flags, dst, lhs, rhs: sign });
            }
        }
    }

    /// Division or remainder of 32-bit numbers; the divisor is not zero.
    pub(super) fn divide_words<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [lhs, rhs]: [VReg; 2],
        dst: VReg,
    ) {
        let (sign, part) = parts(op);
        if self.division == Division::Hardware {
            let op = if sign == Signedness::Signed { Divide::Sdiv } else { Divide::Udiv };
            if part == Part::Quotient {
                return cx.sink.push(Inst::Divide { op, dst, lhs, rhs });
            }
            let quotient = self.temp(cx);
            cx.sink.push(Inst::Divide { op, dst: quotient, lhs, rhs });
            let op = Multiply::Mls;
            return cx.sink.push(Inst::MultiplyAdd { op, dst, lhs: quotient, rhs, acc: lhs });
        }
        // The helpers with a remainder give it in r1 (RTABI, IHI 0043D, 4.3.1).
        let (helper, result) = match (sign, part) {
            (Signedness::Signed, Part::Quotient) => (Libcall::AeabiIdiv, r(0)),
            (Signedness::Signed, Part::Remainder) => (Libcall::AeabiIdivmod, r(1)),
            (Signedness::Unsigned, Part::Quotient) => (Libcall::AeabiUidiv, r(0)),
            (Signedness::Unsigned, Part::Remainder) => (Libcall::AeabiUidivmod, r(1)),
        };
        let operands = [
            Operand::use_fixed(lhs, GPR, r(0)),
            Operand::use_fixed(rhs, GPR, r(1)),
            Operand::def_fixed(dst, GPR, result),
        ];
        self.push_libcall(cx, helper, &operands);
    }
}

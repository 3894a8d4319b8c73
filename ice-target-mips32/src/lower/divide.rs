//! Division and remainder of integers of up to 32 bits, by variables and by constants.
//!
//! By a variable: `div` or `divu`; a zero divisor traps in PNaCl programs. By a constant no division is left: shifts for
//! powers of two, the high half of a product for the others ([`ice_codegen::division`]); the remainder is the dividend
//! less the quotient times the divisor. A signed division by 2^k rounds toward zero: 2^k - 1 is added to a negative
//! dividend. Narrow operands are divided in 32 bits.
//!
//! The minimum divided by -1 wraps.

use crate::inst::{Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, FromHiLo, MultiplyDivide, Shift};
use ice_codegen::division::{Adjust, Plan, divisor, plan};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::{Part, Signedness, parts};
use ice_ir::{BinaryOp, Type, Value};

impl Mips32 {
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
        let constant =
            cx.func.int_value(b).map(|n| divisor(sign, ty, n)).filter(|&n| n != 0 && ty != Type::I1);
        if let Some(n) = constant
            && self.divide_by_constant(cx, (sign, part), ty, x, n, dst)
        {
            return;
        }
        let rhs = self.extended(cx, sign, b);
        if constant.is_none() && !self.is_native() {
            cx.sink.push(Inst::TrapIfZero { src: rhs });
        }
        self.divide_words(cx, op, [x, rhs], dst);
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
        let op = if sign == Signedness::Signed { MultiplyDivide::Div } else { MultiplyDivide::Divu };
        let half = if part == Part::Quotient { FromHiLo::Mflo } else { FromHiLo::Mfhi };
        cx.sink.push(Inst::HiLo { op, half, dst, lhs, rhs });
    }

    /// A division by a constant that takes no division; says whether there is a way.
    fn divide_by_constant<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (sign, part): (Signedness, Part),
        ty: Type,
        x: VReg,
        n: i64,
        dst: VReg,
    ) -> bool {
        if n.unsigned_abs().is_power_of_two() {
            match sign {
                Signedness::Unsigned => self.shift_unsigned(cx, part, x, n.trailing_zeros() as u8, dst),
                Signedness::Signed => self.shift_signed(cx, part, x, n, dst),
            }
            return true;
        }
        let Some(plan) = plan(sign, ty, n) else { return false };
        let factor = self.number_reg(cx, plan.multiplier());
        let quotient = if part == Part::Quotient { dst } else { self.temp(cx) };
        self.divide_by_product(cx, plan, [x, factor], quotient);
        if part == Part::Remainder {
            let number = self.number_reg(cx, n as u32);
            let product = self.alu_temp(cx, Alu::Mul, quotient, number);
            self.alu(cx, Alu::Subu, dst, x, product);
        }
        true
    }

    /// By 2^k.
    fn shift_unsigned<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: Part, src: VReg, k: u8, dst: VReg) {
        match (part, k) {
            (Part::Quotient, _) => self.shift(cx, Shift::Srl, dst, src, k),
            (Part::Remainder, 0) => cx.sink.push(Inst::MovImm { dst, imm: 0 }),
            (Part::Remainder, size) => cx.sink.push(Inst::Extract { dst, src, lsb: 0, size }),
        }
    }

    /// By 2^k or -2^k.
    fn shift_signed<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: Part, x: VReg, n: i64, dst: VReg) {
        let k = n.trailing_zeros() as u8;
        if (part, k) == (Part::Remainder, 0) {
            return cx.sink.push(Inst::MovImm { dst, imm: 0 });
        }
        let rounded = match k {
            0 => x,
            _ => {
                let sign = if k == 1 { x } else { self.shift_temp(cx, Shift::Sra, x, 31) };
                let less = self.shift_temp(cx, Shift::Srl, sign, 32 - k);
                self.alu_temp(cx, Alu::Addu, x, less)
            }
        };
        let quotient = self.shift_temp(cx, Shift::Sra, rounded, k);
        match part {
            Part::Remainder => {
                let product = self.shift_temp(cx, Shift::Sll, quotient, k);
                self.alu(cx, Alu::Subu, dst, x, product);
            }
            Part::Quotient if n < 0 => self.alu(cx, Alu::Subu, dst, Src::Zero, quotient),
            Part::Quotient => cx.sink.push(Inst::Mov { dst, src: quotient }),
        }
    }

    /// `dst` = the quotient of `x`, by the multiplier in `factor`.
    fn divide_by_product<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        plan: Plan,
        [x, factor]: [VReg; 2],
        dst: VReg,
    ) {
        let op =
            if matches!(plan, Plan::Signed { .. }) { MultiplyDivide::Mult } else { MultiplyDivide::Multu };
        let (half, high) = (FromHiLo::Mfhi, self.temp(cx));
        cx.sink.push(Inst::HiLo { op, half, dst: high, lhs: x, rhs: factor });
        match plan {
            Plan::Unsigned { shift, add: false, .. } => self.shift(cx, Shift::Srl, dst, high, shift),
            Plan::Unsigned { shift, add: true, .. } => {
                // ((x - high) / 2 + high) >> (s - 1): the sum in one bit more.
                let rest = self.alu_temp(cx, Alu::Subu, x, high);
                let half = self.shift_temp(cx, Shift::Srl, rest, 1);
                let sum = self.alu_temp(cx, Alu::Addu, high, half);
                self.shift(cx, Shift::Srl, dst, sum, shift.saturating_sub(1));
            }
            Plan::Signed { shift, adjust, .. } => {
                let high = match adjust {
                    None => high,
                    Some(Adjust::Add) => self.alu_temp(cx, Alu::Addu, high, x),
                    Some(Adjust::Subtract) => self.alu_temp(cx, Alu::Subu, high, x),
                };
                let shifted = self.shift_temp(cx, Shift::Sra, high, shift);
                let sign = self.shift_temp(cx, Shift::Srl, high, 31);
                self.alu(cx, Alu::Addu, dst, shifted, sign);
            }
        }
    }
}

//! 64-bit integers in pairs of registers: what the machine has its own way for.
//!
//! There is no carry: the low half of a sum is less than a term if and only if there was one. Shifts by a variable take
//! the low five bits of the amount in each half; bit 5 then says whether the halves move by a whole one.

use super::int::{alu, shift};
use crate::inst::{Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, MultiplyDivide, Shift, ShiftBy};
use ice_codegen::extension::long_factors;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::words::{PairRules, PairShift};
use ice_codegen::{Operands as _, ValueRegs, Words as _};
use ice_ir::{BinaryOp, InstData, Value};

/// The factors of a product that a sum or a difference computes itself, and how they are extended.
fn folded_product<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value) -> Option<(Signedness, [Value; 2])> {
    match *cx.func.inst(cx.folded(value)?) {
        InstData::Binary { op: BinaryOp::Mul, args } => Some((long_factors(cx.func, args)?, args)),
        _ => None,
    }
}

impl PairRules for Mips32 {
    fn pair_alu<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, [a, b]: [Value; 2], dst: ValueRegs) {
        let swap = op == BinaryOp::Add && cx.folded(a).is_some();
        let [a, b] = if swap { [b, a] } else { [a, b] };
        if let Some((sign, factors)) = folded_product(cx, b) {
            let op = match (op, sign) {
                (BinaryOp::Add, Signedness::Signed) => MultiplyDivide::Madd,
                (BinaryOp::Add, Signedness::Unsigned) => MultiplyDivide::Maddu,
                (_, Signedness::Signed) => MultiplyDivide::Msub,
                (_, Signedness::Unsigned) => MultiplyDivide::Msubu,
            };
            let acc = self.regs(cx, a);
            let [lhs, rhs] = factors.map(|factor| self.regs(cx, factor).lo());
            let (lo, hi, acc_lo, acc_hi) = (dst.lo(), dst.hi(), acc.lo(), acc.hi());
            return cx.sink.push(Inst::MultiplyAdd { op, lo, hi, acc_lo, acc_hi, lhs, rhs });
        }
        let number = cx.func.int_value(b);
        let lhs = self.regs(cx, a);
        let half = |cx: &mut Cx<'_, S>, op, dst, lhs, at: u8| match number {
            Some(number) => self.alu_imm(cx, op, dst, lhs, (number >> (32 * at)) as u32),
            None => {
                let rhs = self.regs(cx, b).part(at);
                self.alu(cx, op, dst, lhs, rhs);
            }
        };
        let op = match alu(op) {
            Some(op @ (Alu::Addu | Alu::Subu)) => op,
            Some(op) => {
                half(cx, op, dst.lo(), lhs.lo(), 0);
                return half(cx, op, dst.hi(), lhs.hi(), 1);
            }
            None => return cx.fault("an operation on pairs is no sum and no logic"),
        };
        let [lo, hi] = [self.temp(cx), self.temp(cx)];
        half(cx, op, lo, lhs.lo(), 0);
        half(cx, op, hi, lhs.hi(), 1);
        let carry = match (op, number) {
            (_, Some(number)) if number as u32 == 0 => None,
            (Alu::Addu, Some(number)) => Some(self.alu_imm_temp(cx, Alu::Sltu, lo, number as u32)),
            (Alu::Addu, None) => Some(self.alu_temp(cx, Alu::Sltu, lo, lhs.lo())),
            (_, Some(number)) => Some(self.alu_imm_temp(cx, Alu::Sltu, lhs.lo(), number as u32)),
            (_, None) => {
                let rhs = self.regs(cx, b).lo();
                Some(self.alu_temp(cx, Alu::Sltu, lhs.lo(), rhs))
            }
        };
        match carry {
            Some(carry) => self.alu(cx, op, dst.hi(), hi, carry),
            None => cx.sink.push(Inst::Mov { dst: dst.hi(), src: hi }),
        }
        cx.sink.push(Inst::Mov { dst: dst.lo(), src: lo });
    }

    fn add_around<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, [lo, hi]: [VReg; 2]) {
        let sum = self.alu_temp(cx, Alu::Addu, lo, hi);
        let carry = self.alu_temp(cx, Alu::Sltu, sum, lo);
        self.alu(cx, Alu::Addu, dst, sum, carry);
    }

    fn pair_minus_word<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        dst: [VReg; 2],
        [lo, hi]: [VReg; 2],
        word: VReg,
    ) {
        let borrow = self.alu_temp(cx, Alu::Sltu, lo, word);
        self.alu(cx, Alu::Subu, dst[0], lo, word);
        self.alu(cx, Alu::Subu, dst[1], hi, borrow);
    }

    fn pair_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: PairShift,
        [value, count]: [Value; 2],
        dst: ValueRegs,
    ) {
        let regs = self.regs(cx, value);
        let amount = self.reg(cx, count);
        let ([near, far], [near_dst, far_dst]) = (op.halves(regs), op.halves(dst));
        let by = |cx: &mut Cx<'_, S>, (_, op): (Shift, ShiftBy), src, amount| -> VReg {
            let dst = self.temp(cx);
            cx.sink.push(Inst::ShiftBy { op, dst, src, amount });
            dst
        };
        let [Some(near_op), Some(far_op), Some(back)] = [op.near, op.far, op.back].map(shift) else {
            return cx.fault("a shift of pairs is none");
        };
        // By 31 - n and one more, as a shift by 32 is none.
        let rest = self.alu_temp(cx, Alu::Nor, amount, Src::Zero);
        let first = self.shift_temp(cx, back.0, near, 1);
        let moved = by(cx, back, first, rest);
        let kept = by(cx, far_op, far, amount);
        let new_far = self.alu_temp(cx, Alu::Or, kept, moved);
        let new_near = by(cx, near_op, near, amount);
        let cond = self.alu_imm_temp(cx, Alu::And, amount, 32);
        let rest = match op.near {
            BinaryOp::Ashr => Src::Reg(self.shift_temp(cx, Shift::Sra, near, 31)),
            _ => Src::Zero,
        };
        cx.sink.push(Inst::CondMov { op: Alu::Movn, dst: new_far, src: Src::Reg(new_near), cond });
        cx.sink.push(Inst::CondMov { op: Alu::Movn, dst: new_near, src: rest, cond });
        cx.sink.push(Inst::Mov { dst: far_dst, src: new_far });
        cx.sink.push(Inst::Mov { dst: near_dst, src: new_near });
    }
}

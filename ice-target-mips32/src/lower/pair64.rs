//! 64-bit integers in pairs of registers.
//!
//! There is no carry: the low half of a sum is less than a term if and only if there was one. Shifts by a variable take
//! the low five bits of the amount in each half; bit 5 then says whether the halves move by a whole one.

use super::int::{alu, shift};
use crate::inst::{Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, MultiplyDivide, Shift, ShiftBy};
use ice_codegen::extension::is_low_half_extended;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{Libcall, Operands as _, ValueRegs};
use ice_ir::{BinaryOp, Type, Value};

/// The half of a pair that a shift takes bits into, and the one that they come from.
#[derive(Clone, Copy)]
struct Halves {
    far: VReg,
    near: VReg,
}

/// A shift of pairs: the operation on the half whose bits leave it, and those on the other half and on what comes into it.
#[derive(Clone, Copy)]
struct PairShift {
    near: (Shift, ShiftBy),
    far: (Shift, ShiftBy),
    back: (Shift, ShiftBy),
}

impl PairShift {
    fn new(near: (Shift, ShiftBy)) -> PairShift {
        let (left, right) = ((Shift::Sll, ShiftBy::Sllv), (Shift::Srl, ShiftBy::Srlv));
        match near.0 {
            Shift::Sll => PairShift { near, far: left, back: right },
            _ => PairShift { near, far: right, back: left },
        }
    }

    fn halves(self, regs: ValueRegs) -> Halves {
        match self.near.0 {
            Shift::Sll => Halves { far: regs.hi(), near: regs.lo() },
            _ => Halves { far: regs.lo(), near: regs.hi() },
        }
    }
}

impl Mips32 {
    /// Any binary operator on pairs.
    pub(crate) fn pair_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let swap = op.is_commutative() && cx.is_constant(a) && !cx.is_constant(b);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        let dst = cx.regs(result);
        match (op, alu(op), shift(op)) {
            (BinaryOp::Add | BinaryOp::Sub, Some(op), _) => self.pair_sum(cx, op, [a, b], dst),
            (_, Some(op), _) => {
                let numbers = cx.func.int_value(b);
                let lhs = self.regs(cx, a);
                for (n, (dst, lhs)) in dst.iter().zip(lhs.iter()).enumerate() {
                    match numbers {
                        Some(number) => self.alu_imm(cx, op, dst, lhs, (number >> (32 * n)) as u32),
                        None => {
                            let rhs = self.regs(cx, b).part(n as u8);
                            self.alu(cx, op, dst, lhs, rhs);
                        }
                    }
                }
            }
            (_, _, Some(op)) => {
                let op = PairShift::new(op);
                match cx.func.int_value(b) {
                    Some(n) => self.pair_shift_by(cx, op, a, (n & 63) as u8, dst),
                    None => self.pair_shift(cx, op, [a, b], dst),
                }
            }
            (BinaryOp::Mul, ..) => self.pair_multiply(cx, [a, b], dst),
            _ => {
                let divisor = self.regs(cx, b);
                if cx.func.int_value(b).is_none_or(|n| n == 0) && !self.is_native() {
                    let src = self.alu_temp(cx, Alu::Or, divisor.lo(), divisor.hi());
                    cx.sink.push(Inst::TrapIfZero { src });
                }
                let args = [(self.regs(cx, a), Type::I64), (divisor, Type::I64)];
                self.libcall(cx, Libcall::of_division(op), &args, Some((dst, Type::I64)));
            }
        }
    }

    fn pair_sum<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, [a, b]: [Value; 2], dst: ValueRegs) {
        let number = cx.func.int_value(b);
        let x = self.regs(cx, a);
        let half = |cx: &mut Cx<'_, S>, dst, lhs, number: Option<i64>, at: u8| match number {
            Some(number) => self.alu_imm(cx, op, dst, lhs, (number >> (32 * at)) as u32),
            None => {
                let rhs = self.regs(cx, b).part(at);
                self.alu(cx, op, dst, lhs, rhs);
            }
        };
        let [lo, hi] = [self.temp(cx), self.temp(cx)];
        half(cx, lo, x.lo(), number, 0);
        half(cx, hi, x.hi(), number, 1);
        let carry = match (op, number) {
            (_, Some(number)) if number as u32 == 0 => None,
            (Alu::Addu, Some(number)) => Some(self.alu_imm_temp(cx, Alu::Sltu, lo, number as u32)),
            (Alu::Addu, None) => Some(self.alu_temp(cx, Alu::Sltu, lo, x.lo())),
            (_, Some(number)) => Some(self.alu_imm_temp(cx, Alu::Sltu, x.lo(), number as u32)),
            (_, None) => {
                let rhs = self.regs(cx, b).lo();
                Some(self.alu_temp(cx, Alu::Sltu, x.lo(), rhs))
            }
        };
        match carry {
            Some(carry) => self.alu(cx, op, dst.hi(), hi, carry),
            None => cx.sink.push(Inst::Mov { dst: dst.hi(), src: hi }),
        }
        cx.sink.push(Inst::Mov { dst: dst.lo(), src: lo });
    }

    /// lo×lo in 64 bits plus the two cross products in the high half. There are none where both numbers are words with
    /// zeros above them, or both words with their sign.
    fn pair_multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: ValueRegs) {
        let (x, y) = (self.regs(cx, a), self.regs(cx, b));
        let [lo, high] = [self.temp(cx), self.temp(cx)];
        let are = |sign| [a, b].iter().all(|&value| is_low_half_extended(cx.func, sign, value));
        let is_signed = are(Signedness::Signed);
        if is_signed || are(Signedness::Unsigned) {
            let op = if is_signed { MultiplyDivide::Mult } else { MultiplyDivide::Multu };
            let (lo, hi) = (dst.lo(), dst.hi());
            return cx.sink.push(Inst::MultiplyLong { op, lo, hi, lhs: x.lo(), rhs: y.lo() });
        }
        let op = MultiplyDivide::Multu;
        cx.sink.push(Inst::MultiplyLong { op, lo, hi: high, lhs: x.lo(), rhs: y.lo() });
        let cross = self.alu_temp(cx, Alu::Mul, x.lo(), y.hi());
        let sum = self.alu_temp(cx, Alu::Addu, high, cross);
        let cross = self.alu_temp(cx, Alu::Mul, x.hi(), y.lo());
        self.alu(cx, Alu::Addu, dst.hi(), sum, cross);
        cx.sink.push(Inst::Mov { dst: dst.lo(), src: lo });
    }

    fn pair_shift_by<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: PairShift,
        value: Value,
        amount: u8,
        dst: ValueRegs,
    ) {
        let regs = self.regs(cx, value);
        let (src, dst) = (op.halves(regs), op.halves(dst));
        let far = match amount {
            0 => src.far,
            1..32 => {
                let kept = self.shift_temp(cx, op.far.0, src.far, amount);
                let moved = self.shift_temp(cx, op.back.0, src.near, 32 - amount);
                self.alu_temp(cx, Alu::Or, kept, moved)
            }
            _ => self.shift_temp(cx, op.near.0, src.near, amount - 32),
        };
        let near = match amount {
            0..32 => self.shift_temp(cx, op.near.0, src.near, amount),
            _ => self.sign_or_zero(cx, op, src.near),
        };
        cx.sink.push(Inst::Mov { dst: dst.far, src: far });
        cx.sink.push(Inst::Mov { dst: dst.near, src: near });
    }

    /// What is left of a half that was shifted out.
    fn sign_or_zero<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: PairShift, near: VReg) -> VReg {
        if op.near.0 == Shift::Sra {
            return self.shift_temp(cx, Shift::Sra, near, 31);
        }
        let dst = self.temp(cx);
        cx.sink.push(Inst::MovImm { dst, imm: 0 });
        dst
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
        let (src, dst) = (op.halves(regs), op.halves(dst));
        let by = |cx: &mut Cx<'_, S>, op, src, amount| {
            let dst = self.temp(cx);
            cx.sink.push(Inst::ShiftBy { op, dst, src, amount });
            dst
        };
        // By 31 - n and one more, as a shift by 32 is none.
        let rest = self.alu_temp(cx, Alu::Nor, amount, Src::Zero);
        let first = self.shift_temp(cx, op.back.0, src.near, 1);
        let moved = by(cx, op.back.1, first, rest);
        let kept = by(cx, op.far.1, src.far, amount);
        let far = self.alu_temp(cx, Alu::Or, kept, moved);
        let near = by(cx, op.near.1, src.near, amount);
        let cond = self.alu_imm_temp(cx, Alu::And, amount, 32);
        let rest = match op.near.0 {
            Shift::Sra => Src::Reg(self.sign_or_zero(cx, op, src.near)),
            _ => Src::Zero,
        };
        cx.sink.push(Inst::CondMov { op: Alu::Movn, dst: far, src: Src::Reg(near), cond });
        cx.sink.push(Inst::CondMov { op: Alu::Movn, dst: near, src: rest, cond });
        cx.sink.push(Inst::Mov { dst: dst.far, src: far });
        cx.sink.push(Inst::Mov { dst: dst.near, src: near });
    }
}

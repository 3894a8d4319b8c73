//! 64-bit integers in pairs of registers.
//!
//! Carries pass from the low to the high half through the flags. Shifts by a variable amount rely on register
//! shifts taking the low byte of the amount: past 31 they give zeros, so that the parts which must not count
//! vanish by themselves; only the arithmetic shift needs a condition.

use super::int::{alu, shift};
use crate::inst::{Inst, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Alu, Cond, Flags, ModImm, Multiply, MultiplyLong, Shift};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Libcall, Operands as _, ValueRegs};
use ice_ir::{BinaryOp, Type, Value};

impl Arm32 {
    /// Any binary operator on pairs.
    pub(crate) fn pair_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let dst = cx.regs(result);
        let swap = op.is_commutative() && cx.is_constant(a) && !cx.is_constant(b);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        if let Some(low) = alu(op) {
            let (high, flags) = match low {
                Alu::Add => (Alu::Adc, Flags::Set),
                Alu::Sub => (Alu::Sbc, Flags::Set),
                other => (other, Flags::Keep),
            };
            let rhs = self.pair_src(cx, b);
            let lhs = self.regs(cx, a);
            // The low result must not destroy the high sources.
            let lo = self.temp(cx);
            cx.sink.push(Inst::Alu { op: low, flags, dst: lo, lhs: lhs.lo(), rhs: rhs[0] });
            let flags = Flags::Keep;
            cx.sink.push(Inst::Alu { op: high, flags, dst: dst.hi(), lhs: lhs.hi(), rhs: rhs[1] });
            return cx.sink.push(Inst::Mov { dst: dst.lo(), src: lo });
        }
        if let Some(op) = shift(op) {
            return match cx.func.int_value(b) {
                Some(n) => self.pair_shift_by(cx, op, a, (n & 63) as u8, dst),
                None => self.pair_shift(cx, op, a, b, dst),
            };
        }
        if op == BinaryOp::Mul {
            return self.pair_multiply(cx, [a, b], dst);
        }
        let divisor = self.regs(cx, b);
        if cx.func.int_value(b).is_none_or(|n| n == 0) && !self.is_native() {
            cx.sink.push(Inst::TrapIfZero { lo: divisor.lo(), hi: Some(divisor.hi()) });
        }
        let args = [(self.regs(cx, a), Type::I64), (divisor, Type::I64)];
        self.libcall(cx, Libcall::of_division(op), &args, Some((dst, Type::I64)));
    }

    /// lo×lo in 64 bits plus the two cross products in the high half.
    fn pair_multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: ValueRegs) {
        let (x, y) = (self.regs(cx, a), self.regs(cx, b));
        let (lo, high, cross) = (self.temp(cx), self.temp(cx), self.temp(cx));
        let op = MultiplyLong::Umull;
        cx.sink.push(Inst::MultiplyLong { op, lo, hi: high, lhs: x.lo(), rhs: y.lo() });
        let op = Multiply::Mla;
        cx.sink.push(Inst::MultiplyAdd { op, dst: cross, lhs: x.lo(), rhs: y.hi(), acc: high });
        cx.sink.push(Inst::MultiplyAdd { op, dst: dst.hi(), lhs: x.hi(), rhs: y.lo(), acc: cross });
        cx.sink.push(Inst::Mov { dst: dst.lo(), src: lo });
    }

    fn pair_shift_by<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        value: Value,
        amount: u8,
        dst: ValueRegs,
    ) {
        let src = self.regs(cx, value);
        // `near` loses bits to `far`'s side of the shift.
        let left = op == Shift::Lsl;
        let halves = |regs: ValueRegs| if left { (regs.hi(), regs.lo()) } else { (regs.lo(), regs.hi()) };
        let ((far, near), (far_src, near_src)) = (halves(dst), halves(src));
        let back = if left { Shift::Lsr } else { Shift::Lsl };
        match amount {
            0 => {
                self.mov(cx, far, Src::Reg(far_src));
                self.mov(cx, near, Src::Reg(near_src));
            }
            1..32 => {
                let kept = self.temp(cx);
                let (first, flags) = (if left { Shift::Lsl } else { Shift::Lsr }, Flags::Keep);
                self.mov(cx, kept, Src::Shift(far_src, first, amount));
                let moved = Src::Shift(near_src, back, 32 - amount);
                let result = self.temp(cx);
                cx.sink.push(Inst::Alu { op: Alu::Orr, flags, dst: result, lhs: kept, rhs: moved });
                self.mov(cx, near, Src::Shift(near_src, op, amount));
                self.mov(cx, far, Src::Reg(result));
            }
            _ => {
                let result = self.temp(cx);
                let moved =
                    if amount == 32 { Src::Reg(near_src) } else { Src::Shift(near_src, op, amount - 32) };
                self.mov(cx, result, moved);
                match op {
                    Shift::Asr => self.mov(cx, near, Src::Shift(near_src, Shift::Asr, 31)),
                    _ => cx.sink.push(Inst::MovImm { dst: near, imm: 0 }),
                }
                self.mov(cx, far, Src::Reg(result));
            }
        }
    }

    fn pair_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        value: Value,
        count: Value,
        dst: ValueRegs,
    ) {
        let src = self.regs(cx, value);
        let count = self.reg(cx, count);
        let left = op == Shift::Lsl;
        let halves = |regs: ValueRegs| if left { (regs.hi(), regs.lo()) } else { (regs.lo(), regs.hi()) };
        let ((far, near), (far_src, near_src)) = (halves(dst), halves(src));
        let (first, back) = if left { (Shift::Lsl, Shift::Lsr) } else { (Shift::Lsr, Shift::Lsl) };
        let (past, rest) = (self.temp(cx), self.temp(cx));
        let width = Src::Imm(ModImm::small(32));
        let keep = Flags::Keep;
        let (kept, joined) = (self.temp(cx), self.temp(cx));
        cx.sink.push(Inst::Alu { op: Alu::Rsb, flags: keep, dst: rest, lhs: count, rhs: width });
        self.mov(cx, kept, Src::ShiftReg(far_src, first, count));
        let moved = Src::ShiftReg(near_src, back, rest);
        cx.sink.push(Inst::Alu { op: Alu::Orr, flags: keep, dst: joined, lhs: kept, rhs: moved });
        let far_result = self.past_a_word(cx, op, [count, past], joined, near_src);
        self.mov(cx, near, Src::ShiftReg(near_src, op, count));
        self.mov(cx, far, Src::Reg(far_result));
    }

    /// What reaches the far half by 32 or more is put in; below that the amount less 32 is negative.
    fn past_a_word<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        [count, past]: [VReg; 2],
        joined: VReg,
        near: VReg,
    ) -> VReg {
        let width = Src::Imm(ModImm::small(32));
        if op == Shift::Asr {
            cx.sink.push(Inst::Alu { op: Alu::Sub, flags: Flags::Set, dst: past, lhs: count, rhs: width });
            cx.sink.push(Inst::CondMov {
                cond: Cond::Pl,
                dst: joined,
                src: Src::ShiftReg(near, Shift::Asr, past),
            });
            return joined;
        }
        let (keep, result) = (Flags::Keep, self.temp(cx));
        cx.sink.push(Inst::Alu { op: Alu::Sub, flags: keep, dst: past, lhs: count, rhs: width });
        let rhs = Src::ShiftReg(near, op, past);
        cx.sink.push(Inst::Alu { op: Alu::Orr, flags: keep, dst: result, lhs: joined, rhs });
        result
    }
}

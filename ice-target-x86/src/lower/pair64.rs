//! 64-bit integers in pairs of 32-bit registers.
//!
//! Carries pass from the low to the high half through the flags: between the two instructions there are
//! only moves. Shifts by a variable amount have no branches: the double shift is right for amounts below
//! 32, and two conditional moves put the halves in place for the others.

use super::int::{alu, shift};
use crate::inst::{Amount, Compare, DoubleShift, Inst, Sign, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Cond, Shift, Width};
use ice_ir::mach::Sink;
use ice_ir::{BinaryOp, Type, Value};
use ice_passes::{Libcall, ValueRegs};

const W: Width = Width::B32;

impl X86 {
    /// Any binary operator on pairs.
    pub(super) fn pair_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let dst = cx.regs(result);
        let [a, b] = if op.is_commutative() && self.exchanges(cx, [a, b]) { [b, a] } else { [a, b] };
        if let Some(low) = alu(op) {
            let high = match low {
                Alu::Add => Alu::Adc,
                Alu::Sub => Alu::Sbb,
                other => other,
            };
            let rhs = self.pair_src(cx, b);
            self.move_value(cx, dst, a);
            cx.sink.push(Inst::Alu { op: low, width: W, dst: dst.lo(), src: rhs[0] });
            cx.sink.push(Inst::Alu { op: high, width: W, dst: dst.hi(), src: rhs[1] });
            return;
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
        let helper = match op {
            BinaryOp::Udiv => Libcall::Udivdi3,
            BinaryOp::Sdiv => Libcall::Divdi3,
            BinaryOp::Urem => Libcall::Umoddi3,
            _ => Libcall::Moddi3,
        };
        let args = [(self.regs(cx, a), Type::I64), (self.regs(cx, b), Type::I64)];
        self.libcall(cx, helper, &args, Some((dst, Type::I64)));
    }

    /// lo×lo in 64 bits plus the two cross products in the high half.
    fn pair_multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: ValueRegs) {
        let (x, y) = (self.regs(cx, a), self.regs(cx, b));
        let high = self.temp(cx, Type::I32);
        cx.sink.push(Inst::MulWide {
            sign: Sign::Unsigned,
            width: W,
            lhs: x.lo(),
            src: y.lo(),
            lo: dst.lo(),
            hi: high,
        });
        let (cross1, cross2) = (self.temp(cx, Type::I32), self.temp(cx, Type::I32));
        self.mov(cx, W, cross1, Src::Reg(x.lo()));
        cx.sink.push(Inst::Imul { width: W, dst: cross1, src: Src::Reg(y.hi()) });
        self.mov(cx, W, cross2, Src::Reg(x.hi()));
        cx.sink.push(Inst::Imul { width: W, dst: cross2, src: Src::Reg(y.lo()) });
        self.mov(cx, W, dst.hi(), Src::Reg(high));
        cx.sink.push(Inst::Alu { op: Alu::Add, width: W, dst: dst.hi(), src: Src::Reg(cross1) });
        cx.sink.push(Inst::Alu { op: Alu::Add, width: W, dst: dst.hi(), src: Src::Reg(cross2) });
    }

    fn pair_shift_by<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        value: Value,
        amount: u8,
        dst: ValueRegs,
    ) {
        let src = self.pair_src(cx, value);
        // `near` loses bits to `far`'s side of the shift.
        let left = op == Shift::Shl;
        let (far, near) = if left { (dst.hi(), dst.lo()) } else { (dst.lo(), dst.hi()) };
        let near_src = if left { src[0] } else { src[1] };
        if amount < 32 {
            self.mov(cx, W, dst.lo(), src[0]);
            self.mov(cx, W, dst.hi(), src[1]);
            if amount > 0 {
                let double = if left { DoubleShift::Left } else { DoubleShift::Right };
                let amount = Amount::Imm(amount);
                cx.sink.push(Inst::DoubleShift { op: double, width: W, dst: far, src: near, amount });
                cx.sink.push(Inst::Shift { op, width: W, dst: near, amount });
            }
            return;
        }
        self.mov(cx, W, far, near_src);
        if amount > 32 {
            cx.sink.push(Inst::Shift { op, width: W, dst: far, amount: Amount::Imm(amount - 32) });
        }
        if op == Shift::Sar {
            self.mov(cx, W, near, near_src);
            cx.sink.push(Inst::Shift { op, width: W, dst: near, amount: Amount::Imm(31) });
        } else {
            cx.sink.push(Inst::MovImm { width: W, dst: near, imm: 0 });
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
        let count = self.reg(cx, count);
        self.move_value(cx, dst, value);
        let left = op == Shift::Shl;
        let double = if left { DoubleShift::Left } else { DoubleShift::Right };
        let (far, near) = if left { (dst.hi(), dst.lo()) } else { (dst.lo(), dst.hi()) };
        let amount = Amount::Cl(count);
        cx.sink.push(Inst::DoubleShift { op: double, width: W, dst: far, src: near, amount });
        cx.sink.push(Inst::Shift { op, width: W, dst: near, amount });
        let fill = self.temp(cx, Type::I32);
        if op == Shift::Sar {
            self.mov(cx, W, fill, Src::Reg(near));
            cx.sink.push(Inst::Shift { op, width: W, dst: fill, amount: Amount::Imm(31) });
        } else {
            cx.sink.push(Inst::MovImm { width: W, dst: fill, imm: 0 });
        }
        cx.sink.push(Inst::Compare { op: Compare::Test, width: W, lhs: count, rhs: Src::Imm(32) });
        cx.sink.push(Inst::Cmov { cond: Cond::Ne, width: W, dst: far, src: near });
        cx.sink.push(Inst::Cmov { cond: Cond::Ne, width: W, dst: near, src: fill });
    }
}

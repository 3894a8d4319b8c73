//! 64-bit integers in pairs of 32-bit registers.
//!
//! Carries pass from the low to the high half through the flags: between the two instructions there are
//! only moves. Shifts by a variable amount have no branches: the double shift is right for amounts below
//! 32, and two conditional moves put the halves in place for the others, unless it is known that there are none.

use super::int::{alu, shift};
use crate::inst::{Amount, Compare, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Cond, DoubleShift, Shift, Width};
use ice_codegen::extension::{is_below_word, long_factors};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::needed_bits::{Half, needed_bits, only_half};
use ice_codegen::{Libcall, Operands as _, ValueRegs};
use ice_ir::{BinaryOp, CastOp, InstData, Type, Value, ValueDef};

const W: Width = Width::B32;

impl X86 {
    /// Any binary operator on pairs.
    pub(crate) fn pair_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let is_checked = match op {
            BinaryOp::Add | BinaryOp::Sub => self.is_checked(cx, op, result),
            _ => op == BinaryOp::Mul && self.is_checked_product(cx, result),
        };
        if is_checked {
            return;
        }
        let dst = cx.regs(result);
        if let Some(rotation) = self.folded_rotation(cx, op, [a, b]) {
            return self.rotate_pair(cx, rotation, dst);
        }
        let [a, b] = if op.is_commutative() && self.exchanges(cx, [a, b]) { [b, a] } else { [a, b] };
        if let Some(half) = only_half(cx.func, cx.uses, result)
            && self.half_binary(cx, op, [a, b], (half, result))
        {
            return;
        }
        if let Some(op) = alu(op) {
            let (lhs, rhs) = (self.pair_src(cx, a), self.pair_src(cx, b));
            return self.pair_alu(cx, op, lhs, rhs, dst);
        }
        if let Some(op) = shift(op) {
            return match cx.func.int_value(b) {
                Some(n) => self.pair_shift_by(cx, op, a, (n & 63) as u8, dst),
                None => self.pair_shift(cx, op, a, b, dst),
            };
        }
        if op == BinaryOp::Mul {
            if let Some(n) = cx.func.int_value(b).filter(|n| n.count_ones() == 1) {
                return self.pair_shift_by(cx, Shift::Shl, a, n.trailing_zeros() as u8, dst);
            }
            return self.pair_multiply(cx, [a, b], result);
        }
        if self.divide_pair(cx, op, [a, b], dst) {
            return;
        }
        let args = [(self.regs(cx, a), Type::I64), (self.regs(cx, b), Type::I64)];
        self.libcall(cx, Libcall::of_division(op), &args, Some((dst, Type::I64)));
    }

    /// One half of a result of which the other is not needed. False, and nothing done, where that takes as much as both.
    fn half_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        (half, result): (Half, Value),
    ) -> bool {
        let regs = cx.regs(result);
        let part = half as usize;
        let [dst, other] = match half {
            Half::Low => [regs.lo(), regs.hi()],
            Half::High => [regs.hi(), regs.lo()],
        };
        match (op, half, cx.func.int_value(b)) {
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..)
            | (BinaryOp::Add | BinaryOp::Sub, Half::Low, _) => {
                let [lhs, rhs] = [a, b].map(|value| self.pair_src(cx, value)[part]);
                let Some(op) = alu(op) else { return false };
                self.half_alu(cx, op, [lhs, rhs], dst);
            }
            (BinaryOp::Mul, Half::Low, _) => {
                let [lhs, rhs] = [a, b].map(|value| self.pair_src(cx, value)[part]);
                match (lhs, rhs) {
                    (Src::Imm(0), _) | (_, Src::Imm(0)) => {
                        cx.sink.push(Inst::MovImm { width: W, dst, imm: 0 });
                    }
                    (lhs, Src::Imm(number)) => self.multiply_by(cx, W, dst, lhs, number),
                    (lhs, rhs) => {
                        self.mov(cx, W, dst, lhs);
                        cx.sink.push(Inst::Imul { width: W, dst, src: rhs });
                    }
                }
            }
            (_, _, Some(amount @ 0..64)) if let Some(op) = shift(op) => {
                self.half_shift(cx, op, a, amount as u8, (half, result));
            }
            _ => return false,
        }
        cx.sink.push(Inst::Undefined { dst: other });
        true
    }

    /// One half of a pair shifted by a number.
    fn half_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        value: Value,
        amount: u8,
        (half, result): (Half, Value),
    ) {
        let (regs, src) = (cx.regs(result), self.pair_src(cx, value));
        let dst = if half == Half::Low { regs.lo() } else { regs.hi() };
        let [own, other] = if half == Half::Low { src } else { [src[1], src[0]] };
        // Whether bits come from the other half, and whether such are needed.
        let is_near = (op == Shift::Shl) == (half == Half::Low);
        let needed = needed_bits(cx.func, cx.uses, result);
        let enters = match half {
            Half::Low => u64::from(u32::MAX) & !(u64::from(u32::MAX) >> amount.min(32)),
            Half::High => ((1 << amount.min(32)) - 1) << 32,
        };
        let (src, op, amount) = match amount {
            32.. if !is_near => (other, op, amount - 32),
            32.. if op == Shift::Sar => (own, op, 31),
            32.. => (Src::Imm(0), op, 0),
            _ if is_near => (own, op, amount),
            _ if needed & enters != 0 => {
                let from = self.part_reg(cx, other);
                self.mov(cx, W, dst, own);
                let op = if op == Shift::Shl { DoubleShift::Shld } else { DoubleShift::Shrd };
                let amount = Amount::Imm(amount);
                return cx.sink.push(Inst::DoubleShift { op, width: W, dst, src: from, amount });
            }
            _ if op == Shift::Shl => (own, op, amount),
            _ => (own, Shift::Shr, amount),
        };
        self.mov(cx, W, dst, src);
        if amount > 0 {
            cx.sink.push(Inst::Shift { op, width: W, dst, amount: Amount::Imm(amount) });
        }
    }

    /// The two halves of an operation, without those that a constant half decides.
    fn pair_alu<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        lhs: [Src; 2],
        rhs: [Src; 2],
        dst: ValueRegs,
    ) {
        let carries = matches!(op, Alu::Add | Alu::Sub) && rhs[0] != Src::Imm(0);
        if carries {
            return self.pair_carrying(cx, op, lhs, rhs, dst);
        }
        for (part, dst) in dst.iter().enumerate() {
            self.half_alu(cx, op, [lhs[part], rhs[part]], dst);
        }
    }

    /// One half of an operation, unless a constant decides it.
    fn half_alu<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, [lhs, rhs]: [Src; 2], dst: VReg) {
        match (op, lhs, rhs) {
            (Alu::And, Src::Imm(0), _) | (Alu::And, _, Src::Imm(0)) => {
                cx.sink.push(Inst::MovImm { width: W, dst, imm: 0 });
            }
            (Alu::And, Src::Imm(-1), x) | (Alu::Add | Alu::Or | Alu::Xor, Src::Imm(0), x) => {
                self.mov(cx, W, dst, x);
            }
            (Alu::And, x, Src::Imm(-1)) | (_, x, Src::Imm(0)) => self.mov(cx, W, dst, x),
            _ => {
                self.mov(cx, W, dst, lhs);
                cx.sink.push(Inst::Alu { op, width: W, dst, src: rhs });
            }
        }
    }

    /// A sum or difference of which the high half takes the carry. Between the two instructions are only moves; behind
    /// them carry and overflow are those of the whole.
    pub(super) fn pair_carrying<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        lhs: [Src; 2],
        rhs: [Src; 2],
        dst: ValueRegs,
    ) {
        let high = if op == Alu::Add { Alu::Adc } else { Alu::Sbb };
        self.mov(cx, W, dst.lo(), lhs[0]);
        self.mov(cx, W, dst.hi(), lhs[1]);
        cx.sink.push(Inst::Alu { op, width: W, dst: dst.lo(), src: rhs[0] });
        cx.sink.push(Inst::Alu { op: high, width: W, dst: dst.hi(), src: rhs[1] });
    }

    /// lo×lo in 64 bits plus the two cross products in the high half; without those with a half that is known to be zero, and,
    /// as numbers with a sign, without any where both high halves are the sign of the low one. The cross products come first
    /// and take the sum, which is then in any register.
    fn pair_multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], result: Value) {
        let dst = cx.regs(result);
        if long_factors(cx.func, [a, b]) == Some(Signedness::Signed) {
            let factors = [a, b].map(|value| self.low_word(cx, value));
            return self.multiply_wide(cx, Signedness::Signed, [a, b], factors, [dst.lo(), dst.hi()]);
        }
        let (x, y) = (self.pair_src(cx, a), self.pair_src(cx, b));
        let crosses = [(x[0], y[1], b), (y[0], x[1], a)];
        let crosses = crosses.into_iter().filter(|(low, high, _)| ![*low, *high].contains(&Src::Imm(0)));
        // What is returned is wanted where the high half comes to be.
        let is_returned =
            cx.uses.last_user(result).is_some_and(|user| matches!(cx.func.inst(user), InstData::Ret { .. }));
        if is_returned {
            self.multiply_wide(cx, Signedness::Unsigned, [a, b], [x[0], y[0]], [dst.lo(), dst.hi()]);
            for cross in crosses {
                let src = Src::Reg(self.cross_product(cx, cross));
                cx.sink.push(Inst::Alu { op: Alu::Add, width: W, dst: dst.hi(), src });
            }
            return;
        }
        let mut sum = None;
        for cross in crosses {
            let cross = self.cross_product(cx, cross);
            match sum {
                None => sum = Some(cross),
                Some(dst) => {
                    cx.sink.push(Inst::Alu { op: Alu::Add, width: W, dst, src: Src::Reg(cross) });
                }
            }
        }
        let high = if sum.is_some() { self.temp(cx, Type::I32) } else { dst.hi() };
        self.multiply_wide(cx, Signedness::Unsigned, [a, b], [x[0], y[0]], [dst.lo(), high]);
        if let Some(sum) = sum {
            self.mov(cx, W, dst.hi(), Src::Reg(sum));
            cx.sink.push(Inst::Alu { op: Alu::Add, width: W, dst: dst.hi(), src: Src::Reg(high) });
        }
    }

    /// The low half of a product of a low and a high half, that of the value `whole`.
    fn cross_product<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, (low, high, whole): (Src, Src, Value)) -> VReg {
        let cross = self.temp(cx, Type::I32);
        match (low, high) {
            (Src::Imm(number), half) | (half, Src::Imm(number)) => {
                self.multiply_by(cx, W, cross, half, number);
            }
            // Of the two the low half is used again. A half of a parameter may be in memory.
            _ => {
                let is_param = matches!(cx.func.value_def(whole), ValueDef::Param(_));
                let (lhs, src) = if is_param { (low, high) } else { (high, low) };
                self.mov(cx, W, cross, lhs);
                cx.sink.push(Inst::Imul { width: W, dst: cross, src });
            }
        }
        cross
    }

    /// The whole product of two words, the low halves of `values`: into eax goes what is not used again, or a number.
    fn multiply_wide<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        values: [Value; 2],
        [a, b]: [Src; 2],
        [lo, hi]: [VReg; 2],
    ) {
        let [a_ends, b_ends] =
            values.map(|value| cx.current_inst().is_some_and(|inst| cx.uses.ends_at(cx.func, value, inst)));
        let swap = match (a, b) {
            (Src::Mem(_), _) => !matches!(b, Src::Mem(_) | Src::Imm(_)),
            (_, Src::Mem(_)) => false,
            (_, Src::Imm(_)) => !a_ends,
            _ => b_ends && !a_ends,
        };
        let [lhs, src] = if swap { [b, a] } else { [a, b] };
        let lhs = self.part_reg(cx, lhs);
        let src =
            if let Src::Imm(_) | Src::Symbol(..) = src { Src::Reg(self.part_reg(cx, src)) } else { src };
        cx.sink.push(Inst::MulWide { sign, width: W, lhs, src, lo, hi });
    }

    /// The low half of a pair that is a word extended with its sign.
    pub(super) fn low_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        if let Some(number) = cx.func.int_value(value) {
            return Src::Imm(number as i32);
        }
        match cx.folded(value).map(|def| cx.func.inst(def)) {
            Some(&InstData::Cast { op: CastOp::Sext, arg }) => self.exact_src(cx, arg),
            _ => Src::Reg(self.regs(cx, value).lo()),
        }
    }

    /// One half of a pair in a register.
    pub(super) fn part_reg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, part: Src) -> VReg {
        match part {
            Src::Reg(reg) => reg,
            other => {
                let reg = self.temp(cx, Type::I32);
                self.mov(cx, W, reg, other);
                reg
            }
        }
    }

    pub(super) fn pair_shift_by<S: Sink<Inst>>(
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
                let double = if left { DoubleShift::Shld } else { DoubleShift::Shrd };
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
        // The amount is below 64: only the low half counts.
        let count = self.shift_amount(cx, count);
        let is_below_word = is_below_word(cx.func, count);
        let count = self.pair_src(cx, count)[0];
        let count = self.part_reg(cx, count);
        self.move_value(cx, dst, value);
        let left = op == Shift::Shl;
        let double = if left { DoubleShift::Shld } else { DoubleShift::Shrd };
        let (far, near) = if left { (dst.hi(), dst.lo()) } else { (dst.lo(), dst.hi()) };
        let amount = Amount::Cl(count);
        cx.sink.push(Inst::DoubleShift { op: double, width: W, dst: far, src: near, amount });
        cx.sink.push(Inst::Shift { op, width: W, dst: near, amount });
        if is_below_word {
            return;
        }
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

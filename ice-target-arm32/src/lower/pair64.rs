//! 64-bit integers in pairs of registers: what the machine has its own way for.
//!
//! Carries pass from the low to the high half through the flags. Shifts by a variable amount rely on register
//! shifts taking the low byte of the amount: past 31 they give zeros, so that the parts which must not count
//! vanish by themselves; only the arithmetic shift needs a condition.

use super::int::{alu, shift};
use crate::inst::{Inst, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Alu, Cond, Flags, ModImm, MultiplyLong, Shift};
use ice_codegen::extension::{is_below_word, known_halves};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::words::{PairRules, PairShift};
use ice_codegen::{Operands as _, ValueRegs, Words as _};
use ice_ir::{BinaryOp, Value};

impl PairRules for Arm32 {
    fn pair_alu<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, [a, b]: [Value; 2], dst: ValueRegs) {
        let Some(low) = alu(op) else { return cx.fault("an operation on pairs is no sum and no logic") };
        let (high, flags) = match low {
            Alu::Add => (Alu::Adc, Flags::Set),
            Alu::Sub => (Alu::Sbc, Flags::Set),
            other => (other, Flags::Keep),
        };
        if op == BinaryOp::Add && self.add_long_product(cx, [a, b], dst) {
            return;
        }
        // What has a known half comes last, if the operator lets it.
        let has_known = |value| known_halves(cx.func, value).iter().any(Option::is_some);
        let [a, b] = if op.is_commutative() && has_known(a) && !has_known(b) { [b, a] } else { [a, b] };
        let rhs = self.pair_src(cx, b);
        let lhs = self.regs(cx, a);
        // The low result must not destroy the high sources.
        let lo = self.temp(cx);
        cx.sink.push(Inst::Alu { op: low, flags, dst: lo, lhs: lhs.lo(), rhs: rhs[0] });
        let flags = Flags::Keep;
        cx.sink.push(Inst::Alu { op: high, flags, dst: dst.hi(), lhs: lhs.hi(), rhs: rhs[1] });
        cx.sink.push(Inst::Mov { dst: dst.lo(), src: lo });
    }

    fn add_around<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, [lo, hi]: [VReg; 2]) {
        let (sum, zero) = (self.temp(cx), Src::Imm(ModImm::small(0)));
        cx.sink.push(Inst::Alu { op: Alu::Add, flags: Flags::Set, dst: sum, lhs: lo, rhs: Src::Reg(hi) });
        cx.sink.push(Inst::Alu { op: Alu::Adc, flags: Flags::Keep, dst, lhs: sum, rhs: zero });
    }

    fn pair_minus_word<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        dst: [VReg; 2],
        [lo, hi]: [VReg; 2],
        word: VReg,
    ) {
        let zero = Src::Imm(ModImm::small(0));
        let (set, keep) = (Flags::Set, Flags::Keep);
        cx.sink.push(Inst::Alu { op: Alu::Sub, flags: set, dst: dst[0], lhs: lo, rhs: Src::Reg(word) });
        cx.sink.push(Inst::Alu { op: Alu::Sbc, flags: keep, dst: dst[1], lhs: hi, rhs: zero });
    }

    fn pair_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: PairShift,
        [value, count]: [Value; 2],
        dst: ValueRegs,
    ) {
        let src = self.regs(cx, value);
        let is_below_word = is_below_word(cx.func, count);
        let count = self.reg(cx, count);
        let ([near_src, far_src], [near, far]) = (op.halves(src), op.halves(dst));
        let [Some(near_op), Some(far_op), Some(back)] = [op.near, op.far, op.back].map(shift) else {
            return cx.fault("a shift of pairs is none");
        };
        let (past, rest) = (self.temp(cx), self.temp(cx));
        let width = Src::Imm(ModImm::small(32));
        let keep = Flags::Keep;
        let (kept, joined) = (self.temp(cx), self.temp(cx));
        cx.sink.push(Inst::Alu { op: Alu::Rsb, flags: keep, dst: rest, lhs: count, rhs: width });
        self.mov(cx, kept, Src::ShiftReg(far_src, far_op, count));
        let moved = Src::ShiftReg(near_src, back, rest);
        cx.sink.push(Inst::Alu { op: Alu::Orr, flags: keep, dst: joined, lhs: kept, rhs: moved });
        let far_result = match is_below_word {
            true => joined,
            false => self.past_a_word(cx, near_op, [count, past], joined, near_src),
        };
        self.mov(cx, near, Src::ShiftReg(near_src, near_op, count));
        self.mov(cx, far, Src::Reg(far_result));
    }
}

impl Arm32 {
    /// A sum with a product of words that was folded. False, and nothing done, for others.
    fn add_long_product<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: ValueRegs) -> bool {
        let folded = |value| cx.folded(value).and_then(|def| self.long_product(cx, def));
        let (other, (sign, factors)) = match (folded(a), folded(b)) {
            (_, Some(product)) => (a, product),
            (Some(product), _) => (b, product),
            _ => return false,
        };
        let op = if sign == Signedness::Signed { MultiplyLong::Smlal } else { MultiplyLong::Umlal };
        let [lhs, rhs] = factors.map(|value| self.low_word(cx, value));
        self.move_value(cx, dst, other);
        cx.sink.push(Inst::MultiplyLongAdd { op, lo: dst.lo(), hi: dst.hi(), lhs, rhs });
        true
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

//! Scalar comparisons: to what a branch or move decides by, or to a boolean.
//!
//! Integers are compared by `slt` and `sltu` into a register, but for equality and for comparisons with zero, which
//! branches do themselves. Floating-point numbers are compared into the condition code.

use super::{float_width, immediate};
use crate::inst::{Cond, Inst, Src, Wanted};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, FloatCompare, Shift};
use ice_codegen::extension::word;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::rules::{Condition, by_less};
use ice_codegen::{Operands as _, Words as _};
use ice_ir::{BinaryOp, FloatCond, InstData, IntCond, Type, Value};

/// How the result of a comparison is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    /// By a condition of branches.
    Cond(Cond),
    /// By a register that is 0 or 1, or by its opposite.
    Bool(VReg, Wanted),
    /// It is known.
    Known(bool),
}

impl Test {
    pub(super) fn invert(self) -> Test {
        match self {
            Test::Cond(cond) => Test::Cond(cond.invert()),
            Test::Bool(reg, wanted) => Test::Bool(reg, wanted.invert()),
            Test::Known(known) => Test::Known(!known),
        }
    }
}

/// The comparison of the machine (MD00086, `C.cond.fmt`), and whether it must hold or fail.
#[rustfmt::skip]
pub(super) fn float_test(cond: FloatCond) -> Result<(FloatCompare, bool), bool> {
    Ok(match cond {
        FloatCond::False => return Err(false),
        FloatCond::True  => return Err(true),
        FloatCond::Oeq   => (FloatCompare::Eq, true),
        FloatCond::Une   => (FloatCompare::Eq, false),
        FloatCond::Ueq   => (FloatCompare::Ueq, true),
        FloatCond::One   => (FloatCompare::Ueq, false),
        FloatCond::Olt   => (FloatCompare::Olt, true),
        FloatCond::Uge   => (FloatCompare::Olt, false),
        FloatCond::Ole   => (FloatCompare::Ole, true),
        FloatCond::Ugt   => (FloatCompare::Ole, false),
        FloatCond::Ult   => (FloatCompare::Ult, true),
        FloatCond::Oge   => (FloatCompare::Ult, false),
        FloatCond::Ule   => (FloatCompare::Ule, true),
        FloatCond::Ogt   => (FloatCompare::Ule, false),
        FloatCond::Uno   => (FloatCompare::Un, true),
        FloatCond::Ord   => (FloatCompare::Un, false),
    })
}

/// The instruction that compares by less.
pub(super) fn less(sign: Signedness) -> Alu {
    match sign {
        Signedness::Signed => Alu::Slt,
        Signedness::Unsigned => Alu::Sltu,
    }
}

impl Mips32 {
    /// Prepares for a scalar comparison.
    fn compare<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Test {
        match *cx.func.inst(inst) {
            InstData::Icmp { cond, args } => {
                if let Some(exchange) = cx.exchange_of(inst) {
                    self.atomic_cmpxchg(cx, exchange);
                }
                self.compare_ints(cx, cond, args)
            }
            InstData::Fcmp { cond, args: [a, b] } => match float_test(cond) {
                Err(known) => Test::Known(known),
                Ok((op, holds)) => {
                    let width = float_width(cx.func.value_type(a));
                    let (lhs, rhs) = (self.reg(cx, a), self.reg(cx, b));
                    cx.sink.push(Inst::CompareFloat { op, width, lhs, rhs });
                    Test::Cond(if holds { Cond::True } else { Cond::False })
                }
            },
            _ => Test::Known(false),
        }
    }

    /// Prepares to decide by a condition value, which may have been folded.
    pub(super) fn condition<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value) -> Test {
        match cx.condition(cond) {
            Condition::Known(known) => Test::Known(known),
            Condition::Comparison(inst) => self.compare(cx, inst),
            Condition::Register(value) => Test::Bool(self.reg(cx, value), Wanted::Nonzero),
            Condition::LowBit(value) => {
                let src = self.reg(cx, value);
                Test::Bool(self.alu_imm_temp(cx, Alu::And, src, 1), Wanted::Nonzero)
            }
            Condition::Logic(op, [a, b]) => {
                let (a, b) = (self.src(cx, a), self.src(cx, b));
                match (op, a, b) {
                    (BinaryOp::Xor, Src::Reg(a), _) => Test::Cond(Cond::Ne(a, b)),
                    _ => {
                        let op = if op == BinaryOp::And { Alu::And } else { Alu::Or };
                        Test::Bool(self.alu_temp(cx, op, a, b), Wanted::Nonzero)
                    }
                }
            }
        }
    }

    fn compare_ints<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, [a, b]: [Value; 2]) -> Test {
        let swap = cx.is_constant(a) && !cx.is_constant(b);
        let (cond, [a, b]) = if swap { (cond.swapped(), [b, a]) } else { (cond, [a, b]) };
        if cx.func.value_type(a) == Type::I64 {
            return self.compare_pairs(cx, cond, [a, b]);
        }
        let sign = by_less(cond).map_or(Signedness::Unsigned, |(sign, ..)| sign);
        let number = match sign {
            Signedness::Signed => cx.func.int_value(b).map(|n| n as u32),
            Signedness::Unsigned => word(cx.func, b),
        };
        let lhs = self.extended(cx, sign, a);
        let Some(number) = number else {
            let rhs = Src::Reg(self.extended(cx, sign, b));
            return self.compare_words(cx, cond, lhs, rhs);
        };
        self.compare_number(cx, cond, lhs, number)
    }

    /// Compares two words.
    pub(super) fn compare_words<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: IntCond,
        lhs: VReg,
        rhs: Src,
    ) -> Test {
        let Some((sign, swap, invert)) = by_less(cond) else {
            let equal = Test::Cond(Cond::Eq(lhs, rhs));
            return if cond == IntCond::Eq { equal } else { equal.invert() };
        };
        let (a, b) = if swap { (rhs, Src::Reg(lhs)) } else { (Src::Reg(lhs), rhs) };
        let test = Test::Bool(self.alu_temp(cx, less(sign), a, b), Wanted::Nonzero);
        if invert { test.invert() } else { test }
    }

    /// Compares a word with a number.
    fn compare_number<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: IntCond,
        lhs: VReg,
        number: u32,
    ) -> Test {
        let Some((sign, swap, invert)) = by_less(cond) else {
            let rhs = self.number(cx, number);
            return self.compare_words(cx, cond, lhs, rhs);
        };
        // Greater than n is not less than n + 1, of which there is none for the greatest number.
        let greatest = if sign == Signedness::Signed { i32::MAX as u32 } else { u32::MAX };
        let (end, invert) = match swap {
            true if number == greatest => return Test::Known(invert),
            true => (number.wrapping_add(1), !invert),
            false => (number, invert),
        };
        let test = match (sign, end) {
            (Signedness::Signed, 0) => Test::Cond(Cond::Ltz(lhs)),
            (Signedness::Signed, 1) => Test::Cond(Cond::Lez(lhs)),
            (Signedness::Unsigned, 0) => Test::Known(false),
            (Signedness::Unsigned, 1) => Test::Cond(Cond::Eq(lhs, Src::Zero)),
            // With the number itself, which a loop may hold, if not with the one behind it.
            (sign, end) if swap && immediate(less(sign), end).is_none() => {
                let number = self.number(cx, number);
                Test::Bool(self.alu_temp(cx, less(sign), number, lhs), Wanted::Zero)
            }
            (sign, end) => Test::Bool(self.alu_imm_temp(cx, less(sign), lhs, end), Wanted::Nonzero),
        };
        if invert { test.invert() } else { test }
    }

    /// Equality: the bits that differ in either half. Order: that of the high halves, or where they are equal the
    /// unsigned one of the low halves.
    fn compare_pairs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, [a, b]: [Value; 2]) -> Test {
        let lhs = self.regs(cx, a);
        let number = cx.func.int_value(b);
        let [lo, hi, ..] = self.part_srcs(cx, b);
        let Some((sign, swap, invert)) = by_less(cond) else {
            let differ = [(lhs.lo(), lo), (lhs.hi(), hi)].map(|(lhs, rhs)| match rhs {
                Src::Zero => lhs,
                rhs => self.alu_temp(cx, Alu::Xor, lhs, rhs),
            });
            let any = self.alu_temp(cx, Alu::Or, differ[0], differ[1]);
            let equal = Test::Cond(Cond::Eq(any, Src::Zero));
            return if cond == IntCond::Eq { equal } else { equal.invert() };
        };
        if (sign, number, swap) == (Signedness::Signed, Some(0), false) {
            let negative = Test::Cond(Cond::Ltz(lhs.hi()));
            return if invert { negative.invert() } else { negative };
        }
        let (x, y) = ([Src::Reg(lhs.lo()), Src::Reg(lhs.hi())], [lo, hi]);
        let (x, y) = if swap { (y, x) } else { (x, y) };
        let low = self.alu_temp(cx, Alu::Sltu, x[0], y[0]);
        let dst = self.alu_temp(cx, less(sign), x[1], y[1]);
        let differ = match (x[1], y[1]) {
            (Src::Reg(reg), Src::Zero) | (Src::Zero, Src::Reg(reg)) => reg,
            (x, y) => self.alu_temp(cx, Alu::Xor, x, y),
        };
        cx.sink.push(Inst::CondMov { op: Alu::Movz, dst, src: Src::Reg(low), cond: differ });
        let test = Test::Bool(dst, Wanted::Nonzero);
        if invert { test.invert() } else { test }
    }

    /// A comparison as a boolean.
    pub(crate) fn compare_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst, result: Value) {
        let dst = cx.regs(result).lo();
        let test = self.compare(cx, inst);
        self.boolean(cx, test, dst);
    }

    /// `dst` = 1 if the test holds, else 0.
    pub(super) fn boolean<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, test: Test, dst: VReg) {
        match test {
            Test::Known(known) => cx.sink.push(Inst::MovImm { dst, imm: known.into() }),
            Test::Bool(src, Wanted::Nonzero) => cx.sink.push(Inst::Mov { dst, src }),
            Test::Bool(src, Wanted::Zero) => self.alu_imm(cx, Alu::Xor, dst, src, 1),
            Test::Cond(Cond::Eq(a, b)) => {
                let differ = self.difference(cx, a, b);
                self.alu_imm(cx, Alu::Sltu, dst, differ, 1);
            }
            Test::Cond(Cond::Ne(a, b)) => {
                let differ = self.difference(cx, a, b);
                self.alu(cx, Alu::Sltu, dst, Src::Zero, differ);
            }
            Test::Cond(Cond::Ltz(a)) => self.shift(cx, Shift::Srl, dst, a, 31),
            Test::Cond(Cond::Gez(a)) => {
                let inverse = self.alu_temp(cx, Alu::Nor, a, Src::Zero);
                self.shift(cx, Shift::Srl, dst, inverse, 31);
            }
            Test::Cond(Cond::Lez(a)) => self.alu_imm(cx, Alu::Slt, dst, a, 1),
            Test::Cond(Cond::Gtz(a)) => self.alu(cx, Alu::Slt, dst, Src::Zero, a),
            Test::Cond(cond @ (Cond::True | Cond::False)) => {
                let wanted = if cond == Cond::True { Wanted::Zero } else { Wanted::Nonzero };
                cx.sink.push(Inst::MovImm { dst, imm: 1 });
                cx.sink.push(Inst::FlagMov { wanted, dst, src: Src::Zero });
            }
        }
    }

    /// What is zero if two words are the same.
    pub(super) fn difference<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, a: VReg, b: Src) -> VReg {
        match b {
            Src::Zero => a,
            b => self.alu_temp(cx, Alu::Xor, a, b),
        }
    }
}

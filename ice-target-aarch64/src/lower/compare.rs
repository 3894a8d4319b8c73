//! Scalar comparisons: to what a branch or a choice decides by, or to a boolean.

use super::{bits, chain, float_width, immediate, number_of, width};
use crate::inst::{Inst, Rhs, Src, Test};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Compare, Cond, Extend, LogicImm, Select, Shift, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::rules::{self, Condition, by_less};
use ice_codegen::{Operands as _, Words as _};
use ice_ir::{BinaryOp, FloatCond, InstData, IntCond, Type, Value, ValueDef};

/// How the result of a comparison is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// By a test.
    By(Test),
    /// By the flags: one or the other condition holds.
    Either(Cond, Cond),
    /// It is known.
    Known(bool),
}

const fn by_flags(cond: Cond) -> Outcome {
    Outcome::By(Test::Flags(cond))
}

ice_codegen::arm_conditions!(Cond);

/// The one condition that tells the result of a comparison of floats, if one does.
pub(super) fn float_flag(cond: FloatCond) -> Option<Cond> {
    match float_conds(cond) {
        Ok((cond, None)) => Some(cond),
        _ => None,
    }
}

/// A comparison of integers, with a constant operand last.
#[derive(Clone, Copy)]
pub(super) struct Ints {
    pub cond: IntCond,
    pub args: [Value; 2],
    pub ty: Type,
    /// How the operands are read.
    pub sign: Signedness,
    /// The last operand, if it is a number: of its width, with its sign above where that is read.
    pub number: Option<u64>,
}

impl Ints {
    pub(super) fn of<S: Sink<Inst>>(cx: &Cx<'_, S>, cond: IntCond, [a, b]: [Value; 2]) -> Ints {
        let swap =
            !cx.is_constant(b) && (cx.is_constant(a) || cx.folded(a).is_some() && cx.folded(b).is_none());
        let (cond, args) = if swap { (cond.swapped(), [b, a]) } else { (cond, [a, b]) };
        let sign = by_less(cond).map_or(Signedness::Unsigned, |(sign, ..)| sign);
        let number = match sign {
            Signedness::Signed => cx.func.int_value(args[1]).map(|number| number as u64),
            Signedness::Unsigned => number_of(cx.func, args[1]),
        };
        Ints { cond, args, ty: cx.func.value_type(a), sign, number }
    }
}

/// The comparison of numbers of `ty` with `number`, or with a neighbour of it where the instruction has that and not this.
pub(super) fn carried(cond: IntCond, number: u64, ty: Type) -> (IntCond, u64) {
    rules::carried(cond, number, ty.bits(), |number| immediate(Alu::Sub, width(ty), number).is_some())
}

impl Aarch64 {
    /// Prepares for a scalar comparison. What else needs constants must be materialised before.
    fn compare<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Outcome {
        match *cx.func.inst(inst) {
            InstData::Icmp { cond, args } => match cx.exchange_of(inst) {
                Some(exchange) => {
                    self.atomic_cmpxchg(cx, exchange);
                    by_flags(int_cond(cond))
                }
                None => self.compare_ints(cx, cond, args),
            },
            InstData::Fcmp { cond, args } => self.compare_floats(cx, cond, args),
            _ => Outcome::Known(false),
        }
    }

    /// Prepares to decide by a condition value, which may have been folded.
    pub(super) fn condition<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value) -> Outcome {
        Outcome::By(match cx.condition(cond) {
            Condition::Known(known) => return Outcome::Known(known),
            Condition::Logic(op, args) if chain::is_chain(cx, op, args) => {
                Test::Flags(self.compare_chain(cx, op, args))
            }
            Condition::Comparison(inst) => return self.compare(cx, inst),
            Condition::LowBit(value) => Test::BitOne(self.reg(cx, value), 0),
            Condition::Register(value) => Test::NonZero(Width::W, self.reg(cx, value)),
            Condition::Logic(op, [a, b]) => {
                let [lhs, rhs] = [a, b].map(|value| self.reg(cx, value));
                let op = match op {
                    BinaryOp::And => Alu::And,
                    BinaryOp::Xor => Alu::Eor,
                    _ => Alu::Orr,
                };
                Test::NonZero(Width::W, self.alu_temp(cx, (op, Width::W), lhs, rhs))
            }
        })
    }

    fn compare_ints<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, args: [Value; 2]) -> Outcome {
        let ints = Ints::of(cx, cond, args);
        let Ints { cond, ty, number, .. } = ints;
        if number == Some(0)
            && let Some(outcome) = self.compare_with_zero(cx, cond, ints.args[0])
        {
            return outcome;
        }
        let lhs = self.comparable(cx, ints, 0);
        if let Some(number) = number {
            let (cond, number) = carried(cond, number, ty);
            self.compare_number(cx, width(ty), lhs, number);
            return by_flags(int_cond(cond));
        }
        let rhs = match (ty, ints.sign) {
            (Type::I8 | Type::I16, sign) => {
                let extend = match (ty, sign) {
                    (Type::I8, Signedness::Unsigned) => Extend::Uxtb,
                    (Type::I8, Signedness::Signed) => Extend::Sxtb,
                    (_, Signedness::Unsigned) => Extend::Uxth,
                    (_, Signedness::Signed) => Extend::Sxth,
                };
                Rhs::Extend(self.reg(cx, ints.args[1]), extend, 0)
            }
            _ => Rhs::Reg(self.comparable(cx, ints, 1)),
        };
        cx.sink.push(Inst::Compare { op: Compare::Cmp, width: width(ty), lhs: lhs.into(), rhs });
        by_flags(int_cond(cond))
    }

    /// An operand of a comparison in a register, as wide as that compares.
    pub(super) fn comparable<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ints: Ints, operand: usize) -> VReg {
        match ints.ty {
            Type::I64 => self.reg(cx, ints.args[operand]),
            _ => self.extended(cx, ints.sign, ints.args[operand]),
        }
    }

    /// Compares with a number, by a comparison with its opposite where the instruction takes that. The number is that of its
    /// width, with its sign above.
    fn compare_number<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, lhs: VReg, number: u64) {
        let (op, rhs) = match immediate(Alu::Sub, width, number) {
            Some((Alu::Sub, rhs)) => (Compare::Cmp, rhs),
            Some((_, rhs)) => (Compare::Cmn, rhs),
            None => (Compare::Cmp, Rhs::Reg(self.wide_number(cx, width, number))),
        };
        cx.sink.push(Inst::Compare { op, width, lhs: lhs.into(), rhs });
    }

    /// Equality with zero, and the sign.
    fn compare_with_zero<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: IntCond,
        a: Value,
    ) -> Option<Outcome> {
        let ty = cx.func.value_type(a);
        let width = width(ty);
        let sign_bit = ty.bits() as u8 - 1;
        let test = match cond {
            IntCond::Eq | IntCond::Ne => {
                if let Some(test) = self.test_bits(cx, a) {
                    test
                } else {
                    let reg = match ty {
                        Type::I64 => self.reg(cx, a),
                        _ => self.extended(cx, Signedness::Unsigned, a),
                    };
                    Test::NonZero(width, reg)
                }
            }
            IntCond::Slt | IntCond::Sge if ty != Type::I1 => Test::BitOne(self.reg(cx, a), sign_bit),
            _ => return None,
        };
        let holds = matches!(cond, IntCond::Ne | IntCond::Slt);
        Some(Outcome::By(if holds { test } else { test.invert() }))
    }

    /// The test that tells whether an `and`, which was folded, is not zero.
    fn test_bits<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<Test> {
        let InstData::Binary { op: BinaryOp::And, args: [a, b] } = *cx.func.inst(cx.folded(value)?) else {
            return None;
        };
        let ty = cx.func.value_type(value);
        let width = width(ty);
        let lhs = self.reg(cx, a);
        if let Some(number) = number_of(cx.func, b) {
            if number.is_power_of_two() {
                return Some(Test::BitOne(lhs, number.trailing_zeros() as u8));
            }
            if let Some(imm) = LogicImm::new(width, number) {
                let (op, rhs) = (Compare::Tst, Rhs::Bits(imm));
                cx.sink.push(Inst::Compare { op, width, lhs: lhs.into(), rhs });
                return Some(Test::Flags(Cond::Ne));
            }
        }
        let rhs = Rhs::Reg(self.reg(cx, b));
        cx.sink.push(Inst::Compare { op: Compare::Tst, width, lhs: lhs.into(), rhs });
        Some(Test::Flags(Cond::Ne))
    }

    fn compare_floats<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: FloatCond,
        [a, b]: [Value; 2],
    ) -> Outcome {
        let outcome = match float_conds(cond) {
            Err(known) => Outcome::Known(known),
            Ok((cond, None)) => by_flags(cond),
            Ok((a, Some(b))) => Outcome::Either(a, b),
        };
        if matches!(outcome, Outcome::Known(_)) {
            return outcome;
        }
        let width = float_width(cx.func.value_type(a));
        let lhs = self.reg(cx, a);
        match cx.func.value_def(b) {
            ValueDef::Float(0) => cx.sink.push(Inst::CompareFloatZero { width, lhs }),
            _ => {
                let rhs = self.reg(cx, b);
                cx.sink.push(Inst::CompareFloat { width, lhs, rhs });
            }
        }
        outcome
    }

    /// A comparison as a boolean.
    pub(crate) fn compare_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst, result: Value) {
        let dst = cx.regs(result).lo();
        let outcome = self.compare(cx, inst);
        match outcome {
            Outcome::Known(known) => {
                cx.sink.push(Inst::MovImm { width: Width::W, dst, imm: known.into() });
            }
            Outcome::By(Test::BitOne(src, bit)) => {
                let width = if bit < bits(Width::W) { Width::W } else { Width::X };
                self.field(cx, (Signedness::Unsigned, width), dst, src, (bit, 1));
            }
            Outcome::By(test) => {
                let cond = self.flags(cx, test);
                cx.sink.push(Inst::SetCond { dst, cond });
            }
            Outcome::Either(a, b) => self.set_either(cx, dst, [a, b]),
        }
    }

    /// `dst` = `lhs`, or one more where the folded comparison `cond` holds.
    pub(super) fn count<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (width, dst): (Width, VReg),
        lhs: VReg,
        cond: Value,
    ) {
        // One more where the condition does not hold.
        let unless = |from: VReg, dst, cond| {
            let (op, if_true, if_false) = (Select::Csinc, Src::Reg(from), Src::Reg(from));
            Inst::Select { op, width, dst, if_true, if_false, cond }
        };
        match self.condition(cx, cond) {
            Outcome::Known(known) => self.alu_number(cx, (Alu::Add, width), dst, lhs, known.into()),
            // The sign.
            Outcome::By(Test::BitOne(src, bit)) if bit == bits(width) - 1 => {
                self.alu(cx, (Alu::Add, width), dst, lhs, Rhs::Shift(src, Shift::Lsr, bit));
            }
            Outcome::By(test) => {
                let cond = self.flags(cx, test);
                cx.sink.push(unless(lhs, dst, cond.invert()));
            }
            Outcome::Either(a, b) => {
                let between = self.wide_temp(cx, width);
                cx.sink.push(unless(lhs, between, a.invert()));
                cx.sink.push(unless(between, dst, b.invert()));
            }
        }
    }

    /// `dst` = 1 if one or the other condition holds, else 0.
    pub(super) fn set_either<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, [a, b]: [Cond; 2]) {
        let first = self.wide_temp(cx, Width::W);
        cx.sink.push(Inst::SetCond { dst: first, cond: a });
        // One more than zero where the other holds.
        let (op, width, if_true, if_false) = (Select::Csinc, Width::W, Src::Reg(first), Src::Zero);
        cx.sink.push(Inst::Select { op, width, dst, if_true, if_false, cond: b.invert() });
    }

    /// The condition of the flags that a test becomes.
    pub(super) fn flags<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, test: Test) -> Cond {
        let (width, lhs, bit, cond) = match test {
            Test::Flags(cond) => return cond,
            Test::Zero(width, reg) => (width, reg, None, Cond::Eq),
            Test::NonZero(width, reg) => (width, reg, None, Cond::Ne),
            Test::BitZero(reg, bit) => (Width::X, reg, Some(bit), Cond::Eq),
            Test::BitOne(reg, bit) => (Width::X, reg, Some(bit), Cond::Ne),
        };
        match bit {
            None => self.compare_number(cx, width, lhs, 0),
            Some(bit) => {
                let width = if bit < bits(Width::W) { Width::W } else { Width::X };
                match LogicImm::new(width, 1 << bit) {
                    Some(imm) => {
                        let (op, rhs) = (Compare::Tst, Rhs::Bits(imm));
                        cx.sink.push(Inst::Compare { op, width, lhs: lhs.into(), rhs });
                    }
                    None => cx.fault("a bit is no mask"),
                }
            }
        }
        cond
    }
}

//! Scalar comparisons: to flags for a branch or select that folds them, or to a boolean.

use super::{float_size, is_extension};
use crate::inst::{Inst, Src, is_one_word};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Alu, Compare, Cond, Flags, ModImm, Move, Shift, Unary};
use ice_codegen::extension::{is_zero_extended, known_halves, word};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::rules::{self, Condition};
use ice_codegen::{Constant, Operands as _, Words as _};
use ice_ir::{BinaryOp, FloatCond, InstData, IntCond, Type, Value, ValueDef};

/// How the flags tell the result of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    /// The condition holds, or the second one.
    Flags(Cond, Option<Cond>),
    /// Known without flags.
    Known(bool),
}

/// What a select may give.
#[derive(Clone, Copy)]
enum Source {
    /// A number that one instruction makes, and no operand has.
    Number(u32),
    /// One or two operands of moves; the second is no operand if one is enough.
    Parts([Src; 2]),
}

ice_codegen::arm_conditions!(Cond);

/// The comparison of numbers of `ty` with `number`, or with a neighbour of it where an operand is that and not this.
pub(super) fn carried(cond: IntCond, number: u32, ty: Type) -> (IntCond, u32) {
    if ty != Type::I32 {
        return (cond, number);
    }
    let is_signed = matches!(cond, IntCond::Sgt | IntCond::Sge | IntCond::Slt | IntCond::Sle);
    let wide = if is_signed { i64::from(number as i32) as u64 } else { number.into() };
    let is_carried =
        |n: u64| [n as u32, (n as u32).wrapping_neg()].into_iter().any(|n| ModImm::new(n).is_some());
    let (cond, number) = rules::carried(cond, wide, ty.bits(), is_carried);
    (cond, number as u32)
}

impl Arm32 {
    /// Sets the flags for a scalar comparison. What else needs constants must be materialised before.
    fn compare<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Test {
        match *cx.func.inst(inst) {
            InstData::Icmp { cond, args } => match cx.exchange_of(inst) {
                Some(exchange) => {
                    self.atomic_cmpxchg(cx, exchange);
                    Test::Flags(int_cond(cond), None)
                }
                None => self.compare_ints(cx, cond, args),
            },
            InstData::Fcmp { cond, args } => self.compare_floats(cx, cond, args),
            _ => Test::Known(false),
        }
    }

    /// Sets the flags for a condition value, which may have been folded.
    pub(super) fn condition<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value) -> Test {
        match cx.condition(cond) {
            Condition::Known(known) => return Test::Known(known),
            Condition::Logic(op, args) => return self.test_logic(cx, op, args),
            Condition::Comparison(inst) => return self.compare(cx, inst),
            Condition::LowBit(value) => {
                let (lhs, op) = (self.reg(cx, value), Compare::Tst);
                cx.sink.push(Inst::Compare { op, lhs, rhs: Src::Imm(ModImm::small(1)) });
            }
            Condition::Register(value) => {
                let lhs = self.reg(cx, value);
                cx.sink.push(Inst::TestZero { lhs });
            }
        }
        Test::Flags(Cond::Ne, None)
    }

    /// Whether an `and`, `or` or `xor` of booleans is true.
    fn test_logic<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, [a, b]: [Value; 2]) -> Test {
        let [a, b] = if cx.is_constant(a) { [b, a] } else { [a, b] };
        let rhs = self.src(cx, b);
        let lhs = self.reg(cx, a);
        match op {
            BinaryOp::And => cx.sink.push(Inst::Compare { op: Compare::Tst, lhs, rhs }),
            BinaryOp::Xor => cx.sink.push(Inst::Compare { op: Compare::Teq, lhs, rhs }),
            _ => {
                let (op, flags, dst) = (Alu::Orr, Flags::Set, self.temp(cx));
                cx.sink.push(Inst::Alu { op, flags, dst, lhs, rhs });
            }
        }
        Test::Flags(Cond::Ne, None)
    }

    fn compare_ints<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, [a, b]: [Value; 2]) -> Test {
        let ty = cx.func.value_type(a);
        let swap =
            !cx.is_constant(b) && (cx.is_constant(a) || cx.folded(a).is_some() && cx.folded(b).is_none());
        let (cond, [a, b]) = if swap { (cond.swapped(), [b, a]) } else { (cond, [a, b]) };
        let cond = match ty {
            Type::I64 => self.compare_pairs(cx, cond, [a, b]),
            _ => self.compare_words(cx, cond, ty, [a, b]),
        };
        Test::Flags(cond, None)
    }

    /// Narrow values are compared at the top of the register, where the bits above them are gone, unless they
    /// are known to be zeros and so is the order of the numbers. With zero the sign and equality are enough.
    fn compare_words<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: IntCond,
        ty: Type,
        [a, b]: [Value; 2],
    ) -> Cond {
        let is_signed = matches!(cond, IntCond::Sgt | IntCond::Sge | IntCond::Slt | IntCond::Sle);
        let is_equality = matches!(cond, IntCond::Eq | IntCond::Ne);
        let is_plain =
            ty.bits() == 32 || !is_signed && is_zero_extended(cx.func, a) && is_zero_extended(cx.func, b);
        let up = if is_plain { 0 } else { 32 - ty.bits() as u8 };
        let constant = word(cx.func, b);
        if constant == Some(0) && (is_equality || matches!(cond, IntCond::Slt | IntCond::Sge)) {
            if let (Some(inst), true) = (cx.folded(a), is_equality)
                && let InstData::Binary { op: BinaryOp::And, args } = *cx.func.inst(inst)
            {
                let [x, y] = if cx.folded(args[0]).is_some() { [args[1], args[0]] } else { args };
                let rhs = self.src(cx, y);
                let lhs = self.reg(cx, x);
                cx.sink.push(Inst::Compare { op: Compare::Tst, lhs, rhs });
                return int_cond(cond);
            }
            let lhs = self.reg(cx, a);
            match up {
                0 => cx.sink.push(Inst::TestZero { lhs }),
                _ => {
                    let (op, flags, dst) = (Move::Mov, Flags::Set, self.temp(cx));
                    cx.sink.push(Inst::MovSrc { op, flags, dst, src: Src::Shift(lhs, Shift::Lsl, up) });
                }
            }
            return match cond {
                IntCond::Slt => Cond::Mi,
                IntCond::Sge => Cond::Pl,
                _ => int_cond(cond),
            };
        }
        let lhs = match up {
            0 => self.reg(cx, a),
            _ => {
                let (src, top) = (self.reg(cx, a), self.temp(cx));
                self.mov(cx, top, Src::Shift(src, Shift::Lsl, up));
                top
            }
        };
        if let Some(number) = constant {
            let (cond, number) = if up == 0 { carried(cond, number, ty) } else { (cond, number << up) };
            let (op, rhs) = match (ModImm::new(number), ModImm::new(number.wrapping_neg())) {
                (None, Some(imm)) => (Compare::Cmn, Src::Imm(imm)),
                _ => (Compare::Cmp, self.number(cx, number)),
            };
            cx.sink.push(Inst::Compare { op, lhs, rhs });
            return int_cond(cond);
        }
        let rhs = match up {
            0 => self.src(cx, b),
            _ => Src::Shift(self.reg(cx, b), Shift::Lsl, up),
        };
        cx.sink.push(Inst::Compare { op: Compare::Cmp, lhs, rhs });
        int_cond(cond)
    }

    /// Equality and unsigned order: the high halves, and where they are equal the low ones. Signed order:
    /// subtract with borrow, which leaves the sign and overflow of the whole difference; zero is not valid,
    /// so greater exchanges the operands.
    fn compare_pairs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, args: [Value; 2]) -> Cond {
        let is_signed = matches!(cond, IntCond::Sgt | IntCond::Sge | IntCond::Slt | IntCond::Sle);
        let swap = matches!(cond, IntCond::Sgt | IntCond::Sle);
        let (cond, [a, b]) = if swap { (cond.swapped(), [args[1], args[0]]) } else { (cond, args) };
        let rhs = self.pair_src(cx, b);
        let lhs = self.regs(cx, a);
        let op = Compare::Cmp;
        if is_signed {
            let difference = self.temp(cx);
            cx.sink.push(Inst::Compare { op, lhs: lhs.lo(), rhs: rhs[0] });
            let (op, flags) = (Alu::Sbc, Flags::Set);
            cx.sink.push(Inst::Alu { op, flags, dst: difference, lhs: lhs.hi(), rhs: rhs[1] });
        } else if matches!(cond, IntCond::Eq | IntCond::Ne)
            && let ([low, high], [zero, other]) = (known_halves(cx.func, a), known_halves(cx.func, b))
            && (high.is_some() && high == other || low.is_some() && low == zero)
        {
            // What is known of one half of both is the same.
            let part = usize::from(!(high.is_some() && high == other));
            let (lhs, rhs) = (lhs.part(part as u8), rhs[part]);
            cx.sink.push(Inst::Compare { op, lhs, rhs });
        } else if matches!(cond, IntCond::Eq | IntCond::Ne) && cx.func.int_value(b) == Some(0) {
            let (op, flags, dst) = (Alu::Orr, Flags::Set, self.temp(cx));
            cx.sink.push(Inst::Alu { op, flags, dst, lhs: lhs.lo(), rhs: Src::Reg(lhs.hi()) });
        } else {
            cx.sink.push(Inst::Compare { op, lhs: lhs.hi(), rhs: rhs[1] });
            cx.sink.push(Inst::CondCompare { cond: Cond::Eq, op, lhs: lhs.lo(), rhs: rhs[0] });
        }
        int_cond(cond)
    }

    fn compare_floats<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: FloatCond, [a, b]: [Value; 2]) -> Test {
        let test = float_conds(cond).map_or_else(Test::Known, |(cond, or)| Test::Flags(cond, or));
        if matches!(test, Test::Known(_)) {
            return test;
        }
        let size = float_size(cx.func.value_type(a));
        let rhs = match cx.func.value_def(b) {
            ValueDef::Float(0) => None,
            _ => Some(self.reg(cx, b)),
        };
        let lhs = self.reg(cx, a);
        cx.sink.push(Inst::CompareFloat { size, lhs, rhs });
        test
    }

    /// A comparison as a boolean.
    pub(crate) fn compare_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst, result: Value) {
        let dst = cx.regs(result).lo();
        if self.is_zero(cx, inst, dst) {
            return;
        }
        let test = self.compare(cx, inst);
        cx.sink.push(match test {
            Test::Flags(cond, or) => Inst::SetCond { cond, or, dst },
            Test::Known(known) => Inst::MovImm { dst, imm: known.into() },
        });
    }

    /// `dst` = `lhs`, or one more where the folded comparison `cond` holds.
    pub(super) fn count<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, lhs: VReg, cond: Value) {
        let conds = match self.condition(cx, cond) {
            Test::Flags(cond, or) => [Some(cond), or],
            Test::Known(known) => [known.then_some(Cond::Al), None],
        };
        self.mov(cx, dst, Src::Reg(lhs));
        for cond in conds.into_iter().flatten() {
            cx.sink.push(Inst::CondAdd { cond, dst, src: Src::Imm(ModImm::small(1)) });
        }
    }

    /// A select with a scalar condition.
    pub(crate) fn select<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result);
        // What makes the values may write the flags; moves do not, and after the comparison they may be the last uses.
        let mut sources = [if_true, if_false].map(|value| self.source(cx, ty, value));
        let (mut first, second) = match self.condition(cx, cond) {
            Test::Flags(cond, or) => (cond, or),
            Test::Known(true) => return self.move_value(cx, dst, if_true),
            Test::Known(false) => return self.move_value(cx, dst, if_false),
        };
        // A number is rather moved under the condition: the other value may share the result's register.
        let is_number = |n: usize| matches!(sources[n], Source::Number(_) | Source::Parts([Src::Imm(_), _]));
        if second.is_none() && is_number(1) && !is_number(0) {
            first = first.invert();
            sources.swap(0, 1);
        }
        let [wins, stays] = sources;
        if is_extension(ty) {
            let size = float_size(ty);
            if let (Source::Parts([Src::Reg(src), _]), Source::Parts([Src::Reg(other), _])) = (wins, stays) {
                cx.sink.push(Inst::MovFloat { size, dst: dst.lo(), src: other });
                for cond in [Some(first), second].into_iter().flatten() {
                    cx.sink.push(Inst::CondMovFloat { cond, size, dst: dst.lo(), src });
                }
            }
            return;
        }
        match stays {
            Source::Number(imm) => cx.sink.push(Inst::MovImm { dst: dst.lo(), imm }),
            Source::Parts(stays) => {
                for (dst, src) in dst.iter().zip(stays) {
                    self.mov(cx, dst, src);
                }
            }
        }
        for cond in [Some(first), second].into_iter().flatten() {
            match wins {
                Source::Number(imm) => cx.sink.push(Inst::CondMovImm { cond, dst: dst.lo(), imm }),
                Source::Parts(wins) => {
                    for (dst, src) in dst.iter().zip(wins) {
                        cx.sink.push(Inst::CondMov { cond, dst, src });
                    }
                }
            }
        }
    }

    /// A value that is selected.
    fn source<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, value: Value) -> Source {
        match ty {
            Type::I64 => Source::Parts(self.pair_src(cx, value)),
            _ if is_extension(ty) => Source::Parts([Src::Reg(self.reg(cx, value)); 2]),
            // A narrow number is extended with zeros, as who takes the result may know.
            _ => match word(cx.func, value) {
                Some(number)
                    if ModImm::new(number).is_none()
                        && is_one_word(number)
                        && cx.held(Constant::Word(number)).is_none() =>
                {
                    Source::Number(number)
                }
                Some(number) => Source::Parts([self.number(cx, number); 2]),
                None => Source::Parts([self.src(cx, value); 2]),
            },
        }
    }

    /// Whether a word is zero, without flags: only zero has 32 leading zeros.
    fn is_zero<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst, dst: VReg) -> bool {
        let InstData::Icmp { cond: IntCond::Eq, args: [a, b] } = *cx.func.inst(inst) else { return false };
        let is_word = match cx.func.value_type(a) {
            Type::I32 => true,
            Type::I64 => false,
            _ => is_zero_extended(cx.func, a),
        };
        let is_compared = cx.exchange_of(inst).is_some() || cx.folded(a).is_some() || cx.is_constant(a);
        if !is_word || is_compared || word(cx.func, b) != Some(0) {
            return false;
        }
        let (src, zeros) = (self.reg(cx, a), self.temp(cx));
        cx.sink.push(Inst::Unary { op: Unary::Clz, dst: zeros, src });
        self.mov(cx, dst, Src::Shift(zeros, Shift::Lsr, 5));
        true
    }
}

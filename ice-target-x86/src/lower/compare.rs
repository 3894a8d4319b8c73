//! Scalar comparisons: to flags for a branch or select that folds them, or to a boolean.

use crate::inst::{Compare, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Cond, SseOp, Width};
use ice_codegen::Operands as _;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::rules::Condition;
use ice_ir::{BinaryOp, FloatCond, InstData, IntCond, Type, Value};

/// How the flags tell the result of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    /// The condition holds.
    One(Cond),
    /// Both hold.
    Both(Cond, Cond),
    /// Not both hold.
    NotBoth(Cond, Cond),
    /// Known without flags.
    Known(bool),
}

impl Test {
    /// Whether a single condition of the flags tells the result.
    pub(super) const fn is_one(self) -> bool {
        matches!(self, Test::One(_))
    }
}

/// Condition of an integer predicate (Intel SDM volume 1, appendix B).
pub(super) fn int_cond(cond: IntCond) -> Cond {
    match cond {
        IntCond::Eq => Cond::E,
        IntCond::Ne => Cond::Ne,
        IntCond::Ugt => Cond::A,
        IntCond::Uge => Cond::Ae,
        IntCond::Ult => Cond::B,
        IntCond::Ule => Cond::Be,
        IntCond::Sgt => Cond::G,
        IntCond::Sge => Cond::Ge,
        IntCond::Slt => Cond::L,
        IntCond::Sle => Cond::Le,
    }
}

/// The comparison with a number of 64 bits as one that zero does not matter to, with the next number, where there is one.
fn with_next_number(cond: IntCond, number: Option<i64>) -> (IntCond, Option<i64>) {
    let (next, is_last) = match (cond, number) {
        (IntCond::Sgt, Some(n)) => (IntCond::Sge, n == i64::MAX),
        (IntCond::Sle, Some(n)) => (IntCond::Slt, n == i64::MAX),
        (IntCond::Ugt, Some(n)) => (IntCond::Uge, n == -1),
        (IntCond::Ule, Some(n)) => (IntCond::Ult, n == -1),
        _ => return (cond, None),
    };
    match number {
        Some(n) if !is_last => (next, Some(n.wrapping_add(1))),
        _ => (cond, None),
    }
}

/// Whether the operands of `ucomis` are exchanged, and the test. Unordered sets ZF, PF and CF, so that only
/// "above" conditions are false for a NaN.
pub(super) fn float_test(cond: FloatCond) -> (bool, Test) {
    use FloatCond::*;
    match cond {
        False => (false, Test::Known(false)),
        True => (false, Test::Known(true)),
        Oeq => (false, Test::Both(Cond::E, Cond::Np)),
        Une => (false, Test::NotBoth(Cond::E, Cond::Np)),
        Ogt => (false, Test::One(Cond::A)),
        Oge => (false, Test::One(Cond::Ae)),
        Olt => (true, Test::One(Cond::A)),
        Ole => (true, Test::One(Cond::Ae)),
        One => (false, Test::One(Cond::Ne)),
        Ord => (false, Test::One(Cond::Np)),
        Uno => (false, Test::One(Cond::P)),
        Ueq => (false, Test::One(Cond::E)),
        Ugt => (true, Test::One(Cond::B)),
        Uge => (true, Test::One(Cond::Be)),
        Ult => (false, Test::One(Cond::B)),
        Ule => (false, Test::One(Cond::Be)),
    }
}

impl X86 {
    /// Sets the flags for a comparison into which a check for overflow or the mask of a half is folded, if one is.
    #[inline(never)]
    fn folded_check<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Option<Test> {
        if let Some(check) = self.overflow_of(cx, inst) {
            return Some(Test::One(self.check(cx, check)));
        }
        let &InstData::Icmp { cond, args: [tested, _] } = cx.func.inst(inst) else { return None };
        if !self.is_pair(cx.func.value_type(tested)) || cx.folded(tested).is_none() {
            return None;
        }
        let (value, part, mask) = self.tested_half(cx, inst)?;
        let tested = self.pair_src(cx, value)[part];
        let (op, width, lhs) = (Compare::Test, Width::B32, self.part_reg(cx, tested));
        cx.sink.push(Inst::Compare { op, width, lhs, rhs: Src::Imm(mask) });
        Some(Test::One(int_cond(cond)))
    }

    /// Sets the flags for a scalar comparison. What else needs constants must be materialised before.
    pub(super) fn compare<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst) -> Test {
        match *cx.func.inst(inst) {
            InstData::Icmp { cond, args } => {
                if let Some(def) = cx.folded(args[0])
                    && let Some((_, cond)) = self.tested_store(cx, def)
                {
                    // The store has left the flags.
                    return Test::One(cond);
                }
                if let Some(exchange) = cx.exchange_of(inst) {
                    self.atomic_cmpxchg(cx, exchange);
                    return Test::One(int_cond(cond));
                }
                // What such a check or mask is made of has been folded, but for a sum or difference.
                let is_folded = |arg| cx.folded(arg).is_some();
                let may_be_made = match cond {
                    IntCond::Ult => true,
                    IntCond::Slt => is_folded(args[0]),
                    IntCond::Eq | IntCond::Ne => {
                        self.is_pair(cx.func.value_type(args[0])) && args.into_iter().any(is_folded)
                    }
                    _ => false,
                };
                let may_check = may_be_made || self.may_be_of_difference(cx, args);
                if may_check && let Some(test) = self.folded_check(cx, inst) {
                    return test;
                }
                self.compare_ints(cx, cond, args)
            }
            InstData::Fcmp { cond, args } => self.compare_floats(cx, cond, args),
            _ => Test::Known(false),
        }
    }

    /// Sets the flags for a condition value, which may have been folded.
    pub(super) fn condition<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value) -> Test {
        match cx.condition(cond) {
            Condition::Known(known) => Test::Known(known),
            Condition::LowBit(value) => self.test_low_bit(cx, value),
            Condition::Logic(op, args) => self.test_logic(cx, op, args),
            Condition::Comparison(inst) => self.compare(cx, inst),
            Condition::Register(value) => {
                let lhs = self.reg(cx, value);
                cx.sink.push(Inst::Compare { op: Compare::Cmp, width: Width::B8, lhs, rhs: Src::Imm(0) });
                Test::One(Cond::Ne)
            }
        }
    }

    /// Whether the lowest bit of `value` is set.
    fn test_low_bit<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Test {
        if let Some(bit) = self.tested_bit(cx, value, None) {
            self.test_bit(cx, bit, cx.func.value_type(value));
            return Test::One(Cond::B);
        }
        let op = Compare::Test;
        match self.folded_load(cx, value) {
            Some(mem) => cx.sink.push(Inst::CompareMem { op, width: Width::B8, mem, imm: 1 }),
            None => {
                let lhs = self.reg(cx, value);
                cx.sink.push(Inst::Compare { op, width: Width::B32, lhs, rhs: Src::Imm(1) });
            }
        }
        Test::One(Cond::Ne)
    }

    /// Copies bit number `n` of `x` to the carry flag.
    fn test_bit<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, (x, n): (Value, Value), ty: Type) {
        let (lhs, bit) = (self.reg(cx, x), self.reg(cx, n));
        cx.sink.push(Inst::BitTest { width: self.width(ty), lhs, bit });
    }

    /// Whether an `and`, `or` or `xor` of booleans is true. Above the lowest eight bits is anything.
    fn test_logic<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, [a, b]: [Value; 2]) -> Test {
        let [a, b] = if self.exchanges(cx, [a, b]) { [b, a] } else { [a, b] };
        let width = Width::B8;
        match op {
            BinaryOp::And => {
                let rhs = self.src(cx, b);
                let lhs = self.reg(cx, a);
                cx.sink.push(Inst::Compare { op: Compare::Test, width, lhs, rhs });
            }
            _ => {
                let rhs = self.src(cx, b);
                let dst = self.temp(cx, Type::I1);
                let lhs = self.src(cx, a);
                self.mov(cx, Width::B32, dst, lhs);
                let op = if op == BinaryOp::Or { Alu::Or } else { Alu::Xor };
                cx.sink.push(Inst::Alu { op, width, dst, src: rhs });
            }
        }
        Test::One(Cond::Ne)
    }

    fn compare_ints<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, [a, b]: [Value; 2]) -> Test {
        let ty = cx.func.value_type(a);
        let swap = !cx.is_constant(b)
            && (cx.is_constant(a) || cx.folded(a).is_some() && cx.folded(b).is_none() && !self.is_pair(ty));
        let (cond, [a, b]) = if swap { (cond.swapped(), [b, a]) } else { (cond, [a, b]) };
        if self.is_pair(ty) {
            return self.compare_pairs(cx, cond, [a, b]);
        }
        let width = self.width(ty);
        let folded = cx.folded(a).map(|inst| *cx.func.inst(inst));
        if let Some(InstData::Binary { op: BinaryOp::And, args }) = folded
            && cx.func.int_value(b) == Some(0)
        {
            let is_equality = matches!(cond, IntCond::Eq | IntCond::Ne);
            if let Some(bit) = self.tested_bit(cx, args[0], Some(args[1])).filter(|_| is_equality) {
                self.test_bit(cx, bit, ty);
                return Test::One(if cond == IntCond::Ne { Cond::B } else { Cond::Ae });
            }
            self.test_bits(cx, width, args);
            return Test::One(int_cond(cond));
        }
        self.compare_operands(cx, Compare::Cmp, width, [a, b]);
        Test::One(int_cond(cond))
    }

    /// The flags of `a & b`: those of its comparison with zero.
    fn test_bits<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, [a, b]: [Value; 2]) {
        let args = if self.exchanges(cx, [a, b]) { [b, a] } else { [a, b] };
        self.compare_operands(cx, Compare::Test, width, args);
    }

    /// Sets the flags by `op`; a load folds into either operand.
    fn compare_operands<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Compare,
        width: Width,
        [a, b]: [Value; 2],
    ) {
        let rhs = match cx.folded(b) {
            Some(_) => self.exact_src(cx, b),
            None => self.src(cx, b),
        };
        match rhs {
            Src::Imm(imm) if let Some(mem) = self.folded_load(cx, a) => {
                cx.sink.push(Inst::CompareMem { op, width, mem, imm });
            }
            _ => {
                let lhs = self.reg(cx, a);
                cx.sink.push(Inst::Compare { op, width, lhs, rhs });
            }
        }
    }

    /// Equality: or of the differences of the halves. Order: subtract with borrow, which leaves the sign,
    /// overflow and carry of the whole difference; zero is not valid, so greater exchanges the operands, or compares with the
    /// next number. With a number whose low half is zero the high halves are compared alone.
    fn compare_pairs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, args: [Value; 2]) -> Test {
        let width = Width::B32;
        let (cond, next) = with_next_number(cond, cx.func.int_value(args[1]));
        let swap = matches!(cond, IntCond::Ugt | IntCond::Ule | IntCond::Sgt | IntCond::Sle);
        let (cond, [a, b]) = if swap { (cond.swapped(), [args[1], args[0]]) } else { (cond, args) };
        let lhs = self.pair_src(cx, a);
        let rhs = match next {
            Some(n) => [Src::Imm(n as i32), Src::Imm((n >> 32) as i32)],
            None => self.pair_src(cx, b),
        };
        let is_equality = matches!(cond, IntCond::Eq | IntCond::Ne);
        if lhs[1] == Src::Imm(0) && rhs[1] == Src::Imm(0) {
            // Numbers of 32 bits, not negative.
            let low = self.part_reg(cx, lhs[0]);
            cx.sink.push(Inst::Compare { op: Compare::Cmp, width, lhs: low, rhs: rhs[0] });
            return Test::One(match cond {
                IntCond::Slt => Cond::B,
                IntCond::Sge => Cond::Ae,
                _ => int_cond(cond),
            });
        }
        if !is_equality && rhs[0] == Src::Imm(0) {
            // No low half is below that.
            let high = self.part_reg(cx, lhs[1]);
            cx.sink.push(Inst::Compare { op: Compare::Cmp, width, lhs: high, rhs: rhs[1] });
            return Test::One(int_cond(cond));
        }
        let temp = self.temp(cx, Type::I32);
        if is_equality {
            let difference = |cx: &mut Cx<'_, S>, dst, part: usize| {
                self.mov(cx, width, dst, lhs[part]);
                if rhs[part] != Src::Imm(0) {
                    cx.sink.push(Inst::Alu { op: Alu::Xor, width, dst, src: rhs[part] });
                }
            };
            difference(cx, temp, 0);
            let high = if rhs[1] == Src::Imm(0) {
                lhs[1]
            } else {
                let high = self.temp(cx, Type::I32);
                difference(cx, high, 1);
                Src::Reg(high)
            };
            cx.sink.push(Inst::Alu { op: Alu::Or, width, dst: temp, src: high });
        } else {
            let low = match lhs[0] {
                Src::Reg(reg) => reg,
                other => {
                    let low = self.temp(cx, Type::I32);
                    self.mov(cx, width, low, other);
                    low
                }
            };
            self.mov(cx, width, temp, lhs[1]);
            cx.sink.push(Inst::Compare { op: Compare::Cmp, width, lhs: low, rhs: rhs[0] });
            cx.sink.push(Inst::Alu { op: Alu::Sbb, width, dst: temp, src: rhs[1] });
        }
        Test::One(int_cond(cond))
    }

    fn compare_floats<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: FloatCond, [a, b]: [Value; 2]) -> Test {
        let (swap, test) = float_test(cond);
        if matches!(test, Test::Known(_)) {
            return test;
        }
        let op = match cx.func.value_type(a) {
            Type::F32 => SseOp::Ucomiss,
            _ => SseOp::Ucomisd,
        };
        let [a, b] = if swap { [b, a] } else { [a, b] };
        let rhs = self.float_src(cx, b);
        let lhs = self.reg(cx, a);
        cx.sink.push(Inst::CompareXmm { op, lhs, rhs });
        test
    }

    /// A comparison as a boolean.
    pub(crate) fn compare_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst, result: Value) {
        let dst = cx.regs(result).lo();
        let test = self.compare(cx, inst);
        self.set_bool(cx, test, dst);
    }

    fn set_bool<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, test: Test, dst: VReg) {
        let (op, first, second) = match test {
            Test::One(cond) => return cx.sink.push(Inst::Setcc { cond, dst }),
            Test::Known(known) => {
                let imm = i64::from(known);
                return cx.sink.push(Inst::MovImm { width: Width::B32, dst, imm });
            }
            Test::Both(a, b) => (Alu::And, a, b),
            Test::NotBoth(a, b) => (Alu::Or, a.invert(), b.invert()),
        };
        let other = self.temp(cx, Type::I1);
        cx.sink.push(Inst::Setcc { cond: first, dst: other });
        cx.sink.push(Inst::Setcc { cond: second, dst });
        cx.sink.push(Inst::Alu { op, width: Width::B32, dst, src: Src::Reg(other) });
    }
}

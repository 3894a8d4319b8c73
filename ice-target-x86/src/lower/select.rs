//! Choices between two values by a scalar condition.
//!
//! | choice | becomes |
//! |---|---|
//! | of floats that are compared | `min`, `max` ([`float`](super::float)) |
//! | of a float and what one operation makes of it | the operation, if the condition says so |
//! | of `x` and `-x` by the sign of `x` | `neg; cmov` |
//! | of 1 and 0 | `set` |
//! | of a number and 0 by the lowest bit of a value | a mask, made of the bit |
//! | others | a move and `cmov`, of two choices by equal comparisons in a row behind one comparison |

use super::compare::Test;
use super::float::arithmetic;
use crate::inst::{Extend, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Cond, SseOp, Unary, Width};
use ice_codegen::extension::known_halves;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::needed_bits::only_half;
use ice_codegen::rules::Condition;
use ice_codegen::{Operands as _, ValueRegs};
use ice_ir::{BinaryOp, InstData, IntCond, Type, Value};

/// A choice of which the comparison is still to come.
struct Choice {
    /// What the result is at first, and what it is if the condition says so.
    values: [Value; 2],
    /// The registers of the second one.
    wins: ValueRegs,
    result: Value,
    inverted: bool,
    is_early: bool,
}

/// A choice between a float and what one operation with another one makes of it.
struct Operated {
    kept: Value,
    op: SseOp,
    other: Value,
    /// Under which condition it is made.
    if_true: bool,
}

/// The other choice by the same comparison.
enum Twin {
    None,
    /// It has made both.
    Before,
    Behind(ice_ir::Inst),
}

/// Most instructions between two choices that are made together.
const MAX_BETWEEN: usize = 4;

impl X86 {
    /// A select with a scalar condition.
    pub(crate) fn select<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        if ty.is_scalar_float() && self.select_extremum(cx, cond, [if_true, if_false], result) {
            return;
        }
        let dst = cx.regs(result);
        let has_folded = [if_true, if_false].into_iter().any(|value| cx.folded(value).is_some());
        if has_folded && let Some(operated) = cx.current_inst().and_then(|inst| self.operated(cx, inst)) {
            return self.operate(cx, cond, operated, result);
        }
        if has_folded
            && let Some(inst) = cx.current_inst()
            && let Some((kept, value, _)) = self.absolute(cx, inst)
        {
            let (width, dst) = (self.part_width(ty), dst.lo());
            let src = self.reg(cx, value);
            self.mov(cx, width, dst, Src::Reg(src));
            cx.sink.push(Inst::Unary { op: Unary::Neg, width, dst });
            return cx.sink.push(Inst::Cmov { cond: kept, width, dst, src });
        }
        let numbers = [if_true, if_false].map(|v| cx.func.int_value(v));
        if let [Some(a), Some(b)] = numbers
            && let Some((bit, is_set)) = self.lowest_bit(cx, cond)
            && self.select_mask(cx, bit, if is_set { [a, b] } else { [b, a] }, result)
        {
            return;
        }
        if let ([Some(0), Some(1)] | [Some(1), Some(0)], Type::I32) = (numbers, ty) {
            return self.select_bit(cx, cond, numbers[0] == Some(1), dst.lo());
        }
        self.choose(cx, cond, [if_true, if_false], result);
    }

    /// A choice by a move on condition, and the next one by the same comparison with it.
    fn choose<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value, values: [Value; 2], result: Value) {
        let twin = cx.current_inst().filter(|&inst| self.compared(cx, inst).is_some());
        let second = match twin.map(|inst| self.twin(cx, inst)) {
            Some(Twin::Before) => return,
            Some(Twin::Behind(inst)) => match (cx.func.inst(inst), cx.func.result(inst)) {
                (&InstData::Select { if_true, if_false, .. }, Some(result)) => {
                    Some(self.begin_choice(cx, [if_true, if_false], result))
                }
                _ => None,
            },
            _ => None,
        };
        let first = self.begin_choice(cx, values, result);
        let test = self.condition(cx, cond);
        for choice in [Some(first), second].into_iter().flatten() {
            self.end_choice(cx, &choice, test);
        }
    }

    /// One value goes to the result at once, the other only if the condition says so. A constant, or what has one in a
    /// half, goes before the comparison, since clearing a register changes flags; a register behind it, so that it may be replaced.
    fn begin_choice<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) -> Choice {
        let inverted = match [if_true, if_false].map(|v| cx.is_constant(v)) {
            [false, false] => self.is_better_replaced(cx, if_true, if_false),
            [is_constant, other] => is_constant && !other,
        };
        let (first, second) = if inverted { (if_true, if_false) } else { (if_false, if_true) };
        let wins = self.regs(cx, second);
        let has_constant_half = |value| known_halves(cx.func, value).iter().any(Option::is_some);
        let is_early = cx.is_constant(first)
            || cx.folded(first).is_some()
            || self.is_pair(cx.func.value_type(result)) && has_constant_half(first);
        if is_early {
            let dst = cx.regs(result);
            self.move_value(cx, dst, first);
        }
        Choice { values: [first, second], wins, result, inverted, is_early }
    }

    /// What of a choice comes behind the comparison.
    fn end_choice<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, choice: &Choice, test: Test) {
        let &Choice { values: [first, second], wins, result, inverted, is_early } = choice;
        let (ty, dst) = (cx.func.value_type(result), cx.regs(result));
        if !is_early {
            self.move_value(cx, dst, first);
        }
        let cond = match test {
            Test::One(cond) if inverted => cond.invert(),
            Test::One(cond) => cond,
            Test::Known(known) => {
                if known != inverted {
                    self.move_value(cx, dst, second);
                }
                // What is moved may have anything above it.
                if self.wants_clean(cx, result) {
                    cx.sink.push(Inst::ZeroUpper { dst: dst.lo(), src: dst.lo() });
                }
                return;
            }
            // Comparisons with two conditions are not folded into a select.
            Test::Both(..) | Test::NotBoth(..) => return,
        };
        if ty.is_vector() || ty.is_scalar_float() {
            let size = ty.bytes() as u8;
            return cx.sink.push(Inst::SelectXmm { cond, dst: dst.lo(), src: wins.lo(), size });
        }
        let half = if self.is_pair(ty) { only_half(cx.func, cx.uses, result) } else { None };
        let is_same = |part: usize| {
            let [a, b] = [first, second].map(|value| known_halves(cx.func, value)[part]);
            a.is_some() && a == b
        };
        for (part, (dst, src)) in dst.iter().zip(wins.iter()).enumerate() {
            let is_needed = half.is_none_or(|half| half as usize == part);
            if is_needed && !(self.is_pair(ty) && is_same(part)) {
                cx.sink.push(Inst::Cmov { cond, width: self.part_width(ty), dst, src });
            }
        }
    }

    /// Makes the operation only if the condition says so.
    fn operate<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value, operated: Operated, result: Value) {
        let Operated { kept, op, other, if_true } = operated;
        let dst = cx.regs(result);
        let src = self.float_src(cx, other);
        let is_early = cx.is_constant(kept);
        if is_early {
            self.move_value(cx, dst, kept);
        }
        let test = self.condition(cx, cond);
        if !is_early {
            self.move_value(cx, dst, kept);
        }
        let dst = dst.lo();
        match test {
            Test::One(cond) => {
                let cond = if if_true { cond } else { cond.invert() };
                cx.sink.push(Inst::SseIf { cond, op, dst, src });
            }
            Test::Known(known) if known == if_true => cx.sink.push(Inst::Sse { op, dst, src }),
            // Comparisons with two conditions are not folded into a select.
            Test::Known(_) | Test::Both(..) | Test::NotBoth(..) => {}
        }
    }

    /// What a choice is between a float and the result of one operation on it, which has no other use. Not with AVX, whose
    /// operations are others, nor where an access has to follow what confines its address: a jump would come between.
    fn operated<S: Sink<Inst>>(self, cx: &Cx<'_, S>, select: ice_ir::Inst) -> Option<Operated> {
        let &InstData::Select { if_true, if_false, .. } = cx.func.inst(select) else { return None };
        let ty = cx.func.value_type(if_true);
        if !ty.is_scalar_float() || self.has_avx(cx) || self.confines_memory() {
            return None;
        }
        [(if_true, if_false, true), (if_false, if_true, false)].into_iter().find_map(
            |(made, kept, if_true)| {
                let def = cx.func.defining_inst(made)?;
                let &InstData::Binary { op, args: [a, b] } = cx.func.inst(def) else { return None };
                let other = if a == kept { b } else { a };
                let is_of_kept = a == kept || b == kept && op.is_commutative();
                let is_alone = cx.uses.only_user_in_block(cx.func, def, made) == Some(select);
                let op = arithmetic(op, ty).filter(|_| is_of_kept && other != kept && is_alone)?;
                Some(Operated { kept, op, other, if_true })
            },
        )
    }

    /// Whether `def` is made by `user`, a choice, only if the condition says so.
    pub(super) fn folds_into_choice<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let made = cx.func.result(def);
        self.operated(cx, user).is_some_and(|operated| {
            matches!(*cx.func.inst(user), InstData::Select { if_true, if_false, .. }
                if made == Some(if operated.if_true { if_true } else { if_false }))
        })
    }

    /// What a choice is that is an absolute value or its opposite: the condition behind the negation under which the value
    /// is kept, the value, and its negation, which has no other use.
    pub(super) fn absolute<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        select: ice_ir::Inst,
    ) -> Option<(Cond, Value, Value)> {
        let &InstData::Select { cond, if_true, if_false } = cx.func.inst(select) else { return None };
        let &InstData::Icmp { cond, args: [x, bound] } = cx.func.inst(cx.func.defining_inst(cond)?) else {
            return None;
        };
        let ty = cx.func.value_type(x);
        let is_negative = match (cond, cx.func.int_value(bound)?) {
            (IntCond::Slt, 0) => true,
            (IntCond::Sgt, -1) => false,
            _ => return None,
        };
        let negation = if if_true == x { if_false } else { if_true };
        let def = cx.func.defining_inst(negation)?;
        let is_negation = matches!(*cx.func.inst(def), InstData::Binary { op: BinaryOp::Sub, args: [zero, y] }
            if y == x && cx.func.int_value(zero) == Some(0));
        let is_whole = matches!(ty, Type::I32 | Type::I64) && !self.is_pair(ty);
        if !is_negation
            || !is_whole
            || [if_true, if_false] != [x, negation] && [if_true, if_false] != [negation, x]
            || cx.uses.only_user_in_block(cx.func, def, negation) != Some(select)
        {
            return None;
        }
        // The negation of what is positive is negative.
        let kept = if (negation == if_true) == is_negative { Cond::S } else { Cond::Ns };
        Some((kept, x, negation))
    }

    /// The value by whose lowest bit a condition decides, and whether it holds where the bit is set.
    fn lowest_bit<S: Sink<Inst>>(self, cx: &Cx<'_, S>, cond: Value) -> Option<(Value, bool)> {
        match cx.condition(cond) {
            Condition::LowBit(value) => Some((value, true)),
            Condition::Comparison(inst) => match *cx.func.inst(inst) {
                InstData::Icmp { cond: cond @ (IntCond::Eq | IntCond::Ne), args: [tested, zero] }
                    if cx.func.int_value(zero) == Some(0) =>
                {
                    match *cx.func.inst(cx.folded(tested)?) {
                        InstData::Binary { op: BinaryOp::And, args: [value, one] }
                            if cx.func.int_value(one) == Some(1) =>
                        {
                            Some((value, cond == IntCond::Ne))
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// One of two numbers, of which one is zero, by the lowest bit of a value: what the negation of the bit masks. False, and
    /// nothing done, for others.
    fn select_mask<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        bit: Value,
        numbers: [i64; 2],
        result: Value,
    ) -> bool {
        let ty = cx.func.value_type(result);
        let (number, op) = match numbers {
            [number, 0] => (number, Unary::Neg),
            [0, number] => (number, Unary::Dec),
            _ => return false,
        };
        let width = self.part_width(ty);
        let is_far = width == Width::B64 && i32::try_from(number).is_err();
        if !matches!(ty, Type::I32 | Type::I64) || is_far || self.tested_bit(cx, bit, None).is_some() {
            return false;
        }
        let dst = cx.regs(result);
        let parts = match self.is_pair(ty) {
            true => [number as i32, (number >> 32) as i32],
            false => [number as i32; 2],
        };
        // The mask is made where a half takes it.
        let first = usize::from(dst.iter().count() == 2 && parts[0] == 0);
        let mask = dst.part(first as u8);
        let src = Src::Reg(self.regs(cx, bit).lo());
        self.mov(cx, Width::B32, mask, src);
        cx.sink.push(Inst::Alu { op: Alu::And, width: Width::B32, dst: mask, src: Src::Imm(1) });
        cx.sink.push(Inst::Unary { op, width, dst: mask });
        for (part, dst) in dst.iter().enumerate().filter(|&(part, _)| part != first) {
            match parts[part] {
                0 => cx.sink.push(Inst::MovImm { width, dst, imm: 0 }),
                number => {
                    self.mov(cx, width, dst, Src::Reg(mask));
                    if number != -1 {
                        cx.sink.push(Inst::Alu { op: Alu::And, width, dst, src: Src::Imm(number) });
                    }
                }
            }
        }
        if parts[first] != -1 {
            cx.sink.push(Inst::Alu { op: Alu::And, width, dst: mask, src: Src::Imm(parts[first]) });
        }
        true
    }

    /// 1 if the condition is `wanted`, else 0, in 32 bits.
    fn select_bit<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value, wanted: bool, dst: VReg) {
        let bit = self.temp(cx, Type::I1);
        let cond = match self.condition(cx, cond) {
            Test::One(cond) if !wanted => cond.invert(),
            Test::One(cond) => cond,
            // Comparisons with two conditions are not folded into a select.
            test => {
                let imm = i64::from((test == Test::Known(true)) == wanted);
                return cx.sink.push(Inst::MovImm { width: Width::B32, dst, imm });
            }
        };
        cx.sink.push(Inst::Setcc { cond, dst: bit });
        let (kind, from, to) = (Extend::Zero, Width::B8, Width::B32);
        cx.sink.push(Inst::Extend { kind, from, to, dst, src: Src::Reg(bit) });
    }

    /// The width of one register of a value.
    pub(super) fn part_width(self, ty: Type) -> Width {
        if self.has_pairs() { Width::B32 } else { self.arithmetic_width(ty) }
    }

    /// The choice that is made together with `select`: the first two of a row whose comparisons are equal, where the second
    /// one chooses between what is there at the first.
    fn twin<S: Sink<Inst>>(self, cx: &Cx<'_, S>, select: ice_ir::Inst) -> Twin {
        let layout = &cx.func.layout;
        let behind = |first| {
            let compared = self.compared(cx, first)?;
            let mut between = arrayvec::ArrayVec::<ice_ir::Inst, { MAX_BETWEEN + 1 }>::new();
            between.push(first);
            while let Some(inst) = between.last().and_then(|&last| layout.next_inst(last)) {
                if self.compared(cx, inst) == Some(compared) {
                    let mut is_ready = true;
                    cx.func.for_each_operand(inst, |value| {
                        let def = cx.func.defining_inst(value);
                        let is_comparison = matches!(*cx.func.inst(inst), InstData::Select { cond, .. }
                            if cond == value);
                        is_ready &= is_comparison || !def.is_some_and(|def| between.contains(&def));
                    });
                    return is_ready.then_some(inst);
                }
                between.try_push(inst).ok()?;
            }
            None
        };
        let before = |second| {
            core::iter::successors(layout.prev_inst(second), |&inst| layout.prev_inst(inst))
                .take(MAX_BETWEEN + 1)
                .find(|&first| behind(first) == Some(second))
        };
        match before(select) {
            Some(first) if before(first).is_none() => Twin::Before,
            Some(_) => Twin::None,
            None => behind(select).map_or(Twin::None, Twin::Behind),
        }
    }

    /// The comparison that an integer choice folds, which is one of two registers and nothing else.
    fn compared<S: Sink<Inst>>(self, cx: &Cx<'_, S>, select: ice_ir::Inst) -> Option<(IntCond, [Value; 2])> {
        let &InstData::Select { cond, if_true, if_false } = cx.func.inst(select) else { return None };
        let comparison = cx.func.defining_inst(cond)?;
        let &InstData::Icmp { cond: by, args } = cx.func.inst(comparison) else { return None };
        // What is compared twice is used twice.
        if cx.uses.known_count(args[0]).is_some_and(|count| count < 2) {
            return None;
        }
        let is_integer = |value| cx.func.value_type(value).is_scalar_int();
        let number = |value| cx.func.int_value(value);
        let is_plain = is_integer(args[0])
            && is_integer(if_true)
            && !cx.uses.is_dead(select)
            && cx.uses.only_user_in_block(cx.func, comparison, cond) == Some(select)
            && (number(if_true).is_none() || number(if_false).is_none())
            && self.absolute(cx, select).is_none()
            && self.difference(cx, comparison).is_none();
        is_plain.then_some((by, args))
    }
}

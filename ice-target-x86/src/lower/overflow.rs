//! Overflow checks: of a sum, a difference or a product whose result is wanted, too, the flags say it. Those of a difference
//! compare what it is of.
//!
//! What LLVM's `…with.overflow` becomes stands in one piece, the arithmetic first, the comparison last:
//!
//! | instructions | together |
//! |---|---|
//! | `r = a + b; x = r ^ a; y = r ^ b; z = x & y; z < 0` (with sign) | `add; jo` |
//! | `r = a - b; x = a ^ b; y = r ^ a; z = x & y; z < 0` (with sign) | `sub; jo` |
//! | `r = a + b; r < a` (without sign), no carry of another sum | `add; jb`, `add; setb` |
//! | `r = a - b; a < b`, or another comparison of the two | `sub; jb`, `sub; cmovae` |
//! | `p = a × b` of words extended into a pair with or without sign; `r` its low half; `r` extended `≠ p` | `imul; jo`, `mul; jo` |
//!
//! The comparison does the arithmetic, where it is computed itself, and the instructions before it do nothing. So nothing
//! between them may use `r`: neither in the piece, nor from there to the branch or choice that the comparison is folded into.
//! All that is asked is of the function and of the counts of uses, so that each of the instructions gets the same answer. What
//! is folded into the comparison must have it for its only user that is known: a dead instruction behind it may hide that.
//!
//! Cost: comparisons of values of several uses look at the instruction before them; differences, sums of several uses and products
//! of pairs look at the instructions behind them.

use super::compare::int_cond;
use super::int::alu;
use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Cond, Width};
use ice_codegen::extension::long_factors;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_ir::{BinaryOp, CastOp, InstData, IntCond, Type, Value};

/// How far behind a comparison the branch or choice by it may stand.
const MAX_DISTANCE: u32 = 8;

/// Most instructions in front of the comparison.
const MAX_PIECE: usize = 4;

/// A check whose arithmetic the comparison does.
#[derive(Clone, Copy)]
pub(super) struct Overflow {
    op: BinaryOp,
    args: [Value; 2],
    result: Value,
    cond: Cond,
}

/// Whether the two are the same, in any order.
fn are(args: [Value; 2], a: Value, b: Value) -> bool {
    args == [a, b] || args == [b, a]
}

impl X86 {
    /// The check that ends with `comparison`.
    pub(super) fn overflow_of<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        comparison: ice_ir::Inst,
    ) -> Option<Overflow> {
        let &InstData::Icmp { cond, args: [a, b] } = cx.func.inst(comparison) else { return None };
        let ty = cx.func.value_type(a);
        if !matches!(ty, Type::I32 | Type::I64) || cx.uses.is_dead(comparison) {
            return None;
        }
        match cond {
            IntCond::Slt if cx.func.int_value(b) == Some(0) => self.signed_overflow(cx, comparison),
            IntCond::Ult => self.carry_out(cx, comparison).or_else(|| self.difference(cx, comparison)),
            IntCond::Ne if self.is_pair(ty) => self.product_overflow(cx, comparison),
            _ => self.difference(cx, comparison),
        }
    }

    /// The comparison at the end of what `inst` begins or is a part of, if it is a check.
    fn check_from<S: Sink<Inst>>(self, cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<ice_ir::Inst> {
        let mut next = cx.func.layout.next_inst(inst);
        for _ in 0..MAX_PIECE {
            let inst = next?;
            match cx.func.inst(inst) {
                InstData::Icmp { .. } => return Some(inst),
                InstData::Binary { op: BinaryOp::Xor | BinaryOp::And, .. } | InstData::Cast { .. } => {}
                _ => return None,
            }
            next = cx.func.layout.next_inst(inst);
        }
        None
    }

    /// Whether the sum or difference `result` is computed by a comparison behind it.
    #[inline(always)]
    pub(super) fn is_checked<S: Sink<Inst>>(self, cx: &Cx<'_, S>, op: BinaryOp, result: Value) -> bool {
        // A difference is checked by a comparison of its operands, beside that with itself.
        (op == BinaryOp::Sub || cx.uses.count(result) >= 2) && self.is_result_of_check(cx, result)
    }

    /// Whether `result` is what a check computes.
    #[inline(never)]
    fn is_result_of_check<S: Sink<Inst>>(self, cx: &Cx<'_, S>, result: Value) -> bool {
        cx.func
            .defining_inst(result)
            .and_then(|inst| self.check_from(cx, inst))
            .and_then(|comparison| self.overflow_of(cx, comparison))
            .is_some_and(|check| check.result == result)
    }

    /// Whether the product of pairs `product`, or its truncation, is a part of a check.
    pub(super) fn is_checked_product<S: Sink<Inst>>(self, cx: &Cx<'_, S>, product: Value) -> bool {
        self.is_pair(cx.func.value_type(product))
            && cx.uses.count(product) == 2
            && cx
                .func
                .defining_inst(product)
                .filter(|&inst| matches!(cx.func.inst(inst), InstData::Binary { op: BinaryOp::Mul, .. }))
                .and_then(|inst| self.check_from(cx, inst))
                .and_then(|comparison| self.overflow_of(cx, comparison))
                .is_some_and(|check| check.op == BinaryOp::Mul)
    }

    /// Whether `def`, an operation with one use, in `user`, is a part of a check.
    pub(super) fn folds_into_check<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let comparison = match cx.func.inst(user) {
            InstData::Icmp { cond: IntCond::Slt | IntCond::Ne, .. } => user,
            InstData::Binary { op: BinaryOp::And, .. } => {
                let value = cx.func.result(user);
                match value.and_then(|value| cx.uses.only_user_in_block(cx.func, user, value)) {
                    Some(next) if matches!(cx.func.inst(next), InstData::Icmp { cond: IntCond::Slt, .. }) => {
                        next
                    }
                    _ => return false,
                }
            }
            _ => return false,
        };
        // A factor is extended in front of the piece; the rest stands in it.
        self.check_from(cx, def) == Some(comparison) && self.overflow_of(cx, comparison).is_some()
    }

    /// Does the arithmetic. The condition says whether it has overflowed.
    pub(super) fn check<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, check: Overflow) -> Cond {
        let Overflow { op, args: [a, b], result, cond } = check;
        let [a, b] = if op.is_commutative() && self.exchanges(cx, [a, b]) { [b, a] } else { [a, b] };
        let dst = cx.regs(result);
        match alu(op) {
            Some(op) if self.is_pair(cx.func.value_type(result)) => {
                let (lhs, rhs) = (self.pair_src(cx, a), self.pair_src(cx, b));
                self.pair_carrying(cx, op, lhs, rhs, dst);
            }
            Some(op) => {
                let width = self.width(cx.func.value_type(result));
                let (src, lhs) = (self.src(cx, b), self.src(cx, a));
                self.mov(cx, width, dst.lo(), lhs);
                cx.sink.push(Inst::Alu { op, width, dst: dst.lo(), src });
            }
            None => self.checked_product(cx, [a, b], dst.lo()),
        }
        cond
    }

    /// `r = a ± b` with sign.
    fn signed_overflow<S: Sink<Inst>>(self, cx: &Cx<'_, S>, comparison: ice_ir::Inst) -> Option<Overflow> {
        let before = |inst| cx.func.layout.prev_inst(inst);
        let binary = |inst, wanted| match *cx.func.inst(inst) {
            InstData::Binary { op, args } if op == wanted => Some((args, cx.func.result(inst)?)),
            _ => None,
        };
        let &InstData::Icmp { args: [tested, _], .. } = cx.func.inst(comparison) else { return None };
        let both = before(comparison)?;
        let second = before(both)?;
        let first = before(second)?;
        let arithmetic = before(first)?;
        let (signs, z) = binary(both, BinaryOp::And)?;
        let (y_args, y) = binary(second, BinaryOp::Xor)?;
        let (x_args, x) = binary(first, BinaryOp::Xor)?;
        let folds = |def, value, user| cx.uses.only_user_in_block(cx.func, def, value) == Some(user);
        let is_piece = folds(first, x, both) && folds(second, y, both) && folds(both, z, comparison);
        if z != tested || !are(signs, x, y) || !is_piece {
            return None;
        }
        let &InstData::Binary { op, args: [a, b] } = cx.func.inst(arithmetic) else { return None };
        let result = cx.func.result(arithmetic)?;
        let is_check = match op {
            BinaryOp::Add => are(x_args, result, a) && are(y_args, result, b),
            BinaryOp::Sub => are(x_args, a, b) && are(y_args, result, a),
            _ => false,
        };
        let check = Overflow { op, args: [a, b], result, cond: Cond::O };
        (is_check && self.is_free(cx, comparison, result)).then_some(check)
    }

    /// `r = a + b` without sign.
    fn carry_out<S: Sink<Inst>>(self, cx: &Cx<'_, S>, comparison: ice_ir::Inst) -> Option<Overflow> {
        let &InstData::Icmp { args: [sum, part], .. } = cx.func.inst(comparison) else { return None };
        let arithmetic = cx.func.layout.prev_inst(comparison)?;
        let &InstData::Binary { op: BinaryOp::Add, args } = cx.func.inst(arithmetic) else { return None };
        let is_check = cx.func.result(arithmetic) == Some(sum) && args.contains(&part);
        let check = Overflow { op: BinaryOp::Add, args, result: sum, cond: Cond::B };
        (is_check && self.is_free(cx, comparison, sum) && !self.is_carry(cx, comparison)).then_some(check)
    }

    /// Whether `comparison` gives a carry, which is added to something.
    fn is_carry<S: Sink<Inst>>(self, cx: &Cx<'_, S>, comparison: ice_ir::Inst) -> bool {
        cx.func.result(comparison).is_some_and(|value| {
            let user = cx.uses.only_user_in_block(cx.func, comparison, value);
            user.is_some_and(|user| self.folds_into_carry(cx, comparison, user))
        })
    }

    /// Whether a comparison may be of what there is a difference of: both values are used twice.
    pub(super) fn may_be_of_difference<S: Sink<Inst>>(self, cx: &Cx<'_, S>, args: [Value; 2]) -> bool {
        args.into_iter().all(|value| cx.uses.known_count(value).is_some_and(|count| count >= 2))
    }

    /// `r = a - b` in front of a comparison of `a` and `b`. Of pairs the flags are those of the high halves, where zero says
    /// nothing.
    pub(super) fn difference<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        comparison: ice_ir::Inst,
    ) -> Option<Overflow> {
        let &InstData::Icmp { cond, args: compared } = cx.func.inst(comparison) else { return None };
        if !self.may_be_of_difference(cx, compared) {
            return None;
        }
        let arithmetic = cx.func.layout.prev_inst(comparison)?;
        let &InstData::Binary { op: op @ BinaryOp::Sub, args } = cx.func.inst(arithmetic) else {
            return None;
        };
        let [a, b] = compared;
        let cond = match args {
            _ if args == compared => cond,
            _ if args == [b, a] => cond.swapped(),
            _ => return None,
        };
        let asks_for_zero = !matches!(cond, IntCond::Ult | IntCond::Uge | IntCond::Slt | IntCond::Sge);
        let is_in_flags = !asks_for_zero || !self.is_pair(cx.func.value_type(a));
        let result = cx.func.result(arithmetic)?;
        let check = Overflow { op, args, result, cond: int_cond(cond) };
        let is_check =
            is_in_flags && !args.into_iter().any(|arg| cx.is_constant(arg)) && cx.uses.count(result) > 0;
        (is_check && self.is_free(cx, comparison, result) && !self.is_carry(cx, comparison)).then_some(check)
    }

    /// The product of two words, of which the low half is the result.
    fn product_overflow<S: Sink<Inst>>(self, cx: &Cx<'_, S>, comparison: ice_ir::Inst) -> Option<Overflow> {
        let before = |inst| cx.func.layout.prev_inst(inst);
        let cast = |inst| match *cx.func.inst(inst) {
            InstData::Cast { op, arg } => Some((op, arg, cx.func.result(inst)?)),
            _ => None,
        };
        let &InstData::Icmp { args: compared, .. } = cx.func.inst(comparison) else { return None };
        let extension = before(comparison)?;
        let truncation = before(extension)?;
        let arithmetic = before(truncation)?;
        let (kind, extended, back) = cast(extension)?;
        let (CastOp::Trunc, whole, result) = cast(truncation)? else { return None };
        let &InstData::Binary { op: BinaryOp::Mul, args } = cx.func.inst(arithmetic) else { return None };
        let product = cx.func.result(arithmetic)?;
        let sign = long_factors(cx.func, args)?;
        let is_check = (whole, extended) == (product, result)
            && are(compared, back, product)
            && kind == if sign == Signedness::Signed { CastOp::Sext } else { CastOp::Zext }
            && cx.func.value_type(result) == Type::I32
            && cx.uses.only_user_in_block(cx.func, extension, back) == Some(comparison)
            && cx.uses.count(product) == 2;
        let check = Overflow { op: BinaryOp::Mul, args, result, cond: Cond::O };
        (is_check && self.is_free(cx, comparison, result)).then_some(check)
    }

    /// Whether nothing uses `result` or has a side effect from behind `comparison` to where it is computed.
    fn is_free<S: Sink<Inst>>(self, cx: &Cx<'_, S>, comparison: ice_ir::Inst, result: Value) -> bool {
        let Some(value) = cx.func.result(comparison) else { return false };
        let user = match cx.uses.only_user_in_block(cx.func, comparison, value) {
            Some(user) if cx.decides(value, user) => user,
            Some(user) if matches!(cx.func.inst(user), InstData::Binary { .. }) => return false,
            // A flag is made where it is stored.
            Some(user) if self.folds_into_flag(cx, comparison, user) => {
                let flag = cx.func.result(user);
                match flag.and_then(|flag| cx.uses.only_user_in_block(cx.func, user, flag)) {
                    Some(store) => store,
                    None => return false,
                }
            }
            // The comparison is computed where it stands.
            _ => return true,
        };
        let mut next = cx.func.layout.next_inst(comparison);
        for _ in 0..MAX_DISTANCE {
            match next {
                Some(inst) if inst == user => return true,
                // What is added may be read from memory then.
                Some(inst) if !cx.func.inst(inst).has_side_effects() => {
                    let mut is_used = false;
                    cx.func.for_each_operand(inst, |value| is_used |= value == result);
                    if is_used {
                        return false;
                    }
                    next = cx.func.layout.next_inst(inst);
                }
                _ => return false,
            }
        }
        false
    }

    /// The product of two words in `dst`; the flag of overflow says whether it is not the whole one.
    fn checked_product<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: VReg) {
        let width = Width::B32;
        if long_factors(cx.func, [a, b]) == Some(Signedness::Signed) {
            let src = self.low_word(cx, a);
            match cx.func.int_value(b) {
                Some(number) => cx.sink.push(Inst::ImulImm { width, dst, src, imm: number as i32 }),
                None => {
                    let rhs = self.low_word(cx, b);
                    self.mov(cx, width, dst, src);
                    cx.sink.push(Inst::Imul { width, dst, src: rhs });
                }
            }
            return;
        }
        let [lhs, src] = [a, b].map(|value| {
            let [low, _] = self.pair_src(cx, value);
            self.part_reg(cx, low)
        });
        let src = Src::Reg(src);
        let hi = self.temp(cx, Type::I32);
        cx.sink.push(Inst::MulWide { sign: Signedness::Unsigned, width, lhs, src, lo: dst, hi });
    }
}

//! Carries: a comparison of numbers without sign that is added or subtracted is the carry flag.
//!
//! | number | `x + number` | `x - number` |
//! |---|---|---|
//! | `a < b` | `cmp a, b; adc $0, x` | `cmp a, b; sbb $0, x` |
//! | `a >= b` | `cmp a, b; sbb $-1, x` | `cmp a, b; adc $-1, x` |
//! | `a > b`, `a <= b` | the same with `b` and `a` exchanged, or the next larger number for `b` | |
//! | `a = 0`, `a != 0` | `a < 1`, `a >= 1` | |
//! | floats: `a < b` or not ordered, `a >= b` | `ucomis a, b; adc $0, x`, `ucomis a, b; sbb $-1, x` | |
//!
//! Where the number is extended with its sign, what is added is subtracted.
//!
//! Comparison and extension have one use each, in the block of the sum, which is of 32 or 64 bits in one register.

use super::compare::{Test, float_test};
use super::int::alu;
use crate::inst::{Compare, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Cond, Width};
use ice_codegen::Operands as _;
use ice_codegen::mach::{Sink, VReg};
use ice_ir::{BinaryOp, CastOp, Function, InstData, IntCond, Type, Value};

/// What the carry flag is of: `a < b` without sign, or its opposite.
struct Carry {
    args: [Value; 2],
    /// In place of the second argument.
    number: Option<i32>,
    is_inverse: bool,
}

/// The comparison of which `value` is 0 or 1.
fn extended_comparison(func: &Function, value: Value) -> Option<(ice_ir::Inst, ice_ir::Inst)> {
    let cast = func.defining_inst(value)?;
    let &InstData::Cast { op: CastOp::Zext | CastOp::Sext, arg } = func.inst(cast) else { return None };
    let comparison = func.defining_inst(arg)?;
    matches!(func.inst(comparison), InstData::Icmp { .. } | InstData::Fcmp { .. })
        .then_some((cast, comparison))
}

/// How the comparison is a carry.
fn carry_of(func: &Function, comparison: ice_ir::Inst) -> Option<Carry> {
    let (cond, [a, b]) = match *func.inst(comparison) {
        InstData::Icmp { cond, args } => (cond, args),
        InstData::Fcmp { cond, args: [a, b] } => {
            let (is_swapped, test) = float_test(cond);
            let is_inverse = match test {
                Test::One(Cond::B) => false,
                Test::One(Cond::Ae) => true,
                _ => return None,
            };
            let args = if is_swapped { [b, a] } else { [a, b] };
            return Some(Carry { args, number: None, is_inverse });
        }
        _ => return None,
    };
    let bits = func.value_type(a).bits();
    let number = func.int_value(b);
    // The number in 32 bits that extends to the next larger one of the operands' width.
    let next = number.map(|n| n.wrapping_add(1)).filter(|&n| n != 0 && !(bits < 32 && n == 1 << (bits - 1)));
    let next = next.and_then(|n| i32::try_from(n).ok());
    let carry = |args, number, is_inverse| Some(Carry { args, number, is_inverse });
    let same = number.and_then(|n| i32::try_from(n).ok());
    match cond {
        IntCond::Ult => carry([a, b], same, false),
        IntCond::Uge => carry([a, b], same, true),
        IntCond::Ugt if number.is_some() => carry([a, b], Some(next?), true),
        IntCond::Ule if number.is_some() => carry([a, b], Some(next?), false),
        IntCond::Ugt => carry([b, a], None, false),
        IntCond::Ule => carry([b, a], None, true),
        IntCond::Eq if number == Some(0) => carry([a, b], Some(1), false),
        IntCond::Ne if number == Some(0) => carry([a, b], Some(1), true),
        _ => None,
    }
}

impl X86 {
    /// Of the operands of `sum` the one that is a carry, with its extension and comparison.
    fn carry_in<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        sum: ice_ir::Inst,
    ) -> Option<(Value, [ice_ir::Inst; 2])> {
        let &InstData::Binary { op, args: [a, b] } = cx.func.inst(sum) else { return None };
        let ty = cx.func.value_type(a);
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub)
            || !matches!(ty, Type::I32 | Type::I64)
            || self.is_pair(ty)
            || a == b
        {
            return None;
        }
        [(b, a), (a, b)].into_iter().find_map(|(value, other)| {
            if value == a && op == BinaryOp::Sub || cx.is_constant(other) {
                return None;
            }
            let (cast, comparison) = extended_comparison(cx.func, value)?;
            let arg = cx.func.result(comparison)?;
            let is_alone = cx.uses.only_user_in_block(cx.func, cast, value) == Some(sum)
                && cx.uses.only_user_in_block(cx.func, comparison, arg) == Some(cast);
            let carry = carry_of(cx.func, comparison).filter(|_| is_alone)?;
            let compared = cx.func.value_type(carry.args[0]);
            let is_plain = compared.is_scalar_int()
                && compared != Type::I1
                && !self.is_pair(compared)
                && !cx.is_constant(carry.args[0])
                && cx.exchange_of(comparison).is_none();
            (is_plain || compared.is_scalar_float()).then_some((value, [cast, comparison]))
        })
    }

    /// Whether `def` is the comparison or the extension of a carry, and `user` what follows it there.
    pub(super) fn folds_into_carry<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let sum = match *cx.func.inst(user) {
            InstData::Cast { op: CastOp::Zext | CastOp::Sext, .. } => {
                cx.func.result(user).and_then(|value| cx.uses.only_user_in_block(cx.func, user, value))
            }
            InstData::Binary { .. } => Some(user),
            _ => None,
        };
        sum.and_then(|sum| self.carry_in(cx, sum)).is_some_and(|(_, parts)| parts.contains(&def))
    }

    /// A sum or difference of a value and a carry. False, and nothing done, for others.
    pub(super) fn carry_sum<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        width: Width,
        dst: VReg,
    ) -> bool {
        let folded = args.into_iter().find(|&arg| {
            cx.folded(arg).is_some_and(|inst| matches!(cx.func.inst(inst), InstData::Cast { .. }))
        });
        let Some((value, (cast, comparison))) =
            folded.and_then(|value| Some((value, extended_comparison(cx.func, value)?)))
        else {
            return false;
        };
        let (Some(carry), Some(op)) = (carry_of(cx.func, comparison), alu(op)) else { return false };
        let other = if args[0] == value { args[1] } else { args[0] };
        let src = self.src(cx, other);
        let compared = cx.func.value_type(carry.args[0]);
        match compared.is_scalar_float() {
            true => {
                self.mov(cx, width, dst, src);
                self.compare(cx, comparison);
            }
            false => {
                let lhs = self.reg(cx, carry.args[0]);
                let rhs = match carry.number {
                    Some(imm) => Src::Imm(imm),
                    None => Src::Reg(self.reg(cx, carry.args[1])),
                };
                self.mov(cx, width, dst, src);
                let width = self.width(compared);
                cx.sink.push(Inst::Compare { op: Compare::Cmp, width, lhs, rhs });
            }
        }
        let is_signed = matches!(cx.func.inst(cast), InstData::Cast { op: CastOp::Sext, .. });
        let is_sum = (op == Alu::Add) != is_signed;
        let (op, imm) = match (is_sum, carry.is_inverse) {
            (true, false) => (Alu::Adc, 0),
            (true, true) => (Alu::Sbb, -1),
            (false, false) => (Alu::Sbb, 0),
            (false, true) => (Alu::Adc, -1),
        };
        cx.sink.push(Inst::Alu { op, width, dst, src: Src::Imm(imm) });
        true
    }
}

//! Which values are not computed where they are defined, but by their only user, in one instruction.
//!
//! | definition | user | becomes |
//! |---|---|---|
//! | comparison, truncation to `i1`, logic on `i1` | branch, select | the condition of the branch or choice |
//! | comparison | logic on `i1` with another | `ccmp` ([`chain`](super::chain)) |
//! | comparison, extended by zeros | sum | `csinc` |
//! | `and` | comparison with zero | `tst`, or a test of one bit |
//! | shift by a constant | sum, difference, logic | a shifted operand |
//! | extension to 64 bits, perhaps shifted to the left by 4 at most | sum, difference | an extended operand |
//! | shifts by constants to the left and the right | their sum | `extr` |
//! | rotation by a constant | logic | a rotated operand |
//! | complement | logic | `bic`, `orn`, `eon` |
//! | shift by a constant to the right | and with low bits | `ubfx` |
//! | mask of all bits that count, extension of a word | amount of a shift | nothing |
//! | product | sum, subtrahend | `madd`, `msub` |
//! | extension of a word | product of 64 bits | `smull`, `umull` |
//! | opposite of a float | product with a sum, rounded once | `fmsub`, `fnmadd`, `fnmsub` |
//! | load | extension | a load that extends |
//! | insertion of a lane | another, a shift | a constant, a shuffle ([`ice_codegen::lanes`]) |
//! | lane of a vector | insertions only | a shuffle |
//! | addition | address | an operand ([`address`](crate::address)) |
//!
//! Maximal munch (Appel, *Modern Compiler Implementation*, 9.1), decided forwards: when the definition is reached, by
//! looking at its only user. A load is then later than it stood: no instruction between the two has a side effect, and what
//! it was folded into stays where it is. A rule that finds no use for a folded definition asks for its register, and it is
//! lowered then and there.

use super::chain;
use super::float::to_integer;
use super::number_of;
use crate::inst::Inst;
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Extend, Shift};
use ice_codegen::mach::Sink;
use ice_codegen::magic::Signedness;
use ice_ir::{BinaryOp, CastOp, Function, InstData, IntCond, Intrinsic, Type, Value};

/// The largest shift of an extended operand.
const MAX_EXTENDED_SHIFT: u8 = 4;

/// A shift or an extension as an operand.
#[derive(Clone, Copy)]
pub(crate) enum Shifted {
    /// A value shifted by a constant that is not zero.
    Plain(Value, Shift, u8),
    /// The low bits of a value, extended to 64 bits and shifted to the left.
    Extended(Value, Extend, u8),
}

/// The sum of a shift to the left of `hi` and one to the right of `lo`, by `lsb`, which together are by the width.
#[derive(Clone, Copy)]
pub(super) struct Rotation {
    pub(super) hi: Value,
    pub(super) lo: Value,
    pub(super) lsb: u8,
}

/// A shift by a constant of a value of 32 or 64 bits, and a product with a power of two: the shift, the value and the amount.
fn constant_shift(func: &Function, inst: ice_ir::Inst) -> Option<(Shift, Value, u8)> {
    let &InstData::Binary { op, args: [value, number] } = func.inst(inst) else { return None };
    let ty = func.value_type(value);
    if !matches!(ty, Type::I32 | Type::I64) {
        return None;
    }
    let (op, amount) = match (super::int::shift(op), op) {
        (Some(op), _) => (op, u64::try_from(func.int_value(number)?).ok()?),
        (None, BinaryOp::Mul) => {
            let factor = number_of(func, number).filter(|factor| factor.is_power_of_two())?;
            (Shift::Lsl, factor.trailing_zeros().into())
        }
        _ => return None,
    };
    (1..ty.bits().into()).contains(&amount).then_some((op, value, amount as u8))
}

/// What is extended to 64 bits, and how.
fn extension(func: &Function, inst: ice_ir::Inst) -> Option<(Value, Extend)> {
    let &InstData::Cast { op, arg } = func.inst(inst) else { return None };
    if func.value_type(func.result(inst)?) != Type::I64 {
        return None;
    }
    let extend = match (op, func.value_type(arg)) {
        (CastOp::Zext, Type::I8) => Extend::Uxtb,
        (CastOp::Zext, Type::I16) => Extend::Uxth,
        (CastOp::Zext, Type::I32) => Extend::Uxtw,
        (CastOp::Sext, Type::I8) => Extend::Sxtb,
        (CastOp::Sext, Type::I16) => Extend::Sxth,
        (CastOp::Sext, Type::I32) => Extend::Sxtw,
        _ => return None,
    };
    Some((arg, extend))
}

/// What is rotated to the right, and by how much.
fn rotated<S: Sink<Inst>>(cx: &Cx<'_, S>, def: ice_ir::Inst) -> Option<(Value, u8)> {
    let &InstData::Binary { op, args } = cx.func.inst(def) else { return None };
    let ty = cx.func.value_type(args[0]);
    rotation(cx, op, args, ty).filter(|shifts| shifts.hi == shifts.lo).map(|shifts| (shifts.hi, shifts.lsb))
}

/// The number of at least eight bits that `def` is the complement of.
pub(super) fn inverted(func: &Function, def: ice_ir::Inst) -> Option<Value> {
    match *func.inst(def) {
        InstData::Binary { op: BinaryOp::Xor, args: [value, number] }
            if func.int_value(number) == Some(-1) && func.value_type(value).bits() >= 8 =>
        {
            Some(value)
        }
        _ => None,
    }
}

/// The operand that `def`, which was folded, is.
pub(crate) fn shifted<S: Sink<Inst>>(cx: &Cx<'_, S>, def: ice_ir::Inst) -> Option<Shifted> {
    if let Some((value, amount)) = rotated(cx, def) {
        return Some(Shifted::Plain(value, Shift::Ror, amount));
    }
    if let Some((inner, extend)) = extension(cx.func, def) {
        return Some(Shifted::Extended(inner, extend, 0));
    }
    let (op, value, amount) = constant_shift(cx.func, def)?;
    if op == Shift::Lsl
        && amount <= MAX_EXTENDED_SHIFT
        && let Some((inner, extend)) = cx.folded(value).and_then(|inst| extension(cx.func, inst))
    {
        return Some(Shifted::Extended(inner, extend, amount));
    }
    Some(Shifted::Plain(value, op, amount))
}

/// The factors of a product.
pub(super) fn factors(func: &Function, def: ice_ir::Inst) -> Option<[Value; 2]> {
    match *func.inst(def) {
        InstData::Binary { op: BinaryOp::Mul, args } => Some(args),
        _ => None,
    }
}

/// The words whose extensions are the factors, and how they are extended.
pub(super) fn long_product<S: Sink<Inst>>(
    cx: &Cx<'_, S>,
    factors: [Value; 2],
) -> Option<(Signedness, [Value; 2])> {
    let word = |factor| {
        let (arg, extend) = extension(cx.func, cx.func.defining_inst(factor)?)?;
        let is_word = matches!(extend, Extend::Uxtw | Extend::Sxtw) && cx.folded(arg).is_none();
        is_word.then_some((arg, extend))
    };
    let [(a, how), (b, other)] = [word(factors[0])?, word(factors[1])?];
    let sign = if how == Extend::Sxtw { Signedness::Signed } else { Signedness::Unsigned };
    (how == other).then_some((sign, [a, b]))
}

/// The shifts whose sum is that of two neighbours.
pub(super) fn rotation<S: Sink<Inst>>(
    cx: &Cx<'_, S>,
    op: BinaryOp,
    args: [Value; 2],
    ty: Type,
) -> Option<Rotation> {
    if !matches!(ty, Type::I32 | Type::I64) || !matches!(op, BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor) {
        return None;
    }
    let shift = |arg| constant_shift(cx.func, cx.func.defining_inst(arg)?);
    let ((hi, left), (lo, lsb)) = match (shift(args[0])?, shift(args[1])?) {
        ((Shift::Lsl, hi, left), (Shift::Lsr, lo, right))
        | ((Shift::Lsr, lo, right), (Shift::Lsl, hi, left)) => ((hi, left), (lo, right)),
        _ => return None,
    };
    (u32::from(left + lsb) == ty.bits()).then_some(Rotation { hi, lo, lsb })
}

/// The value, and the lowest bit and the size of its field, that `value` and `mask` make of a shift that was folded.
pub(super) fn field<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, mask: u64) -> Option<(Value, (u8, u8))> {
    field_of(cx.func, cx.folded(value)?, mask)
}

/// The same of any shift. Of a narrow number the field has no bit that is above it.
fn field_of(func: &Function, shift: ice_ir::Inst, mask: u64) -> Option<(Value, (u8, u8))> {
    let &InstData::Binary { op: BinaryOp::Lshr, args: [value, number] } = func.inst(shift) else {
        return None;
    };
    let (amount, size) = (func.int_value(number)?, mask.trailing_ones());
    let is_low = mask != 0 && mask & mask.wrapping_add(1) == 0;
    let bits = func.value_type(value).bits();
    let is_inside = amount > 0 && u32::try_from(amount).is_ok_and(|amount| amount + size <= bits);
    (is_low && is_inside).then_some((value, (amount as u8, size as u8)))
}

impl Aarch64 {
    /// Whether `user` computes `def`, its operand in its block that nothing else uses, itself.
    pub(crate) fn folds_into<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let func = cx.func;
        let Some(result) = func.result(def) else { return false };
        let ty = func.value_type(result);
        match *func.inst(def) {
            InstData::Cast { op: CastOp::Trunc, .. } => ty == Type::I1 && cx.decides(result, user),
            InstData::Cast { op: CastOp::Zext | CastOp::Sext, arg } => {
                extension(func, def).is_some()
                    && cx.folded(arg).is_none()
                    && !cx.is_constant(arg)
                    && (folds_extension(cx, result, user) || is_long_factor(cx, result, user))
                    || cx.folds_count(def, user)
                    || !cx.is_constant(arg) && folds_into_amount(func, def, user)
            }
            InstData::Load { .. } => folds_load(cx, def, ty, user),
            InstData::Icmp { args, .. } | InstData::Fcmp { args, .. } => {
                !func.value_type(args[0]).is_vector()
                    && (cx.decides(result, user) || cx.is_counted(def, user) || chain::joins(cx, def, user))
            }
            InstData::CallIntrinsic { op: Intrinsic::Fneg, .. } => {
                let data = cx.func.inst(user);
                !ty.is_vector() && matches!(data, InstData::CallIntrinsic { op: Intrinsic::Fma, .. })
            }
            // A conversion rounds as well.
            InstData::CallIntrinsic { op, .. } if to_integer(op, Signedness::Signed).is_some() => {
                let data = cx.func.inst(user);
                !ty.is_vector()
                    && matches!(data, InstData::Cast { op: CastOp::Fptosi | CastOp::Fptoui, .. })
                    && matches!(
                        cx.func.result(user).map(|to| cx.func.value_type(to)),
                        Some(Type::I32 | Type::I64)
                    )
            }
            InstData::InsertElement { .. } => {
                cx.folds_into_return(def, user) || Self::folds_insertion(cx, def, user)
            }
            InstData::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, .. } if ty == Type::I1 => {
                cx.decides(result, user) || chain::joins(cx, def, user)
            }
            InstData::Binary { op: BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor, .. } => {
                (rotated(cx, def).is_some() || inverted(func, def).is_some())
                    && is_logic_operand(cx, result, user)
            }
            InstData::Binary { op: BinaryOp::And, args: [_, b] } => {
                if folds_into_amount(func, def, user) {
                    return true;
                }
                let is_tested = matches!(*func.inst(user), InstData::Icmp { cond: IntCond::Eq | IntCond::Ne, args }
                    if args[0] == result && func.int_value(args[1]) == Some(0));
                is_tested && (ty.bits() >= 32 || func.int_value(b).is_some())
            }
            InstData::Binary { op: BinaryOp::Mul, args } => {
                let is_power = constant_shift(func, def).is_some();
                match is_power {
                    true => folds_shift(cx, def, user),
                    false => {
                        matches!(ty, Type::I32 | Type::I64)
                            && !args.iter().any(|&arg| {
                                number_of(func, arg).is_some_and(|n| super::int::product(n).is_some())
                            })
                            && (is_last_term(cx, result, user) || is_beside_number(cx, result, user))
                    }
                }
            }
            InstData::Binary { op: BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr, .. } => {
                folds_shift(cx, def, user)
            }
            _ => false,
        }
    }
}

/// Whether `value` is the last operand of a sum or difference, or can be, and the other is no number and in a register.
fn is_last_term<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, user: ice_ir::Inst) -> bool {
    match *cx.func.inst(user) {
        InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), args } => {
            is_last(cx, op == BinaryOp::Add, value, args)
        }
        _ => false,
    }
}

/// Whether `value` is a term of a sum with a number that no instruction carries.
fn is_beside_number<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, user: ice_ir::Inst) -> bool {
    let InstData::Binary { op: BinaryOp::Add, args: [a, b] } = *cx.func.inst(user) else { return false };
    let number = cx.func.int_value(b).filter(|_| a == value);
    number.is_some_and(|n| !Aarch64::carries(Alu::Add, cx.func.value_type(value), n as u64))
}

/// The amount of a shift by `value`, as far as it counts: the instruction takes it modulo the width. What was folded is no part.
pub(super) fn amount<S: Sink<Inst>>(cx: &Cx<'_, S>, mut value: Value) -> Value {
    while let Some(inst) = cx.folded(value) {
        value = match *cx.func.inst(inst) {
            InstData::Binary { op: BinaryOp::And, args: [inner, _] } => inner,
            InstData::Cast { arg, .. } => arg,
            _ => return value,
        };
    }
    value
}

/// Whether `def` changes nothing of the amount by which `user` shifts: a mask of all the bits that count, or the extension of a word.
fn folds_into_amount(func: &Function, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
    let Some(result) = func.result(def) else { return false };
    let bits = match *func.inst(user) {
        InstData::Binary { op: BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr, args: [shifted, amount] }
            if shifted != result && amount == result =>
        {
            i64::from(func.value_type(result).bits())
        }
        _ => return false,
    };
    bits >= 32
        && match *func.inst(def) {
            InstData::Binary { op: BinaryOp::And, args: [_, mask] } => {
                func.int_value(mask).is_some_and(|mask| mask & (bits - 1) == bits - 1)
            }
            InstData::Cast { op: CastOp::Zext | CastOp::Sext, arg } => func.value_type(arg) == Type::I32,
            _ => false,
        }
}

/// Whether `value` is an operand of logic on bits, of which the other is no number and in a register.
fn is_logic_operand<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, user: ice_ir::Inst) -> bool {
    match *cx.func.inst(user) {
        InstData::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, args } => {
            is_last(cx, true, value, args)
        }
        _ => false,
    }
}

fn is_last<S: Sink<Inst>>(cx: &Cx<'_, S>, commutes: bool, value: Value, [a, b]: [Value; 2]) -> bool {
    let other = if b == value { a } else { b };
    a != b && (b == value || commutes) && number_of(cx.func, other).is_none() && cx.folded(other).is_none()
}

/// Whether an extension is an operand of the sum or difference `user`, or of the shift that is.
fn folds_extension<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, user: ice_ir::Inst) -> bool {
    if is_last_term(cx, value, user) {
        return true;
    }
    let (Some((Shift::Lsl, shifted, amount)), Some(result)) =
        (constant_shift(cx.func, user), cx.func.result(user))
    else {
        return false;
    };
    shifted == value
        && amount <= MAX_EXTENDED_SHIFT
        && cx.uses.only_user_in_block(cx.func, user, result).is_some_and(|sum| is_last_term(cx, result, sum))
}

/// Whether an extension of a word is a factor of a product of two that are alike.
fn is_long_factor<S: Sink<Inst>>(cx: &Cx<'_, S>, value: Value, user: ice_ir::Inst) -> bool {
    factors(cx.func, user).is_some_and(|args| args.contains(&value) && long_product(cx, args).is_some())
}

fn folds_load<S: Sink<Inst>>(cx: &Cx<'_, S>, load: ice_ir::Inst, ty: Type, user: ice_ir::Inst) -> bool {
    let &InstData::Cast { op, .. } = cx.func.inst(user) else { return false };
    let is_extension = match op {
        CastOp::Sext => matches!(ty, Type::I8 | Type::I16 | Type::I32),
        // Others are extended as they are.
        CastOp::Zext => {
            matches!(ty, Type::I8 | Type::I16 | Type::I32)
                && cx.func.result(user).is_some_and(|result| cx.func.value_type(result) == Type::I64)
        }
        _ => false,
    };
    is_extension && cx.may_delay(load, user)
}

/// Whether a shift by a constant is an operand of `user`, a part of a rotation or a field.
fn folds_shift<S: Sink<Inst>>(cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
    let Some(result) = cx.func.result(def) else { return false };
    let InstData::Binary { op, args } = *cx.func.inst(user) else { return false };
    let ty = cx.func.value_type(result);
    let is_shift = constant_shift(cx.func, def).is_some();
    if is_shift && rotation(cx, op, args, ty).is_some() {
        return true;
    }
    if let (BinaryOp::And, Some(mask)) = (op, number_of(cx.func, args[1])) {
        return args[0] == result && field_of(cx.func, def, mask).is_some();
    }
    if !is_shift {
        return false;
    }
    let is_plain = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
    is_plain && is_last(cx, op != BinaryOp::Sub, result, args)
}

//! Which values are not computed where they are defined, but by their only user, in one instruction.
//!
//! | definition | user | becomes |
//! |---|---|---|
//! | load | arithmetic, comparison, conversion, branch to an address, call of one | a memory operand |
//! | load and operation on it | store to the same address | an operation on memory |
//! | load and operation on it | store to the same address, and branch by its sign or whether it is zero | an operation on memory, whose flags tell |
//! | comparison, truncation to `i1`, logic on `i1` | branch, select | flags |
//! | comparison of numbers without sign, extended | addition, subtraction | a carry ([`carry`](super::carry)) |
//! | comparison, extended to a byte | store | a flag in memory |
//! | two shifts, and the negation of an amount | what joins them | a rotation ([`rotate`](super::rotate)) |
//! | shift down by 8 | mask of a byte | the second byte of a register |
//! | and | comparison with zero | `test` |
//! | what checks a sum, difference or product for overflow | branch, select | flags ([`overflow`](super::overflow)) |
//! | shift by a variable | test of the one bit that it moves | `bt` |
//! | shift and mask, extended or not | shift up by 4 or more | one shift and a mask ([`field`](super::field)) |
//! | and | amount of a shift | nothing, if it keeps the bits that count |
//! | comparison of vectors | select of the same two | minimum or maximum |
//! | comparison of bytes, whether they are negative | number of 16 bits | that of the signs |
//! | lane of a vector | insertion of lanes only | a shuffle ([`shuffle`](super::vector::shuffle)) |
//! | shuffle of a half | joining with the same shuffle of another half | one shuffle of both |
//! | load of a float | insertion as the first lane of zeros | a load of the vector |
//! | insertion as the first lane | a shuffle with that lane everywhere | the value inserted |
//! | load of a scalar for lanes; extension, its lower half | next extension | one extension ([`extend`](super::vector)) |
//! | load of 256 bits | arithmetic | a memory operand |
//! | comparison of vectors of 256 bits | select, extension, number of the signs | a mask ([`avx`](super::vector)) |
//! | constant vector | vector operation | a memory operand, the amount of a shift, part of another constant |
//! | pair extended with zeros or shifted by 32 | arithmetic on pairs | its halves |
//! | addition, scaling | address | an operand ([`address`](crate::address)) |
//! | scaling | addition, joining with fewer bits | the index of `lea` |
//! | operation on a float | choice between the result and an operand | that of the choice, if its condition says so ([`select`](super::select)) |
//! | negation | choice between it and what it negates, by the sign | that of the negation ([`select`](super::select)) |
//!
//! Maximal munch (Appel, *Modern Compiler Implementation*, 9.1), decided forwards: when the definition is
//! reached, by looking at its only user. A chain of folded definitions is computed at its last user.
//! For a load that is later than it stood, volatile ones included: it must read the same. So both are in one block, and no
//! instruction between them has a side effect ([`Lower::may_delay`](ice_codegen::Lower::may_delay)). An operation
//! on memory is a load, an operation that alone uses it, and a store that alone uses that, all of one block, load and
//! store with the same address value and type, and nothing between them that has a side effect.
//!
//! A rule that finds no use for a folded definition asks for its register, and it is lowered then and there
//! ([`Operands::regs`](ice_codegen::Operands::regs)).
//!
//! Cost: constant for each definition with one use.

use super::compare::float_test;
use super::float::extremum;
use super::int::{alu, shift};
use super::vector::cast::are_signs;
use super::vector::lanes::takes_first_lane;
use crate::inst::{Amode, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Cond, Mode};
use ice_codegen::extension::{long_factors, unsigned_bits};
use ice_codegen::lanes::constant_vector;
use ice_codegen::mach::Sink;
use ice_codegen::magic::Signedness;
use ice_codegen::rules::{Call, Destination};
use ice_ir::{BinaryOp, CastOp, InstData, IntCond, Intrinsic, SwitchKey, Type, Value};

/// Whether an instruction asks for its operands, also for those that are computed late.
fn takes_constant_vector(user: &InstData) -> bool {
    use InstData::*;
    matches!(
        user,
        InsertElement { .. }
            | Join { .. }
            | Binary { .. }
            | Icmp { .. }
            | Fcmp { .. }
            | Store { .. }
            | Select { .. }
    )
}

/// Whether an instruction on vectors of 256 bits reads the operand `loaded` from memory.
fn takes_wide_load(user: &InstData, loaded: Value) -> bool {
    match *user {
        InstData::Binary { op, args: [a, b] } => {
            a != b && !op.is_shift() && (b == loaded || op.is_commutative())
        }
        _ => false,
    }
}

impl X86 {
    /// Whether `user` computes `def`, its operand in its block that nothing else uses, itself.
    pub(crate) fn folds_into<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let Some(result) = cx.func.result(def) else { return false };
        match *cx.func.inst(def) {
            InstData::Icmp { args, .. } | InstData::Fcmp { args, .. }
                if cx.func.value_type(args[0]).is_wide() =>
            {
                self.folds_wide_compare(cx, def, user)
            }
            InstData::Join { .. } => self.takes_wide_constant(cx.func, result, cx.func.inst(user)),
            InstData::Icmp { args, .. } => {
                !cx.func.value_type(args[0]).is_vector() && cx.decides(result, user)
                    || self.folds_into_carry(cx, def, user)
                    || self.folds_into_flag(cx, def, user)
                    || are_signs(cx.func, def, user)
                    || self.is_extremum(cx, user)
            }
            InstData::Fcmp { args, .. } if cx.func.value_type(args[0]).is_vector() => {
                matches!(*cx.func.inst(user), InstData::Select { cond, if_true, if_false }
                    if extremum(cx.func, cond, [if_true, if_false]).is_some())
            }
            InstData::Fcmp { cond, .. } => {
                cx.decides(result, user)
                    && (float_test(cond).1.is_one() || matches!(cx.func.inst(user), InstData::CondBr { .. }))
                    || self.folds_into_carry(cx, def, user)
                    || self.folds_into_flag(cx, def, user)
            }
            InstData::Half { .. } => self.folds_into_extension(cx, def, user),
            InstData::Cast { .. } if cx.func.value_type(result).is_vector() => {
                self.folds_into_extension(cx, def, user)
            }
            InstData::Cast { op: CastOp::Trunc, .. } => {
                cx.func.value_type(result) == Type::I1 && cx.decides(result, user)
                    || self.folds_into_highest_bit(cx, def, user)
            }
            InstData::CallIntrinsic { op: Intrinsic::Ctlz, .. } => self.folds_into_highest_bit(cx, def, user),
            InstData::Cast { op: CastOp::Zext, arg } if cx.func.value_type(arg) == Type::I1 => {
                self.folds_into_carry(cx, def, user) || self.folds_into_flag(cx, def, user)
            }
            InstData::Cast { op: CastOp::Zext, arg } => {
                cx.func.value_type(arg) == Type::I32
                    && match self.is_pair(cx.func.value_type(result)) {
                        true => self.takes_halves(cx, result, user),
                        false => self.folds_into_field(cx, def, user),
                    }
            }
            InstData::Cast { op: CastOp::Sext, arg } if cx.func.value_type(arg) == Type::I1 => {
                self.folds_into_carry(cx, def, user)
            }
            InstData::Cast { op: CastOp::Sext, arg } => {
                self.is_pair(cx.func.value_type(result))
                    && cx.func.value_type(arg) == Type::I32
                    && (matches!(*cx.func.inst(user), InstData::Binary { op: BinaryOp::Mul, args }
                        if long_factors(cx.func, args) == Some(Signedness::Signed))
                        || self.folds_into_check(cx, def, user))
            }
            InstData::Load { .. } | InstData::CallIntrinsic { op: Intrinsic::AtomicLoad, .. } => {
                let is_plain = matches!(cx.func.inst(def), InstData::Load { .. });
                (is_plain || self.is_volatile_word(cx, def, result)) && self.folds_load(cx, def, user)
            }
            InstData::InsertElement { .. } => {
                takes_constant_vector(cx.func.inst(user)) && constant_vector(cx.func, result).is_some()
                    || self.folds_into_shuffle(cx, def)
                    || self.folds_repeated_lane(cx, def, user)
                    || self.folds_into_joined_shuffle(cx, def, user)
                    || self.folds_into_built(cx, def)
                    || self.folds_into_splat(cx, def, user)
                    || self.folds_into_extension(cx, def, user)
            }
            InstData::Binary { op: BinaryOp::Lshr | BinaryOp::Shl, args }
                if self.is_pair(cx.func.value_type(result)) =>
            {
                cx.func.int_value(args[1]) == Some(32) && self.takes_halves(cx, result, user)
                    || self.folds_into_rotation(cx, def, user)
                    || self.memory_operand_of(cx, def, user).is_some()
            }
            InstData::Binary { op, .. } => match cx.func.value_type(result) {
                Type::I1 => {
                    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) && cx.decides(result, user)
                }
                ty if ty.is_scalar_int() => {
                    let folds_by_operator = match op {
                        BinaryOp::And => {
                            self.is_bit_test(cx, ty, result, user)
                                || self.is_shift_mask(cx, ty, def, user)
                                || self.folds_into_field(cx, def, user)
                                || self.folds_into_check(cx, def, user)
                        }
                        BinaryOp::Xor => self.folds_into_check(cx, def, user),
                        BinaryOp::Shl => self.folds_into_rotation(cx, def, user),
                        BinaryOp::Lshr => {
                            self.folds_into_rotation(cx, def, user)
                                || self.folds_into_field(cx, def, user)
                                || self.high_byte(cx, user).is_some()
                        }
                        BinaryOp::Sub => {
                            self.is_amount_of_rotation(cx, def, user)
                                || self.absolute(cx, user).is_some_and(|(_, _, negated)| negated == result)
                        }
                        _ => false,
                    };
                    folds_by_operator
                        || self.memory_operand_of(cx, def, user).is_some()
                        || matches!(op, BinaryOp::Add | BinaryOp::Shl | BinaryOp::Mul)
                            && self.folds_into_address(cx, def, user)
                        || shift(op).is_some() && !self.is_confined() && self.is_tested_bit(cx, op, def, user)
                        || matches!(op, BinaryOp::Shl | BinaryOp::Mul) && self.is_scaled_addend(cx, def, user)
                }
                ty => ty.is_scalar_float() && self.folds_into_choice(cx, def, user),
            },
            _ => false,
        }
    }

    /// Whether `user` compares `result`, of type `ty`, with zero.
    fn is_bit_test<S: Sink<Inst>>(self, cx: &Cx<'_, S>, ty: Type, result: Value, user: ice_ir::Inst) -> bool {
        match *cx.func.inst(user) {
            InstData::Icmp { args, .. } => {
                args[0] == result
                    && cx.func.int_value(args[1]) == Some(0)
                    && (!self.is_pair(ty) || self.tested_half(cx, user).is_some())
            }
            _ => false,
        }
    }

    /// The half of a pair, its number and the mask, of which `comparison` asks whether all bits under the mask are zero; the
    /// mask has none in the other half.
    pub(super) fn tested_half<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        comparison: ice_ir::Inst,
    ) -> Option<(Value, usize, i32)> {
        let &InstData::Icmp { cond: IntCond::Eq | IntCond::Ne, args: [tested, _] } = cx.func.inst(comparison)
        else {
            return None;
        };
        let &InstData::Binary { op: BinaryOp::And, args: [value, mask] } =
            cx.func.inst(cx.func.defining_inst(tested)?)
        else {
            return None;
        };
        let mask = cx.func.int_value(mask)?;
        match [mask as i32, (mask >> 32) as i32] {
            [low, 0] => Some((value, 0, low)),
            [0, high] => Some((value, 1, high)),
            _ => None,
        }
    }

    /// Whether `def` multiplies by 2, 4 or 8 what `user` adds to a number or to something in a register: an index. Of two
    /// such terms the second has it. So where `user` joins it with what has only bits below.
    fn is_scaled_addend<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        let InstData::Binary { op: op @ (BinaryOp::Add | BinaryOp::Or), args: [a, b] } = *cx.func.inst(user)
        else {
            return false;
        };
        if op == BinaryOp::Or {
            let Some((_, scale)) = self.scaled_addend(cx, def) else { return false };
            let other = if cx.func.result(def) == Some(a) { b } else { a };
            let is_small = |n: i64| n >> scale == 0;
            return a != b
                && match cx.func.int_value(other) {
                    Some(number) => other == b && is_small(number),
                    None => cx.folded(other).is_none() && unsigned_bits(cx.func, other) <= scale.into(),
                };
        }
        if self.odd_multiple(cx, def).is_some() {
            return op == BinaryOp::Add && cx.func.int_value(b).is_some_and(|n| i32::try_from(n).is_ok());
        }
        let is_second_one = || {
            cx.func.defining_inst(b).is_some_and(|inst| {
                self.scaled_addend(cx, inst).is_some()
                    && cx.uses.only_user_in_block(cx.func, inst, b) == Some(user)
            })
        };
        let is_number = |v| cx.func.int_value(v).is_some_and(|n| i32::try_from(n).is_ok());
        let is_term = |v| !cx.is_constant(v) || self.is_place(cx, v) || v == b && is_number(v);
        a != b
            && is_term(a)
            && is_term(b)
            && self.scaled_addend(cx, def).is_some()
            && (cx.func.result(def) == Some(b) || !is_second_one())
    }

    /// The value and the power of two one less than the factor of a product by 3, 5 or 9, which an index beside its base is.
    pub(super) fn odd_multiple<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Option<(Value, u8)> {
        let &InstData::Binary { op: BinaryOp::Mul, args: [x, k] } = cx.func.inst(inst) else { return None };
        let n @ (3 | 5 | 9) = cx.func.int_value(k)? else { return None };
        let ty = cx.func.value_type(x);
        (matches!(ty, Type::I32 | Type::I64) && !self.is_pair(ty) && !cx.is_constant(x))
            .then_some((x, (n - 1).trailing_zeros() as u8))
    }

    /// The value and the power of two of a multiplication that an index of `lea` does.
    pub(super) fn scaled_addend<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Option<(Value, u8)> {
        let &InstData::Binary { op, args: [x, k] } = cx.func.inst(inst) else { return None };
        let scale = match (op, cx.func.int_value(k)?) {
            (BinaryOp::Shl, n @ 1..=3) => n as u8,
            (BinaryOp::Mul, n @ (2 | 4 | 8)) => n.trailing_zeros() as u8,
            _ => return None,
        };
        let ty = cx.func.value_type(x);
        (matches!(ty, Type::I32 | Type::I64) && !self.is_pair(ty) && !cx.is_constant(x)).then_some((x, scale))
    }

    /// Whether `def`, a shift by a variable, brings one bit to where `user` decides by it: `(x >> n) & 1`, `x & (1 << n)`
    /// compared with zero, or the truncation of `x >> n` to a boolean.
    fn is_tested_bit<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        op: BinaryOp,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let &InstData::Binary { args: [x, amount], .. } = cx.func.inst(def) else { return false };
        let (Some(result), Some(tested)) = (cx.func.result(def), cx.func.result(user)) else { return false };
        let ty = cx.func.value_type(result);
        if cx.is_constant(amount) || !matches!(ty, Type::I32 | Type::I64) || self.is_pair(ty) {
            return false;
        }
        let is_bit = match *cx.func.inst(user) {
            InstData::Cast { op: CastOp::Trunc, .. } => op != BinaryOp::Shl,
            InstData::Binary { op: BinaryOp::And, args } if op != BinaryOp::Shl => {
                args[0] == result && cx.func.int_value(args[1]) == Some(1)
            }
            InstData::Binary { op: BinaryOp::And, .. } => cx.func.int_value(x) == Some(1),
            _ => false,
        };
        is_bit
            && cx.uses.only_user_in_block(cx.func, user, tested).is_some_and(|next| {
                let is_equality = match *cx.func.inst(next) {
                    InstData::Icmp { cond, .. } => matches!(cond, IntCond::Eq | IntCond::Ne),
                    _ => cx.func.value_type(tested) == Type::I1,
                };
                is_equality && self.folds_into(cx, user, next)
            })
    }

    /// The number and the place of the bit that `a & b`, or the lowest bit of `a` if there is no `b`, tests, where
    /// a shift was folded into that.
    pub(super) fn tested_bit<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        a: Value,
        b: Option<Value>,
    ) -> Option<(Value, Value)> {
        let shifted = |value| match *cx.func.inst(cx.folded(value)?) {
            InstData::Binary { op, args } if shift(op).is_some() => Some((op, args)),
            _ => None,
        };
        match b {
            Some(b) if cx.func.int_value(b) != Some(1) => {
                let is_one = |(op, [one, _]): &(BinaryOp, [Value; 2])| {
                    *op == BinaryOp::Shl && cx.func.int_value(*one) == Some(1)
                };
                match (shifted(a).filter(is_one), shifted(b).filter(is_one)) {
                    (_, Some((_, [_, amount]))) => Some((a, self.shift_amount(cx, amount))),
                    (Some((_, [_, amount])), _) => Some((b, self.shift_amount(cx, amount))),
                    _ => None,
                }
            }
            _ => {
                let (_, [x, amount]) = shifted(a).filter(|(op, _)| *op != BinaryOp::Shl)?;
                Some((x, self.shift_amount(cx, amount)))
            }
        }
    }

    /// Whether `def` cuts the amount of the shift `user` to what the instruction looks at anyway.
    fn is_shift_mask<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        ty: Type,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let (&InstData::Binary { args: [_, mask], .. }, &InstData::Binary { op, args: [x, amount] }) =
            (cx.func.inst(def), cx.func.inst(user))
        else {
            return false;
        };
        let looks_at = match ty {
            Type::I32 => 31,
            Type::I64 => 63,
            _ => return false,
        };
        shift(op).is_some()
            && x != amount
            && cx.func.result(def) == Some(amount)
            && cx.func.int_value(mask).is_some_and(|mask| mask & looks_at == looks_at)
    }

    /// The value of which a shift takes its amount: what is before a mask that was folded.
    pub(super) fn shift_amount<S: Sink<Inst>>(self, cx: &Cx<'_, S>, amount: Value) -> Value {
        match cx.folded(amount).map(|inst| cx.func.inst(inst)) {
            Some(&InstData::Binary { op: BinaryOp::And, args }) => args[0],
            _ => amount,
        }
    }

    /// The operand of `def` that is loaded from where `store` puts the result of `def`, if the three become
    /// one operation on memory.
    pub(super) fn memory_operand_of<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        store: ice_ir::Inst,
    ) -> Option<Value> {
        let (address, value) = cx.stored(store)?;
        let &InstData::Binary { op, args } = cx.func.inst(def) else { return None };
        let ty = cx.func.value_type(value);
        if cx.func.result(def) != Some(value) || !ty.is_scalar_int() || ty == Type::I1 {
            return None;
        }
        let is_shift = shift(op).is_some();
        if alu(op).is_none() && !is_shift || is_shift && self.is_pair(ty) {
            return None;
        }
        let is_negation = op == BinaryOp::Sub && cx.func.int_value(args[0]) == Some(0) && !self.is_pair(ty);
        args.into_iter().enumerate().find_map(|(n, arg)| {
            if n == 1 && !op.is_commutative() && !is_negation {
                return None;
            }
            let load = cx.func.defining_inst(arg)?;
            (cx.loaded_address(load) == Some(address)
                && cx.uses.only_user_in_block(cx.func, load, arg) == Some(def)
                && cx.may_delay(load, store))
            .then_some(arg)
        })
    }

    /// The store and the condition of the branch behind it, if these are all that asks for the result of `def` and become one
    /// operation on memory, which leaves the flags of its result: nothing comes between.
    pub(crate) fn tested_store<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
    ) -> Option<(ice_ir::Inst, Cond)> {
        let &InstData::Binary { op, args: [_, b] } = cx.func.inst(def) else { return None };
        let result = cx.func.result(def)?;
        if alu(op).is_none() || cx.uses.known_count(result) != Some(2) {
            return None;
        }
        if op == BinaryOp::Xor && cx.func.int_value(b) == Some(-1) {
            // A complement leaves the flags alone.
            return None;
        }
        let (func, layout) = (cx.func, &cx.func.layout);
        // What comes between is one comparison at most.
        let user = cx.uses.last_user(result)?;
        let branch = layout.next_inst(user)?;
        let (&InstData::CondBr { cond, .. }, InstData::Store { .. } | InstData::Icmp { .. }) =
            (func.inst(branch), func.inst(user))
        else {
            return None;
        };
        let comparison = func.defining_inst(cond)?;
        let &InstData::Icmp { cond: by, args: [tested, number] } = func.inst(comparison) else { return None };
        let cond = match (by, func.int_value(number)?) {
            (IntCond::Eq, 0) => Cond::E,
            (IntCond::Ne, 0) => Cond::Ne,
            (IntCond::Slt, 0) => Cond::S,
            (IntCond::Sgt, -1) => Cond::Ns,
            _ => return None,
        };
        let before = layout.prev_inst(branch)?;
        let store = if before == comparison { layout.prev_inst(comparison)? } else { before };
        let is_next = store == before && layout.prev_inst(store) == Some(comparison) || before == comparison;
        let is_one = tested == result
            && is_next
            && cx.uses.known_count(func.result(comparison)?) == Some(1)
            && !self.is_pair(func.value_type(result))
            && self.memory_operand_of(cx, def, store).is_some();
        is_one.then_some((store, cond))
    }

    /// Whether `load`, an atomic one, orders nothing else and is of up to a register.
    #[cold]
    #[inline(never)]
    fn is_volatile_word<S: Sink<Inst>>(self, cx: &Cx<'_, S>, load: ice_ir::Inst, result: Value) -> bool {
        !self.is_pair(cx.func.value_type(result)) && cx.loaded_address(load).is_some()
    }

    /// Whether `user` reads what `load` loads from memory itself.
    fn folds_load<S: Sink<Inst>>(self, cx: &Cx<'_, S>, load: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        let Some(result) = cx.func.result(load) else { return false };
        let ty = cx.func.value_type(result);
        if ty.is_vector() {
            let is_operand = match ty.is_wide() {
                true => takes_wide_load(cx.func.inst(user), result),
                false => self.widens(cx, ty, user),
            };
            return is_operand && cx.may_delay(load, user);
        }
        let is_whole = matches!(ty, Type::I32 | Type::I64);
        let folds = match *cx.func.inst(user) {
            InstData::Binary { op, args } => {
                let other = if args[0] == result { args[1] } else { args[0] };
                let is_right = args[1] == result;
                let next = cx.func.result(user).and_then(|v| cx.uses.only_user_in_block(cx.func, user, v));
                let store = match next {
                    None if ty.is_scalar_int() => self.tested_store(cx, user).map(|(store, _)| store),
                    next => next,
                };
                if store.is_some_and(|store| self.memory_operand_of(cx, user, store) == Some(result)) {
                    true
                } else if next.is_some_and(|next| self.folds_into_address(cx, user, next)) {
                    false
                } else if op == BinaryOp::And && next.is_some_and(|n| self.folds_into(cx, user, n)) {
                    next.is_some_and(|n| matches!(cx.func.inst(n), InstData::Icmp { .. }))
                } else if op.is_float() {
                    op != BinaryOp::Frem && (is_right || op.is_commutative()) && !cx.is_constant(other)
                } else if op == BinaryOp::Mul {
                    is_whole && !self.is_pair(ty)
                } else if op.is_division() {
                    is_whole && !self.is_pair(ty) && is_right
                } else if op == BinaryOp::Ashr {
                    // It is loaded with its sign.
                    !is_whole && !is_right
                } else if self.is_pair(ty) && shift(op).is_some() {
                    !is_right && cx.is_constant(other)
                } else {
                    (is_whole || self.has_narrow_operands(ty))
                        && alu(op).is_some()
                        && (is_right || op.is_commutative())
                        && (!cx.is_constant(other) || self.is_pair(ty))
                }
            }
            InstData::Icmp { .. } => true,
            InstData::Fcmp { args, cond } => {
                let right = if float_test(cond).0 { args[0] } else { args[1] };
                right == result
            }
            InstData::Cast { op, .. } => self.converts_from_memory(cx, op, ty, user),
            InstData::CallIntrinsic { op: Intrinsic::Sqrt, .. } => true,
            InstData::InsertElement { .. } => {
                if self.folds_into_extension(cx, load, user) {
                    return true;
                }
                ty.is_scalar_float()
                    && (takes_first_lane(cx.func, user, result) || self.takes_upper_load(cx, user, result))
            }
            InstData::Switch { table, .. } => cx.func.switch(table).key == SwitchKey::Label,
            InstData::CallIndirect { .. } | InstData::CallAs { .. } | InstData::Invoke { .. } => {
                self.calls_through_memory(cx, user, result)
            }
            _ => false,
        };
        folds && cx.may_delay(load, self.last_of_chain(cx, user))
    }

    /// Whether arithmetic on narrow integers of the type `ty`, which is done in 32 bits, may be done in their own width where one
    /// operand is in memory. Not in bytes on x86-32, where few registers have one.
    fn has_narrow_operands(self, ty: Type) -> bool {
        match ty {
            Type::I8 => !self.has_pairs(),
            ty => ty == Type::I16,
        }
    }

    /// Whether `user` calls the function at the address `callee`, and may read that from memory.
    fn calls_through_memory<S: Sink<Inst>>(self, cx: &Cx<'_, S>, user: ice_ir::Inst, callee: Value) -> bool {
        let is_plain = !self.is_confined() && !self.tracks_branches;
        // In 64-bit code an address of 32 bits would be read with what is behind it.
        let is_whole = self.mode == Mode::Bits32 || self.has_wide_addresses();
        let data = cx.func.inst(user);
        let call = cx.func.invoked_call(data).unwrap_or(*data);
        is_plain
            && is_whole
            && Call::of(cx.module, cx.func, &call).is_some_and(|call| {
                call.callee == Destination::Address(callee)
                    && call.signature.is_none_or(|signature| signature.convention.preserves_as_standard())
            })
    }

    /// Whether `user` makes lanes of `ty` to such of twice the width, of 256 bits together.
    fn widens<S: Sink<Inst>>(self, cx: &Cx<'_, S>, ty: Type, user: ice_ir::Inst) -> bool {
        let Some(result) = cx.func.result(user) else { return false };
        matches!(cx.func.inst(user), InstData::Cast { op, .. } if *op != CastOp::Bitcast)
            && cx.func.value_type(result).is_wide()
            && !ty.is_bool_or_bool_vector()
    }

    /// Whether the cast `user` has a form that reads its operand, of type `from`, from memory.
    fn converts_from_memory<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        op: CastOp,
        from: Type,
        user: ice_ir::Inst,
    ) -> bool {
        let Some(result) = cx.func.result(user) else { return false };
        let to = cx.func.value_type(result);
        match op {
            CastOp::Trunc | CastOp::Zext | CastOp::Sext | CastOp::Fpext | CastOp::Fptrunc => true,
            CastOp::Sitofp => !to.is_vector(),
            CastOp::Uitofp if from == Type::I64 => self.has_pairs() || to == Type::F64,
            CastOp::Uitofp if from == Type::I32 => self.has_pairs(),
            CastOp::Bitcast => !to.is_vector() && to != Type::I1,
            _ => from == Type::I8 || from == Type::I16,
        }
    }

    /// Where the result of `inst` is computed: at the end of the chain of its users that take it in.
    fn last_of_chain<S: Sink<Inst>>(self, cx: &Cx<'_, S>, mut inst: ice_ir::Inst) -> ice_ir::Inst {
        while let Some(result) = cx.func.result(inst)
            && let Some(user) = cx.uses.only_user_in_block(cx.func, inst, result)
            && self.folds_into(cx, inst, user)
        {
            inst = user;
        }
        inst
    }

    /// Where a value is in memory, if it is a load that was folded into the instruction being lowered.
    pub(super) fn folded_load<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<Amode> {
        let address = cx.loaded_address(cx.folded(value)?)?;
        Some(self.address(cx, address))
    }

    /// The halves of a pair that was folded into the instruction being lowered: what is loaded, extended
    /// with zeros, or shifted by 32 bits needs no registers of its own.
    pub(super) fn folded_pair<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<[Src; 2]> {
        match *cx.func.inst(cx.folded(value)?) {
            InstData::Load { address, .. } => {
                let mem = self.address(cx, address);
                Some([Src::Mem(mem), Src::Mem(mem.offset(4))])
            }
            InstData::Cast { op: CastOp::Zext, arg } => Some([self.src(cx, arg), Src::Imm(0)]),
            InstData::Binary { op: BinaryOp::Lshr, args } => {
                let [_, high] = self.pair_src(cx, args[0]);
                Some([high, Src::Imm(0)])
            }
            InstData::Binary { op: BinaryOp::Shl, args } => {
                let [low, _] = self.pair_src(cx, args[0]);
                Some([Src::Imm(0), low])
            }
            _ => None,
        }
    }

    /// Whether `user` takes the halves of `result`, a pair that [`Self::folded_pair`] knows, as operands.
    fn takes_halves<S: Sink<Inst>>(self, cx: &Cx<'_, S>, result: Value, user: ice_ir::Inst) -> bool {
        match *cx.func.inst(user) {
            InstData::Binary { op, args } => {
                alu(op).is_some()
                    || op == BinaryOp::Mul
                    || shift(op).is_some() && (args[1] == result || cx.func.int_value(args[1]).is_some())
            }
            InstData::Icmp { .. } => true,
            InstData::Cast { op, .. } => op == CastOp::Trunc,
            InstData::Store { value, .. } => value == result,
            _ => false,
        }
    }

    /// Whether a value of `ty` is a pair of registers.
    pub(super) const fn is_pair(self, ty: Type) -> bool {
        matches!(ty, Type::I64) && self.has_pairs()
    }
}

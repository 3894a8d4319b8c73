//! Which values are not computed where they are defined, but by their only user, in one instruction.
//!
//! | definition | user | becomes |
//! |---|---|---|
//! | comparison, truncation to `i1`, logic on `i1` | branch, select | flags |
//! | comparison, extended by zeros | sum | an addition under a condition |
//! | and | comparison with zero | `tst` |
//! | shift of a pair by a constant | truncation | a part of the pair |
//! | shift to the right by a constant | and with low bits | `ubfx` |
//! | shift by a constant, rotation, multiple by (2^n ± 1) 2^k | arithmetic, comparison | a shifted operand |
//! | multiplication | addition, subtraction from | `mla`, `mls` |
//! | extension of a word to a pair | product of two such | nothing |
//! | product of words in a pair | addition | `umlal`, `smlal` |
//! | complement | and | `bic` |
//! | load of 8 or 16 bits | sign extension | `ldrsb`, `ldrsh` |
//! | multiplication of floating point | addition, subtraction | `vmla`, `vmls`, `vnmls` |
//! | insertion of a lane | another, a shift, an extraction | a constant, a shuffle ([`lanes`](super::lanes)) |
//! | lane of a vector | insertions only | a shuffle |
//! | addition, shift | address | an operand ([`address`](crate::address)) |
//!
//! Maximal munch (Appel, *Modern Compiler Implementation*, 9.1), decided forwards: when the definition is
//! reached, by looking at its only user. A load is then later than it stood: no instruction between the two has
//! a side effect. `vmla` rounds the product before it adds (DDI 0406C A8.8.337), so that the bits are those of
//! two instructions.
//!
//! A rule that finds no use for a folded definition asks for its register, and it is lowered then and there
//! ([`Operands::regs`](ice_codegen::Operands::regs)).
//!
//! Cost: constant for each definition with one use.

use super::int::{Product, alu, alu_immediate, product, shift};
use crate::inst::{Inst, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Alu, Shift};
use ice_codegen::Operands as _;
use ice_codegen::extension::{known_halves, long_factors, word};
use ice_codegen::mach::Sink;
use ice_codegen::magic::Signedness;
use ice_ir::{BinaryOp, CastOp, InstData, Type, Value};

/// A definition that becomes the shifted operand of its user.
#[derive(Clone, Copy)]
pub(super) enum Shifted {
    /// A value shifted or rotated.
    By(Value, Shift, u8),
    /// A multiple.
    Product(Value, Product),
}

/// Whether the result of `inst` is in one general register.
fn is_word<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> bool {
    cx.func.result(inst).is_some_and(|result| cx.func.value_type(result).bits() <= 32)
}

impl Arm32 {
    /// Whether `user` computes `def`, its operand in its block that nothing else uses, itself.
    pub(crate) fn folds_into<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let Some(result) = cx.func.result(def) else { return false };
        match *cx.func.inst(def) {
            InstData::Icmp { args, .. } | InstData::Fcmp { args, .. } => {
                !cx.func.value_type(args[0]).is_vector()
                    && (cx.decides(result, user) || is_word(cx, user) && cx.is_counted(def, user))
            }
            InstData::Cast { op: CastOp::Trunc, arg } => {
                cx.func.value_type(result) == Type::I1
                    && cx.func.value_type(arg) != Type::I64
                    && cx.decides(result, user)
            }
            InstData::Cast { op: CastOp::Sext | CastOp::Zext, arg } => {
                cx.func.value_type(result) == Type::I64
                    && cx.func.value_type(arg) == Type::I32
                    && matches!(*cx.func.inst(user), InstData::Binary { op: BinaryOp::Mul, args }
                        if long_factors(cx.func, args).is_some())
                    || is_word(cx, def) && cx.folds_count(def, user)
            }
            InstData::Load { .. } => {
                matches!(cx.func.value_type(result), Type::I8 | Type::I16)
                    && matches!(cx.func.inst(user), InstData::Cast { op: CastOp::Sext, .. })
                    && cx.may_delay(def, user)
            }
            InstData::InsertElement { .. } => {
                cx.folds_into_return(def, user) || Self::folds_insertion(cx, def, user)
            }
            InstData::Binary { op, .. } => match cx.func.value_type(result) {
                Type::I1 => {
                    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) && cx.decides(result, user)
                }
                Type::F32 | Type::F64 => op == BinaryOp::Fmul && self.folds_product(cx, result, user),
                Type::I32 => {
                    self.folds_into_address(cx, def, user)
                        || self.folds_into_rotation(cx, def, user)
                        || self.folds_shift(cx, def, user)
                        || op == BinaryOp::And && self.is_bit_test(cx, result, user)
                        || op == BinaryOp::Mul && self.folds_multiple(cx, result, user)
                        || self.folds_complement(cx, def, user)
                        || self.folds_into_field(cx, def, user)
                }
                Type::I64 => {
                    self.folds_into_part(cx, def, user)
                        || self.long_product(cx, def).is_some() && self.adds_long_product(cx, result, user)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether `user` takes low bits of `def`, a shift to the right, and is more than a test of them.
    fn folds_into_field<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        let InstData::Binary { op: BinaryOp::And, args: [a, b] } = *cx.func.inst(user) else { return false };
        let (Some(mask), Some(result)) = (cx.func.int_value(b), cx.func.result(user)) else { return false };
        let tester = cx.uses.only_user_in_block(cx.func, user, result);
        cx.func.result(def) == Some(a)
            && self.field(cx, def, mask as u32).is_some()
            && !tester.is_some_and(|tester| self.is_bit_test(cx, result, tester))
    }

    /// Whether `def` shifts a pair by a number and `user` takes a word of that.
    fn folds_into_part<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        let &InstData::Binary { op, args: [value, amount] } = cx.func.inst(def) else { return false };
        let is_word = matches!(cx.func.inst(user), InstData::Cast { op: CastOp::Trunc, .. })
            && cx.func.result(user).is_some_and(|word| cx.func.value_type(word) != Type::I1);
        is_word && shift(op).is_some() && cx.func.int_value(amount).is_some() && !cx.is_constant(value)
    }

    /// The factors of `inst`, a product of two words in a pair.
    pub(super) fn long_product<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        inst: ice_ir::Inst,
    ) -> Option<(Signedness, [Value; 2])> {
        let &InstData::Binary { op: BinaryOp::Mul, args } = cx.func.inst(inst) else { return None };
        if cx.func.value_type(args[0]) != Type::I64 {
            return None;
        }
        long_factors(cx.func, args).map(|sign| (sign, args))
    }

    /// Whether `user` adds `result`, a product of words in a pair, to another pair; of two such products the second.
    fn adds_long_product<S: Sink<Inst>>(self, cx: &Cx<'_, S>, result: Value, user: ice_ir::Inst) -> bool {
        let &InstData::Binary { op: BinaryOp::Add, args: [a, b] } = cx.func.inst(user) else { return false };
        let other = if a == result { b } else { a };
        let is_product = |value| {
            cx.func.defining_inst(value).is_some_and(|def| {
                self.long_product(cx, def).is_some()
                    && cx.uses.only_user_in_block(cx.func, def, value) == Some(user)
            })
        };
        let [low, _] = known_halves(cx.func, other);
        a != b && low.is_none() && !(result == a && is_product(b))
    }

    /// Whether `user` compares `result` with zero for equality.
    fn is_bit_test<S: Sink<Inst>>(self, cx: &Cx<'_, S>, result: Value, user: ice_ir::Inst) -> bool {
        matches!(*cx.func.inst(user), InstData::Icmp { cond, args: [a, b] }
            if a == result && cx.func.int_value(b) == Some(0)
                && matches!(cond, ice_ir::IntCond::Eq | ice_ir::IntCond::Ne))
    }

    /// Whether `user` adds to `result`, a product, or subtracts it.
    fn folds_multiple<S: Sink<Inst>>(self, cx: &Cx<'_, S>, result: Value, user: ice_ir::Inst) -> bool {
        match *cx.func.inst(user) {
            _ if self.is_easy_product(cx, result) => false,
            InstData::Binary { op: BinaryOp::Add, args: [a, b] } => {
                let other = if a == result { b } else { a };
                // A number that an addition carries needs no register.
                let is_carried = |n| alu_immediate(Alu::Add, n).is_some();
                !word(cx.func, other).map_or(cx.is_constant(other), is_carried)
                    && other != result
                    && !cx.func.defining_inst(other).is_some_and(|inst| cx.is_folded(inst))
            }
            InstData::Binary { op: BinaryOp::Sub, args: [a, b] } => b == result && !cx.is_constant(a),
            _ => false,
        }
    }

    /// Whether `result` is multiplied by a number that needs no multiplication.
    fn is_easy_product<S: Sink<Inst>>(self, cx: &Cx<'_, S>, result: Value) -> bool {
        matches!(cx.func.defining_inst(result).map(|inst| cx.func.inst(inst)),
            Some(&InstData::Binary { args: [_, b], .. }) if word(cx.func, b).and_then(product).is_some())
    }

    /// Whether a floating-point sum takes in the product `result`. Of two products one is folded.
    fn folds_product<S: Sink<Inst>>(self, cx: &Cx<'_, S>, result: Value, user: ice_ir::Inst) -> bool {
        let InstData::Binary { op: BinaryOp::Fadd | BinaryOp::Fsub, args: [a, b] } = *cx.func.inst(user)
        else {
            return false;
        };
        let other = if a == result { b } else { a };
        other != result && !cx.func.defining_inst(other).is_some_and(|inst| cx.is_folded(inst))
    }

    /// Whether `def` is the complement of a value and `user` the `and` with another.
    fn folds_complement<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        let InstData::Binary { op: BinaryOp::And, args: [a, b] } = *cx.func.inst(user) else { return false };
        let other = if cx.func.result(def) == Some(a) { b } else { a };
        self.complement_of(cx, def).is_some()
            && !cx.is_constant(other)
            && !cx.func.defining_inst(other).is_some_and(|inst| cx.is_folded(inst))
    }

    /// The value whose complement `inst` is.
    pub(super) fn complement_of<S: Sink<Inst>>(self, cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<Value> {
        match *cx.func.inst(inst) {
            InstData::Binary { op: BinaryOp::Xor, args: [value, ones] }
                if cx.func.int_value(ones) == Some(-1) =>
            {
                Some(value)
            }
            _ => None,
        }
    }

    /// What kind of shifted operand the 32-bit operation `inst` is.
    pub(super) fn shifted<S: Sink<Inst>>(self, cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<Shifted> {
        let &InstData::Binary { op, args: [value, other] } = cx.func.inst(inst) else { return None };
        if cx.func.value_type(value) != Type::I32 || cx.is_constant(value) {
            return None;
        }
        match op {
            BinaryOp::Mul => {
                let product = word(cx.func, other).and_then(product)?;
                (product.left > 0).then_some(Shifted::Product(value, product))
            }
            BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor => self.rotation(cx, [value, other]),
            _ => match (shift(op)?, cx.func.int_value(other)?) {
                (op, n @ 1..=31) => Some(Shifted::By(value, op, n as u8)),
                _ => None,
            },
        }
    }

    /// A value shifted left by n together with itself shifted right by 32 - n.
    pub(super) fn rotation<S: Sink<Inst>>(self, cx: &Cx<'_, S>, args: [Value; 2]) -> Option<Shifted> {
        let [a, b] = args.map(|arg| {
            let &InstData::Binary { op, args: [x, n] } = cx.func.inst(cx.func.defining_inst(arg)?) else {
                return None;
            };
            Some((shift(op)?, x, cx.func.int_value(n)?))
        });
        match (a?, b?) {
            ((Shift::Lsl, x, left), (Shift::Lsr, y, right))
            | ((Shift::Lsr, y, right), (Shift::Lsl, x, left)) => {
                let rotates = x == y && left + right == 32 && (1..32).contains(&right);
                rotates.then_some(Shifted::By(x, Shift::Ror, right as u8))
            }
            _ => None,
        }
    }

    /// Whether `user` rotates, and `def` is one of its two shifts.
    fn folds_into_rotation<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        match (cx.func.inst(def), cx.func.inst(user)) {
            (
                &InstData::Binary { op: BinaryOp::Shl | BinaryOp::Lshr, .. },
                &InstData::Binary { op: BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor, args },
            ) => self.rotation(cx, args).is_some(),
            _ => false,
        }
    }

    /// Whether `def` becomes the flexible operand of `user`.
    fn folds_shift<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
        let (args, commutes) = match *cx.func.inst(user) {
            InstData::Binary { op, args } if alu(op).is_some() => {
                (args, op.is_commutative() || op == BinaryOp::Sub)
            }
            InstData::Icmp { args, .. } => (args, true),
            _ => return false,
        };
        if self.shifted(cx, def).is_none() {
            return false;
        }
        let [a, b] = args;
        let result = cx.func.result(def);
        let other = if Some(b) == result { a } else { b };
        if cx.func.int_value(other).is_some() {
            // With a constant only the reversed subtraction has a shifted operand.
            return false;
        }
        // The second operand, or the first if the second is not taken.
        let other_folds = cx.func.defining_inst(other).is_some_and(|inst| {
            cx.is_folded(inst)
                || Some(b) != result
                    && self.shifted(cx, inst).is_some()
                    && cx.uses.only_user_in_block(cx.func, inst, other) == Some(user)
        });
        a != b && !other_folds && (Some(b) == result || commutes)
    }

    /// The flexible operand of a shift that was folded.
    pub(crate) fn folded_shift<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<Src> {
        let inst = cx.folded(value)?;
        Some(match self.shifted(cx, inst)? {
            Shifted::By(value, op, n) => Src::Shift(self.reg(cx, value), op, n),
            Shifted::Product(value, product) => {
                let src = self.reg(cx, value);
                self.product_src(cx, src, product)
            }
        })
    }
}

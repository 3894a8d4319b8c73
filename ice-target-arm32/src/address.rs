//! Address modes: which additions disappear into a memory operand, and the operand they make.
//!
//! An addition that only loads and stores use, as their address, is folded if all of them have the form: a constant
//! in reach of the instruction, or a register (of words and bytes also shifted to the left). The sum of two
//! registers has few users, which are mostly the load and the store of one place; in confined code, which makes it
//! for each of them, one. Registers are 32 bits wide, as addresses are, so that every fold is exact.
//!
//! The decision is taken once, at the addition, for all users: each of them then computes the address from values
//! that are in registers before the first. So nothing that was folded into the addition is left over: a shift that
//! is not the index of all accesses, or a product, is computed with the addition, which is not folded then.

use crate::inst::{Amode, Base, Inst};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::Transfer;
use ice_codegen::lanes::is_lane_of_shuffle;
use ice_codegen::mach::Sink;
use ice_codegen::{Constant, Operands as _, Words as _};
use ice_ir::{BinaryOp, InstData, Symbol, Type, Value, ValueDef};

/// Most accesses that compute the sum of two registers each.
const MAX_SUMS: u32 = 4;

/// What an access can have in its address.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    /// The bits of the largest constant.
    most: u32,
    /// The index that it can have instead.
    index: Index,
}

/// An index register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Index {
    No,
    Plain,
    /// Shifted to the left.
    Shifted,
}

fn form(ty: Type) -> Form {
    match ty {
        Type::I32 | Type::I8 | Type::I1 => Form { most: 4095, index: Index::Shifted },
        Type::I16 => Form { most: 255, index: Index::Plain },
        // Two words, one after the other.
        Type::I64 => Form { most: 4091, index: Index::No },
        Type::F32 | Type::F64 => Form { most: 1020, index: Index::No },
        _ => Form { most: 0, index: Index::No },
    }
}

/// Loads of a type by its memory form.
pub(crate) fn load_op(ty: Type) -> Transfer {
    match ty {
        Type::I1 | Type::I8 => Transfer::Ldrb,
        Type::I16 => Transfer::Ldrh,
        _ => Transfer::Ldr,
    }
}

/// Stores of a type by its memory form.
pub(crate) fn store_op(ty: Type) -> Transfer {
    match ty {
        Type::I1 | Type::I8 => Transfer::Strb,
        Type::I16 => Transfer::Strh,
        _ => Transfer::Str,
    }
}

/// The two terms of an addition of addresses.
fn addends<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<[Value; 2]> {
    match *cx.func.inst(inst) {
        InstData::Binary { op: BinaryOp::Add, args } if cx.func.value_type(args[0]) == Type::I32 => {
            Some(args)
        }
        _ => None,
    }
}

/// What is shifted left by a constant or multiplied by a power of two, and the amount of the shift.
fn scale<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<(Value, u8)> {
    let &InstData::Binary { op, args: [value, number] } = cx.func.inst(inst) else { return None };
    let amount = match (op, cx.func.int_value(number)? as u32) {
        (BinaryOp::Shl, amount) => amount,
        (BinaryOp::Mul, factor) if factor.is_power_of_two() => factor.trailing_zeros(),
        _ => return None,
    };
    let is_shift = (1..=31).contains(&amount);
    (is_shift && cx.func.value_type(value) == Type::I32 && !cx.is_constant(value))
        .then_some((value, amount as u8))
}

fn is_scale<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> bool {
    scale(cx, inst).is_some()
}

impl Arm32 {
    /// Whether `def` is a shift and `user`, which alone uses it, an addition that is folded itself with it as index.
    pub(crate) fn folds_into_address<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let (Some(result), Some([a, b])) = (cx.func.result(def), addends(cx, user)) else { return false };
        let other = if b == result { a } else { b };
        is_scale(cx, def)
            && cx.func.int_value(b).is_none()
            && cx.folded(other).is_none()
            && (b == result || !cx.func.defining_inst(b).is_some_and(|inst| is_scale(cx, inst)))
            && self.all_have_index(cx, user, [a, b], Index::Shifted)
    }

    /// Whether the addition `sum` of two registers is the address of accesses that can all have this index.
    fn all_have_index<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        sum: ice_ir::Inst,
        [base, offset]: [Value; 2],
        index: Index,
    ) -> bool {
        let Some(result) = cx.func.result(sum) else { return false };
        cx.uses.is_only_address(result)
            && cx.uses.count(result) <= if self.is_confined() { 1 } else { MAX_SUMS }
            && (cx.frame_object(base).is_none() || cx.frame_object(offset).is_none())
            && cx.uses.accessed(result).all(|ty| form(ty).index >= index)
    }

    /// Whether all users of `def`, which are loads and stores, take it into their addresses, and with it what was
    /// folded into it. Or all users are parts of one shuffle.
    pub(crate) fn folds_into_addresses<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        if let InstData::ExtractElement { .. } = cx.func.inst(def) {
            return is_lane_of_shuffle(cx.func, cx.uses, def, |_| true);
        }
        let (Some(result), Some([a, b])) = (cx.func.result(def), addends(cx, def)) else { return false };
        let index = match (cx.folded(a), cx.folded(b)) {
            (None, None) => Index::Plain,
            (Some(inst), None) | (None, Some(inst)) if is_scale(cx, inst) => Index::Shifted,
            _ => return false,
        };
        match cx.func.int_value(b) {
            Some(number) => {
                let size = (number as i32).unsigned_abs();
                index == Index::Plain && cx.uses.accessed(result).all(|ty| size & !form(ty).most == 0)
            }
            None => self.all_have_index(cx, def, [a, b], index),
        }
    }

    /// The memory operand for the address `value`.
    pub(crate) fn address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Amode {
        if let Some(object) = cx.frame_object(value) {
            return Amode::new(Base::Object(object), 0);
        }
        let Some([a, b]) = cx.folded(value).and_then(|inst| addends(cx, inst)) else {
            return Amode::new(Base::Reg(self.reg(cx, value)), 0);
        };
        if let Some(number) = cx.func.int_value(b) {
            return self.address_plus(cx, a, number as i32);
        }
        // A term that is a shift becomes the index, and so does what is not the address of an object.
        let moves = cx.folded(a).is_some() && cx.folded(b).is_none() || cx.frame_object(b).is_some();
        let [a, b] = if moves { [b, a] } else { [a, b] };
        let index = match cx.folded(b).and_then(|inst| scale(cx, inst)) {
            Some((index, shift)) => (self.reg(cx, index), shift),
            None => (self.reg(cx, b), 0),
        };
        let base = match cx.frame_object(a) {
            Some(object) => match cx.held(Constant::Value(a)) {
                Some(reg) => Base::Reg(reg),
                None => Base::Object(object),
            },
            None => Base::Reg(self.reg(cx, a)),
        };
        Amode { base, index: Some(index), disp: 0 }
    }

    /// The address of `value` plus a constant; the address of a symbol takes it in if it is small.
    fn address_plus<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, disp: i32) -> Amode {
        if let Some(object) = cx.frame_object(value) {
            return Amode::new(Base::Object(object), disp);
        }
        let symbol = match cx.func.value_def(value) {
            ValueDef::Global(g) => Some(Symbol::Global(g)),
            ValueDef::Function(f) => Some(Symbol::Function(f)),
            _ => None,
        };
        if symbol.is_some()
            && let Some(base) = self.register_held(cx, value)
        {
            return Amode::new(Base::Reg(base), disp);
        }
        if let (Some(symbol), Ok(addend)) = (symbol, i16::try_from(disp)) {
            let dst = self.temp(cx);
            self.symbol_address(cx, symbol, addend, dst);
            return Amode::new(Base::Reg(dst), 0);
        }
        Amode::new(Base::Reg(self.reg(cx, value)), disp)
    }
}

//! Address modes: which additions disappear into a memory operand, and the operand they make.
//!
//! An addition with a single use as the address of a load or store of its block is folded where the access has
//! the form: a constant in reach of the instruction, or a register (of words and bytes also shifted to the
//! left). Registers are 32 bits wide, as addresses are, so that every fold is exact.

use crate::inst::{Amode, Base, Inst};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::Transfer;
use ice_ir::mach::Sink;
use ice_ir::{BinaryOp, InstData, Symbol, Type, Value, ValueDef};
use ice_passes::Constant;
use ice_passes::lanes::is_lane_of_shuffle;

/// What an access can have in its address.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    /// The bits of the largest constant.
    most: u32,
    /// Whether it can have a register instead.
    has_index: bool,
}

fn form(ty: Type) -> Form {
    match ty {
        Type::I32 | Type::I8 | Type::I1 => Form { most: 4095, has_index: true },
        Type::I16 => Form { most: 255, has_index: true },
        // Two words, one after the other.
        Type::I64 => Form { most: 4091, has_index: false },
        Type::F32 | Type::F64 => Form { most: 1020, has_index: false },
        _ => Form { most: 0, has_index: false },
    }
}

/// The largest constant that every access can have, in bytes, but those of vectors.
const NEAR: u32 = 255;

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

/// The type that the load or store `user` accesses at `address`.
fn accessed<S: Sink<Inst>>(cx: &Cx<'_, S>, user: ice_ir::Inst, address: Value) -> Option<Type> {
    let value = match *cx.func.inst(user) {
        InstData::Load { address: at, .. } if at == address => cx.func.result(user)?,
        InstData::Store { address: at, value, .. } if at == address && value != address => value,
        _ => return None,
    };
    Some(cx.func.value_type(value))
}

/// Whether an access to `ty` can have this sum as its address.
fn fits<S: Sink<Inst>>(cx: &Cx<'_, S>, [base, offset]: [Value; 2], ty: Type) -> bool {
    let form = form(ty);
    match cx.func.int_value(offset) {
        Some(number) => (number as i32).unsigned_abs() & !form.most == 0,
        None => form.has_index && (cx.frame_object(base).is_none() || cx.frame_object(offset).is_none()),
    }
}

/// What is shifted left by a constant, and the constant.
fn scale<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> Option<(Value, u8)> {
    let &InstData::Binary { op: BinaryOp::Shl, args: [value, amount] } = cx.func.inst(inst) else {
        return None;
    };
    let amount = cx.func.int_value(amount).filter(|amount| (1..=31).contains(amount))?;
    (cx.func.value_type(value) == Type::I32 && !cx.is_constant(value)).then_some((value, amount as u8))
}

fn is_scale<S: Sink<Inst>>(cx: &Cx<'_, S>, inst: ice_ir::Inst) -> bool {
    scale(cx, inst).is_some()
}

impl Arm32 {
    /// Whether `user`, which alone uses `def`, takes it into its address.
    pub(crate) fn folds_into_address<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let Some(result) = cx.func.result(def) else { return false };
        match (addends(cx, def), accessed(cx, user, result)) {
            (Some(args), Some(ty)) => fits(cx, args, ty),
            // A shift becomes the index of an addition that is folded itself.
            (None, None) => {
                let Some(args) = addends(cx, user) else { return false };
                is_scale(cx, def)
                    && cx.func.int_value(args[1]).is_none()
                    && (args[1] == result || !cx.func.defining_inst(args[1]).is_some_and(|i| is_scale(cx, i)))
                    && self.becomes_address(cx, user, args)
            }
            _ => false,
        }
    }

    /// Whether the addition `sum` of registers becomes the address of accesses that can shift one of them.
    fn becomes_address<S: Sink<Inst>>(self, cx: &Cx<'_, S>, sum: ice_ir::Inst, args: [Value; 2]) -> bool {
        let Some(result) = cx.func.result(sum) else { return false };
        cx.uses.is_only_address(result)
            && cx.uses.count(result) <= 2
            && cx
                .uses
                .last_user(result)
                .and_then(|user| accessed(cx, user, result))
                .is_some_and(|ty| load_op(ty).has_shift() && fits(cx, args, ty))
    }

    /// Whether all users of `def`, which are loads and stores, take it into their addresses: a constant that
    /// every access can have, or two registers for what is mostly the load and the store of one place. Or all users
    /// are parts of one shuffle.
    pub(crate) fn folds_into_addresses<S: Sink<Inst>>(self, cx: &Cx<'_, S>, def: ice_ir::Inst) -> bool {
        if let InstData::ExtractElement { .. } = cx.func.inst(def) {
            return is_lane_of_shuffle(cx.func, cx.uses, def, |_| true);
        }
        addends(cx, def).is_some_and(|args| match cx.func.int_value(args[1]) {
            Some(number) => (number as i32).unsigned_abs() <= NEAR,
            None => self.becomes_address(cx, def, args),
        })
    }

    /// The memory operand for the address `value` of an access to `ty`.
    pub(crate) fn address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, ty: Type) -> Amode {
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
            Some((index, shift)) if load_op(ty).has_shift() => (self.reg(cx, index), shift),
            _ => (self.reg(cx, b), 0),
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
            && let Some(base) = cx.held(Constant::Value(value))
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

//! Address modes: which additions disappear into a memory operand, and the operand they make.
//!
//! An addition with a single use as the address of a load or store of its block is folded where the access has
//! the form: a constant in reach of the instruction, or a register (of words and bytes also shifted to the
//! left). Registers are 32 bits wide, as addresses are, so that every fold is exact.

use crate::inst::{Amode, Base, Inst, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Shift, Transfer};
use ice_ir::mach::Sink;
use ice_ir::{BinaryOp, InstData, Symbol, Type, Value, ValueDef};
use ice_passes::Constant;

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

impl Arm32 {
    /// Whether `user` takes `def`, an addition, into its address.
    pub(crate) fn folds_into_address<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let &InstData::Binary { op: BinaryOp::Add, args: [base, offset] } = cx.func.inst(def) else {
            return false;
        };
        let Some(result) = cx.func.result(def) else { return false };
        if cx.func.value_type(result) != Type::I32 {
            return false;
        }
        let accessed = match *cx.func.inst(user) {
            InstData::Load { address, .. } if address == result => cx.func.result(user),
            InstData::Store { address, value, .. } if address == result && value != result => Some(value),
            _ => None,
        };
        let Some(accessed) = accessed else { return false };
        let form = form(cx.func.value_type(accessed));
        match cx.func.int_value(offset) {
            Some(number) => (number as i32).unsigned_abs() & !form.most == 0,
            None => form.has_index && cx.frame_object(base).is_none() && cx.frame_object(offset).is_none(),
        }
    }

    /// The memory operand for the address `value` of an access to `ty`.
    pub(crate) fn address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value, ty: Type) -> Amode {
        if let Some(object) = cx.frame_object(value) {
            return Amode::new(Base::Object(object), 0);
        }
        let Some(inst) = cx.folded(value) else {
            return Amode::new(Base::Reg(self.reg(cx, value)), 0);
        };
        let &InstData::Binary { op: BinaryOp::Add, args: [a, b] } = cx.func.inst(inst) else {
            return Amode::new(Base::Reg(self.reg(cx, value)), 0);
        };
        if let Some(number) = cx.func.int_value(b) {
            return self.address_plus(cx, a, number as i32);
        }
        // A term that is a shift becomes the index.
        let [a, b] = if cx.folded(a).is_some() && cx.folded(b).is_none() { [b, a] } else { [a, b] };
        let index = match self.folded_shift(cx, b) {
            Some(Src::Shift(index, Shift::Lsl, shift)) if load_op(ty).has_shift() => (index, shift),
            Some(src) => {
                let index = self.temp(cx);
                self.mov(cx, index, src);
                (index, 0)
            }
            None => (self.reg(cx, b), 0),
        };
        Amode { base: Base::Reg(self.reg(cx, a)), index: Some(index), disp: 0 }
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

//! Variadic functions: the area of saved register arguments, `va_start`, and calls in place of returns, which get what
//! was saved.
//!
//! The prologue stores the registers that carry no parameter: x0 to x7 in 8 bytes each, then v0 to v7 in 16. A list is
//! `struct { void *stack, *gr_top, *vr_top; int gr_offs, vr_offs; }`, whose offsets are negative, from the ends of the two
//! areas (AAPCS64, 2023Q3, 10.1.5 and appendix B).

use crate::abi::ARGS;
use crate::inst::{Amode, Base, Inst, Src};
use crate::regs::{GPR, QUAD, v, x};
use crate::target::{Aarch64, Cx};
use arrayvec::ArrayVec;
use ice_asm::aarch64::{FloatWidth, Transfer, Width};
use ice_codegen::mach::{Operand, Sink, VReg};
use ice_codegen::return_call::PlaceArguments as _;
use ice_codegen::words::{CallOperands, CallRules as _};
use ice_ir::native::Arity;
use ice_ir::{Type, Value};

/// Bytes of the general registers in the area, and of all of it.
const GENERAL_BYTES: u32 = 8 * ARGS as u32;
const AREA: u32 = GENERAL_BYTES + 16 * ARGS as u32;

/// What the prologue of a variadic function saves: numbers of registers, and contents.
pub struct SavedArguments {
    words: ArrayVec<(u8, VReg), 8>,
    vectors: ArrayVec<(u8, VReg), 8>,
}

impl Aarch64 {
    /// Takes the registers that carry no parameter of a variadic function.
    pub(super) fn variable_arguments<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        operands: &mut CallOperands,
    ) -> Option<SavedArguments> {
        if cx.module.signature(cx.func.id).arity != Arity::Variadic {
            return None;
        }
        let places = self.places_of_variables(cx);
        let words = (places.words..ARGS).map(|n| (n, self.address_temp(cx))).collect();
        let vectors = (places.vectors..ARGS).map(|n| (n, cx.temp(Type::V4I32).lo())).collect();
        let saved = SavedArguments { words, vectors };
        operands.extend(saved.words.iter().map(|&(n, reg)| Operand::def_fixed(reg, GPR, x(n))));
        operands.extend(saved.vectors.iter().map(|&(n, reg)| Operand::def_fixed(reg, QUAD, v(n))));
        Some(saved)
    }

    /// Stores them.
    pub(super) fn save_arguments<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, saved: &SavedArguments) {
        let object = cx.sink.frame().add_object(AREA, 4);
        cx.sink.frame().saved_arguments = Some(object);
        let area = Amode::new(Base::Object(object), 0);
        for &(n, src) in &saved.words {
            let mem = area.offset(8 * i32::from(n));
            cx.sink.push(Inst::Store { op: Transfer::StrX, src: Src::Reg(src), mem });
        }
        for &(n, src) in &saved.vectors {
            let mem = area.offset(GENERAL_BYTES as i32 + 16 * i32::from(n));
            cx.sink.push(Inst::StoreFloat { width: FloatWidth::Q, src, mem });
        }
    }

    /// Uses of the registers that carried no parameter, with what was stored.
    pub(super) fn saved_again<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, operands: &mut CallOperands) {
        let places = self.places_of_variables(cx);
        let Some(object) = cx.sink.frame().saved_arguments else {
            return cx.fault("a function without variable arguments hands them on");
        };
        let area = Amode::new(Base::Object(object), 0);
        for n in places.words..ARGS {
            let (dst, mem) = (self.address_temp(cx), area.offset(8 * i32::from(n)));
            cx.sink.push(Inst::Load { op: Transfer::LdrX, dst, mem });
            operands.push(Operand::use_fixed(dst, GPR, x(n)));
        }
        for n in places.vectors..ARGS {
            let mem = area.offset(GENERAL_BYTES as i32 + 16 * i32::from(n));
            let dst = cx.temp(Type::V4I32).lo();
            cx.sink.push(Inst::LoadFloat { width: FloatWidth::Q, dst, mem });
            operands.push(Operand::use_fixed(dst, QUAD, v(n)));
        }
    }

    /// Makes the list begin with the first variadic argument.
    pub(super) fn start_variadic<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, list: Value) {
        let places = self.places_of_variables(cx);
        let Some(object) = cx.sink.frame().saved_arguments else {
            return cx.fault("a function without variable arguments lists them");
        };
        let list = self.address(cx, list);
        let addresses = [
            Amode::new(Base::Incoming, places.stack_area().bytes().next_multiple_of(8) as i32),
            Amode::new(Base::Object(object), GENERAL_BYTES as i32),
            Amode::new(Base::Object(object), AREA as i32),
        ];
        for (mem, at) in addresses.into_iter().zip((0..).step_by(8)) {
            let dst = self.address_temp(cx);
            cx.sink.push(Inst::Lea { dst, mem });
            cx.sink.push(Inst::Store { op: Transfer::StrX, src: Src::Reg(dst), mem: list.offset(at) });
        }
        let left = [8 * i32::from(ARGS - places.words), 16 * i32::from(ARGS - places.vectors)];
        for (left, at) in left.into_iter().zip([24, 28]) {
            let (width, dst) = (Width::W, self.wide_temp(cx, Width::W));
            cx.sink.push(Inst::MovImm { width, dst, imm: u64::from((-left) as u32) });
            cx.sink.push(Inst::Store { op: Transfer::StrW, src: Src::Reg(dst), mem: list.offset(at) });
        }
    }
}

//! Variadic functions: the area of saved register arguments, `va_start`, and calls in place of returns, which get what
//! was saved.
//!
//! On x86-64 the prologue stores the argument registers that carry no parameter where the AMD64 supplement
//! (section 3.5.7) wants them: six general registers of 8 bytes, then eight vector registers of 16, the latter
//! only if al says that some carry arguments. On x86-32 all variadic arguments are on the stack. Functions of Windows store
//! their four general registers to the places that callers leave for them below the stack arguments, so that all arguments
//! are words one after another, and a list is the address of the next one.

use super::call::Operands;
use crate::abi::unused_int_args;
use crate::emit::SAVED_VECTORS;
use crate::inst::{Amode, Base, Inst};
use crate::regs::{GPR, RAX, XMM, xmm};
use crate::target::{Cx, X86};
use arrayvec::ArrayVec;
use ice_asm::x86::{Mode, Width};
use ice_codegen::mach::{Operand, Sink, VReg};
use ice_ir::native::{Arity, CallingConvention};
use ice_ir::{Signature, Type, Value};

/// Bytes of the area.
const AREA: u32 = SAVED_VECTORS as u32 + 8 * 16;

/// What the prologue of a variadic function saves.
pub(super) struct SavedArguments {
    /// Number among the argument registers, and contents.
    ints: ArrayVec<(u32, VReg), 6>,
    first_vector: u8,
    /// Vector registers and al, as they come.
    vectors: ArrayVec<Operand, 9>,
    convention: CallingConvention,
}

impl X86 {
    /// Takes the registers that carry no parameter; `incoming` are the operands that define arguments.
    pub(super) fn saved_arguments<S: Sink<Inst>, const N: usize>(
        self,
        cx: &mut Cx<'_, S>,
        signature: &Signature,
        incoming: &mut ArrayVec<Operand, N>,
    ) -> SavedArguments {
        let places = self.parameter_places(signature);
        let first_vector = places.vectors;
        let convention = signature.convention;
        let mut saved =
            SavedArguments { ints: ArrayVec::new(), first_vector, vectors: ArrayVec::new(), convention };
        for (n, reg) in unused_int_args(&places) {
            let word = self.temp(cx, Type::I64);
            incoming.push(Operand::def_fixed(word, GPR, reg));
            saved.ints.push((n, word));
        }
        if convention == CallingConvention::Win64 {
            return saved;
        }
        let count = self.temp(cx, Type::I64);
        incoming.push(Operand::def_fixed(count, GPR, RAX));
        saved.vectors.push(Operand::use_fixed(count, GPR, RAX));
        for n in first_vector..8 {
            let vector = self.temp(cx, Type::V4I32);
            incoming.push(Operand::def_fixed(vector, XMM, xmm(n)));
            saved.vectors.push(Operand::use_fixed(vector, XMM, xmm(n)));
        }
        saved
    }

    /// Stores them.
    pub(super) fn save_arguments<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, saved: &SavedArguments) {
        let base = match saved.convention {
            CallingConvention::Win64 => Base::Incoming,
            _ => {
                let object = cx.sink.frame().add_object(AREA, 4);
                cx.sink.frame().saved_arguments = Some(object);
                let first = saved.first_vector;
                cx.sink.push_with(Inst::SaveVectors { object, first }, &saved.vectors);
                Base::Object(object)
            }
        };
        for &(n, src) in &saved.ints {
            let mem = Amode::new(base, 8 * n as i32);
            cx.sink.push(Inst::Store { width: Width::B64, src, mem });
        }
    }

    /// Uses of the registers that carried no parameter of a variadic function, with what was stored, and of al, which has
    /// to be at least the number of vectors.
    pub(super) fn saved_again<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, operands: &mut Operands) {
        if self.mode == Mode::Bits32 {
            return;
        }
        let signature = cx.module.signature(cx.func.id);
        let places = self.parameter_places(signature);
        let is_windows = signature.convention == CallingConvention::Win64;
        let base = match cx.sink.frame().saved_arguments {
            _ if is_windows => Base::Incoming,
            Some(object) => Base::Object(object),
            None => return cx.fault("a function without variable arguments hands them on"),
        };
        for (n, reg) in unused_int_args(&places) {
            let (dst, mem) = (self.temp(cx, Type::I64), Amode::new(base, 8 * n as i32));
            cx.sink.push(Inst::Load { width: Width::B64, dst, mem });
            operands.push(Operand::use_fixed(dst, GPR, reg));
        }
        if is_windows {
            return;
        }
        for n in places.vectors..8 {
            let mem = Amode::new(base, SAVED_VECTORS + 16 * i32::from(n));
            let dst = self.temp(cx, Type::V4I32);
            cx.sink.push(Inst::LoadXmm { size: 16, dst, mem });
            operands.push(Operand::use_fixed(dst, XMM, xmm(n)));
        }
        self.count_vectors(cx, 8, operands);
    }

    /// What a call of a function of this signature has in registers beside its arguments, if that is a variadic one.
    #[inline]
    pub(super) fn beside_arguments<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        signature: Option<&Signature>,
        vectors: u8,
        operands: &mut Operands,
    ) {
        let Some(signature) = signature.filter(|signature| signature.arity == Arity::Variadic) else {
            return;
        };
        match (self.mode, signature.convention) {
            (Mode::Bits32, _) => {}
            (Mode::Bits64, CallingConvention::Win64) => self.floats_also_as_integers(cx, operands),
            (Mode::Bits64, _) => self.count_vectors(cx, vectors, operands),
        }
    }

    /// Says in al that at most so many vector registers carry arguments.
    fn count_vectors<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, vectors: u8, operands: &mut Operands) {
        let dst = self.temp(cx, Type::I32);
        cx.sink.push(Inst::MovImm { width: Width::B32, dst, imm: vectors.into() });
        operands.push(Operand::use_fixed(dst, GPR, RAX));
    }

    /// Makes the list begin with the first variadic argument.
    pub(super) fn start_variadic<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, list: Value) {
        let signature = cx.module.signature(cx.func.id);
        let places = self.parameter_places(signature);
        let on_stack = Amode::new(Base::Incoming, places.stack.bytes() as i32);
        let list = self.address(cx, list);
        if signature.convention == CallingConvention::Win64 {
            return self.store_address(cx, Amode::new(Base::Incoming, 8 * places.ints as i32), list);
        }
        if self.mode == Mode::Bits32 {
            return self.store_address(cx, on_stack, list);
        }
        // struct { unsigned gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }
        let (ints, vectors) = (8 * places.ints as i32, SAVED_VECTORS + 16 * i32::from(places.vectors));
        cx.sink.push(Inst::StoreImm { width: Width::B32, imm: ints, mem: list });
        cx.sink.push(Inst::StoreImm { width: Width::B32, imm: vectors, mem: list.offset(4) });
        self.store_address(cx, on_stack, list.offset(8));
        if let Some(object) = cx.sink.frame().saved_arguments {
            self.store_address(cx, Amode::new(Base::Object(object), 0), list.offset(16));
        }
    }
}

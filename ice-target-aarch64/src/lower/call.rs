//! What the machine does for calls and parameters; the rules are those of all machines ([`ice_codegen::words`]).
//!
//! Nothing travels in parts but lanes of results, each in a vector register of its own: what is wider than a register is
//! several arguments. The address of a call in place of a return is
//! in a register that carries no argument.

use super::float_width;
use super::lanes::lane;
use crate::abi::{self, ArgumentPlace, ArgumentPlaces, Convention, is_vector};
use crate::inst::{Amode, Base, Callee, Inst, Src};
use crate::regs::{FLOAT, GPR, float, v, x};
use crate::target::{Aarch64, Cx};
use core::ops::Range;
use ice_asm::aarch64::{Alu, Transfer, Width};
use ice_codegen::mach::{RegClass, Sink, VReg};
use ice_codegen::rules::Destination;
use ice_codegen::words::{ArgumentWords, CallInst, CallOperands, CallRules, InvokeRules, InvokeTargets};
use ice_codegen::{CodeSymbol, Libcall, Operands as _, ValueRegs};
use ice_ir::native::CallingConvention;
use ice_ir::{Results, Signature, Type, Value};
use ice_regalloc::PReg;

impl CallRules for Aarch64 {
    type Convention = Convention;
    type Places = ArgumentPlaces;
    type Callee = Callee;
    type Implicit = Option<super::variadic::SavedArguments>;

    const GENERAL: RegClass = GPR;
    const FIRST_ARG: u8 = 0;
    const FIRST_RESULT: u8 = 0;
    const RETURNS_ADDRESS: bool = false;

    fn callee<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, to: Destination) -> Callee {
        match to {
            Destination::Function(callee) | Destination::Retyped(callee) => {
                Callee::Symbol(CodeSymbol::Function(callee).pack())
            }
            Destination::Address(address) => Callee::Value(self.reg(cx, address)),
        }
    }

    fn convention(self, signature: Option<&Signature>) -> Convention {
        match signature {
            Some(Signature { convention: CallingConvention::PreserveNone, .. }) => Convention::PreserveNone,
            Some(Signature { results: Results::Lanes, .. }) => Convention::Lanes,
            _ => Convention::Standard,
        }
    }

    fn preserved(convention: Convention) -> CallingConvention {
        match convention {
            Convention::PreserveNone => CallingConvention::PreserveNone,
            Convention::Standard | Convention::Lanes => CallingConvention::Standard,
        }
    }

    fn places(convention: Convention, _: [Type; 2]) -> ArgumentPlaces {
        ArgumentPlaces::new(convention)
    }

    fn result_places(convention: Convention, types: [Type; 2]) -> Option<[Option<ArgumentPlace>; 2]> {
        Some(abi::result_places(convention, types))
    }

    fn cleans_booleans(self) -> bool {
        self.is_native()
    }

    fn general(number: u8) -> PReg {
        x(number)
    }

    fn class(ty: Type) -> RegClass {
        if is_vector(ty) { float(float_width(ty)) } else { GPR }
    }

    /// The lanes.
    fn words_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, ty: Type) -> ArgumentWords {
        (0..ty.lanes() as u8)
            .map(|index| {
                let dst = self.part_temp(cx, ty);
                cx.sink.push(Inst::LaneToFloat { lane: lane(ty), index, dst, src });
                dst
            })
            .collect()
    }

    fn value_of_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, words: &[VReg], dst: VReg) {
        let Some((&first, others)) = words.split_first() else { return cx.fault("a vector has no lanes") };
        cx.sink.push(Inst::FirstFloat { width: float_width(ty.element()), dst, src: first });
        for (&src, index) in others.iter().zip(1..) {
            cx.sink.push(Inst::InsertFloat { lane: lane(ty), index, dst, src });
        }
    }

    fn part(_: Type, number: u8) -> (RegClass, PReg) {
        (FLOAT, v(number))
    }

    fn part_temp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type) -> VReg {
        cx.temp(ty.element()).lo()
    }

    fn call_inst(inst: CallInst<Callee>) -> Inst {
        match inst {
            CallInst::Params => Inst::Params,
            CallInst::Call(callee, CallingConvention::PreserveNone) => Inst::CallPreserveNone { callee },
            CallInst::Call(callee, _) => Inst::Call { callee },
            CallInst::Return => Inst::Ret,
            CallInst::ReturnCall(callee, Range { start: from, end: to }, scratch) => {
                Inst::ReturnCall { callee, from, to, scratch }
            }
            CallInst::Scratch(dst) => Inst::Scratch { dst },
        }
    }

    fn incoming(offset: u32) -> Amode {
        Amode::new(Base::Incoming, offset as i32)
    }

    fn outgoing(offset: u32) -> Amode {
        Amode::new(Base::Outgoing, offset as i32)
    }

    fn home<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, _: u8) -> Amode {
        cx.fault("a register that carries an argument is at home in memory");
        Self::incoming(0)
    }

    fn object(number: u32) -> Amode {
        Amode::new(Base::Object(number), 0)
    }

    fn at(address: VReg) -> Amode {
        Amode::new(Base::Reg(address), 0)
    }

    fn load_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, mem: Amode) {
        cx.sink.push(Inst::Load { op: Transfer::LdrX, dst, mem });
    }

    fn store_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, mem: Amode) {
        cx.sink.push(Inst::Store { op: Transfer::StrX, src: Src::Reg(src), mem });
    }

    fn load_param<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, param: Value) {
        self.load_from(cx, mem, param);
    }

    fn store_arg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, arg: Value) {
        let ty = cx.func.value_type(arg);
        if is_vector(ty) || ty == Type::I64 {
            return self.store_to(cx, mem, arg);
        }
        // The bits above a narrow argument are anything.
        let src = self.src(cx, arg);
        cx.sink.push(Inst::Store { op: Transfer::StrW, src, mem });
    }

    fn load_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, mem: Amode) {
        cx.sink.push(Inst::Lea { dst, mem });
    }

    fn helper<S: Sink<Inst>>(self, _: &mut Cx<'_, S>, helper: Libcall) -> (Callee, Convention) {
        let helper = if self.is_native() { helper.of_libgcc() } else { helper };
        (Callee::Symbol(CodeSymbol::Libcall(helper).pack()), Convention::Standard)
    }

    /// Of each lane of a vector of booleans only the lowest bit counts, too.
    fn clean_boolean<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, regs: ValueRegs, ty: Type) {
        let reg = regs.lo();
        match ty {
            _ if !self.is_native() => {}
            Type::I1 => self.alu_number(cx, (Alu::And, Width::W), reg, reg, 1),
            _ if ty.is_bool_or_bool_vector() => self.low_bits_to_mask(cx, ty, reg),
            _ => {}
        }
    }

    fn implicit_params<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        operands: &mut CallOperands,
    ) -> Self::Implicit {
        self.variable_arguments(cx, operands)
    }

    fn variables_again<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, operands: &mut CallOperands) {
        self.saved_again(cx, operands);
    }

    fn enter<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, implicit: Self::Implicit) {
        if let Some(saved) = implicit {
            self.save_arguments(cx, &saved);
        }
    }
}

/// The unwinder puts both words where the first two arguments are (GCC's `EH_RETURN_DATA_REGNO`).
impl InvokeRules for Aarch64 {
    const PAD: [u8; 2] = [0, 1];

    fn invoke_inst(callee: Callee, InvokeTargets { normal, pad, clauses }: InvokeTargets) -> Inst {
        Inst::Invoke { callee, normal, pad, clauses }
    }
}

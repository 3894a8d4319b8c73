//! What the machine does for calls and parameters; the rules are those of all machines ([`ice_codegen::words`]).
//!
//! Every function of o32 has a home for four words, so that only what is behind it can lack room in a call in place of a return.
//! An address is in $t9, where position-independent code of the callee looks for its own; the linker's table is in $gp.

use super::float_width;
use crate::abi::{self, ArgumentPlace, ArgumentPlaces, Convention, FIRST_ARG};
use crate::inst::{Amode, Base, Callee, Inst, Src};
use crate::regs::{GPR, float, r};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::Transfer;
use ice_codegen::mach::{RegClass, Sink, VReg};
use ice_codegen::rules::Destination;
use ice_codegen::words::{
    ArgumentWords, CallInst, CallOperands, CallRules, InvokeRules, InvokeTargets, PlaceWords as _,
};
use ice_codegen::{CodeSymbol, Libcall, Operands as _, Words as _};
use ice_ir::native::{Arity, CallingConvention, Passing};
use ice_ir::{Signature, Type, Value};
use ice_regalloc::PReg;

impl CallRules for Mips32 {
    type Convention = Convention;
    type Places = ArgumentPlaces;
    type Callee = (Callee, Option<VReg>);
    type Implicit = Option<[VReg; 2]>;

    const GENERAL: RegClass = GPR;
    const FIRST_ARG: u8 = FIRST_ARG;
    const FIRST_RESULT: u8 = abi::FIRST_RESULT;
    const RETURNS_ADDRESS: bool = true;

    fn convention(self, signature: Option<&Signature>) -> Convention {
        match signature {
            Some(Signature { convention: CallingConvention::PreserveNone, .. }) => Convention::PreserveNone,
            Some(Signature { arity: Arity::Variadic, .. }) => Convention::Variadic,
            _ => Convention::Fixed,
        }
    }

    fn preserved(convention: Convention) -> CallingConvention {
        match convention {
            Convention::PreserveNone => CallingConvention::PreserveNone,
            Convention::Fixed | Convention::Variadic => CallingConvention::Standard,
        }
    }

    fn places(convention: Convention, results: [Type; 2]) -> ArgumentPlaces {
        let mut places = ArgumentPlaces::new(convention);
        // Where nothing is preserved, $a0 carries nothing else.
        if Self::has_hidden_result(results) && convention != Convention::PreserveNone {
            places.next(Type::I32, Passing::Plain);
        }
        places
    }

    fn result_places(_: Convention, types: [Type; 2]) -> Option<[Option<ArgumentPlace>; 2]> {
        abi::result_places(types)
    }

    fn has_hidden_result(types: [Type; 2]) -> bool {
        types[0] == Type::V4F32
    }

    fn cleans_booleans(self) -> bool {
        self.is_native()
    }

    fn general(number: u8) -> PReg {
        r(number)
    }

    fn class(ty: Type) -> RegClass {
        if ty.is_scalar_float() { float(float_width(ty)) } else { GPR }
    }

    fn words_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, ty: Type) -> ArgumentWords {
        let lo = self.temp(cx);
        if ty == Type::F32 {
            cx.sink.push(Inst::SingleToWord { dst: lo, src });
            return [lo].into_iter().collect();
        }
        let hi = self.temp(cx);
        cx.sink.push(Inst::DoubleToPair { lo, hi, src });
        [lo, hi].into_iter().collect()
    }

    fn value_of_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, _: Type, words: &[VReg], dst: VReg) {
        match *words {
            [src] => cx.sink.push(Inst::WordToSingle { dst, src: src.into() }),
            [lo, hi] => cx.sink.push(Inst::PairToDouble { dst, lo: lo.into(), hi: hi.into() }),
            _ => cx.fault("a floating-point number is neither one word nor two"),
        }
    }

    fn incoming(offset: u32) -> Amode {
        Amode::new(Base::Incoming, offset as i32)
    }

    fn outgoing(offset: u32) -> Amode {
        Amode::new(Base::Outgoing, offset as i32)
    }

    fn home<S: Sink<Inst>>(self, _: &mut Cx<'_, S>, register: u8) -> Amode {
        Self::incoming(4 * u32::from(register - FIRST_ARG))
    }

    fn object(number: u32) -> Amode {
        Amode::new(Base::Object(number), 0)
    }

    fn at(address: VReg) -> Amode {
        Amode::new(Base::Reg(address), 0)
    }

    fn load_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, mem: Amode) {
        cx.sink.push(Inst::Load { op: Transfer::Lw, dst, mem });
    }

    fn store_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, mem: Amode) {
        cx.sink.push(Inst::Store { op: Transfer::Sw, src: Src::Reg(src), mem });
    }

    fn load_param<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, param: Value) {
        self.load_from(cx, mem, 3, param);
    }

    fn store_arg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, arg: Value) {
        self.store_to(cx, mem, 3, arg);
    }

    fn load_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, mem: Amode) {
        cx.sink.push(Inst::Lea { dst, mem });
    }

    fn call_inst(inst: CallInst<Self::Callee>) -> Inst {
        match inst {
            CallInst::Params => Inst::Params,
            CallInst::Call((callee, base), CallingConvention::PreserveNone) => {
                Inst::CallPreserveNone { callee, base }
            }
            CallInst::Call((callee, base), _) => Inst::Call { callee, base },
            CallInst::Return => Inst::Ret,
            CallInst::ReturnCall((callee, base), moved, scratch) => {
                Inst::ReturnCall { callee, base, from: moved.start, to: moved.end, scratch }
            }
            CallInst::Scratch(dst) => Inst::Scratch { dst },
        }
    }

    fn callee<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, to: Destination) -> Self::Callee {
        match to {
            Destination::Function(callee) | Destination::Retyped(callee) => {
                self.known_callee(cx, CodeSymbol::Function(callee))
            }
            Destination::Address(address) => (Callee::Value(self.reg(cx, address)), self.table_if_needed(cx)),
        }
    }

    fn helper<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, helper: Libcall) -> (Self::Callee, Convention) {
        let helper = if self.is_native() { helper.of_libgcc() } else { helper };
        (self.known_callee(cx, CodeSymbol::Libcall(helper)), Convention::Fixed)
    }

    fn implicit_params<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        operands: &mut CallOperands,
    ) -> Option<[VReg; 2]> {
        self.table_arguments(cx, operands)
    }

    fn enter<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, implicit: Option<[VReg; 2]>) {
        self.make_global_base(cx, implicit);
    }
}

/// The unwinder puts both words where the first two arguments are (GCC's `EH_RETURN_DATA_REGNO`).
impl InvokeRules for Mips32 {
    const PAD: [u8; 2] = [FIRST_ARG, FIRST_ARG + 1];

    fn invoke_inst((callee, base): Self::Callee, targets: InvokeTargets) -> Inst {
        let InvokeTargets { normal, pad, clauses } = targets;
        Inst::Invoke { callee, base, normal, pad, clauses }
    }
}

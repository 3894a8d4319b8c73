//! What the machine does for calls and parameters; the rules are those of all machines ([`ice_codegen::words`]).
//!
//! Core registers that carry variable arguments, and objects, are at home right below the stack arguments, so that these
//! lie in memory one after another (AAPCS, IHI 0042F, 7.1.4). The address of a call in place of a return is copied to r12,
//! which carries no argument, when the function is left.

use super::float_size;
use crate::abi::{self, ArgumentPlace, ArgumentPlaces, CORE_ARGS, Convention, is_extension};
use crate::inst::{Amode, Base, Callee, FloatSize, Inst};
use crate::regs::{GPR, r};
use crate::target::{Arm32, Cx, FloatAbi};
use ice_asm::arm32::{Lane, Sign, Transfer};
use ice_codegen::mach::{RegClass, Sink, VReg};
use ice_codegen::rules::Destination;
use ice_codegen::words::{ArgumentWords, CallInst, CallOperands, CallRules, InvokeRules, InvokeTargets};
use ice_codegen::{CodeSymbol, Libcall, Operands as _, Words as _};
use ice_ir::native::{Arity, CallingConvention};
use ice_ir::{Signature, Type, Value};
use ice_regalloc::PReg;

/// The helper that a native module finds: those of the run-time ABI.
fn of_run_time_abi(helper: Libcall) -> Libcall {
    match helper {
        Libcall::F32ToI64 => Libcall::AeabiF2lz,
        Libcall::F64ToI64 => Libcall::AeabiD2lz,
        Libcall::F32ToU64 => Libcall::AeabiF2ulz,
        Libcall::F64ToU64 => Libcall::AeabiD2ulz,
        Libcall::I64ToF32 => Libcall::AeabiL2f,
        Libcall::I64ToF64 => Libcall::AeabiL2d,
        Libcall::U64ToF32 => Libcall::AeabiUl2f,
        Libcall::U64ToF64 => Libcall::AeabiUl2d,
        other => other,
    }
}

impl CallRules for Arm32 {
    type Convention = Convention;
    type Places = ArgumentPlaces;
    type Callee = Callee;
    type Implicit = ();

    const GENERAL: RegClass = GPR;
    const FIRST_ARG: u8 = 0;
    const FIRST_RESULT: u8 = 0;
    const RETURNS_ADDRESS: bool = false;

    fn convention(self, signature: Option<&Signature>) -> Convention {
        match (self.floats, signature) {
            (_, Some(Signature { convention: CallingConvention::PreserveNone, .. })) => {
                Convention::PreserveNone
            }
            (FloatAbi::Soft, _) | (_, Some(Signature { arity: Arity::Variadic, .. })) => Convention::Base,
            _ => Convention::Vfp,
        }
    }

    fn preserved(convention: Convention) -> CallingConvention {
        match convention {
            Convention::PreserveNone => CallingConvention::PreserveNone,
            Convention::Vfp | Convention::Base => CallingConvention::Standard,
        }
    }

    fn places(convention: Convention, _: [Type; 2]) -> ArgumentPlaces {
        ArgumentPlaces::new(convention)
    }

    fn result_places(convention: Convention, types: [Type; 2]) -> Option<[Option<ArgumentPlace>; 2]> {
        abi::result_places(convention, types)
    }

    fn cleans_booleans(self) -> bool {
        self.is_native()
    }

    fn general(number: u8) -> PReg {
        r(number)
    }

    fn class(ty: Type) -> RegClass {
        if is_extension(ty) { float_size(ty).class() } else { GPR }
    }

    fn words_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, ty: Type) -> ArgumentWords {
        let words: ArgumentWords = (0..ty.bytes() / 4).map(|_| self.temp(cx)).collect();
        match (ty, &words[..]) {
            (Type::F32, &[dst]) => cx.sink.push(Inst::SingleToCore { dst, src }),
            (Type::F64, &[lo, hi]) => cx.sink.push(Inst::DoubleToPair { lo, hi, src }),
            _ => {
                for (index, &dst) in (0..).zip(&words) {
                    let (sign, lane) = (Sign::Plus, Lane::B32);
                    cx.sink.push(Inst::LaneToCore { sign, lane, index, dst, src });
                }
            }
        }
        words
    }

    fn value_of_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, words: &[VReg], dst: VReg) {
        let size = float_size(ty);
        match (size, words) {
            (FloatSize::Single, &[src, ..]) => cx.sink.push(Inst::CoreToSingle { dst, src }),
            (FloatSize::Double, &[lo, hi, ..]) => cx.sink.push(Inst::PairToDouble { dst, lo, hi }),
            _ => {
                cx.sink.push(Inst::ZeroFloat { size, dst });
                for (index, &src) in (0..).zip(words) {
                    cx.sink.push(Inst::CoreToLane { lane: Lane::B32, index, dst, src });
                }
            }
        }
    }

    fn incoming(offset: u32) -> Amode {
        Amode::new(Base::Incoming, offset as i32)
    }

    fn outgoing(offset: u32) -> Amode {
        Amode::new(Base::Outgoing, offset as i32)
    }

    fn home<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, register: u8) -> Amode {
        let bytes = 4 * u32::from(CORE_ARGS - register);
        let frame = cx.sink.frame();
        frame.register_arguments = frame.register_arguments.max(bytes);
        Amode::new(Base::Incoming, -(bytes as i32))
    }

    fn object(number: u32) -> Amode {
        Amode::new(Base::Object(number), 0)
    }

    fn at(address: VReg) -> Amode {
        Amode::new(Base::Reg(address), 0)
    }

    fn load_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, mem: Amode) {
        cx.sink.push(Inst::Load { op: Transfer::Ldr, dst, mem });
    }

    fn store_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, mem: Amode) {
        cx.sink.push(Inst::Store { op: Transfer::Str, src, mem });
    }

    fn load_param<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, param: Value) {
        self.load_from(cx, mem, param);
    }

    fn store_arg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, arg: Value) {
        // A narrow argument takes a word; the bits above it are anything.
        let ty = match cx.func.value_type(arg) {
            ty if ty.is_scalar_int() && ty != Type::I64 => Type::I32,
            ty => ty,
        };
        let regs = self.regs(cx, arg);
        for (n, src) in (0..).zip(regs.iter()) {
            self.store_part(cx, ty, src, mem.offset(4 * n));
        }
    }

    fn load_address<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, mem: Amode) {
        cx.sink.push(Inst::Lea { dst, mem });
    }

    fn call_inst(inst: CallInst<Callee>) -> Inst {
        match inst {
            CallInst::Params => Inst::Params,
            CallInst::Call(callee, CallingConvention::PreserveNone) => Inst::CallPreserveNone { callee },
            CallInst::Call(callee, _) => Inst::Call { callee },
            CallInst::Return => Inst::Ret,
            CallInst::ReturnCall(callee, moved, scratch) => {
                Inst::ReturnCall { callee, from: moved.start, to: moved.end, scratch }
            }
            CallInst::Scratch(dst) => Inst::Scratch { dst },
        }
    }

    fn callee<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, to: Destination) -> Callee {
        match to {
            Destination::Function(callee) | Destination::Retyped(callee) => {
                Callee::Symbol(CodeSymbol::Function(callee).pack())
            }
            Destination::Address(address) => Callee::Value(self.reg(cx, address)),
        }
    }

    /// The run-time ABI has floats in core registers (RTABI, IHI 0043D, 4.1.1.1).
    fn helper<S: Sink<Inst>>(self, _: &mut Cx<'_, S>, helper: Libcall) -> (Callee, Convention) {
        let helper = if self.is_native() { of_run_time_abi(helper) } else { helper };
        let convention = match helper.name().starts_with("__aeabi_") {
            true => Convention::Base,
            false => self.convention(None),
        };
        (Callee::Symbol(CodeSymbol::Libcall(helper).pack()), convention)
    }

    fn implicit_params<S: Sink<Inst>>(self, _: &mut Cx<'_, S>, _: &mut CallOperands) {}

    fn enter<S: Sink<Inst>>(self, _: &mut Cx<'_, S>, (): ()) {}
}

/// The unwinder puts both words where arguments are (GCC's `EH_RETURN_DATA_REGNO`).
impl InvokeRules for Arm32 {
    const PAD: [u8; 2] = [0, 1];

    fn invoke_inst(callee: Callee, InvokeTargets { normal, pad, clauses }: InvokeTargets) -> Inst {
        Inst::Invoke { callee, normal, pad, clauses }
    }
}

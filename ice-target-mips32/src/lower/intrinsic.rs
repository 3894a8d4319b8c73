//! Intrinsics other than atomics.

use crate::inst::{Amode, Base, Inst, Src};
use crate::target::{Cx, Mips32};
use arrayvec::ArrayVec;
use ice_asm::mips32::{Float2, Transfer};
use ice_codegen::mach::Sink;
use ice_codegen::words::{BitRules as _, MemoryRules as _, ParamRules as _, WordVectors as _};
use ice_codegen::{ErrorKind, Libcall, Operands as _, Words as _};
use ice_ir::{Intrinsic, Type, Value, ValueDef};

impl Mips32 {
    /// Lowers a call of an intrinsic.
    #[inline(never)]
    pub(crate) fn intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        op: Intrinsic,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        let result = cx.func.result(inst);
        let ty = result.map_or(Type::Void, |value| cx.func.value_type(value));
        match (op, result) {
            (
                Intrinsic::AtomicCmpxchg
                | Intrinsic::AtomicFence
                | Intrinsic::AtomicFenceAll
                | Intrinsic::AtomicIsLockFree
                | Intrinsic::AtomicLoad
                | Intrinsic::AtomicRmw
                | Intrinsic::AtomicStore,
                _,
            ) => return self.atomic(cx, inst, op, args),
            (Intrinsic::Bswap | Intrinsic::Ctlz | Intrinsic::Cttz | Intrinsic::Ctpop, Some(result)) => {
                self.bit_intrinsic(cx, op, args[0], result);
            }
            (Intrinsic::Fabs, Some(result)) if ty.is_vector() => self.vector_fabs(cx, args[0], result),
            (Intrinsic::Fabs | Intrinsic::Fneg, Some(result)) => self.change_sign(cx, op, args[0], result),
            (Intrinsic::Sqrt, Some(result)) if ty.is_scalar_float() => {
                let src = self.reg(cx, args[0]);
                let (op, width, dst) = (Float2::Sqrt, super::float_width(ty), cx.regs(result).lo());
                cx.sink.push(Inst::Float2 { op, width, dst, src });
            }
            (Intrinsic::Memcpy | Intrinsic::Memmove, _) => self.copy_memory(cx, op, args),
            (Intrinsic::Memset, _) => self.fill_memory(cx, args),
            (Intrinsic::Trap, _) => cx.sink.push(Inst::Trap),
            (Intrinsic::Stacksave, Some(result)) => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::StackSave { dst });
            }
            (Intrinsic::Stackrestore, _) => {
                let src = self.reg(cx, args[0]);
                cx.sink.push(Inst::StackRestore { src });
            }
            (Intrinsic::VaStart, _) => self.start_variadic(cx, args[0]),
            _ => return self.program_intrinsic(cx, op, args, result),
        }
        Ok(())
    }

    /// Intrinsics that ask the program or its system.
    fn program_intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        args: &[Value],
        result: Option<Value>,
    ) -> Result<(), ErrorKind> {
        let unsupported = |what| Err(ErrorKind::Unsupported(what));
        let to = result.map(|value| (cx.regs(value), cx.func.value_type(value)));
        match (op, to) {
            (Intrinsic::ReadTp, Some((dst, _))) if self.is_native() || self.is_confined() => {
                let src = self.thread_pointer(cx);
                cx.sink.push(Inst::Mov { dst: dst.lo(), src });
            }
            (Intrinsic::ReadTp, _) => self.libcall(cx, Libcall::ReadTp, &[], to),
            (Intrinsic::Setjmp | Intrinsic::Longjmp, _) if self.is_native() => {
                return unsupported(
                    "the intrinsics setjmp and longjmp in native code; call the functions of the C library",
                );
            }
            (Intrinsic::Setjmp | Intrinsic::Longjmp, _) => {
                let helper = if op == Intrinsic::Setjmp { Libcall::Setjmp } else { Libcall::Longjmp };
                let args: ArrayVec<_, 2> =
                    args.iter().take(2).map(|&arg| (self.regs(cx, arg), Type::I32)).collect();
                self.libcall(cx, helper, &args, to);
            }
            (Intrinsic::ThreadLocalAddress, Some((dst, _))) => match cx.func.value_def(args[0]) {
                ValueDef::Global(global) => self.thread_local_address(cx, global, dst.lo()),
                _ => return unsupported("the address of a thread-local variable that varies"),
            },
            (Intrinsic::FrameAddress | Intrinsic::ReturnAddress, Some((dst, _))) => {
                if cx.func.int_value(args[0]) != Some(0) {
                    // Nothing links the frames of o32.
                    return unsupported("the address of the frame of a caller");
                }
                let (dst, mem) = (dst.lo(), Amode::new(Base::Saved, 0));
                cx.sink.push(match op {
                    Intrinsic::ReturnAddress => Inst::Load { op: Transfer::Lw, dst, mem },
                    _ => Inst::Lea { dst, mem: Amode::new(Base::Incoming, 0) },
                });
            }
            _ => return unsupported("this intrinsic"),
        }
        Ok(())
    }

    /// Makes the list begin with the first variadic argument: those in registers are stored to their home when the
    /// function begins, so that all lie in memory one after another, and a list of them is one address.
    fn start_variadic<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, list: Value) {
        let (mem, src) = (self.first_variadic(cx), self.temp(cx));
        cx.sink.push(Inst::Lea { dst: src, mem });
        let align = self.known_align(cx, list);
        let mem = self.address(cx, list);
        self.store_part(cx, Src::Reg(src), mem, align);
    }
}

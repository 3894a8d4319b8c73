//! Intrinsics other than atomics.

use super::{float_width, width};
use crate::inst::{Amode, Base, Inst};
use crate::target::{Aarch64, Cx};
use arrayvec::ArrayVec;
use ice_asm::aarch64::{Float2, Float4, MultiplyHigh, One, Transfer, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::words::MemoryRules as _;
use ice_codegen::{ErrorKind, Libcall, Operands as _, Words as _};
use ice_ir::{Intrinsic, Type, Value, ValueDef};

/// The instruction of a scalar intrinsic on one floating-point number.
fn float2(op: Intrinsic) -> Option<Float2> {
    Some(match op {
        Intrinsic::Fabs => Float2::Fabs,
        Intrinsic::Fneg => Float2::Fneg,
        Intrinsic::Sqrt => Float2::Fsqrt,
        _ => return None,
    })
}

impl Aarch64 {
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
            (Intrinsic::Bswap | Intrinsic::Bitreverse | Intrinsic::Ctlz | Intrinsic::Cttz, Some(result)) => {
                self.bits_of(cx, op, args[0], result);
            }
            (Intrinsic::Ctpop, Some(result)) => self.count_ones(cx, args[0], result),
            _ if ty.is_vector() => return self.vector_intrinsic(cx, op, args, result),
            (Intrinsic::Fabs | Intrinsic::Fneg | Intrinsic::Sqrt, Some(result)) => match float2(op) {
                Some(op) => self.float_unary(cx, op, args[0], result),
                None => return Err(ErrorKind::Unsupported("this intrinsic")),
            },
            (Intrinsic::Fma, Some(result)) => {
                let [lhs, rhs, acc] = [0, 1, 2].map(|n| self.reg(cx, args[n]));
                let (width, dst) = (float_width(ty), cx.regs(result).lo());
                cx.sink.push(Inst::Float4 { op: Float4::Fmadd, width, dst, lhs, rhs, acc });
            }
            (Intrinsic::MulHigh, Some(result)) => {
                let [lhs, rhs] = [0, 1].map(|n| self.reg(cx, args[n]));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MultiplyHigh { op: MultiplyHigh::Umulh, dst, lhs, rhs });
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

    /// The order of bytes, and zeros at either end.
    fn bits_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, arg: Value, result: Value) {
        let ty = cx.func.value_type(result);
        let (src, dst, width) = (self.reg(cx, arg), cx.regs(result).lo(), width(ty));
        match (op, ty) {
            (Intrinsic::Bswap, Type::I16) => cx.sink.push(Inst::One { op: One::Rev16, width, dst, src }),
            (Intrinsic::Bswap, _) => cx.sink.push(Inst::One { op: One::Rev, width, dst, src }),
            (Intrinsic::Bitreverse, _) => cx.sink.push(Inst::One { op: One::Rbit, width, dst, src }),
            (Intrinsic::Cttz, _) => {
                let reversed = self.wide_temp(cx, width);
                cx.sink.push(Inst::One { op: One::Rbit, width, dst: reversed, src });
                cx.sink.push(Inst::One { op: One::Clz, width, dst, src: reversed });
            }
            _ => cx.sink.push(Inst::One { op: One::Clz, width, dst, src }),
        }
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
            (Intrinsic::ByValue, Some((dst, _))) => {
                let src = self.reg(cx, args[0]);
                cx.sink.push(Inst::Mov { width: Width::X, dst: dst.lo(), src });
            }
            (Intrinsic::ReadTp, Some((dst, _))) if self.is_native() => {
                cx.sink.push(Inst::ThreadPointer { dst: dst.lo() });
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
                return self.frame_address(cx, op, args[0], dst.lo());
            }
            _ => return unsupported("this intrinsic"),
        }
        Ok(())
    }

    /// The address of a frame, or what it returns to: frames are a list.
    fn frame_address<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        level: Value,
        dst: VReg,
    ) -> Result<(), ErrorKind> {
        let Some(level @ 0..=MAX_LEVEL) = cx.func.int_value(level) else {
            return Err(ErrorKind::Unsupported("the address of a frame so far up"));
        };
        let mut mem = Amode::new(Base::Saved, 0);
        for _ in 0..level {
            let dst = self.address_temp(cx);
            cx.sink.push(Inst::Load { op: Transfer::LdrX, dst, mem });
            mem = Amode::new(Base::Reg(dst), 0);
        }
        cx.sink.push(match op {
            Intrinsic::ReturnAddress => Inst::Load { op: Transfer::LdrX, dst, mem: mem.offset(8) },
            _ => Inst::Lea { dst, mem },
        });
        Ok(())
    }
}

/// The most callers that are looked up.
const MAX_LEVEL: i64 = 64;

//! Intrinsics other than atomics.

use super::float_size;
use crate::inst::{Amode, Base, Inst};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Float2, Transfer, Unary};
use ice_codegen::mach::Sink;
use ice_codegen::words::{BitRules as _, MemoryRules as _, ParamRules as _};
use ice_codegen::{ErrorKind, Libcall, Operands as _, Words as _};
use ice_ir::{Intrinsic, Type, Value, ValueDef};

impl Arm32 {
    /// Lowers a call of an intrinsic.
    #[inline(never)]
    pub(crate) fn intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        op: Intrinsic,
        args: &[Value],
    ) -> Result<(), ErrorKind> {
        let func = cx.func;
        let result = func.result(inst);
        let ty = result.map_or(Type::Void, |r| func.value_type(r));
        match (op, result) {
            (Intrinsic::Memcpy | Intrinsic::Memmove, _) => self.copy_memory(cx, op, args),
            (Intrinsic::Memset, _) => self.fill_memory(cx, args),
            (Intrinsic::ReadTp, Some(result)) if self.is_native() || self.is_confined() => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::ThreadPointer { dst });
            }
            (Intrinsic::ReadTp, _) => {
                let result = result.map(|r| (cx.regs(r), ty));
                self.libcall(cx, Libcall::ReadTp, &[], result);
            }
            (Intrinsic::Setjmp | Intrinsic::Longjmp, _) if self.is_native() => {
                return Err(ErrorKind::Unsupported(
                    "the intrinsics setjmp and longjmp in native code; call the functions of the C library",
                ));
            }
            (Intrinsic::Setjmp, _) => {
                let args = [(self.regs(cx, args[0]), Type::I32)];
                let result = result.map(|r| (cx.regs(r), ty));
                self.libcall(cx, Libcall::Setjmp, &args, result);
            }
            (Intrinsic::Longjmp, _) => {
                let args = [(self.regs(cx, args[0]), Type::I32), (self.regs(cx, args[1]), Type::I32)];
                self.libcall(cx, Libcall::Longjmp, &args, None);
            }
            (Intrinsic::Trap, _) => cx.sink.push(Inst::Trap),
            (Intrinsic::VaStart, _) => {
                let (mem, src) = (self.first_variadic(cx), self.temp(cx));
                cx.sink.push(Inst::Lea { dst: src, mem });
                let mem = self.address(cx, args[0]);
                cx.sink.push(Inst::Store { op: Transfer::Str, src, mem });
            }
            (Intrinsic::ThreadLocalAddress, Some(result)) => {
                let ValueDef::Global(global) = func.value_def(args[0]) else {
                    return Err(ErrorKind::Unsupported("the address of a thread-local variable that varies"));
                };
                let dst = cx.regs(result).lo();
                self.thread_local_address(cx, global, dst);
            }
            (Intrinsic::FrameAddress | Intrinsic::ReturnAddress, Some(result)) => {
                let Some(level) = func.int_value(args[0]) else {
                    return Err(ErrorKind::Unsupported("the address of a frame at a level that varies"));
                };
                self.frame_walk(cx, op, level, result);
            }
            (Intrinsic::Stacksave, Some(result)) => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::StackSave { dst });
            }
            (Intrinsic::Stackrestore, _) => {
                let src = self.reg(cx, args[0]);
                cx.sink.push(Inst::StackRestore { src });
            }
            (Intrinsic::Bswap | Intrinsic::Ctlz | Intrinsic::Cttz | Intrinsic::Ctpop, Some(result)) => {
                self.bit_intrinsic(cx, op, args[0], result);
            }
            (Intrinsic::DoublePair, Some(result)) if func.value_def(args[1]) == ValueDef::Undef => {
                let src = self.reg(cx, args[0]);
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::DoubleToQuad { dst, src });
            }
            (Intrinsic::DoublePair, Some(result)) => {
                let [lo, hi] = [args[0], args[1]].map(|half| self.reg(cx, half));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::DoublesToQuad { dst, lo, hi });
            }
            (Intrinsic::DoubleHalf, Some(result)) => {
                let Some(index @ 0..=1) = func.int_value(args[1]) else {
                    return Err(ErrorKind::Unsupported("a half of a vector that varies"));
                };
                let (dst, src) = (cx.regs(result).lo(), self.reg(cx, args[0]));
                cx.sink.push(Inst::HalfToDouble { index: index as u8, dst, src });
            }
            (Intrinsic::Bitreverse, Some(result)) => {
                let (dst, src) = (cx.regs(result), self.regs(cx, args[0]));
                // The low result must not destroy the high source.
                let low = self.temp(cx);
                let parts: &[_] = match ty {
                    Type::I64 => &[(low, src.hi()), (dst.hi(), src.lo())],
                    _ => &[(low, src.lo())],
                };
                for &(dst, src) in parts {
                    cx.sink.push(Inst::Unary { op: Unary::Rbit, dst, src });
                }
                self.mov_word(cx, dst.lo(), low.into());
            }
            (Intrinsic::Fabs, Some(result)) if ty.is_vector() => self.vector_fabs(cx, args[0], result),
            (Intrinsic::Sqrt, Some(_)) if ty.is_vector() => {
                return Err(ErrorKind::Unsupported("this intrinsic of vectors"));
            }
            (Intrinsic::Fabs | Intrinsic::Fneg | Intrinsic::Sqrt, Some(result)) => {
                let op = match op {
                    Intrinsic::Fabs => Float2::Vabs,
                    Intrinsic::Fneg => Float2::Vneg,
                    _ => Float2::Vsqrt,
                };
                let src = self.reg(cx, args[0]);
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::Float2 { op, size: float_size(ty), dst, src });
            }
            _ if op.is_atomic() => return self.atomic(cx, inst, op, args),
            _ => return Err(ErrorKind::Unsupported("this intrinsic")),
        }
        Ok(())
    }

    /// The address of the saved frame pointer, or the return address above it, of the function or of a caller:
    /// saved frame pointers are a list.
    fn frame_walk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, level: i64, result: Value) {
        /// Callers farther up are not asked for.
        const MAX_LEVEL: i64 = 64;
        let load = |cx: &mut Cx<'_, S>, dst, mem| cx.sink.push(Inst::Load { op: Transfer::Ldr, dst, mem });
        let dst = cx.regs(result).lo();
        let mut frame = Amode::new(Base::Saved, 0);
        for _ in 0..level.clamp(0, MAX_LEVEL) {
            let next = self.temp(cx);
            load(cx, next, frame);
            frame = Amode::new(Base::Reg(next), 0);
        }
        match op {
            Intrinsic::ReturnAddress => load(cx, dst, frame.offset(4)),
            _ => cx.sink.push(Inst::Lea { dst, mem: frame }),
        }
    }
}

//! Intrinsics other than atomics.

use super::{Signedness, float_size};
use crate::inst::{Amode, Base, FloatSize, Inst, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Float2, Transfer};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::words::BitRules as _;
use ice_codegen::{ErrorKind, Libcall, Operands as _, Words as _};
use ice_ir::{Intrinsic, Type, Value, ValueDef};

/// Largest constant length that is copied or filled inline, in bytes.
const MAX_INLINE: i64 = 64;

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
            (Intrinsic::ReadTp, Some(result)) if self.is_native() => {
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
            (Intrinsic::VaStart, _) => self.start_variadic(cx, args[0]),
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
            (Intrinsic::Fabs, Some(result)) if ty.is_vector() => self.vector_fabs(cx, args[0], result),
            (Intrinsic::Sqrt, Some(_)) if ty.is_vector() => {
                return Err(ErrorKind::Unsupported("this intrinsic of vectors"));
            }
            (Intrinsic::Fabs | Intrinsic::Sqrt, Some(result)) => {
                let op = if op == Intrinsic::Fabs { Float2::Vabs } else { Float2::Vsqrt };
                let src = self.reg(cx, args[0]);
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::Float2 { op, size: float_size(ty), dst, src });
            }
            (
                Intrinsic::AtomicLoad
                | Intrinsic::AtomicStore
                | Intrinsic::AtomicRmw
                | Intrinsic::AtomicCmpxchg
                | Intrinsic::AtomicFence
                | Intrinsic::AtomicFenceAll
                | Intrinsic::AtomicIsLockFree,
                _,
            ) => return self.atomic(cx, inst, op, args),
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

    /// The sizes of the moves that cover `length` bytes, from the widest, with their offsets.
    fn chunks(self, length: i64) -> impl Iterator<Item = (u8, i32)> {
        let mut offset = 0i64;
        core::iter::from_fn(move || {
            let size = [16u8, 4, 2, 1].into_iter().find(|&s| i64::from(s) <= length - offset)?;
            let at = offset as i32;
            offset += i64::from(size);
            Some((size, at))
        })
    }

    fn inline_length<S: Sink<Inst>>(cx: &Cx<'_, S>, length: Value) -> Option<i64> {
        cx.func.int_value(length).filter(|n| (0..=MAX_INLINE).contains(n))
    }

    pub(super) fn object_or_register<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value) -> Amode {
        match cx.frame_object(address) {
            Some(object) => Amode::new(Base::Object(object), 0),
            None => Amode::new(Base::Reg(self.reg(cx, address)), 0),
        }
    }

    /// Everything is read before anything is written, so that the regions may overlap.
    fn copy_memory<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, args: &[Value]) {
        let [dst, src, length] = [args[0], args[1], args[2]];
        let Some(length) = Self::inline_length(cx, length) else {
            let helper = if op == Intrinsic::Memcpy { Libcall::Memcpy } else { Libcall::Memmove };
            let args = [dst, src, length].map(|v| (self.regs(cx, v), Type::I32));
            return self.libcall(cx, helper, &args, None);
        };
        let from = self.object_or_register(cx, src);
        let to = self.object_or_register(cx, dst);
        let mut temps = arrayvec::ArrayVec::<(u8, i32, VReg), 10>::new();
        for (size, offset) in self.chunks(length) {
            temps.push((size, offset, self.load_chunk(cx, size, from.offset(offset))));
        }
        for (size, offset, src) in temps {
            self.store_chunk(cx, size, src, to.offset(offset));
        }
    }

    /// 1, 2, 4 or 16 bytes of memory in a register of their own.
    pub(super) fn load_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, mem: Amode) -> VReg {
        let dst = if size == 16 { cx.temp(Type::V4I32).lo() } else { self.temp(cx) };
        cx.sink.push(match size {
            16 => Inst::LoadFloat { size: FloatSize::Quad, dst, mem },
            4 => Inst::Load { op: Transfer::Ldr, dst, mem },
            2 => Inst::Load { op: Transfer::Ldrh, dst, mem },
            _ => Inst::Load { op: Transfer::Ldrb, dst, mem },
        });
        dst
    }

    pub(super) fn store_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, src: VReg, mem: Amode) {
        cx.sink.push(match size {
            16 => Inst::StoreFloat { size: FloatSize::Quad, src, mem },
            4 => Inst::Store { op: Transfer::Str, src, mem },
            2 => Inst::Store { op: Transfer::Strh, src, mem },
            _ => Inst::Store { op: Transfer::Strb, src, mem },
        });
    }

    fn fill_memory<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: &[Value]) {
        let [dst, byte, length] = [args[0], args[1], args[2]];
        let inline = Self::inline_length(cx, length).zip(cx.func.int_value(byte));
        let Some((length, byte)) = inline else {
            let wide = self.extended(cx, Signedness::Unsigned, byte);
            let number = cx.temp(Type::I32);
            self.mov(cx, number.lo(), Src::Reg(wide));
            let address = (self.regs(cx, dst), Type::I32);
            let length = (self.regs(cx, length), Type::I32);
            return self.libcall(cx, Libcall::Memset, &[address, (number, Type::I32), length], None);
        };
        let to = self.object_or_register(cx, dst);
        let word = self.temp(cx);
        cx.sink.push(Inst::MovImm { dst: word, imm: u32::from(byte as u8) * 0x0101_0101 });
        let vector = (length >= 16).then(|| {
            let vector = cx.temp(Type::V4I32).lo();
            self.load_vector(cx, vector, u128::from_le_bytes([byte as u8; 16]));
            vector
        });
        for (size, offset) in self.chunks(length) {
            let src = if size == 16 { vector.unwrap_or(word) } else { word };
            self.store_chunk(cx, size, src, to.offset(offset));
        }
    }
}

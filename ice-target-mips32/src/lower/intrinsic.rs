//! Intrinsics other than atomics.

use crate::inst::{Amode, Base, Inst, Src};
use crate::target::{Cx, Mips32};
use arrayvec::ArrayVec;
use ice_asm::mips32::{Float2, Transfer};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::words::{BitRules as _, WordVectors as _};
use ice_codegen::{ErrorKind, Libcall, Operands as _, Words as _};
use ice_ir::{Intrinsic, Type, Value, ValueDef};

/// Most words and bytes that are moved or stored one by one.
const MAX_MOVES: usize = 16;

/// A part of a region of memory: its bytes, 1 or 4, and its offset.
type Chunk = (u8, i32);

/// The words and bytes of a region, if they are few.
fn chunks(length: i64) -> Option<ArrayVec<Chunk, MAX_MOVES>> {
    let (words, bytes) = (length / 4, length % 4);
    if !(0..=MAX_MOVES as i64).contains(&(words.saturating_add(bytes))) {
        return None;
    }
    let words_at = (0..words as i32).map(|n| (4, 4 * n));
    let bytes_at = (0..bytes as i32).map(|n| (1, 4 * words as i32 + n));
    Some(words_at.chain(bytes_at).collect())
}

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
            (Intrinsic::Fabs, Some(result)) => self.fabs(cx, args[0], result),
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
            (Intrinsic::ReadTp, Some((dst, _))) if self.is_native() => {
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
        let places = self.places_after_parameters(cx.module.signature(cx.func.id));
        let src = self.temp(cx);
        cx.sink.push(Inst::Lea { dst: src, mem: super::call::incoming(places.bytes()) });
        let align = self.known_align(cx, list);
        let mem = self.address(cx, list);
        self.store_word(cx, Src::Reg(src), mem, align);
    }

    /// An address as a memory operand for several accesses.
    pub(super) fn object_or_register<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value) -> Amode {
        match cx.frame_object(address) {
            Some(object) => Amode::new(Base::Object(object), 0),
            None => Amode::new(Base::Reg(self.reg(cx, address)), 0),
        }
    }

    /// The words and bytes of a region whose length is constant, if they are few.
    fn inline_chunks<S: Sink<Inst>>(cx: &Cx<'_, S>, length: Value) -> Option<ArrayVec<Chunk, MAX_MOVES>> {
        cx.func.int_value(length).and_then(chunks)
    }

    /// Everything is read before anything is written, so that the regions may overlap.
    fn copy_memory<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, args: &[Value]) {
        let [dst, src, length] = [args[0], args[1], args[2]];
        let Some(chunks) = Self::inline_chunks(cx, length) else {
            let helper = if op == Intrinsic::Memcpy { Libcall::Memcpy } else { Libcall::Memmove };
            let args = [dst, src, length].map(|v| (self.regs(cx, v), Type::I32));
            return self.libcall(cx, helper, &args, None);
        };
        let [to_align, from_align] = [dst, src].map(|address| self.known_align(cx, address));
        let (from, to) = (self.object_or_register(cx, src), self.object_or_register(cx, dst));
        let mut loaded = ArrayVec::<(Chunk, VReg), MAX_MOVES>::new();
        for (size, at) in chunks {
            let (dst, mem) = (self.temp(cx), from.offset(at));
            match size {
                4 => self.load_word(cx, dst, mem, from_align),
                _ => cx.sink.push(Inst::Load { op: Transfer::Lbu, dst, mem }),
            }
            loaded.push(((size, at), dst));
        }
        for ((size, at), src) in loaded {
            self.store_chunk(cx, size, Src::Reg(src), to.offset(at), to_align);
        }
    }

    fn store_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, src: Src, mem: Amode, align_log2: u8) {
        match size {
            4 => self.store_word(cx, src, mem, align_log2),
            _ => cx.sink.push(Inst::Store { op: Transfer::Sb, src, mem }),
        }
    }

    fn fill_memory<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: &[Value]) {
        let [dst, byte, length] = [args[0], args[1], args[2]];
        let inline = Self::inline_chunks(cx, length).zip(cx.func.int_value(byte));
        let Some((chunks, byte)) = inline else {
            let wide = self.extended(cx, Signedness::Unsigned, byte);
            let number = cx.temp(Type::I32);
            cx.sink.push(Inst::Mov { dst: number.lo(), src: wide });
            let [address, length] = [dst, length].map(|v| (self.regs(cx, v), Type::I32));
            return self.libcall(cx, Libcall::Memset, &[address, (number, Type::I32), length], None);
        };
        let align = self.known_align(cx, dst);
        let to = self.object_or_register(cx, dst);
        let word = self.number(cx, u32::from(byte as u8) * 0x0101_0101);
        for (size, at) in chunks {
            self.store_chunk(cx, size, word, to.offset(at), align);
        }
    }
}

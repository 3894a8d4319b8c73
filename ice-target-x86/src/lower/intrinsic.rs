//! Intrinsics other than atomics; [`bits`](super::bits) has those on bits.

use super::float::by_type;
use crate::inst::{Amode, Base, Extend, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::{SseOp, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{ErrorKind, Libcall, Operands as _};
use ice_ir::moves::moves;
use ice_ir::{Intrinsic, Segment, Type, Value, ValueDef};

/// Largest constant length that is copied or filled inline, in bytes.
const MAX_INLINE: i64 = 128;

/// Largest length that is filled by words where the byte varies.
const MAX_WORDS: i64 = 16;

/// Most moves that a length up to this takes: 16 bytes each, the last one of what is left.
const MAX_CHUNKS: usize = 8;
/// The sizes of moves: the first two through vector registers.
const CHUNKS: &[u8] = &[16, 8, 4, 2, 1];

/// How `roundss` and its like round (Intel's manual, volume 2, ROUNDPD, figure 4-24). But for the last, results that are inexact
/// raise no exception.
#[derive(Clone, Copy, Debug)]
enum Rounding {
    Nearest = 8,
    Down = 9,
    Up = 10,
    Zero = 11,
    /// As MXCSR says.
    AsTold = 12,
    AsToldExactly = 4,
}

impl X86 {
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
        let address = cx.module.pointer_type;
        match op {
            Intrinsic::Memcpy | Intrinsic::Memmove => self.copy_memory(cx, op, args),
            Intrinsic::Memset => self.fill_memory(cx, args),
            Intrinsic::ReadTp if self.is_native() => {
                if let Some(result) = result {
                    let dst = cx.regs(result).lo();
                    cx.sink.push(Inst::ThreadPointer { dst });
                }
            }
            Intrinsic::ReadTp => {
                let result = result.map(|r| (cx.regs(r), ty));
                self.libcall(cx, Libcall::ReadTp, &[], result);
            }
            Intrinsic::Setjmp | Intrinsic::Longjmp if self.is_native() => {
                return Err(ErrorKind::Unsupported(
                    "the intrinsics setjmp and longjmp in native code; call the functions of the C library",
                ));
            }
            Intrinsic::Setjmp => {
                let args = [(self.regs(cx, args[0]), address)];
                let result = result.map(|r| (cx.regs(r), ty));
                self.libcall(cx, Libcall::Setjmp, &args, result);
            }
            Intrinsic::Longjmp => {
                let args = [(self.regs(cx, args[0]), address), (self.regs(cx, args[1]), Type::I32)];
                self.libcall(cx, Libcall::Longjmp, &args, None);
            }
            Intrinsic::DoublePair | Intrinsic::DoubleHalf => {
                return Err(ErrorKind::Unsupported("registers of vectors that are pairs of doubles"));
            }
            Intrinsic::Bitreverse => {
                return Err(ErrorKind::Unsupported("an instruction that puts bits in the opposite order"));
            }
            Intrinsic::Trap => cx.sink.push(Inst::Trap),
            // A conversion by its rule.
            Intrinsic::Pin | Intrinsic::ByValue => {
                return Err(ErrorKind::Unsupported("a pin or an object by value that is no conversion"));
            }
            Intrinsic::VaStart => self.start_variadic(cx, args[0]),
            Intrinsic::FrameAddress | Intrinsic::ReturnAddress => {
                if let Some(result) = result {
                    let Some(level) = cx.func.int_value(args[0]) else {
                        return Err(ErrorKind::Unsupported("the address of a frame at a level that varies"));
                    };
                    self.frame_walk(cx, op, level, result);
                }
            }
            Intrinsic::Extended => return self.extended_operation(cx, inst),
            Intrinsic::MulHigh => return self.multiply_whole(cx, inst, args),
            Intrinsic::CheckType => {
                let word = cx.func.int_value(args[1]);
                let (Some(word), Some(result), true) = (word, result, self.has_wide_addresses()) else {
                    return Err(ErrorKind::Unsupported("a look at a type that varies"));
                };
                let (dst, src) = (cx.regs(result).lo(), Src::Reg(self.reg(cx, args[0])));
                self.mov(cx, self.address_width(), dst, src);
                let scratch = self.temp(cx, Type::I32);
                cx.sink.push(Inst::CheckType { dst, scratch, word: word as i32 });
            }
            Intrinsic::SegmentWord => {
                let number = |arg: Value| cx.func.int_value(arg);
                let segment = number(args[0]).and_then(Segment::from_code);
                let offset = number(args[1]).and_then(|offset| i32::try_from(offset).ok());
                let (Some(segment), Some(offset), Some(result)) = (segment, offset, result) else {
                    return Err(ErrorKind::Unsupported("a word of a segment at a place that varies"));
                };
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::SegmentWord { dst, segment: segment.code() as u8, offset });
            }
            Intrinsic::ThreadLocalAddress => {
                let ValueDef::Global(global) = cx.func.value_def(args[0]) else {
                    return Err(ErrorKind::Unsupported("the address of a thread-local variable that varies"));
                };
                if let Some(result) = result {
                    let dst = cx.regs(result).lo();
                    self.thread_local_address(cx, global, dst);
                }
            }
            Intrinsic::Stacksave => {
                if let Some(result) = result {
                    let dst = cx.regs(result).lo();
                    cx.sink.push(Inst::StackSave { dst });
                }
            }
            Intrinsic::Stackrestore => {
                let src = self.reg(cx, args[0]);
                cx.sink.push(Inst::StackRestore { src });
            }
            Intrinsic::Bswap | Intrinsic::Ctlz | Intrinsic::Cttz | Intrinsic::Ctpop => {
                if let Some(result) = result {
                    self.bit_intrinsic(cx, op, args, result);
                }
            }
            Intrinsic::Fma => match (result, args) {
                (Some(result), &[a, b, c]) => return self.fused(cx, [a, b, c], result),
                _ => return Err(ErrorKind::Unsupported("a product with a sum of other operands")),
            },
            Intrinsic::Fabs | Intrinsic::Sqrt if ty.is_wide() => {
                if let Some(result) = result {
                    return self.wide_intrinsic(cx, op, args[0], result);
                }
            }
            Intrinsic::Fabs | Intrinsic::Fneg => {
                if let Some(result) = result {
                    self.change_sign(cx, op, args[0], result);
                }
            }
            Intrinsic::Sqrt => {
                if let Some(result) = result {
                    let src = self.exact_src(cx, args[0]);
                    let dst = cx.regs(result).lo();
                    let op = match ty {
                        Type::V4F32 => SseOp::Sqrtps,
                        Type::V2F64 => SseOp::Sqrtpd,
                        _ => by_type(ty, SseOp::Sqrtss, SseOp::Sqrtsd),
                    };
                    cx.sink.push(Inst::SseUnary { op, dst, src });
                }
            }
            Intrinsic::Floor
            | Intrinsic::Ceil
            | Intrinsic::TruncFloat
            | Intrinsic::RoundEven
            | Intrinsic::Round
            | Intrinsic::Rint
            | Intrinsic::NearbyInt
            | Intrinsic::MinNum
            | Intrinsic::MaxNum
            | Intrinsic::Minimum
            | Intrinsic::Maximum => return self.float_choice(cx, op, args[0], result),
            Intrinsic::AtomicLoad
            | Intrinsic::AtomicStore
            | Intrinsic::AtomicRmw
            | Intrinsic::AtomicCmpxchg
            | Intrinsic::AtomicFence
            | Intrinsic::AtomicFenceAll
            | Intrinsic::AtomicIsLockFree => return self.atomic(cx, inst, op, args),
        }
        Ok(())
    }

    /// The integers next to floats, on processors with SSE4.1.
    #[cold]
    fn float_choice<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        arg: Value,
        result: Option<Value>,
    ) -> Result<(), ErrorKind> {
        let rounding = match op {
            Intrinsic::Floor => Rounding::Down,
            Intrinsic::Ceil => Rounding::Up,
            Intrinsic::TruncFloat => Rounding::Zero,
            Intrinsic::RoundEven => Rounding::Nearest,
            Intrinsic::Rint => Rounding::AsToldExactly,
            Intrinsic::NearbyInt => Rounding::AsTold,
            _ => return Err(ErrorKind::Unsupported("floats chosen by one instruction")),
        };
        let Some(result) = result else { return Ok(()) };
        let op = match cx.func.value_type(result) {
            Type::V4F32 => SseOp::Roundps,
            Type::V2F64 => SseOp::Roundpd,
            ty => by_type(ty, SseOp::Roundss, SseOp::Roundsd),
        };
        let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
        cx.sink.push(Inst::SseUnaryImm { op, dst, src: Src::Reg(src), imm: rounding as u8 });
        Ok(())
    }

    /// The frame pointer, or the return address above it, of the function or of a caller: saved frame
    /// pointers are a list.
    fn frame_walk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, level: i64, result: Value) {
        /// Callers farther up are not asked for.
        const MAX_LEVEL: i64 = 64;
        let (width, dst) = (self.address_width(), cx.regs(result).lo());
        let word = self.word() as i32;
        let mut frame = self.temp(cx, self.address_type());
        let mem = Amode::new(Base::Incoming, -2 * word);
        cx.sink.push(Inst::Lea { width, dst: frame, mem });
        for _ in 0..level.clamp(0, MAX_LEVEL) {
            let next = self.temp(cx, self.address_type());
            cx.sink.push(Inst::Load { width, dst: next, mem: Amode::reg(frame) });
            frame = next;
        }
        match op {
            Intrinsic::ReturnAddress => {
                let mem = Amode::reg(frame).offset(word);
                cx.sink.push(Inst::Load { width, dst, mem });
            }
            _ => self.mov(cx, width, dst, Src::Reg(frame)),
        }
    }

    /// Clears the sign bits, or flips them.
    fn change_sign<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, arg: Value, result: Value) {
        let is_double = matches!(cx.func.value_type(result), Type::F64 | Type::V2F64);
        let signs = match is_double {
            true => 0x8000_0000_0000_0000_8000_0000_0000_0000,
            false => 0x8000_0000_8000_0000_8000_0000_8000_0000_u128,
        };
        let (op, mask) = match (op, is_double) {
            (Intrinsic::Fneg, true) => (SseOp::Xorpd, signs),
            (Intrinsic::Fneg, false) => (SseOp::Xorps, signs),
            (_, true) => (SseOp::Andpd, !signs),
            (_, false) => (SseOp::Andps, !signs),
        };
        let mem = self.constant_address(cx, ConstantSize::C16, mask);
        let dst = cx.regs(result);
        self.move_value(cx, dst, arg);
        cx.sink.push(Inst::Sse { op, dst: dst.lo(), src: Src::Mem(mem) });
    }

    // ---- memory

    fn inline_length<S: Sink<Inst>>(cx: &Cx<'_, S>, length: Value) -> Option<i64> {
        cx.func.int_value(length).filter(|n| (0..=MAX_INLINE).contains(n))
    }

    /// Of regions that may overlap everything is read before anything is written.
    fn copy_memory<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, args: &[Value]) {
        let [dst, src, length] = [args[0], args[1], args[2]];
        let Some(length) = Self::inline_length(cx, length) else {
            let helper = if op == Intrinsic::Memcpy { Libcall::Memcpy } else { Libcall::Memmove };
            return self.memory_libcall(cx, helper, [dst, src, length]);
        };
        let from = self.address(cx, src);
        let to = self.address(cx, dst);
        let mut temps = arrayvec::ArrayVec::<(u8, i32, VReg), MAX_CHUNKS>::new();
        let at_once = if op == Intrinsic::Memcpy { 4 } else { MAX_CHUNKS };
        let mut moves = moves(CHUNKS, length, true).peekable();
        while let Some((size, offset)) = moves.next() {
            let mem = from.offset(offset);
            let temp = match size {
                16 | 8 => self.temp(cx, if size == 16 { Type::V4I32 } else { Type::F64 }),
                1 => self.temp(cx, Type::I8),
                _ => self.temp(cx, Type::I32),
            };
            cx.sink.push(match size {
                16 | 8 => Inst::LoadXmm { size, dst: temp, mem },
                _ => Inst::Load { width: chunk_width(size), dst: temp, mem },
            });
            temps.push((size, offset, temp));
            if temps.len() < at_once && moves.peek().is_some() {
                continue;
            }
            for (size, offset, temp) in temps.drain(..) {
                let mem = to.offset(offset);
                cx.sink.push(match size {
                    16 | 8 => Inst::StoreXmm { size, src: temp, mem },
                    _ => Inst::Store { width: chunk_width(size), src: temp, mem },
                });
            }
        }
    }

    fn fill_memory<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: &[Value]) {
        let [dst, byte, length] = [args[0], args[1], args[2]];
        let inline = Self::inline_length(cx, length);
        if let (Some(length), None) = (inline, cx.func.int_value(byte)) {
            return self.fill_by_variable(cx, dst, byte, length);
        }
        let Some((length, byte)) = inline.zip(cx.func.int_value(byte)) else {
            let regs = cx.temp(Type::I32);
            let wide = self.extended(cx, Extend::Zero, byte);
            self.mov(cx, Width::B32, regs.lo(), Src::Reg(wide));
            let [address, length] = [dst, length].map(|v| (self.regs(cx, v), self.address_type()));
            return self.libcall(cx, Libcall::Memset, &[address, (regs, Type::I32), length], None);
        };
        let pattern = (byte as u8 as u32).wrapping_mul(0x0101_0101);
        let bits = u128::from(pattern) * 0x0000_0001_0000_0001_0000_0001_0000_0001;
        let to = self.address(cx, dst);
        let vector = if length < 8 {
            None
        } else {
            let vector = self.temp(cx, Type::V4I32);
            if pattern == 0 {
                cx.sink.push(Inst::ZeroXmm { dst: vector });
            } else {
                let mem = self.constant_address(cx, ConstantSize::C16, bits);
                cx.sink.push(Inst::LoadXmm { size: 16, dst: vector, mem });
            }
            Some(vector)
        };
        for (size, offset) in moves(CHUNKS, length, true) {
            let mem = to.offset(offset);
            cx.sink.push(match (size, vector) {
                (16 | 8, Some(src)) => Inst::StoreXmm { size, src, mem },
                _ => Inst::StoreImm { width: chunk_width(size), imm: pattern as i32, mem },
            });
        }
    }

    /// Fills `length` bytes with one that varies, four times in a register, or in all of a vector.
    fn fill_by_variable<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: Value, byte: Value, length: i64) {
        let to = self.address(cx, dst);
        if length <= 1 {
            return if length == 1 {
                self.store_to(cx, to, byte)
            };
        }
        let src = Src::Reg(self.extended(cx, Extend::Zero, byte));
        let (pattern, imm) = (self.temp(cx, Type::I32), i32::from_le_bytes([1; 4]));
        cx.sink.push(Inst::ImulImm { width: Width::B32, dst: pattern, src, imm });
        let vector = (length > MAX_WORDS).then(|| {
            let vector = self.temp(cx, Type::V4I32);
            let (op, width) = (SseOp::MovGpr, Width::B32);
            cx.sink.push(Inst::GprToXmm { op, width, dst: vector, src: Src::Reg(pattern) });
            let src = Src::Reg(vector);
            cx.sink.push(Inst::SseUnaryImm { op: SseOp::Pshufd, dst: vector, src, imm: 0 });
            vector
        });
        let sizes = if vector.is_some() { CHUNKS } else { &CHUNKS[2..] };
        for (size, offset) in moves(sizes, length, true) {
            let mem = to.offset(offset);
            cx.sink.push(match (size, vector) {
                (16 | 8, Some(src)) => Inst::StoreXmm { size, src, mem },
                _ => Inst::Store { width: chunk_width(size), src: pattern, mem },
            });
        }
    }

    /// The helpers take host addresses and sizes: the upper half of each register is zero, as always.
    fn memory_libcall<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, helper: Libcall, args: [Value; 3]) {
        let args = args.map(|v| (self.regs(cx, v), self.address_type()));
        self.libcall(cx, helper, &args, None);
    }
}

fn chunk_width(size: u8) -> Width {
    match size {
        1 => Width::B8,
        2 => Width::B16,
        _ => Width::B32,
    }
}

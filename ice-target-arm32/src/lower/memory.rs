//! Loads, stores and stack allocation.
//!
//! Loads and stores of words and halves work at any address. Those of scalars in extension registers need a
//! multiple of 4, so that what may be elsewhere goes through core registers.

use super::float_size;
use crate::abi::STACK_ALIGN;
use crate::address::{load_op, store_op};
use crate::inst::{Amode, Base, FloatSize, Inst};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Alu, Transfer};
use ice_codegen::abi::{MAX_FRAME, PAGE};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::words::{MemoryRules, Word};
use ice_codegen::{ErrorKind, Operands as _, Target as _, Words as _};
use ice_ir::{Type, Value};

/// The alignment that floating-point accesses need.
const FLOAT_ALIGN_LOG2: u8 = 2;

/// Bytes of the stack pointer's alignment less one.
const ALIGN_MASK: u32 = STACK_ALIGN - 1;

impl Arm32 {
    /// A load of any type.
    pub(crate) fn load<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        address: Value,
        align_log2: u8,
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let mem = self.address(cx, address);
        let dst = cx.regs(result).lo();
        if !ty.is_scalar_float() || align_log2 >= FLOAT_ALIGN_LOG2 {
            return self.load_from(cx, mem, result);
        }
        if ty == Type::F64 {
            return cx.sink.push(Inst::LoadDouble { dst, mem });
        }
        let src = self.temp(cx);
        cx.sink.push(Inst::Load { op: Transfer::Ldr, dst: src, mem });
        cx.sink.push(Inst::CoreToSingle { dst, src });
    }

    /// A load of `result` from a memory operand that is aligned as its type needs.
    pub(super) fn load_from<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, result: Value) {
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result);
        if super::is_extension(ty) {
            return cx.sink.push(Inst::LoadFloat { size: float_size(ty), dst: dst.lo(), mem });
        }
        for (n, dst) in dst.iter().enumerate() {
            cx.sink.push(Inst::Load { op: load_op(ty), dst, mem: mem.offset(4 * n as i32) });
        }
    }

    /// A store of any type.
    pub(crate) fn store<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        address: Value,
        align_log2: u8,
        value: Value,
    ) {
        let ty = cx.func.value_type(value);
        let mem = self.address(cx, address);
        if !ty.is_scalar_float() || align_log2 >= FLOAT_ALIGN_LOG2 {
            return self.store_to(cx, mem, value);
        }
        let src = self.reg(cx, value);
        if ty == Type::F64 {
            return cx.sink.push(Inst::StoreDouble { src, mem });
        }
        let word = self.temp(cx);
        cx.sink.push(Inst::SingleToCore { dst: word, src });
        cx.sink.push(Inst::Store { op: Transfer::Str, src: word, mem });
    }

    /// A store of `value` to a memory operand that is aligned as its type needs.
    pub(super) fn store_to<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, value: Value) {
        let ty = cx.func.value_type(value);
        if ty != Type::I64 {
            let src = self.reg(cx, value);
            return self.store_part(cx, ty, src, mem);
        }
        let regs = self.regs(cx, value);
        for (n, src) in regs.iter().enumerate() {
            self.store_part(cx, ty, src, mem.offset(4 * n as i32));
        }
    }

    /// A store of one register of a value of `ty`.
    pub(super) fn store_part<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: VReg, mem: Amode) {
        cx.sink.push(match super::is_extension(ty) {
            true => Inst::StoreFloat { size: float_size(ty), src, mem },
            false => Inst::Store { op: store_op(ty), src, mem },
        });
    }

    /// A stack allocation that moves the stack pointer.
    pub(crate) fn alloca<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        size: Value,
        align_log2: u8,
        result: Value,
    ) -> Result<(), ErrorKind> {
        // So that several do not add up to nothing.
        let constant = cx.func.int_value(size).map(|size| u64::from(size as u32));
        if let Some(size) = constant.filter(|&size| size > MAX_FRAME) {
            return Err(ErrorKind::FrameTooLarge(size));
        }
        let dst = cx.regs(result).lo();
        // Room to round the address up, as the stack pointer itself is only aligned to 8.
        let slack = if align_log2 > Self::STACK_ALIGN_LOG2 { (1u32 << align_log2.min(31)) - 1 } else { 0 };
        let constant = constant
            .map(|size| size + u64::from(slack))
            .map(|size| size.next_multiple_of(ALIGN_MASK as u64 + 1));
        match constant {
            Some(bytes) if bytes < u64::from(PAGE) => cx.sink.push(Inst::StackTake { bytes: bytes as u32 }),
            _ => {
                let size = self.reg(cx, size);
                let (sum, amount) = (self.temp(cx), self.temp(cx));
                self.alu_imm(cx, Alu::Add, sum, size, slack.wrapping_add(ALIGN_MASK));
                self.alu_imm(cx, Alu::And, amount, sum, !ALIGN_MASK);
                cx.sink.push(Inst::StackSub { amount });
            }
        }
        if slack == 0 {
            cx.sink.push(Inst::Lea { dst, mem: Amode::new(Base::Allocated, 0) });
            return Ok(());
        }
        let top = self.temp(cx);
        cx.sink.push(Inst::Lea { dst: top, mem: Amode::new(Base::Allocated, slack as i32) });
        self.alu_imm(cx, Alu::And, dst, top, !slack);
        Ok(())
    }
}

impl MemoryRules for Arm32 {
    type Mem = Amode;

    const CHUNKS: &'static [u8] = &[16, 4, 2, 1];
    const OVERLAPS: bool = true;

    fn object_or_register<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value) -> Amode {
        match cx.frame_object(address) {
            Some(object) => Amode::new(Base::Object(object), 0),
            None => Amode::new(Base::Reg(self.reg(cx, address)), 0),
        }
    }

    fn offset(mem: Amode, bytes: i32) -> Amode {
        mem.offset(bytes)
    }

    fn load_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, mem: Amode, _: u8) -> VReg {
        let dst = if size == 16 { cx.temp(Type::V4I32).lo() } else { self.temp(cx) };
        cx.sink.push(match size {
            16 => Inst::LoadFloat { size: FloatSize::Quad, dst, mem },
            4 => Inst::Load { op: Transfer::Ldr, dst, mem },
            2 => Inst::Load { op: Transfer::Ldrh, dst, mem },
            _ => Inst::Load { op: Transfer::Ldrb, dst, mem },
        });
        dst
    }

    fn store_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, src: Word, mem: Amode, _: u8) {
        let src = self.word_reg(cx, src);
        cx.sink.push(match size {
            16 => Inst::StoreFloat { size: FloatSize::Quad, src, mem },
            4 => Inst::Store { op: Transfer::Str, src, mem },
            2 => Inst::Store { op: Transfer::Strh, src, mem },
            _ => Inst::Store { op: Transfer::Strb, src, mem },
        });
    }

    fn filled<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, byte: u8) -> Word {
        if size == 16 {
            let dst = cx.temp(Type::V4I32).lo();
            self.load_vector(cx, dst, u128::from_le_bytes([byte; 16]));
            return dst.into();
        }
        let dst = self.temp(cx);
        cx.sink.push(Inst::MovImm { dst, imm: u32::from(byte) * 0x0101_0101 });
        dst.into()
    }

    fn copy_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, to: Amode, from: Amode, count: u32) {
        let [src, dst, left, word] = [(); 4].map(|()| self.temp(cx));
        cx.sink.push(Inst::Lea { dst: src, mem: from });
        cx.sink.push(Inst::Lea { dst, mem: to });
        cx.sink.push(Inst::MovImm { dst: left, imm: count });
        cx.sink.push(Inst::CopyWords { dst, src, count: left, word });
    }
}

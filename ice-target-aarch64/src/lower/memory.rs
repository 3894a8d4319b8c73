//! Loads, stores and stack allocation. No access traps for its alignment.

use super::{float_width, width};
use crate::abi::{STACK_ALIGN, is_vector};
use crate::inst::{Amode, Base, Inst, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, FloatWidth, Transfer, Width};
use ice_codegen::abi::{MAX_FRAME, PAGE};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::words::{MemoryRules, Word};
use ice_codegen::{ErrorKind, Operands as _, Target as _, Words as _};
use ice_ir::{Type, Value, ValueDef};

/// The load of an integer type.
pub(crate) fn load_op(ty: Type) -> Transfer {
    match ty {
        Type::I1 | Type::I8 => Transfer::Ldrb,
        Type::I16 => Transfer::Ldrh,
        Type::I64 => Transfer::LdrX,
        _ => Transfer::LdrW,
    }
}

/// The store of an integer type.
pub(crate) fn store_op(ty: Type) -> Transfer {
    match ty {
        Type::I1 | Type::I8 => Transfer::Strb,
        Type::I16 => Transfer::Strh,
        Type::I64 => Transfer::StrX,
        _ => Transfer::StrW,
    }
}

impl Aarch64 {
    /// A load of any type.
    pub(crate) fn load<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value, result: Value) {
        let mem = self.access(cx, address, cx.func.value_type(result));
        self.load_from(cx, mem, result);
    }

    /// A load from a memory operand.
    pub(super) fn load_from<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, result: Value) {
        let (ty, dst) = (cx.func.value_type(result), cx.regs(result).lo());
        cx.sink.push(match is_vector(ty) {
            true => Inst::LoadFloat { width: float_width(ty), dst, mem },
            false => Inst::Load { op: load_op(ty), dst, mem },
        });
    }

    /// A store of any type.
    pub(crate) fn store<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value, value: Value) {
        let mem = self.access(cx, address, cx.func.value_type(value));
        self.store_to(cx, mem, value);
    }

    /// A store to a memory operand.
    pub(super) fn store_to<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, mem: Amode, value: Value) {
        let ty = cx.func.value_type(value);
        if let (ValueDef::Float(0), Type::F32 | Type::F64) = (cx.func.value_def(value), ty) {
            let op = if ty == Type::F32 { Transfer::StrW } else { Transfer::StrX };
            return cx.sink.push(Inst::Store { op, src: Src::Zero, mem });
        }
        if is_vector(ty) {
            let src = self.reg(cx, value);
            return cx.sink.push(Inst::StoreFloat { width: float_width(ty), src, mem });
        }
        let src = self.src(cx, value);
        cx.sink.push(Inst::Store { op: store_op(ty), src, mem });
    }

    /// A stack allocation that moves the stack pointer.
    pub(crate) fn alloca<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        size: Value,
        align_log2: u8,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let align = 1u32 << align_log2.clamp(Self::STACK_ALIGN_LOG2, 31);
        // Room to round the address up, as the stack pointer itself is not aligned to more.
        let slack = align - STACK_ALIGN;
        let (ty, dst) = (cx.func.value_type(size), cx.regs(result).lo());
        match cx.func.int_value(size).map(|size| size as u64 & ty.int_mask()) {
            // So that several do not add up to nothing.
            Some(size) if size > MAX_FRAME => return Err(ErrorKind::FrameTooLarge(size)),
            Some(size) if size + u64::from(slack) + u64::from(STACK_ALIGN) < u64::from(PAGE) => {
                let bytes = (size as u32 + slack).next_multiple_of(STACK_ALIGN);
                cx.sink.push(Inst::StackTake { bytes });
            }
            _ => {
                let mut wide = self.reg(cx, size);
                if ty != Type::I64 {
                    let dst = self.address_temp(cx);
                    cx.sink.push(Inst::ZeroUpper { dst, src: wide });
                    wide = dst;
                }
                let room = u64::from(slack + STACK_ALIGN - 1);
                let sum = self.alu_number_temp(cx, (Alu::Add, Width::X), wide, room);
                let mask = !u64::from(STACK_ALIGN - 1);
                let amount = self.alu_number_temp(cx, (Alu::And, Width::X), sum, mask);
                cx.sink.push(Inst::StackSub { amount });
            }
        }
        let top = if slack == 0 { dst } else { self.address_temp(cx) };
        cx.sink.push(Inst::Lea { dst: top, mem: Amode::new(Base::Allocated, slack as i32) });
        if slack > 0 {
            self.alu_number(cx, (Alu::And, width(self.address_type())), dst, top, !u64::from(align - 1));
        }
        Ok(())
    }
}

impl MemoryRules for Aarch64 {
    type Mem = Amode;

    const CHUNKS: &'static [u8] = &[16, 8, 4, 2, 1];
    const OVERLAPS: bool = true;

    fn object_or_register<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, address: Value) -> Amode {
        let base = match cx.frame_object(address) {
            Some(object) => Base::Object(object),
            None => Base::Reg(self.reg(cx, address)),
        };
        Amode::new(base, 0)
    }

    fn offset(mem: Amode, bytes: i32) -> Amode {
        mem.offset(bytes)
    }

    fn load_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, mem: Amode, _: u8) -> VReg {
        if size == 16 {
            let dst = cx.temp(Type::V4I32).lo();
            cx.sink.push(Inst::LoadFloat { width: FloatWidth::Q, dst, mem });
            return dst;
        }
        let (op, width) = match size {
            8 => (Transfer::LdrX, Width::X),
            4 => (Transfer::LdrW, Width::W),
            2 => (Transfer::Ldrh, Width::W),
            _ => (Transfer::Ldrb, Width::W),
        };
        let dst = self.wide_temp(cx, width);
        cx.sink.push(Inst::Load { op, dst, mem });
        dst
    }

    fn store_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, src: Word, mem: Amode, _: u8) {
        if size == 16 {
            let src = self.word_reg(cx, src);
            return cx.sink.push(Inst::StoreFloat { width: FloatWidth::Q, src, mem });
        }
        let op = match size {
            8 => Transfer::StrX,
            4 => Transfer::StrW,
            2 => Transfer::Strh,
            _ => Transfer::Strb,
        };
        let src = match src {
            Word::Number(0) => Src::Zero,
            src => Src::Reg(self.word_reg(cx, src)),
        };
        cx.sink.push(Inst::Store { op, src, mem });
    }

    /// The number of eight bytes fills fewer, too.
    fn filled<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, byte: u8) -> Word {
        let bytes = u64::from_le_bytes([byte; 8]);
        if size == 16 {
            let dst = cx.temp(Type::V4I32).lo();
            self.splat_bytes(cx, dst, byte);
            return dst.into();
        }
        match byte {
            0 => Word::Number(0),
            _ => self.wide_number(cx, Width::X, bytes).into(),
        }
    }

    fn copy_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, to: Amode, from: Amode, count: u32) {
        let [src, dst, left] = [(); 3].map(|()| self.address_temp(cx));
        cx.sink.push(Inst::Lea { dst: src, mem: from });
        cx.sink.push(Inst::Lea { dst, mem: to });
        cx.sink.push(Inst::MovImm { width: Width::X, dst: left, imm: count.into() });
        cx.sink.push(Inst::CopyWords { dst, src, count: left });
    }
}

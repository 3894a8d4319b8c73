//! Loads, stores and stack allocation.
//!
//! Each access traps unless its address is a multiple of its size. What may be elsewhere is read and written in parts:
//!
//! | size | aligned to | instructions |
//! |---|---|---|
//! | 16 bits | 1 | two bytes |
//! | 32 bits | less than 4 | `lwr` and `lwl`, `swr` and `swl` |
//! | `f32` | less than 4 | those, and `mtc1` or `mfc1` |
//! | `f64` | 4 | two `lwc1` or `swc1` |
//! | `f64` | less | two words, each as it can be |
//! | `i64`, vectors | | words |

use super::float_width;
use crate::abi::STACK_ALIGN;
use crate::address::alignment;
use crate::inst::{Amode, Base, Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, FloatWidth, Shift, Transfer};
use ice_codegen::abi::{MAX_FRAME, PAGE};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::words::{MemoryRules, Word};
use ice_codegen::{ErrorKind, Operands as _, Target as _, Words as _};
use ice_ir::{Type, Value};

/// log2 of the alignment of words.
const WORD_ALIGN: u8 = 2;

/// log2 of the alignment of an access to a value of `ty`: what is known of the address is asked only where that counts.
#[inline]
fn align_for<S: Sink<Inst>>(cx: &Cx<'_, S>, ty: Type, align_log2: u8, address: Value) -> u8 {
    let needed = match ty {
        Type::I1 | Type::I8 => 0,
        Type::I16 => 1,
        Type::F64 => 3,
        _ => WORD_ALIGN,
    };
    if align_log2 >= needed { align_log2 } else { align_log2.max(alignment(cx, address)) }
}

impl Mips32 {
    /// A load of any type.
    pub(crate) fn load<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        address: Value,
        align_log2: u8,
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        match ty {
            Type::I1 | Type::I8 | Type::I16 => {
                let dst = cx.regs(result).lo();
                let op = if ty == Type::I16 { Transfer::Lhu } else { Transfer::Lbu };
                self.load_narrow(cx, op, dst, address, align_log2);
            }
            _ => {
                let align = align_for(cx, ty, align_log2, address);
                let mem = self.address(cx, address);
                self.load_from(cx, mem, align, result);
            }
        }
    }

    /// A load of 8 or 16 bits by an instruction that extends them.
    pub(super) fn load_narrow<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Transfer,
        dst: VReg,
        address: Value,
        align_log2: u8,
    ) {
        let align = align_for(cx, Type::I16, align_log2, address);
        let mem = self.address(cx, address);
        let high = match op {
            Transfer::Lhu if align == 0 => Transfer::Lbu,
            Transfer::Lh if align == 0 => Transfer::Lb,
            _ => return cx.sink.push(Inst::Load { op, dst, mem }),
        };
        let mem = self.anchored(cx, mem);
        let [lo, hi] = [self.temp(cx), self.temp(cx)];
        cx.sink.push(Inst::Load { op: Transfer::Lbu, dst: lo, mem });
        cx.sink.push(Inst::Load { op: high, dst: hi, mem: mem.offset(1) });
        let top = self.shift_temp(cx, Shift::Sll, hi, 8);
        self.alu(cx, Alu::Or, dst, lo, top);
    }

    /// A word at an address with this alignment.
    pub(super) fn load_part<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, mem: Amode, align_log2: u8) {
        if align_log2 >= WORD_ALIGN {
            return cx.sink.push(Inst::Load { op: Transfer::Lw, dst, mem });
        }
        cx.sink.push(Inst::Load { op: Transfer::Lwr, dst, mem });
        cx.sink.push(Inst::LoadLeft { dst, mem: mem.offset(3) });
    }

    /// Stores a word to an address with this alignment.
    pub(super) fn store_part<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: Src, mem: Amode, align_log2: u8) {
        cx.sink.push(match align_log2 >= WORD_ALIGN {
            true => Inst::Store { op: Transfer::Sw, src, mem },
            false => Inst::StoreAnywhere { src, mem },
        });
    }

    /// A load of `result`, 32 bits or more, from a memory operand with this alignment.
    pub(super) fn load_from<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        mem: Amode,
        align_log2: u8,
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let regs = cx.regs(result);
        let dst = regs.lo();
        match (ty, align_log2) {
            (Type::F32, WORD_ALIGN..) | (Type::F64, 3..) => {
                cx.sink.push(Inst::LoadFloat { width: float_width(ty), dst, mem });
            }
            (Type::F64, WORD_ALIGN) => {
                let mem = self.anchored(cx, mem);
                cx.sink.push(Inst::LoadHalves { dst, mem });
            }
            (Type::F32, _) => {
                let word = self.temp(cx);
                self.load_part(cx, word, mem, align_log2);
                cx.sink.push(Inst::WordToSingle { dst, src: Src::Reg(word) });
            }
            (Type::F64, _) => {
                let mem = self.anchored(cx, mem);
                let words = [0, 4].map(|at| {
                    let word = self.temp(cx);
                    self.load_part(cx, word, mem.offset(at), align_log2);
                    Src::Reg(word)
                });
                cx.sink.push(Inst::PairToDouble { dst, lo: words[0], hi: words[1] });
            }
            _ => {
                let mem = if regs.iter().count() > 1 { self.anchored(cx, mem) } else { mem };
                for (dst, at) in regs.iter().zip((0..).step_by(4)) {
                    self.load_part(cx, dst, mem.offset(at), align_log2);
                }
            }
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
        let align = align_for(cx, ty, align_log2, address);
        let mem = self.address(cx, address);
        match ty {
            Type::I32 if align >= WORD_ALIGN => {
                let src = self.src(cx, value);
                cx.sink.push(Inst::Store { op: Transfer::Sw, src, mem });
            }
            Type::I1 | Type::I8 => {
                let src = self.src(cx, value);
                cx.sink.push(Inst::Store { op: Transfer::Sb, src, mem });
            }
            Type::I16 if align > 0 => {
                let src = self.src(cx, value);
                cx.sink.push(Inst::Store { op: Transfer::Sh, src, mem });
            }
            Type::I16 => {
                let src = self.reg(cx, value);
                let mem = self.anchored(cx, mem);
                let high = self.shift_temp(cx, Shift::Srl, src, 8);
                for (src, at) in [(src, 0), (high, 1)] {
                    cx.sink.push(Inst::Store { op: Transfer::Sb, src: Src::Reg(src), mem: mem.offset(at) });
                }
            }
            _ => self.store_to(cx, mem, align, value),
        }
    }

    /// A store of `value`, 32 bits or more, to a memory operand with this alignment.
    pub(super) fn store_to<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        mem: Amode,
        align_log2: u8,
        value: Value,
    ) {
        let ty = cx.func.value_type(value);
        if !ty.is_scalar_float() {
            let parts = self.part_srcs(cx, value);
            let count = usize::from(super::parts(ty));
            let mem = if count > 1 { self.anchored(cx, mem) } else { mem };
            for (src, at) in parts.into_iter().take(count).zip((0..).step_by(4)) {
                self.store_part(cx, src, mem.offset(at), align_log2);
            }
            return;
        }
        let src = self.reg(cx, value);
        match (float_width(ty), align_log2) {
            (FloatWidth::S, WORD_ALIGN..) | (FloatWidth::D, 3..) => {
                cx.sink.push(Inst::StoreFloat { width: float_width(ty), src, mem });
            }
            (FloatWidth::D, WORD_ALIGN) => {
                let mem = self.anchored(cx, mem);
                cx.sink.push(Inst::StoreHalves { src, mem });
            }
            (FloatWidth::S, _) => {
                let dst = self.temp(cx);
                cx.sink.push(Inst::SingleToWord { dst, src });
                self.store_part(cx, Src::Reg(dst), mem, align_log2);
            }
            (FloatWidth::D, _) => {
                let mem = self.anchored(cx, mem);
                let [lo, hi] = [self.temp(cx), self.temp(cx)];
                cx.sink.push(Inst::DoubleToPair { lo, hi, src });
                self.store_part(cx, Src::Reg(lo), mem, align_log2);
                self.store_part(cx, Src::Reg(hi), mem.offset(4), align_log2);
            }
        }
    }

    /// A stack allocation that moves the stack pointer.
    pub(crate) fn alloca<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        size: Value,
        align_log2: u8,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let dst = cx.regs(result).lo();
        // Room to round the address up, as the stack pointer itself is not aligned to more.
        let align = 1u32 << align_log2.clamp(Self::STACK_ALIGN_LOG2, 31);
        let slack = align - STACK_ALIGN;
        match cx.func.int_value(size).map(|size| u64::from(size as u32)) {
            // So that several do not add up to nothing.
            Some(size) if size > MAX_FRAME => return Err(ErrorKind::FrameTooLarge(size)),
            Some(size) if size + u64::from(slack) + u64::from(STACK_ALIGN) < u64::from(PAGE) => {
                let bytes = (size as u32 + slack).next_multiple_of(STACK_ALIGN);
                cx.sink.push(Inst::StackTake { bytes });
            }
            _ => {
                let size = self.reg(cx, size);
                let sum = self.alu_imm_temp(cx, Alu::Addu, size, slack + STACK_ALIGN - 1);
                let amount = self.alu_imm_temp(cx, Alu::And, sum, !(STACK_ALIGN - 1));
                cx.sink.push(Inst::StackSub { amount });
            }
        }
        let top = if slack == 0 { dst } else { self.temp(cx) };
        cx.sink.push(Inst::Lea { dst: top, mem: Amode::new(Base::Allocated, slack as i32) });
        if slack > 0 {
            self.alu_imm(cx, Alu::And, dst, top, !(align - 1));
        }
        Ok(())
    }
}

impl MemoryRules for Mips32 {
    type Mem = Amode;

    const CHUNKS: &'static [u8] = &[4, 1];
    const OVERLAPS: bool = false;

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

    fn known_align<S: Sink<Inst>>(self, cx: &Cx<'_, S>, value: Value) -> u8 {
        alignment(cx, value)
    }

    fn load_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, mem: Amode, align: u8) -> VReg {
        let dst = self.temp(cx);
        match size {
            4 => self.load_part(cx, dst, mem, align),
            _ => cx.sink.push(Inst::Load { op: Transfer::Lbu, dst, mem }),
        }
        dst
    }

    fn store_chunk<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u8, src: Word, mem: Amode, align: u8) {
        let src = self.word_src(cx, src);
        match size {
            4 => self.store_part(cx, src, mem, align),
            _ => cx.sink.push(Inst::Store { op: Transfer::Sb, src, mem }),
        }
    }

    fn filled<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, _: u8, byte: u8) -> Word {
        match byte {
            0 => Word::Number(0),
            _ => self.number_reg(cx, u32::from(byte) * 0x0101_0101).into(),
        }
    }

    fn copy_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, to: Amode, from: Amode, count: u32) {
        let [src, dst, left] = [(); 3].map(|()| self.temp(cx));
        cx.sink.push(Inst::Lea { dst: src, mem: from });
        cx.sink.push(Inst::Lea { dst, mem: to });
        cx.sink.push(Inst::MovImm { dst: left, imm: count });
        cx.sink.push(Inst::CopyWords { dst, src, count: left });
    }
}

//! Lowering rules: one file a kind of instruction, this one holds the helpers.
//!
//! Representation of values: an `i1` is 0 or 1 in its whole register; above the width of an `i8` or `i16` a register
//! holds anything; the lanes of a vector are in four registers, from the low end. Every rule keeps this and may rely on
//! it. What is zero needs no register: [`Src::Zero`].

#[cfg(feature = "assembly")]
mod assembly;
mod atomic;
mod call;
mod compare;
mod constant;
mod control;
mod float;
mod fold;
mod int;
mod intrinsic;
mod memory;
mod pair64;
mod select;
#[cfg(test)]
mod tests;
mod words;

use crate::inst::{Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, AluSigned, AluUnsigned, FloatWidth, Shift};
use ice_codegen::extension::word;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Operands as _, ValueRegs, Words as _};
use ice_ir::{Type, Value};

/// The width of a floating-point type.
pub(crate) fn float_width(ty: Type) -> FloatWidth {
    if ty == Type::F32 { FloatWidth::S } else { FloatWidth::D }
}

/// How many registers or words a value of the type is.
pub(crate) fn parts(ty: Type) -> u8 {
    match ty {
        Type::I64 | Type::F64 => 2,
        _ if ty.is_vector() => 4,
        _ => 1,
    }
}

/// The part of an operation on two sources that takes a constant in the instruction.
#[derive(Clone, Copy)]
pub(crate) enum Immediate {
    Signed(AluSigned, i16),
    Unsigned(AluUnsigned, u16),
}

/// How the instruction for `op` carries the number as its second source, if it does.
pub(crate) fn immediate(op: Alu, number: u32) -> Option<Immediate> {
    let signed = |number: u32| i16::try_from(number as i32).ok();
    let unsigned = u16::try_from(number).ok();
    match op {
        Alu::Addu => signed(number).map(|imm| Immediate::Signed(AluSigned::Addiu, imm)),
        Alu::Subu => signed(number.wrapping_neg()).map(|imm| Immediate::Signed(AluSigned::Addiu, imm)),
        Alu::Slt => signed(number).map(|imm| Immediate::Signed(AluSigned::Slti, imm)),
        Alu::Sltu => signed(number).map(|imm| Immediate::Signed(AluSigned::Sltiu, imm)),
        Alu::And => unsigned.map(|imm| Immediate::Unsigned(AluUnsigned::Andi, imm)),
        Alu::Or => unsigned.map(|imm| Immediate::Unsigned(AluUnsigned::Ori, imm)),
        Alu::Xor => unsigned.map(|imm| Immediate::Unsigned(AluUnsigned::Xori, imm)),
        _ => None,
    }
}

impl Mips32 {
    /// A value of up to 32 bits that is read.
    pub(crate) fn src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match word(cx.func, value) {
            Some(0) => Src::Zero,
            _ => Src::Reg(self.reg(cx, value)),
        }
    }

    /// A number that is read.
    pub(crate) fn number<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, number: u32) -> Src {
        if number == 0 { Src::Zero } else { Src::Reg(self.number_reg(cx, number)) }
    }

    /// The parts of a value in general registers.
    pub(crate) fn part_srcs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> [Src; 4] {
        let mut parts = [Src::Zero; 4];
        let number = match cx.func.value_type(value) {
            Type::I64 => cx.func.int_value(value).map(|number| u128::from(number as u64)),
            ty if ty.is_vector() => ice_codegen::lanes::constant_vector(cx.func, value),
            _ => word(cx.func, value).map(u128::from),
        };
        if let Some(number) = number {
            for (n, part) in parts.iter_mut().enumerate() {
                *part = self.number(cx, (number >> (32 * n)) as u32);
            }
            return parts;
        }
        let regs = self.regs(cx, value);
        for (part, reg) in parts.iter_mut().zip(regs.iter()) {
            *part = Src::Reg(reg);
        }
        parts
    }

    /// `dst = src`.
    pub(crate) fn mov<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: Src) {
        cx.sink.push(match src {
            Src::Reg(src) => Inst::Mov { dst, src },
            Src::Zero => Inst::MovImm { dst, imm: 0 },
        });
    }

    /// `dst = lhs op rhs`.
    pub(crate) fn alu<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        dst: VReg,
        lhs: impl Into<Src>,
        rhs: impl Into<Src>,
    ) {
        cx.sink.push(Inst::Alu { op, dst, lhs: lhs.into(), rhs: rhs.into() });
    }

    /// `lhs op rhs` in a register of its own.
    pub(crate) fn alu_temp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        lhs: impl Into<Src>,
        rhs: impl Into<Src>,
    ) -> VReg {
        let dst = self.temp(cx);
        self.alu(cx, op, dst, lhs, rhs);
        dst
    }

    /// `dst = lhs op number`.
    pub(crate) fn alu_imm<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        dst: VReg,
        lhs: VReg,
        number: u32,
    ) {
        match immediate(op, number) {
            Some(Immediate::Signed(op, imm)) => cx.sink.push(Inst::AluSigned { op, dst, lhs, imm }),
            Some(Immediate::Unsigned(op, imm)) => cx.sink.push(Inst::AluUnsigned { op, dst, lhs, imm }),
            None => {
                let rhs = self.number(cx, number);
                self.alu(cx, op, dst, lhs, rhs);
            }
        }
    }

    /// `lhs op number` in a register of its own.
    pub(crate) fn alu_imm_temp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        lhs: VReg,
        number: u32,
    ) -> VReg {
        let dst = self.temp(cx);
        self.alu_imm(cx, op, dst, lhs, number);
        dst
    }

    /// `dst = src shifted by amount`, which may be 0.
    pub(crate) fn shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        dst: VReg,
        src: VReg,
        amount: u8,
    ) {
        cx.sink.push(match amount {
            0 => Inst::Mov { dst, src },
            _ => Inst::Shift { op, dst, src, amount },
        });
    }

    /// `src` shifted, in a register of its own unless the amount is 0.
    pub(crate) fn shift_temp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        src: VReg,
        amount: u8,
    ) -> VReg {
        if amount == 0 {
            return src;
        }
        let dst = self.temp(cx);
        cx.sink.push(Inst::Shift { op, dst, src, amount });
        dst
    }

    /// Moves a value of any type into `dst`, registers of the same layout.
    pub(crate) fn move_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: ValueRegs, value: Value) {
        let ty = cx.func.value_type(value);
        if ty.is_scalar_float() {
            let src = self.reg(cx, value);
            return cx.sink.push(Inst::MovFloat { width: float_width(ty), dst: dst.lo(), src });
        }
        let parts = self.part_srcs(cx, value);
        for (dst, src) in dst.iter().zip(parts) {
            self.mov(cx, dst, src);
        }
    }
}

//! Lowering rules: one file a kind of instruction, this one holds the helpers.
//!
//! Representation of values: an `i1` is 0 or 1 in its whole register; above the width of an `i8` or `i16` a register holds
//! anything, and above that of an `i32` as well, but in PNaCl programs zeros; a lane of an `i1` vector is all ones or all
//! zeros. Every rule keeps this and may rely on it. What is zero needs no register: [`Src::Zero`].

#[cfg(feature = "assembly")]
mod assembly;
mod atomic;
mod call;
mod chain;
mod compare;
mod constant;
mod control;
mod divide;
mod float;
pub(crate) mod fold;
mod int;
mod intrinsic;
mod lanes;
pub(crate) mod memory;
mod select;
mod variadic;
mod vector;
mod words;

use crate::inst::{Inst, Rhs, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, ArithImm, BitField, FloatWidth, LogicImm, Shift, Width};
use ice_codegen::Operands as _;
use ice_codegen::extension::word;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_ir::{Function, Type, Value};

/// The width of arithmetic on an integer type.
pub(crate) fn width(ty: Type) -> Width {
    if ty == Type::I64 { Width::X } else { Width::W }
}

/// The bits of a width.
pub(crate) fn bits(width: Width) -> u8 {
    match width {
        Width::W => 32,
        Width::X => 64,
    }
}

/// What is this wide of a scalar floating-point type, or a vector.
pub(crate) fn float_width(ty: Type) -> FloatWidth {
    match ty {
        Type::F32 => FloatWidth::S,
        Type::F64 => FloatWidth::D,
        _ => FloatWidth::Q,
    }
}

/// The bits of an integer constant in its register, zeros above its width.
pub(crate) fn number_of(func: &Function, value: Value) -> Option<u64> {
    match func.value_type(value) {
        Type::I64 => func.int_value(value).map(|number| number as u64),
        _ => word(func, value).map(u64::from),
    }
}

impl Aarch64 {
    /// A fresh general register for what is this wide.
    pub(crate) fn wide_temp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width) -> VReg {
        cx.temp(if width == Width::X { Type::I64 } else { Type::I32 }).lo()
    }

    /// A fresh general register for an address of the machine.
    pub(crate) fn address_temp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        self.wide_temp(cx, Width::X)
    }

    /// A value that is read.
    pub(crate) fn src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match number_of(cx.func, value) {
            Some(0) => Src::Zero,
            _ => Src::Reg(self.reg(cx, value)),
        }
    }

    /// A number in a register, which must not be written.
    pub(crate) fn wide_number<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, imm: u64) -> VReg {
        if let Some(reg) = cx.held(constant::number_constant(width, imm)) {
            return reg;
        }
        let dst = self.wide_temp(cx, width);
        cx.sink.push(Inst::MovImm { width, dst, imm });
        dst
    }

    /// `dst = src`.
    pub(crate) fn mov<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, dst: VReg, src: Src) {
        cx.sink.push(match src {
            Src::Reg(src) => Inst::Mov { width, dst, src },
            Src::Zero => Inst::MovImm { width, dst, imm: 0 },
        });
    }

    /// `dst = lhs op rhs`.
    pub(crate) fn alu<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, width): (Alu, Width),
        dst: VReg,
        lhs: impl Into<Src>,
        rhs: impl Into<Rhs>,
    ) {
        cx.sink.push(Inst::Alu { op, width, dst, lhs: lhs.into(), rhs: rhs.into() });
    }

    /// `lhs op rhs` in a register of its own.
    pub(crate) fn alu_temp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, width): (Alu, Width),
        lhs: impl Into<Src>,
        rhs: impl Into<Rhs>,
    ) -> VReg {
        let dst = self.wide_temp(cx, width);
        self.alu(cx, (op, width), dst, lhs, rhs);
        dst
    }

    /// `dst = lhs op number`, where the operation is a sum, a difference or logic.
    pub(crate) fn alu_number<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, width): (Alu, Width),
        dst: VReg,
        lhs: VReg,
        number: u64,
    ) {
        match immediate(op, width, number) {
            Some((op, rhs)) => self.alu(cx, (op, width), dst, lhs, rhs),
            None => {
                let rhs = self.wide_number(cx, width, number);
                self.alu(cx, (op, width), dst, lhs, rhs);
            }
        }
    }

    /// `lhs op number` in a register of its own.
    pub(crate) fn alu_number_temp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, width): (Alu, Width),
        lhs: VReg,
        number: u64,
    ) -> VReg {
        let dst = self.wide_temp(cx, width);
        self.alu_number(cx, (op, width), dst, lhs, number);
        dst
    }

    /// `dst = src` shifted by a constant below its width, which may be 0.
    pub(crate) fn shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, width): (Shift, Width),
        dst: VReg,
        src: VReg,
        amount: u8,
    ) {
        let top = bits(width) - 1;
        cx.sink.push(match op {
            _ if amount == 0 => Inst::Mov { width, dst, src },
            Shift::Lsl => {
                let (op, first, last) = (BitField::Ubfm, (bits(width) - amount) & top, top - amount);
                Inst::BitField { op, width, dst, src, first, last }
            }
            Shift::Lsr => Inst::BitField { op: BitField::Ubfm, width, dst, src, first: amount, last: top },
            Shift::Asr => Inst::BitField { op: BitField::Sbfm, width, dst, src, first: amount, last: top },
            Shift::Ror => Inst::ExtractPair { width, dst, hi: src, lo: src, lsb: amount },
        });
    }

    /// `src` shifted, in a register of its own unless the amount is 0.
    pub(crate) fn shift_temp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, width): (Shift, Width),
        src: VReg,
        amount: u8,
    ) -> VReg {
        if amount == 0 {
            return src;
        }
        let dst = self.wide_temp(cx, width);
        self.shift(cx, (op, width), dst, src, amount);
        dst
    }

    /// `dst` = the bits from `lsb` on of `src`, `size` of them.
    pub(crate) fn field<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (sign, width): (Signedness, Width),
        dst: VReg,
        src: VReg,
        (lsb, size): (u8, u8),
    ) {
        let op = if sign == Signedness::Signed { BitField::Sbfm } else { BitField::Ubfm };
        cx.sink.push(Inst::BitField { op, width, dst, src, first: lsb, last: lsb + size - 1 });
    }

    /// Moves a value of any type into `dst`, a register of the same layout.
    pub(crate) fn move_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, value: Value) {
        let ty = cx.func.value_type(value);
        if crate::abi::is_vector(ty) {
            let src = self.reg(cx, value);
            return cx.sink.push(Inst::MovFloat { width: float_width(ty), dst, src });
        }
        let src = self.src(cx, value);
        self.mov(cx, width(ty), dst, src);
    }
}

/// How an instruction carries the number as its second source, perhaps one of the opposite operation.
pub(crate) fn immediate(op: Alu, width: Width, number: u64) -> Option<(Alu, Rhs)> {
    let (number, opposite) = match width {
        Width::W => (u64::from(number as u32), u64::from((number as u32).wrapping_neg())),
        Width::X => (number, number.wrapping_neg()),
    };
    let other = match op {
        Alu::Add => Alu::Sub,
        Alu::Sub => Alu::Add,
        Alu::And | Alu::Orr | Alu::Eor => {
            return LogicImm::new(width, number).map(|imm| (op, Rhs::Bits(imm)));
        }
        _ => return None,
    };
    let arith = |op, number| ArithImm::new(number).map(|imm| (op, Rhs::Imm(imm)));
    arith(op, number).or_else(|| arith(other, opposite))
}

//! Lowering rules: one file a kind of instruction, this one chooses the rule and holds the helpers.
//!
//! Representation of values: an `i1` is 0 or 1 in its whole register; above the width of an `i8` or `i16` a
//! register holds anything. Every rule keeps this and may rely on it.

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
mod lanes;
mod memory;
mod pair64;
#[cfg(test)]
mod tests;
mod vector;
mod words;

pub(crate) use crate::abi::is_extension;
use crate::inst::{FloatSize, Inst, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Flags, Move};
use ice_codegen::extension::{known_halves, word};
use ice_codegen::mach::{Sink, VReg};
pub(crate) use ice_codegen::magic::Signedness;
use ice_codegen::{Operands as _, ValueRegs};
use ice_ir::{Type, Value, ValueDef};

/// The size of a floating-point or vector type.
fn float_size(ty: Type) -> FloatSize {
    match ty {
        Type::F32 => FloatSize::Single,
        Type::F64 => FloatSize::Double,
        _ => FloatSize::Quad,
    }
}

impl Arm32 {
    /// A value of up to 32 bits as a flexible operand.
    #[inline]
    pub(crate) fn src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match cx.plain_reg(value) {
            Some(reg) => Src::Reg(reg),
            None => self.special_src(cx, value),
        }
    }

    /// A value of up to 32 bits that is not in a register yet, as a flexible operand.
    #[inline(never)]
    fn special_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match cx.func.value_def(value) {
            ValueDef::Int(n) if cx.func.value_type(value) == Type::I1 => self.number(cx, (n & 1) as u32),
            ValueDef::Int(n) => self.number(cx, n as u32),
            ValueDef::Undef => self.number(cx, 0),
            _ => match self.folded_shift(cx, value) {
                Some(src) => src,
                None => Src::Reg(self.reg(cx, value)),
            },
        }
    }

    /// The low and high half of a pair as flexible operands.
    pub(crate) fn pair_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> [Src; 2] {
        match cx.func.value_def(value) {
            ValueDef::Int(n) => [self.number(cx, n as u32), self.number(cx, (n >> 32) as u32)],
            ValueDef::Undef => [self.number(cx, 0), self.number(cx, 0)],
            _ => {
                let (regs, known) = (self.regs(cx, value), known_halves(cx.func, value));
                [0, 1].map(|part| match known[part] {
                    Some(number) => self.number(cx, number),
                    None => Src::Reg(regs.part(part as u8)),
                })
            }
        }
    }

    /// Moves a flexible operand into `dst`.
    pub(crate) fn mov<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: Src) {
        cx.sink.push(match src {
            Src::Reg(src) => Inst::Mov { dst, src },
            Src::Imm(imm) => Inst::MovImm { dst, imm: imm.value() },
            _ => Inst::MovSrc { op: Move::Mov, flags: Flags::Keep, dst, src },
        });
    }

    /// Moves a value of any type into `dst`, registers of the same layout.
    pub(crate) fn move_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: ValueRegs, value: Value) {
        let ty = cx.func.value_type(value);
        if is_extension(ty) {
            let src = self.reg(cx, value);
            return cx.sink.push(Inst::MovFloat { size: float_size(ty), dst: dst.lo(), src });
        }
        if let Some(number) = word(cx.func, value) {
            return self.mov_number(cx, dst.lo(), number);
        }
        if let Some(number) = cx.func.int_value(value) {
            for (n, dst) in dst.iter().enumerate() {
                self.mov_number(cx, dst, (number >> (32 * n)) as u32);
            }
            return;
        }
        let src = self.regs(cx, value);
        for (dst, src) in dst.iter().zip(src.iter()) {
            cx.sink.push(Inst::Mov { dst, src });
        }
    }
}

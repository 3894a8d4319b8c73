//! Lowering rules: one file a kind of instruction, this one chooses the rule and holds the helpers.
//!
//! Representation of values: an `i1` is 0 or 1 in the low byte of its register; above the width of an `i8`
//! or `i16` a register holds anything; on x86-64 the upper half of the register of an `i32` is zero, but in native
//! code of a parameter, a truncation or a result of a call that nobody extends ([`X86::wants_clean`]). A
//! lane of an `i1` vector is all ones or all zeros. Every rule keeps this and may rely on it.

#[cfg(feature = "assembly")]
mod assembly;
mod atomic;
mod bits;
mod call;
mod carry;
mod compare;
mod constant;
mod control;
mod convention;
mod divide;
mod extended;
mod field;
mod float;
mod fold;
mod int;
mod intrinsic;
mod invoke;
mod memory;
mod overflow;
mod pair64;
mod pair_float;
mod product;
mod return_call;
mod rotate;
mod select;
#[cfg(test)]
mod tests;
mod variadic;
mod vector;

use crate::inst::{Amode, Base, Extend, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::Width;
use ice_codegen::extension::{is_zero_extended_beside_signs, known_halves};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{CodeSymbol, Operands as _, ValueRegs};
use ice_ir::{Symbol, Type, Value, ValueDef};

impl X86 {
    /// Whether the upper half of the register of `value` must become zero where its definition leaves anything there:
    /// if it is an `i32` on x86-64, and native code asks for more than its 32 bits. That of PNaCl programs has
    /// addresses of 32 bits.
    pub(crate) fn wants_clean<S: Sink<Inst>>(self, cx: &Cx<'_, S>, value: Value) -> bool {
        !self.has_pairs()
            && cx.func.value_type(value) == Type::I32
            && (!self.is_native() || cx.uses.is_widened(value))
    }

    /// A value that has no register yet, put into fresh ones. Writes no flags that matter: callers
    /// materialise before they compare.
    pub(crate) fn materialize_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> ValueRegs {
        let ty = cx.func.value_type(value);
        let regs = cx.fresh_constant_regs(value);
        let dst = regs.lo();
        if let Some(object) = cx.frame_object(value) {
            let mem = Amode::new(Base::Object(object), 0);
            cx.sink.push(Inst::Lea { width: self.address_width(), dst, mem });
            return regs;
        }
        match cx.func.value_def(value) {
            ValueDef::Int(number) if ty == Type::I64 && self.has_pairs() => {
                cx.sink.push(Inst::MovImm { width: Width::B32, dst, imm: number as i32 as i64 });
                let hi = (number >> 32) as i32 as i64;
                cx.sink.push(Inst::MovImm { width: Width::B32, dst: regs.hi(), imm: hi });
            }
            ValueDef::Int(number) => {
                let imm = if ty == Type::I1 { number & 1 } else { number };
                cx.sink.push(Inst::MovImm { width: self.arithmetic_width(ty), dst, imm });
            }
            ValueDef::Float(0) => cx.sink.push(Inst::ZeroXmm { dst }),
            ValueDef::Float(bits) => {
                let size = if ty == Type::F32 { ConstantSize::C4 } else { ConstantSize::C8 };
                let mem = self.constant_address(cx, size, u128::from(bits));
                cx.sink.push(Inst::LoadXmm { size: ty.bytes() as u8, dst, mem });
            }
            ValueDef::Function(f) => self.symbol_address(cx, Symbol::Function(f), dst),
            ValueDef::Global(g) => self.symbol_address(cx, Symbol::Global(g), dst),
            _ if ty.is_wide() => cx.sink.push(Inst::ZeroYmm { dst }),
            _ if ty.is_vector() || ty.is_scalar_float() => cx.sink.push(Inst::ZeroXmm { dst }),
            _ => {
                for dst in regs.iter() {
                    cx.sink.push(Inst::MovImm { width: Width::B32, dst, imm: 0 });
                }
            }
        }
        regs
    }

    /// A value as a source operand: an immediate where one fits, memory for a folded load. Such a load is
    /// of 32 or 64 bits: of narrower ones see [`Self::exact_src`].
    #[inline]
    pub(crate) fn src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match cx.plain_reg(value) {
            Some(reg) => Src::Reg(reg),
            None => self.special_src(cx, value),
        }
    }

    /// A value that is not in registers yet, as a source operand.
    #[inline(never)]
    fn special_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match cx.func.value_def(value) {
            ValueDef::Int(n) if cx.func.value_type(value) == Type::I1 => Src::Imm((n & 1) as i32),
            ValueDef::Int(n) => match i32::try_from(n) {
                Ok(imm) => Src::Imm(imm),
                Err(_) => Src::Reg(self.reg(cx, value)),
            },
            ValueDef::Undef if cx.func.value_type(value).is_scalar_int() => Src::Imm(0),
            ValueDef::Function(f) if self.has_absolute_symbols() => {
                Src::Symbol(CodeSymbol::Function(f).pack(), 0)
            }
            ValueDef::Global(g) if self.has_absolute_symbols() => {
                Src::Symbol(CodeSymbol::Global(g).pack(), 0)
            }
            _ if matches!(cx.func.value_type(value), Type::I8 | Type::I16) => Src::Reg(self.reg(cx, value)),
            _ => self.exact_src(cx, value),
        }
    }

    /// A value that is no constant as a source operand of exactly its width.
    pub(crate) fn exact_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match self.folded_load(cx, value) {
            Some(mem) => Src::Mem(mem),
            None => Src::Reg(self.reg(cx, value)),
        }
    }

    /// The low and high half of a pair as source operands: halves that are known are immediates, and nobody asks for the
    /// registers that were made for them.
    pub(crate) fn pair_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> [Src; 2] {
        match cx.func.value_def(value) {
            ValueDef::Int(n) => [Src::Imm(n as i32), Src::Imm((n >> 32) as i32)],
            ValueDef::Undef => [Src::Imm(0), Src::Imm(0)],
            _ => match self.folded_pair(cx, value) {
                Some(parts) => parts,
                None => {
                    let regs = self.regs(cx, value);
                    let known = known_halves(cx.func, value);
                    let part = |n: u8| match known[usize::from(n)] {
                        Some(number) => Src::Imm(number as i32),
                        None => Src::Reg(regs.part(n)),
                    };
                    [part(0), part(1)]
                }
            },
        }
    }

    /// A fresh general register for a value of `ty`.
    pub(crate) fn temp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type) -> VReg {
        cx.temp(ty).lo()
    }

    /// Moves a source operand into `dst`.
    pub(crate) fn mov<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, dst: VReg, src: Src) {
        cx.sink.push(match src {
            Src::Reg(src) => Inst::Mov { width, dst, src },
            Src::Mem(mem) => Inst::Load { width, dst, mem },
            Src::Imm(imm) => Inst::MovImm { width, dst, imm: imm.into() },
            Src::Symbol(symbol, addend) => Inst::MovSymbol { dst, symbol, addend },
        });
    }

    /// Moves a value of any type into `dst`, registers of the same layout.
    pub(crate) fn move_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: ValueRegs, value: Value) {
        let ty = cx.func.value_type(value);
        if ty.is_vector() || ty.is_scalar_float() {
            let src = self.reg(cx, value);
            cx.sink.push(Inst::MovXmm { dst: dst.lo(), src, size: ty.bytes() as u8 });
        } else if ty == Type::I64 && self.has_pairs() {
            let [lo, hi] = self.pair_src(cx, value);
            self.mov(cx, Width::B32, dst.lo(), lo);
            self.mov(cx, Width::B32, dst.hi(), hi);
        } else {
            let src = self.src(cx, value);
            self.mov(cx, self.arithmetic_width(ty), dst.lo(), src);
        }
    }

    /// An integer value extended to 32 bits: a copy in a fresh register, or that of an `i32`.
    pub(crate) fn extended_reg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, kind: Extend, value: Value) -> VReg {
        match cx.func.value_type(value) {
            Type::I32 => self.reg(cx, value),
            _ => self.extended(cx, kind, value),
        }
    }

    /// A copy of an integer value extended to 32 bits in a fresh register.
    pub(crate) fn extended<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, kind: Extend, value: Value) -> VReg {
        let ty = cx.func.value_type(value);
        let dst = self.temp(cx, Type::I32);
        if let Some(number) = cx.func.int_value(value) {
            let number = match kind {
                Extend::Zero => (number as u64 & ty.int_mask()) as i64,
                Extend::Sign => number,
            };
            cx.sink.push(Inst::MovImm { width: Width::B32, dst, imm: number });
        } else {
            self.extend_into(cx, kind, value, dst);
        }
        dst
    }

    /// Writes an integer value of up to 32 bits, extended to 32 bits, to a register.
    pub(crate) fn extend_into<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        kind: Extend,
        value: Value,
        dst: VReg,
    ) {
        let ty = cx.func.value_type(value);
        let src = self.exact_src(cx, value);
        let is_extended = match (ty, kind) {
            (Type::I32, _) => true,
            (Type::I8 | Type::I16, Extend::Zero) => {
                matches!(src, Src::Reg(_)) && is_zero_extended_beside_signs(cx.func, value)
            }
            _ => false,
        };
        match is_extended {
            true => self.mov(cx, Width::B32, dst, src),
            false => cx.sink.push(Inst::Extend { kind, from: self.width(ty), to: Width::B32, dst, src }),
        }
    }
}

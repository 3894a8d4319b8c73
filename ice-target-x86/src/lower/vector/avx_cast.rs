//! Conversions of vectors of 256 bits, to them and from them: numbers of other widths, floats, booleans.
//!
//! A register of 128 bits becomes one of 256 by an instruction. The way back packs the halves, whose lanes are cut to what
//! they keep before, so that saturation changes nothing.

use super::avx::SIZE;
use super::splat;
use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::SseOp;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::vectors::is_clear_above;
use ice_ir::{CastOp, Intrinsic, Type, Value};

/// 2^16 as binary32.
const TWO_TO_16: u64 = 0x4780_0000;

impl X86 {
    /// Any conversion with a vector of 256 bits on at least one side.
    pub(super) fn wide_cast<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        arg: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        use CastOp::*;
        use SseOp as I;
        use Type::*;
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let widen = match (op, from, to) {
            (Zext | Sext, ..) if !from.is_bool_or_bool_vector() => self.extended_lanes(cx, op, arg, to),
            (Sitofp, V4I32, V4F64) => Some((I::Cvtdq2pd, self.wide_src(cx, arg))),
            (Fpext, V4F32, V4F64) => Some((I::Cvtps2pd, self.wide_src(cx, arg))),
            _ => None,
        };
        if let Some((op, src)) = widen {
            let dst = cx.regs(result).lo();
            cx.sink.push(Inst::Widen { op, dst, src });
            return Ok(());
        }
        match (op, from, to) {
            (Sext, ..) if from.is_bool_or_bool_vector() && to.is_wide() => {
                let src = self.wide_mask(cx, arg)?;
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::MovXmm { dst, src, size: SIZE });
            }
            (Zext, ..) if from.is_bool_or_bool_vector() && to.is_wide() => {
                let mask = self.wide_mask(cx, arg)?;
                let one = self.repeated(cx, splat(to.element().bits(), 1));
                let dst = cx.regs(result).lo();
                self.avx(cx, I::Pand, dst, mask, one);
            }
            (Bitcast, V32I1, I32) => {
                let (src, dst) = (self.wide_mask(cx, arg)?, cx.regs(result).lo());
                cx.sink.push(Inst::Signs { op: I::Pmovmskb, dst, src });
            }
            (Bitcast, ..) if from.is_wide() && to.is_wide() => {
                let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
                cx.sink.push(Inst::MovXmm { dst, src, size: SIZE });
            }
            (Trunc, V8I32, V8I16) => self.pack_lanes(cx, I::Packusdw, arg, result),
            (Trunc, V16I16, V16I8) => self.pack_lanes(cx, I::Packuswb, arg, result),
            (Trunc, V4I64, V4I32) => {
                let src = self.reg(cx, arg);
                let [low, high] = self.halves_of(cx, src);
                let (dst, imm) = (cx.regs(result).lo(), super::shuffle([0, 2, 0, 2]));
                let src = Src::Reg(high);
                cx.sink.push(Inst::AvxImm { op: I::Shufps, size: 16, dst, first: low, src, imm });
            }
            (Fptosi, V4F64, V4I32) | (Fptrunc, V4F64, V4F32) => {
                let op = if op == Fptrunc { I::Cvtpd2ps } else { I::Cvttpd2dq };
                let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
                cx.sink.push(Inst::Narrow { op, dst, src });
            }
            (Fptosi, V8F32, V8I32) | (Sitofp, V8I32, V8F32) => {
                let op = if op == Fptosi { I::Cvttps2dq } else { I::Cvtdq2ps };
                let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
                cx.sink.push(Inst::AvxUnary { op, size: SIZE, dst, src: Src::Reg(src) });
            }
            (Uitofp, V8I32, V8F32) => self.wide_from_unsigned(cx, arg, result),
            _ => return Err(ErrorKind::Unsupported("this conversion of a vector of 256 bits")),
        }
        Ok(())
    }

    /// The number of the signs of a folded comparison of eight lanes.
    pub(super) fn signs_of_eight<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        booleans: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let (src, dst) = (self.wide_mask(cx, booleans)?, cx.regs(result).lo());
        cx.sink.push(Inst::Signs { op: SseOp::Movmskps, dst, src });
        Ok(())
    }

    /// Both halves in fresh registers, the lower one last, which may be the register itself.
    pub(super) fn halves_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg) -> [VReg; 2] {
        let [low, high] = [0; 2].map(|_| self.vector_temp(cx));
        cx.sink.push(Inst::UpperHalf { dst: high, src });
        cx.sink.push(Inst::LowerHalf { dst: low, src });
        [low, high]
    }

    /// The lower halves of the lanes, cut to these where more bits may be set, packed.
    fn pack_lanes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, arg: Value, result: Value) {
        let bits = cx.func.value_type(arg).element().bits();
        let mut src = self.reg(cx, arg);
        if !is_clear_above(cx.func, arg, bits / 2) {
            let mask = self.repeated(cx, splat(bits, (1 << (bits / 2)) - 1));
            src = self.avx_temp(cx, SseOp::Pand, src, mask);
        }
        let [first, high] = self.halves_of(cx, src);
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::Avx { op, size: 16, dst, first, src: Src::Reg(high) });
    }

    /// high × 2^16 + low: both halves convert exactly and so does the product; the sum rounds once.
    fn wide_from_unsigned<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, arg: Value, result: Value) {
        let src = self.reg(cx, arg);
        let mask = self.repeated(cx, splat(32, 0xffff));
        let low = self.avx_temp(cx, SseOp::Pand, src, mask);
        let high = self.avx_shifted(cx, SseOp::Psrld, src, 16);
        let [low, high] = [low, high].map(|src| {
            let dst = self.ymm_temp(cx);
            cx.sink.push(Inst::AvxUnary { op: SseOp::Cvtdq2ps, size: SIZE, dst, src: Src::Reg(src) });
            dst
        });
        let power = self.repeated(cx, splat(32, TWO_TO_16));
        let high = self.avx_temp(cx, SseOp::Mulps, high, power);
        let dst = cx.regs(result).lo();
        self.avx(cx, SseOp::Addps, dst, high, low);
    }

    /// An intrinsic on vectors of 256 bits.
    pub(in crate::lower) fn wide_intrinsic<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        arg: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let ty = cx.func.value_type(result);
        let (bits, root) = match ty {
            Type::V8F32 => (32, SseOp::Sqrtps),
            Type::V4F64 => (64, SseOp::Sqrtpd),
            _ => return Err(ErrorKind::Unsupported("this intrinsic on a vector of 256 bits")),
        };
        let src = self.reg(cx, arg);
        match op {
            Intrinsic::Sqrt => {
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::AvxUnary { op: root, size: SIZE, dst, src: Src::Reg(src) });
            }
            Intrinsic::Fabs => {
                let mask = self.repeated(cx, splat(bits, !(1 << (bits - 1)) & (u64::MAX >> (64 - bits))));
                let dst = cx.regs(result).lo();
                self.avx(cx, SseOp::Andps, dst, src, mask);
            }
            _ => return Err(ErrorKind::Unsupported("this intrinsic on a vector of 256 bits")),
        }
        Ok(())
    }

    /// The product of two vectors or floats with a sum, rounded once.
    pub(in crate::lower) fn fused<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        args: [Value; 3],
        result: Value,
    ) -> Result<(), ErrorKind> {
        let ty = cx.func.value_type(result);
        let (op, size) = match ty {
            Type::V8F32 => (SseOp::Fmadd231ps, 32),
            Type::V4F64 => (SseOp::Fmadd231pd, 32),
            Type::V4F32 => (SseOp::Fmadd231ps, 16),
            Type::V2F64 => (SseOp::Fmadd231pd, 16),
            Type::F32 => (SseOp::Fmadd231ss, 16),
            Type::F64 => (SseOp::Fmadd231sd, 16),
            _ => return Err(ErrorKind::Unsupported("a product with a sum of this type")),
        };
        let [a, b] = [args[0], args[1]].map(|v| self.reg(cx, v));
        let dst = cx.regs(result);
        self.move_value(cx, dst, args[2]);
        cx.sink.push(Inst::Fused { op, size, dst: dst.lo(), first: a, src: Src::Reg(b) });
        Ok(())
    }
}

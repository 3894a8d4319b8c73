//! Conversions of vectors, and between vectors of booleans and the integer of their bits.

use super::{by_lane, lane_bits, splat};
use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{SseOp, Width};
use ice_codegen::lanes::constant_vector;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::{CastOp, Function, InstData, IntCond, Type, Value};

/// 2^31 as binary32.
const TWO_TO_31: u64 = 0x4f00_0000;
/// 2^16 as binary32.
const TWO_TO_16: u64 = 0x4780_0000;
/// 1 as binary32.
const ONE: u64 = 0x3f80_0000;
/// 1 and -1 as binary64.
const DOUBLE_ONE: u64 = 0x3ff0_0000_0000_0000;
const DOUBLE_MINUS_ONE: u64 = DOUBLE_ONE | 1 << 63;

/// Whether `user` makes a number of the booleans of `def`, which are the signs of bytes: it takes these signs itself.
pub(in crate::lower) fn are_signs(func: &Function, def: ice_ir::Inst, user: ice_ir::Inst) -> bool {
    matches!(*func.inst(user), InstData::Cast { op: CastOp::Bitcast, .. })
        && matches!(*func.inst(def), InstData::Icmp { cond: IntCond::Slt, args: [bytes, zero] }
            if func.value_type(bytes) == Type::V16I8 && constant_vector(func, zero) == Some(0))
        && func.result(user).is_some_and(|number| func.value_type(number) == Type::I16)
}

impl X86 {
    /// Any conversion with a vector on at least one side.
    pub(in crate::lower) fn vector_cast<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        arg: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let source = match cx.folded(arg).map(|inst| cx.func.inst(inst)) {
            Some(&InstData::Icmp { args: [bytes, _], .. }) => bytes,
            _ => arg,
        };
        let (src, dst) = (self.reg(cx, source), cx.regs(result).lo());
        let (from_bool, to_bool) = (from.is_bool_or_bool_vector(), to.is_bool_or_bool_vector());
        match (op, from, to) {
            // No two types of 128 bits differ in a register, and of i1 vectors only equal ones match.
            (CastOp::Bitcast, ..) if from.is_vector() && to.is_vector() => self.copy_to(cx, dst, src),
            (CastOp::Bitcast, Type::V16I1, Type::I16) => self.byte_signs(cx, dst, src),
            (CastOp::Bitcast, Type::V8I1, Type::I8) => {
                let bytes = self.vector_temp(cx);
                self.sse_of(cx, SseOp::Packsswb, bytes, src, Src::Reg(src));
                self.byte_signs(cx, dst, bytes);
            }
            (CastOp::Bitcast, Type::I16, Type::V16I1) | (CastOp::Bitcast, Type::I8, Type::V8I1) => {
                self.bits_to_mask(cx, to, dst, src);
            }
            (CastOp::Trunc, ..) if to_bool && from.lanes() == to.lanes() => {
                self.copy_to(cx, dst, src);
                self.low_bits_to_mask(cx, to, dst);
            }
            (CastOp::Zext, ..) if from_bool && from.lanes() == to.lanes() => {
                // 0 - (-1) = 1
                cx.sink.push(Inst::ZeroXmm { dst });
                let subtract = match to.lanes() {
                    2 => SseOp::Psubq,
                    _ => by_lane(to, SseOp::Psubb, SseOp::Psubw, SseOp::Psubd),
                };
                self.sse(cx, subtract, dst, src);
            }
            (CastOp::Sext, ..) if from_bool && from.lanes() == to.lanes() => self.copy_to(cx, dst, src),
            (CastOp::Fptosi, Type::V4F32, Type::V4I32) => {
                self.sse_unary(cx, SseOp::Cvttps2dq, dst, src);
            }
            (CastOp::Fptoui, Type::V4F32, Type::V4I32) => self.packed_to_unsigned(cx, dst, src),
            // In range are 0 and, by the operation, 1 or -1: the lowest bit tells.
            (CastOp::Fptosi | CastOp::Fptoui, Type::V4F32, Type::V4I1) => {
                self.sse_unary(cx, SseOp::Cvttps2dq, dst, src);
                self.low_bits_to_mask(cx, to, dst);
            }
            // As integers, the lanes of a mask are 0 and -1.
            (CastOp::Sitofp, Type::V4I32 | Type::V4I1, Type::V4F32) => {
                self.sse_unary(cx, SseOp::Cvtdq2ps, dst, src);
            }
            (CastOp::Uitofp, Type::V4I32, Type::V4F32) => self.packed_from_unsigned(cx, dst, src),
            (CastOp::Uitofp, Type::V4I1, Type::V4F32) => {
                self.sse_constant_of(cx, SseOp::Pand, dst, src, splat(32, ONE));
            }
            (CastOp::Fptosi | CastOp::Fptoui, Type::V2F64, Type::V2I64) => {
                self.doubles_to_quadwords(cx, op, dst, src);
            }
            (CastOp::Fptosi | CastOp::Fptoui, Type::V2F64, Type::V2I1) => {
                let low = self.vector_temp(cx);
                self.sse_unary(cx, SseOp::Cvttpd2dq, low, src);
                self.pshufd(cx, dst, low, [0, 0, 1, 1]);
                self.low_bits_to_mask(cx, to, dst);
            }
            (CastOp::Sitofp | CastOp::Uitofp, Type::V2I64, Type::V2F64) => {
                self.quadwords_to_doubles(cx, op, dst, src);
            }
            (CastOp::Sitofp | CastOp::Uitofp, Type::V2I1, Type::V2F64) => {
                self.copy_to(cx, dst, src);
                let one = if op == CastOp::Sitofp { DOUBLE_MINUS_ONE } else { DOUBLE_ONE };
                self.sse_constant(cx, SseOp::Pand, dst, splat(64, one));
            }
            _ => return Err(ErrorKind::Unsupported("this conversion of a vector")),
        }
        Ok(())
    }

    /// `dst = op src`.
    fn sse_unary<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, dst: VReg, src: VReg) {
        cx.sink.push(Inst::SseUnary { op, dst, src: Src::Reg(src) });
    }

    /// The signs of 16 bytes as an integer, byte 0 in the lowest bit.
    fn byte_signs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        cx.sink.push(Inst::XmmToGpr { op: SseOp::Pmovmskb, width: Width::B32, dst, src });
    }

    /// Makes each lane all ones or zeros by its lowest bit, which is shifted to the top and spread from
    /// there. Bytes have no shifts: words bring the bit to the top, a comparison with zero spreads it.
    pub(in crate::lower) fn low_bits_to_mask<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, dst: VReg) {
        if lane_bits(ty) == 64 {
            // The low halves decide.
            let low = self.vector_temp(cx);
            self.pshufd(cx, low, dst, [0, 0, 2, 2]);
            self.sse_shift(cx, SseOp::Pslld, low, 31);
            self.sse_shift(cx, SseOp::Psrad, low, 31);
            return self.copy_to(cx, dst, low);
        }
        let amount = lane_bits(ty) as u8 - 1;
        let left = by_lane(ty, SseOp::Psllw, SseOp::Psllw, SseOp::Pslld);
        if lane_bits(ty) == 8 {
            let signs = self.vector_temp(cx);
            self.shift_of(cx, left, signs, dst, amount);
            cx.sink.push(Inst::ZeroXmm { dst });
            self.sse(cx, SseOp::Pcmpgtb, dst, signs);
        } else {
            self.sse_shift(cx, left, dst, amount);
            let right = by_lane(ty, SseOp::Psraw, SseOp::Psraw, SseOp::Psrad);
            self.sse_shift(cx, right, dst, amount);
        }
    }

    /// Bit n of an integer as lane n: every lane gets the byte that has its bit, then keeps that bit alone
    /// and compares it with itself.
    fn bits_to_mask<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, dst: VReg, src: VReg) {
        let low = self.vector_temp(cx);
        cx.sink.push(Inst::GprToXmm { op: SseOp::MovGpr, width: Width::B32, dst: low, src: Src::Reg(src) });
        let bytes = lane_bits(ty) == 8;
        if bytes {
            // Each of the two bytes twice: a word of its own.
            self.sse(cx, SseOp::Punpcklbw, low, low);
        }
        // Four words with the first byte, or two with each; then each pair of words twice.
        let words = self.vector_temp(cx);
        let imm = super::shuffle(if bytes { [0, 0, 1, 1] } else { [0; 4] });
        cx.sink.push(Inst::SseUnaryImm { op: SseOp::Pshuflw, dst: words, src: Src::Reg(low), imm });
        self.pshufd(cx, dst, words, [0, 0, 1, 1]);
        let bits = lane_bits(ty);
        let own_bits = (0..ty.lanes()).fold(0, |all, n| all | (1u128 << (n % 8)) << (n * bits));
        self.sse_constant(cx, SseOp::Pand, dst, own_bits);
        let equal = by_lane(ty, SseOp::Pcmpeqb, SseOp::Pcmpeqw, SseOp::Pcmpeqd);
        self.sse_constant(cx, equal, dst, own_bits);
    }

    /// The signed conversion is right below 2^31 and gives the sign bit alone from there on; then the
    /// conversion of x - 2^31, which is exact, supplies the other bits.
    fn packed_to_unsigned<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        self.sse_unary(cx, SseOp::Cvttps2dq, dst, src);
        let less = self.vector_temp(cx);
        self.sse_constant_of(cx, SseOp::Subps, less, src, splat(32, TWO_TO_31));
        let rest = self.vector_temp(cx);
        self.sse_unary(cx, SseOp::Cvttps2dq, rest, less);
        let mask = self.vector_temp(cx);
        self.shift_of(cx, SseOp::Psrad, mask, dst, 31);
        self.sse(cx, SseOp::Pand, rest, mask);
        self.sse(cx, SseOp::Por, dst, rest);
    }

    /// high × 2^16 + low: both halves convert exactly and so does the product; the sum rounds once.
    fn packed_from_unsigned<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        let low = self.vector_temp(cx);
        self.shift_of(cx, SseOp::Pslld, low, src, 16);
        self.sse_shift(cx, SseOp::Psrld, low, 16);
        let high = self.vector_temp(cx);
        self.shift_of(cx, SseOp::Psrld, high, src, 16);
        let low_float = self.vector_temp(cx);
        self.sse_unary(cx, SseOp::Cvtdq2ps, low_float, low);
        self.sse_unary(cx, SseOp::Cvtdq2ps, dst, high);
        self.sse_constant(cx, SseOp::Mulps, dst, splat(32, TWO_TO_16));
        self.sse(cx, SseOp::Addps, dst, low_float);
    }
}

//! Lanes of 64 bits. SSE2 adds, subtracts and computes with `f64`; it shifts both lanes by one amount, compares and
//! multiplies halves. Divisions and conversions to integers are scalar, lane by lane.

use super::splat;
use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::{SseOp, Width};
use ice_codegen::lanes::are_doublewords;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{Libcall, Operands as _, ValueRegs};
use ice_ir::{BinaryOp, CastOp, Type, Value};

/// 2^52 as binary64: with an integer of 32 bits in the low half the number is their sum.
const TWO_TO_52: u64 = 0x4330_0000_0000_0000;
/// 2^84 as binary64: with an integer of 32 bits in the low half the number is 2^84 + 2^32 times the integer.
const TWO_TO_84: u64 = 0x4530_0000_0000_0000;
/// What flips the sign of an integer of 32 bits.
const SIGN: u64 = 1 << 31;

/// By how many bits both lanes are shifted.
#[derive(Clone, Copy)]
enum Amounts {
    Both(u8),
    /// The low lane of the one register for lane 0, of the other for lane 1.
    Each(VReg, VReg),
}

impl X86 {
    // ---- lanes and registers

    /// An integer lane of 64 bits in general registers.
    pub(super) fn extract_quadword<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        dst: ValueRegs,
        src: VReg,
        lane: u8,
    ) {
        let mut doubleword = |width, dst, n: u8| {
            let moved = if n == 0 { src } else { self.vector_temp(cx) };
            if n != 0 {
                self.pshufd(cx, moved, src, [n, (n + 1) & 3, n, (n + 1) & 3]);
            }
            cx.sink.push(Inst::XmmToGpr { op: SseOp::MovGpr, width, dst, src: moved });
        };
        if self.has_pairs() {
            doubleword(Width::B32, dst.lo(), 2 * lane);
            doubleword(Width::B32, dst.hi(), 2 * lane + 1);
        } else {
            doubleword(Width::B64, dst.lo(), 2 * lane);
        }
    }

    /// A lane of `f64` as a scalar.
    pub(super) fn extract_double<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg, lane: u8) {
        match lane {
            0 => cx.sink.push(Inst::MovXmm { dst, src, size: 8 }),
            _ => self.pshufd(cx, dst, src, [2, 3, 2, 3]),
        }
    }

    /// A vector register whose lower half is this integer of 64 bits.
    pub(super) fn low_quadword<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, regs: ValueRegs) -> VReg {
        let low = self.vector_temp(cx);
        let (op, src) = (SseOp::MovGpr, Src::Reg(regs.lo()));
        if self.has_pairs() {
            cx.sink.push(Inst::GprToXmm { op, width: Width::B32, dst: low, src });
            let high = self.vector_temp(cx);
            cx.sink.push(Inst::GprToXmm { op, width: Width::B32, dst: high, src: Src::Reg(regs.hi()) });
            self.sse(cx, SseOp::Punpckldq, low, high);
        } else {
            cx.sink.push(Inst::GprToXmm { op, width: Width::B64, dst: low, src });
        }
        low
    }

    /// A vector register whose lower half is this `f64`.
    pub(super) fn low_double<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg) -> VReg {
        let low = self.vector_temp(cx);
        cx.sink.push(Inst::MovXmm { dst: low, src, size: 8 });
        low
    }

    /// `dst` = the lower halves of two registers.
    pub(super) fn join_halves<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, low: VReg, high: VReg) {
        self.shufps_of(cx, dst, low, high, [0, 1, 0, 1]);
    }

    // ---- integers

    /// Products of halves: low × low, and the low half of high × low + low × high above it, if these are not zero.
    pub(super) fn multiply_quadwords<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        args: [Value; 2],
        result: Value,
    ) {
        let are_low = args.into_iter().all(|arg| are_doublewords(cx.func, cx.uses, arg));
        let [a, b] = args.map(|v| self.reg(cx, v));
        if are_low {
            let dst = cx.regs(result).lo();
            return self.sse_of(cx, SseOp::Pmuludq, dst, a, Src::Reg(b));
        }
        let cross = self.vector_temp(cx);
        self.shift_of(cx, SseOp::Psrlq, cross, a, 32);
        self.sse(cx, SseOp::Pmuludq, cross, b);
        let other = self.vector_temp(cx);
        self.shift_of(cx, SseOp::Psrlq, other, b, 32);
        self.sse(cx, SseOp::Pmuludq, other, a);
        self.sse(cx, SseOp::Paddq, cross, other);
        self.sse_shift(cx, SseOp::Psllq, cross, 32);
        let dst = cx.regs(result).lo();
        self.sse_of(cx, SseOp::Pmuludq, dst, a, Src::Reg(b));
        self.sse(cx, SseOp::Paddq, dst, cross);
    }

    /// A shift. There is no arithmetic one: a logical one leaves the sign bit in the middle, from where
    /// `(x ^ sign) - sign` spreads it (Warren, *Hacker's Delight*, 2-7).
    pub(super) fn shift_quadwords<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) {
        let amounts = match self.uniform_amount(cx, args[1]) {
            Some(amount) => Amounts::Both(amount),
            None => {
                let low = self.reg(cx, args[1]);
                let high = self.vector_temp(cx);
                self.pshufd(cx, high, low, [2, 3, 2, 3]);
                Amounts::Each(low, high)
            }
        };
        let src = self.reg(cx, args[0]);
        let dst = cx.regs(result).lo();
        self.copy_to(cx, dst, src);
        let logical = if op == BinaryOp::Shl { SseOp::Psllq } else { SseOp::Psrlq };
        self.shift_lanes(cx, logical, dst, amounts);
        if op == BinaryOp::Ashr {
            let sign = self.vector_temp(cx);
            let mem = self.constant_address(cx, ConstantSize::C16, splat(64, 1 << 63));
            cx.sink.push(Inst::LoadXmm { size: 16, dst: sign, mem });
            self.shift_lanes(cx, logical, sign, amounts);
            self.sse(cx, SseOp::Pxor, dst, sign);
            self.sse(cx, SseOp::Psubq, dst, sign);
        }
    }

    fn shift_lanes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, dst: VReg, amounts: Amounts) {
        match amounts {
            Amounts::Both(amount) => self.sse_shift(cx, op, dst, amount),
            Amounts::Each(low, high) => {
                let upper = self.vector_temp(cx);
                self.sse_of(cx, op, upper, dst, Src::Reg(high));
                self.sse(cx, op, dst, low);
                self.shufps(cx, dst, upper, [0, 1, 2, 3]);
            }
        }
    }

    /// `dst = dst == src`: both halves are.
    pub(super) fn equal_quadwords<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        self.sse(cx, SseOp::Pcmpeqd, dst, src);
        let swapped = self.vector_temp(cx);
        self.pshufd(cx, swapped, dst, [1, 0, 3, 2]);
        self.sse(cx, SseOp::Pand, dst, swapped);
    }

    /// `dst = dst > src`: the high half is, or it is equal and the low half is greater. All halves are
    /// compared as signed numbers, unsigned ones with the sign bit flipped.
    pub(super) fn greater_quadwords<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        dst: VReg,
        src: VReg,
    ) {
        let flip = splat(64, if sign == Signedness::Signed { SIGN } else { SIGN << 32 | SIGN });
        self.sse_constant(cx, SseOp::Pxor, dst, flip);
        let rhs = self.vector_temp(cx);
        self.sse_constant_of(cx, SseOp::Pxor, rhs, src, flip);
        let equal = self.vector_temp(cx);
        self.sse_of(cx, SseOp::Pcmpeqd, equal, dst, Src::Reg(rhs));
        self.sse(cx, SseOp::Pcmpgtd, dst, rhs);
        let [low, high, same] = core::array::from_fn(|_| self.vector_temp(cx));
        self.pshufd(cx, low, dst, [0, 0, 2, 2]);
        self.pshufd(cx, high, dst, [1, 1, 3, 3]);
        self.pshufd(cx, same, equal, [1, 1, 3, 3]);
        self.sse(cx, SseOp::Pand, low, same);
        self.sse_of(cx, SseOp::Por, dst, high, Src::Reg(low));
    }

    /// Division and remainder of integers, lane by lane.
    pub(super) fn divide_quadwords<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) {
        let [a, b] = args.map(|v| self.reg(cx, v));
        let lanes = [0, 1].map(|lane| {
            let [lhs, rhs] = [a, b].map(|src| {
                let regs = cx.temp(Type::I64);
                self.extract_quadword(cx, regs, src, lane);
                regs
            });
            let regs = if self.has_pairs() {
                let regs = cx.temp(Type::I64);
                let args = [(lhs, Type::I64), (rhs, Type::I64)];
                self.libcall(cx, Libcall::of_division(op), &args, Some((regs, Type::I64)));
                regs
            } else {
                let signed = matches!(op, BinaryOp::Sdiv | BinaryOp::Srem);
                let sign = if signed { Signedness::Signed } else { Signedness::Unsigned };
                let [quotient, remainder] = [0; 2].map(|_| cx.temp(Type::I64));
                cx.sink.push(Inst::Divide {
                    sign,
                    width: Width::B64,
                    lhs: lhs.lo(),
                    src: Src::Reg(rhs.lo()),
                    quotient: quotient.lo(),
                    remainder: remainder.lo(),
                });
                if matches!(op, BinaryOp::Sdiv | BinaryOp::Udiv) { quotient } else { remainder }
            };
            self.low_quadword(cx, regs)
        });
        let dst = cx.regs(result).lo();
        self.join_halves(cx, dst, lanes[0], lanes[1]);
    }

    // ---- f64

    /// C `fmod` for each lane.
    pub(super) fn remainder_of_doubles<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        args: [Value; 2],
        result: Value,
    ) {
        let ty = Type::F64;
        let [a, b] = args.map(|v| self.reg(cx, v));
        let lanes = [0, 1].map(|lane| {
            let args = [a, b].map(|src| {
                let regs = cx.temp(ty);
                self.extract_double(cx, regs.lo(), src, lane);
                (regs, ty)
            });
            let regs = cx.temp(ty);
            self.libcall(cx, Libcall::Fmod, &args, Some((regs, ty)));
            self.low_double(cx, regs.lo())
        });
        let dst = cx.regs(result).lo();
        self.join_halves(cx, dst, lanes[0], lanes[1]);
    }

    /// `f64` to integers of 64 bits, lane by lane.
    pub(super) fn doubles_to_quadwords<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        dst: VReg,
        src: VReg,
    ) {
        let lanes = [0, 1].map(|lane| {
            let (from, to) = (cx.temp(Type::F64), cx.temp(Type::I64));
            self.extract_double(cx, from.lo(), src, lane);
            match (self.has_pairs(), op) {
                (true, _) => {
                    let helper = if op == CastOp::Fptosi { Libcall::Fixdfdi } else { Libcall::Fixunsdfdi };
                    self.libcall(cx, helper, &[(from, Type::F64)], Some((to, Type::I64)));
                }
                (false, CastOp::Fptosi) => self.truncate(cx, Type::F64, Width::B64, to.lo(), from.lo()),
                (false, _) => self.truncate_unsigned(cx, Type::F64, Type::I64, to.lo(), from.lo()),
            }
            self.low_quadword(cx, to)
        });
        self.join_halves(cx, dst, lanes[0], lanes[1]);
    }

    /// Integers of 64 bits to `f64`: the halves stand in the last bits of 2^84 and 2^52, of which 2^84 + 2^52 is
    /// taken off exactly; their sum rounds once. A signed high half is made positive by adding 2^31.
    pub(super) fn quadwords_to_doubles<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        dst: VReg,
        src: VReg,
    ) {
        let signed = op == CastOp::Sitofp;
        let power = |n: u64| f64::from_bits((n + 1023) << 52);
        let (flip, excess) =
            if signed { (SIGN, power(84) + power(63) + power(52)) } else { (0, power(84) + power(52)) };
        let low = self.vector_temp(cx);
        self.shift_of(cx, SseOp::Psllq, low, src, 32);
        self.sse_shift(cx, SseOp::Psrlq, low, 32);
        self.sse_constant(cx, SseOp::Por, low, splat(64, TWO_TO_52));
        self.shift_of(cx, SseOp::Psrlq, dst, src, 32);
        self.sse_constant(cx, SseOp::Pxor, dst, splat(64, TWO_TO_84 | flip));
        self.sse_constant(cx, SseOp::Subpd, dst, splat(64, excess.to_bits()));
        self.sse(cx, SseOp::Addpd, dst, low);
    }
}

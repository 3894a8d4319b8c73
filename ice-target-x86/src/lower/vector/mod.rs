//! Vectors of 128 bits with baseline SSE2: arithmetic, comparisons and select. The other rules are in the files below: vectors of
//! 256 bits in `avx` and `avx_cast`, single lanes and what has no packed instruction in `lanes`, conversions in `cast`, lanes of
//! 64 bits in `wide`, constants in `constant`, lanes that change places in `shuffle`, `plan` and `pattern`, vectors of single
//! values in `build`, extensions in several steps in `extend`, the smaller or larger of two in `extremum`, products of numbers of 16 bits in `words`.
//!
//! A lane of an `i1` vector is as wide as that of the integer vector of the same lane count, and all ones
//! or all zeros: what comparisons give and select takes. `and`, `or` and `xor` keep that.
//!
//! A spilled operand is read in place, all 16 bytes of its slot: only values of vector type may be the
//! `Src::Reg` of a packed instruction, never a scalar, whose slot is smaller.

mod avx;
mod avx_cast;
mod build;
pub(super) mod cast;
pub(super) mod constant;
mod extend;
pub(super) mod extremum;
pub(super) mod lanes;
#[cfg(feature = "assembly")]
mod named;
mod pattern;
mod plan;
pub(super) mod shuffle;
#[cfg(test)]
mod tests;
mod wide;
mod words;

use crate::inst::{Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::{Predicate, SseOp};
use ice_codegen::lanes::{is_zero, lane_bits};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::rules::VectorRule;
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::{BinaryOp, FloatCond, IntCond, Type, Value};

/// Picks by the width of a lane: 8, 16 or 32 bits. What is of 64 bits goes other ways before.
fn by_lane<T>(ty: Type, byte: T, word: T, double: T) -> T {
    debug_assert_ne!(ty.lanes(), 2);
    match ty.lanes() {
        16 => byte,
        8 => word,
        _ => double,
    }
}

/// Picks by the lanes of a vector of floats, of 128 or 256 bits.
fn by_float<T>(ty: Type, single: T, double: T) -> T {
    if ty.element() == Type::F64 { double } else { single }
}

/// 128 bits with `lane` in each lane of this many bits.
fn splat(bits: u32, lane: u64) -> u128 {
    (0..128).step_by(bits as usize).fold(0, |all, at| all | u128::from(lane) << at)
}

/// The instruction for an operator on vectors of 128 or 256 bits, where one instruction does it.
#[rustfmt::skip]
fn packed(op: BinaryOp, ty: Type) -> Option<SseOp> {
    use SseOp::*;
    let ints = |byte, word, double, quad| match ty.element() {
        Type::I8 => Some(byte),
        Type::I16 => Some(word),
        Type::I32 => Some(double),
        Type::I64 => Some(quad),
        _ => None,
    };
    match op {
        BinaryOp::Add  => ints(Paddb, Paddw, Paddd, Paddq),
        BinaryOp::Sub  => ints(Psubb, Psubw, Psubd, Psubq),
        BinaryOp::Mul  => (ty.element() == Type::I16).then_some(Pmullw),
        BinaryOp::And  => Some(Pand),
        BinaryOp::Or   => Some(Por),
        BinaryOp::Xor  => Some(Pxor),
        BinaryOp::Fadd => Some(by_float(ty, Addps, Addpd)),
        BinaryOp::Fsub => Some(by_float(ty, Subps, Subpd)),
        BinaryOp::Fmul => Some(by_float(ty, Mulps, Mulpd)),
        BinaryOp::Fdiv => Some(by_float(ty, Divps, Divpd)),
        _ => None,
    }
}

/// The shift of all lanes by one number on vectors of 128 or 256 bits, where one instruction does it.
fn shift_by(op: BinaryOp, ty: Type) -> Option<SseOp> {
    use SseOp::*;
    match (op, ty.element()) {
        (BinaryOp::Shl, Type::I16) => Some(Psllw),
        (BinaryOp::Shl, Type::I32) => Some(Pslld),
        (BinaryOp::Shl, Type::I64) => Some(Psllq),
        (BinaryOp::Lshr, Type::I16) => Some(Psrlw),
        (BinaryOp::Lshr, Type::I32) => Some(Psrld),
        (BinaryOp::Lshr, Type::I64) => Some(Psrlq),
        (BinaryOp::Ashr, Type::I16) => Some(Psraw),
        (BinaryOp::Ashr, Type::I32) => Some(Psrad),
        _ => None,
    }
}

/// The shift of words that moves bytes, and the bits of each byte that are its own then.
fn byte_shift(op: BinaryOp, amount: u8) -> (SseOp, u8) {
    match op {
        BinaryOp::Shl => (SseOp::Psllw, 0xff << amount),
        _ => (SseOp::Psrlw, 0xff >> amount),
    }
}

/// The operands of an operator, with one that is folded into the instruction last, where they may change places.
fn operands<S: Sink<Inst>>(cx: &Cx<'_, S>, op: BinaryOp, args: [Value; 2]) -> [Value; 2] {
    if op.is_commutative() { folded_last(cx, args) } else { args }
}

/// Operands that may change places, with one that is folded into the instruction last.
fn folded_last<S: Sink<Inst>>(cx: &Cx<'_, S>, [a, b]: [Value; 2]) -> [Value; 2] {
    let swaps = cx.folded(a).is_some() && cx.folded(b).is_none();
    if swaps { [b, a] } else { [a, b] }
}

/// How `cmpps` gives a predicate.
#[derive(Clone, Copy)]
enum PackedTest {
    /// Without comparing.
    Known(bool),
    /// One comparison.
    One(Predicate),
    /// One comparison of the exchanged operands.
    Swapped(Predicate),
    /// Both comparisons hold.
    Both(Predicate, Predicate),
    /// One of the comparisons holds.
    Either(Predicate, Predicate),
}

/// The predicates that `cmpps` has, their mirror images, and the two that need a pair of them (SDM volume 2,
/// table 3-1).
#[rustfmt::skip]
fn float_test(cond: FloatCond) -> PackedTest {
    use PackedTest::*;
    use Predicate as P;
    match cond {
        FloatCond::False => Known(false),
        FloatCond::Oeq   => One(P::Eq),
        FloatCond::Ogt   => Swapped(P::Lt),
        FloatCond::Oge   => Swapped(P::Le),
        FloatCond::Olt   => One(P::Lt),
        FloatCond::Ole   => One(P::Le),
        FloatCond::One   => Both(P::Ord, P::Neq),
        FloatCond::Ord   => One(P::Ord),
        FloatCond::Uno   => One(P::Unord),
        FloatCond::Ueq   => Either(P::Unord, P::Eq),
        FloatCond::Ugt   => One(P::Nle),
        FloatCond::Uge   => One(P::Nlt),
        FloatCond::Ult   => Swapped(P::Nle),
        FloatCond::Ule   => Swapped(P::Nlt),
        FloatCond::Une   => One(P::Neq),
        FloatCond::True  => Known(true),
    }
}

impl X86 {
    /// Chooses the rule for an instruction on vectors.
    #[inline(never)]
    pub(crate) fn vector<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, rule: VectorRule) -> Result<(), ErrorKind> {
        let is_wide = |value| cx.func.value_type(value).is_wide();
        match rule {
            VectorRule::Binary { op, args, result } if is_wide(result) => {
                return self.wide_binary(cx, op, args, result);
            }
            VectorRule::Cast { op, arg, result } if is_wide(arg) || is_wide(result) => {
                return self.wide_cast(cx, op, arg, result);
            }
            VectorRule::Cast { arg, result, .. } if self.is_wide_comparison(cx, arg) => {
                return self.signs_of_eight(cx, arg, result);
            }
            VectorRule::IntCompare { args, result, .. } | VectorRule::FloatCompare { args, result, .. }
                if is_wide(args[0]) =>
            {
                return self.wide_compare(cx, result);
            }
            VectorRule::Select { cond, values, result } if is_wide(result) => {
                return self.wide_select(cx, cond, values, result);
            }
            VectorRule::Join { halves, result } => {
                let dst = cx.regs(result).lo();
                self.join(cx, dst, halves);
            }
            VectorRule::Half { vector, half, result } => self.half(cx, vector, half, result),
            VectorRule::Binary { op, args, result } => return self.vector_binary(cx, op, args, result),
            VectorRule::Cast { op, arg, result } => return self.vector_cast(cx, op, arg, result),
            VectorRule::IntCompare { cond, args, result } => self.vector_icmp(cx, cond, args, result),
            VectorRule::FloatCompare { cond, args, result } => self.vector_fcmp(cx, cond, args, result),
            VectorRule::Select { cond, values, result } => self.vector_select(cx, cond, values, result),
            VectorRule::ExtractElement { vector, index, result } => {
                self.extract_element(cx, vector, index, result);
            }
            VectorRule::InsertElement { vector, element, index, result } => {
                self.insert_element(cx, vector, element, index, result);
            }
        }
        Ok(())
    }

    // ---- small helpers of all vector rules

    /// Whether instructions on 128 bits have the form of AVX, with a result beside two operands.
    pub(in crate::lower) fn has_avx<S: Sink<Inst>>(self, cx: &Cx<'_, S>) -> bool {
        cx.module.functions[cx.func.id].traits.wide_registers
    }

    /// `dst = first op src`.
    fn sse_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, dst: VReg, first: VReg, src: Src) {
        self.operation(cx, (op, 16), dst, first, src);
    }

    /// `dst = first op src`, where `first` is a scalar or a vector of so many bytes. In the form of SSE the result replaces a copy
    /// of the first operand, which is the second one too if they are equal, so that the value ends with it.
    pub(in crate::lower) fn operation<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, size): (SseOp, u8),
        dst: VReg,
        first: VReg,
        src: Src,
    ) {
        if self.has_avx(cx) {
            return cx.sink.push(Inst::Avx { op, size: 16, dst, first, src });
        }
        cx.sink.push(Inst::MovXmm { dst, src: first, size });
        let src = if matches!(src, Src::Reg(src) if src == first) { Src::Reg(dst) } else { src };
        cx.sink.push(Inst::Sse { op, dst, src });
    }

    /// `dst = first op bits` with a constant in memory.
    fn sse_constant_of<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: SseOp,
        dst: VReg,
        first: VReg,
        bits: u128,
    ) {
        let mem = self.constant_address(cx, ConstantSize::C16, bits);
        self.sse_of(cx, op, dst, first, Src::Mem(mem));
    }

    /// `dst = src shift imm`, lane by lane, or the register by bytes.
    fn shift_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, dst: VReg, src: VReg, imm: u8) {
        if self.has_avx(cx) {
            return cx.sink.push(Inst::AvxShift { op, size: 16, dst, src, imm });
        }
        self.copy_to(cx, dst, src);
        self.sse_shift(cx, op, dst, imm);
    }

    /// `dst = first op src` with an immediate.
    fn sse_imm_of<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: SseOp,
        dst: VReg,
        [first, src]: [VReg; 2],
        imm: u8,
    ) {
        if self.has_avx(cx) {
            return cx.sink.push(Inst::AvxImm { op, size: 16, dst, first, src: Src::Reg(src), imm });
        }
        self.copy_to(cx, dst, first);
        cx.sink.push(Inst::SseImm { op, dst, src: Src::Reg(src), imm });
    }

    /// `dst` = two lanes of `first`, then two lanes of `second`.
    fn shufps_of<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        dst: VReg,
        first: VReg,
        second: VReg,
        order: [u8; 4],
    ) {
        self.sse_imm_of(cx, SseOp::Shufps, dst, [first, second], shuffle(order));
    }

    /// `dst = dst op src`.
    fn sse<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, dst: VReg, src: VReg) {
        cx.sink.push(Inst::Sse { op, dst, src: Src::Reg(src) });
    }

    /// `dst = dst op bits` with a constant in memory.
    fn sse_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, dst: VReg, bits: u128) {
        let mem = self.constant_address(cx, ConstantSize::C16, bits);
        cx.sink.push(Inst::Sse { op, dst, src: Src::Mem(mem) });
    }

    /// `dst = dst shift imm`, lane by lane.
    fn sse_shift<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, dst: VReg, imm: u8) {
        cx.sink.push(Inst::SseShift { op, dst, imm });
    }

    /// `dst = shuffle of src`.
    fn pshufd<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg, order: [u8; 4]) {
        let imm = shuffle(order);
        cx.sink.push(Inst::SseUnaryImm { op: SseOp::Pshufd, dst, src: Src::Reg(src), imm });
    }

    /// Two lanes of `dst`, then two lanes of `src`.
    fn shufps<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg, order: [u8; 4]) {
        let imm = shuffle(order);
        cx.sink.push(Inst::SseImm { op: SseOp::Shufps, dst, src: Src::Reg(src), imm });
    }

    /// A fresh vector register.
    fn vector_temp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        self.temp(cx, Type::V4I32)
    }

    /// `dst = src`, all 128 bits.
    fn copy_to<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        cx.sink.push(Inst::MovXmm { dst, src, size: 16 });
    }

    /// A copy that may be overwritten.
    fn vector_copy<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg) -> VReg {
        let dst = self.vector_temp(cx);
        self.copy_to(cx, dst, src);
        dst
    }

    // ---- arithmetic

    /// Any binary operator on vectors.
    fn vector_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) -> Result<(), ErrorKind> {
        let ty = cx.func.value_type(result);
        if let Some(packed) = packed(op, ty) {
            let [a, b] = match operands(cx, op, args) {
                // The result has the register of the first, if that is not needed again.
                [a, b]
                    if op.is_commutative()
                        && cx.folded(b).is_none()
                        && !cx.is_constant(b)
                        && self.is_better_replaced(cx, b, a) =>
                {
                    [b, a]
                }
                args => args,
            };
            let (a, src) = (self.reg(cx, a), self.vector_src(cx, b));
            let dst = cx.regs(result).lo();
            self.sse_of(cx, packed, dst, a, src);
            return Ok(());
        }
        if let Some(op) = shift_by(op, ty)
            && let Some(amount) = self.uniform_amount(cx, args[1])
        {
            let a = self.reg(cx, args[0]);
            let dst = cx.regs(result).lo();
            self.shift_of(cx, op, dst, a, amount);
            return Ok(());
        }
        match op {
            _ if ty.is_bool_or_bool_vector() => {
                return Err(ErrorKind::Unsupported("arithmetic on a vector of booleans"));
            }
            BinaryOp::Mul if ty == Type::V2I64 => self.multiply_quadwords(cx, args, result),
            BinaryOp::Frem if ty == Type::V2F64 => self.remainder_of_doubles(cx, args, result),
            _ if ty == Type::V2I64 && op.is_division() => self.divide_quadwords(cx, op, args, result),
            _ if ty == Type::V2I64 => self.shift_quadwords(cx, op, args, result),
            BinaryOp::Mul if ty == Type::V16I8 => self.multiply_bytes(cx, args, result),
            _ if ty == Type::V16I8 && op.is_shift() && self.uniform_amount(cx, args[1]).is_some() => {
                self.shift_bytes(cx, op, args, result);
            }
            BinaryOp::Mul => self.multiply_doublewords(cx, args, result),
            BinaryOp::Frem => self.remainder_by_lane(cx, args, result),
            _ if op.is_division() => self.divide_by_lane(cx, op, args, result),
            _ => self.shift_by_lane(cx, op, args, result),
        }
        Ok(())
    }

    /// Bytes shifted by one number, as words from which the bits of the neighbours are taken.
    fn shift_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, args: [Value; 2], result: Value) {
        let amount = self.uniform_amount(cx, args[1]).unwrap_or_default();
        let src = self.reg(cx, args[0]);
        let dst = cx.regs(result).lo();
        let (shift, mask) = byte_shift(op, amount);
        self.shift_of(cx, shift, dst, src, amount);
        self.sse_constant(cx, SseOp::Pand, dst, splat(8, mask.into()));
        if op == BinaryOp::Ashr {
            let sign = splat(8, 0x80 >> amount);
            self.sse_constant(cx, SseOp::Pxor, dst, sign);
            self.sse_constant(cx, SseOp::Psubb, dst, sign);
        }
    }

    /// Bytes as the halves of words. The low byte of a product depends on the low bytes alone: even bytes
    /// are multiplied as they stand, odd ones shifted down.
    fn multiply_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: [Value; 2], result: Value) {
        let [a, b] = args.map(|v| self.reg(cx, v));
        let even = cx.regs(result).lo();
        self.sse_of(cx, SseOp::Pmullw, even, a, Src::Reg(b));
        self.sse_shift(cx, SseOp::Psllw, even, 8);
        self.sse_shift(cx, SseOp::Psrlw, even, 8);
        let odd = self.vector_temp(cx);
        self.shift_of(cx, SseOp::Psrlw, odd, a, 8);
        let other = self.vector_temp(cx);
        self.shift_of(cx, SseOp::Psrlw, other, b, 8);
        self.sse(cx, SseOp::Pmullw, odd, other);
        self.sse_shift(cx, SseOp::Psllw, odd, 8);
        self.sse(cx, SseOp::Por, even, odd);
    }

    /// Numbers of 16 bits are multiplied as such ([`words`]). `pmuludq` multiplies lanes 0 and 2 to 64 bits; once more for lanes 1 and 3, and the low halves of the
    /// products together again.
    fn multiply_doublewords<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: [Value; 2], result: Value) {
        let ranges = args.map(|arg| words::range(cx, arg));
        let [a, b] = args.map(|v| self.reg(cx, v));
        if ranges.iter().all(|range| range.is_some_and(words::Range::is_word)) {
            let dst = cx.regs(result).lo();
            let mut first = a;
            // The products of the upper halves are added: one of each must be zero.
            if !ranges.iter().flatten().any(|range| range.is_positive()) {
                first = self.vector_temp(cx);
                self.sse_constant_of(cx, SseOp::Pand, first, a, splat(32, 0xffff));
            }
            return self.sse_of(cx, SseOp::Pmaddwd, dst, first, Src::Reg(b));
        }
        if self.has_avx(cx) {
            let dst = cx.regs(result).lo();
            return self.sse_of(cx, SseOp::Pmulld, dst, a, Src::Reg(b));
        }
        let even = self.vector_temp(cx);
        self.sse_of(cx, SseOp::Pmuludq, even, a, Src::Reg(b));
        let (odd, other) = (self.vector_temp(cx), self.vector_temp(cx));
        self.pshufd(cx, odd, a, [1, 1, 3, 3]);
        self.pshufd(cx, other, b, [1, 1, 3, 3]);
        self.sse(cx, SseOp::Pmuludq, odd, other);
        self.shufps(cx, even, odd, [0, 2, 0, 2]);
        let dst = cx.regs(result).lo();
        self.pshufd(cx, dst, even, [0, 2, 1, 3]);
    }

    // ---- comparisons and select

    /// An integer comparison. There is "equal" and "signed greater"; the others exchange the operands,
    /// complement the result, or flip the sign bits to compare unsigned.
    fn vector_icmp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, args: [Value; 2], result: Value) {
        use IntCond::*;
        let ty = cx.func.value_type(args[0]);
        if self.has_avx(cx) && !ty.is_bool_or_bool_vector() {
            let mask = self.avx_icmp(cx, cond, args);
            let dst = cx.regs(result).lo();
            return self.copy_to(cx, dst, mask);
        }
        let complement = matches!(cond, Ne | Ule | Uge | Sle | Sge);
        let cond = if complement { cond.inverse() } else { cond };
        let [a, b] = if matches!(cond, Ult | Slt) { [args[1], args[0]] } else { args };
        let mut rhs = self.reg(cx, b);
        let lhs = self.reg(cx, a);
        let dst = cx.regs(result).lo();
        self.copy_to(cx, dst, lhs);
        let is_wide = lane_bits(ty) == 64;
        if matches!(cond, Ugt | Ult) && !is_wide {
            let bits = lane_bits(ty);
            let signs = splat(bits, 1 << (bits - 1));
            self.sse_constant(cx, SseOp::Pxor, dst, signs);
            rhs = self.vector_copy(cx, rhs);
            self.sse_constant(cx, SseOp::Pxor, rhs, signs);
        }
        match cond {
            Eq if is_wide => self.equal_quadwords(cx, dst, rhs),
            Ugt | Ult if is_wide => self.greater_quadwords(cx, Signedness::Unsigned, dst, rhs),
            _ if is_wide => self.greater_quadwords(cx, Signedness::Signed, dst, rhs),
            Eq => self.sse(cx, by_lane(ty, SseOp::Pcmpeqb, SseOp::Pcmpeqw, SseOp::Pcmpeqd), dst, rhs),
            _ => self.sse(cx, by_lane(ty, SseOp::Pcmpgtb, SseOp::Pcmpgtw, SseOp::Pcmpgtd), dst, rhs),
        }
        if complement {
            let ones = self.vector_temp(cx);
            cx.sink.push(Inst::OnesXmm { dst: ones });
            self.sse(cx, SseOp::Pxor, dst, ones);
        }
    }

    /// A comparison of v4f32 or v2f64.
    fn vector_fcmp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: FloatCond,
        args: [Value; 2],
        result: Value,
    ) {
        if self.has_avx(cx) {
            let mask = self.avx_fcmp(cx, cond, args);
            let dst = cx.regs(result).lo();
            return self.copy_to(cx, dst, mask);
        }
        let dst = cx.regs(result).lo();
        let compare = by_float(cx.func.value_type(args[0]), SseOp::Cmpps, SseOp::Cmppd);
        let test = float_test(cond);
        let [a, b] = if matches!(test, PackedTest::Swapped(_)) { [args[1], args[0]] } else { args };
        let (first, second) = match test {
            PackedTest::Known(false) => return cx.sink.push(Inst::ZeroXmm { dst }),
            PackedTest::Known(true) => return cx.sink.push(Inst::OnesXmm { dst }),
            PackedTest::One(first) | PackedTest::Swapped(first) => (first, None),
            PackedTest::Both(first, second) => (first, Some((second, SseOp::Pand))),
            PackedTest::Either(first, second) => (first, Some((second, SseOp::Por))),
        };
        let (lhs, rhs) = (self.reg(cx, a), self.reg(cx, b));
        self.copy_to(cx, dst, lhs);
        self.sse_compare(cx, compare, first, dst, rhs);
        if let Some((second, join)) = second {
            let other = self.vector_copy(cx, lhs);
            self.sse_compare(cx, compare, second, other, rhs);
            self.sse(cx, join, dst, other);
        }
    }

    /// `dst = dst test src`, a mask.
    fn sse_compare<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: SseOp,
        test: Predicate,
        dst: VReg,
        src: VReg,
    ) {
        cx.sink.push(Inst::SseImm { op, dst, src: Src::Reg(src), imm: test as u8 });
    }

    /// A select lane by lane: the mask, which is as wide as the lanes, keeps one side and clears the other.
    fn vector_select<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) {
        let choices = [if_true, if_false];
        if self.select_extremum(cx, cond, choices, result) || self.select_integers(cx, cond, choices, result)
        {
            return;
        }
        let kept = match [if_true, if_false].map(|value| is_zero(cx.func, value)) {
            [_, true] => Some((SseOp::Pand, if_true)),
            [true, false] => Some((SseOp::Pandn, if_false)),
            _ => None,
        };
        if let Some((op, value)) = kept {
            let [mask, value] = [cond, value].map(|v| self.reg(cx, v));
            let dst = cx.regs(result).lo();
            return self.sse_of(cx, op, dst, mask, Src::Reg(value));
        }
        if self.has_avx(cx) {
            let mask = self.reg(cx, cond);
            return self.blend(cx, mask, choices, result);
        }
        let [mask, if_true, if_false] = [cond, if_true, if_false].map(|v| self.reg(cx, v));
        let dst = cx.regs(result).lo();
        self.sse_of(cx, SseOp::Pand, dst, if_true, Src::Reg(mask));
        let rest = self.vector_temp(cx);
        self.sse_of(cx, SseOp::Pandn, rest, mask, Src::Reg(if_false));
        self.sse(cx, SseOp::Por, dst, rest);
    }
}

/// The immediate of `pshufd` and `shufps`: where each lane comes from, lane 0 first.
fn shuffle(order: [u8; 4]) -> u8 {
    order.into_iter().rev().fold(0, |imm, lane| imm << 2 | lane & 3)
}

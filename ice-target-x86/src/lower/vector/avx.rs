//! Vectors of 256 bits: arithmetic, comparisons, choices and halves, with AVX2, and comparisons and choices of 128 bits with AVX.
//! Conversions are in `avx_cast`.
//!
//! A register of 256 bits is a register of its own class, in the same hardware register as one of 128. An instruction of AVX
//! has a result of its own, so that nothing is copied in front of it, and reads memory that is not aligned.
//!
//! A comparison gives as many booleans as there are lanes, in 128 bits where these are wider than bytes: the mask of 256 bits
//! that the instruction makes is packed to that. A choice between vectors, an extension, or a number of the signs takes the
//! mask as it is, by computing the comparison itself ([`folds_wide_compare`](X86::folds_wide_compare)).
//!
//! What is not here (divisions, lanes by number) is done to halves, which is decided where the IR is made.

use super::extremum::{int_extremum, lane_extremum};
use super::{PackedTest, by_float, byte_shift, float_test, operands, packed, shift_by};
use crate::inst::{Inst, Src};
use crate::lower::float::{Extremum, extremum};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::{Predicate, SseOp};
use ice_codegen::lanes::{constant_vector, shuffle_of};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{ErrorKind, Operands as _};
use ice_ir::vectors::{is_clear_above, uniform_lane};
use ice_ir::{BinaryOp, CastOp, FloatCond, Function, InstData, IntCond, Type, Value, ValueDef};

/// Bytes of a register.
pub(super) const SIZE: u8 = 32;

/// The error for operations on these vectors that are done to halves.
const BY_HALVES: ErrorKind = ErrorKind::Unsupported("this operation on a vector of 256 bits");

/// Bytes of a vector.
fn size_of(ty: Type) -> u8 {
    if ty.is_wide() { SIZE } else { 16 }
}

/// Picks by the lanes of a vector of integers.
fn by_int<T>(ty: Type, byte: T, word: T, double: T, quad: T) -> T {
    match ty.element() {
        Type::I8 | Type::I1 => byte,
        Type::I16 => word,
        Type::I32 => double,
        _ => quad,
    }
}

/// The shift of each lane by its own number.
fn shift_each(op: BinaryOp, ty: Type) -> Option<SseOp> {
    match (op, ty) {
        (BinaryOp::Shl, Type::V8I32) => Some(SseOp::Psllvd),
        (BinaryOp::Shl, Type::V4I64) => Some(SseOp::Psllvq),
        (BinaryOp::Lshr, Type::V8I32) => Some(SseOp::Psrlvd),
        (BinaryOp::Lshr, Type::V4I64) => Some(SseOp::Psrlvq),
        (BinaryOp::Ashr, Type::V8I32) => Some(SseOp::Psravd),
        _ => None,
    }
}

/// Whether lanes of 64 bits are those of 32 bits, extended so.
fn is_extended(func: &Function, value: Value, how: CastOp) -> bool {
    if let Some(halves) = wide_constant(func, value) {
        let lanes = halves.into_iter().flat_map(|half| [half as u64, (half >> 64) as u64]);
        return lanes.into_iter().all(|lane| match how {
            CastOp::Zext => u32::try_from(lane).is_ok(),
            _ => i32::try_from(lane as i64).is_ok(),
        });
    }
    match func.defining_inst(value).map(|inst| *func.inst(inst)) {
        Some(InstData::Cast { op, arg }) => op == how && func.value_type(arg) == Type::V4I32,
        Some(InstData::Binary { .. }) => how == CastOp::Zext && is_clear_above(func, value, 32),
        _ => false,
    }
}

/// The halves of a vector that is a constant.
pub(super) fn wide_constant(func: &Function, value: Value) -> Option<[u128; 2]> {
    match func.value_def(value) {
        ValueDef::Zero | ValueDef::Undef => Some([0; 2]),
        _ => match *func.inst(func.defining_inst(value)?) {
            InstData::Join { halves: [low, high] } => {
                let half = |half| match func.value_def(half) {
                    ValueDef::Zero | ValueDef::Undef => Some(0),
                    _ => constant_vector(func, half),
                };
                Some([half(low)?, half(high)?])
            }
            _ => None,
        },
    }
}

/// Whether the function is for processors with AVX2: there are integers of 256 bits, and lanes move in their registers.
pub(super) fn has_wide_integers<S: Sink<Inst>>(cx: &Cx<'_, S>) -> bool {
    cx.module.functions[cx.func.id].traits.wide_integers
}

impl X86 {
    /// A fresh register of 256 bits.
    pub(in crate::lower) fn ymm_temp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        self.temp(cx, Type::V8I32)
    }

    /// A register with these halves: that of the vector which they were taken out of, or a fresh one.
    pub(in crate::lower) fn joined_reg<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, halves: [Value; 2]) -> VReg {
        match cx.func.joined(halves) {
            Some(vector) => self.reg(cx, vector),
            None => {
                let dst = self.ymm_temp(cx);
                self.join(cx, dst, halves);
                dst
            }
        }
    }

    /// Whether `user`, which alone uses `def`, takes the comparison of vectors of 256 bits itself.
    pub(in crate::lower) fn folds_wide_compare<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let (&InstData::Icmp { args, .. } | &InstData::Fcmp { args, .. }) = cx.func.inst(def) else {
            return false;
        };
        let (Some(booleans), Some(result)) = (cx.func.result(def), cx.func.result(user)) else {
            return false;
        };
        let (ty, to) = (cx.func.value_type(args[0]), cx.func.value_type(result));
        ty.is_wide()
            && match *cx.func.inst(user) {
                InstData::Select { cond, .. } => cond == booleans && to.is_wide(),
                InstData::Cast { op: CastOp::Sext | CastOp::Zext, .. } => to.is_wide(),
                InstData::Cast { op: CastOp::Bitcast, .. } => to == Type::I8,
                _ => false,
            }
    }

    /// Whether these booleans are a comparison of vectors of 256 bits that was folded into the instruction being lowered.
    pub(super) fn is_wide_comparison<S: Sink<Inst>>(self, cx: &Cx<'_, S>, booleans: Value) -> bool {
        match cx.folded(booleans).map(|inst| cx.func.inst(inst)) {
            Some(&InstData::Icmp { args, .. } | &InstData::Fcmp { args, .. }) => {
                cx.func.value_type(args[0]).is_wide()
            }
            _ => false,
        }
    }

    /// Whether a constant is an operand of `user`, which needs no register for it.
    pub(in crate::lower) fn takes_wide_constant(
        self,
        func: &Function,
        constant: Value,
        user: &InstData,
    ) -> bool {
        match *user {
            InstData::Binary { op: BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr, args } => {
                args[1] == constant && args[0] != constant && self.wide_amount(func, constant).is_some()
            }
            _ => false,
        }
    }

    /// The number by which a shift moves all lanes.
    pub(super) fn wide_amount(self, func: &Function, amounts: Value) -> Option<u8> {
        let ty = func.value_type(amounts);
        let bits = ty.element().bits();
        uniform_lane(func, amounts).filter(|&amount| amount < bits.into()).map(|amount| amount as u8)
    }

    /// A vector as an operand: memory where its load was folded.
    pub(super) fn wide_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match self.folded_load(cx, value) {
            Some(mem) => Src::Mem(mem),
            None => Src::Reg(self.reg(cx, value)),
        }
    }

    /// `dst = first op src`.
    pub(super) fn avx<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: SseOp, dst: VReg, first: VReg, src: VReg) {
        cx.sink.push(Inst::Avx { op, size: SIZE, dst, first, src: Src::Reg(src) });
    }

    /// A fresh register with `first op src`, of as many bits as vectors of type `ty` have.
    fn avx_made<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        ty: Type,
        op: SseOp,
        first: VReg,
        src: VReg,
    ) -> VReg {
        let dst = self.temp(cx, ty);
        cx.sink.push(Inst::Avx { op, size: size_of(ty), dst, first, src: Src::Reg(src) });
        dst
    }

    /// A fresh register with these 128 bits, once or twice as vectors of type `ty` have them.
    fn repeated_as<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, bits: u128) -> VReg {
        if ty.is_wide() {
            return self.repeated(cx, bits);
        }
        let dst = self.vector_temp(cx);
        self.load_constant(cx, dst, bits);
        dst
    }

    /// A fresh register of 256 bits with `first op src`.
    pub(super) fn avx_temp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: SseOp,
        first: VReg,
        src: VReg,
    ) -> VReg {
        self.avx_made(cx, Type::V8I32, op, first, src)
    }

    /// A fresh register with `src` shifted by a number.
    pub(super) fn avx_shifted<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: SseOp,
        src: VReg,
        imm: u8,
    ) -> VReg {
        let dst = self.ymm_temp(cx);
        cx.sink.push(Inst::AvxShift { op, size: SIZE, dst, src, imm });
        dst
    }

    /// A fresh register with these 128 bits in both halves.
    pub(super) fn repeated<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, bits: u128) -> VReg {
        let dst = self.ymm_temp(cx);
        self.load_wide_constant(cx, dst, [bits; 2]);
        dst
    }

    fn load_wide_constant<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, [low, high]: [u128; 2]) {
        match [low, high] {
            [0, 0] => cx.sink.push(Inst::ZeroYmm { dst }),
            [u128::MAX, u128::MAX] if has_wide_integers(cx) => cx.sink.push(Inst::OnesYmm { dst }),
            _ if low == high => {
                let (op, size) = match low {
                    low if low == super::splat(32, low as u32 as u64) => {
                        (SseOp::Broadcastss, ConstantSize::C4)
                    }
                    low if low == super::splat(64, low as u64) => (SseOp::Broadcastsd, ConstantSize::C8),
                    _ => (SseOp::Broadcastf128, ConstantSize::C16),
                };
                let bits = low & u128::MAX >> (128 - 8 * size.bytes());
                let src = Src::Mem(self.constant_address(cx, size, bits));
                cx.sink.push(Inst::Widen { op, dst, src });
            }
            _ => {
                let first = self.vector_temp(cx);
                self.load_constant(cx, first, low);
                let high = Src::Mem(self.constant_address(cx, ConstantSize::C16, high));
                cx.sink.push(Inst::JoinHalves { dst, low: first, high });
            }
        }
    }

    // ---- halves

    /// `dst` = a vector with these halves.
    pub(super) fn join<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, [low, high]: [Value; 2]) {
        let constant = |half| match cx.func.value_def(half) {
            ValueDef::Zero | ValueDef::Undef => Some(0),
            _ => constant_vector(cx.func, half),
        };
        if let (Some(low), Some(high)) = (constant(low), constant(high)) {
            return self.load_wide_constant(cx, dst, [low, high]);
        }
        if low == high
            && let Some((op, source)) = self.repeated_lane(cx, low)
        {
            let src = Src::Reg(self.shuffled(cx, source));
            return cx.sink.push(Inst::Widen { op, dst, src });
        }
        if self.join_shuffles(cx, dst, [low, high]) {
            return;
        }
        if let [Some((a, low)), Some((b, high))] = [low, high].map(|half| self.half_not_made(cx, half)) {
            let [first, src] = [a, b].map(|vector| self.reg(cx, vector));
            // The lower two bits of each half of a byte name one of the four halves.
            let (op, imm) = (SseOp::Perm2i128, low | (2 + high) << 4);
            return cx.sink.push(Inst::AvxImm { op, size: SIZE, dst, first, src: Src::Reg(src), imm });
        }
        let is_free = matches!(cx.func.value_def(high), ValueDef::Undef);
        let first = self.reg(cx, low);
        if is_free {
            return cx.sink.push(Inst::AsWide { dst, low: first });
        }
        let high = Src::Reg(self.reg(cx, high));
        cx.sink.push(Inst::JoinHalves { dst, low: first, high });
    }

    /// The vector of which `value` is a half that has no register of its own, and which.
    fn half_not_made<S: Sink<Inst>>(self, cx: &Cx<'_, S>, value: Value) -> Option<(Value, u8)> {
        match *cx.func.inst(cx.folded(value).filter(|_| has_wide_integers(cx))?) {
            InstData::Half { vector, half } => Some((vector, half)),
            _ => None,
        }
    }

    /// The instruction that repeats the first lane of a vector, and that vector, if `half` is a shuffle that does.
    fn repeated_lane<S: Sink<Inst>>(self, cx: &Cx<'_, S>, half: Value) -> Option<(SseOp, Value)> {
        let last = cx.func.defining_inst(half).filter(|_| has_wide_integers(cx))?;
        let shuffle = shuffle_of(cx.func, cx.uses, last)?;
        let (op, bytes) = match cx.func.value_type(half) {
            Type::V16I8 => (SseOp::Pbroadcastb, 1),
            Type::V8I16 => (SseOp::Pbroadcastw, 2),
            Type::V4I32 => (SseOp::Pbroadcastd, 4),
            Type::V2I64 => (SseOp::Pbroadcastq, 8),
            Type::V4F32 => (SseOp::Broadcastss, 4),
            Type::V2F64 => (SseOp::Broadcastsd, 8),
            _ => return None,
        };
        let is_first = (0u8..).zip(&shuffle.bytes).all(|(n, from)| from.is_none_or(|from| from == n % bytes));
        is_first.then_some((op, shuffle.sources[0]))
    }

    /// Whether `user` joins two halves that are `def`, a shuffle that repeats a lane.
    pub(in crate::lower) fn folds_repeated_lane<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        matches!(cx.func.inst(user), InstData::Join { halves: [low, high] } if low == high)
            && cx.func.result(def).is_some_and(|half| self.repeated_lane(cx, half).is_some())
    }

    /// A half of a vector.
    pub(super) fn half<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, vector: Value, half: u8, result: Value) {
        let (src, dst) = (self.reg(cx, vector), cx.regs(result).lo());
        cx.sink.push(match half {
            0 => Inst::LowerHalf { dst, src },
            _ => Inst::UpperHalf { dst, src },
        });
    }

    // ---- arithmetic

    /// Any operator on vectors of 256 bits.
    pub(super) fn wide_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) -> Result<(), ErrorKind> {
        let ty = cx.func.value_type(result);
        let products = (op, ty) == (BinaryOp::Mul, Type::V8I32);
        if let Some(packed) = packed(op, ty).or(products.then_some(SseOp::Pmulld)) {
            let [a, b] = operands(cx, op, args);
            let (first, src) = (self.reg(cx, a), self.wide_src(cx, b));
            let dst = cx.regs(result).lo();
            cx.sink.push(Inst::Avx { op: packed, size: SIZE, dst, first, src });
            return Ok(());
        }
        let amount = if op.is_shift() { self.wide_amount(cx.func, args[1]) } else { None };
        match (amount, shift_by(op, ty), shift_each(op, ty)) {
            (Some(imm), Some(op), _) => {
                let (src, dst) = (self.reg(cx, args[0]), cx.regs(result).lo());
                cx.sink.push(Inst::AvxShift { op, size: SIZE, dst, src, imm });
            }
            (Some(imm), None, _) if ty == Type::V32I8 => self.shift_wide_bytes(cx, op, imm, args[0], result),
            (_, _, Some(op)) => {
                let (first, src) = (self.reg(cx, args[0]), self.wide_src(cx, args[1]));
                let dst = cx.regs(result).lo();
                cx.sink.push(Inst::Avx { op, size: SIZE, dst, first, src });
            }
            _ => match (op, ty) {
                (BinaryOp::Mul, Type::V4I64) => self.multiply_wide_quadwords(cx, args, result),
                (BinaryOp::Mul, Type::V32I8) => self.multiply_wide_bytes(cx, args, result),
                _ => return Err(BY_HALVES),
            },
        }
        Ok(())
    }

    /// Bytes shifted by one number: words are, and the bits that come from neighbours are cleared. An arithmetic shift
    /// spreads the sign from the middle, as `(x ^ sign) - sign` (Warren, *Hacker's Delight*, 2-7).
    fn shift_wide_bytes<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        amount: u8,
        arg: Value,
        result: Value,
    ) {
        let (src, dst) = (self.reg(cx, arg), cx.regs(result).lo());
        let (word, mask) = byte_shift(op, amount);
        let moved = self.avx_shifted(cx, word, src, amount);
        let mask = self.repeated(cx, super::splat(8, mask.into()));
        if op != BinaryOp::Ashr {
            return self.avx(cx, SseOp::Pand, dst, moved, mask);
        }
        let logical = self.avx_temp(cx, SseOp::Pand, moved, mask);
        let sign = self.repeated(cx, super::splat(8, 0x80 >> amount));
        let flipped = self.avx_temp(cx, SseOp::Pxor, logical, sign);
        self.avx(cx, SseOp::Psubb, dst, flipped, sign);
    }

    /// Products of halves: low × low, and the low half of high × low + low × high above it. Numbers that were 32 bits take one
    /// product.
    fn multiply_wide_quadwords<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: [Value; 2], result: Value) {
        let whole = match args {
            args if args.iter().all(|&arg| is_extended(cx.func, arg, CastOp::Zext)) => Some(SseOp::Pmuludq),
            args if args.iter().all(|&arg| is_extended(cx.func, arg, CastOp::Sext)) => Some(SseOp::Pmuldq),
            _ => None,
        };
        let [a, b] = args.map(|v| self.reg(cx, v));
        if let Some(op) = whole {
            let dst = cx.regs(result).lo();
            return self.avx(cx, op, dst, a, b);
        }
        let [a_high, b_high] = [a, b].map(|src| self.avx_shifted(cx, SseOp::Psrlq, src, 32));
        let cross = self.avx_temp(cx, SseOp::Pmuludq, a_high, b);
        let other = self.avx_temp(cx, SseOp::Pmuludq, b_high, a);
        let sum = self.avx_temp(cx, SseOp::Paddq, cross, other);
        let high = self.avx_shifted(cx, SseOp::Psllq, sum, 32);
        let low = self.avx_temp(cx, SseOp::Pmuludq, a, b);
        let dst = cx.regs(result).lo();
        self.avx(cx, SseOp::Paddq, dst, low, high);
    }

    /// Bytes as the halves of words: even ones are multiplied as they stand, odd ones shifted down.
    fn multiply_wide_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: [Value; 2], result: Value) {
        let [a, b] = args.map(|v| self.reg(cx, v));
        let even = self.avx_temp(cx, SseOp::Pmullw, a, b);
        let mask = self.repeated(cx, super::splat(16, 0xff));
        let even = self.avx_temp(cx, SseOp::Pand, even, mask);
        let [a, b] = [a, b].map(|src| self.avx_shifted(cx, SseOp::Psrlw, src, 8));
        let odd = self.avx_temp(cx, SseOp::Pmullw, a, b);
        let odd = self.avx_shifted(cx, SseOp::Psllw, odd, 8);
        let dst = cx.regs(result).lo();
        self.avx(cx, SseOp::Por, dst, even, odd);
    }

    // ---- comparisons

    /// The mask that a comparison makes of vectors of 128 or 256 bits, in a fresh register.
    fn wide_comparison<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        compare: ice_ir::Inst,
    ) -> Result<VReg, ErrorKind> {
        match *cx.func.inst(compare) {
            InstData::Icmp { cond, args } => Ok(self.avx_icmp(cx, cond, args)),
            InstData::Fcmp { cond, args } => Ok(self.avx_fcmp(cx, cond, args)),
            _ => Err(BY_HALVES),
        }
    }

    /// The mask of a comparison of floats, of 128 or 256 bits.
    pub(super) fn avx_fcmp<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: FloatCond,
        args: [Value; 2],
    ) -> VReg {
        let ty = cx.func.value_type(args[0]);
        let op = by_float(ty, SseOp::Cmpps, SseOp::Cmppd);
        let test = float_test(cond);
        let [a, b] = if matches!(test, PackedTest::Swapped(_)) { [args[1], args[0]] } else { args };
        let [first, src] = [a, b].map(|v| self.reg(cx, v));
        let compared = |cx: &mut Cx<'_, S>, test: Predicate| {
            let dst = self.temp(cx, ty);
            let (src, imm) = (Src::Reg(src), test as u8);
            cx.sink.push(Inst::AvxImm { op, size: size_of(ty), dst, first, src, imm });
            dst
        };
        match test {
            PackedTest::Known(false) => self.repeated_as(cx, ty, 0),
            PackedTest::Known(true) => self.repeated_as(cx, ty, u128::MAX),
            PackedTest::One(test) | PackedTest::Swapped(test) => compared(cx, test),
            PackedTest::Both(one, other) => {
                let [one, other] = [one, other].map(|test| compared(cx, test));
                self.avx_made(cx, ty, SseOp::Pand, one, other)
            }
            PackedTest::Either(one, other) => {
                let [one, other] = [one, other].map(|test| compared(cx, test));
                self.avx_made(cx, ty, SseOp::Por, one, other)
            }
        }
    }

    /// There is "equal" and "signed greater". Without sign, what is the smaller or the greater of the two is at most or at least
    /// the other one; numbers of 64 bits flip their signs.
    pub(super) fn avx_icmp<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: IntCond, args: [Value; 2]) -> VReg {
        use IntCond::*;
        use SseOp::*;
        let ty = cx.func.value_type(args[0]);
        let equal = by_int(ty, Pcmpeqb, Pcmpeqw, Pcmpeqd, Pcmpeqq);
        let greater = by_int(ty, Pcmpgtb, Pcmpgtw, Pcmpgtd, Pcmpgtq);
        let [a, b] = args.map(|v| self.reg(cx, v));
        let bound = if matches!(cond, Ule | Ugt) { Ule } else { Uge };
        let (mask, is_opposite) = match (cond, lane_extremum(bound, ty)) {
            (Eq | Ne, _) => (self.avx_made(cx, ty, equal, a, b), cond == Ne),
            (Sgt | Sle, _) => (self.avx_made(cx, ty, greater, a, b), cond == Sle),
            (Slt | Sge, _) => (self.avx_made(cx, ty, greater, b, a), cond == Sge),
            (_, Some(op)) => {
                let extremum = self.avx_made(cx, ty, op, a, b);
                (self.avx_made(cx, ty, equal, a, extremum), matches!(cond, Ugt | Ult))
            }
            (_, None) => {
                let sign = self.repeated_as(cx, ty, super::splat(64, 1 << 63));
                let [a, b] = [a, b].map(|src| self.avx_made(cx, ty, Pxor, src, sign));
                let [more, less] = if bound == Ule { [a, b] } else { [b, a] };
                (self.avx_made(cx, ty, greater, more, less), matches!(cond, Ule | Uge))
            }
        };
        if !is_opposite {
            return mask;
        }
        let ones = self.repeated_as(cx, ty, u128::MAX);
        self.avx_made(cx, ty, Pxor, mask, ones)
    }

    /// A comparison whose booleans are in a register of their own.
    pub(super) fn wide_compare<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let Some(compare) = cx.func.defining_inst(result) else { return Err(BY_HALVES) };
        let mask = self.wide_comparison(cx, compare)?;
        let dst = cx.regs(result).lo();
        self.pack_mask(cx, cx.func.value_type(result), dst, mask);
        Ok(())
    }

    /// The booleans of type `ty` that a mask of 256 bits stands for.
    fn pack_mask<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, dst: VReg, mask: VReg) {
        if ty == Type::V32I1 {
            return cx.sink.push(Inst::MovXmm { dst, src: mask, size: SIZE });
        }
        let [low, high] = self.halves_of(cx, mask);
        let (first, src) = (low, Src::Reg(high));
        let op = match ty {
            Type::V16I1 => SseOp::Packsswb,
            Type::V8I1 => SseOp::Packssdw,
            _ => {
                let imm = super::shuffle([0, 2, 0, 2]);
                return cx.sink.push(Inst::AvxImm { op: SseOp::Shufps, size: 16, dst, first, src, imm });
            }
        };
        cx.sink.push(Inst::Avx { op, size: 16, dst, first, src });
    }

    /// Booleans as a mask of 256 bits: that of the comparison that makes them, if it was folded, or extended.
    pub(super) fn wide_mask<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        booleans: Value,
    ) -> Result<VReg, ErrorKind> {
        if let Some(compare) = cx.folded(booleans)
            && matches!(cx.func.inst(compare), InstData::Icmp { .. } | InstData::Fcmp { .. })
        {
            return self.wide_comparison(cx, compare);
        }
        let ty = cx.func.value_type(booleans);
        let src = self.reg(cx, booleans);
        if ty == Type::V32I1 {
            return Ok(src);
        }
        let op = match ty {
            Type::V16I1 => SseOp::Pmovsxbw,
            Type::V8I1 => SseOp::Pmovsxwd,
            _ => SseOp::Pmovsxdq,
        };
        let dst = self.ymm_temp(cx);
        cx.sink.push(Inst::Widen { op, dst, src: Src::Reg(src) });
        Ok(dst)
    }

    /// A choice lane by lane.
    pub(super) fn wide_select<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) -> Result<(), ErrorKind> {
        let ty = cx.func.value_type(result);
        let extreme = match cx.folded(cond).map(|inst| *cx.func.inst(inst)) {
            Some(InstData::Icmp { .. }) => {
                int_extremum(cx.func, cond, [if_true, if_false]).map(|op| (op, [if_true, if_false]))
            }
            Some(InstData::Fcmp { .. }) => {
                extremum(cx.func, cond, [if_true, if_false]).map(|(which, args)| {
                    let op = match which {
                        Extremum::Min => by_float(ty, SseOp::Minps, SseOp::Minpd),
                        Extremum::Max => by_float(ty, SseOp::Maxps, SseOp::Maxpd),
                    };
                    (op, args)
                })
            }
            _ => None,
        };
        if let Some((op, [a, b])) = extreme {
            let [first, src] = [a, b].map(|v| self.reg(cx, v));
            let dst = cx.regs(result).lo();
            self.avx(cx, op, dst, first, src);
            return Ok(());
        }
        let mask = self.wide_mask(cx, cond)?;
        self.blend(cx, mask, [if_true, if_false], result);
        Ok(())
    }

    /// `result` = lanes of one of two vectors of 128 or 256 bits by the signs of those of the mask.
    pub(super) fn blend<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        mask: VReg,
        [if_true, if_false]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let [src, first] = [if_true, if_false].map(|v| self.reg(cx, v));
        let op = match ty.element() {
            Type::I32 | Type::F32 => SseOp::Blendvps,
            Type::I64 | Type::F64 => SseOp::Blendvpd,
            _ => SseOp::Pblendvb,
        };
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::AvxBlend { op, size: size_of(ty), dst, first, src: Src::Reg(src), mask });
    }
}

//! Vectors of 128 bits as four words, for machines that have no vectors. Single lanes, constants and shuffles are in
//! [`lanes`](super::lanes).
//!
//! A lane of an `i1` vector is as wide as that of the integer vector of the same lane count, and all ones or
//! all zeros: what comparisons give and select takes. `and`, `or` and `xor` keep that.
//!
//! | operation | is done |
//! |---|---|
//! | logic, select, extensions and truncations of booleans | word by word |
//! | addition, subtraction of narrow lanes | word by word, with the top bits apart (Warren, *Hacker's Delight*, 2-18) |
//! | shift of narrow lanes to the left or, unsigned, to the right by a constant | word by word, with a mask |
//! | any other | lane by lane, as scalars are |

use super::lanes::{
    Lane, extract_element, insert_element, lane, lanes_to_fill, move_words, set_lane, words_of,
};
use super::{Cx, Word, Words};
use crate::compiled::Libcall;
use crate::lanes::{lane_bits, uniform_lane};
use crate::lower::ValueRegs;
use crate::mach::{Sink, VReg};
use crate::magic::Signedness;
use crate::rules::{VectorRule, by_less};
use crate::target::{ErrorKind, NO_WIDE_REGISTERS};
use ice_ir::{BinaryOp, CastOp, FloatCond, Inst, IntCond, Type, Value};

/// A number of 8 or 16 bits in all lanes of a word.
fn splat(size: u32, number: u32) -> u32 {
    let lane = number & (u32::MAX >> (32 - size));
    (0..32 / size).fold(0, |word, n| word | lane << (n * size))
}

/// Rules for vectors in words. A lane of single precision is the bits of a number in its word.
pub trait WordVectors: Words {
    /// Puts the low bits of a word into the bits from `lsb` on of `dst`, `size` of them.
    fn insert<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: VReg, src: Word, lsb: u8, size: u8);

    /// Whether `lhs` is less than `rhs`, as 1 or 0.
    fn is_less<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        sign: Signedness,
        lhs: VReg,
        rhs: Word,
    ) -> VReg;

    /// `dst`, a register for `f32`, = the bits of a word.
    fn single_of_word<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, dst: VReg, src: VReg);

    /// The bits of an `f32`.
    fn word_of_single<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, src: VReg) -> VReg;

    /// A sum, difference, product or quotient of numbers of single precision.
    fn float_words<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        op: BinaryOp,
        args: [VReg; 2],
    ) -> VReg;

    /// `dst` = all ones if the condition holds for two numbers of single precision, else 0.
    fn compare_float_words<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        cond: FloatCond,
        dst: VReg,
        args: [VReg; 2],
    );

    /// A conversion between an integer and a number of single precision.
    fn convert_word<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, op: CastOp, src: VReg) -> VReg;

    /// Chooses the rule for an instruction on vectors.
    #[inline(never)]
    fn vector<S: Sink<Self::Inst>>(
        self,
        cx: &mut Cx<'_, Self, S>,
        inst: Inst,
        rule: VectorRule,
    ) -> Result<(), ErrorKind> {
        match rule {
            VectorRule::Binary { op, args, result } => return binary(self, cx, op, args, result),
            VectorRule::Cast { op, arg, result } => return cast(self, cx, op, arg, result),
            VectorRule::IntCompare { cond, args, result } => compare_lanes(self, cx, cond, args, result),
            VectorRule::FloatCompare { cond, args, result } => {
                let args = args.map(|value| self.regs(cx, value));
                let dst = cx.regs(result);
                for (n, dst) in (0..).zip(dst.iter()) {
                    self.compare_float_words(cx, cond, dst, args.map(|words| words.part(n)));
                }
            }
            VectorRule::Select { cond, values, result } => select_bits(self, cx, cond, values, result),
            VectorRule::ExtractElement { vector, index, result } => {
                return extract_element(self, cx, [vector, index], result);
            }
            VectorRule::InsertElement { vector, element, index, result } => {
                return insert_element(self, cx, inst, [vector, element, index], result);
            }
            VectorRule::Join { .. } | VectorRule::Half { .. } => return Err(NO_WIDE_REGISTERS),
        }
        Ok(())
    }

    /// The absolute value of single-precision lanes.
    fn vector_fabs<S: Sink<Self::Inst>>(self, cx: &mut Cx<'_, Self, S>, arg: Value, result: Value) {
        let src = self.regs(cx, arg);
        let dst = cx.regs(result);
        for (dst, src) in dst.iter().zip(src.iter()) {
            self.extract(cx, Signedness::Unsigned, dst, src, 0, 31);
        }
    }
}

fn is_shift(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr)
}

/// Any binary operator on vectors.
fn binary<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: BinaryOp,
    args: [Value; 2],
    result: Value,
) -> Result<(), ErrorKind> {
    let ty = cx.func.value_type(result);
    let size = lane_bits(ty);
    let is_logic = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
    if ty.is_bool_or_bool_vector() && !is_logic {
        return Err(ErrorKind::Unsupported("arithmetic on a vector of booleans"));
    }
    let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
    let amount = if is_shift(op) { uniform_lane(cx.func, args[1]) } else { None };
    match amount.filter(|&n| n < u64::from(size)) {
        _ if is_logic || is_sum && size == 32 => by_words(target, cx, op, args, result),
        _ if is_sum => narrow_sum(target, cx, op, size, args, result),
        Some(amount) if size == 32 || op != BinaryOp::Ashr => {
            shift_words(target, cx, op, size, args[0], amount as u8, result);
        }
        _ => by_lanes(target, cx, op, args, result),
    }
    Ok(())
}

fn by_words<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: BinaryOp,
    args: [Value; 2],
    result: Value,
) {
    let [lhs, rhs] = args.map(|value| words_of(target, cx, value));
    let dst = cx.regs(result);
    for (dst, (lhs, rhs)) in dst.iter().zip(lhs.into_iter().zip(rhs)) {
        target.word_op(cx, op, dst, lhs, rhs);
    }
}

/// The sum or difference of the bits below the top ones of the lanes, which no carry or borrow leaves, with the top
/// bits as they come out alone: that of `a - b` is the inverse of that of `a - !b`.
fn narrow_sum<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: BinaryOp,
    size: u32,
    args: [Value; 2],
    result: Value,
) {
    use BinaryOp::{And, Or, Xor};
    let [x, y] = args.map(|value| words_of(target, cx, value));
    let top = target.number_reg(cx, splat(size, 1 << (size - 1)));
    let rest = target.number_reg(cx, !splat(size, 1 << (size - 1)));
    let dst = cx.regs(result);
    for (dst, (x, y)) in dst.iter().zip(x.into_iter().zip(y)) {
        let low = target.word(cx, And, y, rest);
        let (first, differ) = match op {
            BinaryOp::Add => (target.word(cx, And, x, rest), target.word(cx, Xor, x, y)),
            _ => {
                let other = target.word(cx, Xor, y, u32::MAX);
                (target.word(cx, Or, x, top), target.word(cx, Xor, x, other))
            }
        };
        let tops = target.word(cx, And, differ, top);
        let sum = target.word(cx, op, first, low);
        target.word_op(cx, Xor, dst, sum.into(), tops.into());
    }
}

/// All lanes shifted alike; what comes in from the next lane is masked out.
fn shift_words<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: BinaryOp,
    size: u32,
    arg: Value,
    amount: u8,
    result: Value,
) {
    let words = target.regs(cx, arg);
    let all = u32::MAX >> (32 - size);
    let kept = if op == BinaryOp::Shl { all << amount } else { all >> amount };
    let mask = if size < 32 { Some(target.number_reg(cx, splat(size, kept))) } else { None };
    let dst = cx.regs(result);
    for (dst, src) in dst.iter().zip(words.iter()) {
        let shifted = Word::shifted(src, op, amount);
        match mask {
            None => target.mov_word(cx, dst, shifted),
            Some(mask) => target.word_op(cx, BinaryOp::And, dst, mask.into(), shifted),
        }
    }
}

/// One lane after the other, as scalars are.
fn by_lanes<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: BinaryOp,
    args: [Value; 2],
    result: Value,
) {
    let ty = cx.func.value_type(result);
    let args = args.map(|value| target.regs(cx, value));
    let all = lanes_to_fill(target, cx, ty);
    let sign = match op {
        BinaryOp::Ashr | BinaryOp::Sdiv | BinaryOp::Srem => Signedness::Signed,
        _ => Signedness::Unsigned,
    };
    for at in Lane::all(ty) {
        let operands = args.map(|words| lane(target, cx, sign, words, at));
        let dst = lane_result(target, cx, op, operands);
        set_lane(target, cx, all, at, dst.into());
    }
    let dst = cx.regs(result);
    move_words(target, cx, dst, all);
}

/// The result of an operation on two lanes in words of their own.
fn lane_result<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: BinaryOp,
    [lhs, rhs]: [VReg; 2],
) -> VReg {
    match op {
        BinaryOp::Fadd | BinaryOp::Fsub | BinaryOp::Fmul | BinaryOp::Fdiv => {
            target.float_words(cx, op, [lhs, rhs])
        }
        BinaryOp::Frem => {
            let args = [lhs, rhs].map(|word| {
                let single = cx.temp(Type::F32);
                target.single_of_word(cx, single.lo(), word);
                (single, Type::F32)
            });
            let rest = cx.temp(Type::F32);
            target.libcall(cx, Libcall::Fmodf, &args, Some((rest, Type::F32)));
            target.word_of_single(cx, rest.lo())
        }
        _ if op.is_division() => {
            target.trap_if_zero(cx, rhs, None);
            let dst = target.temp(cx);
            target.divide_words(cx, op, [lhs, rhs], dst);
            dst
        }
        _ => target.word(cx, op, lhs, rhs),
    }
}

fn compare_lanes<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    cond: IntCond,
    args: [Value; 2],
    result: Value,
) {
    let ty = cx.func.value_type(args[0]);
    let args = args.map(|value| target.regs(cx, value));
    let all = lanes_to_fill(target, cx, ty);
    let less = by_less(cond);
    let sign = less.map_or(Signedness::Unsigned, |(sign, ..)| sign);
    for at in Lane::all(ty) {
        let [lhs, rhs] = args.map(|words| lane(target, cx, sign, words, at));
        // 1 becomes all ones, or 0 if the opposite is asked.
        let (holds, invert) = match less {
            None => {
                let differ = target.word(cx, BinaryOp::Xor, lhs, rhs);
                let equal = target.is_less(cx, Signedness::Unsigned, differ, Word::Number(1));
                (equal, cond == IntCond::Ne)
            }
            Some((sign, swap, invert)) => {
                let (a, b) = if swap { (rhs, lhs) } else { (lhs, rhs) };
                (target.is_less(cx, sign, a, b.into()), invert)
            }
        };
        let mask = match invert {
            false => target.word(cx, BinaryOp::Sub, 0, holds),
            true => target.word(cx, BinaryOp::Add, holds, u32::MAX),
        };
        set_lane(target, cx, all, at, mask.into());
    }
    let dst = cx.regs(result);
    move_words(target, cx, dst, all);
}

/// Bits of the one vector where those of the condition are set, of the other elsewhere.
fn select_bits<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    cond: Value,
    values: [Value; 2],
    result: Value,
) {
    let mask = words_of(target, cx, cond);
    let [if_true, if_false] = values.map(|value| words_of(target, cx, value));
    let dst = cx.regs(result);
    for (n, dst) in dst.iter().enumerate() {
        let differ = target.word(cx, BinaryOp::Xor, if_true[n], if_false[n]);
        let change = target.word(cx, BinaryOp::And, differ, mask[n]);
        target.word_op(cx, BinaryOp::Xor, dst, change.into(), if_false[n]);
    }
}

/// Conversions from or to a vector.
fn cast<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    op: CastOp,
    arg: Value,
    result: Value,
) -> Result<(), ErrorKind> {
    let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
    let is_bools = |ty: Type| ty.is_bool_or_bool_vector();
    let is_packed = |ty| matches!(ty, Type::V8I1 | Type::V16I1);
    let src = target.regs(cx, arg);
    let dst = cx.regs(result);
    let numbers = match op {
        CastOp::Sitofp | CastOp::Uitofp => from,
        CastOp::Fptosi | CastOp::Fptoui => to,
        _ => Type::Void,
    };
    match op {
        _ if numbers == Type::V4I32 => {
            for (dst, word) in dst.iter().zip(src.iter()) {
                let converted = target.convert_word(cx, op, word);
                target.mov_word(cx, dst, converted.into());
            }
        }
        CastOp::Sext if is_bools(from) => move_words(target, cx, dst, src),
        CastOp::Zext if is_bools(from) => {
            let ones = Word::Number(splat(lane_bits(to), 1));
            for (dst, src) in dst.iter().zip(src.iter()) {
                target.word_op(cx, BinaryOp::And, dst, src.into(), ones);
            }
        }
        CastOp::Trunc if is_bools(to) => fill_lanes(target, cx, lane_bits(to), src, dst),
        CastOp::Bitcast
            if from == to || !is_bools(from) && !is_bools(to) && from.is_vector() && to.is_vector() =>
        {
            move_words(target, cx, dst, src);
        }
        CastOp::Bitcast if is_packed(from) && to.is_scalar_int() => {
            pack_booleans(target, cx, from, src, dst.lo());
        }
        CastOp::Bitcast if is_packed(to) && from.is_scalar_int() => {
            unpack_booleans(target, cx, to, src.lo(), dst);
        }
        _ => return Err(ErrorKind::Unsupported("this conversion of vectors")),
    }
    Ok(())
}

/// The low bit of each lane in all of it: 2^size - 1 times the bit, which no other lane sees.
fn fill_lanes<T: Words, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    size: u32,
    src: ValueRegs,
    dst: ValueRegs,
) {
    for (dst, src) in dst.iter().zip(src.iter()) {
        let bits = target.word(cx, BinaryOp::And, src, splat(size, 1));
        let above = match size {
            32 => Word::Number(0),
            _ => target.word_reg(cx, Word::shifted(bits, BinaryOp::Shl, size as u8)).into(),
        };
        target.word_op(cx, BinaryOp::Sub, dst, above, bits.into());
    }
}

/// One bit of each lane, one above the other.
fn pack_booleans<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    ty: Type,
    src: ValueRegs,
    dst: VReg,
) {
    let all = target.temp(cx);
    target.mov_word(cx, all, Word::Number(0));
    for (n, Lane { word, lsb, .. }) in (0..).zip(Lane::all(ty)) {
        target.insert(cx, all, Word::shifted(src.part(word), BinaryOp::Lshr, lsb), n, 1);
    }
    target.mov_word(cx, dst, all.into());
}

/// Each bit in all of its lane.
fn unpack_booleans<T: WordVectors, S: Sink<T::Inst>>(
    target: T,
    cx: &mut Cx<'_, T, S>,
    ty: Type,
    src: VReg,
    dst: ValueRegs,
) {
    let all = lanes_to_fill(target, cx, ty);
    for (n, at) in (0..).zip(Lane::all(ty)) {
        let bit = target.temp(cx);
        target.extract(cx, Signedness::Unsigned, bit, src, n, 1);
        let mask = target.word(cx, BinaryOp::Sub, 0, bit);
        set_lane(target, cx, all, at, mask.into());
    }
    move_words(target, cx, dst, all);
}

//! Vectors of 128 bits as four words. Single lanes, constants and shuffles are in [`lanes`](super::lanes).
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

use super::compare::{by_less, float_test, less};
use super::float::float3;
use super::int::{alu, shift};
use super::lanes::Lane;
use crate::inst::{Inst, Src, Wanted};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, FloatWidth, Shift};
use ice_codegen::lanes::{lane_bits, uniform_lane};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::rules::VectorRule;
use ice_codegen::{ErrorKind, Libcall, Operands as _, ValueRegs};
use ice_ir::{BinaryOp, CastOp, FloatCond, IntCond, Type, Value};

/// A number of 8 or 16 bits in all lanes of a word.
fn splat(size: u32, number: u32) -> u32 {
    let lane = number & (u32::MAX >> (32 - size));
    (0..32 / size).fold(0, |word, n| word | lane << (n * size))
}

impl Mips32 {
    /// Chooses the rule for an instruction on vectors.
    #[inline(never)]
    pub(crate) fn vector<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        rule: VectorRule,
    ) -> Result<(), ErrorKind> {
        match rule {
            VectorRule::Binary { op, args, result } => return self.vector_binary(cx, op, args, result),
            VectorRule::Cast { op, arg, result } => return self.vector_cast(cx, op, arg, result),
            VectorRule::IntCompare { cond, args, result } => self.compare_lanes(cx, cond, args, result),
            VectorRule::FloatCompare { cond, args, result } => self.compare_singles(cx, cond, args, result),
            VectorRule::Select { cond, values, result } => self.select_bits(cx, cond, values, result),
            VectorRule::ExtractElement { vector, index, result } => {
                return self.extract_element(cx, [vector, index], result);
            }
            VectorRule::InsertElement { vector, element, index, result } => {
                return self.insert_element(cx, inst, [vector, element, index], result);
            }
        }
        Ok(())
    }

    /// Any binary operator on vectors.
    fn vector_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
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
        let amount = shift(op).and_then(|_| uniform_lane(cx.func, args[1])).filter(|&n| n < u64::from(size));
        match (alu(op), amount) {
            (Some(op), _) if is_logic || size == 32 => self.by_words(cx, op, args, result),
            (Some(op), _) => self.narrow_sum(cx, op, size, args, result),
            (None, Some(amount)) if size == 32 || op != BinaryOp::Ashr => {
                self.shift_words(cx, op, size, args[0], amount as u8, result);
            }
            _ => self.by_lanes(cx, op, args, result),
        }
        Ok(())
    }

    fn by_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, args: [Value; 2], result: Value) {
        let [lhs, rhs] = args.map(|value| self.part_srcs(cx, value));
        let dst = cx.regs(result);
        for (dst, (lhs, rhs)) in dst.iter().zip(lhs.into_iter().zip(rhs)) {
            self.alu(cx, op, dst, lhs, rhs);
        }
    }

    /// The sum or difference of the bits below the top ones of the lanes, which no carry or borrow leaves, with the top
    /// bits as they come out alone: that of `a - b` is the inverse of that of `a - !b`.
    fn narrow_sum<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        size: u32,
        args: [Value; 2],
        result: Value,
    ) {
        let [x, y] = args.map(|value| self.part_srcs(cx, value));
        let top = self.number(cx, splat(size, 1 << (size - 1)));
        let rest = self.number(cx, !splat(size, 1 << (size - 1)));
        let dst = cx.regs(result);
        for (dst, (x, y)) in dst.iter().zip(x.into_iter().zip(y)) {
            let low = self.alu_temp(cx, Alu::And, y, rest);
            let (first, differ) = match op {
                Alu::Addu => (self.alu_temp(cx, Alu::And, x, rest), self.alu_temp(cx, Alu::Xor, x, y)),
                _ => {
                    let other = self.alu_temp(cx, Alu::Nor, y, Src::Zero);
                    (self.alu_temp(cx, Alu::Or, x, top), self.alu_temp(cx, Alu::Xor, x, other))
                }
            };
            let tops = self.alu_temp(cx, Alu::And, differ, top);
            let sum = self.alu_temp(cx, op, first, low);
            self.alu(cx, Alu::Xor, dst, sum, tops);
        }
    }

    /// All lanes shifted alike; what comes in from the next lane is masked out.
    fn shift_words<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        size: u32,
        arg: Value,
        amount: u8,
        result: Value,
    ) {
        let words = self.regs(cx, arg);
        let all = u32::MAX >> (32 - size);
        let (op, kept) = match op {
            BinaryOp::Shl => (Shift::Sll, all << amount),
            BinaryOp::Lshr => (Shift::Srl, all >> amount),
            _ => (Shift::Sra, all),
        };
        let mask = if size < 32 { Some(self.number_reg(cx, splat(size, kept))) } else { None };
        let dst = cx.regs(result);
        for (dst, src) in dst.iter().zip(words.iter()) {
            match mask {
                None => self.shift(cx, op, dst, src, amount),
                Some(mask) => {
                    let shifted = self.shift_temp(cx, op, src, amount);
                    self.alu(cx, Alu::And, dst, shifted, mask);
                }
            }
        }
    }

    /// One lane after the other, as scalars are.
    fn by_lanes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, args: [Value; 2], result: Value) {
        let ty = cx.func.value_type(result);
        let args = args.map(|value| self.regs(cx, value));
        let all = self.lanes_to_fill(cx, ty);
        let sign = match op {
            BinaryOp::Ashr | BinaryOp::Sdiv | BinaryOp::Srem => Signedness::Signed,
            _ => Signedness::Unsigned,
        };
        for lane in Lane::all(ty) {
            let [lhs, rhs] = args.map(|words| self.lane(cx, sign, words, lane));
            let dst = self.lane_result(cx, op, [lhs, rhs]);
            self.set_lane(cx, all, lane, Src::Reg(dst));
        }
        let dst = cx.regs(result);
        self.move_words(cx, dst, all);
    }

    /// The result of an operation on two lanes in words of their own.
    fn lane_result<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, [lhs, rhs]: [VReg; 2]) -> VReg {
        let dst = self.temp(cx);
        match (op, shift(op), float3(op)) {
            (BinaryOp::Mul, ..) => self.alu(cx, Alu::Mul, dst, lhs, rhs),
            (_, Some((_, op)), _) => cx.sink.push(Inst::ShiftBy { op, dst, src: lhs, amount: rhs }),
            (_, _, Some(op)) => {
                let [lhs, rhs] = [lhs, rhs].map(|word| self.single(cx, word));
                let (width, sum) = (FloatWidth::S, cx.temp(Type::F32).lo());
                cx.sink.push(Inst::Float3 { op, width, dst: sum, lhs, rhs });
                cx.sink.push(Inst::SingleToWord { dst, src: sum });
            }
            (BinaryOp::Frem, ..) => {
                let args = [lhs, rhs].map(|word| {
                    let single = cx.temp(Type::F32);
                    cx.sink.push(Inst::WordToSingle { dst: single.lo(), src: Src::Reg(word) });
                    (single, Type::F32)
                });
                let rest = cx.temp(Type::F32);
                self.libcall(cx, Libcall::Fmodf, &args, Some((rest, Type::F32)));
                cx.sink.push(Inst::SingleToWord { dst, src: rest.lo() });
            }
            _ => {
                if !self.is_native() {
                    cx.sink.push(Inst::TrapIfZero { src: rhs });
                }
                self.divide_words(cx, op, [lhs, rhs], dst);
            }
        }
        dst
    }

    /// A word as a number of single precision.
    fn single<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, word: VReg) -> VReg {
        let dst = cx.temp(Type::F32).lo();
        cx.sink.push(Inst::WordToSingle { dst, src: Src::Reg(word) });
        dst
    }

    fn compare_lanes<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: IntCond,
        args: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(args[0]);
        let args = args.map(|value| self.regs(cx, value));
        let all = self.lanes_to_fill(cx, ty);
        let sign = by_less(cond).map_or(Signedness::Unsigned, |(sign, ..)| sign);
        for lane in Lane::all(ty) {
            let [lhs, rhs] = args.map(|words| self.lane(cx, sign, words, lane));
            // 1 becomes all ones, or 0 if the opposite is asked.
            let (holds, invert) = match by_less(cond) {
                None => {
                    let differ = self.alu_temp(cx, Alu::Xor, lhs, rhs);
                    (self.alu_imm_temp(cx, Alu::Sltu, differ, 1), cond == IntCond::Ne)
                }
                Some((sign, swap, invert)) => {
                    let (a, b) = if swap { (rhs, lhs) } else { (lhs, rhs) };
                    (self.alu_temp(cx, less(sign), a, b), invert)
                }
            };
            let mask = match invert {
                false => self.alu_temp(cx, Alu::Subu, Src::Zero, holds),
                true => self.alu_imm_temp(cx, Alu::Addu, holds, u32::MAX),
            };
            self.set_lane(cx, all, lane, Src::Reg(mask));
        }
        let dst = cx.regs(result);
        self.move_words(cx, dst, all);
    }

    fn compare_singles<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: FloatCond,
        args: [Value; 2],
        result: Value,
    ) {
        let (op, holds) = match float_test(cond) {
            Ok(test) => test,
            Err(known) => {
                let imm = if known { u32::MAX } else { 0 };
                let dst = cx.regs(result);
                return dst.iter().for_each(|dst| cx.sink.push(Inst::MovImm { dst, imm }));
            }
        };
        let args = args.map(|value| self.regs(cx, value));
        let dst = cx.regs(result);
        let wanted = if holds { Wanted::Zero } else { Wanted::Nonzero };
        for (n, dst) in (0..).zip(dst.iter()) {
            let [lhs, rhs] = args.map(|words| self.single(cx, words.part(n)));
            cx.sink.push(Inst::CompareFloat { op, width: FloatWidth::S, lhs, rhs });
            cx.sink.push(Inst::MovImm { dst, imm: u32::MAX });
            cx.sink.push(Inst::FlagMov { wanted, dst, src: Src::Zero });
        }
    }

    /// Bits of the one vector where those of the condition are set, of the other elsewhere.
    fn select_bits<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, cond: Value, values: [Value; 2], result: Value) {
        let mask = self.part_srcs(cx, cond);
        let [if_true, if_false] = values.map(|value| self.part_srcs(cx, value));
        let dst = cx.regs(result);
        for (n, dst) in dst.iter().enumerate() {
            let differ = self.alu_temp(cx, Alu::Xor, if_true[n], if_false[n]);
            let change = self.alu_temp(cx, Alu::And, differ, mask[n]);
            self.alu(cx, Alu::Xor, dst, change, if_false[n]);
        }
    }

    /// Conversions from or to a vector.
    fn vector_cast<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        arg: Value,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let is_bools = |ty: Type| ty.is_bool_or_bool_vector();
        let is_packed = |ty| matches!(ty, Type::V8I1 | Type::V16I1);
        let src = self.regs(cx, arg);
        let dst = cx.regs(result);
        match op {
            CastOp::Sitofp | CastOp::Uitofp if from == Type::V4I32 => {
                let sign = if op == CastOp::Sitofp { Signedness::Signed } else { Signedness::Unsigned };
                for (dst, word) in dst.iter().zip(src.iter()) {
                    let single = cx.temp(Type::F32).lo();
                    self.word_to_float(cx, sign, word, Type::F32, single);
                    cx.sink.push(Inst::SingleToWord { dst, src: single });
                }
            }
            CastOp::Fptosi | CastOp::Fptoui if to == Type::V4I32 => {
                for (dst, word) in dst.iter().zip(src.iter()) {
                    let single = self.single(cx, word);
                    let word = match op {
                        CastOp::Fptosi => self.float_to_word(cx, single, Type::F32),
                        _ => self.float_to_unsigned(cx, single, Type::F32),
                    };
                    cx.sink.push(Inst::Mov { dst, src: word });
                }
            }
            CastOp::Sext if is_bools(from) => self.move_words(cx, dst, src),
            CastOp::Zext if is_bools(from) => {
                for (dst, src) in dst.iter().zip(src.iter()) {
                    self.alu_imm(cx, Alu::And, dst, src, splat(lane_bits(to), 1));
                }
            }
            CastOp::Trunc if is_bools(to) => self.fill_lanes(cx, lane_bits(to), src, dst),
            CastOp::Bitcast
                if from == to || !is_bools(from) && !is_bools(to) && from.is_vector() && to.is_vector() =>
            {
                self.move_words(cx, dst, src);
            }
            CastOp::Bitcast if is_packed(from) && to.is_scalar_int() => {
                self.pack_booleans(cx, from, src, dst.lo());
            }
            CastOp::Bitcast if is_packed(to) && from.is_scalar_int() => {
                let all = self.lanes_to_fill(cx, to);
                for (n, lane) in (0..).zip(Lane::all(to)) {
                    let bit = self.temp(cx);
                    cx.sink.push(Inst::Extract { dst: bit, src: src.lo(), lsb: n, size: 1 });
                    let mask = self.alu_temp(cx, Alu::Subu, Src::Zero, bit);
                    self.set_lane(cx, all, lane, Src::Reg(mask));
                }
                self.move_words(cx, dst, all);
            }
            _ => return Err(ErrorKind::Unsupported("this conversion of vectors")),
        }
        Ok(())
    }

    /// The low bit of each lane in all of it: 2^size - 1 times the bit, which no other lane sees.
    fn fill_lanes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, size: u32, src: ValueRegs, dst: ValueRegs) {
        for (dst, src) in dst.iter().zip(src.iter()) {
            let bits = self.alu_imm_temp(cx, Alu::And, src, splat(size, 1));
            match size {
                32 => self.alu(cx, Alu::Subu, dst, Src::Zero, bits),
                _ => {
                    let above = self.shift_temp(cx, Shift::Sll, bits, size as u8);
                    self.alu(cx, Alu::Subu, dst, above, bits);
                }
            }
        }
    }

    /// One bit of each lane, one above the other.
    fn pack_booleans<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: ValueRegs, dst: VReg) {
        let all = self.temp(cx);
        cx.sink.push(Inst::MovImm { dst: all, imm: 0 });
        for (n, lane) in (0..).zip(Lane::all(ty)) {
            let bit = self.shift_temp(cx, Shift::Srl, src.part(lane.word), lane.lsb);
            cx.sink.push(Inst::Insert { dst: all, src: Src::Reg(bit), lsb: n, size: 1 });
        }
        cx.sink.push(Inst::Mov { dst, src: all });
    }

    /// The absolute value of single-precision lanes.
    pub(super) fn vector_fabs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, arg: Value, result: Value) {
        let src = self.regs(cx, arg);
        let dst = cx.regs(result);
        for (dst, src) in dst.iter().zip(src.iter()) {
            cx.sink.push(Inst::Extract { dst, src, lsb: 0, size: 31 });
        }
    }
}

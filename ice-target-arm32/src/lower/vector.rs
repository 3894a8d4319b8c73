//! Vectors of 128 bits, with Advanced SIMD. Single lanes, constants and shuffles are in [`lanes`](super::lanes).
//!
//! A lane of an `i1` vector is as wide as that of the integer vector of the same lane count, and all ones or
//! all zeros: what comparisons give and select takes. `and`, `or` and `xor` keep that.
//!
//! Programs compute the same numbers on every machine. Advanced SIMD takes denormal numbers for zero, operands and
//! results, gives one NaN for all, and rounds to nearest whatever the mode (DDI 0406C A2.7.2, FPSCR of the standard
//! kind). So of the operations on lanes of floating-point numbers
//!
//! | operation | is done by |
//! |---|---|
//! | addition, subtraction, multiplication, division, square root | VFP, on each lane in the register that has a name for it |
//! | comparison | integers in the same order: `vceq.f32`, `vcgt.f32` take two small numbers for equal |
//! | whether a number is one | `vceq.f32` with itself: a denormal number equals itself as zero, too |
//! | `vabs`, `vneg`, logic, select, moves of lanes | Advanced SIMD: bits |
//! | from integers | Advanced SIMD: no result is denormal, and the rounding is the same |
//! | to integers | Advanced SIMD: what it takes for zero becomes zero in any case; it saturates as VFP does |
//!
//! Integer division and the floating-point remainder go through core registers and helpers.

use super::lanes::lane;
use crate::inst::{FloatSize, Inst, Neon3, NeonUnary, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{
    Alu, Float3, Lane, Neon2, NeonConvert, NeonFloat, NeonFloat2, NeonInt, NeonLogic, NeonShift,
    NeonShiftImm, Shift, Sign,
};
use ice_codegen::lanes::uniform_amount;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::rules::VectorRule;
use ice_codegen::{ErrorKind, Libcall, NO_WIDE_REGISTERS, Operands as _, Words as _};
use ice_ir::{BinaryOp, CastOp, FloatCond, InstData, IntCond, Type, Value};

/// The instruction for an operator, where one instruction does it.
fn packed(op: BinaryOp, ty: Type) -> Option<Neon3> {
    let is_number = !ty.is_bool_or_bool_vector();
    Some(match op {
        BinaryOp::And => Neon3::Logic(NeonLogic::Vand),
        BinaryOp::Or => Neon3::Logic(NeonLogic::Vorr),
        BinaryOp::Xor => Neon3::Logic(NeonLogic::Veor),
        BinaryOp::Add if is_number => Neon3::Int(NeonInt::Vadd),
        BinaryOp::Sub if is_number => Neon3::Int(NeonInt::Vsub),
        BinaryOp::Mul if is_number => Neon3::Int(NeonInt::Vmul),
        BinaryOp::Shl if is_number => Neon3::Shift(NeonShift::VshlU),
        _ => return None,
    })
}

/// A comparison of integer lanes, and whether its operands are exchanged or its result is inverted.
#[derive(Clone, Copy)]
struct Plan {
    op: NeonInt,
    swap: bool,
    invert: bool,
}

fn int_plan(cond: IntCond) -> Plan {
    let (op, swap, invert) = match cond {
        IntCond::Eq => (NeonInt::Vceq, false, false),
        IntCond::Ne => (NeonInt::Vceq, false, true),
        IntCond::Ugt => (NeonInt::VcgtU, false, false),
        IntCond::Uge => (NeonInt::VcgeU, false, false),
        IntCond::Ult => (NeonInt::VcgtU, true, false),
        IntCond::Ule => (NeonInt::VcgeU, true, false),
        IntCond::Sgt => (NeonInt::VcgtS, false, false),
        IntCond::Sge => (NeonInt::VcgeS, false, false),
        IntCond::Slt => (NeonInt::VcgtS, true, false),
        IntCond::Sle => (NeonInt::VcgeS, true, false),
    };
    Plan { op, swap, invert }
}

/// The comparison of numbers that must hold where the lanes are ordered; `None` where that is all. Then
/// whether the whole is inverted: the unordered conditions are the opposites of ordered ones.
fn float_plan(cond: FloatCond) -> (Option<IntCond>, bool) {
    match cond {
        FloatCond::Ord | FloatCond::True => (None, false),
        FloatCond::Uno | FloatCond::False => (None, true),
        FloatCond::Oeq => (Some(IntCond::Eq), false),
        FloatCond::One => (Some(IntCond::Ne), false),
        FloatCond::Ogt => (Some(IntCond::Sgt), false),
        FloatCond::Oge => (Some(IntCond::Sge), false),
        FloatCond::Olt => (Some(IntCond::Slt), false),
        FloatCond::Ole => (Some(IntCond::Sle), false),
        FloatCond::Une => (Some(IntCond::Eq), true),
        FloatCond::Ueq => (Some(IntCond::Ne), true),
        FloatCond::Ule => (Some(IntCond::Sgt), true),
        FloatCond::Ult => (Some(IntCond::Sge), true),
        FloatCond::Uge => (Some(IntCond::Slt), true),
        FloatCond::Ugt => (Some(IntCond::Sle), true),
    }
}

impl Arm32 {
    /// Chooses the rule for an instruction on vectors.
    #[inline(never)]
    pub(crate) fn vector<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        rule: VectorRule,
    ) -> Result<(), ErrorKind> {
        match rule {
            VectorRule::Binary { op, args, result } => self.vector_binary(cx, op, args, result),
            VectorRule::Cast { op, arg, result } => self.vector_cast(cx, op, arg, result),
            VectorRule::IntCompare { result, .. } | VectorRule::FloatCompare { result, .. } => {
                self.vector_compare(cx, inst, result)
            }
            VectorRule::Select { cond, values: [if_true, if_false], result } => {
                self.vector_select(cx, [cond, if_true, if_false], result)
            }
            VectorRule::ExtractElement { vector, index, result } => {
                self.extract_element(cx, vector, index, result)
            }
            VectorRule::InsertElement { vector, element, index, result } => {
                self.insert_element(cx, inst, [vector, element, index], result)
            }
            VectorRule::Join { .. } | VectorRule::Half { .. } => Err(NO_WIDE_REGISTERS),
        }
    }

    pub(super) fn quad<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> VReg {
        cx.temp(Type::V4I32).lo()
    }

    fn neon3<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Neon3, lane: Lane, [dst, lhs, rhs]: [VReg; 3]) {
        cx.sink.push(Inst::Neon3 { op, lane, dst, lhs, rhs });
    }

    pub(super) fn neon2<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: NeonUnary,
        lane: Lane,
        dst: VReg,
        src: VReg,
    ) {
        cx.sink.push(Inst::Neon2 { op, lane, dst, src });
    }

    /// `dst = !src`.
    fn complement<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        self.neon2(cx, NeonUnary::Float(NeonFloat2::Vmvn), Lane::B8, dst, src);
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
        let lane = lane(ty);
        if let BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr = op
            && let Some(amount) = uniform_amount(cx.func, args[1])
        {
            return self.shift_by_constant(cx, op, args[0], amount, result);
        }
        let [lhs, rhs] = args.map(|v| self.reg(cx, v));
        let dst = cx.regs(result).lo();
        if let Some(op) = packed(op, ty) {
            self.neon3(cx, op, lane, [dst, lhs, rhs]);
            return Ok(());
        }
        match op {
            _ if ty.is_bool_or_bool_vector() => {
                return Err(ErrorKind::Unsupported("arithmetic on a vector of booleans"));
            }
            BinaryOp::Lshr | BinaryOp::Ashr => {
                let op = if op == BinaryOp::Lshr { NeonShift::VshlU } else { NeonShift::VshlS };
                let amount = self.quad(cx);
                self.neon2(cx, NeonUnary::Int(Neon2::Vneg), lane, amount, rhs);
                self.neon3(cx, Neon3::Shift(op), lane, [dst, lhs, amount]);
            }
            BinaryOp::Fadd => cx.sink.push(Inst::EachLane { op: Float3::Vadd, dst, lhs, rhs }),
            BinaryOp::Fsub => cx.sink.push(Inst::EachLane { op: Float3::Vsub, dst, lhs, rhs }),
            BinaryOp::Fmul => cx.sink.push(Inst::EachLane { op: Float3::Vmul, dst, lhs, rhs }),
            BinaryOp::Fdiv => cx.sink.push(Inst::EachLane { op: Float3::Vdiv, dst, lhs, rhs }),
            _ => self.by_lane(cx, op, ty, [lhs, rhs], dst),
        }
        Ok(())
    }

    /// All lanes shifted alike; right shifts by nothing have no encoding.
    fn shift_by_constant<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        arg: Value,
        amount: u8,
        result: Value,
    ) -> Result<(), ErrorKind> {
        let lane = lane(cx.func.value_type(result));
        let op = match op {
            _ if amount == 0 => {
                self.move_float(cx, FloatSize::Quad, arg, result);
                return Ok(());
            }
            BinaryOp::Shl => NeonShiftImm::Vshl,
            BinaryOp::Lshr => NeonShiftImm::VshrU,
            _ => NeonShiftImm::VshrS,
        };
        let src = self.reg(cx, arg);
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::NeonShift { op, lane, dst, src, amount });
        Ok(())
    }

    /// Divisions and remainders, one lane after the other.
    fn by_lane<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, ty: Type, args: [VReg; 2], dst: VReg) {
        let lane = lane(ty);
        let signed = matches!(op, BinaryOp::Sdiv | BinaryOp::Srem);
        let sign = if signed { Sign::Minus } else { Sign::Plus };
        let sum = self.quad(cx);
        cx.sink.push(Inst::ZeroFloat { size: FloatSize::Quad, dst: sum });
        for index in 0..ty.lanes() as u8 {
            let [lhs, rhs] = args.map(|src| {
                let dst = self.temp(cx);
                cx.sink.push(Inst::LaneToCore { sign, lane, index, dst, src });
                dst
            });
            let part = self.temp(cx);
            if op == BinaryOp::Frem {
                let singles = [lhs, rhs].map(|src| {
                    let dst = cx.temp(Type::F32);
                    cx.sink.push(Inst::CoreToSingle { dst: dst.lo(), src });
                    (dst, Type::F32)
                });
                let rest = cx.temp(Type::F32);
                self.libcall(cx, Libcall::Fmodf, &singles, Some((rest, Type::F32)));
                cx.sink.push(Inst::SingleToCore { dst: part, src: rest.lo() });
            } else {
                cx.sink.push(Inst::TrapIfZero { lo: rhs, hi: None });
                self.divide_words(cx, op, [lhs, rhs], part);
            }
            cx.sink.push(Inst::CoreToLane { lane, index, dst: sum, src: part });
        }
        cx.sink.push(Inst::MovFloat { size: FloatSize::Quad, dst, src: sum });
    }

    /// A comparison of vectors: all ones where it holds.
    fn vector_compare<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        inst: ice_ir::Inst,
        result: Value,
    ) -> Result<(), ErrorKind> {
        match *cx.func.inst(inst) {
            InstData::Icmp { cond, args } => {
                let lane = lane(cx.func.value_type(args[0]));
                let args = args.map(|v| self.reg(cx, v));
                let dst = cx.regs(result).lo();
                self.compare_lanes(cx, cond, lane, args, dst);
            }
            InstData::Fcmp { cond: cond @ (FloatCond::False | FloatCond::True), .. } => {
                let dst = cx.regs(result).lo();
                let bits = if cond == FloatCond::True { u128::MAX } else { 0 };
                self.load_vector(cx, dst, bits);
            }
            InstData::Fcmp { cond, args } => {
                let args = args.map(|v| self.reg(cx, v));
                let dst = cx.regs(result).lo();
                self.compare_floats_by_lane(cx, cond, args, dst);
            }
            _ => return Err(ErrorKind::Unsupported("this comparison")),
        }
        Ok(())
    }

    fn compare_lanes<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: IntCond,
        lane: Lane,
        [a, b]: [VReg; 2],
        dst: VReg,
    ) {
        let Plan { op, swap, invert } = int_plan(cond);
        let [lhs, rhs] = if swap { [b, a] } else { [a, b] };
        let holds = if invert { self.quad(cx) } else { dst };
        self.neon3(cx, Neon3::Int(op), lane, [holds, lhs, rhs]);
        if invert {
            self.complement(cx, dst, holds);
        }
    }

    /// Both are ordered where they equal themselves; then they compare as their keys do, or for equality as their
    /// bits do.
    fn compare_floats_by_lane<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: FloatCond,
        args: [VReg; 2],
        dst: VReg,
    ) {
        let lane = Lane::B32;
        let (numbers, invert) = float_plan(cond);
        let last = if invert { self.quad(cx) } else { dst };
        let is_equal = numbers == Some(IntCond::Eq);
        let ordered = if numbers.is_some() { self.quad(cx) } else { last };
        // If they are equal, one number is enough to know that both are.
        let selves = args.map(|src| {
            let dst = if is_equal { ordered } else { self.quad(cx) };
            (dst, src)
        });
        for &(dst, src) in &selves[..if is_equal { 1 } else { 2 }] {
            self.neon3(cx, Neon3::Float(NeonFloat::Vceq), lane, [dst, src, src]);
        }
        if !is_equal {
            self.neon3(cx, Neon3::Logic(NeonLogic::Vand), lane, [ordered, selves[0].0, selves[1].0]);
        }
        match numbers {
            None => {}
            Some(IntCond::Eq | IntCond::Ne) => {
                let equal = self.equal_numbers(cx, args);
                let op = if is_equal { NeonLogic::Vand } else { NeonLogic::Vbic };
                self.neon3(cx, Neon3::Logic(op), lane, [last, ordered, equal]);
            }
            Some(cond) => {
                let keys = args.map(|src| self.float_key(cx, src));
                let holds = self.quad(cx);
                self.compare_lanes(cx, cond, lane, keys, holds);
                self.neon3(cx, Neon3::Logic(NeonLogic::Vand), lane, [last, holds, ordered]);
            }
        }
        if invert {
            self.complement(cx, dst, last);
        }
    }

    /// Where ordered numbers are equal: all their bits are, or all but the signs are zero in both.
    fn equal_numbers<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [VReg; 2]) -> VReg {
        let lane = Lane::B32;
        let [same, either, magnitudes, zeros, equal] = [(); 5].map(|()| self.quad(cx));
        self.neon3(cx, Neon3::Int(NeonInt::Vceq), lane, [same, a, b]);
        self.neon3(cx, Neon3::Logic(NeonLogic::Vorr), lane, [either, a, b]);
        self.neon3(cx, Neon3::Int(NeonInt::Vadd), lane, [magnitudes, either, either]);
        self.neon2(cx, NeonUnary::Int(Neon2::Vceq0), lane, zeros, magnitudes);
        self.neon3(cx, Neon3::Logic(NeonLogic::Vorr), lane, [equal, same, zeros]);
        equal
    }

    /// Integers in the order of the numbers: the magnitude, negative where the sign is set, so that both
    /// zeros are the same.
    fn float_key<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg) -> VReg {
        let (lane, amount) = (Lane::B32, 31);
        let [magnitude, sign, flipped, key] = [0; 4].map(|_| self.quad(cx));
        self.neon2(cx, NeonUnary::Float(NeonFloat2::Vabs), lane, magnitude, src);
        cx.sink.push(Inst::NeonShift { op: NeonShiftImm::VshrS, lane, dst: sign, src, amount });
        self.neon3(cx, Neon3::Logic(NeonLogic::Veor), lane, [flipped, magnitude, sign]);
        self.neon3(cx, Neon3::Int(NeonInt::Vsub), lane, [key, flipped, sign]);
        key
    }

    /// A select lane by lane: condition, then values.
    fn vector_select<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        args: [Value; 3],
        result: Value,
    ) -> Result<(), ErrorKind> {
        let [mask, if_true, if_false] = args.map(|v| self.reg(cx, v));
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::MovFloat { size: FloatSize::Quad, dst, src: mask });
        cx.sink.push(Inst::NeonSelect { dst, if_true, if_false });
        Ok(())
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
        let (lane, top) = (lane(to), lane(to).bits() as u8 - 1);
        let src = self.reg(cx, arg);
        let dst = cx.regs(result).lo();
        let shift = |cx: &mut Cx<'_, S>, op, dst, src| {
            cx.sink.push(Inst::NeonShift { op, lane, dst, src, amount: top });
        };
        let convert = |op| Some(NeonUnary::Convert(op));
        let one = match op {
            CastOp::Sitofp if from == Type::V4I32 => convert(NeonConvert::F32FromS32),
            CastOp::Uitofp if from == Type::V4I32 => convert(NeonConvert::F32FromU32),
            CastOp::Fptosi if to == Type::V4I32 => convert(NeonConvert::S32FromF32),
            CastOp::Fptoui if to == Type::V4I32 => convert(NeonConvert::U32FromF32),
            _ => None,
        };
        match op {
            _ if one.is_some() => {
                if let Some(op) = one {
                    self.neon2(cx, op, Lane::B32, dst, src);
                }
            }
            CastOp::Sext if is_bools(from) => self.move_float(cx, FloatSize::Quad, arg, result),
            CastOp::Zext if is_bools(from) => shift(cx, NeonShiftImm::VshrU, dst, src),
            CastOp::Trunc if is_bools(to) => {
                let high = self.quad(cx);
                shift(cx, NeonShiftImm::Vshl, high, src);
                shift(cx, NeonShiftImm::VshrS, dst, high);
            }
            CastOp::Bitcast
                if from == to || !is_bools(from) && !is_bools(to) && from.is_vector() && to.is_vector() =>
            {
                self.move_float(cx, FloatSize::Quad, arg, result);
            }
            CastOp::Bitcast if matches!(from, Type::V8I1 | Type::V16I1) && to.is_scalar_int() => {
                self.pack_bools(cx, from, src, dst);
            }
            CastOp::Bitcast if matches!(to, Type::V8I1 | Type::V16I1) && from.is_scalar_int() => {
                self.unpack_bools(cx, to, src, dst);
            }
            _ => return Err(ErrorKind::Unsupported("this conversion of vectors")),
        }
        Ok(())
    }

    /// In each lane the bit that it has in its byte of the packed form.
    fn lane_bits<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type) -> VReg {
        let width = lane(ty).bits();
        let bits = (0..ty.lanes()).fold(0u128, |all, n| all | 1u128 << (n * width + n % 8));
        let dst = self.quad(cx);
        self.load_vector(cx, dst, bits);
        dst
    }

    /// One bit of each lane, added up by pairs until each half of the vector has one number.
    fn pack_bools<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: VReg, dst: VReg) {
        let bits = self.lane_bits(cx, ty);
        let mut sum = self.quad(cx);
        self.neon3(cx, Neon3::Logic(NeonLogic::Vand), Lane::B8, [sum, src, bits]);
        for width in [Lane::B8, Lane::B16, Lane::B32].into_iter().filter(|&width| width >= lane(ty)) {
            let pairs = self.quad(cx);
            self.neon2(cx, NeonUnary::Int(Neon2::VpaddlU), width, pairs, sum);
            sum = pairs;
        }
        let [lo, hi] = [0, 2].map(|index| {
            let dst = self.temp(cx);
            cx.sink.push(Inst::LaneToCore { sign: Sign::Plus, lane: Lane::B32, index, dst, src: sum });
            dst
        });
        let shift = if ty == Type::V16I1 { 8 } else { 0 };
        let (op, flags) = (Alu::Orr, ice_asm::arm32::Flags::Keep);
        cx.sink.push(Inst::Alu { op, flags, dst, lhs: lo, rhs: Src::Shift(hi, Shift::Lsl, shift) });
    }

    /// The number in every lane, and where a lane's bit is in it, ones.
    fn unpack_bools<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, src: VReg, dst: VReg) {
        let bits = self.lane_bits(cx, ty);
        let all = self.quad(cx);
        if ty == Type::V16I1 {
            let hi = self.temp(cx);
            self.mov(cx, hi, Src::Shift(src, Shift::Lsr, 8));
            cx.sink.push(Inst::SplatHalves { dst: all, lo: src, hi });
        } else {
            cx.sink.push(Inst::Splat { lane: lane(ty), dst: all, src });
        }
        self.neon3(cx, Neon3::Int(NeonInt::Vtst), lane(ty), [dst, all, bits]);
    }

    /// The absolute value of single-precision lanes.
    pub(super) fn vector_fabs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, arg: Value, result: Value) {
        let src = self.reg(cx, arg);
        let dst = cx.regs(result).lo();
        self.neon2(cx, NeonUnary::Float(NeonFloat2::Vabs), Lane::B32, dst, src);
    }
}

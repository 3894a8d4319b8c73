//! Scalar floating point.

use super::{float_width, width};
use crate::abi::is_vector;
use crate::inst::{Inst, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Float2, Float3, Float4, FloatToInt, FloatWidth, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{Operands as _, Words as _};
use ice_ir::{BinaryOp, CastOp, InstData, Intrinsic, Type, Value};

/// The instruction for an operator, where there is one.
fn float3(op: BinaryOp) -> Option<Float3> {
    Some(match op {
        BinaryOp::Fadd => Float3::Fadd,
        BinaryOp::Fsub => Float3::Fsub,
        BinaryOp::Fmul => Float3::Fmul,
        BinaryOp::Fdiv => Float3::Fdiv,
        _ => return None,
    })
}

/// The conversion to an integer that rounds as an intrinsic does, where there is one.
pub(super) fn to_integer(op: Intrinsic, sign: Signedness) -> Option<FloatToInt> {
    let is_signed = sign == Signedness::Signed;
    Some(match (op, is_signed) {
        (Intrinsic::Floor, true) => FloatToInt::Fcvtms,
        (Intrinsic::Floor, false) => FloatToInt::Fcvtmu,
        (Intrinsic::Ceil, true) => FloatToInt::Fcvtps,
        (Intrinsic::Ceil, false) => FloatToInt::Fcvtpu,
        (Intrinsic::TruncFloat, true) => FloatToInt::Fcvtzs,
        (Intrinsic::TruncFloat, false) => FloatToInt::Fcvtzu,
        (Intrinsic::RoundEven, true) => FloatToInt::Fcvtns,
        (Intrinsic::RoundEven, false) => FloatToInt::Fcvtnu,
        (Intrinsic::Round, true) => FloatToInt::Fcvtas,
        (Intrinsic::Round, false) => FloatToInt::Fcvtau,
        _ => return None,
    })
}

impl Aarch64 {
    /// Any binary operator on f32 or f64.
    pub(crate) fn float_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) {
        match float3(op) {
            None => self.float_remainder(cx, args, result),
            Some(op) => {
                let [lhs, rhs] = args.map(|arg| self.reg(cx, arg));
                let (width, dst) = (float_width(cx.func.value_type(result)), cx.regs(result).lo());
                cx.sink.push(Inst::Float3 { op, width, dst, lhs, rhs });
            }
        }
    }

    /// An operation on one number.
    pub(super) fn float_unary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Float2,
        arg: Value,
        result: Value,
    ) {
        let src = self.reg(cx, arg);
        let (width, dst) = (float_width(cx.func.value_type(result)), cx.regs(result).lo());
        cx.sink.push(Inst::Float2 { op, width, dst, src });
    }

    /// A product with a sum, rounded once. Of factors and sums whose opposites were folded it takes the numbers themselves.
    pub(super) fn float_multiply_add<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, args: &[Value], result: Value) {
        let [(lhs, a), (rhs, b), (acc, is_less)] =
            [0, 1, 2].map(|n| match cx.folded(args[n]).map(|opposite| cx.func.inst(opposite)) {
                Some(&InstData::CallIntrinsic { args, .. }) => (cx.func.args(args)[0], true),
                _ => (args[n], false),
            });
        let op = match (a != b, is_less) {
            (false, false) => Float4::Fmadd,
            (true, false) => Float4::Fmsub,
            (true, true) => Float4::Fnmadd,
            (false, true) => Float4::Fnmsub,
        };
        let [lhs, rhs, acc] = [lhs, rhs, acc].map(|arg| self.reg(cx, arg));
        let (width, dst) = (float_width(cx.func.value_type(result)), cx.regs(result).lo());
        cx.sink.push(Inst::Float4 { op, width, dst, lhs, rhs, acc });
    }

    /// Conversions that involve a scalar floating-point type, and copies of bits.
    pub(crate) fn float_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let dst = cx.regs(result).lo();
        if from == to {
            return self.move_value(cx, dst, arg);
        }
        match op {
            CastOp::Fptosi | CastOp::Fptoui => {
                let sign = if op == CastOp::Fptosi { Signedness::Signed } else { Signedness::Unsigned };
                let rounded = cx.folded(arg).map(|def| cx.func.inst(def));
                if let Some(&InstData::CallIntrinsic { op, args, .. }) = rounded
                    && let Some(op) = to_integer(op, sign)
                {
                    let src = self.reg(cx, cx.func.args(args)[0]);
                    cx.sink.push(Inst::FloatToInt { op, from: float_width(from), to: width(to), dst, src });
                    return;
                }
                let src = self.reg(cx, arg);
                self.float_to_int(cx, op, (src, from), (dst, to));
            }
            CastOp::Sitofp | CastOp::Uitofp => {
                let sign = if op == CastOp::Sitofp { Signedness::Signed } else { Signedness::Unsigned };
                let src = match from {
                    Type::I64 => self.src(cx, arg),
                    _ => Src::Reg(self.extended(cx, sign, arg)),
                };
                cx.sink.push(Inst::IntToFloat { sign, from: width(from), to: float_width(to), dst, src });
            }
            CastOp::Fpext | CastOp::Fptrunc => {
                let src = self.reg(cx, arg);
                let (to, from) = (float_width(to), float_width(from));
                cx.sink.push(Inst::FloatConvert { to, from, dst, src });
            }
            _ if is_vector(to) => {
                let src = self.src(cx, arg);
                cx.sink.push(Inst::ToFloat { width: float_width(to), dst, src });
            }
            _ if is_vector(from) => {
                let src = self.reg(cx, arg);
                cx.sink.push(Inst::FromFloat { width: float_width(from), dst, src });
            }
            // An address and a number of its width.
            _ => self.move_value(cx, dst, arg),
        }
    }

    /// Rounds toward zero. What does not fit 32 bits is the nearest number that does, and so is what does not fit 64.
    fn float_to_int<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        (src, from): (VReg, Type),
        (dst, to): (VReg, Type),
    ) {
        let op = match (op, to) {
            (CastOp::Fptoui, Type::I32 | Type::I64) => FloatToInt::Fcvtzu,
            _ => FloatToInt::Fcvtzs,
        };
        let from = float_width(from);
        if to != Type::I1 {
            return cx.sink.push(Inst::FloatToInt { op, from, to: width(to), dst, src });
        }
        let word = self.wide_temp(cx, Width::W);
        cx.sink.push(Inst::FloatToInt { op, from, to: Width::W, dst: word, src });
        self.alu_number(cx, (Alu::And, Width::W), dst, word, 1);
    }

    /// How many bits of an integer are one.
    pub(super) fn count_ones<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, arg: Value, result: Value) {
        let ty = cx.func.value_type(arg);
        let src = match ty {
            Type::I64 => self.src(cx, arg),
            _ => Src::Reg(self.extended(cx, Signedness::Unsigned, arg)),
        };
        let width = if ty == Type::I64 { FloatWidth::D } else { FloatWidth::S };
        let (bits, count) = (cx.temp(Type::F64).lo(), cx.temp(Type::F64).lo());
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::ToFloat { width, dst: bits, src });
        cx.sink.push(Inst::Ones { width, dst: count, src: bits });
        cx.sink.push(Inst::FromFloat { width, dst, src: count });
    }
}

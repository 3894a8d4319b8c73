//! Scalar floating point.

use super::{Signedness, float_size};
use crate::inst::{FloatSize, Inst};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Alu, Float3, FloatToInt, IntToFloat};
use ice_codegen::mach::Sink;
use ice_codegen::{Libcall, Operands as _, Words as _};
use ice_ir::{BinaryOp, CastOp, Function, InstData, Type, Value, ValueDef};

/// Picks by f32 or f64.
fn by_type<T>(ty: Type, single: T, double: T) -> T {
    if ty == Type::F32 { single } else { double }
}

/// Whether the value is the constant 2: a number times two is the number added to itself, to the last bit.
fn is_two(func: &Function, value: Value) -> bool {
    match func.value_def(value) {
        ValueDef::Float(bits) => bits == by_type(func.value_type(value), 0x4000_0000, 2.0f64.to_bits()),
        _ => false,
    }
}

impl Arm32 {
    /// Any binary operator on f32 or f64.
    pub(crate) fn float_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let op = match op {
            BinaryOp::Fadd => Float3::Vadd,
            BinaryOp::Fsub => Float3::Vsub,
            BinaryOp::Fmul => Float3::Vmul,
            BinaryOp::Fdiv => Float3::Vdiv,
            _ => {
                let args = [(self.regs(cx, a), ty), (self.regs(cx, b), ty)];
                let result = (cx.regs(result), ty);
                return self.libcall(cx, by_type(ty, Libcall::Fmodf, Libcall::Fmod), &args, Some(result));
            }
        };
        let dst = cx.regs(result).lo();
        let size = float_size(ty);
        // A product that was folded: one of the two is, and what is added to is the other.
        for (product, acc, op) in [(b, a, op), (a, b, op)] {
            let Some(inst) = cx.folded(product) else { continue };
            let InstData::Binary { args: [x, y], .. } = *cx.func.inst(inst) else { continue };
            let op = match op {
                Float3::Vadd => Float3::Vmla,
                _ if product == b => Float3::Vmls,
                _ => Float3::Vnmls,
            };
            let acc = self.reg(cx, acc);
            let [lhs, rhs] = [x, y].map(|v| self.reg(cx, v));
            cx.sink.push(Inst::MovFloat { size, dst, src: acc });
            return cx.sink.push(Inst::Float3Acc { op, size, dst, lhs, rhs });
        }
        if op == Float3::Vmul && is_two(cx.func, b) {
            let lhs = self.reg(cx, a);
            return cx.sink.push(Inst::Float3 { op: Float3::Vadd, size, dst, lhs, rhs: lhs });
        }
        let (lhs, rhs) = (self.reg(cx, a), self.reg(cx, b));
        cx.sink.push(Inst::Float3 { op, size, dst, lhs, rhs });
    }

    /// Conversions that involve a scalar floating-point type.
    pub(crate) fn float_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        match op {
            CastOp::Fptosi | CastOp::Fptoui => return self.float_to_int(cx, op, arg, result),
            CastOp::Sitofp | CastOp::Uitofp => return self.int_to_float(cx, op, arg, result),
            _ => {}
        }
        let src = self.regs(cx, arg);
        let dst = cx.regs(result);
        if from == to {
            return self.move_value(cx, dst, arg);
        }
        cx.sink.push(match (op, from, to) {
            (CastOp::Fpext, ..) => Inst::FloatWiden { dst: dst.lo(), src: src.lo() },
            (CastOp::Fptrunc, ..) => Inst::FloatNarrow { dst: dst.lo(), src: src.lo() },
            (_, Type::F32, _) => Inst::SingleToCore { dst: dst.lo(), src: src.lo() },
            (_, _, Type::F32) => Inst::CoreToSingle { dst: dst.lo(), src: src.lo() },
            (_, Type::F64, _) => Inst::DoubleToPair { lo: dst.lo(), hi: dst.hi(), src: src.lo() },
            _ => Inst::PairToDouble { dst: dst.lo(), lo: src.lo(), hi: src.hi() },
        });
    }

    /// The processor's conversion rounds toward zero and saturates at 32 bits.
    fn float_to_int<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let unsigned = op == CastOp::Fptoui;
        let src = self.regs(cx, arg);
        if to == Type::I64 {
            let helper = match (unsigned, from) {
                (false, Type::F32) => Libcall::F32ToI64,
                (false, _) => Libcall::F64ToI64,
                (true, Type::F32) => Libcall::F32ToU64,
                (true, _) => Libcall::F64ToU64,
            };
            let result = (cx.regs(result), to);
            return self.libcall(cx, helper, &[(src, from)], Some(result));
        }
        let op = if unsigned { FloatToInt::Unsigned } else { FloatToInt::Signed };
        let whole = cx.temp(Type::F32).lo();
        cx.sink.push(Inst::FloatToInt { op, size: float_size(from), dst: whole, src: src.lo() });
        let dst = cx.regs(result).lo();
        if to == Type::I1 {
            let word = self.temp(cx);
            cx.sink.push(Inst::SingleToCore { dst: word, src: whole });
            return self.alu_imm(cx, Alu::And, dst, word, 1);
        }
        cx.sink.push(Inst::SingleToCore { dst, src: whole });
    }

    fn int_to_float<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let unsigned = op == CastOp::Uitofp;
        if from == Type::I64 {
            let helper = match (unsigned, to) {
                (false, Type::F32) => Libcall::I64ToF32,
                (false, _) => Libcall::I64ToF64,
                (true, Type::F32) => Libcall::U64ToF32,
                (true, _) => Libcall::U64ToF64,
            };
            let args = [(self.regs(cx, arg), from)];
            let result = (cx.regs(result), to);
            return self.libcall(cx, helper, &args, Some(result));
        }
        let (op, sign) = match unsigned {
            true => (IntToFloat::Unsigned, Signedness::Unsigned),
            false => (IntToFloat::Signed, Signedness::Signed),
        };
        let src = self.extended(cx, sign, arg);
        let whole = cx.temp(Type::F32).lo();
        cx.sink.push(Inst::CoreToSingle { dst: whole, src });
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::IntToFloat { op, size: float_size(to), dst, src: whole });
    }

    /// A copy of a scalar or vector with another name.
    pub(super) fn move_float<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        size: FloatSize,
        arg: Value,
        result: Value,
    ) {
        let src = self.reg(cx, arg);
        let dst = cx.regs(result).lo();
        cx.sink.push(Inst::MovFloat { size, dst, src });
    }
}

//! Scalar floating point: SSE2. Of 64-bit integers on x86-32 see [`pair_float`](super::pair_float).

use super::pair_float::is_pinned;
use crate::inst::{Amode, Amount, Base, Compare, Extend, Inst, Src};
use crate::target::{Cx, X86};
use ice_asm::ConstantSize;
use ice_asm::x86::{Alu, Cond, Shift, SseOp, Width, X87Mem};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::{Libcall, Operands as _};
use ice_ir::{BinaryOp, CastOp, FloatCond, Function, InstData, Type, Value, ValueDef};

/// The instruction for an operator on f32 or f64.
pub(super) fn arithmetic(op: BinaryOp, ty: Type) -> Option<SseOp> {
    let [single, double] = match op {
        BinaryOp::Fadd => [SseOp::Addss, SseOp::Addsd],
        BinaryOp::Fsub => [SseOp::Subss, SseOp::Subsd],
        BinaryOp::Fmul => [SseOp::Mulss, SseOp::Mulsd],
        BinaryOp::Fdiv => [SseOp::Divss, SseOp::Divsd],
        _ => return None,
    };
    Some(by_type(ty, single, double))
}

/// Picks by f32 or f64.
pub(super) fn by_type<T>(ty: Type, single: T, double: T) -> T {
    if ty == Type::F32 { single } else { double }
}

/// The smaller or the larger of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extremum {
    Min,
    Max,
}

impl Extremum {
    /// The instruction for a scalar or a vector.
    pub(super) fn instruction(self, ty: Type) -> SseOp {
        match (self, ty) {
            (Extremum::Min, Type::F32) => SseOp::Minss,
            (Extremum::Min, Type::F64) => SseOp::Minsd,
            (Extremum::Min, Type::V2F64) => SseOp::Minpd,
            (Extremum::Min, _) => SseOp::Minps,
            (Extremum::Max, Type::F32) => SseOp::Maxss,
            (Extremum::Max, Type::F64) => SseOp::Maxsd,
            (Extremum::Max, Type::V2F64) => SseOp::Maxpd,
            (Extremum::Max, _) => SseOp::Maxps,
        }
    }
}

/// The operands of `min` or `max` that a choice between two compared numbers is, exactly. `min p, q` is `p < q ? p : q`
/// and `max p, q` is `p > q ? p : q`: the second operand if one is a NaN or both are zero (SDM volume 2). So
/// conditions that hold of equal numbers fit only where equal numbers have equal bits: one is a constant and not
/// zero.
pub(super) fn extremum(func: &Function, cond: Value, choices: [Value; 2]) -> Option<(Extremum, [Value; 2])> {
    use FloatCond::*;
    let &InstData::Fcmp { cond, args: [x, y] } = func.inst(func.defining_inst(cond)?) else { return None };
    let cond = match choices {
        _ if choices == [x, y] => cond,
        _ if choices == [y, x] => cond.inverse(),
        _ => return None,
    };
    let is_nonzero = |v| {
        matches!(func.value_def(v), ValueDef::Float(bits)
        if bits & !(1 << (func.value_type(v).bits() - 1)) != 0)
    };
    let cond = match cond {
        Ole | Oge | Ugt | Ult if !is_nonzero(x) && !is_nonzero(y) => return None,
        cond => cond,
    };
    Some(match cond {
        Olt | Ole => (Extremum::Min, [x, y]),
        Ogt | Oge => (Extremum::Max, [x, y]),
        Uge | Ugt => (Extremum::Max, [y, x]),
        Ule | Ult => (Extremum::Min, [y, x]),
        _ => return None,
    })
}

impl X86 {
    /// A choice between two compared numbers, scalars or lane by lane. False, and nothing done, for others.
    pub(super) fn select_extremum<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: Value,
        choices: [Value; 2],
        result: Value,
    ) -> bool {
        let Some((which, [first, second])) = extremum(cx.func, cond, choices) else { return false };
        let ty = cx.func.value_type(result);
        let src = if ty.is_vector() { self.vector_src(cx, second) } else { self.float_src(cx, second) };
        let first = self.reg(cx, first);
        let dst = cx.regs(result).lo();
        self.operation(cx, (which.instruction(ty), ty.bytes() as u8), dst, first, src);
        true
    }

    /// Any binary operator on f32 or f64.
    pub(crate) fn float_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let Some(op) = arithmetic(op, ty) else {
            let args = [(self.regs(cx, a), ty), (self.regs(cx, b), ty)];
            let result = (cx.regs(result), ty);
            return self.libcall(cx, by_type(ty, Libcall::Fmodf, Libcall::Fmod), &args, Some(result));
        };
        let dst = cx.regs(result);
        let swap = matches!(op, SseOp::Addss | SseOp::Addsd | SseOp::Mulss | SseOp::Mulsd)
            && self.exchanges(cx, [a, b]);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        let src = self.float_src(cx, b);
        let first = self.reg(cx, a);
        self.operation(cx, (op, ty.bytes() as u8), dst.lo(), first, src);
    }

    /// A scalar as a source operand: memory for constants and folded loads.
    pub(super) fn float_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Src {
        match cx.func.value_def(value) {
            ValueDef::Float(bits) => {
                let is_single = cx.func.value_type(value) == Type::F32;
                let size = if is_single { ConstantSize::C4 } else { ConstantSize::C8 };
                Src::Mem(self.constant_address(cx, size, bits.into()))
            }
            _ => self.exact_src(cx, value),
        }
    }

    /// Conversions that involve a scalar floating-point type.
    pub(crate) fn float_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let dst = cx.regs(result);
        match op {
            CastOp::Fptrunc | CastOp::Fpext => {
                let src = self.exact_src(cx, arg);
                let op = by_type(from, SseOp::Cvtss2sd, SseOp::Cvtsd2ss);
                cx.sink.push(Inst::SseUnary { op, dst: dst.lo(), src });
            }
            CastOp::Fptosi | CastOp::Fptoui => self.float_to_int(cx, op, arg, result),
            CastOp::Sitofp | CastOp::Uitofp => self.int_to_float(cx, op, arg, result),
            _ if cx.folded(arg).is_some() => match self.folded_load(cx, arg) {
                Some(mem) => self.load_from(cx, mem, result),
                None => self.move_value(cx, dst, arg),
            },
            _ if from == to => self.move_value(cx, dst, arg),
            _ => match (from, to) {
                (Type::F32, _) => {
                    let src = self.reg(cx, arg);
                    let (op, width) = (SseOp::MovGpr, Width::B32);
                    cx.sink.push(Inst::XmmToGpr { op, width, dst: dst.lo(), src });
                }
                (_, Type::F32) => {
                    let src = Src::Reg(self.reg(cx, arg));
                    let (op, width) = (SseOp::MovGpr, Width::B32);
                    cx.sink.push(Inst::GprToXmm { op, width, dst: dst.lo(), src });
                }
                (Type::F64, _) if !self.has_pairs() => {
                    let src = self.reg(cx, arg);
                    let (op, width) = (SseOp::MovGpr, Width::B64);
                    cx.sink.push(Inst::XmmToGpr { op, width, dst: dst.lo(), src });
                }
                (_, Type::F64) if !self.has_pairs() => {
                    let src = Src::Reg(self.reg(cx, arg));
                    let (op, width) = (SseOp::MovGpr, Width::B64);
                    cx.sink.push(Inst::GprToXmm { op, width, dst: dst.lo(), src });
                }
                _ => {
                    // Between a pair and a vector register: through the frame.
                    let mem = self.transfer_slot(cx);
                    self.store_to(cx, mem, arg);
                    self.load_from(cx, mem, result);
                }
            },
        }
    }

    /// Eight bytes of the frame.
    pub(super) fn transfer_slot<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>) -> Amode {
        Amode::new(Base::Object(cx.sink.frame().add_object(8, 3)), 0)
    }

    fn float_to_int<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let unsigned = op == CastOp::Fptoui;
        if to == Type::I64 && self.has_pairs() {
            return self.float_to_pair(cx, op, arg, result);
        }
        let src = self.reg(cx, arg);
        let dst = cx.regs(result).lo();
        if unsigned && to == Type::I32 && !self.has_pairs() {
            let wide = self.temp(cx, Type::I64);
            self.truncate(cx, from, Width::B64, wide, src);
            return cx.sink.push(Inst::ZeroUpper { dst, src: wide });
        }
        let width = self.arithmetic_width(to);
        if unsigned && matches!(to, Type::I32 | Type::I64) {
            return self.truncate_unsigned(cx, from, to, dst, src);
        }
        self.truncate(cx, from, width, dst, src);
        if to == Type::I1 {
            self.alu_imm(cx, Alu::And, dst, 1);
        }
    }

    pub(super) fn truncate<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        from: Type,
        width: Width,
        dst: VReg,
        src: VReg,
    ) {
        let op = by_type(from, SseOp::Cvttss2si, SseOp::Cvttsd2si);
        cx.sink.push(Inst::XmmToGpr { op, width, dst, src });
    }

    /// To the full unsigned width: the signed conversion gives the answer, or only the sign bit where the
    /// value is 2^(w-1) or more; then the conversion of the value less 2^(w-1) supplies the other bits.
    pub(super) fn truncate_unsigned<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        from: Type,
        to: Type,
        dst: VReg,
        src: VReg,
    ) {
        let width = self.arithmetic_width(to);
        let half = (1u64 << (to.bits() - 1)) as f64;
        let (size, bits) = by_type(
            from,
            (ConstantSize::C4, u64::from((half as f32).to_bits())),
            (ConstantSize::C8, half.to_bits()),
        );
        let mem = self.constant_address(cx, size, bits.into());
        let low = self.temp(cx, from);
        cx.sink.push(Inst::MovXmm { dst: low, src, size: from.bytes() as u8 });
        cx.sink.push(Inst::Sse {
            op: by_type(from, SseOp::Subss, SseOp::Subsd),
            dst: low,
            src: Src::Mem(mem),
        });
        let (rest, mask) = (self.temp(cx, to), self.temp(cx, to));
        self.truncate(cx, from, width, dst, src);
        self.truncate(cx, from, width, rest, low);
        self.mov(cx, width, mask, Src::Reg(dst));
        let amount = Amount::Imm(to.bits() as u8 - 1);
        cx.sink.push(Inst::Shift { op: Shift::Sar, width, dst: mask, amount });
        cx.sink.push(Inst::Alu { op: Alu::And, width, dst: rest, src: Src::Reg(mask) });
        cx.sink.push(Inst::Alu { op: Alu::Or, width, dst, src: Src::Reg(rest) });
    }

    fn int_to_float<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let unsigned = op == CastOp::Uitofp;
        let dst = cx.regs(result).lo();
        match from {
            Type::I64 if self.has_pairs() => self.pair_to_float(cx, op, arg, result),
            Type::I32 if self.has_pairs() && unsigned => self.pair_to_float(cx, op, arg, result),
            Type::I64 if unsigned && to == Type::F64 && !is_pinned(cx.func, arg) => {
                self.long_to_double(cx, arg, dst);
            }
            Type::I64 if unsigned => self.convert_unsigned(cx, arg, to, dst),
            Type::I64 => {
                let src = self.exact_src(cx, arg);
                self.convert(cx, to, Width::B64, dst, src);
            }
            // The upper half of the register is zero: the number is not negative in 64 bits.
            Type::I32 if unsigned => {
                let wide = self.temp(cx, Type::I64);
                let src = self.reg(cx, arg);
                cx.sink.push(Inst::ZeroUpper { dst: wide, src });
                self.convert(cx, to, Width::B64, dst, Src::Reg(wide));
            }
            Type::I1 if !unsigned => {
                let src = self.extended(cx, Extend::Zero, arg);
                cx.sink.push(Inst::Unary { op: ice_asm::x86::Unary::Neg, width: Width::B32, dst: src });
                self.convert(cx, to, Width::B32, dst, Src::Reg(src));
            }
            Type::I32 => {
                let src = Src::Reg(self.reg(cx, arg));
                self.convert(cx, to, Width::B32, dst, src);
            }
            _ => {
                let kind = if unsigned { Extend::Zero } else { Extend::Sign };
                let src = self.extended(cx, kind, arg);
                self.convert(cx, to, Width::B32, dst, Src::Reg(src));
            }
        }
    }

    fn convert<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, to: Type, width: Width, dst: VReg, src: Src) {
        let op = by_type(to, SseOp::Cvtsi2ss, SseOp::Cvtsi2sd);
        cx.sink.push(Inst::GprToXmm { op, width, dst, src });
    }

    /// From the one to the other memory operand, and to `dst`. The x87 stack holds any 64-bit integer
    /// exactly, so that the store rounds once.
    pub(super) fn convert_through_fpu<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        [from, transfer]: [Amode; 2],
        to: Type,
        dst: VReg,
    ) {
        let size = to.bytes() as u8;
        let store = if size == 4 { X87Mem::Fstp32 } else { X87Mem::Fstp64 };
        cx.sink.push(Inst::FpuMem { op: X87Mem::Fild64, mem: from });
        cx.sink.push(Inst::FpuMem { op: store, mem: transfer });
        cx.sink.push(Inst::LoadXmm { size, dst, mem: transfer });
    }

    /// Unsigned 64-bit: numbers with the top bit are halved with the lost bit kept as a sticky one, which
    /// rounds the same, then doubled.
    fn convert_unsigned<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, arg: Value, to: Type, dst: VReg) {
        let width = Width::B64;
        let src = self.reg(cx, arg);
        let (half, low, doubled) = (self.temp(cx, Type::I64), self.temp(cx, Type::I64), self.temp(cx, to));
        self.mov(cx, width, half, Src::Reg(src));
        cx.sink.push(Inst::Shift { op: Shift::Shr, width, dst: half, amount: Amount::Imm(1) });
        self.mov(cx, width, low, Src::Reg(src));
        cx.sink.push(Inst::Alu { op: Alu::And, width, dst: low, src: Src::Imm(1) });
        cx.sink.push(Inst::Alu { op: Alu::Or, width, dst: half, src: Src::Reg(low) });
        self.convert(cx, to, width, doubled, Src::Reg(half));
        let add = by_type(to, SseOp::Addss, SseOp::Addsd);
        cx.sink.push(Inst::Sse { op: add, dst: doubled, src: Src::Reg(doubled) });
        self.convert(cx, to, width, dst, Src::Reg(src));
        cx.sink.push(Inst::Compare { op: Compare::Cmp, width, lhs: src, rhs: Src::Imm(0) });
        let size = to.bytes() as u8;
        cx.sink.push(Inst::SelectXmm { cond: Cond::S, dst, src: doubled, size });
    }
}

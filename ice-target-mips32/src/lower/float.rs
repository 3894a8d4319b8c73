//! Scalar floating point.
//!
//! Absolute values and numbers with the other sign are made of the bits: the instruction may leave the sign of a NaN.
//! Conversions to words round toward zero; there are none of unsigned numbers, nor of 64 bits, which helpers convert.

use super::float_width;
use crate::inst::{Inst, Src, Wanted};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, Float3, FloatCompare, FloatConvert, FloatWidth};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::{Libcall, Operands as _, ValueRegs, Words as _};
use ice_ir::{BinaryOp, CastOp, Intrinsic, Type, Value};

/// The bits of 2^31 as `f32` and `f64`, and of 2^52, to whose bits a word is added by putting it into the low half.
const SIGN_SINGLE: u32 = 0x4f00_0000;
const SIGN_DOUBLE: u64 = 0x41e0_0000_0000_0000;
const POWER_52: u64 = 0x4330_0000_0000_0000;

/// The instruction for an operator, where there is one.
pub(super) fn float3(op: BinaryOp) -> Option<Float3> {
    Some(match op {
        BinaryOp::Fadd => Float3::Add,
        BinaryOp::Fsub => Float3::Sub,
        BinaryOp::Fmul => Float3::Mul,
        BinaryOp::Fdiv => Float3::Div,
        _ => return None,
    })
}

impl Mips32 {
    /// Any binary operator on f32 or f64.
    pub(crate) fn float_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let Some(op) = float3(op) else { return self.float_remainder(cx, args, result) };
        let [lhs, rhs] = args.map(|arg| self.reg(cx, arg));
        let (width, dst) = (float_width(ty), cx.regs(result).lo());
        cx.sink.push(Inst::Float3 { op, width, dst, lhs, rhs });
    }

    /// Conversions that involve a scalar floating-point type.
    pub(crate) fn float_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        if from == to {
            let dst = cx.regs(result);
            return self.move_value(cx, dst, arg);
        }
        let src = self.regs(cx, arg);
        let dst = cx.regs(result);
        match op {
            CastOp::Fptosi | CastOp::Fptoui => self.float_to_int(cx, op, (src, from), (dst, to)),
            CastOp::Sitofp | CastOp::Uitofp if from == Type::I64 => {
                let helper = match (op, to) {
                    (CastOp::Sitofp, Type::F32) => Libcall::I64ToF32,
                    (CastOp::Sitofp, _) => Libcall::I64ToF64,
                    (_, Type::F32) => Libcall::U64ToF32,
                    _ => Libcall::U64ToF64,
                };
                self.libcall(cx, helper, &[(src, from)], Some((dst, to)));
            }
            CastOp::Sitofp | CastOp::Uitofp => {
                let sign = if op == CastOp::Sitofp { Signedness::Signed } else { Signedness::Unsigned };
                let word = self.extended(cx, sign, arg);
                // The word of a narrow number has no sign.
                let sign = if from == Type::I32 { sign } else { Signedness::Signed };
                self.word_to_float(cx, sign, word, to, dst.lo());
            }
            CastOp::Fpext | CastOp::Fptrunc => {
                let (op, to, from) = match op {
                    CastOp::Fpext => (FloatConvert::DoubleFromSingle, FloatWidth::D, FloatWidth::S),
                    _ => (FloatConvert::SingleFromDouble, FloatWidth::S, FloatWidth::D),
                };
                cx.sink.push(Inst::Convert { op, to, from, dst: dst.lo(), src: src.lo() });
            }
            _ => self.copy_bits(cx, (src, from), dst),
        }
    }

    /// A copy of the bits between kinds of registers.
    fn copy_bits<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, (src, from): (ValueRegs, Type), dst: ValueRegs) {
        cx.sink.push(match from {
            Type::F32 => Inst::SingleToWord { dst: dst.lo(), src: src.lo() },
            Type::F64 => Inst::DoubleToPair { lo: dst.lo(), hi: dst.hi(), src: src.lo() },
            Type::I64 => Inst::PairToDouble { dst: dst.lo(), lo: Src::Reg(src.lo()), hi: Src::Reg(src.hi()) },
            _ => Inst::WordToSingle { dst: dst.lo(), src: Src::Reg(src.lo()) },
        });
    }

    /// Rounds toward zero.
    fn float_to_int<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        (src, from): (ValueRegs, Type),
        (dst, to): (ValueRegs, Type),
    ) {
        if to == Type::I64 {
            let helper = match (op, from) {
                (CastOp::Fptosi, Type::F32) => Libcall::F32ToI64,
                (CastOp::Fptosi, _) => Libcall::F64ToI64,
                (_, Type::F32) => Libcall::F32ToU64,
                _ => Libcall::F64ToU64,
            };
            return self.libcall(cx, helper, &[(src, from)], Some((dst, to)));
        }
        let word = match (op, to) {
            (CastOp::Fptoui, Type::I32) => self.float_to_unsigned(cx, src.lo(), from),
            _ => self.float_to_word(cx, src.lo(), from),
        };
        match to {
            Type::I1 => self.alu_imm(cx, Alu::And, dst.lo(), word, 1),
            _ => cx.sink.push(Inst::Mov { dst: dst.lo(), src: word }),
        }
    }

    pub(super) fn float_to_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, from: Type) -> VReg {
        let (op, from) = match from {
            Type::F32 => (FloatConvert::TruncSingle, FloatWidth::S),
            _ => (FloatConvert::TruncDouble, FloatWidth::D),
        };
        let (whole, dst) = (cx.temp(Type::F32).lo(), self.temp(cx));
        cx.sink.push(Inst::Convert { op, to: FloatWidth::S, from, dst: whole, src });
        cx.sink.push(Inst::SingleToWord { dst, src: whole });
        dst
    }

    /// What is at least 2^31 is converted less that, which then becomes the sign.
    pub(super) fn float_to_unsigned<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, from: Type) -> VReg {
        let (limit, less, width) = (cx.temp(from).lo(), cx.temp(from).lo(), float_width(from));
        match from {
            Type::F32 => cx.sink.push(Inst::SingleBits { dst: limit, bits: SIGN_SINGLE }),
            _ => cx.sink.push(Inst::DoubleBits { dst: limit, bits: SIGN_DOUBLE }),
        }
        let sign = self.number_reg(cx, 1 << 31);
        cx.sink.push(Inst::Float3 { op: Float3::Sub, width, dst: less, lhs: src, rhs: limit });
        let high = self.float_to_word(cx, less, from);
        let (low, dst) = (self.float_to_word(cx, src, from), self.temp(cx));
        self.alu(cx, Alu::Xor, dst, high, sign);
        cx.sink.push(Inst::CompareFloat { op: FloatCompare::Ult, width, lhs: src, rhs: limit });
        cx.sink.push(Inst::FlagMov { wanted: Wanted::Nonzero, dst, src: Src::Reg(low) });
        dst
    }

    /// A word as a number: signed by the machine; unsigned as the low half of 2^52 + n, less 2^52, which is exact.
    pub(super) fn word_to_float<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        word: VReg,
        to: Type,
        dst: VReg,
    ) {
        if sign == Signedness::Signed {
            let whole = cx.temp(Type::F32).lo();
            cx.sink.push(Inst::WordToSingle { dst: whole, src: Src::Reg(word) });
            let op =
                if to == Type::F32 { FloatConvert::SingleFromWord } else { FloatConvert::DoubleFromWord };
            let (to, from) = (float_width(to), FloatWidth::S);
            return cx.sink.push(Inst::Convert { op, to, from, dst, src: whole });
        }
        let [sum, power] = [(); 2].map(|()| cx.temp(Type::F64).lo());
        let hi = self.number(cx, (POWER_52 >> 32) as u32);
        cx.sink.push(Inst::DoubleBits { dst: power, bits: POWER_52 });
        cx.sink.push(Inst::PairToDouble { dst: sum, lo: Src::Reg(word), hi });
        let exact = if to == Type::F64 { dst } else { cx.temp(Type::F64).lo() };
        let (op, width) = (Float3::Sub, FloatWidth::D);
        cx.sink.push(Inst::Float3 { op, width, dst: exact, lhs: sum, rhs: power });
        if to == Type::F32 {
            let (op, to, from) = (FloatConvert::SingleFromDouble, FloatWidth::S, FloatWidth::D);
            cx.sink.push(Inst::Convert { op, to, from, dst, src: exact });
        }
    }

    /// Clears the sign, or flips it.
    pub(super) fn change_sign<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Intrinsic,
        arg: Value,
        result: Value,
    ) {
        let src = self.reg(cx, arg);
        let dst = cx.regs(result).lo();
        let [bits, changed] = [self.temp(cx), self.temp(cx)];
        let is_single = cx.func.value_type(result) == Type::F32;
        match is_single {
            true => cx.sink.push(Inst::SingleToWord { dst: bits, src }),
            false => cx.sink.push(Inst::HighHalf { dst: bits, src }),
        }
        if op == Intrinsic::Fneg {
            let sign = self.number_reg(cx, 1 << 31);
            self.alu(cx, Alu::Xor, changed, bits, sign);
        } else {
            cx.sink.push(Inst::Extract { dst: changed, src: bits, lsb: 0, size: 31 });
        }
        if is_single {
            return cx.sink.push(Inst::WordToSingle { dst, src: Src::Reg(changed) });
        }
        cx.sink.push(Inst::MovFloat { width: FloatWidth::D, dst, src });
        cx.sink.push(Inst::WithHighHalf { dst, hi: Src::Reg(changed) });
    }
}

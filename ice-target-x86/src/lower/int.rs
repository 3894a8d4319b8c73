//! Integers of up to the width of a register.

use crate::inst::{Amount, Extend, Inst, Sign, Src};
use crate::target::{Cx, X86};
use ice_asm::x86::{Alu, Shift, Unary, Width};
use ice_ir::mach::{Sink, VReg};
use ice_ir::{BinaryOp, CastOp, Type, Value};

/// The two-address operation for an IR operator, where there is one.
pub(super) fn alu(op: BinaryOp) -> Option<Alu> {
    Some(match op {
        BinaryOp::Add => Alu::Add,
        BinaryOp::Sub => Alu::Sub,
        BinaryOp::And => Alu::And,
        BinaryOp::Or => Alu::Or,
        BinaryOp::Xor => Alu::Xor,
        _ => return None,
    })
}

/// The shift for an IR operator.
pub(super) fn shift(op: BinaryOp) -> Option<Shift> {
    Some(match op {
        BinaryOp::Shl => Shift::Shl,
        BinaryOp::Lshr => Shift::Shr,
        BinaryOp::Ashr => Shift::Sar,
        _ => return None,
    })
}

impl X86 {
    /// Any binary operator on a scalar integer in one register.
    pub(super) fn int_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let width = self.arithmetic_width(ty);
        let dst = cx.regs(result).lo();
        let swap = op.is_commutative() && cx.is_constant(a) && !cx.is_constant(b);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        if let Some(op) = alu(op) {
            let rhs = self.src(cx, b);
            let lhs = self.src(cx, a);
            self.mov(cx, width, dst, lhs);
            cx.sink.push(Inst::Alu { op, width, dst, src: rhs });
        } else if let Some(op) = shift(op) {
            self.int_shift(cx, op, [a, b], ty, dst);
        } else if op == BinaryOp::Mul {
            self.multiply(cx, [a, b], ty, dst);
        } else {
            self.divide(cx, op, [a, b], ty, dst);
        }
    }

    fn int_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let width = self.arithmetic_width(ty);
        let amount = match cx.func.int_value(b) {
            Some(n) => Amount::Imm((n as u32 & (ty.bits() - 1)) as u8),
            None => Amount::Cl(self.reg(cx, b)),
        };
        // The bits above a narrow value come down in a right shift.
        let lhs = match op {
            Shift::Shr if ty.bits() < 32 => Src::Reg(self.extended(cx, Extend::Zero, a)),
            Shift::Sar if ty.bits() < 32 => Src::Reg(self.extended(cx, Extend::Sign, a)),
            _ => self.src(cx, a),
        };
        self.mov(cx, width, dst, lhs);
        cx.sink.push(Inst::Shift { op, width, dst, amount });
    }

    fn multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], ty: Type, dst: VReg) {
        let width = self.arithmetic_width(ty);
        match cx.func.int_value(b).and_then(|n| i32::try_from(n).ok()) {
            Some(n) if n.count_ones() == 1 && n > 0 => {
                let lhs = self.src(cx, a);
                self.mov(cx, width, dst, lhs);
                let amount = Amount::Imm(n.trailing_zeros() as u8);
                cx.sink.push(Inst::Shift { op: Shift::Shl, width, dst, amount });
            }
            Some(imm) => {
                let src = self.reg(cx, a);
                cx.sink.push(Inst::ImulImm { width, dst, src, imm });
            }
            None => {
                let rhs = Src::Reg(self.reg(cx, b));
                let lhs = self.src(cx, a);
                self.mov(cx, width, dst, lhs);
                cx.sink.push(Inst::Imul { width, dst, src: rhs });
            }
        }
    }

    /// Division traps by itself on a zero divisor. Narrow operands are divided in 32 bits.
    fn divide<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let width = self.arithmetic_width(ty);
        let signed = matches!(op, BinaryOp::Sdiv | BinaryOp::Srem);
        let (sign, extend) =
            if signed { (Sign::Signed, Extend::Sign) } else { (Sign::Unsigned, Extend::Zero) };
        if let (false, Some(n)) = (signed, cx.func.int_value(b)) {
            let n = n as u64 & ty.int_mask();
            if n.is_power_of_two() && i32::try_from(n).is_ok() {
                let lhs = self.unsigned_dividend(cx, a, ty);
                self.mov(cx, width, dst, lhs);
                cx.sink.push(if op == BinaryOp::Udiv {
                    let amount = Amount::Imm(n.trailing_zeros() as u8);
                    Inst::Shift { op: Shift::Shr, width, dst, amount }
                } else {
                    Inst::Alu { op: Alu::And, width, dst, src: Src::Imm(n as i32 - 1) }
                });
                return;
            }
        }
        let (lo, src) = if ty == Type::I64 {
            (self.reg(cx, a), self.reg(cx, b))
        } else {
            (self.extended(cx, extend, a), self.extended(cx, extend, b))
        };
        let hi = self.temp(cx, ty.max(Type::I32));
        if signed {
            cx.sink.push(Inst::SignOfAx { width, src: lo, dst: hi });
        } else {
            cx.sink.push(Inst::MovImm { width: Width::B32, dst: hi, imm: 0 });
        }
        let other = self.temp(cx, ty.max(Type::I32));
        let is_quotient = matches!(op, BinaryOp::Sdiv | BinaryOp::Udiv);
        let (quotient, remainder) = if is_quotient { (dst, other) } else { (other, dst) };
        cx.sink.push(Inst::Divide { sign, width, lo, hi, src, quotient, remainder });
    }

    fn unsigned_dividend<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, a: Value, ty: Type) -> Src {
        if ty.bits() < 32 { Src::Reg(self.extended(cx, Extend::Zero, a)) } else { self.src(cx, a) }
    }

    /// Truncation and extension of scalar integers, pairs included.
    pub(super) fn int_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let regs = cx.regs(result);
        let dst = regs.lo();
        let pair_result = to == Type::I64 && self.has_pairs();
        match op {
            CastOp::Trunc => {
                let src = match from == Type::I64 && self.has_pairs() {
                    true => self.pair_src(cx, arg)[0],
                    false => self.src(cx, arg),
                };
                match src {
                    // The upper half of an i32 must become zero.
                    Src::Reg(src) if from == Type::I64 && to == Type::I32 && !self.has_pairs() => {
                        cx.sink.push(Inst::ZeroUpper { dst, src });
                    }
                    _ => self.mov(cx, Width::B32, dst, src),
                }
                if to == Type::I1 {
                    cx.sink.push(Inst::Alu { op: Alu::And, width: Width::B32, dst, src: Src::Imm(1) });
                }
            }
            CastOp::Zext => {
                let src = Src::Reg(self.reg(cx, arg));
                match (from, src) {
                    (Type::I32, Src::Reg(src)) if !pair_result => {
                        cx.sink.push(Inst::ZeroUpper { dst, src });
                    }
                    (Type::I32, _) => self.mov(cx, Width::B32, dst, src),
                    _ => {
                        let kind = Extend::Zero;
                        cx.sink.push(Inst::Extend { kind, from: self.width(from), to: Width::B32, dst, src });
                    }
                }
                if pair_result {
                    cx.sink.push(Inst::MovImm { width: Width::B32, dst: regs.hi(), imm: 0 });
                }
            }
            _ => {
                let src = Src::Reg(self.reg(cx, arg));
                let width = if pair_result { Width::B32 } else { self.arithmetic_width(to) };
                match from {
                    Type::I1 => {
                        cx.sink.push(Inst::Extend {
                            kind: Extend::Zero,
                            from: Width::B8,
                            to: Width::B32,
                            dst,
                            src,
                        });
                        cx.sink.push(Inst::Unary { op: Unary::Neg, width, dst });
                    }
                    Type::I32 if pair_result => self.mov(cx, width, dst, src),
                    _ => {
                        let kind = Extend::Sign;
                        cx.sink.push(Inst::Extend { kind, from: self.width(from), to: width, dst, src });
                    }
                }
                if pair_result {
                    let hi = regs.hi();
                    self.mov(cx, width, hi, Src::Reg(dst));
                    let amount = Amount::Imm(31);
                    cx.sink.push(Inst::Shift { op: Shift::Sar, width, dst: hi, amount });
                }
            }
        }
    }
}

//! Integers of up to 32 bits.

use super::Signedness;
use crate::inst::{Inst, Src};
use crate::regs::{GPR, r};
use crate::target::{Arm32, Cx, Division};
use ice_asm::arm32::{Alu, BitField, Divide, Flags, ModImm, Multiply, Shift};
use ice_ir::mach::{Operand, Sink, VReg};
use ice_ir::{BinaryOp, CastOp, InstData, Type, Value};
use ice_passes::Libcall;

/// The operation for an IR operator, where there is one.
pub(super) fn alu(op: BinaryOp) -> Option<Alu> {
    Some(match op {
        BinaryOp::Add => Alu::Add,
        BinaryOp::Sub => Alu::Sub,
        BinaryOp::And => Alu::And,
        BinaryOp::Or => Alu::Orr,
        BinaryOp::Xor => Alu::Eor,
        _ => return None,
    })
}

/// The shift for an IR operator.
pub(super) fn shift(op: BinaryOp) -> Option<Shift> {
    Some(match op {
        BinaryOp::Shl => Shift::Lsl,
        BinaryOp::Lshr => Shift::Lsr,
        BinaryOp::Ashr => Shift::Asr,
        _ => return None,
    })
}

/// The operation and immediate for a constant: as it is, negated for the opposite operation, or inverted.
fn alu_immediate(op: Alu, number: u32) -> Option<(Alu, ModImm)> {
    if let Some(imm) = ModImm::new(number) {
        return Some((op, imm));
    }
    let (opposite, number) = match op {
        Alu::Add => (Alu::Sub, number.wrapping_neg()),
        Alu::Sub => (Alu::Add, number.wrapping_neg()),
        Alu::And => (Alu::Bic, !number),
        _ => return None,
    };
    ModImm::new(number).map(|imm| (opposite, imm))
}

impl Arm32 {
    /// Whether `def`, a shift by a constant, becomes the flexible operand of `user`.
    pub(super) fn folds_shift<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        def: ice_ir::Inst,
        user: ice_ir::Inst,
    ) -> bool {
        let is_shift = |inst: ice_ir::Inst| {
            matches!(*cx.func.inst(inst), InstData::Binary { op, args: [value, amount] }
                if shift(op).is_some()
                    && cx.func.value_type(value) == Type::I32
                    && matches!(cx.func.int_value(amount), Some(1..=31)))
        };
        let &InstData::Binary { op, args: [a, b] } = cx.func.inst(user) else { return false };
        if alu(op).is_none() || !is_shift(def) {
            return false;
        }
        let result = cx.func.result(def);
        if Some(b) == result {
            return !cx.is_constant(a) || op != BinaryOp::Sub;
        }
        // The first operand of an operation that commutes, unless the second is taken.
        Some(a) == result
            && op.is_commutative()
            && !cx.is_constant(b)
            && !cx.func.defining_inst(b).is_some_and(|inst| cx.is_folded(inst) || is_shift(inst))
    }

    /// The flexible operand of a shift that was folded.
    pub(crate) fn folded_shift<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, value: Value) -> Option<Src> {
        let inst = cx.folded(value)?;
        let &InstData::Binary { op, args: [arg, amount] } = cx.func.inst(inst) else { return None };
        let amount = cx.func.int_value(amount)? as u8;
        let shift = shift(op)?;
        Some(Src::Shift(self.reg(cx, arg), shift, amount & 31))
    }

    /// Any binary operator on an integer of up to 32 bits.
    pub(super) fn int_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result).lo();
        let first_moves = op.is_commutative()
            && (cx.is_constant(a) && !cx.is_constant(b) || cx.folded(a).is_some() && cx.folded(b).is_none());
        let [a, b] = if first_moves { [b, a] } else { [a, b] };
        if let Some(op) = alu(op) {
            self.alu_value(cx, op, [a, b], dst);
        } else if let Some(op) = shift(op) {
            self.int_shift(cx, op, [a, b], ty, dst);
        } else if op == BinaryOp::Mul {
            self.multiply(cx, [a, b], dst);
        } else {
            return self.divide(cx, op, [a, b], ty, dst);
        }
        if ty == Type::I1 {
            self.alu_imm(cx, Alu::And, dst, dst, 1);
        }
    }

    fn alu_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, [a, b]: [Value; 2], dst: VReg) {
        if let Some(number) = cx.func.int_value(b) {
            let lhs = self.reg(cx, a);
            return self.alu_imm(cx, op, dst, lhs, number as u32);
        }
        if let (Alu::Sub, Some(number)) = (op, cx.func.int_value(a)) {
            let rhs = self.number(cx, number as u32);
            let lhs = self.reg(cx, b);
            return cx.sink.push(Inst::Alu { op: Alu::Rsb, flags: Flags::Keep, dst, lhs, rhs });
        }
        let rhs = self.src(cx, b);
        let lhs = self.reg(cx, a);
        cx.sink.push(Inst::Alu { op, flags: Flags::Keep, dst, lhs, rhs });
    }

    /// `dst = lhs op number`.
    pub(crate) fn alu_imm<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        dst: VReg,
        lhs: VReg,
        number: u32,
    ) {
        let flags = Flags::Keep;
        let (op, rhs) = match alu_immediate(op, number) {
            Some((op, imm)) => (op, Src::Imm(imm)),
            None => (op, self.number(cx, number)),
        };
        cx.sink.push(Inst::Alu { op, flags, dst, lhs, rhs });
    }

    fn int_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let amount = cx.func.int_value(b).map(|n| (n as u32 & (ty.bits() - 1)) as u8);
        let narrow = ty.bits() < 32;
        // The bits above a narrow value come down in a right shift.
        if let (Some(lsb), true, Shift::Lsr | Shift::Asr) = (amount, narrow, op) {
            let src = self.reg(cx, a);
            let op = if op == Shift::Lsr { BitField::Ubfx } else { BitField::Sbfx };
            return cx.sink.push(Inst::BitField { op, dst, src, lsb, width: ty.bits() as u8 - lsb });
        }
        let src = match op {
            Shift::Lsr if narrow => self.extended(cx, Signedness::Unsigned, a),
            Shift::Asr if narrow => self.extended(cx, Signedness::Signed, a),
            _ => self.reg(cx, a),
        };
        let src = match amount {
            Some(0) => Src::Reg(src),
            Some(n) => Src::Shift(src, op, n),
            None => Src::ShiftReg(src, op, self.reg(cx, b)),
        };
        self.mov(cx, dst, src);
    }

    /// By a constant of the form 2^n, 2^n + 1 or 2^n - 1 it is one instruction with a shifted operand.
    fn multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: VReg) {
        let lhs = self.reg(cx, a);
        if let Some(number) = cx.func.int_value(b) {
            let number = number as u32;
            let log2 = |n: u32| (n.is_power_of_two() && n > 1).then(|| n.trailing_zeros() as u8);
            let flags = Flags::Keep;
            if let Some(n) = log2(number) {
                return self.mov(cx, dst, Src::Shift(lhs, Shift::Lsl, n));
            }
            let near = [(Alu::Add, number.wrapping_sub(1)), (Alu::Rsb, number.wrapping_add(1))];
            if let Some((op, n)) = near.into_iter().find_map(|(op, power)| Some((op, log2(power)?))) {
                let rhs = Src::Shift(lhs, Shift::Lsl, n);
                return cx.sink.push(Inst::Alu { op, flags, dst, lhs, rhs });
            }
        }
        let rhs = self.reg(cx, b);
        cx.sink.push(Inst::Mul { dst, lhs, rhs });
    }

    /// A zero divisor traps; the test is left out for a constant. Narrow operands are divided in 32 bits.
    fn divide<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let signed = matches!(op, BinaryOp::Sdiv | BinaryOp::Srem);
        let is_quotient = matches!(op, BinaryOp::Sdiv | BinaryOp::Udiv);
        let sign = if signed { Signedness::Signed } else { Signedness::Unsigned };
        let constant = cx.func.int_value(b).map(|n| (n as u64 & ty.int_mask()) as u32);
        if let (false, Some(n)) = (signed, constant)
            && n.is_power_of_two()
        {
            let src = self.extended(cx, sign, a);
            return match (is_quotient, n.trailing_zeros() as u8) {
                (true, 0) => cx.sink.push(Inst::Mov { dst, src }),
                (true, log2) => self.mov(cx, dst, Src::Shift(src, Shift::Lsr, log2)),
                (false, 0) => cx.sink.push(Inst::MovImm { dst, imm: 0 }),
                (false, width) => {
                    cx.sink.push(Inst::BitField { op: BitField::Ubfx, dst, src, lsb: 0, width })
                }
            };
        }
        let lhs = self.extended(cx, sign, a);
        let rhs = self.extended(cx, sign, b);
        if constant.is_none_or(|n| n == 0) && !self.is_native() {
            cx.sink.push(Inst::TrapIfZero { lo: rhs, hi: None });
        }
        self.divide_words(cx, op, [lhs, rhs], dst);
    }

    /// Division or remainder of 32-bit numbers; the divisor is not zero.
    pub(super) fn divide_words<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [lhs, rhs]: [VReg; 2],
        dst: VReg,
    ) {
        let signed = matches!(op, BinaryOp::Sdiv | BinaryOp::Srem);
        let is_quotient = matches!(op, BinaryOp::Sdiv | BinaryOp::Udiv);
        if self.division == Division::Hardware {
            let op = if signed { Divide::Sdiv } else { Divide::Udiv };
            if is_quotient {
                return cx.sink.push(Inst::Divide { op, dst, lhs, rhs });
            }
            let quotient = self.temp(cx);
            cx.sink.push(Inst::Divide { op, dst: quotient, lhs, rhs });
            let op = Multiply::Mls;
            return cx.sink.push(Inst::MultiplyAdd { op, dst, lhs: quotient, rhs, acc: lhs });
        }
        // The helpers with a remainder give it in r1 (RTABI, IHI 0043D, 4.3.1).
        let (helper, result) = match (signed, is_quotient) {
            (true, true) => (Libcall::AeabiIdiv, r(0)),
            (true, false) => (Libcall::AeabiIdivmod, r(1)),
            (false, true) => (Libcall::AeabiUidiv, r(0)),
            (false, false) => (Libcall::AeabiUidivmod, r(1)),
        };
        let operands = [
            Operand::use_fixed(lhs, GPR, r(0)),
            Operand::use_fixed(rhs, GPR, r(1)),
            Operand::def_fixed(dst, GPR, result),
        ];
        self.push_libcall(cx, helper, &operands, 0);
    }

    /// Truncation and extension of scalar integers, pairs included.
    pub(super) fn int_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let regs = cx.regs(result);
        let dst = regs.lo();
        let src = self.regs(cx, arg).lo();
        match op {
            CastOp::Trunc if to == Type::I1 => return self.alu_imm(cx, Alu::And, dst, src, 1),
            CastOp::Trunc => return cx.sink.push(Inst::Mov { dst, src }),
            CastOp::Zext => self.extend(cx, Signedness::Unsigned, from, dst, src),
            _ => self.extend(cx, Signedness::Signed, from, dst, src),
        }
        if to == Type::I64 {
            match op {
                CastOp::Zext => cx.sink.push(Inst::MovImm { dst: regs.hi(), imm: 0 }),
                _ => self.mov(cx, regs.hi(), Src::Shift(dst, Shift::Asr, 31)),
            }
        }
    }
}

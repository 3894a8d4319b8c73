//! Integers of up to 32 bits.

use super::{fold, immediate};
use crate::inst::{Inst, Src};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, Shift, ShiftBy, Transfer};
use ice_codegen::extension::{is_zero_extended, word};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::words::divide;
use ice_codegen::{Operands as _, Words as _};
use ice_ir::{BinaryOp, CastOp, InstData, Type, Value};

/// The operation for an IR operator, where there is one.
pub(super) fn alu(op: BinaryOp) -> Option<Alu> {
    Some(match op {
        BinaryOp::Add => Alu::Addu,
        BinaryOp::Sub => Alu::Subu,
        BinaryOp::And => Alu::And,
        BinaryOp::Or => Alu::Or,
        BinaryOp::Xor => Alu::Xor,
        _ => return None,
    })
}

/// The shifts for an IR operator: by a constant and by a register.
pub(super) fn shift(op: BinaryOp) -> Option<(Shift, ShiftBy)> {
    Some(match op {
        BinaryOp::Shl => (Shift::Sll, ShiftBy::Sllv),
        BinaryOp::Lshr => (Shift::Srl, ShiftBy::Srlv),
        BinaryOp::Ashr => (Shift::Sra, ShiftBy::Srav),
        _ => return None,
    })
}

/// Whether the operation with the number keeps the low bits of a word, or inverts all: one instruction does it.
pub(super) fn is_field(op: Alu, number: u32) -> bool {
    match op {
        Alu::And => number & number.wrapping_add(1) == 0,
        Alu::Xor => number == u32::MAX,
        _ => false,
    }
}

/// A multiplication by a power of two, or by one more or less.
#[derive(Clone, Copy)]
pub(super) struct Product {
    /// The power.
    pub(super) log2: u8,
    /// What is done to the shifted number with the number.
    pub(super) then: Option<Alu>,
}

/// How to multiply by a constant without multiplying.
pub(super) fn product(number: u32) -> Option<Product> {
    let log2 = |n: u32| n.is_power_of_two().then(|| n.trailing_zeros() as u8);
    let [same, below, above] = [number, number.wrapping_sub(1), number.wrapping_add(1)].map(log2);
    let near = |log2: Option<u8>, op| Some(Product { log2: log2.filter(|&n| n > 0)?, then: Some(op) });
    same.map(|log2| Product { log2, then: None })
        .or_else(|| near(below, Alu::Addu))
        .or_else(|| near(above, Alu::Subu))
}

impl Mips32 {
    /// Any binary operator on an integer of up to 32 bits.
    pub(crate) fn int_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result).lo();
        if let Some((value, amount)) = fold::rotation(cx, op, args, ty) {
            let src = self.reg(cx, value);
            return cx.sink.push(Inst::Shift { op: Shift::Rotr, dst, src, amount });
        }
        let [a, b] = args;
        let swap = op.is_commutative() && cx.is_constant(a) && !cx.is_constant(b);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        if let Some(alu) = alu(op) {
            self.alu_value(cx, alu, [a, b], dst);
        } else if let Some(shifts) = shift(op) {
            self.int_shift(cx, shifts, [a, b], ty, dst);
        } else if op == BinaryOp::Mul {
            self.multiply(cx, [a, b], dst);
        } else {
            return divide(self, cx, op, [a, b], ty, dst);
        }
        // Logic on booleans gives one, but for the sign that is above a number.
        let is_logic = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        if ty == Type::I1 && (!is_logic || cx.func.int_value(b).is_some()) {
            self.alu_imm(cx, Alu::And, dst, dst, 1);
        }
    }

    fn alu_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, [a, b]: [Value; 2], dst: VReg) {
        // What is above the width of a narrow number does not matter to the logical ones.
        let number = match op {
            Alu::Addu | Alu::Subu => cx.func.int_value(b).map(|n| n as u32),
            _ => word(cx.func, b),
        };
        if let Some(number) = number {
            let lhs = self.reg(cx, a);
            if op == Alu::And
                && let Some((value, lsb, size)) = fold::field(cx, a, number)
            {
                let src = self.reg(cx, value);
                return cx.sink.push(Inst::Extract { dst, src, lsb, size });
            }
            return match op {
                Alu::Xor if number == u32::MAX => self.alu(cx, Alu::Nor, dst, lhs, Src::Zero),
                Alu::And if number == u32::MAX => cx.sink.push(Inst::Mov { dst, src: lhs }),
                Alu::And if immediate(op, number).is_none() && is_field(op, number) => {
                    let size = number.trailing_ones() as u8;
                    cx.sink.push(Inst::Extract { dst, src: lhs, lsb: 0, size });
                }
                _ => self.alu_imm(cx, op, dst, lhs, number),
            };
        }
        let (lhs, rhs) = (self.src(cx, a), self.src(cx, b));
        self.alu(cx, op, dst, lhs, rhs);
    }

    fn int_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        (op, by): (Shift, ShiftBy),
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let amount = cx.func.int_value(b).map(|n| (n as u32 & (ty.bits() - 1)) as u8);
        // The bits above a narrow value come down in a right shift.
        if let (Some(lsb), Shift::Srl, 2..32) = (amount, op, ty.bits()) {
            let src = self.reg(cx, a);
            return cx.sink.push(Inst::Extract { dst, src, lsb, size: ty.bits() as u8 - lsb });
        }
        let src = match op {
            Shift::Srl => self.extended(cx, Signedness::Unsigned, a),
            Shift::Sra => self.extended(cx, Signedness::Signed, a),
            _ => self.reg(cx, a),
        };
        match amount {
            Some(amount) => self.shift(cx, op, dst, src, amount),
            None => {
                let amount = self.reg(cx, b);
                cx.sink.push(Inst::ShiftBy { op: by, dst, src, amount });
            }
        }
    }

    /// By a constant of [`product`] it is one shift or a shift and an addition.
    fn multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: VReg) {
        let lhs = self.reg(cx, a);
        let Some(Product { log2, then }) = word(cx.func, b).and_then(product) else {
            let rhs = self.src(cx, b);
            return self.alu(cx, Alu::Mul, dst, lhs, rhs);
        };
        match then {
            None => self.shift(cx, Shift::Sll, dst, lhs, log2),
            Some(op) => {
                let shifted = self.shift_temp(cx, Shift::Sll, lhs, log2);
                self.alu(cx, op, dst, shifted, lhs);
            }
        }
    }

    /// Truncation and extension of scalar integers, pairs included.
    pub(crate) fn int_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        let zero_extended = from != Type::I32 && from != Type::I64 && is_zero_extended(cx.func, arg);
        // The bits above do not matter, or are what they should be.
        let is_same = match op {
            CastOp::Trunc => to != Type::I1,
            CastOp::Zext => zero_extended && to != Type::I64,
            _ => false,
        };
        if is_same && !cx.is_constant(arg) {
            let src = self.regs(cx, arg).lo();
            if cx.share(result, src) {
                return;
            }
        }
        let regs = cx.regs(result);
        let dst = regs.lo();
        if let Some(inst) = cx.folded(arg)
            && let InstData::Load { address, align_log2 } = *cx.func.inst(inst)
        {
            let op = if from == Type::I8 { Transfer::Lb } else { Transfer::Lh };
            self.load_narrow(cx, op, dst, address, align_log2);
        } else {
            let src = self.regs(cx, arg).lo();
            match op {
                CastOp::Trunc if to == Type::I1 => self.alu_imm(cx, Alu::And, dst, src, 1),
                CastOp::Trunc => cx.sink.push(Inst::Mov { dst, src }),
                CastOp::Zext if zero_extended => cx.sink.push(Inst::Mov { dst, src }),
                CastOp::Zext => self.extend(cx, Signedness::Unsigned, from, dst, src),
                _ => self.extend(cx, Signedness::Signed, from, dst, src),
            }
        }
        if to == Type::I64 {
            match op {
                CastOp::Zext => cx.sink.push(Inst::MovImm { dst: regs.hi(), imm: 0 }),
                _ => self.shift(cx, Shift::Sra, regs.hi(), dst, 31),
            }
        }
    }
}

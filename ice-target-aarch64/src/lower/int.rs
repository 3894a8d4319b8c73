//! Integers of up to 64 bits.

use super::chain;
use super::{bits, fold, immediate, number_of, width};
use crate::inst::{Inst, Rhs, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Multiply, MultiplyLong, Shift, Transfer, Two, Width};
use ice_codegen::extension::is_zero_extended;
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::Signedness;
use ice_codegen::words::divide;
use ice_codegen::{Operands as _, Words as _};
use ice_ir::{BinaryOp, CastOp, InstData, Type, Value};

/// The shift for an IR operator.
pub(super) fn shift(op: BinaryOp) -> Option<Shift> {
    Some(match op {
        BinaryOp::Shl => Shift::Lsl,
        BinaryOp::Lshr => Shift::Lsr,
        BinaryOp::Ashr => Shift::Asr,
        _ => return None,
    })
}

/// The same by a register.
pub(super) fn shift_by(op: Shift) -> Two {
    match op {
        Shift::Lsl => Two::Lsl,
        Shift::Lsr => Two::Lsr,
        Shift::Asr => Two::Asr,
        Shift::Ror => Two::Ror,
    }
}

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

/// A multiplication by a power of two, or by one more or less.
#[derive(Clone, Copy)]
pub(super) struct Product {
    /// The power.
    log2: u8,
    /// What is done to the shifted number with the number.
    then: Option<Alu>,
}

/// How to multiply by a constant without multiplying.
pub(super) fn product(number: u64) -> Option<Product> {
    let log2 = |n: u64| n.is_power_of_two().then(|| n.trailing_zeros() as u8);
    let [same, below, above] = [number, number.wrapping_sub(1), number.wrapping_add(1)].map(log2);
    let near = |log2: Option<u8>, op| Some(Product { log2: log2.filter(|&n| n > 0)?, then: Some(op) });
    same.map(|log2| Product { log2, then: None })
        .or_else(|| near(below, Alu::Add))
        .or_else(|| near(above, Alu::Sub))
}

impl Aarch64 {
    /// Any binary operator on an integer.
    pub(crate) fn int_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        args: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result).lo();
        if ty == Type::I1 && chain::is_chain(cx, op, args) {
            let cond = self.compare_chain(cx, op, args);
            return cx.sink.push(Inst::SetCond { dst, cond });
        }
        if let Some(rotation) = fold::rotation(cx, op, args, ty) {
            let [hi, lo] = [rotation.hi, rotation.lo].map(|value| self.reg(cx, value));
            let (width, lsb) = (width(ty), rotation.lsb);
            return cx.sink.push(Inst::ExtractPair { width, dst, hi, lo, lsb });
        }
        let [a, b] = args;
        // What comes second is a number or was folded.
        let [is_number, other_is] = args.map(|arg| number_of(cx.func, arg).is_some());
        let is_first = is_number || cx.folded(a).is_some() && cx.folded(b).is_none();
        let swap = op.is_commutative() && is_first && !other_is;
        let [a, b] = if swap { [b, a] } else { [a, b] };
        if let Some(alu) = alu(op) {
            self.alu_value(cx, alu, [a, b], ty, dst);
        } else if let Some(shift) = shift(op) {
            self.int_shift(cx, shift, [a, b], ty, dst);
        } else if op == BinaryOp::Mul {
            self.multiply_value(cx, [a, b], ty, dst);
        } else if ty == Type::I64 {
            return self.divide_wide(cx, op, [a, b], dst);
        } else {
            return divide(self, cx, op, [a, b], ty, dst);
        }
        if ty == Type::I1 && !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
            self.alu_number(cx, (Alu::And, Width::W), dst, dst, 1);
        }
    }

    fn alu_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, [a, b]: [Value; 2], ty: Type, dst: VReg) {
        let width = width(ty);
        if self.multiply_add(cx, op, [a, b], width, dst) {
            return;
        }
        // What is above the width of a narrow number does not matter.
        let number = match op {
            Alu::Add | Alu::Sub => cx.func.int_value(b).map(|number| number as u64),
            _ => number_of(cx.func, b),
        };
        let Some(number) = number else {
            if op == Alu::Add
                && let Some(cond) = cx.counted(b)
            {
                let lhs = self.reg(cx, a);
                return self.count(cx, (width, dst), lhs, cond);
            }
            let complement = cx.folded(b).and_then(|def| fold::inverted(cx.func, def));
            let (op, rhs) = match (op, complement) {
                (Alu::And, Some(value)) => (Alu::Bic, Rhs::Reg(self.reg(cx, value))),
                (Alu::Orr, Some(value)) => (Alu::Orn, Rhs::Reg(self.reg(cx, value))),
                (Alu::Eor, Some(value)) => (Alu::Eon, Rhs::Reg(self.reg(cx, value))),
                _ => (op, self.rhs(cx, op, b)),
            };
            let lhs = self.src(cx, a);
            return self.alu(cx, (op, width), dst, lhs, rhs);
        };
        if op == Alu::And
            && let Some((value, field)) = fold::field(cx, a, number)
        {
            let src = self.reg(cx, value);
            return self.field(cx, (Signedness::Unsigned, width), dst, src, field);
        }
        let all = if width == Width::X { u64::MAX } else { u32::MAX.into() };
        let lhs = self.reg(cx, a);
        match op {
            Alu::Eor if number == all => self.alu(cx, (Alu::Orn, width), dst, Src::Zero, lhs),
            Alu::And if number == all => cx.sink.push(Inst::Mov { width, dst, src: lhs }),
            _ => self.alu_number(cx, (op, width), dst, lhs, number),
        }
    }

    /// The second operand of an operation: what was folded is part of it.
    fn rhs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Alu, value: Value) -> Rhs {
        if let Some(folded) = cx.folded(value).and_then(|def| fold::shifted(cx, def)) {
            match folded {
                fold::Shifted::Extended(inner, extend, amount) if matches!(op, Alu::Add | Alu::Sub) => {
                    return Rhs::Extend(self.reg(cx, inner), extend, amount);
                }
                fold::Shifted::Plain(inner, shift, amount) => {
                    return Rhs::Shift(self.reg(cx, inner), shift, amount);
                }
                fold::Shifted::Extended(..) => {}
            }
        }
        Rhs::Reg(self.reg(cx, value))
    }

    /// A sum or difference with a product that was folded into it.
    fn multiply_add<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Alu,
        [a, b]: [Value; 2],
        width: Width,
        dst: VReg,
    ) -> bool {
        let multiply = match op {
            Alu::Add => Multiply::Madd,
            Alu::Sub => Multiply::Msub,
            _ => return false,
        };
        let factors_of = |value| cx.folded(value).and_then(|def| fold::factors(cx.func, def));
        // What is added to the product may be a number.
        let (a, factors) = match (factors_of(b), op) {
            (Some(factors), _) => (a, factors),
            (None, Alu::Add) => match factors_of(a) {
                Some(factors) => (b, factors),
                None => return false,
            },
            _ => return false,
        };
        let acc = self.src(cx, a);
        if width == Width::X
            && let Some((sign, factors)) = fold::long_product(cx, factors)
        {
            let [lhs, rhs] = factors.map(|factor| self.reg(cx, factor));
            let op = match (op, sign) {
                (Alu::Add, Signedness::Signed) => MultiplyLong::Smaddl,
                (Alu::Add, Signedness::Unsigned) => MultiplyLong::Umaddl,
                (_, Signedness::Signed) => MultiplyLong::Smsubl,
                (_, Signedness::Unsigned) => MultiplyLong::Umsubl,
            };
            cx.sink.push(Inst::MultiplyLong { op, dst, lhs, rhs, acc });
            return true;
        }
        let [lhs, rhs] = factors.map(|factor| self.reg(cx, factor));
        cx.sink.push(Inst::Multiply { op: multiply, width, dst, lhs, rhs, acc });
        true
    }

    fn int_shift<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: Shift,
        [a, b]: [Value; 2],
        ty: Type,
        dst: VReg,
    ) {
        let width = width(ty);
        let amount = cx.func.int_value(b).map(|n| (n as u32 & (ty.bits() - 1)) as u8);
        let size = ty.bits() as u8;
        if let (Some(lsb), 2..32, Shift::Lsr | Shift::Asr) = (amount, size, op) {
            // The bits above a narrow value come down in a right shift.
            let src = self.reg(cx, a);
            let sign = if op == Shift::Asr { Signedness::Signed } else { Signedness::Unsigned };
            return self.field(cx, (sign, width), dst, src, (lsb, size - lsb));
        }
        let src = match op {
            _ if ty == Type::I64 => self.reg(cx, a),
            Shift::Lsr => self.extended(cx, Signedness::Unsigned, a),
            Shift::Asr => self.extended(cx, Signedness::Signed, a),
            _ => self.reg(cx, a),
        };
        match amount {
            Some(amount) => self.shift(cx, (op, width), dst, src, amount),
            None => {
                let (op, amount) = (shift_by(op), fold::amount(cx, b));
                let rhs = self.reg(cx, amount);
                cx.sink.push(Inst::Two { op, width, dst, lhs: src, rhs });
            }
        }
    }

    /// By a constant of [`product`] it is one shift, an addition with one, or a shift and a difference.
    fn multiply_value<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], ty: Type, dst: VReg) {
        let width = width(ty);
        if ty == Type::I64
            && let Some((sign, factors)) = fold::long_product(cx, [a, b])
        {
            let [lhs, rhs] = factors.map(|factor| self.reg(cx, factor));
            let op = if sign == Signedness::Signed { MultiplyLong::Smaddl } else { MultiplyLong::Umaddl };
            return cx.sink.push(Inst::MultiplyLong { op, dst, lhs, rhs, acc: Src::Zero });
        }
        let lhs = self.reg(cx, a);
        let number = number_of(cx.func, b).and_then(product);
        let Some(Product { log2, then }) = number.filter(|product| product.log2 < bits(width)) else {
            let rhs = self.reg(cx, b);
            return cx.sink.push(Inst::Multiply { op: Multiply::Madd, width, dst, lhs, rhs, acc: Src::Zero });
        };
        match then {
            None => self.shift(cx, (Shift::Lsl, width), dst, lhs, log2),
            Some(Alu::Add) => self.alu(cx, (Alu::Add, width), dst, lhs, Rhs::Shift(lhs, Shift::Lsl, log2)),
            Some(op) => {
                let shifted = self.shift_temp(cx, (Shift::Lsl, width), lhs, log2);
                self.alu(cx, (op, width), dst, shifted, lhs);
            }
        }
    }

    /// Truncation and extension of scalar integers.
    pub(crate) fn int_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        // The bits above do not matter, or are what they should be. In PNaCl programs those above 32 matter.
        let is_same = match op {
            CastOp::Trunc => to != Type::I1 && (self.is_native() || from != Type::I64),
            CastOp::Zext => from.bits() < 32 && to != Type::I64 && is_zero_extended(cx.func, arg),
            _ => false,
        };
        if is_same && !cx.is_constant(arg) {
            let src = self.reg(cx, arg);
            if cx.share(result, src) {
                return;
            }
        }
        let dst = cx.regs(result).lo();
        if let Some(inst) = cx.folded(arg)
            && let InstData::Load { address, .. } = *cx.func.inst(inst)
        {
            return self.load_extended(cx, op, address, (from, to), dst);
        }
        let src = self.reg(cx, arg);
        match op {
            CastOp::Trunc if to == Type::I1 => self.alu_number(cx, (Alu::And, Width::W), dst, src, 1),
            CastOp::Trunc if from == Type::I64 => cx.sink.push(Inst::ZeroUpper { dst, src }),
            CastOp::Trunc => cx.sink.push(Inst::Mov { width: Width::W, dst, src }),
            CastOp::Zext if is_same || self.has_zeros_above(cx, arg) => {
                cx.sink.push(Inst::Mov { width: Width::W, dst, src });
            }
            CastOp::Zext if from == Type::I32 || from == Type::I1 => {
                cx.sink.push(Inst::ZeroUpper { dst, src })
            }
            CastOp::Zext => {
                self.field(cx, (Signedness::Unsigned, Width::W), dst, src, (0, from.bits() as u8));
            }
            _ => self.field(cx, (Signedness::Signed, width(to)), dst, src, (0, from.bits() as u8)),
        }
    }

    /// Whether the upper half of the register of `value`, a word, is zero: always in PNaCl programs, else if an instruction of 32 bits
    /// certainly makes it.
    fn has_zeros_above<S: Sink<Inst>>(self, cx: &Cx<'_, S>, value: Value) -> bool {
        let func = cx.func;
        if func.value_type(value) != Type::I32 {
            return false;
        }
        match func.defining_inst(value).map(|inst| func.inst(inst)) {
            _ if !self.is_native() => true,
            Some(InstData::Load { .. }) => true,
            Some(&InstData::Binary { op, args: [a, b] }) => {
                // Not what may be a copy: an operation by a number that changes nothing.
                let number = func.int_value(a).or(func.int_value(b));
                match op {
                    BinaryOp::And => number != Some(-1),
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor => number != Some(0),
                    BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr => {
                        number.is_none_or(|number| number & 31 != 0)
                    }
                    BinaryOp::Mul | BinaryOp::Udiv | BinaryOp::Sdiv => number != Some(1),
                    BinaryOp::Urem | BinaryOp::Srem => true,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// A load that extends what it loads.
    fn load_extended<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: CastOp,
        address: Value,
        (from, to): (Type, Type),
        dst: VReg,
    ) {
        let op = match (op, from, to) {
            (CastOp::Sext, Type::I8, Type::I64) => Transfer::LdrsbX,
            (CastOp::Sext, Type::I8, _) => Transfer::LdrsbW,
            (CastOp::Sext, Type::I16, Type::I64) => Transfer::LdrshX,
            (CastOp::Sext, Type::I16, _) => Transfer::LdrshW,
            (CastOp::Sext, ..) => Transfer::Ldrsw,
            (_, Type::I8, _) => Transfer::Ldrb,
            (_, Type::I16, _) => Transfer::Ldrh,
            _ => Transfer::LdrW,
        };
        let mem = self.access(cx, address, from);
        cx.sink.push(Inst::Load { op, dst, mem });
    }

    /// Whether the operation takes the number in its instruction.
    pub(super) fn carries(op: Alu, ty: Type, number: u64) -> bool {
        let all = if ty == Type::I64 { u64::MAX } else { u32::MAX.into() };
        immediate(op, width(ty), number).is_some() || number == all && matches!(op, Alu::And | Alu::Eor)
    }
}

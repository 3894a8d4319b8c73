//! Integers of up to 32 bits.

use super::Signedness;
use super::fold::Shifted;
use crate::inst::{Inst, Src};
use crate::target::{Arm32, Cx};
use ice_asm::arm32::{Alu, BitField, Flags, ModImm, Move, Multiply, Shift, Transfer};
use ice_codegen::extension::{is_zero_extended, word};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::words::divide;
use ice_codegen::{Operands as _, Words as _};
use ice_ir::{BinaryOp, CastOp, InstData, Type, Value};

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
pub(super) fn alu_immediate(op: Alu, number: u32) -> Option<(Alu, ModImm)> {
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

/// How many low bits a mask keeps, if these are all and no immediate has them.
pub(super) fn low_bits(op: Alu, mask: u32) -> Option<u8> {
    let is_low = op == Alu::And && mask & mask.wrapping_add(1) == 0 && alu_immediate(op, mask).is_none();
    is_low.then(|| mask.trailing_ones() as u8)
}

/// A multiplication by (2^n + 1) × 2^left or (2^n - 1) × 2^left.
#[derive(Clone, Copy)]
pub(super) struct Product {
    /// The operation on the number and the number shifted left by n; `None` for a power of two.
    pub(super) near: Option<(Alu, u8)>,
    pub(super) left: u8,
}

/// How to multiply by a constant without multiplying, if that is not longer.
pub(super) fn product(number: u32) -> Option<Product> {
    if number == 0 {
        return None;
    }
    let left = number.trailing_zeros() as u8;
    let odd = number >> left;
    let log2 = |n: u32| (n.is_power_of_two() && n > 1).then(|| n.trailing_zeros() as u8);
    let near = [(Alu::Add, odd - 1), (Alu::Rsb, odd.wrapping_add(1))];
    let near = near.into_iter().find_map(|(op, power)| Some((op, log2(power)?)));
    (odd == 1 || near.is_some()).then_some(Product { near, left })
}

impl Arm32 {
    /// Any binary operator on an integer of up to 32 bits.
    pub(crate) fn int_binary<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [a, b]: [Value; 2],
        result: Value,
    ) {
        let ty = cx.func.value_type(result);
        let dst = cx.regs(result).lo();
        if matches!(op, BinaryOp::Or | BinaryOp::Add | BinaryOp::Xor)
            && ty == Type::I32
            && let Some(Shifted::By(value, op, n)) = self.rotation(cx, [a, b])
        {
            let src = Src::Shift(self.reg(cx, value), op, n);
            return self.mov(cx, dst, src);
        }
        // A number, or else what is folded, comes last.
        let is_last = |cx: &Cx<'_, S>, v| cx.func.int_value(v).is_some() || cx.folded(v).is_some();
        let first_moves = op.is_commutative()
            && !is_last(cx, b)
            && (is_last(cx, a) || cx.is_constant(a) && !cx.is_constant(b));
        let [a, b] = if first_moves { [b, a] } else { [a, b] };
        if let Some(op) = alu(op) {
            self.alu_value(cx, op, [a, b], dst);
        } else if let Some(op) = shift(op) {
            self.int_shift(cx, op, [a, b], ty, dst);
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
        let flags = Flags::Keep;
        // The sum of a product and a number that no addition carries: its number has a register of its own.
        let [a, b] = if cx.folded(a).is_some_and(|inst| self.is_product(cx, inst)) { [b, a] } else { [a, b] };
        if let Some(number) = cx.func.int_value(b) {
            if let (Alu::And, Some(inst)) = (op, cx.folded(a))
                && let Some((value, lsb)) = self.field(cx, inst, number as u32)
            {
                let (op, src) = (BitField::Ubfx, self.reg(cx, value));
                let width = ((number as u32).trailing_ones() as u8).min(32 - lsb);
                return cx.sink.push(Inst::BitField { op, dst, src, lsb, width });
            }
            let lhs = self.reg(cx, a);
            if (op, number) == (Alu::Eor, -1) {
                let (op, src) = (Move::Mvn, Src::Reg(lhs));
                return cx.sink.push(Inst::MovSrc { op, flags, dst, src });
            }
            return self.alu_imm(cx, op, dst, lhs, number as u32);
        }
        if let (Alu::Sub, Some(number)) = (op, cx.func.int_value(a)) {
            let rhs = self.number(cx, number as u32);
            let lhs = self.reg(cx, b);
            return cx.sink.push(Inst::Alu { op: Alu::Rsb, flags, dst, lhs, rhs });
        }
        if op == Alu::Add
            && let Some(cond) = cx.counted(b)
        {
            let lhs = self.reg(cx, a);
            return self.count(cx, dst, lhs, cond);
        }
        if let Some(inst) = cx.folded(b) {
            if let InstData::Binary { op: BinaryOp::Mul, args } = *cx.func.inst(inst)
                && self.is_product(cx, inst)
            {
                let op = if op == Alu::Sub { Multiply::Mls } else { Multiply::Mla };
                let [lhs, rhs, acc] = [args[0], args[1], a].map(|v| self.reg(cx, v));
                return cx.sink.push(Inst::MultiplyAdd { op, dst, lhs, rhs, acc });
            }
            if let (Alu::And, Some(value)) = (op, self.complement_of(cx, inst)) {
                let (rhs, lhs) = (self.src(cx, value), self.reg(cx, a));
                return cx.sink.push(Inst::Alu { op: Alu::Bic, flags, dst, lhs, rhs });
            }
        }
        // Only the reversed subtraction takes a shifted first operand.
        let (op, [a, b]) = match op {
            Alu::Sub if cx.folded(a).is_some() && cx.folded(b).is_none() => (Alu::Rsb, [b, a]),
            _ => (op, [a, b]),
        };
        let rhs = self.src(cx, b);
        let lhs = self.reg(cx, a);
        cx.sink.push(Inst::Alu { op, flags, dst, lhs, rhs });
    }

    /// What `inst` shifts to the right, and how far, if `mask` keeps low bits of that.
    pub(super) fn field<S: Sink<Inst>>(
        self,
        cx: &Cx<'_, S>,
        inst: ice_ir::Inst,
        mask: u32,
    ) -> Option<(Value, u8)> {
        let &InstData::Binary { op: BinaryOp::Lshr, args: [value, amount] } = cx.func.inst(inst) else {
            return None;
        };
        let is_low = mask != 0 && mask & mask.wrapping_add(1) == 0;
        let is_word = cx.func.value_type(value) == Type::I32 && !cx.is_constant(value);
        match cx.func.int_value(amount)? {
            lsb @ 1..=31 if is_low && is_word => Some((value, lsb as u8)),
            _ => None,
        }
    }

    /// A part of a pair that a shift by a number moves into a word. Bits above those of a narrow type may be anything.
    fn part_of_pair<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, inst: ice_ir::Inst, result: Value) {
        let &InstData::Binary { op, args: [value, amount] } = cx.func.inst(inst) else {
            return cx.fault("a truncation of a shift has none");
        };
        let (Some(op), Some(amount)) = (shift(op), cx.func.int_value(amount)) else {
            return cx.fault("a truncation of a shift has none by a number");
        };
        let src = self.regs(cx, value);
        let n = (amount & 63) as u8;
        let whole = if n == 0 { Some(src.lo()) } else { Some(src.hi()).filter(|_| n == 32) };
        if let Some(part) = whole.filter(|_| op != Shift::Lsl || n == 0)
            && !cx.is_constant(value)
            && cx.share(result, part)
        {
            return;
        }
        let bits = cx.func.value_type(result).bits() as u8;
        let dst = cx.regs(result).lo();
        let shifted = |reg, op, n| if n == 0 { Src::Reg(reg) } else { Src::Shift(reg, op, n) };
        let src = match (op, n) {
            (Shift::Lsl, 32..) => return cx.sink.push(Inst::MovImm { dst, imm: 0 }),
            (Shift::Lsl, n) => shifted(src.lo(), op, n),
            (_, 32..) => shifted(src.hi(), op, n - 32),
            (_, n) if n + bits <= 32 => shifted(src.lo(), Shift::Lsr, n),
            (_, n) => {
                let lhs = self.temp(cx);
                self.mov(cx, lhs, Src::Shift(src.lo(), Shift::Lsr, n));
                let (op, flags, rhs) = (Alu::Orr, Flags::Keep, Src::Shift(src.hi(), Shift::Lsl, 32 - n));
                return cx.sink.push(Inst::Alu { op, flags, dst, lhs, rhs });
            }
        };
        self.mov(cx, dst, src);
    }

    /// Whether `inst` multiplies by an instruction.
    fn is_product<S: Sink<Inst>>(self, cx: &Cx<'_, S>, inst: ice_ir::Inst) -> bool {
        matches!(cx.func.inst(inst), InstData::Binary { op: BinaryOp::Mul, .. })
            && self.shifted(cx, inst).is_none()
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
        if let Some(width) = low_bits(op, number) {
            let op = BitField::Ubfx;
            return cx.sink.push(Inst::BitField { op, dst, src: lhs, lsb: 0, width });
        }
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

    /// By a constant of [`product`] it is one or two instructions with shifted operands.
    fn multiply<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, [a, b]: [Value; 2], dst: VReg) {
        let lhs = self.reg(cx, a);
        if let Some(product) = word(cx.func, b).and_then(product) {
            let src = self.product_src(cx, lhs, product);
            return self.mov(cx, dst, src);
        }
        let rhs = self.reg(cx, b);
        cx.sink.push(Inst::Mul { dst, lhs, rhs });
    }

    /// A product as a flexible operand.
    pub(super) fn product_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg, product: Product) -> Src {
        let odd = match product.near {
            None => src,
            Some((op, n)) => {
                let (dst, rhs) = (self.temp(cx), Src::Shift(src, Shift::Lsl, n));
                cx.sink.push(Inst::Alu { op, flags: Flags::Keep, dst, lhs: src, rhs });
                dst
            }
        };
        if product.left == 0 { Src::Reg(odd) } else { Src::Shift(odd, Shift::Lsl, product.left) }
    }

    /// Truncation and extension of scalar integers, pairs included.
    pub(crate) fn int_cast<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, arg: Value, result: Value) {
        let (from, to) = (cx.func.value_type(arg), cx.func.value_type(result));
        if let (Type::I64, Some(inst)) = (from, cx.folded(arg)) {
            return self.part_of_pair(cx, inst, result);
        }
        // The bits above do not matter, or are what they should be.
        let is_same = match op {
            CastOp::Trunc => to != Type::I1,
            CastOp::Zext => from != Type::I32 && to != Type::I64 && is_zero_extended(cx.func, arg),
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
            && let InstData::Load { address, .. } = *cx.func.inst(inst)
        {
            let mem = self.address(cx, address);
            let op = if from == Type::I8 { Transfer::Ldrsb } else { Transfer::Ldrsh };
            cx.sink.push(Inst::Load { op, dst, mem });
            if to == Type::I64 {
                self.mov(cx, regs.hi(), Src::Shift(dst, Shift::Asr, 31));
            }
            return;
        }
        let src = self.regs(cx, arg).lo();
        match op {
            CastOp::Zext if from != Type::I32 && is_zero_extended(cx.func, arg) => {
                cx.sink.push(Inst::Mov { dst, src });
            }
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

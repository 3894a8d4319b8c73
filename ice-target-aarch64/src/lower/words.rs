//! What the machine does with words of 32 bits, for the rules that machines share ([`ice_codegen::words`]).

use super::int::{alu, shift, shift_by};
use crate::inst::{Inst, Rhs, Src};
use crate::target::{Aarch64, Cx};
use ice_asm::aarch64::{Alu, Multiply, MultiplyLong, Shift, Two, Width};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::{Part, Signedness, parts};
use ice_codegen::words::{CallRules as _, Word, Words};
use ice_codegen::{Libcall, ValueRegs};
use ice_ir::{BinaryOp, Type};

const WIDTH: Width = Width::W;

/// The product of 64 bits.
fn long(sign: Signedness) -> MultiplyLong {
    match sign {
        Signedness::Signed => MultiplyLong::Smaddl,
        Signedness::Unsigned => MultiplyLong::Umaddl,
    }
}

impl Aarch64 {
    /// The product of two words in a register of 64 bits.
    fn long_product<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        [lhs, rhs]: [VReg; 2],
    ) -> VReg {
        let dst = self.wide_temp(cx, Width::X);
        cx.sink.push(Inst::MultiplyLong { op: long(sign), dst, lhs, rhs, acc: Src::Zero });
        dst
    }

    /// A word as a flexible operand.
    fn word_rhs<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, word: Word) -> Rhs {
        if let Word::Shifted(reg, op, amount) = word
            && let Some(op) = shift(op)
        {
            return Rhs::Shift(reg, op, amount);
        }
        Rhs::Reg(self.word_reg(cx, word))
    }

    /// Ends the program with a fault if the number is zero, where the module wants that.
    pub(super) fn trap_if_zero_of<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, width: Width, src: VReg) {
        if !self.is_native() {
            cx.sink.push(Inst::TrapIfZero { width, src });
        }
    }
}

impl Words for Aarch64 {
    fn mov_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: Word) {
        match src {
            Word::Reg(src) => cx.sink.push(Inst::Mov { width: WIDTH, dst, src }),
            Word::Number(imm) => cx.sink.push(Inst::MovImm { width: WIDTH, dst, imm: imm.into() }),
            Word::Shifted(src, op, amount) => match shift(op) {
                Some(op) => Aarch64::shift(self, cx, (op, WIDTH), dst, src, amount),
                None => cx.fault("a word is shifted by no shift"),
            },
        }
    }

    fn word_op<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, dst: VReg, lhs: Word, rhs: Word) {
        match (alu(op), shift(op), lhs, rhs) {
            (Some(Alu::Sub), _, Word::Number(0), rhs) => {
                let rhs = self.word_rhs(cx, rhs);
                self.alu(cx, (Alu::Sub, WIDTH), dst, Src::Zero, rhs);
            }
            (Some(op), _, Word::Reg(lhs), Word::Number(number)) => {
                self.alu_number(cx, (op, WIDTH), dst, lhs, number.into());
            }
            (Some(op), ..) => {
                let (lhs, rhs) = (self.word_reg(cx, lhs), self.word_rhs(cx, rhs));
                self.alu(cx, (op, WIDTH), dst, lhs, rhs);
            }
            (_, Some(op), Word::Reg(src), Word::Number(amount)) => {
                Aarch64::shift(self, cx, (op, WIDTH), dst, src, amount as u8);
            }
            (_, Some(op), ..) => {
                let (lhs, rhs) = (self.word_reg(cx, lhs), self.word_reg(cx, rhs));
                cx.sink.push(Inst::Two { op: shift_by(op), width: WIDTH, dst, lhs, rhs });
            }
            _ => {
                let (lhs, rhs) = (self.word_reg(cx, lhs), self.word_reg(cx, rhs));
                let (op, acc) = (Multiply::Madd, Src::Zero);
                cx.sink.push(Inst::Multiply { op, width: WIDTH, dst, lhs, rhs, acc });
            }
        }
    }

    fn extract<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        dst: VReg,
        src: VReg,
        lsb: u8,
        size: u8,
    ) {
        self.field(cx, (sign, WIDTH), dst, src, (lsb, size));
    }

    fn extend<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, sign: Signedness, ty: Type, dst: VReg, src: VReg) {
        match (ty, sign) {
            (Type::I8 | Type::I16, _) | (Type::I1, Signedness::Signed) => {
                self.field(cx, (sign, WIDTH), dst, src, (0, ty.bits() as u8));
            }
            _ => cx.sink.push(Inst::Mov { width: WIDTH, dst, src }),
        }
    }

    fn multiply_long<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        [lo, hi]: [VReg; 2],
        args: [VReg; 2],
    ) {
        let product = self.long_product(cx, sign, args);
        self.shift(cx, (Shift::Lsr, Width::X), hi, product, 32);
        cx.sink.push(Inst::ZeroUpper { dst: lo, src: product });
    }

    /// The product is in one register, so that one shift is enough.
    fn multiply_high_shifted<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, args: [VReg; 2], shift: u8) {
        let product = self.long_product(cx, Signedness::Unsigned, args);
        self.shift(cx, (Shift::Lsr, Width::X), dst, product, 32 + shift);
    }

    fn multiply_high<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, sign: Signedness, args: [VReg; 2]) -> VReg {
        let product = self.long_product(cx, sign, args);
        let dst = self.wide_temp(cx, WIDTH);
        self.shift(cx, (Shift::Lsr, Width::X), dst, product, 32);
        dst
    }

    fn multiply_add<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        dst: VReg,
        acc: VReg,
        [lhs, rhs]: [VReg; 2],
    ) {
        let op = if op == BinaryOp::Sub { Multiply::Msub } else { Multiply::Madd };
        cx.sink.push(Inst::Multiply { op, width: WIDTH, dst, lhs, rhs, acc: acc.into() });
    }

    fn divide_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, [lhs, rhs]: [VReg; 2], dst: VReg) {
        let (sign, part) = parts(op);
        let op = if sign == Signedness::Signed { Two::Sdiv } else { Two::Udiv };
        let quotient = if part == Part::Quotient { dst } else { self.wide_temp(cx, WIDTH) };
        cx.sink.push(Inst::Two { op, width: WIDTH, dst: quotient, lhs, rhs });
        if part == Part::Remainder {
            self.multiply_add(cx, BinaryOp::Sub, dst, lhs, [quotient, rhs]);
        }
    }

    fn trap_if_zero<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, lo: VReg, _: Option<VReg>) {
        self.trap_if_zero_of(cx, WIDTH, lo);
    }

    fn libcall<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        helper: Libcall,
        args: &[(ValueRegs, Type)],
        result: Option<(ValueRegs, Type)>,
    ) {
        self.call_helper(cx, helper, args, result);
    }
}

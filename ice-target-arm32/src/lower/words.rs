//! What the machine does with words, for the rules that all machines share ([`ice_codegen::words`]).

use super::int::{alu, shift};
use crate::inst::{Inst, Src, is_one_word};
use crate::regs::{GPR, r};
use crate::target::{Arm32, Cx, Division};
use ice_asm::arm32::{
    Alu, BitField, Compare, Cond, Divide, Extend, Flags, Lane, ModImm, Multiply, MultiplyLong, Neon2, Unary,
};
use ice_codegen::abi::StackArguments;
use ice_codegen::mach::{Operand, Sink, VReg};
use ice_codegen::magic::{Part, Signedness, parts};
use ice_codegen::words::{BitRules, CallRules as _, Word, Words};
use ice_codegen::{Libcall, ValueRegs};
use ice_ir::{BinaryOp, Intrinsic, Type};

impl Arm32 {
    /// A word as a flexible operand.
    fn word_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, word: Word) -> Src {
        match word {
            Word::Reg(reg) => Src::Reg(reg),
            Word::Number(number) => self.number(cx, number),
            Word::Shifted(reg, op, amount) => match shift(op) {
                Some(op) => Src::Shift(reg, op, amount),
                None => {
                    cx.fault("a word is shifted by no shift");
                    Src::Reg(reg)
                }
            },
        }
    }
}

impl Words for Arm32 {
    fn keeps_number(self, number: u32) -> bool {
        !is_one_word(number)
    }

    fn mov_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: Word) {
        match src {
            Word::Number(imm) => cx.sink.push(Inst::MovImm { dst, imm }),
            src => {
                let src = self.word_src(cx, src);
                self.mov(cx, dst, src);
            }
        }
    }

    fn word_op<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, dst: VReg, lhs: Word, rhs: Word) {
        let flags = Flags::Keep;
        match (alu(op), shift(op), lhs, rhs) {
            (Some(op), _, Word::Reg(lhs), Word::Number(number)) => self.alu_imm(cx, op, dst, lhs, number),
            (Some(Alu::Sub), _, Word::Number(_), Word::Reg(reg)) => {
                let rhs = self.word_src(cx, lhs);
                cx.sink.push(Inst::Alu { op: Alu::Rsb, flags, dst, lhs: reg, rhs });
            }
            (Some(op), ..) => {
                let (lhs, rhs) = (self.word_reg(cx, lhs), self.word_src(cx, rhs));
                cx.sink.push(Inst::Alu { op, flags, dst, lhs, rhs });
            }
            (_, Some(_), Word::Reg(src), Word::Number(amount)) => {
                self.mov_word(cx, dst, Word::shifted(src, op, amount as u8));
            }
            (_, Some(op), ..) => {
                let (src, amount) = (self.word_reg(cx, lhs), self.word_reg(cx, rhs));
                self.mov(cx, dst, Src::ShiftReg(src, op, amount));
            }
            (None, None, ..) => {
                let (lhs, rhs) = (self.word_reg(cx, lhs), self.word_reg(cx, rhs));
                cx.sink.push(Inst::Mul { dst, lhs, rhs });
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
        width: u8,
    ) {
        let op = if sign == Signedness::Signed { BitField::Sbfx } else { BitField::Ubfx };
        cx.sink.push(Inst::BitField { op, dst, src, lsb, width });
    }

    fn extend<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, sign: Signedness, ty: Type, dst: VReg, src: VReg) {
        let op = match (ty, sign) {
            (Type::I8, Signedness::Unsigned) => Extend::Uxtb,
            (Type::I8, Signedness::Signed) => Extend::Sxtb,
            (Type::I16, Signedness::Unsigned) => Extend::Uxth,
            (Type::I16, Signedness::Signed) => Extend::Sxth,
            (Type::I1, Signedness::Signed) => {
                // 0 or 1 becomes 0 or -1.
                let (op, flags) = (Alu::Rsb, Flags::Keep);
                return cx.sink.push(Inst::Alu { op, flags, dst, lhs: src, rhs: Src::Imm(ModImm::small(0)) });
            }
            _ => return cx.sink.push(Inst::Mov { dst, src }),
        };
        cx.sink.push(Inst::Extend { op, dst, src });
    }

    fn multiply_long<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        [lo, hi]: [VReg; 2],
        [lhs, rhs]: [VReg; 2],
    ) {
        let op = if sign == Signedness::Signed { MultiplyLong::Smull } else { MultiplyLong::Umull };
        cx.sink.push(Inst::MultiplyLong { op, lo, hi, lhs, rhs });
    }

    fn multiply_add<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        dst: VReg,
        acc: VReg,
        [lhs, rhs]: [VReg; 2],
    ) {
        let op = if op == BinaryOp::Sub { Multiply::Mls } else { Multiply::Mla };
        cx.sink.push(Inst::MultiplyAdd { op, dst, lhs, rhs, acc });
    }

    /// By `sdiv` or `udiv` where the processor has them, else by the helpers of the run-time ABI.
    fn divide_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, [lhs, rhs]: [VReg; 2], dst: VReg) {
        let (sign, part) = parts(op);
        if self.division == Division::Hardware {
            let op = if sign == Signedness::Signed { Divide::Sdiv } else { Divide::Udiv };
            if part == Part::Quotient {
                return cx.sink.push(Inst::Divide { op, dst, lhs, rhs });
            }
            let quotient = self.temp(cx);
            cx.sink.push(Inst::Divide { op, dst: quotient, lhs, rhs });
            let op = Multiply::Mls;
            return cx.sink.push(Inst::MultiplyAdd { op, dst, lhs: quotient, rhs, acc: lhs });
        }
        // The helpers with a remainder give it in r1 (RTABI, IHI 0043D, 4.3.1).
        let (helper, result) = match (sign, part) {
            (Signedness::Signed, Part::Quotient) => (Libcall::AeabiIdiv, r(0)),
            (Signedness::Signed, Part::Remainder) => (Libcall::AeabiIdivmod, r(1)),
            (Signedness::Unsigned, Part::Quotient) => (Libcall::AeabiUidiv, r(0)),
            (Signedness::Unsigned, Part::Remainder) => (Libcall::AeabiUidivmod, r(1)),
        };
        let operands = [
            Operand::use_fixed(lhs, GPR, r(0)),
            Operand::use_fixed(rhs, GPR, r(1)),
            Operand::def_fixed(dst, GPR, result),
        ];
        let callee = self.helper(cx, helper);
        self.finish_helper(cx, callee, &mut operands.into_iter().collect(), StackArguments::EMPTY, None);
    }

    fn trap_if_zero<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, lo: VReg, hi: Option<VReg>) {
        if !self.is_native() {
            cx.sink.push(Inst::TrapIfZero { lo, hi });
        }
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

impl BitRules for Arm32 {
    fn reverse_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, dst: VReg, src: VReg) {
        let op = if ty == Type::I16 { Unary::Rev16 } else { Unary::Rev };
        cx.sink.push(Inst::Unary { op, dst, src });
    }

    fn zeros<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, dst: VReg, src: VReg) {
        let mut from_top = src;
        if op == Intrinsic::Cttz {
            from_top = self.temp(cx);
            cx.sink.push(Inst::Unary { op: Unary::Rbit, dst: from_top, src });
        }
        cx.sink.push(Inst::Unary { op: Unary::Clz, dst, src: from_top });
    }

    /// Those of each byte, whose neighbours are added up. Confined code has a helper for it.
    fn ones<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: ValueRegs, src: ValueRegs) -> bool {
        if self.is_confined() {
            return false;
        }
        let is_pair = src.iter().count() == 2;
        let bytes = cx.temp(Type::F64).lo();
        let hi = if is_pair { src.hi() } else { src.lo() };
        cx.sink.push(Inst::PairToDouble { dst: bytes, lo: src.lo(), hi });
        let sums = [(Neon2::Vcnt, Lane::B8), (Neon2::VpaddlU, Lane::B8), (Neon2::VpaddlU, Lane::B16)];
        let last = is_pair.then_some((Neon2::VpaddlU, Lane::B32));
        for (op, lane) in sums.into_iter().chain(last) {
            cx.sink.push(Inst::NeonDouble { op, lane, dst: bytes, src: bytes });
        }
        let hi = if is_pair { dst.hi() } else { self.temp(cx) };
        cx.sink.push(Inst::DoubleToPair { lo: dst.lo(), hi, src: bytes });
        true
    }

    fn mov_unless_zero<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg, cond: VReg) {
        cx.sink.push(Inst::Compare { op: Compare::Cmp, lhs: cond, rhs: Src::Imm(ModImm::small(0)) });
        cx.sink.push(Inst::CondMov { cond: Cond::Ne, dst, src: Src::Reg(src) });
    }
}

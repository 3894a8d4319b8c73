//! What the machine does with words, for the rules that all machines share ([`ice_codegen::words`]).

use super::compare::{float_test, less};
use super::float::float3;
use super::int::{alu, shift};
use crate::inst::{Inst, Src, Wanted, is_one_word};
use crate::target::{Cx, Mips32};
use ice_asm::mips32::{Alu, Count, Extend, FloatWidth, FromHiLo, MultiplyDivide, Shift};
use ice_codegen::mach::{Sink, VReg};
use ice_codegen::magic::{Part, Signedness, parts};
use ice_codegen::words::{BitRules, CallRules as _, Word, WordVectors, Words};
use ice_codegen::{Libcall, ValueRegs};
use ice_ir::{BinaryOp, CastOp, FloatCond, Intrinsic, Type};

impl Mips32 {
    /// A word as what an instruction reads.
    pub(super) fn word_src<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, word: Word) -> Src {
        match word {
            Word::Number(0) => Src::Zero,
            word => Src::Reg(self.word_reg(cx, word)),
        }
    }
}

impl Words for Mips32 {
    fn keeps_number(self, number: u32) -> bool {
        !is_one_word(number)
    }

    fn mov_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: Word) {
        match src {
            Word::Reg(src) => cx.sink.push(Inst::Mov { dst, src }),
            Word::Number(imm) => cx.sink.push(Inst::MovImm { dst, imm }),
            Word::Shifted(src, op, amount) => {
                self.word_op(cx, op, dst, src.into(), Word::Number(amount.into()));
            }
        }
    }

    fn word_op<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, dst: VReg, lhs: Word, rhs: Word) {
        match (alu(op), shift(op), lhs, rhs) {
            (Some(Alu::Xor), _, Word::Reg(lhs), Word::Number(u32::MAX)) => {
                self.alu(cx, Alu::Nor, dst, lhs, Src::Zero);
            }
            (Some(op), _, Word::Reg(lhs), Word::Number(number)) => self.alu_imm(cx, op, dst, lhs, number),
            (_, Some((op, _)), Word::Reg(src), Word::Number(amount)) => {
                self.shift(cx, op, dst, src, amount as u8);
            }
            (_, Some((_, op)), ..) => {
                let (src, amount) = (self.word_reg(cx, lhs), self.word_reg(cx, rhs));
                cx.sink.push(Inst::ShiftBy { op, dst, src, amount });
            }
            (op, ..) => {
                let (lhs, rhs) = (self.word_src(cx, lhs), self.word_src(cx, rhs));
                self.alu(cx, op.unwrap_or(Alu::Mul), dst, lhs, rhs);
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
        if sign == Signedness::Unsigned {
            return cx.sink.push(Inst::Extract { dst, src, lsb, size });
        }
        let ty = match size {
            8 => Type::I8,
            16 => Type::I16,
            _ => Type::I32,
        };
        match lsb + size {
            32 => self.shift(cx, Shift::Sra, dst, src, lsb),
            _ if ty != Type::I32 => {
                let low = self.shift_temp(cx, Shift::Srl, src, lsb);
                self.extend(cx, sign, ty, dst, low);
            }
            end => {
                let high = self.shift_temp(cx, Shift::Sll, src, 32 - end);
                self.shift(cx, Shift::Sra, dst, high, 32 - size);
            }
        }
    }

    fn extend<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, sign: Signedness, ty: Type, dst: VReg, src: VReg) {
        match (ty, sign) {
            (Type::I8, Signedness::Unsigned) => self.alu_imm(cx, Alu::And, dst, src, 0xff),
            (Type::I16, Signedness::Unsigned) => self.alu_imm(cx, Alu::And, dst, src, 0xffff),
            (Type::I8, Signedness::Signed) => cx.sink.push(Inst::Extend { op: Extend::Seb, dst, src }),
            (Type::I16, Signedness::Signed) => cx.sink.push(Inst::Extend { op: Extend::Seh, dst, src }),
            // 0 or 1 becomes 0 or -1.
            (Type::I1, Signedness::Signed) => self.alu(cx, Alu::Subu, dst, Src::Zero, src),
            _ => cx.sink.push(Inst::Mov { dst, src }),
        }
    }

    fn multiply_long<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        [lo, hi]: [VReg; 2],
        [lhs, rhs]: [VReg; 2],
    ) {
        cx.sink.push(Inst::MultiplyLong { op: multiply(sign), lo, hi, lhs, rhs });
    }

    fn multiply_high<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        sign: Signedness,
        [lhs, rhs]: [VReg; 2],
    ) -> VReg {
        let dst = self.temp(cx);
        cx.sink.push(Inst::HiLo { op: multiply(sign), half: FromHiLo::Mfhi, dst, lhs, rhs });
        dst
    }

    fn divide_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, [lhs, rhs]: [VReg; 2], dst: VReg) {
        let (sign, part) = parts(op);
        let op = if sign == Signedness::Signed { MultiplyDivide::Div } else { MultiplyDivide::Divu };
        let half = if part == Part::Quotient { FromHiLo::Mflo } else { FromHiLo::Mfhi };
        cx.sink.push(Inst::HiLo { op, half, dst, lhs, rhs });
    }

    fn divide_both<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        op: BinaryOp,
        [lhs, rhs]: [VReg; 2],
        [lo, hi]: [VReg; 2],
    ) {
        let op = if op == BinaryOp::Sdiv { MultiplyDivide::Div } else { MultiplyDivide::Divu };
        cx.sink.push(Inst::MultiplyLong { op, lo, hi, lhs, rhs });
    }

    fn trap_if_zero<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, lo: VReg, hi: Option<VReg>) {
        if !self.is_native() {
            let src = hi.map_or(lo, |hi| self.alu_temp(cx, Alu::Or, lo, hi));
            cx.sink.push(Inst::TrapIfZero { src });
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

/// The multiplication to 64 bits.
fn multiply(sign: Signedness) -> MultiplyDivide {
    match sign {
        Signedness::Signed => MultiplyDivide::Mult,
        Signedness::Unsigned => MultiplyDivide::Multu,
    }
}

impl BitRules for Mips32 {
    fn reverse_bytes<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, ty: Type, dst: VReg, src: VReg) {
        let halves = if ty == Type::I16 { dst } else { self.temp(cx) };
        cx.sink.push(Inst::Extend { op: Extend::Wsbh, dst: halves, src });
        if ty != Type::I16 {
            self.shift(cx, Shift::Rotr, dst, halves, 16);
        }
    }

    /// The trailing zeros become all the ones of a number, and others.
    fn zeros<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: Intrinsic, dst: VReg, src: VReg) {
        let op_count = Count::Clz;
        if op == Intrinsic::Ctlz {
            return cx.sink.push(Inst::Count { op: op_count, dst, src });
        }
        let less = self.alu_imm_temp(cx, Alu::Addu, src, u32::MAX);
        let inverse = self.alu_temp(cx, Alu::Nor, src, Src::Zero);
        let (ones, leading) = (self.alu_temp(cx, Alu::And, less, inverse), self.temp(cx));
        cx.sink.push(Inst::Count { op: op_count, dst: leading, src: ones });
        let width = self.number_reg(cx, 32);
        self.alu(cx, Alu::Subu, dst, width, leading);
    }

    fn ones<S: Sink<Inst>>(self, _: &mut Cx<'_, S>, _: ValueRegs, _: ValueRegs) -> bool {
        false
    }

    fn mov_unless_zero<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg, cond: VReg) {
        cx.sink.push(Inst::CondMov { op: Alu::Movn, dst, src: Src::Reg(src), cond });
    }
}

impl WordVectors for Mips32 {
    fn insert<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: Word, lsb: u8, size: u8) {
        let src = self.word_src(cx, src);
        cx.sink.push(Inst::Insert { dst, src, lsb, size });
    }

    fn is_less<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, sign: Signedness, lhs: VReg, rhs: Word) -> VReg {
        match rhs {
            Word::Number(number) => self.alu_imm_temp(cx, less(sign), lhs, number),
            rhs => {
                let rhs = self.word_reg(cx, rhs);
                self.alu_temp(cx, less(sign), lhs, rhs)
            }
        }
    }

    fn single_of_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, dst: VReg, src: VReg) {
        cx.sink.push(Inst::WordToSingle { dst, src: Src::Reg(src) });
    }

    fn word_of_single<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, src: VReg) -> VReg {
        let dst = self.temp(cx);
        cx.sink.push(Inst::SingleToWord { dst, src });
        dst
    }

    fn float_words<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: BinaryOp, args: [VReg; 2]) -> VReg {
        let [lhs, rhs] = args.map(|word| self.single(cx, word));
        let (width, dst) = (FloatWidth::S, cx.temp(Type::F32).lo());
        match float3(op) {
            Some(op) => cx.sink.push(Inst::Float3 { op, width, dst, lhs, rhs }),
            None => cx.fault("an operation on lanes is none of floating point"),
        }
        self.word_of_single(cx, dst)
    }

    fn compare_float_words<S: Sink<Inst>>(
        self,
        cx: &mut Cx<'_, S>,
        cond: FloatCond,
        dst: VReg,
        args: [VReg; 2],
    ) {
        let (op, holds) = match float_test(cond) {
            Ok(test) => test,
            Err(known) => {
                return cx.sink.push(Inst::MovImm { dst, imm: if known { u32::MAX } else { 0 } });
            }
        };
        let [lhs, rhs] = args.map(|word| self.single(cx, word));
        let wanted = if holds { Wanted::Zero } else { Wanted::Nonzero };
        cx.sink.push(Inst::CompareFloat { op, width: FloatWidth::S, lhs, rhs });
        cx.sink.push(Inst::MovImm { dst, imm: u32::MAX });
        cx.sink.push(Inst::FlagMov { wanted, dst, src: Src::Zero });
    }

    fn convert_word<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, op: CastOp, src: VReg) -> VReg {
        let sign = if op == CastOp::Sitofp { Signedness::Signed } else { Signedness::Unsigned };
        if let CastOp::Fptosi | CastOp::Fptoui = op {
            let single = self.single(cx, src);
            return match op {
                CastOp::Fptosi => self.float_to_word(cx, single, Type::F32),
                _ => self.float_to_unsigned(cx, single, Type::F32),
            };
        }
        let single = cx.temp(Type::F32).lo();
        self.word_to_float(cx, sign, src, Type::F32, single);
        self.word_of_single(cx, single)
    }
}

impl Mips32 {
    /// A word as a number of single precision.
    fn single<S: Sink<Inst>>(self, cx: &mut Cx<'_, S>, word: VReg) -> VReg {
        let dst = cx.temp(Type::F32).lo();
        self.single_of_word(cx, dst, word);
        dst
    }
}

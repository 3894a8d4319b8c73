//! Arithmetic, logic, comparisons, shifts, products and operations on bits.

use super::{Alu, BitOp, BitTest, DoubleShift, Shift, Unary, imm_op, wide};
use crate::listing::Listing;
use crate::x86::Encoder;
use crate::x86::code::{Attrs, Code, Immediate, code};
use crate::x86::operand::{Gpr, Imm, Mode, Rm, Width};
use crate::x86::text::Op;

impl<L: Listing> Encoder<'_, L> {
    /// `add r/m, r` and its like: 00/01 /r plus eight times the operation.
    #[inline]
    pub fn alu_rm_r(&mut self, op: Alu, width: Width, dst: Rm<Gpr>, src: Gpr) {
        self.line(&[op.mnemonic(), width.suffix()], &[Op::Reg(src, width), Op::rm(&dst, width)]);
        self.inst_reg_rm(
            op.code().plus(wide(width)),
            Attrs::width(width),
            src.number(),
            &dst,
            Immediate::NONE,
        );
    }

    /// `add r, r/m` and its like: 02/03 /r; between registers the form 00/01, as assemblers choose.
    #[inline]
    pub fn alu_r_rm(&mut self, op: Alu, width: Width, dst: Gpr, src: Rm<Gpr>) {
        match src {
            Rm::Reg(src) => self.alu_rm_r(op, width, Rm::Reg(dst), src),
            Rm::Mem(mem) => {
                self.line(&[op.mnemonic(), width.suffix()], &[Op::Mem(&mem), Op::Reg(dst, width)]);
                let code = op.code().plus(2 + wide(width));
                self.inst_rm(code, Attrs::width(width), dst.number(), &mem, Immediate::NONE);
            }
        }
    }

    /// `add r, r` and its like: [`alu_rm_r`](Self::alu_rm_r) for a caller that knows that it is a register.
    #[inline]
    pub fn alu_r_r(&mut self, op: Alu, width: Width, dst: Gpr, src: Gpr) {
        self.line(&[op.mnemonic(), width.suffix()], &[Op::Reg(src, width), Op::Reg(dst, width)]);
        let code = op.code().plus(wide(width));
        self.inst_rr_inline(code, Attrs::width(width), src.number(), dst.number(), Immediate::NONE);
    }

    /// `add r/m, imm` and its like: 83 /digit ib, 04/05 for the accumulator, 80/81 /digit.
    pub fn alu_rm_i(&mut self, op: Alu, width: Width, dst: Rm<Gpr>, imm: Imm) {
        self.alu_i(op, width, dst, imm);
    }

    /// `add r, imm` and its like: [`alu_rm_i`](Self::alu_rm_i) for a caller that knows that it is a register
    /// and a number.
    pub fn alu_r_i(&mut self, op: Alu, width: Width, dst: Gpr, value: i32) {
        self.alu_i(op, width, Rm::Reg(dst), Imm::Value(value));
    }

    #[inline(always)]
    fn alu_i(&mut self, op: Alu, width: Width, dst: Rm<Gpr>, imm: Imm) {
        if !self.line_of_accumulator(op.code().plus(4 + wide(width)), width, &dst, imm, op.mnemonic()) {
            self.line(&[op.mnemonic(), width.suffix()], &[imm_op(imm, width), Op::rm(&dst, width)]);
        }
        self.alu_imm(op, width, &dst, imm, Attrs::width(width));
    }

    #[inline(always)]
    pub(super) fn alu_imm(&mut self, op: Alu, width: Width, dst: &Rm<Gpr>, imm: Imm, attrs: Attrs) {
        const RM_IB: Code = code("80");
        const RM_IZ: Code = code("81");
        const RM_IB_SIGN: Code = code("83");
        let number = self.immediate(imm, width);
        let (attrs, digit) = (attrs.no_reg(), op as u8);
        if width != Width::B8 && matches!(imm, Imm::Value(_)) && i8::try_from(number.value).is_ok() {
            let number = Immediate { size: 1, ..number };
            match dst {
                Rm::Reg(dst) => self.inst_rr_inline(RM_IB_SIGN, attrs, digit, dst.number(), number),
                Rm::Mem(mem) => self.inst_rm(RM_IB_SIGN, attrs, digit, mem, number),
            }
        } else if *dst == Rm::Reg(Gpr::RAX) {
            self.inst_o(op.code().plus(4 + wide(width)), attrs, 0, number);
        } else {
            self.inst_reg_rm(if width == Width::B8 { RM_IB } else { RM_IZ }, attrs, digit, dst, number);
        }
        self.symbol_immediate(imm);
    }

    /// `test r/m, r`: 84/85 /r.
    #[inline]
    pub fn test_rm_r(&mut self, width: Width, rm: Rm<Gpr>, reg: Gpr) {
        const TEST: Code = code("84 /r");
        self.line(&["test", width.suffix()], &[Op::Reg(reg, width), Op::rm(&rm, width)]);
        self.inst_reg_rm(TEST.plus(wide(width)), Attrs::width(width), reg.number(), &rm, Immediate::NONE);
    }

    /// `test r, r`: [`test_rm_r`](Self::test_rm_r) for a caller that knows that it is a register.
    #[inline]
    pub fn test_r_r(&mut self, width: Width, lhs: Gpr, rhs: Gpr) {
        self.line(&["test", width.suffix()], &[Op::Reg(rhs, width), Op::Reg(lhs, width)]);
        let code = code!("84 /r").plus(wide(width));
        self.inst_rr_inline(code, Attrs::width(width), rhs.number(), lhs.number(), Immediate::NONE);
    }

    /// `test r/m, imm`: A8/A9 for the accumulator, F6/F7 /0.
    pub fn test_rm_i(&mut self, width: Width, rm: Rm<Gpr>, imm: Imm) {
        const TEST_ACC: Code = code("A8");
        const TEST: Code = code("F6 /0");
        if !self.line_of_accumulator(TEST_ACC.plus(wide(width)), width, &rm, imm, "test") {
            self.line(&["test", width.suffix()], &[imm_op(imm, width), Op::rm(&rm, width)]);
        }
        let number = self.immediate(imm, width);
        let attrs = Attrs::width(width).no_reg();
        if rm == Rm::Reg(Gpr::RAX) {
            self.inst_o(TEST_ACC.plus(wide(width)), attrs, 0, number);
        } else {
            self.inst_reg_rm(TEST.plus(wide(width)), attrs, 0, &rm, number);
        }
        self.symbol_immediate(imm);
    }

    /// A shift by an immediate count: D0/D1 by one, else C0/C1 /digit ib.
    pub fn shift_rm_i(&mut self, op: Shift, width: Width, rm: Rm<Gpr>, count: u8) {
        let code = op.code().plus(wide(width));
        let attrs = Attrs::width(width).no_reg();
        if count == 1 {
            self.line(&[op.mnemonic(), width.suffix()], &[Op::rm(&rm, width)]);
            return self.inst_reg_rm(code, attrs, code.ext, &rm, Immediate::NONE);
        }
        self.line(&[op.mnemonic(), width.suffix()], &[Op::Imm(count.into()), Op::rm(&rm, width)]);
        let code = code.plus(-0x10);
        self.inst_reg_rm(code, attrs, code.ext, &rm, Immediate::new(count.into(), 1));
    }

    /// A shift by cl: D2/D3 /digit.
    pub fn shift_rm_cl(&mut self, op: Shift, width: Width, rm: Rm<Gpr>) {
        self.line(&[op.mnemonic(), width.suffix()], &[Op::Raw("%cl"), Op::rm(&rm, width)]);
        let code = op.code().plus(2 + wide(width));
        self.inst_reg_rm(code, Attrs::width(width).no_reg(), code.ext, &rm, Immediate::NONE);
    }

    /// `shld r/m, r, imm8`: 0F A4 /r ib; `shrd`: 0F AC /r ib.
    pub fn double_shift_i(&mut self, op: DoubleShift, width: Width, rm: Rm<Gpr>, reg: Gpr, count: u8) {
        if width == Width::B8 {
            return self.invalid();
        }
        let ops = [Op::Imm(count.into()), Op::Reg(reg, width), Op::rm(&rm, width)];
        self.line(&[op.mnemonic(), width.suffix()], &ops);
        let imm = Immediate::new(count.into(), 1);
        self.inst_reg_rm(op.code(), Attrs::width(width), reg.number(), &rm, imm);
    }

    /// `shld r/m, r, cl`: 0F A5 /r; `shrd`: 0F AD /r.
    pub fn double_shift_cl(&mut self, op: DoubleShift, width: Width, rm: Rm<Gpr>, reg: Gpr) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(
            &[op.mnemonic(), width.suffix()],
            &[Op::Raw("%cl"), Op::Reg(reg, width), Op::rm(&rm, width)],
        );
        self.inst_reg_rm(op.code().plus(1), Attrs::width(width), reg.number(), &rm, Immediate::NONE);
    }

    /// `not`, `neg`, `mul`, ... r/m: F6/F7 or FE/FF /digit; `inc` and `dec` are 40/48+r in 32-bit mode.
    pub fn unary_rm(&mut self, op: Unary, width: Width, rm: Rm<Gpr>) {
        self.line(&[op.mnemonic(), width.suffix()], &[Op::rm(&rm, width)]);
        if let (Unary::Inc | Unary::Dec, Rm::Reg(reg)) = (op, rm)
            && self.mode == Mode::Bits32
            && width != Width::B8
        {
            let code = if op == Unary::Inc { code!("40") } else { code!("48") };
            return self.inst_o(code, Attrs::width(width), reg.number(), Immediate::NONE);
        }
        let code = op.code();
        self.inst_reg_rm(
            code.plus(wide(width)),
            Attrs::width(width).no_reg(),
            code.ext,
            &rm,
            Immediate::NONE,
        );
    }

    /// `imul r, r/m`: 0F AF /r; 16 bits or more.
    pub fn imul_r_rm(&mut self, width: Width, dst: Gpr, src: Rm<Gpr>) {
        const IMUL: Code = code("0F AF /r");
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&["imul", width.suffix()], &[Op::rm(&src, width), Op::Reg(dst, width)]);
        self.inst_reg_rm(IMUL, Attrs::width(width), dst.number(), &src, Immediate::NONE);
    }

    /// `imul r, r/m, imm`: 6B /r ib or 69 /r iz; 16 bits or more.
    pub fn imul_r_rm_i(&mut self, width: Width, dst: Gpr, src: Rm<Gpr>, imm: i32) {
        const IMUL_IB: Code = code("6B /r");
        const IMUL_IZ: Code = code("69 /r");
        if width == Width::B8 {
            return self.invalid();
        }
        let ops = [imm_op(imm.into(), width), Op::rm(&src, width), Op::Reg(dst, width)];
        self.line(&["imul", width.suffix()], &ops);
        let imm = self.immediate(imm.into(), width);
        let (code, size) = if i8::try_from(imm.value).is_ok() { (IMUL_IB, 1) } else { (IMUL_IZ, imm.size) };
        self.inst_reg_rm(code, Attrs::width(width), dst.number(), &src, Immediate { size, ..imm });
    }

    /// `cbw`, `cwde`, `cdqe`: 98. Sign-extends the lower half of the accumulator to `width`.
    pub fn extend_accumulator(&mut self, width: Width) {
        let name = match width {
            Width::B8 => return self.invalid(),
            Width::B16 => "cbtw",
            Width::B32 => "cwtl",
            Width::B64 => "cltq",
        };
        self.line(&[name], &[]);
        self.inst_o(code!("98"), Attrs::width(width), 0, Immediate::NONE);
    }

    /// `cwd`, `cdq`, `cqo`: 99. Sign-extends the accumulator of `width` into rdx.
    pub fn sign_to_rdx(&mut self, width: Width) {
        let name = match width {
            Width::B8 => return self.invalid(),
            Width::B16 => "cwtd",
            Width::B32 => "cltd",
            Width::B64 => "cqto",
        };
        self.line(&[name], &[]);
        self.inst_o(code!("99"), Attrs::width(width), 0, Immediate::NONE);
    }

    /// `bswap r`: 0F C8+r; 32 or 64 bits.
    pub fn bswap(&mut self, width: Width, reg: Gpr) {
        if width < Width::B32 {
            return self.invalid();
        }
        self.line(&["bswap", width.suffix()], &[Op::Reg(reg, width)]);
        self.inst_o(code!("0F C8"), Attrs::width(width), reg.number(), Immediate::NONE);
    }

    /// `bsf`, `bsr`, `popcnt`, `lzcnt`, `tzcnt` r, r/m.
    pub fn bit_op(&mut self, op: BitOp, width: Width, dst: Gpr, src: Rm<Gpr>) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&[op.mnemonic(), width.suffix()], &[Op::rm(&src, width), Op::Reg(dst, width)]);
        self.inst_reg_rm(op.code(), Attrs::width(width), dst.number(), &src, Immediate::NONE);
    }

    /// `bt r/m, r` and its like. With memory the bit number is not taken modulo the width.
    pub fn bit_test_rm_r(&mut self, op: BitTest, width: Width, rm: Rm<Gpr>, bit: Gpr) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&[op.mnemonic(), width.suffix()], &[Op::Reg(bit, width), Op::rm(&rm, width)]);
        self.inst_reg_rm(op.code(), Attrs::width(width), bit.number(), &rm, Immediate::NONE);
    }

    /// `bt r/m, imm8` and its like: 0F BA /digit ib.
    pub fn bit_test_rm_i(&mut self, op: BitTest, width: Width, rm: Rm<Gpr>, bit: u8) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&[op.mnemonic(), width.suffix()], &[Op::Imm(bit.into()), Op::rm(&rm, width)]);
        let attrs = Attrs::width(width).no_reg();
        self.inst_reg_rm(code!("0F BA"), attrs, op.code().ext, &rm, Immediate::new(bit.into(), 1));
    }
}

//! Integer instructions (SDM volume 2, chapters 3 to 5).

use super::Encoder;
use super::code::{Attrs, Code, FramePlace, Immediate, code};
use super::operand::{Base, Cond, Gpr, Imm, Mem, Mode, Rm, Width};
use super::text::{Op, suffix};
use crate::buffer::Label;
use crate::listing::{self, LabelText, Listing, SymbolText};
use crate::reloc::{Reloc, RelocKind, SymbolId};

/// A [`Code`] that is parsed at compile time wherever it stands.
macro_rules! code {
    ($text:literal) => {
        const { code($text) }
    };
}

macro_rules! ops {
    ($(#[$doc:meta])* $ty:ident, $column:ident: $($name:ident $mnemonic:literal $text:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $ty {
            $(#[doc = concat!("`", $mnemonic, "`, ", $text)] $name,)*
        }

        impl $ty {
            /// All operations, in order.
            pub const ALL: &[$ty] = &[$($ty::$name),*];
            const CODES: &[Code] = &[$($column($text)),*];

            /// The mnemonic, without a suffix for the width.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                [$($mnemonic),*][self as usize]
            }

            #[inline]
            fn code(self) -> Code {
                Self::CODES[self as usize]
            }
        }
    };
}

ops!(
    /// Two-operand arithmetic and logic. The number is the `/digit` of the immediate forms, and eight
    /// times the number is the first of the opcodes.
    Alu, code:
    Add "add" "00 /0",
    Or  "or"  "08 /1",
    Adc "adc" "10 /2",
    Sbb "sbb" "18 /3",
    And "and" "20 /4",
    Sub "sub" "28 /5",
    Xor "xor" "30 /6",
    Cmp "cmp" "38 /7",
);

ops!(
    /// Shifts and rotations: D0/D1 by one, D2/D3 by cl, C0/C1 by an immediate.
    Shift, code:
    Rol "rol" "D0 /0",
    Ror "ror" "D0 /1",
    Rcl "rcl" "D0 /2",
    Rcr "rcr" "D0 /3",
    Shl "shl" "D0 /4",
    Shr "shr" "D0 /5",
    Sar "sar" "D0 /7",
);

ops!(
    /// Double-width shifts: the code by an immediate, the next one by cl.
    DoubleShift, code:
    Shld "shld" "0F A4 /r",
    Shrd "shrd" "0F AC /r",
);

ops!(
    /// Operations with one operand; the four of multiplication and division use rdx:rax (ax for bytes).
    Unary, code:
    Not  "not"  "F6 /2",
    Neg  "neg"  "F6 /3",
    Mul  "mul"  "F6 /4",
    Imul "imul" "F6 /5",
    Div  "div"  "F6 /6",
    Idiv "idiv" "F6 /7",
    Inc  "inc"  "FE /0",
    Dec  "dec"  "FE /1",
);

ops!(
    /// Bit counts and searches; 16 bits or more.
    BitOp, code:
    Bsf    "bsf"    "0F BC /r",
    Bsr    "bsr"    "0F BD /r",
    Popcnt "popcnt" "F3 0F B8 /r",
    Lzcnt  "lzcnt"  "F3 0F BD /r",
    Tzcnt  "tzcnt"  "F3 0F BC /r",
);

ops!(
    /// Bit tests: the code by a register; by an immediate it is 0F BA with the `/digit`.
    BitTest, code:
    Bt  "bt"  "0F A3 /4",
    Bts "bts" "0F AB /5",
    Btr "btr" "0F B3 /6",
    Btc "btc" "0F BB /7",
);

ops!(
    /// Fences.
    Fence, code:
    Lfence "lfence" "0F AE E8",
    Mfence "mfence" "0F AE F0",
    Sfence "sfence" "0F AE F8",
);

ops!(
    /// Repeated string operations: count in rcx, destination rdi, source rsi or al/eax/rax.
    RepOp, code:
    Movs "movs" "A4",
    Stos "stos" "AA",
);

const LOCK: &str = "lock ";

/// The two directions of `mov` with memory.
#[derive(Clone, Copy)]
enum Move {
    Load,
    Store,
}

impl Move {
    #[inline]
    fn code(self) -> Code {
        match self {
            Move::Load => code!("8A /r"),
            Move::Store => code!("88 /r"),
        }
    }

    /// Between the accumulator and an address, in 32-bit mode.
    fn short(self) -> Code {
        match self {
            Move::Load => code!("A0"),
            Move::Store => code!("A2"),
        }
    }

    fn operands(self, width: Width, reg: Gpr, mem: &Mem) -> [Op<'_>; 2] {
        match self {
            Move::Load => [Op::Mem(mem), Op::Reg(reg, width)],
            Move::Store => [Op::Reg(reg, width), Op::Mem(mem)],
        }
    }
}

impl<L: Listing> Encoder<'_, L> {
    #[inline]
    fn inst_reg_rm(&mut self, code: Code, attrs: Attrs, reg: u8, rm: &Rm<Gpr>, imm: Immediate) {
        match rm {
            Rm::Reg(rm) => self.inst_rr(code, attrs, reg, rm.number(), imm),
            Rm::Mem(mem) => self.inst_rm(code, attrs, reg, mem, imm),
        }
    }

    /// `add r/m, r` and its like: 00/01 /r plus eight times the operation.
    #[inline]
    pub fn alu_rm_r(&mut self, op: Alu, width: Width, dst: Rm<Gpr>, src: Gpr) {
        self.line(&[op.mnemonic(), suffix(width)], &[Op::Reg(src, width), Op::rm(&dst, width)]);
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
                self.line(&[op.mnemonic(), suffix(width)], &[Op::Mem(&mem), Op::Reg(dst, width)]);
                let code = op.code().plus(2 + wide(width));
                self.inst_rm(code, Attrs::width(width), dst.number(), &mem, Immediate::NONE);
            }
        }
    }

    /// `add r, r` and its like: [`alu_rm_r`](Self::alu_rm_r) for a caller that knows that it is a register.
    #[inline]
    pub fn alu_r_r(&mut self, op: Alu, width: Width, dst: Gpr, src: Gpr) {
        self.line(&[op.mnemonic(), suffix(width)], &[Op::Reg(src, width), Op::Reg(dst, width)]);
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
            self.line(&[op.mnemonic(), suffix(width)], &[imm_op(imm, width), Op::rm(&dst, width)]);
        }
        self.alu_imm(op, width, &dst, imm, Attrs::width(width));
    }

    #[inline(always)]
    fn alu_imm(&mut self, op: Alu, width: Width, dst: &Rm<Gpr>, imm: Imm, attrs: Attrs) {
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
        self.line(&["test", suffix(width)], &[Op::Reg(reg, width), Op::rm(&rm, width)]);
        self.inst_reg_rm(TEST.plus(wide(width)), Attrs::width(width), reg.number(), &rm, Immediate::NONE);
    }

    /// `test r, r`: [`test_rm_r`](Self::test_rm_r) for a caller that knows that it is a register.
    #[inline]
    pub fn test_r_r(&mut self, width: Width, lhs: Gpr, rhs: Gpr) {
        self.line(&["test", suffix(width)], &[Op::Reg(rhs, width), Op::Reg(lhs, width)]);
        let code = code!("84 /r").plus(wide(width));
        self.inst_rr_inline(code, Attrs::width(width), rhs.number(), lhs.number(), Immediate::NONE);
    }

    /// `test r/m, imm`: A8/A9 for the accumulator, F6/F7 /0.
    pub fn test_rm_i(&mut self, width: Width, rm: Rm<Gpr>, imm: Imm) {
        const TEST_ACC: Code = code("A8");
        const TEST: Code = code("F6 /0");
        if !self.line_of_accumulator(TEST_ACC.plus(wide(width)), width, &rm, imm, "test") {
            self.line(&["test", suffix(width)], &[imm_op(imm, width), Op::rm(&rm, width)]);
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

    /// `mov r, r/m`: 8A/8B /r; 88/89 between registers; A0/A1 from an address to the accumulator in 32-bit mode.
    #[inline]
    pub fn mov_r_rm(&mut self, width: Width, dst: Gpr, src: Rm<Gpr>) {
        match src {
            Rm::Reg(src) => self.mov_rm_r(width, Rm::Reg(dst), src),
            Rm::Mem(mem) => self.mov_mem(Move::Load, width, dst, &mem),
        }
    }

    /// `mov r, [place]`: [`mov_r_rm`](Self::mov_r_rm), inlined for a caller that knows the width.
    #[inline(always)]
    pub fn mov_r_place(&mut self, width: Width, dst: Gpr, src: FramePlace) {
        self.mov_place(Move::Load, width, dst, src);
    }

    /// `mov [place], r`: [`mov_rm_r`](Self::mov_rm_r), inlined in the same way.
    #[inline(always)]
    pub fn mov_place_r(&mut self, width: Width, dst: FramePlace, src: Gpr) {
        self.mov_place(Move::Store, width, src, dst);
    }

    #[inline(always)]
    fn mov_place(&mut self, op: Move, width: Width, reg: Gpr, place: FramePlace) {
        self.line(&["mov", suffix(width)], &op.operands(width, reg, &place.mem().into()));
        let code = op.code().plus(wide(width)).with(Attrs::width(width));
        self.inst_place(code, reg.number(), place, Immediate::NONE);
    }

    /// `mov r/m, r`: 88/89 /r; A2/A3 from the accumulator to an address in 32-bit mode.
    #[inline]
    pub fn mov_rm_r(&mut self, width: Width, dst: Rm<Gpr>, src: Gpr) {
        match dst {
            Rm::Reg(dst) => {
                self.line(&["mov", suffix(width)], &[Op::Reg(src, width), Op::Reg(dst, width)]);
                let code = Move::Store.code().plus(wide(width));
                self.inst_rr(code, Attrs::width(width), src.number(), dst.number(), Immediate::NONE);
            }
            Rm::Mem(mem) => self.mov_mem(Move::Store, width, src, &mem),
        }
    }

    #[inline]
    fn mov_mem(&mut self, op: Move, width: Width, reg: Gpr, mem: &Mem) {
        if reg == Gpr::RAX && mem.base == Base::None && mem.index.is_none() {
            return self.mov_accumulator(op, width, mem);
        }
        self.line(&["mov", suffix(width)], &op.operands(width, reg, mem));
        let code = op.code().plus(wide(width));
        self.inst_rm(code, Attrs::width(width), reg.number(), mem, Immediate::NONE);
    }

    /// `mov` between the accumulator and an address alone.
    #[cold]
    fn mov_accumulator(&mut self, op: Move, width: Width, mem: &Mem) {
        let start = self.buf.offset();
        // An assembler takes the short code with an address of 32 bits in 64-bit mode, another does not.
        let ambiguous = self.mode == Mode::Bits64 && mem.needs_addr32();
        if !ambiguous {
            self.line(&["mov", suffix(width)], &op.operands(width, Gpr::RAX, mem));
        }
        let attrs = Attrs::width(width);
        match self.mode {
            Mode::Bits32 => self.inst_offset(op.short().plus(wide(width)), attrs, mem),
            Mode::Bits64 => self.inst_rm(op.code().plus(wide(width)), attrs, 0, mem, Immediate::NONE),
        }
        if ambiguous {
            self.line_of_bytes(start, "mov");
        }
    }

    /// `mov r, imm`: B0/B8+r; in 64 bits the shortest of B8 (32 bits, zero-extended), C7 /0 id and B8 io.
    #[inline]
    pub fn mov_r_i(&mut self, width: Width, dst: Gpr, value: i64) {
        const MOV8: Code = code("B0");
        const MOV: Code = code("B8");
        const MOV_SIGN: Code = code("C7 /0");
        let n = dst.number();
        let (line_width, mnemonic) = match width {
            Width::B64 if u32::try_from(value).is_ok() => (Width::B32, "movl"),
            Width::B64 if i32::try_from(value).is_ok() => (Width::B64, "movq"),
            Width::B64 => (Width::B64, "movabsq"),
            Width::B32 => (width, "movl"),
            Width::B16 => (width, "movw"),
            Width::B8 => (width, "movb"),
        };
        self.line(&[mnemonic], &[Op::Imm(truncate(value, line_width)), Op::Reg(dst, line_width)]);
        let attrs = Attrs::width(line_width);
        let size = line_width.bytes();
        match line_width {
            Width::B8 => self.inst_o(MOV8, attrs, n, Immediate::new(value, 1)),
            Width::B64 if i32::try_from(value).is_ok() => {
                self.inst_rr(MOV_SIGN, attrs, 0, n, Immediate::new(value, 4));
            }
            _ => self.inst_o(MOV, attrs, n, Immediate::new(value, size)),
        }
    }

    /// `mov r, address of symbol`, a 32-bit absolute address: B8+r id, zero-extended in 64-bit mode.
    pub fn mov_r_symbol(&mut self, dst: Gpr, symbol: SymbolId, kind: RelocKind, addend: i32) {
        const MOV: Code = code("B8");
        let imm = Imm::Symbol(symbol, kind, addend);
        self.line(&["movl"], &[Op::Sym(imm), Op::Reg(dst, Width::B32)]);
        let number = self.immediate(imm, Width::B32);
        self.inst_o(MOV, Attrs::NONE, dst.number(), number);
        self.symbol_immediate(imm);
    }

    /// `movabs r64, address of symbol`: REX.W B8+r io, 64-bit mode.
    pub fn mov_r_symbol64(&mut self, dst: Gpr, symbol: SymbolId, addend: i32) {
        const MOV: Code = code("REX.W B8");
        let imm = Imm::Symbol(symbol, RelocKind::Abs64, addend);
        self.line(&["movabsq"], &[Op::Sym(imm), Op::Reg(dst, Width::B64)]);
        self.inst_o(MOV, Attrs::NONE, dst.number(), Immediate::new(0, 8));
        self.symbol_immediate(imm);
    }

    /// `mov m, imm` (or a register, which [`Encoder::mov_r_i`] does shorter): C6/C7 /0.
    #[inline]
    pub fn mov_rm_i(&mut self, width: Width, dst: Rm<Gpr>, imm: Imm) {
        const MOV: Code = code("C6 /0");
        const MOV_R: Code = code("B8");
        if let (Rm::Reg(dst), Imm::Value(value)) = (dst, imm) {
            return self.mov_r_i(width, dst, value.into());
        }
        self.line(&["mov", suffix(width)], &[imm_op(imm, width), Op::rm(&dst, width)]);
        let number = self.immediate(imm, width);
        match dst {
            Rm::Reg(dst) if width == Width::B32 => self.inst_o(MOV_R, Attrs::NONE, dst.number(), number),
            _ => self.inst_reg_rm(MOV.plus(wide(width)), Attrs::width(width).no_reg(), 0, &dst, number),
        }
        self.symbol_immediate(imm);
    }

    /// `mov [place], imm`: [`mov_rm_i`](Self::mov_rm_i), inlined for a caller that knows the width.
    #[inline(always)]
    pub fn mov_place_i(&mut self, width: Width, dst: FramePlace, value: i32) {
        let imm = Imm::Value(value);
        self.line(&["mov", suffix(width)], &[imm_op(imm, width), Op::Mem(&dst.mem().into())]);
        let number = self.immediate(imm, width);
        let code = code!("C6 /0").plus(wide(width)).with(Attrs::width(width).no_reg());
        self.inst_place(code, 0, dst, number);
    }

    /// `movzx r, r/m` from 8 or 16 bits: 0F B6/B7 /r. From 32 to 64 bits it is `mov r32, r/m32`.
    pub fn movzx(&mut self, dst: Gpr, dst_width: Width, src: Rm<Gpr>, src_width: Width) {
        const MOVZX: Code = code("0F B6 /r");
        if src_width == Width::B32 {
            return self.mov_r_rm(Width::B32, dst, src);
        }
        self.extend(MOVZX, "movz", dst, dst_width, src, src_width);
    }

    /// `movsx r, r/m` from 8 or 16 bits: 0F BE/BF /r; `movsxd r64, r/m32`: REX.W 63 /r.
    pub fn movsx(&mut self, dst: Gpr, dst_width: Width, src: Rm<Gpr>, src_width: Width) {
        const MOVSX: Code = code("0F BE /r");
        const MOVSXD: Code = code("63 /r");
        if src_width == Width::B32 {
            if dst_width != Width::B64 {
                return self.invalid();
            }
            self.line(&["movslq"], &[Op::rm(&src, src_width), Op::Reg(dst, dst_width)]);
            return self.inst_reg_rm(MOVSXD, Attrs::width(dst_width), dst.number(), &src, Immediate::NONE);
        }
        self.extend(MOVSX, "movs", dst, dst_width, src, src_width);
    }

    fn extend(
        &mut self,
        code: Code,
        mnemonic: &str,
        dst: Gpr,
        dst_width: Width,
        src: Rm<Gpr>,
        src_width: Width,
    ) {
        if dst_width <= src_width || src_width == Width::B64 {
            return self.invalid();
        }
        let ops = [Op::rm(&src, src_width), Op::Reg(dst, dst_width)];
        self.line(&[mnemonic, suffix(src_width), suffix(dst_width)], &ops);
        let attrs = Attrs::width(dst_width);
        let attrs = if src_width == Width::B8 { attrs.byte_rm() } else { attrs };
        self.inst_reg_rm(code.plus(wide(src_width)), attrs, dst.number(), &src, Immediate::NONE);
    }

    /// `movzx r32, ah/ch/dh/bh`, the second byte of register 0 to 3: 0F B6 /r without REX, so the
    /// destination is one of the first eight.
    pub fn movzx_high_byte(&mut self, dst: Gpr, src: Gpr) {
        const MOVZX: Code = code("0F B6 /r");
        if dst.number() >= 8 || src.number() >= 4 {
            return self.invalid();
        }
        let name = ["%ah", "%ch", "%dh", "%bh"][usize::from(src.number())];
        self.line(&["movzbl"], &[Op::Raw(name), Op::Reg(dst, Width::B32)]);
        self.inst_rr(MOVZX, Attrs::NONE, dst.number(), src.number() + 4, Immediate::NONE);
    }

    /// `lea r, m`: 8D /r; 16 bits or more.
    #[inline]
    pub fn lea(&mut self, width: Width, dst: Gpr, mem: Mem) {
        const LEA: Code = code("8D /r");
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&["lea", suffix(width)], &[Op::Mem(&mem), Op::Reg(dst, width)]);
        self.inst_rm(LEA, Attrs::width(width), dst.number(), &mem, Immediate::NONE);
    }

    /// `lea r, [place]`: [`lea`](Self::lea), inlined for a caller that knows the width.
    #[inline(always)]
    pub fn lea_place(&mut self, width: Width, dst: Gpr, place: FramePlace) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&["lea", suffix(width)], &[Op::Mem(&place.mem().into()), Op::Reg(dst, width)]);
        self.inst_place(code!("8D /r").with(Attrs::width(width)), dst.number(), place, Immediate::NONE);
    }

    /// `xchg r/m, r`: 86/87 /r, 90+r with the accumulator. With memory it is atomic without a prefix.
    pub fn xchg_rm_r(&mut self, width: Width, rm: Rm<Gpr>, reg: Gpr) {
        const XCHG: Code = code("86 /r");
        const XCHG_ACC: Code = code("90");
        let attrs = Attrs::width(width);
        let Rm::Reg(other) = rm else {
            self.line(&["xchg", suffix(width)], &[Op::Reg(reg, width), Op::rm(&rm, width)]);
            return self.inst_reg_rm(XCHG.plus(wide(width)), attrs, reg.number(), &rm, Immediate::NONE);
        };
        // Byte 90 alone is a nop, and does not clear the upper half of rax.
        let nop = reg == other && width == Width::B32 && self.mode == Mode::Bits64;
        let start = self.buf.offset();
        if width != Width::B8 && !nop && (reg == Gpr::RAX || other == Gpr::RAX) {
            let other = if reg == Gpr::RAX { other } else { reg };
            self.inst_o(XCHG_ACC, attrs, other.number(), Immediate::NONE);
        } else {
            self.inst_rr(XCHG.plus(wide(width)), attrs, reg.number(), other.number(), Immediate::NONE);
        }
        // Assemblers differ in which operand goes where.
        self.line_of_bytes(start, "xchg");
    }

    /// A shift by an immediate count: D0/D1 by one, else C0/C1 /digit ib.
    pub fn shift_rm_i(&mut self, op: Shift, width: Width, rm: Rm<Gpr>, count: u8) {
        let code = op.code().plus(wide(width));
        let attrs = Attrs::width(width).no_reg();
        if count == 1 {
            self.line(&[op.mnemonic(), suffix(width)], &[Op::rm(&rm, width)]);
            return self.inst_reg_rm(code, attrs, code.ext, &rm, Immediate::NONE);
        }
        self.line(&[op.mnemonic(), suffix(width)], &[Op::Imm(count.into()), Op::rm(&rm, width)]);
        let code = code.plus(-0x10);
        self.inst_reg_rm(code, attrs, code.ext, &rm, Immediate::new(count.into(), 1));
    }

    /// A shift by cl: D2/D3 /digit.
    pub fn shift_rm_cl(&mut self, op: Shift, width: Width, rm: Rm<Gpr>) {
        self.line(&[op.mnemonic(), suffix(width)], &[Op::Raw("%cl"), Op::rm(&rm, width)]);
        let code = op.code().plus(2 + wide(width));
        self.inst_reg_rm(code, Attrs::width(width).no_reg(), code.ext, &rm, Immediate::NONE);
    }

    /// `shld r/m, r, imm8`: 0F A4 /r ib; `shrd`: 0F AC /r ib.
    pub fn double_shift_i(&mut self, op: DoubleShift, width: Width, rm: Rm<Gpr>, reg: Gpr, count: u8) {
        if width == Width::B8 {
            return self.invalid();
        }
        let ops = [Op::Imm(count.into()), Op::Reg(reg, width), Op::rm(&rm, width)];
        self.line(&[op.mnemonic(), suffix(width)], &ops);
        let imm = Immediate::new(count.into(), 1);
        self.inst_reg_rm(op.code(), Attrs::width(width), reg.number(), &rm, imm);
    }

    /// `shld r/m, r, cl`: 0F A5 /r; `shrd`: 0F AD /r.
    pub fn double_shift_cl(&mut self, op: DoubleShift, width: Width, rm: Rm<Gpr>, reg: Gpr) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(
            &[op.mnemonic(), suffix(width)],
            &[Op::Raw("%cl"), Op::Reg(reg, width), Op::rm(&rm, width)],
        );
        self.inst_reg_rm(op.code().plus(1), Attrs::width(width), reg.number(), &rm, Immediate::NONE);
    }

    /// `not`, `neg`, `mul`, ... r/m: F6/F7 or FE/FF /digit; `inc` and `dec` are 40/48+r in 32-bit mode.
    pub fn unary_rm(&mut self, op: Unary, width: Width, rm: Rm<Gpr>) {
        self.line(&[op.mnemonic(), suffix(width)], &[Op::rm(&rm, width)]);
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
        self.line(&["imul", suffix(width)], &[Op::rm(&src, width), Op::Reg(dst, width)]);
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
        self.line(&["imul", suffix(width)], &ops);
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
        self.line(&["bswap", suffix(width)], &[Op::Reg(reg, width)]);
        self.inst_o(code!("0F C8"), Attrs::width(width), reg.number(), Immediate::NONE);
    }

    /// `bsf`, `bsr`, `popcnt`, `lzcnt`, `tzcnt` r, r/m.
    pub fn bit_op(&mut self, op: BitOp, width: Width, dst: Gpr, src: Rm<Gpr>) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&[op.mnemonic(), suffix(width)], &[Op::rm(&src, width), Op::Reg(dst, width)]);
        self.inst_reg_rm(op.code(), Attrs::width(width), dst.number(), &src, Immediate::NONE);
    }

    /// `bt r/m, r` and its like. With memory the bit number is not taken modulo the width.
    pub fn bit_test_rm_r(&mut self, op: BitTest, width: Width, rm: Rm<Gpr>, bit: Gpr) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&[op.mnemonic(), suffix(width)], &[Op::Reg(bit, width), Op::rm(&rm, width)]);
        self.inst_reg_rm(op.code(), Attrs::width(width), bit.number(), &rm, Immediate::NONE);
    }

    /// `bt r/m, imm8` and its like: 0F BA /digit ib.
    pub fn bit_test_rm_i(&mut self, op: BitTest, width: Width, rm: Rm<Gpr>, bit: u8) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&[op.mnemonic(), suffix(width)], &[Op::Imm(bit.into()), Op::rm(&rm, width)]);
        let attrs = Attrs::width(width).no_reg();
        self.inst_reg_rm(code!("0F BA"), attrs, op.code().ext, &rm, Immediate::new(bit.into(), 1));
    }

    /// `setcc r/m8`: 0F 90+cc.
    pub fn setcc(&mut self, cond: Cond, dst: Rm<Gpr>) {
        self.line(&["set", cond.suffix()], &[Op::rm(&dst, Width::B8)]);
        let attrs = Attrs::width(Width::B8).no_reg();
        self.inst_reg_rm(code!("0F 90").plus(cond as i8), attrs, 0, &dst, Immediate::NONE);
    }

    /// `cmovcc r, r/m`: 0F 40+cc /r; 16 bits or more.
    pub fn cmovcc(&mut self, cond: Cond, width: Width, dst: Gpr, src: Rm<Gpr>) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&["cmov", cond.suffix(), suffix(width)], &[Op::rm(&src, width), Op::Reg(dst, width)]);
        let code = code!("0F 40").plus(cond as i8);
        self.inst_reg_rm(code, Attrs::width(width), dst.number(), &src, Immediate::NONE);
    }

    /// `push r`: 50+r, in the width of the mode.
    pub fn push_r(&mut self, reg: Gpr) {
        self.line(&["push"], &[Op::Reg(reg, self.word())]);
        self.inst_o(code!("50"), Attrs::NONE, reg.number(), Immediate::NONE);
    }

    /// `push m`: FF /6, in the width of the mode.
    pub fn push_m(&mut self, mem: Mem) {
        self.line(&["push", suffix(self.word())], &[Op::Mem(&mem)]);
        self.inst_rm(code!("FF"), Attrs::NONE, 6, &mem, Immediate::NONE);
    }

    /// `push imm`: 6A ib or 68 id, sign-extended to the width of the mode.
    pub fn push_i(&mut self, imm: Imm) {
        self.line(&["push", suffix(self.word())], &[imm_op(imm, Width::B32)]);
        let number = self.immediate(imm, Width::B32);
        if matches!(imm, Imm::Value(_)) && i8::try_from(number.value).is_ok() {
            self.inst_o(code!("6A"), Attrs::NONE, 0, Immediate { size: 1, ..number });
        } else {
            self.inst_o(code!("68"), Attrs::NONE, 0, number);
        }
        self.symbol_immediate(imm);
    }

    /// `pop r`: 58+r, in the width of the mode.
    pub fn pop_r(&mut self, reg: Gpr) {
        self.line(&["pop"], &[Op::Reg(reg, self.word())]);
        self.inst_o(code!("58"), Attrs::NONE, reg.number(), Immediate::NONE);
    }

    /// `pop m`: 8F /0, in the width of the mode.
    pub fn pop_m(&mut self, mem: Mem) {
        self.line(&["pop", suffix(self.word())], &[Op::Mem(&mem)]);
        self.inst_rm(code!("8F"), Attrs::NONE, 0, &mem, Immediate::NONE);
    }

    /// `call` of a place in this buffer: E8 cd.
    pub fn call_label(&mut self, label: Label) {
        let offset = self.buf.offset();
        self.buf.listing.line(offset, |out| write!(out, "call {}", LabelText(label)));
        let at = self.inst_rel(code!("E8"));
        self.buf.pc_relative_to_label(at, label, -4);
    }

    /// `call symbol`: E8 cd. The kind is one of the PC-relative ones.
    pub fn call_symbol(&mut self, symbol: SymbolId, kind: RelocKind) {
        self.near("call", code!("E8"), symbol, kind);
    }

    /// `call r/m`: FF /2, in the width of the mode.
    pub fn call_rm(&mut self, rm: Rm<Gpr>) {
        self.line(&["call"], &[Op::Star(&Op::rm(&rm, self.word()))]);
        self.inst_reg_rm(code!("FF"), Attrs::NONE, 2, &rm, Immediate::NONE);
    }

    /// `jmp symbol`, a tail call: E9 cd. Control does not come back.
    pub fn jmp_symbol(&mut self, symbol: SymbolId, kind: RelocKind) {
        self.near("jmp", code!("E9"), symbol, kind);
        self.buf.stop_flow();
    }

    fn near(&mut self, mnemonic: &str, code: Code, symbol: SymbolId, kind: RelocKind) {
        let plt = if kind == RelocKind::Plt32 { "@PLT" } else { "" };
        let start = self.buf.offset();
        self.buf.listing.line(start, |out| write!(out, "{mnemonic} {}{plt}", SymbolText(symbol)));
        let offset = self.inst_rel(code);
        self.buf.add_reloc(Reloc { offset, kind, symbol, addend: -4 });
    }

    /// `jmp r/m`: FF /4, in the width of the mode.
    pub fn jmp_rm(&mut self, rm: Rm<Gpr>) {
        self.line(&["jmp"], &[Op::Star(&Op::rm(&rm, self.word()))]);
        self.inst_reg_rm(code!("FF"), Attrs::NONE, 4, &rm, Immediate::NONE);
        self.buf.stop_flow();
    }

    /// `ret`: C3.
    pub fn ret(&mut self) {
        self.plain("ret", code!("C3"));
        self.buf.stop_flow();
    }

    /// `ret imm16`, which pops as many bytes of arguments: C2 iw.
    pub fn ret_pop(&mut self, bytes: u16) {
        self.line(&["ret"], &[Op::Imm(bytes.into())]);
        self.inst_o(code!("C2"), Attrs::NONE, 0, Immediate::new(bytes.into(), 2));
        self.buf.stop_flow();
    }

    /// `ud2`, the trap: 0F 0B.
    pub fn ud2(&mut self) {
        self.plain("ud2", code!("0F 0B"));
        self.buf.stop_flow();
    }

    /// `int3`: CC.
    pub fn int3(&mut self) {
        self.plain("int3", code!("CC"));
    }

    /// `hlt`: F4. A user program faults here; control is taken not to go on.
    pub fn hlt(&mut self) {
        self.plain("hlt", code!("F4"));
        self.buf.stop_flow();
    }

    /// `nop`: 90.
    pub fn nop(&mut self) {
        self.plain("nop", code!("90"));
    }

    /// `pause`: F3 90.
    pub fn pause(&mut self) {
        self.plain("pause", code!("F3 90"));
    }

    /// `leave`: C9.
    pub fn leave(&mut self) {
        self.plain("leave", code!("C9"));
    }

    /// `lfence`, `mfence`, `sfence`: 0F AE E8/F0/F8.
    pub fn fence(&mut self, op: Fence) {
        self.plain(op.mnemonic(), op.code());
    }

    fn plain(&mut self, mnemonic: &str, code: Code) {
        self.line(&[mnemonic], &[]);
        self.inst_o(code, Attrs::NONE, 0, Immediate::NONE);
    }

    /// `rep movs`, `rep stos`: F3 A4/A5, F3 AA/AB.
    pub fn rep(&mut self, op: RepOp, width: Width) {
        let code = op.code().plus(wide(width));
        if width == Width::B16 {
            // Assemblers differ in the order of the two prefixes.
            let start = self.buf.offset();
            self.inst_o(code.with_prefix(0xf3), Attrs::width(width), 0, Immediate::NONE);
            return self.line_of_bytes(start, op.mnemonic());
        }
        self.line(&["rep ", op.mnemonic(), suffix(width)], &[]);
        self.inst_o(code.with_prefix(0xf3), Attrs::width(width), 0, Immediate::NONE);
    }

    /// `lock add m, r` and its like, not `cmp`.
    pub fn lock_alu_m_r(&mut self, op: Alu, width: Width, dst: Mem, src: Gpr) {
        if op == Alu::Cmp {
            return self.invalid();
        }
        self.line(&[LOCK, op.mnemonic(), suffix(width)], &[Op::Reg(src, width), Op::Mem(&dst)]);
        let attrs = Attrs::width(width).locked();
        self.inst_rm(op.code().plus(wide(width)), attrs, src.number(), &dst, Immediate::NONE);
    }

    /// `lock add m, imm` and its like, not `cmp`.
    pub fn lock_alu_m_i(&mut self, op: Alu, width: Width, dst: Mem, imm: Imm) {
        if op == Alu::Cmp {
            return self.invalid();
        }
        self.line(&[LOCK, op.mnemonic(), suffix(width)], &[imm_op(imm, width), Op::Mem(&dst)]);
        self.alu_imm(op, width, &Rm::Mem(dst), imm, Attrs::width(width).locked());
    }

    /// `lock inc`, `lock dec`, `lock neg`, `lock not` m.
    pub fn lock_unary_m(&mut self, op: Unary, width: Width, dst: Mem) {
        if !matches!(op, Unary::Inc | Unary::Dec | Unary::Neg | Unary::Not) {
            return self.invalid();
        }
        self.line(&[LOCK, op.mnemonic(), suffix(width)], &[Op::Mem(&dst)]);
        let (code, attrs) = (op.code(), Attrs::width(width).no_reg().locked());
        self.inst_rm(code.plus(wide(width)), attrs, code.ext, &dst, Immediate::NONE);
    }

    /// `lock xadd m, r`: F0 0F C0/C1 /r. The old value of memory goes to the register.
    pub fn lock_xadd(&mut self, width: Width, dst: Mem, src: Gpr) {
        self.lock_m_r("xadd", code!("0F C0 /r"), width, dst, src);
    }

    /// `lock cmpxchg m, r`: F0 0F B0/B1 /r. The accumulator is compared and gets the old value.
    pub fn lock_cmpxchg(&mut self, width: Width, dst: Mem, src: Gpr) {
        self.lock_m_r("cmpxchg", code!("0F B0 /r"), width, dst, src);
    }

    fn lock_m_r(&mut self, mnemonic: &str, code: Code, width: Width, dst: Mem, src: Gpr) {
        self.line(&[LOCK, mnemonic, suffix(width)], &[Op::Reg(src, width), Op::Mem(&dst)]);
        let attrs = Attrs::width(width).locked();
        self.inst_rm(code.plus(wide(width)), attrs, src.number(), &dst, Immediate::NONE);
    }

    /// `lock cmpxchg8b m64`: F0 0F C7 /1. Compares edx:eax, stores ecx:ebx.
    pub fn lock_cmpxchg8b(&mut self, dst: Mem) {
        self.line(&[LOCK, "cmpxchg8b"], &[Op::Mem(&dst)]);
        self.inst_rm(code!("0F C7"), Attrs::NONE.locked(), 1, &dst, Immediate::NONE);
    }

    /// `lock cmpxchg16b m128`: F0 REX.W 0F C7 /1, 64-bit mode. Compares rdx:rax, stores rcx:rbx.
    pub fn lock_cmpxchg16b(&mut self, dst: Mem) {
        self.line(&[LOCK, "cmpxchg16b"], &[Op::Mem(&dst)]);
        self.inst_rm(code!("REX.W 0F C7"), Attrs::NONE.locked(), 1, &dst, Immediate::NONE);
    }

    /// The width of addresses and of the stack.
    pub(super) fn word(&self) -> Width {
        match self.mode {
            Mode::Bits32 => Width::B32,
            Mode::Bits64 => Width::B64,
        }
    }

    /// A line of `.byte` for the instruction just appended, where the text would be ambiguous.
    fn line_of_bytes(&mut self, start: u32, comment: &str) {
        let bytes = &self.buf.bytes.as_slice()[start as usize..];
        self.buf.listing.line(start, |out| {
            listing::write_bytes(out, bytes)?;
            write!(out, " # {comment}")
        });
    }

    /// The line of an operation on the accumulator and a symbol's address, for which assemblers choose
    /// different codes: the code as a byte, the address as a datum. Says whether it applies.
    fn line_of_accumulator(
        &mut self,
        code: Code,
        width: Width,
        rm: &Rm<Gpr>,
        imm: Imm,
        comment: &str,
    ) -> bool {
        let Imm::Symbol(symbol, _, addend) = imm else { return false };
        if *rm != Rm::Reg(Gpr::RAX) {
            return false;
        }
        let offset = self.buf.offset();
        let rex = if width == Width::B64 { "0x48," } else { "" };
        self.buf.listing.line(offset, |out| {
            write!(
                out,
                ".byte {rex}{:#04x}; .long {}{addend:+} # {comment}",
                code.opcode(),
                SymbolText(symbol)
            )
        });
        true
    }

    /// The immediate as encoded in an operation of this width, sign-extended from it; zero for a symbol.
    #[inline]
    fn immediate(&mut self, imm: Imm, width: Width) -> Immediate {
        let size = width.bytes().min(4);
        match imm {
            Imm::Value(value) => Immediate::new(truncate(value.into(), width), size),
            Imm::Symbol(_, kind, _) => {
                if size < 4 || kind.size() != 4 {
                    self.invalid();
                }
                Immediate::new(0, 4)
            }
        }
    }

    /// Records the symbol that fills in the immediate of the instruction just appended: its last bytes.
    #[inline]
    fn symbol_immediate(&mut self, imm: Imm) {
        if let Imm::Symbol(symbol, kind, addend) = imm {
            let offset = self.buf.offset().saturating_sub(kind.size());
            self.buf.add_reloc(Reloc { offset, kind, symbol, addend: addend.into() });
        }
    }
}

impl<'a> Op<'a> {
    pub(super) fn rm(rm: &'a Rm<Gpr>, width: Width) -> Op<'a> {
        match rm {
            Rm::Reg(reg) => Op::Reg(*reg, width),
            Rm::Mem(mem) => Op::Mem(mem),
        }
    }
}

/// 1 for the opcodes of 16 bits and more.
const fn wide(width: Width) -> i8 {
    (width as u8 != Width::B8 as u8) as i8
}

const fn truncate(value: i64, width: Width) -> i64 {
    match width {
        Width::B8 => value as i8 as i64,
        Width::B16 => value as i16 as i64,
        Width::B32 => value as i32 as i64,
        Width::B64 => value,
    }
}

fn imm_op(imm: Imm, width: Width) -> Op<'static> {
    match imm {
        Imm::Value(value) => Op::Imm(truncate(value.into(), width)),
        symbol => Op::Sym(symbol),
    }
}

//! Moves between registers, memory and the stack, conditional moves, addresses and repeated moves.

use super::{RepOp, imm_op, truncate, wide};
use crate::listing::Listing;
use crate::reloc::{RelocKind, SymbolId};
use crate::x86::Encoder;
use crate::x86::code::{Attrs, Code, FramePlace, Immediate, code};
use crate::x86::operand::{Base, Cond, Gpr, Imm, Mem, Mode, Rm, Width};
use crate::x86::text::Op;

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
        self.line(&["mov", width.suffix()], &op.operands(width, reg, &place.mem().into()));
        let code = op.code().plus(wide(width)).with(Attrs::width(width));
        self.inst_place(code, reg.number(), place, Immediate::NONE);
    }

    /// `mov r/m, r`: 88/89 /r; A2/A3 from the accumulator to an address in 32-bit mode.
    #[inline]
    pub fn mov_rm_r(&mut self, width: Width, dst: Rm<Gpr>, src: Gpr) {
        match dst {
            Rm::Reg(dst) => {
                self.line(&["mov", width.suffix()], &[Op::Reg(src, width), Op::Reg(dst, width)]);
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
        self.line(&["mov", width.suffix()], &op.operands(width, reg, mem));
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
            self.line(&["mov", width.suffix()], &op.operands(width, Gpr::RAX, mem));
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
        self.line(&["mov", width.suffix()], &[imm_op(imm, width), Op::rm(&dst, width)]);
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
        self.line(&["mov", width.suffix()], &[imm_op(imm, width), Op::Mem(&dst.mem().into())]);
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
        self.line(&[mnemonic, src_width.suffix(), dst_width.suffix()], &ops);
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
        self.line(&["lea", width.suffix()], &[Op::Mem(&mem), Op::Reg(dst, width)]);
        self.inst_rm(LEA, Attrs::width(width), dst.number(), &mem, Immediate::NONE);
    }

    /// `lea r, [place]`: [`lea`](Self::lea), inlined for a caller that knows the width.
    #[inline(always)]
    pub fn lea_place(&mut self, width: Width, dst: Gpr, place: FramePlace) {
        if width == Width::B8 {
            return self.invalid();
        }
        self.line(&["lea", width.suffix()], &[Op::Mem(&place.mem().into()), Op::Reg(dst, width)]);
        self.inst_place(code!("8D /r").with(Attrs::width(width)), dst.number(), place, Immediate::NONE);
    }

    /// `xchg r/m, r`: 86/87 /r, 90+r with the accumulator. With memory it is atomic without a prefix.
    pub fn xchg_rm_r(&mut self, width: Width, rm: Rm<Gpr>, reg: Gpr) {
        const XCHG: Code = code("86 /r");
        const XCHG_ACC: Code = code("90");
        let attrs = Attrs::width(width);
        let Rm::Reg(other) = rm else {
            self.line(&["xchg", width.suffix()], &[Op::Reg(reg, width), Op::rm(&rm, width)]);
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
        self.line(&["cmov", cond.suffix(), width.suffix()], &[Op::rm(&src, width), Op::Reg(dst, width)]);
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
        self.line(&["push", self.word().suffix()], &[Op::Mem(&mem)]);
        self.inst_rm(code!("FF"), Attrs::NONE, 6, &mem, Immediate::NONE);
    }

    /// `push imm`: 6A ib or 68 id, sign-extended to the width of the mode.
    pub fn push_i(&mut self, imm: Imm) {
        self.line(&["push", self.word().suffix()], &[imm_op(imm, Width::B32)]);
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
        self.line(&["pop", self.word().suffix()], &[Op::Mem(&mem)]);
        self.inst_rm(code!("8F"), Attrs::NONE, 0, &mem, Immediate::NONE);
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
        self.line(&["rep ", op.mnemonic(), width.suffix()], &[]);
        self.inst_o(code.with_prefix(0xf3), Attrs::width(width), 0, Immediate::NONE);
    }
}

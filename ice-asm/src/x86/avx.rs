//! The instructions of SSE in the form of AVX, with registers of 128 or 256 bits, and those that AVX2 and FMA have beside (SDM
//! volume 2; the rows are in [`sse`](super::sse)).
//!
//! The result is an operand of its own. Instructions whose operands differ in length (extensions, halves) say so themselves.
//!
//! Assemblers choose the prefix of two bytes where exchanging operands allows it, and so does this: of a move between registers
//! by its other code, of an operation whose operands commute by turning them.

use super::Encoder;
use super::code::{Code, Immediate};
use super::operand::{Gpr, Length, Mem, Rm, Width, Xmm};
use super::sse::{Shape, SseOp};
use super::text::Op;
use crate::listing::Listing;

impl Length {
    fn reg(self, reg: Xmm) -> Op<'static> {
        match self {
            Length::B128 => Op::Xmm(reg),
            Length::B256 => Op::Ymm(reg),
        }
    }

    fn rm(self, rm: &Rm<Xmm>) -> Op<'_> {
        match rm {
            Rm::Reg(reg) => self.reg(*reg),
            Rm::Mem(mem) => Op::Mem(mem),
        }
    }
}

fn number(rm: &Rm<Xmm>) -> Rm<u8> {
    match *rm {
        Rm::Reg(reg) => Rm::Reg(reg.number()),
        Rm::Mem(mem) => Rm::Mem(mem),
    }
}

/// Two operands that commute, in the order that has the shorter prefix.
fn turned(first: Xmm, src: Rm<Xmm>) -> (Xmm, Rm<Xmm>) {
    match src {
        Rm::Reg(src) if src.number() >= 8 && first.number() < 8 => (src, Rm::Reg(first)),
        src => (first, src),
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// The line of an instruction: its operands in front of the first register, if it has one, and the last.
    pub(super) fn avx_line(&mut self, mnemonic: &[&str], ops: &[Op<'_>], first: Option<Xmm>, last: Op<'_>) {
        if !L::ENABLED {
            return;
        }
        match (ops, first) {
            (&[a], None) => self.line(mnemonic, &[a, last]),
            (&[a], Some(first)) => self.line(mnemonic, &[a, Op::Xmm(first), last]),
            (&[a, b], None) => self.line(mnemonic, &[a, b, last]),
            (&[a, b, ..], Some(first)) => self.line(mnemonic, &[a, b, Op::Xmm(first), last]),
            _ => self.line(mnemonic, &[last]),
        }
    }

    /// Whether the operation has this shape and vectors of this length.
    fn fits(op: SseOp, length: Length, shapes: &[Shape]) -> bool {
        shapes.contains(&op.row().shape) && (length == Length::B256 || !op.is_long())
    }

    /// An instruction with the code that it has in the form of SSE.
    pub(super) fn avx_inst(
        &mut self,
        code: Code,
        length: Length,
        reg: u8,
        first: Option<Xmm>,
        rm: Rm<u8>,
        imm: Immediate,
    ) {
        self.inst_vex(code.vex(length), reg, first.map_or(0, Xmm::number), rm, imm);
    }

    /// `dst = first op src`.
    pub fn avx(&mut self, op: SseOp, length: Length, dst: Xmm, first: Xmm, src: Rm<Xmm>) {
        let row = op.row();
        match (row.shape, src) {
            (Shape::X | Shape::ShiftX, _) | (Shape::MoveMem, Rm::Mem(_)) | (Shape::XReg, Rm::Reg(_)) => {}
            // The rest of the result is that of the first.
            (Shape::Move, Rm::Reg(_)) if matches!(op, SseOp::Movss | SseOp::Movsd) => {}
            _ => return self.invalid(),
        }
        if length == Length::B128 && op.is_long() {
            return self.invalid();
        }
        let (first, src) = if op.commutes() { turned(first, src) } else { (first, src) };
        self.line(&["v", row.mnemonic], &[length.rm(&src), length.reg(first), length.reg(dst)]);
        match src {
            Rm::Reg(src) if row.shape == Shape::Move && src.number() >= 8 && dst.number() < 8 => {
                let dst = Rm::Reg(dst.number());
                self.avx_inst(row.second, length, src.number(), Some(first), dst, Immediate::NONE);
            }
            _ => self.avx_inst(row.code, length, dst.number(), Some(first), number(&src), Immediate::NONE),
        }
    }

    /// `dst = first`, and `src` where the lanes of `mask` have the sign.
    pub fn avx_blend(&mut self, op: SseOp, length: Length, dst: Xmm, first: Xmm, src: Rm<Xmm>, mask: Xmm) {
        let row = op.row();
        if row.shape != Shape::Blend {
            return self.invalid();
        }
        let ops = [length.reg(mask), length.rm(&src), length.reg(first), length.reg(dst)];
        self.line(&["v", row.mnemonic], &ops);
        let imm = Immediate::new((mask.number() << 4).into(), 1);
        self.avx_inst(row.second, length, dst.number(), Some(first), number(&src), imm);
    }

    /// `dst = op src`.
    pub fn avx_one(&mut self, op: SseOp, length: Length, dst: Xmm, src: Rm<Xmm>) {
        let row = op.row();
        if !Self::fits(op, length, &[Shape::One, Shape::Move]) {
            return self.invalid();
        }
        let suffix = if op.narrows() { "x" } else { "" };
        self.line(&["v", row.mnemonic, suffix], &[length.rm(&src), length.reg(dst)]);
        match src {
            Rm::Reg(src) if row.shape == Shape::Move && src.number() >= 8 && dst.number() < 8 => {
                self.avx_inst(row.second, length, src.number(), None, Rm::Reg(dst.number()), Immediate::NONE);
            }
            _ => self.avx_inst(row.code, length, dst.number(), None, number(&src), Immediate::NONE),
        }
    }

    /// `dst = first op src` with an immediate byte.
    pub fn avx_i(&mut self, op: SseOp, length: Length, dst: Xmm, first: Xmm, src: Rm<Xmm>, imm: u8) {
        let row = op.row();
        if !Self::fits(op, length, &[Shape::XImm]) {
            return self.invalid();
        }
        // Equal, unordered and their opposites hold either way.
        let commutes = row.code.opcode() == 0xc2 && matches!(imm & 7, 0 | 3 | 4 | 7);
        let (first, src) = if commutes { turned(first, src) } else { (first, src) };
        let ops = [Op::Imm(imm.into()), length.rm(&src), length.reg(first), length.reg(dst)];
        self.line(&["v", row.mnemonic], &ops);
        let imm = Immediate::new(imm.into(), 1);
        self.avx_inst(row.code, length, dst.number(), Some(first), number(&src), imm);
    }

    /// `dst = op src` with an immediate byte.
    pub fn avx_one_i(&mut self, op: SseOp, length: Length, dst: Xmm, src: Rm<Xmm>, imm: u8) {
        let row = op.row();
        if !Self::fits(op, length, &[Shape::OneImm]) {
            return self.invalid();
        }
        self.line(&["v", row.mnemonic], &[Op::Imm(imm.into()), length.rm(&src), length.reg(dst)]);
        let imm = Immediate::new(imm.into(), 1);
        self.avx_inst(row.code, length, dst.number(), None, number(&src), imm);
    }

    /// `dst = src` shifted by a number.
    pub fn avx_shift(&mut self, op: SseOp, length: Length, dst: Xmm, src: Xmm, imm: u8) {
        let row = op.row();
        if !matches!(row.shape, Shape::ShiftX | Shape::ShiftI) {
            return self.invalid();
        }
        self.line(&["v", row.mnemonic], &[Op::Imm(imm.into()), length.reg(src), length.reg(dst)]);
        let imm = Immediate::new(imm.into(), 1);
        self.avx_inst(row.second, length, row.second.ext, Some(dst), Rm::Reg(src.number()), imm);
    }

    /// `dst = first shifted by the number in src`, of which 128 bits are read.
    pub fn avx_shift_all(&mut self, op: SseOp, length: Length, dst: Xmm, first: Xmm, src: Rm<Xmm>) {
        let row = op.row();
        if row.shape != Shape::ShiftX {
            return self.invalid();
        }
        let ops = [Length::B128.rm(&src), length.reg(first), length.reg(dst)];
        self.line(&["v", row.mnemonic], &ops);
        self.avx_inst(row.code, length, dst.number(), Some(first), number(&src), Immediate::NONE);
    }

    /// The stores of the moves.
    pub fn avx_store(&mut self, op: SseOp, length: Length, dst: Mem, src: Xmm) {
        let row = op.row();
        if !matches!(row.shape, Shape::Move | Shape::MoveMem | Shape::Store) {
            return self.invalid();
        }
        self.line(&["v", row.mnemonic], &[length.reg(src), Op::Mem(&dst)]);
        self.avx_inst(row.second, length, src.number(), None, Rm::Mem(dst), Immediate::NONE);
    }

    /// A register of 256 bits from one of 128, or from less in memory: extensions, conversions and repeated lanes.
    pub fn avx_widen(&mut self, op: SseOp, dst: Xmm, src: Rm<Xmm>) {
        let row = op.row();
        match (op, src) {
            (SseOp::Broadcastf128, Rm::Reg(_)) => return self.invalid(),
            _ if row.shape != Shape::One => return self.invalid(),
            _ => {}
        }
        self.line(&["v", row.mnemonic], &[Length::B128.rm(&src), Op::Ymm(dst)]);
        self.avx_inst(row.code, Length::B256, dst.number(), None, number(&src), Immediate::NONE);
    }

    /// The signs of the lanes of 256 bits as those of a general register: `movmskps` and its like.
    pub fn avx_signs(&mut self, op: SseOp, dst: Gpr, src: Xmm) {
        let row = op.row();
        if row.shape != Shape::ToGprReg {
            return self.invalid();
        }
        self.line(&["v", row.mnemonic], &[Op::Ymm(src), Op::Reg(dst, Width::B32)]);
        self.avx_inst(row.code, Length::B256, dst.number(), None, Rm::Reg(src.number()), Immediate::NONE);
    }

    /// A register of 128 bits from one of 256: conversions.
    pub fn avx_narrow(&mut self, op: SseOp, dst: Xmm, src: Xmm) {
        let row = op.row();
        if !op.narrows() {
            return self.invalid();
        }
        self.line(&["v", row.mnemonic, "y"], &[Op::Ymm(src), Op::Xmm(dst)]);
        self.avx_inst(row.code, Length::B256, dst.number(), None, Rm::Reg(src.number()), Immediate::NONE);
    }
}

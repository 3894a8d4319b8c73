//! Integer instructions (MD00086, chapter 3; tables ).

use super::operand::{Cc, Gpr, Imm};
use super::text::Row;
use super::{Encoder, ops};
use crate::listing::Listing;

ops!(
    /// Two sources. `movz` and `movn` move the first one if the second one is zero, or is not; else they keep the
    /// destination. `add` and `sub` trap on signed overflow. `mul` leaves hi and lo undefined.
    Alu "d, s, t":
    Add  "add"  "0000 00ss ssst tttt dddd d000 0010 0000",
    Addu "addu" "0000 00ss ssst tttt dddd d000 0010 0001",
    Sub  "sub"  "0000 00ss ssst tttt dddd d000 0010 0010",
    Subu "subu" "0000 00ss ssst tttt dddd d000 0010 0011",
    And  "and"  "0000 00ss ssst tttt dddd d000 0010 0100",
    Or   "or"   "0000 00ss ssst tttt dddd d000 0010 0101",
    Xor  "xor"  "0000 00ss ssst tttt dddd d000 0010 0110",
    Nor  "nor"  "0000 00ss ssst tttt dddd d000 0010 0111",
    Slt  "slt"  "0000 00ss ssst tttt dddd d000 0010 1010",
    Sltu "sltu" "0000 00ss ssst tttt dddd d000 0010 1011",
    Movz "movz" "0000 00ss ssst tttt dddd d000 0000 1010",
    Movn "movn" "0000 00ss ssst tttt dddd d000 0000 1011",
    Mul  "mul"  "0111 00ss ssst tttt dddd d000 0000 0010",
);

ops!(
    /// A source and a number from -32768 to 32767. `sltiu` compares without sign what was extended with it.
    AluSigned "t, s, i":
    Addi  "addi"  "0010 00ss ssst tttt iiii iiii iiii iiii",
    Addiu "addiu" "0010 01ss ssst tttt iiii iiii iiii iiii",
    Slti  "slti"  "0010 10ss ssst tttt iiii iiii iiii iiii",
    Sltiu "sltiu" "0010 11ss ssst tttt iiii iiii iiii iiii",
);

ops!(
    /// A source and a number from 0 to 65535.
    AluUnsigned "t, s, u":
    Andi "andi" "0011 00ss ssst tttt uuuu uuuu uuuu uuuu",
    Ori  "ori"  "0011 01ss ssst tttt uuuu uuuu uuuu uuuu",
    Xori "xori" "0011 10ss ssst tttt uuuu uuuu uuuu uuuu",
);

ops!(
    /// Shifts by a number from 0 to 31.
    Shift "d, t, p":
    Sll  "sll"  "0000 0000 000t tttt dddd dppp pp00 0000",
    Srl  "srl"  "0000 0000 000t tttt dddd dppp pp00 0010",
    Rotr "rotr" "0000 0000 001t tttt dddd dppp pp00 0010",
    Sra  "sra"  "0000 0000 000t tttt dddd dppp pp00 0011",
);

ops!(
    /// Shifts by the low five bits of a register.
    ShiftBy "d, t, s":
    Sllv  "sllv"  "0000 00ss ssst tttt dddd d000 0000 0100",
    Srlv  "srlv"  "0000 00ss ssst tttt dddd d000 0000 0110",
    Rotrv "rotrv" "0000 00ss ssst tttt dddd d000 0100 0110",
    Srav  "srav"  "0000 00ss ssst tttt dddd d000 0000 0111",
);

ops!(
    /// Counts of leading bits. The field rt has the destination, too.
    Count "d, s":
    Clz "clz" "0111 00ss ssst tttt dddd d000 0010 0000",
    Clo "clo" "0111 00ss ssst tttt dddd d000 0010 0001",
);

ops!(
    /// Extension of the low byte or half with its sign; `wsbh` exchanges the bytes of each half.
    Extend "d, t":
    Wsbh "wsbh" "0111 1100 000t tttt dddd d000 1010 0000",
    Seb  "seb"  "0111 1100 000t tttt dddd d100 0010 0000",
    Seh  "seh"  "0111 1100 000t tttt dddd d110 0010 0000",
);

ops!(
    /// Multiplication to 64 bits in hi and lo; `madd` and its like add to what is there or subtract from it. Division
    /// with the quotient in lo and the remainder in hi, both undefined where the divisor is zero; the text has a
    /// destination, without which it is a macro that tests the divisor.
    MultiplyDivide "0s, t":
    Mult  "mult"  "0000 00ss ssst tttt 0000 0000 0001 1000",
    Multu "multu" "0000 00ss ssst tttt 0000 0000 0001 1001",
    Div   "div"   "0000 00ss ssst tttt 0000 0000 0001 1010",
    Divu  "divu"  "0000 00ss ssst tttt 0000 0000 0001 1011",
    Madd  "madd"  "0111 00ss ssst tttt 0000 0000 0000 0000",
    Maddu "maddu" "0111 00ss ssst tttt 0000 0000 0000 0001",
    Msub  "msub"  "0111 00ss ssst tttt 0000 0000 0000 0100",
    Msubu "msubu" "0111 00ss ssst tttt 0000 0000 0000 0101",
);

ops!(
    /// From hi and lo.
    FromHiLo "d":
    Mfhi "mfhi" "0000 0000 0000 0000 dddd d000 0001 0000",
    Mflo "mflo" "0000 0000 0000 0000 dddd d000 0001 0010",
);

ops!(
    /// To hi and lo.
    ToHiLo "s":
    Mthi "mthi" "0000 00ss sss0 0000 0000 0000 0001 0001",
    Mtlo "mtlo" "0000 00ss sss0 0000 0000 0000 0001 0011",
);

ops!(
    /// Moves if a condition code is clear or set; else they keep the destination.
    MoveIfFlag "d, s, M":
    Movf "movf" "0000 00ss sssM MM00 dddd d000 0000 0001",
    Movt "movt" "0000 00ss sssM MM01 dddd d000 0000 0001",
);

const LUI: Row = Row::new("lui", "t, u", "0011 1100 000t tttt uuuu uuuu uuuu uuuu");
const EXT: Row = Row::new("ext", "t, s, p, z", "0111 11ss ssst tttt zzzz zppp pp00 0000");
const INS: Row = Row::new("ins", "t, s, p, n", "0111 11ss ssst tttt nnnn nppp pp00 0100");

pub(super) const ROWS: &[&[Row]] = &[
    Alu::ROWS,
    AluSigned::ROWS,
    AluUnsigned::ROWS,
    Shift::ROWS,
    ShiftBy::ROWS,
    Count::ROWS,
    Extend::ROWS,
    MultiplyDivide::ROWS,
    FromHiLo::ROWS,
    ToHiLo::ROWS,
    MoveIfFlag::ROWS,
    &[LUI, EXT, INS],
];

impl Alu {
    pub(super) fn word(self, d: Gpr, s: Gpr, t: Gpr) -> u32 {
        self.bits() | s.s() | t.t() | d.d()
    }
}

impl AluSigned {
    pub(super) fn word(self, t: Gpr, s: Gpr, imm: u16) -> u32 {
        self.bits() | s.s() | t.t() | u32::from(imm)
    }
}

pub(super) fn lui_word(t: Gpr, imm: u16) -> u32 {
    LUI.bits | t.t() | u32::from(imm)
}

impl<L: Listing> Encoder<'_, L> {
    /// `addu rd, rs, rt` and its like.
    #[inline]
    pub fn alu(&mut self, op: Alu, d: Gpr, s: Gpr, t: Gpr) {
        self.inst(op.word(d, s, t));
    }

    /// `addiu rt, rs, imm` and its like.
    #[inline]
    pub fn alu_signed(&mut self, op: AluSigned, t: Gpr, s: Gpr, imm: impl Into<Imm>) {
        self.inst_signed(op.bits() | s.s() | t.t(), imm.into());
    }

    /// `ori rt, rs, imm` and its like.
    #[inline]
    pub fn alu_unsigned(&mut self, op: AluUnsigned, t: Gpr, s: Gpr, imm: u16) {
        self.inst(op.bits() | s.s() | t.t() | u32::from(imm));
    }

    /// `lui rt, imm`: the number, or the high half of a symbol, above 16 zeros.
    pub fn lui(&mut self, t: Gpr, imm: impl Into<Imm>) {
        match imm.into() {
            Imm::Value(value) => match u16::try_from(value) {
                Ok(value) => self.inst(lui_word(t, value)),
                Err(_) => self.invalid(),
            },
            symbol => self.inst_signed(LUI.bits | t.t(), symbol),
        }
    }

    /// Any number in a register, in one instruction or two.
    pub fn load_number(&mut self, t: Gpr, value: u32) {
        let (high, low) = (value >> 16, value as u16);
        if let Ok(small) = i16::try_from(value as i32) {
            return self.alu_signed(AluSigned::Addiu, t, Gpr::ZERO, i32::from(small));
        }
        if high == 0 {
            return self.alu_unsigned(AluUnsigned::Ori, t, Gpr::ZERO, low);
        }
        self.lui(t, high as i32);
        if low != 0 {
            self.alu_unsigned(AluUnsigned::Ori, t, t, low);
        }
    }

    /// `sll rd, rt, amount` and its like.
    #[inline]
    pub fn shift(&mut self, op: Shift, d: Gpr, t: Gpr, amount: u8) {
        self.checked(amount < 32, op.bits() | t.t() | d.d() | (u32::from(amount) & 31) << 6);
    }

    /// `sllv rd, rt, rs` and its like.
    pub fn shift_by(&mut self, op: ShiftBy, d: Gpr, t: Gpr, s: Gpr) {
        self.inst(op.bits() | s.s() | t.t() | d.d());
    }

    /// `clz rd, rs`, `clo`.
    pub fn count(&mut self, op: Count, d: Gpr, s: Gpr) {
        self.inst(op.bits() | s.s() | d.t() | d.d());
    }

    /// `seb rd, rt` and its like.
    pub fn extend(&mut self, op: Extend, d: Gpr, t: Gpr) {
        self.inst(op.bits() | t.t() | d.d());
    }

    /// `mult rs, rt`, `div $zero, rs, rt` and their like.
    pub fn multiply_divide(&mut self, op: MultiplyDivide, s: Gpr, t: Gpr) {
        self.inst(op.bits() | s.s() | t.t());
    }

    /// `mfhi rd`, `mflo`.
    pub fn from_hi_lo(&mut self, op: FromHiLo, d: Gpr) {
        self.inst(op.bits() | d.d());
    }

    /// `mthi rs`, `mtlo`.
    pub fn to_hi_lo(&mut self, op: ToHiLo, s: Gpr) {
        self.inst(op.bits() | s.s());
    }

    /// `movf rd, rs, cc`, `movt`.
    pub fn move_if_flag(&mut self, op: MoveIfFlag, d: Gpr, s: Gpr, cc: Cc) {
        self.inst(op.bits() | s.s() | u32::from(cc.number()) << 18 | d.d());
    }

    /// `ext rt, rs, lsb, size`: the bits of a field inside the register, zeros above.
    pub fn ext(&mut self, t: Gpr, s: Gpr, lsb: u8, size: u8) {
        self.bit_field(&EXT, t, s, lsb, size, size.wrapping_sub(1));
    }

    /// `ins rt, rs, lsb, size`: the low bits of rs into a field of rt.
    pub fn ins(&mut self, t: Gpr, s: Gpr, lsb: u8, size: u8) {
        self.bit_field(&INS, t, s, lsb, size, lsb.wrapping_add(size).wrapping_sub(1));
    }

    fn bit_field(&mut self, row: &Row, t: Gpr, s: Gpr, lsb: u8, size: u8, field: u8) {
        let valid = lsb < 32 && size >= 1 && size <= 32 - lsb;
        let fields = (u32::from(field) & 31) << 11 | (u32::from(lsb) & 31) << 6;
        self.checked(valid, row.bits | s.s() | t.t() | fields);
    }
}

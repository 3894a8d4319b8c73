//! Floating-point instructions (MD00086, chapter 3; tables ).

use super::operand::{Cc, FloatWidth, Fpr, Gpr, Mem};
use super::text::Row;
use super::{Encoder, ops};
use crate::listing::Listing;

ops!(
    /// Arithmetic on two sources.
    Float3 ".w D, S, T":
    Add "add" "0100 0110 00wT TTTT SSSS SDDD DD00 0000",
    Sub "sub" "0100 0110 00wT TTTT SSSS SDDD DD00 0001",
    Mul "mul" "0100 0110 00wT TTTT SSSS SDDD DD00 0010",
    Div "div" "0100 0110 00wT TTTT SSSS SDDD DD00 0011",
);

ops!(
    /// One source. `abs` and `neg` signal NaNs as arithmetic does, and may leave their signs.
    Float2 ".w D, S":
    Sqrt "sqrt" "0100 0110 00w0 0000 SSSS SDDD DD00 0100",
    Abs  "abs"  "0100 0110 00w0 0000 SSSS SDDD DD00 0101",
    Mov  "mov"  "0100 0110 00w0 0000 SSSS SDDD DD00 0110",
    Neg  "neg"  "0100 0110 00w0 0000 SSSS SDDD DD00 0111",
);

ops!(
    /// The product of the last two, plus or minus the first source, negated or not. The product may be rounded.
    FloatMultiplyAdd ".W D, R, S, T":
    Madd  "madd"  "0100 11RR RRRT TTTT SSSS SDDD DD10 000W",
    Msub  "msub"  "0100 11RR RRRT TTTT SSSS SDDD DD10 100W",
    Nmadd "nmadd" "0100 11RR RRRT TTTT SSSS SDDD DD11 000W",
    Nmsub "nmsub" "0100 11RR RRRT TTTT SSSS SDDD DD11 100W",
);

ops!(
    /// Comparisons into a condition code. Those behind `ngt` in the manual's order signal a quiet NaN.
    FloatCompare ".w C, S, T":
    F    "c.f"    "0100 0110 00wT TTTT SSSS SCCC 0011 0000",
    Un   "c.un"   "0100 0110 00wT TTTT SSSS SCCC 0011 0001",
    Eq   "c.eq"   "0100 0110 00wT TTTT SSSS SCCC 0011 0010",
    Ueq  "c.ueq"  "0100 0110 00wT TTTT SSSS SCCC 0011 0011",
    Olt  "c.olt"  "0100 0110 00wT TTTT SSSS SCCC 0011 0100",
    Ult  "c.ult"  "0100 0110 00wT TTTT SSSS SCCC 0011 0101",
    Ole  "c.ole"  "0100 0110 00wT TTTT SSSS SCCC 0011 0110",
    Ule  "c.ule"  "0100 0110 00wT TTTT SSSS SCCC 0011 0111",
    Sf   "c.sf"   "0100 0110 00wT TTTT SSSS SCCC 0011 1000",
    Ngle "c.ngle" "0100 0110 00wT TTTT SSSS SCCC 0011 1001",
    Seq  "c.seq"  "0100 0110 00wT TTTT SSSS SCCC 0011 1010",
    Ngl  "c.ngl"  "0100 0110 00wT TTTT SSSS SCCC 0011 1011",
    Lt   "c.lt"   "0100 0110 00wT TTTT SSSS SCCC 0011 1100",
    Nge  "c.nge"  "0100 0110 00wT TTTT SSSS SCCC 0011 1101",
    Le   "c.le"   "0100 0110 00wT TTTT SSSS SCCC 0011 1110",
    Ngt  "c.ngt"  "0100 0110 00wT TTTT SSSS SCCC 0011 1111",
);

ops!(
    /// Conversions between the formats single, double and word; to words they round to the nearest, towards zero, up,
    /// down, or (`cvt`) as the control register says. What does not fit becomes the greatest word.
    FloatConvert "D, S":
    SingleFromDouble "cvt.s.d"   "0100 0110 0010 0000 SSSS SDDD DD10 0000",
    SingleFromWord   "cvt.s.w"   "0100 0110 1000 0000 SSSS SDDD DD10 0000",
    DoubleFromSingle "cvt.d.s"   "0100 0110 0000 0000 SSSS SDDD DD10 0001",
    DoubleFromWord   "cvt.d.w"   "0100 0110 1000 0000 SSSS SDDD DD10 0001",
    WordFromSingle   "cvt.w.s"   "0100 0110 0000 0000 SSSS SDDD DD10 0100",
    WordFromDouble   "cvt.w.d"   "0100 0110 0010 0000 SSSS SDDD DD10 0100",
    RoundSingle      "round.w.s" "0100 0110 0000 0000 SSSS SDDD DD00 1100",
    RoundDouble      "round.w.d" "0100 0110 0010 0000 SSSS SDDD DD00 1100",
    TruncSingle      "trunc.w.s" "0100 0110 0000 0000 SSSS SDDD DD00 1101",
    TruncDouble      "trunc.w.d" "0100 0110 0010 0000 SSSS SDDD DD00 1101",
    CeilSingle       "ceil.w.s"  "0100 0110 0000 0000 SSSS SDDD DD00 1110",
    CeilDouble       "ceil.w.d"  "0100 0110 0010 0000 SSSS SDDD DD00 1110",
    FloorSingle      "floor.w.s" "0100 0110 0000 0000 SSSS SDDD DD00 1111",
    FloorDouble      "floor.w.d" "0100 0110 0010 0000 SSSS SDDD DD00 1111",
);

ops!(
    /// Moves if a general register is zero, or is not; else they keep the destination.
    FloatMoveIf ".w D, S, t":
    Movz "movz" "0100 0110 00wt tttt SSSS SDDD DD01 0010",
    Movn "movn" "0100 0110 00wt tttt SSSS SDDD DD01 0011",
);

ops!(
    /// Moves if a condition code is clear or set; else they keep the destination.
    FloatMoveIfFlag ".w D, S, M":
    Movf "movf" "0100 0110 00wM MM00 SSSS SDDD DD01 0001",
    Movt "movt" "0100 0110 00wM MM01 SSSS SDDD DD01 0001",
);

ops!(
    /// Between a general and a floating-point register: the whole of 32 bits, or the high half of an even pair.
    Transmit "t, S":
    Mfc1  "mfc1"  "0100 0100 000t tttt SSSS S000 0000 0000",
    Mfhc1 "mfhc1" "0100 0100 011t tttt SSSS S000 0000 0000",
    Mtc1  "mtc1"  "0100 0100 100t tttt SSSS S000 0000 0000",
    Mthc1 "mthc1" "0100 0100 111t tttt SSSS S000 0000 0000",
);

ops!(
    /// Between a general and a control register: 31 has the condition codes and the rounding mode.
    FloatControl "t, h":
    Cfc1 "cfc1" "0100 0100 010t tttt hhhh h000 0000 0000",
    Ctc1 "ctc1" "0100 0100 110t tttt hhhh h000 0000 0000",
);

ops!(
    /// Loads and stores; those of 64 bits need an address that is a multiple of 8.
    FloatTransfer "T, i(s)":
    Lwc1 "lwc1" "1100 01ss sssT TTTT iiii iiii iiii iiii",
    Ldc1 "ldc1" "1101 01ss sssT TTTT iiii iiii iiii iiii",
    Swc1 "swc1" "1110 01ss sssT TTTT iiii iiii iiii iiii",
    Sdc1 "sdc1" "1111 01ss sssT TTTT iiii iiii iiii iiii",
);

ops!(
    /// Loads from the sum of two registers.
    FloatLoadIndexed "D, t(s)":
    Lwxc1 "lwxc1" "0100 11ss ssst tttt 0000 0DDD DD00 0000",
    Ldxc1 "ldxc1" "0100 11ss ssst tttt 0000 0DDD DD00 0001",
);

ops!(
    /// Stores to the sum of two registers.
    FloatStoreIndexed "S, t(s)":
    Swxc1 "swxc1" "0100 11ss ssst tttt SSSS S000 0000 1000",
    Sdxc1 "sdxc1" "0100 11ss ssst tttt SSSS S000 0000 1001",
);

pub(super) const ROWS: &[&[Row]] = &[
    Float3::ROWS,
    Float2::ROWS,
    FloatMultiplyAdd::ROWS,
    FloatCompare::ROWS,
    FloatConvert::ROWS,
    FloatMoveIf::ROWS,
    FloatMoveIfFlag::ROWS,
    Transmit::ROWS,
    FloatControl::ROWS,
    FloatTransfer::ROWS,
    FloatLoadIndexed::ROWS,
    FloatStoreIndexed::ROWS,
];

impl FloatWidth {
    /// The lowest bit of the format, at bit `at`.
    const fn bit(self, at: u32) -> u32 {
        (self as u32) << at
    }

    /// In the field fmt.
    const fn fmt(self) -> u32 {
        self.bit(21)
    }
}

impl FloatConvert {
    /// Whether source and destination are pairs of registers.
    const fn widths(self) -> [FloatWidth; 2] {
        use FloatWidth::{D, S};
        match self {
            FloatConvert::DoubleFromSingle | FloatConvert::DoubleFromWord => [D, S],
            FloatConvert::SingleFromDouble
            | FloatConvert::WordFromDouble
            | FloatConvert::RoundDouble
            | FloatConvert::TruncDouble
            | FloatConvert::CeilDouble
            | FloatConvert::FloorDouble => [S, D],
            _ => [S, S],
        }
    }
}

impl FloatTransfer {
    const fn width(self) -> FloatWidth {
        match self {
            FloatTransfer::Ldc1 | FloatTransfer::Sdc1 => FloatWidth::D,
            FloatTransfer::Lwc1 | FloatTransfer::Swc1 => FloatWidth::S,
        }
    }
}

fn are_for<const N: usize>(width: FloatWidth, registers: [Fpr; N]) -> bool {
    registers.into_iter().all(|register| register.is_for(width))
}

impl<L: Listing> Encoder<'_, L> {
    /// `add.s fd, fs, ft` and its like.
    pub fn float3(&mut self, op: Float3, width: FloatWidth, d: Fpr, s: Fpr, t: Fpr) {
        self.checked(are_for(width, [d, s, t]), op.bits() | width.fmt() | t.t() | s.s() | d.d());
    }

    /// `mov.s fd, fs` and its like.
    pub fn float2(&mut self, op: Float2, width: FloatWidth, d: Fpr, s: Fpr) {
        self.checked(are_for(width, [d, s]), op.bits() | width.fmt() | s.s() | d.d());
    }

    /// `madd.s fd, fr, fs, ft` and its like.
    pub fn float_multiply_add(&mut self, op: FloatMultiplyAdd, width: FloatWidth, [d, r, s, t]: [Fpr; 4]) {
        let word = op.bits() | width.bit(0) | r.r() | t.t() | s.s() | d.d();
        self.checked(are_for(width, [d, r, s, t]), word);
    }

    /// `c.eq.s cc, fs, ft` and its like.
    pub fn float_compare(&mut self, op: FloatCompare, width: FloatWidth, cc: Cc, s: Fpr, t: Fpr) {
        let word = op.bits() | width.fmt() | t.t() | s.s() | u32::from(cc.number()) << 8;
        self.checked(are_for(width, [s, t]), word);
    }

    /// `cvt.s.d fd, fs` and its like.
    pub fn float_convert(&mut self, op: FloatConvert, d: Fpr, s: Fpr) {
        let [to, from] = op.widths();
        self.checked(d.is_for(to) && s.is_for(from), op.bits() | s.s() | d.d());
    }

    /// `movz.s fd, fs, rt`, `movn.s`.
    pub fn float_move_if(&mut self, op: FloatMoveIf, width: FloatWidth, d: Fpr, s: Fpr, t: Gpr) {
        self.checked(are_for(width, [d, s]), op.bits() | width.fmt() | t.t() | s.s() | d.d());
    }

    /// `movf.s fd, fs, cc`, `movt.s`.
    pub fn float_move_if_flag(&mut self, op: FloatMoveIfFlag, width: FloatWidth, d: Fpr, s: Fpr, cc: Cc) {
        let word = op.bits() | width.fmt() | u32::from(cc.number()) << 18 | s.s() | d.d();
        self.checked(are_for(width, [d, s]), word);
    }

    /// `mfc1 rt, fs` and its like.
    pub fn transmit(&mut self, op: Transmit, t: Gpr, s: Fpr) {
        let width = match op {
            Transmit::Mfc1 | Transmit::Mtc1 => FloatWidth::S,
            Transmit::Mfhc1 | Transmit::Mthc1 => FloatWidth::D,
        };
        self.checked(s.is_for(width), op.bits() | t.t() | s.s());
    }

    /// `cfc1 rt, $number`, `ctc1`.
    pub fn float_control(&mut self, op: FloatControl, t: Gpr, number: u8) {
        self.checked(number < 32, op.bits() | t.t() | (u32::from(number) & 31) << 11);
    }

    /// `lwc1 ft, offset(base)` and its like.
    pub fn float_transfer(&mut self, op: FloatTransfer, t: Fpr, mem: Mem) {
        if !t.is_for(op.width()) {
            return self.invalid();
        }
        self.inst_signed(op.bits() | mem.base.s() | t.t(), mem.offset);
    }

    /// `lwxc1 fd, index(base)`, `ldxc1`.
    pub fn float_load_indexed(&mut self, op: FloatLoadIndexed, d: Fpr, base: Gpr, index: Gpr) {
        let valid = op == FloatLoadIndexed::Lwxc1 || d.is_for(FloatWidth::D);
        self.checked(valid, op.bits() | base.s() | index.t() | d.d());
    }

    /// `swxc1 fs, index(base)`, `sdxc1`.
    pub fn float_store_indexed(&mut self, op: FloatStoreIndexed, s: Fpr, base: Gpr, index: Gpr) {
        let valid = op == FloatStoreIndexed::Swxc1 || s.is_for(FloatWidth::D);
        self.checked(valid, op.bits() | base.s() | index.t() | s.s());
    }
}

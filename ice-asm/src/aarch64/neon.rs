//! Advanced SIMD arithmetic (DDI 0487, C4.1, "Data Processing -- Scalar Floating-Point and Advanced SIMD"): the same work on
//! every lane of 64 or 128 bits.
//!
//! Operations that widen or narrow name the narrow lanes; their vector of these has 64 bits, or with `high` (mnemonics that
//! end in `2`) it is the upper half of a register, and the lower one stays.

use super::register::{Arrangement, FloatWidth, Lane, Vreg, full_bit};
use super::{Encoder, bits, ops};
use crate::listing::Listing;

ops!(
    /// Integers in three registers ("Advanced SIMD three same").
    Vector3:
    Add      "add"      "0 Q 0 01110 ss 1 mmmmm 10000 1 nnnnn ddddd" "8 16 32 64",
    Sub      "sub"      "0 Q 1 01110 ss 1 mmmmm 10000 1 nnnnn ddddd" "8 16 32 64",
    Mul      "mul"      "0 Q 0 01110 ss 1 mmmmm 10011 1 nnnnn ddddd" "8 16 32",
    Mla      "mla"      "0 Q 0 01110 ss 1 mmmmm 10010 1 nnnnn ddddd" "8 16 32",
    Mls      "mls"      "0 Q 1 01110 ss 1 mmmmm 10010 1 nnnnn ddddd" "8 16 32",
    Cmeq     "cmeq"     "0 Q 1 01110 ss 1 mmmmm 10001 1 nnnnn ddddd" "8 16 32 64",
    Cmgt     "cmgt"     "0 Q 0 01110 ss 1 mmmmm 00110 1 nnnnn ddddd" "8 16 32 64",
    Cmge     "cmge"     "0 Q 0 01110 ss 1 mmmmm 00111 1 nnnnn ddddd" "8 16 32 64",
    Cmhi     "cmhi"     "0 Q 1 01110 ss 1 mmmmm 00110 1 nnnnn ddddd" "8 16 32 64",
    Cmhs     "cmhs"     "0 Q 1 01110 ss 1 mmmmm 00111 1 nnnnn ddddd" "8 16 32 64",
    Cmtst    "cmtst"    "0 Q 0 01110 ss 1 mmmmm 10001 1 nnnnn ddddd" "8 16 32 64",
    Smax     "smax"     "0 Q 0 01110 ss 1 mmmmm 01100 1 nnnnn ddddd" "8 16 32",
    Smin     "smin"     "0 Q 0 01110 ss 1 mmmmm 01101 1 nnnnn ddddd" "8 16 32",
    Umax     "umax"     "0 Q 1 01110 ss 1 mmmmm 01100 1 nnnnn ddddd" "8 16 32",
    Umin     "umin"     "0 Q 1 01110 ss 1 mmmmm 01101 1 nnnnn ddddd" "8 16 32",
    Sshl     "sshl"     "0 Q 0 01110 ss 1 mmmmm 01000 1 nnnnn ddddd" "8 16 32 64",
    Ushl     "ushl"     "0 Q 1 01110 ss 1 mmmmm 01000 1 nnnnn ddddd" "8 16 32 64",
    Sqadd    "sqadd"    "0 Q 0 01110 ss 1 mmmmm 00001 1 nnnnn ddddd" "8 16 32 64",
    Uqadd    "uqadd"    "0 Q 1 01110 ss 1 mmmmm 00001 1 nnnnn ddddd" "8 16 32 64",
    Sqsub    "sqsub"    "0 Q 0 01110 ss 1 mmmmm 00101 1 nnnnn ddddd" "8 16 32 64",
    Uqsub    "uqsub"    "0 Q 1 01110 ss 1 mmmmm 00101 1 nnnnn ddddd" "8 16 32 64",
    Shadd    "shadd"    "0 Q 0 01110 ss 1 mmmmm 00000 1 nnnnn ddddd" "8 16 32",
    Uhadd    "uhadd"    "0 Q 1 01110 ss 1 mmmmm 00000 1 nnnnn ddddd" "8 16 32",
    Srhadd   "srhadd"   "0 Q 0 01110 ss 1 mmmmm 00010 1 nnnnn ddddd" "8 16 32",
    Urhadd   "urhadd"   "0 Q 1 01110 ss 1 mmmmm 00010 1 nnnnn ddddd" "8 16 32",
    Sabd     "sabd"     "0 Q 0 01110 ss 1 mmmmm 01110 1 nnnnn ddddd" "8 16 32",
    Uabd     "uabd"     "0 Q 1 01110 ss 1 mmmmm 01110 1 nnnnn ddddd" "8 16 32",
    Sqdmulh  "sqdmulh"  "0 Q 0 01110 ss 1 mmmmm 10110 1 nnnnn ddddd" "16 32",
    Sqrdmulh "sqrdmulh" "0 Q 1 01110 ss 1 mmmmm 10110 1 nnnnn ddddd" "16 32",
    // Pairs of lanes next to each other.
    Addp     "addp"     "0 Q 0 01110 ss 1 mmmmm 10111 1 nnnnn ddddd" "8 16 32 64",
    Smaxp    "smaxp"    "0 Q 0 01110 ss 1 mmmmm 10100 1 nnnnn ddddd" "8 16 32",
    Sminp    "sminp"    "0 Q 0 01110 ss 1 mmmmm 10101 1 nnnnn ddddd" "8 16 32",
    Umaxp    "umaxp"    "0 Q 1 01110 ss 1 mmmmm 10100 1 nnnnn ddddd" "8 16 32",
    Uminp    "uminp"    "0 Q 1 01110 ss 1 mmmmm 10101 1 nnnnn ddddd" "8 16 32",
);

ops!(
    /// Logic on three registers ("Advanced SIMD three same"). The last three merge: `bsl` by the bits of the destination, the
    /// others by those of the last register.
    VectorLogic:
    And "and" "0 Q 0 01110 00 1 mmmmm 00011 1 nnnnn ddddd",
    Bic "bic" "0 Q 0 01110 01 1 mmmmm 00011 1 nnnnn ddddd",
    Orr "orr" "0 Q 0 01110 10 1 mmmmm 00011 1 nnnnn ddddd",
    Orn "orn" "0 Q 0 01110 11 1 mmmmm 00011 1 nnnnn ddddd",
    Eor "eor" "0 Q 1 01110 00 1 mmmmm 00011 1 nnnnn ddddd",
    Bsl "bsl" "0 Q 1 01110 01 1 mmmmm 00011 1 nnnnn ddddd",
    Bit "bit" "0 Q 1 01110 10 1 mmmmm 00011 1 nnnnn ddddd",
    Bif "bif" "0 Q 1 01110 11 1 mmmmm 00011 1 nnnnn ddddd",
);

ops!(
    /// Floating-point numbers in three registers ("Advanced SIMD three same"). `fmla` and `fmls` round once.
    VectorFloat3:
    Fadd   "fadd"   "0 Q 0 01110 0s 1 mmmmm 11010 1 nnnnn ddddd",
    Fsub   "fsub"   "0 Q 0 01110 1s 1 mmmmm 11010 1 nnnnn ddddd",
    Fmul   "fmul"   "0 Q 1 01110 0s 1 mmmmm 11011 1 nnnnn ddddd",
    Fdiv   "fdiv"   "0 Q 1 01110 0s 1 mmmmm 11111 1 nnnnn ddddd",
    Fmla   "fmla"   "0 Q 0 01110 0s 1 mmmmm 11001 1 nnnnn ddddd",
    Fmls   "fmls"   "0 Q 0 01110 1s 1 mmmmm 11001 1 nnnnn ddddd",
    Fmax   "fmax"   "0 Q 0 01110 0s 1 mmmmm 11110 1 nnnnn ddddd",
    Fmin   "fmin"   "0 Q 0 01110 1s 1 mmmmm 11110 1 nnnnn ddddd",
    Fmaxnm "fmaxnm" "0 Q 0 01110 0s 1 mmmmm 11000 1 nnnnn ddddd",
    Fminnm "fminnm" "0 Q 0 01110 1s 1 mmmmm 11000 1 nnnnn ddddd",
    Faddp  "faddp"  "0 Q 1 01110 0s 1 mmmmm 11010 1 nnnnn ddddd",
    Fcmeq  "fcmeq"  "0 Q 0 01110 0s 1 mmmmm 11100 1 nnnnn ddddd",
    Fcmge  "fcmge"  "0 Q 1 01110 0s 1 mmmmm 11100 1 nnnnn ddddd",
    Fcmgt  "fcmgt"  "0 Q 1 01110 1s 1 mmmmm 11100 1 nnnnn ddddd",
    Fabd   "fabd"   "0 Q 1 01110 1s 1 mmmmm 11010 1 nnnnn ddddd",
);

ops!(
    /// Integers in two registers ("Advanced SIMD two-register miscellaneous"). `saddlp` and `uaddlp` add neighbours to lanes of
    /// twice the width.
    Vector2:
    Abs    "abs"    "0 Q 0 01110 ss 10000 01011 10 nnnnn ddddd" "8 16 32 64",
    Neg    "neg"    "0 Q 1 01110 ss 10000 01011 10 nnnnn ddddd" "8 16 32 64",
    Cnt    "cnt"    "0 Q 0 01110 ss 10000 00101 10 nnnnn ddddd" "8",
    Not    "not"    "0 Q 1 01110 00 10000 00101 10 nnnnn ddddd" "8",
    Rev16  "rev16"  "0 Q 0 01110 ss 10000 00001 10 nnnnn ddddd" "8",
    Rev32  "rev32"  "0 Q 1 01110 ss 10000 00000 10 nnnnn ddddd" "8 16",
    Rev64  "rev64"  "0 Q 0 01110 ss 10000 00000 10 nnnnn ddddd" "8 16 32",
    Rbit   "rbit"   "0 Q 1 01110 01 10000 00101 10 nnnnn ddddd" "8",
    Clz    "clz"    "0 Q 1 01110 ss 10000 00100 10 nnnnn ddddd" "8 16 32",
    Cls    "cls"    "0 Q 0 01110 ss 10000 00100 10 nnnnn ddddd" "8 16 32",
    Saddlp "saddlp" "0 Q 0 01110 ss 10000 00010 10 nnnnn ddddd" "8 16 32",
    Uaddlp "uaddlp" "0 Q 1 01110 ss 10000 00010 10 nnnnn ddddd" "8 16 32",
    Sqabs  "sqabs"  "0 Q 0 01110 ss 10000 00111 10 nnnnn ddddd" "8 16 32 64",
    Sqneg  "sqneg"  "0 Q 1 01110 ss 10000 00111 10 nnnnn ddddd" "8 16 32 64",
    // Comparisons with zero.
    Cmeq0  "cmeq"   "0 Q 0 01110 ss 10000 01001 10 nnnnn ddddd" "8 16 32 64",
    Cmge0  "cmge"   "0 Q 1 01110 ss 10000 01000 10 nnnnn ddddd" "8 16 32 64",
    Cmgt0  "cmgt"   "0 Q 0 01110 ss 10000 01000 10 nnnnn ddddd" "8 16 32 64",
    Cmle0  "cmle"   "0 Q 1 01110 ss 10000 01001 10 nnnnn ddddd" "8 16 32 64",
    Cmlt0  "cmlt"   "0 Q 0 01110 ss 10000 01010 10 nnnnn ddddd" "8 16 32 64",
);

ops!(
    /// Floating-point numbers in two registers ("Advanced SIMD two-register miscellaneous"), with conversions from and to
    /// integers in lanes of the same width.
    VectorFloat2:
    Fabs   "fabs"   "0 Q 0 01110 1s 10000 01111 10 nnnnn ddddd",
    Fneg   "fneg"   "0 Q 1 01110 1s 10000 01111 10 nnnnn ddddd",
    Fsqrt  "fsqrt"  "0 Q 1 01110 1s 10000 11111 10 nnnnn ddddd",
    Frintn "frintn" "0 Q 0 01110 0s 10000 11000 10 nnnnn ddddd",
    Frintm "frintm" "0 Q 0 01110 0s 10000 11001 10 nnnnn ddddd",
    Frintp "frintp" "0 Q 0 01110 1s 10000 11000 10 nnnnn ddddd",
    Frintz "frintz" "0 Q 0 01110 1s 10000 11001 10 nnnnn ddddd",
    Frinta "frinta" "0 Q 1 01110 0s 10000 11000 10 nnnnn ddddd",
    Frintx "frintx" "0 Q 1 01110 0s 10000 11001 10 nnnnn ddddd",
    Frinti "frinti" "0 Q 1 01110 1s 10000 11001 10 nnnnn ddddd",
    Scvtf  "scvtf"  "0 Q 0 01110 0s 10000 11101 10 nnnnn ddddd",
    Ucvtf  "ucvtf"  "0 Q 1 01110 0s 10000 11101 10 nnnnn ddddd",
    Fcvtzs "fcvtzs" "0 Q 0 01110 1s 10000 11011 10 nnnnn ddddd",
    Fcvtzu "fcvtzu" "0 Q 1 01110 1s 10000 11011 10 nnnnn ddddd",
    // Comparisons with zero.
    Fcmeq0 "fcmeq"  "0 Q 0 01110 1s 10000 01101 10 nnnnn ddddd",
    Fcmge0 "fcmge"  "0 Q 1 01110 1s 10000 01100 10 nnnnn ddddd",
    Fcmgt0 "fcmgt"  "0 Q 0 01110 1s 10000 01100 10 nnnnn ddddd",
    Fcmle0 "fcmle"  "0 Q 1 01110 1s 10000 01101 10 nnnnn ddddd",
    Fcmlt0 "fcmlt"  "0 Q 0 01110 1s 10000 01110 10 nnnnn ddddd",
);

ops!(
    /// Of two vectors of narrow lanes to lanes of twice the width ("Advanced SIMD three different").
    VectorLong:
    Saddl "saddl" "0 Q 0 01110 ss 1 mmmmm 0000 00 nnnnn ddddd" "8 16 32",
    Uaddl "uaddl" "0 Q 1 01110 ss 1 mmmmm 0000 00 nnnnn ddddd" "8 16 32",
    Ssubl "ssubl" "0 Q 0 01110 ss 1 mmmmm 0010 00 nnnnn ddddd" "8 16 32",
    Usubl "usubl" "0 Q 1 01110 ss 1 mmmmm 0010 00 nnnnn ddddd" "8 16 32",
    Smull "smull" "0 Q 0 01110 ss 1 mmmmm 1100 00 nnnnn ddddd" "8 16 32",
    Umull "umull" "0 Q 1 01110 ss 1 mmmmm 1100 00 nnnnn ddddd" "8 16 32",
    Smlal "smlal" "0 Q 0 01110 ss 1 mmmmm 1000 00 nnnnn ddddd" "8 16 32",
    Umlal "umlal" "0 Q 1 01110 ss 1 mmmmm 1000 00 nnnnn ddddd" "8 16 32",
    Smlsl "smlsl" "0 Q 0 01110 ss 1 mmmmm 1010 00 nnnnn ddddd" "8 16 32",
    Umlsl "umlsl" "0 Q 1 01110 ss 1 mmmmm 1010 00 nnnnn ddddd" "8 16 32",
    Sabdl "sabdl" "0 Q 0 01110 ss 1 mmmmm 0111 00 nnnnn ddddd" "8 16 32",
    Uabdl "uabdl" "0 Q 1 01110 ss 1 mmmmm 0111 00 nnnnn ddddd" "8 16 32",
);

ops!(
    /// Of a vector of wide lanes and one of narrow lanes to wide lanes ("Advanced SIMD three different").
    VectorWide:
    Saddw "saddw" "0 Q 0 01110 ss 1 mmmmm 0001 00 nnnnn ddddd" "8 16 32",
    Uaddw "uaddw" "0 Q 1 01110 ss 1 mmmmm 0001 00 nnnnn ddddd" "8 16 32",
    Ssubw "ssubw" "0 Q 0 01110 ss 1 mmmmm 0011 00 nnnnn ddddd" "8 16 32",
    Usubw "usubw" "0 Q 1 01110 ss 1 mmmmm 0011 00 nnnnn ddddd" "8 16 32",
);

ops!(
    /// From wide lanes to narrow ones, cut off or saturated ("Advanced SIMD two-register miscellaneous").
    VectorNarrow:
    Xtn    "xtn"    "0 Q 0 01110 ss 10000 10010 10 nnnnn ddddd" "8 16 32",
    Sqxtn  "sqxtn"  "0 Q 0 01110 ss 10000 10100 10 nnnnn ddddd" "8 16 32",
    Uqxtn  "uqxtn"  "0 Q 1 01110 ss 10000 10100 10 nnnnn ddddd" "8 16 32",
    Sqxtun "sqxtun" "0 Q 1 01110 ss 10000 10010 10 nnnnn ddddd" "8 16 32",
);

ops!(
    /// All lanes of a vector to one number ("Advanced SIMD across lanes"); the last two to one of twice the width.
    Across:
    Addv   "addv"   "0 Q 0 01110 ss 11000 11011 10 nnnnn ddddd" "8 16 32",
    Smaxv  "smaxv"  "0 Q 0 01110 ss 11000 01010 10 nnnnn ddddd" "8 16 32",
    Sminv  "sminv"  "0 Q 0 01110 ss 11000 11010 10 nnnnn ddddd" "8 16 32",
    Umaxv  "umaxv"  "0 Q 1 01110 ss 11000 01010 10 nnnnn ddddd" "8 16 32",
    Uminv  "uminv"  "0 Q 1 01110 ss 11000 11010 10 nnnnn ddddd" "8 16 32",
    Saddlv "saddlv" "0 Q 0 01110 ss 11000 00011 10 nnnnn ddddd" "8 16 32",
    Uaddlv "uaddlv" "0 Q 1 01110 ss 11000 00011 10 nnnnn ddddd" "8 16 32",
);

ops!(
    /// All four lanes of single precision to one number ("Advanced SIMD across lanes").
    FloatAcross:
    Fmaxv   "fmaxv"   "0 1 1 01110 00 11000 01111 10 nnnnn ddddd",
    Fminv   "fminv"   "0 1 1 01110 10 11000 01111 10 nnnnn ddddd",
    Fmaxnmv "fmaxnmv" "0 1 1 01110 00 11000 01100 10 nnnnn ddddd",
    Fminnmv "fminnmv" "0 1 1 01110 10 11000 01100 10 nnnnn ddddd",
);

ops!(
    /// Lanes of two vectors in another order ("Advanced SIMD permute").
    Permute:
    Uzp1 "uzp1" "0 Q 001110 ss 0 mmmmm 0 001 10 nnnnn ddddd",
    Trn1 "trn1" "0 Q 001110 ss 0 mmmmm 0 010 10 nnnnn ddddd",
    Zip1 "zip1" "0 Q 001110 ss 0 mmmmm 0 011 10 nnnnn ddddd",
    Uzp2 "uzp2" "0 Q 001110 ss 0 mmmmm 0 101 10 nnnnn ddddd",
    Trn2 "trn2" "0 Q 001110 ss 0 mmmmm 0 110 10 nnnnn ddddd",
    Zip2 "zip2" "0 Q 001110 ss 0 mmmmm 0 111 10 nnnnn ddddd",
);

impl Vector2 {
    /// What the text has as last operand.
    pub(super) const fn zero(self) -> &'static str {
        match self {
            Vector2::Cmeq0 | Vector2::Cmge0 | Vector2::Cmgt0 | Vector2::Cmle0 | Vector2::Cmlt0 => ", #0",
            _ => "",
        }
    }

    pub(super) const fn widens(self) -> bool {
        matches!(self, Vector2::Saddlp | Vector2::Uaddlp)
    }
}

impl VectorFloat2 {
    /// What the text has as last operand.
    pub(super) const fn zero(self) -> &'static str {
        use VectorFloat2::*;
        match self {
            Fcmeq0 | Fcmge0 | Fcmgt0 | Fcmle0 | Fcmlt0 => ", #0.0",
            _ => "",
        }
    }
}

/// The lane of twice the width; of 64 bits itself.
pub(super) const fn wide(lane: Lane) -> Lane {
    match lane {
        Lane::B8 => Lane::B16,
        Lane::B16 => Lane::B32,
        Lane::B32 | Lane::B64 => Lane::B64,
    }
}

/// What the mnemonic of an operation on the upper half has at its end.
pub(super) const fn half_suffix(high: bool) -> &'static str {
    if high { "2" } else { "" }
}

/// The fields `Q` and `size` of an operation that widens or narrows.
const fn half_bits(lane: Lane, high: bool) -> u32 {
    full_bit(high) | (lane as u32) << 22
}

impl<L: Listing> Encoder<'_, L> {
    /// `add vd.4s, vn.4s, vm.4s` and its like.
    pub fn vector3(&mut self, op: Vector3, arrangement: Arrangement, d: Vreg, n: Vreg, m: Vreg) {
        let Some(fields) = arrangement.bits().filter(|_| op.has_lane(arrangement.lane)) else {
            return self.invalid();
        };
        self.same(op.bits() | fields, op.mnemonic(), arrangement, [d, n, m]);
    }

    /// `and vd.16b, vn.16b, vm.16b` and its like, of 128 or 64 bits.
    pub fn vector_logic(&mut self, op: VectorLogic, full: bool, d: Vreg, n: Vreg, m: Vreg) {
        let arrangement = Arrangement { lane: Lane::B8, full };
        self.same(op.bits() | arrangement.q(), op.mnemonic(), arrangement, [d, n, m]);
    }

    /// `mov vd.16b, vn.16b`: all 128 bits.
    #[inline]
    pub fn copy_vector(&mut self, d: Vreg, n: Vreg) {
        let word = VectorLogic::Orr.bits() | full_bit(true) | n.m() | n.n() | d.d();
        self.inst(word, format_args!("mov {}, {}", d.lanes(Lane::B8, true), n.lanes(Lane::B8, true)));
    }

    /// `fadd vd.4s, vn.4s, vm.4s` and its like, of 2s, 4s or 2d.
    pub fn vector_float3(&mut self, op: VectorFloat3, arrangement: Arrangement, d: Vreg, n: Vreg, m: Vreg) {
        let Some(fields) = arrangement.float_bits() else { return self.invalid() };
        self.same(op.bits() | fields, op.mnemonic(), arrangement, [d, n, m]);
    }

    /// `zip1 vd.4s, vn.4s, vm.4s` and its like.
    pub fn permute(&mut self, op: Permute, arrangement: Arrangement, d: Vreg, n: Vreg, m: Vreg) {
        let Some(fields) = arrangement.bits() else { return self.invalid() };
        self.same(op.bits() | fields, op.mnemonic(), arrangement, [d, n, m]);
    }

    fn same(&mut self, word: u32, mnemonic: &str, arrangement: Arrangement, [d, n, m]: [Vreg; 3]) {
        let word = word | m.m() | n.n() | d.d();
        let [d, n, m] = [d, n, m].map(|reg| reg.as_(arrangement));
        self.inst(word, format_args!("{mnemonic} {d}, {n}, {m}"));
    }

    /// `abs vd.4s, vn.4s` and its like; comparisons are with zero. `saddlp` and `uaddlp` have the lanes of the source.
    pub fn vector2(&mut self, op: Vector2, arrangement: Arrangement, d: Vreg, n: Vreg) {
        let Some(fields) = arrangement.bits().filter(|_| op.has_lane(arrangement.lane)) else {
            return self.invalid();
        };
        let lane = if op.widens() { wide(arrangement.lane) } else { arrangement.lane };
        let word = op.bits() | fields | n.n() | d.d();
        let (d, n) = (d.lanes(lane, arrangement.full), n.as_(arrangement));
        self.inst(word, format_args!("{} {d}, {n}{}", op.mnemonic(), op.zero()));
    }

    /// `fabs vd.4s, vn.4s` and its like, of 2s, 4s or 2d; comparisons are with zero.
    pub fn vector_float2(&mut self, op: VectorFloat2, arrangement: Arrangement, d: Vreg, n: Vreg) {
        let Some(fields) = arrangement.float_bits() else { return self.invalid() };
        let word = op.bits() | fields | n.n() | d.d();
        let (d, n) = (d.as_(arrangement), n.as_(arrangement));
        self.inst(word, format_args!("{} {d}, {n}{}", op.mnemonic(), op.zero()));
    }

    /// `smull vd.8h, vn.8b, vm.8b`, `smull2 vd.8h, vn.16b, vm.16b` and their like; the lane is the narrow one.
    pub fn vector_long(&mut self, op: VectorLong, lane: Lane, high: bool, d: Vreg, n: Vreg, m: Vreg) {
        let word = op.bits() | half_bits(lane, high) | m.m() | n.n() | d.d();
        let (d, [n, m]) = (d.lanes(wide(lane), true), [n, m].map(|reg| reg.lanes(lane, high)));
        let two = half_suffix(high);
        self.checked(op.has_lane(lane), word, format_args!("{}{two} {d}, {n}, {m}", op.mnemonic()));
    }

    /// `saddw vd.8h, vn.8h, vm.8b`, `saddw2 vd.8h, vn.8h, vm.16b` and their like; the lane is the narrow one.
    pub fn vector_wide(&mut self, op: VectorWide, lane: Lane, high: bool, d: Vreg, n: Vreg, m: Vreg) {
        let word = op.bits() | half_bits(lane, high) | m.m() | n.n() | d.d();
        let ([d, n], m) = ([d, n].map(|reg| reg.lanes(wide(lane), true)), m.lanes(lane, high));
        let two = half_suffix(high);
        self.checked(op.has_lane(lane), word, format_args!("{}{two} {d}, {n}, {m}", op.mnemonic()));
    }

    /// `xtn vd.8b, vn.8h`, `xtn2 vd.16b, vn.8h` and their like; the lane is the narrow one.
    pub fn vector_narrow(&mut self, op: VectorNarrow, lane: Lane, high: bool, d: Vreg, n: Vreg) {
        let word = op.bits() | half_bits(lane, high) | n.n() | d.d();
        let (d, n, two) = (d.lanes(lane, high), n.lanes(wide(lane), true), half_suffix(high));
        self.checked(op.has_lane(lane), word, format_args!("{}{two} {d}, {n}", op.mnemonic()));
    }

    /// `fcvtl vd.2d, vn.2s`, `fcvtl2 vd.2d, vn.4s` ("Advanced SIMD two-register miscellaneous"): from half or single precision to
    /// the next one.
    pub fn fcvtl(&mut self, high: bool, from: FloatWidth, d: Vreg, n: Vreg) {
        let Some((size, lane)) = converted(from) else { return self.invalid() };
        let word = bits!("0 Q 0 01110 0s 10000 10111 10 nnnnn ddddd") | full_bit(high) | size;
        let (dt, nt, two) = (d.lanes(wide(lane), true), n.lanes(lane, high), half_suffix(high));
        self.inst(word | n.n() | d.d(), format_args!("fcvtl{two} {dt}, {nt}"));
    }

    /// `fcvtn vd.2s, vn.2d`, `fcvtn2 vd.4s, vn.2d`: to half or single precision from the next one.
    pub fn fcvtn(&mut self, high: bool, to: FloatWidth, d: Vreg, n: Vreg) {
        let Some((size, lane)) = converted(to) else { return self.invalid() };
        let word = bits!("0 Q 0 01110 0s 10000 10110 10 nnnnn ddddd") | full_bit(high) | size;
        let (dt, nt, two) = (d.lanes(lane, high), n.lanes(wide(lane), true), half_suffix(high));
        self.inst(word | n.n() | d.d(), format_args!("fcvtn{two} {dt}, {nt}"));
    }

    /// `addv sd, vn.4s` and its like, of more than two lanes.
    pub fn across(&mut self, op: Across, arrangement: Arrangement, d: Vreg, n: Vreg) {
        let Arrangement { lane, full } = arrangement;
        let result = if matches!(op, Across::Saddlv | Across::Uaddlv) { wide(lane) } else { lane };
        let valid = op.has_lane(lane) && (lane != Lane::B32 || full);
        let word = op.bits() | half_bits(lane, full) | n.n() | d.d();
        let (d, n) = (d.of(FloatWidth::of_lane(result)), n.as_(arrangement));
        self.checked(valid, word, format_args!("{} {d}, {n}", op.mnemonic()));
    }

    /// `fmaxv sd, vn.4s` and its like.
    pub fn float_across(&mut self, op: FloatAcross, d: Vreg, n: Vreg) {
        let word = op.bits() | n.n() | d.d();
        let (d, n) = (d.of(FloatWidth::S), n.lanes(Lane::B32, true));
        self.inst(word, format_args!("{} {d}, {n}", op.mnemonic()));
    }
}

/// The field `sz` and the lanes of the narrow side of a conversion.
const fn converted(narrow: FloatWidth) -> Option<(u32, Lane)> {
    match narrow {
        FloatWidth::H => Some((0, Lane::B16)),
        FloatWidth::S => Some((1 << 22, Lane::B32)),
        _ => None,
    }
}

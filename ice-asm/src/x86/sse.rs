//! SSE, SSE2, SSSE3 and SSE4.1 as one table, one line an instruction (SDM volume 2); behind them what only AVX2 and FMA have.
//!
//! The encode functions go by operand shape, so that machine instructions carry the operation as data. An
//! operation used in a shape that it lacks is an invalid operand.
//!
//! Code for processors with AVX has the same instructions in another form ([`VectorForm`]): the prefix of VEX, and three
//! operands where the first of two is read, too. The functions here repeat the first; those of [`avx`](super::avx) take it as an
//! operand of its own, and registers of 256 bits.

use super::code::{Attrs, Code, Immediate, code};
use super::operand::{Gpr, Length, Mem, Mode, Rm, Width, Xmm};
use super::text::Op;
use super::{Encoder, VectorForm};
use crate::listing::Listing;

/// Which operands an operation takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// xmm, xmm/m, of which the first is read, too
    X,
    /// xmm, xmm/m
    One,
    /// xmm, xmm/m and the mask in xmm0; with any mask, the second code
    Blend,
    /// xmm, xmm/m and back (the second code)
    Move,
    /// xmm, m and back (the second code)
    MoveMem,
    /// m, xmm (the second code)
    Store,
    /// xmm, xmm
    XReg,
    /// xmm, xmm/m, imm8, of which the first is read, too
    XImm,
    /// xmm, xmm/m, imm8
    OneImm,
    /// xmm, xmm/m; by an immediate, the second code
    ShiftX,
    /// xmm, imm8 (the second code)
    ShiftI,
    /// xmm, r/m of a given width
    FromGpr,
    /// xmm, r/m and back (the second code)
    MoveGpr,
    /// xmm, r/m, imm8
    Insert,
    /// r/m, xmm, imm8
    Extract,
    /// r, xmm/m
    ToGpr,
    /// r, xmm
    ToGprReg,
}

pub(super) struct Row {
    pub mnemonic: &'static str,
    pub shape: Shape,
    pub code: Code,
    pub second: Code,
}

macro_rules! sse {
    ($($name:ident $mnemonic:literal $shape:ident $text:literal $($second:literal)?,)*) => {
        /// Operations on SSE registers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SseOp {
            $(#[doc = concat!("`", $mnemonic, "`, ", $text $(, ", ", $second)?)] $name,)*
        }

        /// The operands of an operation in the form of AVX, all of them vectors of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// One vector.
    One,
    /// One vector and a byte.
    OneByte,
    /// Two vectors.
    Two,
    /// Two vectors and a byte.
    TwoBytes,
    /// Two vectors and a mask.
    Blend,
    /// One vector, whose signs go to a general register.
    Signs,
    /// Others.
    Others,
}

impl SseOp {
    /// The operation of this mnemonic, in the form of AVX without its `v`.
    #[must_use]
    pub fn named(mnemonic: &str) -> Option<SseOp> {
        SseOp::ALL.iter().copied().find(|op| op.mnemonic() == mnemonic)
    }

    /// Its operands in the form of AVX. Those of scalars have two: the rest of the result is that of the first.
    #[must_use]
    pub fn operands(self) -> Operands {
        match self.row().shape {
            Shape::One => Operands::One,
            Shape::OneImm => Operands::OneByte,
            Shape::X => Operands::Two,
            Shape::XImm => Operands::TwoBytes,
            Shape::Blend => Operands::Blend,
            Shape::ToGprReg => Operands::Signs,
            _ => Operands::Others,
        }
    }

    /// Whether the result and the operand differ in length where one has 256 bits.
    #[must_use]
    pub fn changes_length(self) -> bool {
        use SseOp::*;
        self.narrows() || matches!(self, Cvtps2pd | Cvtdq2pd) || self >= Pmovzxbw && self <= Pmovsxdq || self >= Pbroadcastb
    }

            /// All operations, in order.
            pub const ALL: &[SseOp] = &[$(SseOp::$name),*];
        }

        static ROWS: &[Row] = &[$(Row {
            mnemonic: $mnemonic,
            shape: Shape::$shape,
            code: code($text),
            second: second(&[$($second)?]),
        }),*];
    };
}

const fn second(text: &[&str]) -> Code {
    if text.is_empty() { Code::NONE } else { code(text[0]) }
}

#[rustfmt::skip]
sse! {
    // Moves: load, store.
    Movss      "movss"      Move     "F3 0F 10 /r" "F3 0F 11 /r",
    Movsd      "movsd"      Move     "F2 0F 10 /r" "F2 0F 11 /r",
    Movaps     "movaps"     Move     "0F 28 /r"    "0F 29 /r",
    Movapd     "movapd"     Move     "66 0F 28 /r" "66 0F 29 /r",
    Movups     "movups"     Move     "0F 10 /r"    "0F 11 /r",
    Movupd     "movupd"     Move     "66 0F 10 /r" "66 0F 11 /r",
    Movdqa     "movdqa"     Move     "66 0F 6F /r" "66 0F 7F /r",
    Movdqu     "movdqu"     Move     "F3 0F 6F /r" "F3 0F 7F /r",
    Movq       "movq"       Move     "F3 0F 7E /r" "66 0F D6 /r",
    Movlps     "movlps"     MoveMem  "0F 12 /r"    "0F 13 /r",
    Movhps     "movhps"     MoveMem  "0F 16 /r"    "0F 17 /r",
    Movlpd     "movlpd"     MoveMem  "66 0F 12 /r" "66 0F 13 /r",
    Movhpd     "movhpd"     MoveMem  "66 0F 16 /r" "66 0F 17 /r",
    Movntps    "movntps"    Store    "0F 2B /r"    "0F 2B /r",
    Movntdq    "movntdq"    Store    "66 0F E7 /r" "66 0F E7 /r",
    Movhlps    "movhlps"    XReg     "0F 12 /r",
    Movlhps    "movlhps"    XReg     "0F 16 /r",
    // With general registers: `movd` in 32 bits, `movq` in 64.
    MovGpr     "mov"        MoveGpr  "66 0F 6E /r" "66 0F 7E /r",

    // Arithmetic.
    Addss      "addss"      X "F3 0F 58 /r",
    Addsd      "addsd"      X "F2 0F 58 /r",
    Addps      "addps"      X "0F 58 /r",
    Addpd      "addpd"      X "66 0F 58 /r",
    Subss      "subss"      X "F3 0F 5C /r",
    Subsd      "subsd"      X "F2 0F 5C /r",
    Subps      "subps"      X "0F 5C /r",
    Subpd      "subpd"      X "66 0F 5C /r",
    Mulss      "mulss"      X "F3 0F 59 /r",
    Mulsd      "mulsd"      X "F2 0F 59 /r",
    Mulps      "mulps"      X "0F 59 /r",
    Mulpd      "mulpd"      X "66 0F 59 /r",
    Divss      "divss"      X "F3 0F 5E /r",
    Divsd      "divsd"      X "F2 0F 5E /r",
    Divps      "divps"      X "0F 5E /r",
    Divpd      "divpd"      X "66 0F 5E /r",
    Minss      "minss"      X "F3 0F 5D /r",
    Minsd      "minsd"      X "F2 0F 5D /r",
    Minps      "minps"      X "0F 5D /r",
    Minpd      "minpd"      X "66 0F 5D /r",
    Maxss      "maxss"      X "F3 0F 5F /r",
    Maxsd      "maxsd"      X "F2 0F 5F /r",
    Maxps      "maxps"      X "0F 5F /r",
    Maxpd      "maxpd"      X "66 0F 5F /r",
    Sqrtss     "sqrtss"     X "F3 0F 51 /r",
    Sqrtsd     "sqrtsd"     X "F2 0F 51 /r",
    Sqrtps     "sqrtps"     One "0F 51 /r",
    Sqrtpd     "sqrtpd"     One "66 0F 51 /r",
    Rsqrtps    "rsqrtps"    One "0F 52 /r",
    Rcpps      "rcpps"      One "0F 53 /r",
    Andps      "andps"      X "0F 54 /r",
    Andpd      "andpd"      X "66 0F 54 /r",
    Andnps     "andnps"     X "0F 55 /r",
    Andnpd     "andnpd"     X "66 0F 55 /r",
    Orps       "orps"       X "0F 56 /r",
    Orpd       "orpd"       X "66 0F 56 /r",
    Xorps      "xorps"      X "0F 57 /r",
    Xorpd      "xorpd"      X "66 0F 57 /r",
    Haddps     "haddps"     X "F2 0F 7C /r",
    Haddpd     "haddpd"     X "66 0F 7C /r",

    Hsubps     "hsubps"     X "F2 0F 7D /r",
    Hsubpd     "hsubpd"     X "66 0F 7D /r",
    Addsubps   "addsubps"   X "F2 0F D0 /r",
    Addsubpd   "addsubpd"   X "66 0F D0 /r",

    // Comparison.
    Ucomiss    "ucomiss"    One "0F 2E /r",
    Ucomisd    "ucomisd"    One "66 0F 2E /r",
    Comiss     "comiss"     One "0F 2F /r",
    Comisd     "comisd"     One "66 0F 2F /r",
    Cmpss      "cmpss"      XImm "F3 0F C2 /r",
    Cmpsd      "cmpsd"      XImm "F2 0F C2 /r",
    Cmpps      "cmpps"      XImm "0F C2 /r",
    Cmppd      "cmppd"      XImm "66 0F C2 /r",

    // Conversion.
    Cvtsi2ss   "cvtsi2ss"   FromGpr "F3 0F 2A /r",
    Cvtsi2sd   "cvtsi2sd"   FromGpr "F2 0F 2A /r",
    Cvtss2si   "cvtss2si"   ToGpr "F3 0F 2D /r",
    Cvtsd2si   "cvtsd2si"   ToGpr "F2 0F 2D /r",
    Cvttss2si  "cvttss2si"  ToGpr "F3 0F 2C /r",
    Cvttsd2si  "cvttsd2si"  ToGpr "F2 0F 2C /r",
    Cvtss2sd   "cvtss2sd"   X "F3 0F 5A /r",
    Cvtsd2ss   "cvtsd2ss"   X "F2 0F 5A /r",
    Cvtps2pd   "cvtps2pd"   One "0F 5A /r",
    Cvtpd2ps   "cvtpd2ps"   One "66 0F 5A /r",
    Cvtdq2ps   "cvtdq2ps"   One "0F 5B /r",
    Cvtps2dq   "cvtps2dq"   One "66 0F 5B /r",
    Cvttps2dq  "cvttps2dq"  One "F3 0F 5B /r",
    Cvtdq2pd   "cvtdq2pd"   One "F3 0F E6 /r",
    Cvtpd2dq   "cvtpd2dq"   One "F2 0F E6 /r",
    Cvttpd2dq  "cvttpd2dq"  One "66 0F E6 /r",

    // Integer arithmetic.
    Paddb      "paddb"      X "66 0F FC /r",
    Paddw      "paddw"      X "66 0F FD /r",
    Paddd      "paddd"      X "66 0F FE /r",
    Paddq      "paddq"      X "66 0F D4 /r",
    Psubb      "psubb"      X "66 0F F8 /r",
    Psubw      "psubw"      X "66 0F F9 /r",
    Psubd      "psubd"      X "66 0F FA /r",
    Psubq      "psubq"      X "66 0F FB /r",
    Paddsb     "paddsb"     X "66 0F EC /r",
    Paddsw     "paddsw"     X "66 0F ED /r",
    Paddusb    "paddusb"    X "66 0F DC /r",
    Paddusw    "paddusw"    X "66 0F DD /r",
    Psubsb     "psubsb"     X "66 0F E8 /r",
    Psubsw     "psubsw"     X "66 0F E9 /r",
    Psubusb    "psubusb"    X "66 0F D8 /r",
    Psubusw    "psubusw"    X "66 0F D9 /r",
    Pmullw     "pmullw"     X "66 0F D5 /r",
    Pmulhw     "pmulhw"     X "66 0F E5 /r",
    Pmulhuw    "pmulhuw"    X "66 0F E4 /r",
    Pmuludq    "pmuludq"    X "66 0F F4 /r",
    Pmaddwd    "pmaddwd"    X "66 0F F5 /r",
    Pmulld     "pmulld"     X "66 0F 38 40 /r",
    Pmuldq     "pmuldq"     X "66 0F 38 28 /r",
    Pavgb      "pavgb"      X "66 0F E0 /r",
    Pavgw      "pavgw"      X "66 0F E3 /r",
    Psadbw     "psadbw"     X "66 0F F6 /r",
    Pabsb      "pabsb"      One "66 0F 38 1C /r",
    Pabsw      "pabsw"      One "66 0F 38 1D /r",
    Pabsd      "pabsd"      One "66 0F 38 1E /r",
    Phaddw     "phaddw"     X "66 0F 38 01 /r",
    Phaddd     "phaddd"     X "66 0F 38 02 /r",
    Phaddsw    "phaddsw"    X "66 0F 38 03 /r",
    Phsubw     "phsubw"     X "66 0F 38 05 /r",
    Phsubd     "phsubd"     X "66 0F 38 06 /r",
    Phsubsw    "phsubsw"    X "66 0F 38 07 /r",
    Pmaddubsw  "pmaddubsw"  X "66 0F 38 04 /r",
    Pmulhrsw   "pmulhrsw"   X "66 0F 38 0B /r",
    Psignb     "psignb"     X "66 0F 38 08 /r",
    Psignw     "psignw"     X "66 0F 38 09 /r",
    Psignd     "psignd"     X "66 0F 38 0A /r",
    Pand       "pand"       X "66 0F DB /r",
    Pandn      "pandn"      X "66 0F DF /r",
    Por        "por"        X "66 0F EB /r",
    Pxor       "pxor"       X "66 0F EF /r",
    Pcmpeqb    "pcmpeqb"    X "66 0F 74 /r",
    Pcmpeqw    "pcmpeqw"    X "66 0F 75 /r",
    Pcmpeqd    "pcmpeqd"    X "66 0F 76 /r",
    Pcmpeqq    "pcmpeqq"    X "66 0F 38 29 /r",
    Pcmpgtb    "pcmpgtb"    X "66 0F 64 /r",
    Pcmpgtw    "pcmpgtw"    X "66 0F 65 /r",
    Pcmpgtd    "pcmpgtd"    X "66 0F 66 /r",
    Pcmpgtq    "pcmpgtq"    X "66 0F 38 37 /r",
    Pminub     "pminub"     X "66 0F DA /r",
    Pminuw     "pminuw"     X "66 0F 38 3A /r",
    Pminud     "pminud"     X "66 0F 38 3B /r",
    Pminsb     "pminsb"     X "66 0F 38 38 /r",
    Pminsw     "pminsw"     X "66 0F EA /r",
    Pminsd     "pminsd"     X "66 0F 38 39 /r",
    Pmaxub     "pmaxub"     X "66 0F DE /r",
    Pmaxuw     "pmaxuw"     X "66 0F 38 3E /r",
    Pmaxud     "pmaxud"     X "66 0F 38 3F /r",
    Pmaxsb     "pmaxsb"     X "66 0F 38 3C /r",
    Pmaxsw     "pmaxsw"     X "66 0F EE /r",
    Pmaxsd     "pmaxsd"     X "66 0F 38 3D /r",
    Ptest      "ptest"      One "66 0F 38 17 /r",

    // Shifts by a register or memory; by an immediate.
    Psllw      "psllw"      ShiftX "66 0F F1 /r" "66 0F 71 /6",
    Pslld      "pslld"      ShiftX "66 0F F2 /r" "66 0F 72 /6",
    Psllq      "psllq"      ShiftX "66 0F F3 /r" "66 0F 73 /6",
    Psrlw      "psrlw"      ShiftX "66 0F D1 /r" "66 0F 71 /2",
    Psrld      "psrld"      ShiftX "66 0F D2 /r" "66 0F 72 /2",
    Psrlq      "psrlq"      ShiftX "66 0F D3 /r" "66 0F 73 /2",
    Psraw      "psraw"      ShiftX "66 0F E1 /r" "66 0F 71 /4",
    Psrad      "psrad"      ShiftX "66 0F E2 /r" "66 0F 72 /4",
    Pslldq     "pslldq"     ShiftI "66 0F 73 /7" "66 0F 73 /7",
    Psrldq     "psrldq"     ShiftI "66 0F 73 /3" "66 0F 73 /3",

    // Shuffles.
    Pshufb     "pshufb"     X "66 0F 38 00 /r",
    Pshufd     "pshufd"     OneImm "66 0F 70 /r",
    Pshuflw    "pshuflw"    OneImm "F2 0F 70 /r",
    Pshufhw    "pshufhw"    OneImm "F3 0F 70 /r",
    Shufps     "shufps"     XImm "0F C6 /r",
    Shufpd     "shufpd"     XImm "66 0F C6 /r",
    Palignr    "palignr"    XImm "66 0F 3A 0F /r",
    Unpcklps   "unpcklps"   X "0F 14 /r",
    Unpcklpd   "unpcklpd"   X "66 0F 14 /r",
    Unpckhps   "unpckhps"   X "0F 15 /r",
    Unpckhpd   "unpckhpd"   X "66 0F 15 /r",
    Punpcklbw  "punpcklbw"  X "66 0F 60 /r",
    Punpcklwd  "punpcklwd"  X "66 0F 61 /r",
    Punpckldq  "punpckldq"  X "66 0F 62 /r",
    Punpcklqdq "punpcklqdq" X "66 0F 6C /r",
    Punpckhbw  "punpckhbw"  X "66 0F 68 /r",
    Punpckhwd  "punpckhwd"  X "66 0F 69 /r",
    Punpckhdq  "punpckhdq"  X "66 0F 6A /r",
    Punpckhqdq "punpckhqdq" X "66 0F 6D /r",
    Packsswb   "packsswb"   X "66 0F 63 /r",
    Packssdw   "packssdw"   X "66 0F 6B /r",
    Packuswb   "packuswb"   X "66 0F 67 /r",
    Packusdw   "packusdw"   X "66 0F 38 2B /r",
    Pmovzxbw   "pmovzxbw"   One "66 0F 38 30 /r",
    Pmovzxbd   "pmovzxbd"   One "66 0F 38 31 /r",
    Pmovzxbq   "pmovzxbq"   One "66 0F 38 32 /r",
    Pmovzxwd   "pmovzxwd"   One "66 0F 38 33 /r",
    Pmovzxwq   "pmovzxwq"   One "66 0F 38 34 /r",
    Pmovzxdq   "pmovzxdq"   One "66 0F 38 35 /r",
    Pmovsxbw   "pmovsxbw"   One "66 0F 38 20 /r",
    Pmovsxbd   "pmovsxbd"   One "66 0F 38 21 /r",
    Pmovsxbq   "pmovsxbq"   One "66 0F 38 22 /r",
    Pmovsxwd   "pmovsxwd"   One "66 0F 38 23 /r",
    Pmovsxwq   "pmovsxwq"   One "66 0F 38 24 /r",
    Pmovsxdq   "pmovsxdq"   One "66 0F 38 25 /r",

    // Blends (the three variable ones take their mask from xmm0) and rounding.
    Pblendvb   "pblendvb"   Blend "66 0F 38 10 /r" "66 0F 3A 4C /r",
    Blendvps   "blendvps"   Blend "66 0F 38 14 /r" "66 0F 3A 4A /r",
    Blendvpd   "blendvpd"   Blend "66 0F 38 15 /r" "66 0F 3A 4B /r",
    Blendps    "blendps"    XImm "66 0F 3A 0C /r",
    Blendpd    "blendpd"    XImm "66 0F 3A 0D /r",
    Pblendw    "pblendw"    XImm "66 0F 3A 0E /r",
    Roundss    "roundss"    XImm "66 0F 3A 0A /r",
    Roundsd    "roundsd"    XImm "66 0F 3A 0B /r",
    Roundps    "roundps"    OneImm "66 0F 3A 08 /r",
    Roundpd    "roundpd"    OneImm "66 0F 3A 09 /r",
    Insertps   "insertps"   XImm "66 0F 3A 21 /r",

    // Lanes to and from general registers. `pextrw` to a register has the older code.
    Pinsrb     "pinsrb"     Insert "66 0F 3A 20 /r",
    Pinsrw     "pinsrw"     Insert "66 0F C4 /r",
    Pinsrd     "pinsrd"     Insert "66 0F 3A 22 /r",
    Pinsrq     "pinsrq"     Insert "66 REX.W 0F 3A 22 /r",
    Pextrb     "pextrb"     Extract "66 0F 3A 14 /r",
    Pextrw     "pextrw"     Extract "66 0F 3A 15 /r" "66 0F C5 /r",
    Pextrd     "pextrd"     Extract "66 0F 3A 16 /r",
    Pextrq     "pextrq"     Extract "66 REX.W 0F 3A 16 /r",
    Extractps  "extractps"  Extract "66 0F 3A 17 /r",
    Pmovmskb   "pmovmskb"   ToGprReg "66 0F D7 /r",
    Movmskps   "movmskps"   ToGprReg "0F 50 /r",
    Movmskpd   "movmskpd"   ToGprReg "66 0F 50 /r",

    // From here on with AVX2 or FMA only. Shifts lane by lane.
    Psllvd     "psllvd"     X "66 0F 38 47 /r",
    Psllvq     "psllvq"     X "66 REX.W 0F 38 47 /r",
    Psrlvd     "psrlvd"     X "66 0F 38 45 /r",
    Psrlvq     "psrlvq"     X "66 REX.W 0F 38 45 /r",
    Psravd     "psravd"     X "66 0F 38 46 /r",
    // Lanes across the halves, words blended, lanes repeated.
    Permd      "permd"      X "66 0F 38 36 /r",
    Permps     "permps"     X "66 0F 38 16 /r",
    Perm2i128  "perm2i128"  XImm "66 0F 3A 46 /r",
    Permq      "permq"      OneImm "66 REX.W 0F 3A 00 /r",
    Pblendd    "pblendd"    XImm "66 0F 3A 02 /r",
    Pbroadcastb "pbroadcastb" One "66 0F 38 78 /r",
    Pbroadcastw "pbroadcastw" One "66 0F 38 79 /r",
    Pbroadcastd "pbroadcastd" One "66 0F 38 58 /r",
    Pbroadcastq "pbroadcastq" One "66 0F 38 59 /r",
    Broadcastss "broadcastss" One "66 0F 38 18 /r",
    Broadcastsd "broadcastsd" One "66 0F 38 19 /r",
    Broadcastf128 "broadcastf128" One "66 0F 38 1A /r",
    // Products with sums: the first operand times the second (213) or the second times the third (231), plus the other.
    Fmadd213ps "fmadd213ps" X "66 0F 38 A8 /r",
    Fmadd213pd "fmadd213pd" X "66 REX.W 0F 38 A8 /r",
    Fmadd231ps "fmadd231ps" X "66 0F 38 B8 /r",
    Fmadd231pd "fmadd231pd" X "66 REX.W 0F 38 B8 /r",
    Fmadd231ss "fmadd231ss" X "66 0F 38 B9 /r",
    Fmadd231sd "fmadd231sd" X "66 REX.W 0F 38 B9 /r",
}

/// The predicate of `cmpss` and its like, as their immediate (SDM volume 2, table 3-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Predicate {
    /// Equal, ordered.
    Eq,
    /// Less than, ordered.
    Lt,
    /// Less or equal, ordered.
    Le,
    /// Unordered.
    Unord,
    /// Not equal or unordered.
    Neq,
    /// Not less than, or unordered.
    Nlt,
    /// Not less or equal, or unordered.
    Nle,
    /// Ordered.
    Ord,
}

impl SseOp {
    /// The mnemonic.
    #[must_use]
    pub fn mnemonic(self) -> &'static str {
        self.row().mnemonic
    }

    /// The operation of this mnemonic.
    pub(super) fn find(mnemonic: &str) -> Option<SseOp> {
        SseOp::ALL.iter().copied().find(|op| !op.is_avx() && op.mnemonic() == mnemonic)
    }

    /// Whether it has the form of AVX only. The mnemonic is that behind the `v`.
    #[must_use]
    pub fn is_avx(self) -> bool {
        self >= SseOp::FIRST_AVX
    }

    /// Whether it has vectors of 256 bits only.
    #[must_use]
    pub fn is_long(self) -> bool {
        use SseOp::*;
        matches!(self, Permd | Permps | Perm2i128 | Permq | Broadcastsd | Broadcastf128)
    }

    /// Whether the result is half as long as the operand, where that has 256 bits.
    pub(super) fn narrows(self) -> bool {
        matches!(self, SseOp::Cvtpd2ps | SseOp::Cvtpd2dq | SseOp::Cvttpd2dq)
    }

    /// Whether it does not matter which of two vectors is the first.
    pub(super) fn commutes(self) -> bool {
        use SseOp::*;
        let is_float =
            matches!(self, Addps | Addpd | Mulps | Mulpd | Andps | Andpd | Orps | Orpd | Xorps | Xorpd);
        let is_sum = matches!(
            self,
            Paddb | Paddw | Paddd | Paddq | Paddsb | Paddsw | Paddusb | Paddusw | Pavgb | Pavgw
        );
        let is_product =
            matches!(self, Pmullw | Pmulhw | Pmulhuw | Pmuludq | Pmaddwd | Psadbw | Pand | Por | Pxor);
        let is_equal = matches!(self, Pcmpeqb | Pcmpeqw | Pcmpeqd | Pminub | Pminsw | Pmaxub | Pmaxsw);
        is_float || is_sum || is_product || is_equal
    }

    const FIRST_AVX: SseOp = SseOp::Psllvd;

    /// Whether it takes a value from a general register.
    pub(super) fn takes_general(self) -> bool {
        matches!(self.row().shape, Shape::FromGpr | Shape::MoveGpr | Shape::Insert)
    }

    pub(super) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

fn imm8(value: u8) -> Immediate {
    Immediate::new(value.into(), 1)
}

fn xmm_op(rm: &Rm<Xmm>) -> Op<'_> {
    match rm {
        Rm::Reg(reg) => Op::Xmm(*reg),
        Rm::Mem(mem) => Op::Mem(mem),
    }
}

/// A register or memory as the encoder of AVX takes it.
fn number(rm: &Rm<Xmm>) -> Rm<u8> {
    match *rm {
        Rm::Reg(reg) => Rm::Reg(reg.number()),
        Rm::Mem(mem) => Rm::Mem(mem),
    }
}

fn general(rm: &Rm<Gpr>) -> Rm<u8> {
    match *rm {
        Rm::Reg(reg) => Rm::Reg(reg.number()),
        Rm::Mem(mem) => Rm::Mem(mem),
    }
}

impl<L: Listing> Encoder<'_, L> {
    fn sse_xm(&mut self, code: Code, attrs: Attrs, reg: u8, rm: &Rm<Xmm>, imm: Immediate) {
        match rm {
            Rm::Reg(rm) => self.inst_rr(code, attrs, reg, rm.number(), imm),
            Rm::Mem(mem) => self.inst_rm(code, attrs, reg, mem, imm),
        }
    }

    fn sse_gpr(&mut self, code: Code, attrs: Attrs, reg: u8, rm: &Rm<Gpr>, imm: Immediate) {
        match rm {
            Rm::Reg(rm) => self.inst_rr(code, attrs, reg, rm.number(), imm),
            Rm::Mem(mem) => self.inst_rm(code, attrs, reg, mem, imm),
        }
    }

    /// Whether general registers of this width are there, as the prefix of VEX does not say.
    fn has_width(&self, width: Width) -> bool {
        width != Width::B64 || self.mode == Mode::Bits64
    }

    /// Whether the operation has the form that instructions have here.
    fn has_form(&self, op: SseOp) -> bool {
        !op.is_avx() || self.form == VectorForm::Avx && !op.is_long()
    }

    /// `op xmm, xmm/m`: arithmetic, conversions, loads and moves between registers.
    pub fn sse_x_xm(&mut self, op: SseOp, dst: Xmm, src: Rm<Xmm>) {
        let row = op.row();
        match (row.shape, src) {
            (Shape::X | Shape::One | Shape::Blend | Shape::Move | Shape::ShiftX, _)
            | (Shape::MoveMem, Rm::Mem(_))
            | (Shape::XReg, Rm::Reg(_))
                if self.has_form(op) => {}
            _ => return self.invalid(),
        }
        if self.form == VectorForm::Avx {
            return match (row.shape, src) {
                (Shape::Move, Rm::Reg(_)) if !matches!(op, SseOp::Movss | SseOp::Movsd) => {
                    self.avx_one(op, Length::B128, dst, src)
                }
                (Shape::Blend, _) => self.avx_blend(op, Length::B128, dst, dst, src, Xmm::XMM0),
                (Shape::One, _) | (Shape::Move, Rm::Mem(_)) => self.avx_one(op, Length::B128, dst, src),
                _ => self.avx(op, Length::B128, dst, dst, src),
            };
        }
        self.line(&[row.mnemonic], &[xmm_op(&src), Op::Xmm(dst)]);
        self.sse_xm(row.code, Attrs::NONE, dst.number(), &src, Immediate::NONE);
    }

    /// `op m, xmm`: the stores of the moves.
    pub fn sse_m_x(&mut self, op: SseOp, dst: Mem, src: Xmm) {
        let row = op.row();
        if !matches!(row.shape, Shape::Move | Shape::MoveMem | Shape::Store) {
            return self.invalid();
        }
        if self.form == VectorForm::Avx {
            return self.avx_store(op, Length::B128, dst, src);
        }
        self.line(&[row.mnemonic], &[Op::Xmm(src), Op::Mem(&dst)]);
        self.inst_rm(row.second, Attrs::NONE, src.number(), &dst, Immediate::NONE);
    }

    /// `op xmm, xmm/m, imm8`: shuffles, rounding, comparisons ([`Predicate`] as number).
    pub fn sse_x_xm_i(&mut self, op: SseOp, dst: Xmm, src: Rm<Xmm>, imm: u8) {
        let row = op.row();
        if !matches!(row.shape, Shape::XImm | Shape::OneImm) || !self.has_form(op) {
            return self.invalid();
        }
        if self.form == VectorForm::Avx {
            return match row.shape {
                Shape::OneImm => self.avx_one_i(op, Length::B128, dst, src, imm),
                _ => self.avx_i(op, Length::B128, dst, dst, src, imm),
            };
        }
        self.line(&[row.mnemonic], &[Op::Imm(imm.into()), xmm_op(&src), Op::Xmm(dst)]);
        self.sse_xm(row.code, Attrs::NONE, dst.number(), &src, imm8(imm));
    }

    /// `op xmm, imm8`: shifts.
    pub fn sse_x_i(&mut self, op: SseOp, dst: Xmm, imm: u8) {
        let row = op.row();
        if !matches!(row.shape, Shape::ShiftX | Shape::ShiftI) {
            return self.invalid();
        }
        if self.form == VectorForm::Avx {
            return self.avx_shift(op, Length::B128, dst, dst, imm);
        }
        self.line(&[row.mnemonic], &[Op::Imm(imm.into()), Op::Xmm(dst)]);
        self.inst_rr(row.second, Attrs::NONE, row.second.ext, dst.number(), imm8(imm));
    }

    /// `op xmm, r/m`: `cvtsi2ss`, `cvtsi2sd` and the moves `movd`, `movq`; 32 or 64 bits.
    pub fn sse_x_rm(&mut self, op: SseOp, width: Width, dst: Xmm, src: Rm<Gpr>) {
        let row = op.row();
        let suffix = match (row.shape, width) {
            (Shape::FromGpr, Width::B32) => "l",
            (Shape::MoveGpr, Width::B32) => "d",
            (Shape::FromGpr, Width::B64) => "q",
            // The shorter code from memory.
            (Shape::MoveGpr, Width::B64) => match src {
                Rm::Mem(mem) => return self.sse_x_xm(SseOp::Movq, dst, Rm::Mem(mem)),
                Rm::Reg(_) => "q",
            },
            _ => return self.invalid(),
        };
        if self.form == VectorForm::Avx {
            if !self.has_width(width) {
                return self.invalid();
            }
            let first = (row.shape == Shape::FromGpr).then_some(dst);
            let code = row.code.with(Attrs::width(width));
            self.avx_line(&["v", row.mnemonic, suffix], &[Op::rm(&src, width)], first, Op::Xmm(dst));
            return self.avx_inst(code, Length::B128, dst.number(), first, general(&src), Immediate::NONE);
        }
        self.line(&[row.mnemonic, suffix], &[Op::rm(&src, width), Op::Xmm(dst)]);
        self.sse_gpr(row.code, Attrs::width(width), dst.number(), &src, Immediate::NONE);
    }

    /// `movd r/m, xmm`, `movq r/m, xmm`: [`SseOp::MovGpr`] back; 32 or 64 bits.
    pub fn sse_rm_x(&mut self, op: SseOp, width: Width, dst: Rm<Gpr>, src: Xmm) {
        let row = op.row();
        let suffix = match (row.shape, width) {
            (Shape::MoveGpr, Width::B32) => "d",
            (Shape::MoveGpr, Width::B64) => match dst {
                Rm::Mem(mem) => return self.sse_m_x(SseOp::Movq, mem, src),
                Rm::Reg(_) => "q",
            },
            _ => return self.invalid(),
        };
        if self.form == VectorForm::Avx {
            if !self.has_width(width) {
                return self.invalid();
            }
            let code = row.second.with(Attrs::width(width));
            self.avx_line(&["v", row.mnemonic, suffix], &[Op::Xmm(src)], None, Op::rm(&dst, width));
            return self.avx_inst(code, Length::B128, src.number(), None, general(&dst), Immediate::NONE);
        }
        self.line(&[row.mnemonic, suffix], &[Op::Xmm(src), Op::rm(&dst, width)]);
        self.sse_gpr(row.second, Attrs::width(width), src.number(), &dst, Immediate::NONE);
    }

    /// `op r, xmm/m`: conversions to integers (32 or 64 bits) and sign masks (32 bits, no memory).
    pub fn sse_r_xm(&mut self, op: SseOp, width: Width, dst: Gpr, src: Rm<Xmm>) {
        let row = op.row();
        match (row.shape, src, width) {
            (Shape::ToGpr, _, Width::B32 | Width::B64) | (Shape::ToGprReg, Rm::Reg(_), Width::B32) => {}
            _ => return self.invalid(),
        }
        if self.form == VectorForm::Avx {
            if !self.has_width(width) {
                return self.invalid();
            }
            let code = row.code.with(Attrs::width(width));
            self.avx_line(&["v", row.mnemonic], &[xmm_op(&src)], None, Op::Reg(dst, width));
            return self.avx_inst(code, Length::B128, dst.number(), None, number(&src), Immediate::NONE);
        }
        self.line(&[row.mnemonic], &[xmm_op(&src), Op::Reg(dst, width)]);
        self.sse_xm(row.code, Attrs::width(width), dst.number(), &src, Immediate::NONE);
    }

    /// `op xmm, r/m, imm8`: `pinsrb`, `pinsrw`, `pinsrd`, `pinsrq`.
    pub fn sse_x_rm_i(&mut self, op: SseOp, dst: Xmm, src: Rm<Gpr>, imm: u8) {
        let row = op.row();
        let width = if row.code.is_wide() { Width::B64 } else { Width::B32 };
        if row.shape != Shape::Insert || !self.has_width(width) {
            return self.invalid();
        }
        if self.form == VectorForm::Avx {
            let ops = [Op::Imm(imm.into()), Op::rm(&src, width)];
            self.avx_line(&["v", row.mnemonic], &ops, Some(dst), Op::Xmm(dst));
            return self.avx_inst(row.code, Length::B128, dst.number(), Some(dst), general(&src), imm8(imm));
        }
        self.line(&[row.mnemonic], &[Op::Imm(imm.into()), Op::rm(&src, width), Op::Xmm(dst)]);
        self.sse_gpr(row.code, Attrs::NONE, dst.number(), &src, imm8(imm));
    }

    /// `op r/m, xmm, imm8`: `pextrb`, `pextrw`, `pextrd`, `pextrq`, `extractps`. Registers are zero-extended.
    pub fn sse_rm_x_i(&mut self, op: SseOp, dst: Rm<Gpr>, src: Xmm, imm: u8) {
        let row = op.row();
        let width = if row.code.is_wide() { Width::B64 } else { Width::B32 };
        if row.shape != Shape::Extract || !self.has_width(width) {
            return self.invalid();
        }
        let is_avx = self.form == VectorForm::Avx;
        if is_avx {
            let ops = [Op::Imm(imm.into()), Op::Xmm(src)];
            self.avx_line(&["v", row.mnemonic], &ops, None, Op::rm(&dst, width));
        } else {
            self.line(&[row.mnemonic], &[Op::Imm(imm.into()), Op::Xmm(src), Op::rm(&dst, width)]);
        }
        let (src, length) = (src.number(), Length::B128);
        match dst {
            Rm::Reg(dst) if op == SseOp::Pextrw => match is_avx {
                true => {
                    self.avx_inst(row.second, length, dst.number(), None, Rm::Reg(src), imm8(imm));
                }
                false => self.inst_rr(row.second, Attrs::NONE, dst.number(), src, imm8(imm)),
            },
            _ if is_avx => self.avx_inst(row.code, length, src, None, general(&dst), imm8(imm)),
            _ => self.sse_gpr(row.code, Attrs::NONE, src, &dst, imm8(imm)),
        }
    }
}

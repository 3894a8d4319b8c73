//! Instructions that compilers never choose, by their encodings (DDI 0487, C4.1); [`fields`](super::fields) says how operands are
//! written.

use crate::lane::lane_set;
use crate::table::pattern;

/// An instruction.
pub(super) struct Row {
    pub name: &'static str,
    pub operands: &'static str,
    /// The widths of lanes, as a set.
    pub lanes: u8,
    /// The word without operands.
    pub word: u32,
}

pub(super) fn is_known(name: &str) -> bool {
    TABLES.into_iter().flatten().any(|row| row.is_named(name).is_some())
}

/// Rows with the same operands: mnemonic, encoding, widths of lanes.
macro_rules! rows {
    ($operands:literal: $($name:literal $text:literal $lanes:literal,)*) => {
        &[$(Row { name: $name, operands: $operands, lanes: lane_set($lanes), word: pattern($text) }),*]
    };
}

/// Rows with their own operands: mnemonic, operands, encoding.
macro_rules! others {
    ($($name:literal $operands:literal $text:literal,)*) => {
        &[$(Row { name: $name, operands: $operands, lanes: 15, word: pattern($text) }),*]
    };
}

/// "Data-processing (2 source)", "Cryptographic AES", "Cryptographic two-register SHA", "three-register SHA", "four-register",
/// "Advanced SIMD three-register extension".
const OTHERS: &[Row] = others! {
    "crc32b"  "Wd Wn Wm" "0 0 0 11010110 mmmmm 010 0 00 nnnnn ddddd",
    "crc32h"  "Wd Wn Wm" "0 0 0 11010110 mmmmm 010 0 01 nnnnn ddddd",
    "crc32w"  "Wd Wn Wm" "0 0 0 11010110 mmmmm 010 0 10 nnnnn ddddd",
    "crc32x"  "Wd Wn Xm" "1 0 0 11010110 mmmmm 010 0 11 nnnnn ddddd",
    "crc32cb" "Wd Wn Wm" "0 0 0 11010110 mmmmm 010 1 00 nnnnn ddddd",
    "crc32ch" "Wd Wn Wm" "0 0 0 11010110 mmmmm 010 1 01 nnnnn ddddd",
    "crc32cw" "Wd Wn Wm" "0 0 0 11010110 mmmmm 010 1 10 nnnnn ddddd",
    "crc32cx" "Wd Wn Xm" "1 0 0 11010110 mmmmm 010 1 11 nnnnn ddddd",
    "aese"      "Vd.16b Vn.16b" "01001110 00 10100 00100 10 nnnnn ddddd",
    "aesd"      "Vd.16b Vn.16b" "01001110 00 10100 00101 10 nnnnn ddddd",
    "aesmc"     "Vd.16b Vn.16b" "01001110 00 10100 00110 10 nnnnn ddddd",
    "aesimc"    "Vd.16b Vn.16b" "01001110 00 10100 00111 10 nnnnn ddddd",
    "sha1h"     "Sd Sn"         "01011110 00 10100 00000 10 nnnnn ddddd",
    "sha1su1"   "Vd.4s Vn.4s"   "01011110 00 10100 00001 10 nnnnn ddddd",
    "sha256su0" "Vd.4s Vn.4s"   "01011110 00 10100 00010 10 nnnnn ddddd",
    "sha1c"     "Qd Sn Vm.4s"       "01011110 000 mmmmm 0 000 00 nnnnn ddddd",
    "sha1p"     "Qd Sn Vm.4s"       "01011110 000 mmmmm 0 001 00 nnnnn ddddd",
    "sha1m"     "Qd Sn Vm.4s"       "01011110 000 mmmmm 0 010 00 nnnnn ddddd",
    "sha1su0"   "Vd.4s Vn.4s Vm.4s" "01011110 000 mmmmm 0 011 00 nnnnn ddddd",
    "sha256h"   "Qd Qn Vm.4s"       "01011110 000 mmmmm 0 100 00 nnnnn ddddd",
    "sha256h2"  "Qd Qn Vm.4s"       "01011110 000 mmmmm 0 101 00 nnnnn ddddd",
    "sha256su1" "Vd.4s Vn.4s Vm.4s" "01011110 000 mmmmm 0 110 00 nnnnn ddddd",
    "eor3" "Vd.16b Vn.16b Vm.16b Va.16b" "11001110000 mmmmm 0 aaaaa nnnnn ddddd",
    "bcax" "Vd.16b Vn.16b Vm.16b Va.16b" "11001110001 mmmmm 0 aaaaa nnnnn ddddd",
    "rax1" "Vd.2d Vn.2d Vm.2d"           "11001110011 mmmmm 100011 nnnnn ddddd",
    "xar"  "Vd.2d Vn.2d Vm.2d rotate"    "11001110100 mmmmm iiiiii nnnnn ddddd",
    "sha512h"   "Qd Qn Vm.2d"          "11001110011 mmmmm 100000 nnnnn ddddd",
    "sha512h2"  "Qd Qn Vm.2d"          "11001110011 mmmmm 100001 nnnnn ddddd",
    "sha512su0" "Vd.2d Vn.2d"          "1100111011000000 100000 nnnnn ddddd",
    "sha512su1" "Vd.2d Vn.2d Vm.2d"    "11001110011 mmmmm 100010 nnnnn ddddd",
    "sm3partw1" "Vd.4s Vn.4s Vm.4s"    "11001110011 mmmmm 110000 nnnnn ddddd",
    "sm3partw2" "Vd.4s Vn.4s Vm.4s"    "11001110011 mmmmm 110001 nnnnn ddddd",
    "sm3ss1" "Vd.4s Vn.4s Vm.4s Va.4s" "11001110010 mmmmm 0 aaaaa nnnnn ddddd",
    "sm3tt1a" "Vd.4s Vn.4s Vm.L"       "11001110010 mmmmm 10 ii 00 nnnnn ddddd",
    "sm3tt1b" "Vd.4s Vn.4s Vm.L"       "11001110010 mmmmm 10 ii 01 nnnnn ddddd",
    "sm3tt2a" "Vd.4s Vn.4s Vm.L"       "11001110010 mmmmm 10 ii 10 nnnnn ddddd",
    "sm3tt2b" "Vd.4s Vn.4s Vm.L"       "11001110010 mmmmm 10 ii 11 nnnnn ddddd",
    "sm4e"    "Vd.4s Vn.4s"            "1100111011000000 100001 nnnnn ddddd",
    "sm4ekey" "Vd.4s Vn.4s Vm.4s"      "11001110011 mmmmm 110010 nnnnn ddddd",
    "fjcvtzs" "Wd Dn" "0001111001111110000000 nnnnn ddddd",
    "pmull"  "Vd.8h Vn.8b Vm.8b"   "0 0 0 01110 00 1 mmmmm 1110 00 nnnnn ddddd",
    "pmull2" "Vd.8h Vn.16b Vm.16b" "0 1 0 01110 00 1 mmmmm 1110 00 nnnnn ddddd",
    "pmull"  "Vd.1q Vn.1d Vm.1d"   "0 0 0 01110 11 1 mmmmm 1110 00 nnnnn ddddd",
    "pmull2" "Vd.1q Vn.2d Vm.2d"   "0 1 0 01110 11 1 mmmmm 1110 00 nnnnn ddddd",
    "sdot" "Vd.2s Vn.8b Vm.8b"   "0 0 0 01110 10 0 mmmmm 1 0010 1 nnnnn ddddd",
    "sdot" "Vd.4s Vn.16b Vm.16b" "0 1 0 01110 10 0 mmmmm 1 0010 1 nnnnn ddddd",
    "udot" "Vd.2s Vn.8b Vm.8b"   "0 0 1 01110 10 0 mmmmm 1 0010 1 nnnnn ddddd",
    "udot" "Vd.4s Vn.16b Vm.16b" "0 1 1 01110 10 0 mmmmm 1 0010 1 nnnnn ddddd",
    "usdot" "Vd.2s Vn.8b Vm.8b"   "0 0 0 01110 10 0 mmmmm 1 0011 1 nnnnn ddddd",
    "usdot" "Vd.4s Vn.16b Vm.16b" "0 1 0 01110 10 0 mmmmm 1 0011 1 nnnnn ddddd",
    "smmla"  "Vd.4s Vn.16b Vm.16b" "0 1 0 01110 10 0 mmmmm 1 0100 1 nnnnn ddddd",
    "ummla"  "Vd.4s Vn.16b Vm.16b" "0 1 1 01110 10 0 mmmmm 1 0100 1 nnnnn ddddd",
    "usmmla" "Vd.4s Vn.16b Vm.16b" "0 1 0 01110 10 0 mmmmm 1 0101 1 nnnnn ddddd",
    "addp"    "Dd Vn.2d" "01 0 11110 11 11000 11011 10 nnnnn ddddd",
    "faddp"   "Sd Vn.2s" "01 1 11110 00 11000 01101 10 nnnnn ddddd",
    "faddp"   "Dd Vn.2d" "01 1 11110 01 11000 01101 10 nnnnn ddddd",
    "fmaxp"   "Sd Vn.2s" "01 1 11110 00 11000 01111 10 nnnnn ddddd",
    "fmaxp"   "Dd Vn.2d" "01 1 11110 01 11000 01111 10 nnnnn ddddd",
    "fminp"   "Sd Vn.2s" "01 1 11110 10 11000 01111 10 nnnnn ddddd",
    "fminp"   "Dd Vn.2d" "01 1 11110 11 11000 01111 10 nnnnn ddddd",
    "fmaxnmp" "Sd Vn.2s" "01 1 11110 00 11000 01100 10 nnnnn ddddd",
    "fmaxnmp" "Dd Vn.2d" "01 1 11110 01 11000 01100 10 nnnnn ddddd",
    "fminnmp" "Sd Vn.2s" "01 1 11110 10 11000 01100 10 nnnnn ddddd",
    "fminnmp" "Dd Vn.2d" "01 1 11110 11 11000 01100 10 nnnnn ddddd",
    "fcvtxn"  "Sd Dn"       "01 1 11110 01 10000 10110 10 nnnnn ddddd",
    "fcvtxn"  "Vd.2s Vn.2d" "0 0 1 01110 01 10000 10110 10 nnnnn ddddd",
    "fcvtxn2" "Vd.4s Vn.2d" "0 1 1 01110 01 10000 10110 10 nnnnn ddddd",
    "sqxtn"  "Bd Hn" "01 0 11110 00 10000 10100 10 nnnnn ddddd",
    "sqxtn"  "Hd Sn" "01 0 11110 01 10000 10100 10 nnnnn ddddd",
    "sqxtn"  "Sd Dn" "01 0 11110 10 10000 10100 10 nnnnn ddddd",
    "uqxtn"  "Bd Hn" "01 1 11110 00 10000 10100 10 nnnnn ddddd",
    "uqxtn"  "Hd Sn" "01 1 11110 01 10000 10100 10 nnnnn ddddd",
    "uqxtn"  "Sd Dn" "01 1 11110 10 10000 10100 10 nnnnn ddddd",
    "sqxtun" "Bd Hn" "01 1 11110 00 10000 10010 10 nnnnn ddddd",
    "sqxtun" "Hd Sn" "01 1 11110 01 10000 10010 10 nnnnn ddddd",
    "sqxtun" "Sd Dn" "01 1 11110 10 10000 10010 10 nnnnn ddddd",
};

/// "Advanced SIMD three same" and its extension.
const THREE: &[Row] = rows! { "Vd.T Vn.T Vm.T":
    "shsub"    "0 Q 0 01110 ss 1 mmmmm 00100 1 nnnnn ddddd" "8 16 32",
    "uhsub"    "0 Q 1 01110 ss 1 mmmmm 00100 1 nnnnn ddddd" "8 16 32",
    "sqshl"    "0 Q 0 01110 ss 1 mmmmm 01001 1 nnnnn ddddd" "8 16 32 64",
    "uqshl"    "0 Q 1 01110 ss 1 mmmmm 01001 1 nnnnn ddddd" "8 16 32 64",
    "srshl"    "0 Q 0 01110 ss 1 mmmmm 01010 1 nnnnn ddddd" "8 16 32 64",
    "urshl"    "0 Q 1 01110 ss 1 mmmmm 01010 1 nnnnn ddddd" "8 16 32 64",
    "sqrshl"   "0 Q 0 01110 ss 1 mmmmm 01011 1 nnnnn ddddd" "8 16 32 64",
    "uqrshl"   "0 Q 1 01110 ss 1 mmmmm 01011 1 nnnnn ddddd" "8 16 32 64",
    "saba"     "0 Q 0 01110 ss 1 mmmmm 01111 1 nnnnn ddddd" "8 16 32",
    "uaba"     "0 Q 1 01110 ss 1 mmmmm 01111 1 nnnnn ddddd" "8 16 32",
    "pmul"     "0 Q 1 01110 ss 1 mmmmm 10011 1 nnnnn ddddd" "8",
    "sqrdmlah" "0 Q 1 01110 ss 0 mmmmm 10000 1 nnnnn ddddd" "16 32",
    "sqrdmlsh" "0 Q 1 01110 ss 0 mmmmm 10001 1 nnnnn ddddd" "16 32",
};

const THREE_FLOATS: &[Row] = rows! { "Vd.F Vn.F Vm.F":
    "fmulx"   "0 Q 0 01110 0s 1 mmmmm 11011 1 nnnnn ddddd" "32 64",
    "facge"   "0 Q 1 01110 0s 1 mmmmm 11101 1 nnnnn ddddd" "32 64",
    "facgt"   "0 Q 1 01110 1s 1 mmmmm 11101 1 nnnnn ddddd" "32 64",
    "frecps"  "0 Q 0 01110 0s 1 mmmmm 11111 1 nnnnn ddddd" "32 64",
    "frsqrts" "0 Q 0 01110 1s 1 mmmmm 11111 1 nnnnn ddddd" "32 64",
    "fmaxp"   "0 Q 1 01110 0s 1 mmmmm 11110 1 nnnnn ddddd" "32 64",
    "fminp"   "0 Q 1 01110 1s 1 mmmmm 11110 1 nnnnn ddddd" "32 64",
    "fmaxnmp" "0 Q 1 01110 0s 1 mmmmm 11000 1 nnnnn ddddd" "32 64",
    "fminnmp" "0 Q 1 01110 1s 1 mmmmm 11000 1 nnnnn ddddd" "32 64",
};

/// "Advanced SIMD three-register extension": numbers that are pairs.
const COMPLEX_SUMS: &[Row] = rows! { "Vd.F Vn.F Vm.F side":
    "fcadd" "0 Q 1 01110 1s 0 mmmmm 111 o 0 1 nnnnn ddddd" "32 64",
};

const COMPLEX_PRODUCTS: &[Row] = rows! { "Vd.F Vn.F Vm.F quarters":
    "fcmla" "0 Q 1 01110 1s 0 mmmmm 110 oo 1 nnnnn ddddd" "32 64",
};

/// "Advanced SIMD scalar three same".
const SCALARS: &[Row] = rows! { "Id In Im":
    "add"      "01 0 11110 ss 1 mmmmm 10000 1 nnnnn ddddd" "64",
    "sub"      "01 1 11110 ss 1 mmmmm 10000 1 nnnnn ddddd" "64",
    "cmeq"     "01 1 11110 ss 1 mmmmm 10001 1 nnnnn ddddd" "64",
    "cmgt"     "01 0 11110 ss 1 mmmmm 00110 1 nnnnn ddddd" "64",
    "cmge"     "01 0 11110 ss 1 mmmmm 00111 1 nnnnn ddddd" "64",
    "cmhi"     "01 1 11110 ss 1 mmmmm 00110 1 nnnnn ddddd" "64",
    "cmhs"     "01 1 11110 ss 1 mmmmm 00111 1 nnnnn ddddd" "64",
    "cmtst"    "01 0 11110 ss 1 mmmmm 10001 1 nnnnn ddddd" "64",
    "sshl"     "01 0 11110 ss 1 mmmmm 01000 1 nnnnn ddddd" "64",
    "ushl"     "01 1 11110 ss 1 mmmmm 01000 1 nnnnn ddddd" "64",
    "srshl"    "01 0 11110 ss 1 mmmmm 01010 1 nnnnn ddddd" "64",
    "urshl"    "01 1 11110 ss 1 mmmmm 01010 1 nnnnn ddddd" "64",
    "sqadd"    "01 0 11110 ss 1 mmmmm 00001 1 nnnnn ddddd" "8 16 32 64",
    "uqadd"    "01 1 11110 ss 1 mmmmm 00001 1 nnnnn ddddd" "8 16 32 64",
    "sqsub"    "01 0 11110 ss 1 mmmmm 00101 1 nnnnn ddddd" "8 16 32 64",
    "uqsub"    "01 1 11110 ss 1 mmmmm 00101 1 nnnnn ddddd" "8 16 32 64",
    "sqshl"    "01 0 11110 ss 1 mmmmm 01001 1 nnnnn ddddd" "8 16 32 64",
    "uqshl"    "01 1 11110 ss 1 mmmmm 01001 1 nnnnn ddddd" "8 16 32 64",
    "sqrshl"   "01 0 11110 ss 1 mmmmm 01011 1 nnnnn ddddd" "8 16 32 64",
    "uqrshl"   "01 1 11110 ss 1 mmmmm 01011 1 nnnnn ddddd" "8 16 32 64",
    "sqdmulh"  "01 0 11110 ss 1 mmmmm 10110 1 nnnnn ddddd" "16 32",
    "sqrdmulh" "01 1 11110 ss 1 mmmmm 10110 1 nnnnn ddddd" "16 32",
};

const SCALAR_FLOATS: &[Row] = rows! { "Fd Fn Fm":
    "fmulx"   "01 0 11110 0s 1 mmmmm 11011 1 nnnnn ddddd" "32 64",
    "fcmeq"   "01 0 11110 0s 1 mmmmm 11100 1 nnnnn ddddd" "32 64",
    "frecps"  "01 0 11110 0s 1 mmmmm 11111 1 nnnnn ddddd" "32 64",
    "frsqrts" "01 0 11110 1s 1 mmmmm 11111 1 nnnnn ddddd" "32 64",
    "fcmge"   "01 1 11110 0s 1 mmmmm 11100 1 nnnnn ddddd" "32 64",
    "facge"   "01 1 11110 0s 1 mmmmm 11101 1 nnnnn ddddd" "32 64",
    "fabd"    "01 1 11110 1s 1 mmmmm 11010 1 nnnnn ddddd" "32 64",
    "fcmgt"   "01 1 11110 1s 1 mmmmm 11100 1 nnnnn ddddd" "32 64",
    "facgt"   "01 1 11110 1s 1 mmmmm 11101 1 nnnnn ddddd" "32 64",
};

/// "Advanced SIMD two-register miscellaneous".
const TWO: &[Row] = rows! { "Vd.T Vn.T":
    "suqadd" "0 Q 0 01110 ss 10000 00011 10 nnnnn ddddd" "8 16 32 64",
    "usqadd" "0 Q 1 01110 ss 10000 00011 10 nnnnn ddddd" "8 16 32 64",
};

const TWO_PAIRS: &[Row] = rows! { "Vd.P Vn.t":
    "sadalp" "0 Q 0 01110 ss 10000 00110 10 nnnnn ddddd" "8 16 32",
    "uadalp" "0 Q 1 01110 ss 10000 00110 10 nnnnn ddddd" "8 16 32",
};

const TWO_LONG: &[Row] = rows! { "Vd.W Vn.N width":
    "shll" "0 Q 1 01110 ss 10000 10011 10 nnnnn ddddd" "8 16 32",
};

const TWO_FLOATS: &[Row] = rows! { "Vd.F Vn.F":
    "fcvtns"  "0 Q 0 01110 0s 10000 11010 10 nnnnn ddddd" "32 64",
    "fcvtms"  "0 Q 0 01110 0s 10000 11011 10 nnnnn ddddd" "32 64",
    "fcvtas"  "0 Q 0 01110 0s 10000 11100 10 nnnnn ddddd" "32 64",
    "fcvtps"  "0 Q 0 01110 1s 10000 11010 10 nnnnn ddddd" "32 64",
    "fcvtnu"  "0 Q 1 01110 0s 10000 11010 10 nnnnn ddddd" "32 64",
    "fcvtmu"  "0 Q 1 01110 0s 10000 11011 10 nnnnn ddddd" "32 64",
    "fcvtau"  "0 Q 1 01110 0s 10000 11100 10 nnnnn ddddd" "32 64",
    "fcvtpu"  "0 Q 1 01110 1s 10000 11010 10 nnnnn ddddd" "32 64",
    "frint32z" "0 Q 0 01110 0s 10000 11110 10 nnnnn ddddd" "32 64",
    "frint32x" "0 Q 1 01110 0s 10000 11110 10 nnnnn ddddd" "32 64",
    "frint64z" "0 Q 0 01110 0s 10000 11111 10 nnnnn ddddd" "32 64",
    "frint64x" "0 Q 1 01110 0s 10000 11111 10 nnnnn ddddd" "32 64",
    "urecpe"  "0 Q 0 01110 1s 10000 11100 10 nnnnn ddddd" "32",
    "frecpe"  "0 Q 0 01110 1s 10000 11101 10 nnnnn ddddd" "32 64",
    "ursqrte" "0 Q 1 01110 1s 10000 11100 10 nnnnn ddddd" "32",
    "frsqrte" "0 Q 1 01110 1s 10000 11101 10 nnnnn ddddd" "32 64",
};

/// "Advanced SIMD scalar two-register miscellaneous".
const SCALARS_TWO: &[Row] = rows! { "Id In":
    "abs"    "01 0 11110 ss 10000 01011 10 nnnnn ddddd" "64",
    "neg"    "01 1 11110 ss 10000 01011 10 nnnnn ddddd" "64",
    "sqabs"  "01 0 11110 ss 10000 00111 10 nnnnn ddddd" "8 16 32 64",
    "sqneg"  "01 1 11110 ss 10000 00111 10 nnnnn ddddd" "8 16 32 64",
    "suqadd" "01 0 11110 ss 10000 00011 10 nnnnn ddddd" "8 16 32 64",
    "usqadd" "01 1 11110 ss 10000 00011 10 nnnnn ddddd" "8 16 32 64",
};

const SCALARS_ZERO: &[Row] = rows! { "Id In zero":
    "cmgt" "01 0 11110 ss 10000 01000 10 nnnnn ddddd" "64",
    "cmge" "01 1 11110 ss 10000 01000 10 nnnnn ddddd" "64",
    "cmeq" "01 0 11110 ss 10000 01001 10 nnnnn ddddd" "64",
    "cmle" "01 1 11110 ss 10000 01001 10 nnnnn ddddd" "64",
    "cmlt" "01 0 11110 ss 10000 01010 10 nnnnn ddddd" "64",
};

const SCALAR_FLOATS_TWO: &[Row] = rows! { "Fd Fn":
    "fcvtns"  "01 0 11110 0s 10000 11010 10 nnnnn ddddd" "32 64",
    "fcvtms"  "01 0 11110 0s 10000 11011 10 nnnnn ddddd" "32 64",
    "fcvtas"  "01 0 11110 0s 10000 11100 10 nnnnn ddddd" "32 64",
    "fcvtps"  "01 0 11110 1s 10000 11010 10 nnnnn ddddd" "32 64",
    "fcvtzs"  "01 0 11110 1s 10000 11011 10 nnnnn ddddd" "32 64",
    "fcvtnu"  "01 1 11110 0s 10000 11010 10 nnnnn ddddd" "32 64",
    "fcvtmu"  "01 1 11110 0s 10000 11011 10 nnnnn ddddd" "32 64",
    "fcvtau"  "01 1 11110 0s 10000 11100 10 nnnnn ddddd" "32 64",
    "fcvtpu"  "01 1 11110 1s 10000 11010 10 nnnnn ddddd" "32 64",
    "fcvtzu"  "01 1 11110 1s 10000 11011 10 nnnnn ddddd" "32 64",
    "scvtf"   "01 0 11110 0s 10000 11101 10 nnnnn ddddd" "32 64",
    "ucvtf"   "01 1 11110 0s 10000 11101 10 nnnnn ddddd" "32 64",
    // "Floating-point data-processing (1 source)".
    "frint32z" "000 11110 0s 1 010000 10000 nnnnn ddddd" "32 64",
    "frint32x" "000 11110 0s 1 010001 10000 nnnnn ddddd" "32 64",
    "frint64z" "000 11110 0s 1 010010 10000 nnnnn ddddd" "32 64",
    "frint64x" "000 11110 0s 1 010011 10000 nnnnn ddddd" "32 64",
    "frecpe"  "01 0 11110 1s 10000 11101 10 nnnnn ddddd" "32 64",
    "frecpx"  "01 0 11110 1s 10000 11111 10 nnnnn ddddd" "32 64",
    "frsqrte" "01 1 11110 1s 10000 11101 10 nnnnn ddddd" "32 64",
};

const SCALAR_FLOATS_ZERO: &[Row] = rows! { "Fd Fn zero":
    "fcmgt" "01 0 11110 1s 10000 01100 10 nnnnn ddddd" "32 64",
    "fcmeq" "01 0 11110 1s 10000 01101 10 nnnnn ddddd" "32 64",
    "fcmlt" "01 0 11110 1s 10000 01110 10 nnnnn ddddd" "32 64",
    "fcmge" "01 1 11110 1s 10000 01100 10 nnnnn ddddd" "32 64",
    "fcmle" "01 1 11110 1s 10000 01101 10 nnnnn ddddd" "32 64",
};

/// "Advanced SIMD three different".
const LONG: &[Row] = rows! { "Vd.W Vn.N Vm.N":
    "sabal"   "0 Q 0 01110 ss 1 mmmmm 0101 00 nnnnn ddddd" "8 16 32",
    "uabal"   "0 Q 1 01110 ss 1 mmmmm 0101 00 nnnnn ddddd" "8 16 32",
    "sqdmlal" "0 Q 0 01110 ss 1 mmmmm 1001 00 nnnnn ddddd" "16 32",
    "sqdmlsl" "0 Q 0 01110 ss 1 mmmmm 1011 00 nnnnn ddddd" "16 32",
    "sqdmull" "0 Q 0 01110 ss 1 mmmmm 1101 00 nnnnn ddddd" "16 32",
};

const NARROW: &[Row] = rows! { "Vd.N Vn.W Vm.W":
    "addhn"  "0 Q 0 01110 ss 1 mmmmm 0100 00 nnnnn ddddd" "8 16 32",
    "raddhn" "0 Q 1 01110 ss 1 mmmmm 0100 00 nnnnn ddddd" "8 16 32",
    "subhn"  "0 Q 0 01110 ss 1 mmmmm 0110 00 nnnnn ddddd" "8 16 32",
    "rsubhn" "0 Q 1 01110 ss 1 mmmmm 0110 00 nnnnn ddddd" "8 16 32",
};

/// "Advanced SIMD vector x indexed element".
const ELEMENT: &[Row] = rows! { "Vd.T Vn.T Vm.E":
    "mla"      "0 Q 1 01111 ss LM mmmm 0000 H 0 nnnnn ddddd" "16 32",
    "mls"      "0 Q 1 01111 ss LM mmmm 0100 H 0 nnnnn ddddd" "16 32",
    "mul"      "0 Q 0 01111 ss LM mmmm 1000 H 0 nnnnn ddddd" "16 32",
    "sqdmulh"  "0 Q 0 01111 ss LM mmmm 1100 H 0 nnnnn ddddd" "16 32",
    "sqrdmulh" "0 Q 0 01111 ss LM mmmm 1101 H 0 nnnnn ddddd" "16 32",
    "sqrdmlah" "0 Q 1 01111 ss LM mmmm 1101 H 0 nnnnn ddddd" "16 32",
    "sqrdmlsh" "0 Q 1 01111 ss LM mmmm 1111 H 0 nnnnn ddddd" "16 32",
};

const ELEMENT_LONG: &[Row] = rows! { "Vd.W Vn.N Vm.E":
    "smlal"   "0 Q 0 01111 ss LM mmmm 0010 H 0 nnnnn ddddd" "16 32",
    "umlal"   "0 Q 1 01111 ss LM mmmm 0010 H 0 nnnnn ddddd" "16 32",
    "smlsl"   "0 Q 0 01111 ss LM mmmm 0110 H 0 nnnnn ddddd" "16 32",
    "umlsl"   "0 Q 1 01111 ss LM mmmm 0110 H 0 nnnnn ddddd" "16 32",
    "smull"   "0 Q 0 01111 ss LM mmmm 1010 H 0 nnnnn ddddd" "16 32",
    "umull"   "0 Q 1 01111 ss LM mmmm 1010 H 0 nnnnn ddddd" "16 32",
    "sqdmlal" "0 Q 0 01111 ss LM mmmm 0011 H 0 nnnnn ddddd" "16 32",
    "sqdmlsl" "0 Q 0 01111 ss LM mmmm 0111 H 0 nnnnn ddddd" "16 32",
    "sqdmull" "0 Q 0 01111 ss LM mmmm 1011 H 0 nnnnn ddddd" "16 32",
};

const ELEMENT_FLOATS: &[Row] = rows! { "Vd.F Vn.F Vm.E":
    "fmla"  "0 Q 0 01111 1s LM mmmm 0001 H 0 nnnnn ddddd" "32 64",
    "fmls"  "0 Q 0 01111 1s LM mmmm 0101 H 0 nnnnn ddddd" "32 64",
    "fmul"  "0 Q 0 01111 1s LM mmmm 1001 H 0 nnnnn ddddd" "32 64",
    "fmulx" "0 Q 1 01111 1s LM mmmm 1001 H 0 nnnnn ddddd" "32 64",
};

/// "Advanced SIMD scalar x indexed element".
const ELEMENT_SCALARS: &[Row] = rows! { "Fd Fn Vm.E":
    "fmla"  "01 0 11111 1s LM mmmm 0001 H 0 nnnnn ddddd" "32 64",
    "fmls"  "01 0 11111 1s LM mmmm 0101 H 0 nnnnn ddddd" "32 64",
    "fmul"  "01 0 11111 1s LM mmmm 1001 H 0 nnnnn ddddd" "32 64",
    "fmulx" "01 1 11111 1s LM mmmm 1001 H 0 nnnnn ddddd" "32 64",
};

/// "Advanced SIMD shift by immediate".
const SHIFT_RIGHT: &[Row] = rows! { "Vd.t Vn.t shr":
    "srsra"  "0 Q 0 011110 iiii iii 00110 1 nnnnn ddddd" "8 16 32 64",
    "ursra"  "0 Q 1 011110 iiii iii 00110 1 nnnnn ddddd" "8 16 32 64",
    "scvtf"  "0 Q 0 011110 iiii iii 11100 1 nnnnn ddddd" "32 64",
    "ucvtf"  "0 Q 1 011110 iiii iii 11100 1 nnnnn ddddd" "32 64",
    "fcvtzs" "0 Q 0 011110 iiii iii 11111 1 nnnnn ddddd" "32 64",
    "fcvtzu" "0 Q 1 011110 iiii iii 11111 1 nnnnn ddddd" "32 64",
};

const SHIFT_LEFT: &[Row] = rows! { "Vd.t Vn.t shl":
    "sqshl"  "0 Q 0 011110 iiii iii 01110 1 nnnnn ddddd" "8 16 32 64",
    "uqshl"  "0 Q 1 011110 iiii iii 01110 1 nnnnn ddddd" "8 16 32 64",
    "sqshlu" "0 Q 1 011110 iiii iii 01100 1 nnnnn ddddd" "8 16 32 64",
};

const SHIFT_NARROW: &[Row] = rows! { "Vd.n Vn.w shr":
    "sqrshrn"  "0 Q 0 011110 iiii iii 10011 1 nnnnn ddddd" "8 16 32",
    "uqrshrn"  "0 Q 1 011110 iiii iii 10011 1 nnnnn ddddd" "8 16 32",
    "sqrshrun" "0 Q 1 011110 iiii iii 10001 1 nnnnn ddddd" "8 16 32",
};

/// "Advanced SIMD scalar shift by immediate".
const SHIFT_SCALARS: &[Row] = others! {
    "sshr"  "Dd Dn shr" "01 0 111110 iiii iii 00000 1 nnnnn ddddd",
    "ushr"  "Dd Dn shr" "01 1 111110 iiii iii 00000 1 nnnnn ddddd",
    "ssra"  "Dd Dn shr" "01 0 111110 iiii iii 00010 1 nnnnn ddddd",
    "usra"  "Dd Dn shr" "01 1 111110 iiii iii 00010 1 nnnnn ddddd",
    "srshr" "Dd Dn shr" "01 0 111110 iiii iii 00100 1 nnnnn ddddd",
    "urshr" "Dd Dn shr" "01 1 111110 iiii iii 00100 1 nnnnn ddddd",
    "srsra" "Dd Dn shr" "01 0 111110 iiii iii 00110 1 nnnnn ddddd",
    "ursra" "Dd Dn shr" "01 1 111110 iiii iii 00110 1 nnnnn ddddd",
    "sri"   "Dd Dn shr" "01 1 111110 iiii iii 01000 1 nnnnn ddddd",
    "shl"   "Dd Dn shl" "01 0 111110 iiii iii 01010 1 nnnnn ddddd",
    "sli"   "Dd Dn shl" "01 1 111110 iiii iii 01010 1 nnnnn ddddd",
    "scvtf"  "Sd Sn shr" "01 0 111110 iiii iii 11100 1 nnnnn ddddd",
    "scvtf"  "Dd Dn shr" "01 0 111110 iiii iii 11100 1 nnnnn ddddd",
    "ucvtf"  "Sd Sn shr" "01 1 111110 iiii iii 11100 1 nnnnn ddddd",
    "ucvtf"  "Dd Dn shr" "01 1 111110 iiii iii 11100 1 nnnnn ddddd",
    "fcvtzs" "Sd Sn shr" "01 0 111110 iiii iii 11111 1 nnnnn ddddd",
    "fcvtzs" "Dd Dn shr" "01 0 111110 iiii iii 11111 1 nnnnn ddddd",
    "fcvtzu" "Sd Sn shr" "01 1 111110 iiii iii 11111 1 nnnnn ddddd",
    "fcvtzu" "Dd Dn shr" "01 1 111110 iiii iii 11111 1 nnnnn ddddd",
};

/// All of them.
pub(super) const TABLES: [&[Row]; 25] = [
    OTHERS,
    THREE,
    THREE_FLOATS,
    COMPLEX_SUMS,
    COMPLEX_PRODUCTS,
    SCALARS,
    SCALAR_FLOATS,
    TWO,
    TWO_PAIRS,
    TWO_LONG,
    TWO_FLOATS,
    SCALARS_TWO,
    SCALARS_ZERO,
    SCALAR_FLOATS_TWO,
    SCALAR_FLOATS_ZERO,
    LONG,
    NARROW,
    ELEMENT,
    ELEMENT_LONG,
    ELEMENT_FLOATS,
    ELEMENT_SCALARS,
    SHIFT_RIGHT,
    SHIFT_LEFT,
    SHIFT_NARROW,
    SHIFT_SCALARS,
];

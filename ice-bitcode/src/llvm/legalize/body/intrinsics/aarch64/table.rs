//! The intrinsics of AArch64 that are understood, each with the rule that gives its value or effect: Advanced SIMD, the ciphers,
//! and checksums.

use ice_ir::{FloatCond, IntCond, Intrinsic};

use super::super::Row;
use super::super::instruction::Order;
use super::super::table::{effect, nothing, value};
use super::Form;
use crate::llvm::legalize::body::float::{Nans, Zeros};
use crate::llvm::legalize::body::integer::Sign;

/// The mnemonic of a row: its name, if it has no other.
macro_rules! mnemonic {
    ($name:literal) => {
        $name
    };
    ($name:literal $mnemonic:literal) => {
        $mnemonic
    };
}

/// One instruction: how it takes its operands, and of each name behind the prefix its mnemonic, if that is another.
macro_rules! instructions {
    ($prefix:literal: $($form:ident: $($name:literal $(= $mnemonic:literal)?),*;)*) => {
        &[$($(value(concat!($prefix, $name), Form::$form.arguments(), |cx, call| {
            cx.aarch64_instruction(call, Form::$form, mnemonic!($name $($mnemonic)?))
        })),*),*]
    };
}

/// One instruction by its text and its constraints.
macro_rules! texts {
    ($prefix:literal: $($name:literal $count:literal $text:literal $constraints:literal,)*) => {
        &[$(value(concat!($prefix, $name), $count, |cx, call| {
            cx.aarch64_text(call, $text, $constraints)
        })),*]
    };
}

/// Conversions to integers, whose names are their mnemonics.
macro_rules! conversions {
    ($($name:literal)*) => {
        &[$(value(concat!("aarch64.neon.", $name), 1, |cx, call| {
            cx.aarch64_conversion(call, $name)
        })),*]
    };
}

/// Shifts: that by lanes, to the left and to the right by a number.
macro_rules! shifts {
    ($($name:literal $lanes:literal $left:literal $right:literal,)*) => {
        &[$(value(concat!("aarch64.neon.", $name), 2, |cx, call| {
            cx.aarch64_shift(call, $lanes, $left, $right)
        })),*]
    };
}

/// All lanes as one number: the instructions for many and for two, how many times as wide it is, and its sign.
macro_rules! across {
    ($($name:literal $wide:literal $pair:literal $growth:literal $sign:ident,)*) => {
        &[$(value(concat!("aarch64.neon.", $name), 1, |cx, call| {
            cx.aarch64_across(call, [$wide, $pair], $growth, Sign::$sign)
        })),*]
    };
}

/// Loads and stores of two, three and four registers.
macro_rules! accesses {
    ($($count:literal)*) => {
        &[$(
            value(concat!("aarch64.neon.ld1x", $count), 1, |cx, call| {
                cx.aarch64_load(call, $count, Order::Whole)
            }),
            value(concat!("aarch64.neon.ld", $count), 1, |cx, call| {
                cx.aarch64_load(call, $count, Order::Turns)
            }),
            value(concat!("aarch64.neon.ld", $count, "r"), 1, |cx, call| {
                cx.aarch64_load(call, $count, Order::Repeated)
            }),
            value(concat!("aarch64.neon.ld", $count, "lane"), 1, |cx, call| {
                cx.aarch64_load(call, $count, Order::Lane)
            }),
            effect(concat!("aarch64.neon.st1x", $count), 1, |cx, call| {
                cx.aarch64_store(call, $count, Order::Whole)
            }),
            effect(concat!("aarch64.neon.st", $count), 1, |cx, call| {
                cx.aarch64_store(call, $count, Order::Turns)
            }),
            effect(concat!("aarch64.neon.st", $count, "lane"), 1, |cx, call| {
                cx.aarch64_store(call, $count, Order::Lane)
            }),
        )*]
    };
}

/// Bytes of tables in one to four registers.
macro_rules! tables {
    ($($name:literal $mnemonic:literal $count:literal,)*) => {
        &[$(value(concat!("aarch64.neon.", $name), $count + 1, |cx, call| {
            cx.aarch64_table(call, $mnemonic, $count)
        })),*]
    };
}

/// Sums and products of pairs, one of which is turned by so many degrees.
macro_rules! complex {
    ($($name:literal $form:ident $mnemonic:literal $degrees:literal,)*) => {
        &[$(value(concat!("aarch64.neon.", $name), Form::$form.inputs, |cx, call| {
            cx.aarch64_with_number(call, Form::$form, $mnemonic, $degrees)
        })),*]
    };
}

/// All names.
pub(in super::super) static ALL: &[&[Row]] = &[
    LANES,
    OF_ALL,
    CONVERSIONS,
    SHIFTS,
    ACROSS,
    ACCESSES,
    TABLES,
    COMPLEX,
    SCALARS,
    CIPHERS,
    CIPHER_TEXTS,
    OF_WORDS,
    SYSTEM,
];

/// Hints, barriers, traps, divisions that a divisor of zero leaves without a trap, and registers of the system.
static SYSTEM: &[Row] = &[
    nothing("aarch64.prefetch"),
    effect("aarch64.hint", 1, |cx, call| cx.instruction_with_number(call, "hint")),
    effect("aarch64.dmb", 1, |cx, call| cx.instruction_with_number(call, "dmb")),
    effect("aarch64.dsb", 1, |cx, call| cx.instruction_with_number(call, "dsb")),
    effect("aarch64.isb", 1, |cx, call| cx.instruction_with_number(call, "isb")),
    effect("aarch64.break", 1, |cx, call| cx.instruction_with_number(call, "brk")),
    effect("aarch64.hlt", 1, |cx, call| cx.instruction_with_number(call, "hlt")),
    effect("aarch64.clrex", 0, |cx, _| cx.instruction_effect("clrex", "~{memory}", &[])),
    value("aarch64.sdiv", 2, |cx, call| cx.aarch64_division(call, "sdiv")),
    value("aarch64.udiv", 2, |cx, call| cx.aarch64_division(call, "udiv")),
    value("aarch64.get.fpcr", 0, |cx, call| cx.aarch64_system_register(call, "fpcr")),
    value("aarch64.get.fpsr", 0, |cx, call| cx.aarch64_system_register(call, "fpsr")),
    effect("aarch64.set.fpcr", 1, |cx, call| cx.aarch64_set_system_register(call, "fpcr")),
    effect("aarch64.set.fpsr", 1, |cx, call| cx.aarch64_set_system_register(call, "fpsr")),
];

/// What the IR has operations for.
static OF_ALL: &[Row] = &[
    value("aarch64.neon.smax", 2, |cx, call| cx.integer_extreme(call, IntCond::Sgt)),
    value("aarch64.neon.smin", 2, |cx, call| cx.integer_extreme(call, IntCond::Slt)),
    value("aarch64.neon.umax", 2, |cx, call| cx.integer_extreme(call, IntCond::Ugt)),
    value("aarch64.neon.umin", 2, |cx, call| cx.integer_extreme(call, IntCond::Ult)),
    value("aarch64.neon.fmax", 2, |cx, call| {
        cx.float_extremes(call, FloatCond::Ogt, Nans::Win, Zeros::Ordered)
    }),
    value("aarch64.neon.fmin", 2, |cx, call| {
        cx.float_extremes(call, FloatCond::Olt, Nans::Win, Zeros::Ordered)
    }),
    value("aarch64.neon.fmaxnm", 2, |cx, call| {
        cx.float_extremes(call, FloatCond::Ogt, Nans::Ignored, Zeros::Any)
    }),
    value("aarch64.neon.fminnm", 2, |cx, call| {
        cx.float_extremes(call, FloatCond::Olt, Nans::Ignored, Zeros::Any)
    }),
    value("aarch64.neon.frintn", 1, |cx, call| cx.floats_rounded(call, Intrinsic::RoundEven)),
];

static LANES: &[Row] = instructions! {
    "aarch64.neon.":
    UNARY: "abs", "cls", "sqabs", "sqneg", "sqxtn", "uqxtn", "sqxtun", "scalar.sqxtn" = "sqxtn",
        "scalar.uqxtn" = "uqxtn", "scalar.sqxtun" = "sqxtun", "urecpe", "ursqrte", "frecpe", "frsqrte", "frecpx",
        "fcvtxn", "frint32x", "frint32z", "frint64x", "frint64z",  "rbit", "vcvthf2fp" = "fcvtl",
        "vcvtfp2hf" = "fcvtn";
    PAIRS: "saddlp", "uaddlp";
    BINARY: "addp", "faddp", "fabd", "facge", "facgt",     "fmaxp", "fminp",
        "fmaxnmp", "fminnmp", "fmulx", "frecps", "frsqrts", "pmul", "pmull", "addhn", "raddhn", "subhn", "rsubhn",
        "sabd", "uabd", "shadd", "uhadd", "srhadd", "urhadd", "shsub", "uhsub", "smull", "umull", "smaxp", "sminp",
        "umaxp", "uminp", "sqadd", "uqadd", "sqsub", "uqsub", "sqdmulh", "sqrdmulh", "sqdmull",
        "sqdmulls.scalar" = "sqdmull";
    BINARY_LANE: "sqdmulh.lane" = "sqdmulh", "sqdmulh.laneq" = "sqdmulh", "sqrdmulh.lane" = "sqrdmulh",
        "sqrdmulh.laneq" = "sqrdmulh";
    CHANGED: "suqadd", "usqadd";
    CHANGED_BY_TWO: "sqrdmlah", "sqrdmlsh", "sdot", "udot", "usdot", "smmla", "ummla", "usmmla";
    CHANGED_NUMBER: "vsli" = "sli", "vsri" = "sri";
    UNARY_NUMBER: "rshrn", "shrn", "sqshrn", "uqshrn", "sqshrun", "sqrshrn", "uqrshrn", "sqrshrun",
        "vcvtfp2fxs" = "fcvtzs", "vcvtfp2fxu" = "fcvtzu", "vcvtfxs2fp" = "scvtf", "vcvtfxu2fp" = "ucvtf";
};

static SCALARS: &[Row] = &[
    value("aarch64.sisd.fabd", 2, |cx, call| cx.aarch64_instruction(call, Form::BINARY, "fabd")),
    value("aarch64.sisd.fcvtxn", 1, |cx, call| cx.aarch64_instruction(call, Form::UNARY, "fcvtxn")),
    value("aarch64.frint32x", 1, |cx, call| cx.aarch64_instruction(call, Form::UNARY, "frint32x")),
    value("aarch64.frint32z", 1, |cx, call| cx.aarch64_instruction(call, Form::UNARY, "frint32z")),
    value("aarch64.frint64x", 1, |cx, call| cx.aarch64_instruction(call, Form::UNARY, "frint64x")),
    value("aarch64.frint64z", 1, |cx, call| cx.aarch64_instruction(call, Form::UNARY, "frint64z")),
    value("aarch64.fjcvtzs", 1, |cx, call| cx.aarch64_conversion(call, "fjcvtzs")),
    value("aarch64.neon.pmull64", 2, |cx, call| cx.aarch64_text(call, "pmull $0.1q, $1.1d, $2.1d", "=w,w,w")),
];

static CONVERSIONS: &[Row] = conversions! {
    "fcvtas" "fcvtau" "fcvtms" "fcvtmu" "fcvtns" "fcvtnu" "fcvtps" "fcvtpu" "fcvtzs" "fcvtzu"
};

static SHIFTS: &[Row] = shifts! {
    "sshl"   "sshl"   "shl"    "sshr",
    "ushl"   "ushl"   "shl"    "ushr",
    "srshl"  "srshl"  ""       "srshr",
    "urshl"  "urshl"  ""       "urshr",
    "sqshl"  "sqshl"  "sqshl"  "",
    "uqshl"  "uqshl"  "uqshl"  "",
    "sqrshl" "sqrshl" ""       "",
    "uqrshl" "uqrshl" ""       "",
    "sqshlu" ""       "sqshlu" "",
};

static ACROSS: &[Row] = across! {
    "saddv"   "addv"    "addp"    1 Signed,
    "uaddv"   "addv"    "addp"    1 Unsigned,
    "smaxv"   "smaxv"   "smaxp"   1 Signed,
    "sminv"   "sminv"   "sminp"   1 Signed,
    "umaxv"   "umaxv"   "umaxp"   1 Unsigned,
    "uminv"   "uminv"   "uminp"   1 Unsigned,
    "saddlv"  "saddlv"  "saddlp"  2 Signed,
    "uaddlv"  "uaddlv"  "uaddlp"  2 Unsigned,
    "faddv"   ""        "faddp"   1 Signed,
    "fmaxv"   "fmaxv"   "fmaxp"   1 Signed,
    "fminv"   "fminv"   "fminp"   1 Signed,
    "fmaxnmv" "fmaxnmv" "fmaxnmp" 1 Signed,
    "fminnmv" "fminnmv" "fminnmp" 1 Signed,
};

static ACCESSES: &[Row] = accesses! { 2 3 4 };

static TABLES: &[Row] = tables! {
    "tbl1" "tbl" 1, "tbl2" "tbl" 2, "tbl3" "tbl" 3, "tbl4" "tbl" 4,
    "tbx1" "tbx" 1, "tbx2" "tbx" 2, "tbx3" "tbx" 3, "tbx4" "tbx" 4,
};

static COMPLEX: &[Row] = complex! {
    "vcadd.rot90"  BINARY_NUMBER         "fcadd" 90,
    "vcadd.rot270" BINARY_NUMBER         "fcadd" 270,
    "vcmla.rot0"   CHANGED_BY_TWO_NUMBER "fcmla" 0,
    "vcmla.rot90"  CHANGED_BY_TWO_NUMBER "fcmla" 90,
    "vcmla.rot180" CHANGED_BY_TWO_NUMBER "fcmla" 180,
    "vcmla.rot270" CHANGED_BY_TWO_NUMBER "fcmla" 270,
};

static CIPHERS: &[Row] = instructions! {
    "aarch64.crypto.":
    UNARY: "aesmc", "aesimc";
    BINARY: "rax1", "sm4ekey";
    BINARY_NUMBER: "xar";
    TERNARY: "sm3ss1";
    CHANGED: "aese", "aesd", "sha1su1", "sha256su0", "sha512su0", "sm4e";
    CHANGED_BY_TWO: "sha1su0", "sha256su1", "sha512su1", "sm3partw1", "sm3partw2";
    CHANGED_LANE: "sm3tt1a", "sm3tt1b", "sm3tt2a", "sm3tt2b";
};

static CIPHER_TEXTS: &[Row] = texts! {
    "aarch64.crypto.":
    "sha1c"    3 "sha1c ${0:q}, ${2:s}, $3.4s"    "=w,0,w,w",
    "sha1p"    3 "sha1p ${0:q}, ${2:s}, $3.4s"    "=w,0,w,w",
    "sha1m"    3 "sha1m ${0:q}, ${2:s}, $3.4s"    "=w,0,w,w",
    "sha1h"    1 "sha1h ${0:s}, ${1:s}"           "=w,w",
    "sha256h"  3 "sha256h ${0:q}, ${2:q}, $3.4s"  "=w,0,w,w",
    "sha256h2" 3 "sha256h2 ${0:q}, ${2:q}, $3.4s" "=w,0,w,w",
    "sha512h"  3 "sha512h ${0:q}, ${2:q}, $3.2d"  "=w,0,w,w",
    "sha512h2" 3 "sha512h2 ${0:q}, ${2:q}, $3.2d" "=w,0,w,w",
    // Bits alone matter: the lanes are always bytes.
    "eor3s"    3 "eor3 $0.16b, $1.16b, $2.16b, $3.16b" "=w,w,w,w",
    "eor3u"    3 "eor3 $0.16b, $1.16b, $2.16b, $3.16b" "=w,w,w,w",
    "bcaxs"    3 "bcax $0.16b, $1.16b, $2.16b, $3.16b" "=w,w,w,w",
    "bcaxu"    3 "bcax $0.16b, $1.16b, $2.16b, $3.16b" "=w,w,w,w",
};

static OF_WORDS: &[Row] = texts! {
    "aarch64.":
    "cls"     1 "cls ${0:w}, ${1:w}"             "=r,r",
    "cls64"   1 "cls ${0:x}, $1"                 "=r,r",
    "crc32b"  2 "crc32b ${0:w}, ${1:w}, ${2:w}"  "=r,r,r",
    "crc32h"  2 "crc32h ${0:w}, ${1:w}, ${2:w}"  "=r,r,r",
    "crc32w"  2 "crc32w ${0:w}, ${1:w}, ${2:w}"  "=r,r,r",
    "crc32x"  2 "crc32x ${0:w}, ${1:w}, $2"      "=r,r,r",
    "crc32cb" 2 "crc32cb ${0:w}, ${1:w}, ${2:w}" "=r,r,r",
    "crc32ch" 2 "crc32ch ${0:w}, ${1:w}, ${2:w}" "=r,r,r",
    "crc32cw" 2 "crc32cw ${0:w}, ${1:w}, ${2:w}" "=r,r,r",
    "crc32cx" 2 "crc32cx ${0:w}, ${1:w}, $2"     "=r,r,r",
};

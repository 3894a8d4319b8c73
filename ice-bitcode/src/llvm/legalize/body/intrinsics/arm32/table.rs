//! The intrinsics of ARM that are understood, each with the rule that gives its value or effect: Advanced SIMD, the ciphers,
//! checksums, signal processing, and what the system is told.

use super::super::Row;
use super::super::instruction::Order;
use super::super::table::{effect, nothing, value};
use super::Form;

/// One instruction on vectors: how it takes its operands, the letter of its lanes, and of each name behind the prefix its mnemonic.
macro_rules! instructions {
    ($($form:ident $letter:literal: $($name:literal $mnemonic:literal),*;)*) => {
        &[$($(value(concat!("arm.neon.", $name), Form::$form.inputs, |cx, call| {
            cx.arm_instruction(call, Form::$form, [$mnemonic, $letter], "")
        })),*),*]
    };
}

/// Shifts: the letter of their lanes, that by lanes, and those to the left and to the right by a number.
macro_rules! shifts {
    ($narrowing:literal: $($name:literal $letter:literal $lanes:literal $left:literal $right:literal,)*) => {
        &[$(value(concat!("arm.neon.", $name), 2, |cx, call| {
            cx.arm_shift(call, $letter, [$lanes, $left, $right], $narrowing)
        })),*]
    };
}

/// One instruction on vectors by its text and its constraints.
macro_rules! texts {
    ($($name:literal $count:literal $text:literal $constraints:literal,)*) => {
        &[$(value(concat!("arm.neon.", $name), $count, |cx, call| {
            cx.arm_text(call, $text, $constraints)
        })),*]
    };
}

/// Instructions on words whose names are their mnemonics: the number of operands, their text and constraints.
macro_rules! words {
    ($($count:literal $operands:literal $constraints:literal: $($name:literal)*;)*) => {
        &[$($(value(concat!("arm.", $name), $count, |cx, call| {
            cx.arm_words(call, concat!($name, " ", $operands), $constraints)
        })),*),*]
    };
}

/// Loads and stores of two, three and four registers.
macro_rules! accesses {
    ($($count:literal)*) => {
        &[$(
            value(concat!("arm.neon.vld1x", $count), 1, |cx, call| cx.arm_load(call, $count, Order::Whole)),
            value(concat!("arm.neon.vld", $count), 1, |cx, call| cx.arm_load(call, $count, Order::Turns)),
            value(concat!("arm.neon.vld", $count, "dup"), 1, |cx, call| {
                cx.arm_load(call, $count, Order::Repeated)
            }),
            value(concat!("arm.neon.vld", $count, "lane"), 1, |cx, call| {
                cx.arm_load(call, $count, Order::Lane)
            }),
            effect(concat!("arm.neon.vst1x", $count), 2, |cx, call| {
                cx.arm_store(call, $count, Order::Whole)
            }),
            effect(concat!("arm.neon.vst", $count), 2, |cx, call| cx.arm_store(call, $count, Order::Turns)),
            effect(concat!("arm.neon.vst", $count, "lane"), 2, |cx, call| {
                cx.arm_store(call, $count, Order::Lane)
            }),
        )*]
    };
}

/// Bytes of tables in one to four registers.
macro_rules! tables {
    ($($name:literal $mnemonic:literal $count:literal,)*) => {
        &[$(value(concat!("arm.neon.", $name), $count + 1, |cx, call| {
            cx.arm_table(call, $mnemonic, $count)
        })),*]
    };
}

/// All names.
pub(in super::super) static ALL: &[&[Row]] =
    &[LANES, SHIFTS, NARROWING, OTHERS, ACCESSES, ONE, TABLES, CIPHERS, PROCESSING, OF_WORDS, SYSTEM];

static LANES: &[Row] = instructions! {
    UNARY "s": "vabs" "vabs", "vqabs" "vqabs", "vqneg" "vqneg", "vcls" "vcls", "vpaddls" "vpaddl", "vqmovns" "vqmovn",
        "vqmovnsu" "vqmovun";
    UNARY "u": "vrecpe" "vrecpe", "vrsqrte" "vrsqrte", "vpaddlu" "vpaddl", "vqmovnu" "vqmovn";
    UNARY "f": "vrinta" "vrinta", "vrintm" "vrintm", "vrintn" "vrintn", "vrintp" "vrintp", "vrintx" "vrintx", "vrintz" "vrintz";
    UNARY ".s32.f32": "vcvtas" "vcvta", "vcvtms" "vcvtm", "vcvtns" "vcvtn", "vcvtps" "vcvtp";
    UNARY ".u32.f32": "vcvtau" "vcvta", "vcvtmu" "vcvtm", "vcvtnu" "vcvtn", "vcvtpu" "vcvtp";
    UNARY ".f16.f32": "vcvtfp2hf" "vcvt";
    UNARY ".f32.f16": "vcvthf2fp" "vcvt";
    BINARY "s": "vhadds" "vhadd", "vrhadds" "vrhadd", "vhsubs" "vhsub", "vqdmulh" "vqdmulh", "vqrdmulh" "vqrdmulh",
        "vqdmull" "vqdmull", "vmaxs" "vmax", "vmins" "vmin", "vpmaxs" "vpmax", "vpmins" "vpmin", "vabds" "vabd",
        "vmulls" "vmull";
    BINARY "u": "vhaddu" "vhadd", "vrhaddu" "vrhadd", "vhsubu" "vhsub", "vmaxu" "vmax", "vminu" "vmin",
        "vpmaxu" "vpmax", "vpminu" "vpmin", "vabdu" "vabd", "vmullu" "vmull";
    BINARY "p": "vmulp" "vmul", "vmullp" "vmull";
    BINARY "i": "vpadd" "vpadd", "vraddhn" "vraddhn", "vrsubhn" "vrsubhn";
    BINARY "f": "vacge" "vacge", "vacgt" "vacgt", "vrecps" "vrecps", "vrsqrts" "vrsqrts", "vmaxnm" "vmaxnm",
        "vminnm" "vminnm";
    CHANGED "s": "vpadals" "vpadal";
    CHANGED "u": "vpadalu" "vpadal";
    CHANGED_BY_TWO "": "vbsl" "vbsl";
    CHANGED_BY_TWO "s": "vqrdmlah" "vqrdmlah", "vqrdmlsh" "vqrdmlsh";
    CHANGED_BY_TWO ".s8": "sdot" "vsdot", "usdot" "vusdot", "smmla" "vsmmla", "usmmla" "vusmmla";
    CHANGED_BY_TWO ".u8": "udot" "vudot", "ummla" "vummla";
};

static SHIFTS: &[Row] = shifts! {
    1:
    "vshifts"   "s" "vshl"   "vshl"   "vshr",
    "vshiftu"   "u" "vshl"   "vshl"   "vshr",
    "vrshifts"  "s" "vrshl"  ""       "vrshr",
    "vrshiftu"  "u" "vrshl"  ""       "vrshr",
    "vqshifts"  "s" "vqshl"  "vqshl"  "",
    "vqshiftu"  "u" "vqshl"  "vqshl"  "",
    "vqrshifts" "s" "vqrshl" ""       "",
    "vqrshiftu" "u" "vqrshl" ""       "",
    "vqshiftsu" "s" ""       "vqshlu" "",
};

/// Results have half as wide lanes.
static NARROWING: &[Row] = shifts! {
    2:
    "vrshiftn"    "i" "" "" "vrshrn",
    "vqshiftns"   "s" "" "" "vqshrn",
    "vqshiftnu"   "u" "" "" "vqshrn",
    "vqshiftnsu"  "s" "" "" "vqshrun",
    "vqrshiftns"  "s" "" "" "vqrshrn",
    "vqrshiftnu"  "u" "" "" "vqrshrn",
    "vqrshiftnsu" "s" "" "" "vqrshrun",
};

static OTHERS: &[Row] = &[
    value("arm.neon.vshiftins", 3, |cx, call| cx.arm_insertion(call)),
    value("arm.neon.vcvtfp2fxs", 2, |cx, call| cx.arm_with_number(call, Form::UNARY, ["vcvt", ".s32.f32"])),
    value("arm.neon.vcvtfp2fxu", 2, |cx, call| cx.arm_with_number(call, Form::UNARY, ["vcvt", ".u32.f32"])),
    value("arm.neon.vcvtfxs2fp", 2, |cx, call| cx.arm_with_number(call, Form::UNARY, ["vcvt", ".f32.s32"])),
    value("arm.neon.vcvtfxu2fp", 2, |cx, call| cx.arm_with_number(call, Form::UNARY, ["vcvt", ".f32.u32"])),
    value("arm.neon.vcadd.rot90", 2, |cx, call| {
        cx.arm_instruction(call, Form::BINARY, ["vcadd", "f"], ", #90")
    }),
    value("arm.neon.vcadd.rot270", 2, |cx, call| {
        cx.arm_instruction(call, Form::BINARY, ["vcadd", "f"], ", #270")
    }),
];

static ACCESSES: &[Row] = accesses! { 2 3 4 };

static ONE: &[Row] = &[
    value("arm.neon.vld1", 2, |cx, call| cx.arm_load_one(call)),
    effect("arm.neon.vst1", 3, |cx, call| cx.arm_store_one(call)),
];

static TABLES: &[Row] = tables! {
    "vtbl1" "vtbl" 1, "vtbl2" "vtbl" 2, "vtbl3" "vtbl" 3, "vtbl4" "vtbl" 4,
    "vtbx1" "vtbx" 1, "vtbx2" "vtbx" 2, "vtbx3" "vtbx" 3, "vtbx4" "vtbx" 4,
};

static CIPHERS: &[Row] = texts! {
    "aese"      2 "aese.8 $0, $2"          "=w,0,w",
    "aesd"      2 "aesd.8 $0, $2"          "=w,0,w",
    "aesmc"     1 "aesmc.8 $0, $1"         "=w,w",
    "aesimc"    1 "aesimc.8 $0, $1"        "=w,w",
    "sha1h"     1 "sha1h.32 $0, $1"        "=w,w",
    "sha1su1"   2 "sha1su1.32 $0, $2"      "=w,0,w",
    "sha256su0" 2 "sha256su0.32 $0, $2"    "=w,0,w",
    "sha1c"     3 "sha1c.32 $0, $2, $3"    "=w,0,w,w",
    "sha1p"     3 "sha1p.32 $0, $2, $3"    "=w,0,w,w",
    "sha1m"     3 "sha1m.32 $0, $2, $3"    "=w,0,w,w",
    "sha1su0"   3 "sha1su0.32 $0, $2, $3"  "=w,0,w,w",
    "sha256h"   3 "sha256h.32 $0, $2, $3"  "=w,0,w,w",
    "sha256h2"  3 "sha256h2.32 $0, $2, $3" "=w,0,w,w",
    "sha256su1" 3 "sha256su1.32 $0, $2, $3" "=w,0,w,w",
};

/// Instructions of signal processing, which may set flags that the next one reads, and checksums.
static PROCESSING: &[Row] = words! {
    1 "$0, $1" "=r,r": "sxtb16" "uxtb16";
    2 "$0, $1, $2" "=r,r,r": "qadd" "qsub" "qadd8" "qadd16" "qsub8" "qsub16" "qasx" "qsax" "sadd8" "sadd16" "ssub8"
        "ssub16" "sasx" "ssax" "shadd8" "shadd16" "shsub8" "shsub16" "shasx" "shsax" "uadd8" "uadd16" "usub8" "usub16"
        "uasx" "usax" "uhadd8" "uhadd16" "uhsub8" "uhsub16" "uhasx" "uhsax" "uqadd8" "uqadd16" "uqsub8" "uqsub16"
        "uqasx" "uqsax" "sel" "usad8" "sxtab16" "uxtab16" "smuad" "smuadx" "smusd" "smusdx" "smulbb" "smulbt" "smultb"
        "smultt" "smulwb" "smulwt" "crc32b" "crc32h" "crc32w" "crc32cb" "crc32ch" "crc32cw";
    3 "$0, $1, $2, $3" "=r,r,r,r": "usada8" "smlad" "smladx" "smlsd" "smlsdx" "smlabb" "smlabt" "smlatb" "smlatt"
        "smlawb" "smlawt";
    3 "${0:Q}, ${0:R}, $1, $2" "=r,r,r,0": "smlald" "smlaldx" "smlsld" "smlsldx";
};

static OF_WORDS: &[Row] = &[
    value("arm.ssat", 2, |cx, call| cx.arm_saturation(call, "ssat")),
    value("arm.usat", 2, |cx, call| cx.arm_saturation(call, "usat")),
    value("arm.ssat16", 2, |cx, call| cx.arm_saturation(call, "ssat16")),
    value("arm.usat16", 2, |cx, call| cx.arm_saturation(call, "usat16")),
    value("arm.cls", 1, |cx, call| cx.arm_sign_count(call)),
    value("arm.cls64", 1, |cx, call| cx.arm_sign_count(call)),
    value("arm.vcvtr", 1, |cx, call| cx.arm_rounding_conversion(call, 's')),
    value("arm.vcvtru", 1, |cx, call| cx.arm_rounding_conversion(call, 'u')),
];

/// Hints, barriers, and registers of the system.
static SYSTEM: &[Row] = &[
    nothing("arm.hint"),
    nothing("arm.dbg"),
    effect("arm.dmb", 1, |cx, call| cx.instruction_with_number(call, "dmb")),
    effect("arm.dsb", 1, |cx, call| cx.instruction_with_number(call, "dsb")),
    effect("arm.isb", 1, |cx, call| cx.instruction_with_number(call, "isb")),
    effect("arm.undefined", 1, |cx, call| cx.instruction_with_number(call, "udf")),
    effect("arm.clrex", 0, |cx, _| cx.instruction_effect("clrex", "~{memory}", &[])),
    value("arm.mrc", 5, |cx, call| cx.arm_coprocessor_read(call, "mrc")),
    value("arm.mrc2", 5, |cx, call| cx.arm_coprocessor_read(call, "mrc2")),
    effect("arm.mcr", 6, |cx, call| cx.arm_coprocessor_write(call, "mcr")),
    effect("arm.mcr2", 6, |cx, call| cx.arm_coprocessor_write(call, "mcr2")),
    value("arm.get.fpscr", 0, |cx, call| cx.arm_words(call, "vmrs $0, fpscr", "=r")),
];

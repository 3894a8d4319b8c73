//! Instructions (MIPS32 Architecture For Programmers II, MD00086): mnemonic, operands, encoding.
//!
//! The operands of a row are words with blanks between them; a number in one is the lowest bit of its field.
//!
//! | word | operand |
//! |---|---|
//! | `r11`, `r11=16` | a general register; in two fields |
//! | `zero` | the register that is zero |
//! | `f6` | a floating-point register |
//! | `c11` | a register of a coprocessor, by its number |
//! | `s16`, `-s16`, `z16` | a signed number of 16 bits; its opposite; one without a sign |
//! | `u5@6`, `?u10@16` | a number of so many bits; which need not be said |
//! | `mem` | `offset(base)` |
//! | `ext`, `ins` | the lowest bit and the size of a field |
//! | `branch` | a label |

/// An instruction.
pub(super) struct Row {
    pub name: &'static str,
    pub operands: &'static str,
    pub word: u32,
}

const fn row(name: &'static str, operands: &'static str, word: u32) -> Row {
    Row { name, operands, word }
}

/// Of two general registers a third; with the destination as first of them.
macro_rules! three {
    ($($name:literal $word:literal;)*) => {
        &[$(row($name, "r11 r21 r16", $word), row($name, "r11=21 r16", $word)),*]
    };
}

const THREE: &[Row] = three! {
    "addu" 0x21; "add" 0x20; "subu" 0x23; "sub" 0x22; "and" 0x24; "or" 0x25; "xor" 0x26; "nor" 0x27;
    "slt" 0x2a; "sltu" 0x2b; "movz" 0x0a; "movn" 0x0b; "mul" 0x7000_0002;
};

/// Of a general register and a number another; with the destination as the register.
macro_rules! immediate {
    ($($name:literal $number:literal $word:literal;)*) => {
        &[$(
            row($name, concat!("r16 r21 ", $number), $word),
            row($name, concat!("r16=21 ", $number), $word),
        )*]
    };
}

const IMMEDIATE: &[Row] = immediate! {
    "addiu" "s16" 0x2400_0000; "addu" "s16" 0x2400_0000; "addi" "s16" 0x2000_0000; "add" "s16" 0x2000_0000;
    "subu" "-s16" 0x2400_0000; "slti" "s16" 0x2800_0000; "slt" "s16" 0x2800_0000;
    "sltiu" "s16" 0x2c00_0000; "sltu" "s16" 0x2c00_0000; "andi" "z16" 0x3000_0000; "and" "z16" 0x3000_0000;
    "ori" "z16" 0x3400_0000; "or" "z16" 0x3400_0000; "xori" "z16" 0x3800_0000; "xor" "z16" 0x3800_0000;
};

/// Of floating-point numbers of both widths.
macro_rules! floats {
    ($($name:literal $operands:literal $word:literal;)*) => {
        &[$(
            row(concat!($name, ".s"), $operands, $word | 0x4600_0000),
            row(concat!($name, ".d"), $operands, $word | 0x4620_0000),
        )*]
    };
}

const FLOATS: &[Row] = floats! {
    "add" "f6 f11 f16" 0x00; "sub" "f6 f11 f16" 0x01; "mul" "f6 f11 f16" 0x02; "div" "f6 f11 f16" 0x03;
    "sqrt" "f6 f11" 0x04; "abs" "f6 f11" 0x05; "mov" "f6 f11" 0x06; "neg" "f6 f11" 0x07;
    "round.w" "f6 f11" 0x0c; "trunc.w" "f6 f11" 0x0d; "ceil.w" "f6 f11" 0x0e; "floor.w" "f6 f11" 0x0f;
    "cvt.w" "f6 f11" 0x24; "c.un" "f11 f16" 0x31; "c.eq" "f11 f16" 0x32; "c.lt" "f11 f16" 0x3c;
    "c.le" "f11 f16" 0x3e;
};

const OTHERS: &[Row] = &[
    row("nop", "", 0),
    row("ssnop", "", 0x40),
    row("ehb", "", 0xc0),
    row("pause", "", 0x140),
    row("move", "r11 r21", 0x25),
    row("not", "r11 r21", 0x27),
    row("negu", "r11 r16", 0x23),
    row("neg", "r11 r16", 0x22),
    row("sll", "r11 r16 u5@6", 0x00),
    row("srl", "r11 r16 u5@6", 0x02),
    row("sra", "r11 r16 u5@6", 0x03),
    row("rotr", "r11 r16 u5@6", 0x0020_0002),
    row("sll", "r11=16 u5@6", 0x00),
    row("srl", "r11=16 u5@6", 0x02),
    row("sra", "r11=16 u5@6", 0x03),
    row("sllv", "r11 r16 r21", 0x04),
    row("srlv", "r11 r16 r21", 0x06),
    row("srav", "r11 r16 r21", 0x07),
    row("sll", "r11 r16 r21", 0x04),
    row("srl", "r11 r16 r21", 0x06),
    row("sra", "r11 r16 r21", 0x07),
    row("rotrv", "r11 r16 r21", 0x46),
    row("lui", "r16 z16", 0x3c00_0000),
    row("mfhi", "r11", 0x10),
    row("mthi", "r21", 0x11),
    row("mflo", "r11", 0x12),
    row("mtlo", "r21", 0x13),
    row("mult", "r21 r16", 0x18),
    row("multu", "r21 r16", 0x19),
    row("div", "zero r21 r16", 0x1a),
    row("divu", "zero r21 r16", 0x1b),
    row("madd", "r21 r16", 0x7000_0000),
    row("maddu", "r21 r16", 0x7000_0001),
    row("msub", "r21 r16", 0x7000_0004),
    row("msubu", "r21 r16", 0x7000_0005),
    row("clz", "r11=16 r21", 0x7000_0020),
    row("clo", "r11=16 r21", 0x7000_0021),
    row("ext", "r16 r21 ext", 0x7c00_0000),
    row("ins", "r16 r21 ins", 0x7c00_0004),
    row("wsbh", "r11 r16", 0x7c00_00a0),
    row("seb", "r11 r16", 0x7c00_0420),
    row("seh", "r11 r16", 0x7c00_0620),
    row("rdhwr", "r16 c11", 0x7c00_003b),
    row("lb", "r16 mem", 0x8000_0000),
    row("lh", "r16 mem", 0x8400_0000),
    row("lwl", "r16 mem", 0x8800_0000),
    row("lw", "r16 mem", 0x8c00_0000),
    row("lbu", "r16 mem", 0x9000_0000),
    row("lhu", "r16 mem", 0x9400_0000),
    row("lwr", "r16 mem", 0x9800_0000),
    row("sb", "r16 mem", 0xa000_0000),
    row("sh", "r16 mem", 0xa400_0000),
    row("swl", "r16 mem", 0xa800_0000),
    row("sw", "r16 mem", 0xac00_0000),
    row("swr", "r16 mem", 0xb800_0000),
    row("ll", "r16 mem", 0xc000_0000),
    row("sc", "r16 mem", 0xe000_0000),
    row("pref", "u5@16 mem", 0xcc00_0000),
    row("cache", "u5@16 mem", 0xbc00_0000),
    row("synci", "mem", 0x041f_0000),
    row("lwc1", "f16 mem", 0xc400_0000),
    row("ldc1", "f16 mem", 0xd400_0000),
    row("swc1", "f16 mem", 0xe400_0000),
    row("sdc1", "f16 mem", 0xf400_0000),
    row("jr", "r21", 0x08),
    row("jalr", "r21", 0x0000_f809),
    row("jalr", "r11 r21", 0x09),
    row("b", "branch", 0x1000_0000),
    row("bal", "branch", 0x0411_0000),
    row("beq", "r21 r16 branch", 0x1000_0000),
    row("bne", "r21 r16 branch", 0x1400_0000),
    row("beqz", "r21 branch", 0x1000_0000),
    row("bnez", "r21 branch", 0x1400_0000),
    row("blez", "r21 branch", 0x1800_0000),
    row("bgtz", "r21 branch", 0x1c00_0000),
    row("bltz", "r21 branch", 0x0400_0000),
    row("bgez", "r21 branch", 0x0401_0000),
    row("bltzal", "r21 branch", 0x0410_0000),
    row("bgezal", "r21 branch", 0x0411_0000),
    row("bc1f", "branch", 0x4500_0000),
    row("bc1t", "branch", 0x4501_0000),
    row("syscall", "?u20@6", 0x0c),
    row("break", "?u10@16", 0x0d),
    row("sync", "?u5@6", 0x0f),
    row("teq", "r21 r16 ?u10@6", 0x34),
    row("tne", "r21 r16 ?u10@6", 0x36),
    row("tge", "r21 r16 ?u10@6", 0x30),
    row("tgeu", "r21 r16 ?u10@6", 0x31),
    row("tlt", "r21 r16 ?u10@6", 0x32),
    row("tltu", "r21 r16 ?u10@6", 0x33),
    row("mfc0", "r16 c11 ?u3@0", 0x4000_0000),
    row("mtc0", "r16 c11 ?u3@0", 0x4080_0000),
    row("mfc1", "r16 f11", 0x4400_0000),
    row("mtc1", "r16 f11", 0x4480_0000),
    row("cfc1", "r16 c11", 0x4440_0000),
    row("ctc1", "r16 c11", 0x44c0_0000),
    row("cvt.s.d", "f6 f11", 0x4620_0020),
    row("cvt.s.w", "f6 f11", 0x4680_0020),
    row("cvt.d.s", "f6 f11", 0x4600_0021),
    row("cvt.d.w", "f6 f11", 0x4680_0021),
];

/// All of them.
pub(super) const TABLES: [&[Row]; 4] = [THREE, IMMEDIATE, FLOATS, OTHERS];

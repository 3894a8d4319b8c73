//! Instructions of the core (DDI 0406C, A8.8 and B9.3): mnemonic, operands, encoding.

use super::encode::Row;

const fn row(name: &'static str, operands: &'static str, word: u32) -> Row {
    Row { name, sets_flags: false, types: "", operands, word }
}

/// A row of which the mnemonic may have an `s` behind it.
const fn flags(name: &'static str, operands: &'static str, word: u32) -> Row {
    Row { sets_flags: true, ..row(name, operands, word) }
}

/// Data processing: with three operands, with the destination as first one, and what becomes of a number that it
/// cannot have.
macro_rules! processing {
    ($($name:literal $word:literal $(or $other:literal $inverse:literal)?;)*) => {
        &[$(
            flags($name, "r12 r16 op2", $word),
            flags($name, "r12=16 op2", $word),
            $(
                flags($name, concat!("r12 r16 ", $other), $inverse),
                flags($name, concat!("r12=16 ", $other), $inverse),
            )?
        )*]
    };
}

/// A5.2.1, A5.2.3.
const PROCESSING: &[Row] = processing! {
    "and" 0x0000_0000 or "~op2" 0x01c0_0000;
    "eor" 0x0020_0000;
    "sub" 0x0040_0000 or "-op2" 0x0080_0000;
    "rsb" 0x0060_0000;
    "add" 0x0080_0000 or "-op2" 0x0040_0000;
    "adc" 0x00a0_0000 or "~op2" 0x00c0_0000;
    "sbc" 0x00c0_0000 or "~op2" 0x00a0_0000;
    "rsc" 0x00e0_0000;
    "orr" 0x0180_0000;
    "bic" 0x01c0_0000 or "~op2" 0x0000_0000;
};

/// Sums and differences of bytes and halves (A5.4.1, A5.4.2).
macro_rules! parallel {
    ($($prefix:literal $word:literal;)*) => {
        &[$(
            row(concat!($prefix, "add16"), "r12 r16 r0", $word | 0xf10),
            row(concat!($prefix, "asx"), "r12 r16 r0", $word | 0xf30),
            row(concat!($prefix, "sax"), "r12 r16 r0", $word | 0xf50),
            row(concat!($prefix, "sub16"), "r12 r16 r0", $word | 0xf70),
            row(concat!($prefix, "add8"), "r12 r16 r0", $word | 0xf90),
            row(concat!($prefix, "sub8"), "r12 r16 r0", $word | 0xff0),
        )*]
    };
}

const PARALLEL: &[Row] = parallel! {
    "s" 0x0610_0000;
    "q" 0x0620_0000;
    "sh" 0x0630_0000;
    "u" 0x0650_0000;
    "uq" 0x0660_0000;
    "uh" 0x0670_0000;
};

/// Loads and stores of many registers by their names (A5.5).
macro_rules! multiple {
    ($($name:literal $word:literal;)*) => { &[$(row($name, "w16 list", $word)),*] };
}

const MULTIPLE: &[Row] = multiple! {
    "ldmia" 0x0890_0000; "ldmfd" 0x0890_0000; "ldm" 0x0890_0000;
    "ldmib" 0x0990_0000; "ldmed" 0x0990_0000;
    "ldmda" 0x0810_0000; "ldmfa" 0x0810_0000;
    "ldmdb" 0x0910_0000; "ldmea" 0x0910_0000;
    "stmia" 0x0880_0000; "stmea" 0x0880_0000; "stm" 0x0880_0000;
    "stmib" 0x0980_0000; "stmfa" 0x0980_0000;
    "stmda" 0x0800_0000; "stmed" 0x0800_0000;
    "stmdb" 0x0900_0000; "stmfd" 0x0900_0000;
};

const OTHERS: &[Row] = &[
    flags("mov", "r12 op2", 0x01a0_0000),
    flags("mov", "r12 ~op2", 0x01e0_0000),
    row("mov", "r12 movw", 0x0300_0000),
    flags("mvn", "r12 op2", 0x01e0_0000),
    flags("mvn", "r12 ~op2", 0x01a0_0000),
    row("movw", "r12 movw", 0x0300_0000),
    row("movt", "r12 movw", 0x0340_0000),
    row("tst", "r16 op2", 0x0110_0000),
    row("teq", "r16 op2", 0x0130_0000),
    row("cmp", "r16 op2", 0x0150_0000),
    row("cmp", "r16 -op2", 0x0170_0000),
    row("cmn", "r16 op2", 0x0170_0000),
    row("cmn", "r16 -op2", 0x0150_0000),
    flags("neg", "r12 r16", 0x0260_0000),
    flags("lsl", "r12 r0 sh", 0x01a0_0000),
    flags("lsl", "r12=0 sh", 0x01a0_0000),
    flags("lsr", "r12 r0 sh", 0x01a0_0020),
    flags("lsr", "r12=0 sh", 0x01a0_0020),
    flags("asr", "r12 r0 sh", 0x01a0_0040),
    flags("asr", "r12=0 sh", 0x01a0_0040),
    flags("ror", "r12 r0 sh", 0x01a0_0060),
    flags("ror", "r12=0 sh", 0x01a0_0060),
    flags("rrx", "r12 r0", 0x01a0_0060),
    // Multiplication (A5.2.5, A5.2.7, A5.4.4).
    flags("mul", "r16 r0 r8", 0x0000_0090),
    flags("mul", "r16=0 r8", 0x0000_0090),
    flags("mla", "r16 r0 r8 r12", 0x0020_0090),
    row("umaal", "r12 r16 r0 r8", 0x0040_0090),
    row("mls", "r16 r0 r8 r12", 0x0060_0090),
    flags("umull", "r12 r16 r0 r8", 0x0080_0090),
    flags("umlal", "r12 r16 r0 r8", 0x00a0_0090),
    flags("smull", "r12 r16 r0 r8", 0x00c0_0090),
    flags("smlal", "r12 r16 r0 r8", 0x00e0_0090),
    row("smlabb", "r16 r0 r8 r12", 0x0100_0080),
    row("smlabt", "r16 r0 r8 r12", 0x0100_00c0),
    row("smlatb", "r16 r0 r8 r12", 0x0100_00a0),
    row("smlatt", "r16 r0 r8 r12", 0x0100_00e0),
    row("smlawb", "r16 r0 r8 r12", 0x0120_0080),
    row("smlawt", "r16 r0 r8 r12", 0x0120_00c0),
    row("smulwb", "r16 r0 r8", 0x0120_00a0),
    row("smulwt", "r16 r0 r8", 0x0120_00e0),
    row("smlalbb", "r12 r16 r0 r8", 0x0140_0080),
    row("smlalbt", "r12 r16 r0 r8", 0x0140_00c0),
    row("smlaltb", "r12 r16 r0 r8", 0x0140_00a0),
    row("smlaltt", "r12 r16 r0 r8", 0x0140_00e0),
    row("smulbb", "r16 r0 r8", 0x0160_0080),
    row("smulbt", "r16 r0 r8", 0x0160_00c0),
    row("smultb", "r16 r0 r8", 0x0160_00a0),
    row("smultt", "r16 r0 r8", 0x0160_00e0),
    row("smlad", "r16 r0 r8 r12", 0x0700_0010),
    row("smladx", "r16 r0 r8 r12", 0x0700_0030),
    row("smuad", "r16 r0 r8", 0x0700_f010),
    row("smuadx", "r16 r0 r8", 0x0700_f030),
    row("smlsd", "r16 r0 r8 r12", 0x0700_0050),
    row("smlsdx", "r16 r0 r8 r12", 0x0700_0070),
    row("smusd", "r16 r0 r8", 0x0700_f050),
    row("smusdx", "r16 r0 r8", 0x0700_f070),
    row("smlald", "r12 r16 r0 r8", 0x0740_0010),
    row("smlaldx", "r12 r16 r0 r8", 0x0740_0030),
    row("smlsld", "r12 r16 r0 r8", 0x0740_0050),
    row("smlsldx", "r12 r16 r0 r8", 0x0740_0070),
    row("smmla", "r16 r0 r8 r12", 0x0750_0010),
    row("smmlar", "r16 r0 r8 r12", 0x0750_0030),
    row("smmul", "r16 r0 r8", 0x0750_f010),
    row("smmulr", "r16 r0 r8", 0x0750_f030),
    row("smmls", "r16 r0 r8 r12", 0x0750_00d0),
    row("smmlsr", "r16 r0 r8 r12", 0x0750_00f0),
    row("sdiv", "r16 r0 r8", 0x0710_f010),
    row("udiv", "r16 r0 r8", 0x0730_f010),
    row("usad8", "r16 r0 r8", 0x0780_f010),
    row("usada8", "r16 r0 r8 r12", 0x0780_0010),
    // Saturation, extension, fields, bits (A5.2.6, A5.4).
    row("qadd", "r12 r0 r16", 0x0100_0050),
    row("qsub", "r12 r0 r16", 0x0120_0050),
    row("qdadd", "r12 r0 r16", 0x0140_0050),
    row("qdsub", "r12 r0 r16", 0x0160_0050),
    row("ssat", "r12 d5@16 r0 sat", 0x06a0_0010),
    row("usat", "r12 u5@16 r0 sat", 0x06e0_0010),
    row("ssat16", "r12 d4@16 r0", 0x06a0_0f30),
    row("usat16", "r12 u4@16 r0", 0x06e0_0f30),
    row("sel", "r12 r16 r0", 0x0680_0fb0),
    row("pkhbt", "r12 r16 r0 lsl", 0x0680_0010),
    row("pkhtb", "r12 r16 r0 asr", 0x0680_0050),
    row("sxtab16", "r12 r16 r0 ror", 0x0680_0070),
    row("sxtb16", "r12 r0 ror", 0x068f_0070),
    row("sxtab", "r12 r16 r0 ror", 0x06a0_0070),
    row("sxtb", "r12 r0 ror", 0x06af_0070),
    row("sxtah", "r12 r16 r0 ror", 0x06b0_0070),
    row("sxth", "r12 r0 ror", 0x06bf_0070),
    row("uxtab16", "r12 r16 r0 ror", 0x06c0_0070),
    row("uxtb16", "r12 r0 ror", 0x06cf_0070),
    row("uxtab", "r12 r16 r0 ror", 0x06e0_0070),
    row("uxtb", "r12 r0 ror", 0x06ef_0070),
    row("uxtah", "r12 r16 r0 ror", 0x06f0_0070),
    row("uxth", "r12 r0 ror", 0x06ff_0070),
    row("rev", "r12 r0", 0x06bf_0f30),
    row("rev16", "r12 r0", 0x06bf_0fb0),
    row("revsh", "r12 r0", 0x06ff_0fb0),
    row("rbit", "r12 r0", 0x06ff_0f30),
    row("clz", "r12 r0", 0x016f_0f10),
    // Of ARMv8 (DDI 0487, F5.1).
    row("crc32b", "r12 r16 r0", 0x0100_0040),
    row("crc32h", "r12 r16 r0", 0x0120_0040),
    row("crc32w", "r12 r16 r0", 0x0140_0040),
    row("crc32cb", "r12 r16 r0", 0x0100_0240),
    row("crc32ch", "r12 r16 r0", 0x0120_0240),
    row("crc32cw", "r12 r16 r0", 0x0140_0240),
    row("sbfx", "r12 r0 sbfx", 0x07a0_0050),
    row("ubfx", "r12 r0 sbfx", 0x07e0_0050),
    row("bfc", "r12 bfi", 0x07c0_001f),
    row("bfi", "r12 r0 bfi", 0x07c0_0010),
    // Memory (A5.3, A5.2.8, A5.2.10).
    row("ldr", "r12 addr2", 0x0410_0000),
    row("ldrb", "r12 addr2", 0x0450_0000),
    row("str", "r12 addr2", 0x0400_0000),
    row("strb", "r12 addr2", 0x0440_0000),
    row("ldrh", "r12 addr3", 0x0010_00b0),
    row("strh", "r12 addr3", 0x0000_00b0),
    row("ldrsb", "r12 addr3", 0x0010_00d0),
    row("ldrsh", "r12 addr3", 0x0010_00f0),
    row("ldrd", "e12 addr3", 0x0000_00d0),
    row("strd", "e12 addr3", 0x0000_00f0),
    row("ldrex", "r12 addrx", 0x0190_0f9f),
    row("ldrexb", "r12 addrx", 0x01d0_0f9f),
    row("ldrexh", "r12 addrx", 0x01f0_0f9f),
    row("ldrexd", "e12 addrx", 0x01b0_0f9f),
    row("strex", "r12 r0 addrx", 0x0180_0f90),
    row("strexb", "r12 r0 addrx", 0x01c0_0f90),
    row("strexh", "r12 r0 addrx", 0x01e0_0f90),
    row("strexd", "r12 e0 addrx", 0x01a0_0f90),
    row("swp", "r12 r0 addrx", 0x0100_0090),
    row("swpb", "r12 r0 addrx", 0x0140_0090),
    row("clrex", "", 0xf57f_f01f),
    row("push", "list", 0x092d_0000),
    row("pop", "list", 0x08bd_0000),
    row("pld", "addrp", 0xf450_f000),
    row("pldw", "addrp", 0xf410_f000),
    row("pli", "addri", 0xf450_f000),
    // Branches, exceptions, hints, barriers (A5.5, A5.2.12, A5.7).
    row("b", "branch", 0x0a00_0000),
    row("bl", "branch", 0x0b00_0000),
    row("bx", "r0", 0x012f_ff10),
    row("bxj", "r0", 0x012f_ff20),
    row("blx", "r0", 0x012f_ff30),
    row("svc", "u24@0", 0x0f00_0000),
    row("swi", "u24@0", 0x0f00_0000),
    row("bkpt", "bkpt", 0xe120_0070),
    row("udf", "bkpt", 0xe7f0_00f0),
    row("smc", "u4@0", 0x0160_0070),
    row("hvc", "bkpt", 0xe140_0070),
    row("nop", "", 0x0320_f000),
    row("yield", "", 0x0320_f001),
    row("wfe", "", 0x0320_f002),
    row("wfi", "", 0x0320_f003),
    row("sev", "", 0x0320_f004),
    row("sevl", "", 0x0320_f005),
    row("csdb", "", 0xe320_f014),
    row("hint", "u8@0", 0x0320_f000),
    row("dbg", "u4@0", 0x0320_f0f0),
    row("dmb", "barrier", 0xf57f_f050),
    row("dsb", "barrier", 0xf57f_f040),
    row("isb", "barrier", 0xf57f_f060),
    // Coprocessors and status registers.
    row("mcr", "p8 u3@21 r12 c16 c0 u3@5", 0x0e00_0010),
    row("mcr", "p8 u3@21 r12 c16 c0", 0x0e00_0010),
    row("mrc", "p8 u3@21 t12 c16 c0 u3@5", 0x0e10_0010),
    row("mrc", "p8 u3@21 t12 c16 c0", 0x0e10_0010),
    row("mcr2", "p8 u3@21 r12 c16 c0 u3@5", 0xfe00_0010),
    row("mrc2", "p8 u3@21 t12 c16 c0 u3@5", 0xfe10_0010),
    row("mcrr", "p8 u4@4 r12 r16 c0", 0x0c40_0000),
    row("mrrc", "p8 u4@4 r12 r16 c0", 0x0c50_0000),
    row("cdp", "p8 u4@20 c12 c16 c0 u3@5", 0x0e00_0000),
    row("ldc", "p8 c12 addr5", 0x0d10_0000),
    row("ldcl", "p8 c12 addr5", 0x0d50_0000),
    row("stc", "p8 c12 addr5", 0x0d00_0000),
    row("stcl", "p8 c12 addr5", 0x0d40_0000),
    row("mrs", "r12 psr", 0x010f_0000),
    row("msr", "psrm r0", 0x0120_f000),
    row("msr", "psrm modimm", 0x0320_f000),
];

/// All of them.
pub(super) const TABLES: [&[Row]; 4] = [OTHERS, PROCESSING, PARALLEL, MULTIPLE];

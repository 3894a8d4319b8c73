//! The instructions by mnemonic (SDM volume 2): one row a mnemonic with the operands that it takes. Vector instructions are
//! not here if [`SseOp`](crate::x86::SseOp) has them.

use crate::x86::code::{Code, code};

/// The operands of an instruction, the destination first, and which code that makes. The code of a row is that of bytes
/// where there is another for larger operands, which is one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// None.
    Plain,
    /// Memory of a size of its own.
    Memory,
    /// r/m, of any width.
    One,
    /// r/m, r, of any width.
    Store,
    /// r, r/m, of any width.
    Load,
    /// r/m, a number, of any width: 80, 81 or 83 with the digit of the row.
    Arithmetic,
    /// r/m, a number, of any width.
    Number,
    /// r/m by 1, by a number or by cl.
    Shift,
    /// r, r/m, of 16 bits and more.
    Wide,
    /// r/m, r, of 16 bits and more.
    WideStore,
    /// r/m, a byte, of 16 bits and more.
    WideByte,
    /// r/m, r, and a byte or (the next code) cl, of 16 bits and more.
    DoubleShift,
    /// r, memory: an address.
    Address,
    /// r, of 16 bits and more, as r/m.
    WideRegister,
    /// r, r/m of any width.
    Checksum,
    /// The number of an interrupt.
    Interrupt,
    /// A byte, or (8 more) dx, and al, ax or eax: a port is read.
    In,
    /// The same in the other order: a port is written.
    Out,
    /// ax.
    Ax,
    /// st(n), which is st(1) if it is left out. st may stand before it.
    Stack,
    /// st(n), which must be said.
    StackOne,
    /// st, st(n): the result is in st, which need not be said.
    StackTop,
    /// st(n), st: the result is in st(n).
    StackOther,
    /// The same, and st goes away. st need not be said, and st(1) neither.
    StackPop,
    /// r/m, a segment register.
    SegmentStore,
    /// A segment register, r/m.
    SegmentLoad,
    /// xmm, xmm/m.
    Vector,
    /// xmm, xmm/m, a byte.
    VectorByte,
    /// xmm, m.
    VectorLoad,
}

/// An instruction.
pub(super) struct Row {
    pub name: &'static str,
    pub shape: Shape,
    pub code: Code,
}

macro_rules! rows {
    ($($shape:ident: $($name:literal $code:literal),*;)*) => {
        &[$($(Row { name: $name, shape: Shape::$shape, code: code($code) }),*),*]
    };
}

/// All rows; those of one mnemonic are tried in order.
pub(super) static ROWS: &[Row] = rows! {
    Plain: "nop" "90", "pause" "F3 90", "hlt" "F4", "int3" "CC", "ud2" "0F 0B", "ret" "C3", "leave" "C9",
        "cpuid" "0F A2", "rdtsc" "0F 31", "rdtscp" "0F 01 F9", "rdpmc" "0F 33", "xgetbv" "0F 01 D0",
        "syscall" "0F 05", "sysenter" "0F 34", "lfence" "0F AE E8", "mfence" "0F AE F0", "sfence" "0F AE F8",
        "serialize" "0F 01 E8", "endbr64" "F3 0F 1E FA", "endbr32" "F3 0F 1E FB",
        "clc" "F8", "stc" "F9", "cmc" "F5", "cld" "FC", "std" "FD", "lahf" "9F", "sahf" "9E",
        "pushf" "9C", "popf" "9D", "pushfl" "9C", "popfl" "9D", "pushfd" "9C", "popfd" "9D",
        "pushfq" "9C", "popfq" "9D", "xlat" "D7", "xlatb" "D7",
        "cbtw" "66 98", "cbw" "66 98", "cwtl" "98", "cwde" "98", "cltq" "REX.W 98", "cdqe" "REX.W 98",
        "cwtd" "66 99", "cwd" "66 99", "cltd" "99", "cdq" "99", "cqto" "REX.W 99", "cqo" "REX.W 99",
        "cli" "FA", "sti" "FB", "invd" "0F 08", "wbinvd" "0F 09", "rdmsr" "0F 32", "wrmsr" "0F 30", "xsetbv" "0F 01 D1", "monitor" "0F 01 C8", "mwait" "0F 01 C9", "clzero" "0F 01 FC", "xtest" "0F 01 D6", "xend" "0F 01 D5", "emms" "0F 77", "fwait" "9B", "wait" "9B", "fninit" "DB E3",
        "fnclex" "DB E2", "fclex" "9B DB E2", "finit" "9B DB E3", "fnop" "D9 D0", "fchs" "D9 E0",
        "fabs" "D9 E1", "fld1" "D9 E8", "fldl2t" "D9 E9", "fldl2e" "D9 EA", "fldpi" "D9 EB", "fldlg2" "D9 EC",
        "fldln2" "D9 ED", "fldz" "D9 EE", "f2xm1" "D9 F0", "fyl2x" "D9 F1", "fptan" "D9 F2", "fpatan" "D9 F3",
        "fxtract" "D9 F4", "fprem1" "D9 F5", "fprem" "D9 F8", "fyl2xp1" "D9 F9", "fsqrt" "D9 FA",
        "fsincos" "D9 FB", "frndint" "D9 FC", "fscale" "D9 FD", "fsin" "D9 FE", "fcos" "D9 FF", "fxam" "D9 E5",
        "ftst" "D9 E4", "fcompp" "DE D9", "fucompp" "DA E9", "fincstp" "D9 F7", "fdecstp" "D9 F6",
        "fnstsw" "DF E0", "fstsw" "9B DF E0";
    Memory: "ldmxcsr" "0F AE /2", "stmxcsr" "0F AE /3", "clflush" "0F AE /7", "clflushopt" "66 0F AE /7",
        "clwb" "66 0F AE /6", "prefetchnta" "0F 18 /0", "prefetcht0" "0F 18 /1", "prefetcht1" "0F 18 /2",
        "prefetcht2" "0F 18 /3", "prefetchw" "0F 0D /1", "prefetch" "0F 0D /0", "cmpxchg8b" "0F C7 /1",
        "cmpxchg16b" "REX.W 0F C7 /1", "fxsave" "0F AE /0", "fxrstor" "0F AE /1",
        "fxsave64" "REX.W 0F AE /0", "fxrstor64" "REX.W 0F AE /1", "xsave" "0F AE /4", "xrstor" "0F AE /5",
        "xsave64" "REX.W 0F AE /4", "xrstor64" "REX.W 0F AE /5", "xsaveopt" "0F AE /6", "xsaveopt64" "REX.W 0F AE /6",
        "xsavec" "0F C7 /4", "xsavec64" "REX.W 0F C7 /4",
        "fldcw" "D9 /5", "fnstcw" "D9 /7", "fstcw" "9B D9 /7", "fnstsw" "DD /7", "fstsw" "9B DD /7", "fldenv" "D9 /4",
        "fnstenv" "D9 /6", "fstenv" "9B D9 /6", "fnsave" "DD /6", "frstor" "DD /4",
        "flds" "D9 /0", "fldl" "DD /0", "fldt" "DB /5", "fsts" "D9 /2", "fstl" "DD /2", "fstps" "D9 /3",
        "fstpl" "DD /3", "fstpt" "DB /7", "filds" "DF /0", "fildl" "DB /0", "fildll" "DF /5", "fildq" "DF /5",
        "fistps" "DF /3", "fistpl" "DB /3", "fistpll" "DF /7", "fistpq" "DF /7", "fists" "DF /2", "fistl" "DB /2",
        "fisttps" "DF /1", "fisttpl" "DB /1", "fisttpll" "DD /1",
        "fadds" "D8 /0", "faddl" "DC /0", "fiadds" "DE /0", "fiaddl" "DA /0", "fmuls" "D8 /1", "fmull" "DC /1",
        "fimuls" "DE /1", "fimull" "DA /1", "fcoms" "D8 /2", "fcoml" "DC /2", "ficoms" "DE /2",
        "ficoml" "DA /2", "fcomps" "D8 /3", "fcompl" "DC /3", "ficomps" "DE /3", "ficompl" "DA /3",
        "fsubs" "D8 /4", "fsubl" "DC /4", "fisubs" "DE /4", "fisubl" "DA /4", "fsubrs" "D8 /5",
        "fsubrl" "DC /5", "fisubrs" "DE /5", "fisubrl" "DA /5", "fdivs" "D8 /6", "fdivl" "DC /6",
        "fidivs" "DE /6", "fidivl" "DA /6", "fdivrs" "D8 /7", "fdivrl" "DC /7", "fidivrs" "DE /7",
        "fidivrl" "DA /7";
    Ax: "fnstsw" "DF E0", "fstsw" "9B DF E0";
    Stack: "fxch" "D9 C8", "fcom" "D8 D0", "fcomp" "D8 D8", "fucom" "DD E0", "fucomp" "DD E8", "fcomi" "DB F0",
        "fucomi" "DB E8", "fcomip" "DF F0", "fcompi" "DF F0", "fucomip" "DF E8", "fucompi" "DF E8";
    StackOne: "fld" "D9 C0", "fst" "DD D0", "fstp" "DD D8", "ffree" "DD C0";
    StackTop: "fadd" "D8 C0", "fmul" "D8 C8", "fsub" "D8 E0", "fsubr" "D8 E8", "fdiv" "D8 F0", "fdivr" "D8 F8",
        "fcmovb" "DA C0", "fcmove" "DA C8", "fcmovbe" "DA D0", "fcmovu" "DA D8", "fcmovnb" "DB C0",
        "fcmovne" "DB C8", "fcmovnbe" "DB D0", "fcmovnu" "DB D8";
    StackOther: "fadd" "DC C0", "fmul" "DC C8", "fsub" "DC E0", "fsubr" "DC E8", "fdiv" "DC F0", "fdivr" "DC F8";
    StackPop: "faddp" "DE C0", "fmulp" "DE C8", "fsubp" "DE E0", "fsubrp" "DE E8", "fdivp" "DE F0",
        "fdivrp" "DE F8";
    Arithmetic: "add" "80 /0", "or" "80 /1", "adc" "80 /2", "sbb" "80 /3", "and" "80 /4", "sub" "80 /5",
        "xor" "80 /6", "cmp" "80 /7";
    Store: "add" "00", "or" "08", "adc" "10", "sbb" "18", "and" "20", "sub" "28", "xor" "30", "cmp" "38",
        "test" "84", "xchg" "86", "mov" "88", "xadd" "0F C0", "cmpxchg" "0F B0";
    Load: "add" "02", "or" "0A", "adc" "12", "sbb" "1A", "and" "22", "sub" "2A", "xor" "32", "cmp" "3A",
        "test" "84", "xchg" "86", "mov" "8A";
    SegmentStore: "mov" "8C";
    SegmentLoad: "mov" "8E";
    Number: "test" "F6 /0", "mov" "C6 /0";
    Shift: "rol" "D0 /0", "ror" "D0 /1", "rcl" "D0 /2", "rcr" "D0 /3", "shl" "D0 /4", "sal" "D0 /4", "shr" "D0 /5",
        "sar" "D0 /7";
    One: "not" "F6 /2", "neg" "F6 /3", "mul" "F6 /4", "imul" "F6 /5", "div" "F6 /6", "idiv" "F6 /7",
        "inc" "FE /0", "dec" "FE /1";
    Wide: "imul" "0F AF", "bsf" "0F BC", "bsr" "0F BD", "popcnt" "F3 0F B8", "lzcnt" "F3 0F BD",
        "tzcnt" "F3 0F BC", "movbe" "0F 38 F0", "adcx" "66 0F 38 F6", "adox" "F3 0F 38 F6";
    WideStore: "bt" "0F A3", "bts" "0F AB", "btr" "0F B3", "btc" "0F BB", "movbe" "0F 38 F1", "movnti" "0F C3";
    WideByte: "bt" "0F BA /4", "bts" "0F BA /5", "btr" "0F BA /6", "btc" "0F BA /7";
    DoubleShift: "shld" "0F A4", "shrd" "0F AC";
    Address: "lea" "8D";
    WideRegister: "rdrand" "0F C7 /6", "rdseed" "0F C7 /7", "rdfsbase" "F3 0F AE /0", "rdgsbase" "F3 0F AE /1",
        "wrfsbase" "F3 0F AE /2", "wrgsbase" "F3 0F AE /3";
    Checksum: "crc32" "F2 0F 38 F0";
    Interrupt: "int" "CD";
    In: "in" "E4";
    Out: "out" "E6";
    Vector: "aesenc" "66 0F 38 DC", "aesenclast" "66 0F 38 DD", "aesdec" "66 0F 38 DE",
        "aesdeclast" "66 0F 38 DF", "aesimc" "66 0F 38 DB", "sha1nexte" "0F 38 C8", "sha1msg1" "0F 38 C9",
        "sha1msg2" "0F 38 CA", "sha256rnds2" "0F 38 CB", "sha256msg1" "0F 38 CC", "sha256msg2" "0F 38 CD",
        "rcpss" "F3 0F 53", "rcpps" "0F 53", "rsqrtss" "F3 0F 52", "rsqrtps" "0F 52",
        "phminposuw" "66 0F 38 41", "movddup" "F2 0F 12", "movshdup" "F3 0F 16", "movsldup" "F3 0F 12";
    VectorLoad: "lddqu" "F2 0F F0", "movntdqa" "66 0F 38 2A";
    VectorByte: "aeskeygenassist" "66 0F 3A DF", "pclmulqdq" "66 0F 3A 44", "sha1rnds4" "0F 3A CC",
        "palignr" "66 0F 3A 0F", "dpps" "66 0F 3A 40", "dppd" "66 0F 3A 41", "mpsadbw" "66 0F 3A 42",
        "pcmpestrm" "66 0F 3A 60", "pcmpestri" "66 0F 3A 61", "pcmpistrm" "66 0F 3A 62", "pcmpistri" "66 0F 3A 63";
};

/// The byte of a prefix.
pub(super) fn prefix(name: &str) -> Option<u8> {
    Some(match name {
        "lock" => 0xf0,
        "rep" | "repe" | "repz" | "xrelease" => 0xf3,
        "repne" | "repnz" | "xacquire" => 0xf2,
        "data16" => 0x66,
        "addr32" => 0x67,
        "cs" => 0x2e,
        "ds" => 0x3e,
        "notrack" => 0x3e,
        _ => return None,
    })
}

/// String operations, by the start of their names, and the code for bytes.
pub(super) const STRINGS: [(&str, u8); 7] = [
    ("movs", 0xa4),
    ("cmps", 0xa6),
    ("stos", 0xaa),
    ("lods", 0xac),
    ("scas", 0xae),
    ("ins", PORT_STRINGS),
    ("outs", PORT_STRINGS + 2),
];

/// The codes from here on read and write ports: none of 64 bits.
pub(super) const PORT_STRINGS: u8 = 0x6c;

/// Suffixes of conditions that have a second name, with the number of the condition.
pub(super) const CONDITIONS: [(&str, u8); 14] = [
    ("c", 2),
    ("nae", 2),
    ("nb", 3),
    ("nc", 3),
    ("z", 4),
    ("nz", 5),
    ("na", 6),
    ("nbe", 7),
    ("pe", 10),
    ("po", 11),
    ("nge", 12),
    ("nl", 13),
    ("ng", 14),
    ("nle", 15),
];

/// The predicates of comparisons of floats by number (SDM volume 2, table 3-1); without VEX there are the first eight.
pub(super) const PREDICATES: [&str; 32] = [
    "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord", "eq_uq", "nge", "ngt", "false", "neq_oq", "ge",
    "gt", "true", "eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq", "nle_uq", "ord_s", "eq_us",
    "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq", "true_us",
];

//! The assembler of inline assembly beside `llvm-mc`: both make code of the same statements, which a disassembler reads
//! alike. Which of two codes for the same instruction is taken does not count.

use crate::common::tools;
use ice_asm::TextPlace;
use ice_asm::x86::{Mode, Syntax, assemble};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Operations on all widths, as registers, memory and numbers have them.
fn of_all_widths(mode: Mode) -> Vec<String> {
    let mut list = Vec::new();
    let widths: &[(char, [&str; 3])] = match mode {
        Mode::Bits64 => &[
            ('b', ["%al", "%sil", "%r9b"]),
            ('w', ["%ax", "%si", "%r9w"]),
            ('l', ["%eax", "%esi", "%r9d"]),
            ('q', ["%rax", "%rsi", "%r9"]),
        ],
        Mode::Bits32 => {
            &[('b', ["%al", "%dh", "%cl"]), ('w', ["%ax", "%si", "%cx"]), ('l', ["%eax", "%esi", "%ecx"])]
        }
    };
    let (base, index) = if mode == Mode::Bits64 { ("%rbx", "%r12") } else { ("%ebx", "%esi") };
    let places = [format!("({base})"), format!("-8({base},{index},4)"), format!("0x12345({base})")];
    for (suffix, regs) in widths {
        for op in
            ["add", "or", "adc", "sbb", "and", "sub", "xor", "cmp", "mov", "test", "xchg", "xadd", "cmpxchg"]
        {
            list.push(format!("{op}{suffix} {}, {}", regs[0], regs[1]));
            list.push(format!("{op} {}, {}", regs[2], regs[0]));
            list.extend(places.iter().map(|place| format!("{op}{suffix} {}, {place}", regs[2])));
            if !matches!(op, "xadd" | "cmpxchg") {
                list.push(format!("{op} {}, {}", places[1], regs[0]));
            }
            if !matches!(op, "xadd" | "cmpxchg" | "xchg") {
                list.extend([1, -1, 100].map(|n| format!("{op}{suffix} ${n}, {}", regs[1])));
                list.push(format!("{op}{suffix} $0x7f, {}", places[0]));
                if *suffix != 'b' {
                    list.push(format!("{op}{suffix} $0x1234, {}", regs[0]));
                    list.push(format!("{op}{suffix} $0x1234, {}", places[2]));
                }
            }
        }
        for op in ["not", "neg", "mul", "imul", "div", "idiv", "inc", "dec"] {
            list.push(format!("{op}{suffix} {}", regs[1]));
            list.push(format!("{op}{suffix} {}", places[0]));
        }
        for op in ["rol", "ror", "rcl", "rcr", "shl", "shr", "sar"] {
            list.push(format!("{op}{suffix} {}", regs[1]));
            list.push(format!("{op}{suffix} $3, {}", regs[2]));
            list.push(format!("{op}{suffix} %cl, {}", places[1]));
        }
        list.extend(["movs", "stos", "lods", "scas", "cmps"].map(|op| format!("{op}{suffix}")));
        if *suffix == 'b' {
            list.extend(["setz", "setnbe", "setl"].map(|op| format!("{op} {}", regs[1])));
            continue;
        }
        for op in ["imul", "bsf", "bsr", "popcnt", "lzcnt", "tzcnt", "cmovz", "cmovnle", "cmovc"] {
            list.push(format!("{op}{suffix} {}, {}", regs[0], regs[1]));
            list.push(format!("{op} {}, {}", places[1], regs[2]));
        }
        for op in ["bt", "bts", "btr", "btc"] {
            list.push(format!("{op}{suffix} {}, {}", regs[0], places[0]));
            list.push(format!("{op}{suffix} $5, {}", regs[1]));
        }
        for op in ["shld", "shrd"] {
            list.push(format!("{op}{suffix} $5, {}, {}", regs[0], regs[1]));
            list.push(format!("{op}{suffix} %cl, {}, {}", regs[2], places[0]));
        }
        list.push(format!("imul{suffix} $3, {}, {}", places[0], regs[1]));
        list.push(format!("imul{suffix} $1000, {}, {}", regs[1], regs[0]));
        list.push(format!("lea{suffix} {}, {}", places[1], regs[1]));
        list.push(format!("movzb{suffix} {}, {}", places[1], regs[1]));
        list.push(format!("movsb{suffix} %cl, {}", regs[0]));
        list.push(format!("rdrand {}", regs[1]));
        list.push(
            format!("crc32{suffix} {}, %edx", places[0])
                .replace(if *suffix == 'q' { "%edx" } else { "" }, if *suffix == 'q' { "%rdx" } else { "" }),
        );
        list.push(format!("movbe {}, {}", places[0], regs[1]));
    }
    list
}

const EVERYWHERE: &[&str] = &[
    "nop",
    "pause",
    "cpuid",
    "rdtsc",
    "rdtscp",
    "xgetbv",
    "xsetbv",
    "monitor",
    "mwait",
    "clzero",
    "lfence",
    "mfence",
    "sfence",
    "ud2",
    "int3",
    "hlt",
    "int $0x80",
    "clc",
    "stc",
    "cmc",
    "cld",
    "std",
    "lahf",
    "sahf",
    "pushf",
    "popf",
    "cbtw",
    "cwtl",
    "cwtd",
    "cltd",
    "fninit",
    "fnclex",
    "fwait",
    "emms",
    "fsqrt",
    "frndint",
    "fnstsw %ax",
    "inb $5, %al",
    "inl %dx, %eax",
    "outw %ax, %dx",
    "outb %al, $0x80",
    "cli",
    "rdmsr",
    "movzwl %cx, %edx",
    "movswl %cx, %edx",
    "movzbl %ah, %ecx",
    "xchgb %al, %ah",
    "bswapl %edx",
    "rep stosb",
    "repne scasb",
    "lock; incl (%ecx)",
    "movl %gs:0x14, %eax",
    "movl 0x1234, %ecx",
    "aesenc %xmm1, %xmm2",
    "pclmulqdq $1, %xmm0, %xmm3",
    "aeskeygenassist $3, %xmm4, %xmm5",
    "movd %eax, %xmm1",
    "movd %xmm2, %ecx",
    "movdqa %xmm1, %xmm2",
    "paddd %xmm3, %xmm4",
    "pshufd $0x1b, %xmm1, %xmm2",
    "psrldq $4, %xmm3",
    "pslld $3, %xmm4",
    "phaddw %xmm1, %xmm2",
    "phaddd %xmm1, %xmm2",
    "phaddsw %xmm1, %xmm2",
    "phsubw %xmm1, %xmm2",
    "phsubd %xmm1, %xmm2",
    "phsubsw %xmm1, %xmm2",
    "pmaddubsw %xmm3, %xmm4",
    "pmulhrsw %xmm3, %xmm4",
    "psignb %xmm3, %xmm4",
    "psignw %xmm3, %xmm4",
    "psignd %xmm3, %xmm4",
    "phminposuw %xmm3, %xmm4",
    "addsubps %xmm3, %xmm4",
    "addsubpd %xmm3, %xmm4",
    "hsubps %xmm3, %xmm4",
    "hsubpd %xmm3, %xmm4",
    "dpps $7, %xmm3, %xmm4",
    "dppd $7, %xmm3, %xmm4",
    "mpsadbw $7, %xmm3, %xmm4",
    "pcmpestrm $7, %xmm3, %xmm4",
    "pcmpestri $7, %xmm3, %xmm4",
    "pcmpistrm $7, %xmm3, %xmm4",
    "pcmpistri $7, %xmm3, %xmm4",
    "vfmadd132ps %xmm1, %xmm2, %xmm3",
    "vfmadd132pd %xmm1, %xmm2, %xmm3",
    "vfmadd132ss %xmm1, %xmm2, %xmm3",
    "vfmadd132sd %xmm1, %xmm2, %xmm3",
    "vfmadd213ps %xmm1, %xmm2, %xmm3",
    "vfmadd213pd %xmm1, %xmm2, %xmm3",
    "vfmadd213ss %xmm1, %xmm2, %xmm3",
    "vfmadd213sd %xmm1, %xmm2, %xmm3",
    "vfmadd231ps %xmm1, %xmm2, %xmm3",
    "vfmadd231pd %xmm1, %xmm2, %xmm3",
    "vfmadd231ss %xmm1, %xmm2, %xmm3",
    "vfmadd231sd %xmm1, %xmm2, %xmm3",
    "vfmsub132ps %xmm1, %xmm2, %xmm3",
    "vfmsub132pd %xmm1, %xmm2, %xmm3",
    "vfmsub132ss %xmm1, %xmm2, %xmm3",
    "vfmsub132sd %xmm1, %xmm2, %xmm3",
    "vfmsub213ps %xmm1, %xmm2, %xmm3",
    "vfmsub213pd %xmm1, %xmm2, %xmm3",
    "vfmsub213ss %xmm1, %xmm2, %xmm3",
    "vfmsub213sd %xmm1, %xmm2, %xmm3",
    "vfmsub231ps %xmm1, %xmm2, %xmm3",
    "vfmsub231pd %xmm1, %xmm2, %xmm3",
    "vfmsub231ss %xmm1, %xmm2, %xmm3",
    "vfmsub231sd %xmm1, %xmm2, %xmm3",
    "vfnmadd132ps %xmm1, %xmm2, %xmm3",
    "vfnmadd132pd %xmm1, %xmm2, %xmm3",
    "vfnmadd132ss %xmm1, %xmm2, %xmm3",
    "vfnmadd132sd %xmm1, %xmm2, %xmm3",
    "vfnmadd213ps %xmm1, %xmm2, %xmm3",
    "vfnmadd213pd %xmm1, %xmm2, %xmm3",
    "vfnmadd213ss %xmm1, %xmm2, %xmm3",
    "vfnmadd213sd %xmm1, %xmm2, %xmm3",
    "vfnmadd231ps %xmm1, %xmm2, %xmm3",
    "vfnmadd231pd %xmm1, %xmm2, %xmm3",
    "vfnmadd231ss %xmm1, %xmm2, %xmm3",
    "vfnmadd231sd %xmm1, %xmm2, %xmm3",
    "vfnmsub132ps %xmm1, %xmm2, %xmm3",
    "vfnmsub132pd %xmm1, %xmm2, %xmm3",
    "vfnmsub132ss %xmm1, %xmm2, %xmm3",
    "vfnmsub132sd %xmm1, %xmm2, %xmm3",
    "vfnmsub213ps %xmm1, %xmm2, %xmm3",
    "vfnmsub213pd %xmm1, %xmm2, %xmm3",
    "vfnmsub213ss %xmm1, %xmm2, %xmm3",
    "vfnmsub213sd %xmm1, %xmm2, %xmm3",
    "vfnmsub231ps %xmm1, %xmm2, %xmm3",
    "vfnmsub231pd %xmm1, %xmm2, %xmm3",
    "vfnmsub231ss %xmm1, %xmm2, %xmm3",
    "vfnmsub231sd %xmm1, %xmm2, %xmm3",
    "vfmaddsub132ps %xmm1, %xmm2, %xmm3",
    "vfmaddsub132pd %xmm1, %xmm2, %xmm3",
    "vfmaddsub213ps %xmm1, %xmm2, %xmm3",
    "vfmaddsub213pd %xmm1, %xmm2, %xmm3",
    "vfmaddsub231ps %xmm1, %xmm2, %xmm3",
    "vfmaddsub231pd %xmm1, %xmm2, %xmm3",
    "vfmsubadd132ps %xmm1, %xmm2, %xmm3",
    "vfmsubadd132pd %xmm1, %xmm2, %xmm3",
    "vfmsubadd213ps %xmm1, %xmm2, %xmm3",
    "vfmsubadd213pd %xmm1, %xmm2, %xmm3",
    "vfmsubadd231ps %xmm1, %xmm2, %xmm3",
    "vfmsubadd231pd %xmm1, %xmm2, %xmm3",
    "vcvtph2ps %xmm1, %xmm2",
    "vcvtps2ph $3, %xmm1, %xmm2",
    "vcvtps2ph $3, %xmm1, 8(%ecx,%edx,4)",
    "andnl %eax, %ecx, %edx",
    "pdepl (%ecx), %ecx, %edx",
    "pextl %eax, %ecx, %edx",
    "mulxl %eax, %ecx, %edx",
    "bextrl %eax, %ecx, %edx",
    "bzhil %eax, 4(%ecx), %edx",
    "sarxl %eax, %ecx, %edx",
    "shlxl %eax, %ecx, %edx",
    "shrxl %eax, %ecx, %edx",
    "blsrl %ecx, %edx",
    "blsmskl %ecx, %edx",
    "blsil (%ecx), %edx",
    "rorxl $5, %ecx, %edx",
    "cvttsd2si %xmm1, %eax",
    "cvtsi2sdl %eax, %xmm1",
    "pmovmskb %xmm2, %edx",
    "pinsrw $3, %eax, %xmm1",
    "pextrw $2, %xmm1, %eax",
    "ucomisd %xmm0, %xmm1",
    "sqrtsd %xmm1, %xmm2",
    "rcpss %xmm1, %xmm2",
    "palignr $4, %xmm1, %xmm2",
    "sha256rnds2 %xmm0, %xmm1, %xmm2",
    "pushl $5",
    "push $1000",
    "fxam",
    "ftst",
    "fcompp",
    "fucompp",
    "fincstp",
    "fdecstp",
    "fnstsw",
    "fxch",
    "fxch %st(3)",
    "fcom",
    "fcomp %st(2)",
    "fucom %st(1)",
    "fucomp",
    "fcomi %st(2), %st",
    "fucomi %st(1)",
    "fcomip %st(1), %st",
    "fucomip %st(4), %st",
    "fld %st",
    "fld %st(5)",
    "fst %st(1)",
    "fstp %st(0)",
    "ffree %st(7)",
    "fadd %st(3)",
    "fadd %st(2), %st",
    "fadd %st, %st(2)",
    "faddp",
    "faddp %st, %st(3)",
    "faddp %st(4)",
    "fmul %st(3)",
    "fmul %st(2), %st",
    "fmul %st, %st(2)",
    "fmulp",
    "fmulp %st, %st(3)",
    "fmulp %st(4)",
    "fsub %st(3)",
    "fsub %st(2), %st",
    "fsub %st, %st(2)",
    "fsubp",
    "fsubp %st, %st(3)",
    "fsubp %st(4)",
    "fsubr %st(3)",
    "fsubr %st(2), %st",
    "fsubr %st, %st(2)",
    "fsubrp",
    "fsubrp %st, %st(3)",
    "fsubrp %st(4)",
    "fdiv %st(3)",
    "fdiv %st(2), %st",
    "fdiv %st, %st(2)",
    "fdivp",
    "fdivp %st, %st(3)",
    "fdivp %st(4)",
    "fdivr %st(3)",
    "fdivr %st(2), %st",
    "fdivr %st, %st(2)",
    "fdivrp",
    "fdivrp %st, %st(3)",
    "fdivrp %st(4)",
    "fcmovb %st(2), %st",
    "fcmove %st(2), %st",
    "fcmovbe %st(2), %st",
    "fcmovu %st(2), %st",
    "fcmovnb %st(2), %st",
    "fcmovne %st(2), %st",
    "fcmovnbe %st(2), %st",
    "fcmovnu %st(2), %st",
    "insb",
    "rep insw",
    "insl",
    "outsb",
    "rep outsw",
    "outsl",
    "movw %gs, %ax",
    "mov %fs, %ecx",
    "movl %cs, %edx",
    "mov %ax, %es",
    "movl %eax, %gs",
    "movw %ss, (%esi)",
];

const WITH_MEMORY: &[&str] = &[
    "ldmxcsr",
    "stmxcsr",
    "clflush",
    "xsaveopt",
    "xsavec",
    "prefetchnta",
    "prefetcht0",
    "prefetcht1",
    "prefetcht2",
    "prefetchw",
    "cmpxchg8b",
    "fldcw",
    "fnstcw",
    "fnstsw",
    "fldenv",
    "fnstenv",
    "flds",
    "fldl",
    "fldt",
    "fstps",
    "fstpl",
    "fstpt",
    "filds",
    "fildl",
    "fildll",
    "fistps",
    "fistpl",
    "fistpll",
    "fxsave",
    "fxrstor",
    "fisttpll",
    "fadds",
    "faddl",
    "fiadds",
    "fiaddl",
    "fmuls",
    "fmull",
    "fimuls",
    "fimull",
    "fcoms",
    "fcoml",
    "ficoms",
    "ficoml",
    "fcomps",
    "fcompl",
    "ficomps",
    "ficompl",
    "fsubs",
    "fsubl",
    "fisubs",
    "fisubl",
    "fsubrs",
    "fsubrl",
    "fisubrs",
    "fisubrl",
    "fdivs",
    "fdivl",
    "fidivs",
    "fidivl",
    "fdivrs",
    "fdivrl",
    "fidivrs",
    "fidivrl",
];

/// The instructions of AVX and AVX2, with a suffix of their names in 64 bits; operands are written `x1`, `y2`, `m`, `$7`, the
/// destination last as everywhere. `?1` stands for both lengths.
fn of_vectors() -> Vec<String> {
    let mut list = Vec::new();
    let ternary = [
        "vaddps",
        "vaddpd",
        "vsubps",
        "vmulpd",
        "vdivps",
        "vminps",
        "vmaxpd",
        "vandps",
        "vandnpd",
        "vorps",
        "vxorps",
        "vhaddps",
        "vhsubpd",
        "vaddsubps",
        "vpaddb",
        "vpaddw",
        "vpaddd",
        "vpaddq",
        "vpsubb",
        "vpsubq",
        "vpaddsb",
        "vpaddusw",
        "vpsubsw",
        "vpsubusb",
        "vpmullw",
        "vpmulhw",
        "vpmulhuw",
        "vpmuludq",
        "vpmaddwd",
        "vpmulld",
        "vpmuldq",
        "vpavgb",
        "vpavgw",
        "vpsadbw",
        "vpand",
        "vpandn",
        "vpor",
        "vpxor",
        "vpcmpeqb",
        "vpcmpeqw",
        "vpcmpeqd",
        "vpcmpeqq",
        "vpcmpgtb",
        "vpcmpgtq",
        "vpminub",
        "vpminsd",
        "vpmaxuw",
        "vpmaxsb",
        "vpshufb",
        "vunpcklps",
        "vunpckhpd",
        "vpunpcklbw",
        "vpunpckhqdq",
        "vpacksswb",
        "vpackusdw",
        "vphaddw",
        "vphsubd",
        "vpmaddubsw",
        "vpsignb",
        "vpmulhrsw",
        "vpermilps",
        "vpermilpd",
        "vpsllvd",
        "vpsllvq",
        "vpsrlvd",
        "vpsrlvq",
        "vpsravd",
        "vfmadd213ps",
        "vfnmsub231pd",
        "vfmaddsub132ps",
        "vcmpeqps",
        "vcmptrue_uspd",
        "vcmpnge_uqps",
    ];
    for op in ternary {
        list.push(format!("{op} ?1, ?2, ?3"));
        list.push(format!("{op} m, ?2, ?3"));
    }
    for op in [
        "vshufps", "vshufpd", "vpalignr", "vblendps", "vblendpd", "vpblendw", "vpblendd", "vcmpps", "vcmppd",
        "vdpps", "vmpsadbw",
    ] {
        list.push(format!("{op} $7, ?1, ?2, ?3"));
        list.push(format!("{op} $7, m, ?2, ?3"));
    }
    for op in ["vblendvps", "vblendvpd", "vpblendvb"] {
        list.push(format!("{op} ?4, ?1, ?2, ?3"));
        list.push(format!("{op} ?4, m, ?2, ?3"));
    }
    let unary = [
        "vmovaps",
        "vmovapd",
        "vmovups",
        "vmovupd",
        "vmovdqa",
        "vmovdqu",
        "vsqrtps",
        "vsqrtpd",
        "vrsqrtps",
        "vrcpps",
        "vcvtps2dq",
        "vcvttps2dq",
        "vcvtdq2ps",
        "vpabsb",
        "vpabsd",
        "vptest",
        "vtestps",
        "vtestpd",
        "vmovddup",
        "vmovshdup",
        "vmovsldup",
    ];
    for op in unary {
        list.push(format!("{op} ?1, ?3"));
        list.push(format!("{op} m, ?3"));
    }
    for op in ["vpshufd", "vpshuflw", "vpshufhw", "vroundps", "vroundpd", "vpermilps", "vpermilpd"] {
        list.push(format!("{op} $7, ?1, ?3"));
        list.push(format!("{op} $7, m, ?3"));
    }
    for op in ["vmovaps", "vmovapd", "vmovups", "vmovupd", "vmovdqa", "vmovdqu", "vmovntps", "vmovntdq"] {
        list.push(format!("{op} ?1, m"));
    }
    for op in ["vpsllw", "vpslld", "vpsllq", "vpsrlw", "vpsrld", "vpsrlq", "vpsraw", "vpsrad"] {
        list.push(format!("{op} x1, ?2, ?3"));
        list.push(format!("{op} m, ?2, ?3"));
        list.push(format!("{op} $5, ?2, ?3"));
    }
    for op in [
        "vpmovzxbw",
        "vpmovzxdq",
        "vpmovsxwd",
        "vpmovsxbq",
        "vcvtps2pd",
        "vcvtdq2pd",
        "vcvtph2ps",
        "vbroadcastss",
        "vpbroadcastb",
        "vpbroadcastw",
        "vpbroadcastd",
        "vpbroadcastq",
    ] {
        list.push(format!("{op} x1, ?3"));
        list.push(format!("{op} m, ?3"));
    }
    for op in ["vmaskmovps", "vmaskmovpd", "vpmaskmovd", "vpmaskmovq"] {
        list.push(format!("{op} m, ?2, ?3"));
        list.push(format!("{op} ?3, ?2, m"));
    }
    for op in ["vcvtpd2ps", "vcvttpd2dq", "vcvtpd2dq"] {
        list.extend([
            format!("{op} ?1, x3"),
            format!("{op}x m, x3"),
            format!("{op}y m, x3"),
            format!("{op}y y1, x3"),
        ]);
    }
    list.extend(
        [
            "vpslldq $3, ?2, ?3",
            "vpsrldq $3, ?2, ?3",
            "vmovntdqa m, ?3",
            "vlddqu m, ?3",
            "vcvtps2ph $3, ?2, m",
        ]
        .map(str::to_owned),
    );
    list.extend(["vmovmskps ?1, %ecx", "vmovmskpd ?1, %ecx", "vpmovmskb ?1, %ecx"].map(str::to_owned));
    let mut both: Vec<String> =
        list.iter().flat_map(|text| ["x", "y"].map(|kind| text.replace('?', kind))).collect();
    for op in [
        "vaddss",
        "vsubsd",
        "vmulss",
        "vdivsd",
        "vminss",
        "vmaxsd",
        "vsqrtss",
        "vsqrtsd",
        "vrcpss",
        "vrsqrtss",
        "vcvtss2sd",
        "vcvtsd2ss",
        "vfmadd132sd",
        "vcmpltsd",
        "vaesenc",
        "vaesdeclast",
        "vpclmulhqlqdq",
    ] {
        both.extend([format!("{op} x1, x2, x3"), format!("{op} m, x2, x3")]);
    }
    for op in ["vroundss", "vroundsd", "vcmpss", "vpclmulqdq", "vdppd", "vinsertps"] {
        both.extend([format!("{op} $9, x1, x2, x3"), format!("{op} $9, m, x2, x3")]);
    }
    for op in ["vphminposuw", "vaesimc", "vucomiss", "vcomisd"] {
        both.extend([format!("{op} x1, x3"), format!("{op} m, x3")]);
    }
    both.extend(["vpcmpestri", "vpcmpistrm", "vaeskeygenassist"].map(|op| format!("{op} $9, m, x3")));
    both.extend(
        [
            "vzeroupper",
            "vzeroall",
            "vbroadcastsd x1, y2",
            "vbroadcastf128 m, y2",
            "vbroadcasti128 m, y2",
            "vperm2f128 $3, y1, y2, y3",
            "vperm2i128 $3, m, y2, y3",
            "vextractf128 $1, y1, x3",
            "vextracti128 $1, y1, m",
            "vinsertf128 $1, x1, y2, y3",
            "vinserti128 $1, m, y2, y3",
            "vpermd y1, y2, y3",
            "vpermps m, y2, y3",
            "vpermq $9, y1, y3",
            "vpermpd $9, m, y3",
            "vmovss x1, x2, x3",
            "vmovss m, x3",
            "vmovss x3, m",
            "vmovsd x1, x2, x3",
            "vmovsd m, x3",
            "vmovsd x3, m",
            "vmovhlps x1, x2, x3",
            "vmovlhps x1, x2, x3",
            "vmovlps m, x2, x3",
            "vmovhpd m, x2, x3",
            "vmovhps x3, m",
            "vmovlpd x3, m",
            "vmovd %ecx, x3",
            "vmovd x3, %ecx",
            "vmovd m, x3",
            "vmovd x3, m",
            "vmovq x1, x3",
            "vmovq m, x3",
            "vmovq x3, m",
            "vpinsrb $3, %ecx, x2, x3",
            "vpinsrw $3, m, x2, x3",
            "vpinsrd $3, %ecx, x2, x3",
            "vpextrb $3, x1, %ecx",
            "vpextrb $3, x1, m",
            "vpextrw $3, x1, %ecx",
            "vpextrw $3, x1, m",
            "vpextrd $3, x1, %ecx",
            "vextractps $3, x1, %ecx",
            "vldmxcsr m",
            "vstmxcsr m",
            "vcvtsi2ssl %ecx, x2, x3",
            "vcvtsi2sdl m, x2, x3",
            "vcvttss2si x1, %ecx",
            "vcvtsd2si m, %ecx",
            "vcvtps2ph $3, y2, x3",
            "cmpeqps x1, x3",
            "cmpnlesd m, x3",
            "cmpunordpd x1, x3",
            "pclmullqhqdq x1, x3",
            "movddup x1, x3",
            "movshdup m, x3",
            "movsldup x1, x3",
            "lddqu m, x3",
            "movntdqa m, x3",
        ]
        .map(str::to_owned),
    );
    both
}

/// The instructions on registers of MMX.
fn of_mmx() -> Vec<String> {
    let mut list = Vec::new();
    let all = [
        "paddb",
        "paddw",
        "paddd",
        "paddq",
        "psubb",
        "psubw",
        "psubd",
        "psubq",
        "paddsb",
        "paddsw",
        "paddusb",
        "paddusw",
        "psubsb",
        "psubsw",
        "psubusb",
        "psubusw",
        "pmullw",
        "pmulhw",
        "pmulhuw",
        "pmuludq",
        "pmaddwd",
        "pavgb",
        "pavgw",
        "psadbw",
        "pabsb",
        "pabsw",
        "pabsd",
        "pand",
        "pandn",
        "por",
        "pxor",
        "pcmpeqb",
        "pcmpeqw",
        "pcmpeqd",
        "pcmpgtb",
        "pcmpgtw",
        "pcmpgtd",
        "pminub",
        "pminsw",
        "pmaxub",
        "pmaxsw",
        "psllw",
        "pslld",
        "psllq",
        "psrlw",
        "psrld",
        "psrlq",
        "psraw",
        "psrad",
        "pshufb",
        "punpcklbw",
        "punpcklwd",
        "punpckldq",
        "punpckhbw",
        "punpckhwd",
        "punpckhdq",
        "packsswb",
        "packssdw",
        "packuswb",
        "phaddw",
        "phaddd",
        "phaddsw",
        "pmaddubsw",
        "phsubw",
        "phsubd",
        "phsubsw",
        "psignb",
        "psignw",
        "psignd",
        "pmulhrsw",
    ];
    for op in all {
        list.extend([format!("{op} %mm3, %mm4"), format!("{op} 8(%ecx), %mm7")]);
    }
    for op in ["psllw", "pslld", "psllq", "psrlw", "psrld", "psrlq", "psraw", "psrad"] {
        list.push(format!("{op} $5, %mm2"));
    }
    list.extend(
        [
            "movq %mm1, %mm2",
            "movq (%ecx), %mm2",
            "movq %mm2, (%ecx)",
            "movd %eax, %mm2",
            "movd %mm2, %eax",
            "movd (%ecx), %mm2",
            "movd %mm2, (%ecx)",
            "movntq %mm2, (%ecx)",
            "maskmovq %mm2, %mm3",
            "pshufw $9, %mm2, %mm3",
            "pshufw $9, (%ecx), %mm3",
            "palignr $3, %mm2, %mm3",
            "pinsrw $3, %eax, %mm3",
            "pinsrw $3, (%ecx), %mm3",
            "pextrw $3, %mm3, %eax",
            "pmovmskb %mm3, %eax",
            "movq2dq %mm3, %xmm4",
            "movdq2q %xmm3, %mm4",
            "cvtpi2ps %mm3, %xmm4",
            "cvtpi2pd (%ecx), %xmm4",
            "cvtps2pi %xmm3, %mm4",
            "cvttps2pi (%ecx), %mm4",
            "cvtpd2pi %xmm3, %mm4",
            "cvttpd2pi %xmm3, %mm4",
            "emms",
        ]
        .map(str::to_owned),
    );
    list
}

/// A statement of [`of_vectors`] with registers and memory.
fn with_vectors(mode: Mode, text: &str) -> String {
    let numbers = if mode == Mode::Bits64 { [2, 9, 12, 13] } else { [1, 2, 7, 5] };
    let memory = if mode == Mode::Bits64 { "-8(%r9,%r12,4)" } else { "-8(%esi,%eax,4)" };
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    let mut operands = operands.replace('m', memory);
    for (n, number) in (1..).zip(numbers) {
        for kind in ["x", "y"] {
            operands = operands.replace(&format!("{kind}{n}"), &format!("%{kind}#{number}"));
        }
    }
    format!("{name} {}", operands.replace('#', "mm"))
}

/// Gathers: all of them in both lengths, and addresses of all kinds, with every register of the lower eight as the index.
fn of_gathers(mode: Mode) -> Vec<String> {
    let (base, other) = if mode == Mode::Bits64 { ("%r13", "%xmm12") } else { ("%ebx", "%xmm4") };
    let mut list = Vec::new();
    // The letters of the lengths of the mask and of the index.
    for (names, lengths) in [
        (["vpgatherdd", "vpgatherqq", "vgatherdps", "vgatherqpd"], ["xx", "yy"]),
        (["vpgatherdq", "vgatherdpd", "vpgatherdq", "vgatherdpd"], ["xx", "yx"]),
        (["vpgatherqd", "vgatherqps", "vpgatherqd", "vgatherqps"], ["xx", "xy"]),
    ] {
        for (name, length) in names.iter().flat_map(|name| lengths.map(|length| (name, length))) {
            let (value, index) = length.split_at(1);
            let of = |letter, number| format!("%{letter}mm{number}");
            for place in ["", "-4", "0x12345"] {
                let indexed = format!("{place}({base},{},4)", of(index, 6));
                list.push(format!("{name} {}, {indexed}, {}", of(value, 1), of(value, 7)));
            }
            list.push(format!("{name} {}, 64(,{},8), {}", of(value, 3), of(index, 4), of(value, 5)));
        }
    }
    for number in 0..8 {
        let (mask, result) = ((number + 1) % 8, (number + 2) % 8);
        list.push(format!("vpgatherdd %xmm{mask}, ({base},%xmm{number}), %xmm{result}"));
    }
    list.push(format!("vgatherqps {other}, %fs:8({base},%ymm2,2), %xmm1"));
    if mode == Mode::Bits64 {
        list.push("vgatherdpd %ymm9, (%rsp,%xmm15,8), %ymm14".to_owned());
        list.push("vgatherdpd %ymm9, 8(%eax,%xmm15), %ymm14".to_owned());
    }
    list
}

const ONLY_64: &[&str] = &[
    "syscall",
    "cltq",
    "cqto",
    "movslq %eax, %r9",
    "movabsq $0x123456789abcdef0, %r10",
    "movq $-1, %rax",
    "movq %rax, %xmm1",
    "movq %xmm9, %r8",
    "movq %xmm1, %xmm2",
    "movq (%rax), %xmm3",
    "movq %xmm3, (%rax)",
    "bswapq %r9",
    "pushq %rbp",
    "popq %r12",
    "jmp *%rax",
    "call *8(%rbx)",
    "jmp *(%r11)",
    "cmpxchg16b (%rsi)",
    "rdfsbase %rax",
    "movdqu %xmm9, (%r9)",
    "movups 16(%rax), %xmm1",
    "movq %fs:0, %rax",
    "movl (%eax), %ecx",
    "leaq -128(%rsp), %rsp",
    "adcxq %rax, %rbx",
    "adoxq %rax, %rbx",
    "mulq %r8",
    "movnti %rax, (%rbx)",
    "cvtsi2sdq %rax, %xmm1",
    "cvttsd2si %xmm1, %rax",
    "pinsrq $1, %rax, %xmm1",
    "pextrq $1, %xmm1, %rax",
    "movq %rax, %mm1",
    "movq %mm1, %r9",
    "vpinsrq $1, %rax, %xmm9, %xmm1",
    "vpextrq $1, %xmm1, %rax",
    "vmovq %rax, %xmm1",
    "vmovq %xmm9, %r8",
    "vcvtsi2sdq %rax, %xmm2, %xmm1",
    "vcvttsd2si %xmm1, %r9",
    "vsubps %ymm9, %ymm2, %ymm1",
    "vpermd %ymm9, %ymm12, %ymm3",
    "fxsave64 (%rsi)",
    "xsaveopt64 8(%rsi)",
    "xsavec64 (%r9)",
    "xchgq %rax, %rbx",
    "pushfq",
    "popfq",
    "mov %ds, %r9",
    "movq %rax, %fs",
    "mov (%rax), %ss",
];

const ONLY_32: &[&str] = &[
    "pushl %ebp",
    "popl %ebx",
    "call *%edx",
    "jmp *4(%ebx)",
    "pushl (%esi)",
    "movl %eax, 0x1234",
    "sysenter",
];

/// The instructions, as the disassembler shows them. Without the codes it chose.
fn shown(mode: Mode, bytes: &[u8]) -> Vec<String> {
    let bits = if mode == Mode::Bits32 { 32 } else { 64 };
    let mut decoder = iced_x86::Decoder::new(bits, bytes, iced_x86::DecoderOptions::NONE);
    let mut list = Vec::new();
    while decoder.can_decode() {
        let inst = decoder.decode();
        let mut operands = Vec::new();
        for operand in 0..inst.op_count() {
            let kind = inst.op_kind(operand);
            let mut text = String::new();
            let _ = match kind {
                // A number of 32 bits fills the whole register.
                iced_x86::OpKind::Register
                    if bits == 64
                        && inst.mnemonic() == iced_x86::Mnemonic::Mov
                        && inst.op1_kind() == iced_x86::OpKind::Immediate32 =>
                {
                    write!(text, " {:?}", inst.op0_register().full_register())
                }
                iced_x86::OpKind::Register => write!(text, " {:?}", inst.op_register(operand)),
                iced_x86::OpKind::Memory => write!(
                    text,
                    " {:?}:[{:?}+{:?}*{}+{:#x}]{:?}",
                    inst.segment_prefix(),
                    inst.memory_base(),
                    inst.memory_index(),
                    inst.memory_index_scale(),
                    inst.memory_displacement64(),
                    inst.memory_size()
                ),
                _ => match inst.try_immediate(operand) {
                    Ok(value) => write!(text, " {:#x}", value & mask(inst.op0_register())),
                    Err(_) => write!(text, " {kind:?}"),
                },
            };
            operands.push(text);
        }
        if matches!(inst.mnemonic(), iced_x86::Mnemonic::Xchg | iced_x86::Mnemonic::Test) {
            operands.sort();
        }
        list.push(format!("{:?}{}", inst.mnemonic(), operands.concat()));
    }
    list
}

/// The bits that count of a number that goes with this register.
fn mask(reg: iced_x86::Register) -> u64 {
    match reg.size() {
        size @ (1 | 2 | 4) => (1 << (8 * size)) - 1,
        _ => u64::MAX,
    }
}

fn ours(mode: Mode, statement: &str) -> Vec<u8> {
    let result = assemble(mode, statement, Syntax::Att, TextPlace::Function);
    let assembled = result.unwrap_or_else(|error| panic!("{mode:?}: {error}"));
    assembled.sections[0].bytes.clone()
}

#[test]
fn statements_mean_what_they_mean_to_llvm() {
    if !tools::has("inline assembly beside llvm-mc", &["llvm-mc-19", "objcopy"]) {
        return;
    }
    for mode in [Mode::Bits32, Mode::Bits64] {
        let is_64 = mode == Mode::Bits64;
        let mut statements = of_all_widths(mode);
        let of = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        statements.extend(of(EVERYWHERE));
        statements.retain(|text| !is_64 || !["lock; incl (%ecx)", "pushl $5"].contains(&&**text));
        let base = if is_64 { "(%r13)" } else { "(%esi,%eax,2)" };
        statements.extend(WITH_MEMORY.iter().map(|op| format!("{op} {base}")));
        statements.extend(of_mmx());
        statements.extend(of_vectors().iter().map(|text| with_vectors(mode, text)));
        statements.extend(of_gathers(mode));
        statements.extend(of(if is_64 { ONLY_64 } else { ONLY_32 }));
        let code: Vec<u8> = statements.iter().flat_map(|statement| ours(mode, statement)).collect();

        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let [source, object, binary] =
            ["s", "o", "bin"].map(|ext| directory.join(format!("assembler-{is_64}.{ext}")));
        std::fs::write(&source, statements.join("\n") + "\n").unwrap();
        let triple = if is_64 { "-triple=x86_64" } else { "-triple=i686" };
        let output = Command::new("llvm-mc-19")
            .args(["-filetype=obj", triple])
            .args([&source, &PathBuf::from("-o"), &object])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let status =
            Command::new("objcopy").args(["-O", "binary", "-j", ".text"]).args([&object, &binary]).status();
        assert!(status.unwrap().success());
        let theirs = shown(mode, &std::fs::read(&binary).unwrap());
        for (n, (ours, theirs)) in shown(mode, &code).iter().zip(&theirs).enumerate() {
            assert_eq!(ours, theirs, "{mode:?}, instruction {n}");
        }
        assert_eq!(shown(mode, &code).len(), theirs.len());
    }
}

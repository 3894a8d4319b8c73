//! The intrinsics of x86 that are understood, each with the rule that gives its value or effect: from SSE to AVX2, FMA, F16C, AES,
//! PCLMUL, SHA, BMI and of general registers.

use ice_ir::{BinaryOp, FloatCond};

use super::super::Row;
use super::super::table::{effect, nothing, value};
use super::Form;
use super::lanes::{Bits, Test};
use super::sse::{Lanes, Rounding};
use crate::llvm::legalize::body::integer::Sign;

/// One instruction for each register: how it takes its operands, and of each name its mnemonic.
macro_rules! instructions {
    ($($form:ident: $($name:literal $mnemonic:literal),*;)*) => {
        &[$($(value($name, Form::$form.arguments(), |cx, call| {
            cx.x86_instruction(call, Form::$form, $mnemonic)
        })),*),*]
    };
}

/// All names.
pub(in super::super) static ALL: &[&[Row]] = &[BY_REGISTERS, OTHERS, OF_SSE];

static BY_REGISTERS: &[Row] = instructions! {
    UNARY: "x86.sse.rcp.ps" "rcpps", "x86.sse.rsqrt.ps" "rsqrtps", "x86.avx.rcp.ps.256" "rcpps",
        "x86.avx.rsqrt.ps.256" "rsqrtps", "x86.avx.cvt.ps2dq.256" "cvtps2dq",
        "x86.avx.cvtt.ps2dq.256" "cvttps2dq", "x86.sse41.phminposuw" "phminposuw",
        "x86.aesni.aesimc" "aesimc";
    FIRST_LANE: "x86.sse.rcp.ss" "rcpss", "x86.sse.rsqrt.ss" "rsqrtss";
    UNARY_BYTE: "x86.sse41.round.ps" "roundps", "x86.sse41.round.pd" "roundpd",
        "x86.avx.round.ps.256" "roundps", "x86.avx.round.pd.256" "roundpd",
        "x86.aesni.aeskeygenassist" "aeskeygenassist", "x86.vcvtps2ph.128" "vcvtps2ph";
    NARROW: "x86.avx.cvt.pd2.ps.256" "cvtpd2ps", "x86.avx.cvt.pd2dq.256" "cvtpd2dq",
        "x86.avx.cvtt.pd2dq.256" "cvttpd2dq";
    NARROW_BYTE: "x86.vcvtps2ph.256" "vcvtps2ph";
    BINARY: "x86.ssse3.phadd.w.128" "phaddw", "x86.avx2.phadd.w" "phaddw", "x86.ssse3.phadd.d.128" "phaddd",
        "x86.avx2.phadd.d" "phaddd", "x86.ssse3.phadd.sw.128" "phaddsw", "x86.avx2.phadd.sw" "phaddsw",
        "x86.ssse3.phsub.w.128" "phsubw", "x86.avx2.phsub.w" "phsubw", "x86.ssse3.phsub.d.128" "phsubd",
        "x86.avx2.phsub.d" "phsubd", "x86.ssse3.phsub.sw.128" "phsubsw", "x86.avx2.phsub.sw" "phsubsw",
        "x86.ssse3.pmadd.ub.sw.128" "pmaddubsw", "x86.avx2.pmadd.ub.sw" "pmaddubsw",
        "x86.ssse3.pmul.hr.sw.128" "pmulhrsw", "x86.avx2.pmul.hr.sw" "pmulhrsw",
        "x86.ssse3.pshuf.b.128" "pshufb", "x86.avx2.pshuf.b" "pshufb", "x86.ssse3.psign.b.128" "psignb",
        "x86.avx2.psign.b" "psignb", "x86.ssse3.psign.w.128" "psignw", "x86.avx2.psign.w" "psignw",
        "x86.ssse3.psign.d.128" "psignd", "x86.avx2.psign.d" "psignd", "x86.sse3.addsub.ps" "addsubps",
        "x86.avx.addsub.ps.256" "addsubps", "x86.sse3.addsub.pd" "addsubpd",
        "x86.avx.addsub.pd.256" "addsubpd", "x86.sse3.hadd.ps" "haddps", "x86.avx.hadd.ps.256" "haddps",
        "x86.sse3.hadd.pd" "haddpd", "x86.avx.hadd.pd.256" "haddpd", "x86.sse3.hsub.ps" "hsubps",
        "x86.avx.hsub.ps.256" "hsubps", "x86.sse3.hsub.pd" "hsubpd", "x86.avx.hsub.pd.256" "hsubpd",
        "x86.avx.min.ps.256" "minps", "x86.avx.min.pd.256" "minpd", "x86.avx.max.ps.256" "maxps",
        "x86.avx.max.pd.256" "maxpd", "x86.sse41.packusdw" "packusdw", "x86.avx2.packusdw" "packusdw",
        "x86.avx2.packssdw" "packssdw", "x86.avx2.packsswb" "packsswb", "x86.avx2.packuswb" "packuswb",
        "x86.avx2.pavg.b" "pavgb", "x86.avx2.pavg.w" "pavgw", "x86.avx2.pmulh.w" "pmulhw",
        "x86.avx2.pmulhu.w" "pmulhuw", "x86.avx2.pmadd.wd" "pmaddwd", "x86.avx2.psad.bw" "psadbw",
        "x86.avx2.psll.w" "psllw", "x86.avx2.psll.d" "pslld", "x86.avx2.psll.q" "psllq",
        "x86.avx2.psrl.w" "psrlw", "x86.avx2.psrl.d" "psrld", "x86.avx2.psrl.q" "psrlq",
        "x86.avx2.psra.w" "psraw", "x86.avx2.psra.d" "psrad", "x86.aesni.aesenc" "aesenc",
        "x86.aesni.aesenc.256" "aesenc", "x86.aesni.aesenclast" "aesenclast",
        "x86.aesni.aesenclast.256" "aesenclast", "x86.aesni.aesdec" "aesdec",
        "x86.aesni.aesdec.256" "aesdec", "x86.aesni.aesdeclast" "aesdeclast",
        "x86.aesni.aesdeclast.256" "aesdeclast", "x86.sha1nexte" "sha1nexte", "x86.sha1msg1" "sha1msg1",
        "x86.sha1msg2" "sha1msg2", "x86.sha256msg1" "sha256msg1", "x86.sha256msg2" "sha256msg2";
    BINARY_BYTE: "x86.sse41.round.ss" "roundss", "x86.sse41.round.sd" "roundsd",
        "x86.sse41.insertps" "insertps", "x86.sse41.dpps" "dpps", "x86.sse41.dppd" "dppd",
        "x86.avx.dp.ps.256" "dpps", "x86.sse41.mpsadbw" "mpsadbw", "x86.pclmulqdq" "pclmulqdq",
        "x86.pclmulqdq.256" "pclmulqdq", "x86.sha1rnds4" "sha1rnds4";
    BINARY_BYTES: "x86.avx2.mpsadbw" "mpsadbw";
    MASKED: "x86.sse41.pblendvb" "pblendvb", "x86.sse41.blendvps" "blendvps",
        "x86.sse41.blendvpd" "blendvpd", "x86.avx2.pblendvb" "pblendvb", "x86.avx.blendv.ps.256" "blendvps",
        "x86.avx.blendv.pd.256" "blendvpd", "x86.sha256rnds2" "sha256rnds2";
    TERNARY: "x86.fma.vfmaddsub.ps" "vfmaddsub213ps", "x86.fma.vfmaddsub.ps.256" "vfmaddsub213ps",
        "x86.fma.vfmaddsub.pd" "vfmaddsub213pd", "x86.fma.vfmaddsub.pd.256" "vfmaddsub213pd",
        "x86.fma.vfmsubadd.ps" "vfmsubadd213ps", "x86.fma.vfmsubadd.ps.256" "vfmsubadd213ps",
        "x86.fma.vfmsubadd.pd" "vfmsubadd213pd", "x86.fma.vfmsubadd.pd.256" "vfmsubadd213pd";
};

static OTHERS: &[Row] = &[
    nothing("x86.sse2.pause"),
    // Nothing uses the upper halves that they clear.
    nothing("x86.avx.vzeroupper"),
    nothing("x86.avx.vzeroall"),
    value("x86.avx.movmsk.ps.256", 1, |cx, call| cx.x86_signs(call, "movmskps")),
    value("x86.avx.movmsk.pd.256", 1, |cx, call| cx.x86_signs(call, "movmskpd")),
    value("x86.avx2.pmovmskb", 1, |cx, call| cx.x86_signs(call, "pmovmskb")),
    value("x86.avx.cmp.ps.256", 3, |cx, call| cx.sse_compare(call, Lanes::All)),
    value("x86.avx.cmp.pd.256", 3, |cx, call| cx.sse_compare(call, Lanes::All)),
    value("x86.avx2.pslli.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.avx2.pslli.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.avx2.pslli.q", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.avx2.psrli.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.avx2.psrli.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.avx2.psrli.q", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.avx2.psrai.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Ashr)),
    value("x86.avx2.psrai.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Ashr)),
    value("x86.avx2.psllv.d", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Shl)),
    value("x86.avx2.psllv.d.256", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Shl)),
    value("x86.avx2.psllv.q", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Shl)),
    value("x86.avx2.psllv.q.256", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Shl)),
    value("x86.avx2.psrlv.d", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Lshr)),
    value("x86.avx2.psrlv.d.256", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Lshr)),
    value("x86.avx2.psrlv.q", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Lshr)),
    value("x86.avx2.psrlv.q.256", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Lshr)),
    value("x86.avx2.psrav.d", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Ashr)),
    value("x86.avx2.psrav.d.256", 2, |cx, call| cx.x86_variable_shift(call, BinaryOp::Ashr)),
    value("x86.avx.vpermilvar.ps", 2, |cx, call| cx.x86_permute_inside(call)),
    value("x86.avx.vpermilvar.ps.256", 2, |cx, call| cx.x86_permute_inside(call)),
    value("x86.avx.vpermilvar.pd", 2, |cx, call| cx.x86_permute_inside(call)),
    value("x86.avx.vpermilvar.pd.256", 2, |cx, call| cx.x86_permute_inside(call)),
    value("x86.avx2.permd", 2, |cx, call| cx.x86_permute_words(call)),
    value("x86.avx2.permps", 2, |cx, call| cx.x86_permute_words(call)),
    value("x86.sse41.ptestz", 2, |cx, call| cx.x86_test(call, Test::Apart, Bits::All)),
    value("x86.avx.ptestz.256", 2, |cx, call| cx.x86_test(call, Test::Apart, Bits::All)),
    value("x86.avx.vtestz.ps", 2, |cx, call| cx.x86_test(call, Test::Apart, Bits::Signs)),
    value("x86.avx.vtestz.ps.256", 2, |cx, call| cx.x86_test(call, Test::Apart, Bits::Signs)),
    value("x86.avx.vtestz.pd", 2, |cx, call| cx.x86_test(call, Test::Apart, Bits::Signs)),
    value("x86.avx.vtestz.pd.256", 2, |cx, call| cx.x86_test(call, Test::Apart, Bits::Signs)),
    value("x86.sse41.ptestc", 2, |cx, call| cx.x86_test(call, Test::Inside, Bits::All)),
    value("x86.avx.ptestc.256", 2, |cx, call| cx.x86_test(call, Test::Inside, Bits::All)),
    value("x86.avx.vtestc.ps", 2, |cx, call| cx.x86_test(call, Test::Inside, Bits::Signs)),
    value("x86.avx.vtestc.ps.256", 2, |cx, call| cx.x86_test(call, Test::Inside, Bits::Signs)),
    value("x86.avx.vtestc.pd", 2, |cx, call| cx.x86_test(call, Test::Inside, Bits::Signs)),
    value("x86.avx.vtestc.pd.256", 2, |cx, call| cx.x86_test(call, Test::Inside, Bits::Signs)),
    value("x86.sse41.ptestnzc", 2, |cx, call| cx.x86_test(call, Test::Neither, Bits::All)),
    value("x86.avx.ptestnzc.256", 2, |cx, call| cx.x86_test(call, Test::Neither, Bits::All)),
    value("x86.avx.vtestnzc.ps", 2, |cx, call| cx.x86_test(call, Test::Neither, Bits::Signs)),
    value("x86.avx.vtestnzc.ps.256", 2, |cx, call| cx.x86_test(call, Test::Neither, Bits::Signs)),
    value("x86.avx.vtestnzc.pd", 2, |cx, call| cx.x86_test(call, Test::Neither, Bits::Signs)),
    value("x86.avx.vtestnzc.pd.256", 2, |cx, call| cx.x86_test(call, Test::Neither, Bits::Signs)),
    value("x86.sse3.ldu.dq", 1, |cx, call| cx.x86_load(call)),
    value("x86.avx.ldu.dq.256", 1, |cx, call| cx.x86_load(call)),
    value("x86.avx.maskload.ps", 2, |cx, call| cx.x86_mask_load(call)),
    effect("x86.avx.maskstore.ps", 3, |cx, call| cx.x86_mask_store(call)),
    value("x86.avx.maskload.ps.256", 2, |cx, call| cx.x86_mask_load(call)),
    effect("x86.avx.maskstore.ps.256", 3, |cx, call| cx.x86_mask_store(call)),
    value("x86.avx.maskload.pd", 2, |cx, call| cx.x86_mask_load(call)),
    effect("x86.avx.maskstore.pd", 3, |cx, call| cx.x86_mask_store(call)),
    value("x86.avx.maskload.pd.256", 2, |cx, call| cx.x86_mask_load(call)),
    effect("x86.avx.maskstore.pd.256", 3, |cx, call| cx.x86_mask_store(call)),
    value("x86.avx2.maskload.d", 2, |cx, call| cx.x86_mask_load(call)),
    effect("x86.avx2.maskstore.d", 3, |cx, call| cx.x86_mask_store(call)),
    value("x86.avx2.maskload.d.256", 2, |cx, call| cx.x86_mask_load(call)),
    effect("x86.avx2.maskstore.d.256", 3, |cx, call| cx.x86_mask_store(call)),
    value("x86.avx2.maskload.q", 2, |cx, call| cx.x86_mask_load(call)),
    effect("x86.avx2.maskstore.q", 3, |cx, call| cx.x86_mask_store(call)),
    value("x86.avx2.maskload.q.256", 2, |cx, call| cx.x86_mask_load(call)),
    effect("x86.avx2.maskstore.q.256", 3, |cx, call| cx.x86_mask_store(call)),
    value("x86.avx2.gather.d.d", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.d.d.256", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.d.q", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.d.q.256", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.d.ps", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.d.ps.256", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.d.pd", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.d.pd.256", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.q.d", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.q.d.256", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.q.q", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.q.q.256", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.q.ps", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.q.ps.256", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.q.pd", 5, |cx, call| cx.x86_gather(call)),
    value("x86.avx2.gather.q.pd.256", 5, |cx, call| cx.x86_gather(call)),
    value("x86.sse42.crc32.32.8", 2, |cx, call| cx.x86_words(call, "crc32b $2, $0", "=r,0,q")),
    value("x86.sse42.crc32.32.16", 2, |cx, call| cx.x86_words(call, "crc32w $2, $0", "=r,0,r")),
    value("x86.sse42.crc32.32.32", 2, |cx, call| cx.x86_words(call, "crc32l $2, $0", "=r,0,r")),
    value("x86.sse42.crc32.64.8", 2, |cx, call| cx.x86_words(call, "crc32b $2, $0", "=r,0,q")),
    value("x86.sse42.crc32.64.64", 2, |cx, call| cx.x86_words(call, "crc32q $2, $0", "=r,0,r")),
    value("x86.bmi.pdep.32", 2, |cx, call| cx.x86_words(call, "pdep $2, $1, $0", "=r,r,r")),
    value("x86.bmi.pdep.64", 2, |cx, call| cx.x86_words(call, "pdep $2, $1, $0", "=r,r,r")),
    value("x86.bmi.pext.32", 2, |cx, call| cx.x86_words(call, "pext $2, $1, $0", "=r,r,r")),
    value("x86.bmi.pext.64", 2, |cx, call| cx.x86_words(call, "pext $2, $1, $0", "=r,r,r")),
    value("x86.bmi.bzhi.32", 2, |cx, call| cx.x86_words(call, "bzhi $2, $1, $0", "=r,r,r")),
    value("x86.bmi.bzhi.64", 2, |cx, call| cx.x86_words(call, "bzhi $2, $1, $0", "=r,r,r")),
    value("x86.bmi.bextr.32", 2, |cx, call| cx.x86_words(call, "bextr $2, $1, $0", "=r,r,r")),
    value("x86.bmi.bextr.64", 2, |cx, call| cx.x86_words(call, "bextr $2, $1, $0", "=r,r,r")),
    value("x86.addcarry.32", 3, |cx, call| cx.x86_carry(call, BinaryOp::Add)),
    value("x86.subborrow.32", 3, |cx, call| cx.x86_carry(call, BinaryOp::Sub)),
    value("x86.addcarry.64", 3, |cx, call| cx.x86_carry(call, BinaryOp::Add)),
    value("x86.subborrow.64", 3, |cx, call| cx.x86_carry(call, BinaryOp::Sub)),
    value("x86.rdrand.16", 0, |cx, call| cx.x86_random(call, "rdrand")),
    value("x86.rdseed.16", 0, |cx, call| cx.x86_random(call, "rdseed")),
    value("x86.rdrand.32", 0, |cx, call| cx.x86_random(call, "rdrand")),
    value("x86.rdseed.32", 0, |cx, call| cx.x86_random(call, "rdseed")),
    value("x86.rdrand.64", 0, |cx, call| cx.x86_random(call, "rdrand")),
    value("x86.rdseed.64", 0, |cx, call| cx.x86_random(call, "rdseed")),
    value("x86.rdtsc", 0, |cx, call| cx.x86_counter(call, "rdtsc", false)),
    value("x86.rdtscp", 0, |cx, call| cx.x86_counter(call, "rdtscp", true)),
    value("x86.xgetbv", 1, |cx, call| cx.x86_counter(call, "xgetbv", false)),
    value("x86.sse42.pcmpistri128", 3, |cx, call| cx.x86_strings(call, "pcmpistri", "={ecx}", "")),
    value("x86.sse42.pcmpistrm128", 3, |cx, call| cx.x86_strings(call, "pcmpistrm", "={xmm0}", "")),
    value("x86.sse42.pcmpistria128", 3, |cx, call| cx.x86_strings(call, "pcmpistri", "={@cca}", ",~{ecx}")),
    value("x86.sse42.pcmpistric128", 3, |cx, call| cx.x86_strings(call, "pcmpistri", "={@ccc}", ",~{ecx}")),
    value("x86.sse42.pcmpistrio128", 3, |cx, call| cx.x86_strings(call, "pcmpistri", "={@cco}", ",~{ecx}")),
    value("x86.sse42.pcmpistris128", 3, |cx, call| cx.x86_strings(call, "pcmpistri", "={@ccs}", ",~{ecx}")),
    value("x86.sse42.pcmpistriz128", 3, |cx, call| cx.x86_strings(call, "pcmpistri", "={@ccz}", ",~{ecx}")),
    value("x86.sse42.pcmpestri128", 5, |cx, call| cx.x86_strings(call, "pcmpestri", "={ecx}", "")),
    value("x86.sse42.pcmpestrm128", 5, |cx, call| cx.x86_strings(call, "pcmpestrm", "={xmm0}", "")),
    value("x86.sse42.pcmpestria128", 5, |cx, call| cx.x86_strings(call, "pcmpestri", "={@cca}", ",~{ecx}")),
    value("x86.sse42.pcmpestric128", 5, |cx, call| cx.x86_strings(call, "pcmpestri", "={@ccc}", ",~{ecx}")),
    value("x86.sse42.pcmpestrio128", 5, |cx, call| cx.x86_strings(call, "pcmpestri", "={@cco}", ",~{ecx}")),
    value("x86.sse42.pcmpestris128", 5, |cx, call| cx.x86_strings(call, "pcmpestri", "={@ccs}", ",~{ecx}")),
    value("x86.sse42.pcmpestriz128", 5, |cx, call| cx.x86_strings(call, "pcmpestri", "={@ccz}", ",~{ecx}")),
    effect("x86.sse.ldmxcsr", 1, |cx, call| cx.x86_at_address(call, "ldmxcsr $0", "*m,~{memory}")),
    effect("x86.sse.stmxcsr", 1, |cx, call| cx.x86_at_address(call, "stmxcsr $0", "=*m,~{memory}")),
    effect("x86.sse2.clflush", 1, |cx, call| cx.x86_at_address(call, "clflush $0", "*m,~{memory}")),
    effect("x86.clflushopt", 1, |cx, call| cx.x86_at_address(call, "clflushopt $0", "*m,~{memory}")),
    effect("x86.clwb", 1, |cx, call| cx.x86_at_address(call, "clwb $0", "*m,~{memory}")),
    effect("x86.clzero", 1, |cx, call| cx.x86_at_address(call, "clzero", "{ax},~{memory}")),
    value("x86.flags.read.u32", 0, |cx, call| cx.x86_read(call, "pushfl; popl $0")),
    value("x86.flags.read.u64", 0, |cx, call| cx.x86_read(call, "pushfq; popq $0")),
    effect("x86.flags.write.u32", 1, |cx, call| {
        cx.x86_write(call, "pushl $0; popfl", "r,~{flags},~{memory}")
    }),
    effect("x86.flags.write.u64", 1, |cx, call| {
        cx.x86_write(call, "pushq $0; popfq", "r,~{flags},~{memory}")
    }),
    value("x86.rdfsbase.32", 0, |cx, call| cx.x86_read(call, "rdfsbase $0")),
    value("x86.rdfsbase.64", 0, |cx, call| cx.x86_read(call, "rdfsbase $0")),
    value("x86.rdgsbase.32", 0, |cx, call| cx.x86_read(call, "rdgsbase $0")),
    value("x86.rdgsbase.64", 0, |cx, call| cx.x86_read(call, "rdgsbase $0")),
    effect("x86.wrfsbase.32", 1, |cx, call| cx.x86_write(call, "wrfsbase $0", "r,~{memory}")),
    effect("x86.wrfsbase.64", 1, |cx, call| cx.x86_write(call, "wrfsbase $0", "r,~{memory}")),
    effect("x86.wrgsbase.32", 1, |cx, call| cx.x86_write(call, "wrgsbase $0", "r,~{memory}")),
    effect("x86.wrgsbase.64", 1, |cx, call| cx.x86_write(call, "wrgsbase $0", "r,~{memory}")),
    effect("x86.xsave", 3, |cx, call| cx.x86_write(call, "xsave $0", OF_STATE)),
    effect("x86.xsave64", 3, |cx, call| cx.x86_write(call, "xsave64 $0", OF_STATE)),
    effect("x86.xsaveopt", 3, |cx, call| cx.x86_write(call, "xsaveopt $0", OF_STATE)),
    effect("x86.xsaveopt64", 3, |cx, call| cx.x86_write(call, "xsaveopt64 $0", OF_STATE)),
    effect("x86.xsavec", 3, |cx, call| cx.x86_write(call, "xsavec $0", OF_STATE)),
    effect("x86.xsavec64", 3, |cx, call| cx.x86_write(call, "xsavec64 $0", OF_STATE)),
    effect("x86.xsetbv", 3, |cx, call| cx.x86_write(call, "xsetbv", "{ecx},{edx},{eax},~{memory}")),
    effect("x86.sse3.monitor", 3, |cx, call| cx.x86_write(call, "monitor", "{ax},{ecx},{edx},~{memory}")),
    effect("x86.sse3.mwait", 2, |cx, call| cx.x86_write(call, "mwait", "{ecx},{eax},~{memory}")),
];

/// Where the operands of instructions are that save parts of the state, by the mask in two words.
const OF_STATE: &str = "=*m,{edx},{eax},~{memory}";

static OF_SSE: &[Row] = &[
    value("x86.sse.min.ps", 2, |cx, call| cx.sse_extreme(call, FloatCond::Olt, Lanes::All)),
    value("x86.sse.min.ss", 2, |cx, call| cx.sse_extreme(call, FloatCond::Olt, Lanes::First)),
    value("x86.sse.max.ps", 2, |cx, call| cx.sse_extreme(call, FloatCond::Ogt, Lanes::All)),
    value("x86.sse.max.ss", 2, |cx, call| cx.sse_extreme(call, FloatCond::Ogt, Lanes::First)),
    value("x86.sse.cmp.ps", 3, |cx, call| cx.sse_compare(call, Lanes::All)),
    value("x86.sse.cmp.ss", 3, |cx, call| cx.sse_compare(call, Lanes::First)),
    value("x86.sse.comieq.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Oeq)),
    value("x86.sse.comilt.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Olt)),
    value("x86.sse.comile.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Ole)),
    value("x86.sse.comigt.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Ogt)),
    value("x86.sse.comige.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Oge)),
    value("x86.sse.comineq.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Une)),
    value("x86.sse.ucomieq.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Oeq)),
    value("x86.sse.ucomilt.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Olt)),
    value("x86.sse.ucomile.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Ole)),
    value("x86.sse.ucomigt.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Ogt)),
    value("x86.sse.ucomige.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Oge)),
    value("x86.sse.ucomineq.ss", 2, |cx, call| cx.sse_order(call, FloatCond::Une)),
    value("x86.sse.cvtss2si", 1, |cx, call| cx.sse_to_integer(call, Rounding::Environment)),
    value("x86.sse.cvttss2si", 1, |cx, call| cx.sse_to_integer(call, Rounding::Zero)),
    value("x86.sse.cvtss2si64", 1, |cx, call| cx.sse_to_integer(call, Rounding::Environment)),
    value("x86.sse.cvttss2si64", 1, |cx, call| cx.sse_to_integer(call, Rounding::Zero)),
    value("x86.sse2.min.pd", 2, |cx, call| cx.sse_extreme(call, FloatCond::Olt, Lanes::All)),
    value("x86.sse2.min.sd", 2, |cx, call| cx.sse_extreme(call, FloatCond::Olt, Lanes::First)),
    value("x86.sse2.max.pd", 2, |cx, call| cx.sse_extreme(call, FloatCond::Ogt, Lanes::All)),
    value("x86.sse2.max.sd", 2, |cx, call| cx.sse_extreme(call, FloatCond::Ogt, Lanes::First)),
    value("x86.sse2.cmp.pd", 3, |cx, call| cx.sse_compare(call, Lanes::All)),
    value("x86.sse2.cmp.sd", 3, |cx, call| cx.sse_compare(call, Lanes::First)),
    value("x86.sse2.comieq.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Oeq)),
    value("x86.sse2.comilt.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Olt)),
    value("x86.sse2.comile.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Ole)),
    value("x86.sse2.comigt.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Ogt)),
    value("x86.sse2.comige.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Oge)),
    value("x86.sse2.comineq.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Une)),
    value("x86.sse2.ucomieq.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Oeq)),
    value("x86.sse2.ucomilt.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Olt)),
    value("x86.sse2.ucomile.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Ole)),
    value("x86.sse2.ucomigt.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Ogt)),
    value("x86.sse2.ucomige.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Oge)),
    value("x86.sse2.ucomineq.sd", 2, |cx, call| cx.sse_order(call, FloatCond::Une)),
    value("x86.sse2.cvtsd2si", 1, |cx, call| cx.sse_to_integer(call, Rounding::Environment)),
    value("x86.sse2.cvttsd2si", 1, |cx, call| cx.sse_to_integer(call, Rounding::Zero)),
    value("x86.sse2.cvtsd2si64", 1, |cx, call| cx.sse_to_integer(call, Rounding::Environment)),
    value("x86.sse2.cvttsd2si64", 1, |cx, call| cx.sse_to_integer(call, Rounding::Zero)),
    value("x86.sse2.cvtps2dq", 1, |cx, call| {
        cx.x86_or(call, Form::UNARY, "cvtps2dq", |cx, call| cx.sse_to_integers(call, Rounding::Environment))
    }),
    value("x86.sse2.cvttps2dq", 1, |cx, call| {
        cx.x86_or(call, Form::UNARY, "cvttps2dq", |cx, call| cx.sse_to_integers(call, Rounding::Zero))
    }),
    value("x86.sse2.cvtpd2dq", 1, |cx, call| {
        cx.x86_or(call, Form::UNARY, "cvtpd2dq", |cx, call| cx.sse_to_integers(call, Rounding::Environment))
    }),
    value("x86.sse2.cvttpd2dq", 1, |cx, call| {
        cx.x86_or(call, Form::UNARY, "cvttpd2dq", |cx, call| cx.sse_to_integers(call, Rounding::Zero))
    }),
    value("x86.sse2.cvtpd2ps", 1, |cx, call| {
        cx.x86_or(call, Form::UNARY, "cvtpd2ps", |cx, call| cx.sse_to_singles(call))
    }),
    value("x86.sse2.cvtsd2ss", 2, |cx, call| cx.sse_to_single(call)),
    value("x86.sse.movmsk.ps", 1, |cx, call| cx.x86_signs(call, "movmskps")),
    value("x86.sse2.movmsk.pd", 1, |cx, call| cx.x86_signs(call, "movmskpd")),
    value("x86.sse2.pmovmskb.128", 1, |cx, call| cx.x86_signs(call, "pmovmskb")),
    value("x86.sse2.psll.w", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "psllw", |cx, call| cx.sse_shift(call, BinaryOp::Shl))
    }),
    value("x86.sse2.psll.d", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "pslld", |cx, call| cx.sse_shift(call, BinaryOp::Shl))
    }),
    value("x86.sse2.psll.q", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "psllq", |cx, call| cx.sse_shift(call, BinaryOp::Shl))
    }),
    value("x86.sse2.pslli.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.pslli.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.pslli.q", 2, |cx, call| cx.sse_shift(call, BinaryOp::Shl)),
    value("x86.sse2.psrl.w", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "psrlw", |cx, call| cx.sse_shift(call, BinaryOp::Lshr))
    }),
    value("x86.sse2.psrl.d", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "psrld", |cx, call| cx.sse_shift(call, BinaryOp::Lshr))
    }),
    value("x86.sse2.psrl.q", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "psrlq", |cx, call| cx.sse_shift(call, BinaryOp::Lshr))
    }),
    value("x86.sse2.psrli.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psrli.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psrli.q", 2, |cx, call| cx.sse_shift(call, BinaryOp::Lshr)),
    value("x86.sse2.psra.w", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "psraw", |cx, call| cx.sse_shift(call, BinaryOp::Ashr))
    }),
    value("x86.sse2.psra.d", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "psrad", |cx, call| cx.sse_shift(call, BinaryOp::Ashr))
    }),
    value("x86.sse2.psrai.w", 2, |cx, call| cx.sse_shift(call, BinaryOp::Ashr)),
    value("x86.sse2.psrai.d", 2, |cx, call| cx.sse_shift(call, BinaryOp::Ashr)),
    value("x86.sse2.pavg.b", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "pavgb", |cx, call| cx.sse_average(call))
    }),
    value("x86.sse2.pavg.w", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "pavgw", |cx, call| cx.sse_average(call))
    }),
    value("x86.sse2.pmulh.w", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "pmulhw", |cx, call| cx.sse_high_product(call, Sign::Signed))
    }),
    value("x86.sse2.pmulhu.w", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "pmulhuw", |cx, call| cx.sse_high_product(call, Sign::Unsigned))
    }),
    value("x86.sse2.pmadd.wd", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "pmaddwd", |cx, call| cx.sse_multiply_add(call))
    }),
    value("x86.sse2.psad.bw", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "psadbw", |cx, call| cx.sse_distance(call))
    }),
    value("x86.sse2.packssdw.128", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "packssdw", |cx, call| cx.sse_pack(call, Sign::Signed))
    }),
    value("x86.sse2.packsswb.128", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "packsswb", |cx, call| cx.sse_pack(call, Sign::Signed))
    }),
    value("x86.sse2.packuswb.128", 2, |cx, call| {
        cx.x86_or(call, Form::BINARY, "packuswb", |cx, call| cx.sse_pack(call, Sign::Unsigned))
    }),
    effect("x86.sse.sfence", 0, |cx, _| cx.sse_fence()),
    effect("x86.sse2.lfence", 0, |cx, _| cx.sse_fence()),
    effect("x86.sse2.mfence", 0, |cx, _| cx.sse_fence()),
    effect("x86.sse2.maskmov.dqu", 3, |cx, call| cx.sse_masked_store(call)),
];

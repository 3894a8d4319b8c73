//! The assembler of ARM's inline assembly beside `llvm-mc`: both make the same words of the same statements.
//!
//! Statements are made of templates: what stands in braces is replaced by an operand of its kind, at random.

use crate::common::assemblers::text_section;
use crate::common::tools;
use ice_asm::arm32::assemble;
use ice_asm::{AssemblyErrorKind, Random};
use std::path::PathBuf;
use std::process::Command;

/// Statements with conditions, flags and operands to be filled in.
const TEMPLATES: &[&str] = &[
    "and{s}{c} {r}, {r}, {o}",
    "eor{s}{c} {r}, {r}, {o}",
    "sub{s}{c} {r}, {r}, {o}",
    "rsb{s}{c} {r}, {r}, {o}",
    "add{s}{c} {r}, {r}, {o}",
    "adc{s}{c} {r}, {r}, {o}",
    "sbc{s}{c} {r}, {r}, {o}",
    "rsc{s}{c} {r}, {r}, {o}",
    "orr{s}{c} {r}, {r}, {o}",
    "bic{s}{c} {r}, {r}, {o}",
    "add{s}{c} {r}, {o}",
    "sub{s}{c} {r}, {o}",
    "and{s}{c} {r}, {o}",
    "orr{s}{c} {r}, {o}",
    "eor{s}{c} {r}, {o}",
    "adc{s}{c} {r}, {o}",
    "sbc{s}{c} {r}, {o}",
    "bic{s}{c} {r}, {o}",
    "mov{s}{c} {r}, {o}",
    "mvn{s}{c} {r}, {o}",
    "tst{c} {r}, {o}",
    "teq{c} {r}, {o}",
    "cmp{c} {r}, {o}",
    "cmn{c} {r}, {o}",
    "mov{c} {r}, #0xfffffff0",
    "mvn{c} {r}, #-17",
    "mov{c} {r}, #0x1234",
    "add{s}{c} {r}, {r}, #-4",
    "sub{s}{c} {r}, #-256",
    "and{s}{c} {r}, {r}, #-2",
    "bic{s}{c} {r}, {r}, #0xffffff00",
    "adc{s}{c} {r}, {r}, #-5",
    "cmp{c} {r}, #-1",
    "cmn{c} {r}, #-95",
    "neg{s}{c} {r}, {r}",
    "lsl{s}{c} {r}, {r}, {sh}",
    "lsr{s}{c} {r}, {r}, {sh}",
    "asr{s}{c} {r}, {r}, {sh}",
    "ror{s}{c} {r}, {r}, {sh}",
    "lsl{s}{c} {r}, {sh}",
    "lsr{s}{c} {r}, {sh}",
    "rrx{s}{c} {r}, {r}",
    "movw{c} {r}, #{u16}",
    "movt{c} {r}, #{u16}",
    "mul{s}{c} {r}, {r}, {r}",
    "mla{s}{c} {r}, {r}, {r}, {r}",
    "mls{c} {r}, {r}, {r}, {r}",
    "umaal{c} {r2}, {r}, {r}",
    "umull{s}{c} {r2}, {r}, {r}",
    "umlal{s}{c} {r2}, {r}, {r}",
    "smull{s}{c} {r2}, {r}, {r}",
    "smlal{s}{c} {r2}, {r}, {r}",
    "smlabb{c} {r}, {r}, {r}, {r}",
    "smlabt{c} {r}, {r}, {r}, {r}",
    "smlatb{c} {r}, {r}, {r}, {r}",
    "smlatt{c} {r}, {r}, {r}, {r}",
    "smlawb{c} {r}, {r}, {r}, {r}",
    "smlawt{c} {r}, {r}, {r}, {r}",
    "smulwb{c} {r}, {r}, {r}",
    "smulwt{c} {r}, {r}, {r}",
    "smlalbb{c} {r2}, {r}, {r}",
    "smlalbt{c} {r2}, {r}, {r}",
    "smlaltb{c} {r2}, {r}, {r}",
    "smlaltt{c} {r2}, {r}, {r}",
    "smulbb{c} {r}, {r}, {r}",
    "smulbt{c} {r}, {r}, {r}",
    "smultb{c} {r}, {r}, {r}",
    "smultt{c} {r}, {r}, {r}",
    "smlad{c} {r}, {r}, {r}, {r}",
    "smladx{c} {r}, {r}, {r}, {r}",
    "smuad{c} {r}, {r}, {r}",
    "smuadx{c} {r}, {r}, {r}",
    "smlsd{c} {r}, {r}, {r}, {r}",
    "smlsdx{c} {r}, {r}, {r}, {r}",
    "smusd{c} {r}, {r}, {r}",
    "smusdx{c} {r}, {r}, {r}",
    "smlald{c} {r2}, {r}, {r}",
    "smlaldx{c} {r2}, {r}, {r}",
    "smlsld{c} {r2}, {r}, {r}",
    "smlsldx{c} {r2}, {r}, {r}",
    "smmla{c} {r}, {r}, {r}, {r}",
    "smmlar{c} {r}, {r}, {r}, {r}",
    "smmul{c} {r}, {r}, {r}",
    "smmulr{c} {r}, {r}, {r}",
    "smmls{c} {r}, {r}, {r}, {r}",
    "smmlsr{c} {r}, {r}, {r}, {r}",
    "sdiv{c} {r}, {r}, {r}",
    "udiv{c} {r}, {r}, {r}",
    "usad8{c} {r}, {r}, {r}",
    "usada8{c} {r}, {r}, {r}, {r}",
    "qadd{c} {r}, {r}, {r}",
    "qsub{c} {r}, {r}, {r}",
    "qdadd{c} {r}, {r}, {r}",
    "qdsub{c} {r}, {r}, {r}",
    "ssat{c} {r}, #{n1-32}, {r}",
    "ssat{c} {r}, #{n1-32}, {r}, lsl #{n0-31}",
    "ssat{c} {r}, #{n1-32}, {r}, asr #{n1-31}",
    "usat{c} {r}, #{n0-31}, {r}",
    "usat{c} {r}, #{n0-31}, {r}, asr #{n1-31}",
    "ssat16{c} {r}, #{n1-16}, {r}",
    "usat16{c} {r}, #{n0-15}, {r}",
    "sel{c} {r}, {r}, {r}",
    "pkhbt{c} {r}, {r}, {r}",
    "pkhbt{c} {r}, {r}, {r}, lsl #{n1-31}",
    "pkhtb{c} {r}, {r}, {r}, asr #{n1-31}",
    "sxtab16{c} {r}, {r}, {r}{ror}",
    "sxtb16{c} {r}, {r}{ror}",
    "sxtab{c} {r}, {r}, {r}{ror}",
    "sxtb{c} {r}, {r}{ror}",
    "sxtah{c} {r}, {r}, {r}{ror}",
    "sxth{c} {r}, {r}{ror}",
    "uxtab16{c} {r}, {r}, {r}{ror}",
    "uxtb16{c} {r}, {r}{ror}",
    "uxtab{c} {r}, {r}, {r}{ror}",
    "uxtb{c} {r}, {r}{ror}",
    "uxtah{c} {r}, {r}, {r}{ror}",
    "uxth{c} {r}, {r}{ror}",
    "rev{c} {r}, {r}",
    "rev16{c} {r}, {r}",
    "revsh{c} {r}, {r}",
    "rbit{c} {r}, {r}",
    "clz{c} {r}, {r}",
    "sbfx{c} {r}, {r}, #{n0-15}, #{n1-16}",
    "ubfx{c} {r}, {r}, #{n0-15}, #{n1-16}",
    "bfc{c} {r}, #{n0-15}, #{n1-16}",
    "bfi{c} {r}, {r}, #{n0-15}, #{n1-16}",
    "ldr{c} {ra}, {m2}",
    "str{c} {ra}, {m2}",
    "ldrb{c} {ra}, {m2}",
    "strb{c} {ra}, {m2}",
    "ldrh{c} {ra}, {m3}",
    "strh{c} {ra}, {m3}",
    "ldrsb{c} {ra}, {m3}",
    "ldrsh{c} {ra}, {m3}",
    "ldrd{c} {e}, {m3}",
    "strd{c} {e}, {m3}",
    "ldrex{c} {r}, [{r}]",
    "ldrexb{c} {r}, [{r}]",
    "ldrexh{c} {r}, [{r}]",
    "ldrexd{c} {e}, [{r}]",
    "strex{c} {ra}, {r}, [{rb}]",
    "strexb{c} {ra}, {r}, [{rb}]",
    "strexh{c} {ra}, {r}, [{rb}]",
    "strexd{c} {ra}, {eb}, [{rb}]",
    "swp{c} {ra}, {r}, [{rb}]",
    "swpb{c} {ra}, {r}, [{rb}]",
    "clrex",
    "push{c} {{list}}",
    "pop{c} {{list}}",
    "push{c} {{{ra}}}",
    "pop{c} {{{ra}}}",
    "ldm{c} {rb}, {{list}}",
    "ldmia{c} {rb}!, {{list}}",
    "ldmib{c} {rb}, {{list}}",
    "ldmda{c} {rb}!, {{list}}",
    "ldmdb{c} {rb}, {{list}}",
    "ldmfd{c} sp!, {{list}}",
    "stm{c} {rb}, {{list}}",
    "stmia{c} {rb}!, {{list}}",
    "stmib{c} {rb}, {{list}}",
    "stmda{c} {rb}!, {{list}}",
    "stmdb{c} {rb}!, {{list}}",
    "stmfd{c} sp!, {{list}}",
    "pld [{r}]",
    "pld [{r}, #{n0-4095}]",
    "pld [{r}, #-{n1-4095}]",
    "pld [{r}, {r}]",
    "pld [{r}, -{r}, lsl #2]",
    "pldw [{r}, #64]",
    "pli [{r}, #128]",
    "bx{c} {r}",
    "blx{c} {r}",
    "bxj{c} {r}",
    "svc{c} #{n0-65535}",
    "svc 0",
    "bkpt #{u16}",
    "udf #{u16}",
    "smc{c} #1",
    "nop{c}",
    "yield{c}",
    "wfe{c}",
    "wfi{c}",
    "sev{c}",
    "hint{c} #1",
    "csdb",
    "dbg{c} #3",
    "dmb",
    "dmb sy",
    "dmb ish",
    "dmb ishst",
    "dmb st",
    "dmb nsh",
    "dmb osh",
    "dsb",
    "dsb sy",
    "dsb ishst",
    "isb",
    "isb sy",
    "mrc{c} p15, 0, {r}, c13, c0, 3",
    "mrc{c} p15, 0, {r}, c9, c13, 0",
    "mrc p15, 0, apsr_nzcv, c7, c14, 3",
    "mcr{c} p15, 0, {r}, c7, c10, 5",
    "mcr{c} p15, 0, {r}, c7, c5, 4",
    "mcr{c} p14, 1, {r}, c2, c3",
    "mrrc{c} p15, 1, {r2}, c14",
    "mcrr{c} p15, 0, {r2}, c2",
    "cdp{c} p7, 1, c1, c2, c3, 4",
    "mrc2 p7, 1, {r}, c2, c3, 4",
    "mcr2 p7, 1, {r}, c2, c3, 4",
    "mrs{c} {r}, cpsr",
    "mrs{c} {r}, apsr",
    "mrs{c} {r}, spsr",
    "msr{c} cpsr_c, {r}",
    "msr{c} cpsr_f, {r}",
    "msr{c} cpsr_fsxc, {r}",
    "msr{c} cpsr, {r}",
    "msr{c} apsr_nzcvq, {r}",
    "msr{c} apsr_g, {r}",
    "msr{c} apsr_nzcvqg, {r}",
    "msr{c} spsr_cxsf, {r}",
    "msr{c} cpsr_f, #0xf0000000",
    "vmrs{c} {r}, fpscr",
    "vmrs{c} apsr_nzcv, fpscr",
    "vmsr{c} fpscr, {r}",
    "vmrs{c} {r}, fpexc",
    "vmrs{c} {r}, mvfr0",
    "vmsr{c} fpexc, {r}",
    "vadd{c}{F}",
    "vsub{c}{F}",
    "vmul{c}{F}",
    "vnmul{c}{F}",
    "vdiv{c}{F}",
    "vmla{c}{F}",
    "vmls{c}{F}",
    "vnmla{c}{F}",
    "vnmls{c}{F}",
    "vfma{c}{F}",
    "vfms{c}{F}",
    "vfnma{c}{F}",
    "vfnms{c}{F}",
    "vabs{c}{F2}",
    "vneg{c}{F2}",
    "vsqrt{c}{F2}",
    "vcmp{c}{F2}",
    "vcmpe{c}{F2}",
    "vmov{c}{F2}",
    "vcmp{c}.f32 {f}, #0",
    "vcmpe{c}.f64 {d}, #0",
    "vmov{c}.f32 {f}, #1.0",
    "vmov{c}.f64 {d}, #-0.5",
    "vmov{c}.f32 {f}, #31.0",
    "vcvt{c}.f64.f32 {d}, {f}",
    "vcvt{c}.f32.f64 {f}, {d}",
    "vcvt{c}.f32.s32 {f}, {f}",
    "vcvt{c}.f32.u32 {f}, {f}",
    "vcvt{c}.f64.s32 {d}, {f}",
    "vcvt{c}.f64.u32 {d}, {f}",
    "vcvt{c}.s32.f32 {f}, {f}",
    "vcvt{c}.u32.f32 {f}, {f}",
    "vcvt{c}.s32.f64 {f}, {d}",
    "vcvt{c}.u32.f64 {f}, {d}",
    "vcvtr{c}.s32.f32 {f}, {f}",
    "vcvtr{c}.s32.f64 {f}, {d}",
    "vcvtr{c}.u32.f64 {f}, {d}",
    "vcvtb{c}.f32.f16 {f}, {f}",
    "vcvtt{c}.f16.f32 {f}, {f}",
    "vmov{c} {r}, {f}",
    "vmov{c} {f}, {r}",
    "vmov{c} {r2}, {d}",
    "vmov{c} {d}, {r}, {r}",
    "vldr{c} {d}, {m5}",
    "vldr{c} {f}, {m5}",
    "vstr{c} {d}, {m5}",
    "vstr{c} {f}, {m5}",
    "vldr.64 {d}, {m5}",
    "vldr.32 {f}, {m5}",
    "vldmia{c} {r}, {d4-d7}",
    "vldmia{c} {r}!, {d8-d15}",
    "vldm{c} {r}, {d20}",
    "vldmdb{c} {r}!, {d0-d3}",
    "vldmia{c} {r}, {s1-s5}",
    "vstmia{c} {r}!, {d16-d31}",
    "vstm{c} {r}, {d0, d1}",
    "vstmdb{c} sp!, {s16-s31}",
    "vpush{c} {d8-d15}",
    "vpop{c} {d8-d15}",
    "vpush{c} {s0}",
    "vadd.i8 {V}",
    "vadd.i64 {V}",
    "vadd.f32 {V}",
    "vsub.i16 {V}",
    "vsub.f32 {V}",
    "vmul.i32 {V}",
    "vmul.f32 {V}",
    "vmul.p8 {V}",
    "vmla.i16 {V}",
    "vmla.f32 {V}",
    "vmls.i8 {V}",
    "vmls.f32 {V}",
    "vfma.f32 {V}",
    "vfms.f32 {V}",
    "vmul.i16 {q}, {q}, d3[2]",
    "vmul.i32 {d}, {d}, d15[1]",
    "vmul.f32 {q}, {q}, d7[0]",
    "vmla.i16 {d}, {d}, d7[3]",
    "vmla.i32 {q}, {q}, d9[1]",
    "vmla.f32 {d}, {d}, d1[1]",
    "vmul.f32 {d}, {d}, d1[1]",
    "vmla.f32 {q}, {q}, d1[1]",
    "vaddl.s8 {q}, {d}, {d}",
    "vaddl.u16 {q}, {d}, {d}",
    "vaddw.s32 {q}, {q}, {d}",
    "vsubl.u8 {q}, {d}, {d}",
    "vsubw.u16 {q}, {q}, {d}",
    "vabal.u8 {q}, {d}, {d}",
    "vabdl.s16 {q}, {d}, {d}",
    "vmlal.u32 {q}, {d}, {d}",
    "vmlsl.s16 {q}, {d}, {d}",
    "vmull.u32 {q}, {d}, {d}",
    "vmull.s8 {q}, {d}, {d}",
    "vmull.p8 {q}, {d}, {d}",
    "vmull.u32 {q}, {d}, d3[1]",
    "vmlal.s16 {q}, {d}, d3[1]",
    "vqdmull.s16 {q}, {d}, {d}",
    "vqdmlal.s32 {q}, {d}, {d}",
    "vqdmulh.s16 {V}",
    "vqrdmulh.s32 {V}",
    "vqdmlsl.s16 {q}, {d}, {d}",
    "vqdmull.s32 {q}, {d}, d9[1]",
    "vqdmlal.s16 {q}, {d}, d3[2]",
    "vqdmlsl.s16 {q}, {d}, d3[3]",
    "vmlsl.u16 {q}, {d}, d3[0]",
    "vqdmulh.s16 {q}, {q}, d3[1]",
    "vqdmulh.s32 {d}, {d}, d12[1]",
    "vqrdmulh.s32 {q}, {q}, d3[1]",
    "vqrdmulh.s16 {d}, {d}, d7[3]",
    "vmls.i16 {q}, {q}, d3[1]",
    "vmls.i32 {d}, {d}, d11[1]",
    "vmls.f32 {q}, {q}, d3[1]",
    "vmls.f32 {d}, {d}, d13[0]",
    "vaddhn.i16 {d}, {q}, {q}",
    "vraddhn.i32 {d}, {q}, {q}",
    "vsubhn.i64 {d}, {q}, {q}",
    "vrsubhn.i16 {d}, {q}, {q}",
    "vacgt.f32 {V}",
    "vacge.f32 {V}",
    "vabd.f32 {V}",
    "vpmax.f32 {d}, {d}, {d}",
    "vpmin.f32 {d}, {d}, {d}",
    "vqrshl.s64 {V}",
    "vqrshl.u8 {V}",
    "vqabs.s16 {V2}",
    "vqneg.s32 {V2}",
    "vcgt.s8 {V2}, #0",
    "vcge.s16 {V2}, #0",
    "vceq.i32 {V2}, #0",
    "vcle.s8 {V2}, #0",
    "vclt.s32 {V2}, #0",
    "vcgt.f32 {V2}, #0",
    "vcge.f32 {V2}, #0",
    "vceq.f32 {V2}, #0",
    "vcle.f32 {V2}, #0",
    "vclt.f32 {V2}, #0",
    "vcvt.f16.f32 {d}, {q}",
    "vcvt.f32.f16 {q}, {d}",
    "vrsra.s8 {V2}, #{n1-8}",
    "vrsra.u64 {V2}, #{n1-64}",
    "vqshl.s16 {V2}, #{n0-15}",
    "vqshl.u64 {V2}, #{n0-63}",
    "vqshlu.s32 {V2}, #{n0-31}",
    "vshrn.i16 {d}, {q}, #{n1-8}",
    "vrshrn.i32 {d}, {q}, #{n1-16}",
    "vqshrun.s64 {d}, {q}, #{n1-32}",
    "vqrshrun.s16 {d}, {q}, #{n1-8}",
    "vqshrn.s32 {d}, {q}, #{n1-16}",
    "vqshrn.u64 {d}, {q}, #{n1-32}",
    "vqrshrn.s16 {d}, {q}, #{n1-8}",
    "vqrshrn.u32 {d}, {q}, #{n1-16}",
    "vshll.s8 {q}, {d}, #{n1-7}",
    "vshll.u32 {q}, {d}, #{n1-31}",
    "vcvt.f32.s32 {V2}, #{n1-32}",
    "vcvt.f32.u32 {V2}, #{n1-32}",
    "vcvt.s32.f32 {V2}, #{n1-32}",
    "vcvt.u32.f32 {V2}, #{n1-32}",
    "vhadd.u8 {V}",
    "vqadd.s64 {V}",
    "vrhadd.u16 {V}",
    "vhsub.s32 {V}",
    "vqsub.u8 {V}",
    "vcgt.s8 {V}",
    "vcge.u16 {V}",
    "vcgt.f32 {V}",
    "vcge.f32 {V}",
    "vceq.i32 {V}",
    "vceq.f32 {V}",
    "vtst.8 {V}",
    "vmax.u8 {V}",
    "vmin.s16 {V}",
    "vmax.f32 {V}",
    "vmin.f32 {V}",
    "vabd.u8 {V}",
    "vaba.s32 {V}",
    "vpadd.i16 {d}, {d}, {d}",
    "vpadd.f32 {d}, {d}, {d}",
    "vpmax.u8 {d}, {d}, {d}",
    "vpmin.s32 {d}, {d}, {d}",
    "vshl.s16 {V}",
    "vshl.u64 {V}",
    "vqshl.s8 {V}",
    "vrshl.u32 {V}",
    "vrecps.f32 {V}",
    "vrsqrts.f32 {V}",
    "vand {V}",
    "vbic {V}",
    "vorr {V}",
    "vorn {V}",
    "veor {V}",
    "vand.i32 {V}",
    "veor.u8 {V}",
    "vbsl {V}",
    "vbit {V}",
    "vbif {V}",
    "vrev64.8 {V2}",
    "vrev64.32 {V2}",
    "vrev32.16 {V2}",
    "vrev16.8 {V2}",
    "vpaddl.s8 {V2}",
    "vpaddl.u32 {V2}",
    "vpadal.u8 {V2}",
    "vcls.s16 {V2}",
    "vclz.i32 {V2}",
    "vcnt.8 {V2}",
    "vmvn {V2}",
    "vabs.s8 {V2}",
    "vabs.f32 {V2}",
    "vneg.s32 {V2}",
    "vneg.f32 {V2}",
    "vswp {V2}",
    "vtrn.16 {V2}",
    "vuzp.8 {V2}",
    "vuzp.32 {q}, {q}",
    "vzip.16 {V2}",
    "vzip.32 {q}, {q}",
    "vzip.32 {d}, {d}",
    "vuzp.32 {d}, {d}",
    "vld1.32 {d0[]}, [{r},:32]",
    "vst1.32 {d0}, [{r} ,:64]!",
    "ldc{c} p7, c1, [{r}, #16]",
    "ldcl{c} p7, c1, [{r}]",
    "stc{c} p7, c1, [{r}, #-16]",
    "stcl{c} p7, c1, [{r}]",
    "vmovn.i32 {d}, {q}",
    "vqmovun.s16 {d}, {q}",
    "vqmovn.s64 {d}, {q}",
    "vqmovn.u32 {d}, {q}",
    "vrecpe.u32 {V2}",
    "vrecpe.f32 {V2}",
    "vrsqrte.f32 {V2}",
    "vcvt.f32.s32 {V2}",
    "vcvt.f32.u32 {V2}",
    "vcvt.s32.f32 {V2}",
    "vcvt.u32.f32 {V2}",
    "vshl.i8 {V2}, #{n0-7}",
    "vshl.i64 {V2}, #{n0-63}",
    "vshr.s16 {V2}, #{n1-16}",
    "vshr.u32 {V2}, #{n1-32}",
    "vshr.u64 {V2}, #{n1-64}",
    "vsra.u8 {V2}, #{n1-8}",
    "vsra.s64 {V2}, #{n1-64}",
    "vrshr.s32 {V2}, #{n1-32}",
    "vrshr.u16 {V2}, #{n1-16}",
    "vsli.32 {V2}, #{n0-31}",
    "vsri.16 {V2}, #{n1-16}",
    "vmovl.s8 {q}, {d}",
    "vmovl.s16 {q}, {d}",
    "vmovl.s32 {q}, {d}",
    "vmovl.u8 {q}, {d}",
    "vmovl.u16 {q}, {d}",
    "vmovl.u32 {q}, {d}",
    "vmov.i8 {q}, #{n0-255}",
    "vmov.i16 {d}, #{n0-255}",
    "vmov.i32 {q}, #0",
    "vmov.i32 {d}, #0xff00",
    "vmov.i32 {q}, #0xab0000",
    "vmov.i32 {q}, #0x12ff",
    "vmov.i64 {q}, #0xff00ff0000ffff00",
    "vmov.f32 {q}, #1.0",
    "vmvn.i32 {q}, #0x1f",
    "vmvn.i16 {d}, #0x1200",
    "vorr.i32 {q}, #0x4000",
    "vbic.i16 {d}, #0x12",
    "vext.8 {V}, #{n0-7}",
    "vext.16 {V}, #3",
    "vext.32 {V}, #1",
    "vmov {d}, {d}",
    "vmov {q}, {q}",
    "vmov{c}.32 {r}, d5[1]",
    "vmov{c}.u8 {r}, d21[7]",
    "vmov{c}.s16 {r}, d3[2]",
    "vmov{c}.s8 {r}, d3[1]",
    "vmov{c}.32 d17[0], {r}",
    "vmov{c}.16 d4[3], {r}",
    "vmov{c}.8 d4[5], {r}",
    "vdup{c}.32 {q}, {r}",
    "vdup{c}.16 {d}, {r}",
    "vdup{c}.8 {q}, {r}",
    "vdup.8 {q}, d3[7]",
    "vdup.16 {d}, d30[2]",
    "vdup.32 {q}, d2[1]",
    "vtbl.8 {d}, {d4}, {d}",
    "vtbl.8 {d}, {d4-d5}, {d}",
    "vtbx.8 {d}, {d20, d21, d22, d23}, {d}",
    "vld1.8 {d0}, [{r}]",
    "vld1.8 {d0-d3}, [{r}]!",
    "vld1.64 {d16, d17}, [{r} :128]!",
    "vld1.32 {q2, q3}, [{r}:256]",
    "vld1.16 {d1-d3}, [{r}], {rb}",
    "vst1.8 {d0-d1}, [{r}]!",
    "vst1.64 {d4-d7}, [{r}:256]!",
    "vld2.8 {d0, d1}, [{r}]!",
    "vld2.16 {d0, d2}, [{r}]",
    "vld2.32 {d0-d3}, [{r}:64]",
    "vst2.8 {d0, d1}, [{r}]",
    "vld3.8 {d0, d1, d2}, [{r}]!",
    "vld3.16 {d0, d2, d4}, [{r}]",
    "vst3.8 {d16, d17, d18}, [{r}]!",
    "vld4.8 {d0-d3}, [{r}]!",
    "vld4.16 {d0, d2, d4, d6}, [{r}]",
    "vst4.32 {d0-d3}, [{r}:256]!",
    "vld1.8 {d0[3]}, [{r}]!",
    "vld1.16 {d3[2]}, [{r}:16]",
    "vld1.32 {d31[1]}, [{r}:32]!",
    "vst1.32 {d2[0]}, [{r}], {rb}",
    "vld2.8 {d0[1], d1[1]}, [{r}]",
    "vld2.16 {d0[1], d2[1]}, [{r}:32]",
    "vld3.32 {d0[1], d1[1], d2[1]}, [{r}]!",
    "vst4.8 {d0[1], d1[1], d2[1], d3[1]}, [{r}:32]",
    "vst4.32 {d0[1], d2[1], d4[1], d6[1]}, [{r}:128]",
    "vld1.32 {d0[]}, [{r}:32]",
    "vld1.8 {d0[], d1[]}, [{r}]!",
    "vld2.16 {d0[], d1[]}, [{r}]",
    "vld4.32 {d0[], d2[], d4[], d6[]}, [{r}:128]",
];

/// Statements of ARMv8 and its extensions.
const LATER: &[&str] = &[
    "crc32b {r}, {r}, {r}",
    "crc32h {r}, {r}, {r}",
    "crc32w {r}, {r}, {r}",
    "crc32cb {r}, {r}, {r}",
    "crc32ch {r}, {r}, {r}",
    "crc32cw {r}, {r}, {r}",
    "vmaxnm.f32 {V}",
    "vminnm.f32 {V}",
    "vmaxnm.f32 {f}, {f}, {f}",
    "vminnm.f64 {d}, {d}, {d}",
    "vmaxnm.f64 {d}, {d}, {d}",
    "vminnm.f32 {f}, {f}, {f}",
    "vcvta.s32.f32 {V2}",
    "vcvta.u32.f32 {V2}",
    "vcvtn.s32.f32 {V2}",
    "vcvtn.u32.f32 {V2}",
    "vcvtp.s32.f32 {V2}",
    "vcvtp.u32.f32 {V2}",
    "vcvtm.s32.f32 {V2}",
    "vcvtm.u32.f32 {V2}",
    "vrintn.f32 {V2}",
    "vrintx.f32 {V2}",
    "vrinta.f32 {V2}",
    "vrintz.f32 {V2}",
    "vrintm.f32 {V2}",
    "vrintp.f32 {V2}",
    "vrintn.f32 {f}, {f}",
    "vrinta.f32 {f}, {f}",
    "vrintm.f32 {f}, {f}",
    "vrintp.f32 {f}, {f}",
    "vqrdmlah.s16 {V}",
    "vqrdmlsh.s32 {V}",
    "vsdot.s8 {V}",
    "vudot.u8 {V}",
    "vusdot.s8 {V}",
    "vsmmla.s8 {q}, {q}, {q}",
    "vummla.u8 {q}, {q}, {q}",
    "vusmmla.s8 {q}, {q}, {q}",
    "vcadd.f32 {V}, #90",
    "vcadd.f32 {V}, #270",
    "vmull.p64 {q}, {d}, {d}",
    "aese.8 {q}, {q}",
    "aesd.8 {q}, {q}",
    "aesmc.8 {q}, {q}",
    "aesimc.8 {q}, {q}",
    "sha1h.32 {q}, {q}",
    "sha1su1.32 {q}, {q}",
    "sha256su0.32 {q}, {q}",
    "sha1c.32 {q}, {q}, {q}",
    "sha1p.32 {q}, {q}, {q}",
    "sha1m.32 {q}, {q}, {q}",
    "sha1su0.32 {q}, {q}, {q}",
    "sha256h.32 {q}, {q}, {q}",
    "sha256h2.32 {q}, {q}, {q}",
    "sha256su1.32 {q}, {q}, {q}",
];

const CONDITIONS: [&str; 17] =
    ["", "eq", "ne", "cs", "cc", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"];

/// Operands at random.
struct Operands(Random);

impl Operands {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit)
    }

    fn one_of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len() as u32) as usize]
    }

    /// A register that has no part in addresses.
    fn core(&mut self) -> String {
        format!("r{}", self.below(12))
    }

    fn vector(&mut self, is_quad: bool) -> String {
        if is_quad { format!("q{}", self.below(16)) } else { format!("d{}", self.below(32)) }
    }

    fn vectors(&mut self, count: u32) -> String {
        let is_quad = self.below(2) == 0;
        (0..count).map(|_| self.vector(is_quad)).collect::<Vec<_>>().join(", ")
    }

    fn floats(&mut self, count: u32) -> String {
        match self.below(2) {
            0 => format!(".f32 {}", (0..count).map(|_| self.of("f")).collect::<Vec<_>>().join(", ")),
            _ => format!(".f64 {}", (0..count).map(|_| self.of("d")).collect::<Vec<_>>().join(", ")),
        }
    }

    fn shift(&mut self) -> String {
        let amount = 1 + self.below(31);
        match self.below(4) {
            0 => String::from("rrx"),
            _ => format!("{} #{amount}", self.one_of(&["lsl", "lsr", "asr", "ror"])),
        }
    }

    /// An index of an address, with a number of this many bits.
    fn index(&mut self, bits: u32, may_shift: bool) -> String {
        let number = self.below(1 << bits);
        let sign = self.one_of(&["", "-"]);
        let index = 6 + self.below(2);
        match self.below(3) {
            0 => format!("#{number}"),
            1 if may_shift => format!("{sign}r{index}, {}", self.shift()),
            1 => format!("{sign}r{index}"),
            _ => format!("#{sign}{}", number.max(1)),
        }
    }

    fn memory(&mut self, bits: u32, may_shift: bool) -> String {
        let base = format!("r{}", 8 + self.below(3));
        match self.below(4) {
            0 => format!("[{base}]"),
            1 => format!("[{base}, {}]", self.index(bits, may_shift)),
            2 => format!("[{base}, {}]!", self.index(bits, may_shift)),
            _ => format!("[{base}], {}", self.index(bits, may_shift)),
        }
    }

    fn of(&mut self, kind: &str) -> String {
        if let Some((least, most)) = kind.strip_prefix('n').and_then(|range| range.split_once('-')) {
            let [least, most]: [u32; 2] = [least, most].map(|text| text.parse().unwrap());
            return (least + self.below(most - least + 1)).to_string();
        }
        match kind {
            "c" => self.one_of(&CONDITIONS).into(),
            "s" => self.one_of(&["", "s"]).into(),
            "r" => self.core(),
            "ra" => format!("r{}", self.below(4)),
            "rb" => format!("r{}", 9 + self.below(2)),
            // Two different ones, the results of a long product.
            "r2" => format!("r{}, r{}", self.below(6), 6 + self.below(6)),
            "e" => self.one_of(&["r0, r1", "r2, r3", "r4, r5"]).into(),
            "eb" => self.one_of(&["r4, r5", "r6, r7"]).into(),
            "o" => match self.below(4) {
                0 => format!("#{}", self.below(256).rotate_right(2 * self.below(16)) as i32),
                1 => self.core(),
                2 => format!("{}, {}", self.core(), self.shift()),
                _ => {
                    format!("{}, {} {}", self.core(), self.one_of(&["lsl", "lsr", "asr", "ror"]), self.core())
                }
            },
            "sh" => match self.below(2) {
                0 => format!("#{}", 1 + self.below(31)),
                _ => self.core(),
            },
            "ror" => self.one_of(&["", ", ror #8", ", ror #16", ", ror #24"]).into(),
            "u16" => self.below(0x10000).to_string(),
            "m2" => self.memory(12, true),
            "m3" => self.memory(8, false),
            "m5" => match self.below(2) {
                0 => format!("[{}]", self.core()),
                _ => format!("[{}, #{}]", self.core(), (self.below(511) as i32 - 255) * 4),
            },
            "f" => format!("s{}", self.below(32)),
            "d" => self.vector(false),
            "q" => self.vector(true),
            "F" => self.floats(3),
            "F2" => self.floats(2),
            "V" => self.vectors(3),
            "V2" => self.vectors(2),
            "list" => self.one_of(&["r0, r1", "r4-r8, lr", "r0-r3, r7", "r2, r5, r11"]).into(),
            // A list of registers that stands there.
            other => format!("{{{other}}}"),
        }
    }

    /// A statement of a template. Two braces are one around a list.
    fn statement(&mut self, template: &str) -> String {
        let mut out = String::new();
        let mut left = template;
        while let Some(start) = left.find('{') {
            out += &left[..start];
            left = &left[start + 1..];
            if let Some(inner) = left.strip_prefix('{') {
                let end = inner.find("}}").unwrap();
                let inside = inner[..end].trim_start_matches('{').trim_end_matches('}');
                out += &format!("{{{}}}", self.of(inside));
                left = inner[end + 2..].trim_start_matches('}');
                continue;
            }
            let end = left.find('}').unwrap();
            out += &self.of(&left[..end]);
            left = &left[end + 1..];
        }
        out + left
    }
}

fn words(code: &[u8]) -> Vec<u32> {
    code.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// The words that llvm-mc makes of a text for ARMv7.
fn theirs(name: &str, text: &str) -> Vec<u32> {
    let features = "-mattr=+hwdiv-arm,+neon,+vfp4,+trustzone,+mp,+fp16";
    theirs_for(["-triple=armv7-linux-gnueabihf", features], name, text)
}

/// The same for the processor that these options of it say.
fn theirs_for(processor: [&str; 2], name: &str, text: &str) -> Vec<u32> {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let [source, object] = ["s", "o"].map(|ext| directory.join(format!("arm-assembler-{name}.{ext}")));
    std::fs::write(&source, text).unwrap();
    let output = Command::new("llvm-mc-19")
        .arg("-filetype=obj")
        .args(processor)
        .args([&source, &PathBuf::from("-o"), &object])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", errors.lines().take(40).collect::<Vec<_>>().join("\n"));
    words(text_section(&std::fs::read(&object).unwrap()))
}

#[test]
fn statements_are_the_words_of_llvm() {
    if !tools::has("inline assembly of ARM beside llvm-mc", &["llvm-mc-19"]) {
        return;
    }
    let differ = differing("statements", TEMPLATES, theirs);
    assert!(differ.is_empty(), "{} differ\n{}", differ.len(), differ[..differ.len().min(60)].join("\n"));
}

#[test]
fn statements_of_later_processors_are_the_words_of_llvm() {
    if !tools::has("inline assembly of ARM beside llvm-mc", &["llvm-mc-19"]) {
        return;
    }
    let processor = ["-triple=armv8.6a-linux-gnueabihf", "-mattr=+crc,+neon,+aes,+sha2,+dotprod,+i8mm"];
    let theirs = |name: &str, text: &str| theirs_for(processor, name, text);
    let differ = differing("later", LATER, theirs);
    assert!(differ.is_empty(), "{} differ\n{}", differ.len(), differ[..differ.len().min(60)].join("\n"));
}

/// Statements of templates that are other words than theirs.
fn differing(name: &str, templates: &[&str], theirs: impl Fn(&str, &str) -> Vec<u32>) -> Vec<String> {
    let mut operands = Operands(Random::keyed(7, 0, 0));
    let statements: Vec<String> = templates
        .iter()
        .flat_map(|template| (0..24).map(|_| operands.statement(template)).collect::<Vec<_>>())
        .collect();
    let theirs = theirs(name, &(statements.join("\n") + "\n"));
    assert_eq!(theirs.len(), statements.len());
    let differs = |(statement, theirs): (&String, u32)| match assemble(statement) {
        Ok(code) if words(&code) == [theirs] => None,
        Ok(code) => Some(format!("{statement}: {:08x?}, not {theirs:08x}", words(&code))),
        Err(error) => Some(format!("{statement}: {error}, not {theirs:08x}")),
    };
    statements.iter().zip(theirs).filter_map(differs).collect()
}

/// Texts with labels, data and directives.
const TEXTS: &[&str] = &[
    "1: ldrex r0, [r1]\n add r0, r0, r2\n strex r3, r0, [r1]\n teq r3, #0\n bne 1b\n",
    ".syntax unified\n b 2f\n 1: .word 1, 0x12345678, -1\n 2: ldr r0, 1b\n ldr r1, 1b\n ldrd r2, r3, 1b\n",
    "loop: subs r0, r0, #1\n bne loop\n beq 3f\n nop\n 3:\n",
    "adr r0, 1f\n adr r1, 2f\n 2: nop\n 1: vldr d0, 2b\n ldrh r5, 2b\n",
    ".byte 1, 2\n .align 2\n mov r0, r1 @ a comment; nop\n .short 5 // another\n .p2align 2\n nop\n",
    "it eq\n moveq r0, #1\n ite ne\n movne r0, #2\n moveq r0, #3\n",
    ".arch armv7-a\n .fpu neon\n vadd.f32 q0, q1, q2\n /* nop */ .inst 0xe1a00000\n",
    "ldr r0, =1\n ldr r1, =0xff000000\n ldr r2, =0xffffff00\n ldr r3, =0x1234\n",
    "ldr ip, [sp, #4]\n mov fp, sp\n str lr, [r0, -r1, lsl #2]!\n add sl, sb, #(1 << 4)\n",
    "MOV R0, R1\n ADDS r0, R2, #4\n LDR r1, [R2, #0x10]\n",
];

#[test]
fn texts_are_the_words_of_llvm() {
    if !tools::has("inline assembly of ARM beside llvm-mc", &["llvm-mc-19"]) {
        return;
    }
    for (n, text) in TEXTS.iter().enumerate() {
        let ours = assemble(text).map_err(|error| error.to_string()).unwrap();
        assert_eq!(words(&ours), theirs(&format!("text{n}"), text), "{text}");
    }
}

/// Calls of labels, which llvm-mc leaves to the linker.
#[test]
fn calls_lead_to_labels() {
    let code = assemble("1: bl 1f; blne 1b; nop; 1: bl 1b").unwrap();
    assert_eq!(words(&code), [0xeb00_0001, 0x1bff_fffd, 0xe320_f000, 0xebff_fffe]);
}

#[test]
fn what_cannot_be_assembled_is_refused_with_its_statement() {
    use AssemblyErrorKind::{Alignment, Directive, Distance, Instruction, Label, Operand, Operands};
    for (text, statement, kind) in [
        ("nop; frobnicate r0", "frobnicate r0", Instruction),
        ("add r0, r1, r2, r3, r4", "add r0, r1, r2, r3, r4", Operands),
        ("mov r0, #0x12345678", "mov r0, #0x12345678", Operands),
        ("add r0, r1, #257", "add r0, r1, #257", Operands),
        ("ldr r0, [r1, #4096]", "ldr r0, [r1, #4096]", Operands),
        ("ldrh r0, [r1, r2, lsl #2]", "ldrh r0, [r1, r2, lsl #2]", Operands),
        ("ldrd r1, r2, [r3]", "ldrd r1, r2, [r3]", Operands),
        ("b elsewhere", "b elsewhere", Label),
        ("b 1b; 1: nop", "b 1b", Label),
        (".byte 1; nop", "nop", Alignment),
        (".byte 1", ".byte 1", Alignment),
        (".thumb", ".thumb", Directive),
        (".word a", ".word a", Operand),
        ("ldr r0, [r1", "ldr r0, [r1", Operand),
        ("ldr r0, [r16]", "ldr r0, [r16]", Operand),
        ("push {r3-r1}", "push {r3-r1}", Operand),
        ("addnev r0, r0, r0", "addnev r0, r0, r0", Instruction),
        ("vadd.f16 s0, s1, s2", "vadd.f16 s0, s1, s2", Instruction),
        ("vadd.f32 s0, s1, d2", "vadd.f32 s0, s1, d2", Operands),
        ("vmov.f64 d0, #0.1", "vmov.f64 d0, #0.1", Operands),
        ("vld1.8 {d0-d5}, [r0]", "vld1.8 {d0-d5}, [r0]", Operands),
        ("lsl r0, r1, #32", "lsl r0, r1, #32", Operands),
        ("bfi r0, r1, #30, #3", "bfi r0, r1, #30, #3", Operands),
    ] {
        match assemble(text) {
            Err(error) => {
                assert_eq!(error.kind, kind, "{text}");
                assert_eq!(error.statement, statement, "{text}");
            }
            Ok(code) => assert!(statement.is_empty(), "{text}: {code:x?}"),
        }
    }
    let far = format!("vldr d0, 1f\n{}1: nop", "nop\n".repeat(300));
    assert_eq!(assemble(&far).unwrap_err().kind, Distance);
}

/// Any text gives code or an error.
#[test]
fn random_texts_do_no_harm() {
    let mut random = Random::keyed(3, 0, 0);
    let mut operands = Operands(Random::keyed(4, 0, 0));
    for _ in 0..20_000 {
        let template = TEMPLATES[random.below(TEMPLATES.len() as u32) as usize];
        let mut text: Vec<u8> = operands.statement(template).into_bytes();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len() as u32) as usize;
            match random.below(3) {
                0 => text[at] = b"#-[]{}!,.:^@ 019rsdqpz\xE9"[random.below(23) as usize],
                1 => text.truncate(at + 1),
                _ => text.insert(at, b"#-[]{}!,.:^ 8"[random.below(13) as usize]),
            }
        }
        let _ = assemble(&String::from_utf8_lossy(&text));
    }
}

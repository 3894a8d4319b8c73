//! The assembler of AArch64 beside `llvm-mc` and the GNU assembler: all make the same words of the same statements.
//!
//! Statements are made of templates: what stands in braces is replaced by an operand of its kind, at random; `/` separates
//! mnemonics that are tried in turn.

use crate::common::assemblers::WordAssemblers;
use ice_asm::aarch64::assemble;
use ice_asm::{AssembledTarget, AssemblyErrorKind, Random, RelocKind, TextPlace};

/// Statements with operands to be filled in.
const TEMPLATES: &[&str] = &[
    // Arithmetic and logic.
    "add/sub {x}, {x}, {X}",
    "adds/subs {x}, {x}, {X}",
    "add/sub {w}, {w}, {W}",
    "adds/subs {w}, {w}, {W}",
    "and/orr/eor/bic/orn/eon/ands/bics {xz}, {xz}, {XR}",
    "and/orr/eor/bic/orn/eon/ands/bics {w}, {w}, {WR}",
    "and/ands/eor/orr/bic {x}, {x}, #{L64}",
    "and/ands/eor/orr/bic {w}, {w}, #{L32}",
    "add/sub sp, sp, #{n0-4095}",
    "add/sub {x}, sp, #{n0-4095}, lsl #12",
    "add/sub/adds/subs {x}, {x}, #-{n1-4095}",
    "add/sub {w}, wsp, {w}, uxth #{n0-4}",
    "add sp, {x}, {x}, lsl #{n1-4}",
    "cmp/cmn {x}, {X}",
    "cmp/cmn {w}, {W}",
    "cmp/cmn {x}, #-{n1-4095}",
    "cmp sp, {x}",
    "tst {x}, {XR}",
    "tst {w}, {WR}",
    "tst {x}, #{L64}",
    "neg/negs {x}, {XS}",
    "neg/negs {w}, {w}, lsl #{n1-31}",
    "mvn {x}, {XR}",
    "mvn {w}, {WR}",
    "ngc/ngcs {x}, {x}",
    "ngc/ngcs {w}, {w}",
    "adc/adcs/sbc/sbcs {xz}, {xz}, {xz}",
    "adc/adcs/sbc/sbcs {w}, {w}, {w}",
    "udiv/sdiv/lsl/lsr/asr/ror/lslv/lsrv/asrv/rorv {x}, {x}, {x}",
    "udiv/sdiv/lsl/lsr/asr/ror/lslv/lsrv/asrv/rorv {w}, {w}, {w}",
    "lsl/lsr/asr/ror {x}, {x}, #{n0-63}",
    "lsl/lsr/asr/ror {w}, {w}, {n0-31}",
    "rbit/rev16/rev32/rev/clz/cls/rev64 {x}, {x}",
    "rbit/rev16/rev/clz/cls {w}, {w}",
    "madd/msub {x}, {x}, {x}, {x}",
    "madd/msub {w}, {w}, {w}, {w}",
    "mul/mneg/smulh/umulh {xz}, {xz}, {xz}",
    "mul/mneg {w}, {w}, {w}",
    "smaddl/smsubl/umaddl/umsubl {x}, {w}, {w}, {x}",
    "smull/umull/smnegl/umnegl {x}, {w}, {w}",
    "sbfm/bfm/ubfm {x}, {x}, #{n0-63}, #{n0-63}",
    "sbfm/bfm/ubfm {w}, {w}, #{n0-31}, #{n0-31}",
    "ubfx/sbfx/bfi/bfxil/ubfiz/sbfiz {x}, {x}, #{n0-31}, #{n1-32}",
    "ubfx/sbfx/bfi/bfxil/ubfiz/sbfiz {w}, {w}, #{n0-15}, #{n1-16}",
    "bfc {x}, #{n0-31}, #{n1-32}",
    "sxtb/sxth/sxtw {x}, {w}",
    "sxtb/sxth/uxtb/uxth {w}, {w}",
    "extr {x}, {x}, {x}, #{n0-63}",
    "extr {w}, {w}, {w}, #{n0-31}",
    "csel/csinc/csinv/csneg {x}, {x}, {x}, {c}",
    "csel/csinc/csinv/csneg {wz}, {wz}, {wz}, {c}",
    "cset/csetm {x}, {c}",
    "cset/csetm {w}, {c}",
    "cinc/cinv/cneg {x}, {x}, {c}",
    "cinc/cinv/cneg {w}, {w}, {c}",
    "ccmp/ccmn {x}, {x}, #{n0-15}, {c}",
    "ccmp/ccmn {w}, #{n0-31}, #{n0-15}, {c}",
    "mov {xz}, {xz}",
    "mov {w}, {w}",
    "mov {x}, sp",
    "mov sp, {x}",
    "mov {x}, #{n0-65535}",
    "mov {x}, #-{n1-65535}",
    "mov {w}, #-{n1-65535}",
    "mov {x}, #0x{n1-9}a3{n0-9}0000",
    "mov {x}, #{L64}",
    "mov {w}, #{L32}",
    "movz/movn/movk {x}, #{n0-65535}, lsl #48",
    "movz/movn/movk {w}, #{n0-65535}",
    "mov x29, sp",
    "mov x30, x16",
    "mov fp, sp",
    // Branches.
    "br/blr/ret {x}",
    "ret",
    "b 8",
    "b .",
    "b .+{n1-999}*4",
    "b.{c} .-{n1-999}*4",
    "b{c} .+8",
    "cbz/cbnz {xz}, .+{n1-999}*4",
    "cbz/cbnz {w}, .-{n1-999}*4",
    "tbz/tbnz {x}, #{n0-63}, .+{n1-99}*4",
    "tbz/tbnz {w}, #{n0-31}, .-{n1-99}*4",
    "adr {x}, .+{n1-999}",
    "ldr {x}, .+{n1-999}*4",
    "ldr {w}, .-{n1-999}*4",
    "ldrsw {x}, .+16",
    "ldr {s}, .+{n1-99}*4",
    "ldr {d}, .+{n1-99}*4",
    "ldr {q}, .+{n1-99}*4",
    "prfm pldl1keep, .+16",
    // Memory.
    "ldr/str {xl}, {m3}",
    "ldr/str {wl}, {m2}",
    "ldrb/strb {wl}, {m0}",
    "ldrh/strh {wl}, {m1}",
    "ldrsb {xl}, {m0}",
    "ldrsb {wl}, {m0}",
    "ldrsh {xl}, {m1}",
    "ldrsh {wl}, {m1}",
    "ldrsw {xl}, {m2}",
    "ldr/str {b}, {m0}",
    "ldr/str {h}, {m1}",
    "ldr/str {s}, {m2}",
    "ldr/str {d}, {m3}",
    "ldr/str {q}, {m4}",
    "ldur/stur/ldtr/sttr {x}, [{base}, #{i9}]",
    "ldur/stur/ldtr/sttr {w}, [{base}]",
    "ldurb/sturb/ldurh/sturh/ldtrb/sttrb/ldtrh/sttrh {w}, [{base}, #{i9}]",
    "ldursb/ldursh/ldtrsb/ldtrsh {w}, [{base}, #{i9}]",
    "ldursb/ldursh/ldursw/ldtrsb/ldtrsh/ldtrsw {x}, [{base}, #{i9}]",
    "ldur/stur {b}, [{base}, #{i9}]",
    "ldur/stur {h}, [{base}, #{i9}]",
    "ldur/stur {s}, [{base}, #{i9}]",
    "ldur/stur {d}, [{base}, #{i9}]",
    "ldur/stur {q}, [{base}, #{i9}]",
    "ldp/stp x1, x2, {p3}",
    "ldp/stp w1, w2, {p2}",
    "ldpsw x1, x2, {p2}",
    "ldp/stp s1, s2, {p2}",
    "ldp/stp d1, d2, {p3}",
    "ldp/stp q1, q2, {p4}",
    "ldnp/stnp x1, x2, [{base}, #-16]",
    "ldnp/stnp w1, w2, [{base}, #8]",
    "ldnp/stnp q1, q2, [{base}, #-32]",
    "ldnp/stnp d1, d2, [{base}]",
    "prfm pldl1keep, {o3}",
    "prfm pstl2strm, {o3}",
    "prfm plil3keep, [{base}]",
    "prfm #{n0-31}, [{base}, #8]",
    "prfum pldl3strm, [{base}, #{i9}]",
    "ldxr/ldaxr/ldar/ldlar/ldapr/stlr/stllr {x}, [{base}]",
    "ldxr/ldaxr/ldar/ldlar/ldapr/stlr/stllr {w}, [{base}]",
    "ldxrb/ldxrh/ldaxrb/ldaxrh/ldarb/ldarh/ldaprb/ldaprh/stlrb/stlrh {w}, [{base}]",
    "stxr/stlxr w0, {xa}, [{ba}]",
    "stxr/stlxr/stxrb/stxrh/stlxrb/stlxrh w0, {wa}, [{ba}]",
    "ldxp/ldaxp x1, x2, [{base}]",
    "ldxp/ldaxp w1, w2, [{base}]",
    "stxp/stlxp w0, {xa}, {xa}, [{ba}]",
    "stxp/stlxp w0, {wa}, {wa}, [{ba}]",
    "clrex",
    // Atomic operations.
    "cas/casa/casl/casal {x}, {x}, [{base}]",
    "cas/casa/casl/casal/casb/casab/caslb/casalb/cash/casah/caslh/casalh {w}, {w}, [{base}]",
    "casp/caspa/caspl/caspal x4, x5, x6, x7, [{base}]",
    "casp/caspa/caspl/caspal w4, w5, w6, w7, [{base}]",
    "swp/swpa/swpl/swpal {xz}, {xz}, [{base}]",
    "swp/swpa/swpl/swpal/swpb/swpab/swplb/swpalb/swph/swpah/swplh/swpalh {w}, {w}, [{base}]",
    "ldadd/ldaddal/ldclr/ldclra/ldset/ldsetl/ldeor/ldeoral/ldsmax/ldsmin/ldumax/ldumin {x}, {x}, [{base}]",
    "ldadd/ldaddab/ldaddalb/ldclrh/ldsetalh/ldeorb/ldsmaxal/ldsminl/ldumaxh/lduminalb {w}, {w}, [{base}]",
    "stadd/staddl/stclr/stset/stsetl/steor/stsmax/stumin {x}, [{base}]",
    "stadd/staddlb/stclrh/stsetb/steorlh {w}, [{base}]",
    // The system.
    "nop/yield/wfe/wfi/sev/sevl/isb/esb/csdb/eret/sb/ssbb/pssbb",
    "paciasp/autiasp/pacibsp/autibsp/paciaz/autiaz/xpaclri/pacia1716/autib1716",
    "hint #{n0-127}",
    "bti",
    "bti c",
    "bti j",
    "bti jc",
    "psb csync",
    "tsb csync",
    "svc/hvc/smc/brk/hlt/udf #{n0-65535}",
    "svc 0",
    "dmb/dsb sy",
    "dmb/dsb ish",
    "dmb/dsb ishst",
    "dmb/dsb ishld",
    "dmb/dsb osh",
    "dmb/dsb oshld",
    "dmb/dsb nsh",
    "dmb/dsb nshst",
    "dmb/dsb st",
    "dmb/dsb ld",
    "dmb #{n0-15}",
    "isb sy",
    "isb #{n0-15}",
    "mrs {x}, {sysread}",
    "msr {syswrite}, {x}",
    "mrs {x}, s3_{n0-7}_c{n11-11}_c{n0-15}_{n0-7}",
    "msr S3_{n0-7}_C15_C{n0-15}_{n0-7}, {x}",
    "msr daifset/daifclr, #{n0-15}",
    "msr spsel, #1",
    "dc zva, {x}",
    "dc cvac, {x}",
    "dc cvau, {x}",
    "dc civac, {x}",
    "dc ivac, {x}",
    "dc cisw, {x}",
    "ic ivau, {x}",
    "ic iallu",
    "ic ialluis",
    "at s1e1r, {x}",
    "sys #3, c7, c4, #1, {x}",
    "sys #0, C7, C5, #0",
    "sysl {x}, #3, c7, c1, #1",
    "crc32b/crc32h/crc32w/crc32cb/crc32ch/crc32cw {w}, {w}, {w}",
    "crc32x/crc32cx {w}, {w}, {x}",
    // Numbers.
    "fmul/fdiv/fadd/fsub/fmax/fmin/fmaxnm/fminnm/fnmul/fmulx/fcmeq/fcmge/fcmgt/facge/facgt/fabd/frecps/frsqrts {s}, {s}, {s}",
    "fmul/fdiv/fadd/fsub/fmax/fmin/fmaxnm/fminnm/fnmul/fmulx/fcmeq/fcmge/fcmgt/facge/facgt/fabd/frecps/frsqrts {d}, {d}, {d}",
    "fmov/fabs/fneg/fsqrt/frintn/frintp/frintm/frintz/frinta/frintx/frinti {s}, {s}",
    "fmov/fabs/fneg/fsqrt/frintn/frintp/frintm/frintz/frinta/frintx/frinti {d}, {d}",
    "fmadd/fmsub/fnmadd/fnmsub {s}, {s}, {s}, {s}",
    "fmadd/fmsub/fnmadd/fnmsub {d}, {d}, {d}, {d}",
    "fcvt {s}, {d}",
    "fcvt {d}, {s}",
    "fcvt {h}, {s}",
    "fcvt {d}, {h}",
    "fcmp/fcmpe {s}, {s}",
    "fcmp/fcmpe {d}, {d}",
    "fcmp/fcmpe {d}, #0.0",
    "fcmp/fcmpe {s}, #0.0",
    "fccmp/fccmpe {s}, {s}, #{n0-15}, {c}",
    "fccmp/fccmpe {d}, {d}, #{n0-15}, {c}",
    "fcsel {s}, {s}, {s}, {c}",
    "fcsel {d}, {d}, {d}, {c}",
    "fmov {s}, #{imm}",
    "fmov {d}, #{imm}",
    "fmov {d}, xzr",
    "fmov {s}, wzr",
    "fmov {s}, {w}",
    "fmov {w}, {s}",
    "fmov {d}, {x}",
    "fmov {x}, {d}",
    "fmov {x}, {v}.d[1]",
    "fmov {v}.d[1], {x}",
    "fcvtns/fcvtnu/fcvtas/fcvtau/fcvtps/fcvtpu/fcvtms/fcvtmu/fcvtzs/fcvtzu {x}, {d}",
    "fcvtns/fcvtnu/fcvtas/fcvtau/fcvtps/fcvtpu/fcvtms/fcvtmu/fcvtzs/fcvtzu {w}, {s}",
    "fcvtns/fcvtnu/fcvtas/fcvtau/fcvtps/fcvtpu/fcvtms/fcvtmu/fcvtzs/fcvtzu/scvtf/ucvtf/frecpe/frecpx/frsqrte {s}, {s}",
    "fcvtns/fcvtnu/fcvtas/fcvtau/fcvtps/fcvtpu/fcvtms/fcvtmu/fcvtzs/fcvtzu/scvtf/ucvtf/frecpe/frecpx/frsqrte {d}, {d}",
    "fcvtzs/fcvtzu {x}, {s}, #{n1-64}",
    "fcvtzs/fcvtzu {w}, {d}, #{n1-32}",
    "scvtf/ucvtf {d}, {x}",
    "scvtf/ucvtf {s}, {w}",
    "scvtf/ucvtf {s}, {x}, #{n1-64}",
    "fcmgt/fcmeq/fcmlt/fcmge/fcmle {d}, {d}, #0.0",
    "fcmgt/fcmeq/fcmlt/fcmge/fcmle {s}, {s}, #0.0",
    // Vectors.
    "add/sub/cmeq/cmgt/cmge/cmhi/cmhs/cmtst/sshl/ushl/sqadd/uqadd/sqsub/uqsub/sqshl/uqshl/srshl/urshl/sqrshl/uqrshl/addp {T8163264*3}",
    "mul/mla/mls/smax/smin/umax/umin/shadd/uhadd/srhadd/urhadd/shsub/uhsub/sabd/uabd/saba/uaba/smaxp/sminp/umaxp/uminp {T81632*3}",
    "sqdmulh/sqrdmulh/sqrdmlah/sqrdmlsh {T1632*3}",
    "and/bic/orr/orn/eor/bsl/bit/bif/pmul {T8*3}",
    "fadd/fsub/fmul/fdiv/fmla/fmls/fmax/fmin/fmaxnm/fminnm/faddp/fcmeq/fcmge/fcmgt/fabd/fmulx/facge/facgt {F*3}",
    "frecps/frsqrts/fmaxp/fminp/fmaxnmp/fminnmp {F*3}",
    "abs/neg/sqabs/sqneg/suqadd/usqadd {T8163264*2}",
    "clz/cls {T81632*2}",
    "cnt/not/mvn/rbit/rev16/rev32/rev64/mov {T8*2}",
    "cmeq/cmge/cmgt/cmle/cmlt {T8163264*2}, #0",
    "saddlp/uaddlp/sadalp/uadalp {PAIR}",
    "fabs/fneg/fsqrt/frintn/frintm/frintp/frintz/frinta/frintx/frinti/scvtf/ucvtf/fcvtzs/fcvtzu {F*2}",
    "fcvtns/fcvtms/fcvtas/fcvtps/fcvtnu/fcvtmu/fcvtau/fcvtpu/frecpe/frsqrte {F*2}",
    "urecpe/ursqrte {v}.4s, {v}.4s",
    "fcmeq/fcmge/fcmgt/fcmle/fcmlt {F*2}, #0.0",
    "saddl/uaddl/ssubl/usubl/smull/umull/smlal/umlal/smlsl/umlsl/sabdl/uabdl/sabal/uabal {LONG}",
    "sqdmlal/sqdmlsl/sqdmull {LONG16}",
    "saddw/uaddw/ssubw/usubw {WIDE}",
    "xtn/sqxtn/uqxtn/sqxtun {NARROW2}",
    "addhn/raddhn/subhn/rsubhn {NARROW3}",
    "fcvtl {v}.2d, {v}.2s",
    "fcvtl2 {v}.4s, {v}.8h",
    "fcvtn {v}.4h, {v}.4s",
    "fcvtn2 {v}.4s, {v}.2d",
    "sxtl/uxtl {v}.8h, {v}.8b",
    "sxtl2/uxtl2 {v}.2d, {v}.4s",
    "shll {v}.8h, {v}.8b, #8",
    "shll2 {v}.2d, {v}.4s, #32",
    "addv/smaxv/sminv/umaxv/uminv {b}, {v}.16b",
    "addv/smaxv/sminv/umaxv/uminv {s}, {v}.4s",
    "saddlv/uaddlv {h}, {v}.8b",
    "saddlv/uaddlv {d}, {v}.4s",
    "fmaxv/fminv/fmaxnmv/fminnmv {s}, {v}.4s",
    "uzp1/trn1/zip1/uzp2/trn2/zip2 {T8163264*3}",
    "dup {v}.16b, {v}.b[{n0-15}]",
    "dup {v}.4h, {v}.h[{n0-7}]",
    "dup {v}.2d, {x}",
    "dup {v}.4s, {w}",
    "mov/dup {s}, {v}.s[{n0-3}]",
    "mov/dup {b}, {v}.b[{n0-15}]",
    "mov/ins {v}.b[{n0-15}], {w}",
    "mov/ins {v}.d[1], {x}",
    "mov/ins {v}.h[{n0-7}], {v}.h[{n0-7}]",
    "mov/ins {v}.d[{n0-1}], {v}.d[{n0-1}]",
    "umov {w}, {v}.b[{n0-15}]",
    "umov/mov {w}, {v}.s[{n0-3}]",
    "umov/mov {x}, {v}.d[{n0-1}]",
    "smov {w}, {v}.h[{n0-7}]",
    "smov {x}, {v}.s[{n0-3}]",
    "ext {v}.16b, {v}.16b, {v}.16b, #{n0-15}",
    "ext {v}.8b, {v}.8b, {v}.8b, #{n0-7}",
    "tbl/tbx {v}.16b, {{v1.16b}}, {v}.16b",
    "tbl/tbx {v}.8b, {{v30.16b, v31.16b, v0.16b}}, {v}.8b",
    "tbl/tbx {v}.8b, {{v4.16b-v7.16b}}, {v}.8b",
    "movi {v}.16b, #{n0-255}",
    "movi {v}.8b, {n0-255}",
    "movi/mvni/orr/bic {v}.4s, #{n0-255}",
    "movi/mvni/orr/bic {v}.2s, #{n0-255}, lsl #24",
    "movi/mvni/orr/bic {v}.8h, #{n0-255}, lsl #8",
    "movi/mvni {v}.4s, #{n0-255}, msl #16",
    "movi/mvni {v}.2s, #{n0-255}, msl #8",
    "movi {v}.2d, #0xff00ff0000ffff00",
    "movi {d}, #0xffffffff00000000",
    "movi {v}.2d, #0",
    "fmov {v}.4s, #{imm}",
    "fmov {v}.2s, #{imm}",
    "fmov {v}.2d, #{imm}",
    "shl/sli {v}.4s, {v}.4s, #{n0-31}",
    "sshr/ushr/ssra/usra/sri/srshr/urshr/srsra/ursra {v}.16b, {v}.16b, #{n1-8}",
    "sshr/ushr/ssra/usra/sri/srshr/urshr/srsra/ursra {v}.2d, {v}.2d, #{n1-64}",
    "sqshl/uqshl/sqshlu {v}.4h, {v}.4h, #{n0-15}",
    "sshll/ushll {v}.4s, {v}.4h, #{n0-15}",
    "sshll2/ushll2 {v}.8h, {v}.16b, #{n0-7}",
    "shrn/rshrn/sqshrn/uqshrn/sqshrun/sqrshrn/uqrshrn/sqrshrun {v}.8b, {v}.8h, #{n1-8}",
    "shrn2/rshrn2/sqshrn2/uqshrn2/sqshrun2/sqrshrn2/uqrshrn2/sqrshrun2 {v}.4s, {v}.2d, #{n1-32}",
    "scvtf/ucvtf/fcvtzs/fcvtzu {v}.4s, {v}.4s, #{n1-32}",
    "scvtf/ucvtf/fcvtzs/fcvtzu {v}.2d, {v}.2d, #{n1-64}",
    "sshr/ushr/ssra/usra/srshr/urshr/srsra/ursra/sri {d}, {d}, #{n1-64}",
    "shl/sli {d}, {d}, #{n0-63}",
    "add/sub/cmeq/cmgt/cmge/cmhi/cmhs/cmtst/sshl/ushl/srshl/urshl {d}, {d}, {d}",
    "sqadd/uqadd/sqsub/uqsub/sqshl/uqshl/sqrshl/uqrshl {b}, {b}, {b}",
    "sqadd/uqadd/sqdmulh/sqrdmulh {h}, {h}, {h}",
    "sqadd/uqadd/sqdmulh/sqrdmulh {s}, {s}, {s}",
    "abs/neg/sqabs/sqneg/suqadd {d}, {d}",
    "cmgt/cmge/cmeq/cmle/cmlt {d}, {d}, #0",
    "sqxtn/uqxtn/sqxtun {h}, {s}",
    "addp {d}, {v}.2d",
    "faddp/fmaxp/fminp/fmaxnmp/fminnmp {s}, {v}.2s",
    "faddp/fmaxp/fminp/fmaxnmp/fminnmp {d}, {v}.2d",
    "mla/mls/mul/sqdmulh/sqrdmulh/sqrdmlah/sqrdmlsh {v}.8h, {v}.8h, v{n0-15}.h[{n0-7}]",
    "mla/mls/mul/sqdmulh/sqrdmulh/sqrdmlah/sqrdmlsh {v}.2s, {v}.2s, {v}.s[{n0-3}]",
    "smlal/umlal/smlsl/umlsl/smull/umull/sqdmlal/sqdmlsl/sqdmull {v}.4s, {v}.4h, v{n0-15}.h[{n0-7}]",
    "smlal2/umlal2/smlsl2/umlsl2/smull2/umull2/sqdmlal2/sqdmlsl2/sqdmull2 {v}.2d, {v}.4s, {v}.s[{n0-3}]",
    "fmla/fmls/fmul/fmulx {v}.4s, {v}.4s, {v}.s[{n0-3}]",
    "fmla/fmls/fmul/fmulx {v}.2d, {v}.2d, {v}.d[{n0-1}]",
    "fmla/fmls/fmul/fmulx {s}, {s}, {v}.s[{n0-3}]",
    "fmla/fmls/fmul/fmulx {d}, {d}, {v}.d[{n0-1}]",
    "aese/aesd/aesmc/aesimc {v}.16b, {v}.16b",
    "pmull {v}.8h, {v}.8b, {v}.8b",
    "pmull2 {v}.8h, {v}.16b, {v}.16b",
    "pmull {v}.1q, {v}.1d, {v}.1d",
    "pmull2 {v}.1q, {v}.2d, {v}.2d",
    "sha1h {s}, {s}",
    "sha1su1/sha256su0 {v}.4s, {v}.4s",
    "sha1c/sha1p/sha1m {q}, {s}, {v}.4s",
    "sha256h/sha256h2 {q}, {q}, {v}.4s",
    "sha1su0/sha256su1 {v}.4s, {v}.4s, {v}.4s",
    "eor3/bcax {v}.16b, {v}.16b, {v}.16b, {v}.16b",
    "sdot/udot {v}.4s, {v}.16b, {v}.16b",
    "sdot/udot {v}.2s, {v}.8b, {v}.8b",
    "usdot {v}.4s, {v}.16b, {v}.16b",
    "usdot {v}.2s, {v}.8b, {v}.8b",
    "smmla/ummla/usmmla {v}.4s, {v}.16b, {v}.16b",
    "sha512h/sha512h2 {q}, {q}, {v}.2d",
    "sha512su0 {v}.2d, {v}.2d",
    "sha512su1/rax1 {v}.2d, {v}.2d, {v}.2d",
    "xar {v}.2d, {v}.2d, {v}.2d, #{n0-63}",
    "sm3partw1/sm3partw2/sm4ekey {v}.4s, {v}.4s, {v}.4s",
    "sm3ss1 {v}.4s, {v}.4s, {v}.4s, {v}.4s",
    "sm3tt1a/sm3tt1b/sm3tt2a/sm3tt2b {v}.4s, {v}.4s, {v}.s[{n0-3}]",
    "sm4e {v}.4s, {v}.4s",
    "fcadd {F*3}, #90",
    "fcadd {F*3}, #270",
    "fcmla {F*3}, #0",
    "fcmla {F*3}, #90",
    "fcmla {F*3}, #180",
    "fcmla {F*3}, #270",
    "frint32z/frint32x/frint64z/frint64x {F*2}",
    "frint32z/frint32x/frint64z/frint64x {s}, {s}",
    "frint32z/frint32x/frint64z/frint64x {d}, {d}",
    "fcvtxn {s}, {d}",
    "fcvtxn {v}.2s, {v}.2d",
    "fcvtxn2 {v}.4s, {v}.2d",
    "fjcvtzs {w}, {d}",
    "scvtf/ucvtf/fcvtzs/fcvtzu {s}, {s}, #{n1-32}",
    "scvtf/ucvtf/fcvtzs/fcvtzu {d}, {d}, #{n1-64}",
    // Structures.
    "ld1/st1 {{v0.16b}}, [{base}]",
    "ld1/st1 {{v0.4s, v1.4s}}, [{base}], #32",
    "ld1/st1 {{v3.8h-v5.8h}}, [{base}], {xn}",
    "ld1/st1 {{v30.1d, v31.1d, v0.1d, v1.1d}}, [{base}], #32",
    "ld2/st2 {{v0.8b, v1.8b}}, [{base}], #16",
    "ld3/st3 {{v0.2d, v1.2d, v2.2d}}, [{base}]",
    "ld4/st4 {{v0.4h - v3.4h}}, [{base}], {xn}",
    "ld1/st1 {{v5.b}}[{n0-15}], [{base}]",
    "ld1/st1 {{v5.h}}[{n0-7}], [{base}], #2",
    "ld1/st1 {{v5.s}}[{n0-3}], [{base}], {xn}",
    "ld1/st1 {{v5.d}}[{n0-1}], [{base}], #8",
    "ld2/st2 {{v5.h, v6.h}}[{n0-7}], [{base}]",
    "ld3/st3 {{v5.s, v6.s, v7.s}}[{n0-3}], [{base}], #12",
    "ld4/st4 {{v5.d-v8.d}}[{n0-1}], [{base}]",
    "ld1r {{v9.8b}}, [{base}], #1",
    "ld2r {{v9.4h, v10.4h}}, [{base}]",
    "ld3r {{v9.4s, v10.4s, v11.4s}}, [{base}], {xn}",
    "ld4r {{v9.2d-v12.2d}}, [{base}], #32",
];

/// Those of `llvm-mc` alone.
const OF_LLVM: &[&str] = &[
    "orn/eon/bics {x}, {x}, #{L64}",
    "orn/eon/bics {w}, {w}, #{L32}",
    "cmle/cmlt/cmlo/cmls {T8163264*3}",
    "fcmle/fcmlt {F*3}",
    "mov {T8163264*2}",
];

const READABLE: &[&str] = &[
    "tpidr_el0",
    "TPIDRRO_EL0",
    "fpcr",
    "fpsr",
    "nzcv",
    "daif",
    "cntvct_el0",
    "cntfrq_el0",
    "cntpct_el0",
    "ctr_el0",
    "dczid_el0",
    "midr_el1",
    "mpidr_el1",
    "id_aa64isar0_el1",
    "id_aa64pfr0_el1",
    "pmccntr_el0",
    "pmuserenr_el0",
    "currentel",
    "sp_el0",
    "elr_el1",
    "spsr_el1",
    "esr_el1",
    "far_el1",
    "vbar_el1",
    "sctlr_el1",
    "cpacr_el1",
    "clidr_el1",
    "ccsidr_el1",
    "csselr_el1",
    "ttbr0_el1",
    "tcr_el1",
    "mair_el1",
    "par_el1",
    "contextidr_el1",
    "cntv_ctl_el0",
    "cntv_cval_el0",
    "cntp_tval_el0",
    "pmcr_el0",
    "pmselr_el0",
    "pmxevcntr_el0",
    "tpidr_el1",
    "id_aa64mmfr0_el1",
    "id_aa64dfr0_el1",
    "revidr_el1",
    "pmccfiltr_el0",
    "pmcntenset_el0",
    "pmovsclr_el0",
];

const WRITABLE: &[&str] =
    &["tpidr_el0", "fpcr", "fpsr", "NZCV", "daif", "cntv_cval_el0", "pmcr_el0", "sp_el0", "spsel"];

const CONDITIONS: [&str; 16] =
    ["eq", "ne", "cs", "cc", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"];

/// Operands at random.
struct Operands(Random);

impl Operands {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit)
    }

    fn one_of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len() as u32) as usize]
    }

    fn general(&mut self, letter: &str) -> String {
        match self.below(16) {
            0 => format!("{letter}zr"),
            _ => format!("{letter}{}", self.below(31)),
        }
    }

    fn shifted(&mut self, letter: &str, shifts: &[&str]) -> String {
        let (register, bits) = (self.general(letter), if letter == "x" { 64 } else { 32 });
        match self.below(3) {
            0 => register,
            _ => format!("{register}, {} #{}", self.one_of(shifts), self.below(bits)),
        }
    }

    /// The last operand of an addition.
    fn source(&mut self, letter: &str) -> String {
        match self.below(5) {
            0 => format!("#{}", self.below(4096)),
            1 => format!("#{}, lsl #12", 1 + self.below(4095)),
            2 if letter == "x" => format!(
                "w{}, {} #{}",
                self.below(31),
                self.one_of(&["uxtb", "sxth", "uxtw", "sxtw"]),
                self.below(5)
            ),
            2 => format!("w{}, {}", self.below(31), self.one_of(&["uxtb", "sxth"])),
            _ => self.shifted(letter, &["lsl", "lsr", "asr"]),
        }
    }

    fn logic(&mut self, bits: u32) -> String {
        let size = 2_u32 << self.below(bits.ilog2());
        let ones = 1 + self.below(size - 1);
        let mut value = u64::MAX >> (64 - ones);
        let mut filled = size;
        while filled < 64 {
            value |= value << filled;
            filled *= 2;
        }
        let value = value.rotate_right(self.below(size));
        if bits == 32 { format!("{:#x}", value as u32) } else { format!("{value:#x}") }
    }

    fn base(&mut self) -> String {
        match self.below(6) {
            0 => String::from("sp"),
            _ => format!("x{}", 20 + self.below(9)),
        }
    }

    /// Memory of this many bytes, as a logarithm.
    fn memory(&mut self, size: u32, is_indexed: bool) -> String {
        let (base, number) = (self.base(), self.below(512) as i32 - 256);
        let shift = if size == 0 { String::new() } else { format!(", lsl #{size}") };
        match self.below(if is_indexed { 9 } else { 7 }) {
            0 => format!("[{base}]"),
            1 => format!("[{base}, #{}]", self.below(4096) << size),
            2 => format!("[{base}, #{}]", if is_indexed { number } else { number.abs() & -8 }),
            3 => format!("[{base}, x{}]", self.below(31)),
            4 => format!("[{base}, x{}{shift}]", self.below(31)),
            5 => format!("[{base}, w{}, {}]", self.below(31), self.one_of(&["uxtw", "sxtw"])),
            6 if size > 0 => {
                format!("[{base}, w{}, {} #{size}]", self.below(31), self.one_of(&["uxtw", "sxtw"]))
            }
            6 => format!("[{base}, x{}, sxtx]", self.below(31)),
            7 => format!("[{base}, #{number}]!"),
            _ => format!("[{base}], #{number}"),
        }
    }

    fn pair(&mut self, size: u32) -> String {
        let (base, number) = (self.base(), (self.below(128) as i32 - 64) << size);
        match self.below(4) {
            0 => format!("[{base}]"),
            1 => format!("[{base}, #{number}]"),
            2 => format!("[{base}, #{number}]!"),
            _ => format!("[{base}], #{number}"),
        }
    }

    fn vectors(&mut self, shapes: &[&str]) -> String {
        shapes.iter().map(|shape| format!("v{}.{shape}", self.below(32))).collect::<Vec<_>>().join(", ")
    }

    /// Vectors of one of these shapes.
    fn same(&mut self, shapes: &[&str], count: usize) -> String {
        let shape = self.one_of(shapes);
        self.vectors(&vec![shape; count])
    }

    fn of(&mut self, kind: &str) -> String {
        if let Some((least, most)) = kind.strip_prefix('n').and_then(|range| range.split_once('-')) {
            let [least, most]: [u32; 2] = [least, most].map(|text| text.parse().unwrap());
            return (least + self.below(most - least + 1)).to_string();
        }
        if let Some((kind, count)) = kind.split_once('*') {
            let shapes: &[&str] = match kind {
                "T8163264" => &["8b", "16b", "4h", "8h", "2s", "4s", "2d"],
                "T81632" => &["8b", "16b", "4h", "8h", "2s", "4s"],
                "T1632" => &["4h", "8h", "2s", "4s"],
                "T8" => &["8b", "16b"],
                "F" => &["2s", "4s", "2d"],
                _ => panic!("{kind}"),
            };
            return self.same(shapes, count.parse().unwrap());
        }
        match kind {
            "c" => self.one_of(&CONDITIONS).into(),
            "x" | "w" => format!("{kind}{}", self.below(31)),
            "xl" | "wl" => format!("{}{}", &kind[..1], self.below(20)),
            "xz" => self.general("x"),
            "wz" => self.general("w"),
            "xn" => format!("x{}", self.below(31)),
            "xa" => format!("x{}", 1 + self.below(9)),
            "wa" => format!("w{}", 1 + self.below(9)),
            "base" | "ba" => self.base(),
            "b" | "h" | "s" | "d" | "q" | "v" => format!("{kind}{}", self.below(32)),
            "X" => self.source("x"),
            "W" => self.source("w"),
            "XS" => self.shifted("x", &["lsl", "lsr", "asr"]),
            "XR" => self.shifted("x", &["lsl", "lsr", "asr", "ror"]),
            "WR" => self.shifted("w", &["lsl", "lsr", "asr", "ror"]),
            "L64" => self.logic(64),
            "L32" => self.logic(32),
            "i9" => (self.below(512) as i32 - 256).to_string(),
            "imm" => self.one_of(&["1.0", "-0.5", "31.0", "0.1328125", "-2.25e0"]).into(),
            "sysread" => self.one_of(READABLE).into(),
            "syswrite" => self.one_of(WRITABLE).into(),
            "m0" | "m1" | "m2" | "m3" | "m4" => self.memory(kind[1..].parse().unwrap(), true),
            "o3" => self.memory(3, false),
            "p2" | "p3" | "p4" => self.pair(kind[1..].parse().unwrap()),
            "LONG" => match self.below(3) {
                0 => self.vectors(&["8h", "8b", "8b"]),
                1 => self.vectors(&["4s", "4h", "4h"]),
                _ => self.vectors(&["2d", "2s", "2s"]),
            },
            "LONG16" => match self.below(2) {
                0 => self.vectors(&["4s", "4h", "4h"]),
                _ => self.vectors(&["2d", "2s", "2s"]),
            },
            "WIDE" => match self.below(2) {
                0 => self.vectors(&["8h", "8h", "8b"]),
                _ => self.vectors(&["2d", "2d", "2s"]),
            },
            "NARROW2" => match self.below(2) {
                0 => self.vectors(&["8b", "8h"]),
                _ => self.vectors(&["2s", "2d"]),
            },
            "NARROW3" => match self.below(2) {
                0 => self.vectors(&["4h", "4s", "4s"]),
                _ => self.vectors(&["8b", "8h", "8h"]),
            },
            "PAIR" => match self.below(4) {
                0 => self.vectors(&["4h", "8b"]),
                1 => self.vectors(&["8h", "16b"]),
                2 => self.vectors(&["4s", "8h"]),
                _ => self.vectors(&["1d", "2s"]),
            },
            // A list of registers that stands there.
            other => format!("{{{other}}}"),
        }
    }

    /// A statement of a template, with the mnemonic of this number.
    fn statement(&mut self, template: &str, number: usize) -> String {
        let (mnemonics, rest) = template.split_once(' ').unwrap_or((template, ""));
        let names: Vec<&str> = mnemonics.split('/').collect();
        let names_of_rest: Vec<&str> =
            rest.split_once(',').map_or(vec![rest], |(first, _)| first.split('/').collect());
        let mut rest = rest.to_string();
        if names_of_rest.len() > 1 && names.len() == 1 {
            rest = rest.replacen(&names_of_rest.join("/"), names_of_rest[number % names_of_rest.len()], 1);
        }
        let template = format!("{} {rest}", names[number % names.len()]);
        let mut out = String::new();
        let mut left = &*template;
        while let Some(start) = left.find('{') {
            out += &left[..start];
            left = &left[start + 1..];
            if let Some(inner) = left.strip_prefix('{') {
                let end = inner.find("}}").unwrap();
                out += &format!("{{{}}}", &inner[..end]);
                left = &inner[end + 2..];
                continue;
            }
            let end = left.find('}').unwrap();
            out += &self.of(&left[..end]);
            left = &left[end + 1..];
        }
        (out + left).trim_end().to_string()
    }
}

const ASSEMBLERS: WordAssemblers = WordAssemblers {
    machine: "aarch64-text",
    head: ".arch armv8.5-a+crypto+sha3+rcpc+dotprod+predres+sb+profile+sm4+i8mm\n",
    tools: &[
        (
            "llvm-mc-19",
            &[
                "-filetype=obj",
                "-triple=aarch64-linux-gnu",
                "-mattr=+v8.5a,+crypto,+sha3,+sm4,+i8mm,+lor,+spe,+tracev8.4,+ras",
            ],
        ),
        ("aarch64-linux-gnu-as", &[]),
    ],
    kept_bits: |_| u32::MAX,
};

fn words(code: &[u8]) -> Vec<u32> {
    code.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// The code of a text without references.
fn ours(text: &str) -> Result<Vec<u32>, String> {
    let assembled = assemble(text, TextPlace::Function).map_err(|error| error.to_string())?;
    assert!(assembled.sections[0].relocs.is_empty(), "{text}");
    Ok(words(&assembled.sections[0].bytes))
}

#[test]
fn statements_are_the_words_of_other_assemblers() {
    let mut operands = Operands(Random::keyed(7, 0, 0));
    let mut statements = |templates: &[&str]| -> Vec<String> {
        let each = templates.iter().flat_map(|template| (0..24).map(move |n| (*template, n)));
        each.map(|(template, n)| operands.statement(template, n)).collect()
    };
    let (common, of_llvm) = (statements(TEMPLATES), statements(OF_LLVM));
    for (tool, args) in ASSEMBLERS.tools {
        let others = if tool.starts_with("llvm") { &of_llvm[..] } else { &[] };
        let statements: Vec<&str> = common.iter().chain(others).map(String::as_str).collect();
        let source = statements.join("\n") + "\n";
        let Some(theirs) = ASSEMBLERS.assemble("statements", tool, args, &source) else { continue };
        let theirs = words(&theirs);
        assert_eq!(theirs.len(), statements.len(), "{tool}");
        let differ: Vec<String> = statements
            .iter()
            .zip(theirs)
            .filter_map(|(statement, theirs)| match ours(statement) {
                Ok(ours) if ours == [theirs] => None,
                Ok(ours) => Some(format!("{statement}: {ours:08x?}, not {theirs:08x}")),
                Err(error) => Some(format!("{statement}: {error}, not {theirs:08x}")),
            })
            .collect();
        let first = differ[..differ.len().min(60)].join("\n");
        assert!(differ.is_empty(), "{tool}: {} differ\n{first}", differ.len());
    }
}

/// Texts with labels, data and directives.
const TEXTS: &[&str] = &[
    "1: ldxr w0, [x1]\n add w0, w0, w2\n stxr w3, w0, [x1]\n cbnz w3, 1b\n",
    " b 2f\n 1: .word 1, 0x12345678, -1, 2f - 1b\n 2: ldr x0, 1b\n ldrsw x1, 1b+4\n ldr q3, 1b\n adr x4, 1b + 2\n",
    "loop: subs x0, x0, #1\n b.ne loop\n beq 3f\n tbz x1, #63, 3f\n tbnz w1, #3, loop\n nop\n 3:\n",
    ".byte 1, 2\n .balign 4\n mov x0, x1 // a comment; nop\n# another\n .hword 5, 6\n .p2align 2\n nop\n .xword 7\n",
    ".arch_extension lse\n ldadd w0, w1, [x2]; casal x3, x4, [sp]\n /* nop */ .inst 0xd503201f, 0xd65f03c0\n",
    "ldr x0, =1\n ldr w1, =0xffff0000\n ldr x2, =0x12340000\n",
    "str lr, [sp, #-16]!\n ldr x29, [sp], 16\n ldp fp, lr, [sp, 4 * 4]\n add x9, x10, #(1 << 4)\n",
    "MOV X0, X1\n ADDS w0, W2, #4\n LDR x1, [X2, X3, LSL #3]\n FMLA V0.4S, v1.4s, V2.S[1]\n B.EQ .+8\n MRS x0, TPIDR_EL0\n",
    ".set four, 4\n mov x0, #four\n add x1, x2, four\n ldr x3, [x4, #four * 2]\n lsl x5, x6, #four\n tbz x7, #four, 1f\n 1:\n",
    "1: nop\n nop\n 2: mov x0, #(2b - 1b)\n b . - 4\n",
];

#[test]
fn texts_are_the_words_of_other_assemblers() {
    for (n, text) in TEXTS.iter().enumerate() {
        let ours = ours(text).unwrap();
        for (tool, args) in ASSEMBLERS.tools {
            // The pool of the GNU assembler is behind the code.
            if text.contains('=') && tool.contains("linux") {
                continue;
            }
            let Some(theirs) = ASSEMBLERS.assemble(&format!("text{n}"), tool, args, text) else { continue };
            assert_eq!(ours, words(&theirs), "{tool}: {text}");
        }
    }
}

/// Calls and branches to labels, which other assemblers may leave to the linker; numbers of any size.
#[test]
fn calls_lead_to_labels() {
    assert_eq!(
        ours("1: bl 1f; b 1b; nop; 1: bl 1b"),
        Ok(vec![0x9400_0003, 0x17ff_ffff, 0xd503_201f, 0x9400_0000])
    );
    assert_eq!(ours("ldr x0, =0x56781234"), ours("movz x0, #0x1234; movk x0, #0x5678, lsl #16"));
    assert_eq!(ours("mov v1.4s, v2.4s").unwrap(), ours("mov v1.16b, v2.16b").unwrap());
}

#[test]
fn symbols_are_left_to_the_linker() {
    let text = "bl f; b f+4; b.eq f; cbz x0, f; tbz x0, #1, f; adr x0, v; ldr x0, v; adrp x0, v+8; add x0, x0, :lo12:v+8
        ldrb w0, [x1, :lo12:v]; ldrh w0, [x1, #:lo12:v]; ldr w0, [x1, :lo12:v]; str d0, [x1, :lo12:v]; ldr q0, [x1, :lo12:v]
        adrp x0, :got:v; ldr x0, [x0, :got_lo12:v]; adrp x1, :gottprel:t; ldr x1, [x1, :gottprel_lo12:t]
        add x0, x1, :tprel_hi12:t, lsl #12; add x0, x0, #:tprel_lo12_nc:t; adrp x0, :tlsdesc:t; ldr x1, [x0, :tlsdesc_lo12:t]
        add x0, x0, :tlsdesc_lo12:t; 1: .xword f - 8; .word 1b - .; .word v - .";
    let assembled = assemble(text, TextPlace::Module).unwrap();
    let name = |target: &AssembledTarget| match target {
        AssembledTarget::Name(name) => name.clone(),
        AssembledTarget::Section(number) => number.to_string(),
    };
    let relocs = assembled.sections[0].relocs.iter();
    let relocs: Vec<_> =
        relocs.map(|reloc| (reloc.offset / 4, reloc.kind, name(&reloc.target), reloc.addend)).collect();
    use RelocKind::*;
    let expected = [
        (Aarch64Call26, "f", 0),
        (Aarch64Jump26, "f", 4),
        (Aarch64Branch19, "f", 0),
        (Aarch64Branch19, "f", 0),
        (Aarch64Branch14, "f", 0),
        (Aarch64Address21, "v", 0),
        (Aarch64Load19, "v", 0),
        (Aarch64Page21, "v", 8),
        (Aarch64AddLo12, "v", 8),
        (Aarch64Load8Lo12, "v", 0),
        (Aarch64Load16Lo12, "v", 0),
        (Aarch64Load32Lo12, "v", 0),
        (Aarch64Load64Lo12, "v", 0),
        (Aarch64Load128Lo12, "v", 0),
        (Aarch64GotPage21, "v", 0),
        (Aarch64GotLo12, "v", 0),
        (Aarch64TlsIePage21, "t", 0),
        (Aarch64TlsIeLo12, "t", 0),
        (Aarch64TlsLeHi12, "t", 0),
        (Aarch64TlsLeLo12, "t", 0),
        (Aarch64TlsDescPage21, "t", 0),
        (Aarch64TlsDescLoadLo12, "t", 0),
        (Aarch64TlsDescAddLo12, "t", 0),
        (Abs64, "f", -8),
    ];
    let mut expected: Vec<_> =
        (0..).zip(expected).map(|(n, (kind, name, addend))| (n, kind, name.to_string(), addend)).collect();
    expected.push((26, PcRel32, "v".to_string(), 0));
    assert_eq!(relocs, expected);
    let far = assemble("adrp x0, 1f; b 1f; .data; 1: .word 1", TextPlace::Module).unwrap();
    assert_eq!(far.sections[0].relocs.len(), 2);
    assert_eq!(far.sections[0].relocs[1].target, AssembledTarget::Section(1));
}

#[test]
fn what_cannot_be_assembled_is_refused_with_its_statement() {
    use AssemblyErrorKind::{Alignment, Directive, Distance, Instruction, Label, Operand, Operands};
    for (text, statement, kind) in [
        ("nop; frobnicate x0", "frobnicate x0", Instruction),
        ("add x0, x1, x2, x3", "add x0, x1, x2, x3", Operands),
        ("add x0, x1, w2", "add x0, x1, w2", Operands),
        ("add x0, w1, x2", "add x0, w1, x2", Operands),
        ("add x0, x1, #4097", "add x0, x1, #4097", Operands),
        ("add x0, x1, x2, lsl #64", "add x0, x1, x2, lsl #64", Operands),
        ("add x0, x1, x2, ror #1", "add x0, x1, x2, ror #1", Operands),
        ("add x0, xzr, #1", "add x0, xzr, #1", Operands),
        ("and x0, x1, #5", "and x0, x1, #5", Operands),
        ("mov x0, #0x12345678", "mov x0, #0x12345678", Operands),
        ("mov w0, #0x100000000", "mov w0, #0x100000000", Operands),
        ("mov w0, x1", "mov w0, x1", Operands),
        ("movk x0, #1, lsl #8", "movk x0, #1, lsl #8", Operands),
        ("lsl w0, w1, #32", "lsl w0, w1, #32", Operands),
        ("bfi x0, x1, #60, #5", "bfi x0, x1, #60, #5", Operands),
        ("ubfx w0, w1, #0, #0", "ubfx w0, w1, #0, #0", Operands),
        ("cset x0, al", "cset x0, al", Operands),
        ("csel x0, x1, x2, zz", "csel x0, x1, x2, zz", Operands),
        ("ccmp x0, #32, #0, eq", "ccmp x0, #32, #0, eq", Operands),
        ("ldr x0, [x1, #32768]", "ldr x0, [x1, #32768]", Operands),
        ("ldr x0, [x1, x2, lsl #2]", "ldr x0, [x1, x2, lsl #2]", Operands),
        ("ldr x0, [x1], #256", "ldr x0, [x1], #256", Operands),
        ("ldp x0, x1, [x2, #4]", "ldp x0, x1, [x2, #4]", Operands),
        ("ldrb x0, [x1]", "ldrb x0, [x1]", Operands),
        ("stxr w0, w0, [x1]", "stxr w0, w0, [x1]", Operands),
        ("casp x1, x2, x4, x5, [x6]", "casp x1, x2, x4, x5, [x6]", Operands),
        ("ldaddab x0, x1, [x2]", "ldaddab x0, x1, [x2]", Operands),
        ("tbz w0, #32, 1f; 1:", "tbz w0, #32, 1f", Operands),
        ("fadd s0, s1, d2", "fadd s0, s1, d2", Operands),
        ("fmov d0, #0.1", "fmov d0, #0.1", Operands),
        ("fadd v0.4s, v1.4s, v2.2s", "fadd v0.4s, v1.4s, v2.2s", Operands),
        ("fmla v0.4s, v1.4s, v2.s[4]", "fmla v0.4s, v1.4s, v2.s[4]", Operands),
        ("mul v0.8h, v1.8h, v16.h[0]", "mul v0.8h, v1.8h, v16.h[0]", Operands),
        ("movi v0.4s, #256", "movi v0.4s, #256", Operands),
        ("ld1 {v0.4s}, [x0], #8", "ld1 {v0.4s}, [x0], #8", Operands),
        ("ld2 {v0.4s}, [x0]", "ld2 {v0.4s}, [x0]", Operands),
        ("mrs x0, nobody_el0", "mrs x0, nobody_el0", Operands),
        ("dmb", "dmb", Operands),
        ("dc zva", "dc zva", Operands),
        ("b 1b; 1: nop", "b 1b", Label),
        ("nop; cbz x0, 1b; nop", "cbz x0, 1b", Label),
        (".byte 1; nop", "nop", Alignment),
        (".byte 1", ".byte 1", Alignment),
        ("b 1f + 2; 1:", "b 1f + 2", Alignment),
        (".thumb", ".thumb", Directive),
        (".macro m", ".macro m", Directive),
        ("ldr x0, [x1", "ldr x0, [x1", Operand),
        ("ldr x0, [x31]", "ldr x0, [x31]", Operand),
        ("ldr x0, [w1]", "ldr x0, [w1]", Operand),
        ("ldr x0, =f", "ldr x0, =f", Operand),
        ("ld1 {v0.4s, v2.4s}, [x0]", "ld1 {v0.4s, v2.4s}, [x0]", Operand),
        ("add x0, x1, x2, lsl #x", "add x0, x1, x2, lsl #x", Operand),
        (".inst f", ".inst f", Operand),
        ("addx x0, x1, x2", "addx x0, x1, x2", Instruction),
        ("beqq 1b", "beqq 1b", Instruction),
        ("fadd2 v0.4s, v1.4s, v2.4s", "fadd2 v0.4s, v1.4s, v2.4s", Instruction),
    ] {
        match assemble(text, TextPlace::Function) {
            Err(error) => {
                assert_eq!(error.kind, kind, "{text}");
                assert_eq!(error.statement, statement, "{text}");
            }
            Ok(code) => panic!("{text}: {code:x?}"),
        }
    }
    for branch in ["tbz x0, #0, 1f", "nop; cbz x0, 1f", "ldr x0, 1f"] {
        let nops = if branch.starts_with("tbz") { 8192 } else { 1 << 18 };
        let far = format!("{branch}\n{}1: nop", "nop\n".repeat(nops));
        let error = assemble(&far, TextPlace::Function).unwrap_err();
        assert_eq!((error.kind, error.statement.as_str()), (Distance, branch.trim_start_matches("nop; ")));
    }
}

/// Any text gives code or an error.
#[test]
fn random_texts_do_no_harm() {
    let mut random = Random::keyed(3, 0, 0);
    let mut operands = Operands(Random::keyed(4, 0, 0));
    for n in 0..40_000 {
        let template = TEMPLATES[random.below(TEMPLATES.len() as u32) as usize];
        let mut text: Vec<u8> = operands.statement(template, n).into_bytes();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len() as u32) as usize;
            match random.below(3) {
                0 => text[at] = b"#-[]{}!,.:=/ 019xwvsdqpz\xE9"[random.below(25) as usize],
                1 => text.truncate(at + 1),
                _ => text.insert(at, b"#-[]{}!,.:= 8"[random.below(13) as usize]),
            }
        }
        let _ = assemble(&String::from_utf8_lossy(&text), TextPlace::Module);
    }
}

//! Instructions of VFP and Advanced SIMD (DDI 0406C, A7 and A8.8): mnemonic, types, operands, encoding.

use super::encode::{Encoded, Row};
use super::operand::{ListLane, Operand};

const fn row(name: &'static str, types: &'static str, operands: &'static str, word: u32) -> Row {
    Row { name, sets_flags: false, types, operands, word }
}

/// Scalars (A7.5 to A7.8).
const VFP: &[Row] = &[
    row("vadd", "F", "Fd Fn Fm", 0x0e30_0a00),
    row("vsub", "F", "Fd Fn Fm", 0x0e30_0a40),
    row("vmul", "F", "Fd Fn Fm", 0x0e20_0a00),
    row("vnmul", "F", "Fd Fn Fm", 0x0e20_0a40),
    row("vdiv", "F", "Fd Fn Fm", 0x0e80_0a00),
    row("vmla", "F", "Fd Fn Fm", 0x0e00_0a00),
    row("vmls", "F", "Fd Fn Fm", 0x0e00_0a40),
    row("vnmla", "F", "Fd Fn Fm", 0x0e10_0a40),
    row("vnmls", "F", "Fd Fn Fm", 0x0e10_0a00),
    row("vfma", "F", "Fd Fn Fm", 0x0ea0_0a00),
    row("vfms", "F", "Fd Fn Fm", 0x0ea0_0a40),
    row("vfnma", "F", "Fd Fn Fm", 0x0e90_0a40),
    row("vfnms", "F", "Fd Fn Fm", 0x0e90_0a00),
    row("vabs", "F", "Fd Fm", 0x0eb0_0ac0),
    row("vneg", "F", "Fd Fm", 0x0eb1_0a40),
    row("vsqrt", "F", "Fd Fm", 0x0eb1_0ac0),
    row("vcmp", "F", "Fd Fm", 0x0eb4_0a40),
    row("vcmpe", "F", "Fd Fm", 0x0eb4_0ac0),
    row("vcmp", "F", "Fd zero", 0x0eb5_0a40),
    row("vcmpe", "F", "Fd zero", 0x0eb5_0ac0),
    row("vmov", "F", "Fd Fm", 0x0eb0_0a40),
    row("vmov", "F", "Fd fimm", 0x0eb0_0a00),
    row("vcvt", "=f64.f32", "Dd Sm", 0x0eb7_0ac0),
    row("vcvt", "=f32.f64", "Sd Dm", 0x0eb7_0bc0),
    row("vcvt", "=f32.u32", "Sd Sm", 0x0eb8_0a40),
    row("vcvt", "=f32.s32", "Sd Sm", 0x0eb8_0ac0),
    row("vcvt", "=f64.u32", "Dd Sm", 0x0eb8_0b40),
    row("vcvt", "=f64.s32", "Dd Sm", 0x0eb8_0bc0),
    row("vcvt", "=u32.f32", "Sd Sm", 0x0ebc_0ac0),
    row("vcvt", "=s32.f32", "Sd Sm", 0x0ebd_0ac0),
    row("vcvt", "=u32.f64", "Sd Dm", 0x0ebc_0bc0),
    row("vcvt", "=s32.f64", "Sd Dm", 0x0ebd_0bc0),
    row("vcvtr", "=u32.f32", "Sd Sm", 0x0ebc_0a40),
    row("vcvtr", "=s32.f32", "Sd Sm", 0x0ebd_0a40),
    row("vcvtr", "=u32.f64", "Sd Dm", 0x0ebc_0b40),
    row("vcvtr", "=s32.f64", "Sd Dm", 0x0ebd_0b40),
    row("vcvtb", "=f32.f16", "Sd Sm", 0x0eb2_0a40),
    row("vcvtt", "=f32.f16", "Sd Sm", 0x0eb2_0ac0),
    row("vcvtb", "=f16.f32", "Sd Sm", 0x0eb3_0a40),
    row("vcvtt", "=f16.f32", "Sd Sm", 0x0eb3_0ac0),
    // Between registers of the core and of VFP.
    row("vmov", "any", "r12 Sn", 0x0e10_0a10),
    row("vmov", "any", "Sn r12", 0x0e00_0a10),
    row("vmov", "any", "r12 r16 Dm", 0x0c50_0b10),
    row("vmov", "any", "Dm r12 r16", 0x0c40_0b10),
    row("vmrs", "", "t12 vsys", 0x0ef0_0a10),
    row("vmsr", "", "vsys r12", 0x0ee0_0a10),
    // Memory.
    row("vldr", "any", "Sd addr5", 0x0d10_0a00),
    row("vldr", "any", "Dd addr5", 0x0d10_0b00),
    row("vstr", "any", "Sd addr5", 0x0d00_0a00),
    row("vstr", "any", "Dd addr5", 0x0d00_0b00),
    row("vldmia", "any", "w16 dlist", 0x0c90_0b00),
    row("vldmia", "any", "w16 slist", 0x0c90_0a00),
    row("vldm", "any", "w16 dlist", 0x0c90_0b00),
    row("vldm", "any", "w16 slist", 0x0c90_0a00),
    row("vldmdb", "any", "w16 dlist", 0x0d10_0b00),
    row("vldmdb", "any", "w16 slist", 0x0d10_0a00),
    row("vstmia", "any", "w16 dlist", 0x0c80_0b00),
    row("vstmia", "any", "w16 slist", 0x0c80_0a00),
    row("vstm", "any", "w16 dlist", 0x0c80_0b00),
    row("vstm", "any", "w16 slist", 0x0c80_0a00),
    row("vstmdb", "any", "w16 dlist", 0x0d00_0b00),
    row("vstmdb", "any", "w16 slist", 0x0d00_0a00),
    row("vpush", "any", "dlist", 0x0d2d_0b00),
    row("vpush", "any", "slist", 0x0d2d_0a00),
    row("vpop", "any", "dlist", 0x0cbd_0b00),
    row("vpop", "any", "slist", 0x0cbd_0a00),
];

/// Vectors (A7.4).
const NEON: &[Row] = &[
    row("vadd", "i8,16,32,64@20", "Vd Vn Vm", 0xf200_0800),
    row("vadd", "f32@", "Vd Vn Vm", 0xf200_0d00),
    row("vsub", "i8,16,32,64@20", "Vd Vn Vm", 0xf300_0800),
    row("vsub", "f32@", "Vd Vn Vm", 0xf220_0d00),
    row("vmul", "i8,16,32@20", "Vd Vn Vm", 0xf200_0910),
    row("vmul", "f32@", "Vd Vn Vm", 0xf300_0d10),
    row("vmul", "p8@20", "Vd Vn Vm", 0xf300_0910),
    row("vmul", "i16,32@20", "Qd Qn lane", 0xf380_0840),
    row("vmul", "i16,32@20", "Dd Dn lane", 0xf280_0840),
    row("vmul", "f32@20", "Qd Qn lane", 0xf380_0940),
    row("vmul", "f32@20", "Dd Dn lane", 0xf280_0940),
    row("vmla", "i8,16,32@20", "Vd Vn Vm", 0xf200_0900),
    row("vmla", "f32@", "Vd Vn Vm", 0xf200_0d10),
    row("vmla", "i16,32@20", "Qd Qn lane", 0xf380_0040),
    row("vmla", "i16,32@20", "Dd Dn lane", 0xf280_0040),
    row("vmla", "f32@20", "Qd Qn lane", 0xf380_0140),
    row("vmla", "f32@20", "Dd Dn lane", 0xf280_0140),
    row("vmls", "i8,16,32@20", "Vd Vn Vm", 0xf300_0900),
    row("vmls", "f32@", "Vd Vn Vm", 0xf220_0d10),
    row("vmls", "i16,32@20", "Qd Qn lane", 0xf380_0440),
    row("vmls", "i16,32@20", "Dd Dn lane", 0xf280_0440),
    row("vmls", "f32@20", "Qd Qn lane", 0xf380_0540),
    row("vmls", "f32@20", "Dd Dn lane", 0xf280_0540),
    row("vfma", "f32@", "Vd Vn Vm", 0xf200_0c10),
    row("vfms", "f32@", "Vd Vn Vm", 0xf220_0c10),
    row("vaddl", "su8,16,32@20", "Qd Dn Dm", 0xf280_0000),
    row("vaddw", "su8,16,32@20", "Qd Qn Dm", 0xf280_0100),
    row("vsubl", "su8,16,32@20", "Qd Dn Dm", 0xf280_0200),
    row("vsubw", "su8,16,32@20", "Qd Qn Dm", 0xf280_0300),
    row("vabal", "su8,16,32@20", "Qd Dn Dm", 0xf280_0500),
    row("vabdl", "su8,16,32@20", "Qd Dn Dm", 0xf280_0700),
    row("vmlal", "su8,16,32@20", "Qd Dn Dm", 0xf280_0800),
    row("vmlsl", "su8,16,32@20", "Qd Dn Dm", 0xf280_0a00),
    row("vmull", "su8,16,32@20", "Qd Dn Dm", 0xf280_0c00),
    row("vmull", "p8@20", "Qd Dn Dm", 0xf280_0e00),
    row("vmlal", "su16,32@20", "Qd Dn lane", 0xf280_0240),
    row("vmull", "su16,32@20", "Qd Dn lane", 0xf280_0a40),
    row("vmlsl", "su16,32@20", "Qd Dn lane", 0xf280_0640),
    row("vmull", "p64@", "Qd Dn Dm", 0xf2a0_0e00),
    row("vqdmull", "s16,32@20", "Qd Dn Dm", 0xf280_0d00),
    row("vqdmlal", "s16,32@20", "Qd Dn Dm", 0xf280_0900),
    row("vqdmlsl", "s16,32@20", "Qd Dn Dm", 0xf280_0b00),
    row("vqdmull", "s16,32@20", "Qd Dn lane", 0xf280_0b40),
    row("vqdmlal", "s16,32@20", "Qd Dn lane", 0xf280_0340),
    row("vqdmlsl", "s16,32@20", "Qd Dn lane", 0xf280_0740),
    row("vqdmulh", "s16,32@20", "Vd Vn Vm", 0xf200_0b00),
    row("vqrdmulh", "s16,32@20", "Vd Vn Vm", 0xf300_0b00),
    row("vqdmulh", "s16,32@20", "Qd Qn lane", 0xf380_0c40),
    row("vqdmulh", "s16,32@20", "Dd Dn lane", 0xf280_0c40),
    row("vqrdmulh", "s16,32@20", "Qd Qn lane", 0xf380_0d40),
    row("vqrdmulh", "s16,32@20", "Dd Dn lane", 0xf280_0d40),
    row("vaddhn", "i16,32,64@20-", "Dd Qn Qm", 0xf280_0400),
    row("vraddhn", "i16,32,64@20-", "Dd Qn Qm", 0xf380_0400),
    row("vsubhn", "i16,32,64@20-", "Dd Qn Qm", 0xf280_0600),
    row("vrsubhn", "i16,32,64@20-", "Dd Qn Qm", 0xf380_0600),
    row("vhadd", "su8,16,32@20", "Vd Vn Vm", 0xf200_0000),
    row("vqadd", "su8,16,32,64@20", "Vd Vn Vm", 0xf200_0010),
    row("vrhadd", "su8,16,32@20", "Vd Vn Vm", 0xf200_0100),
    row("vhsub", "su8,16,32@20", "Vd Vn Vm", 0xf200_0200),
    row("vqsub", "su8,16,32,64@20", "Vd Vn Vm", 0xf200_0210),
    row("vcgt", "su8,16,32@20", "Vd Vn Vm", 0xf200_0300),
    row("vcge", "su8,16,32@20", "Vd Vn Vm", 0xf200_0310),
    row("vcgt", "f32@", "Vd Vn Vm", 0xf320_0e00),
    row("vcge", "f32@", "Vd Vn Vm", 0xf300_0e00),
    row("vacgt", "f32@", "Vd Vn Vm", 0xf320_0e10),
    row("vacge", "f32@", "Vd Vn Vm", 0xf300_0e10),
    row("vceq", "i8,16,32@20", "Vd Vn Vm", 0xf300_0810),
    row("vceq", "f32@", "Vd Vn Vm", 0xf200_0e00),
    row("vtst", "x8,16,32@20", "Vd Vn Vm", 0xf200_0810),
    row("vmax", "su8,16,32@20", "Vd Vn Vm", 0xf200_0600),
    row("vmin", "su8,16,32@20", "Vd Vn Vm", 0xf200_0610),
    row("vmax", "f32@", "Vd Vn Vm", 0xf200_0f00),
    row("vmin", "f32@", "Vd Vn Vm", 0xf220_0f00),
    row("vabd", "su8,16,32@20", "Vd Vn Vm", 0xf200_0700),
    row("vabd", "f32@", "Vd Vn Vm", 0xf320_0d00),
    row("vaba", "su8,16,32@20", "Vd Vn Vm", 0xf200_0710),
    row("vpadd", "i8,16,32@20", "Dd Dn Dm", 0xf200_0b10),
    row("vpadd", "f32@", "Dd Dn Dm", 0xf300_0d00),
    row("vpmax", "su8,16,32@20", "Dd Dn Dm", 0xf200_0a00),
    row("vpmin", "su8,16,32@20", "Dd Dn Dm", 0xf200_0a10),
    row("vpmax", "f32@", "Dd Dn Dm", 0xf300_0f00),
    row("vpmin", "f32@", "Dd Dn Dm", 0xf320_0f00),
    row("vshl", "su8,16,32,64@20", "Vd Vm Vn", 0xf200_0400),
    row("vqshl", "su8,16,32,64@20", "Vd Vm Vn", 0xf200_0410),
    row("vrshl", "su8,16,32,64@20", "Vd Vm Vn", 0xf200_0500),
    row("vqrshl", "su8,16,32,64@20", "Vd Vm Vn", 0xf200_0510),
    row("vrecps", "f32@", "Vd Vn Vm", 0xf200_0f10),
    row("vrsqrts", "f32@", "Vd Vn Vm", 0xf220_0f10),
    row("vand", "any", "Vd Vn Vm", 0xf200_0110),
    row("vbic", "any", "Vd Vn Vm", 0xf210_0110),
    row("vorr", "any", "Vd Vn Vm", 0xf220_0110),
    row("vorn", "any", "Vd Vn Vm", 0xf230_0110),
    row("veor", "any", "Vd Vn Vm", 0xf300_0110),
    row("vbsl", "any", "Vd Vn Vm", 0xf310_0110),
    row("vbit", "any", "Vd Vn Vm", 0xf320_0110),
    row("vbif", "any", "Vd Vn Vm", 0xf330_0110),
    // Two registers (A7.4.5).
    row("vrev64", "x8,16,32@18", "Vd Vm", 0xf3b0_0000),
    row("vrev32", "x8,16@18", "Vd Vm", 0xf3b0_0080),
    row("vrev16", "x8@18", "Vd Vm", 0xf3b0_0100),
    row("vpaddl", "s8,16,32@18", "Vd Vm", 0xf3b0_0200),
    row("vpaddl", "u8,16,32@18", "Vd Vm", 0xf3b0_0280),
    row("vpadal", "s8,16,32@18", "Vd Vm", 0xf3b0_0600),
    row("vpadal", "u8,16,32@18", "Vd Vm", 0xf3b0_0680),
    row("vcls", "s8,16,32@18", "Vd Vm", 0xf3b0_0400),
    row("vclz", "i8,16,32@18", "Vd Vm", 0xf3b0_0480),
    row("vcnt", "x8@18", "Vd Vm", 0xf3b0_0500),
    row("vmvn", "any", "Vd Vm", 0xf3b0_0580),
    row("vabs", "s8,16,32@18", "Vd Vm", 0xf3b1_0300),
    row("vabs", "f32@18", "Vd Vm", 0xf3b1_0700),
    row("vneg", "s8,16,32@18", "Vd Vm", 0xf3b1_0380),
    row("vneg", "f32@18", "Vd Vm", 0xf3b1_0780),
    row("vqabs", "s8,16,32@18", "Vd Vm", 0xf3b0_0700),
    row("vqneg", "s8,16,32@18", "Vd Vm", 0xf3b0_0780),
    row("vcgt", "s8,16,32@18", "Vd Vm zero", 0xf3b1_0000),
    row("vcge", "s8,16,32@18", "Vd Vm zero", 0xf3b1_0080),
    row("vceq", "i8,16,32@18", "Vd Vm zero", 0xf3b1_0100),
    row("vcle", "s8,16,32@18", "Vd Vm zero", 0xf3b1_0180),
    row("vclt", "s8,16,32@18", "Vd Vm zero", 0xf3b1_0200),
    row("vcgt", "f32@18", "Vd Vm zero", 0xf3b1_0400),
    row("vcge", "f32@18", "Vd Vm zero", 0xf3b1_0480),
    row("vceq", "f32@18", "Vd Vm zero", 0xf3b1_0500),
    row("vcle", "f32@18", "Vd Vm zero", 0xf3b1_0580),
    row("vclt", "f32@18", "Vd Vm zero", 0xf3b1_0600),
    row("vswp", "any", "Vd Vm", 0xf3b2_0000),
    row("vtrn", "x8,16,32@18", "Vd Vm", 0xf3b2_0080),
    row("vuzp", "x8,16,32@18", "Qd Qm", 0xf3b2_0140),
    row("vuzp", "x8,16@18", "Dd Dm", 0xf3b2_0100),
    row("vzip", "x8,16,32@18", "Qd Qm", 0xf3b2_01c0),
    row("vzip", "x8,16@18", "Dd Dm", 0xf3b2_0180),
    // The same as vtrn on doublewords.
    row("vuzp", "x32@18", "Dd Dm", 0xf3b2_0080),
    row("vzip", "x32@18", "Dd Dm", 0xf3b2_0080),
    row("vmovn", "i16,32,64@18-", "Dd Qm", 0xf3b2_0200),
    row("vqmovun", "s16,32,64@18-", "Dd Qm", 0xf3b2_0240),
    row("vqmovn", "s16,32,64@18-", "Dd Qm", 0xf3b2_0280),
    row("vqmovn", "u16,32,64@18-", "Dd Qm", 0xf3b2_02c0),
    row("vrecpe", "=u32", "Vd Vm", 0xf3bb_0400),
    row("vrecpe", "=f32", "Vd Vm", 0xf3bb_0500),
    row("vrsqrte", "=u32", "Vd Vm", 0xf3bb_0480),
    row("vrsqrte", "=f32", "Vd Vm", 0xf3bb_0580),
    row("vcvt", "=f32.s32", "Vd Vm", 0xf3bb_0600),
    row("vcvt", "=f32.u32", "Vd Vm", 0xf3bb_0680),
    row("vcvt", "=s32.f32", "Vd Vm", 0xf3bb_0700),
    row("vcvt", "=u32.f32", "Vd Vm", 0xf3bb_0780),
    row("vcvt", "=f16.f32", "Dd Qm", 0xf3b6_0600),
    row("vcvt", "=f32.f16", "Qd Dm", 0xf3b6_0700),
    // Shifts by numbers (A7.4.4).
    row("vshl", "i8,16,32,64@", "Vd Vm shl", 0xf280_0510),
    row("vshr", "s8,16,32,64@", "Vd Vm shr", 0xf280_0010),
    row("vshr", "u8,16,32,64@", "Vd Vm shr", 0xf380_0010),
    row("vsra", "s8,16,32,64@", "Vd Vm shr", 0xf280_0110),
    row("vsra", "u8,16,32,64@", "Vd Vm shr", 0xf380_0110),
    row("vrshr", "s8,16,32,64@", "Vd Vm shr", 0xf280_0210),
    row("vrshr", "u8,16,32,64@", "Vd Vm shr", 0xf380_0210),
    row("vsli", "x8,16,32,64@", "Vd Vm shl", 0xf380_0510),
    row("vsri", "x8,16,32,64@", "Vd Vm shr", 0xf380_0410),
    row("vrsra", "s8,16,32,64@", "Vd Vm shr", 0xf280_0310),
    row("vrsra", "u8,16,32,64@", "Vd Vm shr", 0xf380_0310),
    row("vqshl", "s8,16,32,64@", "Vd Vm shl", 0xf280_0710),
    row("vqshl", "u8,16,32,64@", "Vd Vm shl", 0xf380_0710),
    row("vqshlu", "s8,16,32,64@", "Vd Vm shl", 0xf380_0610),
    row("vshrn", "i16,32,64@", "Dd Qm shrn", 0xf280_0810),
    row("vrshrn", "i16,32,64@", "Dd Qm shrn", 0xf280_0850),
    row("vqshrun", "s16,32,64@", "Dd Qm shrn", 0xf380_0810),
    row("vqrshrun", "s16,32,64@", "Dd Qm shrn", 0xf380_0850),
    row("vqshrn", "s16,32,64@", "Dd Qm shrn", 0xf280_0910),
    row("vqshrn", "u16,32,64@", "Dd Qm shrn", 0xf380_0910),
    row("vqrshrn", "s16,32,64@", "Dd Qm shrn", 0xf280_0950),
    row("vqrshrn", "u16,32,64@", "Dd Qm shrn", 0xf380_0950),
    row("vshll", "s8,16,32@", "Qd Dm shl", 0xf280_0a10),
    row("vshll", "u8,16,32@", "Qd Dm shl", 0xf380_0a10),
    row("vcvt", "=f32.s32", "Vd Vm fixed", 0xf280_0e10),
    row("vcvt", "=f32.u32", "Vd Vm fixed", 0xf380_0e10),
    row("vcvt", "=s32.f32", "Vd Vm fixed", 0xf280_0f10),
    row("vcvt", "=u32.f32", "Vd Vm fixed", 0xf380_0f10),
    row("vmovl", "s8@", "Qd Dm", 0xf288_0a10),
    row("vmovl", "s16@", "Qd Dm", 0xf290_0a10),
    row("vmovl", "s32@", "Qd Dm", 0xf2a0_0a10),
    row("vmovl", "u8@", "Qd Dm", 0xf388_0a10),
    row("vmovl", "u16@", "Qd Dm", 0xf390_0a10),
    row("vmovl", "u32@", "Qd Dm", 0xf3a0_0a10),
    // Numbers, and operations with them (A7.4.6).
    row("vmov", "x8,16,32,64@", "Vd vimm", 0xf280_0010),
    row("vmvn", "i16,32@", "Vd vimm", 0xf280_0030),
    row("vorr", "i16,32@", "Vd vimm", 0xf280_0110),
    row("vbic", "i16,32@", "Vd vimm", 0xf280_0130),
    // Permutations and moves.
    row("vext", "x8,16,32,64@", "Vd Vn Vm ext", 0xf2b0_0000),
];

/// What ARMv8 and its extensions add in AArch32 state (DDI 0487, F6.1).
const LATER: &[Row] = &[
    row("vmaxnm", "f32@", "Vd Vn Vm", 0xf300_0f10),
    row("vminnm", "f32@", "Vd Vn Vm", 0xf320_0f10),
    row("vmaxnm", "=f32", "Sd Sn Sm", 0xfe80_0a00),
    row("vminnm", "=f32", "Sd Sn Sm", 0xfe80_0a40),
    row("vmaxnm", "=f64", "Dd Dn Dm", 0xfe80_0b00),
    row("vminnm", "=f64", "Dd Dn Dm", 0xfe80_0b40),
    row("vcvta", "=s32.f32", "Vd Vm", 0xf3bb_0000),
    row("vcvta", "=u32.f32", "Vd Vm", 0xf3bb_0080),
    row("vcvtn", "=s32.f32", "Vd Vm", 0xf3bb_0100),
    row("vcvtn", "=u32.f32", "Vd Vm", 0xf3bb_0180),
    row("vcvtp", "=s32.f32", "Vd Vm", 0xf3bb_0200),
    row("vcvtp", "=u32.f32", "Vd Vm", 0xf3bb_0280),
    row("vcvtm", "=s32.f32", "Vd Vm", 0xf3bb_0300),
    row("vcvtm", "=u32.f32", "Vd Vm", 0xf3bb_0380),
    row("vrintn", "=f32", "Vd Vm", 0xf3ba_0400),
    row("vrintx", "=f32", "Vd Vm", 0xf3ba_0480),
    row("vrinta", "=f32", "Vd Vm", 0xf3ba_0500),
    row("vrintz", "=f32", "Vd Vm", 0xf3ba_0580),
    row("vrintm", "=f32", "Vd Vm", 0xf3ba_0680),
    row("vrintp", "=f32", "Vd Vm", 0xf3ba_0780),
    row("vrinta", "=f32", "Sd Sm", 0xfeb8_0a40),
    row("vrintn", "=f32", "Sd Sm", 0xfeb9_0a40),
    row("vrintp", "=f32", "Sd Sm", 0xfeba_0a40),
    row("vrintm", "=f32", "Sd Sm", 0xfebb_0a40),
    row("vqrdmlah", "s16,32@20", "Vd Vn Vm", 0xf300_0b10),
    row("vqrdmlsh", "s16,32@20", "Vd Vn Vm", 0xf300_0c10),
    row("vsdot", "=s8", "Vd Vn Vm", 0xfc20_0d00),
    row("vudot", "=u8", "Vd Vn Vm", 0xfc20_0d10),
    row("vusdot", "=s8", "Vd Vn Vm", 0xfca0_0d00),
    row("vsmmla", "=s8", "Qd Qn Qm", 0xfc20_0c40),
    row("vummla", "=u8", "Qd Qn Qm", 0xfc20_0c50),
    row("vusmmla", "=s8", "Qd Qn Qm", 0xfca0_0c40),
    row("vcadd", "=f32", "Vd Vn Vm turn", 0xfc90_0800),
    row("aese", "=8", "Qd Qm", 0xf3b0_0300),
    row("aesd", "=8", "Qd Qm", 0xf3b0_0340),
    row("aesmc", "=8", "Qd Qm", 0xf3b0_0380),
    row("aesimc", "=8", "Qd Qm", 0xf3b0_03c0),
    row("sha1h", "=32", "Qd Qm", 0xf3b9_02c0),
    row("sha1su1", "=32", "Qd Qm", 0xf3ba_0380),
    row("sha256su0", "=32", "Qd Qm", 0xf3ba_03c0),
    row("sha1c", "=32", "Qd Qn Qm", 0xf200_0c40),
    row("sha1p", "=32", "Qd Qn Qm", 0xf210_0c40),
    row("sha1m", "=32", "Qd Qn Qm", 0xf220_0c40),
    row("sha1su0", "=32", "Qd Qn Qm", 0xf230_0c40),
    row("sha256h", "=32", "Qd Qn Qm", 0xf300_0c40),
    row("sha256h2", "=32", "Qd Qn Qm", 0xf310_0c40),
    row("sha256su1", "=32", "Qd Qn Qm", 0xf320_0c40),
];

/// All of them.
pub(super) const TABLES: [&[Row]; 3] = [VFP, NEON, LATER];

/// The mnemonics of [`special`].
pub(super) const SPECIAL: [&str; 12] =
    ["vmov", "vdup", "vtbl", "vtbx", "vld1", "vld2", "vld3", "vld4", "vst1", "vst2", "vst3", "vst4"];

/// Instructions that are no rows: those of lanes, of lists, and moves of whole vectors. `word` is the condition, which only
/// moves between registers of the core and lanes have.
pub(super) fn special(
    name: &str,
    suffix: &str,
    condition: u32,
    operands: &[Operand<'_>],
) -> Option<Encoded<'static>> {
    let word = match (name, operands) {
        ("vmov", [Operand::Double(to), Operand::Double(from)]) if suffix != "f64" => {
            0xf220_0110 | three(*to, *from, *from)
        }
        ("vmov", [Operand::Quad(to), Operand::Quad(from)]) => 0xf220_0150 | three(2 * to, 2 * from, 2 * from),
        ("vmov", [Operand::Core { number, .. }, Operand::Lane(from, Some(lane))]) => {
            let unsigned = u32::from(suffix.starts_with('u'));
            let opcode = lane_code(suffix, *lane)?;
            let is_word = opcode & 0b1011 == 0;
            let unsigned = if is_word { 0 } else { unsigned };
            condition | 0x0e10_0b10 | unsigned << 23 | lane_bits(opcode) | number << 12 | lane_of(*from)
        }
        ("vmov", [Operand::Lane(to, Some(lane)), Operand::Core { number, .. }]) => {
            condition | 0x0e00_0b10 | lane_bits(lane_code(suffix, *lane)?) | number << 12 | lane_of(*to)
        }
        ("vdup", [to @ (Operand::Double(_) | Operand::Quad(_)), Operand::Core { number, .. }]) => {
            let size = match suffix {
                "8" => 1 << 22,
                "16" => 1 << 5,
                "32" => 0,
                _ => return None,
            };
            let (to, is_quad) = vector(*to)?;
            condition | 0x0e80_0b10 | size | is_quad << 21 | number << 12 | lane_of(to)
        }
        ("vdup", [to @ (Operand::Double(_) | Operand::Quad(_)), Operand::Lane(from, Some(lane))]) => {
            let code = match (suffix, lane) {
                ("8", 0..8) => lane << 1 | 1,
                ("16", 0..4) => lane << 2 | 2,
                ("32", 0..2) => lane << 3 | 4,
                _ => return None,
            };
            let (to, is_quad) = vector(*to)?;
            0xf3b0_0c00 | code << 16 | is_quad << 6 | three(to, 0, *from)
        }
        (
            "vtbl" | "vtbx",
            [
                Operand::Double(to),
                Operand::FloatList {
                    is_double: true,
                    first,
                    count: count @ 1..=4,
                    step: 1,
                    lane: ListLane::Whole,
                },
                Operand::Double(by),
            ],
        ) if suffix == "8" => {
            0xf3b0_0800 | (count - 1) << 8 | u32::from(name == "vtbx") << 6 | three(*to, *first, *by)
        }
        ("vld1" | "vld2" | "vld3" | "vld4" | "vst1" | "vst2" | "vst3" | "vst4", _) => {
            structures(name, suffix, operands)?
        }
        _ => return None,
    };
    Some(Encoded { word, label: None })
}

/// Doubleword registers in their three fields.
const fn three(d: u32, n: u32, m: u32) -> u32 {
    (d & 15) << 12 | (d >> 4) << 22 | (n & 15) << 16 | (n >> 4) << 7 | m & 15 | (m >> 4) << 5
}

/// A doubleword register in the field of moves of lanes.
const fn lane_of(number: u32) -> u32 {
    (number & 15) << 16 | (number >> 4) << 7
}

/// A vector as its first doubleword register, and 1 for two of them.
fn vector(operand: Operand<'_>) -> Option<(u32, u32)> {
    match operand {
        Operand::Double(number) => Some((number, 0)),
        Operand::Quad(number) => Some((2 * number, 1)),
        _ => None,
    }
}

/// Which lane, as moves have it (A8.8.341).
fn lane_code(suffix: &str, lane: u32) -> Option<u32> {
    match (suffix.trim_start_matches(['s', 'u', 'i', 'f', 'p']), lane) {
        ("8", 0..8) => Some(8 | lane),
        ("16", 0..4) => Some(1 | lane << 1),
        ("32", 0..2) => Some(lane << 2),
        _ => None,
    }
}

/// It in its two fields.
const fn lane_bits(code: u32) -> u32 {
    (code >> 2) << 21 | (code & 3) << 5
}

/// Loads and stores of elements and structures (A7.7).
fn structures(name: &str, suffix: &str, operands: &[Operand<'_>]) -> Option<u32> {
    let size: u32 = match suffix.trim_start_matches(['s', 'u', 'i', 'f', 'p']) {
        "8" => 0,
        "16" => 1,
        "32" => 2,
        "64" => 3,
        _ => return None,
    };
    let elements = u32::from(name.as_bytes().get(3)? - b'0');
    let is_load = name.starts_with("vld");
    let &[Operand::FloatList { is_double: true, first, count, step, lane }, mem, ref behind @ ..] = operands
    else {
        return None;
    };
    let Operand::Mem { base, offset: None, has_writeback, align } = mem else { return None };
    let index = match (behind, has_writeback) {
        ([], false) => 15,
        ([], true) => 13,
        (&[Operand::Core { number, has_writeback: false, is_negative: false }], false) => number,
        _ => return None,
    };
    let word = 0xf400_0000 | u32::from(is_load) << 21 | base << 16 | three(first, 0, 0) | index;
    let distance = if count == 1 { 1 } else { step };
    if !(1..=2).contains(&distance) {
        return None;
    }
    let is_far = u32::from(distance == 2);
    match lane {
        ListLane::Whole => {
            let kind = match (elements, count, is_far) {
                (1, 1, 0) => 7,
                (1, 2, 0) => 10,
                (1, 3, 0) => 6,
                (1, 4, 0) => 2,
                (2, 2, _) if size < 3 => 8 + is_far,
                (2, 4, 0) if size < 3 => 3,
                (3, 3, _) if size < 3 => 4 + is_far,
                (4, 4, _) if size < 3 => is_far,
                _ => return None,
            };
            let align = match (align, count, elements) {
                (0, ..) => 0,
                (64, ..) => 1,
                (128, 2 | 4, _) => 2,
                (256, 4, _) => 3,
                _ => return None,
            };
            Some(word | kind << 8 | size << 6 | align << 4)
        }
        ListLane::One(lane) => {
            if count != elements || lane >= 8 >> size || size == 3 || is_far == 1 && size == 0 {
                return None;
            }
            let bytes = elements * (8 << size);
            let align = match (align, elements, size) {
                (0, ..) => 0,
                (128, 4, 2) => 2,
                (64, 4, 2) => 1,
                (32, 1, 2) => 3,
                (_, 1, 0) | (_, 3, _) => return None,
                (align, ..) if align == bytes => 1,
                _ => return None,
            };
            let place = lane << (size + 1) | is_far << size;
            Some(word | 1 << 23 | size << 10 | (elements - 1) << 8 | (place | align) << 4)
        }
        ListLane::All => {
            let is_one = elements == 1;
            if !is_load || size == 3 || (is_one && (count > 2 || is_far == 1)) || !is_one && count != elements
            {
                return None;
            }
            let bytes = elements * (8 << size);
            let (align, size) = match (align, elements, size) {
                (0, ..) => (0, size),
                (128, 4, 2) => (1, 3),
                (64, 4, 2) => (1, 2),
                (_, 1, 0) | (_, 3, _) => return None,
                (align, ..) if align == bytes => (1, size),
                _ => return None,
            };
            let other = if is_one { count - 1 } else { is_far };
            Some(word | 1 << 23 | 12 << 8 | (elements - 1) << 8 | size << 6 | other << 5 | align << 4)
        }
    }
}

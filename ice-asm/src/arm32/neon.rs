//! Advanced SIMD arithmetic (DDI 0406C A7.4): the same work on every lane of a doubleword or quadword register.
//!
//! These instructions have no condition.

use super::imm::NeonImm;
use super::register::{Dreg, Lane, NeonReg, Qreg, Register};
use super::{Encoder, bits, ops};
use crate::listing::Listing;

ops!(
    /// Integer arithmetic on three registers (table A7-9).
    NeonInt:
    VhaddS  "vhadd.s"  "1111 0010 0Dss nnnn dddd 0000 NQM0 mmmm" "8 16 32", // A8.8.319
    VhaddU  "vhadd.u"  "1111 0011 0Dss nnnn dddd 0000 NQM0 mmmm" "8 16 32",
    VqaddS  "vqadd.s"  "1111 0010 0Dss nnnn dddd 0000 NQM1 mmmm" "8 16 32 64", // A8.8.369
    VqaddU  "vqadd.u"  "1111 0011 0Dss nnnn dddd 0000 NQM1 mmmm" "8 16 32 64",
    VrhaddS "vrhadd.s" "1111 0010 0Dss nnnn dddd 0001 NQM0 mmmm" "8 16 32", // A8.8.389
    VrhaddU "vrhadd.u" "1111 0011 0Dss nnnn dddd 0001 NQM0 mmmm" "8 16 32",
    VqsubS  "vqsub.s"  "1111 0010 0Dss nnnn dddd 0010 NQM1 mmmm" "8 16 32 64", // A8.8.383
    VqsubU  "vqsub.u"  "1111 0011 0Dss nnnn dddd 0010 NQM1 mmmm" "8 16 32 64",
    VcgtS   "vcgt.s"   "1111 0010 0Dss nnnn dddd 0011 NQM0 mmmm" "8 16 32", // A8.8.295
    VcgtU   "vcgt.u"   "1111 0011 0Dss nnnn dddd 0011 NQM0 mmmm" "8 16 32",
    VcgeS   "vcge.s"   "1111 0010 0Dss nnnn dddd 0011 NQM1 mmmm" "8 16 32", // A8.8.293
    VcgeU   "vcge.u"   "1111 0011 0Dss nnnn dddd 0011 NQM1 mmmm" "8 16 32",
    VmaxS   "vmax.s"   "1111 0010 0Dss nnnn dddd 0110 NQM0 mmmm" "8 16 32", // A8.8.334
    VmaxU   "vmax.u"   "1111 0011 0Dss nnnn dddd 0110 NQM0 mmmm" "8 16 32",
    VminS   "vmin.s"   "1111 0010 0Dss nnnn dddd 0110 NQM1 mmmm" "8 16 32", // A8.8.334
    VminU   "vmin.u"   "1111 0011 0Dss nnnn dddd 0110 NQM1 mmmm" "8 16 32",
    VabdS   "vabd.s"   "1111 0010 0Dss nnnn dddd 0111 NQM0 mmmm" "8 16 32", // A8.8.278
    VabdU   "vabd.u"   "1111 0011 0Dss nnnn dddd 0111 NQM0 mmmm" "8 16 32",
    Vadd    "vadd.i"   "1111 0010 0Dss nnnn dddd 1000 NQM0 mmmm" "8 16 32 64", // A8.8.282
    Vsub    "vsub.i"   "1111 0011 0Dss nnnn dddd 1000 NQM0 mmmm" "8 16 32 64", // A8.8.414
    Vtst    "vtst."    "1111 0010 0Dss nnnn dddd 1000 NQM1 mmmm" "8 16 32", // A8.8.421
    Vceq    "vceq.i"   "1111 0011 0Dss nnnn dddd 1000 NQM1 mmmm" "8 16 32", // A8.8.291
    Vmla    "vmla.i"   "1111 0010 0Dss nnnn dddd 1001 NQM0 mmmm" "8 16 32", // A8.8.336
    Vmls    "vmls.i"   "1111 0011 0Dss nnnn dddd 1001 NQM0 mmmm" "8 16 32", // A8.8.336
    Vmul    "vmul.i"   "1111 0010 0Dss nnnn dddd 1001 NQM1 mmmm" "8 16 32", // A8.8.350
    Vqdmulh "vqdmulh.s" "1111 0010 0Dss nnnn dddd 1011 NQM0 mmmm" "16 32", // A8.8.372
    // Pairs of lanes next to each other: doubleword registers only.
    VpmaxS  "vpmax.s"  "1111 0010 0Dss nnnn dddd 1010 NQM0 mmmm" "8 16 32", // A8.8.365
    VpmaxU  "vpmax.u"  "1111 0011 0Dss nnnn dddd 1010 NQM0 mmmm" "8 16 32",
    VpminS  "vpmin.s"  "1111 0010 0Dss nnnn dddd 1010 NQM1 mmmm" "8 16 32", // A8.8.365
    VpminU  "vpmin.u"  "1111 0011 0Dss nnnn dddd 1010 NQM1 mmmm" "8 16 32",
    Vpadd   "vpadd.i"  "1111 0010 0Dss nnnn dddd 1011 NQM1 mmmm" "8 16 32", // A8.8.362
);

ops!(
    /// Shifts by the signed low byte of each lane of the last register: left, or right where it is negative.
    NeonShift:
    VshlS  "vshl.s"  "1111 0010 0Dss nnnn dddd 0100 NQM0 mmmm" "8 16 32 64", // A8.8.396
    VshlU  "vshl.u"  "1111 0011 0Dss nnnn dddd 0100 NQM0 mmmm" "8 16 32 64",
    VqshlS "vqshl.s" "1111 0010 0Dss nnnn dddd 0100 NQM1 mmmm" "8 16 32 64", // A8.8.379
    VqshlU "vqshl.u" "1111 0011 0Dss nnnn dddd 0100 NQM1 mmmm" "8 16 32 64",
    VrshlS "vrshl.s" "1111 0010 0Dss nnnn dddd 0101 NQM0 mmmm" "8 16 32 64", // A8.8.390
    VrshlU "vrshl.u" "1111 0011 0Dss nnnn dddd 0101 NQM0 mmmm" "8 16 32 64",
);

ops!(
    /// Logic on three registers. The last three merge: `vbsl` by the bits of the destination, the others by
    /// those of the last register.
    NeonLogic:
    Vand "vand" "1111 0010 0D00 nnnn dddd 0001 NQM1 mmmm", // A8.8.287
    Vbic "vbic" "1111 0010 0D01 nnnn dddd 0001 NQM1 mmmm", // A8.8.289
    Vorr "vorr" "1111 0010 0D10 nnnn dddd 0001 NQM1 mmmm", // A8.8.360
    Vorn "vorn" "1111 0010 0D11 nnnn dddd 0001 NQM1 mmmm", // A8.8.358
    Veor "veor" "1111 0011 0D00 nnnn dddd 0001 NQM1 mmmm", // A8.8.315
    Vbsl "vbsl" "1111 0011 0D01 nnnn dddd 0001 NQM1 mmmm", // A8.8.290
    Vbit "vbit" "1111 0011 0D10 nnnn dddd 0001 NQM1 mmmm", // A8.8.290
    Vbif "vbif" "1111 0011 0D11 nnnn dddd 0001 NQM1 mmmm", // A8.8.290
);

ops!(
    /// Single-precision arithmetic on three registers; denormal numbers count as zero.
    NeonFloat:
    Vadd    "vadd"    "1111 0010 0D00 nnnn dddd 1101 NQM0 mmmm", // A8.8.283
    Vsub    "vsub"    "1111 0010 0D10 nnnn dddd 1101 NQM0 mmmm", // A8.8.415
    Vabd    "vabd"    "1111 0011 0D10 nnnn dddd 1101 NQM0 mmmm", // A8.8.279
    Vmla    "vmla"    "1111 0010 0D00 nnnn dddd 1101 NQM1 mmmm", // A8.8.337
    Vmls    "vmls"    "1111 0010 0D10 nnnn dddd 1101 NQM1 mmmm", // A8.8.337
    Vmul    "vmul"    "1111 0011 0D00 nnnn dddd 1101 NQM1 mmmm", // A8.8.351
    Vceq    "vceq"    "1111 0010 0D00 nnnn dddd 1110 NQM0 mmmm", // A8.8.291
    Vcge    "vcge"    "1111 0011 0D00 nnnn dddd 1110 NQM0 mmmm", // A8.8.293
    Vcgt    "vcgt"    "1111 0011 0D10 nnnn dddd 1110 NQM0 mmmm", // A8.8.295
    Vacge   "vacge"   "1111 0011 0D00 nnnn dddd 1110 NQM1 mmmm", // A8.8.281
    Vacgt   "vacgt"   "1111 0011 0D10 nnnn dddd 1110 NQM1 mmmm", // A8.8.281
    Vmax    "vmax"    "1111 0010 0D00 nnnn dddd 1111 NQM0 mmmm", // A8.8.335
    Vmin    "vmin"    "1111 0010 0D10 nnnn dddd 1111 NQM0 mmmm", // A8.8.335
    Vrecps  "vrecps"  "1111 0010 0D00 nnnn dddd 1111 NQM1 mmmm", // A8.8.385
    Vrsqrts "vrsqrts" "1111 0010 0D10 nnnn dddd 1111 NQM1 mmmm", // A8.8.394
);

ops!(
    /// Operations with one source (table A7-13). `vswp`, `vtrn`, `vuzp` and `vzip` write both registers.
    Neon2:
    Vrev64  "vrev64."  "1111 0011 1D11 ss00 dddd 0000 0QM0 mmmm" "8 16 32", // A8.8.387
    Vrev32  "vrev32."  "1111 0011 1D11 ss00 dddd 0000 1QM0 mmmm" "8 16", // A8.8.387
    Vrev16  "vrev16."  "1111 0011 1D11 ss00 dddd 0001 0QM0 mmmm" "8", // A8.8.387
    VpaddlS "vpaddl.s" "1111 0011 1D11 ss00 dddd 0010 0QM0 mmmm" "8 16 32", // A8.8.364
    VpaddlU "vpaddl.u" "1111 0011 1D11 ss00 dddd 0010 1QM0 mmmm" "8 16 32",
    Vcls    "vcls.s"   "1111 0011 1D11 ss00 dddd 0100 0QM0 mmmm" "8 16 32", // A8.8.299
    Vclz    "vclz.i"   "1111 0011 1D11 ss00 dddd 0100 1QM0 mmmm" "8 16 32", // A8.8.302
    Vcnt    "vcnt."    "1111 0011 1D11 ss00 dddd 0101 0QM0 mmmm" "8", // A8.8.304
    Vcgt0   "vcgt.s"   "1111 0011 1D11 ss01 dddd 0000 0QM0 mmmm" "8 16 32", // A8.8.296
    Vcge0   "vcge.s"   "1111 0011 1D11 ss01 dddd 0000 1QM0 mmmm" "8 16 32", // A8.8.294
    Vceq0   "vceq.i"   "1111 0011 1D11 ss01 dddd 0001 0QM0 mmmm" "8 16 32", // A8.8.292
    Vcle0   "vcle.s"   "1111 0011 1D11 ss01 dddd 0001 1QM0 mmmm" "8 16 32", // A8.8.298
    Vclt0   "vclt.s"   "1111 0011 1D11 ss01 dddd 0010 0QM0 mmmm" "8 16 32", // A8.8.301
    Vabs    "vabs.s"   "1111 0011 1D11 ss01 dddd 0011 0QM0 mmmm" "8 16 32", // A8.8.280
    Vneg    "vneg.s"   "1111 0011 1D11 ss01 dddd 0011 1QM0 mmmm" "8 16 32", // A8.8.354
    Vtrn    "vtrn."    "1111 0011 1D11 ss10 dddd 0000 1QM0 mmmm" "8 16 32", // A8.8.420
    Vuzp    "vuzp."    "1111 0011 1D11 ss10 dddd 0001 0QM0 mmmm" "8 16 32", // A8.8.422
    Vzip    "vzip."    "1111 0011 1D11 ss10 dddd 0001 1QM0 mmmm" "8 16 32", // A8.8.423
);

impl Neon2 {
    /// Whether the text has a zero as last operand.
    const fn with_zero(self) -> bool {
        matches!(self, Neon2::Vcgt0 | Neon2::Vcge0 | Neon2::Vceq0 | Neon2::Vcle0 | Neon2::Vclt0)
    }
}

ops!(
    /// Operations without lanes or on single-precision lanes with one source.
    NeonFloat2:
    Vmvn    "vmvn"        "1111 0011 1D11 0000 dddd 0101 1QM0 mmmm", // A8.8.353
    Vswp    "vswp"        "1111 0011 1D11 0010 dddd 0000 0QM0 mmmm", // A8.8.418
    Vabs    "vabs.f32"    "1111 0011 1D11 1001 dddd 0111 0QM0 mmmm", // A8.8.280
    Vneg    "vneg.f32"    "1111 0011 1D11 1001 dddd 0111 1QM0 mmmm", // A8.8.354
    Vrecpe  "vrecpe.f32"  "1111 0011 1D11 1011 dddd 0101 0QM0 mmmm", // A8.8.384
    Vrsqrte "vrsqrte.f32" "1111 0011 1D11 1011 dddd 0101 1QM0 mmmm", // A8.8.393
);

ops!(
    /// Conversions of 32-bit lanes; to integers they round towards zero and saturate (A8.8.305).
    NeonConvert:
    F32FromS32 "vcvt.f32.s32" "1111 0011 1D11 1011 dddd 0110 0QM0 mmmm",
    F32FromU32 "vcvt.f32.u32" "1111 0011 1D11 1011 dddd 0110 1QM0 mmmm",
    S32FromF32 "vcvt.s32.f32" "1111 0011 1D11 1011 dddd 0111 0QM0 mmmm",
    U32FromF32 "vcvt.u32.f32" "1111 0011 1D11 1011 dddd 0111 1QM0 mmmm",
);

ops!(
    /// From a quadword to a doubleword register; the lanes named are the narrow ones, the text has the wide ones.
    NeonNarrow:
    Vmovn   "vmovn.i"   "1111 0011 1D11 ss10 dddd 0010 00M0 mmmm" "8 16 32", // A8.8.347
    Vqmovun "vqmovun.s" "1111 0011 1D11 ss10 dddd 0010 01M0 mmmm" "8 16 32", // A8.8.375
    VqmovnS "vqmovn.s"  "1111 0011 1D11 ss10 dddd 0010 10M0 mmmm" "8 16 32", // A8.8.375
    VqmovnU "vqmovn.u"  "1111 0011 1D11 ss10 dddd 0010 11M0 mmmm" "8 16 32",
);

ops!(
    /// From two doubleword registers to lanes of twice the width; the lanes named are the narrow ones.
    NeonLong:
    VaddlS "vaddl.s" "1111 0010 1Dss nnnn dddd 0000 N0M0 mmmm" "8 16 32", // A8.8.285
    VaddlU "vaddl.u" "1111 0011 1Dss nnnn dddd 0000 N0M0 mmmm" "8 16 32",
    VsublS "vsubl.s" "1111 0010 1Dss nnnn dddd 0010 N0M0 mmmm" "8 16 32", // A8.8.417
    VsublU "vsubl.u" "1111 0011 1Dss nnnn dddd 0010 N0M0 mmmm" "8 16 32",
    VmlalS "vmlal.s" "1111 0010 1Dss nnnn dddd 1000 N0M0 mmmm" "8 16 32", // A8.8.336
    VmlalU "vmlal.u" "1111 0011 1Dss nnnn dddd 1000 N0M0 mmmm" "8 16 32",
    VmullS "vmull.s" "1111 0010 1Dss nnnn dddd 1100 N0M0 mmmm" "8 16 32", // A8.8.350
    VmullU "vmull.u" "1111 0011 1Dss nnnn dddd 1100 N0M0 mmmm" "8 16 32",
);

ops!(
    /// Shifts by a constant (table A7-12): right by 1 to the width of a lane, left by 0 to the width less 1.
    /// `vsra` adds, `vsri` and `vsli` insert into the destination.
    NeonShiftImm:
    VshrS  "vshr.s"  "1111 0010 1Dii iiii dddd 0000 LQM1 mmmm" "8 16 32 64", // A8.8.398
    VshrU  "vshr.u"  "1111 0011 1Dii iiii dddd 0000 LQM1 mmmm" "8 16 32 64",
    VsraS  "vsra.s"  "1111 0010 1Dii iiii dddd 0001 LQM1 mmmm" "8 16 32 64", // A8.8.402
    VsraU  "vsra.u"  "1111 0011 1Dii iiii dddd 0001 LQM1 mmmm" "8 16 32 64",
    VrshrS "vrshr.s" "1111 0010 1Dii iiii dddd 0010 LQM1 mmmm" "8 16 32 64", // A8.8.391
    VrshrU "vrshr.u" "1111 0011 1Dii iiii dddd 0010 LQM1 mmmm" "8 16 32 64",
    Vsri   "vsri."   "1111 0011 1Dii iiii dddd 0100 LQM1 mmmm" "8 16 32 64", // A8.8.403
    Vshl   "vshl.i"  "1111 0010 1Dii iiii dddd 0101 LQM1 mmmm" "8 16 32 64", // A8.8.395
    Vsli   "vsli."   "1111 0011 1Dii iiii dddd 0101 LQM1 mmmm" "8 16 32 64", // A8.8.400
);

impl NeonShiftImm {
    /// Whether it shifts to the left.
    #[must_use]
    pub const fn is_left(self) -> bool {
        matches!(self, NeonShiftImm::Vshl | NeonShiftImm::Vsli)
    }
}

ops!(
    /// Shifts right by a constant that narrow; the lanes named are the narrow ones, the amount is up to their
    /// width.
    NeonShiftNarrow:
    Vshrn  "vshrn.i"  "1111 0010 1Dii iiii dddd 1000 00M1 mmmm" "8 16 32", // A8.8.399
    Vrshrn "vrshrn.i" "1111 0010 1Dii iiii dddd 1000 01M1 mmmm" "8 16 32", // A8.8.392
);

ops!(
    /// Shifts left by a constant that widen, with sign or zeros; by 0 it is `vmovl`. The lanes named are the
    /// narrow ones.
    NeonShiftLong:
    S "s" "1111 0010 1Dii iiii dddd 1010 00M1 mmmm" "8 16 32", // A8.8.397, A8.8.346
    U "u" "1111 0011 1Dii iiii dddd 1010 00M1 mmmm" "8 16 32",
);

/// The field of a lane's width in bits 21:20.
const fn size(lane: Lane) -> u32 {
    (lane as u32) << 20
}

/// The field `L:imm6` of a shift: the width of a lane is its highest one.
fn shift_field(number: u32) -> u32 {
    (number & 63) << 16 | (number >> 6) << 7
}

impl<L: Listing> Encoder<'_, L> {
    /// `vadd.i32 qd, qn, qm` and its like.
    pub fn neon_int<R: NeonReg>(&mut self, op: NeonInt, lane: Lane, d: R, n: R, m: R) {
        let valid = op.has_lane(lane) && (op < NeonInt::VpmaxS || R::Q == 0);
        let word = op.bits() | R::Q | size(lane) | d.parts().d() | n.parts().n() | m.parts().m();
        self.checked(valid, word, format_args!("{}{lane} {d}, {n}, {m}", op.mnemonic()));
    }

    /// `vshl.s32 qd, qm, qn` and its like.
    pub fn neon_shift<R: NeonReg>(&mut self, op: NeonShift, lane: Lane, d: R, value: R, amount: R) {
        let word = op.bits() | R::Q | size(lane) | d.parts().d() | amount.parts().n() | value.parts().m();
        self.checked(op.has_lane(lane), word, format_args!("{}{lane} {d}, {value}, {amount}", op.mnemonic()));
    }

    /// `vand qd, qn, qm` and its like; `vorr` of a register with itself is a move.
    pub fn neon_logic<R: NeonReg>(&mut self, op: NeonLogic, d: R, n: R, m: R) {
        let word = op.bits() | R::Q | d.parts().d() | n.parts().n() | m.parts().m();
        self.inst(word, format_args!("{} {d}, {n}, {m}", op.mnemonic()));
    }

    /// `vmov qd, qm`.
    pub fn neon_mov<R: NeonReg>(&mut self, d: R, m: R) {
        self.neon_logic(NeonLogic::Vorr, d, m, m);
    }

    /// `vadd.f32 qd, qn, qm` and its like.
    pub fn neon_float<R: NeonReg>(&mut self, op: NeonFloat, d: R, n: R, m: R) {
        let word = op.bits() | R::Q | d.parts().d() | n.parts().n() | m.parts().m();
        self.inst(word, format_args!("{}.f32 {d}, {n}, {m}", op.mnemonic()));
    }

    /// `vpadd.f32 dd, dn, dm` (A8.8.363).
    pub fn neon_float_pairs(&mut self, d: Dreg, n: Dreg, m: Dreg) {
        let word =
            bits!("1111 0011 0D00 nnnn dddd 1101 NQM0 mmmm") | d.split().d() | n.split().n() | m.split().m();
        self.inst(word, format_args!("vpadd.f32 {d}, {n}, {m}"));
    }

    /// `vclz.i32 qd, qm` and its like; comparisons are with zero.
    pub fn neon2<R: NeonReg>(&mut self, op: Neon2, lane: Lane, d: R, m: R) {
        // On doublewords of 32-bit lanes both are `vtrn`.
        let is_alias = matches!(op, Neon2::Vuzp | Neon2::Vzip) && lane == Lane::B32 && R::Q == 0;
        let word = op.bits() | R::Q | size(lane) >> 2 | d.parts().d() | m.parts().m();
        let zero = if op.with_zero() { ", #0" } else { "" };
        let valid = op.has_lane(lane) && !is_alias;
        self.checked(valid, word, format_args!("{}{lane} {d}, {m}{zero}", op.mnemonic()));
    }

    /// `vmvn qd, qm` and its like.
    pub fn neon_float2<R: NeonReg>(&mut self, op: NeonFloat2, d: R, m: R) {
        let word = op.bits() | R::Q | d.parts().d() | m.parts().m();
        self.inst(word, format_args!("{} {d}, {m}", op.mnemonic()));
    }

    /// `vcvt.s32.f32 qd, qm` and its like.
    pub fn neon_convert<R: NeonReg>(&mut self, op: NeonConvert, d: R, m: R) {
        let word = op.bits() | R::Q | d.parts().d() | m.parts().m();
        self.inst(word, format_args!("{} {d}, {m}", op.mnemonic()));
    }

    /// `vmovn.i32 dd, qm` and its like.
    pub fn neon_narrow(&mut self, op: NeonNarrow, lane: Lane, d: Dreg, m: Qreg) {
        let word = op.bits() | size(lane) >> 2 | d.split().d() | m.parts().m();
        let wide = 2 * lane.bits();
        self.checked(op.has_lane(lane), word, format_args!("{}{wide} {d}, {m}", op.mnemonic()));
    }

    /// `vmull.s32 qd, dn, dm` and its like.
    pub fn neon_long(&mut self, op: NeonLong, lane: Lane, d: Qreg, n: Dreg, m: Dreg) {
        let word = op.bits() | size(lane) | d.parts().d() | n.split().n() | m.split().m();
        self.checked(op.has_lane(lane), word, format_args!("{}{lane} {d}, {n}, {m}", op.mnemonic()));
    }

    /// `vshr.s32 qd, qm, #amount` and its like.
    pub fn neon_shift_imm<R: NeonReg>(&mut self, op: NeonShiftImm, lane: Lane, d: R, m: R, amount: u8) {
        let (width, n) = (lane.bits(), u32::from(amount));
        let (valid, number) = match op.is_left() {
            true => (n < width, width + n),
            false => ((1..=width).contains(&n), (2 * width).wrapping_sub(n)),
        };
        let word = op.bits() | R::Q | shift_field(number & 127) | d.parts().d() | m.parts().m();
        self.checked(valid, word, format_args!("{}{lane} {d}, {m}, #{amount}", op.mnemonic()));
    }

    /// `vshrn.i64 dd, qm, #amount` and its like.
    pub fn neon_shift_narrow(&mut self, op: NeonShiftNarrow, lane: Lane, d: Dreg, m: Qreg, amount: u8) {
        let (width, n) = (lane.bits(), u32::from(amount));
        let valid = op.has_lane(lane) && (1..=width).contains(&n);
        let word = op.bits() | shift_field((2 * width).wrapping_sub(n) & 63) | d.split().d() | m.parts().m();
        let wide = 2 * width;
        self.checked(valid, word, format_args!("{}{wide} {d}, {m}, #{amount}", op.mnemonic()));
    }

    /// `vshll.s32 qd, dm, #amount`, `vmovl.s32 qd, dm`; the amount is below the width of a narrow lane.
    pub fn neon_shift_long(&mut self, op: NeonShiftLong, lane: Lane, d: Qreg, m: Dreg, amount: u8) {
        let (width, n) = (lane.bits(), u32::from(amount));
        let valid = op.has_lane(lane) && n < width;
        let word = op.bits() | shift_field((width + n) & 63) | d.parts().d() | m.split().m();
        let sign = op.mnemonic();
        match amount {
            0 => self.checked(valid, word, format_args!("vmovl.{sign}{lane} {d}, {m}")),
            _ => self.checked(valid, word, format_args!("vshll.{sign}{lane} {d}, {m}, #{amount}")),
        }
    }

    /// `vmov.i32 qd, #imm`, `vmvn.i32` (A8.8.339, A8.8.352).
    pub fn neon_mov_imm<R: NeonReg>(&mut self, d: R, imm: NeonImm) {
        let mnemonic = if imm.op == 1 && imm.cmode != 14 { "vmvn" } else { "vmov" };
        let (text, ty) = (NumberText(imm), imm.lane_type());
        let word = bits!("1111 001i 1D00 0iii dddd cccc 0Qo1 iiii") | R::Q | d.parts().d() | imm.bits();
        self.inst(word, format_args!("{mnemonic}.{ty} {d}, {text}"));
    }

    /// `vorr.i32 qd, #imm` (A8.8.359), `vbic.i32 qd, #imm` (A8.8.288); the immediate is of the kind for logic.
    pub fn neon_logic_imm<R: NeonReg>(&mut self, op: NeonLogic, d: R, imm: NeonImm) {
        let inverted = match op {
            NeonLogic::Vorr => 0,
            NeonLogic::Vbic => 1 << 5,
            _ => return self.invalid(),
        };
        let valid = imm.cmode & 1 != 0 && imm.cmode < 12 && imm.op == 0;
        let word =
            bits!("1111 001i 1D00 0iii dddd cccc 0Qo1 iiii") | R::Q | d.parts().d() | imm.bits() | inverted;
        let (text, ty) = (NumberText(imm), imm.lane_type());
        self.checked(valid, word, format_args!("{}.{ty} {d}, {text}", op.mnemonic()));
    }
}

/// An immediate as text.
struct NumberText(NeonImm);

impl core::fmt::Display for NumberText {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.write_number(f)
    }
}

//! VFPv3 (DDI 0406C A7.5 to A7.9): scalar floating point, and moves between core and extension registers.

use super::imm::FloatImm;
use super::operand::{Cond, Writeback};
use super::register::{Dreg, FloatReg, Gpr, Register, Sreg};
use super::{Encoder, bits, ops};
use crate::listing::Listing;

ops!(
    /// Three registers of one precision; those with `ml` add to or subtract from the destination.
    Float3:
    Vmla  "vmla"  "cccc 1110 0D00 nnnn dddd 101z N0M0 mmmm", // A8.8.337
    Vmls  "vmls"  "cccc 1110 0D00 nnnn dddd 101z N1M0 mmmm", // A8.8.337
    Vnmls "vnmls" "cccc 1110 0D01 nnnn dddd 101z N0M0 mmmm", // A8.8.355
    Vnmla "vnmla" "cccc 1110 0D01 nnnn dddd 101z N1M0 mmmm", // A8.8.355
    Vmul  "vmul"  "cccc 1110 0D10 nnnn dddd 101z N0M0 mmmm", // A8.8.351
    Vnmul "vnmul" "cccc 1110 0D10 nnnn dddd 101z N1M0 mmmm", // A8.8.355
    Vadd  "vadd"  "cccc 1110 0D11 nnnn dddd 101z N0M0 mmmm", // A8.8.283
    Vsub  "vsub"  "cccc 1110 0D11 nnnn dddd 101z N1M0 mmmm", // A8.8.415
    Vdiv  "vdiv"  "cccc 1110 1D00 nnnn dddd 101z N0M0 mmmm", // A8.8.312
);

ops!(
    /// Two registers of one precision.
    Float2:
    Vmov  "vmov"  "cccc 1110 1D11 0000 dddd 101z 01M0 mmmm", // A8.8.340
    Vabs  "vabs"  "cccc 1110 1D11 0000 dddd 101z 11M0 mmmm", // A8.8.280
    Vneg  "vneg"  "cccc 1110 1D11 0001 dddd 101z 01M0 mmmm", // A8.8.354
    Vsqrt "vsqrt" "cccc 1110 1D11 0001 dddd 101z 11M0 mmmm", // A8.8.401
);

ops!(
    /// Comparisons: to the flags of FPSCR. `vcmpe` raises an exception for any NaN.
    FloatCompare:
    Vcmp  "vcmp"  "cccc 1110 1D11 0100 dddd 101z 01M0 mmmm", // A8.8.303
    Vcmpe "vcmpe" "cccc 1110 1D11 0100 dddd 101z 11M0 mmmm", // A8.8.303
);

ops!(
    /// Conversions of the integer in a single-precision register to floating point.
    IntToFloat:
    Unsigned "u32" "cccc 1110 1D11 1000 dddd 101z 01M0 mmmm", // A8.8.306
    Signed   "s32" "cccc 1110 1D11 1000 dddd 101z 11M0 mmmm", // A8.8.306
);

ops!(
    /// Conversions of floating point to an integer in a single-precision register, rounding towards zero.
    FloatToInt:
    Unsigned "u32" "cccc 1110 1D11 1100 dddd 101z 11M0 mmmm", // A8.8.306
    Signed   "s32" "cccc 1110 1D11 1101 dddd 101z 11M0 mmmm", // A8.8.306
);

ops!(
    /// Loads and stores.
    Direction:
    Store "st" "cccc 110p ud-0 nnnn dddd 101z iiii iiii", // A8.8.413, A8.8.412
    Load  "ld" "cccc 110p ud-1 nnnn dddd 101z iiii iiii", // A8.8.333, A8.8.332
);

const UP: u32 = 1 << 23;
const BEFORE: u32 = 1 << 24;

impl<L: Listing> Encoder<'_, L> {
    /// `vadd<c>.f32 sd, sn, sm`, `.f64 dd, dn, dm`, and their like.
    #[inline]
    pub fn float3<R: FloatReg>(&mut self, cond: Cond, op: Float3, d: R, n: R, m: R) {
        let word = cond.bits() | op.bits() | R::SIZE | d.parts().d() | n.parts().n() | m.parts().m();
        self.inst(word, format_args!("{}{cond}.{} {d}, {n}, {m}", op.mnemonic(), R::TYPE));
    }

    /// `vmov<c>.f64 dd, dm` and its like.
    #[inline]
    pub fn float2<R: FloatReg>(&mut self, cond: Cond, op: Float2, d: R, m: R) {
        let word = cond.bits() | op.bits() | R::SIZE | d.parts().d() | m.parts().m();
        self.inst(word, format_args!("{}{cond}.{} {d}, {m}", op.mnemonic(), R::TYPE));
    }

    /// `vcmp<c>.f64 dd, dm`.
    pub fn float_compare<R: FloatReg>(&mut self, cond: Cond, op: FloatCompare, d: R, m: R) {
        let word = cond.bits() | op.bits() | R::SIZE | d.parts().d() | m.parts().m();
        self.inst(word, format_args!("{}{cond}.{} {d}, {m}", op.mnemonic(), R::TYPE));
    }

    /// `vcmp<c>.f64 dd, #0`.
    pub fn float_compare_zero<R: FloatReg>(&mut self, cond: Cond, op: FloatCompare, d: R) {
        let word = cond.bits() | op.bits() | 1 << 16 | R::SIZE | d.parts().d();
        self.inst(word, format_args!("{}{cond}.{} {d}, #0", op.mnemonic(), R::TYPE));
    }

    /// `vmov<c>.f64 dd, #imm` (A8.8.339).
    pub fn float_mov_imm<R: FloatReg>(&mut self, cond: Cond, d: R, imm: FloatImm) {
        let bits = u32::from(imm.bits());
        let word = bits!("cccc 1110 1D11 iiii dddd 101z 0000 iiii") | cond.bits() | R::SIZE | d.parts().d();
        self.inst(word | (bits & 0xf0) << 12 | bits & 15, format_args!("vmov{cond}.{} {d}, {imm}", R::TYPE));
    }

    /// `vcvt<c>.f64.f32 dd, sm` (A8.8.309).
    pub fn float_widen(&mut self, cond: Cond, d: Dreg, m: Sreg) {
        let word =
            bits!("cccc 1110 1D11 0111 dddd 1010 11M0 mmmm") | cond.bits() | d.split().d() | m.split().m();
        self.inst(word, format_args!("vcvt{cond}.f64.f32 {d}, {m}"));
    }

    /// `vcvt<c>.f32.f64 sd, dm` (A8.8.309).
    pub fn float_narrow(&mut self, cond: Cond, d: Sreg, m: Dreg) {
        let word =
            bits!("cccc 1110 1D11 0111 dddd 1011 11M0 mmmm") | cond.bits() | d.split().d() | m.split().m();
        self.inst(word, format_args!("vcvt{cond}.f32.f64 {d}, {m}"));
    }

    /// `vcvt<c>.f64.s32 dd, sm` and its like.
    pub fn int_to_float<R: FloatReg>(&mut self, cond: Cond, op: IntToFloat, d: R, m: Sreg) {
        let word = cond.bits() | op.bits() | R::SIZE | d.parts().d() | m.split().m();
        self.inst(word, format_args!("vcvt{cond}.{}.{} {d}, {m}", R::TYPE, op.mnemonic()));
    }

    /// `vcvt<c>.s32.f64 sd, dm` and its like.
    pub fn float_to_int<R: FloatReg>(&mut self, cond: Cond, op: FloatToInt, d: Sreg, m: R) {
        let word = cond.bits() | op.bits() | R::SIZE | d.split().d() | m.parts().m();
        self.inst(word, format_args!("vcvt{cond}.{}.{} {d}, {m}", op.mnemonic(), R::TYPE));
    }

    /// `vmov<c> sn, rt` (A8.8.343).
    pub fn vmov_s_r(&mut self, cond: Cond, n: Sreg, t: Gpr) {
        let word =
            bits!("cccc 1110 0000 nnnn tttt 1010 N001 0000") | cond.bits() | n.split().n() | t.bits() << 12;
        self.inst(word, format_args!("vmov{cond} {n}, {t}"));
    }

    /// `vmov<c> rt, sn` (A8.8.343).
    pub fn vmov_r_s(&mut self, cond: Cond, t: Gpr, n: Sreg) {
        let word =
            bits!("cccc 1110 0001 nnnn tttt 1010 N001 0000") | cond.bits() | n.split().n() | t.bits() << 12;
        self.inst(word, format_args!("vmov{cond} {t}, {n}"));
    }

    /// `vmov<c> dm, rt, rt2` (A8.8.345): low half first.
    pub fn vmov_d_rr(&mut self, cond: Cond, m: Dreg, lo: Gpr, hi: Gpr) {
        let word = bits!("cccc 1100 0100 uuuu tttt 1011 00M1 mmmm") | cond.bits() | m.split().m();
        self.inst(word | hi.bits() << 16 | lo.bits() << 12, format_args!("vmov{cond} {m}, {lo}, {hi}"));
    }

    /// `vmov<c> rt, rt2, dm` (A8.8.345): low half first. The two are not the same.
    pub fn vmov_rr_d(&mut self, cond: Cond, lo: Gpr, hi: Gpr, m: Dreg) {
        let word = bits!("cccc 1100 0101 uuuu tttt 1011 00M1 mmmm") | cond.bits() | m.split().m();
        let word = word | hi.bits() << 16 | lo.bits() << 12;
        self.checked(lo != hi, word, format_args!("vmov{cond} {lo}, {hi}, {m}"));
    }

    /// `vmrs<c> APSR_nzcv, fpscr` (A8.8.348): the result of a comparison to the flags.
    pub fn vmrs_flags(&mut self, cond: Cond) {
        let word = bits!("cccc 1110 1111 0001 1111 1010 0001 0000") | cond.bits();
        self.inst(word, format_args!("vmrs{cond} APSR_nzcv, fpscr"));
    }

    /// `vmrs<c> rt, fpscr`.
    pub fn vmrs(&mut self, cond: Cond, t: Gpr) {
        let word = bits!("cccc 1110 1111 0001 tttt 1010 0001 0000") | cond.bits() | t.bits() << 12;
        self.checked(t != Gpr::PC, word, format_args!("vmrs{cond} {t}, fpscr"));
    }

    /// `vmsr<c> fpscr, rt` (A8.8.349).
    pub fn vmsr(&mut self, cond: Cond, t: Gpr) {
        let word = bits!("cccc 1110 1110 0001 tttt 1010 0001 0000") | cond.bits() | t.bits() << 12;
        self.inst(word, format_args!("vmsr{cond} fpscr, {t}"));
    }

    /// `vldr<c> dd, [rn, #offset]`, `vstr<c>`; the offset is a multiple of 4, up to ±1020.
    #[inline]
    pub fn float_transfer<R: FloatReg>(&mut self, cond: Cond, op: Direction, d: R, base: Gpr, offset: i32) {
        let size = offset.unsigned_abs();
        let sign = if offset >= 0 { UP } else { 0 };
        let fields = cond.bits() | op.bits() | BEFORE | sign | R::SIZE | d.parts().d();
        let word = fields | base.bits() << 16 | size >> 2 & 255;
        let (valid, name) = (size <= 1020 && size.is_multiple_of(4), op.mnemonic());
        if offset == 0 {
            return self.checked(valid, word, format_args!("v{name}r{cond} {d}, [{base}]"));
        }
        self.checked(valid, word, format_args!("v{name}r{cond} {d}, [{base}, #{offset}]"));
    }

    /// `vldm<c> rn{!}, {registers}`, `vstm<c>`: `count` registers from `first` on, upwards from the base; at
    /// most 16 doubleword or 32 single-precision ones.
    pub fn float_multiple<R: FloatReg>(
        &mut self,
        cond: Cond,
        op: Direction,
        n: Gpr,
        writeback: Writeback,
        first: R,
        count: u8,
    ) {
        let word = cond.bits() | op.bits() | UP | writeback.bits() | n.bits() << 16;
        let name = op.mnemonic();
        let Some((fields, last)) = float_list(first, count) else { return self.invalid() };
        self.inst(word | fields, format_args!("v{name}mia{cond} {n}{writeback}, {{{}}}", List(first, last)));
    }

    /// `vpush<c> {registers}` (A8.8.368).
    pub fn vpush<R: FloatReg>(&mut self, cond: Cond, first: R, count: u8) {
        let word =
            cond.bits() | Direction::Store.bits() | BEFORE | Writeback::Yes.bits() | Gpr::SP.bits() << 16;
        let Some((fields, last)) = float_list(first, count) else { return self.invalid() };
        self.inst(word | fields, format_args!("vpush{cond} {{{}}}", List(first, last)));
    }

    /// `vpop<c> {registers}` (A8.8.367).
    pub fn vpop<R: FloatReg>(&mut self, cond: Cond, first: R, count: u8) {
        let word = cond.bits() | Direction::Load.bits() | UP | Writeback::Yes.bits() | Gpr::SP.bits() << 16;
        let Some((fields, last)) = float_list(first, count) else { return self.invalid() };
        self.inst(word | fields, format_args!("vpop{cond} {{{}}}", List(first, last)));
    }
}

/// The fields of `count` registers from `first` on, and the number of the last one.
fn float_list<R: FloatReg>(first: R, count: u8) -> Option<(u32, u32)> {
    let is_double = R::SIZE != 0;
    let split = first.parts();
    let number = Register::number(first);
    let (words, most) = if is_double { (2, 16) } else { (1, 32) };
    let last = number + u32::from(count).checked_sub(1)?;
    (u32::from(count) <= most && last < 32)
        .then_some((R::SIZE | split.d() | (words * u32::from(count)), last))
}

/// A range of registers as text.
struct List<R>(R, u32);

impl<R: FloatReg> core::fmt::Display for List<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let letter = if R::SIZE != 0 { 'd' } else { 's' };
        match self.1 - Register::number(self.0) {
            0 => write!(f, "{}", self.0),
            _ => write!(f, "{}-{letter}{}", self.0, self.1),
        }
    }
}

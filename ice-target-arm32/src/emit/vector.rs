//! Vectors lane by lane.

use super::float::Reg;
use super::{AL, Emitter};
use crate::inst::{Neon3, NeonUnary};
use ice_asm::Listing;
use ice_asm::arm32::{Dreg, Float2, Float3, Gpr, Lane, Qreg, Sign, Sreg};

/// The doubleword register with a lane of a quadword, and the number of the lane in it.
fn half(reg: Qreg, lane: Lane, index: u8) -> (Dreg, u8) {
    let lanes = (64 / lane.bits()) as u8;
    if index < lanes { (reg.low(), index) } else { (reg.high(), index - lanes) }
}

impl<L: Listing> Emitter<'_, L> {
    fn move_single(&mut self, dst: Sreg, src: Sreg) {
        if dst != src {
            self.e.float2(AL, Float2::Vmov, dst, src);
        }
    }

    /// The register that is a lane of one of the first eight quadwords.
    fn lane_of(&mut self, reg: Qreg, lane: u8) -> Sreg {
        let reg = Some(reg).filter(|reg| reg.number() < 8);
        Sreg::new(4 * self.certain(reg, Qreg::new(0)).number() + lane)
    }

    pub(super) fn neon3(&mut self, op: Neon3, lane: Lane, dst: Qreg, lhs: Qreg, rhs: Qreg) {
        match op {
            Neon3::Int(op) => self.e.neon_int(op, lane, dst, lhs, rhs),
            Neon3::Shift(op) => self.e.neon_shift(op, lane, dst, lhs, rhs),
            Neon3::Logic(op) => self.e.neon_logic(op, dst, lhs, rhs),
            Neon3::Float(op) => self.e.neon_float(op, dst, lhs, rhs),
        }
    }

    pub(super) fn neon2(&mut self, op: NeonUnary, lane: Lane, dst: Qreg, src: Qreg) {
        match op {
            NeonUnary::Int(op) => self.e.neon2(op, lane, dst, src),
            NeonUnary::Float(op) => self.e.neon_float2(op, dst, src),
            NeonUnary::Convert(op) => self.e.neon_convert(op, dst, src),
        }
    }

    pub(super) fn each_lane(&mut self, op: Float3, dst: Qreg, lhs: Qreg, rhs: Qreg) {
        for n in 0..4 {
            let [dst, lhs, rhs] = [dst, lhs, rhs].map(|reg| self.lane_of(reg, n));
            self.e.float3(AL, op, dst, lhs, rhs);
        }
    }

    pub(super) fn lane_to_core(&mut self, sign: Sign, lane: Lane, dst: Gpr, src: Qreg, index: u8) {
        let (src, index) = half(src, lane, index);
        self.e.vmov_r_lane(sign, lane, dst, src, index);
    }

    pub(super) fn core_to_lane(&mut self, lane: Lane, dst: Qreg, index: u8, src: Gpr) {
        let (dst, index) = half(dst, lane, index);
        self.e.vmov_lane_r(AL, lane, dst, index, src);
    }

    pub(super) fn splat_lane(&mut self, lane: Lane, dst: Qreg, src: Qreg, index: u8) {
        let (src, index) = half(src, lane, index);
        self.e.vdup_lane(lane, dst, src, index);
    }

    pub(super) fn splat_single(&mut self, dst: Qreg, src: Sreg) {
        let src = src.number();
        self.e.vdup_lane(Lane::B32, dst, Dreg::new(src / 2), src % 2);
    }

    pub(super) fn lane_to_single(&mut self, dst: Sreg, src: Qreg, index: u8) {
        let src = self.lane_of(src, index);
        self.move_single(dst, src);
    }

    pub(super) fn single_to_lane(&mut self, dst: Qreg, index: u8, src: Sreg) {
        let dst = self.lane_of(dst, index);
        self.move_single(dst, src);
    }

    pub(super) fn doubles_to_quad(&mut self, dst: Qreg, lo: Dreg, hi: Dreg) {
        self.copy_float(self.cond, Reg::D(dst.low()), Reg::D(lo));
        self.copy_float(self.cond, Reg::D(dst.high()), Reg::D(hi));
    }

    /// The upper half is left as it is.
    pub(super) fn double_to_quad(&mut self, dst: Qreg, src: Dreg) {
        self.copy_float(self.cond, Reg::D(dst.low()), Reg::D(src));
    }

    pub(super) fn half_to_double(&mut self, dst: Dreg, src: Qreg, index: u8) {
        let half = if index == 0 { src.low() } else { src.high() };
        self.copy_float(self.cond, Reg::D(dst), Reg::D(half));
    }

    pub(super) fn mov_lane(&mut self, dst: Qreg, to: u8, src: Qreg, from: u8) {
        let src = self.lane_of(src, from);
        let dst = self.lane_of(dst, to);
        self.move_single(dst, src);
    }

    pub(super) fn table(&mut self, dst: Qreg, src: Qreg, mask: Qreg) {
        self.e.vtbl(dst.low(), src.low(), 2, mask.low());
        self.e.vtbl(dst.high(), src.low(), 2, mask.high());
    }

    pub(super) fn table_extension(&mut self, dst: Qreg, src: Qreg, mask: Qreg) {
        self.e.vtbx(dst.low(), src.low(), 2, mask.low());
        self.e.vtbx(dst.high(), src.low(), 2, mask.high());
    }

    pub(super) fn splat_halves(&mut self, dst: Qreg, lo: Gpr, hi: Gpr) {
        self.e.vdup_r(AL, Lane::B8, dst.low(), lo);
        self.e.vdup_r(AL, Lane::B8, dst.high(), hi);
    }
}

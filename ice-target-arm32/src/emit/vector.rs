//! Vectors lane by lane.

use super::{AL, Emitter};
use crate::inst::{Inst, Neon3, NeonUnary};
use crate::regs;
use ice_asm::Listing;
use ice_asm::arm32::{Dreg, Lane, NeonLogic, Qreg};

/// The doubleword register with a lane of a quadword, and the number of the lane in it.
fn half(reg: Qreg, lane: Lane, index: u8) -> (Dreg, u8) {
    let lanes = (64 / lane.bits()) as u8;
    if index < lanes { (reg.low(), index) } else { (reg.high(), index - lanes) }
}

impl<L: Listing> Emitter<'_, L> {
    fn quad(&mut self) -> Qreg {
        let reg = self.next().as_reg();
        debug_assert!(reg.is_some());
        regs::quad_reg(reg.unwrap_or(regs::q(0)))
    }

    pub(super) fn vector(&mut self, inst: &Inst) {
        match *inst {
            Inst::Neon3 { op, lane, .. } => {
                let (lhs, rhs) = (self.quad(), self.quad());
                let dst = self.quad();
                match op {
                    Neon3::Int(op) => self.e.neon_int(op, lane, dst, lhs, rhs),
                    Neon3::Shift(op) => self.e.neon_shift(op, lane, dst, lhs, rhs),
                    Neon3::Logic(op) => self.e.neon_logic(op, dst, lhs, rhs),
                    Neon3::Float(op) => self.e.neon_float(op, dst, lhs, rhs),
                }
            }
            Inst::Neon2 { op, lane, .. } => {
                let src = self.quad();
                let dst = self.quad();
                match op {
                    NeonUnary::Int(op) => self.e.neon2(op, lane, dst, src),
                    NeonUnary::Float(op) => self.e.neon_float2(op, dst, src),
                    NeonUnary::Convert(op) => self.e.neon_convert(op, dst, src),
                }
            }
            Inst::NeonShift { op, lane, amount, .. } => {
                let src = self.quad();
                let dst = self.quad();
                self.e.neon_shift_imm(op, lane, dst, src, amount);
            }
            Inst::NeonSelect { .. } => {
                let (if_true, if_false) = (self.quad(), self.quad());
                let dst = self.quad();
                self.e.neon_logic(NeonLogic::Vbsl, dst, if_true, if_false);
            }
            Inst::EachLane { op, .. } => {
                let (lhs, rhs) = (self.quad(), self.quad());
                let dst = self.quad();
                let lane = |reg: Qreg, n: u8| ice_asm::arm32::Sreg::new(4 * reg.number() + n);
                for n in 0..4 {
                    self.e.float3(AL, op, lane(dst, n), lane(lhs, n), lane(rhs, n));
                }
            }
            Inst::LaneToCore { sign, lane, index, .. } => {
                let (src, index) = half(self.quad(), lane, index);
                let dst = self.gpr();
                self.e.vmov_r_lane(sign, lane, dst, src, index);
            }
            Inst::CoreToLane { lane, index, .. } => {
                let src = self.gpr();
                let (dst, index) = half(self.quad(), lane, index);
                self.e.vmov_lane_r(AL, lane, dst, index, src);
            }
            Inst::Splat { lane, .. } => {
                let src = self.gpr();
                let dst = self.quad();
                self.e.vdup_r(AL, lane, dst, src);
            }
            Inst::SplatHalves { .. } => {
                let (lo, hi) = (self.gpr(), self.gpr());
                let dst = self.quad();
                self.e.vdup_r(AL, Lane::B8, dst.low(), lo);
                self.e.vdup_r(AL, Lane::B8, dst.high(), hi);
            }
            _ => debug_assert!(false, "no such instruction"),
        }
    }
}

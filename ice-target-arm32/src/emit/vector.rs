//! Vectors lane by lane.

use super::{AL, Emitter};
use crate::inst::{Inst, Neon3, NeonUnary};
use crate::regs;
use ice_asm::Listing;
use ice_asm::arm32::{Dreg, Float2, Lane, NeonLogic, Qreg, Sreg};
use ice_codegen::emission::{InstEmitter as _, WRONG_KIND};

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

    /// The register that is a lane of an operand, which is one of the first eight quadwords.
    fn lane(&mut self, lane: u8) -> Sreg {
        let reg = self.quad();
        self.lane_of(reg, lane)
    }

    fn lane_of(&mut self, reg: Qreg, lane: u8) -> Sreg {
        let reg = Some(reg).filter(|reg| reg.number() < 8);
        Sreg::new(4 * self.certain(reg, Qreg::new(0)).number() + lane)
    }

    /// Destination, source and mask, which are named in another order.
    fn table_operands(&mut self) -> [Qreg; 3] {
        let (src, mask) = (self.quad(), self.quad());
        [self.quad(), src, mask]
    }

    fn quad(&mut self) -> Qreg {
        let place = self.next();
        self.certain(regs::as_quad(place), Qreg::new(0))
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
                for n in 0..4 {
                    let [dst, lhs, rhs] = [dst, lhs, rhs].map(|reg| self.lane_of(reg, n));
                    self.e.float3(AL, op, dst, lhs, rhs);
                }
            }
            Inst::VectorImm { imm, .. } => {
                let dst = self.quad();
                self.e.neon_mov_imm(dst, imm);
            }
            Inst::SplatLane { lane, index, .. } => {
                let (src, index) = half(self.quad(), lane, index);
                let dst = self.quad();
                self.e.vdup_lane(lane, dst, src, index);
            }
            Inst::SplatSingle { .. } => {
                let src = self.single().number();
                let dst = self.quad();
                self.e.vdup_lane(Lane::B32, dst, Dreg::new(src / 2), src % 2);
            }
            Inst::LaneToSingle { index, .. } => {
                let src = self.lane(index);
                let dst = self.single();
                self.move_single(dst, src);
            }
            Inst::SingleToLane { index, .. } => {
                let src = self.single();
                let dst = self.lane(index);
                self.move_single(dst, src);
            }
            Inst::MovLane { to, from, .. } => {
                let src = self.lane(from);
                let dst = self.lane(to);
                self.move_single(dst, src);
            }
            Inst::Extract { start, .. } => {
                let (lhs, rhs) = (self.quad(), self.quad());
                let dst = self.quad();
                self.e.vext(dst, lhs, rhs, start);
            }
            Inst::NeonPair { op, lane, .. } => {
                let (first, second) = (self.quad(), self.quad());
                self.e.neon2(op, lane, first, second);
            }
            Inst::Table { .. } => {
                let [dst, src, mask] = self.table_operands();
                self.e.vtbl(dst.low(), src.low(), 2, mask.low());
                self.e.vtbl(dst.high(), src.low(), 2, mask.high());
            }
            Inst::TableExtension { .. } => {
                let [dst, src, mask] = self.table_operands();
                self.e.vtbx(dst.low(), src.low(), 2, mask.low());
                self.e.vtbx(dst.high(), src.low(), 2, mask.high());
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
            _ => self.fault(WRONG_KIND),
        }
    }
}

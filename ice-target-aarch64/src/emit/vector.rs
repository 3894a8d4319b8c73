//! Vectors of 128 bits: what takes the arrangement of lanes, and single lanes.

use super::Emitter;
use ice_asm::Listing;
use ice_asm::aarch64::{
    Across, Arrangement, Float2, FloatWidth, Gpr, Lane, Permute, Vector2, Vector3, VectorFloat2,
    VectorFloat3, VectorImm, VectorShift, Vreg, Width,
};
use ice_codegen::emission::InstEmitter as _;
use ice_codegen::magic::Signedness;

/// 128 bits of such lanes.
const fn full(lane: Lane) -> Arrangement {
    Arrangement { lane, full: true }
}

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn vector_number(&mut self, dst: Vreg, half: u64) {
        match VectorImm::splat(Lane::B64, half) {
            Some(imm) => self.e.vector_number(true, dst, imm),
            None => self.fault("a number of a vector takes more than one instruction"),
        }
    }

    pub(super) fn vector3(&mut self, op: Vector3, lane: Lane, dst: Vreg, lhs: Vreg, rhs: Vreg) {
        self.e.vector3(op, full(lane), dst, lhs, rhs);
    }

    pub(super) fn vector2(&mut self, op: Vector2, lane: Lane, dst: Vreg, src: Vreg) {
        self.e.vector2(op, full(lane), dst, src);
    }

    pub(super) fn vector_float3(&mut self, op: VectorFloat3, lane: Lane, dst: Vreg, lhs: Vreg, rhs: Vreg) {
        self.e.vector_float3(op, full(lane), dst, lhs, rhs);
    }

    pub(super) fn vector_float2(&mut self, op: VectorFloat2, lane: Lane, dst: Vreg, src: Vreg) {
        self.e.vector_float2(op, full(lane), dst, src);
    }

    pub(super) fn vector_shift(&mut self, op: VectorShift, lane: Lane, dst: Vreg, src: Vreg, amount: u8) {
        self.e.vector_shift(op, full(lane), dst, src, amount);
    }

    pub(super) fn across(&mut self, op: Across, lane: Lane, dst: Vreg, src: Vreg) {
        self.e.across(op, full(lane), dst, src);
    }

    pub(super) fn permute(&mut self, op: Permute, lane: Lane, dst: Vreg, lhs: Vreg, rhs: Vreg) {
        self.e.permute(op, full(lane), dst, lhs, rhs);
    }

    pub(super) fn splat(&mut self, lane: Lane, dst: Vreg, src: Gpr) {
        self.e.dup_gpr(full(lane), dst, src);
    }

    pub(super) fn splat_lane(&mut self, lane: Lane, dst: Vreg, src: Vreg, index: u8) {
        self.e.dup_lane(full(lane), dst, src, index);
    }

    pub(super) fn lane_to_word(&mut self, sign: Signedness, lane: Lane, dst: Gpr, src: Vreg, index: u8) {
        let width = if lane == Lane::B64 { Width::X } else { Width::W };
        self.e.lane_to_gpr(sign == Signedness::Signed, width, lane, dst, src, index);
    }

    /// The first lane of a register is a number already: what is above a number does not matter.
    pub(super) fn lane_to_float(&mut self, lane: Lane, dst: Vreg, src: Vreg, index: u8) {
        match index {
            0 if dst == src => {}
            0 => self.e.copy_vector(dst, src),
            _ => self.e.lane_to_scalar(lane, dst, src, index),
        }
    }

    /// All above the number becomes zero, in its own register as well.
    pub(super) fn first_float(&mut self, width: FloatWidth, dst: Vreg, src: Vreg) {
        self.e.float2(Float2::Fmov, width, dst, src);
    }
}

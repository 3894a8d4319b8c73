//! Extension registers: scalar floating point, and vectors as a whole.
//!
//! `vldr` and `vstr` need addresses at multiples of 4, which lowering sees to; quadwords in memory are read and
//! written by bytes, at any address.

use super::{AL, Emitter, WRONG_SIZE};
use crate::inst::FloatSize;
use crate::regs::{self, DOUBLE, SINGLE};
use ice_asm::arm32::{
    Cond, Direction, Dreg, Float2, Float3, FloatCompare, FloatImm, FloatToInt, Gpr, Index, IntToFloat, Lane,
    NeonImm, NeonTransfer, Qreg, Sreg,
};
use ice_asm::{Listing, SymbolId};
use ice_codegen::emission::{InstEmitter as _, NO_REGISTER};
use ice_codegen::mach::RegClass;
use ice_regalloc::Allocation;

/// The largest offset of `vldr`, and of the first of two of them.
pub(super) const NEAR: i32 = 1020;

/// An extension register of any size.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reg {
    S(Sreg),
    D(Dreg),
    Q(Qreg),
}

impl<L: Listing> Emitter<'_, L> {
    pub(super) fn size_of(class: RegClass) -> FloatSize {
        match class {
            SINGLE => FloatSize::Single,
            DOUBLE => FloatSize::Double,
            _ => FloatSize::Quad,
        }
    }

    fn reg(&mut self, size: FloatSize, place: Allocation) -> Reg {
        match size {
            FloatSize::Single => Reg::S(self.certain(regs::as_single(place), Sreg::new(0))),
            FloatSize::Double => Reg::D(self.certain(regs::as_double(place), Dreg::new(0))),
            FloatSize::Quad => Reg::Q(self.certain(regs::as_quad(place), Qreg::new(0))),
        }
    }

    /// The register of an operand; `any` after a fault.
    pub(super) fn certain<R>(&mut self, reg: Option<R>, any: R) -> R {
        reg.unwrap_or_else(|| {
            self.fault(NO_REGISTER);
            any
        })
    }

    pub(super) fn extension(&mut self, size: FloatSize) -> Reg {
        let place = self.next();
        self.reg(size, place)
    }

    /// Moves between places of one size.
    pub(super) fn move_float(&mut self, size: FloatSize, to: Allocation, from: Allocation) {
        match (to.is_reg(), from.is_reg()) {
            (true, true) => {
                let (to, from) = (self.reg(size, to), self.reg(size, from));
                self.copy_float(self.cond, to, from);
            }
            (true, false) => {
                let (base, offset) = self.slot(from);
                let to = self.reg(size, to);
                self.slot_float(Direction::Load, to, base, offset);
            }
            (false, true) => {
                let (base, offset) = self.slot(to);
                let from = self.reg(size, from);
                self.slot_float(Direction::Store, from, base, offset);
            }
            (false, false) => self.fault(NO_REGISTER),
        }
    }

    pub(super) fn copy_float(&mut self, cond: Cond, dst: Reg, src: Reg) {
        match (dst, src) {
            _ if dst == src => {}
            (Reg::S(dst), Reg::S(src)) => self.e.float2(cond, Float2::Vmov, dst, src),
            (Reg::D(dst), Reg::D(src)) => self.e.float2(cond, Float2::Vmov, dst, src),
            (Reg::Q(dst), Reg::Q(src)) if cond == AL => self.e.neon_mov(dst, src),
            (Reg::Q(dst), Reg::Q(src)) => {
                self.e.float2(cond, Float2::Vmov, dst.low(), src.low());
                self.e.float2(cond, Float2::Vmov, dst.high(), src.high());
            }
            _ => self.fault(WRONG_SIZE),
        }
    }

    /// Loads or stores a register at a multiple of 4; a quadword as two doublewords.
    fn slot_float(&mut self, op: Direction, reg: Reg, base: Gpr, offset: i32) {
        match reg {
            Reg::S(reg) => {
                let (base, offset) = self.reach(base, offset, NEAR);
                self.confine(base);
                self.e.float_transfer(self.cond, op, reg, base, offset);
            }
            Reg::D(reg) => {
                let (base, offset) = self.reach(base, offset, NEAR);
                self.confine(base);
                self.e.float_transfer(self.cond, op, reg, base, offset);
            }
            Reg::Q(reg) => {
                let (base, offset) = match offset.unsigned_abs() + 8 <= NEAR as u32 {
                    true => (base, offset),
                    false => {
                        self.add_offset(Gpr::IP, base, offset);
                        (Gpr::IP, 0)
                    }
                };
                self.confine(base);
                self.e.float_transfer(self.cond, op, reg.low(), base, offset);
                self.confine(base);
                self.e.float_transfer(self.cond, op, reg.high(), base, offset + 8);
            }
        }
    }

    pub(super) fn copy_to_float(&mut self, size: FloatSize, dst: Reg, place: Allocation) {
        if place.is_reg() {
            let src = self.reg(size, place);
            self.copy_float(self.cond, dst, src);
        } else {
            let (base, offset) = self.slot(place);
            self.slot_float(Direction::Load, dst, base, offset);
        }
    }

    pub(super) fn load_float(&mut self, dst: Reg, (base, offset): (Gpr, i32)) {
        self.confine(base);
        match dst {
            Reg::Q(dst) => self.e.neon_transfer_q(NeonTransfer::Vld1, dst, base),
            _ => self.near_float(Direction::Load, dst, base, offset),
        }
    }

    pub(super) fn store_float(&mut self, src: Reg, (base, offset): (Gpr, i32)) {
        self.confine(base);
        match src {
            Reg::Q(src) => self.e.neon_transfer_q(NeonTransfer::Vst1, src, base),
            _ => self.near_float(Direction::Store, src, base, offset),
        }
    }

    pub(super) fn load_double(&mut self, dst: Dreg, (base, _): (Gpr, i32)) {
        self.confine(base);
        self.e.neon_transfer(NeonTransfer::Vld1, Lane::B8, dst, 1, base, Index::Offset);
    }

    pub(super) fn store_double(&mut self, src: Dreg, (base, _): (Gpr, i32)) {
        self.confine(base);
        self.e.neon_transfer(NeonTransfer::Vst1, Lane::B8, src, 1, base, Index::Offset);
    }

    pub(super) fn float_imm(&mut self, dst: Reg, imm: FloatImm) {
        match dst {
            Reg::S(dst) => self.e.float_mov_imm(self.cond, dst, imm),
            Reg::D(dst) => self.e.float_mov_imm(self.cond, dst, imm),
            Reg::Q(_) => self.fault(WRONG_SIZE),
        }
    }

    pub(super) fn zero_float(&mut self, dst: Reg) {
        match (dst, NeonImm::splat(Lane::B8, 0)) {
            (Reg::S(dst), _) => self.single_bits(dst, 0),
            (Reg::D(dst), Some(zero)) => self.e.neon_mov_imm(dst, zero),
            (Reg::Q(dst), Some(zero)) => self.e.neon_mov_imm(dst, zero),
            (_, None) => self.fault("zero cannot be encoded"),
        }
    }

    pub(super) fn load_float_constant(&mut self, dst: Reg, symbol: SymbolId) {
        self.mov_symbol(Gpr::IP, symbol, 0);
        self.slot_float(Direction::Load, dst, Gpr::IP, 0);
    }

    pub(super) fn float3(&mut self, op: Float3, dst: Reg, lhs: Reg, rhs: Reg) {
        match (lhs, rhs, dst) {
            (Reg::S(lhs), Reg::S(rhs), Reg::S(dst)) => self.e.float3(self.cond, op, dst, lhs, rhs),
            (Reg::D(lhs), Reg::D(rhs), Reg::D(dst)) => self.e.float3(self.cond, op, dst, lhs, rhs),
            _ => self.fault(WRONG_SIZE),
        }
    }

    pub(super) fn float2(&mut self, op: Float2, dst: Reg, src: Reg) {
        match (src, dst) {
            (Reg::S(src), Reg::S(dst)) => self.e.float2(self.cond, op, dst, src),
            (Reg::D(src), Reg::D(dst)) => self.e.float2(self.cond, op, dst, src),
            _ => self.fault(WRONG_SIZE),
        }
    }

    pub(super) fn compare_float(&mut self, lhs: Reg, rhs: Option<Reg>) {
        let op = FloatCompare::Vcmp;
        match (lhs, rhs) {
            (Reg::S(lhs), Some(Reg::S(rhs))) => self.e.float_compare(self.cond, op, lhs, rhs),
            (Reg::D(lhs), Some(Reg::D(rhs))) => self.e.float_compare(self.cond, op, lhs, rhs),
            (Reg::S(lhs), None) => self.e.float_compare_zero(self.cond, op, lhs),
            (Reg::D(lhs), None) => self.e.float_compare_zero(self.cond, op, lhs),
            _ => self.fault(WRONG_SIZE),
        }
        self.e.vmrs_flags(self.cond);
    }

    pub(super) fn int_to_float(&mut self, op: IntToFloat, dst: Reg, src: Sreg) {
        match dst {
            Reg::S(dst) => self.e.int_to_float(self.cond, op, dst, src),
            Reg::D(dst) => self.e.int_to_float(self.cond, op, dst, src),
            Reg::Q(_) => self.fault(WRONG_SIZE),
        }
    }

    pub(super) fn float_to_int(&mut self, op: FloatToInt, dst: Sreg, src: Reg) {
        match src {
            Reg::S(src) => self.e.float_to_int(self.cond, op, dst, src),
            Reg::D(src) => self.e.float_to_int(self.cond, op, dst, src),
            Reg::Q(_) => self.fault(WRONG_SIZE),
        }
    }

    /// A scalar in memory, at an offset in reach.
    fn near_float(&mut self, op: Direction, reg: Reg, base: Gpr, offset: i32) {
        match reg {
            Reg::S(reg) => self.e.float_transfer(self.cond, op, reg, base, offset),
            Reg::D(reg) => self.e.float_transfer(self.cond, op, reg, base, offset),
            Reg::Q(_) => self.fault(WRONG_SIZE),
        }
    }

    pub(super) fn single_bits(&mut self, dst: Sreg, bits: u32) {
        self.e.mov_u32(self.cond, Gpr::IP, bits);
        self.e.vmov_s_r(self.cond, dst, Gpr::IP);
    }
}

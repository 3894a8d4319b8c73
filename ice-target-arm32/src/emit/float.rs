//! Extension registers: scalar floating point, and vectors as a whole.
//!
//! `vldr` and `vstr` need addresses at multiples of 4, which lowering sees to; quadwords in memory are read and
//! written by bytes, at any address.

use super::{AL, Emitter};
use crate::inst::{Amode, FloatSize, Inst};
use crate::regs::{self, DOUBLE, SINGLE};
use ice_asm::Listing;
use ice_asm::arm32::{
    Cond, Direction, Dreg, Float2, FloatCompare, Gpr, Lane, NeonImm, NeonTransfer, Qreg, Sreg,
};
use ice_codegen::mach::RegClass;
use ice_regalloc::{Allocation, AllocationKind};

/// The largest offset of `vldr`, and of the first of two of them.
const NEAR: i32 = 1020;

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

    fn reg(size: FloatSize, place: Allocation) -> Reg {
        debug_assert!(place.is_reg());
        let reg = place.as_reg().unwrap_or(regs::s(0));
        match size {
            FloatSize::Single => Reg::S(regs::single_reg(reg)),
            FloatSize::Double => Reg::D(regs::double_reg(reg)),
            FloatSize::Quad => Reg::Q(regs::quad_reg(reg)),
        }
    }

    pub(super) fn single(&mut self) -> Sreg {
        let reg = self.next().as_reg();
        debug_assert!(reg.is_some());
        regs::single_reg(reg.unwrap_or(regs::s(0)))
    }

    fn double(&mut self) -> Dreg {
        let reg = self.next().as_reg();
        debug_assert!(reg.is_some());
        regs::double_reg(reg.unwrap_or(regs::d(0)))
    }

    fn extension(&mut self, size: FloatSize) -> Reg {
        let place = self.next();
        Self::reg(size, place)
    }

    /// Moves between places of one size.
    pub(super) fn move_float(&mut self, size: FloatSize, to: Allocation, from: Allocation) {
        match (to.kind(), from.kind()) {
            (AllocationKind::Reg(_), AllocationKind::Reg(_)) => {
                self.copy_float(self.cond, Self::reg(size, to), Self::reg(size, from));
            }
            (AllocationKind::Reg(_), _) => {
                let (base, offset) = self.slot(from);
                self.slot_float(Direction::Load, Self::reg(size, to), base, offset);
            }
            (_, AllocationKind::Reg(_)) => {
                let (base, offset) = self.slot(to);
                self.slot_float(Direction::Store, Self::reg(size, from), base, offset);
            }
            // The allocator goes through a register.
            _ => debug_assert!(false, "a copy from slot to slot"),
        }
    }

    fn copy_float(&mut self, cond: Cond, dst: Reg, src: Reg) {
        match (dst, src) {
            _ if dst == src => {}
            (Reg::S(dst), Reg::S(src)) => self.e.float2(cond, Float2::Vmov, dst, src),
            (Reg::D(dst), Reg::D(src)) => self.e.float2(cond, Float2::Vmov, dst, src),
            (Reg::Q(dst), Reg::Q(src)) if cond == AL => self.e.neon_mov(dst, src),
            (Reg::Q(dst), Reg::Q(src)) => {
                self.e.float2(cond, Float2::Vmov, dst.low(), src.low());
                self.e.float2(cond, Float2::Vmov, dst.high(), src.high());
            }
            _ => debug_assert!(false, "registers of two sizes"),
        }
    }

    /// Loads or stores a register at a multiple of 4; a quadword as two doublewords.
    fn slot_float(&mut self, op: Direction, reg: Reg, base: Gpr, offset: i32) {
        match reg {
            Reg::S(reg) => {
                let (base, offset) = self.reach(base, offset, NEAR);
                self.e.float_transfer(self.cond, op, reg, base, offset);
            }
            Reg::D(reg) => {
                let (base, offset) = self.reach(base, offset, NEAR);
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
                self.e.float_transfer(self.cond, op, reg.low(), base, offset);
                self.e.float_transfer(self.cond, op, reg.high(), base, offset + 8);
            }
        }
    }

    /// The address of a quadword in one register.
    fn plain_address(&mut self, amode: &Amode) -> Gpr {
        self.base_offset(amode, 0).0
    }

    pub(super) fn float(&mut self, inst: &Inst) {
        match *inst {
            Inst::MovFloat { size, .. } => {
                let src = self.next();
                let dst = self.next();
                self.move_float(size, dst, src);
            }
            Inst::CondMovFloat { cond, size, .. } => {
                let src = self.extension(size);
                let dst = self.extension(size);
                self.copy_float(cond, dst, src);
            }
            Inst::LoadFloat { size: FloatSize::Quad, mem, .. } => {
                let base = self.plain_address(&mem);
                if let Reg::Q(dst) = self.extension(FloatSize::Quad) {
                    self.e.neon_transfer_q(NeonTransfer::Vld1, dst, base);
                }
            }
            Inst::StoreFloat { size: FloatSize::Quad, mem, .. } => {
                let src = self.extension(FloatSize::Quad);
                let base = self.plain_address(&mem);
                if let Reg::Q(src) = src {
                    self.e.neon_transfer_q(NeonTransfer::Vst1, src, base);
                }
            }
            Inst::LoadFloat { size, mem, .. } => {
                let (base, offset) = self.base_offset(&mem, NEAR);
                let dst = self.extension(size);
                self.near_float(Direction::Load, dst, base, offset);
            }
            Inst::StoreFloat { size, mem, .. } => {
                let src = self.extension(size);
                let (base, offset) = self.base_offset(&mem, NEAR);
                self.near_float(Direction::Store, src, base, offset);
            }
            Inst::FloatImm { size, imm, .. } => match self.extension(size) {
                Reg::S(dst) => self.e.float_mov_imm(self.cond, dst, imm),
                Reg::D(dst) => self.e.float_mov_imm(self.cond, dst, imm),
                Reg::Q(_) => debug_assert!(false, "a scalar"),
            },
            Inst::SingleBits { bits, .. } => {
                let dst = self.single();
                self.single_bits(dst, bits);
            }
            Inst::ZeroFloat { size, .. } => {
                let zero = NeonImm::splat(Lane::B8, 0);
                match (self.extension(size), zero) {
                    (Reg::S(dst), _) => self.single_bits(dst, 0),
                    (Reg::D(dst), Some(zero)) => self.e.neon_mov_imm(dst, zero),
                    (Reg::Q(dst), Some(zero)) => self.e.neon_mov_imm(dst, zero),
                    (_, None) => debug_assert!(false, "zero can be encoded"),
                }
            }
            Inst::LoadConstant { size, symbol, .. } => {
                let dst = self.extension(size);
                self.mov_symbol(Gpr::IP, symbol, 0);
                self.slot_float(Direction::Load, dst, Gpr::IP, 0);
            }
            Inst::Float3 { op, size, .. } | Inst::Float3Acc { op, size, .. } => {
                let operands = (self.extension(size), self.extension(size), self.extension(size));
                match operands {
                    (Reg::S(lhs), Reg::S(rhs), Reg::S(dst)) => self.e.float3(self.cond, op, dst, lhs, rhs),
                    (Reg::D(lhs), Reg::D(rhs), Reg::D(dst)) => self.e.float3(self.cond, op, dst, lhs, rhs),
                    _ => debug_assert!(false, "scalars"),
                }
            }
            Inst::Float2 { op, size, .. } => match (self.extension(size), self.extension(size)) {
                (Reg::S(src), Reg::S(dst)) => self.e.float2(self.cond, op, dst, src),
                (Reg::D(src), Reg::D(dst)) => self.e.float2(self.cond, op, dst, src),
                _ => debug_assert!(false, "scalars"),
            },
            Inst::CompareFloat { size, rhs, .. } => {
                let op = FloatCompare::Vcmp;
                let lhs = self.extension(size);
                let rhs = rhs.map(|_| self.extension(size));
                match (lhs, rhs) {
                    (Reg::S(lhs), Some(Reg::S(rhs))) => self.e.float_compare(self.cond, op, lhs, rhs),
                    (Reg::D(lhs), Some(Reg::D(rhs))) => self.e.float_compare(self.cond, op, lhs, rhs),
                    (Reg::S(lhs), None) => self.e.float_compare_zero(self.cond, op, lhs),
                    (Reg::D(lhs), None) => self.e.float_compare_zero(self.cond, op, lhs),
                    _ => debug_assert!(false, "scalars"),
                }
                self.e.vmrs_flags(self.cond);
            }
            Inst::FloatWiden { .. } => {
                let src = self.single();
                let dst = self.double();
                self.e.float_widen(self.cond, dst, src);
            }
            Inst::FloatNarrow { .. } => {
                let src = self.double();
                let dst = self.single();
                self.e.float_narrow(self.cond, dst, src);
            }
            Inst::IntToFloat { op, size, .. } => {
                let src = self.single();
                match self.extension(size) {
                    Reg::S(dst) => self.e.int_to_float(self.cond, op, dst, src),
                    Reg::D(dst) => self.e.int_to_float(self.cond, op, dst, src),
                    Reg::Q(_) => debug_assert!(false, "a scalar"),
                }
            }
            Inst::FloatToInt { op, size, .. } => {
                let src = self.extension(size);
                let dst = self.single();
                match src {
                    Reg::S(src) => self.e.float_to_int(self.cond, op, dst, src),
                    Reg::D(src) => self.e.float_to_int(self.cond, op, dst, src),
                    Reg::Q(_) => debug_assert!(false, "a scalar"),
                }
            }
            Inst::CoreToSingle { .. } => {
                let src = self.gpr();
                let dst = self.single();
                self.e.vmov_s_r(self.cond, dst, src);
            }
            Inst::SingleToCore { .. } => {
                let src = self.single();
                let dst = self.gpr();
                self.e.vmov_r_s(self.cond, dst, src);
            }
            Inst::PairToDouble { .. } => {
                let (lo, hi) = (self.gpr(), self.gpr());
                let dst = self.double();
                self.e.vmov_d_rr(self.cond, dst, lo, hi);
            }
            Inst::DoubleToPair { .. } => {
                let src = self.double();
                let (lo, hi) = (self.gpr(), self.gpr());
                self.e.vmov_rr_d(self.cond, lo, hi, src);
            }
            _ => self.vector(inst),
        }
    }

    /// A scalar in memory, at an offset in reach.
    fn near_float(&mut self, op: Direction, reg: Reg, base: Gpr, offset: i32) {
        match reg {
            Reg::S(reg) => self.e.float_transfer(self.cond, op, reg, base, offset),
            Reg::D(reg) => self.e.float_transfer(self.cond, op, reg, base, offset),
            Reg::Q(_) => debug_assert!(false, "a scalar"),
        }
    }

    fn single_bits(&mut self, dst: Sreg, bits: u32) {
        self.e.mov_u32(self.cond, Gpr::IP, bits);
        self.e.vmov_s_r(self.cond, dst, Gpr::IP);
    }
}

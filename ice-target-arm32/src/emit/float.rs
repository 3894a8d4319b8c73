//! Extension registers: scalar floating point, and vectors as a whole.
//!
//! `vldr` and `vstr` need addresses at multiples of 4, which lowering sees to; quadwords in memory are read and
//! written by bytes, at any address.

use super::{AL, Emitter, WRONG_SIZE};
use crate::inst::{Amode, FloatSize, Inst};
use crate::regs::{self, DOUBLE, SINGLE};
use ice_asm::Listing;
use ice_asm::arm32::{
    Cond, Direction, Dreg, Float2, FloatCompare, Gpr, Lane, NeonImm, NeonTransfer, Qreg, Sreg,
};
use ice_codegen::emission::{InstEmitter as _, NO_REGISTER};
use ice_codegen::mach::RegClass;
use ice_regalloc::Allocation;

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

    pub(super) fn single(&mut self) -> Sreg {
        let place = self.next();
        self.certain(regs::as_single(place), Sreg::new(0))
    }

    fn double(&mut self) -> Dreg {
        let place = self.next();
        self.certain(regs::as_double(place), Dreg::new(0))
    }

    fn extension(&mut self, size: FloatSize) -> Reg {
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
            _ => self.fault(WRONG_SIZE),
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
                Reg::Q(_) => self.fault(WRONG_SIZE),
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
                    (_, None) => self.fault("zero cannot be encoded"),
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
                    _ => self.fault(WRONG_SIZE),
                }
            }
            Inst::Float2 { op, size, .. } => match (self.extension(size), self.extension(size)) {
                (Reg::S(src), Reg::S(dst)) => self.e.float2(self.cond, op, dst, src),
                (Reg::D(src), Reg::D(dst)) => self.e.float2(self.cond, op, dst, src),
                _ => self.fault(WRONG_SIZE),
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
                    _ => self.fault(WRONG_SIZE),
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
                    Reg::Q(_) => self.fault(WRONG_SIZE),
                }
            }
            Inst::FloatToInt { op, size, .. } => {
                let src = self.extension(size);
                let dst = self.single();
                match src {
                    Reg::S(src) => self.e.float_to_int(self.cond, op, dst, src),
                    Reg::D(src) => self.e.float_to_int(self.cond, op, dst, src),
                    Reg::Q(_) => self.fault(WRONG_SIZE),
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
            Reg::Q(_) => self.fault(WRONG_SIZE),
        }
    }

    fn single_bits(&mut self, dst: Sreg, bits: u32) {
        self.e.mov_u32(self.cond, Gpr::IP, bits);
        self.e.vmov_s_r(self.cond, dst, Gpr::IP);
    }
}

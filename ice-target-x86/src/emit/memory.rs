//! Sums, comparisons, and operations on memory.

use super::Emitter;
use crate::inst::{Amount, Compare, Inst, Src};
use crate::regs;
use ice_asm::Listing;
use ice_asm::x86::{self, Alu, Gpr, Imm, Mem, Mode, Rm, Scale, Target as MemTarget, Unary, Width};
use ice_codegen::emission::{InstEmitter as _, WRONG_KIND};

impl<L: Listing> Emitter<'_, L> {
    /// `dst = mem` as an address. The upper half of a 32-bit result is zero without the prefix for 32-bit
    /// addresses; a sum with what is in `dst` already is a shorter `add`.
    pub(super) fn sum(&mut self, width: Width, dst: Gpr, mem: Mem) {
        let mem = Mem { address_size: x86::AddressSize::Native, ..mem };
        let plain = mem.index.is_none_or(|(_, scale)| scale == Scale::X1);
        let base = match (mem.base, mem.target) {
            (x86::Base::Reg(base), MemTarget::None) => base,
            _ => return self.e.lea(width, dst, mem),
        };
        match mem.index {
            None if base == dst => match mem.disp {
                0 if width == Width::B64 || self.mode == Mode::Bits32 => {}
                1 => self.e.unary_rm(Unary::Inc, width, Rm::Reg(dst)),
                -1 => self.e.unary_rm(Unary::Dec, width, Rm::Reg(dst)),
                128 => self.e.alu_rm_i(Alu::Sub, width, Rm::Reg(dst), Imm::from(-128)),
                disp => self.e.alu_rm_i(Alu::Add, width, Rm::Reg(dst), Imm::from(disp)),
            },
            Some((index, _)) if plain && mem.disp == 0 && base == dst => {
                self.e.alu_rm_r(Alu::Add, width, Rm::Reg(dst), index);
            }
            Some((index, _)) if plain && mem.disp == 0 && index == dst => {
                self.e.alu_rm_r(Alu::Add, width, Rm::Reg(dst), base);
            }
            _ => self.e.lea(width, dst, mem),
        }
    }

    /// Comparisons of memory and operations on it.
    pub(super) fn on_memory(&mut self, inst: &Inst) {
        match *inst {
            Inst::CompareMem { op, width, mem, imm } => {
                let mem = Rm::Mem(self.mem(&mem));
                match op {
                    Compare::Cmp => self.e.alu_rm_i(Alu::Cmp, width, mem, Imm::from(imm)),
                    Compare::Test => {
                        let (width, imm) = short_test(width, imm);
                        self.e.test_rm_i(width, mem, Imm::from(imm));
                    }
                }
            }
            Inst::AluMem { op, width, mem, .. } => {
                let src = self.gpr();
                let mem = self.mem(&mem);
                self.e.alu_rm_r(op, width, Rm::Mem(mem), src);
            }
            Inst::AluMemImm { op, width, imm, mem } => {
                let mem = self.mem(&mem);
                self.e.alu_rm_i(op, width, Rm::Mem(mem), Imm::from(imm));
            }
            Inst::UnaryMem { op, width, mem } => {
                let mem = self.mem(&mem);
                self.e.unary_rm(op, width, Rm::Mem(mem));
            }
            Inst::ShiftMem { op, width, amount, mem } => match amount {
                Amount::Imm(n) => {
                    let mem = self.mem(&mem);
                    self.e.shift_rm_i(op, width, Rm::Mem(mem), n);
                }
                Amount::Cl(_) => {
                    self.next();
                    let mem = self.mem(&mem);
                    self.e.shift_rm_cl(op, width, Rm::Mem(mem));
                }
            },
            _ => self.fault(WRONG_KIND),
        }
    }

    /// Comparison with zero in a register is a shorter `test` with the same flags.
    pub(super) fn compare(&mut self, op: Compare, width: Width, rhs: &Src) {
        match (op, rhs) {
            (_, Src::Imm(_) | Src::Symbol(..)) => {
                let place = self.next();
                match (op, rhs, regs::as_gpr(place)) {
                    (Compare::Cmp, Src::Imm(0), Some(reg)) => return self.e.test_r_r(width, reg, reg),
                    (Compare::Cmp, &Src::Imm(imm), Some(reg)) => {
                        return self.e.alu_r_i(Alu::Cmp, width, reg, imm);
                    }
                    _ => {}
                }
                let lhs = self.place_rm(place);
                match (op, rhs, lhs) {
                    (Compare::Cmp, ..) => {
                        let imm = self.immediate(rhs);
                        self.e.alu_rm_i(Alu::Cmp, width, lhs, imm);
                    }
                    (Compare::Test, Src::Imm(imm), Rm::Mem(_)) => {
                        let (width, imm) = short_test(width, *imm);
                        self.e.test_rm_i(width, lhs, Imm::from(imm));
                    }
                    (Compare::Test, Src::Imm(imm), Rm::Reg(reg))
                        if self.mode == Mode::Bits64 || reg.number() < 4 =>
                    {
                        let (width, imm) = short_test(width, *imm);
                        self.e.test_rm_i(width, lhs, Imm::from(imm));
                    }
                    (Compare::Test, ..) => {
                        let imm = self.immediate(rhs);
                        self.e.test_rm_i(width, lhs, imm);
                    }
                }
            }
            _ => {
                let lhs = self.gpr();
                let rhs = self.src_rm(rhs);
                match (op, rhs) {
                    (Compare::Cmp, Rm::Reg(rhs)) => self.e.alu_r_r(Alu::Cmp, width, lhs, rhs),
                    (Compare::Cmp, _) => self.e.alu_r_rm(Alu::Cmp, width, lhs, rhs),
                    (Compare::Test, _) => self.e.test_rm_r(width, rhs, lhs),
                }
            }
        }
    }
}

/// The same `test` of fewer bytes: bits 7 to 31 of the constant are zero, so they are in the result.
fn short_test(width: Width, imm: i32) -> (Width, i32) {
    if (0..=0x7f).contains(&imm) { (Width::B8, imm) } else { (width, imm) }
}

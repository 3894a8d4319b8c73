//! Loads and stores, sums, and comparisons.

use super::{Emitter, after};
use crate::inst::{Compare, Src};
use crate::regs::{self, GPR};
use ice_asm::x86::{self, Alu, Gpr, Imm, Mem, Mode, Rm, Scale, Target as MemTarget, Unary, Width};
use ice_asm::{Listing, RelocKind, SymbolId};
use ice_codegen::emission::InstEmitter as _;

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
                0 if width == Width::B64 || self.mode == Mode::Bits32 => return,
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
            _ => return self.e.lea(width, dst, mem),
        }
        self.note_flags(width, dst, false);
    }

    pub(super) fn load(&mut self, width: Width, dst: Gpr, mem: Mem) {
        match width {
            Width::B8 | Width::B16 => self.e.movzx(dst, Width::B32, Rm::Mem(mem), width),
            _ => self.e.mov_r_rm(width, dst, Rm::Mem(mem)),
        }
    }

    pub(super) fn load_pair(&mut self, lo: Gpr, hi: Gpr, mem: Mem) {
        self.e.mov_r_rm(Width::B32, lo, Rm::Mem(mem));
        self.e.mov_r_rm(Width::B32, hi, Rm::Mem(after(mem)));
    }

    pub(super) fn store_pair(&mut self, lo: Gpr, hi: Gpr, mem: Mem) {
        self.e.mov_rm_r(Width::B32, Rm::Mem(mem), lo);
        self.e.mov_rm_r(Width::B32, Rm::Mem(after(mem)), hi);
    }

    pub(super) fn store_symbol(&mut self, symbol: SymbolId, addend: i32, mem: Mem) {
        let imm = Imm::Symbol(symbol, RelocKind::Abs32, addend);
        self.e.mov_rm_i(Width::B32, Rm::Mem(mem), imm);
    }

    pub(super) fn compare_mem(&mut self, op: Compare, width: Width, mem: Mem, imm: i32) {
        match op {
            Compare::Cmp => self.e.alu_rm_i(Alu::Cmp, width, Rm::Mem(mem), Imm::from(imm)),
            Compare::Test => {
                let (width, imm) = short_test(width, imm);
                self.e.test_rm_i(width, Rm::Mem(mem), Imm::from(imm));
            }
        }
    }

    /// Comparison with zero in a register is a shorter `test` with the same flags.
    pub(super) fn compare(&mut self, op: Compare, width: Width, rhs: &Src) {
        match (op, rhs) {
            (_, Src::Imm(_) | Src::Symbol(..)) => {
                let place = self.next();
                match (op, rhs, regs::as_gpr(place)) {
                    (Compare::Cmp, Src::Imm(0), Some(reg)) if self.has_flags_of(width, reg) => return,
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
                let lhs = self.register();
                let rhs = self.rm(*rhs, GPR);
                match (op, rhs) {
                    (Compare::Cmp, Rm::Reg(rhs)) => self.e.alu_r_r(Alu::Cmp, width, lhs, rhs),
                    (Compare::Cmp, _) => self.e.alu_r_rm(Alu::Cmp, width, lhs, rhs),
                    (Compare::Test, _) => self.e.test_rm_r(width, rhs, lhs),
                }
            }
        }
    }
}

/// A `test` in as few bytes as do: where bits 7 to 31 of the constant are zero, so they are in the result.
fn short_test(width: Width, imm: i32) -> (Width, i32) {
    if (0..=0x7f).contains(&imm) { (Width::B8, imm) } else { (width, imm) }
}

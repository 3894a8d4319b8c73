//! Single instructions: their rows as the one `match`, the short way for the frequent ones, and encodings of general
//! registers of more than one call.

use super::Emitter;
use crate::inst::{FLAG, Inst, Src, instructions};
use crate::regs::*;
use ice_asm::mips32::{AluSigned, FromHiLo, Gpr, Jump, MultiplyDivide, Transmit};
use ice_asm::{Listing, SymbolId};
use ice_codegen::emission::BranchEmitter as _;

/// The code of a break that ends the program.
const TRAP: u16 = 0;

impl<L: Listing> Emitter<'_, L> {
    /// Emits the most frequent instructions, where their operands are those that they have most often; says whether it
    /// did.
    #[inline(always)]
    pub(super) fn usual_inst(&mut self, inst: &Inst) -> bool {
        match inst {
            Inst::Params => {}
            Inst::MovImm { imm, .. } => {
                let [dst] = self.cursor.places() else { return false };
                let Some((dst, imm)) = as_gpr(*dst).zip(i16::try_from(*imm as i32).ok()) else {
                    return false;
                };
                self.e.alu_signed(AluSigned::Addiu, dst, Gpr::ZERO, i32::from(imm));
            }
            Inst::Load { op, mem, .. } => {
                let Some((mem, [dst])) = self.usual_mem(mem, self.cursor.places()) else { return false };
                let Some(dst) = as_gpr(*dst) else { return false };
                self.e.transfer(*op, dst, mem);
            }
            Inst::Store { op, src: Src::Reg(_), mem } => {
                let [src, places @ ..] = self.cursor.places() else { return false };
                let Some((mem, [])) = self.usual_mem(mem, places) else { return false };
                let Some(src) = as_gpr(*src) else { return false };
                self.e.transfer(*op, src, mem);
            }
            Inst::Alu { op, lhs: Src::Reg(_), rhs: Src::Reg(_), .. } => {
                let &[lhs, rhs, dst] = self.cursor.places() else { return false };
                let (Some(lhs), Some(rhs), Some(dst)) = (as_gpr(lhs), as_gpr(rhs), as_gpr(dst)) else {
                    return false;
                };
                self.e.alu(*op, dst, lhs, rhs);
            }
            Inst::AluSigned { op, imm, .. } => {
                let &[lhs, dst] = self.cursor.places() else { return false };
                let Some((lhs, dst)) = as_gpr(lhs).zip(as_gpr(dst)) else { return false };
                self.e.alu_signed(*op, dst, lhs, i32::from(*imm));
            }
            Inst::Mov { .. } => {
                let &[src, dst] = self.cursor.places() else { return false };
                let Some((src, dst)) = as_gpr(src).zip(as_gpr(dst)) else { return false };
                self.copy(dst, src);
            }
            _ => return false,
        }
        true
    }

    instructions!(ice_codegen::encode_insts!);

    fn hi_lo(&mut self, op: MultiplyDivide, half: FromHiLo, dst: Gpr, [lhs, rhs]: [Gpr; 2]) {
        self.e.multiply_divide(op, lhs, rhs);
        self.e.from_hi_lo(half, dst);
    }

    fn multiply_long(&mut self, op: MultiplyDivide, [lo, hi]: [Gpr; 2], [lhs, rhs]: [Gpr; 2]) {
        self.e.multiply_divide(op, lhs, rhs);
        self.e.from_hi_lo(FromHiLo::Mflo, lo);
        self.e.from_hi_lo(FromHiLo::Mfhi, hi);
    }

    fn call(&mut self, callee: Option<SymbolId>, base: Option<Gpr>) {
        match callee {
            Some(symbol) => self.e.jump_symbol(Jump::Jal, symbol),
            None => self.e.jalr(Gpr::RA, Gpr::T9),
        }
        match base {
            Some(base) => self.copy(Gpr::GP, base),
            None => self.e.fill_slot(),
        }
    }

    /// A fault that is none of arithmetic.
    fn trap(&mut self) {
        self.e.breakpoint(TRAP);
    }

    fn unreachable(&mut self) {
        self.trap();
        self.e.buf.stop_flow();
    }
}

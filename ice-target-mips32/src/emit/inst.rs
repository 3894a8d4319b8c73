//! Single instructions: their rows as the one `match`, and encodings of general registers of more than one call.

use super::Emitter;
use crate::inst::{FLAG, Inst, instructions};
use crate::regs::*;
use ice_asm::mips32::{FromHiLo, Gpr, Jump, MultiplyDivide, ToHiLo, Transfer, Transmit};
use ice_asm::{Listing, SymbolId};
use ice_codegen::emission::{BranchEmitter as _, InstEmitter as _, StackSteps as _};
use ice_codegen::mach::MachBlock;

/// The code of a break that ends the program.
const TRAP: u16 = 0;
/// Bytes of a call and its slot.
const CALL_WITH_SLOT: u32 = 8;

impl<L: Listing> Emitter<'_, L> {
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

    fn multiply_add(&mut self, op: MultiplyDivide, to: [Gpr; 2], [lo, hi]: [Gpr; 2], factors: [Gpr; 2]) {
        self.e.to_hi_lo(ToHiLo::Mtlo, lo);
        self.e.to_hi_lo(ToHiLo::Mthi, hi);
        self.multiply_long(op, to, factors);
    }

    fn call(&mut self, callee: Option<SymbolId>, base: Option<Gpr>) {
        if self.is_grouped {
            return self.call_in_group(callee, base);
        }
        match callee {
            Some(symbol) => self.e.jump_symbol(Jump::Jal, symbol),
            None => self.e.jalr(Gpr::RA, Gpr::T9),
        }
        match base {
            Some(base) => self.copy(Gpr::GP, base),
            None => self.e.fill_slot(),
        }
    }

    /// A call that ends its block, whose exceptions go to a pad, which wants what the function's pad of a number says. The
    /// address that it returns to is behind its slot.
    fn invoke(
        &mut self,
        (callee, base): (Option<SymbolId>, Option<Gpr>),
        normal: MachBlock,
        (pad, clauses): (MachBlock, u32),
    ) {
        let start_of_pad = self.target_label(pad);
        self.e.buf.pin(start_of_pad);
        self.call(callee, base);
        let end = self.e.buf.note_end();
        self.sites.note(end, CALL_WITH_SLOT, pad, clauses);
        self.jump_to(normal);
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

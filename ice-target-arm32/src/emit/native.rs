//! What only native programs need: addresses relative to the code, linker tables, thread-local storage, copies of
//! arguments.

use super::{AL, Emitter, imm};
use crate::inst::Inst;
use ice_asm::arm32::{Alu, Cond, Flags, Gpr, Index, Mem, Transfer};
use ice_asm::{Listing, SymbolId};

impl<L: Listing> Emitter<'_, L> {
    /// The address of a symbol that is in the linked module.
    pub(super) fn mov_symbol(&mut self, dst: Gpr, symbol: SymbolId, addend: i16) {
        match self.target.is_position_independent() {
            true => self.e.mov_symbol_relative(dst, symbol, addend),
            false => self.e.mov_symbol(AL, dst, symbol, addend),
        }
    }

    pub(super) fn native(&mut self, inst: &Inst) {
        match *inst {
            Inst::LoadTableEntry { symbol, .. } => {
                let dst = self.gpr();
                self.mov_symbol(dst, symbol, 0);
            }
            Inst::ThreadPointer { .. } => {
                let dst = self.gpr();
                self.e.read_thread_id(AL, dst);
            }
            Inst::CopyWords { .. } => {
                let (dst, src, count, word) = (self.gpr(), self.gpr(), self.gpr(), self.gpr());
                let again = self.e.buf.new_label();
                self.e.bind(again);
                let next = |base| Mem { index: Index::Post, ..Mem::new(base, 4) };
                self.e.transfer(AL, Transfer::Ldr, word, next(src));
                self.e.transfer(AL, Transfer::Str, word, next(dst));
                self.e.alu(AL, Alu::Sub, Flags::Set, count, count, imm(1));
                self.e.jump_if(Cond::Ne, again);
            }
            _ => debug_assert!(false, "{inst:?} is not of native programs"),
        }
    }
}

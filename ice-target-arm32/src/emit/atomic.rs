//! Loops of exclusive loads and stores (DDI 0406C A3.4). ip takes the result of the store.
//!
//! Between load and store there is no other access to memory, as the manual demands: the allocator puts
//! nothing inside an instruction.

use super::{AL, Emitter, imm};
use crate::inst::Inst;
use ice_asm::Listing;
use ice_asm::arm32::{Compare, Cond, Exclusive, Flags, Gpr};
use ice_codegen::emission::{InstEmitter as _, WRONG_KIND};

impl<L: Listing> Emitter<'_, L> {
    /// Stores and goes back to `again` if somebody else was there in between.
    fn store_or_repeat(&mut self, width: Exclusive, value: Gpr, address: Gpr, again: ice_asm::Label) {
        self.e.store_exclusive(AL, width, Gpr::IP, value, address);
        self.e.compare(AL, Compare::Cmp, Gpr::IP, imm(0));
        self.e.jump_if(Cond::Ne, again);
    }

    pub(super) fn atomic(&mut self, inst: &Inst) {
        let again = self.e.buf.new_label();
        match *inst {
            Inst::AtomicRmw { op, width, .. } => {
                let (src, address) = (self.gpr(), self.gpr());
                let (old, new) = (self.gpr(), self.gpr());
                self.e.bind(again);
                self.e.load_exclusive(AL, width, old, address);
                let value = match op {
                    Some(op) => {
                        self.e.alu(AL, op, Flags::Keep, new, old, src);
                        new
                    }
                    None => src,
                };
                self.store_or_repeat(width, value, address, again);
            }
            Inst::AtomicRmwPair { op, .. } => {
                let (lo, hi, address) = (self.gpr(), self.gpr(), self.gpr());
                let [old_lo, old_hi, new_lo, new_hi] = [self.gpr(), self.gpr(), self.gpr(), self.gpr()];
                self.e.bind(again);
                self.e.load_exclusive(AL, Exclusive::Double, old_lo, address);
                match op {
                    Some((low, high)) => {
                        self.e.alu(AL, low, Flags::Set, new_lo, old_lo, lo);
                        self.e.alu(AL, high, Flags::Keep, new_hi, old_hi, hi);
                    }
                    None => {
                        self.copy(new_lo, lo);
                        self.copy(new_hi, hi);
                    }
                }
                self.store_or_repeat(Exclusive::Double, new_lo, address, again);
            }
            Inst::AtomicCmpxchg { width, .. } => {
                let (expected, new, address) = (self.gpr(), self.gpr(), self.gpr());
                let old = self.gpr();
                let done = self.e.buf.new_label();
                self.e.bind(again);
                self.e.load_exclusive(AL, width, old, address);
                self.e.compare(AL, Compare::Cmp, old, expected);
                self.e.jump_if(Cond::Ne, done);
                self.store_or_repeat(width, new, address, again);
                self.e.bind(done);
            }
            Inst::AtomicCmpxchgPair { .. } => {
                let (lo, hi, address) = (self.gpr(), self.gpr(), self.gpr());
                let [new_lo, _, old_lo, old_hi] = [self.gpr(), self.gpr(), self.gpr(), self.gpr()];
                let done = self.e.buf.new_label();
                self.e.bind(again);
                self.e.load_exclusive(AL, Exclusive::Double, old_lo, address);
                self.e.compare(AL, Compare::Cmp, old_lo, lo);
                self.e.compare(Cond::Eq, Compare::Cmp, old_hi, hi);
                self.e.jump_if(Cond::Ne, done);
                self.store_or_repeat(Exclusive::Double, new_lo, address, again);
                self.e.bind(done);
            }
            Inst::AtomicLoadPair { .. } => {
                let address = self.gpr();
                let lo = self.gpr();
                self.e.load_exclusive(AL, Exclusive::Double, lo, address);
            }
            _ => self.fault(WRONG_KIND),
        }
    }
}

//! Loops of `ldaxr` and `stlxr`. x16 takes the new value, x17 the result of the store.
//!
//! Between load and store there is no other access to memory: the allocator puts nothing inside an instruction.

use super::Emitter;
use crate::inst::Update;
use ice_asm::aarch64::{BranchCond, Compare, Cond, Exclusive, Extend, Gpr, Operand, StoreExclusive, Width};
use ice_asm::{Label, Listing};

/// The width of the registers for what is accessed.
const fn width_of(size_log2: u8) -> Width {
    if size_log2 == 3 { Width::X } else { Width::W }
}

impl<L: Listing> Emitter<'_, L> {
    /// Begins a loop with a load.
    fn load_linked(&mut self, size_log2: u8, old: Gpr, address: Gpr) -> Label {
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.e.load_exclusive(Exclusive::Ldaxr, size_log2, old, address);
        again
    }

    /// Stores, and goes back to `again` if somebody else was there in between.
    fn store_or_repeat(&mut self, size_log2: u8, src: Gpr, address: Gpr, again: Label) {
        self.e.store_exclusive(StoreExclusive::Stlxr, size_log2, Gpr::IP1, src, address);
        self.e.jump_if(BranchCond::NonZero(Width::W, Gpr::IP1), again);
    }

    pub(super) fn atomic_rmw(&mut self, op: Update, size_log2: u8, old: Gpr, src: Gpr, address: Gpr) {
        let again = self.load_linked(size_log2, old, address);
        let new = match op {
            Update::Exchange => src,
            Update::Alu(op) => {
                self.e.alu(op, width_of(size_log2), Gpr::IP0, old, src);
                Gpr::IP0
            }
        };
        self.store_or_repeat(size_log2, new, address, again);
    }

    /// What is above a narrow expected value is not compared.
    pub(super) fn atomic_cmpxchg(&mut self, size_log2: u8, old: Gpr, expected: Gpr, new: Gpr, address: Gpr) {
        let done = self.e.buf.new_label();
        let again = self.load_linked(size_log2, old, address);
        let expected = match size_log2 {
            0 if expected != Gpr::ZERO => Operand::Extend(expected, Extend::Uxtb, 0),
            1 if expected != Gpr::ZERO => Operand::Extend(expected, Extend::Uxth, 0),
            _ => Operand::Reg(expected),
        };
        self.e.compare(Compare::Cmp, width_of(size_log2), old, expected);
        self.e.jump_if(BranchCond::Flags(Cond::Ne), done);
        self.store_or_repeat(size_log2, new, address, again);
        self.e.bind(done);
    }
}

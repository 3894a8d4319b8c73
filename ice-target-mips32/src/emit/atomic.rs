//! Loops of `ll` and `sc` (MD00086). $at takes the result of the store.
//!
//! Between load and store there is no other access to memory and no branch that is taken: the allocator puts nothing
//! inside an instruction.

use super::Emitter;
use ice_asm::mips32::{Alu, Cond, Gpr, Mem, Slot, Transfer};
use ice_asm::{Label, Listing};

impl<L: Listing> Emitter<'_, L> {
    /// Begins a loop with a load.
    fn load_linked(&mut self, old: Gpr, address: Gpr) -> Label {
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.transfer(Transfer::Ll, old, Mem::new(address, 0));
        again
    }

    /// Stores $at and goes back to `again` if somebody else was there in between.
    fn store_or_repeat(&mut self, address: Gpr, again: Label) {
        self.transfer(Transfer::Sc, Gpr::AT, Mem::new(address, 0));
        self.e.branch(Some(Cond::Eq(Gpr::AT, Gpr::ZERO)), again, Slot::default());
    }

    pub(super) fn atomic_rmw(&mut self, op: Option<Alu>, old: Gpr, src: Gpr, address: Gpr) {
        let again = self.load_linked(old, address);
        match op {
            Some(op) => self.e.alu(op, Gpr::AT, old, src),
            None => self.copy(Gpr::AT, src),
        }
        self.store_or_repeat(address, again);
    }

    /// The bits that change, of those in the mask, are inverted.
    pub(super) fn atomic_rmw_part(
        &mut self,
        op: Option<Alu>,
        [old, new]: [Gpr; 2],
        src: Gpr,
        [mask, address]: [Gpr; 2],
    ) {
        let again = self.load_linked(old, address);
        match op {
            Some(op) => {
                self.e.alu(op, new, old, src);
                self.e.alu(Alu::Xor, new, new, old);
            }
            None => self.e.alu(Alu::Xor, new, src, old),
        }
        self.e.alu(Alu::And, new, new, mask);
        self.e.alu(Alu::Xor, Gpr::AT, new, old);
        self.store_or_repeat(address, again);
    }

    pub(super) fn atomic_cmpxchg(&mut self, old: Gpr, [expected, new]: [Gpr; 2], address: Gpr) {
        let done = self.e.buf.new_label();
        let again = self.load_linked(old, address);
        self.e.branch(Some(Cond::Ne(old, expected)), done, Slot::default());
        self.copy(Gpr::AT, new);
        self.store_or_repeat(address, again);
        self.e.bind(done);
    }

    pub(super) fn atomic_cmpxchg_part(
        &mut self,
        old: Gpr,
        [expected, new]: [Gpr; 2],
        [mask, address]: [Gpr; 2],
    ) {
        let done = self.e.buf.new_label();
        let again = self.load_linked(old, address);
        self.e.alu(Alu::And, Gpr::AT, old, mask);
        self.e.branch(Some(Cond::Ne(Gpr::AT, expected)), done, Slot::default());
        // What is there outside of the mask, and the bits that are stored.
        self.e.alu(Alu::Xor, Gpr::AT, Gpr::AT, old);
        self.e.alu(Alu::Or, Gpr::AT, Gpr::AT, new);
        self.store_or_repeat(address, again);
        self.e.bind(done);
    }
}

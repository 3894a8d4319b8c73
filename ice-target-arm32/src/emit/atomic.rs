//! Loops of exclusive loads and stores (DDI 0406C A3.4). ip takes the result of the store.
//!
//! Between load and store there is no other access to memory, as the manual demands: the allocator puts
//! nothing inside an instruction.

use super::{AL, Emitter, imm};
use ice_asm::Listing;
use ice_asm::arm32::{Alu, Compare, Cond, Exclusive, Flags, Gpr};

impl<L: Listing> Emitter<'_, L> {
    /// Stores and goes back to `again` if somebody else was there in between.
    fn store_or_repeat(&mut self, width: Exclusive, value: Gpr, address: Gpr, again: ice_asm::Label) {
        self.confine(address);
        self.e.store_exclusive(AL, width, Gpr::IP, value, address);
        self.e.compare(AL, Compare::Cmp, Gpr::IP, imm(0));
        self.e.jump_if(Cond::Ne, again);
    }

    pub(super) fn atomic_load_pair(&mut self, dst: [Gpr; 2], address: Gpr) {
        self.confine(address);
        self.e.load_exclusive(AL, Exclusive::Double, dst[0], address);
    }

    pub(super) fn atomic_rmw(
        &mut self,
        op: Option<Alu>,
        width: Exclusive,
        [old, new]: [Gpr; 2],
        src: Gpr,
        address: Gpr,
    ) {
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.confine(address);
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

    pub(super) fn atomic_rmw_pair(
        &mut self,
        op: Option<(Alu, Alu)>,
        old: [Gpr; 2],
        new: [Gpr; 2],
        src: [Gpr; 2],
        address: Gpr,
    ) {
        let again = self.e.buf.new_label();
        self.e.bind(again);
        self.confine(address);
        self.e.load_exclusive(AL, Exclusive::Double, old[0], address);
        match op {
            Some((low, high)) => {
                self.e.alu(AL, low, Flags::Set, new[0], old[0], src[0]);
                self.e.alu(AL, high, Flags::Keep, new[1], old[1], src[1]);
            }
            None => {
                self.copy(new[0], src[0]);
                self.copy(new[1], src[1]);
            }
        }
        self.store_or_repeat(Exclusive::Double, new[0], address, again);
    }

    pub(super) fn atomic_cmpxchg(
        &mut self,
        width: Exclusive,
        old: Gpr,
        expected: Gpr,
        new: Gpr,
        address: Gpr,
    ) {
        let again = self.e.buf.new_label();
        let done = self.e.buf.new_label();
        self.e.bind(again);
        self.confine(address);
        self.e.load_exclusive(AL, width, old, address);
        self.e.compare(AL, Compare::Cmp, old, expected);
        self.e.jump_if(Cond::Ne, done);
        self.store_or_repeat(width, new, address, again);
        self.e.bind(done);
    }

    pub(super) fn atomic_cmpxchg_pair(
        &mut self,
        old: [Gpr; 2],
        expected: [Gpr; 2],
        new: [Gpr; 2],
        address: Gpr,
    ) {
        let again = self.e.buf.new_label();
        let done = self.e.buf.new_label();
        self.e.bind(again);
        self.confine(address);
        self.e.load_exclusive(AL, Exclusive::Double, old[0], address);
        self.e.compare(AL, Compare::Cmp, old[0], expected[0]);
        self.e.compare(Cond::Eq, Compare::Cmp, old[1], expected[1]);
        self.e.jump_if(Cond::Ne, done);
        self.store_or_repeat(Exclusive::Double, new[0], address, again);
        self.e.bind(done);
    }
}

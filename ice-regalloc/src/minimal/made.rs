//! Values that the instruction which defines them can make again: constants, addresses, arguments on the stack.
//!
//! The home of such a value is that instruction, and always has the value: it is never stored, and where it is not in a
//! register it is made there, or read in the memory that the instruction loads from. The definition itself is left out
//! if the block has no use for a register with the value: if it is read in other blocks only, or passed on by an edge, and
//! always if it is in memory, where a use finds it as it finds others in their slots.
//!
//! Treated so are values that are read outside of their block or passed on: what is read nearby costs less in a register
//! from the start. They must have one definition, and no block before it, in the order of blocks, may have looked for the
//! value in a slot.

use super::Allocator;
use crate::function::Remat;
use crate::operand::{Inst, Operand};
use crate::output::Allocation;
use crate::scan::{MADE, SEVERAL};

impl Allocator<'_> {
    /// Whether what the operand of index `at` defines is read outside of the block, or passed on: uses from `border` on are
    /// not by instructions of the block.
    #[inline(always)]
    pub(super) fn is_used_elsewhere(&self, at: usize, border: u32) -> bool {
        self.aheads[at].next >= border || self.vregs[self.operands[at].index()].is_cross()
    }

    /// Makes `inst`, whose operand has the index `at`, the home of what it defines, and leaves the definition out, if that
    /// is how it is done; otherwise it is allocated as others are.
    #[inline(never)]
    pub(super) fn make(&mut self, inst: Inst, at: usize, border: u32, remat: Remat) -> bool {
        let state = &mut self.vregs[self.operands[at].index()];
        if state.flags & SEVERAL != 0 || !state.home.is_none() {
            return false;
        }
        state.home = Allocation::remat(inst);
        state.flags |= MADE;
        let is_left_out = remat == Remat::Memory || state.next_of(self.aheads[at]) >= border;
        if is_left_out {
            state.advance(self.aheads[at]);
        }
        is_left_out
    }

    /// Whether an operand may be in this home of its value.
    pub(super) fn is_readable(&self, home: Allocation) -> bool {
        // A register that is a home may not be of the operand's class; where it is, the operand has it already.
        !home.is_reg()
            && home.as_remat().is_none_or(|inst| self.func.rematerialize(inst) == Some(Remat::Memory))
    }

    /// Whether the use must be in a register, in whatever it says, because it may not be in the home of its value.
    pub(super) fn wants_register(&self, op: Operand) -> bool {
        op.is_reg() || !self.is_readable(self.vregs[op.index()].home)
    }

    /// The home, as the place of an operand.
    pub(super) fn read(&mut self, home: Allocation) -> Allocation {
        self.out.stats.rematerialized += u32::from(home.is_remat());
        home
    }
}

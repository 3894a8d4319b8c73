//! Fused instructions: which instructions do the work of others, decided on allocated code before it is written.
//!
//! *Problem.* Some machines have instructions that do what two of the IR do: an access that moves its address, an access to two
//! registers. Which pairs of instructions can be one is known only when they have registers.
//!
//! *Method.* When the walk of [`emission`](crate::emission) comes to the first instruction of a block that can be part of a pair, a
//! [`Plan`] is made for it and all behind it; emission then does what the plan says of each. A decision is taken once: what
//! an instruction is part of is not asked again at the other. In debug builds a [`Ledger`] proves that each instruction is done by
//! somebody, once.
//!
//! | file | content |
//! |---|---|
//! | `plan.rs` | the pairs of a block |
//! | `writeback.rs` | an addition to an address in the access beside it |
//! | `ledger.rs` | the proof |
//!
//! What is particular to a machine is in its folder `fuse`.

mod ledger;
mod plan;
mod writeback;

pub use ledger::Ledger;
pub use plan::{Doer, Fate, Pair, Plan, Recent};
pub use writeback::{SteppingAccess, SteppingInst, When, Writeback, Writebacks};

use crate::mach::{MachFunction, MachInst, MachInstId};
use ice_regalloc::{Allocation, Edit, Output, ProgPoint};

/// A fault: what was planned for an instruction does not fit it.
pub const NOT_PLANNED: &str = "the plan for it is that of another instruction";

/// A function and where its operands are.
pub struct AllocatedCode<'a, I> {
    /// The function.
    pub mach: &'a MachFunction<I>,
    /// The places of its operands.
    pub allocation: &'a Output,
}

impl<I> Clone for AllocatedCode<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for AllocatedCode<'_, I> {}

/// The instruction `n` further on.
pub fn later(inst: MachInstId, n: usize) -> MachInstId {
    MachInstId::from_u32(inst.as_u32() + n as u32)
}

impl<'a, I: MachInst> AllocatedCode<'a, I> {
    /// The instructions behind `inst`, up to the one with the index `end`.
    pub fn behind(self, inst: MachInstId, end: usize) -> &'a [I] {
        self.mach.insts().get(inst.as_u32() as usize + 1..end).unwrap_or(&[])
    }

    /// The places of the operands of an instruction.
    pub fn places(self, inst: MachInstId) -> &'a [Allocation] {
        self.allocation.allocs_of(self.mach.body(), inst)
    }

    /// The edits between two instructions.
    pub fn edits_between(self, from: MachInstId, to: MachInstId) -> impl Iterator<Item = &'a Edit> {
        let edits = &self.allocation.edits;
        let start = edits.partition_point(|edit| edit.point < ProgPoint::after(from));
        edits[start..].iter().take_while(move |edit| edit.point <= ProgPoint::before(to))
    }

    /// Whether an edit between two instructions reads or writes the place.
    pub fn is_edited(self, place: Allocation, from: MachInstId, to: MachInstId) -> bool {
        self.edits_between(from, to).any(|edit| edit.from == place || edit.to == place)
    }
}

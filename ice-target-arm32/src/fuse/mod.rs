//! Fused instructions: which instructions do the work of others, decided on allocated code before it is written.
//!
//! | file | what is fused |
//! |---|---|
//! | `compare.rs` | a comparison with zero into the operation that gives the number |
//! | `writeback.rs` | an addition to an address into the access beside it |
//! | `predicate.rs` | a short block into the branch to it, each instruction under a condition |
//!
//! Each takes [`AllocatedCode`] and gives a plan, without an encoder; emission does what the plan says, and tests look at
//! plans alone. A decision is taken once: what an instruction is part of is not asked again at the other.

pub(crate) mod compare;
pub(crate) mod predicate;
#[cfg(test)]
mod tests;
pub(crate) mod writeback;

use crate::inst::Inst;
use ice_codegen::mach::{MachFunction, MachInstId};
use ice_regalloc::{Allocation, Output};

/// A function and where its operands are.
#[derive(Clone, Copy)]
pub(crate) struct AllocatedCode<'a> {
    pub(crate) mach: &'a MachFunction<Inst>,
    pub(crate) allocation: &'a Output,
}

impl<'a> AllocatedCode<'a> {
    /// The instructions behind `inst`, up to the one with the index `end`.
    pub(crate) fn behind(self, inst: MachInstId, end: usize) -> &'a [Inst] {
        self.mach.insts().get(inst.as_u32() as usize + 1..end).unwrap_or(&[])
    }

    /// The places of the operands of an instruction.
    fn places(self, inst: MachInstId) -> &'a [Allocation] {
        self.allocation.allocs_of(self.mach.body(), inst)
    }
}

//! Register allocation for register files whose registers alias, usable with any machine IR.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod error;
mod function;
mod operand;
mod output;
mod registers;

pub use error::Error;
pub use function::Function;
pub use operand::{Block, Constraint, Inst, Operand, OperandKind, OperandPos, Slot, VReg};
pub use output::{Allocation, AllocationKind, Edit, EditKind, Output, ProgPoint, SlotInfo, Stats};
pub use registers::{ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};

/// Which algorithm allocates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Mode {
    /// One pass over each block; values cross block borders in their spill slots.
    #[default]
    Minimal,
}

/// How to allocate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The algorithm.
    pub mode: Mode,
}

//! Register allocation for register files whose registers alias, usable with any machine IR.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod checker;
mod context;
mod error;
mod function;
mod minimal;
mod moves;
mod operand;
mod output;
mod registers;
mod scan;

pub use checker::{Violation, check};
pub use context::{Context, Mode, Options};
pub use error::Error;
pub use function::Function;
pub use moves::{MoveSolver, ParallelMove};
pub use operand::{Block, Constraint, Inst, Operand, OperandKind, OperandPos, Slot, VReg};
pub use output::{Allocation, AllocationKind, Edit, EditKind, Output, ProgPoint, SlotInfo, Stats};
pub use registers::{ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};

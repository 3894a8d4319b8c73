//! Register allocation for register files whose registers alias, usable with any machine IR.
//!
//! Do not use it when all values must be found by a stack walker (there are no safepoints or
//! reference maps), or when registers do not alias and the best code matters more than compile
//! time: a whole-function splitting allocator will serve better there.
//!
//! The client writes its function into a [`Function`]: blocks, edges, and for each
//! instruction the [`Operand`]s with their constraints. [`Context::allocate`] answers with an
//! [`Output`]: a place for each operand and copies between instructions.
//!
//! ```
//! use ice_regalloc::*;
//!
//! static FILE: RegisterFile = RegisterFile {
//!     regs: &[
//!         RegisterInfo { name: "eax", units: RegUnits::span(0, 2) },
//!         RegisterInfo { name: "al", units: RegUnits::of(0) },
//!     ],
//!     classes: &[ClassInfo { name: "gpr", order: &[PReg(0)], spill_size: 4, spill_align: 4 }],
//!     callee_saved: RegUnits::EMPTY,
//! };
//!
//! let gpr = RegClass(0);
//! let mut func = Function::new();
//! let [a, b] = [0; 2].map(|_| func.vreg(gpr, 4));
//! func.begin_block(&[]);
//! for operands in [
//!     &[Operand::def_reg(a, gpr)][..],
//!     &[Operand::def_reg(b, gpr)], // one register for two values: `a` is spilled
//!     &[Operand::use_def_reg(b, gpr), Operand::use_any(a, gpr)],
//!     &[Operand::use_fixed(b, gpr, PReg(0))],
//! ] {
//!     func.add_operands(operands);
//!     func.inst();
//! }
//! func.terminator();
//! func.end_block();
//! func.finish()?;
//!
//! let mut context = Context::new();
//! let output = context.allocate(&func, &FILE, &Options::default())?;
//! assert_eq!(output.edits.len(), 1);
//! assert!(output.allocs_of(&func, Inst::from_u32(2))[1].is_slot());
//! assert!(check(&func, &FILE, output).is_ok());
//! # Ok::<(), Error>(())
//! ```
//!
//! Features: aliasing registers up to 64 units, or 128 with the cargo feature `units-128`; classes that
//! overlap; fixed registers, early and late operands, two-address operands, several definitions of one virtual register, block
//! parameters; values that are made again in place of a reload ([`Function::remat`]); no allocation
//! of memory in steady state. [`Mode::Minimal`] is one fast pass over each
//! block; [`Mode::Linear`] is linear scan over the whole function.
//!
//! Tested by random functions on four register files, each result proved by the symbolic checker
//! and run by an interpreter beside the original; the checker is tested with broken results.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod checker;
mod context;
mod error;
mod fixed;
mod function;
mod keys;
mod linear;
mod live_places;
mod liveness;
mod memory;
mod minimal;
mod moves;
mod operand;
mod output;
mod ranges;
mod references;
mod registers;
mod rows;
mod scan;
mod tables;
mod verify;

pub use checker::{Checker, Violation, check};
pub use context::{Context, InputCheck, Mode, Options, SlotSharing};
pub use error::Error;
pub use function::{Function, Remat};
pub use live_places::{LivePlaces, PlaceSet};
pub use moves::{MoveSolver, ParallelMove};
pub use operand::{Block, Constraint, Inst, Operand, OperandKind, OperandPos, Slot, VReg};
pub use output::{Allocation, AllocationKind, Edit, EditKind, Output, Places, ProgPoint, SlotInfo, Stats};
pub use registers::{ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};

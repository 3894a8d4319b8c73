//! Register allocation for register files whose registers alias, usable with any machine IR.
//!
//! Do not use it when all values must be found by a stack walker (there are no safepoints or
//! reference maps), or when registers do not alias and the best code matters more than compile
//! time: a whole-function splitting allocator will serve better there.
//!
//! The client shows its function through the trait [`Function`]: blocks, edges, and for each
//! instruction the [`Operand`]s with their constraints. [`Context::allocate`] answers with an
//! [`Output`]: a place for each operand and copies between instructions.
//!
//! ```
//! use ice_regalloc::*;
//! use std::ops::Range;
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
//! /// One block; each instruction is its operands, the last one returns.
//! struct Tiny(Vec<Vec<Operand>>);
//!
//! impl Function for Tiny {
//!     fn num_blocks(&self) -> usize { 1 }
//!     fn num_insts(&self) -> usize { self.0.len() }
//!     fn num_vregs(&self) -> usize { 2 }
//!     fn entry(&self) -> Block { Block::from_u32(0) }
//!     fn block_insts(&self, _: Block) -> Range<Inst> {
//!         Inst::from_u32(0)..Inst::from_u32(self.0.len() as u32)
//!     }
//!     fn block_succs(&self, _: Block) -> &[Block] { &[] }
//!     fn block_preds(&self, _: Block) -> &[Block] { &[] }
//!     fn block_params(&self, _: Block) -> &[VReg] { &[] }
//!     fn edge_args(&self, _: Block, _: usize) -> &[VReg] { &[] }
//!     fn operands(&self, inst: Inst) -> &[Operand] { &self.0[inst.as_u32() as usize] }
//!     fn is_terminator(&self, inst: Inst) -> bool { inst.as_u32() as usize + 1 == self.0.len() }
//!     fn vreg_class(&self, _: VReg) -> RegClass { RegClass(0) }
//! }
//!
//! let (a, b, gpr) = (VReg::from_u32(0), VReg::from_u32(1), RegClass(0));
//! let func = Tiny(vec![
//!     vec![Operand::def_reg(a, gpr)],
//!     vec![Operand::def_reg(b, gpr)], // one register for two values: `a` is spilled
//!     vec![Operand::use_def_reg(b, gpr), Operand::use_any(a, gpr)],
//!     vec![Operand::use_fixed(b, gpr, PReg(0))],
//! ]);
//! let mut context = Context::new();
//! let output = context.allocate(&func, &FILE, &Options::default())?;
//! assert_eq!(output.edits.len(), 1);
//! assert!(output.allocs_of(Inst::from_u32(2))[1].is_slot());
//! assert!(check(&func, &FILE, output).is_ok());
//! # Ok::<(), Error>(())
//! ```
//!
//! Features: aliasing registers up to 128 units; classes that overlap; fixed registers, early and
//! late operands, two-address operands, several definitions of one virtual register, block
//! parameters; values that are made again in place of a reload ([`Function::rematerialize`]); no allocation
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
mod linear;
mod live_places;
mod liveness;
mod minimal;
mod moves;
mod operand;
mod output;
mod ranges;
mod references;
mod registers;
mod scan;
mod tables;
mod units;

pub use checker::{Checker, Violation, check};
pub use context::{Context, Mode, Options, SlotSharing};
pub use error::Error;
pub use function::{Function, Remat};
pub use live_places::{LivePlaces, PlaceSet};
pub use moves::{MoveSolver, ParallelMove};
pub use operand::{Block, Constraint, Inst, Operand, OperandKind, OperandPos, Slot, VReg};
pub use output::{Allocation, AllocationKind, Edit, EditKind, Output, Places, ProgPoint, SlotInfo, Stats};
pub use references::{Leaving, References};
pub use registers::{ClassInfo, PReg, RegClass, RegUnits, RegisterFile, RegisterInfo};

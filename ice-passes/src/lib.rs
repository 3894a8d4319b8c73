//! Analyses, passes and the target-independent halves of lowering.
//!
//! One file an analysis or pass, named after it; [`target`] holds the one trait that a back end
//! implements. Not for you if you only want to read or run programs: this crate knows no file format and
//! no target.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod block_layout;
pub mod block_order;
pub mod code;
pub mod hoist;
pub mod hold;
pub mod lanes;
pub mod lower;
pub mod magic;
pub mod number_values;
pub mod short_circuit;
pub mod simplify;
pub mod sink;
pub mod switch;
pub mod target;

pub use block_layout::BlockLayout;
pub use block_order::{BlockOrder, LoweredBlock};
pub use code::{
    CodeEnd, CodeSymbol, CompiledCode, FunctionCode, JumpTables, Libcall, TableLabels, TableSlice,
};
pub use hoist::{Blocks, HoistScratch, hoist_invariants};
pub use hold::{Constant, HeldConstants};
pub use lower::{Lower, LowerScratch, ValueRegs};
pub use number_values::{Numbering, number_values};
pub use short_circuit::{ShortCircuitScratch, split_conditions};
pub use sink::{SinkScratch, sink};
pub use target::{CodeModel, CompileError, ErrorKind, ForeignModule, NativeModel, Target};

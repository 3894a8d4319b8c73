//! Debug information: which place of the source code is of, where the input says it.
//!
//! Readers say what the locations of a function mean ([`FunctionSource`](ice_ir::source::FunctionSource)), emission says
//! which instruction of the IR code is for; `ice-elf` knows the bytes. A function that the input says nothing of has none.
//! Only LLVM bitcode says anything, so builds without its reader have no tables either.

#[cfg(not(feature = "llvm"))]
mod absent;
#[cfg(feature = "llvm")]
mod tables;

#[cfg(not(feature = "llvm"))]
pub use absent::{CodeSource, DebugTables};
#[cfg(feature = "llvm")]
pub use tables::{CodeSource, DebugTables};

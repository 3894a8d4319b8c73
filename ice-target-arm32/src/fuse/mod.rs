//! Fused instructions: which instructions do the work of others, decided on allocated code before it is written.
//!
//! | file | what is fused |
//! |---|---|
//! | `compare.rs` | a comparison with zero into the operation that gives the number |
//! | `writeback.rs` | an addition to an address into the access beside it ([`ice_codegen::fusion`]) |
//! | `predicate.rs` | a short block into the branch to it, each instruction under a condition |
//!
//! Each takes [`AllocatedCode`] and gives a plan, without an encoder; emission does what the plan says, and tests look at
//! plans alone.

pub(crate) mod compare;
pub(crate) mod predicate;
#[cfg(test)]
mod tests;
mod writeback;

use crate::inst::Inst;

/// A function and where its operands are.
pub(crate) type AllocatedCode<'a> = ice_codegen::fusion::AllocatedCode<'a, Inst>;

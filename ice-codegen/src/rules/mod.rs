//! Which rule lowers an instruction, and what every rule asks for first.
//!
//! *Problem.* An instruction of the IR stands for several kinds of machine code: an addition is one of words, of pairs, of
//! floating-point numbers or of vectors. To tell them apart, to find the registers of operands, and to note what the
//! frame must have is the same work for every machine.
//!
//! *Contract.* [`Lower::rule`] gives the [`Rule`] of an instruction with all that it works on, [`Lower::terminator`] that
//! of the end of a block, [`Lower::condition`] what it decides by, [`Lower::atomic_rule`] that of an atomic access. Each notes in the frame under construction
//! what its instruction demands. [`Operands`] finds registers: it makes constants, and lowers what was folded into an
//! instruction that wants it in a register after all.
//!
//! *What a target answers.* One match over the rules, a line for each; and how a constant gets into registers
//! ([`Target::materialize`](crate::Target::materialize)).
//!
//! Cost: constant for each instruction; inlined into the target's match, so that the rule is never in memory.

mod atomic;
mod condition;
mod frame;
mod instruction;
mod operands;
mod terminator;

pub use atomic::{AtomicRule, Exchange, Order};
pub use condition::{Condition, by_less, carried};
pub use frame::fixed_alloca;
pub use instruction::{Call, Destination, Rule, VectorRule};
pub use operands::Operands;
pub use terminator::{Selector, Terminator};

#[cfg(doc)]
use crate::Lower;

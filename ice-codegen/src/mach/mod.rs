//! The machine-level function: what lowering writes, the allocator reads and emission walks.
//!
//! [`MachFunction`] is a linear sequence of machine instructions over virtual registers in final block
//! order. It is written once, front to back, through the [`Sink`] trait, and never edited; allocation
//! answers with one place per operand position and a list of edits beside it.
//!
//! Invariants: instructions of a block are contiguous; `operands` holds the operands of all instructions
//! in order; an edge carries arguments only where the source has one successor or the target one
//! predecessor (lowering splits critical edges).

mod callee;
mod definitions;
mod frame;
mod function;
mod origins;
mod rewrite;
pub mod rows;
mod src;
mod tables;
pub mod text;

pub use callee::Callee;
pub use definitions::{UndefinedUse, check_definitions};
pub use frame::{FrameInfo, FrameObject, FramePointer};
pub use function::MachFunction;
pub use ice_regalloc::{Block as MachBlock, Inst as MachInstId, Operand, RegClass, RegUnits, Remat, VReg};
pub use origins::KeepOrigins;

pub use rows::OperandVisitor;
pub use src::Src;
pub use tables::{PlannedSwitch, Tables};

use crate::live::LiveOperands;
use core::fmt;

/// What an instruction is to the register allocator, beside its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Nothing more.
    Usual,
    /// A plain copy of one register to another.
    Move,
    /// Its value may be made again, by executing it once more: see [`MachInst::rematerialize`].
    Remade,
    /// It destroys registers: see [`MachInst::clobbers`].
    Clobbers,
    /// Control may leave the block here.
    Terminator,
    /// A call that ends its block in one of two ways: both of the two above.
    Invokes,
}

/// A machine instruction of one target. Instructions are plain data: whatever they refer to is an index.
pub trait MachInst: Copy + fmt::Debug {
    /// Visits the register operands in a fixed order, in which emission gets their places, and tells what the instruction
    /// is.
    fn visit_operands(&self, visit: impl FnMut(Operand)) -> Role;

    /// What the instruction is.
    fn role(&self) -> Role {
        self.visit_operands(|_| {})
    }

    /// Whether it calls a function whose live values are its last operands where there are some.
    fn is_call(&self) -> bool;

    /// Register units destroyed beside the definitions.
    fn clobbers(&self) -> RegUnits {
        RegUnits::EMPTY
    }

    /// How the value of an instruction of the role [`Remade`](Role::Remade) that has one operand can be made again: see
    /// [`ice_regalloc::Function::remat`].
    fn rematerialize(&self) -> Option<Remat> {
        None
    }

    /// Writes the instruction in its own form, see [`text`].
    ///
    /// # Errors
    /// Those of `out`.
    fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{self:?}")
    }
}

/// Where lowering rules put machine instructions. Rules only go forward: what a sink has taken it may
/// already have encoded.
pub trait Sink<I: MachInst> {
    /// A new virtual register; `size` is the bytes of its spill slot.
    fn new_vreg(&mut self, class: RegClass, size: u32) -> VReg;

    /// The bytes of the spill slot of `vreg`.
    fn vreg_size(&self, vreg: VReg) -> u32;

    /// Starts the next block in final order; `params` receive values from the predecessors.
    fn begin_block(&mut self, params: &[VReg]);

    /// Appends an instruction.
    fn push(&mut self, inst: I);

    /// Appends an instruction with operands of its own beside those it visits itself: a call.
    fn push_with(&mut self, inst: I, operands: &[Operand]);

    /// Lets the next [call](MachInst::is_call) have live values.
    fn expect_live(&mut self, live: LiveOperands);

    /// Names a successor of the block, in the order of the terminator, and the arguments for its parameters.
    fn add_successor(&mut self, target: MachBlock, args: &[VReg]);

    /// The instructions that follow are for `origin`, an instruction of the function, or (`None`) for no single one. Called
    /// for each if [`keeps_origins`](Self::keeps_origins), else never.
    fn set_origin(&mut self, _origin: Option<ice_ir::Inst>) {}

    /// Whether it wants to know what instructions are for.
    fn keeps_origins(&self) -> bool {
        false
    }

    /// Ends the block, after its successors are named.
    fn end_block(&mut self);

    /// The frame under construction.
    fn frame(&mut self) -> &mut FrameInfo;

    /// The constants and switches so far.
    fn tables(&mut self) -> &mut Tables;
}

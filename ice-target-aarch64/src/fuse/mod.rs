//! Fused accesses: which loads and stores do the work of other instructions, decided on allocated code before it is written
//! ([`ice_codegen::fusion`]).
//!
//! | file | what is fused |
//! |---|---|
//! | `pair.rs` | two accesses beside each other |
//! | `writeback.rs` | an addition to an address into the access beside it |
//!
//! Accesses that stay by themselves, for they are atomic or volatile, have rows of their own in [`inst`](crate::inst).

mod pair;
#[cfg(test)]
mod tests;
mod writeback;

pub(crate) use pair::{Kind, neighbour};

use crate::abi::Frame;
use crate::inst::Inst;
use ice_codegen::fusion::{Pair, SteppingInst as _, Writeback};
use ice_codegen::mach::MachInstId;

/// A function and where its operands are.
pub(crate) type AllocatedCode<'a> = ice_codegen::fusion::AllocatedCode<'a, Inst>;

/// What one instruction does for two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fusion {
    /// An access that also moves its base.
    Step(Writeback),
    /// An access to two registers.
    Pair,
}

/// Whether a pair can begin with the instruction.
#[inline(always)]
pub(crate) fn may_begin(inst: &Inst) -> bool {
    neighbour(inst).is_some() || inst.may_begin()
}

/// The pair that an instruction begins. See [`Plan::make`](ice_codegen::fusion::Plan::make).
pub(crate) fn find(
    code: AllocatedCode<'_>,
    frame: &Frame,
    id: MachInstId,
    inst: &Inst,
    taken: u32,
    end: usize,
) -> Option<Pair<Fusion>> {
    if let Some(access) = neighbour(inst)
        && let Some(pair) = pair::find(code, frame, id, access, taken, end)
    {
        return Some(pair);
    }
    if !inst.may_begin() {
        return None;
    }
    let Pair { between, doer, fusion } = code.writeback(id, inst, taken, end)?;
    Some(Pair { between, doer, fusion: Fusion::Step(fusion) })
}

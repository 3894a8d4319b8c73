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

pub(crate) use pair::{Kind, Neighbour, neighbour};

use crate::abi::Frame;
use crate::inst::Inst;
use ice_codegen::fusion::{Doer, Pair, Recent, SteppingInst as _, Writeback, Writebacks};
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

/// Whether the instruction can be part of a pair, as far as its kind tells.
#[inline(always)]
pub(crate) fn may_be_fused(inst: &Inst) -> bool {
    match inst {
        Inst::Load { .. } | Inst::Store { .. } | Inst::LoadFloat { .. } | Inst::StoreFloat { .. } => true,
        Inst::Alu { .. } => inst.step().is_some(),
        _ => false,
    }
}

/// What the pairs of a block are found by.
#[derive(Default)]
pub(crate) struct Finder {
    neighbours: Recent<Neighbour>,
    writebacks: Writebacks,
}

impl Finder {
    /// The pair that the instruction `id` completes. See [`Plan::make`](ice_codegen::fusion::Plan::make).
    #[inline]
    pub(crate) fn find(
        &mut self,
        code: AllocatedCode<'_>,
        frame: &Frame,
        id: MachInstId,
        inst: &Inst,
        end: usize,
    ) -> Option<Pair<Fusion>> {
        let access = neighbour(inst);
        if let Some(access) = access
            && let Some((first, one)) = self.neighbours.latest(id, pair::WINDOW, |one| one.is_beside(access))
            && pair::may_meet(code, frame, [first, id], [one, access])
        {
            self.neighbours.forget(first);
            self.writebacks.forget(first);
            let doer = if access.kind.is_load() { Doer::First } else { Doer::Second };
            return Some(Pair { first, doer, fusion: Fusion::Pair });
        }
        if let Some(Pair { first, doer, fusion }) = self.writebacks.find(code, id, inst, end) {
            self.neighbours.forget(first);
            return Some(Pair { first, doer, fusion: Fusion::Step(fusion) });
        }
        if let Some(access) = access {
            self.neighbours.push(id, access);
        }
        None
    }
}

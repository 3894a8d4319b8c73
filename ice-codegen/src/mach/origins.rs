//! Which instruction of the IR machine instructions come from.
//!
//! Lowering states each instruction of the IR once, before the first machine instruction of it, and only where
//! somebody wants to know: the list has an entry for each, or none at all.

use super::MachInstId;
use alloc::vec::Vec;
use ice_ir::Inst;

/// Whether machine functions note where their instructions come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KeepOrigins {
    /// They do not.
    #[default]
    No,
    /// They do: for source locations and annotated listings.
    Yes,
}

/// Pairs of a machine instruction and what it and those behind it come from, as far as the next pair; `None` for what
/// serves several, the arguments of the function or an edge. The instructions ascend strictly.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins {
    pub keep: KeepOrigins,
    starts: Vec<(MachInstId, Option<Inst>)>,
}

impl Origins {
    /// Forgets the pairs.
    pub fn clear(&mut self) {
        self.starts.clear();
    }

    pub fn as_slice(&self) -> &[(MachInstId, Option<Inst>)] {
        &self.starts
    }

    pub fn of(&self, inst: MachInstId) -> Option<Inst> {
        let behind = self.starts.partition_point(|&(first, _)| first <= inst);
        self.starts[..behind].last().and_then(|&(_, origin)| origin)
    }

    /// The machine instructions from `next` on, which is not there yet, come from `origin`.
    pub fn begin(&mut self, next: MachInstId, origin: Option<Inst>) {
        self.starts.pop_if(|&mut (first, _)| first == next);
        if self.starts.last().and_then(|&(_, last)| last) != origin {
            self.starts.push((next, origin));
        }
    }
}

//! Words between instructions, for relocations that only a word can have. They wait in the code buffer, as do the
//! veneers of branches that do not reach; the walk says before each instruction how much code may come.
//!
//! Each word belongs to one load: most are distances from the instruction behind it. Cost: a comparison an
//! instruction and an edit.

use super::{AL, Emitter};
use ice_asm::arm32::Gpr;
use ice_asm::{Constant, Listing, RelocKind, SymbolId};
use ice_codegen::mach::PlannedSwitch;

/// What is added to a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// Nothing.
    None,
    /// pc, in the instruction behind the load.
    Pc,
}

/// Most bytes of code that a node of a switch becomes.
const LARGEST_NODE: usize = 64;

/// Most bytes of code that an entry of a table becomes, those that fill the table up among them.
const LARGEST_ENTRY: usize = 8;

impl<L: Listing> Emitter<'_, L> {
    /// Loads a word into `dst`, which the next instruction must add the base to.
    pub(super) fn load_from_pool(&mut self, dst: Gpr, kind: RelocKind, symbol: SymbolId, base: Base) {
        let origin = (base == Base::Pc).then(|| self.e.buf.new_label());
        self.e.load_constant(AL, dst, Constant::Symbol { kind, symbol, origin });
        if let Some(origin) = origin {
            self.e.bind(origin);
        }
    }

    /// Says that a switch comes.
    pub(super) fn room_for_switch(&mut self, switch: u32) {
        let Some(PlannedSwitch { plan, .. }) = self.cursor.mach.tables.switch(switch) else { return };
        let tables = plan.entries.len().saturating_mul(LARGEST_ENTRY);
        let size = plan.nodes.len().saturating_mul(LARGEST_NODE).saturating_add(tables);
        self.e.buf.room_for(u32::try_from(size).unwrap_or(u32::MAX));
    }
}

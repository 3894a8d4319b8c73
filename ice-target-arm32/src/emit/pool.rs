//! The literal pool: words between instructions, for relocations that only a word can have.
//!
//! A load relative to pc reaches 4095 bytes. Words wait, in the order of their loads, until the function ends. Where
//! the first load would not reach that far they become an *island*: a jump over them, then the words. So the order of
//! words is that of loads, and only the first one has a deadline.
//!
//! Each word belongs to one load: most are distances from the instruction behind it. Cost: a comparison an
//! instruction and an edit.

use super::{AL, Emitter};
use crate::inst::Inst;
use alloc::vec::Vec;
use ice_asm::arm32::{Gpr, Origin};
use ice_asm::{Label, Listing, RelocKind, SymbolId};

/// What is added to a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// Nothing.
    None,
    /// pc, in the instruction behind the load.
    Pc,
}

/// A word that waits.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// Where its load is.
    load: u32,
    /// The label at the word.
    label: Label,
    kind: RelocKind,
    symbol: SymbolId,
    origin: Option<Origin>,
}

/// The words of a function. Reused from function to function.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    waiting: Vec<Word>,
    /// Starts and ends of the words that are in the code.
    pub(super) ranges: Vec<(u32, u32)>,
}

impl Pool {
    /// Whether no word waits.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.ranges.clear();
    }
}

/// Most bytes that may be between a load and its word, the jump over the island among them. Loads are farther from
/// each other than their words, so that those behind the first one are nearer.
const REACH: u32 = 4080;

/// Most bytes of code that any instruction but a switch becomes.
const LARGEST: u32 = 512;

/// Most bytes of code that a node of a switch becomes.
const LARGEST_NODE: usize = 64;

/// Most bytes of code that an entry of a table becomes, those that fill the table up among them.
const LARGEST_ENTRY: usize = 8;

impl<L: Listing> Emitter<'_, L> {
    /// Loads a word into `dst`, which the next instruction must add the base to.
    pub(super) fn load_from_pool(&mut self, dst: Gpr, kind: RelocKind, symbol: SymbolId, base: Base) {
        let (load, label) = (self.e.buf.offset(), self.e.buf.new_label());
        self.e.load_literal(AL, dst, label);
        let origin = (base == Base::Pc).then(|| {
            let origin = Origin { offset: self.e.buf.offset(), label: self.e.buf.new_label() };
            self.e.bind(origin.label);
            origin
        });
        self.pool.waiting.push(Word { load, label, kind, symbol, origin });
    }

    /// Makes an island before `inst` if the words may not wait until it is done.
    #[inline]
    pub(super) fn flush_pool_if_due(&mut self, inst: &Inst) {
        if self.pool.is_empty() {
            return;
        }
        let size = match *inst {
            Inst::Switch { switch, .. } | Inst::SwitchPair { switch, .. } => {
                let plan = &self.switches[switch as usize].plan;
                let tables = plan.entries.len().saturating_mul(LARGEST_ENTRY);
                let nodes = plan.nodes.len().saturating_mul(LARGEST_NODE);
                u32::try_from(nodes.saturating_add(tables)).unwrap_or(u32::MAX)
            }
            _ => 0,
        };
        self.flush_pool_if_far(size);
    }

    /// Makes an island if the words may not wait for `size` more bytes and another instruction.
    #[inline]
    pub(super) fn flush_pool_if_far(&mut self, size: u32) {
        if let Some(first) = self.pool.waiting.first()
            && (self.e.buf.offset() - first.load).saturating_add(size) > REACH - LARGEST
        {
            let over = self.e.buf.new_label();
            self.e.jump(over);
            self.flush_pool();
            self.e.bind(over);
        }
    }

    /// Appends the words that wait; control must not come here.
    pub(super) fn flush_pool(&mut self) {
        let start = self.e.buf.offset();
        for &Word { label, kind, symbol, origin, .. } in &self.pool.waiting {
            self.e.bind(label);
            self.e.literal(kind, symbol, origin);
        }
        self.pool.waiting.clear();
        let end = self.e.buf.offset();
        if start != end {
            self.pool.ranges.push((start, end));
        }
    }
}

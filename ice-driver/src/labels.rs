//! Where the blocks are whose addresses are taken.
//!
//! What refers to them may come before their functions or behind them: it waits until all code has its place.

use ice_ir::{FuncId, GlobalId, GlobalKind, Module};
use std::collections::HashMap;

/// The places of labels in their functions. Nothing goes through them in order.
#[derive(Default)]
pub struct Labels(HashMap<(FuncId, u32), u32>);

impl Labels {
    /// Notes the labels of a function: numbers, and offsets in its code.
    pub fn note(&mut self, function: FuncId, labels: &[(u32, u32)]) {
        self.0.extend(labels.iter().map(|&(label, offset)| ((function, label), offset)));
    }

    /// The distance of two globals that are labels of one function, plus `addend`.
    pub fn distance(&self, module: &Module, plus: GlobalId, minus: GlobalId, addend: i32) -> u64 {
        let [plus, minus] = [plus, minus].map(|id| match module.globals[id].kind {
            GlobalKind::Label { function, label } => self.offset(function, label),
            _ => 0,
        });
        plus.wrapping_sub(minus).wrapping_add_signed(addend.into())
    }

    /// The offset of a label in the code of its function. Of one that no indirect branch leads to it is a place behind the
    /// start of the function that is no other such label's.
    pub fn offset(&self, function: FuncId, label: u32) -> u64 {
        self.0.get(&(function, label)).map_or(u64::from(label) + 1, |&offset| offset.into())
    }
}

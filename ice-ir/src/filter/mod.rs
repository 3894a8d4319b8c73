//! The filter of a builder: what happens to a pure instruction (arithmetic, casts, comparisons, select, lanes) before
//! it is made.

use crate::entities::Value;
use crate::function::Function;
use crate::instruction::InstData;
use crate::types::Type;

mod fold;
mod numbering;

pub use fold::fold;
use numbering::ValueTable;
pub use numbering::canonical;

/// Folds constants and finds common subexpressions of a block: for translation.
///
/// A division that would trap and an undefined shift are never folded.
#[derive(Default)]
pub struct Filtered {
    table: ValueTable,
}

impl Filtered {
    /// A filter without memory of any function.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Filtered {
    /// A new function or block begins: values found so far may not dominate it.
    #[inline]
    pub(crate) fn begin_block(&mut self) {
        self.table.clear();
    }

    /// A value that already holds the result of `data`, or a constant equal to it.
    #[inline]
    pub(crate) fn find(&mut self, func: &mut Function, data: &InstData, ty: Type) -> Option<Value> {
        let folded = fold(func, data, ty);
        if folded.is_some() {
            self.table.forget_key();
            return folded;
        }
        self.table.find(&canonical(data), ty)
    }

    /// What was looked for last was appended and gives `value`.
    #[inline]
    pub(crate) fn record(&mut self, value: Value) {
        self.table.insert(value);
    }
}

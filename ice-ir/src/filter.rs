//! Builder filters: what happens to a pure instruction before it is made.

use crate::entities::Value;
use crate::function::Function;
use crate::instruction::InstData;
use crate::types::Type;

mod fold;
mod numbering;

pub use fold::fold;
use numbering::ValueTable;
pub use numbering::canonical;

/// Sees every pure instruction (arithmetic, casts, comparisons, select, lanes) of a builder.
pub trait Filter {
    /// A new function begins.
    fn begin_function(&mut self) {}

    /// A new block begins: values found so far may not dominate it.
    fn begin_block(&mut self) {}

    /// A value that already holds the result of `data`, or a constant equal to it.
    fn find(&mut self, func: &mut Function, data: &InstData, ty: Type) -> Option<Value>;

    /// What was looked for last was appended and gives `value`.
    fn record(&mut self, value: Value);
}

/// Changes nothing: for dumps, round trips, the verifier and the interpreter.
#[derive(Clone, Copy, Default, Debug)]
pub struct Faithful;

impl Filter for Faithful {
    #[inline]
    fn find(&mut self, _: &mut Function, _: &InstData, _: Type) -> Option<Value> {
        None
    }

    #[inline]
    fn record(&mut self, _: Value) {}
}

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

impl Filter for &mut Filtered {
    fn begin_function(&mut self) {
        self.table.clear();
    }

    fn begin_block(&mut self) {
        self.table.clear();
    }

    #[inline]
    fn find(&mut self, func: &mut Function, data: &InstData, ty: Type) -> Option<Value> {
        let folded = fold(func, data, ty);
        if folded.is_some() {
            self.table.forget_key();
            return folded;
        }
        self.table.find(&canonical(data), ty)
    }

    #[inline]
    fn record(&mut self, value: Value) {
        self.table.insert(value);
    }
}

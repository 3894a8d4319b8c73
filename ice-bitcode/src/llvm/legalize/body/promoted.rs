//! Promoted arguments and results, which came extended: who asks for one extended in the same way gets it as it came.
//!
//! A parameter or result of a narrow type with `zeroext` or `signext` travels in a wider integer
//! ([`Form`](crate::llvm::legalize::signature::Form)), whose low bits are the value. Whoever passed it has extended it.
//!
//! Invariant: values ascend, so that one is found by halves. Cost: logarithmic in the parameters and calls of the body.

use super::integer::Sign;
use alloc::vec::Vec;
use ice_ir::Value;

/// What came extended in a body.
#[derive(Default)]
pub(super) struct Promoted {
    /// The low bits, and what they are of.
    known: Vec<(Value, Value, Sign)>,
}

impl Promoted {
    /// Forgets all, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    /// Notes that `value` is the low bits of `wide`, which is `value` extended as `sign` says.
    pub(super) fn note(&mut self, value: Value, wide: Value, sign: Sign) {
        // One that is older is a value that was computed before.
        if self.known.last().is_none_or(|&(last, ..)| last < value) {
            self.known.push((value, wide, sign));
        }
    }

    /// `value` extended as `sign` says, if it came so.
    pub(super) fn of(&self, value: Value, sign: Sign) -> Option<Value> {
        let index = self.known.binary_search_by_key(&value, |&(value, ..)| value).ok()?;
        let (_, wide, known) = self.known[index];
        (known == sign).then_some(wide)
    }
}

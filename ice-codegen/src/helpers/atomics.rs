//! Atomic operations of 64 bits on machines that have none: a call of the loader, which has the one lock that they all take.
//!
//! A number says which, and memory of the frame has the operands, in whose place comes what was there before. Loaders that do
//! not know the call leave them as they are.

use super::build::Build;
use ice_ir::{Type, Value};

/// Where the loader of Ice has the call: its place 1022.
const PLACE: i64 = 0x10000 + 32 * 1022;

/// Which one, by the number that the loader knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Atomic {
    Load,
    Store,
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    CompareExchange,
}

impl Build<'_> {
    /// `__ice_atomic_add_8(address, value)` and so on.
    pub(super) fn atomic(&mut self, atomic: Atomic) {
        let params = self.all_params();
        let Some((&address, operands)) = params.split_first() else { return self.ret(None) };
        let memory = self.frame_memory(16);
        let places: [Value; 2] = core::array::from_fn(|n| self.offset(memory, 8 * n as i64));
        for (place, &operand) in places.into_iter().zip(operands) {
            self.store(place, operand, 3);
        }
        let (number, callee) = (self.int(Type::I32, atomic as i64), self.int(Type::I32, PLACE));
        self.call(callee, &[number, address, memory]);
        let result = (atomic != Atomic::Store).then(|| self.load(Type::I64, memory, 3));
        self.ret(result);
    }
}

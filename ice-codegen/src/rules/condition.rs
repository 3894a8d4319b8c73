//! What a branch or a select decides by.

use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use ice_ir::{BinaryOp, Inst, InstData, Value};

/// A boolean that is decided by, as it was folded into the instruction that does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// It is known.
    Known(bool),
    /// The lowest bit of an integer.
    LowBit(Value),
    /// An `and`, `or` or `xor` of two booleans.
    Logic(BinaryOp, [Value; 2]),
    /// A comparison.
    Comparison(Inst),
    /// A boolean that is in a register.
    Register(Value),
}

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// What `cond` is, which may have been folded.
    #[inline]
    pub fn condition(&self, cond: Value) -> Condition {
        match self.folded(cond) {
            Some(inst) => match *self.func.inst(inst) {
                InstData::Cast { arg, .. } => Condition::LowBit(arg),
                InstData::Binary { op, args } => Condition::Logic(op, args),
                _ => Condition::Comparison(inst),
            },
            None => match self.func.int_value(cond) {
                Some(number) => Condition::Known(number != 0),
                None => Condition::Register(cond),
            },
        }
    }
}

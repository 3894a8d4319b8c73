//! What a branch or a select decides by.

use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use crate::magic::Signedness;
use ice_ir::{BinaryOp, Inst, InstData, IntCond, Value};

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

/// A comparison as one by less: whether numbers are read with a sign, whether operands change places, and whether the
/// result is the opposite. `None` for equality.
pub fn by_less(cond: IntCond) -> Option<(Signedness, bool, bool)> {
    use Signedness::{Signed, Unsigned};
    Some(match cond {
        IntCond::Eq | IntCond::Ne => return None,
        IntCond::Slt => (Signed, false, false),
        IntCond::Sge => (Signed, false, true),
        IntCond::Sgt => (Signed, true, false),
        IntCond::Sle => (Signed, true, true),
        IntCond::Ult => (Unsigned, false, false),
        IntCond::Uge => (Unsigned, false, true),
        IntCond::Ugt => (Unsigned, true, false),
        IntCond::Ule => (Unsigned, true, true),
    })
}

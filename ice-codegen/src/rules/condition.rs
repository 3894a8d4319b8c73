//! What a branch or a select decides by.

use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use crate::magic::Signedness;
use ice_ir::{BinaryOp, CastOp, Inst, InstData, IntCond, Value};

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

    /// Whether `user` extends `comparison`, a scalar one, by zeros, only to be added to what is in a register.
    pub fn is_counted(&self, comparison: Inst, user: Inst) -> bool {
        let InstData::Cast { op: CastOp::Zext, .. } = self.func.inst(user) else { return false };
        self.exchange_of(comparison).is_none()
            && self.func.result(user).is_some_and(|number| {
                let sum = self.uses.only_user_in_block(self.func, user, number);
                sum.is_some_and(|sum| self.is_added(number, sum))
            })
    }

    /// Whether `sum` adds `number` to what is in a register.
    fn is_added(&self, number: Value, sum: Inst) -> bool {
        let &InstData::Binary { op: BinaryOp::Add, args: [a, b] } = self.func.inst(sum) else { return false };
        let other = if a == number { b } else { a };
        a != b && !self.is_constant(other) && self.folded(other).is_none()
    }

    /// Whether `extension` is one of a comparison that was folded into it, and `user` [counts](Self::is_counted) that.
    pub fn folds_count(&self, extension: Inst, user: Inst) -> bool {
        match *self.func.inst(extension) {
            InstData::Cast { op: CastOp::Zext, arg } => {
                self.folded(arg).is_some_and(|def| self.is_comparison(def))
                    && self.func.result(extension).is_some_and(|number| self.is_added(number, user))
            }
            _ => false,
        }
    }

    /// The boolean that `value`, which was folded, is the extension of.
    pub fn counted(&self, value: Value) -> Option<Value> {
        match *self.func.inst(self.folded(value)?) {
            InstData::Cast { op: CastOp::Zext, arg } => {
                self.folded(arg).filter(|&def| self.is_comparison(def)).map(|_| arg)
            }
            _ => None,
        }
    }

    fn is_comparison(&self, inst: Inst) -> bool {
        matches!(self.func.inst(inst), InstData::Icmp { .. } | InstData::Fcmp { .. })
    }
}

/// The comparison of numbers of `bits` with `number`, or one with a number beside it that says the same, if that is carried by an
/// instruction and `number` is not. It has its sign above its bits where
/// `cond` reads one, and zeros where not.
pub fn carried(cond: IntCond, number: u64, bits: u32, is_carried: impl Fn(u64) -> bool) -> (IntCond, u64) {
    let other = if is_carried(number) { None } else { with_neighbour(cond, number, bits) };
    other.filter(|&(_, number)| is_carried(number)).unwrap_or((cond, number))
}

/// The comparison with one number more or less that says the same of numbers of `bits` as `cond` with `number`, which has
/// its sign above its bits where `cond` reads one, and zeros where not. `None` for equality, and at the end of the range.
fn with_neighbour(cond: IntCond, number: u64, bits: u32) -> Option<(IntCond, u64)> {
    let (least, most) = match by_less(cond)?.0 {
        Signedness::Unsigned => (0, u64::MAX >> (64 - bits)),
        Signedness::Signed => ((i64::MIN >> (64 - bits)) as u64, i64::MAX as u64 >> (64 - bits)),
    };
    let (cond, end, other) = match cond {
        IntCond::Slt => (IntCond::Sle, least, number.wrapping_sub(1)),
        IntCond::Sge => (IntCond::Sgt, least, number.wrapping_sub(1)),
        IntCond::Ult => (IntCond::Ule, least, number.wrapping_sub(1)),
        IntCond::Uge => (IntCond::Ugt, least, number.wrapping_sub(1)),
        IntCond::Sle => (IntCond::Slt, most, number.wrapping_add(1)),
        IntCond::Sgt => (IntCond::Sge, most, number.wrapping_add(1)),
        IntCond::Ule => (IntCond::Ult, most, number.wrapping_add(1)),
        IntCond::Ugt => (IntCond::Uge, most, number.wrapping_add(1)),
        IntCond::Eq | IntCond::Ne => return None,
    };
    (number != end).then_some((cond, other))
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

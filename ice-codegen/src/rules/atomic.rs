//! The rules of atomic intrinsics.

use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use crate::target::ErrorKind;
use ice_ir::{AtomicOp, Inst, InstData, IntCond, Intrinsic, Value};

/// What of other accesses may be moved over an atomic load or store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// All: relaxed.
    Any,
    /// None that comes after a load, or before a store: acquire, release.
    OneWay,
    /// None: sequentially consistent.
    None,
}

/// The kind of an atomic access, and what it works on. Whatever order an access names, it may be sequentially consistent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are the operands of the intrinsics")]
pub enum AtomicRule {
    /// A load.
    Load { address: Value, result: Value, order: Order },
    /// A store.
    Store { value: Value, address: Value, order: Order },
    /// An operation on memory; the result is what was there before.
    ReadModifyWrite { op: AtomicOp, address: Value, value: Value, result: Value },
    /// A compare-and-exchange.
    CompareExchange(Exchange),
    /// A compare-and-exchange that the comparison behind it lowers ([`Lower::exchange_of`]).
    Delayed,
    /// A fence.
    Fence,
    /// Whether accesses of a size are free of locks, which is known.
    IsLockFree { is_free: bool, result: Value },
}

/// A store of `new` if `expected` is there; the result is what was there before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are the operands of the intrinsic")]
pub struct Exchange {
    pub address: Value,
    pub expected: Value,
    pub new: Value,
    pub result: Value,
}

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// The rule of `inst`, a call of the atomic intrinsic `op`. Accesses of up to 8 bytes are free of locks.
    ///
    /// # Errors
    /// There is no such intrinsic or operation.
    pub fn atomic_rule(&self, inst: Inst, op: Intrinsic, args: &[Value]) -> Result<AtomicRule, ErrorKind> {
        Ok(match (op, args) {
            (Intrinsic::AtomicLoad, &[address, order]) => {
                AtomicRule::Load { address, result: self.result(inst), order: self.order_of(order) }
            }
            (Intrinsic::AtomicStore, &[value, address, order]) => {
                AtomicRule::Store { value, address, order: self.order_of(order) }
            }
            (Intrinsic::AtomicRmw, &[code, address, value, ..]) => {
                let op = self.func.int_value(code).and_then(AtomicOp::from_code);
                let op = op.ok_or(ErrorKind::Unsupported("this atomic operation"))?;
                AtomicRule::ReadModifyWrite { op, address, value, result: self.result(inst) }
            }
            (Intrinsic::AtomicCmpxchg, _) => match self.exchange(inst) {
                Some(_) if self.is_delayed(inst) => AtomicRule::Delayed,
                Some(exchange) => AtomicRule::CompareExchange(exchange),
                None => return Err(ErrorKind::Unsupported("a compare-and-exchange of these operands")),
            },
            (Intrinsic::AtomicFence | Intrinsic::AtomicFenceAll, _) => AtomicRule::Fence,
            (Intrinsic::AtomicIsLockFree, &[size, ..]) => {
                let is_free = matches!(self.func.int_value(size), Some(1 | 2 | 4 | 8));
                AtomicRule::IsLockFree { is_free, result: self.result(inst) }
            }
            _ => return Err(ErrorKind::Unsupported("this atomic intrinsic")),
        })
    }

    /// The order that a load or store names by its code.
    fn order_of(&self, code: Value) -> Order {
        match self.func.int_value(code) {
            Some(1) => Order::Any,
            Some(2..=4) => Order::OneWay,
            _ => Order::None,
        }
    }

    /// The compare-and-exchange that `comparison` lowers: its success is all that the comparison asks, which stands
    /// right behind it and right before the branch that ends the block. The branch then finds the answer in the flags.
    pub fn exchange_of(&self, comparison: Inst) -> Option<Exchange> {
        let (func, layout) = (self.func, &self.func.layout);
        let &InstData::Icmp { cond: IntCond::Eq | IntCond::Ne, args: [a, b] } = func.inst(comparison) else {
            return None;
        };
        let exchange = self.exchange(layout.prev_inst(comparison)?)?;
        let Exchange { expected, result, .. } = exchange;
        let is_expected = |value| {
            let number = func.int_value(value);
            value == expected || number.is_some() && number == func.int_value(expected)
        };
        let asks_success = a == result && is_expected(b) || b == result && is_expected(a);
        let answer = func.result(comparison)?;
        let is_branch = matches!(*func.inst(layout.next_inst(comparison)?),
            InstData::CondBr { cond, .. } if cond == answer);
        (asks_success && is_branch && self.uses.count(answer) == 1).then_some(exchange)
    }

    fn exchange(&self, inst: Inst) -> Option<Exchange> {
        let &InstData::CallIntrinsic { op: Intrinsic::AtomicCmpxchg, args, .. } = self.func.inst(inst) else {
            return None;
        };
        let &[address, expected, new, ..] = self.func.args(args) else { return None };
        Some(Exchange { address, expected, new, result: self.func.result(inst)? })
    }

    /// Whether the instruction behind the compare-and-exchange `inst` lowers it.
    fn is_delayed(&self, inst: Inst) -> bool {
        let next = self.func.layout.next_inst(inst);
        next.is_some_and(|comparison| self.exchange_of(comparison).is_some())
    }
}

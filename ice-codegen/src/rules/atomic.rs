//! The rules of atomic intrinsics.

use crate::lower::Lower;
use crate::mach::{MachInst, Sink};
use crate::target::ErrorKind;
use ice_ir::{AtomicOp, Inst, Intrinsic, Value};

/// The kind of an atomic access, and what it works on. Whatever order an access names, it may be sequentially consistent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are the operands of the intrinsics")]
pub enum AtomicRule {
    /// A load.
    Load { address: Value, result: Value },
    /// A store.
    Store { value: Value, address: Value },
    /// An operation on memory; the result is what was there before.
    ReadModifyWrite { op: AtomicOp, address: Value, value: Value, result: Value },
    /// A store of `new` if `expected` is there; the result is what was there before.
    CompareExchange { address: Value, expected: Value, new: Value, result: Value },
    /// A fence.
    Fence,
    /// Whether accesses of a size are free of locks, which is known.
    IsLockFree { is_free: bool, result: Value },
}

impl<I: MachInst, S: Sink<I>> Lower<'_, I, S> {
    /// The rule of `inst`, a call of the atomic intrinsic `op`. Accesses of up to 8 bytes are free of locks.
    ///
    /// # Errors
    /// There is no such intrinsic or operation.
    pub fn atomic_rule(&self, inst: Inst, op: Intrinsic, args: &[Value]) -> Result<AtomicRule, ErrorKind> {
        Ok(match (op, args) {
            (Intrinsic::AtomicLoad, &[address, ..]) => {
                AtomicRule::Load { address, result: self.result(inst) }
            }
            (Intrinsic::AtomicStore, &[value, address, ..]) => AtomicRule::Store { value, address },
            (Intrinsic::AtomicRmw, &[code, address, value, ..]) => {
                let op = self.func.int_value(code).and_then(AtomicOp::from_code);
                let op = op.ok_or(ErrorKind::Unsupported("this atomic operation"))?;
                AtomicRule::ReadModifyWrite { op, address, value, result: self.result(inst) }
            }
            (Intrinsic::AtomicCmpxchg, &[address, expected, new, ..]) => {
                AtomicRule::CompareExchange { address, expected, new, result: self.result(inst) }
            }
            (Intrinsic::AtomicFence | Intrinsic::AtomicFenceAll, _) => AtomicRule::Fence,
            (Intrinsic::AtomicIsLockFree, &[size, ..]) => {
                let is_free = matches!(self.func.int_value(size), Some(1 | 2 | 4 | 8));
                AtomicRule::IsLockFree { is_free, result: self.result(inst) }
            }
            _ => return Err(ErrorKind::Unsupported("this atomic intrinsic")),
        })
    }
}

//! Local value numbering while building: a direct-mapped cache of the pure instructions of one block.
//!
//! A lossy table is enough: a miss only costs an instruction. Clearing is one counter increment.

use crate::entities::Value;
use crate::instruction::InstData;
use crate::types::Type;
use alloc::boxed::Box;
use core::hash::{Hash, Hasher};
use rustc_hash::FxHasher;

const SLOTS: usize = 256;

#[derive(Clone, Copy)]
struct Entry {
    epoch: u32,
    ty: Type,
    data: InstData,
    value: Value,
}

/// The cache; an entry counts only while its epoch is the current one.
pub(super) struct ValueTable {
    entries: Box<[Entry; SLOTS]>,
    epoch: u32,
}

impl Default for ValueTable {
    fn default() -> Self {
        let empty =
            Entry { epoch: 0, ty: Type::Void, data: InstData::Unreachable, value: Value::from_u32(0) };
        ValueTable { entries: Box::new([empty; SLOTS]), epoch: 1 }
    }
}

impl ValueTable {
    pub(super) fn clear(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            *self = ValueTable::default();
        }
    }

    pub(super) fn find(&self, data: &InstData, ty: Type) -> Option<Value> {
        let entry = &self.entries[slot(data)];
        (entry.epoch == self.epoch && entry.ty == ty && entry.data == *data).then_some(entry.value)
    }

    pub(super) fn insert(&mut self, data: InstData, ty: Type, value: Value) {
        self.entries[slot(&data)] = Entry { epoch: self.epoch, ty, data, value };
    }
}

fn slot(data: &InstData) -> usize {
    let mut hasher = FxHasher::default();
    data.hash(&mut hasher);
    (hasher.finish() >> 24) as usize % SLOTS
}

/// `data` with commutative operands in ascending order.
pub fn canonical(data: &InstData) -> InstData {
    match *data {
        InstData::Binary { op, args: [a, b] } if op.is_commutative() && b < a => {
            InstData::Binary { op, args: [b, a] }
        }
        InstData::Icmp { cond, args: [a, b] } if b < a => {
            InstData::Icmp { cond: cond.swapped(), args: [b, a] }
        }
        other => other,
    }
}

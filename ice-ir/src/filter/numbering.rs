//! Local value numbering while building: a direct-mapped cache of the pure instructions of one block.
//!
//! A lossy table is enough: a miss only costs an instruction. Clearing is one counter increment.

use crate::entities::Value;
use crate::instruction::InstData;
use crate::types::Type;
use alloc::boxed::Box;

const SLOTS: usize = 1 << u8::BITS;

/// What an instruction computes, in two words: kind, operator, type, operands.
type Key = [u64; 2];

/// The key of what is no pure instruction. An entry never has it.
const NO_KEY: Key = [0; 2];

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    epoch: u32,
    value: Value,
}

/// The cache; an entry counts only while its epoch is the current one.
pub(super) struct ValueTable {
    entries: Box<[Entry; SLOTS]>,
    epoch: u32,
    /// What was looked for last, and where it would be.
    key: Key,
    slot: u8,
}

impl Default for ValueTable {
    fn default() -> Self {
        let empty = Entry { key: NO_KEY, epoch: 0, value: Value::from_u32(0) };
        ValueTable { entries: Box::new([empty; SLOTS]), epoch: 1, key: NO_KEY, slot: 0 }
    }
}

impl ValueTable {
    #[inline]
    pub(super) fn clear(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            *self = ValueTable::default();
        }
    }

    /// Nothing is to be recorded for what was looked for.
    pub(super) fn forget_key(&mut self) {
        self.key = NO_KEY;
    }

    /// The value of `data`, whose operands are in canonical order. Remembers what was looked for.
    #[inline(always)]
    pub(super) fn find(&mut self, data: &InstData, ty: Type) -> Option<Value> {
        self.key = key(data, ty);
        self.slot = slot(self.key);
        let entry = &self.entries[usize::from(self.slot)];
        (entry.epoch == self.epoch && entry.key == self.key).then_some(entry.value)
    }

    /// Records `value` for what was looked for.
    #[inline(always)]
    pub(super) fn insert(&mut self, value: Value) {
        if self.key != NO_KEY {
            self.entries[usize::from(self.slot)] = Entry { key: self.key, epoch: self.epoch, value };
        }
    }
}

/// The multiplier of FxHash, and the bits that depend on all others.
fn slot([a, b]: Key) -> u8 {
    let hash = (a.rotate_left(5) ^ b).wrapping_mul(0x517c_c1b7_2722_0a95);
    (hash >> 56) as u8
}

#[inline(always)]
fn key(data: &InstData, ty: Type) -> Key {
    let pack = |kind: u32, operator: u32, a: Value, b: Value, c: u32| {
        let head = kind << 16 | operator << 8 | ty as u32;
        [u64::from(head) << 32 | u64::from(a.as_u32()), u64::from(b.as_u32()) << 32 | u64::from(c)]
    };
    match *data {
        InstData::Binary { op, args: [a, b] } => pack(1, op as u32, a, b, 0),
        InstData::Cast { op, arg } => pack(2, op as u32, arg, arg, 0),
        InstData::Icmp { cond, args: [a, b] } => pack(3, cond as u32, a, b, 0),
        InstData::Fcmp { cond, args: [a, b] } => pack(4, cond as u32, a, b, 0),
        InstData::Select { cond, if_true, if_false } => pack(5, 0, if_true, if_false, cond.as_u32()),
        InstData::ExtractElement { vector, index } => pack(6, 0, vector, index, 0),
        InstData::InsertElement { vector, element, index } => pack(7, 0, vector, element, index.as_u32()),
        InstData::Join { halves: [a, b] } => pack(8, 0, a, b, 0),
        InstData::Half { vector, half } => pack(9, half.into(), vector, vector, 0),
        _ => NO_KEY,
    }
}

/// `data` with commutative operands in ascending order.
#[inline(always)]
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

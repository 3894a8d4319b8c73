//! Integer constants that one body has already: a direct-mapped cache, so that offsets and masks are made once.
//!
//! A miss only costs another constant. Clearing is one counter increment.

use ice_ir::{Function, Type, Value};

const SLOTS: usize = 256;

#[derive(Clone, Copy)]
struct Slot {
    epoch: u32,
    ty: Type,
    value: Value,
    number: i64,
}

/// The cache; a slot counts only while its epoch is the current one.
pub(super) struct Numbers {
    slots: [Slot; SLOTS],
    epoch: u32,
}

impl Default for Numbers {
    fn default() -> Numbers {
        let empty = Slot { epoch: 0, ty: Type::Void, value: Value::from_u32(0), number: 0 };
        Numbers { slots: [empty; SLOTS], epoch: 1 }
    }
}

impl Numbers {
    pub(super) fn clear(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            *self = Numbers::default();
        }
    }

    /// The constant `number` of type `ty`.
    #[inline]
    pub(super) fn get(&mut self, func: &mut Function, ty: Type, number: i64) -> Value {
        let number = ty.sign_extend(number);
        let hash = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        let slot = &mut self.slots[(hash as usize ^ (ty as usize) << 5) % SLOTS];
        if slot.epoch == self.epoch && slot.ty == ty && slot.number == number {
            return slot.value;
        }
        let value = func.make_int(ty, number);
        *slot = Slot { epoch: self.epoch, ty, value, number };
        value
    }
}

//! Constants of a module, deduplicated by their bits and size.
//!
//! One dense table for each size (4, 8 and 16 bytes), to become the mergeable sections
//! `.rodata.cst4`, `.rodata.cst8` and `.rodata.cst16`. An id is the insertion order, so the contents
//! do not depend on any hash; code refers to a constant by a relocation to the section's symbol with
//! [`ConstantId::offset`] as addend. Cost: one hash lookup an insertion.

use core::hash::BuildHasherDefault;
use indexmap::IndexSet;
use rustc_hash::FxHasher;

type Set<T> = IndexSet<T, BuildHasherDefault<FxHasher>>;

/// The size of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConstantSize {
    /// 4 bytes.
    C4,
    /// 8 bytes.
    C8,
    /// 16 bytes.
    C16,
}

impl ConstantSize {
    /// The size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            ConstantSize::C4 => 4,
            ConstantSize::C8 => 8,
            ConstantSize::C16 => 16,
        }
    }
}

/// A constant in a [`ConstantPool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstantId {
    /// Which table.
    pub size: ConstantSize,
    /// Position in the table.
    pub index: u32,
}

impl ConstantId {
    /// Offset in bytes from the start of the constants of this size.
    #[must_use]
    pub const fn offset(self) -> u32 {
        self.index * self.size.bytes()
    }
}

/// Constants by size, in insertion order.
#[derive(Clone, Debug, Default)]
pub struct ConstantPool {
    c4: Set<u32>,
    c8: Set<u64>,
    c16: Set<u128>,
}

impl ConstantPool {
    /// An empty pool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all constants, keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.c4.clear();
        self.c8.clear();
        self.c16.clear();
    }

    /// The constant with these bits (the low `size` bytes count), new or already there.
    pub fn intern(&mut self, size: ConstantSize, bits: u128) -> ConstantId {
        let index = match size {
            ConstantSize::C4 => self.c4.insert_full(bits as u32).0,
            ConstantSize::C8 => self.c8.insert_full(bits as u64).0,
            ConstantSize::C16 => self.c16.insert_full(bits).0,
        };
        ConstantId { size, index: index as u32 }
    }

    /// Adds the constants of another pool in their order.
    pub fn add_all(&mut self, other: &ConstantPool) {
        self.c4.extend(&other.c4);
        self.c8.extend(&other.c8);
        self.c16.extend(&other.c16);
    }

    /// How many constants of this size there are.
    #[must_use]
    pub fn len(&self, size: ConstantSize) -> usize {
        match size {
            ConstantSize::C4 => self.c4.len(),
            ConstantSize::C8 => self.c8.len(),
            ConstantSize::C16 => self.c16.len(),
        }
    }

    /// Whether there is no constant of any size.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.c4.is_empty() && self.c8.is_empty() && self.c16.is_empty()
    }

    /// The bits of one constant.
    #[must_use]
    pub fn get(&self, id: ConstantId) -> Option<u128> {
        let index = id.index as usize;
        match id.size {
            ConstantSize::C4 => self.c4.get_index(index).map(|&bits| bits.into()),
            ConstantSize::C8 => self.c8.get_index(index).map(|&bits| bits.into()),
            ConstantSize::C16 => self.c16.get_index(index).copied(),
        }
    }

    /// Appends the section contents of one size, little-endian, in id order.
    pub fn write_section(&self, size: ConstantSize, out: &mut alloc::vec::Vec<u8>) {
        match size {
            ConstantSize::C4 => self.c4.iter().for_each(|bits| out.extend_from_slice(&bits.to_le_bytes())),
            ConstantSize::C8 => self.c8.iter().for_each(|bits| out.extend_from_slice(&bits.to_le_bytes())),
            ConstantSize::C16 => self.c16.iter().for_each(|bits| out.extend_from_slice(&bits.to_le_bytes())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn ids_follow_insertion_and_equal_bits_share() {
        let mut pool = ConstantPool::new();
        let a = pool.intern(ConstantSize::C8, 0x3ff0_0000_0000_0000);
        let b = pool.intern(ConstantSize::C4, 0);
        let c = pool.intern(ConstantSize::C8, 7);
        assert_eq!(pool.intern(ConstantSize::C8, 0x3ff0_0000_0000_0000), a);
        assert_eq!((a.offset(), b.offset(), c.offset()), (0, 0, 8));
        // The same bits in another size are another constant; bits above the size do not count.
        assert_ne!(pool.intern(ConstantSize::C16, 7), c);
        assert_eq!(pool.intern(ConstantSize::C4, 1 << 32), b);
        let mut section = Vec::new();
        pool.write_section(ConstantSize::C8, &mut section);
        assert_eq!(section, [0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(pool.get(c), Some(7));
        pool.clear();
        assert!(pool.is_empty());
    }
}

//! A string table: names one after another, each ended by a byte 0, equal names stored once.
//!
//! The table is its own dictionary: a hash table (open addressing, linear probing, at most three quarters full) holds
//! offsets into the bytes and keeps the hash beside each, so names are compared only when hashes agree.
//! Names that their owner knows to be unique pass it by. Offset 0 is the empty name. Cost: linear in the bytes of the
//! names. The result depends only on the calls.
use alloc::vec;
use alloc::vec::Vec;

use crate::Error;

/// Names of symbols or of sections.
pub(crate) struct StringTable {
    bytes: Vec<u8>,
    /// `(hash, offset)`; offset 0 marks a free slot. The length is a power of two.
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl StringTable {
    pub(crate) fn new() -> StringTable {
        StringTable { bytes: vec![0], slots: Vec::new(), used: 0 }
    }

    /// The whole table, as it stands in the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The name at `offset`.
    pub(crate) fn name(&self, offset: u32) -> &[u8] {
        let tail = &self.bytes[offset as usize..];
        &tail[..tail.iter().position(|&byte| byte == 0).unwrap_or(tail.len())]
    }

    /// Offset of `name`, which is added if it is new.
    pub(crate) fn intern(&mut self, name: &[u8]) -> Result<u32, Error> {
        check(name)?;
        if name.is_empty() {
            return Ok(0);
        }
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow((self.slots.len() * 2).max(64));
        }
        let hash = hash(name);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 != 0 {
            let (other, offset) = self.slots[slot];
            if other == hash && self.is_name_at(offset, name) {
                return Ok(offset);
            }
            slot = (slot + 1) & mask;
        }
        let offset = self.store(name)?;
        self.slots[slot] = (hash, offset);
        self.used += 1;
        Ok(offset)
    }

    /// Offset of `name`, which is stored whether it is new or not, and which the dictionary does not know.
    pub(crate) fn append(&mut self, name: &[u8]) -> Result<u32, Error> {
        check(name)?;
        if name.is_empty() { Ok(0) } else { self.store(name) }
    }

    #[inline]
    fn store(&mut self, name: &[u8]) -> Result<u32, Error> {
        let offset = u32::try_from(self.bytes.len()).map_err(|_| Error::StringTableTooLarge)?;
        self.bytes.try_reserve(name.len() + 1).map_err(|_| Error::StringTableTooLarge)?;
        self.bytes.extend_from_slice(name);
        self.bytes.push(0);
        Ok(offset)
    }

    /// Whether `name`, which has no byte 0, is the whole name at `offset`.
    fn is_name_at(&self, offset: u32, name: &[u8]) -> bool {
        self.bytes[offset as usize..].strip_prefix(name).is_some_and(|rest| rest.first() == Some(&0))
    }

    /// Makes room for so many names more.
    pub(crate) fn reserve(&mut self, additional: usize) {
        let size = (self.used.saturating_add(additional).saturating_mul(4) / 3 + 1).next_power_of_two();
        if size > self.slots.len() {
            self.grow(size);
        }
    }

    /// Makes the dictionary one of `size` slots, a power of two.
    fn grow(&mut self, size: usize) {
        let old = core::mem::replace(&mut self.slots, vec![(0, 0); size]);
        for (hash, offset) in old {
            if offset != 0 {
                let mut slot = hash as usize & (size - 1);
                while self.slots[slot].1 != 0 {
                    slot = (slot + 1) & (size - 1);
                }
                self.slots[slot] = (hash, offset);
            }
        }
    }
}

/// Refuses a name with a byte 0.
fn check(name: &[u8]) -> Result<(), Error> {
    match name.iter().position(|&byte| byte == 0) {
        Some(position) => Err(Error::NulInName { position }),
        None => Ok(()),
    }
}

/// Multiply and rotate over words of eight bytes, with a final mix; not keyed, so a client that takes names
/// from an attacker pays quadratic time only for names made to collide in all 32 bits.
fn hash(name: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = name.len() as u64;
    let mut chunks = name.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        state = (state.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    let rest = chunks.remainder();
    let mut word = [0; 8];
    word[..rest.len()].copy_from_slice(rest);
    state = (state.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    (state ^ state >> 29).wrapping_mul(FACTOR).wrapping_shr(32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn equal_names_are_stored_once() {
        let mut table = StringTable::new();
        let mut offsets = Vec::new();
        for i in 0..5000 {
            offsets.push(table.intern(format!("name{i}").as_bytes()).unwrap());
        }
        let size = table.bytes().len();
        for (i, &offset) in offsets.iter().enumerate() {
            let name = format!("name{i}");
            assert_eq!(table.intern(name.as_bytes()).unwrap(), offset);
            assert_eq!(table.name(offset), name.as_bytes());
        }
        assert_eq!(table.bytes().len(), size);
        // A prefix of a stored name is another name.
        let prefix = table.intern(b"name").unwrap();
        assert_eq!(table.name(prefix), b"name");
        assert!(table.is_name_at(prefix, b"name") && !table.is_name_at(prefix, b"nam"));
        assert!(!table.is_name_at(offsets[0], b"name") && !table.is_name_at(prefix, b"name0"));
        assert_eq!(table.intern(b"").unwrap(), 0);
        assert_eq!(table.name(0), b"");
        assert_eq!(table.intern(b"a\0b"), Err(Error::NulInName { position: 1 }));
        // Nobody looks for a name that was appended.
        let appended = table.append(b"own").unwrap();
        assert_eq!(table.name(appended), b"own");
        assert_ne!(table.intern(b"own").unwrap(), appended);
        assert_eq!((table.append(b""), table.append(b"a\0")), (Ok(0), Err(Error::NulInName { position: 1 })));
    }
}

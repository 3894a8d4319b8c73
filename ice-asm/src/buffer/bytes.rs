//! Bytes that grow at the end, an instruction at a time.
//!
//! An instruction comes in parts whose lengths are only known while it is composed. Each part is written as
//! one word of fixed size over the garbage behind the part before it: a store a part, no loop and no copy.
//! That needs room behind the end, so the vector is longer than the code.
//!
//! Invariants: `len <= storage.len()` and `storage.len() <= max(limit, len)`; `storage[len..]` is garbage. Where
//! a window fits behind the end the instruction does, and the limit is kept; the rest is for the cold path. Code in
//! bundles has no room behind its end, so that every instruction goes the cold way, where its place is looked at.

use alloc::vec;
use alloc::vec::Vec;

/// Room behind the end that [`CodeBytes::append_parts`] writes to: two parts and the last word.
const WINDOW: usize = 24;

/// A part of an instruction: bytes, the first one lowest, and how many of them count.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub bytes: u64,
    pub len: u32,
}

impl Part {
    pub const EMPTY: Part = Part { bytes: 0, len: 0 };

    /// Puts a byte in front; the part has fewer than eight. An instruction is composed from its opcode
    /// towards its first prefix, because shifts by a constant are the cheapest.
    #[inline]
    pub fn put_first(&mut self, byte: u8) {
        self.bytes = self.bytes << 8 | u64::from(byte);
        self.len += 1;
    }
}

/// There is no room for an instruction or datum below the limit.
pub(crate) struct Full;

/// The bytes of the code.
pub(crate) struct CodeBytes {
    storage: Vec<u8>,
    len: u32,
    limit: u32,
    /// Nothing is behind the end.
    is_tight: bool,
}

impl CodeBytes {
    /// No bytes yet, and never more than `limit`.
    pub fn new(limit: u32) -> Self {
        CodeBytes { storage: vec![0; limit.min(256) as usize], len: 0, limit, is_tight: false }
    }

    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Sets the limit; bytes past it stay.
    pub fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
        self.storage.truncate(limit.max(self.len) as usize);
    }

    /// Whether [`append_parts`](Self::append_parts) refuses, so that its caller sees every instruction.
    pub fn set_tight(&mut self, is_tight: bool) {
        self.is_tight = is_tight;
        self.truncate(self.len);
    }

    /// As [`set_tight`](Self::set_tight) has said.
    pub fn is_tight(&self) -> bool {
        self.is_tight
    }

    /// Forgets the bytes, keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.set_limit(self.limit);
    }

    #[inline]
    pub fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.storage[..self.len as usize]
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.storage[..self.len as usize]
    }

    /// Cuts the bytes from `len` on, if there are any.
    #[inline]
    pub fn truncate(&mut self, len: u32) {
        self.len = self.len.min(len);
        if self.is_tight {
            self.storage.truncate(self.len as usize);
        }
    }

    /// Appends any number of bytes, all or none.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let start = self.len as usize;
        let end = start + bytes.len();
        if end > self.storage.len() {
            self.grow(end)?;
        }
        self.storage[start..end].copy_from_slice(bytes);
        self.len = end as u32;
        Ok(())
    }

    /// Appends up to three parts of an instruction back to back, if there is room for a window behind the end; all but
    /// the last have at most 15 bytes together. Says whether it did; if not, and the bytes are not
    /// [tight](Self::set_tight), [`append_at_end`](Self::append_at_end) does.
    #[inline(always)]
    pub fn append_parts<const N: usize>(&mut self, parts: [Part; N]) -> bool {
        let start = self.len as usize;
        match self.storage.get_mut(start..start + WINDOW) {
            Some(window) => {
                self.len += write(parts, window);
                true
            }
            None => false,
        }
    }

    /// Appends the parts of an instruction to tight bytes.
    #[inline]
    pub fn append_tight(&mut self, parts: [Part; 3]) -> Result<(), Full> {
        let start = self.len as usize;
        self.storage.extend_from_slice(&[0; WINDOW]);
        let end = self.len + write(parts, &mut self.storage[start..start + WINDOW]);
        let fits = end <= self.limit;
        self.len = if fits { end } else { self.len };
        self.storage.truncate(self.len as usize);
        if fits { Ok(()) } else { Err(Full) }
    }

    /// Appends parts where the storage ends.
    pub fn append_at_end(&mut self, first: Part, second: Part, third: Part) -> Result<(), Full> {
        let mut window = [0; WINDOW];
        let len = write([first, second, third], &mut window);
        self.append(&window[..len as usize])
    }

    /// Makes room for `end` bytes, and for as many again below the limit.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: usize) -> Result<(), Full> {
        let limit = self.limit as usize;
        if end > limit {
            return Err(Full);
        }
        let room = if self.is_tight { end } else { (2 * (end + WINDOW)).min(limit) };
        self.storage.resize(room, 0);
        Ok(())
    }
}

/// Writes the parts back to back and gives their length; `window` has `WINDOW` bytes.
#[inline(always)]
fn write<const N: usize>(parts: [Part; N], window: &mut [u8]) -> u32 {
    let mut end = 0;
    for part in parts {
        // The mask is for the compiler, which then needs no checks.
        let start = end as usize & 15;
        window[start..start + 8].copy_from_slice(&part.bytes.to_le_bytes());
        end += part.len;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(bytes: u64, len: u32) -> Part {
        Part { bytes, len }
    }

    fn append(bytes: &mut CodeBytes, parts: [Part; 3]) -> bool {
        bytes.append_parts(parts) || bytes.append_at_end(parts[0], parts[1], parts[2]).is_ok()
    }

    #[test]
    fn parts_lie_back_to_back() {
        let mut bytes = CodeBytes::new(10_000);
        for _ in 0..100 {
            let start = bytes.len();
            assert!(append(&mut bytes, [part(0x77_2211, 2), part(0x99_33, 1), part(0x5544, 2)]));
            assert_eq!(bytes.as_slice()[start as usize..], [0x11, 0x22, 0x33, 0x44, 0x55]);
            assert!(bytes.append(&[1; 7]).is_ok());
            assert_eq!(bytes.as_slice()[start as usize + 5..], [1; 7]);
        }
        bytes.truncate(3);
        assert!(append(&mut bytes, [part(9, 1), Part::EMPTY, Part::EMPTY]));
        assert_eq!(bytes.as_slice(), [0x11, 0x22, 0x33, 9]);
    }

    #[test]
    fn the_limit_is_exact() {
        let mut bytes = CodeBytes::new(1000);
        for _ in 0..300 {
            assert!(bytes.append(&[0; 3]).is_ok());
        }
        bytes.set_limit(905);
        assert!(!append(&mut bytes, [part(1, 2), part(2, 2), part(3, 2)]));
        assert!(append(&mut bytes, [part(1, 2), part(2, 2), part(3, 1)]));
        assert!(bytes.append(&[0]).is_err());
        assert_eq!(bytes.len(), 905);
    }
}

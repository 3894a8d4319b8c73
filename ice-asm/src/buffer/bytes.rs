//! Bytes that grow at the end, an instruction at a time.
//!
//! An instruction comes in parts whose lengths are only known while it is composed. Each part is written as
//! one word of fixed size over the garbage behind the part before it: three stores, no loop and no copy.
//! That needs room behind the end, so the vector is longer than the code.
//!
//! Invariants: `storage` is at least `len + WINDOW` long; `storage[len..]` is garbage; `room` is the length up
//! to which that is so and the limit is kept. They are restored after each append, when nothing else is alive,
//! and not before.

use alloc::vec;
use alloc::vec::Vec;

/// Room behind the end that [`CodeBytes::append_parts`] writes to: two parts and the last word.
const WINDOW: usize = 32;

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
    len: usize,
    limit: usize,
    room: usize,
}

impl CodeBytes {
    /// No bytes yet, and never more than `limit`.
    pub fn new(limit: usize) -> Self {
        let mut bytes = CodeBytes { storage: vec![0; 256], len: 0, limit: 0, room: 0 };
        bytes.set_limit(limit);
        bytes
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Sets the limit; bytes past it stay.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.room = limit.min(self.storage.len() - WINDOW);
    }

    /// Forgets the bytes, keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.storage[..self.len]
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.storage[..self.len]
    }

    /// Cuts the bytes from `len` on, if there are any.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends any number of bytes, all or none.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let start = self.len;
        self.set_end(start + bytes.len())?;
        self.storage[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Appends the parts of an instruction back to back, all or none; the first two have at most 15 bytes
    /// together.
    #[inline(always)]
    pub fn append_parts(&mut self, [first, second, third]: [Part; 3]) -> Result<(), Full> {
        let rest = self.storage.get_mut(self.len..).unwrap_or_default();
        let Some(window) = rest.first_chunk_mut::<WINDOW>() else { return Err(Full) };
        // The masks are for the compiler, which then needs no checks.
        let middle = first.len as usize & 15;
        let end = (first.len + second.len) as usize & 15;
        window[..8].copy_from_slice(&first.bytes.to_le_bytes());
        window[middle..middle + 8].copy_from_slice(&second.bytes.to_le_bytes());
        window[end..end + 8].copy_from_slice(&third.bytes.to_le_bytes());
        self.set_end(self.len + end + third.len as usize)
    }

    #[inline(always)]
    fn set_end(&mut self, end: usize) -> Result<(), Full> {
        if end > self.room {
            self.grow(end)?;
        }
        self.len = end;
        Ok(())
    }

    /// Makes room for `end` bytes and the window behind them, and for as many bytes again.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: usize) -> Result<(), Full> {
        if end > self.limit {
            return Err(Full);
        }
        self.storage.resize(2 * (end + WINDOW), 0);
        self.set_limit(self.limit);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(bytes: u64, len: u32) -> Part {
        Part { bytes, len }
    }

    #[test]
    fn parts_lie_back_to_back() {
        let mut bytes = CodeBytes::new(10_000);
        for _ in 0..100 {
            let start = bytes.len();
            assert!(bytes.append_parts([part(0x77_2211, 2), part(0x99_33, 1), part(0x5544, 2)]).is_ok());
            assert_eq!(bytes.as_slice()[start..], [0x11, 0x22, 0x33, 0x44, 0x55]);
            assert!(bytes.append(&[1; 7]).is_ok());
            assert_eq!(bytes.as_slice()[start + 5..], [1; 7]);
        }
        bytes.truncate(3);
        assert!(bytes.append_parts([part(9, 1), Part::EMPTY, Part::EMPTY]).is_ok());
        assert_eq!(bytes.as_slice(), [0x11, 0x22, 0x33, 9]);
    }

    #[test]
    fn the_limit_is_exact() {
        let mut bytes = CodeBytes::new(1000);
        for _ in 0..300 {
            assert!(bytes.append(&[0; 3]).is_ok());
        }
        bytes.set_limit(905);
        assert!(bytes.append_parts([part(1, 2), part(2, 2), part(3, 2)]).is_err());
        assert!(bytes.append_parts([part(1, 2), part(2, 2), part(3, 1)]).is_ok());
        assert!(bytes.append(&[0]).is_err());
        assert_eq!(bytes.len(), 905);
    }
}

//! Bytes that grow at the end, an instruction at a time.
//!
//! An instruction comes in parts whose lengths are only known while it is composed. Each part is written as
//! one word of fixed size over the garbage behind the part before it: three stores, no loop and no copy.
//! That needs room behind the end, so the vector is longer than the code: `storage[len..]` is garbage.

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

    /// Appends a byte; the part has fewer than eight.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        self.bytes |= u64::from(byte) << (8 * self.len);
        self.len += 1;
    }
}

/// The bytes of the code.
pub(crate) struct CodeBytes {
    storage: Vec<u8>,
    len: usize,
}

impl CodeBytes {
    pub const fn new() -> Self {
        CodeBytes { storage: Vec::new(), len: 0 }
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

    /// Appends any number of bytes.
    pub fn append(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if end > self.storage.len() {
            self.grow(bytes.len());
        }
        self.storage[self.len..end].copy_from_slice(bytes);
        self.len = end;
    }

    /// Appends the parts back to back; the first two have at most 15 bytes together.
    #[inline]
    pub fn append_parts(&mut self, [first, second, third]: [Part; 3]) {
        if self.storage.len() - self.len < WINDOW {
            self.grow(WINDOW);
        }
        let Some(window) = self.storage[self.len..].first_chunk_mut::<WINDOW>() else { return };
        // The masks are for the compiler, which then needs no checks.
        let middle = first.len as usize & 15;
        let end = (first.len + second.len) as usize & 15;
        window[..8].copy_from_slice(&first.bytes.to_le_bytes());
        window[middle..middle + 8].copy_from_slice(&second.bytes.to_le_bytes());
        window[end..end + 8].copy_from_slice(&third.bytes.to_le_bytes());
        self.len += end + third.len as usize;
    }

    /// Makes room for `more` bytes at least, and for as many bytes as there are.
    #[cold]
    fn grow(&mut self, more: usize) {
        self.storage.resize((2 * self.storage.len()).max(self.len + more).max(256), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_back_to_back() {
        let mut bytes = CodeBytes::new();
        let part = |bytes, len| Part { bytes, len };
        for _ in 0..100 {
            let start = bytes.len();
            bytes.append_parts([part(0x77_2211, 2), part(0x99_33, 1), part(0x5544, 2)]);
            assert_eq!(bytes.as_slice()[start..], [0x11, 0x22, 0x33, 0x44, 0x55]);
            bytes.append(&[1; 7]);
            assert_eq!(bytes.as_slice()[start + 5..], [1; 7]);
        }
        bytes.truncate(3);
        bytes.append_parts([part(9, 1), Part::EMPTY, Part::EMPTY]);
        assert_eq!(bytes.as_slice(), [0x11, 0x22, 0x33, 9]);
    }
}

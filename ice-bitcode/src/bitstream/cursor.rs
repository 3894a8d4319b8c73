//! Bit fields over a byte slice.
//!
//! Method: a 64-bit window of bits that are not consumed yet, refilled by one unaligned 8-byte load (the
//! branch-free refill described by Fabian Giesen, "Reading bits in far too many ways", variant 4). Bits above
//! the valid count are copies of the bytes that the next refill brings, so that combining them again changes
//! nothing.
//!
//! Errors are sticky instead of being tested at every field: behind the end of the slice there are zero bits, and
//! a number that is too wide sets a flag. A zero chunk ends a variable-width number, so no loop runs on.
//! [`Reader`](super::Reader) asks once an entry whether the entry was good; that is the invariant that keeps
//! this safe and fast. Cost: about 6 machine instructions for a field.

use super::abbrev::Field;

/// A position in a stream of bits, bit 0 of each byte first.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    /// Next byte to load; may lie behind the end.
    next: usize,
    /// The next bits of the stream, in bit 0 upwards.
    window: u64,
    /// How many bits of the window are valid.
    bits: u32,
    /// A variable-width number did not fit.
    overflow: bool,
}

impl<'a> Cursor<'a> {
    /// A cursor at the first bit of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, next: 0, window: 0, bits: 0, overflow: false }
    }

    /// The bytes that are read.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Position of the next bit, counted from the start of the slice. Behind its end after reading too far.
    #[inline(always)]
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.next as u64 * 8 - self.bits as u64
    }

    /// Continues at bit `position`.
    #[inline]
    pub fn seek(&mut self, position: u64) {
        // A position that no slice can have is behind the end, like any other.
        self.next = usize::try_from(position / 8).unwrap_or(usize::MAX / 16).min(usize::MAX / 16);
        self.window = 0;
        self.bits = 0;
        self.read_fixed((position % 8) as u32);
    }

    /// Whether the cursor has consumed bits that do not exist.
    #[inline(always)]
    #[must_use]
    pub const fn is_past_end(&self) -> bool {
        self.position() > self.bytes.len() as u64 * 8
    }

    /// Whether a variable-width number did not fit since the last call; forgets it.
    #[inline(always)]
    pub fn take_overflow(&mut self) -> bool {
        core::mem::take(&mut self.overflow)
    }

    /// Makes at least 56 bits valid.
    #[inline(always)]
    fn refill(&mut self) {
        match self.bytes.get(self.next..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => {
                self.window |= u64::from_le_bytes(*chunk) << self.bits;
                self.next += ((63 - self.bits) >> 3) as usize;
                self.bits |= 56;
            }
            None => *self = self.refill_tail(),
        }
    }

    /// The last seven bytes and the zero bits behind them. By value, so that no address of a cursor is taken
    /// and its fields stay in registers.
    #[cold]
    #[inline(never)]
    fn refill_tail(mut self) -> Cursor<'a> {
        self.window &= (1u64 << self.bits) - 1;
        while self.bits <= 56 {
            let byte = self.bytes.get(self.next).copied().unwrap_or(0);
            self.window |= u64::from(byte) << self.bits;
            self.next += 1;
            self.bits += 8;
        }
        // The fast refill's invariant: the bits above the count are zero or the bytes to come. 64 valid bits
        // would need a shift by 64 next time.
        if self.bits == 64 {
            self.bits = 56;
            self.next -= 1;
        }
        self
    }

    /// A field of `width` bits, `width` 0..=32.
    #[inline(always)]
    pub fn read_fixed(&mut self, width: u32) -> u64 {
        debug_assert!(width <= 32);
        if self.bits < width {
            self.refill();
        }
        let value = self.window & ((1u64 << width) - 1);
        self.window >>= width;
        self.bits -= width;
        value
    }

    /// A number in chunks of `width` bits, `width` 2..=32, whose top bit says that another chunk follows.
    #[inline(always)]
    pub fn read_vbr(&mut self, width: u32) -> u64 {
        let chunk = self.read_fixed(width);
        let more = 1u64 << (width - 1);
        if chunk & more == 0 { chunk } else { self.read_vbr_rest(width, more, chunk ^ more) }
    }

    /// The second and further chunks of a number; `value` is the payload of the first.
    #[inline(always)]
    fn read_vbr_rest(&mut self, width: u32, more: u64, mut value: u64) -> u64 {
        let payload_bits = width - 1;
        let mut shift = payload_bits;
        loop {
            let chunk = self.read_fixed(width);
            let payload = chunk & (more - 1);
            if shift + payload_bits <= 64 {
                value |= payload << shift;
                shift += payload_bits;
            } else {
                // The last chunk that has room for some bits, or one behind it.
                self.overflow |= payload.checked_shr(64 - shift).unwrap_or(0) != 0;
                value |= payload.checked_shl(shift).unwrap_or(0);
                shift = 64;
            }
            if chunk & more == 0 {
                return value;
            }
        }
    }

    /// One scalar field of an abbreviation.
    #[inline(always)]
    pub(super) fn read_field(&mut self, field: &Field) -> u64 {
        let width = u32::from(field.width);
        if self.bits < width {
            self.refill();
        }
        let chunk = self.window & u64::from(field.mask);
        self.window >>= width;
        self.bits -= width;
        let more = u64::from(field.more);
        if chunk & more == 0 { chunk | field.literal } else { self.read_vbr_rest(width, more, chunk ^ more) }
    }

    /// A variable-width number that has to fit in 32 bits.
    #[inline]
    pub fn read_vbr32(&mut self, width: u32) -> u32 {
        let value = self.read_vbr(width);
        u32::try_from(value).unwrap_or_else(|_| {
            self.overflow = true;
            0
        })
    }

    /// One character of the 64-letter alphabet `a-zA-Z0-9._`, as ASCII.
    #[inline(always)]
    pub fn read_char6(&mut self) -> u64 {
        u64::from(CHAR6[self.read_fixed(6) as usize & 63])
    }

    /// Continues at the next multiple of 32 bits, and gives the bits that were passed over.
    #[inline]
    pub fn align32(&mut self) -> u64 {
        let padding = (self.position() as u32).wrapping_neg() % 32;
        self.read_fixed(padding)
    }
}

/// The alphabet of `char6` fields.
pub(crate) const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cross_byte_and_window_borders() {
        let bytes: [u8; 24] = core::array::from_fn(|i| (i * 37 + 11) as u8);
        for width in 1..=32u32 {
            let mut cursor = Cursor::new(&bytes);
            let mut at = 0;
            while at + width <= 192 {
                let expected = (0..width).fold(0u64, |v, i| {
                    let bit = at + i;
                    v | u64::from(bytes[bit as usize / 8] >> (bit % 8) & 1) << i
                });
                assert_eq!(cursor.read_fixed(width), expected, "width {width} at bit {at}");
                at += width;
                assert_eq!(cursor.position(), u64::from(at));
            }
        }
    }

    #[test]
    fn behind_the_end_there_are_zero_bits() {
        let mut cursor = Cursor::new(&[0xff]);
        assert_eq!(cursor.read_fixed(8), 0xff);
        assert!(!cursor.is_past_end());
        for _ in 0..20 {
            assert_eq!(cursor.read_fixed(32), 0);
        }
        assert!(cursor.is_past_end());
        assert_eq!(cursor.position(), 8 + 640);
        cursor.seek(u64::MAX);
        assert!(cursor.is_past_end());
        assert_eq!(cursor.read_vbr(6), 0);
    }

    #[test]
    fn variable_width_numbers() {
        // 31, then 32, both vbr(6): 011111 and 100000 000001.
        let mut cursor = Cursor::new(&[0b0001_1111, 0b0001_1000, 0]);
        assert_eq!(cursor.read_vbr(6), 31);
        assert_eq!(cursor.read_vbr(6), 32);
        assert!(!cursor.take_overflow());
        // vbr(2): one payload bit a chunk. 64 ones fit, a 65th does not, a 65th zero is only not minimal.
        for (extra, overflow) in [(0u8, false), (1, true)] {
            let mut bytes = [0xffu8; 17];
            bytes[16] = extra;
            let mut cursor = Cursor::new(&bytes);
            assert_eq!(cursor.read_vbr(2), u64::MAX);
            assert_eq!(cursor.position(), 130);
            assert_eq!(cursor.take_overflow(), overflow);
            assert!(!cursor.take_overflow());
        }
        let mut cursor = Cursor::new(&[0xff; 64]);
        assert_eq!(cursor.read_vbr32(8), 0);
        assert!(cursor.take_overflow() && cursor.is_past_end());
    }

    #[test]
    fn alignment_and_seeking() {
        let bytes: [u8; 16] = core::array::from_fn(|i| i as u8);
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(cursor.align32(), 0);
        assert_eq!(cursor.position(), 0);
        cursor.read_fixed(3);
        assert_eq!(cursor.align32(), 0x0302_0100 >> 3);
        assert_eq!(cursor.read_fixed(32), 0x0706_0504);
        cursor.seek(21);
        assert_eq!(cursor.position(), 21);
        assert_eq!(cursor.read_fixed(8), (0x0302 >> 5) & 0xff);
    }
}

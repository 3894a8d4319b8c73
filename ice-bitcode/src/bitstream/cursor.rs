//! Bit fields over a byte slice.
//!
//! Method: a 64-bit window on the bits that are not consumed yet. It is filled by one unaligned load of 8 bytes at the
//! byte of the next bit (Fabian Giesen, "Reading bits in far too many ways", variant 1), so that a position in bits is
//! all that has to be kept from record to record, and all else lives in registers while a record is read.
//!
//! Errors are sticky instead of being tested at every field: behind the end of the slice there are zero bits, and
//! a number that is too wide moves the position to a place that no slice has. A zero chunk ends a variable-width
//! number, so no loop runs on. [`Reader`](super::Reader) asks once an entry whether the entry was good; that is
//! the invariant that keeps this safe and fast. Cost: about 8 machine instructions for a field.
//!
//! Nothing in a fast path takes the address of a cursor, and what is rare takes and gives plain numbers.

use super::abbrev::{Field, Plan};

/// A position in a stream of bits, bit 0 of each byte first.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    /// The bit behind the window, counted from the start of the slice; may lie behind its end.
    end: u64,
    /// The next bits of the stream, in bit 0 upwards; zeros above them.
    window: u64,
    /// How many bits of the window are valid.
    bits: u32,
}

/// Behind the end of every slice, in bits.
const BEHIND: u64 = 1 << 61;
/// Farther behind: a number did not fit.
const OVERFLOW: u64 = BEHIND + BEHIND / 2;

impl<'a> Cursor<'a> {
    /// A cursor at the first bit of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor::at(bytes, 0)
    }

    /// A cursor at bit `position` of `bytes`, with at least 57 valid bits.
    #[inline(always)]
    pub(super) fn at(bytes: &'a [u8], position: u64) -> Cursor<'a> {
        // A position that no slice can have is behind the end, like any other.
        let byte = usize::try_from(position / 8).unwrap_or(usize::MAX);
        let word = match bytes.get(byte..).unwrap_or(&[]).first_chunk::<8>() {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => last_bytes(bytes, byte),
        };
        let passed = (position % 8) as u32;
        Cursor { bytes, end: position / 8 * 8 + 64, window: word >> passed, bits: 64 - passed }
    }

    /// Position of the next bit, counted from the start of the slice. Behind its end after reading too far or
    /// after a number that did not fit.
    #[inline(always)]
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.end - self.bits as u64
    }

    /// Continues at bit `position`.
    #[inline]
    pub fn seek(&mut self, position: u64) {
        *self = Cursor::at(self.bytes, position.min(BEHIND));
    }

    /// Whether the cursor has consumed bits that do not exist.
    #[inline(always)]
    #[must_use]
    pub const fn is_past_end(&self) -> bool {
        self.position() > self.bytes.len() as u64 * 8 && !self.has_overflow()
    }

    /// Whether a variable-width number did not fit. The position means nothing then, until the next
    /// [`seek`](Self::seek).
    #[must_use]
    pub const fn has_overflow(&self) -> bool {
        self.position() >= OVERFLOW
    }

    /// Makes at least 57 bits valid.
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        *self = Cursor::at(self.bytes, self.position());
    }

    /// The number of valid bits.
    #[inline(always)]
    pub(super) const fn bits(&self) -> u32 {
        self.bits
    }

    /// A field of `width` bits, `width` 0..=32.
    #[inline(always)]
    pub fn read_fixed(&mut self, width: u32) -> u64 {
        debug_assert!(width <= 32);
        if self.bits < width {
            self.refill();
        }
        let value = self.window & ((1u64 << width) - 1);
        self.consume(width);
        value
    }

    /// The bits under `mask`, which are valid and stay.
    #[inline(always)]
    pub(super) const fn peek(&self, mask: u32) -> u32 {
        self.window as u32 & mask
    }

    /// Passes over `width` bits that are valid.
    #[inline(always)]
    pub(super) fn consume(&mut self, width: u32) {
        self.window >>= width;
        self.bits -= width;
    }

    /// A number in chunks of `width` bits, `width` 2..=32, whose top bit says that another chunk follows.
    #[inline(always)]
    pub fn read_vbr(&mut self, width: u32) -> u64 {
        if self.bits < width {
            self.refill();
        }
        let more = 1u64 << (width - 1);
        let chunk = self.window & (2 * more - 1);
        if chunk & more == 0 {
            self.consume(width);
            return chunk;
        }
        self.read_long_vbr(width)
    }

    /// A number in chunks of 6 bits: up to four chunks here, more in a general loop. Most operands of records
    /// without abbreviation, and most fields of those with one, are laid out like this. Four take the flags of LLVM's
    /// calls.
    #[inline(always)]
    pub fn read_vbr6(&mut self) -> u64 {
        if self.bits < 24 {
            self.refill();
        }
        let bits = self.window;
        if bits & 0x20 == 0 {
            self.consume(6);
            return bits & 0x1f;
        }
        if bits & 0x800 == 0 {
            self.consume(12);
            return bits & 0x1f | bits >> 1 & 0x3e0;
        }
        if bits & 0x2_0000 == 0 {
            self.consume(18);
            return bits & 0x1f | bits >> 1 & 0x3e0 | bits >> 2 & 0x7c00;
        }
        if bits & 0x80_0000 == 0 {
            self.consume(24);
            return bits & 0x1f | bits >> 1 & 0x3e0 | bits >> 2 & 0x7c00 | bits >> 3 & 0xf_8000;
        }
        self.read_long_vbr(6)
    }

    /// A number of any length. The window is full afterwards.
    #[inline(always)]
    fn read_long_vbr(&mut self, width: u32) -> u64 {
        let (position, value) = long_vbr(self.bytes, self.position(), width);
        *self = Cursor::at(self.bytes, position);
        value
    }

    /// A variable-width number that has to fit in 32 bits.
    #[inline(always)]
    pub fn read_vbr32(&mut self, width: u32) -> u32 {
        let value = self.read_vbr(width);
        u32::try_from(value).unwrap_or_else(|_| {
            *self = Cursor::at(self.bytes, OVERFLOW);
            0
        })
    }

    /// Two numbers in chunks of 6 bits, of which most have one chunk.
    #[inline(always)]
    pub(super) fn read_vbr6_pair(&mut self) -> (u64, u64) {
        if self.bits < 12 {
            self.refill();
        }
        let bits = self.window;
        if bits & 0x820 == 0 {
            self.consume(12);
            return (bits & 0x1f, bits >> 6 & 0x1f);
        }
        let first = self.read_vbr6();
        (first, self.read_vbr6())
    }

    /// The fields of an abbreviation, if each has one chunk.
    #[inline(always)]
    pub(super) fn read_short(&mut self, plan: &Plan, places: &mut [u64]) -> bool {
        let window = self.window;
        if window & plan.more != 0 {
            return false;
        }
        for (place, field) in places.iter_mut().zip(&plan.fields) {
            *place = u64::from((window >> field.shift) as u32 & field.mask) | field.literal;
        }
        self.consume(plan.short);
        true
    }

    /// One of the fields of an abbreviation that are all in the window, as long as none of them has more than two
    /// chunks. A longer one leaves a full window behind itself.
    #[inline(always)]
    pub(super) fn read_field(&mut self, field: &Field) -> u64 {
        let Field { literal, mask, more, width, .. } = *field;
        let first = self.window as u32 & mask;
        if first & more == 0 {
            self.consume(width);
            return u64::from(first) | literal;
        }
        let second = (self.window >> width) as u32 & mask;
        if second & more == 0 {
            self.consume(2 * width);
            return u64::from(first ^ more) | u64::from(second) << (width - 1);
        }
        self.read_long_vbr(width)
    }

    /// One character of the 64-letter alphabet `a-zA-Z0-9._`, as ASCII.
    #[inline(always)]
    pub fn read_char6(&mut self) -> u64 {
        u64::from(CHAR6[self.read_fixed(6) as usize & 63])
    }

    /// Continues at the next multiple of 32 bits, and gives the bits that were passed over.
    #[inline(always)]
    pub fn align32(&mut self) -> u64 {
        let padding = (self.position() as u32).wrapping_neg() % 32;
        self.read_fixed(padding)
    }
}

/// A number of any length at bit `position`: the position behind it, and the number.
#[inline(never)]
fn long_vbr(bytes: &[u8], position: u64, width: u32) -> (u64, u64) {
    let mut cursor = Cursor::at(bytes, position);
    let more = 1u64 << (width - 1);
    let (mut value, mut shift, mut overflow) = (0u64, 0, false);
    loop {
        let chunk = cursor.read_fixed(width);
        let payload = chunk & (more - 1);
        let shifted = payload.checked_shl(shift).unwrap_or(0);
        overflow |= shifted.checked_shr(shift).unwrap_or(0) != payload;
        value |= shifted;
        shift = (shift + width - 1).min(64);
        if chunk & more == 0 {
            break;
        }
    }
    (if overflow { OVERFLOW } else { cursor.position() }, value)
}

/// The 8 bytes at `at`, of which some do not exist and are 0.
#[cold]
#[inline(never)]
fn last_bytes(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or(&[]);
    let mut word = [0; 8];
    word.iter_mut().zip(rest).for_each(|(to, &from)| *to = from);
    u64::from_le_bytes(word)
}

/// The alphabet of `char6` fields.
pub(crate) const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

#[cfg(test)]
mod tests {
    use super::super::{rotate_sign, unrotate_sign};
    use super::*;

    #[test]
    fn signs_are_the_lowest_bits() {
        for number in [0, 1, -1, 2, -2, i64::MAX, -i64::MAX] {
            assert_eq!(unrotate_sign(rotate_sign(number)), number);
        }
        assert_eq!((rotate_sign(i64::MIN), unrotate_sign(1)), (1, i64::MIN));
    }

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
        assert!(!cursor.has_overflow());
    }

    #[test]
    fn variable_width_numbers() {
        // 31, then 32, both vbr(6): 011111 and 100000 000001.
        let mut cursor = Cursor::new(&[0b0001_1111, 0b0001_1000, 0]);
        assert_eq!(cursor.read_vbr(6), 31);
        assert_eq!(cursor.read_vbr(6), 32);
        assert!(!cursor.has_overflow());
        // vbr(2): one payload bit a chunk. 64 ones fit, a 65th does not, a 65th zero is only not minimal.
        for (extra, overflow) in [(0u8, false), (1, true)] {
            let mut bytes = [0xffu8; 17];
            bytes[16] = extra;
            let mut cursor = Cursor::new(&bytes);
            assert_eq!(cursor.read_vbr(2), u64::MAX);
            assert_eq!(cursor.has_overflow(), overflow);
            assert!(overflow || cursor.position() == 130);
        }
        let mut cursor = Cursor::new(&[0xff; 64]);
        cursor.read_vbr32(8);
        assert!(cursor.has_overflow());
        cursor.seek(8);
        assert!(!cursor.has_overflow());
    }

    #[test]
    fn six_bit_chunks_are_as_general_ones() {
        let mut bytes = [0; 64];
        let mut state = 1u32;
        for byte in &mut bytes {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = (state >> 24) as u8 & (state >> 16) as u8;
        }
        for start in 0..400 {
            let (mut fast, mut slow) = (Cursor::new(&bytes), Cursor::new(&bytes));
            fast.seek(start);
            slow.seek(start);
            assert_eq!(fast.read_vbr6(), slow.read_vbr(6));
            assert_eq!(fast.position(), slow.position());
        }
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

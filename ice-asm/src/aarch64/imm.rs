//! Which constants an instruction can carry, and how.
//!
//! | type | of | values |
//! |---|---|---|
//! | [`ArithImm`] | additions, subtractions, comparisons | 12 bits, or 12 bits shifted left by 12 |
//! | [`LogicImm`] | `and`, `orr`, `eor`, `tst` | a run of ones, rotated in an element of 2 to 64 bits, and that repeated |
//! | [`FloatImm`](super::FloatImm) | `fmov` | ±n/16 × 2^r, n from 16 to 31, r from -3 to 4 |
//! | [`VectorImm`] | `movi`, `mvni`, vector `fmov` | 8 bits shifted, a mask of bytes, or the floating-point numbers |
//!
//! Any other number is [`Encoder::mov_number`](super::Encoder::mov_number).

use super::register::{Lane, Width};
use crate::arm32::FloatImm;
use core::fmt;

/// An immediate of additions and subtractions, encoded ("Add/subtract (immediate)").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArithImm(u16);

/// The immediate is shifted left by 12.
const SHIFTED: u16 = 1 << 12;

impl ArithImm {
    /// The encoding of a number, if it has one.
    #[must_use]
    #[inline]
    pub const fn new(value: u64) -> Option<ArithImm> {
        if value < 1 << 12 {
            Some(ArithImm(value as u16))
        } else if value < 1 << 24 && value & 0xfff == 0 {
            Some(ArithImm(SHIFTED | (value >> 12) as u16))
        } else {
            None
        }
    }

    /// The number.
    #[must_use]
    pub const fn value(self) -> u64 {
        let number = (self.0 & 0xfff) as u64;
        if self.0 & SHIFTED != 0 { number << 12 } else { number }
    }

    /// The fields `sh` and `imm12`.
    pub(super) const fn bits(self) -> u32 {
        (self.0 as u32) << 10
    }
}

impl fmt::Display for ArithImm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shift = if self.0 & SHIFTED != 0 { ", lsl #12" } else { "" };
        write!(f, "#{}{shift}", self.0 & 0xfff)
    }
}

/// An immediate of bitwise operations, encoded (`DecodeBitMasks`, aarch64/instrs/integer/bitmasks).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogicImm {
    /// `N:immr:imms`.
    fields: u16,
    width: Width,
}

impl LogicImm {
    /// The encoding of a number for instructions of this width, if it has one: of 32 bits, the others do not count. The
    /// number is not 0 and not all ones.
    #[must_use]
    pub const fn new(width: Width, value: u64) -> Option<LogicImm> {
        let value = match width {
            Width::W => (value as u32 as u64) | value << 32,
            Width::X => value,
        };
        let mut size = 64;
        while size > 2 && value == value.rotate_right(size / 2) {
            size /= 2;
        }
        // A run of ones in every element: it starts at one bit, above a zero.
        let starts = value & !value.rotate_left(1);
        if starts.count_ones() != 64 / size {
            return None;
        }
        let ones = value.count_ones() * size / 64;
        let rotation = (size - starts.trailing_zeros()) & (size - 1);
        // The size is told by the ones above the length in `N:NOT(imms)`.
        let imms = (2 * size).wrapping_neg() & 0x3f | (ones - 1);
        let n = size / 64;
        Some(LogicImm { fields: (n << 12 | rotation << 6 | imms) as u16, width })
    }

    /// The number; of 32 bits it has zeros above.
    #[must_use]
    pub const fn value(self) -> u64 {
        let (immr, imms) = (self.fields >> 6 & 63, (self.fields & 63) as u32);
        let size = if self.fields >> 12 != 0 { 64 } else { 1 << (31 - (!imms & 0x3f).leading_zeros()) };
        let ones = (imms & (size - 1)) + 1;
        let mut value = u64::MAX >> (64 - ones);
        let mut filled = size;
        while filled < 64 {
            value |= value << filled;
            filled *= 2;
        }
        // A rotation of all by less than an element rotates each.
        let value = value.rotate_right(immr as u32);
        match self.width {
            Width::W => value as u32 as u64,
            Width::X => value,
        }
    }

    /// The width of the instructions that it is for.
    #[must_use]
    pub const fn width(self) -> Width {
        self.width
    }

    /// The fields `N`, `immr` and `imms`.
    pub(super) const fn bits(self) -> u32 {
        (self.fields as u32) << 10
    }
}

impl fmt::Display for LogicImm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:#x}", self.value())
    }
}

/// An immediate of vector moves, encoded: `cmode`, `op` and eight bits ("Advanced SIMD modified immediate").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorImm {
    cmode: u8,
    op: u8,
    byte: u8,
}

/// `cmode` of a byte in every lane, or with `op` a mask of bytes.
const BYTES: u8 = 14;
/// `cmode` of floating-point numbers: of 32 bits, with `op` of 64.
const FLOATS: u8 = 15;

impl VectorImm {
    /// The `movi`, `mvni` or `fmov` that puts `value` in each lane.
    #[must_use]
    pub const fn splat(lane: Lane, value: u64) -> Option<VectorImm> {
        let word = match lane {
            Lane::B8 => value as u8 as u32 * 0x0101_0101,
            Lane::B16 => value as u16 as u32 * 0x0001_0001,
            Lane::B32 => value as u32,
            Lane::B64 if value as u32 as u64 == value >> 32 => value as u32,
            Lane::B64 => {
                return match (VectorImm::byte_mask(value), FloatImm::from_f64(value)) {
                    (None, Some(imm)) => Some(VectorImm { cmode: FLOATS, op: 1, byte: imm.bits() }),
                    (mask, _) => mask,
                };
            }
        };
        match (VectorImm::word(word), VectorImm::word(!word)) {
            (Some(imm), _) => Some(imm),
            // Bytes alone and floating-point numbers have no inverted form.
            (None, Some(imm)) if imm.cmode < BYTES => Some(VectorImm { op: 1, ..imm }),
            _ => VectorImm::byte_mask((word as u64) << 32 | word as u64),
        }
    }

    const fn word(word: u32) -> Option<VectorImm> {
        let bytes = word.to_le_bytes();
        let [a, b, c, d] = bytes;
        let (cmode, byte) = match (a, b, c, d) {
            _ if a == b && b == c && c == d => (BYTES, a),
            (_, 0, 0, 0) => (0, a),
            (0, _, 0, 0) => (2, b),
            (0, 0, _, 0) => (4, c),
            (0, 0, 0, _) => (6, d),
            (_, 0, _, 0) if a == c => (8, a),
            (0, _, 0, _) if b == d => (10, b),
            (0xff, _, 0, 0) => (12, b),
            (0xff, 0xff, _, 0) => (13, c),
            _ => match FloatImm::from_f32(word) {
                Some(imm) => (FLOATS, imm.bits()),
                None => return None,
            },
        };
        Some(VectorImm { cmode, op: 0, byte })
    }

    const fn byte_mask(value: u64) -> Option<VectorImm> {
        let bytes = value.to_le_bytes();
        let (mut byte, mut i) = (0, 0);
        while i < 8 {
            match bytes[i] {
                0 => {}
                0xff => byte |= 1 << i,
                _ => return None,
            }
            i += 1;
        }
        Some(VectorImm { cmode: BYTES, op: 1, byte })
    }

    /// The fields `op`, `cmode` and `abcdefgh`.
    pub(super) const fn bits(self) -> u32 {
        let byte = self.byte as u32;
        (self.op as u32) << 29 | (byte >> 5) << 16 | (self.cmode as u32) << 12 | (byte & 31) << 5
    }

    /// Whether it is a double-precision number: no vector of 64 bits has that.
    pub(super) const fn needs_full(self) -> bool {
        self.cmode == FLOATS && self.op == 1
    }

    /// Whether it is a mask of bytes: a vector of 64 bits is written as a number then.
    pub(super) const fn is_mask(self) -> bool {
        self.cmode == BYTES && self.op == 1
    }

    /// The lanes of the text.
    pub(super) const fn lane(self) -> Lane {
        match (self.cmode, self.op) {
            (BYTES, 0) => Lane::B8,
            (8 | 10, _) => Lane::B16,
            (BYTES | FLOATS, 1) => Lane::B64,
            _ => Lane::B32,
        }
    }

    /// The mnemonic.
    pub(super) const fn mnemonic(self) -> &'static str {
        match (self.cmode, self.op) {
            (FLOATS, _) => "fmov",
            (BYTES, _) | (_, 0) => "movi",
            _ => "mvni",
        }
    }

    /// The 64 bits of half a vector.
    #[must_use]
    pub const fn half(self) -> u64 {
        let mut value = self.in_lane();
        let mut filled = self.lane().bits();
        while filled < 64 {
            value |= value << filled;
            filled *= 2;
        }
        value
    }

    /// The number in a lane.
    const fn in_lane(self) -> u64 {
        let byte = self.byte as u64;
        let value = match (self.cmode, self.op) {
            (BYTES, 0) => return byte,
            (BYTES, _) => {
                let (mut mask, mut i) = (0, 0);
                while i < 8 {
                    if byte >> i & 1 != 0 {
                        mask |= 0xff << (8 * i);
                    }
                    i += 1;
                }
                return mask;
            }
            (FLOATS, 0) => return FloatImm::from_bits(self.byte).to_f32() as u64,
            (FLOATS, _) => return FloatImm::from_bits(self.byte).to_f64(),
            (cmode @ (8 | 10), _) => byte << (4 * (cmode - 8)),
            (12, _) => byte << 8 | 0xff,
            (13, _) => byte << 16 | 0xffff,
            (cmode, _) => byte << (4 * cmode),
        };
        let mask = if matches!(self.cmode, 8 | 10) { 0xffff } else { 0xffff_ffff };
        if self.op == 1 { !value & mask } else { value }
    }
}

impl fmt::Display for VectorImm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let byte = self.byte;
        match (self.cmode, self.op) {
            (FLOATS, _) => write!(f, "{}", FloatImm::from_bits(byte)),
            (BYTES, 1) => write!(f, "#{:#x}", self.half()),
            (BYTES | 0 | 8, _) => write!(f, "#{byte}"),
            (12, _) => write!(f, "#{byte}, msl #8"),
            (13, _) => write!(f, "#{byte}, msl #16"),
            (cmode, _) => write!(f, "#{byte}, lsl #{}", 4 * (cmode & 7)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_have_12_bits_at_two_places() {
        for value in (0..1 << 25).chain([u64::MAX, 1 << 32]) {
            let want = value < 1 << 12 || value < 1 << 24 && value.trailing_zeros() >= 12;
            assert_eq!(ArithImm::new(value).map(ArithImm::value), want.then_some(value), "{value:#x}");
        }
    }

    #[test]
    fn vectors_have_their_numbers() {
        for (lane, bits) in [(Lane::B8, 8), (Lane::B16, 16), (Lane::B32, 24)] {
            for value in 0..1_u64 << bits {
                let imm = VectorImm::splat(lane, value);
                let repeated = |mut value: u64, mut bits: u32| {
                    while bits < 64 {
                        value |= value << bits;
                        bits *= 2;
                    }
                    value
                };
                if let Some(imm) = imm {
                    let want = repeated(value, lane.bits());
                    assert_eq!(imm.half(), want, "{value:#x}");
                    assert_eq!(VectorImm::splat(Lane::B64, want).map(VectorImm::half), Some(want));
                }
                assert!(imm.is_some() || lane != Lane::B8);
            }
        }
        let double = VectorImm::splat(Lane::B64, 0x3ff0_0000_0000_0000).unwrap();
        assert!(double.needs_full() && double.half() == 0x3ff0_0000_0000_0000);
        assert_eq!(VectorImm::splat(Lane::B64, 0x3ff0_0000_0000_0001), None);
        let mask = VectorImm::splat(Lane::B64, 0xff00_ff00_0000_00ff).unwrap();
        assert!(mask.is_mask() && mask.half() == 0xff00_ff00_0000_00ff);
    }
}

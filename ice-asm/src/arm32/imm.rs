//! Which constants an instruction can carry, and how.
//!
//! | type | of | values |
//! |---|---|---|
//! | [`ModImm`] | data processing | 8 bits rotated right by an even amount (A5.2.4) |
//! | [`FloatImm`] | `vmov.f32`, `vmov.f64` | ±n/16 × 2^r, n from 16 to 31, r from -3 to 4 (A7.5.1) |
//! | [`NeonImm`] | vector `vmov`, `vmvn`, `vorr`, `vbic` | 8 bits shifted, or a mask of bytes (A7.4.6) |
//!
//! Any other 32-bit number is [`Encoder::mov_u32`]: at most `movw` and `movt`.

use super::operand::{Cond, Flags};
use super::register::{Gpr, Lane};
use super::{Encoder, Move};
use crate::listing::Listing;
use core::fmt;

/// A rotated immediate of data processing, encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModImm(u16);

impl ModImm {
    /// The encoding with the smallest rotation, the one that assemblers choose.
    #[must_use]
    pub const fn new(value: u32) -> Option<ModImm> {
        if value < 256 {
            return Some(ModImm(value as u16));
        }
        // To the right as far as zeros go, unless the bits lie around the ends of the word.
        let zeros = value.trailing_zeros() & 30;
        if value >> zeros < 256 {
            return Some(ModImm(((32 - zeros) << 7 | value >> zeros) as u16));
        }
        let mut rotation = 1;
        while rotation < 4 {
            let low = value.rotate_left(2 * rotation);
            if low < 256 {
                return Some(ModImm((rotation << 8 | low) as u16));
            }
            rotation += 1;
        }
        None
    }

    /// A number of eight bits.
    #[must_use]
    pub const fn small(value: u8) -> ModImm {
        ModImm(value as u16)
    }

    /// The number.
    #[must_use]
    pub const fn value(self) -> u32 {
        (self.0 as u32 & 255).rotate_right(2 * (self.0 as u32 >> 8))
    }

    pub(in crate::arm32) const fn bits(self) -> u32 {
        self.0 as u32
    }
}

/// The constant of a floating-point `vmov`, in AArch64 `fmov`, encoded in eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatImm(u8);

impl FloatImm {
    /// From the bits of an f64: sign, then an exponent that is one bit, its complement eight times and two
    /// more bits, then four bits and zeros (VFPExpandImm).
    #[must_use]
    pub const fn from_f64(bits: u64) -> Option<FloatImm> {
        let exponent = bits >> 54 & 0x1ff;
        if bits << 16 != 0 || exponent != 0x100 && exponent != 0xff {
            return None;
        }
        Some(FloatImm((bits >> 56 & 0x80 | bits >> 48 & 0x3f | (exponent & 1) << 6) as u8))
    }

    /// The constant that is the f32 with these bits, if there is one: a sign, three bits of exponent around 0, four bits of
    /// fraction and zeros (VFPExpandImm).
    #[must_use]
    pub const fn from_f32(bits: u32) -> Option<FloatImm> {
        let exponent = bits >> 25 & 0x3f;
        if bits << 13 != 0 || exponent != 0x20 && exponent != 0x1f {
            return None;
        }
        Some(FloatImm((bits >> 24 & 0x80 | bits >> 19 & 0x3f | (exponent & 1) << 6) as u8))
    }

    /// The constant of these eight bits.
    #[must_use]
    pub const fn from_bits(bits: u8) -> FloatImm {
        FloatImm(bits)
    }

    /// The eight bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The bits of the number as f32.
    #[must_use]
    pub const fn to_f32(self) -> u32 {
        let bits = self.0 as u32;
        let exponent = if bits & 0x40 != 0 { 0x1f } else { 0x20 };
        (bits & 0x80) << 24 | exponent << 25 | (bits & 0x3f) << 19
    }

    /// The bits of the number as f64.
    #[must_use]
    pub const fn to_f64(self) -> u64 {
        let bits = self.0 as u64;
        let exponent = if bits & 0x40 != 0 { 0xff } else { 0x100 };
        (bits & 0x80) << 56 | exponent << 54 | (bits & 0x3f) << 48
    }
}

impl fmt::Display for FloatImm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:e}", f32::from_bits(self.to_f32()))
    }
}

/// An immediate of vector moves and logic, encoded: `cmode`, `op` and eight bits (table A7-15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NeonImm {
    pub(super) cmode: u8,
    pub(super) op: u8,
    pub(super) byte: u8,
}

impl NeonImm {
    /// The `vmov` (or, with the bits of the lanes inverted, `vmvn`) that puts `value` in each lane.
    #[must_use]
    pub const fn splat(lane: Lane, value: u64) -> Option<NeonImm> {
        let word = match lane {
            Lane::B8 => value as u8 as u32 * 0x0101_0101,
            Lane::B16 => value as u16 as u32 * 0x0001_0001,
            Lane::B32 => value as u32,
            Lane::B64 if value as u32 as u64 == value >> 32 => value as u32,
            Lane::B64 => return NeonImm::byte_mask(value),
        };
        match NeonImm::word(word) {
            Some(imm) => Some(imm),
            None => match NeonImm::word(!word) {
                // cmode 1110 and 1111 have no inverted form.
                Some(imm) if imm.cmode < 14 => Some(NeonImm { op: 1, ..imm }),
                _ => NeonImm::byte_mask((word as u64) << 32 | word as u64),
            },
        }
    }

    const fn word(word: u32) -> Option<NeonImm> {
        let bytes = word.to_le_bytes();
        let [a, b, c, d] = bytes;
        let (cmode, byte) = match (a, b, c, d) {
            _ if a == b && b == c && c == d => (14, a),
            (_, 0, 0, 0) => (0, a),
            (0, _, 0, 0) => (2, b),
            (0, 0, _, 0) => (4, c),
            (0, 0, 0, _) => (6, d),
            _ if a == c && b == 0 && d == 0 => (8, a),
            _ if b == d && a == 0 && c == 0 => (10, b),
            (255, _, 0, 0) => (12, b),
            (255, 255, _, 0) => (13, c),
            _ => match FloatImm::from_f32(word) {
                Some(imm) => (15, imm.0),
                None => return None,
            },
        };
        Some(NeonImm { cmode, op: 0, byte })
    }

    const fn byte_mask(value: u64) -> Option<NeonImm> {
        let bytes = value.to_le_bytes();
        let (mut byte, mut i) = (0, 0);
        while i < 8 {
            match bytes[i] {
                0 => {}
                255 => byte |= 1 << i,
                _ => return None,
            }
            i += 1;
        }
        Some(NeonImm { cmode: 14, op: 1, byte })
    }

    /// The immediate of `vorr` and `vbic`: eight bits shifted in lanes of 16 or 32 bits.
    #[must_use]
    pub const fn logic(lane: Lane, value: u32) -> Option<NeonImm> {
        let bytes = value.to_le_bytes();
        let (cmode, byte) = match (lane, bytes) {
            (Lane::B32, [a, 0, 0, 0]) => (1, a),
            (Lane::B32, [0, b, 0, 0]) => (3, b),
            (Lane::B32, [0, 0, c, 0]) => (5, c),
            (Lane::B32, [0, 0, 0, d]) => (7, d),
            (Lane::B16, [a, 0, 0, 0]) => (9, a),
            (Lane::B16, [0, b, 0, 0]) => (11, b),
            _ => return None,
        };
        Some(NeonImm { cmode, op: 0, byte })
    }

    /// The fields, in place.
    pub(in crate::arm32) const fn bits(self) -> u32 {
        let byte = self.byte as u32;
        (self.cmode as u32) << 8
            | (self.op as u32) << 5
            | byte & 15
            | (byte & 0x70) << 12
            | (byte & 0x80) << 17
    }
}

/// Type and number of the line, without the mnemonic.
impl NeonImm {
    pub(super) const fn lane_type(self) -> &'static str {
        match (self.cmode, self.op) {
            (14, 0) => "i8",
            (14, _) => "i64",
            (15, _) => "f32",
            (8..=11, _) => "i16",
            _ => "i32",
        }
    }

    /// What a move puts in a lane of its type, or for an inverted one the complement.
    fn number(self) -> u64 {
        let byte = u64::from(self.byte);
        match (self.cmode, self.op) {
            (14, 0) => byte,
            (14, _) => (0..8).filter(|i| byte >> i & 1 != 0).fold(0, |all, i| all | 255 << (8 * i)),
            (15, _) => u64::from(FloatImm(self.byte).to_f32()),
            (12, _) => byte << 8 | 0xff,
            (13, _) => byte << 16 | 0xffff,
            (8..=11, _) => byte << (4 * (self.cmode & 2)),
            (cmode, _) => byte << (4 * (cmode & 6)),
        }
    }

    /// The bits that a move puts in each doubleword: what [`splat`](Self::splat) makes the immediate of.
    #[must_use]
    pub fn value(self) -> u64 {
        let number = self.number();
        let bits = match self.lane_type() {
            "i8" => number * 0x0101_0101_0101_0101,
            "i16" => number * 0x0001_0001_0001_0001,
            "i64" => number,
            _ => number << 32 | number,
        };
        if self.op == 1 && self.cmode != 14 { !bits } else { bits }
    }

    pub(super) fn write_number(self, f: &mut dyn fmt::Write) -> fmt::Result {
        match self.cmode {
            15 => write!(f, "{}", FloatImm(self.byte)),
            _ => write!(f, "#{:#x}", self.number()),
        }
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// Any number in a register, in one or two instructions that keep the flags: `mov`, `mvn`, `movw`, or
    /// `movw` and `movt`.
    pub fn mov_u32(&mut self, cond: Cond, dst: Gpr, value: u32) {
        if let Some(imm) = ModImm::new(value) {
            self.mov(cond, Move::Mov, Flags::Keep, dst, imm);
        } else if let Some(imm) = ModImm::new(!value) {
            self.mov(cond, Move::Mvn, Flags::Keep, dst, imm);
        } else {
            self.movw(cond, dst, value as u16);
            if value > 0xffff {
                self.movt(cond, dst, (value >> 16) as u16);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_immediates_are_all_and_only_those_of_the_manual() {
        for rotation in 0..16 {
            for low in 0..256u32 {
                let value = low.rotate_right(2 * rotation);
                let imm = ModImm::new(value).unwrap();
                assert_eq!(imm.value(), value);
                assert!(imm.bits() >> 8 <= rotation);
            }
        }
        // Nine bits around the ends of the word.
        for value in [0x4000_007f, 0x1000_001f, 0x0400_0007, 0xc000_007f] {
            assert_eq!(ModImm::new(value), None, "{value:#x}");
        }
        for value in [0x101, 0x1fe + 0x10000, 0xff1, 0xffff_ffff, 0x102 << 8, 0x8000_0100] {
            assert_eq!(ModImm::new(value), None, "{value:#x}");
        }
        assert_eq!(ModImm::new(0xf000_000f).unwrap().value(), 0xf000_000f);
    }

    #[test]
    fn floating_point_immediates_are_their_formula() {
        let mut count = 0;
        for sign in [1.0, -1.0] {
            for n in 16..32 {
                for r in -3..=4 {
                    let value = sign * f64::from(n) / 16.0
                        * if r < 0 { 1.0 / f64::from(1 << -r) } else { f64::from(1 << r) };
                    let double = FloatImm::from_f64(value.to_bits()).unwrap();
                    assert_eq!(FloatImm::from_f32((value as f32).to_bits()), Some(double));
                    assert_eq!(f32::from_bits(double.to_f32()), value as f32);
                    count += 1;
                }
            }
        }
        assert_eq!(count, 256);
        for value in [0.0f64, -0.0, 0.1, 33.0, 62.0, 0.0625, f64::INFINITY, f64::NAN] {
            assert_eq!(FloatImm::from_f64(value.to_bits()), None);
            assert_eq!(FloatImm::from_f32((value as f32).to_bits()), None);
        }
    }

    /// The 64 bits that AdvSIMDExpandImm of the manual gives, inverted for `vmvn`.
    fn expand(imm: NeonImm) -> u64 {
        let byte = u64::from(imm.byte);
        let twice = |word: u64| word << 32 | word;
        let value = match imm.cmode {
            0..=7 => twice(byte << (8 * (imm.cmode >> 1))),
            8..=11 => twice((byte << (8 * (imm.cmode >> 1 & 1))) * 0x1_0001),
            12 => twice(byte << 8 | 0xff),
            13 => twice(byte << 16 | 0xffff),
            14 if imm.op == 0 => byte * 0x0101_0101_0101_0101,
            14 => return (0..8).map(|i| if byte >> i & 1 != 0 { 255 << (8 * i) } else { 0 }).sum(),
            _ => twice(FloatImm(imm.byte).to_f32().into()),
        };
        if imm.op == 1 { !value } else { value }
    }

    #[test]
    fn vector_immediates_expand_to_what_was_asked() {
        let words = [0, 1, 0xab, 0xab00, 0xab_0000, 0xab00_0000, 0xabff, 0xab_ffff, 0x00ab_00ab, 0xab00_ab00];
        let more = [
            0xabab_abab,
            0xff00_ff00,
            0x00ff_00ff,
            0x3f80_0000,
            0xc040_0000,
            0xff00_00ff,
            u32::MAX,
            0x7fff_ffff,
        ];
        for word in words.into_iter().chain(more) {
            for value in [word, !word] {
                let Some(imm) = NeonImm::splat(Lane::B32, value.into()) else {
                    assert!([!0x3f80_0000, !0xc040_0000].contains(&value), "{value:#x}");
                    continue;
                };
                assert_eq!(expand(imm), u64::from(value) << 32 | u64::from(value), "{value:#x}");
            }
        }
        let mask = NeonImm::splat(Lane::B64, 0xff00_00ff_ffff_0000).unwrap();
        assert_eq!(expand(mask), 0xff00_00ff_ffff_0000);
        assert_eq!(NeonImm::splat(Lane::B32, 0x1234_5678), None);
        assert_eq!(NeonImm::splat(Lane::B16, 0x1234), None);
        for byte in 0..=255 {
            assert_eq!(expand(NeonImm::splat(Lane::B8, byte).unwrap()), byte * 0x0101_0101_0101_0101);
        }
    }

    #[test]
    fn floats_with_a_fifth_bit_of_fraction_have_no_immediate() {
        assert_eq!(FloatImm::from_f32(0x3f80_0000), Some(FloatImm(0x70)));
        assert_eq!(
            (FloatImm::from_f32(0x3f84_0000), FloatImm::from_f64(0x3ff0_8000_0000_0000)),
            (None, None)
        );
    }
}

//! Registers, and the widths of what is in them.

pub use crate::lane::Lane;
use crate::table::registers;
use core::fmt;

/// A general-purpose register: 0 to 30 by number, and the two that the number 31 of the encodings means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gpr(u8);

registers!(
    /// A register of floating-point numbers and vectors by its number, 0 to 31.
    Vreg below 32
);

impl Gpr {
    /// The register of zeros, which forgets what is written to it: `wzr`, `xzr`.
    pub const ZERO: Gpr = Gpr(31);
    /// The stack pointer.
    pub const SP: Gpr = Gpr(32);
    /// The first scratch register of linkers.
    pub const IP0: Gpr = Gpr(16);
    /// The second scratch register of linkers.
    pub const IP1: Gpr = Gpr(17);
    /// The frame pointer.
    pub const FP: Gpr = Gpr(29);
    /// The link register.
    pub const LR: Gpr = Gpr(30);

    /// The register of this number: 31 is [`Gpr::ZERO`], 32 is [`Gpr::SP`], and beyond numbers count modulo 32.
    #[must_use]
    pub const fn new(number: u8) -> Gpr {
        Gpr(if number > 32 { number & 31 } else { number })
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The number in encodings.
    pub(super) const fn bits(self) -> u32 {
        if self.0 > 31 { 31 } else { self.0 as u32 }
    }

    /// As Rd or Rt.
    pub(super) const fn d(self) -> u32 {
        self.bits()
    }

    /// As Rn.
    pub(super) const fn n(self) -> u32 {
        self.bits() << 5
    }

    /// As Ra or Rt2.
    pub(super) const fn a(self) -> u32 {
        self.bits() << 10
    }

    /// As Rm or Rs.
    pub(super) const fn m(self) -> u32 {
        self.bits() << 16
    }

    /// Whether 31 in its field may mean zeros.
    pub(super) const fn is_plain(self) -> bool {
        self.0 != 32
    }

    /// Whether 31 in its field may mean the stack pointer.
    pub(super) const fn is_base(self) -> bool {
        self.0 != 31
    }

    /// As text.
    pub(super) const fn of(self, width: Width) -> GprText {
        GprText(self, width)
    }
}

/// Whether these registers can be where 31 means zeros.
#[inline(always)]
pub(super) fn plain<const N: usize>(registers: [Gpr; N]) -> bool {
    registers.into_iter().all(Gpr::is_plain)
}

/// The name of a register or of its low half.
pub(super) struct GprText(Gpr, Width);

impl fmt::Display for GprText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = if self.1 == Width::W { 'w' } else { 'x' };
        match self.0 {
            Gpr::SP if self.1 == Width::X => f.write_str("sp"),
            Gpr::SP => f.write_str("wsp"),
            Gpr::ZERO => write!(f, "{letter}zr"),
            Gpr(n) => write!(f, "{letter}{n}"),
        }
    }
}

impl fmt::Display for Gpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of(Width::X).fmt(f)
    }
}

impl Vreg {
    /// As Rd or Rt.
    pub(super) const fn d(self) -> u32 {
        self.0 as u32
    }

    /// As Rn.
    pub(super) const fn n(self) -> u32 {
        (self.0 as u32) << 5
    }

    /// As Ra or Rt2.
    pub(super) const fn a(self) -> u32 {
        (self.0 as u32) << 10
    }

    /// As Rm.
    pub(super) const fn m(self) -> u32 {
        (self.0 as u32) << 16
    }

    /// A number in it, as text.
    pub(super) const fn of(self, width: FloatWidth) -> ScalarText {
        ScalarText(self, width)
    }

    /// A vector in it, as text.
    pub(super) const fn lanes(self, lane: Lane, full: bool) -> VectorText {
        VectorText(self, Arrangement { lane, full })
    }

    /// A vector in it, as text.
    pub(super) const fn as_(self, arrangement: Arrangement) -> VectorText {
        VectorText(self, arrangement)
    }
}

impl fmt::Display for Vreg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// `s0` and the like.
pub(super) struct ScalarText(Vreg, FloatWidth);

impl fmt::Display for ScalarText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.1.letter(), self.0.0)
    }
}

/// `v0.4s` and the like.
pub(super) struct VectorText(Vreg, Arrangement);

impl fmt::Display for VectorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// How much of a general-purpose register an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// The low 32 bits; a result has zeros above them.
    W,
    /// All 64 bits.
    X,
}

impl Width {
    /// Both widths.
    pub const ALL: [Width; 2] = [Width::W, Width::X];

    /// How many bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        32 << self as u32
    }

    /// In the field `sf`.
    pub(super) const fn sf(self) -> u32 {
        (self as u32) << 31
    }
}

/// How much of a register of floating-point numbers an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatWidth {
    /// 8 bits.
    B,
    /// 16 bits: half precision.
    H,
    /// 32 bits: single precision.
    S,
    /// 64 bits: double precision.
    D,
    /// All 128 bits.
    Q,
}

impl FloatWidth {
    /// All widths.
    pub const ALL: [FloatWidth; 5] =
        [FloatWidth::B, FloatWidth::H, FloatWidth::S, FloatWidth::D, FloatWidth::Q];

    /// The logarithm of the size in bytes.
    #[must_use]
    pub const fn size_log2(self) -> u8 {
        self as u8
    }

    const fn letter(self) -> char {
        ['b', 'h', 's', 'd', 'q'][self as usize]
    }

    /// In the field `ftype` of arithmetic.
    pub(super) const fn ftype(self) -> Option<u32> {
        match self {
            FloatWidth::S => Some(0),
            FloatWidth::D => Some(1 << 22),
            _ => None,
        }
    }

    /// That of a lane.
    pub(super) const fn of_lane(lane: Lane) -> FloatWidth {
        [FloatWidth::B, FloatWidth::H, FloatWidth::S, FloatWidth::D][lane as usize]
    }
}

/// The lanes of a vector of 64 or 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arrangement {
    /// The width of a lane.
    pub lane: Lane,
    /// Whether there are 128 bits.
    pub full: bool,
}

impl Arrangement {
    /// In the field `Q`.
    pub(super) const fn q(self) -> u32 {
        full_bit(self.full)
    }

    /// In the fields `Q` and `size`: of 64 bits it has more than one lane.
    pub(super) const fn bits(self) -> Option<u32> {
        match self {
            Arrangement { lane: Lane::B64, full: false } => None,
            Arrangement { lane, full } => Some(full_bit(full) | (lane as u32) << 22),
        }
    }

    /// The same where lanes are floating-point numbers.
    pub(super) const fn float_bits(self) -> Option<u32> {
        match self {
            Arrangement { lane: Lane::B32, full } => Some(full_bit(full)),
            Arrangement { lane: Lane::B64, full: true } => Some(full_bit(true) | 1 << 22),
            _ => None,
        }
    }
}

/// In the field `Q`.
pub(super) const fn full_bit(full: bool) -> u32 {
    (full as u32) << 30
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = ["b", "h", "s", "d"][self.lane as usize];
        write!(f, "{}{letter}", (64 << u32::from(self.full)) / self.lane.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn registers_have_their_names() {
        let names = [Gpr::new(0), Gpr::LR, Gpr::ZERO, Gpr::SP].map(|reg| reg.of(Width::W).to_string());
        assert_eq!(names, ["w0", "w30", "wzr", "wsp"]);
        let names = [Gpr::new(33), Gpr::FP, Gpr::new(31), Gpr::new(32)].map(|reg| reg.to_string());
        assert_eq!(names, ["x1", "x29", "xzr", "sp"]);
        assert_eq!((Gpr::ZERO.bits(), Gpr::SP.bits()), (31, 31));
    }

    #[test]
    fn arrangements_count_their_lanes() {
        let texts = Lane::ALL.map(|lane| [false, true].map(|full| Arrangement { lane, full }.to_string()));
        assert_eq!(texts, [["8b", "16b"], ["4h", "8h"], ["2s", "4s"], ["1d", "2d"]]);
    }
}

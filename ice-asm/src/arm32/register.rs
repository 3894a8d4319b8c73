//! Registers, and the widths of lanes in them.

pub use crate::lane::Lane;
use crate::table::registers;
use core::fmt;

registers!(
    /// A core register by its number, 0 to 15.
    Gpr below 16
);
registers!(
    /// A single-precision register by its number, 0 to 31.
    Sreg below 32
);
registers!(
    /// A doubleword register by its number, 0 to 31. The first sixteen hold two single-precision registers each.
    Dreg below 32
);
registers!(
    /// A quadword register by its number, 0 to 15: two doubleword registers.
    Qreg below 16
);

impl Gpr {
    /// The scratch register of linkers and long frames, ip.
    pub const IP: Gpr = Gpr(12);
    /// The stack pointer.
    pub const SP: Gpr = Gpr(13);
    /// The link register.
    pub const LR: Gpr = Gpr(14);
    /// The program counter.
    pub const PC: Gpr = Gpr(15);

    pub(super) const fn bits(self) -> u32 {
        self.0 as u32
    }
}

impl fmt::Display for Gpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            13 => f.write_str("sp"),
            14 => f.write_str("lr"),
            15 => f.write_str("pc"),
            n => write!(f, "r{n}"),
        }
    }
}

impl fmt::Display for Sreg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

impl fmt::Display for Dreg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "d{}", self.0)
    }
}

impl fmt::Display for Qreg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}", self.0)
    }
}

impl Dreg {
    /// The single-precision register that is its low half; of the upper sixteen there is none.
    #[must_use]
    pub const fn low_half(self) -> Option<Sreg> {
        if self.0 < 16 { Some(Sreg(2 * self.0)) } else { None }
    }
}

impl Qreg {
    /// The low half.
    #[must_use]
    pub const fn low(self) -> Dreg {
        Dreg(2 * self.0)
    }

    /// The high half.
    #[must_use]
    pub const fn high(self) -> Dreg {
        Dreg(2 * self.0 + 1)
    }
}

impl Sreg {
    pub(super) const fn split(self) -> Split {
        Split { low: (self.0 >> 1) as u32, high: (self.0 & 1) as u32 }
    }
}

impl Dreg {
    pub(super) const fn split(self) -> Split {
        Split { low: (self.0 & 15) as u32, high: (self.0 >> 4) as u32 }
    }
}

mod sealed {
    use super::{Dreg, Qreg, Sreg};

    /// Where a register's number goes: four bits `low` and one bit `high` (DDI 0406C A7.3).
    #[derive(Clone, Copy)]
    pub struct Split {
        pub low: u32,
        pub high: u32,
    }

    impl Split {
        /// As Vd and D.
        pub const fn d(self) -> u32 {
            self.low << 12 | self.high << 22
        }

        /// As Vn and N.
        pub const fn n(self) -> u32 {
            self.low << 16 | self.high << 7
        }

        /// As Vm and M.
        pub const fn m(self) -> u32 {
            self.low | self.high << 5
        }
    }

    pub trait Register: Copy + core::fmt::Display {
        fn parts(self) -> Split;
        fn number(self) -> u32;
    }

    impl Register for Sreg {
        fn parts(self) -> Split {
            self.split()
        }

        fn number(self) -> u32 {
            self.0.into()
        }
    }

    impl Register for Dreg {
        fn parts(self) -> Split {
            self.split()
        }

        fn number(self) -> u32 {
            self.0.into()
        }
    }

    impl Register for Qreg {
        fn parts(self) -> Split {
            self.low().split()
        }

        fn number(self) -> u32 {
            self.0.into()
        }
    }
}

pub(super) use sealed::{Register, Split};

/// A register of VFP arithmetic: [`Sreg`] or [`Dreg`].
pub trait FloatReg: Register {
    /// The bit `sz` of its instructions, in place.
    const SIZE: u32;
    /// The type in mnemonics.
    const TYPE: &'static str;
}

impl FloatReg for Sreg {
    const SIZE: u32 = 0;
    const TYPE: &'static str = "f32";
}

impl FloatReg for Dreg {
    const SIZE: u32 = 1 << 8;
    const TYPE: &'static str = "f64";
}

/// A register of Advanced SIMD arithmetic: [`Dreg`] or [`Qreg`].
pub trait NeonReg: Register {
    /// The bit `Q` of its instructions, in place.
    const Q: u32;
    /// Its size in bytes.
    const BYTES: u32;
}

impl NeonReg for Dreg {
    const Q: u32 = 0;
    const BYTES: u32 = 8;
}

impl NeonReg for Qreg {
    const Q: u32 = 1 << 6;
    const BYTES: u32 = 16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_quadword_registers() {
        assert_eq!((Qreg::new(9).low(), Qreg::new(9).high()), (Dreg::new(18), Dreg::new(19)));
        assert_eq!(Dreg::new(15).low_half(), Some(Sreg::new(30)));
        assert_eq!(Dreg::new(16).low_half(), None);
    }
}

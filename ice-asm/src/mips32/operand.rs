//! Registers, immediates and addresses (MIPS32 Architecture, volume I, MD00082, revision 2.50).

use crate::reloc::{RelocKind, SymbolId};
use crate::table::registers;
use core::fmt;

registers!(
    /// A general register by its number, 0 to 31. Register 0 is always zero.
    Gpr below 32
);
registers!(
    /// A floating-point register of 32 bits by its number, 0 to 31. A number of 64 bits is in a register of even
    /// number, its low half, and the next one.
    Fpr below 32
);
registers!(
    /// One of the eight condition codes of floating-point comparisons.
    Cc below 8
);

#[rustfmt::skip]
const NAMES: [&str; 32] = [
    "$zero", "$at", "$v0", "$v1", "$a0", "$a1", "$a2", "$a3", "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7",
    "$s0", "$s1", "$s2", "$s3", "$s4", "$s5", "$s6", "$s7", "$t8", "$t9", "$k0", "$k1", "$gp", "$sp", "$fp", "$ra",
];

/// General registers by their names in the o32 convention.
#[allow(missing_docs)]
impl Gpr {
    pub const ZERO: Gpr = Gpr::new(0);
    pub const AT: Gpr = Gpr::new(1);
    pub const V0: Gpr = Gpr::new(2);
    pub const V1: Gpr = Gpr::new(3);
    pub const A0: Gpr = Gpr::new(4);
    pub const A1: Gpr = Gpr::new(5);
    pub const A2: Gpr = Gpr::new(6);
    pub const A3: Gpr = Gpr::new(7);
    pub const T0: Gpr = Gpr::new(8);
    pub const S0: Gpr = Gpr::new(16);
    pub const T8: Gpr = Gpr::new(24);
    pub const T9: Gpr = Gpr::new(25);
    pub const GP: Gpr = Gpr::new(28);
    pub const SP: Gpr = Gpr::new(29);
    pub const FP: Gpr = Gpr::new(30);
    pub const RA: Gpr = Gpr::new(31);
}

impl Gpr {
    /// In the field rs.
    pub(super) const fn s(self) -> u32 {
        (self.number() as u32) << 21
    }

    /// In the field rt.
    pub(super) const fn t(self) -> u32 {
        (self.number() as u32) << 16
    }

    /// In the field rd.
    pub(super) const fn d(self) -> u32 {
        (self.number() as u32) << 11
    }
}

impl Fpr {
    /// In the field fr.
    pub(super) const fn r(self) -> u32 {
        (self.number() as u32) << 21
    }

    /// In the field ft.
    pub(super) const fn t(self) -> u32 {
        (self.number() as u32) << 16
    }

    /// In the field fs.
    pub(super) const fn s(self) -> u32 {
        (self.number() as u32) << 11
    }

    /// In the field fd.
    pub(super) const fn d(self) -> u32 {
        (self.number() as u32) << 6
    }

    /// Whether it can hold a number of this width.
    #[must_use]
    pub const fn is_for(self, width: FloatWidth) -> bool {
        matches!(width, FloatWidth::S) || self.number() & 1 == 0
    }
}

impl fmt::Display for Gpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES[self.number() as usize])
    }
}

impl fmt::Display for Fpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "$f{}", self.number())
    }
}

impl fmt::Display for Cc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "$fcc{}", self.number())
    }
}

/// The format of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatWidth {
    /// Single: 32 bits.
    S,
    /// Double: 64 bits, in a pair of registers.
    D,
}

impl FloatWidth {
    /// The letter in mnemonics.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            FloatWidth::S => 's',
            FloatWidth::D => 'd',
        }
    }
}

/// An immediate of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imm {
    /// A number.
    Value(i32),
    /// What the linker makes of a symbol plus an addend.
    Symbol(RelocKind, SymbolId, i32),
}

impl From<i32> for Imm {
    fn from(value: i32) -> Imm {
        Imm::Value(value)
    }
}

impl Imm {
    /// The high half of an address, for `lui`.
    #[must_use]
    pub const fn high(symbol: SymbolId, addend: i32) -> Imm {
        Imm::Symbol(RelocKind::MipsHi16, symbol, addend)
    }

    /// The low half of an address.
    #[must_use]
    pub const fn low(symbol: SymbolId, addend: i32) -> Imm {
        Imm::Symbol(RelocKind::MipsLo16, symbol, addend)
    }
}

/// An address: a register and an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mem {
    /// The register.
    pub base: Gpr,
    /// What is added, from -32768 to 32767.
    pub offset: Imm,
}

impl Mem {
    /// `offset(base)`.
    #[must_use]
    pub const fn new(base: Gpr, offset: i32) -> Mem {
        Mem { base, offset: Imm::Value(offset) }
    }
}

/// A condition of a branch, with what it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cond {
    /// Both registers hold the same.
    Eq(Gpr, Gpr),
    /// The registers differ.
    Ne(Gpr, Gpr),
    /// Signed, at most zero.
    Lez(Gpr),
    /// Signed, greater than zero.
    Gtz(Gpr),
    /// Signed, less than zero.
    Ltz(Gpr),
    /// Signed, at least zero.
    Gez(Gpr),
    /// The condition code is set.
    True(Cc),
    /// The condition code is clear.
    False(Cc),
}

impl Cond {
    /// The opposite.
    #[must_use]
    pub const fn invert(self) -> Cond {
        match self {
            Cond::Eq(s, t) => Cond::Ne(s, t),
            Cond::Ne(s, t) => Cond::Eq(s, t),
            Cond::Lez(s) => Cond::Gtz(s),
            Cond::Gtz(s) => Cond::Lez(s),
            Cond::Ltz(s) => Cond::Gez(s),
            Cond::Gez(s) => Cond::Ltz(s),
            Cond::True(cc) => Cond::False(cc),
            Cond::False(cc) => Cond::True(cc),
        }
    }
}

//! Physical registers, register classes and aliasing.

use core::fmt;

/// A physical register: an index into [`RegisterFile::regs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PReg(pub u8);

impl PReg {
    /// The register with the given index in the register file.
    pub const fn new(index: u8) -> PReg {
        PReg(index)
    }

    /// Index into [`RegisterFile::regs`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for PReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl fmt::Debug for PReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A register class: an index into [`RegisterFile::classes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegClass(pub u8);

impl RegClass {
    /// The class with the given index in the register file.
    pub const fn new(index: u8) -> RegClass {
        RegClass(index)
    }

    /// Index into [`RegisterFile::classes`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for RegClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "class{}", self.0)
    }
}

impl fmt::Debug for RegClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The mask that is a set of register units.
#[cfg(not(feature = "units-128"))]
type Mask = u64;
#[cfg(feature = "units-128")]
type Mask = u128;

/// A set of register units, as a mask of 64 bits, or of 128 with the feature `units-128`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RegUnits(Mask);

impl RegUnits {
    /// The empty set.
    pub const EMPTY: RegUnits = RegUnits(0);

    /// How many units there can be.
    pub const CAPACITY: usize = Mask::BITS as usize;

    /// The set of the one unit `unit`, which must be below [`CAPACITY`](Self::CAPACITY).
    pub const fn of(unit: u8) -> RegUnits {
        RegUnits(1 << unit)
    }

    /// The units whose bits are set in `bits`.
    #[allow(clippy::unnecessary_cast, reason = "a mask is one of two types")]
    pub const fn of_bits(bits: u64) -> RegUnits {
        RegUnits(bits as Mask)
    }

    /// The units `first .. first + count`.
    pub const fn span(first: u8, count: u8) -> RegUnits {
        if count as usize >= RegUnits::CAPACITY {
            RegUnits(!0)
        } else {
            RegUnits(((1 << count) - 1) << first)
        }
    }

    /// The set as bits, the first unit lowest.
    #[allow(clippy::unnecessary_cast, reason = "a mask is one of two types")]
    pub const fn bits(self) -> u128 {
        self.0 as u128
    }

    /// Units in either set.
    pub const fn union(self, other: RegUnits) -> RegUnits {
        RegUnits(self.0 | other.0)
    }

    /// Units in both sets.
    pub const fn intersection(self, other: RegUnits) -> RegUnits {
        RegUnits(self.0 & other.0)
    }

    /// Units in `self` and not in `other`.
    pub const fn difference(self, other: RegUnits) -> RegUnits {
        RegUnits(self.0 & !other.0)
    }

    /// Whether the sets have a unit in common.
    pub const fn intersects(self, other: RegUnits) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether every unit of `other` is in `self`.
    pub const fn contains(self, other: RegUnits) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether the set has no unit.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of units in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Adds the units of `other`.
    pub const fn insert(&mut self, other: RegUnits) {
        self.0 |= other.0;
    }

    /// Takes the units of `other` away.
    pub const fn remove(&mut self, other: RegUnits) {
        self.0 &= !other.0;
    }

    /// The lowest unit of a set that is not empty.
    pub(crate) const fn first(self) -> usize {
        self.0.trailing_zeros() as usize
    }

    /// The set without its lowest unit.
    pub(crate) const fn rest(self) -> RegUnits {
        RegUnits(self.0 & self.0.wrapping_sub(1))
    }

    /// The units of the set in rising order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let unit = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            Some(unit)
        })
    }
}

impl fmt::Debug for RegUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// One physical register.
#[derive(Clone, Copy, Debug)]
pub struct RegisterInfo<'a> {
    /// Name in the manual, for messages.
    pub name: &'a str,
    /// The units the register consists of; never empty.
    pub units: RegUnits,
}

/// One register class: a set of registers in the order in which they should be given out.
#[derive(Clone, Copy, Debug)]
pub struct ClassInfo<'a> {
    /// Name, for messages.
    pub name: &'a str,
    /// The allocatable registers of the class, preferred first (usually caller-saved first).
    /// The classes may overlap; one may be a subset of another.
    pub order: &'a [PReg],
    /// Bytes of a spill slot for a value of this class, unless `Function::vreg_size` says
    /// otherwise.
    pub spill_size: u32,
    /// Alignment of such a slot in bytes, a power of two.
    pub spill_align: u32,
}

/// The registers of a machine under one calling convention.
///
/// Problem: machine registers overlap (`al`/`ah`/`ax`/`eax`, ARM `s0`/`s1`/`d0`/`q0`).
/// Method: a register is a set of *units*, the smallest parts that can be written alone; two
/// registers alias exactly when their sets intersect. A set is one mask; 64 bits
/// are enough for ARM32 (16 integer, 32 single, 16 upper doubles).
///
/// Invariants: a [`PReg`] is an index into [`RegisterFile::regs`], a [`RegClass`] one into
/// [`RegisterFile::classes`]; no register has an empty unit set. Cost: every question about
/// aliasing is one or two machine-word operations.
///
/// The tables may be `static`, or made while the program runs.
#[derive(Clone, Copy, Debug)]
pub struct RegisterFile<'a> {
    /// All registers; [`PReg`] is an index into this table. At most 256.
    pub regs: &'a [RegisterInfo<'a>],
    /// All classes; [`RegClass`] is an index into this table. At most 256.
    pub classes: &'a [ClassInfo<'a>],
    /// Units that the function must hand back unchanged to its caller. The first use of such a
    /// register costs a save and a restore, so the allocator prefers others.
    pub callee_saved: RegUnits,
}

impl<'a> RegisterFile<'a> {
    /// Units of `reg`. Panics when `reg` is not in the file.
    pub const fn units(&self, reg: PReg) -> RegUnits {
        self.regs[reg.index()].units
    }

    /// Name of `reg`. Panics when `reg` is not in the file.
    pub const fn name(&self, reg: PReg) -> &'a str {
        self.regs[reg.index()].name
    }

    /// Description of `class`. Panics when `class` is not in the file.
    pub const fn class(&self, class: RegClass) -> &'a ClassInfo<'a> {
        &self.classes[class.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_sets_follow_set_algebra() {
        let low = RegUnits::span(0, 2);
        let high = RegUnits::of(1).union(RegUnits::of(RegUnits::CAPACITY as u8 - 1));
        assert!(low.intersects(high));
        assert_eq!(low.intersection(high), RegUnits::of(1));
        assert_eq!(low.difference(high), RegUnits::of(0));
        assert!(low.union(high).contains(high) && !low.contains(high));
        assert_eq!(high.iter().map(usize::from).collect::<alloc::vec::Vec<_>>(), [1, RegUnits::CAPACITY - 1]);
        assert_eq!(RegUnits::span(0, RegUnits::CAPACITY as u8).len() as usize, RegUnits::CAPACITY);
        assert!(RegUnits::EMPTY.is_empty() && !RegUnits::EMPTY.intersects(low));
    }
}

//! Loads and stores of general registers (MD00086, chapter 3; table A-2).

use super::operand::{Gpr, Mem};
use super::text::Row;
use super::{Encoder, ops};
use crate::listing::Listing;

ops!(
    /// Loads and stores of one register. `lwl` and `lwr` fill the bytes of a word that lie on one side of a boundary,
    /// `lwl` those of its high end, and keep the others; `swl` and `swr` store them. `ll` and `sc` are the two halves of
    /// an atomic access; after `sc` the register holds 1 if the store was made, else 0.
    Transfer "t, i(s)":
    Lb  "lb"  "1000 00ss ssst tttt iiii iiii iiii iiii",
    Lh  "lh"  "1000 01ss ssst tttt iiii iiii iiii iiii",
    Lwl "lwl" "1000 10ss ssst tttt iiii iiii iiii iiii",
    Lw  "lw"  "1000 11ss ssst tttt iiii iiii iiii iiii",
    Lbu "lbu" "1001 00ss ssst tttt iiii iiii iiii iiii",
    Lhu "lhu" "1001 01ss ssst tttt iiii iiii iiii iiii",
    Lwr "lwr" "1001 10ss ssst tttt iiii iiii iiii iiii",
    Sb  "sb"  "1010 00ss ssst tttt iiii iiii iiii iiii",
    Sh  "sh"  "1010 01ss ssst tttt iiii iiii iiii iiii",
    Swl "swl" "1010 10ss ssst tttt iiii iiii iiii iiii",
    Sw  "sw"  "1010 11ss ssst tttt iiii iiii iiii iiii",
    Swr "swr" "1011 10ss ssst tttt iiii iiii iiii iiii",
    Ll  "ll"  "1100 00ss ssst tttt iiii iiii iiii iiii",
    Sc  "sc"  "1110 00ss ssst tttt iiii iiii iiii iiii",
);

pub(super) const ROWS: &[&[Row]] = &[Transfer::ROWS];

impl Transfer {
    /// Whether the register is written.
    #[must_use]
    pub const fn is_load(self) -> bool {
        use Transfer::{Lb, Lbu, Lh, Lhu, Ll, Lw, Lwl, Lwr};
        matches!(self, Lb | Lh | Lwl | Lw | Lbu | Lhu | Lwr | Ll)
    }

    pub(super) fn word(self, t: Gpr, base: Gpr, offset: u16) -> u32 {
        self.bits() | base.s() | t.t() | u32::from(offset)
    }
}

impl<L: Listing> Encoder<'_, L> {
    /// `lw rt, offset(base)` and its like.
    #[inline(always)]
    pub fn transfer(&mut self, op: Transfer, t: Gpr, mem: Mem) {
        self.inst_signed(op.bits() | mem.base.s() | t.t(), mem.offset);
    }
}

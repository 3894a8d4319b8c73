//! How numbers of a program are kept out of its code.

use super::{Diversity, Kind};
use ice_asm::Random;

/// What becomes of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hiding {
    /// It is made of two.
    Blind,
    /// It is loaded.
    Pool,
}

/// How the numbers of a function are hidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Secrets {
    /// What hides the numbers of the function.
    pub cookie: u32,
    /// Mixed with a number to choose.
    salt: u64,
    /// The one way for all; `None` for both, by chance.
    only: Option<Hiding>,
    address_width: u32,
}

impl Secrets {
    /// Those of the function of this number, whose addresses have so many bytes; `None` if nothing is hidden.
    pub(crate) fn new(diversity: Diversity, function: u32, address_width: u32) -> Option<Secrets> {
        let only = match (diversity.kinds.has(Kind::Blinding), diversity.kinds.has(Kind::Pooling)) {
            (false, false) => return None,
            (true, false) => Some(Hiding::Blind),
            (false, true) => Some(Hiding::Pool),
            (true, true) => None,
        };
        let mut random = Random::keyed(diversity.seed, Kind::Blinding as u32, function);
        Some(Secrets { cookie: random.bits() as u32, salt: random.bits(), only, address_width })
    }

    /// How a number is hidden, everywhere in the function.
    pub fn hiding(self, number: i64) -> Hiding {
        let by_chance = || match Random::keyed(self.salt, 0, number as u32).flip() {
            true => Hiding::Blind,
            false => Hiding::Pool,
        };
        self.only.unwrap_or_else(by_chance)
    }

    /// Bytes of an address.
    pub const fn address_width(self) -> u32 {
        self.address_width
    }
}

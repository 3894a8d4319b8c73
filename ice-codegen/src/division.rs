//! Plans of division by constants, for machines that multiply two words to 64 bits.
//!
//! Problem: what [`magic`] says of a divisor becomes the steps of a quotient in words: the high half of a product, an
//! adjustment, shifts. Narrow operands are divided in 32 bits, zero-extended or sign-extended as the division is.
//!
//! Contract: [`plan`] has the steps for a divisor that is neither zero nor a power of two; [`numbers`] the constants that
//! they need in registers, which loops may hold.

use crate::magic::{self, Part, Signedness, parts};
use ice_ir::{BinaryOp, Type};

/// How the quotient by a constant comes from a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plan {
    /// The high half of the unsigned product with the multiplier, shifted to the right; if `add`, the dividend is added
    /// before, in one bit more. The dividend is shifted itself before all this.
    Unsigned {
        /// One factor.
        multiplier: u32,
        /// The amount of the shift; not zero if `add`.
        shift: u8,
        /// Whether the dividend is added.
        add: bool,
        /// The amount of the first shift; zero if `add`.
        before: u8,
    },
    /// The high half of the signed product, the dividend added or subtracted, shifted, with its sign bit added.
    Signed {
        /// One factor.
        multiplier: u32,
        /// The amount of the shift.
        shift: u8,
        /// What happens to the dividend.
        adjust: Option<Adjust>,
    },
}

/// What is done with the dividend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Adjust {
    /// It is added.
    Add,
    /// It is subtracted.
    Subtract,
}

impl Plan {
    /// The constant factor.
    pub fn multiplier(self) -> u32 {
        match self {
            Plan::Unsigned { multiplier, .. } | Plan::Signed { multiplier, .. } => multiplier,
        }
    }
}

/// The plan for dividing numbers of `ty`, of 32 bits at most, by `n`, a number of its sign ([`divisor`]).
pub fn plan(sign: Signedness, ty: Type, n: i64) -> Option<Plan> {
    if sign == Signedness::Signed {
        let magic = magic::signed(32, n)?;
        let adjust = match (n > 0, magic.multiplier > 0) {
            (true, false) => Some(Adjust::Add),
            (false, true) => Some(Adjust::Subtract),
            _ => None,
        };
        return Some(Plan::Signed { multiplier: magic.multiplier as u32, shift: magic.shift as u8, adjust });
    }
    let magic = magic::unsigned(32, n as u64)?;
    if ty.bits() <= 16 {
        // (x × ⌈2^32 / n⌉) >> 32: exact as x and n are below 2^16.
        let multiplier = ((1u64 << 32) / n as u64 + 1) as u32;
        return Some(Plan::Unsigned { multiplier, shift: 0, add: false, before: 0 });
    }
    Some(Plan::Unsigned {
        multiplier: magic.multiplier as u32,
        shift: magic.shift as u8,
        add: magic.add,
        before: magic.before as u8,
    })
}

/// The constant divisor `n` of type `ty`, as the IR has it, as a number of its sign.
pub fn divisor(sign: Signedness, ty: Type, n: i64) -> i64 {
    if sign == Signedness::Signed { n } else { (n as u64 & ty.int_mask()) as i64 }
}

/// The numbers that a division by the constant `n` needs in registers.
pub fn numbers(op: BinaryOp, ty: Type, n: i64) -> impl Iterator<Item = u32> {
    let (sign, part) = parts(op);
    let is_word = ty.is_scalar_int() && ty.bits() <= 32;
    let n = if is_word { divisor(sign, ty, n) } else { 0 };
    let plan = plan(sign, ty, n).filter(|_| is_word);
    let again = plan.filter(|_| part == Part::Remainder).map(|_| n as u32);
    plan.map(Plan::multiplier).into_iter().chain(again)
}

//! Multipliers that replace division by a constant.
//!
//! The quotient of a division by `d` is the high half of a product with about `2^(n+s) / d`, shifted right
//! by `s` (Granlund and Montgomery, *Division by Invariant Integers using Multiplication*, 1994; Warren,
//! *Hacker's Delight*, 2nd edition, 10-4 and 10-9). Powers of two are not for here: shifts do them.
//!
//! Cost: at most one 128-bit division for each bit of the width.

use crate::BinaryOp;

/// Whether the bits of a number are read with or without a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signedness {
    /// As a natural number: zeros are above it.
    Unsigned,
    /// In two's complement: copies of the sign are above it.
    Signed,
}

/// What is wanted of a division.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// How often the divisor goes into the dividend.
    Quotient,
    /// What is left of the dividend.
    Remainder,
}

/// Splits a division operator.
pub fn parts(op: BinaryOp) -> (Signedness, Part) {
    match op {
        BinaryOp::Udiv => (Signedness::Unsigned, Part::Quotient),
        BinaryOp::Sdiv => (Signedness::Signed, Part::Quotient),
        BinaryOp::Urem => (Signedness::Unsigned, Part::Remainder),
        _ => (Signedness::Signed, Part::Remainder),
    }
}

/// How to divide an unsigned number of `bits` bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnsignedMagic {
    /// The multiplier less `2^bits` if [`Self::add`], else the multiplier.
    pub multiplier: u64,
    /// What the high half is shifted right by.
    pub shift: u32,
    /// Whether the dividend must be added to the high half before the shift, in one bit more.
    pub add: bool,
    /// What the dividend is shifted right by before the product, and takes the place of the dividend.
    pub before: u32,
}

/// How to divide a signed number of `bits` bits. The dividend is added to the high half of the product
/// with the multiplier (as a signed number) if the divisor is positive and the multiplier negative, and
/// subtracted if it is the other way round; after the shift to the right the quotient's sign bit is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignedMagic {
    /// The multiplier, sign-extended from `bits`.
    pub multiplier: i64,
    /// What the high half is shifted right by, with its sign.
    pub shift: u32,
}

/// The multiplier for dividing numbers of `bits` bits (8 to 64) by `divisor`, which must be above 2, below
/// `2^(bits - 1)`, and no power of two; `None` for others.
pub fn unsigned(bits: u32, divisor: u64) -> Option<UnsignedMagic> {
    if divisor < 3 || divisor.is_power_of_two() || divisor >> (bits - 1) != 0 {
        return None;
    }
    // Factors of two are shifted out first where one bit more would be needed: 10-8, "Hacker's Delight".
    let whole = multiplier(bits, divisor, 0)?;
    let before = divisor.trailing_zeros();
    match whole.add && before > 0 {
        true => multiplier(bits, divisor >> before, before),
        false => Some(whole),
    }
}

/// The multiplier for dividing numbers below `2^(bits - before)` by `divisor`.
fn multiplier(bits: u32, divisor: u64, before: u32) -> Option<UnsignedMagic> {
    let d = u128::from(divisor);
    (0..bits).find_map(|shift| {
        let power = 1u128 << (bits + shift);
        let multiplier = power / d + 1;
        // Exact for every dividend below 2^(bits - before) if the excess over the power is at most 2^(shift + before).
        (multiplier * d - power <= 1 << (shift + before)).then(|| UnsignedMagic {
            multiplier: (multiplier & ((1 << bits) - 1)) as u64,
            shift,
            add: multiplier >> bits != 0,
            before,
        })
    })
}

/// The multiplier for dividing signed numbers of `bits` bits (8 to 64) by `divisor`, whose magnitude must be
/// above 2 and no power of two; `None` for others.
pub fn signed(bits: u32, divisor: i64) -> Option<SignedMagic> {
    let magnitude = divisor.unsigned_abs();
    if magnitude < 3 || magnitude.is_power_of_two() {
        return None;
    }
    let d = u128::from(magnitude);
    let limit = (1u128 << (bits - 1)) + u128::from(divisor < 0);
    // The largest dividend with the largest remainder.
    let worst = limit - 1 - limit % d;
    (0..bits).find_map(|shift| {
        let power = 1u128 << (bits + shift);
        (power > worst * (d - power % d)).then(|| {
            let multiplier = (power / d + 1) as i64;
            let multiplier = if divisor < 0 { multiplier.wrapping_neg() } else { multiplier };
            let unused = 64 - bits;
            SignedMagic { multiplier: multiplier << unused >> unused, shift }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divide_unsigned(bits: u32, magic: UnsignedMagic, x: u64) -> u64 {
        let x = x >> magic.before;
        let high = (u128::from(x) * u128::from(magic.multiplier)) >> bits;
        let sum = if magic.add { high + u128::from(x) } else { high };
        (sum >> magic.shift) as u64
    }

    fn divide_signed(bits: u32, divisor: i64, magic: SignedMagic, x: i64) -> i64 {
        let wrap = |n: i64| n << (64 - bits) >> (64 - bits);
        let mut high = ((i128::from(x) * i128::from(magic.multiplier)) >> bits) as i64;
        match (divisor > 0, magic.multiplier > 0) {
            (true, false) => high = wrap(high.wrapping_add(x)),
            (false, true) => high = wrap(high.wrapping_sub(x)),
            _ => {}
        }
        let quotient = high >> magic.shift;
        quotient + i64::from(quotient < 0)
    }

    #[test]
    fn every_division_of_eight_bits_is_exact() {
        for d in 0..256u64 {
            match unsigned(8, d) {
                Some(magic) => {
                    (0..256).for_each(|x| assert_eq!(divide_unsigned(8, magic, x), x / d, "{x}/{d}"))
                }
                None => assert!(d < 3 || d.is_power_of_two() || d >= 128, "{d}"),
            }
        }
        for d in -128..128i64 {
            match signed(8, d) {
                Some(magic) => {
                    (-128..128).for_each(|x| assert_eq!(divide_signed(8, d, magic, x), x / d, "{x}/{d}"));
                }
                None => assert!(d.unsigned_abs() < 3 || d.unsigned_abs().is_power_of_two(), "{d}"),
            }
        }
    }

    #[test]
    fn wide_divisions_are_exact_at_the_edges() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        for round in 0..4000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = if round % 2 == 0 { 32 } else { 64 };
            let d = (seed >> (64 - bits)) >> (seed % 31);
            let mask = u64::MAX >> (64 - bits);
            if let Some(magic) = unsigned(bits, d) {
                let top = mask / d * d;
                for x in [0, 1, d - 1, d, d + 1, top - 1, top, mask, mask >> 1, seed & mask] {
                    assert_eq!(divide_unsigned(bits, magic, x), x / d, "{bits}: {x}/{d}");
                }
            }
            let wrap = |n: u64| (n << (64 - bits)) as i64 >> (64 - bits);
            let d = wrap(d);
            if let Some(magic) = signed(bits, d) {
                let (min, max) = (wrap(1 << (bits - 1)), wrap(mask >> 1));
                for x in [0, 1, -1, d.wrapping_sub(1), d, d.wrapping_add(1), max / d * d, min, min + 1, max] {
                    let x = wrap(x as u64);
                    assert_eq!(divide_signed(bits, d, magic, x), x / d, "{bits}: {x}/{d}");
                }
            }
        }
    }
}

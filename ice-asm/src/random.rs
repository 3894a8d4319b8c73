//! Numbers that follow from a key and look like chance.

/// A generator of numbers: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
/// Not for secrets that are worth more than the seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// What the state grows by: the golden ratio, odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

const fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Random {
    /// The generator of this seed for one use, of which there may be any number by number. Generators of other keys
    /// have nothing in common with it.
    #[must_use]
    pub const fn keyed(seed: u64, usage: u32, number: u32) -> Random {
        Random(mix(seed.wrapping_add(STEP)) ^ mix((usage as u64) << 32 | number as u64))
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number below `bound`, or 0 if that is 0.
    pub const fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * bound as u64) >> 32) as u32
    }

    /// One of two.
    pub const fn flip(&mut self) -> bool {
        self.bits() >> 63 != 0
    }

    /// Puts the items in any order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for n in (1..items.len()).rev() {
            items.swap(n, self.below(n as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn numbers_follow_from_all_of_the_key() {
        let first = |seed, usage, number| Random::keyed(seed, usage, number).bits();
        let keys = [first(1, 2, 3), first(1, 2, 4), first(1, 3, 3), first(2, 2, 3), first(0, 0, 0)];
        for (n, key) in keys.iter().enumerate() {
            assert!(!keys[..n].contains(key));
        }
        assert_eq!(first(1, 2, 3), keys[0]);
    }

    #[test]
    fn every_order_and_every_number_comes() {
        let mut random = Random::keyed(7, 0, 0);
        let mut orders: Vec<[u8; 3]> = (0..200)
            .map(|_| {
                let mut items = [0, 1, 2];
                random.shuffle(&mut items);
                items
            })
            .collect();
        orders.sort_unstable();
        orders.dedup();
        assert_eq!(orders.len(), 6);
        assert!((0..5).all(|wanted| (0..200).any(|_| random.below(5) == wanted)));
        assert!((0..200).all(|_| random.below(5) < 5) && random.below(0) == 0);
    }
}

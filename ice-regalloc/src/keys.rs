//! Keys of 64 bits to sort by.
//!
//! Each type and each comparison that a list is sorted by is a sort of its own in the program, of 4 to 14 KB. So lists are
//! sorted as keys, which are all of one type: what decides is in the upper half, the number of an item in the lower. Equal
//! items are in the order of their numbers.

/// The key of the item `number` that is sorted by `rank`, the lowest first.
#[inline]
pub(crate) fn lowest_first(rank: u32, number: u32) -> u64 {
    u64::from(rank) << 32 | u64::from(number)
}

/// The key of the item `number` that is sorted by `rank`, the highest first.
#[inline]
pub(crate) fn highest_first(rank: u32, number: u32) -> u64 {
    lowest_first(!rank, number)
}

/// The key of the item `number` that is sorted by `weight`, the heaviest first, in the order of [`f32::total_cmp`].
#[inline]
pub(crate) fn heaviest_first(weight: f32, number: u32) -> u64 {
    let bits = weight.to_bits();
    // Negative numbers fall as their bits rise.
    let mask = if weight.is_sign_negative() { u32::MAX } else { 1 << 31 };
    highest_first(bits ^ mask, number)
}

/// The number of the item that a key is of.
#[inline]
pub(crate) fn number(key: u64) -> u32 {
    key as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_ranks_and_numbers() {
        let mut keys = [lowest_first(2, 0), lowest_first(1, 7), lowest_first(1, 5)];
        keys.sort_unstable();
        assert_eq!(keys.map(number), [5, 7, 0]);
        let mut keys = [highest_first(2, 0), highest_first(u32::MAX, 9), highest_first(2, 1)];
        keys.sort_unstable();
        assert_eq!(keys.map(number), [9, 0, 1]);
    }

    #[test]
    fn weights_are_in_the_total_order() {
        let weights =
            [0.0, -0.0, 1.5, f32::NAN, -f32::NAN, f32::INFINITY, -2.0, f32::MIN_POSITIVE, -1e-40, 1.5];
        let mut expected: [u32; 10] = core::array::from_fn(|n| n as u32);
        expected.sort_by(|&a, &b| weights[b as usize].total_cmp(&weights[a as usize]).then(a.cmp(&b)));
        let mut keys: [u64; 10] = core::array::from_fn(|n| heaviest_first(weights[n], n as u32));
        keys.sort_unstable();
        assert_eq!(keys.map(number), expected);
    }
}

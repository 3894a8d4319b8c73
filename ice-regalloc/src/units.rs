//! Sets of register units as an allocator at work holds them.
//!
//! [`RegUnits`] has room for the units of any register file. Those of most fit in one machine word, which
//! halves the work on sets; so the minimal mode is generic over the word, and the register file decides.

use crate::registers::RegUnits;

/// A set of units in a word.
pub(crate) trait Units: Copy {
    const EMPTY: Self;
    /// The set as a word; what is past its bits is lost.
    fn of(units: RegUnits) -> Self;
    fn to_units(self) -> RegUnits;
    fn union(self, other: Self) -> Self;
    fn intersection(self, other: Self) -> Self;
    fn difference(self, other: Self) -> Self;
    fn is_empty(self) -> bool;
    /// The lowest unit of a set that is not empty.
    fn first(self) -> usize;
    /// The set without its lowest unit.
    fn rest(self) -> Self;

    #[inline(always)]
    fn intersects(self, other: Self) -> bool {
        !self.intersection(other).is_empty()
    }

    #[inline(always)]
    fn contains(self, other: Self) -> bool {
        other.difference(self).is_empty()
    }

    #[inline(always)]
    fn insert(&mut self, other: Self) {
        *self = self.union(other);
    }

    #[inline(always)]
    fn remove(&mut self, other: Self) {
        *self = self.difference(other);
    }
}

macro_rules! units {
    ($($word:ident)*) => {$(
        impl Units for $word {
            const EMPTY: $word = 0;
            #[inline(always)]
            fn of(units: RegUnits) -> $word {
                units.0 as $word
            }
            #[inline(always)]
            fn to_units(self) -> RegUnits {
                RegUnits(self.into())
            }
            #[inline(always)]
            fn union(self, other: $word) -> $word {
                self | other
            }
            #[inline(always)]
            fn intersection(self, other: $word) -> $word {
                self & other
            }
            #[inline(always)]
            fn difference(self, other: $word) -> $word {
                self & !other
            }
            #[inline(always)]
            fn is_empty(self) -> bool {
                self == 0
            }
            #[inline(always)]
            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }
            #[inline(always)]
            fn rest(self) -> $word {
                self & self.wrapping_sub(1)
            }
        }
    )*};
}
units!(u64 u128);

#[cfg(test)]
mod tests {
    use super::*;

    fn follows_set_algebra<U: Units>(highest: u8) {
        let last = U::of(RegUnits::of(highest));
        let low = U::of(RegUnits::span(0, 2));
        let both = low.union(last);
        assert_eq!((both.first(), both.rest().first()), (0, 1));
        assert_eq!(both.rest().rest().first(), highest.into());
        assert!(both.rest().rest().rest().is_empty());
        assert!(both.contains(low) && !low.contains(both) && both.intersects(last) && !low.intersects(last));
        assert_eq!(both.difference(low).to_units(), RegUnits::of(highest));
        assert_eq!(both.intersection(low).to_units(), RegUnits::span(0, 2));
    }

    #[test]
    fn words_are_sets() {
        follows_set_algebra::<u64>(63);
        follows_set_algebra::<u128>(127);
        assert!(<u64 as Units>::of(RegUnits::of(64)).is_empty());
    }
}

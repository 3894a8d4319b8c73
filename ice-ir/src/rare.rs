//! What few have something else than the default of.

use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

/// A value that is nearly always the default and takes the room of an address then. It is used like the value itself;
/// the first change makes a copy of the default.
#[derive(Clone, Debug)]
pub struct Rare<T>(Option<Box<T>>);

/// What has a default that is always there.
pub trait StaticDefault: Sized + 'static {
    /// The default.
    const DEFAULT: &'static Self;
}

impl<T: StaticDefault + PartialEq> PartialEq for Rare<T> {
    fn eq(&self, other: &Rare<T>) -> bool {
        **self == **other
    }
}

impl<T: StaticDefault + Eq> Eq for Rare<T> {}

impl<T> Default for Rare<T> {
    fn default() -> Rare<T> {
        Rare(None)
    }
}

impl<T: StaticDefault> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::DEFAULT)
    }
}

impl<T: StaticDefault + Clone> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| Box::new(T::DEFAULT.clone()))
    }
}

impl<T: StaticDefault + PartialEq> From<T> for Rare<T> {
    fn from(value: T) -> Rare<T> {
        Rare((value != *T::DEFAULT).then(|| Box::new(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Pair(u64, u64);

    impl StaticDefault for Pair {
        const DEFAULT: &'static Pair = &Pair(1, 2);
    }

    #[test]
    fn what_is_rare_is_used_like_the_value() {
        assert_eq!(size_of::<Rare<Pair>>(), size_of::<usize>());
        let mut pair: Rare<Pair> = Rare::default();
        assert_eq!(*pair, Pair(1, 2));
        pair.1 = 5;
        assert_eq!((*pair, Rare::from(Pair(1, 5))), (Pair(1, 5), pair.clone()));
        pair.1 = 2;
        // It has a copy of the default, and is the default all the same.
        assert_eq!(pair, Rare::from(Pair(1, 2)));
    }
}

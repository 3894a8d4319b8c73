//! What few have something else than the default of.

use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

/// A value that is nearly always the default and takes the room of an address then. It is used like the value itself;
/// the first change makes a copy of the default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rare<T>(Option<Box<T>>);

/// What has a default that is always there.
pub trait StaticDefault: Sized + 'static {
    /// The default.
    const DEFAULT: &'static Self;
}

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

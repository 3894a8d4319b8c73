//! Memory that is kept from function to function.

use alloc::vec::Vec;

/// Fills the list with `count` times `value`.
pub(crate) fn refill<T: Clone>(list: &mut Vec<T>, count: usize, value: T) {
    list.clear();
    make_room(list, count);
    list.resize(count, value);
}

/// Lets the list have at least `count` elements, which mean nothing before they are written.
pub(crate) fn at_least<T: Clone>(list: &mut Vec<T>, count: usize, value: T) {
    if list.len() < count {
        refill(list, count, value);
    }
}

/// Makes these the elements of the list.
pub(crate) fn refill_from<T>(list: &mut Vec<T>, values: impl ExactSizeIterator<Item = T>) {
    list.clear();
    make_room(list, values.len());
    list.extend(values);
}

/// Makes room for `count` elements in a list that is empty: what was in its memory before is not copied.
pub(crate) fn make_room<T>(list: &mut Vec<T>, count: usize) {
    if list.capacity() < count {
        *list = Vec::with_capacity(count);
    }
}

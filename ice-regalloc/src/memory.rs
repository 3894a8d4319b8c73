//! Memory that is kept from function to function.

use alloc::vec::Vec;

/// Makes room for `count` elements in a list that is empty: what was in its memory before is not copied.
pub(crate) fn make_room<T>(list: &mut Vec<T>, count: usize) {
    if list.capacity() < count {
        *list = Vec::with_capacity(count);
    }
}

//! Short regions of memory that are copied or filled by single moves.

/// What one move copies or fills: its bytes, and how far they are from the start of the region.
pub type Move = (u8, i32);

/// The moves that cover `length` bytes, from the widest of `sizes`, of which the last is 1. Where they may overlap, what is left and
/// no size of its own is covered by one more move of the size before.
pub fn moves(sizes: &[u8], length: i64, may_overlap: bool) -> impl Iterator<Item = Move> {
    let (mut offset, mut before) = (0, 0);
    core::iter::from_fn(move || {
        let left = length - offset;
        let size = sizes.iter().copied().find(|&size| i64::from(size) <= left)?;
        let overlaps = may_overlap && i64::from(size) != left && before > size && i64::from(before) >= left;
        let size = if overlaps { before } else { size };
        let at = if overlaps { length - i64::from(size) } else { offset };
        before = size;
        offset = at + i64::from(size);
        Some((size, at as i32))
    })
}

//! Runs of ranges that become jump tables.

use super::{Cluster, Destiny, MIN_TABLE_CLUSTERS};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The last value of a table is less than this above the first.
pub(super) const MAX_TABLE_SPAN: u64 = 1 << 24;

/// The end of a run that may become a table.
pub(super) struct RunEnd {
    range: u32,
    /// Twice the values of all ranges up to this one, less its last value, modulo 2^64: the larger, the denser a
    /// run that ends here, wherever it starts.
    weight: u64,
}

/// Merges dense runs of ranges into tables: the longest from the left that is more than half full.
///
/// The run from `first` to `last` is dense if the weight of its end exceeds twice the values before `first` less
/// the first value. Only an end that weighs more than all later ones can be the last dense one, so the ends within
/// reach are kept as a queue whose weights fall (the queue of minima of a sliding window), and searched by bisection.
/// Weights of ends within reach of one another differ by less than 2^26, so differences modulo 2^64 have their sign.
pub(super) fn find_tables(ranges: &[Cluster], clusters: &mut Vec<Cluster>, ends: &mut VecDeque<RunEnd>) {
    let values = |range: &Cluster| (range.high.wrapping_sub(range.low) as u64).wrapping_add(1);
    let exceeds = |a: u64, b: u64| a.wrapping_sub(b) as i64 > 0;
    clusters.clear();
    ends.clear();
    // Ranges whose ends have been in the queue, and twice the values of these and of those before `first`.
    let (mut reached, mut twice_reached) = (0, 0u64);
    let (mut first, mut twice_before) = (0, 0u64);
    while first < ranges.len() {
        while ends.front().is_some_and(|end| (end.range as usize) < first) {
            ends.pop_front();
        }
        if reached < first {
            (reached, twice_reached) = (first, twice_before);
        }
        let low = ranges[first].low;
        while let Some(range) = ranges.get(reached)
            && (range.high.wrapping_sub(low) as u64) < MAX_TABLE_SPAN
        {
            twice_reached = twice_reached.wrapping_add(values(range).wrapping_mul(2));
            let weight = twice_reached.wrapping_sub(range.high as u64);
            while ends.back().is_some_and(|end| !exceeds(end.weight, weight)) {
                ends.pop_back();
            }
            ends.push_back(RunEnd { range: reached as u32, weight });
            reached += 1;
        }
        let least = twice_before.wrapping_sub(low as u64);
        let dense = ends.partition_point(|end| exceeds(end.weight, least));
        let last = dense.checked_sub(1).map_or(first, |dense| ends[dense].range as usize);
        let len = if last + 1 - first >= MIN_TABLE_CLUSTERS { last + 1 - first } else { 1 };
        if len > 1 {
            let target = Destiny::Table(first as u32, last as u32 + 1);
            clusters.push(Cluster { low, high: ranges[last].high, target });
        } else {
            clusters.push(ranges[first]);
        }
        for range in &ranges[first..first + len] {
            twice_before = twice_before.wrapping_add(values(range).wrapping_mul(2));
        }
        first += len;
    }
}

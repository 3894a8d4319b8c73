//! Switch clustering: from a case list to a small decision tree of ranges, comparisons and jump tables.
//!
//! A value of less than 32 bits is extended to these with or without its sign, whichever has the cases closer together.
//! Cases are sorted by signed value, neighbours with one target merge into ranges, dense runs become jump
//! tables (at least four ranges, at most a half empty, found greedily from the left: Bernstein 1985), and
//! what is left is split in halves by a balanced tree of signed comparisons, down to a few ranges that are tried in a
//! row. Bounds known from the comparisons above drop tests that must hold. Tables, ranges and comparisons mix freely.
//!
//! Requires: distinct cases. Preserves: the cases.
//! Cost: O(n log n) for n cases; the tree is at most 64 deep.

use crate::magic::Signedness;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use ice_ir::Block;

/// Index of a node in [`SwitchPlan::nodes`].
pub type NodeIndex = u32;

/// One decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SwitchNode<T> {
    /// Go to the block.
    Goto(T),
    /// Signed: below the pivot go to `below`, else to `otherwise`.
    Less {
        /// First value of the upper half.
        pivot: i64,
        /// Node for smaller values.
        below: NodeIndex,
        /// Node for the others.
        otherwise: NodeIndex,
    },
    /// `low..=high` go to `target`, others to `otherwise`.
    Range {
        /// Smallest value.
        low: i64,
        /// Largest value.
        high: i64,
        /// Where they go.
        target: T,
        /// Node for the others.
        otherwise: NodeIndex,
    },
    /// Values from `low` on index the table; past its end go to the default.
    Table {
        /// Value of the first entry.
        low: i64,
        /// First entry in [`SwitchPlan::entries`].
        start: u32,
        /// Number of entries.
        len: u32,
        /// Where values outside go.
        default: T,
        /// Whether values outside the table are known not to arrive here.
        bounds: TableBounds,
    },
}

/// Whether a jump table's index must be tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableBounds {
    /// Any value may arrive.
    Test,
    /// Only values of the table arrive.
    Known,
}

/// A decision tree; node 0 is the root.
#[derive(Clone, Debug)]
pub struct SwitchPlan<T> {
    /// How a value of less than 32 bits is extended to these, before it is compared.
    pub sign: Signedness,
    /// Nodes.
    pub nodes: Vec<SwitchNode<T>>,
    /// Entries of all tables.
    pub entries: Vec<T>,
}

impl<T> Default for SwitchPlan<T> {
    fn default() -> Self {
        SwitchPlan { sign: Signedness::Signed, nodes: Vec::new(), entries: Vec::new() }
    }
}

/// Fewest ranges that are worth a table.
const MIN_TABLE_CLUSTERS: usize = 4;

/// Most values for each range of a table whose gaps no value meets: it needs no comparison.
const MAX_STRETCH: u64 = 8;

/// The last value of a table is less than this above the first.
const MAX_TABLE_SPAN: u64 = 1 << 24;

/// Most ranges that are tried one by one.
const MAX_ROW: usize = 3;

/// A run of case values with one destiny.
#[derive(Clone, Copy)]
struct Cluster {
    low: i64,
    high: i64,
    target: Destiny,
}

#[derive(Clone, Copy)]
enum Destiny {
    Block(Block),
    /// Ranges `first..last` of the sorted list.
    Table(u32, u32),
}

/// Memory of planning, reused from switch to switch.
#[derive(Default)]
pub struct SwitchScratch {
    sorted: Vec<(i64, Block)>,
    ranges: Vec<Cluster>,
    clusters: Vec<Cluster>,
    ends: VecDeque<RunEnd>,
}

/// What a switch does with a value that no case has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Otherwise {
    /// It goes to the block.
    Goes(Block),
    /// No such value arrives. What stands in gaps goes to the block.
    Never(Block),
}

/// Plans the switch over `cases` (distinct values, sign-extended from `bits`); `target` names blocks. The
/// plan goes to `plan`, whose former contents are lost.
pub fn plan<T: Copy>(
    bits: u32,
    otherwise: Otherwise,
    cases: &[(i64, Block)],
    target: impl Fn(Block) -> T,
    scratch: &mut SwitchScratch,
    plan: &mut SwitchPlan<T>,
) {
    let SwitchScratch { sorted, ranges, clusters, ends } = scratch;
    let (Otherwise::Goes(default) | Otherwise::Never(default)) = otherwise;
    sorted.clear();
    sorted.extend(cases.iter().copied().filter(|&(_, b)| b != default));
    plan.sign = if bits < 32 { closer(bits, sorted) } else { Signedness::Signed };
    let unsigned_max = (1 << bits.min(32)) - 1;
    if plan.sign == Signedness::Unsigned {
        sorted.iter_mut().for_each(|(value, _)| *value &= unsigned_max);
    }
    sorted.sort_unstable_by_key(|&(v, _)| v);
    ranges.clear();
    for &(value, block) in &*sorted {
        match ranges.last_mut() {
            Some(Cluster { high, target: Destiny::Block(b), .. })
                if *b == block && high.checked_add(1) == Some(value) =>
            {
                *high = value;
            }
            _ => ranges.push(Cluster { low: value, high: value, target: Destiny::Block(block) }),
        }
    }
    match (otherwise, &ranges[..]) {
        (Otherwise::Never(_), [first, .., last])
            if ranges.len() >= MIN_TABLE_CLUSTERS
                && (last.high.wrapping_sub(first.low) as u64) < MAX_STRETCH * ranges.len() as u64 =>
        {
            let target = Destiny::Table(0, ranges.len() as u32);
            clusters.clear();
            clusters.push(Cluster { low: first.low, high: last.high, target });
        }
        _ => find_tables(ranges, clusters, ends),
    }
    plan.nodes.clear();
    plan.entries.clear();
    let (mut min, mut max) = match plan.sign {
        Signedness::Signed => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        Signedness::Unsigned => (0, unsigned_max),
    };
    if let (Otherwise::Never(_), [first, .., last] | [first @ last]) = (otherwise, &clusters[..]) {
        (min, max) = (first.low, last.high);
        close_gaps(clusters);
    }
    // A table that has most values there are has them all, and no test.
    if let [Cluster { low, high, target: Destiny::Table(..) }] = &mut clusters[..]
        && max.wrapping_sub(min) as u64 / 2 <= high.wrapping_sub(*low) as u64
    {
        (*low, *high) = (min, max);
    }
    let mut planner = Planner { plan, ranges, default: target(default), target };
    planner.build(clusters, min, max);
}

/// The extension after which the values of `bits`, fewer than 64, are closer together; that without the sign if they are alike,
/// since loads of bytes and the like have it.
fn closer(bits: u32, cases: &[(i64, Block)]) -> Signedness {
    let span = |value: fn(i64, i64) -> i64| {
        let mask = (1 << bits) - 1;
        let values = || cases.iter().map(|&(number, _)| value(number, mask));
        values().max().zip(values().min()).map_or(0, |(max, min)| max - min)
    };
    if span(|number, mask| number & mask) <= span(|number, _| number) {
        Signedness::Unsigned
    } else {
        Signedness::Signed
    }
}

/// Lets ranges that are no tables take in the gaps beside them, whose values never arrive.
fn close_gaps(clusters: &mut [Cluster]) {
    for i in 1..clusters.len() {
        let [before, after] =
            [i - 1, i].map(|n| (clusters[n], matches!(clusters[n].target, Destiny::Block(_))));
        match (before, after) {
            ((before, _), (_, true)) => clusters[i].low = before.high + 1,
            ((_, true), (after, _)) => clusters[i - 1].high = after.low - 1,
            _ => {}
        }
    }
}

/// The end of a run that may become a table.
struct RunEnd {
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
fn find_tables(ranges: &[Cluster], clusters: &mut Vec<Cluster>, ends: &mut VecDeque<RunEnd>) {
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

/// Whether every value of `min..=max` is in a cluster.
fn covers(clusters: &[Cluster], min: i64, max: i64) -> bool {
    let adjoin = |pair: &[Cluster]| pair[0].high.checked_add(1) == Some(pair[1].low);
    clusters.first().is_some_and(|first| first.low <= min)
        && clusters.last().is_some_and(|last| max <= last.high)
        && clusters.windows(2).all(adjoin)
}

struct Planner<'a, T, F> {
    plan: &'a mut SwitchPlan<T>,
    ranges: &'a [Cluster],
    default: T,
    target: F,
}

impl<T: Copy, F: Fn(Block) -> T> Planner<'_, T, F> {
    /// Adds the tree for `clusters`, reached with values in `min..=max`. Recursion halves the list.
    fn build(&mut self, clusters: &[Cluster], min: i64, max: i64) -> NodeIndex {
        let index = self.plan.nodes.len() as NodeIndex;
        // Reserve the place, so that the root is node 0 and parents come before children.
        self.plan.nodes.push(SwitchNode::Goto(self.default));
        let node = match clusters {
            [] => return index,
            &[cluster] => self.leaf(cluster, min, max),
            &[Cluster { low, high, target: Destiny::Block(block) }, ref rest @ ..]
                if clusters.len() <= MAX_ROW && !covers(clusters, min, max) =>
            {
                let (target, otherwise) = ((self.target)(block), self.build(rest, min, max));
                SwitchNode::Range { low, high, target, otherwise }
            }
            _ => {
                let middle = clusters.len() / 2;
                let pivot = clusters[middle].low;
                let below = self.build(&clusters[..middle], min, pivot - 1);
                let otherwise = self.build(&clusters[middle..], pivot, max);
                SwitchNode::Less { pivot, below, otherwise }
            }
        };
        self.plan.nodes[index as usize] = node;
        index
    }

    fn leaf(&mut self, cluster: Cluster, min: i64, max: i64) -> SwitchNode<T> {
        let covers = covers(&[cluster], min, max);
        match cluster.target {
            Destiny::Block(block) if covers => SwitchNode::Goto((self.target)(block)),
            Destiny::Block(block) => {
                let otherwise = self.build(&[], min, max);
                let target = (self.target)(block);
                SwitchNode::Range { low: cluster.low, high: cluster.high, target, otherwise }
            }
            Destiny::Table(first, last) => {
                let start = self.plan.entries.len() as u32;
                let mut next = cluster.low;
                for range in &self.ranges[first as usize..last as usize] {
                    let Destiny::Block(block) = range.target else { continue };
                    let gap = range.low.wrapping_sub(next) as usize;
                    let run = range.high.wrapping_sub(range.low) as usize + 1;
                    let target = (self.target)(block);
                    self.plan.entries.extend(core::iter::repeat_n(self.default, gap));
                    self.plan.entries.extend(core::iter::repeat_n(target, run));
                    next = range.high.wrapping_add(1);
                }
                let rest = cluster.high.wrapping_sub(next).wrapping_add(1) as usize;
                self.plan.entries.extend(core::iter::repeat_n(self.default, rest));
                let len = self.plan.entries.len() as u32 - start;
                let bounds = if covers { TableBounds::Known } else { TableBounds::Test };
                SwitchNode::Table { low: cluster.low, start, len, default: self.default, bounds }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Where a value of `bits` goes.
    fn run(plan: &SwitchPlan<Block>, bits: u32, value: i64) -> Block {
        let value = match plan.sign {
            Signedness::Signed => value,
            Signedness::Unsigned => value & ((1 << bits) - 1),
        };
        let mut at = 0;
        loop {
            at = match plan.nodes[at as usize] {
                SwitchNode::Goto(b) => return b,
                SwitchNode::Less { pivot, below, otherwise } => {
                    if value < pivot {
                        below
                    } else {
                        otherwise
                    }
                }
                SwitchNode::Range { low, high, target, otherwise } => {
                    if (low..=high).contains(&value) {
                        return target;
                    }
                    otherwise
                }
                SwitchNode::Table { low, start, len, default, bounds } => {
                    let index = value.wrapping_sub(low) as u64;
                    if index >= u64::from(len) {
                        assert_eq!(bounds, TableBounds::Test);
                        return default;
                    }
                    return plan.entries[start as usize + index as usize];
                }
            };
        }
    }

    fn check(bits: u32, cases: &[(i64, u32)], probes: &[i64]) -> SwitchPlan<Block> {
        let cases: Vec<_> = cases.iter().map(|&(v, b)| (v, Block::from_u32(b))).collect();
        let default = Block::from_u32(0);
        let (mut plan, mut scratch) = (SwitchPlan::default(), SwitchScratch::default());
        super::plan(bits, Otherwise::Never(default), &cases, |b| b, &mut scratch, &mut plan);
        for &(value, want) in cases.iter().filter(|&&(_, block)| block != default) {
            assert_eq!(run(&plan, bits, value), want, "{value}");
        }
        super::plan(bits, Otherwise::Goes(default), &cases, |b| b, &mut scratch, &mut plan);
        for &value in probes {
            let want = cases.iter().find(|c| c.0 == value).map_or(default, |c| c.1);
            assert_eq!(run(&plan, bits, value), want, "{value}");
        }
        plan
    }

    #[test]
    fn extremes_and_empty() {
        let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
        check(64, &[], &ends);
        check(64, &[(i64::MIN, 1), (i64::MAX, 2), (0, 3), (-1, 3)], &ends);
        let all: Vec<(i64, u32)> = (-128..128).map(|v| (v, (v & 3) as u32)).collect();
        let probes: Vec<i64> = (-128..128).collect();
        check(8, &all, &probes);
    }

    #[test]
    fn tables_cross_zero_and_mix_with_ranges() {
        let mut cases: Vec<(i64, u32)> = (-5..9).map(|v| (v, (v + 6) as u32)).collect();
        cases.extend([(1000, 1), (1001, 1), (1_000_000, 2), (-70_000, 4)]);
        let probes: Vec<i64> =
            (-10..15).chain([999, 1000, 1001, 1002, 1_000_000, -70_000, -70_001]).collect();
        let plan = check(32, &cases, &probes);
        assert_eq!(plan.entries.len(), 14);
        assert!(plan.nodes.iter().any(|n| matches!(n, SwitchNode::Range { low: 1000, high: 1001, .. })));
    }

    #[test]
    fn what_is_known_of_a_value_is_not_tested_again() {
        // All values of a byte in ten ranges: nine comparisons tell them apart.
        let ten: Vec<(i64, u32)> = (-128..128).map(|v| (v, ((v + 128) / 26) as u32 + 1)).collect();
        let all: Vec<i64> = (-128..128).collect();
        let is_less = |n: &&SwitchNode<Block>| matches!(n, SwitchNode::Less { .. });
        let plan = check(8, &ten, &all);
        let few: Vec<(i64, u32)> = (-128..128).map(|v| (v, (v >= 0) as u32 + 1)).collect();
        let halves = check(8, &few, &all);
        assert_eq!(halves.nodes.len(), 3, "{:?}", halves.nodes);
        assert!(
            halves.nodes.iter().filter(is_less).count() == 1 && plan.nodes.len() <= 19,
            "{:?}",
            plan.nodes
        );
        // With a gap a row of tests is shorter than a search.
        let gap: Vec<(i64, u32)> = few.iter().copied().filter(|(v, _)| v.abs() > 3).collect();
        let plan = check(8, &gap, &all);
        assert_eq!(plan.nodes.iter().filter(is_less).count(), 0, "{:?}", plan.nodes);
    }

    #[test]
    fn bytes_without_signs_index_a_table_of_all() {
        let opcodes: Vec<(i64, u32)> = (0..186).map(|v: i64| (i64::from(v as i8), v as u32 + 1)).collect();
        let plan = check(8, &opcodes, &(-128..128).collect::<Vec<i64>>());
        let known = SwitchNode::Table {
            low: 0,
            start: 0,
            len: 256,
            default: Block::from_u32(0),
            bounds: TableBounds::Known,
        };
        assert_eq!((plan.sign, &plan.nodes[..]), (Signedness::Unsigned, &[known][..]));
        // Around zero the signs bring the cases together.
        let near: Vec<(i64, u32)> = (-3..4).map(|v| (v, (v + 4) as u32)).collect();
        assert_eq!(check(16, &near, &(-9..9).collect::<Vec<i64>>()).sign, Signedness::Signed);
    }

    #[test]
    fn values_that_never_arrive_are_not_tested() {
        let never = |cases: &[(i64, u32)]| {
            let cases: Vec<_> = cases.iter().map(|&(v, b)| (v, Block::from_u32(b))).collect();
            let mut plan = SwitchPlan::default();
            let otherwise = Otherwise::Never(Block::from_u32(0));
            super::plan(32, otherwise, &cases, |b| b, &mut SwitchScratch::default(), &mut plan);
            plan.nodes
        };
        // Of two values one is asked for; of one, none.
        assert_eq!(never(&[(7, 1)]), [SwitchNode::Goto(Block::from_u32(1))]);
        let two = never(&[(7, 1), (90, 2)]);
        assert!(matches!(two[..], [SwitchNode::Less { pivot: 8, .. }, SwitchNode::Goto(_), _]), "{two:?}");
        let table: Vec<(i64, u32)> = (3..40).filter(|v| v % 5 != 0).map(|v| (v, v as u32)).collect();
        let table = never(&table);
        assert!(
            matches!(table[..], [SwitchNode::Table { bounds: TableBounds::Known, low: 3, .. }]),
            "{table:?}"
        );
    }

    /// The tables by the definition: the longest dense run from the left, tried from every range.
    fn naive_tables(ranges: &[Cluster]) -> Vec<(i64, i64)> {
        let (mut tables, mut first) = (Vec::new(), 0);
        while let Some(Cluster { low, .. }) = ranges.get(first) {
            let values = |run: &[Cluster]| {
                run.iter().map(|r| i128::from(r.high) - i128::from(r.low) + 1).sum::<i128>()
            };
            let is_dense = |&last: &usize| {
                let span = i128::from(ranges[last].high) - i128::from(*low);
                span < i128::from(MAX_TABLE_SPAN) && 2 * values(&ranges[first..=last]) > span
            };
            let last = (first..ranges.len()).rev().find(is_dense).unwrap_or(first);
            if last + 1 - first >= MIN_TABLE_CLUSTERS {
                tables.push((*low, ranges[last].high));
                first = last;
            }
            first += 1;
        }
        tables
    }

    #[test]
    fn tables_are_the_longest_dense_runs() {
        let mut state = 88_172_645_463_325_252u64;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % below
        };
        let (mut found, mut clusters, mut ends) = (0, Vec::new(), VecDeque::new());
        for round in 0..3000 {
            let mut ranges = Vec::new();
            let mut next = if round % 3 == 0 { i64::MIN } else { random(1 << 20) as i64 - (1 << 19) };
            for _ in 0..random(40) {
                let gap = match random(12) {
                    0 => random(1 << 25),
                    1 => random(60),
                    2 if round % 2 == 0 => random(1 << 62),
                    _ => random(5),
                };
                let len = if random(30) == 0 { random(1 << 25) } else { random(3) };
                let Some(low) = next.checked_add_unsigned(gap) else { break };
                let Some(high) = low.checked_add_unsigned(len) else { break };
                ranges.push(Cluster { low, high, target: Destiny::Block(Block::from_u32(1)) });
                let Some(after) = high.checked_add(1) else { break };
                next = after;
            }
            find_tables(&ranges, &mut clusters, &mut ends);
            let tables = clusters.iter().filter(|c| matches!(c.target, Destiny::Table(..)));
            let tables: Vec<_> = tables.map(|c| (c.low, c.high)).collect();
            assert_eq!(tables, naive_tables(&ranges), "round {round}");
            found += tables.len();
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn a_hundred_thousand_cases_a_third_full() {
        let cases: Vec<(i64, u32)> = (0..100_000).map(|i| (i * 3, 1 + (i % 7) as u32)).collect();
        let probes = vec![0, 1, 2, 3, 299_997, 299_998, -1];
        check(32, &cases, &probes);
    }

    #[test]
    fn a_hundred_thousand_sparse_cases() {
        let cases: Vec<(i64, u32)> = (0..100_000).map(|i| (i * 977, 1 + (i % 7) as u32)).collect();
        let probes = vec![0, 977, 978, 99_999 * 977, 99_999 * 977 + 1, -1];
        check(32, &cases, &probes);
    }
}

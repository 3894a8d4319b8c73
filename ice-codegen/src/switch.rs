//! Switch clustering: from a case list to a small decision tree of ranges, comparisons and jump tables.
//!
//! A value of less than 32 bits is extended to these with or without its sign, whichever has the cases closer together.
//! Cases are sorted by signed value, neighbours with one target merge into ranges, dense runs become jump
//! tables (at least four ranges, at most a half empty, found greedily from the left: Bernstein 1985), runs within the
//! bits of a word with at most three targets become tests of bits, and
//! what is left is split in halves by a balanced tree of signed comparisons, down to a few ranges that are tried in a
//! row. Bounds known from the comparisons above drop tests that must hold. Tables, bits, ranges and comparisons mix freely.
//!
//! Requires: distinct cases. Preserves: the cases.
//! Cost: O(n log n) for n cases; the tree is at most 64 deep, and what tests bits six more.

use crate::magic::Signedness;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::Range;
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
    /// Values in `low..=high` go to `inside`, others to `outside`.
    Within {
        /// Smallest value.
        low: i64,
        /// Largest value.
        high: i64,
        /// Node for these.
        inside: NodeIndex,
        /// Where the others go.
        outside: T,
    },
    /// Values whose bits are set in the mask go to `target`, others to `otherwise`.
    Bits {
        /// For each value that arrives, the bit of its remainder modulo the number of bits, which is without sign.
        mask: u64,
        /// How many bits there are.
        bits: MaskBits,
        /// Where they go.
        target: T,
        /// Node for the others.
        otherwise: NodeIndex,
    },
}

/// How many bits of a mask count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaskBits {
    /// The lower half.
    B32,
    /// All.
    B64,
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

/// Most targets of a run that is told by bits.
const MAX_BIT_TARGETS: usize = 3;

/// Fewest comparisons that such a run takes otherwise, for each number of its targets.
const MIN_COMPARISONS: [u32; MAX_BIT_TARGETS] = [3, 5, 6];

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
    /// The same, told by bits.
    Bits(u32, u32),
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

/// Of how many bits the value of a switch is, and how many a register has that holds it: none if it takes several, or if bits of a
/// number are not tested.
#[derive(Clone, Copy, Debug)]
pub struct SwitchWidth {
    /// Bits of the value.
    pub bits: u32,
    /// Bits of its register.
    pub register: u32,
}

/// Plans the switch over `cases` (distinct values, sign-extended from their bits); `target` names blocks. The
/// plan goes to `plan`, whose former contents are lost.
pub fn plan<T: Copy>(
    width: SwitchWidth,
    otherwise: Otherwise,
    cases: &[(i64, Block)],
    target: impl Fn(Block) -> T,
    scratch: &mut SwitchScratch,
    plan: &mut SwitchPlan<T>,
) {
    let SwitchScratch { sorted, ranges, clusters, ends } = scratch;
    let bits = width.bits;
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
    find_bits(ranges, clusters, width.register);
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
    let is_closed = matches!(otherwise, Otherwise::Never(_));
    let mut planner = Planner { plan, ranges, default: target(default), is_closed, target };
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

/// Joins clusters whose values are within as many as a register has bits and have few targets, from the left, if comparisons or a
/// table take more.
fn find_bits(ranges: &[Cluster], clusters: &mut Vec<Cluster>, register: u32) {
    let (mut next, mut kept) = (0, 0);
    // The range that the next cluster begins with.
    let mut first = 0;
    while let Some(&cluster) = clusters.get(next) {
        let (mut targets, mut comparisons) = (BitTargets::default(), 0);
        let (mut last, mut found) = (first, None);
        'run: for (n, &Cluster { high, target, .. }) in clusters.iter().enumerate().skip(next) {
            if high.wrapping_sub(cluster.low) as u64 >= u64::from(register) {
                break;
            }
            let end = match target {
                Destiny::Table(_, end) | Destiny::Bits(_, end) => end as usize,
                Destiny::Block(_) => last + 1,
            };
            for range in &ranges[last..end] {
                let Destiny::Block(block) = range.target else { continue };
                if targets.add(block, 0, 0).is_none() {
                    break 'run;
                }
                comparisons += 1 + u32::from(range.low != range.high);
            }
            last = end;
            if MIN_COMPARISONS.get(targets.len.wrapping_sub(1)).is_some_and(|&least| comparisons >= least) {
                found = Some((n, last));
            }
        }
        clusters[kept] = match (found, cluster.target) {
            (Some((n, end)), _) => {
                let target = Destiny::Bits(first as u32, end as u32);
                (next, first) = (n, end);
                Cluster { low: cluster.low, high: clusters[n].high, target }
            }
            (None, Destiny::Table(_, end) | Destiny::Bits(_, end)) => {
                first = end as usize;
                cluster
            }
            (None, Destiny::Block(_)) => {
                first += 1;
                cluster
            }
        };
        next += 1;
        kept += 1;
    }
    clusters.truncate(kept);
}

/// A target of a run that is told by bits.
#[derive(Clone, Copy, Default)]
struct BitTarget {
    block: Option<Block>,
    /// How many values go there, and which.
    count: u64,
    mask: u64,
}

/// The targets of such a run.
#[derive(Clone, Copy, Default)]
struct BitTargets {
    list: [BitTarget; MAX_BIT_TARGETS],
    len: usize,
}

impl BitTargets {
    /// Adds values that go to a block. `None` if there are too many blocks.
    fn add(&mut self, block: Block, count: u64, mask: u64) -> Option<()> {
        let known = self.list[..self.len].iter().position(|target| target.block == Some(block));
        let target = self.list.get_mut(known.unwrap_or(self.len))?;
        self.len += usize::from(known.is_none());
        *target = BitTarget { block: Some(block), count: target.count + count, mask: target.mask | mask };
        Some(())
    }

    /// The targets, those with most values first.
    fn sorted(&mut self) -> &[BitTarget] {
        let list = &mut self.list[..self.len];
        for end in (1..list.len()).rev() {
            for k in 0..end {
                if list[k].count < list[k + 1].count {
                    list.swap(k, k + 1);
                }
            }
        }
        list
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
    /// Whether only values of the cases arrive.
    is_closed: bool,
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
        let covers = self.is_closed || covers(&[cluster], min, max);
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
            Destiny::Bits(first, last) => self.bits(cluster, first as usize..last as usize, covers),
        }
    }

    /// The first node of tests of bits. `covers` if only values of the cluster arrive.
    fn bits(&mut self, cluster: Cluster, ranges: Range<usize>, covers: bool) -> SwitchNode<T> {
        let Cluster { mut low, high, .. } = cluster;
        let bits = if high - low < 32 { MaskBits::B32 } else { MaskBits::B64 };
        let rotated = |mask: u64| match bits {
            MaskBits::B32 => u64::from((mask as u32).rotate_left(low as u32 & 31)),
            MaskBits::B64 => mask.rotate_left(low as u32 & 63),
        };
        let mut targets = BitTargets::default();
        for range in &self.ranges[ranges] {
            let Destiny::Block(block) = range.target else { continue };
            let count = (range.high - range.low) as u64 + 1;
            let mask = u64::MAX >> (64 - count) << (range.low - low);
            // There are no more than `find_bits` has counted.
            let _ = targets.add(block, count, rotated(mask));
        }
        let list = targets.sorted();
        let count: u64 = list.iter().map(|target| target.count).sum();
        let is_full = self.is_closed || count == (high - low) as u64 + 1;
        if !is_full && low > 0 && high < if bits == MaskBits::B32 { 32 } else { 64 } {
            low = 0;
        }
        if covers {
            return self.tests(list, bits, is_full);
        }
        let inside = self.plan.nodes.len() as NodeIndex;
        self.plan.nodes.push(SwitchNode::Goto(self.default));
        self.plan.nodes[inside as usize] = self.tests(list, bits, is_full);
        SwitchNode::Within { low, high, inside, outside: self.default }
    }

    /// The tests of masks. `is_full` if every value has one.
    fn tests(&mut self, list: &[BitTarget], bits: MaskBits, is_full: bool) -> SwitchNode<T> {
        match *list {
            [BitTarget { block: Some(block), .. }] if is_full => SwitchNode::Goto((self.target)(block)),
            [BitTarget { block: Some(block), mask, .. }, ref rest @ ..] => {
                let otherwise = self.plan.nodes.len() as NodeIndex;
                self.plan.nodes.push(SwitchNode::Goto(self.default));
                self.plan.nodes[otherwise as usize] = self.tests(rest, bits, is_full);
                SwitchNode::Bits { mask, bits, target: (self.target)(block), otherwise }
            }
            _ => SwitchNode::Goto(self.default),
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
                SwitchNode::Within { low, high, inside, outside } => {
                    if !(low..=high).contains(&value) {
                        return outside;
                    }
                    inside
                }
                SwitchNode::Bits { mask, bits, target, otherwise } => {
                    let number = if bits == MaskBits::B32 { 32 } else { 64 };
                    if mask >> value.rem_euclid(number) & 1 != 0 {
                        return target;
                    }
                    otherwise
                }
            };
        }
    }

    fn check(bits: u32, cases: &[(i64, u32)], probes: &[i64]) -> SwitchPlan<Block> {
        let cases: Vec<_> = cases.iter().map(|&(v, b)| (v, Block::from_u32(b))).collect();
        let default = Block::from_u32(0);
        let (mut plan, mut scratch) = (SwitchPlan::default(), SwitchScratch::default());
        let width = SwitchWidth { bits, register: 64 };
        super::plan(width, Otherwise::Never(default), &cases, |b| b, &mut scratch, &mut plan);
        for &(value, want) in cases.iter().filter(|&&(_, block)| block != default) {
            assert_eq!(run(&plan, bits, value), want, "{value}");
        }
        for register in [0, 32, 64] {
            let width = SwitchWidth { bits, register };
            super::plan(width, Otherwise::Goes(default), &cases, |b| b, &mut scratch, &mut plan);
            for &value in probes {
                let want = cases.iter().find(|c| c.0 == value).map_or(default, |c| c.1);
                assert_eq!(run(&plan, bits, value), want, "{value}");
            }
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
            let width = SwitchWidth { bits: 32, register: 32 };
            super::plan(width, otherwise, &cases, |b| b, &mut SwitchScratch::default(), &mut plan);
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

    #[test]
    fn few_targets_are_told_by_bits() {
        let all = |range: Range<i64>| range.collect::<Vec<i64>>();
        let nodes = |bits, cases: &[(i64, u32)], probes: &[i64]| check(bits, cases, probes).nodes;
        // The white space of C: from zero on, one mask.
        let space: Vec<(i64, u32)> = [9, 10, 11, 12, 13, 32, 0].map(|v| (v, 1)).to_vec();
        let space = nodes(32, &space, &all(-40..80));
        let [
            SwitchNode::Within { low: 0, high: 32, .. },
            SwitchNode::Bits { mask, bits: MaskBits::B64, .. },
            ..,
        ] = space[..]
        else {
            panic!("{space:?}")
        };
        assert_eq!(mask, 1 << 32 | 0x3e01);
        // Around zero the mask is turned, and far away as well.
        let around = [-9, -5, 0, 4].map(|v| (v, 1));
        let around = nodes(64, &around, &all(-80..80));
        assert!(matches!(around[0], SwitchNode::Within { low: -9, high: 4, .. }), "{around:?}");
        let far = [i64::MAX - 40, i64::MAX - 20, i64::MAX - 4, i64::MAX].map(|v| (v, 1));
        nodes(64, &far, &[i64::MAX - 41, i64::MAX - 40, i64::MAX - 20, i64::MAX, i64::MIN, 0, -1]);
        // Two targets that have all values between them: one mask.
        let two: Vec<(i64, u32)> = (70..90).map(|v| (v, 1 + (v % 3 == 0) as u32)).collect();
        let two = nodes(32, &two, &all(0..200));
        let is_bits = |n: &&SwitchNode<Block>| matches!(n, SwitchNode::Bits { .. });
        assert_eq!(two.iter().filter(is_bits).count(), 1, "{two:?}");
        // Four targets are a table, and few comparisons stay what they are.
        let four: Vec<(i64, u32)> = (0..40).map(|v| (v, 1 + (v % 4) as u32)).collect();
        assert!(matches!(nodes(32, &four, &all(-9..99))[..], [SwitchNode::Table { .. }]));
        let few = nodes(32, &[(3, 1), (5, 1)], &all(-9..99));
        assert!(!few.iter().any(|n| is_bits(&n)), "{few:?}");
    }

    #[test]
    fn bits_of_random_switches() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % below
        };
        let mut found = 0;
        for round in 0..2000 {
            let bits = [8, 16, 32, 64][round % 4];
            let [least, most] = [i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)];
            let from = match random(4) {
                0 => least,
                1 => most - random(100) as i64,
                _ => random(120) as i64 - 100,
            };
            let (span, blocks) = (1 + random(90), 1 + random(5));
            let mut cases = Vec::new();
            for _ in 0..random(20) {
                let value = from.saturating_add(random(span) as i64).clamp(least, most);
                if cases.iter().all(|&(v, _)| v != value) {
                    cases.push((value, random(blocks) as u32 + 1));
                }
            }
            let mut probes: Vec<i64> =
                cases.iter().flat_map(|c| [c.0, c.0.saturating_sub(1), c.0.saturating_add(1)]).collect();
            probes.extend([least, most, 0, -1, 31, 32, 63, 64]);
            probes.iter_mut().for_each(|v| *v = (*v).clamp(least, most));
            let plan = check(bits, &cases, &probes);
            found += usize::from(plan.nodes.iter().any(|n| matches!(n, SwitchNode::Bits { .. })));
        }
        assert!(found > 500, "{found}");
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

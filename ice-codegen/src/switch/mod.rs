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

mod bits;
mod tables;
#[cfg(test)]
mod tests;

use crate::magic::Signedness;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use bits::find_bits;
use ice_ir::Block;
use tables::{RunEnd, find_tables};

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
}

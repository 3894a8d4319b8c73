//! Runs of ranges that are told by the bits of a number.

use super::{Cluster, Destiny, MaskBits, NodeIndex, Planner, SwitchNode};
use alloc::vec::Vec;
use core::ops::Range;
use ice_ir::Block;

/// Most targets of a run that is told by bits.
const MAX_BIT_TARGETS: usize = 3;

/// Fewest comparisons that such a run takes otherwise, for each number of its targets.
const MIN_COMPARISONS: [u32; MAX_BIT_TARGETS] = [3, 5, 6];

/// Joins clusters whose values are within as many as a register has bits and have few targets, from the left, if comparisons or a
/// table take more.
pub(super) fn find_bits(ranges: &[Cluster], clusters: &mut Vec<Cluster>, register: u32) {
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

impl<T: Copy, F: Fn(Block) -> T> Planner<'_, T, F> {
    /// The first node of tests of bits. `covers` if only values of the cluster arrive.
    pub(super) fn bits(&mut self, cluster: Cluster, ranges: Range<usize>, covers: bool) -> SwitchNode<T> {
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

//! Plans, asked where each value goes.

use super::tables::MAX_TABLE_SPAN;
use super::*;
use alloc::vec;
use core::ops::Range;

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
    let probes: Vec<i64> = (-10..15).chain([999, 1000, 1001, 1002, 1_000_000, -70_000, -70_001]).collect();
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
    assert!(halves.nodes.iter().filter(is_less).count() == 1 && plan.nodes.len() <= 19, "{:?}", plan.nodes);
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
    assert!(matches!(table[..], [SwitchNode::Table { bounds: TableBounds::Known, low: 3, .. }]), "{table:?}");
}

#[test]
fn few_targets_are_told_by_bits() {
    let all = |range: Range<i64>| range.collect::<Vec<i64>>();
    let nodes = |bits, cases: &[(i64, u32)], probes: &[i64]| check(bits, cases, probes).nodes;
    // The white space of C: from zero on, one mask.
    let space: Vec<(i64, u32)> = [9, 10, 11, 12, 13, 32, 0].map(|v| (v, 1)).to_vec();
    let space = nodes(32, &space, &all(-40..80));
    let [SwitchNode::Within { low: 0, high: 32, .. }, SwitchNode::Bits { mask, bits: MaskBits::B64, .. }, ..] =
        space[..]
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
        let values =
            |run: &[Cluster]| run.iter().map(|r| i128::from(r.high) - i128::from(r.low) + 1).sum::<i128>();
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

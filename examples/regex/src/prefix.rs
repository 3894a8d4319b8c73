//! Which bytes every match has at its first few places: what a search can look for by itself.
//!
//! A walk over the program in step with the bytes of matches. Characters of a small set are followed byte by byte; behind a
//! lead byte of a large one anything may be. Assertions are taken to hold, so that the sets are not too small.
//!
//! From the sets a search takes two at most whose bytes are rare and told by few comparisons.

use crate::bytes::{ByteSet, Test};
use crate::program::{Node, NodeId, Program};
use std::collections::BTreeSet;

/// Places that are looked at.
const MAX_PLACES: usize = 12;
/// Ways that are followed at once.
const MAX_WAYS: usize = 200;
/// Characters of more than one byte that a set is followed by.
const MAX_CHARS: u32 = 8;
/// Comparisons of vectors for a place.
const MAX_TESTS: usize = 4;
/// A search of its own does not pay where a thousand bytes have more candidates than this.
const MAX_FREQUENCY: u32 = 60;

/// What is compared at a place behind the start of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Probe {
    pub(crate) offset: usize,
    pub(crate) tests: Vec<Test>,
}

/// Where a way is: behind some bytes of a character that leads to a node, or in something that is not known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Way {
    bytes: Vec<u8>,
    next: NodeId,
}

/// The sets of bytes at the first places of matches; as many as are known.
pub(crate) fn prefix_sets(program: &Program) -> Vec<ByteSet> {
    let mut sets = Vec::new();
    let mut ways = BTreeSet::new();
    if !expand(program, program.start, &mut ways) {
        return sets;
    }
    while sets.len() < MAX_PLACES && !ways.is_empty() && ways.len() <= MAX_WAYS {
        sets.push(ways.iter().map(|(way, _)| way.bytes[0]).collect());
        let mut next = BTreeSet::new();
        for (mut way, is_whole) in std::mem::take(&mut ways) {
            way.bytes.remove(0);
            if !way.bytes.is_empty() {
                next.insert((way, is_whole));
            } else if !is_whole || !expand(program, way.next, &mut next) {
                return sets;
            }
        }
        ways = next;
    }
    sets
}

/// Adds what may follow at a node; false if that may be nothing. The flag of a way says whether its bytes are all of a
/// character.
fn expand(program: &Program, start: NodeId, ways: &mut BTreeSet<(Way, bool)>) -> bool {
    let (mut work, mut seen) = (vec![start], BTreeSet::new());
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        match program.node(id) {
            Node::Consume { set, next } => characters(program, set.0 as usize, next, ways),
            Node::Split { first, second } | Node::Check { first, second, .. } => {
                work.extend([second, first]);
            }
            Node::Save { next, .. }
            | Node::Assert { next, .. }
            | Node::Mark { next, .. }
            | Node::Ahead { next, .. } => work.push(next),
            // A body is followed as far as it goes.
            Node::Atomic { .. } | Node::Back { .. } | Node::Match => return false,
        }
    }
    true
}

/// Adds the bytes of the characters of a set.
fn characters(program: &Program, set: usize, next: NodeId, ways: &mut BTreeSet<(Way, bool)>) {
    for &(first, last) in program.set_list[set].ranges() {
        for byte in (first..=last).take_while(char::is_ascii) {
            ways.insert((Way { bytes: vec![byte as u8], next }, true));
        }
        let wide = first.max('\u{80}');
        let bytes = |c: char| c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
        if wide > last {
            continue;
        }
        if u32::from(last) - u32::from(wide) < MAX_CHARS {
            ways.extend((wide..=last).map(|c| (Way { bytes: bytes(c), next }, true)));
        } else {
            let leads = bytes(wide)[0]..=bytes(last)[0];
            ways.extend(leads.map(|lead| (Way { bytes: vec![lead], next }, false)));
        }
    }
}

/// What a search compares, if that pays.
pub(crate) fn probes(sets: &[ByteSet]) -> Option<Vec<Probe>> {
    let mut known: Vec<(u32, Probe)> = Vec::new();
    for (offset, set) in sets.iter().enumerate() {
        if let Some(tests) = set.tests(&ByteSet::ALL, MAX_TESTS) {
            // A comparison costs as much as a few false candidates.
            known.push((set.frequency() + 1 + 2 * tests.len() as u32, Probe { offset, tests }));
        }
    }
    known.sort_by_key(|(cost, probe)| (*cost, probe.offset));
    let frequency = |probe: &Probe| sets[probe.offset].frequency();
    let best = known.first().map(|(_, probe)| probe.clone())?;
    let second = known.get(1).map(|(_, probe)| probe.clone());
    let second = second.filter(|second| frequency(&best) > 0 && frequency(second) < 300);
    let together = frequency(&best) * second.as_ref().map_or(1000, frequency) / 1000;
    (together <= MAX_FREQUENCY).then(|| [best].into_iter().chain(second).collect())
}

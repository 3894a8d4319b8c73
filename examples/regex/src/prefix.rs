//! What matches begin with, as far as a search can look for it by itself.
//!
//! Every match begins with one of the nodes that consume first: its *arms*. For each arm a walk over the program in step with
//! the bytes of matches gives the set of bytes at each of the first places. Characters of a small set are followed byte by
//! byte; behind a lead byte of a large one anything may be. Assertions are taken to hold, so that the sets are not too
//! small.
//!
//! Of each arm a search takes two sets at most, whose bytes are rare and told by few comparisons.
//!
//! Where what matches begin with is frequent, something inside of them may be rare: the `@` of an address. An *anchor* is a
//! node that every match passes. Before it a match has bytes of known sets only, so that from a place where the anchor may
//! be the search goes back over those, and begins there: whatever match has its anchor here or further on begins there, or
//! later.

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
/// Arms that are looked for at once, and comparisons for all of them.
const MAX_ARMS: usize = 10;
const MAX_ALL_TESTS: usize = 24;
/// A search of its own does not pay where a hundred thousand places have more candidates than this.
const MAX_FREQUENCY: u32 = 6000;

/// An anchor is looked for in programs of so many nodes, and taken if a hundred thousand places have no more candidates.
const MAX_ANCHOR_NODES: usize = 500;
const MAX_ANCHOR_FREQUENCY: u32 = 1500;

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

/// What is compared where an arm may begin: all of it must hold.
pub(crate) type Arm = Vec<Probe>;

/// The bytes that matches begin with; none if a match may be empty.
pub(crate) fn first_bytes(program: &Program) -> Option<ByteSet> {
    let mut ways = BTreeSet::new();
    expand(program, program.start, &mut ways).then(|| ways.iter().map(|(way, _)| way.bytes[0]).collect())
}

/// What a search compares, if that pays: for all matches together, or arm by arm.
pub(crate) fn arms(program: &Program) -> Option<Vec<Arm>> {
    let starts = first_nodes(program)?;
    let together: Option<Vec<Candidate>> = candidate(program, program.start).map(|one| vec![one]);
    let apart = || starts.iter().map(|&start| candidate(program, start)).collect();
    let choices = [together, (1 < starts.len() && starts.len() <= MAX_ARMS).then(apart).flatten()];
    let pays = |all: &Vec<Candidate>| {
        let tests = all.iter().flat_map(|one| &one.arm).map(|probe| probe.tests.len()).sum::<usize>();
        tests <= MAX_ALL_TESTS && frequency(all) <= MAX_FREQUENCY
    };
    let best = choices.into_iter().flatten().filter(pays).min_by_key(|all| frequency(all));
    best.map(|all| all.into_iter().map(|one| one.arm).collect())
}

/// What every match has inside of it.
pub(crate) struct Anchor {
    /// What is compared at its place.
    pub(crate) arm: Arm,
    /// The bytes that may be between the start of a match and the place.
    pub(crate) before: ByteSet,
}

/// The rarest of what every match passes, if there is something rare.
pub(crate) fn anchor(program: &Program) -> Option<Anchor> {
    if program.nodes.len() > MAX_ANCHOR_NODES {
        return None;
    }
    let nodes = (0..program.nodes.len() as u32).map(NodeId);
    let consuming = nodes.filter(|&id| matches!(program.node(id), Node::Consume { .. }));
    let known = consuming.filter_map(|id| Some((candidate(program, id)?, before(program, id)?)));
    let rare = known.filter(|(candidate, _)| candidate.frequency <= MAX_ANCHOR_FREQUENCY);
    let best = rare.min_by_key(|(candidate, _)| candidate.frequency);
    best.map(|(Candidate { arm, .. }, before)| Anchor { arm, before })
}

/// The bytes that matches may have before a node; none if a match need not pass it.
fn before(program: &Program, anchor: NodeId) -> Option<ByteSet> {
    let (mut work, mut seen, mut bytes) = (vec![program.start], BTreeSet::from([anchor]), ByteSet::default());
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        match program.node(id) {
            Node::Consume { set, next } => {
                for &(first, last) in program.set_list[set.0 as usize].ranges() {
                    (first..=last).take_while(char::is_ascii).for_each(|c| bytes.insert(c as u8));
                    if !last.is_ascii() {
                        bytes = bytes.union(&ByteSet::range(0x80, 0xff));
                    }
                }
                work.push(next);
            }
            node => work.extend(passed(node)?),
        }
    }
    Some(bytes)
}

/// Of a hundred thousand places, about how many are candidates.
fn frequency(all: &[Candidate]) -> u32 {
    all.iter().map(|one| one.frequency).sum()
}

/// What is compared for an arm, and how many of a hundred thousand places pass.
struct Candidate {
    arm: Arm,
    frequency: u32,
}

/// The nodes that matches may begin with; none if a match may be empty.
fn first_nodes(program: &Program) -> Option<Vec<NodeId>> {
    let (mut work, mut seen, mut first) = (vec![program.start], BTreeSet::new(), Vec::new());
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        match program.node(id) {
            Node::Consume { .. } => first.push(id),
            node => work.extend(passed(node)?),
        }
    }
    Some(first)
}

/// Where threads go on from a node that consumes nothing; none where that is not followed.
fn passed(node: Node) -> Option<Vec<NodeId>> {
    match node {
        Node::Split { first, second } | Node::Check { first, second, .. } => Some(vec![second, first]),
        Node::Save { next, .. }
        | Node::Assert { next, .. }
        | Node::Mark { next, .. }
        | Node::Ahead { next, .. } => Some(vec![next]),
        Node::Consume { .. } | Node::Atomic { .. } | Node::Back { .. } | Node::Match => None,
    }
}

/// The sets of bytes at the first places behind a node; as many as are known.
fn prefix_sets(program: &Program, start: NodeId) -> Vec<ByteSet> {
    let mut sets = Vec::new();
    let mut ways = BTreeSet::new();
    if !expand(program, start, &mut ways) {
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
            node => match passed(node) {
                Some(next) => work.extend(next),
                None => return false,
            },
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

/// What is compared for the matches that begin with a node: of the sets at its places the rarest one that is told by few
/// comparisons, and a second one if it leaves much fewer candidates.
fn candidate(program: &Program, start: NodeId) -> Option<Candidate> {
    let sets = prefix_sets(program, start);
    let mut known: Vec<(u32, Probe)> = Vec::new();
    for (offset, set) in sets.iter().enumerate() {
        if let Some(tests) = set.tests(&ByteSet::ALL, MAX_TESTS) {
            // A comparison costs as much as a few false candidates.
            known.push((set.frequency() + 1 + 2 * tests.len() as u32, Probe { offset, tests }));
        }
    }
    known.sort_by_key(|(cost, probe)| (*cost, probe.offset));
    let mut known = known.into_iter().map(|(_, probe)| (sets[probe.offset].frequency(), probe));
    let (frequency, best) = known.next()?;
    let second = known.next().filter(|(other, _)| frequency > 0 && *other < 300);
    let passing = frequency * second.as_ref().map_or(100, |(other, _)| other.div_ceil(10));
    let arm = [best].into_iter().chain(second.map(|(_, probe)| probe)).collect();
    Some(Candidate { arm, frequency: passing })
}

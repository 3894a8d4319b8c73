//! Which slots need no register: those whose place is a fixed number of characters back at a node.
//!
//! A data-flow analysis over the program ("fixed tags" in Trofimovich 2017, by node instead of by expression). In
//! `[a-z]{8,13}` the start of a match is 1 to 13 characters back at the 13 nodes, so that the automaton follows
//! all of its starts at once and keeps none.
//!
//! Cost: each slot of a node changes twice at most.

use crate::program::{Node, NodeId, Program};

/// What is known of a slot at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Distance {
    /// No thread has set it.
    Unset,
    /// Every thread has set it that many characters ago.
    Fixed(u32),
    /// Threads differ.
    Varies,
}

impl Distance {
    fn join(self, other: Distance) -> Distance {
        if self == other { self } else { Distance::Varies }
    }
}

/// By node, what is known of the slots of a thread that comes to it; nothing of nodes that none comes to.
pub(crate) fn distances(program: &Program, slots: usize) -> Vec<Option<Vec<Distance>>> {
    let mut known: Vec<Option<Vec<Distance>>> = vec![None; program.nodes.len()];
    let mut work = vec![(program.start, vec![Distance::Unset; slots])];
    while let Some((id, arriving)) = work.pop() {
        let joined = match &known[id.index()] {
            None => arriving,
            Some(old) => old.iter().zip(&arriving).map(|(old, new)| old.join(*new)).collect(),
        };
        if known[id.index()].as_ref() == Some(&joined) {
            continue;
        }
        known[id.index()] = Some(joined.clone());
        let mut go = |next: NodeId, values: Vec<Distance>| work.push((next, values));
        match program.node(id) {
            Node::Consume { next, .. } => go(next, joined.into_iter().map(further).collect()),
            Node::Save { slot, next } => {
                let mut values = joined;
                if let Some(value) = values.get_mut(slot as usize) {
                    *value = Distance::Fixed(0);
                }
                go(next, values);
            }
            Node::Split { first, second } | Node::Check { first, second, .. } => {
                go(first, joined.clone());
                go(second, joined);
            }
            Node::Mark { next, .. } | Node::Assert { next, .. } => {
                go(next, joined);
            }
            Node::Match | Node::Back { .. } | Node::Ahead { .. } | Node::Atomic { .. } => {}
        }
    }
    known
}

fn further(distance: Distance) -> Distance {
    match distance {
        Distance::Fixed(n) => Distance::Fixed(n + 1),
        other => other,
    }
}

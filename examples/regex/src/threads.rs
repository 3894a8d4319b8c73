//! Sets of threads: one step of the simulation of a regular program.
//!
//! A thread is a node behind a character (or the start) with a value for each slot; a set of them is in order of priority
//! and has each node once, since of two threads at one node the first wins whatever follows (Pike's machine; Laurikari
//! 2000 for the automaton). What a slot holds is a type parameter: places of a text for the machine that runs over it,
//! symbols for the construction of the automaton.
//!
//! One step, between a character and the next: every thread follows what consumes nothing, depth first, and stops before
//! what consumes; a match ends the threads behind it. Cost: the nodes of the program, and the slots of each thread.

use crate::alphabet::{Class, Side};
use crate::program::{Node, NodeId, Program};

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Thread<V> {
    pub(crate) node: NodeId,
    pub(crate) slots: Vec<V>,
}

/// What the threads have come to between two characters.
#[derive(Debug)]
pub(crate) struct Frontier<V> {
    /// Threads before nodes that consume, in order.
    pub(crate) threads: Vec<Thread<V>>,
    /// The slots of the match behind them.
    pub(crate) matched: Option<Vec<V>>,
    visited: Vec<bool>,
    work: Vec<Work<V>>,
}

#[derive(Debug)]
enum Work<V> {
    Visit(NodeId),
    Restore(u32, V),
}

/// Where a step takes place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<V> {
    /// What a slot gets that remembers it.
    pub(crate) here: V,
    pub(crate) before: Side,
    pub(crate) after: Side,
}

impl<V: Copy> Frontier<V> {
    /// No threads.
    pub(crate) fn new() -> Frontier<V> {
        Frontier { threads: Vec::new(), matched: None, visited: Vec::new(), work: Vec::new() }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self, program: &Program) {
        self.threads.clear();
        self.matched = None;
        self.visited.clear();
        self.visited.resize(program.nodes.len(), false);
    }

    /// Follows a thread to nodes that consume, behind the threads followed before; slots that it has no value for are
    /// not kept. Nothing is followed behind a match.
    pub(crate) fn follow(&mut self, program: &Program, thread: &Thread<V>, place: Place<V>) {
        let mut slots = thread.slots.clone();
        let mut work = std::mem::take(&mut self.work);
        work.push(Work::Visit(thread.node));
        while let Some(item) = work.pop() {
            let id = match item {
                Work::Restore(slot, value) => {
                    slots[slot as usize] = value;
                    continue;
                }
                Work::Visit(id) => id,
            };
            if self.matched.is_some() || std::mem::replace(&mut self.visited[id.index()], true) {
                continue;
            }
            match program.node(id) {
                Node::Consume { .. } => self.threads.push(Thread { node: id, slots: slots.clone() }),
                Node::Match => self.matched = Some(slots.clone()),
                Node::Split { first, second } | Node::Check { first, second, .. } => {
                    work.extend([Work::Visit(second), Work::Visit(first)]);
                }
                Node::Mark { next, .. } => work.push(Work::Visit(next)),
                Node::Save { slot, next } => {
                    if let Some(value) = slots.get_mut(slot as usize) {
                        work.push(Work::Restore(slot, *value));
                        *value = place.here;
                    }
                    work.push(Work::Visit(next));
                }
                Node::Assert { assertion, next } => {
                    if assertion.holds(place.before, place.after) {
                        work.push(Work::Visit(next));
                    }
                }
                // Programs that have these are not simulated.
                Node::Back { .. } | Node::Ahead { .. } | Node::Atomic { .. } => {}
            }
        }
        self.work = work;
    }

    /// The threads behind a character of a class, in order.
    pub(crate) fn step<'a>(
        &'a self,
        program: &'a Program,
        class: Class,
    ) -> impl Iterator<Item = (NodeId, &'a [V])> {
        self.threads.iter().filter_map(move |thread| match program.node(thread.node) {
            Node::Consume { set, next } if program.alphabet.contains(set, class) => {
                Some((next, thread.slots.as_slice()))
            }
            _ => None,
        })
    }
}

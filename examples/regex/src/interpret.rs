//! A backtracking interpreter of programs: what the code for a tree does, a node at a time.
//!
//! It is what the compiled code is compared with, in tests for its answers and in the bench for its time: one loop over
//! the nodes, a stack of places to go back to with what slots and marks held, and steps that are limited.

use crate::error::Error;
use crate::program::{Iteration, Node, NodeId, Program};
use crate::syntax::Polarity;

/// An entry of the stack.
#[derive(Clone, Copy, Debug)]
enum Entry {
    /// Go on at a node and a place.
    Branch(NodeId, usize),
    /// A slot gets its value back.
    Slot(u32, Option<usize>),
    /// A mark gets its value back.
    Mark(u32, Option<(usize, Iteration)>),
}

struct Machine<'p, 't> {
    program: &'p Program,
    text: &'t str,
    slots: Vec<Option<usize>>,
    marks: Vec<Option<(usize, Iteration)>>,
    stack: Vec<Entry>,
    steps: u64,
    limit: u64,
}

/// The places of the leftmost-first match in `text` that begins at `at` or later: for each group its start and end.
///
/// # Errors
/// It takes more than `limit` steps.
pub(crate) fn search(
    program: &Program,
    text: &str,
    at: usize,
    limit: u64,
) -> Result<Option<Vec<Option<usize>>>, Error> {
    let mut machine = Machine {
        program,
        text,
        slots: vec![None; program.slots as usize],
        marks: vec![None; program.marks as usize],
        stack: Vec::new(),
        steps: 0,
        limit,
    };
    let mut at = at;
    loop {
        if machine.run(program.start, at)?.is_some() {
            return Ok(Some(machine.slots));
        }
        match text[at..].chars().next() {
            Some(c) if !program.is_anchored => at += c.len_utf8(),
            _ => return Ok(None),
        }
    }
}

impl Machine<'_, '_> {
    /// Runs from a node to a match; gives its end.
    fn run(&mut self, node: NodeId, at: usize) -> Result<Option<usize>, Error> {
        let bottom = self.stack.len();
        let mut here = Some((node, at));
        loop {
            self.steps += 1;
            if self.steps > self.limit {
                return Err(Error::TooManySteps { limit: self.limit });
            }
            here = match here {
                Some((node, at)) if self.program.node(node) == Node::Match => return Ok(Some(at)),
                Some((node, at)) => self.step(node, at)?,
                None if self.stack.len() == bottom => return Ok(None),
                None => self.back(),
            };
        }
    }

    /// Takes the topmost entry off.
    fn back(&mut self) -> Option<(NodeId, usize)> {
        match self.stack.pop()? {
            Entry::Branch(node, at) => return Some((node, at)),
            Entry::Slot(slot, value) => self.slots[slot as usize] = value,
            Entry::Mark(mark, value) => self.marks[mark as usize] = value,
        }
        None
    }

    /// Does what a node says; gives where to go on, or nothing where it fails.
    fn step(&mut self, node: NodeId, at: usize) -> Result<Option<(NodeId, usize)>, Error> {
        let alphabet = &self.program.alphabet;
        let next_char = || self.text[at..].chars().next();
        Ok(match self.program.node(node) {
            Node::Consume { set, next } => next_char()
                .filter(|&c| alphabet.contains(set, alphabet.class_of(c)))
                .map(|c| (next, at + c.len_utf8())),
            Node::Split { first, second } => {
                self.stack.push(Entry::Branch(second, at));
                Some((first, at))
            }
            Node::Save { slot, next } => {
                let old = self.slots[slot as usize].replace(at);
                self.stack.push(Entry::Slot(slot, old));
                Some((next, at))
            }
            Node::Assert { assertion, next } => {
                let before = alphabet.side(self.text[..at].chars().next_back());
                assertion.holds(before, alphabet.side(next_char())).then_some((next, at))
            }
            Node::Mark { mark, iteration, next } => {
                let old = self.marks[mark as usize].replace((at, iteration));
                self.stack.push(Entry::Mark(mark, old));
                Some((next, at))
            }
            Node::Check { mark, first, second, exit } => match self.marks[mark as usize] {
                Some((start, Iteration::First)) if start == at => Some((exit, at)),
                Some((start, Iteration::Later)) if start == at => None,
                _ => {
                    self.stack.push(Entry::Branch(second, at));
                    Some((first, at))
                }
            },
            Node::Back { group, next } => {
                let [start, end] = [2 * group, 2 * group + 1].map(|slot| self.slots[slot as usize]);
                let matched = start.zip(end).and_then(|(start, end)| self.text.get(start..end));
                matched.filter(|matched| self.text[at..].starts_with(matched)).map(|m| (next, at + m.len()))
            }
            Node::Ahead { polarity: Polarity::Positive, body, next } => {
                self.closed(body, at)?.map(|_| (next, at))
            }
            Node::Ahead { polarity: Polarity::Negative, body, next } => {
                let bottom = self.stack.len();
                let found = self.closed(body, at)?;
                while self.stack.len() > bottom {
                    self.back();
                }
                found.is_none().then_some((next, at))
            }
            Node::Atomic { body, next } => self.closed(body, at)?.map(|at| (next, at)),
            Node::Match => None,
        })
    }

    /// Runs a body of which only the first match counts.
    fn closed(&mut self, body: NodeId, at: usize) -> Result<Option<usize>, Error> {
        let bottom = self.stack.len();
        let found = self.run(body, at)?;
        let entries = self.stack.split_off(bottom);
        self.stack.extend(entries.into_iter().filter(|entry| !matches!(entry, Entry::Branch(..))));
        Ok(found)
    }
}

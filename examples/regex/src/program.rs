//! Programs: expressions as the automata of Thompson (1968), with priorities.
//!
//! A node either consumes a character or passes on at its place; of two ways the first is preferred, which makes the
//! leftmost-first matches of Perl. Built from the end to the start, so that every node knows its successor. Bounded
//! repetitions are copies, and the number of nodes is bounded.
//!
//! An iteration that matches nothing is the end of its loop if it is the first, and fails if not: `x*` for an `x` that may be
//! empty is `(x+)?`, with a [`Node::Check`] behind each iteration. A simulation by sets of threads passes through it as if it
//! were a split, since a thread comes to each node once for each place, which is where the rule comes from.

use crate::alphabet::{Alphabet, SetId};
use crate::error::Error;
use crate::syntax::{Assertion, Ast, CharSet, Greed, Parsed, Polarity};
use std::collections::HashMap;

/// Most nodes of a program.
const MAX_NODES: usize = 30_000;

/// A node, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An iteration of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Iteration {
    /// The first.
    First,
    /// Any other.
    Later,
}

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// Takes a character of a set.
    Consume { set: SetId, next: NodeId },
    /// Tries one way, then the other.
    Split { first: NodeId, second: NodeId },
    /// Remembers the place.
    Save { slot: u32, next: NodeId },
    /// Asks for what is beside the place.
    Assert { assertion: Assertion, next: NodeId },
    /// Remembers where an iteration begins.
    Mark { mark: u32, iteration: Iteration, next: NodeId },
    /// Splits behind an iteration. If it has matched nothing, goes to `exit` behind the first and fails behind others.
    Check { mark: u32, first: NodeId, second: NodeId, exit: NodeId },
    /// Takes what a group has matched.
    Back { group: u32, next: NodeId },
    /// Asks for what follows; the body ends with [`Node::Match`].
    Ahead { polarity: Polarity, body: NodeId, next: NodeId },
    /// Takes the first match of a body that ends with [`Node::Match`].
    Atomic { body: NodeId, next: NodeId },
    /// The end.
    Match,
}

/// An expression as an automaton.
#[derive(Debug)]
pub(crate) struct Program {
    /// The nodes.
    pub(crate) nodes: Vec<Node>,
    /// The first node.
    pub(crate) start: NodeId,
    /// Number of slots: two for each group.
    pub(crate) slots: u32,
    /// Number of marks.
    pub(crate) marks: u32,
    /// Classes of characters.
    pub(crate) alphabet: Alphabet,
    /// The sets, by number.
    pub(crate) set_list: Vec<CharSet>,
    /// Numbers of the sets.
    pub(crate) sets: HashMap<CharSet, SetId>,
    /// The assertions that are asked for.
    pub(crate) assertions: Vec<Assertion>,
    /// Whether sets of threads can simulate it: no references, nothing atomic, no look-ahead.
    pub(crate) is_regular: bool,
    /// Whether it begins with the start of the text.
    pub(crate) is_anchored: bool,
}

impl Program {
    /// The program of an expression.
    pub(crate) fn new(parsed: &Parsed) -> Result<Program, Error> {
        let mut builder = Builder::default();
        let end = builder.node(Node::Match)?;
        let start = builder.tree(&parsed.ast, end)?;
        let alphabet = Alphabet::new(&builder.set_list, &builder.assertions)?;
        Ok(Program {
            start,
            alphabet,
            slots: 2 * parsed.names.len() as u32,
            nodes: builder.nodes,
            marks: builder.marks,
            sets: builder.sets,
            set_list: builder.set_list,
            assertions: builder.assertions,
            is_regular: !builder.is_irregular,
            is_anchored: is_anchored(&parsed.ast),
        })
    }

    /// A node.
    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }
}

/// Whether every match begins at the start of the text.
fn is_anchored(ast: &Ast) -> bool {
    match ast {
        Ast::Assert(Assertion::TextStart) => true,
        Ast::Capture { body, .. } | Ast::Atomic(body) => is_anchored(body),
        Ast::Concat(items) => is_anchored(&items[0]),
        Ast::Alternate(arms) => arms.iter().all(is_anchored),
        Ast::Repeat { body, min, .. } => *min > 0 && is_anchored(body),
        _ => false,
    }
}

/// Whether a tree may match nothing; references and assertions are taken to be able to.
pub(crate) fn may_be_empty(ast: &Ast) -> bool {
    match ast {
        Ast::Char(_) => false,
        Ast::Empty | Ast::Assert(_) | Ast::Ahead { .. } | Ast::Back { .. } => true,
        Ast::Concat(items) => items.iter().all(may_be_empty),
        Ast::Alternate(arms) => arms.iter().any(may_be_empty),
        Ast::Repeat { body, min, .. } => *min == 0 || may_be_empty(body),
        Ast::Capture { body, .. } | Ast::Atomic(body) => may_be_empty(body),
    }
}

#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    marks: u32,
    sets: HashMap<CharSet, SetId>,
    set_list: Vec<CharSet>,
    assertions: Vec<Assertion>,
    is_irregular: bool,
}

impl Builder {
    fn node(&mut self, node: Node) -> Result<NodeId, Error> {
        if self.nodes.len() >= MAX_NODES {
            return Err(Error::TooLarge { limit: MAX_NODES });
        }
        self.nodes.push(node);
        Ok(NodeId(self.nodes.len() as u32 - 1))
    }

    /// Two ways, the preferred one by greed.
    fn split(&mut self, again: NodeId, leave: NodeId, greed: Greed) -> Result<NodeId, Error> {
        let (first, second) = if greed == Greed::Lazy { (leave, again) } else { (again, leave) };
        self.node(Node::Split { first, second })
    }

    fn set(&mut self, set: &CharSet) -> SetId {
        if let Some(&id) = self.sets.get(set) {
            return id;
        }
        let id = SetId(self.set_list.len() as u32);
        self.sets.insert(set.clone(), id);
        self.set_list.push(set.clone());
        id
    }

    /// The first node of a tree that is followed by `next`.
    fn tree(&mut self, ast: &Ast, next: NodeId) -> Result<NodeId, Error> {
        match ast {
            Ast::Empty => Ok(next),
            Ast::Char(set) => {
                let set = self.set(set);
                self.node(Node::Consume { set, next })
            }
            Ast::Assert(assertion) => {
                if !self.assertions.contains(assertion) {
                    self.assertions.push(*assertion);
                }
                self.node(Node::Assert { assertion: *assertion, next })
            }
            Ast::Concat(items) => items.iter().rev().try_fold(next, |next, item| self.tree(item, next)),
            Ast::Alternate(arms) => {
                let (last, others) = arms.split_last().expect("an alternation has arms");
                let last = self.tree(last, next)?;
                others.iter().rev().try_fold(last, |second, arm| {
                    let first = self.tree(arm, next)?;
                    self.node(Node::Split { first, second })
                })
            }
            Ast::Repeat { body, min, max, greed: Greed::Possessive } => {
                let (body, min, max) = (body.clone(), *min, *max);
                let inner = Ast::Repeat { body, min, max, greed: Greed::Greedy };
                self.tree(&Ast::Atomic(Box::new(inner)), next)
            }
            Ast::Repeat { body, min, max, greed } => self.repeat(body, *min, *max, *greed, next),
            Ast::Capture { group, body } => {
                let end = self.node(Node::Save { slot: 2 * group + 1, next })?;
                let body = self.tree(body, end)?;
                self.node(Node::Save { slot: 2 * group, next: body })
            }
            Ast::Ahead { polarity, body } => {
                let body = self.closed(body)?;
                self.node(Node::Ahead { polarity: *polarity, body, next })
            }
            Ast::Atomic(body) => {
                let body = self.closed(body)?;
                self.node(Node::Atomic { body, next })
            }
            Ast::Back { group } => {
                self.is_irregular = true;
                self.node(Node::Back { group: *group, next })
            }
        }
    }

    /// A body that ends by itself.
    fn closed(&mut self, body: &Ast) -> Result<NodeId, Error> {
        self.is_irregular = true;
        let end = self.node(Node::Match)?;
        self.tree(body, end)
    }

    fn repeat(
        &mut self,
        body: &Ast,
        min: u32,
        max: Option<u32>,
        greed: Greed,
        next: NodeId,
    ) -> Result<NodeId, Error> {
        let mut start = next;
        let mut copies = min;
        match max {
            None if min == 0 && may_be_empty(body) => {
                let again = self.plus(body, greed, next)?;
                start = self.split(again, next, greed)?;
            }
            None if min == 0 => {
                let split = self.node(Node::Split { first: next, second: next })?;
                let again = self.tree(body, split)?;
                self.patch(split, again, next, greed);
                start = split;
            }
            None => {
                start = self.plus(body, greed, next)?;
                copies -= 1;
            }
            Some(max) => {
                for _ in min..max {
                    let again = self.tree(body, start)?;
                    start = self.split(again, next, greed)?;
                }
            }
        }
        for _ in 0..copies {
            let before = self.nodes.len();
            start = self.tree(body, start)?;
            if self.nodes.len() == before {
                break; // A body without a node is nothing at all.
            }
        }
        Ok(start)
    }

    /// One or more.
    fn plus(&mut self, body: &Ast, greed: Greed, next: NodeId) -> Result<NodeId, Error> {
        if !may_be_empty(body) {
            let split = self.node(Node::Split { first: next, second: next })?;
            let again = self.tree(body, split)?;
            self.patch(split, again, next, greed);
            return Ok(again);
        }
        let mark = self.marks;
        self.marks += 1;
        let check = self.node(Node::Check { mark, first: next, second: next, exit: next })?;
        let body = self.tree(body, check)?;
        let again = self.node(Node::Mark { mark, iteration: Iteration::Later, next: body })?;
        self.patch(check, again, next, greed);
        self.node(Node::Mark { mark, iteration: Iteration::First, next: body })
    }

    /// Closes a loop.
    fn patch(&mut self, split: NodeId, again: NodeId, leave: NodeId, greed: Greed) {
        let ways = if greed == Greed::Lazy { (leave, again) } else { (again, leave) };
        match &mut self.nodes[split.index()] {
            Node::Split { first, second } | Node::Check { first, second, .. } => (*first, *second) = ways,
            _ => unreachable!("loops end with a split"),
        }
    }
}

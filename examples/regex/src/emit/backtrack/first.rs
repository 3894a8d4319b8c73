//! What may come next, and which trees leave nothing to go back to.
//!
//! A loop over `[a-z]` that is followed by a digit need not remember shorter ways: what follows cannot match at a letter. A
//! tree is *quiet* if the code for it never remembers a place, so that whoever tries it can name the block where it goes on
//! when the tree fails, and keep all it needs in registers.

use crate::alphabet::Alphabet;
use crate::program::{Program, may_be_empty};
use crate::syntax::{Ast, CharSet, Greed, Polarity};

/// What may come next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct First {
    /// By class, whether its characters may; `None` if nothing is known.
    pub(super) classes: Option<Vec<bool>>,
    /// Whether the end of the expression may be reached without a character, and without a condition unless nothing is
    /// known of the classes. Who has got so far does not fail.
    pub(super) accepts: bool,
}

impl First {
    /// At the end of an expression.
    pub(super) fn end(program: &Program) -> First {
        First { classes: Some(vec![false; program.alphabet.len()]), accepts: true }
    }

    /// One or the other.
    pub(super) fn or(mut self, other: &First) -> First {
        self.classes = match (self.classes, &other.classes) {
            (Some(a), Some(b)) => Some(a.iter().zip(b).map(|(a, b)| *a || *b).collect()),
            _ => None,
        };
        self.accepts |= other.accepts;
        self
    }

    /// Whether no character may come next in both.
    fn is_disjoint(&self, other: &First) -> bool {
        match (&self.classes, &other.classes) {
            (Some(a), Some(b)) => !a.iter().zip(b).any(|(a, b)| *a && *b),
            _ => false,
        }
    }

    /// Behind a condition.
    fn conditional(mut self) -> First {
        if self.accepts {
            self.classes = None;
        }
        self
    }
}

/// What may come next before a set.
pub(super) fn first_of_set(program: &Program, set: &CharSet) -> First {
    let id = program.sets[set];
    let alphabet: &Alphabet = &program.alphabet;
    let classes = alphabet.classes().map(|class| alphabet.contains(id, class)).collect();
    First { classes: Some(classes), accepts: false }
}

/// What may come next before a tree that `follow` comes behind.
pub(super) fn first(program: &Program, ast: &Ast, follow: &First) -> First {
    match ast {
        Ast::Empty => follow.clone(),
        Ast::Char(set) => first_of_set(program, set),
        Ast::Ahead { polarity: Polarity::Positive, body } => {
            // What comes next begins what is looked for, if that is not nothing.
            let inside = first(program, body, &First::end(program));
            let is_known = !inside.accepts && inside.classes.is_some();
            if is_known { inside } else { follow.clone().conditional() }
        }
        Ast::Assert(_) | Ast::Ahead { .. } => follow.clone().conditional(),
        Ast::Back { .. } => First { classes: None, accepts: true },
        Ast::Capture { body, .. } | Ast::Atomic(body) => first(program, body, follow),
        Ast::Concat(items) => {
            items.iter().rev().fold(follow.clone(), |follow, item| first(program, item, &follow))
        }
        Ast::Alternate(arms) => {
            let arms = arms.iter().map(|arm| first(program, arm, follow));
            arms.reduce(|all, arm| all.or(&arm)).expect("an alternation has arms")
        }
        Ast::Repeat { body, min: 0, .. } => first(program, body, follow).or(follow),
        Ast::Repeat { body, .. } => first(program, body, follow),
    }
}

/// What comes behind one iteration of a loop.
pub(super) fn behind_iteration(program: &Program, body: &Ast, follow: &First) -> First {
    first(program, body, follow).or(follow)
}

/// What comes behind each item of a sequence.
pub(super) fn behind_items(program: &Program, items: &[Ast], follow: &First) -> Vec<First> {
    let mut behind = vec![follow.clone()];
    for item in items.iter().skip(1).rev() {
        behind.push(first(program, item, behind.last().expect("one is there")));
    }
    behind.reverse();
    behind
}

/// Whether at most one arm of an alternation can match at a place, as its next character tells.
pub(super) fn is_exclusive(program: &Program, arms: &[Ast], follow: &First) -> bool {
    let firsts: Vec<First> = arms.iter().map(|arm| first(program, arm, follow)).collect();
    firsts.iter().enumerate().all(|(n, one)| firsts[n + 1..].iter().all(|other| one.is_disjoint(other)))
}

/// Whether a loop over a set can only be left where the set ends.
pub(super) fn is_decided(program: &Program, set: &CharSet, greed: Greed, follow: &First) -> bool {
    match greed {
        Greed::Possessive => true,
        Greed::Greedy => first_of_set(program, set).is_disjoint(follow),
        Greed::Lazy => first_of_set(program, set).is_disjoint(follow) && !follow.accepts,
    }
}

/// Whether every iteration of a loop with any other body is taken or not by its next character, and remembers nothing.
pub(super) fn is_quiet_loop(program: &Program, body: &Ast, greed: Greed, follow: &First) -> bool {
    let one = First { classes: Some(vec![false; program.alphabet.len()]), accepts: false };
    greed == Greed::Greedy
        && !may_be_empty(body)
        && first(program, body, &one).is_disjoint(follow)
        && is_quiet(program, body, &behind_iteration(program, body, follow))
}

/// Whether a tree remembers no place.
pub(super) fn is_quiet(program: &Program, ast: &Ast, follow: &First) -> bool {
    match ast {
        Ast::Empty | Ast::Char(_) | Ast::Assert(_) | Ast::Back { .. } => true,
        Ast::Concat(items) => {
            let behind = behind_items(program, items, follow);
            items.iter().zip(&behind).all(|(item, follow)| is_quiet(program, item, follow))
        }
        Ast::Alternate(arms) => {
            is_exclusive(program, arms, follow)
                && arms.iter().all(|arm| is_quiet(program, arm, follow) && !has_groups(arm))
        }
        Ast::Repeat { body, min, max, greed } => match &**body {
            Ast::Char(set) => *max == Some(*min) || is_decided(program, set, *greed, follow),
            body if *greed == Greed::Possessive || has_groups(body) => false,
            body if *max == Some(*min) => is_quiet(program, body, &behind_iteration(program, body, follow)),
            body => is_quiet_loop(program, body, *greed, follow),
        },
        Ast::Capture { body, .. } => is_quiet(program, body, follow),
        Ast::Ahead { body, .. } | Ast::Atomic(body) => {
            !has_groups(body) && is_quiet(program, body, &First::end(program))
        }
    }
}

/// Whether a tree has groups that remember where they matched.
pub(super) fn has_groups(ast: &Ast) -> bool {
    let mut groups = Vec::new();
    collect_groups(ast, &mut groups);
    !groups.is_empty()
}

/// The groups of a tree.
pub(super) fn collect_groups(ast: &Ast, groups: &mut Vec<u32>) {
    match ast {
        Ast::Capture { group, body } => {
            groups.push(*group);
            collect_groups(body, groups);
        }
        Ast::Concat(items) | Ast::Alternate(items) => {
            items.iter().for_each(|item| collect_groups(item, groups));
        }
        Ast::Repeat { body, .. } | Ast::Ahead { body, .. } | Ast::Atomic(body) => {
            collect_groups(body, groups);
        }
        Ast::Empty | Ast::Char(_) | Ast::Assert(_) | Ast::Back { .. } => {}
    }
}

//! Sequences, alternations, groups, look-ahead, and repetitions of what is longer than a character.

use super::first::{
    First, behind_items, behind_iteration, collect_groups, first, has_groups, is_exclusive, is_quiet,
    is_quiet_loop,
};
use super::{Emission, Fail, Groups, Here, Step};
use crate::emit::emitter::JoinId;
use crate::error::Error;
use crate::program::may_be_empty;
use crate::syntax::{Ast, Greed, Polarity};
use ice_ir::{BinaryOp, IntCond, Value};

/// Whether there is no code for a tree.
fn is_nothing(ast: &Ast) -> bool {
    match ast {
        Ast::Empty => true,
        Ast::Concat(items) => items.iter().all(is_nothing),
        Ast::Repeat { body, .. } | Ast::Atomic(body) => is_nothing(body),
        _ => false,
    }
}

/// How many iterations there must be, at least.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Least {
    None,
    One,
}

/// A repetition of a tree.
struct Loop<'t> {
    body: &'t Ast,
    greed: Greed,
    /// What comes behind an iteration.
    inside: First,
    /// Whether nothing is remembered.
    is_quiet: bool,
    /// Where it is left for.
    done: JoinId,
}

impl Emission<'_> {
    /// The code of a tree that `follow` comes behind.
    pub(super) fn tree(&mut self, ast: &Ast, here: Here, follow: &First, groups: Groups) -> Step {
        match ast {
            Ast::Empty => Ok(here),
            Ast::Char(set) => self.character(set, here),
            Ast::Assert(assertion) => self.assertion(*assertion, here),
            Ast::Back { group } => self.reference(*group, here),
            Ast::Concat(items) => self.sequence(items, here, follow, groups),
            Ast::Alternate(arms) if is_quiet(self.program, ast, follow) => {
                self.quiet_alternation(arms, here, follow, groups)
            }
            Ast::Alternate(arms) => self.alternation(arms, here, follow),
            Ast::Repeat { body, .. } if is_nothing(body) => Ok(here),
            Ast::Repeat { body, min, max, greed } => match &**body {
                Ast::Char(set) => self.run(set, (*min, *max), *greed, here, follow),
                body if *greed == Greed::Possessive => {
                    let body = Box::new(body.clone());
                    let inner = Ast::Repeat { body, min: *min, max: *max, greed: Greed::Greedy };
                    self.atomic(&inner, here, groups)
                }
                body => self.repeat(body, (*min, *max), *greed, here, follow),
            },
            Ast::Capture { group: 0, body } => {
                let here = self.set_slot(here, 0, Groups::Final)?;
                let here = self.tree(body, here, follow, groups)?;
                self.set_slot(here, 1, Groups::Final)
            }
            Ast::Capture { group, body } => {
                let here = self.set_slot(here, 2 * group, groups)?;
                let here = self.tree(body, here, follow, groups)?;
                self.set_slot(here, 2 * group + 1, groups)
            }
            Ast::Ahead { polarity: Polarity::Positive, body } => {
                self.closed(body, here, groups, |_, before, here| Here { at: before, ..here })
            }
            Ast::Ahead { polarity: Polarity::Negative, body } => self.negative(body, here),
            Ast::Atomic(body) => self.atomic(body, here, groups),
        }
    }

    fn sequence(&mut self, items: &[Ast], here: Here, follow: &First, groups: Groups) -> Step {
        let behind = behind_items(self.program, items, follow);
        let (mut here, mut n) = (here, 0);
        while n < items.len() {
            let literal = self.literal(&items[n..]);
            if literal.len() > 1 {
                here = self.string(&literal, here);
                n += literal.chars().count();
            } else {
                here = self.tree(&items[n], here, &behind[n], groups)?;
                n += 1;
            }
        }
        Ok(here)
    }

    /// A join for a place and the height of the stack.
    fn meeting(&mut self) -> JoinId {
        let pointer = self.e.pointer();
        self.e.join(&[pointer; 2])
    }

    /// Goes on at a meeting.
    fn meet(&mut self, join: JoinId, fail: Fail) -> Here {
        let [at, top] = self.e.enter(join)[..] else { unreachable!("there are two parameters") };
        Here { at, top, fail }
    }

    /// Arms of which one at most can match: where it fails, so does the alternation.
    fn quiet_alternation(&mut self, arms: &[Ast], here: Here, follow: &First, groups: Groups) -> Step {
        let done = self.meeting();
        let (last, others) = arms.split_last().expect("an alternation has arms");
        let mut at = here;
        for arm in others {
            let next = self.meeting();
            let fail = Fail::To { join: next, value: at.at, number: None };
            let behind = self.tree(arm, Here { fail, ..at }, follow, groups)?;
            self.e.jump(done, &[behind.at, behind.top]);
            at = self.meet(next, here.fail);
        }
        let behind = self.tree(last, at, follow, groups)?;
        self.e.jump(done, &[behind.at, behind.top]);
        Ok(self.meet(done, here.fail))
    }

    /// Any arms.
    fn alternation(&mut self, arms: &[Ast], here: Here, follow: &First) -> Step {
        let done = self.meeting();
        let whole = arms.iter().map(|arm| first(self.program, arm, follow));
        let whole = whole.reduce(|all, arm| all.or(&arm)).expect("an alternation has arms");
        self.look(&whole, here);
        let mut at = self.settle(here)?;
        for (n, arm) in arms.iter().enumerate() {
            let rest = &arms[n..];
            if rest.len() == 1 {
                let behind = self.tree(arm, at, follow, Groups::Restored)?;
                self.e.jump(done, &[behind.at, behind.top]);
                break;
            }
            let (next, number) = self.choice();
            let is_quiet_arm = is_quiet(self.program, arm, follow) && !has_groups(arm);
            let only = |rest: &[Ast]| {
                rest[1..]
                    .iter()
                    .all(|other| is_exclusive(self.program, &[rest[0].clone(), other.clone()], follow))
            };
            let is_only = is_quiet_arm && only(rest);
            if is_quiet_arm {
                let fail = Fail::To { join: next, value: at.at, number: None };
                let behind = self.tree(arm, Here { fail, ..at }, follow, Groups::Restored)?;
                let top = if is_only { at.top } else { self.push(at.top, &[at.at], number) };
                self.e.jump(done, &[behind.at, top]);
            } else {
                let top = self.push(at.top, &[at.at], number);
                let behind = self.tree(arm, Here { top, ..at }, follow, Groups::Restored)?;
                self.e.jump(done, &[behind.at, behind.top]);
            }
            at = self.meet(next, Fail::Stack);
        }
        Ok(self.meet(done, Fail::Stack))
    }

    /// Copies for the least number of iterations, then a loop or copies that may be left.
    fn repeat(
        &mut self,
        body: &Ast,
        (min, max): (u32, Option<u32>),
        greed: Greed,
        here: Here,
        follow: &First,
    ) -> Step {
        let inside = behind_iteration(self.program, body, follow);
        let groups = if min == 1 && max == Some(1) { Groups::Final } else { Groups::Restored };
        let mut here = here;
        let is_checked = max.is_none() && may_be_empty(body);
        let least = if min == 0 { Least::None } else { Least::One };
        for _ in 0..min - u32::from(is_checked && least == Least::One) {
            here = self.tree(body, here, &inside, groups)?;
        }
        if max == Some(min) {
            return Ok(here);
        }
        let is_quiet = !has_groups(body) && is_quiet_loop(self.program, body, greed, follow);
        if !is_quiet {
            here = self.settle(here)?;
        }
        let done = self.meeting();
        let repetition = Loop { body, greed, inside, is_quiet, done };
        match max {
            None if is_checked => self.star_of_maybe_nothing(&repetition, here, least)?,
            None => self.star(&repetition, here)?,
            Some(max) => {
                for _ in min..max {
                    here = self.iteration(&repetition, here)?;
                }
                self.e.jump(done, &[here.at, here.top]);
            }
        }
        Ok(self.meet(done, here.fail))
    }

    /// Iterations without end.
    fn star(&mut self, repetition: &Loop<'_>, here: Here) -> Result<(), Error> {
        let head = self.meeting();
        self.e.jump(head, &[here.at, here.top]);
        let here = self.meet(head, here.fail);
        let one = self.e.word(1);
        self.spend(one);
        let here = self.iteration(repetition, here)?;
        self.e.jump(head, &[here.at, here.top]);
        Ok(())
    }

    /// Iterations without end that may match nothing: if the first one does, it is the last, and any other one fails. The word of the loop has twice the place where an iteration begins,
    /// plus one for the first.
    fn star_of_maybe_nothing(
        &mut self,
        repetition: &Loop<'_>,
        here: Here,
        least: Least,
    ) -> Result<(), Error> {
        let pointer = self.e.pointer();
        let word = self.take_word();
        let head = self.e.join(&[pointer; 3]);
        let one = self.e.word(1);
        if least == Least::One {
            let mark = self.doubled(here.at, one);
            let here = self.replace_word(here, word, mark)?;
            let here = self.tree(repetition.body, here, &repetition.inside, Groups::Restored)?;
            self.next_iteration(repetition, here, word, head);
        } else {
            self.e.jump(head, &[here.at, here.top, one]);
        }
        let [at, top, first] = self.e.enter(head)[..] else { unreachable!("there are three parameters") };
        let mark = self.doubled(at, first);
        let here = self.replace_word(Here { at, top, fail: Fail::Stack }, word, mark)?;
        let here = self.iteration(repetition, here)?;
        self.next_iteration(repetition, here, word, head);
        Ok(())
    }

    /// Twice the offset of a place, and `more`.
    fn doubled(&mut self, at: Value, more: Value) -> Value {
        let offset = self.e.binary(BinaryOp::Sub, at, self.text);
        let doubled = self.e.binary(BinaryOp::Add, offset, offset);
        self.e.binary(BinaryOp::Or, doubled, more)
    }

    /// Behind an iteration that may have matched nothing.
    fn next_iteration(&mut self, repetition: &Loop<'_>, here: Here, word: u32, head: JoinId) {
        let none = self.e.word(0);
        let now = self.doubled(here.at, none);
        let mark = self.e.load_word(self.memory, word);
        let difference = self.e.binary(BinaryOp::Xor, now, mark);
        let is_longer = self.e.compare_const(IntCond::Ugt, difference, 1);
        let empty = self.e.require(is_longer);
        self.e.jump(head, &[here.at, here.top, none]);
        self.e.b.switch_to_block(empty);
        let is_first = self.e.compare_const(IntCond::Eq, difference, 1);
        self.require(is_first, here);
        self.e.jump(repetition.done, &[here.at, here.top]);
    }

    /// An iteration that may be left out, for the end of the loop.
    fn iteration(&mut self, repetition: &Loop<'_>, here: Here) -> Step {
        let &Loop { body, greed, ref inside, is_quiet, done } = repetition;
        if is_quiet {
            let leave = self.meeting();
            let fail = Fail::To { join: leave, value: here.at, number: None };
            let behind = self.tree(body, Here { fail, ..here }, inside, Groups::Restored)?;
            let open = self.e.b.current_block().expect("the tree goes on");
            let left = self.meet(leave, here.fail);
            self.e.jump(done, &[left.at, left.top]);
            self.e.b.switch_to_block(open);
            return Ok(Here { fail: here.fail, ..behind });
        }
        let (other, number) = self.choice();
        let top = self.push(here.top, &[here.at], number);
        if greed == Greed::Lazy {
            self.e.jump(done, &[here.at, top]);
            let again = self.meet(other, Fail::Stack);
            return self.tree(body, again, inside, Groups::Restored);
        }
        let behind = self.tree(body, Here { top, ..here }, inside, Groups::Restored)?;
        let open = self.e.b.current_block().expect("the tree goes on");
        let left = self.meet(other, Fail::Stack);
        self.e.jump(done, &[left.at, left.top]);
        self.e.b.switch_to_block(open);
        Ok(behind)
    }

    // ---- trees that are left at once

    fn atomic(&mut self, body: &Ast, here: Here, groups: Groups) -> Step {
        self.closed(body, here, groups, |_, _, here| here)
    }

    /// A tree of which only the first match counts. `finish` gets the place before it, and what is behind it.
    fn closed(
        &mut self,
        body: &Ast,
        here: Here,
        groups: Groups,
        finish: impl Fn(&mut Self, Value, Here) -> Here,
    ) -> Step {
        let follow = First::end(self.program);
        if is_quiet(self.program, body, &follow) && !has_groups(body) {
            let behind = self.tree(body, here, &follow, groups)?;
            return Ok(finish(self, here.at, behind));
        }
        let here = self.enclose(body, here)?;
        let (at, top) = (self.take_word(), self.take_word());
        self.e.store_word(self.memory, at, here.at);
        self.e.store_word(self.memory, top, here.top);
        let behind = self.tree(body, here, &follow, groups)?;
        let at = self.e.load_word(self.memory, at);
        let top = self.e.load_word(self.memory, top);
        Ok(finish(self, at, Here { top, fail: Fail::Stack, ..behind }))
    }

    /// `(?!…)`.
    fn negative(&mut self, body: &Ast, here: Here) -> Step {
        let follow = First::end(self.program);
        if is_quiet(self.program, body, &follow) && !has_groups(body) {
            let behind = self.meeting();
            let fail = Fail::To { join: behind, value: here.at, number: None };
            let matched = self.tree(body, Here { fail, ..here }, &follow, Groups::Restored)?;
            self.fail(Here { at: here.at, top: matched.top, fail: here.fail });
            return Ok(self.meet(behind, here.fail));
        }
        let here = self.enclose(body, here)?;
        let word = self.take_word();
        self.e.store_word(self.memory, word, here.top);
        let (behind, number) = self.choice();
        let top = self.push(here.top, &[here.at], number);
        self.tree(body, Here { top, ..here }, &follow, Groups::Restored)?;
        let top = self.e.load_word(self.memory, word);
        self.fail(Here { top, ..here });
        Ok(self.meet(behind, Fail::Stack))
    }

    /// Before a tree whose entries of the stack are dropped: its groups get their values back by entries below.
    fn enclose(&mut self, body: &Ast, here: Here) -> Step {
        let mut groups = Vec::new();
        collect_groups(body, &mut groups);
        let slots = groups.iter().flat_map(|group| [2 * group, 2 * group + 1]);
        let here = self.settle(here)?;
        slots.into_iter().try_fold(here, |here, slot| self.restore_word(here, slot))
    }
}

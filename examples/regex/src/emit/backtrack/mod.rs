//! A tree as code that tries, and goes back.
//!
//! The code for a tree begins at a place and goes on behind the tree. Where it fails it goes to what was remembered last:
//! either a block that is known while the code is emitted ([`Fail::To`]), with all it needs in registers, or an entry of the
//! stack of places ([`Fail::Stack`]). An entry is a word of data or more, and the number of the block that goes on with it on
//! top; one block takes the topmost number and jumps (the backtracking code of WREC and of PCRE's compiler,
//! with the decision between jump and stack taken when the tree is looked at, see [`first`]).
//!
//! | file | what it emits |
//! |---|---|
//! | `mod` | the search for a start, the stack, groups |
//! | `first` | nothing: what may come next |
//! | `trees` | sequences, alternations, look-ahead, repetitions of trees |
//! | `loops` | repetitions of one character |
//! | `chars` | characters, strings, assertions, references |
//!
//! Every place that is gone back to and every character that a loop takes is a step; steps are limited, and so is the stack.

mod chars;
mod first;
mod loops;
mod trees;

use super::Outcome;
use super::emitter::{Emitter, JoinId};
use super::scan::Exits;
use super::text::TextFunctions;
use super::unit::{Machine, Scan, Unit};
use crate::bytes::ByteSet;
use crate::error::Error;
use crate::prefix::{arms, first_bytes};
use crate::program::Program;
use crate::syntax::{Ast, Parsed};
use first::First;
use ice_ir::{BinaryOp, FuncId, Function, IntCond, Value};
use std::collections::BTreeSet;

/// The words of memory that the code uses, in this order: the slots; the steps that are left; the bounds of the stack; what
/// trees need for themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    /// Number of slots.
    pub(crate) slots: u32,
    /// Number of words.
    pub(crate) words: u32,
}

impl Frame {
    /// The word with the steps that are left.
    pub(crate) const fn steps(self) -> u32 {
        self.slots
    }

    /// The words with the addresses where the stack begins and ends.
    pub(crate) const fn bounds(self) -> [u32; 2] {
        [self.slots + 1, self.slots + 2]
    }
}

/// Where code goes when it fails.
#[derive(Clone, Copy, Debug)]
enum Fail {
    /// To the topmost entry of the stack.
    Stack,
    /// To a join that takes this value and the height of the stack; if it has a number, it may be put on the stack.
    To { join: JoinId, value: Value, number: Option<u32> },
}

/// Where code is.
#[derive(Clone, Copy, Debug)]
struct Here {
    at: Value,
    /// The height of the stack: the address of the next entry.
    top: Value,
    fail: Fail,
}

/// Whether what a group held must come back when code goes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Groups {
    /// Every way to a match sets it again.
    Final,
    /// Others do not.
    Restored,
}

/// What goes on with an entry of the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Resume {
    /// A join that takes the word of data, which is taken off.
    Choice(JoinId),
    /// The word goes back to its place in memory, and what is below goes on.
    Restore(u32),
    /// A join that takes the height of the stack and deals with the entry.
    Loop(JoinId),
}

/// The code of a tree, and the memory that it needs.
pub(crate) fn emit(
    parsed: &Parsed,
    program: &Program,
    machine: Machine,
) -> Result<(ice_ir::Program, Frame), Error> {
    let mut unit = Unit::new(machine);
    let mut body = Function::new();
    let mut e = Emitter::new(&mut unit, &mut body, FuncId::from_u32(0));
    let [text, length, at, memory] = e.params();
    let at = e.binary(BinaryOp::Add, text, at);
    let end = e.binary(BinaryOp::Add, text, length);
    let backtrack = e.join(&[machine.pointer]);
    let (out_of_steps, out_of_stack) = (e.b.create_block(), e.b.create_block());
    let frame = Frame { slots: program.slots, words: program.slots + 3 };
    let emission = Emission {
        limit: e.load_word(memory, frame.bounds()[1]),
        program,
        text,
        end,
        memory,
        functions: TextFunctions::default(),
        backtrack,
        out_of_steps,
        out_of_stack,
        resumes: Vec::new(),
        frame,
        early: early_groups(&parsed.ast),
        e,
    };
    let frame = emission.function(&parsed.ast, at)?;
    let bodies = std::mem::take(&mut unit.bodies);
    unit.bodies = [body].into_iter().chain(bodies).collect();
    Ok((unit.finish(), frame))
}

/// The groups that are referred to before they end.
fn early_groups(ast: &Ast) -> BTreeSet<u32> {
    fn walk(ast: &Ast, ended: &mut BTreeSet<u32>, early: &mut BTreeSet<u32>) {
        match ast {
            Ast::Back { group } if !ended.contains(group) => {
                early.insert(*group);
            }
            Ast::Capture { group, body } => {
                walk(body, ended, early);
                ended.insert(*group);
            }
            Ast::Concat(items) | Ast::Alternate(items) => {
                items.iter().for_each(|item| walk(item, ended, early));
            }
            Ast::Repeat { body, .. } | Ast::Ahead { body, .. } | Ast::Atomic(body) => {
                walk(body, ended, early)
            }
            Ast::Empty | Ast::Char(_) | Ast::Assert(_) | Ast::Back { .. } => {}
        }
    }
    let (mut ended, mut early) = (BTreeSet::new(), BTreeSet::new());
    walk(ast, &mut ended, &mut early);
    early
}

struct Emission<'a> {
    e: Emitter<'a>,
    program: &'a Program,
    text: Value,
    end: Value,
    memory: Value,
    /// Where the stack ends.
    limit: Value,
    functions: TextFunctions,
    /// Goes on with the topmost entry; takes the height of the stack.
    backtrack: JoinId,
    out_of_steps: ice_ir::Block,
    out_of_stack: ice_ir::Block,
    /// By number.
    resumes: Vec<Resume>,
    frame: Frame,
    early: BTreeSet<u32>,
}

type Step = Result<Here, Error>;

impl Emission<'_> {
    fn function(mut self, ast: &Ast, at: Value) -> Result<Frame, Error> {
        let pointer = self.e.pointer();
        let none = self.e.word(-1);
        for slot in 0..self.program.slots {
            self.e.store_word(self.memory, slot, none);
        }
        let bottom = self.e.load_word(self.memory, self.frame.bounds()[0]);
        let search = self.e.join(&[pointer]);
        let begin = self.e.join(&[pointer]);
        self.e.jump(search, &[at]);
        let at = self.e.enter(search)[0];
        self.candidates(at, begin);
        let at = self.e.enter(begin)[0];
        // Where an attempt fails the next one begins, a character further.
        let (next, number) = self.choice();
        let fail = Fail::To { join: next, value: at, number: Some(number) };
        let follow = First::end(self.program);
        self.tree(ast, Here { at, top: bottom, fail }, &follow, Groups::Final)?;
        self.outcome(Outcome::Match);
        let start = self.e.enter(next)[0];
        self.next_start(start, search);
        self.dispatch();
        for (block, outcome) in
            [(self.out_of_steps, Outcome::OutOfSteps), (self.out_of_stack, Outcome::OutOfStack)]
        {
            self.e.b.switch_to_block(block);
            self.outcome(outcome);
        }
        self.e.finish();
        Ok(self.frame)
    }

    fn outcome(&mut self, outcome: Outcome) {
        let outcome = self.e.int(outcome as i64);
        self.e.b.ret(Some(outcome));
    }

    /// Looks for a place where a match may begin.
    fn candidates(&mut self, at: Value, begin: JoinId) {
        let arms = (self.e.unit.machine.scan == Scan::Vectors).then(|| arms(self.program)).flatten();
        if let Some(arms) = arms.filter(|_| !self.program.is_anchored) {
            let pointer = self.e.pointer();
            let candidate = self.e.join(&[pointer]);
            self.e.scan(&arms, at, self.end, Exits { found: candidate, tail: candidate });
            let place = self.e.enter(candidate)[0];
            let place = self.e.character_start(place, at, self.end);
            return self.e.jump(begin, &[place]);
        }
        let Some(set) = first_bytes(self.program).filter(|_| !self.program.is_anchored) else {
            return self.e.jump(begin, &[at]);
        };
        let pointer = self.e.pointer();
        let round = self.e.join(&[pointer]);
        self.e.jump(round, &[at]);
        let at = self.e.enter(round)[0];
        let is_more = self.e.compare(IntCond::Ne, at, self.end);
        let nothing = self.e.require(is_more);
        let byte = self.e.byte_at(at, 0);
        let is_in = self.e.is_in(byte, &set, &ByteSet::ALL);
        let other = self.e.require(is_in);
        self.e.jump(begin, &[at]);
        self.e.b.switch_to_block(other);
        let next = self.e.plus(at, 1);
        self.e.jump(round, &[next]);
        self.e.b.switch_to_block(nothing);
        self.outcome(Outcome::None);
    }

    /// Goes on with the search behind the character at a place.
    fn next_start(&mut self, at: Value, search: JoinId) {
        if self.program.is_anchored {
            return self.outcome(Outcome::None);
        }
        let pointer = self.e.pointer();
        let is_more = self.e.compare(IntCond::Ne, at, self.end);
        let nothing = self.e.require(is_more);
        let byte = self.e.join(&[pointer]);
        let next = self.e.plus(at, 1);
        self.e.jump(byte, &[next]);
        let at = self.e.enter(byte)[0];
        let is_inside = self.e.compare(IntCond::Ne, at, self.end);
        let last = self.e.require(is_inside);
        let lead = self.e.byte_at(at, 0);
        let kind = self.e.binary_const(BinaryOp::And, lead, 0xc0);
        let is_inner = self.e.compare_const(IntCond::Eq, kind, 0x80);
        let outer = self.e.require(is_inner);
        let next = self.e.plus(at, 1);
        self.e.jump(byte, &[next]);
        for block in [outer, last] {
            self.e.b.switch_to_block(block);
            self.e.jump(search, &[at]);
        }
        self.e.b.switch_to_block(nothing);
        self.outcome(Outcome::None);
    }

    // ---- the stack

    /// A join that takes a value and the height of the stack, with a number for entries.
    fn choice(&mut self) -> (JoinId, u32) {
        let pointer = self.e.pointer();
        let join = self.e.join(&[pointer; 2]);
        (join, self.number(Resume::Choice(join)))
    }

    fn number(&mut self, resume: Resume) -> u32 {
        self.resumes.push(resume);
        self.resumes.len() as u32 - 1
    }

    /// Puts an entry on the stack; gives its height.
    fn push(&mut self, top: Value, values: &[Value], number: u32) -> Value {
        let bytes = i64::from(self.e.pointer().bytes());
        let above = self.e.plus(top, (values.len() as i64 + 1) * bytes);
        let fits = self.e.compare(IntCond::Ule, above, self.limit);
        let ok = self.e.b.create_block();
        self.e.b.cond_br(fits, ok, self.out_of_stack);
        self.e.b.switch_to_block(ok);
        for (n, &value) in values.iter().enumerate() {
            self.e.store_word(top, n as u32, value);
        }
        let number = self.e.word(number.into());
        self.e.store_word(top, values.len() as u32, number);
        above
    }

    /// Puts the block that code goes to when it fails on the stack, if it is not there.
    fn settle(&mut self, here: Here) -> Step {
        match here.fail {
            Fail::Stack => Ok(here),
            Fail::To { value, number: Some(number), .. } => {
                let top = self.push(here.top, &[value], number);
                Ok(Here { top, fail: Fail::Stack, ..here })
            }
            Fail::To { number: None, .. } => Err(Error::Internal("a quiet tree remembers a place")),
        }
    }

    /// Ends the block: it has failed.
    fn fail(&mut self, here: Here) {
        match here.fail {
            Fail::Stack => self.e.jump(self.backtrack, &[here.top]),
            Fail::To { join, value, .. } => self.e.jump(join, &[value, here.top]),
        }
    }

    /// Fails unless a condition holds.
    fn require(&mut self, condition: Value, here: Here) {
        let (yes, no) = self.e.branch(condition);
        self.e.b.switch_to_block(no);
        self.fail(here);
        self.e.b.switch_to_block(yes);
    }

    /// Takes steps from those that are left.
    fn spend(&mut self, steps: Value) {
        let left = self.e.load_word(self.memory, self.frame.steps());
        let left = self.e.binary(BinaryOp::Sub, left, steps);
        self.e.store_word(self.memory, self.frame.steps(), left);
        let is_left = self.e.compare_const(IntCond::Sge, left, 0);
        let ok = self.e.b.create_block();
        self.e.b.cond_br(is_left, ok, self.out_of_steps);
        self.e.b.switch_to_block(ok);
    }

    /// The block that goes on with the topmost entry.
    fn dispatch(&mut self) {
        let bytes = i64::from(self.e.pointer().bytes());
        let top = self.e.enter(self.backtrack)[0];
        let one = self.e.word(1);
        self.spend(one);
        let under = self.e.plus(top, -bytes);
        let number = self.e.load_word(under, 0);
        let wrong = self.e.b.create_block();
        let table = self.e.b.switch(number, wrong);
        for (number, resume) in std::mem::take(&mut self.resumes).into_iter().enumerate() {
            let block = self.e.b.create_block();
            self.e.b.func.switch_mut(table).cases.push((number as i64, block));
            self.e.b.switch_to_block(block);
            if let Resume::Loop(join) = resume {
                self.e.jump(join, &[top]);
                continue;
            }
            let below = self.e.plus(top, -2 * bytes);
            let value = self.e.load_word(below, 0);
            match resume {
                Resume::Restore(word) => {
                    self.e.store_word(self.memory, word, value);
                    self.e.jump(self.backtrack, &[below]);
                }
                Resume::Choice(join) | Resume::Loop(join) => self.e.jump(join, &[value, below]),
            }
        }
        self.e.b.switch_to_block(wrong);
        self.e.b.unreachable();
    }

    // ---- words of memory

    /// A word that a tree has for itself.
    fn take_word(&mut self) -> u32 {
        self.frame.words += 1;
        self.frame.words - 1
    }

    /// Sets a word of memory that gets its value back when code goes back.
    fn replace_word(&mut self, here: Here, word: u32, value: Value) -> Step {
        let here = self.restore_word(here, word)?;
        self.e.store_word(self.memory, word, value);
        Ok(here)
    }

    /// Makes a word of memory get its value back when code goes back.
    fn restore_word(&mut self, here: Here, word: u32) -> Step {
        let here = self.settle(here)?;
        let resume = Resume::Restore(word);
        let known = self.resumes.iter().position(|&known| known == resume);
        let number = known.map_or_else(|| self.number(resume), |known| known as u32);
        let old = self.e.load_word(self.memory, word);
        let top = self.push(here.top, &[old], number);
        Ok(Here { top, ..here })
    }

    /// Sets a slot of a group.
    fn set_slot(&mut self, here: Here, slot: u32, groups: Groups) -> Step {
        let offset = self.e.binary(BinaryOp::Sub, here.at, self.text);
        let is_final = groups == Groups::Final && !self.early.contains(&(slot / 2));
        if is_final {
            self.e.store_word(self.memory, slot, offset);
            return Ok(here);
        }
        self.replace_word(here, slot, offset)
    }
}

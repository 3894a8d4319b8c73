//! Repetitions of one character.
//!
//! A greedy one takes as many characters as it can. If a shorter way may lead to a match, it puts one entry with both of
//! its ends on the stack, whatever its length; going back takes a character off the end (WREC's loops). A lazy one has an
//! entry with its end and the number of characters that it may still take. Both go on only at places where what follows may
//! begin, if that is known.

use super::first::{First, is_decided};
use super::{Emission, Fail, Here, Resume, Step};
use crate::bytes::ByteSet;
use crate::emit::emitter::JoinId;
use crate::emit::scan::Exits;
use crate::emit::unit::Scan;
use crate::prefix::Probe;
use crate::syntax::{CharSet, Greed};
use ice_ir::{BinaryOp, IntCond, Type, Value};

/// More copies of a character are counted.
const MAX_COPIES: u32 = 4;
/// Vectors look for the end of a run where a thousand bytes have at most so many that end it.
const MAX_AWAITED: u32 = 12;

impl Emission<'_> {
    /// A repetition of a character of a set.
    pub(super) fn run(
        &mut self,
        set: &CharSet,
        (min, max): (u32, Option<u32>),
        greed: Greed,
        here: Here,
        follow: &First,
    ) -> Step {
        let here = self.first_characters(set, min, here)?;
        let more = max.map(|max| max - min);
        if more == Some(0) {
            return Ok(here);
        }
        if is_decided(self.program, set, greed, follow) {
            let at = self.longest(set, more, here);
            return Ok(Here { at, ..here });
        }
        let here = self.settle(here)?;
        if greed == Greed::Lazy {
            return self.shortest(set, more, here, follow);
        }
        let at = self.longest(set, more, here);
        self.greedy(set, Here { at, ..here }, here.at, follow)
    }

    /// The characters that there must be.
    fn first_characters(&mut self, set: &CharSet, count: u32, here: Here) -> Step {
        if count <= MAX_COPIES {
            return (0..count).try_fold(here, |here, _| self.character(set, here));
        }
        let pointer = self.e.pointer();
        let round = self.e.join(&[pointer; 2]);
        let left = self.e.word(count.into());
        self.e.jump(round, &[here.at, left]);
        let [at, left] = self.e.enter(round)[..] else { unreachable!("there are two parameters") };
        let behind = self.character(set, Here { at, ..here })?;
        let left = self.e.plus(left, -1);
        let is_more = self.e.compare_const(IntCond::Ne, left, 0);
        let done = self.e.require(is_more);
        self.e.jump(round, &[behind.at, left]);
        self.e.b.switch_to_block(done);
        Ok(behind)
    }

    /// As many characters as there are, and at most `more`; gives where they end.
    fn longest(&mut self, set: &CharSet, more: Option<u32>, here: Here) -> Value {
        let pointer = self.e.pointer();
        let (round, done) = (self.e.join(&[pointer; 2]), self.e.join(&[pointer; 2]));
        let left = self.e.word(more.unwrap_or(0).into());
        match self.awaited(set).filter(|_| more.is_none()) {
            Some(probe) => {
                let tail = self.e.join(&[pointer]);
                self.e.scan(&[vec![probe]], here.at, self.end, Exits { found: tail, tail });
                let at = self.e.enter(tail)[0];
                let at = self.e.character_start(at, here.at, self.end);
                self.e.jump(round, &[at, left]);
            }
            None => self.e.jump(round, &[here.at, left]),
        }
        let [at, left] = self.e.enter(round)[..] else { unreachable!("there are two parameters") };
        if more.is_some() {
            let is_more = self.e.compare_const(IntCond::Ne, left, 0);
            let full = self.e.require(is_more);
            let open = self.e.b.current_block().expect("it was opened");
            self.e.b.switch_to_block(full);
            self.e.jump(done, &[at, here.top]);
            self.e.b.switch_to_block(open);
        }
        let fail = Fail::To { join: done, value: at, number: None };
        let behind = self.step(set, Here { at, fail, ..here });
        let left = if more.is_some() { self.e.plus(left, -1) } else { left };
        self.e.jump(round, &[behind, left]);
        let at = self.e.enter(done)[0];
        let taken = self.e.binary(BinaryOp::Sub, at, here.at);
        self.spend(taken);
        at
    }

    /// The bytes that end a run, if vectors are to look for them.
    fn awaited(&self, set: &CharSet) -> Option<Probe> {
        if self.e.unit.machine.scan != Scan::Vectors || !self.has_all_beyond(set) {
            return None;
        }
        let awaited = ByteSet::range(0, 0x7f).without(&self.ascii_of(set));
        let tests = awaited.tests(&ByteSet::ALL, 3).filter(|tests| !tests.is_empty())?;
        (awaited.frequency() <= MAX_AWAITED).then_some(Probe { offset: 0, tests })
    }

    /// Behind the longest run from `start`: remembers the shorter ones.
    fn greedy(&mut self, set: &CharSet, here: Here, start: Value, follow: &First) -> Step {
        let pointer = self.e.pointer();
        let bytes = i64::from(pointer.bytes());
        let (resume, behind) = (self.e.join(&[pointer]), self.e.join(&[pointer; 2]));
        let number = self.number(Resume::Loop(resume));
        let is_longer = self.e.compare(IntCond::Ne, here.at, start);
        let same = self.e.require(is_longer);
        let top = self.push(here.top, &[start, here.at], number);
        self.e.jump(behind, &[here.at, top]);
        self.e.b.switch_to_block(same);
        self.e.jump(behind, &[here.at, here.top]);
        // One character less, and further back to where something may follow.
        let top = self.e.enter(resume)[0];
        let below = self.e.plus(top, -3 * bytes);
        let start = self.e.load_word(below, 0);
        let at = self.e.load_word(below, 1);
        let shorter = self.e.join(&[pointer]);
        self.e.jump(shorter, &[at]);
        let at = self.e.enter(shorter)[0];
        let at = self.step_back(set, at);
        let is_longer = self.e.compare(IntCond::Ne, at, start);
        let shortest = self.e.require(is_longer);
        if let Some(may_follow) = self.may_begin(follow, at) {
            let next = self.e.require(may_follow);
            let open = self.e.b.current_block().expect("it was opened");
            self.e.b.switch_to_block(next);
            self.e.jump(shorter, &[at]);
            self.e.b.switch_to_block(open);
        }
        self.e.store_word(below, 1, at);
        self.e.jump(behind, &[at, top]);
        self.e.b.switch_to_block(shortest);
        self.e.jump(behind, &[at, below]);
        Ok(self.behind(behind))
    }

    fn behind(&mut self, join: JoinId) -> Here {
        let [at, top] = self.e.enter(join)[..] else { unreachable!("there are two parameters") };
        Here { at, top, fail: Fail::Stack }
    }

    /// As few characters as possible: goes on at once and remembers that there may be more.
    fn shortest(&mut self, set: &CharSet, more: Option<u32>, here: Here, follow: &First) -> Step {
        let pointer = self.e.pointer();
        let bytes = i64::from(pointer.bytes());
        let (resume, behind) = (self.e.join(&[pointer]), self.e.join(&[pointer; 2]));
        let number = self.number(Resume::Loop(resume));
        let left = self.e.word(more.unwrap_or(0).into());
        let top = self.push(here.top, &[here.at, left], number);
        self.e.jump(behind, &[here.at, top]);
        let top = self.e.enter(resume)[0];
        let below = self.e.plus(top, -3 * bytes);
        let at = self.e.load_word(below, 0);
        let left = self.e.load_word(below, 1);
        let longer = self.e.join(&[pointer; 2]);
        self.e.jump(longer, &[at, left]);
        let [at, left] = self.e.enter(longer)[..] else { unreachable!("there are two parameters") };
        let below_here = Here { at, top: below, fail: Fail::Stack };
        let mut left = left;
        if more.is_some() {
            let is_more = self.e.compare_const(IntCond::Ne, left, 0);
            self.require(is_more, below_here);
            left = self.e.plus(left, -1);
        }
        let at = self.step(set, below_here);
        if let Some(may_follow) = self.may_begin(follow, at) {
            let next = self.e.require(may_follow);
            let open = self.e.b.current_block().expect("it was opened");
            self.e.b.switch_to_block(next);
            let one = self.e.word(1);
            self.spend(one);
            self.e.jump(longer, &[at, left]);
            self.e.b.switch_to_block(open);
        }
        self.e.store_word(below, 0, at);
        self.e.store_word(below, 1, left);
        self.e.jump(behind, &[at, top]);
        Ok(self.behind(behind))
    }

    /// The place one character before, which is of a set.
    fn step_back(&mut self, set: &CharSet, at: Value) -> Value {
        if !self.has_some_beyond(set) {
            return self.e.plus(at, -1);
        }
        let pointer = self.e.pointer();
        let byte = self.e.join(&[pointer]);
        self.e.jump(byte, &[at]);
        let at = self.e.enter(byte)[0];
        let at = self.e.plus(at, -1);
        let lead = self.e.byte_at(at, 0);
        let kind = self.e.binary_const(BinaryOp::And, lead, 0xc0);
        let is_inner = self.e.compare_const(IntCond::Eq, kind, 0x80);
        let outer = self.e.require(is_inner);
        self.e.jump(byte, &[at]);
        self.e.b.switch_to_block(outer);
        at
    }

    /// Whether what follows may begin at a place, where that is told by a byte.
    fn may_begin(&mut self, follow: &First, at: Value) -> Option<Value> {
        let bytes = self.first_bytes(follow)?;
        let pointer = self.e.pointer();
        debug_assert_eq!(self.e.b.func.value_type(at), pointer);
        // At the end of the text nothing can begin: the byte before is looked at instead, and tells nothing.
        let is_end = self.e.compare(IntCond::Eq, at, self.end);
        let inside = self.e.plus(at, -1);
        let place = self.e.b.select(is_end, inside, at);
        let byte = self.e.byte_at(place, 0);
        let may = self.e.is_in(byte, &bytes, &ByteSet::ALL);
        let never = self.e.b.int_const(Type::I1, 0);
        Some(self.e.b.select(is_end, never, may))
    }
}

//! Characters, strings of them, assertions, references to groups.

use super::first::First;
use super::{Emission, Here, Step};
use crate::alphabet::{Class, Side};
use crate::bytes::ByteSet;
use crate::emit::emitter::JoinId;
use crate::syntax::{Assertion, Ast, CharSet, Words};
use ice_ir::{BinaryOp, IntCond, Type, Value};

/// The classes of characters stand above the length in what the function for them gives.
const CLASS_SHIFT: i64 = 3;

impl Emission<'_> {
    // ---- what is known of sets

    fn contains(&self, set: &CharSet, class: Class) -> bool {
        self.program.alphabet.contains(self.program.sets[set], class)
    }

    /// The characters of a set that have one byte.
    pub(super) fn ascii_of(&self, set: &CharSet) -> ByteSet {
        let ascii = self.program.alphabet.ascii();
        (0..128u8).filter(|&byte| self.contains(set, ascii[usize::from(byte)])).collect()
    }

    /// Whether a set has all characters of more than one byte.
    pub(super) fn has_all_beyond(&self, set: &CharSet) -> bool {
        self.program.alphabet.beyond_ascii().into_iter().all(|class| self.contains(set, class))
    }

    /// Whether a set has characters of more than one byte.
    pub(super) fn has_some_beyond(&self, set: &CharSet) -> bool {
        set.ranges().last().is_some_and(|(_, last)| !last.is_ascii())
    }

    /// The bytes that something begins with, if they are known and there are others.
    pub(super) fn first_bytes(&self, first: &First) -> Option<ByteSet> {
        let classes = first.classes.as_ref().filter(|_| !first.accepts)?;
        let alphabet = &self.program.alphabet;
        let is_in = |class: Class| classes[usize::from(class.0)];
        let ascii = alphabet.ascii();
        let mut bytes: ByteSet = (0..128u8).filter(|&byte| is_in(ascii[usize::from(byte)])).collect();
        if alphabet.beyond_ascii().into_iter().any(is_in) {
            bytes = bytes.union(&ByteSet::range(0xc2, 0xf4));
        }
        Some(bytes)
    }

    // ---- characters

    /// A character of a set.
    pub(super) fn character(&mut self, set: &CharSet, here: Here) -> Step {
        let at = self.step(set, here);
        Ok(Here { at, ..here })
    }

    /// Takes a character of a set; gives the place behind it.
    pub(super) fn step(&mut self, set: &CharSet, here: Here) -> Value {
        let is_more = self.e.compare(IntCond::Ne, here.at, self.end);
        self.require(is_more, here);
        let byte = self.e.byte_at(here.at, 0);
        let ascii = self.ascii_of(set);
        if !self.has_some_beyond(set) {
            let is_in = self.e.is_in(byte, &ascii, &ByteSet::ALL);
            self.require(is_in, here);
            return self.e.plus(here.at, 1);
        }
        let pointer = self.e.pointer();
        let done = self.e.join(&[pointer]);
        let is_narrow = self.e.compare_const(IntCond::Ult, byte, 0x80);
        let wide = self.e.require(is_narrow);
        let is_in = self.e.is_in(byte, &ascii, &ByteSet::range(0, 0x7f));
        self.require(is_in, here);
        let next = self.e.plus(here.at, 1);
        self.e.jump(done, &[next]);
        self.e.b.switch_to_block(wide);
        self.wide_step(set, here, done);
        self.e.enter(done)[0]
    }

    /// Takes a character of more than one byte.
    fn wide_step(&mut self, set: &CharSet, here: Here, done: JoinId) {
        let pointer = self.e.pointer();
        let decode = self.functions.decode(self.e.unit, &self.program.alphabet);
        let decoded = self.e.call(decode, &[here.at], Type::I32);
        if !self.has_all_beyond(set) {
            let class = self.e.binary_const(BinaryOp::Lshr, decoded, CLASS_SHIFT);
            let alphabet = &self.program.alphabet;
            let members: Vec<u8> =
                alphabet.classes().map(|class| u8::from(self.contains(set, class))).collect();
            let table = self.e.unit.constant(&members, 0);
            let member = self.e.load_at(Type::I8, table, class);
            let is_in = self.e.compare_const(IntCond::Ne, member, 0);
            self.require(is_in, here);
        }
        let len = self.e.binary_const(BinaryOp::And, decoded, (1 << CLASS_SHIFT) - 1);
        let len = self.e.resize(len, pointer);
        let next = self.e.binary(BinaryOp::Add, here.at, len);
        self.e.jump(done, &[next]);
    }

    /// The characters that items begin with, as long as there is only one each.
    pub(super) fn literal(&self, items: &[Ast]) -> String {
        let characters = items.iter().map_while(|item| match item {
            Ast::Char(set) => set.single(),
            _ => None,
        });
        characters.collect()
    }

    /// A string, compared by words.
    pub(super) fn string(&mut self, text: &str, here: Here) -> Here {
        let left = self.e.binary(BinaryOp::Sub, self.end, here.at);
        let is_enough = self.e.compare_const(IntCond::Uge, left, text.len() as i64);
        self.require(is_enough, here);
        let mut rest = text.as_bytes();
        let mut offset = 0;
        while !rest.is_empty() {
            let widths = [(8, Type::I64), (4, Type::I32), (2, Type::I16), (1, Type::I8)];
            let most = self.e.pointer().bytes() as usize;
            let (width, ty) = widths
                .into_iter()
                .find(|&(width, _)| width <= rest.len().min(most))
                .expect("one byte is left");
            let (bytes, others) = rest.split_at(width);
            let number = bytes.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
            let address = self.e.plus(here.at, offset);
            let value = self.e.b.load(ty, address, 0);
            let is_equal = self.e.compare_const(IntCond::Eq, value, number as i64);
            self.require(is_equal, here);
            offset += width as i64;
            rest = others;
        }
        let at = self.e.plus(here.at, offset);
        Here { at, ..here }
    }

    /// Fails where something cannot begin, if a byte tells.
    pub(super) fn look(&mut self, first: &First, here: Here) {
        let Some(bytes) = self.first_bytes(first) else { return };
        let is_more = self.e.compare(IntCond::Ne, here.at, self.end);
        self.require(is_more, here);
        let byte = self.e.byte_at(here.at, 0);
        let may = self.e.is_in(byte, &bytes, &ByteSet::ALL);
        self.require(may, here);
    }

    // ---- assertions

    /// A condition on a place.
    pub(super) fn assertion(&mut self, assertion: Assertion, here: Here) -> Step {
        let at = here.at;
        let condition = match assertion {
            Assertion::TextStart => self.e.compare(IntCond::Eq, at, self.text),
            Assertion::TextEnd => self.e.compare(IntCond::Eq, at, self.end),
            Assertion::LineStart => self.is_at_or_beside(at, self.text, -1),
            Assertion::LineEnd => self.is_at_or_beside(at, self.end, 0),
            Assertion::Word(words) | Assertion::NotWord(words) => {
                let before = self.is_word(words, at, -1);
                let after = self.is_word(words, at, 0);
                let is_boundary = matches!(assertion, Assertion::Word(_));
                let cond = if is_boundary { IntCond::Ne } else { IntCond::Eq };
                self.e.compare(cond, before, after)
            }
        };
        self.require(condition, here);
        Ok(here)
    }

    /// Whether a place is an end of the text, or the byte there, or before it, is a line feed.
    fn is_at_or_beside(&mut self, at: Value, end: Value, offset: i64) -> Value {
        let done = self.e.join(&[Type::I1]);
        let is_end = self.e.compare(IntCond::Eq, at, end);
        let inside = self.e.require(is_end);
        let yes = self.e.b.int_const(Type::I1, 1);
        self.e.jump(done, &[yes]);
        self.e.b.switch_to_block(inside);
        let byte = self.e.byte_at(at, offset);
        let is_feed = self.e.compare_const(IntCond::Eq, byte, i64::from(b'\n'));
        self.e.jump(done, &[is_feed]);
        self.e.enter(done)[0]
    }

    /// 1 if a character of a word begins at a place, or ends there (`offset` -1), else 0.
    fn is_word(&mut self, words: Words, at: Value, offset: i64) -> Value {
        let done = self.e.join(&[Type::I32]);
        let (no, yes) = (self.e.int(0), self.e.int(1));
        let end = if offset < 0 { self.text } else { self.end };
        let is_inside = self.e.compare(IntCond::Ne, at, end);
        let outside = self.e.require(is_inside);
        let byte = self.e.byte_at(at, offset);
        let is_narrow = self.e.compare_const(IntCond::Ult, byte, 0x80);
        let wide = self.e.require(is_narrow);
        let letters: ByteSet = (0..128u8).filter(|b| b.is_ascii_alphanumeric() || *b == b'_').collect();
        let is_word = self.e.is_in(byte, &letters, &ByteSet::range(0, 0x7f));
        let is_word = self.e.b.select(is_word, yes, no);
        self.e.jump(done, &[is_word]);
        self.e.b.switch_to_block(wide);
        let is_word = match words {
            Words::Ascii => no,
            Words::Unicode => self.is_wide_word(at, offset),
        };
        self.e.jump(done, &[is_word]);
        self.e.b.switch_to_block(outside);
        self.e.jump(done, &[no]);
        self.e.enter(done)[0]
    }

    /// As [`is_word`](Self::is_word), for a character of more than one byte.
    fn is_wide_word(&mut self, at: Value, offset: i64) -> Value {
        let alphabet = &self.program.alphabet;
        let class = if offset < 0 {
            let class_before = self.functions.class_before(self.e.unit, alphabet);
            self.e.call(class_before, &[at], Type::I32)
        } else {
            let decode = self.functions.decode(self.e.unit, alphabet);
            let decoded = self.e.call(decode, &[at], Type::I32);
            self.e.binary_const(BinaryOp::Lshr, decoded, CLASS_SHIFT)
        };
        let words: Vec<u8> = alphabet
            .classes()
            .map(|class| {
                let side = Side::Char(alphabet.traits(class));
                u8::from(Assertion::Word(Words::Unicode).holds(Side::End, side))
            })
            .collect();
        let table = self.e.unit.constant(&words, 0);
        self.e.load_at(Type::I8, table, class)
    }

    // ---- references

    /// What a group has matched.
    pub(super) fn reference(&mut self, group: u32, here: Here) -> Step {
        let pointer = self.e.pointer();
        let start = self.e.load_word(self.memory, 2 * group);
        let stop = self.e.load_word(self.memory, 2 * group + 1);
        let is_set = self.e.compare_const(IntCond::Sge, start, 0);
        self.require(is_set, here);
        // A group that is not at its end has the end of an earlier iteration, or none.
        let is_whole = self.e.compare(IntCond::Sle, start, stop);
        self.require(is_whole, here);
        let len = self.e.binary(BinaryOp::Sub, stop, start);
        let left = self.e.binary(BinaryOp::Sub, self.end, here.at);
        let is_enough = self.e.compare(IntCond::Ule, len, left);
        self.require(is_enough, here);
        self.spend(len);
        let from = self.e.binary(BinaryOp::Add, self.text, start);
        let behind = self.e.binary(BinaryOp::Add, here.at, len);
        let round = self.e.join(&[pointer; 2]);
        self.e.jump(round, &[from, here.at]);
        let [from, at] = self.e.enter(round)[..] else { unreachable!("there are two parameters") };
        let is_more = self.e.compare(IntCond::Ne, at, behind);
        let done = self.e.require(is_more);
        let (a, b) = (self.e.byte_at(from, 0), self.e.byte_at(at, 0));
        let is_equal = self.e.compare(IntCond::Eq, a, b);
        self.require(is_equal, Here { at, ..here });
        let (from, at) = (self.e.plus(from, 1), self.e.plus(at, 1));
        self.e.jump(round, &[from, at]);
        self.e.b.switch_to_block(done);
        Ok(Here { at: behind, ..here })
    }
}

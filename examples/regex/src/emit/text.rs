//! Characters of more than one byte.
//!
//! The text is valid UTF-8, so that the first byte of a character says how many follow and no bound is tested in between.
//! The class of a character comes from two tables: a page for each 256 characters, and the classes of each distinct page.

use super::emitter::Emitter;
use super::unit::Unit;
use crate::alphabet::Alphabet;
use ice_ir::{BinaryOp, FuncId, Function, FunctionKind, IntCond, Signature, Symbol, Type, Value};
use std::collections::HashMap;

/// The functions that a module has of these; each is made when it is first asked for.
#[derive(Default)]
pub(crate) struct TextFunctions {
    decode: Option<FuncId>,
    back: Option<FuncId>,
    class_before: Option<FuncId>,
    ascii: Option<Symbol>,
}

impl TextFunctions {
    /// `(address) -> i32`: the class of the character there, which has more than one byte, times 8, and its length.
    pub(crate) fn decode(&mut self, unit: &mut Unit, alphabet: &Alphabet) -> FuncId {
        if let Some(id) = self.decode {
            return id;
        }
        let signature = Signature::new(vec![unit.machine.pointer], Type::I32);
        let id = unit.declare("decode", signature, FunctionKind::Defined);
        let (pages, entries) = pages(alphabet);
        let (pages, entries) = (unit.constant_words(&pages), unit.constant_words(&entries));
        let mut body = Function::new();
        let mut e = Emitter::new(unit, &mut body, id);
        let [at] = e.params();
        let done = e.join(&[Type::I32, Type::I32]);
        let lead = narrow_byte(&mut e, at, 0);
        let low = e.binary_const(BinaryOp::And, lead, 0x1f);
        let two = continued(&mut e, at, 1, low);
        let is_longer = e.compare_const(IntCond::Uge, lead, 0xe0);
        let short = e.require(is_longer);
        // The mask of two bytes leaves the bit that says four.
        let three = continued(&mut e, at, 2, two);
        let is_longest = e.compare_const(IntCond::Uge, lead, 0xf0);
        let medium = e.require(is_longest);
        let four = continued(&mut e, at, 3, three);
        for (block, bits, number, len) in
            [(None, 21, four, 4), (Some(medium), 16, three, 3), (Some(short), 11, two, 2)]
        {
            if let Some(block) = block {
                e.b.switch_to_block(block);
            }
            let number = e.binary_const(BinaryOp::And, number, (1 << bits) - 1);
            let len = e.int(len);
            e.jump(done, &[number, len]);
        }
        let [number, len] = e.enter(done)[..] else { unreachable!("there are two parameters") };
        let page = e.binary_const(BinaryOp::Lshr, number, 8);
        let page = e.load_at(Type::I16, pages, page);
        let page = e.binary_const(BinaryOp::Shl, page, 8);
        let rest = e.binary_const(BinaryOp::And, number, 0xff);
        let index = e.binary(BinaryOp::Or, page, rest);
        let class = e.load_at(Type::I16, entries, index);
        let class = e.binary_const(BinaryOp::Shl, class, 3);
        let result = e.binary(BinaryOp::Or, class, len);
        e.b.ret(Some(result));
        e.finish();
        unit.bodies.push(body);
        *self.decode.insert(id)
    }

    /// `(address, n) -> address`: n characters back.
    pub(crate) fn back(&mut self, unit: &mut Unit) -> FuncId {
        if let Some(id) = self.back {
            return id;
        }
        let pointer = unit.machine.pointer;
        let id = unit.declare("back", Signature::new(vec![pointer; 2], pointer), FunctionKind::Defined);
        let mut body = Function::new();
        let mut e = Emitter::new(unit, &mut body, id);
        let [at, count] = e.params();
        let (step, byte) = (e.join(&[pointer; 2]), e.join(&[pointer; 2]));
        e.jump(step, &[at, count]);
        let [at, count] = e.enter(step)[..] else { unreachable!("there are two parameters") };
        let is_more = e.compare_const(IntCond::Ne, count, 0);
        let done = e.require(is_more);
        e.jump(byte, &[at, count]);
        e.b.switch_to_block(done);
        e.b.ret(Some(at));
        let [at, count] = e.enter(byte)[..] else { unreachable!("there are two parameters") };
        let at = e.plus(at, -1);
        let lead = e.byte_at(at, 0);
        let kind = e.binary_const(BinaryOp::And, lead, 0xc0);
        let is_inner = e.compare_const(IntCond::Eq, kind, 0x80);
        let outer = e.require(is_inner);
        e.jump(byte, &[at, count]);
        e.b.switch_to_block(outer);
        let count = e.plus(count, -1);
        e.jump(step, &[at, count]);
        e.finish();
        unit.bodies.push(body);
        *self.back.insert(id)
    }

    /// `(address) -> i32`: the class of the character before the address.
    pub(crate) fn class_before(&mut self, unit: &mut Unit, alphabet: &Alphabet) -> FuncId {
        if let Some(id) = self.class_before {
            return id;
        }
        let pointer = unit.machine.pointer;
        let (back, decode) = (self.back(unit), self.decode(unit, alphabet));
        let ascii = self.ascii(unit, alphabet);
        let signature = Signature::new(vec![pointer], Type::I32);
        let id = unit.declare("class_before", signature, FunctionKind::Defined);
        let mut body = Function::new();
        let mut e = Emitter::new(unit, &mut body, id);
        let [at] = e.params();
        let last = e.byte_at(at, -1);
        let is_wide = e.compare_const(IntCond::Uge, last, 0x80);
        let narrow = e.require(is_wide);
        let one = e.word(1);
        let at = e.call(back, &[at, one], pointer);
        let decoded = e.call(decode, &[at], Type::I32);
        let class = e.binary_const(BinaryOp::Lshr, decoded, 3);
        e.b.ret(Some(class));
        e.b.switch_to_block(narrow);
        let class = e.load_at(Type::I16, ascii, last);
        e.b.ret(Some(class));
        e.finish();
        unit.bodies.push(body);
        *self.class_before.insert(id)
    }

    /// The classes of the characters of one byte.
    pub(crate) fn ascii(&mut self, unit: &mut Unit, alphabet: &Alphabet) -> Symbol {
        *self.ascii.get_or_insert_with(|| unit.constant_words(&alphabet.ascii().map(|class| class.0)))
    }
}

/// A byte as a number of 32 bits.
fn narrow_byte(e: &mut Emitter<'_>, at: Value, offset: i64) -> Value {
    let byte = e.byte_at(at, offset);
    e.resize(byte, Type::I32)
}

/// A number with the six bits of the continuation byte at `offset` behind it.
fn continued(e: &mut Emitter<'_>, at: Value, offset: i64, number: Value) -> Value {
    let byte = narrow_byte(e, at, offset);
    let bits = e.binary_const(BinaryOp::And, byte, 0x3f);
    let number = e.binary_const(BinaryOp::Shl, number, 6);
    e.binary(BinaryOp::Or, number, bits)
}

/// For each 256 characters the number of their page, and the classes of the pages.
fn pages(alphabet: &Alphabet) -> (Vec<u16>, Vec<u16>) {
    let (mut pages, mut entries) = (Vec::new(), Vec::new());
    let mut known: HashMap<Vec<u16>, u16> = HashMap::new();
    let mut ranges = alphabet.starts().iter().peekable();
    let mut class = 0;
    for first in (0..=u32::from(char::MAX)).step_by(256) {
        let page: Vec<u16> = (first..first + 256)
            .map(|number| {
                if let Some((_, next)) = ranges.next_if(|&&(start, _)| start == number) {
                    class = next.0;
                }
                class
            })
            .collect();
        let next = known.len() as u16;
        let number = *known.entry(page).or_insert_with_key(|page| {
            entries.extend(page);
            next
        });
        pages.push(number);
    }
    (pages, entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::CharSet;

    #[test]
    fn pages_hold_the_classes() {
        let alphabet =
            Alphabet::new(&[CharSet::word(), CharSet::of([('é', '€')])], &[]).expect("they are few");
        let (pages, entries) = pages(&alphabet);
        for c in ['\0', 'a', 'é', '€', '\u{20ad}', '中', '\u{10ffff}', '\u{1f600}'] {
            let number = c as usize;
            let class = entries[usize::from(pages[number >> 8]) * 256 + (number & 255)];
            assert_eq!(class, alphabet.class_of(c).0, "{c:?}");
        }
    }
}

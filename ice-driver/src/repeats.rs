//! Functions whose body is that of an earlier one: their code is a copy.
//!
//! Problem: programs in C++ and Rust are full of functions with the same body, from templates and generics, as
//! accessors, constructors and what destroys. In laszip, of 6,902 functions 4,674 have a body that came before, a quarter
//! of all bytes.
//!
//! Method: short bodies are remembered, as they arrive, in the order of the module ([`Repeats`]). A body that is the
//! same, of a function that is declared the same, means the same: it refers to functions, variables and types of the
//! module by numbers that do not depend on where it stands. So it is neither read nor translated. Who takes the code of
//! functions in order keeps that of each remembered body, and copies it ([`KeptCode`]). References are in the code
//! as the back end emitted it and resolved copy by copy, so the object is the one that translation would have given. Each
//! function has its code for itself: addresses of functions stay different.
//!
//! Invariants: both halves number the remembered bodies alike, since both go through the module in order, whatever thread
//! translates; number 0 begins anew, when the memory that bodies may take is full. A function with an error
//! is before its copies, so it is the one reported.
//!
//! Cost: for a short body, a hash and a copy of its bytes and its code.

use ice_codegen::{CodeEnd, CompiledCode, FunctionCode};
use rustc_hash::{FxBuildHasher, FxHasher};
use std::collections::HashMap;
use std::hash::Hasher;

/// Bytes of the longest body that is remembered.
const LONGEST: usize = 256;

/// Bytes of bodies that are remembered together.
const ROOM: usize = 64 << 10;

/// What a body is among those of its module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repetition {
    /// None, as far as anybody knows.
    #[default]
    None,
    /// It may come again. These are numbered, and 0 begins anew: those before it do not come again.
    First(u32),
    /// It is the body of that number.
    Again(u32),
}

impl Repetition {
    /// Whether the code is a copy, so that the body is neither read nor translated.
    pub fn is_again(self) -> bool {
        matches!(self, Repetition::Again(_))
    }
}

/// The bodies that are remembered.
#[derive(Default)]
pub struct Repeats {
    bytes: Vec<u8>,
    known: Vec<Known>,
    /// Numbers by the hash of body and kind. Of two bodies with one hash the second is not remembered.
    by_hash: HashMap<u64, u32, FxBuildHasher>,
}

/// A remembered body.
struct Known {
    kind: u64,
    /// Where its bytes are.
    start: usize,
    end: usize,
}

impl Repeats {
    /// What the next body in the order of the module is, a function of this `kind`: what besides the bytes decides over
    /// its code.
    pub fn next(&mut self, kind: u64, body: &[u8]) -> Repetition {
        if body.len() > LONGEST {
            return Repetition::None;
        }
        let mut hasher = FxHasher::default();
        hasher.write_u64(kind);
        hasher.write(body);
        let hash = hasher.finish();
        if let Some(&number) = self.by_hash.get(&hash) {
            let known = &self.known[number as usize];
            return match known.kind == kind && self.bytes[known.start..known.end] == *body {
                true => Repetition::Again(number),
                false => Repetition::None,
            };
        }
        if self.bytes.len() + body.len() > ROOM {
            self.bytes.clear();
            self.known.clear();
            self.by_hash.clear();
        }
        let (number, start) = (self.known.len() as u32, self.bytes.len());
        self.bytes.extend_from_slice(body);
        self.known.push(Known { kind, start, end: self.bytes.len() });
        self.by_hash.insert(hash, number);
        Repetition::First(number)
    }
}

/// The code of the functions whose bodies are remembered.
#[derive(Default)]
pub struct KeptCode {
    compiled: CompiledCode,
    /// Where the code of each ends.
    ends: Vec<CodeEnd>,
    /// The copy that was handed out last.
    copy: Vec<u8>,
    /// Copies handed out so far, and their bytes and references.
    pub copies: u64,
    /// Bytes of those.
    pub code_bytes: u64,
    /// References in those.
    pub relocations: u64,
    /// Jump tables of those.
    pub jump_tables: u64,
}

impl KeptCode {
    /// Keeps the code of the body `number`, as it was emitted.
    pub fn keep(&mut self, number: u32, code: &FunctionCode<'_>) {
        if number == 0 {
            self.compiled.clear();
            self.ends.clear();
        }
        debug_assert_eq!(self.ends.len(), number as usize, "bodies are numbered in order");
        self.compiled.append(code);
        self.ends.push(self.compiled.end());
    }

    /// A copy of the code of the body `number`.
    pub fn copy(&mut self, number: u32) -> FunctionCode<'_> {
        let number = number as usize;
        let start = number.checked_sub(1).map_or_else(CodeEnd::default, |before| self.ends[before]);
        let kept = self.compiled.function(start, self.ends[number]);
        // Whoever writes the code puts references into it.
        self.copy.clear();
        self.copy.extend_from_slice(kept.code);
        self.copies += 1;
        self.code_bytes += self.copy.len() as u64;
        self.relocations += kept.relocs.len() as u64;
        self.jump_tables += kept.tables.len() as u64;
        FunctionCode { code: &mut self.copy, ..kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_asm::{ConstantSize, Reloc, RelocKind};
    use ice_codegen::CodeSymbol;

    #[test]
    fn a_body_is_the_same_by_its_bytes_and_its_kind() {
        let mut repeats = Repeats::default();
        assert_eq!(repeats.next(1, b"load"), Repetition::First(0));
        assert_eq!(repeats.next(1, b"loads"), Repetition::First(1));
        assert_eq!(repeats.next(2, b"load"), Repetition::First(2));
        assert_eq!(repeats.next(1, b"load"), Repetition::Again(0));
        assert_eq!(repeats.next(2, b"load"), Repetition::Again(2));
        assert_eq!(repeats.next(1, b""), Repetition::First(3));
        for _ in 0..2 {
            assert_eq!(repeats.next(1, &[7; LONGEST + 1]), Repetition::None);
        }
        assert_eq!(repeats.next(1, &[7; LONGEST]), Repetition::First(4));
        assert_eq!(repeats.next(1, &[7; LONGEST]), Repetition::Again(4));
    }

    #[test]
    fn bodies_that_share_a_hash_are_told_apart() {
        let mut repeats = Repeats::default();
        assert_eq!(repeats.next(0, b"one"), Repetition::First(0));
        // As if the hash of another body were the same.
        repeats.bytes[0] = b'x';
        assert_eq!(repeats.next(0, b"one"), Repetition::None);
        repeats.bytes[0] = b'o';
        repeats.known[0].kind = 1;
        assert_eq!(repeats.next(0, b"one"), Repetition::None);
    }

    #[test]
    fn memory_is_bounded_and_begins_anew() {
        let mut repeats = Repeats::default();
        let body = |n: u32| {
            let mut body = [0; LONGEST];
            body[..4].copy_from_slice(&n.to_le_bytes());
            body
        };
        let fits = (ROOM / LONGEST) as u32;
        for n in 0..fits {
            assert_eq!(repeats.next(0, &body(n)), Repetition::First(n));
        }
        assert_eq!(repeats.next(0, &body(0)), Repetition::Again(0));
        assert_eq!(repeats.next(0, &body(fits)), Repetition::First(0));
        assert_eq!(repeats.next(0, &body(1)), Repetition::First(1));
        assert_eq!(repeats.next(0, &body(fits)), Repetition::Again(0));
        assert!(repeats.bytes.len() <= ROOM && repeats.known.len() == 2 && repeats.by_hash.len() == 2);
    }

    /// The functions of these bytes, each of which loads a constant.
    fn compiled(functions: &[&[u8]]) -> (CompiledCode, Vec<CodeEnd>) {
        let (mut code, mut ends) = (CompiledCode::default(), vec![CodeEnd::default()]);
        for bytes in functions {
            let constant = code.constants.intern(ConstantSize::C8, 100 + u128::from(bytes[0]));
            let symbol = CodeSymbol::Constant(constant).pack();
            code.code.extend_from_slice(bytes);
            code.relocs.push(Reloc { offset: 1, kind: RelocKind::Abs32, symbol, addend: -4 });
            code.tables.push([2, 0]);
            ends.push(code.end());
        }
        (code, ends)
    }

    #[test]
    fn copies_are_as_emitted_whatever_is_put_into_others() {
        let (mut code, ends) = compiled(&[&[1, 2, 3], &[4, 5, 6, 7]]);
        let mut kept = KeptCode::default();
        // In another order, so that numbers of constants differ.
        kept.keep(0, &code.function(ends[1], ends[2]));
        kept.keep(1, &code.function(ends[0], ends[1]));
        for _ in 0..2 {
            let copy = kept.copy(1);
            assert_eq!((&*copy.code, copy.relocs.len(), copy.tables.len()), (&[1, 2, 3][..], 1, 1));
            let CodeSymbol::Constant(id) = CodeSymbol::unpack(copy.relocs[0].symbol) else { panic!() };
            assert_eq!(copy.constants.get(id), Some(101));
            assert_eq!((copy.relocs[0].offset, copy.relocs[0].addend), (1, -4));
            copy.code.fill(0);
        }
        assert_eq!((kept.copies, kept.code_bytes, kept.relocations, kept.jump_tables), (2, 6, 2, 2));
        assert_eq!(&*kept.copy(0).code, &[4, 5, 6, 7]);
        kept.keep(0, &code.function(ends[0], ends[1]));
        assert_eq!(&*kept.copy(0).code, &[1, 2, 3]);
    }
}

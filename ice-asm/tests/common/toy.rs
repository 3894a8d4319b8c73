//! A machine that is not there, whose branches have what the buffer offers: four forms, not all for each branch, a
//! slot, relocations, and veneers. Words of four bytes; the top byte says what a word does.

#![allow(dead_code)] // Each test uses its part.

use super::Random;
use ice_asm::{BranchIsa, CodeBuffer, Form, Label, Reloc, RelocKind, Span};
use std::fmt;

pub const NOP: u32 = 0;
pub const MARK: u32 = 1 << 24;
pub const RETURN: u32 = 2 << 24;
/// The first of so many words that lie in one bundle.
pub const GROUP: u32 = 3 << 24;
/// The same, and end with it.
pub const GROUP_AT_END: u32 = 4 << 24;
/// Marks what the word holds that is so far from its own end.
pub const LOAD: u32 = 5 << 24;
const JUMP: u32 = 6 << 24;
/// Its target is a relocation.
const JUMP_FAR: u32 = 7 << 24;
/// The condition is in bits 20 to 23.
const BRANCH: u32 = 8 << 24;

/// A condition, of eight pairs of opposites; and whether the branch has the smallest form.
#[derive(Clone, Copy, Debug)]
pub struct Cond {
    pub number: u8,
    pub is_tight: bool,
}

/// Branches of form 0 reach a quarter of `NEAR` bytes, of form 1 `NEAR`, of form 2 eight times as many.
#[derive(Clone, Copy, Debug)]
pub enum Toy<const NEAR: u32> {}

fn put(out: &mut [u8], words: &[u32]) {
    assert_eq!(out.len(), 4 * words.len());
    out.chunks_exact_mut(4).zip(words).for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
}

fn way(distance: i64) -> u32 {
    let words = distance / 4;
    assert!(distance % 4 == 0 && (-(1 << 19)..1 << 19).contains(&words));
    words as u32 & 0xf_ffff
}

impl<const NEAR: u32> BranchIsa for Toy<NEAR> {
    type Cond = Cond;
    type Slot = u32;
    const FORMS: u8 = 4;
    const TABLE: Form = Form(2);
    const ISLANDS: bool = true;
    const SMALLEST: u32 = 8;
    const GRAIN: u32 = 4;
    const SLOT_SIZE: u32 = 4;
    const COMMENT: &'static str = "#";

    fn invert(cond: Cond) -> Cond {
        Cond { number: cond.number ^ 1, ..cond }
    }

    fn size(cond: Option<Cond>, form: Form) -> u32 {
        match (cond, form.0) {
            (Some(cond), 0) if !cond.is_tight => 0,
            (None, 0 | 1) => 0,
            (Some(_), 2 | 3) => 16,
            _ => 8,
        }
    }

    fn span(form: Form) -> Span {
        let reach = match form.0 {
            0 => NEAR / 4,
            1 => NEAR,
            2 => 8 * NEAR,
            _ => return Span::ALL,
        };
        // A jump over is in the middle of the branch.
        Span { back: reach - 8, ahead: reach }
    }

    fn veneer(form: Form) -> Form {
        Form(form.0.max(1) + 1)
    }

    fn reloc(cond: Option<Cond>, form: Form) -> Option<(u32, RelocKind)> {
        (form == Form(3)).then(|| (if cond.is_some() { 8 } else { 0 }, RelocKind::Abs32))
    }

    fn encode(cond: Option<Cond>, slot: u32, form: Form, distance: i64, out: &mut [u8]) {
        assert!(Self::span(form).contains(distance));
        let jump = |from| if form.0 == 3 { JUMP_FAR } else { JUMP | way(distance - from) };
        let branch = |cond: Cond, distance| BRANCH | u32::from(cond.number) << 20 | way(distance);
        match cond {
            None => put(out, &[jump(0), slot]),
            Some(cond) if form.0 < 2 => put(out, &[branch(cond, distance), slot]),
            Some(cond) => put(out, &[branch(Self::invert(cond), 16), slot, jump(8), NOP]),
        }
    }

    fn encode_slot(slot: u32, out: &mut [u8]) {
        put(out, &[slot]);
    }

    fn fill_nops(out: &mut [u8]) {
        out.fill(NOP as u8);
    }

    fn write(
        out: &mut dyn fmt::Write,
        cond: Option<Cond>,
        (slot, _): (u32, Option<Reloc>),
        form: Form,
        _: i64,
        target: Label,
    ) -> fmt::Result {
        write!(out, "branch{} {cond:?}, {target} [{slot:#x}]", form.0)
    }
}

/// What the code has passed, with the number of the word's kind.
#[derive(Debug, Default, PartialEq)]
pub struct Trace {
    pub marks: Vec<u32>,
    pub returned: bool,
}

/// More marks than this are not looked at.
pub const ENOUGH: usize = 200;

/// Whether a condition holds after so many marks.
pub fn holds(cond: Cond, marks: usize, seed: u64) -> bool {
    let flags = Random::new((marks as u64 + 1) * (2 * seed + 1)).below(256);
    (flags >> (cond.number >> 1) & 1 != 0) ^ (cond.number & 1 != 0)
}

/// Executes finished code.
pub fn run<const NEAR: u32, L: ice_asm::Listing>(
    buffer: &CodeBuffer<L, Toy<NEAR>>,
    bundle: u32,
    seed: u64,
) -> Trace {
    let code: Vec<u32> =
        buffer.bytes().chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let mut trace = Trace::default();
    let (mut at, mut branches) = (0, 0);
    while trace.marks.len() < ENOUGH && branches < 20_000 {
        let word = code[at];
        let in_bundle = |words: usize| bundle == 0 || at * 4 % bundle as usize + words * 4 <= bundle as usize;
        let step = |trace: &mut Trace, word: u32| match word & 0xff00_0000 {
            MARK => trace.marks.push(word),
            _ => assert_eq!(word, NOP),
        };
        let distance = ((word << 12) as i32 >> 12) as isize;
        match word & 0xff00_0000 {
            RETURN => {
                trace.returned = true;
                break;
            }
            GROUP => assert!(in_bundle((word & 0xff) as usize), "{at}: a group over the end of a bundle"),
            GROUP_AT_END => {
                let end = 4 * (at as u32 + (word & 0xff));
                assert!(
                    bundle == 0 || end.is_multiple_of(bundle),
                    "{at}: a group that does not end with the bundle"
                );
            }
            LOAD => {
                assert!(word & 1 << 23 != 0, "constants come after their loads");
                let constant = at + 1 + (word & 0xfff) as usize / 4;
                let (address, ranges) = (4 * constant as u32, buffer.constant_ranges());
                assert!(ranges.iter().any(|&(start, end)| (start..end).contains(&address)));
                trace.marks.push(code[constant]);
            }
            JUMP | JUMP_FAR | BRANCH => {
                // Its slot may begin the next bundle.
                branches += 1;
                let cond = Cond { number: (word >> 20 & 15) as u8, is_tight: false };
                let taken = word & BRANCH == 0 || holds(cond, trace.marks.len(), seed);
                step(&mut trace, code[at + 1]);
                at = match word & 0xff00_0000 {
                    JUMP_FAR => {
                        let reloc = buffer.relocs().iter().find(|reloc| reloc.offset == 4 * at as u32);
                        reloc.expect("a relocation").addend as usize / 4
                    }
                    _ if taken => at.checked_add_signed(distance).unwrap(),
                    _ => at + 2,
                };
                continue;
            }
            _ => step(&mut trace, word),
        }
        at += 1;
    }
    trace
}

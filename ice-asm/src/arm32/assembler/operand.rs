//! Operands of statements in UAL syntax.

use crate::assembler::{evaluate, split};
use alloc::vec::Vec;

/// How a register is shifted, with the number that instructions have for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shift {
    /// By a constant: the kind and the amount.
    By(u32, u32),
    /// By a register.
    ByRegister(u32, u32),
    /// Right by one bit, through the carry.
    Rrx,
}

/// The offset of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Offset {
    Number(i64),
    Register { number: u32, is_negative: bool, shift: Option<Shift> },
}

/// An operand, or a part of one behind a comma.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Operand<'t> {
    /// A core register; `!` behind it, `-` before it.
    Core {
        number: u32,
        has_writeback: bool,
        is_negative: bool,
    },
    Single(u32),
    Double(u32),
    Quad(u32),
    /// A lane of a doubleword register; `None` for all of them.
    Lane(u32, Option<u32>),
    Number(i64),
    /// A number with a point or an exponent.
    Float(f64),
    Shift(Shift),
    Mem {
        base: u32,
        offset: Option<Offset>,
        has_writeback: bool,
        align: u32,
    },
    /// Core registers in braces; `^` behind them.
    List {
        registers: u32,
        is_user: bool,
    },
    /// Registers of VFP in braces, from one on: doublewords or not, the distance between two, and which lane: all of them in
    /// full, one, or one in all.
    FloatList {
        is_double: bool,
        first: u32,
        count: u32,
        step: u32,
        lane: ListLane,
    },
    /// A coprocessor, `p15`, or one of its registers, `c7`.
    Coprocessor(u32),
    CoprocessorRegister(u32),
    /// Anything else: a label, a barrier, a special register.
    Word(&'t str),
}

/// What of the registers in braces is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListLane {
    /// All of them.
    Whole,
    /// One lane.
    One(u32),
    /// All lanes, with the same.
    All,
}

/// The operands of a statement; `None` if one cannot be read.
pub(super) fn operands(text: &str) -> Option<Vec<Operand<'_>>> {
    split(text).map(operand).collect()
}

/// A number below `limit` behind a letter.
fn numbered(name: &str, letter: &str, limit: u32) -> Option<u32> {
    let digits = name.strip_prefix(letter)?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&number| is_number && number < limit)
}

/// Whether two names are the same in letters of any size.
fn is(name: &str, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}

/// The core register of a name.
pub(super) fn core(name: &str) -> Option<u32> {
    const NAMES: [(&str, u32); 11] = [
        ("sb", 9),
        ("sl", 10),
        ("fp", 11),
        ("ip", 12),
        ("sp", 13),
        ("lr", 14),
        ("pc", 15),
        ("a1", 0),
        ("a2", 1),
        ("a3", 2),
        ("a4", 3),
    ];
    let named = NAMES.iter().find(|(known, _)| is(known, name)).map(|&(_, number)| number);
    let lower = name.get(..1).is_some_and(|first| is(first, "r")).then(|| &name[1..]);
    let variable = || numbered(name, "v", 9).filter(|&number| number > 0).map(|number| number + 3);
    named.or_else(|| numbered(lower?, "", 16)).or_else(variable)
}

/// A register of VFP: its operand, which may name lanes.
fn float(name: &str) -> Option<Operand<'_>> {
    let (name, lane) = match name.split_once('[') {
        None => (name, None),
        Some((name, inside)) => (name, Some(inside.strip_suffix(']')?.trim())),
    };
    let letter = name.get(..1)?.to_ascii_lowercase();
    let number = |limit| numbered(name.get(1..)?, "", limit);
    match (&*letter, lane) {
        ("s", None) => number(32).map(Operand::Single),
        ("d", None) => number(32).map(Operand::Double),
        ("q", None) => number(16).map(Operand::Quad),
        ("d", Some("")) => number(32).map(|number| Operand::Lane(number, None)),
        ("d", Some(lane)) => Some(Operand::Lane(number(32)?, Some(u32::try_from(evaluate(lane)?).ok()?))),
        _ => None,
    }
}

/// The text behind `#` or `$`, which mark numbers.
fn marked(text: &str) -> Option<&str> {
    text.strip_prefix(['#', '$']).map(str::trim)
}

/// The number of a text that may have a mark.
pub(super) fn number(text: &str) -> Option<i64> {
    evaluate(marked(text).unwrap_or(text))
}

fn operand(text: &str) -> Option<Operand<'_>> {
    if let Some(inside) = text.strip_prefix('[') {
        return memory(inside);
    }
    if let Some(inside) = text.strip_prefix('{') {
        let (inside, behind) = inside.rsplit_once('}')?;
        let is_user = match behind.trim() {
            "" => false,
            "^" => true,
            _ => return None,
        };
        return list(inside, is_user);
    }
    let (bare, has_writeback) = match text.strip_suffix('!') {
        Some(bare) => (bare.trim_end(), true),
        None => (text, false),
    };
    let (name, is_negative) = match bare.strip_prefix(['-', '+']) {
        Some(name) => (name.trim_start(), bare.starts_with('-')),
        None => (bare, false),
    };
    if let Some(number) = core(name) {
        return Some(Operand::Core { number, has_writeback, is_negative });
    }
    if let Some(value) = number(text) {
        return Some(Operand::Number(value));
    }
    if let Some(value) = marked(text) {
        return value.parse().ok().map(Operand::Float);
    }
    if let Some(shift) = shift(text) {
        return Some(Operand::Shift(shift));
    }
    let other = numbered(text, "p", 16).map(Operand::Coprocessor);
    let other = other.or_else(|| numbered(text, "c", 16).map(Operand::CoprocessorRegister));
    let other = other.or_else(|| numbered(text, "cr", 16).map(Operand::CoprocessorRegister));
    Some(float(text).or(other).unwrap_or(Operand::Word(text)))
}

/// `lsl #3`, `ror r2`, `rrx`.
fn shift(text: &str) -> Option<Shift> {
    if is(text, "rrx") {
        return Some(Shift::Rrx);
    }
    let (name, amount) = text.split_at_checked(3)?;
    let kind = ["lsl", "lsr", "asr", "ror"].iter().position(|known| is(known, name));
    let kind = kind.or_else(|| is(name, "asl").then_some(0))? as u32;
    if !amount.starts_with([' ', '\t', '#', '$']) {
        return None;
    }
    let amount = amount.trim();
    match core(amount) {
        Some(register) => Some(Shift::ByRegister(kind, register)),
        None => Some(Shift::By(kind, u32::try_from(number(amount)?).ok()?)),
    }
}

/// Memory, behind the bracket that opens.
fn memory(inside: &str) -> Option<Operand<'_>> {
    let (inside, behind) = inside.split_once(']')?;
    let has_writeback = match behind.trim() {
        "" => false,
        "!" => true,
        _ => return None,
    };
    let mut parts = split(inside);
    let first = parts.next()?;
    let (base, align) = match first.split_once([':', '@']) {
        Some((base, align)) => (base.trim(), u32::try_from(evaluate(align)?).ok()?),
        None => (first, 0),
    };
    let base = core(base)?;
    let mut second = parts.next();
    let mut align = align;
    // The alignment may stand behind a comma.
    if let Some(text) = second.and_then(|text| text.strip_prefix([':', '@'])) {
        align = u32::try_from(evaluate(text)?).ok()?;
        second = None;
    }
    let offset = match second {
        None => None,
        Some(offset) => Some(match operand(offset)? {
            Operand::Number(number) => Offset::Number(number),
            Operand::Core { number, has_writeback: false, is_negative } => {
                let shift = match parts.next() {
                    None => None,
                    Some(text) => Some(shift(text)?),
                };
                Offset::Register { number, is_negative, shift }
            }
            _ => return None,
        }),
    };
    parts.next().is_none().then_some(Operand::Mem { base, offset, has_writeback, align })
}

/// Registers in braces: `r0, r4-r7`, `d0-d3`, `d0[1], d2[1]`.
fn list(inside: &str, is_user: bool) -> Option<Operand<'static>> {
    let first = split(inside).next()?;
    if core(first.split('-').next()?.trim()).is_none() {
        return if is_user { None } else { float_list(inside) };
    }
    let mut registers = 0;
    for range in split(inside) {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to) = (core(from.trim())?, core(to.trim())?);
        if from > to {
            return None;
        }
        (from..=to).for_each(|number| registers |= 1 << number);
    }
    Some(Operand::List { registers, is_user })
}

fn float_list(inside: &str) -> Option<Operand<'static>> {
    let mut all: Vec<u32> = Vec::new();
    let mut kind = None;
    for range in split(inside) {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let [from, to] = [float(from.trim())?, float(to.trim())?];
        let (this, from, to) = match (from, to) {
            (Operand::Single(from), Operand::Single(to)) => ((false, ListLane::Whole), from, to),
            (Operand::Double(from), Operand::Double(to)) => ((true, ListLane::Whole), from, to),
            (Operand::Quad(from), Operand::Quad(to)) => ((true, ListLane::Whole), 2 * from, 2 * to + 1),
            (Operand::Lane(from, lane), Operand::Lane(to, other)) if lane == other => {
                ((true, lane.map_or(ListLane::All, ListLane::One)), from, to)
            }
            _ => return None,
        };
        if kind.is_some_and(|kind| kind != this) || from > to {
            return None;
        }
        kind = Some(this);
        all.extend(from..=to);
    }
    let (is_double, lane) = kind?;
    let first = *all.first()?;
    let step = all.get(1).map_or(1, |second| second.wrapping_sub(first));
    let is_even = all.windows(2).all(|pair| pair[0].checked_add(step) == Some(pair[1]));
    let count = all.len() as u32;
    is_even.then_some(Operand::FloatList { is_double, first, count, step, lane })
}

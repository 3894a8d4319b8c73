//! Operands of statements.

use crate::aarch64::{Arrangement, Cond, Extend, FloatWidth, Gpr, Lane, Shift, Vreg, Width};
use crate::assembler::{evaluate, split};
use alloc::string::String;
use alloc::vec::Vec;

/// What changes the operand before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    Shift(Shift),
    /// To the left, with ones.
    ShiftOnes,
    Extend(Extend),
}

/// Registers of vectors in braces, one behind another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct List {
    pub first: Vreg,
    pub count: u8,
    /// What the registers have; with a lane in brackets, its width.
    pub shape: Shape,
    /// The number of the lane.
    pub lane: Option<i64>,
}

/// The lanes of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    All(Arrangement),
    /// Of this width.
    One(Lane),
    /// All 128 bits as one.
    Whole,
}

/// What is added to the base of an address.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Index<'t> {
    None,
    Number(i64),
    /// A register, and its change with an amount.
    Register(Gpr, Width, Option<(Change, Option<i64>)>),
    /// A name or what has names.
    Word(&'t str),
}

/// An operand, or a part of one behind a comma.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Operand<'t> {
    Gpr(Gpr, Width),
    /// A number in a register of vectors.
    Float(FloatWidth, Vreg),
    Vector(Vreg, Shape),
    /// A lane by its number.
    Element(Vreg, Lane, i64),
    List(List),
    /// Memory; with `!` behind it the base becomes the address.
    Mem(Gpr, Index<'t>, bool),
    Number(i64),
    /// A number with a point or an exponent.
    Real(f64),
    /// A shift or an extension, and its amount.
    Change(Change, Option<i64>),
    /// Anything else: a name, or a number that names make.
    Word(&'t str),
}

/// The operands of a statement; `None` if one cannot be read.
pub(super) fn operands(text: &str) -> Option<Vec<Operand<'_>>> {
    split(text).map(operand).collect()
}

/// A number below `limit` in digits.
fn below(digits: &str, limit: u8) -> Option<u8> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&number| is_number && number < limit)
}

/// The text in small letters, if it is no longer than names of registers are.
fn small(text: &str) -> Option<String> {
    (text.len() <= 8 && text.is_ascii()).then(|| text.to_ascii_lowercase())
}

/// A general-purpose register by its name.
fn general(name: &str) -> Option<Operand<'static>> {
    let found = match name {
        "sp" => (Gpr::SP, Width::X),
        "wsp" => (Gpr::SP, Width::W),
        "xzr" => (Gpr::ZERO, Width::X),
        "wzr" => (Gpr::ZERO, Width::W),
        "lr" => (Gpr::LR, Width::X),
        "fp" => (Gpr::FP, Width::X),
        "ip0" => (Gpr::IP0, Width::X),
        "ip1" => (Gpr::IP1, Width::X),
        _ => {
            let width = match name.as_bytes().first()? {
                b'x' => Width::X,
                b'w' => Width::W,
                _ => return None,
            };
            (Gpr::new(below(&name[1..], 31)?), width)
        }
    };
    Some(Operand::Gpr(found.0, found.1))
}

/// The lane that a letter stands for.
fn lane(letter: &str) -> Option<Lane> {
    let number = ["b", "h", "s", "d"].iter().position(|&known| known == letter)?;
    Some(Lane::ALL[number])
}

/// What stands behind the point of a register.
fn shape(text: &str) -> Option<Shape> {
    if text == "1q" {
        return Some(Shape::Whole);
    }
    let at = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, letter) = text.split_at(at);
    let lane = lane(letter)?;
    if count.is_empty() {
        return Some(Shape::One(lane));
    }
    let bits = count.parse::<u32>().ok()?.checked_mul(lane.bits())?;
    matches!(bits, 64 | 128).then_some(Shape::All(Arrangement { lane, full: bits == 128 }))
}

/// `v0.4s`, or a register with a width, `d0`.
fn vector(name: &str) -> Option<Operand<'static>> {
    if let Some((register, lanes)) = name.split_once('.') {
        let register = Vreg::new(below(register.strip_prefix('v')?, 32)?);
        return Some(Operand::Vector(register, shape(lanes)?));
    }
    let width = ["b", "h", "s", "d", "q"].iter().position(|letter| name.starts_with(letter))?;
    Some(Operand::Float(FloatWidth::ALL[width], Vreg::new(below(&name[1..], 32)?)))
}

/// A register by its name, in letters of any size.
fn register(text: &str) -> Option<Operand<'static>> {
    let name = small(text)?;
    let operand = general(&name).or_else(|| vector(&name))?;
    // The width of a lane alone needs its number.
    (!matches!(operand, Operand::Vector(_, Shape::One(_)))).then_some(operand)
}

/// `v0.s[1]`.
fn element(text: &str) -> Option<Operand<'static>> {
    let (register, inside) = text.split_once('[')?;
    let number = evaluate(marked(inside.strip_suffix(']')?.trim()))?;
    match vector(&small(register.trim())?)? {
        Operand::Vector(register, Shape::One(lane)) => Some(Operand::Element(register, lane, number)),
        _ => None,
    }
}

/// The text behind `#`, which may mark numbers.
fn marked(text: &str) -> &str {
    text.strip_prefix('#').map_or(text, str::trim_start)
}

fn operand(text: &str) -> Option<Operand<'_>> {
    if let Some(inside) = text.strip_prefix('[') {
        return memory(inside);
    }
    if let Some(inside) = text.strip_prefix('{') {
        return list(inside).map(Operand::List);
    }
    if let Some(register) = register(text).or_else(|| element(text)) {
        return Some(register);
    }
    let number = marked(text);
    if number.is_empty() || text.contains(['[', ']', '{', '}', '!']) {
        return None;
    }
    if let Some(value) = evaluate(number) {
        return Some(Operand::Number(value));
    }
    if let Some(value) = real(number) {
        return Some(Operand::Real(value));
    }
    match change(text) {
        Some(Err(())) => None,
        Some(Ok((change, amount))) => Some(Operand::Change(change, amount)),
        None => Some(Operand::Word(number)),
    }
}

/// A number with a point or an exponent.
fn real(text: &str) -> Option<f64> {
    let is_number = text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| is_number)
}

/// `lsl #3`, `sxtw`; an error with an amount that is no number.
fn change(text: &str) -> Option<Result<(Change, Option<i64>), ()>> {
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (name, amount) = text.split_at(end);
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    let shift = Shift::ALL.into_iter().find(|shift| is(shift.mnemonic())).map(Change::Shift);
    let extend = || Extend::ALL.into_iter().find(|extend| is(extend.mnemonic())).map(Change::Extend);
    let change = shift.or_else(extend).or_else(|| is("msl").then_some(Change::ShiftOnes))?;
    let amount = match amount {
        "" => None,
        amount if amount.starts_with([' ', '\t', '#']) => match evaluate(marked(amount.trim())) {
            Some(amount) => Some(amount),
            None => return Some(Err(())),
        },
        _ => return None,
    };
    Some(Ok((change, amount)))
}

/// Memory, behind the bracket that opens.
fn memory(inside: &str) -> Option<Operand<'_>> {
    let (inside, behind) = inside.split_once(']')?;
    let is_before = match behind.trim() {
        "" => false,
        "!" => true,
        _ => return None,
    };
    let parts = operands(inside)?;
    let (&Operand::Gpr(base, Width::X), rest) = parts.split_first()? else { return None };
    let index = match *rest {
        [] => Index::None,
        [Operand::Number(number)] => Index::Number(number),
        [Operand::Word(word)] => Index::Word(word),
        [Operand::Gpr(register, width)] => Index::Register(register, width, None),
        [Operand::Gpr(register, width), Operand::Change(change, amount)] => {
            Index::Register(register, width, Some((change, amount)))
        }
        _ => return None,
    };
    Some(Operand::Mem(base, index, is_before))
}

/// `v0.4s, v1.4s}`, `v0.4s - v3.4s}`, `v0.s}[1]`, behind the brace that opens.
fn list(inside: &str) -> Option<List> {
    let (inside, behind) = inside.rsplit_once('}')?;
    let lane = match behind.trim() {
        "" => None,
        behind => Some(evaluate(marked(behind.strip_prefix('[')?.strip_suffix(']')?.trim()))?),
    };
    let one = |text: &str| match vector(&small(text.trim())?)? {
        Operand::Vector(register, shape) => Some((register, shape)),
        _ => None,
    };
    let mut all: Vec<(Vreg, Shape)> = Vec::new();
    for range in split(inside) {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to) = (one(from)?, one(to)?);
        let count = to.0.number().wrapping_sub(from.0.number()) & 31;
        if from.1 != to.1 {
            return None;
        }
        all.extend((0..=count).map(|n| (Vreg::new(from.0.number() + n), from.1)));
    }
    let &(first, shape) = all.first()?;
    let follows = |(n, &(register, other)): (usize, &(Vreg, Shape))| {
        other == shape && register == Vreg::new(first.number().wrapping_add(n as u8))
    };
    let fits = all.len() <= 4 && all.iter().enumerate().all(follows);
    let has_lane = matches!(shape, Shape::One(_)) == lane.is_some();
    (fits && has_lane).then_some(List { first, count: all.len() as u8, shape, lane })
}

/// The condition of a name, in letters of any size.
pub(super) fn cond(name: &str) -> Option<Cond> {
    const NAMES: [&str; 17] = [
        "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "cs", "cc",
    ];
    let number = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
    Some(Cond::ALL[if number > 14 { number - 13 } else { number }])
}

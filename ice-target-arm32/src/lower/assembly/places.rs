//! What constraints ask for (GCC manual, «Constraints for Particular Machines», ARM; LLVM Language Reference, «Supported
//! Constraint Code List», ARM state). Nothing is in sp, in pc, in ip, and in r11, which may point to the frame.

use crate::regs::{d, q, r, s};
use ice_asm::arm32::ModImm;
use ice_codegen::assembly::{Home, Slot, Wish};
use ice_ir::Type;
use ice_ir::assembly::Direction;
use ice_regalloc::PReg;

/// Things that are clobbered and are no registers where values live across instructions.
const NO_REGISTERS: [&str; 7] = ["cc", "memory", "r12", "ip", "apsr", "cpsr", "fpscr"];

/// Core registers in the order in which they are taken: those that calls destroy first.
static CORE: [Home; 12] = Home::list([0, 1, 2, 3, 14, 4, 5, 6, 7, 8, 9, 10]);
/// Those of Thumb.
static LOW: [Home; 8] = Home::list([0, 1, 2, 3, 4, 5, 6, 7]);
/// Two of them for 64 bits, the first with an even number.
static PAIRS: [Home; 5] = {
    let mut pairs = [Home { reg: r(0), high: Some(r(1)) }; 5];
    let mut n = 1;
    while n < 5 {
        pairs[n] = Home { reg: r(2 * n as u8), high: Some(r(2 * n as u8 + 1)) };
        n += 1;
    }
    pairs
};

const fn homes<const N: usize>(first: PReg) -> [Home; N] {
    let mut numbers = [0; N];
    let mut n = 0;
    while n < N {
        numbers[n] = first.0 + n as u8;
        n += 1;
    }
    Home::list(numbers)
}

static SINGLES: [Home; 32] = homes(s(0));
static DOUBLES: [Home; 32] = homes(d(0));
static QUADS: [Home; 16] = homes(q(0));

/// What a constraint asks for; `None` if nobody knows.
pub(super) fn wish(slot: &Slot<'_>) -> Option<Wish> {
    let constraint = slot.constraint;
    if constraint.direction == Direction::Label {
        return None;
    }
    if constraint.is_indirect {
        let is_memory =
            |letters: &str| matches!(letters, "m" | "o" | "V" | "Q" | "g" | "X") || is_access(letters);
        return slot.letters().any(is_memory).then_some(Wish::Memory(&CORE));
    }
    if let Some(name) = slot.name() {
        if constraint.direction == Direction::Clobber && NO_REGISTERS.contains(&name) {
            return Some(Wish::Nothing);
        }
        let home = match (register(name)?, slot.ty) {
            (reg @ PReg(0..10), Type::I64 | Type::F64) => Home { reg, high: Some(PReg(reg.0 + 1)) },
            (reg, _) => Home::of(reg),
        };
        let is_clobber = constraint.direction == Direction::Clobber;
        return (is_clobber || suits(home, slot.ty)).then_some(Wish::Fixed(home));
    }
    if let Some(wish) = slot.unregistered(&[], takes_number) {
        return Some(wish?).filter(|wish| !matches!(wish, Wish::Flag(_)));
    }
    slot.letters().find_map(|letters| of_letters(letters, slot.ty))
}

/// `Um`, `Uv` and their like: memory as certain instructions have it.
fn is_access(letters: &str) -> bool {
    matches!(letters, "Um" | "Un" | "Uq" | "Us" | "Ut" | "Uv" | "Uy")
}

/// The registers that letters stand for, if there are such for values of the type.
fn of_letters(letters: &str, ty: Type) -> Option<Wish> {
    match (letters, ty) {
        ("r" | "l" | "g" | "X", _) => match ty {
            Type::Void | Type::I1 => None,
            Type::I64 | Type::F64 => Some(Wish::Among(&PAIRS)),
            _ if ty.is_vector() => None,
            _ if letters == "l" => Some(Wish::Among(&LOW)),
            _ => Some(Wish::Among(&CORE)),
        },
        ("w" | "t" | "x", Type::F32) | ("t", Type::I32) => {
            Some(Wish::Among(if letters == "x" { &SINGLES[..16] } else { &SINGLES }))
        }
        ("w" | "t" | "x", Type::F64 | Type::I64) => Some(Wish::Among(match letters {
            "w" => &DOUBLES,
            "t" => &DOUBLES[..16],
            _ => &DOUBLES[..8],
        })),
        ("w" | "t" | "x", _) if ty.is_vector() => Some(Wish::Among(match letters {
            "w" => &QUADS,
            "t" => &QUADS[..8],
            _ => &QUADS[..4],
        })),
        _ => None,
    }
}

/// What a register is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Core,
    Single,
    Double,
    Quad,
}

/// Of which kind a register is, and its number in it.
pub(super) fn kind(reg: PReg) -> (Kind, u8) {
    match reg.0 {
        0..16 => (Kind::Core, reg.0),
        16..48 => (Kind::Single, reg.0 - s(0).0),
        48..80 => (Kind::Double, reg.0 - d(0).0),
        _ => (Kind::Quad, reg.0 - q(0).0),
    }
}

/// Whether registers can have a value of the type.
fn suits(home: Home, ty: Type) -> bool {
    match kind(home.reg).0 {
        Kind::Core => !matches!(ty, Type::Void | Type::I1) && !ty.is_vector() && is_usable(home),
        Kind::Single => matches!(ty, Type::F32 | Type::I32),
        Kind::Double => matches!(ty, Type::F64 | Type::I64),
        Kind::Quad => ty.is_vector(),
    }
}

/// Whether a value of 64 bits has both its registers.
fn is_usable(home: Home) -> bool {
    home.high.is_none_or(|high| CORE.contains(&Home::of(high)))
}

/// The register of this name that may be used.
fn register(name: &str) -> Option<PReg> {
    let number =
        |letter, limit| name.strip_prefix(letter)?.parse().ok().filter(|&number: &u8| number < limit);
    let core = match name {
        "sb" => Some(9),
        "sl" => Some(10),
        "lr" => Some(14),
        _ => number("r", 15).filter(|&number| number < 11 || number == 14),
    };
    let vector = || number("s", 32).map(s).or_else(|| number("d", 32).map(d));
    core.map(r).or_else(vector).or_else(|| number("q", 16).map(q))
}

/// Whether letters say that a number may stand in the text.
fn takes_number(letters: &str, number: i64) -> bool {
    let word = number as u32;
    let is_word = (-(1 << 31)..1 << 32).contains(&number);
    match letters {
        "i" | "n" | "g" | "X" => true,
        "j" => u16::try_from(number).is_ok(),
        "I" => is_word && ModImm::new(word).is_some(),
        "J" => (-4095..=4095).contains(&number),
        "K" => is_word && ModImm::new(!word).is_some(),
        "L" => is_word && ModImm::new(word.wrapping_neg()).is_some(),
        "M" => (0..=32).contains(&number) || is_word && word.is_power_of_two(),
        _ => false,
    }
}

//! What constraints ask for (GCC manual, «Constraints for Particular Machines», AArch64; LLVM Language Reference, «Supported
//! Constraint Code List», AArch64). Nothing is in the stack pointer, in x16 and x17, in x18, which belongs to the platform, and
//! in x29, which may point to the frame.

use crate::regs::{v, x};
use ice_asm::aarch64::{ArithImm, LogicImm, Width};
use ice_codegen::assembly::{Home, Slot, Wish};
use ice_ir::Type;
use ice_ir::assembly::Direction;
use ice_regalloc::PReg;

/// Things that are clobbered and are no registers where values live across instructions.
const NO_REGISTERS: [&str; 17] = [
    "cc", "memory", "nzcv", "fpcr", "fpsr", "ffr", "x16", "w16", "r16", "ip0", "x17", "w17", "r17", "ip1",
    "x18", "w18", "r18",
];

/// General registers in the order in which they are taken: those that calls destroy first.
static GENERAL: [Home; 26] = Home::list([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30, 19, 20, 21, 22, 23, 24, 25, 26, 27,
]);
/// Registers of vectors: those that calls destroy first. The others hold no vectors across calls.
static VECTORS: [Home; 32] = Home::list([
    32, 33, 34, 35, 36, 37, 38, 39, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 40, 41,
    42, 43, 44, 45, 46, 47,
]);
/// Those that hold 128 bits.
static QUADS: [Home; 24] = Home::list([
    32, 33, 34, 35, 36, 37, 38, 39, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
]);
/// The first 16 of them, of which by-element instructions choose.
static LOW: [Home; 16] = Home::list([32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]);
/// Those of them that hold 128 bits.
static LOW_QUADS: [Home; 8] = Home::list([32, 33, 34, 35, 36, 37, 38, 39]);

/// What a constraint asks for; `None` if nobody knows.
pub(super) fn wish(slot: &Slot<'_>) -> Option<Wish> {
    let constraint = slot.constraint;
    if constraint.direction == Direction::Label {
        return None;
    }
    if constraint.is_indirect {
        let is_memory =
            |letters: &str| matches!(letters, "m" | "o" | "V" | "Q" | "g" | "X" | "Ump" | "Utf" | "Uth");
        return slot.letters().any(is_memory).then_some(Wish::Memory(&GENERAL));
    }
    let is_clobber = constraint.direction == Direction::Clobber;
    if let Some(name) = slot.name() {
        if is_clobber && NO_REGISTERS.contains(&name) {
            return Some(Wish::Nothing);
        }
        let reg = register(name)?;
        return (is_clobber || suits(reg, slot.ty)).then_some(Wish::Fixed(Home::of(reg)));
    }
    if let Some(wish) = slot.unregistered(&GENERAL, |letters, number| takes_number(slot, letters, number)) {
        return wish;
    }
    if let Some(wish) = slot.as_symbol(&["i", "s", "S"]) {
        return Some(wish);
    }
    slot.letters().find_map(|letters| of_letters(letters, slot.ty))
}

/// The registers that letters stand for, if there are such for values of the type.
fn of_letters(letters: &str, ty: Type) -> Option<Wish> {
    let is_vector = ty.is_vector();
    match letters {
        _ if matches!(ty, Type::Void | Type::I1) => None,
        "r" | "g" | "X" => (!is_vector).then_some(Wish::Among(&GENERAL)),
        "w" if is_vector => Some(Wish::Among(&QUADS)),
        "w" => Some(Wish::Among(&VECTORS)),
        "x" | "y" if is_vector => Some(Wish::Among(&LOW_QUADS)),
        "x" => Some(Wish::Among(&LOW)),
        "y" => Some(Wish::Among(&LOW[..8])),
        _ => None,
    }
}

/// The number of a register of vectors.
pub(super) fn vector_number(reg: PReg) -> Option<u8> {
    reg.0.checked_sub(v(0).0)
}

/// Whether a register can have a value of the type.
fn suits(reg: PReg, ty: Type) -> bool {
    match vector_number(reg) {
        None => !matches!(ty, Type::Void | Type::I1) && !ty.is_vector(),
        // Of v8 to v15 functions preserve 64 bits.
        Some(number) => {
            !matches!(ty, Type::Void | Type::I1) && (!ty.is_vector() || !(8..16).contains(&number))
        }
    }
}

/// The register of this name that may be used.
fn register(name: &str) -> Option<PReg> {
    let number = |letter: char, limit: u8| {
        let digits = name.strip_prefix(letter)?;
        digits.parse().ok().filter(|&number: &u8| number < limit && !digits.starts_with('+'))
    };
    if name == "lr" {
        return Some(x(30));
    }
    let general = ['x', 'w', 'r'].into_iter().find_map(|letter| number(letter, 31));
    if let Some(number) = general {
        return (!(16..=18).contains(&number) && number != 29).then(|| x(number));
    }
    ['v', 'q', 'd', 's', 'h', 'b', 'z'].into_iter().find_map(|letter| number(letter, 32)).map(v)
}

/// Whether letters say that a number may stand in the text.
fn takes_number(slot: &Slot<'_>, letters: &str, number: i64) -> bool {
    let (wide, word) = (number as u64, number as u32);
    let is_word = (-(1 << 31)..1 << 32).contains(&number);
    let is_logic = |width, value| LogicImm::new(width, value).is_some();
    match letters {
        "i" | "n" | "g" | "X" => true,
        "I" => ArithImm::new(wide).is_some(),
        "J" => number != 0 && ArithImm::new(wide.wrapping_neg()).is_some(),
        "K" => is_word && is_logic(Width::W, word.into()),
        "L" => is_logic(Width::X, wide),
        // What `mov` can put into a register alone.
        "M" => is_word && ice_asm::aarch64::number_len(Width::W, word.into()) == 1,
        "N" => ice_asm::aarch64::number_len(Width::X, wide) == 1,
        // The registers of zeros.
        "Z" | "z" => number == 0 && !slot.constraint.is_result(),
        _ => false,
    }
}

//! What constraints ask for (GCC manual, «Constraints for Particular Machines», MIPS; LLVM Language Reference, «Supported
//! Constraint Code List»), and how operands stand in the text («Asm template argument modifiers»).
//!
//! Nothing is in the registers of the stack, of the frame, of the linker's table and of the system.

use crate::regs::{d, r, s};
use alloc::format;
use alloc::string::String;
use ice_codegen::assembly::{Home, Place, Slot, Wish};
use ice_ir::Type;
use ice_ir::assembly::Direction;
use ice_regalloc::PReg;

/// General registers in the order in which they are taken: those that calls destroy first.
static GENERAL: [Home; 24] =
    Home::list([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 16, 17, 18, 19, 20, 21, 22, 23]);
/// Two of them for 64 bits, the lower half first.
static PAIRS: [Home; 11] = {
    const FIRST: [u8; 11] = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22];
    let mut pairs = [Home { reg: r(2), high: Some(r(3)) }; 11];
    let mut n = 1;
    while n < pairs.len() {
        pairs[n] = Home { reg: r(FIRST[n]), high: Some(r(FIRST[n] + 1)) };
        n += 1;
    }
    pairs
};

static SINGLES: [Home; 16] = {
    let mut homes = [Home::of(s(0)); 16];
    let mut n = 1;
    while n < homes.len() {
        homes[n] = Home::of(s(2 * n as u8));
        n += 1;
    }
    homes
};
static DOUBLES: [Home; 16] = {
    let mut homes = [Home::of(d(0)); 16];
    let mut n = 1;
    while n < homes.len() {
        homes[n] = Home::of(d(2 * n as u8));
        n += 1;
    }
    homes
};

/// Things that are clobbered and hold nothing across instructions. `$31` is [saved](super) in another way.
const NO_REGISTERS: [&str; 8] = ["memory", "cc", "$1", "hi", "lo", "$31", "$fcc0", "$0"];

/// What a constraint asks for; `None` if nobody knows.
pub(super) fn wish(slot: &Slot<'_>) -> Option<Wish> {
    let constraint = slot.constraint;
    if constraint.direction == Direction::Label {
        return None;
    }
    if constraint.is_indirect {
        let is_memory = |letters: &str| matches!(letters, "m" | "o" | "R" | "ZC" | "g" | "X");
        return slot.letters().any(is_memory).then_some(Wish::Memory(&GENERAL));
    }
    let is_clobber = constraint.direction == Direction::Clobber;
    if let Some(name) = slot.name() {
        if is_clobber && NO_REGISTERS.contains(&name) {
            return Some(Wish::Nothing);
        }
        let home = register(name, slot.ty)?;
        return (is_clobber || suits(home, slot.ty)).then_some(Wish::Fixed(home));
    }
    if let Some(wish) = slot.unregistered(&[], takes_number) {
        return Some(wish?).filter(|wish| !matches!(wish, Wish::Flag(_)));
    }
    slot.letters().find_map(|letters| of_letters(letters, slot.ty))
}

/// The registers that letters stand for, if there are such for values of the type.
fn of_letters(letters: &str, ty: Type) -> Option<Wish> {
    match (letters, ty) {
        (_, Type::Void | Type::I1) => None,
        ("f", Type::F32) => Some(Wish::Among(&SINGLES)),
        ("f", Type::F64) => Some(Wish::Among(&DOUBLES)),
        ("r" | "d" | "y" | "g" | "X", Type::I64) => Some(Wish::Among(&PAIRS)),
        ("r" | "d" | "y" | "g" | "X", _) if ty.is_scalar_int() => Some(Wish::Among(&GENERAL)),
        _ => None,
    }
}

/// Whether registers can have a value of the type.
fn suits(home: Home, ty: Type) -> bool {
    match home.reg.0 {
        0..32 => {
            let is_pair = home.high.is_none_or(|high| GENERAL.contains(&Home::of(high)));
            ty.is_scalar_int() && ty != Type::I1 && is_pair
        }
        32..64 => ty == Type::F32,
        _ => ty == Type::F64,
    }
}

/// The registers of this name that may be used for a type.
fn register(name: &str, ty: Type) -> Option<Home> {
    let name = name.strip_prefix('$')?;
    if let Some(number) = name.strip_prefix('f') {
        let number: u8 = number.parse().ok().filter(|&number| number < 32)?;
        return Some(match ty {
            Type::F64 if number.is_multiple_of(2) => Home::of(d(number)),
            Type::F64 => return None,
            _ => Home::of(s(number)),
        });
    }
    let reg = PReg(name.parse().ok()?);
    let high = (ty == Type::I64).then_some(PReg(reg.0.checked_add(1)?));
    GENERAL.contains(&Home::of(reg)).then_some(Home { reg, high })
}

/// Whether letters say that a number may stand in the text.
fn takes_number(letters: &str, number: i64) -> bool {
    match letters {
        "i" | "n" | "g" | "X" => true,
        "I" => i16::try_from(number).is_ok(),
        "J" => number == 0,
        "K" => u16::try_from(number).is_ok(),
        "L" => i32::try_from(number).is_ok() && number & 0xffff == 0,
        "N" => (-65535..=-1).contains(&number),
        "O" => (-0x4000..0x4000).contains(&number),
        "P" => (1..=65535).contains(&number),
        _ => false,
    }
}

/// How an operand stands in the text; `None` if it does not with this modifier.
pub(super) fn written(slot: &Slot<'_>, modifier: &str) -> Option<String> {
    match slot.place {
        Place::Register(home) => match (modifier, home.high) {
            ("" | "z", _) | ("L", Some(_)) => Some(name(home.reg)),
            ("D" | "M", Some(high)) => Some(name(high)),
            _ => None,
        },
        Place::Memory(Home { reg, .. }) => match modifier {
            "" => Some(format!("0({})", name(reg))),
            "D" => Some(format!("4({})", name(reg))),
            _ => None,
        },
        Place::Number(number) => match modifier {
            "z" if number == 0 => Some("$0".into()),
            "" | "d" | "c" | "z" => Some(format!("{number}")),
            "m" => Some(format!("{}", number.wrapping_sub(1))),
            "n" => Some(format!("{}", number.wrapping_neg())),
            "X" => Some(format!("{:#x}", number as u32)),
            "x" => Some(format!("{:#x}", number & 0xffff)),
            _ => None,
        },
        Place::Flag(_) | Place::Symbol(..) | Place::Of(_) | Place::None => None,
    }
}

/// The name of a register.
fn name(reg: PReg) -> String {
    match reg.0 {
        number @ 0..32 => format!("${number}"),
        number @ 32..64 => format!("$f{}", number - 32),
        number => format!("$f{}", 2 * (number - d(0).0)),
    }
}

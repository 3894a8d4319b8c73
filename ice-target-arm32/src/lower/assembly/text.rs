//! How operands stand in the text (LLVM Language Reference, «Asm template argument modifiers», ARM).

use super::places::{Kind, kind};
use alloc::format;
use alloc::string::String;
use ice_codegen::assembly::{Home, Place, Slot};
use ice_regalloc::PReg;

/// How an operand stands in the text; `None` if it does not with this modifier.
pub(super) fn operand(slot: &Slot<'_>, modifier: &str) -> Option<String> {
    match slot.place {
        Place::Register(home) => register(home, modifier),
        Place::Memory(Home { reg, .. }) => match modifier {
            "" | "A" => Some(format!("[{}]", name(reg))),
            "m" => Some(name(reg)),
            _ => None,
        },
        Place::Number(number) => match modifier {
            "" => Some(format!("#{number}")),
            "c" => Some(format!("{number}")),
            "B" => Some(format!("{}", !(number as i32))),
            "L" => Some(format!("{}", number & 0xffff)),
            "n" => Some(format!("{}", number.wrapping_neg())),
            _ => None,
        },
        Place::Flag(_) | Place::Symbol(..) | Place::Of(_) | Place::None => None,
    }
}

fn register(home: Home, modifier: &str) -> Option<String> {
    let Home { reg, high } = home;
    let (kind, number) = kind(reg);
    match (modifier, kind, high) {
        ("" | "P" | "q", ..) => Some(name(reg)),
        ("a", Kind::Core, _) => Some(format!("[{}]", name(reg))),
        ("Q", Kind::Core, Some(_)) => Some(name(reg)),
        ("R" | "H", Kind::Core, Some(high)) => Some(name(high)),
        ("M", Kind::Core, Some(high)) => Some(format!("{{{}, {}}}", name(reg), name(high))),
        ("M", Kind::Core, None) => Some(format!("{{{}}}", name(reg))),
        ("e", Kind::Quad, _) => Some(format!("d{}", 2 * number)),
        ("f", Kind::Quad, _) => Some(format!("d{}", 2 * number + 1)),
        ("h", Kind::Double, _) => Some(format!("{{d{number}}}")),
        ("h", Kind::Quad, _) => Some(format!("{{d{}, d{}}}", 2 * number, 2 * number + 1)),
        ("y", Kind::Single, _) => Some(format!("d{}[{}]", number / 2, number % 2)),
        _ => None,
    }
}

/// The name of a register.
fn name(reg: PReg) -> String {
    let (kind, number) = kind(reg);
    match (kind, number) {
        (Kind::Core, 14) => "lr".into(),
        (Kind::Core, _) => format!("r{number}"),
        (Kind::Single, _) => format!("s{number}"),
        (Kind::Double, _) => format!("d{number}"),
        (Kind::Quad, _) => format!("q{number}"),
    }
}

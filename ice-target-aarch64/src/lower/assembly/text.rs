//! How operands stand in the text (LLVM Language Reference, «Asm template argument modifiers», AArch64).

use super::places::vector_number;
use alloc::format;
use alloc::string::String;
use ice_codegen::assembly::{Home, Place, Slot, symbol_text};
use ice_regalloc::PReg;

/// How an operand stands in the text; `None` if it does not with this modifier.
pub(super) fn operand(slot: &Slot<'_>, modifier: &str) -> Option<String> {
    let zero_register = slot.letters().any(|letters| matches!(letters, "Z" | "z"));
    match slot.place {
        Place::Register(Home { reg, .. }) => register(reg, modifier),
        Place::Memory(Home { reg, .. }) => match modifier {
            "" | "a" => Some(format!("[{}]", name(reg))),
            _ => None,
        },
        Place::Number(0) if zero_register && matches!(modifier, "" | "w" | "x") => {
            Some(String::from(if modifier == "w" { "wzr" } else { "xzr" }))
        }
        Place::Number(number) => match modifier {
            // As an operand that is a register, zero is one.
            "w" | "x" if number == 0 => Some(format!("{modifier}zr")),
            // Without a mark: templates have their own.
            "" | "w" | "x" | "c" => Some(format!("{number}")),
            "n" => Some(format!("{}", number.wrapping_neg())),
            _ => None,
        },
        Place::Symbol(symbol, offset) => match modifier {
            "" | "c" => Some(symbol_text(symbol, offset)),
            "a" => Some(format!("[{}]", symbol_text(symbol, offset))),
            _ => None,
        },
        Place::Flag(_) | Place::Of(_) | Place::None => None,
    }
}

fn register(reg: PReg, modifier: &str) -> Option<String> {
    match (vector_number(reg), modifier) {
        (None, "" | "x") => Some(name(reg)),
        (None, "w") => Some(format!("w{}", reg.0)),
        (None, "a") => Some(format!("[{}]", name(reg))),
        (Some(number), "b" | "h" | "s" | "d" | "q") => Some(format!("{modifier}{number}")),
        (Some(_), "") => Some(name(reg)),
        _ => None,
    }
}

/// The name of a register: of all its bits.
fn name(reg: PReg) -> String {
    match vector_number(reg) {
        None => format!("x{}", reg.0),
        Some(number) => format!("v{number}"),
    }
}

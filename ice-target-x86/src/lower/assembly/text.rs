//! How operands stand in the text (LLVM Language Reference, «Asm template argument modifiers», x86).

use super::places::is_vector;
use crate::target::X86;
use alloc::format;
use alloc::string::String;
use ice_asm::x86::{Gpr, NamedRegister, Width};
use ice_codegen::assembly::{AssemblyRules as _, Home, Place, Slot, symbol_text};
use ice_ir::assembly::Dialect;
use ice_regalloc::PReg;

/// The name of a general register.
pub(super) fn name(reg: PReg, width: Width, is_high: bool) -> &'static str {
    NamedRegister { reg: Gpr::new(reg.0), width, is_high }.name()
}

/// How an operand stands in the text.
pub(super) fn operand(target: X86, slot: &Slot<'_>, modifier: &str, dialect: Dialect) -> Option<String> {
    let is_att = dialect == Dialect::Att;
    let percent = if is_att { "%" } else { "" };
    match slot.place {
        Place::Register(Home { high: Some(_), .. }) => {
            matches!(modifier, "" | "k").then(|| format!("{percent}eax"))
        }
        Place::Register(Home { reg, .. }) | Place::Flag(Home { reg, .. }) if is_vector(reg) => {
            let length = match modifier {
                "" if slot.ty.is_wide() => "ymm",
                "" | "x" => "xmm",
                "t" => "ymm",
                _ => return None,
            };
            Some(format!("{percent}{length}{}", reg.0 - 16))
        }
        Place::Register(Home { reg, .. }) | Place::Flag(Home { reg, .. }) => {
            let own = target.width(X86::type_in(reg, slot.ty));
            match modifier {
                "a" => Some(memory(name(reg, own, false), 0, is_att)),
                "V" => Some(name(reg, own, false).into()),
                "z" => Some(own.suffix().into()),
                "h" if reg.0 < 4 => Some(format!("{percent}{}", name(PReg(reg.0 + 4), Width::B8, true))),
                _ => {
                    let width = match modifier {
                        "" => own,
                        "b" => Width::B8,
                        "w" => Width::B16,
                        "k" => Width::B32,
                        "q" => Width::B64,
                        _ => return None,
                    };
                    Some(format!("{percent}{}", name(reg, width, false)))
                }
            }
        }
        Place::Memory(Home { reg, .. }) => {
            let name = name(reg, target.width(slot.ty), false);
            match modifier {
                "" | "P" | "b" | "w" | "k" | "q" => Some(memory(name, 0, is_att)),
                "H" => Some(memory(name, 8, is_att)),
                _ => None,
            }
        }
        Place::Number(number) => match modifier {
            "c" | "P" | "p" => Some(format!("{number}")),
            "n" => Some(format!("{}", number.wrapping_neg())),
            "" | "b" | "w" | "k" | "q" if is_att => Some(format!("${number}")),
            "" | "b" | "w" | "k" | "q" => Some(format!("{number}")),
            _ => None,
        },
        Place::Symbol(symbol, offset) => {
            let name = symbol_text(symbol, offset);
            match modifier {
                "c" | "P" | "p" | "l" | "a" => Some(name),
                "" | "k" | "q" if is_att => Some(format!("${name}")),
                "" | "k" | "q" => Some(format!("offset {name}")),
                _ => None,
            }
        }
        Place::None | Place::Of(_) => None,
    }
}

/// Memory at an address in a register.
fn memory(name: &str, disp: u8, is_att: bool) -> String {
    match (is_att, disp) {
        (true, 0) => format!("(%{name})"),
        (true, _) => format!("{disp}(%{name})"),
        (false, 0) => format!("[{name}]"),
        (false, _) => format!("[{name} + {disp}]"),
    }
}

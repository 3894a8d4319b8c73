//! The text of inline assembly, with its operands in place (LLVM Language Reference, «Asm template argument modifiers»).

use super::Refusal;
use super::places::{Place, Slot, is_vector};
use crate::target::X86;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;
use ice_asm::x86::{Gpr, NamedRegister, Width};
use ice_ir::Type;
use ice_ir::assembly::{Assembly, Choice, Dialect, Piece};
use ice_regalloc::PReg;

/// The template with the names of the places, and behind it what makes numbers of flags. `unique` is a number that no
/// other statement of the function has.
///
/// # Errors
/// The template names an operand or a modifier that is not there.
pub(super) fn of(
    target: X86,
    assembly: &Assembly,
    slots: &[Slot<'_>],
    unique: u32,
) -> Result<String, Refusal> {
    let mut text = String::new();
    for piece in assembly.pieces() {
        match piece.ok_or("a $ without meaning")? {
            Piece::Text(plain) => text.push_str(plain),
            Piece::Unique => {
                let _ = write!(text, "{unique}");
            }
            Piece::Private => text.push_str(".L"),
            Piece::Comment => text.push('#'),
            Piece::Operand(number, modifier) => {
                // What is destroyed has no name.
                let slot = slots.get(number as usize).filter(|slot| slot.ty != Type::Void);
                let name = slot
                    .and_then(|slot| operand(target, slot, modifier.unwrap_or_default(), assembly.dialect));
                text.push_str(&name.ok_or_else(|| format!("operand {number} as {modifier:?}"))?);
            }
        }
    }
    for slot in slots {
        if let (Place::Flag(reg), [Choice::Flag(cond)]) = (slot.place, &*slot.constraint.choices) {
            let [byte, word] = [Width::B8, Width::B32].map(|width| name(reg, width, false));
            let _ = write!(text, "\n.att_syntax\nset{cond} %{byte}\nmovzbl %{byte}, %{word}");
        }
    }
    Ok(text)
}

/// The name of a general register.
fn name(reg: PReg, width: Width, is_high: bool) -> &'static str {
    NamedRegister { reg: Gpr::new(reg.0), width, is_high }.name()
}

/// How an operand stands in the text.
fn operand(target: X86, slot: &Slot<'_>, modifier: &str, dialect: Dialect) -> Option<String> {
    let is_att = dialect == Dialect::Att;
    let percent = if is_att { "%" } else { "" };
    match slot.place {
        Place::Register(reg) | Place::Flag(reg) if is_vector(reg) => {
            matches!(modifier, "" | "x").then(|| format!("{percent}xmm{}", reg.0 - 16))
        }
        Place::Register(reg) | Place::Flag(reg) => match modifier {
            "a" => Some(memory(name(reg, target.width(slot.ty), false), 0, is_att)),
            "V" => Some(name(reg, target.width(slot.ty), false).into()),
            "z" => Some(target.width(slot.ty).suffix().into()),
            "h" if reg.0 < 4 => Some(format!("{percent}{}", name(PReg(reg.0 + 4), Width::B8, true))),
            _ => {
                let width = match modifier {
                    "" => target.width(slot.ty),
                    "b" => Width::B8,
                    "w" => Width::B16,
                    "k" => Width::B32,
                    "q" => Width::B64,
                    _ => return None,
                };
                Some(format!("{percent}{}", name(reg, width, false)))
            }
        },
        Place::Pair => matches!(modifier, "" | "k").then(|| format!("{percent}eax")),
        Place::Memory(reg) => {
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
        Place::None => None,
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

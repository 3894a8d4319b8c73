//! The text of inline assembly, with its operands in place (LLVM Language Reference, «Asm template argument modifiers»).

use super::{AssemblyRules, Place, Refusal, Slot, TextReloc, TextTarget};
use crate::compiled::CodeSymbol;
use crate::mach::Tables;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;
use ice_asm::{AssembledReloc, AssembledTarget};
use ice_ir::assembly::{Assembly, Choice, Direction, Piece};
use ice_ir::{FuncId, GlobalId, Symbol, Type};

/// What the name of a label of the statement begins with; its number follows.
const LABEL: &str = ".Lice_label_";

/// What the names of functions and variables begin with that are operands; their numbers follow.
const FUNCTION: &str = ".Lice_function_";
const VARIABLE: &str = ".Lice_variable_";

/// The number, among the labels of a statement, of the operand `number`.
fn label_of(slots: &[Slot<'_>], number: u32) -> Option<usize> {
    let is_label = |slot: &Slot<'_>| slot.constraint.direction == Direction::Label;
    let slot = slots.get(number as usize).filter(|slot| is_label(slot));
    slot.map(|_| slots[..number as usize].iter().filter(|slot| is_label(slot)).count())
}

/// How the address of a symbol that is an operand stands in a text.
#[must_use]
pub fn symbol_text(symbol: Symbol, offset: i64) -> String {
    let mut text = match symbol {
        Symbol::Function(function) => format!("{FUNCTION}{}", function.as_u32()),
        Symbol::Global(global) => format!("{VARIABLE}{}", global.as_u32()),
    };
    if offset != 0 {
        let _ = write!(text, "{offset:+}");
    }
    text
}

/// A relocation of a text as one of the function's code. What is not said by an operand has its name in `tables`.
pub(super) fn relocation(reloc: &AssembledReloc, tables: &mut Tables) -> Result<TextReloc, Refusal> {
    let &AssembledReloc { offset, kind, ref target, addend } = reloc;
    let number = |name: &str, start: &str| name.strip_prefix(start).and_then(|rest| rest.parse::<u32>().ok());
    let target = match target {
        AssembledTarget::Section(0) => TextTarget::Code,
        AssembledTarget::Section(section) => TextTarget::Part(*section as u32 - 1),
        AssembledTarget::Name(name) => {
            if let Some(label) = number(name, LABEL) {
                // The first target is the one behind the text.
                TextTarget::Block(label + 1)
            } else if let Some(function) = number(name, FUNCTION) {
                TextTarget::Symbol(CodeSymbol::Function(FuncId::from_u32(function)).pack())
            } else if let Some(global) = number(name, VARIABLE) {
                TextTarget::Symbol(CodeSymbol::Global(GlobalId::from_u32(global)).pack())
            } else if name.starts_with(".L") {
                return Err(format!("the label {name} is not in the text").into());
            } else {
                TextTarget::Symbol(CodeSymbol::Named(tables.add_name(name)).pack())
            }
        }
    };
    Ok(TextReloc { offset, kind, target, addend })
}

/// The refusal of an operand that is not there, or not with this modifier.
fn unwritten(number: u32, modifier: Option<&str>) -> Refusal {
    let written = match modifier {
        None => format!("${number}"),
        Some(modifier) => format!("${{{number}:{modifier}}}"),
    };
    format!("the operand {written}").into()
}

/// The template with the names of the places, and behind it what makes numbers of flags. `unique` is a number that no
/// other statement of the function has.
///
/// # Errors
/// The template names an operand or a modifier that is not there.
pub(super) fn of<M: AssemblyRules>(
    machine: M,
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
            Piece::Comment => text.push_str(M::COMMENT),
            Piece::Operand(number, modifier) if label_of(slots, number).is_some() => {
                if !matches!(modifier, None | Some("l" | "c" | "P")) {
                    return Err(unwritten(number, modifier));
                }
                let _ = write!(text, "{LABEL}{}", label_of(slots, number).unwrap_or_default());
            }
            Piece::Operand(number, modifier) => {
                // What is destroyed has no name.
                let slot = slots.get(number as usize).and_then(|slot| match slot.place {
                    Place::Of(output) => slots.get(output),
                    _ => Some(slot),
                });
                let slot = slot.filter(|slot| slot.ty != Type::Void);
                let name = slot
                    .and_then(|slot| machine.written(slot, modifier.unwrap_or_default(), assembly.dialect));
                text.push_str(&name.ok_or_else(|| unwritten(number, modifier))?);
            }
        }
    }
    for slot in slots {
        if let (Place::Flag(home), [Choice::Flag(cond)]) = (slot.place, &*slot.constraint.choices) {
            machine.write_flag(cond, home.reg, &mut text);
        }
    }
    Ok(text)
}

//! The text of inline assembly, with its operands in place (LLVM Language Reference, «Asm template argument modifiers»).

use super::{AssemblyRules, Place, Refusal, Slot};
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;
use ice_ir::Type;
use ice_ir::assembly::{Assembly, Choice, Piece};

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
            Piece::Operand(number, modifier) => {
                // What is destroyed has no name.
                let slot = slots.get(number as usize).filter(|slot| slot.ty != Type::Void);
                let name = slot
                    .and_then(|slot| machine.written(slot, modifier.unwrap_or_default(), assembly.dialect));
                text.push_str(&name.ok_or_else(|| format!("operand {number} as {modifier:?}"))?);
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

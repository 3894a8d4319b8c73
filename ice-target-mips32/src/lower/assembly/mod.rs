//! Inline assembly: [`places`] says which registers constraints mean and what they are called; the assembler is
//! `ice-asm`'s.
//!
//! A function whose text destroys `$31` saves it as if it called.

mod places;
#[cfg(test)]
mod tests;

use crate::inst::Inst;
use crate::target::Mips32;
use alloc::string::{String, ToString as _};
use ice_asm::Assembled;
use ice_asm::mips32::assemble;
use ice_codegen::assembly::{AssemblyRules, Refusal, Slot, Wish};
use ice_codegen::mach::FrameInfo;
use ice_ir::Type;
use ice_ir::assembly::Dialect;
use ice_regalloc::PReg;

impl AssemblyRules for Mips32 {
    const COMMENT: &'static str = "#";

    fn admits_assembly(&self) -> bool {
        !self.is_confined()
    }

    fn wish(&self, slot: &Slot<'_>) -> Option<Wish> {
        places::wish(slot)
    }

    fn written(&self, slot: &Slot<'_>, modifier: &str, _: Dialect) -> Option<String> {
        places::written(slot, modifier)
    }

    fn assembled(&self, text: &str, _: Dialect) -> Result<Assembled, Refusal> {
        assemble(text).map(Assembled::of_code).map_err(|error| error.to_string().into())
    }

    fn assembly_inst(number: u32) -> Inst {
        Inst::Assembly { number }
    }

    fn type_in(reg: PReg, _: Type) -> Type {
        match reg.0 {
            0..32 => Type::I32,
            32..64 => Type::F32,
            _ => Type::F64,
        }
    }

    fn note_frame(&self, slots: &[Slot<'_>], frame: &mut FrameInfo) {
        frame.has_calls |= slots.iter().any(|slot| slot.name() == Some("$31"));
    }
}

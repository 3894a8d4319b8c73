//! Sections for debuggers as text.

use super::{AssemblyOutput, field_directive, write_bytes};
use crate::debug::DebugTables;
use core::fmt::{self, Write};
use ice_elf::{DebugTarget, Sink};
use ice_ir::FuncId;

/// The label at the start of a function that tables refer to.
pub(super) struct StartLabel(pub FuncId);

impl fmt::Display for StartLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".LB{}", self.0.as_u32())
    }
}

impl<S: Sink> AssemblyOutput<'_, '_, S> {
    /// Writes the debug information, if any function has some.
    pub(super) fn write_debug(&mut self) -> fmt::Result {
        let Some((sections, functions)) = self.debug.take().map(DebugTables::finish) else { return Ok(()) };
        let (out, sh_type) = (&mut self.text, self.machine.debug_section_type());
        for (number, section) in sections.iter().enumerate() {
            writeln!(out, "\t.section {},\"\",%{sh_type:#x}\n.LD{number}:", section.name)?;
            let mut at = 0;
            for field in &section.fields {
                let start = field.offset as usize;
                write_bytes(out, &section.bytes[at..start])?;
                at = start + usize::from(field.bytes);
                out.push_str(field_directive(field.bytes));
                match field.target {
                    DebugTarget::Section(section) => write!(out, ".LD{section}")?,
                    DebugTarget::Function(index) => write!(out, "{}", StartLabel(functions[index as usize]))?,
                }
                writeln!(out, "+{}", field.addend)?;
            }
            write_bytes(out, &section.bytes[at..])?;
        }
        Ok(())
    }
}

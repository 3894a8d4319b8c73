//! Sections for debuggers, which no process loads.

use super::ObjectOutput;
use crate::debug::DebugTables;
use crate::error::Error;
use ice_asm::RelocKind;
use ice_elf::{AddendPlacement, DebugTarget, Location, Relocation, SectionSpec, Sink, Target};
use ice_ir::Symbol;

impl<S: Sink> ObjectOutput<'_, S> {
    /// Writes the debug information, if any function has some.
    pub(super) fn write_debug(&mut self) -> Result<(), Error> {
        let Some((sections, functions)) = self.debug.take().map(DebugTables::finish) else { return Ok(()) };
        let mut numbers = Vec::with_capacity(sections.len());
        for section in &sections {
            let spec = SectionSpec::new(section.name.as_bytes(), self.machine.debug_section_type(), 0);
            numbers.push(self.writer.create_section(&spec)?);
        }
        for (number, section) in sections.iter().enumerate() {
            self.relocations.clear();
            for field in &section.fields {
                let (kind, placement) = match field.bytes {
                    8 => (RelocKind::Abs64, AddendPlacement::Width8),
                    _ => (RelocKind::Abs32, AddendPlacement::Width4),
                };
                let (target, start) = match field.target {
                    DebugTarget::Section(section) => (Target::Section(numbers[section]), 0),
                    DebugTarget::Function(index) => {
                        let symbol = self.symbol(Symbol::Function(functions[index as usize]));
                        match self.writer.symbol_place(symbol)? {
                            // By its section: the linker may take a symbol for another function of the same name.
                            Some((Location { section, offset }, _)) => (Target::Section(section), offset),
                            None => (Target::Symbol(symbol), 0),
                        }
                    }
                };
                let addend = start as i64 + i64::from(field.addend);
                let r_type = self.relocation_type(kind)?;
                self.relocations.push(Relocation { offset: field.offset, r_type, target, addend, placement });
            }
            self.writer.append_data(numbers[number], 1, &section.bytes, self.relocations.drain(..))?;
        }
        Ok(())
    }
}

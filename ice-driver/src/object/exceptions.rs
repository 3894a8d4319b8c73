//! Tables for exceptions, and words with the addresses that they refer to.
//!
//! The words are in a section that the linker relocates, so that the tables themselves stay as they are wherever the program
//! is put, and whoever defines the types.

use super::ObjectOutput;
use crate::error::Error;
use crate::unwind::{Frames, write_exceptions};
use ice_asm::RelocKind;
use ice_codegen::exceptions::ExceptionTable;
use ice_elf::{
    AddendPlacement, EXCEPTION_TABLE_ALIGNMENT, Relocation, SectionId, SectionSpec, Sink, StandardSection,
    Target, TypeForm, elf,
};
use ice_ir::{Symbol, Type};

impl<S: Sink> ObjectOutput<'_, S> {
    /// Writes the table of a function of `size` bytes, to which this field of its entry for unwinding refers.
    pub(super) fn write_exceptions(
        &mut self,
        field: u64,
        table: &ExceptionTable,
        size: u32,
    ) -> Result<(), Error> {
        self.address_word(Symbol::Function(table.personality))?;
        let section = self.exception_section()?;
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        self.type_references.clear();
        write_exceptions(TypeForm::Distance, table, size, &mut bytes, &mut self.type_references);
        let mut waiting = Vec::with_capacity(self.type_references.len());
        for index in 0..self.type_references.len() {
            let reference = self.type_references[index];
            if let Some(ty) = table.types[reference.index] {
                let (word_section, word) = self.address_word(ty)?;
                waiting.push(self.distance(reference.field, Target::Section(word_section), word)?);
            }
        }
        self.relocations = waiting;
        let relocations = self.relocations.drain(..);
        let offset = self.writer.append_data(section, EXCEPTION_TABLE_ALIGNMENT, &bytes, relocations)?;
        self.bytes = bytes;
        let reference = self.distance(field, Target::Section(section), offset)?;
        self.frame_relocations.push(reference);
        Ok(())
    }

    fn exception_section(&mut self) -> Result<SectionId, Error> {
        if let Some(section) = self.exception_section {
            return Ok(section);
        }
        let spec = SectionSpec::new(b".gcc_except_table", elf::SHT_PROGBITS, elf::SHF_ALLOC.into());
        let section = self.writer.create_section(&spec)?;
        self.exception_section = Some(section);
        Ok(section)
    }

    /// A word with the address of a symbol: its section and offset.
    fn address_word(&mut self, symbol: Symbol) -> Result<(SectionId, u64), Error> {
        let section = self.writer.standard_section(StandardSection::DataRelRo)?;
        if let Some(&known) = self.address_words.get(&symbol) {
            return Ok((section, known));
        }
        let (kind, placement, size) = match self.module.pointer_type {
            Type::I64 => (RelocKind::Abs64, AddendPlacement::Width8, 8),
            _ => (RelocKind::Abs32, AddendPlacement::Width4, 4),
        };
        let target = Target::Symbol(self.symbol(symbol));
        let r_type = self.relocation_type(kind)?;
        self.relocations.push(Relocation { offset: 0, r_type, target, addend: 0, placement });
        let word = &[0; 8][..size];
        let offset = self.writer.append_data(section, size as u64, word, self.relocations.drain(..))?;
        self.address_words.insert(symbol, offset);
        Ok((section, offset))
    }

    /// Lets the entries for unwinding refer to words with the addresses of the personality routines.
    pub(super) fn refer_to_personalities(&mut self) -> Result<(), Error> {
        let personalities: Vec<_> = self.frames.iter().flat_map(Frames::personalities).collect();
        for (personality, field) in personalities {
            let (section, word) = self.address_word(Symbol::Function(personality))?;
            let reference = self.distance(field, Target::Section(section), word)?;
            self.frame_relocations.push(reference);
        }
        // Linkers read the section entry by entry.
        self.frame_relocations.sort_by_key(|relocation| relocation.offset);
        Ok(())
    }
}

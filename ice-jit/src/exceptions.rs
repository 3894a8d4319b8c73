//! Tables for exceptions in memory, and words with the addresses that they refer to: beside the constants of code.

use crate::error::Error;
use crate::object::{Area, Object, Place, Target};
use ice_asm::RelocKind;
use ice_codegen::exceptions::ExceptionTable;
use ice_driver::unwind::{Frames, write_exceptions};
use ice_elf::{EXCEPTION_TABLE_ALIGNMENT, TypeForm};
use ice_ir::{Symbol, Type};

impl Object<'_> {
    /// Adds the table of a function of `size` bytes, and gives its place.
    ///
    /// # Errors
    /// A defect: the machine has no distances of 32 bits.
    pub(crate) fn add_exceptions(&mut self, table: &ExceptionTable, size: u32) -> Result<Place, Error> {
        let area = &mut self.filled[Area::Constants as usize];
        area.align(EXCEPTION_TABLE_ALIGNMENT, 0);
        let mut references = Vec::new();
        let offset = write_exceptions(TypeForm::Distance, table, size, &mut area.bytes, &mut references);
        for reference in references {
            if let Some(ty) = table.types[reference.index] {
                let word = self.address_word(ty)?;
                let at = Place { area: Area::Constants, offset: reference.field };
                self.add_fix(at, RelocKind::PcRel32, Target::Place(word), 0)?;
            }
        }
        Ok(Place { area: Area::Constants, offset })
    }

    /// A word with the address of a symbol.
    fn address_word(&mut self, symbol: Symbol) -> Result<Place, Error> {
        if let Some(&known) = self.address_words.get(&symbol) {
            return Ok(known);
        }
        let (kind, size) = match self.module.pointer_type {
            Type::I64 => (RelocKind::Abs64, 8),
            _ => (RelocKind::Abs32, 4),
        };
        let area = &mut self.filled[Area::Constants as usize];
        let offset = area.align(size as u64, 0);
        area.bytes.extend_from_slice(&[0; 8][..size]);
        let place = Place { area: Area::Constants, offset };
        let (target, addend) = self.target(symbol);
        self.add_fix(place, kind, target, addend)?;
        self.address_words.insert(symbol, place);
        Ok(place)
    }

    /// Lets the entries for unwinding refer to words with the addresses of the personality routines.
    ///
    /// # Errors
    /// A defect: the machine has no addresses of its own width.
    pub(crate) fn refer_to_personalities(&mut self) -> Result<(), Error> {
        let personalities: Vec<_> = self.frames.iter().flat_map(Frames::personalities).collect();
        for (personality, field) in personalities {
            let word = self.address_word(Symbol::Function(personality))?;
            self.frame_references.push((field, word));
        }
        Ok(())
    }
}

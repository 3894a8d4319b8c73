//! Functions whose code may change, in an object: thunks, cells, stubs and the entry of [`glue`](crate::glue).

use crate::error::Error;
use crate::glue::{Glue, Piece};
use crate::object::{Area, Object, Place, Target};
use ice_asm::RelocKind;
use ice_ir::{FuncId, Type};

/// Alignment of pieces of code, in bytes.
const ALIGNMENT: u64 = 16;

/// What the entry calls, and what with.
pub(crate) struct Resolver {
    pub(crate) context: u64,
    pub(crate) resolve: u64,
}

impl Object<'_> {
    fn add_code(&mut self, code: &[u8]) -> Place {
        let area = &mut self.filled[Area::Code as usize];
        let offset = area.align(ALIGNMENT, 0);
        area.bytes.extend_from_slice(code);
        Place { area: Area::Code, offset }
    }

    fn add_piece(&mut self, piece: &Piece, target: Place) -> Result<Place, Error> {
        let place = self.add_code(piece.code);
        let at = Place { offset: place.offset + piece.field.offset, ..place };
        self.add_fix(at, piece.field.kind, Target::Place(target), piece.field.addend)?;
        Ok(place)
    }

    /// Makes a function jump to the address in a cell, and gives the cell.
    pub(crate) fn add_thunk(&mut self, function: FuncId, glue: &Glue) -> Result<Place, Error> {
        // A jump reads an address of the machine, whatever the width of those of the program.
        let width = u64::from(self.machine.address_type().bytes());
        let cell = Place { area: Area::Variables, offset: self.make_room(Area::Variables, width, width)? };
        let thunk = self.add_piece(&glue.thunk, cell)?;
        self.functions[function.as_u32() as usize] = Some(thunk);
        Ok(cell)
    }

    /// Makes the entry.
    pub(crate) fn add_entry(&mut self, glue: &Glue, resolver: &Resolver) -> Place {
        let width = self.machine.address_type().bytes() as usize;
        let words = [resolver.context, resolver.resolve];
        let is_wide = self.module.functions.values().any(|decl| decl.traits.wide_registers);
        let mut code = glue.wide_entry.filter(|_| is_wide).unwrap_or(glue.entry).to_vec();
        words.iter().for_each(|word| code.extend_from_slice(&word.to_le_bytes()[..width]));
        self.add_code(&code)
    }

    /// Makes the stub of function `number` and points the cell to it.
    pub(crate) fn add_stub(
        &mut self,
        glue: &Glue,
        entry: Place,
        number: u32,
        cell: Place,
    ) -> Result<(), Error> {
        let stub = self.add_piece(&glue.stub, entry)?;
        let at = stub.offset as usize + glue.number;
        self.filled[Area::Code as usize].bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        let kind = if self.machine.address_type() == Type::I64 { RelocKind::Abs64 } else { RelocKind::Abs32 };
        self.add_fix(cell, kind, Target::Place(stub), 0)
    }
}

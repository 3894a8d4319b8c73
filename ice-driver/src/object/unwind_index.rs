//! Tables for unwinding and for exceptions beside each section of code, by an index of its functions.
//!
//! The sections of a function live and die with its code: they are in its group, and the index is linked to it. Where no
//! function of a section has an entry, there is no index; where some have, the others are said to have none, so that none
//! of them is taken for the one before.

use super::ObjectOutput;
use crate::error::Error;
use crate::placement::Placement;
use crate::unwind::{Entries, IndexRelocations, UnwindForm, index_instructions, write_exceptions};
use ice_codegen::FrameStep;
use ice_codegen::exceptions::ExceptionTable;
use ice_elf::{
    AddendPlacement, Binding, Location, Relocation, SectionId, SectionSpec, Sink, SymbolId, SymbolKind,
    Target, TypeForm, Visibility, ehabi, elf,
};
use ice_ir::{FuncId, Symbol};
use std::collections::HashMap;

/// What is written so far.
pub(super) struct UnwindIndex {
    pub(super) entries: Entries,
    relocations: IndexRelocations,
    /// By section of code.
    sections: HashMap<SectionId, IndexSection>,
    routines: [Option<SymbolId>; ehabi::ROUTINES.len()],
}

#[derive(Clone, Copy)]
struct IndexSection {
    index: SectionId,
    /// Table entries, once there is one.
    table: Option<SectionId>,
    /// Whether what comes behind the last entry has none.
    is_closed: bool,
}

impl UnwindIndex {
    /// Nothing yet; `None` where tables have another form.
    pub(super) fn new(entries: Entries) -> Option<UnwindIndex> {
        let UnwindForm::Index(relocations) = entries.form else { return None };
        let (sections, routines) = (HashMap::new(), [None; ehabi::ROUTINES.len()]);
        Some(UnwindIndex { entries, relocations, sections, routines })
    }
}

/// The steps of a function, and its exceptions with the size of its code.
pub(super) type FunctionTables<'a> = (&'a [FrameStep], Option<(&'a ExceptionTable, u32)>);

/// What the second word of an entry holds.
enum Second {
    /// A number, in an entry that has a routine of the library mentioned.
    Word(u32, Option<SymbolId>),
    /// The distance to this offset of a table.
    Distance(SectionId, u64),
}

impl<'m, S: Sink> ObjectOutput<'m, S> {
    /// Writes what is said of the function at a place of code: its tables, if it has some.
    pub(super) fn write_index_entry(
        &mut self,
        function: FuncId,
        place: &Placement<'m>,
        code: Location,
        tables: Option<FunctionTables<'_>>,
    ) -> Result<(), Error> {
        let Some(index) = &self.index else { return Ok(()) };
        if tables.is_none() && index.sections.is_empty() {
            return Ok(());
        }
        let known = index.sections.get(&code.section).copied();
        let closed = Second::Word(ehabi::CANNOT_UNWIND, None);
        let Some((steps, exceptions)) = tables else {
            return match known {
                Some(section) if !section.is_closed => {
                    self.note_index(code.section, IndexSection { is_closed: true, ..section });
                    self.append_entry(section.index, code, closed)
                }
                _ => Ok(()),
            };
        };
        let mut section = match known {
            Some(section) => section,
            None => {
                let link = Some(code.section);
                let index =
                    self.unwind_section(place, link, ehabi::INDEX, ehabi::INDEX_TYPE, ehabi::INDEX_FLAGS)?;
                if code.offset > 0 {
                    self.append_entry(index, Location { offset: 0, ..code }, closed)?;
                }
                IndexSection { index, table: None, is_closed: false }
            }
        };
        section.is_closed = false;
        let instructions = index_instructions(self.module, function, steps)?;
        let second = match (exceptions, ehabi::short_entry(&instructions)) {
            (None, Some(word)) => Second::Word(word, Some(self.routine(0)?)),
            (exceptions, _) => {
                let table = match section.table {
                    Some(table) => table,
                    None => {
                        let kind = (elf::SHT_PROGBITS, elf::SHF_ALLOC);
                        self.unwind_section(place, None, ehabi::TABLE, kind.0, kind.1)?
                    }
                };
                section.table = Some(table);
                Second::Distance(table, self.append_table_entry(table, &instructions, exceptions)?)
            }
        };
        self.note_index(code.section, section);
        self.append_entry(section.index, code, second)
    }

    fn note_index(&mut self, code: SectionId, section: IndexSection) {
        if let Some(index) = &mut self.index {
            index.sections.insert(code, section);
        }
    }

    /// A section beside a section of code.
    fn unwind_section(
        &mut self,
        place: &Placement<'m>,
        link: Option<SectionId>,
        prefix: &[u8],
        sh_type: u32,
        sh_flags: u32,
    ) -> Result<SectionId, Error> {
        let named = place.named_section();
        let group = match named.as_ref().and_then(|named| named.comdat) {
            Some(comdat) => Some(self.group(comdat)?),
            None => None,
        };
        let suffix = named.as_ref().map_or(&[][..], |named| &named.name);
        let name = [prefix, suffix].concat();
        let spec = SectionSpec { group, link, ..SectionSpec::new(&name, sh_type, sh_flags.into()) };
        Ok(self.writer.create_section(&spec)?)
    }

    /// The symbol of a routine of the library.
    fn routine(&mut self, number: usize) -> Result<SymbolId, Error> {
        let name = ehabi::ROUTINES[number].as_bytes();
        if let Some(symbol) = self.index.as_ref().and_then(|index| index.routines[number]) {
            return Ok(symbol);
        }
        let symbol = match self.visible.get(name) {
            Some(&symbol) => symbol,
            None => {
                let (binding, kind) = (Binding::Global, SymbolKind::NoType);
                self.writer.declare_symbol(name, binding, kind, Visibility::Default)?
            }
        };
        if let Some(index) = &mut self.index {
            index.routines[number] = Some(symbol);
        }
        Ok(symbol)
    }

    fn index_relocations(&self) -> Result<IndexRelocations, Error> {
        let index = self.index.as_ref().map(|index| index.relocations);
        index.ok_or(Error::UnsupportedRelocation(ice_asm::RelocKind::PcRel32))
    }

    /// Appends an entry to an index.
    fn append_entry(&mut self, index: SectionId, code: Location, second: Second) -> Result<(), Error> {
        let types = self.index_relocations()?;
        let placement = AddendPlacement::Width4;
        let distance = |offset: u64, (section, to): (SectionId, u64)| Relocation {
            offset,
            r_type: types.distance,
            target: Target::Section(section),
            addend: to as i64,
            placement,
        };
        let mut bytes = [0; 8];
        let mut relocations = vec![distance(0, (code.section, code.offset))];
        match second {
            Second::Word(word, routine) => {
                bytes[4..].copy_from_slice(&word.to_le_bytes());
                let mention = |routine| Relocation {
                    offset: 0,
                    r_type: types.mention,
                    target: Target::Symbol(routine),
                    addend: 0,
                    placement: AddendPlacement::CallerDone,
                };
                relocations.extend(routine.map(mention));
            }
            Second::Distance(table, offset) => relocations.push(distance(4, (table, offset))),
        }
        self.writer.append_data(index, ehabi::ALIGNMENT, &bytes, relocations)?;
        Ok(())
    }

    /// Appends an entry to a table, and gives its offset.
    fn append_table_entry(
        &mut self,
        table: SectionId,
        instructions: &[u8],
        exceptions: Option<(&ExceptionTable, u32)>,
    ) -> Result<u64, Error> {
        let types = self.index_relocations()?;
        let (mut bytes, mut relocations) = (Vec::new(), Vec::new());
        let placement = AddendPlacement::Width4;
        match exceptions {
            Some((exceptions, size)) => {
                let mut refer = |offset, r_type, symbol| {
                    relocations.push(Relocation {
                        offset,
                        r_type,
                        target: Target::Symbol(symbol),
                        addend: 0,
                        placement,
                    });
                };
                refer(0, types.distance, self.symbol(Symbol::Function(exceptions.personality)));
                ehabi::write_entry(instructions, &mut bytes);
                let mut references = Vec::new();
                write_exceptions(TypeForm::Word, exceptions, size, &mut bytes, &mut references);
                for reference in references {
                    if let Some(ty) = exceptions.types[reference.index] {
                        refer(reference.field, types.type_info, self.symbol(ty));
                    }
                }
            }
            None => {
                let (target, r_type) = (Target::Symbol(self.routine(1)?), types.mention);
                let placement = AddendPlacement::CallerDone;
                relocations.push(Relocation { offset: 0, r_type, target, addend: 0, placement });
                ehabi::write_long_entry(instructions, &mut bytes);
            }
        }
        Ok(self.writer.append_data(table, ehabi::ALIGNMENT, &bytes, relocations)?)
    }
}

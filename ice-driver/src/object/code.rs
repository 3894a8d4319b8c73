//! Functions: their code, what it refers to, and their jump tables.

use super::{CONSTANT_SECTIONS, ObjectOutput, function_alignment};
use crate::error::Error;
use crate::machine::FUNCTION_ALIGNMENT;
use crate::placement::Placement;
use crate::relocations::{TableEntries, needs_symbol};
use ice_asm::{ConstantId, Reloc, RelocKind};
use ice_codegen::{CodeSymbol, FunctionCode};
use ice_elf::{
    AddendPlacement, Binding, Code, CodeSection, Location, Relocation, SectionId, SectionSpec, Sink,
    SymbolId, SymbolKind, Target, Visibility, elf,
};
use ice_ir::{FuncId, Symbol};

/// The section that says which traps are those of calls to functions of other types.
pub const TYPE_TRAPS: &str = ".kcfi_traps";

/// Where the jump tables of a function begin, and what its texts have in other sections is.
pub(super) type Places<'a> = (Option<(SectionId, u64)>, &'a [Location]);

/// The word at an offset of code.
fn word_at(code: &mut [u8], offset: u32) -> Option<&mut [u8; 4]> {
    code.get_mut(offset as usize..)?.first_chunk_mut()
}

impl<'m, S: Sink> ObjectOutput<'m, S> {
    /// The target of a reference to a constant, and what to add to the addend.
    fn constant(&mut self, id: ConstantId, kind: RelocKind) -> Result<(Target, i64), Error> {
        let (_, section) = CONSTANT_SECTIONS[id.size as usize];
        let section = self.writer.standard_section(section)?;
        if !needs_symbol(self.machine, kind) {
            return Ok((Target::Section(section), i64::from(self.pool_order.offset(id))));
        }
        let known = self.constant_symbols.binary_search_by_key(&id, |&(id, _)| id);
        let symbol = match known {
            Ok(index) => self.constant_symbols[index].1,
            Err(index) => {
                let name = match self.is_native() {
                    true => String::new(),
                    false => format!(".LC{}_{}", id.size.bytes(), id.index),
                };
                let (binding, kind) = (Binding::Local, SymbolKind::NoType);
                let symbol =
                    self.writer.declare_symbol(name.as_bytes(), binding, kind, Visibility::Default)?;
                self.writer.define(symbol, section, u64::from(self.pool_order.offset(id)), 0)?;
                self.constant_symbols.insert(index, (id, symbol));
                symbol
            }
        };
        Ok((Target::Symbol(symbol), 0))
    }

    /// Appends the jump tables of the function at `start` of `code` and says where the first one is; they
    /// follow each other without a gap.
    fn write_tables(
        &mut self,
        function: FuncId,
        compiled: &FunctionCode<'_>,
        (code, start): (SectionId, u64),
    ) -> Result<(SectionId, u64), Error> {
        let section = self.section(&Placement::of_tables(self.module, function, self.separate))?;
        let entries = TableEntries::of(self.machine, self.module, self.relocation);
        let r_type = self.relocation_type(entries.kind())?;
        let width = entries.bytes();
        let placement = if width == 8 { AddendPlacement::Width8 } else { AddendPlacement::Width4 };
        self.bytes.clear();
        self.relocations.clear();
        for table in compiled.tables.iter() {
            for (n, &target) in table.iter().enumerate() {
                let distance = if entries == TableEntries::FromTable { 4 * n as i64 } else { 0 };
                self.relocations.push(Relocation {
                    offset: self.bytes.len() as u64,
                    r_type,
                    target: Target::Section(code),
                    addend: start as i64 + i64::from(target) + distance,
                    placement,
                });
                self.bytes.resize(self.bytes.len() + width as usize, 0);
            }
        }
        let offset =
            self.writer.append_data(section, width.into(), &self.bytes, self.relocations.drain(..))?;
        Ok((section, offset))
    }

    /// Writes one function.
    pub(super) fn write_function(
        &mut self,
        function: FuncId,
        mut compiled: FunctionCode<'_>,
    ) -> Result<(), Error> {
        let place = Placement::of_function(self.module, function, self.separate);
        let section = self.section(&place)?;
        let mut alignment = function_alignment(self.machine, self.module, function).max(self.least_alignment);
        let end = self.writer.section_size(section)?;
        let mut offset = end.next_multiple_of(alignment);
        let prefix = self.machine.function_prefix(&self.module.functions[function].traits, alignment);
        if let Some(prefix) = &prefix {
            alignment = prefix.len() as u64;
            offset = end.next_multiple_of(alignment) + alignment;
        }
        if alignment > FUNCTION_ALIGNMENT.max(self.least_alignment) {
            // Alignments must not make a large file of a small one.
            let padding = offset - end;
            let limit = self.limit;
            self.padding = self.padding.saturating_add(padding);
            if self.padding > limit {
                return Err(Error::DataTooLarge { bytes: self.padding, limit });
            }
        }
        if let Some(prefix) = prefix {
            self.write_prefix(prefix, alignment, Location { section, offset })?;
        }
        let location = Location { section, offset };
        let symbol = self.functions[function.as_u32() as usize];
        // Before its code, which may call it.
        self.writer.define(symbol, section, offset, compiled.code.len() as u64)?;
        let tables = match compiled.tables.is_empty() {
            true => None,
            false => Some(self.write_tables(function, &compiled, (section, offset))?),
        };
        self.labels.note(function, compiled.labels);
        let parts = match compiled.parts.is_empty() {
            true => Vec::new(),
            false => self.write_parts(function, location, &mut compiled)?,
        };
        self.relocations.clear();
        for index in 0..compiled.relocs.len() {
            let reloc = compiled.relocs[index];
            let places = (tables, &*parts);
            if let Some(relocation) = self.relocation(function, reloc, location, &mut compiled, places)? {
                self.relocations.push(relocation);
            }
        }
        if let Some(symbols) = self.machine.mapping_symbols() {
            for &(start, end) in compiled.data {
                self.mapping_symbol(symbols.data, section, offset + u64::from(start))?;
                self.mapping_symbol(symbols.code, section, offset + u64::from(end))?;
            }
        }
        let frame = self.frames.as_mut().and_then(|frames| frames.add(self.module, function, &compiled));
        if let Some(fields) = frame {
            let place = self.distance(fields.function, Target::Section(section), offset)?;
            self.frame_relocations.push(place);
        }
        if self.machine.order_relocations(&mut self.relocations).is_none() {
            return Err(Error::UnpairedRelocation);
        }
        let (size, exceptions) = (compiled.code.len() as u32, compiled.exceptions);
        if !compiled.type_traps.is_empty() {
            self.write_type_traps(&place, location, compiled.type_traps)?;
        }
        let (bytes, section) = (compiled.code, CodeSection::In(section));
        let code = Code { symbol: None, bytes, alignment, section };
        self.writer.append_code(code, self.relocations.drain(..))?;
        if let Some(index) = &self.index {
            let is_included = exceptions.is_some() || index.entries.include(self.module, function);
            let tables = is_included.then_some((compiled.frames, exceptions.map(|table| (table, size))));
            return self.write_index_entry(function, &place, location, tables);
        }
        match frame.and_then(|fields| fields.exceptions).zip(exceptions) {
            Some((field, table)) => self.write_exceptions(field, table, size),
            None => Ok(()),
        }
    }

    /// Writes what stands in front of the code of a function at `code`.
    #[cold]
    fn write_prefix(&mut self, mut prefix: Vec<u8>, alignment: u64, code: Location) -> Result<(), Error> {
        let Location { section, offset } = code;
        if let Some(symbols) = self.machine.mapping_symbols() {
            self.mapping_symbol(symbols.data, section, offset - alignment)?;
            self.mapping_symbol(symbols.code, section, offset)?;
        }
        let section = CodeSection::In(section);
        self.writer.append_code(Code { symbol: None, bytes: &mut prefix, alignment, section }, [])?;
        Ok(())
    }

    /// Writes where the function at `code` ends the program when it would call a function of another type.
    #[cold]
    fn write_type_traps(
        &mut self,
        place: &Placement<'m>,
        code: Location,
        traps: &[u32],
    ) -> Result<(), Error> {
        let section = match self.type_traps.get(&code.section) {
            Some(&section) => section,
            None => {
                let group = place.named_section().and_then(|named| named.comdat);
                let group = group.map(|comdat| self.group(comdat)).transpose()?;
                let flags = elf::SHF_ALLOC | elf::SHF_LINK_ORDER;
                let spec = SectionSpec::new(TYPE_TRAPS.as_bytes(), elf::SHT_PROGBITS, flags.into());
                let link = Some(code.section);
                let section = self.writer.create_section(&SectionSpec { link, group, ..spec })?;
                self.type_traps.insert(code.section, section);
                section
            }
        };
        for &trap in traps {
            let place = self.distance(0, Target::Section(code.section), code.offset + u64::from(trap))?;
            self.writer.append_data(section, 1, &[0; 4], [place])?;
        }
        Ok(())
    }

    /// The relocation of a field of 4 bytes that holds the distance from itself to a place.
    pub(super) fn distance(&self, field: u64, target: Target, offset: u64) -> Result<Relocation, Error> {
        let (r_type, placement) = (self.relocation_type(RelocKind::PcRel32)?, AddendPlacement::Width4);
        Ok(Relocation { offset: field, r_type, target, addend: offset as i64, placement })
    }

    /// Where `function` is, if it is written and nothing can take its place.
    fn known_place(&self, function: FuncId) -> Result<Option<Location>, Error> {
        let symbol = Symbol::Function(function);
        let is_ours =
            !self.is_native() || self.module.functions[function].linkage.is_local() || self.has_twin(symbol);
        let place = self.writer.symbol_place(self.functions[function.as_u32() as usize])?;
        Ok(place.filter(|_| is_ours).map(|(location, _)| location))
    }

    /// A local symbol for the jump table at this offset. The two halves of an address ask one after the other.
    fn table_symbol(&mut self, section: SectionId, offset: u64) -> Result<SymbolId, Error> {
        if let Some((known_section, known, symbol)) = self.latest_table
            && (known_section, known) == (section, offset)
        {
            return Ok(symbol);
        }
        let name = format!(".LT{offset}");
        let (binding, kind) = (Binding::Local, SymbolKind::NoType);
        let symbol = self.writer.declare_symbol(name.as_bytes(), binding, kind, Visibility::Default)?;
        self.writer.define(symbol, section, offset, 0)?;
        self.latest_table = Some((section, offset, symbol));
        Ok(symbol)
    }

    /// Whether the field of `reloc` in `bytes`, which are at `code`, could be given the distance to a place that is known.
    fn resolve(&self, reloc: Reloc, known: Location, code: Location, bytes: &mut [u8]) -> bool {
        let Reloc { offset, kind, addend, .. } = reloc;
        if known.section != code.section || !self.machine.is_pc_relative(kind) {
            return false;
        }
        let value = known.offset as i64 + addend - code.offset as i64 - i64::from(offset);
        let Some(field) = word_at(bytes, offset) else { return false };
        // What is too far is left to the linker and its veneers.
        let Some(bits) = self.machine.set_field(kind, u32::from_le_bytes(*field), value) else {
            return false;
        };
        *field = bits.to_le_bytes();
        true
    }

    /// The relocation for one place in the code of `function`, which is at `code`, with its jump tables and parts at `places`;
    /// none where it is resolved at once.
    fn relocation(
        &mut self,
        function: FuncId,
        reloc: Reloc,
        code: Location,
        compiled: &mut FunctionCode<'_>,
        places: Places<'_>,
    ) -> Result<Option<Relocation>, Error> {
        let Reloc { offset, kind, symbol, .. } = reloc;
        let symbol = CodeSymbol::unpack(symbol);
        let known = match symbol {
            CodeSymbol::Function(callee) => self.known_place(callee)?,
            CodeSymbol::Label(index) => {
                let own = compiled.taken_labels.get(index as usize).filter(|(of, _)| *of == function);
                own.map(|&(of, label)| Location {
                    offset: code.offset + self.labels.offset(of, label),
                    ..code
                })
            }
            _ => None,
        };
        if let Some(known) = known
            && self.resolve(reloc, known, code, compiled.code)
        {
            return Ok(None);
        }
        let (target, addend) = self.target(function, reloc, symbol, code, compiled, places)?;
        let r_type = self.relocation_type(kind)?;
        let placement = match kind.size() {
            _ if self.machine.is_instruction_field(kind) => {
                let field = word_at(compiled.code, offset);
                let word = field.as_deref().copied().map(u32::from_le_bytes);
                let bits = word.and_then(|word| self.machine.set_field(kind, word, addend));
                let (Some(field), Some(bits)) = (field, bits) else {
                    return Err(Error::UnsupportedRelocation(kind));
                };
                *field = bits.to_le_bytes();
                AddendPlacement::CallerDone
            }
            8 => AddendPlacement::Width8,
            _ => AddendPlacement::Width4,
        };
        Ok(Some(Relocation { offset: u64::from(offset), r_type, target, addend, placement }))
    }

    /// What a relocation of `function`, which names `symbol`, refers to, and the addend to that.
    #[inline]
    pub(super) fn target(
        &mut self,
        function: FuncId,
        reloc: Reloc,
        symbol: CodeSymbol,
        code: Location,
        compiled: &mut FunctionCode<'_>,
        (tables, parts): Places<'_>,
    ) -> Result<(Target, i64), Error> {
        let Reloc { kind, mut addend, .. } = reloc;
        let unsupported = || Error::UnsupportedRelocation(kind);
        let target = match symbol {
            CodeSymbol::Function(callee) => Target::Symbol(self.reached(Symbol::Function(callee))?),
            // A place in the code, where nothing can take the place of the function.
            CodeSymbol::Start if addend != 0 && !self.machine.is_instruction_field(kind) => {
                addend += code.offset as i64;
                Target::Section(code.section)
            }
            CodeSymbol::Start => Target::Symbol(self.functions[function.as_u32() as usize]),
            CodeSymbol::Global(global) => Target::Symbol(self.reached(Symbol::Global(global))?),
            CodeSymbol::Label(index) => {
                let label = compiled.taken_labels.get(index as usize);
                let &(of, label) = label.ok_or_else(unsupported)?;
                Target::Symbol(self.label_symbol(of, label)?)
            }
            CodeSymbol::Libcall(libcall) => Target::Symbol(self.libcall(libcall)?),
            CodeSymbol::Constant(id) => {
                let no_constant = || Error::no_constant(self.module, function, id);
                let bits = compiled.constants.get(id).ok_or_else(no_constant)?;
                let id = self.constants.intern(id.size, bits);
                let (target, base) = self.constant(id, kind)?;
                addend += base;
                target
            }
            CodeSymbol::JumpTable(table) => {
                let (section, first) = tables.ok_or_else(unsupported)?;
                let entries = TableEntries::of(self.machine, self.module, self.relocation);
                let before = compiled.tables.start(table as usize) as u64;
                let at = first + u64::from(entries.bytes()) * before;
                if self.machine.is_instruction_field(kind) {
                    Target::Symbol(self.table_symbol(section, at)?)
                } else {
                    addend += at as i64;
                    Target::Section(section)
                }
            }
            CodeSymbol::Named(name) => {
                let name = compiled.names.get(name as usize).ok_or_else(unsupported)?;
                Target::Symbol(self.named_symbol(name)?)
            }
            CodeSymbol::Part(part) => {
                let place = parts.get(part as usize).ok_or_else(unsupported)?;
                addend += place.offset as i64;
                Target::Section(place.section)
            }
        };
        Ok((target, addend))
    }
}

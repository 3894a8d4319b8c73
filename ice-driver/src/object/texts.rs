//! What inline assembly has beside its function: bytes in other sections, and symbols that only their names say.

use super::ObjectOutput;
use crate::error::Error;
use crate::names::undecorated;
use crate::placement::NamedSection;
use ice_asm::{Reloc, SectionFlags, SectionName};
use ice_codegen::{CodeSymbol, FunctionCode};
use ice_elf::{
    AddendPlacement, Binding, Code, CodeSection, Location, Relocation, SectionId, SectionSpec, Sink,
    StandardSection, SymbolId, SymbolKind, Visibility, elf,
};
use ice_ir::{FuncId, Symbol};

/// `sh_flags` of a section that a text names. Linkers merge nothing of it: a reference behind the start of what they move would
/// need a symbol of its own.
fn section_flags(flags: &SectionFlags) -> u64 {
    let bits = [
        (flags.is_allocated, elf::SHF_ALLOC),
        (flags.is_writable, elf::SHF_WRITE),
        (flags.is_code, elf::SHF_EXECINSTR),
        (flags.is_thread_local, elf::SHF_TLS),
        (flags.is_retained, elf::SHF_GNU_RETAIN),
    ];
    bits.into_iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| u64::from(bit)).sum()
}

impl<'m, S: Sink> ObjectOutput<'m, S> {
    /// The section that a text names, created at its first use.
    pub(super) fn text_section(&mut self, section: &SectionName) -> Result<SectionId, Error> {
        let SectionName { name, flags } = section;
        let sh_flags = section_flags(flags);
        let usual = |known: &str| *name == known;
        let standard = match () {
            () if usual(".text") && flags.is_code => Some(StandardSection::Text),
            () if usual(".data") && flags.is_writable => Some(StandardSection::Data),
            () if usual(".rodata") && !flags.is_writable => Some(StandardSection::Rodata),
            () if usual(".bss") && flags.is_zero => Some(StandardSection::Bss),
            () => None,
        };
        if let Some(standard) = standard {
            return Ok(self.writer.standard_section(standard)?);
        }
        let sh_type = match name.as_bytes() {
            _ if flags.is_note => elf::SHT_NOTE,
            _ if flags.is_zero => elf::SHT_NOBITS,
            name if name.starts_with(b".init_array") => elf::SHT_INIT_ARRAY,
            name if name.starts_with(b".fini_array") => elf::SHT_FINI_ARRAY,
            _ => elf::SHT_PROGBITS,
        };
        let named =
            NamedSection { name: name.clone().into_bytes().into(), sh_type, flags: sh_flags, comdat: None };
        if let Some(&section) = self.sections.get(&named) {
            return Ok(section);
        }
        let section = self.writer.create_section(&SectionSpec::new(&named.name, sh_type, sh_flags))?;
        self.sections.insert(named, section);
        if flags.is_code {
            self.code_begins(section)?;
        }
        Ok(section)
    }

    /// Appends bytes with their relocations to a section that a text names. Gives their offset.
    pub(super) fn append_text(
        &mut self,
        (section, name): (SectionId, &SectionName),
        alignment: u32,
        bytes: &mut [u8],
        relocations: Vec<Relocation>,
    ) -> Result<u64, Error> {
        let alignment = u64::from(alignment);
        if name.flags.is_zero {
            return Ok(self.writer.append_zeros(section, alignment, bytes.len() as u64)?);
        }
        if name.flags.is_code {
            let code = Code { symbol: None, bytes, alignment, section: CodeSection::In(section) };
            return Ok(self.writer.append_code(code, relocations)?.offset);
        }
        Ok(self.writer.append_data(section, alignment, bytes, relocations)?)
    }

    /// Writes what the texts of a function at `code` have in other sections, and says where.
    #[cold]
    pub(super) fn write_parts(
        &mut self,
        function: FuncId,
        code: Location,
        compiled: &mut FunctionCode<'_>,
    ) -> Result<Vec<Location>, Error> {
        let mut places: Vec<Location> = Vec::with_capacity(compiled.parts.len());
        for part in compiled.parts {
            let section = self.text_section(&part.name)?;
            let mut end = self.writer.section_size(section)?;
            // Parts of one function may share a section.
            let mut before = compiled.parts.iter().zip(&places).filter(|(_, place)| place.section == section);
            if let Some((part, place)) = before.next_back() {
                end = place.offset + part.bytes.len() as u64;
            }
            let offset = end.next_multiple_of(part.alignment.into());
            places.push(Location { section, offset });
        }
        for (part, place) in compiled.parts.iter().zip(&places) {
            let mut relocations = Vec::with_capacity(part.relocs.len());
            for reloc in &part.relocs {
                let reloc = *reloc;
                relocations.extend(self.part_relocation(function, reloc, code, compiled, &places)?);
            }
            let mut bytes = part.bytes.clone();
            self.append_text((place.section, &part.name), part.alignment, &mut bytes, relocations)?;
        }
        Ok(places)
    }

    /// The relocation of a field in another section than the code of the function.
    fn part_relocation(
        &mut self,
        function: FuncId,
        reloc: Reloc,
        code: Location,
        compiled: &mut FunctionCode<'_>,
        parts: &[Location],
    ) -> Result<Option<Relocation>, Error> {
        let r_type = self.relocation_type(reloc.kind)?;
        let (target, addend) =
            self.target(function, reloc, CodeSymbol::unpack(reloc.symbol), code, compiled, (None, parts))?;
        let placement =
            if reloc.kind.size() == 8 { AddendPlacement::Width8 } else { AddendPlacement::Width4 };
        Ok(Some(Relocation { offset: u64::from(reloc.offset), r_type, target, addend, placement }))
    }

    /// The symbol of this name: the module's, or one of another object.
    pub(super) fn named_symbol(&mut self, name: &str) -> Result<SymbolId, Error> {
        if let Some(&symbol) = self.visible.get(name.as_bytes()) {
            return Ok(symbol);
        }
        if !core::mem::replace(&mut self.knows_local_names, true) {
            let module = self.module;
            let functions = module.functions.iter().filter(|(_, decl)| decl.linkage.is_local());
            let globals = module.globals.iter().filter(|(_, decl)| decl.linkage.is_local());
            let local = functions.map(|(id, _)| Symbol::Function(id));
            for symbol in local.chain(globals.map(|(id, _)| Symbol::Global(id))) {
                let name = undecorated(module.symbol_name(symbol)).to_vec();
                let id = self.symbol(symbol);
                self.named.insert(name, id);
            }
        }
        if let Some(&symbol) = self.named.get(name.as_bytes()) {
            return Ok(symbol);
        }
        let (binding, kind) = (Binding::Global, SymbolKind::NoType);
        let symbol = self.writer.declare_symbol(name.as_bytes(), binding, kind, Visibility::Default)?;
        self.named.insert(name.into(), symbol);
        Ok(symbol)
    }
}

//! Assembly that stands beside functions: its sections, the symbols that it defines and says something about.

use super::ObjectOutput;
use crate::error::Error;
use ice_asm::{
    Assembled, AssembledSymbol, AssembledTarget, Definition, SymbolBinding, SymbolType, SymbolVisibility,
};
use ice_codegen::Libcall;
use ice_elf::{
    AddendPlacement, Binding, Location, Relocation, Sink, SymbolId, SymbolKind, Target, Visibility,
};
use ice_ir::{FunctionKind, GlobalKind};

impl<S: Sink> ObjectOutput<'_, S> {
    /// Writes the assembly of the module.
    #[cold]
    pub(super) fn write_module_text(&mut self) -> Result<(), Error> {
        let assembled = self.machine.assemble(&self.module.assembly);
        let assembled = assembled.map_err(|error| Error::Assembly(error.to_string()))?;
        let mut places = Vec::with_capacity(assembled.sections.len());
        for section in &assembled.sections {
            let id = self.text_section(&section.name)?;
            let alignment = u64::from(section.alignment);
            let offset = self.writer.section_size(id)?.next_multiple_of(alignment);
            places.push(Location { section: id, offset });
        }
        for symbol in &assembled.symbols {
            self.say_of(symbol, &places)?;
        }
        self.write_sections(&assembled, &places)
    }

    fn write_sections(&mut self, assembled: &Assembled, places: &[Location]) -> Result<(), Error> {
        for (section, place) in assembled.sections.iter().zip(places) {
            if section.bytes.is_empty() {
                continue;
            }
            let mut relocations = Vec::with_capacity(section.relocs.len());
            for reloc in &section.relocs {
                let (target, addend) = match &reloc.target {
                    AssembledTarget::Section(number) => {
                        let there = places[*number];
                        (Target::Section(there.section), reloc.addend + there.offset as i64)
                    }
                    AssembledTarget::Name(name) => (Target::Symbol(self.named_symbol(name)?), reloc.addend),
                };
                let placement =
                    if reloc.kind.size() == 8 { AddendPlacement::Width8 } else { AddendPlacement::Width4 };
                let (offset, r_type) = (u64::from(reloc.offset), self.relocation_type(reloc.kind)?);
                relocations.push(Relocation { offset, r_type, target, addend, placement });
            }
            let mut bytes = section.bytes.clone();
            self.append_text((place.section, &section.name), section.alignment, &mut bytes, relocations)?;
        }
        Ok(())
    }

    /// What the text says of a symbol.
    fn say_of(&mut self, symbol: &AssembledSymbol, places: &[Location]) -> Result<(), Error> {
        let name = &symbol.name;
        let id = self.named_symbol(name)?;
        if self.is_defined_elsewhere(id) {
            if symbol.definition.is_some() {
                return Err(Error::Assembly(format!("{name} is defined by the module, too")));
            }
            // What is said of a definition of the module, that says itself.
            return self.name_versions(symbol, id);
        }
        if !is_nothing_said(symbol) {
            let (binding, kind) = (binding(symbol), kind(symbol.kind));
            self.writer.redeclare(id, binding, kind, visibility(symbol.visibility))?;
        }
        match &symbol.definition {
            None => {}
            Some(Definition::Place(section, offset)) => {
                let Location { section, offset: start } = places[*section];
                self.writer.define(id, section, start + u64::from(*offset), symbol.size)?;
            }
            Some(Definition::Number(number)) => {
                let mask = if self.machine.address_type().bytes() == 8 { u64::MAX } else { u32::MAX.into() };
                self.writer.define_absolute(id, *number as u64 & mask)?;
            }
            Some(Definition::Alias(other, offset)) => {
                let other = self.named_symbol(other)?;
                self.other_names.push((id, other, *offset));
            }
        }
        self.name_versions(symbol, id)
    }

    /// Whether functions or variables of the module define a symbol.
    fn is_defined_elsewhere(&self, id: SymbolId) -> bool {
        let function = self.functions.iter().position(|&known| known == id);
        let global = || self.globals.iter().position(|&known| known == id);
        match function {
            Some(function) => {
                let kind = self.module.functions.values().nth(function).map(|decl| decl.kind);
                !matches!(kind, Some(FunctionKind::Declared))
            }
            None => global().is_some_and(|global| {
                let kind = self.module.globals.values().nth(global).map(|decl| decl.kind);
                !matches!(kind, Some(GlobalKind::Declared))
            }),
        }
    }

    /// Gives the versions of a symbol to it as other names. What another object defines is looked for by its version, and has that
    /// name alone.
    fn name_versions(&mut self, symbol: &AssembledSymbol, id: SymbolId) -> Result<(), Error> {
        let is_defined = symbol.definition.is_some() || self.is_defined_elsewhere(id);
        if is_defined {
            for version in &symbol.versions {
                let name = version.replacen("@@@", "@@", 1);
                let (binding, kind) = (Binding::Global, kind(symbol.kind));
                let other =
                    self.writer.declare_symbol(name.as_bytes(), binding, kind, Visibility::Default)?;
                self.other_names.push((other, id, 0));
            }
            return Ok(());
        }
        let Some(version) = symbol.versions.first() else { return Ok(()) };
        let name = version.replacen("@@@", "@", 1);
        if name.contains("@@") {
            return Err(Error::Assembly(format!(
                "a default version of {}, which is not defined",
                symbol.name
            )));
        }
        if symbol.versions.iter().any(|other| other != version) {
            return Err(Error::Assembly(format!("two versions of {}, which is not defined", symbol.name)));
        }
        // So have it those who call it by themselves.
        for libcall in Libcall::ALL.iter().filter(|libcall| libcall.name() == symbol.name) {
            self.libcalls[*libcall as usize] = Some(id);
        }
        Ok(self.writer.rename(id, name.as_bytes())?)
    }

    /// Defines the other names of what has its place now.
    pub(super) fn define_other_names(&mut self) -> Result<(), Error> {
        let mut left = core::mem::take(&mut self.other_names);
        // One may be of another.
        while !left.is_empty() {
            let before = left.len();
            let mut rest = Vec::new();
            for (symbol, of, offset) in left {
                match self.writer.symbol_place(of)? {
                    Some((Location { section, offset: start }, size)) => {
                        let start = start.wrapping_add_signed(offset);
                        self.writer.define(symbol, section, start, size)?;
                    }
                    None => rest.push((symbol, of, offset)),
                }
            }
            if rest.len() == before {
                return Err(Error::Assembly("a symbol is another name of what no one defines here".into()));
            }
            left = rest;
        }
        Ok(())
    }
}

/// Whether a text names a symbol, or versions of it, and says no more.
fn is_nothing_said(symbol: &AssembledSymbol) -> bool {
    let plain = AssembledSymbol::default();
    let said = (symbol.binding, symbol.kind, symbol.visibility, symbol.definition.is_some());
    said == (plain.binding, plain.kind, plain.visibility, false)
}

fn binding(symbol: &AssembledSymbol) -> Binding {
    match symbol.binding {
        SymbolBinding::Weak => Binding::Weak,
        SymbolBinding::Global => Binding::Global,
        SymbolBinding::Local if symbol.definition.is_some() => Binding::Local,
        SymbolBinding::Local => Binding::Global,
    }
}

fn kind(kind: SymbolType) -> SymbolKind {
    match kind {
        SymbolType::None => SymbolKind::NoType,
        SymbolType::Function => SymbolKind::Func,
        SymbolType::Object => SymbolKind::Object,
        SymbolType::ThreadLocal => SymbolKind::Tls,
    }
}

fn visibility(visibility: SymbolVisibility) -> Visibility {
    match visibility {
        SymbolVisibility::Default => Visibility::Default,
        SymbolVisibility::Hidden | SymbolVisibility::Internal => Visibility::Hidden,
        SymbolVisibility::Protected => Visibility::Protected,
    }
}

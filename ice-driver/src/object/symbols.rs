//! Symbols, and the sections and groups that they are in.

use super::ObjectOutput;
use crate::error::Error;
use crate::names::{SymbolNames, Visible, undecorated};
use crate::placement::{Contents, Placement};
use crate::relocations::has_local_twin;
use ice_codegen::Libcall;
use ice_elf::{Binding, GroupId, GroupKind, SectionId, SectionSpec, Sink, SymbolId, SymbolKind, Visibility};
use ice_ir::native::{self, ComdatKind};
use ice_ir::{ComdatId, FuncId, FunctionKind, GlobalKind, Linkage, Symbol};

/// Binding of a symbol that other objects see.
fn visible_binding(linkage: Linkage, is_declared: bool) -> Binding {
    match linkage {
        Linkage::Weak => Binding::Weak,
        Linkage::LinkOnce if !is_declared => Binding::Weak,
        _ => Binding::Global,
    }
}

fn visibility(of: native::Visibility) -> Visibility {
    match of {
        native::Visibility::Default => Visibility::Default,
        native::Visibility::Hidden => Visibility::Hidden,
        native::Visibility::Protected => Visibility::Protected,
    }
}

impl<'m, S: Sink> ObjectOutput<'m, S> {
    pub(super) fn declare_functions(
        &mut self,
        names: &SymbolNames<'m>,
        selected: impl Fn(FuncId) -> bool,
    ) -> Result<(), Error> {
        let mut memory = String::new();
        for (id, decl) in &self.module.functions {
            let is_intrinsic = matches!(decl.kind, FunctionKind::Intrinsic(_));
            // Intrinsics have no symbol, but a number.
            let name = if is_intrinsic { b"" } else { names.object_name(Symbol::Function(id), &mut memory) };
            let visible = names.visible(id);
            let binding = match visible {
                Visible::Local if selected(id) => Binding::Local,
                _ => visible_binding(decl.linkage, visible == Visible::Undefined),
            };
            let kind = match decl.kind {
                FunctionKind::Indirect(_) => SymbolKind::IndirectFunc,
                _ if selected(id) => SymbolKind::Func,
                _ => SymbolKind::NoType,
            };
            let symbol = self.declare(name, binding, kind, visibility(decl.symbol.visibility))?;
            self.functions.push(symbol);
            if self.is_native() && !is_intrinsic && !decl.linkage.is_local() {
                self.note_visible(Symbol::Function(id), symbol);
            }
        }
        Ok(())
    }

    pub(super) fn declare_globals(&mut self, names: &SymbolNames<'m>) -> Result<(), Error> {
        let mut memory = String::new();
        for (id, decl) in &self.module.globals {
            let name = names.object_name(Symbol::Global(id), &mut memory);
            let binding = match decl.linkage {
                linkage if linkage.is_local() => Binding::Local,
                linkage => visible_binding(linkage, decl.kind == GlobalKind::Declared),
            };
            let kind = match decl.kind {
                _ if decl.storage.is_thread_local() => SymbolKind::Tls,
                GlobalKind::Alias { target: Symbol::Function(_), .. } => SymbolKind::Func,
                _ => SymbolKind::Object,
            };
            let symbol = self.declare(name, binding, kind, visibility(decl.symbol.visibility))?;
            self.globals.push(symbol);
            if self.is_native() && !decl.linkage.is_local() {
                self.note_visible(Symbol::Global(id), symbol);
            }
        }
        Ok(())
    }

    /// Declares a symbol of the module. In PNaCl programs no two have one name ([`SymbolNames`]).
    fn declare(
        &mut self,
        name: &[u8],
        binding: Binding,
        kind: SymbolKind,
        visibility: Visibility,
    ) -> Result<SymbolId, Error> {
        Ok(match binding {
            Binding::Local if !self.is_native() => self.writer.declare_unique_local(name, kind)?,
            _ => self.writer.declare_symbol(name, binding, kind, visibility)?,
        })
    }

    fn note_visible(&mut self, symbol: Symbol, id: SymbolId) {
        let name = self.module.symbol_name(symbol);
        self.visible.insert(undecorated(name), id);
    }

    /// The section of a place, created at its first use.
    pub(super) fn section(&mut self, place: &Placement<'m>) -> Result<SectionId, Error> {
        let Some(named) = place.named_section() else {
            return Ok(self.writer.standard_section(place.contents.section())?);
        };
        if let Some(&section) = self.sections.get(&named) {
            return Ok(section);
        }
        let group = match named.comdat {
            Some(comdat) => Some(self.group(comdat)?),
            None => None,
        };
        let spec = SectionSpec { group, ..SectionSpec::new(&named.name, named.sh_type, named.flags) };
        let section = self.writer.create_section(&spec)?;
        self.sections.insert(named, section);
        if place.contents == Contents::Code {
            self.code_begins(section)?;
        }
        Ok(section)
    }

    pub(super) fn group(&mut self, comdat: ComdatId) -> Result<GroupId, Error> {
        if let Some(&group) = self.groups.get(&comdat) {
            return Ok(group);
        }
        let decl = &self.module.comdats[comdat];
        let name = self.module.name(decl.name);
        let signature = match self.visible.get(name) {
            Some(&symbol) => symbol,
            None => {
                // A name for the group alone.
                let (binding, kind) = (Binding::Local, SymbolKind::NoType);
                let symbol = self.writer.declare_symbol(name, binding, kind, Visibility::Default)?;
                self.writer.define_absolute(symbol, 0)?;
                symbol
            }
        };
        let kind = match decl.kind {
            ComdatKind::Any => GroupKind::Comdat,
            ComdatKind::NoDuplicates => GroupKind::Plain,
        };
        let group = self.writer.create_group(signature, kind)?;
        self.groups.insert(comdat, group);
        Ok(group)
    }

    #[inline]
    pub(super) fn symbol(&self, symbol: Symbol) -> SymbolId {
        match symbol {
            Symbol::Function(f) => self.functions[f.as_u32() as usize],
            Symbol::Global(g) => self.globals[g.as_u32() as usize],
        }
    }

    /// Whether code reaches `symbol` by its [local twin](has_local_twin).
    #[inline]
    pub(super) fn has_twin(&self, symbol: Symbol) -> bool {
        self.may_have_twins && has_local_twin(self.machine, self.module, self.relocation, symbol)
    }

    /// The symbol by which the module's own code reaches `symbol`.
    pub(super) fn reached(&mut self, symbol: Symbol) -> Result<SymbolId, Error> {
        if !self.has_twin(symbol) {
            return Ok(self.symbol(symbol));
        }
        if let Some(&twin) = self.twins.get(&symbol) {
            return Ok(twin);
        }
        let kind = match symbol {
            Symbol::Function(_) => SymbolKind::Func,
            Symbol::Global(g) if self.module.globals[g].storage.is_thread_local() => SymbolKind::Tls,
            Symbol::Global(_) => SymbolKind::Object,
        };
        let twin = self.writer.declare_symbol(b"", Binding::Local, kind, Visibility::Default)?;
        self.twins.insert(symbol, twin);
        Ok(twin)
    }

    pub(super) fn libcall(&mut self, libcall: Libcall) -> Result<SymbolId, Error> {
        let slot = libcall as usize;
        if let Some(symbol) = self.libcalls[slot] {
            return Ok(symbol);
        }
        let name = libcall.name().as_bytes();
        let symbol = match self.visible.get(name) {
            Some(&symbol) => symbol,
            None => {
                let (binding, kind) = (Binding::Global, SymbolKind::NoType);
                self.writer.declare_symbol(name, binding, kind, Visibility::Default)?
            }
        };
        self.libcalls[slot] = Some(symbol);
        Ok(symbol)
    }
}

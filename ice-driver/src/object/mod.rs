//! The relocatable object of a module: data first, then functions as they come, constants at the end.
//!
//! | what | where |
//! |---|---|
//! | functions and globals | see [`placement`](crate::placement); functions in the order of the module |
//! | jump tables | `.rodata`: addresses, or distances in native code that has no addresses of 4 bytes |
//! | constants of code | `.rodata.cst4`, `.rodata.cst8`, `.rodata.cst16`, in the order of first use |
//! | aliases | second symbols, once everything has its place |
//!
//! Calls of functions that are already written and that nothing can replace are resolved here if both ends
//! are in one section; all other references become relocations. A helper that the module itself defines or
//! declares is the module's. Memory: the symbol table, the relocations and the data; the code of `.text`
//! goes straight to the sink.

use crate::error::Error;
use crate::machine::{Attributes, Features, Machine};
use crate::names::{SymbolNames, Visible};
use crate::options::{self, RelocationModel};
use crate::output::{ModuleOutput, RangeOutput};
use crate::placement::{Contents, NamedSection, Placement, data_bytes};
use crate::relocations::{TableEntries, needs_symbol};
use ice_asm::{ConstantId, ConstantPool, ConstantSize, Reloc, RelocKind};
use ice_codegen::{CodeSymbol, FunctionCode, Libcall};
use ice_elf::{
    AddendPlacement, Binding, Code, CodeSection, GroupId, GroupKind, ObjectWriter, Options, Relocation,
    SectionId, SectionSpec, Sink, StandardSection, SymbolId, SymbolKind, Target, Visibility,
};
use ice_ir::native::{self, ComdatKind, Environment};
use ice_ir::{
    ComdatId, FuncId, FunctionKind, GlobalId, GlobalKind, Initializer, Linkage, Module, Symbol, Type,
};
use std::collections::HashMap;

/// Alignment of functions, in bytes.
pub const FUNCTION_ALIGNMENT: u64 = 16;

/// Zeros that the data sections of any module may hold, in bytes. More are accepted in large files only:
/// a few bytes of input must not make an object of gigabytes.
pub const ZEROS_ALWAYS_ALLOWED: u64 = 16 << 20;

/// `.rodata.cst4` and so on.
const CONSTANT_SECTIONS: [(ConstantSize, StandardSection); 3] = [
    (ConstantSize::C4, StandardSection::RodataCst4),
    (ConstantSize::C8, StandardSection::RodataCst8),
    (ConstantSize::C16, StandardSection::RodataCst16),
];

/// The largest total size of `.data` and `.rodata`, in bytes, for an input of `input_size` bytes.
pub fn data_limit(input_size: usize) -> u64 {
    ZEROS_ALWAYS_ALLOWED.max(64 * input_size as u64)
}

/// Where something was written.
#[derive(Clone, Copy)]
struct Location {
    section: SectionId,
    offset: u64,
    size: u64,
}

/// Writes a module into an object.
pub struct ObjectOutput<'m, S: Sink> {
    machine: &'static dyn Machine,
    relocation: RelocationModel,
    module: &'m Module,
    writer: ObjectWriter<S>,
    functions: Vec<SymbolId>,
    globals: Vec<SymbolId>,
    /// Symbols of native modules that other objects see, by name.
    visible: HashMap<&'m [u8], SymbolId>,
    libcalls: [Option<SymbolId>; Libcall::ALL.len()],
    sections: HashMap<NamedSection<'m>, SectionId>,
    groups: HashMap<ComdatId, GroupId>,
    function_places: Vec<Option<Location>>,
    global_places: Vec<Option<Location>>,
    /// Bytes that data, and padding between functions, may take.
    limit: u64,
    /// Bytes of padding between functions.
    padding: u64,
    constants: ConstantPool,
    /// For pc-relative references: symbols of constants. The linker moves merged constants, so an addend
    /// that is not inside the constant must not be taken from the start of the section.
    constant_symbols: Vec<(ConstantId, SymbolId)>,
    /// The jump table that was referred to last, and its symbol.
    latest_table: Option<(SectionId, u64, SymbolId)>,
    relocations: Vec<Relocation>,
    bytes: Vec<u8>,
}

/// The word at an offset of code.
fn word_at(code: &mut [u8], offset: u32) -> Option<&mut [u8; 4]> {
    code.get_mut(offset as usize..)?.first_chunk_mut()
}

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
    /// Starts the object: declares every symbol and writes the global variables. At most `data_limit`
    /// bytes go into data sections together.
    ///
    /// # Errors
    /// [`Error::DataTooLarge`], errors of the object writer and the sink.
    pub fn new(
        options: &options::Options,
        module: &'m Module,
        names: &SymbolNames<'m>,
        selected: impl Fn(FuncId) -> bool,
        data_limit: u64,
        sink: S,
    ) -> Result<ObjectOutput<'m, S>, Error> {
        let (machine, relocation) = (options.arch.machine(), options.relocation);
        let mut writer = ObjectWriter::new(sink, Options::new(machine.format(relocation.of(module))))?;
        writer.standard_section(StandardSection::Text)?;
        let mut output = ObjectOutput {
            machine,
            relocation,
            module,
            writer,
            functions: Vec::with_capacity(module.functions.len()),
            globals: Vec::with_capacity(module.globals.len()),
            visible: HashMap::new(),
            libcalls: [None; Libcall::ALL.len()],
            sections: HashMap::new(),
            groups: HashMap::new(),
            function_places: vec![None; module.functions.len()],
            global_places: vec![None; module.globals.len()],
            limit: data_limit,
            padding: 0,
            constants: ConstantPool::new(),
            constant_symbols: Vec::new(),
            latest_table: None,
            relocations: Vec::new(),
            bytes: Vec::new(),
        };
        output.write_notes(options.features)?;
        output.writer.reserve_symbols(module.functions.len() + module.globals.len());
        output.declare_functions(names, selected)?;
        output.declare_globals(names)?;
        output.write_globals().map_err(|error| output.with_section_name(error))?;
        Ok(output)
    }

    /// An error of the object writer in the user's words: it knows sections by their number.
    fn with_section_name(&self, error: Error) -> Error {
        let Error::Object(ice_elf::Error::SectionTooLarge { section }) = error else { return error };
        let name = self.writer.section_name(section).map(|name| String::from_utf8_lossy(name).into_owned());
        name.map_or_else(Error::Object, Error::SectionTooLarge)
    }

    /// What the code needs of its machine, and that `.text` is code, where objects of the machine say such things.
    fn write_notes(&mut self, features: Features) -> Result<(), Error> {
        for Attributes { name, sh_type, sh_flags, alignment, contents } in self.machine.attributes(features) {
            let entry_size = if sh_flags == 0 { 0 } else { contents.len() as u64 };
            let spec = SectionSpec { entry_size, ..SectionSpec::new(name, sh_type, sh_flags.into()) };
            let section = self.writer.create_section(&spec)?;
            self.writer.append_data(section, alignment, &contents, [])?;
        }
        let text = self.writer.standard_section(StandardSection::Text)?;
        self.code_begins(text)
    }

    /// Says that a section begins with code, where objects of the machine say such things.
    fn code_begins(&mut self, section: SectionId) -> Result<(), Error> {
        match self.machine.mapping_symbols() {
            Some(symbols) => self.mapping_symbol(symbols.code, section, 0),
            None => Ok(()),
        }
    }

    /// A symbol that says that code or data begins.
    fn mapping_symbol(&mut self, name: &[u8], section: SectionId, offset: u64) -> Result<(), Error> {
        let (binding, kind) = (Binding::Local, SymbolKind::NoType);
        let symbol = self.writer.declare_symbol(name, binding, kind, Visibility::Default)?;
        Ok(self.writer.define(symbol, section, offset, 0)?)
    }

    fn is_native(&self) -> bool {
        self.module.environment == Environment::Native
    }

    fn declare_functions(
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
            let kind = if selected(id) { SymbolKind::Func } else { SymbolKind::NoType };
            let visibility = visibility(decl.symbol.visibility);
            let symbol = self.writer.declare_symbol(name, binding, kind, visibility)?;
            self.functions.push(symbol);
            if self.is_native() && !is_intrinsic && !decl.linkage.is_local() {
                self.note_visible(Symbol::Function(id), symbol);
            }
        }
        Ok(())
    }

    fn declare_globals(&mut self, names: &SymbolNames<'m>) -> Result<(), Error> {
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
            let visibility = visibility(decl.symbol.visibility);
            let symbol = self.writer.declare_symbol(name, binding, kind, visibility)?;
            self.globals.push(symbol);
            if self.is_native() && !decl.linkage.is_local() {
                self.note_visible(Symbol::Global(id), symbol);
            }
        }
        Ok(())
    }

    fn note_visible(&mut self, symbol: Symbol, id: SymbolId) {
        let name = self.module.symbol_name(symbol);
        self.visible.insert(name.strip_prefix(b"\x01").unwrap_or(name), id);
    }

    /// The section of a place, created at its first use.
    fn section(&mut self, place: &Placement<'m>) -> Result<SectionId, Error> {
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

    fn group(&mut self, comdat: ComdatId) -> Result<GroupId, Error> {
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

    fn write_globals(&mut self) -> Result<(), Error> {
        let (module, limit) = (self.module, self.limit);
        let mut total = 0u64;
        for (id, decl) in &module.globals {
            let size = module.global_size(id);
            let alignment = 1u64 << decl.align_log2.unwrap_or(0).min(63);
            let symbol = self.globals[id.as_u32() as usize];
            let Some(place) = Placement::of_global(module, id, self.relocation) else {
                if decl.kind == GlobalKind::Defined {
                    self.writer.define_common(symbol, size, alignment)?;
                }
                continue;
            };
            let section = self.section(&place)?;
            let has_no_bytes = place.contents.is_zero() && !place.is_kept();
            let offset = if has_no_bytes {
                self.writer.append_zeros(section, alignment, size)?
            } else {
                let padding = self.writer.section_size(section)?.wrapping_neg() & (alignment - 1);
                total = total.saturating_add(size).saturating_add(padding);
                if total > limit {
                    return Err(Error::DataTooLarge { bytes: total, limit });
                }
                self.gather_contents(id)?;
                self.writer.append_data(section, alignment, &self.bytes, self.relocations.drain(..))?
            };
            self.writer.define(symbol, section, offset, size)?;
            self.global_places[id.as_u32() as usize] = Some(Location { section, offset, size });
        }
        Ok(())
    }

    /// Puts the contents of a global into `bytes` and `relocations`.
    fn gather_contents(&mut self, global: GlobalId) -> Result<(), Error> {
        self.bytes.clear();
        for init in self.module.initializers(global) {
            let offset = self.bytes.len() as u64;
            match *init {
                Initializer::Zero(count) => self.bytes.resize(self.bytes.len() + count as usize, 0),
                Initializer::Bytes { start, len } => {
                    self.bytes.extend_from_slice(data_bytes(self.module, start, len));
                }
                Initializer::Relative { target, addend } => {
                    let r_type = self.relative_type(target)?;
                    let (target, placement) = (Target::Symbol(self.symbol(target)), AddendPlacement::Width4);
                    self.relocations.push(Relocation { offset, r_type, target, addend, placement });
                    self.bytes.resize(self.bytes.len() + 4, 0);
                }
                Initializer::Address { target, addend } => {
                    let target = Target::Symbol(self.symbol(target));
                    let (kind, addend, placement) = match self.module.pointer_type {
                        Type::I64 => (RelocKind::Abs64, addend, AddendPlacement::Width8),
                        // Addresses wrap at 32 bits, and the field holds 32.
                        _ => (RelocKind::Abs32, i64::from(addend as i32), AddendPlacement::Width4),
                    };
                    let r_type = self.relocation_type(kind)?;
                    self.relocations.push(Relocation { offset, r_type, target, addend, placement });
                    let width = self.module.pointer_type.bytes() as usize;
                    self.bytes.resize(self.bytes.len() + width, 0);
                }
            }
        }
        Ok(())
    }

    fn relocation_type(&self, kind: RelocKind) -> Result<u32, Error> {
        self.machine.relocation_type(kind).ok_or(Error::UnsupportedRelocation(kind))
    }

    /// The distance to a function of another linked module is that to its entry in the linkage table, where objects of
    /// the machine can say so.
    fn relative_type(&self, target: Symbol) -> Result<u32, Error> {
        let through_table = match target {
            Symbol::Function(f) if self.is_native() && !self.module.functions[f].linkage.is_local() => {
                self.machine.relocation_type(RelocKind::Plt32)
            }
            _ => None,
        };
        through_table.map_or_else(|| self.relocation_type(RelocKind::PcRel32), Ok)
    }

    fn symbol(&self, symbol: Symbol) -> SymbolId {
        match symbol {
            Symbol::Function(f) => self.functions[f.as_u32() as usize],
            Symbol::Global(g) => self.globals[g.as_u32() as usize],
        }
    }

    fn libcall(&mut self, libcall: Libcall) -> Result<SymbolId, Error> {
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

    /// The target of a reference to a constant, and what to add to the addend.
    fn constant(&mut self, id: ConstantId, kind: RelocKind) -> Result<(Target, i64), Error> {
        let (_, section) = CONSTANT_SECTIONS[id.size as usize];
        let section = self.writer.standard_section(section)?;
        if !needs_symbol(self.machine, kind) {
            return Ok((Target::Section(section), i64::from(id.offset())));
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
                self.writer.define(symbol, section, u64::from(id.offset()), 0)?;
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
        let section = self.section(&Placement::of_tables(self.module, function))?;
        let entries = TableEntries::of(self.machine, self.module, self.relocation);
        let r_type = self.relocation_type(entries.kind())?;
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
                    placement: AddendPlacement::Width4,
                });
                self.bytes.extend_from_slice(&[0; 4]);
            }
        }
        let offset = self.writer.append_data(section, 4, &self.bytes, self.relocations.drain(..))?;
        Ok((section, offset))
    }

    /// Writes one function.
    fn write_function(&mut self, function: FuncId, mut compiled: FunctionCode<'_>) -> Result<(), Error> {
        let place = Placement::of_function(self.module, function);
        let section = self.section(&place)?;
        let alignment = function_alignment(self.module, function);
        let end = self.writer.section_size(section)?;
        let offset = end.next_multiple_of(alignment);
        if alignment > FUNCTION_ALIGNMENT {
            // Alignments must not make a large file of a small one.
            let padding = offset - end;
            let limit = self.limit;
            self.padding = self.padding.saturating_add(padding);
            if self.padding > limit {
                return Err(Error::DataTooLarge { bytes: self.padding, limit });
            }
        }
        let location = Location { section, offset, size: compiled.code.len() as u64 };
        self.function_places[function.as_u32() as usize] = Some(location);
        let tables = match compiled.tables.is_empty() {
            true => None,
            false => Some(self.write_tables(function, &compiled, (section, offset))?),
        };
        self.relocations.clear();
        for index in 0..compiled.relocs.len() {
            let reloc = compiled.relocs[index];
            if let Some(relocation) = self.relocation(function, reloc, location, &mut compiled, tables)? {
                self.relocations.push(relocation);
            }
        }
        if let Some(symbols) = self.machine.mapping_symbols() {
            for &(start, end) in compiled.data {
                self.mapping_symbol(symbols.data, section, offset + u64::from(start))?;
                self.mapping_symbol(symbols.code, section, offset + u64::from(end))?;
            }
        }
        let symbol = self.functions[function.as_u32() as usize];
        self.machine.order_relocations(&mut self.relocations).ok_or(Error::UnpairedRelocation)?;
        let mut code = Code::new(symbol, compiled.code);
        code.alignment = alignment;
        code.section = CodeSection::In(section);
        self.writer.append_code(code, self.relocations.drain(..))?;
        Ok(())
    }

    /// Where `function` is, if it is written and nothing can take its place.
    fn known_place(&self, function: FuncId) -> Option<Location> {
        let is_ours = !self.is_native() || self.module.functions[function].linkage.is_local();
        self.function_places[function.as_u32() as usize].filter(|_| is_ours)
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

    /// The relocation for one place in the code of `function`, which is at `code`; none where it is resolved at once.
    fn relocation(
        &mut self,
        function: FuncId,
        reloc: Reloc,
        code: Location,
        compiled: &mut FunctionCode<'_>,
        tables: Option<(SectionId, u64)>,
    ) -> Result<Option<Relocation>, Error> {
        let Reloc { offset, kind, symbol, mut addend } = reloc;
        let unsupported = || Error::UnsupportedRelocation(kind);
        let target = match CodeSymbol::unpack(symbol) {
            CodeSymbol::Function(callee) => {
                if let Some(known) = self.known_place(callee)
                    && known.section == code.section
                    && self.machine.is_pc_relative(kind)
                {
                    let value = known.offset as i64 + addend - code.offset as i64 - i64::from(offset);
                    let field = word_at(compiled.code, offset).ok_or_else(unsupported)?;
                    let bits = self.machine.set_field(kind, u32::from_le_bytes(*field), value);
                    // What is too far is left to the linker and its veneers.
                    if let Some(bits) = bits {
                        *field = bits.to_le_bytes();
                        return Ok(None);
                    }
                }
                Target::Symbol(self.functions[callee.as_u32() as usize])
            }
            CodeSymbol::Global(global) => Target::Symbol(self.globals[global.as_u32() as usize]),
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
                let at = first + 4 * compiled.tables.start(table as usize) as u64;
                if self.machine.is_instruction_field(kind) {
                    Target::Symbol(self.table_symbol(section, at)?)
                } else {
                    addend += at as i64;
                    Target::Section(section)
                }
            }
        };
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

    /// Defines the aliases of what has its place now.
    fn define_aliases(&mut self) -> Result<(), Error> {
        let module = self.module;
        let aliases = module
            .functions
            .keys()
            .map(Symbol::Function)
            .chain(module.globals.keys().map(Symbol::Global))
            .filter(|&symbol| module.alias_target(symbol).is_some());
        for alias in aliases {
            let (base, addend) = resolve_alias(module, alias);
            let place = match base {
                Symbol::Function(f) => self.function_places[f.as_u32() as usize],
                Symbol::Global(g) => self.global_places[g.as_u32() as usize],
            };
            if let Some(Location { section, offset, size }) = place {
                let symbol = self.symbol(alias);
                let offset = offset.wrapping_add_signed(addend);
                let size = size.saturating_sub(addend.max(0) as u64);
                self.writer.define(symbol, section, offset, size)?;
            }
        }
        Ok(())
    }
}

/// Alignment of a function, in bytes.
pub fn function_alignment(module: &Module, function: FuncId) -> u64 {
    match module.functions[function].traits.align_log2 {
        0 => FUNCTION_ALIGNMENT,
        log2 => 1 << log2.min(29),
    }
}

/// Longest chain of aliases that is followed.
const MAX_ALIAS_DEPTH: usize = 64;

/// What a symbol is finally another name of: itself if it is none, or if its aliases go in a circle.
pub fn resolve_alias(module: &Module, symbol: Symbol) -> (Symbol, i64) {
    let (mut at, mut offset) = (symbol, 0i64);
    for _ in 0..MAX_ALIAS_DEPTH {
        match module.alias_target(at) {
            Some((target, addend)) => (at, offset) = (target, offset.wrapping_add(addend)),
            None => return (at, offset),
        }
    }
    (symbol, 0)
}

impl<S: Sink + Send> ModuleOutput for ObjectOutput<'_, S> {
    fn functions(&mut self, output: &mut RangeOutput) -> Result<(), Error> {
        for index in 0..output.len() {
            let (function, code, _) = output.function(index);
            let result = self.write_function(function, code);
            result.map_err(|error| self.with_section_name(error))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        self.define_aliases()?;
        for (size, section) in CONSTANT_SECTIONS {
            if self.constants.len(size) > 0 {
                self.bytes.clear();
                self.constants.write_section(size, &mut self.bytes);
                let section = self.writer.standard_section(section)?;
                self.writer.append_data(section, u64::from(size.bytes()), &self.bytes, [])?;
            }
        }
        self.writer.finish()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;

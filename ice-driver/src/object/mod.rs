//! The relocatable object of a module: data first, then functions as they come, constants at the end.
//!
//! | what | where |
//! |---|---|
//! | functions and globals | see [`placement`](crate::placement); functions in the order of the module |
//! | jump tables | `.rodata`: addresses, or distances in native code that has no addresses of 4 bytes |
//! | constants of code | `.rodata.cst4`, `.rodata.cst8`, `.rodata.cst16`, in the order of first use |
//! | tables for unwinding | `.eh_frame`; or an index beside each section of code, and its table |
//! | tables for exceptions | `.gcc_except_table`; the addresses of types and personality routines in `.data.rel.ro`; or in the table of the index |
//! | where code is in the source | `.debug_info` and what it refers to, if the input says it |
//! | aliases | second symbols, once everything has its place |
//!
//! Calls of functions that are already written and that nothing can replace are resolved here if both ends
//! are in one section; all other references become relocations. A helper that the module itself defines or
//! declares is the module's. Memory: the symbol table, the relocations and the data; the code of `.text`
//! goes straight to the sink.

mod code;
mod data;
mod debug;
mod exceptions;
mod labels;
#[cfg(feature = "assembly")]
mod module_text;
mod symbols;
mod texts;
mod unwind_index;

pub use code::TYPE_TRAPS;

use crate::debug::DebugTables;
use crate::diversity::{self, PoolOrder};
use crate::error::Error;
use crate::labels::Labels;
use crate::machine::{Attributes, Features, Machine, PROPERTY_NOTE};
use crate::names::SymbolNames;
use crate::options::{self, RelocationModel, Sections};
use crate::output::{Functions, ModuleOutput, Translated};
use crate::placement::NamedSection;
use crate::relocations::may_have_twins;
use crate::unwind::{Entries, Frames};
use ice_asm::{ConstantId, ConstantPool, ConstantSize, RelocKind};
use ice_codegen::Libcall;
use ice_elf::{
    Binding, GroupId, Location, ObjectWriter, Options, Relocation, SectionId, SectionSpec, Sink,
    StandardSection, SymbolId, SymbolKind, TypeReference, Visibility, elf,
};
use ice_ir::native::Environment;
use ice_ir::source::SourceUnit;
use ice_ir::{ComdatId, FuncId, GlobalId, Module, Symbol};
use labels::TakenLabels;
use std::collections::{BTreeMap, HashMap};
use unwind_index::UnwindIndex;

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

/// Writes a module into an object.
pub struct ObjectOutput<'m, S: Sink> {
    machine: &'static dyn Machine,
    relocation: RelocationModel,
    /// What has a section of its own.
    separate: Sections,
    module: &'m Module,
    writer: ObjectWriter<S>,
    functions: Vec<SymbolId>,
    globals: Vec<SymbolId>,
    may_have_twins: bool,
    /// The [local twins](crate::relocations::has_local_twin) that code or data refer to.
    twins: BTreeMap<Symbol, SymbolId>,
    /// Symbols of native modules that other objects see, by name.
    visible: HashMap<&'m [u8], SymbolId>,
    /// Symbols that inline assembly names and other objects do not see, and those of other objects, by name; once there is one.
    named: HashMap<Vec<u8>, SymbolId>,
    knows_local_names: bool,
    /// Names that assembly beside functions gives to symbols: the new one, and what it is of with an offset.
    #[cfg(feature = "assembly")]
    other_names: Vec<(SymbolId, SymbolId, i64)>,
    libcalls: [Option<SymbolId>; Libcall::ALL.len()],
    sections: HashMap<NamedSection<'m>, SectionId>,
    groups: HashMap<ComdatId, GroupId>,
    /// What functions are aligned to at least, in bytes.
    least_alignment: u64,
    /// Bytes that data, and padding between functions, may take.
    limit: u64,
    /// Bytes of padding between functions.
    padding: u64,
    constants: ConstantPool,
    pool_order: PoolOrder,
    /// For pc-relative references: symbols of constants. The linker moves merged constants, so an addend
    /// that is not inside the constant must not be taken from the start of the section.
    constant_symbols: Vec<(ConstantId, SymbolId)>,
    /// The jump table that was referred to last, and its symbol.
    latest_table: Option<(SectionId, u64, SymbolId)>,
    relocations: Vec<Relocation>,
    bytes: Vec<u8>,
    /// Tables for unwinding, and their references to functions.
    frames: Option<Frames>,
    frame_relocations: Vec<Relocation>,
    /// Where words with addresses are that tables for exceptions refer to, in `.data.rel.ro`.
    address_words: HashMap<Symbol, u64>,
    /// `.gcc_except_table`, once a function needs it.
    exception_section: Option<SectionId>,
    type_references: Vec<TypeReference>,
    index: Option<UnwindIndex>,
    debug: Option<DebugTables>,
    labels: Labels,
    taken_labels: TakenLabels,
    /// The variables that wait for code, since the distances of labels are in them.
    distances: Vec<GlobalId>,
    /// Whether all code has its place.
    is_placed: bool,
    /// Bytes of data so far.
    data_bytes: u64,
    /// Sections that tell traps of calls, by that of the code.
    type_traps: HashMap<SectionId, SectionId>,
}

impl<'m, S: Sink> ObjectOutput<'m, S> {
    /// Starts the object of a module with these units of a source: declares every symbol and writes the global variables. At most `data_limit`
    /// bytes go into data sections together.
    ///
    /// # Errors
    /// [`Error::DataTooLarge`], errors of the object writer and the sink.
    pub fn new(
        options: &options::Options,
        (module, units): (&'m Module, &[SourceUnit]),
        names: &SymbolNames<'m>,
        selected: impl Fn(FuncId) -> bool,
        data_limit: u64,
        sink: S,
    ) -> Result<ObjectOutput<'m, S>, Error> {
        let (machine, relocation) = (options.arch.machine(), options.relocation);
        let usual = Options::new(machine.format(relocation.of(module)));
        let bundles = options.bundles();
        let code_fill = bundles.map_or(usual.code_fill, |bundles| bundles.halt);
        let mut writer = ObjectWriter::new(sink, Options { code_fill, ..usual })?;
        writer.standard_section(StandardSection::Text)?;
        let unwind = Entries::of(options);
        let mut output = ObjectOutput {
            machine,
            relocation,
            separate: options.sections,
            module,
            writer,
            functions: Vec::with_capacity(module.functions.len()),
            globals: Vec::with_capacity(module.globals.len()),
            may_have_twins: may_have_twins(machine, module, relocation),
            twins: BTreeMap::new(),
            visible: HashMap::new(),
            named: HashMap::new(),
            knows_local_names: false,
            #[cfg(feature = "assembly")]
            other_names: Vec::new(),
            libcalls: [None; Libcall::ALL.len()],
            sections: HashMap::new(),
            groups: HashMap::new(),
            least_alignment: bundles.map_or(machine.code_alignment(), |bundles| bundles.bytes),
            limit: data_limit,
            padding: 0,
            constants: ConstantPool::new(),
            pool_order: PoolOrder::new(options.diversity),
            constant_symbols: Vec::new(),
            latest_table: None,
            relocations: Vec::new(),
            bytes: Vec::new(),
            frames: unwind.and_then(Frames::new),
            frame_relocations: Vec::new(),
            address_words: HashMap::new(),
            exception_section: None,
            type_references: Vec::new(),
            index: unwind.and_then(UnwindIndex::new),
            debug: DebugTables::new(machine, units),
            type_traps: HashMap::new(),
            labels: Labels::default(),
            taken_labels: TakenLabels::default(),
            distances: Vec::new(),
            is_placed: false,
            data_bytes: 0,
        };
        output.write_notes(options.features)?;
        let symbols = module.functions.len() + module.globals.len();
        output.writer.reserve_symbols(symbols, if output.is_native() { symbols } else { 0 });
        output.declare_functions(names, selected)?;
        output.declare_globals(names)?;
        if !module.assembly.is_empty() {
            #[cfg(not(feature = "assembly"))]
            return Err(Error::Assembly("there is no assembler in this build".into()));
            #[cfg(feature = "assembly")]
            output.write_module_text()?;
        }
        let globals = diversity::globals(options.diversity, module);
        output.write_globals(&globals).map_err(|error| output.with_section_name(error))?;
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
        let note = self.machine.property_note(&self.module.hardening);
        if !note.is_empty() {
            let spec = SectionSpec::new(PROPERTY_NOTE.as_bytes(), elf::SHT_NOTE, elf::SHF_ALLOC.into());
            let section = self.writer.create_section(&spec)?;
            let alignment = u64::from(self.machine.address_type().bytes());
            self.writer.append_data(section, alignment, &note, [])?;
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

    fn relocation_type(&self, kind: RelocKind) -> Result<u32, Error> {
        match self.machine.relocation_type(kind) {
            Some(r_type) => Ok(r_type),
            None => Err(Error::UnsupportedRelocation(kind)),
        }
    }

    /// Writes the tables for unwinding, if any function has some.
    fn write_frames(&mut self) -> Result<(), Error> {
        self.refer_to_personalities()?;
        let Some(bytes) = self.frames.as_ref().and_then(Frames::bytes) else { return Ok(()) };
        let spec = SectionSpec::new(b".eh_frame", elf::SHT_PROGBITS, elf::SHF_ALLOC.into());
        let section = self.writer.create_section(&spec)?;
        let alignment = u64::from(self.machine.address_type().bytes());
        self.writer.append_data(section, alignment, bytes, self.frame_relocations.drain(..))?;
        Ok(())
    }

    /// Defines the aliases of what has its place now, and the functions whose resolvers have one.
    fn define_aliases(&mut self) -> Result<(), Error> {
        let module = self.module;
        let aliases = module
            .functions
            .keys()
            .map(Symbol::Function)
            .chain(module.globals.keys().map(Symbol::Global))
            .filter(|&symbol| module.alias_target(symbol).is_some());
        let resolved = aliases.map(|alias| (alias, resolve_alias(module, alias)));
        let functions = module.functions.keys().map(Symbol::Function);
        let indirect = functions.filter_map(|symbol| {
            module.resolver(symbol).map(|resolver| (symbol, resolve_alias(module, resolver)))
        });
        for (alias, (base, addend)) in resolved.chain(indirect) {
            if let Some((Location { section, offset }, size)) = self.writer.symbol_place(self.symbol(base))? {
                let symbol = self.symbol(alias);
                let offset = offset.wrapping_add_signed(addend);
                let size = size.saturating_sub(addend.max(0) as u64);
                self.writer.define(symbol, section, offset, size)?;
            }
        }
        Ok(())
    }

    /// Defines the local twins of what has its place now.
    fn define_twins(&mut self) -> Result<(), Error> {
        for (&symbol, &twin) in &self.twins {
            if let Some((Location { section, offset }, size)) =
                self.writer.symbol_place(self.symbol(symbol))?
            {
                self.writer.define(twin, section, offset, size)?;
            }
        }
        Ok(())
    }
}

/// Alignment of a function, in bytes.
pub fn function_alignment(machine: &dyn Machine, module: &Module, function: FuncId) -> u64 {
    match module.functions[function].traits.align_log2 {
        0 => machine.function_alignment(),
        log2 => machine.code_alignment().max(1 << log2.min(29)),
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
    fn functions(&mut self, mut functions: Functions<'_>) -> Result<(), Error> {
        while let Some(Translated { function, code, source, .. }) = functions.take_next() {
            if let (Some(debug), Some(source)) = (&mut self.debug, source) {
                debug.add(function, code.code.len() as u32, source);
            }
            let result = self.write_function(function, code);
            result.map_err(|error| self.with_section_name(error))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        self.define_labels()?;
        self.define_aliases()?;
        #[cfg(feature = "assembly")]
        self.define_other_names()?;
        self.define_twins()?;
        self.write_distances()?;
        for (size, section) in CONSTANT_SECTIONS {
            if self.constants.len(size) > 0 {
                self.bytes.clear();
                let width = size.bytes() as usize;
                for constant in self.pool_order.constants(&self.constants, size) {
                    let bits = constant.map_or(0, |(_, bits)| bits);
                    self.bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
                }
                let section = self.writer.standard_section(section)?;
                self.writer.append_data(section, u64::from(size.bytes()), &self.bytes, [])?;
            }
        }
        self.write_frames()?;
        self.write_debug()?;
        self.writer.finish()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;

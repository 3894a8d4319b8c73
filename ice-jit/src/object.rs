//! A module on its way into memory: bytes in areas, and the places in them that wait for addresses.
//!
//! Problem: code arrives function by function, refers to what comes later, and nothing has an address before everything
//! has its size. Method: that of a static linker in two passes. This file is the first: bytes are appended to areas, and
//! every reference becomes a [`Fix`] from a place to a [`Target`]. The second pass is [`link`](crate::link).
//!
//! | area | holds |
//! |---|---|
//! | [`Area::Code`] | functions, and behind them room for veneers |
//! | [`Area::Constants`] | constant globals, constants of code, jump tables, tables for unwinding, the table of addresses |
//! | [`Area::Variables`] | globals with contents |
//! | [`Area::Zeros`] | globals that start as zero: a size, no bytes |
//!
//! Which references need an entry in the table of addresses follows from their relocation; which may need a veneer, from
//! their target: functions outside of the module, whose distance is not known yet. Aliases are resolved at once.
//!
//! Invariant: the offset of a fix and its field are inside of the bytes of its area. Cost: linear in bytes and references.

use crate::error::Error;
use crate::link::Addresses;
use crate::startup::Called;
use crate::thread_local::CopyNumbers;
use ice_asm::{ConstantId, ConstantPool, ConstantSize, RelocKind, SymbolId};
use ice_codegen::live::LiveCalls;
use ice_codegen::{CodeSymbol, FunctionCode, Libcall};
use ice_driver::labels::Labels;
use ice_driver::machine::Machine;
use ice_driver::names::undecorated;
use ice_driver::object::{function_alignment, resolve_alias};
use ice_driver::placement::{Contents, Placement, data_bytes};
use ice_driver::relocations::TableEntries;
use ice_driver::unwind::{Entries, Frames, UnwindForm};
use ice_driver::{Options, RelocationModel, Sections};
use ice_elf::{Of, Rule};
use ice_ir::{FuncId, FunctionKind, GlobalId, GlobalKind, Initializer, Linkage, Module, Symbol, Type};
use std::collections::HashMap;

/// A kind of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Area {
    /// Executable.
    Code,
    /// Readable.
    Constants,
    /// Writable.
    Variables,
    /// Writable, and zero at first.
    Zeros,
}

/// Areas that have bytes before they are in memory.
pub(crate) const FILLED: usize = 3;

/// Number of areas.
pub(crate) const AREAS: usize = 4;

/// A place in an area.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) area: Area,
    pub(crate) offset: u64,
}

/// What a reference is to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    /// A function of the module, wherever it comes to be.
    Function(FuncId),
    /// A label of a function of the module.
    Label(FuncId, u32),
    /// A place that is known.
    Place(Place),
    /// A constant of code.
    Constant(ConstantId),
    /// Something outside, by its number among the imports.
    Import(u32),
}

/// A reference.
pub(crate) struct Fix {
    pub(crate) at: Place,
    pub(crate) rule: Rule,
    pub(crate) target: Target,
    pub(crate) addend: i64,
}

/// Something outside of the module.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Import {
    pub(crate) name: Vec<u8>,
    /// Whether it is called, so that code which jumps there may stand in for it.
    pub(crate) is_function: bool,
    /// Whether its address is 0 if it is nowhere.
    pub(crate) is_weak: bool,
    /// Its address, if it belongs to what is known.
    pub(crate) address: Option<u64>,
}

/// Bytes of an area, and what its start is aligned to.
#[derive(Default)]
pub(crate) struct Bytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) alignment: u64,
}

impl Bytes {
    /// Fills up to an alignment and says where that is.
    pub(crate) fn align(&mut self, alignment: u64, fill: u8) -> u64 {
        self.alignment = self.alignment.max(alignment);
        let start = (self.bytes.len() as u64).next_multiple_of(alignment);
        self.bytes.resize(start as usize, fill);
        start
    }
}

/// Code in memory, for those who look at a process from outside.
pub(crate) struct Placed<'a> {
    pub(crate) machine: &'static dyn Machine,
    pub(crate) code: &'a [u8],
    pub(crate) address: u64,
    /// Offset, size and name of each function.
    pub(crate) functions: Vec<(u64, u64, &'a [u8])>,
    /// Tables for unwinding, and where they are.
    pub(crate) frames: Option<(&'a [u8], u64)>,
}

/// Addresses of functions and globals of a module.
pub(crate) type Outer = HashMap<Symbol, u64>;

/// A module whose parts have offsets and no addresses.
pub(crate) struct Object<'m> {
    pub(crate) module: &'m Module,
    pub(crate) machine: &'static dyn Machine,
    relocation: RelocationModel,
    pub(crate) filled: [Bytes; FILLED],
    /// Size and alignment of [`Area::Zeros`].
    pub(crate) zeros: (u64, u64),
    pub(crate) fixes: Vec<Fix>,
    pub(crate) imports: Vec<Import>,
    import_numbers: HashMap<Import, u32>,
    /// What has an entry in the table of addresses, in its order.
    pub(crate) entries: Vec<Target>,
    entry_numbers: HashMap<Target, u32>,
    pub(crate) functions: Vec<Option<Place>>,
    /// Which functions have code of how many bytes.
    pub(crate) sizes: Vec<(FuncId, u64)>,
    globals: Vec<Option<Place>>,
    constants: ConstantPool,
    /// Where the constants of each size begin, once all are there.
    pub(crate) constant_starts: [u64; 3],
    /// Symbols by name that helpers of the code generator may be called by.
    visible: HashMap<&'m [u8], Symbol>,
    /// Bytes that an area may have.
    limit: u64,
    /// Variables with functions that are called when the module comes into use, or leaves it.
    pub(crate) called: Vec<Called>,
    /// Thread-local variables.
    pub(crate) copies: CopyNumbers,
    /// Where the rest of the module is, if this is a part of one that is in memory.
    outer: Option<&'m Outer>,
    /// The calls with live values of functions, by the offsets of those.
    pub(crate) live: Vec<(u64, LiveCalls)>,
    /// Tables for unwinding, their references to functions, and where they are once all are there.
    pub(crate) frames: Option<Frames>,
    /// Whether functions that catch exceptions would need tables of another form.
    refuses_exceptions: bool,
    pub(crate) frame_references: Vec<(u64, Place)>,
    pub(crate) labels: Labels,
    /// Distances of two labels plus a number, and the bytes that they take.
    pub(crate) distances: Vec<(Place, [GlobalId; 2], i32, u8)>,
    /// Words with addresses that tables for exceptions refer to.
    pub(crate) address_words: HashMap<Symbol, Place>,
    pub(crate) frames_at: Option<Place>,
    /// Bytes of the tables and of their end.
    frames_size: usize,
}

/// A name for messages.
pub(crate) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(undecorated(name)).into_owned()
}

const SIZES: [ConstantSize; 3] = [ConstantSize::C4, ConstantSize::C8, ConstantSize::C16];

impl<'m> Object<'m> {
    /// Starts with the globals of a module. At most `limit` bytes may come to be in one area.
    ///
    /// # Errors
    /// Data out of proportion.
    pub(crate) fn new(module: &'m Module, options: &Options, limit: u64) -> Result<Object<'m>, Error> {
        if !module.assembly.is_empty() {
            return Err(Error::Assembly);
        }
        let resolved = module.functions.keys().map(Symbol::Function).find(|&f| module.resolver(f).is_some());
        if let Some(function) = resolved {
            return Err(Error::Indirect(String::from_utf8_lossy(module.symbol_name(function)).into_owned()));
        }
        let mut object = Object::empty(module, options, limit, None);
        object.add_globals()?;
        Ok(object)
    }

    /// Starts with nothing of a module whose functions and globals are at other places already.
    pub(crate) fn part(module: &'m Module, options: &Options, limit: u64, outer: &'m Outer) -> Object<'m> {
        Object::empty(module, options, limit, Some(outer))
    }

    fn empty(module: &'m Module, options: &Options, limit: u64, outer: Option<&'m Outer>) -> Object<'m> {
        let symbols = module.functions.keys().map(Symbol::Function);
        let symbols = symbols.chain(module.globals.keys().map(Symbol::Global));
        let is_visible = |&symbol: &Symbol| {
            let is_intrinsic = matches!(symbol, Symbol::Function(f)
                if matches!(module.functions[f].kind, FunctionKind::Intrinsic(_)));
            !is_intrinsic && !module.linkage(symbol).0.is_local()
        };
        let unwind = Entries::of(options);
        let mut object = Object {
            module,
            machine: options.arch.machine(),
            relocation: options.relocation,
            filled: Default::default(),
            zeros: (0, 1),
            fixes: Vec::new(),
            imports: Vec::new(),
            import_numbers: HashMap::new(),
            entries: Vec::new(),
            entry_numbers: HashMap::new(),
            functions: vec![None; module.functions.len()],
            sizes: Vec::new(),
            globals: vec![None; module.globals.len()],
            constants: ConstantPool::new(),
            constant_starts: [0; 3],
            visible: symbols
                .filter(is_visible)
                .map(|symbol| (undecorated(module.symbol_name(symbol)), symbol))
                .collect(),
            limit,
            called: Vec::new(),
            copies: CopyNumbers::default(),
            outer,
            live: Vec::new(),
            frames: unwind.and_then(Frames::new),
            refuses_exceptions: unwind.is_some_and(|entries| matches!(entries.form, UnwindForm::Index(_))),
            frame_references: Vec::new(),
            labels: Labels::default(),
            distances: Vec::new(),
            address_words: HashMap::new(),
            frames_at: None,
            frames_size: 0,
        };
        object.filled.iter_mut().for_each(|area| area.alignment = 1);
        object
    }

    fn add_globals(&mut self) -> Result<(), Error> {
        let module = self.module;
        for (id, decl) in &module.globals {
            if decl.storage.is_thread_local() {
                return Err(Error::Internal("a thread-local variable has no control"));
            }
            if decl.kind != GlobalKind::Defined {
                continue;
            }
            let place = Placement::of_global(module, id, self.relocation, Sections::default());
            let area = match place.map(|place| place.contents) {
                Some(Contents::ReadOnly | Contents::Relocated) => Area::Constants,
                Some(Contents::Zero) | None => Area::Zeros,
                Some(_) => Area::Variables,
            };
            let alignment = 1u64 << decl.align_log2.unwrap_or(0).min(29);
            let size = module.global_size(id);
            let offset = self.make_room(area, alignment, size)?;
            let place = Place { area, offset };
            self.globals[id.as_u32() as usize] = Some(place);
            if area != Area::Zeros {
                self.called.extend(Called::new(module.name(decl.symbol.section), place, size));
            }
        }
        // An initializer may name any global.
        for id in module.globals.keys() {
            match self.globals[id.as_u32() as usize] {
                Some(place) if place.area != Area::Zeros => self.add_contents(id, place)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Room for a global, whose bytes are zero at first.
    pub(crate) fn make_room(&mut self, area: Area, alignment: u64, size: u64) -> Result<u64, Error> {
        let used = match area {
            Area::Zeros => self.zeros.0,
            _ => self.filled[area as usize].bytes.len() as u64,
        };
        let start = used.next_multiple_of(alignment);
        let end = start.saturating_add(size);
        if end > self.limit {
            return Err(Error::TooLarge { bytes: end, limit: self.limit });
        }
        match area {
            Area::Zeros => self.zeros = (end, self.zeros.1.max(alignment)),
            _ => {
                self.filled[area as usize].align(alignment, 0);
                self.filled[area as usize].bytes.resize(end as usize, 0);
            }
        }
        Ok(start)
    }

    fn add_contents(&mut self, global: GlobalId, mut at: Place) -> Result<(), Error> {
        let module = self.module;
        for init in module.initializers(global) {
            let (kind, target, addend) = match *init {
                Initializer::Zero(count) => {
                    at.offset += u64::from(count);
                    continue;
                }
                Initializer::Bytes { start, len } => {
                    let (from, len) = (at.offset as usize, len as usize);
                    self.filled[at.area as usize].bytes[from..from + len]
                        .copy_from_slice(data_bytes(module, start, len as u32));
                    at.offset += len as u64;
                    continue;
                }
                Initializer::Distance { plus, minus, addend, bytes } => {
                    self.distances.push((at, [plus, minus], addend, bytes));
                    at.offset += u64::from(bytes);
                    continue;
                }
                Initializer::Relative { target, addend, bytes: 8 } => (RelocKind::PcRel64, target, addend),
                Initializer::Relative { target, addend, .. } => (RelocKind::PcRel32, target, addend),
                Initializer::Address { target, addend } => match module.pointer_type {
                    Type::I64 => (RelocKind::Abs64, target, addend),
                    // Addresses wrap at 32 bits.
                    _ => (RelocKind::Abs32, target, i64::from(addend as i32)),
                },
            };
            let (target, base) = self.target(target);
            self.add_fix(at, kind, target, addend.wrapping_add(base))?;
            at.offset += u64::from(kind.size());
        }
        Ok(())
    }

    /// What a symbol of the module stands for, and what is added to its address.
    /// A global that is a label.
    pub(crate) fn label_target(&self, global: GlobalId) -> Result<Target, Error> {
        match self.module.globals[global].kind {
            GlobalKind::Label { function, label } => Ok(Target::Label(function, label)),
            _ => Err(Error::Internal("a variable is taken for a label")),
        }
    }

    pub(crate) fn target(&mut self, symbol: Symbol) -> (Target, i64) {
        let module = self.module;
        let (symbol, addend) = resolve_alias(module, symbol);
        if let Symbol::Global(global) = symbol
            && let GlobalKind::Label { function, label } = module.globals[global].kind
        {
            return (Target::Label(function, label), addend);
        }
        if let Some(&address) = self.outer.and_then(|outer| outer.get(&symbol)) {
            let name = module.symbol_name(symbol).to_vec();
            let is_function = matches!(symbol, Symbol::Function(_));
            let import = Import { name, is_function, is_weak: false, address: Some(address) };
            return (self.import(import), addend);
        }
        let (place, is_function) = match symbol {
            Symbol::Function(f) if module.functions[f].kind == FunctionKind::Defined => {
                return (Target::Function(f), addend);
            }
            Symbol::Function(_) => (None, true),
            Symbol::Global(g) => (self.globals[g.as_u32() as usize], false),
        };
        if let Some(place) = place {
            return (Target::Place(place), addend);
        }
        let name = undecorated(module.symbol_name(symbol)).to_vec();
        let is_weak = module.linkage(symbol).0 == Linkage::Weak;
        (self.import(Import { name, is_function, is_weak, address: None }), addend)
    }

    fn import(&mut self, import: Import) -> Target {
        let next = self.imports.len() as u32;
        let number = *self.import_numbers.entry(import.clone()).or_insert(next);
        if number == next {
            self.imports.push(import);
        }
        Target::Import(number)
    }

    fn libcall(&mut self, libcall: Libcall) -> (Target, i64) {
        let name = libcall.name().as_bytes();
        match self.visible.get(name) {
            Some(&symbol) => self.target(symbol),
            None => {
                let import = Import { name: name.to_vec(), is_function: true, is_weak: false, address: None };
                (self.import(import), 0)
            }
        }
    }

    pub(crate) fn add_fix(
        &mut self,
        at: Place,
        kind: RelocKind,
        target: Target,
        addend: i64,
    ) -> Result<(), Error> {
        let r_type = self.machine.relocation_type(kind);
        let rule = r_type.and_then(|r_type| Rule::new(self.machine.format(self.relocation).machine, r_type));
        let rule = rule.ok_or(Error::UnsupportedReference(kind))?;
        if rule.of == Of::Entry {
            let next = self.entries.len() as u32;
            if *self.entry_numbers.entry(target).or_insert(next) == next {
                self.entries.push(target);
            }
        }
        self.fixes.push(Fix { at, rule, target, addend });
        Ok(())
    }

    /// The offset of the entry with the address of a target in the table of addresses.
    pub(crate) fn entry_offset(&self, target: Target) -> Option<u64> {
        let number = self.entry_numbers.get(&target)?;
        Some(u64::from(*number) * u64::from(self.module.pointer_type.bytes()))
    }

    /// Appends a function.
    ///
    /// # Errors
    /// References that code in memory cannot have; code out of proportion.
    pub(crate) fn add_function(&mut self, function: FuncId, code: &FunctionCode<'_>) -> Result<(), Error> {
        if code.exceptions.is_some() && self.refuses_exceptions {
            let name = self.module.name(self.module.functions[function].name);
            return Err(Error::Exceptions(String::from_utf8_lossy(name).into_owned()));
        }
        if !code.parts.is_empty() {
            return Err(Error::Assembly);
        }
        let alignment = function_alignment(self.machine, self.module, function);
        let area = &mut self.filled[Area::Code as usize];
        let end = (area.bytes.len() as u64).next_multiple_of(alignment) + code.code.len() as u64;
        if end > self.limit {
            return Err(Error::TooLarge { bytes: end, limit: self.limit });
        }
        let start = area.align(alignment, 0);
        area.bytes.extend_from_slice(code.code);
        let tables = self.add_tables(start, code)?;
        for reloc in code.relocs {
            let (target, base) = self.code_target(reloc.symbol, code, tables)?;
            let at = Place { area: Area::Code, offset: start + u64::from(reloc.offset) };
            self.add_fix(at, reloc.kind, target, reloc.addend.wrapping_add(base))?;
        }
        let place = Place { area: Area::Code, offset: start };
        let frame = self.frames.as_mut().and_then(|frames| frames.add(self.module, function, code));
        if let Some(fields) = frame {
            self.frame_references.push((fields.function, place));
            if let (Some(field), Some(table)) = (fields.exceptions, code.exceptions) {
                let table = self.add_exceptions(table, code.code.len() as u32)?;
                self.frame_references.push((field, table));
            }
        }
        self.live.extend(code.live.map(|live| (start, live.clone())));
        self.functions[function.as_u32() as usize] = Some(place);
        self.labels.note(function, code.labels);
        self.sizes.push((function, code.code.len() as u64));
        Ok(())
    }

    fn code_target(
        &mut self,
        symbol: SymbolId,
        code: &FunctionCode<'_>,
        tables: u64,
    ) -> Result<(Target, i64), Error> {
        Ok(match CodeSymbol::unpack(symbol) {
            CodeSymbol::Function(f) => self.target(Symbol::Function(f)),
            CodeSymbol::Global(g) => self.target(Symbol::Global(g)),
            CodeSymbol::Libcall(libcall) => self.libcall(libcall),
            CodeSymbol::Constant(id) => {
                let bits = code
                    .constants
                    .get(id)
                    .ok_or(Error::Internal("code loads a constant that is not there"))?;
                (Target::Constant(self.constants.intern(id.size, bits)), 0)
            }
            CodeSymbol::Label(index) => match code.taken_labels.get(index as usize) {
                Some(&(function, label)) => (Target::Label(function, label), 0),
                None => return Err(Error::Internal("code refers to a label that is not there")),
            },
            CodeSymbol::Start => return Err(Error::Internal("confined code is in memory of its own")),
            CodeSymbol::Named(_) | CodeSymbol::Part(_) => return Err(Error::Assembly),
            CodeSymbol::JumpTable(table) => {
                let entries = TableEntries::of(self.machine, self.module, self.relocation);
                let before = code.tables.start(table as usize) as u64;
                let offset = tables + u64::from(entries.bytes()) * before;
                (Target::Place(Place { area: Area::Constants, offset }), 0)
            }
        })
    }

    /// Appends the jump tables of the function at `start` and says where the first one is.
    fn add_tables(&mut self, start: u64, code: &FunctionCode<'_>) -> Result<u64, Error> {
        let area = Area::Constants;
        let entries = TableEntries::of(self.machine, self.module, self.relocation);
        let first = self.filled[area as usize].align(entries.bytes().into(), 0);
        for table in code.tables.iter() {
            for (n, &entry) in table.iter().enumerate() {
                let bytes = &mut self.filled[area as usize].bytes;
                let at = Place { area, offset: bytes.len() as u64 };
                bytes.resize(bytes.len() + entries.bytes() as usize, 0);
                let distance = if entries == TableEntries::FromTable { 4 * n as i64 } else { 0 };
                let target = Target::Place(Place { area: Area::Code, offset: start + u64::from(entry) });
                self.add_fix(at, entries.kind(), target, distance)?;
            }
        }
        Ok(first)
    }

    /// The name of a function that the module defines and that has no code.
    pub(crate) fn without_body(&self) -> Option<String> {
        let has_none = |id: &FuncId| self.functions[id.as_u32() as usize].is_none();
        let function = self.module.defined_functions().find(has_none)?;
        Some(shown(self.module.name(self.module.functions[function].name)))
    }

    /// Appends what is known only now that all functions are there: the constants of code, tables for unwinding.
    ///
    /// # Errors
    /// A defect: the machine has no distances of 32 bits.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        for (size, start) in SIZES.into_iter().zip(&mut self.constant_starts) {
            if self.constants.len(size) > 0 {
                let area = &mut self.filled[Area::Constants as usize];
                *start = area.align(u64::from(size.bytes()), 0);
                self.constants.write_section(size, &mut area.bytes);
            }
        }
        self.refer_to_personalities()?;
        let Some(bytes) = self.frames.as_ref().and_then(Frames::bytes) else { return Ok(()) };
        let area = &mut self.filled[Area::Constants as usize];
        let offset = area.align(u64::from(self.machine.address_type().bytes()), 0);
        area.bytes.extend_from_slice(bytes);
        // An entry of no length is the end.
        area.bytes.extend_from_slice(&[0; 4]);
        self.frames_size = area.bytes.len() - offset as usize;
        self.frames_at = Some(Place { area: Area::Constants, offset });
        for (field, function) in std::mem::take(&mut self.frame_references) {
            let at = Place { area: Area::Constants, offset: offset + field };
            self.add_fix(at, RelocKind::PcRel32, Target::Place(function), 0)?;
        }
        Ok(())
    }

    /// What there is to see of the object when its bytes are these, at these addresses.
    pub(crate) fn placed<'a>(&'a self, filled: &'a [Vec<u8>; FILLED], addresses: Addresses) -> Placed<'a> {
        let function = |&(function, size): &(FuncId, u64)| {
            let place = self.functions[function.as_u32() as usize]?;
            Some((place.offset, size, undecorated(self.module.symbol_name(Symbol::Function(function)))))
        };
        let frames = self.frames_at.map(|place| {
            let range = place.offset as usize..place.offset as usize + self.frames_size;
            (&filled[place.area as usize][range], addresses[place.area as usize] + place.offset)
        });
        Placed {
            machine: self.machine,
            code: &filled[Area::Code as usize],
            address: addresses[Area::Code as usize],
            functions: self.sizes.iter().filter_map(function).collect(),
            frames,
        }
    }

    /// The symbols that the module defines, with what each one stands for.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = (Symbol, Place, i64)> + '_ {
        let module = self.module;
        let symbols = module.functions.keys().map(Symbol::Function);
        let symbols = symbols.chain(module.globals.keys().map(Symbol::Global));
        symbols.filter_map(move |symbol| {
            let (base, addend) = resolve_alias(module, symbol);
            let place = match base {
                Symbol::Function(f) => self.functions[f.as_u32() as usize],
                Symbol::Global(g) => self.globals[g.as_u32() as usize],
            };
            place.map(|place| (symbol, place, addend))
        })
    }
}

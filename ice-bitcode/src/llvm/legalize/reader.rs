//! Reads an LLVM module but for its function bodies.
//!
//! One pass: types and attributes are read where they stand, globals and functions become declarations of an
//! [`ice_ir::Module`] at once, their initializers and aliases are resolved behind the constants of the module, and
//! bodies are passed over by their length, like all blocks that say nothing to a code generator (metadata, use
//! lists, symbol tables). Bodies can then be read elsewhere and in any order (LLVM bitcode specification, sections 3
//! and 4).
//!
//! | LLVM | IR |
//! |---|---|
//! | `available_externally` | a declaration; the body is dropped |
//! | `llvm.global_ctors`, `llvm.global_dtors` | variables in `.init_array` and `.fini_array` |
//! | other names that start with `llvm.` | nothing; bodies know them by name |
//! | alias of an alias | alias of the symbol at the end |

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use cranelift_entity::SecondaryMap;
use ice_ir::native::Environment;
use ice_ir::{FuncId, GlobalId, Module, Name, Symbol, Type};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::body::{byte_compare, square_root};
use super::emulated_threads::EmulatedThreads;
use super::hardening::TYPE_WORDS;
use super::initializer::Budget;
use super::legal::Legal;
use super::machine::{BlockAddresses, MachineDescription};
use super::module::{FunctionInfo, LlvmModule, SpecialGlobal, rules, unsupported};
use super::signature::Signatures;
use crate::bitstream::{BLOCKINFO, BlockHeader, Entry, Reader, Record};
use crate::error::{Error, OpenBlock, Result};
use crate::llvm::wire::attributes::AttributeTable;
use crate::llvm::wire::codes::{block, module as code};
use crate::llvm::wire::constants::{Checked, Constants, GlobalValue, Labels, View};
use crate::llvm::wire::container::{check_name, push_text, read_container};
use crate::llvm::wire::data_layout::{DataLayout, Layouts};
use crate::llvm::wire::debug::ModuleDebug;
use crate::llvm::wire::metadata::{
    ModuleFlag, Predicates, SIGNATURE, Words, read_module_metadata, read_own_words, read_type_words,
};
use crate::llvm::wire::types::{self, LlvmType, TypeId, TypeTable};
use crate::llvm::wire::weights::Weights;
use crate::pexe::BodyRange;

/// Reads the module in `file`, a whole file of LLVM bitcode, for `machine`.
///
/// # Errors
///
/// Every condition of the catalogue that is not about the inside of a function body.
pub fn read_module(file: &[u8], machine: &MachineDescription) -> Result<LlvmModule> {
    let mut record = Record::default();
    let (container, mut reader) = read_container(file, &mut record)?;
    reader.enter(&container.module);
    let mut builder = Builder::new(container.strings, file.len(), machine);
    loop {
        match reader.next(&mut record)? {
            Entry::DefineAbbrev => {}
            Entry::Record => {
                builder.record(&record).map_err(|error| reader.record_error(error, &record))?;
            }
            Entry::Block(found) => builder.block(&mut reader, &found, &mut record)?,
            Entry::EndBlock => break,
        }
    }
    builder.finish().map_err(|error| reader.error(error))?;
    builder.prepare_calls();
    let outer = OpenBlock { id: block::MODULE, byte: container.module.at / 8 };
    let byte_compare = byte_compare::declared(&builder.module);
    let square_roots = square_root::declared(&builder.module);
    Ok(LlvmModule {
        byte_compare,
        square_roots,
        emulated: EmulatedThreads::default(),
        producer: container.version(),
        block_info: Arc::clone(reader.block_info()),
        outer,
        module: builder.module,
        bodies: builder.bodies,
        triple: builder.triple,
        types: builder.types,
        pointer: builder.pointer,
        int32: builder.int32,
        layout: builder.layout,
        layouts: builder.layouts,
        legal: builder.legal,
        attributes: builder.attributes,
        signatures: builder.signatures,
        globals: builder.globals,
        constants: builder.constants,
        labels: builder.labels,
        functions: builder.functions,
        specials: builder.specials,
        bundle_tags: builder.bundle_tags,
        sync_scopes: builder.sync_scopes,
        used: builder.used,
        predicates: builder.predicates,
        weights: builder.weights,
        debug: builder.debug.map(Arc::new),
    })
}

/// The target triple of the module in `file`, empty if it has none; nothing behind it is looked at.
///
/// # Errors
///
/// Every condition of the catalogue up to there.
pub fn read_triple(file: &[u8]) -> Result<Vec<u8>> {
    let mut record = Record::default();
    let (container, mut reader) = read_container(file, &mut record)?;
    reader.enter(&container.module);
    let mut triple = Vec::new();
    loop {
        match reader.next(&mut record)? {
            Entry::Record if record.code == code::TRIPLE => {
                push_text(&record.ops, &mut triple).map_err(|error| reader.record_error(error, &record))?;
                return Ok(triple);
            }
            Entry::Block(found) if found.id == BLOCKINFO => {
                reader.enter(&found);
                while reader.next(&mut record)? != Entry::EndBlock {}
            }
            Entry::EndBlock => return Ok(triple),
            _ => {}
        }
    }
}

/// Parts of a module, in the order in which they must come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Start,
    Version,
    Types,
    Globals,
    Constants,
    Bodies,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Part::Start => "the module",
            Part::Version => "VERSION",
            Part::Types => "TYPE",
            Part::Globals => "global values",
            Part::Constants => "CONSTANTS",
            Part::Bodies => "function bodies",
        }
    }
}

/// The environment of the constants of the module itself: a loan of some fields, while others change.
macro_rules! own_environment {
    ($builder:expr) => {
        $crate::llvm::wire::constants::Environment {
            types: &$builder.types,
            layout: &$builder.layout,
            layouts: &$builder.layouts,
            pointer: $builder.pointer,
            int32: $builder.int32,
            globals: &$builder.globals,
            module: None,
            labels: $builder.labels,
        }
    };
}

pub(super) use own_environment;

/// What waits for the constants of the module.
#[derive(Clone, Copy)]
pub(super) enum Deferred {
    /// The contents of a variable.
    Contents(GlobalId, u32, TypeId),
    /// What an alias stands for.
    Alias(Symbol, u32),
    /// The functions to be run before or after the program.
    Hooks(HookKind, u32),
    /// Functions and variables that are used from elsewhere.
    Used(u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HookKind {
    Constructors,
    Destructors,
}

pub(super) struct Builder<'a> {
    pub(super) strings: &'a [u8],
    pub(super) budget: Budget,
    machine: &'a MachineDescription,
    last: Part,
    pub(super) has_layout: bool,
    pub(super) module: Module,
    pub(super) triple: Vec<u8>,
    pub(super) types: TypeTable,
    pub(super) pointer: Option<TypeId>,
    pub(super) int32: Option<TypeId>,
    pub(super) layout: DataLayout,
    pub(super) layouts: Layouts,
    pub(super) legal: Legal,
    pub(super) attributes: AttributeTable,
    pub(super) signatures: Signatures,
    pub(super) globals: Vec<GlobalValue>,
    pub(super) constants: Constants,
    /// What the addresses of blocks among them come to.
    pub(super) labels: Labels,
    pub(super) functions: SecondaryMap<FuncId, FunctionInfo>,
    pub(super) specials: Vec<SpecialGlobal>,
    pub(super) bundle_tags: Vec<Name>,
    pub(super) sync_scopes: Vec<Name>,
    pub(super) sections: Vec<Name>,
    pub(super) comdats: u64,
    pub(super) gc_names: u64,
    /// Functions that are used from elsewhere, by what the module says.
    pub(super) used: Vec<FuncId>,
    pub(super) flags: Vec<ModuleFlag>,
    /// What words of types may be, in modules with such.
    pub(super) words: Words,
    /// What comparisons may name in metadata, in modules with such.
    pub(super) predicates: Option<Predicates>,
    /// What its metadata says of how often branches go which way.
    pub(super) weights: Weights,
    /// What is said of the source.
    pub(super) debug: Option<ModuleDebug>,
    pub(super) names: IndexSet<&'a [u8], FxBuildHasher>,
    pub(super) deferred: Vec<Deferred>,
    /// The functions that have a body, in order; `None` for a body that is dropped.
    pub(super) defined: Vec<Option<FuncId>>,
    /// How many of them have had theirs.
    pub(super) met: usize,
    pub(super) bodies: Vec<BodyRange>,
    pub(super) text: Vec<u8>,
}

impl<'a> Builder<'a> {
    fn new(strings: &'a [u8], length: usize, machine: &'a MachineDescription) -> Builder<'a> {
        let mut module = Module::new();
        module.environment = Environment::Native;
        Builder {
            strings,
            budget: Budget::new(length),
            machine,
            last: Part::Start,
            has_layout: false,
            module,
            triple: Vec::new(),
            types: TypeTable::default(),
            pointer: None,
            int32: None,
            layout: DataLayout::default(),
            layouts: Layouts::default(),
            legal: Legal::default(),
            attributes: AttributeTable::default(),
            signatures: Signatures::default(),
            globals: Vec::new(),
            constants: Constants::default(),
            labels: Labels::Numbers,
            functions: SecondaryMap::new(),
            specials: Vec::new(),
            bundle_tags: Vec::new(),
            sync_scopes: Vec::new(),
            sections: Vec::new(),
            comdats: 0,
            gc_names: 0,
            used: Vec::new(),
            flags: Vec::new(),
            words: Words::default(),
            predicates: None,
            weights: Weights::default(),
            debug: None,
            names: IndexSet::default(),
            deferred: Vec::new(),
            defined: Vec::new(),
            met: 0,
            bodies: Vec::new(),
            text: Vec::new(),
        }
    }

    /// Notes that `part` comes now; parts come in order.
    /// When all global variables are there: those behind them are the labels.
    pub(super) fn place_labels(&mut self) {
        if self.machine.block_addresses == BlockAddresses::Code {
            self.labels = Labels::Globals(self.module.globals.next_key());
        }
    }

    fn advance(&mut self, part: Part) -> Checked<()> {
        if self.last == Part::Start && part != Part::Version {
            return Err(Error::ModuleVersion { version: 0 });
        }
        if part < self.last {
            return Err(Error::Order { part: part.name(), other: self.last.name() });
        }
        if part >= Part::Globals && self.last < Part::Types {
            return Err(Error::Order { part: Part::Types.name(), other: part.name() });
        }
        if part >= Part::Globals && self.last < Part::Globals {
            self.prepare();
        }
        if part == Part::Bodies && self.last < Part::Bodies {
            self.last = part;
            return self.resolve();
        }
        self.last = part;
        Ok(())
    }

    fn record(&mut self, record: &Record) -> Checked<()> {
        let ops = &record.ops[..];
        match record.code {
            code::VERSION => {
                let &[version] = ops else { return Err(operand_count("VERSION", ops, "1")) };
                if version != 2 || self.last != Part::Start {
                    return Err(Error::ModuleVersion { version });
                }
                self.advance(Part::Version)
            }
            code::TRIPLE => {
                self.triple.clear();
                push_text(ops, &mut self.triple)
            }
            code::DATALAYOUT => {
                if self.last >= Part::Globals || core::mem::replace(&mut self.has_layout, true) {
                    return Err(Error::Order { part: "the data layout", other: Part::Globals.name() });
                }
                self.text.clear();
                push_text(ops, &mut self.text)?;
                self.layout = DataLayout::parse(&self.text)?;
                Ok(())
            }
            code::ASM if ops.is_empty() => Ok(()),
            code::ASM => {
                self.text.clear();
                push_text(ops, &mut self.text)?;
                self.module.assembly = String::from_utf8_lossy(&self.text).into_owned();
                Ok(())
            }
            code::SECTIONNAME => {
                let name = self.text_name(ops)?;
                self.sections.push(name);
                Ok(())
            }
            code::GCNAME => {
                self.gc_names += 1;
                Ok(())
            }
            code::COMDAT => self.comdat(ops),
            code::GLOBALVAR => {
                self.advance(Part::Globals)?;
                self.variable(ops)
            }
            code::FUNCTION => {
                self.advance(Part::Globals)?;
                self.function(ops)
            }
            code::ALIAS => {
                self.advance(Part::Globals)?;
                self.alias(ops)
            }
            code::IFUNC => {
                self.advance(Part::Globals)?;
                self.ifunc(ops)
            }
            code::VSTOFFSET | code::SOURCE_FILENAME | code::HASH => Ok(()),
            code => Err(Error::UnknownRecord { code, block: block::MODULE }),
        }
    }

    fn block(&mut self, reader: &mut Reader<'_>, found: &BlockHeader, record: &mut Record) -> Result<()> {
        let located = |result: Checked<()>, reader: &Reader<'_>| result.map_err(|error| reader.error(error));
        match found.id {
            BLOCKINFO => {
                reader.enter(found);
                while reader.next(record)? != Entry::EndBlock {}
                Ok(())
            }
            block::TYPE => {
                if self.last == Part::Types {
                    return Err(reader.error(Error::BlockRepeated { block: "TYPE" }));
                }
                located(self.advance(Part::Types), reader)?;
                self.types = types::read(reader, found, record)?;
                Ok(())
            }
            block::PARAMATTR_GROUP | block::PARAMATTR => {
                // Types are there if any attribute needs one; lists must be there before the globals.
                if self.last >= Part::Globals {
                    let error = Error::Order { part: "attributes", other: self.last.name() };
                    return Err(reader.error(error));
                }
                match found.id {
                    block::PARAMATTR => self.attributes.read_lists(reader, found, record),
                    _ => self.attributes.read_groups(reader, found, record, &self.types),
                }
            }
            block::CONSTANTS => {
                located(self.advance(Part::Constants), reader)?;
                if self.constants.is_empty() {
                    self.constants.clear(self.globals.len() as u32);
                }
                self.place_labels();
                let env = own_environment!(self);
                self.constants.read(reader, found, record, &env)
            }
            block::OPERAND_BUNDLE_TAGS | block::SYNC_SCOPE_NAMES => {
                let mut names = Vec::new();
                reader.enter(found);
                loop {
                    match reader.next(record)? {
                        Entry::EndBlock => break,
                        Entry::DefineAbbrev => {}
                        Entry::Record if record.code == 1 => {
                            let name = self.text_name(&record.ops);
                            names.push(name.map_err(|error| reader.record_error(error, record))?);
                        }
                        _ => {
                            return Err(
                                reader.error(Error::UnknownRecord { code: record.code, block: found.id })
                            );
                        }
                    }
                }
                match found.id {
                    block::SYNC_SCOPE_NAMES => self.sync_scopes = names,
                    _ => self.bundle_tags = names,
                }
                Ok(())
            }
            block::FUNCTION => {
                located(self.advance(Part::Bodies), reader)?;
                let Some(&function) = self.defined.get(self.met) else {
                    return Err(reader.error(Error::BodyWithoutDefinition));
                };
                self.met += 1;
                if let Some(function) = function {
                    self.bodies.push(BodyRange { function, header: *found });
                    if !self.words.is_empty() {
                        self.type_word(reader, found, record, function)?;
                    }
                }
                Ok(())
            }
            block::METADATA => {
                let env = own_environment!(self);
                let view = View { env: &env, local: &self.constants };
                let number = |id| view.number(id);
                let has_predicates = self.predicates.is_some();
                let mut constants = self.constants.first()..self.constants.first() + self.constants.len();
                let has_signatures = constants.any(|id| number(id) == Some((SIGNATURE as i32).into()));
                let asked = (TYPE_WORDS, has_signatures);
                let read = read_module_metadata(reader, found, record, number, asked, has_predicates)?;
                (self.flags, self.words, self.debug) = (read.flags, read.words, read.debug);
                self.predicates = has_predicates.then_some(read.predicates);
                self.weights = read.weights;
                Ok(())
            }
            block::VALUE_SYMTAB
            | block::METADATA_ATTACHMENT
            | block::METADATA_KIND
            | block::USELIST
            | block::GLOBALVAL_SUMMARY
            | block::FULL_LTO_GLOBALVAL_SUMMARY => Ok(()),
            id => Err(reader.error(Error::UnexpectedBlock { block: id, outer: block::MODULE })),
        }
    }

    /// Reads the words of the type of a function, which stand in its body.
    #[cold]
    fn type_word(
        &mut self,
        reader: &mut Reader<'_>,
        body: &BlockHeader,
        record: &mut Record,
        function: FuncId,
    ) -> Result<()> {
        let module = self.words.mark();
        reader.enter(body);
        loop {
            match reader.next(record)? {
                Entry::Block(found) if found.id == block::METADATA => {
                    let env = own_environment!(self);
                    let view = View { env: &env, local: &self.constants };
                    read_own_words(reader, &found, record, &mut self.words, |id| view.number(id))?;
                }
                Entry::Block(found) if found.id == block::METADATA_ATTACHMENT => {
                    let [word, signature] = read_type_words(reader, &found, record, &self.words)?;
                    if word.is_some() && signature.is_some() {
                        return Err(
                            reader.error(unsupported("a function with words of its type of two kinds"))
                        );
                    }
                    let traits = &mut self.module.functions[function].traits;
                    traits.type_word = word.or(traits.type_word);
                    let signature = signature.map(|word| [SIGNATURE, word]);
                    traits.signature_words = signature.or(traits.signature_words);
                }
                Entry::EndBlock => {
                    self.words.restore(module);
                    return Ok(());
                }
                Entry::Block(_) | Entry::DefineAbbrev | Entry::Record => {}
            }
        }
    }

    /// What can be computed of the types once the data layout is known: that of the module, or of its triple.
    fn prepare(&mut self) {
        if !self.has_layout
            && let Some(layout) = DataLayout::of_triple(&self.triple)
        {
            self.layout = layout;
        }
        self.pointer = self.types.find(LlvmType::Pointer);
        self.int32 = self.types.find(LlvmType::Int(32));
        self.layouts = Layouts::compute(&self.types, &self.layout);
        self.legal = Legal::compute(&self.types, &self.layout, &self.layouts, self.machine);
        self.module.pointer_type = if self.layout.pointer_bytes == 8 { Type::I64 } else { Type::I32 };
        let rules = rules(&self.types, &self.layout, &self.layouts, &self.legal, &self.attributes);
        self.signatures.add_calls(&rules, &mut self.module);
    }

    /// What can be computed of calls once all functions are known.
    fn prepare_calls(&mut self) {
        let rules = rules(&self.types, &self.layout, &self.layouts, &self.legal, &self.attributes);
        self.signatures.add_calls_by_convention(&rules, &mut self.module);
    }

    // ---- records

    fn text_name(&mut self, ops: &[u64]) -> Checked<Name> {
        self.text.clear();
        push_text(ops, &mut self.text)?;
        check_name(&self.text)?;
        Ok(self.module.make_name(self.text.iter().copied()))
    }

    fn finish(&mut self) -> Checked<()> {
        if self.last < Part::Bodies {
            self.advance(Part::Bodies)?;
        }
        self.harden()?;
        self.module.is_executable = self.is_set("PIE Level");
        match self.defined.len() - self.met {
            0 => Ok(()),
            count => Err(Error::MissingBodies { count }),
        }
    }
}

pub(super) fn operand_count(record: &'static str, ops: &[u64], expected: &'static str) -> Error {
    Error::OperandCount { record, found: ops.len(), expected }
}

pub(super) fn display(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

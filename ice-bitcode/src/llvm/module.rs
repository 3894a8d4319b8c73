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

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use ice_ir::native::{
    Comdat, ComdatKind, Environment, FunctionTraits, Preemption, Storage, SymbolTraits, Visibility,
};
use ice_ir::{
    ComdatId, FuncId, FunctionDecl, FunctionKind, GlobalDecl, GlobalId, GlobalKind, Initializer, Linkage,
    Module, Mutability, Name, Symbol, Type,
};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::attributes::{AttributeTable, FunctionFlags};
use super::codes::{block, module as code};
use super::constants::{
    Checked, Constant, Constants, Environment as ConstantEnvironment, GlobalValue, GlobalValueKind, View,
};
use super::container::{push_text, read_container};
use super::data_layout::{DataLayout, Layouts};
use super::evaluate::Scalar;
use super::initializer::{self, Budget};
use super::legal::Legal;
use super::signature::{Rules, Signatures};
use super::types::{self, LlvmType, TypeId, TypeTable, flag};
use crate::bitstream::{BLOCKINFO, BlockHeader, BlockInfo, Entry, Reader, Record};
use crate::error::{Error, OpenBlock, Result};
use crate::pexe::BodyRange;

/// What is known of a function beside its declaration.
#[derive(Clone, Copy, Debug, Default)]
pub struct FunctionInfo {
    /// Its type.
    pub ty: PackedOption<TypeId>,
    /// Its attribute list, 0 for none.
    pub attributes: u32,
    /// Its calling convention, by the number of LLVM.
    pub convention: u32,
    /// The function that handles its exceptions: a value plus 1, 0 for none.
    pub personality: u32,
}

/// A function or variable that exists for the compiler alone.
#[derive(Clone, Copy, Debug)]
pub struct SpecialGlobal {
    /// Its name, which starts with `llvm.` in all cases of interest.
    pub name: Name,
    /// Its attribute list, 0 for none.
    pub attributes: u32,
}

/// A module and what readers of its bodies need.
#[derive(Clone, Debug)]
pub struct LlvmModule {
    /// Declarations.
    pub module: Module,
    /// Bodies of the defined functions, in order.
    pub bodies: Vec<BodyRange>,
    /// The target triple, such as `x86_64-pc-linux-gnu`; empty if not given.
    pub triple: Vec<u8>,
    /// The version of LLVM that wrote the file, for messages.
    pub producer: Option<u32>,
    /// The types.
    pub types: TypeTable,
    /// The type of an address, if the module has it.
    pub pointer: Option<TypeId>,
    /// The data layout.
    pub layout: DataLayout,
    /// Sizes and offsets.
    pub layouts: Layouts,
    /// The parts of values.
    pub legal: Legal,
    /// Attribute lists.
    pub attributes: AttributeTable,
    /// Signatures of calls.
    pub signatures: Signatures,
    /// The first values: variables, functions and aliases in the order of their records.
    pub globals: Vec<GlobalValue>,
    /// The values behind them.
    pub constants: Constants,
    /// By function.
    pub functions: SecondaryMap<FuncId, FunctionInfo>,
    /// Functions and variables without a symbol.
    pub specials: Vec<SpecialGlobal>,
    /// Names of operand bundles, by tag.
    pub bundle_tags: Vec<Name>,
    /// Names of synchronisation scopes, by number.
    pub sync_scopes: Vec<Name>,
    /// Abbreviations that blocks inherit.
    pub(super) block_info: Arc<BlockInfo>,
    /// The MODULE block, for locations.
    pub(super) outer: OpenBlock,
}

impl LlvmModule {
    /// What the constants of functions refer to.
    #[must_use]
    pub fn environment(&self) -> ConstantEnvironment<'_> {
        ConstantEnvironment {
            types: &self.types,
            layout: &self.layout,
            layouts: &self.layouts,
            pointer: self.pointer,
            globals: &self.globals,
            module: Some(&self.constants),
        }
    }

    /// Number of the first value of every function body.
    #[must_use]
    pub fn first_local(&self) -> u32 {
        self.globals.len() as u32 + self.constants.len()
    }

    /// Abbreviations that blocks inherit.
    #[must_use]
    pub const fn block_info(&self) -> &Arc<BlockInfo> {
        &self.block_info
    }

    /// The MODULE block.
    #[must_use]
    pub const fn outer(&self) -> OpenBlock {
        self.outer
    }
}

/// Reads the module in `file`, a whole file of LLVM bitcode.
///
/// # Errors
///
/// Every condition of the catalogue that is not about the inside of a function body.
pub fn read_module(file: &[u8]) -> Result<LlvmModule> {
    let mut record = Record::default();
    let (container, mut reader) = read_container(file, &mut record)?;
    reader.enter(&container.module);
    let mut builder = Builder::new(container.strings, file.len());
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
    let outer = OpenBlock { id: block::MODULE, byte: container.module.at / 8 };
    Ok(LlvmModule {
        producer: container.version(),
        block_info: Arc::clone(reader.block_info()),
        outer,
        module: builder.module,
        bodies: builder.bodies,
        triple: builder.triple,
        types: builder.types,
        pointer: builder.pointer,
        layout: builder.layout,
        layouts: builder.layouts,
        legal: builder.legal,
        attributes: builder.attributes,
        signatures: builder.signatures,
        globals: builder.globals,
        constants: builder.constants,
        functions: builder.functions,
        specials: builder.specials,
        bundle_tags: builder.bundle_tags,
        sync_scopes: builder.sync_scopes,
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

/// What waits for the constants of the module.
#[derive(Clone, Copy)]
enum Deferred {
    /// The contents of a variable.
    Contents(GlobalId, u32, TypeId),
    /// What an alias stands for.
    Alias(Symbol, u32),
    /// The functions to be run before or after the program.
    Hooks(HookKind, u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HookKind {
    Constructors,
    Destructors,
}

struct Builder<'a> {
    strings: &'a [u8],
    budget: Budget,
    last: Part,
    has_layout: bool,
    module: Module,
    triple: Vec<u8>,
    types: TypeTable,
    pointer: Option<TypeId>,
    layout: DataLayout,
    layouts: Layouts,
    legal: Legal,
    attributes: AttributeTable,
    signatures: Signatures,
    globals: Vec<GlobalValue>,
    constants: Constants,
    functions: SecondaryMap<FuncId, FunctionInfo>,
    specials: Vec<SpecialGlobal>,
    bundle_tags: Vec<Name>,
    sync_scopes: Vec<Name>,
    sections: Vec<Name>,
    comdats: u64,
    gc_names: u64,
    names: IndexSet<&'a [u8], FxBuildHasher>,
    deferred: Vec<Deferred>,
    /// The functions that have a body, in order; `None` for a body that is dropped.
    defined: Vec<Option<FuncId>>,
    /// How many of them have had theirs.
    met: usize,
    bodies: Vec<BodyRange>,
    text: Vec<u8>,
}

/// The fields that variables, functions and aliases share.
struct Common<'a> {
    name: &'a [u8],
    linkage: u64,
    visibility: u64,
    dso_local: u64,
    section: u64,
    comdat: u64,
}

/// A linkage of the wire.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WireLinkage {
    Plain(Linkage),
    Appending,
    ExternWeak,
    AvailableExternally,
}

impl<'a> Builder<'a> {
    fn new(strings: &'a [u8], length: usize) -> Builder<'a> {
        let mut module = Module::new();
        module.environment = Environment::Native;
        Builder {
            strings,
            budget: Budget::new(length),
            last: Part::Start,
            has_layout: false,
            module,
            triple: Vec::new(),
            types: TypeTable::default(),
            pointer: None,
            layout: DataLayout::default(),
            layouts: Layouts::default(),
            legal: Legal::default(),
            attributes: AttributeTable::default(),
            signatures: Signatures::default(),
            globals: Vec::new(),
            constants: Constants::default(),
            functions: SecondaryMap::new(),
            specials: Vec::new(),
            bundle_tags: Vec::new(),
            sync_scopes: Vec::new(),
            sections: Vec::new(),
            comdats: 0,
            gc_names: 0,
            names: IndexSet::default(),
            deferred: Vec::new(),
            defined: Vec::new(),
            met: 0,
            bodies: Vec::new(),
            text: Vec::new(),
        }
    }

    /// Notes that `part` comes now; parts come in order.
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
            code::ASM => Err(unsupported("assembly at module level")),
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
            code::IFUNC => Err(unsupported("an ifunc")),
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
                let env = environment(&self.types, &self.layout, &self.layouts, self.pointer, &self.globals);
                if self.constants.is_empty() {
                    self.constants.clear(self.globals.len() as u32);
                }
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
                }
                Ok(())
            }
            block::VALUE_SYMTAB
            | block::METADATA
            | block::METADATA_ATTACHMENT
            | block::METADATA_KIND
            | block::USELIST
            | block::GLOBALVAL_SUMMARY
            | block::FULL_LTO_GLOBALVAL_SUMMARY => Ok(()),
            id => Err(reader.error(Error::UnexpectedBlock { block: id, outer: block::MODULE })),
        }
    }

    /// What can be computed of the types once the data layout is known.
    fn prepare(&mut self) {
        self.pointer = self.types.find(LlvmType::Pointer);
        self.layouts = Layouts::compute(&self.types, &self.layout);
        self.legal = Legal::compute(&self.types, &self.layout, &self.layouts);
        self.module.pointer_type = if self.layout.pointer_bytes == 8 { Type::I64 } else { Type::I32 };
        let rules = rules(&self.types, &self.layout, &self.layouts, &self.legal, &self.attributes);
        self.signatures = Signatures::compute(&rules, &mut self.module);
        self.signatures.add_calls(&rules, &mut self.module);
    }

    // ---- records

    fn text_name(&mut self, ops: &[u64]) -> Checked<Name> {
        self.text.clear();
        push_text(ops, &mut self.text)?;
        Ok(self.module.make_name(self.text.iter().copied()))
    }

    /// The name at `offset` of the string table.
    fn string(&self, offset: u64, size: u64) -> Checked<&'a [u8]> {
        let range = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
        let end = range.and_then(|(offset, size)| offset.checked_add(size));
        let found = range.zip(end).and_then(|((start, _), end)| self.strings.get(start..end));
        found.ok_or(Error::NameRange { offset, size })
    }

    /// The name of a global value, which is its own. A leading 1 means that it is to be used as it is, as all are.
    fn global_name(&mut self, offset: u64, size: u64) -> Checked<&'a [u8]> {
        let name = self.string(offset, size)?;
        if !name.is_empty() && !self.names.insert(name) {
            return Err(Error::NameRepeated { name: display(name) });
        }
        Ok(name.strip_prefix(&[1]).unwrap_or(name))
    }

    fn comdat(&mut self, ops: &[u64]) -> Checked<()> {
        let &[offset, size, kind] = ops else { return Err(operand_count("COMDAT", ops, "3")) };
        let kind = match kind {
            1 => ComdatKind::Any,
            4 => ComdatKind::NoDuplicates,
            2 | 3 | 5 => return Err(unsupported("a comdat of another object format than ELF")),
            value => return Err(Error::FieldValue { field: "the kind of a comdat", value }),
        };
        let name = self.string(offset, size)?;
        let name = self.module.make_name(name.iter().copied());
        self.module.comdats.push(Comdat { name, kind });
        self.comdats += 1;
        Ok(())
    }

    /// The linkage of a global value, and all that the IR keeps of how it is linked.
    fn linking(&self, common: &Common<'_>) -> Checked<(WireLinkage, Linkage, SymbolTraits)> {
        use WireLinkage::{Appending, AvailableExternally, ExternWeak, Plain};
        let wire = match common.linkage {
            0 | 5 | 6 | 15 => Plain(Linkage::External),
            2 => Appending,
            3 => Plain(Linkage::Internal),
            7 => ExternWeak,
            8 => Plain(Linkage::Common),
            9 | 13 | 14 => Plain(Linkage::Private),
            12 => AvailableExternally,
            16 | 17 => Plain(Linkage::Weak),
            18 | 19 => Plain(Linkage::LinkOnce),
            value => return Err(Error::FieldValue { field: "a linkage", value }),
        };
        let linkage = match wire {
            Plain(linkage) => linkage,
            ExternWeak => Linkage::Weak,
            Appending | AvailableExternally => Linkage::External,
        };
        let visibility = match common.visibility {
            0 => Visibility::Default,
            1 => Visibility::Hidden,
            2 => Visibility::Protected,
            value => return Err(Error::FieldValue { field: "a visibility", value }),
        };
        let is_here = flag("dso_local", common.dso_local)?
            || linkage.is_local()
            || visibility != Visibility::Default && wire != ExternWeak;
        let preemption = if is_here { Preemption::Excluded } else { Preemption::Possible };
        let section = match indexed(common.section, self.sections.len() as u64, "section")? {
            Some(index) => self.sections[index as usize],
            None => Name::default(),
        };
        let comdat = indexed(common.comdat, self.comdats, "comdat")?;
        let comdat = comdat.map(|index| ComdatId::new(index as usize)).into();
        Ok((wire, linkage, SymbolTraits { visibility, preemption, section, comdat }))
    }

    fn variable(&mut self, ops: &[u64]) -> Checked<()> {
        if ops.len() != 8 && ops.len() < 18 {
            return Err(operand_count("GLOBALVAR", ops, "8, or 18 and more"));
        }
        let field = |i: usize| ops.get(i).copied().unwrap_or(0);
        let ty = self.types.resolve(ops[2])?;
        if ops[3] & 2 == 0 {
            return Err(Error::FieldValue { field: "the flags of a variable", value: ops[3] });
        }
        if ops[3] >> 2 != 0 {
            return Err(unsupported("a variable in another address space than 0"));
        }
        let name = self.global_name(ops[0], ops[1])?;
        let common = Common {
            name,
            linkage: ops[5],
            visibility: field(8),
            dso_local: field(15),
            section: ops[7],
            comdat: field(13),
        };
        let (wire, linkage, symbol) = self.linking(&common)?;
        let storage = storage(field(9))?;
        let align = alignment(ops[6])?;
        self.attributes.list(field(14))?;
        let initializer = ops[4].checked_sub(1).map(narrow).transpose()?;
        if name.starts_with(b"llvm.") || self.module.name(symbol.section) == b"llvm.metadata" {
            self.special(name, ty, 0);
            let hooks = match name {
                b"llvm.global_ctors" => HookKind::Constructors,
                b"llvm.global_dtors" => HookKind::Destructors,
                _ => return Ok(()),
            };
            self.deferred.extend(initializer.map(|id| Deferred::Hooks(hooks, id)));
            return Ok(());
        }
        if wire == WireLinkage::Appending {
            return Err(unsupported("appending linkage"));
        }
        let is_declared = initializer.is_none() || wire == WireLinkage::AvailableExternally;
        let mutability = if ops[3] & 1 != 0 { Mutability::Constant } else { Mutability::Variable };
        let align_log2 = Some(align.unwrap_or(self.layouts.abi_align_log2(ty)));
        let start = self.module.initializers.len() as u32;
        let mut decl = GlobalDecl::new(Name::default(), align_log2, mutability, start..start);
        (decl.linkage, decl.storage, decl.symbol) = (linkage, storage, symbol);
        decl.kind = if is_declared { GlobalKind::Declared } else { GlobalKind::Defined };
        let id = self.module.globals.push(decl);
        self.add_symbol(Symbol::Global(id), ty, &common);
        if let (Some(initializer), false) = (initializer, is_declared) {
            self.deferred.push(Deferred::Contents(id, initializer, ty));
        }
        Ok(())
    }

    fn function(&mut self, ops: &[u64]) -> Checked<()> {
        if ops.len() < 19 {
            return Err(operand_count("FUNCTION", ops, "19 and more"));
        }
        let ty = self.types.resolve(ops[2])?;
        if self.types.function(ty).is_none() {
            return Err(Error::TypeClass { ty: ops[2], expected: "a function type" });
        }
        let is_declared = flag("the flag of a prototype", ops[4])?;
        let name = self.global_name(ops[0], ops[1])?;
        let common = Common {
            name,
            linkage: ops[5],
            visibility: ops[9],
            dso_local: ops[17],
            section: ops[8],
            comdat: ops[14],
        };
        let (wire, linkage, symbol) = self.linking(&common)?;
        let attributes = self.attributes.list(ops[6])?;
        indexed(ops[10], self.gc_names, "GC name")?;
        if ops[18] != 0 {
            return Err(unsupported("a function in another address space than 0"));
        }
        if is_declared && name.starts_with(b"llvm.") {
            self.special(name, ty, ops[6] as u32);
            return Ok(());
        }
        let is_dropped = wire == WireLinkage::AvailableExternally;
        if wire == WireLinkage::Appending {
            return Err(unsupported("appending linkage"));
        }
        if !is_declared && !is_dropped {
            let refused =
                [(ops[10], "a garbage collector"), (ops[12], "prologue data"), (ops[15], "prefix data")];
            if let Some((_, what)) = refused.iter().find(|(field, _)| *field != 0) {
                return Err(unsupported(what));
            }
        }
        let rules = rules(&self.types, &self.layout, &self.layouts, &self.legal, &self.attributes);
        let signature = match self.signatures.of_function(&rules, &mut self.module, ty, ops[6]) {
            // A function that is only declared is refused where it is called.
            Err(Error::Unsupported { .. } | Error::TooLarge { .. }) if is_declared || is_dropped => {
                self.signatures.nothing(&mut self.module)
            }
            signature => signature?,
        };
        let flags = attributes.function.flags;
        let has = |flag| flags.has(flag);
        let traits = FunctionTraits {
            align_log2: alignment(ops[7])?.unwrap_or(0),
            returns_twice: has(FunctionFlags::RETURNS_TWICE),
            noreturn: has(FunctionFlags::NORETURN),
            frame_pointer: has(FunctionFlags::FRAME_POINTER_ALL)
                || has(FunctionFlags::FRAME_POINTER_NON_LEAF),
        };
        let kind = match is_declared || is_dropped {
            true => FunctionKind::Declared,
            false => FunctionKind::Defined,
        };
        let mut decl = FunctionDecl::new(Name::default(), signature, linkage, kind);
        (decl.symbol, decl.traits) = (symbol, traits);
        let id = self.module.functions.push(decl);
        self.functions[id] = FunctionInfo {
            ty: Some(ty).into(),
            attributes: ops[6] as u32,
            convention: narrow(ops[3])?,
            personality: narrow(ops[16])?,
        };
        if !is_declared {
            self.defined.push((!is_dropped).then_some(id));
        }
        self.add_symbol(Symbol::Function(id), ty, &common);
        Ok(())
    }

    fn alias(&mut self, ops: &[u64]) -> Checked<()> {
        if ops.len() < 11 {
            return Err(operand_count("ALIAS", ops, "11 and more"));
        }
        let ty = self.types.resolve(ops[2])?;
        if ops[3] != 0 {
            return Err(unsupported("an alias in another address space than 0"));
        }
        let name = self.global_name(ops[0], ops[1])?;
        let common =
            Common { name, linkage: ops[5], visibility: ops[6], dso_local: ops[10], section: 0, comdat: 0 };
        let (wire, linkage, symbol) = self.linking(&common)?;
        if !matches!(wire, WireLinkage::Plain(_)) || linkage == Linkage::Common {
            return Err(Error::FieldValue { field: "the linkage of an alias", value: ops[5] });
        }
        let storage = storage(ops[8])?;
        // Until its target is known, it stands for itself.
        let own = match self.types.function(ty) {
            Some(_) => {
                let rules = rules(&self.types, &self.layout, &self.layouts, &self.legal, &self.attributes);
                let signature = self.signatures.of_function(&rules, &mut self.module, ty, 0)?;
                let own = Symbol::Function(self.module.functions.next_key());
                let mut decl =
                    FunctionDecl::new(Name::default(), signature, linkage, FunctionKind::Alias(own));
                decl.symbol = symbol;
                let id = self.module.functions.push(decl);
                self.functions[id].ty = Some(ty).into();
                own
            }
            None => {
                let own = Symbol::Global(self.module.globals.next_key());
                let start = self.module.initializers.len() as u32;
                let mut decl = GlobalDecl::new(Name::default(), Some(0), Mutability::Variable, start..start);
                (decl.linkage, decl.storage, decl.symbol) = (linkage, storage, symbol);
                decl.kind = GlobalKind::Alias { target: own, addend: 0 };
                self.module.globals.push(decl);
                own
            }
        };
        self.add_symbol(own, ty, &common);
        self.deferred.push(Deferred::Alias(own, narrow(ops[4])?));
        Ok(())
    }

    fn add_symbol(&mut self, symbol: Symbol, ty: TypeId, common: &Common<'_>) {
        if !common.name.is_empty() {
            self.module.set_symbol_name(symbol, common.name.iter().copied());
        }
        self.globals.push(GlobalValue { kind: GlobalValueKind::Symbol(symbol), ty });
    }

    fn special(&mut self, name: &[u8], ty: TypeId, attributes: u32) {
        let kind = GlobalValueKind::Special(self.specials.len() as u32);
        let name = self.module.make_name(name.iter().copied());
        self.specials.push(SpecialGlobal { name, attributes });
        self.globals.push(GlobalValue { kind, ty });
    }

    // ---- what needs the constants

    /// Gives variables their contents and aliases their targets.
    fn resolve(&mut self) -> Checked<()> {
        if self.constants.is_empty() {
            self.constants.clear(self.globals.len() as u32);
        }
        let env = environment(&self.types, &self.layout, &self.layouts, self.pointer, &self.globals);
        let view = View { env: &env, local: &self.constants };
        let deferred = core::mem::take(&mut self.deferred);
        let name = |module: &Module, symbol| display(module.symbol_name(symbol));
        for &item in &deferred {
            match item {
                Deferred::Contents(global, id, ty) => {
                    let own = Symbol::Global(global);
                    let range = initializer::write(&view, own, id, ty, &mut self.module, &mut self.budget)?;
                    self.module.globals[global].initializers = range;
                }
                Deferred::Alias(own, id) => {
                    let Scalar::Address { target, addend } = view.scalar(id) else {
                        return Err(unsupported("an alias of something that is no place in a symbol"));
                    };
                    match own {
                        Symbol::Function(f) if addend == 0 => {
                            self.module.functions[f].kind = FunctionKind::Alias(target);
                        }
                        Symbol::Function(_) => {
                            return Err(unsupported("an alias of a place inside of a function"));
                        }
                        Symbol::Global(g) => {
                            self.module.globals[g].kind = GlobalKind::Alias { target, addend }
                        }
                    }
                }
                Deferred::Hooks(kind, id) => hooks(&view, kind, id, &mut self.module)?,
            }
        }
        // Aliases of aliases: at most as many steps as there are aliases.
        let aliases = || {
            deferred.iter().filter_map(|item| match item {
                Deferred::Alias(own, _) => Some(*own),
                _ => None,
            })
        };
        let count = aliases().count();
        for own in aliases() {
            let (mut target, mut sum, mut steps) = (own, 0i64, 0);
            while let Some((next, addend)) = alias_target(&self.module, target) {
                if steps > count {
                    return Err(Error::AliasCycle { name: name(&self.module, own) });
                }
                (target, sum, steps) = (next, sum.wrapping_add(addend), steps + 1);
            }
            match own {
                Symbol::Function(f) if sum == 0 => {
                    self.module.functions[f].kind = FunctionKind::Alias(target)
                }
                Symbol::Function(_) => return Err(unsupported("an alias of a place inside of a function")),
                Symbol::Global(g) => self.module.globals[g].kind = GlobalKind::Alias { target, addend: sum },
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Checked<()> {
        if self.last < Part::Bodies {
            self.advance(Part::Bodies)?;
        }
        match self.defined.len() - self.met {
            0 => Ok(()),
            count => Err(Error::MissingBodies { count }),
        }
    }
}

/// What an alias stands for.
fn alias_target(module: &Module, symbol: Symbol) -> Option<(Symbol, i64)> {
    match symbol {
        Symbol::Function(f) => match module.functions[f].kind {
            FunctionKind::Alias(target) => Some((target, 0)),
            _ => None,
        },
        Symbol::Global(g) => match module.globals[g].kind {
            GlobalKind::Alias { target, addend } => Some((target, addend)),
            _ => None,
        },
    }
}

/// Puts the functions of `llvm.global_ctors` or `llvm.global_dtors` into the arrays that the C run-time walks.
fn hooks(view: &View<'_>, kind: HookKind, id: u32, module: &mut Module) -> Checked<()> {
    let form = Error::InitializerForm { value: id };
    let entries = match view.get(id) {
        Some((Constant::Aggregate(run), _)) => view.table(id).operands(run),
        Some((Constant::Null | Constant::Undef | Constant::Poison, _)) => return Ok(()),
        _ => return Err(form),
    };
    let pointer_log2 = view.env.layout.pointer_bytes.trailing_zeros() as u8;
    for &entry in entries {
        let fields = match view.get(entry) {
            Some((Constant::Aggregate(run), _)) => view.table(entry).operands(run),
            Some((Constant::Null, _)) => continue,
            _ => return Err(form),
        };
        let &[priority, function, ..] = fields else { return Err(form) };
        let Some(priority @ 0..=65535) = view.number(priority) else { return Err(form) };
        let (target, addend) = match view.scalar(function) {
            Scalar::Address { target, addend } => (target, addend),
            Scalar::Number(0) => continue,
            _ => return Err(form),
        };
        let array: &[u8] = if kind == HookKind::Constructors { b".init_array" } else { b".fini_array" };
        let section = match priority {
            65535 => module.make_name(array.iter().copied()),
            _ => {
                let digit = |place: i64| b'0' + (priority / place % 10) as u8;
                let digits = [b'.', digit(10000), digit(1000), digit(100), digit(10), digit(1)];
                module.make_name(array.iter().copied().chain(digits))
            }
        };
        let start = module.initializers.len() as u32;
        module.initializers.push(Initializer::Address { target, addend });
        let mut decl =
            GlobalDecl::new(Name::default(), Some(pointer_log2), Mutability::Variable, start..start + 1);
        (decl.linkage, decl.symbol.section) = (Linkage::Private, section);
        decl.symbol.preemption = Preemption::Excluded;
        module.globals.push(decl);
    }
    Ok(())
}

fn rules<'r>(
    types: &'r TypeTable,
    layout: &'r DataLayout,
    layouts: &'r Layouts,
    legal: &'r Legal,
    attributes: &'r AttributeTable,
) -> Rules<'r> {
    Rules { types, layout, layouts, legal, attributes }
}

/// The environment of the constants of the module itself.
fn environment<'e>(
    types: &'e TypeTable,
    layout: &'e DataLayout,
    layouts: &'e Layouts,
    pointer: Option<TypeId>,
    globals: &'e [GlobalValue],
) -> ConstantEnvironment<'e> {
    ConstantEnvironment { types, layout, layouts, pointer, globals, module: None }
}

fn operand_count(record: &'static str, ops: &[u64], expected: &'static str) -> Error {
    Error::OperandCount { record, found: ops.len(), expected }
}

fn unsupported(what: &str) -> Error {
    Error::Unsupported { what: what.into() }
}

fn display(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// An index that counts from 1, 0 for none.
fn indexed(number: u64, count: u64, what: &'static str) -> Checked<Option<u64>> {
    match number.checked_sub(1) {
        Some(index) if index >= count => Err(Error::NoSuch { what, index: number }),
        index => Ok(index),
    }
}

/// A value number or another small number.
fn narrow(value: u64) -> Checked<u32> {
    u32::try_from(value).map_err(|_| Error::ConstantReference { value })
}

/// log2 of an alignment from its code, `None` for 0.
fn alignment(code: u64) -> Checked<Option<u8>> {
    match code {
        0 => Ok(None),
        1..=30 => Ok(Some(code as u8 - 1)),
        31..=33 => Err(Error::TooLarge { what: "an alignment", limit: 1 << 29 }),
        value => Err(Error::FieldValue { field: "the code of an alignment", value }),
    }
}

/// How a variable is stored, from its thread-local mode.
fn storage(mode: u64) -> Checked<Storage> {
    Ok(match mode {
        0 => Storage::Shared,
        1 => Storage::ThreadGeneralDynamic,
        2 => Storage::ThreadLocalDynamic,
        3 => Storage::ThreadInitialExec,
        4 => Storage::ThreadLocalExec,
        value => return Err(Error::FieldValue { field: "a thread-local mode", value }),
    })
}

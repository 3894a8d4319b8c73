//! What is known of an LLVM module but for its function bodies: its declarations, and what readers of bodies need.

use alloc::sync::Arc;
use alloc::vec::Vec;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use ice_ir::source::SourceUnit;
use ice_ir::{FuncId, Module, Name};

use super::emulated_threads::EmulatedThreads;
use super::legal::Legal;
use super::signature::{Rules, Signatures};
use crate::bitstream::BlockInfo;
use crate::error::{Error, OpenBlock};
use crate::llvm::wire::attributes::{AttributeTable, FunctionFlags};
use crate::llvm::wire::constants::{Constants, Environment as ConstantEnvironment, GlobalValue, Labels};
use crate::llvm::wire::data_layout::{DataLayout, Layouts};
use crate::llvm::wire::debug::ModuleDebug;
use crate::llvm::wire::metadata::Predicates;
use crate::llvm::wire::types::{TypeId, TypeTable};
use crate::llvm::wire::weights::Weights;
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
    /// Whether how it is called is not supported. Its signature is then an empty one, and its body is refused.
    pub is_refused: bool,
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
    /// The type `i32`, if the module has it.
    pub int32: Option<TypeId>,
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
    /// What addresses of blocks come to.
    pub labels: Labels,
    /// By function.
    pub functions: SecondaryMap<FuncId, FunctionInfo>,
    /// Functions and variables without a symbol.
    pub specials: Vec<SpecialGlobal>,
    /// Names of operand bundles, by tag.
    pub bundle_tags: Vec<Name>,
    /// Names of synchronisation scopes, by number.
    pub sync_scopes: Vec<Name>,
    /// The predicates that its metadata names, if it has comparisons that ask for them.
    pub(super) predicates: Option<Predicates>,
    /// What its metadata says of how often branches go which way.
    pub(super) weights: Weights,
    /// What it says of its source, if it does.
    pub(super) debug: Option<Arc<ModuleDebug>>,
    /// The thread-local variables that a library keeps.
    pub(super) emulated: EmulatedThreads,
    /// The library's `bcmp`.
    pub(super) byte_compare: Option<FuncId>,
    /// Its `sqrt` and `sqrtf`.
    pub(super) square_roots: [Option<FuncId>; 2],
    /// Functions of which the module says that they are used from elsewhere (`llvm.used`).
    pub(super) used: Vec<FuncId>,
    /// Abbreviations that blocks inherit.
    pub(super) block_info: Arc<BlockInfo>,
    /// The MODULE block, for locations.
    pub(super) outer: OpenBlock,
}

impl LlvmModule {
    /// Whether every function of the module is for processors that divide in ARM state (`+hwdiv-arm`).
    #[must_use]
    pub fn divides_in_hardware(&self) -> bool {
        let mut lists = self.module.defined_functions().map(|f| self.functions[f].attributes);
        lists.all(|list| {
            let list = self.attributes.list(list.into());
            list.is_ok_and(|list| list.function.flags.has(FunctionFlags::HARDWARE_DIVIDE))
        })
    }

    /// The units of its source, none if nothing is said of it.
    #[must_use]
    pub fn source_units(&self) -> &[SourceUnit] {
        self.debug.as_ref().map_or(&[], |debug| &debug.sources)
    }

    /// The first function with a body that an exception may leave, by what the module says: it is not `nounwind`
    /// and has `uwtable`, which some machines do without.
    #[must_use]
    pub fn first_unwinding(&self) -> Option<FuncId> {
        let always_has_tables = self.legal.machine().always_has_unwind_tables;
        self.module.defined_functions().find(|&function| {
            let list = self.attributes.list(self.functions[function].attributes.into()).unwrap_or_default();
            let has = |flag| list.function.flags.has(flag);
            !has(FunctionFlags::NOUNWIND) && (always_has_tables || has(FunctionFlags::UNWIND_TABLE))
        })
    }

    /// What the constants of functions refer to.
    #[must_use]
    pub fn environment(&self) -> ConstantEnvironment<'_> {
        ConstantEnvironment {
            types: &self.types,
            layout: &self.layout,
            layouts: &self.layouts,
            pointer: self.pointer,
            int32: self.int32,
            globals: &self.globals,
            module: Some(&self.constants),
            labels: self.labels,
        }
    }

    /// Why the body of a [refused](FunctionInfo::is_refused) function is not read.
    pub(super) fn refusal(&self, function: FuncId) -> Error {
        let info = &self.functions[function];
        let rules = rules(&self.types, &self.layout, &self.layouts, &self.legal, &self.attributes);
        let list = self.attributes.list(info.attributes.into()).unwrap_or_default();
        let signature = info.ty.expand().map(|ty| rules.signature(ty, &list, rules.registers_of(ty, &list)));
        let convention = self.legal.machine().convention(info.convention.into()).unwrap_or_default();
        match signature.map(|signature| rules.in_convention(signature?, convention)) {
            Some(Err(error)) => error,
            _ => unsupported("a signature beyond the limits of a module"),
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

pub(super) fn rules<'r>(
    types: &'r TypeTable,
    layout: &'r DataLayout,
    layouts: &'r Layouts,
    legal: &'r Legal,
    attributes: &'r AttributeTable,
) -> Rules<'r> {
    Rules { types, layout, layouts, legal, attributes }
}

pub(super) fn unsupported(what: &str) -> Error {
    Error::Unsupported { what: what.into() }
}

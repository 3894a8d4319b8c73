//! What a module declares: signatures, functions, globals with their initial bytes, names.
//!
//! Orders that have no meaning for execution (of types, of symbol names) are kept, because a program that
//! is read and written again must be the same file.

use alloc::vec::Vec;

use crate::entities::{FuncId, GlobalId, SigId, Symbol};
use crate::function::Function;
use crate::intrinsics::Intrinsic;
use crate::types::Type;
use cranelift_entity::PrimaryMap;

/// Parameter types and the return type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// Parameter types in order.
    pub params: Vec<Type>,
    /// Return type, [`Type::Void`] for none.
    pub ret: Type,
}

/// An entry of the type table, in the order of definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeDef {
    /// A type of values, or `void`.
    Value(Type),
    /// A function type.
    Function(SigId),
}

/// A name: a run of bytes in [`Module::names`]; empty means nameless.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Name {
    start: u32,
    len: u32,
}

impl Name {
    /// True for a nameless function or global.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// Who can see a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// Visible outside of the module.
    External,
    /// Only visible in the module.
    Internal,
}

/// Whether and where a function has a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionKind {
    /// A body follows.
    Defined,
    /// Defined elsewhere.
    Declared,
    /// One of the intrinsics.
    Intrinsic(Intrinsic),
}

/// A function, declared or defined.
#[derive(Clone, Debug)]
pub struct FunctionDecl {
    /// Name, possibly empty.
    pub name: Name,
    /// Signature.
    pub signature: SigId,
    /// Visibility.
    pub linkage: Linkage,
    /// Body or not.
    pub kind: FunctionKind,
}

/// Whether a global variable may be written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mutability {
    /// Read-only.
    Constant,
    /// Writable.
    Variable,
}

/// A piece of the initial contents of a global variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initializer {
    /// That many zero bytes.
    Zero(u32),
    /// Bytes of [`Module::data`]: start and length.
    Bytes {
        /// Index of the first byte.
        start: u32,
        /// Number of bytes.
        len: u32,
    },
    /// The address of `target` plus `addend` (modulo the pointer width), as wide as a pointer.
    Address {
        /// Whose address.
        target: Symbol,
        /// Added to the address.
        addend: i64,
    },
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct GlobalDecl {
    /// Name, possibly empty.
    pub name: Name,
    /// log2 of the alignment; `None` where the producer left it open (treated as 0).
    pub align_log2: Option<u8>,
    /// Whether it may be written.
    pub mutability: Mutability,
    /// Contents, one after another without padding: a run of [`Module::initializers`].
    pub initializers: core::ops::Range<u32>,
}

/// Everything of a program but its function bodies.
#[derive(Clone, Debug)]
pub struct Module {
    /// The integer type of an address: `i32` for PNaCl programs.
    pub pointer_type: Type,
    /// Type table in wire order.
    pub types: Vec<TypeDef>,
    /// Function signatures.
    pub signatures: PrimaryMap<SigId, Signature>,
    /// Functions in order.
    pub functions: PrimaryMap<FuncId, FunctionDecl>,
    /// Global variables in order.
    pub globals: PrimaryMap<GlobalId, GlobalDecl>,
    /// Initializers of all globals.
    pub initializers: Vec<Initializer>,
    /// Bytes of all initializers.
    pub data: Vec<u8>,
    /// Named symbols in the order of the symbol table.
    pub symbol_order: Vec<Symbol>,
    /// Bytes of all names.
    pub names: Vec<u8>,
}

impl Default for Module {
    fn default() -> Self {
        Module::new()
    }
}

impl Module {
    /// An empty module with 32-bit addresses.
    pub fn new() -> Self {
        Module {
            pointer_type: Type::I32,
            types: Vec::new(),
            signatures: PrimaryMap::new(),
            functions: PrimaryMap::new(),
            globals: PrimaryMap::new(),
            initializers: Vec::new(),
            data: Vec::new(),
            symbol_order: Vec::new(),
            names: Vec::new(),
        }
    }

    /// The bytes of a name.
    pub fn name(&self, name: Name) -> &[u8] {
        &self.names[name.start as usize..(name.start + name.len) as usize]
    }

    /// Stores a name.
    pub fn make_name(&mut self, bytes: impl IntoIterator<Item = u8>) -> Name {
        let start = self.names.len() as u32;
        self.names.extend(bytes);
        Name { start, len: self.names.len() as u32 - start }
    }

    /// The name of a function or global.
    pub fn symbol_name(&self, symbol: Symbol) -> &[u8] {
        self.name(match symbol {
            Symbol::Function(f) => self.functions[f].name,
            Symbol::Global(g) => self.globals[g].name,
        })
    }

    /// Gives `symbol` a name and puts it at the end of the symbol table.
    pub fn set_symbol_name(&mut self, symbol: Symbol, bytes: impl IntoIterator<Item = u8>) {
        let name = self.make_name(bytes);
        match symbol {
            Symbol::Function(f) => self.functions[f].name = name,
            Symbol::Global(g) => self.globals[g].name = name,
        }
        self.symbol_order.push(symbol);
    }

    /// The signature of `function`.
    pub fn signature(&self, function: FuncId) -> &Signature {
        &self.signatures[self.functions[function].signature]
    }

    /// The defined functions in order: the k-th function block is the body of the k-th of them.
    pub fn defined_functions(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.functions.iter().filter(|(_, decl)| decl.kind == FunctionKind::Defined).map(|(id, _)| id)
    }

    /// The function called `name`, by a linear search.
    pub fn function_by_name(&self, name: &[u8]) -> Option<FuncId> {
        self.functions.iter().find(|(_, d)| self.name(d.name) == name).map(|(id, _)| id)
    }

    /// The initializers of `global`.
    pub fn initializers(&self, global: GlobalId) -> &[Initializer] {
        let range = &self.globals[global].initializers;
        &self.initializers[range.start as usize..range.end as usize]
    }

    /// Size of `global` in bytes.
    pub fn global_size(&self, global: GlobalId) -> u64 {
        let pointer = u64::from(self.pointer_type.bytes());
        self.initializers(global)
            .iter()
            .map(|init| match *init {
                Initializer::Zero(n) => u64::from(n),
                Initializer::Bytes { len, .. } => u64::from(len),
                Initializer::Address { .. } => pointer,
            })
            .sum()
    }
}

/// A whole program in memory: for printing, writing, interpreting; translation needs one body at a time.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Declarations.
    pub module: Module,
    /// Bodies of the defined functions, in order.
    pub bodies: Vec<Function>,
}

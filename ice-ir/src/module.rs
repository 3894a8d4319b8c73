//! What a module declares: signatures, functions, globals with their initial bytes, names.
//!
//! Orders that have no meaning for execution (of types, of symbol names) are kept, because a program that
//! is read and written again must be the same file.

use alloc::string::String;
use alloc::vec::Vec;

use crate::entities::{ComdatId, FuncId, GlobalId, SigId, Symbol, Value};
use crate::function::Function;
use crate::hardening::{Hardening, Tracking};
use crate::instruction::{InstData, TailHint, named_enum};
use crate::intrinsics::Intrinsic;
use crate::native::{
    Arity, CallingConvention, Comdat, Environment, FunctionTraits, Passing, Preemption, Results, Storage,
    SymbolTraits, Visibility,
};
use crate::rare::Rare;
use crate::types::Type;
use cranelift_entity::PrimaryMap;

/// log2 of the largest alignment.
pub(crate) const MAX_ALIGN_LOG2: u8 = 29;

/// Parameter types and the return type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// Parameter types in order.
    pub params: Vec<Type>,
    /// Return type, [`Type::Void`] for none.
    pub ret: Type,
    /// Type of the second result, in the second register of its class; [`Type::Void`] for none.
    pub second: Type,
    /// What the second result is to the first.
    pub results: Results,
    /// How each parameter is passed; plainly all of them if empty.
    pub passing: Vec<Passing>,
    /// Whether more arguments may follow.
    pub arity: Arity,
    /// The registers of calls.
    pub convention: CallingConvention,
    /// Whether calls through addresses are looked at.
    pub tracking: Tracking,
}

impl Signature {
    /// A signature with at most one result and nothing special about its parameters.
    pub const fn new(params: Vec<Type>, ret: Type) -> Self {
        let (convention, tracking) = (CallingConvention::Standard, Tracking::Tracked);
        let (second, results, arity) = (Type::Void, Results::Apart, Arity::Fixed);
        Signature { params, ret, second, results, passing: Vec::new(), arity, convention, tracking }
    }

    /// True where [`new`](Self::new) could have made it.
    pub fn is_plain(&self) -> bool {
        let is_standard = self.arity == Arity::Fixed && self.convention == CallingConvention::Standard;
        let is_tracked = self.tracking == Tracking::Tracked;
        let has_one_result = self.second == Type::Void && self.results == Results::Apart;
        has_one_result && self.passing.is_empty() && is_standard && is_tracked
    }

    /// Which parameter is the address of the memory for the result, if one is.
    pub fn struct_return(&self) -> Option<usize> {
        self.passing.iter().position(|passing| passing.is_struct_return())
    }

    /// How parameter `index` is passed.
    pub fn passing(&self, index: usize) -> Passing {
        self.passing.get(index).copied().unwrap_or_default()
    }

    /// Whether a call of `callee` with so many arguments, in place of a return of a function of this signature, leaves variable
    /// arguments where the callee looks for them: there are none, or both have the same parameters and nothing comes behind.
    #[must_use]
    pub fn hands_variables_to(&self, callee: &Signature, args: usize) -> bool {
        self.arity == Arity::Fixed
            || (callee.arity, &callee.params, &callee.passing) == (self.arity, &self.params, &self.passing)
                && args == self.params.len()
    }

    /// How argument `index` of a call in `func` is passed, which is `arg`: as the parameter, or as
    /// [a variable one](Passing::of_variable).
    #[inline]
    pub fn argument_passing(&self, func: &Function, index: usize, arg: Value) -> Passing {
        match index < self.params.len() {
            true => self.passing(index),
            false => Passing::of_variable(func, arg),
        }
    }

    /// Whether what the results are to each other goes with their types.
    fn has_valid_results(&self) -> bool {
        match self.results {
            Results::Apart => true,
            Results::Halves => self.ret.is_vector() && self.ret == self.second,
            Results::Lanes => matches!(
                (self.ret, self.second),
                (Type::V4F32, Type::Void) | (Type::V2F64, Type::F64 | Type::V2F64)
            ),
        }
    }

    /// Whether no vector is in a pair and no object by value aligned to more than 16 bytes.
    fn has_passing_of_windows(&self) -> bool {
        let is_vector = |n: usize| self.params.get(n).is_some_and(|ty| ty.is_vector());
        let is_known = |(n, passing): (usize, &Passing)| match *passing {
            Passing::PairLow => !is_vector(n),
            Passing::ByVal { align_log2, .. } => align_log2 <= 4,
            _ => true,
        };
        self.results == Results::Apart && self.passing.iter().enumerate().all(is_known)
    }

    /// Whether how the parameters are passed goes with their types, the result and each other, where addresses have
    /// this type.
    pub fn has_valid_passing(&self, pointer: Type) -> bool {
        let Signature { params, passing, arity, convention, .. } = self;
        let count = |is: fn(Passing) -> bool| passing.iter().filter(|&&p| is(p)).count();
        (passing.is_empty() || passing.len() == params.len())
            && (*arity == Arity::Fixed || convention.has_variable_arguments())
            && (*convention != CallingConvention::Win64 || self.has_passing_of_windows())
            && self.has_valid_results()
            && count(|p| p == Passing::Nest) <= 1
            && count(Passing::is_struct_return) <= usize::from(self.ret == Type::Void)
            && passing.iter().enumerate().all(|(n, p)| match p {
                Passing::Plain | Passing::InRegister | Passing::OnStack => true,
                Passing::ByVal { align_log2, .. } => params[n] == pointer && *align_log2 <= MAX_ALIGN_LOG2,
                Passing::StructReturn | Passing::StructReturnInRegister | Passing::Nest => {
                    params[n] == pointer
                }
                Passing::PairLow => {
                    (params[n] == Type::I64 || params[n].is_vector()) && params.get(n + 1) == Some(&params[n])
                }
                Passing::Group { len } => {
                    let group = params.get(n..n + usize::from(*len)).unwrap_or_default();
                    !group.is_empty() && group.iter().all(|ty| *ty == params[n])
                }
            })
    }
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
    /// That of what has none.
    pub const NONE: Name = Name { start: 0, len: 0 };

    /// True for a nameless function or global.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

named_enum!(
    /// Who can see a symbol, and what happens to several of one name.
    Linkage {
        /// Visible outside of the module.
        External = "external",
        /// Only visible in the module.
        Internal = "internal",
        /// As internal, and without a name in the object file.
        Private = "private",
        /// A definition that gives way to another one; a declaration whose address may be 0.
        Weak = "weak",
        /// As weak, and may be left out where nothing in the module uses it.
        LinkOnce = "linkonce",
        /// A zeroed variable that a linker merges with others of the name.
        Common = "common",
    }
);

impl Linkage {
    /// True where no other module sees the symbol.
    pub const fn is_local(self) -> bool {
        matches!(self, Linkage::Internal | Linkage::Private)
    }
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
    /// Another name of a symbol of the module.
    Alias(Symbol),
    /// A function whose address this function of the module gives, which the linker has called before the program
    /// begins (`STT_GNU_IFUNC`).
    Indirect(Symbol),
}

impl FunctionKind {
    /// The same with another symbol behind it, if one is.
    #[must_use]
    pub const fn with_symbol(self, symbol: Symbol) -> FunctionKind {
        match self {
            FunctionKind::Alias(_) => FunctionKind::Alias(symbol),
            FunctionKind::Indirect(_) => FunctionKind::Indirect(symbol),
            FunctionKind::Defined | FunctionKind::Declared | FunctionKind::Intrinsic(_) => self,
        }
    }
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
    /// Linking beyond the linkage.
    pub symbol: Rare<SymbolTraits>,
    /// What callers and the body must know.
    pub traits: Rare<FunctionTraits>,
}

impl FunctionDecl {
    /// A function without anything special.
    pub fn new(name: Name, signature: SigId, linkage: Linkage, kind: FunctionKind) -> Self {
        let (symbol, traits) = Default::default();
        FunctionDecl { name, signature, linkage, kind, symbol, traits }
    }
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
    /// The address of `target` plus `addend` minus the address of these bytes.
    Relative {
        /// Whose address.
        target: Symbol,
        /// Added to the difference.
        addend: i64,
        /// The width: 4, or 8 where addresses have as many.
        bytes: u8,
    },
    /// The distance of two [labels](GlobalKind::Label) of one function, plus `addend`, modulo the width.
    Distance {
        /// From which is subtracted.
        plus: GlobalId,
        /// What is subtracted.
        minus: GlobalId,
        /// Added to the difference.
        addend: i32,
        /// The width: 1, 2, 4 or 8.
        bytes: u8,
    },
}

/// Whether and where a global variable has its contents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GlobalKind {
    /// Here.
    Defined,
    /// Elsewhere.
    Declared,
    /// It is another name of a place in a symbol of the module.
    Alias {
        /// Whose address.
        target: Symbol,
        /// Added to the address.
        addend: i64,
    },
    /// It is the place of a block's code, as [`InstData::BlockAddress`] gives it, for data.
    Label {
        /// Whose block.
        function: FuncId,
        /// The number of the label.
        label: u32,
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
    /// Who sees it. PNaCl globals are internal.
    pub linkage: Linkage,
    /// Contents or not.
    pub kind: GlobalKind,
    /// One copy, or one a thread.
    pub storage: Storage,
    /// Linking beyond the linkage.
    pub symbol: Rare<SymbolTraits>,
}

impl GlobalDecl {
    /// A variable of this module that no other sees.
    pub fn new(
        name: Name,
        align_log2: Option<u8>,
        mutability: Mutability,
        initializers: core::ops::Range<u32>,
    ) -> Self {
        let (linkage, kind, storage) = (Linkage::Internal, GlobalKind::Defined, Storage::Shared);
        let symbol = Rare::default();
        GlobalDecl { name, align_log2, mutability, initializers, linkage, kind, storage, symbol }
    }
}

/// Everything of a program but its function bodies.
#[derive(Clone, Debug)]
pub struct Module {
    /// The world it is made for.
    pub environment: Environment,
    /// The integer type of an address: `i32` for PNaCl programs.
    pub pointer_type: Type,
    /// Whether it is for executables alone: what it defines is what the whole program gets.
    pub is_executable: bool,
    /// What it asks for against attacks.
    pub hardening: Hardening,
    /// Type table in wire order.
    pub types: Vec<TypeDef>,
    /// Function signatures.
    pub signatures: PrimaryMap<SigId, Signature>,
    /// Functions in order.
    pub functions: PrimaryMap<FuncId, FunctionDecl>,
    /// Global variables in order.
    pub globals: PrimaryMap<GlobalId, GlobalDecl>,
    /// Section groups.
    pub comdats: PrimaryMap<ComdatId, Comdat>,
    /// Initializers of all globals.
    pub initializers: Vec<Initializer>,
    /// Bytes of all initializers.
    pub data: Vec<u8>,
    /// Named symbols in the order of the symbol table.
    pub symbol_order: Vec<Symbol>,
    /// Bytes of all names.
    pub names: Vec<u8>,
    /// Text of the target's assembler that stands beside functions and variables, in lines.
    pub assembly: String,
}

impl Default for Module {
    fn default() -> Self {
        Module::new()
    }
}

impl Module {
    /// How many of the arguments of a call its callee gets, the address of the callee among them where it is one; those
    /// behind are [live values](TailHint::Live). None of what is no call.
    pub fn passed_args(&self, inst: &InstData) -> usize {
        let params = |signature: &Signature| signature.params.len();
        match *inst {
            InstData::Call { callee, tail: TailHint::Live, .. } => params(self.signature(callee)),
            InstData::CallAs { signature, tail: TailHint::Live, .. } => {
                1 + params(&self.signatures[signature])
            }
            InstData::Call { args, .. }
            | InstData::CallIndirect { args, .. }
            | InstData::CallAs { args, .. }
            | InstData::CallIntrinsic { args, .. }
            | InstData::ReturnCall { args, .. }
            | InstData::ReturnCallIndirect { args, .. }
            | InstData::ReturnCallAs { args, .. }
            | InstData::Invoke { args, .. } => args.len(),
            _ => 0,
        }
    }

    /// An empty module with 32-bit addresses.
    pub fn new() -> Self {
        Module {
            environment: Environment::Pnacl,
            pointer_type: Type::I32,
            is_executable: false,
            hardening: Hardening::default(),
            types: Vec::new(),
            signatures: PrimaryMap::new(),
            functions: PrimaryMap::new(),
            globals: PrimaryMap::new(),
            comdats: PrimaryMap::new(),
            initializers: Vec::new(),
            data: Vec::new(),
            symbol_order: Vec::new(),
            names: Vec::new(),
            assembly: String::new(),
        }
    }

    /// An empty module of an ordinary program, with addresses of the type `pointer`.
    pub fn native(pointer: Type) -> Self {
        Module { environment: Environment::Native, pointer_type: pointer, ..Module::new() }
    }

    /// A new function that other modules see by its name: [`Declared`](FunctionKind::Declared) here or
    /// [`Defined`](FunctionKind::Defined).
    pub fn add_function(&mut self, name: &str, signature: Signature, kind: FunctionKind) -> FuncId {
        let signature = self.signatures.push(signature);
        let id = self.functions.push(FunctionDecl::new(Name::default(), signature, Linkage::External, kind));
        self.set_symbol_name(Symbol::Function(id), name.bytes());
        id
    }

    /// A new variable or constant of these bytes that other modules see by its name.
    pub fn add_global(
        &mut self,
        name: &str,
        mutability: Mutability,
        align_log2: u8,
        bytes: &[u8],
    ) -> GlobalId {
        let (start, first) = (self.data.len() as u32, self.initializers.len() as u32);
        self.data.extend_from_slice(bytes);
        self.initializers.push(Initializer::Bytes { start, len: bytes.len() as u32 });
        let initializers = first..self.initializers.len() as u32;
        let decl = GlobalDecl::new(Name::default(), Some(align_log2), mutability, initializers);
        let id = self.globals.push(GlobalDecl { linkage: Linkage::External, ..decl });
        self.set_symbol_name(Symbol::Global(id), name.bytes());
        id
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

    /// What `symbol` is directly another name of, and how far behind its start in bytes.
    pub fn alias_target(&self, symbol: Symbol) -> Option<(Symbol, i64)> {
        match symbol {
            Symbol::Function(f) => match self.functions[f].kind {
                FunctionKind::Alias(target) => Some((target, 0)),
                _ => None,
            },
            Symbol::Global(g) => match self.globals[g].kind {
                GlobalKind::Alias { target, addend } => Some((target, addend)),
                _ => None,
            },
        }
    }

    /// What the linker asks for the address of `symbol`, if it is such a function.
    pub fn resolver(&self, symbol: Symbol) -> Option<Symbol> {
        match symbol {
            Symbol::Function(f) => match self.functions[f].kind {
                FunctionKind::Indirect(resolver) => Some(resolver),
                _ => None,
            },
            Symbol::Global(_) => None,
        }
    }

    /// Whether the module only declares `symbol`, or something else says where it is.
    #[inline]
    pub fn is_declared(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Function(f) => {
                !matches!(self.functions[f].kind, FunctionKind::Defined | FunctionKind::Alias(_))
            }
            Symbol::Global(g) => self.globals[g].kind == GlobalKind::Declared,
        }
    }

    /// How a linker sees `symbol`.
    #[inline]
    pub fn linkage(&self, symbol: Symbol) -> (Linkage, &SymbolTraits) {
        match symbol {
            Symbol::Function(f) => (self.functions[f].linkage, &self.functions[f].symbol),
            Symbol::Global(g) => (self.globals[g].linkage, &self.globals[g].symbol),
        }
    }

    /// Whether nothing outside of the linked module can take the place of `symbol`.
    #[inline]
    pub fn is_own(&self, symbol: Symbol) -> bool {
        let (linkage, traits) = self.linkage(symbol);
        let may_be_null = linkage == Linkage::Weak && self.is_declared(symbol);
        let is_held = traits.preemption == Preemption::Excluded || traits.visibility != Visibility::Default;
        (linkage.is_local() || is_held && !may_be_null) && self.resolver(symbol).is_none()
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
    #[inline]
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
                Initializer::Relative { bytes, .. } | Initializer::Distance { bytes, .. } => u64::from(bytes),
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

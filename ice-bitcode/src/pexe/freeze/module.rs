//! Symbols, signatures and initial data.

use super::{FreezeError, FreezeErrorKind};
use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::string::String;
use alloc::vec::Vec;
use cranelift_entity::SecondaryMap;
use ice_ir::{
    Arity, FuncId, FunctionDecl, FunctionKind, GlobalDecl, GlobalId, GlobalKind, Initializer, Linkage,
    Module, Mutability, Name, SigId, Signature, Symbol, Type,
};

/// What a symbol of the native module is in the frozen one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrozenSymbol {
    /// So many bytes after a symbol.
    At(Symbol, i64),
    /// Address 0.
    Null,
}

/// The two arrays of functions that a program runs by itself.
const ARRAYS: [ArrayNames; 2] = [
    ArrayNames { section: ".init_array", start: b"__init_array_start", end: b"__init_array_end" },
    ArrayNames { section: ".fini_array", start: b"__fini_array_start", end: b"__fini_array_end" },
];

struct ArrayNames {
    section: &'static str,
    start: &'static [u8],
    end: &'static [u8],
}

/// The frozen module in the making.
pub(super) struct Frozen<'m> {
    /// The native module.
    pub old: &'m Module,
    module: Module,
    functions: SecondaryMap<FuncId, Option<FuncId>>,
    globals: SecondaryMap<GlobalId, Option<GlobalId>>,
    signatures: BTreeMap<(Vec<Type>, Type), SigId>,
    /// The stable ones declared so far.
    intrinsics: Vec<(&'static str, FuncId)>,
    /// Start and size of each of the `ARRAYS`.
    arrays: [Option<(GlobalId, i64)>; 2],
}

/// The type in which values of `ty` cross calls.
pub(super) fn argument_type(ty: Type) -> Type {
    match ty {
        Type::I1 | Type::I8 | Type::I16 => Type::I32,
        ty => ty,
    }
}

/// The signature in the frozen program.
pub(super) fn frozen_signature(signature: &Signature) -> Signature {
    let mut params: Vec<Type> = signature.params.iter().copied().map(argument_type).collect();
    if signature.arity == Arity::Variadic {
        params.push(Type::I32);
    }
    if signature.second != Type::Void {
        params.push(Type::I32);
    }
    Signature::new(params, argument_type(signature.ret))
}

impl<'m> Frozen<'m> {
    pub fn new(old: &'m Module) -> Result<Self, FreezeError> {
        let mut frozen = Frozen {
            old,
            module: Module::new(),
            functions: SecondaryMap::new(),
            globals: SecondaryMap::new(),
            signatures: BTreeMap::new(),
            intrinsics: Vec::new(),
            arrays: [None; 2],
        };
        for (id, decl) in old.functions.iter().filter(|(_, d)| d.kind == FunctionKind::Defined) {
            let signature = frozen.signature(frozen_signature(&old.signatures[decl.signature]));
            let name = old.name(decl.name);
            let is_entry = name == b"_start" && !decl.linkage.is_local();
            let linkage = if is_entry { Linkage::External } else { Linkage::Internal };
            let kind = FunctionKind::Defined;
            let new =
                frozen.module.functions.push(FunctionDecl::new(Name::default(), signature, linkage, kind));
            frozen.functions[id] = Some(new);
            frozen.name(Symbol::Function(new), name);
        }
        for (id, decl) in &old.globals {
            if decl.kind == GlobalKind::Defined && frozen.array_of(decl).is_none() {
                let new = frozen.global(decl.align_log2, decl.mutability, old.name(decl.name));
                frozen.globals[id] = Some(new);
            }
        }
        for (id, decl) in &old.globals {
            if let Some(new) = frozen.globals[id] {
                let contents = frozen.contents(old.initializers(id), decl)?;
                frozen.module.globals[new].initializers = contents;
            }
        }
        for index in 0..ARRAYS.len() {
            frozen.gather_array(index)?;
        }
        Ok(frozen)
    }

    pub fn into_module(self) -> Module {
        self.module
    }

    /// The frozen function of a defined one.
    pub fn function(&self, old: FuncId) -> Option<FuncId> {
        self.functions[old]
    }

    /// The frozen signature with these contents, which is plain.
    pub fn signature(&mut self, signature: Signature) -> SigId {
        let key = (signature.params.clone(), signature.ret);
        *self.signatures.entry(key).or_insert_with(|| self.module.signatures.push(signature))
    }

    /// The signature of a frozen function.
    pub fn signature_of(&self, new: FuncId) -> &Signature {
        self.module.signature(new)
    }

    /// The declaration of a stable intrinsic, made at its first use.
    pub fn intrinsic(&mut self, stable: &'static ice_ir::IntrinsicDecl) -> FuncId {
        if let Some(&(_, id)) = self.intrinsics.iter().find(|(name, _)| *name == stable.name) {
            return id;
        }
        let signature = self.signature(Signature::new(stable.params.to_vec(), stable.ret));
        let kind = FunctionKind::Intrinsic(stable.op);
        let decl = FunctionDecl::new(Name::default(), signature, Linkage::External, kind);
        let id = self.module.functions.push(decl);
        self.name(Symbol::Function(id), stable.name.as_bytes());
        self.intrinsics.push((stable.name, id));
        id
    }

    /// Where a symbol of the native module is.
    pub fn place(&self, mut symbol: Symbol) -> Result<FrozenSymbol, FreezeErrorKind> {
        let name = |symbol| String::from_utf8_lossy(self.old.symbol_name(symbol)).into_owned();
        let (first, mut offset) = (symbol, 0i64);
        for _ in 0..=self.old.functions.len() + self.old.globals.len() {
            if let Some((target, addend)) = self.old.alias_target(symbol) {
                (symbol, offset) = (target, offset.wrapping_add(addend));
                continue;
            }
            let (new, linkage) = match symbol {
                Symbol::Function(f) => {
                    (self.functions[f].map(Symbol::Function), self.old.functions[f].linkage)
                }
                Symbol::Global(g) => (self.globals[g].map(Symbol::Global), self.old.globals[g].linkage),
            };
            if let Some(new) = new {
                return Ok(FrozenSymbol::At(new, offset));
            }
            for (names, array) in ARRAYS.iter().zip(self.arrays) {
                let Some((start, size)) = array else { continue };
                if self.old.symbol_name(symbol) == names.start {
                    return Ok(FrozenSymbol::At(Symbol::Global(start), offset));
                }
                if self.old.symbol_name(symbol) == names.end {
                    return Ok(FrozenSymbol::At(Symbol::Global(start), offset.wrapping_add(size)));
                }
            }
            return match linkage {
                Linkage::Weak => Ok(FrozenSymbol::Null),
                _ => Err(FreezeErrorKind::Undefined(name(symbol))),
            };
        }
        Err(FreezeErrorKind::AliasCycle(name(first)))
    }

    fn name(&mut self, symbol: Symbol, name: &[u8]) {
        if !name.is_empty() {
            self.module.set_symbol_name(symbol, name.iter().copied());
        }
    }

    fn global(&mut self, align_log2: Option<u8>, mutability: Mutability, name: &[u8]) -> GlobalId {
        let decl = GlobalDecl::new(Name::default(), align_log2, mutability, 0..0);
        let id = self.module.globals.push(decl);
        self.name(Symbol::Global(id), name);
        id
    }

    /// Copies initial contents and gives their place in the list.
    fn contents(
        &mut self,
        initializers: &[Initializer],
        decl: &GlobalDecl,
    ) -> Result<core::ops::Range<u32>, FreezeError> {
        let located = |kind| {
            let symbol = String::from_utf8_lossy(self.old.name(decl.name)).into_owned();
            FreezeError { symbol, inst: None, kind }
        };
        if decl.storage.is_thread_local() {
            return Err(located(FreezeErrorKind::Unsupported("thread-local storage")));
        }
        let start = self.module.initializers.len();
        for &init in initializers {
            let new = match init {
                Initializer::Zero(0) | Initializer::Bytes { len: 0, .. } => continue,
                Initializer::Zero(count) => Initializer::Zero(count),
                Initializer::Bytes { start, len } => {
                    let bytes = &self.old.data[start as usize..][..len as usize];
                    let start = self.module.data.len() as u32;
                    self.module.data.extend_from_slice(bytes);
                    Initializer::Bytes { start, len }
                }
                Initializer::Address { target, addend } => match self.place(target).map_err(located)? {
                    FrozenSymbol::At(target, offset) => {
                        Initializer::Address { target, addend: addend.wrapping_add(offset) }
                    }
                    FrozenSymbol::Null => {
                        let start = self.module.data.len() as u32;
                        self.module.data.extend_from_slice(&(addend as u32).to_le_bytes());
                        Initializer::Bytes { start, len: 4 }
                    }
                },
                Initializer::Relative { .. } | Initializer::Distance { .. } => {
                    let what = "the difference of two addresses in initial data";
                    return Err(located(FreezeErrorKind::Unsupported(what)));
                }
            };
            self.module.initializers.push(new);
        }
        if self.module.initializers.len() == start {
            // An object without bytes still has an address of its own.
            self.module.initializers.push(Initializer::Zero(1));
        }
        Ok(start as u32..self.module.initializers.len() as u32)
    }

    /// Which of the `ARRAYS` a global belongs to.
    fn array_of(&self, decl: &GlobalDecl) -> Option<usize> {
        let section = self.old.name(decl.symbol.section);
        ARRAYS.iter().position(|array| {
            let rest = section.strip_prefix(array.section.as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
        })
    }

    /// Makes one array of all parts of array `index`, in the order of their sections' names, as linkers have
    /// it: numbered ones first.
    fn gather_array(&mut self, index: usize) -> Result<(), FreezeError> {
        let names = &ARRAYS[index];
        let old = self.old;
        let parts = old.globals.keys().filter(|&id| self.array_of(&old.globals[id]) == Some(index));
        let declared = |name: &[u8]| old.globals.values().any(|decl| old.name(decl.name) == name);
        if !declared(names.start) {
            return match parts.peekable().peek() {
                None => Ok(()),
                Some(&first) => Err(FreezeError {
                    symbol: String::from_utf8_lossy(old.name(old.globals[first].name)).into_owned(),
                    inst: None,
                    kind: FreezeErrorKind::ConstructorsNotRun(names.section),
                }),
            };
        }
        let by_section = parts.map(|id| {
            let section = old.name(old.globals[id].symbol.section);
            (section.len() == names.section.len(), section, id)
        });
        let parts = BinaryHeap::from_iter(by_section).into_sorted_vec();
        let array = self.global(Some(2), Mutability::Constant, b"");
        let start = self.module.initializers.len() as u32;
        let mut size = 0;
        for id in parts.into_iter().map(|(_, _, id)| id).filter(|&id| old.global_size(id) > 0) {
            self.contents(old.initializers(id), &old.globals[id])?;
            size += old.global_size(id) as i64;
        }
        if size == 0 {
            self.module.initializers.push(Initializer::Zero(1));
        }
        let end = self.module.initializers.len() as u32;
        self.module.globals[array].initializers = start..end;
        self.arrays[index] = Some((array, size));
        Ok(())
    }
}

//! The records of variables, functions, aliases and comdats: declarations of the module, and what waits for its
//! constants (LLVM bitcode specification, section 4).
//!
//! Fields behind the last one of a record are 0, as in files of older versions.

use alloc::format;

use ice_ir::native::{
    Comdat, ComdatKind, FrameChain, FunctionTraits, Preemption, Storage, SymbolTraits, UnwindTables,
    Visibility,
};
use ice_ir::{
    ComdatId, FunctionDecl, FunctionKind, GlobalDecl, GlobalKind, Linkage, Mutability, Name, SigId,
    SignedReturn, StackProtection, Symbol,
};

use super::body::constrained;
use super::module::{FunctionInfo, SpecialGlobal, rules, unsupported};
use super::reader::{Builder, Deferred, HookKind, display, operand_count};
use crate::error::Error;
use crate::llvm::wire::attributes::FunctionFlags;
use crate::llvm::wire::constants::{Checked, GlobalValue, GlobalValueKind};
use crate::llvm::wire::container::check_name;
use crate::llvm::wire::types::{TypeId, flag};

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
    /// The name at `offset` of the string table.
    fn string(&self, offset: u64, size: u64) -> Checked<&'a [u8]> {
        let range = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
        let end = range.and_then(|(offset, size)| offset.checked_add(size));
        let found = range.zip(end).and_then(|((start, _), end)| self.strings.get(start..end));
        let name = found.ok_or(Error::NameRange { offset, size })?;
        check_name(name)?;
        Ok(name)
    }

    /// The name of a global value, which is its own. A leading 1 means that it is to be used as it is, as all are.
    fn global_name(&mut self, offset: u64, size: u64) -> Checked<&'a [u8]> {
        let name = self.string(offset, size)?;
        if !name.is_empty() && !self.names.insert(name) {
            return Err(Error::NameRepeated { name: display(name) });
        }
        Ok(name.strip_prefix(&[1]).unwrap_or(name))
    }

    pub(super) fn comdat(&mut self, ops: &[u64]) -> Checked<()> {
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
            // Nobody else can name it.
            Plain(_) if common.name.is_empty() => Linkage::Private,
            Plain(linkage) => linkage,
            ExternWeak => Linkage::Weak,
            Appending | AvailableExternally => Linkage::External,
        };
        let visibility = match common.visibility {
            0 => Visibility::Default,
            // As LLVM reads it: nobody sees a local symbol.
            1 | 2 if linkage.is_local() => Visibility::Default,
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
        let comdat = comdat.map(|index| ComdatId::from_u32(index as u32));
        Ok((wire, linkage, SymbolTraits { visibility, preemption, section, comdat }))
    }

    /// What is only declared is defined elsewhere, where a local symbol could not be.
    fn check_declaration(wire: WireLinkage, value: u64) -> Checked<()> {
        use WireLinkage::{AvailableExternally, ExternWeak, Plain};
        match wire {
            Plain(Linkage::External) | ExternWeak | AvailableExternally => Ok(()),
            _ => Err(Error::FieldValue { field: "the linkage of a declaration", value }),
        }
    }

    pub(super) fn variable(&mut self, ops: &[u64]) -> Checked<()> {
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
        if let Some((key, _)) = self.attributes.list(field(14))?.function.demands.unmet(&[]) {
            return Err(unsupported(&format!("the attribute {key} of the variable {}", display(name))));
        }
        let initializer = ops[4].checked_sub(1).map(narrow).transpose()?;
        if name.starts_with(b"llvm.") || self.module.name(symbol.section) == b"llvm.metadata" {
            self.special(name, ty, 0);
            let hooks = match name {
                b"llvm.global_ctors" => HookKind::Constructors,
                b"llvm.global_dtors" => HookKind::Destructors,
                b"llvm.used" | b"llvm.compiler.used" => {
                    self.deferred.extend(initializer.map(Deferred::Used));
                    return Ok(());
                }
                _ => return Ok(()),
            };
            self.deferred.extend(initializer.map(|id| Deferred::Hooks(hooks, id)));
            return Ok(());
        }
        if wire == WireLinkage::Appending {
            return Err(unsupported("appending linkage"));
        }
        let is_declared = initializer.is_none() || wire == WireLinkage::AvailableExternally;
        if is_declared {
            Self::check_declaration(wire, ops[5])?;
        }
        let mutability = if ops[3] & 1 != 0 { Mutability::Constant } else { Mutability::Variable };
        let align_log2 = Some(align.unwrap_or_else(|| match is_declared {
            true => self.layouts.abi_align_log2(ty),
            false => self.layouts.variable_align_log2(ty),
        }));
        let start = self.module.initializers.len() as u32;
        let mut decl = GlobalDecl::new(Name::default(), align_log2, mutability, start..start);
        (decl.linkage, decl.storage, decl.symbol) = (linkage, storage, symbol.into());
        decl.kind = if is_declared { GlobalKind::Declared } else { GlobalKind::Defined };
        let id = self.module.globals.push(decl);
        self.add_symbol(Symbol::Global(id), ty, &common);
        if let (Some(initializer), false) = (initializer, is_declared) {
            self.deferred.push(Deferred::Contents(id, initializer, ty));
        }
        Ok(())
    }

    pub(super) fn function(&mut self, ops: &[u64]) -> Checked<()> {
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
        if is_declared || is_dropped {
            Self::check_declaration(wire, ops[5])?;
        }
        let (signature, is_refused) = self.signature(ty, ops[6], ops[3])?;
        let flags = attributes.function.flags;
        let has = |flag| flags.has(flag);
        // The text in the body makes its own frame.
        let is_naked = has(FunctionFlags::NAKED);
        let traits = FunctionTraits {
            align_log2: alignment(ops[7])?.unwrap_or(0),
            returns_twice: has(FunctionFlags::RETURNS_TWICE),
            noreturn: has(FunctionFlags::NORETURN),
            cold: has(FunctionFlags::COLD),
            nounwind: has(FunctionFlags::NORETURN.with(FunctionFlags::NOUNWIND)),
            frame_pointer: match is_naked {
                false if has(FunctionFlags::FRAME_POINTER_ALL) => FrameChain::All,
                false if has(FunctionFlags::FRAME_POINTER_NON_LEAF) => FrameChain::Callers,
                _ => FrameChain::None,
            },
            // Of others their own object says it.
            unwind: if is_declared || is_dropped { UnwindTables::None } else { flags.unwind_tables() },
            landing: false,
            signed_return: SignedReturn::Never,
            wide_registers: has(FunctionFlags::WIDE_REGISTERS) && self.legal.machine().has_wide_registers,
            wide_integers: has(FunctionFlags::WIDE_INTEGERS) && self.legal.machine().has_wide_registers,
            permutes_bytes: has(FunctionFlags::PERMUTES_BYTES) || has(FunctionFlags::WIDE_REGISTERS),
            type_word: None,
            signature_words: None,
            protection: match is_declared || is_dropped || is_naked {
                true => StackProtection::None,
                false => flags.stack_protection(),
            },
        };
        let kind = match is_declared || is_dropped {
            true => FunctionKind::Declared,
            false => FunctionKind::Defined,
        };
        let mut decl = FunctionDecl::new(Name::default(), signature, linkage, kind);
        (decl.symbol, decl.traits) = (symbol.into(), traits.into());
        let id = self.module.functions.push(decl);
        self.functions[id] = FunctionInfo {
            ty: Some(ty).into(),
            attributes: ops[6] as u32,
            convention: narrow(ops[3])?,
            personality: narrow(ops[16])?,
            is_refused,
        };
        if !is_declared {
            self.defined.push((!is_dropped).then_some(id));
        }
        self.add_symbol(Symbol::Function(id), ty, &common);
        Ok(())
    }

    /// The signature of a function, and whether it is an empty one in the place of one that is not supported: such
    /// a function may be declared, but is refused where it is called or has a body.
    fn signature(&mut self, ty: TypeId, list: u64, convention: u64) -> Checked<(SigId, bool)> {
        let rules = rules(&self.types, &self.layout, &self.layouts, &self.legal, &self.attributes);
        let convention = self.legal.machine().convention(convention).unwrap_or_default();
        match self.signatures.of_function(&rules, &mut self.module, ty, list, convention) {
            Err(Error::Unsupported { .. } | Error::TooLarge { .. }) => {
                Ok((self.signatures.nothing(&mut self.module)?, true))
            }
            signature => Ok((signature?, false)),
        }
    }

    pub(super) fn alias(&mut self, ops: &[u64]) -> Checked<()> {
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
            Some(_) => self.function_behind(ty, linkage, symbol, FunctionKind::Alias)?,
            None => {
                let own = Symbol::Global(self.module.globals.next_key());
                let start = self.module.initializers.len() as u32;
                let mut decl = GlobalDecl::new(Name::default(), Some(0), Mutability::Variable, start..start);
                (decl.linkage, decl.storage, decl.symbol) = (linkage, storage, symbol.into());
                decl.kind = GlobalKind::Alias { target: own, addend: 0 };
                self.module.globals.push(decl);
                own
            }
        };
        self.add_symbol(own, ty, &common);
        self.deferred.push(Deferred::Alias(own, narrow(ops[4])?));
        Ok(())
    }

    /// IFUNC: a function that has a resolver.
    pub(super) fn ifunc(&mut self, ops: &[u64]) -> Checked<()> {
        let &[name, length, ty, space, resolver, linkage, visibility, ..] = ops else {
            return Err(operand_count("IFUNC", ops, "7 and more"));
        };
        let ty = self.types.resolve(ty)?;
        if !self.legal.machine().has_indirect_functions {
            return Err(unsupported("an ifunc, which linkers for this machine do not know"));
        }
        if space != 0 {
            return Err(unsupported("an ifunc in another address space than 0"));
        }
        let name = self.global_name(name, length)?;
        let common = Common { name, linkage, visibility, dso_local: 0, section: 0, comdat: 0 };
        let (wire, linkage, symbol) = self.linking(&common)?;
        if !matches!(wire, WireLinkage::Plain(_)) || linkage == Linkage::Common {
            return Err(Error::FieldValue { field: "the linkage of an ifunc", value: common.linkage });
        }
        if self.types.function(ty).is_none() {
            return Err(Error::FieldValue { field: "the type of an ifunc", value: ops[2] });
        }
        let own = self.function_behind(ty, linkage, symbol, FunctionKind::Indirect)?;
        self.add_symbol(own, ty, &common);
        self.deferred.push(Deferred::Alias(own, narrow(resolver)?));
        Ok(())
    }

    /// A function that has another symbol behind it, and is that itself until it is known.
    fn function_behind(
        &mut self,
        ty: TypeId,
        linkage: Linkage,
        symbol: SymbolTraits,
        kind: fn(Symbol) -> FunctionKind,
    ) -> Checked<Symbol> {
        let (signature, _) = self.signature(ty, 0, 0)?;
        let own = Symbol::Function(self.module.functions.next_key());
        let mut decl = FunctionDecl::new(Name::default(), signature, linkage, kind(own));
        decl.symbol = symbol.into();
        let id = self.module.functions.push(decl);
        self.functions[id].ty = Some(ty).into();
        Ok(own)
    }

    fn add_symbol(&mut self, symbol: Symbol, ty: TypeId, common: &Common<'_>) {
        if !common.name.is_empty() {
            self.module.set_symbol_name(symbol, common.name.iter().copied());
        }
        self.globals.push(GlobalValue { kind: GlobalValueKind::Symbol(symbol), ty });
    }

    fn special(&mut self, name: &[u8], ty: TypeId, attributes: u32) {
        let kind = GlobalValueKind::Special(self.specials.len() as u32);
        if name.starts_with(constrained::COMPARISON) {
            self.predicates.get_or_insert_default();
        }
        let name = self.module.make_name(name.iter().copied());
        self.specials.push(SpecialGlobal { name, attributes });
        self.globals.push(GlobalValue { kind, ty });
    }
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

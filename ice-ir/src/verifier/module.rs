//! The rules about declarations, globals and names.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::types::is_plain_argument;
use super::{Location, MAX_ERRORS, Rule, Rules, VerifierError, VerifierScratch, verify_function};
use crate::entities::{FuncId, GlobalId, Symbol};
use crate::hardening::{GuardSource, StackGuard};
use crate::intrinsics::{self, Intrinsic};
use crate::module::{
    FunctionDecl, FunctionKind, GlobalKind, Initializer, Linkage, MAX_ALIGN_LOG2, Module, Program, Signature,
    TypeDef,
};
use crate::types::Type;

/// Checks the declarations of a module. `Err` has at least one error.
pub fn verify_module(module: &Module, rules: Rules) -> Result<(), Vec<VerifierError>> {
    let mut verifier = ModuleVerifier { module, rules, place: Location::Module, errors: Vec::new() };
    verifier.check(
        Rule::PointerType,
        module.pointer_type == Type::I32 || rules == Rules::Ice && module.pointer_type == Type::I64,
    );
    verifier.signatures();
    verifier.functions();
    verifier.globals();
    verifier.names();
    verifier.stack_guard();
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

/// Checks a module and all bodies. `Err` has at least one error.
pub fn verify_program(program: &Program, rules: Rules) -> Result<(), Vec<VerifierError>> {
    let mut errors = verify_module(&program.module, rules).err().unwrap_or_default();
    if !program.module.defined_functions().eq(program.bodies.iter().map(|body| body.id)) {
        errors.push(VerifierError { rule: Rule::Bodies, place: Location::Module });
    }
    let mut scratch = VerifierScratch::new();
    for body in &program.bodies {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        errors.extend(verify_function(&program.module, body, rules, &mut scratch).err().unwrap_or_default());
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

struct ModuleVerifier<'m> {
    module: &'m Module,
    rules: Rules,
    place: Location,
    errors: Vec<VerifierError>,
}

/// Whether the signature has as many parameters, and a result or none, as the set has for `op`.
fn has_shape_of(op: Intrinsic, signature: &Signature) -> bool {
    let shape = |params: usize, ret: Type| (params, ret == Type::Void);
    let own = shape(signature.params.len(), signature.ret);
    match op {
        _ if op.rounds() => return own == (1, false),
        _ if op.is_of_floats() => return own == (2, false),
        Intrinsic::VaStart => return own == (1, true),
        Intrinsic::FrameAddress
        | Intrinsic::ReturnAddress
        | Intrinsic::ThreadLocalAddress
        | Intrinsic::Pin
        | Intrinsic::Fneg
        | Intrinsic::Bitreverse => return own == (1, false),
        Intrinsic::MulHigh
        | Intrinsic::SegmentWord
        | Intrinsic::CheckType
        | Intrinsic::DoublePair
        | Intrinsic::DoubleHalf => return own == (2, false),
        Intrinsic::ByValue | Intrinsic::Fma => return own == (3, false),
        Intrinsic::Extended => return own == (4, true),
        _ => {}
    }
    intrinsics::DECLARATIONS.iter().any(|d| d.op == op && shape(d.params.len(), d.ret) == own)
}

impl ModuleVerifier<'_> {
    fn check(&mut self, rule: Rule, holds: bool) {
        if !holds && self.errors.len() < MAX_ERRORS {
            self.errors.push(VerifierError { rule, place: self.place });
        }
    }

    fn check_pnacl(&mut self, rule: Rule, holds: bool) {
        self.check(rule, holds || self.rules == Rules::Ice);
    }

    fn signatures(&mut self) {
        for entry in &self.module.types {
            if let TypeDef::Function(id) = *entry {
                self.check(Rule::TypeTable, self.module.signatures.is_valid(id));
            }
        }
        for (id, signature) in &self.module.signatures {
            self.place = Location::Signature(id);
            self.check(Rule::SignatureTypes, !signature.params.contains(&Type::Void));
            let mut types = signature.params.iter().chain([&signature.ret, &signature.second]);
            self.check_pnacl(Rule::StableType, types.all(|ty| ty.is_stable()));
            self.check(Rule::Passing, signature.has_valid_passing(self.module.pointer_type));
        }
    }

    fn functions(&mut self) {
        let module = self.module;
        let mut entries = 0;
        for (id, decl) in &module.functions {
            self.place = Location::Function(id);
            let Some(signature) = module.signatures.get(decl.signature) else {
                self.check(Rule::TypeTable, false);
                continue;
            };
            let name = module.name(decl.name);
            match decl.kind {
                FunctionKind::Defined => {
                    let is_entry = name == b"_start" && decl.linkage == Linkage::External;
                    entries += usize::from(is_entry);
                    self.check_pnacl(Rule::EntryPoint, is_entry || decl.linkage == Linkage::Internal);
                    self.check_pnacl(Rule::SignatureTypes, signature.is_plain());
                    let params = signature.params.iter().all(|&ty| is_plain_argument(ty));
                    self.check_pnacl(Rule::SmallParameter, params && is_plain_argument(signature.ret));
                    self.check_pnacl(Rule::IntrinsicName, !name.starts_with(b"llvm."));
                }
                FunctionKind::Declared => {
                    self.check_pnacl(Rule::DeclaredFunction, false);
                    self.check(Rule::IntrinsicName, !name.starts_with(b"llvm."));
                }
                FunctionKind::Intrinsic(op) => self.intrinsic(op, decl, name, signature),
                FunctionKind::Alias(target) => {
                    self.check_pnacl(Rule::DeclaredFunction, false);
                    self.check(Rule::GlobalContents, self.exists(target));
                }
                FunctionKind::Indirect(resolver) => {
                    self.check_pnacl(Rule::DeclaredFunction, false);
                    let has_body = |f| {
                        module
                            .functions
                            .get(f)
                            .is_some_and(|decl: &FunctionDecl| decl.kind == FunctionKind::Defined)
                    };
                    let is_defined = matches!(resolver, Symbol::Function(f) if has_body(f));
                    self.check(Rule::GlobalContents, is_defined);
                }
            }
        }
        self.place = Location::Module;
        self.check_pnacl(Rule::EntryPoint, entries == 1);
    }

    fn intrinsic(&mut self, op: Intrinsic, decl: &FunctionDecl, name: &[u8], signature: &Signature) {
        self.check_pnacl(Rule::DeclaredFunction, decl.linkage == Linkage::External);
        let known = match self.rules {
            Rules::Ice => has_shape_of(op, signature),
            Rules::Pnacl => intrinsics::find(name).is_some_and(|stable| {
                stable.op == op && stable.ret == signature.ret && stable.params == signature.params
            }),
        };
        self.check(Rule::IntrinsicName, known);
    }

    fn globals(&mut self) {
        let module = self.module;
        for (id, decl) in &module.globals {
            self.place = Location::Global(id);
            self.check(Rule::GlobalAlignment, decl.align_log2.unwrap_or(0) <= MAX_ALIGN_LOG2);
            let range = decl.initializers.start as usize..decl.initializers.end as usize;
            let Some(initializers) = module.initializers.get(range) else {
                self.check(Rule::GlobalContents, false);
                continue;
            };
            let mut good = !initializers.is_empty() || self.rules == Rules::Ice;
            for init in initializers {
                good &= match *init {
                    Initializer::Zero(_) => true,
                    Initializer::Bytes { start, len } => {
                        let end = u64::from(start) + u64::from(len);
                        end <= module.data.len() as u64 && (len > 0 || self.rules == Rules::Ice)
                    }
                    Initializer::Address { target, .. } => self.exists(target),
                    Initializer::Relative { target, bytes, .. } => {
                        let fits = bytes == 4 || bytes == 8 && module.pointer_type == Type::I64;
                        self.rules == Rules::Ice && fits && self.exists(target)
                    }
                    Initializer::Distance { plus, minus, bytes, .. } => {
                        let of = self.function_of_label(plus);
                        self.rules == Rules::Ice
                            && matches!(bytes, 1 | 2 | 4 | 8)
                            && of.is_some()
                            && of == self.function_of_label(minus)
                    }
                };
            }
            if let GlobalKind::Label { function, .. } = decl.kind {
                let is_defined =
                    module.functions.get(function).is_some_and(|decl| decl.kind == FunctionKind::Defined);
                good &= self.rules == Rules::Ice && is_defined && decl.linkage.is_local();
            }
            self.check(Rule::GlobalContents, good && u32::try_from(module.global_size(id)).is_ok());
        }
    }

    /// Of which function the global is a label.
    fn function_of_label(&self, global: GlobalId) -> Option<FuncId> {
        match self.module.globals.get(global)?.kind {
            GlobalKind::Label { function, .. } => Some(function),
            _ => None,
        }
    }

    fn stack_guard(&mut self) {
        let module = self.module;
        self.place = Location::Module;
        let Some(StackGuard { source, fail }) = module.hardening.stack_guard else { return };
        let decl = |function| module.functions.get(function);
        let takes_nothing =
            |signature: &Signature| signature.params.is_empty() && signature.ret == Type::Void;
        let fails = decl(fail).is_some_and(|decl| {
            !matches!(decl.kind, FunctionKind::Intrinsic(_))
                && module.signatures.get(decl.signature).is_some_and(takes_nothing)
        });
        let has_source = match source {
            GuardSource::Variable(global) => module.globals.is_valid(global),
            GuardSource::Segment { read, .. } => {
                let is_read = FunctionKind::Intrinsic(Intrinsic::SegmentWord);
                decl(read).is_some_and(|decl| decl.kind == is_read)
            }
        };
        self.check(Rule::StackGuard, fails && has_source);
    }

    /// Whether `symbol` is something with an address.
    fn exists(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Global(global) => self.module.globals.is_valid(global),
            Symbol::Function(function) => {
                let decl = self.module.functions.get(function);
                decl.is_some_and(|decl| !matches!(decl.kind, FunctionKind::Intrinsic(_)))
            }
        }
    }

    fn names(&mut self) {
        let module = self.module;
        let mut names = BTreeSet::new();
        let functions = module.functions.iter().map(|(id, d)| (Location::Function(id), d.name));
        let globals = module.globals.iter().map(|(id, d)| (Location::Global(id), d.name));
        for (place, name) in functions.chain(globals) {
            self.place = place;
            self.check(Rule::SymbolNames, name.is_empty() || names.insert(module.name(name)));
        }
        self.place = Location::Module;
        let mut listed = BTreeSet::new();
        for &symbol in &module.symbol_order {
            let exists = match symbol {
                Symbol::Function(f) => module.functions.is_valid(f),
                Symbol::Global(g) => module.globals.is_valid(g),
            };
            self.check(Rule::SymbolNames, exists && listed.insert(symbol));
        }
    }
}

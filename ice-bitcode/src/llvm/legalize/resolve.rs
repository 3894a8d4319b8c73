//! What takes the constants of the module: contents of variables, targets of aliases, functions to be run before and
//! after the program.

use alloc::format;
use alloc::vec::Vec;
use ice_ir::native::Preemption;

use ice_ir::FuncId;
use ice_ir::{FunctionKind, GlobalDecl, GlobalKind, Initializer, Linkage, Module, Mutability, Name, Symbol};

use super::initializer;
use super::module::unsupported;
use super::reader::{Builder, Deferred, HookKind, display, own_environment};
use crate::error::Error;
use crate::llvm::wire::constants::{Checked, Constant, Labels, View};
use crate::llvm::wire::fold::Scalar;

impl Builder<'_> {
    /// Gives variables their contents and aliases their targets.
    pub(super) fn resolve(&mut self) -> Checked<()> {
        self.place_labels();
        if self.constants.is_empty() {
            self.constants.clear(self.globals.len() as u32);
        }
        let env = own_environment!(self);
        let view = View { env: &env, local: &self.constants };
        if self.labels != Labels::Numbers {
            // As announced by `place_labels`.
            for &(function, label) in self.constants.blocks() {
                let mut decl = GlobalDecl::new(Name::default(), None, Mutability::Constant, 0..0);
                (decl.kind, decl.linkage) = (GlobalKind::Label { function, label }, Linkage::Private);
                self.module.globals.push(decl);
            }
        }
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
                            let kind = &mut self.module.functions[f].kind;
                            *kind = kind.with_symbol(target);
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
                Deferred::Used(id) => used(&view, id, &mut self.used),
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
            while let Some((next, addend)) = self.module.alias_target(target) {
                if steps > count {
                    return Err(Error::AliasCycle { name: name(&self.module, own) });
                }
                (target, sum, steps) = (next, sum.wrapping_add(addend), steps + 1);
            }
            let resolver = self.module.resolver(target);
            match own {
                // Another name of one is one.
                Symbol::Function(f) if let Some(resolver) = resolver => {
                    self.module.functions[f].kind = FunctionKind::Indirect(resolver);
                }
                Symbol::Function(f) if sum == 0 => {
                    self.module.functions[f].kind = FunctionKind::Alias(target)
                }
                Symbol::Function(_) => return Err(unsupported("an alias of a place inside of a function")),
                Symbol::Global(_) if resolver.is_some() => {
                    return Err(unsupported("an alias of an ifunc that is a variable"));
                }
                Symbol::Global(_) if self.is_outside(target, sum) => {
                    let [own, target] = [own, target].map(|symbol| name(&self.module, symbol));
                    let what =
                        format!("the alias {own} of a place {sum} bytes behind {target}, outside of it");
                    return Err(Error::Unsupported { what });
                }
                Symbol::Global(g) => self.module.globals[g].kind = GlobalKind::Alias { target, addend: sum },
            }
        }
        // Resolvers may be aliases, whose targets are known now.
        for own in aliases() {
            let Symbol::Function(f) = own else { continue };
            let Some(resolver) = self.module.resolver(own) else { continue };
            let target = self.module.alias_target(resolver).map_or(resolver, |(target, _)| target);
            match target {
                Symbol::Function(r) if self.module.functions[r].kind == FunctionKind::Defined => {
                    self.module.functions[f].kind = FunctionKind::Indirect(target);
                }
                _ => return Err(unsupported("an ifunc whose resolver the module does not define")),
            }
        }
        Ok(())
    }

    /// Whether a place is neither in a variable nor at its end, as a tag in the upper bits of an address says
    /// (`-fsanitize=hwaddress`).
    fn is_outside(&self, target: Symbol, addend: i64) -> bool {
        match target {
            Symbol::Global(global) if self.module.globals[global].kind == GlobalKind::Defined => {
                u64::try_from(addend).map_or(true, |addend| addend > self.module.global_size(global))
            }
            _ => false,
        }
    }
}

/// Gathers the functions of `llvm.used` or `llvm.compiler.used`.
fn used(view: &View<'_>, id: u32, functions: &mut Vec<FuncId>) {
    let Some((Constant::Aggregate(run), _)) = view.get(id) else { return };
    for &entry in view.table(id).operands(run) {
        if let Scalar::Address { target: Symbol::Function(function), .. } = view.scalar(entry) {
            functions.push(function);
        }
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

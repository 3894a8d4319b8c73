//! Symbol names of a translated module, the same in objects and in assembler text.
//!
//! A name of the module is used where every assembler takes it as it is, where no other symbol has it and
//! where it is not the name of a helper that the object may call. All other functions and globals get a
//! generated name: a prefix (`f` and `g`, lengthened until no name of the module begins with it and a
//! digit) and their number. The entry point of a program, the external function `_start`, is
//! `pexe_start`, by which the runtime calls it.

use core::fmt;
use ice_ir::{FuncId, FunctionKind, GlobalId, Linkage, Module, Symbol};
use ice_passes::Libcall;
use std::collections::HashSet;

/// The symbol by which the runtime calls a program's entry point.
pub const ENTRY_SYMBOL: &str = "pexe_start";

/// How other objects see a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visible {
    /// Not at all.
    Local,
    /// By its name.
    Global,
    /// Defined by another object.
    Undefined,
}

/// The names of a module's symbols.
pub struct SymbolNames<'m> {
    module: &'m Module,
    function_prefix: String,
    global_prefix: String,
    /// Symbols whose own name is used, by number.
    own_functions: Vec<bool>,
    own_globals: Vec<bool>,
}

impl<'m> SymbolNames<'m> {
    /// Decides on the names of `module`. Linear in the size of all names.
    pub fn new(module: &'m Module) -> SymbolNames<'m> {
        let mut taken: HashSet<&[u8]> =
            Libcall::ALL.iter().map(|libcall| libcall.name().as_bytes()).collect();
        taken.insert(ENTRY_SYMBOL.as_bytes());
        let mut own_functions = vec![false; module.functions.len()];
        let mut own_globals = vec![false; module.globals.len()];
        // External names first: they are not ours to change.
        for pass in [Linkage::External, Linkage::Internal] {
            for (id, decl) in &module.functions {
                let name = module.name(decl.name);
                if decl.linkage == pass && is_plain(name) {
                    own_functions[id.as_u32() as usize] = taken.insert(name);
                }
            }
        }
        for (id, decl) in &module.globals {
            let name = module.name(decl.name);
            own_globals[id.as_u32() as usize] = is_plain(name) && taken.insert(name);
        }
        SymbolNames {
            module,
            function_prefix: free_prefix("f", &taken),
            global_prefix: free_prefix("g", &taken),
            own_functions,
            own_globals,
        }
    }

    /// How other objects see `function`.
    pub fn visible(&self, function: FuncId) -> Visible {
        let decl = &self.module.functions[function];
        match (decl.kind, decl.linkage) {
            (FunctionKind::Defined, Linkage::Internal) => Visible::Local,
            (FunctionKind::Defined, Linkage::External) => Visible::Global,
            _ => Visible::Undefined,
        }
    }

    /// Writes the name of a function.
    pub fn write_function(&self, function: FuncId, out: &mut dyn fmt::Write) -> fmt::Result {
        let decl = &self.module.functions[function];
        let name = self.module.name(decl.name);
        if name == b"_start" && self.visible(function) == Visible::Global {
            return out.write_str(ENTRY_SYMBOL);
        }
        if self.own_functions[function.as_u32() as usize] {
            return write_plain(name, out);
        }
        write!(out, "{}{}", self.function_prefix, function.as_u32())
    }

    /// Writes the name of a global variable.
    pub fn write_global(&self, global: GlobalId, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.own_globals[global.as_u32() as usize] {
            return write_plain(self.module.name(self.module.globals[global].name), out);
        }
        write!(out, "{}{}", self.global_prefix, global.as_u32())
    }

    /// Writes the name of a function or global.
    pub fn write_symbol(&self, symbol: Symbol, out: &mut dyn fmt::Write) -> fmt::Result {
        match symbol {
            Symbol::Function(function) => self.write_function(function, out),
            Symbol::Global(global) => self.write_global(global, out),
        }
    }
}

/// A name that needs no quotes in any assembler and cannot be mistaken for a number or a local label.
fn is_plain(name: &[u8]) -> bool {
    let start = name.first().is_some_and(|&c| c.is_ascii_alphabetic() || c == b'_');
    start
        && name.iter().all(|&c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$'))
        && !name.windows(2).any(|pair| pair == b".L")
}

fn write_plain(name: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    name.iter().try_for_each(|&byte| out.write_char(char::from(byte)))
}

fn free_prefix(start: &str, taken: &HashSet<&[u8]>) -> String {
    let mut prefix = start.to_owned();
    let clashes = |prefix: &str, name: &[u8]| {
        name.strip_prefix(prefix.as_bytes()).and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
    };
    while taken.iter().any(|name| clashes(&prefix, name)) {
        prefix.push('_');
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_ir::{FunctionDecl, GlobalDecl, Mutability, Name, Signature, Type};

    fn module(functions: &[(&str, Linkage)], globals: &[&str]) -> Module {
        let mut module = Module::new();
        let signature = module.signatures.push(Signature::new(vec![], Type::Void));
        for &(name, linkage) in functions {
            let kind = FunctionKind::Defined;
            let id = module.functions.push(FunctionDecl::new(Name::default(), signature, linkage, kind));
            module.set_symbol_name(Symbol::Function(id), name.bytes());
        }
        for name in globals {
            let id = module.globals.push(GlobalDecl::new(Name::default(), None, Mutability::Variable, 0..0));
            module.set_symbol_name(Symbol::Global(id), name.bytes());
        }
        module
    }

    fn names(module: &Module) -> Vec<String> {
        let names = SymbolNames::new(module);
        let functions = module.functions.keys().map(Symbol::Function);
        functions
            .chain(module.globals.keys().map(Symbol::Global))
            .map(|symbol| {
                let mut text = String::new();
                names.write_symbol(symbol, &mut text).unwrap();
                text
            })
            .collect()
    }

    #[test]
    fn names_are_unique_plain_and_free_of_helpers() {
        use Linkage::{External, Internal};
        let functions = [
            ("_start", External),
            ("main", Internal),
            ("", Internal),
            ("memcpy", Internal),
            ("two words", Internal),
            ("pexe_start", Internal),
            ("_start", Internal),
            (".L3", Internal),
            ("a.Lb", Internal),
        ];
        let module = module(&functions, &["main", "x$y", "3", "é"]);
        assert_eq!(
            names(&module),
            ["pexe_start", "main", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "g0", "x$y", "g2", "g3"]
        );
    }

    #[test]
    fn generated_names_keep_clear_of_given_ones() {
        let module = module(
            &[("", Linkage::Internal), ("f0", Linkage::Internal), ("f_9", Linkage::Internal)],
            &["", "g"],
        );
        assert_eq!(names(&module), ["f__0", "f0", "f_9", "g0", "g"]);
    }
}

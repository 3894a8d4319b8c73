//! Symbol names of a translated module, the same in objects and in assembler text.
//!
//! *PNaCl programs.* A name of the module is used where every assembler takes it as it is, where no other
//! symbol has it and where it is not the name of a helper that the object may call. All other functions and
//! globals get a generated name: a prefix (`f` and `g`, lengthened until no name of the module begins with it
//! and a digit) and their number. The entry point of a program, the external function `_start`, is
//! `pexe_start`, by which the runtime calls it.
//!
//! *Native modules.* Names are bytes that the linker must see as they are; only the 0x01 goes that forbids
//! other decoration. In objects, private symbols have no name, and internal ones may repeat other names; in
//! assembler text both get a generated name for that.

use core::fmt;
use ice_codegen::Libcall;
use ice_ir::native::Environment;
use ice_ir::{FuncId, FunctionKind, GlobalId, Linkage, Module, Symbol};
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
    is_native: bool,
    function_prefix: String,
    global_prefix: String,
    /// Symbols whose own name is used, by number.
    own_functions: Vec<bool>,
    own_globals: Vec<bool>,
}

impl<'m> SymbolNames<'m> {
    /// Decides on the names of `module`. Linear in the size of all names.
    pub fn new(module: &'m Module) -> SymbolNames<'m> {
        let is_native = module.environment == Environment::Native;
        let mut taken: HashSet<&[u8]> = HashSet::new();
        let mut own_functions = vec![false; module.functions.len()];
        let mut own_globals = vec![false; module.globals.len()];
        // Visible names first: they are not ours to change.
        for visible in [true, false] {
            let is_wanted = |linkage: Linkage, name: &[u8]| match is_native {
                true => linkage != Linkage::Private && !name.is_empty(),
                false => is_plain(name) && name != ENTRY_SYMBOL.as_bytes(),
            };
            // What other objects see may be a helper itself.
            let mut take = |name| match Libcall::from_name(name) {
                Some(_) => is_native && visible,
                None => taken.insert(name) || is_native && visible,
            };
            for (id, decl) in &module.functions {
                let name = undecorated(module.name(decl.name));
                if decl.linkage.is_local() != visible && is_wanted(decl.linkage, name) {
                    own_functions[id.as_u32() as usize] = take(name);
                }
            }
            for (id, decl) in &module.globals {
                let name = undecorated(module.name(decl.name));
                if decl.linkage.is_local() != visible && is_wanted(decl.linkage, name) {
                    own_globals[id.as_u32() as usize] = take(name);
                }
            }
        }
        SymbolNames {
            module,
            is_native,
            function_prefix: free_prefix("f", &taken),
            global_prefix: free_prefix("g", &taken),
            own_functions,
            own_globals,
        }
    }

    /// The name of a symbol in an object; empty where it needs none. `memory` is for generated names.
    pub fn object_name<'a>(&'a self, symbol: Symbol, memory: &'a mut String) -> &'a [u8] {
        if !self.is_native {
            memory.clear();
            // Writing into a string cannot fail.
            let _ = self.write_symbol(symbol, memory);
            return memory.as_bytes();
        }
        let linkage = match symbol {
            Symbol::Function(f) => self.module.functions[f].linkage,
            Symbol::Global(g) => self.module.globals[g].linkage,
        };
        match linkage {
            Linkage::Private => b"",
            _ => undecorated(self.module.symbol_name(symbol)),
        }
    }

    /// How other objects see `function`.
    pub fn visible(&self, function: FuncId) -> Visible {
        let decl = &self.module.functions[function];
        match decl.kind {
            FunctionKind::Declared | FunctionKind::Intrinsic(_) => Visible::Undefined,
            _ if decl.linkage.is_local() => Visible::Local,
            FunctionKind::Defined | FunctionKind::Alias(_) | FunctionKind::Indirect(_) => Visible::Global,
        }
    }

    /// Writes the name of a function.
    pub fn write_function(&self, function: FuncId, out: &mut dyn fmt::Write) -> fmt::Result {
        let decl = &self.module.functions[function];
        let name = undecorated(self.module.name(decl.name));
        if !self.is_native && name == b"_start" && self.visible(function) == Visible::Global {
            return out.write_str(ENTRY_SYMBOL);
        }
        if self.own_functions[function.as_u32() as usize] {
            return write_name(name, out);
        }
        if decl.linkage == Linkage::Private {
            return write_numbered(".LF", function.as_u32(), out);
        }
        write_numbered(&self.function_prefix, function.as_u32(), out)
    }

    /// Writes the name of a global variable.
    pub fn write_global(&self, global: GlobalId, out: &mut dyn fmt::Write) -> fmt::Result {
        let decl = &self.module.globals[global];
        if self.own_globals[global.as_u32() as usize] {
            return write_name(undecorated(self.module.name(decl.name)), out);
        }
        if decl.linkage == Linkage::Private {
            return write_numbered(".LG", global.as_u32(), out);
        }
        write_numbered(&self.global_prefix, global.as_u32(), out)
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

/// Without the byte that asks for the name to be taken as it is.
pub fn undecorated(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"\x01").unwrap_or(name)
}

/// Writes a generated name: most functions have one, and `write!` takes several times as long.
fn write_numbered(prefix: &str, mut number: u32, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(prefix)?;
    let mut unit = 1;
    while number / unit >= 10 {
        unit *= 10;
    }
    while unit > 0 {
        out.write_char(char::from(b'0' + (number / unit) as u8))?;
        (number, unit) = (number % unit, unit / 10);
    }
    Ok(())
}

/// Writes a name for an assembler, in quotes where it needs them. Bytes that are no text are written as
/// `llvm-mc` reads them.
pub fn write_name(name: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    if is_plain(name) {
        return name.iter().try_for_each(|&byte| out.write_char(char::from(byte)));
    }
    out.write_char('"')?;
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => write!(out, "\\{c}")?,
                '\n' => out.write_str("\\n")?,
                _ => out.write_char(c)?,
            }
        }
        chunk.invalid().iter().try_for_each(|byte| write!(out, "\\{byte:03o}"))?;
    }
    out.write_char('"')
}

/// A prefix that, with a digit behind it, begins none of the names. No helper's name begins like that.
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
        let helpers = Libcall::ALL.iter().map(|helper| helper.name().as_bytes()).collect();
        assert_eq!((free_prefix("f", &helpers), free_prefix("g", &helpers)), ("f".into(), "g".into()));
    }
}

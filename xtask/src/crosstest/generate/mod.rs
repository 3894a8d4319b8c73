//! Families of test functions in LLVM's text form: every operation in every type and width.
//!
//! What C cannot say, or says only in one way, is written here from tables. Each family is a module of its own, so that
//! a construct that a translator does not know fails only its family. No function has an undefined result: shift
//! amounts, divisors and conversions are guarded inside the function.

mod atomics;
mod constants;
mod fixed_point;
mod floats;
mod integers;
mod lanes;
mod memory;
mod quads;
mod switches;
mod threads;
mod vectors;

use crate::toolchain::Target;
use std::fmt::Write as _;

/// A module that is written from tables.
pub struct Family {
    pub name: &'static str,
    /// Gives the functions, without the module's head.
    pub functions: fn(Target, &mut Text),
}

#[rustfmt::skip]
pub const FAMILIES: &[Family] = &[
    Family { name: "ir-integers",       functions: |_, text| integers::arithmetic(text, &[8, 16, 32, 64]) },
    Family { name: "ir-odd-integers",   functions: |_, text| integers::arithmetic(text, &ODD) },
    Family { name: "ir-wide-integers",  functions: |target, text| integers::arithmetic(text, wide(target)) },
    Family { name: "ir-compares",       functions: |_, text| integers::compares(text, &[8, 16, 32, 64]) },
    Family { name: "ir-odd-compares",   functions: |_, text| integers::compares(text, &ODD) },
    Family { name: "ir-wide-compares",  functions: |target, text| integers::compares(text, wide(target)) },
    Family { name: "ir-casts",          functions: |_, text| integers::casts(text, &[1, 8, 16, 32, 64]) },
    Family { name: "ir-odd-casts",      functions: |_, text| integers::casts(text, &[1, 3, 7, 8, 12, 16, 24, 31, 32, 33, 48, 63, 64]) },
    Family { name: "ir-wide-casts",     functions: |target, text| integers::casts(text, &[&[1, 8, 16, 24, 32, 64][..], wide(target)].concat()) },
    Family { name: "ir-bits",           functions: |target, text| integers::bits(text, target, &[8, 16, 32, 64]) },
    Family { name: "ir-odd-bits",       functions: |target, text| integers::bits(text, target, &[5, 12, 24, 31, 33, 48, 63]) },
    Family { name: "ir-wide-bits",      functions: |target, text| integers::bits(text, target, wide(target)) },
    Family { name: "ir-constants",      functions: |_, text| constants::functions(text) },
    Family { name: "ir-fixed-point",    functions: |_, text| fixed_point::functions(text) },
    Family { name: "ir-floats",         functions: |_, text| floats::arithmetic(text) },
    Family { name: "ir-float-compares", functions: |_, text| floats::compares(text) },
    Family { name: "ir-float-casts",    functions: |_, text| floats::casts(text) },
    Family { name: "ir-float-calls",    functions: |target, text| floats::intrinsics(text, target) },
    Family { name: "ir-extended",       functions: |target, text| floats::extended(text, target) },
    Family { name: "ir-quads",          functions: |target, text| quads::functions(text, target) },
    Family { name: "ir-memory",         functions: |_, text| memory::loads_and_stores(text) },
    Family { name: "ir-blocks",         functions: |_, text| memory::blocks(text) },
    Family { name: "ir-atomics",        functions: |target, text| atomics::functions(target, text) },
    Family { name: "ir-switches",       functions: |_, text| switches::functions(text) },
    Family { name: "ir-vectors",        functions: |target, text| vectors::functions(text, target, &vectors::LEGAL) },
    Family { name: "ir-wide-vectors",   functions: |target, text| vectors::functions(text, target, &vectors::WIDE) },
    Family { name: "ir-odd-vectors",    functions: |target, text| vectors::functions(text, target, &vectors::ODD) },
    Family { name: "ir-lanes",          functions: |_, text| lanes::functions(text) },
    Family { name: "ir-threads",        functions: |_, text| threads::functions(text) },
];

/// Widths that no register has.
const ODD: [u32; 18] = [1, 2, 3, 5, 7, 9, 12, 15, 17, 20, 24, 31, 33, 40, 47, 48, 57, 63];

/// Widths of more than a register.
fn wide(target: Target) -> &'static [u32] {
    match target {
        Target::X86_64 | Target::Aarch64 => &[65, 96, 127, 128],
        // No library function of this target divides them.
        Target::I686 | Target::Armv7 | Target::Mipsel => &[],
    }
}

/// IR as it grows.
#[derive(Default)]
pub struct Text {
    globals: String,
    functions: String,
    declarations: Vec<String>,
}

impl Text {
    /// A global, as its definition says.
    pub fn global(&mut self, definition: &str) {
        let _ = writeln!(self.globals, "{definition}");
    }

    /// A function; `body` is its instructions with the return.
    pub fn function(&mut self, result: &str, name: &str, parameters: &str, body: &str) {
        let _ = writeln!(self.functions, "define {result} @{name}({parameters}) {{\n{body}}}");
    }

    /// A function that gives the result of one expression.
    pub fn expression(&mut self, result: &str, name: &str, parameters: &str, expression: &str) {
        self.function(result, name, parameters, &format!("  %r = {expression}\n  ret {result} %r\n"));
    }

    /// Declares an intrinsic; once is enough.
    pub fn declare(&mut self, declaration: &str) {
        let line = format!("declare {declaration}\n");
        if !self.declarations.contains(&line) {
            self.declarations.push(line);
        }
    }
}

impl Family {
    /// The module.
    pub fn write(&self, target: Target) -> String {
        let mut text = Text::default();
        (self.functions)(target, &mut text);
        format!("{}{}{}{}", target.module_head(), text.globals, text.functions, text.declarations.concat())
    }

    /// Whether there is a function for the target.
    pub fn is_for(&self, target: Target) -> bool {
        self.write(target).contains("\ndefine ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_used_once() {
        for family in FAMILIES {
            let mut seen = HashSet::new();
            for line in family.write(Target::X86_64).lines().filter(|line| line.starts_with("define")) {
                let name = line.split('@').nth(1).and_then(|rest| rest.split('(').next()).expect("a name");
                assert!(seen.insert(name.to_owned()), "{}: {name} twice", family.name);
            }
            assert!(!seen.is_empty(), "{} is empty", family.name);
        }
    }
}

//! Turns a native program with 32-bit addresses into one of the frozen PNaCl subset.
//!
//! The subset has no symbols from outside, one external function `_start`, no small integers across
//! calls, one result a call, and neither variadic nor by-value arguments. What a C compiler made for i386
//! is brought there by these rules:
//!
//! | native | frozen |
//! |---|---|
//! | parameter or result `i1 i8 i16` | `i32`, extended by the caller, truncated by the callee |
//! | `byval` argument | address of a copy in the caller's frame |
//! | variadic arguments | one more parameter: the address of a buffer in the caller's frame, laid out as the i386 argument area, so that the `va_arg` code of the front end reads it |
//! | second result | one more parameter: where to store it |
//! | alias | its target; `weak` declaration: address 0 |
//! | `.init_array*`, `.fini_array*` | one array each between `__init_array_start` and `__init_array_end`, `__fini_array_start` and `__fini_array_end` |
//! | `i1` in memory or in arithmetic | `i8` |
//! | misaligned vector access | lane by lane |
//! | memory orders | sequentially consistent |
//!
//! What has no counterpart is refused: symbols that nothing defines, thread-local storage, the addresses of
//! frames, differences of addresses in initial data. Method: one walk over each body builds a new one;
//! linear. `module` decides on symbols and signatures, `body` rebuilds functions, `calls` and
//! `intrinsics` hold their rules.
//!
//! Requires: valid IR (`Rules::Ice`), 32-bit addresses.
//! Preserves: the meaning of the program; the result is valid by `Rules::Pnacl` unless it has no `_start`.

mod body;
mod calls;
mod intrinsics;
mod module;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use ice_ir::{Inst, Program, Type};

/// Why a program cannot be frozen.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FreezeErrorKind {
    /// Addresses have 64 bits.
    WideAddresses,
    /// A symbol that is used is defined nowhere.
    Undefined(String),
    /// Aliases that end nowhere.
    AliasCycle(String),
    /// Something that the subset has no form for.
    Unsupported(&'static str),
    /// There are constructors or destructors, and nothing in the program refers to the array of them.
    ConstructorsNotRun(&'static str),
}

/// Why and where a program cannot be frozen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreezeError {
    /// The name of the function or global; empty for the whole program.
    pub symbol: String,
    /// The instruction in the body of the function.
    pub inst: Option<Inst>,
    /// Why.
    pub kind: FreezeErrorKind,
}

impl fmt::Display for FreezeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.symbol.is_empty() {
            write!(f, "{}: ", self.symbol)?;
        }
        if let Some(inst) = self.inst {
            write!(f, "{inst}: ")?;
        }
        match &self.kind {
            FreezeErrorKind::WideAddresses => {
                f.write_str("only programs with 32-bit addresses can be frozen")
            }
            FreezeErrorKind::Undefined(name) => write!(f, "symbol '{name}' is not defined in the program"),
            FreezeErrorKind::AliasCycle(name) => write!(f, "alias '{name}' ends nowhere"),
            FreezeErrorKind::Unsupported(what) => write!(f, "the frozen format has no form for {what}"),
            FreezeErrorKind::ConstructorsNotRun(name) => {
                write!(f, "the program has functions in '{name}' but does not run them")
            }
        }
    }
}

impl core::error::Error for FreezeError {}

/// The program in the frozen subset.
///
/// # Errors
/// Something in it has no form there; see [`FreezeErrorKind`].
pub fn freeze(program: &Program) -> Result<Program, FreezeError> {
    if program.module.pointer_type != Type::I32 {
        return Err(FreezeError { symbol: String::new(), inst: None, kind: FreezeErrorKind::WideAddresses });
    }
    if !program.module.assembly.is_empty() {
        let kind = FreezeErrorKind::Unsupported("assembly beside functions");
        return Err(FreezeError { symbol: String::new(), inst: None, kind });
    }
    let mut frozen = module::Frozen::new(&program.module)?;
    let mut bodies = Vec::with_capacity(program.bodies.len());
    for func in &program.bodies {
        bodies.push(body::freeze_body(&mut frozen, func)?);
    }
    Ok(Program { module: frozen.into_module(), bodies })
}

//! Why code does not run.

use core::fmt;
use ice_asm::RelocKind;

/// Why something could not be loaded, found or called.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Code is not put in memory for this machine; its name, or that of the host's processor.
    Machine(String),
    /// The module is malformed, or a function cannot be compiled.
    Compile(ice_driver::Error),
    /// The module defines a function of this name, and no body came with it.
    NoBody(String),
    /// Nothing has these names, which the module refers to.
    Unresolved(Vec<String>),
    /// A module that is loaded has defined this name already.
    Duplicate(String),
    /// The module uses the address of a thread-local variable of this name, or gives it another name, in a way that code
    /// in memory cannot: it asks for it by the intrinsic `threadlocal.address` alone.
    ThreadLocal(String),
    /// The entry of this function cannot be changed: its module was not [loaded lazily](crate::Jit::load_lazily).
    FixedEntry(String),
    /// This function is asked for before the [constructors](crate::LoadedModule::run_constructors) of its module were
    /// called.
    NotConstructed(String),
    /// This function catches exceptions; on this machine code in memory has no tables for that.
    Exceptions(String),
    /// Data, or code of another function, has the address of a block of this function, whose code comes later.
    Label(String),
    /// Inline assembly names symbols or has other sections than its function.
    Assembly,
    /// This function is where its resolver says (`STT_GNU_IFUNC`), which only loaders ask.
    Indirect(String),
    /// A reference of this kind cannot be resolved in memory.
    UnsupportedReference(RelocKind),
    /// What has this name, or a part of the module itself, is too far away for the reference to it.
    TooFar(String),
    /// An area of the module would have this many bytes.
    TooLarge {
        /// Bytes wanted.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The system gives no memory.
    Memory(std::io::Error),
    /// The file with names for `perf` cannot be opened.
    PerfMap(std::io::Error),
    /// The file with code for `perf` cannot be written.
    PerfDump(std::io::Error),
    /// The module does not define a function of this name.
    NoFunction(String),
    /// The module does not define a variable of this name.
    NoVariable(String),
    /// The function is called with other types than those that it has.
    Signature {
        /// Its name.
        function: String,
        /// Its types.
        has: String,
        /// Those of the call.
        called: String,
    },
    /// A defect of the crate or of a back end.
    Internal(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Machine(name) => write!(f, "code is not put in memory for {name}"),
            Error::Compile(error) => error.fmt(f),
            Error::NoBody(name) => write!(f, "the function {name} has no body"),
            Error::Unresolved(names) => write!(f, "nothing is called {}", names.join(", ")),
            Error::Duplicate(name) => write!(f, "{name} is defined already"),
            Error::ThreadLocal(name) => {
                write!(f, "{name} is thread-local, and its address is used without threadlocal.address")
            }
            Error::FixedEntry(function) => {
                write!(f, "the entry of {function} is fixed: its module was not loaded lazily")
            }
            Error::NotConstructed(function) => {
                write!(f, "{function} is asked for before the constructors of its module were called")
            }
            Error::Exceptions(function) => {
                write!(f, "{function} catches exceptions, which code in memory cannot on this machine")
            }
            Error::Label(function) => {
                write!(f, "the address of a block of {function} is taken elsewhere, and its code comes later")
            }
            Error::Assembly => f.write_str(
                "inline assembly that names symbols, or has sections of its own, is not for code in memory",
            ),
            Error::Indirect(function) => {
                write!(f, "{function} is where its resolver says, which nobody asks for code in memory")
            }
            Error::UnsupportedReference(kind) => {
                write!(f, "references of the kind {kind:?} are not resolved in memory")
            }
            Error::TooFar(name) if name.is_empty() => f.write_str("a reference does not reach its target"),
            Error::TooFar(name) => write!(f, "{name} is too far away for a reference to it"),
            Error::TooLarge { bytes, limit } => {
                write!(f, "an area of {bytes} bytes is too large; there may be {limit}")
            }
            Error::Memory(error) => write!(f, "the system gives no memory for code: {error}"),
            Error::PerfDump(error) => write!(f, "code for perf cannot be written: {error}"),
            Error::PerfMap(error) => write!(f, "names for perf cannot be written: {error}"),
            Error::NoFunction(name) => write!(f, "the module defines no function {name}"),
            Error::NoVariable(name) => write!(f, "the module defines no variable {name}"),
            Error::Signature { function, has, called } => {
                write!(f, "{function} has the type {has} and is called as {called}")
            }
            Error::Internal(what) => write!(f, "internal error: {what}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Compile(error) => Some(error),
            Error::Memory(error) | Error::PerfMap(error) | Error::PerfDump(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ice_driver::Error> for Error {
    fn from(error: ice_driver::Error) -> Error {
        Error::Compile(error)
    }
}

//! The one error type of translation.

use crate::machine::{Arch, UnknownTarget};
use crate::options::InputFormat;
use core::fmt;
use ice_asm::{ConstantId, RelocKind};
use ice_codegen::{CodegenStep, CompileError, ErrorKind, Internal};

/// Why a module was not translated.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file is none that can be read; says what it is, behind "this file is".
    NoProgram(&'static str),
    /// The input cannot be read; says why.
    Input(String),
    /// The bitcode is not well-formed; says where.
    #[cfg(any(feature = "pexe", feature = "llvm"))]
    Bitcode(Box<ice_bitcode::LocatedError>),
    /// The body of a function in LLVM bitcode is not well-formed or not supported.
    #[cfg(feature = "llvm")]
    Body {
        /// The name of the function in the module.
        name: String,
        /// Which function.
        function: ice_ir::FuncId,
        /// What and where.
        error: Box<ice_bitcode::LocatedError>,
    },
    /// The text is not well-formed; says where.
    #[cfg(feature = "text")]
    Text(ice_ir::ParseError),
    /// The text is not UTF-8 from this byte on.
    #[cfg(feature = "text")]
    NotUtf8(usize),
    /// The program breaks rules of the IR; says where and which.
    Verify(Vec<ice_ir::VerifierError>),
    /// The native program has no frozen form.
    #[cfg(feature = "pexe")]
    Freeze(ice_bitcode::pexe::FreezeError),
    /// The program cannot be started in the interpreter.
    #[cfg(feature = "interpreter")]
    Interpret(ice_interpreter::Trap),
    /// A function cannot be compiled.
    Compile {
        /// Its name, as in the output.
        name: String,
        /// Which and why.
        error: CompileError,
    },
    /// Initial contents of global variables would take this many bytes, which is out of proportion.
    DataTooLarge {
        /// Bytes wanted.
        bytes: u64,
        /// Bytes allowed for an input of this size.
        limit: u64,
    },
    /// The section of this name grows past what the object's format, or memory, can hold.
    SectionTooLarge(String),
    /// The object cannot be written.
    Object(ice_elf::Error),
    /// The back end asked for a relocation that the machine's objects do not have; a defect of the back end.
    UnsupportedRelocation(RelocKind),
    /// Assembly beside functions cannot be assembled, or says of a symbol what the module says in another way.
    Assembly(String),
    /// The back end made the high half of an address without the low half that the linker needs for it; a defect of the
    /// back end.
    UnpairedRelocation,
    /// The machine is known, but this build has no back end for it.
    TargetNotBuiltIn(Arch),
    /// The input is of a form that this build does not read.
    FormatNotBuiltIn(InputFormat),
    /// Addresses of the module have another width than those of the target.
    PointerWidth {
        /// The target.
        arch: Arch,
        /// The module's integer type for addresses.
        pointer: ice_ir::Type,
    },
    /// The module is for another environment than that which the compiler was made for.
    OtherEnvironment,
    /// The module was made for a machine whose addresses have another width.
    #[cfg(feature = "llvm")]
    WrongTarget {
        /// The machine that was asked for.
        arch: Arch,
        /// The triple of the module.
        triple: String,
    },
    /// PNaCl programs, as their runtime, are translated for other calls than those asked for; says for which, behind
    /// "for calls".
    NotForPnacl(&'static str),
    /// The program cannot be linked for the sandbox.
    Link(ice_elf::LinkError),
    /// Code of the machine cannot be confined.
    NotConfined(Arch),
    /// Native programs cannot be confined.
    NativeConfined,
    /// The module's target triple names no machine that is known.
    UnknownTriple(UnknownTarget),
    /// No defined function has this name or number.
    NoSuchFunction(String),
}

/// Whose fault an error is: it decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The input is refused: exit code 1.
    Input,
    /// The request or the system: exit code 2.
    Request,
}

impl Error {
    /// Whose fault it is.
    pub fn blame(&self) -> Blame {
        match self {
            Error::Input(_)
            | Error::Object(ice_elf::Error::Sink(_))
            | Error::TargetNotBuiltIn(_)
            | Error::FormatNotBuiltIn(_)
            | Error::NotForPnacl(_)
            | Error::NotConfined(_)
            | Error::NativeConfined
            | Error::NoSuchFunction(_) => Blame::Request,
            #[cfg(feature = "llvm")]
            Error::WrongTarget { .. } => Blame::Request,
            _ => Blame::Input,
        }
    }
}

impl Error {
    /// Whether the message begins with a line and a column of the input.
    #[cfg(feature = "cli")]
    pub(crate) fn begins_with_place(&self) -> bool {
        #[cfg(feature = "text")]
        return matches!(self, Error::Text(_));
        #[cfg(not(feature = "text"))]
        false
    }
}

/// A function by name and number, or by its number alone if it has no other name.
struct FunctionName<'a>(&'a str, ice_ir::FuncId);

impl fmt::Display for FunctionName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FunctionName(name, number) = self;
        match name.is_empty() || *name == number.to_string() {
            true => write!(f, "function {number}"),
            false => write!(f, "function {name} ({number})"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoProgram(found) => write!(
                f,
                "this file is {found} (programs are PNaCl bitcode, .pexe, LLVM bitcode, .bc, and the text form, .ice)"
            ),
            Error::Input(why) => f.write_str(why),
            #[cfg(any(feature = "pexe", feature = "llvm"))]
            Error::Bitcode(error) => error.fmt(f),
            #[cfg(feature = "llvm")]
            Error::Body { name, function, error } => write!(f, "{}: {error}", FunctionName(name, *function)),
            #[cfg(feature = "text")]
            Error::Text(error) => error.fmt(f),
            #[cfg(feature = "text")]
            Error::NotUtf8(offset) => write!(f, "not UTF-8 at byte {offset}"),
            #[cfg(feature = "pexe")]
            Error::Freeze(error) => write!(f, "{error}"),
            Error::Verify(errors) => {
                for (i, error) in errors.iter().enumerate() {
                    write!(f, "{}{error}", if i == 0 { "" } else { "\n" })?;
                }
                Ok(())
            }
            #[cfg(feature = "interpreter")]
            Error::Interpret(trap) => trap.fmt(f),
            Error::Compile { name, error } => {
                write!(f, "{}: {}", FunctionName(name, error.function), error.kind)
            }
            Error::DataTooLarge { bytes, limit } => {
                write!(
                    f,
                    "initialised data of {bytes} bytes; at most {limit} are accepted for an input of this size"
                )
            }
            Error::SectionTooLarge(name) => {
                write!(f, "section {name} too large for an object of this target")
            }
            Error::Object(error) => error.fmt(f),
            Error::UnsupportedRelocation(kind) => {
                write!(f, "no relocation for {kind:?} in objects of this target")
            }
            Error::Assembly(why) => write!(f, "module-level assembly: {why}"),
            Error::UnpairedRelocation => f.write_str("the high half of an address has no low half"),
            Error::TargetNotBuiltIn(arch) => {
                write!(f, "target {arch} is not built in; there are {}", Arch::built_in_names())
            }
            Error::FormatNotBuiltIn(format) => {
                write!(f, "{} is not read by this build", format.name())
            }
            Error::PointerWidth { arch, pointer } => {
                write!(f, "the program has addresses of type {pointer}; those of {arch} are others")
            }
            #[cfg(feature = "llvm")]
            Error::WrongTarget { arch, triple } => {
                write!(
                    f,
                    "target {arch} has addresses of another width than the module, whose triple is '{triple}'"
                )
            }
            Error::OtherEnvironment => {
                f.write_str("the module is for another environment than that which the compiler was made for")
            }
            Error::Link(error) => write!(f, "{error}"),
            Error::NotConfined(arch) => write!(f, "there is no confined code for {arch}"),
            Error::NativeConfined => f.write_str("native programs cannot be confined; PNaCl programs can"),
            Error::NotForPnacl(calls) => write!(f, "PNaCl programs are translated for calls {calls}"),
            Error::UnknownTriple(triple) => write!(f, "the target triple of the module: {triple}"),
            Error::NoSuchFunction(name) => write!(f, "no defined function '{name}'"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The code of `function` loads a constant that nobody has noted.
    #[cold]
    pub(crate) fn no_constant(module: &ice_ir::Module, function: ice_ir::FuncId, id: ConstantId) -> Error {
        let place = format!("constant {} of {} bytes", id.index, id.size.bytes());
        let what = "code loads it, and it is not there";
        Error::compile(module, function, Box::new(Internal { step: CodegenStep::Layout, place, what }).into())
    }

    /// `function` cannot be compiled.
    pub(crate) fn compile(module: &ice_ir::Module, function: ice_ir::FuncId, kind: ErrorKind) -> Error {
        let name = String::from_utf8_lossy(module.name(module.functions[function].name)).into_owned();
        Error::Compile { name, error: CompileError { function, kind } }
    }
}

impl From<ice_elf::Error> for Error {
    fn from(error: ice_elf::Error) -> Error {
        Error::Object(error)
    }
}

impl From<ice_elf::SinkError> for Error {
    fn from(error: ice_elf::SinkError) -> Error {
        Error::Object(ice_elf::Error::Sink(error))
    }
}

/// Shorthand of the recipe: an error without its function.
pub(crate) type StepResult = Result<(), ErrorKind>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_without_a_name_has_its_number_once() {
        let number = ice_ir::FuncId::from_u32(3);
        assert_eq!(FunctionName("", number).to_string(), "function func3");
        assert_eq!(FunctionName("func3", number).to_string(), "function func3");
        assert_eq!(FunctionName("main", number).to_string(), "function main (func3)");
    }
}

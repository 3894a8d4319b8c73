//! From functions and programs to machine code: recipes, threads, objects, and the `ice` command.
//!
//! [`Compiler`] turns one function after another into bytes, for those who build functions themselves:
//!
//! ```
//! use ice_driver::{Arch, CodeOptions, Compiler, Recipe};
//! use ice_ir::{BinaryOp, Function, FunctionBuilder, FunctionDecl, FunctionKind, Linkage, Module, Name, Signature, Type};
//!
//! // i32 square(i32 x) { return x * x; }
//! let mut module = Module::new();
//! let signature = Signature::new(vec![Type::I32], Type::I32);
//! let sig = module.signatures.push(signature.clone());
//! let decl = FunctionDecl::new(Name::default(), sig, Linkage::External, FunctionKind::Defined);
//! let id = module.functions.push(decl);
//! let mut func = Function::new();
//! let mut b = FunctionBuilder::new(&mut func);
//! b.begin(id, &signature);
//! let entry = b.create_block();
//! b.switch_to_block(entry);
//! let x = b.func.params()[0];
//! let square = b.binary(BinaryOp::Mul, x, x);
//! b.ret(Some(square));
//!
//! let mut compiler = Compiler::new(&module, CodeOptions::new(Arch::X86_64, Recipe::O2))?;
//! let compiled = compiler.compile(&module, &func)?;
//! assert_eq!(compiled.code().last(), Some(&0xc3)); // ret
//! # Ok::<(), ice_driver::Error>(())
//! ```
//!
//! [`compile_to`] translates whole files, from bytes to bytes:
//!
//! ```
//! use ice_driver::{Arch, InputFormat, Options, compile_to};
//!
//! let text = "define external @_start(v0: i32) -> void {\nblock0:\n  ret\n}\n";
//! let mut options = Options::new(Arch::X86_64);
//! options.format = InputFormat::Text;
//! let mut object = Vec::new();
//! let report = compile_to(text.as_bytes(), &options, &mut object)?;
//! assert_eq!(report.functions, 1);
//! assert_eq!(&object[..4], b"\x7fELF");
//! # Ok::<(), ice_driver::Error>(())
//! ```
//!
//! | cargo feature | what it adds |
//! |---|---|
//! | `x86`, `aarch64`, `arm32`, `mips32` | machines |
//! | `pexe`, `llvm` | inputs: PNaCl bitcode, LLVM bitcode |
//! | `text` | the text form, assembler text, and what steps have made as text |
//! | `assembly` | assembly in the input; `llvm` and `text` bring it |
//! | `cli` | the command `ice`: files, flags, linking, running; only this reads or writes anything |
//! | `interpreter` | `ice interpret` |
//!
//! All are on unless `default-features = false`.
//!
//! | file | what it holds |
//! |---|---|
//! | `compiler` | [`Compiler`]: a function in, code out |
//! | `translate` | [`compile_to`]: a module in, an object out |
//! | `formats` | the forms of input, one file a form |
//! | `recipe` | the steps for one function, and the memory of all of them |
//! | `parallel` | ranges of jobs on several threads, results in order |
//! | `output`, `object`, `assembly`, `representation`, `names` | what becomes of translated functions |
//! | `machine` | what the driver knows of each machine, one file a machine |
//! | `options`, `report`, `error` | choices, counts, errors |
//! | `inspect`, `interpret` | programs as they are |
//! | `cli`, `flags`, `help` | the command `ice` |
//! | `format`, `files`, `temporary` | its inputs and outputs |
//! | `toolchain`, `runtime`, `execute` | linking and running programs |
//! | `validate` | executables of the sandbox, judged |
//! | `confine`, `isolate` | rights given up; translation in a process without any |
//! | `heaps` | what the C library keeps for each thread |
#![deny(unsafe_code)]

#[cfg(feature = "text")]
pub mod assembly;
#[cfg(all(feature = "cli", feature = "llvm"))]
pub mod cc;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compiler;
#[cfg(feature = "cli")]
pub mod confine;
pub mod debug;
pub mod diversity;
pub mod error;
#[cfg(feature = "cli")]
pub mod execute;
#[cfg(feature = "cli")]
pub mod files;
#[cfg(feature = "cli")]
pub mod flags;
#[cfg(feature = "cli")]
pub mod format;
pub mod formats;
#[cfg(feature = "cli")]
pub mod heaps;
#[cfg(feature = "cli")]
pub mod help;
#[cfg(feature = "cli")]
pub mod inspect;
#[cfg(all(feature = "cli", feature = "interpreter"))]
pub mod interpret;
#[cfg(feature = "cli")]
pub mod isolate;
pub mod labels;
#[cfg(all(feature = "cli", feature = "llvm"))]
pub mod ld;
pub mod machine;
pub mod names;
pub mod object;
pub mod options;
pub mod output;
pub mod parallel;
pub mod placement;
pub mod recipe;
pub mod relocations;
pub mod repeats;
pub mod report;
#[cfg(feature = "text")]
pub mod representation;
#[cfg(feature = "cli")]
pub mod runtime;
#[cfg(feature = "cli")]
pub mod sandbox;
#[cfg(feature = "cli")]
pub mod temporary;
#[cfg(feature = "cli")]
pub mod toolchain;
pub mod translate;
pub mod unwind;
#[cfg(feature = "cli")]
pub mod validate;

pub use compiler::{CodeOptions, CodeReference, CompiledFunction, Compiler};
pub use error::{Blame, Error};
pub use ice_elf::Sink as ObjectSink;
pub use machine::Arch;
#[cfg(feature = "text")]
pub use options::Commentary;
pub use options::{
    Emit, FunctionSelector, InputFormat, OptLevel, Options, RelocationModel, Sections, Stats, Timing,
};
pub use recipe::{Recipe, Step};
pub use report::{Report, Warning};
pub use translate::{compile_module, translate_module};
#[cfg(any(feature = "pexe", feature = "llvm", feature = "text"))]
pub use translate::{compile_to, read_to};

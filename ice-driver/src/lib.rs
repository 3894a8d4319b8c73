//! From a program to an object file or an executable: recipes, threads, writers, and the `ice` command.
//!
//! [`compile_to`] is the library: bytes in, bytes out, no input or output. All other modules serve it or
//! the command line. Not for you if you want to build functions yourself: take `ice-ir` and
//! `ice-target-x86`, which this crate only connects.
//!
//! | file | what it holds |
//! |---|---|
//! | `translate` | [`compile_to`]: module in, output out |
//! | `bodies` | the functions of the input, read one at a time |
//! | `recipe` | the steps for one function, and the memory of all of them |
//! | `parallel` | ranges of jobs on several threads, results in order |
//! | `output`, `object`, `assembly`, `names` | what becomes of translated functions |
//! | `machine` | what the driver knows of each machine, one file a machine |
//! | `options`, `report`, `error` | choices, counts, errors |
//! | `inspect`, `interpret` | programs as they are |
//! | `cli`, `flags`, `help` | the command `ice` |
//! | `format`, `files`, `temporary` | its inputs and outputs |
//! | `toolchain`, `runtime`, `execute` | linking and running programs |
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
#![deny(unsafe_code)]

pub mod assembly;
pub mod bodies;
pub mod cli;
pub mod error;
pub mod execute;
pub mod files;
pub mod flags;
pub mod format;
pub mod help;
pub mod inspect;
pub mod interpret;
pub mod machine;
pub mod names;
pub mod object;
pub mod options;
pub mod output;
pub mod parallel;
pub mod placement;
pub mod recipe;
pub mod relocations;
pub mod report;
pub mod runtime;
pub mod temporary;
pub mod toolchain;
pub mod translate;

pub use error::{Blame, Error};
pub use ice_elf::Sink as ObjectSink;
pub use machine::Arch;
pub use options::{Commentary, Emit, FunctionSelector, InputFormat, OptLevel, Options, Timing};
pub use recipe::{Recipe, Step};
pub use report::{Report, Warning};
pub use translate::compile_to;

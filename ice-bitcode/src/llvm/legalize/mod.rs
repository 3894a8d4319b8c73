//! Legalisation: modules and bodies of LLVM become modules and functions of the IR.
//!
//! | file | content |
//! |---|---|
//! | `legal`, `lanes` | which values of the IR stand for a value of an LLVM type, and of a vector |
//! | `machine`     | what the machine can do, and how it calls |
//! | `signature`   | how functions are called |
//! | `halves`      | which values are halves of vectors of 256 bits in registers |
//! | `parts`       | constants of the parts of a value |
//! | `initializer` | the contents of variables |
//! | `module`      | everything of a module but its bodies |
//! | `reader`      | how that is read |
//! | `hardening`, `landings` | what it asks for against attacks; the functions that indirect calls may lead to |
//! | `emulated_threads` | thread-local variables that a library keeps |
//! | `globals`, `resolve` | its variables, functions and aliases, and what of them takes constants |
//! | `shape`       | what bodies must know of a type at once |
//! | `runtime`, `quad_library` | declarations that bodies need and LLVM does not write; those for `fp128` |
//! | `body`        | function bodies |

pub mod body;
pub mod emulated_threads;
pub mod globals;
mod halves;
pub mod hardening;
pub mod initializer;
pub mod landings;
pub mod lanes;
pub mod legal;
pub mod machine;
pub mod module;
pub mod parts;
mod quad_library;
pub mod reader;
pub mod resolve;
pub mod runtime;
pub mod shape;
pub mod signature;

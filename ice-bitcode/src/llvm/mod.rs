//! LLVM bitcode: what clang and rustc write (LLVM 14 to 22) becomes [`ice_ir`].
//!
//! | file | content |
//! |---|---|
//! | `codes`       | block ids and record codes |
//! | `container`   | the top level of a file: magic number, wrapper, producer, string table |
//! | `types`       | the type table |
//! | `attributes`  | attributes of functions, parameters and calls |
//! | `data_layout` | sizes, alignments and offsets in memory |
//! | `legal`       | which ICE values stand for a value of an LLVM type |
//! | `signature`   | how functions are called |
//! | `constants`, `evaluate` | constants of modules and functions, and what they come to |
//! | `initializer` | the contents of variables |
//! | `module`      | everything of a module but its bodies |
//! | `globals`, `resolve` | its variables, functions and aliases, and what of them takes constants |
//! | `shape`       | what bodies must know of a type at once |
//! | `runtime`     | declarations that bodies need and LLVM does not write |
//! | `body`        | function bodies |

pub mod attributes;
mod body;
mod codes;
pub mod constants;
pub mod container;
pub mod data_layout;
pub mod evaluate;
mod globals;
mod initializer;
pub mod legal;
pub mod module;
mod resolve;
mod runtime;
pub mod shape;
pub mod signature;
pub mod types;

pub use body::{FunctionReader, LlvmProgram};
pub use container::is_llvm;
pub use legal::Vectors;
pub use module::{LlvmModule, read_module, read_triple};

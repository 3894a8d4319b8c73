//! The wire format of LLVM bitcode, without a value of the IR in it.
//!
//! | file | content |
//! |---|---|
//! | `codes`       | block ids and record codes |
//! | `container`   | the top level of a file: magic number, wrapper, producer, string table |
//! | `types`       | the type table |
//! | `attributes`  | attributes of functions, parameters and calls |
//! | `demands`     | what attributes of a function demand of its code beyond what it computes |
//! | `processors`  | which processors have wide vector registers |
//! | `data_layout` | sizes, alignments and offsets in memory |
//! | `constants`   | constants of modules and functions |
//! | `metadata`    | the flags of a module |
//! | `debug`       | what metadata says of the source |
//! | `weights`     | which ways branches hardly ever go |
//! | `fold`        | what expressions of constants come to |

pub mod attributes;
pub mod codes;
pub mod constants;
pub mod container;
pub mod data_layout;
pub mod debug;
pub mod demands;
pub mod fold;
pub mod metadata;
mod processors;
pub mod types;
pub mod weights;

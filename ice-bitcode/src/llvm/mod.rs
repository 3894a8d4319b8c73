//! LLVM bitcode: what clang and rustc write (LLVM 14 to 22) becomes [`ice_ir`].
//!
//! | file | content |
//! |---|---|
//! | `codes`       | block ids and record codes |
//! | `container`   | the top level of a file: magic number, wrapper, producer, string table |
//! | `types`       | the type table |
//! | `data_layout` | sizes, alignments and offsets in memory |
//! | `legal`       | which ICE values stand for a value of an LLVM type |

mod codes;
pub mod container;
pub mod data_layout;
pub mod legal;
pub mod types;

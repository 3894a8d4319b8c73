//! Readers and writers of bitcode: the container, PNaCl programs, and a record-level dump.
//!
//! A `.pexe` file is a finalized PNaCl program; [`pexe`] turns it into [`ice_ir`] and back, strictly: what a
//! conforming producer can make is read, everything else is refused with a code, a text and a place. [`bitstream`]
//! is the container below it, which LLVM bitcode shares; it knows nothing of the IR.
//!
//! Do not use it to edit bitcode in place, nor for files that break the rules: it never guesses. [`llvm`] reads the
//! bitcode of clang and rustc, LLVM 14 to 22, in the same manner.
//!
//! ```
//! use ice_bitcode::pexe::{FunctionReader, read_module, write_program};
//! use ice_ir::*;
//!
//! // A program that does nothing: `void _start(i32)`.
//! let mut program = Program::default();
//! let signature = Signature::new(vec![Type::I32], Type::Void);
//! let mut body = Function::new();
//! let mut builder = FunctionBuilder::new(&mut body);
//! builder.begin(FuncId::from_u32(0), &signature);
//! let entry = builder.create_block();
//! builder.switch_to_block(entry);
//! builder.ret(None);
//! program.bodies.push(body);
//! let signature = program.module.signatures.push(signature);
//! let (linkage, kind) = (Linkage::External, FunctionKind::Defined);
//! let start = program.module.functions.push(FunctionDecl::new(Name::default(), signature, linkage, kind));
//! program.module.set_symbol_name(Symbol::Function(start), *b"_start");
//!
//! let bytes = write_program(&program)?;
//! let header = read_module(&bytes)?;
//! let mut body = Function::new();
//! let mut builder = FunctionBuilder::new(&mut body);
//! FunctionReader::new().read(&header, &bytes, &header.bodies[0], &mut builder)?;
//! assert_eq!(body.num_blocks(), 1);
//! # Ok::<(), Box<ice_bitcode::LocatedError>>(())
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`bitstream`] | bit fields, abbreviations, blocks and records, in both directions |
//! | [`header`]    | the PNaCl file header |
//! | [`pexe`]      | PNaCl programs: whole files, streams of bytes, function bodies on any thread, and the writer |
//! | [`llvm`]      | LLVM bitcode: modules, their variables with contents, types and constants |
//! | [`dump`]      | what is in a file, entry by entry |
//! | [`canonical`] | a checksum over records that does not depend on their layout |
//! | [`error`]     | the catalogue of everything that can be wrong |
//!
//! There are no cargo features; the crate is `no_std` with `alloc`.
//!
//! Tests: worked examples and check figures of the bitcode specification; one damaged program for every condition
//! of the catalogue; twenty-one real programs that are written as the same bytes (or the same records, where another
//! writer made them); every prefix and thousands of mutations of real programs under a memory limit; reading a body
//! a second time allocates nothing. Variables of LLVM modules have the contents that clang gives them in object
//! files, on four targets. Programs of the corpus are skipped where there is no corpus (`ICE_CORPUS`).
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod bitstream;
pub mod canonical;
pub mod dump;
pub mod error;
pub mod header;
pub mod llvm;
pub mod pexe;
mod ssa;

pub use error::{Error, LocatedError, Location, Result};

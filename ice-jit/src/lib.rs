#![doc = include_str!("../README.md")]
//!
//! # More
//!
//! What a module declares and does not define comes from modules loaded before, from a table of names, from a closure, from
//! the process if asked for ([`JitBuilder`]); [`Jit::load_file`] loads whole `.ice`, `.bc` and `.pexe` files. A module is
//! unloaded, and its memory used again, when its last handle and the last module that uses it are gone. A [`Jit`] and its
//! handles may be used by any number of threads.
//!
//! In one scope a name has one definition, as for a linker; [`Jit::scope`] makes another one inside, where names may be
//! defined again.
//!
//! [`Jit::load_lazily`] compiles each function of a program when it is first called, and their entries are patchable:
//! [`LoadedModule::redirect`] lets one be entered elsewhere while other threads call it. [`Jit::patchable`] defines a function
//! that has no code of its own and whose target changes.
//!
//! Not for you if code is to be kept in a file: [`ice_driver::compile_to`] writes objects.
//!
//! A call can name [live values](ice_ir::TailHint::Live), of which [`Jit::live_at`] says where they are while the callee runs:
//! stack maps for who moves objects, records for side exits ([`FunctionBuilder::guard`](ice_ir::FunctionBuilder::guard)).
//!
//! An exception or a panic passes through generated code whose functions have tables for unwinding
//! ([`JitBuilder::unwind_tables`]), on x86 and AArch64; functions through which one may pass are called as
//! `extern "C-unwind"`. One that reaches other generated code ends the process.
//!
//! Hosts: Linux on x86-64, i686, AArch64 and ARMv7. On machines of 64 bits code of PNaCl programs, whose addresses have 32
//! bits, is put below 2 GiB; the addresses of their stack objects have 32 bits too, so that who calls functions with such
//! objects does it on a stack down there.
//!
//! | cargo feature | what it adds |
//! |---|---|
//! | `x86`, `aarch64`, `arm32` | machines |
//! | `pexe`, `llvm`, `text` | forms of whole files |
//!
//! All are on unless `default-features = false`.
//!
//! | file | what it holds |
//! |---|---|
//! | `jit` | [`Jit`] and [`LoadedModule`]: names, modules, who keeps whom |
//! | `files` | whole files |
//! | `scope` | names that modules see of each other |
//! | `object`, `link` | the two passes of a linker: bytes and references, then addresses |
//! | `lazy`, `patchable` | functions that are compiled at their first call, and functions whose code changes |
//! | `machine`, `glue`, `thunks` | what differs from machine to machine, and pieces of code between functions |
//! | `memory`, `space` | blocks of memory, taken and given back |
//! | `raw` | mappings and calls: all `unsafe` code, with its argument |
//! | `live` | calls with live values: stack maps and side exits |
//! | `startup` | constructors and destructors |
//! | `thread_local` | thread-local variables |
//! | `signature` | types of Rust and of the IR |
//! | `outside`, `helpers` | where other names come from |
//! | `perf`, `dump`, `debug` | names and code for a profiler, names and tables for a debugger |
//! | `error` | the error type |
//!
//! Tests: programs against the reference interpreter, references of every kind, threads that load and unload. They are run as
//! processes of the four hosts (`cargo test -p ice-jit --target i686-unknown-linux-gnu`, `aarch64-unknown-linux-gnu` and
//! `armv7-unknown-linux-gnueabihf` with qemu); on any one of them the bytes linked for i686, AArch64 and ARMv7 run in processes
//! of these machines. `cargo xtask crosstest --in-process` calls the functions of the cross tests, on all four, and
//! `cargo xtask jit-load` has threads load and unload for a minute in each while it watches their memory.
#![deny(unsafe_code)]

mod debug;
mod dump;
mod error;
mod exceptions;
#[cfg(any(feature = "pexe", feature = "llvm", feature = "text"))]
mod files;
mod glue;
mod helpers;
mod jit;
mod lazy;
mod link;
mod live;
mod machine;
mod memory;
mod object;
mod outside;
mod patchable;
mod perf;
mod raw;
mod scope;
mod signature;
mod space;
mod startup;
mod thread_local;
mod thunks;

pub use debug::Debugger;
pub use error::Error;
pub use ice_codegen::UnwindFacts;
pub use ice_codegen::live::{LivePlace, LiveValue};
pub use jit::{Jit, JitBuilder, LoadedModule};
pub use live::LiveSite;
pub use outside::ProcessSymbols;
pub use patchable::Patchable;
pub use perf::PerfMap;
pub use signature::{Callable, Outcome, Scalar};

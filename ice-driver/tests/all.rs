//! The tests of the command and the library under it, one program that is linked once. Those that count
//! allocations are programs of their own.

mod common;

mod addresses;
mod arithmetic;
mod armv7;
mod block_addresses;
mod cc;
mod cli;
mod commentary;
mod compiler;
mod conventions;
mod debug_information;
mod diversity;
mod emulated_threads;
mod escapes;
mod exceptions;
mod extremes;
mod freeze;
mod hardening;
mod helpers;
mod inline_assembly;
mod intrinsics;
mod known_faults;
mod ld;
mod linking;
mod live_calls;
mod machine_text;
mod machines;
mod native;
mod objects;
mod outputs;
mod programs;
mod refusals;
mod repeats;
mod runtime;
mod rust_library;
mod samples;
mod sandbox;
mod streams;
mod tail_calls;
mod unwind;
mod validate;
mod vectors;

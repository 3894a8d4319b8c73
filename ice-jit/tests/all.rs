//! The tests of the crate, in one program.

mod changes;
mod common;
mod errors;
mod files;
mod functions;
mod live;
mod modules;
mod onlookers;
mod programs;
mod startup;
mod thread_local;
mod threads;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod unwind;

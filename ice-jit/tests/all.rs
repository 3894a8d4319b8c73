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
#[cfg(not(target_arch = "arm"))]
mod unwind;

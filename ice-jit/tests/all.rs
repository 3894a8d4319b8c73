//! The tests of the crate, in one program.

mod changes;
mod common;
mod errors;
mod files;
#[cfg(target_arch = "x86_64")]
mod functions;
mod modules;
#[cfg(target_arch = "x86_64")]
mod programs;
mod startup;
mod threads;
#[cfg(target_arch = "x86_64")]
mod unwind;

//! Readers and writers of bitcode: the container, PNaCl programs, and a record-level dump.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod bitstream;
pub mod canonical;
pub mod dump;
pub mod error;
pub mod header;
pub mod pexe;

pub use error::{Error, LocatedError, Location, Result};

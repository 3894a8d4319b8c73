//! Readers and writers of bitcode: the container, PNaCl programs, and a record-level dump.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

//! The x86-32 and x86-64 back end.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

//! Register allocation for register files whose registers alias, usable with any machine IR.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

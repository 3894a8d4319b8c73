//! A code buffer that edits branches while it emits, and instruction encoders with assembler text.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

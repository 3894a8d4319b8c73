//! A streaming writer of relocatable ELF objects.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

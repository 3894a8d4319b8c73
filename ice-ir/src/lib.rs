//! The ICE intermediate representation: types, functions, modules, text form, verifier and interpreter.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

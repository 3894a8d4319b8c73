//! Analyses, passes and the target-independent halves of lowering.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

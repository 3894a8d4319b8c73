//! The ARMv7-A back end: ARM state, VFPv3 with 32 doubleword registers, Advanced SIMD.
//!
//! An `i1` is 0 or 1 in its whole register; above the width of an `i8` or `i16` a register holds anything; an
//! `i64` is a pair of registers. Constants are made by `movw` and `movt`, so that code has no range limits but that
//! of a branch (32 MiB) and that of the few words between instructions which only relocations need (`emit/pool.rs`).
//!
//! Not for you if you need Thumb code or a processor without NEON.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod abi;
mod address;
mod emit;
mod inst;
mod lower;
mod operand;
mod regs;
mod symbols;
mod target;
mod text;

pub use ice_codegen::{ForeignModule, NativeModel};
pub use inst::Inst;
pub use regs::{FramePointer, register_file};
pub use target::{Arm32, Division, FloatAbi};

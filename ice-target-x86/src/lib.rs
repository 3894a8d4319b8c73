//! The x86-32 and x86-64 back end.
//!
//! Both modes share every lowering rule: [`X86`] carries the [`Mode`](ice_asm::x86::Mode), and the rules ask it
//! for widths and register numbers. PNaCl programs have 32-bit addresses in both modes; in 64-bit code their memory
//! operands carry the address-size prefix, so that address arithmetic wraps as the program expects. Native
//! programs have the addresses of the machine, reached as the [`NativeModel`] says.
//!
//! Not for you if you need code for a processor without SSE2.
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
mod size;
mod symbols;
mod target;
mod text;

pub use ice_codegen::{ForeignModule, NativeModel};
pub use inst::Inst;
pub use regs::{FramePointer, register_file};
pub use target::X86;

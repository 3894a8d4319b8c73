//! The AArch64 back end: ARMv8.0-A with Advanced SIMD, little-endian, AAPCS64.
//!
//! An `i1` is 0 or 1 in its whole register; above the width of an `i8` or `i16` a register holds anything, and in native
//! code above that of an `i32`, too: in PNaCl programs, whose addresses have 32 bits, the upper half of an `i32` is zero.
//! Vectors of 128 bits are in registers that no function preserves.
//!
//! Not for you if you need SVE or big-endian code, or if you only want functions translated: `ice-driver` does that for all
//! machines.
//!
//! ```
//! use ice_codegen::{BackEnd, BlockOrder, Checks, CompiledCode, FunctionInput, NativeModel};
//! use ice_ir::{ControlFlowGraph, Uses};
//! use ice_regalloc::Mode;
//! use ice_target_aarch64::Aarch64;
//!
//! let text = "define external @twice(v0: i32) -> i32 {\nblock0:\n  v1: i32 = add v0, v0\n  ret v1\n}\n";
//! let program = ice_ir::parse_program(text)?;
//! let (module, func) = (&program.module, &program.bodies[0]);
//! let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
//! cfg.compute(func);
//! uses.compute(func);
//! order.compute(func, &cfg);
//!
//! let target = Aarch64::new(module, NativeModel::Static)?;
//! let mut generator = target.generator(Checks::Debug);
//! let mut out = CompiledCode::default();
//! let input = FunctionInput { module, func, cfg: &cfg, order: &order, uses: &uses, mode: Mode::Linear, frame_at: None };
//! generator.lower(input).expect("every machine adds");
//! generator.allocate().expect("there is a register for each value");
//! generator.emit(&mut out).expect("it is no large function");
//! assert_eq!(out.code, [0, 0, 0, 0x0b, 0xc0, 3, 0x5f, 0xd6]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are no cargo features. Tests: places of arguments; in `ice-driver`, files of functions and their code, and programs
//! that an emulator runs.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod abi;
mod address;
mod emit;
mod fuse;
mod inst;
mod lower;
mod operand;
mod regs;
mod symbols;
mod target;
mod text;

pub use inst::Inst;
pub use regs::register_file;
pub use target::Aarch64;

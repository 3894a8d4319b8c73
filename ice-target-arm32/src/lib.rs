//! The ARMv7-A back end: ARM state, VFPv3 with 32 doubleword registers, Advanced SIMD.
//!
//! An `i1` is 0 or 1 in its whole register; above the width of an `i8` or `i16` a register holds anything; an
//! `i64` is a pair of registers. Constants are made by `movw` and `movt`, so that code has no range limits but that
//! of a branch (32 MiB) and that of the few words between instructions which only relocations need (`emit/pool.rs`).
//!
//! Not for you if you need Thumb code or a processor without NEON, or if you only want functions translated:
//! `ice-driver` does that for all machines.
//!
//! ```
//! use ice_codegen::{BackEnd, BlockOrder, Checks, CompiledCode, FunctionInput, NativeModel};
//! use ice_ir::{ControlFlowGraph, Uses};
//! use ice_regalloc::Mode;
//! use ice_target_arm32::{Arm32, Division, FloatAbi};
//!
//! let text = "define external @twice(v0: i32) -> i32 {\nblock0:\n  v1: i32 = add v0, v0\n  ret v1\n}\n";
//! let program = ice_ir::parse_program(text)?;
//! let (module, func) = (&program.module, &program.bodies[0]);
//! let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
//! cfg.compute(func);
//! uses.compute(func);
//! order.compute(func, &cfg);
//!
//! let target = Arm32::new(Division::Helper, FloatAbi::Hard, module, NativeModel::Static)?;
//! let mut generator = target.generator(Checks::Debug);
//! let mut out = CompiledCode::default();
//! let input = FunctionInput { module, func, cfg: &cfg, order: &order, uses: &uses, mode: Mode::Linear, frame_at: None };
//! generator.lower(input).expect("every machine adds");
//! generator.allocate().expect("there is a register for each value");
//! generator.emit(&mut out).expect("it is no large function");
//! assert_eq!(out.code, [0, 0, 0x80, 0xe0, 0x1e, 0xff, 0x2f, 0xe1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are no cargo features. Tests: lowering of small functions, code with constants and branches out of reach,
//! damaged allocations; in `ice-driver`, files of functions and their code, and programs that an emulator runs.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod abi;
mod address;
mod emit;
mod fuse;
mod helpers;
mod inst;
mod lower;
mod operand;
mod regs;
mod symbols;
mod target;
mod text;

pub use helpers::confined_helper;
pub use ice_codegen::mach::FramePointer;
pub use ice_codegen::{ForeignModule, NativeModel};
pub use inst::Inst;
pub use regs::register_file;
pub use target::{Arm32, Division, FloatAbi};

//! The MIPS32 back end: release 2, little-endian, o32, with floating-point registers of 32 bits in pairs.
//!
//! An `i1` is 0 or 1 in its whole register; above the width of an `i8` or `i16` a register holds anything; an `i64` is a
//! pair of registers, and a vector four of them. No load or store traps: what may lie at any address is read and written
//! in parts.
//!
//! Not for you if you need MIPS16, microMIPS or another release, or if you only want functions translated: `ice-driver`
//! does that for all machines.
//!
//! ```
//! use ice_codegen::{BackEnd, BlockOrder, Checks, CompiledCode, FunctionInput, NativeModel};
//! use ice_ir::{ControlFlowGraph, Uses};
//! use ice_regalloc::Mode;
//! use ice_target_mips32::Mips32;
//!
//! let text = "define external @twice(v0: i32) -> i32 {\nblock0:\n  v1: i32 = add v0, v0\n  ret v1\n}\n";
//! let program = ice_ir::parse_program(text)?;
//! let (module, func) = (&program.module, &program.bodies[0]);
//! let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
//! cfg.compute(func);
//! uses.compute(func);
//! order.compute(func, &cfg);
//!
//! let target = Mips32::new(module, NativeModel::Static)?;
//! let mut generator = target.generator(Checks::Debug);
//! let mut out = CompiledCode::default();
//! let input = FunctionInput { module, func, cfg: &cfg, order: &order, uses: &uses, mode: Mode::Linear, frame_at: None };
//! generator.lower(input).expect("every machine adds");
//! generator.allocate().expect("there is a register for each value");
//! generator.emit(&mut out).expect("it is no large function");
//! // The addition is in the slot of the return.
//! assert_eq!(out.code, [8, 0, 0xe0, 3, 0x21, 0x10, 0x84, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are no cargo features. Tests: lowering of small functions and places of arguments; in `ice-driver`, files of
//! functions and their code, and programs that an emulator runs.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod abi;
mod address;
mod emit;
mod helpers;
mod inst;
mod lower;
mod operand;
mod regs;
mod symbols;
mod target;
mod text;

pub use helpers::confined_helper;
pub use inst::Inst;
pub use regs::register_file;
pub use target::Mips32;

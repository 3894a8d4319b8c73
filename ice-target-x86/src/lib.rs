//! The x86-32 and x86-64 back end.
//!
//! Both modes share every lowering rule: [`X86`] carries the [`Mode`](ice_asm::x86::Mode), and the rules ask it
//! for widths and register numbers. PNaCl programs have 32-bit addresses in both modes; in 64-bit code their memory
//! operands carry the address-size prefix, so that address arithmetic wraps as the program expects. Native
//! programs have the addresses of the machine, reached as the [`NativeModel`] says.
//!
//! Not for you if you need code for a processor without SSE2, or if you only want functions translated: `ice-driver`
//! does that for all machines.
//!
//! ```
//! use ice_codegen::{BackEnd, BlockOrder, Checks, CompiledCode, FunctionInput, NativeModel};
//! use ice_ir::{ControlFlowGraph, Uses};
//! use ice_regalloc::Mode;
//! use ice_target_x86::X86;
//!
//! let text = "define external @twice(v0: i32) -> i32 {\nblock0:\n  v1: i32 = add v0, v0\n  ret v1\n}\n";
//! let program = ice_ir::parse_program(text)?;
//! let (module, func) = (&program.module, &program.bodies[0]);
//! let (mut cfg, mut order, mut uses) = (ControlFlowGraph::new(), BlockOrder::default(), Uses::default());
//! cfg.compute(func);
//! uses.compute(func);
//! order.compute(func, &cfg);
//!
//! let target = X86::new(ice_asm::x86::Mode::Bits32, module, NativeModel::Static)?;
//! let mut generator = target.generator(Checks::Debug);
//! let mut out = CompiledCode::default();
//! let input = FunctionInput { module, func, cfg: &cfg, order: &order, uses: &uses, mode: Mode::Linear, frame_at: None };
//! generator.lower(input).expect("every machine adds");
//! generator.allocate().expect("there is a register for each value");
//! generator.emit(&mut out).expect("it is no large function");
//! assert_eq!(out.code, [0x8b, 0x44, 0x24, 4, 0x01, 0xc0, 0xc3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are no cargo features. Tests: lowering of small functions, sizes of machine instructions against their bounds,
//! damaged allocations; in `ice-driver`, files of functions and their code, and programs that are run.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod abi;
mod address;
mod emit;
mod frame;
mod helpers;
mod inst;
mod lower;
mod operand;
mod regs;
mod secret;
mod size;
mod symbols;
mod target;
mod text;

pub use helpers::confined_helper;
pub use ice_codegen::mach::FramePointer;
pub use ice_codegen::{ForeignModule, NativeModel};
pub use inst::Inst;
pub use regs::register_file;
pub use target::X86;

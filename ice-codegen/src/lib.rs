//! The code generator without a machine: the half of every back end that is the same for all.
//!
//! A back end implements [`Target`]; this crate walks the function ([`lower`]), keeps what is known of its values,
//! orders its blocks, plans its switches, and holds its machine instructions ([`mach`]) until they have registers.
//! Not for you if you only want to translate: take `ice-driver`, which joins this crate to machines, readers and
//! writers.
//!
//! | module | content |
//! |---|---|
//! | [`mach`] | machine functions and the sinks that lowering writes to |
//! | [`target`] | the one trait that a back end implements |
//! | [`lower`] | the walk over the function that asks the target for each instruction |
//! | [`rules`] | which rule lowers an instruction, and the operands that every rule asks for |
//! | [`words`] | rules that all machines with registers of 32 bits share: quotients, 64-bit pairs, bits, vectors in words |
//! | [`division`], [`extension`], [`lanes`], [`magic`], [`switch`] | what rules of lowering ask: divisors as multipliers, what is zero above narrow integers, shuffles, plans of switches |
//! | [`abi`] | what calling conventions share |
//! | [`constant_hoisting`] | constants that loops hold in registers |
//! | [`constant_reuse`] | constants that are in registers already |
//! | [`block_layout`], [`block_order`] | where blocks stand |
//! | [`emission`] | the walk over allocated instructions that asks the target for the bytes of each |
//! | [`frame_layout`] | where everything of a frame is |
//! | [`fusion`] | which allocated instructions do the work of others |
//! | [`generator`] | all steps of one function behind one object-safe trait |
//! | [`helpers`] | what confined code calls, as functions that a back end translates |
//! | [`internal`] | what one step finds missing in the work of another: an error, never code |
//! | [`unwind`] | what unwinding must know of a frame |
//! | [`live`] | where values are while a callee runs: stack maps, side exits |
//! | [`compiled`] | compiled functions, their symbols and the helpers they call |
//!
//! A loop in its final order, with the block that its back edge gets, because values are moved on it:
//!
//! ```
//! use ice_codegen::{BlockOrder, LoweredBlock};
//! use ice_ir::{Block, ControlFlowGraph};
//!
//! let program = ice_ir::parse_program(
//!     "define internal @f(v0: i1) -> i1 {
//! block0:
//!   br block1
//! block1:
//!   v1: i1 = phi [v0, block0], [v0, block1]
//!   br v1, block1, block2
//! block2:
//!   ret v1
//! }",
//! )?;
//! let func = &program.bodies[0];
//! let (mut graph, mut order) = (ControlFlowGraph::new(), BlockOrder::default());
//! graph.compute(func);
//! order.compute(func, &graph);
//! let [start, body, end] = [0, 1, 2].map(|n| LoweredBlock::Block(Block::from_u32(n)));
//! let back = LoweredBlock::Edge { from: Block::from_u32(1), to: Block::from_u32(1) };
//! assert_eq!(order.blocks(), [start, body, back, end]);
//! # Ok::<(), ice_ir::ParseError>(())
//! ```
//!
//! From there to bytes a [`CodeGenerator`] leads; the landing pages of `ice-target-x86` and `ice-target-arm32` have the
//! rest of the way, and `examples/codegen.rs` all of it.
//!
//! | feature | what it adds |
//! |---|---|
//! | `text` (default) | machine functions and code as text |
//! | `testing` | what tests of back ends share |
//!
//! Tests: plans of switches, divisors and shuffles against what they stand for, by all small and many random cases;
//! files of functions and the machine IR that lowering for a machine of the tests makes of them; damaged allocations,
//! which must become errors.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod abi;
#[cfg(feature = "text")]
mod annotation;
mod arm_conditions;
pub mod assembly;
pub mod block_chances;
pub mod block_layout;
pub mod block_order;
pub mod compiled;
pub mod constant_hoisting;
pub mod constant_reuse;
pub mod diversity;
pub mod division;
pub mod emission;
pub mod exceptions;
pub mod extension;
mod forward_order;
pub mod frame_layout;
pub mod fusion;
pub mod generator;
pub mod helpers;
pub mod internal;
pub mod lanes;
pub mod late_frame;
pub mod live;
pub mod lower;
pub mod mach;
pub mod needed_bits;
pub mod return_call;
pub mod rules;
pub mod shared_division;
pub mod switch;
pub mod target;
#[cfg(feature = "testing")]
pub mod testing;
pub mod unwind;
pub mod words;

#[cfg(feature = "text")]
pub use annotation::Annotation;
pub use block_chances::BlockChances;
pub use block_layout::BlockLayout;
pub use block_order::{BlockOrder, EdgesBack, LoweredBlock};
pub use compiled::{
    CodeEnd, CodeSymbol, CompiledCode, FunctionCode, JumpTables, Libcall, TableLabels, TableSlice,
};
pub use constant_hoisting::{Constant, HeldConstants};
pub use diversity::{Diversity, MachineNoise};
pub use generator::{BackEnd, Checks, CodeGenerator, FunctionInput, Generator};
pub use ice_ir::magic;
pub use internal::{CodegenStep, Faults, Internal};
pub use lower::{Lower, LowerScratch, ValueRegs};
pub use rules::Operands;
pub use target::{
    CodeModel, CompileError, Confinement, ErrorKind, ForeignModule, NO_WIDE_REGISTERS, NativeModel, Target,
};
pub use unwind::{FrameChange, FrameStep, FrameSteps, SavedRegister, UnwindFacts};
pub use words::Words;

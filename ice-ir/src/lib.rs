//! The ICE intermediate representation: types, functions, modules, text form and verifier.
//!
//! ICE is a small SSA form made to be built once, translated once and thrown away: one [`Function`] at a
//! time, every entity a `u32` index into a dense vector, no instruction on the heap. Do not use it as the
//! middle of an optimiser that keeps whole programs and rewrites them many times: there are no use lists.
//!
//! ```
//! use ice_ir::{BinaryOp, FuncId, Function, FunctionBuilder, Signature, Type};
//!
//! // i32 (i32 x) { return x * x + 1; }
//! let signature = Signature::new(vec![Type::I32], Type::I32);
//! let mut function = Function::new();
//! let mut b = FunctionBuilder::new(&mut function);
//! b.begin(FuncId::from_u32(0), &signature);
//! let entry = b.create_block();
//! b.switch_to_block(entry);
//! let x = b.func.params()[0];
//! let one = b.int_const(Type::I32, 1);
//! let square = b.binary(BinaryOp::Mul, x, x);
//! let sum = b.binary(BinaryOp::Add, square, one);
//! b.ret(Some(sum));
//! assert_eq!(function.value_type(sum), Type::I32);
//! assert_eq!(function.block_insts(entry).count(), 3);
//! ```
//!
//! Data flows one way: a reader or a client drives [`FunctionBuilder`], passes rewrite through [`Cursor`],
//! a back end lowers into [`mach::MachFunction`].
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod addressing;
pub mod assembly;
pub mod builder;
pub mod cursor;
pub mod dominators;
pub mod entities;
pub mod exceptions;
pub mod filter;
pub mod flowgraph;
pub mod function;
#[cfg(feature = "generate")]
pub mod generate;
pub mod hardening;
pub mod instruction;
pub mod intrinsics;
pub mod layout;
mod locations;
mod loops;
pub mod magic;
pub mod module;
pub mod moves;
pub mod native;
mod rare;
pub mod source;
pub mod text;
pub mod types;
pub mod uses;
pub mod variables;
pub mod vectors;
pub mod verifier;

pub use addressing::Addressing;
pub use assembly::Assembly;
pub use builder::FunctionBuilder;
pub use cursor::Cursor;
pub use dominators::DominatorTree;
pub use entities::{
    AssemblyId, Block, ComdatId, FuncId, GlobalId, Inst, Invocation, Pad, SigId, SwitchTable, Symbol, Value,
};
pub use exceptions::{Clause, Exceptions, InvokeCallee, InvokeData, PadData};
pub use filter::Filtered;
pub use flowgraph::ControlFlowGraph;
pub use function::{Function, Rarity, SwitchData, SwitchKey, ValueDef};
pub use hardening::{
    GuardSource, Hardening, ObjectKind, Segment, SignedReturn, StackGuard, StackProtection, Tracking,
};
pub use instruction::{BinaryOp, CastOp, FloatCond, InstData, IntCond, TailHint, ValueRange};
pub use intrinsics::{AtomicOp, ExtendedOp, Intrinsic, IntrinsicDecl};
pub use locations::SourceLocation;
pub use loops::LoopForest;
pub use module::{
    FunctionDecl, FunctionKind, GlobalDecl, GlobalKind, Initializer, Linkage, Module, Mutability, Name,
    Program, Signature, TypeDef,
};
pub use native::{
    Arity, CallingConvention, Comdat, ComdatKind, Environment, FunctionTraits, Passing, Preemption, Results,
    Storage, SymbolTraits, Visibility,
};
pub use rare::{Rare, StaticDefault};
pub use text::{ParseError, ParseErrorKind, parse_program, write_function, write_instruction, write_program};
pub use types::Type;
pub use uses::Uses;
pub use variables::{Variable, Variables};
pub use verifier::{
    Location, Rule, Rules, VerifierError, VerifierScratch, verify_function, verify_module, verify_program,
};

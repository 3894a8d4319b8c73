//! LLVM bitcode: what clang and rustc write (LLVM 14 to 22) becomes [`ice_ir`].
//!
//! | folder | content |
//! |---|---|
//! | `wire`     | the format: records, types, attributes, constants and what they come to by LLVM's own rules |
//! | `legalize` | which values of the IR stand for one of LLVM's, and how modules and bodies become IR |
//!
//! `legalize` imports `wire`, never the other way round.

mod legalize;
mod wire;

pub use legalize::body::{FunctionReader, LlvmProgram};
pub use legalize::emulated_threads::emulate_threads;
pub use legalize::landings::mark_landings;
pub use legalize::machine::{
    BlockAddresses, BranchTracking, ControlWord, DoublePacks, FloatRegisters, FloatWidth, Groups, JumpTexts,
    LongOperations, MachineDescription, QuadPassing, ResultRegisters, Rounding, ThreadGuard, Turns,
    VariableRegisters,
};
pub use legalize::module::LlvmModule;
pub use legalize::reader::{read_module, read_triple};
pub use wire::attributes::{ParamAttributes, ParamFlags};
pub use wire::container::is_llvm;

//! What passes from a worker to the writer of the module.

use crate::error::Error;
use ice_asm::{BranchIsa, CodeBuffer, Listing};
use ice_ir::FuncId;
use ice_passes::CompiledFunction;

/// The result of translating one function. Recycled from function to function.
pub struct FunctionOutput<L: Listing, I: BranchIsa> {
    /// Which function.
    pub function: FuncId,
    /// Code, relocations, constants and jump tables.
    pub compiled: CompiledFunction,
    /// The finished code with its listing, where assembler text is wanted.
    pub listing: CodeBuffer<L, I>,
    /// The function as text, where its representation is wanted instead of code.
    pub text: String,
    /// What was asked for with [`Options::print_after`](crate::Options::print_after).
    pub log: String,
}

impl<L: Listing, I: BranchIsa> Default for FunctionOutput<L, I> {
    fn default() -> Self {
        FunctionOutput {
            function: FuncId::from_u32(0),
            compiled: CompiledFunction::default(),
            listing: CodeBuffer::new(),
            text: String::new(),
            log: String::new(),
        }
    }
}

impl<L: Listing, I: BranchIsa> FunctionOutput<L, I> {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self, function: FuncId) {
        self.function = function;
        self.compiled.clear();
        self.text.clear();
        self.log.clear();
    }
}

/// Where translated functions go, in the order of the module.
pub trait ModuleOutput<L: Listing, I: BranchIsa> {
    /// Writes one function.
    ///
    /// # Errors
    /// Errors of the writer and its sink.
    fn function(&mut self, output: &mut FunctionOutput<L, I>) -> Result<(), Error>;

    /// Ends the module.
    ///
    /// # Errors
    /// Errors of the writer and its sink.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

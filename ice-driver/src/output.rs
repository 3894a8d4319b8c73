//! What passes from a worker to the writer of the module: functions of the input that lie one behind another.

use crate::error::Error;
use crate::parallel::Output;
use ice_asm::{BranchIsa, CodeBuffer, Listing};
use ice_codegen::{CodeEnd, CompiledCode, FunctionCode};
use ice_ir::FuncId;

/// A listing has a line of text where code has an instruction: about so many times its bytes.
const LISTING_GROWTH: usize = 16;

/// The result of translating a range of functions. Recycled from range to range.
pub struct RangeOutput<L: Listing, I: BranchIsa> {
    /// Which functions, and where in `compiled` each ends.
    functions: Vec<(FuncId, CodeEnd)>,
    /// Code, relocations, constants and jump tables.
    pub compiled: CompiledCode,
    /// For each function the finished code with its listing, where assembler text is wanted. More are kept
    /// for their memory.
    listings: Vec<CodeBuffer<L, I>>,
    /// The functions as text, where their representation is wanted instead of code.
    pub text: String,
    /// What was asked for with [`Options::print_after`](crate::Options::print_after).
    pub log: String,
}

impl<L: Listing, I: BranchIsa> Default for RangeOutput<L, I> {
    fn default() -> Self {
        RangeOutput {
            functions: Vec::new(),
            compiled: CompiledCode::default(),
            listings: Vec::new(),
            text: String::new(),
            log: String::new(),
        }
    }
}

impl<L: Listing, I: BranchIsa> Output for RangeOutput<L, I> {
    fn bytes(&self) -> usize {
        let listing = if self.listings.is_empty() { 0 } else { LISTING_GROWTH * self.compiled.code.len() };
        self.compiled.bytes() + self.text.len() + self.log.len() + listing
    }
}

impl<L: Listing, I: BranchIsa> RangeOutput<L, I> {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.functions.clear();
        self.compiled.clear();
        self.text.clear();
        self.log.clear();
    }

    /// Notes that the code behind the function before is all of `function`.
    pub fn add(&mut self, function: FuncId) {
        self.functions.push((function, self.compiled.end()));
    }

    /// Where the functions before number `index` end.
    fn start(&self, index: usize) -> CodeEnd {
        index.checked_sub(1).map_or(CodeEnd::default(), |before| self.functions[before].1)
    }

    /// The code that is not yet part of a function.
    pub fn latest(&mut self) -> FunctionCode<'_> {
        self.compiled.function(self.start(self.functions.len()), self.compiled.end())
    }

    /// Keeps the listing of the function that is added next, and gives other memory for it.
    pub fn exchange_listing(&mut self, buffer: &mut CodeBuffer<L, I>) {
        if self.listings.len() == self.functions.len() {
            self.listings.push(CodeBuffer::new());
        }
        core::mem::swap(buffer, &mut self.listings[self.functions.len()]);
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// True without functions.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Function number `index` of the range, in the order of the module, and its listing.
    pub fn function(&mut self, index: usize) -> (FuncId, FunctionCode<'_>, Option<&CodeBuffer<L, I>>) {
        let (function, end) = self.functions[index];
        (function, self.compiled.function(self.start(index), end), self.listings.get(index))
    }
}

/// Where translated functions go, in the order of the module.
pub trait ModuleOutput<L: Listing, I: BranchIsa>: Send {
    /// Writes functions.
    ///
    /// # Errors
    /// Errors of the writer and its sink.
    fn functions(&mut self, output: &mut RangeOutput<L, I>) -> Result<(), Error>;

    /// Ends the module.
    ///
    /// # Errors
    /// Errors of the writer and its sink.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

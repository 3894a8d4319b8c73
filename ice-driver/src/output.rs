//! What passes from a worker to the writer of the module: functions of the input that lie one behind another.

use crate::error::Error;
use crate::parallel::Output;
use ice_codegen::{CodeEnd, CompiledCode, FunctionCode};
use ice_ir::FuncId;

/// The result of translating a range of functions. Recycled from range to range.
#[derive(Default)]
pub struct RangeOutput {
    functions: Vec<RangeFunction>,
    /// Code, relocations, constants and jump tables.
    pub compiled: CompiledCode,
    /// The functions as text, where their representation is wanted instead of code; beside the code their
    /// listings, where assembler text is wanted.
    pub text: String,
    /// What was asked for with [`Options::print_after`](crate::Options::print_after).
    pub log: String,
}

/// A function of a range, and where it ends.
struct RangeFunction {
    function: FuncId,
    code: CodeEnd,
    /// In the text.
    text: usize,
}

impl Output for RangeOutput {
    fn bytes(&self) -> usize {
        self.compiled.bytes() + self.text.len() + self.log.len()
    }
}

impl RangeOutput {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.functions.clear();
        self.compiled.clear();
        self.text.clear();
        self.log.clear();
    }

    /// Notes that code and text behind the function before are all of `function`.
    pub fn add(&mut self, function: FuncId) {
        let (code, text) = (self.compiled.end(), self.text.len());
        self.functions.push(RangeFunction { function, code, text });
    }

    /// Where code and text of the functions before number `index` end.
    fn start(&self, index: usize) -> (CodeEnd, usize) {
        let before = index.checked_sub(1).map(|before| &self.functions[before]);
        before.map_or_else(Default::default, |before| (before.code, before.text))
    }

    /// The code that is not yet part of a function.
    pub fn latest(&mut self) -> FunctionCode<'_> {
        self.compiled.function(self.start(self.functions.len()).0, self.compiled.end())
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// True without functions.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Function number `index` of the range, in the order of the module: its code and its text.
    pub fn function(&mut self, index: usize) -> (FuncId, FunctionCode<'_>, &str) {
        let (code_start, text_start) = self.start(index);
        let RangeFunction { function, code, text } = self.functions[index];
        (function, self.compiled.function(code_start, code), &self.text[text_start..text])
    }
}

/// Where translated functions go, in the order of the module.
pub trait ModuleOutput: Send {
    /// Writes functions.
    ///
    /// # Errors
    /// Errors of the writer and its sink.
    fn functions(&mut self, output: &mut RangeOutput) -> Result<(), Error>;

    /// Ends the module.
    ///
    /// # Errors
    /// Errors of the writer and its sink.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

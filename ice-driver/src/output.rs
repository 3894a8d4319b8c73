//! What passes from a worker to the writer of the module: functions of the input that lie one behind another.

use crate::error::Error;
use crate::parallel::Output;
use crate::repeats::{KeptCode, Repetition};
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
    repetition: Repetition,
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

    /// Notes that code and text behind the function before are all of `function`; none where its body came before.
    pub fn add(&mut self, function: FuncId, repetition: Repetition) {
        let (code, text) = (self.compiled.end(), self.text.len());
        self.functions.push(RangeFunction { function, repetition, code, text });
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

    /// Function number `index` of the range, in the order of the module: its code and its text.
    pub fn function(&mut self, index: usize) -> (FuncId, FunctionCode<'_>, &str) {
        let (code_start, text_start) = self.start(index);
        let RangeFunction { function, code, text, .. } = self.functions[index];
        (function, self.compiled.function(code_start, code), &self.text[text_start..text])
    }
}

/// The functions of a range, in the order of the module, for whoever takes them.
pub struct Functions<'a> {
    range: &'a mut RangeOutput,
    kept: &'a mut KeptCode,
    next: usize,
}

impl<'a> Functions<'a> {
    /// The functions of `range`, which is the next one, where `kept` has the code of remembered bodies before it.
    pub fn new(range: &'a mut RangeOutput, kept: &'a mut KeptCode) -> Functions<'a> {
        Functions { range, kept, next: 0 }
    }

    /// The next function: its code and its text.
    pub fn take_next(&mut self) -> Option<(FuncId, FunctionCode<'_>, &str)> {
        let &RangeFunction { function, repetition, .. } = self.range.functions.get(self.next)?;
        let index = self.next;
        self.next += 1;
        if let Repetition::Again(number) = repetition {
            return Some((function, self.kept.copy(number), ""));
        }
        let found = self.range.function(index);
        if let Repetition::First(number) = repetition {
            self.kept.keep(number, &found.1);
        }
        Some(found)
    }

    /// The text of all functions of the range.
    pub fn text(&self) -> &str {
        &self.range.text
    }
}

/// Where translated functions go, in the order of the module.
pub trait ModuleOutput: Send {
    /// Writes functions.
    ///
    /// # Errors
    /// Errors of the writer and its sink.
    fn functions(&mut self, functions: Functions<'_>) -> Result<(), Error>;

    /// Ends the module.
    ///
    /// # Errors
    /// Errors of the writer and its sink.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

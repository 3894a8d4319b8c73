//! What passes from a worker to the writer of the module: functions of the input that lie one behind another.

use crate::debug::CodeSource;
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
    /// Where functions are in the source, of which that is known: by their index in the range, ascending.
    sources: Vec<(usize, CodeSource)>,
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
        let sources = self.sources.iter().map(|(_, source)| source.bytes()).sum::<usize>();
        size_of_val(&*self.functions) + self.compiled.bytes() + self.text.len() + self.log.len() + sources
    }
}

impl RangeOutput {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.functions.clear();
        self.compiled.clear();
        self.text.clear();
        self.sources.clear();
        self.log.clear();
    }

    /// Notes that code and text behind the function before are all of `function`; none where its body came before.
    pub fn add(&mut self, function: FuncId, repetition: Repetition) {
        let (code, text) = (self.compiled.end(), self.text.len());
        self.functions.push(RangeFunction { function, repetition, code, text });
    }

    /// Notes where the function that was [added](Self::add) last is in the source.
    #[cold]
    pub fn add_source(&mut self, source: CodeSource) {
        if let Some(index) = self.functions.len().checked_sub(1) {
            self.sources.push((index, source));
        }
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

    /// Function number `index` of the range, in the order of the module.
    pub fn function(&mut self, index: usize) -> Translated<'_> {
        let (code_start, text_start) = self.start(index);
        let RangeFunction { function, code, text, .. } = self.functions[index];
        let source = self.sources.binary_search_by_key(&index, |&(index, _)| index).ok();
        Translated {
            function,
            code: self.compiled.function(code_start, code),
            text: &self.text[text_start..text],
            source: source.map(|at| &self.sources[at].1),
        }
    }
}

/// A function, as it goes to whoever writes it.
pub struct Translated<'a> {
    /// Which one.
    pub function: FuncId,
    /// Its code.
    pub code: FunctionCode<'a>,
    /// Its text; empty where only code is wanted.
    pub text: &'a str,
    /// Where it is in the source, if that is known.
    pub source: Option<&'a CodeSource>,
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

    /// The next function.
    pub fn take_next(&mut self) -> Option<Translated<'_>> {
        let &RangeFunction { function, repetition, .. } = self.range.functions.get(self.next)?;
        let index = self.next;
        self.next += 1;
        if let Repetition::Again(number) = repetition {
            return Some(Translated { function, code: self.kept.copy(number), text: "", source: None });
        }
        let found = self.range.function(index);
        if let Repetition::First(number) = repetition {
            self.kept.keep(number, &found.code);
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

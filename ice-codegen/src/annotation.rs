//! Comments between the lines of a listing: which instruction of the IR the code is for.

use alloc::string::String;
use core::fmt::{self, Write};
use ice_ir::{Function, Inst, Module, write_instruction};

/// A function and its module, whose instructions comments name.
#[derive(Clone, Copy)]
pub struct Annotation<'a> {
    /// The module.
    pub module: &'a Module,
    /// The function as it was lowered.
    pub func: &'a Function,
}

/// The comments of one function, to be written front to back.
pub(crate) struct Comments<'a> {
    annotation: Annotation<'a>,
    /// What begins a comment.
    marker: &'static str,
    /// What the code is for, from which offset on; those that are left.
    origins: &'a [(u32, Option<Inst>)],
    line: String,
}

impl<'a> Comments<'a> {
    /// Comments that begin with `marker`, for code that is for `origins`.
    pub fn new(annotation: Annotation<'a>, marker: &'static str, origins: &'a [(u32, Option<Inst>)]) -> Self {
        Comments { annotation, marker, origins, line: String::new() }
    }

    /// Writes what the line at `offset` is for, if the line before was for something else.
    pub fn write_before(&mut self, offset: u32, out: &mut dyn Write) -> fmt::Result {
        let passed = self.origins.iter().take_while(|&&(start, _)| start <= offset).count();
        let (passed, left) = self.origins.split_at(passed);
        self.origins = left;
        let Some(&(_, Some(inst))) = passed.last() else { return Ok(()) };
        let Annotation { module, func } = self.annotation;
        self.line.clear();
        write_instruction(module, func, inst, &mut self.line)?;
        writeln!(out, "\t{} {}", self.marker, self.line)
    }
}

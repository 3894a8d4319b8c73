//! What stands for the tables in builds without a form of input that says anything of a source: nothing ever does.

use crate::machine::Machine;
use ice_elf::DebugSection;
use ice_ir::source::{FunctionSource, SourceUnit};
use ice_ir::{FuncId, Function, Inst};

/// Where the code of a function is in the source.
#[derive(Debug)]
pub enum CodeSource {}

impl CodeSource {
    /// Nothing is known.
    pub fn new(_: FunctionSource, _: &[(u32, Option<Inst>)], _: &Function) -> Option<CodeSource> {
        None
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        match *self {}
    }
}

/// The debug information of a module.
pub enum DebugTables {}

impl DebugTables {
    /// There is none.
    pub fn new(_: &dyn Machine, _: &[SourceUnit]) -> Option<DebugTables> {
        None
    }

    /// Adds a function.
    pub fn add(&mut self, _: FuncId, _: u32, _: &CodeSource) {
        match *self {}
    }

    /// The sections.
    pub fn finish(self) -> (Vec<DebugSection>, Vec<FuncId>) {
        match self {}
    }
}

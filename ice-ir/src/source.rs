//! What is known of the source of a program: files, units, and for each function what its
//! [locations](crate::SourceLocation) mean.
//!
//! Readers make it where their input says it; writers of debug information read it. Functions of the IR only hold the
//! numbers. Names and paths are bytes as the input has them.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// A file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SourceFile {
    /// Where a relative name starts from.
    pub directory: Box<[u8]>,
    /// Its name, relative or absolute.
    pub name: Box<[u8]>,
}

/// What was compiled at once: a file with all that it includes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceUnit {
    /// The file; its directory is the one in which the compiler ran.
    pub file: SourceFile,
    /// The compiler.
    pub producer: Box<[u8]>,
    /// The language, by its number in DWARF (version 5, table 7.17).
    pub language: u16,
}

/// A function of the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct SourceFunction {
    /// As the source calls it.
    pub name: Box<[u8]>,
    /// As its symbol is called; empty if the same.
    pub linkage_name: Box<[u8]>,
    /// The file that it is in, by number.
    pub file: u32,
    /// The line of its name, 0 if unknown.
    pub line: u32,
    /// Whether other units do not see it.
    pub is_local: bool,
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourcePlace {
    /// The file, by number.
    pub file: u32,
    /// The line, from 1 on; 0 for code that is of none.
    pub line: u32,
    /// The column, from 1 on; 0 if unknown.
    pub column: u32,
    /// The call in place of which the code of the place stands, by number, if it was inlined.
    pub call: Option<u32>,
}

/// A call in place of which the function stands that it calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InlinedCall {
    /// The function, by number.
    pub function: u32,
    /// Where the call is. It may itself be of a function that was inlined, by a call of a smaller number.
    pub place: SourcePlace,
}

/// What is known of the source of one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionSource {
    /// The unit that it is of, by its number in the module.
    pub unit: u32,
    /// The line where its body begins, 0 if unknown.
    pub body_line: u32,
    /// The function itself, and those that were inlined into it.
    pub functions: Vec<SourceFunction>,
    /// The files of all this.
    pub files: Vec<SourceFile>,
    /// The calls that were inlined.
    pub calls: Vec<InlinedCall>,
    /// What each location means, by its number.
    pub places: Vec<SourcePlace>,
}

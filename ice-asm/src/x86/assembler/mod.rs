//! Instructions from text: what inline assembly of programs is written in, in the syntax of AT&T and of Intel.
//!
//! *Contract.* [`assemble`] makes code and data of a text; what is not of x86 about it is in
//! [`assembler`](crate::assembler). A text that it cannot assemble whole gives an error that shows the first statement in doubt.
//!
//! *Not here*: macros, conditional assembly, registers of more than 256 bits.
//!
//! [`operand`] reads operands; [`insts`] finds the encoder's function for a mnemonic with its
//! operands, [`table`] has the instructions that compilers never choose, [`vex`] those with VEX prefixes, [`mmx`] those of MMX;
//! [`fields`] says where operands of these two stand.

mod fields;
mod insts;
mod mmx;
mod operand;
mod table;
mod vex;

use super::{Branches, Encoder, Mode};
use crate::assembler::{
    self, Assembled, AssemblyError, AssemblyErrorKind, BranchTarget, Instructions, Names, TextPlace,
};
use crate::buffer::CodeBuffer;

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// Sources first, `%` before registers, `$` before numbers.
    Att,
    /// The destination first.
    Intel,
}

type Result<T> = core::result::Result<T, AssemblyErrorKind>;

/// Makes code and data of a text.
///
/// # Errors
/// The text has a statement that is not known here.
pub fn assemble(
    mode: Mode,
    text: &str,
    syntax: Syntax,
    place: TextPlace,
) -> core::result::Result<Assembled, AssemblyError> {
    assembler::assemble(&mut X86Text { mode, syntax }, text, place)
}

/// How the text is written now.
struct X86Text {
    mode: Mode,
    syntax: Syntax,
}

impl Instructions<Branches> for X86Text {
    const COMMENT: &'static str = "#";
    const WORD: u32 = 2;
    const ALIGN_IS_POWER: bool = false;

    fn instruction(&mut self, buffer: &mut CodeBuffer, names: &mut Names<'_>, statement: &str) -> Result<()> {
        let mut encoder = Encoder::new(buffer, self.mode);
        Assembler { encoder: &mut encoder, syntax: self.syntax, names }.statement(statement)
    }

    fn directive(&mut self, _: &mut CodeBuffer, name: &str, _: &str) -> Option<Result<()>> {
        self.syntax = match name {
            "att_syntax" => Syntax::Att,
            "intel_syntax" => Syntax::Intel,
            _ => return None,
        };
        Some(Ok(()))
    }
}

struct Assembler<'a, 'b, 't> {
    encoder: &'a mut Encoder<'b>,
    syntax: Syntax,
    names: &'a mut Names<'t>,
}

impl Assembler<'_, '_, '_> {
    /// An instruction with its prefixes; or nothing.
    fn statement(&mut self, statement: &str) -> Result<()> {
        let (word, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        let (word, operands) = (&*word.to_ascii_lowercase(), operands.trim());
        if word.is_empty() {
            return Ok(());
        }
        if let Some(prefix) = table::prefix(word) {
            self.encoder.buf.emit_data(&[prefix]);
            return self.statement(operands);
        }
        let operands = self.operands(operands)?;
        self.inst(word, &operands)
    }

    /// Where a branch to a name goes.
    fn target(&mut self, name: &str) -> Option<BranchTarget> {
        self.names.branch_target(name)
    }
}

#[cfg(test)]
mod tests;

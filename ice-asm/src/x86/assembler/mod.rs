//! Instructions from text: what inline assembly of programs is written in, in the syntax of AT&T and of Intel.
//!
//! *Contract.* [`assemble`] appends the instructions of a text to the buffer of an encoder: the statements between line
//! ends and semicolons, local labels (`1:` with `1b` and `1f`, names) and directives that make data. A text that it cannot
//! assemble whole gives an error that shows the first statement in doubt; what was appended before it stays.
//!
//! *Not here*: symbols of other modules, sections, macros, conditional assembly, registers of 256 bits. Directives
//! that only align code make nothing, for the text may stand anywhere.
//!
//! [`operand`] reads operands; [`insts`] finds the encoder's function for a mnemonic with its
//! operands, [`table`] has the instructions that compilers never choose, [`vex`] those with VEX prefixes.

mod insts;
mod operand;
mod table;
mod vex;

use super::Encoder;
use crate::assembler::{AssemblyError, AssemblyErrorKind, LabelNames};
use crate::assembler::{evaluate, split, statements, unlabelled, without_comments};
use crate::buffer::Label;
use crate::listing::Listing;
use alloc::string::ToString;
use alloc::vec::Vec;

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// Sources first, `%` before registers, `$` before numbers.
    Att,
    /// The destination first.
    Intel,
}

type Result<T> = core::result::Result<T, AssemblyErrorKind>;

/// Appends the instructions of a text.
///
/// # Errors
/// The text has a statement that is not known here. Instructions that the mode lacks are kept by the buffer as well.
pub fn assemble<L: Listing>(
    encoder: &mut Encoder<'_, L>,
    text: &str,
    syntax: Syntax,
) -> core::result::Result<(), AssemblyError> {
    let text = without_comments(text, "#");
    let statements = statements(&text);
    let names = LabelNames::of(&statements);
    let labels = (0..names.len()).map(|_| encoder.buf.new_label()).collect();
    let mut assembler = Assembler { encoder, syntax, names, labels, num_bound: 0, place: 0 };
    let error = |statement: &&str, kind| AssemblyError { statement: (*statement).to_string(), kind };
    for (place, statement) in statements.iter().enumerate() {
        assembler.place = place;
        assembler.statement(statement).map_err(|kind| error(statement, kind))?;
        if assembler.encoder.buf.error().is_some() {
            return Err(error(statement, AssemblyErrorKind::Operands));
        }
    }
    Ok(())
}

struct Assembler<'a, 'b, 't, L: Listing> {
    encoder: &'a mut Encoder<'b, L>,
    syntax: Syntax,
    names: LabelNames<'t>,
    /// By the numbers of their names.
    labels: Vec<Label>,
    /// How many of them are bound.
    num_bound: usize,
    /// The number of the statement.
    place: usize,
}

impl<L: Listing> Assembler<'_, '_, '_, L> {
    fn statement(&mut self, statement: &str) -> Result<()> {
        while self.names.place(self.num_bound) == Some(self.place) {
            self.encoder.bind(self.labels[self.num_bound]);
            self.num_bound += 1;
        }
        self.inst_or_directive(unlabelled(statement))
    }

    /// A directive or an instruction with its prefixes; or nothing.
    fn inst_or_directive(&mut self, statement: &str) -> Result<()> {
        let (word, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        let (word, operands) = (&*word.to_ascii_lowercase(), operands.trim());
        if word.is_empty() {
            return Ok(());
        }
        if let Some(directive) = word.strip_prefix('.') {
            return self.directive(directive, operands);
        }
        if let Some(prefix) = table::prefix(word) {
            self.encoder.buf.emit_data(&[prefix]);
            return self.inst_or_directive(operands);
        }
        let operands = self.operands(operands)?;
        self.inst(word, &operands)
    }

    fn directive(&mut self, name: &str, operands: &str) -> Result<()> {
        let size = match name {
            "p2align" | "align" | "balign" => return Ok(()),
            "att_syntax" => {
                self.syntax = Syntax::Att;
                return Ok(());
            }
            "intel_syntax" => {
                self.syntax = Syntax::Intel;
                return Ok(());
            }
            "byte" => 1,
            "word" | "short" | "value" | "2byte" => 2,
            "long" | "int" | "4byte" => 4,
            "quad" | "8byte" => 8,
            _ => return Err(AssemblyErrorKind::Directive),
        };
        for datum in split(operands) {
            let value = evaluate(datum).ok_or(AssemblyErrorKind::Operand)?;
            self.encoder.buf.emit_data(&value.to_le_bytes()[..size]);
        }
        Ok(())
    }

    /// The label that a jump names.
    fn label(&self, name: &str) -> Result<Label> {
        let number = self.names.find(name, self.place).ok_or(AssemblyErrorKind::Label)?;
        self.labels.get(number).copied().ok_or(AssemblyErrorKind::Label)
    }
}

#[cfg(test)]
mod tests;

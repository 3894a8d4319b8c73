//! Instructions from text: what inline assembly of programs is written in, in the syntax of AT&T and of Intel.
//!
//! *Contract.* [`assemble`] appends the instructions of a text to the buffer of an encoder: the statements between line
//! ends and semicolons, local labels (`1:` with `1b` and `1f`, names) and directives that make data. A text that it cannot
//! assemble whole gives an error that shows the first statement in doubt; what was appended before it stays.
//!
//! *Not here*: symbols of other modules, sections, macros, conditional assembly, registers of 256 bits. Directives
//! that only align code make nothing, for the text may stand anywhere.
//!
//! [`operand`] reads operands, [`number`] their numbers; [`insts`] finds the encoder's function for a mnemonic with its
//! operands, [`table`] has the instructions that compilers never choose, [`vex`] those with VEX prefixes.

mod insts;
mod number;
mod operand;
mod table;
mod vex;

use super::Encoder;
use crate::buffer::Label;
use crate::listing::Listing;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// Sources first, `%` before registers, `$` before numbers.
    Att,
    /// The destination first.
    Intel,
}

/// Why a text cannot be assembled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssemblyError {
    /// The statement in doubt.
    pub statement: String,
    /// What is wrong with it.
    pub kind: AssemblyErrorKind,
}

/// What is wrong with a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssemblyErrorKind {
    /// There is no such instruction here.
    Instruction,
    /// There is no such directive here.
    Directive,
    /// An operand cannot be read.
    Operand,
    /// The instruction does not have these operands.
    Operands,
    /// A label is not in the text.
    Label,
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            AssemblyErrorKind::Instruction => "unknown instruction",
            AssemblyErrorKind::Directive => "unknown directive",
            AssemblyErrorKind::Operand => "unreadable operand",
            AssemblyErrorKind::Operands => "wrong operands",
            AssemblyErrorKind::Label => "unknown label",
        };
        write!(f, "{what} in {:?}", self.statement)
    }
}

impl core::error::Error for AssemblyError {}

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
    let text = without_comments(text);
    let statements: Vec<&str> =
        text.split(['\n', ';']).map(str::trim).filter(|text| !text.is_empty()).collect();
    let mut assembler = Assembler { encoder, syntax, labels: Vec::new(), place: 0 };
    let error = |statement: &&str, kind| AssemblyError { statement: (*statement).to_string(), kind };
    for (place, statement) in statements.iter().enumerate() {
        assembler.declare(place, statement);
    }
    for (place, statement) in statements.iter().enumerate() {
        assembler.place = place;
        assembler.statement(statement).map_err(|kind| error(statement, kind))?;
        if assembler.encoder.buf.error().is_some() {
            return Err(error(statement, AssemblyErrorKind::Operands));
        }
    }
    Ok(())
}

/// The text with a blank in place of each comment: from `#` or `//` to the end of a line, and from `/*` to `*/`.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut left = text;
    loop {
        let starts = ["#", "//", "/*"].map(|mark| left.find(mark).unwrap_or(left.len()));
        let [sharp, slashes, star] = starts;
        let start = sharp.min(slashes).min(star);
        out.push_str(&left[..start]);
        if start == left.len() {
            return out;
        }
        let comment = &left[start..];
        let end = match star == start {
            true => comment.find("*/").map_or(comment.len(), |end| end + 2),
            false => comment.find('\n').unwrap_or(comment.len()),
        };
        out.push(' ');
        left = &comment[end..];
    }
}

/// A label of the text.
struct NamedLabel<'t> {
    name: &'t str,
    /// The statement that it stands before.
    place: usize,
    label: Label,
}

struct Assembler<'a, 'b, 't, L: Listing> {
    encoder: &'a mut Encoder<'b, L>,
    syntax: Syntax,
    /// In order.
    labels: Vec<NamedLabel<'t>>,
    /// The number of the statement.
    place: usize,
}

impl<'t, L: Listing> Assembler<'_, '_, 't, L> {
    /// Makes the labels of a statement.
    fn declare(&mut self, place: usize, statement: &'t str) {
        let mut rest = statement;
        while let Some((name, behind)) = split_label(rest) {
            let label = self.encoder.buf.new_label();
            self.labels.push(NamedLabel { name, place, label });
            rest = behind;
        }
    }

    fn statement(&mut self, statement: &'t str) -> Result<()> {
        let mut rest = statement;
        while let Some((name, behind)) = split_label(rest) {
            let found = self.labels.iter().find(|label| label.place == self.place && label.name == name);
            if let Some(label) = found.map(|found| found.label) {
                self.encoder.bind(label);
            }
            rest = behind;
        }
        self.unlabelled(rest)
    }

    /// A directive or an instruction with its prefixes; or nothing.
    fn unlabelled(&mut self, statement: &str) -> Result<()> {
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
            return self.unlabelled(operands);
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
        for datum in operand::split(operands) {
            let value = number::evaluate(datum).ok_or(AssemblyErrorKind::Operand)?;
            self.encoder.buf.emit_data(&value.to_le_bytes()[..size]);
        }
        Ok(())
    }

    /// The label that a jump names: `1b` before the statement, `1f` behind it, any other anywhere.
    fn label(&self, name: &str) -> Result<Label> {
        let digits = name.trim_end_matches(['b', 'f']);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let found = match name.as_bytes().last() {
            Some(b'b') if is_number => {
                self.labels.iter().rev().find(|label| label.name == digits && label.place <= self.place)
            }
            Some(b'f') if is_number => {
                self.labels.iter().find(|label| label.name == digits && label.place > self.place)
            }
            _ => self.labels.iter().find(|label| label.name == name),
        };
        found.map(|found| found.label).ok_or(AssemblyErrorKind::Label)
    }
}

/// A label at the start of a statement, and what is behind it.
fn split_label(statement: &str) -> Option<(&str, &str)> {
    let (name, rest) = statement.split_once(':')?;
    let name = name.trim_end();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._$".contains(&byte);
    let is_label = !name.is_empty() && name.bytes().all(is_name);
    is_label.then_some((name, rest.trim_start()))
}

#[cfg(test)]
mod tests;

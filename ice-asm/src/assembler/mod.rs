//! Code and data from text, as far as it is the same for all machines.
//!
//! | | |
//! |---|---|
//! | here | comments, statements, labels |
//! | [`expression`] | numbers, sums and differences of symbols |
//! | [`names`] | what names of a text stand for |
//! | [`text`] | a whole text: its sections, and what comes of references when all of it is known |
//! | [`directives`], [`sections`], [`symbols`] | what begins with a point: data, sections, what is said about symbols |
//!
//! *Contract.* [`text::assemble`] makes [`Assembled`] of a text. What instructions there are, each machine says in its own
//! `assembler`, behind [`text::Instructions`]: it appends one statement to a [`CodeBuffer`](crate::CodeBuffer) and asks
//! [`names::Names`] for labels and symbols.

mod data;
mod directives;
mod expression;
mod names;
mod sections;
mod symbols;
mod text;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
pub use data::{DataSyntax, assemble_data};
pub(crate) use expression::{Sum, evaluate};
pub(crate) use names::{BranchTarget, Names};
pub use sections::{SectionFlags, SectionName};
pub use symbols::{AssembledSymbol, Definition, SymbolBinding, SymbolType, SymbolVisibility};
pub use text::{Assembled, AssembledReloc, AssembledSection, AssembledTarget, TextPlace};
pub(crate) use text::{Instructions, assemble};

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
    /// A label is too far away.
    Distance,
    /// An instruction, or the end of the text, is not where instructions may be.
    Alignment,
    /// An expression cannot be brought into its place.
    Expression,
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            AssemblyErrorKind::Instruction => "unknown instruction",
            AssemblyErrorKind::Directive => "unknown directive",
            AssemblyErrorKind::Operand => "unreadable operand",
            AssemblyErrorKind::Operands => "wrong operands",
            AssemblyErrorKind::Label => "unknown label",
            AssemblyErrorKind::Distance => "label out of reach",
            AssemblyErrorKind::Alignment => "misaligned code",
            AssemblyErrorKind::Expression => "a value with no place",
        };
        write!(f, "{what} in {:?}", self.statement)
    }
}

impl core::error::Error for AssemblyError {}

/// The text with a blank in place of each comment: from `mark` or `//` to the end of a line, and from `/*` to `*/`.
pub(crate) fn without_comments(text: &str, mark: &str) -> String {
    let mut out = String::new();
    let mut left = text;
    while let Some(start) =
        unquoted(left, |rest| [mark, "//", "/*"].iter().any(|&mark| rest.starts_with(mark)))
    {
        out.push_str(&left[..start]);
        let comment = &left[start..];
        let end = match comment.starts_with("/*") {
            true => comment.find("*/").map_or(comment.len(), |end| end + 2),
            false => comment.find('\n').unwrap_or(comment.len()),
        };
        out.push(' ');
        left = &comment[end..];
    }
    out.push_str(left);
    out
}

/// The first place outside of strings whose rest is such. A string ends with its line at the latest.
fn unquoted(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if !is_quoted && is_wanted(&text[at..]) {
            return Some(at);
        }
        is_quoted = c != '\n' && (is_quoted != (c == '"' && !is_escaped));
        is_escaped = is_quoted && c == '\\' && !is_escaped;
    }
    None
}

/// The statements of a text without comments: what stands between line ends and semicolons.
pub(crate) fn statements(text: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let mut left = text;
    loop {
        let end = unquoted(left, |rest| rest.starts_with(['\n', ';']));
        let statement = left[..end.unwrap_or(left.len())].trim();
        if !statement.is_empty() {
            statements.push(statement);
        }
        let Some(end) = end else { return statements };
        left = &left[end + 1..];
    }
}

/// What is behind the labels of a statement.
pub(crate) fn unlabelled(statement: &str) -> &str {
    let mut rest = statement;
    while let Some((_, behind)) = split_label(rest) {
        rest = behind;
    }
    rest
}

/// Cuts at commas outside of parentheses, brackets, braces and strings.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut left = Some(text.trim()).filter(|text| !text.is_empty());
    core::iter::from_fn(move || {
        let text = left?;
        let depth = core::cell::Cell::new(0);
        let comma = unquoted(text, |rest| {
            let byte = rest.as_bytes()[0];
            let now = depth.get() + i32::from(b"([{".contains(&byte)) - i32::from(b")]}".contains(&byte));
            depth.set(now);
            byte == b',' && now == 0
        });
        let (first, rest) = match comma {
            Some(comma) => (&text[..comma], Some(&text[comma + 1..])),
            None => (text, None),
        };
        left = rest;
        Some(first.trim())
    })
}

/// A label at the start of a statement, and what is behind it.
fn split_label(statement: &str) -> Option<(&str, &str)> {
    let (name, rest) = statement.split_once(':')?;
    let name = name.trim_end();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._$".contains(&byte);
    let is_label = !name.is_empty() && name.bytes().all(is_name);
    is_label.then_some((name, rest.trim_start()))
}

/// The labels of a text, in order, with the numbers of the statements that they stand before.
#[derive(Default)]
pub(crate) struct LabelNames<'t>(Vec<(&'t str, usize)>);

impl<'t> LabelNames<'t> {
    /// The labels of these statements.
    pub(crate) fn of(statements: &[&'t str]) -> LabelNames<'t> {
        let mut names = Vec::new();
        for (place, statement) in statements.iter().enumerate() {
            let mut rest = *statement;
            while let Some((name, behind)) = split_label(rest) {
                names.push((name, place));
                rest = behind;
            }
        }
        LabelNames(names)
    }

    /// The statement that a label stands before.
    pub(crate) fn place(&self, number: usize) -> Option<usize> {
        self.0.get(number).map(|&(_, place)| place)
    }

    /// The number of the label that a statement names: `1b` before it, `1f` behind it, any other anywhere.
    pub(crate) fn find(&self, name: &str, from: usize) -> Option<usize> {
        let digits = name.trim_end_matches(['b', 'f']);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let mut labels = self.0.iter();
        match name.as_bytes().last() {
            Some(b'b') if is_number => labels.rposition(|&(label, place)| label == digits && place <= from),
            Some(b'f') if is_number => labels.position(|&(label, place)| label == digits && place > from),
            _ => labels.position(|&(label, _)| label == name),
        }
    }
}

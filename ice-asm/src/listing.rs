//! Assembler text beside the bytes.
//!
//! The listing type is a parameter of the buffer: `()` records nothing and costs nothing,
//! [`TextListing`] keeps one line for every instruction and datum, by offset. Branches to labels are
//! not kept as lines: they are printed from the buffer's branch table when the listing is written,
//! so they always appear in their final form and need no truncation when the tail is cut. Symbols
//! and labels stand in the lines as placeholders, for their names are known only then.

use crate::buffer::fill::closed;
use crate::buffer::{BranchIsa, CodeBuffer, Label};
use crate::reloc::SymbolId;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::ops::Range;

/// A place for assembler text. Implemented by `()` (none) and [`TextListing`].
pub trait Listing: Default {
    /// Whether lines are kept; text is not even composed when this is false.
    const ENABLED: bool;
    /// Forgets all lines.
    fn clear(&mut self);
    /// Adds the line of the instruction or datum at `offset` (without label, tab and newline).
    fn line(&mut self, offset: u32, write: impl FnOnce(&mut dyn Write) -> fmt::Result);
    /// Writes the line at `offset`, which was the last, anew, with its text at hand.
    fn replace(&mut self, offset: u32, write: impl FnOnce(&str, &mut dyn Write) -> fmt::Result);
    /// Forgets the lines from `offset` on.
    fn cut(&mut self, offset: u32);
    /// What was at `offset` and behind it is `by` bytes farther.
    fn shift(&mut self, offset: u32, by: u32);
    /// The `size` bytes at `from` have moved behind all others, to `end`.
    fn move_to_end(&mut self, from: u32, end: u32, size: u32);
    /// The instructions of `size` bytes at the holes are taken out.
    fn close(&mut self, holes: &[u32], size: u32);
}

impl Listing for () {
    const ENABLED: bool = false;
    fn clear(&mut self) {}
    fn line(&mut self, _: u32, _: impl FnOnce(&mut dyn Write) -> fmt::Result) {}
    fn replace(&mut self, _: u32, _: impl FnOnce(&str, &mut dyn Write) -> fmt::Result) {}
    fn cut(&mut self, _: u32) {}
    fn shift(&mut self, _: u32, _: u32) {}
    fn move_to_end(&mut self, _: u32, _: u32, _: u32) {}
    fn close(&mut self, _: &[u32], _: u32) {}
}

/// A place in a listing where notes may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingMark {
    /// Behind the line of a label.
    Label(Label),
    /// Before the line of the instruction or datum at an offset.
    Line(u32),
}

/// Lines of assembler text.
#[derive(Clone, Debug, Default)]
pub struct TextListing {
    text: String,
    /// Offset in the code, and the line in `text`; nearly in the order of offsets.
    lines: Vec<(u32, Range<usize>)>,
}

impl Listing for TextListing {
    const ENABLED: bool = true;

    fn clear(&mut self) {
        self.text.clear();
        self.lines.clear();
    }

    fn line(&mut self, offset: u32, write: impl FnOnce(&mut dyn Write) -> fmt::Result) {
        let start = self.text.len();
        // Writing into a string cannot fail.
        let _ = write(&mut self.text);
        self.lines.push((offset, start..self.text.len()));
    }

    fn replace(&mut self, offset: u32, write: impl FnOnce(&str, &mut dyn Write) -> fmt::Result) {
        let Some((_, line)) = self.lines.pop_if(|(at, _)| *at == offset) else { return };
        let text = self.text.split_off(line.start);
        self.line(offset, |out| write(&text, out));
    }

    fn cut(&mut self, offset: u32) {
        self.lines.retain(|&(at, _)| at < offset);
    }

    fn shift(&mut self, offset: u32, by: u32) {
        for (at, _) in self.lines.iter_mut().rev().take_while(|(at, _)| *at >= offset) {
            *at += by;
        }
    }

    fn move_to_end(&mut self, from: u32, end: u32, size: u32) {
        for (at, _) in self.lines.iter_mut().rev().take_while(|(at, _)| *at >= from) {
            *at = if *at < from + size { *at + end - from } else { *at } - size;
        }
    }

    fn close(&mut self, holes: &[u32], size: u32) {
        self.lines.retain(|(at, _)| holes.binary_search(at).is_err());
        self.lines.iter_mut().for_each(|(at, _)| *at = closed(holes, size, *at));
    }
}

const SYMBOL: char = '\u{1}';
const LABEL: char = '\u{2}';
const END: char = '\u{3}';

/// A symbol as a listing line holds it: use it with `write!`.
#[derive(Clone, Copy, Debug)]
pub struct SymbolText(pub SymbolId);

impl fmt::Display for SymbolText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SYMBOL}{}{END}", self.0.0)
    }
}

/// A label as a listing line holds it: use it with `write!`.
#[derive(Clone, Copy, Debug)]
pub struct LabelText(pub Label);

impl fmt::Display for LabelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{LABEL}{}{END}", self.0.0)
    }
}

/// Writes `bytes` as a `.byte` directive, in hexadecimal.
pub(crate) fn write_bytes(out: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    for (i, byte) in bytes.iter().enumerate() {
        write!(out, "{}{byte:#04x}", if i == 0 { ".byte " } else { "," })?;
    }
    Ok(())
}

impl<B: BranchIsa> CodeBuffer<TextListing, B> {
    /// Writes the finished code as assembler text: every instruction, datum and label in order, so
    /// that an assembler makes the same bytes from it. Labels are printed as `.L<n>`, symbols by `name`.
    ///
    /// # Errors
    /// Those of `out` and `name`. Call [`CodeBuffer::finish`] first.
    pub fn write_listing(
        &self,
        out: &mut dyn Write,
        name: impl FnMut(SymbolId, &mut dyn Write) -> fmt::Result,
    ) -> fmt::Result {
        self.write_annotated(out, name, |_: ListingMark, _: &mut dyn Write| Ok(()))
    }

    /// Writes what [`write_listing`](Self::write_listing) writes. `note` is called behind each label and before each
    /// instruction and datum, and may write lines of its own there.
    ///
    /// # Errors
    /// Those of `out`, `name` and `note`. Call [`CodeBuffer::finish`] first.
    pub fn write_annotated(
        &self,
        out: &mut dyn Write,
        mut name: impl FnMut(SymbolId, &mut dyn Write) -> fmt::Result,
        mut note: impl FnMut(ListingMark, &mut dyn Write) -> fmt::Result,
    ) -> fmt::Result {
        let mut labels: Vec<(u32, Label)> = self.bound_labels().collect();
        labels.sort_unstable();
        let mut labels = labels.into_iter().peekable();
        let mut branches = self.branch_sites().peekable();
        // Padding before a group comes after it.
        let mut lines = self.listing.lines.clone();
        sort_by_offset(&mut lines);
        let mut branch = String::new();
        for (offset, line) in lines {
            while let Some(site) = branches.next_if(|site| site.start < offset) {
                write_labels(out, &mut labels, site.start, &mut note)?;
                note(ListingMark::Line(site.start), out)?;
                branch.clear();
                self.write_branch(&mut branch, site)?;
                self.write_line(out, &branch, &mut name)?;
            }
            write_labels(out, &mut labels, offset, &mut note)?;
            note(ListingMark::Line(offset), out)?;
            out.write_char('\t')?;
            self.write_line(out, &self.listing.text[line], &mut name)?;
        }
        for site in branches {
            write_labels(out, &mut labels, site.start, &mut note)?;
            note(ListingMark::Line(site.start), out)?;
            branch.clear();
            self.write_branch(&mut branch, site)?;
            self.write_line(out, &branch, &mut name)?;
        }
        write_labels(out, &mut labels, u32::MAX, &mut note)
    }

    fn write_line(
        &self,
        out: &mut dyn Write,
        line: &str,
        name: &mut impl FnMut(SymbolId, &mut dyn Write) -> fmt::Result,
    ) -> fmt::Result {
        replace_placeholders(line, [SYMBOL, LABEL], out, |marker, number, out| match marker {
            SYMBOL => name(SymbolId(number), out),
            _ => write!(out, "{}", self.root(Label(number))),
        })?;
        out.write_char('\n')
    }
}

/// Sorts lines by their place. Apart from the buffer, whose type parameters would make copies of it.
fn sort_by_offset(lines: &mut [(u32, Range<usize>)]) {
    lines.sort_by_key(|&(offset, _)| offset);
}

/// Writes the labels up to an offset.
fn write_labels(
    out: &mut dyn Write,
    labels: &mut core::iter::Peekable<impl Iterator<Item = (u32, Label)>>,
    through: u32,
    note: &mut impl FnMut(ListingMark, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    while let Some((_, label)) = labels.next_if(|&(at, _)| at <= through) {
        writeln!(out, "{label}:")?;
        note(ListingMark::Label(label), out)?;
    }
    Ok(())
}

/// Writes text with what `write` makes of each placeholder that begins with one of the markers.
fn replace_placeholders<const N: usize>(
    text: &str,
    markers: [char; N],
    out: &mut dyn Write,
    mut write: impl FnMut(char, u32, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    let mut rest = text;
    while let Some(at) = rest.find(markers) {
        let (before, placeholder) = rest.split_at(at);
        out.write_str(before)?;
        let Some(end) = placeholder.find(END) else { break };
        let marker = if placeholder.starts_with(SYMBOL) { SYMBOL } else { LABEL };
        write(marker, placeholder[1..end].parse().unwrap_or(u32::MAX), out)?;
        rest = &placeholder[end + 1..];
    }
    out.write_str(rest)
}

/// Writes text in which symbols stand as [`SymbolText`], each as `name` writes it.
///
/// # Errors
/// Those of `out` and `name`.
pub fn write_with_symbols(
    text: &str,
    out: &mut dyn Write,
    mut name: impl FnMut(SymbolId, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    replace_placeholders(text, [SYMBOL], out, |_, number, out| name(SymbolId(number), out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn symbols_of_a_text_get_their_names() {
        let text = format!("call {}; jmp {}+4\n", SymbolText(SymbolId(7)), SymbolText(SymbolId(12)));
        let mut out = String::new();
        write_with_symbols(&text, &mut out, |symbol, out| write!(out, "f{}", symbol.0)).unwrap();
        assert_eq!(out, "call f7; jmp f12+4\n");
    }
}

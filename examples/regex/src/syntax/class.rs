//! Sets of characters, made from the text of a class or an escape.

use super::parser::Flags;
use super::{SyntaxError, SyntaxErrorKind};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// A set of characters as ranges in ascending order that do not touch.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct CharSet {
    ranges: Vec<(char, char)>,
}

impl CharSet {
    /// The set of these ranges.
    pub(crate) fn of(ranges: impl IntoIterator<Item = (char, char)>) -> CharSet {
        CharSet::from(&ClassUnicode::new(ranges.into_iter().map(|(a, b)| ClassUnicodeRange::new(a, b))))
    }

    /// `\w` of Unicode.
    pub(crate) fn word() -> CharSet {
        parse(r"\w", Flags::default(), 0).expect("the class exists")
    }

    /// One character, with those that differ from it by case alone if the flags say so.
    pub(crate) fn literal(c: char, flags: Flags) -> CharSet {
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
        if flags.ignore_case && flags.unicode {
            class.case_fold_simple();
        } else if flags.ignore_case {
            let (lower, upper) = (c.to_ascii_lowercase(), c.to_ascii_uppercase());
            class.push(ClassUnicodeRange::new(lower, lower));
            class.push(ClassUnicodeRange::new(upper, upper));
        }
        CharSet::from(&class)
    }

    /// The ranges, in ascending order, ends included.
    pub(crate) fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// The character, if there is only one.
    pub(crate) fn single(&self) -> Option<char> {
        match *self.ranges {
            [(a, b)] if a == b => Some(a),
            _ => None,
        }
    }
}

impl From<&ClassUnicode> for CharSet {
    fn from(class: &ClassUnicode) -> CharSet {
        CharSet { ranges: class.iter().map(|range| (range.start(), range.end())).collect() }
    }
}

/// Reads what stands for one character: an escape, a class in brackets, a dot. `offset` is where the text is in the
/// expression.
pub(super) fn parse(text: &str, flags: Flags, offset: usize) -> Result<CharSet, SyntaxError> {
    let error = |kind, at| SyntaxError { kind, offset: offset + at };
    let parsed = regex_syntax::ParserBuilder::new()
        .unicode(flags.unicode)
        .case_insensitive(flags.ignore_case)
        .dot_matches_new_line(flags.dot_all)
        .build()
        .parse(text);
    let hir = parsed.map_err(|e| match &e {
        regex_syntax::Error::Parse(e) => {
            error(SyntaxErrorKind::Class(e.kind().to_string()), e.span().start.offset)
        }
        regex_syntax::Error::Translate(e) => {
            error(SyntaxErrorKind::Class(e.kind().to_string()), e.span().start.offset)
        }
        _ => error(SyntaxErrorKind::Class(e.to_string()), 0),
    })?;
    let no_class = || error(SyntaxErrorKind::Class(String::from("this stands for no character")), 0);
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Ok(CharSet::from(class)),
        HirKind::Class(Class::Bytes(class)) => {
            class.to_unicode_class().map(|class| CharSet::from(&class)).ok_or_else(no_class)
        }
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| no_class())?;
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => Ok(CharSet::of([(c, c)])),
                _ => Err(no_class()),
            }
        }
        _ => Err(no_class()),
    }
}

//! Expressions as trees, and what is wrong with a text that is none.
//!
//! The syntax is Perl's, as far as `README.md` lists it. The parser of this crate reads the structure (groups,
//! alternation, repetition, anchors, references, look-ahead), which the parser of the crate `regex-syntax` refuses in part.
//! What stands for one character (`\pL`, `[^a-z&&\w]`, `\x{e9}`) goes to that crate as it is written: it has the tables of
//! Unicode and the algebra of classes.
//!
//! A tree is at most [`MAX_DEPTH`] deep, so that whoever walks it may recurse.

mod class;
mod parser;

pub(crate) use class::CharSet;
pub(crate) use parser::{Parsed, parse};

use std::fmt;

/// Groups in groups, at most.
pub(crate) const MAX_DEPTH: u32 = 128;
/// The largest number of repetitions that can be written.
pub(crate) const MAX_REPEAT: u32 = 1000;

/// A place between two characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Assertion {
    /// `\A`, and `^` on one line.
    TextStart,
    /// `\z`, and `$` on one line.
    TextEnd,
    /// `^` on several lines: at the start or behind a line feed.
    LineStart,
    /// `$` on several lines: at the end or before a line feed.
    LineEnd,
    /// `\b`.
    Word(Words),
    /// `\B`.
    NotWord(Words),
}

/// What a word is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Words {
    /// `\w` of Unicode.
    Unicode,
    /// `[0-9A-Z_a-z]`.
    Ascii,
}

/// Which number of repetitions is tried first, and whether others are tried after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Greed {
    /// The largest.
    Greedy,
    /// The smallest.
    Lazy,
    /// The largest, and no other.
    Possessive,
}

/// Whether a look-ahead must succeed or fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Polarity {
    /// `(?=…)`.
    Positive,
    /// `(?!…)`.
    Negative,
}

/// A tree.
#[derive(Clone, Debug)]
pub(crate) enum Ast {
    /// Nothing at all.
    Empty,
    /// One character of a set.
    Char(CharSet),
    /// A condition on the place.
    Assert(Assertion),
    /// One after the other.
    Concat(Vec<Ast>),
    /// The first that leads to a match.
    Alternate(Vec<Ast>),
    /// Several times.
    Repeat { body: Box<Ast>, min: u32, max: Option<u32>, greed: Greed },
    /// A group that remembers where it matched.
    Capture { group: u32, body: Box<Ast> },
    /// A condition on what follows.
    Ahead { polarity: Polarity, body: Box<Ast> },
    /// A group whose first match is its only one.
    Atomic(Box<Ast>),
    /// What a group has matched.
    Back { group: u32 },
}

/// What is wrong with the text of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// A group has no end.
    UnclosedGroup,
    /// A parenthesis closes nothing.
    UnopenedGroup,
    /// A class has no end.
    UnclosedClass,
    /// The text ends behind a backslash.
    LoneBackslash,
    /// Nothing stands before a repetition.
    NothingToRepeat,
    /// Bounds of a repetition are in the wrong order.
    RepeatOrder,
    /// A bound of a repetition is above 1000.
    RepeatTooLarge,
    /// Groups are nested more than 128 deep.
    TooDeep,
    /// An unknown kind of group.
    UnknownGroup,
    /// An unknown flag.
    UnknownFlag(char),
    /// The name of a group is none or has no end.
    GroupName,
    /// Two groups have this name.
    DuplicateName(String),
    /// There is no such group.
    NoSuchGroup(String),
    /// Look-behind, conditions, recursion and what else Perl has.
    Unsupported(&'static str),
    /// A class or an escape is wrong, in the words of `regex-syntax`.
    Class(String),
}

/// An error in the text of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where, in bytes from the start of the expression.
    pub offset: usize,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SyntaxErrorKind::*;
        write!(f, "at byte {}: ", self.offset)?;
        match &self.kind {
            UnclosedGroup => f.write_str("the group has no end"),
            UnopenedGroup => f.write_str("the parenthesis closes no group"),
            UnclosedClass => f.write_str("the class has no end"),
            LoneBackslash => f.write_str("nothing stands behind the backslash"),
            NothingToRepeat => f.write_str("there is nothing to repeat"),
            RepeatOrder => f.write_str("the first bound is larger than the second"),
            RepeatTooLarge => write!(f, "a repetition is bounded by {MAX_REPEAT}"),
            TooDeep => write!(f, "groups are nested more than {MAX_DEPTH} deep"),
            UnknownGroup => f.write_str("there is no such kind of group"),
            UnknownFlag(flag) => write!(f, "there is no flag `{flag}`"),
            GroupName => f.write_str("the name of the group is malformed"),
            DuplicateName(name) => write!(f, "another group is called `{name}`"),
            NoSuchGroup(name) => write!(f, "there is no group `{name}`"),
            Unsupported(what) => write!(f, "{what}"),
            Class(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for SyntaxError {}

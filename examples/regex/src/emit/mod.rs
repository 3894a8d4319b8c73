//! From automata and trees to the IR.
//!
//! | file | what it emits |
//! |---|---|
//! | `unit` | a module: its tables, the functions that all expressions need |
//! | `emitter` | blocks with parameters, arithmetic, tests of bytes |
//! | `scan` | the search for places where a match may begin, 16 bytes at a time |
//! | `text` | characters of more than one byte: their classes, steps backwards |
//! | `automaton` | an automaton: a block for each state |
//! | `backtrack` | a tree: code that tries, and goes back |
//!
//! Every module has one function for its user, [`ENTRY`]. It gets the text, its length, the place
//! where the search begins, and the address of words of memory: first two for each group, which it sets to the offsets of
//! what the groups have matched or to -1; then, if it backtracks, what [`Frame`] lists. It returns an [`Outcome`].

pub(crate) mod automaton;
pub(crate) mod backtrack;
mod emitter;
mod scan;
mod text;
mod unit;

pub(crate) use backtrack::Frame;
pub(crate) use unit::{Machine, Scan};

/// The name of the function.
pub(crate) const ENTRY: &str = "search";

/// What a search has come to; the numbers that the function returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Nothing matches.
    None,
    /// The slots are set.
    Match,
    /// There are no more steps.
    OutOfSteps,
    /// There is no more room for places to go back to.
    OutOfStack,
}

impl Outcome {
    /// The outcome with this number.
    pub(crate) fn of(number: i32) -> Option<Outcome> {
        use Outcome::*;
        [None, Match, OutOfSteps, OutOfStack].into_iter().find(|outcome| *outcome as i32 == number)
    }
}

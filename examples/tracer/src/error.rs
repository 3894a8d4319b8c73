//! What can go wrong with a program.

use std::fmt;

/// A line of the source, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Line(pub u32);

/// Why a program was not run to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The source is no program.
    Syntax {
        /// Where.
        line: Line,
        /// Why.
        reason: String,
    },
    /// The program did what has no meaning.
    Run {
        /// Where.
        line: Line,
        /// Why.
        reason: String,
    },
    /// No machine code could be made.
    Jit(ice_jit::Error),
    /// What the program printed could not be written.
    Output(std::io::Error),
}

impl Error {
    /// A fault of the source.
    pub fn syntax(line: Line, reason: impl Into<String>) -> Error {
        Error::Syntax { line, reason: reason.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Syntax { line, reason } | Error::Run { line, reason } => {
                write!(f, "line {}: {reason}", line.0)
            }
            Error::Jit(error) => write!(f, "machine code: {error}"),
            Error::Output(error) => write!(f, "output: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<ice_jit::Error> for Error {
    fn from(error: ice_jit::Error) -> Error {
        Error::Jit(error)
    }
}

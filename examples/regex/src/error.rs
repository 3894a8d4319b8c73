//! Why an expression is refused or a search ends without an answer.

use crate::syntax::SyntaxError;
use std::fmt;

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The text is no expression.
    Syntax(SyntaxError),
    /// The expression with its repetitions written out has more steps than this.
    TooLarge {
        /// Steps allowed.
        limit: usize,
    },
    /// The sets of characters divide all characters into more classes than this.
    TooManyClasses {
        /// Classes allowed.
        limit: usize,
    },
    /// A search has taken more steps than this: the expression backtracks too much on this text.
    TooManySteps {
        /// Steps allowed.
        limit: u64,
    },
    /// The places to go back to need more bytes than this.
    StackTooLarge {
        /// Bytes allowed.
        limit: usize,
    },
    /// The code cannot be made or put into memory.
    Code(ice_jit::Error),
    /// A defect of this crate.
    Internal(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Syntax(error) => error.fmt(f),
            Error::TooLarge { limit } => {
                write!(f, "the expression with its repetitions written out has more than {limit} steps")
            }
            Error::TooManyClasses { limit } => {
                write!(f, "the sets of characters overlap in more than {limit} ways")
            }
            Error::TooManySteps { limit } => write!(f, "the search has not ended after {limit} steps"),
            Error::StackTooLarge { limit } => {
                write!(f, "the search has to remember more places than fit into {limit} bytes")
            }
            Error::Code(error) => error.fmt(f),
            Error::Internal(what) => write!(f, "internal error: {what}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Syntax(error) => Some(error),
            Error::Code(error) => Some(error),
            _ => None,
        }
    }
}

impl From<SyntaxError> for Error {
    fn from(error: SyntaxError) -> Error {
        Error::Syntax(error)
    }
}

impl From<ice_jit::Error> for Error {
    fn from(error: ice_jit::Error) -> Error {
        Error::Code(error)
    }
}

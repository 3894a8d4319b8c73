//! The one error type of the crate.

use crate::Label;
use core::fmt;

/// Why code could not be finished. Offsets are bytes from the start of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The code grew past the limit of the buffer.
    BufferFull {
        /// The limit in bytes.
        limit: u32,
    },
    /// A label that was never created by this buffer since the last `clear`.
    UnknownLabel {
        /// The label.
        label: Label,
        /// Where it was used.
        offset: u32,
    },
    /// A label is used, and nothing binds it.
    UnboundLabel {
        /// The label.
        label: Label,
        /// Where it is used.
        offset: u32,
    },
    /// A label was bound a second time.
    LabelBoundTwice {
        /// The label.
        label: Label,
        /// Where the second binding was.
        offset: u32,
    },
    /// A branch or reference does not reach its label: the code is larger than the long form
    /// covers, or a bound that the caller gave was too small.
    OutOfRange {
        /// The label.
        label: Label,
        /// Start of the branch or of the reference.
        offset: u32,
    },
    /// An instruction was given an operand that it cannot have (a register or width that the mode
    /// does not have, the stack pointer as index, an operand shape that the operation lacks).
    InvalidOperand {
        /// Start of the instruction.
        offset: u32,
    },
    /// A group is larger than a bundle, or has a label or a branch to one in it.
    InvalidGroup {
        /// Start of the group.
        offset: u32,
    },
    /// A label used as an absolute address while the function has no symbol, see `set_symbol`.
    NoFunctionSymbol {
        /// Where it was used.
        offset: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::BufferFull { limit } => write!(f, "code is larger than {limit} bytes"),
            Error::UnknownLabel { label, offset } => write!(f, "unknown label {label} at offset {offset:#x}"),
            Error::UnboundLabel { label, offset } => {
                write!(f, "label {label}, used at offset {offset:#x}, is not bound")
            }
            Error::LabelBoundTwice { label, offset } => {
                write!(f, "label {label} is bound again at offset {offset:#x}")
            }
            Error::OutOfRange { label, offset } => {
                write!(f, "label {label} is out of reach from offset {offset:#x}")
            }
            Error::InvalidOperand { offset } => {
                write!(f, "invalid operand of the instruction at offset {offset:#x}")
            }
            Error::InvalidGroup { offset } => {
                write!(f, "the group at offset {offset:#x} does not fit into a bundle")
            }
            Error::NoFunctionSymbol { offset } => {
                write!(f, "address of a label at offset {offset:#x}, but the function has no symbol")
            }
        }
    }
}

impl core::error::Error for Error {}

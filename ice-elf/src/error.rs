//! The one error type of the crate.
//!
//! After an error the file is incomplete and the writer is of no further use.
use core::fmt;

use crate::{GroupId, SectionId, SinkError, SymbolId};

/// Why an object cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The sink refused bytes.
    Sink(SinkError),
    /// The combination of class, machine and record kind has no encoding here.
    UnsupportedFormat,
    /// The file, or the offset of a section in it, does not fit the fields of the class.
    FileTooLarge,
    /// There are more sections than 32-bit numbers.
    TooManySections,
    /// There are more symbols than a relocation record can name (2^24 in ELF32).
    TooManySymbols,
    /// The names need more than 4 GiB.
    StringTableTooLarge,
    /// A section grows past what the fields of the class, or memory, can hold.
    SectionTooLarge {
        /// The section.
        section: SectionId,
    },
    /// Not a power of two, or above [`crate::MAX_ALIGNMENT`].
    BadAlignment {
        /// The alignment asked for, in bytes.
        alignment: u64,
    },
    /// A name contains the byte 0, which ends names in ELF.
    NulInName {
        /// Where in the name.
        position: usize,
    },
    /// Section flags or entry size do not fit the class.
    BadSection,
    /// The section was not made by this writer.
    UnknownSection {
        /// The section.
        section: SectionId,
    },
    /// The symbol was not made by this writer.
    UnknownSymbol {
        /// The symbol.
        symbol: SymbolId,
    },
    /// The group was not made by this writer.
    UnknownGroup {
        /// The group.
        group: GroupId,
    },
    /// Data for a section whose bytes have left already; use [`crate::ObjectWriter::append_code`].
    SectionIsStreamed {
        /// The section.
        section: SectionId,
    },
    /// Bytes or relocations for a section that occupies no space in the file (`.bss`).
    SectionHasNoBytes {
        /// The section.
        section: SectionId,
    },
    /// The size of a mergeable section is not a multiple of its entry size.
    BrokenMergeSection {
        /// The section.
        section: SectionId,
    },
    /// The field of a relocation is not inside the bytes it came with.
    RelocationOutOfBounds {
        /// The section.
        section: SectionId,
        /// Offset of the field in the section.
        offset: u64,
    },
    /// The addend does not fit the field, or the record.
    AddendOutOfRange {
        /// The section.
        section: SectionId,
        /// Offset of the field in the section.
        offset: u64,
        /// The addend.
        addend: i64,
    },
    /// The relocation type does not fit the record (8 bits in ELF32).
    RelocationTypeOutOfRange {
        /// The section.
        section: SectionId,
        /// Offset of the field in the section.
        offset: u64,
        /// The type.
        r_type: u32,
    },
    /// A second definition of a symbol.
    SymbolRedefined {
        /// The symbol.
        symbol: SymbolId,
    },
    /// A local symbol is used and never defined.
    UndefinedLocal {
        /// The symbol.
        symbol: SymbolId,
    },
    /// Two global or weak symbols have the same name.
    DuplicateGlobal {
        /// The later one.
        symbol: SymbolId,
    },
    /// The value or size of a symbol does not fit the class.
    SymbolOutOfRange {
        /// The symbol.
        symbol: SymbolId,
    },
    /// A symbol lies behind the end of its section.
    SymbolOutsideSection {
        /// The symbol.
        symbol: SymbolId,
    },
}

impl From<SinkError> for Error {
    fn from(error: SinkError) -> Error {
        Error::Sink(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Sink(error) => error.fmt(f),
            Error::UnsupportedFormat => {
                f.write_str("unsupported combination of class, machine and relocation records")
            }
            Error::FileTooLarge => f.write_str("object file too large"),
            Error::TooManySections => f.write_str("too many sections"),
            Error::TooManySymbols => f.write_str("too many symbols"),
            Error::StringTableTooLarge => f.write_str("string table too large"),
            Error::SectionTooLarge { section } => write!(f, "{section} too large"),
            Error::BadAlignment { alignment } => write!(f, "bad alignment {alignment}"),
            Error::NulInName { position } => write!(f, "byte 0 in a name at position {position}"),
            Error::BadSection => f.write_str("section flags or entry size out of range"),
            Error::UnknownSection { section } => write!(f, "unknown {section}"),
            Error::UnknownSymbol { symbol } => write!(f, "unknown {symbol}"),
            Error::UnknownGroup { group } => write!(f, "unknown {group}"),
            Error::SectionIsStreamed { section } => write!(f, "data for {section}, which is streamed"),
            Error::SectionHasNoBytes { section } => {
                write!(f, "bytes for {section}, which has none in the file")
            }
            Error::BrokenMergeSection { section } => write!(f, "{section} is not a whole number of entries"),
            Error::RelocationOutOfBounds { section, offset } => {
                write!(f, "relocation outside its bytes at {section} offset {offset}")
            }
            Error::AddendOutOfRange { section, offset, addend } => {
                write!(f, "addend {addend} out of range at {section} offset {offset}")
            }
            Error::RelocationTypeOutOfRange { section, offset, r_type } => {
                write!(f, "relocation type {r_type} out of range at {section} offset {offset}")
            }
            Error::SymbolRedefined { symbol } => write!(f, "{symbol} defined twice"),
            Error::UndefinedLocal { symbol } => write!(f, "local {symbol} used but not defined"),
            Error::DuplicateGlobal { symbol } => write!(f, "the name of {symbol} is global twice"),
            Error::SymbolOutOfRange { symbol } => write!(f, "value or size of {symbol} out of range"),
            Error::SymbolOutsideSection { symbol } => write!(f, "{symbol} lies outside its section"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Error::Sink(error) => Some(error),
            _ => None,
        }
    }
}

//! A dump of a bitstream, entry by entry: what is where, before anything is understood.
//!
//! ```text
//!     16:0  block 8 MODULE, width 2, 45 words
//!     24:0    <1, 1>
//!     38:4    abbrev 4 of block 14: [fixed(3), vbr(8), array(fixed(8))]
//!    152:6      <21, 0, 0, 1>  abbrev 4
//!    154:4    end
//! ```
//!
//! Positions are `byte:bit` in the file. A record is its code and operands, followed by the abbreviation it was
//! written with, if any.

use core::fmt::{self, Write};

use crate::bitstream::{Abbrev, BLOCKINFO, Dialect, Element, Entry, FIRST_ABBREV, Op, Reader, Record};
use crate::error::Result;
use crate::header::read_header;

/// Writes every entry of the PNaCl program `bytes`.
///
/// # Errors
///
/// Outside: the sink failed. Inside: the program is malformed; what comes before the error is written.
pub fn dump_pexe(bytes: &[u8], out: &mut impl Write) -> core::result::Result<Result<()>, fmt::Error> {
    let start = match read_header(bytes) {
        Ok(start) => start,
        Err(error) => return Ok(Err(error)),
    };
    dump_bitstream(Reader::new(&bytes[start..], start as u64, Dialect::Pnacl), out)
}

/// Writes every entry from the reader's position to the end.
///
/// # Errors
///
/// As [`dump_pexe`].
pub fn dump_bitstream(
    mut reader: Reader<'_>,
    out: &mut impl Write,
) -> core::result::Result<Result<()>, fmt::Error> {
    let mut record = Record::default();
    while !(reader.block().is_none() && reader.is_at_end()) {
        let depth = reader.depth();
        let entry = match reader.next(&mut record) {
            Ok(entry) => entry,
            Err(error) => return Ok(Err(error)),
        };
        let at = reader.entry_position();
        let indent = if entry == Entry::EndBlock { depth - 1 } else { depth };
        write!(out, "{:>8}:{}  {:indent$}", at / 8, at % 8, "", indent = 2 * indent)?;
        match entry {
            Entry::EndBlock => out.write_str("end")?,
            Entry::Block(block) => {
                write!(out, "block {}{}", block.id, block_name(block.id))?;
                write!(out, ", width {}, {} words", block.width, block.words)?;
                reader.enter(&block);
            }
            Entry::DefineAbbrev => write_definition(&reader, out)?,
            Entry::Record => write_record(&record, out)?,
        }
        out.write_char('\n')?;
    }
    Ok(Ok(()))
}

fn write_record(record: &Record, out: &mut impl Write) -> fmt::Result {
    write!(out, "<{}", record.code)?;
    for op in record.ops.iter() {
        write!(out, ", {op}")?;
    }
    if let Some(blob) = &record.blob {
        write!(out, ", blob of {} bytes", blob.len())?;
    }
    out.write_char('>')?;
    if record.abbrev >= FIRST_ABBREV {
        write!(out, "  abbrev {}", record.abbrev)?;
    }
    Ok(())
}

fn write_definition(reader: &Reader<'_>, out: &mut impl Write) -> fmt::Result {
    let inherited = |block| reader.block_info().abbrevs(block).len() as u32;
    match (reader.block(), reader.block_info_target()) {
        (Some(BLOCKINFO), Some(block)) => {
            write!(out, "abbrev {} of block {block}: ", FIRST_ABBREV - 1 + inherited(block))?;
        }
        _ => out.write_str("abbrev: ")?,
    }
    reader.defined().map_or(Ok(()), |abbrev| write!(out, "{abbrev}"))
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Literal(value) => write!(f, "{value}"),
            Op::Fixed(width) => write!(f, "fixed({width})"),
            Op::Vbr(width) => write!(f, "vbr({width})"),
            Op::Char6 => f.write_str("char6"),
        }
    }
}

impl fmt::Display for Abbrev {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (i, op) in self.ops().iter().enumerate() {
            write!(f, "{}{op}", if i == 0 { "" } else { ", " })?;
        }
        let comma = if self.ops().is_empty() { "" } else { ", " };
        match self.tail() {
            Element::None => {}
            Element::Array(op) => write!(f, "{comma}array({op})")?,
            Element::Blob => write!(f, "{comma}blob")?,
        }
        f.write_char(']')
    }
}

/// The name of a block that PNaCl programs have.
const fn block_name(id: u32) -> &'static str {
    match id {
        0 => " BLOCKINFO",
        8 => " MODULE",
        11 => " CONSTANTS",
        12 => " FUNCTION",
        14 => " VALUE_SYMTAB",
        17 => " TYPE",
        19 => " GLOBALVAR",
        _ => "",
    }
}

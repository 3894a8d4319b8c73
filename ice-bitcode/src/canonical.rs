//! A checksum over what a bitstream says, whatever abbreviations it says it with.
//!
//! The text that is summed has a line `+id` for a block, a line `-` for its end and a line
//! `block:code:operands` for a record (bitcode specification, section 13.5). Two files with the same checksum
//! hold the same records, up to the collisions of a CRC-32.

use core::fmt::{self, Write};

use crate::bitstream::{Dialect, Entry, Reader, Record};
use crate::error::Result;
use crate::header::read_header;

/// CRC-32 with the reflected polynomial EDB88320, initial and final value inverted.
struct Crc32 {
    state: u32,
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let (mut value, mut bit) = (i as u32, 0);
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ 0xedb8_8320 } else { value >> 1 };
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
};

impl Write for Crc32 {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.state = TABLE[usize::from(self.state as u8 ^ byte)] ^ self.state >> 8;
        }
        Ok(())
    }
}

/// Writes the canonical text of the PNaCl program `bytes` to `out`; errors of `out` are not looked at.
///
/// # Errors
///
/// The program is malformed as a bitstream.
pub fn write_canonical(bytes: &[u8], out: &mut impl Write) -> Result<()> {
    let start = read_header(bytes)?;
    let mut reader = Reader::new(&bytes[start..], start as u64, Dialect::Pnacl);
    let mut record = Record::default();
    while !(reader.block().is_none() && reader.is_at_end()) {
        let _ = match reader.next(&mut record)? {
            Entry::EndBlock => out.write_str("-\n"),
            Entry::DefineAbbrev => Ok(()),
            Entry::Block(block) => {
                reader.enter(&block);
                writeln!(out, "+{}", block.id)
            }
            Entry::Record => write_line(reader.block().unwrap_or(0), &record, out),
        };
    }
    Ok(())
}

fn write_line(block: u32, record: &Record, out: &mut impl Write) -> fmt::Result {
    write!(out, "{block}:{}:", record.code)?;
    for (i, op) in record.ops.iter().enumerate() {
        write!(out, "{}{op}", if i == 0 { "" } else { "," })?;
    }
    out.write_char('\n')
}

/// The CRC-32 of the canonical text of the PNaCl program `bytes`.
///
/// # Errors
///
/// The program is malformed as a bitstream.
pub fn canonical_crc32(bytes: &[u8]) -> Result<u32> {
    let mut crc = Crc32 { state: !0 };
    write_canonical(bytes, &mut crc)?;
    Ok(!crc.state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32_check_value() {
        let mut crc = Crc32 { state: !0 };
        let _ = crc.write_str("123456789");
        assert_eq!(!crc.state, 0xcbf4_3926);
    }
}

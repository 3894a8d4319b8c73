//! The PNaCl file header: a magic number and fields of (tag, kind, length, data).
//!
//! Every file in circulation has the 16 bytes of [`HEADER`]; the field structure is what readers check
//! (bitcode specification, section 2).

use crate::error::{Error, LocatedError, Result};

/// The header of a PNaCl program of version 2.
pub const HEADER: [u8; 16] = *b"PEXE\x01\0\x08\0\x11\0\x04\0\x02\0\0\0";

const VERSION: u16 = 1;
const ALIGN_RECORDS: u16 = 2;

/// Length of the header in bytes once all of it is known, from the first 8 bytes of a program.
///
/// # Errors
///
/// `H01` to `H03`: too short, or not a PNaCl program.
pub fn header_length(bytes: &[u8]) -> Result<usize> {
    if matches!(bytes, [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..]) {
        return Err(LocatedError::at_bit(Error::LlvmMagic, 0));
    }
    if bytes.len() >= 4 && !bytes.starts_with(b"PEXE") {
        return Err(LocatedError::at_bit(Error::BadMagic, 0));
    }
    match bytes {
        [_, _, _, _, _, _, a, b, ..] => Ok(8 + usize::from(u16::from_le_bytes([*a, *b]))),
        _ => Err(LocatedError::at_bit(Error::TooSmall, 0)),
    }
}

/// Checks the header of a program and gives its length in bytes, a multiple of 4.
///
/// # Errors
///
/// `H01` to `H12` except `H04` (the length of the file is the caller's to check), at the byte of the field.
pub fn read_header(bytes: &[u8]) -> Result<usize> {
    let total = header_length(bytes)?;
    let at = |error, byte: usize| LocatedError::at_bit(error, byte as u64 * 8);
    let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let declared = total as u32 - 8;
    if bytes.len() < total {
        return Err(at(Error::HeaderTooLong { bytes: declared }, 6));
    }
    let (mut position, mut version) = (8, None);
    for _ in 0..u16_at(4) {
        if position + 4 > total {
            let fields = position as u32 - 4;
            return Err(at(Error::HeaderSize { fields, declared }, position));
        }
        let (tag, kind, length) = (u16_at(position) >> 4, u16_at(position) & 15, u16_at(position + 2));
        let next = position + 4 + usize::from(length).next_multiple_of(4);
        let shape = || at(Error::HeaderFieldShape { tag, kind, length }, position);
        match tag {
            VERSION if (kind, length) != (1, 4) => return Err(shape()),
            VERSION if next > total => {
                let fields = next as u32 - 8;
                return Err(at(Error::HeaderSize { fields, declared }, position));
            }
            VERSION if version.is_some() => {
                return Err(at(Error::HeaderFieldRepeated { tag }, position));
            }
            VERSION => {
                let value: [u8; 4] = core::array::from_fn(|i| bytes[position + 4 + i]);
                match u32::from_le_bytes(value) {
                    2 => version = Some(2),
                    version => return Err(at(Error::PnaclVersion { version }, position)),
                }
            }
            ALIGN_RECORDS if (kind, length) != (2, 0) => return Err(shape()),
            ALIGN_RECORDS => return Err(at(Error::AlignedRecords, position)),
            _ => return Err(at(Error::UnknownHeaderField { tag }, position)),
        }
        position = next;
    }
    if position != total {
        let fields = position as u32 - 8;
        return Err(at(Error::HeaderSize { fields, declared }, 6));
    }
    if version.is_none() {
        return Err(at(Error::NoVersion, 4));
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn code(bytes: &[u8]) -> &'static str {
        read_header(bytes).map_or_else(|e| e.error.code(), |_| "ok")
    }

    fn with(fields: &[&[u8]]) -> Vec<u8> {
        let body = fields.concat();
        let mut bytes = b"PEXE".to_vec();
        bytes.extend([fields.len() as u8, 0, body.len() as u8, 0]);
        bytes.extend(body);
        bytes
    }

    const V2: &[u8] = &[0x11, 0, 4, 0, 2, 0, 0, 0];

    #[test]
    fn every_header_error() {
        assert_eq!(read_header(&HEADER), Ok(16));
        assert_eq!(with(&[V2]), HEADER);
        assert_eq!(code(b"PEXE\0\0\0"), "H01");
        assert_eq!(code(b""), "H01");
        assert_eq!(code(b"PEXF\0\0\0\0"), "H02");
        assert_eq!(code(b"BC\xc0\xde\0\0\0\0"), "H03");
        assert_eq!(code(b"\xde\xc0\x17\x0b\0\0\0\0"), "H03");
        assert_eq!(code(&HEADER[..12]), "H05");
        let mut two = HEADER;
        two[4] = 2;
        assert_eq!(code(&two), "H06");
        two[4] = 1;
        two[6] = 12;
        let longer: Vec<u8> = two.into_iter().chain([0; 4]).collect();
        assert_eq!(code(&longer), "H06");
        assert_eq!(code(&with(&[V2, &[0x31, 0, 0, 0]])), "H07");
        assert_eq!(code(&with(&[V2, &[0, 0, 0, 0]])), "H07");
        assert_eq!(code(&with(&[&[0x10, 0, 4, 0, 2, 0, 0, 0]])), "H08");
        assert_eq!(code(&with(&[&[0x11, 0, 3, 0, 2, 0, 0, 0]])), "H08");
        assert_eq!(code(&with(&[V2, &[0x21, 0, 0, 0]])), "H08");
        assert_eq!(code(&with(&[V2, V2])), "H09");
        assert_eq!(code(&with(&[])), "H10");
        assert_eq!(code(&with(&[&[0x11, 0, 4, 0, 1, 0, 0, 0]])), "H11");
        assert_eq!(code(&with(&[V2, &[0x22, 0, 0, 0]])), "H12");
        // The length of a field runs behind the header.
        assert_eq!(code(&with(&[&[0x11, 0, 4, 0]])), "H06");
    }
}

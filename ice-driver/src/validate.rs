//! `ice validate`: whether an executable of the Native Client sandbox keeps its rules.
//!
//! The file is read as the historical loader reads it: one segment of code, at `0x20000`; segments that are not
//! both writable and executable; an entry at a bundle in the code. The verdict on the code is `ice-validator`'s. Behind the code
//! the loader puts instructions that halt, here up to the end of the last bundle.

use crate::machine::sandbox::{halt, target_of};
use core::fmt;
use ice_validator::{Features, Refusal, Target, Text, scratch_words, validate};

/// Where code stands in the window.
const TEXT_ADDRESS: u64 = 0x2_0000;
const MAX_SEGMENTS: usize = 128;

/// Why an executable is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// It is none for the sandbox.
    File(&'static str),
    /// A segment, counted from 0, is none that the sandbox allows.
    Segment(usize, &'static str),
    /// Its code breaks a rule.
    Code {
        /// Where and which.
        refusal: Refusal,
        /// The first bytes there.
        bytes: Vec<u8>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File(why) => f.write_str(why),
            Error::Segment(number, why) => write!(f, "segment {number}: {why}"),
            Error::Code { refusal, bytes } => {
                write!(f, "{refusal}; at address {:#x} stand", TEXT_ADDRESS + refusal.offset as u64)?;
                bytes.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
            }
        }
    }
}

impl std::error::Error for Error {}

/// The fields of ELF files in their two classes.
struct Elf<'a> {
    bytes: &'a [u8],
    is_64: bool,
}

impl Elf<'_> {
    /// A number of `size` bytes.
    fn number(&self, at: u64, size: usize) -> Result<u64, Error> {
        let at = usize::try_from(at).ok();
        let field = at.and_then(|at| self.bytes.get(at..at.checked_add(size)?));
        let field = field.ok_or(Error::File("the file ends in its headers"))?;
        Ok(field.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// A field that has the size of an address, at one place in a class of 32 bits and at one in a class of 64.
    fn word(&self, at: [u64; 2]) -> Result<u64, Error> {
        let class = usize::from(self.is_64);
        self.number(at[class], 4 + 4 * class)
    }
}

/// Where in the file the code stands.
fn find_text(elf: &Elf<'_>, target: Target) -> Result<std::ops::Range<usize>, Error> {
    const READ: u64 = 4;
    const WRITE: u64 = 2;
    const EXECUTE: u64 = 1;
    const READ_WRITE: u64 = READ | WRITE;
    const LOAD: u64 = 1;
    const GNU_STACK: u64 = 0x6474_e551;
    let (table, size) = (elf.word([28, 32])?, if elf.is_64 { 56 } else { 32 });
    let class = usize::from(elf.is_64);
    let count = elf.number([44, 56][class], 2)? as usize;
    if elf.number([42, 54][class], 2)? != size || count > MAX_SEGMENTS {
        return Err(Error::File("the table of segments is none of an executable"));
    }
    let mut text = None;
    for number in 0..count {
        let at = table.saturating_add(number as u64 * size);
        let kind = elf.number(at, 4)?;
        let flags = elf.number(at.saturating_add([24, 4][class]), 4)?;
        let field = |places: [u64; 2]| elf.word(places.map(|place| at.saturating_add(place)));
        let (offset, address) = (field([4, 8])?, field([8, 16])?);
        let (in_file, in_memory) = (field([16, 32])?, field([20, 40])?);
        if in_memory == 0 {
            continue;
        }
        let refuse = |why| Err(Error::Segment(number, why));
        if flags & WRITE != 0 && flags & EXECUTE != 0 {
            return refuse("writable and executable");
        }
        match (kind, flags) {
            (LOAD, _) if flags == READ | EXECUTE => {
                let end = offset.checked_add(in_file).filter(|&end| end <= elf.bytes.len() as u64);
                match end {
                    _ if text.is_some() => return refuse("a second one with code"),
                    _ if address != TEXT_ADDRESS => return refuse("code that does not stand at 0x20000"),
                    Some(end) => text = Some(offset as usize..end as usize),
                    None => return refuse("code that goes beyond the file"),
                }
            }
            (LOAD, READ | READ_WRITE)
                if address < TEXT_ADDRESS
                    || in_file > in_memory
                    || address.saturating_add(in_memory) > 1 << 32 =>
            {
                return refuse("data outside of the window");
            }
            (LOAD, READ | READ_WRITE) => {}
            (LOAD, _) => return refuse("with rights that no data and no code have"),
            (GNU_STACK, _) if flags & EXECUTE != 0 => return refuse("a stack that is executable"),
            _ if flags & EXECUTE != 0 => return refuse("executable and no code"),
            _ => {}
        }
    }
    let text = text.ok_or(Error::File("there is no code"))?;
    let entry = elf.word([24, 24])?;
    let end = TEXT_ADDRESS + text.len() as u64;
    if !(TEXT_ADDRESS..end).contains(&entry) || entry % target.bundle() as u64 != 0 {
        return Err(Error::File("the entry is no bundle of the code"));
    }
    Ok(text)
}

/// Judges an executable whose processor has every extension that the validator knows.
///
/// # Errors
/// It is no executable of the sandbox, or its code breaks a rule.
pub fn validate_executable(bytes: &[u8]) -> Result<Target, Error> {
    let is_elf =
        bytes.starts_with(b"\x7fELF") && bytes.get(5) == Some(&1) && matches!(bytes.get(4), Some(1 | 2));
    if !is_elf {
        return Err(Error::File("this is no little-endian ELF file"));
    }
    let elf = Elf { bytes, is_64: bytes[4] == 2 };
    let target = target_of(elf.number(18, 2)?, elf.is_64);
    let target = target.ok_or(Error::File("there is no sandbox for its machine"))?;
    if elf.number(16, 2)? != 2 {
        return Err(Error::File("this is no executable"));
    }
    let mut text = bytes[find_text(&elf, target)?].to_vec();
    while !text.len().is_multiple_of(target.bundle()) {
        text.extend(&halt(target)[text.len() % halt(target).len()..]);
    }
    let mut scratch = vec![0; scratch_words(text.len())];
    let code = Text { bytes: &text, address: TEXT_ADDRESS as u32 };
    validate(target, Features::ALL, code, &mut scratch).map(|()| target).map_err(|refusal| {
        let bytes = text[refusal.offset..].iter().take(8).copied().collect();
        Error::Code { refusal, bytes }
    })
}

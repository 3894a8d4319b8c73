//! The top level of an LLVM bitcode file: magic number or wrapper, and the blocks around the module.
//!
//! The string table comes behind the module that needs it, so the top level is walked once by the lengths of its
//! blocks, in constant time a block, and then the small ones are read. Exactly one module and one string table
//! are accepted (LLVM bitcode specification, section 2).

use alloc::vec::Vec;

use super::codes::{block, identification, strtab};
use crate::bitstream::{BlockHeader, Dialect, Entry, Reader, Record};
use crate::error::{Error, LocatedError, Result};

/// First bytes of a plain file.
const MAGIC: [u8; 4] = *b"BC\xc0\xde";
/// First bytes of a wrapper.
const WRAPPER_MAGIC: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];
/// Bytes of the header of a wrapper.
const WRAPPER_BYTES: usize = 20;

/// Whether `bytes` start like LLVM bitcode, with or without a wrapper.
#[must_use]
pub fn is_llvm(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&WRAPPER_MAGIC)
}

/// The parts of a file.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    /// The MODULE block; offsets count from the start of the file.
    pub module: BlockHeader,
    /// Bytes of all global names.
    pub strings: &'a [u8],
    /// What wrote the file, such as `LLVM19.1.7`; empty if it does not say.
    pub producer: Vec<u8>,
}

impl Container<'_> {
    /// The number behind `LLVM` in the name of the producer, for messages.
    #[must_use]
    pub fn version(&self) -> Option<u32> {
        let digits = self.producer.strip_prefix(b"LLVM")?.iter().take_while(|c| c.is_ascii_digit());
        let digit = |sum: u32, &c: &u8| sum.checked_mul(10)?.checked_add(u32::from(c - b'0'));
        digits.clone().next()?;
        digits.copied().try_fold(0, |sum, c| digit(sum, &c))
    }
}

/// Finds the parts of `file`. The reader that is given back is at the top level, from where
/// [`Container::module`] can be entered.
///
/// # Errors
///
/// `L01` to `L05`, `H04` and the conditions of the container. A block at top level that belongs nowhere is `B15`,
/// another number of modules than one `B16`.
pub fn read_container<'a>(file: &'a [u8], record: &mut Record) -> Result<(Container<'a>, Reader<'a>)> {
    let (bytes, offset) = unwrap(file)?;
    let mut reader = Reader::new(bytes, offset as u64, Dialect::Llvm);
    let (mut module, mut strings, mut identification) = (None, None, None);
    while !reader.is_at_end() {
        let Entry::Block(found) = reader.next(record)? else {
            return Err(reader.error(Error::TopLevelEntry));
        };
        let (place, repeated) = match found.id {
            block::MODULE => (&mut module, Error::ModuleCount),
            block::STRTAB => (&mut strings, Error::BlockRepeated { block: "STRTAB" }),
            block::IDENTIFICATION => (&mut identification, Error::BlockRepeated { block: "IDENTIFICATION" }),
            block::SYMTAB => continue,
            id => return Err(reader.error(Error::TopLevelBlock { block: id })),
        };
        if place.replace(found).is_some() {
            return Err(reader.error(repeated));
        }
    }
    let Some(module) = module else { return Err(reader.error(Error::ModuleCount)) };
    let Some(strings) = strings else { return Err(reader.error(Error::NoStringTable)) };
    let mut producer = Vec::new();
    if let Some(header) = identification {
        read_identification(&mut reader, &header, record, &mut producer)?;
    }
    let strings = read_strings(&mut reader, &strings, record)?;
    Ok((Container { module, strings, producer }, reader))
}

/// The plain file inside of `file`, and where it starts. Both are whole words.
fn unwrap(file: &[u8]) -> Result<(&[u8], usize)> {
    let word = |i: usize| file.get(i..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
    let (offset, inner) = if file.starts_with(&WRAPPER_MAGIC) {
        let (offset, size) = (word(8), word(12));
        let start = usize::try_from(offset).ok().filter(|&o| o >= WRAPPER_BYTES && o.is_multiple_of(4));
        let end = start.and_then(|s| s.checked_add(usize::try_from(size).ok()?));
        let inner = start.zip(end).and_then(|(s, e)| file.get(s..e)).filter(|i| i.starts_with(&MAGIC));
        let error = || LocatedError::at_bit(Error::Wrapper { offset, size }, 64);
        (offset as usize, inner.ok_or_else(error)?)
    } else {
        (0, file)
    };
    if !inner.starts_with(&MAGIC) {
        return Err(LocatedError::at_bit(Error::NotLlvm, 0));
    }
    if !inner.len().is_multiple_of(4) {
        return Err(LocatedError::at_bit(Error::LengthNotWords { length: inner.len() as u64 }, 0));
    }
    Ok((&inner[MAGIC.len()..], offset + MAGIC.len()))
}

fn read_identification(
    reader: &mut Reader<'_>,
    header: &BlockHeader,
    record: &mut Record,
    producer: &mut Vec<u8>,
) -> Result<()> {
    reader.enter(header);
    while reader.next_in_leaf(record)? {
        let result = match (record.code, &record.ops[..]) {
            (identification::STRING, text) => {
                producer.clear();
                push_text(text, producer)
            }
            (identification::EPOCH, &[0]) => Ok(()),
            (identification::EPOCH, &[epoch]) => Err(Error::Epoch { epoch }),
            (identification::EPOCH, ops) => {
                Err(Error::OperandCount { record: "EPOCH", found: ops.len(), expected: "1" })
            }
            (code, _) => Err(Error::UnknownRecord { code, block: block::IDENTIFICATION }),
        };
        result.map_err(|error| reader.record_error(error, record))?;
    }
    Ok(())
}

fn read_strings<'a>(reader: &mut Reader<'a>, header: &BlockHeader, record: &mut Record) -> Result<&'a [u8]> {
    reader.enter(header);
    let mut strings = None;
    while reader.next_in_leaf(record)? {
        if record.code == strtab::BLOB && record.ops.is_empty() && strings.is_none() {
            strings = record.blob.clone().and_then(|blob| reader.bytes().get(blob));
        } else {
            strings = None;
        }
        if strings.is_none() {
            return Err(reader.record_error(Error::StringTable, record));
        }
    }
    strings.ok_or_else(|| reader.error(Error::StringTable))
}

/// Appends a string that is stored as one operand a byte.
pub(in crate::llvm) fn push_text(ops: &[u64], text: &mut Vec<u8>) -> core::result::Result<(), Error> {
    for &op in ops {
        text.push(u8::try_from(op).map_err(|_| Error::NotAByte { value: op })?);
    }
    Ok(())
}

/// Checks a name of a global value, a section or a comdat: in objects the byte 0 ends a name.
pub(in crate::llvm) fn check_name(name: &[u8]) -> core::result::Result<(), Error> {
    match name.contains(&0) {
        true => Err(Error::FieldValue { field: "a byte of a name", value: 0 }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitstream::{Abbrev, Element, Op, Writer};

    /// A block of records.
    fn put(w: &mut Writer, id: u32, records: &[(u32, &[u64])]) {
        w.enter(id, 3);
        records.iter().for_each(|&(code, ops)| w.record(code, ops));
        w.end();
    }

    fn put_strings(w: &mut Writer, strings: &[u8]) {
        w.enter(block::STRTAB, 3);
        w.define(&Abbrev::new(&[Op::Literal(1)], Element::Blob).expect("legal"));
        w.blob(4, 1, &[], strings).expect("fits");
        w.end();
    }

    fn file(build: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut w = Writer::new(&MAGIC);
        build(&mut w);
        w.finish()
    }

    fn code(bytes: &[u8]) -> &'static str {
        read_container(bytes, &mut Record::default()).map_or_else(|e| e.error.code(), |_| "ok")
    }

    const PRODUCER: &[u64] = &[76, 76, 86, 77, 49, 57, 46, 49];

    fn good(w: &mut Writer) {
        put(w, block::IDENTIFICATION, &[(1, PRODUCER), (2, &[0])]);
        put(w, block::MODULE, &[(1, &[2])]);
        put(w, block::SYMTAB, &[]);
        put_strings(w, b"main");
    }

    #[test]
    fn the_parts_of_a_file_with_and_without_wrapper() {
        let plain = file(good);
        let mut wrapped = Vec::from(WRAPPER_MAGIC);
        for word in [0, 20, plain.len() as u32, 7] {
            wrapped.extend_from_slice(&u32::to_le_bytes(word));
        }
        wrapped.extend_from_slice(&plain);
        wrapped.extend_from_slice(&[0; 8]);
        for (bytes, base) in [(&plain, 0), (&wrapped, 20 * 8)] {
            assert!(is_llvm(bytes));
            let mut record = Record::default();
            let (container, mut reader) = read_container(bytes, &mut record).expect("well-formed");
            assert_eq!(container.strings, b"main");
            assert_eq!(container.version(), Some(19));
            reader.enter(&container.module);
            assert_eq!(reader.next(&mut record), Ok(Entry::Record));
            assert_eq!((record.code, &record.ops[..]), (1, &[2][..]));
            assert!(reader.entry_position() > base);
        }
        for end in 0..plain.len() {
            assert_ne!(code(&plain[..end]), "ok");
            assert_ne!(code(&wrapped[..end]), "ok");
        }
    }

    #[test]
    fn what_is_no_module_is_refused() {
        assert_eq!(code(&file(good)), "ok");
        assert_eq!(code(b"PEXE"), "L01");
        assert_eq!(code(b""), "L01");
        assert_eq!(code(&WRAPPER_MAGIC), "L02");
        assert_eq!(code(b"BC\xc0\xde\0"), "H04");
        assert_eq!(code(&file(|w| put(w, 9, &[]))), "B15");
        assert_eq!(code(&file(|w| (0..2).for_each(|_| good(w)))), "M05");
        assert_eq!(code(&file(|w| (0..2).for_each(|_| put(w, block::MODULE, &[])))), "B16");
        assert_eq!(code(&file(|w| put_strings(w, b""))), "B16");
        assert_eq!(code(&file(|w| put(w, block::MODULE, &[]))), "L04");
        let with = |id, records: &[(u32, &[u64])]| {
            let strings = |w: &mut Writer| {
                if id != block::STRTAB {
                    put_strings(w, b"")
                }
            };
            code(&file(|w| {
                put(w, block::MODULE, &[]);
                put(w, id, records);
                strings(w);
            }))
        };
        assert_eq!(with(block::STRTAB, &[]), "L05");
        assert_eq!(with(block::STRTAB, &[(1, &[65])]), "L05");
        assert_eq!(with(block::IDENTIFICATION, &[(2, &[1])]), "L03");
        assert_eq!(with(block::IDENTIFICATION, &[(2, &[])]), "M03");
        assert_eq!(with(block::IDENTIFICATION, &[(1, &[256])]), "G11");
        assert_eq!(with(block::IDENTIFICATION, &[(3, &[])]), "M02");
    }
}

//! Reads a program that arrives in pieces: from a network, or from a disk slower than the translator.
//!
//! Bytes collect in a buffer; what has been handed out is dropped from it. The module level is read by the same
//! state machine as for whole files, which stops before an entry that is not complete and takes it up again
//! when it is. At most one function body, one piece and the unread declarations are in memory.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::module::{BodyRange, ModuleHeader, ModuleReader, Step};
use crate::bitstream::{Dialect, Reader, Record};
use crate::error::{Error, LocatedError, Result};
use crate::header;

/// Something of the program that is complete.
#[derive(Debug)]
pub enum Event<'a> {
    /// The declarations: always the first event. The list of bodies is empty.
    Module(Box<ModuleHeader>),
    /// A function body, in the order of the file, and its bytes for
    /// [`FunctionReader::read_bytes`](super::FunctionReader::read_bytes).
    Body(BodyRange, &'a [u8]),
}

/// Takes the bytes of a program piece by piece.
///
/// ```no_run
/// # fn pieces() -> Vec<Vec<u8>> { Vec::new() }
/// use ice_bitcode::pexe::{Event, StreamReader};
///
/// let mut stream = StreamReader::new();
/// for piece in pieces() {
///     stream.feed(&piece);
///     while let Some(event) = stream.next_event()? {
///         match event {
///             Event::Module(header) => println!("{} functions", header.module.functions.len()),
///             Event::Body(body, bytes) => println!("{} has {} bytes", body.function, bytes.len()),
///         }
///     }
/// }
/// stream.finish()?;
/// # Ok::<(), Box<ice_bitcode::LocatedError>>(())
/// ```
pub struct StreamReader {
    /// Bytes that are not read yet, and some that are.
    buffer: Vec<u8>,
    /// Offset of the buffer in the file, a multiple of 4.
    offset: u64,
    /// Length of the file so far.
    length: u64,
    /// Length of the file, if it is known ahead.
    expected: Option<u64>,
    /// Length of the file header, once it was read.
    header: Option<usize>,
    /// The position in the bitstream.
    reader: Option<Reader<'static>>,
    module: ModuleReader,
    record: Record,
}

impl Default for StreamReader {
    fn default() -> Self {
        StreamReader::new()
    }
}

impl StreamReader {
    /// A reader without any bytes.
    #[must_use]
    pub fn new() -> StreamReader {
        StreamReader {
            buffer: Vec::new(),
            offset: 0,
            length: 0,
            expected: None,
            header: None,
            reader: None,
            module: ModuleReader::default(),
            record: Record::default(),
        }
    }

    /// The reader, for a file of so many bytes: it refuses one that is too short before its functions come.
    #[must_use]
    pub fn with_length(self, length: u64) -> StreamReader {
        StreamReader { expected: Some(length), ..self }
    }

    /// Appends bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let read = self.reader.as_ref().map_or(0, |reader| reader.position() / 8 - self.offset);
        let read = (read as usize & !3).min(self.buffer.len());
        // Moving the rest is worth it when at least half of the buffer was read.
        if read * 2 >= self.buffer.len() {
            self.buffer.drain(..read);
            self.offset += read as u64;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete part of the program, or `None` if that takes more bytes.
    ///
    /// # Errors
    ///
    /// As [`read_module`](super::read_module). After an error the reader is of no use.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>> {
        if self.header.is_none() && !self.read_header()? {
            return Ok(None);
        }
        loop {
            let Some((result, reader)) = self.step() else { return Ok(None) };
            self.reader = Some(reader);
            match result? {
                Step::Entry => {}
                Step::Declarations(header) => return Ok(Some(Event::Module(header))),
                Step::Body(body) => {
                    let bytes = body.bytes();
                    let start = (bytes.start as u64 - self.offset) as usize;
                    let bytes = &self.buffer[start..start + bytes.len()];
                    return Ok(Some(Event::Body(body, bytes)));
                }
                Step::Incomplete | Step::End => return Ok(None),
            }
        }
    }

    /// Reads the file header if it is complete.
    fn read_header(&mut self) -> Result<bool> {
        if self.buffer.len() < 8 || self.buffer.len() < header::header_length(&self.buffer)? {
            return Ok(false);
        }
        let length = header::read_header(&self.buffer)?;
        self.header = Some(length);
        let mut reader = Reader::open_ended(Dialect::Pnacl, length as u64);
        if let Some(length) = self.expected {
            if !length.is_multiple_of(4) {
                return Err(LocatedError::at_bit(Error::LengthNotWords { length }, 0));
            }
            reader = reader.with_end(length);
        }
        self.reader = Some(reader);
        Ok(true)
    }

    /// One step at the module level, and the reader behind it; before it, if bytes are missing.
    fn step(&mut self) -> Option<(Result<Step>, Reader<'static>)> {
        // Whole words only: an entry then never ends in bits that are still to come.
        let words = &self.buffer[..self.buffer.len() & !3];
        let mut reader = self.reader.take()?.rebind(words, self.offset);
        if self.module.has_ended() {
            let result = match reader.position() / 8 < self.offset + self.buffer.len() as u64 {
                true => Err(reader.error(Error::TrailingData)),
                false => Ok(Step::End),
            };
            return Some((result, reader.detach()));
        }
        if reader.position() >= reader.available_end() {
            return Some((Ok(Step::Incomplete), reader.detach()));
        }
        let depth = reader.depth();
        let mut result = self.module.step(&mut reader, &mut self.record);
        if let Err(error) = &result
            && error.error == Error::Truncated
            && reader.depth() == depth
        {
            reader.rewind();
            result = Ok(Step::Incomplete);
        }
        Some((result, reader.detach()))
    }

    /// Says that the file has ended.
    ///
    /// # Errors
    ///
    /// The program is not complete. Events that were not taken are lost.
    pub fn finish(&mut self) -> Result<()> {
        if self.header.is_none() {
            header::read_header(&self.buffer)?;
        }
        if !self.length.is_multiple_of(4) {
            return Err(LocatedError::at_bit(Error::LengthNotWords { length: self.length }, 0));
        }
        while self.next_event()?.is_some() {}
        let Some(reader) = &self.reader else { return Err(LocatedError::at_bit(Error::Truncated, 0)) };
        if self.module.has_ended() {
            return Ok(());
        }
        let is_empty = Some(reader.position() / 8) == self.header.map(|bytes| bytes as u64);
        Err(reader.error(if is_empty && self.length == reader.position() / 8 {
            Error::ModuleCount
        } else {
            Error::Truncated
        }))
    }
}

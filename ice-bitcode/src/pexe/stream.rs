//! Reads a program that arrives in pieces: from a network, or from a disk slower than the translator.
//!
//! Bytes collect in a buffer; what has been handed out is dropped from it. The module level is read by the same
//! state machine as for whole files, which stops before an entry that is not complete and takes it up again
//! when it is. It goes over all bodies of a piece at one go, so that the buffer is bound to the bitstream's reader
//! once a piece. At most one function body, one piece and the unread declarations are in memory.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
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
    /// Bytes that are not read yet, and some that are: the first `filled`. Behind them is room.
    buffer: Vec<u8>,
    filled: usize,
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
    /// Bodies before that position that were not handed out; their bytes are in the buffer.
    found: VecDeque<BodyRange>,
    /// What is wrong behind those.
    error: Option<Box<LocatedError>>,
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
            filled: 0,
            offset: 0,
            length: 0,
            expected: None,
            header: None,
            reader: None,
            module: ModuleReader::default(),
            record: Record::default(),
            found: VecDeque::new(),
            error: None,
        }
    }

    /// The reader, for a file of so many bytes: it refuses one that is too short before its functions come.
    #[must_use]
    pub fn with_length(self, length: u64) -> StreamReader {
        StreamReader { expected: Some(length), ..self }
    }

    /// Appends bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.fed(bytes.len());
    }

    /// Room for the next `length` bytes of the file. [`fed`](Self::fed) says how many of them were put there.
    pub fn room(&mut self, length: usize) -> &mut [u8] {
        let read = match self.found.front() {
            Some(body) => body.header.body / 8 - self.offset,
            None => self.reader.as_ref().map_or(0, |reader| reader.position() / 8 - self.offset),
        };
        let read = (read as usize & !3).min(self.filled);
        // Moving the rest is worth it when at least half of the buffer was read.
        if read * 2 >= self.filled {
            self.buffer.copy_within(read..self.filled, 0);
            self.offset += read as u64;
            self.filled -= read;
        }
        let end = self.filled + length;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        &mut self.buffer[self.filled..end]
    }

    /// Takes the first `length` bytes of the [room](Self::room) that was given out last.
    ///
    /// # Panics
    ///
    /// The room was smaller.
    pub fn fed(&mut self, length: usize) {
        assert!(length <= self.buffer.len() - self.filled, "more bytes than there was room for");
        self.filled += length;
        self.length += length as u64;
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
        if self.found.is_empty() {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            if let Some(header) = self.read_ahead()? {
                return Ok(Some(Event::Module(header)));
            }
        }
        let Some(body) = self.found.pop_front() else { return Ok(None) };
        let bytes = body.bytes();
        let start = (bytes.start as u64 - self.offset) as usize;
        Ok(Some(Event::Body(body, &self.buffer[start..start + bytes.len()])))
    }

    /// Reads the file header if it is complete.
    fn read_header(&mut self) -> Result<bool> {
        let bytes = &self.buffer[..self.filled];
        if bytes.len() < 8 || bytes.len() < header::header_length(bytes)? {
            return Ok(false);
        }
        let length = header::read_header(bytes)?;
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

    /// Goes on at the module level: up to its declarations, or over the bodies that are complete.
    fn read_ahead(&mut self) -> Result<Option<Box<ModuleHeader>>> {
        // Whole words only: an entry then never ends in bits that are still to come.
        let words = &self.buffer[..self.filled & !3];
        let Some(reader) = self.reader.take() else { return Ok(None) };
        let mut reader = reader.rebind(words, self.offset);
        let result = loop {
            if self.module.has_ended() {
                break match reader.position() / 8 < self.offset + self.filled as u64 {
                    true => Err(reader.error(Error::TrailingData)),
                    false => Ok(None),
                };
            }
            if reader.position() >= reader.available_end() {
                break Ok(None);
            }
            let depth = reader.depth();
            match self.module.step(&mut reader, &mut self.record) {
                Ok(Step::Entry | Step::End) => {}
                Ok(Step::Declarations(header)) => break Ok(Some(header)),
                Ok(Step::Body(body)) => self.found.push_back(body),
                Ok(Step::Incomplete) => break Ok(None),
                Err(error) if error.error == Error::Truncated && reader.depth() == depth => {
                    reader.rewind();
                    break Ok(None);
                }
                Err(error) => break Err(error),
            }
        };
        self.reader = Some(reader.detach());
        match result {
            Err(error) if !self.found.is_empty() => {
                self.error = Some(error);
                Ok(None)
            }
            result => result,
        }
    }

    /// Says that the file has ended.
    ///
    /// # Errors
    ///
    /// The program is not complete. Events that were not taken are lost.
    pub fn finish(&mut self) -> Result<()> {
        if self.header.is_none() {
            header::read_header(&self.buffer[..self.filled])?;
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

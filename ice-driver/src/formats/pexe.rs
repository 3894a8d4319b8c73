//! PNaCl bitcode, which is translated while it arrives.
//!
//! A program is a head of declarations and then bodies in the order of the module. The stream reader takes pieces of
//! the input under a lock; a body waits, as bytes, until a thread reads it, and is gone then. So memory holds a piece
//! and the bodies that threads have taken, and translation begins when the first body is complete.
//!
//! What is wrong with the program is told in the order of the file, whatever thread meets it: an error of the stream
//! is that of the body which is not there because of it, or of the end.

use super::{Bodies, BodyReader, Translate};
use crate::error::Error;
use crate::object::ZEROS_ALWAYS_ALLOWED;
use crate::options::Options;
use crate::parallel::HUGE_JOB;
use crate::repeats::{Repeats, Repetition};
use crate::report::Report;
use crate::translate::compile_module;
use ice_bitcode::pexe::{self, BodyRange, Event, ModuleHeader, StreamReader};
use ice_elf::Sink;
#[cfg(feature = "cli")]
use ice_ir::Program;
use ice_ir::{ControlFlowGraph, Filtered, Function, FunctionBuilder, FunctionDecl, Module};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(all(feature = "cli", any(feature = "llvm", feature = "text")))]
use {ice_ir::Environment, std::borrow::Cow};

/// Bytes that are read at once.
const PIECE: usize = 16 << 10;

/// Bytes behind a body.
const PADDING: usize = 8;

/// How many times as much work translating is as copying.
const COPYING: usize = 16;

/// Memory of a body that is kept for another one, in bytes.
const KEPT: usize = 1 << 10;

/// Reads the header of a program and has it translated.
///
/// # Errors
/// Those of [`read_to`](crate::translate::read_to).
pub fn translate(input: &[u8], options: &Options, translate: Translate<'_>) -> Result<Report, Error> {
    let length = input.len();
    read_stream(&mut &*input, Some(length), &mut |module, bodies, _| translate(module, bodies, options))
}

/// Translates a program that `input` gives. Its `length` in bytes serves to share the work, to refuse a file that was
/// cut off at once, and to tell data that is out of proportion; where it is not known and needed for that, the whole
/// program is read before the first function.
///
/// # Errors
/// Those of [`compile_to`](crate::compile_to), and of reading.
pub fn compile_stream(
    input: &mut (dyn Read + Send),
    length: Option<usize>,
    options: &Options,
    sink: &mut (dyn Sink + Send),
) -> Result<Report, Error> {
    read_stream(input, length, &mut |module, bodies, size| {
        compile_module(module, bodies, size, options, sink)
    })
}

/// What is done with a module whose header is read: with the module, its bodies, and the size of its input.
type TranslateSized<'a> = &'a mut dyn FnMut(&Module, &dyn Bodies, usize) -> Result<Report, Error>;

/// Reads the header of a program and hands it on with the bodies, which are to come, and a size of the input that
/// tells whether data are out of proportion.
fn read_stream(
    input: &mut (dyn Read + Send),
    length: Option<usize>,
    translate: TranslateSized<'_>,
) -> Result<Report, Error> {
    let mut stream = Stream::new(input, length);
    let header = stream.declarations()?;
    let size = match length {
        Some(length) => length,
        None if data_size(&header.module) <= ZEROS_ALWAYS_ALLOWED => 0,
        None => stream.read_all(&header.module),
    };
    // Bytes that are not known are enough for all threads.
    let total = length.map_or(usize::MAX, |length| length.saturating_sub(stream.length));
    let bodies = StreamBodies { header: &header, total, stream: Mutex::new(stream) };
    translate(&header.module, &bodies, size)
}

/// Bytes that the data of a module take at most.
fn data_size(module: &Module) -> u64 {
    let sizes = module.globals.iter().map(|(id, decl)| {
        module.global_size(id).saturating_add(1u64 << decl.align_log2.unwrap_or(0).min(63))
    });
    sizes.fold(0, u64::saturating_add)
}

/// What decides over the code of a function besides the bytes of its body: the declaration, of which PNaCl has no more,
/// and how the body is to be read.
fn kind(module: &Module, body: &BodyRange) -> u64 {
    let FunctionDecl { signature, linkage, .. } = module.functions[body.function];
    u64::from(signature.as_u32()) << 32 | (linkage as u64) << 8 | u64::from(body.header.width)
}

/// A body that was not read yet.
struct Waiting {
    index: usize,
    body: BodyRange,
    repetition: Repetition,
    /// None of one that came before.
    bytes: Vec<u8>,
}

/// The program as far as it has arrived.
struct Stream<'a> {
    input: &'a mut (dyn Read + Send),
    reader: StreamReader,
    /// Bytes read so far.
    length: usize,
    /// Bytes of the whole, if they are known.
    expected: Option<usize>,
    /// Bodies that wait, in the order of the module.
    waiting: VecDeque<Waiting>,
    /// Number of bodies that have arrived.
    arrived: usize,
    /// Memory of bodies.
    free: Vec<Vec<u8>>,
    /// The bodies that may come again, if that is asked for.
    repeats: Option<Repeats>,
    /// What ended the stream early.
    error: Option<Error>,
}

impl<'a> Stream<'a> {
    fn new(input: &'a mut (dyn Read + Send), length: Option<usize>) -> Stream<'a> {
        let reader = StreamReader::new();
        Stream {
            input,
            reader: match length {
                Some(length) => reader.with_length(length as u64),
                None => reader,
            },
            length: 0,
            expected: length,
            waiting: VecDeque::new(),
            arrived: 0,
            free: Vec::new(),
            repeats: None,
            error: None,
        }
    }

    /// Gives the reader the next piece; false at the end of the input, which the reader has accepted then.
    fn feed(&mut self) -> Result<bool, Error> {
        // A small file needs little room; where none is left, one byte tells that nothing follows.
        let left = self.expected.map_or(PIECE, |length| length.saturating_sub(self.length));
        let room = self.reader.room(left.clamp(1, PIECE));
        let count = loop {
            match self.input.read(room) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Input(error.to_string())),
            }
        };
        if count == 0 {
            self.reader.finish().map_err(Error::Bitcode)?;
            return Ok(false);
        }
        self.reader.fed(count);
        self.length += count;
        Ok(true)
    }

    /// The declarations, which come before all bodies.
    fn declarations(&mut self) -> Result<Box<ModuleHeader>, Error> {
        loop {
            match self.reader.next_event().map_err(Error::Bitcode)? {
                Some(Event::Module(header)) => return Ok(header),
                Some(Event::Body(..)) | None => {}
            }
            if !self.feed()? {
                return Err(Error::Input(String::from("the program ends before its declarations")));
            }
        }
    }

    /// Waits for the next body of `module`, and keeps it if it is wanted; false if there is none.
    fn next_body(&mut self, module: &Module, is_wanted: impl FnOnce(usize) -> bool) -> Result<bool, Error> {
        loop {
            if let Some(Event::Body(body, bytes)) = self.reader.next_event().map_err(Error::Bitcode)? {
                let index = self.arrived;
                self.arrived += 1;
                if is_wanted(index) {
                    let repeats = self.repeats.as_mut();
                    let repetition = repeats.map(|repeats| repeats.next(kind(module, &body), bytes));
                    let repetition = repetition.unwrap_or_default();
                    let mut memory = Vec::new();
                    if !repetition.is_again() {
                        memory = self.free.pop().unwrap_or_default();
                        memory.clear();
                        memory.extend_from_slice(bytes);
                        // Fields at the end of the body are read by whole words, too.
                        memory.extend_from_slice(&[0; PADDING]);
                    }
                    self.waiting.push_back(Waiting { index, body, repetition, bytes: memory });
                }
                return Ok(true);
            }
            if !self.feed()? {
                return Ok(false);
            }
        }
    }

    /// Waits for body number `index`. Bodies are asked for in ascending order, and those that nobody asked for before
    /// the next one are not kept.
    fn fetch(&mut self, module: &Module, index: usize) -> Result<(), Error> {
        while self.arrived <= index && self.error.is_none() {
            let result = self.next_body(module, |arrived| arrived == index);
            self.error = match result {
                Ok(true) => None,
                // The reader counts bodies, so that there is none too few behind its end.
                Ok(false) => Some(Error::Input(format!("body {index} is missing"))),
                Err(error) => Some(error),
            };
        }
        match &self.error {
            Some(error) if self.arrived <= index => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Where body number `index` waits: mostly in front.
    fn position(&self, index: usize) -> Option<usize> {
        match self.waiting.front() {
            Some(first) if first.index == index => Some(0),
            _ => self.waiting.binary_search_by_key(&index, |waiting| waiting.index).ok(),
        }
    }

    /// Takes body number `index`. Its bytes, unless it came before, go to `bytes`, whose memory is used again.
    fn take(
        &mut self,
        module: &Module,
        index: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<(BodyRange, Repetition), Error> {
        self.fetch(module, index)?;
        let waiting = self.position(index).and_then(|position| self.waiting.remove(position));
        let waiting = waiting.ok_or_else(|| Error::Input(format!("body {index} was read already")))?;
        let Waiting { body, repetition, bytes: memory, .. } = waiting;
        if !repetition.is_again() {
            let memory = core::mem::replace(bytes, memory);
            if memory.capacity() <= KEPT {
                self.free.push(memory);
            }
        }
        Ok((body, repetition))
    }

    /// Waits for the end of the input, and keeps all bodies. Gives its length. An error is for whoever wants a body
    /// that is not there, or the end.
    fn read_all(&mut self, module: &Module) -> usize {
        let result = loop {
            match self.next_body(module, |_| true) {
                Ok(true) => {}
                Ok(false) => break None,
                Err(error) => break Some(error),
            }
        };
        self.error = result;
        self.length
    }

    /// Reads what is behind the bodies.
    fn finish(&mut self, module: &Module) -> Result<(), Error> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        while self.next_body(module, |_| false)? {}
        Ok(())
    }
}

/// The bodies of a program of PNaCl bitcode.
struct StreamBodies<'a> {
    header: &'a ModuleHeader,
    /// Bytes of the bodies together.
    total: usize,
    stream: Mutex<Stream<'a>>,
}

impl<'a> StreamBodies<'a> {
    fn stream(&self) -> MutexGuard<'_, Stream<'a>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct StreamBodyReader<'a, 'i> {
    bodies: &'a StreamBodies<'i>,
    reader: pexe::FunctionReader,
    bytes: Vec<u8>,
}

impl Bodies for StreamBodies<'_> {
    fn count(&self) -> usize {
        self.header.module.defined_functions().count()
    }

    /// None where the stream has failed: reading says why.
    fn size(&self, index: usize) -> usize {
        let mut stream = self.stream();
        let fetched = stream.fetch(&self.header.module, index).is_ok();
        let position = if fetched { stream.position(index) } else { None };
        position.map_or(0, |position| {
            let Waiting { body, repetition, .. } = &stream.waiting[position];
            let bytes = body.bytes().len();
            if repetition.is_again() { bytes.div_ceil(COPYING) } else { bytes }
        })
    }

    fn total(&self) -> usize {
        self.total
    }

    fn tell_repeats(&self) {
        self.stream().repeats = Some(Repeats::default());
    }

    fn finish(&self) -> Result<(), Error> {
        self.stream().finish(&self.header.module)
    }

    fn reader(&self) -> Box<dyn BodyReader + '_> {
        let reader = pexe::FunctionReader::default();
        Box::new(StreamBodyReader { bodies: self, reader, bytes: Vec::new() })
    }
}

impl BodyReader for StreamBodyReader<'_, '_> {
    fn read(
        &mut self,
        index: usize,
        filter: &mut Filtered,
        func: &mut Function,
    ) -> Result<Repetition, Error> {
        let header = self.bodies.header;
        let (body, repetition) = self.bodies.stream().take(&header.module, index, &mut self.bytes)?;
        if !repetition.is_again() {
            let mut builder = FunctionBuilder::filtered(func, filter);
            self.reader.read_bytes(header, &self.bytes, &body, &mut builder).map_err(Error::Bitcode)?;
            if self.bytes.len() > HUGE_JOB {
                self.bytes = Vec::new();
                self.reader.give_back();
            }
        }
        Ok(repetition)
    }

    fn flow_graph(&self) -> Option<&ControlFlowGraph> {
        Some(self.reader.flow_graph())
    }
}

/// Reads a whole program faithfully: what is read can be written again.
///
/// # Errors
/// The input is malformed.
#[cfg(feature = "cli")]
pub fn read(bytes: &[u8]) -> ice_bitcode::Result<Program> {
    let header = pexe::read_module(bytes)?;
    let mut reader = pexe::FunctionReader::new();
    let mut bodies = Vec::with_capacity(header.bodies.len());
    for body in &header.bodies {
        let mut func = Function::new();
        reader.read(&header, bytes, body, &mut FunctionBuilder::new(&mut func))?;
        bodies.push(func);
    }
    Ok(Program { module: header.module, bodies })
}

/// Writes a program as bitcode; a native one is first brought into the frozen subset. What is given out obeys the
/// rules of the format: the program is checked before it is written, and the file is read again.
///
/// # Errors
/// The format cannot express the program, or it breaks a rule of the format.
#[cfg(all(feature = "cli", any(feature = "llvm", feature = "text")))]
pub fn freeze(program: &Program) -> Result<Vec<u8>, Error> {
    let frozen = match program.module.environment {
        Environment::Pnacl => Cow::Borrowed(program),
        Environment::Native => Cow::Owned(pexe::freeze(program).map_err(Error::Freeze)?),
    };
    ice_ir::verify_program(&frozen, ice_ir::Rules::Pnacl).map_err(Error::Verify)?;
    let bytes = pexe::write_program(&frozen).map_err(Error::Bitcode)?;
    read(&bytes).map_err(Error::Bitcode)?;
    Ok(bytes)
}

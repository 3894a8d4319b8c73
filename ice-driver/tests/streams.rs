//! PNaCl programs that arrive in pieces: the object does not depend on how they arrive, and translation does not wait
//! for the end.

use crate::common;

use ice_driver::formats::pexe;
use ice_driver::{Arch, Error, InputFormat, OptLevel, Options};
use ice_elf::{Sink, SinkError};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Gives a program in pieces of at most so many bytes, and then an error or the end.
struct Pieces<'a> {
    rest: &'a [u8],
    size: usize,
    error: Option<io::ErrorKind>,
    /// Bytes of output when the last piece is asked for.
    seen: Option<Arc<AtomicUsize>>,
    written: Arc<AtomicUsize>,
}

impl<'a> Pieces<'a> {
    fn new(rest: &'a [u8], size: usize) -> Pieces<'a> {
        Pieces { rest, size, error: None, seen: None, written: Arc::default() }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if let (true, Some(error)) = (self.rest.is_empty(), self.error) {
            return Err(error.into());
        }
        let size = self.size.min(bytes.len()).min(self.rest.len());
        if let (true, Some(seen)) = (size == self.rest.len() && size > 0, &self.seen) {
            seen.store(self.written.load(SeqCst), SeqCst);
        }
        (&self.rest[..size]).read_exact(&mut bytes[..size])?;
        self.rest = &self.rest[size..];
        Ok(size)
    }
}

/// Counts what it gets.
struct Counter(Arc<AtomicUsize>);

impl Sink for Counter {
    fn append(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.0.fetch_add(bytes.len(), SeqCst);
        Ok(())
    }

    fn patch(&mut self, _: u64, _: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }
}

fn options(threads: usize) -> Options {
    let (arch, level, format) = (Arch::X86_64, OptLevel::O2, InputFormat::Bitcode);
    Options { level, format, threads, ..Options::new(arch) }
}

fn program(name: &str) -> Option<Vec<u8>> {
    common::corpus().map(|corpus| std::fs::read(corpus.join(name)).unwrap())
}

fn translate(mut input: Pieces<'_>, length: Option<usize>, threads: usize) -> Result<Vec<u8>, Error> {
    let mut object = Vec::new();
    pexe::compile_stream(&mut input, length, &options(threads), &mut object)?;
    Ok(object)
}

#[test]
fn the_object_does_not_depend_on_the_pieces() {
    let Some(bytes) = program("bench/nbody.pexe") else { return };
    let whole = translate(Pieces::new(&bytes, usize::MAX), Some(bytes.len()), 0).unwrap();
    for size in [1, 7, 1000, 1 << 20] {
        for threads in [0, 3] {
            for length in [None, Some(bytes.len())] {
                let object = translate(Pieces::new(&bytes, size), length, threads).unwrap();
                assert!(object == whole, "pieces of {size}, {threads} threads, {length:?}");
            }
        }
    }
}

#[test]
fn the_error_does_not_depend_on_pieces_and_threads() {
    let Some(mut bytes) = program("bench/nbody.pexe") else { return };
    let mut refused = 0;
    for damaged in 0..60 {
        let at = 16 + damaged * (bytes.len() - 16) / 60;
        let old = std::mem::replace(&mut bytes[at], 0xff);
        // Some of them also end too early.
        let end = if damaged % 3 == 0 { bytes.len() - 4 * damaged } else { bytes.len() };
        // Where the length is known, a file that is cut off is refused sooner.
        for length in [None, Some(end)] {
            let whole = translate(Pieces::new(&bytes[..end], usize::MAX), length, 0);
            refused += usize::from(whole.is_err());
            for (size, threads) in [(1000, 0), (1 << 20, 3), (999, 3)] {
                let pieces = translate(Pieces::new(&bytes[..end], size), length, threads);
                assert!(pieces == whole, "byte {at}: {:?}, {:?}", pieces.err(), whole.err());
            }
        }
        bytes[at] = old;
    }
    assert!(refused > 60, "{refused} refused");
}

#[test]
fn translation_begins_before_the_input_ends() {
    let Some(bytes) = program("bench/nbody.pexe") else { return };
    for threads in [0, 3] {
        let (seen, written) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let mut input = Pieces::new(&bytes, 100);
        (input.seen, input.written) = (Some(Arc::clone(&seen)), Arc::clone(&written));
        pexe::compile_stream(&mut input, None, &options(threads), &mut Counter(Arc::clone(&written)))
            .unwrap();
        // The last functions, and what threads may hold, are still to come then.
        let (seen, written) = (seen.load(SeqCst), written.load(SeqCst));
        assert!(seen > 0 && seen < written, "{seen} of {written} bytes");
        assert!(threads > 0 || seen > written / 2, "{seen} of {written} bytes");
    }
}

#[test]
fn an_error_of_reading_is_told() {
    let Some(bytes) = program("bench/nbody.pexe") else { return };
    for (length, threads) in [(100, 0), (bytes.len() / 2, 0), (bytes.len() / 2, 3), (bytes.len(), 0)] {
        let mut input = Pieces::new(&bytes[..length], 512);
        input.error = Some(io::ErrorKind::ConnectionReset);
        let error = translate(input, None, threads).unwrap_err();
        assert!(matches!(&error, Error::Input(why) if why.contains("reset")), "{error:?}");
    }
}

//! Arbitrary damage: whatever the bytes are, the readers accept or refuse them with a place, and need little
//! memory. The number of mutations is set by `ICE_MUTATIONS` (default 2000 a program).
//!
//! One test function, because the allocator counts for the whole process.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use common::{corpus, read, start};
use ice_bitcode::bitstream::{Abbrev, Element, Op, Writer};
use ice_bitcode::dump::dump_pexe;
use ice_bitcode::header::HEADER;
use ice_bitcode::pexe::{Event, FunctionReader, StreamReader, read_module, write_program};
use ice_ir::{Filtered, Function, FunctionBuilder, Program};

/// Counts the bytes in use and their maximum.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(IN_USE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const LIMIT: usize = 64 << 20;

/// Reads all of a program; the functions are kept only where asked for.
fn read_all(bytes: &[u8], scratch: &mut Scratch) -> ice_bitcode::Result<()> {
    let header = read_module(bytes)?;
    for body in &header.bodies {
        let mut builder = FunctionBuilder::filtered(&mut scratch.func, &mut scratch.filter);
        scratch.reader.read(&header, bytes, body, &mut builder)?;
    }
    Ok(())
}

#[derive(Default)]
struct Scratch {
    reader: FunctionReader,
    func: Function,
    filter: Filtered,
}

/// Feeds a program in pieces of `size` bytes; the number of bodies.
fn stream_all(bytes: &[u8], size: usize, scratch: &mut Scratch) -> ice_bitcode::Result<usize> {
    let (mut stream, mut header, mut bodies) = (StreamReader::new(), None, 0);
    for piece in bytes.chunks(size) {
        stream.feed(piece);
        while let Some(event) = stream.next_event()? {
            match event {
                Event::Module(module) => header = Some(module),
                Event::Body(body, bytes) => {
                    let header = header.as_ref().expect("comes first");
                    let mut builder = FunctionBuilder::filtered(&mut scratch.func, &mut scratch.filter);
                    scratch.reader.read_bytes(header, bytes, &body, &mut builder)?;
                    bodies += 1;
                }
            }
        }
    }
    stream.finish()?;
    Ok(bodies)
}

/// Runs `read` on `bytes` and checks what it answers and needs.
fn check<T>(what: &str, bytes: &[u8], read: impl FnOnce(&[u8]) -> ice_bitcode::Result<T>) -> Option<T> {
    let before = IN_USE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = read(bytes);
    let peak = PEAK.load(Relaxed) - before;
    assert!(peak <= LIMIT, "{what}: {peak} bytes");
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(error.location.bit <= bytes.len() as u64 * 8, "{what}: {error}");
            assert!(!error.error.code().starts_with('W'), "{what}: {error}");
            None
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Counts of operands and elements that the bytes cannot hold must not be believed.
fn huge_counts() {
    for array in [None, Some(Op::Fixed(1)), Some(Op::Vbr(6)), Some(Op::Char6), Some(Op::Fixed(0))] {
        for count in [70_000, 0x0fff_ffff, u64::from(u32::MAX), 1 << 40] {
            let mut w = Writer::new(&HEADER);
            w.enter(8, 3);
            match array {
                None => w.record(1, &[1]),
                Some(op) => w.define(&Abbrev::new(&[Op::Literal(1)], Element::Array(op)).expect("legal")),
            }
            w.selector(if array.is_none() { 3 } else { 4 });
            if array.is_none() {
                w.vbr(1, 6);
            }
            w.vbr(count, 6);
            (0..64).for_each(|_| w.fixed(0, 32));
            let bytes = w.finish();
            let before = IN_USE.load(Relaxed);
            PEAK.store(before, Relaxed);
            assert!(read_module(&bytes).is_err());
            let peak = PEAK.load(Relaxed) - before;
            assert!(peak < 1 << 20, "{array:?} of {count}: {peak} bytes");
        }
    }
}

fn mutate(name: &str, original: &[u8], count: usize, scratch: &mut Scratch) {
    let mut random = Random(0x5eed_0001);
    let (mut accepted, mut bytes) = (0, original.to_vec());
    for round in 0..count {
        let at = random.below(original.len());
        let old = bytes[at];
        bytes[at] = match round % 2 {
            0 => old ^ 1 << random.below(8),
            _ => random.below(256) as u8,
        };
        let what = format!("{name} with byte {at} = {}", bytes[at]);
        accepted += usize::from(check(&what, &bytes, |b| read_all(b, scratch)).is_some());
        if round % 16 == 0 {
            let whole = check(&what, &bytes, |b| read_all(b, scratch)).is_some();
            let streamed = check(&what, &bytes, |b| stream_all(b, 1000, scratch)).is_some();
            assert_eq!(whole, streamed, "{what}");
            let mut text = String::new();
            check(&what, &bytes, |b| dump_pexe(b, &mut text).expect("a string takes all"));
        }
        bytes[at] = old;
    }
    println!("{name}: {accepted} of {count} mutations are accepted");
    assert!(accepted < count);
}

#[test]
fn damage_is_refused_with_a_place_and_in_little_memory() {
    huge_counts();
    let mut scratch = Scratch::default();
    let count = std::env::var("ICE_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    mutate("start", &start(), count * 5, &mut scratch);
    for end in 0..start().len() {
        let piece = &start()[..end];
        assert!(check("a prefix", piece, |b| read_all(b, &mut scratch)).is_none());
        assert!(check("a prefix", piece, |b| stream_all(b, 7, &mut scratch)).is_none());
    }
    if corpus().is_none() {
        return;
    }

    let puts = read("libc/puts.pexe").expect("in the corpus");
    for end in 0..puts.len() {
        assert!(check("a prefix", &puts[..end], |b| read_all(b, &mut scratch)).is_none());
    }
    for end in (0..puts.len()).step_by(97) {
        assert!(check("a prefix", &puts[..end], |b| stream_all(b, 4096, &mut scratch)).is_none());
    }
    for name in ["libc/puts.pexe", "bench/nbody.pexe"] {
        let bytes = read(name).expect("in the corpus");
        let bodies = read_module(&bytes).expect("well-formed").bodies.len();
        // Through a stream in pieces of any size, everything is the same.
        for size in [1, 3, 4, 1000, bytes.len() - 1, bytes.len()] {
            let result = stream_all(&bytes, size, &mut scratch).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(result, bodies, "{name} in pieces of {size}");
        }
        mutate(name, &bytes, count, &mut scratch);
    }
    for number in 1..=6 {
        let name = format!("malformed/r{number}.pexe");
        let bytes = read(&name).expect("in the corpus");
        let accepted = check(&name, &bytes, |b| read_all(b, &mut scratch)).is_some();
        println!("{name}: {}", if accepted { "accepted" } else { "refused" });
    }

    // A whole large program in memory, written and read again.
    let bytes = read("large/webp_encoder.pexe").expect("in the corpus");
    check("webp_encoder", &bytes, |bytes| {
        let header = read_module(bytes)?;
        let mut program = Program::default();
        for body in &header.bodies {
            let mut func = Function::new();
            scratch.reader.read(&header, bytes, body, &mut FunctionBuilder::new(&mut func))?;
            program.bodies.push(func);
        }
        program.module = header.module;
        write_program(&program)
    });
}

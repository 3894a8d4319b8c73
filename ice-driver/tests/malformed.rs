//! Damaged inputs: accepted or refused with a place, without a panic and without much memory.
//!
//! The damage is chosen by a generator with a fixed seed. `ICE_FUZZ_COUNT` sets the number of changes a
//! program (the default takes a few seconds). Translation is in this process, under an allocator that counts.

mod common;

use ice_driver::{Arch, Error, Options, compile_to};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go to the system's allocator unchanged; only numbers are kept beside.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(LIVE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`, and the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that any input of this size may make the translator hold.
const MEMORY_LIMIT: usize = 64 << 20;

/// One test at a time, so that memory is counted for one.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Translates and checks what comes back. Gives whether the input was accepted.
fn try_translate(input: &[u8], arch: Arch, what: &dyn Fn() -> String) -> bool {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let mut object = Vec::new();
    let result = compile_to(input, &Options::new(arch), &mut object);
    let used = PEAK.load(Relaxed).saturating_sub(before);
    assert!(used <= MEMORY_LIMIT, "{}: {used} bytes", what());
    match result {
        Ok(_) => true,
        Err(error) => {
            let text = error.to_string();
            match error {
                Error::Bitcode(_) | Error::Body { .. } => {
                    assert!(text.contains(" at "), "{}: {text}", what())
                }
                Error::Compile { .. } => assert!(text.contains("function"), "{}: {text}", what()),
                Error::DataTooLarge { .. } => {}
                other => panic!("{}: {other}", what()),
            }
            false
        }
    }
}

/// Xorshift64*, by Marsaglia and Vigna.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }
}

fn change_count() -> usize {
    std::env::var("ICE_FUZZ_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

fn change_at_random(name: &str) {
    let Some(corpus) = common::corpus() else { return };
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let original = std::fs::read(corpus.join(name)).unwrap();
    let mut random = Random(0x1ce_5eed ^ original.len() as u64);
    let (count, mut accepted) = (change_count(), 0);
    let mut input = original.clone();
    for number in 0..count {
        let at = random.below(original.len());
        let old = input[at];
        input[at] = if number % 2 == 0 { random.next() as u8 } else { old ^ 1 << random.below(8) };
        let arch = if number % 4 < 2 { Arch::X86_32 } else { Arch::X86_64 };
        let what = || format!("{name}, change {number}: byte {at} from {old:#x} to {:#x}", input[at]);
        accepted += usize::from(try_translate(&input, arch, &what));
        input[at] = old;
    }
    println!("{name}: {accepted} of {count} changed programs accepted");
}

#[test]
fn changes_of_puts() {
    change_at_random("libc/puts.pexe");
}

#[test]
fn changes_of_nbody() {
    change_at_random("bench/nbody.pexe");
}

#[test]
fn prefixes_of_puts() {
    let Some(corpus) = common::corpus() else { return };
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let input = std::fs::read(corpus.join("libc/puts.pexe")).unwrap();
    // All of them with `ICE_FUZZ_COUNT`; else a part, and all short ones.
    let step = if std::env::var_os("ICE_FUZZ_COUNT").is_some() { 1 } else { 61 };
    for length in (0..512).chain((512..input.len()).step_by(step)) {
        let what = || format!("prefix of {length} bytes");
        assert!(!try_translate(&input[..length], Arch::X86_32, &what), "{}: accepted", what());
    }
}

#[test]
fn malformed_files() {
    let Some(corpus) = common::corpus() else { return };
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for path in common::programs(&corpus, &["malformed"]) {
        let input = std::fs::read(&path).unwrap();
        for arch in [Arch::X86_32, Arch::X86_64] {
            try_translate(&input, arch, &|| path.display().to_string());
        }
    }
}

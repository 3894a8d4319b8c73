//! Translation of damaged inputs inside the process, under an allocator that counts.

use ice_driver::{Error, Options, compile_to};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
/// Much longer than any of these inputs takes on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// One test at a time, so that memory is counted for one.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Translates and checks what comes back. Gives the message if the input was refused.
pub fn try_translate(input: &[u8], options: &Options, what: &dyn Fn() -> String) -> Result<(), String> {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let mut object = Vec::new();
    let start = Instant::now();
    let result =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| compile_to(input, options, &mut object)));
    let Ok(result) = result else {
        let kept = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged-input");
        let _ = std::fs::write(&kept, input);
        panic!("{}: a panic; kept as {}", what(), kept.display());
    };
    assert!(start.elapsed() < TIME_LIMIT, "{}: takes too long", what());
    let used = PEAK.load(Relaxed).saturating_sub(before);
    assert!(used <= MEMORY_LIMIT, "{}: {used} bytes", what());
    match result {
        Ok(_) => Ok(()),
        Err(error) => {
            let text = error.to_string();
            match error {
                Error::Bitcode(_) | Error::Body { .. } => {
                    assert!(text.contains(" at "), "{}: {text}", what());
                }
                Error::Compile { .. } => assert!(text.contains("function"), "{}: {text}", what()),
                // These concern the whole module.
                Error::DataTooLarge { .. } | Error::WrongTarget { .. } | Error::PointerWidth { .. } => {}
                other => panic!("{}: {other}", what()),
            }
            Err(text)
        }
    }
}

/// Xorshift64*, by Marsaglia and Vigna.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(0x1ce_5eed ^ seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }
}

/// Changes of a program: `ICE_FUZZ_COUNT`, or this many.
pub fn change_count(usual: usize) -> usize {
    std::env::var("ICE_FUZZ_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

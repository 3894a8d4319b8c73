//! Seven thousand functions with forty thousand relocations cost few allocations, and the code is not kept.
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use ice_elf::{
    AddendPlacement, Binding, Code, Format, ObjectWriter, Options, Relocation, Sink, SinkError, SymbolKind,
    Target, Visibility,
};

static CALLS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counted.
struct Counting;

fn grown(by: usize) {
    CALLS.fetch_add(1, Ordering::Relaxed);
    let live = LIVE.fetch_add(by, Ordering::Relaxed) + by;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller's promise is the one asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    // `realloc` is the trait's: allocate, copy, free. So growth counts as a call, and its peak is real.
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Forgets the bytes.
struct Nowhere(u64);

impl Sink for Nowhere {
    fn append(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.0 += bytes.len() as u64;
        Ok(())
    }

    fn patch(&mut self, _: u64, _: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }
}

/// One test a file: the counters are of the process.
#[test]
fn metadata_only_and_no_allocation_for_a_relocation() {
    const FUNCTIONS: usize = 7_000;
    let names: Vec<String> = (0..FUNCTIONS).map(|number| format!("function_{number}")).collect();
    let mut bytes = vec![0x90; 4096];
    for (format, record) in [(Format::X86_32, 8), (Format::X86_64, 24)] {
        let (calls, live) = (CALLS.load(Ordering::Relaxed), LIVE.load(Ordering::Relaxed));
        PEAK.store(live, Ordering::Relaxed);
        let mut w = ObjectWriter::new(Nowhere(0), Options::new(format)).unwrap();
        let mut previous = None;
        let mut relocations = 0;
        for name in &names {
            let symbol = w
                .declare_symbol(name.as_bytes(), Binding::Local, SymbolKind::Func, Visibility::Default)
                .unwrap();
            let target = Target::Symbol(*previous.get_or_insert(symbol));
            let relocation = |number: u64| Relocation {
                offset: number * 8,
                r_type: 1,
                target,
                addend: -4,
                placement: AddendPlacement::Width4,
            };
            w.append_code(Code::new(symbol, &mut bytes), (0..6).map(relocation)).unwrap();
            relocations += 6;
            previous = Some(symbol);
        }
        let written = w.finish().unwrap().0;
        assert!(written > (FUNCTIONS * bytes.len()) as u64);
        let calls = CALLS.load(Ordering::Relaxed) - calls;
        let peak = PEAK.load(Ordering::Relaxed) - live;
        println!("{format:?}: {written} bytes, {relocations} relocations, {calls} allocations, peak {peak}");
        assert!(calls < 150, "{calls} allocations");
        // Growing vectors may be at most three times as large as needed while they move; relocations never move.
        let symbols = FUNCTIONS * (32 + 24 + 4 + 3 * 16);
        assert!(peak < relocations * record + 3 * symbols, "peak {peak}");
    }
}

//! Threads that load, call and unload at once.

use crate::common::{IS_EMULATED, RECIPES, load};
use ice_jit::{Error, Jit, LoadedModule};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const THREADS: u64 = 4;

fn text(name: &str, number: u64) -> String {
    format!(
        "declare external @base(i64) -> i64\n\
         global internal @state align 8 = zero {}\n\
         define external @{name}(v0: i64) -> i64 {{\n  v1: i64 = {number}\nblock0:\n  v2: i64 = call @base(v0)\n  \
         v3: i64 = mul v2, v1\n  v4: i64 = load @state, align 8\n  v5: i64 = add v3, v4\n  ret v5\n}}\n",
        8 + number % 500
    )
}

/// Loads, calls and drops modules, some of which are called by another thread than the one that has loaded them.
fn work(
    jit: &Jit,
    thread: u64,
    shelf: &Mutex<Vec<(u64, LoadedModule)>>,
    until: Instant,
) -> Result<u64, Error> {
    let mut rounds = 0;
    while Instant::now() < until {
        let number = rounds * THREADS + thread + 1;
        let name = format!("run_{thread}");
        let module = load(jit, &text(&name, number))?;
        // SAFETY: the code is that of `text`; the module is there.
        let f = unsafe { module.get::<extern "C" fn(i64) -> i64>(&name)? };
        assert_eq!(f(3), 4 * number as i64);
        let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, other)) = shelf.pop() {
            drop(shelf);
            let name = format!("run_{}", (number - 1) % THREADS);
            // SAFETY: the code is that of `text`; the module is there.
            let f = unsafe { other.get::<extern "C" fn(i64) -> i64>(&name)? };
            assert_eq!(f(-2), -(number as i64));
        }
        rounds += 1;
    }
    Ok(rounds)
}

/// Memory of the process, in KiB.
#[derive(Clone, Copy)]
struct Memory {
    /// What the system has given pages for; under an emulator those of the emulator.
    resident: u64,
    /// Addresses that can be used. Emulators tell of the process that they run.
    mapped: u64,
}

impl Memory {
    fn of_process() -> Memory {
        let text = std::fs::read_to_string("/proc/self/statm").expect("the system tells");
        let pages: u64 =
            text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("the second is a number");
        let maps = std::fs::read_to_string("/proc/self/maps").expect("the system tells");
        let length = |line: &str| {
            let (range, rest) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let [start, end] = [start, end].map(|hex| u64::from_str_radix(hex, 16).ok());
            (!rest.starts_with("---")).then_some(end? - start?)
        };
        Memory { resident: pages * 4, mapped: maps.lines().filter_map(length).sum::<u64>() >> 10 }
    }

    /// Whether this is no more than what `before` would be with some pages of another heap.
    fn is_like(self, before: Memory) -> bool {
        let grown = |now: u64, before: u64| now > before + before / 4 + 4096;
        !(grown(self.mapped, before.mapped) || !IS_EMULATED && grown(self.resident, before.resident))
    }
}

impl std::fmt::Display for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} KiB resident, {} KiB mapped", self.resident, self.mapped)
    }
}

fn run(duration: Duration) -> Result<u64, Error> {
    let mut total = 0;
    for recipe in RECIPES {
        let jit = Jit::new(recipe)?;
        let base = "define external @base(v0: i64) -> i64 {\n  v1: i64 = 1\nblock0:\n  v2: i64 = add v0, v1\n  ret v2\n}\n";
        let base = load(&jit, base)?;
        let until = Instant::now() + duration;
        let shelf = Mutex::default();
        let rounds: Result<Vec<u64>, Error> = std::thread::scope(|scope| {
            let spawn = |thread| {
                scope.spawn({
                    let (jit, shelf) = (jit.clone(), &shelf);
                    move || work(&jit, thread, shelf, until)
                })
            };
            let threads: Vec<_> = (0..THREADS).map(spawn).collect();
            threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
        });
        total += rounds?.iter().sum::<u64>();
        drop(base);
    }
    Ok(total)
}

#[test]
fn threads_load_call_and_unload() -> Result<(), Error> {
    assert!(run(Duration::from_millis(500))? > 0);
    Ok(())
}

/// A minute under load, or as many seconds as `ICE_JIT_SECONDS` says, without a fault and without growth:
/// `cargo xtask jit-load`.
#[test]
#[ignore = "takes a minute"]
fn threads_load_call_and_unload_for_a_minute() -> Result<(), Error> {
    let seconds =
        std::env::var("ICE_JIT_SECONDS").map_or(60, |text| text.parse().expect("a number of seconds"));
    run(Duration::from_secs(2))?;
    let before = Memory::of_process();
    println!("at first: {before}");
    let mut total = 0;
    for part in ["half way", "at the end"] {
        // Both recipes take a part of it.
        total += run(Duration::from_secs(seconds) / 4)?;
        let now = Memory::of_process();
        println!("{part}: {now}, {total} modules");
        assert!(now.is_like(before), "{before} before, {now} after {total} modules");
    }
    assert!(total > 0);
    Ok(())
}

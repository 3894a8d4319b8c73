//! Threads that load, call and unload at once.

use crate::common::{RECIPES, load};
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

/// The memory of the process that is in use, in pages.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("the system tells");
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number")
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

/// A minute under load, without a fault and without growth.
#[test]
#[ignore = "takes a minute"]
fn threads_load_call_and_unload_for_a_minute() -> Result<(), Error> {
    run(Duration::from_secs(2))?;
    let before = resident();
    let rounds = run(Duration::from_secs(30))?;
    let after = resident();
    println!("{rounds} modules; {before} pages before, {after} after");
    // The memory of an emulator is that of the process.
    let is_native = cfg!(not(target_arch = "arm"));
    assert!(!is_native || after < before + before / 4 + 1000, "{before} pages before, {after} after");
    Ok(())
}

//! Damaged inputs: accepted or refused with a place, without a panic and without much memory.
//!
//! The damage is chosen by a generator with a fixed seed. `ICE_FUZZ_COUNT` sets the number of changes a
//! program (the default takes a few seconds). Translation is in this process, under an allocator that counts.

mod common;

#[path = "common/damage.rs"]
mod damage;

use damage::{Random, alone, change_count, try_translate};
use ice_driver::{Arch, Options};

fn change_at_random(name: &str) {
    let Some(corpus) = common::corpus() else { return };
    let _guard = alone();
    let original = std::fs::read(corpus.join(name)).unwrap();
    let mut random = Random::new(original.len() as u64);
    let (count, mut accepted) = (change_count(300), 0);
    let mut input = original.clone();
    for number in 0..count {
        let at = random.below(original.len());
        let old = input[at];
        input[at] = if number % 2 == 0 { random.next() as u8 } else { old ^ 1 << random.below(8) };
        let arch = if number % 4 < 2 { Arch::X86_32 } else { Arch::X86_64 };
        let what = || format!("{name}, change {number}: byte {at} from {old:#x} to {:#x}", input[at]);
        accepted += usize::from(try_translate(&input, &Options::new(arch), &what).is_ok());
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
    let _guard = alone();
    let input = std::fs::read(corpus.join("libc/puts.pexe")).unwrap();
    // All of them with `ICE_FUZZ_COUNT`; else a part, and all short ones.
    let step = if std::env::var_os("ICE_FUZZ_COUNT").is_some() { 1 } else { 61 };
    for length in (0..512).chain((512..input.len()).step_by(step)) {
        let what = || format!("prefix of {length} bytes");
        let result = try_translate(&input[..length], &Options::new(Arch::X86_32), &what);
        assert!(result.is_err(), "{}: accepted", what());
    }
}

#[test]
fn malformed_files() {
    let Some(corpus) = common::corpus() else { return };
    let _guard = alone();
    for path in common::programs(&corpus, &["malformed"]) {
        let input = std::fs::read(&path).unwrap();
        for arch in [Arch::X86_32, Arch::X86_64] {
            let _ = try_translate(&input, &Options::new(arch), &|| path.display().to_string());
        }
    }
}

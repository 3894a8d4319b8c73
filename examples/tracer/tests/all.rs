//! Programs give the same output, or the same error, with machine code and without.

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux"))]
mod corners;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux"))]
mod programs;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux"))]
mod random;
mod syntax;

use ice_tracer::{Recipe, Stats, run};

/// What a program prints, and the error that it ends with.
pub fn outcome(source: &str, recipe: Option<Recipe>) -> (String, Option<String>, Stats) {
    let mut output = Vec::new();
    let result = run(source, recipe, &mut output);
    let output = String::from_utf8(output).expect("programs print text");
    match result {
        Ok(stats) => (output, None, stats),
        Err(error) => (output, Some(error.to_string()), Stats::default()),
    }
}

/// Runs a program with the interpreter alone and with machine code by both recipes. Gives what all print and the error that
/// all end with, and the figures of `O2`.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux"))]
pub fn agree(source: &str) -> (String, Option<String>, Stats) {
    let (output, error, _) = outcome(source, None);
    let mut stats = Stats::default();
    for recipe in [Recipe::Om1, Recipe::O2] {
        let traced = outcome(source, Some(recipe));
        assert_eq!((&traced.0, &traced.1), (&output, &error), "{recipe:?} of\n{source}");
        stats = traced.2;
    }
    (output, error, stats)
}

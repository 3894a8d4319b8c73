//! Confined code keeps the rules of the sandbox, whatever the program.

mod rules;

#[path = "../examples/generate.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example of its own")]
mod generate;

use crate::common::{Scratch, TARGETS, corpus, expect_success, ice, programs};
use ice_ir::generate::{Entry, Options, ReturnCalls, UndefinedResults, generate_program};
use object::{Object, ObjectSection};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How many random programs.
const RANDOM: u64 = 12;

/// The text of a program as an object of confined code, and what a linker fills in.
fn confined_text(input: &Path, target: &str, level: &str, scratch: &Scratch) -> (Vec<u8>, HashSet<u64>) {
    let output = scratch.path("confined.o");
    let translated = ice()
        .args(["translate", "--sandbox", "--target", target, level, "-o"])
        .args([&output, input])
        .output()
        .expect("ice starts");
    expect_success(&translated, &format!("{} {target} {level}", input.display()));
    let bytes = std::fs::read(&output).expect("the object");
    let object = object::File::parse(&*bytes).expect("an object");
    let text = object.section_by_name(".text").expect("a text");
    assert!(text.align() >= 32, "{}", text.align());
    let open = text.relocations().map(|(offset, _)| offset).collect();
    (text.data().expect("bytes").to_vec(), open)
}

fn random_options(seed: u64) -> Options {
    Options {
        functions: 1 + (seed % 7) as u32,
        statements: 5 + (seed * 7 % 90) as u32,
        entry: Entry::Start,
        undefined: UndefinedResults::Avoid,
        return_calls: ReturnCalls::Allow,
    }
}

fn check_programs(inputs: &[PathBuf]) {
    let scratch = Scratch::new();
    for input in inputs {
        for target in TARGETS {
            for level in ["-O2", "-Om1"] {
                let (text, open) = confined_text(input, target, level, &scratch);
                let bits = if target == "x86_64" { 64 } else { 32 };
                if let Err(error) = rules::check(&text, bits, &open) {
                    panic!("{} {target} {level}: {error}", input.display());
                }
            }
        }
    }
}

#[test]
fn code_of_the_corpus_keeps_the_rules() {
    let Some(corpus) = corpus() else { return };
    check_programs(&programs(&corpus, &["bench", "libc", "large"]));
}

#[test]
fn code_of_random_programs_keeps_the_rules() {
    let scratch = Scratch::new();
    let random = (0..RANDOM).map(|seed| {
        let text = generate::with_output(&generate_program(seed, &random_options(seed))).expect("a program");
        scratch.write(&format!("random{seed}.ice"), text)
    });
    check_programs(&random.collect::<Vec<_>>());
}

//! The ARM back end from end to end: random programs with every kind of instruction, vectors and atomics
//! among them, print under qemu what the interpreter prints; and the assembler text is the object.

mod common;

#[path = "../examples/generate.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example of its own")]
mod generate;

use common::{Scratch, can_run, expect_success, find_tool, ice, skip};
use ice_ir::generate::{Entry, Options, UndefinedResults, generate_program};
use std::process::Command;

fn program(seed: u64) -> String {
    let options = Options {
        functions: 1 + (seed % 7) as u32,
        statements: 5 + (seed * 7 % 90) as u32,
        entry: Entry::Start,
        undefined: UndefinedResults::Avoid,
    };
    generate::with_output(&generate_program(seed, &options)).unwrap()
}

#[test]
fn random_programs_print_what_the_interpreter_prints() {
    if !can_run("armv7") {
        return;
    }
    let scratch = Scratch::new();
    for seed in 0..24 {
        let input = scratch.write("program.ice", program(seed));
        let expected = ice().arg("interpret").arg(&input).output().unwrap();
        expect_success(&expected, "interpreter");
        for level in ["-Om1", "-O2"] {
            let output = ice().args(["run", "--target", "armv7", level]).arg(&input).output().unwrap();
            expect_success(&output, &format!("seed {seed} {level}"));
            assert_eq!(output.stdout, expected.stdout, "seed {seed} {level}");
        }
    }
}

#[test]
fn large_frames_and_arguments_on_the_stack_hold_what_was_put_there() {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/armv7/frames.ice");
    expect_success(&ice().args(["interpret", input]).output().unwrap(), "interpreter");
    if can_run("armv7") {
        for level in ["-Om1", "-O2"] {
            let output = ice().args(["run", "--target", "armv7", level, input]).output().unwrap();
            expect_success(&output, level);
        }
    }
}

#[test]
fn objects_do_not_depend_on_the_number_of_threads() {
    let scratch = Scratch::new();
    let mut inputs = vec![scratch.write("program.ice", program(11))];
    inputs.extend(common::corpus().map(|corpus| corpus.join("bench/fasta.pexe")));
    for input in inputs {
        for level in ["-Om1", "-O2"] {
            let translated = ["0", "4"].map(|threads| {
                let object = scratch.path("a.o");
                let arguments = ["translate", "--target", "armv7", level, "--threads", threads];
                let output = ice().args(arguments).arg(&input).arg("-o").arg(&object).output().unwrap();
                expect_success(&output, level);
                std::fs::read(object).unwrap()
            });
            assert!(translated[0] == translated[1], "{} {level}", input.display());
        }
    }
}

/// The bytes of `.text`.
fn code(file: &[u8]) -> Vec<u8> {
    use object::{Object, ObjectSection};
    let file = object::File::parse(file).unwrap();
    file.section_by_name(".text").unwrap().data().unwrap().to_vec()
}

/// Places where the linker fills something in are alike in both, as the fields hold the addends.
#[test]
fn assembler_text_makes_the_bytes_of_the_object() {
    let scratch = Scratch::new();
    let input = scratch.write("program.ice", program(3));
    let (object, text) = (scratch.path("a.o"), scratch.path("a.s"));
    for (emit, output) in [("obj", &object), ("asm", &text)] {
        let arguments = ["translate", "--target", "armv7", "--emit", emit];
        let output = ice().args(arguments).arg(&input).arg("-o").arg(output).output().unwrap();
        expect_success(&output, emit);
    }
    let ours = code(&std::fs::read(&object).unwrap());
    let llvm: &[&str] = &["-filetype=obj", "-triple=armv7a-linux-gnueabihf"];
    for (tool, arguments) in [("llvm-mc-19", llvm), ("arm-linux-gnueabihf-as", &[])] {
        let Some(tool) = find_tool(&[tool]) else {
            skip("armv7", tool);
            continue;
        };
        let assembled = scratch.path("b.o");
        let output =
            Command::new(tool).args(arguments).arg(&text).arg("-o").arg(&assembled).output().unwrap();
        expect_success(&output, tool);
        let theirs = code(&std::fs::read(&assembled).unwrap());
        // Direct calls that are resolved here are left to the linker there.
        let differ = |(ours, theirs): (&[u8], &[u8])| ours != theirs && ours[3] != 0xeb;
        let count = ours.chunks(4).zip(theirs.chunks(4)).filter(|&pair| differ(pair)).count();
        assert_eq!((count, ours.len()), (0, theirs.len()), "{tool}");
    }
}

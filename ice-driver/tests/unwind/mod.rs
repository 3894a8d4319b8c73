//! Tables for unwinding, evaluated by another library at every instruction, against what the instructions do.

mod tables;
mod walk;

use crate::common::{self, Scratch, TARGETS, corpus, expect_success, ice};
use std::path::Path;
use std::process::Command;
use tables::Where;

/// The object of a program.
fn translate(target: &str, input: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = ice().args(["translate", "--target", target, "-o", "-"]).args(arguments).arg(input).output();
    let output = output.expect("ice starts");
    expect_success(&output, &format!("{target} {}", input.display()));
    output.stdout
}

/// Functions of `frames.c`.
const FRAMES: usize = 18;

/// Each kind of frame: none, saved registers, large, with a frame pointer, with objects of unknown size, with callees that
/// pop their arguments, with vector registers that are preserved, taken behind the entry.
#[test]
fn every_kind_of_frame_is_described_at_every_instruction() {
    let Some(clang) = common::find_tool(&["clang-19"]) else {
        return common::skip("tables for unwinding of C functions", "no clang-19 on this machine");
    };
    let scratch = Scratch::new();
    let (source, bitcode) = (scratch.write("frames.c", include_str!("frames.c")), scratch.path("frames.bc"));
    for (target, triple) in [("x86_64", "x86_64-linux-gnu"), ("i686", "i686-linux-gnu")] {
        for pointer in ["-fomit-frame-pointer", "-fno-omit-frame-pointer"] {
            let flags = ["-O1", "-fPIC", pointer, "-c", "-emit-llvm", "-target", triple, "-o"];
            let output = Command::new(clang).args(flags).arg(&bitcode).arg(&source).output();
            expect_success(&output.expect("clang starts"), "clang");
            for (level, model) in
                ["-O2", "-Om1"].into_iter().flat_map(|level| [(level, "pic"), (level, "static")])
            {
                let arguments = [level, "--relocation-model", model, "--unwind-tables"];
                for (tables, place) in [("async", Where::Everywhere), ("sync", Where::Calls)] {
                    let object = translate(target, &bitcode, &[&arguments[..], &[tables]].concat());
                    let checked = tables::check(&object, place).unwrap_or_else(|error| {
                        panic!("{target} {pointer} {level} {model} {tables}: {error}")
                    });
                    assert!(checked.functions == FRAMES && checked.instructions > FRAMES, "{checked:?}");
                }
            }
        }
    }
}

/// What assemblers make of the directives is the section that is written.
#[test]
fn assemblers_make_the_same_tables() {
    let Some(assembler) = common::find_tool(&["as"]).filter(|_| cfg!(target_arch = "x86_64")) else {
        return common::skip("directives for tables for unwinding", "no assembler");
    };
    let Some(corpus) = corpus() else { return };
    let scratch = Scratch::new();
    let input = corpus.join("bench/nbody.pexe");
    for (target, flag) in [("x86_64", "--64"), ("i686", "--32")] {
        for level in ["-O2", "-Om1"] {
            let arguments = [level, "--unwind-tables", "async"];
            let object = translate(target, &input, &arguments);
            let text = translate(target, &input, &[&arguments[..], &["--emit", "asm"]].concat());
            let (source, assembled) = (scratch.write("a.s", text), scratch.path("a.o"));
            let output = Command::new(assembler).arg(flag).arg(&source).arg("-o").arg(&assembled).output();
            expect_success(&output.expect("it starts"), "as");
            let other = std::fs::read(&assembled).expect("an object");
            assert_eq!(tables::rows(&object), tables::rows(&other), "{target} {level}");
            assert!(!tables::rows(&object).is_empty());
        }
    }
}

/// The linker's table of the tables, the unwinder of the compiler, and catching, are those of any program.
#[test]
fn exceptions_of_cpp_pass_through() {
    let tools = common::find_tool(&["clang-19"]).zip(common::find_tool(&["g++"]));
    let Some((clang, linker)) = tools.filter(|_| cfg!(target_arch = "x86_64")) else {
        return common::skip("exceptions of C++", "no clang-19 or no g++ on this machine");
    };
    let scratch = Scratch::new();
    let (passes, throws) = (include_str!("passes.c"), include_str!("throws.cc"));
    let (source, bitcode) = (scratch.write("passes.c", passes), scratch.path("passes.bc"));
    let (main, object, program) =
        (scratch.write("throws.cc", throws), scratch.path("a.o"), scratch.path("a"));
    let flags = ["-O1", "-fexceptions", "-c", "-emit-llvm", "-o"];
    let output = Command::new(clang).args(flags).arg(&bitcode).arg(&source).output();
    expect_success(&output.expect("clang starts"), "clang");
    for level in ["-O2", "-Om1"] {
        std::fs::write(&object, translate("x86_64", &bitcode, &[level])).expect("write");
        let output = Command::new(linker).args([&main, &object]).arg("-o").arg(&program).output();
        expect_success(&output.expect("g++ starts"), "g++");
        let output = Command::new(&program).output().expect("it starts");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(printed, "~2\n~2\n38\n~100\n~3\n~100\ncaught three\n", "{level}");
    }
}

/// Who asks for nothing gets nothing; who asks gets it unless it is forbidden.
#[test]
fn functions_say_whether_they_have_tables() {
    let scratch = Scratch::new();
    let function = |name: &str, words: &str| {
        format!("define external {words} @{name}(v0: i32) -> i32 {{\nblock0:\n  ret v0\n}}\n")
    };
    let text = [
        "target pointer i64 native\n\n",
        &function("f", ""),
        &function("g", "uwtable"),
        &function("h", "uwtable_sync"),
    ];
    let input = scratch.write("some.ice", text.concat());
    for (arguments, functions) in
        [(&[][..], 2), (&["--unwind-tables", "none"], 0), (&["--unwind-tables", "sync"], 3)]
    {
        let object = translate("x86_64", &input, arguments);
        let checked = tables::check(&object, Where::Everywhere).expect("frames of leaves are simple");
        assert_eq!(checked.functions, functions, "{arguments:?}");
    }
}

/// Thousands of functions of real programs.
#[test]
fn real_programs_are_described_at_every_instruction() {
    let Some(corpus) = corpus() else { return };
    for target in TARGETS {
        for level in ["-O2", "-Om1"] {
            let object =
                translate(target, &corpus.join("bench/nbody.pexe"), &[level, "--unwind-tables", "async"]);
            let checked = tables::check(&object, Where::Everywhere)
                .unwrap_or_else(|error| panic!("{target} {level}: {error}"));
            assert!(checked.functions > 40 && checked.instructions > 10_000, "{target} {level}: {checked:?}");
        }
    }
}

//! Functions whose body came before: their code is a copy, and nothing of the object tells.

use crate::common;

use common::program::with_entry;
use common::{
    ALL_TARGETS, SANDBOX_TARGETS, Scratch, can_run, corpus, errors, expect_success, programs, run_ice,
};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// How often each body is there.
const COPIES: u32 = 3;

/// Bodies with what can be in the code of a function: calls, also of the first function with the body; addresses, also
/// of functions; constants in memory; a switch with a table; a loop. And functions with the same bytes as another one
/// that are declared otherwise.
fn functions() -> String {
    let mut text = String::from("global internal @word align 4 = zero 16\n\n");
    let mut calls = String::new();
    let mut define = |name: &str, ty: &str, body: &str| {
        let _ = write!(text, "define internal @{name}(v0: {ty}) -> {ty} {{\n{body}}}\n\n");
    };
    for n in 0..COPIES {
        // Calls the first one, which so calls itself.
        define(
            &format!("count{n}"),
            "i32",
            "  v1: i32 = 0\n  v2: i32 = -1\nblock0:\n  v3: i1 = icmp eq v0, v1\n  br v3, block1, block2\nblock1:\n  ret v1
block2:\n  v4: i32 = add v0, v2\n  v5: i32 = call @count0(v4)\n  v6: i32 = add v5, v0\n  ret v6\n",
        );
        define(
            &format!("address{n}"),
            "i32",
            "block0:\n  v1: i32 = load @word, align 1\n  v2: i32 = add v1, v0\n  store v2 to @word, align 1\n  v3: i32 = call_indirect @same1(v2)
  v4: i1 = icmp eq @same1, @same2\n  v5: i32 = zext v4\n  v6: i32 = add v3, v5\n  ret v6\n",
        );
        define(
            &format!("float{n}"),
            "f64",
            "  v1: f64 = 0x3ff4000000000000\n  v2: f64 = 0x400c000000000000\nblock0:\n  v3: f64 = fmul v0, v1\n  v4: f64 = fadd v3, v2\n  ret v4\n",
        );
        define(
            &format!("choice{n}"),
            "i32",
            "  v1: i32 = 7\n  v2: i32 = 9\nblock0:\n  switch v0, block5 [0: block1, 1: block2, 2: block3, 3: block4, 4: block2, 5: block1]
block1:\n  ret v1\nblock2:\n  ret v2\nblock3:\n  v3: i32 = mul v0, v2\n  ret v3\nblock4:\n  v4: i32 = sub v0, v1\n  ret v4\nblock5:\n  ret v0\n",
        );
    }
    // One instruction, the same bits whatever the type.
    for (n, ty) in ["i64", "i32", "i32", "f64", "f32", "i64", "f64"].into_iter().enumerate() {
        define(&format!("same{n}"), ty, "block0:\n  ret v0\n");
    }
    calls += "  v4: i32 = 5\n  v5: f64 = 0x4000000000000000\n  v6: i64 = 77\n  v7: i32 = 3\nblock0:\n  v10: i32 = call @same2(v4)\n";
    let mut last = 10;
    let mut add = |calls: &mut String, call: &str, ty: &str| {
        let _ = writeln!(calls, "  v{}: {ty} = call {call}", last + 1);
        let word = match ty {
            "f64" => {
                let _ = writeln!(calls, "  v{}: i32 = fptosi v{}", last + 2, last + 1);
                last + 2
            }
            "i64" => {
                let _ = writeln!(calls, "  v{}: i32 = trunc v{}", last + 2, last + 1);
                last + 2
            }
            _ => last + 1,
        };
        let _ = writeln!(calls, "  v{}: i32 = mul v{last}, v7", last + 3);
        let _ = writeln!(calls, "  v{}: i32 = add v{}, v{word}", last + 4, last + 3);
        last += 4;
    };
    for n in 0..COPIES {
        add(&mut calls, &format!("@count{n}(v4)"), "i32");
        add(&mut calls, &format!("@address{n}(v4)"), "i32");
        add(&mut calls, &format!("@float{n}(v5)"), "f64");
        add(&mut calls, &format!("@choice{n}(v7)"), "i32");
        add(&mut calls, &format!("@choice{n}(v4)"), "i32");
    }
    for (n, ty, argument) in
        [(0, "i64", 6), (1, "i32", 4), (2, "i32", 7), (3, "f64", 5), (5, "i64", 6), (6, "f64", 5)]
    {
        add(&mut calls, &format!("@same{n}(v{argument})"), ty);
    }
    let _ = write!(text, "define internal @test() -> i32 {{\n{calls}  ret v{last}\n}}\n");
    text
}

/// The functions as bitcode.
fn frozen(scratch: &Scratch) -> PathBuf {
    let text = scratch.write("program.ice", with_entry(&functions()));
    let bitcode = scratch.path("program.pexe");
    let output = run_ice(["freeze".as_ref(), text.as_os_str(), "-o".as_ref(), bitcode.as_os_str()]);
    expect_success(&output, "freeze");
    bitcode
}

/// The object, and how many of the functions in it are copies.
fn translate(scratch: &Scratch, program: &Path, flags: &[&str]) -> (Vec<u8>, u32) {
    let object = scratch.path("program.o");
    let (program, out) = (program.to_str().unwrap(), object.to_str().unwrap());
    let output = run_ice([&["translate", "--stats", program, "-o", out][..], flags].concat());
    expect_success(&output, &format!("{program} {flags:?}"));
    let stats = errors(&output);
    let copies = stats.lines().find_map(|line| line.trim().strip_suffix(" of them copies of others"));
    let copies = copies.unwrap_or_else(|| panic!("no count of copies in {stats}"));
    (std::fs::read(object).unwrap(), copies.parse().unwrap())
}

#[test]
fn copies_are_what_translation_gives() {
    let scratch = Scratch::new();
    let program = frozen(&scratch);
    // Of the functions of one instruction, those of i32, i64 and f64 that are not the first.
    let expected = 4 * (COPIES - 1) + 3;
    for target in ALL_TARGETS {
        for level in ["-Om1", "-O2"] {
            let usual = ["--target", target, level];
            let confined = SANDBOX_TARGETS.contains(&target).then_some(&["--sandbox"][..]);
            let others = [&[][..], &["--function-sections"], &["--unwind-tables", "async"]];
            for more in others.into_iter().chain(confined) {
                let flags = [&usual[..], more].concat();
                let (all, none) =
                    translate(&scratch, &program, &[&flags[..], &["--disable-pass", "repeats"]].concat());
                assert_eq!(none, 0);
                for threads in ["0", "1", "4"] {
                    let (object, copies) =
                        translate(&scratch, &program, &[&flags[..], &["--threads", threads]].concat());
                    assert_eq!(copies, expected, "{flags:?}");
                    assert!(object == all, "{flags:?} with {threads} threads");
                }
            }
            // Where each function has code of its own, or is alone, there are none.
            for more in [["--diversify", "1"], ["--function", "count1"]] {
                assert_eq!(translate(&scratch, &program, &[&usual[..], &more].concat()).1, 0, "{more:?}");
            }
        }
    }
}

#[test]
fn copies_compute_what_the_interpreter_computes() {
    let scratch = Scratch::new();
    let program = frozen(&scratch);
    let program = program.to_str().unwrap();
    let expected = run_ice(["interpret", program]).status.code();
    assert!(expected.is_some());
    for target in ALL_TARGETS.into_iter().filter(|target| can_run(target)) {
        for level in ["-Om1", "-O2"] {
            let output = run_ice(["run", "--target", target, level, program]);
            assert_eq!(output.status.code(), expected, "{target} {level}: {}", errors(&output));
        }
    }
}

#[test]
fn real_programs_are_the_same_with_copies() {
    let Some(corpus) = corpus() else { return };
    let scratch = Scratch::new();
    let mut all = 0;
    for program in programs(&corpus, &["bench", "libc", "large"]) {
        for (target, level) in [("i686", "-Om1"), ("armv7", "-O2")] {
            let flags = ["--target", target, level];
            let (object, copies) = translate(&scratch, &program, &[&flags[..], &["--threads", "4"]].concat());
            let (other, none) =
                translate(&scratch, &program, &[&flags[..], &["--disable-pass", "repeats"]].concat());
            assert!(object == other && none == 0, "{} {flags:?}", program.display());
            all += copies;
        }
    }
    assert!(all > 0);
}

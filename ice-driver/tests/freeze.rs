//! A C program that is frozen does the same in the interpreter and on every target as what the C compiler makes of it.

mod common;

use common::{ALL_TARGETS, Scratch, can_run, expect_success, has_tool, ice, skip};
use std::path::Path;
use std::process::{Command, Output};

/// The result of the program.
const STATUS: i32 = 42;

fn printed(output: &Output, what: &str) -> String {
    assert_eq!(output.status.code(), Some(STATUS), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_frozen_c_program_does_what_the_c_compiler_makes_of_it() {
    if !has_tool("clang-19") {
        return skip("freeze", "no clang-19");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = root.join("tests/freeze/program.c");
    let scratch = Scratch::new();
    let clang = |arguments: &[&str], to: &Path| {
        let mut clang = Command::new("clang-19");
        clang.args(["-w", "-ffp-contract=off"]).args(arguments).arg(&source).arg("-o").arg(to);
        expect_success(&clang.output().unwrap(), &format!("{arguments:?}"));
    };
    let native = scratch.path("native");
    clang(&["-DNATIVE", "-O1", "-fwrapv", "-lm"], &native);
    let expected = printed(&Command::new(&native).output().unwrap(), "native");
    assert!(expected.lines().count() > 60, "{expected}");
    let samples = format!("-I{}", root.join("../samples").display());
    for level in ["-O0", "-O1", "-O2"] {
        let (bitcode, frozen) = (scratch.path("program.bc"), scratch.path("program.pexe"));
        let flags = ["--target=i686-linux-gnu", "-march=pentium4", "-mfpmath=sse", "-ffreestanding"];
        let more = ["-fwrapv", "-fno-math-errno", level, &samples, "-emit-llvm", "-c"];
        clang(&[&flags[..], &more[..]].concat(), &bitcode);
        expect_success(&ice().arg("freeze").arg(&bitcode).arg("-o").arg(&frozen).output().unwrap(), level);
        let run = |command: &[&str]| {
            let what = format!("{level} {command:?}");
            assert_eq!(
                printed(&ice().args(command).arg(&frozen).output().unwrap(), &what),
                expected,
                "{what}"
            );
        };
        run(&["interpret"]);
        for target in ALL_TARGETS.into_iter().filter(|target| can_run(target)) {
            run(&["run", "-Om1", "--target", target]);
            run(&["run", "-O2", "--target", target]);
        }
    }
}

//! A C program that is frozen does the same in the interpreter and on every target as what the C compiler makes of it.

use crate::common;

use common::{ALL_TARGETS, EMPTY_PROGRAM, Scratch, can_run, errors, expect_success, has_tool, ice, skip};
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
    let samples = format!("-I{}", root.join("samples").display());
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

/// Writes the text as bitcode, and gives what is printed if that is refused.
fn freeze_text(text: &str) -> Result<(), String> {
    let scratch = Scratch::new();
    let (input, frozen) = (scratch.write("program.ice", text), scratch.path("program.pexe"));
    let output = ice().arg("freeze").arg(&input).arg("-o").arg(&frozen).output().unwrap();
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        assert!(!frozen.exists());
        return Err(errors(&output));
    }
    expect_success(&ice().arg("verify").arg(&frozen).output().unwrap(), text);
    Ok(())
}

/// A vector type refers to the type of its lanes, which the table must have before it.
#[test]
fn types_are_written_behind_the_types_that_they_are_made_of() {
    for ty in ["v4i32", "v8i16", "v16i8", "v4f32", "v4i1", "v8i1", "v16i1"] {
        let function = format!("define internal @f(v0: {ty}) -> {ty} {{\nblock0:\n  ret v0\n}}\n");
        for text in [format!("{function}{EMPTY_PROGRAM}"), format!("{EMPTY_PROGRAM}{function}")] {
            assert_eq!(freeze_text(&text), Ok(()), "{text}");
        }
    }
}

/// The text form says more than the frozen format has; what is over is refused, and nothing is written.
#[test]
fn text_that_the_format_has_no_room_for_is_refused() {
    let start = |body: &str| format!("define external @_start(v0: i32) -> void {{\n{body}\n  ret\n}}\n");
    let programs = [
        ("entry-point", EMPTY_PROGRAM.replace("external @_start", "internal @other")),
        (
            "intrinsic-name",
            format!("intrinsic external @llvm.ice.bswap.i16(i16) -> i16 as bswap\n{EMPTY_PROGRAM}"),
        ),
        ("alignment", start("block0:\n  v1: i32 = load v0, align 16\n  store v1 to v0, align 16")),
        (
            "intrinsic-operand",
            "intrinsic external @llvm.nacl.atomic.load.i32(i32, i32) -> i32\n".to_owned()
                + &start("  v1: i32 = 0\nblock0:\n  v2: i32 = call @llvm.nacl.atomic.load.i32(v0, v1)"),
        ),
        ("stable-type", start("  v1: v2i64 = undef\nblock0:\n  v2: v2i64 = add v1, v1")),
    ];
    for (rule, text) in programs {
        let message = freeze_text(&text).expect_err(rule);
        assert!(message.contains(rule), "{rule}: {message}");
    }
}

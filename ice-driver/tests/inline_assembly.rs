//! Inline assembly: a program with statements of all kinds prints what clang's code prints, and what is not known is
//! refused with its text.

use crate::common;

use common::compiled::printed;
use common::tools::has;
use common::{Scratch, can_run, errors, ice, run_ice};
use std::path::Path;
use std::process::Command;

#[test]
fn statements_do_what_clangs_do() {
    if !has("inline assembly", &["clang-19", "gcc"]) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/assembly.c");
    for target in ["x86_64", "i686"] {
        if !can_run(target) || target == "i686" && !has("inline assembly on i686", &["i686-linux-gnu-gcc"]) {
            continue;
        }
        let expected = printed(Command::new("clang-19"), target, "-O1", &source);
        assert!(expected.len() > 1000);
        for level in ["-O0", "-O1", "-O2"] {
            let mut compiler = ice();
            compiler.args(["cc", "--ice-clang=clang-19"]);
            let found = printed(compiler, target, level, &source);
            assert_eq!(
                String::from_utf8_lossy(&found),
                String::from_utf8_lossy(&expected),
                "{target} {level}"
            );
        }
    }
}

/// A native program whose function has a statement, and takes and gives an i32.
fn program(statement: &str) -> String {
    format!(
        "target pointer i64 native define external @f(v0: i32) -> i32 {{ block0: v1: i32 = {statement}(v0) ret v1 }}"
    )
}

#[test]
fn what_is_not_known_is_refused_with_its_text() {
    let scratch = Scratch::new();
    for (statement, error) in [
        ("asm \"frobnicate $0\", \"=r,0\"", "unknown instruction in \\\"frobnicate %eax\\\""),
        ("asm \"addl $1, %rax\", \"=r,r\"", "wrong operands"),
        ("asm \"movl $2, $0\", \"=r,r\"", "operand 2 as None"),
        ("asm \"movl ${1:y}, $0\", \"=r,r\"", "operand 1 as Some"),
        ("asm \"nop\", \"=t,0\"", "the constraint [Letters(\\\"t\\\")] of an operand of type i32"),
        ("asm \"nop\", \"=r,{ebp}\"", "the constraint [Named(\\\"ebp\\\")]"),
        ("asm \"jmp elsewhere\", \"=r,0\"", "unknown label"),
        ("asm \"movl $1, $0\", \"=&{eax},{eax}\"", "not enough registers"),
    ] {
        let input = scratch.write("asm.ice", program(statement));
        let object = scratch.path("asm.o");
        let arguments = ["translate".as_ref(), input.as_os_str(), "--target=x86_64".as_ref(), "-o".as_ref()];
        let output = run_ice(arguments.into_iter().chain([object.as_os_str()]));
        assert_eq!(output.status.code(), Some(1), "{statement}");
        let text = errors(&output);
        assert!(
            text.contains(&error.replace("\\\"", "\"")) && text.contains("inline assembly"),
            "{statement}: {text}"
        );
        assert!(!object.exists());
    }
    // Other machines have no assembler.
    let input =
        scratch.write("asm.ice", program("asm \"nop\", \"=r,0\"").replace("i64 native", "i32 native"));
    for target in ["armv7", "mipsel"] {
        let arguments =
            ["translate".as_ref(), input.as_os_str(), "--target".as_ref(), target.as_ref(), "-o".as_ref()];
        let output = run_ice(arguments.into_iter().chain([scratch.path("asm.o").as_os_str()]));
        assert!(output.status.code() == Some(1) && errors(&output).contains("inline assembly"), "{target}");
    }
}

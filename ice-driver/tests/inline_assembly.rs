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
    for target in ["x86_64", "i686", "armv7", "armv7-soft", "mipsel"] {
        let name = match target {
            "armv7" | "armv7-soft" => "assembly_arm.c",
            "mipsel" => "assembly_mips.c",
            _ => "assembly.c",
        };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics").join(name);
        if !can_run(target.trim_end_matches("-soft"))
            || target == "i686" && !has("inline assembly on i686", &["i686-linux-gnu-gcc"])
        {
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
    const X86: &[(&str, &str)] = &[
        ("asm \"frobnicate $0\", \"=r,0\"", "unknown instruction in \"frobnicate %eax\""),
        ("asm \"addl $1, %rax\", \"=r,r\"", "wrong operands"),
        ("asm \"movl $2, $0\", \"=r,r\"", "operand 2 as None"),
        ("asm \"movl ${1:y}, $0\", \"=r,r\"", "operand 1 as Some"),
        ("asm \"nop\", \"=t,0\"", "the constraint [Letters(\"t\")] of an operand of type i32"),
        ("asm \"nop\", \"=r,{ebp}\"", "the constraint [Named(\"ebp\")]"),
        ("asm \"jmp elsewhere\", \"=r,0\"", "unknown label"),
        ("asm \"movl $1, $0\", \"=&{eax},{eax}\"", "not enough registers"),
    ];
    const ARM: &[(&str, &str)] = &[
        ("asm \"frobnicate $0\", \"=r,0\"", "unknown instruction in \"frobnicate r0\""),
        ("asm \"add r0, r1, #257\", \"=r,r\"", "wrong operands"),
        ("asm \"mov $0, ${1:H}\", \"=r,r\"", "operand 1 as Some"),
        ("asm \"nop\", \"=w,0\"", "the constraint [Letters(\"w\")] of an operand of type i32"),
        ("asm \"nop\", \"=r,{r11}\"", "the constraint [Named(\"r11\")]"),
        ("asm \"b elsewhere\", \"=r,0\"", "unknown label"),
        ("asm \".byte 1\", \"=r,0\"", "misaligned code"),
        ("asm \".thumb\", \"=r,0\"", "unknown directive"),
        ("asm \"mov $0, $1\", \"=&{r0},{r0}\"", "not enough registers"),
    ];
    const MIPS: &[(&str, &str)] = &[
        ("asm \"frobnicate $0\", \"=r,0\"", "unknown instruction in \"frobnicate $2\""),
        ("asm \"addiu $0, $1, 32768\", \"=r,r\"", "wrong operands"),
        ("asm \"move $0, ${1:D}\", \"=r,r\"", "operand 1 as Some"),
        ("asm \"nop\", \"=f,0\"", "the constraint [Letters(\"f\")] of an operand of type i32"),
        ("asm \"nop\", \"=r,{$30}\"", "the constraint [Named(\"$30\")]"),
        ("asm \"b elsewhere\", \"=r,0\"", "unknown label"),
        ("asm \".section x\", \"=r,0\"", "unknown directive"),
    ];
    let scratch = Scratch::new();
    let of =
        |target, width, list: &'static [(&str, &str)]| list.iter().map(move |&case| (target, width, case));
    let all = of("x86_64", "i64", X86).chain(of("armv7", "i32", ARM)).chain(of("mipsel", "i32", MIPS));
    for (target, width, (statement, error)) in all {
        let input =
            scratch.write("asm.ice", program(statement).replace("i64 native", &format!("{width} native")));
        let object = scratch.path("asm.o");
        let target = format!("--target={target}");
        let arguments = ["translate".as_ref(), input.as_os_str(), target.as_ref(), "-o".as_ref()];
        let output = run_ice(arguments.into_iter().chain([object.as_os_str()]));
        assert_eq!(output.status.code(), Some(1), "{statement}");
        let text = errors(&output);
        assert!(text.contains(error) && text.contains("inline assembly"), "{statement}: {text}");
        assert!(!object.exists());
    }
}

//! Inline assembly: a program with statements of all kinds prints what clang's code prints, and what is not known is
//! refused with its text.

use crate::common;

use common::compiled::compare_with_clang;
use common::tools::has;
use common::{Scratch, errors, run_ice};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use std::process::Output;

#[test]
fn statements_do_what_clangs_do() {
    if !has("inline assembly", &["clang-19", "gcc"]) {
        return;
    }
    for (source, shortest) in [("assembly.c", 1000), ("goto.c", 80), ("symbols.c", 15), ("module.c", 60)] {
        compare_with_clang(source, shortest, &["x86_64", "i686"]);
    }
    compare_with_clang("assembly_mmx.c", 500, &["x86_64", "i686"]);
    compare_with_clang("symver.c", 20, &["x86_64", "i686"]);
    const ALL: [&str; 5] = ["x86_64", "i686", "aarch64", "armv7", "mipsel"];
    compare_with_clang("assembly_empty.c", 500, &ALL);
    compare_with_clang("assembly_arm.c", 1000, &["armv7", "armv7-soft"]);
    compare_with_clang("assembly_mips.c", 1000, &["mipsel"]);
    compare_with_clang("assembly_aarch64.c", 1000, &["aarch64"]);
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
        ("asm \"movl $2, $0\", \"=r,r\"", "the operand $2"),
        ("asm \"movl ${1:y}, $0\", \"=r,r\"", "the operand ${1:y}"),
        ("asm \"nop\", \"=t,0\"", "the constraint \"t\" of an operand of type i32"),
        ("asm \"nop\", \"=r,{ebp}\"", "the constraint \"{ebp}\" of"),
        ("asm \"jmp 1f\", \"=r,0\"", "unknown label"),
        ("asm \"jmp .Lelsewhere\", \"=r,0\"", "the label .Lelsewhere is not in the text"),
        ("asm \".globl g\\0ag: nop\", \"=r,0\"", "it defines symbols"),
        ("asm \".text\", \"=r,0\"", "unknown directive in \".text\""),
        ("asm \".long 1 - g\", \"=r,0\"", "a value with no place in \".long 1 - g\""),
        ("asm \"movl $1, $0\", \"=&{eax},{eax}\"", "not enough registers"),
        (
            "asm instruction \"frobnicate $0\", \"=r,0\"",
            "\"frobnicate $0\": unknown instruction in \"frobnicate ",
        ),
    ];
    const ARM: &[(&str, &str)] = &[
        ("asm \"frobnicate $0\", \"=r,0\"", "unknown instruction in \"frobnicate r0\""),
        ("asm \"add r0, r1, #257\", \"=r,r\"", "wrong operands"),
        ("asm \"mov $0, ${1:H}\", \"=r,r\"", "the operand ${1:H}"),
        ("asm \"nop\", \"=w,0\"", "the constraint \"w\" of an operand of type i32"),
        ("asm \"nop\", \"=r,{r11}\"", "the constraint \"{r11}\" of"),
        ("asm \"b elsewhere\", \"=r,0\"", "unknown label"),
        ("asm \".byte 1\", \"=r,0\"", "misaligned code"),
        ("asm \".thumb\", \"=r,0\"", "unknown directive"),
        ("asm \"mov $0, $1\", \"=&{r0},{r0}\"", "not enough registers"),
        (
            "asm instruction \"frobnicate $0\", \"=r,0\"",
            "\"frobnicate $0\": unknown instruction in \"frobnicate ",
        ),
        ("asm instruction \"b elsewhere\", \"=r,r\"", "unknown label"),
    ];
    const MIPS: &[(&str, &str)] = &[
        ("asm \"frobnicate $0\", \"=r,0\"", "unknown instruction in \"frobnicate $2\""),
        ("asm \"addiu $0, $1, 32768\", \"=r,r\"", "wrong operands"),
        ("asm \"move $0, ${1:D}\", \"=r,r\"", "the operand ${1:D}"),
        ("asm \"nop\", \"=f,0\"", "the constraint \"f\" of an operand of type i32"),
        ("asm \"nop\", \"=r,{$30}\"", "the constraint \"{$30}\" of"),
        ("asm \"b elsewhere\", \"=r,0\"", "unknown label"),
        ("asm \".section x\", \"=r,0\"", "unknown directive"),
    ];
    const AARCH64: &[(&str, &str)] = &[
        ("asm \"frobnicate $0\", \"=r,0\"", "unknown instruction in \"frobnicate x0\""),
        ("asm \"add ${0:w}, ${1:w}, #4097\", \"=r,r\"", "wrong operands"),
        ("asm \"mov $0, ${1:k}\", \"=r,r\"", "the operand ${1:k}"),
        ("asm \"mov $2, $1\", \"=r,r\"", "the operand $2"),
        ("asm \"nop\", \"=t,0\"", "the constraint \"t\" of an operand of type i32"),
        ("asm \"nop\", \"=r,{x29}\"", "the constraint \"{x29}\" of"),
        ("asm \"b 1f\", \"=r,0\"", "unknown label"),
        ("asm \"cbz ${1:w}, .Lelsewhere\", \"=r,r\"", "the label .Lelsewhere is not in the text"),
        ("asm \".byte 1\", \"=r,0\"", "misaligned code"),
        ("asm \".globl g\\0ag: nop\", \"=r,0\"", "it defines symbols"),
        ("asm \".text\", \"=r,0\"", "unknown directive in \".text\""),
        ("asm \"tbz $0, #1, 1f\\0a.fill 9000, 4, 0\\0a1:\", \"=r,0\"", "label out of reach in \"tbz"),
        ("asm \"mov $0, $1\", \"=&{x0},{x0}\"", "not enough registers"),
        (
            "asm instruction \"frobnicate $0\", \"=r,0\"",
            "\"frobnicate $0\": unknown instruction in \"frobnicate ",
        ),
        ("asm instruction \"b elsewhere\", \"=w,w\"", "it is more than instructions"),
    ];
    let scratch = Scratch::new();
    let of =
        |target, width, list: &'static [(&str, &str)]| list.iter().map(move |&case| (target, width, case));
    let all = of("x86_64", "i64", X86).chain(of("armv7", "i32", ARM)).chain(of("mipsel", "i32", MIPS));
    let all = all.chain(of("aarch64", "i64", AARCH64));
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

/// What `ice` says of a native module with this assembly beside its functions.
fn with_lines(scratch: &Scratch, target: &str, address: &str, lines: &str) -> Output {
    let lines: String =
        lines.lines().map(|line| format!("asm \"{}\"\n", line.replace('"', "\\22"))).collect();
    let text = format!(
        "target pointer {address} native define external @f(v0: i32) -> i32 {{ block0: ret v0 }}\n{lines}"
    );
    let (input, object) = (scratch.write("lines.ice", text), scratch.path("lines.o"));
    run_ice(
        ["translate".as_ref(), input.as_os_str(), "--target".as_ref(), target.as_ref(), "-o".as_ref()]
            .into_iter()
            .chain([object.as_os_str()]),
    )
}

#[test]
fn assembly_beside_functions_is_refused_with_its_statement() {
    let scratch = Scratch::new();
    for (lines, error) in [
        ("frobnicate %eax", "unknown instruction in \"frobnicate %eax\""),
        (".globl f\nf: ret", "f is defined by the module, too"),
        (".symver nobody, nobody@@V1", "a default version of nobody, which is not defined"),
        (
            ".symver nobody, nobody@V1\n.symver nobody, nobody@V2",
            "two versions of nobody, which is not defined",
        ),
        (".globl a\n.set a, nobody", "another name of what no one defines"),
        (".macro m", "unknown directive in \".macro m\""),
        (".section x,\"aG\",@progbits,g", "unknown directive"),
        (".size f, . - g", "a value with no place"),
        ("jmp 1f", "unknown label"),
    ] {
        let output = with_lines(&scratch, "x86_64", "i64", lines);
        let text = errors(&output);
        assert_eq!(output.status.code(), Some(1), "{lines}");
        assert!(text.contains(error) && text.contains("module-level assembly"), "{lines}: {text}");
    }
}

#[test]
fn directives_beside_functions_are_for_all_machines() {
    let scratch = Scratch::new();
    let lines = ".data\n.globl table\n.p2align 2\ntable: .word 1, table_end - table, f\ntable_end:\n.text\n.weak number\n.set number, 7";
    for (target, address) in
        [("x86_64", "i64"), ("i686", "i32"), ("armv7", "i32"), ("mipsel", "i32"), ("aarch64", "i64")]
    {
        let lines = lines.replace(".word", ".long");
        let output = with_lines(&scratch, target, address, &lines);
        assert!(output.status.success(), "{target}: {}", errors(&output));
        let bytes = std::fs::read(scratch.path("lines.o")).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let data = file.section_by_name(".data").unwrap();
        assert_eq!(data.data().unwrap()[..8], [1, 0, 0, 0, 12, 0, 0, 0], "{target}");
        assert_eq!(data.relocations().count(), 1, "{target}");
        let symbol = |name: &str| file.symbols().find(|symbol| symbol.name() == Ok(name)).unwrap();
        assert!(symbol("table").is_global() && !symbol("table").is_undefined(), "{target}");
        assert!(symbol("number").is_weak() && symbol("number").address() == 7, "{target}");
    }
    let output = with_lines(&scratch, "aarch64", "i64", "nop // none\nadd x0, x1");
    assert!(errors(&output).contains("wrong operands in \"add x0, x1\""));
    let output = with_lines(&scratch, "mipsel", "i32", "nop");
    assert!(errors(&output).contains("unknown instruction in \"nop\""));
}

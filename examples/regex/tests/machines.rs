//! The code of other machines, linked with a C program and run there or under an emulator.

use crate::common::tools::{has, skip};
use ice_driver::{Arch, InputFormat, Options};
use ice_ir::FuncId;
use ice_regex::{Limits, Portable, Regex};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Expressions of both kinds of code, and texts.
const CASES: &[(&str, &str)] = &[
    ("needle", "hay hay hay hay hay hay needle hay"),
    ("(?i)sherlock", "this is SheRLoc\u{212a} Holmes"),
    (r"(\pL+)\s+(\w{3,5})", "ὁ βίος βραχύς"),
    (r"\b[a-z]{8,13}\b", "short alongerword"),
    ("\"([^\"]*)\"", "a \"ddd日本 this is a long text in quotes\" b"),
    (r"(\d{4})-(\d\d)-(\d\d)", "on 2038-01-19"),
    (r"(a|ab)(c|bcd)(d*)", "xabcd"),
    (r"\b(\w+) \1\b", "see the quick quick fox"),
    (r"(?=(a+))a*b\1", "baaabac"),
    (r"(?!foo)[a-z]{3}", "foobar"),
    (r".*?(é+)\1", "aéaééééb"),
    (r"(?:(a)|b)*\1", "abab"),
    (r"(a)\1", "ab"),
];

/// Calls every function; prints what it returns and the slots.
const DRIVER: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static intptr_t memory[256], stack[4096];
static void run(int (*search)(const char *, size_t, size_t, intptr_t *), const char *text, int slots, int frame) {
    if (frame) {
        memory[slots] = 1000000;
        memory[slots + 1] = (intptr_t)stack;
        memory[slots + 2] = (intptr_t)(stack + 4096);
    }
    printf("%d", search(text, strlen(text), 0, memory));
    for (int n = 0; n < slots; n++) printf(" %ld", (long)memory[n]);
    printf("\n");
}
"#;

/// What the driver has to print for a case.
fn expected(pattern: &str, text: &str) -> String {
    let regex = Regex::new(pattern).expect("it is an expression");
    let found = regex.captures(text).expect("it is short").expect("all but the last match");
    let mut line = String::from("1");
    for group in found.iter() {
        match group.map(|group| group.range()) {
            None => line += " -1 -1",
            Some(range) => write!(line, " {} {}", range.start, range.end).expect("a string takes all"),
        }
    }
    line
}

/// Writes the object of a case.
fn object(arch: Arch, number: usize, (pattern, _): (&str, &str), directory: &Path) -> (PathBuf, Portable) {
    let mut portable = Portable::new(pattern, Limits::default(), arch).expect("it is an expression");
    let module = &mut portable.program.module;
    let name = module.make_name(format!("search{number}").into_bytes());
    module.functions[FuncId::from_u32(0)].name = name;
    let mut text = String::new();
    ice_ir::write_program(&portable.program, &mut text).expect("a string takes all");
    let options = Options { format: InputFormat::Text, ..Options::new(arch) };
    let mut bytes = Vec::new();
    ice_driver::compile_to(text.as_bytes(), &options, &mut bytes).expect("the module is well-formed");
    let path = directory.join(format!("{number}.o"));
    fs::write(&path, &bytes).expect("an object");
    (path, portable)
}

fn check(arch: Arch, compiler: &str, options: &[&str], emulator: Option<&str>) {
    let what = format!("code for {}", arch.name());
    let tools: Vec<&str> = [compiler].into_iter().chain(emulator).collect();
    if !has(&what, &tools) {
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("machines-{}", arch.name()));
    fs::create_dir_all(&directory).expect("a directory");
    let (mut source, mut body, mut lines, mut objects) =
        (DRIVER.to_owned(), String::new(), Vec::new(), Vec::new());
    for (n, &case) in CASES.iter().enumerate() {
        let (path, portable) = object(arch, n, case, &directory);
        objects.push(path);
        writeln!(source, "int search{n}(const char *, size_t, size_t, intptr_t *);")
            .expect("a string takes all");
        let text: String = case.1.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        let Portable { slots, has_frame, .. } = portable;
        writeln!(body, "run(search{n}, \"{text}\", {slots}, {});", u8::from(has_frame))
            .expect("a string takes all");
        let is_last = n == CASES.len() - 1;
        lines.push(if is_last { String::from("0") } else { expected(case.0, case.1) });
    }
    write!(source, "int main(void) {{\n{body}return 0;\n}}\n").expect("a string takes all");
    let driver = directory.join("driver.c");
    fs::write(&driver, source).expect("a source");
    let program = directory.join("program");
    let mut link = Command::new(compiler);
    link.args(options).args(["-static", "-o"]).arg(&program).arg(&driver).args(&objects);
    let linked = link.output().expect("the compiler starts");
    if !linked.status.success() && String::from_utf8_lossy(&linked.stderr).contains("cannot find") {
        return skip(&what, "no C library for it on this machine");
    }
    assert!(linked.status.success(), "{what}: {}", String::from_utf8_lossy(&linked.stderr));
    let mut run = emulator.map_or_else(|| Command::new(&program), Command::new);
    if emulator.is_some() {
        run.arg(&program);
    }
    let output = run.output().expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed.lines().count(), lines.len(), "{what}: {}", output.status);
    for ((line, expected), case) in printed.lines().zip(lines).zip(CASES) {
        // Where nothing matches the slots mean nothing.
        assert!(
            line == expected || expected == "0" && line.starts_with("0 "),
            "{what}, {case:?}: {line}, not {expected}"
        );
    }
}

#[test]
fn x86_64() {
    check(Arch::X86_64, "gcc", &[], None);
}

#[test]
fn i686() {
    check(Arch::X86_32, "i686-linux-gnu-gcc", &[], None);
}

#[test]
fn aarch64() {
    check(Arch::Aarch64, "aarch64-linux-gnu-gcc", &[], Some("qemu-aarch64"));
}

#[test]
fn armv7() {
    check(Arch::Arm32, "arm-linux-gnueabihf-gcc", &["-marm"], Some("qemu-arm"));
}

#[test]
fn mips32() {
    check(Arch::Mips32, "mipsel-linux-gnu-gcc", &["-march=mips32r2"], Some("qemu-mipsel"));
}

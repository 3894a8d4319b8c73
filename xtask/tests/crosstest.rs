//! The cross test finds faults that are planted into LLVM's own code, and none where none is.

use crate::common;

use common::planted::planted;
use common::{has_all, has_tools};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the cross test in a directory of its own; gives whether it passed, and what it printed.
fn crosstest(name: &str, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("crosstest")
        .args(arguments)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("results"))
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .output()
        .expect("xtask starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text + &String::from_utf8_lossy(&output.stderr))
}

/// What the test of `source` says of the planted fault, on one target.
fn find(name: &str, edit: &str, target: &str, source: &str) -> String {
    let translator = planted(name, edit);
    let translator = translator.to_str().expect("a path of letters");
    let setting = ["--targets", target, "--recipes", "Om1", "--levels", "O1", "--calls", "100"];
    let (passed, text) = crosstest(name, &[&setting[..], &["--translator", translator, source]].concat());
    assert!(!passed, "a planted fault was not found:\n{text}");
    text
}

/// Sources whose every function Ice translates; `cargo xtask crosstest` runs all, at every level.
const SMALL: [&str; 12] = [
    "arithmetic",
    "atomics",
    "bitfields",
    "bits",
    "compares",
    "extended",
    "floats",
    "globals",
    "memory",
    "objects",
    "stack",
    "thread_locals",
];

#[test]
fn ice_agrees_with_llvm() {
    if has_tools("Ice against LLVM") {
        agrees("small", &[&["--levels", "O1", "--calls", "50"][..], &SMALL].concat());
    }
}

#[test]
fn ice_agrees_with_llvm_on_arm() {
    if has_tools("Ice against LLVM") && has_all("armv7", &["qemu-arm", "arm-linux-gnueabihf-gcc"]) {
        let setting = ["--targets", "armv7", "--levels", "O1", "--calls", "20"];
        agrees("armv7", &[&setting[..], &["arithmetic", "calls", "objects", "stack"]].concat());
    }
}

/// The same programs with Ice's code made while they run.
#[test]
fn ice_agrees_with_llvm_in_process() {
    if has_tools("Ice in process against LLVM") {
        let setting = ["--in-process", "--targets", "x86_64", "--levels", "O1", "--calls", "20"];
        agrees(
            "in-process",
            &[&setting[..], &["arithmetic", "calls", "globals", "objects", "stack"]].concat(),
        );
    }
}

/// Callers and callees of random signatures, each in LLVM's code or in Ice's.
#[test]
fn objects_of_both_compilers_are_linked() {
    if has_tools("objects of two compilers") {
        let mut targets = "x86_64,i686".to_owned();
        if has_all("armv7", &["qemu-arm", "arm-linux-gnueabihf-gcc"]) {
            targets += ",armv7";
        }
        let text = in_place(&["--signatures", "2", "--targets", &targets]);
        assert!(text.contains("0 differ"), "{text}");
    }
}

/// The cross test of Ice with these arguments, whose programs go to a directory of their own: tests run at the same time.
/// Panics if anything differs.
fn agrees(results: &str, arguments: &[&str]) {
    let results = format!("crosstest-{results}");
    let text = in_place(&[&["--results", &results][..], arguments].concat());
    assert!(text.contains(" 0 programs with differences"), "{text}");
}

/// What the cross test prints, which passes, in cargo's own directory, where ice is built already.
fn in_place(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    // What failed comes before a trace, and only the end of what a test prints may be kept.
    let output =
        command.arg("crosstest").args(arguments).env("RUST_BACKTRACE", "0").output().expect("xtask starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn every_clang_is_read() {
    for version in ["14", "16", "22"] {
        let reader = if version == "22" { "llc-22" } else { "llc-19" };
        let tools = [format!("clang-{version}"), format!("clang++-{version}"), reader.to_owned()];
        let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        if has_tools("other versions of clang") && has_all(&format!("clang {version}"), &tools) {
            let setting = ["--clang", version, "--levels", "O1", "--calls", "20"];
            agrees(&format!("clang-{version}"), &[&setting[..], &["memory", "objects", "calls"]].concat());
        }
    }
}

#[test]
fn rustc_is_read() {
    if has_tools("Rust sources") && has_all("Rust sources", &["rustc", "llc-22"]) {
        let setting = ["--targets", "x86_64", "--levels", "O2", "--calls", "20"];
        agrees("rust", &[&setting[..], &["rust_data", "rust_floats", "rust_integers"]].concat());
    }
}

#[test]
fn llvm_agrees_with_itself() {
    if has_tools("LLVM against itself") {
        let setting = ["--levels", "O1", "--calls", "50", "--translator", "llc-19", "arithmetic", "calls"];
        let (passed, text) = crosstest("itself", &setting);
        assert!(passed && text.contains(" 0 programs with differences"), "{text}");
    }
}

#[test]
fn a_wrong_operation_is_found() {
    if has_tools("a planted operation") {
        let text = find("wrong-operation", "s/= sub i32 /= add i32 /", "x86_64", "arithmetic");
        assert!(text.contains("  sub_u32(0x") && !text.contains("  xor_u32("), "{text}");
    }
}

#[test]
fn a_missing_extension_is_found() {
    if has_tools("a planted extension") {
        // A callee without the attribute extends by itself; a caller without it breaks its promise.
        let text = find("missing-extension", "s/ signext\\>//g", "x86_64", "calls");
        assert!(text.contains("calls callers x86_64") && text.contains("  many_then_few("), "{text}");
        assert!(!text.contains("calls callees x86_64"), "{text}");
    }
}

#[test]
fn lost_registers_are_found() {
    if has_tools("planted registers") {
        let edit = "s/^define .*@not_u32.*$/&\\n  call void asm sideeffect \"xorl %ebx, %ebx\", \"\"()/";
        let text = find("lost-registers", edit, "x86_64", "arithmetic");
        assert!(text.contains("  not_u32(") && text.contains("callee-saved registers lost"), "{text}");
    }
}

#[test]
fn a_wrong_store_is_found() {
    if has_tools("a planted store") {
        let text = find("wrong-store", "s/^  store i16 .*$//", "i686", "memory");
        assert!(text.contains("  store_u16(") && text.contains("behind pointer 0"), "{text}");
    }
}

#[test]
fn callees_are_tested_by_callers_of_the_other_side() {
    if has_tools("a planted callee") {
        let text = find("wrong-callee", "s/= fsub float %0, %1/= fsub float %1, %0/", "i686", "calls");
        assert!(text.contains("calls callees i686") && !text.contains("calls callers i686"), "{text}");
        assert!(text.contains("  call_f32(") && text.contains("  callee_f32("), "{text}");
    }
}

#[test]
fn random_programs_give_what_they_give_with_llvm() {
    if has_tools("random programs") && has_all("random programs", &["csmith"]) {
        let text = in_place(&["--csmith", "4", "--seed", "10001", "--levels", "O1"]);
        assert!(text.contains(": 0 differ"), "{text}");
    }
}

/// Random functions of IR, as they are and behind passes of LLVM.
#[test]
fn random_functions_give_what_they_give_with_llvm() {
    if has_tools("random functions") && has_all("random functions", &["opt-19"]) {
        let text = in_place(&["--functions", "6"]);
        assert!(text.contains(": 0 differ"), "{text}");
    }
}

#[test]
fn a_wrong_operation_in_random_functions_is_found() {
    if has_tools("a planted operation in random functions") && has_all("random functions", &["opt-19"]) {
        let translator = planted("wrong-random-function", "s/= xor /= or /");
        let translator = translator.to_str().expect("a path of letters");
        let setting = ["--functions", "2", "--recipes", "Om1", "--targets", "x86_64"];
        let (passed, text) =
            crosstest("wrong-random-function", &[&setting[..], &["--translator", translator]].concat());
        assert!(!passed && text.contains("module.bc Om1") && text.contains(" rounds"), "{text}");
    }
}

/// The tools for functions of AArch64's headers.
const NEON_TOOLS: [&str; 2] = ["qemu-aarch64", "aarch64-linux-gnu-gcc"];

/// Functions for vectors of AArch64: some of values, with immediate operands, and of addresses.
#[test]
fn functions_of_aarch64_give_what_they_give_with_llvm() {
    if has_tools("functions of AArch64") && has_all("functions of AArch64", &NEON_TOOLS) {
        let text = in_place(&["--neon", "--targets", "aarch64", "--name", "q_lane_s16"]);
        assert!(text.contains("neon aarch64 Om1: ") && text.contains("neon aarch64 O2: "), "{text}");
        assert_eq!(text.matches(" functions, 0 differ\n").count(), 2, "{text}");
    }
}

/// The same for those of ARM.
#[test]
fn functions_of_arm_give_what_they_give_with_llvm() {
    let tools = ["qemu-arm", "arm-linux-gnueabihf-gcc"];
    if has_tools("functions of ARM") && has_all("functions of ARM", &tools) {
        let text = in_place(&["--neon", "--targets", "armv7", "--name", "_lane_u16"]);
        assert!(text.contains("neon armv7 Om1: ") && text.contains("neon armv7 O2: "), "{text}");
        assert_eq!(text.matches(" functions, 0 differ\n").count(), 2, "{text}");
    }
}

#[test]
fn a_wrong_function_of_aarch64_is_found() {
    if has_tools("a planted function of AArch64") && has_all("functions of AArch64", &NEON_TOOLS) {
        let translator = planted("wrong-vectors", "s/= xor <16 x i8> /= or <16 x i8> /");
        let translator = translator.to_str().expect("a path of letters");
        let setting = [
            "--neon",
            "--targets",
            "aarch64",
            "--name",
            "q_u8",
            "--recipes",
            "O2",
            "--translator",
            translator,
        ];
        let (passed, text) = crosstest("wrong-vectors", &setting);
        assert!(!passed && text.contains("--name veorq_u8 --recipes O2"), "{text}");
        assert!(!text.contains("--name vorrq_u8") && !text.contains(", 0 differ"), "{text}");
    }
}

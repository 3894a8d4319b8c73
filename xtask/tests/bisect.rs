//! `cargo xtask bisect` finds the function with a planted fault, also if it is internal.

use crate::common;

use common::has_tools;
use common::planted::planted;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = "
int printf(const char *, ...);
static int total = 3;
static __attribute__((noinline)) int good(int a) { return a + total++; }
static __attribute__((noinline)) int guilty(int a) { return a - total; }
__attribute__((noinline)) int good_too(int a) { return a ^ guilty(a * 3); }
int main(int count, char **arguments) {
    int sum = 0;
    for (int i = 0; i < 10; i++) sum = sum * 3 + good(i) + good_too(i);
    printf(\"%d %s\\n\", sum, count > 1 ? arguments[1] : \"nothing\");
    return 0;
}
";

#[test]
fn the_guilty_function_is_found() {
    if !has_tools("bisection") {
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bisection");
    std::fs::create_dir_all(&directory).expect("a directory");
    let (source, module) = (directory.join("program.c"), directory.join("program.bc"));
    std::fs::write(&source, PROGRAM).expect("a program");
    let mut clang = Command::new("clang-19");
    clang.args(["-O1", "-fno-pic", "-c", "-emit-llvm", "-o"]).arg(&module).arg(&source);
    assert!(clang.status().expect("clang starts").success());
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("bisect")
        .arg(&module)
        .arg("--translator")
        .arg(planted("wrong-subtraction", "s/= sub nsw i32 /= add i32 /"))
        .args(["--", "argument"])
        .env("CARGO_TARGET_DIR", &directory)
        .stdin(Stdio::null())
        .output()
        .expect("xtask starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("\nguilty after ") && text.contains(" argument instead of "), "{text}");
    assert!(text.contains("i32 @guilty(i32") && text.contains("<guilty>:"), "{text}");
}

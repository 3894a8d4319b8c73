//! Intrinsics of machines: programs of `intrinsics/` print what Ice's code gives, and must print what clang's code gives.

use crate::common;

use common::compiled::{compare_with_clang, printed};
use common::tools::has;
use common::{Scratch, can_run, errors, ice};
use std::path::Path;
use std::process::Command;

/// Compares what a program prints; this processor must have some features, by their names in `/proc/cpuinfo`.
fn gives_what_clangs_code_gives(name: &str, features: &[&str], least: usize) {
    if !has("intrinsics", &["clang-19", "gcc"]) {
        return;
    }
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let known = processor.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    if let Some(missing) = features.iter().find(|&&feature| !known.split(' ').any(|known| known == feature)) {
        eprintln!("skipped: {name}: this processor does not have {missing}");
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics").join(name);
    for target in ["x86_64", "i686"] {
        if !can_run(target) || target == "i686" && !has("intrinsics on i686", &["i686-linux-gnu-gcc"]) {
            continue;
        }
        let expected = printed(Command::new("clang-19"), target, "-O1", &source);
        assert!(expected.len() > least, "{} bytes", expected.len());
        for level in ["-O0", "-O2"] {
            let mut compiler = ice();
            compiler.args(["cc", "--ice-clang=clang-19"]);
            let found = printed(compiler, target, level, &source);
            let lines =
                |text: &[u8]| String::from_utf8_lossy(text).lines().map(str::to_owned).collect::<Vec<_>>();
            for (found, expected) in lines(&found).iter().zip(&lines(&expected)) {
                assert_eq!(found, expected, "{target} {level}");
            }
            assert!(found == expected, "{target} {level}");
        }
    }
}

#[test]
fn those_of_sse2_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("sse2.c", &[], 1 << 20);
}

#[test]
fn those_of_sse3_to_sse42_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("sse42.c", &["sse4_2", "popcnt"], 5000);
}

#[test]
fn those_of_avx_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("avx.c", &["avx", "fma", "f16c"], 10_000);
}

#[test]
fn those_of_avx2_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("avx2.c", &["avx2"], 6000);
}

#[test]
fn those_on_general_registers_and_of_ciphers_give_what_clangs_code_gives() {
    let features = ["bmi1", "bmi2", "abm", "popcnt", "aes", "pclmulqdq", "sha_ni", "rdrand"];
    gives_what_clangs_code_gives("bits.c", &features, 900);
}

#[test]
fn the_direction_of_rounding_is_that_of_clangs_code() {
    gives_what_clangs_code_gives("rounding.c", &[], 300);
}

#[test]
fn classes_are_those_of_clangs_code() {
    gives_what_clangs_code_gives("classes.c", &[], 2000);
}

#[test]
fn what_libraries_and_loops_do_gives_what_clangs_code_gives() {
    if has("intrinsics", &["clang-19", "gcc"]) {
        compare_with_clang("library.c", 200, &["x86_64", "i686", "armv7", "mipsel"]);
        // Clang's code for MIPS calls functions that the library does not have.
        compare_with_clang("wide.c", 4000, &["x86_64", "i686", "armv7"]);
    }
}

#[test]
fn operations_that_round_as_told_and_raise_exceptions_give_what_clangs_code_gives() {
    gives_what_clangs_code_gives("strict.c", &[], 3000);
}

/// Vectors of 256 bits travel in registers that Ice does not use: who shares them with other modules is refused by name.
#[test]
fn wide_vectors_between_modules_are_refused_where_avx_has_registers_for_them() {
    if !has("intrinsics", &["clang-19"]) {
        return;
    }
    let scratch = Scratch::new();
    let wide = "typedef int V __attribute__((vector_size(32))); typedef struct { V v[1]; } S;";
    for (text, flags, refused) in [
        ("V taken(V a) { return a; }", "-mavx", Some("of taken")),
        ("V given(int a); void f(V *p, int a) { *p = given(a); }", "-mavx", Some("of given")),
        ("void f(void (*p)(V), V *v) { p(*v); }", "-mavx2", Some("called by its address")),
        ("void g(int a, ...); void f(V *v) { g(1, *v); }", "-march=haswell", Some("called by its address")),
        ("S passed(S *p) { return *p; }", "-mfma", Some("of passed")),
        ("V taken(V a) { return a; }", "-msse4.2", None),
        (
            "static __attribute__((noinline)) V own(V a) { return a + a; } void f(V *p) { *p = own(*p); }",
            "-mavx",
            None,
        ),
        ("typedef int N __attribute__((vector_size(16))); N f(N a) { return a; }", "-mavx2", None),
        ("V f(int a, ...);", "-mavx", None),
    ] {
        let source = scratch.write("wide.c", format!("{wide} {text}"));
        let object = scratch.path("wide.o");
        let mut compiler = ice();
        compiler.args([
            "cc",
            "--ice-clang=clang-19",
            "--target=x86_64-linux-gnu",
            "-O1",
            "-w",
            flags,
            "-c",
            "-o",
        ]);
        let output = compiler.arg(&object).arg(&source).output().unwrap();
        let errors = errors(&output);
        match refused {
            Some(of) => {
                assert!(output.status.code() == Some(1) && !object.exists(), "{text}: {errors}");
                assert!(errors.contains("more than 128 bits") && errors.contains(of), "{text}: {errors}");
            }
            None => assert!(output.status.success() && object.exists(), "{text}: {errors}"),
        }
        let _ = std::fs::remove_file(&object);
    }
}

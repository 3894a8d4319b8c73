//! `ice ld` links bitcode as if it were objects.

use crate::common;

use common::tools::has;
use common::{Scratch, errors, expect_success, ice};
use std::path::Path;
use std::process::{Command, Output};

/// Runs a tool in the directory of a project.
#[track_caller]
fn tool(scratch: &Scratch, line: &str) {
    let mut words = line.split(' ');
    let output =
        Command::new(words.next().unwrap()).args(words).current_dir(scratch.path("")).output().unwrap();
    expect_success(&output, line);
}

fn ld(scratch: &Scratch, line: &str) -> Output {
    let mut command = ice();
    command.arg("ld").args(line.split(' ')).current_dir(scratch.path(""));
    command.env("XDG_CACHE_HOME", scratch.path("cache")).output().unwrap()
}

/// Links, which must have nothing to say and leave nothing behind, and runs the program.
#[track_caller]
fn expect_prints(scratch: &Scratch, line: &str, printed: &str) {
    let output = ld(scratch, line);
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()), "{line}");
    assert_eq!(left_behind(scratch), 0, "{line}");
    let output = Command::new(scratch.path("program")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), printed, "{line}");
    std::fs::remove_file(scratch.path("program")).unwrap();
}

/// Files in the directory for temporary ones.
fn left_behind(scratch: &Scratch) -> usize {
    std::fs::read_dir(scratch.path("cache/ice")).unwrap().count()
}

/// Bitcode alone, in archives, and beside objects: of two functions the archive's are used, the rest is not there.
fn project() -> Option<Scratch> {
    if !has("ice ld", &["clang-19", "llvm-ar-19", "cc"]) {
        return None;
    }
    let scratch = Scratch::new();
    scratch.write("one.c", "int two(int); int one(int a) { return two(a) + 1; }\n");
    scratch.write("two.c", "int three(int); int two(int a) { return three(a) * 2; }\n");
    scratch.write("three.c", "int three(int a) { return a + 3; }\n");
    scratch.write("unused.c", "int nowhere(void); int unused(void) { return nowhere(); }\n");
    scratch.write(
        "main.c",
        "#include <stdio.h>\nint one(int);\nint main(void) { printf(\"%d\\n\", one(17)); }\n",
    );
    for name in ["main", "one", "two", "unused"] {
        tool(&scratch, &format!("clang-19 -O1 -flto -c {name}.c -o {name}.o"));
        assert!(std::fs::read(scratch.path(&format!("{name}.o"))).unwrap().starts_with(b"BC\xc0\xde"));
    }
    tool(&scratch, "clang-19 -O1 -c three.c -o three-of-a-long-name.o");
    tool(&scratch, "llvm-ar-19 rcs libparts.a two.o unused.o three-of-a-long-name.o");
    tool(&scratch, "llvm-ar-19 rcsT libthin.a two.o unused.o three-of-a-long-name.o");
    Some(scratch)
}

#[test]
fn bitcode_is_linked_wherever_it_stands() {
    let Some(scratch) = project() else { return };
    scratch.write("arguments", "main.o 'one.o'\n-L. -lparts @more");
    scratch.write("more", "-o program");
    for line in [
        "main.o one.o libparts.a -o program",
        "main.o one.o libthin.a -o program",
        "-flto=thin main.o one.o -Wl,-plugin-opt=O0,-plugin-opt=mcpu=x86-64 -L . -l parts -o program",
        "main.o one.o -Wl,--start-group,libparts.a,--end-group -static -o program",
        "--ice-linker=clang-19 @arguments",
    ] {
        expect_prints(&scratch, line, "41\n");
    }
    let text = ld(&scratch, "main.o -r -o whole.o");
    expect_success(&text, "a relocatable link");
    let object = std::fs::read(scratch.path("whole.o")).unwrap();
    assert!(object.starts_with(b"\x7fELF") && object.windows(5).any(|name| name == b".text"));
}

/// Objects without bitcode are the linker's affair, and so is what it makes of them.
#[test]
fn other_inputs_and_errors_are_those_of_the_linker() {
    let Some(scratch) = project() else { return };
    scratch.write("hello.c", "#include <stdio.h>\nint main(void) { puts(\"hello\"); }\n");
    tool(&scratch, "clang-19 -c hello.c -o hello.o");
    expect_prints(&scratch, "hello.o -o program", "hello\n");
    let output = ld(&scratch, "main.o -o program");
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("undefined reference to `one'"), "{}", errors(&output));
    assert_eq!(left_behind(&scratch), 0);
    let output = ld(&scratch, "no-such-file.o -o program");
    assert!(!output.status.success() && errors(&output).contains("no-such-file.o"));
    for (line, said) in [
        ("--ice-linker=no-such-linker main.o", "ice: no no-such-linker to link with"),
        ("--ice-level=2 main.o", "ice: '--ice-level=2' is no flag; there is --ice-linker"),
    ] {
        let output = ld(&scratch, line);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).starts_with(said), "{}", errors(&output));
    }
}

/// The message names the member; nothing is linked.
#[test]
fn what_is_refused_is_named() {
    let Some(scratch) = project() else { return };
    scratch.write("two.c", "int two(int a) { __asm__(\"no_such_instruction\"); return a * 2; }\n");
    tool(&scratch, "clang-19 -O1 -flto -c two.c -o two.o");
    scratch.write("broken.o", b"BC\xc0\xde....");
    tool(&scratch, "llvm-ar-19 rcs libparts.a two.o");
    for (line, said) in
        [("main.o libparts.a one.o", "ice: libparts.a(two.o): "), ("broken.o main.o", "ice: broken.o: ")]
    {
        let output = ld(&scratch, &format!("{line} -o program"));
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(errors(&output).starts_with(said), "{}", errors(&output));
        assert!(!scratch.path("program").exists());
        assert_eq!(left_behind(&scratch), 0, "{line}");
    }
}

/// A library and a program of Rust, built by cargo with the code left to the linker.
#[test]
fn cargo_builds_through_it() {
    if !cfg!(target_arch = "x86_64") || !has("ice ld", &["cargo", "cc"]) {
        return;
    }
    let scratch = Scratch::new();
    for directory in ["part/src", "src"] {
        std::fs::create_dir_all(scratch.path(directory)).unwrap();
    }
    let package =
        |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    scratch.write("part/Cargo.toml", package("part"));
    scratch.write(
        "part/src/lib.rs",
        "pub struct Noisy(pub u32);\nimpl Drop for Noisy { fn drop(&mut self) { println!(\"-{}\", self.0); } }\n\
         #[inline(never)] pub fn half(n: u32) -> u32 { let _a = Noisy(n); assert!(n % 2 == 0, \"odd\"); n / 2 }\n",
    );
    let own =
        "[dependencies]\npart = { path = \"part\" }\n[workspace]\n[profile.release]\ncodegen-units = 3\n";
    scratch.write("Cargo.toml", package("whole") + own);
    scratch.write(
        "src/main.rs",
        "fn main() {\n    std::panic::set_hook(Box::new(|_| {}));\n    for n in [8, 7] {\n        \
         let half = std::panic::catch_unwind(|| part::half(n));\n        println!(\"{n}: {half:?}\", half = half.ok());\n    }\n}\n",
    );
    let linker = scratch.write("ice-link", format!("#!/bin/sh\nexec {} ld \"$@\"\n", ice_path().display()));
    make_executable(&linker);
    // The linker of the system alone knows no bitcode.
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--offline"]).current_dir(scratch.path(""));
    let flags = format!("-C linker-plugin-lto -C linker={}", linker.display());
    cargo.env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", scratch.path("target"));
    cargo.env("XDG_CACHE_HOME", scratch.path("cache")).env_remove("CARGO_ENCODED_RUSTFLAGS");
    expect_success(&cargo.output().unwrap(), "cargo build");
    assert_eq!(left_behind(&scratch), 0);
    let output = Command::new(scratch.path("target/release/whole")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "-8\n8: Some(4)\n-7\n7: None\n");
}

fn ice_path() -> std::path::PathBuf {
    ice().get_program().into()
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

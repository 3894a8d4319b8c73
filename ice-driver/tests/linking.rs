//! `ice run` and `ice build` beyond translation: native programs, the kept runtime, places that forbid execution.

use crate::common;

use common::{ALL_TARGETS, EMPTY_PROGRAM, Scratch, can_run, errors, expect_success, has_tool, ice, skip};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const HELLO: &str = "#include <math.h>\n#include <stdio.h>\n\
    int main(int argc, char **argv) {\n\
      printf(\"%s %d %g\\n\", argv[1], argc, floor(argc + 0.5));\n\
      return 3;\n}\n";

#[test]
fn native_programs_are_linked_as_the_system_links() {
    if !has_tool("clang-19") {
        return skip("native programs", "no clang-19");
    }
    for target in ALL_TARGETS {
        if !can_run(target) {
            continue;
        }
        let scratch = Scratch::new();
        let (source, bitcode) = (scratch.write("hello.c", HELLO), scratch.path("hello.bc"));
        let flags: &[&str] = match target {
            "x86_64" => &["--target=x86_64-linux-gnu"],
            "i686" => &["--target=i686-linux-gnu", "-march=pentium4", "-mfpmath=sse"],
            "mipsel" => &["--target=mipsel-linux-gnu", "-mcpu=mips32r2"],
            "aarch64" => &["--target=aarch64-linux-gnu"],
            _ => &["--target=armv7-linux-gnueabihf", "-mfpu=neon"],
        };
        let mut clang = Command::new("clang-19");
        clang.args(flags).args(["-O1", "-emit-llvm", "-c"]).arg(&source).arg("-o").arg(&bitcode);
        expect_success(&clang.output().unwrap(), target);
        for level in ["-Om1", "-O2"] {
            // The machine is the module's own.
            let output = ice().args(["run", level]).arg(&bitcode).arg("world").output().unwrap();
            assert_eq!(output.status.code(), Some(3), "{target}: {}", errors(&output));
            assert_eq!((&*output.stdout, errors(&output)), (&b"world 2 2\n"[..], String::new()));
        }
        let executable = scratch.path("hello");
        let output = ice().arg("build").arg(&bitcode).arg("-o").arg(&executable).output().unwrap();
        expect_success(&output, target);
        assert_eq!(std::fs::metadata(executable).unwrap().permissions().mode() & 0o100, 0o100);
    }
}

/// The only directory of the runtime in a cache.
fn runtime(cache: &Path) -> PathBuf {
    let entries = std::fs::read_dir(cache.join("ice")).unwrap();
    let mut places: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(places.len(), 1, "{places:?}");
    places.remove(0)
}

#[test]
fn a_damaged_runtime_is_compiled_again() {
    if !can_run("x86_64") {
        return;
    }
    let scratch = Scratch::new();
    let input = scratch.write("a.ice", EMPTY_PROGRAM);
    let cache = scratch.path("cache");
    let run = || ice().arg("run").arg(&input).env("XDG_CACHE_HOME", &cache).output().unwrap();
    expect_success(&run(), "first");
    let object = runtime(&cache).join("runtime.o");
    let whole = std::fs::read(&object).unwrap();
    std::fs::write(&object, &whole[..whole.len() / 2]).unwrap();
    expect_success(&run(), "cut short");
    assert_eq!(std::fs::read(&object).unwrap().len(), whole.len());
    // With its hash right it is still compiled again when it does not link.
    std::fs::write(&object, "").unwrap();
    let sums = runtime(&cache).join("sums");
    let empty = std::fs::read(&object).unwrap();
    let hash = {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        empty.hash(&mut hasher);
        hasher.finish()
    };
    let kept = std::fs::read_to_string(&sums).unwrap();
    let second = kept.lines().nth(1).unwrap();
    std::fs::write(&sums, format!("{hash:016x}\n{second}\n")).unwrap();
    expect_success(&run(), "does not link");
    assert_eq!(std::fs::read(&object).unwrap().len(), whole.len());
    // What others can write is not used.
    std::fs::set_permissions(cache.join("ice"), PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::write(&object, "").unwrap();
    let output = run();
    expect_success(&output, "not private");
    assert!(errors(&output).contains("is not yours alone to write"), "{}", errors(&output));
    assert!(std::fs::read(&object).unwrap().is_empty());
}

#[test]
fn a_home_that_forbids_execution_is_enough() {
    if !can_run("x86_64") {
        return;
    }
    let scratch = Scratch::new();
    let (input, home) = (scratch.write("a.ice", EMPTY_PROGRAM), scratch.path("home"));
    std::fs::create_dir(&home).unwrap();
    let script = "mount -t tmpfs -o noexec none \"$1\" || exit 77; shift; exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]).arg(&home);
    command.args([env!("CARGO_BIN_EXE_ice"), "run"]).arg(&input).env("HOME", &home);
    let output = command.env_remove("XDG_CACHE_HOME").output();
    match output {
        Ok(output) if output.status.success() => assert_eq!(errors(&output), ""),
        Ok(output) if errors(&output).contains("ice:") => panic!("{}", errors(&output)),
        _ => skip("a home that forbids execution", "unshare cannot mount here"),
    }
}

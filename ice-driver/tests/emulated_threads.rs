//! Thread-local variables that a library keeps (`-femulated-tls`): objects of clang and of Ice in one program.

use crate::common::tools::has;
use crate::common::{Scratch, can_run, errors, expect_success, ice};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TARGETS: [(&str, &[&str], &str, &[&str]); 3] = [
    ("x86_64", &["--target=x86_64-linux-gnu"], "gcc", &[]),
    ("i686", &["--target=i686-linux-gnu", "-march=pentium4"], "i686-linux-gnu-gcc", &[]),
    ("armv7", &["--target=armv7-linux-gnueabihf"], "arm-linux-gnueabihf-gcc", &["qemu-arm"]),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/emulated_threads.c")
}

/// The object of one half by a compiler.
fn object(mut compiler: Command, flags: &[&str], object: &Path) {
    compiler.args(flags).args(["-femulated-tls", "-w", "-c"]).arg(source()).arg("-o").arg(object);
    expect_success(&compiler.output().expect("the compiler starts"), "compile");
}

fn compiler(is_ice: bool) -> Command {
    match is_ice {
        true => {
            let mut command = ice();
            command.args(["cc", "--ice-clang=clang-19"]);
            command
        }
        false => Command::new("clang-19"),
    }
}

#[test]
fn objects_of_two_compilers_share_the_variables_of_a_library() {
    for (target, flags, linker, emulator) in TARGETS {
        if !can_run(target) || !has("emulated thread-local storage", &["clang-19", linker]) {
            continue;
        }
        let scratch = Scratch::new();
        let mut wanted: Option<Output> = None;
        for level in ["-O0", "-O2", "-O1 -fno-pic"] {
            // The first program is clang's alone.
            for halves in [[false, false], [true, true], [true, false], [false, true]] {
                if wanted.is_some() && halves == [false, false] {
                    continue;
                }
                let objects = [scratch.path("a.o"), scratch.path("b.o")];
                for ((path, is_ice), half) in objects.iter().zip(halves).zip(["-DHALF", "-DWHOLE"]) {
                    let flags: Vec<&str> =
                        flags.iter().copied().chain(level.split(' ')).chain([half]).collect();
                    object(compiler(is_ice), &flags, path);
                }
                let program = scratch.path("program");
                let mut link = Command::new(linker);
                let is_static =
                    if emulator.is_empty() && level != "-O1 -fno-pic" { "-pie" } else { "-static" };
                link.arg(is_static).args(&objects).arg("-o").arg(&program).arg("-pthread");
                expect_success(&link.output().expect("the linker starts"), "link");
                let mut words = emulator.iter().map(std::ffi::OsStr::new).chain([program.as_os_str()]);
                let mut command = Command::new(words.next().expect("a program"));
                let found = command.args(words).output().expect("the program starts");
                expect_success(&found, target);
                let wanted = wanted.get_or_insert_with(|| found.clone());
                assert!(wanted.stdout.len() > 100, "{target}");
                let shown =
                    [&found, &*wanted].map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
                assert_eq!(shown[0], shown[1], "{target} {level} {halves:?}");
            }
        }
    }
}

/// The names of the symbols of an object, with their letters as `nm` has them.
fn symbols(object: &Path) -> Vec<String> {
    let output = Command::new("nm").arg(object).output().expect("nm starts");
    let mut names: Vec<_> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| line[line.len().min(17)..].to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_symbols_are_those_of_clangs_object() {
    if !has("emulated thread-local storage", &["clang++-19", "nm"]) {
        return;
    }
    let scratch = Scratch::new();
    let text = "template <class T> struct S { static thread_local T x; }; template <class T> thread_local T S<T>::x = 3;
        inline thread_local int shared = 4; thread_local int zero __attribute__((visibility(\"hidden\")));
        namespace { thread_local int own = 5; } extern thread_local int other;
        __attribute__((weak)) thread_local int weak = 9;
        int f() { return S<int>::x + shared + zero + own++ + other + weak; }";
    let source = scratch.write("a.cc", text);
    let [theirs, ours] = ["clang.o", "ice.o"].map(|name| scratch.path(name));
    let flags = ["-O1", "-femulated-tls", "-std=c++17", "-fno-exceptions", "-c"];
    let mut clang = Command::new("clang++-19");
    expect_success(&clang.args(flags).arg(&source).arg("-o").arg(&theirs).output().unwrap(), "clang");
    let mut command = ice();
    command.args(["c++", "--ice-clang=clang++-19"]).args(flags).arg(&source).arg("-o").arg(&ours);
    expect_success(&command.output().unwrap(), "ice");
    assert_eq!(symbols(&ours), symbols(&theirs));
    assert!(symbols(&ours).contains(&"V __emutls_v.shared".to_owned()), "{:?}", symbols(&ours));
}

#[test]
fn android_has_none_of_the_system_and_other_names_are_refused() {
    if !has("emulated thread-local storage", &["llvm-as-19", "nm"]) {
        return;
    }
    let translated = |triple: &str, flags: &[&str], body: &str| {
        let scratch = Scratch::new();
        let text = scratch
            .write("m.ll", format!("target triple = \"{triple}\"\n@x = thread_local global i32 1\n{body}"));
        let (bitcode, object) = (scratch.path("m.bc"), scratch.path("m.o"));
        expect_success(
            &Command::new("llvm-as-19").arg(&text).arg("-o").arg(&bitcode).output().unwrap(),
            body,
        );
        let output =
            ice().arg("translate").args(flags).arg(&bitcode).arg("-o").arg(&object).output().unwrap();
        (symbols(&object), errors(&output))
    };
    let body = "define ptr @f() { ret ptr @x }";
    let emulated = ["R __emutls_t.x", "D __emutls_v.x", "U __emutls_get_address"];
    for (triple, flags, is_emulated) in [
        ("x86_64-linux-android21", &["--target", "x86_64"][..], true),
        ("x86_64-linux-android30", &["--target", "x86_64"], false),
        ("x86_64-linux-gnu", &[], false),
        ("x86_64-linux-gnu", &["--emulated-tls"], true),
    ] {
        let (found, message) = translated(triple, flags, body);
        assert_eq!(message, "", "{triple}");
        for name in emulated {
            assert_eq!(found.contains(&name.to_owned()), is_emulated, "{triple} {flags:?}: {found:?}");
        }
    }
    let (_, message) =
        translated("x86_64-linux-gnu", &["--emulated-tls"], "@y = thread_local alias i32, ptr @x");
    assert!(message.contains("y, another name of a variable in emulated thread-local storage"), "{message}");
    assert!(message.contains(" at "), "{message}");
}

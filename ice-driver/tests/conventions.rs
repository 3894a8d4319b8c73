//! Calling conventions of x86-64 that are not C's: programs of two files, each as clang or Ice translates it, do what clang's
//! code does, and each function preserves the registers that its convention says.

use crate::common;

use common::tools::has;
use common::{Scratch, errors, ice};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Who makes an object, and the level.
#[derive(Clone, Copy, Debug)]
enum Maker {
    Clang(&'static str),
    Ice(&'static str),
}

fn succeeds(what: &str, output: Output) -> Vec<u8> {
    assert!(output.status.success(), "{what}: {}", errors(&output));
    output.stdout
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conventions").join(name)
}

fn object(scratch: &Scratch, maker: Maker, name: &str) -> PathBuf {
    let object = scratch.path(&format!("{name}.{maker:?}.o").replace(['(', ')', '"'], "."));
    let (mut command, level) = match maker {
        Maker::Clang(level) => (Command::new("clang++-19"), level),
        Maker::Ice(level) => {
            let mut command = ice();
            command.args(["c++", "--ice-clang=clang-19"]);
            (command, level)
        }
    };
    let target = ["--target=x86_64-linux-gnu", "-w", level, "-c", "-o"];
    let output = command.args(target).arg(&object).arg(source(name)).output().unwrap();
    succeeds(&format!("{name} by {maker:?}"), output);
    object
}

#[test]
fn callers_and_callees_of_two_compilers_agree() {
    if !has("calling conventions", &["clang++-19", "g++"]) || !cfg!(target_arch = "x86_64") {
        return;
    }
    let scratch = Scratch::new();
    let registers = source("registers.s");
    let printed = |[caller, callee]: [Maker; 2]| {
        let objects = [object(&scratch, caller, "caller.cc"), object(&scratch, callee, "callee.cc")];
        let program = scratch.path("program");
        let mut linker = Command::new("g++");
        let output = linker.arg("-o").arg(&program).args(&objects).arg(&registers).output().unwrap();
        succeeds("linking", output);
        String::from_utf8(succeeds("running", Command::new(&program).output().unwrap())).unwrap()
    };
    // Optimized code of LLVM 19 looks for values in registers that preserve_most preserves also where an exception leaves the
    // callee, and unwinding does not restore them.
    let clang = Maker::Clang("-O0");
    let expected = printed([clang, clang]);
    let names = ["most", "all", "windows", "standard"];
    for name in names {
        let calls = expected.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!(calls, 9 + 4, "{name}: {expected}");
    }
    for level in ["-O0", "-O1", "-O2"] {
        let own = Maker::Ice(level);
        for makers in [[clang, own], [own, Maker::Clang("-O2")], [own, own]] {
            assert_eq!(printed(makers), expected, "{makers:?}");
        }
    }
}

/// The two halves of `none.c`, each by clang or Ice.
#[test]
fn functions_that_preserve_nothing_agree_between_two_compilers() {
    if !has("calling conventions", &["clang-19", "gcc"]) || !cfg!(target_arch = "x86_64") {
        return;
    }
    let scratch = Scratch::new();
    let half = |maker: Maker, name: &str| {
        let object = scratch.path(&format!("{name}.{maker:?}.o").replace(['(', ')', '"'], "."));
        let (mut command, level) = match maker {
            Maker::Clang(level) => (Command::new("clang-19"), level),
            Maker::Ice(level) => {
                let mut command = ice();
                command.args(["cc", "--ice-clang=clang-19"]);
                (command, level)
            }
        };
        command.args(["--target=x86_64-linux-gnu", "-w", level, &format!("-D{name}"), "-c", "-o"]);
        succeeds(name, command.arg(&object).arg(source("none.c")).output().unwrap());
        object
    };
    let printed = |[handlers, main]: [Maker; 2]| {
        let program = scratch.path("program");
        let mut linker = Command::new("gcc");
        let objects = [half(handlers, "HALF"), half(main, "WHOLE")];
        succeeds("linking", linker.arg("-o").arg(&program).args(&objects).output().unwrap());
        String::from_utf8(succeeds("running", Command::new(&program).output().unwrap())).unwrap()
    };
    let clang = Maker::Clang("-O2");
    let expected = printed([clang, clang]);
    assert!(expected.lines().count() >= 8, "{expected}");
    for level in ["-O0", "-O1", "-O2"] {
        let own = Maker::Ice(level);
        for makers in [[clang, own], [own, clang], [own, own]] {
            assert_eq!(printed(makers), expected, "{makers:?}");
        }
    }
}

/// What is refused, each by its name.
#[test]
fn what_conventions_do_not_have_is_refused() {
    if !has("calling conventions", &["clang-19"]) {
        return;
    }
    let scratch = Scratch::new();
    let (all, windows) = ("__attribute__((preserve_all))", "__attribute__((ms_abi))");
    let none = "__attribute__((preserve_none))";
    let wide = "typedef int V __attribute__((vector_size(32)));";
    for (text, target, flags, refused) in [
        (
            format!("{all} void f(void) {{}}"),
            "x86_64",
            "-mavx",
            Some("preserve_all for processors with vector"),
        ),
        (format!("{all} void f(void); void g(void) {{ f(); }}"), "x86_64", "-mavx", None),
        (
            format!("{wide} {windows} V f(V a) {{ return a; }}"),
            "x86_64",
            "-mavx",
            Some("vectors of 256 bits"),
        ),
        (format!("{wide} {windows} V f(V a) {{ return a; }}"), "x86_64", "-msse4.2", None),
        (
            format!("{wide} {windows} void f(int a, ...); void g(V *a) {{ f(1, *a); }}"),
            "x86_64",
            "-mavx",
            Some("vectors of 256 bits of the calling convention win64"),
        ),
        (
            format!("{windows} void f(int a, ...); void g(__float128 *a) {{ f(1, *a); }}"),
            "x86_64",
            "-msse2",
            Some("fp128 of the calling convention win64"),
        ),
        (
            format!("typedef struct {{ __float128 a; }} *P; {windows} __float128 f(P a) {{ return a->a; }}"),
            "x86_64",
            "-msse2",
            Some("fp128 of the calling convention win64"),
        ),
        (
            format!("void g({windows} void (*f)(int)) {{ f(1); }}"),
            "x86_64",
            "-msse2",
            Some("a call through an address by a calling convention other than C's that no function"),
        ),
        (
            format!("{windows} void other(void) {{}} void g({windows} void (*f)(int)) {{ f(1); }}"),
            "x86_64",
            "-msse2",
            None,
        ),
        ("void f(void) {}".to_owned(), "x86_64", "-msse2", None),
        (
            format!("{none} int f(char a) {{ return a; }}"),
            "x86_64",
            "-msse2",
            Some("integers of fewer than 32 bits of the calling convention preserve_none"),
        ),
        (
            format!("struct S {{ long a[4]; }}; {none} long f(struct S a) {{ return a.a[1]; }}"),
            "x86_64",
            "-msse2",
            Some("objects by value of the calling convention preserve_none"),
        ),
        (
            format!("{none} int f(char a); int g(int a) {{ return f(a); }}"),
            "x86_64",
            "-msse2",
            Some("integers of fewer than 32 bits of the calling convention preserve_none"),
        ),
        (format!("{none} int f(int a, float b) {{ return a + b; }}"), "x86_64", "-msse2", None),
        (
            "__attribute__((vectorcall)) int f(int a) { return a; }".to_owned(),
            "x86_64",
            "-msse2",
            Some("the calling convention x86_vectorcallcc"),
        ),
        (
            "__attribute__((vectorcall)) int f(int a); int g(int a) { return f(a); }".to_owned(),
            "i686",
            "-msse2",
            Some("the calling convention x86_vectorcallcc"),
        ),
        (
            "__attribute__((regcall)) int f(int a) { return a; }".to_owned(),
            "x86_64",
            "-msse2",
            Some("the calling convention x86_regcallcc"),
        ),
    ] {
        let source = scratch.write("a.c", &text);
        let object = scratch.path("a.o");
        let mut compiler = ice();
        let target = format!("--target={target}-linux-gnu");
        compiler.args(["cc", "--ice-clang=clang-19", &target, "-O1", "-w", flags, "-c", "-o"]);
        let output = compiler.arg(&object).arg(&source).output().unwrap();
        let errors = errors(&output);
        match refused {
            Some(of) => {
                assert!(output.status.code() == Some(1) && !object.exists(), "{text}: {errors}");
                assert!(errors.contains(of), "{text}: {errors}");
            }
            None => assert!(output.status.success() && object.exists(), "{text}: {errors}"),
        }
        let _ = std::fs::remove_file(&object);
    }
}

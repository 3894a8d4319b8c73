//! Exceptions of C++ and panics of Rust: programs that catch, clean up and pass on do what other compilers' do.

mod arm;
mod emulated;
mod random;

use crate::common::{self, Scratch, expect_success, ice, under};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A program and how it is compiled.
struct Program {
    name: &'static str,
    source: &'static str,
    standard: &'static str,
}

const CATCHING: Program =
    Program { name: "catching.cc", source: include_str!("catching.cc"), standard: "-std=c++14" };
const FRAMES: Program =
    Program { name: "frames.cc", source: include_str!("frames.cc"), standard: "-std=c++14" };
const COROUTINES: Program =
    Program { name: "coroutines.cc", source: include_str!("coroutines.cc"), standard: "-std=c++20" };
const CLEANUPS: Program =
    Program { name: "cleanups.c", source: include_str!("cleanups.c"), standard: "-std=c11" };
const LIBRARY: Program =
    Program { name: "library.cc", source: include_str!("library.cc"), standard: "-std=c++17" };

/// The headers of C++, which are those of a machine of 64 bits.
const HEADERS: [&str; 3] =
    ["/usr/include/c++/12", "/usr/include/x86_64-linux-gnu/c++/12", "/usr/include/c++/12/backward"];

/// Compilers, of which each writes bitcode of its own version.
const COMPILERS: [&str; 4] = ["clang++-14", "clang++-16", "clang++-19", "clang++-22"];

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn compile(compiler: &str, flags: &[&str], source: &Path, output: &Path) {
    let mut command = Command::new(compiler);
    command.arg("-w").args(flags).arg(source).arg("-o").arg(output);
    expect_success(&run(&mut command), compiler);
}

/// Compiles to bitcode with `flags`, translates with `arguments`, links as `link` says, and expects what the program of the
/// compiler alone does, which `link` makes too.
fn check(program: (&str, &Program), flags: &[&str], arguments: &[&str], link: &dyn Fn(&Path, &Path)) {
    check_under(&[], program, flags, arguments, link);
}

/// The same under an emulator, if one is named.
fn check_under(
    emulator: &[&str],
    (compiler, program): (&str, &Program),
    flags: &[&str],
    arguments: &[&str],
    link: &dyn Fn(&Path, &Path),
) {
    let scratch = Scratch::new();
    let source = scratch.write(program.name, program.source);
    let path = |name: &str| scratch.path(name);
    let flags: Vec<_> = [&[program.standard], flags].concat();
    compile(compiler, &[&flags[..], &["-c"]].concat(), &source, &path("expected.o"));
    compile(compiler, &[&flags[..], &["-c", "-emit-llvm"]].concat(), &source, &path("a.bc"));
    let finish = |object: &Path, program: PathBuf| {
        link(object, &program);
        run(&mut under(emulator, &program))
    };
    let expected = finish(&path("expected.o"), path("expected"));
    assert!(expected.stdout.len() > 500, "{}: {expected:?}", program.name);
    for level in ["-O2", "-Om1"] {
        let mut command = ice();
        command.args(["translate", level]).args(arguments).arg(path("a.bc")).arg("-o").arg(path("a.o"));
        expect_success(&run(&mut command), &format!("{} of {compiler}", program.name));
        let output = finish(&path("a.o"), path("a"));
        let what = format!("{} of {compiler} {flags:?}, {level} {arguments:?}", program.name);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&expected.stdout),
            "{what}"
        );
        assert_eq!(output.status, expected.status, "{what}");
    }
}

/// Links with the compiler, which may say nothing about the tables.
fn link_with(compiler: &'static str, flags: &'static [&'static str]) -> impl Fn(&Path, &Path) {
    move |object, program| {
        let mut command = Command::new(compiler);
        command.arg(object).arg("-o").arg(program).arg("-pthread").args(flags);
        let output = run(&mut command);
        expect_success(&output, compiler);
        assert_eq!(common::errors(&output), "", "{}", object.display());
    }
}

#[test]
fn programs_of_cpp_catch_as_those_of_clang() {
    let compilers =
        COMPILERS.into_iter().filter(|name| cfg!(target_arch = "x86_64") && common::has_tool(name));
    let compilers: Vec<_> = compilers.collect();
    if compilers.is_empty() {
        return common::skip("exceptions of C++", "no clang++ on this machine");
    }
    for compiler in &compilers {
        for program in [&CATCHING, &FRAMES] {
            check((compiler, program), &["-O1"], &[], &link_with(compiler, &[]));
        }
        // Clang 14 itself loses tail calls at -O2.
        let levels = if *compiler == "clang++-14" { &["-O0"][..] } else { &["-O0", "-O2"] };
        for &level in levels {
            check((compiler, &COROUTINES), &[level], &[], &link_with(compiler, &[]));
        }
    }
    if common::has_tool("clang-19") {
        for level in ["-O0", "-O2"] {
            check(("clang-19", &CLEANUPS), &[level, "-fexceptions"], &[], &link_with("clang-19", &[]));
        }
    }
    if let Some(compiler) = compilers.last() {
        check((compiler, &LIBRARY), &["-O2"], &[], &link_with(compiler, &[]));
    }
}

/// Without optimisation all values are in memory, with it many are in registers; code may be position-independent or not.
#[test]
fn levels_and_models_of_clang_make_no_difference() {
    let Some(compiler) = common::find_tool(&["clang++-19"]).filter(|_| cfg!(target_arch = "x86_64")) else {
        return common::skip("exceptions of C++", "no clang++-19 on this machine");
    };
    for program in [&CATCHING, &FRAMES] {
        check((compiler, program), &["-O0"], &[], &link_with(compiler, &[]));
        check((compiler, program), &["-O3"], &[], &link_with(compiler, &["-static"]));
        let fixed = ["-O2", "-fno-pic"];
        check(
            (compiler, program),
            &fixed,
            &["--relocation-model", "static"],
            &link_with(compiler, &["-no-pie"]),
        );
    }
    let sections = ["-O1", "-ffunction-sections"];
    let collected = link_with(compiler, &["-Wl,--gc-sections"]);
    check((compiler, &LIBRARY), &sections, &["--function-sections"], &collected);
}

/// Pads are landings, and frames that exceptions leave are guarded.
#[test]
fn hardened_programs_catch_as_those_of_clang() {
    let Some(compiler) = common::find_tool(&["clang++-19"]).filter(|_| cfg!(target_arch = "x86_64")) else {
        return common::skip("exceptions of C++", "no clang++-19 on this machine");
    };
    for program in [&CATCHING, &FRAMES] {
        for protector in ["-fstack-protector-strong", "-fstack-protector-all"] {
            check(
                (compiler, program),
                &["-O1", "-fcf-protection", protector],
                &[],
                &link_with(compiler, &[]),
            );
        }
    }
}

/// What chance decides of code leaves its pads what they want.
#[test]
fn diversified_programs_catch_as_those_of_clang() {
    let Some(compiler) = common::find_tool(&["clang++-19"]).filter(|_| cfg!(target_arch = "x86_64")) else {
        return common::skip("exceptions of C++", "no clang++-19 on this machine");
    };
    for (program, seed) in [(&CATCHING, "1"), (&FRAMES, "2"), (&LIBRARY, "3")] {
        check((compiler, program), &["-O1"], &["--diversify", seed], &link_with(compiler, &[]));
    }
}

/// An assembler makes of the text what links and catches as the object does.
#[test]
fn tables_are_the_same_as_text() {
    let Some(compiler) = common::find_tool(&["clang++-19"]).filter(|_| cfg!(target_arch = "x86_64")) else {
        return common::skip("exceptions of C++", "no clang++-19 on this machine");
    };
    check_text(compiler, &["-O1"], &[], &link_with(compiler, &[]));
}

fn check_text(compiler: &str, flags: &[&str], emulator: &[&str], link: &dyn Fn(&Path, &Path)) {
    let scratch = Scratch::new();
    let source = scratch.write(CATCHING.name, CATCHING.source);
    let path = |name: &str| scratch.path(name);
    let flags = [flags, &[CATCHING.standard, "-c", "-emit-llvm"]].concat();
    compile(compiler, &flags, &source, &path("a.bc"));
    let mut outputs = Vec::new();
    for (name, arguments) in [("a.o", &[][..]), ("a.s", &["--emit", "asm"])] {
        let mut command = ice();
        command.arg("translate").args(arguments).arg(path("a.bc")).arg("-o").arg(path(name));
        expect_success(&run(&mut command), name);
        link(&path(name), &path("a"));
        outputs.push(run(&mut under(emulator, &path("a"))));
    }
    assert!(outputs[0].stdout.len() > 500);
    assert_eq!(outputs[0].stdout, outputs[1].stdout);
    assert_eq!(outputs[0].status, outputs[1].status);
}

#[test]
fn programs_of_32_bits_catch_as_those_of_clang() {
    const LIBRARIES: &str = "/usr/i686-linux-gnu/lib";
    let library = format!("{LIBRARIES}/libstdc++.so.6");
    let tools = ["clang++-19", "i686-linux-gnu-gcc"];
    let files = HEADERS.iter().copied().chain([&*library]);
    let are_there = tools.iter().all(|tool| common::has_tool(tool)) && files.map(Path::new).all(Path::exists);
    if !are_there || !cfg!(target_arch = "x86_64") {
        return common::skip("exceptions of C++ on x86-32", "no compiler or library for it on this machine");
    }
    let headers = HEADERS.iter().flat_map(|&header| ["-isystem", header]);
    let machine = ["--target=i686-linux-gnu", "-march=pentium4", "-mfpmath=sse", "-ffp-contract=off"];
    let usual: Vec<_> = machine.into_iter().chain(headers).collect();
    for (flags, arguments, kind) in [
        (["-O0", "-fPIC"], ["--target", "i686", "--relocation-model", "pic"], "-pie"),
        (["-O2", "-fPIC"], ["--target", "i686", "--relocation-model", "pic"], "-pie"),
        (["-O1", "-fno-pic"], ["--target", "i686", "--relocation-model", "static"], "-no-pie"),
    ] {
        let link = |object: &Path, program: &Path| {
            let mut command = Command::new("i686-linux-gnu-gcc");
            command
                .args([kind, "-pthread", "-lm", "-lgcc_s"])
                .arg(object)
                .arg("-o")
                .arg(program)
                .arg(&library);
            let loader = format!("-Wl,--dynamic-linker={LIBRARIES}/ld-linux.so.2,-rpath,{LIBRARIES}");
            expect_success(&run(command.arg(loader)), "gcc");
        };
        // The library takes long to compile.
        let library = (flags[0] == "-O2").then_some(&LIBRARY);
        for program in [&CATCHING, &FRAMES, &COROUTINES].into_iter().chain(library) {
            check(("clang++-19", program), &[&usual[..], &flags].concat(), &arguments, &link);
        }
    }
}

/// Programs that nobody has written: `ICE_EXCEPTION_SEEDS` says how many, from the seed `ICE_EXCEPTION_SEED` on.
#[test]
fn random_programs_catch_as_those_of_clang() {
    let Some(compiler) = common::find_tool(&["clang++-19"]).filter(|_| cfg!(target_arch = "x86_64")) else {
        return common::skip("random programs with exceptions", "no clang++-19 on this machine");
    };
    check_random(8, compiler, &[], &[], &link_with(compiler, &[]));
}

fn check_random(
    usual_count: u64,
    compiler: &str,
    flags: &[&str],
    emulator: &[&str],
    link: &dyn Fn(&Path, &Path),
) {
    let number =
        |name: &str, usual| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (first, count) = (number("ICE_EXCEPTION_SEED", 0), number("ICE_EXCEPTION_SEEDS", usual_count));
    let scratch = Scratch::new();
    let path = |name: &str| scratch.path(name);
    for seed in first..first + count {
        let source = scratch.write("a.cc", random::program(seed));
        let level = ["-O0", "-O1", "-O2", "-O3"][seed as usize % 4];
        let flags = [flags, &[level, "-ffp-contract=off", "-c"]].concat();
        compile(compiler, &flags, &source, &path("a.o"));
        compile(compiler, &[&flags[..], &["-emit-llvm"]].concat(), &source, &path("a.bc"));
        let finish = |object: &str| {
            link(&path(object), &path("a"));
            run(&mut under(emulator, &path("a")))
        };
        let expected = finish("a.o");
        assert!(expected.status.success(), "seed {seed}: {expected:?}");
        for level in ["-O2", "-Om1"] {
            let mut command = ice();
            command.args(["translate", level]).arg(path("a.bc")).arg("-o").arg(path("b.o"));
            expect_success(&run(&mut command), &format!("seed {seed}"));
            let output = finish("b.o");
            assert_eq!(
                (output.status, output.stdout),
                (expected.status, expected.stdout.clone()),
                "seed {seed}, {level}"
            );
        }
    }
}

/// Links a program with Rust's own library, and runs it. The map brings what the program needs of libraries before it.
fn run_rust(scratch: &Scratch, flags: &[&str], emulator: &[&str], object: &Path) -> Output {
    const MAIN: &str = "unsafe extern \"C\" { fn program() -> i32; }\n\
        fn main() {\n\
            let arguments: std::collections::HashSet<String> = std::env::args().collect();\n\
            assert_eq!(arguments.len(), 1);\n\
            std::process::exit(unsafe { program() })\n\
        }\n";
    let (main, program) = (scratch.write("main.rs", MAIN), scratch.path("program"));
    let mut command = Command::new("rustc");
    command.args(["--edition=2024", "-o"]).arg(&program).arg(&main).args(flags);
    command.arg(format!("-Clink-arg={}", object.display()));
    expect_success(&run(&mut command), "rustc");
    run(&mut under(emulator, &program))
}

/// Panics are caught, what they pass is dropped in its order, and threads end by them, as in the program of rustc alone.
#[test]
fn panics_of_rust_are_caught() {
    if !cfg!(target_arch = "x86_64") || !common::has_tool("rustc") {
        return common::skip("panics of Rust", "no rustc on this machine");
    }
    check_panics(&[], &[]);
}

fn check_panics(flags: &[&str], emulator: &[&str]) {
    let scratch = Scratch::new();
    let source = scratch.write("panics.rs", include_str!("panics.rs"));
    for level in ["0", "3"] {
        let base = scratch.path("a");
        let mut command = Command::new("rustc");
        command.args(["--edition=2024", "--crate-type=lib", "--emit=llvm-bc,obj", "-Ccodegen-units=1", "-o"]);
        command.arg(&base).arg(&source).arg(format!("-Copt-level={level}")).args(flags);
        expect_success(&run(&mut command), "rustc");
        let expected = run_rust(&scratch, flags, emulator, &base.with_extension("o"));
        assert!(expected.stdout.len() > 500, "{expected:?}");
        for recipe in ["-O2", "-Om1"] {
            let mut command = ice();
            command.args(["translate", recipe]).arg(base.with_extension("bc"));
            expect_success(&run(command.arg("-o").arg(scratch.path("b.o"))), "ice");
            let output = run_rust(&scratch, flags, emulator, &scratch.path("b.o"));
            let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(text(&output), text(&expected), "{level} {recipe}");
            assert_eq!(output.status, expected.status, "{level} {recipe}");
        }
    }
}

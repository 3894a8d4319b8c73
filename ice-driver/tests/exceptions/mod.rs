//! Exceptions of C++ and panics of Rust: programs that catch, clean up and pass on do what other compilers' do.

use crate::common::{self, Scratch, expect_success, ice};
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
const LIBRARY: Program =
    Program { name: "library.cc", source: include_str!("library.cc"), standard: "-std=c++17" };

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
fn check(
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
        run(&mut Command::new(program))
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

/// An assembler makes of the text what links and catches as the object does.
#[test]
fn tables_are_the_same_as_text() {
    let Some(compiler) = common::find_tool(&["clang++-19"]).filter(|_| cfg!(target_arch = "x86_64")) else {
        return common::skip("exceptions of C++", "no clang++-19 on this machine");
    };
    let scratch = Scratch::new();
    let source = scratch.write(CATCHING.name, CATCHING.source);
    let path = |name: &str| scratch.path(name);
    compile(compiler, &[CATCHING.standard, "-O1", "-c", "-emit-llvm"], &source, &path("a.bc"));
    let mut outputs = Vec::new();
    for (name, arguments) in [("a.o", &[][..]), ("a.s", &["--emit", "asm"])] {
        let mut command = ice();
        command.arg("translate").args(arguments).arg(path("a.bc")).arg("-o").arg(path(name));
        expect_success(&run(&mut command), name);
        link_with(compiler, &[])(&path(name), &path("a"));
        outputs.push(run(&mut Command::new(path("a"))));
    }
    assert!(outputs[0].stdout.len() > 500);
    assert_eq!(outputs[0].stdout, outputs[1].stdout);
    assert_eq!(outputs[0].status, outputs[1].status);
}

/// The headers are those of the machine of 64 bits.
#[test]
fn programs_of_32_bits_catch_as_those_of_clang() {
    const LIBRARIES: &str = "/usr/i686-linux-gnu/lib";
    const HEADERS: [&str; 3] =
        ["/usr/include/c++/12", "/usr/include/x86_64-linux-gnu/c++/12", "/usr/include/c++/12/backward"];
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
        for program in [&CATCHING, &FRAMES].into_iter().chain(library) {
            check(("clang++-19", program), &[&usual[..], &flags].concat(), &arguments, &link);
        }
    }
}

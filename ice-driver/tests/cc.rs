//! `ice cc` and `ice c++` take the command lines of a compiler.

use crate::common;

use common::tools::has;
use common::{Scratch, errors, ice, with_input};
use object::{Object, ObjectSection, ObjectSymbol};
use std::process::{Command, Output};

const CLANG: &str = "--ice-clang=clang-19";

/// A directory with the files of a small project; none if there is no compiler.
fn project() -> Option<Scratch> {
    if !has("ice cc", &["clang-19", "clang++-19"]) {
        return None;
    }
    let scratch = Scratch::new();
    scratch.write("part.h", "double part(double);\n");
    scratch.write(
        "part.c",
        "#include <math.h>\n#include \"part.h\"\ndouble part(double a) { return floor(a) + X; }\n",
    );
    scratch.write(
        "main.c",
        "#include <stdio.h>\n#include \"part.h\"\nint main(void) { printf(\"%g\\n\", part(2.5)); }\n",
    );
    Some(scratch)
}

fn command(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = ice();
    command.args(["cc", CLANG]).args(arguments).current_dir(scratch.path(""));
    command
}

fn cc(scratch: &Scratch, arguments: &[&str]) -> Output {
    command(scratch, arguments).output().unwrap()
}

/// Runs the compiler, which must have nothing to say.
#[track_caller]
fn expect(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = cc(scratch, arguments);
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn expect_prints(scratch: &Scratch, program: &str, printed: &str) {
    let output = Command::new(scratch.path(program)).output().unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), printed.as_bytes()));
}

fn sections(scratch: &Scratch, object: &str) -> Vec<String> {
    let bytes = std::fs::read(scratch.path(object)).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.sections().map(|section| section.name().unwrap().to_owned()).collect()
}

/// Compilers say in each object who they are; Ice does not.
fn is_made_by_clang(scratch: &Scratch, object: &str) -> bool {
    sections(scratch, object).iter().any(|name| name == ".comment")
}

#[test]
fn objects_and_programs_are_made() {
    let Some(scratch) = project() else { return };
    expect(&scratch, &["-O2", "-DX=40", "-c", "part.c", "-o", "object.o"]);
    assert!(!is_made_by_clang(&scratch, "object.o"));
    for level in ["-O0", "-O1", "-Os", "-O3"] {
        expect(&scratch, &[level, "main.c", "object.o", "-lm", "-o", "program"]);
        expect_prints(&scratch, "program", "42\n");
    }
    expect(&scratch, &["main.c", "object.o", "-static", "-fno-pic", "-lm", "-O2"]);
    expect_prints(&scratch, "a.out", "42\n");
    assert_eq!(scratch.names(), ["a.out", "main.c", "object.o", "part.c", "part.h", "program"]);
}

#[test]
fn several_inputs_are_compiled_at_once() {
    let Some(scratch) = project() else { return };
    scratch.write("arguments", "-c main.c\n part.c '-DX=\"40\"[0] - 12'\n");
    expect(&scratch, &["@arguments"]);
    expect(&scratch, &["main.o", "part.o", "-shared", "-o", "all.so"]);
    expect(&scratch, &["main.o", "part.o", "-lm", "-o", "program"]);
    expect_prints(&scratch, "program", "42\n");
}

/// A library whose functions are not replaced, but one; executables need no second symbols for that.
#[test]
fn libraries_without_interposition_keep_their_functions() {
    let Some(scratch) = project() else { return };
    let library = "int replaced(int);\nint data = 5;\nint own(int a) { return a + data; }\n\
        int later(int a);\n\
        int all(int a) { int (*volatile f)(int) = later; return f(own(a)) + replaced(a); }\n\
        int later(int a) { return 10 * a; }\n";
    scratch.write("library.c", library);
    scratch.write("other.c", "int replaced(int a) { return a; }\n");
    let main = "#include <stdio.h>\nint all(int);\nint own(int a) { return 999 - a; }\n\
        int replaced(int a) { return a + 4; }\nint main(void) { printf(\"%d\\n\", all(2)); }\n";
    scratch.write("main.c", main);
    for level in ["-O0", "-O2"] {
        for output in ["-c", "-S"] {
            let flags = ["-fPIC", "-fno-semantic-interposition", "-fno-inline", level, output];
            let suffix = if output == "-c" { "o" } else { "s" };
            expect(&scratch, &[&flags[..], &["library.c", "other.c"]].concat());
            let [library, other] = ["library", "other"].map(|name| format!("{name}.{suffix}"));
            expect(&scratch, &["-shared", "-Wl,-z,text", &library, &other, "-o", "library.so"]);
            expect(&scratch, &["main.c", "./library.so", "-o", "program"]);
            let output =
                Command::new(scratch.path("program")).current_dir(scratch.path("")).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), "76\n", "{level} {suffix}");
        }
        let nameless = |flags: &[&str]| {
            expect(&scratch, &[flags, &[level, "-c", "library.c", "-o", "library.o"]].concat());
            let bytes = std::fs::read(scratch.path("library.o")).unwrap();
            let file = object::File::parse(&*bytes).unwrap();
            let is_nameless = |symbol: &object::Symbol<'_, '_>| {
                symbol.kind() == object::SymbolKind::Text && symbol.name() == Ok("")
            };
            file.symbols().filter(is_nameless).count()
        };
        assert_eq!(nameless(&["-fPIC", "-fno-semantic-interposition"]), 1);
        assert_eq!(nameless(&["-fPIC"]), 0);
        assert_eq!(nameless(&["-fPIE", "-fno-semantic-interposition"]), 0);
    }
}

#[test]
fn dependencies_name_the_object() {
    let Some(scratch) = project() else { return };
    std::fs::create_dir(scratch.path("out")).unwrap();
    expect(&scratch, &["-DX=1", "-MMD", "-MP", "-c", "part.c", "-o", "out/part.o"]);
    let text = std::fs::read_to_string(scratch.path("out/part.d")).unwrap();
    assert_eq!(text, "out/part.o: part.c part.h\npart.h:\n");
}

#[test]
fn what_makes_no_code_is_clangs() {
    let Some(scratch) = project() else { return };
    assert!(expect(&scratch, &["-E", "-P", "part.c"]).contains("double part(double a)"));
    assert_eq!(expect(&scratch, &["-M", "-MG", "main.c", "-nostdinc"]), "main.o: main.c stdio.h part.h\n");
    assert!(expect(&scratch, &["-dumpmachine"]).contains("-linux-gnu"));
    assert!(expect(&scratch, &["--version"]).contains("clang version"));
    assert!(expect(&scratch, &["-print-file-name=crt1.o"]).ends_with("crt1.o\n"));
    expect(&scratch, &["-fsyntax-only", "main.c"]);
    let output = cc(&scratch, &["-v", "-c", "main.c"]);
    assert!(errors(&output).contains("\"-cc1\""), "{}", errors(&output));
}

#[test]
fn assembler_text_is_written_and_read() {
    let Some(scratch) = project() else { return };
    expect(&scratch, &["-O1", "-DX=40", "-S", "part.c"]);
    let text = std::fs::read_to_string(scratch.path("part.s")).unwrap();
    assert!(text.contains("part:") && !text.contains("clang version"), "{text}");
    std::fs::rename(scratch.path("part.s"), scratch.path("other.S")).unwrap();
    expect(&scratch, &["main.c", "other.S", "-lm"]);
    expect_prints(&scratch, "a.out", "42\n");
}

#[test]
fn a_source_comes_from_the_standard_input() {
    let Some(scratch) = project() else { return };
    let mut command = command(&scratch, &["-x", "c", "-", "-o", "program"]);
    let output =
        with_input(&mut command, b"int puts(const char *); int main(void) { return puts(\"hello\") < 0; }");
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()));
    expect_prints(&scratch, "program", "hello\n");
}

#[test]
fn functions_and_variables_have_sections_of_their_own() {
    let Some(scratch) = project() else { return };
    scratch.write(
        "many.c",
        "int first = 1, zero; const int fixed = 3; __thread int thread = 2;\n\
         __attribute__((section(\"mine\"))) int placed(void) { return 1; }\n\
         static __attribute__((noinline)) int lost(int a) {\n\
           switch (a) { case 0: return zero; case 1: return 7; case 2: return first; case 3: return thread; default: return 2 * a; } }\n\
         int (*unused(void))(int) { return lost; }\n\
         static __attribute__((noinline)) int called(int a) { return a + fixed; }\n\
         int main(int argc, char **argv) { return called(argc) - 4 + first - 1 + thread - 2 + zero; }\n",
    );
    for level in ["-O0", "-O2"] {
        expect(&scratch, &[level, "-ffunction-sections", "-fdata-sections", "-c", "many.c"]);
        let names = sections(&scratch, "many.o");
        let expected = [
            "mine",
            ".text.lost",
            ".text.unused",
            ".text.called",
            ".text.main",
            ".data.first",
            ".bss.zero",
            ".rodata.fixed",
            ".tdata.thread",
        ];
        for name in expected {
            assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
        }
        expect(&scratch, &["many.o", "-Wl,--gc-sections", "-o", "program"]);
        expect_prints(&scratch, "program", "");
        let program = std::fs::read(scratch.path("program")).unwrap();
        let file = object::File::parse(&*program).unwrap();
        assert!(file.symbol_by_name("called").is_some() && file.symbol_by_name("lost").is_none());
    }
    expect(&scratch, &["-O2", "-c", "many.c"]);
    let names = sections(&scratch, "many.o");
    assert!(names.iter().any(|name| name == ".text") && !names.iter().any(|name| name.starts_with(".text.")));
}

#[test]
fn what_is_refused_leaves_nothing_or_is_clangs() {
    let Some(scratch) = project() else { return };
    scratch.write("odd.c", "int odd(int a) { __asm__(\"bogus_instruction\"); return a; }\n");
    scratch
        .write("wide.c", "int odd(int a) { __asm__ volatile(\"vpaddd %zmm0, %zmm1, %zmm2\"); return a; }\n");
    let before = scratch.names();
    let output = cc(&scratch, &["-c", "wide.c"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).starts_with("ice: wide.c: "), "{}", errors(&output));
    assert_eq!(scratch.names(), before);
    let output = cc(&scratch, &["-c", "--ice-fallback", "wide.c"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(errors(&output).ends_with("; clang makes the code\n"), "{}", errors(&output));
    assert!(is_made_by_clang(&scratch, "wide.o"));
    // What clang refuses is refused with either.
    let output = cc(&scratch, &["-c", "--ice-fallback", "odd.c"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!scratch.path("odd.o").exists());
}

#[test]
fn faults_of_sources_and_command_lines_are_told() {
    let Some(scratch) = project() else { return };
    scratch.write("bad.c", "int main(void) { return }\n");
    let before = scratch.names();
    for (arguments, code, message) in [
        (&["bad.c"][..], 1, "bad.c:1:25: error: expected expression"),
        (&["nothing.c"], 1, "error: no such file or directory: 'nothing.c'"),
        (&["-c", "main.c", "-o", "no/such/place.o"], 2, "no/such"),
        (&["--ice-level=2", "main.c"], 2, "there are --ice-clang, --ice-fallback"),
        (&["--ice-clang=no-such-clang", "main.c"], 2, "no no-such-clang to make bitcode with"),
    ] {
        let output = cc(&scratch, arguments);
        let found = (output.status.code() == Some(code), errors(&output).contains(message));
        assert_eq!(found, (true, true), "{arguments:?}: {:?} {}", output.status, errors(&output));
        assert_eq!(scratch.names(), before);
    }
    // The others are compiled all the same, and nothing is linked.
    let output = cc(&scratch, &["-DX=1", "bad.c", "part.c", "-c"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(scratch.path("part.o").exists() && !scratch.path("bad.o").exists());
    let output = cc(&scratch, &["-Wall", "-DX=1", "-c", "part.c", "-L."]);
    assert!(errors(&output).contains("warning: argument unused"), "{}", errors(&output));
}

#[test]
fn cpp_programs_are_compiled() {
    let Some(scratch) = project() else { return };
    scratch.write(
        "main.cpp",
        "#include <algorithm>\n#include <iostream>\n#include <string>\n#include <vector>\n\
         int main(int argc, char **) { std::vector<std::string> words{\"two\", \"one\"};\n\
           std::sort(words.begin(), words.end()); words.push_back(std::to_string(argc + 41));\n\
           for (auto &word : words) std::cout << word << '\\n'; }\n",
    );
    let mut compiler = ice();
    compiler.args(["c++", "--ice-clang=clang-19", "-O1", "-fno-exceptions", "main.cpp", "-o", "program"]);
    let output = compiler.current_dir(scratch.path("")).output().unwrap();
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()));
    expect_prints(&scratch, "program", "one\ntwo\n42\n");
}

/// Counters are found from their descriptions, of which the profile is made.
#[test]
fn runs_are_counted() {
    let Some(scratch) = project() else { return };
    if !has("profiles", &["llvm-profdata-19", "llvm-cov-19"]) {
        return;
    }
    let profile = |flags: &[&str]| {
        let all = [flags, &["-O1", "-DX=1", "main.c", "part.c", "-lm", "-o", "program"]].concat();
        let output = cc(&scratch, &all);
        // The library that writes profiles is a package of its own.
        if errors(&output).contains("libclang_rt.profile") {
            common::skip("profiles", "clang-19 has no library for them");
            return None;
        }
        common::expect_success(&output, "ice cc");
        let mut program = Command::new(scratch.path("program"));
        common::expect_success(
            &program.env("LLVM_PROFILE_FILE", scratch.path("raw")).output().unwrap(),
            "program",
        );
        let mut merge = Command::new("llvm-profdata-19");
        merge.args(["merge", "-o"]).arg(scratch.path("profile")).arg(scratch.path("raw"));
        common::expect_success(&merge.output().unwrap(), "llvm-profdata-19");
        let mut show = Command::new("llvm-profdata-19");
        let output = show.args(["show", "--all-functions", "--counts"]).arg(scratch.path("profile")).output();
        Some(String::from_utf8(output.unwrap().stdout).unwrap())
    };
    for flags in [&["-fprofile-instr-generate", "-fcoverage-mapping"][..], &["-fprofile-generate"]] {
        let Some(shown) = profile(flags) else { return };
        let counts = shown.matches("[1]").count() + shown.matches("Function count: 1\n").count();
        assert!(shown.contains("Total functions: 2") && counts >= 2, "{flags:?}: {shown}");
    }
}

#[test]
fn a_project_is_built_by_make() {
    let Some(scratch) = project() else { return };
    if !has("a project", &["make"]) {
        return;
    }
    scratch.write(
        "Makefile",
        "CFLAGS = -O1 -MMD -DX=40\nprogram: main.o part.o\n\t$(CC) -o $@ $^ -lm\n-include main.d part.d\n",
    );
    let make = || {
        let cc = format!("CC={} cc {CLANG}", env!("CARGO_BIN_EXE_ice"));
        let output = Command::new("make").args(["-j2", &cc]).current_dir(scratch.path("")).output().unwrap();
        common::expect_success(&output, "make");
        String::from_utf8(output.stdout).unwrap()
    };
    make();
    expect_prints(&scratch, "program", "42\n");
    // A header that has changed is seen.
    assert!(make().contains("up to date"));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    let header = std::fs::File::options().append(true).open(scratch.path("part.h")).unwrap();
    header.set_modified(later).unwrap();
    assert!(make().contains("part.c"));
}

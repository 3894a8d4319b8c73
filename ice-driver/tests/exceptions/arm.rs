//! The same programs on ARM, where tables have another form, under an emulator.

use super::*;

const LIBRARIES: &str = "/usr/arm-linux-gnueabihf";
const EMULATOR: [&str; 3] = ["qemu-arm", "-L", LIBRARIES];
const LINKER: &str = "arm-linux-gnueabihf-gcc";
const MACHINE: [&str; 4] =
    ["--target=armv7-linux-gnueabihf", "-mfpu=neon", "-mfloat-abi=hard", "-ffp-contract=off"];

fn library() -> String {
    format!("{LIBRARIES}/lib/libstdc++.so.6")
}

/// Whether programs of C++ can be made and run; says what is not there.
fn can_run_cpp() -> bool {
    let tools = ["clang++-19", LINKER, EMULATOR[0]];
    let library = library();
    let files = HEADERS.iter().copied().chain([&*library]);
    let can = tools.iter().all(|tool| common::has_tool(tool)) && files.map(Path::new).all(Path::exists);
    if !can {
        common::skip("exceptions of C++ on ARM", "no compiler, library or emulator for it on this machine");
    }
    can
}

fn flags() -> Vec<&'static str> {
    MACHINE.into_iter().chain(HEADERS.iter().flat_map(|&header| ["-isystem", header])).collect()
}

fn link(flags: &'static [&'static str]) -> impl Fn(&Path, &Path) {
    move |object, program| {
        let mut command = Command::new(LINKER);
        command.args(flags).args(["-pthread", "-lm", "-lgcc_s"]).arg(object).arg("-o").arg(program);
        let output = run(command.arg(library()));
        expect_success(&output, LINKER);
        assert_eq!(common::errors(&output), "", "{}", object.display());
    }
}

#[test]
fn programs_of_cpp_catch_as_those_of_clang() {
    if !can_run_cpp() {
        return;
    }
    for (flag, arguments, kind) in [
        ("-O0", &[][..], &["-pie"][..]),
        ("-O2", &["--function-sections"], &["-pie", "-Wl,--gc-sections"]),
        ("-O1", &["--relocation-model", "static"], &["-no-pie"]),
    ] {
        // The library takes long to compile.
        let library = (flag == "-O2").then_some(&LIBRARY);
        for program in [&CATCHING, &FRAMES, &COROUTINES].into_iter().chain(library) {
            let flags = [&flags()[..], &[flag]].concat();
            check_under(&EMULATOR, ("clang++-19", program), &flags, arguments, &link(kind));
        }
    }
}

#[test]
fn tables_are_the_same_as_text() {
    if can_run_cpp() {
        check_text("clang++-19", &[&flags()[..], &["-O1"]].concat(), &EMULATOR, &link(&[]));
    }
}

#[test]
fn random_programs_catch_as_those_of_clang() {
    if can_run_cpp() {
        check_random(4, "clang++-19", &flags(), &EMULATOR, &link(&[]));
    }
}

/// What is between the entries of an index would belong to the function before: functions without tables, before others and
/// between them, end the program when an exception comes to them.
#[test]
fn functions_without_tables_end_programs() {
    const SOURCE: &str = "#include <cstdio>
#include <cstdlib>
#include <exception>
extern void (*volatile f)(int);
__attribute__((noinline)) void first(int x, int y) { f(x); f(y); }
void throws(int x) { if (x) throw x; }
__attribute__((noinline)) void middle(int x, int y) { f(x); f(y); }
__attribute__((noinline)) void last(int x, int y) { f(x); f(y); }
int main() {
  std::set_terminate([] { std::puts(\"ended\"); std::fflush(stdout); std::_Exit(5); });
  void (*volatile called)(int, int) = CALLED;
  try { called(1, 2); } catch (int) { std::puts(\"caught\"); }
}
void (*volatile f)(int) = throws;
";
    if !can_run_cpp() {
        return;
    }
    let scratch = Scratch::new();
    let path = |name: &str| scratch.path(name);
    for (called, status, arguments) in [
        ("first", 5, &[][..]),
        ("middle", 5, &[]),
        ("last", 0, &[]),
        ("last", 5, &["--unwind-tables", "none"]),
        ("first", 0, &["--unwind-tables", "sync"]),
        ("middle", 0, &["--unwind-tables", "sync"]),
    ] {
        let source = scratch.write("a.cc", SOURCE.replace("CALLED", called));
        compile("clang++-19", &[&flags()[..], &["-O1", "-S", "-emit-llvm"]].concat(), &source, &path("a.ll"));
        // As compilers of other languages write functions, which have no pad that ends the program.
        let text = std::fs::read_to_string(path("a.ll")).expect("clang has written it");
        let has_no_tables =
            |line: &str| line.contains("void @_Z5firstii(") || line.contains("void @_Z6middleii(");
        let lines = text.lines().map(|line| match line.starts_with("define") && has_no_tables(line) {
            true => line.replace(" #", " nounwind #"),
            false => line.into(),
        });
        let changed: Vec<String> = lines.collect();
        assert_eq!(changed.iter().zip(text.lines()).filter(|(a, b)| *a != b).count(), 2);
        compile(
            "clang++-19",
            &[MACHINE[0], "-c", "-emit-llvm"],
            &scratch.write("a.ll", changed.join("\n")),
            &path("a.bc"),
        );
        let mut command = ice();
        command.arg("translate").args(arguments).arg(path("a.bc")).arg("-o").arg(path("a.o"));
        expect_success(&run(&mut command), "ice");
        link(&[])(&path("a.o"), &path("a"));
        let output = run(&mut under(&EMULATOR, &path("a")));
        let expected = if status == 0 { "caught\n" } else { "ended\n" };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{called} {arguments:?}");
        assert_eq!(output.status.code(), Some(status), "{called} {arguments:?}");
    }
}

#[test]
fn panics_of_rust_are_caught() {
    const TARGET: &str = "armv7-unknown-linux-gnueabihf";
    let tools = ["rustc", LINKER, EMULATOR[0]].iter().all(|tool| common::has_tool(tool));
    if !tools || common::rust_library(TARGET).is_none() {
        return common::skip("panics of Rust on ARM", "no library or emulator for it on this machine");
    }
    check_panics(&["--target", TARGET, "-Clinker=arm-linux-gnueabihf-gcc"], &EMULATOR);
}

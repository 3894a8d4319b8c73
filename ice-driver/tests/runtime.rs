//! The C runtime for translated programs, on every target, seen from inside a program.
//!
//! `tests/runtime/program.c` stands in for translated code: it defines `pexe_start` and checks
//! everything the runtime gives through the query function. Here it is compiled with the runtime
//! for each target and link mode, and run once for each check: natively, under qemu-user, and
//! under valgrind. A missing tool skips the target; with `CI=true` it fails.

use crate::common::tools;

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tools::skip;

/// The compilation units: `runtime.c` includes the other C files; each assembly file is empty on
/// the other targets.
const UNITS: [&str; 6] = ["runtime.c", "i386.S", "x86_64.S", "aarch64.S", "arm.S", "mips.S"];

/// The files of the runtime, each of which also compiles alone.
const C_FILES: [&str; 10] = [
    "abi.c",
    "confine.c",
    "fdio.c",
    "filename.c",
    "irt.c",
    "memory.c",
    "start.c",
    "sync.c",
    "thread.c",
    "time.c",
];

/// Those that the loader of confined programs has besides.
const LOADER_FILES: [&str; 3] = ["faults.c", "sandbox.c", "segments.c"];

const WARNINGS: [&str; 4] = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"];

/// A child that takes longer is stuck.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// How one check ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Exit(i32),
    Signal(i32),
}

const SIGABRT: i32 = 6;
const SIGSEGV: i32 = 11;

/// Where a check makes sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Everywhere,
    /// Not under emulators and debugging tools: signals, limits, large memory.
    Native,
}

/// One run of the program: arguments, environment, input, and what must come out.
struct Check {
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    input: &'static str,
    output: &'static str,
    end: End,
    place: Where,
}

impl Check {
    const fn new(arguments: &'static [&'static str]) -> Self {
        Self {
            arguments,
            environment: &[],
            input: "",
            output: "",
            end: End::Exit(0),
            place: Where::Everywhere,
        }
    }

    const fn with(mut self, environment: &'static [(&'static str, &'static str)]) -> Self {
        self.environment = environment;
        self
    }

    const fn ends(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    const fn native(mut self) -> Self {
        self.place = Where::Native;
        self
    }

    const fn echoes(mut self, input: &'static str, output: &'static str) -> Self {
        self.input = input;
        self.output = output;
        self
    }
}

/// `DIR` stands for a fresh empty directory.
const CHECKS: &[Check] = &[
    Check::new(&["return"]),
    Check::new(&["exit-code"]).ends(End::Exit(42)),
    Check::new(&["no-such-check"]).echoes("", "line 0: no such check\n").ends(End::Exit(1)),
    Check::new(&["info", "two words", ""]).with(&[("ICE_TEST_VALUE", "a=b c")]),
    Check::new(&["query", "closed"]),
    Check::new(&["query", "closed"]).with(&[("ICE_FILES", "0"), ("ICE_SYNC", "")]),
    Check::new(&["query", "files"]).with(&[("ICE_FILES", "1")]),
    Check::new(&["query", "sync"]).with(&[("ICE_SYNC", "1")]),
    Check::new(&["cat"]).echoes("some input\nof two lines\n", "some input\nof two lines\n"),
    Check::new(&["fdio"]),
    Check::new(&["close"]).echoes("", "before\n"),
    Check::new(&["files", "DIR"]).with(&[("ICE_FILES", "DIR")]),
    Check::new(&["files", "DIR"]).with(&[("ICE_FILES", "1"), ("ICE_TRUST", "1")]),
    Check::new(&["memory"]),
    Check::new(&["page-size"]).with(&[("ICE_PAGE_SIZE", "65536")]),
    Check::new(&["sysbrk"]),
    Check::new(&["tls"]),
    Check::new(&["threads"]),
    Check::new(&["main-thread-exit"]).echoes("", "last\n").ends(End::Exit(7)),
    Check::new(&["thread-returns"]).ends(End::Signal(SIGABRT)).native(),
    Check::new(&["futex"]),
    Check::new(&["setjmp"]),
    Check::new(&["time"]),
    Check::new(&["host"]),
    Check::new(&["sync"]).with(&[("ICE_SYNC", "1")]),
    Check::new(&["helpers"]),
    // 16 MiB by default, with a guard below.
    Check::new(&["stack", "14000"]),
    Check::new(&["stack", "18000"]).ends(End::Signal(SIGSEGV)).native(),
    Check::new(&["stack", "60000"]).with(&[("ICE_STACK_SIZE", "64M")]).native(),
    Check::new(&["stack", "200"]).with(&[("ICE_STACK_SIZE", "262144")]),
    Check::new(&["stack", "400"]).with(&[("ICE_STACK_SIZE", "256K")]).ends(End::Signal(SIGSEGV)).native(),
    Check::new(&["return"]).with(&[("ICE_STACK_SIZE", "12x")]).ends(End::Exit(125)),
    Check::new(&["return"]).with(&[("ICE_STACK_SIZE", "1")]).ends(End::Exit(125)),
    Check::new(&["return"]).with(&[("ICE_STACK_SIZE", "99999999999999999999")]).ends(End::Exit(125)),
];

/// A fresh directory for one test.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("runtime-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("scratch directory");
    // Checks compare it with what the program sees as its working directory.
    path.canonicalize().expect("scratch directory")
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Splits a tool with its leading options, such as `gcc -m32`.
fn command(tool: &str) -> Command {
    let mut words = tool.split(' ');
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words);
    command
}

/// Runs a compiler; the error is what it said.
fn compile(compiler: &str, arguments: &[&str], directory: &Path) -> Result<(), String> {
    let result = command(compiler).args(arguments).current_dir(directory).output();
    match result {
        Err(error) => Err(format!("{compiler}: {error}")),
        Ok(output) if !output.status.success() => {
            Err(format!("{compiler}: {}", String::from_utf8_lossy(&output.stderr)))
        }
        Ok(_) => Ok(()),
    }
}

/// Whether a compiler is there and can link an empty program this way.
fn can_link(compiler: &str, mode: &[&str], directory: &Path) -> bool {
    std::fs::write(directory.join("empty.c"), "int main(void) { return 0; }\n").expect("write");
    let mut arguments = vec!["empty.c", "-o", "empty", "-pthread", "-lm"];
    arguments.extend(mode);
    compile(compiler, &arguments, directory).is_ok()
}

/// Compiles the runtime with the program and gives the executable.
fn build(compiler: &str, mode: &[&str], directory: &Path) -> PathBuf {
    let runtime = folder("runtime");
    let units: Vec<String> = UNITS.iter().map(|unit| runtime.join(unit).display().to_string()).collect();
    let stand_in = folder("tests/runtime/program.c").display().to_string();
    // clang has no use for -no-pie in a static link and says so.
    let quiet = "-Wno-unused-command-line-argument";
    let mut arguments = vec!["-O2", "-fno-pie", "-pthread", quiet, "-o", "program"];
    arguments.extend(WARNINGS);
    arguments.extend(mode);
    arguments.extend(units.iter().map(String::as_str));
    arguments.extend([stand_in.as_str(), "-lm"]);
    if let Err(message) = compile(compiler, &arguments, directory) {
        panic!("{message}");
    }
    directory.join("program")
}

/// What a child left behind.
struct Outcome {
    end: End,
    output: String,
    errors: String,
}

/// Runs a command to its end, feeding `input`; a stuck child is killed and reported.
fn run(command: &mut Command, input: &str) -> Outcome {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("start the program");
    // Inputs are shorter than a pipe's buffer; a child that does not read closes the pipe.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("wait") {
            break status;
        }
        if start.elapsed() > TIME_LIMIT {
            child.kill().expect("kill");
            break child.wait().expect("wait");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut text = [Vec::new(), Vec::new()];
    child.stdout.take().expect("piped").read_to_end(&mut text[0]).expect("read");
    child.stderr.take().expect("piped").read_to_end(&mut text[1]).expect("read");
    let [output, errors] = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let end = match status.code() {
        Some(code) => End::Exit(code),
        None => End::Signal(status.signal().unwrap_or(0)),
    };
    Outcome { end, output, errors }
}

/// The program under its runner, with no other environment than the check's.
fn program_command(runner: &str, program: &Path) -> Command {
    let mut command = if runner.is_empty() {
        Command::new(program)
    } else {
        let mut command = command(runner);
        command.arg(program);
        command
    };
    for variable in ["ICE_FILES", "ICE_SYNC", "ICE_IRT_TRACE", "ICE_STACK_SIZE", "ICE_PAGE_SIZE", "ICE_TRUST"]
    {
        command.env_remove(variable);
    }
    if !runner.is_empty() {
        // The filter would hold for the emulator or the debugging tool, which needs other calls.
        command.env("ICE_TRUST", "1");
    }
    command
}

/// Runs every check and reports all failures together.
fn run_checks(runner: &str, program: &Path, directory: &Path) {
    let mut failures = String::new();
    for (index, check) in CHECKS.iter().enumerate() {
        if check.place == Where::Native && !runner.is_empty() {
            continue;
        }
        let mut command = program_command(runner, program);
        let own = directory.join(format!("files-{index}"));
        std::fs::create_dir_all(&own).expect("directory for the check");
        let place = |text: &'static str| if text == "DIR" { own.as_os_str() } else { text.as_ref() };
        command.args(check.arguments.iter().map(|&argument| place(argument)));
        command.envs(check.environment.iter().map(|&(name, value)| (name, place(value))));
        let outcome = run(&mut command, check.input);
        // The one check that fails on purpose reports its own line.
        let output = match outcome.output.split_once(": no such check") {
            Some((_, rest)) => format!("line 0: no such check{rest}"),
            None => outcome.output.clone(),
        };
        if outcome.end != check.end || output != check.output {
            failures += &format!(
                "{:?} {:?}: expected {:?} {:?}, got {:?} {:?}\n{}\n",
                check.arguments,
                check.environment,
                check.end,
                check.output,
                outcome.end,
                outcome.output,
                outcome.errors,
            );
        }
    }
    assert!(failures.is_empty(), "{}\n{failures}", program.display());
    let _ = std::fs::remove_dir_all(directory);
}

/// Compiles and runs all checks for one target, or skips it.
fn test_target(name: &str, compilers: &[&str], mode: &[&str], runner: &str) {
    let directory = scratch(name);
    let Some(compiler) = compilers.iter().find(|compiler| can_link(compiler, mode, &directory)) else {
        return skip(name, &format!("no working {} {}", compilers.join(" or "), mode.join(" ")));
    };
    if !runner.is_empty() && command(runner).arg("--version").output().is_err() {
        return skip(name, &format!("no {runner}"));
    }
    let program = build(compiler, mode, &directory);
    run_checks(runner, &program, &directory);
}

const STATIC: &[&str] = &["-static", "-no-pie"];
const DYNAMIC: &[&str] = &["-no-pie"];
const X86_64: &[&str] = if cfg!(target_arch = "x86_64") { &["cc", "gcc"] } else { &[] };
const I386: &[&str] = if cfg!(target_arch = "x86_64") { &["i686-linux-gnu-gcc", "gcc -m32"] } else { &[] };

#[test]
fn x86_64_static() {
    test_target("x86_64-static", X86_64, STATIC, "");
}

#[test]
fn x86_64_dynamic() {
    test_target("x86_64-dynamic", X86_64, DYNAMIC, "");
}

#[test]
fn x86_64_static_clang() {
    test_target("x86_64-clang", &["clang", "clang-19"], STATIC, "");
}

/// The arena finds another place, since valgrind keeps part of the favourite one. In a static
/// program the C library's own start-up reads undefined values, so only addresses are checked.
#[test]
fn x86_64_static_under_valgrind() {
    let runner = "valgrind -q --error-exitcode=99 --fair-sched=yes --undef-value-errors=no";
    test_target("x86_64-static-valgrind", X86_64, STATIC, runner);
}

/// Here uses of undefined values are errors too.
#[test]
fn x86_64_dynamic_under_valgrind() {
    let runner = "valgrind -q --error-exitcode=99 --fair-sched=yes";
    test_target("x86_64-dynamic-valgrind", X86_64, DYNAMIC, runner);
}

#[test]
fn i386_static() {
    test_target("i386-static", I386, STATIC, "");
}

#[test]
fn i386_dynamic() {
    test_target("i386-dynamic", I386, DYNAMIC, "");
}

#[test]
fn arm_static() {
    test_target("arm-static", &["arm-linux-gnueabihf-gcc"], STATIC, "qemu-arm");
}

/// Callers in ARM state, as translated code is, instead of the compiler's Thumb.
#[test]
fn arm_static_in_arm_state() {
    let mode = &["-static", "-no-pie", "-marm"];
    test_target("arm-state", &["arm-linux-gnueabihf-gcc"], mode, "qemu-arm");
}

#[test]
fn aarch64_static() {
    test_target("aarch64-static", &["aarch64-linux-gnu-gcc"], STATIC, "qemu-aarch64");
}

#[test]
fn mips_static() {
    test_target("mips-static", &["mipsel-linux-gnu-gcc"], STATIC, "qemu-mipsel");
}

/// The trace names each query and its answer on the error output.
#[test]
fn queries_are_traced() {
    let directory = scratch("trace");
    let Some(compiler) = X86_64.iter().find(|compiler| can_link(compiler, STATIC, &directory)) else {
        return skip("queries_are_traced", "no static linking");
    };
    let program = build(compiler, STATIC, &directory);
    let mut command = program_command("", &program);
    command.args(["query", "sync"]).envs([("ICE_IRT_TRACE", "1"), ("ICE_SYNC", "1")]);
    let outcome = run(&mut command, "");
    assert_eq!(outcome.end, End::Exit(0), "{}", outcome.output);
    for line in [
        "ice: query nacl-irt-basic-0.1: given\n",
        "ice: query nacl-irt-basic-0.1: table too small\n",
        "ice: query nacl-irt-ppapihook-0.1: unknown\n",
        "ice: query nacl-irt-filename-0.1: closed, opened by ICE_FILES=1\n",
        "ice: query nacl-irt-sem-0.1: given\n",
    ] {
        assert!(outcome.errors.contains(line), "no {line:?} in\n{}", outcome.errors);
    }
    let _ = std::fs::remove_dir_all(&directory);
}

/// Where the favourite range cannot be reserved, the arena is smaller, and the program still runs.
#[test]
fn a_small_address_space_is_enough() {
    let directory = scratch("limit");
    let Some(compiler) = X86_64.iter().find(|compiler| can_link(compiler, STATIC, &directory)) else {
        return skip("a_small_address_space_is_enough", "no static linking");
    };
    let program = build(compiler, STATIC, &directory);
    let limited = |kib: &str, check: &str| {
        let script = format!("ulimit -v {kib} && exec \"$0\" {check}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).arg(&program).env_remove("ICE_STACK_SIZE").env_remove("ICE_TRUST");
        run(&mut command, "")
    };
    let outcome = limited("400000", "little-memory");
    assert_eq!(outcome.end, End::Exit(0), "{}{}", outcome.output, outcome.errors);
    let outcome = limited("400000", "threads");
    assert_eq!(outcome.end, End::Exit(0), "{}{}", outcome.output, outcome.errors);
    let outcome = limited("10000", "return");
    assert_eq!(outcome.end, End::Exit(125), "{}", outcome.errors);
    assert!(outcome.errors.contains("no room for the program"), "{}", outcome.errors);
    let _ = std::fs::remove_dir_all(&directory);
}

/// Each file compiles alone without a warning, for every compiler that is there.
#[test]
fn every_file_compiles_alone() {
    let directory = scratch("alone");
    let mut tried = 0;
    for compiler in [
        "gcc",
        "i686-linux-gnu-gcc",
        "arm-linux-gnueabihf-gcc",
        "mipsel-linux-gnu-gcc",
        "aarch64-linux-gnu-gcc",
        "clang-19",
        "clang",
    ] {
        std::fs::write(directory.join("empty.c"), "#include <stdint.h>\n").expect("write");
        if compile(compiler, &["-c", "empty.c"], &directory).is_err() {
            tools::note(&format!("every_file_compiles_alone: no {compiler}"));
            continue;
        }
        tried += 1;
        let files = C_FILES.iter().chain(&UNITS);
        // There is a sandbox for the others.
        let has_loader = !compiler.starts_with("aarch64");
        let of_loader = files.clone().chain(&LOADER_FILES).filter(|_| has_loader);
        let of_loader = of_loader.map(|file| (file, Some("-DICE_SANDBOX")));
        for (file, flag) in files.map(|file| (file, None)).chain(of_loader) {
            let path = folder("runtime").join(file).display().to_string();
            let mut arguments = vec!["-c", "-O2", "-o", "alone.o", path.as_str()];
            arguments.extend(WARNINGS.iter().chain(&flag));
            if let Err(message) = compile(compiler, &arguments, &directory) {
                panic!("{file}: {message}");
            }
        }
    }
    if tried == 0 {
        skip("every_file_compiles_alone", "no C compiler");
    }
    let _ = std::fs::remove_dir_all(&directory);
}

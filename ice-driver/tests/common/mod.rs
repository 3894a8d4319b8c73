//! What the tests of the command have in common: the binary, the corpus, tools and scratch directories.
#![allow(dead_code, reason = "each test uses a part")]

pub mod compiled;
pub mod program;
pub mod tools;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub use tools::{is_installed as has_tool, skip};

/// The targets whose programs an x86 processor executes.
pub const TARGETS: [&str; 2] = ["x86_64", "i686"];

/// The targets that exist.
pub const ALL_TARGETS: [&str; 5] = ["x86_64", "i686", "armv7", "mipsel", "aarch64"];

/// Those with a sandbox.
pub const SANDBOX_TARGETS: [&str; 4] = ["x86_64", "i686", "armv7", "mipsel"];

/// A program that does nothing and ends well.
pub const EMPTY_PROGRAM: &str = "define external @_start(v0: i32) -> void {\nblock0:\n  ret\n}\n";

/// The folder with programs to translate, if it is there.
pub fn corpus() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = std::env::var_os("ICE_CORPUS").unwrap_or_else(|| "../shared/corpus".into());
    let path = root.join(path);
    if path.join("cases.tsv").is_file() {
        return path.canonicalize().ok();
    }
    tools::note(&format!("no corpus at {}", path.display()));
    None
}

/// The first of these programs that is installed.
pub fn find_tool(names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|name| has_tool(name))
}

/// Whether programs can be built and run for a target here.
pub fn can_run(target: &str) -> bool {
    if !cfg!(target_arch = "x86_64") {
        tools::note(&format!("{target}: the host is no x86-64"));
        return false;
    }
    let compiler = match target {
        "x86_64" => find_tool(&["cc", "gcc", "clang"]),
        "armv7" => find_tool(&["qemu-arm"]).and_then(|_| find_tool(&["arm-linux-gnueabihf-gcc"])),
        "mipsel" => find_tool(&["qemu-mipsel"]).and_then(|_| find_tool(&["mipsel-linux-gnu-gcc"])),
        "aarch64" => find_tool(&["qemu-aarch64"]).and_then(|_| find_tool(&["aarch64-linux-gnu-gcc"])),
        _ => find_tool(&["i686-linux-gnu-gcc"]).or_else(|| find_tool(&["gcc"]).filter(|_| gcc_has_m32())),
    };
    if compiler.is_none() {
        skip(target, "no C compiler, or none to run its programs");
    }
    compiler.is_some()
}

/// Where rustc has the library of a machine.
pub fn rust_library(triple: &str) -> Option<PathBuf> {
    let output =
        Command::new("rustc").args(["--target", triple, "--print", "target-libdir"]).output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    path.exists().then_some(path)
}

/// Runs a program, by an emulator if one is named.
pub fn under(emulator: &[&str], program: &Path) -> Command {
    let Some((name, arguments)) = emulator.split_first() else { return Command::new(program) };
    let mut command = Command::new(name);
    command.args(arguments).arg(program);
    command
}

fn gcc_has_m32() -> bool {
    let scratch = Scratch::new();
    let source = scratch.write("empty.c", "#include <stdio.h>\nint main(void) { return 0; }\n");
    let output = scratch.path("empty");
    let arguments = [OsStr::new("-m32"), source.as_os_str(), OsStr::new("-o"), output.as_os_str()];
    Command::new("gcc").args(arguments).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The command under test, with a cache of its own.
pub fn ice() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ice"));
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    for variable in ["ICE_FILES", "ICE_SYNC", "ICE_IRT_TRACE", "ICE_STACK_SIZE", "ICE_PAGE_SIZE", "ICE_TRUST"]
    {
        command.env_remove(variable);
    }
    command
}

/// Runs `ice` with arguments.
pub fn run_ice<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    ice().args(arguments).stdin(Stdio::null()).output().expect("ice starts")
}

/// Runs a command with bytes on its standard input.
pub fn with_input(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A child that does not read everything closes the pipe.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the writer ends");
    output
}

/// What a command printed on its error output.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Fails unless the command succeeded.
#[track_caller]
pub fn expect_success(output: &Output, what: &str) {
    assert!(output.status.success(), "{what}: {}\n{}", output.status, errors(output));
}

/// A directory that goes away at the end of its test.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A fresh directory.
    pub fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("scratch-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("scratch directory");
        Scratch(path)
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("write");
        path
    }

    /// The names of its files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("scratch directory");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// One line of `cases.tsv`.
pub struct Case {
    /// Its name.
    pub id: String,
    /// The program, relative to the corpus.
    pub file: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How it must end.
    pub exit_code: i32,
    /// What it must print.
    pub output: Vec<u8>,
}

/// Reads `cases.tsv`.
pub fn cases(corpus: &Path) -> Vec<Case> {
    let table = std::fs::read_to_string(corpus.join("cases.tsv")).expect("cases.tsv");
    let case = |line: &str| {
        let columns: Vec<_> = line.split('\t').collect();
        let [id, file, arguments, exit_code, output] = columns[..] else { panic!("cases.tsv: {line}") };
        Case {
            id: id.to_owned(),
            file: file.to_owned(),
            arguments: arguments.split_whitespace().map(str::to_owned).collect(),
            exit_code: exit_code.parse().expect("an exit code"),
            output: std::fs::read(corpus.join(output)).expect("expected output"),
        }
    };
    table.lines().filter(|line| !line.is_empty()).map(case).collect()
}

/// The programs of some folders of the corpus, sorted.
pub fn programs(corpus: &Path, folders: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(corpus.join(folder)).expect("corpus folder") {
            let path = entry.expect("entry").path();
            if path.extension().is_some_and(|extension| extension == "pexe") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty());
    files
}

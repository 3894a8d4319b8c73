//! Attempts of programs of x86-32 to get out of their segments, in assembly code that the validator takes: other stacks,
//! jumps to what is no code, accesses behind the window, what calls of the loader are given and find, threads that
//! change each other's stacks.

use super::{run, signal};
use crate::common::{Scratch, can_run, errors, expect_success, find_tool, has_tool};
use ice_driver::machine::Arch;
use ice_driver::sandbox;
use object::{Object, ObjectSymbol};
use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How an attempt ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// Well, and everything was as it should be.
    Well,
    /// Stopped with one of these lines.
    Stopped(&'static str),
    /// One of the two.
    Either,
}

const BEHIND: End = End::Stopped(", outside of its window");
const CLOSED: End = End::Stopped(", which is not open to it");
const HALT: End = End::Stopped("a halt at 0x");

/// By the numbers in `attempts.S`.
const ENDS: [End; 26] = [
    End::Well,
    BEHIND,
    End::Stopped("an access or a jump of a call at 0x"),
    End::Stopped("an access or a jump of a call at 0x"),
    HALT,
    HALT,
    End::Well,
    BEHIND,
    BEHIND,
    BEHIND,
    BEHIND,
    BEHIND,
    CLOSED,
    CLOSED,
    CLOSED,
    BEHIND,
    BEHIND,
    BEHIND,
    BEHIND,
    CLOSED,
    End::Well,
    End::Well,
    End::Either,
    End::Well,
    End::Well,
    End::Well,
];
const WITH_OUTPUT: usize = 20;
const RACE: usize = 22;

/// The loader that programs of x86-32 run behind.
fn loader() -> Vec<u8> {
    let scratch = Scratch::new();
    let program = scratch.write("program.ice", crate::common::EMPTY_PROGRAM);
    expect_success(&run("i686").arg(program).output().expect("ice starts"), "the loader");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache/ice");
    let entries = std::fs::read_dir(cache).expect("the cache").map(|entry| entry.expect("an entry").path());
    let loaders = entries.filter(|path| path.display().to_string().contains("/loader-i686-"));
    let newest = loaders.max_by_key(|path| std::fs::metadata(path).and_then(|data| data.modified()).ok());
    std::fs::read(newest.expect("a loader").join("loader")).expect("the loader")
}

/// Where the loader has its stack of signals.
fn signal_stack(loader: &[u8]) -> u64 {
    const BYTES: u64 = 64 << 10;
    let file = object::File::parse(loader).expect("ELF");
    let is_stack = |symbol: &object::Symbol<'_, '_>| {
        symbol.name().is_ok_and(|name| name.starts_with("stack")) && symbol.size() == BYTES
    };
    file.symbols().find(is_stack).expect("a stack").address()
}

/// The executable of an attempt.
fn executable(number: usize, stack: u64, scratch: &Scratch) -> PathBuf {
    let object = scratch.path("attempt.o");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sandbox/attempts.S");
    let compiler = find_tool(&["i686-linux-gnu-gcc"]).unwrap_or("gcc");
    let symbols = format!("-Wa,--defsym,ATTEMPT={number},--defsym,SIGNAL_STACK={stack:#x}");
    let output = Command::new(compiler)
        .args(["-m32", "-c", &symbols, source, "-o"])
        .arg(&object)
        .output()
        .expect("an assembler");
    expect_success(&output, &symbols);
    let bytes = std::fs::read(object).expect("an object");
    let executable = sandbox::link(Arch::X86_32, &bytes).expect("an executable");
    scratch.write("attempt.nexe", executable)
}

/// A command with its environment as the arguments of another.
fn through(outer: impl AsRef<OsStr>, arguments: &[&str], inner: &Command) -> Command {
    let mut command = Command::new(outer);
    command.args(arguments).arg(inner.get_program()).args(inner.get_args());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

fn check(number: usize, output: &Output) {
    let said = errors(output);
    let what = format!("{number}: {} {said}", output.status);
    let is_stopped = signal(output).is_some() && said.starts_with("ice: the program is stopped: ");
    let is_well = output.status.code() == Some(0) && said.is_empty();
    match ENDS[number] {
        End::Well => assert!(is_well, "{what}"),
        End::Stopped(line) => assert!(is_stopped && said.contains(line), "{what}"),
        End::Either => assert!(is_well || is_stopped, "{what}"),
    }
    if number == WITH_OUTPUT {
        assert_eq!(output.stdout, b"as it should be\n", "{what}");
    }
}

#[test]
fn programs_stay_in_their_segments() {
    if !can_run("i686") {
        return;
    }
    let stack = signal_stack(&loader());
    for number in 0..ENDS.len() {
        let scratch = Scratch::new();
        let executable = executable(number, stack, &scratch);
        for _ in 0..if number == RACE { 30 } else { 1 } {
            let mut inner = run("i686");
            let command = &mut through("timeout", &["300"], inner.arg(&executable));
            check(number, &command.output().expect("ice starts"));
        }
    }
}

/// An emulator adds the starts of segments to addresses, and does not compare them with ends.
#[test]
fn the_loader_refuses_a_system_whose_segments_have_no_ends() {
    if !can_run("i686") || !has_tool("qemu-i386") {
        return;
    }
    let scratch = Scratch::new();
    let loader = loader();
    let stack = signal_stack(&loader);
    let executable = std::fs::read(executable(0, stack, &scratch)).expect("an executable");
    let program = scratch.write("program", sandbox::with_loader(loader, &executable));
    std::fs::set_permissions(&program, Permissions::from_mode(0o700)).expect("permissions");
    let output = Command::new("qemu-i386").arg(program).output().expect("qemu starts");
    assert_eq!(output.status.code(), Some(125));
    assert!(errors(&output).starts_with("ice: segments have no ends"), "{}", errors(&output));
}

/// Nor does a program begin where the system gives no segments.
#[test]
fn the_loader_refuses_a_system_without_segments() {
    let Some(compiler) = find_tool(&["cc", "gcc", "clang"]).filter(|_| can_run("i686")) else { return };
    let scratch = Scratch::new();
    let program = scratch.write("program.ice", crate::common::EMPTY_PROGRAM);
    let wrapper = scratch.path("wrapper");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sandbox/without_segments.c");
    let compiled = Command::new(compiler).args([source, "-o"]).arg(&wrapper).output();
    expect_success(&compiled.expect("a compiler"), "the wrapper");
    let mut inner = run("i686");
    inner.arg(program);
    let output = through(wrapper, &[], &inner).output().expect("the wrapper starts");
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(125), "{said}");
    let line = "ice: this system has no segments for confined code of x86-32 (modify_ldt): Operation not permitted\n";
    assert_eq!(said, line);
}

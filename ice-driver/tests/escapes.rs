//! What a hostile program can do: it finds the C library in its own process, calls it, and is stopped.
//!
//! The runtime's functions and the C library are one image. A program has the address of a function of an
//! interface, adds what lies between it and libc's `syscall`, and calls that. The distance is the same in every build, so
//! an attacker knows it; here it is read from the symbols of a first build.

use crate::common::{self, ALL_TARGETS, Scratch, can_run, ice};
use object::{Object, ObjectSymbol};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const SIGSYS: i32 = 31;
/// The exit codes of the attacker: the call failed, or did what it should not.
const FAILED: i32 = 7;
const SUCCEEDED: i32 = 9;

/// In the place of the number of a call that a machine does not have.
const NONE: u32 = u32::MAX;

/// A call by its numbers on the targets in the order of [`ALL_TARGETS`], its name and its arguments.
struct Attack {
    numbers: [u32; 5],
    name: &'static str,
    arguments: [&'static str; 3],
}

const fn attack(name: &'static str, numbers: [u32; 5], arguments: [&'static str; 3]) -> Attack {
    Attack { numbers, name, arguments }
}

const OPEN: Attack = attack("openat", [257, 295, 322, 4288, 56], ["-100", "@path", "0"]);
const READ: Attack = attack("read", [0, 3, 3, 4003, 63], ["9", "@path", "4"]);
const ATTACKS: [Attack; 5] = [
    OPEN,
    attack("socket", [41, 359, 281, 4183, 198], ["2", "1", "0"]),
    attack("fork", [57, 2, 2, 4002, NONE], ["0", "0", "0"]),
    attack("ptrace", [101, 26, 26, 4026, 117], ["0", "0", "0"]),
    // Times of a file that cannot be opened.
    attack("utimensat", [280, 320, 348, 4316, 88], ["-100", "@path", "0"]),
];
/// Natively, where memory is the program's own.
const MEMORY_ATTACKS: [Attack; 4] = [
    // Segments, by which confined code of x86-32 is held.
    attack("modify_ldt", [154, 123, NONE, NONE, NONE], ["17", "@path", "16"]),
    attack("mprotect", [10, 125, 125, 4125, 226], ["1610612736", "4096", "5"]),
    // The program's own image, which is not its to change.
    attack("munmap", [11, 91, 91, 4091, 215], ["@path", "4096", "0"]),
    attack("mprotect", [10, 125, 125, 4125, 226], ["@path", "4096", "3"]),
];

/// The program: from the argument block to the query function, to `exit`, to `syscall`.
fn program(number: u32, arguments: [&str; 3], distance: i32) -> String {
    let mut constants = String::new();
    let mut operands = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        if argument.starts_with('@') {
            operands.push((*argument).to_owned());
        } else {
            constants += &format!("  v{}: i32 = {argument}\n", 40 + index);
            operands.push(format!("v{}", 40 + index));
        }
    }
    format!(
        "global @path align 4 = bytes \"/etc/passwd\\00\"\n\
         constant @name align 1 = bytes \"nacl-irt-basic-0.1\\00\"\n\
         global @basic align 4 = zero 24\n\
         define external @_start(v0: i32) -> void {{\n\
         v1: i32 = 0\n  v2: i32 = 2\n  v3: i32 = 4\n  v4: i32 = 8\n  v5: i32 = 20\n  v6: i32 = 24\n  v7: i32 = 32\n\
         v8: i32 = {distance}\n  v9: i32 = {number}\n  v35: i32 = {FAILED}\n  v36: i32 = {SUCCEEDED}\n{constants}\
         block0:\n\
         v10: i32 = add v0, v3\n  v11: i32 = load v10, align 1\n\
         v12: i32 = add v0, v4\n  v13: i32 = load v12, align 1\n\
         v14: i32 = add v11, v13\n  v15: i32 = shl v14, v2\n  v16: i32 = add v0, v15\n  v17: i32 = add v16, v5\n\
         br block1\n\
         block1:\n\
         v18: i32 = phi [v17, block0], [v22, block2]\n\
         v19: i32 = load v18, align 1\n  v20: i1 = icmp eq v19, v7\n  br v20, block3, block2\n\
         block2:\n  v22: i32 = add v18, v4\n  br block1\n\
         block3:\n\
         v23: i32 = add v18, v3\n  v24: i32 = load v23, align 1\n\
         v25: i32 = call_indirect v24(@name, @basic, v6)\n\
         v26: i32 = load @basic, align 1\n  v27: i32 = add v26, v8\n\
         v28: i32 = call_indirect v27(v9, {}, {}, {})\n\
         v29: i1 = icmp slt v28, v1\n  v30: i32 = select v29, v35, v36\n\
         call_indirect v26(v30)\n  ret\n}}\n",
        operands[0], operands[1], operands[2]
    )
}

/// How far `syscall` is behind `irt_exit` in an executable.
fn distance(executable: &Path) -> i32 {
    let bytes = std::fs::read(executable).expect("executable");
    let file = object::File::parse(&*bytes).expect("ELF");
    let address = |name: &str| {
        let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name) && symbol.is_definition());
        symbol.expect(name).address() as i32
    };
    address("syscall") - address("irt_exit")
}

/// Writes the attacker for a target.
fn attacker(scratch: &Scratch, target: &str, number: u32, arguments: [&str; 3]) -> std::path::PathBuf {
    let executable = scratch.path("first");
    let mut guess = 0x12345;
    for _ in 0..4 {
        let input = scratch.write("attack.ice", program(number, arguments, guess));
        let output =
            ice().args(["build", "--target", target]).arg(&input).arg("-o").arg(&executable).output();
        common::expect_success(&output.unwrap(), target);
        let found = distance(&executable);
        if found == guess {
            return input;
        }
        guess = found;
    }
    panic!("{target}: the distance depends on itself");
}

/// Whether a process ended by SIGSYS, itself or as a child of `ice`.
fn was_stopped(output: &Output) -> bool {
    output.status.signal() == Some(SIGSYS) || output.status.code() == Some(128 + SIGSYS)
}

#[test]
fn a_program_that_calls_the_system_is_stopped() {
    for (index, target) in ALL_TARGETS.into_iter().enumerate() {
        if !can_run(target) {
            continue;
        }
        let is_native = index < 2;
        let scratch = Scratch::new();
        let others = if is_native { &MEMORY_ATTACKS[..] } else { &[] };
        let known = ATTACKS.iter().chain(others).filter(|attack| attack.numbers[index] != NONE);
        for Attack { numbers, name, arguments } in known {
            let input = attacker(&scratch, target, numbers[index], *arguments);
            let output = ice().args(["run", "--target", target]).arg(&input).output().unwrap();
            let errors = common::errors(&output);
            if !is_native && output.status.code() == Some(FAILED) {
                // Emulators open files, and the rules for files refuse this one; ptrace they do not have.
                assert!(matches!(*name, "openat" | "ptrace"), "{target} {name}: {errors}");
                continue;
            }
            assert!(was_stopped(&output), "{target} {name}: {}\n{errors}", output.status);
            assert!(errors.starts_with("ice: the program made "), "{target} {name}: {errors}");
            assert!(errors.ends_with("not open to it, and is stopped\n"), "{target} {name}: {errors}");
            if is_native {
                let number = numbers[index];
                assert!(errors.contains(&format!("system call {number} ({name})")), "{target}: {errors}");
            }
        }
    }
}

#[test]
fn a_program_that_is_trusted_has_the_rights_of_its_user() {
    for (index, target) in ALL_TARGETS.into_iter().enumerate() {
        if !can_run(target) {
            continue;
        }
        let scratch = Scratch::new();
        let input = attacker(&scratch, target, OPEN.numbers[index], OPEN.arguments);
        let output = ice().args(["run", "--trust", "--target", target]).arg(&input).output().unwrap();
        assert_eq!(output.status.code(), Some(SUCCEEDED), "{target}: {}", common::errors(&output));
    }
}

#[test]
fn files_are_open_below_one_directory_only() {
    for (index, target) in ALL_TARGETS.into_iter().enumerate() {
        if !can_run(target) {
            continue;
        }
        let scratch = Scratch::new();
        let input = attacker(&scratch, target, OPEN.numbers[index], OPEN.arguments);
        for (directory, code) in [(scratch.path(""), FAILED), ("/etc".into(), SUCCEEDED)] {
            let mut command = ice();
            command.args(["run", "--target", target]).arg(&input).env("ICE_FILES", &directory);
            let output = command.output().unwrap();
            let errors = common::errors(&output);
            if errors.contains("Landlock") {
                common::skip(target, "no Landlock");
                break;
            }
            assert_eq!(output.status.code(), Some(code), "{target} {}: {errors}", directory.display());
        }
    }
}

#[test]
fn descriptors_are_not_inherited() {
    for (index, target) in ALL_TARGETS.into_iter().enumerate() {
        if !can_run(target) {
            continue;
        }
        let scratch = Scratch::new();
        let input = attacker(&scratch, target, READ.numbers[index], READ.arguments);
        for (trust, code) in [("", FAILED), ("--trust", SUCCEEDED)] {
            let script = format!("exec \"$0\" run {trust} --target {target} \"$1\" 9< /etc/passwd");
            let mut command = Command::new("sh");
            command.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_ice")).arg(&input);
            let ice = ice();
            let environment = ice.get_envs().filter_map(|(name, value)| Some((name, value?)));
            let output = command.envs(environment).env_remove("ICE_TRUST").output().unwrap();
            assert_eq!(output.status.code(), Some(code), "{target} {trust}: {}", common::errors(&output));
        }
    }
}

/// A pipe that delivers no program yet: the translator is confined before it reads on.
#[test]
fn the_translator_is_confined_before_it_reads() {
    let Some(corpus) = common::corpus() else { return };
    let bytes = std::fs::read(corpus.join("libc/puts.pexe")).unwrap();
    let scratch = Scratch::new();
    let output = scratch.path("out.o");
    let mut command = ice();
    command.args(["translate", "--confine", "--target", "x86_64", "--threads", "4", "-", "-o"]).arg(&output);
    let mut parent = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = parent.stdin.take().unwrap();
    input.write_all(&bytes[..4]).unwrap();
    let children = format!("/proc/{0}/task/{0}/children", parent.id());
    let is_confined = || {
        let children = std::fs::read_to_string(&children).unwrap_or_default();
        let child = children.split_whitespace().next()?.to_owned();
        let status = std::fs::read_to_string(format!("/proc/{child}/status")).ok()?;
        status.contains("Seccomp:\t2").then_some(())
    };
    let start = Instant::now();
    while is_confined().is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "no confined translator");
        std::thread::sleep(Duration::from_millis(5));
    }
    input.write_all(&bytes[4..]).unwrap();
    drop(input);
    assert!(parent.wait().unwrap().success());
    assert!(output.is_file());
}

/// The bytes are those of a translation that is not confined, for every number of threads; errors are told once.
#[test]
fn a_confined_translation_is_the_same() {
    let Some(corpus) = common::corpus() else { return };
    let scratch = Scratch::new();
    let translate = |confine: &[&str], threads: &str, input: &Path| {
        let output = scratch.path("out.o");
        let mut command = ice();
        command.args(["translate", "-O2", "--target", "i686", "--threads", threads]).args(confine);
        let result = command.arg(input).arg("-o").arg(&output).output().unwrap();
        (result, std::fs::read(&output).ok())
    };
    let input = corpus.join("bench/fasta.pexe");
    let (_, expected) = translate(&[], "0", &input);
    for threads in ["0", "4"] {
        let (result, bytes) = translate(&["--confine"], threads, &input);
        common::expect_success(&result, "translate --confine");
        assert_eq!(bytes, expected, "{threads} threads");
    }
    let bitcode = scratch.write("a.ice", common::EMPTY_PROGRAM);
    assert!(translate(&["--confine"], "0", &bitcode).1.is_some());
    std::fs::remove_file(scratch.path("out.o")).unwrap();
    let cut = scratch.write("cut.pexe", &std::fs::read(&input).unwrap()[..5000]);
    let (plain, _) = translate(&[], "0", &cut);
    let (confined, bytes) = translate(&["--confine"], "0", &cut);
    assert_eq!(confined.status.code(), Some(1));
    assert_eq!((confined.status, confined.stderr, bytes), (plain.status, plain.stderr, None));
    assert_eq!(scratch.names(), ["a.ice", "cut.pexe"], "temporary files are left");
}

//! Real programs: interpreted, translated and run, with the output that they must print.
//!
//! The corpus is optional; without it the tests say so and pass.

use crate::common;

use common::{
    ALL_TARGETS, SANDBOX_TARGETS, TARGETS, can_run, cases, corpus, errors, expect_success, ice, run_ice,
};
use std::process::Stdio;

/// Runs every case with these arguments of `ice` before the program, and reports all failures together.
fn run_cases(arguments: &[&str], leave_out: &[&str]) {
    let Some(corpus) = corpus() else { return };
    let mut failures = String::new();
    for case in cases(&corpus) {
        if leave_out.contains(&&*case.id) {
            continue;
        }
        let output = ice()
            .args(arguments)
            .arg(&case.file)
            .args(&case.arguments)
            .current_dir(&corpus)
            .stdin(Stdio::null())
            .output()
            .expect("ice starts");
        if output.status.code() != Some(case.exit_code) {
            failures += &format!("{}: {}\n{}\n", case.id, output.status, errors(&output));
        } else if output.stdout != case.output {
            let printed = String::from_utf8_lossy(&output.stdout).chars().take(400).collect::<String>();
            failures += &format!("{}: other output:\n{printed}\n", case.id);
        }
    }
    assert!(failures.is_empty(), "{arguments:?}\n{failures}");
}

#[test]
fn cases_interpreted() {
    // Minutes in the interpreter; the same programs run with smaller arguments or natively.
    run_cases(&["interpret"], &["meteor-2098", "binarytrees-12", "fannkuchredux-9", "nbody-50000"]);
}

#[test]
fn cases_on_x86_64() {
    if can_run("x86_64") {
        run_cases(&["run", "--target", "x86_64", "-Om1"], &[]);
        run_cases(&["run", "--target", "x86_64", "-O2", "--threads", "0"], &[]);
        run_cases(&["run", "--target", "x86_64", "-O2", "--threads", "4"], &[]);
    }
}

/// Every case in the sandbox of a machine whose programs the host executes.
fn run_confined_cases(target: &str) {
    if can_run(target) {
        let run = ["run", "--sandbox", "--target", target];
        for level in ["-Om1", "-O2"] {
            for threads in ["0", "4"] {
                run_cases(&[&run[..], &[level, "--threads", threads]].concat(), &[]);
            }
        }
    }
}

#[test]
fn cases_in_the_sandbox() {
    run_confined_cases("x86_64");
}

#[test]
fn cases_in_the_sandbox_on_i686() {
    run_confined_cases("i686");
}

/// Every case in the sandbox of a machine whose programs run under an emulator.
fn run_emulated_cases(target: &str) {
    if can_run(target) {
        let run = ["run", "--sandbox", "--target", target];
        run_cases(&[&run[..], &["-Om1"]].concat(), &[]);
        run_cases(&[&run[..], &["-O2", "--threads", "0"]].concat(), &[]);
        run_cases(&[&run[..], &["-O2", "--threads", "4"]].concat(), &["nbody-50000"]);
    }
}

#[test]
fn cases_in_the_sandbox_on_armv7() {
    run_emulated_cases("armv7");
}

#[test]
fn cases_in_the_sandbox_on_mipsel() {
    run_emulated_cases("mipsel");
}

#[test]
fn cases_on_i686() {
    if can_run("i686") {
        run_cases(&["run", "--target", "i686", "-Om1"], &[]);
        run_cases(&["run", "--target", "i686", "-O2", "--threads", "0"], &[]);
        run_cases(&["run", "--target", "i686", "-O2", "--threads", "4"], &[]);
    }
}

/// On every machine, with everything left to chance that it has.
#[test]
fn cases_by_chance() {
    for (seed, target) in ALL_TARGETS.into_iter().enumerate().filter(|(_, target)| can_run(target)) {
        for (seed, level) in [(2 * seed, "-Om1"), (2 * seed + 1, "-O2")] {
            let arguments = ["run", "--target", target, level, "--diversify", &seed.to_string()];
            run_cases(&arguments, &["nbody-50000", "binarytrees-12", "fannkuchredux-9"]);
        }
    }
    for target in SANDBOX_TARGETS.into_iter().filter(|target| can_run(target)) {
        let run = ["run", "--sandbox", "--target", target];
        run_cases(&[&run[..], &["-O2", "--diversify", "9"]].concat(), &["nbody-50000"]);
    }
}

#[test]
fn cases_on_armv7() {
    if can_run("armv7") {
        run_cases(&["run", "--target", "armv7", "-Om1"], &["nbody-50000", "binarytrees-12"]);
        run_cases(&["run", "--target", "armv7", "-O2"], &[]);
    }
}

#[test]
fn cases_on_mipsel() {
    if can_run("mipsel") {
        run_cases(&["run", "--target", "mipsel", "-Om1"], &["nbody-50000", "binarytrees-12"]);
        run_cases(&["run", "--target", "mipsel", "-O2"], &[]);
    }
}

#[test]
fn cases_on_aarch64() {
    if can_run("aarch64") {
        run_cases(&["run", "--target", "aarch64", "-Om1"], &["nbody-50000", "binarytrees-12"]);
        run_cases(&["run", "--target", "aarch64", "-O2"], &[]);
    }
}

/// The program of the older, larger SDK runs too; its output is not recorded, but it is a greeting.
#[test]
fn hello_cpp() {
    let Some(corpus) = corpus() else { return };
    for target in TARGETS {
        if can_run(target) {
            let output = ice()
                .args(["run", "--target", target, "libc/hello_cpp.pexe"])
                .current_dir(&corpus)
                .output()
                .unwrap();
            expect_success(&output, target);
            let text = String::from_utf8_lossy(&output.stdout).to_lowercase();
            assert!(text.contains("hello"), "{target}: {text:?}");
        }
    }
}

#[test]
fn built_programs_get_their_arguments_and_give_their_exit_code() {
    let scratch = common::Scratch::new();
    // argc - 1 is the exit code.
    let text = "define external @_start(v0: i32) -> void {\n  v1: i32 = 8\n  v2: i32 = 1\n  v3: i32 = 5\n\
                block0:\n  v4: i32 = add v0, v1\n  v5: i32 = load v4, align 1\n  v6: i32 = sub v5, v2\n\
                v7: i1 = icmp eq v6, v3\n  br v7, block1, block2\nblock1:\n  call @llvm.trap()\n  unreachable\n\
                block2:\n  ret\n}\nintrinsic external @llvm.trap() -> void\n";
    let input = scratch.write("count.ice", text);
    for target in TARGETS {
        if !can_run(target) {
            continue;
        }
        let program = scratch.path("count");
        let output =
            ice().args(["build", "--target", target]).arg(&input).arg("-o").arg(&program).output().unwrap();
        expect_success(&output, target);
        let run = |arguments: &[&str]| std::process::Command::new(&program).args(arguments).status().unwrap();
        assert!(run(&["1", "2", "3", "4"]).success(), "{target}");
        // Five arguments trap.
        assert_eq!(run(&["1", "2", "3", "4", "5"]).code(), None, "{target}");
        // `run` ends as the program ends, by a signal too.
        let status = ice().args(["run", "--target", target]).arg(&input).args(["1", "-O2"]).status().unwrap();
        assert!(status.success(), "{target}");
        let status = ice()
            .args(["run", "--target", target])
            .arg(&input)
            .args(["1", "2", "3", "4", "5"])
            .status()
            .unwrap();
        assert_eq!(status.code(), None, "{target}");
        std::fs::remove_file(program).unwrap();
    }
}

/// Without a home and a cache the runtime is compiled for this once.
#[test]
fn a_build_works_without_a_cache() {
    if !can_run("x86_64") {
        return;
    }
    let scratch = common::Scratch::new();
    let input = scratch.write("a.ice", common::EMPTY_PROGRAM);
    let status = ice()
        .args(["run", "--target", "x86_64"])
        .arg(&input)
        .env("XDG_CACHE_HOME", "/proc/no-such-place")
        .env("TMPDIR", scratch.path(""))
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(scratch.names(), ["a.ice"], "temporary files are left");
}

#[test]
fn malformed_programs_are_accepted_or_refused_with_a_place() {
    let Some(corpus) = corpus() else { return };
    for path in common::programs(&corpus, &["malformed"]) {
        for target in TARGETS {
            let output = run_ice(["translate", "--target", target, path.to_str().unwrap(), "-o", "-"]);
            match output.status.code() {
                Some(0) => {}
                Some(1) => {
                    let text = errors(&output);
                    assert!(text.contains(" at ") && text.contains(path.to_str().unwrap()), "{text}");
                    assert!(output.stdout.is_empty());
                }
                code => panic!("{}: {code:?}: {}", path.display(), errors(&output)),
            }
        }
    }
}

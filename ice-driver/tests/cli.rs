//! The command line as a user meets it: exit codes, messages, files, standard input and output.

use crate::common;

use common::{EMPTY_PROGRAM, Scratch, TARGETS, errors, expect_success, ice, run_ice, with_input};
use std::ffi::OsStr;
use std::process::Command;

#[test]
fn help_version_manual_and_completions() {
    for (arguments, start) in [
        (&["--help"][..], "ice: "),
        (&["-h"], "ice: "),
        (&["--version"], "ice 0."),
        (&["--man"], ".TH ICE 1"),
        (&["--completions", "bash"], "_ice()"),
        (&["--completions", "zsh"], "#compdef ice"),
        (&["--completions", "fish"], "complete -c ice"),
        (&["run", "--help"], "translate a program and run it"),
        (&["help"], "ice: "),
        (&["help", "run"], "translate a program and run it"),
    ] {
        let output = run_ice(arguments);
        expect_success(&output, &arguments.join(" "));
        assert!(output.stdout.starts_with(start.as_bytes()), "{arguments:?}");
        assert!(output.stderr.is_empty());
    }
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    let scratch = Scratch::new();
    let program = scratch.write("a.ice", EMPTY_PROGRAM);
    let program = program.to_str().unwrap();
    for (arguments, message) in [
        (&[][..], "a command is missing"),
        (&["translate"], "the input file is missing"),
        (&["translate", program], "the output file is missing"),
        (&["frobnicate"], "unknown command 'frobnicate'"),
        (&["translate", "--frob", program], "--frob"),
        (
            &["translate", "--mattr=+hwdiv", "--target", "i686", program, "-o", "x"],
            "hwdiv is no feature of i686",
        ),
        (&["translate", "--target", "arm-linux-gnueabi", program, "-o", "x"], "floats in VFP registers"),
        (&["translate", "--target", "vax", program, "-o", "x"], "unknown target 'vax'"),
        (&["translate", "--target", "mips-linux-gnu", program, "-o", "x"], "unknown target 'mips-linux-gnu'"),
        (&["run", "--sandbox", "--target", "aarch64", program], "there is no confined code for aarch64"),
        (&["translate", "no-such-file.pexe", "-o", "x"], "no-such-file.pexe"),
        (&["translate", program, "-o", "no-such-directory/x"], "no-such-directory/x"),
        (&["translate", "--function", "nowhere", "--emit", "mir", program], "no defined function 'nowhere'"),
        (&["build", "--linker", "no-such-cc", program, "-o", "x"], "no-such-cc"),
    ] {
        let output = ice().args(arguments).current_dir(scratch.path("")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        let text = errors(&output);
        assert!(text.starts_with("ice: ") && text.contains(message), "{arguments:?}: {text}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(scratch.names(), ["a.ice"]);
}

#[test]
fn a_refused_input_is_exit_code_1_and_leaves_no_file() {
    let scratch = Scratch::new();
    let bad_type = "define external @_start(v0: i32) -> void {\nblock0:\n  v1: i64 = add v0, v0\n  ret\n}\n";
    for (name, contents) in [
        ("junk.pexe", &b"PEXE, but not really"[..]),
        ("empty.pexe", b""),
        ("syntax.ice", b"define external @_start(v0: i32) -> void {\nblock0:\n  frob\n}\n"),
        ("types.ice", bad_type.as_bytes()),
        ("latin1.ice", b"; caf\xe9\n"),
    ] {
        let input = scratch.write(name, contents);
        let out = scratch.path("out");
        std::fs::write(&out, "old").unwrap();
        let mut commands = vec!["translate", "build", "print", "freeze"];
        if name.ends_with(".pexe") {
            commands.push("dump");
        }
        for command in commands {
            let output = ice().arg(command).arg(&input).arg("-o").arg(&out).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{command} {name}: {}", errors(&output));
            assert!(errors(&output).starts_with(&format!("ice: {}", input.display())), "{}", errors(&output));
            // The old file is untouched, and no temporary one is left.
            assert_eq!(std::fs::read(&out).unwrap(), b"old", "{command} {name}");
            assert_eq!(scratch.names(), [name.min("out"), name.max("out")]);
        }
        for command in ["verify", "run", "interpret"] {
            let output = ice().arg(command).arg(&input).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{command} {name}: {}", errors(&output));
        }
        std::fs::remove_file(input).unwrap();
    }
}

#[test]
fn errors_name_the_place() {
    let scratch = Scratch::new();
    let input = scratch.write("a.ice", "define external @_start(v0: i32) -> void {\nblock0:\n  frob\n}\n");
    let output = ice().arg("verify").arg(&input).output().unwrap();
    assert!(errors(&output).contains(":3:3: "), "{}", errors(&output));
    let input = scratch.write("a.pexe", b"PEXE\0\0\0\0");
    let output = ice().arg("verify").arg(&input).output().unwrap();
    assert!(errors(&output).contains(" at "), "{}", errors(&output));
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let scratch = Scratch::new();
    let input = scratch.write("a.ice", EMPTY_PROGRAM);
    for target in TARGETS {
        let from_file = scratch.path("a.o");
        let output = ice()
            .args(["translate", "--target", target])
            .arg(&input)
            .arg("-o")
            .arg(&from_file)
            .output()
            .unwrap();
        expect_success(&output, target);
        let piped = with_input(
            ice().args(["translate", "--target", target, "-", "-o", "-"]),
            EMPTY_PROGRAM.as_bytes(),
        );
        expect_success(&piped, target);
        assert_eq!(piped.stdout, std::fs::read(&from_file).unwrap());
        assert_eq!(&piped.stdout[..4], b"\x7fELF");
    }
    let text = with_input(ice().args(["print", "-"]), EMPTY_PROGRAM.as_bytes());
    expect_success(&text, "print");
    assert!(String::from_utf8_lossy(&text.stdout).contains("@_start"));
    let refused = with_input(ice().args(["translate", "-", "-o", "-"]), b"PEXE junk");
    assert_eq!(refused.status.code(), Some(1));
    assert!(errors(&refused).starts_with("ice: <stdin>: ") && refused.stdout.is_empty());
    // What cannot be replaced is written to.
    let output = ice().arg("translate").arg(&input).args(["-o", "/dev/null"]).output().unwrap();
    expect_success(&output, "/dev/null");
}

#[test]
fn text_and_bitcode_are_the_same_program() {
    let scratch = Scratch::new();
    let text = scratch.write("a.ice", EMPTY_PROGRAM);
    let frozen = scratch.path("a.pexe");
    expect_success(&ice().arg("freeze").arg(&text).arg("-o").arg(&frozen).output().unwrap(), "freeze");
    expect_success(&ice().arg("verify").arg(&frozen).output().unwrap(), "verify");
    let dump = ice().arg("dump").arg(&frozen).output().unwrap();
    expect_success(&dump, "dump");
    assert!(String::from_utf8_lossy(&dump.stdout).contains("block 8 MODULE"));
    let printed = ice().arg("print").arg(&frozen).output().unwrap();
    expect_success(&printed, "print");
    let again = with_input(ice().args(["freeze", "-", "-o", "-"]), &printed.stdout);
    expect_success(&again, "freeze again");
    assert_eq!(again.stdout, std::fs::read(&frozen).unwrap());
    for target in TARGETS {
        let object = |input: &std::path::Path| {
            let output =
                ice().args(["translate", "--target", target, "-o", "-"]).arg(input).output().unwrap();
            expect_success(&output, target);
            output.stdout
        };
        assert_eq!(object(&text), object(&frozen));
    }
}

#[test]
fn o0_means_om1_and_o1_means_o2() {
    let scratch = Scratch::new();
    let input = scratch.write("a.ice", EMPTY_PROGRAM);
    let translate = |level: &str| {
        let output = ice().args(["translate", level, "-o", "-"]).arg(&input).output().unwrap();
        expect_success(&output, level);
        assert_eq!(errors(&output), "");
        output.stdout
    };
    assert_eq!(translate("-O0"), translate("-Om1"));
    assert_eq!(translate("-O1"), translate("-O2"));
}

#[test]
fn steps_counts_and_times_are_printed_on_request() {
    let scratch = Scratch::new();
    let input = scratch.write("a.ice", EMPTY_PROGRAM);
    let run = |arguments: &[&str]| {
        let output = ice().args(["translate", "-o", "-"]).args(arguments).arg(&input).output().unwrap();
        expect_success(&output, "translate");
        errors(&output)
    };
    assert!(run(&["--stats"]).contains("1 functions"));
    let times = run(&["--time-passes"]);
    for step in ["read", "lower", "allocate", "emit", "all steps"] {
        assert!(times.contains(step), "{times}");
    }
    let all = run(&["--print-after", "all"]);
    let one = run(&["--print-after", "lower"]);
    assert!(all.contains(&one) && all.len() > one.len());
    assert!(one.starts_with("; func0 after lower"), "{one}");
    for kind in ["ir", "mir", "asm"] {
        let output = ice().args(["translate", "--emit", kind]).arg(&input).output().unwrap();
        expect_success(&output, kind);
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn one_function_can_be_chosen_by_name_or_number() {
    let scratch = Scratch::new();
    let text = "define external @_start(v0: i32) -> void {\nblock0:\n  v1: i32 = call @twice(v0)\n  ret\n}\n\
                define internal @twice(v0: i32) -> i32 {\nblock0:\n  v1: i32 = add v0, v0\n  ret v1\n}\n";
    let input = scratch.write("a.ice", text);
    let emit = |function: &str, kind: &str| {
        let output =
            ice().args(["translate", "--emit", kind, "--function", function]).arg(&input).output().unwrap();
        expect_success(&output, function);
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(emit("twice", "ir"), emit("1", "ir"));
    assert!(emit("twice", "ir").contains("add") && !emit("twice", "ir").contains("call"));
    let assembly = emit("_start", "asm");
    assert!(assembly.contains("pexe_start:") && !assembly.contains("twice:"), "{assembly}");
}

/// The first that an exception may leave, and none where nothing throws; and the first that wants a stack protector.
#[test]
fn what_a_function_does_not_get_is_warned_of() {
    let Some(assembler) = common::find_tool(&["llvm-as-19"]) else {
        return common::skip("the warning of exceptions", "no llvm-as-19 on this machine");
    };
    let scratch = Scratch::new();
    let warnings = |triple: &str, attributes: &str, arguments: &[&str]| {
        let text = format!(
            "target triple = \"{triple}\"\ntarget datalayout = \"{}\"\ndeclare void @g() uwtable\n\
             define void @plain() nounwind uwtable {{ call void @g()\n ret void }}\n\
             define void @passes() {attributes} {{ call void @g()\n ret void }}\n\
             define void @other() {attributes} {{ call void @g()\n ret void }}\n",
            if triple.starts_with("x86_64") || triple.starts_with("aarch64") {
                "e-m:e-i64:64-S128"
            } else {
                "e-m:e-p:32:32-i64:64-S64"
            },
        );
        let (source, bitcode) = (scratch.write("a.ll", text), scratch.path("a.bc"));
        let output = Command::new(assembler).arg(source).arg("-o").arg(&bitcode).output().expect("starts");
        expect_success(&output, "llvm-as");
        let files = ["translate".as_ref(), bitcode.as_os_str(), "-o".as_ref(), "-".as_ref()];
        let output = run_ice(files.into_iter().chain(arguments.iter().map(OsStr::new)));
        expect_success(&output, "ice translate");
        errors(&output).strip_prefix(&format!("ice: {}: ", bitcode.display())).map(str::to_owned)
    };
    let warning = "warning: function passes may unwind: there are no unwind tables, an exception that reaches it ends the program\n";
    assert_eq!(
        warnings("x86_64-linux-gnu", "uwtable", &["--unwind-tables", "none"]).as_deref(),
        Some(warning)
    );
    assert_eq!(warnings("x86_64-linux-gnu", "uwtable", &[]), None);
    assert_eq!(warnings("x86_64-linux-gnu", "nounwind uwtable", &[]), None);
    assert_eq!(warnings("x86_64-linux-gnu", "", &[]), None);
    let without = &["--unwind-tables", "none"];
    assert_eq!(warnings("armv7-linux-gnueabihf", "", without).as_deref(), Some(warning));
    assert_eq!(warnings("armv7-linux-gnueabihf", "nounwind", without), None);
    assert_eq!(warnings("armv7-linux-gnueabihf", "", &[]), None);
    assert_eq!(warnings("mipsel-linux-gnu", "uwtable", without).as_deref(), Some(warning));
    assert_eq!(warnings("mipsel-linux-gnu", "uwtable", &[]), None);
    assert_eq!(warnings("aarch64-linux-gnu", "uwtable", without).as_deref(), Some(warning));
    assert_eq!(warnings("aarch64-linux-gnu", "", &[]), None);
    for attribute in ["ssp", "sspstrong", "sspreq"] {
        assert_eq!(warnings("x86_64-linux-gnu", &format!("nounwind {attribute}"), &[]), None, "{attribute}");
    }
}

#[test]
fn other_files_are_called_by_their_name() {
    let scratch = Scratch::new();
    let text = scratch.write("a.ice", EMPTY_PROGRAM);
    let object = scratch.path("a.o");
    expect_success(&ice().arg("translate").arg(&text).arg("-o").arg(&object).output().unwrap(), "translate");
    let llvm = scratch.write("a.ll", "; ModuleID = 'a.c'\nsource_filename = \"a.c\"\n");
    let archive = scratch.write("a.pexe", b"!<arch>\n");
    for (input, found) in [(&object, "ELF"), (&llvm, "llvm-as"), (&archive, "archive")] {
        for command in ["translate", "build", "run", "interpret", "dump", "verify", "print", "freeze"] {
            let mut ice = ice();
            ice.arg(command);
            if ["translate", "build", "freeze"].contains(&command) {
                ice.args(["-o", "-"]);
            }
            let output = ice.arg(input).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{command} {found}");
            let expected = format!("ice: {}: this file is ", input.display());
            assert!(errors(&output).starts_with(&expected), "{}", errors(&output));
            assert!(errors(&output).contains(found) && output.stdout.is_empty(), "{}", errors(&output));
        }
    }
    let output = ice().arg("dump").arg(&text).output().unwrap();
    assert!(
        errors(&output).contains("text, which has no records; dump takes bitcode"),
        "{}",
        errors(&output)
    );
    let output = with_input(ice().args(["verify", "-"]), b"#include <stdio.h>\n");
    assert!(errors(&output).starts_with("ice: <stdin>:1:1: "), "{}", errors(&output));
}

#[test]
fn sections_and_functions_have_one_name_in_messages() {
    let scratch = Scratch::new();
    let text = format!(
        "global internal @a align 4 = zero 4294967295\nglobal internal @b align 4 = zero 4294967295\n{EMPTY_PROGRAM}"
    );
    let input = scratch.write("a.ice", text);
    let output = ice().args(["translate", "--target", "i686", "-o", "-"]).arg(&input).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("section .bss too large"), "{}", errors(&output));
}

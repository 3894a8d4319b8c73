//! What attributes demand of code beyond what it computes: calls at the begin and the end of functions, functions without a
//! frame, and what is refused by its name.

use super::{AARCH64, ARMV7, I686, LEVELS, MIPSEL, Source, Target, X86_64};
use crate::common::{can_run, errors, ice};
use std::path::Path;

const HOOKS: &str = include_str!("hooks.c");

/// The flags that make functions call, and keep frames where functions without one must not have any.
const FLAGS: [&[&str]; 3] = [
    &["-pg"],
    &["-finstrument-functions-after-inlining"],
    &["-fno-omit-frame-pointer", "-fstack-protector-all"],
];

#[test]
fn functions_call_where_they_begin_and_end() {
    for target in [&X86_64, &I686, &ARMV7] {
        let Some(source) = Source::new(target, "hooks.c", HOOKS) else { return };
        if !can_run(target.name) {
            continue;
        }
        for flags in FLAGS {
            for optimised in ["-O0", "-O1", "-O2"] {
                let flags = [flags, &[optimised]].concat();
                let print = |object: &Path| {
                    let output = source.run(&source.link(object), &[]);
                    (output.status, String::from_utf8(output.stdout).expect("text"))
                };
                let wanted = print(&source.clang(&flags, "clang.o"));
                assert!(wanted.0.success() && wanted.1.contains(" 42: "), "{wanted:?}");
                for level in LEVELS {
                    let found = print(&source.translate(&source.bitcode(&flags), &[level]));
                    assert_eq!(found, wanted, "{} {flags:?} {level}", target.name);
                }
            }
        }
    }
}

const PLAIN: &str = "int other(int *); int function(int n) { int a[10]; return other(a) + n; }";
const SAVING: &str = "__attribute__((no_caller_saved_registers)) int function(int n) { return n + 1; }";
const INTERRUPT: &str = "__attribute__((interrupt)) void function(void) {}";

/// What is refused on a target, with the flag that asks for it and how it is called.
const REFUSED: [(&Target, &str, &str, &str); 27] = [
    (&X86_64, PLAIN, "-fsanitize=safe-stack", "safestack"),
    (&X86_64, PLAIN, "-fsplit-stack", "split-stack"),
    (&X86_64, PLAIN, "-fzero-call-used-regs=used", "zero-call-used-regs"),
    (&X86_64, PLAIN, "-fxray-instrument", "xray-instruction-threshold"),
    (&X86_64, PLAIN, "-fpatchable-function-entry=4", "patchable-function-entry"),
    (&X86_64, PLAIN, "-mfentry", "fentry-call"),
    (&X86_64, PLAIN, "-mretpoline", "target-features=+retpoline-indirect-branches"),
    (&X86_64, PLAIN, "-mlvi-hardening", "target-features=+lvi-cfi"),
    (&X86_64, PLAIN, "-mharden-sls=all", "target-features=+harden-sls-ijmp"),
    (&X86_64, PLAIN, "-mspeculative-load-hardening", "speculative_load_hardening"),
    (&X86_64, PLAIN, "-mfunction-return=thunk-extern", "fn_ret_thunk_extern"),
    (&X86_64, SAVING, "-mgeneral-regs-only", "no_caller_saved_registers"),
    (&X86_64, PLAIN, "-mno-sse", "target-features=-sse"),
    (&X86_64, PLAIN, "-mgeneral-regs-only", "target-features=-sse"),
    (&I686, PLAIN, "-mno-sse2", "target-features=-sse2"),
    (&X86_64, PLAIN, "-mno-implicit-float", "noimplicitfloat"),
    (&ARMV7, PLAIN, "-ffixed-r9", "target-features=+reserve-r9"),
    (&ARMV7, PLAIN, "-mexecute-only", "target-features=+execute-only"),
    (&ARMV7, PLAIN, "-mno-unaligned-access", "target-features=+strict-align"),
    (&MIPSEL, PLAIN, "-msoft-float", "target-features=+soft-float"),
    (&MIPSEL, PLAIN, "-mfp64", "target-features=+fp64"),
    (&AARCH64, PLAIN, "-mgeneral-regs-only", "target-features=-fp-armv8"),
    (&AARCH64, PLAIN, "-ffixed-x20", "target-features=+reserve-x"),
    (&AARCH64, PLAIN, "-mno-unaligned-access", "target-features=+strict-align"),
    (&AARCH64, PLAIN, "-mharden-sls=all", "target-features=+harden-sls-blr"),
    (&ARMV7, INTERRUPT, "-Wno-extra", "interrupt"),
    (&MIPSEL, PLAIN, "-pg", "instrument-function-entry-inlined"),
];

#[test]
fn what_is_not_built_is_refused_by_name() {
    for (target, text, flag, attribute) in REFUSED {
        let Some(source) = Source::new(target, "a.c", text) else { return };
        let flags = if flag == "-mfentry" { &["-O1", "-pg", flag][..] } else { &["-O1", flag] };
        let bitcode = source.bitcode(flags);
        let object = source.scratch.path("a.o");
        let mut command = ice();
        command.args(["translate", "--target", target.name]).arg(bitcode).arg("-o").arg(&object);
        let output = command.output().expect("ice starts");
        let message = errors(&output);
        assert_eq!(output.status.code(), Some(1), "{flag}: {message}");
        let is_located = message.contains("function function (func") && message.contains(" at ");
        let is_named = message.contains(&format!("not supported: the attribute {attribute}"));
        assert!(is_located && is_named, "{flag}: {message}");
        assert!(!object.exists(), "{flag}");
    }
}

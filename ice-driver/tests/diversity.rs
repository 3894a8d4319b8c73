//! Code that differs by chance: from seed to seed and kind to kind, and by nothing else.

use crate::common;

use common::{ALL_TARGETS, Scratch, cases, corpus, errors, expect_success, ice, run_ice};
use object::{Object, ObjectSection};
use std::path::Path;

/// Every kind, and whether machines other than x86 have it.
const KINDS: [(&str, bool); 9] = [
    ("nops", false),
    ("encodings", false),
    ("selection", false),
    ("registers", true),
    ("blocks", true),
    ("stack", true),
    ("functions", true),
    ("globals", true),
    ("pools", true),
];

fn translate(target: &str, input: &Path, arguments: &[&str]) -> Vec<u8> {
    let output =
        ice().args(["translate", "--target", target, "-o", "-"]).args(arguments).arg(input).output().unwrap();
    expect_success(&output, &format!("{target} {arguments:?}"));
    output.stdout
}

/// I-DET.
#[test]
fn the_seed_decides_and_threads_do_not() {
    let Some(corpus) = corpus() else { return };
    let input = corpus.join("bench/nbody.pexe");
    for target in ALL_TARGETS {
        for level in ["-Om1", "-O2"] {
            let with = |seed: &str, threads: &str| {
                translate(target, &input, &[level, "--diversify", seed, "--threads", threads])
            };
            let one = with("1", "0");
            assert!(
                one == with("1", "1") && one == with("1", "4") && one == with("1", "3"),
                "{target} {level}"
            );
            assert!(one != with("2", "0") && one != with("18446744073709551615", "0"), "{target} {level}");
        }
    }
}

#[test]
fn every_kind_makes_a_difference_by_itself() {
    let Some(corpus) = corpus() else { return };
    let input = corpus.join("bench/nbody.pexe");
    for target in ALL_TARGETS {
        let plain = translate(target, &input, &["-O2"]);
        for (kind, is_general) in KINDS {
            let with =
                |seed| translate(target, &input, &["-O2", "--diversify", seed, "--diversify-kinds", kind]);
            let is_known = is_general || ["x86_64", "i686"].contains(&target);
            assert_eq!(with("1") != plain, is_known, "{target} {kind}");
            assert_eq!(with("1") != with("2"), is_known, "{target} {kind}");
        }
    }
}

/// What moves has the same contents: sections of data are as large, but for the padding between variables.
#[test]
fn variables_are_all_there() {
    let Some(corpus) = corpus() else { return };
    let sizes = |bytes: &[u8]| {
        let file = object::File::parse(bytes).unwrap();
        [".data", ".rodata", ".bss"]
            .map(|name| file.section_by_name(name).map_or(0, |section| section.size()))
    };
    let input = corpus.join("bench/meteor.pexe");
    let plain = sizes(&translate("i686", &input, &[]));
    let other = sizes(&translate("i686", &input, &["--diversify", "3", "--diversify-kinds", "globals"]));
    for (plain, other) in plain.into_iter().zip(other) {
        assert!(plain.abs_diff(other) <= plain / 8, "{plain} {other}");
    }
}

#[test]
fn what_is_no_seed_or_kind_is_refused() {
    let scratch = Scratch::new();
    let input = scratch.write("a.ice", common::EMPTY_PROGRAM);
    let input = input.to_str().unwrap();
    let refused = |arguments: &[&str]| {
        let output = run_ice([&["translate", input, "-o", "-"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        errors(&output)
    };
    assert!(refused(&["--diversify", "-1"]).contains("a number from 0 to 18446744073709551615 is"));
    assert!(refused(&["--diversify=1", "--diversify-kinds=nops,luck"]).contains("there are nops, encodings"));
    assert!(refused(&["--diversify-kinds=nops"]).contains("'--diversify-kinds' is for '--diversify'"));
}

/// Whatever is chosen, confined code keeps the rules.
#[test]
fn confined_code_stays_confined() {
    let Some(corpus) = corpus() else { return };
    let scratch = Scratch::new();
    let program = scratch.path("a.nexe");
    let mut files: Vec<_> = cases(&corpus).into_iter().map(|case| case.file).collect();
    files.dedup();
    for (seed, file) in files.iter().enumerate() {
        for level in ["-Om1", "-O2"] {
            let output = ice()
                .args(["build", "--sandbox", "--target", "x86_64", level, "--diversify", &seed.to_string()])
                .arg(corpus.join(file))
                .arg("-o")
                .arg(&program)
                .output()
                .unwrap();
            expect_success(&output, file);
            expect_success(&run_ice(["validate".as_ref(), program.as_os_str()]), file);
        }
    }
}

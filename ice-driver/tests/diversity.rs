//! Code that differs by chance: from seed to seed and kind to kind, and by nothing else.

use crate::common;

use common::program::Program;
use common::{ALL_TARGETS, Scratch, TARGETS, cases, corpus, errors, expect_success, ice, run_ice};
use object::{Object, ObjectSection};
use std::path::Path;

/// Every kind, and the machines that have it.
const KINDS: [(&str, &[&str]); 11] = [
    ("nops", &ALL_TARGETS),
    ("encodings", &TARGETS),
    ("selection", &TARGETS),
    ("registers", &ALL_TARGETS),
    ("blocks", &ALL_TARGETS),
    ("stack", &ALL_TARGETS),
    ("blinding", &TARGETS),
    ("pooling", &TARGETS),
    ("functions", &ALL_TARGETS),
    ("globals", &ALL_TARGETS),
    ("pools", &ALL_TARGETS),
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
        for (kind, machines) in KINDS {
            let with =
                |seed| translate(target, &input, &["-O2", "--diversify", seed, "--diversify-kinds", kind]);
            let is_known = machines.contains(&target);
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
        let targets = ["x86_64", "armv7", "mipsel"].into_iter();
        for (target, level) in targets.flat_map(|target| [(target, "-Om1"), (target, "-O2")]) {
            let output = ice()
                .args(["build", "--sandbox", "--target", target, level, "--diversify", &seed.to_string()])
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

/// Functions that use one number in every way in which instructions hold numbers.
fn numbers() -> Program {
    let mut program = Program::default();
    let number = 0x1234_5678;
    for op in ["add", "sub", "and", "or", "xor", "mul"] {
        for (ty, number) in [("i32", number), ("i64", number), ("i64", number << 32 | number)] {
            let body = format!("block0:\n  v99: {ty} = {op} v0, v1\n  ret v99");
            program.function(ty, &[(ty, number)], &body, &[0, 7, -1]);
        }
    }
    // What counts ones multiplies a register by a number.
    let ones = "block0:\n  v2: i32 = call @ones(v0)\n  v99: i32 = xor v2, v1\n  ret v99";
    program.function("i32", &[("i32", number)], ones, &[0, 1, number, -1]);
    let cell = "block0:\n  store v1 to v2, align 1\n  v3: i32 = load v2, align 1\n  v4: i32 = add v3, v1\n\
                store v4 to v2, align 1\n  v5: i32 = load v2, align 1\n  v6: i1 = icmp ult v5, v1\n\
                v7: i1 = icmp eq v0, v1\n  v8: i1 = xor v6, v7\n  v9: i32 = zext v8\n  v99: i32 = add v9, v5\n  ret v99";
    program.function(
        "i32",
        &[("i32", number)],
        &cell.replace("v2", "v10").replace("block0:", "  v10: i32 = @cell\nblock0:"),
        &[1, number],
    );
    let far = "block0:\n  v2: i32 = sub v10, v1\n  v3: i32 = add v2, v0\n  v4: i32 = add v3, v1\n  v5: i32 = load v4, align 1\n\
               v99: i32 = add v5, v0\n  ret v99";
    program.function(
        "i32",
        &[("i32", number)],
        &far.replace("block0:", "  v10: i32 = @cell\nblock0:"),
        &[0, 4],
    );
    program
}

/// Neither made by Om1 nor by O2, and the results are right.
#[test]
fn numbers_of_the_program_do_not_stand_in_its_code() {
    let text = format!("intrinsic external @ones(i32) -> i32 as ctpop\n{}", numbers().text());
    let scratch = Scratch::new();
    let input = scratch.write("numbers.ice", common::program::with_entry(&text));
    let expected = run_ice(["interpret".as_ref(), input.as_os_str()]).status.code();
    for target in ["x86_64", "i686"] {
        for level in ["-Om1", "-O2"] {
            let has_number = |arguments: &[&str]| {
                let bytes = translate(target, &input, &[&[level], arguments].concat());
                let file = object::File::parse(&*bytes).unwrap();
                let code = file.section_by_name(".text").unwrap();
                let code = code.data().unwrap().to_vec();
                code.windows(4).any(|bytes| bytes == 0x1234_5678u32.to_le_bytes())
            };
            assert!(has_number(&[]));
            for kinds in ["blinding", "pooling", "blinding,pooling"] {
                let chosen = ["--diversify", "4", "--diversify-kinds", kinds];
                assert!(!has_number(&chosen), "{target} {level} {kinds}");
                if common::can_run(target) {
                    let output =
                        ice().args(["run", "--target", target, level]).args(chosen).arg(&input).output();
                    assert_eq!(output.unwrap().status.code(), expected, "{target} {level} {kinds}");
                }
            }
        }
    }
}

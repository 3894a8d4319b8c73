//! Branches and return addresses on AArch64, whose processors look at both where all of a program is made for it.

use super::*;

/// `bti c`, `bti j`, `paciasp` and `autiasp` (DDI 0487, C6.2).
const LANDING: u32 = 0xd503_245f;
const LANDING_OF_JUMPS: u32 = 0xd503_249f;
const SIGN: u32 = 0xd503_233f;
const CHECK: u32 = 0xd503_23bf;
const RETURN: u32 = 0xd65f_03c0;

/// The signal for a branch to where none lands.
const SIGILL: i32 = 4;

const PROTECTED: &str = "-mbranch-protection=standard";

fn words(code: &[u8]) -> Vec<u32> {
    code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

/// The first instruction of each function.
fn starts(object: &Path) -> BTreeMap<String, u32> {
    functions(object).into_iter().map(|(name, (code, _))| (name, words(&code)[0])).collect()
}

/// All functions begin as clang's do, those that sign check before they return, and the object says what clang's says.
#[test]
fn functions_land_and_sign_as_those_of_clang() {
    for (name, text) in [("landings.c", LANDINGS), ("pads.cc", PADS)] {
        let Some(source) = Source::new(&AARCH64, name, text) else { return };
        for protection in [
            PROTECTED,
            "-mbranch-protection=bti",
            "-mbranch-protection=pac-ret+leaf",
            "-mbranch-protection=none",
        ] {
            let flags = ["-O0", protection];
            let object = source.clang(&flags, "clang.o");
            let (expected, note) = (starts(&object), property_note(&object));
            let bitcode = source.bitcode(&flags);
            for recipe in LEVELS {
                let object = source.translate(&bitcode, &[recipe]);
                let what = format!("{name} {protection} {recipe}");
                let marked = |starts: &BTreeMap<String, u32>| -> BTreeMap<String, u32> {
                    let is_mark = |&(_, word): &(&String, &u32)| [LANDING, SIGN].contains(word);
                    starts.iter().filter(is_mark).map(|(name, word)| (name.clone(), *word)).collect()
                };
                assert_eq!(marked(&starts(&object)), marked(&expected), "{what}");
                assert_eq!(property_note(&object), note, "{what}");
                for (name, (code, _)) in functions(&object) {
                    let words = words(&code);
                    let returns = words.contains(&RETURN) && words[0] == SIGN;
                    assert_eq!(words.contains(&CHECK), returns, "{what} {name}");
                    assert!(
                        expected[&name] == LANDING
                            || expected[&name] == SIGN
                            || !words.contains(&LANDING_OF_JUMPS)
                    );
                }
            }
        }
    }
}

/// An emulator that looks at branches and return addresses runs the program; without landings it stops it.
#[test]
fn programs_keep_to_what_processors_check() {
    const START: &str = include_str!("branches_start.c");
    let tools = ["aarch64-linux-gnu-gcc", "qemu-aarch64"];
    if !tools.iter().all(|tool| common::has_tool(tool)) {
        return common::skip("branches on AArch64", "no compiler or emulator for it on this machine");
    }
    let (Some(source), Some(start)) = (
        Source::new(&AARCH64, "branches.c", include_str!("branches.c")),
        Source::new(&AARCH64, "branches_start.c", START),
    ) else {
        return;
    };
    let run = |object: &Path, flags: &[&str]| {
        let started = start.clang(&["-O2", "-ffreestanding", "-march=armv8.5-a", PROTECTED], "start.o");
        let program = source.scratch.path("a");
        let mut command = Command::new("aarch64-linux-gnu-gcc");
        command.args(["-nostdlib", "-static"]).args(flags).arg(started).arg(object).arg("-o").arg(&program);
        expect_success(&command.output().expect("the linker starts"), "link");
        let mut command = Command::new("qemu-aarch64");
        command.args(["-cpu", "max"]).arg(program).output().expect("the emulator starts")
    };
    let flags = ["-O2", "-ffreestanding", PROTECTED];
    let expected = run(&source.clang(&flags, "clang.o"), &[]);
    expect_success(&expected, "clang's program");
    assert!(expected.stdout.len() > 20);
    for level in ["-O0", "-O2"] {
        let bitcode = source.bitcode(&[level, "-ffreestanding", PROTECTED]);
        for recipe in LEVELS {
            let output = run(&source.translate(&bitcode, &[recipe]), &[]);
            assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&expected.stdout));
            assert_eq!(output.status, expected.status, "{level} {recipe}");
        }
    }
    let plain = source.translate(&source.bitcode(&["-O2", "-ffreestanding"]), &["-O2"]);
    let stopped = run(&plain, &["-Wl,-z,force-bti"]);
    assert_eq!(stopped.status.signal(), Some(SIGILL), "{stopped:?}");
}

//! What C programs ask for against attacks: the code has it where clang's has it, and it stops overruns.

use crate::common::{self, Scratch, can_run, errors, expect_success, ice};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod demands;
mod probes;
mod targets;
mod types;

/// A target: its name, how clang is told, who links, and who runs programs.
struct Target {
    name: &'static str,
    clang: &'static [&'static str],
    linker: &'static [&'static str],
    emulator: &'static [&'static str],
}

const X86_64: Target = Target {
    name: "x86_64",
    clang: &["--target=x86_64-linux-gnu", "-fPIC"],
    linker: &["gcc", "-pie"],
    emulator: &[],
};
const I686: Target = Target {
    name: "i686",
    clang: &["--target=i686-linux-gnu", "-march=pentium4", "-mfpmath=sse", "-fPIC"],
    linker: &["i686-linux-gnu-gcc", "-static"],
    emulator: &[],
};
const ARMV7: Target = Target {
    name: "armv7",
    clang: &["--target=armv7-linux-gnueabihf", "-marm", "-fPIC"],
    linker: &["arm-linux-gnueabihf-gcc", "-static"],
    emulator: &["qemu-arm"],
};
const MIPSEL: Target = Target {
    name: "mipsel",
    clang: &["--target=mipsel-linux-gnu", "-fPIC"],
    linker: &["mipsel-linux-gnu-gcc", "-static"],
    emulator: &["qemu-mipsel"],
};
const AARCH64: Target = Target {
    name: "aarch64",
    clang: &["--target=aarch64-linux-gnu", "-fPIC"],
    linker: &["aarch64-linux-gnu-gcc", "-static"],
    emulator: &["qemu-aarch64"],
};
const LEVELS: [&str; 2] = ["-Om1", "-O2"];

/// A directory with a source of C, or of C++ if its name says so.
struct Source<'t> {
    target: &'t Target,
    scratch: Scratch,
    path: PathBuf,
}

impl<'t> Source<'t> {
    fn new(target: &'t Target, name: &str, text: &str) -> Option<Source<'t>> {
        if !common::has_tool("clang-19") || !common::has_tool("clang++-19") {
            common::skip("hardening of C programs", "no clang-19 on this machine");
            return None;
        }
        let scratch = Scratch::new();
        let path = scratch.write(name, text);
        Some(Source { target, scratch, path })
    }

    fn clang(&self, flags: &[&str], output: &str) -> PathBuf {
        let output = self.scratch.path(output);
        let mut command = Command::new("clang-19");
        command.args(["-w", "-c"]).args(self.target.clang).args(flags).arg(&self.path).arg("-o").arg(&output);
        expect_success(&command.output().expect("clang starts"), "clang");
        output
    }

    /// The bitcode of clang with these flags.
    fn bitcode(&self, flags: &[&str]) -> PathBuf {
        self.clang(&[flags, &["-emit-llvm"]].concat(), "a.bc")
    }

    /// Translates bitcode, of which nothing is to be said.
    fn translate(&self, bitcode: &Path, arguments: &[&str]) -> PathBuf {
        let object = self.scratch.path("a.o");
        let mut command = ice();
        command.args(["translate", "--target", self.target.name]).args(arguments);
        let output = command.arg(bitcode).arg("-o").arg(&object).output().expect("ice starts");
        expect_success(&output, "ice translate");
        assert_eq!(errors(&output), "");
        object
    }

    fn link(&self, object: &Path) -> PathBuf {
        let program = self.scratch.path("a");
        let [linker, flags @ ..] = self.target.linker else { panic!("no linker") };
        let mut command = Command::new(linker);
        command.args(flags).arg(object).arg("-o").arg(&program).arg("-pthread");
        expect_success(&command.output().expect("the linker starts"), "link");
        program
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Output {
        let mut words = self.target.emulator.iter().map(std::ffi::OsStr::new).chain([program.as_os_str()]);
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words).args(arguments).output().expect("the program starts")
    }
}

/// The bytes of each function, and the names that its relocations refer to.
fn functions(object: &Path) -> BTreeMap<String, (Vec<u8>, BTreeSet<String>)> {
    let bytes = std::fs::read(object).expect("an object");
    let file = object::File::parse(&bytes[..]).expect("an object");
    let mut functions = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
        let section = file.section_by_index(symbol.section_index().expect("defined")).expect("there");
        let range = symbol.address()..symbol.address() + symbol.size();
        let code = section.data_range(range.start, symbol.size()).expect("read").expect("inside").to_vec();
        let names = section.relocations().filter(|(at, _)| range.contains(at));
        let names = names.filter_map(|(_, relocation)| match relocation.target() {
            RelocationTarget::Symbol(index) => {
                Some(file.symbol_by_index(index).ok()?.name().ok()?.to_owned())
            }
            _ => None,
        });
        functions.insert(symbol.name().expect("a name").to_owned(), (code, names.collect()));
    }
    functions
}

fn find(code: &[u8], wanted: &[u8]) -> usize {
    code.windows(wanted.len()).filter(|bytes| *bytes == wanted).count()
}

/// The contents of the note about the code.
fn property_note(object: &Path) -> Option<(Vec<u8>, u64)> {
    let bytes = std::fs::read(object).expect("an object");
    let file = object::File::parse(&bytes[..]).expect("an object");
    let section = file.section_by_name(".note.gnu.property")?;
    Some((section.data().expect("read").to_vec(), section.align()))
}

const LANDINGS: &str = include_str!("landings.c");
const PADS: &str = include_str!("pads.cc");

/// Functions, places behind calls that return twice, and pads: how many landings each function has, of which one is its
/// start or none is.
#[test]
fn branches_land_where_those_of_clang_do() {
    for target in [&X86_64, &I686] {
        let landing: &[u8] =
            if target.name == "i686" { &[0xf3, 0x0f, 0x1e, 0xfb] } else { &[0xf3, 0x0f, 0x1e, 0xfa] };
        for (name, text) in [("landings.c", LANDINGS), ("pads.cc", PADS)] {
            let Some(source) = Source::new(target, name, text) else { return };
            for level in ["-O0", "-O1"] {
                let flags = [level, "-fcf-protection"];
                let landings = |object: &Path| -> BTreeMap<String, (bool, usize)> {
                    let of = |code: &[u8]| (code.starts_with(landing), find(code, landing));
                    functions(object).into_iter().map(|(name, (code, _))| (name, of(&code))).collect()
                };
                let object = source.clang(&flags, "clang.o");
                let (expected, note) = (landings(&object), property_note(&object));
                assert!(expected.values().any(|&(starts, _)| starts), "{name}");
                assert!(expected.values().any(|&(starts, _)| !starts), "{name}");
                let bitcode = source.bitcode(&flags);
                for recipe in LEVELS {
                    let object = source.translate(&bitcode, &[recipe]);
                    assert_eq!(landings(&object), expected, "{} {name} {level} {recipe}", target.name);
                    assert_eq!(property_note(&object), note);
                }
                let plain = source.translate(&source.bitcode(&[level, "-fcf-protection=none"]), &["-O2"]);
                assert!(landings(&plain).values().all(|&(_, count)| count == 0));
                assert_eq!(property_note(&plain), None);
            }
        }
    }
}

/// The flags for branches and for returns are of their own; jumps by tables and calls to anywhere say so.
#[test]
fn what_goes_anywhere_is_not_looked_at() {
    for target in [&X86_64, &I686] {
        let Some(source) = Source::new(target, "landings.c", LANDINGS) else { return };
        for (protection, features) in [("branch", 1), ("return", 2), ("full", 3)] {
            let protection = format!("-fcf-protection={protection}");
            let bitcode = source.bitcode(&["-O0", &protection]);
            for recipe in LEVELS {
                for model in ["static", "pic"] {
                    let object = source.translate(&bitcode, &[recipe, "--relocation-model", model]);
                    let (note, _) = property_note(&object).expect("a note");
                    assert_eq!(note[24], features);
                    let found = functions(&object);
                    let tracks = features & 1 != 0;
                    // jmp and call through a register or memory, behind the prefix.
                    let untracked = |name: &str| {
                        let code = &found[name].0;
                        code.windows(4).any(|bytes| {
                            bytes[0] == 0x3e
                                && (bytes[1] == 0xff || bytes[1] & 0xf0 == 0x40 && bytes[2] == 0xff)
                        })
                    };
                    assert_eq!(untracked("switches"), tracks, "{protection} {recipe} {model}");
                    for name in ["calls_anywhere", "calls_anywhere_with_byte"] {
                        assert_eq!(untracked(name), tracks, "{name} {protection} {recipe} {model}");
                    }
                    assert!(!untracked("calls_by_address") && !untracked("calls_by_name"));
                }
            }
        }
    }
}

/// Programs with both kinds of protection do what clang's do.
#[test]
fn tracked_programs_run_as_those_of_clang() {
    for target in [&X86_64, &I686] {
        if !can_run(target.name) {
            continue;
        }
        let Some(source) = Source::new(target, "landings.c", LANDINGS) else { return };
        for level in ["-O0", "-O2"] {
            let flags = [level, "-fcf-protection", "-fstack-protector-strong"];
            let expected = source.run(&source.link(&source.clang(&flags, "clang.o")), &["4"]);
            expect_success(&expected, "clang");
            assert!(expected.stdout.len() > 40);
            let bitcode = source.bitcode(&flags);
            for recipe in LEVELS {
                let output = source.run(&source.link(&source.translate(&bitcode, &[recipe])), &["4"]);
                assert_eq!(output.stdout, expected.stdout, "{} {level} {recipe}", target.name);
                assert_eq!(output.status, expected.status);
            }
        }
    }
}

const OVERRUNS: &str = include_str!("overruns.c");

/// The functions that guard their frame are LLVM's, for each of the attributes.
#[test]
fn frames_are_guarded_where_those_of_clang_are() {
    for target in [&X86_64, &I686, &ARMV7, &MIPSEL, &AARCH64] {
        let Some(source) = Source::new(target, "overruns.c", OVERRUNS) else { return };
        let mut guarded = BTreeSet::new();
        for level in ["-O0", "-O1"] {
            for protector in ["", "-strong", "-all"] {
                let protector = format!("-fstack-protector{protector}");
                for sizes in [&[][..], &["--param", "ssp-buffer-size=4"]] {
                    let flags = [&[level, &protector][..], sizes].concat();
                    let of = |object: &Path| -> BTreeSet<String> {
                        let fails = functions(object).into_iter();
                        let fails = fails.filter(|(_, (_, names))| names.contains("__stack_chk_fail"));
                        fails.map(|(name, _)| name).collect()
                    };
                    let expected = of(&source.clang(&flags, "clang.o"));
                    let bitcode = source.bitcode(&flags);
                    for recipe in LEVELS {
                        let found = of(&source.translate(&bitcode, &[recipe]));
                        assert_eq!(found, expected, "{} {flags:?} {recipe}", target.name);
                    }
                    guarded.insert(expected);
                }
            }
        }
        // The attributes and sizes differ.
        assert!(guarded.len() >= 4, "{guarded:?}");
    }
}

/// Overruns of each kind of frame end the program before the function returns, and without one the program ends as it
/// should.
#[test]
fn overruns_are_found() {
    for target in [&X86_64, &I686, &ARMV7, &MIPSEL, &AARCH64] {
        if !can_run(target.name) {
            continue;
        }
        let Some(source) = Source::new(target, "overruns.c", OVERRUNS) else { return };
        for level in ["-O0", "-O2"] {
            let bitcode = source.bitcode(&[level, "-fstack-protector-strong"]);
            for recipe in LEVELS {
                for diversity in [&[][..], &["--diversify", "7"]] {
                    let arguments = [&[recipe], diversity].concat();
                    let program = source.link(&source.translate(&bitcode, &arguments));
                    let what = format!("{} {level} {arguments:?}", target.name);
                    for kind in 0..6 {
                        let kind = kind.to_string();
                        let output = source.run(&program, &[&kind, "in range"]);
                        expect_success(&output, &format!("{what} {kind}"));
                        assert_eq!(output.stdout, format!("{kind} in range\n").into_bytes(), "{what}");
                        let output = source.run(&program, &[&kind, &"x".repeat(200)]);
                        let is_aborted =
                            output.status.signal() == Some(6) || output.status.code() == Some(134);
                        assert!(is_aborted, "{what} {kind}: {output:?}");
                        assert!(errors(&output).contains("stack smashing detected"), "{what} {kind}");
                    }
                }
            }
        }
    }
}

/// Where the number is can be said by flags of the module; what a machine cannot do is refused by its name.
#[test]
fn the_place_of_the_number_is_as_flags_say() {
    let text = |target: &Target, flags: &[&str]| -> Result<String, String> {
        let source = Source::new(target, "overruns.c", OVERRUNS).ok_or("no clang")?;
        let bitcode = source.bitcode(&[&["-O1", "-fstack-protector-strong"][..], flags].concat());
        let output = ice().args(["translate", "--emit", "asm", "-o", "-"]).arg(&bitcode).output();
        let output = output.expect("ice starts");
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(errors(&output)),
        }
    };
    if Source::new(&X86_64, "overruns.c", OVERRUNS).is_none() {
        return;
    }
    let has = |target, flags: &[&str], wanted: &str| {
        let text = text(target, flags).expect("is translated");
        assert!(text.contains(wanted), "{flags:?}: no {wanted}");
    };
    has(&X86_64, &[], "%fs:40");
    has(&I686, &[], "%gs:20");
    has(&ARMV7, &[], "__stack_chk_guard");
    has(&MIPSEL, &[], "__stack_chk_guard");
    has(&AARCH64, &[], "__stack_chk_guard");
    has(&X86_64, &["-mstack-protector-guard=global"], "__stack_chk_guard");
    has(&X86_64, &["-mstack-protector-guard-reg=gs", "-mstack-protector-guard-offset=72"], "%gs:72");
    let refused = text(&X86_64, &["-mstack-protector-guard-symbol=elsewhere"]).expect_err("is refused");
    assert!(refused.contains("stack-protector-guard-symbol=elsewhere"), "{refused}");
    let flags = ["-mstack-protector-guard=tls", "-mstack-protector-guard-offset=8", "-march=armv7-a"];
    let refused = text(&ARMV7, &flags).expect_err("is refused");
    assert!(refused.contains("stack-protector-guard=tls on this machine"), "{refused}");
}

/// Each flag of a module may be as large as the file, so that only so many are read.
#[test]
fn too_many_flags_are_an_error() {
    if !common::has_tool("llvm-as-19") {
        return common::skip("modules with many flags", "no llvm-as-19");
    }
    let scratch = Scratch::new();
    for (count, is_right) in [(256, true), (257, false)] {
        let names: Vec<String> = (0..count).map(|i| format!("!{i}")).collect();
        let mut text = format!(
            "target triple = \"x86_64-linux-gnu\"\ndefine void @f() {{ ret void }}\n!llvm.module.flags = !{{{}}}\n",
            names.join(", ")
        );
        for (i, name) in names.iter().enumerate() {
            text.push_str(&format!("{name} = !{{i32 1, !\"flag {i}\", i32 {i}}}\n"));
        }
        let (source, bitcode) = (scratch.write("flags.ll", &text), scratch.path("flags.bc"));
        let output = Command::new("llvm-as-19").arg(&source).arg("-o").arg(&bitcode).output();
        expect_success(&output.expect("llvm-as starts"), "llvm-as");
        let output = ice().arg("translate").arg(&bitcode).arg("-o").arg(scratch.path("flags.o")).output();
        let output = output.expect("ice starts");
        assert_eq!(output.status.success(), is_right, "{count}: {}", errors(&output));
        assert!(is_right || errors(&output).contains("L11"), "{}", errors(&output));
    }
}

//! Objects of real programs: well-formed for other tools, the same for every number of threads, and the
//! same as what assemblers make of `--emit asm`.

use crate::common;

use common::tools::has;
use common::{Scratch, TARGETS, corpus, errors, expect_success, find_tool, has_tool, ice, programs, skip};
use object::{Object, ObjectSection, ObjectSymbol};
use std::path::Path;
use std::process::Command;

/// What an object may leave to the linker, by target.
fn helpers(target: &str) -> &'static [&'static str] {
    match target {
        "x86_64" => &[
            "memcpy",
            "memmove",
            "memset",
            "fmod",
            "fmodf",
            "__popcountdi2",
            "__ice_setjmp",
            "__ice_longjmp",
            "__ice_read_tp",
        ],
        _ => &[
            "memcpy",
            "memmove",
            "memset",
            "fmod",
            "fmodf",
            "__ice_setjmp",
            "__ice_longjmp",
            "__ice_read_tp",
            "__udivdi3",
            "__divdi3",
            "__umoddi3",
            "__moddi3",
            "__popcountsi2",
            "__popcountdi2",
            "__fixdfdi",
            "__fixsfdi",
            "__fixunsdfdi",
            "__fixunssfdi",
            "__floatdidf",
            "__floatdisf",
            "__floatundidf",
            "__floatundisf",
        ],
    }
}

fn translate(target: &str, input: &Path, arguments: &[&str]) -> Vec<u8> {
    let output =
        ice().args(["translate", "--target", target, "-o", "-"]).args(arguments).arg(input).output().unwrap();
    expect_success(&output, &format!("{target} {}", input.display()));
    output.stdout
}

#[test]
fn only_documented_helpers_are_undefined_and_readelf_is_content() {
    let Some(corpus) = corpus() else { return };
    let scratch = Scratch::new();
    let has_readelf = has_tool("readelf");
    if !has_readelf {
        skip("readelf", "not installed");
    }
    for path in programs(&corpus, &["large", "libc"]) {
        for target in TARGETS {
            let bytes = translate(target, &path, &[]);
            let file = object::File::parse(&*bytes).expect("an object file");
            for symbol in file.symbols().filter(|symbol| symbol.is_undefined()) {
                let name = symbol.name().unwrap();
                assert!(
                    name.is_empty() || helpers(target).contains(&name),
                    "{target} {}: {name}",
                    path.display()
                );
            }
            let start =
                file.symbols().find(|symbol| symbol.name() == Ok("pexe_start")).expect("an entry point");
            assert!(start.is_global() && start.is_definition());
            assert_eq!(file.symbols().filter(|s| s.is_global() && s.is_definition()).count(), 1);
            if has_readelf {
                let object = scratch.write("program.o", &bytes);
                let output = Command::new("readelf").args(["-a", "-W"]).arg(object).output().unwrap();
                let said = errors(&output);
                assert!(output.status.success() && said.is_empty(), "{target} {}: {said}", path.display());
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(!text.contains("Warning") && !text.contains("Error:"), "{target} {}", path.display());
            }
        }
    }
}

/// Browser modules cannot run here, but they link: nothing is missing.
#[test]
fn large_programs_link() {
    let Some(corpus) = corpus() else { return };
    let scratch = Scratch::new();
    for path in programs(&corpus, &["large"]) {
        for target in TARGETS {
            if common::can_run(target) {
                let program = scratch.path("program");
                let output = ice()
                    .args(["build", "--target", target])
                    .arg(&path)
                    .arg("-o")
                    .arg(&program)
                    .output()
                    .unwrap();
                expect_success(&output, &format!("{target} {}", path.display()));
            }
        }
    }
}

/// I-DET.
#[test]
fn threads_change_nothing() {
    let Some(corpus) = corpus() else { return };
    for path in programs(&corpus, &["large", "bench"]) {
        let is_largest = path.ends_with("laszip.pexe");
        let counts: &[&str] = if is_largest { &["2", "32"] } else { &["1", "2", "3", "4", "8", "16", "32"] };
        for target in TARGETS {
            let sequential = translate(target, &path, &["--threads", "0"]);
            for &threads in counts {
                let parallel = translate(target, &path, &["--threads", threads]);
                assert!(sequential == parallel, "{target} {} with {threads} threads", path.display());
            }
            assert!(sequential == translate(target, &path, &[]), "{target} {}", path.display());
        }
    }
    let path = corpus.join("large/argon2.pexe");
    for emit in ["asm", "mir", "ir"] {
        let sequential = translate("i686", &path, &["--emit", emit]);
        assert!(sequential == translate("i686", &path, &["--emit", emit, "--threads", "3"]), "{emit}");
    }
    let output = |threads: &str| {
        let arguments = ["translate", "--stats", "--print-after", "lower", "--threads", threads, "-o", "-"];
        errors(&ice().args(arguments).arg(&path).output().unwrap())
    };
    assert_eq!(output("0"), output("4"));
}

/// The first error in the order of the module is reported, whoever meets it.
#[test]
fn threads_report_the_same_error() {
    let Some(corpus) = corpus() else { return };
    let scratch = Scratch::new();
    let mut bytes = std::fs::read(corpus.join("large/webp_encoder.pexe")).unwrap();
    let end = bytes.len() - 8;
    // Damage in one of the last functions, and then in many places of the function bodies.
    for first in [end - end / 50, end / 2] {
        for at in (first..end).step_by(997) {
            bytes[at] ^= 0x5a;
        }
        let damaged = scratch.write("damaged.pexe", &bytes);
        let object = scratch.path("damaged.o");
        let message = |threads: &str| {
            let arguments = ["translate", "-O2", "--threads", threads, "-o"];
            let output = ice().args(arguments).arg(&object).arg(&damaged).output().unwrap();
            assert_eq!(output.status.code(), Some(1));
            assert_eq!(scratch.names(), ["damaged.pexe"], "an output is left");
            errors(&output)
        };
        let expected = message("0");
        for threads in ["1", "2", "4", "4", "4", "8", "32"] {
            assert_eq!(message(threads), expected);
        }
    }
}

/// Links an object alone at fixed addresses, so that every reference inside has its value.
fn link(target: &str, object: &Path, output: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let emulation = if target == "x86_64" { "elf_x86_64" } else { "elf_i386" };
    let mut command = Command::new("ld");
    command.args(["-m", emulation, "-static", "-e", "0", "--no-warn-rwx-segments", "-z", "noexecstack"]);
    command.args(["-Ttext=0x1000000", "-Tdata=0x8000000", "-Tbss=0xc000000"]);
    // No merging of equal constants and strings: it goes by hashes of names of sections.
    command.arg("-O0");
    for (index, helper) in helpers(target).iter().enumerate() {
        command.arg(format!("--defsym={helper}={:#x}", 0x0f00_0000 + 16 * index));
    }
    let result = command.arg(object).arg("-o").arg(output).output().expect("ld starts");
    if !result.status.success() {
        return Err(errors(&result));
    }
    let bytes = std::fs::read(output).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let interesting = |name: &str| [".text", ".rodata", ".data", ".bss"].contains(&name);
    Ok(file
        .sections()
        .filter(|section| section.name().is_ok_and(interesting))
        .map(|section| {
            let mut data = section.data().unwrap().to_vec();
            data.extend_from_slice(&section.size().to_le_bytes());
            data.extend_from_slice(&section.address().to_le_bytes());
            (section.name().unwrap().to_owned(), data)
        })
        .collect())
}

/// The assemblers that can read the text for a target, as command lines without input and output.
fn assemblers(target: &str) -> Vec<Vec<&'static str>> {
    let (triple, width) = match target {
        "x86_64" => ("--triple=x86_64-linux-gnu", "--64"),
        _ => ("--triple=i686-linux-gnu", "--32"),
    };
    let mut list = Vec::new();
    match find_tool(&["llvm-mc-19", "llvm-mc"]) {
        Some(llvm_mc) => list.push(vec![llvm_mc, "-filetype=obj", triple]),
        None => skip("llvm-mc", "not installed"),
    }
    match has_tool("as") {
        true => list.push(vec!["as", width]),
        false => skip("as", "not installed"),
    }
    list
}

/// Sections of the linked program, from our object and from each assembler's.
fn compare_with_assemblers(folders: &[&str], arguments: &[&str]) {
    let Some(corpus) = corpus() else { return };
    if !has_tool("ld") {
        return skip("ld", "not installed");
    }
    let scratch = Scratch::new();
    for path in programs(&corpus, folders) {
        for target in TARGETS {
            let what = format!("{target} {}", path.display());
            let ours = scratch.write("ours.o", translate(target, &path, arguments));
            let ours = link(target, &ours, &scratch.path("ours")).expect(&what);
            let source = scratch
                .write("source.s", translate(target, &path, &[arguments, &["--emit", "asm"]].concat()));
            for assembler in assemblers(target) {
                let object = scratch.path("theirs.o");
                let output = Command::new(assembler[0])
                    .args(&assembler[1..])
                    .arg(&source)
                    .arg("-o")
                    .arg(&object)
                    .output();
                let output = output.unwrap();
                let said: String = errors(&output).chars().take(1000).collect();
                assert!(output.status.success(), "{what}: {assembler:?}: {said}");
                let theirs = link(target, &object, &scratch.path("theirs")).expect(&what);
                assert_eq!(ours.len(), theirs.len(), "{what}: sections");
                for ((name, a), (other, b)) in ours.iter().zip(&theirs) {
                    assert_eq!(name, other);
                    if a != b {
                        let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
                        panic!(
                            "{what}: {assembler:?} differs in {name} at {at:#x} of {} and {}",
                            a.len(),
                            b.len()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn assemblers_make_the_same_of_the_text() {
    compare_with_assemblers(&["bench", "libc"], &[]);
}

#[test]
fn assemblers_make_the_same_of_diverse_text() {
    compare_with_assemblers(&["bench"], &["--diversify", "7", "-O2"]);
}

#[test]
fn assemblers_make_the_same_of_large_text() {
    compare_with_assemblers(&["large"], &[]);
}

/// The contents of `.data` and the offsets of its relocations.
fn data(object: &Path) -> (Vec<u8>, Vec<u64>) {
    let bytes = std::fs::read(object).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let section = file.section_by_name(".data").unwrap();
    let offsets = section.relocations().map(|(offset, _)| offset).collect();
    // The assembler for MIPS fills sections up.
    let mut contents = section.data().unwrap().to_vec();
    contents.resize(contents.len().next_multiple_of(16), 0);
    (contents, offsets)
}

#[test]
fn addresses_in_packed_data_lie_where_they_are_said() {
    let source =
        "extern int g, f(void); struct __attribute__((packed)) { char c; void *p; char d; int (*q)(void); }
        packed = {1, &g, 2, f};";
    for (target, triple, assembler) in [
        ("x86_64", "x86_64-linux-gnu", &["as", "--64"][..]),
        ("i686", "i686-linux-gnu", &["as", "--32"]),
        ("armv7", "armv7-linux-gnueabihf", &["arm-linux-gnueabihf-as"]),
        ("mipsel", "mipsel-linux-gnu", &["mipsel-linux-gnu-as", "-march=mips32r2"]),
        ("aarch64", "aarch64-linux-gnu", &["aarch64-linux-gnu-as"]),
    ] {
        if !has("packed data", &["clang-19", assembler[0]]) {
            continue;
        }
        let scratch = Scratch::new();
        let source = scratch.write("packed.c", source);
        let [bitcode, ours, text, theirs] = ["a.bc", "a.o", "a.s", "b.o"].map(|name| scratch.path(name));
        let mut clang = Command::new("clang-19");
        clang.args(["-c", "-emit-llvm", &format!("--target={triple}")]).arg(&source).arg("-o").arg(&bitcode);
        expect_success(&clang.output().unwrap(), target);
        for (flags, output) in [(&[][..], &ours), (&["--emit", "asm"], &text)] {
            let mut command = ice();
            command.arg("translate").arg(&bitcode).args(flags).arg("-o").arg(output);
            expect_success(&command.output().unwrap(), target);
        }
        let mut command = Command::new(assembler[0]);
        command.args(&assembler[1..]).arg(&text).arg("-o").arg(&theirs);
        expect_success(&command.output().unwrap(), target);
        assert_eq!(data(&ours), data(&theirs), "{target}");
    }
}

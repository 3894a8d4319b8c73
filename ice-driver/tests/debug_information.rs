//! Debug information: what a debugger finds for places of the code, in objects and through an assembler.

use crate::common::tools::has;
use crate::common::{Scratch, expect_success, run_ice};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each function `at_…` is called once where control is on its line, or on that line by each of these inlined calls.
const SOURCE: &str = "\
void at_6(void), at_9(void), at_13(void), at_15(void), at_19(void), at_22(void), at_24(void);
extern int volatile v;

__attribute__((always_inline)) static inline int innermost(int x) {
  int y = x + v;
  if (y) at_6(); else return 3;
  return y; }
__attribute__((always_inline)) static inline int inner(int x) {
  at_9();
  return innermost(x) + 1;
}
static int __attribute__((noinline)) own(int x) {
  at_13();
  for (int i = 0; i < x; i++) {
    at_15();
    v += inner(i);
  }
  if (x == 77)
    at_19();
  return inner(x) * v; }
int main(int argc, char **argv) {
  at_22();
  if (argc > 7) return innermost(own(argc) +
    (at_24(), own(3)));
  return own(argc) & 1;
}
";

/// The lines of the functions that each call is in, from the inside out.
const CHAINS: [(&str, &[&[u32]]); 7] = [
    ("at_6", &[&[6, 10, 16], &[6, 10, 20], &[6, 23]]),
    ("at_9", &[&[9, 16], &[9, 20]]),
    ("at_13", &[&[13]]),
    ("at_15", &[&[15]]),
    ("at_19", &[&[19]]),
    ("at_22", &[&[22]]),
    ("at_24", &[&[24]]),
];

/// The names of functions by their lines.
fn function_of(line: u32) -> &'static str {
    match line {
        0..8 => "innermost",
        8..12 => "inner",
        12..21 => "own",
        _ => "main",
    }
}

/// Position-independent code for MIPS has the address of a callee loaded by any instruction in front, so it is static here:
/// the reference is in the call.
const TARGETS: [(&str, &[&str]); 5] = [
    ("x86_64", &["--target=x86_64-linux-gnu"]),
    ("i686", &["--target=i686-linux-gnu"]),
    ("armv7", &["--target=armv7-linux-gnueabihf"]),
    ("mipsel", &["--target=mipsel-linux-gnu", "-march=mips32r2", "-mfpxx", "-fno-pic"]),
    ("aarch64", &["--target=aarch64-linux-gnu"]),
];

/// What an assembler must be told of a target.
fn assembler_flags(target: &str) -> &'static [&'static str] {
    match target {
        "mipsel" => &["--triple=mipsel-linux-gnu", "--mcpu=mips32r2"],
        "i686" => &["--triple=i686-linux-gnu"],
        "armv7" => &["--triple=armv7-linux-gnueabihf"],
        "aarch64" => &["--triple=aarch64-linux-gnu"],
        _ => &["--triple=x86_64-linux-gnu"],
    }
}

/// The bitcode of [`SOURCE`].
fn bitcode(scratch: &Scratch, flags: &[&str]) -> PathBuf {
    let (source, bitcode) = (scratch.write("places.c", SOURCE), scratch.path("places.bc"));
    let mut clang = Command::new("clang-19");
    clang.args(["-c", "-emit-llvm"]).args(flags).arg(&source).arg("-o").arg(&bitcode);
    expect_success(&clang.output().unwrap(), "clang");
    bitcode
}

fn translate(input: &Path, output: &Path, flags: &[&str]) {
    let mut words = vec!["translate".as_ref(), input.as_os_str(), "-o".as_ref(), output.as_os_str()];
    words.extend(flags.iter().map(std::ffi::OsStr::new));
    expect_success(&run_ice(words), "translate");
}

/// Where each function `at_…` is referred to in the code.
fn references(bytes: &[u8]) -> Vec<(String, u64)> {
    let file = object::File::parse(bytes).unwrap();
    let text = file.section_by_name(".text").unwrap();
    let names = text.relocations().filter_map(|(offset, relocation)| {
        let RelocationTarget::Symbol(symbol) = relocation.target() else { return None };
        let name = file.symbol_by_index(symbol).ok()?.name().ok()?.to_owned();
        name.starts_with("at_").then_some((name, offset))
    });
    names.collect()
}

/// The functions and lines that a place of the code is in, from the inside out.
fn symbolize(object: &Path, offset: u64) -> Vec<(String, u32)> {
    let mut command = Command::new("llvm-symbolizer-19");
    let output = command.arg("--obj").arg(object).arg(format!("{offset:#x}")).output().unwrap();
    expect_success(&output, "llvm-symbolizer");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let frame = |frame: &[&str]| {
        let mut numbers = frame[1].rsplit(':');
        let line = numbers.nth(1).and_then(|line| line.parse().ok());
        assert!(frame[1].contains("places.c:"), "{text}");
        (frame[0].to_owned(), line.unwrap_or_else(|| panic!("{text}")))
    };
    lines.chunks_exact(2).map(frame).collect()
}

/// Has LLVM check the debug information of an object.
fn verify(object: &Path, what: &str) {
    let mut verify = Command::new("llvm-dwarfdump-19");
    expect_success(&verify.arg("--verify").arg(object).output().unwrap(), what);
}

/// The object of a module as text, which need not be well-formed for LLVM; its debug information is.
fn object_of(scratch: &Scratch, text: &str) -> PathBuf {
    let (text, bitcode, object) =
        (scratch.write("module.ll", text), scratch.path("module.bc"), scratch.path("module.o"));
    let mut assemble = Command::new("llvm-as-19");
    assemble.arg("-disable-verify").arg(&text).arg("-o").arg(&bitcode);
    expect_success(&assemble.output().unwrap(), "llvm-as");
    translate(&bitcode, &object, &["-O2"]);
    verify(&object, "verify");
    object
}

/// Checks that an object says the place of each call.
fn check_places(object: &Path, what: &str) {
    let bytes = std::fs::read(object).unwrap();
    verify(object, what);
    let mut found: BTreeMap<String, Vec<Vec<u32>>> = BTreeMap::new();
    for (name, offset) in references(&bytes) {
        let frames = symbolize(object, offset);
        for (function, line) in &frames {
            // LLVM's assembler for MIPS makes symbols of labels, which the symbolizer prefers to what is said here.
            if function.starts_with(".L") {
                continue;
            }
            assert_eq!(function, function_of(*line), "{what}: {name} at {offset:#x}: {frames:?}");
        }
        found.entry(name).or_default().push(frames.into_iter().map(|(_, line)| line).collect());
    }
    for (name, chains) in CHAINS {
        let mut lines = found.remove(name).unwrap_or_default();
        lines.sort();
        lines.dedup();
        assert_eq!(lines, chains, "{what}: {name}");
    }
}

#[test]
fn places_of_calls_and_inlined_functions_are_known() {
    let tools = ["clang-19", "llvm-symbolizer-19", "llvm-dwarfdump-19", "llvm-mc-19"];
    if !has("debug information", &tools) {
        return;
    }
    for (target, flags) in TARGETS {
        for (level, recipe) in [("-O0", "-Om1"), ("-O1", "-O2"), ("-O2", "-Om1")] {
            let scratch = Scratch::new();
            let flags: Vec<&str> = [flags, &["-g", level]].concat();
            let bitcode = bitcode(&scratch, &flags);
            let [object, text, assembled] = ["a.o", "a.s", "b.o"].map(|name| scratch.path(name));
            let model = if target == "mipsel" { "static" } else { "pic" };
            let flags = [recipe, "--relocation-model", model];
            translate(&bitcode, &object, &flags);
            let what = format!("{target} {level} {recipe}");
            check_places(&object, &what);
            translate(&bitcode, &text, &[&flags[..], &["--emit", "asm"]].concat());
            let mut assemble = Command::new("llvm-mc-19");
            assemble.args(assembler_flags(target)).arg("-filetype=obj").arg(&text).arg("-o").arg(&assembled);
            expect_success(&assemble.output().unwrap(), &what);
            let [ours, theirs] = [&object, &assembled].map(|path| std::fs::read(path).unwrap());
            let [ours, theirs] = [&ours, &theirs].map(|bytes| object::File::parse(&**bytes).unwrap());
            for name in [".debug_abbrev", ".debug_info", ".debug_line", ".debug_rnglists"] {
                let data = |file: &object::File<'_>| {
                    let section = file.section_by_name(name).unwrap_or_else(|| panic!("{what}: {name}"));
                    (section.data().unwrap().to_vec(), section.relocations().count())
                };
                assert_eq!(data(&ours), data(&theirs), "{what}: {name}");
            }
            check_places(&assembled, &format!("{what}, assembled"));
        }
    }
}

#[test]
fn code_is_the_same_without_and_so_is_the_object_for_any_threads() {
    if !has("debug information", &["clang-19"]) {
        return;
    }
    for recipe in ["-Om1", "-O2"] {
        let scratch = Scratch::new();
        let [with, stripped, again, plain] = ["a.o", "b.o", "c.o", "d.o"].map(|name| scratch.path(name));
        let source = bitcode(&scratch, &["-g", "-O1"]);
        translate(&source, &with, &[recipe, "--threads", "0"]);
        translate(&source, &again, &[recipe, "--threads", "4"]);
        translate(&source, &stripped, &[recipe, "--strip-debug"]);
        let source = bitcode(&scratch, &["-O1"]);
        translate(&source, &plain, &[recipe]);
        let [with, stripped, again, plain] =
            [&with, &stripped, &again, &plain].map(|path| std::fs::read(path).unwrap());
        assert_eq!(with, again);
        assert_eq!(stripped, plain);
        let code = |bytes: &[u8]| {
            object::File::parse(bytes).unwrap().section_by_name(".text").unwrap().data().unwrap().to_vec()
        };
        assert_eq!(code(&with), code(&plain));
        assert!(with.len() > plain.len() + 500);
    }
}

/// Blocks that are in each other, calls that are inlined into each other, functions without a file.
const CIRCLES: &str = r#"target triple = "x86_64-linux-gnu"
define i32 @f(i32 %x) !dbg !4 {
  %y = add i32 %x, 1, !dbg !7
  %z = mul i32 %y, %x, !dbg !9
  %w = sdiv i32 %z, %y, !dbg !12
  ret i32 %w, !dbg !8
}
define void @g() !dbg !14 {
  ret void, !dbg !15
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "x", emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/d")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!5 = distinct !DILexicalBlock(scope: !6, file: !1, line: 1)
!6 = distinct !DILexicalBlock(scope: !5, file: !1, line: 1)
!7 = !DILocation(line: 2, column: 1, scope: !5)
!8 = !DILocation(line: 5, column: 1, scope: !4)
!9 = !DILocation(line: 3, column: 1, scope: !4, inlinedAt: !10)
!10 = distinct !DILocation(line: 4, column: 1, scope: !4, inlinedAt: !11)
!11 = distinct !DILocation(line: 4, column: 2, scope: !4, inlinedAt: !10)
!12 = !DILocation(line: 7, column: 1, scope: !5, inlinedAt: !13)
!13 = distinct !DILocation(line: 8, column: 1, scope: !4)
!14 = distinct !DISubprogram(name: "g", linkageName: "_Zg", scope: null, line: 0, type: !3, spFlags: DISPFlagDefinition | DISPFlagLocalToUnit, unit: !0)
!15 = !DILocation(line: 0, scope: !14)
"#;

#[test]
fn what_goes_in_circles_is_of_the_function_itself() {
    if !has("debug information", &["llvm-as-19", "llvm-dwarfdump-19"]) {
        return;
    }
    let scratch = Scratch::new();
    let object = object_of(&scratch, CIRCLES);
    let mut dump = Command::new("llvm-dwarfdump-19");
    let lines = dump.arg("--debug-line").arg(&object).output().unwrap();
    let lines = String::from_utf8(lines.stdout).unwrap();
    let rows =
        lines.lines().filter(|line| line.starts_with("0x")).filter_map(|line| line.split_whitespace().nth(1));
    assert_eq!(rows.collect::<Vec<_>>(), ["1", "2", "3", "7", "5", "5", "0", "0"], "{lines}");
}

/// A function with many places in calls and blocks that are each in the next one, all the way around.
fn rings() -> String {
    const NODES: u32 = 1500;
    const PLACES: u32 = 20_000;
    let mut text = String::from("target triple = \"x86_64-linux-gnu\"\ndefine void @f(ptr %p) !dbg !4 {\n");
    for place in 0..PLACES {
        writeln!(text, "  store volatile i32 1, ptr %p, !dbg !{}", 100_000 + place).unwrap();
    }
    text.push_str("  ret void\n}\n");
    text.push_str(&CIRCLES[CIRCLES.find("!llvm.dbg.cu").unwrap()..CIRCLES.find("!5 =").unwrap()]);
    for node in 0..NODES {
        let next = (node + 1) % NODES;
        writeln!(text, "!{} = distinct !DILexicalBlock(scope: !{}, file: !1, line: 1)", 10 + node, 10 + next)
            .unwrap();
        let (call, outer, scope) = (20_000 + node, 20_000 + next, 10 + node);
        writeln!(text, "!{call} = distinct !DILocation(line: 1, scope: !{scope}, inlinedAt: !{outer})")
            .unwrap();
    }
    for place in 0..PLACES {
        let (scope, call) = (10 + place * 7 % NODES, 20_000 + place * 11 % NODES);
        let number = 100_000 + place;
        writeln!(text, "!{number} = !DILocation(line: {place}, scope: !{scope}, inlinedAt: !{call})")
            .unwrap();
    }
    text
}

#[test]
fn rings_of_calls_are_not_followed_for_each_place() {
    if !has("debug information", &["llvm-as-19", "llvm-dwarfdump-19"]) {
        return;
    }
    // Followed for each place they would take minutes.
    object_of(&Scratch::new(), &rings());
}

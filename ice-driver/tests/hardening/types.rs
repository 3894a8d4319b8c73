//! Calls that look whether they lead to functions of their type: the words are clang's, so that objects of both go together.

use super::{AARCH64, ARMV7, I686, LEVELS, MIPSEL, Source, X86_64};
use crate::common::{can_run, errors, expect_success, ice};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

const TYPES: &str = include_str!("types.c");

/// The four bytes before each function.
fn words(object: &Path) -> BTreeMap<String, Option<[u8; 4]>> {
    let bytes = std::fs::read(object).expect("an object");
    let file = object::File::parse(&bytes[..]).expect("an object");
    let symbols = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let words = symbols.map(|symbol| {
        let section = file.section_by_index(symbol.section_index().expect("defined")).expect("there");
        let before = symbol.address().checked_sub(4);
        let word = before.and_then(|at| section.data_range(at, 4).expect("read"));
        (symbol.name().expect("a name").to_owned(), word.map(|word| word.try_into().expect("four bytes")))
    });
    // Clang has symbols for the words, and none of a function whose address goes nowhere.
    words.filter(|(name, _)| !name.starts_with("__cfi_") && name != "never_taken").collect()
}

/// How many traps the sections of traps tell of, each of which is one.
fn traps(object: &Path) -> usize {
    let bytes = std::fs::read(object).expect("an object");
    let file = object::File::parse(&bytes[..]).expect("an object");
    let mut count = 0;
    for section in file.sections().filter(|section| section.name() == Ok(".kcfi_traps")) {
        let relocations: Vec<_> = section.relocations().collect();
        assert_eq!(section.size(), 4 * relocations.len() as u64);
        for (_, relocation) in &relocations {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("{relocation:?}") };
            let symbol = file.symbol_by_index(symbol).expect("a symbol");
            let code = file.section_by_index(symbol.section_index().expect("defined")).expect("there");
            let at = symbol.address().wrapping_add_signed(relocation.addend());
            assert_eq!(code.data_range(at, 2).expect("read"), Some(&[0x0f, 0x0b][..]), "ud2");
        }
        count += relocations.len();
    }
    count
}

/// The words are those of clang, for each function that has one; programs whose types are right do what clang's do, and others
/// end at the wrong call.
#[test]
fn calls_lead_to_functions_of_their_type() {
    for target in [&X86_64, &I686, &ARMV7, &MIPSEL, &AARCH64] {
        let Some(source) = Source::new(target, "types.c", TYPES) else { return };
        for level in ["-O0", "-O2"] {
            let flags = [level, "-fsanitize=kcfi"];
            let expected = source.clang(&flags, "clang.o");
            let bitcode = source.bitcode(&flags);
            for recipe in LEVELS {
                let object = source.translate(&bitcode, &[recipe]);
                let what = format!("{} {level} {recipe}", target.name);
                let (found, wanted) = (words(&object), words(&expected));
                assert!(wanted.len() > 6, "{what}");
                assert_eq!(found, wanted, "{what}");
                if target.name == "x86_64" {
                    assert_eq!(traps(&object), traps(&expected), "{what}");
                    assert!(traps(&object) > 5, "{what}");
                }
                if !can_run(target.name) {
                    continue;
                }
                let clang = source.run(&source.link(&expected), &["7"]);
                expect_success(&clang, "clang");
                let program = source.link(&object);
                let output = source.run(&program, &["7"]);
                expect_success(&output, &what);
                assert_eq!(output.stdout, clang.stdout, "{what}");
                for wrong in ["one", "two", "doubles", "inside"] {
                    let output = source.run(&program, &["7", wrong]);
                    // SIGILL or SIGTRAP, also as emulators tell it.
                    let signal = output.status.signal().or(output.status.code().map(|code| code - 128));
                    assert!(matches!(signal, Some(4 | 5)), "{what} {wrong}: {output:?}");
                    assert_eq!(output.stdout, clang.stdout, "{what} {wrong}");
                }
            }
        }
    }
}

/// Assemblers make of the text what the object says; what moves the words is refused by its name.
#[test]
fn words_are_the_same_as_text_and_their_offset_is_refused() {
    let Some(source) = Source::new(&X86_64, "types.c", TYPES) else { return };
    let flags = ["-O1", "-fsanitize=kcfi", "-ffunction-sections"];
    let bitcode = source.bitcode(&flags);
    for sections in [&[][..], &["--function-sections"]] {
        let object = source.translate(&bitcode, sections);
        let (expected, count) = (words(&object), traps(&object));
        let text = source.scratch.path("a.s");
        let mut command = ice();
        command.args(["translate", "--emit", "asm"]).args(sections).arg(&bitcode).arg("-o").arg(&text);
        expect_success(&command.output().expect("ice starts"), "ice");
        let assembled = source.scratch.path("b.o");
        let output = std::process::Command::new("as").arg(&text).arg("-o").arg(&assembled).output();
        expect_success(&output.expect("as starts"), "as");
        assert_eq!(words(&assembled), expected);
        assert!(count > 5);
        assert_eq!(traps(&assembled), count);
    }
    let offset = source.bitcode(&["-O1", "-fsanitize=kcfi", "-fpatchable-function-entry=4,4"]);
    let output = ice().arg("translate").arg(&offset).arg("-o").arg("-").output().expect("ice starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("kcfi-offset"), "{}", errors(&output));
}

const SIGNATURES: &str = "
typedef int (*of_int)(int);
typedef int (*of_two)(void *, long);
__attribute__((noinline)) static int own(int x) { return x + 1; }
int two(void *p, long n) { return p != 0 && n > 2; }
void *table[2] = {own, two};
int main(int count, char **words) {
  int sum = ((of_int)table[0])(count) + ((of_two)table[1])(words, count);
  return ((of_int)table[count > 1])(count) + sum;
}
";

/// Code of UBSan looks at two words in front of functions: there are those that clang writes, and a call of a function of another
/// type ends the program.
#[test]
fn sanitizers_find_the_types_of_functions() {
    for target in [&X86_64, &I686, &ARMV7] {
        let Some(source) = Source::new(target, "signatures.c", SIGNATURES) else { return };
        for level in ["-O0", "-O2"] {
            let flags = [level, "-fsanitize=function", "-fsanitize-trap=function"];
            let expected = words(&source.clang(&flags, "clang.o"));
            assert!(expected["own"].is_some() && expected["own"] != expected["two"], "{expected:?}");
            let bitcode = source.bitcode(&flags);
            for recipe in LEVELS {
                let object = source.translate(&bitcode, &[recipe]);
                let what = format!("{} {level} {recipe}", target.name);
                let found = words(&object);
                for name in ["own", "two", "main"] {
                    assert_eq!(found[name], expected[name], "{name}, {what}");
                }
                if can_run(target.name) {
                    let program = source.link(&object);
                    assert_eq!(source.run(&program, &[]).status.code(), Some(2 + 2), "{what}");
                    let wrong = source.run(&program, &["word"]).status;
                    assert!(wrong.signal().is_some() || wrong.code() > Some(128), "{wrong:?}, {what}");
                }
            }
        }
    }
}

//! Damaged LLVM bitcode: accepted or refused with a place, without a panic, without a hang and without much memory.
//!
//! Modules of two versions of clang are damaged in three ways: cut off at every length, with single bytes and bits
//! changed, and by records, which reaches what checks of the container hide: operands, codes, records and blocks are
//! changed, left out, repeated and exchanged, and the file is written again. The damage is chosen by a generator with a
//! fixed seed; `ICE_FUZZ_COUNT` sets the number of changes of a module and way (40).

mod common;
#[path = "common/damage.rs"]
mod damage;

use damage::{Random, alone, change_count, try_translate};
use ice_bitcode::bitstream::{Abbrev, Dialect, Element, Entry, Op, Reader, Record, Writer};
use ice_driver::{Arch, InputFormat, OptLevel, Options};
use std::path::Path;
use std::process::Command;

/// A module, what it is, and the machine that it is for.
struct Module {
    name: String,
    arch: Arch,
    bytes: Vec<u8>,
}

/// `damage.c` for both machines, as each clang that is there makes it, not optimised and with vectors, and `damage.cc`.
fn modules() -> Vec<Module> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/damage/damage.c");
    let mut modules = Vec::new();
    for clang in ["clang-19", "clang-22"] {
        if !common::has_tool(clang) {
            common::skip("damaged LLVM bitcode", &format!("no {clang} on this machine"));
            continue;
        }
        for (arch, target) in [(Arch::X86_64, "x86_64-linux-gnu"), (Arch::X86_32, "i686-linux-gnu")] {
            for level in ["-O0", "-O2", "-gline-tables-only"] {
                let flags =
                    ["-march=x86-64", "-mfpmath=sse", "-msse2", "-w", "-c", "-emit-llvm", "-o", "-", level];
                let mut command = Command::new(clang);
                let output = command.arg(format!("--target={target}")).args(flags).arg(&source).output();
                let output = output.expect("clang starts");
                common::expect_success(&output, clang);
                let name = format!("{clang} {target} {level}");
                modules.push(Module { name, arch, bytes: output.stdout });
            }
        }
    }
    modules.extend(module_with_exceptions());
    modules
}

/// `damage.cc`, which has handlers.
fn module_with_exceptions() -> Option<Module> {
    let clang = "clang++-19";
    if !common::has_tool(clang) {
        common::skip("damaged LLVM bitcode with exceptions", &format!("no {clang} on this machine"));
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/damage/damage.cc");
    let flags = ["--target=x86_64-linux-gnu", "-std=c++14", "-O1", "-w", "-c", "-emit-llvm", "-o", "-"];
    let output = Command::new(clang).args(flags).arg(&source).output().expect("clang starts");
    common::expect_success(&output, clang);
    Some(Module { name: format!("{clang}, exceptions"), arch: Arch::X86_64, bytes: output.stdout })
}

/// Both recipes in turn.
fn options(arch: Arch, number: usize) -> Options {
    let level = if number.is_multiple_of(2) { OptLevel::Om1 } else { OptLevel::O2 };
    Options { level, format: InputFormat::Llvm, ..Options::new(arch) }
}

fn check(module: &Module, number: usize, bytes: &[u8], what: &str) -> Result<(), String> {
    let what = || format!("{}, change {number}: {what}", module.name);
    try_translate(bytes, &options(module.arch, number), &what)
}

#[test]
fn bytes_and_bits() {
    for module in modules() {
        let _guard = alone();
        let mut bytes = module.bytes.clone();
        for recipe in 0..2 {
            assert_eq!(check(&module, recipe, &bytes, "none"), Ok(()), "{}", module.name);
        }
        let mut random = Random::new(bytes.len() as u64);
        let (count, mut accepted) = (change_count(40), 0);
        for number in 0..count {
            let at = random.below(bytes.len());
            let old = bytes[at];
            bytes[at] = if random.below(2) == 0 { random.next() as u8 } else { old ^ 1 << random.below(8) };
            let what = format!("byte {at} from {old:#x} to {:#x}", bytes[at]);
            accepted += usize::from(check(&module, number, &bytes, &what).is_ok());
            bytes[at] = old;
        }
        println!("{}: {accepted} of {count} modules with a changed byte accepted", module.name);
    }
}

#[test]
fn prefixes() {
    for module in modules() {
        let _guard = alone();
        // All of them with `ICE_FUZZ_COUNT`; else a part.
        let step = if std::env::var_os("ICE_FUZZ_COUNT").is_some() { 1 } else { 401 };
        for length in (0..module.bytes.len()).step_by(step) {
            let result = check(&module, length, &module.bytes[..length], "a prefix");
            assert!(result.is_err(), "{}: a prefix of {length} bytes is accepted", module.name);
        }
    }
}

/// An entry of a bitstream, without its abbreviation.
#[derive(Clone, Debug)]
enum Item {
    Enter(u32),
    End,
    Record(u32, Vec<u64>),
    Blob(u32, Vec<u8>),
}

const BLOCKINFO: u32 = 0;
const METADATA: u32 = 15;
const SYMTAB: u32 = 25;
const FUNCTION: u32 = 12;
/// The code of a record in a function.
const SWITCH: u32 = 12;

/// The entries of a module but those that only abbreviate, and metadata and the linker's table, which nobody reads.
fn items(file: &[u8]) -> Vec<Item> {
    let mut reader = Reader::new(&file[4..], 4, Dialect::Llvm);
    let (mut record, mut items) = (Record::default(), Vec::new());
    while !(reader.block().is_none() && reader.is_at_end()) {
        match reader.next(&mut record).expect("well-formed") {
            Entry::DefineAbbrev => {}
            Entry::EndBlock => items.push(Item::End),
            // BLOCKINFO is read through for its abbreviations.
            Entry::Block(block) if ![METADATA, SYMTAB].contains(&block.id) => {
                reader.enter(&block);
                items.push(Item::Enter(block.id));
            }
            Entry::Block(_) => {}
            Entry::Record => items.push(match record.blob.take() {
                Some(range) => Item::Blob(record.code, file[4..][range].to_vec()),
                None => Item::Record(record.code, record.ops.to_vec()),
            }),
        }
    }
    while let Some(at) = items.iter().position(|item| matches!(item, Item::Enter(BLOCKINFO))) {
        let end = end_of(&items, at);
        items.drain(at..end);
    }
    items
}

/// The end of what begins at `at`: behind the entry, or behind the block.
fn end_of(items: &[Item], at: usize) -> usize {
    let (mut depth, mut end) = (0, at);
    loop {
        match items.get(end) {
            Some(Item::Enter(_)) => depth += 1,
            Some(Item::End) => depth -= 1,
            Some(_) => {}
            None => return end,
        }
        end += 1;
        if depth <= 0 {
            return end;
        }
    }
}

/// The file of these entries, without abbreviations but for blobs.
fn file_of(items: &[Item]) -> Vec<u8> {
    let mut writer = Writer::new(b"BC\xc0\xde");
    let (mut depth, mut abbreviations) = (0, Vec::new());
    for item in items {
        match item {
            Item::Enter(id) => {
                writer.enter(*id, 4);
                depth += 1;
                abbreviations.push(0);
            }
            Item::End if depth > 0 => {
                writer.end();
                depth -= 1;
                abbreviations.pop();
            }
            Item::Record(code, ops) if depth > 0 => writer.record(*code, ops),
            Item::Blob(code, bytes) if depth > 0 && abbreviations.last() < Some(&8) => {
                let abbreviation =
                    Abbrev::new(&[Op::Literal(u64::from(*code))], Element::Blob).expect("legal");
                writer.define(&abbreviation);
                let count = abbreviations.last_mut().expect("a block is open");
                *count += 1;
                writer.blob(3 + *count, *code, &[], bytes).expect("fits");
            }
            // The top level has only blocks.
            _ => {}
        }
    }
    writer.finish()
}

/// A number that is likely to be a limit of something.
fn operand(random: &mut Random, old: u64, most: u64) -> u64 {
    match random.below(9) {
        0 => 0,
        1 => 1,
        2 => old.wrapping_add(1),
        3 => old.wrapping_sub(1),
        4 => old ^ 1 << random.below(64),
        5 => u64::MAX >> random.below(64),
        6 => 1 << random.below(64),
        _ => random.next() % most,
    }
}

/// Changes an entry at random and says how.
fn change(items: &mut Vec<Item>, random: &mut Random) -> String {
    let at = random.below(items.len());
    let end = end_of(items, at);
    let old = items[at].clone();
    let what = match (random.below(8), &mut items[at]) {
        (0..=3, Item::Record(_, ops)) if !ops.is_empty() => {
            let which = random.below(ops.len());
            ops[which] = operand(random, ops[which], 200);
            "operand changed"
        }
        (4, Item::Record(_, ops)) => {
            ops.truncate(random.below(ops.len() + 1));
            "operands cut off"
        }
        (5, Item::Record(_, ops)) => {
            let which = random.below(ops.len() + 1);
            ops.insert(which, operand(random, 7, 200));
            "operand added"
        }
        (6, Item::Record(code, _)) => {
            *code = random.below(70) as u32;
            "another code"
        }
        (7, Item::Enter(id)) => {
            *id = random.below(27) as u32;
            "another block"
        }
        (0..=2, _) => {
            let copy: Vec<Item> = items[at..end].to_vec();
            items.splice(at..at, copy);
            "repeated"
        }
        (3, _) => {
            let other = random.below(items.len());
            items.swap(at, other);
            "exchanged with another"
        }
        _ => {
            items.drain(at..end);
            "left out"
        }
    };
    format!("entry {at}, {old:?}: {what}")
}

#[test]
fn records() {
    for module in modules() {
        let _guard = alone();
        let original = items(&module.bytes);
        assert_eq!(check(&module, 0, &file_of(&original), "written again"), Ok(()), "{}", module.name);
        let mut random = Random::new(original.len() as u64);
        let (count, mut accepted) = (change_count(40), 0);
        for number in 0..count {
            let mut items = original.clone();
            let mut what = String::new();
            for _ in 0..=random.below(8) / 6 {
                what = what + &change(&mut items, &mut random) + "; ";
            }
            accepted += usize::from(check(&module, number, &file_of(&items), &what).is_ok());
        }
        println!("{}: {accepted} of {count} modules with changed records accepted", module.name);
    }
}

/// A case is a number of the type that is switched over; with another one's, two cases might be the same.
#[test]
fn a_case_of_another_type_is_refused() {
    let clang = "clang-19";
    if !common::has_tool(clang) {
        return common::skip("a case of another type", &format!("no {clang} on this machine"));
    }
    let scratch = common::Scratch::new();
    let source = "int f(int a, long long b) { switch (a) { case 1: return 5; case 70: return 6; }\n\
                  switch (b) { case 3: return 7; case 90: return 8; } return 9; }";
    let file = scratch.write("switches.c", source);
    let flags = ["--target=x86_64-linux-gnu", "-c", "-emit-llvm", "-o", "-"];
    let output = Command::new(clang).args(flags).arg(file).output().expect("clang starts");
    common::expect_success(&output, clang);
    let mut items = items(&output.stdout);
    let body = items.iter().position(|item| matches!(item, Item::Enter(FUNCTION))).expect("one is defined");
    let is_switch = |&at: &usize| at > body && matches!(items[at], Item::Record(SWITCH, _));
    let switches: Vec<usize> = (0..items.len()).filter(is_switch).collect();
    let &[first, second] = &switches[..] else { panic!("{switches:?}") };
    let Item::Record(_, ops) = &items[first] else { unreachable!() };
    // The type, the value, the default and the first case.
    let case = ops[3];
    let Item::Record(_, ops) = &mut items[second] else { unreachable!() };
    let own = std::mem::replace(&mut ops[3], case);
    let _guard = alone();
    let module = Module { name: String::from("switches"), arch: Arch::X86_64, bytes: Vec::new() };
    let refused = check(&module, 0, &file_of(&items), "a case of the other switch").unwrap_err();
    assert!(refused.contains("I18"), "{refused}");
    let Item::Record(_, ops) = &mut items[second] else { unreachable!() };
    ops[3] = own;
    assert_eq!(check(&module, 0, &file_of(&items), "its own case"), Ok(()));
}

//! Code that is linked for a process of another machine, which runs it: results against the interpreter.
//!
//! The process is a static program at fixed addresses, which says once where its functions are. Programs are linked with
//! them at two places: near, where calls reach, and far, where they go through veneers.

#[path = "../../tests/common/tools.rs"]
mod tools;

use super::*;
use crate::machine::JitMachine;
use crate::object::undecorated;
use ice_driver::{Arch, CodeOptions, Compiler, OptLevel, Options, Recipe};
use ice_interpreter::Interpreter;
use ice_ir::generate::{self, Entry, UndefinedResults, generate_program};
use ice_ir::{Program, Symbol};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the areas of a program are, one program behind another.
const PLACES: [u64; 2] = [0x0100_0000, 0x3000_0000];

/// What is between the areas of a program.
const STRIDE: u64 = 0x10_0000;

/// A machine whose processes this one can run.
struct Target {
    arch: Arch,
    compiler: &'static [&'static str],
    emulator: &'static [&'static str],
}

const TARGETS: [Target; 2] = [
    Target { arch: Arch::X86_32, compiler: &["i686-linux-gnu-gcc", "-msse2", "-mfpmath=sse"], emulator: &[] },
    Target { arch: Arch::Arm32, compiler: &["arm-linux-gnueabihf-gcc"], emulator: &["qemu-arm"] },
];

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ice-jit-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("there is a place for files");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn programs() -> impl Iterator<Item = Program> {
    (100..112).map(|seed| {
        let options = generate::Options {
            functions: 1 + (seed % 7) as u32,
            statements: 5 + (seed % 60) as u32,
            entry: Entry::Functions,
            undefined: UndefinedResults::Avoid,
        };
        generate_program(seed, &options)
    })
}

fn object<'p>(program: &'p Program, arch: Arch, recipe: Recipe) -> Object<'p> {
    let machine = JitMachine::of(arch).expect("the machine is known");
    let level = if recipe == Recipe::O2 { OptLevel::O2 } else { OptLevel::Om1 };
    let options = Options { level, relocation: machine.relocation, ..Options::new(arch) };
    let mut object = Object::new(&program.module, &options, 1 << 30).expect("the program is valid");
    let code = CodeOptions { relocation: machine.relocation, ..CodeOptions::new(arch, recipe) };
    let mut compiler = Compiler::new(&program.module, code).expect("the machine is built in");
    for body in &program.bodies {
        let compiled = compiler.compile(&program.module, body).expect("the program is valid");
        object.add_function(body.id, compiled.parts()).expect("the program is small");
    }
    object.finish();
    object
}

/// The output of a program that must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it writes text")
}

impl Target {
    /// Makes the process that runs the code, with the functions of these names.
    fn make_loader(&self, folder: &Path, names: &[String]) -> PathBuf {
        let (root, loader) = (Path::new(env!("CARGO_MANIFEST_DIR")), folder.join("loader"));
        let lines: String = names.iter().map(|name| format!("SYMBOL({name})\n")).collect();
        std::fs::write(folder.join("symbols.h"), lines).expect("there is room");
        let runtime = root.join("../ice-driver/runtime");
        let assembly = if self.arch == Arch::Arm32 { "arm.S" } else { "i386.S" };
        let mut command = Command::new(self.compiler[0]);
        command
            .args(&self.compiler[1..])
            .args(["-O1", "-w", "-static", "-no-pie", "-fno-pie", "-o"])
            .arg(&loader);
        command.arg("-I").arg(folder).arg(root.join("tests/loader.c"));
        command.args(["abi.c", assembly].map(|name| runtime.join(name))).arg("-lm");
        output(&mut command);
        loader
    }

    fn run(&self, loader: &Path) -> Command {
        let mut words = self.emulator.iter().map(Path::new).chain([loader]);
        let mut command = Command::new(words.next().expect("the loader is one"));
        command.args(words);
        command
    }
}

/// Links an object at a place; gives the image and the address of its checksum.
fn image(object: &mut Object<'_>, arch: Arch, base: u64, imports: &[u64]) -> (Vec<u8>, u64) {
    let veneer = JitMachine::of(arch).and_then(|machine| machine.veneer.as_ref());
    let addresses = [0, 1, 2, 3].map(|area| base + area * STRIDE);
    let room = room(object, veneer);
    let mut filled: Vec<Vec<u8>> = link(object, addresses, imports, veneer).expect("all is in reach").into();
    filled.push(vec![0; room[Area::Zeros as usize].0 as usize]);
    let mut image = 4u32.to_le_bytes().to_vec();
    for ((bytes, address), protection) in filled.iter().zip(addresses).zip([5, 1, 3, 3]) {
        assert!((bytes.len() as u64) < STRIDE);
        for word in [address as u32, bytes.len() as u32, protection] {
            image.extend(word.to_le_bytes());
        }
        image.extend(bytes);
    }
    let mut definitions = object.definitions();
    let checksum = definitions.find(|&(symbol, ..)| {
        matches!(symbol, Symbol::Function(_)) && undecorated(object.module.symbol_name(symbol)) == b"checksum"
    });
    let (_, place, _) = checksum.expect("it is generated");
    (image, addresses[place.area as usize] + place.offset)
}

fn check(target: &Target) {
    let folder = Folder::new(target.arch.name());
    let programs: Vec<Program> = programs().collect();
    let recipes = [Recipe::Om1, Recipe::O2];
    let objects =
        || programs.iter().flat_map(|program| recipes.map(|recipe| object(program, target.arch, recipe)));
    let imported = objects().flat_map(|object| object.imports);
    let mut names: Vec<_> =
        imported.map(|import| String::from_utf8(import.name).expect("a name of C")).collect();
    names.sort();
    names.dedup();
    assert!(names.len() > 5, "{names:?}");
    let loader = target.make_loader(&folder.0, &names);
    let text = output(target.run(&loader).arg("symbols"));
    let symbols: BTreeMap<&str, u64> = text
        .lines()
        .filter_map(|line| {
            line.split_once(' ').and_then(|(name, address)| Some((name, address.parse().ok()?)))
        })
        .collect();
    let address = |import: &crate::object::Import| {
        let name = std::str::from_utf8(&import.name).expect("a name of C");
        *symbols.get(name).unwrap_or_else(|| panic!("{name} is not there"))
    };
    for (number, mut object) in objects().enumerate() {
        let program = &programs[number / recipes.len()];
        let id = program.module.function_by_name(b"checksum").expect("it is generated");
        let outcome = Interpreter::new(program).and_then(|mut interpreter| interpreter.call(id, &[]));
        let expected = outcome.expect("the program does not trap").value.expect("a checksum").bits;
        let imports: Vec<u64> = object.imports.iter().map(address).collect();
        let bytes = object.filled.each_ref().map(|area| area.bytes.clone());
        for place in PLACES {
            for (area, bytes) in object.filled.iter_mut().zip(&bytes) {
                area.bytes.clone_from(bytes);
            }
            let (image, checksum) = image(&mut object, target.arch, place, &imports);
            let file = folder.0.join("image");
            std::fs::write(&file, image).expect("there is room");
            let mut command = target.run(&loader);
            command.arg("call").arg(&file).arg(checksum.to_string());
            assert_eq!(
                output(&mut command).trim(),
                format!("{expected:016x}"),
                "program {number} at {place:#x}"
            );
        }
    }
}

#[test]
fn processes_of_i686_run_what_is_linked_for_them() {
    let [target, _] = &TARGETS;
    if tools::has("code linked for i686", &["i686-linux-gnu-gcc"]) {
        check(target);
    }
}

#[test]
fn processes_of_armv7_run_what_is_linked_for_them() {
    let [_, target] = &TARGETS;
    if tools::has("code linked for armv7", &["arm-linux-gnueabihf-gcc", "qemu-arm"]) {
        check(target);
    }
}

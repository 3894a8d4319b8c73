//! Code that is linked for a process of another machine, which runs it: results against the interpreter.
//!
//! The process is a static program at fixed addresses, which says once where its functions are. Programs are linked with
//! them at two places: near, where calls reach, and far, where they go through veneers.

#[path = "../../tests/common/tools.rs"]
mod tools;

use super::*;
use crate::lazy::view;
use crate::machine::JitMachine;
use crate::object::Outer;
use crate::thunks::Resolver;
use ice_driver::{Arch, CodeOptions, Compiler, OptLevel, Options, Recipe};
use ice_interpreter::Interpreter;
use ice_ir::generate::{self, Entry, UndefinedResults, generate_program};
use ice_ir::{FuncId, Function, Program, Symbol};
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

const TARGETS: [Target; 3] = [
    Target { arch: Arch::X86_32, compiler: &["i686-linux-gnu-gcc", "-msse2", "-mfpmath=sse"], emulator: &[] },
    Target { arch: Arch::Aarch64, compiler: &["aarch64-linux-gnu-gcc"], emulator: &["qemu-aarch64"] },
    Target {
        arch: Arch::Arm32,
        compiler: &["arm-linux-gnueabihf-gcc", "-mfpu=neon"],
        emulator: &["qemu-arm"],
    },
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
            return_calls: generate::ReturnCalls::Allow,
        };
        generate_program(seed, &options)
    })
}

/// How code is made for a machine.
fn options(arch: Arch, recipe: Recipe) -> Options {
    let relocation = JitMachine::of(arch).expect("the machine is known").relocation;
    let level = if recipe == Recipe::O2 { OptLevel::O2 } else { OptLevel::Om1 };
    Options { level, relocation, ..Options::new(arch) }
}

/// Compiles functions of an object's module into it.
fn compile(object: &mut Object<'_>, bodies: &[Function], options: &Options) {
    let code = CodeOptions {
        relocation: options.relocation,
        ..CodeOptions::new(options.arch, options.level.recipe())
    };
    let mut compiler = Compiler::new(object.module, code).expect("the machine is built in");
    for body in bodies {
        let compiled = compiler.compile(object.module, body).expect("the program is valid");
        object.add_function(body.id, compiled.parts()).expect("the program is small");
    }
    object.finish().expect("distances have 32 bits");
}

fn object<'p>(program: &'p Program, options: &Options) -> Object<'p> {
    let mut object = Object::new(&program.module, options, 1 << 30).expect("the program is valid");
    compile(&mut object, &program.bodies, options);
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
        let assembly = match self.arch {
            Arch::Aarch64 => "aarch64.S",
            Arch::Arm32 => "arm.S",
            _ => "i386.S",
        };
        let mut command = Command::new(self.compiler[0]);
        command
            .args(&self.compiler[1..])
            .args(["-O1", "-w", "-static", "-no-pie", "-fno-pie", "-pthread", "-o"])
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

/// Areas at their addresses, as the loader reads them.
struct Image<'a> {
    /// The addresses of the loader's functions.
    symbols: &'a BTreeMap<String, u64>,
    veneer: Option<&'static Veneer>,
    /// Where the next area goes.
    next: u64,
    areas: u32,
    bytes: Vec<u8>,
}

impl<'a> Image<'a> {
    fn new(arch: Arch, base: u64, symbols: &'a BTreeMap<String, u64>) -> Image<'a> {
        let veneer = JitMachine::of(arch).and_then(|machine| machine.veneer.as_ref());
        Image { symbols, veneer, next: base, areas: 0, bytes: Vec::new() }
    }

    fn symbol(&self, name: &str) -> u64 {
        *self.symbols.get(name).unwrap_or_else(|| panic!("{name} is not there"))
    }

    /// Adds an area and gives its address.
    fn add_area(&mut self, bytes: &[u8], protection: u32) -> u64 {
        assert!((bytes.len() as u64) < STRIDE);
        let address = self.next;
        for word in [address as u32, bytes.len() as u32, protection] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(bytes);
        self.next += STRIDE;
        self.areas += 1;
        address
    }

    /// Links an object and adds its areas; gives their addresses.
    fn add(&mut self, object: &mut Object<'_>) -> Addresses {
        let imports: Vec<u64> = object
            .imports
            .iter()
            .map(|import| {
                let name = || self.symbol(std::str::from_utf8(&import.name).expect("a name of C"));
                import.address.unwrap_or_else(name)
            })
            .collect();
        let addresses = [0, 1, 2, 3].map(|area| self.next + area * STRIDE);
        let room = room(object, self.veneer);
        let filled = link(object, addresses, &imports, self.veneer).expect("all is in reach");
        let zeros = vec![0; room[Area::Zeros as usize].0 as usize];
        for (bytes, protection) in filled.iter().chain([&zeros]).zip([5, 1, 3, 3]) {
            self.add_area(bytes, protection);
        }
        addresses
    }

    /// Runs the checksum, which is at this address.
    fn run(&self, target: &Target, folder: &Path, checksum: u64) -> String {
        let file = folder.join("image");
        let bytes = [&self.areas.to_le_bytes()[..], &self.bytes].concat();
        std::fs::write(&file, bytes).expect("there is room");
        let mut command = target.run(&folder.join("loader"));
        command.arg("call").arg(&file).arg(checksum.to_string());
        output(&mut command).trim().to_owned()
    }
}

/// The addresses of what an object defines.
fn outer(object: &Object<'_>, addresses: Addresses) -> Outer {
    let address = |(symbol, place, addend): (Symbol, Place, i64)| {
        (symbol, (addresses[place.area as usize] + place.offset).wrapping_add_signed(addend))
    };
    object.definitions().map(address).collect()
}

fn checksum(program: &Program) -> FuncId {
    program.module.function_by_name(b"checksum").expect("it is generated")
}

/// Links a program whole.
fn whole(program: &Program, options: &Options, image: &mut Image<'_>) -> u64 {
    let mut object = object(program, options);
    let addresses = image.add(&mut object);
    outer(&object, addresses)[&Symbol::Function(checksum(program))]
}

/// Links each function of a program by itself, and the thunks through which they call each other. Cells stay as they are,
/// so that each call goes through the stub, the entry, and a function of the loader that looks into a table.
fn by_functions(program: &Program, options: &Options, image: &mut Image<'_>) -> u64 {
    let glue = JitMachine::of(options.arch).expect("the machine is known").glue;
    let mut face = Object::new(&program.module, options, 1 << 30).expect("the program is valid");
    // The face has four areas; the table is behind them.
    let resolver = Resolver { context: image.next + 4 * STRIDE, resolve: image.symbol(RESOLVE) };
    let entry = face.add_entry(glue, &resolver);
    for (number, body) in program.bodies.iter().enumerate() {
        let cell = face.add_thunk(body.id, glue).expect("there is room");
        face.add_stub(glue, entry, number as u32, cell).expect("there is room");
    }
    face.finish().expect("distances have 32 bits");
    let addresses = image.add(&mut face);
    let (outer, view) = (outer(&face, addresses), view(&program.module));
    let table = image.next;
    image.next += STRIDE;
    let mut words = Vec::new();
    for body in &program.bodies {
        let mut part = Object::part(&view, options, 1 << 30, &outer);
        compile(&mut part, std::slice::from_ref(body), options);
        let addresses = image.add(&mut part);
        let place = part.functions[body.id.as_u32() as usize].expect("it was compiled");
        words.extend(((addresses[place.area as usize] + place.offset) as u32).to_le_bytes());
    }
    image.next = table;
    image.add_area(&words, 1);
    outer[&Symbol::Function(checksum(program))]
}

/// What the entry calls in the loader.
const RESOLVE: &str = "resolve_in_table";

fn check(target: &Target) {
    let folder = Folder::new(target.arch.name());
    let programs: Vec<Program> = programs().collect();
    let options = [Recipe::Om1, Recipe::O2].map(|recipe| options(target.arch, recipe));
    let mut names = vec![RESOLVE.to_owned()];
    for program in &programs {
        let imports = options.iter().flat_map(|options| object(program, options).imports);
        names.extend(imports.map(|import| String::from_utf8(import.name).expect("a name of C")));
    }
    names.sort();
    names.dedup();
    assert!(names.len() > 5, "{names:?}");
    let loader = target.make_loader(&folder.0, &names);
    let text = output(target.run(&loader).arg("symbols"));
    let symbols = text.lines().filter_map(|line| line.split_once(' '));
    let symbols: BTreeMap<String, u64> =
        symbols.filter_map(|(name, address)| Some((name.to_owned(), address.parse().ok()?))).collect();
    for (number, program) in programs.iter().enumerate() {
        let outcome = Interpreter::new(program)
            .and_then(|mut interpreter| interpreter.call(checksum(program), &[]))
            .expect("the program does not trap");
        let expected = format!("{:016x}", outcome.value.expect("a checksum").bits);
        for (options, base) in options.iter().flat_map(|options| PLACES.map(|place| (options, place))) {
            for link_program in [whole, by_functions] {
                let mut image = Image::new(target.arch, base, &symbols);
                let address = link_program(program, options, &mut image);
                let result = image.run(target, &folder.0, address);
                assert_eq!(result, expected, "program {number}, {:?}, at {base:#x}", options.level);
            }
        }
    }
}

#[test]
fn processes_of_i686_run_what_is_linked_for_them() {
    let [target, ..] = &TARGETS;
    if tools::has("code linked for i686", &["i686-linux-gnu-gcc"]) {
        check(target);
    }
}

#[test]
fn processes_of_aarch64_run_what_is_linked_for_them() {
    let [_, target, _] = &TARGETS;
    if tools::has("code linked for aarch64", &["aarch64-linux-gnu-gcc", "qemu-aarch64"]) {
        check(target);
    }
}

#[test]
fn processes_of_armv7_run_what_is_linked_for_them() {
    let [.., target] = &TARGETS;
    if tools::has("code linked for armv7", &["arm-linux-gnueabihf-gcc", "qemu-arm"]) {
        check(target);
    }
}

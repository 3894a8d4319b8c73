//! The ARM back end from end to end: random programs with every kind of instruction, vectors and atomics
//! among them, print under qemu what the interpreter prints; and the assembler text is the object.

use crate::common;

#[path = "../examples/generate.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example of its own")]
pub mod generate;

use common::program::{Program, cut, edges, with_entry};
use common::{Scratch, can_run, errors, expect_success, find_tool, ice, skip};
use ice_ir::generate::{Entry, Options, ReturnCalls, UndefinedResults, generate_program};
use std::process::Command;

fn program(seed: u64) -> String {
    let options = Options {
        functions: 1 + (seed % 7) as u32,
        statements: 5 + (seed * 7 % 90) as u32,
        entry: Entry::Start,
        undefined: UndefinedResults::Avoid,
        return_calls: ReturnCalls::Allow,
    };
    generate::with_output(&generate_program(seed, &options)).unwrap()
}

#[test]
fn random_programs_print_what_the_interpreter_prints() {
    if !can_run("armv7") {
        return;
    }
    let scratch = Scratch::new();
    for seed in 0..24 {
        let input = scratch.write("program.ice", program(seed));
        let expected = ice().arg("interpret").arg(&input).output().unwrap();
        expect_success(&expected, "interpreter");
        for level in ["-Om1", "-O2"] {
            let output = ice().args(["run", "--target", "armv7", level]).arg(&input).output().unwrap();
            expect_success(&output, &format!("seed {seed} {level}"));
            assert_eq!(output.stdout, expected.stdout, "seed {seed} {level}");
        }
    }
}

#[test]
fn large_frames_and_arguments_on_the_stack_hold_what_was_put_there() {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/armv7/frames.ice");
    expect_success(&ice().args(["interpret", input]).output().unwrap(), "interpreter");
    if can_run("armv7") {
        for level in ["-Om1", "-O2"] {
            let output = ice().args(["run", "--target", "armv7", level, input]).output().unwrap();
            expect_success(&output, level);
        }
    }
}

/// The exit of a program without a C library, and what objects of LLVM refer to for exceptions.
const EXIT: &str = ".syntax unified\n.arm\n.globl _exit, __aeabi_unwind_cpp_pr0, __aeabi_unwind_cpp_pr1\n\
    _exit: mov r7, #248\nsvc #0\n__aeabi_unwind_cpp_pr0:\n__aeabi_unwind_cpp_pr1:\n\
    .section .note.GNU-stack,\"\",%progbits\n";

/// Two files call each other by the base standard; each is translated by Ice and by LLVM.
#[test]
fn floats_travel_in_core_registers_under_gnueabi() {
    const LINKER: &str = "arm-linux-gnueabihf-gcc";
    if !can_run("armv7") {
        return;
    }
    if let Some(tool) = ["clang-19", "llc-19", LINKER].into_iter().find(|tool| find_tool(&[tool]).is_none()) {
        return skip("gnueabi", tool);
    }
    let scratch = Scratch::new();
    let run = |tool: &str, arguments: &str, files: &[&std::path::Path]| {
        let output = Command::new(tool).args(arguments.split(' ')).args(files).output().unwrap();
        expect_success(&output, tool);
    };
    let exit = scratch.write("exit.s", EXIT);
    let sources = [
        ["soft-float-callee.c", "soft-float-caller.c"],
        ["soft-float-results-callee.ll", "soft-float-results-caller.ll"],
    ];
    for pair in sources {
        let objects = pair.map(|name| {
            let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/armv7").join(name);
            let bitcode = scratch.path(&format!("{name}.bc"));
            let clang = "--target=armv7-linux-gnueabi -mfpu=neon -mfloat-abi=softfp -ffp-contract=off -O1 -ffreestanding -w -emit-llvm -c";
            run("clang-19", clang, &[&source, "-o".as_ref(), &bitcode]);
            ["llc", "-Om1", "-O2"].map(|level| {
                let object = scratch.path(&format!("{name}{level}.o"));
                let files = [bitcode.as_path(), "-o".as_ref(), &object];
                match level {
                    "llc" => run("llc-19", "-O1 -filetype=obj -relocation-model=static -float-abi=soft -mattr=+neon", &files),
                    _ => {
                        let flags = ["translate", "--relocation-model", "static", level];
                        expect_success(&ice().args(flags).args(files).output().unwrap(), name);
                        let attributes = std::fs::read(&object).unwrap();
                        let vfp_args = [25, 1, 28, 1];
                        assert!(!attributes.windows(4).any(|window| window == vfp_args), "{name}: VFP arguments");
                    }
                }
                object
            })
        });
        for callee in &objects[0] {
            for caller in &objects[1] {
                let program = scratch.path("program");
                let flags = "-marm -nostdlib -static -Wl,--no-warn-mismatch";
                let libraries: [&std::path::Path; 3] = ["-lgcc".as_ref(), "-o".as_ref(), &program];
                run(LINKER, flags, &[&[exit.as_path(), callee, caller], &libraries[..]].concat());
                let status = Command::new("qemu-arm").arg(&program).status().unwrap();
                assert_eq!(status.code(), Some(0), "{} and {}", callee.display(), caller.display());
            }
        }
    }
}

const DIVISIONS: [&str; 4] = ["sdiv", "udiv", "srem", "urem"];

/// How a program of functions ends that divides by instructions, at both levels.
fn ends_with_hwdiv(functions: &str) -> [Option<i32>; 2] {
    let scratch = Scratch::new();
    let input = scratch.write("divide.ice", with_entry(functions));
    ["-Om1", "-O2"].map(|level| {
        let flags = ["run", "--target", "armv7", "--mattr=+hwdiv", level];
        let output = ice().args(flags).arg(&input).output().unwrap();
        assert!(errors(&output).is_empty() || output.status.code() != Some(0), "{}", errors(&output));
        output.status.code()
    })
}

#[test]
fn instructions_divide_as_the_interpreter_does() {
    if !can_run("armv7") {
        return;
    }
    let mut program = Program::default();
    for (ty, bits) in [("i8", 8), ("i16", 16), ("i32", 32)] {
        let numbers = edges(bits);
        // What the least number divided by -1 is, the format leaves open.
        let least = i64::MIN >> (64 - bits);
        for &dividend in &numbers {
            let mut divisors = numbers.clone();
            divisors.retain(|&n| n != 0 && (n, dividend) != (-1, least));
            for op in DIVISIONS {
                let body = format!("block0:\n  v99: {ty} = {op} v1, v0\n  ret v99");
                program.function(ty, &[(ty, cut(bits, dividend))], &body, &divisors);
            }
        }
    }
    let functions = program.text();
    let scratch = Scratch::new();
    let input = scratch.write("divide.ice", with_entry(&functions));
    let expected = ice().arg("interpret").arg(&input).output().unwrap();
    assert!(errors(&expected).is_empty(), "{}", errors(&expected));
    assert_eq!(ends_with_hwdiv(&functions), [expected.status.code(); 2]);
}

#[test]
fn modules_for_processors_that_divide_use_it() {
    let Some(clang) = find_tool(&["clang-19"]) else { return skip("armv7", "clang-19") };
    let scratch = Scratch::new();
    let source = scratch.write("divide.c", "int divide(int a, int b) { return a / b; }");
    let bitcode = scratch.path("divide.bc");
    let divides = |cpu: &str, feature: &[&str]| {
        let flags = ["--target=armv7-linux-gnueabihf", cpu, "-O1", "-emit-llvm", "-c", "-o"];
        let output = Command::new(clang).args(flags).arg(&bitcode).arg(&source).output().unwrap();
        expect_success(&output, cpu);
        let flags = ["translate", "--emit", "asm", "-o", "-"];
        let output = ice().args(flags).args(feature).arg(&bitcode).output().unwrap();
        expect_success(&output, cpu);
        String::from_utf8(output.stdout).unwrap().contains("sdiv")
    };
    assert!(!divides("-mcpu=cortex-a8", &[]));
    assert!(divides("-mcpu=cortex-a8", &["--mattr=+hwdiv"]));
    assert!(divides("-mcpu=cortex-a15", &[]));
    assert!(!divides("-mcpu=cortex-a15", &["--mattr=-hwdiv"]));
}

#[test]
fn instructions_wrap_the_least_quotient_and_trap_at_zero() {
    if !can_run("armv7") {
        return;
    }
    let test = |op: &str, divisor: i32| {
        format!(
            "global internal @divisor align 4 = bytes \"{}\"\ndefine internal @test() -> i32 {{\n  v0: i32 = @divisor\n\
             \x20 v1: i32 = {}\nblock0:\n  v2: i32 = load v0, align 1\n  v3: i32 = {op} v1, v2\n  ret v3\n}}\n",
            divisor.to_le_bytes().map(|byte| format!("\\{byte:02x}")).concat(),
            i32::MIN
        )
    };
    // The entry exits with the upper eight bits of the result times an odd number.
    let code = |result: i32| Some((result.wrapping_mul(-1_640_531_527) as u32 >> 24) as i32);
    assert_eq!(ends_with_hwdiv(&test("sdiv", -1)), [code(i32::MIN); 2]);
    assert_eq!(ends_with_hwdiv(&test("srem", -1)), [code(0); 2]);
    for op in DIVISIONS {
        for end in ends_with_hwdiv(&test(op, 0)) {
            assert_ne!(end, code(0), "{op}: no trap");
            assert_ne!(end, code(i32::MIN), "{op}: no trap");
        }
    }
}

#[test]
fn objects_do_not_depend_on_the_number_of_threads() {
    let scratch = Scratch::new();
    let mut inputs = vec![scratch.write("program.ice", program(11))];
    inputs.extend(common::corpus().map(|corpus| corpus.join("bench/fasta.pexe")));
    for input in inputs {
        for level in ["-Om1", "-O2"] {
            let translated = ["0", "4"].map(|threads| {
                let object = scratch.path("a.o");
                let arguments = ["translate", "--target", "armv7", level, "--threads", threads];
                let output = ice().args(arguments).arg(&input).arg("-o").arg(&object).output().unwrap();
                expect_success(&output, level);
                std::fs::read(object).unwrap()
            });
            assert!(translated[0] == translated[1], "{} {level}", input.display());
        }
    }
}

/// The bytes of `.text`.
fn code(file: &[u8]) -> Vec<u8> {
    use object::{Object, ObjectSection};
    let file = object::File::parse(file).unwrap();
    file.section_by_name(".text").unwrap().data().unwrap().to_vec()
}

/// Places where the linker fills something in are alike in both, as the fields hold the addends.
#[test]
fn assembler_text_makes_the_bytes_of_the_object() {
    let scratch = Scratch::new();
    let input = scratch.write("program.ice", program(3));
    let (object, text) = (scratch.path("a.o"), scratch.path("a.s"));
    for (emit, output) in [("obj", &object), ("asm", &text)] {
        let arguments = ["translate", "--target", "armv7", "--emit", emit];
        let output = ice().args(arguments).arg(&input).arg("-o").arg(output).output().unwrap();
        expect_success(&output, emit);
    }
    let ours = code(&std::fs::read(&object).unwrap());
    let llvm: &[&str] = &["-filetype=obj", "-triple=armv7a-linux-gnueabihf"];
    for (tool, arguments) in [("llvm-mc-19", llvm), ("arm-linux-gnueabihf-as", &[])] {
        let Some(tool) = find_tool(&[tool]) else {
            skip("armv7", tool);
            continue;
        };
        let assembled = scratch.path("b.o");
        let output =
            Command::new(tool).args(arguments).arg(&text).arg("-o").arg(&assembled).output().unwrap();
        expect_success(&output, tool);
        let theirs = code(&std::fs::read(&assembled).unwrap());
        // Direct calls that are resolved here are left to the linker there.
        let differ = |(ours, theirs): (&[u8], &[u8])| ours != theirs && ours[3] != 0xeb;
        let count = ours.chunks(4).zip(theirs.chunks(4)).filter(|&pair| differ(pair)).count();
        assert_eq!((count, ours.len()), (0, theirs.len()), "{tool}");
    }
}

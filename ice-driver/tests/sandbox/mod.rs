//! Confined code keeps the rules of the sandbox, whatever the program; executables of it are what the original loader
//! takes; in the sandbox they do what they do elsewhere, and what leads out of it stops them.

mod attempts;
mod calls;
mod rules;

use crate::armv7::generate;
use crate::common::{
    SANDBOX_TARGETS, Scratch, TARGETS, can_run, corpus, errors, expect_success, find_tool, ice, programs,
};
use ice_codegen::Libcall;
use ice_driver::machine::Arch;
use ice_ir::generate::{Entry, Options, ReturnCalls, UndefinedResults, generate_program};
use object::elf::{
    EM_386, EM_X86_64, ET_EXEC, FileHeader32, FileHeader64, PF_R, PF_W, PF_X, PT_GNU_STACK, PT_LOAD,
};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{LittleEndian as LE, Object, ObjectSection};
use std::collections::HashSet;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How many random programs.
const RANDOM: u64 = 12;

/// The text of a program as an object of confined code, and what a linker fills in.
fn confined_text(input: &Path, target: &str, level: &str, scratch: &Scratch) -> (Vec<u8>, HashSet<u64>) {
    let output = scratch.path("confined.o");
    let translated = ice()
        .args(["translate", "--sandbox", "--target", target, level, "-o"])
        .args([&output, input])
        .output()
        .expect("ice starts");
    expect_success(&translated, &format!("{} {target} {level}", input.display()));
    let bytes = std::fs::read(&output).expect("the object");
    let object = object::File::parse(&*bytes).expect("an object");
    let text = object.section_by_name(".text").expect("a text");
    assert!(text.align() >= 32, "{}", text.align());
    let open = text.relocations().map(|(offset, _)| offset).collect();
    (text.data().expect("bytes").to_vec(), open)
}

fn random_options(seed: u64) -> Options {
    Options {
        functions: 1 + (seed % 7) as u32,
        statements: 5 + (seed * 7 % 90) as u32,
        entry: Entry::Start,
        undefined: UndefinedResults::Avoid,
        return_calls: ReturnCalls::Allow,
    }
}

fn check_programs(inputs: &[PathBuf]) {
    let scratch = Scratch::new();
    for input in inputs {
        for target in TARGETS {
            for level in ["-O2", "-Om1"] {
                let (text, open) = confined_text(input, target, level, &scratch);
                let bits = if target == "x86_64" { 64 } else { 32 };
                if let Err(error) = rules::check(&text, bits, &open) {
                    panic!("{} {target} {level}: {error}", input.display());
                }
            }
        }
    }
}

#[test]
fn code_of_the_corpus_keeps_the_rules() {
    let Some(corpus) = corpus() else { return };
    check_programs(&programs(&corpus, &["bench", "libc", "large"]));
}

#[test]
fn code_of_random_programs_keeps_the_rules() {
    let scratch = Scratch::new();
    let random = (0..RANDOM).map(|seed| {
        let text = generate::with_output(&generate_program(seed, &random_options(seed))).expect("a program");
        scratch.write(&format!("random{seed}.ice"), text)
    });
    check_programs(&random.collect::<Vec<_>>());
}

/// Checks an executable for a machine with bundles of 32 bytes by the rules of the original loader, and its text.
fn check_executable<H: FileHeader<Endian = LE>>(bytes: &[u8], machine: u16) -> Result<(), String> {
    let header = H::parse(bytes).map_err(|error| error.to_string())?;
    let is_program = (header.e_type(LE), header.e_machine(LE)) == (ET_EXEC, machine);
    let entry: u64 = header.e_entry(LE).into();
    if !is_program || header.e_ident().os_abi != 123 || !entry.is_multiple_of(32) {
        return Err("the header".into());
    }
    let bits = if header.is_type_64() { 64 } else { 32 };
    let mut end = 0x20000;
    for segment in header.program_headers(LE, bytes).map_err(|error| error.to_string())? {
        let (kind, flags) = (segment.p_type(LE), segment.p_flags(LE));
        let start: u64 = segment.p_vaddr(LE).into();
        let (in_file, in_memory): (u64, u64) = (segment.p_filesz(LE).into(), segment.p_memsz(LE).into());
        let is_text = flags == PF_R | PF_X;
        match (kind, flags) {
            (PT_GNU_STACK, _) if flags & PF_X == 0 => continue,
            (PT_LOAD, _)
                if is_text && start == 0x20000 && in_file == in_memory && in_file.is_multiple_of(32) => {}
            (PT_LOAD, PF_R) if start >= end + 32 && start.is_multiple_of(0x10000) => {}
            (PT_LOAD, _) if flags == PF_R | PF_W && start >= end && start.is_multiple_of(0x10000) => {}
            _ => return Err(format!("a segment of type {kind} at {start:#x} with rights {flags}")),
        }
        end = (start + in_memory).next_multiple_of(0x10000);
        if is_text {
            let text = segment.data(LE, bytes).map_err(|()| "a text that is not there")?;
            if !(start..start + in_file).contains(&entry) {
                return Err("the entry".into());
            }
            rules::check(text, bits, &HashSet::new())?;
        }
    }
    Ok(())
}

#[test]
fn executables_are_what_the_original_loader_takes() {
    let Some(corpus) = corpus() else { return };
    let scratch = Scratch::new();
    for input in programs(&corpus, &["bench", "libc", "large"]) {
        for (target, level) in TARGETS.iter().flat_map(|target| [(target, "-O2"), (target, "-Om1")]) {
            let output = scratch.path("program.nexe");
            let mut command = ice();
            command.args(["build", "--sandbox", "--target", target, level, "-o"]).args([&output, &input]);
            expect_success(&command.output().expect("ice starts"), &format!("{}", input.display()));
            let bytes = std::fs::read(&output).expect("the executable");
            let checked = match *target {
                "x86_64" => check_executable::<FileHeader64<LE>>(&bytes, EM_X86_64),
                _ => check_executable::<FileHeader32<LE>>(&bytes, EM_386),
            };
            assert_eq!(checked, Ok(()), "{} {target} {level}", input.display());
        }
    }
}

/// An executable of a program, which the validator takes.
fn check_validity(input: &Path, target: &str, level: &str, scratch: &Scratch) {
    let output = scratch.path("program.nexe");
    let mut command = ice();
    command.args(["build", "--sandbox", "--target", target, level, "-o"]).args([&output, input]);
    let what = format!("{} {target} {level}", input.display());
    expect_success(&command.output().expect("ice starts"), &what);
    let validated = ice().arg("validate").arg(&output).output().expect("ice starts");
    expect_success(&validated, &what);
}

/// All that confined code calls is there, and the validator takes it.
#[test]
fn executables_are_valid() {
    let Some(corpus) = corpus() else { return };
    let scratch = Scratch::new();
    for input in programs(&corpus, &["bench", "libc", "large"]) {
        for target in ["i686", "armv7", "mipsel"] {
            for level in ["-O2", "-Om1"] {
                check_validity(&input, target, level, &scratch);
            }
        }
    }
}

#[test]
fn random_executables_are_valid() {
    let scratch = Scratch::new();
    for seed in 0..4 * RANDOM {
        let text = generate::with_output(&generate_program(seed, &random_options(seed))).expect("a program");
        let input = scratch.write("random.ice", text);
        for target in SANDBOX_TARGETS {
            for level in ["-O2", "-Om1"] {
                check_validity(&input, target, level, &scratch);
            }
        }
    }
}

/// The code of helpers as functions of C in front of `checks`, and whether the program says that they do what they should.
fn check_helpers(arch: Arch, helpers: &[&str], checks: &str, compiler: &[&str], emulator: Option<&str>) {
    let align = if matches!(arch, Arch::Arm32 | Arch::Mips32) { 4 } else { 5 };
    let mut source = String::new();
    for name in helpers {
        let helper = Libcall::from_name(name.as_bytes()).expect("a helper");
        let code = arch.machine().confined_helper(helper).expect("its code");
        if arch == Arch::X86_32 {
            let padded = [&code[..], &vec![0xf4; code.len().wrapping_neg() % 32]].concat();
            rules::check(&padded, 32, &HashSet::new()).expect(name);
        }
        let bytes: Vec<_> = code.iter().map(u8::to_string).collect();
        let label = format!("h_{}", name.trim_start_matches('_'));
        source += &format!(
            "__asm__(\".text\\n.p2align {align}\\n.globl {label}\\n{label}: .byte {}\\n\");\nvoid {label}(void);\n",
            bytes.join(",")
        );
    }
    let scratch = Scratch::new();
    let source = scratch.write("helpers.c", source + include_str!("values.c") + checks);
    let program = scratch.path("helpers");
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]).args(["-O1", "-no-pie", "-o"]).args([&program, &source]).arg("-lm");
    expect_success(&command.output().expect("the compiler"), "the checks");
    let mut command = match emulator {
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.arg(program);
            command
        }
        None => Command::new(program),
    };
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{} {}", output.status, String::from_utf8_lossy(&output.stdout));
}

/// The helpers of x86-32 compute what C does.
#[test]
fn helpers_for_i686_compute_what_c_does() {
    const HELPERS: [&str; 11] = [
        "__udivdi3",
        "__umoddi3",
        "__divdi3",
        "__moddi3",
        "__floatdidf",
        "__floatundidf",
        "__floatdisf",
        "__fixdfdi",
        "__fixsfdi",
        "__fixunsdfdi",
        "__fixunssfdi",
    ];
    if can_run("i686") {
        let compiler = find_tool(&["i686-linux-gnu-gcc"]).unwrap_or("gcc");
        let flags = [compiler, "-m32", "-msse2", "-mfpmath=sse"];
        check_helpers(Arch::X86_32, &HELPERS, include_str!("i686.c"), &flags, None);
    }
}

/// Those that ARM and MIPS have.
const HELPERS: [&str; 19] = [
    "__udivdi3",
    "__umoddi3",
    "__divdi3",
    "__moddi3",
    "__ice_i64_to_f64",
    "__ice_u64_to_f64",
    "__ice_i64_to_f32",
    "__ice_u64_to_f32",
    "__ice_f64_to_i64",
    "__ice_f32_to_i64",
    "__ice_f64_to_u64",
    "__ice_f32_to_u64",
    "__popcountsi2",
    "__popcountdi2",
    "fmod",
    "fmodf",
    "memcpy",
    "memmove",
    "memset",
];

/// So do those of ARM.
#[test]
fn helpers_for_armv7_compute_what_c_does() {
    if can_run("armv7") {
        let flags = ["arm-linux-gnueabihf-gcc", "-marm", "-static", "-ffp-contract=off", "-fno-builtin"];
        let helpers = [&HELPERS[..], &["__aeabi_uidivmod", "__aeabi_idivmod"]].concat();
        let checks = [include_str!("arm.c"), include_str!("helpers.c")].concat();
        check_helpers(Arch::Arm32, &helpers, &checks, &flags, Some("qemu-arm"));
    }
}

/// So do those of MIPS.
#[test]
fn helpers_for_mipsel_compute_what_c_does() {
    if can_run("mipsel") {
        let flags = ["mipsel-linux-gnu-gcc", "-mfp32", "-static", "-ffp-contract=off", "-fno-builtin"];
        let checks = [include_str!("mips.c"), include_str!("helpers.c")].concat();
        check_helpers(Arch::Mips32, &HELPERS, &checks, &flags, Some("qemu-mipsel"));
    }
}

/// The machines that there is a loader for, and that can be run.
fn loaded() -> impl Iterator<Item = &'static str> {
    SANDBOX_TARGETS.into_iter().filter(|target| can_run(target))
}

/// `ice run --sandbox`.
fn run(target: &str) -> Command {
    let mut command = ice();
    command.args(["run", "--sandbox", "--target", target]);
    command
}

/// The signal that has ended a program, or the emulator of it.
fn signal(output: &Output) -> Option<i32> {
    const SIGNALS: i32 = 128;
    output.status.signal().or_else(|| output.status.code()?.checked_sub(SIGNALS).filter(|&signal| signal > 0))
}

#[test]
fn random_programs_do_in_the_sandbox_what_the_interpreter_does() {
    let scratch = Scratch::new();
    for seed in 100..100 + RANDOM {
        let text = generate::with_output(&generate_program(seed, &random_options(seed))).expect("a program");
        let input = scratch.write("program.ice", text);
        let expected = ice().arg("interpret").arg(&input).output().expect("ice starts");
        expect_success(&expected, "interpreter");
        for target in loaded() {
            for level in ["-Om1", "-O2"] {
                let output = run(target).arg(level).arg(&input).output().expect("ice starts");
                expect_success(&output, &format!("seed {seed} {target} {level}"));
                assert_eq!(output.stdout, expected.stdout, "seed {seed} {target} {level}");
            }
        }
    }
}

/// Runs a program of which this is the body, and gives the signal that ends it and what it says.
fn stopped(target: &str, constants: &str, body: &str) -> (Option<i32>, String) {
    let scratch = Scratch::new();
    let text = format!("define external @_start(v0: i32) -> void {{\n{constants}\nblock0:\n{body}\n}}\n");
    let input = scratch.write("program.ice", text);
    let output = run(target).arg(&input).output().expect("ice starts");
    (signal(&output), errors(&output))
}

#[test]
fn what_leads_out_of_the_sandbox_stops_the_program() {
    const SEGMENTATION: i32 = 11;
    // What is said of an access at the last address, of one that passes it, and of a jump to 0x3fff0000, or where masks make
    // of it.
    for (target, last, behind, elsewhere) in [
        (
            "x86_64",
            "to 0x00000000ffffffff, which is not open",
            "to 0x0000000000000008, which is not open",
            "an access at 0x000000003fff0000",
        ),
        // Neither the end of a segment is an address, nor a place of the code that is behind it.
        (
            "i686",
            "outside of its window",
            "to 0x0000000000000008, which is not open",
            ", outside of its window",
        ),
        (
            "armv7",
            "to 0x000000003fffffff, which is not open",
            "to 0x0000000040000008, outside of its window",
            "an access at 0x000000003fff0000",
        ),
        (
            "mipsel",
            "to 0x000000003fffffff, which is not open",
            "to 0x0000000040000008, outside of its window",
            "an access at 0x000000000fff0000",
        ),
    ] {
        if !can_run(target) {
            continue;
        }
        for (constants, body, expected) in [
            // The first page, text, and the end of the window.
            ("v1: i32 = 8", "store v1 to v1, align 1\nret", "to 0x0000000000000008, which is not open"),
            ("v1: i32 = 131072", "store v1 to v1, align 1\nret", "to 0x0000000000020000, which is not open"),
            ("v1: i32 = 4294967295", "store v1 to v1, align 1\nret", last),
            // What wraps around: 0xffffffff + 9.
            (
                "v1: i32 = 4294967295\nv2: i32 = 9",
                "v3: i32 = add v1, v2\nv4: i32 = load v3, align 1\nstore v4 to v3, align 1\nret",
                behind,
            ),
            // No code.
            ("v1: i32 = 1073676288", "v2: i32 = call_indirect v1()\nret", elsewhere),
            ("v1: i32 = 0", "v2: i32 = call_indirect v1()\nret", "an access at 0x0000000000000000"),
        ] {
            let (signal, said) = stopped(target, constants, body);
            assert_eq!(signal, Some(SEGMENTATION), "{target} {body}: {said}");
            let is_said = said.contains("the program is stopped") && said.contains(expected);
            assert!(is_said, "{target} {body}: {said}");
        }
        // A number of the loader that nothing stands behind answers; a return of `_start` is a success.
        let (signal, said) = stopped(target, "v1: i32 = 65551", "v2: i32 = call_indirect v1()\nret");
        assert_eq!((signal, &*said), (None, ""), "{target}");
    }
}

#[test]
fn only_pnacl_programs_are_confined() {
    let scratch = Scratch::new();
    let program = scratch.write("program.ice", "target pointer i32 native\n");
    for target in SANDBOX_TARGETS {
        let mut command = ice();
        command.args(["translate", "--sandbox", "--target", target, "-o"]);
        let output = command.args([&scratch.path("out"), &program]).output().expect("ice starts");
        assert!(!output.status.success(), "{target}");
        assert!(errors(&output).contains("native programs cannot be confined"), "{}", errors(&output));
    }
    assert_eq!(scratch.names(), ["program.ice"]);
}

/// Branches that do not reach go by jumps that the linker completes.
#[test]
fn far_branches_of_confined_code_arrive() {
    let scratch = Scratch::new();
    let stores = "  store v0 to v1, align 1\n".repeat(12_000);
    let text = format!(
        "define internal @far(v0: i32, v1: i32) -> i32 {{\n  v2: i32 = 7\n  v3: i32 = 1\nblock0:\n  br block1\n\
         block1:\n  v4: i32 = phi [v0, block0], [v5, block2]\n  v5: i32 = sub v4, v3\n  \
         v6: i1 = icmp slt v5, v2\n  br v6, block3, block2\nblock2:\n{stores}  br block1\nblock3:\n  ret v5\n}}\n\
         define external @_start(v0: i32) -> void {{\n  v1: i32 = 4\n  v2: i32 = 12\n  v3: i32 = 6\nblock0:\n  \
         v4: i32 = alloca v1, align 8\n  v5: i32 = call @far(v2, v4)\n  v6: i1 = icmp eq v5, v3\n  \
         br v6, block1, block2\nblock1:\n  ret\nblock2:\n  unreachable\n}}\n"
    );
    let input = scratch.write("far.ice", text);
    for (target, level) in loaded().flat_map(|target| [(target, "-Om1"), (target, "-O2")]) {
        let output = run(target).arg(level).arg(&input).output().expect("ice starts");
        expect_success(&output, &format!("{target} {level}"));
    }
}

#[test]
fn executables_run_if_the_validator_takes_them() {
    for target in TARGETS.into_iter().filter(|target| can_run(target)) {
        let scratch = Scratch::new();
        let program = scratch.write("program.ice", crate::common::EMPTY_PROGRAM);
        let executable = scratch.path("program.nexe");
        let mut build = ice();
        build.args(["build", "--sandbox", "--target", target, "-o"]).args([&executable, &program]);
        expect_success(&build.output().expect("ice starts"), "build");
        let run = |target| run(target).arg(&executable).output().expect("ice starts");
        expect_success(&run(target), target);
        // On another machine it is none.
        let other = if target == "i686" { "x86_64" } else { "i686" };
        if can_run(other) {
            let output = run(other);
            assert_eq!(output.status.code(), Some(1), "{target} {other}");
            assert!(errors(&output).contains("for another machine"), "{target}: {}", errors(&output));
        }
        let mut bytes = std::fs::read(&executable).expect("the executable");
        // `syscall`.
        bytes[TEXT_IN_FILE..TEXT_IN_FILE + 2].copy_from_slice(&[0x0f, 0x05]);
        std::fs::write(&executable, &bytes).expect("the executable");
        let output = run(target);
        assert_eq!(output.status.code(), Some(1), "{target}");
        assert!(errors(&output).contains("offset 0x0"), "{target}: {}", errors(&output));
        bytes.truncate(TEXT_IN_FILE + 16);
        std::fs::write(&executable, &bytes).expect("the executable");
        let output = run(target);
        assert_eq!(output.status.code(), Some(1), "{target}: {}", errors(&output));
    }
}

/// Where the text is in an executable: on its second page.
const TEXT_IN_FILE: usize = 0x10000;

/// Openings of code that would lead out, and what they try. The rest of their bundle does nothing.
const ESCAPES: [(&str, &[u8]); 24] = [
    ("a jump into an instruction", &[0xeb, 0x01, 0x0f, 0x1f, 0x00]),
    ("a system call in a constant, and a jump there", &[0xb8, 0x0f, 0x05, 0x90, 0x90, 0xeb, 0xfa]),
    ("a jump behind a mask", &[0xeb, 0x04, 0x41, 0x83, 0xe3, 0xe0, 0x4d, 0x01, 0xfb, 0x41, 0xff, 0xe3]),
    ("a store without a window", &[0x89, 0x08]),
    ("a load without a window", &[0x8b, 0x08]),
    ("a store with 64 bits of an index", &[0x41, 0x89, 0x0c, 0x07]),
    ("a store at an absolute address", &[0x89, 0x0c, 0x25, 0, 0, 0, 0x10]),
    ("an index cleared one instruction too early", &[0x89, 0xc0, 0x90, 0x41, 0x89, 0x0c, 0x07]),
    ("another stack", &[0x48, 0x89, 0xc4]),
    ("32 bits of another stack alone", &[0x89, 0xc4, 0x90]),
    ("a stack from the stack", &[0x5c]),
    ("a frame from the stack", &[0x5d]),
    ("another window", &[0x49, 0x83, 0xc7, 0x01]),
    ("a window from the stack", &[0x41, 0x5f]),
    ("a return", &[0xc3]),
    ("a jump to any place", &[0xff, 0xe0]),
    ("a jump without the window", &[0x83, 0xe0, 0xe0, 0xff, 0xe0]),
    ("a jump into a bundle", &[0x41, 0x83, 0xe3, 0xf0, 0x4d, 0x01, 0xfb, 0x41, 0xff, 0xe3]),
    ("a jump by memory", &[0x41, 0xff, 0x24, 0x07]),
    ("a copy without windows", &[0xa4]),
    ("the segment of the host", &[0x64, 0x8b, 0x04, 0x25, 0, 0, 0, 0]),
    ("system calls", &[0x0f, 0x05]),
    ("system calls of old", &[0xcd, 0x80]),
    ("keys of pages", &[0x0f, 0x01, 0xef]),
];

/// The same for x86-32, where segments hold all accesses: what is tried is to be rid of them.
const ESCAPES_I686: [(&str, &[u8]); 24] = [
    ("a jump into an instruction", &[0xeb, 0x01, 0x0f, 0x1f, 0x00]),
    ("a system call in a constant, and a jump there", &[0xb8, 0xcd, 0x80, 0x90, 0x90, 0xeb, 0xfa]),
    ("a jump behind a mask", &[0xeb, 0x03, 0x83, 0xe0, 0xe0, 0xff, 0xe0]),
    ("a jump to any place", &[0xff, 0xe0]),
    ("a jump by another register", &[0x83, 0xe0, 0xe0, 0xff, 0xe1]),
    ("a jump into a bundle", &[0x83, 0xe0, 0xf0, 0xff, 0xe0]),
    ("a jump by memory", &[0xff, 0x20]),
    ("a call by the stack", &[0xff, 0x14, 0x24]),
    ("a return", &[0xc3]),
    ("a far return", &[0xcb]),
    ("a return from an interrupt", &[0xcf]),
    ("a far jump to the host", &[0xea, 0x00, 0x90, 0x04, 0x08, 0x23, 0x00]),
    ("a far jump by the thread", &[0x65, 0xff, 0x2d, 0x0c, 0, 0, 0]),
    ("a far call by memory", &[0xff, 0x18]),
    ("another data segment", &[0x8e, 0xd8]),
    ("another stack segment from the stack", &[0x17]),
    ("another thread", &[0x8e, 0xe8]),
    ("segment and address from memory", &[0xc5, 0x00]),
    ("what the host keeps for the thread", &[0x65, 0xa1, 8, 0, 0, 0]),
    ("a store to the thread", &[0x65, 0xa3, 0, 0, 0, 0]),
    ("code as data", &[0x2e, 0x8b, 0x00]),
    ("where the table of segments is", &[0x0f, 0x01, 0x00]),
    ("system calls", &[0xcd, 0x80]),
    ("system calls by registers", &[0x0f, 0x34]),
];

/// The same for ARM, in words.
const ESCAPES_ARM: [(&str, &[u32]); 20] = [
    ("a system call", &[0xef00_0000]),
    ("a jump behind a mask", &[0xea00_0000, 0xe3c0_0103, 0xe580_1000]),
    ("a store without a mask", &[0xe580_1000]),
    ("a load without a mask", &[0xe590_1000]),
    ("a mask one instruction too early", &[0xe3c0_0103, 0xe320_f000, 0xe580_1000]),
    ("a mask under another condition", &[0x03c0_0103, 0xe580_1000]),
    ("a store with an index", &[0xe3c0_0103, 0xe780_1002]),
    ("another stack", &[0xe1a0_d000]),
    ("a stack by large steps", &[0xe24d_dd10]),
    ("a stack from the stack", &[0xe8bd_6000]),
    ("another thread", &[0xe1a0_9000]),
    ("a thread from the stack", &[0xe49d_9004]),
    ("a store to the thread", &[0xe589_0000]),
    ("what the host keeps for the thread", &[0xe599_0008]),
    ("a return by the stack", &[0xe8bd_8000]),
    ("a jump to any place", &[0xe12f_ff10]),
    ("a jump into a bundle", &[0xe3c0_0103, 0xe12f_ff10]),
    ("Thumb", &[0xfa00_0000]),
    ("the thread of the host", &[0xee1d_0f70]),
    ("vectors at any place", &[0xf460_0a0f]),
];

/// The same for MIPS.
const ESCAPES_MIPS: [(&str, &[u32]); 22] = [
    ("a system call", &[0x0000_000c]),
    ("a jump behind a mask", &[0x1000_0002, 0, 0x004f_1024, 0x8c43_0000]),
    ("a store without a mask", &[0xac43_0000]),
    ("a load without a mask", &[0x8c43_0000]),
    ("a load of a float without a mask", &[0xd444_0000]),
    ("a mask one instruction too early", &[0x004f_1024, 0, 0xac43_0000]),
    ("a mask in a slot that is left out", &[0x5000_0001, 0x004f_1024, 0xac43_0000]),
    ("the mask of code for data, and none for data", &[0x004e_1024, 0xac43_0000]),
    ("another stack", &[0x0080_e825]),
    ("another stack in a slot", &[0x1000_0001, 0x27bd_8000]),
    ("a stack from the stack", &[0x8fbd_0000]),
    ("another mask of data", &[0x2419_ffff, 0x240f_ffff]),
    ("another mask of code from the stack", &[0x8fae_0000]),
    ("another thread", &[0x2718_0100]),
    ("a store to the thread", &[0xaf02_0000]),
    ("what the host keeps for the thread", &[0x8f02_0008]),
    ("a jump to any place", &[0x03e0_0008]),
    ("a jump by the mask of data", &[0x03ef_f824, 0x03e0_0008]),
    ("a return that is no start of a bundle", &[0x0c00_4000]),
    ("a jump into the calls", &[0x0800_4001]),
    ("the thread of the host", &[0x7c03_e83b]),
    ("the state of floats", &[0x44c2_f800]),
];

/// Whoever made an executable, it does not begin to run. `fill` does nothing, `halt` halts.
fn check_strangers(target: &str, fill: [u8; 4], halt: &[u8], escapes: &[(&str, Vec<u8>)]) {
    let scratch = Scratch::new();
    let program = scratch.write("program.ice", crate::common::EMPTY_PROGRAM);
    let executable = scratch.path("program.nexe");
    let mut build = ice();
    build.args(["build", "--sandbox", "--target", target, "-o"]).args([&executable, &program]);
    expect_success(&build.output().expect("ice starts"), "build");
    let valid = std::fs::read(&executable).expect("the executable");
    let run = |opening: &[u8]| {
        let mut bytes = valid.clone();
        let bundle = &mut bytes[TEXT_IN_FILE..TEXT_IN_FILE + if TARGETS.contains(&target) { 32 } else { 16 }];
        bundle.chunks_mut(4).for_each(|word| word.copy_from_slice(&fill));
        bundle[..opening.len()].copy_from_slice(opening);
        let stranger = scratch.write("stranger.nexe", bytes);
        run(target).arg(&stranger).output().expect("ice starts")
    };
    for (what, opening) in escapes {
        let output = run(opening);
        let said = errors(&output);
        assert_eq!(output.status.code(), Some(1), "{target}, {what}: {said}");
        assert!(output.stdout.is_empty() && said.contains("offset 0x"), "{target}, {what}: {said}");
    }
    // What is allowed begins to run: it halts, and the report says where.
    let output = run(halt);
    assert!(signal(&output).is_some(), "{target}: {}", errors(&output));
    assert!(errors(&output).contains("the program is stopped"), "{target}: {}", errors(&output));
}

#[test]
fn executables_of_strangers_are_refused() {
    if can_run("x86_64") {
        let escapes = ESCAPES.map(|(what, opening)| (what, opening.to_vec()));
        check_strangers("x86_64", [0x90; 4], &[0xf4], &escapes);
    }
    if can_run("i686") {
        let escapes = ESCAPES_I686.map(|(what, opening)| (what, opening.to_vec()));
        check_strangers("i686", [0x90; 4], &[0xf4], &escapes);
    }
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    if can_run("mipsel") {
        let escapes = ESCAPES_MIPS.map(|(what, opening)| (what, bytes(opening)));
        check_strangers("mipsel", [0; 4], &bytes(&[0xd]), &escapes);
    }
    if can_run("armv7") {
        let escapes = ESCAPES_ARM.map(|(what, opening)| (what, bytes(opening)));
        check_strangers("armv7", 0xe320_f000_u32.to_le_bytes(), &bytes(&[0xe7fe_deff]), &escapes);
    }
}

/// The stack ends before anything else begins, whatever a frame takes.
#[test]
fn recursion_without_end_stops_the_program() {
    let scratch = Scratch::new();
    for size in [16, 70_000, 3_000_000] {
        let text = format!(
            "define internal @deep(v0: i32) -> i32 {{\n  v1: i32 = {size}\n  v2: i32 = 1\nblock0:\n  \
             v3: i32 = alloca v1, align 8\n  store v0 to v3, align 1\n  v4: i32 = add v0, v2\n  \
             v5: i32 = call @deep(v4)\n  v6: i32 = load v3, align 1\n  v7: i32 = add v5, v6\n  ret v7\n}}\n\
             define external @_start(v0: i32) -> void {{\nblock0:\n  v1: i32 = call @deep(v0)\n  ret\n}}\n"
        );
        let input = scratch.write("deep.ice", text);
        for (target, level) in loaded().flat_map(|target| [(target, "-Om1"), (target, "-O2")]) {
            let output = run(target).arg(level).arg(&input).output().expect("ice starts");
            let said = errors(&output);
            assert_eq!(signal(&output), Some(11), "{size} {target} {level}: {said}");
            assert!(said.contains("the program is stopped"), "{size} {target} {level}: {said}");
        }
    }
}

//! What `--emit mir` prints is read back: each instruction is that of one row of its machine's table, and the function
//! prints as before.

use crate::common;

use ice_asm::x86::Mode;
use ice_codegen::mach::MachFunction;
use ice_codegen::mach::text::ReadInst;
use ice_driver::{Arch, Emit, InputFormat, OptLevel, Options, compile_to};
use ice_regalloc::RegisterFile;
use std::path::{Path, PathBuf};

/// Reads and prints again the functions of a text, each under its name.
fn check<I: ReadInst>(text: &str, registers: &RegisterFile<'_>, input: &Path) -> usize {
    let is_name = |line: &str| line.starts_with("func") && line.ends_with(':');
    let mut functions: Vec<String> = Vec::new();
    for line in text.lines() {
        match functions.last_mut() {
            Some(function) if !is_name(line) => *function += &format!("{line}\n"),
            _ => functions.push(String::new()),
        }
    }
    for function in &functions {
        let mach = MachFunction::<I>::read(function, registers)
            .unwrap_or_else(|error| panic!("{}: {error}\n{}", input.display(), around(function, error.line)));
        let mut again = String::new();
        mach.write(&mut again, registers).unwrap();
        assert_eq!(again, *function, "{}", input.display());
    }
    functions.len()
}

/// The line with this number and a few before it.
fn around(text: &str, line: usize) -> String {
    text.lines().take(line).skip(line.saturating_sub(4)).map(|line| format!("{line}\n")).collect()
}

/// Files of a directory with one of these extensions.
fn files(directory: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_input = |path: &PathBuf| {
        path.extension().is_some_and(|found| extensions.iter().any(|extension| found == *extension))
    };
    entries.filter(is_input).collect()
}

#[test]
fn machine_functions_are_read_back() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut inputs = files(&package.join("tests/filetests"), &["ice"]);
    inputs.extend(files(&package.join("samples"), &["ice", "pexe"]));
    if let Some(corpus) = common::corpus() {
        inputs.extend(["bench/nbody.pexe", "large/argon2.pexe"].map(|name| corpus.join(name)));
    }
    let mut count = 0;
    for input in &inputs {
        let bytes = std::fs::read(input).unwrap();
        let is_text = input.extension().is_some_and(|extension| extension == "ice");
        let format = if is_text { InputFormat::Text } else { InputFormat::Bitcode };
        for arch in Arch::ALL {
            for level in [OptLevel::O2, OptLevel::Om1] {
                let mut out = Vec::new();
                let options = Options { level, format, emit: Emit::Mir, ..Options::new(arch) };
                // Programs for machines with addresses of another width are refused.
                if compile_to(&bytes, &options, &mut out).is_err() {
                    continue;
                }
                let text = String::from_utf8(out).unwrap();
                count += match arch {
                    Arch::Mips32 => {
                        let registers =
                            ice_target_mips32::register_file(ice_codegen::mach::FramePointer::None);
                        check::<ice_target_mips32::Inst>(&text, registers, input)
                    }
                    Arch::Aarch64 => {
                        let registers =
                            ice_target_aarch64::register_file(ice_codegen::mach::FramePointer::None);
                        check::<ice_target_aarch64::Inst>(&text, registers, input)
                    }
                    Arch::Arm32 => {
                        let registers = ice_target_arm32::register_file(ice_target_arm32::FramePointer::None);
                        check::<ice_target_arm32::Inst>(&text, registers, input)
                    }
                    _ => {
                        let registers =
                            ice_target_x86::register_file(Mode::Bits64, ice_target_x86::FramePointer::None);
                        check::<ice_target_x86::Inst>(&text, registers, input)
                    }
                };
            }
        }
    }
    assert!(count > 1000, "{count}");
}

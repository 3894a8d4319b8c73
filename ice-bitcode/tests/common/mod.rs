//! Where the corpus is, and the smallest program as a starting point for damage.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod tools;

use ice_bitcode::llvm::{FloatRegisters, MachineDescription, ResultRegisters};
use ice_ir::{Passing, Type};
use std::fs;
use std::path::PathBuf;

/// Folder of the corpus, or `None` with one line of explanation.
pub fn corpus() -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus");
    let path = PathBuf::from(std::env::var("ICE_CORPUS").unwrap_or_else(|_| default.into()));
    if path.is_dir() {
        return Some(path);
    }
    tools::note(&format!("no corpus of programs at {}", path.display()));
    None
}

/// A file of the corpus.
pub fn read(name: &str) -> Option<Vec<u8>> {
    let path = corpus()?.join(name);
    Some(fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Name (folder and stem) and bytes of every well-formed program, in order.
pub fn programs() -> Vec<(String, Vec<u8>)> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let mut programs = Vec::new();
    for folder in ["bench", "libc", "large"] {
        for entry in fs::read_dir(corpus.join(folder)).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == "pexe") {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                programs.push((format!("{folder}/{stem}"), fs::read(&path).expect("readable")));
            }
        }
    }
    programs.sort();
    assert!(programs.len() >= 20, "the corpus is incomplete");
    programs
}

/// What legalisation knows of x86-64.
pub const X86_64: MachineDescription = MachineDescription {
    has_two_lanes: true,
    shuffles_lanes: true,
    half_argument: Type::F32,
    half_result: Type::V8I16,
    half_vectors: Some(Type::V8I16),
    result_registers: Some(ResultRegisters {
        general: 3,
        float: FloatRegisters::Separate { floats: 4, vectors: 4 },
    }),
    va_list_words: 3,
    most_before_pair: Some(4),
    extended_params: &[Type::I64],
    extended_passing: Passing::ByVal { size: 16, align_log2: 4 },
    has_wide_functions: true,
    ..MachineDescription::PORTABLE
};

/// Bytes from hexadecimal digits; white space is skipped.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).expect("hexadecimal") as u8)
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// An empty `void _start(i32)` (bitcode specification, section 13.1).
pub fn start() -> Vec<u8> {
    hex("50455845010008001100040002000000210800002d0000000741108000000000
         180000000781239141c80449061032399201840c250508191e048b6280084502
         428a0401140d081d048c24051922442405c89011223940468410430545053286
         0f8e2b64444862902143e420981c01c848500c20a42840c871c0042912907124
         20430600450c000004000000222b24988805c13001d811800109040023840000
         401304000100000053040000390c00000200000006307e6902a2090031100000
         010000001304c10100000000")
}

//! Shared by the tests: assembling a listing with the assemblers that are installed, and random numbers.
#![allow(dead_code)] // Each test uses its part.

pub mod assemblers;
pub mod tools;
pub mod toy;

use ice_asm::x86::Mode;
use ice_asm::{BranchIsa, CodeBuffer, TextListing};
use std::path::PathBuf;
use std::process::Command;

/// The listing with symbols named `sym<n>`.
pub fn listing<B: BranchIsa>(buffer: &CodeBuffer<TextListing, B>) -> String {
    let mut text = String::new();
    buffer.write_listing(&mut text, |symbol, out| write!(out, "sym{}", symbol.0)).unwrap();
    text
}

fn assemblers(mode: Mode) -> [(&'static str, Vec<&'static str>); 2] {
    let (triple, bits) = match mode {
        Mode::Bits32 => ("-triple=i686", "--32"),
        Mode::Bits64 => ("-triple=x86_64", "--64"),
    };
    [("llvm-mc-19", vec!["-filetype=obj", triple]), ("as", vec![bits])]
}

/// Assembles the listing with each assembler and compares with the bytes, relocated fields excepted.
pub fn check_listing(name: &str, mode: Mode, buffer: &CodeBuffer<TextListing>) {
    let text = listing(buffer);
    let mut ours = buffer.bytes().to_vec();
    let mask = |bytes: &mut [u8]| {
        for reloc in buffer.relocs() {
            let field = reloc.offset as usize..(reloc.offset + reloc.kind.size()) as usize;
            bytes.get_mut(field).into_iter().flatten().for_each(|byte| *byte = 0);
        }
    };
    mask(&mut ours);
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    for (tool, args) in assemblers(mode) {
        let stem = format!("{name}-{mode:?}-{tool}");
        let [source, object, binary] = ["s", "o", "bin"].map(|ext| directory.join(format!("{stem}.{ext}")));
        std::fs::write(&source, &text).unwrap();
        if !tools::has("listings", &[tool, "objcopy"]) {
            continue;
        }
        let output = Command::new(tool).args(args).arg(&source).arg("-o").arg(&object).output();
        let output = output.expect("the assembler starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        let first: Vec<_> = errors.lines().take(12).collect();
        assert!(output.status.success(), "{stem}: {}", first.join("\n"));
        let status = Command::new("objcopy")
            .args(["-O", "binary", "-j", ".text"])
            .args([&object, &binary])
            .status()
            .expect("objcopy starts");
        assert!(status.success());
        let mut theirs = std::fs::read(&binary).unwrap();
        mask(&mut theirs);
        if ours != theirs {
            let at =
                ours.iter().zip(&theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
            let window =
                |bytes: &[u8]| format!("{:02x?}", &bytes[at.saturating_sub(12)..bytes.len().min(at + 16)]);
            panic!(
                "{stem}: bytes differ at {at:#x}\nours   {}\ntheirs {}\n{}",
                window(&ours),
                window(&theirs),
                around(mode, &ours, &text, at)
            );
        }
    }
}

/// The lines of the instructions about an offset.
fn around(mode: Mode, bytes: &[u8], text: &str, at: usize) -> String {
    let bits = if mode == Mode::Bits32 { 32 } else { 64 };
    let mut decoder = iced_x86::Decoder::new(bits, bytes, 0);
    let mut count = 0;
    while decoder.can_decode() && decoder.position() + decoder.decode().len() <= at {
        count += 1;
    }
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with('\t')).collect();
    lines[lines.len().min(count.max(2) - 2)..lines.len().min(count + 2)].join("\n")
}

/// xorshift64*
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) * u64::from(n)) >> 32) as u32
    }
}

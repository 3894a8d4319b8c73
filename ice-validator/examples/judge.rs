//! Verdicts on many short texts: reads records from the standard input, writes a byte a record, 1 for accepted.
//!
//! A record is a byte for the target (0 is x86-64, 1 x86-32, 2 ARM, 3 MIPS), a length of two bytes, little-endian,
//! and the text, which stands at 0x20000. With `cases N` it writes records instead: all openings of one to three bytes on
//! both x86, alone and behind an instruction that confines `eax`, and N confined functions with random changes for each. `cargo
//! xtask validators` compares with other validators by this.

#[path = "../tests/common/mutants.rs"]
mod mutants;

use ice_validator::{Features, Target, Text, scratch_words, validate};
use mutants::{PARTS_32, PARTS_64, Random, function, mutate};
use std::io::{self, BufReader, BufWriter, Read, Write};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next().and_then(|count| count.parse().ok())) {
        (Some("cases"), Some(count)) => write_cases(count),
        _ => judge(),
    }
}

fn judge() -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::new(io::stdout().lock());
    let mut scratch = vec![0; scratch_words(1 << 16)];
    let mut bytes = Vec::new();
    let mut head = [0; 3];
    while input.read_exact(&mut head).is_ok() {
        bytes.resize(usize::from(u16::from_le_bytes([head[1], head[2]])), 0);
        input.read_exact(&mut bytes)?;
        let text = Text { bytes: &bytes, address: 0x2_0000 };
        let target = Target::ALL[usize::from(head[0]) & 3];
        output.write_all(&[validate(target, Features::ALL, text, &mut scratch).is_ok().into()])?;
    }
    output.flush()
}

fn write_record(output: &mut impl Write, target: u8, bytes: &[u8]) -> io::Result<()> {
    output.write_all(&[target])?;
    output.write_all(&(bytes.len() as u16).to_le_bytes())?;
    output.write_all(bytes)
}

/// Bytes from hexadecimal digits with blanks.
fn bytes(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|digits| u8::from_str_radix(digits, 16).expect("digits")).collect()
}

fn write_cases(count: usize) -> io::Result<()> {
    let mut output = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    for (target, confining) in [(0, &[][..]), (0, &[0x89, 0xc0]), (1, &[])] {
        let mut text = [0xf4; 32];
        text[..confining.len()].copy_from_slice(confining);
        for opening in 0..1u32 << 24 {
            text[confining.len()..confining.len() + 3].copy_from_slice(&opening.to_be_bytes()[1..]);
            write_record(&mut output, target, &text)?;
        }
    }
    for (target, parts) in [(0, PARTS_64), (1, PARTS_32)] {
        let parts: Vec<_> = parts.iter().map(|part| bytes(part)).collect();
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..count {
            let mut code = function(&mut random, &parts, 2);
            mutate(&mut random, &mut code, &parts);
            write_record(&mut output, target, &code)?;
        }
    }
    output.flush()
}

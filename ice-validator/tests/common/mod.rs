//! Short texts and their verdicts.

pub mod mutants;
pub mod mutants_arm;
pub mod mutants_mips;
pub mod mutants_words;
pub mod slow;
pub mod slow_arm;
pub mod slow_mips;

use ice_validator::{Features, Refusal, Target, Text, scratch_words, validate};

/// Where texts of tests stand.
pub const ADDRESS: u32 = 0x20000;

/// The verdict on whole bundles, with every extension.
pub fn verdict(target: Target, bytes: &[u8]) -> Result<(), Refusal> {
    let mut scratch = vec![u64::MAX; scratch_words(bytes.len())];
    validate(target, Features::ALL, Text { bytes, address: ADDRESS }, &mut scratch)
}

/// What stands in the rest of a bundle.
fn padding(target: Target) -> &'static [u8] {
    match target {
        Target::Arm32 => &[0x00, 0xf0, 0x20, 0xe3],
        Target::Mips32 => &[0, 0, 0, 0],
        _ => &[0x90],
    }
}

/// The verdict on code at the start of a bundle that ends in nops.
pub fn padded_verdict(target: Target, code: &[u8]) -> Result<(), Refusal> {
    let mut bytes = code.to_vec();
    while !bytes.len().is_multiple_of(target.bundle()) || bytes.is_empty() {
        bytes.extend(padding(target));
    }
    verdict(target, &bytes)
}

/// Bytes written as hexadecimal digits with any blanks between them; `*N` behind a byte repeats it.
pub fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in text.split_whitespace() {
        let (digits, count) = word.split_once('*').unwrap_or((word, "1"));
        let byte = u8::from_str_radix(digits, 16).expect(text);
        bytes.extend(std::iter::repeat_n(byte, count.parse().expect(text)));
    }
    bytes
}

/// Words of 32 bits as hexadecimal digits, little-endian.
pub fn words(text: &str) -> Vec<u8> {
    let word = |word: &str| u32::from_str_radix(word, 16).expect(text).to_le_bytes();
    text.split_whitespace().flat_map(word).collect()
}

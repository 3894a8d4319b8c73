//! Confined functions of machines whose instructions are words, with random changes.

use super::mutants::Random;

/// What differs between these machines.
#[derive(Clone, Copy)]
pub struct Words {
    /// What does nothing.
    pub nop: [u8; 4],
    /// Whether a sequence ends its bundle.
    pub ends_bundle: fn(&[u8]) -> bool,
}

/// Bundles of random parts; a call ends its own.
pub fn function_of_words(random: &mut Random, words: Words, parts: &[Vec<u8>], bundles: usize) -> Vec<u8> {
    let mut code = Vec::new();
    for _ in 0..bundles {
        let mut bundle = Vec::new();
        for _ in 0..5 {
            let part = &parts[random.below(parts.len())];
            if bundle.len() + part.len() > 16 {
                continue;
            }
            while (words.ends_bundle)(part) && bundle.len() + part.len() < 16 {
                bundle.extend(words.nop);
            }
            bundle.extend(part);
        }
        while bundle.len() < 16 {
            bundle.extend(words.nop);
        }
        code.extend(bundle);
    }
    code
}

/// Changes words of a function at one to three places.
pub fn mutate_words(random: &mut Random, words: Words, code: &mut Vec<u8>, parts: &[Vec<u8>]) {
    for _ in 0..=random.below(2) {
        let at = random.below(code.len() / 4) * 4;
        match random.below(6) {
            0 | 1 => code[at + random.below(4)] ^= 1 << random.below(8),
            2 => code[at + random.below(4)] = random.next() as u8,
            3 => {
                code.drain(at..at + 4);
                code.extend(words.nop);
            }
            4 => {
                code.splice(at..at, words.nop);
                code.truncate(code.len() - 4);
            }
            _ => {
                let part = &parts[random.below(parts.len())];
                let length = part.len().min(code.len() - at);
                code[at..at + length].copy_from_slice(&part[..length]);
            }
        }
    }
}

//! Confined functions of x86 and ARM with random changes.

/// xorshift64*, for tests.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end
    }
}

/// Sequences that confined functions of x86-64 consist of.
pub const PARTS_64: &[&str] = &[
    "89 C0 41 8B 0C 07",
    "8D 47 08 41 8B 0C 07",
    "8D 4C 81 10 45 89 04 0F",
    "89 D2 F2 41 0F 10 04 17",
    "8B 04 24",
    "89 45 F8",
    "8B 05 00 00 00 00",
    "83 EC 10 4C 01 FC",
    "8D 65 08 4A 8D 24 3C",
    "89 E5 4C 01 FD",
    "48 83 E4 F0",
    "48 89 EC",
    "58",
    "50",
    "68 00 00 02 00",
    "41 83 E3 E0 4D 01 FB 41 FF E3",
    "83 E1 E0 4C 01 F9 FF D1",
    "89 F6 49 8D 34 37 89 FF 49 8D 3C 3F F3 A4",
    "89 FF 49 8D 3C 3F F3 AA",
    "01 D8",
    "0F AF C1",
    "C1 E0 03",
    "66 0F EF C0",
    "F2 0F 58 C1",
    "0F 44 C1",
    "0F B6 C8",
    "0F 94 C0",
    "85 C0",
    "74 02",
    "EB 04",
    "90",
    "0F 1F 40 00",
    "F0 0F B1 0C 24",
    "89 C0 F0 41 0F C1 0C 07",
    "0F 0B",
    "F4",
    "99",
    "F7 F9",
    "48 63 C8",
    "0F BA E0 03",
];
/// Those of x86-32.
pub const PARTS_32: &[&str] = &[
    "8B 04 85 00 10 00 00",
    "89 4C 24 04",
    "83 E0 E0 FF E0",
    "83 E1 E0 FF D1",
    "59",
    "55",
    "89 E5",
    "C9",
    "83 EC 10",
    "65 A1 00 00 00 00",
    "65 8B 0D 04 00 00 00",
    "F3 A4",
    "AB",
    "D9 45 08",
    "DD D8",
    "66 0F EF C0",
    "F2 0F 58 01",
    "0F AF C1",
    "C1 E0 03",
    "0F B6 C8",
    "85 C0",
    "74 02",
    "EB 04",
    "90",
    "0F 1F 40 00",
    "F0 0F B1 08",
    "0F 0B",
    "F4",
    "99",
    "F7 F9",
    "0F C7 0F",
    "40",
    "A1 00 00 00 10",
];

/// Bundles of random parts.
pub fn function(random: &mut Random, parts: &[Vec<u8>], bundles: usize) -> Vec<u8> {
    let mut code = Vec::new();
    for _ in 0..bundles {
        let end = code.len() + 32;
        for _ in 0..12 {
            let part = &parts[random.below(parts.len())];
            if code.len() + part.len() <= end {
                code.extend(part);
            }
        }
        code.resize(end, 0x90);
    }
    code
}

/// Changes a function at one to four places.
pub fn mutate(random: &mut Random, code: &mut Vec<u8>, parts: &[Vec<u8>]) {
    for _ in 0..=random.below(3) {
        let at = random.below(code.len());
        match random.below(5) {
            0 => code[at] ^= 1 << random.below(8),
            1 => code[at] = random.next() as u8,
            2 => {
                code.remove(at);
                code.push(0x90);
            }
            3 => {
                code.insert(at, random.next() as u8);
                code.pop();
            }
            _ => {
                let part = &parts[random.below(parts.len())];
                let length = part.len().min(code.len() - at);
                code[at..at + length].copy_from_slice(&part[..length]);
            }
        }
    }
}

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

/// Sequences that confined functions of ARM consist of, in words.
pub const PARTS_ARM: &[&str] = &[
    "E3C00103 E5901000",
    "E3C11103 E5C12004",
    "E3C22103 E0C230B2",
    "E3C22103 E4923004",
    "E3C22103 E1D230D8",
    "E3C44103 E1C420D0",
    "E3C00103 ED900B02",
    "E3C11103 ED811A00",
    "E3C00103 F460020D",
    "E3C11103 F4410A0F",
    "E3C00103 E8B001F0",
    "E3C00103 ECB08B10",
    "03C00103 05801000",
    "13C55103 15D56000",
    "E3100103 05801000",
    "E3C11103 E1912F9F",
    "E3C11103 E1813F92",
    "E3CEE13F E12FFF1E",
    "E3C3313F E12FFF13",
    "E3CCC13F E12FFF3C",
    "EB000002",
    "E24DD010 E3CDD103",
    "E28DDA01 E3CDD103",
    "224DDA01 E3CDD103",
    "E3CBD103",
    "E92D4010",
    "E8BD4010",
    "ED2D8B04",
    "E49DE004",
    "E59D1008",
    "E58D0000",
    "E5990000",
    "E5990004",
    "E0810002",
    "E0911002",
    "E1510002",
    "E3510000",
    "E3001234",
    "E3401002",
    "03A00001",
    "E0030291",
    "E1A01102",
    "EE310B02",
    "EEF1FA10",
    "EC410B12",
    "F2210150",
    "EA000000",
    "0A000001",
    "1AFFFFFD",
    "E320F000",
    "E7FEDEF0",
    "F57FF05B",
    "E125BE70",
];

const NOP: [u8; 4] = [0x00, 0xf0, 0x20, 0xe3];

/// Bundles of random parts; a call ends its own.
pub fn function_of_words(random: &mut Random, parts: &[Vec<u8>], bundles: usize) -> Vec<u8> {
    let mut code = Vec::new();
    for _ in 0..bundles {
        let mut bundle = Vec::new();
        for _ in 0..5 {
            let part = &parts[random.below(parts.len())];
            if bundle.len() + part.len() > 16 {
                continue;
            }
            let last = u32::from_le_bytes(part[part.len() - 4..].try_into().expect("a word"));
            let is_call = last >> 24 == 0xeb || last & 0x0fff_fff0 == 0x012f_ff30;
            while is_call && bundle.len() + part.len() < 16 {
                bundle.extend(NOP);
            }
            bundle.extend(part);
        }
        while bundle.len() < 16 {
            bundle.extend(NOP);
        }
        code.extend(bundle);
    }
    code
}

/// Changes words of a function at one to three places.
pub fn mutate_words(random: &mut Random, code: &mut Vec<u8>, parts: &[Vec<u8>]) {
    for _ in 0..=random.below(2) {
        let at = random.below(code.len() / 4) * 4;
        match random.below(6) {
            0 | 1 => code[at + random.below(4)] ^= 1 << random.below(8),
            2 => code[at + random.below(4)] = random.next() as u8,
            3 => {
                code.drain(at..at + 4);
                code.extend(NOP);
            }
            4 => {
                code.splice(at..at, NOP);
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

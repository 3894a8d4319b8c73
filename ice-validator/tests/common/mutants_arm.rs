//! Sequences that confined functions of ARM consist of.

use super::mutants_words::Words;

/// Calls are at the ends of bundles.
pub const ARM: Words = Words { nop: [0x00, 0xf0, 0x20, 0xe3], ends_bundle };

fn ends_bundle(part: &[u8]) -> bool {
    let last = u32::from_le_bytes(part[part.len() - 4..].try_into().expect("a word"));
    last >> 24 == 0xeb || last & 0x0fff_fff0 == 0x012f_ff30
}

/// In words.
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

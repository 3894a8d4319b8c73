//! Sequences that confined functions of MIPS consist of.

use super::mutants_words::Words;

/// A bundle is filled with nops; calls are two or three words with their slot.
pub const MIPS: Words = Words { nop: [0; 4], ends_bundle };

fn ends_bundle(part: &[u8]) -> bool {
    let words: Vec<_> =
        part.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("a word"))).collect();
    // jal, jalr and bal stand before their slot.
    let call = words.len().checked_sub(2).map_or(0, |call| words[call]);
    call >> 26 == 3 || call & 0xfc00_003f == 9 || call & 0xfc10_0000 == 0x0410_0000
}

/// In words.
pub const PARTS_MIPS: &[&str] = &[
    "004F1024 8C430000",
    "004F1024 AC430000",
    "004F1024 C4410000",
    "008F2024 90850004",
    "00CF3024 A4C8FFFE",
    "00EF3824 88E90003",
    "00EF3824 98E90000",
    "00EF3824 B8E90003",
    "00AF2824 D4A20008",
    "00AF2824 F4B40010",
    "008F2024 C0880000",
    "008F2024 E0880000",
    "03CFF024 8FDF0010",
    "03EEF824 03E00008 00000000",
    "03EEF824 03E00008 8FA20010",
    "032EC824 03200008 24020001",
    "032EC824 0320F809 0",
    "032EC824 0320F809 00A02025",
    "0C008000 0",
    "0C008004 24040001",
    "04110003 0",
    "27BDFFE0 03AFE824",
    "03C0E825 03AFE824",
    "03A1E821 03AFE824",
    "8FA20000",
    "AFBF0014",
    "F7B40020",
    "8F020000",
    "8F030004",
    "00851021",
    "00A4102A",
    "2442FFFF",
    "3C021002",
    "0082000A",
    "00831018",
    "00001012",
    "00A00034",
    "7C020420",
    "7C8518C4",
    "70821020",
    "44820000",
    "44020000",
    "46201082",
    "4602003C",
    "46800021",
    "10000002 0",
    "10400001 24420001",
    "54400001 24420001",
    "45000002 0",
    "45030001 8FA30004",
    "1440FFFD 0",
    "08008000 0",
    "00000000",
    "0000000D",
    "0000000F",
];

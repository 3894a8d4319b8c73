//! Bytes a second, on a text of the size of a large program.

#![allow(missing_docs, reason = "the macros of criterion make functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ice_validator::{Features, Target, Text, scratch_words, validate};

/// What functions mostly consist of: a bundle that keeps the rules.
fn bundle(target: Target) -> Vec<u8> {
    let words = |words: [u32; 4]| words.into_iter().flat_map(u32::to_le_bytes).collect();
    match target {
        // mov, access; add; lea, access; cmp; jne; a load from the stack; nop
        Target::X86_64 => vec![
            0x89, 0xc0, 0x41, 0x8b, 0x0c, 0x07, 0x01, 0xc8, 0x8d, 0x4c, 0x87, 0x08, 0x45, 0x89, 0x04, 0x0f,
            0x39, 0xd8, 0x75, 0xec, 0x8b, 0x44, 0x24, 0x10, 0x0f, 0x1f, 0x80, 0, 0, 0, 0, 0x90,
        ],
        Target::X86_32 => vec![
            0x8b, 0x0c, 0x07, 0x01, 0xc8, 0x8d, 0x4c, 0x87, 0x08, 0x89, 0x04, 0x0f, 0x39, 0xd8, 0x75, 0xf0,
            0x8b, 0x44, 0x24, 0x10, 0x83, 0xe9, 0x20, 0xc1, 0xe0, 0x03, 0x83, 0xe1, 0xe0, 0xff, 0xe1, 0x90,
        ],
        Target::Arm32 => words([0xe3c0_0103, 0xe590_1004, 0xe081_1002, 0xe1a0_0001]),
        _ => words([0x004f_1024, 0x8c43_0004, 0x0062_1821, 0x2463_0001]),
    }
}

fn bench(criterion: &mut Criterion) {
    for target in Target::ALL {
        let bytes = bundle(target).repeat((4 << 20) / target.bundle());
        let mut scratch = vec![0; scratch_words(bytes.len())];
        let mut group = criterion.benchmark_group("validate");
        group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
        group.bench_function(format!("{target:?}"), |bencher| {
            let text = Text { bytes: &bytes, address: 0x2_0000 };
            bencher.iter(|| validate(target, Features::ALL, text, &mut scratch).expect("accepted"));
        });
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);

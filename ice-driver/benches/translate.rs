//! Time of whole translations, from the bytes of a program to the bytes of an object.

#![allow(missing_docs, reason = "the macro makes an undocumented function")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ice_driver::{Arch, Options, compile_to};

fn translate(criterion: &mut Criterion) {
    let corpus = std::env::var("ICE_CORPUS").unwrap_or_else(|_| "../shared/corpus".into());
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(corpus);
    for name in ["bench/nbody", "large/laszip"] {
        let Ok(input) = std::fs::read(root.join(name).with_extension("pexe")) else {
            println!("skipped: no {name} in the corpus");
            continue;
        };
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(input.len() as u64)).sample_size(20);
        for arch in [Arch::X86_32, Arch::X86_64] {
            for threads in [0, 2] {
                let options = Options { threads, ..Options::new(arch) };
                group.bench_function(format!("{arch}, {threads} threads"), |bencher| {
                    bencher.iter(|| {
                        let mut object = Vec::new();
                        compile_to(&input, &options, &mut object).expect("the program is well-formed");
                        object.len()
                    });
                });
            }
        }
    }
}

criterion_group!(benches, translate);
criterion_main!(benches);

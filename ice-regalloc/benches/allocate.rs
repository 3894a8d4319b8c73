//! Time of an allocation over the size of the function, in both modes, and of the liveness in it (validation,
//! sets, live intervals): each should grow in proportion.
//!
//! The function is a chain of loops with about ten values each, of which some live far; the sizes
//! are numbers of values. `cargo bench -p ice-regalloc`

#![allow(missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{GPR, X86, chain_of_loops};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ice_regalloc::{Context, Mode, Options, VReg};
use std::hint::black_box;

fn allocate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("allocate");
    group.sample_size(10);
    for values in [10, 100, 1000, 10_000, 100_000, 1_000_000] {
        let func = chain_of_loops(values).build();
        assert!(func.num_vregs() >= values && func.vreg_class(VReg::from_u32(0)) == GPR);
        group.throughput(Throughput::Elements(func.num_insts() as u64));
        for mode in [Mode::Minimal, Mode::Linear] {
            let options = Options { mode, ..Options::default() };
            let mut context = Context::new();
            group.bench_with_input(BenchmarkId::new(format!("{mode:?}"), values), &func, |bencher, func| {
                bencher.iter(|| context.allocate(black_box(func), &X86, &options).is_ok());
            });
        }
        let mut context = Context::new();
        group.bench_with_input(BenchmarkId::new("liveness", values), &func, |bencher, func| {
            bencher.iter(|| context.live_segments(black_box(func), &X86).is_ok());
        });
    }
    group.finish();
}

criterion_group!(benches, allocate);
criterion_main!(benches);

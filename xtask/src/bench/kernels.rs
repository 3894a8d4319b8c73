//! Instructions executed by small programs in C (`xtask/bench/kernels`) in an emulator, Ice's code beside llc's.
//!
//! clang compiles each kernel once to bitcode, with its own optimisations but without vectors; `llc -O2` and Ice
//! translate the same bitcode for the same processor. A driver prints what the kernel computed, which must be the
//! same.

use super::counter::{Counter, emulator, geometric_mean};
use crate::process;
use crate::toolchain::{Target, need_tools, succeed};
use crate::workspace::{Profile, Workspace};
use anyhow::ensure;
use std::path::{Path, PathBuf};

/// The kernels.
const KERNELS: [&str; 17] = [
    "matmul",
    "fft",
    "quicksort",
    "crc32",
    "sha256",
    "base64",
    "lz",
    "mandelbrot",
    "nqueens",
    "search",
    "sieve",
    "dijkstra",
    "nbody",
    "dct",
    "hash",
    "bignum",
    "machine",
];

/// What clang does.
const CLANG: [&str; 5] = ["-O2", "-fno-vectorize", "-fno-slp-vectorize", "-emit-llvm", "-c"];

/// Ice's recipes, in the order of the columns.
const LEVELS: [&str; 2] = ["-O2", "-Om1"];

/// What is measured, and where.
struct Kernels<'a> {
    target: Target,
    ice: &'a Path,
    sources: PathBuf,
    results: PathBuf,
    counter: &'a Counter,
}

/// Prints the table of kernels of each target.
pub fn run(workspace: &Workspace, targets: &[Target]) -> anyhow::Result<()> {
    need_tools(&["clang-19", "llc-19"])?;
    for &target in targets {
        need_tools(&[target.compiler(), emulator(target)])?;
    }
    let results = workspace.results("kernels")?;
    let counter = Counter::build(&results)?;
    let ice = workspace.build_ice(Profile::Release)?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/kernels");
    for &target in targets {
        let (sources, results) = (sources.clone(), results.clone());
        Kernels { target, ice: &ice, sources, results, counter: &counter }.table()?;
    }
    Ok(())
}

impl Kernels<'_> {
    fn table(&self) -> anyhow::Result<()> {
        let target = self.target.name();
        println!("Instructions executed on {target}, in millions, and their ratios to llc-19 -O2\n");
        println!("| kernel | llc -O2 | ice O2 | ice Om1 | O2 / llc | Om1 / llc |\n|---|---|---|---|---|---|");
        let mut all = [const { Vec::new() }; LEVELS.len()];
        for name in KERNELS {
            let (theirs, ours) = self.measure(name)?;
            let ratios = ours.map(|count| count as f64 / theirs as f64);
            all.iter_mut().zip(ratios).for_each(|(all, ratio)| all.push(ratio));
            let [theirs, o2, om1] = [theirs, ours[0], ours[1]].map(super::millions);
            println!("| {name} | {theirs} | {o2} | {om1} | {:.2} | {:.2} |", ratios[0], ratios[1]);
        }
        let [o2, om1] = all.map(|ratios| geometric_mean(&ratios));
        println!("| geometric mean | | | | {o2:.3} | {om1:.3} |\n");
        Ok(())
    }

    /// The counts of llc's code and of Ice's at each level.
    fn measure(&self, name: &str) -> anyhow::Result<(u64, [u64; LEVELS.len()])> {
        let bitcode = self.results.join(format!("{name}.bc"));
        let mut clang = process::command(Path::new("clang-19"), self.target.clang_flags());
        clang.args(CLANG);
        succeed(clang.arg(self.sources.join(format!("{name}.c"))).arg("-o").arg(&bitcode))?;
        let object = self.results.join(format!("{name}.o"));
        let flags = ["-O2", "-filetype=obj", "-relocation-model=static", "-fp-contract=off", "-o"];
        succeed(process::command(Path::new("llc-19"), flags).arg(&object).arg(&bitcode))?;
        let (expected, theirs) = self.execute(name, &object)?;
        let mut counts = [0; LEVELS.len()];
        for (level, count) in LEVELS.into_iter().zip(&mut counts) {
            let flags = ["translate", "--target", self.target.name(), "--relocation-model", "static", level];
            succeed(process::command(self.ice, flags).arg(&bitcode).arg("-o").arg(&object))?;
            let (output, instructions) = self.execute(name, &object)?;
            ensure!(output == expected, "{name} {level} prints something else than llc's code");
            *count = instructions;
        }
        Ok((theirs, counts))
    }

    /// Links the kernel with its driver, runs it, and gives what it prints and the number of its instructions.
    fn execute(&self, name: &str, object: &Path) -> anyhow::Result<(Vec<u8>, u64)> {
        let program = self.results.join(name);
        let mut link = process::command(Path::new(self.target.compiler()), ["-static", "-O1", "-o"]);
        succeed(link.arg(&program).arg(self.sources.join("main.c")).arg(object))?;
        self.counter.run(self.target, &program)
    }
}

//! Instructions executed by small programs in C (`xtask/bench/kernels`) in an emulator, Ice's code beside llc's.
//!
//! clang compiles each kernel once to bitcode, with its own optimisations but without vectors; `llc -O2` and Ice
//! translate the same bitcode for the same processor. A driver prints what the kernel computed, which must be the
//! same. The instructions are counted by a plugin of QEMU (`xtask/bench/count.c`), those of the C library's
//! start and end, some ten thousand, among them.

use crate::process::{self, End};
use crate::toolchain::{Target, need_tools, read, succeed};
use crate::workspace::{Profile, Workspace, show};
use anyhow::{Context as _, bail, ensure};
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
    plugin: PathBuf,
}

/// Prints the table of kernels of each target.
pub fn run(workspace: &Workspace, targets: &[Target]) -> anyhow::Result<()> {
    need_tools(&["clang-19", "llc-19", "cc"])?;
    for target in targets {
        need_tools(&[target.compiler()])?;
        need_tools(target.emulator().get(..1).context("only emulators count instructions")?)?;
    }
    let results = workspace.results("kernels")?;
    let plugin = results.join("count.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/count.c");
    let mut build = process::command(Path::new("cc"), ["-O2", "-Wall", "-shared", "-fPIC", "-o"]);
    succeed(build.arg(&plugin).arg(&source))?;
    let ice = workspace.build_ice(Profile::Release)?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/kernels");
    for &target in targets {
        let (sources, results, plugin) = (sources.clone(), results.clone(), plugin.clone());
        Kernels { target, ice: &ice, sources, results, plugin }.table()?;
    }
    Ok(())
}

impl Kernels<'_> {
    fn table(&self) -> anyhow::Result<()> {
        let target = self.target.name();
        println!("Instructions executed on {target}, in millions, and their ratios to llc-19 -O2\n");
        println!("| kernel | llc -O2 | ice O2 | ice Om1 | O2 / llc | Om1 / llc |\n|---|---|---|---|---|---|");
        let mut logarithms = [0.0; LEVELS.len()];
        for name in KERNELS {
            let (theirs, ours) = self.measure(name)?;
            let ratios = ours.map(|count| count as f64 / theirs as f64);
            for (sum, ratio) in logarithms.iter_mut().zip(ratios) {
                *sum += ratio.ln();
            }
            let [theirs, o2, om1] = [theirs, ours[0], ours[1]].map(super::millions);
            println!("| {name} | {theirs} | {o2} | {om1} | {:.2} | {:.2} |", ratios[0], ratios[1]);
        }
        let [o2, om1] = logarithms.map(|sum| (sum / KERNELS.len() as f64).exp());
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
        let counts = self.results.join("count");
        let plugin = format!("{},out={}", show(&self.plugin), show(&counts));
        let [emulator, flags @ ..] = self.target.emulator() else {
            bail!("only emulators count instructions");
        };
        let mut emulator = process::command(Path::new(emulator), flags);
        emulator.args(["-plugin", &plugin]).arg(&program);
        let outcome = process::run(&mut emulator, super::LIMIT)?;
        ensure!(outcome.end == End::Exit(0), "{name}: {}", outcome.end);
        let count = read(&counts)?.trim().parse().with_context(|| format!("{name}: no count"))?;
        Ok((outcome.output, count))
    }
}

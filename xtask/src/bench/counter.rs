//! Counts the instructions of static programs of any target, in an emulator.
//!
//! A plugin of QEMU (`xtask/bench/count.c`) counts; those of the C library's start and end, some ten thousand, are
//! among them.

use crate::process::{self, End};
use crate::toolchain::{Target, need_tools, read, succeed};
use crate::workspace::show;
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The plugin, built, and where it writes.
pub struct Counter {
    plugin: PathBuf,
    counts: PathBuf,
}

impl Counter {
    /// Builds the plugin in `results`.
    ///
    /// # Errors
    /// The compiler is missing or fails.
    pub fn build(results: &Path) -> anyhow::Result<Counter> {
        need_tools(&["cc"])?;
        let plugin = results.join("count.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/count.c");
        let mut build = process::command(Path::new("cc"), ["-O2", "-Wall", "-shared", "-fPIC", "-o"]);
        succeed(build.arg(&plugin).arg(&source))?;
        Ok(Counter { plugin, counts: results.join("count") })
    }

    /// Runs a static program, and gives what it prints and the number of its instructions.
    ///
    /// # Errors
    /// The emulator is missing, or the program does not end with 0.
    pub fn run(&self, target: Target, program: &Path) -> anyhow::Result<(Vec<u8>, u64)> {
        let plugin = format!("{},out={}", show(&self.plugin), show(&self.counts));
        let mut command: Command = process::command(Path::new(emulator(target)), ["-plugin", &plugin]);
        command.arg(program);
        let outcome = process::run(&mut command, super::LIMIT)?;
        ensure!(outcome.end == End::Exit(0), "{}: {}", show(program), outcome.end);
        let count = read(&self.counts)?.trim().parse();
        Ok((outcome.output, count.with_context(|| format!("{}: no count", show(program)))?))
    }
}

/// The emulator of a target's processor.
pub fn emulator(target: Target) -> &'static str {
    match target {
        Target::X86_64 => "qemu-x86_64",
        Target::I686 => "qemu-i386",
        Target::Armv7 => "qemu-arm",
        Target::Mipsel => "qemu-mipsel",
        Target::Aarch64 => "qemu-aarch64",
    }
}

/// The geometric mean; of no numbers, not a number.
pub fn geometric_mean(numbers: &[f64]) -> f64 {
    (numbers.iter().map(|number| number.ln()).sum::<f64>() / numbers.len() as f64).exp()
}

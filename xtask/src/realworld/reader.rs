//! Speed of the reader of LLVM bitcode alone: the example `count` of ice-bitcode reads a file some times more than once,
//! and what that takes more is divided by the bytes. Starting the process and loading the file fall out.

use super::measure::least;
use crate::bench::instructions;
use crate::process;
use crate::workspace::{Workspace, has_tool, show};
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use xshell::cmd;

/// Times that the file is read in the longer of two runs.
const TIMES: u32 = 21;

/// Builds the program that only reads.
pub fn build(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let sh = &workspace.shell;
    cmd!(sh, "cargo build --quiet --release -p ice-bitcode --example count").quiet().run()?;
    Ok(workspace.target.join("release/examples/count"))
}

/// Prints megabytes a second of the processor's time, and instructions a byte where valgrind is installed.
pub fn measure(count: &Path, bitcode: &Path, scratch: &Path, rounds: usize) -> anyhow::Result<()> {
    let bytes = std::fs::metadata(bitcode).with_context(|| show(bitcode))?.len() as f64;
    let read = |times: u32| {
        let mut command = process::command(count, ["values"]);
        command.arg(bitcode).arg(times.to_string());
        command
    };
    let runs = [1, TIMES].map(|times| (String::new(), read(times)));
    let [once, often] = least(&runs, rounds)?[..] else { return Ok(()) };
    let each = (often - once) / f64::from(TIMES - 1);
    print!("  reader: {:.1} MB/s ({bytes} bytes in {:.2} ms)", bytes / each / 1e6, each * 1e3);
    if has_tool("valgrind") {
        let once = instructions(read(1), scratch)?;
        let twice = instructions(read(2), scratch)?;
        print!(", {:.1} instructions a byte", (twice - once) as f64 / bytes);
    }
    println!();
    Ok(())
}

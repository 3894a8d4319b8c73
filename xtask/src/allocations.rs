//! Many generated functions through the register allocator, each result checked and run.

use crate::arguments::Arguments;
use crate::workspace::Workspace;
use anyhow::{Context as _, ensure};
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask allocations [OPTIONS] [N]

Allocates registers for N generated functions (1000000), spread over the register files of the tests, each in
all modes; proves each result with the symbolic checker and runs it beside the original. The first wrong one
ends it, with the seed that makes it again.

  --seed S   where the seeds begin (0)
";

/// Register files that the tests use.
const REGISTER_FILES: u64 = 4;

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let seed = arguments.value("--seed", 0u64)?;
    let rest = arguments.rest()?;
    ensure!(rest.len() <= 1, "one number is all there may be; --help tells more");
    let count = match rest.first() {
        None => 1_000_000,
        Some(word) => word
            .to_str()
            .and_then(|text| text.parse::<u64>().ok())
            .with_context(|| format!("'{}' is no number of functions", word.to_string_lossy()))?,
    };
    let each = count.div_ceil(REGISTER_FILES).to_string();
    let sh = &workspace.shell;
    cmd!(sh, "cargo test --release -p ice-regalloc --test random random_functions -- --nocapture")
        .env("ICE_REGALLOC_CASES", each)
        .env("ICE_REGALLOC_SEED", seed.to_string())
        .run()?;
    Ok(())
}

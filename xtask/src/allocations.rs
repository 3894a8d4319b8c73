//! Many generated functions through the register allocator in every mode, each result checked and run.

use crate::arguments::Arguments;
use crate::workspace::Workspace;
use anyhow::{Context as _, ensure};
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask allocations [OPTIONS] [N]

Solves N generated allocation problems (1000000): functions, spread over the register files of the tests, each
in every mode. Proves each result with the symbolic checker and runs it beside the original. The first wrong
one ends it, with the seed that makes it again.

  --seed S   where the seeds begin (0)
";

/// Problems of one seed: for each of four register files three modes, and another one in every fourth.
const PROBLEMS_OF_A_SEED: u64 = 4 * 3 + 1;

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let seed = arguments.value("--seed", 0u64)?;
    let rest = arguments.rest()?;
    ensure!(rest.len() <= 1, "one number is all there may be; --help tells more");
    let count = match rest.first() {
        None => 1_000_000,
        Some(word) => word
            .to_str()
            .and_then(|text| text.parse::<u64>().ok())
            .with_context(|| format!("'{}' is no number of problems", word.to_string_lossy()))?,
    };
    let each = count.div_ceil(PROBLEMS_OF_A_SEED).to_string();
    let sh = &workspace.shell;
    cmd!(sh, "cargo test --release -p ice-regalloc --test all random_functions -- --nocapture")
        .env("ICE_REGALLOC_CASES", each)
        .env("ICE_REGALLOC_SEED", seed.to_string())
        .run()?;
    Ok(())
}

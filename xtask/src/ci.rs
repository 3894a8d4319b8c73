//! What must pass before a change is taken: formatting, lints, tests.

use crate::arguments::Arguments;
use crate::workspace::Workspace;
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask ci

Runs `cargo fmt --check`, `cargo clippy` with warnings as errors, and `cargo test`, all for the whole workspace.
With CI=true in the environment a tool that a test needs must be there.
";

pub fn run(workspace: &Workspace, arguments: Arguments) -> anyhow::Result<()> {
    arguments.finish()?;
    let sh = &workspace.shell;
    cmd!(sh, "cargo fmt --all --check").run()?;
    cmd!(sh, "cargo clippy --workspace --all-targets -- -D warnings").run()?;
    cmd!(sh, "cargo test --workspace").run()?;
    Ok(())
}

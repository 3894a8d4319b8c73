//! What the text of a change must pass before it is taken: formatting and lints.

use crate::arguments::Arguments;
use crate::workspace::Workspace;
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask lint

Runs `cargo fmt --check` and `cargo clippy` with warnings as errors, both for the whole workspace with its tests. A
component that the tool chain lacks is named in one line that says `skipped`.
";

pub fn run(workspace: &Workspace, arguments: Arguments) -> anyhow::Result<()> {
    arguments.finish()?;
    let sh = &workspace.shell;
    if has(workspace, "fmt") {
        cmd!(sh, "cargo fmt --all --check").run()?;
    }
    if has(workspace, "clippy") {
        cmd!(sh, "cargo clippy --workspace --all-targets -- -D warnings").run()?;
    }
    Ok(())
}

/// Whether cargo has the command; says so if not.
fn has(workspace: &Workspace, command: &str) -> bool {
    let found = cmd!(workspace.shell, "cargo {command} --version")
        .quiet()
        .ignore_stdout()
        .ignore_stderr()
        .run()
        .is_ok();
    if !found {
        println!("skipped: there is no cargo {command} (rustup component add rustfmt clippy)");
    }
    found
}

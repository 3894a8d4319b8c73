//! What the text of a change must pass before it is taken: formatting and lints.

use crate::arguments::Arguments;
use crate::workspace::Workspace;
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask lint

Runs `cargo fmt --check` and `cargo clippy` with warnings as errors, both for the whole workspace with its tests, and
`cargo check` with warnings as errors for ice-driver and ice-jit with few of their features. A component that the tool chain lacks is
named in one line that says `skipped`.
";

/// Sets of features of ice-driver that somebody may want: the library with a machine, with a form of input, and the
/// command with one of each.
const FEATURES: [&str; 12] = [
    "",
    "x86",
    "arm32",
    "mips32",
    "aarch64",
    "x86,pexe",
    "arm32,llvm",
    "aarch64,llvm",
    "x86,text",
    "cli,x86,pexe",
    "cli,arm32,llvm",
    "cli,text,interpreter",
];

/// Sets of features of ice-jit: modules of the builder alone, and one form of files.
const JIT_FEATURES: [&str; 4] = ["", "x86", "aarch64", "arm32,text"];

pub fn run(workspace: &Workspace, arguments: Arguments) -> anyhow::Result<()> {
    arguments.finish()?;
    let sh = &workspace.shell;
    if has(workspace, "fmt") {
        cmd!(sh, "cargo fmt --all --check").run()?;
    }
    if has(workspace, "clippy") {
        cmd!(sh, "cargo clippy --workspace --all-targets -- -D warnings").run()?;
    }
    let driver = FEATURES.map(|features| ("ice-driver", features));
    let jit = JIT_FEATURES.map(|features| ("ice-jit", features));
    for (package, features) in driver.into_iter().chain(jit) {
        let package = ["-p", package, "--no-default-features", "--features", features];
        cmd!(sh, "cargo check --quiet {package...}").env("RUSTFLAGS", "-D warnings").run()?;
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

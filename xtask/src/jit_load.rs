//! `ice-jit` under load: threads of a process that compile, call and unload modules at once, and the memory they take.

use crate::arguments::Arguments;
use crate::toolchain::Target;
use crate::workspace::Workspace;
use anyhow::{Context as _, ensure};
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask jit-load [OPTIONS]

Four threads load modules into one Jit, call their functions, hand modules to each other and drop them, with both
recipes, while the memory of the process must not grow. A wrong result, a fault or growth ends it with an error.

  --targets LIST   processes of x86_64, i686, armv7, aarch64, separated by commas (x86_64,i686)
  --seconds N      so long in each process (60)
";

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let targets = Target::list(arguments.text("--targets")?)?;
    let seconds = arguments.value("--seconds", 60u64)?.to_string();
    ensure!(arguments.rest()?.is_empty(), "{HELP}");
    ensure!(!targets.contains(&Target::Mipsel), "no process of mipsel makes code");
    let sh = &workspace.shell;
    for target in targets {
        println!("{}:", target.name());
        let triple = target.rust_triple();
        // What is built for this machine is there without the flag.
        let flags = match target == Target::X86_64 && cfg!(target_arch = "x86_64") {
            true => vec![],
            false => vec!["--target", triple],
        };
        cmd!(sh, "cargo test --quiet -p ice-jit --test all {flags...} for_a_minute -- --ignored --nocapture")
            .env("ICE_JIT_SECONDS", &seconds)
            .quiet()
            .run()
            .with_context(|| format!("'rustup target add {triple}' gets what may be missing"))?;
    }
    Ok(())
}

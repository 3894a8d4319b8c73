//! `ice-validator` beside the historical validators of x86, on the same code.
//!
//! Their sources are generated C files of Native Client, which are not part of this repository: a directory with them is
//! named on the command line. A case that Ice accepts and they refuse is an error; where Ice is stricter, the
//! cases are counted by their first byte.

use crate::arguments::Arguments;
use crate::workspace::{Workspace, show};
use anyhow::{Context as _, ensure};
use std::collections::BTreeMap;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask validators [--mutants N] DIR

Compiles the historical validators of x86-64 and x86-32 in DIR, a checkout of Native Client, and compares their verdicts with
those of ice-validator: on all openings of one to three bytes, and on N (1000000) confined functions with random
changes for each machine. Ends with an error if Ice accepts what they refuse.
";

/// What is compiled of the checkout, below its `src/trusted/validator_ragel`.
const SOURCES: [&str; 3] =
    ["gen/validator_x86_32.c", "gen/validator_x86_64.c", "validator_features_validator.c"];

/// Compiles the peer; its sources name each other below a directory `native_client`.
fn build_peer(workspace: &Workspace, sources: &Path, results: &Path) -> anyhow::Result<PathBuf> {
    let link = results.join("native_client");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(sources, &link).with_context(|| show(&link))?;
    let peer = results.join("peer");
    let own = workspace.root.join("xtask/validators/peer.c");
    let files = SOURCES.map(|name| sources.join("src/trusted/validator_ragel").join(name));
    let systems = ["-DNACL_LINUX=1", "-DNACL_WINDOWS=0", "-DNACL_OSX=0"];
    cmd!(workspace.shell, "cc -w -O1 -I{results} {systems...} {own} {files...} -o {peer}").run()?;
    Ok(peer)
}

/// Starts the writing of cases, which are the same every time.
fn cases(judge: &Path, mutants: usize) -> anyhow::Result<Child> {
    let mut command = Command::new(judge);
    Ok(command.args(["cases", &mutants.to_string()]).stdout(Stdio::piped()).spawn()?)
}

/// The verdicts of a program on all cases.
fn verdicts(program: &Path, mut cases: Child) -> anyhow::Result<Vec<u8>> {
    let input = cases.stdout.take().context("a pipe")?;
    let output = Command::new(program).stdin(input).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{}: {}", program.display(), output.status);
    ensure!(cases.wait()?.success(), "the cases end early");
    Ok(output.stdout)
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let mutants: usize = arguments.value("--mutants", 1_000_000)?;
    let rest = arguments.rest()?;
    let [sources] = &rest[..] else {
        anyhow::bail!("one directory with the sources of the validators\n\n{HELP}")
    };
    let sources = Path::new(sources).canonicalize().context("the sources of the validators")?;
    let results = workspace.results("validators")?;
    let peer = build_peer(workspace, &sources, &results)?;
    cmd!(workspace.shell, "cargo build --release -p ice-validator --example judge").run()?;
    let judge = workspace.target.join("release/examples/judge");
    let own = verdicts(&judge, cases(&judge, mutants)?)?;
    let others = verdicts(&peer, cases(&judge, mutants)?)?;
    compare(cases(&judge, mutants)?, &own, &others)
}

/// Compares the verdicts on all cases.
fn compare(mut cases: Child, own: &[u8], others: &[u8]) -> anyhow::Result<()> {
    let mut input = BufReader::with_capacity(1 << 20, cases.stdout.take().context("a pipe")?);
    let (mut accepted, mut lax) = ([0u64; 2], Vec::new());
    let mut stricter: BTreeMap<(u8, u8), u64> = BTreeMap::new();
    let mut code = Vec::new();
    for (own, other) in own.iter().zip(others) {
        let mut head = [0; 3];
        input.read_exact(&mut head)?;
        let [target, low, high] = head;
        code.resize(usize::from(u16::from_le_bytes([low, high])), 0);
        input.read_exact(&mut code)?;
        accepted[0] += u64::from(*own);
        accepted[1] += u64::from(*other);
        match (own, other) {
            (1, 0) => lax.push((target, code.clone())),
            (0, 1) => *stricter.entry((target, code[0])).or_default() += 1,
            _ => {}
        }
    }
    ensure!(cases.wait()?.success() && own.len() == others.len(), "a verdict is missing");
    println!("{} cases; Ice accepts {}, the historical validators {}", own.len(), accepted[0], accepted[1]);
    for (target, name) in [(0, "x86-64"), (1, "x86-32")] {
        let of_target: Vec<_> = stricter.iter().filter(|((machine, _), _)| *machine == target).collect();
        let total: u64 = of_target.iter().map(|(_, count)| **count).sum();
        println!("{name}: stricter on {total} cases");
        for ((_, first), count) in of_target {
            println!("  {first:02x}... {count}");
        }
    }
    for (target, code) in lax.iter().take(20) {
        println!("Ice alone accepts, machine {target}: {code:02x?}");
    }
    ensure!(lax.is_empty(), "Ice alone accepts {} cases", lax.len());
    Ok(())
}

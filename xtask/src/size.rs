//! The size of the binary as it is shipped.

use crate::arguments::Arguments;
use crate::process;
use crate::workspace::{Profile, Workspace, show};
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask size

Builds `ice` for release, once with everything and once for one target and one form of input, strips copies, and prints
their sizes and those of their largest sections.
";

/// What is built: its name, and the features of ice-driver in place of the default ones.
const BUILDS: [(&str, Option<&str>); 2] =
    [("everything", None), ("PNaCl bitcode to x86", Some("cli,pexe,x86"))];

/// Puts a stripped copy of `ice` at `path`. Gives its size in bytes.
pub fn strip(workspace: &Workspace, ice: &Path, path: &Path) -> anyhow::Result<u64> {
    let sh = &workspace.shell;
    cmd!(sh, "strip -o {path} {ice}").quiet().run()?;
    Ok(std::fs::metadata(path).with_context(|| show(path))?.len())
}

/// Names and sizes of the sections of an ELF file, from `readelf`.
pub fn sections(file: &Path) -> anyhow::Result<Vec<(String, u64)>> {
    let mut command = process::command(Path::new("readelf"), ["-SW"]);
    let outcome = process::run(command.arg(file), Duration::from_secs(60))?;
    ensure!(outcome.end == process::End::Exit(0), "readelf {}: {}", file.display(), outcome.first_errors());
    let text = String::from_utf8_lossy(&outcome.output);
    Ok(text.lines().filter_map(section).collect())
}

/// `  [ 1] .text  PROGBITS  00000000 000034 000010 …`: the name and the third number.
fn section(line: &str) -> Option<(String, u64)> {
    let (_, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let mut words = rest.split_whitespace();
    let name = words.next()?.to_owned();
    let size = u64::from_str_radix(words.nth(3)?, 16).ok()?;
    name.starts_with('.').then_some((name, size))
}

/// The names of the builds.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILDS.into_iter().map(|(name, _)| name)
}

/// A build without symbols.
pub struct Stripped {
    pub name: &'static str,
    pub path: PathBuf,
    /// In bytes.
    pub size: u64,
}

/// Makes the builds and strips copies of them.
pub fn stripped(workspace: &Workspace) -> anyhow::Result<Vec<Stripped>> {
    let folder = workspace.results("size")?;
    let mut copies = Vec::new();
    for (index, (name, features)) in BUILDS.into_iter().enumerate() {
        let built = match features {
            Some(features) => build(workspace, features)?,
            None => workspace.build_ice(Profile::Release)?,
        };
        let path = folder.join(format!("ice-{index}"));
        let size = strip(workspace, &built, &path)?;
        copies.push(Stripped { name, path, size });
    }
    Ok(copies)
}

pub fn run(workspace: &Workspace, arguments: Arguments) -> anyhow::Result<()> {
    arguments.finish()?;
    for Stripped { name, path, size } in stripped(workspace)? {
        println!("{name}, stripped: {size} bytes");
        let mut sections = sections(&path)?;
        sections.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
        for (name, size) in sections.iter().take(8) {
            println!("  {name:<20} {size:>9}");
        }
    }
    Ok(())
}

/// Builds `ice` with these features only, in a directory of its own.
fn build(workspace: &Workspace, features: &str) -> anyhow::Result<PathBuf> {
    let (sh, directory) = (&workspace.shell, workspace.target.join("size/build"));
    let driver = ["-p", "ice-driver", "--bin", "ice", "--no-default-features", "--features", features];
    cmd!(sh, "cargo build --quiet --release {driver...} --target-dir {directory}").quiet().run()?;
    Ok(directory.join("release/ice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_readelf() {
        let line = "  [ 1] .text             PROGBITS        0000000000000000 000040 0001a4 00  AX  0   0 16";
        assert_eq!(section(line), Some((".text".into(), 0x1a4)));
        assert_eq!(section("  [Nr] Name Type Address Off Size ES Flg Lk Inf Al"), None);
        assert_eq!(
            section("  [ 0]                   NULL            00000000 000000 000000 00      0   0  0"),
            None
        );
    }
}

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

Builds `ice` for release, strips a copy, and prints its size and that of its largest sections.
";

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

pub fn run(workspace: &Workspace, arguments: Arguments) -> anyhow::Result<()> {
    arguments.finish()?;
    let path: PathBuf = workspace.results("size")?.join("ice");
    let size = strip(workspace, &workspace.build_ice(Profile::Release)?, &path)?;
    println!("ice, stripped: {size} bytes");
    let mut sections = sections(&path)?;
    sections.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
    for (name, size) in sections.iter().take(8) {
        println!("  {name:<20} {size:>9}");
    }
    Ok(())
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

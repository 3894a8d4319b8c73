//! What a release holds.

use crate::arguments::Arguments;
use crate::workspace::{Profile, Workspace, show};
use crate::{profile, size};
use anyhow::Context as _;
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask dist

Builds `ice` for release and puts it, stripped, with the README, the licences, the change log, the manual page,
the shell completions and the samples into the directory `dist` of cargo's target directory. The binary is
optimised with a profile of its own translations if llvm-profdata is there, which takes a second build, and then has its
C library in it, if that can be.
";

const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// Files that `ice` itself writes.
const WRITTEN: [(&str, &[&str]); 4] = [
    ("ice.1", &["--man"]),
    ("completions/ice.bash", &["--completions", "bash"]),
    ("completions/_ice", &["--completions", "zsh"]),
    ("completions/ice.fish", &["--completions", "fish"]),
];

pub fn run(workspace: &Workspace, arguments: Arguments) -> anyhow::Result<()> {
    arguments.finish()?;
    let sh = &workspace.shell;
    let directory = workspace.target.join("dist");
    sh.remove_path(&directory)?;
    sh.create_dir(directory.join("completions"))?;
    sh.create_dir(directory.join("samples"))?;
    let ice = directory.join("ice");
    let built = match profile::build(workspace)? {
        Some(built) => built,
        None => workspace.build_ice(Profile::Release)?,
    };
    let size = size::strip(workspace, &built, &ice)?;
    for file in FILES {
        sh.copy_file(file, directory.join(file))?;
    }
    for (file, flags) in WRITTEN {
        let text = cmd!(sh, "{ice} {flags...}").quiet().read()?;
        sh.write_file(directory.join(file), text + "\n")?;
    }
    for sample in sh.read_dir("samples")? {
        let name = sample.file_name().with_context(|| show(&sample))?;
        sh.copy_file(&sample, directory.join("samples").join(name))?;
    }
    println!("{}: ice of {size} bytes", directory.display());
    Ok(())
}

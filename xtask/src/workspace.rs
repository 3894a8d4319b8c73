//! Where things are, and building them.

use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

pub use crate::tools::is_installed as has_tool;

/// The targets that `ice` has.
pub const TARGETS: [&str; 5] = ["x86_64", "i686", "armv7", "mipsel", "aarch64"];

/// How `ice` is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// With assertions.
    Dev,
    /// As users get it.
    Release,
}

/// The workspace, and a shell in its root.
pub struct Workspace {
    /// Runs commands in the root.
    pub shell: Shell,
    /// The directory of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Where cargo builds.
    pub target: PathBuf,
}

impl Workspace {
    /// The workspace that this program was built in.
    pub fn open() -> anyhow::Result<Workspace> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.parent().context("xtask lies in no workspace")?.to_owned();
        let shell = Shell::new()?;
        shell.change_dir(&root);
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(directory) => root.join(directory),
            None => root.join("target"),
        };
        Ok(Workspace { shell, root, target })
    }

    /// Builds the command `ice`.
    pub fn build_ice(&self, profile: Profile) -> anyhow::Result<PathBuf> {
        let sh = &self.shell;
        let (flag, directory) = match profile {
            Profile::Dev => (None, "debug"),
            Profile::Release => (Some("--release"), "release"),
        };
        cmd!(sh, "cargo build --quiet -p ice-driver --bin ice {flag...}").quiet().run()?;
        let ice = self.target.join(directory).join("ice");
        ensure!(ice.is_file(), "{} was not built", ice.display());
        Ok(ice)
    }

    /// The corpus of real programs: `ICE_CORPUS`, or `../shared/corpus` if it is there.
    pub fn corpus(&self) -> anyhow::Result<PathBuf> {
        let corpus = match std::env::var_os("ICE_CORPUS") {
            Some(path) => PathBuf::from(path),
            None => self.root.join("../shared/corpus"),
        };
        ensure!(corpus.join("cases.tsv").is_file(), "no corpus; name one with ICE_CORPUS");
        Ok(corpus)
    }

    /// A directory for the results of a command, made if it is missing.
    pub fn results(&self, name: &str) -> anyhow::Result<PathBuf> {
        let directory = self.target.join(name);
        std::fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        Ok(directory)
    }
}

/// The targets of `--targets a,b`, or all, of those that there are.
pub fn targets(list: Option<String>, all: &[&str]) -> anyhow::Result<Vec<String>> {
    let Some(list) = list else { return Ok(all.iter().map(|&target| target.to_owned()).collect()) };
    let targets: Vec<String> = list.split(',').map(str::to_owned).collect();
    for target in &targets {
        ensure!(all.contains(&&**target), "unknown target '{target}'; there are {}", all.join(", "));
    }
    Ok(targets)
}

/// A path as text for a message or an argument.
pub fn show(path: &Path) -> String {
    path.display().to_string()
}

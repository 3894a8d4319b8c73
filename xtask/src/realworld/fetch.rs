//! Sources of the programs, through cargo: a project of its own names the crates, and `cargo vendor` brings them.

use super::programs::PROGRAMS;
use crate::toolchain::{succeed, write};
use crate::workspace::{Workspace, show};
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory with one folder for each crate.
///
/// # Errors
/// cargo reaches no registry.
pub fn sources(workspace: &Workspace, directory: &Path) -> anyhow::Result<PathBuf> {
    let project = directory.join("sources");
    let (manifest, vendored) = (project.join("Cargo.toml"), project.join("vendor"));
    if is_complete(&vendored) {
        return Ok(vendored);
    }
    std::fs::create_dir_all(project.join("src")).with_context(|| show(&project))?;
    let mut text = String::from(
        "[package]\nname = \"sources\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n",
    );
    for program in PROGRAMS {
        let (name, version) = program.package;
        text += &format!("{name} = \"={version}\"\n");
    }
    write(&manifest, &text)?;
    write(&project.join("src/lib.rs"), "")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut vendor = Command::new(cargo);
    vendor.args(["vendor", "--quiet", "--manifest-path"]).arg(&manifest).arg(&vendored);
    succeed(vendor.current_dir(&workspace.target)).context("the sources come from a registry of crates")?;
    Ok(vendored)
}

fn is_complete(vendored: &Path) -> bool {
    PROGRAMS.iter().all(|program| vendored.join(program.package.0).join("Cargo.toml").is_file())
}

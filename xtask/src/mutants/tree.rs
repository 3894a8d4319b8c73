//! A copy of the tree that faults are planted in.

use crate::workspace::{Workspace, show};
use anyhow::Context as _;
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use xshell::cmd;

/// Brings the copy in `tree` up to date: the files that git knows or would take. What has not changed keeps its time, links
/// stay links, and what is gone goes away.
pub fn update(workspace: &Workspace, tree: &Path) -> anyhow::Result<()> {
    let sh = &workspace.shell;
    let list = cmd!(sh, "git ls-files --cached --others --exclude-standard").quiet().read()?;
    let exists = |file: &&Path| workspace.root.join(file).symlink_metadata().is_ok();
    let files: HashSet<&Path> = list.lines().map(Path::new).filter(exists).collect();
    remove_others(tree, tree, &files)?;
    for file in files {
        let (from, to) = (workspace.root.join(file), tree.join(file));
        copy(&from, &to).with_context(|| show(&from))?;
    }
    Ok(())
}

/// Makes `to` what `from` is, a file or a link, if it is not.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let parent = to.parent().context("a file has a directory")?;
    if from.is_symlink() {
        let goal = fs::read_link(from)?;
        if fs::read_link(to).is_ok_and(|known| known == goal) {
            return Ok(());
        }
        fs::create_dir_all(parent)?;
        if to.symlink_metadata().is_ok() {
            fs::remove_file(to)?;
        }
        return Ok(symlink(goal, to)?);
    }
    let bytes = fs::read(from)?;
    if fs::read(to).is_ok_and(|known| known == bytes) && !to.is_symlink() {
        return Ok(());
    }
    fs::create_dir_all(parent)?;
    // A link that was there would be written through.
    if to.is_symlink() {
        fs::remove_file(to)?;
    }
    Ok(fs::write(to, bytes)?)
}

/// Removes the files and links of `directory`, which is in `tree` or is it, that are not among `files`.
fn remove_others(tree: &Path, directory: &Path, files: &HashSet<&Path>) -> anyhow::Result<()> {
    if !directory.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(directory).with_context(|| show(directory))? {
        let entry = entry.with_context(|| show(directory))?;
        let path: PathBuf = entry.path();
        if entry.file_type().with_context(|| show(&path))?.is_dir() {
            remove_others(tree, &path, files)?;
        } else if !path.strip_prefix(tree).is_ok_and(|file| files.contains(file)) {
            fs::remove_file(&path).with_context(|| show(&path))?;
        }
    }
    Ok(())
}

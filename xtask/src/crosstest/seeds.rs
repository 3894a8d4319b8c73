//! What the oracles of random programs are told alike: how many, from which seed on, for which machines; and how they end.

use crate::arguments::Arguments;
use crate::process;
use crate::toolchain::{Recipe, Target, Translator, write};
use crate::workspace::{Profile, Workspace, show};
use anyhow::{Context as _, bail, ensure};
use std::collections::BTreeMap;
use std::path::Path;

/// The options that all of them have.
pub struct Seeds {
    count: usize,
    first: u64,
    jobs: usize,
    pub targets: Vec<Target>,
    pub recipes: Vec<Recipe>,
    translator: Option<String>,
    profile: Profile,
}

impl Seeds {
    /// Takes the options. `count` is the text that says how many of `what` are wanted.
    ///
    /// # Errors
    /// One of them has no such value.
    pub fn take(arguments: &mut Arguments, count: &str, what: &str) -> anyhow::Result<Seeds> {
        let count = count.parse().with_context(|| format!("'{count}' is no number of {what}"))?;
        Ok(Seeds {
            count,
            first: arguments.value("--seed", 1u64)?,
            jobs: arguments.value("--jobs", process::default_jobs())?,
            targets: Target::list(arguments.text("--targets")?)?,
            recipes: Recipe::list(arguments.text("--recipes")?)?,
            translator: arguments.text("--translator")?,
            profile: if arguments.switch("--release") { Profile::Release } else { Profile::Dev },
        })
    }

    /// What is tested.
    ///
    /// # Errors
    /// It is not there, or cannot be built.
    pub fn translator(&self, workspace: &Workspace) -> anyhow::Result<Translator> {
        Translator::parse(self.translator.clone(), workspace, self.profile)
    }

    /// What `check` finds for each seed, several at once.
    ///
    /// # Errors
    /// Those of `check`.
    pub fn check<T: Send>(&self, check: impl Fn(u64) -> anyhow::Result<T> + Sync) -> anyhow::Result<Vec<T>> {
        process::for_each(self.count, self.jobs, |index| check(self.first + index as u64))
    }
}

/// Tests what a seed gives for each target, with a directory of its own in `results`. The directory stays if `test` has found
/// a fault.
///
/// # Errors
/// Those of `test`, or the directory cannot be made or removed.
pub fn for_targets(
    results: &Path,
    seed: u64,
    targets: &[Target],
    mut test: impl FnMut(Target, &Path) -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    for &target in targets {
        let directory = results.join(format!("{}-{seed}", target.name()));
        std::fs::create_dir_all(&directory).with_context(|| show(&directory))?;
        if !test(target, &directory).with_context(|| show(&directory))? {
            std::fs::remove_dir_all(&directory).with_context(|| show(&directory))?;
        }
    }
    Ok(())
}

/// Prints each reason and how often it was given; gives how many there are.
pub fn say_reasons<'a>(what: &str, all: impl Iterator<Item = &'a String>) -> usize {
    let mut reasons = BTreeMap::<&str, usize>::new();
    all.for_each(|reason| *reasons.entry(reason).or_default() += 1);
    for (reason, count) in &reasons {
        println!("{what} {count} times: {reason}");
    }
    reasons.values().sum()
}

/// Lists the programs that differ in a file of the directory.
///
/// # Errors
/// There are some, or nothing was compared, or the file cannot be written.
pub fn conclude(results: &Path, compared: usize, faults: &[&String]) -> anyhow::Result<()> {
    let record = results.join("failing-seeds");
    write(&record, &faults.iter().map(|fault| format!("{fault}\n")).collect::<String>())?;
    if !faults.is_empty() {
        bail!("{} programs differ; they are listed in {}", faults.len(), record.display());
    }
    ensure!(compared > 0, "nothing was compared");
    Ok(())
}

//! Whether two builds of `ice` make the same objects: the proof of a change that is to move code and not to change it.
//!
//! Each program of the corpus is translated by both for each target and recipe. What one of them refuses the other must
//! refuse, too, with the same words.

use crate::arguments::Arguments;
use crate::process::{self, End};
use crate::workspace::{TARGETS, Workspace, show, targets};
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const HELP: &str = "\
usage: cargo xtask compare-objects OLD NEW [OPTIONS] [PROGRAM...]

Translates each program, or each .pexe of the corpus, with two builds of ice for each target and recipe, and names the
objects that differ. Fails if there is one.

  --targets LIST  x86_64, i686, armv7, mipsel, aarch64, separated by commas (all)
  --jobs N        translations at a time (2)
";

/// Longest time of a translation.
const LIMIT: Duration = Duration::from_secs(300);

/// One translation.
struct Case<'a> {
    program: &'a Path,
    target: &'a str,
    recipe: &'a str,
}

impl Case<'_> {
    /// The object, or how the translation ended and what it said.
    fn translate(&self, ice: &Path, object: &Path) -> anyhow::Result<Result<Vec<u8>, (End, String)>> {
        let arguments = ["translate", self.recipe, "--target", self.target, "--threads", "0"];
        let mut command = process::command(ice, arguments);
        let outcome = process::run(command.arg(self.program).arg("-o").arg(object), LIMIT)?;
        if outcome.end != End::Exit(0) {
            ensure!(
                matches!(outcome.end, End::Exit(_)),
                "{}: {}: {}",
                self.name(),
                ice.display(),
                outcome.end
            );
            return Ok(Err((outcome.end, outcome.errors)));
        }
        let bytes = std::fs::read(object).with_context(|| show(object))?;
        std::fs::remove_file(object).with_context(|| show(object))?;
        Ok(Ok(bytes))
    }

    fn name(&self) -> String {
        format!("{} {} {}", self.program.display(), self.target, self.recipe)
    }
}

/// All programs below a directory, by name.
fn programs(directory: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(directory).with_context(|| show(directory))?;
    let mut paths = entries.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            programs(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "pexe") {
            found.push(path);
        }
    }
    Ok(())
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let targets = targets(arguments.text("--targets")?, &TARGETS)?;
    let jobs = arguments.value("--jobs", 2)?;
    let rest = arguments.rest()?;
    let [old, new, named @ ..] = &*rest else {
        anyhow::bail!("two builds of ice are needed; --help tells more");
    };
    let builds = [old, new].map(Path::new);
    let mut files: Vec<PathBuf> = named.iter().map(PathBuf::from).collect();
    if files.is_empty() {
        programs(&workspace.corpus()?, &mut files)?;
    }
    let directory = workspace.results("compare-objects")?;
    let mut cases = Vec::new();
    for program in &files {
        for target in &targets {
            cases.extend(["-Om1", "-O2"].map(|recipe| Case { program, target, recipe }));
        }
    }
    let differs = |number: usize| {
        // A path is part of what a refusal says.
        let object = directory.join(format!("{number}.o"));
        let [old, new] = builds.map(|ice| cases[number].translate(ice, &object));
        anyhow::Ok(old? != new?)
    };
    let differ = process::for_each(cases.len(), jobs, differs)?;
    let different: Vec<_> = cases.iter().zip(differ).filter(|(_, differs)| *differs).collect();
    different.iter().for_each(|(case, _)| println!("differs: {}", case.name()));
    println!("{} of {} objects differ", different.len(), cases.len());
    ensure!(different.is_empty(), "the two builds differ");
    Ok(())
}

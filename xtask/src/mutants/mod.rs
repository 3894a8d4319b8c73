//! Planted faults, one at a time: which tests see each of them, and how soon.
//!
//! The tree is copied to the directory `mutants` of cargo's target directory; files that have not changed since the
//! last time stay, and so does what was built. A fault is planted there, its tests run until one fails, and the file is
//! put back. What no test sees is a survivor.
//!
//! Cost: the build of one package and of its tests for each fault and test.

mod table;
mod tree;

use crate::arguments::Arguments;
use crate::process::{self, End, Outcome};
use crate::toolchain::{read, write};
use crate::workspace::Workspace;
use anyhow::{bail, ensure};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use table::Mutant;

pub const HELP: &str = "\
usage: cargo xtask mutants [--list] [--unchanged] [NAME...]

Plants the faults of xtask/mutants in a copy of the tree, one after the other, and runs the tests that should see them.
Prints for each which test did, and after how many seconds with its build; then the survivors. All faults, or those whose
names start with one of the NAMEs.

  --list        prints the faults and what they break
  --unchanged   runs their tests without the faults first, which all have to pass
  --first N     runs only the first N tests of each, which are the cheap ones
";

const LIMIT: Duration = Duration::from_secs(900);

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let (only_list, unchanged) = (arguments.switch("--list"), arguments.switch("--unchanged"));
    let first = arguments.value("--first", usize::MAX)?;
    let wanted = arguments.rest()?;
    let mut mutants = table::read_all(&workspace.root)?;
    for name in &wanted {
        let name = name.to_string_lossy();
        ensure!(
            mutants.iter().any(|mutant| mutant.name.starts_with(&*name)),
            "no fault '{name}'; --list has all"
        );
    }
    mutants.retain(|mutant| {
        wanted.is_empty() || wanted.iter().any(|name| mutant.name.starts_with(&*name.to_string_lossy()))
    });
    mutants.iter_mut().for_each(|mutant| mutant.tests.truncate(first));
    if only_list {
        mutants.iter().for_each(|mutant| println!("{:<34} {}", mutant.name, mutant.breaks));
        return Ok(());
    }
    let directory = workspace.results("mutants")?;
    let bench = Bench { tree: directory.join("tree"), target: directory.join("target") };
    tree::update(workspace, &bench.tree)?;
    if unchanged {
        bench.unchanged(&mutants)?;
    }
    let mut survivors = Vec::new();
    for mutant in &mutants {
        match bench.try_one(mutant)? {
            Some(caught) => println!("{:<34} {:>4.0} s  {}", mutant.name, caught.seconds, caught.test),
            None => {
                println!("{:<34} SURVIVES", mutant.name);
                survivors.push(&*mutant.name);
            }
        }
    }
    println!("{} faults, {} survive", mutants.len(), survivors.len());
    ensure!(survivors.is_empty(), "no test sees {}", survivors.join(", "));
    Ok(())
}

/// The copy of the tree.
struct Bench {
    tree: PathBuf,
    target: PathBuf,
}

/// The test that saw a fault.
struct Caught<'a> {
    test: &'a str,
    seconds: f32,
}

impl Bench {
    /// Runs the tests of all faults in the tree as it is.
    fn unchanged(&self, mutants: &[Mutant]) -> anyhow::Result<()> {
        let mut tests: Vec<&String> = mutants.iter().flat_map(|mutant| &mutant.tests).collect();
        tests.sort();
        tests.dedup();
        for test in tests {
            let outcome = self.cargo(test, &[])?;
            ensure!(outcome.end == End::Exit(0), "{test} fails without a fault\n{}", outcome.first_errors());
            ensure!(ran(&outcome), "{test} names no test");
        }
        Ok(())
    }

    /// Plants a fault, runs its tests, and puts the file back.
    fn try_one<'a>(&self, mutant: &'a Mutant) -> anyhow::Result<Option<Caught<'a>>> {
        let file = self.tree.join(&mutant.file);
        let text = read(&file)?;
        write(&file, &mutant.apply(&text)?)?;
        let caught = self.first_to_fail(mutant);
        write(&file, &text)?;
        caught
    }

    fn first_to_fail<'a>(&self, mutant: &'a Mutant) -> anyhow::Result<Option<Caught<'a>>> {
        let start = Instant::now();
        for test in &mutant.tests {
            let built = self.cargo(test, &["--no-run"])?;
            if built.end != End::Exit(0) {
                bail!("{} does not compile\n{}", mutant.name, built.errors);
            }
            if self.cargo(test, &[])?.end != End::Exit(0) {
                return Ok(Some(Caught { test, seconds: start.elapsed().as_secs_f32() }));
            }
        }
        Ok(None)
    }

    fn cargo(&self, test: &str, flags: &[&str]) -> anyhow::Result<Outcome> {
        let mut command = process::command(Path::new("cargo"), ["test", "--quiet"]);
        command.args(flags).arg("-p").args(test.split(' '));
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target);
        // Set by the cargo that runs this.
        command.env_remove("CARGO_MANIFEST_DIR");
        process::run(&mut command, LIMIT)
    }
}

/// Whether a test was run at all.
fn ran(outcome: &Outcome) -> bool {
    let text = String::from_utf8_lossy(&outcome.output);
    text.lines().any(|line| line.starts_with("test result") && !line.contains(" 0 passed"))
}

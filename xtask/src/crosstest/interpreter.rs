//! The same programs interpreted and translated: any difference is a fault of one of the two.
//!
//! A generated program prints the result of each of its functions, has no undefined results and ends by
//! itself (`ice-driver/examples/generate.rs`). The interpreter runs its text; what is translated is the
//! `.pexe` frozen from that text, so the bitcode writer and reader are part of the test. Objects must be the
//! same for every number of threads. A file that shows a difference is kept, with its seed as its name.

use super::reduce;
use crate::arguments::Arguments;
use crate::corpus::{self, Case};
use crate::process::{self, End, Outcome, difference};
use crate::toolchain::Recipe;
use crate::workspace::{self, Profile, Workspace, show};
use anyhow::{Context as _, bail, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use xshell::cmd;

/// What `--help` says of this half.
pub const OPTIONS: &str = "\
       cargo xtask crosstest --interpreter [OPTIONS]
       cargo xtask crosstest --interpreter --corpus [--all] [--targets LIST] [--jobs N] [--release]
       cargo xtask crosstest --interpreter --reduce FILE.ice --targets TARGET

  Compares output and exit code of generated programs between `ice interpret` and `ice run` with every recipe on every
  target, and the objects of `--threads` 0, 1 and 4. Reports every difference with its seed and keeps the program in the directory
  `crosstest-interpreter` of cargo's target directory.

  --seeds A..B     seeds A to before B, or one seed (0..200)
  --size N         statements a function; 0, the default, lets the seed decide
  --targets LIST   targets, separated by commas; all if not given
  --recipes LIST   recipes, separated by commas: Om1, O2; both if not given; --reduce takes the first
  --sandbox        confined programs, behind their loaders; targets that have one; also with --corpus and --reduce
  --text           translates the text itself, not the .pexe frozen from it; functions then also end in tail calls
  --corpus         runs the corpus's table of programs instead (ICE_CORPUS)
  --all            with --corpus: interprets programs that take minutes, too
  --reduce FILE    makes a program smaller while it still gives another result on the one target; writes
                   FILE.reduced.ice
  --jobs N         programs at once; as many as the machine has threads
  --release        uses the release build, which has no assertions
";

pub const INTERPRETER_LIMIT: Duration = Duration::from_secs(120);
const RUN_LIMIT: Duration = Duration::from_secs(60);
const CORPUS_LIMIT: Duration = Duration::from_secs(1800);

/// What is compared, and how.
pub struct Plan {
    pub ice: PathBuf,
    pub targets: Vec<String>,
    pub recipes: Vec<Recipe>,
    form: Form,
    /// What `ice` is told of confinement.
    sandbox: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Frozen,
}

impl Plan {
    /// `ice interpret FILE`.
    pub fn interpret(&self, file: &Path, limit: Duration) -> anyhow::Result<Outcome> {
        process::run(process::command(&self.ice, ["interpret"]).arg(file), limit)
    }

    /// `ice COMMAND --target TARGET -ORECIPE`, confined or not.
    fn command(&self, command: &str, target: &str, recipe: Recipe) -> Command {
        let flags = [command, "--target", target, level(recipe)];
        process::command(&self.ice, flags.into_iter().chain(self.sandbox))
    }

    /// `ice run --target TARGET -ORECIPE FILE`.
    pub fn translated(
        &self,
        file: &Path,
        target: &str,
        recipe: Recipe,
        limit: Duration,
    ) -> anyhow::Result<Outcome> {
        process::run(self.command("run", target, recipe).arg(file), limit)
    }

    /// The object of a file for a number of threads.
    fn object(&self, file: &Path, target: &str, recipe: Recipe, threads: &str) -> anyhow::Result<Outcome> {
        let mut command = self.command("translate", target, recipe);
        process::run(command.args(["--threads", threads, "-o", "-"]).arg(file), RUN_LIMIT)
    }

    /// What is wrong with a program; empty if nothing is.
    fn check(&self, text: &Path) -> anyhow::Result<Vec<String>> {
        let mut faults = Vec::new();
        let expected = self.interpret(text, INTERPRETER_LIMIT)?;
        if expected.end != End::Exit(0) {
            return Ok(vec![format!("interpret: {}\n{}", expected.end, expected.first_errors())]);
        }
        let program = match self.form {
            Form::Text => text.to_owned(),
            Form::Frozen => {
                let frozen = text.with_extension("pexe");
                let mut freeze = process::command(&self.ice, ["freeze", "-o"]);
                let outcome = process::run(freeze.arg(&frozen).arg(text), RUN_LIMIT)?;
                if outcome.end != End::Exit(0) {
                    return Ok(vec![format!("freeze: {}\n{}", outcome.end, outcome.first_errors())]);
                }
                let again = self.interpret(&frozen, INTERPRETER_LIMIT)?;
                if let Some(difference) = difference(&expected, &again) {
                    faults.push(format!("interpret after freeze: {difference}"));
                }
                frozen
            }
        };
        let runs = self.targets.iter().flat_map(|target| self.recipes.iter().map(move |&r| (target, r)));
        for (target, recipe) in runs {
            let got = self.translated(&program, target, recipe, RUN_LIMIT)?;
            if let Some(difference) = difference(&expected, &got) {
                faults.push(format!("{target} {}: {difference}", level(recipe)));
                continue;
            }
            let object = self.object(&program, target, recipe, "0")?;
            for threads in ["1", "4"] {
                let other = self.object(&program, target, recipe, threads)?;
                if object.end != other.end || object.output != other.output {
                    faults
                        .push(format!("{target} {}: another object with --threads {threads}", level(recipe)));
                }
            }
        }
        if faults.is_empty() && program != text {
            std::fs::remove_file(&program).with_context(|| show(&program))?;
        }
        Ok(faults)
    }
}

/// The flag for a recipe.
fn level(recipe: Recipe) -> &'static str {
    match recipe {
        Recipe::Om1 => "-Om1",
        Recipe::O2 => "-O2",
    }
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let profile = if arguments.switch("--release") { Profile::Release } else { Profile::Dev };
    let form = if arguments.switch("--text") { Form::Text } else { Form::Frozen };
    let sandbox = arguments.switch("--sandbox").then_some("--sandbox");
    let targets = workspace::targets(arguments.text("--targets")?, &workspace::TARGETS)?;
    let recipes = Recipe::list(arguments.text("--recipes")?)?;
    let jobs = arguments.value("--jobs", process::default_jobs())?;
    let (with_corpus, all) = (arguments.switch("--corpus"), arguments.switch("--all"));
    let reduce = arguments.text("--reduce")?;
    let seeds = arguments.range("--seeds")?.unwrap_or(0..200);
    let size = arguments.value("--size", 0u32)?;
    arguments.finish()?;
    let plan = Plan { ice: workspace.build_ice(profile)?, targets, recipes, form, sandbox };
    if let Some(file) = reduce {
        return reduce::reduce(&plan, Path::new(&file));
    }
    if with_corpus {
        return run_corpus(workspace, &plan, all, jobs);
    }
    let directory = workspace.results("crosstest-interpreter")?;
    generate(workspace, &seeds, size, form, &directory)?;
    let count = usize::try_from(seeds.end.saturating_sub(seeds.start)).context("too many seeds")?;
    let faulty = process::for_each(count, jobs, |index| {
        let seed = seeds.start + index as u64;
        let file = directory.join(format!("seed-{seed}.ice"));
        let faults = plan.check(&file)?;
        if faults.is_empty() {
            std::fs::remove_file(&file).with_context(|| show(&file))?;
        }
        for fault in &faults {
            println!("seed {seed}: {fault}\n  kept as {}", file.display());
        }
        Ok(!faults.is_empty())
    })?;
    let failed = faulty.into_iter().filter(|&faulty| faulty).count();
    println!("{count} programs on {}: {failed} with differences", plan.targets.join(", "));
    ensure!(count > 0, "no seeds");
    ensure!(failed == 0, "{failed} of {count} programs give different results");
    Ok(())
}

fn generate(
    workspace: &Workspace,
    seeds: &std::ops::Range<u64>,
    size: u32,
    form: Form,
    to: &Path,
) -> anyhow::Result<()> {
    // The stable format has no calls in place of returns.
    let also = (form == Form::Text).then_some("return-calls");
    let sh = &workspace.shell;
    let (first, end, size) = (seeds.start.to_string(), seeds.end.to_string(), size.to_string());
    cmd!(sh, "cargo run --quiet -p ice-driver --example generate -- {first} {end} {size} {to} {also...}")
        .quiet()
        .run()?;
    Ok(())
}

/// Runs every case of the corpus in the interpreter and on every target.
fn run_corpus(workspace: &Workspace, plan: &Plan, all: bool, jobs: usize) -> anyhow::Result<()> {
    let corpus = workspace.corpus()?;
    let cases = corpus::cases(&corpus)?;
    let mut work: Vec<(&Case, Vec<&str>)> = Vec::new();
    for case in &cases {
        if all || !corpus::SLOW_TO_INTERPRET.contains(&&*case.id) {
            work.push((case, vec!["interpret"]));
        }
        for &recipe in &plan.recipes {
            let run = |target| {
                let flags = ["run", level(recipe), "--target", target];
                (case, flags.into_iter().chain(plan.sandbox).collect())
            };
            work.extend(plan.targets.iter().map(|target| run(target.as_str())));
        }
    }
    let results = process::for_each(work.len(), jobs, |index| {
        let (case, flags) = &work[index];
        let mut command = process::command(&plan.ice, flags);
        let arguments: Vec<OsString> = case.arguments.iter().map(OsString::from).collect();
        command.arg(&case.file).args(arguments).current_dir(&corpus);
        let expected =
            Outcome { end: End::Exit(case.exit_code), output: case.output.clone(), errors: String::new() };
        let difference = difference(&expected, &process::run(&mut command, CORPUS_LIMIT)?);
        if let Some(difference) = &difference {
            println!("{} ({}): {difference}", case.id, flags.join(" "));
        }
        Ok(difference.is_some())
    })?;
    let failed = results.iter().filter(|&&failed| failed).count();
    println!("{} runs of {} cases: {failed} failed", results.len(), cases.len());
    if failed > 0 {
        bail!("{failed} of {} runs failed", results.len());
    }
    Ok(())
}

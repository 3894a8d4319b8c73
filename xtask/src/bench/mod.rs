//! Instructions executed by the translator and by the programs it makes, memory, sizes of code and of the binary.
//!
//! Instructions are counted by callgrind, so the figures are those of any machine and of any load. `xtask/bench/baseline.json`
//! holds the accepted ones; what is measured is compared with them, and `docs/performance.md` and its charts are
//! made of them.

mod chart;
mod counter;
mod document;
mod figures;
mod growth;
mod inputs;
mod jit;
mod kernels;
mod tables;
mod times;
mod unseen;

use crate::arguments::Arguments;
use crate::process::{self, End};
use crate::size;
use crate::toolchain::{Recipe, Target, Translator, line_of, succeed};
use crate::workspace::{self, Profile, TARGETS, Workspace, has_tool, show};
use anyhow::{Context as _, ensure};
use figures::{Figures, Group};
use inputs::{INPUTS, PROGRAMS, executed_programs};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const HELP: &str = "\
usage: cargo xtask bench [--targets LIST] [--translate] [--executed] [--text] [--size] [--accept]
       cargo xtask bench --document
       cargo xtask bench --times [--rounds N]
       cargo xtask bench --kernels [--targets LIST]
       cargo xtask bench --programs FOLDER [--targets LIST] [--vectors] [--only TEXT]
                         [--recipe LIST] [--translator PROGRAM]
       cargo xtask bench --growth [--shape TEXT] [--scale N]
       cargo xtask bench --jit [--rounds N]

Measures instructions and memory of `ice translate --threads 0` (release build), instructions of translated programs,
sizes of their code and of the binary, at both recipes. Prints each figure with its distance from the one in
xtask/bench/baseline.json, writes all to target/bench/figures.json, and fails if one is more than 2 % worse (memory:
5 %). Needs valgrind, readelf, time and the corpus (ICE_CORPUS).

  --targets LIST   targets, separated by commas; all if not given
  --translate      only translation, --executed only programs, --text only code, --size only the binary
  --accept         take the figures over into the baseline, and make docs/performance.md of it
  --document       only make docs/performance.md and its charts of the baseline
  --times          how long six programs take beside the same in C built by clang -O2, on i686
  --rounds N       rounds of --times and --jit (9)
  --kernels        small programs in C on armv7, or the targets named, in an emulator, beside llc -O2
  --programs FOLDER  the programs in a folder (NAME.c, NAME.cc, NAME.cpp, NAME.TARGET.bc) on x86_64, or the targets
                   named, in an emulator, beside llc -O2: half of them one by one, of the others only the mean
  --recipe LIST    of --programs, what Ice does: O2 if not given, Om1, or both
  --vectors        lets clang make vectors in --programs
  --only TEXT      of --programs only those with TEXT in their names
  --jit            ice-jit beside cranelift-jit: from the builder to callable functions, and their speed
  --translator PROGRAM  of --programs this one in place of the ice built from here
  --growth         how work grows with size, for many shapes of function; fails above the power 1.2
  --shape TEXT     of --growth only the shapes with TEXT in their names
  --scale N        sizes of --growth, times N (1)
";

/// The accepted figures, in the workspace.
const BASELINE: &str = "xtask/bench/baseline.json";
/// Targets whose programs valgrind runs.
const COUNTED: [&str; 2] = ["x86_64", "i686"];
const RECIPES: [&str; 2] = ["O2", "Om1"];
const LIMIT: Duration = Duration::from_secs(3600);

/// The name of a figure.
fn name(input: &str, target: &str, recipe: &str) -> String {
    format!("{input} {target} {recipe}")
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let named = arguments.text("--targets")?;
    let only = ["--translate", "--executed", "--text", "--size"].map(|flag| arguments.switch(flag));
    let [accept, document, times, kernels, growth, jit] =
        ["--accept", "--document", "--times", "--kernels", "--growth", "--jit"]
            .map(|flag| arguments.switch(flag));
    let rounds = arguments.value("--rounds", 9)?;
    let shape = arguments.text("--shape")?;
    let scale = arguments.value("--scale", 1)?;
    let folder = arguments.text("--programs")?.map(PathBuf::from);
    let has_vectors = arguments.switch("--vectors");
    let part = arguments.text("--only")?;
    let translator = arguments.text("--translator")?;
    let recipe = arguments.text("--recipe")?;
    arguments.finish()?;
    if let Some(folder) = folder {
        let targets = Target::list(Some(named.unwrap_or("x86_64".to_owned())))?;
        let translator = Translator::parse(translator, workspace, Profile::Release)?;
        let recipes = Recipe::list(Some(recipe.unwrap_or("O2".to_owned())))?;
        let mut plan = unseen::Plan { folder, targets, translator, recipe: Recipe::O2, has_vectors, part };
        for recipe in recipes {
            plan.recipe = recipe;
            unseen::run(workspace, &plan)?;
        }
        return Ok(());
    }
    if kernels {
        return kernels::run(workspace, &Target::list(Some(named.unwrap_or("armv7".to_owned())))?);
    }
    if jit {
        return jit::run(workspace, rounds);
    }
    let targets = workspace::targets(named, &TARGETS)?;
    if growth {
        return growth::run(workspace, shape.as_deref(), scale);
    }
    let baseline = workspace.root.join(BASELINE);
    if document {
        return document::write(&workspace.root, &Figures::read(&baseline)?);
    }
    for tool in ["valgrind", "readelf", "time"] {
        ensure!(times || has_tool(tool), "{tool} is not installed");
    }
    let corpus = workspace.corpus()?;
    let mut bench = Bench {
        ice: workspace.build_ice(Profile::Release)?,
        results: workspace.results("bench")?,
        corpus,
        targets,
        accepted: Figures::read(&baseline)?,
        measured: Figures::default(),
    };
    if times {
        return bench.times(rounds);
    }
    let parts = [Bench::translate, Bench::programs, Bench::text, Bench::size];
    for (part, is_named) in parts.into_iter().zip(only) {
        if is_named || !only.contains(&true) {
            part(&mut bench, workspace)?;
        }
    }
    bench.finish(workspace, accept)
}

struct Bench {
    ice: PathBuf,
    results: PathBuf,
    corpus: PathBuf,
    targets: Vec<String>,
    accepted: Figures,
    measured: Figures,
}

impl Bench {
    /// Notes a figure, and prints it beside the accepted one.
    fn note(&mut self, group: Group, name: &str, figure: u64) {
        let change = self.accepted.get(group, name).filter(|&before| before != 0).map_or_else(
            || "not in the baseline".to_owned(),
            |before| format!("{:+.2} %", (figure as f64 / before as f64 - 1.0) * 100.0),
        );
        println!("{}: {name}: {figure} ({change})", group.name());
        self.measured.set(group, name, figure);
    }

    /// Writes what was measured; with `accept` into the baseline, otherwise what is worse is an error.
    fn finish(mut self, workspace: &Workspace, accept: bool) -> anyhow::Result<()> {
        self.measured.write(&self.results.join("figures.json"))?;
        let worse = self.accepted.worse_in(&self.measured);
        if accept {
            self.accepted.update(&self.measured);
            self.accepted.write(&workspace.root.join(BASELINE))?;
            return document::write(&workspace.root, &self.accepted);
        }
        for figure in &worse {
            eprintln!("worse: {figure}");
        }
        ensure!(worse.is_empty(), "{} figures are worse than the baseline", worse.len());
        Ok(())
    }

    /// The command of a measured translation.
    fn translation(&self, input: &Path, target: &str, recipe: &str) -> Command {
        let level = format!("-{recipe}");
        let mut command =
            process::command(&self.ice, ["translate", &level, "--threads", "0", "--target", target]);
        command.arg(input).arg("-o").arg(self.results.join("object.o"));
        command
    }

    fn translate(&mut self, _: &Workspace) -> anyhow::Result<()> {
        for input in &INPUTS {
            let file = self.corpus.join(input.name).with_extension("pexe");
            let bytes = std::fs::metadata(&file).with_context(|| show(&file))?.len();
            self.note(Group::Bytes, input.name, bytes);
            for target in self.targets.clone() {
                for recipe in RECIPES {
                    let name = name(input.name, &target, recipe);
                    let count = self.instructions(self.translation(&file, &target, recipe))?;
                    self.note(Group::Translation, &name, count);
                    let memory = peak_memory(&self.translation(&file, &target, recipe))?;
                    self.note(Group::Memory, &name, memory);
                }
            }
        }
        Ok(())
    }

    /// The targets that were asked for and whose programs valgrind runs.
    fn counted(&self) -> Vec<String> {
        self.targets.iter().filter(|target| COUNTED.contains(&&***target)).cloned().collect()
    }

    fn programs(&mut self, _: &Workspace) -> anyhow::Result<()> {
        for program in executed_programs() {
            for target in self.counted() {
                for recipe in RECIPES {
                    let executable = self.results.join(format!("{}-{target}", program.name));
                    let level = format!("-{recipe}");
                    let mut build = process::command(&self.ice, ["build", &level, "--target", &target]);
                    succeed(build.arg(self.input(program)).arg("-o").arg(&executable))?;
                    let count = self.instructions(process::command(&executable, [program.argument]))?;
                    self.note(Group::Programs, &name(program.name, &target, recipe), count);
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, _: &Workspace) -> anyhow::Result<()> {
        for program in &PROGRAMS {
            for target in self.counted() {
                for recipe in RECIPES {
                    succeed(&mut self.translation(&self.input(program), &target, recipe))?;
                    let sections = size::sections(&self.results.join("object.o"))?;
                    let is_text = |name: &str| name == ".text" || name.starts_with(".text.");
                    let text = sections.iter().filter(|(name, _)| is_text(name)).map(|(_, size)| size).sum();
                    self.note(Group::Text, &name(program.name, &target, recipe), text);
                }
            }
        }
        Ok(())
    }

    fn size(&mut self, workspace: &Workspace) -> anyhow::Result<()> {
        for build in size::stripped(workspace)? {
            self.note(Group::Size, build.name, build.size);
        }
        Ok(())
    }

    fn input(&self, program: &inputs::Program) -> PathBuf {
        self.corpus.join(format!("bench/{}.pexe", program.name))
    }

    /// Instructions that a program executes, without the kernel's.
    fn instructions(&self, command: Command) -> anyhow::Result<u64> {
        instructions(command, &self.results.join("callgrind.out"))
    }
}

/// Instructions that a command executes, by callgrind, which writes its file to `scratch`.
///
/// # Errors
/// It cannot be started or fails.
pub fn instructions(command: Command, scratch: &Path) -> anyhow::Result<u64> {
    let out = format!("--callgrind-out-file={}", scratch.display());
    let mut valgrind = process::command(Path::new("valgrind"), ["--tool=callgrind", &out]);
    valgrind.arg(command.get_program()).args(command.get_args());
    // Valgrind makes system calls that a confined program may not make.
    valgrind.env("ICE_TRUST", "1");
    let outcome = process::run(&mut valgrind, LIMIT)?;
    ensure!(
        outcome.end == End::Exit(0),
        "{}: {}\n{}",
        line_of(&valgrind),
        outcome.end,
        outcome.first_errors()
    );
    collected(&outcome.errors).with_context(|| format!("{}: no count", line_of(&valgrind)))
}

/// The count in callgrind's summary: `==123== Collected : 4567`.
fn collected(errors: &str) -> Option<u64> {
    let line = errors.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// The most memory that a program held, in KiB.
fn peak_memory(measured: &Command) -> anyhow::Result<u64> {
    let mut command = process::command(Path::new("time"), ["-f", "%M"]);
    let outcome = process::run(command.arg(measured.get_program()).args(measured.get_args()), LIMIT)?;
    ensure!(outcome.end == End::Exit(0), "{}: {}", line_of(measured), outcome.first_errors());
    let last = outcome.errors.lines().last().unwrap_or_default();
    last.trim().parse().with_context(|| format!("time printed '{last}'"))
}

fn millions(count: u64) -> String {
    let millions = count as f64 / 1e6;
    if millions < 10.0 { format!("{millions:.2}") } else { format!("{millions:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_callgrind() {
        assert_eq!(collected("==1== \n==1== Collected : 123456\n==1==\n"), Some(123_456));
        assert_eq!(collected("==1== error"), None);
    }

    #[test]
    fn counts_are_rounded() {
        assert_eq!((millions(1_234_567), millions(123_456_789)), ("1.23".into(), "123.5".into()));
    }
}

//! Random functions of LLVM IR (`random/`) in Ice's code and in LLVM's.
//!
//! A module is translated as it was generated, and behind a pipeline of LLVM's passes that its seed chooses: passes write
//! what no front end does. Every program prints a hash for each function and round; that of `llc -O0` for the module as
//! generated says what it has to be. LLVM is wrong now and then for types that no register has. So where Ice differs,
//! code is made with LLVM's optimisations, and by `llc -O0` behind the same passes, and a line counts only if Ice agrees
//! with none of them. Where those differ among themselves is counted for itself. LLVM's code has fixed addresses always:
//! `llc -O0` has wrong code for position-independent functions on MIPS.

use super::in_process::Loaders;
use super::random;
use super::seeds::{Seeds, conclude, for_targets, say_reasons};
use crate::arguments::Arguments;
use crate::process::{self, End};
use crate::program::{self, Invocation, Setting};
use crate::toolchain::{Model, Recipe, Target, Translator, need_targets, need_tools, succeed, write};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What `opt` is told before a module is translated for the second time.
const PIPELINES: [&str; 18] = [
    "default<O1>",
    "default<O2>",
    "default<O3>",
    "default<Os>",
    "reg2mem",
    "lower-switch",
    "scalarizer",
    "instcombine<no-verify-fixpoint>",
    "instcombine<no-verify-fixpoint>,simplifycfg",
    "early-cse,gvn",
    "loop-mssa(loop-rotate,licm)",
    "loop-unroll",
    "sroa,aggressive-instcombine",
    "function(reg2mem),default<O1>",
    "simplifycfg<switch-to-lookup;hoist-common-insts;sink-common-insts>",
    "slp-vectorizer,vector-combine",
    "flatten-cfg",
    "constraint-elimination,correlated-propagation",
];
const RUN_LIMIT: Duration = Duration::from_secs(60);

struct Plan {
    seeds: Seeds,
    translator: Translator,
    size: usize,
    results: PathBuf,
    /// Ice's code is made in the process of each program.
    loaders: Option<Loaders>,
}

#[derive(Default)]
struct Tally {
    compared: usize,
    /// Why LLVM has no code for a module, or no module behind its passes.
    skipped: Vec<String>,
    /// What the translator refused, by its reason.
    refused: Vec<String>,
    /// Modules for which LLVM's code does not agree with itself.
    disputed: usize,
    faults: Vec<String>,
}

/// A module for a target, and where its files are.
struct Subject<'a> {
    seed: u64,
    target: Target,
    /// How Ice's code has its addresses.
    model: Model,
    directory: &'a Path,
}

/// What a program printed, a line for each function and round; or why there is no such program.
type Printed = Result<Vec<String>, String>;

pub fn run(workspace: &Workspace, mut arguments: Arguments, count: &str) -> anyhow::Result<()> {
    let seeds = Seeds::take(&mut arguments, count, "modules")?;
    let size = arguments.value("--size", 30usize)?;
    let is_in_process = arguments.switch("--in-process");
    arguments.finish()?;
    need_tools(&["llvm-as-19", "opt-19", "llc-19"])?;
    need_targets(&seeds.targets)?;
    let plan = Plan {
        translator: seeds.translator(workspace)?,
        loaders: is_in_process.then(|| Loaders::build(workspace, &seeds.targets)).transpose()?,
        seeds,
        size,
        results: workspace.results("functions")?,
    };
    let source = plan.results.join("main.c");
    write(&source, random::MAIN)?;
    for &target in &plan.seeds.targets {
        let compile = ["-O1", "-fPIC", "-c", "-o"];
        let mut compiler = process::command(Path::new(target.compiler()), compile);
        succeed(compiler.arg(plan.main_object(target)).arg(&source))?;
    }
    let tallies = plan.seeds.check(|seed| plan.check(seed))?;
    report(&plan, &tallies)
}

/// Says what came of all modules, and fails if something is wrong.
fn report(plan: &Plan, tallies: &[Tally]) -> anyhow::Result<()> {
    let compared: usize = tallies.iter().map(|tally| tally.compared).sum();
    let disputed: usize = tallies.iter().map(|tally| tally.disputed).sum();
    let skipped = say_reasons("skipped", tallies.iter().flat_map(|tally| &tally.skipped));
    let refused = say_reasons("refused", tallies.iter().flat_map(|tally| &tally.refused));
    let faults: Vec<&String> = tallies.iter().flat_map(|tally| &tally.faults).collect();
    println!(
        "{compared} programs compared, {skipped} skipped where LLVM fails, {refused} translations refused, \
         LLVM differs from itself for {disputed} modules: {} differ",
        faults.len()
    );
    conclude(&plan.results, compared, &faults)
}

impl Plan {
    fn main_object(&self, target: Target) -> PathBuf {
        self.results.join(format!("main-{}.o", target.name()))
    }

    /// Generates the module of a seed for each target and tests it.
    fn check(&self, seed: u64) -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        let model = if seed.is_multiple_of(2) { Model::Pic } else { Model::Static };
        for_targets(&self.results, seed, &self.seeds.targets, |target, directory| {
            let known = tally.faults.len();
            self.module(&Subject { seed, target, model, directory }, &mut tally)?;
            Ok(tally.faults.len() > known)
        })?;
        Ok(tally)
    }

    fn module(&self, subject: &Subject, tally: &mut Tally) -> anyhow::Result<()> {
        write(&subject.file("module.ll"), &random::generate(subject.seed, subject.target, self.size))?;
        let module = subject.file("module.bc");
        let mut assemble = process::command(Path::new("llvm-as-19"), ["-o"]);
        succeed(assemble.arg(&module).arg(subject.file("module.ll")))?;
        let expected = match self.llvm(subject, &module, "-O0", "llc-O0")? {
            Ok(lines) => lines,
            Err(reason) => {
                tally.skipped.push(reason);
                return Ok(());
            }
        };
        // The lowest bit of the seed has chosen the model of addresses.
        let pipeline = PIPELINES[(subject.seed / 2 % PIPELINES.len() as u64) as usize];
        let passed = optimised(subject, &module, pipeline, "passed.bc")?;
        if passed.is_none() {
            tally.skipped.push(format!("opt-19 --passes={pipeline} fails"));
        }
        // Made when something differs.
        let mut others: Option<Vec<Vec<String>>> = None;
        for bitcode in [Some(&module), passed.as_ref()].into_iter().flatten() {
            for &recipe in &self.seeds.recipes {
                let Some(printed) = self.ice(subject, bitcode, recipe, tally)? else { continue };
                tally.compared += 1;
                let fault = match printed {
                    Err(text) => Some(text),
                    Ok(lines) if lines == expected => None,
                    Ok(lines) => {
                        let known = match others.take() {
                            Some(known) => known,
                            None => self.other_opinions(subject, &module, passed.as_deref())?,
                        };
                        differing(&lines, &expected, others.insert(known))
                    }
                };
                if let Some(fault) = fault {
                    let behind = if *bitcode == module { "as generated" } else { pipeline };
                    let name = format!("{} {} {behind}", bitcode.display(), recipe.name());
                    println!("{name}: {fault}");
                    tally.faults.push(name);
                }
            }
        }
        let differences: Vec<String> =
            others.iter().flatten().filter_map(|other| differing(other, &expected, &[])).collect();
        if !differences.is_empty() {
            let (seed, target) = (subject.seed, subject.target.name());
            println!("seed {seed} for {target}: LLVM differs from itself: {}", differences.join("; "));
            tally.disputed += 1;
        }
        Ok(())
    }

    /// What LLVM's code prints when it is made in other ways.
    fn other_opinions(
        &self,
        subject: &Subject,
        module: &Path,
        passed: Option<&Path>,
    ) -> anyhow::Result<Vec<Vec<String>>> {
        let mut opinions = Vec::new();
        if let Some(optimised) = optimised(subject, module, "default<O2>", "optimised.bc")? {
            opinions.extend(self.llvm(subject, &optimised, "-O2", "llc-O2")?.ok());
        }
        if let Some(passed) = passed {
            opinions.extend(self.llvm(subject, passed, "-O0", "llc-passed")?.ok());
        }
        Ok(opinions)
    }

    /// LLVM's program for a module.
    fn llvm(&self, subject: &Subject, bitcode: &Path, level: &str, name: &str) -> anyhow::Result<Printed> {
        let object = subject.file(&format!("{name}.o"));
        let setting = Setting { target: subject.target, recipe: Recipe::O2, model: Model::Static };
        if let Err(error) = program::llvm_object("llc-19", level, bitcode, &object, setting) {
            // The first line is the command. Addresses of the process are others each time.
            let text = format!("{error:#}");
            let words = text.lines().nth(1).unwrap_or("it fails").split(' ');
            let reason: Vec<&str> = words.filter(|word| !word.starts_with("0x")).collect();
            return Ok(Err(format!("llc-19 {level}: {}", reason.join(" "))));
        }
        Ok(self
            .execute(vec![object], name, subject, setting)?
            .map_err(|text| format!("llc-19 {level}: {text}")))
    }

    /// The program of what is tested; nothing if it was refused.
    fn ice(
        &self,
        subject: &Subject,
        bitcode: &Path,
        recipe: Recipe,
        tally: &mut Tally,
    ) -> anyhow::Result<Option<Printed>> {
        let name = format!("{}-{}", bitcode.file_stem().unwrap_or_default().to_string_lossy(), recipe.name());
        let object = subject.file(&format!("{name}.o"));
        let setting = Setting { target: subject.target, recipe, model: subject.model };
        if let Err(text) = program::tested_object(&self.translator, bitcode, &object, setting)? {
            return Ok(match text.split_once("not supported: ") {
                Some((_, reason)) => {
                    tally.refused.push(reason.trim().to_owned());
                    None
                }
                None => Some(Err(text)),
            });
        }
        let inputs = Loaders::inputs(self.loaders.as_ref(), object, bitcode, setting)?;
        self.execute(inputs, &name, subject, setting).map(Some)
    }

    /// Links and runs a program.
    fn execute(
        &self,
        mut objects: Vec<PathBuf>,
        name: &str,
        subject: &Subject,
        setting: Setting,
    ) -> anyhow::Result<Printed> {
        let executable = subject.file(name);
        objects.push(self.main_object(subject.target));
        if let Err(text) = program::link(&objects, &executable, setting)? {
            return Ok(Err(text));
        }
        let invocation =
            Invocation { target: subject.target, arguments: Vec::new(), directory: None, limit: RUN_LIMIT };
        let outcome = program::run(&executable, &invocation)?;
        let lines: Vec<String> =
            String::from_utf8_lossy(&outcome.output).lines().map(str::to_owned).collect();
        Ok(match outcome.end {
            End::Exit(0) => Ok(lines),
            end => Err(format!("{end} behind line {}", lines.last().map_or("0", String::as_str))),
        })
    }
}

impl Subject<'_> {
    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

/// The module behind passes of LLVM, if they get through.
fn optimised(subject: &Subject, module: &Path, passes: &str, name: &str) -> anyhow::Result<Option<PathBuf>> {
    let output = subject.file(name);
    let mut opt = process::command(Path::new("opt-19"), [&format!("--passes={passes}"), "-o"]);
    let outcome = process::run(opt.arg(&output).arg(module), RUN_LIMIT)?;
    Ok((outcome.end == End::Exit(0)).then_some(output))
}

/// The functions of which a line is neither the expected one nor that of another program, and in how many rounds.
fn differing(lines: &[String], expected: &[String], others: &[Vec<String>]) -> Option<String> {
    if lines.len() != expected.len() {
        return Some(format!("{} lines instead of {}", lines.len(), expected.len()));
    }
    let mut functions = BTreeMap::<&str, usize>::new();
    for (number, (line, right)) in lines.iter().zip(expected).enumerate() {
        let is_known = line == right || others.iter().any(|other| other.get(number) == Some(line));
        if !is_known {
            *functions.entry(line.split(' ').next().unwrap_or_default()).or_default() += 1;
        }
    }
    let list: Vec<String> =
        functions.iter().map(|(function, rounds)| format!("{function} in {rounds} rounds")).collect();
    (!list.is_empty()).then(|| list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn a_line_counts_if_nobody_agrees() {
        let (expected, other) = (lines("f0 0 a,f1 0 b,f0 1 c"), lines("f0 0 a,f1 0 x,f0 1 c"));
        let difference = |text: &str| differing(&lines(text), &expected, std::slice::from_ref(&other));
        assert_eq!(difference("f0 0 a,f1 0 b,f0 1 c"), None);
        assert_eq!(difference("f0 0 a,f1 0 x,f0 1 c"), None);
        assert_eq!(difference("f0 0 y,f1 0 y,f0 1 y").as_deref(), Some("f0 in 2 rounds, f1 in 1 rounds"));
        assert_eq!(difference("f0 0 a").as_deref(), Some("1 lines instead of 3"));
    }
}

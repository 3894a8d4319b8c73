//! Objects of both compilers in one program: random C functions in one file, their calls in another.
//!
//! Each file becomes bitcode once and is translated by LLVM and by what is tested; every mixture of the two is linked
//! and run. A program prints what arrived changed, and is left out if LLVM's alone prints anything.

use super::prototypes;
use super::seeds::{Seeds, for_targets, say_reasons};
use crate::arguments::Arguments;
use crate::process::{self, End};
use crate::program::{self, Invocation, Setting};
use crate::toolchain::{Model, Recipe, Target, Translator, need_targets, need_tools, succeed, write};
use crate::workspace::Workspace;
use anyhow::{bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];
const RUN_LIMIT: Duration = Duration::from_secs(20);
/// Says what arrived changed.
const DRIVER: &str = r#"
#include <stdio.h>
void fail(int function, int place, int leaf) { printf("f%d, place %d, leaf %d\n", function, place, leaf); }
"#;

struct Plan {
    seeds: Seeds,
    translator: Translator,
    results: PathBuf,
}

#[derive(Default)]
struct Tally {
    compared: usize,
    /// What the translator refused, by its reason.
    refused: Vec<String>,
    /// Where LLVM's callers and callees do not agree with each other.
    left_out: usize,
    faults: usize,
}

pub fn run(workspace: &Workspace, mut arguments: Arguments, count: &str) -> anyhow::Result<()> {
    let seeds = Seeds::take(&mut arguments, count, "programs")?;
    arguments.finish()?;
    need_tools(&["clang-19", "llc-19"])?;
    need_targets(&seeds.targets)?;
    let plan =
        Plan { translator: seeds.translator(workspace)?, seeds, results: workspace.results("conventions")? };
    let tallies = plan.seeds.check(|seed| plan.check(seed))?;
    let compared: usize = tallies.iter().map(|tally| tally.compared).sum();
    let faults: usize = tallies.iter().map(|tally| tally.faults).sum();
    let left_out: usize = tallies.iter().map(|tally| tally.left_out).sum();
    let refused = say_reasons("refused", tallies.iter().flat_map(|tally| &tally.refused));
    println!(
        "{compared} programs of two compilers, {left_out} left out, {refused} translations refused: {faults} differ"
    );
    if faults > 0 {
        bail!("{faults} programs differ; their files are in {}", plan.results.display());
    }
    ensure!(compared > left_out, "{left_out} programs left out: LLVM's code does not agree with itself");
    Ok(())
}

impl Plan {
    /// Generates the program of a seed for each target and tests all mixtures.
    fn check(&self, seed: u64) -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        for_targets(&self.results, seed, &self.seeds.targets, |target, directory| {
            let known = tally.faults;
            self.program(directory, seed, target, &mut tally)?;
            Ok(tally.faults > known)
        })?;
        Ok(tally)
    }

    fn program(&self, directory: &Path, seed: u64, target: Target, tally: &mut Tally) -> anyhow::Result<()> {
        let file = |name: &str| directory.join(name);
        let program = prototypes::generate(seed, target);
        write(&file("types.h"), &program.header)?;
        write(&file("driver.c"), DRIVER)?;
        let model = if seed.is_multiple_of(2) { Model::Pic } else { Model::Static };
        let mut compiler =
            process::command(Path::new(target.compiler()), ["-c", "-w", model.clang_flag(), "-o"]);
        succeed(compiler.arg(file("driver.o")).arg(file("driver.c")))?;
        let level = LEVELS[(seed / 2 % LEVELS.len() as u64) as usize];
        // The two halves, in LLVM's code and in that of each recipe.
        let mut sides: Vec<Vec<Option<PathBuf>>> = Vec::new();
        for (name, text) in [("callee", &program.callee), ("caller", &program.caller)] {
            let source = file(&format!("{name}.c"));
            write(&source, text)?;
            let bitcode = file(&format!("{name}.bc"));
            let mut clang = process::command(Path::new("clang-19"), target.clang_flags());
            clang.args(program.features).args(["-w", "-c", "-emit-llvm", level, model.clang_flag(), "-o"]);
            succeed(clang.arg(&bitcode).arg(&source))?;
            let object = file(&format!("{name}.llvm.o"));
            program::llvm_object(
                "llc-19",
                "-O2",
                &bitcode,
                &object,
                Setting { target, recipe: Recipe::O2, model },
            )?;
            let mut side = vec![Some(object)];
            for &recipe in &self.seeds.recipes {
                let object = file(&format!("{name}.{}.o", recipe.name()));
                let translated = program::tested_object(
                    &self.translator,
                    &bitcode,
                    &object,
                    Setting { target, recipe, model },
                )?;
                side.push(match translated {
                    Ok(()) => Some(object),
                    Err(text) => match text.split_once("not supported: ") {
                        Some((_, reason)) => {
                            tally.refused.push(reason.trim().to_owned());
                            None
                        }
                        None => {
                            println!("{text}");
                            tally.faults += 1;
                            None
                        }
                    },
                });
            }
            sides.push(side);
        }
        let recipe_count = self.seeds.recipes.len();
        let mixtures = (0..=recipe_count).flat_map(|own| [(own, own), (0, own), (own, 0)]);
        for (callee, caller) in mixtures.skip(2) {
            let (Some(callee_object), Some(caller_object)) = (&sides[0][callee], &sides[1][caller]) else {
                continue;
            };
            let label =
                |number: usize| number.checked_sub(1).map_or("llvm", |n| self.seeds.recipes[n].name());
            let executable = file(&format!("callee-{}-caller-{}", label(callee), label(caller)));
            let objects = [callee_object.clone(), caller_object.clone(), file("driver.o")];
            let setting = Setting { target, recipe: Recipe::O2, model };
            if let Err(text) = program::link(&objects, &executable, setting)? {
                bail!(text);
            }
            let outcome = program::run(
                &executable,
                &Invocation { target, arguments: Vec::new(), directory: None, limit: RUN_LIMIT },
            )?;
            let is_right = outcome.end == End::Exit(0) && outcome.output.is_empty();
            if (callee, caller) == (0, 0) {
                if !is_right {
                    tally.left_out += 1;
                    return Ok(());
                }
                continue;
            }
            tally.compared += 1;
            if !is_right {
                let text = String::from_utf8_lossy(&outcome.output);
                println!(
                    "{}: {}\n{}",
                    executable.display(),
                    outcome.end,
                    text.lines().take(5).collect::<Vec<_>>().join("\n")
                );
                tally.faults += 1;
            }
        }
        Ok(())
    }
}

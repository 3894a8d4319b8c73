//! The functions that make a program fail when Ice translates them and LLVM all others.
//!
//! `llvm-extract` takes a module apart: the chosen functions become a module of their own, everything else another, and
//! what was internal becomes visible to both. Zeller's delta debugging (Simplifying and Isolating Failure-Inducing
//! Input, 2002) makes the set smaller while the program still fails: one function takes about 2 log n links.

use crate::arguments::Arguments;
use crate::process::{self, End, Outcome, difference};
use crate::program::{self, Invocation, Setting};
use crate::toolchain::{Model, Recipe, Target, Translator, need_tools, succeed};
use crate::workspace::{Profile, Workspace, show};
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const HELP: &str = "\
usage: cargo xtask bisect MODULE.bc [OPTIONS] [-- ARGUMENT...]

Links a program from one module of bitcode, some functions translated by ice and the rest by llc, and finds the smallest
set of functions that makes it differ from LLVM's program when ice translates them. Prints their IR and their code.
A function that ice refuses makes the program differ, too. The arguments are the program's.

  --target T       x86_64 or i686 (x86_64)
  --recipe R       Om1 or O2 (Om1)
  --link LIST      more objects and libraries, separated by commas
  --pic            links a position-independent executable
  --seconds N      longest time of a run (10)
  --llc LLC        the llc that reads the module, whose number the other tools have, too (llc-19)
  --release        uses the release build of ice, which has no assertions
  --translator T   what is tested: 'ice', 'llc-19' or a program with the command line of `ice translate` (ice)
";

struct Bisection {
    translator: Translator,
    setting: Setting,
    llc: String,
    module: PathBuf,
    /// What is linked besides.
    others: Vec<PathBuf>,
    directory: PathBuf,
    invocation: Invocation,
    expected: Outcome,
    tried: usize,
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let program_arguments = arguments.behind_dashes();
    let profile = if arguments.switch("--release") { Profile::Release } else { Profile::Dev };
    let target = Target::list(Some(arguments.value("--target", "x86_64".to_owned())?))?[0];
    let recipe = Recipe::list(Some(arguments.value("--recipe", "Om1".to_owned())?))?[0];
    let others = arguments.text("--link")?.unwrap_or_default();
    let model = if arguments.switch("--pic") { Model::Pic } else { Model::Static };
    let limit = Duration::from_secs(arguments.value("--seconds", 10)?);
    let llc = arguments.value("--llc", "llc-19".to_owned())?;
    let translator = arguments.text("--translator")?;
    let rest = arguments.rest()?;
    ensure!(rest.len() == 1, "one module of bitcode is needed; --help tells more");
    let suffix = llc.strip_prefix("llc").unwrap_or_default().to_owned();
    let tools: Vec<String> = ["llc", "llvm-dis", "llvm-extract", "llvm-objdump"]
        .iter()
        .map(|tool| format!("{tool}{suffix}"))
        .collect();
    need_tools(&tools.iter().map(|tool| &**tool).collect::<Vec<_>>())?;
    let mut bisection = Bisection {
        translator: Translator::parse(translator, workspace, profile)?,
        setting: Setting { target, recipe, model },
        llc,
        module: std::fs::canonicalize(&rest[0])
            .with_context(|| format!("no file {}", show(Path::new(&rest[0]))))?,
        others: others.split(',').filter(|name| !name.is_empty()).map(PathBuf::from).collect(),
        directory: workspace.results("bisect")?,
        invocation: Invocation { target, arguments: program_arguments, directory: None, limit },
        expected: Outcome { end: End::Exit(0), output: Vec::new(), errors: String::new() },
        tried: 0,
    };
    let functions = bisection.functions()?;
    ensure!(!functions.is_empty(), "the module defines no function");
    bisection.expected = bisection.reference()?;
    println!("{} functions; LLVM's program: {}", functions.len(), bisection.expected.end);
    ensure!(
        bisection.fault(&[])?.is_none(),
        "the program fails without ice, when its module is only taken apart"
    );
    ensure!(
        bisection.fault(&functions)?.is_some(),
        "the program does not fail with all functions translated by ice"
    );
    let guilty = minimize(functions, |set| Ok(bisection.fault(set)?.is_some()))?;
    let fault = bisection.fault(&guilty)?.unwrap_or_default();
    println!("{} after {} links: {fault}", guilty.join(", "), bisection.tried);
    bisection.show(&guilty)
}

/// Delta debugging: the smallest set, in the order of `all`, that `fails`, if every part of it is needed.
fn minimize(
    mut all: Vec<String>,
    mut fails: impl FnMut(&[String]) -> anyhow::Result<bool>,
) -> anyhow::Result<Vec<String>> {
    let mut parts = 2;
    'smaller: while all.len() > 1 {
        let size = all.len().div_ceil(parts);
        for part in all.chunks(size).map(<[String]>::to_vec).collect::<Vec<_>>() {
            if part.len() < all.len() && fails(&part)? {
                (all, parts) = (part, 2);
                continue 'smaller;
            }
        }
        for start in (0..all.len()).step_by(size).filter(|_| parts > 2) {
            let without = [&all[..start], &all[(start + size).min(all.len())..]].concat();
            if fails(&without)? {
                (all, parts) = (without, parts - 1);
                continue 'smaller;
            }
        }
        if size == 1 {
            break;
        }
        parts = (parts * 2).min(all.len());
    }
    Ok(all)
}

impl Bisection {
    fn tool(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("{name}{}", self.llc.strip_prefix("llc").unwrap_or_default()))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The names of the functions that the module defines.
    fn functions(&self) -> anyhow::Result<Vec<String>> {
        let text = succeed(process::command(&self.tool("llvm-dis"), ["-o", "-"]).arg(&self.module))?;
        Ok(String::from_utf8_lossy(&text)
            .lines()
            .filter(|line| line.starts_with("define ") && !line.contains(" available_externally "))
            .filter_map(|line| line.split_once('@')?.1.split_once('('))
            .map(|(name, _)| name.trim_matches('"').to_owned())
            .collect())
    }

    /// What LLVM's program does.
    fn reference(&self) -> anyhow::Result<Outcome> {
        let (object, executable) = (self.file("llvm.o"), self.file("llvm"));
        program::llvm_object(&self.llc, "-O1", &self.module, &object, self.setting)?;
        let objects = [&[object][..], &self.others].concat();
        program::link(&objects, &executable, self.setting)?.map_err(anyhow::Error::msg)?;
        program::run(&executable, &self.invocation)
    }

    /// A module of the functions, or of all that is not one of them.
    fn extract(&self, functions: &[String], flags: &[&str], to: &Path) -> anyhow::Result<()> {
        let mut command = process::command(&self.tool("llvm-extract"), flags);
        command.args(functions.iter().map(|name| format!("--func={name}")));
        succeed(command.arg("-o").arg(to).arg(&self.module))?;
        Ok(())
    }

    /// What is wrong with the program in which ice translates `functions`.
    fn fault(&mut self, functions: &[String]) -> anyhow::Result<Option<String>> {
        self.tried += 1;
        let (chosen, rest) = (self.file("chosen.bc"), self.file("rest.bc"));
        let (chosen_object, rest_object) = (self.file("chosen.o"), self.file("rest.o"));
        // Something has to be taken out, so that what is internal becomes visible all the same.
        let mut objects = self.others.clone();
        if !functions.is_empty() {
            self.extract(functions, &[], &chosen)?;
            if let Err(text) =
                program::tested_object(&self.translator, &chosen, &chosen_object, self.setting)?
            {
                return Ok(Some(text));
            }
            objects.insert(0, chosen_object);
        }
        if functions.is_empty() {
            std::fs::copy(&self.module, &rest).with_context(|| show(&rest))?;
        } else {
            self.extract(functions, &["--delete"], &rest)?;
        }
        program::llvm_object(&self.llc, "-O1", &rest, &rest_object, self.setting)?;
        objects.insert(0, rest_object);
        let executable = self.file("mixed");
        if let Err(text) = program::link(&objects, &executable, self.setting)? {
            return Ok(Some(text));
        }
        Ok(difference(&self.expected, &program::run(&executable, &self.invocation)?))
    }

    /// Prints IR and code of the functions.
    fn show(&self, functions: &[String]) -> anyhow::Result<()> {
        let (text, object) = (self.file("chosen.ll"), self.file("chosen.o"));
        self.extract(functions, &["-S"], &text)?;
        print!("{}", crate::toolchain::read(&text)?);
        if object.is_file() {
            let code = process::run(
                process::command(&self.tool("llvm-objdump"), ["-dr", "--no-show-raw-insn"]).arg(&object),
                Duration::from_secs(60),
            )?;
            print!("{}", String::from_utf8_lossy(&code.output));
        }
        println!("the module of these functions: {}", self.file("chosen.bc").display());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
        numbers.into_iter().map(|number| number.to_string()).collect()
    }

    #[test]
    fn the_smallest_set_is_found() {
        for guilty in [vec![7], vec![0, 99], vec![3, 50, 51]] {
            let guilty = names(guilty);
            let mut tried = 0;
            let found = minimize(names(0..100), |set| {
                tried += 1;
                Ok(guilty.iter().all(|name| set.contains(name)))
            });
            assert_eq!(found.unwrap(), guilty);
            assert!(tried < 150, "{tried}");
        }
    }
}

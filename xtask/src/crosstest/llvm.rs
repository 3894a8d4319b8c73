//! Every function of the sources in LLVM's code and in Ice's, called with the same values in one process.
//!
//! LLVM's object gets other names, a driver has a stub for each function of each side, and both halves of an
//! executable run in turn. What the driver prints are the differences. A piece of work is a source for one target, level
//! and relocation model; `--record` keeps what came of each.

use super::in_process::Loaders;
use super::record::{Record, Tally};
use super::refusals::{self, Constants};
use super::sources::{self, Language, Prepared, Processor, Setting, Source};
use crate::arguments::Arguments;
use crate::process::{self, End};
use crate::program;
use crate::toolchain::{Llvm, Model, Recipe, Target, Translator, line_of, need_targets, need_tools};
use crate::tools;
use crate::workspace::{Profile, Workspace, has_tool};
use anyhow::{bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

const TOOLS: [&str; 6] = ["llc", "llvm-as", "llvm-dis", "llvm-extract", "llvm-nm", "llvm-objcopy"];
const LEVELS: [&str; 4] = ["O0", "O1", "O2", "O3"];
/// Calls of each function for every target, recipe, level and relocation model: about seventy million.
const FULL: u64 = 1000;
const RUN_LIMIT: Duration = Duration::from_secs(3600);

struct Plan {
    translator: Translator,
    recipes: Vec<Recipe>,
    calls: u64,
    seed: u64,
    function: Option<String>,
    /// What makes Ice's code in the process, if it is made there.
    loaders: Option<Loaders>,
}

/// A source made ready for one setting, target and level.
struct Piece<'a> {
    source: &'a Source,
    setting: &'a Setting,
    target: Target,
    level: &'a str,
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let profile = if arguments.switch("--release") { Profile::Release } else { Profile::Dev };
    let targets = Target::list(arguments.text("--targets")?)?;
    let recipes = Recipe::list(arguments.text("--recipes")?)?;
    let levels = arguments
        .text("--levels")?
        .map_or(LEVELS.map(str::to_owned).to_vec(), |list| list.split(',').map(str::to_owned).collect());
    for level in &levels {
        ensure!(LEVELS.contains(&&**level), "unknown level '{level}'; there are {}", LEVELS.join(", "));
    }
    let is_full = arguments.switch("--full");
    let calls = arguments.value("--calls", if is_full { FULL } else { 300 })?;
    let seed = arguments.value("--seed", 1)?;
    let function = arguments.text("--function")?;
    let models = arguments.text("--relocation-model")?;
    let models = Model::list(models.as_deref().unwrap_or(if is_full { "pic,static" } else { "pic" }))?;
    let clang = Llvm(arguments.value("--clang", Llvm::USUAL.0)?);
    let processor = if arguments.switch("--avx2") { Processor::Avx2 } else { Processor::Usual };
    let record = arguments.text("--record")?;
    let results = arguments.value("--results", "crosstest".to_owned())?;
    let jobs = arguments.value("--jobs", process::default_jobs())?;
    let only_list = arguments.switch("--list");
    let translator = arguments.text("--translator")?;
    let is_in_process = arguments.switch("--in-process");
    let wanted = arguments.rest()?;

    let directory = sources::directory(workspace);
    let mut all = sources::all(&directory)?;
    if only_list {
        all.iter().for_each(|source| println!("{}", source.name));
        return Ok(());
    }
    for name in &wanted {
        let known = all.iter().any(|source| *source.name == **name);
        ensure!(known, "no source '{}'; --list has all", name.to_string_lossy());
    }
    all.retain(|source| wanted.is_empty() || wanted.iter().any(|name| *source.name == **name));
    need_tools(&[&*clang.tool("clang"), &*clang.tool("clang++")])?;
    need_tools(&TOOLS.map(|tool| clang.reader().tool(tool)).each_ref().map(String::as_str))?;
    need_targets(&targets)?;
    let plan = Plan {
        translator: Translator::parse(translator, workspace, profile)?,
        recipes,
        calls,
        seed,
        function,
        loaders: is_in_process.then(|| Loaders::build(workspace, &targets)).transpose()?,
    };
    let results = workspace.results(&results)?;
    let has_rust = clang == Llvm::USUAL && all.iter().any(|source| source.language() == Language::Rust);
    let rust = if has_rust { rust_targets(&targets) } else { Vec::new() };
    let setting = |&model| {
        let (sources, results, rust) = (directory.clone(), results.clone(), rust.clone());
        Setting { sources, results, model, clang, rust, processor }
    };
    let settings: Vec<Setting> = models.iter().map(setting).collect();
    let mut work = Vec::new();
    for level in &levels {
        for setting in &settings {
            for &target in &targets {
                for source in &all {
                    if source.is_for(setting, target, level)? {
                        work.push(Piece { source, setting, target, level });
                    }
                }
            }
        }
    }
    ensure!(
        !work.is_empty(),
        "nothing to do: IR is tested at level O0 only, and IR and Rust with the usual clang"
    );
    let record = Record::open(record.as_deref().map(Path::new))?;
    let tallies = process::for_each(work.len(), jobs, |index| {
        let key = plan.key(&work[index]);
        match record.known(&key) {
            Some(tally) => Ok(tally),
            None => plan.check(&work[index]).and_then(|tally| record.keep(&key, tally)),
        }
    })?;
    let sum = tallies.into_iter().fold(Tally::default(), Tally::plus);
    println!("{sum}");
    if sum.faulty > 0 {
        bail!("{} of {} programs differ", sum.faulty, sum.runs);
    }
    ensure!(sum.calls > 0, "nothing was called");
    Ok(())
}

/// The targets that rustc has libraries for; says which are missing.
fn rust_targets(targets: &[Target]) -> Vec<(Target, PathBuf)> {
    if let Some(tool) = ["rustc".to_owned(), Llvm::RUST.tool("llc")].iter().find(|tool| !has_tool(tool)) {
        tools::skip("Rust sources", &format!("no {tool} on this machine"));
        return Vec::new();
    }
    let mut found = Vec::new();
    for &target in targets {
        match sources::rust_library(target) {
            Some(library) => found.push((target, library)),
            None => tools::note(&format!("Rust sources on {}: rustc has no library for it", target.name())),
        }
    }
    found
}

impl Plan {
    /// What decides the result of a piece, in words without blanks.
    fn key(&self, piece: &Piece) -> String {
        let recipes: Vec<&str> = self.recipes.iter().map(|recipe| recipe.name()).collect();
        format!(
            "{} {} {} {} clang-{} {}{} calls:{} seed:{} function:{}",
            piece.source.name,
            piece.target.name(),
            piece.level,
            piece.setting.model.name(),
            piece.setting.clang.0,
            recipes.join(","),
            if self.loaders.is_some() { " in-process" } else { "" },
            self.calls,
            self.seed,
            self.function.as_deref().unwrap_or("all"),
        )
    }

    /// Tests a source with every recipe; prints what differs.
    fn check(&self, piece: &Piece) -> anyhow::Result<Tally> {
        let &Piece { source, setting, target, level } = piece;
        let prepared = source.prepare(setting, target, level)?;
        let mut tally = Tally::default();
        for &recipe in &self.recipes {
            // With two modules each in turn is LLVM's.
            let sides: Vec<Vec<bool>> = match prepared.modules.len() {
                1 => vec![vec![true]],
                count => (0..count).map(|own| (0..count).map(|index| index == own).collect()).collect(),
            };
            for side in sides {
                tally.runs += 1;
                tally.left_out += prepared.left_out;
                let setting = program::Setting { target, recipe, model: setting.model };
                let faults = match self.run(&prepared, setting, &side, &mut tally)? {
                    None => continue,
                    Some(faults) => faults,
                };
                tally.faulty += 1;
                let part = match side.iter().position(|&own| own) {
                    Some(index) if side.len() > 1 => {
                        format!(" {}", ["callers", "callees"].get(index).unwrap_or(&"part"))
                    }
                    _ => String::new(),
                };
                println!(
                    "{}{part} {} {level} {} {}:",
                    source.name,
                    target.name(),
                    recipe.name(),
                    setting.model.name()
                );
                faults.lines().for_each(|line| println!("  {line}"));
                println!("  files in {}", prepared.directory.display());
            }
        }
        Ok(tally)
    }

    /// Tests one recipe; `own` says which modules are translated by what is tested. Gives the differences.
    fn run(
        &self,
        prepared: &Prepared,
        setting: program::Setting,
        own: &[bool],
        tally: &mut Tally,
    ) -> anyhow::Result<Option<String>> {
        let (mut tested, mut refusals) = (Vec::new(), String::new());
        for (module, &own) in prepared.modules.iter().zip(own) {
            if !own {
                tested.push(module.plain.clone());
                continue;
            }
            let constants = match &self.loaders {
                Some(_) => Constants::Copied,
                None => Constants::Shared,
            };
            let mut translated =
                refusals::translate(&self.translator, &module.bitcode, prepared.llvm, setting, constants)?;
            tally.refused += translated.refusals.len();
            translated.refusals.iter().for_each(|refusal| refusals += &format!("{refusal}\n"));
            if translated.objects.is_empty() {
                return Ok(Some(refusals));
            }
            if let Some(loaders) = &self.loaders {
                let object = translated.objects.remove(0);
                tested.extend(loaders.replace(&object, &translated.bitcode, setting)?);
            }
            tested.extend(translated.objects);
        }
        let executable = prepared.directory.join(format!("{}-{}", setting.recipe.name(), u8::from(own[0])));
        if let Err(error) = sources::link(prepared, setting.model, &tested, &executable) {
            return Ok(Some(format!("{refusals}{error}")));
        }
        let mut command = prepared.target.execute(&executable);
        command.args([self.calls.to_string(), self.seed.to_string()]).args(&self.function);
        if prepared.flushes {
            command.env("CROSSTEST_FLUSH", "1");
        }
        let outcome = process::run(&mut command, RUN_LIMIT)?;
        let text = String::from_utf8_lossy(&outcome.output).into_owned();
        let counts: Vec<u64> = text
            .lines()
            .last()
            .map_or(Vec::new(), |line| line.split(' ').filter_map(|word| word.parse().ok()).collect());
        if let [functions, calls, _] = counts[..] {
            tally.functions += functions;
            tally.calls += calls;
        }
        Ok(match outcome.end {
            End::Exit(0) if refusals.is_empty() => None,
            end => Some(format!("{refusals}{text}{}: {end}\n{}", line_of(&command), outcome.first_errors())),
        })
    }
}

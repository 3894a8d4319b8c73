//! Every function of the sources in LLVM's code and in Ice's, called with the same values in one process.
//!
//! LLVM's object gets other names, a driver has a stub for each function of each side, and both halves of an
//! executable run in turn. What the driver prints are the differences.

use super::refusals;
use super::sources::{self, Prepared, Setting, Source};
use crate::arguments::Arguments;
use crate::process::{self, End};
use crate::program;
use crate::toolchain::{Model, Recipe, Target, Translator, line_of, need_tools};
use crate::workspace::{Profile, Workspace};
use anyhow::{bail, ensure};
use std::time::Duration;

const TOOLS: [&str; 7] =
    ["clang-19", "llc-19", "llvm-as-19", "llvm-dis-19", "llvm-extract-19", "llvm-nm-19", "llvm-objcopy-19"];
const LEVELS: [&str; 3] = ["O0", "O1", "O2"];
const FULL: u64 = 20_000;
const RUN_LIMIT: Duration = Duration::from_secs(3600);

struct Plan {
    translator: Translator,
    recipes: Vec<Recipe>,
    setting: Setting,
    calls: u64,
    seed: u64,
    function: Option<String>,
}

/// What came of a source.
#[derive(Default)]
struct Tally {
    runs: usize,
    faulty: usize,
    functions: u64,
    calls: u64,
    left_out: usize,
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
    let calls = if arguments.switch("--full") { FULL } else { 300 };
    let calls = arguments.value("--calls", calls)?;
    let seed = arguments.value("--seed", 1)?;
    let function = arguments.text("--function")?;
    let model = if arguments.switch("--pic") { Model::Pic } else { Model::Static };
    let jobs = arguments.value("--jobs", process::default_jobs())?;
    let only_list = arguments.switch("--list");
    let translator = arguments.text("--translator")?;
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
    need_tools(&TOOLS)?;
    need_tools(&targets.iter().map(|target| target.compiler()).collect::<Vec<_>>())?;
    let plan = Plan {
        translator: Translator::parse(translator, workspace, profile)?,
        recipes,
        setting: Setting { sources: directory, results: workspace.results("crosstest")?, model },
        calls,
        seed,
        function,
    };
    let mut work = Vec::new();
    for source in &all {
        for &target in &targets {
            for level in &levels {
                if source.is_for(target, level)? {
                    work.push((source, target, &**level));
                }
            }
        }
    }
    ensure!(!work.is_empty(), "nothing to do: IR is tested at level O0 only");
    let tallies = process::for_each(work.len(), jobs, |index| {
        let (source, target, level) = work[index];
        plan.check(source, target, level)
    })?;
    let sum = tallies.into_iter().fold(Tally::default(), Tally::plus);
    println!(
        "{} programs, {} functions ({} that no stub can call), {} calls: {} programs with differences",
        sum.runs, sum.functions, sum.left_out, sum.calls, sum.faulty
    );
    if sum.faulty > 0 {
        bail!("{} of {} programs differ", sum.faulty, sum.runs);
    }
    ensure!(sum.calls > 0, "nothing was called");
    Ok(())
}

impl Tally {
    fn plus(self, other: Tally) -> Tally {
        Tally {
            runs: self.runs + other.runs,
            faulty: self.faulty + other.faulty,
            functions: self.functions + other.functions,
            calls: self.calls + other.calls,
            left_out: self.left_out + other.left_out,
        }
    }
}

impl Plan {
    /// Tests a source with every recipe; prints what differs.
    fn check(&self, source: &Source, target: Target, level: &str) -> anyhow::Result<Tally> {
        let prepared = source.prepare(&self.setting, target, level)?;
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
                let faults = match self.run(&prepared, recipe, &side, &mut tally)? {
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
                println!("{}{part} {} {level} {}:", source.name, target.name(), recipe.name());
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
        recipe: Recipe,
        own: &[bool],
        tally: &mut Tally,
    ) -> anyhow::Result<Option<String>> {
        let setting = program::Setting { target: prepared.target, recipe, model: self.setting.model };
        let (mut tested, mut refusals) = (Vec::new(), String::new());
        for (module, &own) in prepared.modules.iter().zip(own) {
            if !own {
                tested.push(module.plain.clone());
                continue;
            }
            let translated = refusals::translate(&self.translator, &module.bitcode, setting)?;
            translated.refusals.iter().for_each(|refusal| refusals += &format!("{refusal}\n"));
            if translated.objects.is_empty() {
                return Ok(Some(refusals));
            }
            tested.extend(translated.objects);
        }
        let executable = prepared.directory.join(format!("{}-{}", recipe.name(), u8::from(own[0])));
        if let Err(error) = sources::link(prepared, self.setting.model, &tested, &executable) {
            return Ok(Some(format!("{refusals}{error}")));
        }
        let mut command = process::command(&executable, [self.calls.to_string(), self.seed.to_string()]);
        command.args(&self.function);
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

//! Every function of `<arm_neon.h>` and `<arm_acle.h>` on AArch64 and ARM, in Ice's code and in LLVM's.
//!
//! clang makes modules of functions in C that call one of them each (`headers.rs`), with many immediate
//! operands where there is one. LLVM and what is tested translate the same bitcode, and a program (`main.c`)
//! prints a hash of what each function makes of bits, of floats, and of small and extreme integers. A
//! function that is refused comes from LLVM, so that it hides no other, and counts.

mod headers;

use super::refusals::{self, Constants};
use crate::arguments::Arguments;
use crate::process::{self, End};
use crate::program::{self, Setting};
use crate::toolchain::{
    Llvm, Model, Recipe, Target, Translator, line_of, need_targets, need_tools, succeed, write,
};
use crate::workspace::{Profile, Workspace, show};
use anyhow::{Context as _, bail, ensure};
use headers::Call;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LEVELS: [&str; 4] = ["O0", "O1", "O2", "O3"];
/// Machines that have the headers.
const TARGETS: [Target; 2] = [Target::Aarch64, Target::Armv7];
/// The program in C that makes the calls of a module.
const MAIN: &str = include_str!("main.c");
/// Calls that clang is asked about at once, and calls of a module.
const CANDIDATES: usize = 2000;
const CALLS: usize = 500;
const RUN_LIMIT: Duration = Duration::from_secs(120);

/// The processor that clang is told of. Each function says in the bitcode that it needs it.
fn processor(target: Target) -> &'static [&'static str] {
    match target {
        Target::Armv7 => &["-march=armv8.5-a+aes+sha2+dotprod+i8mm+crc", "-mfpu=neon-fp-armv8"],
        _ => &["-march=armv8.5-a+aes+sha2+sha3+sm4+dotprod+i8mm+crc"],
    }
}

/// Whether LLVM has a function on ARM in name only: clang has no code for complex products, and `llc` ends by a signal where
/// one number of 64 bits goes to all lanes of several vectors of 128.
fn is_broken_on_arm(function: &str) -> bool {
    let is_of_several = ["vld2q_dup", "vld3q_dup", "vld4q_dup"].iter().any(|name| function.starts_with(name));
    function.starts_with("vcmla") || is_of_several && function.ends_with("64")
}

struct Plan {
    target: Target,
    translator: Translator,
    recipes: Vec<Recipe>,
    level: String,
    results: PathBuf,
    /// Options that a command which tests the same has to repeat.
    repeated: String,
}

/// What came of a module with a recipe.
#[derive(Default)]
struct Tally {
    compared: usize,
    /// Messages of the translator.
    refused: Vec<String>,
    /// Calls that leave something else, and what the matter is.
    differing: Vec<(String, String)>,
    /// Where the files are if something is wrong.
    directory: Option<PathBuf>,
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let is_release = arguments.switch("--release");
    let recipes = Recipe::list(arguments.text("--recipes")?)?;
    let level = arguments.value("--level", "O1".to_owned())?;
    ensure!(LEVELS.contains(&&*level), "unknown level '{level}'; there are {}", LEVELS.join(", "));
    let part = arguments.text("--name")?.unwrap_or_default();
    let translator = arguments.text("--translator")?;
    let targets = match arguments.text("--targets")? {
        None => TARGETS.to_vec(),
        list => Target::list(list)?,
    };
    let other = targets.iter().find(|target| !TARGETS.contains(target));
    ensure!(other.is_none(), "{} has no such headers", other.map_or("", |target| target.name()));
    let jobs = arguments.value("--jobs", process::default_jobs())?;
    arguments.finish()?;
    need_tools(&["clang-19", "llc-19", "llvm-extract-19"])?;
    need_targets(&targets)?;
    let mut repeated = format!("--level {level}");
    repeated += if is_release { " --release" } else { "" };
    translator.iter().for_each(|translator| repeated += &format!(" --translator {translator}"));
    let profile = if is_release { Profile::Release } else { Profile::Dev };
    let translator = Translator::parse(translator, workspace, profile)?;
    let results = workspace.results("neon")?;
    let mut faults = 0;
    for target in targets {
        let directory = results.join(target.name());
        std::fs::create_dir_all(&directory).with_context(|| show(&directory))?;
        let plan = Plan {
            target,
            translator: translator.clone(),
            recipes: recipes.clone(),
            level: level.clone(),
            results: directory,
            repeated: format!("--targets {} {repeated}", target.name()),
        };
        faults += plan.run(&part, jobs)?;
    }
    if faults > 0 {
        bail!("{faults} functions differ or are refused; their files are in {}", results.display());
    }
    Ok(())
}

impl Plan {
    /// Tests all functions whose names contain `part`; gives how many are wrong.
    fn run(&self, part: &str, jobs: usize) -> anyhow::Result<usize> {
        let calls = self.calls(part, jobs)?;
        let modules: Vec<&[Call]> = calls.chunks(CALLS).collect();
        let tallies = process::for_each(modules.len(), jobs, |index| self.check(modules[index]))?;
        let recipes = self.recipes.iter().enumerate();
        Ok(recipes.map(|(index, &recipe)| self.report(recipe, tallies.iter().map(|t| &t[index]))).sum())
    }

    /// The calls that clang translates and whose names contain `part`.
    fn calls(&self, part: &str, jobs: usize) -> anyhow::Result<Vec<Call>> {
        let mut clang = self.clang();
        clang.args([
            "-E",
            "-P",
            "-dD",
            "-include",
            "arm_neon.h",
            "-include",
            "arm_acle.h",
            "-x",
            "c",
            "/dev/null",
        ]);
        let text = succeed(&mut clang)?;
        let left_out = match self.target {
            Target::Armv7 => is_broken_on_arm,
            _ => |_: &str| false,
        };
        let mut candidates = headers::calls(&String::from_utf8_lossy(&text), left_out);
        candidates.retain(|call| call.name.contains(part));
        ensure!(!candidates.is_empty(), "no function of the headers has '{part}' in its name");
        let chunks: Vec<&[Call]> = candidates.chunks(CANDIDATES).collect();
        let accepted = process::for_each(chunks.len(), jobs, |index| {
            self.accepted(chunks[index], &self.results.join(format!("candidates-{index}.c")))
        })?;
        let calls = accepted.concat();
        let tested: BTreeSet<&str> = calls.iter().map(|call| &*call.function).collect();
        let lost = candidates.iter().find(|call| !tested.contains(&*call.function));
        ensure!(lost.is_none(), "clang refuses all of {}", lost.map_or("", |call| &call.function));
        Ok(calls)
    }

    /// The calls that clang does not refuse: those whose immediate operands are in range.
    fn accepted(&self, candidates: &[Call], source: &Path) -> anyhow::Result<Vec<Call>> {
        write(source, &headers::source(candidates))?;
        let mut clang = self.clang();
        let outcome = process::run(clang.args(["-fsyntax-only", "-ferror-limit=0"]).arg(source), RUN_LIMIT)?;
        let refused: BTreeSet<usize> = outcome.errors.lines().filter_map(headers::refused).collect();
        std::fs::remove_file(source).with_context(|| show(source))?;
        let accepted = candidates.iter().enumerate().filter(|(index, _)| !refused.contains(index));
        Ok(accepted.map(|(_, call)| call.clone()).collect())
    }

    fn clang(&self) -> std::process::Command {
        let mut clang = process::command(Path::new("clang-19"), self.target.clang_flags());
        clang.args(processor(self.target)).args(["-w", "-fno-pic"]).arg(format!("-{}", self.level));
        clang
    }

    /// Tests a module of calls with each recipe, in a directory that stays if something is wrong.
    fn check(&self, calls: &[Call]) -> anyhow::Result<Vec<Tally>> {
        let directory = self.results.join(&calls[0].name);
        std::fs::create_dir_all(&directory).with_context(|| show(&directory))?;
        let mut tallies = self.module(calls, &directory).with_context(|| show(&directory))?;
        for tally in &mut tallies {
            let is_wrong = !tally.refused.is_empty() || !tally.differing.is_empty();
            tally.directory = is_wrong.then(|| directory.clone());
        }
        if tallies.iter().all(|tally| tally.directory.is_none()) {
            std::fs::remove_dir_all(&directory).with_context(|| show(&directory))?;
        }
        Ok(tallies)
    }

    fn module(&self, calls: &[Call], directory: &Path) -> anyhow::Result<Vec<Tally>> {
        let file = |name: &str| directory.join(name);
        let setting = |recipe| Setting { target: self.target, recipe, model: Model::Static };
        write(&file("main.c"), MAIN)?;
        write(&file("table.h"), &headers::table(calls))?;
        write(&file("module.c"), &headers::source(calls))?;
        let mut compiler = process::command(Path::new(self.target.compiler()), ["-O1", "-c", "-o"]);
        succeed(compiler.arg(file("main.o")).arg(file("main.c")))?;
        let bitcode = file("module.bc");
        succeed(self.clang().args(["-c", "-emit-llvm", "-o"]).arg(&bitcode).arg(file("module.c")))?;
        program::llvm_object("llc-19", "-O2", &bitcode, &file("llvm.o"), setting(Recipe::O2))?;
        let objects = vec![file("llvm.o"), file("main.o")];
        let expected = lines(objects, &file("llvm"), setting(Recipe::O2))?;
        let mut tallies = Vec::new();
        for &recipe in &self.recipes {
            let mut translated = refusals::translate(
                &self.translator,
                &bitcode,
                Llvm::USUAL,
                setting(recipe),
                Constants::Shared,
            )?;
            let mut tally = Tally { refused: translated.refusals, ..Tally::default() };
            if !translated.objects.is_empty() {
                translated.objects.push(file("main.o"));
                let found = lines(translated.objects, &file(recipe.name()), setting(recipe))?;
                tally.compared = calls.len() - tally.refused.len();
                tally.differing = differing(calls, &expected, &found);
            }
            tallies.push(tally);
        }
        Ok(tallies)
    }

    /// Prints what came of all modules with a recipe; gives how many functions are wrong.
    fn report<'a>(&self, recipe: Recipe, tallies: impl Iterator<Item = &'a Tally>) -> usize {
        let (mut compared, mut refused, mut differing) = (0, 0, 0);
        for tally in tallies {
            compared += tally.compared;
            refused += tally.refused.len();
            differing += tally.differing.len();
            tally.refused.iter().for_each(|message| println!("{message}"));
            for (name, what) in &tally.differing {
                println!("{name} {}: {what}", recipe.name());
                let options = format!("--name {name} --recipes {} {}", recipe.name(), self.repeated);
                println!("  cargo xtask crosstest --neon {options}");
            }
            for directory in tally.directory.iter().filter(|_| !tally.differing.is_empty()) {
                println!("  files in {}", directory.display());
            }
        }
        let more = if refused > 0 { format!(", {refused} refused") } else { String::new() };
        let target = self.target.name();
        println!("neon {target} {}: {compared} functions, {differing} differ{more}", recipe.name());
        refused + differing
    }
}

/// What a program of these objects prints for each call, by its name.
fn lines(
    objects: Vec<PathBuf>,
    executable: &Path,
    setting: Setting,
) -> anyhow::Result<BTreeMap<String, String>> {
    program::link(&objects, executable, setting)?.map_err(anyhow::Error::msg)?;
    let mut command = setting.target.execute(executable);
    // The emulator's processor that has all features.
    let outcome = process::run(command.env("QEMU_CPU", "max"), RUN_LIMIT)?;
    let text = String::from_utf8_lossy(&outcome.output);
    ensure!(outcome.end == End::Exit(0), "{}: {}", line_of(&command), outcome.end);
    let line = |line: &str| line.split_once(' ').map(|(name, rest)| (name.to_owned(), rest.to_owned()));
    Ok(text.lines().filter_map(line).collect())
}

/// The calls of which the lines are not the same, and what the matter is.
fn differing(
    calls: &[Call],
    expected: &BTreeMap<String, String>,
    found: &BTreeMap<String, String>,
) -> Vec<(String, String)> {
    let difference = |call: &Call| match (expected.get(&call.name), found.get(&call.name)) {
        (Some(expected), Some(found)) if expected == found => None,
        (expected, found) => {
            let show = |line: Option<&String>| line.map_or("nothing", String::as_str).to_owned();
            Some((call.name.clone(), format!("{} instead of {}", show(found), show(expected))))
        }
    };
    calls.iter().filter_map(difference).collect()
}

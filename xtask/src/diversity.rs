//! Code that differs by chance: whether programs do the same with many seeds, and what of one seed's code another's has.

use crate::arguments::Arguments;
use crate::corpus::{Case, cases};
use crate::process::{self, End};
use crate::tools;
use crate::workspace::{Profile, TARGETS, Workspace, show, targets};
use anyhow::{Context as _, ensure};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;
use xshell::cmd;

pub const HELP: &str = "\
usage: cargo xtask diversity [OPTIONS]

Runs each program of the corpus with each seed, for each target and recipe, and compares with its known output. Then
translates programs with pairs of seeds, with each kind by itself and with all, and counts the gadgets (ROPgadget, up to
five instructions) of one that the other has at the same place, instructions that do nothing left out.

  --targets LIST  x86_64, i686, armv7, mipsel, aarch64, separated by commas (x86_64,i686)
  --seeds N       seeds of each program (100)
  --jobs N        programs at a time (2)
  --confined      x86_64 alone, in the sandbox
";

/// Longest time of a program with its translation.
const LIMIT: Duration = Duration::from_secs(300);

/// What may be left to chance; the last for everything.
const KINDS: [&str; 12] = [
    "nops",
    "encodings",
    "selection",
    "registers",
    "blocks",
    "stack",
    "blinding",
    "pooling",
    "functions",
    "globals",
    "pools",
    "nops,encodings,selection,registers,blocks,stack,blinding,pooling,functions,globals,pools",
];

/// Programs whose gadgets are counted.
const GADGETS_OF: [&str; 2] = ["bench/nbody.pexe", "large/argon2.pexe"];

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let is_confined = arguments.switch("--confined");
    let named = arguments.text("--targets")?.or_else(|| Some("x86_64,i686".to_owned()));
    let targets = match is_confined {
        true => vec!["x86_64".to_owned()],
        false => targets(named, &TARGETS)?,
    };
    let seeds: usize = arguments.value("--seeds", 100)?;
    let jobs = arguments.value("--jobs", 2)?;
    ensure!(arguments.rest()?.is_empty(), "{HELP}");
    let corpus = workspace.corpus()?;
    let ice = workspace.build_ice(Profile::Release)?;
    let cases = cases(&corpus)?;
    let mut runs = Vec::new();
    for target in &targets {
        for recipe in ["-Om1", "-O2"] {
            runs.extend(
                (0..seeds).flat_map(|seed| cases.iter().map(move |case| (target, recipe, seed, case))),
            );
        }
    }
    let failures = process::for_each(runs.len(), jobs, |n| {
        let (target, recipe, seed, case) = runs[n];
        run_case(&ice, &corpus, &[target, recipe, &seed.to_string()], is_confined, case)
    })?;
    failures.iter().flatten().for_each(|failure| println!("{failure}"));
    let failed = failures.iter().flatten().count();
    println!("{} of {} runs differ from what is known", failed, runs.len());
    if tools::has("gadgets", &["ROPgadget", "objcopy"]) {
        for target in targets.iter().filter(|target| ["x86_64", "i686"].contains(&&***target)) {
            count_gadgets(workspace, &ice, &corpus, target)?;
        }
    }
    ensure!(failed == 0, "programs differ");
    Ok(())
}

/// Runs a program; says what is wrong.
fn run_case(
    ice: &Path,
    corpus: &Path,
    [target, recipe, seed]: &[&str; 3],
    is_confined: bool,
    case: &Case,
) -> anyhow::Result<Option<String>> {
    let confined: &[&str] = if is_confined { &["--sandbox"] } else { &[] };
    let mut command = process::command(ice, ["run", "--target", target, recipe, "--diversify", seed]);
    command.args(confined).arg(&case.file).args(&case.arguments).current_dir(corpus);
    let outcome = process::run(&mut command, LIMIT)?;
    let is_right = outcome.end == End::Exit(case.exit_code) && outcome.output == case.output;
    Ok((!is_right).then(|| {
        format!("{target} {recipe} seed {seed} {}: {}\n{}", case.id, outcome.end, outcome.first_errors())
    }))
}

/// Prints what part of the gadgets of one seed's code another seed's has, for each kind.
fn count_gadgets(workspace: &Workspace, ice: &Path, corpus: &Path, target: &str) -> anyhow::Result<()> {
    let directory = workspace.results("diversity")?;
    for program in GADGETS_OF {
        for kinds in KINDS {
            let mut found = Vec::new();
            for seed in ["1", "2", "3"] {
                let object = directory.join("a.o");
                let mut command = process::command(ice, ["translate", "-O2", "--target", target, "-o"]);
                command.arg(&object).args(["--diversify", seed, "--diversify-kinds", kinds]);
                let outcome = process::run(command.arg(corpus.join(program)), LIMIT)?;
                ensure!(outcome.end == End::Exit(0), "{program}: {}", outcome.errors);
                found.push(gadgets(workspace, &object, target)?);
            }
            let pairs = [(0, 1), (1, 2), (2, 0)];
            let (mut survivors, mut all) = (0, 0);
            for (one, other) in pairs {
                survivors += found[one].intersection(&found[other]).count();
                all += found[one].len();
            }
            let kinds = if kinds.contains(',') { "all" } else { kinds };
            let part = 100.0 * survivors as f64 / all.max(1) as f64;
            println!("{target} {program} {kinds}: {part:.2} % of {} gadgets survive", all / pairs.len());
        }
    }
    Ok(())
}

/// The gadgets of an object's code: places and instructions, without those that do nothing.
fn gadgets(workspace: &Workspace, object: &Path, target: &str) -> anyhow::Result<HashSet<String>> {
    let code = object.with_extension("bin");
    cmd!(workspace.shell, "objcopy -O binary -j .text {object} {code}").quiet().run()?;
    let mode = if target == "x86_64" { "64" } else { "32" };
    let flags = ["--all", "--depth", "5", "--rawArch", "x86", "--rawMode", mode, "--binary"];
    let text = cmd!(workspace.shell, "ROPgadget {flags...} {code}").quiet().read()?;
    ensure!(text.contains("gadgets found"), "ROPgadget finds nothing in {}", show(&code));
    let lines = text.lines().filter_map(|line| line.split_once(" : "));
    let gadget = |(place, insts): (&str, &str)| {
        let insts: Vec<_> = insts.split(" ; ").filter(|inst| !does_nothing(inst)).collect();
        (!insts.is_empty()).then(|| format!("{place} {}", insts.join(";")))
    };
    Some(lines.filter_map(gadget).collect::<HashSet<_>>()).filter(|all| !all.is_empty()).context("no gadgets")
}

/// Whether an instruction is one of those that are put between others.
fn does_nothing(inst: &str) -> bool {
    const MOVES: [&str; 4] = ["mov esp, esp", "mov ebp, ebp", "mov rsp, rsp", "mov rbp, rbp"];
    const SUMS: [&str; 4] = ["lea esi, [esi]", "lea edi, [edi]", "lea rsi, [rsi]", "lea rdi, [rdi]"];
    inst.starts_with("nop") || MOVES.contains(&inst) || SUMS.contains(&inst)
}

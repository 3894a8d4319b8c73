//! Random programs of Csmith (Yang, Chen, Eide, Regehr: Finding and Understanding Bugs in C Compilers, PLDI 2011).
//!
//! A program has no undefined behaviour and prints a checksum of its globals; LLVM's executable says what it has to be.
//! With floats some convert a constant to an integer that does not hold it: these are left out.
//! Every seed is compiled at every level of clang, for every target, and translated with every recipe.

use super::in_process::Loaders;
use super::seeds::{Seeds, conclude};
use crate::arguments::Arguments;
use crate::process::{self, End, difference};
use crate::program::{self, Invocation, Setting};
use crate::toolchain::{Model, Recipe, Target, Translator, need_tools, succeed};
use crate::workspace::{Workspace, show};
use anyhow::{Context as _, bail, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

const HEADERS: &str = "/usr/include/csmith";
/// Small programs: each takes about a second for all its variants.
const SIZES: [&str; 10] = [
    "--max-funcs",
    "5",
    "--max-block-depth",
    "3",
    "--max-expr-complexity",
    "6",
    "--max-pointer-depth",
    "3",
    "--max-array-dim",
    "2",
];
/// What else a program may use, chosen by its seed.
const FLAVOURS: [&[&str]; 4] = [&[], &["--float"], &["--packed-struct"], &["--no-volatiles"]];
const RUN_LIMIT: Duration = Duration::from_secs(5);

struct Plan {
    seeds: Seeds,
    translator: Translator,
    levels: Vec<String>,
    results: PathBuf,
    /// Ice's code is made in the process of each program.
    loaders: Option<Loaders>,
}

#[derive(Default)]
struct Tally {
    compared: usize,
    too_slow: usize,
    /// Something in the program has no value.
    is_undefined: bool,
    faults: Vec<String>,
}

pub fn run(workspace: &Workspace, mut arguments: Arguments, count: &str) -> anyhow::Result<()> {
    let seeds = Seeds::take(&mut arguments, count, "programs")?;
    let levels = arguments.text("--levels")?.unwrap_or_else(|| "O0,O1,O2".to_owned());
    let is_in_process = arguments.switch("--in-process");
    arguments.finish()?;
    need_tools(&["csmith", "clang-19", "llc-19"])?;
    ensure!(Path::new(HEADERS).is_dir(), "no headers of csmith in {HEADERS}");
    let plan = Plan {
        translator: seeds.translator(workspace)?,
        loaders: is_in_process.then(|| Loaders::build(workspace, &seeds.targets)).transpose()?,
        seeds,
        levels: levels.split(',').map(str::to_owned).collect(),
        results: workspace.results("csmith")?,
    };
    let tallies = plan.seeds.check(|seed| plan.check(seed))?;
    let compared: usize = tallies.iter().map(|tally| tally.compared).sum();
    let slow: usize = tallies.iter().map(|tally| tally.too_slow).sum();
    let faults: Vec<&String> = tallies.iter().flat_map(|tally| &tally.faults).collect();
    let undefined = tallies.iter().filter(|tally| tally.is_undefined).count();
    println!(
        "{compared} programs compared, {slow} take too long, {undefined} seeds are undefined: {} differ",
        faults.len()
    );
    conclude(&plan.results, compared, &faults)
}

impl Plan {
    /// Generates the program of a seed and tests all its variants.
    fn check(&self, seed: u64) -> anyhow::Result<Tally> {
        let directory = self.results.join(format!("seed-{seed}"));
        std::fs::create_dir_all(&directory).with_context(|| show(&directory))?;
        let source = directory.join("program.c");
        let flavour = FLAVOURS[(seed % FLAVOURS.len() as u64) as usize];
        let mut generate = process::command(Path::new("csmith"), ["--seed", &seed.to_string(), "-o"]);
        generate.arg(&source).args(SIZES).args(flavour);
        // A pointer to a member of a packed structure is what a program must not go through where words have an
        // alignment; Csmith makes such.
        if self.seeds.targets.iter().any(|target| matches!(target, Target::Armv7 | Target::Mipsel)) {
            generate.arg("--no-packed-struct");
        }
        // It writes a file into its directory.
        succeed(generate.current_dir(&directory))?;
        let mut tally = Tally { is_undefined: is_undefined(&source)?, ..Tally::default() };
        let targets = if tally.is_undefined { &[] } else { &*self.seeds.targets };
        for &target in targets {
            for level in &self.levels {
                self.variant(&directory, target, level, &mut tally)?;
            }
        }
        if tally.faults.is_empty() {
            std::fs::remove_dir_all(&directory).with_context(|| show(&directory))?;
        }
        Ok(tally)
    }

    /// Tests one program as one module.
    fn variant(
        &self,
        directory: &Path,
        target: Target,
        level: &str,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let stem = format!("{}-{level}", target.name());
        let file = |extension: &str| directory.join(format!("{stem}.{extension}"));
        let bitcode = file("bc");
        let mut clang = process::command(Path::new("clang-19"), target.clang_flags());
        clang.args(["-w", "-c", "-emit-llvm", "-fno-pic", "-I", HEADERS]).arg(format!("-{level}"));
        succeed(clang.arg("-o").arg(&bitcode).arg(directory.join("program.c")))?;
        let setting = |recipe| Setting { target, recipe, model: Model::Static };
        let invocation = |limit| Invocation { target, arguments: Vec::new(), directory: None, limit };
        program::llvm_object("llc-19", "-O2", &bitcode, &file("o"), setting(Recipe::O2))?;
        if let Err(text) = program::link(&[file("o")], &file("exe"), setting(Recipe::O2))? {
            bail!(text);
        }
        let expected = program::run(&file("exe"), &invocation(RUN_LIMIT))?;
        if expected.end != End::Exit(0) {
            tally.too_slow += 1;
            return Ok(());
        }
        for &recipe in &self.seeds.recipes {
            let (object, executable) = (file(&format!("{}.o", recipe.name())), file(recipe.name()));
            let setting = setting(recipe);
            tally.compared += 1;
            let fault = match program::tested_object(&self.translator, &bitcode, &object, setting)? {
                Err(text) => Some(text),
                Ok(()) => {
                    let inputs = Loaders::inputs(self.loaders.as_ref(), object, &bitcode, setting)?;
                    match program::link(&inputs, &executable, setting)? {
                        Err(text) => Some(text),
                        Ok(()) => {
                            difference(&expected, &program::run(&executable, &invocation(4 * RUN_LIMIT))?)
                        }
                    }
                }
            };
            if let Some(fault) = fault {
                println!("{}: {fault}", executable.display());
                println!(
                    "  cargo xtask bisect {} --target {} --recipe {}",
                    bitcode.display(),
                    target.name(),
                    recipe.name()
                );
                tally.faults.push(format!("{} {}", bitcode.display(), recipe.name()));
            }
        }
        Ok(())
    }
}

/// Whether clang has found that something in a program has no value, and calls it `poison`.
fn is_undefined(source: &Path) -> anyhow::Result<bool> {
    let mut clang = process::command(Path::new("clang-19"), ["-w", "-O0", "-S", "-emit-llvm", "-o", "-"]);
    let text = succeed(clang.args(["-I", HEADERS]).arg(source))?;
    Ok(String::from_utf8_lossy(&text).contains(" poison"))
}

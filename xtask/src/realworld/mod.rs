//! Well-known programs, compiled by clang or rustc, translated whole by Ice, linked by the system's linker, run.
//!
//! The modules of a program are linked to one module of bitcode with its driver (`xtask/realworld`), so that
//! `cargo xtask bisect` can take it apart. LLVM's program says what has to come out. Suites of small programs are in
//! `suite.rs`.

mod fetch;
mod measure;
mod programs;
mod reader;
mod suite;

use crate::arguments::Arguments;
use crate::process::{self, End, Outcome, difference};
use crate::program::{self, Invocation, Setting};
use crate::toolchain::{Model, Recipe, Target, Translator, is_current, need_targets, need_tools, succeed};
use crate::workspace::{Profile, Workspace, has_tool, show};
use anyhow::{Context as _, bail, ensure};
use programs::{PROGRAMS, Program};
use std::path::{Path, PathBuf};
use std::time::Duration;
use suite::Suite;

pub const HELP: &str = "\
usage: cargo xtask realworld [OPTIONS] [NAME...]

Compiles programs to bitcode (clang -O1), translates them with ice and with llc, runs both and compares the output: sqlite,
lua, zlib, bzip2, zstd, pcre2, onig, quickjs, webp, lz4, blake3, lmdb, and rust, a Rust program (x86_64 only). cargo
brings the sources from the registry of crates; they stay in the directory `realworld` of cargo's target directory.
With --suite the programs are those of a folder: each file of C is one.

  --suite NAME=DIR a folder of programs that end with exit code 0 and, where X.c.expected is beside X.c, print that;
                   may be given more than once
  --jobs N         so many programs of a suite at once (one for each processor)
  --targets LIST   targets, separated by commas (x86_64,i686); armv7, mipsel and aarch64 need an emulator
  --recipes LIST   recipes, separated by commas: Om1, O2; both if not given
  --level L        level of clang (O1)
  --model M        pic or static (pic on x86_64, static on i686)
  --measure        also prints times: of the translation, whole process, beside llc -O0 and -O2; of the program
                   beside what llc -O0 and -O2 make of it; the least of some rounds that take turns
  --read           only measures the reader: megabytes a second and instructions a byte of each program's bitcode
  --rounds N       so many rounds (5)
  --release        uses the release build of ice, as --measure does
  --translator T   what is tested: 'ice', 'llc-19' or a program with the command line of `ice translate` (ice)
";

const LIMIT: Duration = Duration::from_secs(600);
const RUST: &str = "rust";

/// A program as bitcode, with what is linked besides.
struct Prepared {
    name: &'static str,
    bitcode: PathBuf,
    /// The llc that reads it.
    llc: &'static str,
    argument: &'static str,
    kind: Kind,
}

/// What makes a program of the object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    C,
    Rust,
}

struct Plan {
    translator: Translator,
    recipes: Vec<Recipe>,
    level: String,
    results: PathBuf,
    drivers: PathBuf,
    /// Programs of a suite that are worked on at once.
    jobs: usize,
    /// Rounds of the measurement; none if nothing is measured.
    rounds: Option<usize>,
}

pub fn run(workspace: &Workspace, mut arguments: Arguments) -> anyhow::Result<()> {
    let measure = arguments.switch("--measure");
    let only_read = arguments.switch("--read");
    let rounds = arguments.value("--rounds", 5)?;
    let release = arguments.switch("--release") || measure;
    let profile = if release { Profile::Release } else { Profile::Dev };
    let targets = Target::list(arguments.text("--targets")?)?;
    let recipes = Recipe::list(arguments.text("--recipes")?)?;
    let level = arguments.value("--level", "O1".to_owned())?;
    let model = match arguments.text("--model")?.as_deref() {
        None => None,
        Some("pic") => Some(Model::Pic),
        Some("static") => Some(Model::Static),
        Some(other) => bail!("unknown model '{other}'; there are pic and static"),
    };
    let translator = arguments.text("--translator")?;
    let jobs = arguments.value("--jobs", process::default_jobs())?;
    let mut suites = Vec::new();
    while let Some(text) = arguments.text("--suite")? {
        suites.push(Suite::parse(&text)?);
    }
    let wanted = arguments.rest()?;
    ensure!(suites.is_empty() || wanted.is_empty(), "either suites or names of programs");
    let names = || PROGRAMS.iter().map(|program| program.name).chain([RUST]);
    for name in &wanted {
        let known = names().any(|known| known == name);
        ensure!(
            known,
            "no program '{}'; there are {}",
            name.to_string_lossy(),
            names().collect::<Vec<_>>().join(", ")
        );
    }
    need_tools(&["clang-19", "llc-19", "llvm-link-19"])?;
    need_targets(&targets)?;
    let plan = Plan {
        translator: Translator::parse(translator, workspace, profile)?,
        recipes,
        level,
        results: workspace.results("realworld")?,
        drivers: workspace.root.join("xtask/realworld"),
        jobs,
        rounds: measure.then_some(rounds),
    };
    let count = only_read.then(|| reader::build(workspace)).transpose()?;
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let model_of =
        |target| model.unwrap_or(if target == Target::X86_64 { Model::Pic } else { Model::Static });
    let (mut runs, mut failed) = (0, 0);
    for &target in &targets {
        for suite in &suites {
            let (some, bad) = suite::check(&plan, suite, target, model_of(target))?;
            (runs, failed) = (runs + some, failed + bad);
        }
    }
    if !suites.is_empty() {
        return conclude(runs, failed);
    }
    let sources = fetch::sources(workspace, &plan.results)?;
    for &target in &targets {
        let model = model_of(target);
        for program in PROGRAMS.iter().filter(|program| is_wanted(program.name)) {
            let prepared = plan.prepare(program, &sources, target, model)?;
            if let Some(count) = &count {
                println!("{} {}", program.name, target.name());
                reader::measure(count, &prepared.bitcode, &plan.results.join("callgrind.out"), rounds)?;
                continue;
            }
            let (some, bad) = plan.check(&prepared, target, model)?;
            (runs, failed) = (runs + some, failed + bad);
        }
        if is_wanted(RUST) && target == Target::X86_64 && count.is_none() {
            if !has_tool("llc-22") {
                crate::tools::skip("rust", "no llc-22 on this machine");
                continue;
            }
            let prepared = plan.prepare_rust(target)?;
            let (some, bad) = plan.check(&prepared, target, Model::Pic)?;
            (runs, failed) = (runs + some, failed + bad);
        }
    }
    if count.is_some() {
        return Ok(());
    }
    conclude(runs, failed)
}

/// The last line, and a failure if anything differed.
fn conclude(runs: usize, failed: usize) -> anyhow::Result<()> {
    println!("{runs} programs compared: {failed} differ");
    ensure!(failed == 0, "{failed} of {runs} programs differ");
    Ok(())
}

/// The files that a list means: `DIR/*.c` is all of a folder but those that are left out.
fn files(program: &Program, package: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for source in program.sources {
        let Some(folder) = source.strip_suffix("/*.c") else {
            all.push(package.join(source));
            continue;
        };
        let folder = package.join(folder);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&folder).with_context(|| show(&folder))? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.ends_with(".c") && !program.left_out.contains(&name) {
                found.push(path);
            }
        }
        found.sort();
        all.extend(found);
    }
    Ok(all)
}

impl Plan {
    /// Compiles a program and links it to one module.
    fn prepare(
        &self,
        program: &Program,
        sources: &Path,
        target: Target,
        model: Model,
    ) -> anyhow::Result<Prepared> {
        let package = sources.join(program.package.0);
        let stem = format!("{}-{}-{}-{model:?}", program.name, target.name(), self.level);
        let directory = self.results.join(&stem);
        std::fs::create_dir_all(&directory).with_context(|| show(&directory))?;
        let whole = self.results.join(format!("{stem}.bc"));
        let driver = self.drivers.join(program.driver);
        let prepared = Prepared {
            name: program.name,
            bitcode: whole.clone(),
            llc: "llc-19",
            argument: program.argument,
            kind: Kind::C,
        };
        if is_current(&whole, &[&driver, &self.drivers.join("common.h")]) {
            return Ok(prepared);
        }
        let mut inputs = files(program, &package)?;
        inputs.push(driver);
        let modules = process::for_each(inputs.len(), process::default_jobs(), |index| {
            let module = directory.join(format!("{index}.bc"));
            let mut clang = process::command(Path::new("clang-19"), target.clang_flags());
            clang.args(["-w", "-c", "-emit-llvm", "-fno-vectorize", "-fno-slp-vectorize"]);
            clang.arg(format!("-{}", self.level)).arg(model.clang_flag());
            clang.args(program.headers.iter().map(|folder| format!("-I{}", package.join(folder).display())));
            clang.arg("-I").arg(self.drivers.join("headers"));
            clang.args(program.defines.iter().map(|define| format!("-D{define}")));
            if let Some(header) = program.before {
                clang.arg("-include").arg(self.drivers.join(header));
            }
            succeed(clang.arg("-o").arg(&module).arg(&inputs[index]))?;
            Ok(module)
        })?;
        succeed(process::command(Path::new("llvm-link-19"), ["-o"]).arg(&whole).args(&modules))?;
        Ok(prepared)
    }

    /// Compiles the Rust program.
    fn prepare_rust(&self, target: Target) -> anyhow::Result<Prepared> {
        let bitcode = self.results.join(format!("rust-{}.bc", target.name()));
        let source = self.drivers.join("rust.rs");
        if !is_current(&bitcode, &[&source]) {
            let flags = [
                "--edition=2024",
                "--crate-type=lib",
                "--emit=llvm-bc",
                "-Cpanic=abort",
                "-Ccodegen-units=1",
            ];
            let mut rustc = process::command(Path::new("rustc"), flags);
            rustc.args(["-Copt-level=1", "-Cno-vectorize-loops", "-Cno-vectorize-slp", "-o"]);
            succeed(rustc.arg(&bitcode).arg(&source))?;
        }
        Ok(Prepared { name: RUST, bitcode, llc: "llc-22", argument: "20000", kind: Kind::Rust })
    }

    /// Links an object to an executable; the text of the failure if the linker refuses it.
    fn link(
        &self,
        prepared: &Prepared,
        object: &Path,
        executable: &Path,
        setting: Setting,
    ) -> anyhow::Result<Result<(), String>> {
        if prepared.kind == Kind::C {
            return program::link(&[object.to_owned()], executable, setting);
        }
        let flags = ["--edition=2024", "-Cpanic=abort", "-o"];
        let mut rustc = process::command(Path::new("rustc"), flags);
        let object = format!("-Clink-arg={}", object.display());
        let outcome =
            process::run(rustc.arg(executable).arg(self.drivers.join("rust_main.rs")).arg(object), LIMIT)?;
        Ok(if outcome.end == End::Exit(0) { Ok(()) } else { Err(outcome.first_errors()) })
    }

    /// Translates and runs a program with every recipe; gives the number of runs and of failures.
    fn check(&self, prepared: &Prepared, target: Target, model: Model) -> anyhow::Result<(usize, usize)> {
        let base = prepared.bitcode.with_extension("");
        let file = |suffix: &str| PathBuf::from(format!("{}.{suffix}", base.display()));
        let setting = |recipe| Setting { target, recipe, model };
        let invocation =
            Invocation { target, arguments: vec![prepared.argument.into()], directory: None, limit: LIMIT };
        let reference = file("llc-O2");
        program::llvm_object(prepared.llc, "-O2", &prepared.bitcode, &file("llc-O2.o"), setting(Recipe::O2))?;
        self.link(prepared, &file("llc-O2.o"), &reference, setting(Recipe::O2))?
            .map_err(anyhow::Error::msg)?;
        let expected = program::run(&reference, &invocation)?;
        ensure!(expected.end == End::Exit(0), "LLVM's {}: {}", prepared.name, expected.end);
        let mut executables = Vec::new();
        let mut failed = 0;
        for &recipe in &self.recipes {
            let (object, executable) = (file(&format!("{}.o", recipe.name())), file(recipe.name()));
            match self.fault(prepared, &object, &executable, setting(recipe), &invocation, &expected)? {
                None => {
                    println!(
                        "{} {} {}: the same {} bytes",
                        prepared.name,
                        target.name(),
                        recipe.name(),
                        expected.output.len()
                    );
                    executables.push((recipe, executable));
                }
                Some(fault) => {
                    failed += 1;
                    println!("{} {} {}: {fault}", prepared.name, target.name(), recipe.name());
                    println!(
                        "  cargo xtask bisect {} --target {} --recipe {} --llc {}{} -- {}",
                        prepared.bitcode.display(),
                        target.name(),
                        recipe.name(),
                        prepared.llc,
                        if model == Model::Pic { " --pic" } else { "" },
                        prepared.argument
                    );
                }
            }
        }
        if let Some(rounds) = self.rounds {
            measure::measure(self, prepared, setting(Recipe::O2), &executables, rounds)?;
        }
        Ok((self.recipes.len(), failed))
    }

    /// What is wrong with the program of one recipe.
    fn fault(
        &self,
        prepared: &Prepared,
        object: &Path,
        executable: &Path,
        setting: Setting,
        invocation: &Invocation,
        expected: &Outcome,
    ) -> anyhow::Result<Option<String>> {
        if let Err(text) = program::tested_object(&self.translator, &prepared.bitcode, object, setting)? {
            return Ok(Some(text));
        }
        if let Err(text) = self.link(prepared, object, executable, setting)? {
            return Ok(Some(text));
        }
        Ok(difference(expected, &program::run(executable, invocation)?))
    }
}

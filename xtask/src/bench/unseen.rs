//! Programs that nobody tuned for: those in a folder that is brought along, Ice's code beside llc's.
//!
//! `NAME.c`, `NAME.cc` and `NAME.cpp` are compiled by clang -O2, without vectors unless they are asked for;
//! `NAME.TARGET.bc` is a whole program that was compiled for that target. `llc -O2` and Ice at a recipe translate the same
//! bitcode for the same processor, and both programs must print the same. A hash of the name puts each program into
//! one of two halves: the open one is shown program by program and may be worked on, of the closed one only the
//! geometric mean and the largest are told, which is the measure.

use super::counter::{Counter, emulator, geometric_mean};
use crate::process;
use crate::size;
use crate::toolchain::{Model, Recipe, Target, Translator, llc_command, need_tools, succeed};
use crate::workspace::{Workspace, show};
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};

/// What clang does with vectors, and what it does without.
const VECTORS: [&[&str]; 2] = [&["-O2"], &["-O2", "-fno-vectorize", "-fno-slp-vectorize"]];

/// What is asked for.
pub struct Plan {
    /// Where the programs are.
    pub folder: PathBuf,
    pub targets: Vec<Target>,
    /// What is measured beside llc.
    pub translator: Translator,
    /// What the translator does; llc's code is that of -O2.
    pub recipe: Recipe,
    /// Whether clang makes vectors.
    pub has_vectors: bool,
    /// Only programs with this text in their names.
    pub part: Option<String>,
}

/// A program of the folder.
struct Program {
    name: String,
    file: PathBuf,
}

impl Program {
    /// Whether it is among those that are shown: by the FNV-1a hash of its name (Fowler, Noll, Vo).
    fn is_open(&self) -> bool {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let hash = self.name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
        (hash ^ (hash >> 32)) & 1 == 0
    }

    /// The compiler and linker of C++, if it is wanted.
    fn is_cxx(&self) -> bool {
        self.file.extension().is_some_and(|extension| extension == "cc" || extension == "cpp")
    }
}

/// Instructions executed, and bytes of code.
#[derive(Clone, Copy)]
struct Cost {
    count: u64,
    text: u64,
}

/// Prints the tables, one for each target.
pub fn run(workspace: &Workspace, plan: &Plan) -> anyhow::Result<()> {
    need_tools(&["clang-19", "llc-19"])?;
    let results = workspace.results("programs")?;
    let set = Set { plan, counter: Counter::build(&results)?, results };
    plan.targets.iter().try_for_each(|&target| set.table(target))
}

struct Set<'a> {
    plan: &'a Plan,
    counter: Counter,
    results: PathBuf,
}

impl Set<'_> {
    fn table(&self, target: Target) -> anyhow::Result<()> {
        need_tools(&[target.compiler(), emulator(target)])?;
        println!("Instructions executed on {}, in millions, and bytes of code\n", target.name());
        println!("| program | llc -O2 | ice {} | ratio | code, ratio |", self.plan.recipe.name());
        println!("|---|---|---|---|---|");
        let mut ratios = [const { (Vec::new(), Vec::new()) }; 2];
        let mut failures = 0;
        for program in self.programs(target)? {
            let is_open = program.is_open();
            let (theirs, ours) = match self.measure(target, &program) {
                Ok(costs) => costs,
                Err(error) => {
                    failures += 1;
                    println!("| {} | {} | | | |", program.name, format!("{error:#}").replace('\n', " "));
                    continue;
                }
            };
            let count = ours.count as f64 / theirs.count as f64;
            let text = ours.text as f64 / theirs.text as f64;
            if is_open {
                let [llc, ice] = [theirs, ours].map(|cost| super::millions(cost.count));
                println!("| {} | {llc} | {ice} | {count:.3} | {text:.3} |", program.name);
            }
            let half = &mut ratios[usize::from(!is_open)];
            half.0.push(count);
            half.1.push(text);
        }
        for (name, (counts, texts)) in ["open", "closed"].into_iter().zip(&ratios) {
            let [count, text] = [counts, texts].map(|ratios| geometric_mean(ratios));
            println!("| geometric mean, {name} half ({}) | | | {count:.3} | {text:.3} |", counts.len());
            let [count, text] = [counts, texts].map(|ratios| ratios.iter().copied().fold(0.0, f64::max));
            println!("| largest, {name} half | | | {count:.3} | {text:.3} |");
        }
        println!();
        ensure!(failures == 0, "{failures} programs could not be measured");
        Ok(())
    }

    /// The programs for a target, by name.
    fn programs(&self, target: Target) -> anyhow::Result<Vec<Program>> {
        let folder = &self.plan.folder;
        let mut programs = Vec::new();
        for entry in std::fs::read_dir(folder).with_context(|| show(folder))? {
            let file = entry?.path();
            let Some(name) = file.file_name().and_then(|name| name.to_str()) else { continue };
            let ends = [".c", ".cc", ".cpp", &format!(".{}.bc", target.name())];
            let Some(name) = ends.iter().find_map(|end| name.strip_suffix(end)) else { continue };
            if self.plan.part.as_ref().is_none_or(|part| name.contains(&**part)) {
                programs.push(Program { name: name.to_owned(), file: file.clone() });
            }
        }
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        ensure!(!programs.is_empty(), "{} has no programs", show(folder));
        Ok(programs)
    }

    /// What llc's code and Ice's cost.
    fn measure(&self, target: Target, program: &Program) -> anyhow::Result<(Cost, Cost)> {
        let base = self.results.join(format!("{}.{}", program.name, target.name()));
        let file = |end: &str| PathBuf::from(format!("{}.{end}", base.display()));
        let bitcode = if program.file.extension().is_some_and(|extension| extension == "bc") {
            program.file.clone()
        } else {
            self.compile(target, program, file("bc"))?
        };
        let (llc, ice) = (file("llc.o"), file("ice.o"));
        succeed(&mut llc_command("llc-19", "-O2", &bitcode, &llc, target, Model::Static))?;
        succeed(&mut self.plan.translator.command(&bitcode, &ice, target, self.plan.recipe, Model::Static))?;
        let (expected, theirs) = self.execute(target, program, &llc)?;
        let (output, ours) = self.execute(target, program, &ice)?;
        ensure!(output == expected, "prints something else than llc's code");
        Ok((theirs, ours))
    }

    /// Compiles a source to bitcode.
    fn compile(&self, target: Target, program: &Program, bitcode: PathBuf) -> anyhow::Result<PathBuf> {
        let mut clang = process::command(Path::new("clang-19"), target.clang_flags());
        clang.args(VECTORS[usize::from(!self.plan.has_vectors)]).args(["-w", "-fno-pic", "-emit-llvm", "-c"]);
        clang.args(program.is_cxx().then_some("-fno-exceptions"));
        succeed(clang.arg(&program.file).arg("-o").arg(&bitcode))?;
        Ok(bitcode)
    }

    /// Links an object and runs it.
    fn execute(&self, target: Target, program: &Program, object: &Path) -> anyhow::Result<(Vec<u8>, Cost)> {
        let executable = object.with_extension("exe");
        let libraries = ["-lstdc++", "-lm"];
        let mut link = process::command(Path::new(target.compiler()), ["-static", "-o"]);
        link.arg(&executable).arg(object);
        succeed(link.args(&libraries[usize::from(!program.is_cxx())..]))?;
        let is_text = |(name, _): &&(String, u64)| name == ".text" || name.starts_with(".text.");
        let text = size::sections(object)?.iter().filter(is_text).map(|(_, size)| size).sum();
        let (output, count) = self.counter.run(target, &executable)?;
        Ok((output, Cost { count, text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_both_halves_and_stay_there() {
        let is_open = |name: String| Program { name, file: PathBuf::new() }.is_open();
        let open = (0..1000).filter(|n| is_open(format!("program{n}"))).count();
        assert!((400..600).contains(&open), "{open}");
        assert!(is_open("sha512".to_owned()) && !is_open("Puzzle".to_owned()));
    }
}

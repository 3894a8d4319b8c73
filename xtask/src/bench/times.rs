//! How long translated programs take beside C: six programs of the Computer Language Benchmarks Game in C
//! (`xtask/bench`), built by clang, and the same algorithms translated by Ice, on i686.
//!
//! Ice translates two inputs: clang's bitcode of the same file, so that both have the same code up to the back end,
//! and the corpus's `.pexe`, which brings its own C library. What each program prints must be the same. All builds
//! of a program run in turns; each round gives a ratio to clang's time in the same round, and the median of the
//! rounds is shown: so a load of the machine that lasts longer than a round hits all alike.

use super::Bench;
use crate::process::{self, End};
use crate::toolchain::{Model, Recipe, Target, Translator, need_tools, succeed};
use crate::workspace::show;
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs, and arguments with which they take about a second.
const PROGRAMS: [(&str, &str); 6] = [
    ("binarytrees", "15"),
    ("fannkuchredux", "10"),
    ("fasta", "1000000"),
    ("mandelbrot", "1000"),
    ("nbody", "2000000"),
    ("spectralnorm", "700"),
];

const TARGET: Target = Target::I686;

impl Bench {
    /// Prints the table of times.
    pub fn times(&self, rounds: usize) -> anyhow::Result<()> {
        need_tools(&["clang-19", TARGET.compiler(), "bash"])?;
        println!(
            "Seconds of the processor on i686, the least of {rounds} rounds, and medians of ratios to clang -O2\n"
        );
        println!(
            "| program, argument | clang -O2 | ice O2, clang's bitcode | ice Om1, clang's bitcode | ice O2, pexe | ice Om1, pexe | Om1 / O2, pexe |\n\
             |---|---|---|---|---|---|---|"
        );
        let mut products = [1.0; 5];
        for (name, argument) in PROGRAMS {
            let builds = self.builds(name)?;
            let outputs: Vec<_> = builds
                .iter()
                .map(|build| process::run(&mut process::command(build, [argument]), super::LIMIT))
                .collect::<anyhow::Result<_>>()?;
            for (build, outcome) in builds.iter().zip(&outputs) {
                ensure!(outcome.end == End::Exit(0), "{}: {}", show(build), outcome.end);
                ensure!(outcome.output == outputs[0].output, "{} prints something else", show(build));
            }
            let mut times: Vec<Vec<f64>> = Vec::new();
            for _ in 0..rounds.max(1) {
                let round = builds.iter().map(|build| process::seconds(&process::command(build, [argument])));
                times.push(round.collect::<anyhow::Result<_>>()?);
            }
            let least = times.iter().map(|round| round[0]).fold(f64::INFINITY, f64::min);
            let ratio = |a: usize, b: usize| median(times.iter().map(|round| round[a] / round[b].max(0.001)));
            let ratios = [ratio(1, 0), ratio(2, 0), ratio(3, 0), ratio(4, 0), ratio(4, 3)];
            let columns = ratios.map(|ratio| format!("{ratio:.2}"));
            println!("| {name} {argument} | {least:.2} | {} |", columns.join(" | "));
            products.iter_mut().zip(ratios).for_each(|(product, ratio)| *product *= ratio);
        }
        let means = products.map(|product| format!("{:.2}", product.powf(1.0 / PROGRAMS.len() as f64)));
        println!("| geometric mean | | {} |\n", means.join(" | "));
        Ok(())
    }

    /// The builds of a program in the order of the columns.
    fn builds(&self, name: &str) -> anyhow::Result<Vec<PathBuf>> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench").join(name).with_extension("c");
        let file = |what: &str| self.results.join(format!("{name}-{what}"));
        let clang = |arguments: &[&str], output: &Path| {
            let mut command = Command::new("clang-19");
            command.arg("-O2").args(TARGET.clang_flags()).args(arguments);
            succeed(command.arg(&source).arg("-o").arg(output))
        };
        let (native, bitcode) = (file("clang"), file("bitcode").with_extension("bc"));
        let object = bitcode.with_extension("o");
        clang(&["-c"], &object)?;
        self.link(&object, &native)?;
        clang(&["-c", "-emit-llvm"], &bitcode)?;
        let mut builds = vec![native];
        let translator = Translator::Ice(self.ice.clone());
        for recipe in [Recipe::O2, Recipe::Om1] {
            let build = file(recipe.name());
            let mut translate = translator.command(&bitcode, &object, TARGET, recipe, Model::Static);
            succeed(&mut translate)?;
            self.link(&object, &build)?;
            builds.push(build);
        }
        for recipe in [Recipe::O2, Recipe::Om1] {
            let build = file(&format!("{}-pexe", recipe.name()));
            let level = format!("-{}", recipe.name());
            let mut command = process::command(&self.ice, ["build", "--target", TARGET.name(), &level, "-o"]);
            succeed(command.arg(&build).arg(self.corpus.join("bench").join(name).with_extension("pexe")))?;
            builds.push(build);
        }
        Ok(builds)
    }

    fn link(&self, object: &Path, executable: &Path) -> anyhow::Result<()> {
        let mut command = Command::new(TARGET.compiler());
        succeed(command.arg(object).arg("-o").arg(executable).arg("-lm"))
            .with_context(|| show(executable))?;
        Ok(())
    }
}

/// The middle one of some numbers; of two, the lower.
fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0].into_iter()), 1.0);
    }
}

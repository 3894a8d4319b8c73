//! `ice-jit` beside `cranelift-jit`: what it costs to get from the builder to functions that can be called, and how fast
//! these are.
//!
//! The program `xtask/bench/jit` puts the same functions through both. Instructions of whole runs are counted by
//! callgrind, less those of a run without functions; seconds and the times of the kernels are the least of several
//! runs, in which the code generators take turns.

use super::{LIMIT, instructions, millions};
use crate::process::{self, End};
use crate::toolchain::{need_tools, succeed};
use crate::workspace::Workspace;
use anyhow::{Context as _, ensure};
use std::path::PathBuf;
use xshell::cmd;

/// Numbers of functions.
const COUNTS: [u32; 3] = [1, 100, 10_000];

/// Pairs that are compared: ours, theirs, and the most that ours may take of the instructions of theirs.
const PAIRS: [(&str, &str, f64); 2] =
    [("ice-Om1", "cranelift-none", 0.5), ("ice-O2", "cranelift-speed", 0.8)];

/// All code generators, in the order of the columns.
const GENERATORS: [&str; 5] =
    ["ice-Om1", "cranelift-single-pass", "cranelift-none", "ice-O2", "cranelift-speed"];

/// Functions whose results are compared first.
const CHECKED: &str = "300";

/// Prints the tables, and fails where Ice is behind.
pub fn run(workspace: &Workspace, rounds: usize) -> anyhow::Result<()> {
    need_tools(&["valgrind"])?;
    let sh = &workspace.shell;
    cmd!(sh, "cargo build --quiet --release -p jit-bench --features cranelift").quiet().run()?;
    let bench = workspace.target.join("release/jit-bench");
    let bench = Bench { program: bench, results: workspace.results("jit")? };
    succeed(&mut bench.command(&["check", CHECKED]))?;
    let behind = [bench.compilation(rounds)?, bench.kernels(rounds)?].concat();
    for line in &behind {
        eprintln!("behind: {line}");
    }
    ensure!(behind.is_empty(), "{} figures are behind", behind.len());
    Ok(())
}

struct Bench {
    program: PathBuf,
    results: PathBuf,
}

/// The share of ours, in columns of the order of [`GENERATORS`].
fn ratio(columns: &[f64], (ours, theirs, _): (&str, &str, f64)) -> anyhow::Result<f64> {
    let column = |name| {
        let index = GENERATORS.iter().position(|generator| *generator == name);
        index.and_then(|index| columns.get(index)).copied().with_context(|| format!("no column {name}"))
    };
    Ok(column(ours)? / column(theirs)?)
}

fn print_row(name: &str, columns: impl Iterator<Item = String>) {
    println!("| {name} | {} |", columns.collect::<Vec<_>>().join(" | "));
}

fn print_head(name: &str) {
    let ratios = PAIRS.map(|(ours, theirs, _)| format!("{ours} / {theirs}"));
    print_row(name, GENERATORS.into_iter().map(str::to_owned).chain(ratios));
    println!("|---{}|", "|---".repeat(GENERATORS.len() + PAIRS.len()));
}

impl Bench {
    fn command(&self, arguments: &[&str]) -> std::process::Command {
        process::command(&self.program, arguments.iter().copied())
    }

    /// From the builder to callable functions; gives what is behind.
    fn compilation(&self, rounds: usize) -> anyhow::Result<Vec<String>> {
        let mut behind = Vec::new();
        println!("Millions of instructions (and milliseconds) from the builder to callable functions\n");
        print_head("functions");
        let counts = |count| {
            let measure = |generator| self.count(generator, count);
            GENERATORS.map(measure).into_iter().collect::<anyhow::Result<Vec<u64>>>()
        };
        let without = counts(0)?;
        for count in COUNTS {
            let instructions: Vec<u64> = counts(count)?;
            let own = instructions.iter().zip(&without).map(|(with, without)| with - without);
            let own: Vec<f64> = own.map(|count| count as f64).collect();
            let seconds = self.seconds(count, rounds)?;
            let cells = own.iter().zip(seconds);
            let cells =
                cells.map(|(&own, seconds)| format!("{} ({:.2})", millions(own as u64), seconds * 1e3));
            let ratios =
                PAIRS.map(|pair| ratio(&own, pair)).into_iter().collect::<anyhow::Result<Vec<f64>>>()?;
            print_row(&count.to_string(), cells.chain(ratios.iter().map(|ratio| format!("{ratio:.2}"))));
            for ((ours, theirs, most), ratio) in PAIRS.into_iter().zip(ratios) {
                if ratio > most {
                    behind.push(format!("{count} functions: {ours} takes {ratio:.2} of {theirs}"));
                }
            }
        }
        println!();
        Ok(behind)
    }

    /// The instructions of a whole run.
    fn count(&self, generator: &str, count: u32) -> anyhow::Result<u64> {
        let run = self.command(&["compile", generator, &count.to_string()]);
        instructions(run, &self.results.join("callgrind.out"))
    }

    /// The least seconds of each code generator.
    fn seconds(&self, count: u32, rounds: usize) -> anyhow::Result<Vec<f64>> {
        let mut least = vec![f64::INFINITY; GENERATORS.len()];
        for _ in 0..rounds {
            for (least, generator) in least.iter_mut().zip(GENERATORS) {
                let output = self.output(&["compile", generator, &count.to_string()])?;
                *least = least.min(output.trim().parse().context("a number of seconds")?);
            }
        }
        Ok(least)
    }

    fn output(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let outcome = process::run(&mut self.command(arguments), LIMIT)?;
        ensure!(outcome.end == End::Exit(0), "{}: {}", arguments.join(" "), outcome.first_errors());
        Ok(String::from_utf8(outcome.output)?)
    }

    /// Times of the kernels; gives what is behind.
    fn kernels(&self, rounds: usize) -> anyhow::Result<Vec<String>> {
        println!("Times of kernels, in microseconds\n");
        print_head("kernel");
        let rounds = (rounds * 20).to_string();
        let output = self.output(&[&["kernels", &rounds][..], &GENERATORS].concat())?;
        let mut logarithms = [0.0; PAIRS.len()];
        for line in output.lines() {
            let (name, times) = line.split_once(' ').context("a name and times")?;
            let times = times.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
            let ratios =
                PAIRS.map(|pair| ratio(&times, pair)).into_iter().collect::<anyhow::Result<Vec<f64>>>()?;
            logarithms.iter_mut().zip(&ratios).for_each(|(sum, ratio)| *sum += ratio.ln());
            let cells = times.iter().map(|time| format!("{:.0}", time * 1e6));
            print_row(name, cells.chain(ratios.iter().map(|ratio| format!("{ratio:.2}"))));
        }
        let kernels = output.lines().count() as f64;
        let means = logarithms.map(|sum| (sum / kernels).exp());
        let empty = GENERATORS.map(|_| String::new());
        print_row("geometric mean", empty.into_iter().chain(means.map(|mean| format!("{mean:.2}"))));
        let (ours, theirs, _) = PAIRS[1];
        let line = format!("code of {ours} takes {:.2} of the time of that of {theirs}", means[1]);
        Ok(if means[1] > 1.0 { vec![line] } else { Vec::new() })
    }
}

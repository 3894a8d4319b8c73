//! How the work of a translation grows with the size of its input, for many shapes of functions and modules.
//!
//! Every shape is written at two sizes, a factor of [`STEP`] apart, frozen, and translated by each recipe for
//! each target. The work is the number of instructions executed, by callgrind, less those for an empty program: the
//! same on any machine. Its exponent is log(ratio of the works) / log([`STEP`]): 1 is linear, 2 quadratic; sorting
//! gives about 1.1. One above [`MOST`] fails. Memory is the peak of the first recipe, less that for an empty
//! program, and has an exponent by the same rule.
//!
//! The sizes are small, so that the whole takes minutes; a square with a small factor shows at larger ones, which
//! `--scale` gives. Where a frame, or the distance of addresses, outgrows the offsets of one instruction between the two
//! sizes, the step looks like growth, and so does memory that outgrows what every process takes: such shapes are larger.

mod bitstream;
mod data;
mod flow;
mod text;

use crate::bench::{instructions, millions, peak_memory};
use crate::process::{self, End};
use crate::toolchain::need_tools;
use crate::workspace::{Profile, Workspace};
use anyhow::{Context as _, ensure};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use Writer::{Program, Text};

/// The ratio of the sizes.
const STEP: usize = 4;
/// The largest exponent that passes.
const MOST: f64 = 1.2;
/// Time for one step of a measurement: far more than any linear translation takes.
const LIMIT: Duration = Duration::from_secs(600);

/// Targets and recipes.
const RECIPES: [(&str, &str); 4] =
    [("x86_64", "-O2"), ("x86_64", "-Om1"), ("armv7", "-O2"), ("armv7", "-Om1")];

/// The pages of a process are counted with an error: memory below this many KiB shows no growth.
const LEAST_MEMORY: u64 = 1 << 10;

/// A shape: its name, the larger size, and what writes it.
type Shape = (&'static str, usize, Writer);

/// What writes a shape of a size.
#[derive(Clone, Copy)]
enum Writer {
    /// Functions and globals as text.
    Text(fn(usize) -> String),
    /// A whole program.
    Program(fn(usize) -> Vec<u8>),
}

#[rustfmt::skip]
const SHAPES: [Shape; 56] = [
    ("straight line",               4_000, Text(data::straight_line)),
    ("deep expression",             4_000, Text(data::deep_expression)),
    ("dead code",                   4_000, Text(data::dead_code)),
    ("common subexpressions",       2_000, Text(data::common_subexpressions)),
    ("selects",                     2_000, Text(data::selects)),
    ("vectors",                     2_000, Text(data::vectors)),
    ("numbers of 64 bits",          2_000, Text(data::wide_numbers)),
    ("live values",                 8_000, Text(data::many_live_values)),
    ("live across blocks",          1_000, Text(data::values_live_across_blocks)),
    ("live across calls",           8_000, Text(data::values_live_across_calls)),
    ("one value used everywhere",   2_000, Text(data::one_value_used_everywhere)),
    ("calls",                       2_000, Text(data::many_calls)),
    ("arguments of a call",         8_000, Text(data::many_arguments)),
    ("setjmp",                      1_000, Text(data::setjmps)),
    ("copies of memory",            1_000, Text(data::copies_of_memory)),
    ("atomic updates",              1_000, Text(data::atomics)),
    ("objects of a frame",          2_000, Text(data::many_allocas)),
    ("large frame",                 1_000, Text(data::large_frame)),
    ("dynamic objects",             1_000, Text(data::dynamic_allocas)),
    ("one address",                 2_000, Text(data::one_address)),
    ("stores that may alias",       2_000, Text(data::stores_that_may_alias)),
    ("chain of addresses",         32_000, Text(data::chain_of_addresses)),
    ("constants",                   2_000, Text(data::many_constants)),
    ("constants in a loop",         2_000, Text(data::many_constants_in_a_loop)),
    ("floating-point constants",    2_000, Text(data::many_float_constants)),
    ("invariants of a loop",        2_000, Text(data::invariants_of_a_loop)),
    ("diamonds",                    1_000, Text(flow::diamonds)),
    ("chain to one exit",           2_000, Text(flow::chain_to_one_exit)),
    ("many exits",                  1_000, Text(flow::many_exits)),
    ("conjunction",                 2_000, Text(flow::conjunction)),
    ("unreachable blocks",          2_000, Text(flow::unreachable_blocks)),
    ("critical edges",              2_000, Text(flow::critical_edges)),
    ("far branches",                2_000, Text(flow::far_branches)),
    ("loops in a row",              1_000, Text(flow::loops_in_a_row)),
    ("counters nobody reads",      16_000, Text(flow::counters_nobody_reads)),
    ("nested loops",                1_000, Text(flow::nested_loops)),
    ("nested loops with constants", 1_000, Text(flow::nested_loops_with_constants)),
    ("irreducible loops in a row",  1_000, Text(flow::irreducible_loops_in_a_row)),
    ("irreducible ladder",          2_000, Text(flow::irreducible_ladder)),
    ("irreducible web",             8_000, Text(flow::irreducible_web)),
    ("phis of one block",           8_000, Text(flow::phis_of_one_block)),
    ("chain of phis",               1_000, Text(flow::chain_of_phis)),
    ("switch, dense",               2_000, Text(flow::switch_dense)),
    ("switch, sparse",              2_000, Text(flow::switch_sparse)),
    ("switch, a third full",        4_000, Text(flow::switch_thirds)),
    ("switch, runs",                2_000, Text(flow::switch_runs)),
    ("switch to one block",         4_000, Text(flow::switch_to_one_block)),
    ("switches in loops",             250, Text(flow::switches_in_loops)),
    ("tiny functions",              4_000, Text(data::tiny_functions)),
    ("table of functions",          4_000, Text(data::table_of_functions)),
    ("global variables",            4_000, Text(data::many_globals)),
    ("signatures",                  4_000, Text(data::many_signatures)),
    ("bytes of one initialiser",   64_000, Text(data::large_initializer)),
    ("names",                       4_000, Text(data::long_names)),
    ("abbreviations",               2_000, Program(bitstream::abbreviations)),
    ("types",                       8_000, Program(bitstream::types)),
];

/// Prints the table at `scale` times the sizes; with `only`, of the shapes whose names contain it.
///
/// # Errors
/// A tool is missing, a translation fails, or work or memory grows too fast.
pub fn run(workspace: &Workspace, only: Option<&str>, scale: usize) -> anyhow::Result<()> {
    need_tools(&["valgrind", "time"])?;
    let ice = workspace.build_ice(Profile::Release)?;
    let growth = Growth { ice: &ice, results: workspace.results("growth")? };
    let start = growth.costs("start", Text(|_| String::new()), 0)?;
    println!(
        "Growth of work and memory with size, as exponents, at the larger size; in brackets millions of instructions \
         and MiB there\n"
    );
    let heads: Vec<String> = RECIPES.iter().map(|(target, level)| format!("{target} {level}")).collect();
    println!(
        "| shape | size | {} | memory |\n|---|---|{}---|",
        heads.join(" | "),
        "---|".repeat(RECIPES.len())
    );
    let shapes: Vec<Shape> =
        SHAPES.into_iter().filter(|(name, ..)| only.is_none_or(|only| name.contains(only))).collect();
    let bad = process::for_each(shapes.len(), process::default_jobs(), |n| {
        let (name, size, write) = shapes[n];
        let bad = growth.measure((name, size * scale, write), &start);
        Ok(bad.unwrap_or_else(|error| vec![format!("{name}: {error:#}")]))
    })?;
    let bad: Vec<String> = bad.into_iter().flatten().collect();
    ensure!(bad.is_empty(), "grows faster than the power {MOST} of the size, or fails:\n{}", bad.join("\n"));
    Ok(())
}

struct Growth<'a> {
    ice: &'a Path,
    results: PathBuf,
}

/// What the translations of a program cost.
struct Costs {
    /// Instructions executed by each recipe.
    works: Vec<u64>,
    /// KiB at the peak of the first.
    memory: u64,
}

impl Growth<'_> {
    /// Prints the row of a shape and gives what grows too fast with it.
    fn measure(&self, (name, size, write): Shape, start: &Costs) -> anyhow::Result<Vec<String>> {
        let file = name.replace([' ', ','], "-");
        let small = self.costs(&format!("{file}-small"), write, size / STEP)?;
        let large = self.costs(&format!("{file}-large"), write, size)?;
        let (mut row, mut bad) = (format!("| {name} | {size} |"), Vec::new());
        let mut grow = |what: &str, [start, small, large]: [u64; 3], shown: &dyn Fn(u64) -> String| {
            let [small, large] = [small, large].map(|cost| cost.saturating_sub(start).max(1));
            let exponent = exponent(small, large);
            let _ = write!(row, " {exponent:.2} ({}) |", shown(large));
            if exponent > MOST {
                bad.push(format!("{name}, {what}: {exponent:.2}"));
            }
        };
        for (n, (target, level)) in RECIPES.iter().enumerate() {
            let works = [start, &small, &large].map(|costs| costs.works[n]);
            grow(&format!("{target} {level}"), works, &millions);
        }
        let memory = [start.memory, small.memory, large.memory];
        let [base, sizes @ ..] = memory;
        let [small, large] = sizes.map(|kib: u64| kib.max(base + LEAST_MEMORY));
        grow("memory", [base, small, large], &|kib| format!("{:.1}", kib as f64 / 1024.0));
        println!("{row}");
        Ok(bad)
    }

    /// What each recipe costs on the program that `write` makes of a size.
    fn costs(&self, file: &str, write: Writer, size: usize) -> anyhow::Result<Costs> {
        let path = |extension: &str| self.results.join(format!("{file}.{extension}"));
        let program = path("pexe");
        match write {
            Program(write) => {
                std::fs::write(&program, write(size)).with_context(|| program.display().to_string())?;
            }
            Text(write) => {
                let text = path("ice");
                std::fs::write(&text, format!("{ENTRY}{}", write(size)))
                    .with_context(|| text.display().to_string())?;
                let mut freeze = process::command(self.ice, ["freeze"]);
                let outcome = process::run(freeze.arg(&text).arg("-o").arg(&program), LIMIT)?;
                ensure!(outcome.end == End::Exit(0), "{file}: {}: {}", outcome.end, outcome.first_errors());
            }
        }
        let translation = |(target, level): (&str, &str)| {
            let flags = ["translate", level, "--threads", "0", "--target", target];
            let mut command = process::command(self.ice, flags);
            command.arg(&program).arg("-o").arg(path("o"));
            command
        };
        let works = RECIPES.iter().map(|&recipe| instructions(translation(recipe), &path("callgrind")));
        Ok(Costs {
            works: works.collect::<anyhow::Result<_>>()?,
            memory: peak_memory(&translation(RECIPES[0]))?,
        })
    }
}

/// What every program that is written as text has.
const ENTRY: &str = "define external @_start(v0: i32) -> void {\nblock0:\nret\n}\n";

/// The power of the size that the work grows with.
fn exponent(small: u64, large: u64) -> f64 {
    (large as f64 / small as f64).ln() / (STEP as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_known_growth() {
        for power in 1..4 {
            assert!((exponent(1000, 1000 * STEP.pow(power) as u64) - f64::from(power)).abs() < 1e-9);
        }
    }
}

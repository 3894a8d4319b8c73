//! How the work of a translation grows with the size of its input, for many shapes of functions and modules.
//!
//! Every shape is written at two sizes, a factor of [`STEP`] apart, frozen, and translated by each recipe for
//! each target. The work is the number of instructions executed, by callgrind, less those for an empty program: the
//! same on any machine. Its exponent is log(ratio of the works) / log([`STEP`]): 1 is linear, 2 quadratic; sorting
//! gives about 1.1. One above [`MOST`] fails.

mod data;
mod flow;
mod text;

use crate::bench::{instructions, millions};
use crate::process::{self, End};
use crate::toolchain::need_tools;
use crate::workspace::{Profile, Workspace};
use anyhow::{Context as _, ensure};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The ratio of the sizes.
const STEP: usize = 4;
/// The largest exponent that passes.
const MOST: f64 = 1.2;
/// Time for one step of a measurement: far more than any linear translation takes.
const LIMIT: Duration = Duration::from_secs(600);

/// Targets and recipes.
const RECIPES: [(&str, &str); 4] =
    [("x86_64", "-O2"), ("x86_64", "-Om1"), ("armv7", "-O2"), ("armv7", "-Om1")];

/// A shape: its name, the larger size, and what writes its functions and globals.
type Shape = (&'static str, usize, fn(usize) -> String);

#[rustfmt::skip]
const SHAPES: [Shape; 53] = [
    ("straight line",              16_000, data::straight_line),
    ("deep expression",            16_000, data::deep_expression),
    ("dead code",                  16_000, data::dead_code),
    ("common subexpressions",       8_000, data::common_subexpressions),
    ("selects",                     8_000, data::selects),
    ("vectors",                     8_000, data::vectors),
    ("numbers of 64 bits",          8_000, data::wide_numbers),
    ("live values",                16_000, data::many_live_values),
    ("live across blocks",          4_000, data::values_live_across_blocks),
    ("live across calls",           8_000, data::values_live_across_calls),
    ("one value used everywhere",   8_000, data::one_value_used_everywhere),
    ("calls",                       8_000, data::many_calls),
    ("arguments of a call",         8_000, data::many_arguments),
    ("setjmp",                      4_000, data::setjmps),
    ("copies of memory",            4_000, data::copies_of_memory),
    ("atomic updates",              4_000, data::atomics),
    ("objects of a frame",          8_000, data::many_allocas),
    ("large frame",                 4_000, data::large_frame),
    ("dynamic objects",             4_000, data::dynamic_allocas),
    ("one address",                 8_000, data::one_address),
    ("stores that may alias",       8_000, data::stores_that_may_alias),
    ("chain of addresses",          8_000, data::chain_of_addresses),
    ("constants",                   8_000, data::many_constants),
    ("constants in a loop",         8_000, data::many_constants_in_a_loop),
    ("floating-point constants",    8_000, data::many_float_constants),
    ("invariants of a loop",        8_000, data::invariants_of_a_loop),
    ("diamonds",                    4_000, flow::diamonds),
    ("chain to one exit",           8_000, flow::chain_to_one_exit),
    ("many exits",                  4_000, flow::many_exits),
    ("conjunction",                 8_000, flow::conjunction),
    ("unreachable blocks",          8_000, flow::unreachable_blocks),
    ("critical edges",              8_000, flow::critical_edges),
    ("far branches",                8_000, flow::far_branches),
    ("loops in a row",              4_000, flow::loops_in_a_row),
    ("nested loops",                4_000, flow::nested_loops),
    ("nested loops with constants", 4_000, flow::nested_loops_with_constants),
    ("irreducible loops in a row",  4_000, flow::irreducible_loops_in_a_row),
    ("irreducible ladder",          8_000, flow::irreducible_ladder),
    ("irreducible web",             8_000, flow::irreducible_web),
    ("phis of one block",           8_000, flow::phis_of_one_block),
    ("chain of phis",               4_000, flow::chain_of_phis),
    ("switch, dense",               8_000, flow::switch_dense),
    ("switch, sparse",              8_000, flow::switch_sparse),
    ("switch, a third full",       16_000, flow::switch_thirds),
    ("switch, runs",                8_000, flow::switch_runs),
    ("switch to one block",        16_000, flow::switch_to_one_block),
    ("switches in loops",           1_000, flow::switches_in_loops),
    ("tiny functions",             16_000, data::tiny_functions),
    ("table of functions",         16_000, data::table_of_functions),
    ("global variables",           16_000, data::many_globals),
    ("signatures",                 16_000, data::many_signatures),
    ("bytes of one initialiser",   64_000, data::large_initializer),
    ("names",                      16_000, data::long_names),
];

/// Prints the table; with `only`, of the shapes whose names contain it.
///
/// # Errors
/// A tool is missing, a translation fails, or work grows too fast.
pub fn run(workspace: &Workspace, only: Option<&str>) -> anyhow::Result<()> {
    need_tools(&["valgrind"])?;
    let ice = workspace.build_ice(Profile::Release)?;
    let growth = Growth { ice: &ice, results: workspace.results("growth")? };
    let start = growth.works("start", "")?;
    println!(
        "Growth of work with size, as exponent, at the larger size; in brackets millions of instructions there\n"
    );
    let heads: Vec<String> = RECIPES.iter().map(|(target, level)| format!("{target} {level}")).collect();
    println!("| shape | size | {} |\n|---|---|{}", heads.join(" | "), "---|".repeat(RECIPES.len()));
    let shapes: Vec<Shape> =
        SHAPES.into_iter().filter(|(name, ..)| only.is_none_or(|only| name.contains(only))).collect();
    let bad =
        process::for_each(shapes.len(), process::default_jobs(), |n| growth.measure(shapes[n], &start))?;
    let bad: Vec<String> = bad.into_iter().flatten().collect();
    ensure!(bad.is_empty(), "work grows faster than the power {MOST} of the size: {}", bad.join("; "));
    Ok(())
}

struct Growth<'a> {
    ice: &'a Path,
    results: PathBuf,
}

impl Growth<'_> {
    /// Prints the row of a shape and gives the recipes that are too slow with it.
    fn measure(&self, (name, size, write): Shape, start: &[u64]) -> anyhow::Result<Vec<String>> {
        let file = name.replace(' ', "-");
        let small = self.works(&format!("{file}-small"), &write(size / STEP))?;
        let large = self.works(&format!("{file}-large"), &write(size))?;
        let (mut row, mut bad) = (format!("| {name} | {size} |"), Vec::new());
        for (n, (target, level)) in RECIPES.iter().enumerate() {
            let work = |counts: &[u64]| counts[n].saturating_sub(start[n]).max(1);
            let exponent = exponent(work(&small), work(&large));
            let _ = write!(row, " {exponent:.2} ({}) |", millions(work(&large)));
            if exponent > MOST {
                bad.push(format!("{name}, {target} {level}: {exponent:.2}"));
            }
        }
        println!("{row}");
        Ok(bad)
    }

    /// Instructions that each recipe executes on a program with these functions and globals.
    fn works(&self, file: &str, functions: &str) -> anyhow::Result<Vec<u64>> {
        let path = |extension: &str| self.results.join(format!("{file}.{extension}"));
        let (text, program) = (path("ice"), path("pexe"));
        std::fs::write(&text, format!("{ENTRY}{functions}")).with_context(|| text.display().to_string())?;
        let mut freeze = process::command(self.ice, ["freeze"]);
        let outcome = process::run(freeze.arg(&text).arg("-o").arg(&program), LIMIT)?;
        ensure!(outcome.end == End::Exit(0), "{file}: {}: {}", outcome.end, outcome.first_errors());
        RECIPES
            .iter()
            .map(|(target, level)| {
                let mut translate =
                    process::command(self.ice, ["translate", level, "--threads", "0", "--target", target]);
                translate.arg(&program).arg("-o").arg(path("o"));
                instructions(translate, &path("callgrind"))
            })
            .collect()
    }
}

/// What every program has.
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

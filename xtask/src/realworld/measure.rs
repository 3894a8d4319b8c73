//! Times of a program and of its translation, beside LLVM's.
//!
//! Processor time of whole processes, in turns, the least of all rounds: what other processes of the machine do to one
//! round they seldom do to all.

use super::{Plan, Prepared};
use crate::process;
use crate::program::{self, Setting};
use crate::toolchain::Recipe;
use crate::toolchain::{Translator, llc_command};
use std::path::PathBuf;
use std::process::Command;

/// The least time of each command.
pub fn least(commands: &[(String, Command)], rounds: usize) -> anyhow::Result<Vec<f64>> {
    let mut times = vec![f64::INFINITY; commands.len()];
    for _ in 0..rounds.max(1) {
        for (time, (_, command)) in times.iter_mut().zip(commands) {
            *time = time.min(process::seconds(command)?);
        }
    }
    Ok(times)
}

/// Prints one line of times, each as a multiple of the last, too.
fn print(what: &str, commands: &[(String, Command)], rounds: usize) -> anyhow::Result<()> {
    let times = least(commands, rounds)?;
    let unit = times.last().copied().unwrap_or(1.0).max(0.001);
    let columns: Vec<String> = commands
        .iter()
        .zip(&times)
        .map(|((name, _), time)| format!("{name} {time:.3} s ({:.3})", time / unit))
        .collect();
    println!("  {what}: {}", columns.join(", "));
    Ok(())
}

/// Prints the times of translation and of the programs that give the right result.
pub fn measure(
    plan: &Plan,
    prepared: &Prepared,
    setting: Setting,
    executables: &[(Recipe, PathBuf)],
    rounds: usize,
) -> anyhow::Result<()> {
    let base = prepared.bitcode.with_extension("");
    let file = |suffix: &str| PathBuf::from(format!("{}.{suffix}", base.display()));
    let scratch = file("measured.o");
    let (target, model) = (setting.target, setting.model);
    let tested = if matches!(plan.translator, Translator::Ice(_)) { "ice" } else { "tested" };
    let mut translations: Vec<(String, Command)> = executables
        .iter()
        .map(|(recipe, _)| {
            let command = plan.translator.command(&prepared.bitcode, &scratch, target, *recipe, model);
            (format!("{tested} {}", recipe.name()), command)
        })
        .collect();
    for level in ["-O0", "-O2"] {
        let command = llc_command(prepared.llc, level, &prepared.bitcode, &scratch, target, model);
        translations.push((format!("llc {level}"), command));
    }
    print("translation", &translations, rounds)?;
    let unoptimized = file("llc-O0");
    program::llvm_object(prepared.llc, "-O0", &prepared.bitcode, &file("llc-O0.o"), setting)?;
    plan.link(prepared, &file("llc-O0.o"), &unoptimized, setting)?.map_err(anyhow::Error::msg)?;
    let own = executables.iter().map(|(recipe, path)| (format!("{tested} {}", recipe.name()), path.clone()));
    let programs: Vec<(String, Command)> = own
        .chain([("llc -O0".to_owned(), unoptimized), ("llc -O2".to_owned(), file("llc-O2"))])
        .map(|(name, path)| (name, process::command(&path, [prepared.argument])))
        .collect();
    print("run", &programs, rounds)
}

//! Whole programs from bitcode: translated by LLVM or by what is tested, linked, run, compared.

use crate::process::{self, End, Outcome};
use crate::toolchain::{Model, Recipe, Target, Translator, line_of, llc_command};
use anyhow::ensure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time that a translation may take.
const TRANSLATE_LIMIT: Duration = Duration::from_secs(300);
/// Longest time for LLVM: it does not end for some modules.
const LLC_LIMIT: Duration = Duration::from_secs(60);
/// Libraries that programs may need.
const LIBRARIES: [&str; 3] = ["-lm", "-pthread", "-ldl"];

/// What objects are made for.
#[derive(Clone, Copy)]
pub struct Setting {
    pub target: Target,
    pub recipe: Recipe,
    pub model: Model,
}

/// How a program is run.
#[derive(Clone)]
pub struct Invocation {
    pub target: Target,
    pub arguments: Vec<OsString>,
    pub directory: Option<PathBuf>,
    pub limit: Duration,
}

/// LLVM's object of a module.
///
/// # Errors
/// llc fails.
pub fn llvm_object(
    llc: &str,
    level: &str,
    bitcode: &Path,
    object: &Path,
    setting: Setting,
) -> anyhow::Result<()> {
    let mut command = llc_command(llc, level, bitcode, object, setting.target, setting.model);
    let outcome = process::run(&mut command, LLC_LIMIT)?;
    let (end, errors) = (outcome.end, outcome.first_errors());
    ensure!(end == End::Exit(0), "{}: {end}\n{errors}", line_of(&command));
    Ok(())
}

/// The object of what is tested; the text of the failure if it refuses.
///
/// # Errors
/// It cannot be started.
pub fn tested_object(
    translator: &Translator,
    bitcode: &Path,
    object: &Path,
    setting: Setting,
) -> anyhow::Result<Result<(), String>> {
    let mut command = translator.command(bitcode, object, setting.target, setting.recipe, setting.model);
    let outcome = process::run(&mut command, TRANSLATE_LIMIT)?;
    Ok(match outcome.end {
        End::Exit(0) => Ok(()),
        end => Err(format!("{}: {end}\n{}", line_of(&command), outcome.first_errors())),
    })
}

/// Links objects to a program; the text of the failure if the linker refuses them.
///
/// # Errors
/// It cannot be started.
pub fn link(objects: &[PathBuf], executable: &Path, setting: Setting) -> anyhow::Result<Result<(), String>> {
    let mut command =
        process::command(Path::new(setting.target.compiler()), [setting.model.link_flag(), "-o"]);
    let outcome = process::run(command.arg(executable).args(objects).args(LIBRARIES), TRANSLATE_LIMIT)?;
    Ok(match outcome.end {
        End::Exit(0) => Ok(()),
        end => Err(format!("{}: {end}\n{}", line_of(&command), outcome.first_errors())),
    })
}

/// Runs a program.
///
/// # Errors
/// It cannot be started.
pub fn run(executable: &Path, invocation: &Invocation) -> anyhow::Result<Outcome> {
    let mut command = invocation.target.execute(executable);
    command.args(&invocation.arguments);
    if let Some(directory) = &invocation.directory {
        command.current_dir(directory);
    }
    process::run(&mut command, invocation.limit)
}

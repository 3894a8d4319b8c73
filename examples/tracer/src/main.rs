//! The command: `ice-tracer [--interpret | --om1] [--stats] PROGRAM`.

use ice_tracer::{Recipe, run};
use std::io::{BufWriter, stdout};
use std::process::ExitCode;

const USAGE: &str = "usage: ice-tracer [--interpret | --om1] [--stats] PROGRAM";

fn start() -> Result<(), Box<dyn std::error::Error>> {
    let (mut path, mut recipe, mut wants_stats) = (None, Some(Recipe::O2), false);
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            lexopt::Arg::Long("interpret") => recipe = None,
            lexopt::Arg::Long("om1") => recipe = Some(Recipe::Om1),
            lexopt::Arg::Long("stats") => wants_stats = true,
            lexopt::Arg::Value(value) if path.is_none() => path = Some(value),
            other => return Err(other.unexpected().into()),
        }
    }
    let source = std::fs::read_to_string(path.ok_or(USAGE)?)?;
    let stats = run(&source, recipe, &mut BufWriter::new(stdout().lock()))?;
    if wants_stats {
        eprintln!("{stats:?}");
    }
    Ok(())
}

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ice-tracer: {error}");
            ExitCode::FAILURE
        }
    }
}

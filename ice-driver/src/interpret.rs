//! `ice interpret`: the reference interpreter with the host's files, clocks and random numbers.

use crate::cli::Failure;
use crate::flags::Invocation;
use ice_ir::Program;
use std::process::ExitCode;

/// Runs a program.
///
/// # Errors
/// The program traps or cannot start.
pub fn interpret(program: &Program, work: &Invocation) -> Result<ExitCode, Failure> {
    let _ = (program, work);
    Err(Failure::trouble("the interpreter is not built in yet"))
}

//! The text form.

use super::ProgramBodies;
use crate::error::Error;
use crate::options::Options;
use crate::report::Report;
use crate::translate::compile_module;
use ice_elf::Sink;
use ice_ir::Program;

/// Translates a program.
///
/// # Errors
/// Those of [`compile_to`](crate::compile_to).
pub fn compile(input: &[u8], options: &Options, sink: &mut (dyn Sink + Send)) -> Result<Report, Error> {
    let program = read(input)?;
    compile_module(&program.module, &ProgramBodies(&program.bodies), input.len(), options, sink)
}

/// Parses and verifies a program in the text form.
///
/// # Errors
/// A syntax error, or a rule of the IR that the program breaks.
pub fn read(input: &[u8]) -> Result<Program, Error> {
    let text = std::str::from_utf8(input).map_err(|error| Error::NotUtf8(error.valid_up_to()))?;
    let program = ice_ir::parse_program(text).map_err(Error::Text)?;
    ice_ir::verify_program(&program, ice_ir::Rules::Ice).map_err(Error::Verify)?;
    Ok(program)
}

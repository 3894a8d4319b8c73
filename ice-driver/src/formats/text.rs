//! The text form.

use super::{ProgramBodies, Translate};
use crate::error::Error;
use crate::options::Options;
use crate::report::Report;
use ice_ir::Program;

/// Reads the header of a program and has it translated.
///
/// # Errors
/// Those of [`read_to`](crate::translate::read_to).
pub fn translate(input: &[u8], options: &Options, translate: Translate<'_>) -> Result<Report, Error> {
    let program = read(input)?;
    translate(&program.module, &ProgramBodies(&program.bodies), options)
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

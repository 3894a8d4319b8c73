//! PNaCl bitcode.

use super::{Bodies, BodyReader, Translate};
use crate::error::Error;
use crate::options::Options;
use crate::report::Report;
use ice_bitcode::pexe;
#[cfg(feature = "cli")]
use ice_ir::Program;
use ice_ir::{ControlFlowGraph, Filtered, Function, FunctionBuilder};
#[cfg(all(feature = "cli", any(feature = "llvm", feature = "text")))]
use {ice_ir::Environment, std::borrow::Cow};

/// Reads the header of a program and has it translated.
///
/// # Errors
/// Those of [`read_to`](crate::translate::read_to).
pub fn translate(input: &[u8], options: &Options, translate: Translate<'_>) -> Result<Report, Error> {
    let header = pexe::read_module(input).map_err(Error::Bitcode)?;
    let bodies = BitcodeBodies { bytes: input, header: &header };
    translate(&header.module, &bodies, options)
}

/// The bodies of a file of PNaCl bitcode.
pub struct BitcodeBodies<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// What was read of it so far.
    pub header: &'a pexe::ModuleHeader,
}

struct BitcodeReader<'a> {
    bodies: &'a BitcodeBodies<'a>,
    reader: pexe::FunctionReader,
}

impl Bodies for BitcodeBodies<'_> {
    fn count(&self) -> usize {
        self.header.bodies.len()
    }

    fn size(&self, index: usize) -> usize {
        self.header.bodies[index].bytes().len()
    }

    fn reader(&self) -> Box<dyn BodyReader + '_> {
        Box::new(BitcodeReader { bodies: self, reader: pexe::FunctionReader::default() })
    }
}

impl BodyReader for BitcodeReader<'_> {
    fn read(&mut self, index: usize, filter: &mut Filtered, func: &mut Function) -> Result<(), Error> {
        let BitcodeBodies { bytes, header } = *self.bodies;
        let mut builder = FunctionBuilder::filtered(func, filter);
        self.reader.read(header, bytes, &header.bodies[index], &mut builder).map_err(Error::Bitcode)
    }

    fn flow_graph(&self) -> Option<&ControlFlowGraph> {
        Some(self.reader.flow_graph())
    }
}

/// Reads a whole program faithfully: what is read can be written again.
///
/// # Errors
/// The input is malformed.
#[cfg(feature = "cli")]
pub fn read(bytes: &[u8]) -> ice_bitcode::Result<Program> {
    let header = pexe::read_module(bytes)?;
    let mut reader = pexe::FunctionReader::new();
    let mut bodies = Vec::with_capacity(header.bodies.len());
    for body in &header.bodies {
        let mut func = Function::new();
        reader.read(&header, bytes, body, &mut FunctionBuilder::new(&mut func))?;
        bodies.push(func);
    }
    Ok(Program { module: header.module, bodies })
}

/// Writes a program as bitcode; a native one is first brought into the frozen subset. What is given out obeys the
/// rules of the format: the program is checked before it is written, and the file is read again.
///
/// # Errors
/// The format cannot express the program, or it breaks a rule of the format.
#[cfg(all(feature = "cli", any(feature = "llvm", feature = "text")))]
pub fn freeze(program: &Program) -> Result<Vec<u8>, Error> {
    let frozen = match program.module.environment {
        Environment::Pnacl => Cow::Borrowed(program),
        Environment::Native => Cow::Owned(pexe::freeze(program).map_err(Error::Freeze)?),
    };
    ice_ir::verify_program(&frozen, ice_ir::Rules::Pnacl).map_err(Error::Verify)?;
    let bytes = pexe::write_program(&frozen).map_err(Error::Bitcode)?;
    read(&bytes).map_err(Error::Bitcode)?;
    Ok(bytes)
}

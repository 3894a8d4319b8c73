//! Programs as they are: reading whole ones, checking, dumping, writing bitcode. Nothing is translated.

use crate::error::Error;
use crate::machine::legalization_of_triple;
use crate::options::InputFormat;
use crate::translate::parse_text;
use core::fmt::{self, Write};
use ice_bitcode::{llvm, pexe};
use ice_ir::{Environment, Function, FunctionBuilder, Program};
use std::borrow::Cow;

/// What a program is read for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To be shown or interpreted as its target sees it.
    Look,
    /// To be written in the frozen format, which has fewer vectors than some targets.
    Freeze,
}

/// Reads and verifies a whole program without changing anything in it.
///
/// # Errors
/// The input is malformed or breaks a rule of the IR.
pub fn read_program(bytes: &[u8], format: InputFormat, purpose: Purpose) -> Result<Program, Error> {
    match format {
        InputFormat::Text => parse_text(bytes),
        InputFormat::Bitcode => {
            let program = read_bitcode(bytes).map_err(Error::Bitcode)?;
            ice_ir::verify_program(&program, ice_ir::Rules::Pnacl).map_err(Error::Verify)?;
            Ok(program)
        }
        InputFormat::Llvm => {
            let program = read_llvm(bytes, purpose).map_err(Error::Bitcode)?;
            ice_ir::verify_program(&program, ice_ir::Rules::Ice).map_err(Error::Verify)?;
            Ok(program)
        }
    }
}

/// Reads a whole module of LLVM.
fn read_llvm(bytes: &[u8], purpose: Purpose) -> ice_bitcode::Result<Program> {
    let machine = match purpose {
        Purpose::Look => legalization_of_triple(&String::from_utf8_lossy(&llvm::read_triple(bytes)?)),
        Purpose::Freeze => &llvm::MachineDescription::PORTABLE,
    };
    let program = llvm::LlvmProgram::new(llvm::read_module(bytes, machine)?);
    let mut reader = llvm::FunctionReader::new();
    let mut bodies = Vec::with_capacity(program.bodies().len());
    for body in program.bodies() {
        let mut func = Function::new();
        reader.read(&program, bytes, body, &mut FunctionBuilder::new(&mut func))?;
        bodies.push(func);
    }
    Ok(Program { module: program.module().clone(), bodies })
}

/// Reads a whole program faithfully: what is read can be written again.
fn read_bitcode(bytes: &[u8]) -> ice_bitcode::Result<Program> {
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

/// Lists the blocks and records of a bitcode file.
///
/// # Errors
/// Outside: the sink failed. Inside: the file is malformed; what comes before the error is written.
pub fn dump(bytes: &[u8], out: &mut impl Write) -> Result<Result<(), Error>, fmt::Error> {
    Ok(ice_bitcode::dump::dump_pexe(bytes, out)?.map_err(Error::Bitcode))
}

/// Writes a program as bitcode; a native one is first brought into the frozen subset. What is given out obeys the
/// rules of the format: the program is checked before it is written, and the file is read again.
///
/// # Errors
/// The format cannot express the program, or it breaks a rule of the format.
pub fn freeze(program: &Program) -> Result<Vec<u8>, Error> {
    let frozen = match program.module.environment {
        Environment::Pnacl => Cow::Borrowed(program),
        Environment::Native => Cow::Owned(pexe::freeze(program).map_err(Error::Freeze)?),
    };
    ice_ir::verify_program(&frozen, ice_ir::Rules::Pnacl).map_err(Error::Verify)?;
    let bytes = pexe::write_program(&frozen).map_err(Error::Bitcode)?;
    read_bitcode(&bytes).map_err(Error::Bitcode)?;
    Ok(bytes)
}

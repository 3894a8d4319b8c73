//! Programs as they are: reading whole ones, checking, dumping. Nothing is translated.

use crate::error::Error;
#[cfg(any(feature = "pexe", feature = "llvm", feature = "text"))]
use crate::formats;
use crate::options::InputFormat;
use ice_ir::Program;
#[cfg(any(feature = "pexe", feature = "llvm"))]
use {
    core::fmt::{self, Write},
    ice_ir::{Rules, verify_program},
};

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
#[cfg_attr(not(feature = "llvm"), expect(unused_variables, reason = "the other forms are read in one way"))]
pub fn read_program(bytes: &[u8], format: InputFormat, purpose: Purpose) -> Result<Program, Error> {
    match format {
        #[cfg(feature = "text")]
        InputFormat::Text => formats::text::read(bytes),
        #[cfg(feature = "pexe")]
        InputFormat::Bitcode => {
            let program = formats::pexe::read(bytes).map_err(Error::Bitcode)?;
            verify_program(&program, Rules::Pnacl).map_err(Error::Verify)?;
            Ok(program)
        }
        #[cfg(feature = "llvm")]
        InputFormat::Llvm => {
            let program = formats::llvm::read(bytes, purpose).map_err(Error::Bitcode)?;
            verify_program(&program, Rules::Ice).map_err(Error::Verify)?;
            Ok(program)
        }
        #[allow(unreachable_patterns, reason = "with all features every format is read")]
        format => Err(Error::FormatNotBuiltIn(format)),
    }
}

/// Lists the blocks and records of a bitcode file.
///
/// # Errors
/// Outside: the sink failed. Inside: the file is malformed; what comes before the error is written.
#[cfg(any(feature = "pexe", feature = "llvm"))]
pub fn dump(bytes: &[u8], out: &mut impl Write) -> Result<Result<(), Error>, fmt::Error> {
    Ok(ice_bitcode::dump::dump_pexe(bytes, out)?.map_err(Error::Bitcode))
}

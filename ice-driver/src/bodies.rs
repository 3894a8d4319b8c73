//! Function bodies of the three kinds of input, to be read on any thread.

use crate::error::Error;
use ice_bitcode::{llvm, pexe};
use ice_ir::{ControlFlowGraph, Filtered, Function, FunctionBuilder, Symbol};

/// Function bodies by number.
pub trait Bodies: Sync {
    /// Number of bodies.
    fn count(&self) -> usize;

    /// Bytes of body number `index`: how much work it is.
    fn size(&self, index: usize) -> usize;

    /// Memory of reading, for one thread.
    fn reader(&self) -> Box<dyn BodyReader + '_>;
}

/// Reads bodies one after another.
pub trait BodyReader: Send {
    /// Reads body number `index` into `func`, through `filter` where that is possible.
    ///
    /// # Errors
    /// The body is malformed.
    fn read(&mut self, index: usize, filter: &mut Filtered, func: &mut Function) -> Result<(), Error>;

    /// The flow graph of the body that was read last, where reading computes it anyway.
    fn flow_graph(&self) -> Option<&ControlFlowGraph> {
        None
    }
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

/// The bodies of a module of LLVM.
pub struct LlvmBodies<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// What was read of it so far.
    pub program: &'a llvm::LlvmProgram,
}

struct LlvmReader<'a> {
    bodies: &'a LlvmBodies<'a>,
    reader: llvm::FunctionReader,
}

impl Bodies for LlvmBodies<'_> {
    fn count(&self) -> usize {
        self.program.bodies().len()
    }

    fn size(&self, index: usize) -> usize {
        self.program.bodies()[index].bytes().len()
    }

    fn reader(&self) -> Box<dyn BodyReader + '_> {
        Box::new(LlvmReader { bodies: self, reader: llvm::FunctionReader::default() })
    }
}

impl BodyReader for LlvmReader<'_> {
    fn read(&mut self, index: usize, filter: &mut Filtered, func: &mut Function) -> Result<(), Error> {
        let LlvmBodies { bytes, program } = *self.bodies;
        let body = &program.bodies()[index];
        let mut builder = FunctionBuilder::filtered(func, filter);
        self.reader.read(program, bytes, body, &mut builder).map_err(|error| {
            let name = program.module().symbol_name(Symbol::Function(body.function));
            Error::Body { name: String::from_utf8_lossy(name).into_owned(), function: body.function, error }
        })
    }

    fn flow_graph(&self) -> Option<&ControlFlowGraph> {
        Some(self.reader.flow_graph())
    }
}

/// Bytes of bitcode that hold an instruction, on average of large programs.
const BITCODE_PER_INSTRUCTION: usize = 6;

/// The bodies of a program in memory.
pub struct ProgramBodies<'a>(pub &'a [Function]);

impl Bodies for ProgramBodies<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn size(&self, index: usize) -> usize {
        BITCODE_PER_INSTRUCTION * self.0[index].num_insts()
    }

    fn reader(&self) -> Box<dyn BodyReader + '_> {
        Box::new(ProgramBodies(self.0))
    }
}

impl BodyReader for ProgramBodies<'_> {
    fn read(&mut self, index: usize, _: &mut Filtered, func: &mut Function) -> Result<(), Error> {
        func.clone_from(&self.0[index]);
        Ok(())
    }
}

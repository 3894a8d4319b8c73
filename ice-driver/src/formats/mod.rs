//! The forms of input, one file a form: how a module begins, and its function bodies, to be read on any thread.

#[cfg(feature = "llvm")]
pub mod llvm;
#[cfg(feature = "pexe")]
pub mod pexe;
#[cfg(feature = "text")]
pub mod text;

use crate::error::Error;
use crate::options::Options;
use crate::repeats::Repetition;
use crate::report::Report;
use ice_ir::source::{FunctionSource, SourceUnit};
use ice_ir::{ControlFlowGraph, Filtered, Function, Module};

/// What is done with a module whose header is read: with the module, its bodies, and the options that hold for it.
pub type Translate<'a> = &'a mut dyn FnMut(&Module, &dyn Bodies, &Options) -> Result<Report, Error>;

/// Function bodies by number.
pub trait Bodies: Sync {
    /// Number of bodies.
    fn count(&self) -> usize;

    /// Bytes of body number `index`: how much work it is. Asked for in ascending order.
    fn size(&self, index: usize) -> usize;

    /// Bytes of all bodies together, as far as that is known: it decides how the work is shared.
    fn total(&self) -> usize {
        (0..self.count()).map(|index| self.size(index)).sum()
    }

    /// From now on readers may say that a body [is that of an earlier function](Repetition). Said before any body is
    /// asked for, by whoever reads all of them.
    fn tell_repeats(&self) {}

    /// Checks what comes behind the bodies, when all that are wanted were read.
    ///
    /// # Errors
    /// The input ends too early, or is malformed.
    fn finish(&self) -> Result<(), Error> {
        Ok(())
    }

    /// The units of the source that the input describes; none if it says nothing of where functions are in a source.
    fn source_units(&self) -> &[SourceUnit] {
        &[]
    }

    /// Memory of reading, for one thread.
    fn reader(&self) -> Box<dyn BodyReader + '_>;
}

/// Reads bodies one after another.
pub trait BodyReader: Send {
    /// Reads body number `index` into `func`, through `filter` where that is possible; not if it is one that came before.
    ///
    /// # Errors
    /// The body is malformed.
    fn read(&mut self, index: usize, filter: &mut Filtered, func: &mut Function)
    -> Result<Repetition, Error>;

    /// The flow graph of the body that was read last, where reading computes it anyway.
    fn flow_graph(&self) -> Option<&ControlFlowGraph> {
        None
    }

    /// Where the function that was read last is in the source, and what its locations mean, if the input says it.
    fn source(&self) -> Option<FunctionSource> {
        None
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
    fn read(&mut self, index: usize, _: &mut Filtered, func: &mut Function) -> Result<Repetition, Error> {
        func.clone_from(&self.0[index]);
        Ok(Repetition::None)
    }
}

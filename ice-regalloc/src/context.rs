//! The entry point: a [`Context`] that owns all memory of the allocator.

use crate::error::Error;
use crate::function::Function;
use crate::linear;
use crate::minimal;
use crate::output::Output;
use crate::registers::{RegUnits, RegisterFile};

/// Which algorithm allocates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Mode {
    /// One pass over each block; values cross block borders in their spill slots.
    #[default]
    Minimal,
    /// The same without the short path for plain instructions: slower, the reference that tests
    /// compare with. The code may differ slightly.
    MinimalReference,
    /// Linear scan over the whole function: better code, about twice the time or more. Accepts
    /// whatever the minimal mode accepts.
    Linear,
}

/// Whether a spill slot may hold one value after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SlotSharing {
    /// Values that never live together may share a slot.
    #[default]
    Shared,
    /// Every value has a slot of its own: for functions in which control can come back to a call that
    /// has already returned (`setjmp`), where an earlier value lives again.
    Distinct,
}

/// How to allocate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The algorithm.
    pub mode: Mode,
    /// Use of spill slots.
    pub slots: SlotSharing,
    /// Most steps that liveness of the full mode takes before the minimal mode takes over; if none, 64 for each
    /// instruction and 2^26 more, a second or so, which only functions made to be slow need.
    pub steps: Option<usize>,
}

/// Scratch memory and the last result. Keep one for each thread: it is cleared, never freed,
/// between functions, so that a warm context allocates nothing. It remembers the tables of register files,
/// which must outlive it.
#[derive(Clone, Debug, Default)]
pub struct Context<'f> {
    scratch: minimal::Scratch<'f>,
    linear: linear::Scratch<'f>,
    output: Output,
}

impl<'f> Context<'f> {
    /// An empty context.
    pub fn new() -> Context<'f> {
        Context::default()
    }

    /// Allocates registers for `func`.
    ///
    /// # Errors
    ///
    /// [`Error`] tells what is malformed, or which instruction's constraints cannot hold together.
    /// The output is then meaningless.
    pub fn allocate<F: Function>(
        &mut self,
        func: &F,
        file: &RegisterFile<'f>,
        options: &Options,
    ) -> Result<&Output, Error> {
        let output = &mut self.output;
        reset(output);
        if options.mode == Mode::Linear {
            match linear::allocate(func, file, options, &mut self.linear, output) {
                // What the heuristics of the full mode cannot place.
                Err(Error::Unsatisfiable { .. } | Error::NoScratch { .. }) => reset(output),
                result => return result.map(|()| &*output),
            }
        }
        minimal::allocate(func, file, options, &mut self.scratch, output)?;
        Ok(output)
    }

    /// Does the analyses of [`Mode::Linear`] alone, for measurements: what lives where. Gives the number of
    /// segments, without a hole, that the live intervals of all virtual registers have.
    ///
    /// # Errors
    ///
    /// [`Error`] tells what is malformed.
    pub fn live_segments<F: Function>(&mut self, func: &F, file: &RegisterFile<'f>) -> Result<usize, Error> {
        linear::analyze(func, file, &Options::default(), &mut self.linear)
    }

    /// The result of the last allocation.
    pub fn output(&self) -> &Output {
        &self.output
    }
}

fn reset(output: &mut Output) {
    output.allocs.clear();
    output.operand_starts.clear();
    output.edits.clear();
    output.slots.clear();
    output.used_regs = RegUnits::EMPTY;
    output.stats = Default::default();
}

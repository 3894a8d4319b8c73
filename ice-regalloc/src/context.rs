//! The entry point: a [`Context`] that owns all memory of the allocator.

use crate::error::Error;
use crate::function::Function;
use crate::linear;
use crate::minimal;
use crate::output::Output;
use crate::registers::{RegUnits, RegisterFile};
use crate::verify::Verifier;

/// Which algorithm allocates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Block-local allocation, in one forward pass over each block, without liveness analysis.
    ///
    /// *Method.* Local allocation with furthest-next-use eviction (Belady 1966; Horwitz et al., "Index Register
    /// Allocation", 1966). A value that several blocks refer to is in its spill slot at every block border; a value
    /// of one block has a slot only while it is evicted; and one that its only definition can make again
    /// ([`Function::remat`]) is made where it is wanted and never stored, if other blocks read it or an edge passes it on. Next
    /// uses are threaded while the [`Function`] is written. Where
    /// control enters a block only from the one before it (an extended basic block), values that are in registers there
    /// are read from these, as long as nothing else was put in: that costs no register. In an innermost loop the values
    /// referred to most often have a register in all of its blocks in place of a slot, by priority-based colouring (Chow
    /// and Hennessy, 1990).
    ///
    /// *Invariants* between two instructions: a virtual register is in at most one physical register; a value that is
    /// needed is in its register, or its slot holds it, or both; at the start of a block no register is taken,
    /// every value that crosses blocks is in its slot, and what is remembered of a register is in both. For the values
    /// that a loop keeps in registers, such a register is the slot within the loop, and it is taken.
    ///
    /// *Cost.* Linear in operands; an eviction looks at each register of one class.
    #[default]
    Minimal,
    /// The minimal mode without the short path for plain instructions: slower, the reference that tests
    /// compare with. The code may differ slightly.
    #[cfg(feature = "testing")]
    MinimalReference,
    /// Linear scan over the whole function: better code, about twice the time or more. Accepts whatever the minimal
    /// mode accepts, and leaves to it what its heuristics cannot place.
    ///
    /// *Method*, in three steps. First liveness and live intervals with holes. Then linear scan (Mössenböck and
    /// Pfeiffer, "Linear Scan Register Allocation in the Context of SSA Form and Register Constraints", 2002) gives
    /// whole intervals registers; when there is none, the one whose holders weigh least, in operands by length, is
    /// taken from them if they weigh less than the newcomer, and what lost is offered once more what is free beside
    /// everything that kept its register. Intervals that found no register are split, at blocks and loops. Last, a
    /// forward walk over each block finds a place for every operand: a value with a register is in it wherever it
    /// is live; one without is in its slot at block borders, and within a block in whatever register is left, with
    /// furthest-next-use eviction. Where an operand needs a register and all are taken, the holder that costs least is
    /// saved around the instruction, or loses its register for good, and the walk starts again. Copies at one point
    /// happen at once and are put in order by [`MoveSolver`](crate::MoveSolver); values that never live together
    /// share a slot.
    ///
    /// *Invariants* of the walk, between two instructions: a live value with a register is in it; one without is in some
    /// register, or its slot holds it, or both, and at block borders the slot does; a value that can be made again has
    /// that in place of a slot.
    ///
    /// *Cost.* Linear in operands and segments of intervals, plus n log n for the order of the intervals. Liveness takes
    /// blocks times values at worst, 64 values at a time, up to [`Options::steps`].
    Linear,
}

impl Mode {
    /// Whether short paths are not taken.
    pub(crate) const fn is_reference(self) -> bool {
        match self {
            #[cfg(feature = "testing")]
            Mode::MinimalReference => true,
            _ => false,
        }
    }
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

/// When the shape of the input is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InputCheck {
    /// Always: what is malformed is an error.
    #[default]
    Always,
    /// In debug builds of this crate. In others a malformed function may give a meaningless result, or panic.
    DebugBuilds,
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
    /// Whether the client is trusted.
    pub check: InputCheck,
}

/// Scratch memory and the last result. Keep one for each thread: it is cleared, never freed,
/// between functions, so that a warm context allocates nothing. It remembers the tables of register files,
/// which must outlive it.
#[derive(Clone, Debug, Default)]
pub struct Context<'f> {
    verifier: Verifier,
    scratch: minimal::Scratch<'f>,
    linear: linear::Scratch<'f>,
    output: Output,
}

impl<'f> Context<'f> {
    /// An empty context.
    pub fn new() -> Context<'f> {
        Context::default()
    }

    /// From now on, registers of a class that cost alike are preferred by these ranks, lowest first, in place of the
    /// order of their [class](crate::ClassInfo::order). There is one for each register, by its number; without any the
    /// class says it again.
    pub fn prefer(&mut self, ranks: &[u8]) {
        self.scratch.tables.prefer(ranks);
        self.linear.tables.prefer(ranks);
    }

    /// Allocates registers for `func`.
    ///
    /// # Errors
    ///
    /// [`Error`] tells what is malformed, or which instruction's constraints cannot hold together.
    /// The output is then meaningless.
    pub fn allocate(
        &mut self,
        func: &Function,
        file: &RegisterFile<'f>,
        options: &Options,
    ) -> Result<&Output, Error> {
        let output = &mut self.output;
        reset(output);
        if options.check == InputCheck::Always || cfg!(debug_assertions) {
            self.verifier.verify(func, file)?;
        }
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
    #[cfg(feature = "testing")]
    pub fn live_segments(&mut self, func: &Function, file: &RegisterFile<'f>) -> Result<usize, Error> {
        linear::analyze(func, file, &Options::default(), &mut self.linear)?;
        Ok(self.linear.num_segments())
    }

    /// The result of the last allocation.
    pub fn output(&self) -> &Output {
        &self.output
    }
}

/// Empties the output.
pub(crate) fn reset(output: &mut Output) {
    output.allocs.clear();
    output.edits.clear();
    output.slots.clear();
    output.used_regs = RegUnits::EMPTY;
    output.stats = Default::default();
}

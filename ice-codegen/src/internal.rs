//! Internal faults: a step of the code generator gets what the step before it must never give.
//!
//! An operand without a register, a spill slot that the frame lacks, a branch to a block that is not there: each is a
//! defect of the code generator, and code made in spite of it would be wrong without a word. So the function fails, in
//! every build, with an error that names the step, the instruction and what is missing.
//!
//! Steps go on after a fault, with any register or offset, because to leave from the depth of an encoder would cost
//! every instruction a test of its result. [`Faults`] keeps the first one; the step asks for it once, at its end, and
//! its output is then thrown away. Cost: what leads to [`Faults::note`] is a branch that is taken by faults alone.

use crate::mach::text::inst_text;
use crate::mach::{MachFunction, MachInst, MachInstId};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt;
use ice_regalloc::Output;

/// A step of the code generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodegenStep {
    /// From the IR to machine instructions.
    Lowering,
    /// Places of operands.
    Allocation,
    /// From machine instructions to bytes.
    Emission,
    /// Where code, tables and constants stand.
    Layout,
}

/// A fault: a defect of the code generator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Internal {
    /// The step that met it.
    pub step: CodegenStep,
    /// The instruction, or other place in the function, where it did.
    pub place: String,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for Internal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = match self.step {
            CodegenStep::Lowering => "lowering",
            CodegenStep::Allocation => "register allocation",
            CodegenStep::Emission => "emission",
            CodegenStep::Layout => "layout",
        };
        write!(f, "internal error in {step}, {}: {}", self.place, self.what)
    }
}

/// The first fault that a step over places of type `P` has met.
#[derive(Clone, Copy, Debug)]
pub struct Faults<P = MachInstId> {
    first: Option<(P, &'static str)>,
}

impl<P> Default for Faults<P> {
    fn default() -> Self {
        Faults { first: None }
    }
}

impl<P> Faults<P> {
    /// Keeps the fault at `place` unless there is one already.
    #[cold]
    #[inline(never)]
    pub fn note(&mut self, place: P, what: &'static str) {
        self.first.get_or_insert((place, what));
    }

    /// The end of `step`: the fault, with its place in words.
    ///
    /// # Errors
    /// There was a fault.
    #[inline]
    pub fn check(self, step: CodegenStep, describe: impl FnOnce(P) -> String) -> Result<(), Box<Internal>> {
        match self.first {
            None => Ok(()),
            Some((place, what)) => Err(Box::new(Internal { step, place: describe(place), what })),
        }
    }
}

/// Checks that the allocation has a place for each operand of each instruction, which emission relies on.
///
/// # Errors
/// It has not.
pub fn check_places<I: MachInst>(mach: &MachFunction<I>, allocation: &Output) -> Result<(), Box<Internal>> {
    let mut faults = Faults::default();
    if allocation.allocs.len() != mach.body().all_operands().len() {
        let end = MachInstId::from_u32(mach.insts().len() as u32);
        faults.note(end, "it has more or fewer places than operands");
    }
    faults.check(CodegenStep::Allocation, |inst| describe(mach, inst))
}

/// An instruction and where it is, for a person.
pub fn describe<I: MachInst>(mach: &MachFunction<I>, inst: MachInstId) -> String {
    let index = inst.as_u32() as usize;
    let Some(data) = mach.insts().get(index) else { return "the end of the function".into() };
    let form = inst_text(data);
    match mach.blocks().find(|&block| mach.inst_range(block).contains(&index)) {
        Some(block) => format!("{inst} '{form}' in {block}"),
        None => format!("{inst} '{form}'"),
    }
}

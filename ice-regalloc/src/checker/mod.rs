//! A symbolic checker: proves that an allocation keeps the meaning of the function.
//!
//! What it proves is said at [`Checker`].
//!
//! Method. The rules never join what they know of two pairs of place and virtual register: whether
//! `v in S[p]` after a step follows from one pair before it, or from nothing. Of a pair there are
//! three cases, `v` undefined > `p` holds `v` > it does not, and the meet takes the least. So the
//! greatest fixed point says for each pair the worst of all paths to it, and can be asked for one
//! pair at a time, backwards, without any state:
//!
//! * each block is run once from an unknown state. A place then holds what some place held at the
//!   block's entry, or one definition of the block, or nothing: no sets are needed ([`symbolic`]);
//! * a use of what the block itself defines is decided there. Any other becomes the query "does `p`
//!   hold `v` on entry of this block", which the summaries of the predecessors decide or turn into
//!   queries on their entries ([`queries`]). Each query is asked once. Nothing is defined at the
//!   function's entry nor before unreachable code, so queries that only come back to these or to
//!   each other hold;
//! * only if a query fails, failure is carried to those that depend on it, and all blocks are run
//!   again to report the uses in order.
//!
//! Beside that each operand's constraint, class, slot size and membership in `used_regs` are checked
//! ([`constraints`]).
//!
//! Cost: linear in instructions, and in queries, which are at most the pairs of a block and a value
//! that is live on its entry, unless one value is needed in several places. With optimisation level
//! 1: 7 ms for nbody (47 functions, 14,000 instructions), 65 ms for laszip (6,902 functions, 290,000
//! instructions), that is a fifth of all translation. Memory: up to 10 MB for a function of 10,000
//! blocks, 70,000 instructions and 13,000 slots. If every value lived through the whole function, it
//! would be blocks times values, as for liveness. A query takes 16 bytes and at most 16 in the table.

mod constraints;
mod flow;
mod queries;
mod symbolic;

use crate::function::{Function, Remat};
use crate::operand::{Block, Inst, OperandKind, VReg};
use crate::output::{Allocation, AllocationKind, Output};
use crate::registers::{RegUnits, RegisterFile};
use alloc::vec;
use alloc::vec::Vec;
use constraints::Marks;
use core::fmt;
use flow::Flow;
use queries::{Queries, Query};
use symbolic::{Answer, Symbolic};

/// One fault of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Violation {
    /// The lists of the output do not fit the function, or the edits are not sorted.
    Shape,
    /// The place of an operand is missing, does not exist or is too small.
    BadPlace {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
        /// Its place.
        place: Allocation,
    },
    /// The place of an operand does not obey its constraint or class.
    Constraint {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
        /// Its place.
        place: Allocation,
    },
    /// The place of a use does not hold the value on some path.
    WrongValue {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
        /// The virtual register that should be there.
        vreg: VReg,
        /// Its place.
        place: Allocation,
    },
    /// Two operands that are busy at the same time overlap.
    Overlap {
        /// The instruction.
        inst: Inst,
        /// Index of the first operand.
        first: usize,
        /// Index of the second operand.
        second: usize,
    },
    /// An operand that must outlive the clobbers is in a clobbered register.
    Clobbered {
        /// The instruction.
        inst: Inst,
        /// Index of the operand.
        operand: usize,
    },
    /// An edit goes from slot to slot, or one of its places does not exist or is too small.
    BadEdit {
        /// Index of the edit.
        edit: usize,
    },
    /// An edit stands where nothing can be executed, or where it overwrites what comes into its block in a fixed register:
    /// behind a terminator, or before the first instruction of the function or of a block behind a terminator that
    /// destroys registers.
    MisplacedEdit {
        /// Index of the edit.
        edit: usize,
    },
    /// A register is written that is not in `used_regs`.
    UnreportedRegister {
        /// Where it is written.
        inst: Inst,
        /// The register.
        place: Allocation,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Violation::Shape => f.write_str("the output does not fit the function"),
            Violation::BadPlace { inst, operand, place } => {
                write!(f, "{inst}, operand {operand}: {place} is no place for it")
            }
            Violation::Constraint { inst, operand, place } => {
                write!(f, "{inst}, operand {operand}: {place} breaks the constraint")
            }
            Violation::WrongValue { inst, operand, vreg, place } => {
                write!(f, "{inst}, operand {operand}: {place} does not hold {vreg}")
            }
            Violation::Overlap { inst, first, second } => {
                write!(f, "{inst}: operands {first} and {second} overlap")
            }
            Violation::Clobbered { inst, operand } => {
                write!(f, "{inst}, operand {operand}: in a clobbered register")
            }
            Violation::BadEdit { edit } => write!(f, "edit {edit}: impossible copy"),
            Violation::MisplacedEdit { edit } => write!(f, "edit {edit}: nothing can be copied there"),
            Violation::UnreportedRegister { inst, place } => {
                write!(f, "{inst}: {place} is written but not reported as used")
            }
        }
    }
}

impl core::error::Error for Violation {}

/// What is checked.
struct Input<'a> {
    func: &'a Function,
    file: &'a RegisterFile<'a>,
    output: &'a Output,
}

impl Input<'_> {
    /// Number of places: registers, then slots.
    fn num_places(&self) -> usize {
        self.file.regs.len() + self.output.slots.len()
    }

    /// Index of a place, if it exists.
    fn index(&self, place: Allocation) -> Option<usize> {
        match place.kind() {
            AllocationKind::None | AllocationKind::Remat(_) => None,
            AllocationKind::Reg(reg) => (reg.index() < self.file.regs.len()).then_some(reg.index()),
            AllocationKind::Slot(slot) => ((slot.as_u32() as usize) < self.output.slots.len())
                .then_some(self.file.regs.len() + slot.as_u32() as usize),
        }
    }

    /// How a place that is an instruction makes the value again, if it may.
    fn remat(&self, place: Allocation) -> Option<Remat> {
        let inst = place.as_remat().filter(|inst| (inst.as_u32() as usize) < self.func.num_insts())?;
        self.remat_of(inst)
    }

    /// How `inst` makes its value again, if it can.
    fn remat_of(&self, inst: Inst) -> Option<Remat> {
        match self.func.operands(inst) {
            [op] if op.kind() == OperandKind::Def => self.func.rematerialize(inst),
            _ => None,
        }
    }

    /// The units of a place; none for slots and for places that do not exist.
    fn units(&self, place: Allocation) -> RegUnits {
        let info = place.as_reg().and_then(|reg| self.file.regs.get(reg.index()));
        info.map_or(RegUnits::EMPTY, |info| info.units)
    }

    /// Bytes of a virtual register's value.
    fn size(&self, v: VReg) -> u32 {
        match self.func.vreg_size(v) {
            0 => self.file.class(self.func.vreg_class(v)).spill_size,
            size => size,
        }
    }

    /// Whether the lists of the output fit the function and each other.
    fn has_shape(&self) -> bool {
        let Input { func, output, .. } = self;
        output.allocs.len() == func.all_operands().len()
            && output.edits.is_sorted_by_key(|e| e.point)
            && output.edits.last().is_none_or(|e| (e.point.inst().as_u32() as usize) < func.num_insts())
    }
}

/// The symbolic checker, with its memory, for use on one function after another.
///
/// Idea (after the checker of regalloc2, and Rideau and Leroy, *Validating Register Allocation and
/// Spilling*, 2010): interpret the allocated code abstractly. The abstract value of a place is the
/// set of virtual registers whose present value it holds. Every use must then find its virtual
/// register in the set of its place. The checker shares no code with the allocator.
///
/// Rules. A state is a map `S` from places (registers, slots) to sets of virtual registers, each with
/// the number of its low bytes that are there, and the set `D` of those defined on some path so far.
/// One that is not in `D` has no value, so every place holds it.
///
/// * entry: every `S[p]` and `D` are empty;
/// * "instruction `i` again" is a place too if `i` is rematerialisable: nothing writes it, and it always holds
///   `v` if `v` is defined there and nowhere else. Such an instruction may have no place to write;
/// * edit `p -> q`: `S[q] := S[p]`, of each as many bytes as the edit moves at most; `S[r] := {}` for
///   other registers `r` that alias `q`; `p` and `q` are not both slots;
/// * use of `v` at `p`: requires all bytes of `v` in `S[p]`, or `v not in D`;
/// * no edit stands behind a terminator; none before an instruction writes what comes in there: if the first instruction
///   of the function, or of a block behind a terminator that destroys registers, does nothing but to define Fixed
///   registers, these are not written before it;
/// * clobber of `u`: `S[r] := {}` for registers `r` with a unit in `u`; no Late Use nor Early Def
///   may be there;
/// * definition of `v` at `p`: `v` leaves all sets; `S[p] := {v}`, whole, and `S[r] := {}` for aliases;
///   `D` gains `v`;
/// * an Early Def overlaps no use and no other definition; a Late Def or UseDef overlaps no Late
///   Use and no other definition;
/// * edge with arguments `a` for parameters `x`: `S'[p] := {v in S[p] | v not in x} + {x_i | a_i in
///   S[p]}`, with as many bytes, all at once; `D'` has `x_i` exactly when `D` has `a_i`;
/// * meet of `(S, D)` and `(T, E)`: a place holds the bytes of `v` that both hold, where a side that has
///   not defined `v` holds it everywhere; the defined set is the union.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    marks: Marks,
    flow: Flow,
    symbolic: Symbolic,
    queries: Queries,
}

impl Checker {
    /// A checker without memory.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// Checks `output` against `func`, which must have been accepted by the allocator.
    ///
    /// # Errors
    ///
    /// All faults found, in instruction order within each block. Faults that show without following
    /// values hide those that need it.
    pub fn check(
        &mut self,
        func: &Function,
        file: &RegisterFile,
        output: &Output,
    ) -> Result<(), Vec<Violation>> {
        let input = Input { func, file, output };
        if !input.has_shape() {
            return Err(vec![Violation::Shape]);
        }
        let mut violations = Vec::new();
        self.marks.check(&input, &mut violations);
        if violations.is_empty() && !self.values_hold(&input) {
            self.report_values(&input, &mut violations);
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    /// Work of the latest check that no bound keeps in proportion to the function by itself: questions about values at
    /// block borders, and edges that they were followed over.
    #[cfg(feature = "testing")]
    pub fn steps(&self) -> usize {
        self.queries.steps
    }

    /// Whether every use finds its value.
    fn values_hold(&mut self, input: &Input<'_>) -> bool {
        let Checker { flow, symbolic, queries, .. } = self;
        flow.compute(input.func);
        symbolic.reset(input);
        queries.clear();
        let mut holds = true;
        for block in (0..input.func.num_blocks() as u32).map(Block::from_u32) {
            symbolic.run(input, block, |found| match found.answer {
                Answer::Yes => {}
                Answer::No => holds = false,
                Answer::Ask(place) => queries.ask(Query::new(block, found.value, place)),
            });
            symbolic.save();
        }
        queries.solve(input, flow, symbolic) && holds
    }

    /// Finds the uses that `values_hold` has found to exist.
    fn report_values(&mut self, input: &Input<'_>, violations: &mut Vec<Violation>) {
        let Checker { flow, symbolic, queries, .. } = self;
        queries.spread_failure(input, flow, symbolic);
        symbolic.reset(input);
        for block in (0..input.func.num_blocks() as u32).map(Block::from_u32) {
            symbolic.run(input, block, |found| {
                let wrong = match found.answer {
                    Answer::Yes => false,
                    Answer::No => true,
                    Answer::Ask(place) => queries.has_failed(Query::new(block, found.value, place)),
                };
                if wrong {
                    let (inst, operand) = (found.inst, found.operand);
                    let (vreg, place) = (found.value.0, input.output.allocs_of(input.func, inst)[operand]);
                    violations.push(Violation::WrongValue { inst, operand, vreg, place });
                }
            });
        }
    }
}

/// Checks `output` against `func` as [`Checker::check`] does, with memory of its own.
///
/// # Errors
///
/// All faults found, in instruction order within each block.
pub fn check(func: &Function, file: &RegisterFile, output: &Output) -> Result<(), Vec<Violation>> {
    Checker::new().check(func, file, output)
}

//! The recipes: which steps turn a function body into machine code, in which order.
//!
//! [`FunctionCompiler`] owns the memory of every step. It is made once a thread and reused from function
//! to function, so that translating the thousandth function allocates nothing.

use crate::error::{Error, StepResult};
use crate::options::{Emit, Timing};
use crate::output::RangeOutput;
use crate::report::Report;
use crate::translate::Bodies;
use core::fmt::Write;
use ice_asm::{CodeBuffer, Listing};
use ice_codegen::lower::{LowerScratch, lower_function};
use ice_codegen::mach::{FrameInfo, MachFunction};
use ice_codegen::{BlockLayout, BlockOrder, CompiledCode, Target};
use ice_ir::{ControlFlowGraph, DominatorTree, Filtered, FuncId, Function, LoopForest, Module, Uses};
use ice_passes::{Blocks, HoistScratch, Numbering, ShortCircuitScratch, SinkScratch};
use std::time::Instant;

/// A list of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipe {
    /// Short translation time.
    Om1,
    /// Fast code.
    O2,
}

/// What is done to a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Read the body; constants fold and common subexpressions of a block vanish while it is built.
    Read,
    /// Predecessors and successors of blocks.
    ControlFlow,
    /// Use counts and dead instructions.
    Uses,
    /// The dominator tree.
    Dominators,
    /// The loop forest.
    Loops,
    /// Common subexpressions of the function; cheaper forms of instructions.
    NumberValues,
    /// Loop-invariant instructions go before their loops.
    Licm,
    /// Branches on `a or b` become two branches.
    ShortCircuit,
    /// Comparisons, scales and steps go to their users.
    Sink,
    /// The order of blocks for fast code; without it they stay in the order of the function.
    Layout,
    /// What loops keep in registers, on targets where constants are costly.
    HoldConstants,
    /// Final block order with split edges.
    BlockOrder,
    /// Machine instructions over virtual registers.
    Lower,
    /// Registers and spill slots.
    Allocate,
    /// Bytes.
    Emit,
}

impl Step {
    /// Every step, in the order of the longest recipe.
    pub const ALL: [Step; 15] = [
        Step::Read,
        Step::ControlFlow,
        Step::Uses,
        Step::Dominators,
        Step::Loops,
        Step::NumberValues,
        Step::Licm,
        Step::ShortCircuit,
        Step::Sink,
        Step::Layout,
        Step::HoldConstants,
        Step::BlockOrder,
        Step::Lower,
        Step::Allocate,
        Step::Emit,
    ];

    /// The name for `--print-after` and `--time-passes`.
    pub const fn name(self) -> &'static str {
        match self {
            Step::Read => "read",
            Step::ControlFlow => "control-flow",
            Step::Uses => "uses",
            Step::Dominators => "dominators",
            Step::Loops => "loops",
            Step::NumberValues => "number-values",
            Step::Licm => "licm",
            Step::ShortCircuit => "short-circuit",
            Step::Sink => "sink",
            Step::Layout => "layout",
            Step::HoldConstants => "hold-constants",
            Step::BlockOrder => "block-order",
            Step::Lower => "lower",
            Step::Allocate => "allocate",
            Step::Emit => "emit",
        }
    }

    /// Whether a recipe may leave the step out (`--disable-pass`): the code is only slower then.
    pub const fn is_optional(self) -> bool {
        matches!(
            self,
            Step::NumberValues
                | Step::Licm
                | Step::ShortCircuit
                | Step::Sink
                | Step::Layout
                | Step::HoldConstants
        )
    }

    /// The step of that name.
    pub fn parse(name: &str) -> Option<Step> {
        Step::ALL.into_iter().find(|step| step.name() == name)
    }
}

/// Om1: values are in registers within a block only.
const OM1: &[Step] =
    &[Step::Read, Step::ControlFlow, Step::Uses, Step::BlockOrder, Step::Lower, Step::Allocate, Step::Emit];

/// O2: values are in registers as long as they live, and no more is computed than is used.
const O2: &[Step] = &[
    Step::Read,
    Step::ControlFlow,
    Step::Dominators,
    Step::Loops,
    Step::Uses,
    Step::NumberValues,
    Step::Licm,
    Step::Uses,
    Step::ShortCircuit,
    Step::Sink,
    Step::Uses,
    Step::Layout,
    Step::HoldConstants,
    Step::BlockOrder,
    Step::Lower,
    Step::Allocate,
    Step::Emit,
];

impl Recipe {
    /// The steps in order.
    pub const fn steps(self) -> &'static [Step] {
        match self {
            Recipe::Om1 => OM1,
            Recipe::O2 => O2,
        }
    }

    fn allocator(self, frame: &FrameInfo) -> ice_regalloc::Options {
        let mode = match self {
            Recipe::Om1 => ice_regalloc::Mode::Minimal,
            Recipe::O2 => ice_regalloc::Mode::Linear,
        };
        let slots = match frame.returns_twice {
            true => ice_regalloc::SlotSharing::Distinct,
            false => ice_regalloc::SlotSharing::Shared,
        };
        ice_regalloc::Options { mode, slots, steps: None }
    }
}

/// Whether the results of passes, lowering and register allocation are checked. Release builds never do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocationCheck {
    /// No.
    Off,
    /// Where debug assertions are on.
    Debug,
}

/// What all functions of a translation have in common.
pub struct Job<'a, T, B> {
    /// The back end.
    pub target: T,
    /// The module.
    pub module: &'a Module,
    /// Its bodies.
    pub bodies: B,
    /// The steps.
    pub recipe: Recipe,
    /// What is wanted in the end.
    pub emit: Emit,
    /// Steps after which the function is printed.
    pub print_after: &'a [Step],
    /// Steps to leave out, of those that [are optional](Step::is_optional).
    pub disabled: &'a [Step],
    /// Whether to take times.
    pub timing: Timing,
    /// Whether to check results.
    pub check: AllocationCheck,
}

impl<T, B> Job<'_, T, B> {
    /// Whether functions go through `step`.
    fn performs(&self, step: Step) -> bool {
        self.recipe.steps().contains(&step) && !(step.is_optional() && self.disabled.contains(&step))
    }
}

/// Who has the flow graph of the function as it is now.
#[derive(Clone, Copy)]
enum Graph {
    Reader,
    Own,
}

fn graph<'a, B: Bodies>(
    reader: &'a B::Reader,
    own: &'a ControlFlowGraph,
    graph: Graph,
) -> &'a ControlFlowGraph {
    match graph {
        Graph::Reader => B::flow_graph(reader).unwrap_or(own),
        Graph::Own => own,
    }
}

/// The memory of every step.
pub struct FunctionCompiler<T: Target, B: Bodies, L: Listing> {
    reader: B::Reader,
    filter: Filtered,
    func: Function,
    cfg: ControlFlowGraph,
    graph: Graph,
    uses: Uses,
    dominators: DominatorTree,
    loops: LoopForest,
    numbering: Numbering,
    hoist: HoistScratch,
    short_circuit: ShortCircuitScratch,
    sink: SinkScratch,
    layout: BlockLayout,
    order: BlockOrder,
    lower: LowerScratch,
    mach: MachFunction<T::Inst>,
    allocator: ice_regalloc::Context<'static>,
    #[cfg(debug_assertions)]
    checker: ice_regalloc::Checker,
    emission: T::Scratch,
    buffer: CodeBuffer<L, T::Branches>,
    /// Sums over the functions compiled so far.
    pub report: Report,
}

impl<T: Target, B: Bodies, L: Listing> Default for FunctionCompiler<T, B, L> {
    fn default() -> Self {
        FunctionCompiler {
            reader: B::Reader::default(),
            filter: Filtered::new(),
            func: Function::new(),
            cfg: ControlFlowGraph::new(),
            graph: Graph::Own,
            uses: Uses::default(),
            dominators: DominatorTree::new(),
            loops: LoopForest::new(),
            numbering: Numbering::default(),
            hoist: HoistScratch::default(),
            short_circuit: ShortCircuitScratch::default(),
            sink: SinkScratch::default(),
            layout: BlockLayout::default(),
            order: BlockOrder::default(),
            lower: LowerScratch::default(),
            mach: MachFunction::new(),
            allocator: ice_regalloc::Context::default(),
            #[cfg(debug_assertions)]
            checker: ice_regalloc::Checker::new(),
            emission: T::Scratch::default(),
            buffer: CodeBuffer::new(),
            report: Report::default(),
        }
    }
}

impl<T: Target, B: Bodies, L: Listing> FunctionCompiler<T, B, L> {
    /// Performs the recipe's steps on the body `body` of `function`, as far as the wanted result needs
    /// them, and adds the function to `out`.
    ///
    /// # Errors
    /// The body is malformed, or the back end refuses the function.
    pub fn compile(
        &mut self,
        job: &Job<'_, T, B>,
        function: FuncId,
        body: usize,
        out: &mut RangeOutput<L, T::Branches>,
    ) -> Result<(), Error> {
        let last = match job.emit {
            Emit::Ir => Step::Read,
            Emit::Mir => Step::Lower,
            Emit::Object | Emit::Assembly => Step::Emit,
        };
        for &step in job.recipe.steps() {
            if !job.performs(step) {
                continue;
            }
            let began = (job.timing == Timing::On).then(Instant::now);
            let result = match step {
                Step::Read => {
                    job.bodies.read(body, &mut self.reader, &mut self.filter, &mut self.func)?;
                    self.verify(job);
                    Ok(())
                }
                _ => self.perform(step, job, out),
            };
            if let Some(began) = began {
                self.report.times[step as usize] += began.elapsed();
            }
            result.map_err(|kind| Error::compile(job.module, function, kind))?;
            if job.print_after.contains(&step) {
                self.print(step, job, function, out);
            }
            if step == last {
                break;
            }
        }
        match job.emit {
            Emit::Ir => self.write_ir(job.module, &mut out.text),
            Emit::Mir => self.write_mir(function, &mut out.text),
            Emit::Object => {}
            // The listing is printed when constants have their final numbers.
            Emit::Assembly => out.exchange_listing(&mut self.buffer),
        }
        self.count(job.recipe);
        out.add(function);
        Ok(())
    }

    /// Debug builds check what the reader or a pass has built: every later step requires valid IR.
    fn verify(&mut self, job: &Job<'_, T, B>) {
        #[cfg(debug_assertions)]
        if job.check == AllocationCheck::Debug {
            let mut scratch = ice_ir::VerifierScratch::default();
            let result = ice_ir::verify_function(job.module, &self.func, ice_ir::Rules::Ice, &mut scratch);
            debug_assert!(result.is_ok(), "{}: {result:#?}", self.func.id);
        }
        let _ = job;
    }

    /// One step after reading. Not inlined: the loop over the steps would prepare all of them.
    #[inline(never)]
    fn perform(
        &mut self,
        step: Step,
        job: &Job<'_, T, B>,
        out: &mut RangeOutput<L, T::Branches>,
    ) -> StepResult {
        match step {
            Step::Read => Ok(()),
            Step::ControlFlow => {
                // The reader of bitcode needs the graph for its own checks.
                self.graph = match B::flow_graph(&self.reader) {
                    Some(_) => Graph::Reader,
                    None => {
                        self.cfg.compute(&self.func);
                        Graph::Own
                    }
                };
                Ok(())
            }
            Step::Uses => {
                self.uses.compute(&self.func);
                Ok(())
            }
            Step::Dominators => {
                self.dominators.compute(&self.func, graph::<B>(&self.reader, &self.cfg, self.graph));
                Ok(())
            }
            Step::NumberValues => {
                ice_passes::number_values(
                    &mut self.func,
                    graph::<B>(&self.reader, &self.cfg, self.graph),
                    &self.dominators,
                    &self.uses,
                    &mut self.numbering,
                );
                self.verify(job);
                Ok(())
            }
            Step::Licm => {
                let changed = ice_passes::hoist_invariants(
                    &mut self.func,
                    graph::<B>(&self.reader, &self.cfg, self.graph),
                    &self.dominators,
                    &self.loops,
                    &mut self.hoist,
                );
                self.follow(changed);
                self.verify(job);
                Ok(())
            }
            Step::ShortCircuit => {
                let changed =
                    ice_passes::split_conditions(&mut self.func, &self.uses, &mut self.short_circuit);
                self.follow(changed);
                self.verify(job);
                Ok(())
            }
            Step::Sink => {
                let pointer = job.module.pointer_type;
                ice_passes::sink(&mut self.func, pointer, &self.loops, &self.uses, &mut self.sink);
                self.verify(job);
                Ok(())
            }
            Step::Loops => {
                self.loops.compute(&self.func, graph::<B>(&self.reader, &self.cfg, self.graph));
                Ok(())
            }
            Step::Layout => {
                let cfg = graph::<B>(&self.reader, &self.cfg, self.graph);
                self.layout.compute(&self.func, cfg, &self.loops);
                Ok(())
            }
            Step::HoldConstants => {
                self.hold_constants(job);
                Ok(())
            }
            Step::BlockOrder => {
                let cfg = graph::<B>(&self.reader, &self.cfg, self.graph);
                match job.performs(Step::Layout) {
                    true => self.order.compute_from(&self.func, cfg, &self.layout, &self.loops),
                    false => self.order.compute(&self.func, cfg),
                }
                Ok(())
            }
            Step::Lower => {
                lower_function(
                    &job.target,
                    job.module,
                    &self.func,
                    graph::<B>(&self.reader, &self.cfg, self.graph),
                    &self.order,
                    &self.uses,
                    &mut out.compiled.constants,
                    &mut self.lower,
                    &mut self.mach,
                )?;
                self.check_definitions(job);
                Ok(())
            }
            Step::Allocate => self.allocate(job),
            Step::Emit => job.target.emit(
                &self.mach,
                self.lower.switches(),
                self.allocator.output(),
                &mut self.emission,
                &mut self.buffer,
                &mut out.compiled,
            ),
        }
    }

    /// I-DEF: debug builds check what lowering has written, which the allocator's checker takes as it is.
    fn check_definitions(&self, job: &Job<'_, T, B>) {
        #[cfg(debug_assertions)]
        if job.check == AllocationCheck::Debug {
            let result = ice_codegen::mach::check_definitions(&self.mach);
            debug_assert!(result.is_ok(), "{}: {}", self.func.id, result.unwrap_err());
        }
        let _ = job;
    }

    fn hold_constants(&mut self, job: &Job<'_, T, B>) {
        if !T::HOLDS_CONSTANTS || self.loops.num_loops() == 0 {
            return;
        }
        let cfg = graph::<B>(&self.reader, &self.cfg, self.graph);
        if matches!(self.graph, Graph::Own) {
            // Blocks may have come since.
            self.dominators.compute(&self.func, cfg);
        }
        let func = &self.func;
        self.lower.held.compute(func, &self.loops, &self.dominators, |inst, visit| {
            job.target.costly_constants(func, inst, visit);
        });
    }

    /// Brings up to date what the steps behind those that change blocks need.
    fn follow(&mut self, blocks: Blocks) {
        if blocks == Blocks::Changed {
            self.cfg.compute(&self.func);
            self.graph = Graph::Own;
            self.loops.compute(&self.func, &self.cfg);
        }
    }

    fn allocate(&mut self, job: &Job<'_, T, B>) -> StepResult {
        let registers = job.target.registers(&self.mach.frame);
        let options = job.recipe.allocator(&self.mach.frame);
        self.allocator.allocate(&self.mach, registers, &options)?;
        #[cfg(debug_assertions)]
        if job.check == AllocationCheck::Debug
            && let Err(violations) = self.checker.check(&self.mach, registers, self.allocator.output())
        {
            debug_assert!(false, "{}: {violations:#?}", self.func.id);
            return Err(ice_codegen::ErrorKind::AllocationCheck);
        }
        Ok(())
    }

    fn count(&mut self, recipe: Recipe) {
        let report = &mut self.report;
        report.functions += 1;
        report.blocks += self.func.num_blocks() as u64;
        report.insts += self.func.num_insts() as u64;
        report.mach_insts += self.mach.insts().len() as u64;
        report.add_allocation(recipe, &self.allocator.output().stats);
    }

    /// Counts the code of a range of functions.
    pub fn count_code(&mut self, code: &CompiledCode) {
        self.report.code_bytes += code.code.len() as u64;
        self.report.relocations += code.relocs.len() as u64;
        self.report.jump_tables += code.tables.count() as u64;
    }

    fn write_ir(&self, module: &Module, out: &mut String) {
        // Writing into a string cannot fail.
        let _ = ice_ir::write_function(module, &self.func, out);
    }

    fn write_mir(&self, function: FuncId, out: &mut String) {
        let _ = writeln!(out, "{function}:");
        let _ = self.mach.write(out);
    }

    /// Prints what `step` made into the log of the function.
    fn print(
        &self,
        step: Step,
        job: &Job<'_, T, B>,
        function: FuncId,
        out: &mut RangeOutput<L, T::Branches>,
    ) {
        let _ = writeln!(out.log, "; {function} after {}", step.name());
        match step {
            Step::Read | Step::NumberValues | Step::Licm | Step::ShortCircuit | Step::Sink => {
                self.write_ir(job.module, &mut out.log);
            }
            Step::Dominators => {
                for block in self.func.blocks() {
                    let _ = writeln!(out.log, "{block}: below {:?}", self.dominators.idom(block));
                }
            }
            Step::ControlFlow => {
                let cfg = graph::<B>(&self.reader, &self.cfg, self.graph);
                for block in self.func.blocks() {
                    let (preds, succs) = (cfg.preds(block), cfg.succs(block));
                    let _ = writeln!(out.log, "{block}: from {preds:?} to {succs:?}");
                }
            }
            Step::Uses => {
                for block in self.func.blocks() {
                    for inst in self.func.block_insts(block) {
                        if let Some(result) = self.func.result(inst) {
                            let (count, dead) = (self.uses.count(result), self.uses.is_dead(inst));
                            let _ = writeln!(out.log, "{result}: {count}{}", if dead { " dead" } else { "" });
                        }
                    }
                }
            }
            Step::Loops => {
                for block in self.func.blocks() {
                    let (depth, header) = (self.loops.depth(block), self.loops.innermost(block));
                    let _ = writeln!(out.log, "{block}: depth {depth} {header:?}");
                }
            }
            Step::Layout => {
                let _ = writeln!(out.log, "{:?}", self.layout.blocks());
            }
            Step::HoldConstants => {}
            Step::BlockOrder => {
                for (index, block) in self.order.blocks().iter().enumerate() {
                    let _ = writeln!(out.log, "{index}: {block:?}");
                }
            }
            Step::Lower => self.write_mir(function, &mut out.log),
            Step::Allocate => {
                self.write_mir(function, &mut out.log);
                let allocation = self.allocator.output();
                for inst in 0..self.mach.insts().len() {
                    let inst = ice_regalloc::Inst::from_u32(inst as u32);
                    let _ = writeln!(out.log, "{inst}: {:?}", allocation.allocs_of(inst));
                }
                for edit in &allocation.edits {
                    let _ = writeln!(out.log, "{}: {} = {}", edit.point, edit.to, edit.from);
                }
            }
            Step::Emit => {
                let code = out.latest().code.to_vec();
                for line in code.chunks(16) {
                    for byte in line {
                        let _ = write!(out.log, "{byte:02x} ");
                    }
                    let _ = writeln!(out.log);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_found_by_their_names_and_have_their_place_in_the_table() {
        for (index, step) in Step::ALL.into_iter().enumerate() {
            assert_eq!(Step::parse(step.name()), Some(step));
            assert_eq!(step as usize, index);
        }
        assert_eq!(Step::parse("all"), None);
    }

    #[test]
    fn every_recipe_ends_with_bytes() {
        for recipe in [Recipe::Om1, Recipe::O2] {
            assert_eq!(recipe.steps().first(), Some(&Step::Read));
            assert_eq!(recipe.steps().last(), Some(&Step::Emit));
        }
    }
}

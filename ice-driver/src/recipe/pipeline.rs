//! The steps, performed on one function after another with the same memory.

use super::{Recipe, Step, Steps};
use crate::debug::CodeSource;
use crate::error::{Error, StepResult};
use crate::formats::{Bodies, BodyReader};
use crate::machine::Machine;
use crate::options::{Emit, Timing};
use crate::output::RangeOutput;
use crate::parallel::HUGE_JOB;
use crate::report::Report;
use ice_codegen::block_chances::Shape;
use ice_codegen::diversity::{Diversity, Kind, RandomOrder};
use ice_codegen::mach::KeepOrigins;
use ice_codegen::{
    BackEnd, BlockChances, BlockLayout, BlockOrder, Checks, CodeGenerator, CompiledCode, EdgesBack,
    ErrorKind, FunctionInput,
};
use ice_ir::native::UnwindTables;
use ice_ir::{
    Addressing, Block, ControlFlowGraph, DominatorTree, Environment, Filtered, FuncId, Function, LoopForest,
    Module, StackProtection, Uses,
};
use ice_passes::{
    AddressScratch, Changed, CycleScratch, EndScratch, Forms, HoistScratch, LateFrameScratch, Numbering,
    ProtectScratch, ShortCircuitScratch, SinkScratch, SomethingReturnsTwice, StrengthScratch, SwitchScratch,
};
use std::time::Instant;
#[cfg(feature = "text")]
use {crate::options::Commentary, ice_codegen::Annotation};

/// More instructions of the IR are those of a huge job: in bitcode one takes five to six bytes.
const HUGE_FUNCTION: usize = HUGE_JOB / 6;

/// What all functions of a translation have in common.
pub struct Job<'a> {
    /// The module.
    pub module: &'a Module,
    /// What is done to each function.
    pub steps: &'a Steps,
    /// What is wanted in the end.
    pub emit: Emit,
    /// Whether assembler text has comments.
    #[cfg(feature = "text")]
    pub commentary: Commentary,
    /// Steps after which the function is printed.
    #[cfg(feature = "text")]
    pub print_after: &'a [Step],
    /// From where callers are found, in all functions; `None` if each function says it.
    pub unwind: Option<UnwindTables>,
    /// What is left to chance.
    pub diversity: Diversity,
    /// Whether to take times.
    pub timing: Timing,
    /// Whether it is wanted where code is in the source.
    pub has_sources: bool,
    /// Whether to check results.
    pub check: Checks,
}

impl Job<'_> {
    /// Whether code of one function may stand for that of another with the same body: where only the code is wanted, and
    /// nothing in it is left to chance.
    pub fn copies_repeats(&self) -> bool {
        let copies = self.steps.contains(Step::Repeats) && self.emit == Emit::Object;
        copies && !self.is_observed() && self.diversity == Diversity::NONE
    }

    /// Whether code says which instructions of the IR it is for.
    fn keeps_origins(&self) -> bool {
        #[cfg(feature = "text")]
        return self.has_sources || self.commentary == Commentary::On;
        #[cfg(not(feature = "text"))]
        return self.has_sources;
    }

    /// Whether somebody looks at the steps one by one.
    fn is_observed(&self) -> bool {
        #[cfg(feature = "text")]
        return self.timing == Timing::On || !self.print_after.is_empty();
        #[cfg(not(feature = "text"))]
        return self.timing == Timing::On;
    }
}

/// What is known of the uses in the function as it is now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Nothing,
    Counts,
    All,
}

/// Who has the flow graph of the function as it is now.
#[derive(Clone, Copy)]
enum Graph {
    Reader,
    Own,
}

/// Reads and compiles the bodies of a module.
pub struct FunctionCompiler<'a> {
    reader: Box<dyn BodyReader + 'a>,
    pipeline: Pipeline,
}

/// The memory of every step.
pub(crate) struct Pipeline {
    filter: Filtered,
    /// The function as it is now.
    pub(crate) func: Function,
    cfg: ControlFlowGraph,
    graph: Graph,
    pub(super) uses: Uses,
    known_uses: Known,
    pub(super) dominators: DominatorTree,
    /// Whether no block has come since they were computed.
    dominators_hold: bool,
    pub(super) loops: LoopForest,
    protect: ProtectScratch,
    /// Blocks have come since the function was read.
    has_new_blocks: bool,
    cycles: CycleScratch,
    numbering: Numbering,
    hoist: HoistScratch,
    strength: StrengthScratch,
    short_circuit: ShortCircuitScratch,
    switches: SwitchScratch,
    ends: EndScratch,
    addresses: AddressScratch,
    sink: SinkScratch,
    late_frame: LateFrameScratch,
    /// The block at whose start the frame may be taken, if not at the entry alone.
    frame_at: Option<Block>,
    pub(super) layout: BlockLayout,
    chances: BlockChances,
    random: RandomOrder,
    returns_twice: SomethingReturnsTwice,
    pub(super) order: BlockOrder,
    pub(crate) generator: Box<dyn CodeGenerator>,
    report: Report,
}

impl<'a> FunctionCompiler<'a> {
    /// The memory for the functions of `job`, which are these bodies, on this target.
    pub fn new(target: &dyn BackEnd, bodies: &'a dyn Bodies, job: &Job<'_>) -> FunctionCompiler<'a> {
        let mut generator = target.generator(job.check);
        generator.write_unwind_tables(job.unwind);
        generator.diversify(job.diversity);
        if job.keeps_origins() {
            generator.keep_origins(KeepOrigins::Yes);
        }
        let returns_twice = SomethingReturnsTwice::of(job.module);
        let forms = Forms {
            moved_types: generator.moved_types(),
            complements_operands: generator.complements_operands(),
        };
        let numbering = Numbering::of(job.module, forms);
        let pipeline = Pipeline { returns_twice, numbering, ..Pipeline::new(generator) };
        FunctionCompiler { reader: bodies.reader(), pipeline }
    }

    /// Performs the recipe's steps on the body `body` of `function`, as far as the wanted result needs
    /// them, and adds the function to `out`. For a body that came before nothing is left to do but that.
    ///
    /// # Errors
    /// The body is malformed, or the back end refuses the function.
    pub fn compile(
        &mut self,
        job: &Job<'_>,
        function: FuncId,
        body: usize,
        out: &mut RangeOutput,
    ) -> Result<(), Error> {
        let pipeline = &mut self.pipeline;
        let began = (job.timing == Timing::On).then(Instant::now);
        let repetition = self.reader.read(body, &mut pipeline.filter, &mut pipeline.func)?;
        if repetition.is_again() {
            out.add(function, repetition);
            return Ok(());
        }
        if let Some(began) = began {
            pipeline.report.times[Step::Read as usize] += began.elapsed();
        }
        pipeline.run(job, function, self.reader.flow_graph(), out)?;
        let source = if job.has_sources { self.reader.source() } else { None };
        let source = source.and_then(|source| CodeSource::new(source, out.latest().origins, &pipeline.func));
        out.add(function, repetition);
        if let Some(source) = source {
            out.add_source(source);
        }
        Ok(())
    }

    /// Counts the code of a range of functions.
    pub fn count_code(&mut self, code: &CompiledCode) {
        let report = &mut self.pipeline.report;
        report.code_bytes += code.code.len() as u64;
        report.relocations += code.relocs.len() as u64;
        report.jump_tables += code.tables.count() as u64;
    }

    /// Counts the slots in the code of a range of functions.
    pub fn count_slots(&mut self, machine: &dyn Machine, code: &CompiledCode) {
        self.pipeline.report.slots += machine.count_slots(&code.code);
    }

    /// Sums over the functions compiled so far.
    pub fn into_report(self) -> Report {
        self.pipeline.report
    }
}

impl Pipeline {
    /// The memory of the steps around this code generator.
    pub(crate) fn new(generator: Box<dyn CodeGenerator>) -> Pipeline {
        Pipeline {
            filter: Filtered::new(),
            func: Function::new(),
            cfg: ControlFlowGraph::new(),
            graph: Graph::Own,
            uses: Uses::default(),
            known_uses: Known::Nothing,
            dominators: DominatorTree::new(),
            dominators_hold: false,
            loops: LoopForest::new(),
            protect: ProtectScratch::default(),
            has_new_blocks: false,
            cycles: CycleScratch::default(),
            numbering: Numbering::default(),
            hoist: HoistScratch::default(),
            strength: StrengthScratch::default(),
            short_circuit: ShortCircuitScratch::default(),
            switches: SwitchScratch::default(),
            ends: EndScratch::default(),
            addresses: AddressScratch::default(),
            sink: SinkScratch::default(),
            late_frame: LateFrameScratch::default(),
            frame_at: None,
            layout: BlockLayout::default(),
            chances: BlockChances::default(),
            random: RandomOrder::default(),
            returns_twice: SomethingReturnsTwice::Perhaps,
            order: BlockOrder::default(),
            generator,
            report: Report::default(),
        }
    }

    /// Performs the recipe's steps on the function, which is read already; `read` is the flow graph of the reader.
    /// What comes of it is behind the last function of `out`.
    pub(crate) fn run(
        &mut self,
        job: &Job<'_>,
        function: FuncId,
        read: Option<&ControlFlowGraph>,
        out: &mut RangeOutput,
    ) -> Result<(), Error> {
        (self.known_uses, self.has_new_blocks, self.frame_at) = (Known::Nothing, false, None);
        let is_observed = job.is_observed();
        for &step in job.steps.as_slice() {
            match is_observed {
                false => self.step(step, job, function, read, out)?,
                true => self.observe(step, job, function, read, out)?,
            }
        }
        #[cfg(feature = "text")]
        match job.emit {
            Emit::Ir => self.write_ir(job.module, &mut out.text),
            Emit::Mir => self.write_mir(function, &mut out.text),
            Emit::Object | Emit::Assembly => {}
        }
        self.count(job.steps.recipe());
        Ok(())
    }

    /// One step.
    #[inline(always)]
    fn step(
        &mut self,
        step: Step,
        job: &Job<'_>,
        function: FuncId,
        read: Option<&ControlFlowGraph>,
        out: &mut RangeOutput,
    ) -> Result<(), Error> {
        let result = self.perform(step, job, read, out);
        result.map_err(|kind| Error::compile(job.module, function, kind))
    }

    /// One step whose time is taken, or that is printed after.
    #[cold]
    #[inline(never)]
    fn observe(
        &mut self,
        step: Step,
        job: &Job<'_>,
        function: FuncId,
        read: Option<&ControlFlowGraph>,
        out: &mut RangeOutput,
    ) -> Result<(), Error> {
        let began = (job.timing == Timing::On).then(Instant::now);
        let result = self.step(step, job, function, read, out);
        if let Some(began) = began {
            self.report.times[step as usize] += began.elapsed();
        }
        result?;
        #[cfg(feature = "text")]
        if job.print_after.contains(&step) {
            self.print(step, job.module, function, read, out);
        }
        Ok(())
    }

    /// The flow graph of the function as it is now; `read` is that of the reader.
    #[cfg(feature = "text")]
    pub(super) fn flow_graph<'a>(&'a self, read: Option<&'a ControlFlowGraph>) -> &'a ControlFlowGraph {
        graph(read, &self.cfg, self.graph)
    }

    /// Debug builds check what the reader or a pass has built: every later step requires valid IR.
    fn verify(&mut self, job: &Job<'_>) {
        #[cfg(debug_assertions)]
        if job.check == Checks::Debug {
            let mut scratch = ice_ir::VerifierScratch::default();
            let result = ice_ir::verify_function(job.module, &self.func, ice_ir::Rules::Ice, &mut scratch);
            debug_assert!(result.is_ok(), "{}: {result:#?}", self.func.id);
            let counts_hold = self.known_uses == Known::Nothing || self.uses.hold_for(&self.func);
            debug_assert!(counts_hold, "{}: other use counts", self.func.id);
        }
        let _ = job;
    }

    /// One step after reading, whose flow graph is `read`. Inlined into the loop over the steps; what the steps do is
    /// not, so that each prepares its own registers alone.
    #[inline(always)]
    fn perform(
        &mut self,
        step: Step,
        job: &Job<'_>,
        read: Option<&ControlFlowGraph>,
        out: &mut RangeOutput,
    ) -> StepResult {
        match step {
            Step::Read => self.verify(job),
            // Such a body does not come here.
            Step::Repeats => {}
            Step::Harden => {
                let hardening = &job.module.hardening;
                if hardening.checks_types && !self.generator.checks_types() {
                    self.expand_type_checks(job);
                }
                if job.module.functions[self.func.id].traits.protection != StackProtection::None {
                    self.protect_stack(job);
                }
            }
            Step::ControlFlow => {
                // The reader of bitcode needs the graph for its own checks.
                self.graph = match read {
                    Some(_) if !self.has_new_blocks => Graph::Reader,
                    _ => {
                        self.cfg.compute(&self.func);
                        Graph::Own
                    }
                };
            }
            // No machine takes such a call of a PNaCl program.
            Step::ReturnCalls if job.module.environment == Environment::Native => {
                self.make_return_calls(job, read);
            }
            Step::ReturnCalls => {}
            Step::UseCounts => self.compute_uses(Known::Counts),
            Step::Uses => self.compute_uses(Known::All),
            Step::Dominators => {
                self.dominators.compute(&self.func, graph(read, &self.cfg, self.graph));
                self.dominators_hold = true;
            }
            Step::Loops => self.loops.compute(&self.func, graph(read, &self.cfg, self.graph)),
            Step::DeadCycles
            | Step::NumberValues
            | Step::Licm
            | Step::ReduceStrength
            | Step::ShortCircuit
            | Step::SimplifySwitches
            | Step::FoldAddresses
            | Step::Sink
            | Step::MergeEnds
            | Step::LateFrame => {
                self.optimize(step, job, read);
                self.verify(job);
            }
            Step::Layout => {
                self.layout.compute(&self.func, graph(read, &self.cfg, self.graph), &self.loops);
            }
            Step::HoldConstants => self.hold_constants(job, read),
            Step::BlockOrder => {
                let cfg = graph(read, &self.cfg, self.graph);
                let blocks = match job.diversity.random(Kind::Blocks, self.func.id.as_u32()) {
                    Some(random) => Some(self.random.compute(&self.func, cfg, random)),
                    None => job.steps.contains(Step::Layout).then(|| self.layout.blocks()),
                };
                let loops = job.steps.contains(Step::Layout).then_some(&self.loops);
                match blocks {
                    Some(blocks) => {
                        let edges_back = match self.generator.falls_into_loops() {
                            true => EdgesBack::InFront,
                            false => EdgesBack::Behind,
                        };
                        self.order.compute_from(&self.func, cfg, loops, edges_back, blocks);
                    }
                    None => self.order.compute(&self.func, cfg),
                }
                if let Some(loops) = loops {
                    let shape = Shape { func: &self.func, cfg, loops, layout: &self.layout };
                    self.chances.compute(shape);
                    self.order.compute_depths(shape, &self.chances);
                }
            }
            Step::Lower => {
                let input = FunctionInput {
                    module: job.module,
                    func: &self.func,
                    cfg: graph(read, &self.cfg, self.graph),
                    order: &self.order,
                    uses: &self.uses,
                    mode: job.steps.recipe().allocation(),
                    frame_at: self.frame_at,
                };
                self.generator.lower(input)?;
                if self.func.num_insts() > HUGE_FUNCTION && !job.keeps_origins() && !job.is_observed() {
                    self.give_back_ir();
                }
            }
            Step::Allocate => self.generator.allocate()?,
            Step::Emit => self.emit(job, out)?,
        }
        Ok(())
    }

    /// Gives the memory of the IR back, once its machine instructions are there: the allocation of registers takes most, and
    /// that of a huge function decides how much is held at all.
    #[cold]
    #[inline(never)]
    fn give_back_ir(&mut self) {
        self.count_ir();
        self.func = Function::new();
        self.cfg = ControlFlowGraph::new();
        self.uses = Uses::default();
        self.dominators = DominatorTree::new();
        self.loops = LoopForest::new();
        self.layout = BlockLayout::default();
        self.chances = BlockChances::default();
        self.order = BlockOrder::default();
    }

    #[inline]
    fn compute_uses(&mut self, wanted: Known) {
        if self.known_uses < wanted {
            self.uses.compute(&self.func);
            self.known_uses = Known::All;
        }
    }

    #[cold]
    #[inline(never)]
    fn protect_stack(&mut self, job: &Job<'_>) {
        let changed = ice_passes::protect_stack(job.module, &mut self.func, &mut self.protect);
        self.has_new_blocks |= changed == Changed::Blocks;
        self.verify(job);
    }

    #[cold]
    #[inline(never)]
    fn expand_type_checks(&mut self, job: &Job<'_>) {
        let changed = ice_passes::expand_type_checks(&mut self.func, job.module.pointer_type);
        self.has_new_blocks |= changed == Changed::Blocks;
        self.verify(job);
    }

    #[inline(never)]
    fn make_return_calls(&mut self, job: &Job<'_>, read: Option<&ControlFlowGraph>) {
        let (module, generator) = (job.module, &self.generator);
        let accepts = |func: &Function, inst| generator.returns_by_call(module, func, inst);
        let cfg = graph(read, &self.cfg, self.graph);
        let (func, returns_twice) = (&mut self.func, self.returns_twice);
        if ice_passes::make_return_calls(func, module, cfg, returns_twice, &accepts) == Changed::Blocks {
            self.cfg.compute(&self.func);
            self.graph = Graph::Own;
        }
        self.verify(job);
    }

    /// The passes over the IR.
    #[inline(never)]
    fn optimize(&mut self, step: Step, job: &Job<'_>, read: Option<&ControlFlowGraph>) {
        let cfg = graph(read, &self.cfg, self.graph);
        let pointer = job.module.pointer_type;
        let addressing = self.generator.addressing(pointer);
        let changed = match step {
            Step::DeadCycles => {
                ice_passes::remove_dead_cycles(&mut self.func, &self.loops, &self.uses, &mut self.cycles)
            }
            Step::NumberValues => {
                let (dominators, uses) = (&self.dominators, &mut self.uses);
                ice_passes::number_values(
                    &mut self.func,
                    cfg,
                    dominators,
                    uses,
                    addressing,
                    &mut self.numbering,
                )
            }
            Step::Licm => {
                let (dominators, loops) = (&self.dominators, &mut self.loops);
                ice_passes::hoist_invariants(
                    &mut self.func,
                    cfg,
                    dominators,
                    loops,
                    addressing,
                    &mut self.hoist,
                )
            }
            Step::ReduceStrength => {
                let addresses = (pointer, addressing);
                let graphs = (cfg, &self.dominators, &mut self.loops);
                ice_passes::reduce_strength(&mut self.func, addresses, graphs, &self.uses, &mut self.strength)
            }
            Step::ShortCircuit => {
                ice_passes::split_conditions(&mut self.func, &mut self.uses, &mut self.short_circuit)
            }
            Step::SimplifySwitches => {
                ice_passes::simplify_switches(&mut self.func, cfg, &self.uses, &mut self.switches)
            }
            Step::FoldAddresses if addressing == Addressing::BaseAndIndex => {
                let (loops, uses, scratch) = (&self.loops, &mut self.uses, &mut self.addresses);
                ice_passes::fold_addresses(&mut self.func, job.module.pointer_type, loops, uses, scratch)
            }
            Step::FoldAddresses => Changed::Nothing,
            Step::MergeEnds => {
                ice_passes::merge_equal_ends(&mut self.func, (cfg, &mut self.loops), &mut self.ends)
            }
            Step::LateFrame if self.generator.delays_frames() && ice_passes::may_delay_frame(&self.func) => {
                if !self.dominators_hold {
                    self.dominators.compute(&self.func, cfg);
                    self.dominators_hold = true;
                }
                let graphs = (&self.dominators, &self.loops);
                let (changed, place) =
                    ice_passes::delay_frame(&mut self.func, cfg, graphs, &mut self.late_frame);
                self.frame_at = place;
                changed
            }
            Step::LateFrame => Changed::Nothing,
            _ => {
                let accesses = (pointer, addressing == Addressing::BaseAndIndex);
                let (graphs, scratch) = ((cfg, &mut self.loops), &mut self.sink);
                ice_passes::sink(&mut self.func, accesses, graphs, &mut self.uses, scratch)
            }
        };
        let kept_uses = match step {
            _ if changed <= Changed::Dead => Known::All,
            Step::ShortCircuit => Known::All,
            Step::NumberValues | Step::FoldAddresses => Known::Counts,
            // Moved as they are.
            Step::Licm if changed == Changed::Instructions => Known::Counts,
            _ => Known::Nothing,
        };
        self.known_uses = self.known_uses.min(kept_uses);
        // What the steps behind those that change blocks need.
        if changed >= Changed::KeptLoops {
            self.cfg.compute(&self.func);
            self.graph = Graph::Own;
            self.dominators_hold = false;
        }
        if changed == Changed::Blocks {
            self.loops.compute(&self.func, &self.cfg);
        }
    }

    #[inline(never)]
    fn hold_constants(&mut self, job: &Job<'_>, read: Option<&ControlFlowGraph>) {
        if !self.generator.list_constants(job.module, &self.func, &self.loops) {
            return;
        }
        if !self.dominators_hold {
            self.dominators.compute(&self.func, graph(read, &self.cfg, self.graph));
        }
        self.generator.hold_constants(&self.func, &self.loops, &self.dominators);
    }

    fn emit(&mut self, job: &Job<'_>, out: &mut RangeOutput) -> Result<(), ErrorKind> {
        match job.emit {
            #[cfg(feature = "text")]
            Emit::Assembly => {
                let annotation = Annotation { module: job.module, func: &self.func };
                let annotation = (job.commentary == Commentary::On).then_some(annotation);
                self.generator.emit_listing(&mut out.compiled, annotation, &mut out.text)
            }
            _ => self.generator.emit(&mut out.compiled),
        }
    }

    /// Counts what is there of the function as IR.
    fn count_ir(&mut self) {
        self.report.blocks += self.func.num_blocks() as u64;
        self.report.insts += self.func.num_insts() as u64;
    }

    fn count(&mut self, recipe: Recipe) {
        self.count_ir();
        let report = &mut self.report;
        report.functions += 1;
        report.mach_insts += self.generator.num_insts() as u64;
        report.add_allocation(recipe, &self.generator.allocation().stats);
    }
}

fn graph<'a>(
    read: Option<&'a ControlFlowGraph>,
    own: &'a ControlFlowGraph,
    graph: Graph,
) -> &'a ControlFlowGraph {
    match graph {
        Graph::Reader => read.unwrap_or(own),
        Graph::Own => own,
    }
}

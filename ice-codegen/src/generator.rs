//! Code generation for one function after another, from its analyses to bytes, behind one object-safe trait.
//!
//! [`Target`] is generic, because a rule of lowering is called for each instruction; [`CodeGenerator`] is called for
//! each function and hides the machine. [`Generator`] makes one of the other and owns the memory of all steps, so
//! that the thousandth function allocates nothing. Calls come in this order, for each function anew:
//!
//! | call | what it does |
//! |---|---|
//! | [`list_constants`](CodeGenerator::list_constants) | lists the constants that loops use; may be left out |
//! | [`hold_constants`](CodeGenerator::hold_constants) | chooses those that loops keep in registers, if the call before says so |
//! | [`lower`](CodeGenerator::lower) | makes machine instructions over virtual registers |
//! | [`allocate`](CodeGenerator::allocate) | gives them registers and slots |
//! | [`emit`](CodeGenerator::emit) | appends the function to compiled code |

#[cfg(feature = "text")]
use crate::annotation::{Annotation, Comments};
use crate::block_order::BlockOrder;
use crate::compiled::CompiledCode;
use crate::diversity::{Diversity, FrameShuffle, Kind, Secrets, register_ranks};
use crate::live::live_calls;
use crate::lower::{LowerScratch, lower_function};
use crate::mach::{FrameInfo, KeepOrigins, MachFunction};
use crate::rules::Call;
use crate::target::{ErrorKind, Target};
#[cfg(feature = "text")]
use crate::unwind::FrameDirectives;
use crate::unwind::UnwindFacts;
use alloc::boxed::Box;
#[cfg(feature = "text")]
use alloc::string::String;
#[cfg(feature = "text")]
use core::fmt;
use ice_asm::CodeBuffer;
#[cfg(feature = "text")]
use ice_asm::{BranchIsa, SymbolText, TextListing};
use ice_ir::native::UnwindTables;
use ice_ir::{
    Addressing, Block, ControlFlowGraph, DominatorTree, Function, Inst, LoopForest, Module, Type, Uses,
};
use ice_regalloc::{InputCheck, Mode, Options, Output, SlotSharing};

/// A function and what is known of it when its lowering begins.
#[derive(Clone, Copy)]
pub struct FunctionInput<'a> {
    /// The module it belongs to.
    pub module: &'a Module,
    /// The function, verified.
    pub func: &'a Function,
    /// Its flow graph.
    pub cfg: &'a ControlFlowGraph,
    /// The order of its blocks, with split edges.
    pub order: &'a BlockOrder,
    /// How often each value is used.
    pub uses: &'a Uses,
    /// How registers will be allocated.
    pub mode: Mode,
    /// The block at whose start the frame may be taken, if not at the entry alone.
    pub frame_at: Option<Block>,
}

/// Whether the results of lowering and register allocation are checked. Release builds never do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Checks {
    /// No.
    Off,
    /// Where debug assertions are on.
    #[default]
    Debug,
}

/// Turns functions into machine code, one at a time.
pub trait CodeGenerator: Send {
    /// Lists the constants that cost something where the loops of the function use them. Whether
    /// [`hold_constants`](Self::hold_constants) has anything to do then: dominators are computed for it alone.
    fn list_constants(&mut self, module: &Module, func: &Function, loops: &LoopForest) -> bool;

    /// Chooses those of the listed constants that loops keep in registers, and begins to remember others that are made.
    fn hold_constants(&mut self, func: &Function, loops: &LoopForest, dominators: &DominatorTree);

    /// What an access computes of its address, of the type `pointer`.
    fn addressing(&self, pointer: Type) -> Addressing;

    /// The types whose loads and stores copy short regions of memory, from the widest to a byte: as quickly from any address, and
    /// they may overlap. None if accesses want an alignment.
    fn moved_types(&self) -> &'static [Type];

    /// Whether conjunctions take the complement of an operand.
    fn complements_operands(&self) -> bool;

    /// Whether the edge back of a loop stands in front of the header and falls into it.
    fn falls_into_loops(&self) -> bool;

    /// Whether a frame may be taken at another block than the entry.
    fn delays_frames(&self) -> bool;

    /// Whether the call `inst` of `func`, whose results are returned, is better made in place of the return.
    fn returns_by_call(&self, module: &Module, func: &Function, inst: Inst) -> bool;

    /// Whether there is code for [`CheckType`](ice_ir::Intrinsic::CheckType).
    fn checks_types(&self) -> bool;

    /// From now on the code of functions says what it is for ([`CompiledCode::origins`]), or does not, as at first.
    fn keep_origins(&mut self, keep: KeepOrigins);

    /// From now on the code of functions says where their callers' registers are ([`CompiledCode::frames`]) as it is
    /// wanted here, or, as at first, as the functions want it themselves.
    fn write_unwind_tables(&mut self, wanted: Option<UnwindTables>);

    /// From now on functions differ by chance as this says; at first they do not.
    fn diversify(&mut self, diversity: Diversity);

    /// Lowers a function.
    ///
    /// # Errors
    /// The target has no code for an instruction, or the frame is too large.
    fn lower(&mut self, input: FunctionInput<'_>) -> Result<(), ErrorKind>;

    /// Allocates registers and spill slots for the function that was lowered, as it was lowered for.
    ///
    /// # Errors
    /// The allocator refuses the function, which is a defect of the back end.
    fn allocate(&mut self) -> Result<(), ErrorKind>;

    /// Appends the allocated function to `out`.
    ///
    /// # Errors
    /// The function is too large for its machine, or its allocation does not fit it.
    fn emit(&mut self, out: &mut CompiledCode) -> Result<(), ErrorKind>;

    /// Does what [`emit`](Self::emit) does and writes the code as assembler text to `text`. Symbols stand in it as
    /// [`SymbolText`], which [`ice_asm::write_with_symbols`] replaces. With the function that was lowered as `annotation`,
    /// comments say what is live where blocks begin and end and, if [origins are kept](Self::keep_origins), what the
    /// lines are for.
    ///
    /// # Errors
    /// Those of [`emit`](Self::emit).
    #[cfg(feature = "text")]
    fn emit_listing(
        &mut self,
        out: &mut CompiledCode,
        annotation: Option<Annotation<'_>>,
        text: &mut String,
    ) -> Result<(), ErrorKind>;

    /// Writes the lowered function, one machine instruction a line.
    ///
    /// # Errors
    /// Those of `out`.
    #[cfg(feature = "text")]
    fn write_machine_ir(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Describes the frame of the function that was emitted.
    fn describe_frame(&self, facts: &mut UnwindFacts);

    /// Number of machine instructions of the function that was lowered.
    fn num_insts(&self) -> usize;

    /// The function that was lowered, as the allocator sees it.
    fn body(&self) -> &ice_regalloc::Function;

    /// The registers and slots of the function that was allocated.
    fn allocation(&self) -> &Output;
}

/// A target whose type is not known to the caller.
pub trait BackEnd: Send + Sync {
    /// The memory of code generation for one thread.
    fn generator(&self, checks: Checks) -> Box<dyn CodeGenerator>;
}

/// A target with the memory of code generation.
pub struct Generator<T: Target> {
    target: T,
    checks: Checks,
    lower: LowerScratch,
    mach: MachFunction<T::Inst>,
    /// That of the function in `mach`.
    mode: Mode,
    /// For all functions; `None` for what each of them wants.
    unwind: Option<UnwindTables>,
    diversity: Diversity,
    /// Memory of functions that are written anew.
    hidden: MachFunction<T::Inst>,
    allocator: ice_regalloc::Context<'static>,
    #[cfg(debug_assertions)]
    checker: ice_regalloc::Checker,
    scratch: T::Scratch,
    buffer: CodeBuffer<(), T::Branches>,
    #[cfg(feature = "text")]
    listing: CodeBuffer<TextListing, T::Branches>,
}

impl<T: Target> Generator<T> {
    /// Code generation for this target.
    pub fn new(target: T, checks: Checks) -> Generator<T> {
        Generator {
            target,
            checks,
            lower: LowerScratch::default(),
            mach: MachFunction::new(),
            mode: Mode::default(),
            unwind: None,
            diversity: Diversity::NONE,
            hidden: MachFunction::new(),
            allocator: ice_regalloc::Context::default(),
            #[cfg(debug_assertions)]
            checker: ice_regalloc::Checker::new(),
            scratch: T::Scratch::default(),
            buffer: CodeBuffer::new(),
            #[cfg(feature = "text")]
            listing: CodeBuffer::new(),
        }
    }

    /// Appends the calls with live values of the function that was emitted.
    #[cold]
    fn describe_live(&self, out: &mut CompiledCode) -> Result<(), ErrorKind> {
        let (allocation, marks) = (self.allocator.output(), self.buffer.marks());
        out.live.push(live_calls(&self.target, &self.scratch, &self.mach, allocation, marks)?);
        Ok(())
    }

    /// Makes the choices for the steps behind the lowering of a function.
    #[cold]
    fn choose(&mut self, function: u32, address_width: u32) -> Result<(), ErrorKind> {
        let diversity = self.diversity;
        let secrets = Secrets::new(diversity, function, address_width);
        let mut hidden = core::mem::take(&mut self.hidden);
        if self.target.hide_numbers(secrets, &mut self.mach, &mut hidden, &mut self.scratch)? {
            core::mem::swap(&mut self.mach, &mut hidden);
        }
        self.hidden = hidden;
        if let Some(random) = diversity.random(Kind::Registers, function) {
            self.allocator.prefer(&register_ranks(random));
        }
        self.mach.frame.shuffle = diversity.random(Kind::Stack, function).map(FrameShuffle);
        let noise = diversity.noise(self.target.noise(diversity.kinds), function);
        #[cfg(feature = "text")]
        self.listing.set_noise(noise.clone());
        self.buffer.set_noise(noise);
        Ok(())
    }

    /// I-DEF: debug builds check what lowering has written, which the allocator's checker takes as it is.
    fn check_definitions(&self, func: &Function) {
        #[cfg(debug_assertions)]
        if self.checks == Checks::Debug {
            let result = crate::mach::check_definitions(self.mach.body());
            debug_assert!(result.is_ok(), "{}: {}", func.id, result.unwrap_err());
        }
        let _ = (self.checks, func);
    }
}

/// Whether slots may be shared: not where control can come back to a call twice.
fn slot_sharing(frame: &FrameInfo) -> SlotSharing {
    match frame.returns_twice {
        true => SlotSharing::Distinct,
        false => SlotSharing::Shared,
    }
}

impl<T: Target<Inst: Send, Scratch: Send> + Send> CodeGenerator for Generator<T> {
    fn list_constants(&mut self, module: &Module, func: &Function, loops: &LoopForest) -> bool {
        let target = &self.target;
        if !target.holds_constants() {
            return false;
        }
        let costly = |inst, visit: &mut dyn FnMut(_, _)| target.costly_constants(module, func, inst, visit);
        self.lower.held.list(func, loops, costly) || target.keeps_constants()
    }

    fn hold_constants(&mut self, func: &Function, loops: &LoopForest, dominators: &DominatorTree) {
        if self.target.keeps_constants() {
            self.lower.kept.begin(func, loops, dominators);
        }
        self.lower.held.choose(func, loops, dominators);
    }

    fn addressing(&self, pointer: Type) -> Addressing {
        self.target.addressing(pointer)
    }

    fn moved_types(&self) -> &'static [Type] {
        self.target.moved_types()
    }

    fn complements_operands(&self) -> bool {
        self.target.complements_operands()
    }

    fn falls_into_loops(&self) -> bool {
        self.target.falls_into_loops()
    }

    fn delays_frames(&self) -> bool {
        // What stands elsewhere or takes other registers by chance is not looked at for that.
        let kinds = [Kind::Nops, Kind::Registers, Kind::Blocks, Kind::Stack];
        self.target.delays_frames() && !kinds.into_iter().any(|kind| self.diversity.has(kind))
    }

    fn returns_by_call(&self, module: &Module, func: &Function, inst: Inst) -> bool {
        let call = Call::of(module, func, func.inst(inst));
        call.is_some_and(|call| self.target.returns_by_call(module, func, &call))
    }

    fn checks_types(&self) -> bool {
        self.target.checks_types()
    }

    fn keep_origins(&mut self, keep: KeepOrigins) {
        self.mach.keep_origins(keep);
    }

    fn write_unwind_tables(&mut self, wanted: Option<UnwindTables>) {
        self.unwind = wanted;
    }

    fn diversify(&mut self, diversity: Diversity) {
        self.diversity = diversity;
    }

    fn lower(&mut self, input: FunctionInput<'_>) -> Result<(), ErrorKind> {
        let FunctionInput { module, func, cfg, order, uses, mode, frame_at } = input;
        self.mode = mode;
        self.mach.write_for(mode);
        let (target, scratch, mach) = (&self.target, &mut self.lower, &mut self.mach);
        let result = lower_function(target, module, func, cfg, order, uses, scratch, mach);
        let mut wanted = self.unwind.unwrap_or(module.functions[func.id].traits.unwind);
        if wanted == UnwindTables::None && self.unwind.is_none() && func.exceptions.has_invocations() {
            wanted = UnwindTables::Sync;
        }
        self.mach.frame.unwind = wanted;
        self.mach.frame.late = frame_at.and_then(|block| order.number(block));
        match result {
            Ok(()) => {
                if self.diversity.is_any() {
                    self.choose(func.id.as_u32(), module.pointer_type.bytes())?;
                }
                self.check_definitions(func);
            }
            // The next function is not to find them.
            Err(_) => {
                self.lower.held.clear();
                self.lower.kept.clear();
            }
        }
        result
    }

    fn allocate(&mut self) -> Result<(), ErrorKind> {
        let registers = self.target.registers(&self.mach.frame);
        let slots = slot_sharing(&self.mach.frame);
        let options = Options { mode: self.mode, slots, steps: None, check: InputCheck::DebugBuilds };
        self.allocator.allocate(self.mach.body(), registers, &options)?;
        #[cfg(debug_assertions)]
        if self.checks == Checks::Debug
            && let Err(violations) = self.checker.check(self.mach.body(), registers, self.allocator.output())
        {
            debug_assert!(false, "{violations:#?}");
            return Err(ErrorKind::AllocationCheck);
        }
        Ok(())
    }

    fn emit(&mut self, out: &mut CompiledCode) -> Result<(), ErrorKind> {
        self.target.emit(&self.mach, self.allocator.output(), &mut self.scratch, &mut self.buffer, out)?;
        match self.mach.live_calls() {
            [] => Ok(()),
            _ => self.describe_live(out),
        }
    }

    #[cfg(feature = "text")]
    fn emit_listing(
        &mut self,
        out: &mut CompiledCode,
        annotation: Option<Annotation<'_>>,
        text: &mut String,
    ) -> Result<(), ErrorKind> {
        let (known, known_steps) = (out.origins.len(), out.frames.len());
        self.target.emit(&self.mach, self.allocator.output(), &mut self.scratch, &mut self.listing, out)?;
        let CompiledCode { constants, taken_labels, origins, frames, .. } = out;
        let steps = if T::HAS_FRAME_DIRECTIVES { &frames[known_steps..] } else { &[] };
        let mut directives = FrameDirectives::new(steps);
        let tables = &self.mach.tables;
        let symbol =
            |symbol, text: &mut dyn fmt::Write| match tables.shared_symbol(symbol, constants, taken_labels) {
                Some(symbol) => write!(text, "{}", SymbolText(symbol)),
                // It has no relocation either.
                None => Err(fmt::Error),
            };
        // Writing into a string cannot fail.
        let _ = match annotation {
            None => self.listing.write_annotated(text, symbol, |mark, out| directives.write(mark, out)),
            Some(annotation) => {
                let marker = <T::Branches as BranchIsa>::COMMENT;
                let (mach, allocation) = (&self.mach, self.allocator.output());
                let registers = self.target.registers(&mach.frame);
                let origins = &origins[known..];
                let mut comments = Comments::new(annotation, marker, origins, mach, registers, allocation);
                self.listing.write_annotated(text, symbol, |mark, out| {
                    directives.write(mark, out)?;
                    comments.write(mark, out)
                })
            }
        };
        Ok(())
    }

    #[cfg(feature = "text")]
    fn write_machine_ir(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.mach.write(out, self.target.registers(&self.mach.frame))
    }

    fn describe_frame(&self, facts: &mut UnwindFacts) {
        self.target.describe_frame(&self.scratch, facts);
    }

    fn num_insts(&self) -> usize {
        self.mach.insts().len()
    }

    fn body(&self) -> &ice_regalloc::Function {
        self.mach.body()
    }

    fn allocation(&self) -> &Output {
        self.allocator.output()
    }
}

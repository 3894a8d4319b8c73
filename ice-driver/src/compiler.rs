//! One function of the IR to machine code, without files, threads or objects.
//!
//! A [`Compiler`] is made for a machine and a recipe; it owns the memory of every step and uses it from function to
//! function. What it gives is plain data: bytes, references with what they mean, constants, jump tables,
//! what unwinding must know. Placing the
//! code and resolving the references is the caller's part: [`Machine::relocation_type`] has the number that ELF gives
//! a reference, and `ice-elf` writes objects. For whole programs there is [`compile_module`](crate::compile_module).
//!
//! [`Machine::relocation_type`]: crate::machine::Machine::relocation_type

use crate::error::Error;
use crate::machine::{Arch, Features};
use crate::options::{Emit, RelocationModel, Timing};
use crate::output::RangeOutput;
use crate::recipe::{Job, Pipeline, Recipe, Steps};
use crate::repeats::Repetition;
use ice_asm::{ConstantId, RelocKind};
use ice_codegen::live::LiveCalls;
use ice_codegen::{Checks, CodeSymbol, Confinement, Diversity, FunctionCode, TableSlice, UnwindFacts};
use ice_ir::native::UnwindTables;
use ice_ir::{Environment, FuncId, Function, Module, Rules, Type, VerifierScratch, verify_function};

/// What a [`Compiler`] makes of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeOptions {
    /// The machine.
    pub arch: Arch,
    /// The steps.
    pub recipe: Recipe,
    /// How the code of native modules reaches what is outside of the function.
    pub relocation: RelocationModel,
    /// From where callers are found, in all functions; `None` if each function says it.
    pub unwind: Option<UnwindTables>,
    /// Choices among the features of the machine.
    pub features: Features,
    /// What is left to chance.
    pub diversity: Diversity,
}

impl CodeOptions {
    /// Code for `arch` that may be anywhere, for processors that have what all of their kind have.
    pub fn new(arch: Arch, recipe: Recipe) -> CodeOptions {
        let relocation = RelocationModel::PositionIndependent;
        let features = Features::default();
        CodeOptions { arch, recipe, relocation, unwind: None, features, diversity: Diversity::NONE }
    }
}

/// Turns functions into machine code, one after another.
pub struct Compiler {
    steps: Steps,
    /// What of a module decides over its code.
    kind: (Environment, Type),
    unwind: Option<UnwindTables>,
    diversity: Diversity,
    pipeline: Pipeline,
    verifier: VerifierScratch,
    frame: UnwindFacts,
    out: RangeOutput,
}

impl Compiler {
    /// A compiler for the functions of `module`, and of others that are for the same environment.
    ///
    /// # Errors
    /// The machine is not built in, or the addresses of the module have another width.
    pub fn new(module: &Module, options: CodeOptions) -> Result<Compiler, Error> {
        let CodeOptions { arch, recipe, relocation, unwind, features, diversity } = options;
        let target = arch.machine().back_end(module, relocation.native(), features, Confinement::None)?;
        let mut generator = target.generator(Checks::Debug);
        generator.write_unwind_tables(unwind);
        generator.diversify(diversity);
        Ok(Compiler {
            steps: Steps::of(recipe, Emit::Object, &[]),
            unwind,
            diversity,
            kind: (module.environment, module.pointer_type),
            pipeline: Pipeline::new(generator),
            verifier: VerifierScratch::new(),
            frame: UnwindFacts::default(),
            out: RangeOutput::default(),
        })
    }

    /// Compiles a function of `module`, whose declarations must be [well-formed](ice_ir::verify_module).
    ///
    /// # Errors
    /// The function breaks a rule of the IR, or the machine has no code for it. After an error the compiler can be
    /// used for other functions.
    pub fn compile(&mut self, module: &Module, func: &Function) -> Result<CompiledFunction<'_>, Error> {
        if (module.environment, module.pointer_type) != self.kind {
            return Err(Error::OtherEnvironment);
        }
        verify_function(module, func, Rules::Ice, &mut self.verifier).map_err(Error::Verify)?;
        let job = Job {
            module,
            steps: &self.steps,
            emit: Emit::Object,
            #[cfg(feature = "text")]
            commentary: crate::options::Commentary::Off,
            #[cfg(feature = "text")]
            print_after: &[],
            timing: Timing::Off,
            unwind: self.unwind,
            diversity: self.diversity,
            has_sources: false,
            check: Checks::Debug,
        };
        self.out.clear();
        self.pipeline.func.clone_from(func);
        self.pipeline.run(&job, func.id, None, &mut self.out)?;
        self.out.add(func.id, Repetition::None);
        self.pipeline.generator.describe_frame(&mut self.frame);
        let code = self.out.function(0).code;
        Ok(CompiledFunction { code, frame: &self.frame })
    }
}

/// The machine code of a function.
#[derive(Debug)]
pub struct CompiledFunction<'a> {
    code: FunctionCode<'a>,
    frame: &'a UnwindFacts,
}

/// A place in code that refers to something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeReference {
    /// Where the field is, in bytes from the start of the function.
    pub offset: u32,
    /// What the field holds, and how.
    pub kind: RelocKind,
    /// What it refers to.
    pub target: CodeSymbol,
    /// What is added to the address of the target, in bytes.
    pub addend: i64,
}

impl CompiledFunction<'_> {
    /// The bytes. Fields that refer to something hold nothing yet.
    pub fn code(&self) -> &[u8] {
        self.code.code
    }

    /// All of it as a back end hands it on.
    pub fn parts(&self) -> &FunctionCode<'_> {
        &self.code
    }

    /// The places that refer to something, by offset.
    pub fn references(&self) -> impl Iterator<Item = CodeReference> {
        self.code.relocs.iter().map(|reloc| CodeReference {
            offset: reloc.offset,
            kind: reloc.kind,
            target: CodeSymbol::unpack(reloc.symbol),
            addend: reloc.addend,
        })
    }

    /// The bits of a constant that [`CodeSymbol::Constant`] names; its size is its alignment. `None` for a number that
    /// the function does not use.
    pub fn constant(&self, id: ConstantId) -> Option<u128> {
        self.code.constants.get(id)
    }

    /// The jump tables, in the order of the numbers in [`CodeSymbol::JumpTable`]: offsets in the code.
    pub fn jump_tables(&self) -> TableSlice<'_> {
        self.code.tables
    }

    /// The labels of the function, where it branches to addresses: numbers, and offsets in the code.
    pub fn labels(&self) -> &[(u32, u32)] {
        self.code.labels
    }

    /// The label that [`CodeSymbol::Label`] names: of which function, and its number there.
    pub fn label(&self, index: u32) -> Option<(FuncId, u32)> {
        self.code.taken_labels.get(index as usize).copied()
    }

    /// The frame, and where the caller's registers are in it.
    pub fn frame(&self) -> &UnwindFacts {
        self.frame
    }

    /// The calls with live values, if there are some: where those are while callees run.
    pub fn live_calls(&self) -> Option<&LiveCalls> {
        self.code.live
    }

    /// Where data stands between instructions: starts and ends as offsets in the code.
    pub fn data_in_code(&self) -> &[(u32, u32)] {
        self.code.data
    }
}

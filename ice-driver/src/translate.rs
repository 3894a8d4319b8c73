//! From the bytes of a module to the bytes of an object, without input or output.
//!
//! The header of the module is read first; then every body is read and translated by itself, on as many
//! threads as asked for ([`parallel`](crate::parallel)), and written in the order of the module.

use crate::arch::Arch;
use crate::assembly::AssemblyOutput;
use crate::error::Error;
use crate::legalization;
use crate::names::SymbolNames;
use crate::object::{ObjectOutput, data_limit};
use crate::options::{ArmOptions, Emit, FunctionSelector, InputFormat, Options, RelocationModel};
use crate::output::{ModuleOutput, RangeOutput};
use crate::parallel::{Plan, run_in_order};
use crate::recipe::{AllocationCheck, FunctionCompiler, Job};
use crate::report::{Report, Warning};
use ice_asm::x86::Mode;
use ice_asm::{BranchIsa, Listing, TextListing};
use ice_bitcode::{llvm, pexe};
use ice_codegen::{ForeignModule, NativeModel, Target};
use ice_elf::Sink as ObjectSink;
use ice_ir::native::Environment;
use ice_ir::{ControlFlowGraph, Filtered, FuncId, Function, FunctionBuilder, Module, Program, Symbol, Type};
use ice_target_arm32::{Arm32, Division, FloatAbi};
use ice_target_x86::X86;

/// Function bodies by number, to be read on any thread.
pub trait Bodies: Sync {
    /// Memory of reading, one a thread.
    type Reader: Default + Send;

    /// Bytes of body number `index`: how much work it is.
    fn size(&self, index: usize) -> usize;

    /// Reads body number `index` into `func`.
    ///
    /// # Errors
    /// The body is malformed.
    fn read(
        &self,
        index: usize,
        reader: &mut Self::Reader,
        filter: &mut Filtered,
        func: &mut Function,
    ) -> Result<(), Error>;

    /// The flow graph of the body that was read last, where reading computes it anyway.
    fn flow_graph(reader: &Self::Reader) -> Option<&ControlFlowGraph> {
        let _ = reader;
        None
    }
}

/// The bodies of a bitcode file.
pub struct BitcodeBodies<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// What was read of it so far.
    pub header: &'a pexe::ModuleHeader,
}

impl Bodies for BitcodeBodies<'_> {
    type Reader = pexe::FunctionReader;

    fn size(&self, index: usize) -> usize {
        self.header.bodies[index].bytes().len()
    }

    fn read(
        &self,
        index: usize,
        reader: &mut Self::Reader,
        filter: &mut Filtered,
        func: &mut Function,
    ) -> Result<(), Error> {
        let body = &self.header.bodies[index];
        let mut builder = FunctionBuilder::filtered(func, filter);
        reader.read(self.header, self.bytes, body, &mut builder).map_err(Error::Bitcode)
    }

    fn flow_graph(reader: &Self::Reader) -> Option<&ControlFlowGraph> {
        Some(reader.flow_graph())
    }
}

/// The bodies of a module of LLVM.
pub struct LlvmBodies<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// What was read of it so far.
    pub program: &'a llvm::LlvmProgram,
}

impl Bodies for LlvmBodies<'_> {
    type Reader = llvm::FunctionReader;

    fn size(&self, index: usize) -> usize {
        self.program.bodies()[index].bytes().len()
    }

    fn read(
        &self,
        index: usize,
        reader: &mut Self::Reader,
        filter: &mut Filtered,
        func: &mut Function,
    ) -> Result<(), Error> {
        let body = &self.program.bodies()[index];
        let mut builder = FunctionBuilder::filtered(func, filter);
        reader.read(self.program, self.bytes, body, &mut builder).map_err(|error| {
            let name = self.program.module().symbol_name(Symbol::Function(body.function));
            Error::Body { name: String::from_utf8_lossy(name).into_owned(), function: body.function, error }
        })
    }

    fn flow_graph(reader: &Self::Reader) -> Option<&ControlFlowGraph> {
        Some(reader.flow_graph())
    }
}

/// Bytes of bitcode that hold an instruction, on average of large programs.
const BITCODE_PER_INSTRUCTION: usize = 6;

/// The bodies of a program in memory.
pub struct ProgramBodies<'a>(pub &'a [Function]);

impl Bodies for ProgramBodies<'_> {
    type Reader = ();

    fn size(&self, index: usize) -> usize {
        BITCODE_PER_INSTRUCTION * self.0[index].num_insts()
    }

    fn read(&self, index: usize, (): &mut (), _: &mut Filtered, func: &mut Function) -> Result<(), Error> {
        func.clone_from(&self.0[index]);
        Ok(())
    }
}

/// Translates the module in `input` and writes what `options` ask for into `sink`, which must be empty.
///
/// The result depends on the input and the options alone; the number of threads does not change it.
///
/// # Errors
/// Malformed input, a function that the target cannot express, an unknown function, a target that is not
/// built in, errors of the sink. The first function with an error is the one reported. The sink then holds
/// a useless beginning.
pub fn compile_to(
    input: &[u8],
    options: &Options,
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    match options.arch {
        Arch::X86_32 => compile(|module, options| x86(Mode::Bits32, module, options), input, options, sink),
        Arch::X86_64 => compile(|module, options| x86(Mode::Bits64, module, options), input, options, sink),
        Arch::Arm32 => compile(arm32, input, options, sink),
        arch @ Arch::Mips32 => Err(Error::TargetNotBuiltIn(arch)),
    }
}

/// How the code of native programs makes addresses.
fn native_model(options: &Options) -> NativeModel {
    match options.relocation {
        RelocationModel::Static => NativeModel::Static,
        RelocationModel::PositionIndependent => NativeModel::PositionIndependent,
    }
}

/// A module that is for another target than it was asked for.
fn foreign(options: &Options) -> impl Fn(ForeignModule) -> Error + use<> {
    let arch = options.arch;
    move |ForeignModule { pointer }| Error::PointerWidth { arch, pointer }
}

/// The ARM back end for a module.
fn arm32(module: &Module, options: &Options) -> Result<Arm32, Error> {
    let (division, floats) = (options.arm.division(), options.arm.floats());
    let target = Arm32::new(division, floats, module, native_model(options)).map_err(foreign(options))?;
    match (module.environment, floats) {
        (Environment::Pnacl, FloatAbi::Soft) => Err(Error::SoftFloatProgram),
        _ => Ok(target),
    }
}

/// The x86 back end for a module.
fn x86(mode: Mode, module: &Module, options: &Options) -> Result<X86, Error> {
    X86::new(mode, module, native_model(options)).map_err(foreign(options))
}

fn compile<T: Target + Sync + Copy>(
    target_of: impl Fn(&Module, &Options) -> Result<T, Error>,
    input: &[u8],
    options: &Options,
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    match options.format {
        InputFormat::Bitcode => {
            let header = pexe::read_module(input).map_err(Error::Bitcode)?;
            let bodies = BitcodeBodies { bytes: input, header: &header };
            let (module, count) = (&header.module, header.bodies.len());
            let target = target_of(module, options)?;
            compile_bodies(Translation { target, module, bodies, count, input, options }, sink)
        }
        InputFormat::Llvm => {
            let triple = triple_of(input)?.unwrap_or_default();
            let floats = options.arm.floats.or(Arch::float_abi(&triple));
            let machine = legalization::description(options.arch, floats);
            let program = llvm::LlvmProgram::new(llvm::read_module(input, machine).map_err(Error::Bitcode)?);
            let (module, count) = (program.module(), program.bodies().len());
            let is_wide = module.pointer_type == Type::I64;
            if is_wide != (options.arch == Arch::X86_64) {
                return Err(Error::WrongTarget { arch: options.arch, triple });
            }
            let division = program.header().divides_in_hardware().then_some(Division::Hardware);
            let options =
                &Options { arm: options.arm.or(ArmOptions { division, floats }), ..options.clone() };
            let bodies = LlvmBodies { bytes: input, program: &program };
            let target = target_of(module, options)?;
            let mut report =
                compile_bodies(Translation { target, module, bodies, count, input, options }, sink)?;
            report.warnings.extend(program.header().first_unwinding().map(|function| {
                let name = module.symbol_name(Symbol::Function(function));
                Warning::NoUnwindTables { function: String::from_utf8_lossy(name).into_owned() }
            }));
            Ok(report)
        }
        InputFormat::Text => {
            let program = parse_text(input)?;
            let bodies = ProgramBodies(&program.bodies);
            let (module, count) = (&program.module, program.bodies.len());
            let target = target_of(module, options)?;
            compile_bodies(Translation { target, module, bodies, count, input, options }, sink)
        }
    }
}

/// The target triple of a module of LLVM, if it names one.
///
/// # Errors
/// The input is malformed before that place.
pub fn triple_of(input: &[u8]) -> Result<Option<String>, Error> {
    let triple = llvm::read_triple(input).map_err(Error::Bitcode)?;
    Ok((!triple.is_empty()).then(|| String::from_utf8_lossy(&triple).into_owned()))
}

/// Parses and verifies a program in the text form.
///
/// # Errors
/// A syntax error, or a rule of the IR that the program breaks.
pub fn parse_text(input: &[u8]) -> Result<Program, Error> {
    let text = std::str::from_utf8(input).map_err(|error| Error::NotUtf8(error.valid_up_to()))?;
    let program = ice_ir::parse_program(text).map_err(Error::Text)?;
    ice_ir::verify_program(&program, ice_ir::Rules::Ice).map_err(Error::Verify)?;
    Ok(program)
}

struct Translation<'a, T, B> {
    target: T,
    module: &'a Module,
    bodies: B,
    /// Number of bodies.
    count: usize,
    input: &'a [u8],
    options: &'a Options,
}

/// The defined functions to translate, each with the number of its body.
fn select(
    module: &Module,
    count: usize,
    selector: Option<&FunctionSelector>,
) -> Result<Vec<(FuncId, usize)>, Error> {
    let all = module.defined_functions().zip(0..count);
    let Some(selector) = selector else { return Ok(all.collect()) };
    let is_wanted = |id: FuncId| match selector {
        FunctionSelector::Number(number) => id.as_u32() == *number,
        FunctionSelector::Name(name) => module.name(module.functions[id].name) == name.as_bytes(),
    };
    let found: Vec<_> = all.filter(|&(id, _)| is_wanted(id)).take(1).collect();
    if found.is_empty() {
        return Err(Error::NoSuchFunction(match selector {
            FunctionSelector::Number(number) => number.to_string(),
            FunctionSelector::Name(name) => name.clone(),
        }));
    }
    Ok(found)
}

fn compile_bodies<T: Target + Sync + Copy, B: Bodies>(
    translation: Translation<'_, T, B>,
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    let Translation { target, module, bodies, count, input, options } = translation;
    let functions = select(module, count, options.function.as_ref())?;
    let job = Job {
        target,
        module,
        bodies,
        recipe: options.level.recipe(),
        emit: options.emit,
        print_after: &options.print_after,
        disabled: &options.disabled,
        timing: options.timing,
        check: AllocationCheck::Debug,
    };
    match options.emit {
        Emit::Object => run::<T, B, ()>(&job, &functions, options, || {
            let limit = data_limit(input.len());
            let selected = |id| match options.function {
                None => true,
                Some(_) => functions.iter().any(|&(function, _)| function == id),
            };
            Ok(Box::new(ObjectOutput::new(
                options,
                module,
                &SymbolNames::new(module),
                selected,
                limit,
                sink,
            )?))
        }),
        Emit::Assembly => {
            let names = SymbolNames::new(module);
            run::<T, B, TextListing>(&job, &functions, options, || {
                Ok(Box::new(AssemblyOutput::new(options, module, &names, sink)?))
            })
        }
        Emit::Ir if options.function.is_none() => emit_program(&job, &functions, sink),
        Emit::Ir | Emit::Mir => run::<T, B, ()>(&job, &functions, options, || Ok(Box::new(TextOutput(sink)))),
    }
}

/// Translates the functions and hands them, in order, to the output that `begin` makes.
fn run<'o, T: Target + Sync, B: Bodies, L: Listing + Send>(
    job: &Job<'_, T, B>,
    functions: &[(FuncId, usize)],
    options: &Options,
    begin: impl FnOnce() -> Result<Box<dyn ModuleOutput<L, T::Branches> + 'o>, Error>,
) -> Result<Report, Error> {
    let sizes = |number: usize| job.bodies.size(functions[number].1);
    let (reports, output) = run_in_order(
        Plan::new(functions.len(), options.threads, sizes),
        Box::<FunctionCompiler<T, B, L>>::default,
        |compiler, numbers, out: &mut RangeOutput<L, T::Branches>| {
            out.clear();
            for &(function, body) in &functions[numbers] {
                compiler.compile(job, function, body, out)?;
            }
            compiler.count_code(&out.compiled);
            Ok(())
        },
        |compiler| compiler.report,
        begin,
        |output, out| {
            if !out.log.is_empty() {
                (options.print)(&out.log);
            }
            output.functions(out)
        },
    )?;
    output.finish()?;
    let mut report = Report { environment: job.module.environment, ..Report::default() };
    for part in &reports {
        report.merge(part);
    }
    Ok(report)
}

/// Representations as text, one function after the other.
struct TextOutput<'a>(&'a mut (dyn ObjectSink + Send));

impl<L: Listing, I: BranchIsa> ModuleOutput<L, I> for TextOutput<'_> {
    fn functions(&mut self, output: &mut RangeOutput<L, I>) -> Result<(), Error> {
        Ok(self.0.append(output.text.as_bytes())?)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        Ok(())
    }
}

/// The whole module as lowering sees it, as a program that can be read back.
fn emit_program<T: Target, B: Bodies>(
    job: &Job<'_, T, B>,
    functions: &[(FuncId, usize)],
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    let mut report = Report { environment: job.module.environment, ..Report::default() };
    let mut program = Program { module: job.module.clone(), bodies: Vec::with_capacity(functions.len()) };
    let (mut reader, mut filter) = (B::Reader::default(), Filtered::new());
    for &(_, body) in functions {
        let mut func = Function::new();
        job.bodies.read(body, &mut reader, &mut filter, &mut func)?;
        report.functions += 1;
        report.blocks += func.num_blocks() as u64;
        report.insts += func.num_insts() as u64;
        program.bodies.push(func);
    }
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = ice_ir::write_program(&program, &mut text);
    sink.append(text.as_bytes())?;
    Ok(report)
}

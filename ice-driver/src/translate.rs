//! From the bytes of a module to the bytes of an object, without input or output.
//!
//! The header of the module is read first; then every body is read and translated by itself, on as many
//! threads as asked for ([`parallel`](crate::parallel)), and written in the order of the module.

use crate::assembly::AssemblyOutput;
use crate::bodies::{BitcodeBodies, Bodies, LlvmBodies, ProgramBodies};
use crate::error::Error;
use crate::names::SymbolNames;
use crate::object::{ObjectOutput, data_limit};
use crate::options::{Emit, FunctionSelector, InputFormat, Options, RelocationModel};
use crate::output::{ModuleOutput, RangeOutput};
use crate::parallel::{Plan, run_in_order};
use crate::recipe::{FunctionCompiler, Job};
use crate::report::{Report, Warning};
use ice_bitcode::{llvm, pexe};
use ice_codegen::{Checks, NativeModel};
use ice_elf::Sink as ObjectSink;
use ice_ir::{Filtered, FuncId, Function, Module, Program, Symbol};

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
    match options.format {
        InputFormat::Bitcode => {
            let header = pexe::read_module(input).map_err(Error::Bitcode)?;
            let bodies = BitcodeBodies { bytes: input, header: &header };
            compile_bodies(&header.module, &bodies, input.len(), options, sink)
        }
        InputFormat::Llvm => compile_llvm(input, options, sink),
        InputFormat::Text => {
            let program = parse_text(input)?;
            let bodies = ProgramBodies(&program.bodies);
            compile_bodies(&program.module, &bodies, input.len(), options, sink)
        }
    }
}

/// How the code of native programs makes addresses.
fn native_model(options: &Options) -> NativeModel {
    match options.relocation {
        RelocationModel::Static => NativeModel::Static,
        RelocationModel::PositionIndependent => NativeModel::PositionIndependent,
    }
}

fn compile_llvm(
    input: &[u8],
    options: &Options,
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    let triple = triple_of(input)?.unwrap_or_default();
    let machine = options.arch.machine();
    let features = options.features.or(machine.features_of_triple(&triple));
    let module = llvm::read_module(input, machine.legalization(features)).map_err(Error::Bitcode)?;
    let program = llvm::LlvmProgram::new(module);
    let module = program.module();
    if module.pointer_type != machine.address_type() {
        return Err(Error::WrongTarget { arch: options.arch, triple });
    }
    let features = features.or(machine.features_of_module(program.header()));
    let options = Options { features, ..options.clone() };
    let bodies = LlvmBodies { bytes: input, program: &program };
    let mut report = compile_bodies(module, &bodies, input.len(), &options, sink)?;
    report.warnings.extend(program.header().first_unwinding().map(|function| {
        let name = module.symbol_name(Symbol::Function(function));
        Warning::NoUnwindTables { function: String::from_utf8_lossy(name).into_owned() }
    }));
    Ok(report)
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

/// Translates the functions of a module that was read from `input_size` bytes.
fn compile_bodies(
    module: &Module,
    bodies: &dyn Bodies,
    input_size: usize,
    options: &Options,
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    let target = options.arch.machine().back_end(module, native_model(options), options.features)?;
    let functions = select(module, bodies.count(), options.function.as_ref())?;
    let job = Job {
        target: &*target,
        module,
        bodies,
        recipe: options.level.recipe(),
        emit: options.emit,
        print_after: &options.print_after,
        disabled: &options.disabled,
        timing: options.timing,
        commentary: options.commentary,
        check: Checks::Debug,
    };
    if options.emit == Emit::Ir && options.function.is_none() {
        return emit_program(&job, &functions, sink);
    }
    let names;
    let begin: Begin<'_, '_> = match options.emit {
        Emit::Object => Box::new(|| {
            let limit = data_limit(input_size);
            let selected = |id| match options.function {
                None => true,
                Some(_) => functions.iter().any(|&(function, _)| function == id),
            };
            let names = SymbolNames::new(module);
            Ok(Box::new(ObjectOutput::new(options, module, &names, selected, limit, sink)?))
        }),
        Emit::Assembly => {
            names = SymbolNames::new(module);
            Box::new(|| Ok(Box::new(AssemblyOutput::new(options, module, &names, sink)?)))
        }
        Emit::Ir | Emit::Mir => Box::new(|| Ok(Box::new(TextOutput(sink)))),
    };
    run(&job, &functions, options, begin)
}

/// Starts the output of a module.
type Begin<'a, 'o> = Box<dyn FnOnce() -> Result<Box<dyn ModuleOutput + 'o>, Error> + 'a>;

/// Translates the functions and hands them, in order, to the output that `begin` makes.
fn run<'o>(
    job: &Job<'_>,
    functions: &[(FuncId, usize)],
    options: &Options,
    begin: Begin<'_, 'o>,
) -> Result<Report, Error> {
    let sizes = |number: usize| job.bodies.size(functions[number].1);
    let (reports, output) = run_in_order(
        Plan::new(functions.len(), options.threads, sizes),
        || FunctionCompiler::new(job),
        |compiler, numbers, out: &mut RangeOutput| {
            out.clear();
            for &(function, body) in &functions[numbers] {
                compiler.compile(job, function, body, out)?;
            }
            compiler.count_code(&out.compiled);
            Ok(())
        },
        FunctionCompiler::into_report,
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

impl ModuleOutput for TextOutput<'_> {
    fn functions(&mut self, output: &mut RangeOutput) -> Result<(), Error> {
        Ok(self.0.append(output.text.as_bytes())?)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        Ok(())
    }
}

/// The whole module as lowering sees it, as a program that can be read back.
fn emit_program(
    job: &Job<'_>,
    functions: &[(FuncId, usize)],
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    let mut report = Report { environment: job.module.environment, ..Report::default() };
    let mut program = Program { module: job.module.clone(), bodies: Vec::with_capacity(functions.len()) };
    let (mut reader, mut filter) = (job.bodies.reader(), Filtered::new());
    for &(_, body) in functions {
        let mut func = Function::new();
        reader.read(body, &mut filter, &mut func)?;
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

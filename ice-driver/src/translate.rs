//! From the bytes of a module to the bytes of an object, without input or output.
//!
//! The header of the module is read first; then every body is read and translated by itself, on as many
//! threads as asked for ([`parallel`](crate::parallel)), and written in the order of the module.

#[cfg(feature = "text")]
use crate::assembly::AssemblyOutput;
use crate::diversity::FunctionOrder;
use crate::error::Error;
use crate::formats::Bodies;
use crate::names::SymbolNames;
use crate::object::{ObjectOutput, data_limit};
use crate::options::{DebugInfo, Emit, FunctionSelector, Options, Stats};
use crate::output::{Functions, ModuleOutput, RangeOutput};
use crate::parallel::{Plan, run_in_order};
use crate::recipe::{FunctionCompiler, Job, Steps};
use crate::repeats::KeptCode;
use crate::report::Report;
#[cfg(feature = "text")]
use crate::representation::{TextOutput, emit_program};
use ice_codegen::{BackEnd, Checks, Confinement};
use ice_elf::Sink as ObjectSink;
use ice_ir::native::Environment;
use ice_ir::{FuncId, Module};
use std::ops::Range;
#[cfg(any(feature = "pexe", feature = "llvm", feature = "text"))]
use {crate::formats, crate::options::InputFormat};

/// Translates the module in `input` and writes what `options` ask for into `sink`, which must be empty.
///
/// The result depends on the input and the options alone; the number of threads does not change it.
///
/// # Errors
/// Malformed input, a function that the target cannot express, an unknown function, a target that is not
/// built in, errors of the sink. The first function with an error is the one reported. The sink then holds
/// a useless beginning.
#[cfg(any(feature = "pexe", feature = "llvm", feature = "text"))]
pub fn compile_to(
    input: &[u8],
    options: &Options,
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    read_to(input, options, &mut |module, bodies, options| {
        compile_module(module, bodies, input.len(), options, sink)
    })
}

/// Reads the header of the module in `input`, whose form [`Options::format`] names, and has `translate` translate it:
/// with its bodies, and with the options as the module has completed them.
///
/// # Errors
/// Malformed input, a module that is not for the target, those of `translate`.
#[cfg(any(feature = "pexe", feature = "llvm", feature = "text"))]
pub fn read_to(input: &[u8], options: &Options, translate: formats::Translate<'_>) -> Result<Report, Error> {
    match options.format {
        #[cfg(feature = "pexe")]
        InputFormat::Bitcode => formats::pexe::translate(input, options, translate),
        #[cfg(feature = "llvm")]
        InputFormat::Llvm => formats::llvm::translate(input, options, translate),
        #[cfg(feature = "text")]
        InputFormat::Text => formats::text::translate(input, options, translate),
        #[allow(unreachable_patterns, reason = "with all features every format is read")]
        format => Err(Error::FormatNotBuiltIn(format)),
    }
}

/// The functions to translate: defined ones that lie one behind another in the order of the bodies.
struct Selected {
    functions: Vec<FuncId>,
    /// Number of the body of the first.
    first: usize,
    /// The order of their translation.
    order: FunctionOrder,
}

impl Selected {
    /// Functions with the numbers of their bodies, by their numbers in the order of translation.
    fn range(&self, numbers: Range<usize>) -> impl Iterator<Item = (FuncId, usize)> + '_ {
        numbers.map(|n| self.order.at(n)).map(|n| (self.functions[n], n + self.first))
    }

    /// Has the bodies read that may be wanted from the n-th translation on, before that: bodies arrive in the order of the
    /// module.
    fn await_bodies(&self, bodies: &dyn Bodies, n: usize) {
        self.order.begin_window(n, |body| {
            bodies.size(body + self.first);
        });
    }
}

/// The defined functions, or the one that is wanted.
fn select(module: &Module, count: usize, options: &Options) -> Result<Selected, Error> {
    let all = module.defined_functions().take(count);
    let order = |count| FunctionOrder::new(options.diversity, count);
    let Some(selector) = &options.function else {
        let functions: Vec<_> = all.collect();
        let order = order(functions.len());
        return Ok(Selected { functions, first: 0, order });
    };
    let is_wanted = |id: FuncId| match selector {
        FunctionSelector::Number(number) => id.as_u32() == *number,
        FunctionSelector::Name(name) => module.name(module.functions[id].name) == name.as_bytes(),
    };
    match all.enumerate().find(|&(_, id)| is_wanted(id)) {
        Some((first, id)) => Ok(Selected { functions: vec![id], first, order: order(1) }),
        None => Err(Error::NoSuchFunction(match selector {
            FunctionSelector::Number(number) => number.to_string(),
            FunctionSelector::Name(name) => name.clone(),
        })),
    }
}

/// The back end that the options ask for.
fn back_end(module: &Module, options: &Options) -> Result<Box<dyn BackEnd>, Error> {
    let machine = options.arch.machine();
    if options.confinement == Confinement::Sandbox {
        if machine.bundles().is_none() {
            return Err(Error::NotConfined(options.arch));
        }
        if module.environment != Environment::Pnacl {
            return Err(Error::NativeConfined);
        }
    }
    machine.back_end(module, options.relocation.native(), options.features, options.confinement)
}

/// Translates the functions of a module whose input has `input_size` bytes. [`Options::format`] is not looked at.
///
/// # Errors
/// Those of `compile_to`.
pub fn compile_module(
    module: &Module,
    bodies: &dyn Bodies,
    input_size: usize,
    options: &Options,
    sink: &mut (dyn ObjectSink + Send),
) -> Result<Report, Error> {
    let target = back_end(module, options)?;
    let selected = select(module, bodies.count(), options)?;
    #[cfg(feature = "text")]
    if options.emit == Emit::Ir && options.function.is_none() {
        return emit_program(module, bodies, selected.functions.len(), sink);
    }
    #[cfg(feature = "text")]
    let names;
    let units = match options.debug_info {
        DebugInfo::Keep => bodies.source_units(),
        DebugInfo::Strip => &[],
    };
    let begin: Begin<'_, '_> = match options.emit {
        Emit::Object => Box::new(|| {
            let limit = data_limit(input_size);
            let is_selected = |id| match options.function {
                None => true,
                Some(_) => selected.functions.contains(&id),
            };
            let names = SymbolNames::new(module);
            Ok(Box::new(ObjectOutput::new(options, (module, units), &names, is_selected, limit, sink)?))
        }),
        #[cfg(feature = "text")]
        Emit::Assembly => {
            names = SymbolNames::new(module);
            Box::new(|| Ok(Box::new(AssemblyOutput::new(options, (module, units), &names, sink)?)))
        }
        #[cfg(feature = "text")]
        Emit::Ir | Emit::Mir => Box::new(|| Ok(Box::new(TextOutput(sink)))),
    };
    let has_sources = !units.is_empty();
    run(&*target, module, bodies, &selected, options, has_sources, begin)
}

/// Translates the functions of a module and hands their code, in the order of the module, to `output`, instead of an
/// object. [`Options::format`] and [`Options::emit`] are not looked at.
///
/// # Errors
/// A function that the target cannot express, an unknown function, a target that is not built in, errors of the output.
pub fn translate_module<'o>(
    module: &Module,
    bodies: &dyn Bodies,
    options: &Options,
    output: Box<dyn ModuleOutput + 'o>,
) -> Result<Report, Error> {
    let target = back_end(module, options)?;
    let selected = select(module, bodies.count(), options)?;
    let options = Options { emit: Emit::Object, ..options.clone() };
    run(&*target, module, bodies, &selected, &options, false, Box::new(|| Ok(output)))
}

/// Starts the output of a module.
type Begin<'a, 'o> = Box<dyn FnOnce() -> Result<Box<dyn ModuleOutput + 'o>, Error> + 'a>;

/// Translates the functions and hands them, in order, to the output that `begin` makes.
fn run<'o>(
    target: &dyn BackEnd,
    module: &Module,
    bodies: &dyn Bodies,
    selected: &Selected,
    options: &Options,
    has_sources: bool,
    begin: Begin<'_, 'o>,
) -> Result<Report, Error> {
    let steps = Steps::of(options.level.recipe(), options.emit, &options.disabled);
    let job = Job {
        module,
        steps: &steps,
        emit: options.emit,
        #[cfg(feature = "text")]
        print_after: &options.print_after,
        unwind: options.unwind,
        diversity: options.diversity,
        timing: options.timing,
        #[cfg(feature = "text")]
        commentary: options.commentary,
        has_sources,
        check: Checks::Debug,
    };
    if job.copies_repeats() && options.function.is_none() {
        bodies.tell_repeats();
    }
    let sizes = |number: usize| {
        selected.await_bodies(bodies, number);
        bodies.size(selected.first + selected.order.at(number))
    };
    let total = if options.threads > 1 && options.function.is_none() { bodies.total() } else { 0 };
    let (reports, (output, kept)) = run_in_order(
        Plan::new(selected.functions.len(), options.threads, total, sizes),
        || FunctionCompiler::new(target, bodies, &job),
        |compiler, numbers, out: &mut RangeOutput| {
            out.clear();
            selected.await_bodies(bodies, numbers.start);
            for (function, body) in selected.range(numbers) {
                compiler.compile(&job, function, body, out)?;
            }
            compiler.count_code(&out.compiled);
            if options.stats == Stats::On {
                compiler.count_slots(options.arch.machine(), &out.compiled);
            }
            Ok(())
        },
        FunctionCompiler::into_report,
        || Ok((begin()?, KeptCode::default())),
        |(output, kept), out| {
            #[cfg(feature = "text")]
            if !out.log.is_empty() {
                (options.print)(&out.log);
            }
            output.functions(Functions::new(out, kept))
        },
    )?;
    bodies.finish()?;
    output.finish()?;
    let mut report = Report { environment: module.environment, ..Report::default() };
    report.add_copies(&kept);
    for part in &reports {
        report.merge(part);
    }
    Ok(report)
}
